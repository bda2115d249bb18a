//! The rules of all shards as a tree.
//!
//! In: the rules of each shard. Out: a tree that branches where they differ, so that what shards have in common is run
//! once. Where shards differ in nothing but the text that a label must have, the text is looked up instead of compared with
//! that of one shard after the other.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::assign::Assignment;
use promgen_prometheus::relabel::program::{LabelSources, Op, RelabelCx, Slots, SymbolicRun};
use promgen_prometheus::relabel::{Builder, CompiledRule, Fate};
use promgen_text::go::regex::TextPattern;
use promgen_text::hashed_map::HashedMap;
use promgen_text::yaml::Value;

/// A rule that can be run on the labels of a target.
pub(super) trait RunnableRule: Clone {
    /// The labels, as the rules change them.
    type Labels<'a>: Clone
    where
        Self: 'a;

    /// Returns whether a target goes on, if the rule does nothing but to ask that.
    fn test(&self, labels: &Self::Labels<'_>, cx: &mut RelabelCx) -> Option<Fate>;

    /// Runs the rule.
    fn apply<'a>(&'a self, labels: &mut Self::Labels<'a>, cx: &mut RelabelCx) -> Fate;

    /// The rules as one, if they ask for texts of the same labels.
    fn choice(rules: &[&Self]) -> Option<KeepIndex>;

    /// The rules, by their number, that a target passes. `None` if that takes too many steps.
    fn choose<'c>(
        choice: &'c KeepIndex,
        labels: &Self::Labels<'_>,
        cx: &mut RelabelCx,
    ) -> Option<Cow<'c, [usize]>>;
}

/// Rules that each keep what has certain values in the same labels.
#[derive(Clone, Debug)]
pub(super) struct KeepIndex {
    sources: LabelSources,
    /// The rules that keep a text.
    by_text: BTreeMap<String, Vec<usize>>,
    /// The rules that keep what has a form.
    by_shape: Vec<(TextPattern, Vec<usize>)>,
}

impl RunnableRule for Op {
    type Labels<'a> = Slots<'a>;

    fn test(&self, labels: &Slots<'_>, cx: &mut RelabelCx) -> Option<Fate> {
        Self::test(self, labels, cx)
    }

    fn apply<'a>(&'a self, labels: &mut Slots<'a>, cx: &mut RelabelCx) -> Fate {
        Self::apply(self, labels, cx)
    }

    fn choice(rules: &[&Self]) -> Option<KeepIndex> {
        let sources = rules.first()?.sources.clone();
        let mut choice = KeepIndex {
            sources,
            by_text: BTreeMap::new(),
            by_shape: Vec::new(),
        };
        for (index, rule) in rules.iter().enumerate() {
            let shape = rule
                .kept_shape()
                .filter(|_| rule.sources == choice.sources)?;
            let (texts, others) = shape.texts_and_others();
            for text in texts {
                choice
                    .by_text
                    .entry(text.to_owned())
                    .or_default()
                    .push(index);
            }
            let Some(others) = others else { continue };
            match choice
                .by_shape
                .iter_mut()
                .find(|(shape, _)| *shape == others)
            {
                Some((_, indexes)) => indexes.push(index),
                None => choice.by_shape.push((others, vec![index])),
            }
        }
        Some(choice)
    }

    fn choose<'c>(
        choice: &'c KeepIndex,
        labels: &Slots<'_>,
        cx: &mut RelabelCx,
    ) -> Option<Cow<'c, [usize]>> {
        let (value, symbol) = choice.sources.look(labels, cx)?;
        if let Some(symbol) = symbol {
            let texts = choice.by_text.keys().map(String::as_str);
            symbol.compare(value, texts, choice.by_shape.iter().map(|(shape, _)| shape));
        }
        let mut chosen = Cow::Borrowed(
            choice
                .by_text
                .get(value)
                .map(Vec::as_slice)
                .unwrap_or_default(),
        );
        for (shape, indexes) in &choice.by_shape {
            if shape.is_match(value) {
                chosen.to_mut().extend(indexes);
            }
        }
        if let Cow::Owned(chosen) = &mut chosen {
            chosen.sort_unstable();
            chosen.dedup();
        }
        Some(chosen)
    }
}

impl RunnableRule for CompiledRule {
    type Labels<'a> = Builder<'a>;

    fn test(&self, labels: &Builder<'_>, _: &mut RelabelCx) -> Option<Fate> {
        Self::test(self, labels)
    }

    fn apply<'a>(&'a self, labels: &mut Builder<'a>, _: &mut RelabelCx) -> Fate {
        Self::apply(self, labels)
    }

    /// Such rules are run one after the other: they are there for jobs with few targets.
    fn choice(_: &[&Self]) -> Option<KeepIndex> {
        None
    }

    fn choose<'c>(
        _: &'c KeepIndex,
        _: &Builder<'_>,
        _: &mut RelabelCx,
    ) -> Option<Cow<'c, [usize]>> {
        Some(Cow::Borrowed(&[]))
    }
}

/// The rules of one shard, each with its number and as it is written.
#[derive(Debug)]
pub(super) struct Column<'v, S> {
    pub(super) shard: u32,
    pub(super) rules: Vec<(usize, &'v Value, S)>,
}

impl<'v, S> Column<'v, S> {
    /// The rules in another form, if they all have one.
    pub(super) fn mapped<T>(&self, mut form: impl FnMut(&S) -> Option<T>) -> Option<Column<'v, T>> {
        let rules = self
            .rules
            .iter()
            .map(|(index, value, rule)| Some((*index, *value, form(rule)?)));
        Some(Column {
            shard: self.shard,
            rules: rules.collect::<Option<_>>()?,
        })
    }

    /// The key that distinguishes a rule from that of another shard.
    fn key(&self, at: usize) -> Option<(usize, &'v Value)> {
        self.rules.get(at).map(|(index, value, _)| (*index, *value))
    }
}

/// Rules that some shards have in common.
#[derive(Clone, Debug)]
pub(super) struct Branch<S> {
    rules: Vec<(usize, S)>,
    next: Next<S>,
}

/// How rules go on.
#[derive(Clone, Debug)]
enum Next<S> {
    /// Not at all: these shards keep what comes through.
    Shards(Vec<u32>),
    /// In each of several ways.
    Each(Vec<Branch<S>>),
    /// In the branches selected by a label. The number is the greatest of the rules that read it.
    Choice(usize, KeepIndex, Vec<Branch<S>>),
}

/// A target on its way through the tree.
#[derive(Debug)]
pub(super) struct TreeRun {
    n_own: usize,
    /// The rules of the job itself let it through, for some shard.
    is_target: bool,
    /// The rule that takes too many steps for the target.
    too_much: Option<usize>,
    keepers: Vec<u32>,
    cx: RelabelCx,
}

impl TreeRun {
    pub(super) fn new(n_own: usize, symbol: Option<SymbolicRun>) -> Self {
        Self {
            n_own,
            is_target: false,
            too_much: None,
            keepers: Vec::new(),
            cx: RelabelCx::new(symbol),
        }
    }

    /// Returns whether a rule read an unknown value.
    pub(super) fn is_undecided(&self) -> bool {
        self.too_much.is_some()
            || self
                .cx
                .symbol
                .as_ref()
                .is_some_and(|symbol| symbol.is_undecided)
    }

    /// The result.
    pub(super) fn end(mut self) -> Assignment {
        if let Some(rule) = self.too_much {
            return Assignment::TooMuch(rule);
        }
        self.keepers.sort_unstable();
        if self.is_target {
            Assignment::Kept(self.keepers)
        } else {
            Assignment::Dropped
        }
    }
}

impl<S: RunnableRule> Branch<S> {
    /// The rules of these shards from one on. Each step down parts them, so the depth is at most their number.
    pub(super) fn grow(columns: &[&Column<'_, S>], from: usize) -> Self {
        let mut rules = Vec::new();
        let Some((first, others)) = columns.split_first() else {
            return Self {
                rules,
                next: Next::Shards(Vec::new()),
            };
        };
        for (at, (index, _, rule)) in first.rules.iter().enumerate().skip(from) {
            if others.iter().any(|column| column.key(at) != first.key(at)) {
                return Self {
                    rules,
                    next: Next::part(columns, at),
                };
            }
            rules.push((*index, rule.clone()));
        }
        let end = first.rules.len();
        if others.iter().any(|column| column.rules.len() > end) {
            return Self {
                rules,
                next: Next::part(columns, end),
            };
        }
        Self {
            rules,
            next: Next::Shards(columns.iter().map(|column| column.shard).collect()),
        }
    }

    /// All rules.
    pub(super) fn rules(&self) -> Vec<&S> {
        let branches = match &self.next {
            Next::Shards(_) => &[],
            Next::Each(branches) | Next::Choice(_, _, branches) => branches.as_slice(),
        };
        self.rules
            .iter()
            .map(|(_, rule)| rule)
            .chain(branches.iter().flat_map(Self::rules))
            .collect()
    }

    pub(super) fn assign<'a>(&'a self, labels: &S::Labels<'a>, run: &mut TreeRun) {
        // What other branches do is not done on the way to this one.
        let work = run.cx.work;
        self.follow(labels, run);
        run.cx.work = work;
    }

    fn follow<'a>(&'a self, labels: &S::Labels<'a>, run: &mut TreeRun) {
        let mut changed: Option<S::Labels<'a>> = None;
        for (index, rule) in &self.rules {
            run.is_target |= *index >= run.n_own;
            let fate = match rule.test(changed.as_ref().unwrap_or(labels), &mut run.cx) {
                Some(fate) => fate,
                None => rule.apply(changed.get_or_insert_with(|| labels.clone()), &mut run.cx),
            };
            match fate {
                Fate::Kept => {}
                Fate::Dropped => return,
                Fate::TooMuch => return run.too_much = Some(*index),
            }
        }
        let labels = changed.as_ref().unwrap_or(labels);
        match &self.next {
            Next::Shards(shards) => {
                run.is_target |= !shards.is_empty();
                run.keepers.extend(shards);
            }
            Next::Each(branches) => branches
                .iter()
                .for_each(|branch| branch.assign(labels, run)),
            Next::Choice(index, choice, branches) => {
                run.is_target |= *index >= run.n_own;
                let Some(chosen) = S::choose(choice, labels, &mut run.cx) else {
                    return run.too_much = Some(*index);
                };
                chosen
                    .iter()
                    .for_each(|at| branches[*at].assign(labels, run));
            }
        }
    }
}

impl<S: RunnableRule> Next<S> {
    /// The ways in which shards go on that differ in the rule of that number.
    fn part(columns: &[&Column<'_, S>], at: usize) -> Self {
        let groups = parted(columns, at);
        let firsts: Option<Vec<_>> = groups.iter().map(|group| group[0].rules.get(at)).collect();
        let choice = firsts.and_then(|firsts| {
            let index = firsts.iter().map(|(index, ..)| *index).max()?;
            let rules: Vec<&S> = firsts.iter().map(|(_, _, rule)| rule).collect();
            S::choice(&rules).map(|choice| (index, choice))
        });
        let grow = |from: usize| {
            groups
                .iter()
                .map(|group| Branch::grow(group, from))
                .collect()
        };
        match choice {
            Some((index, choice)) => Self::Choice(index, choice, grow(at + 1)),
            None => Self::Each(groups.iter().map(|group| Branch::grow(group, at)).collect()),
        }
    }
}

/// The shards by their rule of that number, in the order of the first of each.
fn parted<'c, 'v, S>(columns: &[&'c Column<'v, S>], at: usize) -> Vec<Vec<&'c Column<'v, S>>> {
    let mut groups: Vec<Vec<&Column<'v, S>>> = Vec::new();
    let mut known: HashedMap<Option<(usize, &Value)>, Option<usize>> = HashedMap::default();
    for column in columns {
        let group = *known.entry(column.key(at)).get_or_insert(groups.len());
        match groups.get_mut(group) {
            Some(group) => group.push(column),
            None => groups.push(vec![column]),
        }
    }
    groups
}
