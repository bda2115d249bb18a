//! Things with labels, found by selector without looking at each.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use promgen_prometheus::labels::{Operator, Requirement, Selector};
use promgen_resources::unknown::is_later_text;
use promgen_text::yaml::{NodeText, StringMap};

/// The labels of what has none.
pub static NO_LABELS: StringMap = StringMap::new_vec();

/// The maximum number of matches. A selector that matches more has no problem.
const MAX_FOUND: usize = 500;

/// An object with a namespace, a name and labels.
pub trait Selectable {
    /// Its namespace.
    fn namespace(&self) -> &str;
    /// Its name.
    fn name(&self) -> &str;
    /// Returns whether it may be in any namespace, because nobody says in which one.
    fn is_anywhere(&self) -> bool;
    /// Its labels.
    fn labels(&self) -> &StringMap;
    /// Returns whether it stands in the input, rather than being generated.
    fn is_given(&self) -> bool;
}

/// Returns whether nothing by which an object is selected is filled in later.
pub fn is_settled<T: Selectable>(thing: &T) -> bool {
    let labels = thing.labels().iter();
    let mut texts = labels.map(|(_, value)| &**value).chain([thing.namespace()]);
    !texts.any(is_later_text)
}

/// The place to look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NamespaceScope<'s> {
    /// Everywhere.
    Any,
    /// In these namespaces.
    Names(BTreeSet<&'s str>),
}

impl<'s> NamespaceScope<'s> {
    /// One namespace.
    pub fn one(namespace: &'s str) -> Self {
        Self::Names(BTreeSet::from([namespace]))
    }

    /// Returns whether a namespace is one of them.
    #[must_use]
    pub fn has(&self, namespace: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Names(names) => names.contains(namespace),
        }
    }

    /// `in namespace a`, `in namespaces a, b`, `in any namespace`.
    pub fn text(&self) -> String {
        match self {
            Self::Any => "in any namespace".to_owned(),
            Self::Names(names) => {
                let plural = if names.len() == 1 { "" } else { "s" };
                format!(
                    "in namespace{plural} {}",
                    names.iter().copied().collect::<Vec<_>>().join(", ")
                )
            }
        }
    }
}

/// The indices of the objects that a selector matches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matches {
    /// The indices, in order.
    pub items: Vec<usize>,
    /// There are more, which were not looked at.
    pub is_cut: bool,
}

/// The indices of objects, by key and value of their labels.
#[derive(Debug, Default)]
pub(super) struct Index {
    pub(super) all: Vec<usize>,
    n_given: usize,
    pub(super) by_label: BTreeMap<NodeText, BTreeMap<NodeText, Vec<usize>>>,
    pub(super) by_value: BTreeMap<NodeText, Vec<usize>>,
    pub(super) by_name: BTreeMap<String, Vec<usize>>,
}

impl Index {
    fn add(&mut self, number: usize, thing: &impl Selectable) {
        self.all.push(number);
        self.n_given += usize::from(thing.is_given());
        self.by_name
            .entry(thing.name().to_owned())
            .or_default()
            .push(number);
        for (key, value) in thing.labels() {
            let values = self.by_label.entry(key.clone()).or_default();
            values.entry(value.clone()).or_default().push(number);
            self.by_value.entry(value.clone()).or_default().push(number);
        }
    }

    /// The objects with the only value that a requirement accepts.
    pub(super) fn with(&self, requirement: &Requirement) -> &[usize] {
        let value = requirement.values.first();
        let values = self.by_label.get(requirement.key.as_str());
        values
            .zip(value)
            .and_then(|(values, value)| values.get(value.as_str()))
            .map(Vec::as_slice)
            .unwrap_or_default()
    }
}

/// Things, with an index of their labels.
#[derive(Debug)]
pub struct LabelIndex<T> {
    things: Vec<T>,
    /// All of them, once somebody asks for any namespace.
    everywhere: OnceLock<Index>,
    /// The objects that may be in any namespace.
    anywhere: Index,
    by_namespace: BTreeMap<String, Index>,
}

impl<T: Selectable> LabelIndex<T> {
    /// The things in a place that a selector matches, or all in it.
    pub fn matching(
        &self,
        scope: &NamespaceScope<'_>,
        selector: Option<&Selector>,
    ) -> impl Iterator<Item = &T> {
        let numbers = match selector {
            Some(selector) => self.find(scope, selector).items,
            None => self.numbers(scope),
        };
        numbers.into_iter().map(|number| self.get(number))
    }

    /// Makes the index.
    pub fn new(things: Vec<T>) -> Self {
        let mut anywhere = Index::default();
        let mut by_namespace = BTreeMap::<String, Index>::new();
        for (number, thing) in things.iter().enumerate() {
            let index = match thing.is_anywhere() {
                true => &mut anywhere,
                false => by_namespace
                    .entry(thing.namespace().to_owned())
                    .or_default(),
            };
            index.add(number, thing);
        }
        Self {
            things,
            everywhere: OnceLock::new(),
            anywhere,
            by_namespace,
        }
    }

    /// All of them, in the order of their indices.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.things.iter()
    }

    /// The object with that index.
    pub fn get(&self, number: usize) -> &T {
        &self.things[number]
    }

    /// The matching objects.
    pub fn all(&self, found: &Matches) -> Vec<&T> {
        found
            .items
            .iter()
            .map(|number| &self.things[*number])
            .collect()
    }

    /// The indices of all objects in the scope.
    pub fn numbers(&self, scope: &NamespaceScope<'_>) -> Vec<usize> {
        self.indexes(scope)
            .flat_map(|index| &index.all)
            .copied()
            .collect()
    }

    /// The number of objects in the input.
    pub fn count(&self, scope: &NamespaceScope<'_>) -> usize {
        self.indexes(scope).map(|index| index.n_given).sum()
    }

    /// The objects in the scope that the selector matches.
    pub fn find(&self, scope: &NamespaceScope<'_>, selector: &Selector) -> Matches {
        let mut found = Matches::default();
        for index in self.indexes(scope) {
            let exact = selector
                .requirements()
                .iter()
                .filter(|r| r.operator == Operator::Equals);
            let candidates = exact
                .map(|r| index.with(r))
                .min_by_key(|numbers| numbers.len())
                .unwrap_or(&index.all);
            for number in candidates {
                if !selector.matches(self.things[*number].labels()) {
                    continue;
                }
                if found.items.len() == MAX_FOUND {
                    found.is_cut = true;
                    return found;
                }
                found.items.push(*number);
            }
        }
        found
    }

    fn everywhere(&self) -> &Index {
        self.everywhere.get_or_init(|| {
            let mut index = Index::default();
            self.things
                .iter()
                .enumerate()
                .for_each(|(number, thing)| index.add(number, thing));
            index
        })
    }

    /// The indexes that cover the scope.
    pub(super) fn indexes<'s>(
        &'s self,
        scope: &'s NamespaceScope<'_>,
    ) -> Box<dyn Iterator<Item = &'s Index> + 's> {
        match scope {
            NamespaceScope::Any => Box::new(std::iter::once(self.everywhere())),
            NamespaceScope::Names(names) => {
                let named = names.iter().filter_map(|name| self.by_namespace.get(*name));
                Box::new(named.chain(std::iter::once(&self.anywhere)))
            }
        }
    }
}
