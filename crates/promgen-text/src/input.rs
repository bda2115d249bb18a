//! Bytes to texts.
//!
//! In: inputs as the caller read them. Out: [`Sources`], and a finding for each input that is not text, too large, or could
//! not be read. Such an input counts as empty, and the others are still compiled.

pub mod limits;

use crate::diag::{Diagnostic, Level, Sink, rules};
use crate::source::{FileBytes, FileId, Input, SourceText, Sources, Span, Unread};

rules! {
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
    INPUT_TOO_LARGE = "PG004" "input-too-large" Error: "a file that is too large";

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
    NOT_UTF8 = "PG005" "not-utf8" Error: "a file that is not UTF-8";

    /// ## What it does
    /// Finds files and folders in a folder that promgen does not read:
    ///
    /// - links to files that do not exist, and files that `promgen lint` cannot open;
    /// - links that lead out of the repository, pipes and devices. The repository is the closest folder above that contains
    ///   `.git`. Without one, it is the folder on the command line.
    ///
    /// Links are warnings.
    ///
    /// ## Why is this bad?
    /// promgen cannot check what is in the file, and checks the other files without it. `kubectl apply` stops at a file that
    /// does not exist. A file outside of the repository belongs to somebody else: a change of the repository must not print
    /// it.
    ///
    /// A file that is given by its own path must be readable: otherwise the exit code is 2. So must all files for commands
    /// that print or write what they read.
    ///
    /// ## Example
    /// A link `rules.yaml` to `../shared/rules.yaml`, which does not exist, or to `/etc/prometheus/rules.yaml`.
    ///
    /// Use instead: a copy of the file. Exclude a file that is generated later, with `exclude` in `promgen.yaml`.
    UNREADABLE_FILE = "PG008" "unreadable-file" Error: "a file that promgen cannot or must not read";
}

/// The size of a file from which on it is refused.
pub const MAX_BYTES: usize = 64 << 20;

impl Sources {
    /// Takes the texts of inputs, in their order. One that is no text, too large, or could
    /// not be read, is reported and gets an empty text.
    #[must_use]
    pub fn load(inputs: &[Input], sink: &mut Sink) -> Self {
        Self::default().with(inputs, sink)
    }

    /// The texts of other inputs, in their order. A file keeps its number if it has the same name, or else the same text, and
    /// is shared if both are the same.
    #[must_use]
    pub fn with(&self, inputs: &[Input], sink: &mut Sink) -> Self {
        let mut sources = Self::default();
        for (input, file) in inputs
            .iter()
            .zip(crate::source::numbers::numbers(self, inputs))
        {
            // What refers to an asset reports it; it may be one that takes any bytes.
            let is_any = input.is_asset && input.bytes.len() <= MAX_BYTES;
            let read = match &input.unread {
                _ if is_any => Ok(text_of(&input.bytes, file).unwrap_or_default()),
                Some(why) => Err(Box::new(unreadable(why, file))),
                None => text_of(&input.bytes, file),
            };
            let text = read.unwrap_or_else(|refused| {
                sink.report(*refused);
                SourceText::default()
            });
            match self.get(file).filter(|old| {
                old.name == input.name && old.text == text && old.unread == input.unread
            }) {
                Some(old) => sources.share(file, old),
                None => sources.add_as(file, input.name.clone(), text, input.unread.clone()),
            }
        }
        sources
    }
}

/// The text of a file.
fn text_of(bytes: &FileBytes, file: FileId) -> Result<SourceText, Box<Diagnostic>> {
    if bytes.len() > MAX_BYTES {
        return Err(Box::new(too_large(file)));
    }
    // What is not known is neither wrong nor there.
    if is_locked(bytes) {
        return Ok(SourceText::default());
    }
    SourceText::of(bytes).ok_or_else(|| Box::new(not_utf8(bytes, file)))
}

/// Returns whether git-crypt has encrypted a file.
#[must_use]
pub fn is_locked(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\0GITCRYPT\0")
}

/// The finding for a file of too many bytes.
pub(crate) fn too_large(file: FileId) -> Diagnostic {
    let message = format!("the file exceeds the maximum of {} MiB", MAX_BYTES >> 20);
    Diagnostic::new(&INPUT_TOO_LARGE, Span::new(file, 0, 0), message).help("split the file")
}

fn unreadable(why: &Unread, file: FileId) -> Diagnostic {
    let finding =
        |message: String| Diagnostic::new(&UNREADABLE_FILE, Span::new(file, 0, 0), message);
    match why {
        Unread::BrokenLink(target) => finding(format!(
            "the link leads to `{target}`, which does not exist"
        ))
        .level(Level::Warning)
        .help("remove the link, or add the file that it leads to"),
        Unread::Outside | Unread::Irregular => {
            finding(format!("this is not read: {why}")).level(Level::Warning)
        }
        Unread::Failed(error) => finding(format!("this cannot be read: {error}")),
    }
}

fn not_utf8(bytes: &[u8], file: FileId) -> Diagnostic {
    let valid = std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
    let (what, help) = match bytes {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => ("the file is UTF-16", "save it as UTF-8"),
        _ if bytes[..bytes.len().min(8192)].contains(&0) => {
            ("the file looks binary", "remove it from the input")
        }
        _ => ("the file is not UTF-8", "save it as UTF-8"),
    };
    let message = format!(
        "{what}: byte 0x{:02x} at offset {valid}",
        bytes.get(valid).copied().unwrap_or_default()
    );
    Diagnostic::new(&NOT_UTF8, Span::new(file, 0, 0), message).help(help)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(sources: &Sources) -> Vec<&str> {
        sources.files().map(|(_, file)| &*file.text).collect()
    }

    fn load(bytes: &[u8]) -> (String, Vec<String>) {
        let mut sink = Sink::default();
        let sources = Sources::load(&[Input::new("a", bytes)], &mut sink);
        let messages = sink
            .into_diagnostics()
            .iter()
            .map(|d| format!("{} {}", d.rule.code, d.message))
            .collect();
        (texts(&sources)[0].to_owned(), messages)
    }

    #[test]
    fn what_is_no_text_is_reported_and_empty() {
        assert_eq!(load("\u{feff}ä: 1".as_bytes()), ("ä: 1".into(), vec![]));
        assert_eq!(
            load(b"a: \xe4").1,
            ["PG005 the file is not UTF-8: byte 0xe4 at offset 3"]
        );
        assert_eq!(
            load(b"\xff\xfea\0").1,
            ["PG005 the file is UTF-16: byte 0xff at offset 0"]
        );
        assert_eq!(load(b"\0GITCRYPT\0\xb7\xff"), (String::new(), Vec::new()));
        assert_eq!(
            load(b"\x89PNG\r\n\0").1,
            ["PG005 the file looks binary: byte 0x89 at offset 0"]
        );
        let mut sink = Sink::default();
        let asset = Sources::load(&[Input::new("a", b"\x89PNG\r\n\0").asset()], &mut sink);
        assert_eq!((texts(&asset)[0], sink.diagnostics().len()), ("", 0));
        let broken = Input::unread("a", Unread::BrokenLink("../b".into()));
        let sources = Sources::load(
            &[broken, Input::unread("b", Unread::Failed("denied".into()))],
            &mut sink,
        );
        let found: Vec<_> = sink
            .into_diagnostics()
            .into_iter()
            .map(|d| (d.level, d.message))
            .collect();
        assert_eq!(
            found[0],
            (
                Level::Warning,
                "the link leads to `../b`, which does not exist".to_owned()
            )
        );
        assert_eq!(
            found[1],
            (Level::Error, "this cannot be read: denied".to_owned())
        );
        assert_eq!(texts(&sources), ["", ""]);
        let (text, messages) = load(&vec![b' '; MAX_BYTES + 1]);
        assert_eq!(
            (text.as_str(), messages[0].as_str()),
            ("", "PG004 the file exceeds the maximum of 64 MiB")
        );
    }
}
