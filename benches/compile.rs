//! From text to the configuration of every shard.

use std::fmt::Write as _;

use divan::Bencher;
use promgen::{Input, Options};
use rayon::prelude::*;

/// One Prometheus of nine shards on three zones, and `monitors` ServiceMonitors: about 465 bytes each.
fn manifests(monitors: usize) -> String {
    let mut text = String::from(
        "apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata:
  name: main
  namespace: monitoring
spec:
  shards: 9
  shardingStrategy:
    mode: Topology
    topology:
      values: [zone-a, zone-b, zone-c]
  serviceMonitorSelector: {}
  serviceMonitorNamespaceSelector: {}
",
    );
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
    let output = promgen::compile(&inputs, &Options::default());
    let workload = &output.workloads[0];
    let config = workload.config.as_ref().expect("a configuration");
    let texts: Vec<String> = workload.plan.shards.par_iter().map(|shard| config.expand(shard).text()).collect();
    texts.iter().map(String::len).sum()
}

/// The main job: 1,000 monitors, about 465 KB read, about 28 MB written. Allocations count into the figure.
#[divan::bench(args = [100, 1_000, 10_000])]
fn monitors(bencher: Bencher<'_, '_>, monitors: usize) {
    let text = manifests(monitors);
    bencher.bench(|| expanded(divan::black_box(&text)));
}
