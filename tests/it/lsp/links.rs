//! Links between objects of all kinds, each in both directions.

use serde_json::json;

use super::Client;
use super::places::Asked;

const PODS: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: db, namespace: shop}
spec:
  template:
    metadata: {labels: {app: db}}
    spec:
      serviceAccountName: runner
      volumes:
      - {name: certs, secret: {secretName: tls}}
      containers:
      - name: db
        ports: [{name: sql, containerPort: 5432}]
        env:
        - name: PASSWORD
          valueFrom: {secretKeyRef: {name: tls, key: tls.key}}
        envFrom: [{configMapRef: {name: settings}}]
---
apiVersion: v1
kind: Service
metadata: {name: db, namespace: shop}
spec: {selector: {app: db}, ports: [{name: web, port: 80}]}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: runner, namespace: shop}}
---
{apiVersion: v1, kind: Secret, metadata: {name: tls, namespace: shop}, data: {tls.key: aGlkZGVu}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: shop}, data: {a: b}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {}}}
";

const OPERATOR: &str = "\
apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata: {name: db, namespace: ops}
spec:
  namespaceSelector: {matchNames: [shop]}
  selector: {matchLabels: {app: db}}
  podMetricsEndpoints:
  - port: sql
---
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: {name: main, namespace: shop}
spec:
  secrets: [tls]
  configMaps: [settings]
  podMonitorSelector: {}
  podMonitorNamespaceSelector: {}
  alerting:
    alertmanagers: [{name: db, namespace: shop, port: web}]
---
apiVersion: monitoring.coreos.com/v1alpha1
kind: AlertmanagerConfig
metadata: {name: routes, namespace: shop}
spec:
  route:
    receiver: mail
    routes: [{receiver: mail, muteTimeIntervals: [night]}]
  receivers: [{name: mail}]
  muteTimeIntervals:
  - name: night
    timeIntervals: [{times: [{startTime: '22:00', endTime: '24:00'}]}]
";

const FILES: &[(&str, &str)] = &[("operator.yaml", OPERATOR), ("pods.yaml", PODS)];

/// A name, and where its definition stands.
const LINKS: &[(&str, &str, &str, &str)] = &[
    ("pods.yaml", "runner\n", "pods.yaml", "runner, namespace"),
    (
        "pods.yaml",
        "tls}}\n      containers",
        "pods.yaml",
        "tls, namespace",
    ),
    ("pods.yaml", "tls, key", "pods.yaml", "tls, namespace"),
    ("pods.yaml", "tls.key}}\n", "pods.yaml", "tls.key: a"),
    (
        "pods.yaml",
        "settings}}]",
        "pods.yaml",
        "settings, namespace",
    ),
    (
        "pods.yaml",
        "selector: {app",
        "pods.yaml",
        "db, namespace: shop}\nspec:\n  template",
    ),
    ("operator.yaml", "shop]", "pods.yaml", "shop, labels"),
    (
        "operator.yaml",
        "selector: {matchLabels: {app",
        "pods.yaml",
        "db, namespace: shop}\nspec:\n  template",
    ),
    (
        "operator.yaml",
        "sql",
        "pods.yaml",
        "db, namespace: shop}\nspec:\n  template",
    ),
    ("operator.yaml", "tls]", "pods.yaml", "tls, namespace"),
    (
        "operator.yaml",
        "settings]",
        "pods.yaml",
        "settings, namespace",
    ),
    (
        "operator.yaml",
        "db, namespace: shop, port",
        "pods.yaml",
        "db, namespace: shop}\nspec: {",
    ),
    ("operator.yaml", "web}]", "pods.yaml", "web, port: 80"),
    (
        "operator.yaml",
        "podMonitorSelector",
        "operator.yaml",
        "db, namespace: ops",
    ),
    (
        "operator.yaml",
        "db, namespace: ops",
        "operator.yaml",
        "main, namespace",
    ),
    ("operator.yaml", "night]", "operator.yaml", "night\n"),
    ("operator.yaml", "mail, mute", "operator.yaml", "mail}]"),
];

/// The first line of the text from a place on.
fn place(file: &str, needle: &str) -> String {
    let text = FILES.iter().find(|(name, _)| *name == file).unwrap().1;
    let start = text.find(needle).unwrap_or_else(|| panic!("{needle}"));
    format!("{file}: {}", text[start..].lines().next().unwrap())
}

const SECRET: &str = "\
apiVersion: v1
kind: Secret
metadata: {name: alertmanager-main, namespace: shop}
stringData:
  alertmanager.yaml: |
    route:
      receiver: quiet
      routes:
      - receiver: pager # by night
        matchers: [severity=page]
        mute_time_intervals: [weekend]
    receivers:
    - name: quiet
    - name: pager
      webhook_configs: [{url: http://pager.shop}]
    time_intervals:
    - name: weekend
      time_intervals: [{weekdays: [saturday]}]
";

#[test]
fn a_configuration_in_a_secret_has_links() {
    let files = &[("secret.yaml", SECRET)];
    let mut client = Client::start(files);
    let mut asked = Asked(&mut client, files);
    let text = "secret.yaml";
    assert_eq!(
        asked.places("definition", text, "pager #"),
        ["secret.yaml: pager"]
    );
    assert_eq!(
        asked.places("definition", text, "weekend]"),
        ["secret.yaml: weekend"]
    );
    assert_eq!(
        asked.places("references", text, "pager\n"),
        ["secret.yaml: pager # by night"]
    );
    assert_eq!(asked.places("definition", text, "severity"), [""; 0]);
    assert!(!asked.hover(text, "pager #").contains("pager"));
    // Names of receivers are values of the Secret: `route` prints none of them, and neither does the outline.
    let document = json!({ "uri": client.uri(text) });
    let symbols = client.ask(
        "textDocument/documentSymbol",
        json!({ "textDocument": document }),
    );
    assert_eq!(
        symbols[0]["name"], "Secret shop/alertmanager-main",
        "{symbols}"
    );
    assert_eq!(symbols[0]["children"], json!([]), "{symbols}");
    assert_eq!(client.stop(), Some(0));
}

const ALERTMANAGERS: &str = "\
apiVersion: monitoring.coreos.com/v1
kind: Alertmanager
metadata: {name: main, namespace: shop}
spec: {replicas: 2}
---
apiVersion: monitoring.coreos.com/v1
kind: Alertmanager
metadata: {name: named, namespace: shop}
spec: {configSecret: alertmanager-main}
---
apiVersion: monitoring.coreos.com/v1
kind: Alertmanager
metadata: {name: bare, namespace: shop}
spec: {configSecret: ''}
---
apiVersion: monitoring.coreos.com/v1
kind: Alertmanager
metadata: {name: empty, namespace: shop}
spec: {}
---
{apiVersion: v1, kind: Secret, metadata: {name: alertmanager-empty, namespace: shop}}
---
apiVersion: monitoring.coreos.com/v1
kind: Alertmanager
metadata: {name: global, namespace: shop}
spec: {alertmanagerConfiguration: {name: routes}}
---
{apiVersion: v1, kind: Secret, metadata: {name: alertmanager-global, namespace: shop}}
";

#[test]
fn an_alertmanager_leads_to_the_secret_that_it_reads_without_naming_it() {
    let files = &[
        ("alertmanagers.yaml", ALERTMANAGERS),
        ("secret.yaml", SECRET),
    ];
    let mut client = Client::start(files);
    let mut asked = Asked(&mut client, files);
    let am = "alertmanagers.yaml";
    let secret = "secret.yaml: alertmanager-main, namespace: shop}";
    assert_eq!(asked.places("definition", am, "main, namespace"), [secret]);
    assert_eq!(
        asked.places("definition", am, "alertmanager-main"),
        [secret]
    );
    for without in ["named, namespace", "bare, namespace", "global, namespace"] {
        assert_eq!(
            asked.places("definition", am, without),
            [""; 0],
            "{without}"
        );
    }
    let users = asked.places("references", "secret.yaml", "alertmanager-main");
    assert_eq!(
        users,
        [
            format!("{am}: main, namespace: shop}}"),
            format!("{am}: alertmanager-main}}")
        ]
    );
    assert_eq!(client.stop(), Some(0));
}

#[test]
fn hover_says_where_the_configuration_of_an_alertmanager_is() {
    let files = &[
        ("alertmanagers.yaml", ALERTMANAGERS),
        ("secret.yaml", SECRET),
    ];
    let mut client = Client::start(files);
    let mut asked = Asked(&mut client, files);
    for (name, said) in [
        (
            "main, namespace",
            "its configuration is in the key `alertmanager.yaml` of Secret shop/alertmanager-main\n",
        ),
        (
            "named, namespace",
            "its configuration is in the key `alertmanager.yaml` of Secret shop/alertmanager-main\n",
        ),
        (
            "bare, namespace",
            "Secret shop/alertmanager-bare, which is not in the input",
        ),
        (
            "empty, namespace",
            "Secret shop/alertmanager-empty has no key `alertmanager.yaml`",
        ),
        (
            "global, namespace",
            "starts from AlertmanagerConfig shop/routes, which is not in the input",
        ),
    ] {
        let text = asked.hover("alertmanagers.yaml", name);
        assert!(
            text.contains(said) && !text.contains("pager"),
            "{name}: {text}"
        );
    }
    assert_eq!(client.stop(), Some(0));
}

#[test]
fn every_link_leads_there_and_back() {
    let mut client = Client::start(FILES);
    let mut asked = Asked(&mut client, FILES);
    for (file, from, target, to) in LINKS {
        let definitions = asked.places("definition", file, from);
        assert_eq!(definitions, [place(target, to)], "{from}");
        let references = asked.places("references", target, to);
        assert!(
            references.contains(&place(file, from)),
            "{to}: {references:?}"
        );
    }
    assert_eq!(client.stop(), Some(0));
}
