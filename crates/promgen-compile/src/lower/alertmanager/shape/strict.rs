//! Fields of a configuration that the operator hands on as it is, and that Alertmanager refuses: it decodes the file strictly
//! (config.Load), so that one field which its version does not know keeps it from the start.
//!
//! Of a version that is not in the table, an unknown field counts only if it is almost a known one.

use std::collections::BTreeSet;

use crate::lower::alertmanager::shape::UNKNOWN_FIELD;
use crate::receivers::ROOT;
use crate::receivers::table::shape::{KeyType, Shape, ShapeKey};
use promgen_resources::release::config_fields::{self, ConfigField, ConfigVerdict};
use promgen_text::CollectOrdered;
use promgen_text::suggest;
use promgen_text::version::Version;
use promgen_text::yaml::Node;

/// The maximum depth that is looked at.
const MAX_DEPTH: usize = 64;

/// The most places that a help names.
const MAX_PLACES: usize = 3;

/// The most letters in which a misspelt field differs from the one that is meant.
const MAX_EDITS: usize = 2;

/// A field that Alertmanager refuses.
#[derive(Debug)]
pub(in crate::lower::alertmanager) struct RefusedField {
    /// The line of the configuration.
    pub(in crate::lower::alertmanager) line: usize,
    /// Why, without any text of the user.
    pub(in crate::lower::alertmanager) why: String,
}

/// The fields of a configuration that Alertmanager of a version refuses. Where the version is not stated, those that another version
/// knows are none.
pub(in crate::lower::alertmanager) fn refused(
    text: &str,
    root: &Node,
    version: Option<&Version>,
    is_stated: bool,
) -> Vec<RefusedField> {
    let mut walk = Strict {
        text,
        version,
        is_stated,
        found: Vec::new(),
    };
    walk.part(root, "", 0);
    walk.found
}

/// The help for the field which an error of the operator does not know: where a field of that name belongs, or else the name that
/// is meant.
pub(crate) fn field_help(error: &str) -> Option<String> {
    let (before, of) = error.split_once(UNKNOWN_FIELD)?;
    let (_, unknown) = before.rsplit_once("field ")?;
    let parts = parts();
    let of = of.split_whitespace().next();
    let is_newer = |field: &ShapeKey| field.key == unknown && field.own_type == of;
    if parts.iter().flat_map(|(shape, _)| shape.keys).any(is_newer) {
        return Some(format!(
            "`{unknown}` is right here for newer releases of the operator"
        ));
    }
    let places = places(unknown, &parts);
    if let Some((first, others)) = places.split_first() {
        let shown = others
            .iter()
            .take(MAX_PLACES - 1)
            .fold(place(first), |all, path| {
                format!("{all} or {}", place(path))
            });
        let more = if places.len() > MAX_PLACES {
            ", among others"
        } else {
            ""
        };
        return Some(format!("`{unknown}` belongs {shown}{more}"));
    }
    let known: BTreeSet<&str> = parts
        .iter()
        .flat_map(|(shape, _)| shape.keys)
        .map(|field| field.key)
        .collect_set();
    suggest::closest(unknown, known.into_iter()).map(|meant| format!("did you mean `{meant}`?"))
}

/// The paths of the parts that have a field of that name.
fn places<'p>(name: &str, parts: &'p [(&'static Shape, String)]) -> Vec<&'p str> {
    let has = |shape: &Shape| shape.keys.iter().any(|field| field.key == name);
    parts
        .iter()
        .filter(|(shape, _)| has(shape))
        .map(|(_, path)| path.as_str())
        .collect()
}

/// The words for a part of a configuration.
fn place(path: &str) -> String {
    match path {
        "" => "at the top of the configuration".to_owned(),
        path => format!("in `{}`", config_fields::shown(path)),
    }
}

/// All parts of a configuration, each once, with the shortest path to it: `receivers[].slack_configs[]`.
fn parts() -> Vec<(&'static Shape, String)> {
    let mut found: Vec<(&'static Shape, String)> = vec![(&ROOT, String::new())];
    let mut next = 0;
    while let Some((shape, path)) = found.get(next).cloned() {
        next += 1;
        for field in shape.keys {
            let Some(part) = part(field.kind) else {
                continue;
            };
            if !found.iter().any(|(known, _)| known.name == part.name) {
                let dot = if path.is_empty() { "" } else { "." };
                let items = if matches!(field.kind, KeyType::Many(_) | KeyType::Times(_)) {
                    "[]"
                } else {
                    ""
                };
                found.push((part, format!("{path}{dot}{}{items}", field.key)));
            }
        }
    }
    found
}

/// The parts of the value of a key.
const fn part(kind: KeyType) -> Option<&'static Shape> {
    match kind {
        KeyType::One(part)
        | KeyType::Filled(part)
        | KeyType::Raw(part)
        | KeyType::Many(part)
        | KeyType::Times(part) => Some(part),
        _ => None,
    }
}

struct Strict<'t> {
    text: &'t str,
    version: Option<&'t Version>,
    is_stated: bool,
    found: Vec<RefusedField>,
}

impl Strict<'_> {
    /// Looks at a part of the configuration, or at each of a list.
    fn part(&mut self, node: &Node, part: &str, depth: usize) {
        if depth > MAX_DEPTH {
            return;
        }
        for item in node.items() {
            self.part(item, part, depth + 1);
        }
        for entry in node.entries() {
            if entry.key == "<<" || entry.key.contains("{{") {
                continue;
            }
            let field = config_fields::field(part, &entry.key, self.version);
            if let Some(below) = field.part {
                self.part(&entry.value, below, depth + 1);
            }
            if let Some(why) = self.why(part, &entry.key, &field) {
                let before = self.text.get(..entry.key_span.start as usize);
                let line = before.unwrap_or_default().matches('\n').count() + 1;
                self.found.push(RefusedField { line, why });
            }
        }
    }

    /// Why Alertmanager refuses a field of a part.
    fn why(&self, part: &str, key: &str, field: &ConfigField) -> Option<String> {
        let version = self.version.map(Version::to_string).unwrap_or_default();
        match &field.verdict {
            ConfigVerdict::Later(since) if self.is_stated => Some(format!(
                "it does not know the field `{key}`, which requires Alertmanager ≥ {since}; this is {version}"
            )),
            ConfigVerdict::Gone(last) if self.is_stated => Some(format!(
                "it does not know the field `{key}`, which Alertmanager {last} still had; this is {version}"
            )),
            ConfigVerdict::Unknown { is_proven } => {
                let is_near = |known: &&str| {
                    suggest::edits(key, known).is_some_and(|edits| edits <= MAX_EDITS)
                };
                if let Some(meant) = config_fields::names(part).find(is_near) {
                    return Some(format!("a field is unknown: did you mean `{meant}`?"));
                }
                if !is_proven {
                    return None;
                }
                let homes = config_fields::homes(key);
                Some(match homes.split_first() {
                    Some((first, others)) if others.len() < MAX_PLACES => {
                        let places = others.iter().fold(place(first), |all, path| {
                            format!("{all} or {}", place(path))
                        });
                        format!(
                            "the field `{key}` is unknown here, it stands at the wrong level: `{key}` belongs {places}"
                        )
                    }
                    None if !is_plain(key) => format!("{} has an unknown field", of(part)),
                    _ => format!("{} has no field `{key}`", of(part)),
                })
            }
            _ => None,
        }
    }
}

/// The words for a part that has a field.
fn of(part: &str) -> String {
    match part {
        "" => "the top of the configuration".to_owned(),
        part => format!("`{}`", config_fields::shown(part)),
    }
}

/// Returns whether a key is a name of words: another one may be a secret at the wrong place, and is not repeated.
fn is_plain(key: &str) -> bool {
    key.contains('_') && key.bytes().all(|c| c.is_ascii_lowercase() || c == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_text::yaml::read::read_slices;

    /// Why Alertmanager of a version refuses a configuration.
    fn told(text: &str, version: &str) -> Vec<String> {
        let root = read_slices(text).unwrap().unwrap();
        let version = Version::parse(version).unwrap();
        let refused = refused(text, &root, Some(&version), true).into_iter();
        refused
            .map(|of| format!("{} {}", of.line, of.why))
            .collect()
    }

    #[test]
    fn a_field_that_the_version_does_not_know_is_refused() {
        let slack = "route: {receiver: a}\nreceivers:\n- name: a\n  slack_configs: [{channel: c, post_updates_to_thread: true}]\n";
        assert_eq!(
            told(slack, "v0.34.0"),
            [
                "4 it does not know the field `post_updates_to_thread`, which requires Alertmanager ≥ 0.35.0; this is 0.34.0"
            ]
        );
        for version in ["v0.35.0", "v0.36.0"] {
            assert_eq!(told(slack, version), [""; 0], "{version}");
        }
        let deep = "route:\n  receiver: a\n  routes:\n  - receiver: a\n    routes: [{escalate_after: 5m}]\n";
        assert_eq!(
            told(deep, "v0.28.1"),
            ["5 `route` has no field `escalate_after`"]
        );
        assert_eq!(told(deep, "v0.99.0"), [""; 0]);
        let http = "global: {http_config: {tls_config: {skip_all_of_it: true}}}\n";
        assert_eq!(
            told(http, "v0.28.1"),
            ["1 `tls_config` has no field `skip_all_of_it`"]
        );
        // What may be a secret is not repeated.
        assert_eq!(
            told("hunter2: 1\n", "v0.28.1"),
            ["1 the top of the configuration has an unknown field"]
        );
    }

    #[test]
    fn maps_of_the_user_and_templates_are_not_judged() {
        for text in [
            "route: {match: {a_b: c}, match_re: {d_e: f}, receiver: a}\n",
            "receivers: [{name: a, email_configs: [{headers: {X_Y: z}}], webhook_configs: [{http_config: {http_headers: {X: {values: [a]}}}}]}]\n",
            "time_intervals: [{name: a, time_intervals: [{no_such_key: 1}]}]\n",
            "route: {\"{{ x }}\": a, receiver: b}\n",
            "receivers: [{name: a, jira_configs: [{fields: {customfield_1: {a_b: 1}}}], pagerduty_configs: [{details: {a_b: c}}]}]\n",
        ] {
            assert_eq!(told(text, "v0.34.0"), [""; 0], "{text}");
        }
    }

    #[test]
    fn a_field_at_the_wrong_level_is_told_its_place() {
        for (text, home) in [
            ("group_by: [a]\n", "`group_by` belongs in `route`"),
            (
                "route: {receiver: a, inhibit_rules: []}\n",
                "`inhibit_rules` belongs at the top",
            ),
            (
                "global: {insecure_skip_verify: true}\n",
                "belongs in `tls_config`",
            ),
        ] {
            assert!(
                told(text, "v0.34.0").iter().any(|why| why.contains(home)),
                "{:?}",
                told(text, "v0.34.0")
            );
        }
    }

    #[test]
    fn the_table_has_what_receivers_write() {
        let newest = config_fields::newest();
        let mut beyond = Vec::new();
        for (shape, path) in parts() {
            // Intervals are decoded by types of their own.
            if path.contains("time_intervals[].time_intervals") {
                continue;
            }
            let part = path.split_inclusive('.').fold(String::new(), |part, key| {
                let key = key.trim_end_matches('.').trim_end_matches("[]");
                let field = config_fields::field(&part, key, newest);
                field.part.unwrap_or("none").to_owned()
            });
            if part == "none" {
                beyond.push(path);
                continue;
            }
            for field in shape.keys {
                let told = config_fields::field(&part, field.key, newest).verdict;
                let is_known = matches!(told, ConfigVerdict::Taken | ConfigVerdict::Gone(_));
                assert!(is_known, "{path} {} {told:?}", field.key);
            }
        }
        // Their types name no fields for YAML, so that the table has none.
        assert_eq!(
            beyond,
            ["fields", "actions"].map(|list| format!("receivers[].rocketchat_configs[].{list}[]"))
        );
    }

    #[test]
    fn a_word_of_another_part_is_told_its_place_and_a_slip_its_word() {
        let told = |word: &str| {
            field_help(&format!(
                "yaml: unmarshal errors:\n  line 3: field {word} not found in type config.plain"
            ))
        };
        for (word, help) in [
            ("group_by", "`group_by` belongs in `route`"),
            ("repeat_interval", "`repeat_interval` belongs in `route`"),
            (
                "inhibit_rules",
                "`inhibit_rules` belongs at the top of the configuration",
            ),
            (
                "source_matchers",
                "`source_matchers` belongs in `inhibit_rules[]`",
            ),
            ("smtp_smarthost", "`smtp_smarthost` belongs in `global`"),
            ("slack_configs", "`slack_configs` belongs in `receivers[]`"),
            ("group_bye", "did you mean `group_by`?"),
            ("inhibit_rule", "did you mean `inhibit_rules`?"),
        ] {
            assert_eq!(told(word).as_deref(), Some(help), "{word}");
        }
        assert!(
            told("send_resolved").is_some_and(|help| help.ends_with(", among others")),
            "{:?}",
            told("send_resolved")
        );
        assert_eq!(told("something_else_entirely"), None);
        // A type of the operator that lacks it in older releases only.
        for (word, of, is_newer) in [
            ("webhook_url_file", "alertmanager.discordConfig", true),
            ("labels", "alertmanager.route\n", true),
            ("webhook_url_file", "alertmanager.route", false),
            ("labels", "alertmanager.discordConfig", false),
        ] {
            let help = field_help(&format!("field {word} not found in type {of}"));
            let is_told = help.is_some_and(|help| help.ends_with("newer releases of the operator"));
            assert_eq!(is_told, is_newer, "{word} {of}");
        }
    }
}
