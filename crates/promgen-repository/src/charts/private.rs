//! The values of the chart that hold secrets by their role.

use std::collections::BTreeSet;

use promgen_resources::secrecy::is_secret_key;
use promgen_text::CollectOrdered;
use promgen_text::source::Span;
use promgen_text::suggest::is_slip;
use promgen_text::yaml::Node;

/// The paths of those that are secret as a whole; `*` stands for any key.
const PATHS: [&[&str]; 12] = [
    &["alertmanager", "stringConfig"],
    &["alertmanager", "templateFiles"],
    &["alertmanager", "extraSecret"],
    &["prometheus", "extraSecret"],
    &[
        "prometheus",
        "prometheusSpec",
        "thanos",
        "objectStorageConfig",
        "secret",
    ],
    &["thanosRuler", "extraSecret"],
    &["thanosRuler", "thanosRulerSpec", "*", "secret"],
    &["grafana", "adminPassword"],
    &["grafana", "envRenderSecret"],
    &["grafana", "grafana.ini"],
    &["grafana", "ldap", "config"],
    &["grafana", "*", "secureJsonData"],
];

/// The paths of configurations that the chart puts into Secrets: they are secret value by value.
const CONFIGURATIONS: [&[&str]; 4] = [
    &["alertmanager", "config"],
    &["prometheus", "prometheusSpec", "additionalScrapeConfigs"],
    &[
        "prometheus",
        "prometheusSpec",
        "additionalAlertManagerConfigs",
    ],
    &[
        "prometheus",
        "prometheusSpec",
        "additionalAlertRelabelConfigs",
    ],
];

/// The keys of such configurations whose values are public, with all below them.
const PUBLIC_KEYS: [&str; 29] = [
    "action",
    "api_version",
    "honor_labels",
    "honor_timestamps",
    "inhibit_rules",
    "job_name",
    "metric_relabel_configs",
    "metrics_path",
    "modulus",
    "mute_time_intervals",
    "name",
    "path_prefix",
    "regex",
    "relabel_configs",
    "replacement",
    "resolve_timeout",
    "role",
    "route",
    "scheme",
    "scrape_interval",
    "scrape_timeout",
    "send_resolved",
    "separator",
    "smtp_require_tls",
    "source_labels",
    "static_configs",
    "target_label",
    "templates",
    "time_intervals",
];

/// The places of the secrets among the values of a user.
pub(super) fn places(values: &Node) -> Vec<Span> {
    let mut found = Vec::new();
    for path in PATHS {
        find(values, path, &mut |secret| push(secret, &mut found));
    }
    for path in CONFIGURATIONS {
        find(values, path, &mut |config| find_private(config, &mut found));
    }
    found.extend(named(values));
    found
}

/// The places of other texts that repeat a secret one: aliases of it, and what it is an alias of.
pub(super) fn copies(values: &Node, places: &[Span], secret: &BTreeSet<Span>) -> Vec<Span> {
    let is_inside = |span: Span| places.iter().any(|own| own.holds(span)) || secret.contains(&span);
    let scalars = values.descendants().filter_map(|node| {
        let text = node.as_str().map(str::trim)?;
        (text.len() >= MIN_COPY).then_some((text, node.span))
    });
    let scalars: Vec<(&str, Span)> = scalars.collect();
    let texts: BTreeSet<&str> = scalars
        .iter()
        .filter(|(_, span)| is_inside(*span))
        .map(|(text, _)| *text)
        .collect_set();
    let is_copy = |(text, span): &(&str, Span)| texts.contains(text) && !is_inside(*span);
    scalars
        .into_iter()
        .filter(is_copy)
        .map(|(_, span)| span)
        .collect()
}

/// The shortest text that is looked for elsewhere: others are the same by chance.
const MIN_COPY: usize = 6;

fn push(node: &Node, found: &mut Vec<Span>) {
    if node.span.start < node.span.end {
        found.push(node.span);
    }
}

fn find<'n>(node: &'n Node, path: &[&str], each: &mut dyn FnMut(&'n Node)) {
    let Some((first, rest)) = path.split_first() else {
        return each(node);
    };
    // What stands below a slip of the pen is what belongs below the key that was meant.
    let is_meant = |key: &str| *first == "*" || is_slip(key, first);
    node.entries()
        .iter()
        .filter(|entry| is_meant(&entry.key))
        .for_each(|entry| find(&entry.value, rest, each));
}

/// Finds the scalars of a configuration that may be secret: all but those below public keys, and the paths of files. An address may hold
/// a password anywhere.
fn find_private(config: &Node, found: &mut Vec<Span>) {
    let mut todo = vec![(config, false)];
    while let Some((node, is_public)) = todo.pop() {
        todo.extend(node.items().iter().map(|item| (item, is_public)));
        todo.extend(node.entries().iter().map(|entry| {
            let is_known = PUBLIC_KEYS.contains(&&*entry.key) || entry.key.ends_with("_file");
            (&entry.value, is_public || is_known)
        }));
        let is_address = |text: &str| text.contains("://") || text.contains('@');
        let is_scalar = !node.is_collection();
        if is_scalar && (!is_public || node.as_str().is_some_and(is_address)) {
            push(node, found);
        }
    }
}

/// The places of texts that are secret by the ends of their keys.
pub(super) fn named(root: &Node) -> Vec<Span> {
    let mut found = Vec::new();
    for entry in root.descendants().flat_map(Node::entries) {
        if entry.value.as_str().is_some() && is_secret_key(&entry.key) {
            push(&entry.value, &mut found);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_text::diag::Sink;
    use promgen_text::source::FileId;
    use promgen_text::yaml::read::read;

    #[test]
    fn a_secret_is_told_by_its_place_and_by_its_name() {
        let text = "alertmanager: {Config: {a: b1}, config: b2, configNamespace: p}\n\
                    prometheus: {extraSecret: {data: {a: b3}}, prometheusSpec: {additionalScrapeConfig: [b4], retention: p}}\n\
                    grafana: {adminPasword: b5, ldap: {config: b6}, x: {secureJsonData: {y: b7}}, adminUser: p}\n\
                    other: [{smtp_password: b8, existingSecret: p, tokenName: p, useToken: true, a-token: b9}]\n";
        let document = read(FileId::new(0), text, &mut Sink::default()).remove(0);
        let mut found: Vec<&str> = places(&document.root)
            .iter()
            .map(|span| &text[span.start as usize..span.end as usize])
            .collect();
        found.sort_unstable();
        assert_eq!(
            found,
            [
                "b1",
                "b2",
                "b4",
                "b5",
                "b6",
                "b8",
                "b9",
                "{data: {a: b3}}",
                "{y: b7}"
            ]
        );
    }

    #[test]
    fn of_a_configuration_the_names_are_public_and_the_rest_is_not() {
        let text = "alertmanager: {config: {global: {resolve_timeout: p, smtp_auth_username: b1, slack_api_url_file: p}, \
                    route: {receiver: p, matchers: [p], routes: [{group_wait: p, auth_token: b2}]}, \
                    receivers: [{name: p, slack_configs: [{api_url: b3, titel: b4, http_config: {basic_auth: {password: b5}}}]}], time_intervals: [{name: p}]}}\n\
                    prometheus: {prometheusSpec: {additionalScrapeConfigs: [{job_name: p, scrape_interval: p, authorization: {credentials: b6}, \
                    params: {key: [b7]}, static_configs: [{targets: [p, b0@x]}], kubernetes_sd_configs: [{role: p, bearer: b9}], relabel_configs: [{regex: p}]}], additionalAlertRelabelConfigs: [{action: p, regx: b8}]}}\n";
        let document = read(FileId::new(0), text, &mut Sink::default()).remove(0);
        let found = places(&document.root);
        let mut found: Vec<&str> = found
            .iter()
            .map(|span| &text[span.start as usize..span.end as usize])
            .collect();
        found.sort_unstable();
        found.dedup();
        assert_eq!(
            found,
            ["b0@x", "b1", "b2", "b3", "b4", "b5", "b6", "b7", "b8", "b9"]
        );
    }
}
