//! What must hold of an output in each form, whatever names an input has.

use std::sync::LazyLock;

use regex::Regex;
use serde::Deserialize as _;
use serde_json::Value;

use crate::commands::Form;

/// Characters that control, that nobody sees, or that change the order of text.
pub(super) static STEERING: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"[\p{Cc}\p{Cf}\p{Zl}\p{Zp}&&[^\n]]").unwrap());

/// What a terminal or the runner of a pipeline would obey.
pub(super) fn steers(text: &str) -> Option<String> {
    // `::: file:1:2` in front of a second file is ours: `:` names no command of the runner.
    let is_command = |line: &str| {
        let line = line.trim_start();
        line.starts_with("::") && !line.starts_with("::: ")
            || line.contains("##[")
            || line.contains("##vso[")
    };
    text.split('\n')
        .find(|line| STEERING.is_match(line) || is_command(line))
        .map(str::to_owned)
}

pub(super) fn check_terminal(what: &str, text: &str) {
    assert_eq!(steers(text), None, "{what}");
}

/// Checks an output in that form.
pub(super) fn check_form(form: Form, what: &str, text: &str) {
    match form {
        // Nothing is printed of arguments that contradict one another, and of input that cannot be read.
        _ if text.is_empty() => {}
        Form::Text => check_terminal(what, text),
        Form::Json => _ = decoded(what, text, char::MAX),
        Form::Yaml => check_yaml(what, text),
        Form::Csv => check_csv(what, text),
        Form::Svg => check_tags(
            what,
            text,
            &["svg", "title", "desc", "style", "text", "path", "g", "rect"],
        ),
        Form::Html => check_tags(what, &text.replace(script(), ""), &HTML),
        Form::Junit => check_tags(
            what,
            text,
            &[
                "?xml",
                "testsuites",
                "testsuite",
                "testcase",
                "failure",
                "system",
            ],
        ),
        Form::Github => check_github(what, text),
        Form::Markdown => check_markdown(what, text),
        Form::Mermaid => check_mermaid(what, text),
    }
}

/// The documents of a stream, as the reader of another project sees them: one to which U+0085 and U+2028 end a line.
pub(super) fn documents(stream: &str) -> Vec<Value> {
    let documents = serde_yaml::Deserializer::from_str(stream);
    documents
        .map(|document| Value::deserialize(document).unwrap_or_else(|e| panic!("{e}: {stream}")))
        .collect()
}

fn check_yaml(what: &str, text: &str) {
    check_terminal(what, text);
    assert!(
        documents(text).iter().all(|document| !document.is_string()),
        "{what}: {text}"
    );
}

/// All texts of a value.
fn texts(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| texts(item, found)),
        Value::Object(entries) => entries.iter().for_each(|(key, value)| {
            found.push(key.clone());
            texts(value, found);
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The texts of JSON that is valid, and in which nothing up to that character steers.
pub(super) fn decoded(what: &str, printed: &str, above: char) -> Vec<String> {
    let value: Value =
        serde_json::from_str(printed).unwrap_or_else(|error| panic!("{what}: {error}"));
    let steering = STEERING
        .find_iter(printed)
        .find(|found| found.as_str().chars().all(|c| c <= above));
    assert_eq!(
        steering.map(|found| found.as_str().escape_unicode().to_string()),
        None,
        "{what}"
    );
    let mut found = Vec::new();
    texts(&value, &mut found);
    found
}

/// The cells of a line of comma-separated values.
fn cells(line: &str) -> Vec<String> {
    let (mut cells, mut cell, mut is_quoted) = (Vec::new(), String::new(), false);
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if is_quoted && chars.peek() == Some(&'"') => cell.extend(chars.next()),
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => cells.push(std::mem::take(&mut cell)),
            c => cell.push(c),
        }
    }
    assert!(!is_quoted, "{line}");
    cells.push(cell);
    cells
}

fn check_csv(what: &str, text: &str) {
    check_terminal(what, text);
    let n_columns = cells(text.lines().next().unwrap()).len();
    for line in text.lines() {
        let cells = cells(line);
        assert_eq!(cells.len(), n_columns, "{what}: {line}");
        let is_formula = |cell: &&String| {
            cell.trim().starts_with(['=', '+', '-', '@']) && cell.parse::<f64>().is_err()
        };
        assert_eq!(cells.iter().find(is_formula), None, "{what}");
    }
}

/// The tags of our pages.
#[rustfmt::skip]
const HTML: [&str; 64] = [
    "!doctype", "a", "article", "b", "body", "br", "caption", "circle", "clipPath", "code", "dd", "defs", "desc", "details",
    "div", "dl", "dt", "em", "figcaption", "figure", "footer", "form", "g", "h1", "h2", "h3", "h4", "head",
    "header", "html", "i", "input", "label", "li", "line", "link", "main", "meta", "nav", "option", "output", "p",
    "path", "pre", "rect", "section", "select", "small", "span", "strong", "style", "summary", "svg", "table", "tbody", "td",
    "text", "th", "thead", "title", "tr", "tspan", "ul", "use",
];

/// The script of the page of `report`, the only one.
fn script() -> &'static str {
    const PAGE: &str = include_str!("../../../templates/report/report.html.j2");
    let (from, to) = (
        PAGE.find("<script>").unwrap(),
        PAGE.find("</script>").unwrap(),
    );
    &PAGE[from..to + "</script>".len()]
}

/// Every tag is one of ours.
fn check_tags(what: &str, text: &str, known: &[&str]) {
    check_terminal(what, text);
    for part in text.split('<').skip(1) {
        let name: String = part
            .chars()
            .take_while(|c| c.is_ascii_alphanumeric() || "/?!".contains(*c))
            .collect();
        assert!(
            known.contains(&name.trim_start_matches('/')),
            "{what}: <{part}"
        );
    }
}

/// Every line is an annotation.
fn check_github(what: &str, text: &str) {
    for line in text.lines() {
        assert!(
            ["::error ", "::warning ", "::notice "]
                .iter()
                .any(|head| line.starts_with(head)),
            "{what}: {line}"
        );
        assert_eq!(steers(line.trim_start_matches(':')), None, "{what}");
    }
}

/// Every label is within one pair of quotes.
fn check_mermaid(what: &str, text: &str) {
    check_terminal(what, text);
    assert!(
        text.starts_with("flowchart ") || text.starts_with("%% in "),
        "{what}: {text}"
    );
    for line in text.lines() {
        assert!(
            line.matches('"').count() % 2 == 0 && !line.contains('`'),
            "{what}: {line}"
        );
    }
}

/// What GitHub and GitLab would make a link, a mention or markup, outside of blocks of code. Our headings begin with `promgen` or
/// `operator`.
static MARKUP: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\]\(|://|www\.|@\w|#\d|^ {0,3}#{1,6} [^op]|javascript:[^a]").unwrap()
});

static ENTITY: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"&#?\w+;").unwrap());

pub(super) fn check_markdown(what: &str, text: &str) {
    const TAGS: [&str; 5] = ["br", "code", "details", "summary", "!"];
    check_terminal(what, text);
    let (mut is_code, mut is_map) = (false, false);
    let (mut prose, mut map) = (String::new(), String::new());
    for line in text.split('\n') {
        if is_map {
            is_map = line != "```";
            match is_map {
                true => map += &format!("{line}\n"),
                false => check_mermaid(what, &std::mem::take(&mut map)),
            }
        } else if line == "```mermaid" {
            is_map = true;
        } else if line.trim_start().starts_with("```") {
            is_code = !is_code;
        } else if !is_code {
            prose += line;
            prose.push('\n');
            // What is between backticks is code.
            let found = line.split('`').step_by(2).find_map(|text| {
                let text = ENTITY.replace_all(text, "");
                MARKUP.find(&text).map(|found| found.as_str().to_owned())
            });
            assert_eq!(found, None, "{what}: {line}");
        } else {
            assert!(line.starts_with(['+', '-', '!', ' ']), "{what}: {line}");
        }
    }
    assert!(!is_code && !is_map, "{what}");
    check_tags(what, &prose.replace("<!-- -->", ""), &TAGS);
}
