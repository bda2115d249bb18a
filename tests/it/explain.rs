//! `promgen explain KIND/NS/NAME`. What it prints is in the snapshots of `fixtures/shop`.

use crate::support::{promgen, root};

/// The exit code, and what is printed.
fn explained(fixture: &str, args: &[&str]) -> (u8, String) {
    let folder = root().join("fixtures").join(fixture).join("input");
    let ran = promgen(&[&["explain"], args, &[folder.to_str().unwrap()]].concat());
    (ran.code, ran.stdout + &ran.stderr)
}

#[test]
fn the_exit_code_says_whether_it_leads_to_a_job() {
    for (fixture, of, code) in [
        ("shop", "servicemonitor/shop/cart", 0),
        ("shop", "probe/shop/pages", 0),
        ("shop", "prometheus/monitoring/k8s", 0),
        ("shop", "servicemonitor/shop/forgotten", 1),
        ("shop", "servicemonitor/shop/checkout", 1),
        ("shop", "probe/shop/page", 1),
        ("quickstart", "servicemonitor/sandbox/experiment", 1),
        ("quickstart", "podmonitor/shop/workers", 0),
        ("shop", "servicemonitor/shop/nothing", 2),
    ] {
        let (got, text) = explained(fixture, &[of]);
        assert_eq!(got, code, "{of}: {text}");
    }
}

#[test]
fn every_resource_of_the_fixtures_can_be_explained() {
    for (fixture, of, code, says) in [
        (
            "rules",
            "prometheusrule/shop/checkout",
            0,
            "rule file shop-checkout-.yaml: 2 groups",
        ),
        (
            "rules",
            "prometheusrule/platform/broken",
            1,
            "the operator refuses it: record shop:orders:rate: the parenthesis is not closed  (",
        ),
        (
            "thanos-ruler",
            "thanosruler/monitoring/global",
            0,
            "`ruleSelector` selects 3 of 4 PrometheusRules",
        ),
        (
            "thanos-ruler",
            "prometheusrule/platform/fleet",
            0,
            "rule file platform-fleet-.yaml: 1 group",
        ),
        (
            "agent",
            "prometheusagent/monitoring/edge",
            0,
            "2 jobs in its configuration",
        ),
    ] {
        let (got, text) = explained(fixture, &[of]);
        assert_eq!(got, code, "{of}: {text}");
        assert!(text.contains(says), "{of}: {text}");
    }
}

#[test]
fn what_there_is_not_is_refused() {
    for (args, why) in [
        (&["deployment/shop/cart"][..], "unknown kind \"deployment\""),
        (&["servicemonitor/shop/a/b"], "expected KIND/NAMESPACE/NAME"),
        (
            &["servicemonitor/none", "fixtures/shop"],
            "ServiceMonitor/none not found",
        ),
        (&["PG201", "x.yaml"], "a PATH requires a resource"),
        (
            &["servicemonitor/a/b", "x.yaml", "--format", "markdown"],
            "does not apply to a resource",
        ),
        (
            &["PG201", "--prometheus-version", "3.0.0"],
            "they are the same for every target",
        ),
        (
            &["PG201", "--templates", "."],
            "--templates has no effect on rules",
        ),
        (
            &["gates", "--kube-version", "1.30"],
            "--kube-version has no effect on the table of versions",
        ),
    ] {
        let ran = promgen(&[&["explain"], args].concat());
        assert_eq!(ran.code, 2, "{args:?}");
        assert!(ran.stderr.contains(why), "{}", ran.stderr);
    }
}

#[test]
fn a_family_of_rules_is_listed() {
    let listed = promgen(&["explain", "pg22"]);
    assert!(
        listed.code == 0 && listed.stdout.starts_with("PG220  warning  no-shards"),
        "{}",
        listed.stdout
    );
    assert!(
        listed.stdout.lines().all(|line| line.starts_with("PG22")),
        "{}",
        listed.stdout
    );
    let json = promgen(&["explain", "PG22", "--format", "json"]);
    assert_eq!(
        json.stdout.matches("\"code\"").count(),
        listed.stdout.lines().count()
    );
    let unknown = promgen(&["explain", "PG9"]);
    assert!(
        unknown.code == 2 && unknown.stderr.contains("unknown rule"),
        "{}",
        unknown.stderr
    );
    let kind = promgen(&["explain", "servicemonitor"]);
    assert!(
        kind.code == 2 && kind.stderr.contains("expected KIND/NAMESPACE/NAME"),
        "{}",
        kind.stderr
    );
}

/// What a server reports to an Alertmanager that sends what comes of the namespace `shop`, with these rules.
fn paging(server: &str, rules: &str) -> String {
    format!(
        "apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: {{name: main, namespace: mon}}
spec: {server}
---
apiVersion: monitoring.coreos.com/v1
kind: Alertmanager
metadata: {{name: main, namespace: mon}}
spec: {{alertmanagerConfigSelector: {{}}, alertmanagerConfigNamespaceSelector: {{}}}}
---
apiVersion: monitoring.coreos.com/v1alpha1
kind: AlertmanagerConfig
metadata: {{name: pager, namespace: shop}}
spec:
  route: {{receiver: pager}}
  receivers: [{{name: pager, webhookConfigs: [{{url: http://pager.example/}}]}}]
---
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata: {{name: infra, namespace: mon}}
spec: {{groups: [{{name: a, rules: [{rules}]}}]}}
---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: {{name: cart, namespace: shop}}
spec: {{selector: {{matchLabels: {{app: cart}}}}, endpoints: [{{port: http}}]}}
---
apiVersion: v1
kind: Service
metadata: {{name: cart, namespace: shop, labels: {{app: cart}}}}
spec: {{selector: {{app: cart}}, ports: [{{name: http, port: 80}}]}}
"
    )
}

fn asked(args: &[&str], text: &str) -> (u8, String) {
    let args: Vec<&str> = args.iter().copied().chain(["-"]).collect();
    let ran = crate::support::promgen_with(
        &args,
        &mut text.as_bytes(),
        promgen::cli::Terminal::default(),
    );
    (ran.code, ran.stdout + &ran.stderr)
}

const SERVER: &str = "{serviceMonitorSelector: {}, serviceMonitorNamespaceSelector: {}, ruleSelector: {}, serviceAccountName: a, alerting: {alertmanagers: [{name: alertmanager-operated, port: web}]}}";

#[test]
fn an_alert_has_the_namespace_of_its_series() {
    let text = paging(SERVER, "{alert: Down, expr: up == 0}");
    let (_, routed) = asked(&["route", "--all-alerts"], &text);
    assert!(
        routed.contains("Down   shop       shop/pager/pager: webhook"),
        "{routed}"
    );
    let (_, explained) = asked(&["explain", "alert/Down"], &text);
    assert!(
        explained.contains("notifies shop/pager/pager of Alertmanager/mon/main"),
        "{explained}"
    );
}

#[test]
fn an_alert_of_a_rejected_resource_says_who_rejects_it() {
    let text = paging(
        SERVER,
        "{alert: Down, expr: up == 0}, {alert: Broken, expr: 'sum(up'}",
    );
    let (code, explained) = asked(&["explain", "alert/Down"], &text);
    assert_eq!(code, 1, "{explained}");
    assert!(
        explained.contains("Prometheus/mon/main rejects PrometheusRule mon/infra"),
        "{explained}"
    );
    assert!(
        explained.contains("notifies nobody: its rule is rejected"),
        "{explained}"
    );
}

#[test]
fn a_resource_that_only_a_refused_workload_selects_is_not_used() {
    let text = paging(
        "{replicas: '2', serviceMonitorSelector: {}, serviceMonitorNamespaceSelector: {}}",
        "",
    );
    let (code, explained) = asked(&["explain", "servicemonitor/shop/cart"], &text);
    assert_eq!(code, 1, "{explained}");
    assert!(
        explained.contains(
            "✗ Prometheus mon/main may select it, and the API server refuses Prometheus mon/main"
        ),
        "{explained}"
    );
}

#[test]
fn a_resource_whose_text_does_not_parse_is_explained() {
    let text = "{apiVersion: monitoring.coreos.com/v1, kind: Prometheus, metadata: {name: main, namespace: mon}, spec: {replicas: [1}}";
    let (code, explained) = asked(&["explain", "prometheus/mon/main"], text);
    assert_eq!(code, 1, "{explained}");
    let why = "the API server refuses it: its text does not parse";
    assert!(explained.contains(why), "{explained}");
    for other in [
        "prometheus/mon/other",
        "prometheus/shop/main",
        "thanosruler/mon/main",
    ] {
        let (code, explained) = asked(&["explain", other], text);
        assert_eq!(code, 2, "{other}: {explained}");
    }
}

#[test]
fn a_job_can_be_asked_for_by_the_name_that_its_configuration_has() {
    let (code, explained) = asked(
        &["explain", "job/serviceMonitor/shop/cart/0"],
        &paging(SERVER, ""),
    );
    assert_eq!(code, 0, "{explained}");
    assert!(
        explained.contains("its series have job=\"cart\""),
        "{explained}"
    );
}

#[test]
fn an_alert_of_several_namespaces_is_followed_in_each() {
    let other = "\n---\napiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata: {name: disks, namespace: mon}\nspec: {selector: {matchLabels: {app: disks}}, \
                 endpoints: [{port: http}]}\n---\napiVersion: v1\nkind: Service\nmetadata: {name: disks, namespace: mon, labels: {app: disks}}\nspec: {selector: {app: \
                 disks}, ports: [{name: http, port: 80}]}\n";
    let text = paging(SERVER, "{alert: Down, expr: up == 0}") + other;
    let (_, routed) = asked(&["route", "alert/Down"], &text);
    assert!(
        routed.contains("Down   mon        nobody: receiver null has no integrations"),
        "{routed}"
    );
    assert!(
        routed.contains("Down   shop       shop/pager/pager: webhook"),
        "{routed}"
    );
}

#[test]
fn a_receiver_that_a_secret_names_is_not_printed() {
    let text = "apiVersion: v1
kind: Secret
metadata: {name: am, namespace: mon}
stringData: {alertmanager.yaml: \"route: {receiver: hunter2}\\nreceivers: [{name: hunter2, webhook_configs: [{url: 'http://a/'}]}]\\n\"}
---
apiVersion: monitoring.coreos.com/v1
kind: Alertmanager
metadata: {name: main, namespace: mon}
spec: {configSecret: am}
---
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: {name: main, namespace: mon}
spec: {ruleSelector: {}, alerting: {alertmanagers: [{name: alertmanager-operated, port: web}]}}
---
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata: {name: r, namespace: mon}
spec: {groups: [{name: g, rules: [{alert: A, expr: vector(1)}]}]}
";
    let (_, explained) = asked(&["explain", "alert/A"], text);
    assert!(
        explained.contains("notifies <redacted> of") && !explained.contains("hunter2"),
        "{explained}"
    );
}

#[test]
fn what_keeps_a_notification_back_for_a_time_is_told() {
    let text = "apiVersion: v1
kind: Secret
metadata: {name: am, namespace: mon}
stringData:
  alertmanager.yaml: |
    route: {receiver: team, routes: [{matchers: ['severity=\"warning\"'], receiver: team, mute_time_intervals: [weekends]}]}
    receivers: [{name: team, webhook_configs: [{url: 'http://a/'}]}]
    time_intervals: [{name: weekends, time_intervals: [{weekdays: [saturday, sunday]}]}]
    inhibit_rules:
    - {source_matchers: ['severity=\"critical\"'], target_matchers: ['severity=\"warning\"'], equal: [job]}
    - {source_matchers: ['severity=\"critical\"'], target_matchers: ['severity=\"warning\"'], equal: [team]}
---
apiVersion: monitoring.coreos.com/v1
kind: Alertmanager
metadata: {name: main, namespace: mon}
spec: {configSecret: am}
---
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: {name: main, namespace: mon}
spec: {ruleSelector: {}, alerting: {alertmanagers: [{name: alertmanager-operated, port: web}]}}
---
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata: {name: r, namespace: mon}
spec:
  groups:
  - name: g
    rules:
    - {alert: Down, expr: vector(1), labels: {severity: critical, team: a}}
    - {alert: Slow, expr: vector(1), labels: {severity: warning, team: b}}
";
    let told = |alert: &str| asked(&["explain", alert, "--reveal-secrets"], text).1;
    let slow = told("alert/Slow");
    assert!(slow.contains("not during `weekends`"), "{slow}");
    assert!(
        slow.contains("not while Down fires with the same `job`"),
        "{slow}"
    );
    assert!(!slow.contains("`team`"), "{slow}");
    let down = told("alert/Down");
    assert!(
        !down.contains("not during") && !down.contains("not while"),
        "{down}"
    );
    let hidden = asked(&["explain", "alert/Slow"], text).1;
    assert!(
        hidden.contains("not during <redacted>") && !hidden.contains("weekends"),
        "{hidden}"
    );
}
