//! Tests of what expressions can have.

mod exporters;
mod firing;

use crate::checks::found::found;
use crate::lint::lint;
use promgen_compile::options::Options;
use promgen_model::Project;
use promgen_model::model::lineage::UNEXPOSED_METRIC;
use promgen_text::source::Input;

/// A Prometheus that selects everything, and the Service, the pods and the monitor of an app.
fn with(monitor: &str, rules: &str) -> String {
    format!(
        "{{apiVersion: monitoring.coreos.com/v1, kind: Prometheus, metadata: {{name: main, namespace: mon}}, spec: {{serviceMonitorSelector: {{}}, serviceMonitorNamespaceSelector: {{}}, ruleSelector: {{}}, ruleNamespaceSelector: {{}}}}}}\n---\n\
         {{apiVersion: apps/v1, kind: Deployment, metadata: {{name: api, namespace: shop}}, spec: {{template: {{metadata: {{labels: {{app: api, tier: gold}}}}, spec: {{containers: [{{name: server, image: x, ports: [{{name: web, containerPort: 80}}]}}]}}}}}}}}\n---\n\
         {{apiVersion: v1, kind: Service, metadata: {{name: api, namespace: shop, labels: {{app: api}}}}, spec: {{selector: {{app: api}}, ports: [{{name: web, port: 80}}]}}}}\n---\n\
         {{apiVersion: monitoring.coreos.com/v1, kind: ServiceMonitor, metadata: {{name: m, namespace: shop}}, spec: {{selector: {{matchLabels: {{app: api}}}}, endpoints: [{{port: web{monitor}}}]}}}}\n---\n\
         {{apiVersion: monitoring.coreos.com/v1, kind: PrometheusRule, metadata: {{name: r, namespace: shop}}, spec: {{groups: [{{name: g, rules: [{rules}]}}]}}}}\n"
    )
}

/// The codes of what is found of an alert with that expression.
fn of(monitor: &str, expression: &str) -> Vec<String> {
    codes(monitor, &format!("{{alert: A, expr: '{expression}'}}"))
}

fn codes(monitor: &str, rules: &str) -> Vec<String> {
    let found = found(&["PG62"], &with(monitor, rules));
    found
        .iter()
        .map(|line| line.split(' ').next().unwrap_or_default().to_owned())
        .collect()
}

#[test]
fn the_instance_of_a_static_target_is_its_address() {
    let told = |targets: &str, expression: &str| {
        let text = format!(
            "{{apiVersion: monitoring.coreos.com/v1, kind: Prometheus, metadata: {{name: main}}, spec: {{scrapeConfigSelector: {{}}, ruleSelector: {{}}}}}}\n---\n\
             {{apiVersion: monitoring.coreos.com/v1alpha1, kind: ScrapeConfig, metadata: {{name: till}}, spec: {{jobName: till, staticConfigs: [{{targets: [{targets}]}}]}}}}\n---\n\
             {{apiVersion: monitoring.coreos.com/v1, kind: PrometheusRule, metadata: {{name: r}}, spec: {{groups: [{{name: g, rules: [{{alert: A, expr: '{expression}'}}]}}]}}}}\n"
        );
        found(&["PG620"], &text).len()
    };
    for (targets, dead) in [
        ("'till:80'", r#"up{instance="till:9100"} == 0"#),
        (
            "'till:9100', '[::1]:9101'",
            r#"sales_total{instance=~"till|till:9101"} == 0"#,
        ),
        ("till", r#"up{instance="till:9100"} == 0"#),
    ] {
        assert_eq!(told(targets, dead), 1, "{targets} {dead}");
    }
    for (targets, alive) in [
        ("'till:80'", r#"up{instance=~"till(:80)?"} == 0"#),
        ("'till:443'", r#"up{instance="till"} == 0"#),
        ("till", r#"up{instance="till:443"} == 0"#),
        ("'[::1]'", r#"up{instance="[::1]:80"} == 0"#),
        ("'${HOST}:80'", r#"up{instance="till:9100"} == 0"#),
        ("'till:9100'", r#"up{instance!="till:80"} == 0"#),
    ] {
        assert_eq!(told(targets, alive), 0, "{targets} {alive}");
    }
}

#[test]
fn conditions_that_contradict_each_other_are_told_once() {
    let told = |expression: &str| {
        let rules = format!("{{alert: A, expr: '{expression}'}}");
        let found = found(&["PG62", "PG63"], &with("", &rules));
        let codes = found.iter().map(|line| line[..5].to_owned());
        codes.collect::<Vec<_>>()
    };
    assert_eq!(told(r#"up{job="api", job!="api"} == 0"#), ["PG631"]);
    assert_eq!(told(r#"up{job="apy", job!="apy"} == 0"#), ["PG631"]);
    assert_eq!(told(r#"up{job="apy", pod!="apy"} == 0"#), ["PG620"]);
    assert_eq!(
        told(r#"up{job="apy"} and up{pod="a", pod="b"}"#),
        ["PG620", "PG631"]
    );
}

#[test]
fn a_value_that_no_target_has_is_found_where_it_is_required() {
    for dead in [
        r#"up{job="apy"}"#,
        r#"up{job=""}"#,
        r#"up{job!="api"}"#,
        r#"up{job=~"ap"}"#,
        r#"up{job=~"web|apis"}"#,
        r#"http_total{namespace="stop"}"#,
        r#"http_total{container="api"}"#,
        r#"http_total{pod=~"web-.+"}"#,
        r#"up{endpoint="metrics"}"#,
        r#"sum(rate(http_total{job="apy"}[5m])) or vector(0)"#,
        r#"http_total{job="api"} / http_total{job="apy"}"#,
        r#"http_total{job="api"} and on (pod) up{job="apy"}"#,
        r#"up{job="apy"} or up{job="apz"}"#,
        r#"up{job="apy"} unless up{job="api"}"#,
        r#"label_replace(up{job="apy"}, "a", "b", "", "")"#,
        r#"{__name__="up", job="apy"}"#,
        r#"max_over_time(sum(http_total{job="apy"})[1h:5m])"#,
        r#"topk(3, http_total{job="apy"})"#,
        r#"up{job="api"} > bool on () group_left () up{job="apy"}"#,
    ] {
        assert!(
            of("", dead).iter().all(|code| code == "PG620"),
            "{dead}: {:?}",
            of("", dead)
        );
        assert!(!of("", dead).is_empty(), "{dead}");
    }
}

#[test]
fn what_is_possible_or_not_required_is_not_found() {
    for alive in [
        r#"up{job="api"}"#,
        r#"up{job=~"api|web"}"#,
        r#"up{job=~".+"}"#,
        r#"http_total{pod=~"api-[0-9a-f]+-.+"}"#,
        r#"http_total{cluster="prod"}"#,
        r#"http_total{exported_job="x"}"#,
        r#"up{job="api"} or up{job="apy"}"#,
        r#"up{job="api"} unless up{job="apy"}"#,
        r#"ALERTS{alertname="B", job="apy"}"#,
        r#"other:rule{job="apy"}"#,
        r#"http_total{x!~".*"}"#,
        r#"{job="api"}"#,
        "vector(1)",
        "time() > 5",
    ] {
        assert_eq!(of("", alive), Vec::<String>::new(), "{alive}");
    }
}

#[test]
fn a_metric_that_is_dropped_is_found_and_up_never_is() {
    let drop = ", metricRelabelings: [{action: drop, sourceLabels: [__name__], regex: http_.+}]";
    assert_eq!(of(drop, r#"http_total{job="api"}"#), ["PG621"]);
    assert_eq!(of(drop, "http_total"), ["PG621"]);
    assert_eq!(of(drop, r#"{__name__=~"http_total|http_sum"}"#), ["PG621"]);
    assert_eq!(of(drop, "queue_length"), Vec::<String>::new());
    let all = ", metricRelabelings: [{action: keep, sourceLabels: [__name__], regex: queue_.+}]";
    assert_eq!(of(all, "http_total"), ["PG621"]);
    assert_eq!(
        of(all, "up + scrape_duration_seconds + queue_length"),
        Vec::<String>::new()
    );
    let some = ", metricRelabelings: [{action: drop, sourceLabels: [__name__, path], regex: http_total;/health}]";
    assert_eq!(of(some, "http_total"), Vec::<String>::new());
    assert_eq!(of(some, r#"http_total{path="/health"}"#), ["PG621"]);
    let renamed = ", metricRelabelings: [{action: drop, sourceLabels: [__name__], regex: http_total}, {sourceLabels: [__name__], regex: old_(.+), targetLabel: __name__, replacement: http_$1}]";
    assert_eq!(of(renamed, "http_total"), Vec::<String>::new());
    let moved = ", metricRelabelings: [{sourceLabels: [__name__], regex: http_total, targetLabel: __name__, replacement: shop_http_total}]";
    assert_eq!(of(moved, "http_total").len(), 1);
    assert_eq!(of(moved, "shop_http_total"), Vec::<String>::new());
    assert_eq!(of(moved, "other_total"), Vec::<String>::new());
    let label = ", metricRelabelings: [{action: labeldrop, regex: path}]";
    assert_eq!(of(label, r#"http_total{path="/"}"#), ["PG621"]);
    assert_eq!(of(label, r#"http_total{path!="/"}"#), Vec::<String>::new());
}

#[test]
fn relabelings_decide_which_values_there_are() {
    let job = ", relabelings: [{targetLabel: job, replacement: front}]";
    assert_eq!(of(job, r#"up{job="api"}"#), ["PG620"]);
    assert_eq!(of(job, r#"up{job="front"}"#), Vec::<String>::new());
    let joined = ", relabelings: [{sourceLabels: [__meta_kubernetes_namespace, __meta_kubernetes_service_name], separator: /, targetLabel: job}]";
    assert_eq!(of(joined, r#"up{job="shop/api"}"#), Vec::<String>::new());
    let tier = ", relabelings: [{action: labelmap, regex: __meta_kubernetes_pod_label_(.+)}]";
    assert_eq!(of(tier, r#"up{tier="gold"}"#), Vec::<String>::new());
    assert_eq!(of(tier, r#"up{tier="silver"}"#), ["PG620"]);
    let upper = ", relabelings: [{action: uppercase, sourceLabels: [job], targetLabel: job}]";
    assert_eq!(of(upper, r#"up{job="API"}"#), Vec::<String>::new());
    let dropped = ", relabelings: [{action: labeldrop, regex: pod}]";
    assert_eq!(of(dropped, r#"up{pod="api-1"}"#), ["PG620"]);
    assert_eq!(
        of(dropped, r#"http_total{pod="api-1"}"#),
        Vec::<String>::new()
    );
}

#[test]
fn recorded_series_have_the_labels_that_their_expressions_leave() {
    let rules = |reads: &str| {
        codes(
            "",
            &format!(
                "{{record: 'a:b', expr: 'sum by (job) (http_total)', labels: {{team: x}}}}, {{record: 'a:c', expr: 'sum(http_total)'}}, {{record: 'a:d', expr: 'rate(http_total{{job=\"apy\"}}[5m])'}}, {{alert: A, expr: '{reads}'}}"
            ),
        )
    };
    // The rule that reads a job which there is not is found by itself.
    assert_eq!(rules(r#"a:b{job="api", team="x"}"#), ["PG620"]);
    assert_eq!(rules(r#"a:b{job="apy"}"#), ["PG620", "PG620"]);
    assert_eq!(rules(r#"a:b{team="y"}"#), ["PG620", "PG620"]);
    assert_eq!(rules(r#"a:c{job="api"}"#), ["PG620", "PG620"]);
    assert_eq!(rules("a:d"), ["PG620"]);
}

#[test]
fn absent_of_nothing_and_short_ranges_are_found() {
    assert_eq!(of("", r#"absent(up{job="apy"})"#), ["PG622"]);
    assert_eq!(
        of(
            "",
            r#"absent_over_time(http_total{job="apy"}[5m]) and on () up"#
        ),
        ["PG622"]
    );
    assert_eq!(
        of("", r#"absent(up{job="api"} or up{job="apy"})"#),
        Vec::<String>::new()
    );
    assert_eq!(of(", interval: 60s", "rate(http_total[1m])"), ["PG623"]);
    assert_eq!(
        of(", interval: 60s", "rate(http_total[2m])"),
        Vec::<String>::new()
    );
    assert_eq!(
        of(", interval: 60s", "max_over_time(http_total[1m])"),
        Vec::<String>::new()
    );
    assert_eq!(
        of(", interval: 60s", "increase(http_total[60] offset 5m)"),
        ["PG623"]
    );
}

#[test]
fn what_the_input_leaves_open_is_no_finding() {
    let dead = with("", r#"{alert: A, expr: 'up{job="apy"}'}"#);
    assert_eq!(found(&["PG62"], &dead).len(), 1);
    for (instead, of) in [
        (
            "enableRemoteWriteReceiver: true, ruleSelector",
            "ruleSelector",
        ),
        ("enableOTLPReceiver: true, ruleSelector", "ruleSelector"),
        (
            "additionalScrapeConfigs: {name: s, key: k}, ruleSelector",
            "ruleSelector",
        ),
        (
            "remoteRead: [{url: 'http://x'}], ruleSelector",
            "ruleSelector",
        ),
        ("path: /federate, honorLabels: true, port: web", "port: web"),
    ] {
        let open = dead.replacen(of, instead, 1);
        assert_ne!(open, dead);
        assert_eq!(found(&["PG62"], &open), Vec::<String>::new(), "{instead}");
    }
    let chart = "---\n{apiVersion: helm.toolkit.fluxcd.io/v2, kind: HelmRelease, metadata: {name: loki, namespace: mon}, spec: {chart: {spec: {chart: loki}}}}\n";
    assert_eq!(
        found(&["PG62"], &(dead.clone() + chart)),
        Vec::<String>::new()
    );
    let without_services: Vec<&str> = dead
        .split("---\n")
        .filter(|document| !document.contains("kind: Service,"))
        .collect();
    assert_eq!(
        found(&["PG62"], &without_services.join("---\n")),
        Vec::<String>::new()
    );
}

#[test]
fn sides_without_a_pair_are_found() {
    for apart in [
        "sum by (a) (x) / sum(y)",
        "sum by (a) (x) / sum by (b) (y)",
        "sum by (a, b) (x) and sum by (a) (y)",
        "sum by (a) (x) unless sum by (b) (y)",
        "sum by (a) (x) * on (a) group_left sum by (b) (y)",
        r#"x{job="api",code="1"} / y{code="2"}"#,
        r#"x{code="1"} > on (code) y{code="2"}"#,
        "http_total > sum(http_total)",
        "(sum by (a) (x) / sum by (b) (y)) > 1",
    ] {
        assert_eq!(of("", apart), ["PG627"], "{apart}");
    }
}

#[test]
fn sides_that_may_have_a_pair_are_not_found() {
    for matching in [
        "sum by (a) (x) / on () group_left sum(y)",
        "sum by (a) (x) / sum by (a) (y)",
        "sum by (a) (x) or sum by (b) (y)",
        "sum by (a) (x) > scalar(sum(y))",
        "(sum by (a) (x) or vector(0)) / sum(y)",
        r#"x{code="1"} / ignoring (code) y{code="2"}"#,
        r#"x{code="1"} / on (pod) y{code="2"}"#,
        r#"x{code=~"1|2"} / y{code=~"2|3"}"#,
        "histogram_quantile(0.9, sum by (le, a) (x)) > sum by (a) (y)",
        r#"label_replace(sum by (a) (x), "b", "$1", "a", "(.*)") / sum by (a, b) (y)"#,
        "sum by (job, cluster) (rate(x[5m])) / sum by (job) (rate(y[5m])) > 1",
        "max by (cluster) (x) unless max(y)",
    ] {
        assert!(
            of("", matching).is_empty(),
            "{matching}: {:?}",
            of("", matching)
        );
    }
}

#[test]
fn a_metric_that_is_in_no_file_is_found() {
    let text = "{apiVersion: monitoring.coreos.com/v1, kind: Prometheus, metadata: {name: main}, spec: {scrapeConfigSelector: {}, ruleSelector: {}}}\n---\n\
                {apiVersion: monitoring.coreos.com/v1alpha1, kind: ScrapeConfig, metadata: {name: shop}, spec: {jobName: shop, staticConfigs: [{targets: ['x:80']}]}}\n---\n\
                {apiVersion: monitoring.coreos.com/v1, kind: PrometheusRule, metadata: {name: r}, spec: {groups: [{name: g, rules: [{record: 'own', expr: sum(order_total)}, {alert: A, expr: own + up + orders_total}]}]}}\n";
    let found = |name: &str, dump: &str| {
        let metrics = vec![Input::new(name, dump)];
        let options = Options {
            is_repository: true,
            metrics,
            ..Options::default()
        };
        let output = lint(&Project::read(&[Input::new("a.yaml", text)], &options));
        let of_dump = output
            .diagnostics
            .into_iter()
            .filter(|found| *found.rule == UNEXPOSED_METRIC);
        of_dump.map(|found| found.message).collect::<Vec<_>>()
    };
    let message = "recording rule own: nothing exposes `order_total`, as the metrics show";
    assert_eq!(found("shop.prom", "orders_total 1\n"), [message]);
    assert_eq!(found("names.json", r#"["orders_total"]"#), [message]);
    assert_eq!(
        found("names.json", r#"["orders_total", "order_total"]"#),
        Vec::<String>::new()
    );
}
