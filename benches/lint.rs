//! The merge gate over whole repositories.

use std::fmt::Write as _;

use divan::Bencher;
use divan::counter::ItemsCount;
use promgen::{Input, Options, Project};

/// So many documents, 250 to a file: of ten, four ServiceMonitors with their Services and Deployments between them, a PodMonitor
/// and a PrometheusRule. One Prometheus of nine shards on three zones selects everything.
fn repository(documents: usize) -> Vec<Input> {
    let server = "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {name: main, namespace: monitoring}\nspec: \
                  {shards: 9, shardingStrategy: {mode: Topology, topology: {values: [a, b, c]}}, serviceMonitorSelector: {}, \
                  serviceMonitorNamespaceSelector: {}, podMonitorSelector: {}, podMonitorNamespaceSelector: {}, ruleSelector: {}, \
                  ruleNamespaceSelector: {}}\n";
    let file = |first: usize| {
        let mut text = if first == 0 {
            server.to_owned()
        } else {
            String::new()
        };
        (first..documents.min(first + 250)).for_each(|i| document(i, &mut text));
        Input::new(format!("manifests/{first}.yaml"), text)
    };
    (0..documents).step_by(250).map(file).collect()
}

fn document(i: usize, text: &mut String) {
    let (app, team) = (i / 10 * 10 + i % 10 / 3, i / 10 % 40);
    let metadata =
        format!("metadata: {{name: app-{i}, namespace: team-{team}, labels: {{app: app-{app}}}}}");
    let _ = match i % 10 {
        0 | 3 | 6 | 9 => write!(
            text,
            "---\napiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\n{metadata}\nspec:\n  selector:\n    matchLabels: \
             {{app: app-{app}}}\n  endpoints:\n  - port: metrics\n    interval: 30s\n    relabelings:\n    - sourceLabels: \
             [__meta_kubernetes_pod_node_name]\n      targetLabel: instance\n"
        ),
        1 | 4 => write!(
            text,
            "---\napiVersion: v1\nkind: Service\n{metadata}\nspec:\n  selector: {{app: app-{app}}}\n  ports: [{{name: metrics, \
             port: 80, targetPort: http}}]\n"
        ),
        2 | 5 => write!(
            text,
            "---\napiVersion: apps/v1\nkind: Deployment\n{metadata}\nspec:\n  template:\n    metadata: {{labels: {{app: app-{app}}}}}\n    \
             spec: {{containers: [{{name: main, ports: [{{name: http, containerPort: 8080}}]}}]}}\n"
        ),
        7 => write!(
            text,
            "---\napiVersion: monitoring.coreos.com/v1\nkind: PodMonitor\n{metadata}\nspec:\n  selector: {{matchLabels: {{app: \
             app-{app}}}}}\n  podMetricsEndpoints: [{{port: http}}]\n"
        ),
        _ => write!(
            text,
            "---\napiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\n{metadata}\nspec:\n  groups:\n  - name: g\n    rules:\n    \
             - {{alert: Errors, expr: 'rate(errors_total{{app=\"app-{app}\"}}[5m]) > 0', for: 10m}}\n"
        ),
    };
}

/// The time should grow as the number of documents does.
#[divan::bench(args = [1_000, 10_000, 100_000], sample_count = 10)]
fn lint(bencher: Bencher<'_, '_>, documents: usize) {
    let inputs = repository(documents);
    let options = Options {
        is_repository: true,
        ..Options::default()
    };
    bencher.counter(ItemsCount::new(documents)).bench(|| {
        promgen::lint(&Project::read(divan::black_box(&inputs), &options))
            .diagnostics
            .len()
    });
}

/// Policies, as many as of a large organization: of rules, endpoints, workloads and objects.
const POLICIES: [(&str, &str); 10] = [
    (
        "endpoint",
        "endpoint.interval >= duration('10s') && endpoint.interval <= duration('2m')",
    ),
    ("alert", "rule.name.matches('^[A-Z][a-zA-Z0-9]*$')"),
    ("endpoint", "!endpoint.honorLabels"),
    ("alert", "has(rule.for) && rule.for >= duration('5m')"),
    ("workload", "workload.shards <= 9"),
    (
        "ServiceMonitor",
        "object.spec.endpoints.all(e, !has(e.bearerTokenFile))",
    ),
    ("alert", "!('topk' in rule.functions)"),
    ("endpoint", "!endpoint.drops.cluster"),
    (
        "PrometheusRule",
        "object.spec.groups.all(g, size(g.rules) < 50)",
    ),
    ("Deployment", "has(object.spec.template.spec.containers)"),
];

/// The merge gate with policies: at most 1.3 times as long as without.
#[divan::bench(args = [0, 50], sample_count = 10)]
fn policies(bencher: Bencher<'_, '_>, n_policies: usize) {
    let inputs = repository(10_000);
    let mut text = "policies:\n".to_owned();
    for (number, (kind, require)) in (0..n_policies).zip(POLICIES.iter().cycle()) {
        let _ = writeln!(
            text,
            "- {{name: p{number}, match: {{kind: {kind}}}, require: \"{require}\"}}"
        );
    }
    let options = Options {
        is_repository: true,
        policies: vec![Input::new("bench.policy.yaml", text)],
        ..Options::default()
    };
    bencher.bench(|| {
        promgen::lint(&Project::read(divan::black_box(&inputs), &options))
            .diagnostics
            .len()
    });
}

/// A key in an editor: one file of many differs, and everything is checked again. The first change fills what is kept.
#[divan::bench(args = [1_000, 10_000], sample_count = 20)]
fn edit(bencher: Bencher<'_, '_>, documents: usize) {
    let mut inputs = repository(documents);
    let options = Options {
        is_repository: true,
        ..Options::default()
    };
    let mut project = Project::read(&inputs, &options);
    let mut n_edits = 0_usize;
    bencher.counter(ItemsCount::new(documents)).bench_local(|| {
        n_edits += 1;
        let port = if n_edits.is_multiple_of(2) {
            "port: metrics"
        } else {
            "port: metricz"
        };
        let text = String::from_utf8_lossy(&inputs[0].bytes)
            .replace("port: metrics", port)
            .replace("port: metricz", port);
        inputs[0] = Input::new("manifests/0.yaml", text);
        project = project.with(divan::black_box(&inputs), &options);
        promgen::lint(&project).diagnostics.len()
    });
}
