//! What is wrong with a text that is no YAML for Kubernetes, in words.
//!
//! In: the parser's errors and our own findings. Out: a [`Fault`] with place, message and advice, which becomes a
//! diagnostic of [`INVALID_YAML`].

use std::ops::Range;

use granit_parser::{ErrorKind, ScanError};

use crate::diag::{Diagnostic, Rule, rule};
use crate::source::{FileId, Span};

rule! {
    /// ## What it does
    /// Finds documents that are no YAML, or none that Kubernetes reads: its parser knows YAML 1.1 with small
    /// deviations, and takes no value that JSON cannot hold.
    ///
    /// ## Why is this bad?
    /// `kubectl apply` refuses the file. The document is left out here; other documents of the file are compiled.
    ///
    /// ## Example
    /// ```yaml
    /// metadata:
    ///   name: it: breaks
    /// ```
    /// Use instead: quotes around text that has a colon and a space in it.
    /// ```yaml
    /// metadata:
    ///   name: "it: works"
    /// ```
    ///
    /// ## Source
    /// sigs.k8s.io/yaml and go-yaml v2.
    pub(crate) static INVALID_YAML = "PG001" "invalid-yaml" {
        summary: "a document that Kubernetes cannot read as YAML", level: Error, since: "0.1.0",
    }
}

rule! {
    /// ## What it does
    /// Finds documents whose aliases multiply what they hold beyond measure, or contain themselves.
    ///
    /// ## Why is this bad?
    /// A few hundred bytes of nested aliases stand for gigabytes. Kubernetes refuses such a document, and so does
    /// promgen.
    ///
    /// ## Example
    /// ```yaml
    /// loop: &loop [*loop]
    /// ```
    /// Use instead: the values themselves.
    /// ```yaml
    /// loop: [value]
    /// ```
    ///
    /// ## Source
    /// go-yaml v2 `decode.go`, `allowedAliasRatio`.
    pub(crate) static EXCESSIVE_ALIASES = "PG003" "excessive-aliases" {
        summary: "aliases that expand without measure", level: Error, since: "0.1.0",
    }
}

/// Why a document is left out.
#[derive(Debug)]
pub(super) struct Fault(Box<Inner>);

#[derive(Debug)]
struct Inner {
    rule: &'static Rule,
    range: Range<usize>,
    message: String,
    help: Option<&'static str>,
}

impl Fault {
    /// A fault of the bytes `range`, counted from the start of the parsed text.
    pub(super) fn new(rule: &'static Rule, range: Range<usize>, message: impl Into<String>) -> Self {
        Self(Box::new(Inner { rule, range, message: message.into(), help: None }))
    }

    fn invalid(range: Range<usize>, message: impl Into<String>) -> Self {
        Self::new(&INVALID_YAML, range, message)
    }

    /// Adds advice.
    pub(super) fn help(mut self, help: &'static str) -> Self {
        self.0.help = Some(help);
        self
    }

    /// The diagnostic; `text` is what was parsed, and stands at `base` in `file`.
    pub(super) fn into_diagnostic(self, file: FileId, base: usize, text: &str) -> Diagnostic {
        let Inner { rule, range, message, help } = *self.0;
        let range = on_characters(range, text);
        let template = looks_like_template(text, &range);
        let diagnostic =
            Diagnostic::new(rule, Span::new(file, offset(base + range.start), offset(base + range.end)), message);
        match (template, help) {
            (true, _) => {
                diagnostic.help("this looks like a template; render it first, for instance with `helm template`")
            }
            (false, Some(help)) => diagnostic.help(help),
            (false, None) => diagnostic,
        }
    }
}

fn offset(n: usize) -> u32 {
    u32::try_from(n).expect("a text is at most 64 MiB")
}

/// Keeps a range within the text and on the boundaries of characters, and makes it mark at least one where it can.
fn on_characters(range: Range<usize>, text: &str) -> Range<usize> {
    let mut start = range.start.min(text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    let mut end = range.end.clamp(start, text.len());
    while !text.is_char_boundary(end) {
        end += 1;
    }
    if end > start {
        return start..end;
    }
    match text[start..].chars().next() {
        Some(c) if c != '\n' && c != '\r' => start..start + c.len_utf8(),
        Some(_) | None => start..start,
    }
}

/// Whether the marked line has `{{`: the most frequent reason why a file is no YAML.
fn looks_like_template(text: &str, range: &Range<usize>) -> bool {
    let start = memchr::memrchr(b'\n', &text.as_bytes()[..range.start]).map_or(0, |i| i + 1);
    let end = text[range.end..].find('\n').map_or(text.len(), |i| range.end + i);
    let line = &text[start..end];
    memchr::memmem::find(line.as_bytes(), b"{{").is_some()
}

const QUOTE: &str = "put the text in quotes";

/// A fault of the parser in our words.
pub(super) fn explain(error: &ScanError, text: &str) -> Fault {
    let at = error.marker().byte_offset().unwrap_or(text.len()).min(text.len());
    let (message, help) = words(error.kind(), text.get(at..).unwrap_or_default());
    let fault = match error.kind() {
        ErrorKind::UnknownAnchor => Fault::invalid(at..at + word(text, at).len(), message),
        _ => Fault::invalid(at..at, message),
    };
    match help {
        Some(help) => fault.help(help),
        None => fault,
    }
}

/// The characters from `at` to the next blank.
fn word(text: &str, at: usize) -> &str {
    text.get(at..).and_then(|rest| rest.split(|c: char| c.is_whitespace()).next()).unwrap_or_default()
}

/// What the parser's error means, and advice if there is any. `rest` is the text from the marked place on.
#[expect(clippy::too_many_lines, reason = "flat table")]
fn words(kind: &ErrorKind, rest: &str) -> (String, Option<&'static str>) {
    let (message, help) = match kind {
        ErrorKind::TabNotAllowed
        | ErrorKind::TabInBlockIndentation
        | ErrorKind::TabInIndentation
        | ErrorKind::TabInPlainScalar
        | ErrorKind::TabAtBlockScalarStart => ("a tab stands where only spaces may", Some(SPACES)),
        ErrorKind::UnclosedQuotedScalar => {
            ("this quote is never closed", Some("close it, or double a quote that is part of the text"))
        }
        ErrorKind::DocumentIndicatorInQuotedScalar => {
            ("a document marker stands within quotes", Some("close the quotes, or indent the text"))
        }
        ErrorKind::InvalidTrailingSingleQuotedScalar | ErrorKind::InvalidTrailingDoubleQuotedScalar => {
            ("text follows the closing quote", Some("put all of the value in quotes"))
        }
        ErrorKind::UnclosedFlowCollection { open } => {
            return (format!("this `{open}` is never closed"), None);
        }
        ErrorKind::MismatchedFlowCollectionEnd { open, close } => {
            return (format!("`{close}` closes what `{open}` opened"), None);
        }
        ErrorKind::MisplacedFlowCollectionEnd => ("a closing bracket without an opening one", Some(QUOTE)),
        ErrorKind::UnexpectedEofFlowSequence
        | ErrorKind::UnexpectedEofFlowMapping
        | ErrorKind::UnexpectedEofImplicitFlowMapping => {
            ("the document ends within brackets", Some("close the brackets"))
        }
        ErrorKind::ExpectedFlowSequenceSeparator => ("`,` or `]` is missing here", None),
        ErrorKind::ExpectedFlowMappingSeparator => ("`,` or `}` is missing here", None),
        ErrorKind::MappingValueNotAllowed
        | ErrorKind::InvalidColonPlacement
        | ErrorKind::InvalidMappingValueWhitespace => {
            ("a `:` stands where no key can end", Some("put a text that has `: ` in it in quotes"))
        }
        ErrorKind::SimpleKeyExpected | ErrorKind::InvalidSimpleKey => (
            "a line that is no `key: value`",
            Some("put a space after the colon of a key; keys take at most 1024 characters"),
        ),
        ErrorKind::MappingKeyNotAllowed => ("a key stands where none can", None),
        ErrorKind::ExpectedBlockMappingKey => {
            ("a key is expected here", Some("keys of one map start in the same column"))
        }
        ErrorKind::ExpectedBlockSequenceEntry => {
            ("a `- ` is expected here", Some("entries of one list start in the same column"))
        }
        ErrorKind::BlockSequenceEntryNotAllowed => {
            ("a list cannot start here", Some("start it on a line of its own, or put the text in quotes"))
        }
        ErrorKind::BlockEntryInFlowCollection => {
            ("a `- ` stands within brackets", Some("separate the values by commas"))
        }
        ErrorKind::InvalidIndentation | ErrorKind::InvalidQuotedScalarIndent | ErrorKind::InvalidFlowScalarIndent => {
            ("this line is indented too little or too much", Some("start it in the column of its siblings"))
        }
        ErrorKind::InvalidBlockScalarIndent => ("a line of this text block is indented less than its first one", None),
        ErrorKind::ZeroBlockScalarIndent | ErrorKind::InvalidBlockScalarHeader => {
            ("what follows `|` or `>` can only be `+`, `-`, a digit from 1 to 9 and a comment", None)
        }
        ErrorKind::UnexpectedCharacter { character } => {
            return (format!("no value starts with `{}`", character.escape_debug()), Some(QUOTE));
        }
        ErrorKind::UnknownAnchor => {
            let alias = word(rest, 0);
            return (
                format!("`{alias}` is an alias of nothing"),
                Some("put the text in quotes if it is no alias; an anchor counts in its own document only"),
            );
        }
        ErrorKind::MissingAnchorOrAliasName => ("`*` or `&` without a name", Some(QUOTE)),
        ErrorKind::UnknownQuotedScalarEscape => ("an unknown escape in double quotes", Some(ESCAPES)),
        ErrorKind::InvalidQuotedScalarHexEscape | ErrorKind::InvalidUnicodeEscape => {
            ("an escape that is no character", None)
        }
        ErrorKind::InvalidLowSurrogateHexEscape
        | ErrorKind::InvalidLowSurrogate
        | ErrorKind::MissingLowSurrogate
        | ErrorKind::UnpairedLowSurrogate => (SURROGATE, Some(SURROGATE_HELP)),
        ErrorKind::CommentNotSeparated => {
            ("a comment needs a space before its `#`", Some("or quotes around the text, if it is no comment"))
        }
        ErrorKind::CommentInterceptedScalar => ("a comment interrupts a text of several lines", Some(QUOTE)),
        ErrorKind::RecursionLimitExceeded => return (depth_message(), None),
        ErrorKind::ExpectedDocumentStart => {
            ("text follows where the document has ended", Some("put `---` between documents"))
        }
        ErrorKind::BomInsideDocument => ("a byte order mark within the document", Some("remove it")),
        other => return (other.to_string(), None),
    };
    (message.to_owned(), help)
}

const SPACES: &str = "indent with spaces";
const ESCAPES: &str = "double the backslash, or use single quotes, which know no escapes";
const SURROGATE: &str = "a character written as a pair of `\\u` escapes";
const SURROGATE_HELP: &str = "write the character itself, or one `\\U` escape of eight digits";

fn depth_message() -> String {
    format!("more than {} collections within each other", super::MAX_DEPTH)
}

/// A collection too many within others.
pub(super) fn too_deep(at: usize) -> Fault {
    Fault::invalid(at..at, depth_message())
}

/// A value too many in one document.
pub(super) fn too_many(at: usize) -> Fault {
    Fault::new(
        &crate::input::INPUT_TOO_LARGE,
        at..at,
        format!("more than {} values in one document", super::MAX_VALUES),
    )
    .help("split the file")
}

/// A `%YAML` directive of another version than 1.1.
pub(super) fn version(major: u32, minor: u32, at: usize) -> Fault {
    Fault::invalid(at..at, format!("this document asks for YAML {major}.{minor}, and Kubernetes reads YAML 1.1"))
        .help("remove the `%YAML` directive")
}

/// An alias within the value of its own anchor.
pub(super) fn self_alias(alias: &str, range: Range<usize>) -> Fault {
    Fault::new(&EXCESSIVE_ALIASES, range, format!("`{alias}` is part of what it stands for"))
}

/// A character that go-yaml accepts nowhere.
pub(super) fn control_character(c: char, at: usize) -> Fault {
    let fault = Fault::invalid(at..at + c.len_utf8(), format!("the control character U+{:04X}", u32::from(c)));
    if c == '\0' {
        fault.help("is this a text file?")
    } else {
        fault.help("remove it, or write it as an escape in double quotes")
    }
}

/// A character that ends or indents a line for Go's YAML.
pub(super) fn suspect(c: char, at: usize) -> Fault {
    let range = at..at + c.len_utf8();
    if c == '\t' {
        return Fault::invalid(range, "a tab stands where only spaces may").help(SPACES);
    }
    Fault::invalid(
        range,
        format!("U+{:04X} ends a line in YAML 1.1, and what follows is no `key: value`", u32::from(c)),
    )
    .help(QUOTE)
}

/// Checks the escapes of a double-quoted scalar for those that go-yaml does not know.
///
/// # Errors
/// The first one. `at` is where `quoted` stands.
pub(super) fn escapes(quoted: &str, at: usize) -> Result<(), Fault> {
    let bytes = quoted.as_bytes();
    let mut from = 0;
    while let Some(slash) = memchr::memchr(b'\\', &bytes[from..]).map(|i| from + i) {
        let place = at + slash..at + slash + 2;
        match bytes.get(slash + 1) {
            Some(b'/') => {
                return Err(Fault::invalid(place, "the escape `\\/` is unknown to YAML 1.1").help("write `/` alone"));
            }
            Some(b'u') if is_surrogate(bytes.get(slash + 2..slash + 6)) => {
                return Err(Fault::invalid(place.start..place.end + 4, SURROGATE).help(SURROGATE_HELP));
            }
            _ => from = slash + 2,
        }
        if from >= bytes.len() {
            break;
        }
    }
    Ok(())
}

/// Whether four hexadecimal digits are of D800 to DFFF.
fn is_surrogate(digits: Option<&[u8]>) -> bool {
    matches!(digits, Some([b'd' | b'D', b'8' | b'9' | b'a'..=b'f' | b'A'..=b'F', ..]))
}
