//! Values that the chart does not know, or makes nothing of.

use std::collections::BTreeMap;

use promgen_text::diag::Diagnostic;
use promgen_text::diag::count::counted;
use promgen_text::source::Span;
use promgen_text::suggest::{closest, is_slip};
use promgen_text::yaml::{Data, Entry, Node, embedded};

use super::beside::is_wrapped;
use super::node::path;
use super::rules::{CHART_VERSION, LIST_FOR_MAP, UNKNOWN_VALUE};
use super::stack::reads::{self, ReadValue};
use super::stack::{self, versions};

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

/// The length of a name from which on nobody gives it another meaning.
const LONG: usize = 12;

/// The number of values that are reported for a release.
const MAX_FOUND: usize = 40;

/// Texts that stand for no, and count as set.
const NEGATIVES: [&str; 3] = ["false", "no", "off"];

/// Names that other charts have for what this one calls `extraManifests`.
const EXTRA_OF_OTHERS: [&str; 5] = [
    "extraObjects",
    "extraDeploy",
    "extraResources",
    "additionalManifests",
    "extraManifest",
];

/// Values of the chart `prometheus` that others hardly have, each with what does the same here.
const OF_PROMETHEUS: [(&str, &str); 4] = [
    ("alertmanagerFiles", "alertmanager.config"),
    (
        "extraScrapeConfigs",
        "prometheus.prometheusSpec.additionalScrapeConfigs",
    ),
    ("ruleFiles", "additionalPrometheusRulesMap"),
    (
        "serverFiles",
        "additionalPrometheusRulesMap` or `prometheus.prometheusSpec.additionalScrapeConfigs",
    ),
];

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

/// Reports the values that no template of the chart reads, or that count as another one than is written. `is_asked`: whether
/// this version is the one that is asked for.
pub(super) fn report(values: &Node, version: &str, is_asked: bool, found: &mut Vec<Diagnostic>) {
    of_agent(values, version, found);
    of_list(values, found);
    of_hidden(values, found);
    let mut report = UnreadValues {
        values,
        version,
        unread: reads::unread_defaults(version),
        mentioned: mentions(values),
        found: Vec::new(),
    };
    report.walk(
        values,
        &mut Vec::new(),
        &[ReadValue::root(is_asked.then_some(version))],
    );
    found.append(&mut report.found);
}

/// The values that texts of values refer to, as templates.
fn mentions(values: &Node) -> Vec<String> {
    let is_path = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let texts = values.descendants().filter_map(Node::as_str);
    let templates = texts.filter(|text| text.contains("{{"));
    let mentioned = templates.flat_map(|text| text.split(".Values").skip(1));
    let path = |rest: &str| {
        let path = rest.split(|c| !is_path(c)).next().unwrap_or_default();
        path.trim_matches('.').to_owned()
    };
    mentioned.map(path).collect()
}

/// The search for values that nothing reads.
struct UnreadValues<'v> {
    /// All values.
    values: &'v Node,
    version: &'v str,
    /// Default values that no template reads.
    unread: BTreeMap<&'static str, &'static str>,
    /// The paths that templates in values refer to. An empty one may be any.
    mentioned: Vec<String>,
    found: Vec<Diagnostic>,
}

impl UnreadValues<'_> {
    /// Goes through a value. `read`: what is read of it.
    fn walk(&mut self, value: &Node, path: &mut Vec<String>, read: &[ReadValue]) {
        let steps = value
            .entries()
            .iter()
            .map(|entry| (entry.key.to_string(), &entry.value, Some(entry)));
        let items = value.items().iter().enumerate();
        let items = items.map(|(at, item)| (format!("[{at}]"), item, None));
        for (step, below, entry) in steps.chain(items).collect::<Vec<_>>() {
            if self.found.len() >= MAX_FOUND {
                return;
            }
            let key = if entry.is_some() { &step } else { reads::ITEM };
            let next: Vec<ReadValue> = read.iter().flat_map(|value| value.step(key)).collect();
            path.push(step.clone());
            if next.is_empty() {
                // What a template asks nothing of but whether it is set has no keys.
                let has_keys = read.iter().any(|value| value.has_below());
                if let Some(entry) = entry.filter(|_| has_keys && !self.is_mentioned(path)) {
                    self.unread(entry, path);
                }
            } else if next.iter().any(|value| value.is_whole()) {
                // All below it is read, but for what is read on its own.
                for own in below.entries() {
                    let apart = next.iter().filter_map(|value| value.get(&own.key));
                    let apart: Vec<_> = apart.filter(|value| value.is_apart()).collect();
                    if !apart.is_empty() {
                        path.push(own.key.to_string());
                        self.walk(&own.value, path, &apart);
                        path.pop();
                    }
                }
            } else {
                if let Some(entry) = entry {
                    self.misread(entry, path, &next);
                }
                self.walk(below, path, &next);
            }
            path.pop();
        }
    }

    fn is_mentioned(&self, path: &[String]) -> bool {
        let path = path.join(".");
        self.mentioned.iter().any(|other| {
            other.is_empty() || is_at_or_below(&path, other) || is_at_or_below(other, &path)
        })
    }

    /// Reports a key that nothing reads.
    fn unread(&mut self, entry: &Entry, path: &[String]) {
        let whole = shown(path);
        let (above, version) = (&path[..path.len() - 1], self.version);
        if let Some(default) = self.unread.get(whole.as_str()) {
            let is_default = embedded::root(entry.value.span.file, default)
                .is_some_and(|default| default.to_value() == entry.value.to_value());
            if !is_default && entry.value.is_set() {
                let message =
                    format!("no template of kube-prometheus-stack {version} reads `{whole}`");
                let help = "the chart's values.yaml has it, and nothing comes of it";
                self.found
                    .push(Diagnostic::new(&UNKNOWN_VALUE, entry.key_span, message).help(help));
            }
            return;
        }
        if ReadValue::in_any_version().has(&steps(path)) {
            let message = format!("kube-prometheus-stack {version} has no value `{whole}`");
            let hint = format!("other versions of the chart have it; {version} ignores it");
            let found = Diagnostic::new(&UNKNOWN_VALUE, entry.key_span, message).help(hint);
            self.found.push(found.of_fields());
            return;
        }
        let hint = match above.is_empty() {
            true => at_top(entry, self.values),
            false => None,
        };
        let hint = hint.or_else(|| hint_of(entry, above));
        // What is almost a field of the chart is no other text, such as one that stands in the wrong line.
        let is_field = hint.is_some();
        // At the top, values may be those of a chart around this one, or anchors of others.
        if let Some(hint) = hint.or_else(|| {
            (!above.is_empty()).then(|| format!("kube-prometheus-stack {version} ignores it"))
        }) {
            let message = format!("the chart has no value `{whole}`");
            let found = Diagnostic::new(&UNKNOWN_VALUE, entry.key_span, message).help(hint);
            self.found.push(match is_field {
                true => found.of_fields(),
                false => found,
            });
        }
    }

    /// Reports a value that counts as another one than is written.
    fn misread(&mut self, entry: &Entry, path: &[String], read: &[ReadValue]) {
        let is_switch = !read.iter().any(|value| value.has_below());
        let whole = shown(path);
        let (message, help) = match &entry.value.data {
            Data::String(text)
                if is_switch && NEGATIVES.iter().any(|word| text.eq_ignore_ascii_case(word)) =>
            {
                (
                    format!(
                        "`{whole}` is the text {text:?}, which counts as true: templates only ask whether it is set"
                    ),
                    "write it without quotes",
                )
            }
            Data::Null if !is_switch && self.has_defaults(path) => (
                format!("null takes away the default values below `{whole}`"),
                "remove the key to keep them, or write the values below it",
            ),
            _ => return,
        };
        self.found
            .push(Diagnostic::new(&UNKNOWN_VALUE, entry.key_span, message).help(help));
    }

    /// Returns whether the default at a path is a map with values.
    fn has_defaults(&self, path: &[String]) -> bool {
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        let defaults = versions::defaults(self.version, Span::default());
        defaults
            .find(&path)
            .is_some_and(|default| !default.entries().is_empty())
    }
}

/// Returns whether a path is another one, or below it.
fn is_at_or_below(path: &str, other: &str) -> bool {
    path.strip_prefix(other)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// A path as it is written.
fn shown(path: &[String]) -> String {
    path.join(".").replace(".[", "[")
}

/// The steps of a path, any item as one.
fn steps(path: &[String]) -> Vec<&str> {
    path.iter()
        .map(|own| {
            if own.starts_with('[') {
                reads::ITEM
            } else {
                own.as_str()
            }
        })
        .collect()
}

/// The most keys that go on from one which nothing reads, to be named.
const MAX_LONGER: usize = 3;

/// What was likely meant by a key that nothing reads: one of almost that name, or the place where it is read.
fn hint_of(entry: &Entry, above: &[String]) -> Option<String> {
    let key = entry.key.as_str();
    let any = ReadValue::in_any_version();
    let steps = steps(above);
    let beside = any.find(&steps).into_iter().flat_map(ReadValue::keys);
    let beside: Vec<&str> = beside.collect();
    if let Some(hint) = renamed(key, &beside) {
        return Some(hint);
    }
    let meant = if above.is_empty() {
        beside.iter().copied().find(|known| is_slip(key, known))
    } else {
        closest(key, beside.iter().copied())
    };
    if above.is_empty() && EXTRA_OF_OTHERS.contains(&key) {
        return Some("the chart calls it `extraManifests`".to_owned());
    }
    let place = home(entry, &steps);
    if place.is_none() && !above.is_empty() {
        let goes_on = |known: &&&str| {
            let rest = known.strip_prefix(key);
            rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()))
        };
        let longer: Vec<String> = beside
            .iter()
            .filter(goes_on)
            .map(|known| format!("`{known}`"))
            .collect();
        if (2..=MAX_LONGER).contains(&longer.len()) {
            return Some(format!("did you mean {}?", longer.join(" or ")));
        }
    }
    // The place of the very name says more than another name, unless that is almost it, and the place is elsewhere.
    let is_below = |place: &str| place.starts_with("did you mean");
    match (meant, place) {
        (Some(meant), None) => Some(format!("did you mean `{meant}`?")),
        (Some(meant), Some(place)) if is_slip(key, meant) && !is_below(&place) => {
            Some(format!("did you mean `{meant}`?"))
        }
        (_, place) => place,
    }
}

/// What a key is called here, if the resources of the operator or other maps of the chart call it otherwise. `beside`: the keys that are
/// read there.
fn renamed(key: &str, beside: &[&str]) -> Option<String> {
    const NAMES: [(&str, &str); 4] = [
        ("storage", "storageSpec"),
        ("storageSpec", "storage"),
        ("enabled", "create"),
        ("create", "enabled"),
    ];
    let of_spec = || beside.iter().find(|known| known.ends_with("Spec"));
    if key == "spec" {
        return of_spec().map(|spec| format!("did you mean `{spec}`?"));
    }
    if matches!(key, "name" | "key") && beside.contains(&"existingSecret") {
        return Some(format!("write `existingSecret.{key}`"));
    }
    let mut meant = NAMES
        .iter()
        .filter(|(other, meant)| *other == key && beside.contains(meant));
    meant
        .next()
        .map(|(_, meant)| format!("did you mean `{meant}`?"))
}

/// What is said of a key at the top that is of another chart, or that holds all values.
fn at_top(entry: &Entry, values: &Node) -> Option<String> {
    let key = entry.key.as_str();
    if is_wrapped(key, &entry.value, values) {
        return Some(format!(
            "the release is of the chart itself: write what is below `{key}` at the top of the values"
        ));
    }
    let (_, meant) = OF_PROMETHEUS.iter().find(|(other, _)| *other == key)?;
    Some(format!(
        "the chart `prometheus` has it; here it is `{meant}`"
    ))
}

/// Where a key is read: below this place, above it, or at the only place that has it, if the value fits there.
fn home(entry: &Entry, above: &[&str]) -> Option<String> {
    const MAX_STEPS: usize = 2;
    let key = entry.key.as_str();
    let any = ReadValue::in_any_version();
    // What is no map at the top is for the whole release.
    let fits = |place: &Vec<&str>| {
        let read = any.find(place).and_then(|value| value.get(key));
        let has_keys = read.is_some_and(|value| value.keys().next().is_some());
        entry.value.is_map() || entry.value.is_null() || !has_keys && !place.is_empty()
    };
    let mut places = any.places_of(key, MAX_STEPS);
    places.retain(fits);
    let belongs = |place: &[&str]| {
        if place.is_empty() {
            format!("`{key}` belongs at the top of the values")
        } else {
            let place = place.join(".");
            format!("`{key}` belongs in `{place}`: write `{place}.{key}`")
        }
    };
    let below: Vec<&Vec<&str>> = places
        .iter()
        .filter(|place| !above.is_empty() && place.starts_with(above))
        .collect();
    if let [only] = below.as_slice() {
        return Some(format!("did you mean `{}.{key}`?", only.join(".")));
    }
    if let Some(place) = places
        .iter()
        .filter(|place| above.starts_with(place))
        .max_by_key(|place| place.len())
    {
        return Some(belongs(place));
    }
    // Elsewhere, the workloads and what is beside their specs come first.
    let is_of_workload = |place: &&Vec<&str>| {
        MAPS.iter()
            .any(|map| map.starts_with(place) && !place.is_empty())
    };
    let of_workloads: Vec<&Vec<&str>> = places.iter().filter(is_of_workload).collect();
    let is_telling = key.len() >= LONG || MAPS.iter().any(|map| map[1] == key) || !above.is_empty();
    match of_workloads.as_slice() {
        [only] if is_telling => Some(belongs(only)),
        _ => None,
    }
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

/// Reports the values that another value hides.
fn of_hidden(values: &Node, found: &mut Vec<Diagnostic>) {
    const MAP: &str = "additionalPrometheusRulesMap";
    const EXISTING: [&str; 3] = ["alertmanager", "alertmanagerSpec", "useExistingSecret"];
    let mut report = |entry: Option<&Entry>, name: &str, by: Option<&Node>, help: &str| {
        let (Some(entry), Some(by)) = (entry.filter(|entry| entry.value.is_set()), by) else {
            return;
        };
        let message = format!("nothing reads `{name}` here: another value takes its place");
        let found_here = Diagnostic::new(&UNKNOWN_VALUE, entry.key_span, message).help(help);
        found.push(Diagnostic {
            related: vec![(by.span.into(), "this one".to_owned())],
            ..found_here
        });
    };
    let list = "additionalPrometheusRules";
    let help = "move its rules to `additionalPrometheusRulesMap`";
    report(values.entry(list), list, values.find_set(&[MAP]), help);
    let existing = values.find_set(&EXISTING);
    let alertmanager = values.get("alertmanager");
    for key in ["config", "stringConfig", "templateFiles"] {
        let entry = alertmanager.and_then(|own| own.entry(key));
        let help = "write it into the Secret that is used, or remove `useExistingSecret`";
        report(entry, &format!("alertmanager.{key}"), existing, help);
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

    /// The help for values.
    fn hint(values: &str) -> Vec<String> {
        let documents = read(FileId::new(0), values, &mut Sink::default());
        let mut found = Vec::new();
        report(&documents[0].root, "75.11.0", true, &mut found);
        found.into_iter().flat_map(|found| found.help).collect()
    }

    #[test]
    fn a_value_is_sent_only_where_its_type_fits() {
        for (values, help) in [
            (
                "defaultRules: {rules: {kubeScheduler: {enabled: false}}}",
                "`kubeScheduler` belongs at the top of the values",
            ),
            (
                "defaultRules: {rules: {kubeScheduler: false}}",
                "did you mean `kubeSchedulerAlerting` or `kubeSchedulerRecording`?",
            ),
            (
                "alertmanager: {fullnameOverride: a}",
                "kube-prometheus-stack 75.11.0 ignores it",
            ),
            (
                "prometheus: {prometheusSpec: {prometheusOperator: true}}",
                "kube-prometheus-stack 75.11.0 ignores it",
            ),
        ] {
            assert_eq!(hint(values), [help], "{values}");
        }
    }

    #[test]
    fn a_known_word_at_the_wrong_level_is_told_its_place() {
        for (values, place) in [
            (
                "prometheus: {prometheusSpec: {storage: {}}}",
                "did you mean `storageSpec`?",
            ),
            (
                "alertmanager: {alertmanagerSpec: {storageSpec: {}}}",
                "did you mean `storage`?",
            ),
            (
                "thanosRuler: {thanosRulerSpec: {storageSpec: {}}}",
                "did you mean `storage`?",
            ),
            (
                "alertmanager: {secrets: [a]}",
                "did you mean `alertmanager.alertmanagerSpec.secrets`?",
            ),
            ("prometheus: {spec: {}}", "did you mean `prometheusSpec`?"),
            ("defaultRules: {enabled: false}", "did you mean `create`?"),
            (
                "thanosRuler: {thanosRulerSpec: {objectStorageConfig: {name: a}}}",
                "write `existingSecret.name`",
            ),
            (
                "prometheus: {prometheusSpec: {thanos: {objectStorageConfig: {key: a}}}}",
                "write `existingSecret.key`",
            ),
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
            let hints = hint(values);
            assert!(hints.len() == 1 && hints[0].starts_with(place), "{hints:?}");
            // The path as it is to be written, too.
            assert!(
                !place.contains("belongs in") || hints[0].contains(": write `"),
                "{hints:?}"
            );
        }
        for fine in [
            "retention: 10d",
            "config: {}",
            "x-common: {}",
            "prometheus: {extraSecret: {}, thanosService: {}}",
            "prometheus: {prometheusSpec: {thanos: {image: a, blockSize: 2h, objectStorageConfig: {existingSecret: {name: a}}}}}",
            "alertmanager: {podDisruptionBudget: {maxUnavailable: 1}}",
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
        assert_eq!(messages("55.0.0"), [later, unknown]);
    }
    #[test]
    fn values_of_another_chart_and_values_that_are_hidden_are_found() {
        let told = |values: &str| messages_of(values, "75.0.0");
        let below = "kube-prometheus-stack: {prometheus: {prometheusSpec: {}}}";
        for (values, expected) in [
            (below, "the chart has no value `kube-prometheus-stack`"),
            (
                "prometheusStack: {grafana: {}}",
                "the chart has no value `prometheusStack`",
            ),
            (
                "serverFiles: {a: b}",
                "the chart has no value `serverFiles`",
            ),
            (
                "additionalPrometheusRules: [{name: a}]\nadditionalPrometheusRulesMap: {b: {groups: []}}",
                "nothing reads `additionalPrometheusRules` here: another value takes its place",
            ),
            (
                "alertmanager: {config: {route: {}}, alertmanagerSpec: {useExistingSecret: true}}",
                "nothing reads `alertmanager.config` here: another value takes its place",
            ),
        ] {
            assert_eq!(told(values), [expected], "{values}");
        }
        for fine in [
            "kube-prometheus-stack: {a: b}",
            "kps: &a {prometheus: {enabled: true}}\nprometheus: {prometheusSpec: {externalLabels: *a}}",
            "server: {a: b}",
            "additionalPrometheusRules: []\nadditionalPrometheusRulesMap: {b: {groups: []}}",
            "alertmanager: {config: {route: {}}, alertmanagerSpec: {useExistingSecret: false}}",
        ] {
            assert_eq!(told(fine), [""; 0], "{fine}");
        }
    }

    #[test]
    fn values_that_no_template_reads_are_found_at_every_level() {
        for (values, version, expected) in [
            (
                "prometheus: {additionalServiceMonitors: [{name: a, endpoints: [{port: b}], attachMetadata: {node: true}}]}",
                "75.0.0",
                "kube-prometheus-stack 75.0.0 has no value `prometheus.additionalServiceMonitors[0].attachMetadata`",
            ),
            (
                "prometheus: {additionalPodMonitors: [{name: a, podMetricsEndpoints: [], scrapeClass: b}]}",
                "88.5.3",
                "the chart has no value `prometheus.additionalPodMonitors[0].scrapeClass`",
            ),
            (
                "extraObjects: [{kind: ConfigMap}]",
                "88.5.3",
                "the chart has no value `extraObjects`",
            ),
            (
                "prometheusOperator: {kubeletService: {enabeld: true}}",
                "88.5.3",
                "the chart has no value `prometheusOperator.kubeletService.enabeld`",
            ),
            (
                "prometheus: {ingress: {enabled: 'false'}}",
                "88.5.3",
                "`prometheus.ingress.enabled` is the text \"false\", which counts as true: templates only ask whether it is set",
            ),
            (
                "prometheus: {prometheusSpec: }",
                "88.5.3",
                "null takes away the default values below `prometheus.prometheusSpec`",
            ),
            (
                "alertmanager: {podDisruptionBudget: {unhealthyPodEvictionPolicy: IfHealthyBudget}}",
                "80.0.0",
                "no template of kube-prometheus-stack 80.0.0 reads `alertmanager.podDisruptionBudget.unhealthyPodEvictionPolicy`",
            ),
        ] {
            assert_eq!(messages_of(values, version), [expected], "{values}");
        }
        for (values, version) in [
            (
                "prometheus: {additionalServiceMonitors: [{name: a, endpoints: [{port: b}], attachMetadata: {node: true}}]}",
                "88.5.3",
            ),
            (
                "prometheus: {additionalServiceMonitors: {a: {endpoints: [], selector: {matchLabels: {x: y}}}}}",
                "88.5.3",
            ),
            (
                "grafana: {anything: {at: all}}\nglobal: {of: others}",
                "88.5.3",
            ),
            (
                "prometheus: {mine: {zone: a}, prometheusSpec: {externalLabels: {z: '{{ .Values.prometheus.mine.zone }}'}}}",
                "88.5.3",
            ),
            (
                "prometheus: {ingress: {enabled: 'true'}, prometheusSpec: {retention: '10d', resources: {limits: {}}}}",
                "88.5.3",
            ),
            (
                "alertmanager: {podDisruptionBudget: {unhealthyPodEvictionPolicy: AlwaysAllow}, config: }",
                "80.0.0",
            ),
            (
                "prometheus: {annotations: {any.key/at: all}, service: {labels: {a: b}}}",
                "88.5.3",
            ),
        ] {
            assert_eq!(messages_of(values, version), [""; 0], "{values}");
        }
    }
}
