//! Which images the containers run.

use crate::api::thanos::ThanosSpec;
use crate::context::Ctx;
use crate::go::quote::quote;
use crate::route::Path;
use crate::select::admit::Refusal;

/// The repository of Prometheus.
const PROMETHEUS: &str = "quay.io/prometheus/prometheus";
/// The repository of Thanos.
const THANOS: &str = "quay.io/thanos/thanos";
/// The reloader of operator v0.93.
pub(crate) const RELOADER: &str = "quay.io/prometheus-operator/prometheus-config-reloader:v0.93.0";
/// The version of Thanos that operator v0.93 takes unless one is named.
pub(crate) const THANOS_VERSION: &str = "v0.42.4";

/// The image of Prometheus.
///
/// # Errors
/// `baseImage` is no image, in the operator's words.
pub(crate) fn prometheus(cx: &Ctx<'_>) -> Result<String, Refusal> {
    let tag = cx.server.and_then(|s| s.tag.as_deref());
    let sha = cx.server.and_then(|s| s.sha.as_deref());
    Image {
        image: cx.common.image.as_deref(),
        base: cx.server.and_then(|s| s.base_image.as_deref()).and_then(filled).unwrap_or(PROMETHEUS),
        sha: sha.and_then(filled),
        tag: tag.and_then(filled),
        version: &format!("v{}", cx.versions.prometheus),
    }
    .reference()
    .map_err(|e| Refusal::new(&Path::root().key("spec").key("baseImage"), e))
}

/// The image of the Thanos sidecar.
///
/// # Errors
/// `baseImage` is no image, or `version` is empty, in the operator's words.
pub(crate) fn thanos(spec: &ThanosSpec) -> Result<String, Refusal> {
    Image {
        image: spec.image.as_deref(),
        base: spec.base_image.as_deref().unwrap_or(THANOS),
        sha: spec.sha.as_deref().filter(|s| !s.is_empty()),
        tag: spec.tag.as_deref().filter(|s| !s.is_empty()),
        version: spec.version.as_deref().unwrap_or(THANOS_VERSION),
    }
    .reference()
    .map_err(|e| {
        let message = format!("failed to build image path: {e}");
        Refusal::new(&Path::root().key("spec").key("thanos").key("baseImage"), message)
    })
}

/// All that may say which image is meant.
struct Image<'a> {
    image: Option<&'a str>,
    base: &'a str,
    sha: Option<&'a str>,
    tag: Option<&'a str>,
    version: &'a str,
}

impl Image<'_> {
    /// `image`, or the base with whatever is the most exact. Operator: `BuildImagePath`.
    fn reference(&self) -> Result<String, String> {
        if let Some(image) = self.image.and_then(filled) {
            return Ok(image.to_owned());
        }
        let base = self.base;
        if !is_reference(base) {
            return Err(format!("couldn't parse image reference {}: invalid reference format", quote(base)));
        }
        if has_tag_or_digest(base) {
            return Ok(base.to_owned());
        }
        if let Some(sha) = self.sha {
            return Ok(format!("{base}@sha256:{sha}"));
        }
        if let Some(tag) = self.tag {
            return Ok(format!("{}:{tag}", with_registry(base)));
        }
        if self.version.is_empty() {
            return Err("couldn't generate an image reference since version is empty".to_owned());
        }
        Ok(format!("{base}:{}", self.version))
    }
}

/// The text, unless it is empty or white space.
fn filled(text: &str) -> Option<&str> {
    (!text.trim().is_empty()).then_some(text)
}

/// Whether it can be an image at all. Not the whole grammar of references: cases that it lets through are cases that no
/// registry has.
fn is_reference(text: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '/' | ':' | '@');
    text.starts_with(|c: char| c.is_ascii_alphanumeric()) && text.chars().all(fits) && !text.ends_with(['/', ':', '@'])
}

fn has_tag_or_digest(image: &str) -> bool {
    let last = image.rsplit('/').next().unwrap_or_default();
    last.contains([':', '@'])
}

/// The image with the registry that Docker would add. A tag is appended to this form only: that is what the operator's
/// library makes of it.
fn with_registry(image: &str) -> String {
    match image.split_once('/') {
        None => format!("docker.io/library/{image}"),
        Some((first, _)) if first.contains(['.', ':']) || first == "localhost" => image.to_owned(),
        Some(_) => format!("docker.io/{image}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_exact_wins() {
        let image = Image { image: None, base: "foo/bar", sha: None, tag: None, version: "v1" };
        assert_eq!(image.reference().unwrap(), "foo/bar:v1");
        assert_eq!(Image { tag: Some("t"), ..image }.reference().unwrap(), "docker.io/foo/bar:t");
        let image = Image { sha: Some("abc"), tag: Some("t"), base: "foo/bar", image: None, version: "v1" };
        assert_eq!(image.reference().unwrap(), "foo/bar@sha256:abc");
        assert_eq!(Image { base: "localhost:5000/a:b", ..image }.reference().unwrap(), "localhost:5000/a:b");
        assert!(Image { base: "a b", ..image }.reference().is_err());
        assert_eq!(Image { image: Some("x"), base: "", sha: None, tag: None, version: "" }.reference().unwrap(), "x");
    }
}
