//! Patterns of rules: `PG201`, `idle-shard`, or `PG2` for a whole family.

use std::fmt;

use crate::diag::LintRule;
use crate::suggest;

/// The most rules that are told of as meant.
const MAX_NAMES: usize = 3;

/// A set of rules: one by its code or name, or all with a prefix of the code.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RulePattern {
    /// A code, the beginning of codes, or a name.
    text: String,
    is_name: bool,
}

impl RulePattern {
    /// Parses a pattern of these rules. Codes may be in lower case.
    ///
    /// # Errors
    /// No rule matches; contains the most similar one.
    pub fn parse(text: &str, rules: &[&'static LintRule]) -> Result<Self, String> {
        let text = text.trim();
        let code = text.to_ascii_uppercase();
        if code.starts_with("PG") && rules.iter().any(|rule| rule.code.starts_with(&code)) {
            return Ok(Self {
                text: code,
                is_name: false,
            });
        }
        if rules.iter().any(|rule| rule.name == text) {
            return Ok(Self {
                text: text.to_owned(),
                is_name: true,
            });
        }
        let known = rules.iter().flat_map(|rule| [rule.name, rule.code]);
        // A name that begins so is meant rather than one that is almost so.
        let named = |is_it: &dyn Fn(&str) -> bool| {
            let names: Vec<String> = rules
                .iter()
                .filter(|rule| text.len() > 2 && is_it(rule.name))
                .map(|rule| format!("`{}` ({})", rule.name, rule.code))
                .collect();
            (1..=MAX_NAMES)
                .contains(&names.len())
                .then(|| names.join(" or "))
        };
        let meant = named(&|name| name.starts_with(text))
            .or_else(|| suggest::closest(text, known).map(|meant| format!("`{meant}`")))
            .or_else(|| named(&|name| name.contains(text)));
        Err(match meant {
            Some(meant) => format!("unknown rule; did you mean {meant}?"),
            None => "unknown rule; `promgen rule` lists all rules".to_owned(),
        })
    }

    /// Returns whether a rule matches.
    #[must_use]
    pub fn matches(&self, rule: &LintRule) -> bool {
        if self.is_name {
            rule.name == self.text
        } else {
            rule.code.starts_with(&self.text)
        }
    }

    /// The specificity: of two matching patterns, the more specific one decides.
    #[must_use]
    pub fn specificity(&self) -> usize {
        if self.is_single() {
            usize::MAX
        } else {
            self.text.len()
        }
    }

    /// Returns whether it means one rule only, rather than a family.
    #[must_use]
    pub fn is_single(&self) -> bool {
        self.is_name || self.text.len() == "PG000".len()
    }
}

impl fmt::Display for RulePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// How closely the closest of some patterns means a rule; none if none does.
#[must_use]
pub fn closest(patterns: &[RulePattern], rule: &LintRule) -> Option<usize> {
    patterns
        .iter()
        .filter(|pattern| pattern.matches(rule))
        .map(RulePattern::specificity)
        .max()
}
