//! A kind of finding: a rule of promgen, which is static, or a policy, which is a rule of the user's own.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use crate::diag::Level;

/// What the code of every policy begins with. The name of the policy follows, in kebab case: the formats do not escape it.
pub const POLICY: &str = "policy/";

/// The page of all rules of promgen.
const PAGE: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/docs/rules.md");

/// A kind of finding. The code of a removed rule is never reused.
#[derive(Debug, PartialEq, Eq)]
pub struct LintRule {
    /// Stable code: `PG` and three digits, the first of which is the family; of a policy, [`POLICY`] and its name.
    pub code: Cow<'static, str>,
    /// Name in kebab case that describes the fault, so that it reads after "allow". A policy may have the name of a rule of
    /// promgen.
    pub name: Cow<'static, str>,
    /// One line.
    pub summary: Cow<'static, str>,
    /// The doc comment of the declaration, Markdown.
    pub explanation: Cow<'static, str>,
    /// Level unless the user sets another.
    pub level: Level,
    /// The version of promgen that brought it. Empty for a policy.
    pub since: &'static str,
}

impl LintRule {
    /// Returns whether it is a rule of the user's own.
    #[must_use]
    pub fn is_policy(&self) -> bool {
        self.code.starts_with(POLICY)
    }

    /// The code and the name. The code of a policy has its name already.
    #[must_use]
    pub fn title(&self) -> Cow<'_, str> {
        if self.is_policy() {
            Cow::Borrowed(&self.code)
        } else {
            format!("{} {}", self.code, self.name).into()
        }
    }

    /// The URL of its documentation. A policy has none.
    #[must_use]
    pub fn url(&self) -> Option<String> {
        let url = || format!("{PAGE}#{}-{}", self.code.to_lowercase(), self.name);
        (!self.is_policy()).then(url)
    }

    /// The explanation, line by line, without the blanks that a doc comment begins with.
    pub fn lines(&self) -> impl Iterator<Item = &str> {
        self.explanation
            .lines()
            .map(|line| line.strip_prefix(' ').unwrap_or(line).trim_end())
    }
}

/// A handle of a rule, cheap to clone. Two are equal, and in order, as their codes are.
#[derive(Clone)]
pub enum RuleRef {
    /// A rule of promgen.
    Static(&'static LintRule),
    /// A rule that was made at run time: a policy.
    Shared(Arc<LintRule>),
}

impl Deref for RuleRef {
    type Target = LintRule;

    fn deref(&self) -> &LintRule {
        match self {
            Self::Static(rule) => rule,
            Self::Shared(rule) => rule,
        }
    }
}

impl From<&'static LintRule> for RuleRef {
    fn from(rule: &'static LintRule) -> Self {
        Self::Static(rule)
    }
}

impl From<Arc<LintRule>> for RuleRef {
    fn from(rule: Arc<LintRule>) -> Self {
        Self::Shared(rule)
    }
}

impl From<&Self> for RuleRef {
    fn from(rule: &Self) -> Self {
        rule.clone()
    }
}

impl fmt::Debug for RuleRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        LintRule::fmt(self, f)
    }
}

impl PartialEq for RuleRef {
    fn eq(&self, other: &Self) -> bool {
        self.code == other.code
    }
}

impl Eq for RuleRef {}

impl PartialOrd for RuleRef {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for RuleRef {
    fn cmp(&self, other: &Self) -> Ordering {
        self.code.cmp(&other.code)
    }
}
