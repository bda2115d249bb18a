//! Operators whose sides can have no series that belong together.
//!
//! In: the labels that both sides can have, and the matching. Out: the labels that keep every pair apart.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::lineage::labels::SeriesLabels;
use crate::lineage::values::{LabelValues, equals, is_known};
use promgen_prometheus::promql::Matching;
use promgen_prometheus::relabel::program::ANY;
use promgen_targets::network::truth::Truth;
use promgen_text::CollectOrdered;

/// An operator that finds no pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnmatchedSides {
    /// The place of the operator with its sides in the text of the expression.
    pub span: Range<usize>,
    /// The operator.
    pub operator: &'static str,
    /// The labels that keep the sides apart.
    pub labels: Vec<ApartLabel>,
    /// They do, even if series lack labels by which the sides are grouped.
    pub is_proven: bool,
}

/// A label that no pair has alike.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ApartLabel {
    /// Its name.
    pub name: String,
    /// The difference.
    pub differs: LabelDifference,
}

/// How a label differs between the sides of an operator.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LabelDifference {
    /// The right side does not have it.
    OnlyLeft,
    /// The left side does not have it.
    OnlyRight,
    /// Both have it, with other values: one of the left, and one of the right, where they are known.
    Values(Option<(String, String)>),
}

/// The labels that keep two sides apart: those of the first pair. `None` if a pair may match, or if a side has no series.
pub(super) fn different_label(
    left: &BTreeSet<SeriesLabels>,
    right: &BTreeSet<SeriesLabels>,
    matching: &Matching,
) -> Option<Vec<ApartLabel>> {
    let mut first = None;
    for a in left.iter() {
        for b in right.iter() {
            let labels = apart_labels(a, b, matching);
            if labels.is_empty() {
                return None;
            }
            first = first.or(Some(labels));
        }
    }
    first
}

fn apart_labels(a: &SeriesLabels, b: &SeriesLabels, matching: &Matching) -> Vec<ApartLabel> {
    let names: BTreeSet<&str> = match &matching.labels {
        Some(grouping) if grouping.keeps => grouping.labels.iter().map(String::as_str).collect(),
        Some(grouping) => a
            .names()
            .chain(b.names())
            .filter(|name| !grouping.labels.iter().any(|l| l == name))
            .collect_set(),
        None => a.names().chain(b.names()).collect(),
    };
    // Operators match without the name of the metric.
    let names = names.into_iter().filter(|name| *name != "__name__");
    let apart = |name: &str| {
        let (of_a, of_b) = (a.get(name), b.get(name));
        let overlaps = of_a
            .iter()
            .any(|one| of_b.iter().any(|other| may_be_same(one, other)));
        let text = |values: &LabelValues| values.known().map(str::to_owned);
        let differs = match (of_a.known(), of_b.known()) {
            _ if overlaps => return None,
            (_, Some("")) => LabelDifference::OnlyLeft,
            (Some(""), _) => LabelDifference::OnlyRight,
            _ => LabelDifference::Values(text(of_a).zip(text(of_b))),
        };
        Some(ApartLabel {
            name: name.to_owned(),
            differs,
        })
    };
    names.filter_map(apart).collect()
}

fn may_be_same(one: &str, other: &str) -> bool {
    match (is_known(one), is_known(other)) {
        (true, true) => one == other,
        // The text in front of what is unknown is known.
        (false, false) => {
            let head = |text: &str| text.split(ANY).next().unwrap_or_default().to_owned();
            let (one, other) = (head(one), head(other));
            one.starts_with(&other) || other.starts_with(&one)
        }
        // An unknown value is a text that is there.
        (true, false) => !one.is_empty() && equals(other, one) != Truth::No,
        (false, true) => !other.is_empty() && equals(one, other) != Truth::No,
    }
}
