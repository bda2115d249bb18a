//! Bounds of buckets and quantiles, as selectors ask for them and as Prometheus stores them.
//!
//! Prometheus 3 stores each `le` and `quantile` of a histogram or summary as a float: `1` becomes `1.0`. Prometheus 2 stores what
//! the target sends, which is `1` in its text format, and a float in the others.

use promgen_compile::output::Workload;
use promgen_prometheus::promql::{ExprKind, Tree, VectorSelector};
use promgen_resources::gates;
use promgen_targets::network::truth::Truth;

use crate::lineage::matcher::{SeriesMatcher, SeriesSelector};

/// The whole numbers that each pattern is tried on, beside those that it contains.
const TRIED: std::ops::RangeInclusive<u64> = 0..=1000;

/// Returns whether a workload runs Prometheus 3, by the field whose version is that border.
#[must_use]
pub fn is_three(workload: &Workload) -> bool {
    let version = workload.prometheus.as_ref();
    version.is_some_and(|version| gates::FALLBACK_SCRAPE_PROTOCOL.admits(version))
}

/// The condition of a selector that whole bounds meet as `1`, and not as the float `1.0`: `le="1"`, `le=~"[15]"`. None if another
/// side of an `or` asks the same series for the floats. Returns also whether the condition names whole numbers alone.
#[must_use]
pub fn asks_for_whole(tree: &Tree, written: &VectorSelector) -> Option<(SeriesMatcher, bool)> {
    let mut bounds = SeriesSelector::of(written, None).matchers.into_iter();
    let (matcher, lost) = bounds.find_map(|matcher| {
        let lost = lost_floats(&matcher);
        (!lost.is_empty()).then_some((matcher, lost))
    })?;
    let asks_for_floats = |other: &VectorSelector| {
        let [own, others] = [written, other].map(|of| {
            let matchers = of.matchers.iter();
            matchers.filter(|of| of.label != matcher.label)
        });
        let mut bounds = SeriesSelector::of(other, None).matchers.into_iter();
        let meets_all = |of: SeriesMatcher| {
            let mut floats = lost.iter();
            of.label == matcher.label && floats.all(|float| of.meets(float) == Truth::Yes)
        };
        other.name == written.name && own.eq(others) && bounds.any(meets_all)
    };
    let is_elsewhere = tree.nodes().iter().any(|node| match &node.kind {
        ExprKind::Binary(binary) if binary.operator == "or" => {
            let sides = [binary.left, binary.right].map(|id| tree.selectors(tree.node(id)));
            let is_own =
                |side: &Vec<&VectorSelector>| side.iter().any(|of| std::ptr::eq(*of, written));
            let others = sides.iter().filter(|side| !is_own(side));
            sides.iter().any(is_own) && others.flatten().any(|of| asks_for_floats(of))
        }
        _ => false,
    });
    let texts = matcher.texts().unwrap_or_default();
    let is_whole = |text: &String| text.bytes().all(|byte| byte.is_ascii_digit());
    let names_no_other = !texts.is_empty() && texts.iter().all(is_whole);
    (!is_elsewhere).then_some((matcher, names_no_other))
}

/// The floats of the whole numbers that meet a condition as they are, and not as floats. One that excludes bounds asks for all
/// others, and is no loss.
fn lost_floats(matcher: &SeriesMatcher) -> Vec<String> {
    let is_bound = matches!(&*matcher.label, "le" | "quantile");
    if !is_bound || !matches!(matcher.operator, "=" | "=~") {
        return Vec::new();
    }
    let written = matcher.value.split(|sign: char| !sign.is_ascii_digit());
    let written = written.filter_map(|digits| digits.parse().ok());
    let tried = TRIED.filter(|_| matcher.operator == "=~");
    // The dot of `1.0` is meant as one, and no digit: `110`.
    let mut meant = matcher.written.clone();
    if meant.operator == "=~" {
        meant.value = meant.value.replace(".0", r"\.0").replace(r"\\.0", r"\.0");
    }
    let meant = SeriesMatcher::of(&meant);
    let meets = |text: &str| meant.meets(text) == Truth::Yes;
    written
        .chain(tried)
        .filter(|number| meets(&number.to_string()))
        .map(|number| format!("{number}.0"))
        .filter(|float| !meets(float))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_prometheus::promql::parse;

    /// Whether the first selector of an expression loses bounds.
    fn is_lost(text: &str) -> bool {
        let tree = parse(text).expect(text);
        let mut selectors = tree.nodes().iter().filter_map(|node| match &node.kind {
            ExprKind::Selector(selector) => Some(selector),
            _ => None,
        });
        asks_for_whole(&tree, selectors.next().expect(text)).is_some()
    }

    #[test]
    fn bounds_are_lost_that_only_the_old_spelling_meets() {
        for text in [
            r#"a_bucket{le="1"}"#,
            r#"a_bucket{le=~"[15]"}"#,
            r#"a{quantile=~"5|10"}"#,
            r#"a_bucket{le=~"(1|5)0?"}"#,
            r#"a_bucket{le=~"[0-9]+"}"#,
            r#"a_bucket{le="1000000"}"#,
            r#"a_bucket{le=~"0\\.5|1"}"#,
            r#"a_bucket{le="1"} or a_bucket{le="5.0"}"#,
            r#"a_bucket{le="1"} or b_bucket{le="1.0"}"#,
            r#"a_bucket{le="1", job="a"} or a_bucket{le="1.0", job="b"}"#,
            r#"a_bucket{le="1"} and a_bucket{le="1.0"}"#,
        ] {
            assert!(is_lost(text), "{text}");
        }
        for text in [
            r#"a_bucket{le=~"1|1.0"}"#,
            r#"a_bucket{le=~"1(.0)?"}"#,
            r#"a_bucket{le=~"1|1\\.0"}"#,
            r#"a_bucket{le=~"(1|5)([.]0)?"}"#,
            r#"a_bucket{le=~"(2500|5000)(\\.0)?"}"#,
            r#"a_bucket{le="1.0"}"#,
            r#"a_bucket{le="0.5"}"#,
            r#"a_bucket{le=~".+"}"#,
            r#"a_bucket{le!="1"}"#,
            r#"a_bucket{le!~"1|5"}"#,
            r#"a_bucket{shard="1"}"#,
            r#"a_bucket{le="1"} or a_bucket{le="1.0"}"#,
            r#"rate(a_bucket{le="1", job="b"}[5m]) > 1 or rate(a_bucket{le=~"1.0", job="b"}[5m]) > 1"#,
        ] {
            assert!(!is_lost(text), "{text}");
        }
    }
}
