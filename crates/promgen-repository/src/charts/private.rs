//! The values of the chart that hold secrets by their role.

use promgen_text::source::Span;
use promgen_text::yaml::Node;

/// Their paths; `*` stands for any key.
const PATHS: [&[&str]; 10] = [
    &["alertmanager", "config"],
    &["alertmanager", "stringConfig"],
    &["alertmanager", "templateFiles"],
    &["prometheus", "prometheusSpec", "additionalScrapeConfigs"],
    &["prometheus", "prometheusSpec", "additionalAlertManagerConfigs"],
    &["prometheus", "prometheusSpec", "additionalAlertRelabelConfigs"],
    &["prometheus", "prometheusSpec", "thanos", "objectStorageConfig", "secret"],
    &["thanosRuler", "thanosRulerSpec", "*", "secret"],
    &["grafana", "adminPassword"],
    &["grafana", "grafana.ini"],
];

/// The places of the secrets among the values of a user.
pub(super) fn places(values: &Node) -> Vec<Span> {
    let mut found = Vec::new();
    for path in PATHS {
        find(values, path, &mut found);
    }
    found
}

fn find(node: &Node, path: &[&str], found: &mut Vec<Span>) {
    let Some((first, rest)) = path.split_first() else {
        if node.span.start < node.span.end {
            found.push(node.span);
        }
        return;
    };
    node.entries()
        .iter()
        .filter(|entry| *first == "*" || entry.key == *first)
        .for_each(|entry| find(&entry.value, rest, found));
}
