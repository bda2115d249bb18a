//! `images`: names, tags and digests of container images.

use promgen_text::go::regex::GoRegex;
use promgen_text::source::Span;
use promgen_text::yaml::{Data, Node};

use super::budget::Budget;
use super::fault::BuildFault;
use super::value::field;
use super::value::{entries, expected, text, text_as};
use promgen_text::yaml::edit;

/// One entry of `images`, ready for many objects.
#[derive(Clone, Debug)]
pub struct ImageReplacement {
    /// Matches the images of that name, whatever their tag and digest.
    pattern: GoRegex,
    new_name: Option<ImagePart>,
    new_tag: Option<ImagePart>,
    digest: Option<ImagePart>,
    tag_suffix: Option<ImagePart>,
}

/// A text that is not empty, and where it stands.
#[derive(Clone, Debug)]
struct ImagePart {
    text: String,
    span: Span,
}

/// Where Kustomize knows an image to stand, besides in any list of containers.
pub(super) const PATHS: &[&[&str]] = &[
    &["spec", "containers[]", "image"],
    &["spec", "initContainers[]", "image"],
    &["spec", "volumes[]", "image", "reference"],
    &["spec", "template", "spec", "containers[]", "image"],
    &["spec", "template", "spec", "initContainers[]", "image"],
    &[
        "spec",
        "template",
        "spec",
        "volumes[]",
        "image",
        "reference",
    ],
];

impl ImageReplacement {
    /// Reads one entry of `images`.
    ///
    /// # Errors
    /// A field is unknown or no text, or the name does not compile: Kustomize reads it as an expression.
    pub fn read(node: &Node) -> Result<Self, BuildFault> {
        let entries = entries(node)?;
        let mut parts = [None, None, None, None, None];
        for entry in entries.iter().filter(|entry| !entry.value.is_null()) {
            let field = match &*entry.key {
                "name" => 0,
                "newName" => 1,
                "newTag" => 2,
                "digest" => 3,
                "tagSuffix" => 4,
                key => {
                    return Err(BuildFault::new(
                        entry.key_span,
                        format!("unknown field `{key}` of `images`"),
                    ));
                }
            };
            let text = text_as("a text", &entry.value)?;
            parts[field] = Some(ImagePart {
                text: text.to_owned(),
                span: entry.value.span,
            })
            .filter(|p| !p.text.is_empty());
        }
        let [name, new_name, new_tag, digest, tag_suffix] = parts;
        let name = name.unwrap_or(ImagePart {
            text: String::new(),
            span: node.span,
        });
        // Kustomize does not escape the name, so a `.` in it matches any character.
        let pattern = format!(
            "^{}(:[a-zA-Z0-9_.{{}}-]*)?(@sha256:[a-zA-Z0-9_.{{}}-]*)?$",
            name.text
        );
        let pattern = GoRegex::new(&pattern).map_err(|_| {
            BuildFault::new(
                name.span,
                "the name of an image is a regular expression, and this is none",
            )
        })?;
        Ok(Self {
            pattern,
            new_name,
            new_tag,
            digest,
            tag_suffix,
        })
    }

    /// Returns whether its expression is big.
    pub(super) fn is_big(&self) -> bool {
        self.pattern.is_big()
    }

    /// Applies the entry to an object: to all lists of containers, at any depth, and to where pods have images.
    ///
    /// Kustomize goes over containers of pods twice, and so a suffix is added twice.
    ///
    /// # Errors
    /// The object has something else where containers and images stand.
    pub fn apply(&self, object: &mut Node) -> Result<(), BuildFault> {
        self.apply_within(object, PATHS.iter().copied(), &Budget::default())
    }

    /// Applies the replacement to lists of containers and to what stands at these paths, within the budget of a build.
    pub(super) fn apply_within<'p>(
        &self,
        object: &mut Node,
        mut paths: impl Iterator<Item = &'p [&'p str]>,
        budget: &Budget,
    ) -> Result<(), BuildFault> {
        // A schema has `containers` that are no containers.
        if object.text_of("kind") == Some("CustomResourceDefinition") {
            return Ok(());
        }
        // Two passes: any list with one of these names, then the known paths, which include most of the same fields.
        self.walk(object, budget)?;
        paths.try_for_each(|path| {
            field::visit(object, path, None, &mut |image| self.rename(image, budget))
        })
    }

    fn walk(&self, node: &mut Node, budget: &Budget) -> Result<(), BuildFault> {
        let Data::Map(entries) = &mut node.data else {
            return node
                .children_mut()
                .try_for_each(|item| self.walk(item, budget));
        };
        entries.iter_mut().try_for_each(|entry| {
            self.walk(&mut entry.value, budget)?;
            match (&*entry.key, &mut entry.value.data) {
                ("containers" | "initContainers", Data::Seq(items)) => items
                    .iter_mut()
                    .try_for_each(|item| self.container(item, budget)),
                _ => Ok(()),
            }
        })
    }

    fn container(&self, container: &mut Node, budget: &Budget) -> Result<(), BuildFault> {
        match container.data {
            Data::Map(_) => container
                .get_mut("image")
                .map_or(Ok(()), |image| self.rename(image, budget)),
            Data::Null => Ok(()),
            _ => Err(expected("a container", container)),
        }
    }

    fn rename(&self, image: &mut Node, budget: &Budget) -> Result<(), BuildFault> {
        field::scalar_only(image)?;
        let written = text(image);
        if image.is_null() || !self.pattern.is_match(&written) {
            return Ok(());
        }
        let (name, span) = self.renamed(&written, image.span);
        if *name != *written {
            budget.write(name.len(), span)?;
            *image = edit::text(name, span);
        }
        Ok(())
    }

    /// The new text of an image, and the place of what changes it most.
    fn renamed(&self, image: &str, span: Span) -> (String, Span) {
        let ImageReference { name, tag, digest } = ImageReference::of(image);
        let name = self.new_name.as_ref().map_or(name, |part| &part.text);
        let (tag, digest) = match (&self.new_tag, &self.digest, &self.tag_suffix) {
            // A tag or a digest replaces both of what was there.
            (Some(tag), digest, _) => (
                tag.text.clone(),
                digest.as_ref().map_or("", |part| &part.text),
            ),
            // A digest is exact, so the tag goes.
            (None, Some(digest), _) => (String::new(), &*digest.text),
            (None, None, Some(suffix)) => (format!("{tag}{}", suffix.text), ""),
            (None, None, None) => (tag.to_owned(), digest),
        };
        let change = [
            &self.new_tag,
            &self.digest,
            &self.tag_suffix,
            &self.new_name,
        ]
        .into_iter()
        .flatten()
        .next();
        let mut text = name.to_owned();
        for (sign, part) in [(":", &*tag), ("@", digest)] {
            if !part.is_empty() {
                text.push_str(sign);
                text.push_str(part);
            }
        }
        (text, change.map_or(span, |part| part.span))
    }
}

/// The parts of an image's text.
#[derive(Clone, Copy, Debug)]
pub struct ImageReference<'t> {
    /// The registry and the repository.
    pub name: &'t str,
    /// The tag; empty if there is none.
    pub tag: &'t str,
    /// The digest, likewise.
    pub digest: &'t str,
}

impl<'t> ImageReference<'t> {
    /// Splits an image. What precedes the first `/` is the registry, and may have a port.
    #[must_use]
    pub fn of(image: &'t str) -> Self {
        // Without a slash there is no registry, and a colon begins the tag.
        let path = image.find('/').unwrap_or_default();
        let (named, digest) = match image[path..].find('@') {
            Some(at) => (&image[..path + at], &image[path + at + 1..]),
            None => (image, ""),
        };
        let (name, tag) = match named[path..].find(':') {
            Some(at) => (&named[..path + at], &named[path + at + 1..]),
            None => (named, ""),
        };
        Self { name, tag, digest }
    }
}

#[cfg(test)]
mod tests;
