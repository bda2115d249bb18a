//! Patterns of rules: `PG201`, `idle-shard`, or `PG2` for a whole family; `policy/NAME`, or `policy` for all policies.

use std::fmt;

use crate::diag::{LintRule, POLICY, RuleRef};
use crate::suggest;

/// The most rules that are told of as meant.
const MAX_NAMES: usize = 3;

/// A set of rules: one by its code or name, or all with a prefix of the code.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RulePattern {
    text: String,
    means: PatternMeaning,
}

/// What the text of a pattern is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum PatternMeaning {
    /// The beginning of codes.
    Family,
    Code,
    /// The name of a rule of promgen: a policy has its code only.
    Name,
}

impl RulePattern {
    /// Parses a pattern of these rules. Codes of promgen may be in lower case. If no policy is among them, policies are not known yet,
    /// and any may be named.
    ///
    /// # Errors
    /// No rule matches; contains the most similar one.
    pub fn parse(text: &str, rules: &[RuleRef]) -> Result<Self, String> {
        let text = text.trim();
        let has_policies = rules.iter().any(|rule| rule.is_policy());
        if let Some(policy) = Self::policy(text).filter(|_| !has_policies) {
            return Ok(policy);
        }
        let code = text.to_ascii_uppercase();
        let of_promgen = || {
            let means = match code.len() == "PG000".len() {
                true => PatternMeaning::Code,
                false => PatternMeaning::Family,
            };
            code.starts_with("PG").then(|| Self::new(&code, means))
        };
        let name = || Some(Self::new(text, PatternMeaning::Name));
        let readings = [Self::policy(text), of_promgen(), name()];
        let pattern = readings.into_iter().flatten().find(|it| it.is_known(rules));
        pattern.ok_or_else(|| unknown(text, rules))
    }

    fn new(text: &str, means: PatternMeaning) -> Self {
        let text = text.to_owned();
        Self { text, means }
    }

    /// The pattern of a policy, `policy/NAME`, or of all, `policy`, whether or not there is one.
    #[must_use]
    pub fn policy(text: &str) -> Option<Self> {
        let family = POLICY.trim_end_matches('/');
        match text.strip_prefix(family)? {
            "" | "/" => Some(Self::new(family, PatternMeaning::Family)),
            name => name
                .starts_with('/')
                .then(|| Self::new(text, PatternMeaning::Code)),
        }
    }

    /// The code of the one policy that it means, if it means one.
    #[must_use]
    pub fn policy_code(&self) -> Option<&str> {
        let is_policy = self.is_single() && self.text.starts_with(POLICY);
        is_policy.then_some(&self.text)
    }

    /// Returns whether one of these rules matches.
    #[must_use]
    pub fn is_known(&self, rules: &[RuleRef]) -> bool {
        rules.iter().any(|rule| self.matches(rule))
    }

    /// Returns whether a rule matches.
    #[must_use]
    pub fn matches(&self, rule: &LintRule) -> bool {
        match self.means {
            PatternMeaning::Family => rule.code.starts_with(&self.text),
            PatternMeaning::Code => rule.code == self.text,
            PatternMeaning::Name => rule.name == self.text && !rule.is_policy(),
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
        self.means != PatternMeaning::Family
    }
}

/// The word by which a rule is best called.
fn word(rule: &RuleRef) -> &str {
    if rule.is_policy() {
        &rule.code
    } else {
        &rule.name
    }
}

/// Why a text is no pattern of these rules: with the most similar one.
fn unknown(text: &str, rules: &[RuleRef]) -> String {
    let known = rules.iter().flat_map(|rule| [word(rule), &rule.code]);
    // A name that begins so is meant rather than one that is almost so.
    let named = |is_it: &dyn Fn(&str) -> bool| {
        let names: Vec<String> = rules
            .iter()
            .filter(|rule| text.len() > 2 && is_it(word(rule)))
            .map(|rule| match rule.is_policy() {
                true => format!("`{}`", rule.code),
                false => format!("`{}` ({})", rule.name, rule.code),
            })
            .collect();
        (1..=MAX_NAMES)
            .contains(&names.len())
            .then(|| names.join(" or "))
    };
    let meant = named(&|name| name.starts_with(text))
        .or_else(|| suggest::closest(text, known).map(|meant| format!("`{meant}`")))
        .or_else(|| named(&|name| name.contains(text)));
    match meant {
        Some(meant) => format!("unknown rule; did you mean {meant}?"),
        None => "unknown rule; `promgen rule` lists all rules".to_owned(),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::sample::{findings, policy};

    /// The codes of the rules that match: a rule of promgen, and policies, one of which has its name.
    fn codes(text: &str) -> Result<String, String> {
        let mut rules = vec![findings().0[0].rule.clone()];
        rules.extend(["PG1", "test-rule", "x", "xy"].map(policy));
        let pattern = RulePattern::parse(text, &rules)?;
        rules.retain(|rule| pattern.matches(rule));
        let codes: Vec<&str> = rules.iter().map(|rule| &*rule.code).collect();
        Ok(codes.join(" "))
    }

    #[test]
    fn a_policy_has_its_code() {
        assert_eq!(codes("policy/x").unwrap(), "policy/x");
        assert_eq!(codes(" policy/xy ").unwrap(), "policy/xy");
        let all = "policy/PG1 policy/test-rule policy/x policy/xy";
        for text in ["policy", "policy/"] {
            assert_eq!(codes(text).unwrap(), all, "{text}");
        }
    }

    #[test]
    fn neither_a_family_nor_a_name_of_promgen_is_a_policy() {
        assert_eq!(codes("PG").unwrap(), "PG999");
        assert_eq!(codes("test-rule").unwrap(), "PG999");
        for text in [
            "x",
            "PG1",
            "Policy/x",
            "policy/X",
            "POLICY",
            "polic",
            "policy/x/",
        ] {
            assert!(codes(text).is_err(), "{text}");
        }
    }

    #[test]
    fn an_unknown_policy_gets_a_suggestion() {
        let meant = |text| codes(text).unwrap_err();
        let of = |code| format!("unknown rule; did you mean `{code}`?");
        assert_eq!(meant("policy/test-rulle"), of("policy/test-rule"));
        assert_eq!(meant("policy/test"), of("policy/test-rule"));
        assert_eq!(meant("Policy/xy"), of("policy/xy"));
        assert_eq!(
            meant("policy/something-else-entirely"),
            "unknown rule; `promgen rule` lists all rules"
        );
    }

    #[test]
    fn one_policy_decides_before_all() {
        let patterns = ["policy", "policy/x"].map(|text| RulePattern::policy(text).unwrap());
        assert_eq!(closest(&patterns, &policy("x")), Some(usize::MAX));
        assert_eq!(closest(&patterns, &policy("xy")), Some("policy".len()));
        assert_eq!(closest(&patterns, &findings().0[0].rule), None);
        assert!(patterns[1].is_single() && !patterns[0].is_single());
    }
}
