//! Prometheus' configuration language, as far as it is typed: relabel rules.
//!
//! The rest of the configuration is built as ordered [`Map`]s, because the operator writes the same keys in another
//! order for every kind of job, and the order is part of the bytes.

use promgen_resources::api::scraping::scrape::RelabelConfig;
use promgen_text::yaml::{Data, Map, Node, Value, ValueText};

/// One `relabel_config`. Keys keep the order in which they were set, which is the order of the output.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RelabelRule(Map);

impl RelabelRule {
    /// A rule without any key.
    #[must_use]
    pub const fn new() -> Self {
        Self(Map::new())
    }

    /// Sets `source_labels`.
    #[must_use]
    pub fn source_labels<T: Into<ValueText>>(self, labels: impl IntoIterator<Item = T>) -> Self {
        let labels = labels.into_iter().map(|l| Value::Str(l.into())).collect();
        self.with("source_labels", Value::Seq(labels))
    }

    /// Sets `separator`.
    #[must_use]
    pub fn separator(self, separator: impl Into<ValueText>) -> Self {
        self.with("separator", Value::Str(separator.into()))
    }

    /// Sets `target_label`.
    #[must_use]
    pub fn target_label(self, label: impl Into<ValueText>) -> Self {
        self.with("target_label", Value::Str(label.into()))
    }

    /// Sets `regex`.
    #[must_use]
    pub fn regex(self, regex: impl Into<ValueText>) -> Self {
        self.with("regex", Value::Str(regex.into()))
    }

    /// Sets `regex` to a number: the operator writes port numbers that way.
    #[must_use]
    pub fn regex_number(self, number: i64) -> Self {
        self.with("regex", Value::Int(number))
    }

    /// Sets `modulus`.
    #[must_use]
    pub fn modulus(self, modulus: u64) -> Self {
        self.with("modulus", Value::from(modulus))
    }

    /// Sets `replacement`.
    #[must_use]
    pub fn replacement(self, replacement: impl Into<ValueText>) -> Self {
        self.with("replacement", Value::Str(replacement.into()))
    }

    /// Sets `action`, lower case.
    #[must_use]
    pub fn action(self, action: impl Into<ValueText>) -> Self {
        self.with("action", Value::Str(action.into()))
    }

    fn with(self, key: &'static str, value: Value) -> Self {
        Self(self.0.with(key, value))
    }

    /// The value of a key, if it is text.
    #[must_use]
    pub fn text(&self, key: &str) -> Option<&str> {
        self.0.get(key).and_then(Value::as_str)
    }

    /// Returns whether the text occurs in a value of the rule.
    #[must_use]
    pub fn mentions(&self, text: &str) -> bool {
        let has = |value: &Value| value.as_str().is_some_and(|value| value.contains(text));
        self.0.iter().any(|(_, value)| {
            has(value) || value.as_seq().is_some_and(|items| items.iter().any(has))
        })
    }

    /// Reads a rule that a template wrote.
    ///
    /// # Errors
    /// What is wrong with it: an unknown key, or a value of the wrong type.
    pub fn from_node(node: &Node) -> Result<Self, String> {
        let Data::Map(entries) = &node.data else {
            return Err("a relabel rule is a map".to_owned());
        };
        let mut rule = Self::new();
        for entry in entries {
            let fits = match (entry.key.as_ref(), &entry.value.data) {
                ("source_labels", Data::Seq(labels)) => labels.iter().all(|l| l.as_str().is_some()),
                ("modulus", Data::Int(n)) => *n >= 0,
                ("modulus", Data::Uint(_)) => true,
                (
                    "separator" | "target_label" | "regex" | "replacement" | "action",
                    Data::String(_),
                ) => true,
                (
                    "source_labels" | "modulus" | "separator" | "target_label" | "regex"
                    | "replacement" | "action",
                    _,
                ) => false,
                (key, _) => return Err(format!("a relabel rule has no field `{key}`")),
            };
            if !fits {
                return Err(format!(
                    "`{}` of a relabel rule has the wrong type",
                    entry.key
                ));
            }
            // In the order of the template: it is the order of the output.
            rule.0.push(entry.key.to_string(), entry.value.to_value());
        }
        match rule.0.is_empty() {
            true => Err("a relabel rule without any field".to_owned()),
            false => Ok(rule),
        }
    }
}

impl From<RelabelRule> for Value {
    fn from(rule: RelabelRule) -> Self {
        Self::Map(rule.0)
    }
}

/// `relabel_configs` under construction.
pub type RelabelRules = Vec<RelabelRule>;

/// Replaces every character that label names of Prometheus 2 do not know by `_`. Operator: `sanitizeLabelName`.
pub fn sanitize(label: &str) -> String {
    label
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || c == '_' {
                c
            } else {
                '_'
            }
        })
        .collect()
}

/// A user's rule, in the operator's order of keys.
pub fn user(config: &RelabelConfig) -> RelabelRule {
    let mut rule = RelabelRule::new();
    if let Some(labels) = config.source_labels.as_ref().filter(|l| !l.is_empty()) {
        rule = rule.source_labels(labels.iter().map(|l| l.as_str().to_owned()));
    }
    // An empty separator or replacement is a setting: the operator has pointers for these two.
    if let Some(separator) = &config.separator {
        rule = rule.separator(separator.clone());
    }
    if let Some(label) = config.target_label.as_ref().filter(|l| !l.is_empty()) {
        rule = rule.target_label(label.clone());
    }
    if let Some(regex) = config.regex.as_ref().filter(|r| !r.is_empty()) {
        rule = rule.regex(regex.clone());
    }
    // 0 is Go's value of a number that is not set.
    if let Some(modulus) = config
        .modulus
        .and_then(|m| u64::try_from(m).ok())
        .filter(|m| *m > 0)
    {
        rule = rule.modulus(modulus);
    }
    if let Some(replacement) = &config.replacement {
        rule = rule.replacement(replacement.clone());
    }
    match config.action.as_str() {
        "" => rule,
        action => rule.action(action.to_lowercase()),
    }
}

/// A user's rules.
pub fn users(configs: Option<&Vec<RelabelConfig>>) -> impl Iterator<Item = RelabelRule> {
    configs.into_iter().flatten().map(user)
}
