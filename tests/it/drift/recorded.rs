//! Drift from what the real operator wrote: the recorded outputs as a cluster, as they are and with one thing changed.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use promgen::compare::drift;
use promgen::{Assume, Input, Options};
use promgen_answers::drift::evidence::DriftClass;
use promgen_answers::drift::{Drift, WorkloadDrift};
use promgen_resources::gates::Target;
use promgen_testing::needs;
use promgen_text::version::Version;
use rayon::prelude::*;
use serde::Deserialize as _;
use serde_json::{Value, json};

use crate::conformance;
use crate::conformance::cases::{files, folders, target};

/// The families whose outputs make a cluster.
const FAMILIES: &[&str] = &[
    "config",
    "mixed",
    "statefulset",
    "daemonset",
    "generated",
    "alertmanager-config",
    "alertmanager-generated",
    "alertmanager-statefulset",
    "thanosruler-statefulset",
    "rules",
    "webconfig",
    "selection",
];

/// Every how many cases. With 1, the test takes a minute: 1,359 clusters with 9,794 objects.
const STEP: usize = 3;

/// A case as a cluster.
#[derive(Clone)]
struct Cluster {
    name: String,
    manifests: Vec<Input>,
    objects: Vec<Value>,
}

fn documents(text: &str) -> Vec<Value> {
    let documents = serde_yaml::Deserializer::from_str(text);
    documents
        .filter_map(|document| Value::deserialize(document).ok())
        .filter(Value::is_object)
        .collect()
}

pub(super) fn packed(text: &str) -> String {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes()).unwrap();
    BASE64_STANDARD.encode(encoder.finish().unwrap())
}

fn unpacked(text: &str) -> String {
    let mut out = String::new();
    GzDecoder::new(BASE64_STANDARD.decode(text).unwrap().as_slice())
        .read_to_string(&mut out)
        .unwrap();
    out
}

const KINDS: [(&str, &str, &str); 5] = [
    ("secret-", "Secret", "v1"),
    ("configmap-", "ConfigMap", "v1"),
    ("service-", "Service", "v1"),
    ("statefulset", "StatefulSet", "apps/v1"),
    ("daemonset", "DaemonSet", "apps/v1"),
];

/// An object of the operator as the API server has it.
fn object(path: &Path, folder: &Path, namespace: &str) -> Option<Value> {
    let file = path.file_name()?.to_str()?;
    let (_, kind, api_version) = KINDS.iter().find(|(prefix, ..)| file.starts_with(prefix))?;
    let mut object = documents(&fs::read_to_string(path).unwrap())
        .into_iter()
        .next()?;
    object["kind"] = json!(kind);
    object["apiVersion"] = json!(api_version);
    object["metadata"]["namespace"] = json!(namespace);
    if *kind == "Secret" {
        let texts = object["stringData"].take();
        object.as_object_mut().unwrap().remove("stringData");
        let encoded = |(key, value): (&String, &Value)| {
            Some((key.clone(), json!(BASE64_STANDARD.encode(value.as_str()?))))
        };
        let mut data: serde_json::Map<String, Value> = texts
            .as_object()
            .into_iter()
            .flatten()
            .filter_map(encoded)
            .collect();
        data.extend(object["data"].as_object().cloned().into_iter().flatten());
        for stem in ["prometheus", "alertmanager"] {
            let config = folder.join(format!("{stem}.yaml"));
            let name = object["metadata"]["name"].as_str().unwrap_or_default();
            let folder_name = folder.file_name().unwrap().to_str().unwrap();
            let is_config = match stem {
                "prometheus" => [
                    format!("prometheus-{folder_name}"),
                    format!("prom-agent-{folder_name}"),
                ]
                .contains(&name.to_owned()),
                _ => name == format!("alertmanager-{folder_name}-generated"),
            };
            if is_config && config.is_file() {
                data.insert(
                    format!("{stem}.yaml.gz"),
                    json!(packed(&fs::read_to_string(config).unwrap())),
                );
            }
        }
        object["data"] = data.into();
    }
    Some(object)
}

/// The resources as the API server has them: observed by the operator.
fn observed(mut document: Value) -> Value {
    let is_workload = [
        "Prometheus",
        "PrometheusAgent",
        "Alertmanager",
        "ThanosRuler",
    ]
    .contains(&document["kind"].as_str().unwrap_or_default());
    if is_workload {
        document["metadata"]["generation"] = json!(3);
        let condition = json!({"type": "Reconciled", "status": "True", "reason": "", "message": "", "observedGeneration": 3});
        document["status"] = json!({"conditions": [condition]});
    }
    document
}

fn is_generated(object: &Value) -> bool {
    object["metadata"]["name"]
        .as_str()
        .is_some_and(|name| name.ends_with("-generated"))
}

/// The other keys of the Secret of an Alertmanager's configuration, which the operator copies and the recordings leave out.
/// It reads no such Secret where an AlertmanagerConfig is the root.
fn beside_config(objects: &[Value]) -> serde_json::Map<String, Value> {
    let mut found = serde_json::Map::new();
    let reads_secret = |object: &&Value| {
        object["kind"] == "Alertmanager" && object["spec"]["alertmanagerConfiguration"].is_null()
    };
    for alertmanager in objects.iter().filter(reads_secret) {
        let name = format!(
            "alertmanager-{}",
            alertmanager["metadata"]["name"].as_str().unwrap()
        );
        let secret = alertmanager["spec"]["configSecret"]
            .as_str()
            .unwrap_or(&name);
        for object in objects
            .iter()
            .filter(|o| o["kind"] == "Secret" && o["metadata"]["name"] == secret)
        {
            let texts = object["stringData"].as_object().into_iter().flatten();
            found.extend(texts.map(|(key, text)| {
                (
                    key.clone(),
                    json!(BASE64_STANDARD.encode(text.as_str().unwrap())),
                )
            }));
            found.extend(object["data"].as_object().cloned().into_iter().flatten());
        }
    }
    found.retain(|key, _| !key.starts_with("alertmanager.yaml"));
    found
}

impl Cluster {
    /// A case without an error: where the operator stops, older objects stay.
    fn read(name: String, folder: &Path) -> Option<Self> {
        let inputs = [folder.join("input"), folder.join("input.yaml")]
            .into_iter()
            .find(|path| path.exists())?;
        let inputs: Vec<PathBuf> = if inputs.is_dir() {
            files(&inputs).into_values().collect()
        } else {
            vec![inputs]
        };
        let manifests: Vec<Input> = inputs
            .iter()
            .map(|path| Input::new(path.to_string_lossy(), fs::read(path).unwrap()))
            .collect();
        let mut objects: Vec<Value> = Vec::new();
        for input in &inputs {
            objects.extend(
                documents(&fs::read_to_string(input).unwrap())
                    .into_iter()
                    .map(observed),
            );
        }
        // A List, or an observed StatefulSet of another state, is not what the cluster ends up with.
        let strange = |object: &Value| {
            ["List", "StatefulSet", "DaemonSet"]
                .contains(&object["kind"].as_str().unwrap_or_default())
        };
        if objects.iter().any(strange) {
            return None;
        }
        let expected = files(&folder.join("expected"));
        let beside = beside_config(&objects);
        if expected.keys().any(|path| path.ends_with("error.txt")) {
            return None;
        }
        for path in expected.values() {
            let folder = path.parent()?;
            let namespace = folder.parent()?.file_name()?.to_str()?;
            let mut object = object(path, folder, namespace);
            if let Some(object) = object.as_mut().filter(|object| is_generated(object)) {
                object["data"].as_object_mut()?.extend(beside.clone());
            }
            objects.extend(object);
        }
        Some(Self {
            name,
            manifests,
            objects,
        })
    }

    fn drift(&self) -> Drift {
        let dump = json!({"apiVersion": "v1", "kind": "List", "items": self.objects});
        // Without the files of later releases, the recordings are those of v0.93.0.
        let target = Target {
            operator: Some(Version::new(0, 93, 0)),
            ..target(None)
        };
        let options = Options {
            target,
            assume: Assume::Missing,
            ..Options::default()
        };
        drift(
            &self.manifests,
            &options,
            &[Input::new("cluster.json", dump.to_string())],
        )
        .drift
    }

    fn find(&self, kind: &str, is_it: impl Fn(&Value) -> bool) -> Option<usize> {
        self.objects
            .iter()
            .position(|object| object["kind"] == kind && is_it(object))
    }
}

fn clusters(families: &[&str], step: usize) -> Vec<Cluster> {
    let root = conformance::root();
    let cases = families.iter().flat_map(|family| {
        let folder = root.join(family);
        folders(&folder)
            .into_iter()
            .map(move |case| (format!("{family}/{case}"), folder.join(case)))
    });
    let gaps = conformance::gaps();
    let cases: Vec<_> = cases
        .filter(|(name, _)| !gaps.contains(name))
        .step_by(step)
        .collect();
    cases
        .into_par_iter()
        .filter_map(|(name, folder)| Cluster::read(name, &folder))
        .collect()
}

#[needs(recordings)]
#[test]
fn what_the_operator_wrote_is_no_drift() {
    let clusters = clusters(FAMILIES, STEP);
    let results: Vec<(&str, Drift)> = clusters
        .par_iter()
        .map(|cluster| (cluster.name.as_str(), cluster.drift()))
        .collect();
    let faults: BTreeMap<&str, String> = results
        .iter()
        .filter(|(_, drift)| !drift.is_empty())
        .map(|(name, drift)| {
            (
                *name,
                serde_json::to_string(drift)
                    .unwrap()
                    .chars()
                    .take(1_500)
                    .collect(),
            )
        })
        .collect();
    let n_objects: usize = results
        .iter()
        .map(|(_, drift)| drift.compared.objects)
        .sum();
    println!(
        "{} clusters, {n_objects} objects, {} with drift",
        results.len(),
        faults.len()
    );
    assert!(faults.is_empty(), "{faults:#?}");
    assert!(
        results.len() > 400 && n_objects > 3_000,
        "{} {n_objects}",
        results.len()
    );
}

/// What `kubectl get -o yaml` printed of real clusters, with the defaults that the API server adds.
#[needs(recordings)]
#[test]
fn what_a_real_api_server_stores_is_no_drift() {
    let root = conformance::root();
    for case in folders(&root.join("cluster")) {
        let read = |part: &str| -> Vec<Input> {
            let files = files(&root.join("cluster").join(&case).join(part));
            files
                .values()
                .map(|path| Input::new(path.to_string_lossy(), fs::read(path).unwrap()))
                .collect()
        };
        let drift = drift(&read("input"), &Options::default(), &read("observed")).drift;
        assert!(
            drift.objects.is_empty() && drift.left_over.is_empty(),
            "{case}: {drift:?}"
        );
        assert!(
            drift.compared.workloads > 0 && drift.compared.objects >= 6,
            "{case}"
        );
        // The recorded clusters lack this one.
        let names: Vec<&str> = drift
            .resources
            .items
            .iter()
            .map(|drift| drift.resource.as_str())
            .collect();
        assert!(
            names.is_empty() || names == ["Prometheus/mon/eps"],
            "{case}: {names:?}"
        );
    }
}

/// A change of a cluster, and what has to be found of it.
struct Mutation {
    name: &'static str,
    /// Changes the cluster. None if the case does not have the thing.
    change: fn(&mut Cluster) -> Option<()>,
    class: DriftClass,
    evidence: &'static str,
    /// A test that this is all that is found.
    is_found: fn(&WorkloadDrift) -> bool,
}

fn set(cluster: &mut Cluster) -> Option<&mut Value> {
    let is_of_server = |object: &Value| object["metadata"]["ownerReferences"].is_array();
    let at = cluster.find("StatefulSet", is_of_server)?;
    Some(&mut cluster.objects[at])
}

fn managed(object: &mut Value, manager: &str, fields: &Value) {
    object["metadata"]["managedFields"] = json!([
        {"manager": "PrometheusOperator", "operation": "Update", "time": "2026-08-01T00:00:00Z", "fieldsV1": {"f:metadata": {"f:labels": {}}}},
        {"manager": manager, "operation": "Update", "time": "2026-08-02T00:00:00Z", "fieldsV1": fields},
    ]);
}

fn by_edit(cluster: &mut Cluster) -> Option<()> {
    let set = set(cluster)?;
    set["spec"]["replicas"] = json!(7);
    managed(set, "kubectl-edit", &json!({"f:spec": {"f:replicas": {}}}));
    Some(())
}

fn annotated(cluster: &mut Cluster) -> Option<()> {
    let set = set(cluster)?;
    set["spec"]["template"]["metadata"]["annotations"]["example.com/owner"] = json!("2026-08-02");
    let fields =
        json!({"f:template": {"f:metadata": {"f:annotations": {"f:example.com/owner": {}}}}});
    managed(set, "kubectl-edit", &json!({"f:spec": fields}));
    Some(())
}

/// Without managed fields.
fn by_somebody(cluster: &mut Cluster) -> Option<()> {
    let policy = &mut set(cluster)?["spec"]["template"]["spec"]["dnsPolicy"];
    let is_other = *policy != "None";
    *policy = json!("None");
    is_other.then_some(())
}

fn older(cluster: &mut Cluster) -> Option<()> {
    let containers = &mut set(cluster)?["spec"]["template"]["spec"];
    for list in ["containers", "initContainers"] {
        for container in containers[list].as_array_mut()? {
            let image = container["image"].as_str()?.to_owned();
            if image.contains("config-reloader") {
                container["image"] = json!(image.replace(":v0.93.0", ":v0.92.0"));
                container["args"].as_array_mut()?.pop();
            }
        }
    }
    Some(())
}

fn flags(cluster: &mut Cluster) -> Option<()> {
    let containers = set(cluster)?["spec"]["template"]["spec"]["containers"].as_array_mut()?;
    let reloader = containers
        .iter_mut()
        .find(|container| container["name"] == "config-reloader")?;
    reloader["resources"]["limits"]["memory"] = json!("99Mi");
    Some(())
}

fn config(cluster: &mut Cluster, change: impl FnOnce(&str) -> Option<String>) -> Option<()> {
    let at = cluster.find("Secret", |object| {
        object["data"]["prometheus.yaml.gz"].is_string()
    })?;
    let data = &mut cluster.objects[at]["data"]["prometheus.yaml.gz"];
    let text = unpacked(data.as_str()?);
    *data = json!(packed(&change(&text).filter(|changed| *changed != text)?));
    Some(())
}

/// Without the last job. It is the end of the text in these cases.
fn without_job(text: &str) -> Option<String> {
    let start = text.rfind("\n- job_name: ")? + 1;
    let end = text[start + 2..].find("\n").map(|at| start + 2 + at)?;
    let rest = text[end..].split_inclusive('\n').skip(1);
    let n: usize = rest
        .take_while(|line| line.starts_with("  "))
        .map(str::len)
        .sum();
    Some(format!("{}{}", &text[..start], &text[end + 1 + n..]))
}

fn dropped_job(cluster: &mut Cluster) -> Option<()> {
    config(cluster, without_job)
}

fn changed_setting(cluster: &mut Cluster) -> Option<()> {
    config(cluster, |text| {
        Some(text.replacen("evaluation_interval: 30s", "evaluation_interval: 11s", 1))
    })
}

fn behind(cluster: &mut Cluster) -> Option<()> {
    dropped_job(cluster)?;
    let at = cluster
        .find("Prometheus", |_| true)
        .or_else(|| cluster.find("PrometheusAgent", |_| true))?;
    cluster.objects[at]["metadata"]["generation"] = json!(4);
    Some(())
}

fn dropped_rule(cluster: &mut Cluster) -> Option<()> {
    let at = cluster.find("ConfigMap", |object| {
        object["metadata"]["name"]
            .as_str()
            .is_some_and(|name| name.contains("-rulefiles-"))
            && object["data"]
                .as_object()
                .is_some_and(|data| !data.is_empty())
    })?;
    let data = cluster.objects[at]["data"].as_object_mut()?;
    let file = data.keys().next()?.clone();
    data.remove(&file);
    Some(())
}

fn deleted(cluster: &mut Cluster) -> Option<()> {
    let at = cluster.find("Service", |object| {
        object["metadata"]["ownerReferences"].is_array()
    })?;
    // The kind stays.
    let mut other = cluster.objects[at].clone();
    other["metadata"] =
        json!({"name": "other", "namespace": cluster.objects[at]["metadata"]["namespace"]});
    cluster.objects[at] = other;
    Some(())
}

fn broken(cluster: &mut Cluster) -> Option<()> {
    let at = cluster.find("Secret", |object| {
        object["data"]["prometheus.yaml.gz"].is_string()
    })?;
    cluster.objects[at]["data"]["prometheus.yaml.gz"] = json!("H4sIAAAA");
    Some(())
}

const SAYS_OPERATOR: &str = "the operator v0.93.0 has observed the resource of the cluster";

const MUTATIONS: &[Mutation] = &[
    Mutation {
        name: "edited",
        change: by_edit,
        class: DriftClass::ByHand,
        evidence: "managedFields: kubectl-edit at 2026-08-02T00:00:00Z wrote it",
        is_found: |found| is_field(found, "spec.replicas"),
    },
    Mutation {
        name: "annotated",
        change: annotated,
        class: DriftClass::ByHand,
        evidence: "managedFields: kubectl-edit",
        is_found: |found| {
            is_field(
                found,
                "spec.template.metadata.annotations[\"example.com/owner\"]",
            )
        },
    },
    Mutation {
        name: "somebody",
        change: by_somebody,
        class: DriftClass::ByHand,
        evidence: SAYS_OPERATOR,
        is_found: |found| is_field(found, "spec.template.spec.dnsPolicy"),
    },
    Mutation {
        name: "older",
        change: older,
        class: DriftClass::OtherOperator,
        evidence: "an older operator: StatefulSet ",
        is_found: |found| !found.changes.restarts.is_empty() && found.changes.jobs.is_empty(),
    },
    Mutation {
        name: "flags",
        change: flags,
        class: DriftClass::OtherOperator,
        evidence: "flags of the operator set it",
        is_found: |found| {
            is_field(
                found,
                "spec.template.spec.containers[config-reloader].resources.limits.memory",
            )
        },
    },
    Mutation {
        name: "job",
        change: dropped_job,
        class: DriftClass::ByHand,
        evidence: SAYS_OPERATOR,
        is_found: |found| {
            found.changes.jobs.added.total == 1
                && found.changes.jobs.n_changed == 0
                && is_config(found)
        },
    },
    Mutation {
        name: "setting",
        change: changed_setting,
        class: DriftClass::ByHand,
        evidence: SAYS_OPERATOR,
        is_found: |found| {
            let fields = &found.changes.settings;
            fields.total == 1
                && fields.items[0].path == "global.evaluation_interval"
                && is_config(found)
        },
    },
    Mutation {
        name: "behind",
        change: behind,
        class: DriftClass::NotReconciled,
        evidence: "the resource has generation 4, and the operator has observed 3",
        is_found: |found| found.changes.jobs.added.total == 1 && is_config(found),
    },
    Mutation {
        name: "rule",
        change: dropped_rule,
        class: DriftClass::ByHand,
        evidence: SAYS_OPERATOR,
        is_found: |found| !found.changes.rules.is_empty() && found.changes.objects.is_empty(),
    },
    Mutation {
        name: "deleted",
        change: deleted,
        class: DriftClass::ByHand,
        evidence: SAYS_OPERATOR,
        is_found: |found| {
            found.changes.objects.total == 1 && found.changes.objects.items[0].kind == "Service"
        },
    },
    Mutation {
        name: "broken",
        change: broken,
        class: DriftClass::ByHand,
        evidence: SAYS_OPERATOR,
        is_found: |found| {
            let objects = &found.changes.objects;
            objects.total == 1
                && objects.items[0].fields.items[0].from.as_deref() == Some("broken gzip")
        },
    },
];

fn is_field(found: &WorkloadDrift, path: &str) -> bool {
    let objects = &found.changes.objects;
    objects.total == 1
        && objects.items[0].fields.total == 1
        && objects.items[0].fields.items[0].path == path
        && found.changes.jobs.is_empty()
        && found.changes.settings.is_empty()
}

fn is_config(found: &WorkloadDrift) -> bool {
    found.changes.objects.is_empty() && found.changes.rules.is_empty()
}

#[needs(recordings)]
#[test]
fn one_thing_that_is_changed_is_all_that_is_named() {
    let clusters = clusters(
        &["config", "mixed", "statefulset", "generated", "rules"],
        12,
    );
    for mutation in MUTATIONS {
        let faults: Vec<Option<String>> = clusters
            .par_iter()
            .filter_map(|cluster| {
                let mut cluster = cluster.clone();
                (mutation.change)(&mut cluster)?;
                let drift = cluster.drift();
                let is_right = drift.objects.len() == 1
                    && drift.resources.is_empty()
                    && drift.objects[0].evidence.class == mutation.class
                    && drift.objects[0]
                        .evidence
                        .evidence
                        .starts_with(mutation.evidence)
                    && (mutation.is_found)(&drift.objects[0]);
                let fault = || {
                    format!(
                        "{}: {}",
                        cluster.name,
                        serde_json::to_string(&drift).unwrap()
                    )
                };
                Some((!is_right).then(fault))
            })
            .collect();
        let n = faults.len();
        let faults: Vec<String> = faults.into_iter().flatten().collect();
        println!("{}: {n} clusters, {} faults", mutation.name, faults.len());
        assert!(
            faults.is_empty(),
            "{}: {:#?}",
            mutation.name,
            &faults[..faults.len().min(3)]
        );
        assert!(n >= 3, "{}: {n}", mutation.name);
    }
}

#[needs(recordings)]
#[test]
fn manifests_that_differ_are_not_applied() {
    for mut cluster in clusters(&["mixed"], 30) {
        let Some(at) = cluster.find("Prometheus", |_| true) else {
            continue;
        };
        let live = cluster.objects[at].clone();
        cluster.objects[at]["spec"]["scrapeInterval"] = json!("17s");
        // The manifests stay as they are; the operator has followed the cluster.
        let drift = cluster.drift();
        let of_resources: Vec<_> = drift.resources.items.iter().collect();
        assert_eq!(of_resources.len(), 1, "{}", cluster.name);
        assert_eq!(of_resources[0].evidence.class, DriftClass::NotApplied);
        assert_eq!(of_resources[0].fields.items[0].path, "spec.scrapeInterval");
        // What the operator has is what the manifests give.
        assert!(
            drift
                .objects
                .iter()
                .all(|found| found.evidence.class == DriftClass::NotReconciled),
            "{}",
            cluster.name
        );
        // `kubectl apply` left the manifest's value, and somebody has changed it since.
        let applied = json!({"metadata": {}, "spec": live["spec"]}).to_string();
        cluster.objects[at]["metadata"]["annotations"] =
            json!({"kubectl.kubernetes.io/last-applied-configuration": applied});
        let drift = cluster.drift();
        assert_eq!(
            drift.resources.items[0].evidence.class,
            DriftClass::ByHand,
            "{}",
            cluster.name
        );
    }
}
