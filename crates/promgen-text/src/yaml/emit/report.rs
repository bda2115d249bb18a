//! Values of a report as YAML: the bytes of Go's library, but for texts that a terminal or a runner of CI would take for more.
//!
//! Those stand in double quotes, which read the same. Data, whose bytes are those of the operator, is not written so.

use std::borrow::Cow;

use crate::diag::escape;
use crate::yaml::emit::{Dialect, to_string};
use crate::yaml::{Map, Value};

/// Writes a document of a report: as [`to_string`] does in [`Dialect::YamlV2`], but with harmful texts in double quotes.
#[must_use]
pub fn to_report(value: &Value) -> String {
    let plain = to_string(value, Dialect::YamlV2);
    if escape::is_harmless(&plain) && !has_harm(value) {
        return plain;
    }
    // A word that stands for a text while the others are laid out: it needs no quotes, and breaks no line.
    let mut word = "text".to_owned();
    while plain.contains(&word) {
        word.push('x');
    }
    let mut words = Words {
        word,
        texts: Vec::new(),
    };
    let mut out = to_string(&words.value(value), Dialect::YamlV2);
    // The last one first: its number begins with no other's.
    for (number, text) in words.texts.iter().enumerate().rev() {
        out = out.replace(&words.of(number), &escape::yaml(text));
    }
    out
}

/// Returns whether a text of the value is harmful.
fn has_harm(value: &Value) -> bool {
    match value {
        Value::Str(text) | Value::StandIn(text) => !escape::is_harmless(text),
        Value::Seq(items) => items.iter().any(has_harm),
        Value::Map(map) => map
            .into_iter()
            .any(|(key, value)| !escape::is_harmless(key) || has_harm(value)),
        _ => false,
    }
}

/// The words that stand for harmful texts.
struct Words {
    word: String,
    texts: Vec<String>,
}

impl Words {
    fn of(&self, number: usize) -> String {
        format!("{}{number}z", self.word)
    }

    fn text(&mut self, text: &str) -> Cow<'static, str> {
        if escape::is_harmless(text) {
            return Cow::Owned(text.to_owned());
        }
        self.texts.push(text.to_owned());
        self.of(self.texts.len() - 1).into()
    }

    fn value(&mut self, value: &Value) -> Value {
        match value {
            Value::Str(text) | Value::StandIn(text) => self.text(text).into(),
            Value::Seq(items) => Value::Seq(items.iter().map(|item| self.value(item)).collect()),
            Value::Map(map) => {
                let entries = map
                    .into_iter()
                    .map(|(key, value)| (self.text(key), self.value(value)));
                Value::Map(entries.collect::<Map>())
            }
            scalar => scalar.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Sink;
    use crate::source::FileId;
    use crate::yaml::read::read;

    #[test]
    fn a_harmful_text_is_quoted_and_reads_the_same() {
        let long = format!("{} ##vso[a.b]", "word ".repeat(40));
        let texts = [
            "a",
            "##vso[task.x]y",
            "a\n::set-output name=a::b\n",
            "::error::x",
            "\u{202e}",
            "text0z text",
            long.as_str(),
        ];
        let map: Map = texts
            .iter()
            .map(|text| {
                (
                    Cow::Owned((*text).to_owned()),
                    Value::from((*text).to_owned()),
                )
            })
            .collect();
        let value = Value::Seq(vec![map.into(), "b\n::c".into()]);
        let written = to_report(&value);
        assert!(escape::is_harmless(&written), "{written}");
        let documents = read(FileId::default(), &written, &mut Sink::default());
        assert_eq!(documents[0].root.to_value(), value, "{written}");
    }

    #[test]
    fn other_texts_are_as_go_writes_them() {
        let value = Value::from(Map::new().with("a", "b\nc").with("d", "e: f"));
        assert_eq!(to_report(&value), to_string(&value, Dialect::YamlV2));
    }
}
