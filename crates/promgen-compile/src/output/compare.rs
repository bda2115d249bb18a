//! Files of two outputs, compared without being written.
//!
//! In: two files of the same path. Out: whether they have the same content, and the values that they consist of. A
//! configuration of many jobs is compared as text, objects as values.

use std::borrow::Cow;

use crate::output::document::ConfigFilling;
use crate::output::tree::FileContent;
use crate::output::{Config, OutputDocument, OutputFile};
use crate::sharding::plan::Shard;
use promgen_text::yaml::Value;

/// The size of configurations whose texts are not filled in to be compared: texts of that size that differ with their
/// placeholders differ without them.
const MAX_FILLED: usize = 1 << 20;

/// The subject of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileSubject {
    /// A configuration.
    Config,
    /// The configuration of the web server.
    WebConfig,
    /// Rules.
    Rules,
    /// An object that the operator creates.
    Object,
    /// The custom resource with its status.
    Resource,
    /// The resources that a workload selects.
    Selection,
    /// The error with which the operator stops.
    Error,
    /// A list of files.
    List,
}

impl<'o> OutputFile<'o> {
    /// Its subject.
    #[must_use]
    pub const fn file_subject(&self) -> FileSubject {
        match &self.content {
            FileContent::Shared(_) => FileSubject::Object,
            FileContent::Kustomization(_) => FileSubject::List,
            FileContent::Document(document) => match document {
                OutputDocument::Object(..)
                | OutputDocument::Applied(..)
                | OutputDocument::Shared(_) => FileSubject::Object,
                OutputDocument::Resource(_)
                | OutputDocument::Status(_)
                | OutputDocument::Selected(_) => FileSubject::Resource,
                OutputDocument::Config(..) => FileSubject::Config,
                OutputDocument::WebConfig(_) => FileSubject::WebConfig,
                OutputDocument::Rules(_) => FileSubject::Rules,
                OutputDocument::Selection(_) | OutputDocument::Bindings(_) => {
                    FileSubject::Selection
                }
                OutputDocument::Kustomization(_) => FileSubject::List,
                OutputDocument::Error(_) => FileSubject::Error,
            },
        }
    }

    /// Its object without the configuration that it carries. `None` if it contains no object.
    #[must_use]
    pub fn object(&self) -> Option<Cow<'_, Value>> {
        match &self.content {
            FileContent::Document(document) => document.shell(),
            FileContent::Shared(value) => Some(Cow::Borrowed(value)),
            FileContent::Kustomization(_) => None,
        }
    }

    /// Returns whether its object carries another configuration than that of another file.
    #[must_use]
    pub fn carries_other(&self, other: &OutputFile<'_>) -> bool {
        match (self.payload(), other.payload()) {
            (None, None) => false,
            (Some(a), Some(b)) => !is_same_config(a.config, a.shard, b.config, b.shard),
            (Some(_), None) | (None, Some(_)) => true,
        }
    }

    fn payload(&self) -> Option<ConfigFilling<'o>> {
        match &self.content {
            FileContent::Document(document) => document.filling(),
            FileContent::Shared(_) | FileContent::Kustomization(_) => None,
        }
    }

    /// Returns whether another file of the same path has the same content.
    #[must_use]
    pub fn is_same(&self, other: &OutputFile<'_>) -> bool {
        match (&self.content, &other.content) {
            (FileContent::Kustomization(a), FileContent::Kustomization(b)) => a == b,
            (FileContent::Document(a), FileContent::Document(b)) => match (a, b) {
                (OutputDocument::Config(a, of_a), OutputDocument::Config(b, of_b)) => {
                    is_same_config(a, *of_a, b, *of_b)
                }
                (OutputDocument::WebConfig(a), OutputDocument::WebConfig(b))
                | (OutputDocument::Rules(a), OutputDocument::Rules(b))
                | (OutputDocument::Error(a), OutputDocument::Error(b)) => a == b,
                (OutputDocument::Selection(a), OutputDocument::Selection(b)) => {
                    a.selected.to_value() == b.selected.to_value()
                }
                (OutputDocument::Bindings(a), OutputDocument::Bindings(b)) => {
                    a.selected.bindings(&a.id) == b.selected.bindings(&b.id)
                }
                _ => self.is_same_object(other),
            },
            _ => self.is_same_object(other),
        }
    }

    fn is_same_object(&self, other: &OutputFile<'_>) -> bool {
        self.object() == other.object() && !self.carries_other(other)
    }
}

/// Returns whether two configurations are the same text for these shards; without a shard, with their placeholders.
fn is_same_config(a: &Config, of_a: Option<&Shard>, b: &Config, of_b: Option<&Shard>) -> bool {
    // The sections say so before there is a text.
    let is_same = a == b;
    if of_a == of_b && is_same {
        return true;
    }
    if !is_same && a.expected_length().min(b.expected_length()) > MAX_FILLED {
        return false;
    }
    let (Some(of_a), Some(of_b)) = (of_a, of_b) else {
        return of_a == of_b && a.text() == b.text();
    };
    a.expand(of_a).text() == b.expand(of_b).text()
}
