//! Tests of what exporters expose, by their release and their arguments.

use crate::checks::found::found;

const STATE_METRICS: &str = "registry.k8s.io/kube-state-metrics/kube-state-metrics:v2.18.0";
const NODE: &str = "quay.io/prometheus/node-exporter:v1.9.1";

/// A Prometheus that selects everything, and a rule that reads an expression.
fn with_rule(expression: &str) -> String {
    format!(
        "{{apiVersion: monitoring.coreos.com/v1, kind: Prometheus, metadata: {{name: k8s, namespace: monitoring}}, spec: {{serviceMonitorSelector: {{}}, serviceMonitorNamespaceSelector: {{}}, ruleSelector: {{}}, ruleNamespaceSelector: {{}}}}}}\n---\n\
         {{apiVersion: monitoring.coreos.com/v1, kind: PrometheusRule, metadata: {{name: r, namespace: monitoring}}, spec: {{groups: [{{name: g, rules: [{{alert: A, expr: '{expression}'}}]}}]}}}}\n"
    )
}

/// A workload with its Service and its monitor: the kind, the name, the image, the arguments, and further containers.
fn workload(kind: &str, name: &str, image: &str, args: &str, more: &str) -> String {
    format!(
        "---\n{{apiVersion: apps/v1, kind: {kind}, metadata: {{name: {name}, namespace: monitoring}}, spec: {{selector: {{matchLabels: {{app.kubernetes.io/name: {name}}}}}, template: {{metadata: {{labels: {{app.kubernetes.io/name: {name}}}}}, spec: {{containers: [{{name: main, image: '{image}', args: [{args}], ports: [{{name: http, containerPort: 8080}}]}}{more}]}}}}}}}}\n---\n\
         {{apiVersion: v1, kind: Service, metadata: {{name: {name}, namespace: monitoring, labels: {{app.kubernetes.io/name: {name}}}}}, spec: {{selector: {{app.kubernetes.io/name: {name}}}, ports: [{{name: http, port: 8080, targetPort: http}}]}}}}\n---\n\
         {{apiVersion: monitoring.coreos.com/v1, kind: ServiceMonitor, metadata: {{name: {name}, namespace: monitoring}}, spec: {{selector: {{matchLabels: {{app.kubernetes.io/name: {name}}}}}, endpoints: [{{port: http, honorLabels: true}}]}}}}\n"
    )
}

/// The findings on an expression about kube-state-metrics with these arguments.
fn of(args: &str, expression: &str) -> Vec<String> {
    of_image(STATE_METRICS, args, expression)
}

fn of_image(image: &str, args: &str, expression: &str) -> Vec<String> {
    found(
        &["PG62"],
        &(with_rule(expression) + &workload("Deployment", "kube-state-metrics", image, args, "")),
    )
}

#[test]
fn a_metric_that_the_exporter_does_not_expose_is_found() {
    for (args, dead) in [
        (
            "",
            r#"kube_pod_container_status_lastterminated_reason{job="kube-state-metrics"} > 0"#,
        ),
        (
            "'--resources=pods'",
            r#"kube_node_info{job="kube-state-metrics"}"#,
        ),
        (
            "--resources, 'pods,nodes'",
            "sum by (namespace) (kube_deployment_created)",
        ),
        ("", r#"kube_role_info{job="kube-state-metrics"}"#),
        (
            "'--metric-denylist=^kube_secret_'",
            r#"kube_secret_info{job="kube-state-metrics"}"#,
        ),
        (
            "'--metric-allowlist=^kube_pod_'",
            r#"kube_node_info{job="kube-state-metrics"}"#,
        ),
        ("", r#"kube_pod_nodeselectors{job="kube-state-metrics"}"#),
        (
            "",
            r#"rate(kube_pod_restarts{job="kube-state-metrics"}[5m]) > 0 and kube_pod_info"#,
        ),
    ] {
        let found = of(args, dead);
        assert!(
            matches!(found.as_slice(), [one] if one.starts_with("PG626")),
            "{args} {dead}: {found:?}"
        );
    }
    assert!(
        of("", r#"absent(kube_pod_inf{job="kube-state-metrics"})"#)
            .iter()
            .all(|found| found.starts_with("PG622"))
    );
    assert!(!of("", r#"absent(kube_pod_inf{job="kube-state-metrics"})"#).is_empty());
}

#[test]
fn a_metric_that_the_exporter_may_expose_is_not_found() {
    for (args, alive) in [
        (
            "",
            r#"kube_pod_container_status_last_terminated_reason{job="kube-state-metrics"} > 0"#,
        ),
        (
            "'--resources=pods,nodes'",
            r#"kube_node_info{job="kube-state-metrics"}"#,
        ),
        (
            "'--resources=roles'",
            r#"kube_role_info{job="kube-state-metrics"}"#,
        ),
        (
            "'--metric-opt-in-list=kube_pod_nodeselectors'",
            r#"kube_pod_nodeselectors{job="kube-state-metrics"}"#,
        ),
        (
            "",
            r#"kube_state_metrics_list_total{job="kube-state-metrics"}"#,
        ),
        (
            "",
            r#"process_resident_memory_bytes{job="kube-state-metrics"} > 5"#,
        ),
        ("", r#"go_goroutines{job="kube-state-metrics"}"#),
        ("", r#"up{job="kube-state-metrics"} == 0"#),
        ("", "kube_misspelt or kube_pod_info"),
        (
            "'--custom-resource-state-config-file=/x.yaml'",
            "kube_customresource_x",
        ),
        ("'--config=/x.yaml'", "kube_node_inf"),
        ("'--resources=$(R)'", "kube_node_inf"),
        ("'--unknown=1'", "kube_node_inf"),
    ] {
        assert_eq!(of(args, alive), Vec::<String>::new(), "{args} {alive}");
    }
    for image in [
        "kube-state-metrics:latest",
        "kube-state-metrics:v2.1.0",
        "kube-state-metrics:v2.99.0",
        "kube-state-metrics@sha256:00",
    ] {
        assert_eq!(
            of_image(image, "", "kube_misspelt"),
            Vec::<String>::new(),
            "{image}"
        );
    }
}

#[test]
fn what_else_may_expose_it_leaves_it_open() {
    let dead = with_rule("kube_misspelt")
        + &workload("Deployment", "kube-state-metrics", STATE_METRICS, "", "");
    let count = |more: &str| found(&["PG62"], &format!("{dead}{more}")).len();
    assert_eq!(count(""), 1);
    assert_eq!(count(&workload("Deployment", "app", "app:1", "", "")), 0);
    assert_eq!(
        count(&workload("DaemonSet", "node-exporter", NODE, "", "")),
        1
    );
    assert_eq!(
        count(&workload(
            "DaemonSet",
            "node-exporter",
            NODE,
            "'--collector.textfile.directory=/x'",
            ""
        )),
        0
    );
    let other = |image| workload("StatefulSet", "kube-state-metrics-2", image, "", "");
    assert_eq!(count(&other(STATE_METRICS)), 1);
    assert_eq!(count(&other("kube-state-metrics:v2.15.0")), 0);
    assert_eq!(count(&other("kube-state-metrics:latest")), 0);
    let beside = |image: &str| {
        let more = format!(", {{name: x, image: '{image}'}}");
        let one = workload("Deployment", "kube-state-metrics", STATE_METRICS, "", &more);
        found(&["PG62"], &(with_rule("kube_misspelt") + &one)).len()
    };
    assert_eq!(beside("quay.io/brancz/kube-rbac-proxy:v0.19.1"), 1);
    assert_eq!(beside("example.org/my-exporter:v1"), 0);
}

#[test]
fn two_exporters_share_the_resources() {
    let both = |expression: &str| {
        let one = workload(
            "Deployment",
            "kube-state-metrics",
            STATE_METRICS,
            "'--resources=nodes'",
            "",
        );
        let other = workload(
            "DaemonSet",
            "ksm-pods",
            STATE_METRICS,
            "'--resources=pods', '--node=$(NODE)'",
            "",
        );
        found(&["PG62"], &(with_rule(expression) + &one + &other))
    };
    assert_eq!(both("kube_pod_info + kube_node_info"), Vec::<String>::new());
    assert_eq!(both("kube_secret_info").len(), 1);
}

#[test]
fn a_renamed_metric_is_possible() {
    let workload = workload("Deployment", "kube-state-metrics", STATE_METRICS, "", "").replace(
        "honorLabels: true",
        "honorLabels: true, metricRelabelings: [{sourceLabels: [__name__], regex: 'kube_(.+)', targetLabel: __name__, replacement: 'kube_old_$1'}]",
    );
    assert_eq!(
        found(&["PG62"], &(with_rule("kube_old_pod_info") + &workload)),
        Vec::<String>::new()
    );
}

#[test]
fn a_collector_that_is_off_is_found() {
    let of = |args: &str, expression: &str| {
        found(
            &["PG62"],
            &(with_rule(expression) + &workload("DaemonSet", "node-exporter", NODE, args, "")),
        )
    };
    let failed = r#"node_systemd_unit_state{job="node-exporter",state="failed"} == 1"#;
    let lacking = of("'--path.rootfs=/host/root'", failed);
    assert!(
        matches!(lacking.as_slice(), [one] if one.starts_with("PG626")),
        "{lacking:?}"
    );
    assert_eq!(of("'--collector.systemd'", failed), Vec::<String>::new());
    assert_eq!(
        of("'--collector.textfile.directory=/x'", failed),
        Vec::<String>::new()
    );
    assert_eq!(
        of(
            "'--no-collector.loadavg'",
            r#"node_load1{job="node-exporter"}"#
        )
        .len(),
        1
    );
    assert_eq!(
        of("", r#"node_load1{job="node-exporter"} + node_misspelt"#),
        Vec::<String>::new()
    );
}

#[test]
fn a_label_that_is_not_exposed_counts_unless_it_is_only_taken_away() {
    let told = |expression: &str| {
        let found = of("", expression);
        found
            .iter()
            .filter_map(|line| {
                line.strip_prefix("PG625 ")?
                    .split(' ')
                    .next()
                    .map(str::to_owned)
            })
            .collect::<Vec<_>>()
    };
    let asked = r#"kube_pod_labels{label_no_alerts="true"}"#;
    for (expression, level) in [
        (format!("kube_pod_info unless on (pod) {asked}"), "info"),
        (
            format!("kube_pod_info unless on (pod) ({asked} == 1)"),
            "info",
        ),
        (
            format!("kube_pod_info unless on (pod) (kube_pod_owner and on (pod) {asked})"),
            "info",
        ),
        (
            format!("kube_pod_info unless on (pod) (kube_pod_owner unless on (pod) {asked})"),
            "info",
        ),
        (asked.to_owned(), "warning"),
        (format!("kube_pod_info and on (pod) {asked}"), "warning"),
        (format!("{asked} unless on (pod) kube_pod_info"), "warning"),
        (
            format!("({asked} unless on (pod) kube_pod_info) > 0"),
            "warning",
        ),
    ] {
        assert_eq!(told(&expression), [level], "{expression}");
    }
}
