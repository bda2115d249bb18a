//! Findings as text for people, like rustc.
//!
//! In: findings whose places are resolved to spans, and the texts that they point into. Out: text, with the escape
//! sequences of a terminal if colors are enabled. Nothing in the input reaches a terminal as a control character.

use std::borrow::Cow;
use std::ops::Range;

use annotate_snippets::{Annotation, AnnotationKind, Element, Group, Origin, Renderer, Snippet};

use crate::diag::escape::{self, line as printable};
use crate::diag::{Diagnostic, Level};
use crate::source::{Position, SourceFile, Sources, Span};

/// The style of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Whether to use colors.
    pub color: bool,
    /// Columns to use. Longer lines of the source are cropped.
    pub width: usize,
    /// An info is one line.
    pub shortens_infos: bool,
}

impl Default for Style {
    /// Without colors, for 100 columns.
    fn default() -> Self {
        Self {
            color: false,
            width: 100,
            shortens_infos: false,
        }
    }
}

/// Longest line of a source that is shown: laying out a line costs time and memory in proportion to it.
pub(crate) const MAX_LINE: usize = 16 << 10;

/// Largest distance in lines at which another place of the same file is shown in the same piece of source.
const MAX_DISTANCE: usize = 400;

/// One finding, with the line break that ends it.
#[must_use]
pub fn render(diagnostic: &Diagnostic, sources: &Sources, style: Style) -> String {
    let message = printable(&diagnostic.message);
    let title = annotate_level(diagnostic.level)
        .primary_title(message)
        .id(&*diagnostic.rule.code);
    let mut group = Group::with_title(title);
    group = group.elements(source_elements(diagnostic, sources));
    group = group.elements(notes(diagnostic));
    let renderer = if style.color {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    let mut text = renderer.term_width(style.width).render(&[group]);
    text.push('\n');
    text
}

/// One finding as a line, with the line break that ends it.
#[must_use]
pub fn line(diagnostic: &Diagnostic, sources: &Sources, style: Style) -> String {
    let place = diagnostic.span.map(|span| {
        let Position { line, column } = sources.start(span);
        format!(
            " ({}:{line}:{column})",
            printable(&sources.file(span.file).name)
        )
    });
    let title = annotate_level(diagnostic.level)
        .primary_title(printable(&diagnostic.message))
        .id(&*diagnostic.rule.code);
    let renderer = if style.color {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    // The title alone is never cropped.
    format!(
        "{}{}\n",
        renderer.render(&[Group::with_title(title)]),
        place.unwrap_or_default()
    )
}

/// One finding without its source, other places and colors, with the line break that ends it.
#[must_use]
pub fn brief(diagnostic: &Diagnostic, sources: &Sources) -> String {
    let mut text = format!(
        "{}[{}]: {}\n",
        diagnostic.level,
        diagnostic.rule.code,
        printable(&diagnostic.message)
    );
    if let Some(span) = diagnostic.span {
        let Position { line, column } = sources.start(span);
        text.push_str(&format!(
            " --> {}:{line}:{column}\n",
            printable(&sources.file(span.file).name)
        ));
    }
    for help in &diagnostic.help {
        text.push_str(&format!("  = help: {}\n", printable(help)));
    }
    text
}

const fn annotate_level(level: Level) -> annotate_snippets::Level<'static> {
    match level {
        Level::Info => annotate_snippets::Level::INFO,
        Level::Warning => annotate_snippets::Level::WARNING,
        Level::Error => annotate_snippets::Level::ERROR,
    }
}

/// Advice, and the resource of a finding without a place.
fn notes(diagnostic: &Diagnostic) -> Vec<Element<'static>> {
    let message =
        |level: annotate_snippets::Level<'static>, text: String| Element::from(level.message(text));
    let mut notes = Vec::new();
    if diagnostic.span.is_none() {
        let resource = diagnostic
            .resource
            .iter()
            .map(|resource| format!("in {resource}"));
        let related = diagnostic.related.iter().map(|(_, text)| text.clone());
        let texts = resource.chain(diagnostic.label.clone()).chain(related);
        notes.extend(texts.map(|text| message(annotate_snippets::Level::NOTE, printable(&text))));
    }
    // Advice may have several lines of its own.
    notes.extend(
        diagnostic
            .help
            .iter()
            .map(|help| message(annotate_snippets::Level::HELP, escape::lines(help))),
    );
    notes
}

/// A marked piece of a line.
struct Highlight<'d> {
    kind: AnnotationKind,
    /// Bytes of the file, within one line.
    range: Range<usize>,
    line: usize,
    label: Option<&'d str>,
}

impl<'d> Highlight<'d> {
    /// Marks the part of a span that stands on its first line.
    fn new(file: &SourceFile, span: Span, kind: AnnotationKind, label: Option<&'d str>) -> Self {
        let (start, end) = (
            char_boundary(&file.text, span.start),
            char_boundary(&file.text, span.end),
        );
        let line = file.line_of(u32::try_from(start).unwrap_or(u32::MAX));
        let content = file.text[file.line_range(line)].trim_end_matches(['\n', '\r']);
        let content_end = file.line_range(line).start + content.len();
        let end = if end > content_end {
            file.text[..content_end].trim_end().len()
        } else {
            end
        };
        Self {
            kind,
            range: start..end.max(start),
            line,
            label,
        }
    }

    fn annotation(&self, offset: usize) -> Annotation<'d> {
        let annotation = self
            .kind
            .span(self.range.start - offset..self.range.end - offset);
        annotation.label(self.label.map(printable))
    }
}

/// The start of the character that holds that byte, or the end of the text.
fn char_boundary(text: &str, offset: u32) -> usize {
    let offset = (offset as usize).min(text.len());
    (0..=offset)
        .rev()
        .find(|i| text.is_char_boundary(*i))
        .unwrap_or(0)
}

/// The places of a finding, the pieces of source around them included.
fn source_elements<'a>(diagnostic: &'a Diagnostic, sources: &'a Sources) -> Vec<Element<'a>> {
    let Some(span) = diagnostic.span else {
        return Vec::new();
    };
    let file = sources.file(span.file);
    let primary = Highlight::new(
        file,
        span,
        AnnotationKind::Primary,
        diagnostic.label.as_deref(),
    );
    let related = diagnostic.related_spans.iter().zip(&diagnostic.related);
    if diagnostic.is_hidden {
        let marks = related.map(|(span, (_, text))| {
            let file = sources.file(span.file);
            (
                file,
                Highlight::new(file, *span, AnnotationKind::Context, Some(text)),
            )
        });
        return std::iter::once((file, primary))
            .chain(marks)
            .flat_map(|(file, mark)| origin(file, &mark))
            .collect();
    }
    let mut same_piece = vec![primary];
    let mut elements = Vec::new();
    for (place, (_, text)) in related {
        let other = sources.file(place.file);
        let mark = Highlight::new(other, *place, AnnotationKind::Context, Some(text));
        if place.file == span.file && mark.line.abs_diff(same_piece[0].line) <= MAX_DISTANCE {
            same_piece.push(mark);
        } else {
            elements.extend(piece(other, &[mark]));
        }
    }
    let mut all = piece(file, &same_piece);
    all.append(&mut elements);
    all
}

/// A piece of a file that holds all the marks.
fn piece<'a>(file: &'a SourceFile, marks: &[Highlight<'a>]) -> Vec<Element<'a>> {
    let lines = marks.iter().map(|m| m.line);
    let (first, last) = (lines.clone().min().unwrap_or(1), lines.max().unwrap_or(1));
    if (first..=last).any(|line| file.line_range(line).len() > MAX_LINE) {
        return marks.iter().flat_map(|mark| origin(file, mark)).collect();
    }
    let range = file.line_range(first).start..file.line_range(last).end;
    let snippet = Snippet::source(source_text(&file.text[range.clone()]))
        .path(printable(&file.name))
        .line_start(first)
        .annotations(marks.iter().map(|m| m.annotation(range.start)));
    vec![snippet.into()]
}

/// A place without its source.
fn origin<'a>(file: &'a SourceFile, mark: &Highlight<'a>) -> Vec<Element<'a>> {
    let before = &file.text[file.line_range(mark.line).start..mark.range.start];
    let origin = Origin::path(printable(&file.name))
        .line(mark.line)
        .char_column(before.chars().count() + 1);
    let label = mark.label.map(|label| {
        annotate_snippets::Level::NOTE
            .message(printable(label))
            .into()
    });
    std::iter::once(origin.into()).chain(label).collect()
}

/// Source without what annotate-snippets lets through: some control characters, and what a runner takes for a command
/// anywhere in a line. The replacement is as long in bytes, so that spans stay true.
fn source_text(text: &str) -> Cow<'_, str> {
    let steers = |c: char| !c.is_ascii() && escape::steers(c);
    if !text.contains(steers) && !escape::has_mark(text) {
        return Cow::Borrowed(text);
    }
    let harmless = |c: char| match c.len_utf8() {
        _ if !steers(c) => c,
        2 => '¿',
        3 => char::REPLACEMENT_CHARACTER,
        _ => '\u{1fbc4}',
    };
    escape::without_marks(text.chars().map(harmless).collect::<String>().into(), "# ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::{Subject, rules};
    use crate::source::FileId;

    rules! {
        /// For tests.
        RULE = "PG999" "test-rule" Warning: "a test";
    }

    fn finding(text: &str, marked: &str) -> (Diagnostic, Sources) {
        let mut sources = Sources::default();
        let file = sources.add("prometheus.yaml".into(), text.into());
        let mut diagnostic = Diagnostic::placeless(&RULE, "shard 9 is idle");
        diagnostic.span = Some(span(file, text, marked));
        (diagnostic, sources)
    }

    fn span(file: FileId, text: &str, marked: &str) -> Span {
        let start = text.find(marked).unwrap();
        Span::new(
            file,
            u32::try_from(start).unwrap(),
            u32::try_from(start + marked.len()).unwrap(),
        )
    }

    fn relate(diagnostic: &mut Diagnostic, span: Span, text: &str) {
        diagnostic.related.push((span.into(), text.to_owned()));
        diagnostic.related_spans.push(span);
    }

    #[test]
    fn a_line_ends_with_the_place() {
        let (mut diagnostic, sources) = finding("spec:\n  shards: 10\n", "10");
        diagnostic.message = "shard 9 is\u{1b}[31m idle, as are others ".repeat(5);
        let line = line(
            &diagnostic,
            &sources,
            Style {
                width: 40,
                ..Style::default()
            },
        );
        assert!(line.starts_with("warning[PG999]: shard 9 is"), "{line}");
        assert!(line.ends_with("(prometheus.yaml:2:11)\n"), "{line}");
        assert_eq!(
            (line.lines().count(), line.contains('\u{1b}')),
            (1, false),
            "{line}"
        );
    }

    #[test]
    fn looks_like_a_finding_of_rustc() {
        let (diagnostic, sources) = finding("spec:\n  shards: 10\n", "10");
        let diagnostic = diagnostic
            .label("10 shards over 3 zones")
            .help("use a multiple of the number of zones");
        insta::assert_snapshot!(render(&diagnostic, &sources, Style::default()), @r#"
        warning[PG999]: shard 9 is idle
         --> prometheus.yaml:2:11
          |
        2 |   shards: 10
          |           ^^ 10 shards over 3 zones
          |
          = help: use a multiple of the number of zones
        "#);
    }

    #[test]
    fn a_brief_finding_has_its_place_and_advice() {
        let (diagnostic, sources) = finding("spec:\n  shards: 10\n", "10");
        let diagnostic = diagnostic
            .label("10 shards over 3 zones")
            .help("use fewer\u{1b}");
        insta::assert_snapshot!(brief(&diagnostic, &sources), @r#"
        warning[PG999]: shard 9 is idle
         --> prometheus.yaml:2:11
          = help: use fewer␛
        "#);
    }

    #[test]
    fn related_places_are_shown_in_the_same_piece_or_their_own() {
        let text = "spec:\n  shards: 10\n  paused: false\n  replicas: 1\n  a: b\n  version: v3\n";
        let (mut diagnostic, mut sources) = finding(text, "10");
        let file = diagnostic.span.unwrap().file;
        relate(&mut diagnostic, span(file, text, "v3"), "the version");
        let other = sources.add("zones.yaml".into(), "zones: [a, b]\n".into());
        relate(
            &mut diagnostic,
            span(other, "zones: [a, b]\n", "[a, b]"),
            "the zones",
        );
        insta::assert_snapshot!(render(&diagnostic, &sources, Style::default()), @r#"
        warning[PG999]: shard 9 is idle
         --> prometheus.yaml:2:11
          |
        2 |   shards: 10
          |           ^^
        ...
        6 |   version: v3
          |            -- the version
          |
         ::: zones.yaml:1:8
          |
        1 | zones: [a, b]
          |        ------ the zones
        "#);
    }

    #[test]
    fn a_span_of_many_lines_marks_the_first() {
        let (diagnostic, sources) = finding("spec:\r\n  a: 1  \r\n  b: 2\r\n", "a: 1  \r\n  b: 2");
        insta::assert_snapshot!(render(&diagnostic, &sources, Style::default()), @r#"
        warning[PG999]: shard 9 is idle
         --> prometheus.yaml:2:3
          |
        2 |   a: 1  
          |   ^^^^
        "#);
    }

    #[test]
    fn without_a_place_the_resource_is_named() {
        let mut diagnostic = Diagnostic::placeless(&RULE, "nothing selects it")
            .label("why")
            .help("do\nsomething");
        let subject = Subject {
            kind: "ServiceMonitor",
            namespace: "default".into(),
            name: "app".into(),
        };
        diagnostic.resource = Some(subject);
        insta::assert_snapshot!(render(&diagnostic, &Sources::default(), Style::default()), @r#"
        warning[PG999]: nothing selects it
         |
         = note: in ServiceMonitor/default/app
         = note: why
         = help: do
                 something
        "#);
    }

    #[test]
    fn long_lines_are_cropped_and_very_long_ones_left_out() {
        let text = format!(
            "{{\"a\": \"{}\", \"b\": 1, \"c\": \"{}\"}}",
            "x".repeat(400),
            "y".repeat(400)
        );
        let (diagnostic, sources) = finding(&text, "1,");
        let diagnostic = diagnostic.label("here");
        insta::assert_snapshot!(render(&diagnostic, &sources, Style::default()), @r#"
        warning[PG999]: shard 9 is idle
         --> prometheus.yaml:1:416
          |
        1 | ...xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "b": 1, "c": "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy...
          |                                             ^^ here
        "#);

        let text = text.replace("xx", &"x".repeat(1000));
        let (diagnostic, sources) = finding(&text, "1,");
        let diagnostic = diagnostic.label("here").help("break the line");
        insta::assert_snapshot!(render(&diagnostic, &sources, Style::default()), @r#"
        warning[PG999]: shard 9 is idle
        --> prometheus.yaml:1:200016
         = note: here
         = help: break the line
        "#);
    }

    #[test]
    fn no_control_character_reaches_the_terminal() {
        let evil = "\u{1b}[31m\u{9b}31m\u{202e}\u{7}\r\u{8}\u{2028}\u{ad}\u{200b}\u{e0041}";
        let steers = |c: char| escape::steers(c) && c != '\n';
        let text = format!("a: {evil}x\n");
        let mut sources = Sources::default();
        let file = sources.add(format!("{evil}.yaml"), text.clone());
        let mut diagnostic = Diagnostic::placeless(&RULE, evil).label(evil).help(evil);
        diagnostic.span = Some(span(file, &text, "x"));
        let rendered = render(&diagnostic, &sources, Style::default());
        assert!(!rendered.contains(steers), "{rendered:?}");

        let mut diagnostic = Diagnostic::placeless(&RULE, evil).label(evil).help(evil);
        diagnostic.resource = Some(Subject {
            kind: "Pod",
            namespace: evil.to_owned(),
            name: evil.to_owned(),
        });
        let rendered = render(&diagnostic, &sources, Style::default());
        assert!(!rendered.contains(steers), "{rendered:?}");
    }

    #[test]
    fn places_at_and_past_the_end_do_no_harm() {
        for text in ["", "a: 1", "a: 1\n", "é"] {
            let mut sources = Sources::default();
            let file = sources.add("a.yaml".into(), text.into());
            for (start, end) in [(0, 0), (1, 1), (4, 4), (5, 9), (99, 99), (3, 2)] {
                let mut diagnostic = Diagnostic::placeless(&RULE, "odd");
                diagnostic.span = Some(Span::new(file, start, end));
                assert!(render(&diagnostic, &sources, Style::default()).contains("--> a.yaml:"));
            }
        }
    }
}
