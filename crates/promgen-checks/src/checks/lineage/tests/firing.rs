//! Tests of alerts that always or never fire, and of names that are almost recorded.

use super::found;

/// What is found of rules, and of objects beside them.
fn told(codes: &[&str], rules: &str, more: &str) -> Vec<String> {
    let text = format!(
        "{{apiVersion: monitoring.coreos.com/v1, kind: PrometheusRule, metadata: {{name: r, namespace: shop}}, spec: {{groups: [{{name: g, rules: [{rules}]}}]}}}}\n{more}"
    );
    found(codes, &text)
}

fn of_alert(expression: &str) -> Vec<String> {
    let rule = format!("{{alert: Late, expr: '{expression}'}}");
    told(&["PG63"], &rule, "")
}

#[test]
fn an_alert_that_compares_nothing_is_told_with_the_cause() {
    for (expression, cause) in [
        (
            "rate(a_total[5m]) / rate(b_total[5m])",
            "nothing in it filters them",
        ),
        ("(a > bool 5) and on (pod) b", "`> bool` keeps every series"),
        (
            "rate(a[5m]) >= rate(a[5m])",
            "both sides of `>=` are the same",
        ),
        ("b and a <= a", "both sides of `<=` are the same"),
        (
            "max by (job) (a) >= (max by (job) (a))",
            "both sides of `>=` are the same",
        ),
        (
            "sum(rate(a[5m])) >= 0",
            "is never below 0, so `>= 0` always holds",
        ),
        (
            "sum(a) or vector(0) == 0",
            "the side `vector(0) == 0` of `or` is always there",
        ),
    ] {
        let told = of_alert(expression);
        assert!(
            told.len() == 1 && told[0].contains(cause),
            "{expression}: {told:?}"
        );
        assert!(
            told[0].starts_with("PG630 warning 1: alert Late"),
            "{told:?}"
        );
    }
    let rate = |rest: &str| {
        told(
            &["PG630"],
            &format!("{{{rest}, expr: 'sum(rate(a[5m]))'}}"),
            "",
        )
    };
    assert_eq!(rate("alert: A").len(), 1);
    for on_purpose in [
        "record: \"a:b\"",
        "alert: DeadMansSwitch",
        "alert: A, labels: {severity: none}",
    ] {
        assert_eq!(rate(on_purpose), Vec::<String>::new(), "{on_purpose}");
    }
    for watchdog in ["vector(1)", "vector(1) == 1", "hour() >= 0"] {
        assert_eq!(of_alert(watchdog), Vec::<String>::new(), "{watchdog}");
    }
    for always in ["vector(0)", "sum(a{b=\"c\"})"] {
        assert_eq!(of_alert(always).len(), 1, "{always}");
    }
}

#[test]
fn an_alert_on_what_is_recorded_fires_as_the_rule_does() {
    let told = |recorded: &str| {
        let rules = format!("{{record: \"a:b\", expr: '{recorded}'}}, {{alert: A, expr: \"a:b\"}}");
        told(&["PG630"], &rules, "").len()
    };
    assert_eq!(told("sum by (job) (rate(a[5m]))"), 1);
    assert_eq!(told("sum by (job) (rate(a[5m])) > 5"), 0);
    assert_eq!(told("count by (job) (ALERTS)"), 0);
    assert_eq!(told("count(up == 0) or vector(0)"), 1);
    assert_eq!(told("vector(0)"), 0);
}

#[test]
fn what_is_always_recorded_is_never_absent() {
    let told = |recorded: &str, expression: &str, more: &str| {
        let rules = format!(
            "{{record: \"a:b\", expr: '{recorded}'}}, {{alert: Watchdog, expr: vector(1)}}, {{alert: A, expr: '{expression}'}}"
        );
        told(&["PG63"], &rules, more).join("\n")
    };
    let server = "---\n{apiVersion: monitoring.coreos.com/v1, kind: Prometheus, metadata: {name: main, namespace: shop}, spec: {ruleSelector: {}}}\n";
    let always = "count(up == 0) or vector(0)";
    for (expression, cause) in [
        ("absent(a:b)", "what `absent` asks for is always there"),
        ("a:b < 0", "so `< 0` never holds"),
        ("a:b >= 0", "so `>= 0` always holds"),
        (
            "absent(ALERTS{alertname=\"Watchdog\"})",
            "what `absent` asks for is always there",
        ),
    ] {
        let told = told(always, expression, server);
        assert!(told.contains(cause), "{expression}: {told}");
    }
    let enforcing = server.replace("ruleSelector", "enforcedNamespaceLabel: team, ruleSelector");
    for (recorded, expression, more) in [
        (always, "absent(a:b{job=\"c\"})", server),
        (always, "absent(a:b)", ""),
        (always, "absent(a:b)", &enforcing),
        (always, "a:b > 0", server),
        (always, "a:b{job=\"c\"}", server),
        ("count(up == 0)", "absent(a:b)", server),
        (always, "absent(ALERTS{alertname=\"Watchdogs\"})", server),
        (always, "absent(ALERTS{alertname=\"A\"})", server),
        ("vector(1)", "a:b == 0", server),
    ] {
        let told = told(recorded, expression, more);
        assert!(
            !told.contains("PG630") && !told.contains("PG631"),
            "{expression}: {told}"
        );
    }
}

#[test]
fn a_rule_without_a_result_is_told_with_the_cause() {
    for (expression, cause) in [
        (
            "absent_over_time(a[5m]) < 1",
            "is 1 wherever it has a value",
        ),
        (
            "count(up{job=\"a\"}) == 0",
            "is never below 1 wherever it has a value",
        ),
        ("a > 10 and a < 5", "its conditions contradict each other"),
        ("b and on () up > 1", "`up` is from 0 to 1"),
        (
            "absent(sum(a) or vector(0))",
            "what `absent` asks for is always there",
        ),
        ("a < -Inf", "`a` is from -Inf to +Inf"),
        ("a == NaN", "no comparison with `NaN` holds"),
        ("a unless a", "both sides of the operator are the same"),
        ("up == 0 unless up", "`unless` takes all away"),
        ("a > 5 unless on () vector(1)", "`unless` takes all away"),
        ("probe_success > 1", "`probe_success` is from 0 to 1"),
        (
            "kube_pod_status_phase{phase=\"CrashLoopBackOff\"} > 0",
            "`phase` of `kube_pod_status_phase` has no such value",
        ),
        ("vector(0) > 1", "`vector(0)` is 0"),
        (
            "ALERTS{alertstate=\"fireing\"}",
            "`alertstate` of `ALERTS` has no such value",
        ),
    ] {
        let told = of_alert(expression);
        assert!(
            told.len() == 1 && told[0].starts_with("PG631 ") && told[0].contains(cause),
            "{expression}: {told:?}"
        );
    }
    for alive in [
        "count(a) == 0 or absent(a)",
        "b unless count(a) == 0",
        "a == a",
        "a >= a offset 1h",
        "sum by (job) (a) >= on (job) sum by (job) (a)",
    ] {
        assert_eq!(of_alert(alive), Vec::<String>::new(), "{alive}");
    }
}

#[test]
fn what_reads_no_series_may_be_switched_off() {
    assert!(of_alert("vector(0) == 1")[0].starts_with("PG631 info"));
    assert!(of_alert("up > 1")[0].starts_with("PG631 warning"));
}

#[test]
fn an_alert_that_is_almost_called_so_is_told() {
    let told = |expression: &str| {
        let rules = format!(
            "{{alert: CartDown, expr: up == 0}}, {{alert: DiskFullIn5m, expr: up == 0}}, {{alert: Q, expr: '{expression}'}}"
        );
        told(&["PG633"], &rules, "")
    };
    for name in ["Cartdown", "CatDown", "DiskFulIn5m"] {
        for expression in [
            format!("ALERTS{{alertname=\"{name}\"}} == 1"),
            format!("count(ALERTS_FOR_STATE{{alertname=\"{name}\", job=\"a\"}}) > 1"),
        ] {
            assert_eq!(told(&expression).len(), 1, "{expression}");
        }
    }
    for expression in [
        "ALERTS{alertname=\"CartDown\"}",
        "ALERTS{alertname=\"DiskFullIn1m\"}",
        "ALERTS{alertname=\"StockLow\"}",
        "ALERTS{alertname!=\"Cartdown\"}",
        "other{alertname=\"Cartdown\"}",
        "ALERTS{job=\"Cartdown\"}",
    ] {
        assert_eq!(told(expression), Vec::<String>::new(), "{expression}");
    }
}

#[test]
fn a_group_that_the_pattern_of_label_replace_lacks_is_told() {
    let told = |call: &str| {
        let rule = format!("{{alert: A, expr: 'label_replace(up, \"a\", {call}) == 0'}}");
        told(&["PG408"], &rule, "")
    };
    for call in [
        r#""$2", "job", "(.*)""#,
        r#""x-${1}", "job", ".*""#,
        r#""$1_b", "job", `(\d+)`"#,
    ] {
        assert_eq!(told(call).len(), 1, "{call}");
    }
    for call in [
        r#""$2", "job", "(.)(.*)""#,
        r#""x", "", """#,
        r#""$name", "job", "(?P<name>.*)""#,
        r#""${ENV}", "job", "(.*)""#,
        r#""$2", "job", "${PATTERN}""#,
        r#""$0$$2", "job", ".*""#,
    ] {
        assert_eq!(told(call), Vec::<String>::new(), "{call}");
    }
}

#[test]
fn the_up_of_a_static_target_is_never_absent() {
    let told = |config: &str, server: &str, expression: &str| {
        let more = format!(
            "---\n{{apiVersion: monitoring.coreos.com/v1, kind: Prometheus, metadata: {{name: main, namespace: shop}}, spec: {{{server}scrapeConfigSelector: {{}}, ruleSelector: {{}}}}}}\n---\n\
             {{apiVersion: monitoring.coreos.com/v1alpha1, kind: ScrapeConfig, metadata: {{name: till, namespace: shop}}, spec: {{jobName: till, {config}}}}}\n"
        );
        told(
            &["PG631"],
            &format!("{{alert: Gone, expr: '{expression}'}}"),
            &more,
        )
        .len()
    };
    let fixed = "staticConfigs: [{targets: [\"till:80\"]}]";
    let gone = "absent(up{job=\"till\"})";
    assert_eq!(told(fixed, "", gone), 1);
    assert_eq!(told(fixed, "shards: 2, ", gone), 0, "another shard has it");
    assert_eq!(told(fixed, "", "absent(up{job=\"till\"} == 1)"), 0);
    assert_eq!(told(fixed, "", "absent(till_total{job=\"till\"})"), 0);
    assert_eq!(
        told(
            fixed,
            "",
            "absent(up{job=\"till\"}) or up{job=\"till\"} == 0"
        ),
        0
    );
    assert_eq!(told("kubernetesSDConfigs: [{role: Pod}]", "", gone), 0);
    let dropped = format!(
        "{fixed}, relabelings: [{{action: Drop, sourceLabels: [__address__], regex: 'till.+'}}]"
    );
    assert_eq!(told(&dropped, "", gone), 0);
}

#[test]
fn recorded_labels_keep_sides_apart_whoever_evaluates_them() {
    let rules = "{record: \"node:a:max\", expr: max by (node) (a)}, {record: \"site:b:max\", expr: max by (site) (b)}, \
         {alert: A, expr: \"node:a:max == 0 unless site:b:max == 1\"}";
    assert_eq!(told(&["PG627"], rules, "").len(), 1);
    assert!(told(&["PG627"], &rules.replace("unless", "unless on ()"), "").is_empty());
    assert!(told(&["PG627"], &rules.replace("by (site)", "by (node)"), "").is_empty());
    let other = format!("{rules}, {{record: \"site:b:max\", expr: max by (node) (c)}}");
    assert!(told(&["PG627"], &other, "").is_empty());
    let ruler = "---\n{apiVersion: monitoring.coreos.com/v1, kind: ThanosRuler, metadata: {name: t, namespace: shop}, spec: {ruleSelector: {}, queryEndpoints: [q]}}\n";
    assert_eq!(told(&["PG627"], rules, ruler).len(), 1);
}

#[test]
fn a_name_that_is_almost_recorded_is_told() {
    let all = |rules: &str| told(&["PG633"], rules, "");
    let told = |rules: &str| all(rules).len();
    let made = "{record: \"job:sales:rate_5m\", expr: 'rate(a[5m])'}";
    let read = "{alert: A, expr: \"job:sales:rate5m < 1\"}";
    assert_eq!(told(&format!("{made}, {read}")), 1);
    assert_eq!(told(read), 0);
    let also = "{alert: B, expr: \"job:sales:rate_5m < 1\"}";
    let with_reader = all(&format!("{made}, {read}, {also}"));
    assert!(
        with_reader.len() == 1 && with_reader[0].starts_with("PG633 info"),
        "{with_reader:?}"
    );
    let both = "{record: \"job:sales:rate5m\", expr: 'rate(a[5m])'}";
    assert_eq!(told(&format!("{made}, {both}, {read}")), 0);
}
