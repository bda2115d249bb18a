//! Files and ranges in the words of the protocol.

use std::path::{MAIN_SEPARATOR, Path, PathBuf};

use lsp_types::{Position, Range};
use serde_json::Value;

use promgen_editor::EditorPosition;
use promgen_text::go::url::percent_encoded;
use promgen_text::source::{Sources, Span};

/// The path of a `file:` URI.
pub(super) fn path_of(uri: &str) -> Option<PathBuf> {
    let after = uri.strip_prefix("file://")?;
    let path = decoded(&after[after.find('/')?..])?;
    let drive = path
        .strip_prefix('/')
        .filter(|rest| rest.as_bytes().get(1) == Some(&b':'));
    Some(PathBuf::from(drive.unwrap_or(&path)))
}

fn decoded(text: &str) -> Option<String> {
    let (mut bytes, mut rest) = (Vec::with_capacity(text.len()), text.as_bytes());
    while let [first, after @ ..] = rest {
        let code = after
            .get(..2)
            .filter(|_| *first == b'%')
            .and_then(|code| std::str::from_utf8(code).ok());
        let code = code.and_then(|code| u8::from_str_radix(code, 16).ok());
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { &after[2..] } else { after };
    }
    String::from_utf8(bytes).ok()
}

/// The `file:` URI of an absolute path.
pub(super) fn uri_of(path: &Path) -> String {
    let path = path.to_string_lossy().replace(MAIN_SEPARATOR, "/");
    let slash = if path.starts_with('/') { "" } else { "/" };
    format!("file://{slash}{}", percent_encoded(&path, "-._~/"))
}

/// The range of a span.
pub(super) fn range(span: Span, sources: &Sources) -> Range {
    let [start, end] = promgen_editor::range(span, sources).map(|at| place(at.line, at.character));
    Range { start, end }
}

/// A line and a character, from 0.
pub(super) fn place(line: usize, character: usize) -> Position {
    let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    Position {
        line: number(line),
        character: number(character),
    }
}

/// The position of a request.
pub(super) fn position(at: &Value) -> Option<EditorPosition> {
    let number = |key: &str| {
        at[key]
            .as_u64()
            .and_then(|number| usize::try_from(number).ok())
    };
    Some(EditorPosition {
        line: number("line")?,
        character: number("character")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_path_becomes_a_uri_and_back() {
        let path = Path::new("/a b/ü%41/c.yaml");
        assert_eq!(path_of(&uri_of(path)).as_deref(), Some(path));
        assert_eq!(
            path_of("file:///a%20b/%zz"),
            Some(PathBuf::from("/a b/%zz"))
        );
        assert_eq!(path_of("untitled:one"), None);
        assert_eq!(path_of("file://%ff/%ff"), None);
    }
}
