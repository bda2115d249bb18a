//! The corpus of the recordings: inputs from what stands in this repository, the same at every run.
//!
//! | family | what |
//! |---|---|
//! | `fixtures` | the fixtures that hold workloads and nothing but manifests |
//! | `causes` | `oracle/inputs`: by hand, one subject each |
//! | `zero`, `set` | each optional field of each kind once, with the zero value of its type, and with another one |
//! | `gates` | the same resources for the versions on both sides of every gate |
//! | `random` | resources that are drawn from the tables of the types |
//! | `switched` | some of the others with the operator's feature gates off, and an older cluster |

mod draw;
mod fields;
mod written;

use std::path::{Path, PathBuf};

use promgen_resources::api::Kind;
use promgen_resources::gates::{Axis, GATES};
use promgen_text::version::Version;
use serde_json::{Value, json};

use crate::Outcome;
use crate::files;
use crate::record;
use draw::Draw;
pub(crate) use draw::Random;
pub(crate) use written::add_cause;

/// How many resources, and how many workloads, stand in one case: a start of the operator is what costs time.
const TOGETHER: (usize, usize) = (12, 8);
/// How many random cases there are of each subject.
const SEEDS: usize = 24;

/// One input.
struct Case {
    name: String,
    documents: Vec<Value>,
    /// What differs from the conditions of the other cases.
    conditions: Option<Value>,
}

/// Writes the corpus into a folder, and packs it beside the recordings if they are to be made anew.
pub(crate) fn command(folder: &str, is_packed: bool) -> Outcome {
    let folder = Path::new(folder);
    files::clear(folder)?;
    let n_fixtures = written::fixtures(folder)?;
    let n_causes = written::causes(folder)?;
    let cases = generated()?;
    for case in &cases {
        write(folder, case)?;
    }
    println!(
        "{n_fixtures} fixtures, {n_causes} causes, {} generated cases in {}",
        cases.len(),
        folder.display()
    );
    if is_packed {
        record::pack(folder, &record::corpus())
    } else {
        Ok(())
    }
}

/// Documents as one text.
pub(crate) fn manifests(documents: &[Value]) -> Result<String, String> {
    let mut text = String::new();
    for document in documents {
        let document = serde_yaml::to_string(document).map_err(|why| why.to_string())?;
        text.push_str("---\n");
        text.push_str(document.trim_start_matches("---\n"));
    }
    Ok(text)
}

fn write(folder: &Path, case: &Case) -> Outcome {
    let folder = folder.join(&case.name);
    let text = manifests(&case.documents).map_err(|why| format!("{}: {why}", case.name))?;
    if let Some(conditions) = &case.conditions {
        files::write(&folder.join("case.json"), &format!("{conditions:#}\n"))?;
    }
    files::write(&folder.join("input.yaml"), &text)
}

/// All generated cases.
fn generated() -> Result<Vec<Case>, String> {
    let mut cases = Vec::new();
    for is_zero in [true, false] {
        for kind in Kind::SELECTED.iter().copied() {
            cases.extend(fields::of_selected(kind, is_zero));
        }
        // Most fields of an agent are those of a Prometheus: what an agent makes of them is in the other families.
        for kind in Kind::WORKLOADS
            .iter()
            .copied()
            .filter(|kind| *kind != Kind::PrometheusAgent)
        {
            cases.extend(fields::of_workload(kind, is_zero));
        }
    }
    for axis in [Axis::Prometheus, Axis::Alertmanager, Axis::Thanos] {
        cases.extend(gates(axis));
    }
    for kind in Kind::WORKLOADS.iter().copied() {
        cases.extend((0..SEEDS).map(|seed| random(kind, seed)));
    }
    cases.extend(switched(&cases));
    let common = common()?;
    for case in &mut cases {
        case.documents.extend(common.iter().cloned());
    }
    Ok(cases)
}

/// What every generated case has: namespaces with labels, a Secret and a ConfigMap that resources refer to.
fn common() -> Result<Vec<Value>, String> {
    let certificate = files::read(&inputs().join("ca.pem"))?;
    let mut documents = Vec::new();
    for (namespace, team) in [("mon", "x"), ("shop", "z")] {
        documents.push(json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": namespace, "labels": { "team": team } } }));
        for (kind, values) in [("Secret", "stringData"), ("ConfigMap", "data")] {
            documents.push(json!({
                "apiVersion": "v1", "kind": kind, "metadata": { "name": "creds", "namespace": namespace },
                values: { "a": "value-a", "b": "https://example.com/b", "pem": certificate },
            }));
        }
    }
    Ok(documents)
}

/// What is written by hand for the corpus.
pub(crate) fn inputs() -> PathBuf {
    files::root().join("oracle/inputs")
}

/// A document of a kind.
fn document(kind: Kind, version: Option<&str>, namespace: &str, name: &str, spec: &Value) -> Value {
    let labels = json!({ "team": if name.len().is_multiple_of(2) { "x" } else { "z" } });
    json!({
        "apiVersion": version.map_or_else(|| kind.api_version().to_owned(), str::to_owned), "kind": kind.as_str(),
        "metadata": { "name": name, "namespace": namespace, "labels": labels }, "spec": spec,
    })
}

/// What a resource of a kind needs, so that the operator has a use for it.
fn base(kind: Kind) -> Value {
    let mut selectors = json!({});
    for selected in [
        "serviceMonitor",
        "podMonitor",
        "probe",
        "scrapeConfig",
        "rule",
    ] {
        selectors[format!("{selected}Selector")] = json!({});
        selectors[format!("{selected}NamespaceSelector")] = json!({});
    }
    match kind {
        Kind::Prometheus => selectors,
        Kind::PrometheusAgent => {
            if let Some(map) = selectors.as_object_mut() {
                map.retain(|key, _| !key.starts_with("rule"));
            }
            selectors
        }
        Kind::Alertmanager => {
            json!({ "alertmanagerConfigSelector": {}, "alertmanagerConfigNamespaceSelector": {} })
        }
        Kind::ThanosRuler => {
            json!({ "queryEndpoints": ["query.mon.svc:10902"], "ruleSelector": {}, "ruleNamespaceSelector": {} })
        }
        Kind::ServiceMonitor => json!({ "selector": {}, "endpoints": [{ "port": "web" }] }),
        Kind::PodMonitor => json!({ "selector": {}, "podMetricsEndpoints": [{ "port": "web" }] }),
        Kind::Probe => {
            json!({ "prober": { "url": "blackbox.example.com:9115" }, "targets": { "staticConfig": { "static": ["a.example.com"] } } })
        }
        Kind::PrometheusRule => {
            json!({ "groups": [{ "name": "g", "rules": [{ "alert": "A", "expr": "up == 0" }] }] })
        }
        Kind::AlertmanagerConfig => {
            json!({ "route": { "receiver": "r" }, "receivers": [{ "name": "r" }] })
        }
        _ => json!({}),
    }
}

/// The product that a workload runs.
fn axis_of(kind: Kind) -> Axis {
    match kind {
        Kind::Alertmanager => Axis::Alertmanager,
        Kind::ThanosRuler => Axis::Thanos,
        _ => Axis::Prometheus,
    }
}

/// Which workloads select a kind.
fn selecting(kind: Kind) -> &'static [Kind] {
    match kind {
        Kind::AlertmanagerConfig => &[Kind::Alertmanager],
        Kind::PrometheusRule => &[Kind::Prometheus, Kind::ThanosRuler],
        _ => &[Kind::Prometheus, Kind::PrometheusAgent],
    }
}

/// Which kinds a workload selects.
fn selected_by(kind: Kind) -> impl Iterator<Item = Kind> {
    Kind::SELECTED
        .iter()
        .copied()
        .filter(move |selected| selecting(*selected).contains(&kind))
}

/// The versions on both sides of every gate of a product: the one before, and the first that has it.
fn sides(axis: Axis) -> Vec<[String; 2]> {
    let of_axis = GATES.iter().filter(|gate| gate.axis == axis);
    let mut versions: Vec<Version> = of_axis
        .flat_map(|gate| [Some(&gate.since), gate.until.as_ref()])
        .flatten()
        .map(Version::release)
        .collect();
    versions.sort_unstable();
    versions.dedup();
    let shown =
        |version: &Version| format!("v{}.{}.{}", version.major, version.minor, version.patch);
    let before = |version: &Version| match (version.major, version.minor, version.patch) {
        (major, minor, patch) if patch > 0 => format!("v{major}.{minor}.{}", patch - 1),
        (major, minor, _) if minor > 0 => format!("v{major}.{}.0", minor - 1),
        _ => "v2.55.1".to_owned(),
    };
    versions
        .iter()
        .map(|version| [before(version), shown(version)])
        .collect()
}

/// Rich resources, and workloads of both versions with the same settings, for each gate of a product.
fn gates(axis: Axis) -> Vec<Case> {
    let mut cases = Vec::new();
    for (number, [before, since]) in sides(axis).into_iter().enumerate() {
        let mut draw = Draw {
            random: Random::new(0x6A7E + number as u64),
            density: 300,
        };
        let kinds: Vec<Kind> = Kind::WORKLOADS
            .iter()
            .copied()
            .filter(|kind| {
                axis_of(*kind) == axis || (axis == Axis::Thanos && *kind == Kind::Prometheus)
            })
            .collect();
        let mut documents = Vec::new();
        for kind in kinds.iter().copied() {
            for copy in 0..2 {
                draw.density = 60;
                let mut spec = drawn(kind, &mut draw);
                for (side, version) in [("before", &before), ("since", &since)] {
                    if axis == Axis::Thanos && kind == Kind::Prometheus {
                        spec["thanos"] = json!({ "version": version, "objectStorageConfig": { "name": "creds", "key": "a" } });
                    } else {
                        spec["version"] = json!(version);
                    }
                    documents.push(document(
                        kind,
                        None,
                        "mon",
                        &format!("{}-{copy}-{side}", kind.as_str().to_lowercase()),
                        &spec,
                    ));
                }
            }
        }
        draw.density = 300;
        for kind in Kind::SELECTED.iter().copied().filter(|kind| {
            selecting(*kind)
                .iter()
                .any(|workload| kinds.contains(workload))
        }) {
            for copy in 0..3 {
                documents.push(document(
                    kind,
                    None,
                    "shop",
                    &format!("r{copy}"),
                    &drawn(kind, &mut draw),
                ));
            }
        }
        cases.push(Case {
            name: format!("gates/{}-{since}", axis.product().to_lowercase()),
            documents,
            conditions: None,
        });
    }
    cases
}

/// A spec that is drawn, over what it needs.
fn drawn(kind: Kind, draw: &mut Draw) -> Value {
    let mut spec = base(kind);
    let drawn = draw.object(fields::spec_of(kind, None), 1);
    for (key, value) in drawn {
        // A version comes from the case; paused workloads have no answer but their status.
        if spec.get(&key).is_none() && !["version", "paused"].contains(&key.as_str()) {
            spec[key] = value;
        } else if let (Some(Value::Array(there)), Value::Array(more)) = (spec.get_mut(&key), value)
        {
            there.extend(more);
        }
    }
    spec
}

/// A random case: workloads of a kind, and what they select.
fn random(kind: Kind, seed: usize) -> Case {
    let mut draw = Draw {
        random: Random::new(0x5EED_0000 + (kind as u64) * 1000 + seed as u64),
        density: 0,
    };
    let versions = sides(axis_of(kind)).concat();
    let mut documents = Vec::new();
    for number in 0..3 {
        draw.density = 20 + 40 * number;
        let mut spec = drawn(kind, &mut draw);
        if draw.random.happens(500) {
            spec["version"] = json!(draw.random.one(&versions));
        }
        documents.push(document(kind, None, "mon", &format!("w{number}"), &spec));
    }
    for selected in selected_by(kind) {
        for number in 0..2 {
            draw.density = 100 + 150 * number;
            let namespace = *draw.random.one(&["mon", "shop"]);
            documents.push(document(
                selected,
                None,
                namespace,
                &format!("r{number}"),
                &drawn(selected, &mut draw),
            ));
        }
    }
    Case {
        name: format!("random/{}-{seed:02}", kind.as_str().to_lowercase()),
        documents,
        conditions: None,
    }
}

/// Some of the cases again, with the operator's feature gates off, or in an older cluster.
fn switched(cases: &[Case]) -> Vec<Case> {
    let off = json!({ "featureGates": {
        "PrometheusAgentDaemonSet": false, "PrometheusTopologySharding": false, "PrometheusShardRetentionPolicy": false,
        "StatusForConfigurationResources": false,
    } });
    let some = |prefix: &'static str| {
        cases
            .iter()
            .filter(move |case| case.name.starts_with(prefix))
            .step_by(4)
    };
    let mut switched = Vec::new();
    for (suffix, conditions) in [
        ("off", &off),
        ("kubernetes-1.34", &json!({ "kubernetes": "1.34" })),
    ] {
        for case in some("random/prometheus-").chain(some("random/prometheusagent-")) {
            let name = case.name.replace("random/", "switched/");
            switched.push(Case {
                name: format!("{name}-{suffix}"),
                documents: case.documents.clone(),
                conditions: Some(conditions.clone()),
            });
        }
    }
    switched
}
