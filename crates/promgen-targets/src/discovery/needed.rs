//! The labels that the objects of targets must have to get past the first rules of a job.
//!
//! In: the relabel rules of a job. Out: which Services or Pods can be behind the targets that it keeps. Most jobs keep what has
//! one label; without this, each job would try all targets of its namespaces.

use std::collections::{BTreeMap, BTreeSet};

use crate::discovery::object::{DiscoveredEndpointSlice, DiscoveredEndpoints, DiscoveredObject};
use crate::discovery::{Discovery, LabelledObject, SERVICE_NAME, TargetLabels};
use promgen_compile::cluster::Key;
use promgen_compile::output::Job;
use promgen_resources::api::{Pod, Service};
use promgen_text::CollectOrdered;
use promgen_text::yaml::Value;

const SERVICE_LABEL: &str = "__meta_kubernetes_service_label_";
const POD_LABEL: &str = "__meta_kubernetes_pod_label_";

/// A label, and the values of which it must have one.
type NeededLabel = (String, BTreeSet<String>);

/// The labels that the Service of a target, or its Pod, must have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct NeededLabels {
    of_service: Vec<NeededLabel>,
    of_pod: Vec<NeededLabel>,
}

impl NeededLabels {
    /// Reads the rules of a job up to the first one that may change what discovery says.
    pub(crate) fn of(job: &Job) -> Self {
        let mut needed = Self::default();
        for rule in job.rules() {
            let text = |key| rule.text_of(key);
            match text("action").unwrap_or("replace") {
                "keep" => needed.add(rule),
                "drop" | "keepequal" | "dropequal" => {}
                "replace" | "lowercase" | "uppercase" | "hashmod" => {
                    let target = text("target_label").unwrap_or_default();
                    if target.contains('$') || target.starts_with("__meta_") {
                        break;
                    }
                }
                _ => break,
            }
        }
        needed
    }

    /// Adds what a rule `keep` needs, if its expression lists texts: `(a|b)`, and `true` for a label that is present.
    fn add(&mut self, rule: &Value) {
        let sources: Vec<&str> = rule
            .items_of("source_labels")
            .iter()
            .filter_map(Value::as_str)
            .collect();
        let text = |key| rule.text_of(key);
        let separator = text("separator").unwrap_or(";");
        let Some(regex) = text("regex").filter(|_| separator == ";") else {
            return;
        };
        let part = match sources.as_slice() {
            [_] => regex,
            [_, present] if present.contains("_labelpresent_") => match regex.strip_suffix(";true")
            {
                Some(part) => part,
                None => return,
            },
            _ => return,
        };
        let part = part
            .strip_prefix('(')
            .and_then(|inner| inner.strip_suffix(')'))
            .unwrap_or(part);
        let is_plain = |text: &str| {
            !text.is_empty()
                && text
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
        };
        if !part.split('|').all(is_plain) {
            return;
        }
        let label = (
            sources[0].to_owned(),
            part.split('|').map(str::to_owned).collect(),
        );
        if sources[0].starts_with(SERVICE_LABEL) {
            self.of_service.push(label);
        } else if sources[0].starts_with(POD_LABEL) {
            self.of_pod.push(label);
        }
    }

    /// The services of a run that have the labels. `None`: any may be behind a target.
    pub(crate) fn services(&self, discovery: &Discovery) -> Option<BTreeSet<Key>> {
        let ((label, values), others) = self.of_service.split_first()?;
        let by_value = discovery
            .services_by_label
            .get_or_init(|| by_label(discovery))
            .get(label.as_str());
        let keys = values
            .iter()
            .filter_map(|value| by_value?.get(value.as_str()))
            .flatten();
        let has_others = |key: &&Key| {
            discovery
                .services
                .get(*key)
                .is_some_and(|known| has_all(&known.labels, others))
        };
        Some(keys.filter(has_others).cloned().collect_set())
    }
}

/// Returns whether labels have one of the needed values each.
fn has_all(labels: &TargetLabels, needed: &[NeededLabel]) -> bool {
    needed.iter().all(|(label, values)| {
        labels
            .get(label.as_str())
            .is_some_and(|value| values.contains(value.as_str()))
    })
}

/// Services by the names and values of their labels.
pub(crate) type ServicesByLabel = BTreeMap<String, BTreeMap<String, Vec<Key>>>;

fn by_label(discovery: &Discovery) -> ServicesByLabel {
    let mut all = ServicesByLabel::new();
    for (key, known) in &discovery.services {
        for (label, value) in known
            .labels
            .iter()
            .filter(|(label, _)| label.as_str().starts_with(SERVICE_LABEL))
        {
            let values = all.entry(label.to_string()).or_default();
            values
                .entry(value.to_string())
                .or_default()
                .push(key.clone());
        }
    }
    all
}

/// Returns whether an object has what the first rules of a job need. `services` are those that have it; `None`: any.
pub(crate) fn may_pass<T: DiscoveredObject>(
    known: &LabelledObject<T>,
    needed: &NeededLabels,
    services: Option<&BTreeSet<Key>>,
) -> bool {
    let object = &known.object;
    let service = match T::WORD {
        Pod::WORD => {
            return needed.of_service.is_empty() && has_all(&known.labels, &needed.of_pod);
        }
        Service::WORD | DiscoveredEndpoints::WORD => Some(&*object.metadata().name),
        DiscoveredEndpointSlice::WORD => object.labels().get(SERVICE_NAME).map(|name| &**name),
        _ => return true,
    };
    has_service(services, object.namespace(), service)
}

fn has_service(services: Option<&BTreeSet<Key>>, namespace: &str, name: Option<&str>) -> bool {
    services.is_none_or(|services| {
        name.is_some_and(|name| services.contains(&Key::new(namespace, name)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_text::diag::Sink;
    use promgen_text::source::FileId;
    use promgen_text::yaml::read::read;

    fn needed(rules: &str) -> NeededLabels {
        let parsed = read(
            FileId::new(0),
            &format!("relabel_configs: {rules}"),
            &mut Sink::default(),
        );
        let Value::Map(job) = parsed[0].root.to_value() else {
            unreachable!("it is a map")
        };
        NeededLabels::of(&Job::new(job, None))
    }

    fn keep(regex: &str) -> String {
        let labels =
            ["label", "labelpresent"].map(|what| format!("__meta_kubernetes_service_{what}_app"));
        format!(
            "{{action: keep, source_labels: [{}], regex: {regex}}}",
            labels.join(", ")
        )
    }

    #[test]
    fn what_is_needed_is_what_the_first_rules_keep() {
        let label = |values: &[&str]| {
            let values = values.iter().map(|value| (*value).to_owned()).collect();
            vec![("__meta_kubernetes_service_label_app".to_owned(), values)]
        };
        let before = "{source_labels: [job], target_label: __tmp_job}";
        assert_eq!(
            needed(&format!("[{before}, {}]", keep("(a|b);true"))).of_service,
            label(&["a", "b"])
        );
        assert_eq!(
            needed(&format!("[{}]", keep("a;true"))).of_service,
            label(&["a"])
        );
        let alone =
            "{action: keep, source_labels: [__meta_kubernetes_service_label_app], regex: a-1}";
        assert_eq!(needed(&format!("[{alone}]")).of_service, label(&["a-1"]));
    }

    #[test]
    fn what_is_no_list_of_texts_needs_nothing() {
        for regex in [
            "(a.*);true",
            "(a);false",
            "'(a.b);true'",
            "'(|a);true'",
            "'(?i)a;true'",
            "'((a));true'",
        ] {
            assert_eq!(
                needed(&format!("[{}]", keep(regex))),
                NeededLabels::default(),
                "{regex}"
            );
        }
        // A rule before it may write the label.
        for before in [
            "{action: labelmap, regex: a}",
            "{target_label: __meta_kubernetes_service_label_app}",
            "{target_label: '$1'}",
        ] {
            assert_eq!(
                needed(&format!("[{before}, {}]", keep("a;true"))),
                NeededLabels::default(),
                "{before}"
            );
        }
    }
}
