//! Places of files that builds make objects of: kustomizations, and values of charts.

use serde_json::json;

use super::Client;
use super::places::Asked;

const MONITOR: &str = "\
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: {name: cart, labels: {team: web}}
spec:
  selector: {matchLabels: {app: cart}}
  endpoints: [{port: metrics}]
";

const SERVER: &str = "\
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: {name: main}
spec:
  serviceMonitorSelector: {matchLabels: {team: web}}
";

const PROD: &str = "\
namespace: prod
resources: [../base]
";

const DEV: &str = "\
namespace: dev
resources: [../base]
patches:
- path: shards.yaml
- target: {kind: ServiceMonitor}
  patch: |
    - {op: replace, path: /metadata/labels/team, value: db}
";

const SHARDS: &str = "\
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: {name: main}
spec:
  shards: 3
  serviceMonitorSelector: {matchLabels: {team: db}}
";

const KUSTOMIZED: &[(&str, &str)] = &[
    (
        "base/kustomization.yaml",
        "resources: [monitor.yaml, server.yaml]\n",
    ),
    ("base/monitor.yaml", MONITOR),
    ("base/server.yaml", SERVER),
    ("dev/kustomization.yaml", DEV),
    ("dev/shards.yaml", SHARDS),
    ("prod/kustomization.yaml", PROD),
];

#[test]
fn hover_on_a_base_says_what_becomes_of_each_object_that_is_made_of_it() {
    let mut client = Client::start(KUSTOMIZED);
    let text = Asked(&mut client, KUSTOMIZED).hover("base/monitor.yaml", "cart");
    let prod = "ServiceMonitor prod/cart:\n\n\
                - Prometheus dev/main does not select it: not in the namespace of the workload\n\
                - Prometheus prod/main selects it: 1 job, 1 shard";
    assert!(text.contains(prod), "{text}");
    assert!(
        text.contains(
            "ServiceMonitor dev/cart:\n\n- Prometheus dev/main selects it: 1 job, 3 shards"
        ),
        "{text}"
    );
    assert_eq!(client.stop(), Some(0));
}

#[test]
fn hover_says_what_each_environment_makes_of_an_object() {
    // Two builds that hold an object in two forms cannot share a cluster.
    let mut files = KUSTOMIZED.to_vec();
    let dev = DEV.replace("namespace: dev", "namespace: prod");
    files.retain(|(name, _)| *name != "dev/kustomization.yaml");
    files.push(("dev/kustomization.yaml", &dev));
    let mut client = Client::start(&files);
    let text = Asked(&mut client, &files).hover("base/monitor.yaml", "cart");
    assert!(
        text.contains("In `prod`:\n\n- Prometheus prod/main selects it: 1 job, 1 shard"),
        "{text}"
    );
    assert!(
        text.contains("In `dev`:\n\n- Prometheus prod/main selects it: 1 job, 3 shards"),
        "{text}"
    );
    assert_eq!(client.stop(), Some(0));
}

#[test]
fn a_patch_leads_to_what_the_patched_object_selects() {
    let mut client = Client::start(KUSTOMIZED);
    let mut asked = Asked(&mut client, KUSTOMIZED);
    let selected = asked.places("definition", "dev/shards.yaml", "serviceMonitorSelector");
    assert_eq!(selected, ["base/monitor.yaml: cart, labels: {team: web}}"]);
    assert_eq!(
        asked.places("definition", "base/monitor.yaml", "cart"),
        ["base/server.yaml: main}"]
    );
    assert_eq!(client.stop(), Some(0));
}

const RELEASE: &str = "\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: metrics, namespace: observability}
spec:
  chart:
    spec:
      chart: kube-prometheus-stack
      version: 88.x
      sourceRef: {kind: HelmRepository, name: prometheus-community}
  values:
    prometheus:
      prometheusSpec:
        shards: 2
        serviceMonitorSelector: {matchLabels: {team: web}}
        serviceMonitorNamespaceSelector: {}
    alertmanager:
      config:
        route: {receiver: pager}
        receivers:
        - name: pager
";

const RELEASED: &[(&str, &str)] = &[("monitor.yaml", MONITOR), ("release.yaml", RELEASE)];

#[test]
fn values_of_a_chart_are_where_the_fields_are() {
    let mut client = Client::start(RELEASED);
    let mut asked = Asked(&mut client, RELEASED);
    let text = asked.hover("monitor.yaml", "cart");
    assert!(
        text.contains("Prometheus observability/metrics-kube-prometheus-st-prometheus selects it: 1 job, 2 shards"),
        "{text}"
    );
    let text = asked.hover("release.yaml", "shards");
    assert!(text.starts_with("`spec.shards`: integer"), "{text}");
    let monitors = asked.places("definition", "release.yaml", "serviceMonitorSelector");
    assert_eq!(monitors, ["monitor.yaml: cart, labels: {team: web}}"]);
    let users = asked.places("references", "monitor.yaml", "cart");
    assert!(
        users.contains(
            &"release.yaml: serviceMonitorSelector: {matchLabels: {team: web}}".to_owned()
        ),
        "{users:?}"
    );
    assert_eq!(
        asked.places("definition", "release.yaml", "pager}"),
        ["release.yaml: pager"]
    );
    // All names that the chart gives stand where the version does: those of an Alertmanager, of its Secret, and of Services.
    assert_eq!(
        asked.places("definition", "release.yaml", "88.x"),
        [
            "monitor.yaml: cart, labels: {team: web}}",
            "release.yaml: 88.x"
        ]
    );
    assert!(
        asked
            .hover("release.yaml", "88.x")
            .contains("its configuration is in the key `alertmanager.yaml` of Secret")
    );
    assert_eq!(client.stop(), Some(0));
}

const VALUES: &str = "\
prometheus:
  prometheusSpec:
    shards: 2
    serviceMonitorSelector: {matchLabels: {team: web}}
    additionalScrapeConfigs: []
additionalPrometheusRulesMap:
  shop:
    groups:
    - name: shop
      rules:
      - alert: CartDown
        expr: up == 0
        labels: {severity: page}
alertmanager:
  config:
    route: {receiver: quiet, routes: [{receiver: pager, matchers: [severity=page]}]}
    receivers:
    - name: quiet
    - name: pager
      webhook_configs: [{url: http://pager.shop}]
";

const INFLATED: &[(&str, &str)] = &[
    (
        "kustomization.yaml",
        "namespace: shop\n\
         resources: [monitor.yaml]\n\
         helmCharts:\n\
         - name: kube-prometheus-stack\n  \
           repo: https://prometheus-community.github.io/helm-charts\n  \
           version: 86.2.3\n  \
           releaseName: metrics\n  \
           namespace: shop\n  \
           valuesFile: values.yaml\n",
    ),
    ("monitor.yaml", MONITOR),
    ("values.yaml", VALUES),
];

#[test]
fn a_file_of_values_has_answers() {
    let mut client = Client::start(INFLATED);
    let mut asked = Asked(&mut client, INFLATED);
    assert!(
        asked
            .hover("values.yaml", "shards")
            .contains("`spec.shards`: integer")
    );
    let monitors = asked.places("definition", "values.yaml", "serviceMonitorSelector");
    assert_eq!(monitors, ["monitor.yaml: cart, labels: {team: web}}"]);
    let text = asked.hover("values.yaml", "CartDown");
    assert!(text.contains("notifies `pager` (webhook)"), "{text}");
    let text = asked.hover("values.yaml", "up ==");
    assert!(text.contains("- metrics: `up`"), "{text}");
    assert_eq!(
        asked.places("definition", "values.yaml", "pager, matchers"),
        ["values.yaml: pager"]
    );
    assert_eq!(client.stop(), Some(0));
}

#[test]
fn the_top_of_a_file_of_values_is_completed() {
    let mut files = INFLATED.to_vec();
    files.retain(|(name, _)| *name != "values.yaml");
    files.push(("values.yaml", "# Nothing is set.\n"));
    let mut client = Client::start(&files);
    let mut offered = |text: &str| -> Vec<String> {
        client.open("values.yaml", text);
        // Findings are asked first, so that the server has seen the text that does not parse.
        let document = json!({ "uri": client.uri("values.yaml") });
        client.ask(
            "textDocument/documentSymbol",
            json!({ "textDocument": document }),
        );
        let line = text.lines().count() - 1;
        let position = json!({ "line": line, "character": text.lines().last().unwrap().len() });
        let answer = client.ask(
            "textDocument/completion",
            json!({ "textDocument": document, "position": position }),
        );
        answer["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|item| item["label"].as_str().unwrap().to_owned())
            .collect()
    };
    for text in [
        "pro",
        "prometheus:\n  enabled: true\nal",
        "prometheus:\n  enabled: true\n\n",
    ] {
        let keys = offered(text);
        let wanted = "alertmanager".to_owned();
        assert!(
            keys.contains(&wanted) && !keys.contains(&"apiVersion".to_owned()),
            "{text}: {keys:?}"
        );
    }
    // Other files of the repository are what they were.
    for name in ["monitor.yaml", "kustomization.yaml"] {
        client.open(name, "spec: {}\nki");
        let document = json!({ "uri": client.uri(name) });
        let position = json!({ "line": 1, "character": 2 });
        let answer = client.ask(
            "textDocument/completion",
            json!({ "textDocument": document, "position": position }),
        );
        assert!(
            answer.to_string().contains("apiVersion")
                && !answer.to_string().contains("thanosRuler"),
            "{answer}"
        );
    }
    assert_eq!(client.stop(), Some(0));
}

#[test]
fn a_finding_names_its_environment_if_there_are_several() {
    let dev = DEV.replace("namespace: dev", "namespace: prod");
    let monitor = MONITOR.replace("port: metrics", "port: metrics, intervall: 30s");
    let storage = "storage: {volumeClaimTemplate: {spec: {resources: {requests: {storage: 1Gi}}}}}";
    let shards = SHARDS.replace("shards: 3", &format!("shards: 3\n  shardz: 1\n  {storage}"));
    let mut files = KUSTOMIZED.to_vec();
    files.retain(|(name, _)| {
        ![
            "dev/kustomization.yaml",
            "base/monitor.yaml",
            "dev/shards.yaml",
        ]
        .contains(name)
    });
    files.extend([
        ("dev/kustomization.yaml", &*dev),
        ("base/monitor.yaml", &monitor),
        ("dev/shards.yaml", &shards),
    ]);
    let mut client = Client::start(&files);
    let mut next = || {
        let (name, found) = client.sources();
        let found: Vec<String> = found
            .iter()
            .map(|(code, source)| format!("{code} {source}"))
            .collect();
        format!("{name}: {}", found.join(", "))
    };
    // Both have a field of the base; one of them has storage.
    assert_eq!(next(), "monitor.yaml: PG010 promgen");
    let of_server = next();
    assert!(
        of_server.starts_with("server.yaml: ") && of_server.contains(" promgen (prod)"),
        "{of_server}"
    );
    assert_eq!(next(), "shards.yaml: PG010 promgen (dev)");
    assert_eq!(client.stop(), Some(0));
}

#[test]
fn a_finding_in_the_only_environment_names_none() {
    let mut client = Client::start(&[("a.yaml", super::MONITOR)]);
    let (_, found) = client.sources();
    assert!(
        !found.is_empty() && found.iter().all(|(_, source)| source == "promgen"),
        "{found:?}"
    );
    assert_eq!(client.stop(), Some(0));
}
