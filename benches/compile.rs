//! From text to the configuration of every shard.

use std::fmt::Write as _;

use divan::Bencher;
use promgen::{Input, Options};
use rayon::prelude::*;

/// So many Prometheus objects of nine shards on three zones, each of which selects everything.
fn servers(n: usize) -> String {
    let server = |i: usize| {
        format!(
            "apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata:
  name: main-{i}
  namespace: monitoring
spec:
  shards: 9
  shardingStrategy:
    mode: Topology
    topology:
      values: [zone-a, zone-b, zone-c]
  serviceMonitorSelector: {{}}
  serviceMonitorNamespaceSelector: {{}}
  ruleSelector: {{}}
  ruleNamespaceSelector: {{}}
---
"
        )
    };
    (0..n).map(server).collect()
}

/// `monitors` ServiceMonitors, about 465 bytes each, beside that many Prometheus objects.
fn manifests(n_servers: usize, monitors: usize) -> String {
    let mut text = servers(n_servers);
    for i in 0..monitors {
        let _ = write!(
            text,
            "---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata:
  name: service-{i}
  namespace: team-{}
  labels:
    app.kubernetes.io/name: service-{i}
    team: team-{}
spec:
  jobLabel: app.kubernetes.io/name
  selector:
    matchLabels:
      app.kubernetes.io/name: service-{i}
  endpoints:
  - port: metrics
    interval: 30s
    path: /metrics
    relabelings:
    - sourceLabels: [__meta_kubernetes_pod_node_name]
      targetLabel: instance
",
            i % 40,
            i % 40,
        );
    }
    text
}

fn expanded(text: &str) -> usize {
    let inputs = [Input::new("manifests.yaml", text)];
    let output = promgen::Project::read(&inputs, &Options::default())
        .model()
        .into_output();
    let workload = &output.workloads[0];
    let config = workload.config.as_ref().expect("a configuration");
    let config = config.expandable();
    let texts: Vec<String> = workload
        .plan
        .shards
        .par_iter()
        .map(|shard| config.of(shard).text())
        .collect();
    texts.iter().map(String::len).sum()
}

/// The main job: 1,000 monitors, about 465 KB read, about 28 MB written. Allocations count into the figure.
#[divan::bench(args = [100, 1_000, 10_000])]
fn monitors(bencher: Bencher<'_, '_>, monitors: usize) {
    let text = manifests(1, monitors);
    bencher.bench(|| expanded(divan::black_box(&text)));
}

/// 10,000 monitors, each selected by one Prometheus or by ten: the configurations with their placeholders, 33 MB each.
#[divan::bench(args = [1, 10], sample_count = 10)]
fn ten_thousand_monitors(bencher: Bencher<'_, '_>, n_servers: usize) {
    let text = manifests(n_servers, 10_000);
    bencher.bench(|| {
        let inputs = [Input::new(
            "manifests.yaml",
            divan::black_box(&text).as_str(),
        )];
        let output = promgen::Project::read(&inputs, &Options::default())
            .model()
            .into_output();
        output
            .workloads
            .iter()
            .filter_map(|workload| workload.config.as_ref())
            .map(|c| c.text().len())
            .sum::<usize>()
    });
}

/// So many alerting rules, ten to a resource: parsed, checked, written.
#[divan::bench(args = [1_000, 10_000])]
fn rules(bencher: Bencher<'_, '_>, rules: usize) {
    let mut text = servers(1);
    for i in 0..rules / 10 {
        let _ = write!(
            text,
            "---
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata: {{name: rules-{i}, namespace: team-{}}}
spec:
  groups:
  - name: group-{i}
    rules:
",
            i % 40
        );
        for rule in 0..10 {
            let _ = write!(
                text,
                "    - alert: Errors{rule}
      expr: sum by (job) (rate(http_requests_total{{code=~\"5..\",service=\"s{i}\"}}[5m])) > 0.{rule}
      for: 10m
      labels: {{severity: page}}
      annotations: {{summary: \"{{{{ $labels.job }}}} fails {{{{ $value | humanize }}}} times a second\"}}
"
            );
        }
    }
    bencher.bench(|| {
        let inputs = [Input::new("rules.yaml", divan::black_box(&text).as_str())];
        let output = promgen::Project::read(&inputs, &Options::default())
            .model()
            .into_output();
        assert_eq!(
            output.workloads[0].rule_files.len(),
            rules / 10,
            "every resource makes a file"
        );
    });
}
