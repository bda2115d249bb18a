//! Finds the nearest candidates for a selector that matches nothing.
//!
//! A candidate is near if every requirement that it fails can be a typo: the value is spelt slightly differently,
//! another key for the name of a program has the value, or the name of the object is the value. Any other difference may be intended.

use std::collections::BTreeSet;

use crate::resolve::labelled::{Index, LabelIndex, NamespaceScope, Selectable, is_settled};
use promgen_prometheus::labels::miss::Miss;
use promgen_prometheus::labels::{Operator, Selector};
use promgen_text::suggest;

/// The maximum number of candidates with a common label.
const MAX_CANDIDATES: usize = 100;
/// The maximum number of values of a label that are compared for similarity.
const MAX_VALUES: usize = 200;

/// An object that almost matches.
#[derive(Debug)]
pub struct Near<'a, T> {
    /// The object.
    pub thing: &'a T,
    /// The requirements that it fails, each with the label that it has instead.
    pub misses: Vec<Miss>,
}

/// What labels are called that say which program something belongs to: one of them may be meant by another one. Operators have keys
/// of their own, whose objects they make themselves.
const OF_PROGRAMS: [&str; 13] = [
    "app",
    "app.kubernetes.io/component",
    "app.kubernetes.io/instance",
    "app.kubernetes.io/name",
    "app.kubernetes.io/part-of",
    "application",
    "component",
    "instance",
    "k8s-app",
    "name",
    "release",
    "run",
    "service",
];

/// Returns whether a thing of that name misses the requirement by a slip.
fn is_slip(selector: &Selector, miss: &Miss, name: &str) -> bool {
    let Some(value) = miss
        .required
        .values
        .first()
        .filter(|_| miss.required.operator == Operator::Equals)
    else {
        return false;
    };
    let key = miss.required.key.as_str();
    let is_key = OF_PROGRAMS.contains(&key)
        || miss
            .other_key
            .as_ref()
            .is_some_and(|other| is_similar(key, other));
    // What is required itself is not in the place of something else.
    let is_required = |key: &String| selector.requirements().iter().any(|of| of.key == *key);
    match &miss.seen {
        Some(seen) => {
            let is_other = || miss.other_key.as_ref().is_some_and(|key| !is_required(key));
            value == name || is_similar(value, seen) || is_key && is_other()
        }
        None => is_key && (value == name || miss.other_key.is_some()),
    }
}

/// Returns whether one label stands in the place of several: it can be meant by one of them only.
fn is_meant_twice(misses: &[Miss]) -> bool {
    let is_same = |(at, miss): (usize, &Miss)| {
        let others = &misses[at + 1..];
        miss.other_key.is_some() && others.iter().any(|other| other.other_key == miss.other_key)
    };
    misses.iter().enumerate().any(is_same)
}

/// Returns whether one is the other but for a slip, a prefix or a suffix: `cart` and `shop-cart`.
fn is_similar(a: &str, b: &str) -> bool {
    let is_part = |short: &str, long: &str| {
        short.len() > 2
            && (long
                .strip_suffix(short)
                .is_some_and(|rest| rest.ends_with(['-', '.', '_']))
                || long
                    .strip_prefix(short)
                    .is_some_and(|rest| rest.starts_with(['-', '.', '_'])))
    };
    // An operator is another program than what it makes.
    let is_operator = |text: &str| text.ends_with("-operator");
    a == b
        || is_operator(a) == is_operator(b) && (is_part(a, b) || is_part(b, a))
        || differ_by_slip(a, b)
}

/// Returns whether the words in which two names differ are one but for a slip: `shop-cart` and `shop-crat`, not `shop-controller`
/// and `shop-collector`.
fn differ_by_slip(a: &str, b: &str) -> bool {
    let words = |text: &str| text.split(['-', '.', '_']).map(str::to_owned).collect();
    let (mut a, mut b): (Vec<String>, Vec<String>) = (words(a), words(b));
    // From the first word on, then from the last one.
    for _ in 0..2 {
        let n_same = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
        for words in [&mut a, &mut b] {
            words.drain(..n_same);
            words.reverse();
        }
    }
    let (a, b) = (a.join("-"), b.join("-"));
    a == b || a.len().min(b.len()) > 2 && suggest::is_slip(&a, &b)
}

/// The nearest object of those that can be meant. `name` is the name of the selecting object.
pub fn nearest<'a, T: Selectable>(
    things: &'a LabelIndex<T>,
    scope: &NamespaceScope<'_>,
    selector: &Selector,
    name: &str,
    can_be_meant: &dyn Fn(&T) -> bool,
) -> Option<Near<'a, T>> {
    let candidates = things
        .indexes(scope)
        .flat_map(|index| candidates(index, selector, name));
    let near = candidates.filter_map(|number| {
        let thing = things.get(number);
        let misses = Miss::all(selector, thing.labels());
        let is_near = is_settled(thing)
            && misses
                .iter()
                .all(|miss| is_slip(selector, miss, thing.name()))
            && !is_meant_twice(&misses)
            && can_be_meant(thing);
        is_near.then_some(Near { thing, misses })
    });
    near.min_by_key(|near| (near.misses.len(), near.thing.name() != name))
}

/// The generated object that has something of what is required and lacks the rest: its labels are known.
pub fn generated<'a, T: Selectable>(
    things: &'a LabelIndex<T>,
    scope: &NamespaceScope<'_>,
    selector: &Selector,
) -> Option<Near<'a, T>> {
    let numbers = things.indexes(scope).flat_map(|index| index.all.iter());
    let near = numbers
        .map(|number| things.get(*number))
        .filter(|thing| !thing.is_given())
        .filter_map(|thing| {
            let misses = Miss::all(selector, thing.labels());
            let is_near = misses.len() < selector.requirements().len()
                && misses.iter().all(|miss| miss.seen.is_none());
            is_near.then_some(Near { thing, misses })
        });
    near.min_by_key(|near| near.misses.len())
}

/// The candidates: objects with a common label or value, a similar value, or the name.
fn candidates(index: &Index, selector: &Selector, name: &str) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let mut add = |numbers: Option<&Vec<usize>>| {
        found.extend(numbers.into_iter().flatten().take(MAX_CANDIDATES))
    };
    add(index.by_name.get(name));
    for requirement in selector
        .requirements()
        .iter()
        .filter(|r| r.operator == Operator::Equals)
    {
        let Some(value) = requirement.values.first() else {
            continue;
        };
        add(index.by_value.get(value.as_str()));
        add(index.by_name.get(value));
        if let Some(values) = index
            .by_label
            .get(requirement.key.as_str())
            .filter(|values| values.len() <= MAX_VALUES)
        {
            values
                .iter()
                .filter(|(seen, _)| is_similar(value, seen))
                .for_each(|(_, numbers)| add(Some(numbers)));
        }
    }
    found
}
