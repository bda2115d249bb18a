//! What Helm makes of the flags that Argo CD gives it.

use promgen_text::source::{FileId, Sources};
use promgen_text::yaml::emit::to_json;

use super::*;

fn json(written: &str) -> String {
    let root = embedded::root(FileId::new(0), written).expect("JSON is YAML");
    to_json(&root.to_value())
}

/// The values of a release of kube-prometheus-stack with that `helm`, and how many of its sources are refused or missing.
fn made(source: &str, helm: &str) -> (String, usize) {
    let mut sources = Sources::default();
    for (name, text) in [
        ("apps/values/one.yaml", "a: {b: one, c: one, l: [1, 2]}"),
        ("apps/values/two.yaml", "a: {c: two}"),
        (
            "c/Chart.yaml",
            "dependencies: [{name: kube-prometheus-stack, version: 82.14.0, alias: al}]",
        ),
        ("c/values.yaml", "al: {a: {b: own, c: own, d: own, l: [0]}}"),
        ("c/prod.yaml", "al: {a: {b: prod, l: [1, 2]}}"),
        ("c/text.yaml", "k: v\n"),
    ] {
        sources.add(name.to_owned(), text.to_owned());
    }
    let whole = format!(
        "{{metadata: {{name: m}}, spec: {{sources: [{{{source}, helm: {helm}}}, {{ref: values}}]}}}}"
    );
    let root = embedded::root(FileId::new(0), &whole).expect("YAML");
    let releases = application(&root, &ChartSources::new(&sources, false));
    let [release] = releases.as_slice() else {
        panic!("{} releases of {source}", releases.len());
    };
    let values = &release.values;
    let lacks = values.refused.len() + values.missing.len();
    (to_json(&values.root.to_value()), lacks)
}

const STACK: &str = "chart: kube-prometheus-stack, targetRevision: 82.14.0";

#[track_caller]
fn check(source: &str, helm: &str, expected: &str) {
    assert_eq!(made(source, helm), (json(expected), 0), "{helm}");
}

#[test]
fn commas_are_escaped_but_in_braces_and_behind_a_backslash() {
    for (value, expected) in [
        ("a,b", r#""a,b""#),
        (r"a\,b,c", r#""a,b,c""#),
        ("{a,b}", r#"["a","b"]"#),
        ("{}", r#"[""]"#),
        (r"{a\,b}", r#"["a,b"]"#),
        ("{a},b", r#""refused""#),
        (r"a\=b", r#""a=b""#),
        ("a=b,c=d", r#""a=b,c=d""#),
        ("", r#""""#),
        ("null", "null"),
        ("0012", r#""0012""#),
        ("12", "12"),
    ] {
        let helm = format!("{{parameters: [{{name: x, value: '{value}'}}]}}");
        let expected = match expected {
            r#""refused""# => ("{}\n".to_owned(), 1),
            expected => (json(&format!("{{\"x\": {expected}}}")), 0),
        };
        assert_eq!(made(STACK, &helm), expected, "{value}");
    }
    let text =
        |value: &str| format!("{{parameters: [{{name: x, value: {value}, forceString: true}}]}}");
    check(STACK, &text("'12'"), r#"{"x": "12"}"#);
    check(STACK, &text("true"), r#"{"x": "true"}"#);
    check(STACK, &text("'{1,null}'"), r#"{"x": ["1","null"]}"#);
    check(STACK, "{parameters: [{name: x}]}", r#"{"x": ""}"#);
}

#[test]
fn later_kinds_of_values_precede_earlier_ones() {
    let files = "valueFiles: [$values/apps/values/one.yaml, $values/apps/values/two.yaml]";
    check(
        STACK,
        &format!("{{{files}}}"),
        r#"{"a": {"b": "one", "c": "two", "l": [1,2]}}"#,
    );
    let inline = "values: 'a: {b: text, c: text}', valuesObject: {a: {c: object}}";
    check(
        STACK,
        &format!("{{{inline}, {files}}}"),
        r#"{"a": {"b": "one", "c": "object", "l": [1,2]}}"#,
    );
    let parameters = "parameters: [{name: 'a.l[1]', value: x}, {name: a.c, value: s, forceString: true}, {name: a.c, value: set}]";
    check(
        STACK,
        &format!("{{{parameters}, {inline}, {files}}}"),
        r#"{"a": {"b": "one", "c": "s", "l": [1,"x"]}}"#,
    );
    let file = "fileParameters: [{name: a.c, path: $values/c/text.yaml}]";
    check(
        STACK,
        &format!("{{{file}, {parameters}, {files}}}"),
        r#"{"a": {"b": "one", "c": "k: v\n", "l": [1,"x"]}}"#,
    );
}

#[test]
fn values_are_put_over_those_of_a_chart_of_the_repository() {
    let chart = "path: c";
    check(
        chart,
        "{}",
        r#"{"a": {"b": "own", "c": "own", "d": "own", "l": [0]}}"#,
    );
    // An index counts in the lists that are given to Helm: a list of the chart gives way.
    let index = "parameters: [{name: 'al.a.l[1]', value: x}]";
    check(
        chart,
        &format!("{{valueFiles: [prod.yaml], {index}}}"),
        r#"{"a": {"b": "prod", "c": "own", "d": "own", "l": [1,"x"]}}"#,
    );
    check(
        chart,
        &format!("{{{index}}}"),
        r#"{"a": {"b": "own", "c": "own", "d": "own", "l": [null,"x"]}}"#,
    );
    let file = "fileParameters: [{name: al.a.b, path: text.yaml}]";
    check(
        chart,
        &format!("{{{file}}}"),
        r#"{"a": {"b": "k: v\n", "c": "own", "d": "own", "l": [0]}}"#,
    );
    let ignores =
        |ignores: bool| format!("{{valueFiles: [none.yaml], ignoreMissingValueFiles: {ignores}}}");
    assert_eq!(made(chart, &ignores(true)).1, 0);
    assert_eq!(made(chart, &ignores(false)).1, 1);
}

#[test]
fn the_namespace_of_helm_precedes_that_of_the_destination() {
    for (helm, expected) in [
        ("{}", Some("monitoring")),
        ("{namespace: other}", Some("other")),
        ("{namespace: ''}", Some("monitoring")),
        ("{namespace: null}", Some("monitoring")),
    ] {
        let whole = format!(
            "{{metadata: {{name: m}}, spec: {{destination: {{namespace: monitoring}}, source: {{{STACK}, helm: {helm}}}}}}}"
        );
        let root = embedded::root(FileId::new(0), &whole).expect("YAML");
        let sources = Sources::default();
        let releases = application(&root, &ChartSources::new(&sources, false));
        let own = releases[0].namespace.as_ref();
        assert_eq!(own.map(|(name, _)| name.as_str()), expected, "{helm}");
    }
}
