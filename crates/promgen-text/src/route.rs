//! The place of a value, in words: `spec.endpoints[0].interval`.
//!
//! API structs carry no spans. A phase that has something to say names a [`ValueRoute`] in a document; the place in the
//! text is looked up only when a message is shown.

use crate::source::FileId;
use std::borrow::Cow;
use std::fmt;

/// One step down from a value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Segment {
    /// Into a map, by key.
    Key(Cow<'static, str>),
    /// Into a list, by index from 0.
    Index(usize),
}

impl Segment {
    /// The key. `None` for an index.
    #[must_use]
    pub fn key(&self) -> Option<&str> {
        match self {
            Self::Key(key) => Some(key),
            Self::Index(_) => None,
        }
    }
}

/// A way from a document's root to a value.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ValueRoute(pub Vec<Segment>);

impl ValueRoute {
    /// The document itself.
    #[must_use]
    pub const fn root() -> Self {
        Self(Vec::new())
    }

    /// Returns whether it leads through that key of the document's root.
    #[must_use]
    pub fn starts_with_key(&self, key: &str) -> bool {
        matches!(self.0.first(), Some(Segment::Key(first)) if first == key)
    }

    /// This route and one key more.
    #[must_use]
    pub fn key(mut self, key: impl Into<Cow<'static, str>>) -> Self {
        self.0.push(Segment::Key(key.into()));
        self
    }

    /// This route and one index more.
    #[must_use]
    pub fn index(mut self, index: usize) -> Self {
        self.0.push(Segment::Index(index));
        self
    }
}

impl fmt::Display for ValueRoute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, step) in self.0.iter().enumerate() {
            match step {
                Segment::Key(key) if i == 0 => write!(f, "{key}")?,
                Segment::Key(key) => write!(f, ".{key}")?,
                Segment::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

/// A route under construction: a linked list on the stack, so that walking a document allocates nothing.
#[derive(Clone, Copy, Debug)]
pub struct Path<'p> {
    parent: Option<&'p Self>,
    step: PathStep<'p>,
}

#[derive(Clone, Copy, Debug)]
enum PathStep<'p> {
    Root,
    Key(&'p str),
    Index(usize),
}

impl<'p> Path<'p> {
    /// The document itself.
    #[must_use]
    pub const fn root() -> Self {
        Path {
            parent: None,
            step: PathStep::Root,
        }
    }

    /// One key further down.
    #[must_use]
    pub const fn key(&'p self, key: &'p str) -> Self {
        Path {
            parent: Some(self),
            step: PathStep::Key(key),
        }
    }

    /// One index further down.
    #[must_use]
    pub const fn index(&'p self, index: usize) -> Self {
        Path {
            parent: Some(self),
            step: PathStep::Index(index),
        }
    }

    /// Returns whether this is the document itself.
    #[must_use]
    pub const fn is_root(&self) -> bool {
        matches!(self.step, PathStep::Root)
    }

    /// The field, as documentation names it: `spec.endpoints[].port`.
    #[must_use]
    pub fn to_field(&self) -> String {
        let mut field = self.parent.map_or_else(String::new, Path::to_field);
        match self.step {
            PathStep::Root => {}
            PathStep::Key(key) if field.is_empty() => field.push_str(key),
            PathStep::Key(key) => {
                field.push('.');
                field.push_str(key);
            }
            PathStep::Index(_) => field.push_str("[]"),
        }
        field
    }

    /// The route, on the heap.
    #[must_use]
    pub fn to_route(&self) -> ValueRoute {
        let mut route = self.parent.map_or_else(ValueRoute::root, Path::to_route);
        match self.step {
            PathStep::Root => {}
            PathStep::Key(key) => route.0.push(Segment::Key(Cow::Owned(key.to_owned()))),
            PathStep::Index(index) => route.0.push(Segment::Index(index)),
        }
        route
    }
}

/// The identity of a document: its file, and its number among the documents of that file. Identities ascend in input order. A
/// document keeps its own in a later run in which no document of its file before it comes or goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocId {
    file: FileId,
    number: u32,
}

impl DocId {
    /// The identity of no document: the place of what is in no input.
    pub const NONE: Self = Self::new(FileId::new(u32::MAX), u32::MAX);

    /// The document of a file that has this number, from 0.
    #[must_use]
    pub const fn new(file: FileId, number: u32) -> Self {
        Self { file, number }
    }

    /// The identity of a document of that file which follows another one in the input. If its file comes before that of the
    /// other, as in what a kustomization builds, it counts as one of that file.
    #[must_use]
    pub fn following(last: Option<Self>, file: FileId) -> Self {
        match last {
            Some(last) if last.file >= file => Self {
                number: last.number + 1,
                ..last
            },
            _ => Self::new(file, 0),
        }
    }
}

/// A place: a document, and the way to a value in it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct At {
    /// The document.
    pub doc: DocId,
    /// The way.
    pub route: ValueRoute,
}

impl At {
    /// The document itself.
    #[must_use]
    pub const fn doc(doc: DocId) -> Self {
        Self {
            doc,
            route: ValueRoute::root(),
        }
    }

    /// The `spec` of that document.
    #[must_use]
    pub fn spec(doc: DocId) -> Self {
        Self::doc(doc).key("spec")
    }

    /// The name of the object that is that document.
    #[must_use]
    pub fn name(doc: DocId) -> Self {
        Self::doc(doc).key("metadata").key("name")
    }

    /// A path in that document.
    #[must_use]
    pub fn path(doc: DocId, path: &Path<'_>) -> Self {
        Self {
            doc,
            route: path.to_route(),
        }
    }

    /// This place and one key more.
    #[must_use]
    pub fn key(mut self, key: impl Into<Cow<'static, str>>) -> Self {
        self.route = self.route.key(key);
        self
    }

    /// This place and one index more.
    #[must_use]
    pub fn index(mut self, index: usize) -> Self {
        self.route = self.route.index(index);
        self
    }

    /// This place and a route more.
    #[must_use]
    pub fn below(mut self, route: ValueRoute) -> Self {
        self.route.0.extend(route.0);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_becomes_a_readable_route() {
        let (root, mut out) = (Path::root(), Vec::new());
        let spec = root.key("spec");
        let endpoints = spec.key("endpoints");
        out.push(endpoints.index(3).to_route().to_string());
        out.push(endpoints.index(0).key("interval").to_route().to_string());
        assert_eq!(out, ["spec.endpoints[3]", "spec.endpoints[0].interval"]);
    }
}
