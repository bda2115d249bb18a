//! The candidates while a line is typed.

use super::*;
use promgen_text::yaml::read::read;

const OTHERS: &str = "\
{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop, labels: {app: web, tier: '1'}}, spec: {ports: [{name: http, port: 80}]}}
---
{apiVersion: v1, kind: Service, metadata: {name: db, namespace: shop, labels: {app: db}}, spec: {ports: [{name: sql, port: 1}]}}
---
{apiVersion: v1, kind: Secret, metadata: {name: login, namespace: shop}, stringData: {user: hidden-value, pass: hidden-value}}
---
{apiVersion: v1, kind: Secret, metadata: {name: other, namespace: elsewhere}, stringData: {a: hidden-value}}
---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: {name: web, namespace: shop, labels: {team: a}}
spec: {selector: {}, endpoints: []}
";

const MONITOR: &str = "\
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata:
  namespace: shop
spec:
";

/// The candidates at `^`: the labels, each with the text to type where that differs.
fn offered(text: &str) -> Vec<String> {
    offered_in(text, None)
}

fn offered_in(text: &str, operator: Option<&Version>) -> Vec<String> {
    offered_around(text, operator, false)
}

fn offered_around(text: &str, operator: Option<&Version>, is_of_stack: bool) -> Vec<String> {
    let offset = text.find('^').unwrap();
    let text = text.replacen('^', "", 1);
    let manifests = Manifests::read(
        read(FileId::new(0), OTHERS, &mut Sink::default()),
        "default",
        &mut Sink::default(),
    );
    let completions = complete(
        &text,
        offset,
        Surroundings {
            manifests: &manifests,
            operator,
            is_of_stack,
        },
    )
    .unwrap_or_default();
    assert!(!format!("{completions:?}").contains("hidden-value"));
    let shown = |item: Completion| {
        if item.text == item.label {
            item.label
        } else {
            format!("{}={}", item.label, item.text)
        }
    };
    completions.items.into_iter().map(shown).collect()
}

fn of_monitor(spec: &str) -> Vec<String> {
    offered(&format!("{MONITOR}{spec}"))
}

#[test]
fn fields_that_are_missing_are_offered() {
    let fields = of_monitor("  endpoints:\n  - por^\n    interval: 30s\n");
    assert!(fields.contains(&"port=port: ".to_owned()), "{fields:?}");
    assert!(
        fields.contains(&"tlsConfig=tlsConfig:".to_owned()),
        "{fields:?}"
    );
    assert!(
        !fields.iter().any(|field| field.starts_with("interval=")),
        "{fields:?}"
    );
    assert_eq!(
        offered("k^"),
        [
            "apiVersion=apiVersion: ",
            "kind=kind: ",
            "metadata=metadata:",
            "spec=spec:"
        ]
    );
}

#[test]
fn fields_that_the_release_of_the_operator_lacks_are_not_offered() {
    let text = format!("{MONITOR}  endpoints:\n  - ^");
    let field = "noProxy=noProxy: ".to_owned();
    assert!(offered(&text).contains(&field));
    let oldest = promgen_resources::release::RELEASES
        .first()
        .map(|row| &row.version);
    assert!(!offered_in(&text, oldest).contains(&field));
}

#[test]
fn values_of_the_type_are_offered() {
    assert!(of_monitor("  endpoints:\n  - scheme: ^").contains(&"https".to_owned()));
    assert_eq!(
        of_monitor("  endpoints:\n  - {honorLabels: ^}"),
        ["true", "false"]
    );
    assert_eq!(
        offered("apiVersion: v1\nkind: Sec^\n"),
        ["Namespace", "Service", "Pod", "Secret", "ConfigMap"]
    );
    assert_eq!(
        offered("kind: PrometheusRule\napiVersion: ^\n"),
        ["monitoring.coreos.com/v1"]
    );
}

#[test]
fn names_of_what_is_in_the_input_are_offered() {
    let selector = "  selector:\n    matchLabels:\n      app: web\n";
    assert_eq!(
        of_monitor(&format!("{selector}  endpoints:\n  - port: ^")),
        ["http"]
    );
    assert_eq!(of_monitor("  endpoints:\n  - port: h^"), ["http", "sql"]);
    assert_eq!(
        of_monitor("  selector:\n    matchLabels:\n      ^"),
        ["app=app: ", "tier=tier: "]
    );
    assert_eq!(
        of_monitor("  selector: {matchLabels: {tier: ^"),
        ["1=\"1\""]
    );
    assert_eq!(
        of_monitor("  namespaceSelector:\n    matchNames:\n    - ^"),
        ["elsewhere", "shop"]
    );
    let auth = "  endpoints:\n  - basicAuth:\n      username:\n";
    assert_eq!(of_monitor(&format!("{auth}        name: ^")), ["login"]);
    assert_eq!(
        of_monitor(&format!("{auth}        name: login\n        key: ^")),
        ["pass", "user"]
    );
    let server = "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nspec:\n  serviceMonitorSelector:\n";
    assert_eq!(
        offered(&format!("{server}    matchLabels:\n      te^")),
        ["team=team: "]
    );
    assert_eq!(
        offered(&format!("{server}    matchLabels:\n      team: ^")),
        ["a"]
    );
    let routes =
        "spec:\n  route:\n    receiver: ^\n  receivers:\n  - name: pager\n  - name: mail\n";
    assert_eq!(
        offered(&format!(
            "apiVersion: monitoring.coreos.com/v1alpha1\nkind: AlertmanagerConfig\n{routes}"
        )),
        ["mail", "pager"]
    );
}

#[test]
fn a_colon_that_follows_is_kept() {
    let fields = of_monitor("  endpoints:\n  - po^rt: web\n");
    assert!(fields.contains(&"port".to_owned()), "{fields:?}");
}

#[test]
fn values_of_a_chart_are_completed_as_the_fields_that_they_become() {
    let values = "prometheus:\n  prometheusSpec:\n    shards: 2\n";
    let keys = offered(&format!("{values}    ^"));
    for key in [
        "storageSpec=storageSpec:",
        "retention=retention: ",
        "remoteWrite=remoteWrite:",
    ] {
        assert!(keys.contains(&key.to_owned()), "{key}: {keys:?}");
    }
    assert!(
        !keys
            .iter()
            .any(|key| key.starts_with("shards=") || key.starts_with("storage=")),
        "{keys:?}"
    );
    assert!(offered(&format!("{values}    logLevel: ^")).contains(&"debug".to_owned()));
    let urls = offered(&format!("{values}    remoteWrite:\n    - ur^"));
    assert!(urls.contains(&"url=url: ".to_owned()), "{urls:?}");
    assert!(
        offered(&format!("{values}    storageSpec:\n      ^"))
            .contains(&"volumeClaimTemplate=volumeClaimTemplate:".to_owned())
    );
    assert_eq!(
        offered(&format!(
            "{values}    serviceMonitorSelector:\n      matchLabels:\n        ^"
        )),
        ["team=team: "]
    );
    assert_eq!(
        offered(&format!("{values}    secrets: [^")),
        ["login", "other"]
    );
    let config =
        "alertmanager:\n  config:\n    receivers: [{name: pager}]\n    route:\n      receiver: ^";
    assert_eq!(offered(config), ["pager"]);
    // The values of a HelmRelease, too.
    let release = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nspec:\n  values:\n    alertmanager:\n      alertmanagerSpec:\n";
    assert!(
        offered(&format!("{release}        repl^")).contains(&"replicas=replicas: ".to_owned())
    );
}

#[test]
fn the_first_keys_of_the_values_of_a_chart_are_offered() {
    let values = |text: &str| offered_around(text, None, true);
    for text in [
        "^",
        "pro^",
        "alertmanager:\n  enabled: true\n^",
        "# Values.\n\nglo^\nalertmanager: {}\n",
    ] {
        let keys = values(text);
        for key in [
            "prometheus=prometheus:",
            "thanosRuler=thanosRuler:",
            "fullnameOverride=fullnameOverride: ",
        ] {
            assert!(keys.contains(&key.to_owned()), "{text}: {key}: {keys:?}");
        }
        assert!(
            !keys
                .iter()
                .any(|key| key.starts_with("kind") || key.starts_with("chart")),
            "{text}: {keys:?}"
        );
        assert_eq!(
            !text.contains("alertmanager:"),
            keys.contains(&"alertmanager=alertmanager:".to_owned()),
            "{text}"
        );
    }
    let keys = values("prometheus:\n  ^");
    assert!(
        keys.contains(&"prometheusSpec=prometheusSpec:".to_owned()),
        "{keys:?}"
    );
    assert!(keys.contains(&"enabled=enabled: ".to_owned()), "{keys:?}");
    assert_eq!(
        values("prometheus:\n  additionalServiceMonitors:\n  - ^"),
        [""; 0]
    );
}

#[test]
fn values_are_known_by_the_release_or_by_keys_that_only_this_chart_has() {
    let top = "alertmanager=alertmanager:".to_owned();
    let release = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nspec:\n";
    let named = "  chart:\n    spec:\n      chart: kube-prometheus-stack\n";
    assert!(offered(&format!("{release}{named}  values:\n    ^")).contains(&top));
    assert!(!offered(&format!("{release}  values:\n    ^")).contains(&top));
    assert!(!offered(&format!("{release}{named}  ^")).contains(&top));
    let inflated =
        "helmCharts:\n- name: kube-prometheus-stack\n  valuesInline:\n    ^\n- name: other\n";
    assert!(offered(inflated).contains(&top));
    let other =
        "helmCharts:\n- name: kube-prometheus-stack\n- name: other\n  valuesInline:\n    ^\n";
    assert!(!offered(other).contains(&top));
    assert!(offered("kube-prometheus-stack:\n  ^").contains(&top));
    assert!(offered("prometheus:\n  prometheusSpec:\n    shards: 2\nal^").contains(&top));
    assert!(!offered("prometheus:\n  enabled: true\nal^").contains(&top));
}

#[test]
fn what_is_quoted_is_read_as_it_was() {
    for text in [
        "a, e\u{301}",
        "\u{200b}: x",
        "# \u{1F600}",
        "1",
        "t\u{a0}\u{1}]",
    ] {
        let quoted = quoted(text);
        let parsed = read(FileId::new(0), &quoted, &mut Sink::default());
        assert_eq!(parsed[0].root.as_str(), Some(text), "{quoted}");
    }
}
