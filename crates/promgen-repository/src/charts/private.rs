//! The values of the chart that hold secrets by their role.

use std::collections::BTreeSet;

use promgen_resources::secrecy::is_secret_key;
use promgen_text::source::Span;
use promgen_text::suggest::is_slip;
use promgen_text::yaml::{Entry, Node};

/// Their paths; `*` stands for any key.
const PATHS: [&[&str]; 15] = [
    &["alertmanager", "stringConfig"],
    &["alertmanager", "templateFiles"],
    &["alertmanager", "extraSecret"],
    &["prometheus", "extraSecret"],
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

/// The path of the configuration of Alertmanager.
const CONFIG: [&str; 2] = ["alertmanager", "config"];

/// Its keys that hold names, labels and times, and no secret.
const PLAIN_OF_CONFIG: [&str; 4] = [
    "inhibit_rules",
    "mute_time_intervals",
    "route",
    "time_intervals",
];

/// The places of the secrets among the values of a user.
pub(super) fn places(values: &Node) -> Vec<Span> {
    let mut found = Vec::new();
    for path in PATHS {
        find(values, path, &mut |node| push(node, &mut found));
    }
    find(values, &CONFIG, &mut |config| of_config(config, &mut found));
    find_named(values, &mut found);
    found
}

/// The places of other texts that repeat a secret one: aliases of it, and what it is an alias of.
pub(super) fn copies(values: &Node, places: &[Span], secret: &BTreeSet<Span>) -> Vec<Span> {
    let is_inside = |span: Span| places.iter().any(|own| own.holds(span)) || secret.contains(&span);
    let mut scalars = Vec::new();
    let mut todo = vec![values];
    while let Some(node) = todo.pop() {
        todo.extend(node.children());
        let text = node
            .as_str()
            .map(str::trim)
            .filter(|text| text.len() >= MIN_COPY);
        scalars.extend(text.map(|text| (text, node.span)));
    }
    let texts: BTreeSet<&str> = scalars
        .iter()
        .filter(|(_, span)| is_inside(*span))
        .map(|(text, _)| *text)
        .collect();
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

/// The values of a configuration but those of its plain keys and the names of receivers, if it is a map with the keys of one.
fn of_config(config: &Node, found: &mut Vec<Span>) {
    let is_plain = |entry: &&Entry| PLAIN_OF_CONFIG.contains(&&*entry.key);
    if !config.entries().iter().any(|entry| is_plain(&entry)) {
        return push(config, found);
    }
    for entry in config.entries().iter().filter(|entry| !is_plain(entry)) {
        match (&*entry.key, entry.value.items()) {
            ("receivers", items @ [_, ..]) => {
                let settings = items.iter().flat_map(Node::entries);
                let settings = settings.filter(|setting| setting.key != "name");
                settings.for_each(|setting| leaves(&setting.value, found));
            }
            _ => leaves(&entry.value, found),
        }
    }
}

/// The values of maps and lists, without their keys.
fn leaves(node: &Node, found: &mut Vec<Span>) {
    let mut todo = vec![node];
    while let Some(node) = todo.pop() {
        if node.children().next().is_none() {
            push(node, found);
        }
        todo.extend(node.children());
    }
}

fn find<'n>(node: &'n Node, path: &[&str], found: &mut dyn FnMut(&'n Node)) {
    let Some((first, rest)) = path.split_first() else {
        return found(node);
    };
    // What stands below a slip of the pen is what belongs below the key that was meant.
    let is_meant = |key: &str| *first == "*" || is_slip(key, first);
    node.entries()
        .iter()
        .filter(|entry| is_meant(&entry.key))
        .for_each(|entry| find(&entry.value, rest, found));
}

/// Finds texts by the ends of their keys.
fn find_named(root: &Node, found: &mut Vec<Span>) {
    let mut todo = vec![root];
    while let Some(node) = todo.pop() {
        for entry in node.entries() {
            match entry.value.as_str() {
                Some(_) if is_secret_key(&entry.key) => push(&entry.value, found),
                _ => todo.push(&entry.value),
            }
        }
        todo.extend(node.items());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_text::diag::Sink;
    use promgen_text::source::FileId;
    use promgen_text::yaml::read::read;

    fn found(text: &str) -> Vec<&str> {
        let document = read(FileId::new(0), text, &mut Sink::default()).remove(0);
        let mut found: Vec<&str> = places(&document.root)
            .iter()
            .map(|span| &text[span.start as usize..span.end as usize])
            .collect();
        found.sort_unstable();
        found
    }

    #[test]
    fn routes_of_a_configuration_are_no_secret() {
        let config = "route: {receiver: p}, inhibit_rules: [p], global: {a: b1}, receivers: [{name: p, a: b2}], Route: [b3]";
        assert_eq!(
            found(&format!("alertmanager: {{config: {{{config}}}}}")),
            ["b1", "b2", "b3"]
        );
    }

    #[test]
    fn a_secret_is_told_by_its_place_and_by_its_name() {
        let text = "alertmanager: {Config: {a: b1}, config: b2, configNamespace: p}\n\
                    prometheus: {extraSecret: {data: {a: b3}}, prometheusSpec: {additionalScrapeConfig: [b4], retention: p}}\n\
                    grafana: {adminPasword: b5, ldap: {config: b6}, x: {secureJsonData: {y: b7}}, adminUser: p}\n\
                    other: [{smtp_password: b8, existingSecret: p, tokenName: p, useToken: true, a-token: b9}]\n";
        assert_eq!(
            found(text),
            [
                "[b4]",
                "b2",
                "b5",
                "b6",
                "b8",
                "b9",
                "{a: b1}",
                "{data: {a: b3}}",
                "{y: b7}"
            ]
        );
    }
}
