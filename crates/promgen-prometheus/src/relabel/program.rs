//! Rules over numbered labels.
//!
//! In: rules that name all labels they touch, as nearly all do. Out: the same rules with numbers for names, which are run on
//! the few labels that they touch, without copying any text. For those who ask many targets whether they are kept.

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::relabel::engine::Fate;
use crate::relabel::hash::hash_mod;
use crate::relabel::labels::LabelSet;
use crate::relabel::rule::{CompiledRule, ReplacementText};
use crate::relabel::{Action, MAX_WORK};
use promgen_text::go::regex::{GoRegex, TextPattern, UnknownText};

/// Stands for any text but the empty one, without `;`: what is shown for it holds for all of them. No label has it.
pub const ANY: char = '\u{10fffe}';

/// As [`ANY`], but for a text that is none of those that are given to [`SymbolicRun::new`].
pub const OTHER: char = '\u{10fffd}';

/// The needs of a run besides the labels.
#[derive(Debug, Default)]
pub struct RelabelCx {
    /// Memory for joined values.
    joined: String,
    /// The effects of the rules so far on the way to where the run is.
    pub work: usize,
    /// Set if labels may hold [`ANY`] or [`OTHER`].
    pub symbol: Option<SymbolicRun>,
}

/// A run on targets of which not everything is known.
#[derive(Clone, Debug, Default)]
pub struct SymbolicRun {
    /// The hash of what is not known, modulo whatever a rule divides it by.
    residue: u64,
    /// The text that was hashed.
    hashed: Option<String>,
    /// What [`OTHER`] does not stand for.
    none_of: Rc<[String]>,
    /// A rule treats some of the targets one way and some another.
    pub is_undecided: bool,
}

impl RelabelCx {
    /// For a run on targets of which all is known, or not.
    pub fn new(symbol: Option<SymbolicRun>) -> Self {
        Self {
            joined: String::with_capacity(128),
            work: 0,
            symbol,
        }
    }

    /// Counts what a rule is about to do. `None` if that is more than [`MAX_WORK`] leaves.
    fn spend(&mut self, steps: usize) -> Option<()> {
        self.work = self.work.saturating_add(steps);
        (self.work <= MAX_WORK).then_some(())
    }

    const fn left(&self) -> usize {
        MAX_WORK.saturating_sub(self.work)
    }
}

impl SymbolicRun {
    /// A run on targets of which the unknown hashes to a number that leaves this rest. [`OTHER`] is none of these texts.
    pub fn new(residue: u64, none_of: Rc<[String]>) -> Self {
        Self {
            residue,
            none_of,
            ..Self::default()
        }
    }

    fn look(&mut self, value: &str, regex: Option<&GoRegex>) {
        if let Some(regex) = regex.filter(|_| is_unknown(value)) {
            self.is_undecided |= !regex
                .shape()
                .is_some_and(|shape| shape.is_certain(value, self.unknown()));
        }
    }

    /// Looks at a value that is compared with texts and shapes.
    pub fn compare<'p>(
        &mut self,
        value: &str,
        mut texts: impl Iterator<Item = &'p str>,
        mut shapes: impl Iterator<Item = &'p TextPattern>,
    ) {
        if is_unknown(value) {
            let unknown = self.unknown();
            let may_differ = texts.any(|text| unknown.may_be(value, text));
            self.is_undecided |=
                may_differ || shapes.any(|shape| !shape.is_certain(value, unknown));
        }
    }

    fn unknown(&self) -> UnknownText<'_> {
        UnknownText {
            any: ANY,
            other: OTHER,
            none_of: &self.none_of,
        }
    }

    /// The bucket of a value that is not known.
    fn bucket(&mut self, value: &str, modulus: u64) -> Option<u64> {
        if !is_unknown(value) {
            return None;
        }
        // Two unknown values need not leave the same rest: only the first one has the rest that the run assumes.
        let is_other = self.hashed.as_deref().is_some_and(|hashed| hashed != value);
        self.is_undecided |= is_other;
        self.hashed = Some(value.to_owned());
        Some(self.residue % modulus)
    }
}

/// Returns whether some of a value is not known.
fn is_unknown(value: &str) -> bool {
    value.contains([ANY, OTHER])
}

/// The names of numbered labels.
#[derive(Clone, Debug, Default)]
pub struct LabelSlots {
    /// By number.
    names: Vec<String>,
    /// The numbers, by name.
    sorted: Vec<usize>,
}

impl LabelSlots {
    /// The number of a label, a new one if it has none.
    fn number(&mut self, name: &str) -> usize {
        match self
            .sorted
            .binary_search_by(|number| self.names[*number].as_str().cmp(name))
        {
            Ok(at) => self.sorted[at],
            Err(at) => {
                self.sorted.insert(at, self.names.len());
                self.names.push(name.to_owned());
                self.names.len() - 1
            }
        }
    }

    /// The names, by number.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }
}

/// A value: of the target, of a rule, or made on the way.
#[derive(Clone, Debug)]
enum LabelText<'a> {
    Given(&'a str),
    Made(Rc<str>),
}

impl LabelText<'_> {
    fn as_str(&self) -> &str {
        match self {
            Self::Given(text) => text,
            Self::Made(text) => text,
        }
    }

    /// The number of bytes of it that no label of the target and no rule has.
    fn made_len(&self) -> usize {
        match self {
            Self::Given(_) => 0,
            Self::Made(text) => text.len(),
        }
    }

    fn part(&self, from: usize, to: usize) -> Self {
        match self {
            Self::Given(text) => Self::Given(&text[from..to]),
            Self::Made(text) => Self::Made(text[from..to].into()),
        }
    }
}

/// The numbered labels of a target.
#[derive(Clone, Debug)]
pub struct Slots<'a>(Vec<LabelText<'a>>);

impl<'a> Slots<'a> {
    /// The labels as the target has them.
    pub fn read(names: &LabelSlots, labels: &'a LabelSet) -> Self {
        let mut slots = vec![LabelText::Given(""); names.names.len()];
        let mut labels = labels.iter().peekable();
        for number in &names.sorted {
            let name = names.names[*number].as_str();
            // Both are sorted by name, so one walk over the labels is enough.
            while labels.next_if(|(label, _)| *label < name).is_some() {}
            if let Some((_, value)) = labels.next_if(|(label, _)| *label == name) {
                slots[*number] = LabelText::Given(value);
            }
        }
        Self(slots)
    }
}

/// The labels that a rule reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelSources {
    numbers: Vec<usize>,
    separator: String,
}

impl LabelSources {
    fn new(rule: &CompiledRule, names: &mut LabelSlots) -> Self {
        let numbers = rule
            .source_labels
            .iter()
            .map(|name| names.number(name))
            .collect();
        Self {
            numbers,
            separator: rule.separator.clone(),
        }
    }

    /// The values, joined, for a rule that compares them with texts, and who has to know of it. `None` if there are too many
    /// steps to take.
    pub fn look<'t>(
        &self,
        slots: &'t Slots<'_>,
        cx: &'t mut RelabelCx,
    ) -> Option<(&'t str, Option<&'t mut SymbolicRun>)> {
        cx.spend(self.len(slots))?;
        Some((self.join(slots, &mut cx.joined), cx.symbol.as_mut()))
    }

    /// The length of the values, joined.
    fn len(&self, slots: &Slots<'_>) -> usize {
        let len = |number: &usize| slots.0[*number].as_str().len() + self.separator.len();
        self.numbers.iter().map(len).fold(0, usize::saturating_add)
    }

    /// The values, joined.
    fn join<'t>(&self, slots: &'t Slots<'_>, scratch: &'t mut String) -> &'t str {
        match self.numbers.as_slice() {
            [] => "",
            [one] => slots.0[*one].as_str(),
            [first, others @ ..] => {
                scratch.clear();
                scratch.push_str(slots.0[*first].as_str());
                for number in others {
                    scratch.push_str(&self.separator);
                    scratch.push_str(slots.0[*number].as_str());
                }
                scratch
            }
        }
    }

    /// The bytes `from..to` of the joined values, if they are those of one label.
    fn part<'a>(&self, slots: &Slots<'a>, from: usize, to: usize) -> Option<LabelText<'a>> {
        let mut start = 0;
        for number in &self.numbers {
            let value = &slots.0[*number];
            let end = start + value.as_str().len();
            if start <= from && to <= end {
                return Some(value.part(from - start, to - start));
            }
            start = end + self.separator.len();
        }
        None
    }
}

/// A rule over numbered labels.
#[derive(Clone, Debug)]
pub struct Op {
    /// The labels that it reads.
    pub sources: LabelSources,
    /// `None` matches everything.
    regex: Option<GoRegex>,
    /// The operation.
    pub kind: OpKind,
}

/// The effect of a rule over numbered labels.
#[derive(Clone, Debug)]
pub enum OpKind {
    /// Drops what matches, or what does not.
    Test {
        /// It keeps what matches.
        keep: bool,
    },
    /// Drops what is equal to a label, or what is not.
    Compare {
        /// The other label.
        with: usize,
        /// It keeps what is equal.
        keep: bool,
    },
    /// Sets a label.
    Set {
        /// The label.
        target: usize,
        /// Its new value.
        replacement: Replacement,
    },
    /// Sets a label to a hash.
    Hash {
        /// The label.
        target: usize,
        /// The hash is below it.
        modulus: u64,
    },
}

/// The value that a label is set to.
#[derive(Clone, Debug)]
pub enum Replacement {
    /// A text.
    Text(String),
    /// A group of the match.
    Group(usize),
    /// Anything else.
    Template(ReplacementText),
}

impl Op {
    /// A rule with numbers for names. `None` if it touches labels that it does not name, or changes their letters.
    pub fn new(rule: &CompiledRule, names: &mut LabelSlots) -> Option<Self> {
        let sources = LabelSources::new(rule, names);
        let kind = match rule.action {
            Action::Keep => OpKind::Test { keep: true },
            Action::Drop => OpKind::Test { keep: false },
            Action::KeepEqual => OpKind::Compare {
                with: names.number(rule.target()),
                keep: true,
            },
            Action::DropEqual => OpKind::Compare {
                with: names.number(rule.target()),
                keep: false,
            },
            Action::Replace => {
                let target = names.number(rule.target_label.template.as_text()?);
                OpKind::Set {
                    target,
                    replacement: Replacement::new(&rule.replacement),
                }
            }
            Action::HashMod => OpKind::Hash {
                target: names.number(rule.target()),
                modulus: rule.modulus,
            },
            Action::Lowercase
            | Action::Uppercase
            | Action::LabelMap
            | Action::LabelDrop
            | Action::LabelKeep => {
                return None;
            }
        };
        Some(Self {
            sources,
            regex: rule.regex.clone(),
            kind,
        })
    }

    /// The number of buckets, if it hashes.
    pub const fn modulus(&self) -> Option<u64> {
        match self.kind {
            OpKind::Hash { modulus, .. } => Some(modulus),
            OpKind::Test { .. } | OpKind::Compare { .. } | OpKind::Set { .. } => None,
        }
    }

    /// The pattern of a rule that keeps what matches a choice of texts.
    pub fn kept_shape(&self) -> Option<&TextPattern> {
        match self.kind {
            OpKind::Test { keep: true } => self.regex.as_ref().and_then(GoRegex::shape),
            OpKind::Test { keep: false }
            | OpKind::Compare { .. }
            | OpKind::Set { .. }
            | OpKind::Hash { .. } => None,
        }
    }

    /// Counts what the rule is about to do.
    fn spend(&self, slots: &Slots<'_>, cx: &mut RelabelCx) -> Option<()> {
        let steps_per_byte = self.regex.as_ref().map_or(1, GoRegex::steps_per_byte);
        cx.spend(self.sources.len(slots).saturating_mul(steps_per_byte))
    }

    /// Returns whether it changes nothing. If so, whether a target goes on.
    pub fn test(&self, slots: &Slots<'_>, cx: &mut RelabelCx) -> Option<Fate> {
        if matches!(self.kind, OpKind::Set { .. } | OpKind::Hash { .. }) {
            return None;
        }
        if self.spend(slots, cx).is_none() {
            return Some(Fate::TooMuch);
        }
        let value = self.sources.join(slots, &mut cx.joined);
        let is_kept = match &self.kind {
            OpKind::Test { keep } => {
                if let Some(symbol) = &mut cx.symbol {
                    symbol.look(value, self.regex.as_ref());
                }
                self.regex
                    .as_ref()
                    .is_none_or(|regex| regex.is_match(value))
                    == *keep
            }
            OpKind::Compare { with, keep } => {
                let with = slots.0[*with].as_str();
                if let Some(symbol) = &mut cx.symbol {
                    symbol.is_undecided |= is_unknown(value) || is_unknown(with);
                }
                (value == with) == *keep
            }
            OpKind::Set { .. } | OpKind::Hash { .. } => return None,
        };
        Some(if is_kept { Fate::Kept } else { Fate::Dropped })
    }

    /// Runs the rule.
    pub fn apply<'a>(&'a self, slots: &mut Slots<'a>, cx: &mut RelabelCx) -> Fate {
        if let Some(fate) = self.test(slots, cx) {
            return fate;
        }
        if self.change(slots, cx).is_some() {
            Fate::Kept
        } else {
            Fate::TooMuch
        }
    }

    /// Runs a rule that changes a label. `None` if that takes too many steps.
    fn change<'a>(&'a self, slots: &mut Slots<'a>, cx: &mut RelabelCx) -> Option<()> {
        self.spend(slots, cx)?;
        match &self.kind {
            OpKind::Test { .. } | OpKind::Compare { .. } => Some(()),
            OpKind::Set {
                target,
                replacement,
            } => {
                if let Some(value) = self.value(replacement, slots, cx)? {
                    cx.spend(value.made_len())?;
                    slots.0[*target] = value;
                }
                Some(())
            }
            OpKind::Hash { target, modulus } => {
                let value = self.sources.join(slots, &mut cx.joined);
                let unknown = cx
                    .symbol
                    .as_mut()
                    .and_then(|symbol| symbol.bucket(value, *modulus));
                let bucket = unknown.unwrap_or_else(|| hash_mod(value, *modulus));
                slots.0[*target] = number(bucket);
                Some(())
            }
        }
    }

    /// The value of a label that is set, if the pattern matches. `None` if that is too long.
    fn value<'a>(
        &'a self,
        replacement: &'a Replacement,
        slots: &Slots<'a>,
        cx: &mut RelabelCx,
    ) -> Option<Option<LabelText<'a>>> {
        let max = cx.left();
        let joined = self.sources.join(slots, &mut cx.joined);
        if let Some(symbol) = &mut cx.symbol {
            symbol.look(joined, self.regex.as_ref());
        }
        let Some(regex) = &self.regex else {
            return Some(Some(match replacement {
                Replacement::Text(text) => LabelText::Given(text),
                Replacement::Group(0 | 1) => {
                    let whole = (0, joined.len());
                    self.sources
                        .part(slots, whole.0, whole.1)
                        .unwrap_or_else(|| LabelText::Made(joined.into()))
                }
                Replacement::Group(_) => LabelText::Given(""),
                Replacement::Template(written) => {
                    LabelText::Made(written.expand_whole(max, joined)?.into())
                }
            }));
        };
        let Some(captures) = regex.captures(joined) else {
            return Some(None);
        };
        Some(Some(match replacement {
            Replacement::Text(text) => LabelText::Given(text),
            Replacement::Group(group) => match captures.range(*group) {
                None => LabelText::Given(""),
                Some(range) => {
                    let part = self.sources.part(slots, range.start, range.end);
                    part.unwrap_or_else(|| LabelText::Made(joined[range].into()))
                }
            },
            Replacement::Template(written) => {
                LabelText::Made(written.expand(max, &captures)?.into())
            }
        }))
    }
}

/// The numbers of the labels whose values end up in a hash.
pub fn hashed_labels(rules: &[&Op]) -> BTreeSet<usize> {
    let mut hashed = BTreeSet::new();
    loop {
        let before = hashed.len();
        for rule in rules {
            let is_hashed = match rule.kind {
                OpKind::Hash { .. } => true,
                OpKind::Set { target, .. } => hashed.contains(&target),
                OpKind::Test { .. } | OpKind::Compare { .. } => false,
            };
            if is_hashed {
                hashed.extend(&rule.sources.numbers);
            }
        }
        // Backwards and forwards until nothing is added: a rule may set a label that an earlier one hashes only in the
        // next round.
        if hashed.len() == before {
            return hashed;
        }
    }
}

impl Replacement {
    fn new(written: &ReplacementText) -> Self {
        match (written.template.as_text(), written.template.as_group()) {
            (Some(text), _) => Self::Text(text.to_owned()),
            (None, Some(group)) => Self::Group(group),
            (None, None) => Self::Template(written.clone()),
        }
    }
}

/// A number as a text. Those of buckets are small, and there all the time.
fn number(bucket: u64) -> LabelText<'static> {
    const DIGITS: [&str; 16] = [
        "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15",
    ];
    let digits = usize::try_from(bucket)
        .ok()
        .and_then(|bucket| DIGITS.get(bucket));
    digits.map_or_else(
        || LabelText::Made(bucket.to_string().into()),
        |digits| LabelText::Given(digits),
    )
}
