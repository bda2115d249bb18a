//! The arguments of the operator that the chart installs, as far as values say which objects it watches.

use promgen_text::yaml::{Data, Node};

use super::Chart;
use crate::charts::node::{is_set, printed};

/// The values that list namespaces, each with the flag that they become.
const NAMESPACES: [(&str, &str); 5] = [
    ("denyNamespaces", "deny-namespaces"),
    (
        "prometheusInstanceNamespaces",
        "prometheus-instance-namespaces",
    ),
    (
        "alertmanagerInstanceNamespaces",
        "alertmanager-instance-namespaces",
    ),
    (
        "alertmanagerConfigNamespaces",
        "alertmanager-config-namespaces",
    ),
    (
        "thanosRulerInstanceNamespaces",
        "thanos-ruler-instance-namespaces",
    ),
];

/// The values that are selectors of labels, likewise.
const SELECTORS: [(&str, &str); 3] = [
    ("prometheusInstanceSelector", "prometheus-instance-selector"),
    (
        "alertmanagerInstanceSelector",
        "alertmanager-instance-selector",
    ),
    (
        "thanosRulerInstanceSelector",
        "thanos-ruler-instance-selector",
    ),
];

impl Chart<'_> {
    /// The arguments of the operator. `None` if the chart installs none.
    pub(super) fn operator_arguments(&self) -> Option<Vec<String>> {
        let operator = self
            .values
            .get("prometheusOperator")
            .filter(|values| is_set(values.get("enabled")))?;
        let knows = |key: &str| self.defaults.find(&["prometheusOperator", key]).is_some();
        let value = |key: &str| {
            operator
                .get(key)
                .filter(|value| knows(key) && value.is_set())
        };
        let mut arguments = Vec::new();
        if let Some(names) = value("namespaces").and_then(|namespaces| self.watched(namespaces)) {
            arguments.push(format!("--namespaces={}", names.join(",")));
        }
        for (key, flag) in NAMESPACES {
            arguments.extend(value(key).map(|list| format!("--{flag}={}", texts(list).join(","))));
        }
        for (key, flag) in SELECTORS {
            arguments.extend(
                value(key)
                    .and_then(printed)
                    .map(|selector| format!("--{flag}={selector}")),
            );
        }
        arguments.extend(value("extraArgs").map(texts).into_iter().flatten());
        // What an action of a template becomes is not known.
        arguments.retain(|argument| !argument.contains("{{"));
        Some(arguments)
    }

    /// The namespaces that an operator watches which does not watch all. `None` if that of the release, which is one of them, is
    /// not known.
    fn watched(&self, namespaces: &Node) -> Option<Vec<String>> {
        let mut names = Vec::new();
        if is_set(namespaces.get("releaseNamespace")) {
            names.push(printed(&self.namespace()?)?);
        }
        names.extend(
            namespaces
                .get("additional")
                .map(texts)
                .into_iter()
                .flatten(),
        );
        Some(names).filter(|names| !names.is_empty())
    }
}

/// The texts of a list.
fn texts(list: &Node) -> Vec<String> {
    let is_plain = |item: &&Node| !matches!(item.data, Data::Map(_) | Data::Seq(_) | Data::Null);
    list.items()
        .iter()
        .filter(is_plain)
        .filter_map(printed)
        .collect()
}
