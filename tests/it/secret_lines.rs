//! Lines of a Secret are shown by no format of findings.

use promgen::{Input, Options};
use promgen_text::diag::format::text::{Style, render};
use promgen_text::diag::format::{github, json, junit, markdown, sarif};

use crate::support::lint;

fn told(text: &str) -> String {
    let options = Options::default();
    let output = lint(&[Input::new("a.yaml", text)], &options);
    let (found, sources) = (&output.diagnostics, &output.sources);
    assert!(!found.is_empty(), "{text}");
    let mut told: String = found
        .iter()
        .map(|found| render(found, sources, Style::default()))
        .collect();
    let mut out = Vec::new();
    sarif::write(found, &[], sources, &mut out).unwrap();
    for write in [json::write, github::write, junit::write, markdown::write] {
        write(found, sources, &mut out).unwrap();
    }
    told.push_str(&String::from_utf8(out).unwrap());
    told
}

#[test]
fn values_of_a_secret_are_never_shown() {
    let head = "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\n";
    for rest in [
        "stringData:\n  password: 4711\n",
        "stringData:\n  password: [4711]\n",
        "data:\n  password: 4711%%\n  other: 4711\n",
        "stringData: {password: x4711, password: y4711}\n",
        "stringData:\n  password: x4711\n  password:\n    y4711\n",
        "stringData:\n  password: \"4711\n",
    ] {
        let told = told(&format!("{head}{rest}"));
        assert!(!told.contains("4711"), "{rest}: {told}");
        assert!(told.contains("a.yaml:"), "{told}");
    }
}

#[test]
fn neighbours_of_a_secret_on_its_line_are_not_shown_either() {
    let text = "{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: Secret, metadata: {name: a}, data: {a: NDcxMQ==}}, {apiVersion: v1, kind: ConfigMap, metadata: {name: b}, data: {a: 1}}]}\n";
    assert!(!told(text).contains("NDcxMQ"));
}

#[test]
fn what_is_no_secret_is_shown() {
    let head = "apiVersion: v1\nkind: Secret\nmetadata: {name: 12}\nstringData: {a: b}\n";
    assert!(told(head).contains("metadata: {name: 12}"));
    let told = told("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  a: 4711\n");
    assert!(told.contains("a: 4711"), "{told}");
}
