//! One relabel rule as Prometheus reads it.
//!
//! In: a `relabel_config` as a value. Out: a [`CompiledRule`] that can be run, or what Prometheus says against it. All rules of a
//! list are read before the first is checked. Prometheus: `relabel.Config`.

use std::fmt;

use crate::relabel::{
    Action, DEFAULT_REGEX, DEFAULT_REPLACEMENT, DEFAULT_SEPARATOR, MAX_WORK, NameScheme,
};
use promgen_text::go::quote::quote;
use promgen_text::go::regex::{GoRegex, Template};
use promgen_text::yaml::{Map, Value};

/// Most regular expressions of a list that take much memory and time to compile.
const MAX_BIG: usize = 4;

/// A rule that can be run.
#[derive(Clone, Debug)]
pub struct CompiledRule {
    /// The action.
    pub action: Action,
    /// The labels whose values are joined.
    pub source_labels: Vec<String>,
    /// The text between them.
    pub separator: String,
    /// The pattern that has to match; `None` for the default, which matches everything and captures it.
    pub(super) regex: Option<GoRegex>,
    /// The number of buckets.
    pub modulus: u64,
    /// The label to set.
    pub(super) target_label: ReplacementText,
    /// The value to set it to.
    pub(super) replacement: ReplacementText,
    /// Which label names are names.
    pub(super) scheme: NameScheme,
}

/// A text that may refer to groups of a match.
#[derive(Clone, Debug)]
pub struct ReplacementText {
    /// As it is written.
    pub(super) text: String,
    /// As it is read.
    pub(super) template: Template,
}

impl From<String> for ReplacementText {
    fn from(text: String) -> Self {
        let template = Template::parse(&text);
        Self { text, template }
    }
}

/// The complaint of Prometheus about a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuleError {
    /// It is not read: an unknown field or action, a value of the wrong type, a pattern that does not compile.
    Parse(String),
    /// It makes no sense.
    Validate(String),
    /// Prometheus may take it, but it is too much to be run here.
    TooMuch(String),
}

impl RuleError {
    /// That the rule of that number, from 0, takes more steps for a target than there may be.
    pub fn too_much(rule: usize) -> Self {
        Self::TooMuch(format!(
            "at rule {}, the rules take more than {MAX_WORK} steps for one target",
            rule + 1
        ))
    }
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Parse(message) | Self::Validate(message) | Self::TooMuch(message) => {
                f.write_str(message)
            }
        }
    }
}

impl std::error::Error for RuleError {}

/// Reads and checks a list of rules.
///
/// # Errors
/// The first thing that Prometheus says against it: about reading, for all rules, before about sense.
pub fn rules(values: &[Value], scheme: NameScheme) -> Result<Vec<CompiledRule>, RuleError> {
    let (mut raw, mut n_big) = (Vec::with_capacity(values.len()), 0);
    for value in values {
        let rule = RawRule::read(value).map_err(RuleError::Parse)?;
        n_big += usize::from(rule.regex.as_ref().is_some_and(GoRegex::is_big));
        if n_big > MAX_BIG {
            let message = format!(
                "promgen runs at most {MAX_BIG} rules whose regular expressions take over 64 KiB"
            );
            return Err(RuleError::TooMuch(message));
        }
        raw.push(rule);
    }
    // Prometheus decodes the whole list before it checks any rule.
    raw.iter()
        .try_for_each(|raw| raw.check(scheme))
        .map_err(RuleError::Validate)?;
    Ok(raw.into_iter().map(|raw| raw.rule(scheme)).collect())
}

/// A rule as it was read.
struct RawRule {
    /// `None` for a key without a value, which is read and refused.
    action: Option<Action>,
    shown_action: String,
    /// `None` where there is no list.
    source_labels: Option<Vec<String>>,
    separator: String,
    regex: Option<GoRegex>,
    has_regex: bool,
    modulus: u64,
    target_label: String,
    replacement: String,
}

impl RawRule {
    fn read(value: &Value) -> Result<Self, String> {
        let empty = Map::new();
        let map = match value {
            Value::Map(map) => map,
            Value::Null => &empty,
            _ => return Err("a relabel rule is a map".to_owned()),
        };
        let mut raw = Self {
            action: Some(Action::Replace),
            shown_action: "replace".to_owned(),
            source_labels: None,
            separator: DEFAULT_SEPARATOR.to_owned(),
            regex: None,
            has_regex: false,
            modulus: 0,
            target_label: String::new(),
            replacement: DEFAULT_REPLACEMENT.to_owned(),
        };
        for (key, value) in map {
            raw.field(key, value)?;
        }
        Ok(raw)
    }

    fn field(&mut self, key: &str, value: &Value) -> Result<(), String> {
        match key {
            "action" => {
                (self.action, self.shown_action) = action(value)?;
            }
            "source_labels" => self.source_labels = source_labels(value)?,
            "separator" => self.separator = text(key, value)?,
            "regex" => {
                let pattern = text(key, value)?;
                self.has_regex = true;
                self.regex = match pattern.as_str() {
                    // The default matches everything, and needs no engine.
                    DEFAULT_REGEX => None,
                    pattern => Some(GoRegex::anchored(pattern).map_err(|error| error.to_string())?),
                };
            }
            "modulus" => self.modulus = modulus(value)?,
            "target_label" => self.target_label = text(key, value)?,
            "replacement" => self.replacement = text(key, value)?,
            _ => return Err(format!("field {key} not found in type relabel.plain")),
        }
        Ok(())
    }

    /// Prometheus: `Config.Validate`.
    fn check(&self, scheme: NameScheme) -> Result<(), String> {
        let Some(action) = self.action else {
            return Err("relabel action cannot be empty".to_owned());
        };
        let shown = &self.shown_action;
        if action == Action::HashMod && self.modulus == 0 {
            return Err("relabel configuration for hashmod requires non-zero modulus".to_owned());
        }
        if action.needs_target() && self.target_label.is_empty() {
            return Err(format!(
                "relabel configuration for {shown} action requires 'target_label' value"
            ));
        }
        self.check_names(action, scheme)?;
        let defaults = self.modulus == 0
            && self.separator == DEFAULT_SEPARATOR
            && self.replacement == DEFAULT_REPLACEMENT;
        match action {
            Action::KeepEqual | Action::DropEqual if self.has_regex || !defaults => Err(format!(
                "{shown} action requires only 'source_labels' and `target_label`, and no other fields"
            )),
            Action::LabelDrop | Action::LabelKeep
                if self.source_labels.is_some() || !self.target_label.is_empty() || !defaults =>
            {
                Err(format!(
                    "{shown} action requires only 'regex', and no other fields"
                ))
            }
            _ => Ok(()),
        }
    }

    fn check_names(&self, action: Action, scheme: NameScheme) -> Result<(), String> {
        let shown = &self.shown_action;
        let invalid = |text: &str, field: &str| {
            Err(format!(
                "{} is invalid '{field}' for {shown} action",
                quote(text)
            ))
        };
        let target = &self.target_label;
        let is_target = match action {
            // Only `replace` may refer to groups in its target.
            Action::Replace if target.contains('$') => scheme.is_name_template(target),
            _ => scheme.is_label_name(target),
        };
        match action {
            Action::Replace
            | Action::HashMod
            | Action::Lowercase
            | Action::Uppercase
            | Action::KeepEqual
            | Action::DropEqual
                if !is_target =>
            {
                invalid(target, "target_label")
            }
            Action::Lowercase | Action::Uppercase | Action::KeepEqual | Action::DropEqual
                if self.replacement != DEFAULT_REPLACEMENT =>
            {
                Err(format!("'replacement' can not be set for {shown} action"))
            }
            Action::LabelMap if !scheme.is_name_template(&self.replacement) => {
                invalid(&self.replacement, "replacement")
            }
            _ => Ok(()),
        }
    }

    fn rule(self, scheme: NameScheme) -> CompiledRule {
        CompiledRule {
            action: self.action.unwrap_or(Action::Replace),
            source_labels: self.source_labels.unwrap_or_default(),
            separator: self.separator,
            regex: self.regex,
            modulus: self.modulus,
            target_label: self.target_label.into(),
            replacement: self.replacement.into(),
            scheme,
        }
    }
}

/// An action in any case. A key without a value is read as the empty action, the empty text is not.
fn action(value: &Value) -> Result<(Option<Action>, String), String> {
    if *value == Value::Null {
        return Ok((None, String::new()));
    }
    let text = text("action", value)?;
    // Go's lower case, which maps one character to one, and so makes a `K` of the sign for kelvin too.
    let lower = crate::relabel::case::to_lower(&text);
    match Action::parse(&lower) {
        Some(action) => Ok((Some(action), lower)),
        None => Err(format!("unknown relabel action {}", quote(&text))),
    }
}

fn source_labels(value: &Value) -> Result<Option<Vec<String>>, String> {
    match value {
        Value::Null => Ok(None),
        Value::Seq(items) => items
            .iter()
            .map(|item| text("source_labels", item))
            .collect::<Result<_, _>>()
            .map(Some),
        _ => Err("cannot unmarshal into model.LabelNames".to_owned()),
    }
}

/// A text. A key without a value is an empty one; numbers and truth values are taken as they are written.
fn text(key: &str, value: &Value) -> Result<String, String> {
    match (value, value.scalar_text()) {
        (Value::Null, _) => Ok(String::new()),
        (_, Some(text)) => Ok(text.into_owned()),
        (_, None) => Err(format!("cannot unmarshal `{key}` into string")),
    }
}

fn modulus(value: &Value) -> Result<u64, String> {
    let wrong = |shown: String| Err(format!("cannot unmarshal {shown} into uint64"));
    match value {
        Value::Null => Ok(0),
        Value::Int(number) => {
            u64::try_from(*number).or_else(|_| wrong(format!("!!int `{number}`")))
        }
        Value::Uint(number) => Ok(*number),
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the fraction goes, as in Go"
        )]
        Value::Float(number) if *number >= 0.0 && *number < 18_446_744_073_709_551_616.0 => {
            Ok(*number as u64)
        }
        Value::Float(number) => wrong(format!("!!float `{number}`")),
        Value::Bool(value) => wrong(format!("!!bool `{value}`")),
        Value::Str(text) | Value::StandIn(text) | Value::Binary(text) => {
            wrong(format!("!!str `{text}`"))
        }
        Value::Seq(_) => wrong("!!seq".to_owned()),
        Value::Map(_) => wrong("!!map".to_owned()),
    }
}
