//! Rules that lose their series, as dumps of metrics show.

use std::fs;

use crate::support::promgen;

#[test]
fn a_rule_that_reads_another_metric_loses_its_series_if_nothing_exposes_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    for (name, metric) in [("base.yaml", "orders_total"), ("head.yaml", "order_total")] {
        let text = format!(
            "{{apiVersion: monitoring.coreos.com/v1, kind: Prometheus, metadata: {{name: main}}, spec: {{scrapeConfigSelector: {{}}, ruleSelector: {{}}}}}}\n---\n\
             {{apiVersion: monitoring.coreos.com/v1alpha1, kind: ScrapeConfig, metadata: {{name: shop}}, spec: {{jobName: shop, staticConfigs: [{{targets: ['x:80']}}]}}}}\n---\n\
             {{apiVersion: monitoring.coreos.com/v1, kind: PrometheusRule, metadata: {{name: r}}, spec: {{groups: [{{name: g, rules: [{{alert: Few, expr: {metric} < 1}}]}}]}}}}\n"
        );
        fs::write(folder.path().join(name), text).unwrap();
    }
    fs::write(folder.path().join("shop.prom"), "orders_total 1\n").unwrap();
    let (base, head, metrics) = (path("base.yaml"), path("head.yaml"), path("shop.prom"));
    let asked = [
        "diff",
        &base,
        &head,
        "--no-config",
        "--fail-on",
        "lost-series",
    ];
    assert_eq!(promgen(&asked).code, 0);
    let with = promgen(&[&asked[..], &["--metrics", &metrics]].concat());
    assert_eq!(with.code, 1, "{}{}", with.stdout, with.stderr);
    let message = "nothing exposes `order_total`";
    assert!(
        with.stdout.contains(message) && with.stdout.contains("alert Few"),
        "{}",
        with.stdout
    );
    let back = promgen(&[
        "diff",
        &head,
        &base,
        "--no-config",
        "--fail-on",
        "lost-series",
        "--metrics",
        &metrics,
    ]);
    assert!(
        back.code == 0 && back.stdout.contains(message),
        "{}",
        back.stdout
    );
    let live = promgen(&["diff", &base, "--live", &head, "--metrics", &metrics]);
    assert!(
        live.code == 2 && live.stderr.contains("--metrics"),
        "{}",
        live.stderr
    );
}

/// What `diff` says of two inputs that differ in one text.
fn between(text: &str, base: &str, head: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let side = |name: &str, with: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text.replace("CHANGED", with)).unwrap();
        path.display().to_string()
    };
    let (base, head) = (side("base.yaml", base), side("head.yaml", head));
    promgen(&["diff", &base, &head, "--no-config"]).stdout
}

/// A server with a job `till`, one whose labels are not known, and alerts on both; `CHANGED` ends the jobs.
const TILL: &str = "{apiVersion: monitoring.coreos.com/v1, kind: Prometheus, metadata: {name: main}, spec: {scrapeConfigSelector: {}, ruleSelector: {}}}
---
{apiVersion: monitoring.coreos.com/v1alpha1, kind: ScrapeConfig, metadata: {name: state}, spec: {jobName: state, honorLabels: true, staticConfigs: [{targets: ['s:80']}]}}
---
{apiVersion: monitoring.coreos.com/v1, kind: PrometheusRule, metadata: {name: r}, spec: {groups: [{name: g, rules: [
  {record: 'till:sales:rate', expr: 'rate(sales_total{job=\"till\"}[5m])'},
  {alert: NoSales, expr: 'till:sales:rate == 0'},
  {alert: Slow, expr: 'histogram_quantile(0.9, rate(wait_seconds_bucket{job=\"till\"}[5m])) > 1'},
  {alert: Other, expr: 'other_total{job=\"state\"} > 1'}]}]}}
---
{apiVersion: monitoring.coreos.com/v1alpha1, kind: ScrapeConfig, metadata: {name: till}, spec: {jobName: CHANGED, staticConfigs: [{targets: ['t:80']}]}}
";

#[test]
fn readers_of_what_the_base_made_are_named_with_what_leaves_it_open() {
    let told = |head: &str| between(TILL, "till", head);
    for (head, cause) in [
        (
            "tills",
            "the labels of job scrapeConfig/default/till are others now",
        ),
        (
            "till, metricRelabelings: [{sourceLabels: [__name__], regex: sales_total, action: drop}]",
            "job scrapeConfig/default/till drops `sales_total` now",
        ),
    ] {
        let said = told(head);
        let line = said
            .lines()
            .find(|line| line.contains("may lose them"))
            .unwrap_or_default();
        assert!(line.contains(cause), "{said}");
        assert!(
            line.contains("job scrapeConfig/default/state sets `honorLabels`"),
            "{said}"
        );
        assert!(
            line.contains("alert NoSales") && line.contains("till:sales:rate"),
            "{said}"
        );
        assert!(!said.contains("alert Other"), "{said}");
    }
    let native = told("till, scrapeNativeHistograms: true");
    assert!(!native.contains("NoSales"), "{native}");
    for harmless in [
        "till, scrapeInterval: 10s",
        "till, metricRelabelings: [{regex: pod, action: labeldrop}]",
    ] {
        let said = told(harmless);
        assert!(!said.contains("lose"), "{said}");
    }
}

/// A server with monitors whose Services are not in the input, and alerts on what they find; `PAY` ends the spec of one, `TEA` that of
/// the other, and `TILL` a ScrapeConfig.
const MONITORS: &str = "{apiVersion: monitoring.coreos.com/v1, kind: Prometheus, metadata: {name: main}, spec: {scrapeConfigSelector: {}, serviceMonitorSelector: {}, ruleSelector: {}}}
---
{apiVersion: monitoring.coreos.com/v1, kind: ServiceMonitor, metadata: {name: pay}, spec: {selector: {matchLabels: {app: pay}}, PAY}}
---
{apiVersion: monitoring.coreos.com/v1, kind: ServiceMonitor, metadata: {name: tea}, spec: {selector: {matchLabels: {app: tea}}, TEA}}
---
{apiVersion: monitoring.coreos.com/v1alpha1, kind: ScrapeConfig, metadata: {name: till}, spec: {honorLabels: true, staticConfigs: [{targets: ['t:80']}], TILL}}
---
{apiVersion: monitoring.coreos.com/v1, kind: PrometheusRule, metadata: {name: r}, spec: {groups: [{name: g, rules: [
  {alert: Pay, expr: 'pay_total{job=\"pay\"} > 1'},
  {alert: Tea, expr: 'tea_total{job=~\"tea|coffee\"} > 1'},
  {alert: Till, expr: 'till_total{job=\"till\"} > 1'}]}]}}
";

#[test]
fn a_job_of_another_name_takes_series_from_those_who_ask_for_it() {
    let (pay, tea) = (
        "endpoints: [{port: a, honorLabels: true}]",
        "endpoints: [{port: a}]",
    );
    let lost = |field: &str, base: &str, head: &str| {
        let of = |name: &str, plain: &str| if field == name { "CHANGED" } else { plain }.to_owned();
        let text = MONITORS.replace("PAY", &of("PAY", pay));
        let text = text.replace("TEA", &of("TEA", tea));
        let said = between(
            &text.replace("TILL", &of("TILL", "jobName: till")),
            base,
            head,
        );
        let lines = said.lines().filter(|line| line.contains("lose them"));
        let told: String = lines.collect();
        let alerts = ["alert Pay", "alert Tea", "alert Till"];
        let named = alerts.into_iter().filter(|alert| told.contains(alert));
        assert!(!told.is_empty() || !said.contains("lose"), "{said}");
        named.collect::<Vec<_>>()
    };
    let renamed = "relabelings: [{targetLabel: job, replacement: another}]";
    let of = |port: &str, more: &str| port.replace("}]", &format!(", {more}}}]"));
    let label = |label: &str, port: &str| format!("jobLabel: {label}, {port}");
    let same = "jobLabel: app, targetLabels: [team]";
    let coffee = "relabelings: [{targetLabel: job, replacement: coffee}]";
    let team = "relabelings: [{targetLabel: team, replacement: job}]";
    for (field, base, head, expected) in [
        // Labels are honored; the label is known no longer; the job is gone.
        ("PAY", pay, &*of(pay, renamed), &["alert Pay"][..]),
        (
            "PAY",
            &label("app", pay),
            &label("team", pay),
            &["alert Pay"],
        ),
        (
            "TEA",
            &label("app", tea),
            &label("team", tea),
            &["alert Tea"],
        ),
        ("TEA", tea, &of(tea, renamed), &["alert Tea"]),
        ("TEA", tea, "endpoints: []", &["alert Tea"]),
        ("TILL", "jobName: till", "jobName: tills", &["alert Till"]),
        ("TEA", tea, &of(tea, coffee), &[]),
        ("TEA", tea, &of(tea, team), &[]),
        ("TEA", &label("app", tea), &format!("{tea}, {same}"), &[]),
    ] {
        assert_eq!(lost(field, base, head), expected, "{field}: {head}");
    }
}

#[test]
fn readers_of_a_recorded_series_lose_it_with_its_rule() {
    let rules = TILL
        .replace("till:sales:rate', expr", "CHANGED', expr")
        .replace("jobName: CHANGED", "jobName: till");
    let (_, others) = rules.split_once("---").unwrap();
    let ruler = "{apiVersion: monitoring.coreos.com/v1, kind: ThanosRuler, metadata: {name: tr}, spec: {ruleSelector: {}, queryEndpoints: [q]}}";
    for rules in [rules.clone(), format!("{ruler}\n---{others}")] {
        let said = between(&rules, "till:sales:rate", "till:sales:rate5m");
        let line = said
            .lines()
            .find(|line| line.contains("alert NoSales"))
            .unwrap_or_default();
        assert!(
            line.contains("loses them: no rule records `till:sales:rate` any more"),
            "{said}"
        );
        let both = rules.replace("till:sales:rate ==", "CHANGED ==");
        let said = between(&both, "till:sales:rate", "till:sales:rate5m");
        assert!(!said.contains("lose"), "{said}");
    }
}

/// A server whose spec has `CHANGED`, a monitor, and readers of bounds: whole numbers in alerts, a recording rule and a panel.
const BOUNDS: &str = "{apiVersion: monitoring.coreos.com/v1, kind: Prometheus, metadata: {name: main}, spec: {serviceMonitorSelector: {}, ruleSelector: {}, CHANGED}}
---
{apiVersion: monitoring.coreos.com/v1, kind: ServiceMonitor, metadata: {name: shop}, spec: {selector: {matchLabels: {app: shop}}, endpoints: [{port: web, relabelings: [
  {sourceLabels: [__meta_kubernetes_endpoint_node_name], targetLabel: node}]}]}}
---
{apiVersion: monitoring.coreos.com/v1, kind: PrometheusRule, metadata: {name: r}, spec: {groups: [{name: g, rules: [
  {alert: Slow, expr: 'rate(sale_seconds_bucket{le=\"1\"}[5m]) < 1'},
  {alert: OneOf, expr: 'rate(sale_seconds_bucket{le=~\"0.5|2\"}[5m]) < 1'},
  {alert: Median, expr: 'sale_size{quantile=\"1\"} > 9'},
  {record: 'shop:sale_seconds:rate5m', expr: 'sum by (le) (rate(sale_seconds_bucket[5m]))'},
  {alert: Recorded, expr: 'shop:sale_seconds:rate5m{le=\"5\"} < 1'},
  {alert: Half, expr: 'rate(sale_seconds_bucket{le=\"0.5\"}[5m]) < 1'},
  {alert: Float, expr: 'rate(sale_seconds_bucket{le=\"1.0\"}[5m]) < 1'},
  {alert: All, expr: 'rate(sale_seconds_bucket{le=\"+Inf\"}[5m]) < 1'},
  {alert: OnNode, expr: 'sales_total{node=\"a\"} == 0'},
  {alert: Sales, expr: 'sales_total == 0'}]}]}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: board, labels: {grafana_dashboard: '1'}}, data: {a.json: '{\"title\": \"Shop\", \"panels\": [{\"type\": \"timeseries\", \"title\": \"Fast\", \"datasource\": {\"type\": \"prometheus\"}, \"targets\": [{\"expr\": \"sale_seconds_bucket{le=\\\"1\\\"}\"}]}]}'}}
";

/// The names of those who may lose their series between two specs of [`BOUNDS`].
fn losers(base: &str, head: &str) -> Vec<&'static str> {
    let said = between(BOUNDS, base, head);
    let mut lines = said.lines().filter(|line| line.contains("may lose"));
    let names = [
        "alert Slow",
        "alert OneOf",
        "alert Median",
        "alert Recorded",
        "alert Half",
        "alert Float",
        "alert All",
        "alert OnNode",
        "alert Sales",
        "panel Fast",
    ];
    let all = lines.by_ref().collect::<Vec<_>>().join("\n");
    names
        .into_iter()
        .filter(|name| all.contains(name))
        .collect()
}

#[test]
fn whole_bounds_may_be_lost_from_prometheus_2_to_3() {
    let whole = [
        "alert Slow",
        "alert OneOf",
        "alert Median",
        "alert Recorded",
        "panel Fast",
    ];
    assert_eq!(losers("version: v2.55.1", "version: v3.5.0"), whole);
    assert_eq!(losers("version: v3.4.0", "version: v3.5.0"), [""; 0]);
    let text = "version: v2.55.1, scrapeProtocols: [PrometheusText0.0.4]";
    let open = "version: v2.55.1, scrapeProtocols: [OpenMetricsText1.0.0, PrometheusText0.0.4]";
    assert_eq!(
        losers(text, open),
        [""; 0],
        "the protocols of all jobs are no section of one"
    );
}

#[test]
fn the_role_of_slices_takes_labels_and_no_targets() {
    assert_eq!(
        losers("replicas: 1", "serviceDiscoveryRole: EndpointSlice"),
        ["alert OnNode"]
    );
}
