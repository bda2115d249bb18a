//! Relabeling, once more: rule by rule, label by label, with another regular expression engine, and nothing planned ahead.
//!
//! Only what the rules that are made up here need: no name of a group, no text beyond ASCII.

use std::collections::BTreeMap;

use promgen_compile::sharding::plan::Shard;
use regex::{Captures, Regex};

/// A rule, as it is written in a configuration.
#[derive(Clone, Debug, Default)]
pub(super) struct Rule {
    pub(super) action: &'static str,
    pub(super) sources: Vec<&'static str>,
    pub(super) separator: &'static str,
    pub(super) regex: String,
    pub(super) modulus: u64,
    pub(super) target: String,
    pub(super) replacement: String,
}

/// A rule as a shard has it.
pub(super) struct OfShard<'r> {
    rule: &'r Rule,
    regex: Regex,
    target: String,
    replacement: String,
}

/// Rules as a shard has them.
pub(super) fn of_shard<'r>(rules: &'r [Rule], shard: &Shard) -> Vec<OfShard<'r>> {
    let of_shard = |rule: &'r Rule| OfShard {
        rule,
        regex: Regex::new(&format!("^(?s:{})$", filled(&rule.regex, shard)))
            .expect("a pattern of both engines"),
        target: filled(&rule.target, shard),
        replacement: filled(&rule.replacement, shard),
    };
    rules.iter().map(of_shard).collect()
}

/// A target under change.
#[derive(Clone, Debug, Default)]
pub(super) struct Target {
    /// The labels that it came with and that nobody changed.
    untouched: BTreeMap<String, String>,
    /// Those that were set, in that order.
    set: Vec<(String, String)>,
}

impl Target {
    pub(super) fn new<'l>(labels: impl IntoIterator<Item = (&'l str, &'l str)>) -> Self {
        let labels = labels.into_iter().filter(|(_, value)| !value.is_empty());
        Self {
            untouched: labels
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
            ..Self::default()
        }
    }

    fn get(&self, name: &str) -> &str {
        let set = self
            .set
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value);
        set.or_else(|| self.untouched.get(name))
            .map_or("", String::as_str)
    }

    fn put(&mut self, name: &str, value: &str) {
        self.untouched.remove(name);
        match self.set.iter_mut().find(|(known, _)| known == name) {
            _ if value.is_empty() => self.set.retain(|(known, _)| known != name),
            Some((_, old)) => *old = value.to_owned(),
            None => self.set.push((name.to_owned(), value.to_owned())),
        }
    }

    /// Names and values: as the target had them, then as they were set.
    fn all(&self) -> Vec<(String, String)> {
        let untouched = self
            .untouched
            .iter()
            .map(|(name, value)| (name.clone(), value.clone()));
        untouched.chain(self.set.iter().cloned()).collect()
    }

    /// The labels by name.
    pub(super) fn labels(&self) -> BTreeMap<String, String> {
        self.all().into_iter().collect()
    }

    /// Runs rules. Whether the target is kept.
    pub(super) fn run(&mut self, rules: &[OfShard<'_>]) -> bool {
        rules.iter().all(|rule| self.step(rule))
    }

    fn step(
        &mut self,
        OfShard {
            rule,
            regex,
            target,
            replacement,
        }: &OfShard<'_>,
    ) -> bool {
        let value = rule
            .sources
            .iter()
            .map(|name| self.get(name))
            .collect::<Vec<_>>()
            .join(rule.separator);
        match rule.action {
            "keep" => return regex.is_match(&value),
            "drop" => return !regex.is_match(&value),
            "keepequal" => return self.get(target) == value,
            "dropequal" => return self.get(target) != value,
            "replace" => {
                if let Some(found) = regex.captures(&value) {
                    let name = expanded(target, &found);
                    if !name.is_empty() {
                        self.put(&name, &expanded(replacement, &found));
                    }
                }
            }
            "lowercase" => self.put(target, &value.to_ascii_lowercase()),
            "uppercase" => self.put(target, &value.to_ascii_uppercase()),
            "hashmod" => self.put(target, &(hash(&value) % rule.modulus).to_string()),
            "labelmap" => {
                for (name, value) in self.all() {
                    if let Some(found) = regex.captures(&name) {
                        self.put(&expanded(replacement, &found), &value);
                    }
                }
            }
            "labeldrop" => self.remove(|name| regex.is_match(name)),
            "labelkeep" => self.remove(|name| !regex.is_match(name)),
            other => panic!("the action `{other}` is not made up"),
        }
        true
    }

    fn remove(&mut self, is_gone: impl Fn(&str) -> bool) {
        self.untouched.retain(|name, _| !is_gone(name));
        self.set.retain(|(name, _)| !is_gone(name));
    }
}

/// The last eight bytes of the MD5, the highest first.
fn hash(text: &str) -> u64 {
    md5::compute(text).0[8..]
        .iter()
        .fold(0, |hash, byte| hash << 8 | u64::from(*byte))
}

/// A text with the placeholders of a shard filled in.
fn filled(text: &str, shard: &Shard) -> String {
    let text = text.replace("$(SHARD)", &shard.index.to_string());
    match &shard.zone {
        Some(zone) => text
            .replace("$(TOPOLOGY_ZONE)", zone)
            .replace("$(INZONE_SHARD)", &shard.in_zone.to_string()),
        None => text,
    }
}

/// A text with references to groups: `$1`, `${1}`, `$$`; a name that no group has is nothing, and any other `$` is itself.
fn expanded(text: &str, found: &Captures<'_>) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        out.push_str(before);
        if let Some(after) = after.strip_prefix('$') {
            out.push('$');
            rest = after;
            continue;
        }
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let (name, after) = match after
            .strip_prefix('{')
            .and_then(|inner| inner.split_once('}'))
        {
            Some((name, after)) if name.chars().all(is_name) => (name, after),
            _ => after.split_at(after.find(|c| !is_name(c)).unwrap_or(after.len())),
        };
        if name.is_empty() {
            out.push('$');
            rest = after;
            continue;
        }
        let group = name
            .parse::<usize>()
            .ok()
            .and_then(|number| found.get(number));
        out.push_str(group.map_or("", |group| group.as_str()));
        rest = after;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_those_of_go() {
        let found = Regex::new("(.)(b)").unwrap().captures("ab").unwrap();
        let cases = [
            ("$1-$2", "a-b"),
            ("${1}x", "ax"),
            ("$1x", ""),
            ("$$1", "$1"),
            ("$", "$"),
            ("$-", "$-"),
            ("$3", ""),
        ];
        for (text, expected) in cases {
            assert_eq!(expanded(text, &found), expected, "{text}");
        }
    }

    #[test]
    fn a_hash_is_that_of_prometheus() {
        assert_eq!(hash("10.0.0.1:9100") % 16, 13);
    }
}
