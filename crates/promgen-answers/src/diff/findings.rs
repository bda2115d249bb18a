//! Findings that are new or gone.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::diff::jobs::{FileLine, place};
use crate::diff::listed::Listed;
use promgen_text::diag::{Diagnostic, Level, RuleRef, fingerprint};
use promgen_text::source::Sources;

changes! {
    /// The findings that only one side has.
    #[derive(Default)]
    FindingChanges {
        /// Those of the head.
        new: Listed<ChangedFinding>,
        /// Those of the base.
        gone: Listed<ChangedFinding>,
        /// The number of new ones that matter.
        #[serde(skip)]
        n_new: NewCount,
    }
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
    /// Returns whether both sides have the same.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.new.is_empty() && self.gone.is_empty()
    }
}

changes! {
    /// A finding.
    ChangedFinding {
        /// The code of its rule.
        code: Cow<'static, str>,
        /// Its level.
        level: Level,
        /// Its message.
        message: String,
        /// Its file and line.
        #[serde(flatten)]
        place: Option<FileLine>,
    }
}

/// The findings of a side, and its texts.
pub(crate) type SideFindings<'a> = (&'a [Diagnostic], &'a Sources);

/// Compares findings by rule, resource and path, not by file and line. One whose path has changed is known by its message.
pub(crate) fn changes(base: SideFindings<'_>, head: SideFindings<'_>) -> FindingChanges {
    let (mut gone, mut new): (Vec<&Diagnostic>, Vec<&Diagnostic>) =
        (base.0.iter().collect(), head.0.iter().collect());
    for key in [by_message, by_likeness, by_path] {
        take_away(&mut gone, &mut new, key);
    }
    let count = |level| new.iter().filter(|finding| finding.level == level).count();
    let n_new = NewCount {
        errors: count(Level::Error),
        warnings: count(Level::Warning),
    };
    FindingChanges {
        new: shown(&new, head.1),
        gone: shown(&gone, base.1),
        n_new,
    }
}

/// Takes away those that both sides have.
fn take_away(
    gone: &mut Vec<&Diagnostic>,
    new: &mut Vec<&Diagnostic>,
    key: fn(&Diagnostic) -> FindingKey,
) {
    let mut known: BTreeMap<FindingKey, usize> = BTreeMap::new();
    new.iter()
        .for_each(|finding| *known.entry(key(finding)).or_default() += 1);
    let mut both: BTreeMap<FindingKey, usize> = BTreeMap::new();
    gone.retain(|finding| {
        let key = key(finding);
        let is_new = known
            .get_mut(&key)
            .filter(|n| **n > 0)
            .map(|n| *n -= 1)
            .is_some();
        if is_new {
            *both.entry(key).or_default() += 1;
        }
        !is_new
    });
    new.retain(|finding| {
        both.get_mut(&key(finding))
            .filter(|n| **n > 0)
            .map(|n| *n -= 1)
            .is_none()
    });
}

fn shown(findings: &[&Diagnostic], sources: &Sources) -> Listed<ChangedFinding> {
    let finding = |diagnostic: &&Diagnostic| ChangedFinding {
        code: diagnostic.rule.code.clone(),
        level: diagnostic.level,
        message: diagnostic.message.clone(),
        place: diagnostic.span.map(|span| place(span, sources)),
    };
    findings.iter().map(finding).collect()
}

/// The identity of a finding.
type FindingKey = (RuleRef, Level, String, String);

fn key(diagnostic: &Diagnostic, what: String) -> FindingKey {
    let resource = diagnostic
        .resource
        .as_ref()
        .map(ToString::to_string)
        .unwrap_or_default();
    (diagnostic.rule.clone(), diagnostic.level, resource, what)
}

fn by_message(diagnostic: &Diagnostic) -> FindingKey {
    key(diagnostic, diagnostic.message.clone())
}

/// The identity of a finding without a path: its message without counts.
fn by_path(diagnostic: &Diagnostic) -> FindingKey {
    let path = fingerprint::path(diagnostic).filter(|path| !path.is_empty());
    key(
        diagnostic,
        path.unwrap_or_else(|| fingerprint::without_numbers(&diagnostic.message)),
    )
}

fn by_likeness(diagnostic: &Diagnostic) -> FindingKey {
    key(
        diagnostic,
        fingerprint::without_numbers(&diagnostic.message),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_text::diag::{Place, rules};
    use promgen_text::route::{At, DocId};

    rules! {
        /// ## What it does
        /// Nothing.
        RULE = "PG999" "nothing" Warning: "nothing";
    }

    fn finding(index: usize, message: &str) -> Diagnostic {
        let at = At::doc(DocId::default())
            .key("spec")
            .key("rules")
            .index(index);
        Diagnostic::new(&RULE, Place::At(at), message)
    }

    fn new(base: &[Diagnostic], head: &[Diagnostic]) -> Vec<String> {
        let sources = Sources::default();
        let changes = changes((base, &sources), (head, &sources));
        changes
            .new
            .items
            .into_iter()
            .map(|finding| finding.message)
            .collect()
    }

    #[test]
    fn a_finding_is_known_by_its_path_or_its_message() {
        let old = [finding(0, "a of 1 target"), finding(1, "b")];
        // One comes before, and a count changes.
        assert_eq!(
            new(
                &old,
                &[
                    finding(0, "c"),
                    finding(1, "a of 2 targets"),
                    finding(2, "b")
                ]
            ),
            ["c"]
        );
        assert_eq!(new(&old, &old), Vec::<String>::new());
        assert_eq!(
            new(&old, &[finding(0, "a of 3 targets"), finding(1, "b")]),
            Vec::<String>::new()
        );
        assert_eq!(
            new(
                &old,
                &[
                    finding(0, "a of 1 target"),
                    finding(1, "b"),
                    finding(2, "b")
                ]
            ),
            ["b"]
        );
    }
}
