//! The other way to mend a resource that a Prometheus of kube-prometheus-stack does not select: a value of its release.

use promgen_compile::select::selector::WorkloadSelector;
use promgen_resources::document::{self, Document};

/// The chart's name for itself in the labels of its objects, before its version.
const CHART: &str = "kube-prometheus-stack-";

/// The value to set, if the chart makes the workload, and the selector is the one that the chart sets unless it is told not to.
pub fn of_release(selector: &WorkloadSelector<'_>, documents: &[Document]) -> Option<String> {
    let workload = &document::find(documents, selector.by.doc)?.node;
    let label = |key: &str| workload.text_at(&["metadata", "labels", key]);
    let release = label("release")?;
    if !label("chart")?.starts_with(CHART) {
        return None;
    }
    let field = selector.labels.field;
    let required = workload.find(&["spec", field, "matchLabels"])?.entries();
    let is_default = matches!(required, [entry] if entry.key == "release" && entry.value.as_str() == Some(release));
    let values = match workload.text_of("kind")? {
        "ThanosRuler" => "thanosRuler.thanosRulerSpec",
        _ => "prometheus.prometheusSpec",
    };
    is_default.then(|| {
        format!(
            "or set `{values}.{field}NilUsesHelmValues: false` in the values of release {release}"
        )
    })
}
