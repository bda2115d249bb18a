//! Statuses by random StatefulSets and Pods: whatever there is, the conditions of every profile fit together.

use std::collections::BTreeSet;

use promgen::{Assume, Input, Options, Profile};
use promgen_testing::texts::any_text;
use promgen_text::yaml::Value;
use proptest::prelude::*;
use serde_json::json;

/// A pod as it may be seen.
#[derive(Clone, Debug)]
struct Pod {
    phase: &'static str,
    conditions: Vec<(&'static str, &'static str, String)>,
    waiting: Option<String>,
}

impl Pod {
    fn is_ready(&self) -> bool {
        let ready = self.conditions.iter().find(|(kind, ..)| *kind == "Ready");
        self.phase == "Running" && ready.is_some_and(|(_, status, _)| *status == "True")
    }
}

/// A StatefulSet as it may be seen, with its pods.
#[derive(Clone, Debug)]
struct Set {
    is_deleting: bool,
    available: i32,
    pods: Vec<Pod>,
}

/// A Prometheus and what is seen of its shards.
#[derive(Clone, Debug)]
struct Seen {
    replicas: usize,
    sets: Vec<Option<Set>>,
    paused: bool,
    fails: bool,
    command: Option<&'static str>,
    assume: Assume,
}

fn pod() -> impl Strategy<Value = Pod> {
    let phase = prop::sample::select(vec![
        "Running",
        "Running",
        "Pending",
        "Failed",
        "Unknown",
        "Succeeded",
        "",
        "odd",
    ]);
    let kind = prop::sample::select(vec![
        "PodScheduled",
        "Initialized",
        "ContainersReady",
        "Ready",
        "Ready",
        "Other",
    ]);
    let status = prop::sample::select(vec!["True", "True", "False", "Unknown"]);
    let reason = prop_oneof![
        prop::sample::select(vec!["Error", "Completed", "OOMKilled", "CrashLoopBackOff"])
            .prop_map(str::to_owned),
        any_text(),
    ];
    let condition = (kind, status, reason.clone());
    (
        phase,
        prop::collection::vec(condition, 0..4),
        prop::option::of(reason),
    )
        .prop_map(|(phase, conditions, waiting)| Pod {
            phase,
            conditions,
            waiting,
        })
}

fn set() -> impl Strategy<Value = Set> {
    (
        prop::bool::weighted(0.1),
        0..4_i32,
        prop::collection::vec(pod(), 0..4),
    )
        .prop_map(|(is_deleting, available, pods)| Set {
            is_deleting,
            available,
            pods,
        })
}

fn seen() -> impl Strategy<Value = Seen> {
    let command = prop::sample::select(vec![
        None,
        None,
        Some("Paused"),
        Some("Stopped"),
        Some("other"),
    ]);
    let assume = prop::sample::select(vec![Assume::Ready, Assume::Missing]);
    let sets = prop::collection::vec(prop::option::weighted(0.8, set()), 1..4);
    (
        0..4_usize,
        sets,
        prop::bool::weighted(0.1),
        prop::bool::weighted(0.1),
        command,
        assume,
    )
        .prop_map(|(replicas, sets, paused, fails, command, assume)| Seen {
            replicas,
            sets,
            paused,
            fails,
            command,
            assume,
        })
}

/// The objects as JSON, one document each.
fn manifests(seen: &Seen) -> String {
    let args = if seen.fails {
        json!([{"name": "config.file"}])
    } else {
        json!([])
    };
    let mut objects = vec![json!({
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "Prometheus",
        "metadata": {"name": "main", "annotations": {"operator-command": seen.command.unwrap_or("none")}},
        "spec": {
            "replicas": seen.replicas, "shards": seen.sets.len(), "paused": seen.paused, "additionalArgs": args,
            "serviceMonitorSelector": {},
        },
    })];
    for (shard, set) in seen.sets.iter().enumerate() {
        let name = if shard == 0 {
            "prometheus-main".to_owned()
        } else {
            format!("prometheus-main-shard-{shard}")
        };
        let Some(set) = set else { continue };
        let mut metadata = json!({"name": name, "uid": name});
        if set.is_deleting {
            metadata["deletionTimestamp"] = "2026-01-01T00:00:00Z".into();
        }
        objects.push(json!({
            "apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": metadata,
            "spec": {"selector": {"matchLabels": {"set": name}}},
            "status": {"availableReplicas": set.available, "updateRevision": "r"},
        }));
        objects.extend(
            set.pods
                .iter()
                .enumerate()
                .map(|(i, pod)| pod_object(&name, i, pod)),
        );
    }
    objects
        .iter()
        .map(|object| format!("---\n{object}\n"))
        .collect()
}

fn pod_object(set: &str, index: usize, pod: &Pod) -> serde_json::Value {
    let condition = |(kind, status, reason): &(&str, &str, String)| json!({"type": kind, "status": status, "reason": reason, "message": reason});
    let waiting = pod
        .waiting
        .as_ref()
        .map(|reason| json!({"waiting": {"reason": reason}}));
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {
            "name": format!("{set}-{index}"), "uid": format!("{set}-{index}"), "labels": {"set": set},
            "ownerReferences": [{"apiVersion": "apps/v1", "kind": "StatefulSet", "name": set, "uid": set}],
        },
        "status": {
            "phase": pod.phase,
            "conditions": pod.conditions.iter().map(condition).collect::<Vec<_>>(),
            "containerStatuses": [{"name": "prometheus", "state": waiting.unwrap_or(json!({}))}],
        },
    })
}

fn status(text: &str, profile: Profile, assume: Assume) -> Value {
    let options = Options {
        profile,
        assume,
        ..Options::default()
    };
    let output = crate::support::compile(&[Input::new("in.yaml", text)], &options);
    output.workloads[0].status.clone()
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn number(value: &Value, key: &str) -> i64 {
    match value.get(key) {
        Some(Value::Int(number)) => *number,
        other => panic!("{key} is {other:?}"),
    }
}

/// The conditions, each type of which is there once; nothing else is.
fn conditions<'s>(status: &'s Value, types: &[&str]) -> &'s [Value] {
    let conditions = status.get("conditions").and_then(Value::as_seq).unwrap();
    let found: Vec<&str> = conditions.iter().map(|c| text(c, "type")).collect();
    assert_eq!(found, types);
    conditions
}

fn of<'c>(conditions: &'c [Value], kind: &str) -> &'c Value {
    conditions.iter().find(|c| text(c, "type") == kind).unwrap()
}

fn is_camel_case(reason: &str) -> bool {
    reason.starts_with(|c: char| c.is_ascii_uppercase())
        && reason.bytes().all(|b| b.is_ascii_alphanumeric())
}

fn figures_add_up(status: &Value) {
    let (all, available) = (
        number(status, "replicas"),
        number(status, "availableReplicas"),
    );
    assert_eq!(number(status, "unavailableReplicas"), all - available);
    let updated = number(status, "updatedReplicas");
    assert!(
        available >= 0 && available <= all && updated >= 0 && updated <= all,
        "{status:?}"
    );
}

fn operator_fits(seen: &Seen, status: &Value) {
    let conditions = conditions(status, &["Available", "Reconciled"]);
    figures_add_up(status);
    for condition in conditions {
        let (status, reason) = (text(condition, "status"), text(condition, "reason"));
        assert!(
            ["True", "Degraded", "False"].contains(&status),
            "{condition:?}"
        );
        assert!(reason.is_empty() || is_camel_case(reason), "{condition:?}");
        assert!(status == "True" || !reason.is_empty(), "{condition:?}");
    }
    let is_available = text(of(conditions, "Available"), "status") == "True";
    let wanted = seen
        .sets
        .iter()
        .flatten()
        .filter(|set| !set.is_deleting && set.pods.len() <= seen.replicas);
    let all_ready = wanted.flat_map(|set| &set.pods).all(Pod::is_ready);
    assert!(
        !is_available || all_ready,
        "available, though a pod is not ready"
    );
    assert_eq!(
        text(of(conditions, "Reconciled"), "status") == "False",
        seen.fails && !seen.paused
    );
    let shards: BTreeSet<&str> = status
        .get("shardStatuses")
        .and_then(Value::as_seq)
        .unwrap()
        .iter()
        .map(|s| text(s, "shardID"))
        .collect();
    let kept = seen
        .sets
        .iter()
        .filter(|set| set.as_ref().is_none_or(|set| !set.is_deleting))
        .count();
    assert_eq!(shards.len(), kept);
}

fn proposal_fits(status: &Value) {
    let conditions = conditions(status, &["Available", "Degraded", "Reconciled"]);
    figures_add_up(status);
    for condition in conditions {
        assert!(
            ["True", "False", "Unknown"].contains(&text(condition, "status")),
            "{condition:?}"
        );
        let reason = text(condition, "reason");
        assert!(reason.is_empty() || is_camel_case(reason), "{condition:?}");
    }
    let [available, degraded] = ["Available", "Degraded"].map(|kind| of(conditions, kind));
    assert!(
        text(available, "status") != "False" || text(degraded, "status") == "True",
        "{conditions:?}"
    );
    assert!(
        text(degraded, "status") == "False" || text(degraded, "reason") == "PodsNotReady",
        "{degraded:?}"
    );
}

fn stackable_fits(seen: &Seen, status: &Value) {
    let conditions = conditions(
        status,
        &[
            "Available",
            "Progressing",
            "Degraded",
            "Upgradable",
            "Paused",
            "Stopped",
        ],
    );
    for condition in conditions {
        assert!(
            ["True", "False", "Unknown"].contains(&text(condition, "status")),
            "{condition:?}"
        );
        assert!(!text(condition, "message").is_empty(), "{condition:?}");
    }
    let is = |kind: &str| text(of(conditions, kind), "status");
    assert!(
        is("Available") != "True" || (is("Progressing"), is("Degraded")) == ("False", "False"),
        "{conditions:?}"
    );
    assert_eq!(
        (is("Paused") == "True", is("Stopped") == "True"),
        (
            seen.command == Some("Paused") || seen.paused,
            seen.command == Some("Stopped")
        )
    );
}

fn aso_fits(status: &Value) {
    let ready = of(conditions(status, &["Ready"]), "Ready");
    assert!(is_camel_case(text(ready, "reason")), "{ready:?}");
    let severity = text(ready, "severity");
    match text(ready, "status") {
        "False" => assert!(
            ["Error", "Warning", "Info"].contains(&severity),
            "{ready:?}"
        ),
        "True" | "Unknown" => assert!(ready.get("severity").is_none(), "{ready:?}"),
        other => panic!("{other}"),
    }
}

proptest! {
    #[test]
    fn conditions_fit_together_in_every_profile(seen in seen()) {
        let text = manifests(&seen);
        operator_fits(&seen, &status(&text, Profile::Operator, seen.assume));
        proposal_fits(&status(&text, Profile::Proposal, seen.assume));
        stackable_fits(&seen, &status(&text, Profile::Stackable, seen.assume));
        aso_fits(&status(&text, Profile::Aso, seen.assume));
    }
}

#[test]
fn statuses_of_monitors_alone_are_something_to_tell() {
    let text = "apiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata: {name: cart, namespace: shop}\nspec: {selector: {}, endpoints: [{port: web}]}\n";
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.yaml");
    std::fs::write(&file, text).unwrap();
    let file = file.to_str().unwrap();
    let [status, render] = [&["status", file][..], &["render", "--emit", "status", file]]
        .map(|args| crate::support::promgen(&[args, &["--profile", "aso"]].concat()));
    assert!(
        status.stdout.contains("WaitingForOwner") && status.stderr.is_empty(),
        "{}",
        status.stderr
    );
    let (_, told) = status.stdout.split_once("status:\n").unwrap();
    assert!(
        render.stdout.ends_with(told) && render.stdout.contains("spec:\n"),
        "{}",
        render.stdout
    );
    assert!(render.stderr.is_empty(), "{}", render.stderr);
    assert!(
        crate::support::promgen(&["status", file])
            .stderr
            .contains("no status: no Prometheus")
    );
}
