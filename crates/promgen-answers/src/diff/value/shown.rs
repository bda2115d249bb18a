//! Differences as they are shown: values cut, and secrets hidden.

use std::collections::BTreeSet;

use crate::diff::value::{Change, Delta, FieldChange, ValueStep, path_text};
use promgen_resources::secrecy::REDACTED;
use promgen_text::yaml::Value;
use promgen_text::yaml::emit::to_json;

/// The maximum number of characters of a text that stands for itself, and of a value of a live object.
const MAX_SHOWN: usize = 160;

/// The maximum number of characters of a value: an expression is shown as a whole.
const MAX_WHOLE: usize = 16_000;

/// The maximum number of lines of a value.
const MAX_LINES: usize = 2_000;

/// The secrets of a configuration.
#[derive(Clone, Debug, Default)]
pub(crate) struct HiddenSecrets {
    /// Values.
    pub(crate) values: Vec<String>,
    /// Keys.
    pub(crate) keys: Vec<String>,
}

/// The texts that are never shown.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shades {
    secrets: Vec<String>,
    /// The display of a live configuration, if the base is one.
    live: Option<Live>,
}

/// The display of a live configuration, which may contain secrets that no manifest has.
#[derive(Clone, Debug)]
struct Live {
    /// Keys that are secrets.
    keys: Vec<String>,
    /// The texts that are expected, without values of Secrets: names among them are no secrets. None for objects, whose names
    /// are none.
    known: Option<BTreeSet<String>>,
}

impl Shades {
    /// Hides these texts, as they are written in manifests.
    pub(crate) fn new(secrets: impl IntoIterator<Item = String>) -> Self {
        let bare = |text: String| {
            let text = text.trim();
            text.trim_matches(['"', '\'']).to_owned()
        };
        let secrets = secrets
            .into_iter()
            .map(bare)
            .filter(|text| !text.is_empty())
            .collect();
        Self {
            secrets,
            live: None,
        }
    }

    /// The shades with a live configuration as the base, with further secrets, and the texts that are expected without
    /// them. Of the base, only scalars are shown that cannot be a secret: in place of a value that is shown, or a
    /// number, a duration or a switch.
    pub(crate) fn with_live_base(&self, secrets: HiddenSecrets, known: BTreeSet<String>) -> Self {
        let mut all = Self::new(secrets.values).secrets;
        all.extend(self.secrets.iter().cloned());
        Self {
            secrets: all,
            live: Some(Live {
                keys: secrets.keys,
                known: Some(known),
            }),
        }
    }

    /// The shades with a live object as the base, whose variables and arguments may contain secrets.
    pub(crate) fn with_live_object(&self) -> Self {
        Self {
            secrets: self.secrets.clone(),
            live: Some(Live {
                keys: Vec::new(),
                known: None,
            }),
        }
    }

    /// A name that an item of a live configuration has.
    pub(crate) fn name(&self, name: &str) -> String {
        let is_known = self
            .live
            .as_ref()
            .and_then(|live| live.known.as_ref())
            .is_none_or(|known| known.contains(name));
        if is_known {
            name.to_owned()
        } else {
            REDACTED.to_owned()
        }
    }

    /// A text, or what stands in for one that contains a secret.
    pub(crate) fn text(&self, text: &str) -> String {
        if self.hides(text) {
            REDACTED.to_owned()
        } else {
            clipped(text, MAX_SHOWN)
        }
    }

    fn hides(&self, text: &str) -> bool {
        let is_in = |secret: &String| {
            // In JSON, a text may be escaped: its longest plain line decides.
            let lines = secret.split(['\n', '"', '\\']).map(str::trim);
            let longest = lines.max_by_key(|line| line.len()).unwrap_or_default();
            !longest.is_empty() && text.contains(longest)
        };
        self.secrets.iter().any(is_in)
    }

    /// A value: a text of several lines as it is, anything else as one line.
    pub(crate) fn value(&self, value: &Value) -> String {
        // A live text may hold a secret that nobody knows of.
        self.shown(
            value,
            if self.live.is_some() {
                MAX_SHOWN
            } else {
                MAX_WHOLE
            },
        )
    }

    fn shown(&self, value: &Value, max: usize) -> String {
        let is_brief = max == MAX_SHOWN;
        match value {
            Value::Str(text) if self.hides(text) => REDACTED.to_owned(),
            Value::Str(text) if text.trim_end().contains('\n') => match text.lines().count() {
                n if is_brief || n > MAX_LINES => format!("({n} lines)"),
                _ => clipped(text.trim_end(), max),
            },
            Value::Str(text) | Value::StandIn(text) | Value::Binary(text) if is_plain(text) => {
                clipped(text, max)
            }
            Value::Str(text) => clipped(&format!("{text:?}"), max),
            other => {
                let json = to_json(other);
                let json = json.lines().map(str::trim).collect::<Vec<_>>().join(" ");
                if self.hides(&json) {
                    REDACTED.to_owned()
                } else {
                    clipped(&json, max)
                }
            }
        }
    }

    /// A difference.
    pub(crate) fn delta(&self, delta: &Delta<'_>) -> FieldChange {
        if self.live.is_some() && !self.shows_live(delta) {
            return self.silent(delta);
        }
        let shown = |value: Option<&Value>| value.map(|value| self.value(value));
        FieldChange {
            path: self.path(&delta.path),
            change: delta.change,
            from: shown(delta.from),
            to: shown(delta.to),
        }
    }

    /// A difference whose values are never shown.
    pub(crate) fn silent(&self, delta: &Delta<'_>) -> FieldChange {
        FieldChange {
            path: self.path(&delta.path),
            change: delta.change,
            from: None,
            to: None,
        }
    }

    /// A difference between values that are secret.
    pub(crate) fn hidden(&self, delta: &Delta<'_>) -> FieldChange {
        let hidden = |value: Option<&Value>| value.map(|_| REDACTED.to_owned());
        FieldChange {
            from: hidden(delta.from),
            to: hidden(delta.to),
            ..self.silent(delta)
        }
    }

    /// Differences.
    pub(crate) fn deltas(&self, deltas: &[Delta<'_>]) -> Vec<FieldChange> {
        deltas.iter().map(|delta| self.delta(delta)).collect()
    }

    fn path(&self, path: &[ValueStep]) -> String {
        if let Some(live) = &self.live {
            let shown = |step: &ValueStep| match step {
                ValueStep::Key(key) if live.keys.contains(key) => {
                    ValueStep::Key(REDACTED.to_owned())
                }
                ValueStep::Named(key, name) => ValueStep::Named(key, self.name(name)),
                ValueStep::Key(_) | ValueStep::Index(_) => step.clone(),
            };
            return path_text(&path.iter().map(shown).collect::<Vec<_>>());
        }
        let text = path_text(path);
        if self.hides(&text) {
            REDACTED.to_owned()
        } else {
            text
        }
    }
}

/// Names of settings whose values are secrets, in part.
const SECRET_KEYS: [&str; 10] = [
    "password",
    "secret",
    "token",
    "credentials",
    "key",
    "auth",
    "header",
    "cookie",
    "passphrase",
    "webhook",
];

impl Shades {
    /// Returns whether the values of a difference to a live configuration or object are shown.
    fn shows_live(&self, delta: &Delta<'_>) -> bool {
        let is_object = self.live.as_ref().is_some_and(|live| live.known.is_none());
        let is_secret = |step: &ValueStep| match step {
            ValueStep::Key(key) if is_object => key == "env",
            ValueStep::Key(key) => is_secret_name(key),
            ValueStep::Index(_) | ValueStep::Named(..) => false,
        };
        if delta.path.iter().any(is_secret) {
            return false;
        }
        let is_hidden = |text: &str| {
            self.hides(text) || text.contains("://") || is_object && is_secret_name(text)
        };
        let is_hidden_value = |value: &Value| matches!(value, Value::Str(text) if is_hidden(text));
        match (delta.from, delta.to) {
            (None, _) => true,
            (Some(Value::Seq(_) | Value::Map(_)), _) => false,
            (Some(from), Some(to)) => {
                !is_hidden_value(from) && !is_hidden_value(to) && to.as_map().is_none()
            }
            (Some(Value::Str(text)), None) if is_object => !is_hidden(text),
            (Some(Value::Str(text)), None) => {
                text.len() < MAX_HARMLESS
                    && text
                        .trim_end_matches(char::is_alphabetic)
                        .parse::<f64>()
                        .is_ok()
            }
            (Some(value), None) => is_object || matches!(value, Value::Bool(_)),
        }
    }
}

/// Returns whether a name, or a text with a name, is that of a secret.
fn is_secret_name(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    SECRET_KEYS.iter().any(|secret| text.contains(secret))
}

/// The length of texts that are no secrets if they are an amount with a unit.
const MAX_HARMLESS: usize = 8;

/// Returns whether a text is shown without quotes.
fn is_plain(text: &str) -> bool {
    !text.is_empty() && text.trim() == text && text.chars().all(|c| !c.is_control())
}

/// The start of a text.
pub(crate) fn clipped(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        Some((end, _)) => format!("{}… ({} characters)", &text[..end], text.chars().count()),
        None => text.to_owned(),
    }
}

impl Change {
    /// The sign of a change in a list.
    #[must_use]
    pub const fn sign(self) -> char {
        match self {
            Self::Added => '+',
            Self::Removed => '-',
            Self::Changed | Self::Moved => '~',
        }
    }
}
