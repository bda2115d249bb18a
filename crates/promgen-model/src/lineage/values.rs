//! The values that a label can have.
//!
//! A value is a text in which [`ANY`] stands for any text but the empty one. An absent label has the empty value, as in
//! Prometheus.

use std::collections::BTreeSet;

use promgen_prometheus::relabel::program::{ANY, OTHER};
use promgen_targets::network::truth::Truth;
use promgen_text::CollectOrdered;
use promgen_text::go::regex::{GoRegex, UnknownText};

/// The maximum number of values that are told apart; beyond it, a label can have any.
const MAX_VALUES: usize = 48;

/// The maximum length of a value in bytes: rules can double one again and again. A longer one can be any.
const MAX_LENGTH: usize = 4096;

/// What the operator, or something behind it, fills in later.
const PLACEHOLDER: &str = "$(";

/// The values that a label can have.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LabelValues(Vec<String>);

impl LabelValues {
    /// One value. A text with a placeholder can be any.
    #[must_use]
    pub fn exact(text: &str) -> Self {
        if text.contains(PLACEHOLDER) {
            return Self::something();
        }
        Self(vec![text.to_owned()])
    }

    /// A text, and anything behind it.
    #[must_use]
    pub fn beginning(text: &str) -> Self {
        Self(vec![format!("{text}{ANY}")])
    }

    /// None: the label is absent.
    #[must_use]
    pub fn absent() -> Self {
        Self(vec![String::new()])
    }

    /// Any value but the empty one.
    #[must_use]
    pub fn something() -> Self {
        Self(vec![ANY.to_string()])
    }

    /// Any value, or none.
    #[must_use]
    pub fn anything() -> Self {
        Self(vec![String::new(), ANY.to_string()])
    }

    /// Those of a list.
    #[must_use]
    pub fn of(texts: impl IntoIterator<Item = String>) -> Self {
        let short = |text: String| {
            if text.len() > MAX_LENGTH {
                ANY.to_string()
            } else {
                text
            }
        };
        let texts: BTreeSet<String> = texts.into_iter().map(short).collect_set();
        if texts.len() > MAX_VALUES {
            return Self::anything();
        }
        Self(texts.into_iter().collect())
    }

    /// These, and others.
    #[must_use]
    pub fn or(&self, others: &Self) -> Self {
        Self::of(self.0.iter().chain(&others.0).cloned())
    }

    /// The values.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// The number of them.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether there is none, so that the label cannot be.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The only value, if there is one and it is known.
    #[must_use]
    pub fn known(&self) -> Option<&str> {
        match self.0.as_slice() {
            [one] if is_known(one) => Some(one),
            _ => None,
        }
    }

    /// Returns whether any text is possible.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.0.iter().any(|text| text.chars().eq([ANY]))
    }

    /// Only those that pass.
    #[must_use]
    pub fn only(&self, passes: impl Fn(&str) -> bool) -> Self {
        Self(self.0.iter().filter(|text| passes(text)).cloned().collect())
    }
}

/// Returns whether nothing of a value is unknown.
#[must_use]
pub fn is_known(text: &str) -> bool {
    !text.contains(ANY)
}

/// Returns whether a value is that text.
#[must_use]
pub fn equals(value: &str, text: &str) -> Truth {
    match is_known(value) {
        true => Truth::from(value == text),
        false if unknown().may_be(value, text) => Truth::Unknown,
        false => Truth::No,
    }
}

/// Returns whether a pattern matches a value. `None` matches everything.
#[must_use]
pub fn matches(pattern: Option<&GoRegex>, value: &str) -> Truth {
    let Some(pattern) = pattern else {
        return Truth::Yes;
    };
    if is_known(value) {
        return Truth::from(pattern.is_match(value));
    }
    match pattern.shape() {
        Some(shape) if shape.is_certain(value, unknown()) => Truth::from(pattern.is_match(value)),
        Some(_) | None => Truth::Unknown,
    }
}

/// Returns whether a value may begin with one of these texts.
pub(crate) fn may_begin(value: &str, texts: &[String]) -> bool {
    let head = value.split(ANY).next().unwrap_or_default();
    texts
        .iter()
        .any(|text| head.starts_with(text.as_str()) || !is_known(value) && text.starts_with(head))
}

pub(crate) const fn unknown() -> UnknownText<'static> {
    UnknownText {
        any: ANY,
        other: OTHER,
        none_of: &[],
    }
}
