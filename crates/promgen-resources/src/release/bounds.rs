//! How the releases of the operator bound the values of their custom resources: what the schema of an older one says instead.
//!
//! In: a kind, a release and a place in an object. Out: the constraints there that are not those of the current release. The
//! rows stand in the table of facts.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde_json::Value;

use crate::api::Kind;
use crate::{facts, release};
use promgen_text::describe::{Bounds, Identity, LazyRegex, NamedText};
use promgen_text::version::Version;

/// A constraint that a release changed.
#[derive(Debug)]
pub struct BoundRow {
    /// The kind that has it.
    pub kind: &'static str,
    /// The field: `spec.endpoints[].scheme`.
    pub path: &'static str,
    /// The first release with the constraint of today, or with the next of these rows.
    pub until: Version,
    /// The constraint before.
    pub before: Before,
}

/// The constraint in the releases before.
#[derive(Debug)]
pub enum Before {
    /// These values alone. Empty: any.
    Values(&'static [&'static str]),
    /// This pattern, if there is one.
    Pattern(Option<&'static LazyRegex>),
    /// So many characters or items.
    MinLength(Option<u64>),
    /// No number below.
    Min(Option<i64>),
    /// No number above.
    Max(Option<i64>),
    /// The field is required.
    Required(bool),
    /// The list may have the same item twice.
    AnyItems,
    /// A keyword that refuses nothing, such as `default`.
    Keyword(&'static str, Value),
    /// This rule in CEL is not checked.
    WithoutRule(&'static str),
}

/// The constraints of one field in an older release.
pub type Earlier = Vec<&'static Before>;

/// All rows, by release and in the order of kinds and paths.
pub fn rows() -> &'static [BoundRow] {
    static ROWS: OnceLock<Vec<BoundRow>> = OnceLock::new();
    let until = |(release, line)| {
        let (kind, path, before) = row(line)?;
        Some(BoundRow {
            kind,
            path,
            until: release::of_tag(release),
            before,
        })
    };
    ROWS.get_or_init(|| facts::blocks("changes").filter_map(until).collect())
}

/// Kind, field and constraint of a line of the table. None for one that is not about a constraint.
fn row(line: &'static str) -> Option<(&'static str, &'static str, Before)> {
    let mut words = line.strip_prefix("~ ")?.splitn(4, ' ');
    let (kind, path, keyword, value) = (words.next()?, words.next()?, words.next()?, words.next()?);
    Some((
        kind,
        path,
        before(keyword, serde_json::from_str(value).unwrap_or_default())?,
    ))
}

/// The constraints of an AlertmanagerConfig of v1beta1 in a release, by field, that differ from those of the stored version
/// of today. Its own go before those of the release.
#[must_use]
pub fn of_beta(operator: &Version) -> BTreeMap<&'static str, Earlier> {
    static ROWS: OnceLock<Vec<(&'static str, Before)>> = OnceLock::new();
    let row = |(_, line)| row(line).map(|(_, path, before)| (path, before));
    let rows = ROWS.get_or_init(|| facts::blocks("version").filter_map(row).collect());
    let mut found: BTreeMap<&'static str, Earlier> = BTreeMap::new();
    rows.iter()
        .for_each(|(path, before)| found.entry(path).or_default().push(before));
    for (path, earlier) in self::earlier(Kind::AlertmanagerConfig, operator).unwrap_or_default() {
        let of_field = found.entry(path).or_default();
        let later: Earlier = earlier
            .into_iter()
            .filter(|row| !of_field.iter().any(|own| replaces(own, row)))
            .collect();
        of_field.extend(later);
    }
    found
}

/// A row lives as long as the program, and so does what it holds.
fn before(keyword: &str, value: Value) -> Option<Before> {
    let kept = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
    let number = |value: &Value| value.as_i64();
    Some(match (keyword, value) {
        ("enum", Value::Array(values)) => {
            let texts: Vec<&str> = values
                .iter()
                .filter_map(|v| Some(kept(v.as_str()?.to_owned())))
                .collect();
            Before::Values(texts.leak())
        }
        ("enum", _) => Before::Values(&[]),
        ("pattern", Value::String(text)) => {
            Before::Pattern(Some(Box::leak(Box::new(LazyRegex::new(kept(text))))))
        }
        ("pattern", _) => Before::Pattern(None),
        ("minLength" | "minItems", value) => Before::MinLength(value.as_u64()),
        ("minimum", value) => Before::Min(number(&value)),
        ("maximum", value) => Before::Max(number(&value)),
        ("required", value) => Before::Required(value == Value::Bool(true)),
        ("list-type", _) => Before::AnyItems,
        ("default", value) => Before::Keyword("default", value),
        ("format", value) => Before::Keyword("format", value),
        ("rule", Value::String(text)) => Before::WithoutRule(kept(text)),
        _ => return None,
    })
}

/// The constraints of a kind in a release, by field, that differ from those of today. `None` if all are the same.
#[must_use]
pub fn earlier(kind: Kind, operator: &Version) -> Option<BTreeMap<&'static str, Earlier>> {
    let mut found: BTreeMap<&'static str, Earlier> = BTreeMap::new();
    let rows = rows();
    let later = &rows[rows.partition_point(|row| row.until <= *operator)..];
    for row in later.iter().filter(|row| row.kind == kind.as_str()) {
        let of_field = found.entry(row.path).or_default();
        // The rows are in the order of releases: the first one after the release counts.
        if !of_field.iter().any(|other| replaces(other, &row.before)) {
            of_field.push(&row.before);
        }
    }
    (!found.is_empty()).then_some(found)
}

/// Returns whether a row leaves a later one of the same field without effect.
fn replaces(earlier: &Before, later: &Before) -> bool {
    !matches!(earlier, Before::WithoutRule(_))
        && std::mem::discriminant(earlier) == std::mem::discriminant(later)
}

/// The form of a text with these constraints.
pub(crate) fn text(form: &NamedText, earlier: &[&'static Before]) -> NamedText {
    let mut form = NamedText { ..*form };
    for before in earlier {
        match before {
            Before::Values(values) => form.values = values,
            Before::Pattern(pattern) => form.pattern = *pattern,
            Before::MinLength(least) => form.min_length = *least,
            _ => {}
        }
    }
    form
}

/// The bounds of a number or of a list with these constraints.
pub(crate) fn bounds(bounds: &Bounds, earlier: &[&'static Before]) -> Bounds {
    let mut bounds = Bounds { ..*bounds };
    for before in earlier {
        match before {
            Before::Min(least) => bounds.min = *least,
            Before::Max(most) => bounds.max = *most,
            Before::MinLength(least) => bounds.min_length = *least,
            Before::AnyItems => bounds.identity = Identity::None,
            _ => {}
        }
    }
    bounds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_read() {
        assert_eq!(
            rows().len(),
            facts::blocks("changes")
                .filter(|(_, line)| line.starts_with('~'))
                .count()
        );
        assert!(rows().is_sorted_by_key(|row| &row.until));
        for row in rows() {
            assert!(
                Kind::ALL.iter().any(|kind| kind.as_str() == row.kind),
                "{row:?}"
            );
        }
    }

    #[test]
    fn the_nearest_release_counts() {
        let values = |version: &str| {
            let all =
                earlier(Kind::Prometheus, &release::parse(version).unwrap()).unwrap_or_default();
            let rows = all
                .get("spec.otlp.translationStrategy")
                .cloned()
                .unwrap_or_default();
            rows.iter()
                .map(|row| {
                    if let Before::Values(values) = row {
                        values.len()
                    } else {
                        0
                    }
                })
                .collect::<Vec<_>>()
        };
        assert_eq!(values("v0.82.0"), [2]);
        assert_eq!(values("v0.85.0"), [3]);
        assert_eq!(values("v0.86.0"), [0; 0]);
    }
}
