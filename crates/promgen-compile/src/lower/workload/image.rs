//! The images of the containers.

pub use promgen_resources::release::{
    ALERTMANAGER_IMAGE as ALERTMANAGER, PROMETHEUS_IMAGE as PROMETHEUS, THANOS_IMAGE as THANOS,
};
use promgen_text::go::quote::quote;

/// All fields that define an image.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Image<'a> {
    /// The whole reference.
    pub image: Option<&'a str>,
    /// The repository.
    pub base: &'a str,
    /// The digest.
    pub sha: Option<&'a str>,
    /// The tag.
    pub tag: Option<&'a str>,
    /// The default tag.
    pub version: &'a str,
}

impl Image<'_> {
    /// `image`, or the base with the most exact version. Operator: `BuildImagePath`.
    ///
    /// # Errors
    /// The base is no image, or there is nothing to make a tag of; in the operator's words.
    pub(crate) fn reference(&self) -> Result<String, String> {
        // A whole reference wins, whatever the other fields say. It is not even parsed.
        if let Some(image) = self.image.and_then(filled) {
            return Ok(image.to_owned());
        }
        let base = self.base;
        if !is_reference(base) {
            return Err(format!(
                "couldn't parse image reference {}: invalid reference format",
                quote(base)
            ));
        }
        if has_tag_or_digest(base) {
            return Ok(base.to_owned());
        }
        // From the most exact to the least: digest, tag, version.
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
pub fn filled(text: &str) -> Option<&str> {
    (!text.trim().is_empty()).then_some(text)
}

/// Returns whether it can be an image at all. Not the whole grammar of references: cases that it lets through are cases
/// that no registry has.
fn is_reference(text: &str) -> bool {
    let fits =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '/' | ':' | '@');
    text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.chars().all(fits)
        && !text.ends_with(['/', ':', '@'])
}

fn has_tag_or_digest(image: &str) -> bool {
    // A colon further to the left belongs to a registry's port.
    let last = image.rsplit('/').next().unwrap_or_default();
    last.contains([':', '@'])
}

/// The image with the registry that Docker would add. The operator's library appends a tag to this form only.
fn with_registry(image: &str) -> String {
    match image.split_once('/') {
        None => format!("docker.io/library/{image}"),
        // Docker's rule: only then is the first part a registry.
        Some((first, _)) if first.contains(['.', ':']) || first == "localhost" => image.to_owned(),
        Some(_) => format!("docker.io/{image}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_exact_wins() {
        let image = Image {
            image: None,
            base: "foo/bar",
            sha: None,
            tag: None,
            version: "v1",
        };
        assert_eq!(image.reference().unwrap(), "foo/bar:v1");
        assert_eq!(
            Image {
                tag: Some("t"),
                ..image
            }
            .reference()
            .unwrap(),
            "docker.io/foo/bar:t"
        );
        let image = Image {
            sha: Some("abc"),
            tag: Some("t"),
            base: "foo/bar",
            image: None,
            version: "v1",
        };
        assert_eq!(image.reference().unwrap(), "foo/bar@sha256:abc");
        assert_eq!(
            Image {
                base: "localhost:5000/a:b",
                ..image
            }
            .reference()
            .unwrap(),
            "localhost:5000/a:b"
        );
        let tagged = |base| {
            Image {
                base,
                sha: None,
                tag: Some("t"),
                ..image
            }
            .reference()
            .unwrap()
        };
        assert_eq!(tagged("quay.io/foo/bar"), "quay.io/foo/bar:t");
        assert_eq!(tagged("registry:5000/bar"), "registry:5000/bar:t");
        assert_eq!(tagged("localhost/bar"), "localhost/bar:t");
        assert_eq!(tagged("bar"), "docker.io/library/bar:t");
        assert!(
            Image {
                base: "a b",
                ..image
            }
            .reference()
            .is_err()
        );
        assert_eq!(
            Image {
                image: Some("x"),
                base: "",
                sha: None,
                tag: None,
                version: ""
            }
            .reference()
            .unwrap(),
            "x"
        );
    }
}
