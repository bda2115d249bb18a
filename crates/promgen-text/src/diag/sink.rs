//! The findings that the phases report, with a bound for those of one rule in one document.

use std::collections::BTreeMap;

use crate::diag::count::counted;
use crate::diag::{Diagnostic, Level, LintRule, RuleRef};
use crate::route::{At, DocId};

/// The number of findings of a rule in one document that are kept one by one. One more stands for the rest.
pub const MAX_FINDINGS: usize = 1_000;

/// A rule, and the document that its findings are in.
type RuleInDocument = (RuleRef, DocId);

/// Collects what the phases report.
#[derive(Clone, Debug, Default)]
pub struct Sink {
    diagnostics: Vec<Diagnostic>,
    counts: BTreeMap<RuleInDocument, RuleCount>,
    unchecked: Vec<UncheckedThing>,
}

/// A thing that is not checked, because it may be newer than what promgen knows.
#[derive(Clone, Debug)]
pub struct UncheckedThing {
    /// What it is: `field`.
    pub noun: &'static str,
    /// The place.
    pub at: At,
}

/// The findings of a rule in a document.
#[derive(Clone, Copy, Debug, Default)]
struct RuleCount {
    /// Those that are kept one by one.
    n_kept: usize,
    /// The index of the finding that stands for the rest, and how many these are.
    rest: Option<(usize, usize)>,
}

impl Extend<Diagnostic> for Sink {
    /// Takes findings, each as [`Sink::report`] does.
    fn extend<I: IntoIterator<Item = Diagnostic>>(&mut self, found: I) {
        found.into_iter().for_each(|found| self.report(found));
    }
}

impl Sink {
    /// Returns whether nothing was reported, nor anything left unchecked.
    #[must_use]
    pub const fn is_blank(&self) -> bool {
        self.diagnostics.is_empty() && self.unchecked.is_empty()
    }

    /// Takes a finding.
    pub fn report(&mut self, diagnostic: Diagnostic) {
        self.take(diagnostic, 1);
    }

    /// Returns whether a document has so many findings of a rule that one more is only counted, which it is then. So
    /// nobody has to make it.
    pub fn only_counts(&mut self, rule: impl Into<RuleRef>, doc: DocId) -> bool {
        let kind = (rule.into(), doc);
        let Some(count) = self.counts.get_mut(&kind) else {
            return false;
        };
        let Some((index, n)) = count.rest.as_mut() else {
            return false;
        };
        *n += 1;
        self.diagnostics[*index].message = message_of_rest(&kind.0, *n);
        true
    }

    /// Takes a finding that stands for `n`.
    fn take(&mut self, diagnostic: Diagnostic, n: usize) {
        if let Some(kind) = kind(&diagnostic) {
            let count = self.counts.entry(kind).or_default();
            if n == 1 && count.n_kept < MAX_FINDINGS {
                count.n_kept += 1;
            } else {
                let (index, before) = count.rest.unwrap_or((self.diagnostics.len(), 0));
                count.rest = Some((index, before + n));
                return self.count_rest(diagnostic, index, before + n);
            }
        }
        self.diagnostics.push(diagnostic);
    }

    /// Says how many findings are not kept one by one. The first of them gives the place.
    fn count_rest(&mut self, diagnostic: Diagnostic, index: usize, n: usize) {
        let Diagnostic {
            rule,
            level,
            place,
            is_secret,
            ..
        } = diagnostic;
        if index == self.diagnostics.len() {
            self.diagnostics.push(Diagnostic {
                place,
                ..Diagnostic::placeless(&rule, "")
            });
        }
        let rest = &mut self.diagnostics[index];
        rest.level = if n == 1 { level } else { rest.level.max(level) };
        rest.is_secret |= is_secret;
        rest.message = message_of_rest(&rule, n);
    }

    /// Takes note that a thing is not checked, because it may be newer than what promgen knows.
    pub fn leave_unchecked(&mut self, noun: &'static str, at: At) {
        self.unchecked.push(UncheckedThing { noun, at });
    }

    /// Takes out what is not checked, for those who can check it.
    pub fn take_unchecked(&mut self) -> Vec<UncheckedThing> {
        std::mem::take(&mut self.unchecked)
    }

    /// What is not checked.
    #[must_use]
    pub fn unchecked(&self) -> &[UncheckedThing] {
        &self.unchecked
    }

    /// Adds an advice to the findings from that one on.
    pub fn advise_from(&mut self, first: usize, help: &str) {
        for diagnostic in &mut self.diagnostics[first..] {
            diagnostic.help.push(help.to_owned());
        }
    }

    /// Takes all findings of another sink, such as one of a parallel worker.
    pub fn append(&mut self, other: Self) {
        self.unchecked.extend(other.unchecked);
        let rests: Vec<(usize, usize)> = other
            .counts
            .values()
            .filter_map(|count| count.rest)
            .collect();
        let n_of = |index| {
            rests
                .iter()
                .find(|(at, _)| *at == index)
                .map_or(1, |(_, n)| *n)
        };
        for (index, diagnostic) in other.diagnostics.into_iter().enumerate() {
            self.take(diagnostic, n_of(index));
        }
    }

    /// Takes findings about one document, which has that number here.
    pub fn append_about(&mut self, doc: DocId, found: &Self) {
        let mut found = found.clone();
        found
            .diagnostics
            .iter_mut()
            .for_each(|diagnostic| diagnostic.move_to(doc));
        found
            .unchecked
            .iter_mut()
            .for_each(|unchecked| unchecked.at.doc = doc);
        self.append(found);
    }

    /// Gives every finding of a rule that was reported so far at least that level.
    pub fn raise(&mut self, rule: &LintRule, level: Level) {
        for diagnostic in self
            .diagnostics
            .iter_mut()
            .filter(|diagnostic| *diagnostic.rule == *rule)
        {
            diagnostic.level = diagnostic.level.max(level);
        }
    }

    /// The diagnostics, in the order in which they were reported.
    #[must_use]
    pub fn into_diagnostics(self) -> Vec<Diagnostic> {
        self.diagnostics
    }

    /// The diagnostics so far.
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }
}

/// What a finding counts for. `None` if it is in no document: what reads the files has a bound of its own.
fn kind(diagnostic: &Diagnostic) -> Option<RuleInDocument> {
    let doc = diagnostic.place.as_ref()?.at()?.doc;
    Some((diagnostic.rule.clone(), doc))
}

fn message_of_rest(rule: &LintRule, n: usize) -> String {
    format!(
        "{} of {} in this document",
        counted(n, "more finding"),
        rule.code
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::rules;

    rules! {
        /// Example.
        EXAMPLE = "PG999" "example" Warning: "an example";
    }

    fn found(sink: &mut Sink, document: u32, n: usize) {
        let at = At::doc(DocId::new(crate::source::FileId::new(0), document));
        (0..n).for_each(|i| {
            sink.report(Diagnostic::new(
                &EXAMPLE,
                at.clone(),
                format!("finding {i}"),
            ))
        });
    }

    #[test]
    fn a_document_has_a_bound_and_another_has_its_own() {
        let mut sink = Sink::default();
        found(&mut sink, 0, MAX_FINDINGS + 7);
        found(&mut sink, 1, 3);
        let messages: Vec<&str> = sink
            .diagnostics()
            .iter()
            .map(|d| d.message.as_str())
            .collect();
        assert_eq!(messages.len(), MAX_FINDINGS + 1 + 3);
        assert_eq!(messages[MAX_FINDINGS - 1], "finding 999");
        assert_eq!(
            messages[MAX_FINDINGS],
            "7 more findings of PG999 in this document"
        );
        assert_eq!(messages[MAX_FINDINGS + 1], "finding 0");
    }

    #[test]
    fn sinks_count_together() {
        let (mut sink, mut other) = (Sink::default(), Sink::default());
        found(&mut sink, 0, 600);
        found(&mut other, 0, MAX_FINDINGS + 50);
        sink.append(other.clone());
        sink.append(other);
        let last = sink.into_diagnostics().pop().map(|d| (d.message, d.level));
        let expected = format!(
            "{} more findings of PG999 in this document",
            600 + 2 * 1050 - MAX_FINDINGS
        );
        assert_eq!(last, Some((expected, Level::Warning)));
    }
}
