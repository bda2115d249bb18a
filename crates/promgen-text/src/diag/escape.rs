//! Escapes text in the input for output formats.
//!
//! In: names, messages, addresses: anything that a manifest or a file name may hold. Out: the same in a form in which it
//! cannot move a cursor, begin a line, end its cell, or speak to the program that reads the output. One function for each
//! medium, which all writers use; XML has [`xml`](crate::diag::format::xml), and workflow commands have theirs beside what
//! writes them.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io;

use serde::Serialize;

use crate::go::quote::quote;

/// Returns whether a text has what a runner of CI takes for a command anywhere in a line: `##[` of GitHub Actions,
/// `##vso[` of Azure Pipelines, and what other agents may have between the two.
pub fn has_mark(text: &str) -> bool {
    mark_in(text, 0).is_some()
}

/// The start of a mark, from a place of the text on.
fn mark_in(text: &str, from: usize) -> Option<usize> {
    let found = |(at, _): (usize, &str)| {
        let behind = text[from + at + 2..].trim_start_matches(|c: char| c.is_ascii_alphabetic());
        behind.starts_with('[').then_some(from + at)
    };
    // The last two of three begin a mark, too.
    let pairs = text[from..]
        .match_indices('#')
        .filter(|(at, _)| text[from + at..].starts_with("##"));
    pairs.map(|(at, _)| (at, "##")).find_map(found)
}

/// A text with something else in the place of the `##` of each mark.
pub(crate) fn without_marks<'t>(text: Cow<'t, str>, instead: &str) -> Cow<'t, str> {
    let Some(mut at) = mark_in(&text, 0) else {
        return text;
    };
    let (mut out, mut done) = (String::with_capacity(text.len() + 16), 0);
    loop {
        out.push_str(&text[done..at]);
        out.push_str(instead);
        done = at + 2;
        match mark_in(&text, done) {
            Some(next) => at = next,
            None => break,
        }
    }
    out.push_str(&text[done..]);
    Cow::Owned(out)
}

/// The text in the place of `##` in text for people.
pub(crate) const BROKEN: &str = "## ";

/// The text in the place of `##` in markup: the same to its readers.
pub(crate) const BROKEN_MARKUP: &str = "#&#35;";

/// The characters above U+009F that nobody sees, or that change what is seen around them: the categories Cf, Zl and Zp of
/// Unicode, and two that XML and YAML do not allow. Sorted.
const UNSEEN: [(char, char); 22] = [
    ('\u{ad}', '\u{ad}'),
    ('\u{600}', '\u{605}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{6dd}', '\u{6dd}'),
    ('\u{70f}', '\u{70f}'),
    ('\u{890}', '\u{891}'),
    ('\u{8e2}', '\u{8e2}'),
    ('\u{180e}', '\u{180e}'),
    ('\u{200b}', '\u{200f}'),
    ('\u{2028}', '\u{202e}'),
    ('\u{2060}', '\u{2064}'),
    ('\u{2066}', '\u{206f}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{fff9}', '\u{fffb}'),
    ('\u{fffe}', '\u{ffff}'),
    ('\u{110bd}', '\u{110bd}'),
    ('\u{110cd}', '\u{110cd}'),
    ('\u{13430}', '\u{1343f}'),
    ('\u{1bca0}', '\u{1bca3}'),
    ('\u{1d173}', '\u{1d17a}'),
    ('\u{e0001}', '\u{e0001}'),
    ('\u{e0020}', '\u{e007f}'),
];

/// Returns whether a character controls a terminal, ends a line for some readers, is invisible, or changes the order of
/// text.
#[must_use]
pub fn steers(c: char) -> bool {
    match c {
        ' '..='~' => false,
        ..='\u{9f}' => true,
        c => {
            let following = UNSEEN.partition_point(|(_, last)| *last < c);
            UNSEEN.get(following).is_some_and(|(first, _)| *first <= c)
        }
    }
}

/// The visible replacement for a character that [`steers`]. `None` for all others.
#[must_use]
pub fn replacement(c: char) -> Option<char> {
    match c {
        '\u{0}'..='\u{1f}' => char::from_u32(u32::from(c) + 0x2400),
        '\u{7f}' => Some('\u{2421}'),
        c => steers(c).then_some(char::REPLACEMENT_CHARACTER),
    }
}

/// What stands for a character: itself, or its replacement.
pub(super) fn harmless(c: char) -> char {
    replacement(c).unwrap_or(c)
}

/// Text for a terminal or a log, on one line. Line breaks and tabs become blanks. A text that would begin a workflow command
/// is quoted.
#[must_use]
pub fn line(text: &str) -> String {
    let shown: String = text
        .chars()
        .map(|c| match c {
            '\n' | '\t' => ' ',
            c => harmless(c),
        })
        .collect();
    let shown = without_marks(shown.into(), BROKEN).into_owned();
    if shown.trim_start().starts_with("::") {
        quote(&shown)
    } else {
        shown
    }
}

/// Text for an editor, which shows it as it is, and keeps its line breaks and tabs.
#[must_use]
pub fn shown(text: &str) -> String {
    let shown = |c: char| {
        if matches!(c, '\n' | '\t') {
            c
        } else {
            harmless(c)
        }
    };
    text.chars().map(shown).collect()
}

/// Text for a terminal or a log that keeps its line breaks. None of its lines begins a workflow command.
#[must_use]
pub fn lines(text: &str) -> String {
    // The blanks in front are part of the layout.
    let indented = |text: &str| {
        let body = text.trim_start_matches(' ');
        [&text[..text.len() - body.len()], &line(body)].concat()
    };
    text.split('\n')
        .map(indented)
        .collect::<Vec<_>>()
        .join("\n")
}

/// Returns whether a text can be printed as it is, over as many lines as it has or gets.
#[must_use]
pub fn is_harmless(text: &str) -> bool {
    let is_command = |word: &str| word.starts_with("::") || has_mark(word);
    !text.contains(|c: char| steers(c) && !matches!(c, '\n' | '\t'))
        && !text.split_whitespace().any(is_command)
}

/// A text in double quotes, for people and for readers of YAML, to whom it is the same text.
#[must_use]
pub fn yaml(text: &str) -> String {
    without_marks(quote(text).into(), r"\x23#").into_owned()
}

/// A line of a patch, with its sign and its end. What would apply as it is stays, such as a tab.
#[must_use]
pub fn patch(line: &str) -> String {
    let content = line.trim_end_matches(['\r', '\n']);
    let shown: String = content
        .chars()
        .map(|c| if c == '\t' { c } else { harmless(c) })
        .collect();
    let shown = without_marks(shown.into(), BROKEN);
    let is_command = shown.trim_start().starts_with("::");
    let shown = if is_command {
        quote(&shown)
    } else {
        shown.into_owned()
    };
    shown + &line[content.len()..]
}

/// A cell of comma-separated values. What a spreadsheet would take for a formula becomes text.
#[must_use]
pub fn csv(cell: &str) -> String {
    let cell = line(cell);
    let is_formula =
        cell.trim_start().starts_with(['=', '+', '-', '@']) && cell.parse::<f64>().is_err();
    let cell = if is_formula { format!("'{cell}") } else { cell };
    if cell.contains(['"', ',']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell
    }
}

/// Text within the quotes of a Mermaid diagram. All that could be markup becomes an entity.
#[must_use]
pub fn mermaid(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in line(text).chars() {
        match c {
            '"' => out.push_str("#quot;"),
            c if c.is_alphanumeric() || matches!(c, ' ' | '/' | '.' | ':' | '-' | '_' | ',') => {
                out.push(c)
            }
            c => write!(out, "#{};", u32::from(c)).expect("a string takes every character"),
        }
    }
    out
}

/// Text of an HTML page, or within the quotes of an attribute.
#[must_use]
pub fn html(text: &str) -> Cow<'_, str> {
    let is_plain = |c: char| !matches!(c, '&' | '<' | '>' | '"' | '\'') && replacement(c).is_none();
    if text.chars().all(is_plain) && !has_mark(text) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#x27;"),
            '\n' | '\t' => out.push(' '),
            c => out.push(harmless(c)),
        }
    }
    without_marks(out.into(), BROKEN_MARKUP)
}

/// Serialized JSON in which nothing steers: what does is written as an escape, which decodes to the same text.
#[must_use]
pub fn json(text: &str) -> Cow<'_, str> {
    escaped_json(text, |c| steers(c) && c != '\n')
}

/// Serialized JSON of a manifest, which readers of YAML take, too. To these, two escapes are no character above U+FFFF, so
/// that such a character stays.
#[must_use]
pub fn json_manifest(text: &str) -> Cow<'_, str> {
    escaped_json(text, |c| steers(c) && c != '\n' && c <= '\u{ffff}')
}

/// Only texts of JSON hold other characters than those of ASCII, so that an escape may stand for each.
fn escaped_json(text: &str, is_escaped: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_escaped) {
        return without_marks(Cow::Borrowed(text), JSON_BROKEN);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_escaped(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(out, "\\u{unit:04x}").expect("a string takes every character");
            }
        } else {
            out.push(c);
        }
    }
    without_marks(out.into(), JSON_BROKEN)
}

/// The text in the place of `##` in a text of JSON, and of YAML: the same to their readers.
const JSON_BROKEN: &str = "\\u0023#";

/// Writes a value as JSON, an entry or item a line, with one final line break.
///
/// # Errors
/// The error of the writer.
pub fn write_json<T: Serialize + ?Sized>(value: &T, out: &mut dyn io::Write) -> io::Result<()> {
    write_json_as(json, value, out)
}

/// Writes a manifest as JSON, for readers of YAML, too.
///
/// # Errors
/// The error of the writer.
pub fn write_json_manifest<T: Serialize + ?Sized>(
    value: &T,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    write_json_as(json_manifest, value, out)
}

fn write_json_as<T: Serialize + ?Sized>(
    escape: fn(&str) -> Cow<'_, str>,
    value: &T,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    serde_json::to_writer_pretty(EscapedJson { out, escape }, value)?;
    out.write_all(b"\n")
}

/// A writer for what a serializer writes, which is a piece of text each time.
struct EscapedJson<'w> {
    out: &'w mut dyn io::Write,
    escape: fn(&str) -> Cow<'_, str>,
}

impl io::Write for EscapedJson<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = std::str::from_utf8(bytes).map_err(io::Error::other)?;
        self.out.write_all((self.escape)(text).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Text in a line or a cell of Markdown, in which nothing is markup, a link or a mention. Line breaks are kept.
#[must_use]
pub fn markdown(text: &str) -> String {
    marked_down(text, |c, before, out| match c {
        '&' => out.push_str("&amp;"),
        '<' => out.push_str("&lt;"),
        '(' if before.ends_with(']') => out.push_str("\\("),
        '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '$' | '#' => {
            out.push('\\');
            out.push(c);
        }
        c => out.push(c),
    })
}

/// Text in an element of HTML within Markdown, or in a line that must not depend on whether it is: what could be markup of
/// either becomes an entity.
#[must_use]
pub fn markdown_html(text: &str) -> String {
    marked_down(text, |c, _, out| match c {
        '&' => out.push_str("&amp;"),
        '<' => out.push_str("&lt;"),
        '>' => out.push_str("&gt;"),
        '#' | '*' | '_' | '`' | '[' | ']' | '|' | '~' | '$' | '\\' => {
            write!(out, "&#{};", u32::from(c)).expect("a string takes every character");
        }
        c => out.push(c),
    })
}

/// Text as code in a line or a cell of Markdown. Code cannot be escaped: what would end it, or be more than code to
/// some readers, is in an element of HTML.
#[must_use]
pub fn markdown_code(text: &str) -> String {
    let is_plain = |c: char| !steers(c) && !matches!(c, '`' | '|' | '<' | '&' | '[' | '@' | '#');
    if text.chars().all(is_plain) && !text.is_empty() {
        format!("`{text}`")
    } else {
        format!("<code>{}</code>", markdown_html(text))
    }
}

/// What stands between two characters that together would be a link or a mention. Entities do not help: GitHub looks for
/// both in the text that it has rendered.
const BREAK: &str = "<!-- -->";

fn marked_down(text: &str, escape: impl Fn(char, &str, &mut String)) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for (at, c) in text.char_indices() {
        match c {
            '\n' => out.push_str("<br>"),
            c => escape(harmless(c), &text[..at], &mut out),
        }
        let (before, behind) = text.split_at(at + c.len_utf8());
        if would_link(before, behind) {
            out.push_str(BREAK);
        }
    }
    out
}

/// Returns whether the end of a text and what follows it are within a user, an issue, a URL with a scheme, or a host.
fn would_link(before: &str, behind: &str) -> bool {
    let is_host = |text: &str| {
        text.len() >= 3 && text.as_bytes()[text.len() - 3..].eq_ignore_ascii_case(b"www")
    };
    match behind.chars().next() {
        Some('/') => before.ends_with(':'),
        Some('.') => is_host(before),
        Some(c) => {
            before.ends_with('@') && c.is_alphanumeric()
                || before.ends_with('#') && c.is_ascii_digit()
        }
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_steers_a_terminal_or_a_runner() {
        assert_eq!(
            line("a\nb\tc\r\u{1b}[2J\u{7f}\u{9b}\u{202e}é"),
            "a b c␍␛[2J␡\u{fffd}\u{fffd}é"
        );
        assert_eq!(line(" \n::stop-commands::x"), "\"  ::stop-commands::x\"");
        assert_eq!(
            line("\u{200b}a\u{2028}b\u{ad}\u{e0041}"),
            "\u{fffd}a\u{fffd}b\u{fffd}\u{fffd}"
        );
        assert_eq!(line("a ##[group]b"), "a ## [group]b");
        assert_eq!(lines("a\n  b\n  ::error::c"), "a\n  b\n  \"::error::c\"");
        assert!(
            is_harmless("a: b\n\tc")
                && !is_harmless("a\n ::b")
                && !is_harmless("a##[b")
                && !is_harmless("\u{ad}")
        );
        assert_eq!(
            yaml("a\n::b\u{2028}##[\u{e0041}\""),
            r#""a\n::b\u2028\x23#[\U000e0041\"""#
        );
        assert_eq!(patch("+\ta\u{85}\r\n"), "+\ta\u{fffd}\r\n");
        assert!(
            is_harmless("a: b\n\tc")
                && !is_harmless("a\n ::b")
                && !is_harmless("a##[b")
                && !is_harmless("\u{ad}")
        );
        assert_eq!(patch(" ::error::x\n"), "\" ::error::x\"\n");
    }

    #[test]
    fn no_agent_reads_a_command() {
        assert_eq!(
            line("a ##vso[task.x]b ###[c ##d [ ##é["),
            "a ## vso[task.x]b ### [c ##d [ ##é["
        );
        assert_eq!(line("##[a##vso[b"), "## [a## vso[b");
        assert!(!is_harmless("a##vso[b") && is_harmless("## a [b] # c"));
        assert_eq!(yaml("##vso[a.b]"), r##""\x23#vso[a.b]""##);
        assert_eq!(html("##vso[a.b]"), "#&#35;vso[a.b]");
        assert_eq!(patch("+ ##vso[a]\n"), "+ ## vso[a]\n");
        for write in [write_json::<[&str]>, write_json_manifest] {
            let mut out = Vec::new();
            write(&["##vso[a.b]\u{7f}##["], &mut out).unwrap();
            let text = String::from_utf8(out).unwrap();
            assert!(!has_mark(&text), "{text}");
            assert_eq!(
                serde_json::from_str::<[String; 1]>(&text).unwrap(),
                ["##vso[a.b]\u{7f}##["]
            );
        }
    }

    #[test]
    fn what_steers_is_what_unicode_says() {
        let class = regex::Regex::new(r"\A[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\x{FFFE}\x{FFFF}]\z").unwrap();
        let differing =
            ('\0'..=char::MAX).find(|c| steers(*c) != class.is_match(c.encode_utf8(&mut [0; 4])));
        assert_eq!(
            differing.map(char::escape_unicode).map(|c| c.to_string()),
            None
        );
        assert!(UNSEEN.is_sorted());
    }

    #[test]
    fn a_cell_is_text() {
        for (cell, expected) in [
            ("a b", "a b"),
            ("a,\"b\"", "\"a,\"\"b\"\"\""),
            ("=1+1", "'=1+1"),
            ("\t@a", "' @a"),
            ("-1.5", "-1.5"),
            ("a\nb", "a b"),
        ] {
            assert_eq!(csv(cell), expected, "{cell:?}");
        }
    }

    #[test]
    fn markup_is_text() {
        assert_eq!(mermaid("Prometheus/a/b-0.c"), "Prometheus/a/b-0.c");
        assert_eq!(
            mermaid("a\"]\n%% `b` <c> #d;"),
            "a#quot;#93; #37;#37; #96;b#96; #60;c#62; #35;d#59;"
        );
        assert_eq!(html("</script>\u{1b}\n'"), "&lt;/script&gt;␛ &#x27;");
        assert!(matches!(html("plain ä"), Cow::Borrowed(_)));
    }

    #[test]
    fn nothing_in_markdown_is_markup_a_link_or_a_mention() {
        assert_eq!(
            markdown("a|b *c* <d>\n\u{200b}"),
            "a\\|b \\*c\\* &lt;d><br>\u{fffd}"
        );
        assert_eq!(
            markdown("@me #1 a@b.c # @ #x"),
            "@<!-- -->me \\#<!-- -->1 a@<!-- -->b.c \\# @ \\#x"
        );
        assert_eq!(markdown("[a](b) (c)"), "\\[a\\]\\(b) (c)");
        assert_eq!(
            markdown("https://a.b WWW.a.b ww.a"),
            "https:<!-- -->//a.b WWW<!-- -->.a.b ww.a"
        );
        assert_eq!(
            markdown_html("[a](b) @me #1"),
            "&#91;a&#93;(b) @<!-- -->me &#35;<!-- -->1"
        );
        assert_eq!(markdown_code("a b_c.yaml:1:2"), "`a b_c.yaml:1:2`");
        assert_eq!(
            markdown_code("a`<b>|"),
            "<code>a&#96;&lt;b&gt;&#124;</code>"
        );
        assert_eq!(markdown_code("a\u{9b}"), "<code>a\u{fffd}</code>");
    }

    #[test]
    fn json_decodes_to_the_same_text() {
        let evil = "\u{0}\u{7f}\u{85}\u{9b}\u{2028}\u{202e}\u{feff}\u{e0041}é\"\\";
        for write in [write_json::<[&str]>, write_json_manifest] {
            let mut out = Vec::new();
            write(&[evil], &mut out).unwrap();
            let text = String::from_utf8(out).unwrap();
            assert_eq!(serde_json::from_str::<[String; 1]>(&text).unwrap(), [evil]);
            assert!(
                text.contains("\\u007f\\u0085\\u009b\\u2028\\u202e\\ufeff")
                    && text.ends_with("\n]\n"),
                "{text}"
            );
        }
        assert_eq!(json("[\"\u{e0041}\"]\n"), "[\"\\udb40\\udc41\"]\n");
        assert!(matches!(
            json_manifest("[\"\u{e0041}\"]\n"),
            Cow::Borrowed(_)
        ));
    }
}
