//! What each version of the chart has: its operator, and its default values.

use std::sync::OnceLock;

use promgen_text::source::Span;
use promgen_text::version::Version;
use promgen_text::yaml::edit::{self, null};
use promgen_text::yaml::{Entry, Node};

use super::table;
use crate::charts::node::path;

/// The paths of all values that some version has by default, each with whether one of its values is a map or a list.
fn paths() -> &'static [(Vec<String>, bool)] {
    static READ: OnceLock<Vec<(Vec<String>, bool)>> = OnceLock::new();
    READ.get_or_init(|| {
        let values = table::VALUE.iter();
        values
            .filter_map(|row| Some((path(row.name)?, row.value.starts_with(['{', '[']))))
            .collect()
    })
}

/// All versions, in their order.
pub(super) fn all() -> impl DoubleEndedIterator<Item = &'static str> + Clone {
    table::VERSIONS.iter().copied()
}

/// A version of the chart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KnownVersion {
    /// The version that is compiled.
    pub(crate) version: &'static str,
    /// The operator that it installs.
    pub(crate) operator: &'static str,
}

/// The newest version that is known.
pub(crate) fn newest() -> KnownVersion {
    known(all().next_back().unwrap_or_default())
}

fn known(version: &'static str) -> KnownVersion {
    let operator = table::at(table::OPERATOR, version).next();
    KnownVersion {
        version,
        operator: operator.map_or("", |(_, operator)| operator),
    }
}

/// A version as it is written, or the newest one that a range allows.
pub(crate) fn find(text: &str) -> FoundVersion {
    let text = text.trim();
    let text = if text.is_empty() { "*" } else { text };
    if let Some(found) = all().find(|version| *version == text.trim_start_matches('v')) {
        return FoundVersion::Known(known(found));
    }
    let versions = all().filter_map(|text| Some((Version::parse(text)?, text)));
    let newest_with = |holds: &dyn Fn(&Version) -> bool| {
        let found = versions.clone().rev().find(|(version, _)| holds(version));
        found.map(|(_, text)| FoundVersion::Known(known(text)))
    };
    let (first, last) = (versions.clone().next(), versions.clone().next_back());
    if let Some(exact) = exact(text) {
        let (Some((first, _)), Some((last, _))) = (first, last) else {
            return FoundVersion::None;
        };
        return match exact {
            exact if exact > last => FoundVersion::Newer(newest()),
            exact if exact < first => FoundVersion::Older,
            // One that was taken back: as the one before it.
            exact => newest_with(&|version| *version <= exact).unwrap_or(FoundVersion::None),
        };
    }
    let Some(ranges) = ranges(text) else {
        return FoundVersion::None;
    };
    if let Some(found) = newest_with(&|version| are_held(&ranges, version)) {
        return found;
    }
    let least = ranges
        .iter()
        .flatten()
        .filter(|bound| bound.is_lower)
        .map(|bound| &bound.version)
        .min();
    match (least, last) {
        (Some(least), Some((last, _))) if *least > last => FoundVersion::Newer(newest()),
        (Some(_), _) => FoundVersion::Older,
        _ => FoundVersion::None,
    }
}

/// The state of a version that a release asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FoundVersion {
    /// This one.
    Known(KnownVersion),
    /// A newer one than all: it is compiled as the newest.
    Newer(KnownVersion),
    /// An older one than all.
    Older,
    /// Nobody can tell.
    None,
}

/// The release of the operator that a version of kube-prometheus-stack installs, if promgen knows the version.
#[must_use]
pub fn operator(version: &str) -> Option<&'static str> {
    match find(version) {
        FoundVersion::Known(known) => Some(known.operator),
        _ => None,
    }
}

/// Returns whether a range of versions has a version.
#[must_use]
pub fn allows(range: &str, version: &str) -> bool {
    let Some(version) = Version::parse(version) else {
        return false;
    };
    ranges(range).is_some_and(|ranges| are_held(&ranges, &version))
}

/// Returns whether a version holds all conditions of one of several alternatives.
fn are_held(ranges: &[Vec<VersionBound>], version: &Version) -> bool {
    let holds = |all: &Vec<VersionBound>| all.iter().all(|bound| bound.holds(version));
    ranges.iter().any(holds)
}

/// A version of three numbers.
pub(crate) fn exact(text: &str) -> Option<Version> {
    let text = text.trim_start_matches('=').trim();
    let digits = text
        .trim_start_matches('v')
        .split(['-', '+'])
        .next()
        .unwrap_or_default();
    let is_whole =
        digits.split('.').count() == 3 && digits.split('.').all(|part| part.parse::<u64>().is_ok());
    if is_whole { Version::parse(text) } else { None }
}

/// A condition on a version.
struct VersionBound {
    is_lower: bool,
    is_open: bool,
    version: Version,
}

impl VersionBound {
    fn holds(&self, version: &Version) -> bool {
        match (self.is_lower, self.is_open) {
            (true, true) => *version > self.version,
            (true, false) => *version >= self.version,
            (false, true) => *version < self.version,
            (false, false) => *version <= self.version,
        }
    }
}

/// Alternatives of conditions, as Helm reads a range: `75.x`, `^75.1`, `>=70 <80 || 82.*`, `1.2 - 2`.
fn ranges(text: &str) -> Option<Vec<Vec<VersionBound>>> {
    text.split("||").map(conditions).collect()
}

fn conditions(text: &str) -> Option<Vec<VersionBound>> {
    if let Some((low, high)) = text.split_once(" - ") {
        let mut bounds = condition(&format!(">={}", low.trim()))?;
        bounds.extend(condition(&format!("<={}", high.trim()))?);
        return Some(bounds);
    }
    let spaced = text.replace(',', " ");
    let mut bounds = Vec::new();
    let mut mark = String::new();
    for word in spaced.split_whitespace() {
        let whole = format!("{mark}{word}");
        mark.clear();
        if whole
            .trim_matches(['<', '>', '=', '^', '~', '!'])
            .is_empty()
        {
            mark = whole;
        } else {
            bounds.extend(condition(&whole)?);
        }
    }
    mark.is_empty().then_some(bounds)
}

fn condition(text: &str) -> Option<Vec<VersionBound>> {
    let at = text
        .find(|c: char| !"<>=^~!".contains(c))
        .unwrap_or(text.len());
    let (mark, version) = text.split_at(at);
    let version = version
        .trim_start_matches('v')
        .split(['-', '+'])
        .next()
        .unwrap_or_default();
    let is_wild = |part: &&str| matches!(*part, "x" | "X" | "*");
    let stated: Vec<&str> = version
        .split('.')
        .take_while(|part| !is_wild(part))
        .collect();
    let numbers: Vec<u64> = stated
        .iter()
        .map(|part| part.parse().ok())
        .collect::<Option<_>>()?;
    if numbers.is_empty() {
        return Some(Vec::new());
    }
    let number = |at: usize| numbers.get(at).copied().unwrap_or_default();
    let make =
        |major: u64, minor: u64, patch: u64| Version::parse(&format!("{major}.{minor}.{patch}"));
    let low = make(number(0), number(1), number(2))?;
    let above = |n: usize| match n {
        0 => None,
        1 => make(number(0).checked_add(1)?, 0, 0),
        2 => make(number(0), number(1).checked_add(1)?, 0),
        _ => make(number(0), number(1), number(2).checked_add(1)?),
    };
    let bound = |is_lower, is_open, version| VersionBound {
        is_lower,
        is_open,
        version,
    };
    let lower = |is_open, version| bound(true, is_open, version);
    let upper = |is_open, version| bound(false, is_open, version);
    Some(match mark {
        "" | "=" => vec![lower(false, low), upper(true, above(numbers.len())?)],
        "^" => vec![lower(false, low), upper(true, above(1)?)],
        "~" | "~>" => vec![lower(false, low), upper(true, above(numbers.len().min(2))?)],
        ">=" | "=>" => vec![lower(false, low)],
        ">" => vec![lower(false, above(numbers.len())?)],
        "<" => vec![upper(true, low)],
        "<=" | "=<" => vec![upper(true, above(numbers.len())?)],
        _ => return None,
    })
}

/// The default values of a version, all at one place.
pub(crate) fn defaults(version: &str, span: Span) -> Node {
    let value = |(name, json)| {
        Some((
            path(name)?,
            edit::json(&serde_json::from_str(json).ok()?, span),
        ))
    };
    let values = table::at(table::VALUE, version).filter_map(value);
    map_below(&mut values.collect::<Vec<_>>(), 0, span)
}

/// The map of values at the end of their paths, from a step on. Those with the same step stand together.
fn map_below(values: &mut [(Vec<String>, Node)], step: usize, span: Span) -> Node {
    let of_key = values.chunk_by_mut(|(a, _), (b, _)| a.get(step) == b.get(step));
    let entry = |values: &mut [(Vec<String>, Node)]| {
        let (path, value) = values.first_mut()?;
        let (key, is_last) = (path.get(step)?.as_str().into(), path.len() == step + 1);
        let value = match is_last {
            true => std::mem::replace(value, null(span)),
            false => map_below(values, step + 1, span),
        };
        Some(Entry {
            key,
            key_span: span,
            value,
        })
    };
    edit::map_of(of_key.filter_map(entry).collect(), span)
}

/// Returns whether the path of a value is below another one.
fn is_below(known: &[String], path: &[&str]) -> bool {
    known.len() > path.len() && known.iter().zip(path).all(|(a, b)| a == b)
}

/// The keys that some version has in a map of its values.
pub(crate) fn keys(path: &[&str]) -> Vec<&'static str> {
    let paths = paths().iter().filter(|(known, _)| is_below(known, path));
    let mut keys: Vec<&str> = paths.map(|(known, _)| known[path.len()].as_str()).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// The same keys, each with whether its value is a map or a list in some version.
pub(crate) fn below(path: &[&str]) -> Vec<(&'static str, bool)> {
    let is_block = |key: &str| {
        let mut of_key = paths()
            .iter()
            .filter(|(known, _)| is_below(known, path) && known[path.len()] == key);
        of_key.any(|(known, is_collection)| known.len() > path.len() + 1 || *is_collection)
    };
    keys(path)
        .into_iter()
        .map(|key| (key, is_block(key)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::node::empty;

    /// Sets the value at the end of several keys, and makes the maps above it.
    fn set_path(node: &mut Node, keys: &[String], value: Node) {
        let Some((first, rest)) = keys.split_first() else {
            *node = value;
            return;
        };
        if !node.is_map() {
            *node = empty(value.span);
        }
        if let Some(below) = edit::get_or_insert(node, first, || empty(value.span)) {
            set_path(below, rest, value);
        }
    }

    fn version(text: &str) -> String {
        match find(text) {
            FoundVersion::Known(known) => known.version.to_owned(),
            FoundVersion::Newer(known) => format!("newer than {}", known.version),
            FoundVersion::Older => "older".to_owned(),
            FoundVersion::None => "none".to_owned(),
        }
    }

    #[test]
    fn ranges_give_the_newest_version_that_they_allow() {
        for (text, expected) in [
            ("75.18.1", "75.18.1"),
            ("v75.18.1", "75.18.1"),
            ("75.x", "75.18.1"),
            ("^75.1.0", "75.18.1"),
            ("~75.1.0", "75.1.0"),
            (">=70.0.0 <76.0.0", "75.18.1"),
            (">= 70.0.0, < 76.0.0", "75.18.1"),
            ("45 - 46", "46.8.0"),
            ("45.x || 75.x", "75.18.1"),
            ("*", "88.5.3"),
            ("", "88.5.3"),
            ("999.0.0", "newer than 88.5.3"),
            ("999.x", "newer than 88.5.3"),
            ("12.0.0", "older"),
            ("12.x", "older"),
            ("${VERSION}", "none"),
        ] {
            assert_eq!(version(text), expected, "{text}");
        }
    }

    #[test]
    fn values_with_the_same_keys_stand_together() {
        for version in all().step_by(20) {
            let mut values = empty(Span::default());
            for (name, json) in table::at(table::VALUE, version) {
                let value = edit::json(&serde_json::from_str(json).unwrap(), Span::default());
                set_path(&mut values, &path(name).unwrap(), value);
            }
            let made = defaults(version, Span::default());
            assert_eq!(made.to_value(), values.to_value(), "{version}");
        }
    }

    #[test]
    fn versions_stand_in_their_order() {
        let versions: Vec<Version> = all().filter_map(Version::parse).collect();
        assert_eq!(versions.len(), all().count());
        assert!(versions.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn defaults_change_with_the_version() {
        let at = |version: &str, keys: &[&str]| {
            let defaults = defaults(version, Span::default());
            defaults.find(keys).map(|node| node.to_value())
        };
        let tag = ["prometheus", "prometheusSpec", "image", "tag"];
        assert_eq!(at("45.0.0", &tag), Some("v2.42.0".to_owned().into()));
        assert_eq!(at("46.0.0", &tag), Some("v2.44.0".to_owned().into()));
        let nil = [
            "prometheus",
            "prometheusSpec",
            "serviceMonitorSelectorNilUsesHelmValues",
        ];
        assert!(
            at("62.7.0", &nil).is_some()
                && at("63.1.0", &nil).is_none()
                && at("64.0.0", &nil).is_some()
        );
        assert!(keys(&["prometheus", "prometheusSpec"]).contains(&"retention"));
    }
}
