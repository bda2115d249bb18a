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
