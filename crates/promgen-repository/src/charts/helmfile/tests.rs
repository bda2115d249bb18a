//! What Helm makes of the flags that helmfile 1 gives it.

use promgen_text::source::{FileId, Sources};
use promgen_text::yaml::emit::to_json;

use super::*;

fn json(written: &str) -> String {
    let root = embedded::root(FileId::new(0), written).expect("JSON is YAML");
    to_json(&root.to_value())
}

#[track_caller]
fn check(release: &str, expected: &str) {
    let mut sources = Sources::default();
    sources.add(
        "env/values.yaml".to_owned(),
        "a: {b: file, l: [1, 2]}".to_owned(),
    );
    sources.add("env/text.yaml".to_owned(), "k: v\n".to_owned());
    let root = embedded::root(FileId::new(0), &format!("{{{release}}}")).expect("YAML");
    let values = given(&root, "env", &ChartSources::new(&sources, false));
    assert!(values.refused.is_empty(), "{:?}", values.refused);
    assert_eq!(
        to_json(&values.root.to_value()),
        json(expected),
        "{release}"
    );
}

#[test]
fn a_value_is_no_list_and_no_second_assignment() {
    for (set, expected) in [
        ("value: 'b,c=d'", r#"{"a": "b,c=d"}"#),
        ("value: '{b,c}'", r#"{"a": "{b,c}"}"#),
        ("value: 'null'", r#"{"a": null}"#),
        ("value: 'true'", r#"{"a": true}"#),
        ("value: 3", r#"{"a": 3}"#),
        ("value: '03'", r#"{"a": "03"}"#),
        ("value: ''", "{}"),
        ("value: null", "{}"),
        (
            "values: [b, 'c,d', '{e}', 1]",
            r#"{"a": ["b","c,d","{e}",1]}"#,
        ),
        ("values: []", "{}"),
        ("file: text.yaml", r#"{"a": "k: v\n"}"#),
        ("value: b, file: text.yaml, values: [c]", r#"{"a": "b"}"#),
    ] {
        check(&format!("set: [{{name: a, {set}}}]"), expected);
    }
    check("setString: [{name: a, value: 3}]", r#"{"a": "3"}"#);
    check(
        "setString: [{name: a, values: [1, 'null']}]",
        r#"{"a": ["1","null"]}"#,
    );
    check(r"set: [{name: a\.b.c, value: d}]", r#"{"a.b": {"c": "d"}}"#);
}

#[test]
fn flags_are_put_over_files_and_maps() {
    let values = "values: [values.yaml, {a: {c: map}}]";
    check(values, r#"{"a": {"b": "file", "l": [1,2], "c": "map"}}"#);
    let set = "set: [{name: 'a.l[0]', value: x}, {name: a.b, value: set}]";
    let text = "setString: [{name: a.b, value: text}]";
    check(
        &format!("{text}, {set}, {values}"),
        r#"{"a": {"b": "text", "l": ["x",2], "c": "map"}}"#,
    );
    check(
        &format!("set: [{{name: a.b, value: 'null'}}], {values}"),
        r#"{"a": {"b": null, "l": [1,2], "c": "map"}}"#,
    );
}

#[test]
fn what_helmfile_makes_values_of_by_itself_is_not_known() {
    for (release, expected) in [
        ("inherit: [{template: t}]", &["`inherit`"][..]),
        (
            "setTemplate: [{name: a, value: b}], valuesTemplate: [v.yaml]",
            &["`valuesTemplate`", "`setTemplate`"],
        ),
        ("inherit: [], values: [{inherit: [{template: t}]}]", &[]),
        ("set: [{name: setTemplate, value: x}]", &[]),
    ] {
        let root = embedded::root(FileId::new(0), &format!("{{{release}}}")).expect("YAML");
        let values = given(&root, "env", &ChartSources::new(&Sources::default(), false));
        let missing = values.missing.iter().map(|missing| missing.what.as_str());
        let expected = expected
            .iter()
            .map(|key| format!("promgen does not read {key}"));
        assert!(missing.eq(expected), "{release}: {:?}", values.missing);
    }
}
