//! Texts and verdicts as apimachinery v0.36 gives them.

use crate::labels::*;

fn labels(pairs: &[(&str, &str)]) -> StringMap {
    pairs
        .iter()
        .map(|(key, value)| ((*key).into(), (*value).into()))
        .collect()
}

fn expression(key: &str, operator: &str, values: &[&str]) -> LabelSelectorRequirement {
    let values = values.iter().map(|value| (*value).to_owned()).collect();
    LabelSelectorRequirement {
        key: key.to_owned(),
        operator: operator.to_owned(),
        values: Some(values),
    }
}

fn selector(
    equal: &[(&str, &str)],
    expressions: &[LabelSelectorRequirement],
) -> Result<Selector, String> {
    Selector::new(&LabelSelector {
        match_labels: Some(labels(equal)),
        match_expressions: Some(expressions.to_vec()),
    })
}

#[test]
fn operators_mean_what_they_say() {
    let cases = [
        (
            expression("a", "In", &["x", "y"]),
            "a in (x,y)",
            [true, false, false],
        ),
        (
            expression("a", "NotIn", &["x"]),
            "a notin (x)",
            [false, true, true],
        ),
        (expression("a", "Exists", &[]), "a", [true, true, false]),
        (
            expression("a", "DoesNotExist", &[]),
            "!a",
            [false, false, true],
        ),
    ];
    for (expression, text, expected) in cases {
        let selector = selector(&[], &[expression]).expect("valid");
        let given = [
            labels(&[("a", "x")]),
            labels(&[("a", "z")]),
            labels(&[("b", "x")]),
        ];
        assert_eq!(selector.to_string(), text);
        assert_eq!(
            given.map(|labels| selector.matches(&labels)),
            expected,
            "{text}"
        );
    }
}

#[test]
fn an_empty_selector_picks_everything() {
    let everything = selector(&[], &[]).expect("valid");
    assert!(everything.matches(&labels(&[])) && everything.matches(&labels(&[("a", "b")])));
    assert_eq!(everything.to_string(), "");
}

#[test]
fn the_text_is_sorted_by_key_and_value() {
    let expressions = [
        expression("d", "DoesNotExist", &[]),
        expression("c", "In", &["y", "x", "x"]),
    ];
    let selector = selector(&[("e", ""), ("a", "b")], &expressions).expect("valid");
    assert_eq!(selector.to_string(), "a=b,c in (x,x,y),!d,e=");
    let failing = selector
        .first_mismatch(&labels(&[("a", "b")]))
        .map(ToString::to_string);
    assert_eq!(failing.as_deref(), Some("c in (x,x,y)"));
}

#[test]
fn errors_are_in_kubernetes_words() {
    let text = |expression| selector(&[], &[expression]).expect_err("refused");
    assert_eq!(
        text(expression("a", "in", &["x"])),
        "\"in\" is not a valid label selector operator"
    );
    assert_eq!(
        text(expression("a", "In", &[])),
        "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty"
    );
    assert_eq!(
        text(expression("a", "Exists", &["x", "<"])),
        "[values: Invalid value: [\"x\",\"\\u003c\"]: values set must be empty for exists and does not exist, \
         values[1][a]: Invalid value: \"<\": a valid label must be an empty string or consist of alphanumeric characters, \
         '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or \
         '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')]"
    );
    assert_eq!(
        selector(&[("/", "x")], &[]).expect_err("refused"),
        "key: Invalid value: \"/\": prefix part must be non-empty; name part must be non-empty; name part must consist of \
         alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  \
         or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
    );
}

#[test]
fn lengths_are_limited() {
    assert_eq!(names::label_value_errors(&"a".repeat(63)), [""; 0]);
    assert_eq!(
        names::label_value_errors(&"a".repeat(64)),
        ["must be no more than 63 bytes"]
    );
    assert_eq!(
        names::label_key_errors(&format!("a/{}", "b".repeat(64))),
        ["name part must be no more than 63 bytes"]
    );
    assert_eq!(
        names::label_key_errors(&format!("{}/b", "a".repeat(254))),
        ["prefix part must be no more than 253 bytes"]
    );
}
