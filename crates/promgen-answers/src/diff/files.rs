//! Files of the rendered tree that differ.
//!
//! In: two outputs. Out: every file that `render --layout per-shard` writes with another content, and the two versions of its
//! object. What no other part names is named here.

use std::collections::{BTreeMap, BTreeSet};

use crate::diff::value::Change;
use promgen_compile::output::{Emission, Format, Layout, Output, OutputFile, Part};
use promgen_text::CollectOrdered;

changes! {
    /// A file that differs.
    FileChange {
        /// Its path in the tree.
        path: String,
        /// The workload or resource that it belongs to.
        #[serde(skip)]
        owner: String,
        /// Its environment, if there are several.
        environment?: String,
        /// The kind of change.
        change: Change,
        /// Whether nothing else names the difference: it is one of form, such as the order of keys, or of secrets.
        is_other: bool,
        /// Whether only values of Secrets differ.
        is_secret: bool,
    }
}

/// Two versions of a file, of which one may not exist.
pub(crate) struct FilePair<'o> {
    pub(crate) path: String,
    /// The workload or resource that it belongs to.
    pub(crate) owner: String,
    pub(crate) base: Option<OutputFile<'o>>,
    pub(crate) head: Option<OutputFile<'o>>,
}

impl FilePair<'_> {
    pub(crate) const fn change(&self) -> Change {
        Change::of(self.base.is_some(), self.head.is_some())
    }

    /// The change of the file.
    pub(crate) fn listed(&self, is_other: bool, is_secret: bool) -> FileChange {
        FileChange {
            path: self.path.clone(),
            owner: self.owner.clone(),
            environment: None,
            change: self.change(),
            is_other,
            is_secret,
        }
    }
}

/// Everything that the tree may contain.
#[must_use]
pub fn emission() -> Emission {
    let parts = BTreeSet::from([
        Part::Config,
        Part::Workloads,
        Part::Status,
        Part::Raw,
        Part::Selection,
    ]);
    Emission {
        parts,
        format: Format::Yaml,
        layout: Layout::PerShard,
    }
}

/// The files that differ, by path.
pub(crate) fn differing<'o>(base: &'o Output, head: &'o Output) -> Vec<FilePair<'o>> {
    let emission = emission();
    let by_path = |output: &'o Output| -> BTreeMap<String, OutputFile<'o>> {
        output
            .files(&emission)
            .into_iter()
            .map(|file| (file.path.clone(), file))
            .collect_map()
    };
    let (mut old, mut new) = (by_path(base), by_path(head));
    let paths: BTreeSet<String> = old.keys().chain(new.keys()).cloned().collect_set();
    let pair = |path: String| {
        let (base, head) = (old.remove(&path), new.remove(&path));
        if matches!((&base, &head), (Some(a), Some(b)) if a.is_same(b)) {
            return None;
        }
        let owner = base
            .as_ref()
            .or(head.as_ref())
            .map(|file| file.subject().to_owned())
            .unwrap_or_default();
        Some(FilePair {
            path,
            owner,
            base,
            head,
        })
    };
    paths.into_iter().filter_map(pair).collect()
}
