//! Values that the chart does not know, or makes nothing of.

use std::collections::BTreeSet;

use promgen_text::diag::Diagnostic;
use promgen_text::diag::count::counted;
use promgen_text::suggest::{closest, is_slip};
use promgen_text::yaml::{Entry, Node};

use super::node::path;
use super::rules::{CHART_VERSION, LIST_FOR_MAP, UNKNOWN_VALUE};
use super::stack;

/// The maps of values whose keys are all known.
pub(super) const MAPS: [&[&str]; 3] = [
    &["prometheus", "prometheusSpec"],
    &["alertmanager", "alertmanagerSpec"],
    &["thanosRuler", "thanosRulerSpec"],
];

/// Returns whether a value at a path may be of the spec of a workload, or of the names of objects.
pub(super) fn may_be_of_workloads(path: &str) -> bool {
    let parts: Vec<&str> = path.split(['.', '[']).collect();
    let leads_to = |map: &[&str]| map.iter().zip(&parts).all(|(a, b)| a == b);
    MAPS.into_iter().any(leads_to) || path.ends_with("Override")
}

/// Returns whether a value at a path is that of a label which a selector of a workload requires. A chart around the chart has its
/// values below a name.
pub(super) fn is_selector_label(at: &str) -> bool {
    let Some(parts) = path(at) else { return false };
    let [.., component, spec, selector, labels, _] = parts.as_slice() else {
        return false;
    };
    let is_of_workload = MAPS
        .iter()
        .any(|map| **map == [component.as_str(), spec.as_str()]);
    is_of_workload && selector.ends_with("Selector") && labels == "matchLabels"
}

/// The keys at the top of the values.
const TOP: [&str; 34] = [
    "additionalPrometheusRules",
    "additionalPrometheusRulesMap",
    "alertmanager",
    "cleanPrometheusOperatorObjectNames",
    "commonLabels",
    "coreDns",
    "crds",
    "customRules",
    "defaultRules",
    "extraManifests",
    "fullnameOverride",
    "global",
    "grafana",
    "kube-state-metrics",
    "kubeApiServer",
    "kubeControllerManager",
    "kubeDns",
    "kubeEtcd",
    "kubeProxy",
    "kubeScheduler",
    "kubeStateMetrics",
    "kubeTargetVersionOverride",
    "kubeVersionOverride",
    "kubelet",
    "nameOverride",
    "namespaceOverride",
    "nodeExporter",
    "prometheus",
    "prometheus-node-exporter",
    "prometheus-windows-exporter",
    "prometheusOperator",
    "thanosRuler",
    "upgradeJob",
    "windowsMonitoring",
];

/// The keys of those maps that are keys beside them, too.
const BESIDE: [&str; 6] = [
    "annotations",
    "enableFeatures",
    "podDisruptionBudget",
    "service",
    "serviceAccount",
    "serviceMonitor",
];

/// The length of a name from which on nobody gives it another meaning.
const LONG: usize = 12;

/// The number of them that are reported for each map.
const MAX_FOUND: usize = 20;

/// Says in the finding about the version of a chart that is newer than promgen knows how many of its values are not checked.
pub(super) fn count(values: &Node, found: &mut [Diagnostic]) {
    let n_unknown = |path: &[&str]| {
        let (known, map) = (stack::keys(path), values.entries_at(path));
        map.iter()
            .filter(|entry| !known.contains(&&*entry.key))
            .count()
    };
    let n: usize = MAPS.into_iter().map(n_unknown).sum();
    if let (1.., Some(found)) = (
        n,
        found.iter_mut().find(|found| *found.rule == CHART_VERSION),
    ) {
        let unchecked = format!(
            "{} {} not checked",
            counted(n, "value"),
            if n == 1 { "is" } else { "are" }
        );
        found.message = format!("{}; {unchecked}", found.message);
    }
}

/// Reports the keys that no version of the chart knows, and those that another version knows. `is_asked`: whether
/// this version is the one that is asked for.
pub(super) fn report(values: &Node, version: &str, is_asked: bool, found: &mut Vec<Diagnostic>) {
    of_agent(values, version, found);
    of_list(values, found);
    at_top(values, found);
    misplaced(values, found);
    for path in MAPS {
        let Some(map) = values.find(path) else {
            continue;
        };
        let known = stack::keys(path);
        let unknown = map
            .entries()
            .iter()
            .filter(|entry| !known.contains(&&*entry.key));
        for entry in unknown.take(MAX_FOUND) {
            let near = || {
                closest(&entry.key, known.iter().copied())
                    .map(|meant| format!("did you mean `{meant}`?"))
            };
            let hint = home(&entry.key, path[0]).or_else(near);
            let hint =
                hint.unwrap_or_else(|| format!("kube-prometheus-stack {version} ignores it"));
            found.push(no_value(path, entry, hint));
        }
        let ignored = if is_asked {
            stack::ignored(path, version)
        } else {
            Vec::new()
        };
        for entry in map
            .entries()
            .iter()
            .filter(|entry| ignored.contains(&&*entry.key))
            .take(MAX_FOUND)
        {
            let message = format!(
                "kube-prometheus-stack {version} has no value `{}.{}`",
                path.join("."),
                entry.key
            );
            let hint = format!("other versions of the chart have it; {version} ignores it");
            found.push(Diagnostic::new(&UNKNOWN_VALUE, entry.key_span, message).help(hint));
        }
    }
}

/// The finding of a key that a map of values does not have.
fn no_value(path: &[&str], entry: &Entry, hint: String) -> Diagnostic {
    let whole = [path, &[&*entry.key]].concat().join(".");
    let message = format!("the chart has no value `{whole}`");
    Diagnostic::new(&UNKNOWN_VALUE, entry.key_span, message).help(hint)
}

/// Reports the values of a server where the chart makes an agent.
fn of_agent(values: &Node, version: &str, found: &mut Vec<Diagnostic>) {
    let Some(mode) = values.find_set(&["prometheus", "agentMode"]) else {
        return;
    };
    let path = MAPS[0];
    let of_server = stack::of_server(version);
    let given = values.entries_at(path).iter();
    let given = given.filter(|entry| entry.value.is_set() && of_server.contains(&&*entry.key));
    for entry in given.take(MAX_FOUND) {
        let message = format!(
            "an agent has no `{}`: the chart ignores the value",
            entry.key
        );
        let diagnostic = Diagnostic::new(&UNKNOWN_VALUE, entry.key_span, message);
        let diagnostic = diagnostic.help("remove it, or `prometheus.agentMode`");
        found.push(Diagnostic {
            related: vec![(mode.span.into(), "the agent".to_owned())],
            ..diagnostic
        });
    }
}

/// Reports keys at the top that are almost one of the chart. Others may be those of a chart around it.
fn at_top(values: &Node, found: &mut Vec<Diagnostic>) {
    for entry in values
        .entries()
        .iter()
        .filter(|entry| !TOP.contains(&&*entry.key))
        .take(MAX_FOUND)
    {
        let meant = TOP
            .into_iter()
            .find(|known| is_slip(&entry.key, known))
            .map(str::to_owned);
        let meant = meant.map(|meant| format!("did you mean `{meant}`?"));
        if let Some(hint) = meant.or_else(|| only_home(&entry.key)) {
            found.push(no_value(&[], entry, hint));
        }
    }
}

/// Where a key of the spec of a workload belongs that has another home: beside the spec, in the spec of another workload, or at the
/// top.
fn home(key: &str, component: &str) -> Option<String> {
    let is_beside = BESIDE.contains(&key) || stack::versions::keys(&[component]).contains(&key);
    let belongs = |path: String| Some(format!("`{key}` belongs in `{path}`"));
    if is_beside {
        return belongs(component.to_owned());
    }
    let others = MAPS.into_iter().filter(|path| path[0] != component);
    if let Some(path) = others
        .into_iter()
        .find(|path| stack::keys(path).contains(&key))
    {
        return belongs(path.join("."));
    }
    TOP.contains(&key)
        .then(|| format!("`{key}` belongs at the top of the values"))
}

/// The only place among the values of workloads where a key is known that stands at the top.
fn only_home(key: &str) -> Option<String> {
    let is_long = key.len() >= LONG;
    let mut all: BTreeSet<String> = BTreeSet::new();
    for path in MAPS {
        let is_beside = || stack::versions::keys(&path[..1]).contains(&key);
        if path[1] == key || is_long && is_beside() {
            all.insert(path[0].to_owned());
        }
        if is_long && stack::keys(path).contains(&key) {
            all.insert(path.join("."));
        }
    }
    match Vec::from_iter(all).as_slice() {
        [only] => Some(format!("`{key}` belongs in `{only}`")),
        _ => None,
    }
}

/// Reports keys of a spec that stand beside it.
fn misplaced(values: &Node, found: &mut Vec<Diagnostic>) {
    for path in MAPS {
        let known = stack::keys(path);
        let beside = values.entries_of(path[0]).iter();
        let own =
            beside.filter(|entry| known.contains(&&*entry.key) && !BESIDE.contains(&&*entry.key));
        for entry in own.take(MAX_FOUND) {
            let hint = format!("did you mean `{}.{}`?", path.join("."), entry.key);
            found.push(no_value(&path[..1], entry, hint));
        }
        // Of the keys beside a spec, only those that shape workloads are known.
        let keys = stack::versions::keys(&path[..1]);
        let is_unknown =
            |key: &str| !known.contains(&key) && !keys.contains(&key) && !BESIDE.contains(&key);
        let beside = values.entries_of(path[0]).iter();
        for entry in beside
            .filter(|entry| is_unknown(&entry.key) && entry.key != "enabled")
            .take(MAX_FOUND)
        {
            let Some(meant) = keys
                .iter()
                .find(|key| key.len() >= LONG && is_slip(&entry.key, key))
            else {
                continue;
            };
            let hint = format!("did you mean `{meant}`?");
            found.push(no_value(&path[..1], entry, hint));
        }
    }
}

/// Reports a list where names are the keys of a map.
fn of_list(values: &Node, found: &mut Vec<Diagnostic>) {
    const KEY: &str = "additionalPrometheusRulesMap";
    let Some(list) = values
        .entry(KEY)
        .filter(|entry| !entry.value.items().is_empty())
    else {
        return;
    };
    let message = format!(
        "`{KEY}` is a list: the chart takes the names of PrometheusRules from the keys of a map"
    );
    let help = "give each item a key, its name; of a list the chart makes names that the API server refuses";
    found.push(Diagnostic::new(&LIST_FOR_MAP, list.key_span, message).help(help));
}

#[cfg(test)]
mod tests {
    use promgen_text::diag::Sink;
    use promgen_text::source::FileId;
    use promgen_text::yaml::read::read;

    use super::*;

    fn messages(version: &str) -> Vec<String> {
        messages_of(
            "prometheus: {prometheusSpec: {retention: 1d, scrapeClasses: [], retentoin: 1d}}",
            version,
        )
    }

    fn messages_of(values: &str, version: &str) -> Vec<String> {
        let documents = read(FileId::new(0), values, &mut Sink::default());
        let mut found = Vec::new();
        report(&documents[0].root, version, true, &mut found);
        found
            .iter()
            .map(|found| found.message.to_string())
            .collect()
    }

    #[test]
    fn misspelt_keys_at_the_top_and_keys_beside_their_spec_are_found() {
        let told = |values: &str| messages_of(values, "75.0.0");
        assert_eq!(
            told("promethues: {}"),
            ["the chart has no value `promethues`"]
        );
        assert_eq!(
            told("prometheus: {retention: 1d}"),
            ["the chart has no value `prometheus.retention`"]
        );
        assert_eq!(
            told("alertmanager: {replicas: 3}"),
            ["the chart has no value `alertmanager.replicas`"]
        );
        let fine = "mychart: {}\nkube-state-metrics: {}\nprometheus: {enabled: true, serviceMonitor: {}, ingress: {}}";
        assert!(told(fine).is_empty(), "{:?}", told(fine));
    }

    #[test]
    fn a_known_word_at_the_wrong_level_is_told_its_place() {
        let hint = |values: &str| {
            let documents = read(FileId::new(0), values, &mut Sink::default());
            let mut found = Vec::new();
            report(&documents[0].root, "75.11.0", true, &mut found);
            found
                .iter()
                .flat_map(|found| found.help.clone())
                .collect::<Vec<_>>()
        };
        for (values, place) in [
            (
                "prometheus: {retention: 10d}",
                "did you mean `prometheus.prometheusSpec.retention`?",
            ),
            (
                "prometheusSpec: {retention: 10d}",
                "`prometheusSpec` belongs in `prometheus`",
            ),
            (
                "alertmanagerSpec: {}",
                "`alertmanagerSpec` belongs in `alertmanager`",
            ),
            (
                "scrapeInterval: 30s",
                "`scrapeInterval` belongs in `prometheus.prometheusSpec`",
            ),
            (
                "additionalServiceMonitors: []",
                "`additionalServiceMonitors` belongs in `prometheus`",
            ),
            (
                "prometheus: {prometheusSpec: {additionalServiceMonitors: []}}",
                "`additionalServiceMonitors` belongs in `prometheus`",
            ),
            (
                "prometheus: {additionalServiceMonitor: []}",
                "did you mean `additionalServiceMonitors`?",
            ),
            (
                "prometheus: {prometheusSpec: {alertmanagerConfiguration: {}}}",
                "`alertmanagerConfiguration` belongs in `alertmanager.alertmanagerSpec`",
            ),
            (
                "alertmanager: {alertmanagerSpec: {config: {}}}",
                "`config` belongs in `alertmanager`",
            ),
            (
                "alertmanager: {alertmanagerSpec: {podDisruptionBudget: {}}}",
                "`podDisruptionBudget` belongs in `alertmanager`",
            ),
            (
                "prometheus: {prometheusSpec: {prometheusOperator: {}}}",
                "`prometheusOperator` belongs at the top of the values",
            ),
        ] {
            assert_eq!(hint(values), [place], "{values}");
        }
        for fine in [
            "retention: 10d",
            "config: {}",
            "x-common: {}",
            "prometheus: {extraSecret: {}, thanosService: {}}",
        ] {
            assert!(hint(fine).is_empty(), "{fine}: {:?}", hint(fine));
        }
    }

    #[test]
    fn a_value_of_no_version_and_one_of_another_version_are_found() {
        let unknown = "the chart has no value `prometheus.prometheusSpec.retentoin`";
        assert_eq!(messages("75.0.0"), [unknown]);
        let later =
            "kube-prometheus-stack 55.0.0 has no value `prometheus.prometheusSpec.scrapeClasses`";
        assert_eq!(messages("55.0.0"), [unknown, later]);
    }
}
