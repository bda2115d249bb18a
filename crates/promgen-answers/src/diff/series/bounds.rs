//! Bounds of buckets and quantiles that are written otherwise than before.

use promgen_compile::output::Workload;
use promgen_model::lineage::bounds::is_three;
use promgen_text::yaml::Map;

/// Why bounds change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BoundsChange {
    /// From Prometheus 2 to 3.
    Version,
    /// From the text format to another, within Prometheus 2.
    Protocol,
}

/// Why all jobs of a workload store bounds as floats now, and did not before.
pub(super) fn of_workload(old: &Workload, new: &Workload) -> Option<BoundsChange> {
    let crosses = old.prometheus.is_some() && !is_three(old) && is_three(new);
    (crosses && !new.is_stand_in).then_some(BoundsChange::Version)
}

/// The same of a job of a Prometheus 2, by the formats that it asks for.
pub(super) fn of_job(old: &Map, new: &Map) -> Option<BoundsChange> {
    let is_text = |section: &Map| -> Option<bool> {
        let first = section.items_of("scrape_protocols").first()?;
        Some(first.as_str()?.starts_with("PrometheusText"))
    };
    (is_text(old)? && !is_text(new)?).then_some(BoundsChange::Protocol)
}

impl BoundsChange {
    /// What happens.
    pub(super) fn cause(self, job: &str) -> String {
        let floats =
            "`le` and `quantile` as floats, so that `le=\"1\"` finds nothing and `le=\"1.0\"` does";
        match self {
            Self::Protocol => format!("{job} asks for a format now that has {floats}"),
            Self::Version => format!("Prometheus 3 stores {floats}"),
        }
    }
}

/// Why it is not known whether the selector has found something.
pub(super) const OPEN: &str = "a target that sends OpenMetrics has had floats before";
