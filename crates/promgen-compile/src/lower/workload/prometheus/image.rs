//! The images of the containers of servers and agents.

use crate::context::WorkloadContext;
use crate::lower::workload::image::{Image, PROMETHEUS, THANOS, filled};
use crate::paths::SPEC;
use crate::select::admit::Refusal;
use promgen_resources::api::servers::thanos::ThanosSpec;

/// The image of Prometheus.
///
/// # Errors
/// `baseImage` is no image, in the operator's words.
pub(super) fn prometheus(cx: &WorkloadContext<'_>) -> Result<String, Refusal> {
    let tag = cx.server.and_then(|s| s.tag.as_deref());
    let sha = cx.server.and_then(|s| s.sha.as_deref());
    Image {
        image: cx.common.image.as_deref(),
        base: cx
            .server
            .and_then(|s| s.base_image.as_deref())
            .and_then(filled)
            .unwrap_or(*PROMETHEUS),
        sha: sha.and_then(filled),
        tag: tag.and_then(filled),
        version: &format!("v{}", cx.versions.prometheus),
    }
    .reference()
    .map_err(|e| Refusal::new(&SPEC.key("baseImage"), e))
}

/// The image of the Thanos sidecar.
///
/// # Errors
/// `baseImage` is no image, or `version` is empty, in the operator's words.
pub(super) fn thanos(cx: &WorkloadContext<'_>, spec: &ThanosSpec) -> Result<String, Refusal> {
    Image {
        image: spec.image.as_deref(),
        // An empty text is not replaced here: the operator looks whether the field is set.
        base: spec.base_image.as_deref().unwrap_or(*THANOS),
        sha: spec.sha.as_deref().filter(|s| !s.is_empty()),
        tag: spec.tag.as_deref().filter(|s| !s.is_empty()),
        version: spec
            .version
            .as_deref()
            .unwrap_or(cx.target.default_thanos()),
    }
    .reference()
    .map_err(|e| {
        let message = format!("failed to build image path: {e}");
        Refusal::new(&SPEC.key("thanos").key("baseImage"), message)
    })
}
