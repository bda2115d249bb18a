//! Reading and running test files.

use crate::discovery::Discovery;
use crate::relabel_test::read::{ReadTests, Suite, read};
use crate::relabel_test::run::{TestResult, TestedOutput, run};
use crate::relabel_test::{Dropping, TestFile, schema};
use promgen_compile::output::Output;
use promgen_text::diag::Level;
use promgen_text::source::Input;
use schemars::{JsonSchema, SchemaGenerator};

/// A rule in Prometheus' form. Only its schema is used: rules are read as Prometheus reads them.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "declared for its schema")]
pub(super) struct InlineRule {
    /// The action. Default `replace`.
    action: Option<String>,
    /// The labels to join.
    source_labels: Option<Vec<String>>,
    /// The separator of joined labels. Default `;`.
    separator: Option<String>,
    /// The label to write.
    target_label: Option<String>,
    /// The pattern that the joined labels must match, from start to end. Default `(.*)`.
    #[schemars(with = "Option<TextOrNumber>")]
    regex: Option<String>,
    /// The modulus of the hash, for `hashmod`.
    modulus: Option<u64>,
    /// The value to write, with groups of the regex. Default `$1`.
    #[schemars(with = "Option<TextOrNumber>")]
    replacement: Option<String>,
}

#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "declared for its schema")]
enum TextOrNumber {
    Text(String),
    Number(i64),
}

fn messages(text: &str) -> Vec<String> {
    let ReadTests {
        suite, diagnostics, ..
    } = read(&Input::new("test.yaml", text));
    assert!(suite.is_none(), "{text}");
    diagnostics
        .into_iter()
        .map(|diagnostic| format!("{}: {}", diagnostic.rule.code, diagnostic.message))
        .collect()
}

/// Runs a test of a file without manifests.
fn run_alone(suite: &Suite, index: usize) -> TestResult {
    let (output, discovery) = (Output::default(), Discovery::default());
    run(
        suite,
        index,
        TestedOutput {
            output: &output,
            discovery: &discovery,
            origins: None,
        },
    )
}

/// The failures of the only test of a file without manifests.
fn failures(text: &str) -> Vec<String> {
    let ReadTests {
        suite, diagnostics, ..
    } = read(&Input::new("test.yaml", text));
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    run_alone(&suite.unwrap(), 0).failures
}

fn own(rules: &str, labels: &str, expect: &str) -> Vec<String> {
    failures(&format!(
        "tests: [{{name: a, relabel_configs: {rules}, labels: {labels}, expect: {expect}}}]"
    ))
}

#[test]
fn the_schema_is_that_of_the_type() {
    let schema = SchemaGenerator::default()
        .into_root_schema_for::<TestFile>()
        .to_value();
    let text = format!("{schema:#}\n");
    promgen_testing::assert_written("crates/promgen-targets/src/relabel_test/schema.json", &text);
}

#[test]
fn expectations_hold_or_say_what_came() {
    let drop = "[{action: drop, source_labels: [a], regex: 1|2}]";
    assert!(own(drop, "{a: '1'}", "{dropped: true}").is_empty());
    assert!(
        own(
            drop,
            "{a: '3'}",
            "{dropped: false, labels: {a: '3'}, contains: {b: ''}}"
        )
        .is_empty()
    );
    assert!(
        own(
            drop,
            "{a: '1'}",
            "{dropped: {by: {rule: 1, action: DROP, regex: 1|2, source_labels: [a]}}}"
        )
        .is_empty()
    );
    assert_eq!(
        own(drop, "{a: '3'}", "{dropped: true}"),
        ["expected to be dropped, but it was kept"]
    );
    assert_eq!(
        own(drop, "{a: '1'}", "{dropped: false}"),
        ["expected not to be dropped, but it was dropped by rule 1"]
    );
    for by in [
        "rule: 2",
        "action: keep",
        "regex: '1'",
        "source_labels: []",
        "field: spec",
        "at: 'a.yaml:1'",
    ] {
        let told = own(drop, "{a: '1'}", &format!("{{dropped: {{by: {{{by}}}}}}}"));
        assert!(
            told[0].ends_with(", but it was dropped by rule 1"),
            "{by}: {told:?}"
        );
    }
    assert_eq!(
        own(drop, "{a: '3'}", "{labels: {a: '4'}}"),
        ["labels differ"]
    );
    assert_eq!(
        own(drop, "{a: '3'}", "{contains: {a: ''}}"),
        ["labels differ"]
    );
    let failed = failures(
        "{manifests: [x], tests: [{name: a, job: j, target: b, expect: {dropped: true}}]}",
    );
    assert_eq!(failed, ["no Prometheus or PrometheusAgent found"]);
}

#[test]
fn what_is_no_test_file_is_told() {
    // Nothing is said of the content of other files.
    for other in [
        "",
        "a",
        "a: b",
        "tests: {enabled: true}",
        "kind: Secret\ntests: []",
        "a: [",
        "A=b",
    ] {
        let read = read(&Input::new("test.yaml", other));
        assert!(
            !read.is_test && read.diagnostics.is_empty() && read.suite.is_none(),
            "{other}"
        );
    }
    assert_eq!(messages("tests: []"), ["PG006: no tests found"]);
    assert_eq!(
        messages("tests: [{}]\n---\ntests: []"),
        ["PG006: a test file must be a single document"]
    );
    assert_eq!(
        messages("tests: 1"),
        ["PG006: expected a list, found number 1"]
    );
    assert_eq!(
        messages("{tests: [{name: a}]}"),
        ["PG006: missing field `expect`"]
    );
    assert_eq!(messages("\u{0}"), messages("\u{0}"));
    assert!(
        messages("tests: [")
            .iter()
            .all(|message| message.starts_with("PG001"))
    );
}

#[test]
fn hostile_files_are_refused_and_cost_little() {
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        bomb += &format!(
            "a{level}: &a{level} [{}]\n",
            vec![format!("*a{}", level - 1); 10].join(", ")
        );
    }
    assert!(!messages(&format!("{bomb}tests: *a11\n")).is_empty());
    assert!(!messages(&format!("tests: {}", "[".repeat(100_000))).is_empty());
    assert!(!messages(&format!("tests: {}", "{a: ".repeat(10_000))).is_empty());
    let deep = format!(
        "tests: [{{name: a, expect: {}1{}}}]",
        "{contains: ".repeat(50),
        "}".repeat(50)
    );
    assert!(!messages(&deep).is_empty());
    let regex = "(((a{1000}){1000}){1000})";
    let told = messages(&format!(
        "tests: [{{name: a, labels: {{}}, relabel_configs: [{{action: keep, regex: '{regex}'}}], expect: {{dropped: true}}}}]"
    ));
    assert_eq!(told.len(), 1, "{told:?}");
}

#[test]
fn anchors_may_be_used() {
    let text = "tests:\n- {name: a, relabel_configs: &rules [{action: drop}], labels: &l {a: b}, expect: {dropped: true}}\n\
                - {name: b, relabel_configs: *rules, labels: *l, expect: {dropped: {by: {rule: 1}}}}\n";
    let suite = read(&Input::new("test.yaml", text)).suite.unwrap();
    assert_eq!(
        suite
            .tests
            .iter()
            .map(|test| test.line)
            .collect::<Vec<_>>()
            .first(),
        Some(&2)
    );
    for index in 0..2 {
        assert!(run_alone(&suite, index).passed());
    }
    assert!(!run_alone(&suite, 2).passed());
    assert!(matches!(
        &suite.file.tests[1].expect.dropped,
        Some(Dropping::Rule(_))
    ));
}

/// What the schema allows is what is read: every key of it, and no other.
#[test]
fn the_schema_is_closed_and_described() {
    let schema = schema();
    let definitions = schema["$defs"].as_object().unwrap();
    for (name, definition) in definitions.iter().chain([(&"file".to_owned(), &schema)]) {
        if let Some(properties) = definition["properties"].as_object() {
            assert_eq!(definition["additionalProperties"], false, "{name}");
            for (key, property) in properties {
                assert!(property["description"].is_string(), "{name}.{key}");
            }
        }
    }
    let read = read(&Input::new(
        "test.yaml",
        "tests: [{name: a, relabel_configs: [], labels: {}, expect: {dropped: true}}]",
    ));
    assert!(
        read.diagnostics
            .iter()
            .all(|diagnostic| diagnostic.level < Level::Error)
    );
}

#[test]
fn tests_of_alerts_are_checked_before_they_run() {
    let told = |test: &str| messages(&format!("{{manifests: [x], tests: [{{name: a, {test}}}]}}"));
    let message = |test: &str| told(test).join("\n");
    let alert = "alert: {labels: {alertname: A}}";
    assert!(message(&format!("{alert}, expect: {{}}")).ends_with("the test has no expectations"));
    assert!(
        message(&format!("{alert}, expect: {{muted: true}}"))
            .ends_with("requires the time of the alert, `at`")
    );
    assert!(
        message(&format!("{alert}, expect: {{dropped: true}}"))
            .contains("`dropped` is not about an alert")
    );
    assert!(
        message(&format!("{alert}, job: b, expect: {{receivers: []}}"))
            .ends_with("both `job` and `alert`")
    );
    assert!(
        message(&format!("{alert}, target: b, expect: {{receivers: []}}"))
            .ends_with("`alert` has no `target`")
    );
    let late = "alert: {labels: {}, at: noon}, expect: {muted: false}";
    assert!(message(late).ends_with("expected a time such as 2026-11-21T08:00:00Z"));
    let rules = "relabel_configs: [], labels: {}, expect: {receivers: []}";
    assert!(message(rules).ends_with("`receivers` requires an `alert`"));
    assert!(
        messages(&format!(
            "tests: [{{name: a, {alert}, expect: {{receivers: []}}}}]"
        ))[0]
            .ends_with("requires `manifests`")
    );
    let failed = failures(&format!(
        "{{manifests: [x], tests: [{{name: a, {alert}, expect: {{receivers: []}}}}]}}"
    ));
    assert_eq!(failed, ["no Alertmanager found"]);
}
