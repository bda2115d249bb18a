//! Findings that are new or gone.

use serde::Serialize;

use crate::diff::jobs::place;
use crate::diff::listed::Listed;
use promgen_text::diag::{Diagnostic, Level};
use promgen_text::sorted::SortedMap;
use promgen_text::source::Sources;

/// The findings that only one side has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FindingChanges {
    /// Those of the head.
    pub new: Listed<Finding>,
    /// Those of the base.
    pub gone: Listed<Finding>,
    /// The number of new ones that matter.
    #[serde(skip)]
    pub n_new: NewCount,
}

/// The number of new findings of the higher levels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NewCount {
    /// Errors.
    pub errors: usize,
    /// Warnings.
    pub warnings: usize,
}

impl FindingChanges {
    /// Whether both sides have the same.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.new.is_empty() && self.gone.is_empty()
    }
}

/// A finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The code of its rule.
    pub code: &'static str,
    /// Its level.
    pub level: Level,
    /// Its message.
    pub message: String,
    /// Its file and line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
}

/// The findings of a side, and its texts.
pub(crate) type Found<'a> = (&'a [Diagnostic], &'a Sources);

/// Compares findings by rule, resource and message, not by file and line.
pub(crate) fn changes(base: Found<'_>, head: Found<'_>) -> FindingChanges {
    let new = only_first(head, base);
    let count = |level| new.iter().filter(|finding| finding.level == level).count();
    let n_new = NewCount { errors: count(Level::Error), warnings: count(Level::Warning) };
    FindingChanges { new: new.into_iter().collect(), gone: only_first(base, head).into_iter().collect(), n_new }
}

fn only_first(first: Found<'_>, second: Found<'_>) -> Vec<Finding> {
    let mut known: SortedMap<Key, usize> = SortedMap::new();
    for diagnostic in second.0 {
        *known.entry(key(diagnostic)).or_default() += 1;
    }
    let is_new = |diagnostic: &&Diagnostic| match known.get_mut(&key(diagnostic)) {
        Some(n) if *n > 0 => {
            *n -= 1;
            false
        }
        _ => true,
    };
    let finding = |diagnostic: &Diagnostic| Finding {
        code: diagnostic.rule.code,
        level: diagnostic.level,
        message: diagnostic.message.clone(),
        place: diagnostic.span.map(|span| place(span, first.1)),
    };
    first.0.iter().filter(is_new).map(finding).collect()
}

/// What identifies a finding.
type Key = (&'static str, String, String);

fn key(diagnostic: &Diagnostic) -> Key {
    let resource = diagnostic.resource.as_ref().map(ToString::to_string).unwrap_or_default();
    (diagnostic.rule.code, resource, diagnostic.message.clone())
}
