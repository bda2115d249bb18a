//! PrometheusRules and their files.

use promgen_text::diag::Sink;
use promgen_text::source::FileId;

use crate::select::rule_files::*;

fn spec(groups: &str) -> PrometheusRuleSpec {
    let text = format!("groups: {groups}");
    let parsed = promgen_text::yaml::read::read(FileId::new(0), &text, &mut Sink::default());
    promgen_text::yaml::decode(&parsed[0].root).unwrap()
}

fn versions(prometheus: &str) -> Versions {
    let target = promgen_resources::gates::Target {
        default_prometheus: Some(prometheus.to_owned()),
        ..Default::default()
    };
    Versions::of_target(&target)
}

fn for_thanos(groups: &str, thanos: &str) -> RuleFileResult {
    let spec = spec(groups);
    let thanos = promgen_text::version::Version::parse(thanos).unwrap();
    let versions = Versions {
        thanos,
        ..versions("v3.0.0")
    };
    write(
        &spec,
        RuleTarget {
            versions: &versions,
            reader: RuleEvaluator::Thanos,
            features: Features::default(),
        },
        None,
    )
}

fn outcome(groups: &str, prometheus: &str, enforced: Option<EnforcedLabel<'_>>) -> RuleFileResult {
    let spec = spec(groups);
    let versions = versions(prometheus);
    write(
        &spec,
        RuleTarget {
            versions: &versions,
            reader: RuleEvaluator::Prometheus,
            features: Features::default(),
        },
        enforced,
    )
}

fn written(groups: &str, prometheus: &str) -> WrittenRuleFile {
    match outcome(groups, prometheus, None) {
        RuleFileResult::Written(written) => written,
        other => panic!("{other:?}"),
    }
}

/// Faults of one rule, with their place in it.
fn faults(rule: &str, prometheus: &str) -> Vec<String> {
    match outcome(&format!("[{{name: g, rules: [{rule}]}}]"), prometheus, None) {
        RuleFileResult::Refused(message, faults) => {
            assert_eq!(message, "invalid rule");
            let place =
                |route: &ValueRoute| route.to_string().replace("spec.groups[0].rules[0]", "");
            faults
                .iter()
                .map(|fault| format!("{}: {}", place(&fault.route), fault.message))
                .collect()
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn keys_are_sorted_and_what_is_empty_goes_but_for_durations() {
    let groups = "[{rules: [{labels: {}, record: r, alert: '', for: '', expr: 1}], name: g, interval: '', limit: 0}]";
    let text = "groups:\n- interval: \"\"\n  limit: 0\n  name: g\n  rules:\n  - expr: 1\n    for: \"\"\n    record: r\n";
    assert_eq!(written(groups, "v3.0.0").text, text);
    assert_eq!(written("[]", "v3.0.0").text, "{}\n");
}

#[test]
fn fields_that_the_version_lacks_are_left_out() {
    let groups = "[{name: g, limit: 1, query_offset: 1s, partial_response_strategy: warn, labels: {a: b}, rules: [{alert: a, expr: 1, keep_firing_for: 1s}]}]";
    let old = written(groups, "v2.30.0");
    assert_eq!(
        old.text,
        "groups:\n- name: g\n  rules:\n  - alert: a\n    expr: 1\n"
    );
    let dropped: Vec<_> = old
        .dropped
        .iter()
        .map(|(_, route)| route.to_string())
        .collect();
    let group = "spec.groups[0]";
    let expected = [
        "labels",
        "limit",
        "query_offset",
        "rules[0].keep_firing_for",
    ]
    .map(|key| format!("{group}.{key}"));
    assert_eq!(dropped, expected);
    let new = written(groups, "v3.0.0");
    assert!(
        new.dropped.is_empty()
            && new.text.contains("keep_firing_for")
            && !new.text.contains("strategy")
    );
}

#[test]
fn thanos_has_gates_of_its_own() {
    let groups = "[{name: g, limit: 1, query_offset: 1s, partial_response_strategy: warn, labels: {a: b}, rules: [{alert: a, expr: 1, keep_firing_for: 1s}]}]";
    let written = |thanos| match for_thanos(groups, thanos) {
        RuleFileResult::Written(written) => written,
        other => panic!("{other:?}"),
    };
    let old = written("v0.23.0");
    let text = "groups:\n- name: g\n  partial_response_strategy: warn\n  rules:\n  - alert: a\n    expr: 1\n";
    assert_eq!((old.text.as_str(), old.dropped.len()), (text, 4));
    let dropped = |thanos| {
        written(thanos)
            .dropped
            .iter()
            .map(|(gate, _)| gate.name)
            .collect::<Vec<_>>()
            .join(" ")
    };
    let (labels, offset) = ("THANOS_RULE_GROUP_LABELS", "THANOS_RULE_GROUP_QUERY_OFFSET");
    assert_eq!(
        dropped("v0.24.0"),
        format!("{labels} {offset} THANOS_RULE_KEEP_FIRING_FOR")
    );
    assert_eq!(dropped("v0.34.0"), format!("{labels} {offset}"));
    assert_eq!(dropped("v0.38.0"), labels);
    assert_eq!(dropped("v0.39.0"), "");
    let named = "[{name: g, rules: [{alert: a, expr: 1, labels: {é: x}}]}]";
    assert!(matches!(
        for_thanos(named, "v0.37.0"),
        RuleFileResult::Refused(..)
    ));
    assert!(matches!(
        for_thanos(named, "v0.38.0"),
        RuleFileResult::Written(_)
    ));
}

#[test]
fn rules_say_what_they_are() {
    assert_eq!(
        faults("{expr: 1}", "v3.0.0"),
        [": one of 'record' or 'alert' must be set"]
    );
    assert_eq!(
        faults("{expr: 1, alert: a, record: b}", "v3.0.0"),
        [": only one of 'record' and 'alert' must be set"]
    );
    let found = faults(
        "{expr: '', record: 'a{b}', for: 1s, keep_firing_for: 1s, annotations: {c: d}}",
        "v3.0.0",
    );
    let expected = [
        ".expr: field 'expr' must be set in rule",
        ".annotations: invalid field 'annotations' in recording rule",
        ".record: braces present in the recording rule name; should it be in expr?: a{b}",
        ".for: invalid field 'for' in recording rule",
        ".keep_firing_for: invalid field 'keep_firing_for' in recording rule",
    ];
    assert_eq!(found, expected);
}

#[test]
fn names_depend_on_the_version() {
    let rule = "{expr: 1, alert: a, labels: {'b/c': x}, annotations: {'d e': z}}";
    let found = faults(rule, "v2.55.0");
    assert_eq!(
        found,
        [
            ".labels.b/c: invalid label name: b/c",
            ".annotations.d e: invalid annotation name: d e"
        ]
    );
    written(&format!("[{{name: g, rules: [{rule}]}}]"), "v3.0.0");
    assert_eq!(
        faults("{expr: 1, record: 'a.b'}", "v2.55.0"),
        [".record: invalid recording rule name: a.b"]
    );
    written("[{name: g, rules: [{expr: 1, record: 'a:b'}]}]", "v2.55.0");
    let found = faults(
        "{expr: 1, alert: a, labels: {__name__: x}, annotations: {'<<': z}}",
        "v3.0.0",
    );
    assert_eq!(found.len(), 2, "{found:?}");
}

#[test]
fn expressions_and_templates_are_checked() {
    let found = faults(
        "{expr: 'f(1)', alert: a, labels: {l: '{{ x }}'}, annotations: {a: '{{ $labels.b-c }}'}}",
        "v3.0.0",
    );
    assert_eq!(found[0], ".expr: unknown function \"f\"");
    assert_eq!(
        found[1],
        ".labels.l: label \"l\": function \"x\" not defined"
    );
    assert_eq!(
        found[2],
        ".annotations.a: annotation \"a\": bad character '-'"
    );
    // Templates of recorded series are no templates.
    written(
        "[{name: g, rules: [{expr: 1, record: r, labels: {l: '{{ x }}'}}]}]",
        "v3.0.0",
    );
}

#[test]
fn newer_syntax_is_told_and_taken() {
    let groups = "[{name: g, rules: [{expr: 'rate(x[5m] smoothed)', record: r}]}]";
    assert!(matches!(
        outcome(groups, "v3.0.0", None),
        RuleFileResult::Refused(..)
    ));
    let (spec, versions) = (spec(groups), versions("v3.0.0"));
    let features = Features {
        extended_selectors: true,
        ..Features::default()
    };
    let target = RuleTarget {
        versions: &versions,
        reader: RuleEvaluator::Prometheus,
        features,
    };
    let RuleFileResult::Written(written) = write(&spec, target, None) else {
        panic!("written")
    };
    let (construct, route) = &written.unchecked[0];
    assert_eq!(route.to_string(), "spec.groups[0].rules[0].expr");
    assert_eq!(construct.feature, Some("promql-extended-range-selectors"));
}

#[test]
fn groups_have_names_of_their_own_and_durations_that_parse() {
    let RuleFileResult::Refused(_, faults) =
        outcome("[{name: g}, {name: g, query_offset: ''}]", "v3.0.0", None)
    else {
        panic!("refused");
    };
    let messages: Vec<_> = faults.iter().map(|fault| fault.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "groupname: \"g\" is repeated in the same file",
            "empty duration string"
        ]
    );
}

#[test]
fn the_label_is_enforced_in_rules_and_expressions() {
    let enforced = Some(EnforcedLabel {
        label: "namespace",
        value: "team",
        is_3_14: true,
    });
    let groups = |expr: &str| {
        format!("[{{name: g, rules: [{{alert: a, expr: {expr}, labels: {{namespace: x}}}}]}}]")
    };
    let RuleFileResult::Written(written) = outcome(&groups("up == 0"), "v3.0.0", enforced) else {
        panic!("written")
    };
    assert!(
        written
            .text
            .contains("expr: up{namespace=\"team\"} == 0\n    labels:\n      namespace: team\n")
    );
    let RuleFileResult::Written(written) = outcome(&groups("1"), "v3.0.0", enforced) else {
        panic!("written")
    };
    assert!(written.text.contains("expr: \"1\"\n"));
    assert!(matches!(
        outcome(&groups("f(1)"), "v3.0.0", enforced),
        RuleFileResult::PassedOver(_)
    ));
}

#[test]
fn a_file_that_fits_nowhere_is_refused() {
    let rule = |n: usize| {
        format!(
            "[{{name: g, rules: [{{alert: a, expr: 1, annotations: {{a: {}}}}}]}}]",
            "x".repeat(n)
        )
    };
    assert!(matches!(
        outcome(&rule(MAX_BYTES - 200), "v3.0.0", None),
        RuleFileResult::Written(_)
    ));
    let RuleFileResult::Refused(message, faults) = outcome(&rule(MAX_BYTES), "v3.0.0", None) else {
        panic!("refused")
    };
    assert_eq!((message.as_str(), faults.len()), ("invalid rule", 1));
}
