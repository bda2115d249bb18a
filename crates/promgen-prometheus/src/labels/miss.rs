//! The requirements of a selector that labels miss, in words.

use std::fmt;

use crate::labels::{Operator, Requirement, Selector};
use promgen_text::yaml::StringMap;
use promgen_text::yaml::emit::{self, Dialect};

/// The number of unmet requirements that are collected. A message names far fewer.
const MAX_MISSES: usize = MAX_NAMED + MAX_COUNTED + 1;

/// A requirement that is not met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Miss {
    /// The requirement.
    pub required: Requirement,
    /// The value of that label.
    pub seen: Option<String>,
    /// The label that has the required value instead.
    pub other_key: Option<String>,
}

impl Miss {
    /// What a thing with such labels misses of a requirement.
    pub fn new(required: &Requirement, labels: &StringMap) -> Self {
        // Only for one wanted value: another label that has it is most likely the one that was meant.
        let value = required.values.first().filter(|_| match required.operator {
            Operator::Equals => true,
            Operator::In => required.values.len() == 1,
            _ => false,
        });
        let other = value.and_then(|value| labels.iter().find(|(_, v)| **v == **value));
        Self {
            required: required.clone(),
            seen: labels.get(required.key.as_str()).map(ToString::to_string),
            other_key: other.map(|(key, _)| key.to_string()),
        }
    }

    /// Everything that a thing with such labels misses, at most as much of it as a message counts.
    pub fn all(selector: &Selector, labels: &StringMap) -> Vec<Self> {
        let failing = selector
            .requirements()
            .iter()
            .filter(|requirement| !requirement.matches(labels));
        failing
            .take(MAX_MISSES)
            .map(|requirement| Self::new(requirement, labels))
            .collect()
    }

    /// The label as it should be: `app: cart`.
    pub fn requirement(&self) -> String {
        requirement_text(&self.required)
    }
}

impl fmt::Display for Miss {
    /// ``has `app: crat`, not `app: cart` ``
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let requirement = self.requirement();
        match (&self.seen, &self.other_key, self.required.values.first()) {
            (Some(seen), _, _) => write!(
                f,
                "has {}, not {requirement}",
                label(&self.required.key, seen)
            ),
            (None, Some(key), Some(value)) => {
                write!(f, "has {}, not {requirement}", label(key, value))
            }
            (None, Some(_) | None, Some(_) | None) => write!(f, "lacks {requirement}"),
        }
    }
}

/// The demand of a requirement, in words.
pub fn requirement_text(requirement: &Requirement) -> String {
    let Requirement {
        key,
        values,
        operator,
    } = requirement;
    match operator {
        Operator::Equals => label(key, values.first().map(String::as_str).unwrap_or_default()),
        Operator::In => format!("`{key}` with one of {}", joined(values, ", ")),
        Operator::NotIn => format!("`{key}` without any of {}", joined(values, ", ")),
        Operator::Exists => format!("a label `{key}`"),
        Operator::DoesNotExist => format!("no label `{key}`"),
        Operator::Above | Operator::Below => format!("`{requirement}`"),
    }
}

/// The number of texts of a list that a message names.
const MAX_NAMED: usize = 8;

/// Up to which number a message says how many more there are.
const MAX_COUNTED: usize = 100;

/// The first texts of a list, and how many more there are.
pub fn joined(texts: &[String], separator: &str) -> String {
    match texts.len().checked_sub(MAX_NAMED) {
        Some(MAX_COUNTED..) => {
            format!(
                "{} and {MAX_COUNTED} or more others",
                texts[..MAX_NAMED].join(separator)
            )
        }
        // One more text is as short as the words about it.
        Some(more) if more > 1 => format!("{} and {more} more", texts[..MAX_NAMED].join(separator)),
        Some(_) | None => texts.join(separator),
    }
}

/// A label as a manifest has it: `` `app: cart` ``, `` `monitored: "true"` ``.
pub fn label(key: &str, value: &str) -> String {
    let mut text = String::new();
    emit::write_text_entry(&mut text, key, value, Dialect::Sigs, 0);
    format!("`{}`", text.trim_end())
}
