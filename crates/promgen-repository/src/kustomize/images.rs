//! `images`: names, tags and digests of container images.

use promgen_text::go::regex::GoRegex;
use promgen_text::source::Span;
use promgen_text::yaml::{Data, Node, edit};

use super::budget::Budget;
use super::fault::{BuildFault, BuildResult};
use super::read::fields;
use super::read::schema::IMAGE;
use super::spec::FieldSpec;
use super::tables;
use super::value::{expected, scalar_only, text};

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

impl ImageReplacement {
    /// Reads one entry of `images`.
    ///
    /// # Errors
    /// A field is unknown or no text, or the name does not compile: Kustomize reads it as an expression.
    pub fn read(node: &Node) -> BuildResult<Self> {
        let entry = fields::checked(node, &IMAGE)?;
        let part = |key| {
            let value = entry.get(key)?;
            let text = value.as_str().filter(|text| !text.is_empty())?.to_owned();
            Some(ImagePart {
                text,
                span: value.span,
            })
        };
        let name = part("name").unwrap_or(ImagePart {
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
            new_name: part("newName"),
            new_tag: part("newTag"),
            digest: part("digest"),
            tag_suffix: part("tagSuffix"),
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
    pub fn apply(&self, object: &mut Node) -> BuildResult {
        self.apply_within(object, tables::fields("images").iter(), &Budget::default())
    }

    /// Applies the replacement to lists of containers and to what stands at these fields, within the budget of a build.
    pub(super) fn apply_within<'f>(
        &self,
        object: &mut Node,
        mut fields: impl Iterator<Item = &'f FieldSpec>,
        budget: &Budget,
    ) -> BuildResult {
        // A schema has `containers` that are no containers.
        if object.text_of("kind") == Some("CustomResourceDefinition") {
            return Ok(());
        }
        // Two passes: any list with one of these names, then the known fields, which include most of the same fields.
        self.walk(object, budget)?;
        fields.try_for_each(|field| {
            field.visit(object, None, &mut |image, _| self.rename(image, budget))
        })
    }

    fn walk(&self, node: &mut Node, budget: &Budget) -> BuildResult {
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

    fn container(&self, container: &mut Node, budget: &Budget) -> BuildResult {
        match container.data {
            Data::Map(_) => container
                .get_mut("image")
                .map_or(Ok(()), |image| self.rename(image, budget)),
            Data::Null => Ok(()),
            _ => Err(expected("a container", container)),
        }
    }

    fn rename(&self, image: &mut Node, budget: &Budget) -> BuildResult {
        scalar_only(image)?;
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
