//! Runs relabel rules.
//!
//! In: labels and rules. Out: the labels after them, or the rule that dropped the target. Prometheus:
//! `relabel.ProcessBuilder`.

use std::borrow::Cow;

use crate::go::regex::Captures;
use crate::relabel::case::{to_lower, to_upper};
use crate::relabel::hash::hash_mod;
use crate::relabel::labels::{Builder, LabelSet};
use crate::relabel::rule::{Rule, Written};
use crate::relabel::{Action, DEFAULT_REPLACEMENT, Reach};

/// Whether a target goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It goes on to the next rule.
    Kept,
    /// It is dropped.
    Dropped,
}

/// Runs all rules.
///
/// # Errors
/// The number of the rule that drops the target, from 0.
pub fn relabel(labels: &LabelSet, rules: &[Rule]) -> Result<LabelSet, usize> {
    let mut builder = Builder::new(labels);
    for (index, rule) in rules.iter().enumerate() {
        if rule.apply(&mut builder) == Fate::Dropped {
            return Err(index);
        }
    }
    Ok(builder.labels())
}

impl Rule {
    /// Runs the rule.
    pub fn apply(&self, labels: &mut Builder<'_>) -> Fate {
        match self.action {
            Action::Keep | Action::Drop | Action::KeepEqual | Action::DropEqual => {
                return self.test(labels).unwrap_or(Fate::Kept);
            }
            Action::Replace => self.replace(labels),
            Action::HashMod => {
                let bucket = hash_mod(&self.value(labels), self.modulus);
                labels.set(self.target().to_owned(), bucket.to_string());
            }
            Action::Lowercase => {
                let value = to_lower(&self.value(labels));
                labels.set(self.target().to_owned(), value);
            }
            Action::Uppercase => {
                let value = to_upper(&self.value(labels));
                labels.set(self.target().to_owned(), value);
            }
            Action::LabelMap => self.map_names(labels),
            Action::LabelDrop => self.delete_names(labels, true),
            Action::LabelKeep => self.delete_names(labels, false),
        }
        Fate::Kept
    }

    /// Whether a target goes on, if the rule does nothing but to ask that.
    pub(crate) fn test(&self, labels: &Builder<'_>) -> Option<Fate> {
        let is_kept = match self.action {
            Action::Keep => self.is_match(&self.value(labels)),
            Action::Drop => !self.is_match(&self.value(labels)),
            Action::KeepEqual => self.value(labels) == labels.get(self.target()),
            Action::DropEqual => self.value(labels) != labels.get(self.target()),
            Action::Replace
            | Action::HashMod
            | Action::Lowercase
            | Action::Uppercase
            | Action::LabelMap
            | Action::LabelDrop
            | Action::LabelKeep => return None,
        };
        Some(if is_kept { Fate::Kept } else { Fate::Dropped })
    }

    /// The joined values of the source labels.
    fn value<'l>(&self, labels: &'l Builder<'_>) -> Cow<'l, str> {
        match self.source_labels.as_slice() {
            [] => Cow::Borrowed(""),
            [one] => Cow::Borrowed(labels.get(one)),
            [first, rest @ ..] => {
                let mut value = labels.get(first).to_owned();
                for name in rest {
                    value.push_str(&self.separator);
                    value.push_str(labels.get(name));
                }
                Cow::Owned(value)
            }
        }
    }

    /// The target label as it is written.
    #[must_use]
    pub fn target(&self) -> &str {
        &self.target_label.text
    }

    /// Which labels it may change.
    pub(crate) fn reach(&self) -> Reach<'_> {
        match self.action {
            Action::Keep | Action::Drop | Action::KeepEqual | Action::DropEqual => Reach::Nothing,
            Action::Replace => {
                self.target_label.template.as_text().map_or(Reach::Anything, |_| Reach::Label(self.target()))
            }
            Action::HashMod | Action::Lowercase | Action::Uppercase => Reach::Label(self.target()),
            Action::LabelDrop | Action::LabelKeep => Reach::Deletes,
            Action::LabelMap => Reach::Anything,
        }
    }

    /// Whether it deletes the label of that name.
    pub(crate) fn deletes(&self, name: &str) -> bool {
        match self.action {
            Action::LabelDrop => self.is_match(name),
            Action::LabelKeep => !self.is_match(name),
            Action::Keep
            | Action::Drop
            | Action::KeepEqual
            | Action::DropEqual
            | Action::Replace
            | Action::HashMod
            | Action::Lowercase
            | Action::Uppercase
            | Action::LabelMap => false,
        }
    }

    /// The label that it compares its sources with.
    pub(crate) fn compared(&self) -> Option<&str> {
        matches!(self.action, Action::KeepEqual | Action::DropEqual).then(|| self.target())
    }

    /// Whether it sets its label whatever the target is like.
    pub(crate) const fn always_writes(&self) -> bool {
        match self.action {
            Action::Replace => self.regex.is_none(),
            Action::HashMod | Action::Lowercase | Action::Uppercase => true,
            Action::Keep
            | Action::Drop
            | Action::KeepEqual
            | Action::DropEqual
            | Action::LabelMap
            | Action::LabelDrop
            | Action::LabelKeep => false,
        }
    }

    /// What it sets its label to, whatever the target is like.
    pub(crate) fn constant(&self) -> Option<&str> {
        let is_certain = self.action == Action::Replace && self.regex.is_none();
        self.replacement.template.as_text().filter(|_| is_certain)
    }

    fn is_match(&self, value: &str) -> bool {
        self.regex.as_ref().is_none_or(|regex| regex.is_match(value))
    }

    fn replace(&self, labels: &mut Builder<'_>) {
        let value = self.value(labels);
        let (target, replacement) = match &self.regex {
            None => (self.target_label.expand_whole(&value), self.replacement.expand_whole(&value)),
            Some(regex) => {
                let Some(captures) = regex.captures(&value) else { return };
                (self.target_label.expand(&captures), self.replacement.expand(&captures))
            }
        };
        if self.scheme.is_label_name(&target) {
            labels.set(target, replacement);
        }
    }

    fn map_names(&self, labels: &mut Builder<'_>) {
        let mut mapped: Vec<(String, String)> = Vec::new();
        for (name, value) in labels.iter() {
            let new = match &self.regex {
                None => self.replacement.expand_whole(name),
                Some(regex) if regex.is_match(name) => regex.replace_all(name, &self.replacement.template).into_owned(),
                Some(_) => continue,
            };
            mapped.push((new, value.to_owned()));
        }
        for (name, value) in mapped {
            labels.set(name, value);
        }
    }

    fn delete_names(&self, labels: &mut Builder<'_>, matching: bool) {
        let names = labels.iter().map(|(name, _)| name).filter(|name| self.is_match(name) == matching);
        let names: Vec<String> = names.map(str::to_owned).collect();
        for name in names {
            labels.delete(name);
        }
    }
}

impl Written {
    /// The text with the groups of a match put in.
    pub(super) fn expand(&self, captures: &Captures<'_, '_>) -> String {
        self.template.as_text().map_or_else(|| captures.expand(&self.template), str::to_owned)
    }

    /// The same for the default pattern, whose first group is the whole value.
    pub(super) fn expand_whole(&self, value: &str) -> String {
        match self.template.as_text() {
            Some(text) => text.to_owned(),
            None if self.text == DEFAULT_REPLACEMENT => value.to_owned(),
            None => self.template.expand_numbered(|group| (group <= 1).then_some(value)),
        }
    }
}
