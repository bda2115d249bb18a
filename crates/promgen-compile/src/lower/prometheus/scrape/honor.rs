//! `honor_labels` and `honor_timestamps`: the monitor's setting, which the workload can override.

use crate::lower::Scope;
use promgen_resources::gates;
use promgen_text::route::Path;
use promgen_text::yaml::Map;

/// `honor_labels`. Operator: `AddHonorLabels`.
pub(crate) fn labels(out: &mut Map, scope: &Scope<'_>, wanted: bool) {
    out.push(
        "honor_labels",
        wanted && !scope.cx.common.override_honor_labels.unwrap_or(false),
    );
}

/// `honor_timestamps`, if the monitor wishes anything or the workload overrides it. Operator: `AddHonorTimestamps`.
pub(crate) fn timestamps(
    out: &mut Map,
    scope: &mut Scope<'_>,
    path: &Path<'_>,
    wanted: Option<bool>,
) {
    let overridden = scope.cx.common.override_honor_timestamps.unwrap_or(false);
    let honor = match wanted {
        // Prometheus honors timestamps unless the key says otherwise.
        None if !overridden => None,
        wanted => Some(wanted.unwrap_or(false) && !overridden),
    };
    let honor = scope.gated(&gates::HONOR_TIMESTAMPS, honor, || {
        path.key("honorTimestamps").to_route()
    });
    out.push_some("honor_timestamps", honor);
}
