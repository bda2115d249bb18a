//! Tests of the reader: the recorded answers of Go's parser, and what no file may do to us.

use proptest::prelude::*;
use serde_json::{Map, Number, Value};

use super::*;
use crate::yaml::Data;

/// The documents of a text, empty ones too, and the findings as `code message` with the marked text.
fn read_text(text: &str) -> (Vec<Parsed<'_>>, Vec<String>) {
    let mut sink = Sink::default();
    let documents = read_all(FileId(0), text, &mut sink);
    let found = sink.into_diagnostics().into_iter().map(|diagnostic| {
        let Some(crate::diag::Place::Span(span)) = diagnostic.place else { panic!("a place in bytes") };
        let marked = &text[span.start as usize..span.end as usize];
        let help = diagnostic.help.iter().map(|help| format!(" ({help})")).collect::<String>();
        format!("{} `{marked}` {}{help}", diagnostic.rule.code, diagnostic.message)
    });
    (documents, found.collect())
}

/// Every number as a float, since JSON knows one kind.
fn json(node: &Node<'_>) -> Value {
    match &node.data {
        Data::Null => Value::Null,
        Data::Bool(bool) => Value::Bool(*bool),
        Data::Int(int) => number(*int as f64),
        Data::Uint(uint) => number(*uint as f64),
        Data::Float(float) => number(*float),
        Data::String(text) => Value::String(text.clone().into_owned()),
        Data::Seq(items) => Value::Array(items.iter().map(json).collect()),
        Data::Map(entries) => {
            Value::Object(entries.iter().map(|e| (e.key.clone().into_owned(), json(&e.value))).collect())
        }
    }
}

fn number(float: f64) -> Value {
    Value::Number(Number::from_f64(float).expect("finite"))
}

fn floats(value: Value) -> Value {
    match value {
        Value::Number(n) => number(n.as_f64().expect("a number")),
        Value::Array(items) => Value::Array(items.into_iter().map(floats).collect()),
        Value::Object(map) => Value::Object(map.into_iter().map(|(k, v)| (k, floats(v))).collect::<Map<_, _>>()),
        other => other,
    }
}

#[derive(serde::Deserialize)]
struct Case {
    name: String,
    yaml: String,
    json: String,
    strict: String,
}

/// How we differ from sigs.k8s.io/yaml on a case, if we do.
fn difference(case: &Case) -> Option<String> {
    let (documents, found) = read_text(&case.yaml);
    let first = documents.first().map_or(Value::Null, |document| json(&document.root));
    let codes: Vec<&str> = found.iter().map(|f| &f[..5]).collect();
    let refused = codes.iter().any(|code| *code != "PG002");
    let (json, strict) = (&case.json, &case.strict);
    match (json.starts_with("ERR"), refused) {
        (true, true) => None,
        (true, false) => Some(format!("Go refuses: {json}; we read {first}")),
        (false, true) => Some(format!("Go reads {json}; we refuse: {found:?}")),
        (false, false) if !is_same(&first, json) => Some(format!("Go reads {json}, we read {first}")),
        (false, false) if strict.starts_with("ERR") == codes.is_empty() => {
            Some(format!("Go, strict: {strict}; we: {found:?}"))
        }
        (false, false) => None,
    }
}

/// One recording is cut off, which its last character tells.
fn is_same(value: &Value, text: &str) -> bool {
    match text.strip_suffix('…') {
        Some(beginning) => value.to_string().starts_with(beginning),
        None => floats(serde_json::from_str(text).unwrap()) == *value,
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a test reads recordings")]
fn recorded_texts_read_as_go_reads_them() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/conformance/yaml/parse.json");
    let Ok(recorded) = std::fs::read_to_string(path) else {
        println!("skipped: no recordings");
        return;
    };
    let cases: Vec<Case> = serde_json::from_str(&recorded).unwrap();

    let different: Vec<String> =
        cases.iter().filter_map(|case| difference(case).map(|why| format!("{}: {why}", case.name))).collect();
    assert!(different.is_empty(), "{} of {} differ:\n{}", different.len(), cases.len(), different.join("\n"));
}

fn messages(text: &str) -> Vec<String> {
    read_text(text).1
}

#[test]
fn hostile_texts_are_refused_at_once() {
    let bomb = |levels: usize| {
        let level = |i: usize| format!("a{i}: &a{i} [{}]\n", vec![format!("*a{}", i - 1); 10].join(","));
        format!("a0: &a0 [x]\n{}", (1..levels).map(level).collect::<String>())
    };
    for (text, code) in [
        ("[".repeat(100_000), "PG001"),
        ("{a: ".repeat(100_000), "PG001"),
        ("- ".repeat(100_000), "PG001"),
        ("? ".repeat(100_000), "PG001"),
        ("a: &a [*a]".to_owned(), "PG003"),
        ("&a {*a : 1}".to_owned(), "PG003"),
        (bomb(10), "PG003"),
        ("a: \0".to_owned(), "PG001"),
        (" ".repeat(MAX_BYTES + 1), "PG004"),
    ] {
        let found = messages(&text);
        assert_eq!(found.iter().map(|f| &f[..5]).collect::<Vec<_>>(), [code], "{found:?}");
    }
}

#[test]
fn a_broken_document_leaves_its_siblings() {
    let (documents, found) = read_text("a: 1\n---\na: [1\n---\n# nothing\n---\nb: {{ x }}\n---\nc: 3\n");
    let roots: Vec<String> = documents.iter().map(|d| json(&d.root).to_string()).collect();
    assert_eq!(roots, [r#"{"a":1.0}"#, "null", r#"{"c":3.0}"#]);
    assert_eq!(
        found,
        [
            "PG001 `[` this `[` is never closed",
            "PG001 `{ x }` a key is a map (this looks like a template; render it first, for instance with `helm template`)",
        ]
    );
}

/// Pieces of YAML, which together are more often interesting than arbitrary characters.
fn pieces() -> impl Strategy<Value = String> {
    let piece = proptest::sample::select(vec![
        "a",
        "b: ",
        ": ",
        ":",
        "- ",
        "-",
        "? ",
        "\n",
        "\n  ",
        "\n ",
        " ",
        "\t",
        "# c",
        "[",
        "]",
        "{",
        "}",
        ", ",
        "&a ",
        "*a",
        "<<: *a",
        "!!str ",
        "!!int 1",
        "! ",
        "|\n  x",
        ">-\n  y\n\n  z",
        "---\n",
        "...\n",
        "'q'",
        "\"d\\n\"",
        "'",
        "\"",
        "\\",
        "\r",
        "\r\n",
        "\u{85}",
        "\u{2028}",
        "\u{feff}",
        "%YAML 1.1\n",
        "%TAG !x! y\n",
        "yes",
        "017",
        ".inf",
        "~",
        "ä",
        "\u{1f389}",
        "\0",
    ]);
    proptest::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// All spans of a tree are within the text, on the boundaries of characters, and entries within their map.
fn check_spans(node: &Node<'_>, text: &str) {
    let inside = |span: Span| {
        assert!(text.get(span.start as usize..span.end as usize).is_some(), "{span:?} in {text:?}");
    };
    inside(node.span);
    for entry in node.entries() {
        inside(entry.key_span);
        check_spans(&entry.value, text);
    }
    node.items().iter().for_each(|item| check_spans(item, text));
}

fn check(text: &str) {
    let (documents, _) = read_text(text);
    for document in &documents {
        assert!(text.get(document.span.start as usize..document.span.end as usize).is_some());
        check_spans(&document.root, text);
    }
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in any::<String>()) {
        check(&text);
    }

    #[test]
    fn any_yaml_is_read_or_refused(text in pieces()) {
        check(&text);
    }
}

#[test]
fn the_deepest_tree_fits_a_small_stack() {
    let (flow, maps) =
        ("[".repeat(MAX_DEPTH) + &"]".repeat(MAX_DEPTH), "{a: ".repeat(MAX_DEPTH) + &"}".repeat(MAX_DEPTH));
    let block = "- ".repeat(MAX_DEPTH);
    let indented: String = (0..MAX_DEPTH).map(|i| format!("{}k:\n", " ".repeat(i))).collect();
    for text in [flow, maps, block, indented] {
        let (documents, found) = read_text(&text);
        assert_eq!(found, [""; 0]);
        let root = &documents[0].root;
        assert_eq!(root.clone(), *root);
        assert!(root.to_value() == root.to_value());
        assert!(crate::yaml::from_node::<Value>(root).is_ok());
        assert_eq!(messages(&format!("[{text}]"))[0][..5], *"PG001");
    }
}

#[test]
fn aliases_nest_no_deeper_than_text() {
    let level = |i: usize| format!("a{i}: &a{i} {}*a{}{}\n", "[".repeat(100), i - 1, "]".repeat(100));
    let text = format!("a0: &a0 x\n{}", (1..8).map(level).collect::<String>());
    assert_eq!(messages(&text), ["PG003 `*a5` aliases nest more than 512 collections within each other"]);
}

#[test]
fn mistakes_without_end_end() {
    let duplicates = format!("{{{}}}", "a: 1,".repeat(100_000));
    assert_eq!(messages(&duplicates).len(), 20);
    let merges = format!("a: &a {{x: 1}}\nb:\n{}", "  <<: *a\n".repeat(30_000));
    assert_eq!(messages(&merges).len(), 20);
    assert_eq!(messages(&"[\n---\n".repeat(100_000)).len(), 1025);
    let tags = (0..100_000).map(|i| format!("%TAG !x{i}! y\n")).collect::<String>();
    assert_eq!(messages(&format!("{tags}---\na")).len(), 1);
}
