//! Tests of who makes a metric.

use promgen_compile::options::Options;
use promgen_model::Project;
use promgen_text::source::Input;

use crate::explain::lineage::{LineageQuery, explain};
use crate::explain::{ExplanationStep, StepState};

/// What each job of a Prometheus does with a metric that no rule reads, or an alert does.
fn steps(name: &str, jobs: &[&str], alerts: &[&str]) -> Option<(StepState, Vec<String>)> {
    let mut text = "{apiVersion: monitoring.coreos.com/v1, kind: Prometheus, metadata: {name: main, namespace: shop}, spec: {ruleSelector: {}, podMonitorSelector: {}, probeSelector: {}}}\n".to_owned();
    for job in jobs {
        let (kind, name) = job.split_once('/').unwrap_or(("PodMonitor", job));
        let spec = match kind {
            "Probe" => "prober: {url: blackbox}, targets: {staticConfig: {static: [till.example]}}",
            _ => "selector: {}, podMetricsEndpoints: [{port: web}]",
        };
        text += &format!(
            "---\n{{apiVersion: monitoring.coreos.com/v1, kind: {kind}, metadata: {{name: {name}, namespace: shop}}, spec: {{{spec}}}}}\n"
        );
    }
    for alert in alerts {
        text += &format!(
            "---\n{{apiVersion: monitoring.coreos.com/v1, kind: PrometheusRule, metadata: {{name: r, namespace: shop}}, spec: {{groups: [{{name: g, rules: [{{alert: A, expr: '{alert}'}}]}}]}}}}\n"
        );
    }
    let inputs = [Input::new("a.yaml", text)];
    let model = Project::read_side(&inputs, &Options::default()).model();
    let query = LineageQuery::parse(&format!("metric/{name}"))?;
    let step: ExplanationStep = explain(&model, &query)?;
    let server = step.steps.first()?;
    let texts = server.steps.iter().map(|step| step.text.clone());
    Some((server.state, texts.collect()))
}

#[test]
fn jobs_come_first_that_are_called_like_the_metric() {
    for (metric, likely) in [
        ("probe_success", "Probe/site"),
        ("pg_up", "postgres-exporter"),
        ("mysql_up", "mysqld"),
        ("redis_up", "redis-exporter"),
        ("container_memory_rss", "stack-kubelet"),
        ("nginx_ingress_controller_requests", "ingress-nginx"),
        ("etcd_server_has_leader", "stack-kube-etcd"),
    ] {
        let jobs = ["alpha", "a-redis-b", likely];
        let (_, steps) = steps(metric, &jobs, &[&format!("{metric} == 0")]).expect(metric);
        let name = likely.trim_start_matches("Probe/");
        assert!(
            steps.len() == 2 && steps[0].contains(name),
            "{metric}: {steps:?}"
        );
        assert!(
            steps[1].starts_with("2 other jobs may"),
            "{metric}: {steps:?}"
        );
    }
    // The namespace of a job says nothing.
    for metric in ["shop_up", "sales_total", "probes_total"] {
        let jobs = ["alpha", "beta", "Probe/till"];
        let (_, steps) = steps(metric, &jobs, &[&format!("{metric} == 0")]).expect(metric);
        assert_eq!(steps.len(), 3, "{metric}: {steps:?}");
    }
}

#[test]
fn what_the_server_makes_needs_no_reader() {
    for name in ["up", "scrape_duration_seconds"] {
        let (state, steps) = steps(name, &["alpha"], &[]).expect(name);
        assert_eq!(state, StepState::Holds, "{name}: {steps:?}");
        assert!(
            steps[0].contains("each scrape makes it"),
            "{name}: {steps:?}"
        );
    }
    for name in ["ALERTS", "ALERTS_FOR_STATE"] {
        let (state, texts) = steps(name, &["alpha"], &["up == 0"]).expect(name);
        assert_eq!(
            (state, texts),
            (StepState::Holds, vec!["its alerts make it".to_owned()])
        );
        let (state, _) = steps(name, &["alpha"], &[]).expect(name);
        assert_eq!(state, StepState::Unknown);
    }
    assert!(steps("sales_total", &["alpha"], &[]).is_none());
}
