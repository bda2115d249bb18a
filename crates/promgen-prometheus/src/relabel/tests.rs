//! The operator's verdicts: those recorded with its own test inputs, and the order of its checks.

use crate::relabel::*;
use promgen_resources::gates::Target;

fn versions(text: &str) -> Versions {
    let prometheus = Version::parse(text).expect("a version");
    Versions {
        prometheus,
        ..Versions::of_target(&Target::default())
    }
}

fn rule(action: &str) -> RelabelInput<'_> {
    RelabelInput {
        action,
        ..RelabelInput::default()
    }
}

#[track_caller]
fn refused(rule: RelabelInput<'_>, on: &str, expected: &str) {
    assert_eq!(validate(&rule, &versions(on)), Err(expected.to_owned()));
}

#[track_caller]
fn accepted(rule: RelabelInput<'_>, on: &str) {
    assert_eq!(validate(&rule, &versions(on)), Ok(()));
}

#[test]
fn actions_have_a_first_version() {
    let target = Some("a");
    refused(
        RelabelInput {
            target_label: target,
            ..rule("Lowercase")
        },
        "2.35.9",
        "Lowercase relabel action is only supported from Prometheus version 2.36.0",
    );
    refused(
        rule("DropEqual"),
        "2.40.0",
        "DropEqual relabel action is only supported from Prometheus version 2.41.0",
    );
    accepted(
        RelabelInput {
            target_label: target,
            ..rule("lowercase")
        },
        "2.36.0",
    );
}

#[test]
fn the_default_action_is_shown_in_lower_case() {
    refused(
        rule(""),
        "3.0.0",
        "relabel configuration for replace action needs targetLabel value",
    );
    refused(
        rule("Replace"),
        "3.0.0",
        "relabel configuration for Replace action needs targetLabel value",
    );
}

#[test]
fn names_are_those_of_the_version() {
    let to = |target_label| RelabelInput {
        target_label: Some(target_label),
        ..rule("replace")
    };
    accepted(to("é b"), "3.0.0");
    accepted(to("${1}"), "3.0.0");
    refused(
        to("é b"),
        "2.55.1",
        "\"é b\" is invalid 'target_label' for replace action",
    );
    refused(
        to("${1}"),
        "2.55.1",
        "\"${1}\" is invalid 'target_label' for replace action",
    );
    refused(
        to("é"),
        "3.0.0-rc.1",
        "\"é\" is invalid 'target_label' for replace action",
    );
    let map = |replacement| RelabelInput {
        replacement: Some(replacement),
        ..rule("labelmap")
    };
    accepted(map("k8s_${1}"), "2.45.0");
    refused(
        map("k8s-$1"),
        "2.45.0",
        "\"k8s-$1\" is invalid 'replacement' for labelmap action",
    );
    refused(
        map(""),
        "3.0.0",
        "\"\" is invalid 'replacement' for labelmap action",
    );
}

#[test]
fn unused_fields_must_have_their_defaults() {
    let equal = RelabelInput {
        target_label: Some("a"),
        ..rule("KeepEqual")
    };
    let text =
        "KeepEqual action requires only 'source_labels' and `target_label`, and no other fields";
    accepted(
        RelabelInput {
            regex: Some(""),
            separator: Some(";"),
            replacement: Some("$1"),
            ..equal
        },
        "3.0.0",
    );
    refused(
        RelabelInput {
            regex: Some("a"),
            ..equal
        },
        "3.0.0",
        text,
    );
    refused(
        RelabelInput {
            separator: Some(""),
            ..equal
        },
        "3.0.0",
        text,
    );
    refused(
        RelabelInput {
            modulus: Some(3),
            ..equal
        },
        "3.0.0",
        text,
    );
    let sources = ["a".to_owned()];
    let text = "labeldrop action requires only 'regex', and no other fields";
    accepted(
        RelabelInput {
            regex: Some("a"),
            ..rule("labeldrop")
        },
        "3.0.0",
    );
    refused(
        RelabelInput {
            source_labels: &sources,
            ..rule("labeldrop")
        },
        "3.0.0",
        text,
    );
    refused(
        RelabelInput {
            replacement: Some(""),
            ..rule("labeldrop")
        },
        "3.0.0",
        text,
    );
}

#[test]
fn the_number_of_the_rule_stands_in_front() {
    let good = RelabelInput {
        target_label: Some("a"),
        ..rule("replace")
    };
    let bad = RelabelInput {
        regex: Some("("),
        ..good
    };
    let text = "[1]: invalid regex ( for relabel configuration: error parsing regexp: missing closing ): `^(?s:()$`";
    assert_eq!(
        validate_all([good, bad, bad], &versions("3.0.0")),
        Err((1, text.to_owned()))
    );
}

/// Every rule of every recorded ServiceMonitor and PodMonitor, and what the operator said of it.
mod recorded {
    use std::path::{Path, PathBuf};

    use serde::Deserialize;
    use serde_yaml::Value;

    use super::*;

    /// Kind, its name in selection.json, its list of endpoints, and the operator's word for one of them.
    const KINDS: [(&str, &str, &str, &str); 2] = [
        (
            "ServiceMonitor",
            "serviceMonitors",
            "endpoints",
            "endpoints",
        ),
        (
            "PodMonitor",
            "podMonitors",
            "podMetricsEndpoints",
            "endpoint",
        ),
    ];

    fn folders(path: &Path) -> Vec<PathBuf> {
        let entries = path.read_dir().into_iter().flatten();
        let mut folders: Vec<_> = entries
            .filter_map(Result::ok)
            .map(|entry| entry.path())
            .collect();
        folders.sort_unstable();
        folders
    }

    fn read(path: &Path) -> Option<String> {
        #[expect(clippy::disallowed_methods, reason = "a test reads recorded data")]
        std::fs::read_to_string(path).ok()
    }

    fn text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
        value.get(key).and_then(Value::as_str)
    }

    fn validated(endpoint: &Value, key: &str, on: &Versions) -> Result<(), String> {
        let rules = endpoint
            .get(key)
            .and_then(Value::as_sequence)
            .into_iter()
            .flatten();
        let sources: Vec<Vec<String>> = rules
            .clone()
            .map(|rule| {
                rule.get("sourceLabels").map_or(Vec::new(), |list| {
                    serde_yaml::from_value(list.clone()).unwrap()
                })
            })
            .collect();
        let rules = rules
            .zip(&sources)
            .map(|(rule, source_labels)| RelabelInput {
                action: text(rule, "action").unwrap_or("replace"),
                source_labels,
                separator: text(rule, "separator"),
                regex: text(rule, "regex"),
                modulus: rule.get("modulus").and_then(Value::as_i64),
                target_label: text(rule, "targetLabel"),
                replacement: text(rule, "replacement"),
            });
        validate_all(rules, on).map_err(|(_, message)| message)
    }

    /// The operator's message about the first endpoint with a rule that it refuses.
    fn message(monitor: &Value, list: &str, word: &str, on: &Versions) -> Option<String> {
        let endpoints = monitor["spec"]
            .get(list)
            .and_then(Value::as_sequence)
            .into_iter()
            .flatten();
        endpoints.enumerate().find_map(|(i, endpoint)| {
            [
                ("relabelings", "relabelConfigs"),
                ("metricRelabelings", "metricRelabelConfigs"),
            ]
            .into_iter()
            .find_map(|(key, shown)| {
                Some(format!(
                    "{word}[{i}]: {shown}: {}",
                    validated(endpoint, key, on).err()?
                ))
            })
        })
    }

    /// Compares one workload of a case; how many messages were about relabeling.
    fn compare(documents: &[Value], workload: &Path) -> usize {
        let Some(selection) = read(&workload.join("selection.json")) else {
            return 0;
        };
        let selection: serde_json::Value = serde_json::from_str(&selection).expect("JSON");
        let name = workload.file_name().and_then(|name| name.to_str());
        let prometheus = documents.iter().find(|d| {
            text(d, "kind").is_some_and(|k| k.starts_with("Prometheus"))
                && text(&d["metadata"], "name") == name
        });
        let on = prometheus
            .and_then(|p| text(p.get("spec")?, "version"))
            .unwrap_or("v3.13.2");
        let mut n_messages = 0;
        for (kind, key, list, word) in KINDS {
            for monitor in documents.iter().filter(|d| text(d, "kind") == Some(kind)) {
                let (namespace, name) = (
                    text(&monitor["metadata"], "namespace"),
                    text(&monitor["metadata"], "name"),
                );
                let id = format!(
                    "{}/{}",
                    namespace.unwrap_or("default"),
                    name.unwrap_or_default()
                );
                let Some(verdict) = selection[key].get(&id) else {
                    continue;
                };
                let said = verdict["conditions"][0]["message"]
                    .as_str()
                    .filter(|m| m.contains("elabelConfigs: ["));
                let ours = message(monitor, list, word, &versions(on));
                n_messages += usize::from(said.is_some());
                // A monitor may be refused for another reason before its rules are looked at.
                if verdict["accepted"] == true || said.is_some() {
                    assert_eq!(ours.as_deref(), said, "{id} in {}", workload.display());
                }
            }
        }
        n_messages
    }

    #[promgen_testing::needs(recordings)]
    #[test]
    fn messages_are_those_of_the_operator() {
        let (root, mut n_messages) = (promgen_testing::recorded("conformance"), 0);
        for case in ["selection", "mixed"]
            .into_iter()
            .flat_map(|family| folders(&root.join(family)))
        {
            let Some(input) =
                read(&case.join("input.yaml")).filter(|input| input.contains("elabelings:"))
            else {
                continue;
            };
            let documents: Vec<Value> = serde_yaml::Deserializer::from_str(&input)
                .map(|d| Value::deserialize(d).expect("YAML"))
                .collect();
            for kind in ["prometheus", "prometheusagent"] {
                for namespace in folders(&case.join("expected").join(kind)) {
                    n_messages += folders(&namespace)
                        .iter()
                        .map(|w| compare(&documents, w))
                        .sum::<usize>();
                }
            }
        }
        assert!(
            n_messages > 30,
            "only {n_messages} messages are about relabeling"
        );
    }
}
