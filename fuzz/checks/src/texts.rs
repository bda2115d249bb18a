//! Texts of one kind: YAML, expressions, durations, settings.

use std::cmp::Ordering;

use promgen_cel::{CelExpression, CelOutcome, CelText, CelValue};
use promgen_checks::config::ConfigFile;
use promgen_checks::rules;
use promgen_prometheus::labels;
use promgen_prometheus::promql::{self, Features, Validity};
use promgen_targets::relabel_test::read as tests;
use promgen_text::diag::{Diagnostic, Place, Sink};
use promgen_text::go::duration::{PromDuration, TimeDuration};
use promgen_text::go::quantity::ParsedQuantity;
use promgen_text::go::regex::{
    self, ErrorKind, GoRegex, RegexError, Template, matches_empty, never_matches, texts,
};
use promgen_text::go::template::{self, TemplateScope};
use promgen_text::go::url::Url;
use promgen_text::go::{bytesize, host, quote, unquote};
use promgen_text::source::{FileId, Input, SourceFile, Sources, Span};
use promgen_text::time::Timestamp;
use promgen_text::version::Version;
use promgen_text::yaml::emit::{self, Dialect};
use promgen_text::yaml::read::{parts, read, read_part, read_slices};
use promgen_text::yaml::{Node, Value};

use crate::whole::print_findings;
use crate::{files, within};

/// Most bytes that a replacement may make of a match.
const MAX_EXPANDED: usize = 1 << 20;

/// Reads YAML in all ways. Every place is in the text, and what is written again reads as the same.
pub fn yaml(data: &[u8]) {
    within(data.len(), || {
        let mut sink = Sink::default();
        let sources = Sources::load(&[Input::new("input.yaml", data)], &mut sink);
        let (id, SourceFile { text, .. }) = sources.files().next().expect("one was loaded");
        let documents = read(id, text, &mut sink);
        for document in &documents {
            spans(&document.root, document.span, text);
            round_trip(&document.root.to_value());
        }
        print_findings(&placed(sink), &[], &sources);
        for part in parts(text) {
            let _ = read_part(id, text, &part);
        }
        if let Ok(Some(slices)) = read_slices(text) {
            let _ = slices.to_value();
        }
    });
}

/// A place is in the text, and an item within what holds it; what an alias stands for is elsewhere.
fn spans(node: &Node, document: Span, text: &str) {
    // A block scalar ends in its last blank line, the span of a document before.
    let end = |document: Span| text.len() - text[document.end as usize..].trim_ascii_start().len();
    let is_within = |span: Span| {
        document.start <= span.start && span.start <= span.end && span.end as usize <= end(document)
    };
    let mut todo = vec![node];
    while let Some(node) = todo.pop() {
        let keys = node.entries().iter().map(|entry| entry.key_span);
        for span in keys.chain([node.span]) {
            assert!(is_within(span), "{span:?} is outside of {document:?}");
            assert!(
                text.get(span.start as usize..span.end as usize).is_some(),
                "{span:?} splits a character"
            );
        }
        todo.extend(node.items());
        todo.extend(node.entries().iter().map(|entry| &entry.value));
    }
}

/// What Go's libraries write is read as what it was.
fn round_trip(value: &Value) {
    let yaml = emit::to_string(value, Dialect::YamlV2);
    let mut sink = Sink::default();
    let read = read(FileId::new(0), &yaml, &mut sink);
    let Some(first) = sink.diagnostics().first() else {
        let read = read
            .first()
            .map_or(Value::Null, |document| document.root.to_value());
        assert!(
            is_same(value, &read),
            "{value:?}\nis written as\n{yaml}and read as\n{read:?}"
        );
        return;
    };
    panic!("{}: {yaml}", first.message);
}

/// Returns whether two values are the same. A whole number may be written as a float, and the other way round.
fn is_same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Seq(a), Value::Seq(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b))
        }
        (Value::Map(a), Value::Map(b)) => {
            a.len() == b.len()
                && a.iter()
                    .zip(b)
                    .all(|((a, x), (b, y))| a == b && is_same(x, y))
        }
        _ => {
            a == b
                || number(a)
                    .is_some_and(|a| number(b).is_some_and(|b| a.total_cmp(&b) == Ordering::Equal))
        }
    }
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Int(int) => Some(*int as f64),
        Value::Uint(int) => Some(*int as f64),
        Value::Float(float) => Some(*float),
        Value::Null | Value::Bool(_) | Value::Seq(_) | Value::Map(_) => None,
        Value::Str(_) | Value::StandIn(_) | Value::Binary(_) => None,
    }
}

/// Reads `promgen.yaml`, and a file of tests.
pub fn config(data: &[u8]) {
    within(data.len(), || {
        let mut sink = Sink::default();
        let inputs = [Input::new("promgen.yaml", data)];
        let sources = Sources::load(&inputs, &mut sink);
        let (id, SourceFile { text, .. }) = sources.files().next().expect("one was loaded");
        if let Err(findings) = ConfigFile::parse(
            id,
            text,
            &rules::all(),
            &promgen_text::limits::Limits::default(),
        ) {
            assert!(!findings.is_empty(), "refused without a reason");
            print_findings(&findings, &[], &sources);
        }
        let read = tests::read(&inputs[0]);
        print_findings(&read.diagnostics, &[], &read.sources);
        print_findings(&placed(sink), &[], &sources);
    });
}

/// Findings of a text without objects, at their places.
fn placed(sink: Sink) -> Vec<Diagnostic> {
    let place = |mut finding: Diagnostic| {
        if let Some(Place::Span(span)) = finding.place {
            finding.span = Some(span);
        }
        finding
    };
    sink.into_diagnostics().into_iter().map(place).collect()
}

/// Compiles the first line as a regular expression, and matches the rest.
pub fn regex(data: &[u8]) {
    within(data.len(), || {
        let text = String::from_utf8_lossy(data);
        let (pattern, text) = text.split_once('\n').unwrap_or((&text, ""));
        // The quantity of a text decides how long matching takes; the pattern is what matters.
        let (pattern, text) = (cut(pattern, 4096), cut(text, 4096));
        let compiled = GoRegex::new(pattern);
        let is_taken = |result: Result<(), &RegexError>| {
            result
                .err()
                .is_none_or(|error| error.kind == ErrorKind::BeyondLimit)
        };
        let checked = regex::check(pattern);
        assert_eq!(
            is_taken(checked.as_ref().copied()),
            is_taken(compiled.as_ref().map(drop)),
            "`{pattern}`"
        );
        if let Ok(compiled) = &compiled {
            matched(compiled, text);
            as_others_do(compiled, pattern, text);
        }
        if let Ok(anchored) = GoRegex::anchored(pattern) {
            assert!(regex::check_anchored(pattern).is_ok());
            anchored_facts(&anchored, pattern, text);
        }
    });
}

fn cut(text: &str, max: usize) -> &str {
    &text[..text.floor_char_boundary(max)]
}

fn matched(compiled: &GoRegex, text: &str) {
    let captures = compiled.captures(text);
    assert_eq!(captures.is_some(), compiled.is_match(text));
    let template = Template::parse(text);
    if let Some(captures) = captures {
        for group in 0..=compiled.n_groups() {
            assert_eq!(
                captures.get(group),
                captures.range(group).map(|range| &text[range])
            );
        }
        captures.expand_within(MAX_EXPANDED, &template);
    }
    compiled.replace_all_within(MAX_EXPANDED, text, &template);
}

/// A pattern of what means the same everywhere matches what another engine matches.
fn as_others_do(compiled: &GoRegex, pattern: &str, text: &str) {
    let is_common = |c: char| c.is_ascii_alphanumeric() || ".*+?()|[]^$-_ ".contains(c);
    // Go has no classes within classes, and no operators between them.
    let has_sets = pattern.matches('[').count() > 1 || pattern.contains("--");
    if pattern.contains("(?") || has_sets || !pattern.chars().all(is_common) || !text.is_ascii() {
        return;
    }
    if let Ok(other) = ::regex::Regex::new(pattern) {
        assert_eq!(
            compiled.is_match(text),
            other.is_match(text),
            "`{pattern}` on `{text}`"
        );
    }
}

/// What is told of an anchored pattern by its form is so.
fn anchored_facts(anchored: &GoRegex, pattern: &str, text: &str) {
    matched(anchored, text);
    assert!(
        !never_matches(pattern) || !anchored.is_match(text),
        "`{pattern}` matches `{text}`"
    );
    let texts = texts(pattern);
    for one in texts.iter().flatten() {
        assert!(anchored.is_match(one), "`{pattern}` does not match `{one}`");
    }
    if let Some(texts) = &texts {
        assert_eq!(
            texts.iter().any(|one| one == text),
            anchored.is_match(text),
            "`{pattern}` on `{text}`"
        );
    }
    assert_eq!(
        matches_empty(pattern),
        Ok(anchored.is_match("")),
        "`{pattern}` on the empty text"
    );
}

/// Parses a template of Go. What is accepted has names.
pub fn template(data: &[u8]) {
    within(data.len(), || {
        let text = String::from_utf8_lossy(data);
        let scope = TemplateScope {
            functions: &["humanize", "query", "first"],
            variables: &["$value", "$labels"],
        };
        if template::check(&text, scope).is_ok() {
            let _ = template::names(&text);
        }
        let quoted = quote::quote(&text);
        assert_eq!(
            unquote::unquote(&quoted).as_deref(),
            Some(text.as_bytes()),
            "{quoted}"
        );
    });
}

/// Parses durations, quantities, sizes, URLs, versions and times. What is printed is read as what it was.
pub fn units(data: &[u8]) {
    within(data.len(), || {
        let text = String::from_utf8_lossy(data);
        let text = text.trim_end_matches('\n');
        if let Ok(duration) = PromDuration::parse(text) {
            assert_eq!(
                PromDuration::parse(&duration.to_string()),
                Ok(duration),
                "{text}"
            );
        }
        if let Ok(duration) = TimeDuration::parse(text) {
            assert_eq!(
                TimeDuration::parse(&duration.to_string()),
                Ok(duration),
                "{text}"
            );
        }
        if let Ok(quantity) = ParsedQuantity::parse(text) {
            let shown = quantity.to_string();
            // Kubernetes shows a number of 10²¹ or more without its suffix.
            if quantity.nanos().unsigned_abs() < 10_u128.pow(30) {
                assert_eq!(
                    ParsedQuantity::parse(&shown).as_ref(),
                    Ok(&quantity),
                    "{text} is shown as {shown}"
                );
            }
            assert!(quantity.as_f64().is_finite(), "{text}");
        }
        if let Some(time) = Timestamp::parse(text) {
            assert_eq!(Timestamp::parse(&time.to_string()), Some(time), "{text}");
        }
        if let Some(version) = Version::parse(text) {
            assert_eq!(
                Version::parse(&version.to_string()).as_ref(),
                Some(&version),
                "{text}"
            );
        }
        let _ = (
            bytesize::parse(text),
            Url::parse(text),
            host::split(text),
            Version::parse_tolerant(text),
        );
        let _ = (
            labels::text::parse_labels(text),
            labels::text::parse_fields(text),
        );
    });
}

/// Evaluates an expression in CEL on a document. Its places are in the text, it takes no more than its fuel, and comes to the same twice.
pub fn cel(data: &[u8]) {
    within(data.len(), || {
        let text = String::from_utf8_lossy(data);
        let document = "{a: [1, 2.5, x, null], b: {c: 10m, d: true}}";
        let node = read_slices(document).ok().flatten().unwrap_or_default();
        let expression = match CelExpression::parse(&text) {
            Ok(expression) => expression,
            Err(fault) => {
                assert!(text.get(fault.span.range()).is_some(), "{fault:?}");
                return;
            }
        };
        let slots: Vec<_> = expression
            .variables()
            .map(|name| match name {
                "u" => CelValue::Unknown(CelText::Borrowed("nobody knows")),
                _ => CelValue::Node(&node),
            })
            .collect();
        let evaluate = || {
            let outcome = expression.evaluate(&slots, &mut 20_000);
            if let CelOutcome::Error(error) = &outcome {
                assert!(text.get(error.span.range()).is_some(), "{error:?}");
            }
            std::mem::discriminant(&outcome)
        };
        assert_eq!(evaluate(), evaluate());
    });
}

/// Checks an expression of PromQL, and enforces a label. What is enforced is an expression.
pub fn promql(data: &[u8]) {
    within(data.len(), || {
        let text = String::from_utf8_lossy(data);
        let features = Features {
            experimental_functions: true,
            fill_modifiers: files::choice(data) % 2 == 1,
            ..Features::default()
        };
        let validity = promql::check(&text, features);
        promql::scattered(&text);
        let enforced = promql::enforce(&text, "namespace", "shop");
        if let (Validity::Valid, Some(enforced)) = (validity, enforced) {
            let again = promql::check(&enforced, features);
            assert!(
                !matches!(again, Validity::Invalid(_)),
                "{text}\nbecomes\n{enforced}\nwhich is {again:?}"
            );
            let twice = promql::enforce(&enforced, "namespace", "shop");
            assert_eq!(twice.as_deref(), Some(enforced.as_str()), "enforced twice");
        }
    });
}
