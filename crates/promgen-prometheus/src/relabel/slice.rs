//! What of a list of rules decides whether a target is kept.
//!
//! Most rules of a job copy labels that no later rule looks at. Whoever asks only whether a target is kept, and not what
//! becomes of its labels, need not run them. In: rules. Out: those that matter, by their number. Two passes: forwards, tests
//! of labels that a rule before has set to a certain text are decided; backwards, what sets labels that nobody reads goes.

use std::collections::{BTreeMap, BTreeSet};

use crate::relabel::engine::Fate;
use crate::relabel::labels::{Builder, LabelSet};
use crate::relabel::rule::CompiledRule;
use crate::relabel::{Action, Reach};

/// Labels of which it is known what a rule has set them to.
pub type KnownLabels = BTreeMap<String, String>;

/// What decides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DecidingRules {
    /// The rules, by their number, rising.
    pub rules: Vec<usize>,
    /// The labels of the target that they read.
    pub labels: BTreeSet<String>,
}

/// The rules and labels that decide whether a target is kept.
pub fn deciding(rules: &[&CompiledRule]) -> DecidingRules {
    let mut known = KnownLabels::new();
    let mut undecided = Vec::new();
    for (index, rule) in rules.iter().enumerate() {
        match foresee(rule, &mut known) {
            // A test that all targets pass decides nothing.
            Some(Fate::Kept) if rule.action.is_test() => {}
            Some(Fate::Kept | Fate::TooMuch) | None => undecided.push(index),
            Some(Fate::Dropped) => {
                undecided.push(index);
                break;
            }
        }
    }
    let mut live = LiveLabels::default();
    let mut deciding: Vec<usize> = undecided
        .into_iter()
        .rev()
        .filter(|index| live.needs(rules[*index]))
        .collect();
    deciding.reverse();
    DecidingRules {
        rules: deciding,
        labels: live.names,
    }
}

/// What the rules do to every target alike: the labels that they all set to the same text. `None` if they may change one of
/// these labels from target to target.
pub fn constants<'n>(
    rules: &[&CompiledRule],
    labels: impl IntoIterator<Item = &'n str>,
) -> Option<KnownLabels> {
    let mut known = KnownLabels::new();
    let mut written = BTreeSet::new();
    for rule in rules {
        foresee(rule, &mut known);
        match rule.reach() {
            Reach::Nothing => {}
            Reach::Label(name) => drop(written.insert(name.to_owned())),
            Reach::Deletes | Reach::Anything => return None,
        }
    }
    let is_certain = |name: &&str| !written.contains(*name) || known.contains_key(*name);
    let labels: Vec<&str> = labels.into_iter().collect();
    labels.iter().all(is_certain).then(|| {
        known.retain(|name, _| labels.contains(&name.as_str()));
        known
    })
}

/// The facts after a rule, and what becomes of a target at it, where that is the same for all targets.
fn foresee(rule: &CompiledRule, known: &mut KnownLabels) -> Option<Fate> {
    if rule.action.is_test() {
        let mut names = rule
            .source_labels
            .iter()
            .map(String::as_str)
            .chain(rule.compared());
        return names.all(|name| known.contains_key(name)).then(|| {
            let labels: LabelSet = known
                .iter()
                .map(|(name, value)| (name.as_str(), value.as_str()))
                .collect();
            rule.apply(&mut Builder::new(&labels))
        });
    }
    match rule.reach() {
        Reach::Nothing => {}
        Reach::Label(name) => match rule.constant() {
            Some(text) => drop(known.insert(name.to_owned(), text.to_owned())),
            None => drop(known.remove(name)),
        },
        // Any label may have changed, so nothing is known of any.
        Reach::Deletes | Reach::Anything => known.clear(),
    }
    Some(Fate::Kept)
}

/// The labels that later rules read.
#[derive(Debug, Default)]
struct LiveLabels {
    names: BTreeSet<String>,
    /// A later rule may read any label.
    all: bool,
}

impl LiveLabels {
    /// Returns whether a rule matters to those behind it; if so, what it reads matters to those before it.
    fn needs(&mut self, rule: &CompiledRule) -> bool {
        let is_needed = match rule.reach() {
            Reach::Nothing => true,
            Reach::Label(name) => self.all || self.names.contains(name),
            Reach::Deletes => self.all || self.names.iter().any(|name| rule.deletes(name)),
            Reach::Anything => self.all || !self.names.is_empty(),
        };
        if !is_needed {
            return false;
        }
        match rule.reach() {
            // What a label held before is overwritten, so nobody reads it any more.
            Reach::Label(name) if rule.always_writes() => drop(self.names.remove(name)),
            Reach::Nothing | Reach::Label(_) | Reach::Deletes | Reach::Anything => {}
        }
        self.all |= rule.action == Action::LabelMap;
        self.names.extend(rule.source_labels.iter().cloned());
        self.names.extend(rule.compared().map(str::to_owned));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::relabel::{NameScheme, relabel, rules};
    use promgen_text::yaml::Value;
    use proptest::prelude::*;

    fn read(yaml: &str) -> Vec<CompiledRule> {
        let root = promgen_text::yaml::read::read_slices(yaml)
            .unwrap()
            .unwrap();
        let Value::Seq(values) = root.to_value() else {
            panic!("no list: {yaml}")
        };
        rules(&values, NameScheme::Utf8).unwrap()
    }

    fn kept(yaml: &str) -> Vec<usize> {
        deciding(&read(yaml).iter().collect::<Vec<_>>()).rules
    }

    #[test]
    fn what_nobody_reads_goes() {
        let copies = "[{source_labels: [a], target_label: b}, {source_labels: [b], target_label: c}, \
                      {action: keep, source_labels: [b], regex: x}, {target_label: b, replacement: y}]";
        assert_eq!(kept(copies), [0, 2]);
        assert_eq!(
            kept(
                "[{target_label: b}, {action: labelmap, regex: 'b(.+)'}, {action: drop, source_labels: [z]}]"
            ),
            [0, 1, 2]
        );
        assert_eq!(
            kept(
                "[{action: labeldrop, regex: a}, {action: labeldrop, regex: b}, {action: drop, source_labels: [b]}]"
            ),
            [1, 2]
        );
    }

    #[test]
    fn what_is_certain_is_decided() {
        let in_range = "[{target_label: s, replacement: '3'}, {action: keep, source_labels: [s], regex: 1|2|3}, \
                        {action: keep, source_labels: [x], regex: a}]";
        assert_eq!(kept(in_range), [2]);
        let out_of_range = in_range.replace("'3'", "'4'");
        assert_eq!(kept(&out_of_range), [0, 1]);
        let overwritten = "[{target_label: s, replacement: '3'}, {source_labels: [x], target_label: s, regex: a}, \
                           {action: keep, source_labels: [s], regex: '3'}]";
        assert_eq!(kept(overwritten), [0, 1, 2]);
    }

    #[test]
    fn labels_are_known_or_not_told() {
        let rules =
            read("[{target_label: z, replacement: a}, {source_labels: [p], target_label: q}]");
        let rules: Vec<&CompiledRule> = rules.iter().collect();
        assert_eq!(
            constants(&rules, ["z", "h"]),
            Some(KnownLabels::from([("z".to_owned(), "a".to_owned())]))
        );
        assert_eq!(constants(&rules, ["q"]), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn the_fate_of_a_target_is_the_same(
            picked in prop::collection::vec((0..10usize, prop::sample::select(vec!["a", "b", "c"]),
                                             prop::sample::select(vec!["a", "b", "c"])), 0..8),
            values in prop::collection::vec(prop::sample::select(vec!["", "x", "y"]), 3),
        ) {
            let forms = [
                "{source_labels: [S], target_label: T}", "{target_label: T, replacement: x}",
                "{source_labels: [S], target_label: T, regex: x}", "{action: keep, source_labels: [S, T], regex: 'x;.*|;'}",
                "{action: drop, source_labels: [S], regex: y}", "{action: labeldrop, regex: T}",
                "{action: labelmap, regex: S, replacement: T}", "{action: keepequal, source_labels: [S], target_label: T}",
                "{action: uppercase, source_labels: [S], target_label: T}", "{source_labels: [S], target_label: '$1', regex: '(.+)'}",
            ];
            let texts: Vec<_> = picked.iter().map(|(f, s, t)| forms[*f].replace('S', s).replace('T', t)).collect();
            let all = read(&format!("[{}]", texts.join(", ")));
            let labels: LabelSet = ["a", "b", "c"].into_iter().zip(values).collect();
            let few: Vec<CompiledRule> = deciding(&all.iter().collect::<Vec<_>>()).rules.into_iter().map(|i| all[i].clone()).collect();
            prop_assert_eq!(relabel(&labels, &all).is_ok(), relabel(&labels, &few).is_ok(), "{:?}", texts);
        }
    }
}
