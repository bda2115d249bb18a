//! The messages about text that is not YAML for Kubernetes.
//!
//! All messages of the parser are here, so that the parser reads as a grammar. Out: a [`SyntaxFault`] with place, message and
//! advice, which becomes a diagnostic.

use std::ops::Range;

use crate::diag::{Diagnostic, LintRule, rules};
use crate::source::{FileId, Span};

rules! {
    /// ## What it does
    /// Finds documents that are not valid YAML for Kubernetes: its parser reads YAML 1.1 with small deviations, and refuses
    /// values that JSON cannot represent.
    ///
    /// ## Why is this bad?
    /// `kubectl apply` refuses the file. promgen skips the document and compiles the other documents of the file.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: v1
    /// kind: Namespace
    /// metadata:
    ///   name: shop
    ///   annotations:
    ///     note: it: breaks
    /// ```
    /// Use instead: quotes around text with a colon and a space.
    /// ```yaml
    /// apiVersion: v1
    /// kind: Namespace
    /// metadata:
    ///   name: shop
    ///   annotations:
    ///     note: "it: works"
    /// ```
    ///
    /// ## Source
    /// sigs.k8s.io/yaml and go-yaml v2.
    INVALID_YAML = "PG001" "invalid-yaml" Error: "a document that Kubernetes cannot read as YAML";

    /// ## What it does
    /// Finds documents whose aliases expand to too many values, or contain themselves.
    ///
    /// ## Why is this bad?
    /// A few hundred bytes of nested aliases can expand to gigabytes. Kubernetes and promgen refuse such a document.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: v1
    /// kind: ConfigMap
    /// metadata: {name: knot}
    /// data: &loop
    ///   loop: *loop
    /// ```
    /// Use instead: the values themselves.
    /// ```yaml
    /// apiVersion: v1
    /// kind: ConfigMap
    /// metadata: {name: knot}
    /// data:
    ///   loop: value
    /// ```
    ///
    /// ## Source
    /// go-yaml v2 `decode.go`, `allowedAliasRatio`.
    EXCESSIVE_ALIASES = "PG003" "excessive-aliases" Error: "aliases that expand to too many values";
}

/// What a step of reading gives.
pub(super) type SyntaxResult<T = ()> = Result<T, SyntaxFault>;

/// Why a document is left out.
#[derive(Debug)]
pub(super) struct SyntaxFault(Box<SyntaxInner>);

#[derive(Debug)]
struct SyntaxInner {
    rule: &'static LintRule,
    range: Range<usize>,
    message: String,
    /// The message without any text of the document, where it has some.
    redacted: Option<&'static str>,
    help: Option<&'static str>,
}

impl SyntaxFault {
    /// A fault of the bytes `range`, counted from the start of the parsed text.
    pub(super) fn new(
        rule: &'static LintRule,
        range: Range<usize>,
        message: impl Into<String>,
    ) -> Self {
        Self(Box::new(SyntaxInner {
            rule,
            range,
            message: message.into(),
            redacted: None,
            help: None,
        }))
    }

    fn invalid(range: Range<usize>, message: impl Into<String>) -> Self {
        Self::new(&INVALID_YAML, range, message)
    }

    /// Adds advice.
    pub(super) fn help(mut self, help: &'static str) -> Self {
        self.0.help = Some(help);
        self
    }

    /// Adds a message that repeats no text of the document.
    pub(super) fn redacted(mut self, message: &'static str) -> Self {
        self.0.redacted = Some(message);
        self
    }

    /// The diagnostic; `text` is what was parsed, and stands at `base` in `file`.
    pub(super) fn into_diagnostic(self, file: FileId, base: u32, text: &str) -> Diagnostic {
        let SyntaxInner {
            rule,
            range,
            message,
            redacted,
            help,
        } = *self.0;
        let range = on_characters(range, text);
        let template = looks_like_template(text, &range);
        let span = Span::new(file, base + offset(range.start), base + offset(range.end));
        let diagnostic = Diagnostic {
            redacted: redacted.map(Into::into),
            ..Diagnostic::new(rule, span, message)
        };
        match (template, help) {
            (true, _) if is_of_alerts(text, &range) => diagnostic
                .help("a value that begins with a brace is a map: quote it to make it a text"),
            (true, _) => diagnostic.help(
                "this looks like a template; render it first, for example with `helm template`",
            ),
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

/// Returns whether the marked line has `{{`: the most frequent reason why a file is no YAML.
fn looks_like_template(text: &str, range: &Range<usize>) -> bool {
    memchr::memmem::find(line(text, range).as_bytes(), b"{{").is_some()
}

/// Returns whether the marked line has a template that Prometheus or Alertmanager executes, not one of a chart.
fn is_of_alerts(text: &str, range: &Range<usize>) -> bool {
    const NAMES: [&str; 7] = [
        "$labels",
        "$value",
        "$externalLabels",
        ".CommonLabels",
        ".CommonAnnotations",
        ".GroupLabels",
        ".Alerts",
    ];
    let line = line(text, range);
    NAMES
        .iter()
        .any(|name| memchr::memmem::find(line.as_bytes(), name.as_bytes()).is_some())
}

/// The lines of a range.
fn line<'t>(text: &'t str, range: &Range<usize>) -> &'t str {
    let start = memchr::memrchr(b'\n', &text.as_bytes()[..range.start]).map_or(0, |i| i + 1);
    let end = text[range.end..]
        .find('\n')
        .map_or(text.len(), |i| range.end + i);
    &text[start..end]
}

const QUOTE: &str = "put the text in quotes";
const SPACES: &str = "indent with spaces";
const SIBLINGS: &str = "start it in the column of its siblings";

/// The first character at a position, for a message.
fn character(text: &str, at: usize) -> String {
    text.get(at..)
        .and_then(|rest| rest.chars().next())
        .map_or_else(String::new, |c| c.escape_debug().to_string())
}

/// The characters from a position to the next blank.
fn word(text: &str, at: usize) -> &str {
    text.get(at..)
        .and_then(|rest| rest.split(|c: char| c.is_whitespace()).next())
        .unwrap_or_default()
}

/// A character that go-yaml accepts nowhere.
pub(super) fn control_character(c: char, at: usize) -> SyntaxFault {
    let help = if c == '\0' {
        "is this a text file?"
    } else {
        "remove it, or write it as an escape in double quotes"
    };
    SyntaxFault::invalid(
        at..at + c.len_utf8(),
        format!("control character U+{:04X}", u32::from(c)),
    )
    .redacted("control character")
    .help(help)
}

/// A tab where only spaces may be.
pub(super) fn tab(at: usize) -> SyntaxFault {
    SyntaxFault::invalid(
        at..at + 1,
        "tab in indentation, where only spaces are allowed",
    )
    .help(SPACES)
}

/// A collection too many within others.
pub(super) fn too_deep(at: usize) -> SyntaxFault {
    SyntaxFault::invalid(
        at..at,
        format!("more than {} nested collections", super::MAX_DEPTH),
    )
}

/// A value too many in one document.
pub(super) fn too_many(at: usize) -> SyntaxFault {
    let message = format!("more than {} values in one document", super::MAX_VALUES);
    SyntaxFault::new(&crate::input::INPUT_TOO_LARGE, at..at, message).help("split the file")
}

/// An unknown directive.
pub(super) fn directive(range: Range<usize>) -> SyntaxFault {
    SyntaxFault::invalid(range, "unknown or duplicate directive").help("remove the line")
}

/// A `%YAML` directive of another version than 1.1.
pub(super) fn version(version: &str, range: Range<usize>) -> SyntaxFault {
    SyntaxFault::invalid(
        range,
        format!("this document requires YAML {version}, but Kubernetes reads YAML 1.1"),
    )
    .redacted("this document requires a version of YAML that Kubernetes does not read")
    .help("remove the `%YAML` directive")
}

/// Directives without a `---` behind them.
pub(super) fn directive_without_document(at: usize) -> SyntaxFault {
    SyntaxFault::invalid(at..at, "no `---` follows the directives")
}

/// A document behind the end of another one, without a `---`.
pub(super) fn bare_document(at: usize) -> SyntaxFault {
    SyntaxFault::invalid(at..at, "after `...`, a document starts with `---`")
        .help("put `---` between documents")
}

/// A text that is not a tag.
pub(super) fn tag(text: &str, at: usize) -> SyntaxFault {
    let tag = word(text, at);
    SyntaxFault::invalid(at..at + tag.len(), format!("`{tag}` is not a tag"))
        .redacted("this is not a tag")
        .help("put the text in quotes if it is not a tag")
}

/// A tag whose handle no directive declares.
pub(super) fn undeclared_handle(handle: &str, at: usize) -> SyntaxFault {
    SyntaxFault::invalid(
        at..at + handle.len(),
        format!("no `%TAG` directive declares `{handle}`"),
    )
    .redacted("no `%TAG` directive declares the handle of this tag")
    .help("put the text in quotes if it is not a tag")
}

/// An anchor or alias without a proper name.
pub(super) fn name(text: &str, at: usize) -> SyntaxFault {
    let name = word(text, at);
    let (what, redacted) = match name.starts_with('*') {
        true => (
            "alias",
            "this is not an alias: names consist of letters, digits, `-` and `_`",
        ),
        false => (
            "anchor",
            "this is not an anchor: names consist of letters, digits, `-` and `_`",
        ),
    };
    SyntaxFault::invalid(
        at..at + name.len(),
        format!("`{name}` is not an {what}: names consist of letters, digits, `-` and `_`"),
    )
    .redacted(redacted)
    .help(QUOTE)
}

/// An alias without an anchor before it.
pub(super) fn unknown_alias(name: &str, range: Range<usize>) -> SyntaxFault {
    SyntaxFault::invalid(
        range,
        format!("no anchor `&{name}` precedes this alias in its document"),
    )
    .redacted("no anchor precedes this alias in its document")
    .help("put the text in quotes if it is not an alias")
}

/// An alias within the value of its own anchor.
pub(super) fn self_alias(name: &str, range: Range<usize>) -> SyntaxFault {
    SyntaxFault::new(
        &EXCESSIVE_ALIASES,
        range,
        format!("`*{name}` is part of its own anchor"),
    )
    .redacted("this alias is part of its own anchor")
}

/// An anchor or a tag before an alias.
pub(super) fn props_of_alias(at: usize) -> SyntaxFault {
    SyntaxFault::invalid(at..at + 1, "an alias cannot have an anchor or a tag")
}

/// Two anchors or two tags before one value.
pub(super) fn props_twice(at: usize) -> SyntaxFault {
    SyntaxFault::invalid(at..at + 1, "a value cannot have two anchors or two tags")
}

/// A character that starts no value.
pub(super) fn no_value(text: &str, at: usize) -> SyntaxFault {
    match text.as_bytes().get(at) {
        None => SyntaxFault::invalid(at..at, "the document ends where a value is expected"),
        Some(b']' | b'}') => {
            SyntaxFault::invalid(at..at + 1, "closing bracket without an opening one").help(QUOTE)
        }
        Some(b',') => SyntaxFault::invalid(at..at + 1, "a value is missing before this `,`"),
        Some(b'-') => SyntaxFault::invalid(at..at + 1, "`- ` is not allowed in brackets")
            .help("separate the values by commas"),
        Some(b':') => {
            SyntaxFault::invalid(at..at + 1, "a key is missing before this `:`").help(QUOTE)
        }
        Some(_) => SyntaxFault::invalid(
            at..at,
            format!("no value starts with `{}`", character(text, at)),
        )
        .redacted("no value starts with this character")
        .help(QUOTE),
    }
}

/// A list entry or a `?` key in the middle of a line.
pub(super) fn misplaced_indicator(text: &str, at: usize) -> SyntaxFault {
    let what = if text[at..].starts_with('-') {
        "a list"
    } else {
        "a key"
    };
    SyntaxFault::invalid(at..at + 1, format!("{what} cannot start here"))
        .help("start it on its own line, or put the text in quotes")
}

/// A token among the keys of a map that is not a key.
pub(super) fn key_expected(text: &str, at: usize) -> SyntaxFault {
    let message = if text[at..].starts_with('-') {
        "unexpected list entry among the keys of a map"
    } else {
        "expected a key"
    };
    SyntaxFault::invalid(at..at + 1, message)
        .help("entries of one collection start in the same column")
}

/// A line among the keys of a map that is no key.
pub(super) fn no_colon(text: &str, at: usize) -> SyntaxFault {
    let line = text[at..].lines().next().unwrap_or_default().trim_end();
    let fault = SyntaxFault::invalid(at..at + line.len(), "this line is not a `key: value`");
    // go-yaml gives up a possible key after 1,024 characters.
    if line.len() > 1024 {
        fault.help("a key has at most 1024 characters and is on one line")
    } else if line.contains(':') {
        fault.help("add a space after the colon of a key")
    } else {
        fault.help("indent the line if it continues the previous value")
    }
}

/// A `:` behind something that cannot be a key; the value starts at `start`.
pub(super) fn colon(text: &str, start: usize, at: usize) -> SyntaxFault {
    let fault = |message: &str| SyntaxFault::invalid(at..at + 1, message);
    if !text[start..at].contains(['\n', '\r']) {
        return fault("unexpected `:`, no key can end here")
            .help("put a text that has `: ` in it in quotes");
    }
    let line = memchr::memrchr2(b'\n', b'\r', &text.as_bytes()[..start]).map_or(0, |i| i + 1);
    if text[line..start].trim_start_matches([' ', '-']).is_empty() {
        fault("a key starts on an earlier line").help("add a space after the colon of a key")
    } else {
        fault("unexpected key in a value of several lines").help(SIBLINGS)
    }
}

/// A list or a map that is a key.
pub(super) fn collection_as_key(at: usize) -> SyntaxFault {
    SyntaxFault::invalid(at..at + 1, "a key must be text").help(QUOTE)
}

/// A line in the column of a list's entries that is not an entry.
pub(super) fn entry_expected(at: usize) -> SyntaxFault {
    SyntaxFault::invalid(at..at + 1, "expected `- `")
        .help("entries of one list start in the same column")
}

/// A text behind a complete value that belongs to nothing; the value is before the range.
pub(super) fn left_over(text: &str, range: Range<usize>) -> SyntaxFault {
    let at = range.end;
    let place = at..at + word(text, at).len();
    let between = text.get(range.clone()).unwrap_or_default();
    if between.contains(['\n', '\r']) {
        return SyntaxFault::invalid(
            place,
            "the indentation of this line matches no previous line",
        )
        .help(SIBLINGS);
    }
    let message = match text[..range.start].chars().next_back() {
        Some('"' | '\'') => "text follows the closing quote",
        Some(']' | '}') => "text follows the closing bracket",
        Some(_) | None => "text follows a complete value",
    };
    SyntaxFault::invalid(place, message).help("put the entire value in quotes")
}

/// A quote that is never closed.
pub(super) fn unclosed_quote(at: usize) -> SyntaxFault {
    SyntaxFault::invalid(at..at + 1, "this quote is never closed")
        .help("close it, or double a quote that is part of the text")
}

/// A document marker within quotes.
pub(super) fn marker_in_quotes(at: usize) -> SyntaxFault {
    SyntaxFault::invalid(at..at + 3, "document marker in a quoted text")
        .help("close the quotes, or indent the text")
}

/// An unknown escape.
pub(super) fn unknown_escape(code: char, range: Range<usize>) -> SyntaxFault {
    let fault = SyntaxFault::invalid(range, format!("unknown escape `\\{}`", code.escape_debug()))
        .redacted("unknown escape");
    // JSON and YAML 1.2 have `\/`, YAML 1.1 does not.
    if code == '/' {
        fault.help("write `/` alone")
    } else {
        fault.help("double the backslash, or use single quotes, which have no escapes")
    }
}

/// An escape with too few digits.
pub(super) fn short_escape(digits: usize, range: Range<usize>) -> SyntaxFault {
    SyntaxFault::invalid(
        range,
        format!("this escape requires {digits} hexadecimal digits"),
    )
}

/// An escape for half of a pair, or beyond Unicode.
pub(super) fn no_character(value: u32, range: Range<usize>) -> SyntaxFault {
    let fault = SyntaxFault::invalid(
        range,
        format!("the escape U+{value:04X} is not a character"),
    )
    .redacted("this escape is not a character");
    // Up to U+FFFF, only halves of a surrogate pair, as JSON writes them, are no characters.
    if value <= 0xffff {
        fault.help("write the character itself, or one `\\U` escape of eight digits")
    } else {
        fault
    }
}

/// The line of a `|` or `>` with something that cannot be there.
pub(super) fn block_header(at: usize) -> SyntaxFault {
    let message =
        "after `|` or `>`, the line can only contain `+`, `-`, a digit from 1 to 9 and a comment";
    SyntaxFault::invalid(at..at + 1, message).help("start the text on the next line")
}

/// A bracket that is never closed.
pub(super) fn unclosed_bracket(text: &str, at: usize) -> SyntaxFault {
    SyntaxFault::invalid(
        at..at + 1,
        format!("this `{}` is never closed", character(text, at)),
    )
}

/// Anything but a comma between the values in brackets, which were opened at `start`.
pub(super) fn separator(text: &str, start: usize, at: usize, byte: u8) -> SyntaxFault {
    let (open, close) = if text[start..].starts_with('{') {
        ('{', '}')
    } else {
        ('[', ']')
    };
    match byte {
        b']' | b'}' => SyntaxFault::invalid(
            at..at + 1,
            format!("`{}` closes what `{open}` opened", char::from(byte)),
        ),
        b'?' => SyntaxFault::invalid(at..at + 1, "`?` is not allowed in brackets").help(QUOTE),
        _ => SyntaxFault::invalid(
            at..at + word(text, at).len(),
            format!("`,` or `{close}` is missing here"),
        )
        .help(match text[start..at].contains('\n') {
            true => "close the bracket that an earlier line opens",
            false => "add it, or put the text in quotes",
        }),
    }
}
