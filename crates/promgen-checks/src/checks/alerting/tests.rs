//! The family about rules, case by case.

use crate::checks::found::found;

fn manifests(server: &str, group: &str) -> String {
    format!(
        "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {{name: p}}\nspec: {{{server}}}\n---\n\
         apiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata: {{name: r}}\nspec: {{groups: [{group}]}}\n"
    )
}

#[test]
fn intervals_beyond_the_look_back_are_told() {
    let group = "{name: a, interval: 6m, rules: [{record: b, expr: c}]}";
    let told = found(&["PG603"], &manifests("ruleSelector: {}", group));
    assert_eq!(told.len(), 1);
    assert!(
        told[0].contains("the group records every 6m, but Prometheus default/p looks back only 5m"),
        "{told:?}"
    );
    for (server, group) in [
        ("ruleSelector: {}, query: {lookbackDelta: 10m}", group),
        ("ruleSelector: {matchLabels: {a: b}}", group),
        (
            "ruleSelector: {}",
            "{name: a, interval: 5m, rules: [{record: b, expr: c}]}",
        ),
        (
            "ruleSelector: {}",
            "{name: a, interval: 6m, rules: [{alert: b, expr: c}]}",
        ),
    ] {
        assert_eq!(
            found(&["PG603"], &manifests(server, group)),
            Vec::<String>::new(),
            "{server} {group}"
        );
    }
}

#[test]
fn rules_that_need_all_targets_are_told_where_there_are_shards() {
    let group = "{name: a, rules: [{alert: b, expr: absent(up)}, {record: c, expr: sum(d)}, {record: e, expr: f}]}";
    let told = found(&["PG602"], &manifests("shards: 2, ruleSelector: {}", group));
    assert_eq!(
        told.iter()
            .map(|line| line.split(' ').nth(1).unwrap())
            .collect::<Vec<_>>(),
        ["warning", "info"]
    );
    assert!(told[0].contains(
        "`absent` returns a value on every shard that does not scrape the target, and Prometheus default/p has 2 shards"
    ));
    assert_eq!(
        found(&["PG602"], &manifests("ruleSelector: {}", group)),
        Vec::<String>::new()
    );
}

#[test]
fn rules_with_the_same_name_and_labels_are_told() {
    let rule = |labels: &str| format!("{{alert: b, expr: c, labels: {{{labels}}}}}");
    let group = |a: &str, b: &str| {
        manifests(
            "",
            &format!(
                "{{name: a, labels: {{t: x}}, rules: [{}, {}]}}",
                rule(a),
                rule(b)
            ),
        )
    };
    let other = group("s: one", "s: one").replacen("expr: c", "expr: d", 1);
    assert!(found(&["PG601"], &other)[0].starts_with("PG601 info"));
    assert_eq!(found(&["PG601"], &group("s: one", "s: one")).len(), 1);
    assert_eq!(found(&["PG601"], &group("t: x", "")).len(), 1);
    assert_eq!(
        found(&["PG601"], &group("s: one", "s: two")),
        Vec::<String>::new()
    );
}

#[test]
fn a_label_that_a_text_lacks_is_grave_where_it_is_read_first_or_routed_by() {
    let rule = |text: &str| format!("{{alert: A, expr: sum by (job) (up) < 1, {text}}}");
    let told = |rules: &[&str]| {
        let rules: Vec<String> = rules.iter().map(|text| rule(text)).collect();
        found(
            &["PG605"],
            &manifests(
                "ruleSelector: {}",
                &format!("{{name: a, rules: [{}]}}", rules.join(", ")),
            ),
        )
    };
    for (text, level) in [
        ("annotations: {summary: '{{ $labels.pod }}'}", "warning"),
        ("labels: {team: '{{ $labels.team }}'}", "warning"),
        (
            "labels: {pod: any}, annotations: {description: '{{ $labels.pod }}'}",
            "warning",
        ),
        (
            "labels: {tier: any}, annotations: {description: '{{ $labels.pod }}'}",
            "info",
        ),
        (
            "annotations: {message: '{{ $labels.pod }} of {{ $labels.job }}'}",
            "info",
        ),
    ] {
        let told = told(&[text]);
        assert!(
            told.len() == 1 && told[0].starts_with(&format!("PG605 {level} ")),
            "{text}: {told:?}"
        );
    }
    assert!(told(&["annotations: {summary: '{{ $labels.job }}'}"]).is_empty());
    let pod = "annotations: {description: '{{ $labels.pod }}'}";
    let summary = "annotations: {summary: '{{ $labels.pod }}'}";
    let all = told(&[
        pod,
        pod,
        pod,
        pod,
        pod,
        summary,
        "annotations: {description: '{{ $labels.node }}'}",
    ]);
    assert_eq!(all.len(), 2, "one for the labels that are missed: {all:?}");
    assert!(
        all[0].starts_with("PG605 warning ") && all[1].starts_with("PG605 info "),
        "{all:?}"
    );
}

#[test]
fn rules_of_one_name_whose_series_differ_are_not_told() {
    let told = |one: &str, other: &str| {
        let group = format!(
            "{{name: a, rules: [{{alert: b, expr: '{one}'}}, {{alert: b, expr: '{other}'}}]}}"
        );
        found(&["PG601"], &manifests("", &group)).len()
    };
    for (one, other) in [
        ("up{job=\"a\"} == 0", "up{job=\"b\"} == 0"),
        (
            "sum by (code) (x{code=\"500\"}) > 1",
            "sum by (code) (x{code=\"404\"}) > 1",
        ),
        ("x{code=~\"1|2\"} > 1", "x{code=\"3\"} > 1"),
        ("absent(up{job=\"a\"})", "absent(up{job=\"b\"})"),
    ] {
        assert_eq!(told(one, other), 0, "{one} {other}");
    }
    for (one, other) in [
        (
            "sum by (job) (x{code=\"500\"}) > 1",
            "sum by (job) (x{code=\"404\"}) > 1",
        ),
        ("sum(x{code=\"500\"}) > 1", "sum(x{code=\"404\"}) > 1"),
        ("x{code=~\"1|2\"} > 1", "x{code=\"2\"} > 1"),
        ("x{code=\"1\"} > 1", "y > 1"),
    ] {
        assert_eq!(told(one, other), 1, "{one} {other}");
    }
}

#[test]
fn patterns_that_are_compared_as_text_are_told() {
    let told = |matcher: &str| {
        let group = format!("{{name: a, rules: [{{alert: b, expr: 'x{{{matcher}}} > 1'}}]}}");
        found(&["PG608"], &manifests("", &group)).len()
    };
    for pattern in [
        "code=\"5..\"",
        "status!=\"(4..)\"",
        "code=\"50.\"",
        "code=\"[45]..\"",
        "code=\"5[0-9]{2}\"",
        "path=\"^/api\"",
        "pod=\"cart-*\"",
        "namespace=\"a|b c\"",
        "code=\"5\\\\d\\\\d\"",
    ] {
        assert_eq!(told(pattern), 1, "{pattern}");
    }
    for text in [
        "version=\"1.5..\"",
        "path=\"/api/..\"",
        "code=\"5xx\"",
        "host=\"*.shop.example\"",
        "verb=\"*\"",
        "le=\"10\"",
        "instance=\"[::1]:9090\"",
        "pod=\"$pod\"",
        "code=~\"5..\"",
        "le=\"+Inf\"",
        "volume=\"C:\\\\data\"",
    ] {
        assert_eq!(told(text), 0, "{text}");
    }
}

#[test]
fn a_template_as_the_name_of_an_alert_is_told() {
    let told = |name: &str| {
        let group = format!("{{name: a, rules: [{{alert: '{name}', expr: c}}]}}");
        found(&["PG632"], &manifests("", &group)).len()
    };
    let in_rule = |rule: &str| {
        let group = format!("{{name: a, rules: [{rule}]}}");
        found(&["PG632"], &manifests("", &group)).len()
    };
    let by_label = "expr: 'up{job=\"{{ $labels.job }}\"}'";
    assert_eq!(in_rule(&format!("{{alert: a, {by_label}}}")), 1);
    assert_eq!(in_rule(&format!("{{record: a, {by_label}}}")), 1);
    assert_eq!(
        in_rule("{record: a, expr: b, labels: {job: '{{ $labels.job }}'}}"),
        1
    );
    for rule in [
        "{alert: a, expr: b, labels: {job: '{{ $labels.job }}'}}",
        "{record: a, expr: 'b{c=\"{{ .Values.job }}\"}', labels: {job: '{{ .Values.job }}'}}",
        "{record: a, expr: b, labels: {job: '$labels.job'}}",
    ] {
        assert_eq!(in_rule(rule), 0, "{rule}");
    }
    for template in [
        "{{ $labels.job }} is down",
        "Down {{ .Labels.job }}",
        "Over {{ $value | humanize }}",
    ] {
        assert_eq!(told(template), 1, "{template}");
    }
    for name in [
        "Down",
        "{{ .Values.name }}Down",
        "$labels.job",
        "{{ include \"x\" . }}",
    ] {
        assert_eq!(told(name), 0, "{name}");
    }
}

#[test]
fn texts_of_alerts_whose_template_cannot_work_are_told() {
    let told = |text: &str| {
        let group =
            format!("{{name: a, rules: [{{alert: A, expr: c, annotations: {{b: '{text}'}}}}]}}");
        found(&["PG629"], &manifests("", &group)).concat()
    };
    for (text, words) in [
        ("{{ .labels.job }}", "`.labels`"),
        ("{{ .value }}", "`.value`"),
        ("{{ .CommonLabels.job }} is down", "`.CommonLabels`"),
        ("{{ range .Alerts }}{{ .Labels.a }}{{ end }}", "`.Alerts`"),
        ("{{ .Annotations.summary }}", "`.Annotations`"),
        ("{{ $labels.job }} {{ .instance }}", "`.instance`"),
        ("{{ if gt $value 5 }}a{{ end }}", "`gt $value 5`"),
        ("{{ printf \"%d\" $value }}", "`%!d(float64=…)`"),
        ("$labels.job is down", "outside"),
        (
            "{{ with query \"up\" }}{{ . | first | value | eq 1 }}{{ end }}",
            "`… | eq 1`",
        ),
    ] {
        assert!(told(text).contains(words), "{text}: {}", told(text));
    }
    for text in [
        "{{ $labels.job }} {{ .Labels.a }} {{ $value | humanize }}",
        "{{ .Values.name }} {{ .Release.Name }}",
        "{{ .cluster }} ${X} costs $5",
        "{{ range query \"up\" }}{{ .Labels.a }}{{ .Value }}{{ end }}",
        "{{ if gt $value 5.0 }}a{{ end }}{{ printf \"%.0f\" $value }}",
        "{{ with $labels }}{{ .job }}{{ end }}",
    ] {
        assert_eq!(told(text), "", "{text}");
    }
    let recording = "{name: a, rules: [{record: b, expr: c, labels: {d: \"$labels.job\"}}]}";
    assert!(found(&["PG629"], &manifests("", recording)).is_empty());
}
