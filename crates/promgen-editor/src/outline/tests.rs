//! Outlines of whole and of half-typed texts.

use super::*;

/// What is being typed at `|`: the route, the word, and `k` for a key, `v` for a value.
fn typed(text: &str) -> String {
    let offset = text.find('|').unwrap();
    let text = text.replacen('|', "", 1);
    let Some(typing) = typing(&text, offset) else {
        return "nothing".to_owned();
    };
    let of = |is: bool, letter| if is { letter } else { "" };
    format!(
        "{} {:?} {}{}",
        typing.route,
        &text[typing.word],
        of(typing.is_key, "k"),
        of(typing.is_value, "v")
    )
}

#[test]
fn a_half_typed_key_or_value_has_a_route() {
    assert_eq!(
        typed("spec:\n  endpoints:\n  - por|\n    interval: 30s\n"),
        "spec.endpoints[0] \"por\" kv"
    );
    assert_eq!(
        typed("spec:\n  endpoints:\n  - port: a\n  - path: b\n    po|"),
        "spec.endpoints[1] \"po\" k"
    );
    assert_eq!(
        typed("spec:\n  endpoints:\n    - port: |\n      path: a"),
        "spec.endpoints[0].port \"\" v"
    );
    assert_eq!(typed("spec:\n  a: 1\n  |\nb: 2"), "spec \"\" k");
    assert_eq!(typed("spec:\n  a: >\n    text|\n\nb: 1"), "nothing");
    assert_eq!(typed("a: 1\n|"), " \"\" k");
    assert_eq!(typed("a:\n  b: # c\n    d: \"e|"), "a.b.d \"e\" v");
    assert_eq!(typed("a: # |"), "nothing");
    assert_eq!(typed("a: 1\n---\nb:\n  c|\n---\nd: 1\n"), "b \"c\" k");
    assert_eq!(typed("a:\n- - x\n  - y|"), "a[0][1] \"y\" kv");
}

#[test]
fn collections_in_braces_have_routes_too() {
    assert_eq!(typed("a: {b: {c|"), "a.b \"c\" k");
    assert_eq!(typed("a: {b: 1, c: d|}"), "a.c \"d\" v");
    assert_eq!(typed("a: [x, {y: 1, |"), "a[1] \"\" k");
    assert_eq!(typed("- {a: [1, 2|"), "[0].a[1] \"2\" v");
    assert_eq!(typed("a:\n  b: {c: 1,\n    d|}\n"), "a.b \"d\" k");
    let outline = Outline::read("a: {b: 'x, y', c: [1, {d: 2}]}\ne: f\n", 0);
    assert_eq!(outline.find(&["a", "b"]), Some("x, y"));
    assert_eq!(outline.find(&["e"]), Some("f"));
    assert!(
        outline
            .items
            .iter()
            .any(|item| item.route.to_string() == "a.c[1].d" && item.text == "2")
    );
}

#[test]
fn texts_over_several_lines_hold_no_keys() {
    let text = "a: |\n  b: 1\n\n  c: 2\nd: \"x\n  e: 1\"\nf: >-\n  g: 1\nh:\n- |\n  i: 1\n- j: 1\n";
    let routes: Vec<_> = Outline::read(text, 0)
        .items
        .iter()
        .map(|item| item.route.to_string())
        .collect();
    assert_eq!(routes, ["a", "d", "f", "h", "h[1].j"]);
}

#[test]
fn broken_texts_end() {
    for text in [
        "{",
        "a: {",
        "a: [\n",
        "- - -",
        "'",
        "\"a",
        ":",
        "é: {ü",
        "a: {b: \"é",
        "- {",
        "\u{feff}a: |",
    ] {
        for offset in 0..=text.len() {
            let n_items = Outline::read(text, offset).items.len();
            assert!(
                n_items < 3 && typing(text, offset).is_none_or(|typing| typing.word.end == offset)
            );
        }
    }
}
