//! Bounds of buckets and quantiles, as selectors ask for them and as Prometheus stores them.
//!
//! Prometheus 3 stores each `le` and `quantile` of a histogram or summary as a float: `1` becomes `1.0`. Prometheus 2 stores what
//! the target sends, which is `1` in its text format, and a float in the others.

use promgen_compile::output::Workload;
use promgen_resources::gates;

use crate::lineage::matcher::{SeriesMatcher, SeriesSelector};

/// Returns whether a workload runs Prometheus 3, by the field whose version is that border.
#[must_use]
pub fn is_three(workload: &Workload) -> bool {
    let version = workload.prometheus.as_ref();
    version.is_some_and(|version| gates::FALLBACK_SCRAPE_PROTOCOL.admits(version))
}

/// The condition that asks for a bound as a whole number, which is not how a float is written: `le="1"`, `le=~"0.5|1"`. Returns
/// also whether it asks for no other.
#[must_use]
pub fn asks_for_whole(selector: &SeriesSelector) -> Option<(&SeriesMatcher, bool)> {
    let is_whole = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let matchers = selector.matchers.iter();
    let mut bounds = matchers.filter(|matcher| matches!(&*matcher.label, "le" | "quantile"));
    bounds.find_map(|matcher| {
        let parts: Vec<&str> = match matcher.operator {
            "=" => vec![&matcher.value],
            "=~" => matcher
                .value
                .split(['(', '|', ')'])
                .filter(|part| !part.is_empty())
                .collect(),
            _ => Vec::new(),
        };
        let n_whole = parts.iter().filter(|part| is_whole(part)).count();
        (n_whole > 0).then_some((matcher, n_whole == parts.len()))
    })
}
