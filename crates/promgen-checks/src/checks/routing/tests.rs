//! The family about routing, case by case.

mod addresses;

use crate::checks::found::found;

const NONE: [String; 0] = [];

/// An Alertmanager whose Secret has that configuration, and a rule.
fn with_secret(config: &str, more: &str) -> String {
    format!(
        "apiVersion: monitoring.coreos.com/v1\nkind: Alertmanager\nmetadata: {{name: main}}\n\
         spec: {{alertmanagerConfigSelector: {{}}}}\n---\n\
         apiVersion: v1\nkind: Secret\nmetadata: {{name: alertmanager-main}}\nstringData:\n  alertmanager.yaml: |\n    {}\n{more}",
        config.replace('\n', "\n    ")
    )
}

fn rule(labels: &str) -> String {
    format!(
        "---\napiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata: {{name: r, namespace: default}}\n\
         spec: {{groups: [{{name: g, rules: [{{alert: Down, expr: up == 0, labels: {{{labels}}}}}]}}]}}\n"
    )
}

fn config(spec: &str) -> String {
    format!(
        "---\napiVersion: monitoring.coreos.com/v1alpha1\nkind: AlertmanagerConfig\nmetadata: {{name: c, namespace: shop}}\n\
         spec: {{receivers: [{{name: a, webhookConfigs: [{{url: 'http://a'}}]}}, {{name: none}}], {spec}}}\n"
    )
}

const RECEIVERS: &str =
    "receivers: [{name: nobody}, {name: chat, webhook_configs: [{url: 'http://chat'}]}]";

#[test]
fn an_alert_without_a_namespace_reaches_no_configuration_of_a_namespace() {
    let told = |expr: &str, labels: &str| {
        let text = format!(
            "apiVersion: monitoring.coreos.com/v1\nkind: Alertmanager\nmetadata: {{name: main, namespace: mon}}\nspec: \
             {{alertmanagerConfigSelector: {{}}, alertmanagerConfigNamespaceSelector: {{}}}}\n---\napiVersion: \
             monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {{name: main, namespace: mon}}\nspec: {{ruleSelector: \
             {{}}, alerting: {{alertmanagers: [{{name: alertmanager-operated, port: web}}]}}}}\n---\napiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata: {{name: r, namespace: \
             mon}}\nspec: {{groups: [{{name: g, rules: [{{alert: Gone, expr: '{expr}', labels: {{{labels}}}}}]}}]}}\n{}",
            config("route: {receiver: a}")
        );
        found(&["PG610"], &text).len()
    };
    assert_eq!(told("absent(up{job=\"cart\"})", "severity: critical"), 1);
    assert_eq!(told("sum by (job) (up) == 0", ""), 1);
    assert_eq!(told("up == 0", ""), 0);
    assert_eq!(told("absent(up{namespace=\"shop\"})", ""), 0);
    assert_eq!(told("absent(up{job=\"cart\"})", "namespace: shop"), 0);
}

#[test]
fn alerts_that_notify_nobody_are_told() {
    let tree =
        |routes: &str| format!("route: {{receiver: nobody, routes: [{routes}]}}\n{RECEIVERS}");
    let told =
        |routes: &str, labels: &str| found(&["PG610"], &with_secret(&tree(routes), &rule(labels)));
    let chat = "{receiver: chat, matchers: [severity=critical]}";
    let of_page = told(chat, "severity: page");
    assert_eq!(of_page.len(), 1);
    let message = "PG610 info 11: 1 alert in the input only reaches a receiver without integrations: Down (line 1 of \
                   alertmanager.yaml)";
    assert!(of_page[0].starts_with(message), "{of_page:?}");
    assert_eq!(told(chat, "severity: critical"), NONE);
    // Series may bring a label that the rule does not set, and a template any value.
    assert_eq!(
        told("{receiver: chat, matchers: [team=shop]}", "severity: page"),
        NONE
    );
    assert_eq!(told(chat, "severity: '{{ $labels.severity }}'"), NONE);
    assert_eq!(
        told(
            "{receiver: chat, matchers: [namespace=shop]}",
            "severity: page"
        ),
        NONE
    );
    let enforcing = "---\napiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {name: p}\nspec: \
                     {enforcedNamespaceLabel: namespace}\n";
    let more = format!("{}{enforcing}", rule("a: b"));
    let of_shop = with_secret(&tree("{receiver: chat, matchers: [namespace=shop]}"), &more);
    assert_eq!(found(&["PG610"], &of_shop).len(), 1);
    // A route of its own is on purpose.
    assert_eq!(
        told(
            &format!("{{receiver: nobody, matchers: [alertname=Down]}}, {chat}"),
            "severity: page"
        ),
        NONE
    );
    let nobody = found(
        &["PG610"],
        &with_secret(
            "route: {receiver: x}\nreceivers: [{name: x}]",
            &rule("a: b"),
        ),
    );
    assert!(
        nobody[0].contains("Alertmanager default/main notifies nobody"),
        "{nobody:?}"
    );
    assert_eq!(
        found(
            &["PG610"],
            &with_secret("route: {receiver: x}\nreceivers: [{name: x}]", "")
        ),
        NONE
    );
}

#[test]
fn labels_that_series_have_for_certain_decide_whom_alerts_notify() {
    let tree = format!(
        "route: {{receiver: nobody, routes: [{{receiver: chat, matchers: [team=shop]}}, {{receiver: chat, matchers: [namespace=shop]}}]}}\n{RECEIVERS}"
    );
    let server = "---\n{apiVersion: monitoring.coreos.com/v1, kind: Prometheus, metadata: {name: p}, spec: {ruleSelector: {}, scrapeConfigSelector: {}, alerting: {alertmanagers: [{name: alertmanager-operated, port: web}]}}}\n";
    let config = |labels: &str| {
        format!(
            "---\n{{apiVersion: monitoring.coreos.com/v1alpha1, kind: ScrapeConfig, metadata: {{name: till}}, spec: {{jobName: till, staticConfigs: [{{targets: ['till:80'], labels: {{{labels}}}}}]}}}}\n"
        )
    };
    let told = |expr: &str, labels: &str| {
        let rules = format!(
            "---\n{{apiVersion: monitoring.coreos.com/v1, kind: PrometheusRule, metadata: {{name: r, namespace: default}}, spec: {{groups: [{{name: g, rules: [\
             {{record: 'team:up:sum', expr: sum by (team) (up), labels: {{namespace: cash}}}}, {{alert: Down, expr: '{expr}'}}]}}]}}}}\n"
        );
        let more = [server, &config(labels), &rules].concat();
        let found = found(&["PG610"], &with_secret(&tree, &more));
        found.iter().any(|line| line.contains("only reaches"))
    };
    let cash = "team: cash, namespace: cash";
    for (expr, labels) in [
        ("sum by (job) (up) == 0", "a: b"),
        ("up == 0", cash),
        (r#"sum by (team) (up{team="cash"}) == 0"#, "a: b"),
        (
            r#"a_total{team=~"cash|desk", namespace="cash"} > 1"#,
            "a: b",
        ),
        ("team:up:sum == 0", cash),
    ] {
        assert!(told(expr, labels), "{expr} {labels}");
    }
    for (expr, labels) in [
        ("up == 0", "team: shop, namespace: cash"),
        ("a_total > 1", "a: b"),
        (r#"sum by (team) (up{team=~"cash|shop"}) == 0"#, "a: b"),
        (r#"a_total{team="cash"} > 1"#, "a: b"),
        ("team:up:sum == 0", "team: shop, namespace: cash"),
        ("sum by (namespace) (up) == 0", "namespace: shop"),
    ] {
        assert!(!told(expr, labels), "{expr} {labels}");
    }
}

#[test]
fn alerts_that_almost_have_what_a_route_asks_for_are_told() {
    let told = |labels: &str| {
        let rules = format!(
            "---\n{{apiVersion: monitoring.coreos.com/v1, kind: PrometheusRule, metadata: {{name: r, namespace: shop}}, spec: {{groups: [{{name: g, rules: [\
             {{alert: Right, expr: up == 0, labels: {{severity: critical, team: desk-a}}}}, {{alert: Odd, expr: up == 0, labels: {{{labels}}}}}]}}]}}}}\n"
        );
        let alertmanager = "{apiVersion: monitoring.coreos.com/v1, kind: Alertmanager, metadata: {name: main, namespace: shop}, spec: {alertmanagerConfigSelector: {}}}\n";
        let route = "route: {receiver: a, routes: [{receiver: a, matchers: [{name: severity, value: critical}]}, {receiver: a, matchers: [{name: team, value: desk-a}]}, \
                     {receiver: a, matchers: [{name: severity, matchType: '=~', value: 'warn.*'}]}]}";
        let found = found(&["PG628"], &[alertmanager, &config(route), &rules].concat());
        found
            .into_iter()
            .filter(|line| line.contains("`Odd`"))
            .count()
    };
    for near in [
        "serverity: critical",
        "Severity: critical",
        "severity: critcal",
        "severity: Critical",
        "teem: desk-a, severity: critical",
    ] {
        assert_eq!(told(near), 1, "{near}");
    }
    for other in [
        "severity: critical",
        "severity: info",
        "severity: warnings",
        "severity: '{{ $labels.critcal }}'",
        "team: desk-b",
        "severity: critical, serverity: high",
        "tier: critical",
    ] {
        assert_eq!(told(other), 0, "{other}");
    }
}

#[test]
fn a_slip_is_told_where_it_is() {
    let told = |matchers: &[&str], severities: &[&str]| {
        let alert = |severity: &&str| {
            format!("{{alert: A, expr: up == 0, labels: {{severity: {severity}}}}}")
        };
        let alerts: Vec<String> = severities.iter().map(alert).collect();
        let rules = format!(
            "---\n{{apiVersion: monitoring.coreos.com/v1, kind: PrometheusRule, metadata: {{name: r, namespace: shop}}, spec: {{groups: [{{name: g, rules: [{}]}}]}}}}\n",
            alerts.join(", ")
        );
        let alertmanager = "{apiVersion: monitoring.coreos.com/v1, kind: Alertmanager, metadata: {name: main, namespace: shop}, spec: {alertmanagerConfigSelector: {}}}\n";
        let route = |value: &&str| {
            format!("{{receiver: a, matchers: [{{name: severity, value: {value}}}]}}")
        };
        let routes: Vec<String> = matchers.iter().map(route).collect();
        let route = format!("route: {{receiver: a, routes: [{}]}}", routes.join(", "));
        let text = [alertmanager, &config(&route), &rules].concat();
        let found = found(&["PG628"], &text);
        let of_rule = found
            .iter()
            .filter(|of| of.contains("no route in the input"))
            .count();
        (of_rule, found.len() - of_rule)
    };
    assert_eq!(told(&["critical"], &["critcal"]), (1, 0));
    assert_eq!(told(&["critical"], &["critcal", "warning"]), (1, 0));
    assert_eq!(told(&["urgent", "urgent"], &["urgnt"]), (1, 0));
    // The matcher has it.
    assert_eq!(told(&["critcal"], &["critical"]), (0, 1));
    assert_eq!(told(&["urgent"], &["urgnt"]), (0, 1));
    assert_eq!(told(&["critical"], &["critcal", "critcal"]), (0, 1));
    assert_eq!(told(&["critical"], &["critical", "info"]), (0, 0));
}

#[test]
fn alerts_are_left_alone_where_another_alertmanager_is_unknown() {
    let other = "---\napiVersion: monitoring.coreos.com/v1\nkind: Alertmanager\nmetadata: {name: other}\nspec: {}\n";
    let tree = format!("route: {{receiver: nobody}}\n{RECEIVERS}");
    assert_eq!(
        found(
            &["PG610"],
            &with_secret(&tree, &format!("{other}{}", rule("a: b")))
        ),
        NONE
    );
}

#[test]
fn routes_that_no_alert_reaches_are_told() {
    let matcher = |name: &str, kind: &str, value: &str| {
        format!("{{name: {name}, matchType: '{kind}', value: '{value}'}}")
    };
    let route = |receiver: &str, matchers: &str| {
        format!("{{receiver: {receiver}, matchers: [{matchers}]}}")
    };
    let told = |routes: &str| {
        found(
            &["PG611"],
            &config(&format!("route: {{receiver: a, routes: [{routes}]}}")),
        )
    };
    let (critical, both) = (
        matcher("severity", "=", "critical"),
        matcher("severity", "=~", "warning|critical"),
    );
    let shadowed = told(&format!(
        "{}, {}",
        route("none", &both),
        route("a", &critical)
    ));
    assert!(
        shadowed[0].contains("no alert reaches this route"),
        "{shadowed:?}"
    );
    assert_eq!(
        told(&format!(
            "{}, {}",
            route("a", &critical),
            route("none", &both)
        )),
        NONE
    );
    let passing = format!("{{receiver: none, continue: true, matchers: [{both}]}}");
    assert_eq!(told(&format!("{passing}, {}", route("a", &critical))), NONE);
    assert_eq!(
        told(&format!("{{receiver: none}}, {}", route("a", &critical))).len(),
        1
    );
    let other = told(&route("a", &matcher("namespace", "=", "other")));
    assert!(
        other[0].contains("`namespace=\"shop\"` and `namespace=\"other\"` contradict each other"),
        "{other:?}"
    );
    // Nothing below a route that is reported is reported.
    let below = format!(
        "{{receiver: a, matchers: [{}], routes: [{}]}}",
        matcher("namespace", "=", "x"),
        route("a", &critical)
    );
    assert_eq!(told(&below).len(), 1);
    assert_eq!(told(&route("a", &matcher("namespace", "=", "shop"))), NONE);
    assert!(
        other[0].contains("| the operator adds `namespace=\"shop\"`"),
        "{other:?}"
    );
}

#[test]
fn a_configuration_for_another_namespace_is_told_what_the_operator_adds() {
    let spec = "route: {receiver: a, matchers: [{name: namespace, matchType: '=', value: other}]}";
    let told = found(&["PG611"], &config(spec));
    assert!(
        told[0].contains("| the operator adds `namespace=\"shop\"`"),
        "{told:?}"
    );
    let free = "---\napiVersion: monitoring.coreos.com/v1\nkind: Alertmanager\nmetadata: {name: main}\nspec: \
                {alertmanagerConfigSelector: {}, alertmanagerConfigNamespaceSelector: {}, \
                alertmanagerConfigMatcherStrategy: {type: None}}\n";
    assert_eq!(found(&["PG611"], &format!("{free}{}", config(spec))), NONE);
}

#[test]
fn secrets_are_judged_and_not_quoted() {
    let tree = "route:\n  receiver: chat\n  repeat_interval: 1m\n  routes:\n  - {receiver: hunter1, matchers: [a=hunter2, a=hunter3]}\n\
         time_intervals: [{name: hunter4, time_intervals: []}]\n\
         inhibit_rules: [{source_matchers: [a=hunter5], target_matchers: [a=hunter5]}]\n\
         receivers: [{name: hunter1}, {name: hunter6, webhook_configs: [{url: 'http://hunter7'}]}, {name: chat, \
         discord_configs: [{webhook_url: 'http://hunter8', title: '{{ hunter9 }}'}]}]";
    let told = found(&["PG61"], &with_secret(tree, &rule("a: b")));
    let mut codes: Vec<&str> = told
        .iter()
        .filter_map(|line| line.split(' ').next())
        .collect();
    codes.sort_unstable();
    assert_eq!(
        codes,
        ["PG611", "PG612", "PG613", "PG614", "PG616", "PG617"]
    );
    assert!(told.iter().all(|line| !line.contains("hunter")), "{told:?}");
}

#[test]
fn parts_that_no_route_uses_are_told() {
    let unused = found(&["PG612"], &config("route: {receiver: none}"));
    assert!(
        unused[0].contains("no route uses the receiver `a`"),
        "{unused:?}"
    );
    let without = found(&["PG612"], &config("inhibitRules: []"));
    assert!(
        without[0].contains("the AlertmanagerConfig has no route"),
        "{without:?}"
    );
    let interval = "muteTimeIntervals: [{name: night, timeIntervals: [{months: ['1']}]}]";
    assert_eq!(
        found(
            &["PG613"],
            &config(&format!("route: {{receiver: a}}, {interval}"))
        )
        .len(),
        1
    );
    let active = format!(
        "route: {{receiver: a, routes: [{{receiver: none, activeTimeIntervals: [night]}}]}}, {interval}"
    );
    assert_eq!(found(&["PG613"], &config(&active)), NONE);
}

#[test]
fn intervals_are_compared_with_what_is_inherited() {
    let told = |spec: &str| {
        found(
            &["PG614"],
            &config(&format!("route: {{receiver: a, {spec}}}")),
        )
    };
    assert!(
        told("groupInterval: 5h")[0]
            .contains("the repeat interval of 4h is shorter than the group interval of 5h")
    );
    assert_eq!(
        told("repeatInterval: 1m, routes: [{receiver: none}]").len(),
        1
    );
    assert_eq!(told("groupInterval: 1h, repeatInterval: 1h"), NONE);
    let tree = format!("route: {{receiver: chat, repeat_interval: 30d}}\n{RECEIVERS}");
    let long = found(&["PG614"], &with_secret(&tree, ""));
    assert!(
        long[0].contains("longer than the retention of 120h"),
        "{long:?}"
    );
    let kept = with_secret(&tree, "").replace("spec: {", "spec: {retention: 1000h, ");
    assert_eq!(found(&["PG614"], &kept), NONE);
}

#[test]
fn template_files_are_read_where_they_are_known() {
    let tree = |pattern: &str| {
        format!(
            "route: {{receiver: x}}\ntemplates: ['{pattern}']\nreceivers: [{{name: x, discord_configs: [{{webhook_url: 'http://x', \
             title: '{{{{ template \"mine\" . }}}}'}}]}}]"
        )
    };
    let told = |pattern: &str, file: &str| {
        found(
            &["PG616"],
            &with_secret(&tree(pattern), &format!("  a.tmpl: '{file}'\n")),
        )
    };
    let define = |name: &str| format!("{{{{ define \"{name}\" }}}}x{{{{ end }}}}");
    assert_eq!(
        told("/etc/alertmanager/config/*.tmpl", &define("mine")),
        NONE
    );
    assert_eq!(
        told("/etc/alertmanager/config/*.tmpl", &define("other")).len(),
        1
    );
    assert_eq!(told("/somewhere/*.tmpl", &define("other")), NONE);
    let broken = told("/etc/alertmanager/config/*.tmpl", "{{ if }}");
    assert!(
        broken[0].contains("the template file a.tmpl fails: "),
        "{broken:?}"
    );
    assert_eq!(broken.len(), 1);
}

#[test]
fn receivers_that_do_not_exist_are_told_in_a_secret_that_nobody_merges() {
    let of = |version: &str, config: &str| {
        let text = with_secret(config, "").replace("alertmanagerConfigSelector: {}", version);
        found(&["PG505"], &text)
    };
    let told = |config: &str| of("", config);
    assert_eq!(told("route: {receiver: hunter}").len(), 1);
    assert!(!told("route: {receiver: hunter}")[0].contains("hunter"));
    assert_eq!(told("route: {receiver: a}\nreceivers: [{name: a}]"), NONE);
    // An Alertmanager that is newer than the table may know a field that those of the table do not.
    let newer = "newer: {}\nroute: {receiver: a}\nreceivers: [{name: a}]";
    assert_eq!(of("version: v0.99.0", newer), NONE);
    assert_eq!(of("version: v0.34.0", newer).len(), 1);
}

#[test]
fn a_namespace_that_nobody_states_contradicts_none() {
    let route = "route: {receiver: a, routes: [{receiver: none, matchers: [{name: namespace, matchType: '=', value: other}]}]}";
    let inhibit = "inhibitRules: [{sourceMatch: [{name: namespace, value: other, matchType: '='}], targetMatch: \
                   [{name: a, value: b, matchType: '='}]}]";
    let stated = config(&format!("{route}, {inhibit}"));
    let codes = |text: &str| found(&["PG611", "PG617"], text).len();
    assert_eq!(
        (
            codes(&stated),
            codes(&stated.replace(", namespace: shop", ""))
        ),
        (2, 0)
    );
}

#[test]
fn many_routes_are_compared_in_time() {
    let routes: Vec<String> = (0..4_000)
        .map(|n| format!("{{receiver: chat, matchers: [a=~\"b{n}|c{n}\"]}}"))
        .collect();
    let matchers = vec!["a=~\"x|y\""; 4_000].join(",");
    let all = format!(
        "{}, {{receiver: chat, matchers: ['{matchers}']}}",
        routes.join(", ")
    );
    let tree = format!("route: {{receiver: chat, routes: [{all}]}}\n{RECEIVERS}");
    assert_eq!(found(&["PG611"], &with_secret(&tree, &rule("a: b"))), NONE);
}

/// An Application of Argo CD that installs the chart with these values.
fn application(values: &str) -> String {
    format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: kps, namespace: argocd}}\nspec:\n  destination: \
         {{namespace: mon}}\n  syncPolicy: {{syncOptions: [ServerSideApply=true]}}\n  source:\n    chart: kube-prometheus-stack\n    \
         repoURL: https://charts.example.org\n    targetRevision: 75.11.0\n    helm:\n      valuesObject: {values}\n"
    )
}

#[test]
fn a_key_of_values_is_named_with_what_was_meant() {
    let told = |values: &str| found(&["PG502", "PG505", "PG813"], &application(values)).join("\n");
    let spec = told("{prometheus: {prometheusSpec: {retentin: 1d}}}");
    assert!(
        spec.contains("`prometheus.prometheusSpec.retentin` | did you mean `retention`?"),
        "{spec}"
    );
    let route = "{receiver: 'null', repeat_inteval: 1h}";
    let config = told(&format!(
        "{{alertmanager: {{config: {{route: {route}, receivers: [{{name: 'null'}}]}}}}}}"
    ));
    assert!(
        config.contains("field repeat_inteval not found")
            && config.contains("did you mean `repeat_interval`?"),
        "{config}"
    );
    let hidden = told(
        "{grafana: {adminPassword: hunter2}, prometheus: {prometheusSpec: {retentin: hunter2}}}",
    );
    assert!(!hidden.contains("hunter2"), "{hidden}");
}

#[test]
fn a_kind_of_receivers_that_is_too_new_is_refused_where_nobody_merges() {
    let told = |version: &str| {
        let text = format!(
            "apiVersion: monitoring.coreos.com/v1\nkind: Alertmanager\nmetadata: {{name: main}}\nspec: {{version: {version}}}\n---\n\
             apiVersion: v1\nkind: Secret\nmetadata: {{name: alertmanager-main}}\nstringData:\n  alertmanager.yaml: |\n    route: \
             {{receiver: a}}\n    receivers: [{{name: a, msteams_configs: [{{webhook_url: 'https://x'}}]}}]\n"
        );
        found(&["PG505"], &text)
    };
    assert!(
        told("v0.25.0")[0]
            .contains("`msteams_configs`, which requires Alertmanager \u{2265} 0.26.0")
    );
    assert!(told("v0.27.0").is_empty());
}

#[test]
fn definitions_are_too_long_for_an_application_set_too() {
    let set = |more: &str| {
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {{name: s, namespace: argocd}}\nspec:\n  generators: \
             [{{list: {{elements: [{{c: a}}, {{c: b}}]}}}}]\n{more}  template:\n    metadata: {{name: 'kps-{{{{c}}}}'}}\n    spec:\n      \
             destination: {{namespace: mon, name: '{{{{c}}}}'}}\n      source: {{chart: kube-prometheus-stack, repoURL: \
             'https://charts.example.org', targetRevision: 75.11.0}}\n"
        )
    };
    assert!(
        found(&["PG816"], &set(""))[0].starts_with("PG816 warning 10"),
        "{:?}",
        found(&["PG816"], &set(""))
    );
    assert!(
        found(&["PG816"], &set("  templatePatch: 'spec: {}'\n")).is_empty(),
        "a patch may add the option"
    );
}

#[test]
fn a_value_that_no_rule_sets_is_told() {
    let told = |matcher: &str, second: &str| {
        let tree = format!(
            "route: {{receiver: nobody, routes: [{{receiver: chat, matchers: ['{matcher}']}}]}}\n{RECEIVERS}"
        );
        let more = format!(
            "---\napiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {{name: p}}\nspec: {{ruleSelector: {{}}, \
             serviceMonitorSelector: {{}}}}\n{}{}",
            rule("severity: warning"),
            rule(second).replace("name: r,", "name: s,")
        );
        found(&["PG615"], &with_secret(&tree, &more))
    };
    let sev = told("severity=\"sev1\"", "severity: page");
    assert!(
        sev.len() == 1
            && sev[0].contains("asks for a value that no alert")
            && !sev[0].contains("sev1"),
        "{sev:?}"
    );
    assert_eq!(told("severity=~\"sev1|sev2\"", "severity: page").len(), 1);
    assert_eq!(
        told("severity=\"critical\"", "severity: page"),
        NONE,
        "rules elsewhere have it"
    );
    assert_eq!(
        told("severity=\"sev1\"", "team: a"),
        NONE,
        "a series may have it"
    );
    assert_eq!(
        told("severity=\"sev1\"", "severity: '{{ $labels.s }}'"),
        NONE,
        "a template may make it"
    );
    assert_eq!(
        told("severity=\"pag\"", "severity: page"),
        NONE,
        "PG628 says it"
    );
    assert_eq!(told("severity!=\"sev1\"", "severity: page"), NONE);
}

#[test]
fn a_star_is_no_pattern_of_a_matcher() {
    let told = |matcher: &str| {
        let tree = format!(
            "route: {{receiver: nobody, routes: [{{receiver: chat, matchers: ['{matcher}']}}]}}\n{RECEIVERS}"
        );
        found(&["PG618"], &with_secret(&tree, &rule("severity: page"))).len()
    };
    assert_eq!(told("alertname=\"*\""), 1);
    assert_eq!(told("alertname=\"Cart*\""), 1);
    assert_eq!(told("alertname=~\"Cart.*\""), 0);
    assert_eq!(told("alertname=\"a * b\""), 0);
}

#[test]
fn an_inhibit_rule_without_a_side_is_told() {
    let told = |rules: &str| {
        let tree = format!("route: {{receiver: chat}}\n{RECEIVERS}\ninhibit_rules: [{rules}]");
        found(&["PG617"], &with_secret(&tree, &rule("severity: page"))).join("\n")
    };
    let split = told("{source_matchers: [a=\"b\"]}, {target_matchers: [a=\"c\"]}");
    assert!(split.contains("every alert is a target"), "{split}");
    assert_eq!(
        told("{target_matchers: [a=\"c\"]}"),
        "",
        "any alert may inhibit"
    );
    assert_eq!(
        told("{source_matchers: [a=\"b\"], target_matchers: [a=\"c\"]}"),
        ""
    );
}

/// A server with an alert, an Alertmanager `main` with three replicas, and a Service of it.
fn sent(server: &str, more: &str) -> String {
    format!(
        "{{apiVersion: monitoring.coreos.com/v1, {server}}}\n---\n\
         {{apiVersion: monitoring.coreos.com/v1, kind: Alertmanager, metadata: {{name: main, namespace: mon}}, spec: {{replicas: 3, alertmanagerConfigSelector: {{}}}}}}\n---\n\
         {{apiVersion: v1, kind: Service, metadata: {{name: am, namespace: mon}}, spec: {{selector: {{alertmanager: main}}, ports: [{{name: web, port: 9093}}]}}}}\n---\n\
         {{apiVersion: monitoring.coreos.com/v1, kind: PrometheusRule, metadata: {{name: r, namespace: mon}}, spec: {{groups: [{{name: g, rules: [{{alert: Down, expr: up == 0}}]}}]}}}}\n{more}"
    )
}

fn prometheus(spec: &str) -> String {
    format!(
        "kind: Prometheus, metadata: {{name: k8s, namespace: mon}}, spec: {{ruleSelector: {{}}, serviceMonitorSelector: {{}}, {spec}}}"
    )
}

fn ruler(spec: &str) -> String {
    format!(
        "kind: ThanosRuler, metadata: {{name: ruler, namespace: mon}}, spec: {{queryEndpoints: [q], ruleSelector: {{}}, {spec}}}"
    )
}

/// The Secret of a ruler that has a list of Alertmanagers.
fn of_ruler(list: &str) -> String {
    format!(
        "---\n{{apiVersion: v1, kind: Secret, metadata: {{name: of-ruler, namespace: mon}}, stringData: {{a: 'alertmanagers: {list}'}}}}\n"
    )
}

#[test]
fn servers_that_send_alerts_to_nobody_are_told() {
    let told = |server: &str, more: &str| {
        let found = found(&["PG610"], &sent(server, more));
        found
            .into_iter()
            .filter(|of| of.contains("sends its alerts"))
            .count()
    };
    assert_eq!(told(&prometheus(""), ""), 1);
    assert_eq!(told(&ruler(""), ""), 1);
    let wrong_port = "alerting: {alertmanagers: [{name: am, port: metrics}]}";
    assert_eq!(told(&prometheus(wrong_port), ""), 1);
    for without_scheme in [
        "alertmanagersUrl: ['am.mon.svc:9093']",
        "additionalArgs: [{name: alertmanagers.url, value: am}]",
    ] {
        assert_eq!(told(&ruler(without_scheme), ""), 1, "{without_scheme}");
    }
    assert_eq!(told(&ruler("alertmanagersUrl: ['${URL}']"), ""), 0);
    // These do, may do, or have a ruler that does.
    for server in [
        prometheus("alerting: {alertmanagers: [{name: am, port: web}]}"),
        prometheus(
            "alerting: {alertmanagers: [{name: alertmanager-operated, namespace: mon, port: web}]}",
        ),
        prometheus("alerting: {alertmanagers: [{name: elsewhere, port: web}]}"),
        prometheus("additionalAlertManagerConfigs: {name: elsewhere, key: a}"),
        ruler("alertmanagersUrl: ['dnssrv+http://_web._tcp.am.mon.svc']"),
        ruler("alertmanagersUrl: ['https://am.example.org']"),
        ruler("alertmanagersConfig: {name: elsewhere, key: a}"),
    ] {
        assert_eq!(told(&server, ""), 0, "{server}");
    }
    let by_config = ruler("alertmanagersConfig: {name: of-ruler, key: a}");
    for list in [
        "[{static_configs: [am.mon.svc:9093]}]",
        "[{static_configs: [\"${AM}\"]}]",
        "[{file_sd_configs: [{files: [a.json]}]}]",
        "[]",
    ] {
        assert_eq!(told(&by_config, &of_ruler(list)), 0, "{list}");
    }
    let nobody = "---\n{apiVersion: v1, kind: Service, metadata: {name: cart, namespace: mon}, spec: {selector: {app: cart}, ports: [{port: 80}]}}\n";
    let to_other = format!(
        "{}{nobody}",
        of_ruler("[{static_configs: [dns+cart.mon.svc:80]}]")
    );
    assert_eq!(told(&by_config, &to_other), 1);
    let by_ruler = format!(
        "---\n{{apiVersion: monitoring.coreos.com/v1, {}}}\n",
        ruler("alertmanagersUrl: ['http://am']")
    );
    assert_eq!(told(&prometheus(""), &by_ruler), 0);
}

/// What is told of an inhibit rule of an AlertmanagerConfig, and the alerts of a namespace.
fn inhibited(rule: &str, alerts: &str, more: [&str; 2]) -> Vec<String> {
    let [server, alertmanager] = more;
    let text = format!(
        "{{apiVersion: monitoring.coreos.com/v1, kind: Alertmanager, metadata: {{name: main, namespace: mon}}, spec: {{alertmanagerConfigSelector: {{}}{alertmanager}}}}}\n---\n\
         {{apiVersion: monitoring.coreos.com/v1, kind: Prometheus, metadata: {{name: main, namespace: mon}}, spec: {{ruleSelector: {{}}, serviceMonitorSelector: {{}}{server}}}}}\n---\n\
         {{apiVersion: monitoring.coreos.com/v1, kind: PrometheusRule, metadata: {{name: r, namespace: mon}}, spec: {{groups: [{{name: g, rules: [{alerts}]}}]}}}}\n---\n\
         {{apiVersion: monitoring.coreos.com/v1alpha1, kind: AlertmanagerConfig, metadata: {{name: c, namespace: mon}}, spec: {{receivers: [{{name: a}}], route: {{receiver: a}}, \
         inhibitRules: [{{sourceMatch: [{{name: severity, value: critical}}], targetMatch: [{{name: severity, value: warning}}], {rule}}}]}}}}\n"
    );
    found(&["PG615", "PG617"], &text)
}

#[test]
fn an_equal_label_that_no_alert_has_is_told() {
    let alerts = |expression: &str| {
        format!(
            "{{alert: A, expr: '{expression}', labels: {{severity: critical, namespace: mon}}}}, {{alert: B, expr: '{expression} < 9', labels: {{severity: warning, namespace: mon}}}}"
        )
    };
    let told = |expression: &str, server: &str| {
        inhibited("equal: [rack]", &alerts(expression), [server, ""])
    };
    assert!(told("sum by (shop) (a) > 5", "")[0].starts_with("PG615 warning "));
    assert!(told("a > 5", "")[0].starts_with("PG615 info "));
    assert_eq!(told("sum by (rack) (a) > 5", ""), NONE);
    assert_eq!(
        told("sum by (shop) (a) > 5", ", externalLabels: {rack: r}"),
        NONE
    );
    let one = "sum by (shop) (a) > on (rack) group_right b";
    assert_eq!(told(one, ""), NONE);
    let sent = |label: &str, server: &str| {
        let rule = format!("equal: [{label}]");
        let found = inhibited(&rule, &alerts("a > 5"), [server, ""]);
        found
            .iter()
            .any(|of| of.starts_with("PG615 warning ") && of.contains("that is sent"))
    };
    let to = |rules: &str| {
        format!(
            ", externalLabels: {{cluster: eu}}, alerting: {{alertmanagers: [{{name: am, port: web, alertRelabelings: [{rules}]}}]}}"
        )
    };
    let dropping = to("{action: labeldrop, regex: clu.*}");
    assert!(sent("cluster", &dropping));
    assert!(sent("prometheus_replica", &to("")));
    assert!(sent("copy", &(to("") + ", replicaExternalLabelName: copy")));
    assert!(!sent("cluster", &to("")));
    assert!(!sent(
        "prometheus_replica",
        &(to("") + ", replicaExternalLabelName: copy")
    ));
    assert!(!sent(
        "cluster",
        &to("{action: labeldrop, regex: cluster}, {targetLabel: cluster, replacement: us}")
    ));
    assert!(!sent(
        "cluster",
        &dropping.replace("]}]}", "]}, {name: b, port: web}]}")
    ));
    let severity = inhibited("equal: [severity]", &alerts("a > 5"), ["", ""]);
    assert!(
        severity.len() == 1 && severity[0].starts_with("PG617 "),
        "{severity:?}"
    );
}

#[test]
fn an_inhibit_rule_that_is_confined_to_another_namespace_is_told() {
    let alerts = |namespace: &str| {
        format!(
            "{{alert: A, expr: up == 0, labels: {{severity: critical{namespace}}}}}, {{alert: B, expr: up == 1, labels: {{severity: warning{namespace}}}}}"
        )
    };
    let told = |namespace: &str, more: &str| {
        inhibited("equal: [namespace]", &alerts(namespace), ["", more]).len()
    };
    assert_eq!(told(", namespace: shop", ""), 1);
    assert_eq!(told(", namespace: mon", ""), 0);
    assert_eq!(told("", ""), 0, "of whatever namespace");
    assert_eq!(told(", namespace: \"{{ $labels.x }}\"", ""), 0);
    assert_eq!(
        told(
            ", namespace: shop",
            ", alertmanagerConfigMatcherStrategy: {type: None}"
        ),
        0
    );
}

#[test]
fn fields_of_alertmanager_are_those_of_the_version_that_runs() {
    let told = |spec: &str| {
        let input = format!(
            "apiVersion: monitoring.coreos.com/v1\nkind: Alertmanager\nmetadata: {{name: a, namespace: m}}\nspec: {spec}\n---\napiVersion: v1\nkind: Secret\nmetadata: {{name: alertmanager-a, namespace: m}}\nstringData: {{alertmanager.yaml: '{{route: {{receiver: a}}, receivers: [{{name: a, slack_configs: [{{api_url: \"http://a/\", channel: c, post_updates_to_thread: true}}]}}]}}'}}\n"
        );
        crate::checks::found::found(&["PG505"], &input).len()
    };
    for (spec, count) in [
        ("{version: v0.34.0}", 1),
        ("{version: v0.35.0}", 0),
        ("{version: v0.35.0, image: 'x/alertmanager:v0.34.0'}", 1),
        ("{image: 'quay.io/prometheus/alertmanager:v0.35.0'}", 0),
        ("{version: v0.34.0, image: 'x/alertmanager@sha256:aa'}", 0),
        ("{version: v0.34.0, image: 'x/own:v0.34.0'}", 0),
        (
            "{version: v0.34.0, containers: [{name: alertmanager, image: 'x/own'}]}",
            0,
        ),
        ("{}", 0),
    ] {
        assert_eq!(told(spec), count, "{spec}");
    }
}

#[test]
fn alerts_arrive_at_the_port_of_the_container_that_has_it() {
    let told = |spec: &str, port: u16| {
        let text = format!(
            "{{apiVersion: monitoring.coreos.com/v1, kind: Alertmanager, metadata: {{name: main, namespace: m}}, spec: {{{spec}}}}}\n---\n\
             {{apiVersion: v1, kind: Service, metadata: {{name: am, namespace: m}}, spec: {{selector: {{alertmanager: main}}, ports: [{{name: web, port: 80, targetPort: web}}]}}}}\n---\n\
             {{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {{name: p, namespace: m}}, spec: {{podSelector: {{}}, policyTypes: [Ingress], ingress: [{{ports: [{{port: {port}}}]}}]}}}}\n---\n\
             {{apiVersion: monitoring.coreos.com/v1, kind: Prometheus, metadata: {{name: k, namespace: m}}, spec: {{ruleSelector: {{}}, alerting: {{alertmanagers: [{{name: am, namespace: m, port: web}}]}}}}}}\n---\n\
             {{apiVersion: monitoring.coreos.com/v1, kind: PrometheusRule, metadata: {{name: r, namespace: m}}, spec: {{groups: [{{name: r, rules: [{{alert: A, expr: up == 0}}]}}]}}}}\n"
        );
        found(&["PG637"], &text).len()
    };
    let beside = |name: &str| {
        format!(
            "listenLocal: true, containers: [{{name: proxy, image: p, ports: [{{containerPort: 9095, name: {name}}}]}}]"
        )
    };
    assert_eq!((told("", 9093), told("", 9095)), (0, 1));
    let web = beside("web");
    assert_eq!((told(&web, 9095), told(&web, 9093)), (0, 1));
    assert_eq!(
        (told(&beside("x"), 9093), told("listenLocal: true", 80)),
        (0, 0)
    );
}

/// What Alertmanager refuses of a configuration that the operator reads and merges, or copies.
#[test]
fn what_alertmanager_refuses_is_told_at_its_line_without_the_value() {
    let base = "route:\n  receiver: chat\n  routes:\n  - receiver: chat\n    matchers: [a=b]\n";
    let receivers = "receivers:\n- name: chat\n";
    // The text begins in line 11.
    for (change, line, words) in [
        (
            "  repeat_interval: 4 hunters\n",
            16,
            "route.repeat_interval: ",
        ),
        ("  - receiver: hunter\n", 16, "undefined receiver"),
        (
            "  - {receiver: chat, matchers: ['a=~\"*hunter\"']}\n",
            16,
            "route.routes[1].matchers: ",
        ),
    ] {
        let text = with_secret(&format!("{base}{change}{receivers}"), "");
        let copied = text.replace("{alertmanagerConfigSelector: {}}", "{}");
        let told = found(&["PG505"], &copied);
        assert!(
            told.len() == 1
                && told[0].starts_with(&format!("PG505 error {line}: "))
                && told[0].contains(words)
                && !told[0].contains("hunter"),
            "{told:?}"
        );
        let read = found(&["PG502"], &text);
        assert!(
            read.len() == 1 && read[0].contains(words) && !read[0].contains("hunter"),
            "{read:?}"
        );
    }
    let unread = with_secret(&format!("{base}{receivers}"), "");
    assert_eq!(found(&["PG502", "PG505"], &unread), NONE);
}

#[test]
fn what_alertmanager_refuses_of_an_alertmanager_config_is_told_there() {
    let base = with_secret("route: {receiver: chat}\nreceivers: [{name: chat}]", "").replace(
        "{alertmanagerConfigSelector: {}}",
        "{alertmanagerConfigSelector: {}, alertmanagerConfigNamespaceSelector: {}}",
    );
    let told = |spec: &str| {
        let lines = spec.replace(", @", ",\n  ");
        found(&["PG505"], &format!("{base}{}", config(&lines)))
    };
    let star = told(
        "route: {receiver: a, @routes: [{receiver: a, @matchers: [{name: s, value: '*x', matchType: =~}]}]}",
    );
    assert!(
        star.len() == 1
            && star[0].starts_with("PG505 error 19: ")
            && star[0].contains("write `.*`"),
        "{star:?}"
    );
    let wait = told("route: {receiver: a, @routes: [{receiver: a, @groupWait: 5 s}]}");
    assert!(
        wait.len() == 1 && wait[0].starts_with("PG505 error 19: ") && wait[0].contains("\"5 s\""),
        "{wait:?}"
    );
    assert_eq!(
        told("route: {receiver: a, @routes: [{receiver: a, @groupWait: 5s}]}"),
        NONE
    );
}

#[test]
fn what_alertmanager_refuses_of_values_is_told_in_its_words() {
    let told = |config: &str| {
        let values = format!(
            "\n        alertmanager:\n          config:\n            {}",
            config.replace('\n', "\n            ")
        );
        let text = application(&values);
        let line = |of: &str| 1 + text[..text.find(of).unwrap()].matches('\n').count();
        (found(&["PG50", "PG61"], &text).join("\n"), line("MARK"))
    };
    let receivers =
        "receivers: [{name: 'null'}, {name: MARK, webhook_configs: [{url: 'http://a'}]}]";
    let (unused, line) = told(&format!(
        "route: {{receiver: 'null', routes: []}}\n{receivers}"
    ));
    assert!(
        unused.contains(&format!("PG612 warning {line}: ")) && unused.contains("`MARK`"),
        "{unused}"
    );
    let (literal, line) = told(
        "route: {receiver: a, routes: [\n  {receiver: a, matchers: ['b=\"MARK|c\"']}]}\nreceivers: [{name: a}, {name: 'null'}]",
    );
    assert!(
        literal.contains(&format!("PG618 warning {line}: `b=\"MARK|c\"`")),
        "{literal}"
    );
    let (time, _) =
        told("route: {receiver: a, routes: [], group_wait: MARK}\nreceivers: [{name: a}]");
    assert!(
        time.contains("not a valid duration string: \"MARK\""),
        "{time}"
    );
    let (hidden, _) = told(
        "global: {smtp_auth_password: MARK}\nroute: {receiver: a, routes: []}\nreceivers: [{name: a, email_configs: [{to: MARK}]}]",
    );
    assert!(hidden.is_empty() || !hidden.contains("MARK"), "{hidden}");
}
