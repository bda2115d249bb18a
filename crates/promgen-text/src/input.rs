//! Bytes to texts.
//!
//! In: inputs as the caller read them. Out: [`Sources`], and a finding for each input that is not text or too large. Such an
//! input counts as empty, and the others are still compiled.

pub mod limits;

use crate::diag::{Diagnostic, Rule, Sink, rule};
use crate::source::{FileId, Input, Sources, Span};

rule! {
    /// ## What it does
    /// Finds files of more than 64 MiB, or with more than eight million values.
    ///
    /// ## Why is this bad?
    /// No cluster accepts such a manifest: the limit of an object is 1.5 MiB. promgen skips the file.
    ///
    /// ## Example
    /// A file of 200 MiB.
    ///
    /// Use instead: several files.
    pub(crate) static INPUT_TOO_LARGE = "PG004" "input-too-large" {
        summary: "a file that is too large", level: Error, since: "0.1.0",
    }
}

rule! {
    /// ## What it does
    /// Finds files that are not UTF-8 text.
    ///
    /// ## Why is this bad?
    /// YAML and JSON are text. Convert a file in another encoding. Remove a binary file from the input.
    ///
    /// ## Example
    /// A file in UTF-16, or an image.
    ///
    /// Use instead: UTF-8.
    pub(crate) static NOT_UTF8 = "PG005" "not-utf8" {
        summary: "a file that is not UTF-8", level: Error, since: "0.1.0",
    }
}

/// The rules of this module.
#[allow(dead_code, reason = "until the list of rules is read")]
pub static RULES: &[&Rule] = &[&INPUT_TOO_LARGE, &NOT_UTF8];

/// The size of a file from which on it is refused.
pub const MAX_BYTES: usize = 64 << 20;

impl Sources {
    /// Takes the texts of inputs, each under the number of its place in the list. One that is no text or too large is
    /// reported and gets an empty text.
    #[must_use]
    pub fn load(inputs: &[Input], sink: &mut Sink) -> Self {
        let mut sources = Self::default();
        for input in inputs {
            let file = sources.next_id();
            let text = text_of(&input.bytes, file).unwrap_or_else(|refused| {
                sink.report(*refused);
                ""
            });
            sources.add(input.name.clone(), text.to_owned());
        }
        sources
    }
}

/// The text of a file without its byte order mark.
fn text_of(bytes: &[u8], file: FileId) -> Result<&str, Box<Diagnostic>> {
    if bytes.len() > MAX_BYTES {
        return Err(Box::new(too_large(file)));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| Box::new(not_utf8(bytes, error.valid_up_to(), file)))?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}

/// The finding for a file of too many bytes.
pub(crate) fn too_large(file: FileId) -> Diagnostic {
    let message = format!("the file exceeds the maximum of {} MiB", MAX_BYTES >> 20);
    Diagnostic::new(&INPUT_TOO_LARGE, Span::new(file, 0, 0), message).help("split the file")
}

fn not_utf8(bytes: &[u8], valid: usize, file: FileId) -> Diagnostic {
    let (what, help) = match bytes {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => ("the file is UTF-16", "save it as UTF-8"),
        _ if bytes[..bytes.len().min(8192)].contains(&0) => ("the file looks binary", "remove it from the input"),
        _ => ("the file is not UTF-8", "save it as UTF-8"),
    };
    let message = format!("{what}: byte 0x{:02x} at offset {valid}", bytes[valid]);
    Diagnostic::new(&NOT_UTF8, Span::new(file, 0, 0), message).help(help)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(bytes: &[u8]) -> (String, Vec<String>) {
        let mut sink = Sink::default();
        let sources = Sources::load(&[Input::new("a", bytes)], &mut sink);
        let messages = sink.into_diagnostics().iter().map(|d| format!("{} {}", d.rule.code, d.message)).collect();
        (sources.file(FileId(0)).text.clone(), messages)
    }

    #[test]
    fn what_is_no_text_is_reported_and_empty() {
        assert_eq!(load("\u{feff}ä: 1".as_bytes()), ("ä: 1".into(), vec![]));
        assert_eq!(load(b"a: \xe4").1, ["PG005 the file is not UTF-8: byte 0xe4 at offset 3"]);
        assert_eq!(load(b"\xff\xfea\0").1, ["PG005 the file is UTF-16: byte 0xff at offset 0"]);
        assert_eq!(load(b"\x89PNG\r\n\0").1, ["PG005 the file looks binary: byte 0x89 at offset 0"]);
        let (text, messages) = load(&vec![b' '; MAX_BYTES + 1]);
        assert_eq!((text.as_str(), messages[0].as_str()), ("", "PG004 the file exceeds the maximum of 64 MiB"));
    }
}
