//! Runs relabel rules.
//!
//! In: labels and rules. Out: the labels after them, or the rule that dropped the target. Prometheus:
//! `relabel.ProcessBuilder`.

use std::borrow::Cow;

use crate::relabel::case::{to_lower, to_upper};
use crate::relabel::hash::hash_mod;
use crate::relabel::labels::{Builder, LabelSet};
use crate::relabel::rule::{CompiledRule, ReplacementText};
use crate::relabel::{Action, DEFAULT_REPLACEMENT, LABEL_WORK, Reach};
use promgen_text::go::regex::{Captures, GoRegex};

/// Whether a target goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It goes on to the next rule.
    Kept,
    /// It is dropped.
    Dropped,
    /// The rules take more than [`MAX_WORK`](crate::relabel::MAX_WORK) steps for it.
    TooMuch,
}

/// The rule at which a target stops, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopRule {
    /// It drops the target.
    Dropped(usize),
    /// It takes more steps than there may be.
    TooMuch(usize),
}

/// Runs all rules.
///
/// # Errors
/// The rule at which the target stops.
pub fn relabel(labels: &LabelSet, rules: &[CompiledRule]) -> Result<LabelSet, StopRule> {
    let mut builder = Builder::new(labels);
    for (index, rule) in rules.iter().enumerate() {
        match rule.apply(&mut builder) {
            Fate::Kept => {}
            Fate::Dropped => return Err(StopRule::Dropped(index)),
            Fate::TooMuch => return Err(StopRule::TooMuch(index)),
        }
    }
    Ok(builder.labels())
}

impl CompiledRule {
    /// Runs the rule.
    pub fn apply(&self, labels: &mut Builder<'_>) -> Fate {
        if self.action.is_test() {
            return self.test(labels).unwrap_or(Fate::Kept);
        }
        match self.change(labels) {
            Some(()) => Fate::Kept,
            None => Fate::TooMuch,
        }
    }

    /// Runs a rule that changes labels. `None` if that takes too many steps.
    fn change(&self, labels: &mut Builder<'_>) -> Option<()> {
        match self.action {
            Action::Keep | Action::Drop | Action::KeepEqual | Action::DropEqual => Some(()),
            Action::Replace => self.replace(labels),
            Action::HashMod => {
                let bucket = hash_mod(&self.value(labels)?, self.modulus);
                // Prometheus does not expand references to groups in the target of a hash.
                labels.set(self.target().to_owned(), bucket.to_string());
                Some(())
            }
            Action::Lowercase => {
                let value = to_lower(&self.value(labels)?);
                put(labels, self.target().to_owned(), value)
            }
            Action::Uppercase => {
                let value = to_upper(&self.value(labels)?);
                put(labels, self.target().to_owned(), value)
            }
            Action::LabelMap => self.map_names(labels),
            Action::LabelDrop => self.delete_names(labels, LabelNames::Matching),
            Action::LabelKeep => self.delete_names(labels, LabelNames::Others),
        }
    }

    /// Returns whether a target goes on, if the rule does nothing but to ask that.
    pub fn test(&self, labels: &Builder<'_>) -> Option<Fate> {
        if !self.action.is_test() {
            return None;
        }
        let Some(value) = self.value(labels) else {
            return Some(Fate::TooMuch);
        };
        let is_kept = match self.action {
            Action::Keep => self.is_match(&value),
            Action::Drop => !self.is_match(&value),
            Action::KeepEqual => value == labels.get(self.target()),
            Action::DropEqual => value != labels.get(self.target()),
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

    /// The number of steps that the rule takes for a byte that it looks at.
    fn steps_per_byte(&self) -> usize {
        self.regex.as_ref().map_or(1, GoRegex::steps_per_byte)
    }

    /// The joined values of the source labels. `None` if there are too many steps to take for them.
    pub fn value<'l>(&self, labels: &'l Builder<'_>) -> Option<Cow<'l, str>> {
        let len = |name: &String| labels.get(name).len() + self.separator.len();
        let n_bytes = self
            .source_labels
            .iter()
            .map(len)
            .fold(0, usize::saturating_add);
        labels.spend(n_bytes.saturating_mul(self.steps_per_byte()))?;
        Some(match self.source_labels.as_slice() {
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
        })
    }

    /// The target label as it is written.
    #[must_use]
    pub fn target(&self) -> &str {
        &self.target_label.text
    }

    /// The pattern that has to match. `None` matches everything.
    pub const fn pattern(&self) -> Option<&GoRegex> {
        self.regex.as_ref()
    }

    /// The value that it sets its label to, as it is written, and whether that is the text itself.
    pub fn written(&self) -> (&str, bool) {
        (
            &self.replacement.text,
            self.replacement.template.as_text().is_some(),
        )
    }

    /// Which labels it may change.
    pub fn reach(&self) -> Reach<'_> {
        match self.action {
            Action::Keep | Action::Drop | Action::KeepEqual | Action::DropEqual => Reach::Nothing,
            Action::Replace => self
                .target_label
                .template
                .as_text()
                .map_or(Reach::Anything, |_| Reach::Label(self.target())),
            Action::HashMod | Action::Lowercase | Action::Uppercase => Reach::Label(self.target()),
            Action::LabelDrop | Action::LabelKeep => Reach::Deletes,
            Action::LabelMap => Reach::Anything,
        }
    }

    /// Returns whether it deletes the label of that name.
    pub fn deletes(&self, name: &str) -> bool {
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
    pub fn compared(&self) -> Option<&str> {
        matches!(self.action, Action::KeepEqual | Action::DropEqual).then(|| self.target())
    }

    /// Returns whether it sets its label whatever the target is like.
    pub const fn always_writes(&self) -> bool {
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

    /// The value that it sets its label to, whatever the target is like.
    pub fn constant(&self) -> Option<&str> {
        let is_certain = self.action == Action::Replace && self.regex.is_none();
        self.replacement.template.as_text().filter(|_| is_certain)
    }

    fn is_match(&self, value: &str) -> bool {
        self.regex
            .as_ref()
            .is_none_or(|regex| regex.is_match(value))
    }

    fn replace(&self, labels: &mut Builder<'_>) -> Option<()> {
        let value = self.value(labels)?;
        let max = labels.left();
        let (target, replacement) = match &self.regex {
            None => (
                self.target_label.expand_whole(max, &value)?,
                self.replacement.expand_whole(max, &value)?,
            ),
            Some(regex) => {
                let Some(captures) = regex.captures(&value) else {
                    return Some(());
                };
                (
                    self.target_label.expand(max, &captures)?,
                    self.replacement.expand(max, &captures)?,
                )
            }
        };
        // A target that is no name after its references are replaced is passed over, and the labels stay.
        if self.scheme.is_label_name(&target) {
            put(labels, target, replacement)
        } else {
            Some(())
        }
    }

    fn map_names(&self, labels: &mut Builder<'_>) -> Option<()> {
        let mut mapped: Vec<(String, String)> = Vec::new();
        for (name, value) in labels.iter() {
            labels.spend(name.len().saturating_mul(self.steps_per_byte()))?;
            let template = &self.replacement.template;
            let new = match &self.regex {
                None => self.replacement.expand_whole(labels.left(), name)?,
                Some(regex) if regex.is_match(name) => regex
                    .replace_all_within(labels.left(), name, template)?
                    .into_owned(),
                Some(_) => continue,
            };
            labels.spend(new.len() + value.len() + LABEL_WORK)?;
            mapped.push((new, value.to_owned()));
        }
        // After the walk, so that a new label is not mapped itself.
        for (name, value) in mapped {
            labels.set(name, value);
        }
        Some(())
    }

    fn delete_names(&self, labels: &mut Builder<'_>, which: LabelNames) -> Option<()> {
        let mut names = Vec::new();
        for (name, _) in labels.iter() {
            labels.spend(name.len().saturating_mul(self.steps_per_byte()))?;
            if self.is_match(name) == (which == LabelNames::Matching) {
                names.push(name.to_owned());
            }
        }
        for name in names {
            labels.delete(name);
        }
        Some(())
    }
}

/// The labels that a rule deletes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LabelNames {
    /// Those whose names match its pattern.
    Matching,
    /// All others.
    Others,
}

/// Sets a label. `None` if there is no room for it.
fn put(labels: &mut Builder<'_>, name: String, value: String) -> Option<()> {
    labels.spend(name.len() + value.len() + LABEL_WORK)?;
    labels.set(name, value);
    Some(())
}

impl ReplacementText {
    /// The text with the groups of a match put in. `None` if that gives more than `max` bytes.
    pub(super) fn expand(&self, max: usize, captures: &Captures<'_, '_>) -> Option<String> {
        match self.template.as_text() {
            Some(text) => Some(text.to_owned()),
            None => captures.expand_within(max, &self.template),
        }
    }

    /// The same for the default pattern, whose first group is the whole value.
    pub(super) fn expand_whole(&self, max: usize, value: &str) -> Option<String> {
        match self.template.as_text() {
            Some(text) => Some(text.to_owned()),
            // `$1` of the default pattern is all of the value.
            None if self.text == DEFAULT_REPLACEMENT => Some(value.to_owned()),
            None => self
                .template
                .expand_numbered(max, |group| (group <= 1).then_some(value)),
        }
    }
}
