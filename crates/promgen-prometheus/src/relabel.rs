//! Relabel rules: whether the operator takes them, and what Prometheus makes of them.
//!
//! Here is the operator's verdict. In: one rule as the resource has it, and the version of Prometheus. Out: nothing, or the
//! operator's words. Mirrors `ValidateRelabelConfig` of the operator, which is stricter than Prometheus in some ways and
//! laxer in others: it does not look at source labels, and takes any replacement of `replace`.
//!
//! Below is Prometheus: [`rules()`] reads what stands in a configuration, [`relabel()`] runs it on labels.

mod case;
pub mod cases;
mod engine;
mod hash;
mod labels;
pub mod program;
mod rule;
pub mod slice;

use std::sync::LazyLock;

pub use engine::{Fate, StopRule, relabel};
pub use hash::{hash, hash_mod};
pub use labels::{Builder, LabelSet};
use promgen_resources::api::scraping::scrape::RelabelConfig;
use promgen_resources::gates::{
    Gate, LABELMAP_LITERALS, RELABEL_CASE_ACTIONS, RELABEL_EQUAL_ACTIONS, THANOS_UTF8_LABEL_NAMES,
    UTF8_LABEL_NAMES, Versions,
};
use promgen_text::go::quote::quote;
use promgen_text::go::regex::{self, GoRegex};
use promgen_text::version::Version;
pub use rule::{CompiledRule, RuleError, rules};

/// Most steps that the rules of a job may take for one target: bytes that they compare, more for regular expressions, and
/// bytes that they write. A target that a cluster discovers takes some thousands. A rule that replaces a label by itself
/// twice doubles it, and Prometheus would run out of memory as well.
pub const MAX_WORK: usize = 16 << 20;

/// What a label takes besides its name and value when it is set.
pub const LABEL_WORK: usize = 64;

/// The separator that Prometheus takes where a rule names none.
pub const DEFAULT_SEPARATOR: &str = ";";
/// The regular expression that Prometheus takes where a rule names none.
pub const DEFAULT_REGEX: &str = "(.*)";
/// The replacement that Prometheus takes where a rule names none.
pub const DEFAULT_REPLACEMENT: &str = "$1";

/// The effect of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Sets a label if the sources match.
    Replace,
    /// Drops what does not match.
    Keep,
    /// Drops what matches.
    Drop,
    /// Drops what is not equal to the target label.
    KeepEqual,
    /// Drops what is equal to the target label.
    DropEqual,
    /// Sets a label to a hash of the sources.
    HashMod,
    /// Copies labels whose names match to other names.
    LabelMap,
    /// Removes labels whose names match.
    LabelDrop,
    /// Removes labels whose names do not match.
    LabelKeep,
    /// Sets a label to the sources in lower case.
    Lowercase,
    /// Sets a label to the sources in upper case.
    Uppercase,
}

impl Action {
    /// All of them, by name.
    pub const NAMED: [(&'static str, Self); 11] = [
        ("replace", Self::Replace),
        ("keep", Self::Keep),
        ("drop", Self::Drop),
        ("keepequal", Self::KeepEqual),
        ("dropequal", Self::DropEqual),
        ("hashmod", Self::HashMod),
        ("labelmap", Self::LabelMap),
        ("labeldrop", Self::LabelDrop),
        ("labelkeep", Self::LabelKeep),
        ("lowercase", Self::Lowercase),
        ("uppercase", Self::Uppercase),
    ];

    /// The action of that name, in any case.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let name = text.to_lowercase();
        let found = Self::NAMED.iter().find(|(known, _)| *known == name);
        found.map(|(_, action)| *action)
    }

    /// The gate of the actions that not every version has.
    #[must_use]
    pub const fn gate(self) -> Option<&'static Gate> {
        match self {
            Self::Lowercase | Self::Uppercase => Some(&RELABEL_CASE_ACTIONS),
            Self::KeepEqual | Self::DropEqual => Some(&RELABEL_EQUAL_ACTIONS),
            Self::Replace
            | Self::Keep
            | Self::Drop
            | Self::HashMod
            | Self::LabelMap
            | Self::LabelDrop
            | Self::LabelKeep => None,
        }
    }

    /// Returns whether it changes nothing: a target goes on, or does not.
    #[must_use]
    pub const fn is_test(self) -> bool {
        matches!(
            self,
            Self::Keep | Self::Drop | Self::KeepEqual | Self::DropEqual
        )
    }

    /// Returns whether the action cannot do without a target label.
    #[must_use]
    pub const fn needs_target(self) -> bool {
        !matches!(
            self,
            Self::Keep | Self::Drop | Self::LabelMap | Self::LabelDrop | Self::LabelKeep
        )
    }
}

/// Which labels a rule may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach<'r> {
    /// None.
    Nothing,
    /// The one of that name.
    Label(&'r str),
    /// Those that it deletes by their names.
    Deletes,
    /// Any: the names come from the target.
    Anything,
}

/// Which label names are names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameScheme {
    /// ASCII letters, digits and `_`, no digit in front.
    Legacy,
    /// Any text but the empty one.
    Utf8,
}

/// A text of names and references to groups. The format is Prometheus' own (`relabelTargetLegacy`).
static LEGACY_TEMPLATE: LazyLock<GoRegex> = LazyLock::new(|| {
    GoRegex::new(r"^(?:(?:[a-zA-Z_]|\$(?:\{\w+\}|\w+))+\w*)+$").expect("a constant pattern")
});

impl NameScheme {
    /// The scheme of a version of Prometheus.
    #[must_use]
    pub fn of(version: &Version) -> Self {
        if UTF8_LABEL_NAMES.admits(version) {
            Self::Utf8
        } else {
            Self::Legacy
        }
    }

    /// The scheme by which the operator checks names for its Prometheus.
    #[must_use]
    pub fn checked(versions: &Versions) -> Self {
        if versions.has(&UTF8_LABEL_NAMES) {
            Self::Utf8
        } else {
            Self::Legacy
        }
    }

    /// The scheme by which the operator checks names for a Thanos Ruler.
    #[must_use]
    pub fn checked_by_thanos(versions: &Versions) -> Self {
        if versions.has(&THANOS_UTF8_LABEL_NAMES) {
            Self::Utf8
        } else {
            Self::Legacy
        }
    }

    /// Returns whether the text is a label name.
    #[must_use]
    pub fn is_label_name(self, text: &str) -> bool {
        match self {
            Self::Utf8 => !text.is_empty(),
            Self::Legacy => {
                !text.starts_with(|c: char| c.is_ascii_digit())
                    && !text.is_empty()
                    && text.bytes().all(|b| b == b'_' || b.is_ascii_alphanumeric())
            }
        }
    }

    /// Returns whether the text can become a label name once its references to groups are replaced.
    #[must_use]
    pub fn is_name_template(self, text: &str) -> bool {
        match self {
            Self::Utf8 => !text.is_empty(),
            Self::Legacy => LEGACY_TEMPLATE.is_match(text),
        }
    }
}

/// A relabel rule, as far as its check needs it. A field that is `None` is not in the manifest.
#[derive(Clone, Copy, Debug, Default)]
pub struct RelabelInput<'a> {
    /// The action, in any case; `""` is `replace`.
    pub action: &'a str,
    /// Labels whose values are joined.
    pub source_labels: &'a [String],
    /// The text between them.
    pub separator: Option<&'a str>,
    /// The pattern that has to match, from start to end.
    pub regex: Option<&'a str>,
    /// Number of buckets of `hashmod`.
    pub modulus: Option<i64>,
    /// The label to set.
    pub target_label: Option<&'a str>,
    /// The value to set it to.
    pub replacement: Option<&'a str>,
}

impl<'a> From<&'a RelabelConfig> for RelabelInput<'a> {
    fn from(rule: &'a RelabelConfig) -> Self {
        Self {
            action: &rule.action.0,
            source_labels: rule.source_labels.as_deref().unwrap_or_default(),
            separator: rule.separator.as_deref(),
            regex: rule.regex.as_deref(),
            modulus: rule.modulus,
            target_label: rule.target_label.as_deref(),
            replacement: rule.replacement.as_deref(),
        }
    }
}

/// Checks rules one after the other, for these versions of Prometheus and of the operator.
///
/// # Errors
/// The first rule that the operator refuses: its number, and the operator's words with the number in front: `[0]: …`.
pub fn validate_all<'a>(
    rules: impl IntoIterator<Item = RelabelInput<'a>>,
    versions: &Versions,
) -> Result<(), (usize, String)> {
    rules.into_iter().enumerate().try_for_each(|(i, rule)| {
        validate(&rule, versions).map_err(|error| (i, format!("[{i}]: {error}")))
    })
}

/// Checks one rule for these versions.
///
/// # Errors
/// The operator's words.
fn validate(rule: &RelabelInput<'_>, versions: &Versions) -> Result<(), String> {
    // The operator shows the action in the user's casing, but the default by its own name.
    let shown = if rule.action.is_empty() {
        "replace"
    } else {
        rule.action
    };
    let action = Action::parse(shown);
    if let Some(gate) = action.and_then(Action::gate)
        && !versions.has(gate)
    {
        let since = &gate.since;
        return Err(format!(
            "{shown} relabel action is only supported from Prometheus version {since}"
        ));
    }
    let pattern = rule.regex.unwrap_or_default();
    regex::check_anchored(pattern)
        .map_err(|error| format!("invalid regex {pattern} for relabel configuration: {error}"))?;
    let Some(action) = action else { return Ok(()) };
    let scheme = NameScheme::checked(versions);
    check_target(action, shown, rule, scheme)?;
    let templates = scheme == NameScheme::Utf8 || !versions.has(&LABELMAP_LITERALS);
    check_replacement(action, shown, rule, scheme, templates)?;
    check_unused(action, shown, rule)
}

fn check_target(
    action: Action,
    shown: &str,
    rule: &RelabelInput<'_>,
    scheme: NameScheme,
) -> Result<(), String> {
    if action == Action::HashMod && has_default_modulus(rule) {
        return Err("relabel configuration for hashmod requires non-zero modulus".to_owned());
    }
    let target = rule.target_label.unwrap_or_default();
    if !action.needs_target() {
        Ok(())
    } else if target.is_empty() {
        Err(format!(
            "relabel configuration for {shown} action needs targetLabel value"
        ))
    } else if !scheme.is_label_name(target) {
        // References to groups make no exception here, not even with `replace`.
        Err(format!(
            "{} is invalid 'target_label' for {shown} action",
            quote(target)
        ))
    } else {
        Ok(())
    }
}

fn check_replacement(
    action: Action,
    shown: &str,
    rule: &RelabelInput<'_>,
    scheme: NameScheme,
    templates: bool,
) -> Result<(), String> {
    let is_name = |name| {
        if templates {
            scheme.is_name_template(name)
        } else {
            scheme.is_label_name(name)
        }
    };
    match action {
        Action::Lowercase | Action::Uppercase | Action::KeepEqual | Action::DropEqual
            if !is_default(rule.replacement, DEFAULT_REPLACEMENT) =>
        {
            Err(format!("'replacement' can not be set for {shown} action"))
        }
        Action::LabelMap => match rule.replacement {
            Some(name) if !is_name(name) => Err(format!(
                "{} is invalid 'replacement' for {shown} action",
                quote(name)
            )),
            _ => Ok(()),
        },
        Action::Replace
        | Action::Keep
        | Action::Drop
        | Action::HashMod
        | Action::LabelDrop
        | Action::LabelKeep
        | Action::Lowercase
        | Action::Uppercase
        | Action::KeepEqual
        | Action::DropEqual => Ok(()),
    }
}

/// Fields that the action does not use must be absent or have their defaults.
fn check_unused(action: Action, shown: &str, rule: &RelabelInput<'_>) -> Result<(), String> {
    let defaults = has_default_modulus(rule)
        && is_default(rule.separator, DEFAULT_SEPARATOR)
        && is_default(rule.replacement, DEFAULT_REPLACEMENT);
    match action {
        Action::KeepEqual | Action::DropEqual => {
            let regex = rule.regex.filter(|regex| !regex.is_empty());
            if defaults && is_default(regex, DEFAULT_REGEX) {
                return Ok(());
            }
            Err(format!(
                "{shown} action requires only 'source_labels' and `target_label`, and no other fields"
            ))
        }
        Action::LabelDrop | Action::LabelKeep => {
            if defaults
                && rule.source_labels.is_empty()
                && rule.target_label.unwrap_or_default().is_empty()
            {
                return Ok(());
            }
            Err(format!(
                "{shown} action requires only 'regex', and no other fields"
            ))
        }
        Action::Replace
        | Action::Keep
        | Action::Drop
        | Action::HashMod
        | Action::LabelMap
        | Action::Lowercase
        | Action::Uppercase => Ok(()),
    }
}

fn has_default_modulus(rule: &RelabelInput<'_>) -> bool {
    rule.modulus.unwrap_or_default() == 0
}

fn is_default(value: Option<&str>, default: &str) -> bool {
    value.is_none_or(|value| value == default)
}

#[cfg(test)]
mod tests;
