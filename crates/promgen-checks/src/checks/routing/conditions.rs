//! What matchers say together: whether they contradict each other, and whether they imply another one.
//!
//! In: matchers that all hold. Out: answers that are certain; what is not certain counts as possible and not implied.

use std::collections::BTreeMap;

use promgen_prometheus::routing::matcher::{AlertMatcher, MatchOperator};
use promgen_text::go::regex::never_matches;

/// The maximum number of matchers on one label that are compared. Real configurations stay far below.
const MAX_MATCHERS: usize = 32;

/// Matchers that all hold, by label.
#[derive(Debug)]
pub(super) struct Conditions<'m> {
    by_label: BTreeMap<&'m str, OfLabel<'m>>,
}

/// The matchers on a label.
#[derive(Debug, Default)]
pub(super) struct OfLabel<'m> {
    pub(super) matchers: Vec<&'m AlertMatcher>,
    /// The number of each among all that were given.
    pub(super) places: Vec<usize>,
    /// The values that satisfy all of them, if one of them names all.
    values: Option<Vec<String>>,
}

impl<'m> Conditions<'m> {
    /// The conditions of these matchers.
    pub(super) fn new(matchers: impl IntoIterator<Item = &'m AlertMatcher>) -> Self {
        let mut by_label: BTreeMap<&str, OfLabel<'_>> = BTreeMap::new();
        for (place, matcher) in matchers.into_iter().enumerate() {
            let of_label = by_label.entry(&matcher.name).or_default();
            // What is left out makes fewer answers certain, and none wrong.
            if of_label.matchers.len() < MAX_MATCHERS {
                of_label.matchers.push(matcher);
                of_label.places.push(place);
            }
        }
        by_label
            .values_mut()
            .for_each(|of_label| of_label.values = values(&of_label.matchers));
        Self { by_label }
    }

    /// The matchers on a label that no value satisfies together.
    pub(super) fn contradiction(&self) -> Option<&OfLabel<'m>> {
        self.by_label
            .values()
            .find(|of_label| of_label.is_impossible())
    }

    /// Returns whether no value of a label satisfies these and others.
    pub(super) fn are_apart(&self, others: &Self, label: &str) -> bool {
        let values = |of: &Self| of.by_label.get(label)?.values.clone();
        let (own, other) = (values(self), values(others));
        own.zip(other)
            .is_some_and(|(own, other)| !own.iter().any(|value| other.contains(value)))
    }

    /// Returns whether a matcher certainly holds.
    pub(super) fn implies(&self, matcher: &AlertMatcher) -> bool {
        let of_label = self.by_label.get(&*matcher.name);
        let own = of_label
            .map(|of_label| of_label.matchers.as_slice())
            .unwrap_or_default();
        if own.contains(&matcher) {
            return true;
        }
        if let Some(values) = of_label.and_then(|of_label| of_label.values.as_ref()) {
            return !values.is_empty() && values.iter().all(|value| matcher.accepts(value));
        }
        let is_excluded = |value: &String| own.iter().any(|matcher| !matcher.accepts(value));
        match matcher.operator {
            MatchOperator::Equal => false,
            MatchOperator::Matches => match &*matcher.value {
                ".*" => true,
                ".+" => is_excluded(&String::new()),
                _ => false,
            },
            MatchOperator::NotEqual | MatchOperator::MatchesNot => matcher
                .values()
                .is_some_and(|values| values.iter().all(is_excluded)),
        }
    }

    /// Returns whether all matchers certainly hold.
    pub(super) fn imply(&self, matchers: &[AlertMatcher]) -> bool {
        matchers.iter().all(|matcher| self.implies(matcher))
    }
}

/// The values that satisfy matchers on a label, if one of them names all.
fn values(matchers: &[&AlertMatcher]) -> Option<Vec<String>> {
    let is_positive = |matcher: &&&AlertMatcher| {
        matches!(
            matcher.operator,
            MatchOperator::Equal | MatchOperator::Matches
        )
    };
    let mut values = matchers
        .iter()
        .filter(is_positive)
        .find_map(|matcher| matcher.values())?;
    values.retain(|value| matchers.iter().all(|matcher| matcher.accepts(value)));
    Some(values)
}

impl OfLabel<'_> {
    /// Returns whether no value satisfies all matchers.
    fn is_impossible(&self) -> bool {
        let is_opposite = |a: &AlertMatcher, b: &AlertMatcher| {
            (a.operator, b.operator) == (MatchOperator::Matches, MatchOperator::MatchesNot)
                && a.value == b.value
        };
        let is_never = |matcher: &AlertMatcher| match matcher.operator {
            MatchOperator::Matches => never_matches(&matcher.value),
            MatchOperator::MatchesNot => matcher.value == ".*",
            MatchOperator::Equal | MatchOperator::NotEqual => false,
        };
        self.values.as_ref().is_some_and(Vec::is_empty)
            || self
                .matchers
                .iter()
                .any(|a| is_never(a) || self.matchers.iter().any(|b| is_opposite(a, b)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_prometheus::routing::matcher::parse;

    #[test]
    fn contradictions_are_certain_ones() {
        for (text, expected) in [
            ("a=b,a=c", true),
            ("a=b,a!=b", true),
            ("a=~\"b|c\",a!~\"b|c|d\"", true),
            ("a=~\"b|c\",a=d", true),
            ("a=\"\",a=~\".+\"", true),
            ("a=~\"x.*\",a!~\"x.*\"", true),
            ("a!~\".*\"", true),
            ("a=b,c=d", false),
            ("a=~\"b.*\",a!=b", false),
            ("a=~\"b|c\",a!=b", false),
            ("a!=b,a!=c", false),
        ] {
            let matchers = parse(text).unwrap();
            assert_eq!(
                Conditions::new(&matchers).contradiction().is_some(),
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn implications_are_certain_ones() {
        for (text, implied, expected) in [
            ("a=b", "a=~\"b|c\"", true),
            ("a=~\"b|c\"", "a!=d", true),
            ("a=~\"b|c\"", "a=~\"b|c|d\"", true),
            ("a=~\"b|c\"", "a=b", false),
            ("a=~\"b.*\"", "a!=c", true),
            ("a=~\"b.*\"", "a=~\"b.*\"", true),
            ("a=~\"b.*\"", "a=~\".+\"", true),
            ("a!=b", "a=~\".+\"", false),
            ("x=y", "a=~\".*\"", true),
            ("x=y", "a!=b", false),
            ("a=b,x=y", "a=b", true),
        ] {
            let (matchers, implied) = (parse(text).unwrap(), parse(implied).unwrap());
            assert_eq!(
                Conditions::new(&matchers).imply(&implied),
                expected,
                "{text} => {implied:?}"
            );
        }
    }
}
