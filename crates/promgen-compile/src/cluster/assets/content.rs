//! The bytes of a key of a Secret or ConfigMap, which are printed only if they may be shown.
//!
//! Every value of a Secret is one of these. Its bytes are private: a check gets them for as long as it runs, and its
//! message is replaced where it may repeat them. What is printed is the value itself under `--reveal-secrets`, and a
//! placeholder otherwise, which is counted.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use promgen_resources::secrecy::REDACTED;
use promgen_text::go::quote::without_quoted;
use promgen_text::route::{Segment, ValueRoute};
use promgen_text::yaml::Value;

/// The bytes of a key of a Secret or ConfigMap.
#[derive(Clone)]
pub struct SecretBytes {
    bytes: Vec<u8>,
    /// The text that is printed instead. `None` for what may be shown.
    placeholder: Option<Placeholder>,
}

#[derive(Clone)]
struct Placeholder {
    text: String,
    /// The number of placeholders that the run has printed.
    tally: Arc<AtomicUsize>,
}

/// Why a value is refused: in words that may repeat it, and in words that do not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContentFault {
    full: String,
    redacted: String,
    /// The way to the value in a text that holds YAML, the last step first.
    way: Vec<Segment>,
    /// The way has names of fields that are known, and none of the text.
    names_way: bool,
}

/// A check of the content of a Secret.
pub type ContentCheck = Result<(), ContentFault>;

impl ContentFault {
    /// A fault in two wordings.
    pub fn new(full: impl Into<String>, redacted: impl Into<String>) -> Self {
        Self {
            full: full.into(),
            redacted: redacted.into(),
            way: Vec::new(),
            names_way: false,
        }
    }

    /// A fault whose words repeat nothing of the value.
    pub fn plain(message: impl Into<String>) -> Self {
        let message = message.into();
        Self {
            full: message.clone(),
            redacted: message,
            way: Vec::new(),
            names_way: false,
        }
    }

    /// A fault whose words repeat the value in double quotes, as Go quotes, and nowhere else.
    pub fn quoting(message: impl Into<String>) -> Self {
        let full = message.into();
        let redacted = without_quoted(&full, REDACTED);
        Self::new(full, redacted)
    }

    /// The same with a text in front, which repeats nothing of the value.
    pub fn within(self, what: &str) -> Self {
        Self {
            full: format!("{what}: {}", self.full),
            redacted: format!("{what}: {}", self.redacted),
            way: self.way,
            names_way: self.names_way,
        }
    }

    /// The same of a value that is in that field or item of another one.
    pub(crate) fn inside(mut self, step: Segment) -> Self {
        self.way.push(step);
        self.names_way = true;
        self
    }

    /// The same of the value at a route, whose names are not told.
    pub(crate) fn at(mut self, route: ValueRoute) -> Self {
        self.way = route.0.into_iter().rev().collect();
        self.names_way = false;
        self
    }

    /// Where the value is in the text, as far as it is known.
    pub(crate) fn route(&self) -> ValueRoute {
        ValueRoute(self.way.iter().rev().cloned().collect())
    }

    /// The words that may be printed. Where they do not repeat the value, they name its field.
    pub fn message(self, is_shown: bool) -> String {
        match is_shown {
            true => self.full,
            false if !self.names_way || self.redacted == self.full => self.redacted,
            false => format!("{}: {}", self.route(), self.redacted),
        }
    }

    /// The same without its field.
    pub(crate) fn words(mut self, is_shown: bool) -> String {
        self.names_way = false;
        self.message(is_shown)
    }
}

impl SecretBytes {
    /// Bytes that anybody may see.
    pub const fn public(bytes: Vec<u8>) -> Self {
        Self {
            bytes,
            placeholder: None,
        }
    }

    /// Bytes that are printed as `text`, and counted there.
    pub(super) const fn hidden(bytes: Vec<u8>, text: String, tally: Arc<AtomicUsize>) -> Self {
        Self {
            bytes,
            placeholder: Some(Placeholder { text, tally }),
        }
    }

    /// Returns whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The number of them.
    pub const fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Returns whether they are printed as they are.
    pub(crate) const fn is_shown(&self) -> bool {
        self.placeholder.is_none()
    }

    /// Gives the bytes to a check. What the check returns is the caller's to hide, with `SecretBytes::shown_value`.
    ///
    /// # Errors
    /// The words of the check that may be printed.
    pub fn check<T>(
        &self,
        check: impl FnOnce(&[u8]) -> Result<T, ContentFault>,
    ) -> Result<T, String> {
        check(&self.bytes).map_err(|fault| fault.message(self.is_shown()))
    }

    /// Gives the bytes of two values to a check.
    ///
    /// # Errors
    /// The words of the check that may be printed.
    pub(crate) fn check_with(
        &self,
        other: &Self,
        check: impl FnOnce(&[u8], &[u8]) -> ContentCheck,
    ) -> Result<(), String> {
        check(&self.bytes, &other.bytes)
            .map_err(|fault| fault.message(self.is_shown() && other.is_shown()))
    }

    /// The printed text: the bytes, or the placeholder.
    pub fn shown(&self) -> Vec<u8> {
        self.redaction()
            .map_or_else(|| self.bytes.clone(), String::into_bytes)
    }

    /// The printed text.
    pub(crate) fn shown_text(&self) -> ShownText {
        match self.redaction() {
            Some(text) => ShownText::stand_in(text),
            None => match String::from_utf8_lossy(&self.bytes) {
                Cow::Borrowed(text) => ShownText {
                    text: text.to_owned(),
                    ..ShownText::default()
                },
                Cow::Owned(text) => ShownText {
                    text,
                    bytes: Some(self.bytes.clone()),
                    ..ShownText::default()
                },
            },
        }
    }

    /// What is printed of a value that was read from the bytes: the structure and the keys, with a placeholder for each
    /// scalar.
    pub(crate) fn shown_value(&self, value: Value) -> Value {
        match value {
            value if self.is_shown() => value,
            Value::Null => Value::Null,
            Value::Bool(_)
            | Value::Int(_)
            | Value::Uint(_)
            | Value::Float(_)
            | Value::Str(_)
            | Value::StandIn(_)
            | Value::Binary(_) => self
                .redaction()
                .map_or(Value::Null, |text| Value::StandIn(text.into())),
            Value::Seq(items) => Value::Seq(
                items
                    .into_iter()
                    .map(|item| self.shown_value(item))
                    .collect(),
            ),
            Value::Map(map) => Value::Map(
                map.into_entries()
                    .into_iter()
                    .map(|(key, value)| (key, self.shown_value(value)))
                    .collect(),
            ),
        }
    }

    fn redaction(&self) -> Option<String> {
        let placeholder = self.placeholder.as_ref()?;
        placeholder.tally.fetch_add(1, Ordering::Relaxed);
        Some(placeholder.text.clone())
    }
}

/// A text that is printed: a value, or what stands for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShownText {
    text: String,
    /// The value, if it is no text.
    bytes: Option<Vec<u8>>,
    is_stand_in: bool,
}

impl ShownText {
    /// A text that stands for another one.
    pub(crate) const fn stand_in(text: String) -> Self {
        Self {
            text,
            bytes: None,
            is_stand_in: true,
        }
    }

    /// The text, if it stands for another one.
    pub(crate) fn as_stand_in(&self) -> Option<&str> {
        self.is_stand_in.then_some(&*self.text)
    }

    /// Returns whether there is none.
    pub const fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// The text, for output.
    pub fn into_text(self) -> String {
        self.text
    }

    /// A text without white space at its ends.
    pub(crate) fn trimmed(self) -> Self {
        Self {
            text: self.text.trim().to_owned(),
            ..self
        }
    }
}

impl From<ShownText> for Value {
    fn from(shown: ShownText) -> Self {
        match shown.bytes {
            _ if shown.is_stand_in => Self::StandIn(shown.text.into()),
            Some(bytes) => Self::from_bytes(&bytes),
            None => shown.text.into(),
        }
    }
}

impl fmt::Debug for SecretBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretBytes({} bytes)", self.bytes.len())
    }
}

impl PartialEq for SecretBytes {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes && self.is_shown() == other.is_shown()
    }
}

impl Eq for SecretBytes {}

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_text::yaml::Map;

    fn hidden() -> (SecretBytes, Arc<AtomicUsize>) {
        let tally = Arc::new(AtomicUsize::new(0));
        (
            SecretBytes::hidden(
                b"hunter2".to_vec(),
                "<redacted:a/b/c>".into(),
                Arc::clone(&tally),
            ),
            tally,
        )
    }

    #[test]
    fn a_hidden_value_is_a_placeholder_wherever_it_is_printed() {
        let (secret, tally) = hidden();
        assert_eq!(format!("{secret:?}"), "SecretBytes(7 bytes)");
        assert_eq!(
            secret.shown_text(),
            ShownText::stand_in("<redacted:a/b/c>".into())
        );
        let map = Value::Map(Map::new().with("a", "hunter2").with("b", Value::Null));
        assert_eq!(
            secret.shown_value(map),
            Value::Map(
                Map::new()
                    .with("a", Value::StandIn("<redacted:a/b/c>".into()))
                    .with("b", Value::Null)
            )
        );
        assert_eq!(tally.load(Ordering::Relaxed), 2);
        assert_eq!(SecretBytes::public(b"hunter2".to_vec()).shown(), b"hunter2");
    }

    #[test]
    fn a_check_of_a_hidden_value_does_not_repeat_it() {
        let (secret, _) = hidden();
        let check = |bytes: &[u8]| -> ContentCheck {
            Err(ContentFault::quoting(format!(
                "invalid port \"{}\" after host",
                String::from_utf8_lossy(bytes)
            )))
        };
        assert_eq!(
            secret.check(check).unwrap_err(),
            "invalid port <redacted> after host"
        );
        let public = SecretBytes::public(b"hunter2".to_vec());
        assert_eq!(
            public.check(check).unwrap_err(),
            "invalid port \"hunter2\" after host"
        );
        let both = |_: &[u8], _: &[u8]| Err(ContentFault::new("told", "hidden"));
        assert_eq!(public.check_with(&secret, both).unwrap_err(), "hidden");
    }
}
