//! Tests of the reader: the recorded answers of Go's parser, and what no file may do to us.

use promgen_testing::texts::any_text;
use proptest::prelude::*;
use serde_json::{Map, Number, Value, json};

use crate::yaml::Data;
use crate::yaml::read::*;

/// The documents of a text, empty ones too, and the findings as `code message` with the marked text.
fn read_text(text: &str) -> (Vec<ParsedDocument>, Vec<String>) {
    let mut sink = Sink::default();
    let documents = read_all(FileId(0), text, &mut sink);
    let found = sink.into_diagnostics().into_iter().map(|diagnostic| {
        let Some(crate::diag::Place::Span(span)) = diagnostic.place else {
            panic!("a place in bytes")
        };
        let marked = &text[span.start as usize..span.end as usize];
        let help = diagnostic
            .help
            .iter()
            .map(|help| format!(" ({help})"))
            .collect::<String>();
        format!(
            "{} `{marked}` {}{help}",
            diagnostic.rule.code, diagnostic.message
        )
    });
    (documents, found.collect())
}

/// Every number as a float, since JSON knows one kind.
fn json(node: &Node) -> Value {
    match &node.data {
        Data::Null => Value::Null,
        Data::Bool(bool) => Value::Bool(*bool),
        Data::Int(int) => number(*int as f64),
        Data::Uint(uint) => number(*uint as f64),
        Data::Float(float) => number(*float),
        Data::String(text) => Value::String(text.to_string()),
        Data::Seq(items) => Value::Array(items.iter().map(json).collect()),
        Data::Map(entries) => Value::Object(
            entries
                .iter()
                .map(|e| (e.key.to_string(), json(&e.value)))
                .collect(),
        ),
    }
}

fn number(float: f64) -> Value {
    Value::Number(Number::from_f64(float).expect("finite"))
}

fn floats(value: Value) -> Value {
    match value {
        Value::Number(n) => number(n.as_f64().expect("a number")),
        Value::Array(items) => Value::Array(items.into_iter().map(floats).collect()),
        Value::Object(map) => Value::Object(
            map.into_iter()
                .map(|(k, v)| (k, floats(v)))
                .collect::<Map<_, _>>(),
        ),
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

/// The difference from sigs.k8s.io/yaml on a case, if there is one.
fn difference(case: &Case) -> Option<String> {
    let (documents, found) = read_text(&case.yaml);
    let first = documents
        .first()
        .map_or(Value::Null, |document| json(&document.root));
    let codes: Vec<&str> = found.iter().map(|f| &f[..5]).collect();
    let refused = codes.iter().any(|code| *code != "PG002");
    let (json, strict) = (&case.json, &case.strict);
    match (json.starts_with("ERR"), refused) {
        (true, true) => None,
        (true, false) => Some(format!("Go refuses: {json}; we read {first}")),
        (false, true) => Some(format!("Go reads {json}; we refuse: {found:?}")),
        (false, false) if !is_same(&first, json) => {
            Some(format!("Go reads {json}, we read {first}"))
        }
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

#[promgen_testing::needs(recordings)]
#[test]
fn recorded_texts_read_as_go_reads_them() {
    let recorded = promgen_testing::recorded_text("conformance/yaml/parse.json");
    let cases: Vec<Case> = serde_json::from_str(&recorded).unwrap();

    let different: Vec<String> = cases
        .iter()
        .filter_map(|case| difference(case).map(|why| format!("{}: {why}", case.name)))
        .collect();
    assert!(
        different.is_empty(),
        "{} of {} differ:\n{}",
        different.len(),
        cases.len(),
        different.join("\n")
    );
}

/// As sigs.k8s.io/yaml 1.6.0 reads them; in YAML 1.2 the `:` ends a key.
#[test]
fn a_colon_before_a_sign_of_flow_is_text() {
    for (text, expected) in [
        ("res: [svc:]", json!({"res": ["svc:"]})),
        ("res: [svc: ]", json!({"res": [{"svc": null}]})),
        ("res: {a:}", json!({"res": {"a:": null}})),
        ("res: [a:,b]", json!({"res": ["a:", "b"]})),
        ("res: [a:b]", json!({"res": ["a:b"]})),
        ("- [\"a\":]", json!([[{"a": null}]])),
        ("[a::]", json!(["a::"])),
    ] {
        let (documents, found) = read_text(text);
        assert_eq!(
            (json(&documents[0].root), found),
            (expected, Vec::new()),
            "{text}"
        );
    }
    for text in ["res: [a:[b]]", "res: [a:{b: c}]"] {
        assert!(!messages(text).is_empty(), "{text}");
    }
}

fn messages(text: &str) -> Vec<String> {
    read_text(text).1
}

#[test]
fn hostile_texts_are_refused_at_once() {
    let bomb = |levels: usize| {
        let level = |i: usize| {
            format!(
                "a{i}: &a{i} [{}]\n",
                vec![format!("*a{}", i - 1); 10].join(",")
            )
        };
        format!(
            "a0: &a0 [x]\n{}",
            (1..levels).map(level).collect::<String>()
        )
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
        assert_eq!(
            found.iter().map(|f| &f[..5]).collect::<Vec<_>>(),
            [code],
            "{found:?}"
        );
    }
}

#[test]
fn a_broken_document_leaves_its_siblings() {
    let (documents, found) =
        read_text("a: 1\n---\na: [1\n---\n# nothing\n---\nb: {{ x }}\n---\nc: 3\n");
    let roots: Vec<String> = documents
        .iter()
        .map(|d| json(&d.root).to_string())
        .collect();
    assert_eq!(roots, [r#"{"a":1.0}"#, "null", r#"{"c":3.0}"#]);
    assert_eq!(
        found,
        [
            "PG001 `[` this `[` is never closed",
            "PG001 `{ x }` a key is a map (this looks like a template; render it first, for example with `helm template`)",
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
fn check_spans(node: &Node, text: &str) {
    let inside = |span: Span| {
        assert!(
            text.get(span.start as usize..span.end as usize).is_some(),
            "{span:?} in {text:?}"
        );
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
        assert!(
            text.get(document.span.start as usize..document.span.end as usize)
                .is_some()
        );
        check_spans(&document.root, text);
    }
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in any_text()) {
        check(&text);
    }

    #[test]
    fn any_yaml_is_read_or_refused(text in pieces()) {
        check(&text);
    }
}

#[test]
fn the_deepest_tree_fits_a_small_stack() {
    let (flow, maps) = (
        "[".repeat(MAX_DEPTH) + &"]".repeat(MAX_DEPTH),
        "{a: ".repeat(MAX_DEPTH) + &"}".repeat(MAX_DEPTH),
    );
    let block = "- ".repeat(MAX_DEPTH);
    let indented: String = (0..MAX_DEPTH)
        .map(|i| format!("{}k:\n", " ".repeat(i)))
        .collect();
    for text in [flow, maps, block, indented] {
        let (documents, found) = read_text(&text);
        assert_eq!(found, [""; 0]);
        let root = &documents[0].root;
        assert_eq!(root.clone(), *root);
        assert!(root.to_value() == root.to_value());
        assert_eq!(messages(&format!("[{text}]"))[0][..5], *"PG001");
    }
}

#[test]
fn aliases_nest_no_deeper_than_text() {
    let level = |i: usize| {
        format!(
            "a{i}: &a{i} {}*a{}{}\n",
            "[".repeat(100),
            i - 1,
            "]".repeat(100)
        )
    };
    let text = format!("a0: &a0 x\n{}", (1..8).map(level).collect::<String>());
    assert_eq!(
        messages(&text),
        ["PG003 `*a5` aliases expand to more than 512 nested collections"]
    );
}

#[test]
fn mistakes_without_end_end() {
    let duplicates = format!("{{{}}}", "a: 1,".repeat(100_000));
    assert_eq!(messages(&duplicates).len(), 20);
    let merges = format!("a: &a {{x: 1}}\nb:\n{}", "  <<: *a\n".repeat(30_000));
    assert_eq!(messages(&merges).len(), 20);
    assert_eq!(messages(&"[\n---\n".repeat(100_000)).len(), 1025);
    let tags = (0..100_000)
        .map(|i| format!("%TAG !x{i}! y\n"))
        .collect::<String>();
    assert_eq!(messages(&format!("{tags}---\na")).len(), 1);
}

#[test]
#[expect(clippy::too_many_lines, reason = "a flat table")]
fn mistakes_are_named_where_they_are() {
    for (text, message) in [
        (
            "a:\n\tb: 1",
            "PG001 `\t` tab in indentation, where only spaces are allowed (indent with spaces)",
        ),
        (
            "a: b: c",
            "PG001 `:` unexpected `:`, no key can end here (put a text that has `: ` in it in quotes)",
        ),
        (
            "a: 'b' c",
            "PG001 `c` text follows the closing quote (put the entire value in quotes)",
        ),
        (
            "a: \"b\nc: d",
            "PG001 `\"` this quote is never closed (close it, or double a quote that is part of the text)",
        ),
        (
            "a: it's: b",
            "PG001 `:` unexpected `:`, no key can end here (put a text that has `: ` in it in quotes)",
        ),
        (
            "a:b\nc: d",
            "PG001 `:` a key starts on an earlier line (add a space after the colon of a key)",
        ),
        (
            "a: 1\n b: 2",
            "PG001 `:` unexpected key in a value of several lines (start it in the column of its siblings)",
        ),
        (
            "a:\n  b: 1\n c: 2",
            "PG001 `c:` the indentation of this line matches no previous line (start it in the column of its siblings)",
        ),
        (
            "a:\n- b\nc",
            "PG001 `c` this line is not a `key: value` (indent the line if it continues the previous value)",
        ),
        (
            "- a\nb: c",
            "PG001 `b` expected `- ` (entries of one list start in the same column)",
        ),
        (
            "a: 1\n- b",
            "PG001 `-` unexpected list entry among the keys of a map (entries of one collection start in the same column)",
        ),
        (
            "a: - b",
            "PG001 `-` a list cannot start here (start it on its own line, or put the text in quotes)",
        ),
        ("a: [b, c", "PG001 `[` this `[` is never closed"),
        ("a: [b c: d}", "PG001 `}` `}` closes what `[` opened"),
        (
            "a: {b: c: d}",
            "PG001 `:` `,` or `}` is missing here (add it, or put the text in quotes)",
        ),
        (
            "a: [b\n  c: d]",
            "PG001 `:` `,` or `]` is missing here (close the bracket that an earlier line opens)",
        ),
        ("a: {b: c]", "PG001 `]` `]` closes what `{` opened"),
        ("a: [b,, c]", "PG001 `,` a value is missing before this `,`"),
        (
            "a: b]\nc: ]",
            "PG001 `]` closing bracket without an opening one (put the text in quotes)",
        ),
        (
            "a: @b",
            "PG001 `@` no value starts with `@` (put the text in quotes)",
        ),
        (
            "a: %b",
            "PG001 `%` no value starts with `%` (put the text in quotes)",
        ),
        (
            "a: *.b",
            "PG001 `*.b` `*.b` is not an alias: names consist of letters, digits, `-` and `_` (put the text in quotes)",
        ),
        (
            "a: *b",
            "PG001 `*b` no anchor `&b` precedes this alias in its document (put the text in quotes if it is not an alias)",
        ),
        (
            "a: &b *c",
            "PG001 `*` an alias cannot have an anchor or a tag",
        ),
        (
            "a: !b!c d",
            "PG001 `!b!` no `%TAG` directive declares `!b!` (put the text in quotes if it is not a tag)",
        ),
        (
            "a: ${{ x }}\nb: {{ y }}\n",
            "PG001 `{ y }` a key is a map (this looks like a template; render it first, for example with `helm template`)",
        ),
        (
            "{{- if x }}\na: 1",
            "PG001 `-` `- ` is not allowed in brackets (this looks like a template; render it first, for example with `helm template`)",
        ),
        (
            "a: \"\\d\"",
            "PG001 `\\d` unknown escape `\\d` (double the backslash, or use single quotes, which have no escapes)",
        ),
        (
            "a: \"\\/\"",
            "PG001 `\\/` unknown escape `\\/` (write `/` alone)",
        ),
        (
            "a: \"\\ud83c\\udf89\"",
            "PG001 `\\ud83c` the escape U+D83C is not a character (write the character itself, or one `\\U` escape of eight digits)",
        ),
        (
            "a: \"\\x4\"",
            "PG001 `\\x` this escape requires 2 hexadecimal digits",
        ),
        (
            "a: |x\n  y",
            "PG001 `x` after `|` or `>`, the line can only contain `+`, `-`, a digit from 1 to 9 and a comment (start the text on the next line)",
        ),
        (
            "~: a",
            "PG001 `~` a key is null (put it in quotes, if it is text)",
        ),
        (
            "18446744073709551615: a",
            "PG001 `18446744073709551615` a key is a number above 2^63 (put it in quotes, if it is text)",
        ),
        (
            "[a]: b",
            "PG001 `[` a key must be text (put the text in quotes)",
        ),
        ("? {a: b}\n: c", "PG001 `{a: b}` a key is a map"),
        (
            "a: .inf",
            "PG001 `.inf` JSON cannot represent the number inf (put it in quotes if it is text)",
        ),
        (
            "a: !!int b",
            "PG001 `b` the tag is `!!int`, but the type of the text is `!!str`",
        ),
        (
            "a: !!binary b",
            "PG001 `b` the text of a `!!binary` is not base64",
        ),
        ("<<: a", "PG001 `a` `<<` merges maps, but this is not a map"),
        (
            "%YAML 1.2\n---\na",
            "PG001 `%YAML 1.2` this document requires YAML 1.2, but Kubernetes reads YAML 1.1 (remove the `%YAML` directive)",
        ),
        (
            "%FOO\n---\na",
            "PG001 `%FOO` unknown or duplicate directive (remove the line)",
        ),
        (
            "%YAML 1.1\na: b",
            "PG001 `%` no `---` follows the directives",
        ),
        (
            "a\n...\nb",
            "PG001 `b` after `...`, a document starts with `---` (put `---` between documents)",
        ),
        (
            "a: \u{7}",
            "PG001 `\u{7}` control character U+0007 (remove it, or write it as an escape in double quotes)",
        ),
        (
            "a: \0",
            "PG001 `\0` control character U+0000 (is this a text file?)",
        ),
    ] {
        assert_eq!(messages(text), [message], "{text:?}");
    }
}

#[test]
fn duplicate_keys_are_found_and_the_last_one_counts() {
    for (text, json_text, found) in [
        (
            "a: 1\nb: 2\na: 3",
            r#"{"a":3.0,"b":2.0}"#,
            vec!["PG002 `a` duplicate key `a` (remove one of the two)"],
        ),
        (
            "a: &a {x: 1}\nb: {<<: *a, x: 2}",
            r#"{"a":{"x":1.0},"b":{"x":2.0}}"#,
            vec!["PG002 `x` a merge already sets key `x` (remove one of the two)"],
        ),
        (
            "a: &a {x: 1}\nb: {x: 2, <<: *a}",
            r#"{"a":{"x":1.0},"b":{"x":1.0}}"#,
            vec!["PG002 `<<` a merge sets key `x` again (remove one of the two)"],
        ),
        (
            "a: &a {x: 1}\nb: {<<: [*a, {x: 3, z: 4}]}",
            r#"{"a":{"x":1.0},"b":{"x":1.0,"z":4.0}}"#,
            vec!["PG002 `<<` key `x` is merged twice (remove one of the two)"],
        ),
        (
            "a: &a {x: 1, x: 2}\nb: *a\nc: *a",
            r#"{"a":{"x":2.0},"b":{"x":2.0},"c":{"x":2.0}}"#,
            vec!["PG002 `x` duplicate key `x` (remove one of the two)"],
        ),
        (
            "yes: 1\n\"true\": 2",
            r#"{"true":2.0}"#,
            vec!["PG002 `\"true\"` duplicate key `true` (remove one of the two)"],
        ),
    ] {
        let (documents, messages) = read_text(text);
        assert_eq!(
            (json(&documents[0].root).to_string().as_str(), messages),
            (json_text, found.iter().map(|f| (*f).to_owned()).collect())
        );
    }
    let many = (0..20)
        .map(|i| format!("k{}: {i}\n", i % 18))
        .collect::<String>();
    let (documents, messages) = read_text(&many);
    assert_eq!((documents[0].root.entries().len(), messages.len()), (18, 2));
    assert_eq!(documents[0].root.get("k1").map(json), Some(number(19.0)));
}

#[test]
fn spans_mark_values_without_what_is_around_them() {
    let text =
        "# c\na: &x !!str 1 # d\nb:\n  - 'e'\n  - {f: g}\n  - *x\nh: |\n  i\n  j\n\nk:\nl:\n- m\n";
    let (documents, _) = read_text(text);
    let root = &documents[0].root;
    let marked = |route: crate::route::ValueRoute| {
        let found = root.locate(&route);
        let text = |span: Span| &text[span.start as usize..span.end as usize];
        (text(found.value), found.key.map(text), found.exact)
    };
    let route = |key: &'static str| crate::route::ValueRoute::root().key(key);
    assert_eq!(marked(route("a")), ("1", Some("a"), true));
    assert_eq!(
        marked(route("b")),
        ("- 'e'\n  - {f: g}\n  - *x", Some("b"), true)
    );
    assert_eq!(marked(route("b").index(0)), ("'e'", None, true));
    assert_eq!(marked(route("b").index(1)), ("{f: g}", None, true));
    assert_eq!(marked(route("b").index(1).key("f")), ("g", Some("f"), true));
    assert_eq!(marked(route("b").index(2)), ("*x", None, true));
    assert_eq!(
        marked(route("b").index(3)),
        ("- 'e'\n  - {f: g}\n  - *x", Some("b"), false)
    );
    assert_eq!(marked(route("h")), ("|\n  i\n  j", Some("h"), true));
    assert_eq!(marked(route("k")), ("", Some("k"), true));
    assert_eq!(marked(route("l").index(0).key("x")), ("m", None, false));
    assert_eq!(
        documents[0].span,
        Span::new(FileId(0), 0, u32::try_from(text.trim_end().len()).unwrap())
    );
}

#[test]
fn a_file_beyond_its_budget_is_one_finding() {
    let document = format!("a: &a x\nb: [{}]\n---\n", "*a,".repeat(90));
    // What is wrong with its first document is not told either: on another day, that one would not have been read.
    let text = format!("c\nd: e\n---\n{}", document.repeat(MAX_ALIASED / 90 + 1));
    let mut sink = Sink::default();
    let documents = read(FileId(0), &text, &mut sink);
    let codes: Vec<&str> = sink
        .diagnostics()
        .iter()
        .map(|diagnostic| &*diagnostic.rule.code)
        .collect();
    assert_eq!((documents.len(), codes), (0, vec!["PG003"]));
}

/// Each link of a chain of merges settles the keys of all links before.
#[test]
fn a_chain_of_merges_costs_the_keys_that_it_settles() {
    let first: String = (0..1500).map(|i| format!("k{i}: v, ")).collect();
    let text = |n: usize| {
        let links = (1..n).map(|i| format!("a{i}: &a{i} {{<<: *a{}, z{i}: y}}\n", i - 1));
        format!("a0: &a0 {{{first}}}\n{}", links.collect::<String>())
    };
    assert_eq!(messages(&text(30)), [] as [&str; 0]);
    let found = messages(&text(500));
    assert_eq!(found.len(), 1);
    assert!(
        found[0].starts_with("PG003 ") && found[0].ends_with("expand to more than 1048576 values")
    );
}

#[test]
fn what_is_json_has_the_escapes_of_json() {
    let read = |text: &str| {
        let (documents, found) = read_text(text);
        documents
            .first()
            .and_then(|d| d.root.get("a"))
            .and_then(Node::as_str)
            .map(str::to_owned)
            .ok_or(found)
    };
    assert_eq!(
        read(r#"{"a": "\ud83d\ude00\/\u00e9"}"#).unwrap(),
        "\u{1f600}/é"
    );
    assert_eq!(
        read(r#"{"a": "\ud83dx\ude00\ud83d"}"#).unwrap(),
        "\u{fffd}x\u{fffd}\u{fffd}"
    );
    assert_eq!(read(r#"{"a": "\ud83d\u0041"}"#).unwrap(), "\u{fffd}A");
    // go-yaml knows neither escape, and neither text is JSON.
    assert!(read(r#"a: "\/""#).unwrap_err()[0].contains("unknown escape `\\/`"));
    assert!(read(r#"{a: "\ud83d\ude00"}"#).unwrap_err()[0].contains("is not a character"));
}
