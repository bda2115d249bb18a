//! Questions about a place: what is there, where it leads, who refers to it, and what can be typed.

use serde_json::{Value, json};

use super::Client;

const PROMETHEUS: &str = "\
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: {name: main, namespace: shop}
spec:
  shards: 2
  serviceDiscoveryRole: EndpointSlice
  serviceAccountName: scraper
  serviceMonitorSelector:
    matchLabels: {team: web}
  ruleSelector: {}
  alerting: {alertmanagers: [{name: alertmanager-operated, port: web}]}
  scrapeClasses:
  - name: slow
";

const OTHER: &str = "\
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: {name: other, namespace: shop}
spec:
  serviceMonitorSelector:
    matchLabels: {team: db}
";

const MONITOR: &str = "\
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata:
  name: cart
  namespace: shop
  labels: {team: web}
spec:
  scrapeClass: slow
  selector:
    matchLabels: {app: cart}
  endpoints:
  - port: metrics
    proxyUrl: http://proxy.shop
    noProxy: internal
    authorization:
      credentials: {name: login, key: user}
";

const OBJECTS: &str = "\
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: scraper, namespace: shop}
---
apiVersion: v1
kind: Service
metadata: {name: cart, namespace: shop, labels: {app: cart}}
spec:
  ports:
  - {name: metrics, port: 8080}
---
apiVersion: v1
kind: Secret
metadata: {name: login, namespace: shop}
stringData:
  user: the-secret-value
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: cart-1, namespace: shop, labels: {kubernetes.io/service-name: cart}}
addressType: IPv4
endpoints:
- {addresses: [10.0.0.1], conditions: {ready: true}}
- {addresses: [10.0.0.2], conditions: {ready: true}}
- {addresses: [10.0.0.3], conditions: {ready: true}}
ports:
- {name: metrics, port: 8080, protocol: TCP}
";

const RULES: &str = "\
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata: {name: cart, namespace: shop}
spec:
  groups:
  - name: cart
    rules:
    - alert: CartDown
      expr: sum by (pod) (up{job=\"cart\"}) == 0
      labels: {severity: page}
    - record: job:up:sum
      expr: sum(up)
";

const ALERTING: &str = "\
apiVersion: monitoring.coreos.com/v1
kind: Alertmanager
metadata: {name: main, namespace: shop}
spec:
  alertmanagerConfiguration: {name: routes}
---
apiVersion: monitoring.coreos.com/v1alpha1
kind: AlertmanagerConfig
metadata: {name: routes, namespace: shop}
spec:
  route:
    receiver: mail
    routes:
    - receiver: pager
      matchers: [{name: severity, value: page}]
  receivers:
  - name: mail
  - name: pager
    webhookConfigs:
    - url: http://pager.shop/alert
";

fn files() -> Vec<(&'static str, &'static str)> {
    vec![
        ("alerting.yaml", ALERTING),
        ("monitor.yaml", MONITOR),
        ("objects.yaml", OBJECTS),
        ("other.yaml", OTHER),
        ("prometheus.yaml", PROMETHEUS),
        ("rules.yaml", RULES),
    ]
}

/// The position one character into the first occurrence of a text.
fn position(text: &str, needle: &str) -> Value {
    let at = text
        .find(needle)
        .unwrap_or_else(|| panic!("{needle} is missing"))
        + 1;
    let line = text[..at].matches('\n').count();
    let start = text[..at].rfind('\n').map_or(0, |at| at + 1);
    json!({ "line": line, "character": text[start..at].encode_utf16().count() })
}

/// A client, and the files that it was started with.
pub(super) struct Asked<'c, 'f>(
    pub(super) &'c mut Client,
    pub(super) &'f [(&'f str, &'f str)],
);

impl Asked<'_, '_> {
    fn text_of(&self, name: &str) -> &str {
        self.1.iter().find(|(known, _)| *known == name).unwrap().1
    }

    fn ask_at(&mut self, method: &str, name: &str, needle: &str) -> Value {
        let document = json!({ "uri": self.0.uri(name) });
        let position = position(self.text_of(name), needle);
        let context = json!({ "includeDeclaration": false });
        let params = json!({ "textDocument": document, "position": position, "context": context });
        self.0.ask(&format!("textDocument/{method}"), params)
    }

    /// The page about the place of a text. Empty if there is none.
    pub(super) fn hover(&mut self, name: &str, needle: &str) -> String {
        let answer = self.ask_at("hover", name, needle);
        let text = answer["contents"]["value"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        assert!(!text.contains("the-secret-value"), "{text}");
        text
    }

    /// The places of an answer: the file, and the text of the line from there on.
    pub(super) fn places(&mut self, method: &str, name: &str, needle: &str) -> Vec<String> {
        let answer = self.ask_at(method, name, needle);
        let folder = self.0.uri("");
        let place = |location: &Value| {
            let uri = location["uri"].as_str().unwrap();
            let file = uri.strip_prefix(&folder).unwrap().trim_start_matches('/');
            let number = |of: &str| {
                usize::try_from(location["range"]["start"][of].as_u64().unwrap()).unwrap()
            };
            let line = self.text_of(file).lines().nth(number("line")).unwrap();
            format!("{file}: {}", line.get(number("character")..).unwrap())
        };
        answer
            .as_array()
            .map(|all| all.iter().map(place).collect())
            .unwrap_or_default()
    }
}

#[test]
fn hover_says_who_selects_a_monitor_and_how_many_targets_each_shard_scrapes() {
    let mut client = Client::start(&files());
    let text = Asked(&mut client, &files()).hover("monitor.yaml", "cart\n");
    assert!(
        text.contains(
            "- Prometheus shop/main selects it: 1 job, 2 shards, 3 targets: shard 0 scrapes "
        ),
        "{text}"
    );
    assert!(
        text.contains("- Prometheus shop/other does not select it: it lacks `team: db`"),
        "{text}"
    );
    let text = Asked(&mut client, &files()).hover("prometheus.yaml", "main");
    assert!(
        text.contains("`serviceMonitorSelector` selects 1 of 1 ServiceMonitors"),
        "{text}"
    );
    assert!(text.contains("2 shards"), "{text}");
    let text = Asked(&mut client, &files()).hover("prometheus.yaml", "serviceMonitorSelector");
    assert!(
        text.contains("selects 1 of 1 ServiceMonitors\n- shop/cart: the operator accepts it"),
        "{text}"
    );
    let text = Asked(&mut client, &files()).hover("other.yaml", "serviceMonitorSelector");
    assert!(
        text.contains("selects 0 of 1 ServiceMonitors\n- shop/cart: it lacks `team: db`"),
        "{text}"
    );
    let text = Asked(&mut client, &files()).hover("monitor.yaml", "selector");
    assert!(
        text.contains("- its selector matches 1 Service in namespace shop\n- Service shop/cart"),
        "{text}"
    );
    assert_eq!(client.stop(), Some(0));
}

#[test]
fn hover_on_a_field_has_its_documentation_and_the_versions_that_it_needs() {
    let mut client = Client::start(&files());
    let text = Asked(&mut client, &files()).hover("monitor.yaml", "noProxy");
    assert!(
        text.contains("`spec.endpoints[].noProxy`: string"),
        "{text}"
    );
    assert!(
        text.contains("- Requires Prometheus 2.43.0 or later"),
        "{text}"
    );
    assert!(text.contains("- Since release "), "{text}");
    // The field of a value, a field of a Secret, and a place without any.
    assert!(
        Asked(&mut client, &files())
            .hover("monitor.yaml", "internal")
            .contains("noProxy")
    );
    assert!(
        !Asked(&mut client, &files())
            .hover("objects.yaml", "the-secret-value")
            .contains("secret-value")
    );
    assert_eq!(
        Asked(&mut client, &files()).hover("monitor.yaml", "\n  name: cart"),
        ""
    );
    assert_eq!(client.stop(), Some(0));
}

#[test]
fn hover_on_a_rule_says_who_is_notified_and_what_it_reads() {
    let mut client = Client::start(&files());
    let text = Asked(&mut client, &files()).hover("rules.yaml", "CartDown");
    assert!(
        text.contains(
            "Alertmanager shop/main notifies `shop/routes/pager` (webhook), by the route at alerting.yaml:14"
        ),
        "{text}"
    );
    let text = Asked(&mut client, &files()).hover("rules.yaml", "sum by");
    assert!(
        text.contains("- metrics: `up`\n- labels: `job`, `pod`"),
        "{text}"
    );
    assert_eq!(client.stop(), Some(0));
}

#[test]
fn definitions_of_names_and_selectors() {
    let mut client = Client::start(&files());
    let mut leads =
        |name: &str, needle: &str| Asked(&mut client, &files()).places("definition", name, needle);
    assert_eq!(
        leads("monitor.yaml", "cart\n"),
        ["prometheus.yaml: main, namespace: shop}"]
    );
    assert_eq!(
        leads("prometheus.yaml", "serviceMonitorSelector"),
        ["monitor.yaml: cart"]
    );
    assert_eq!(
        leads("prometheus.yaml", "scraper"),
        ["objects.yaml: scraper, namespace: shop}"]
    );
    assert_eq!(
        leads("monitor.yaml", "app: cart"),
        ["objects.yaml: cart, namespace: shop, labels: {app: cart}}"]
    );
    assert_eq!(
        leads("monitor.yaml", "metrics"),
        ["objects.yaml: metrics, port: 8080}"]
    );
    assert_eq!(leads("monitor.yaml", "slow"), ["prometheus.yaml: slow"]);
    assert_eq!(leads("monitor.yaml", "shop"), ["objects.yaml: shop}"]);
    assert_eq!(
        leads("monitor.yaml", "login"),
        ["objects.yaml: login, namespace: shop}"]
    );
    assert_eq!(
        leads("monitor.yaml", "user}"),
        ["objects.yaml: user: the-secret-value"]
    );
    assert_eq!(
        leads("alerting.yaml", "pager\n      matchers"),
        ["alerting.yaml: pager"]
    );
    assert_eq!(
        leads("alerting.yaml", "routes}"),
        ["alerting.yaml: routes, namespace: shop}"]
    );
    assert_eq!(leads("monitor.yaml", "internal"), [""; 0]);
    assert_eq!(client.stop(), Some(0));
}

#[test]
fn references_to_names() {
    let mut client = Client::start(&files());
    let mut from =
        |name: &str, needle: &str| Asked(&mut client, &files()).places("references", name, needle);
    assert_eq!(
        from("objects.yaml", "login"),
        ["monitor.yaml: login, key: user}"]
    );
    assert_eq!(from("objects.yaml", "user: the"), ["monitor.yaml: user}"]);
    assert_eq!(
        from("objects.yaml", "cart, namespace"),
        ["monitor.yaml: selector:"]
    );
    assert_eq!(
        from("alerting.yaml", "mail\n  - name: pager"),
        ["alerting.yaml: mail"]
    );
    let of_server = from("prometheus.yaml", "main");
    assert!(
        of_server.contains(&"monitor.yaml: cart".to_owned()),
        "{of_server:?}"
    );
    assert!(
        of_server.contains(&"rules.yaml: cart, namespace: shop}".to_owned()),
        "{of_server:?}"
    );
    assert_eq!(client.stop(), Some(0));
}

#[test]
fn symbols_are_objects_with_what_stands_in_them() {
    let mut client = Client::start(&files());
    let mut names = |name: &str| {
        let document = json!({ "uri": client.uri(name) });
        let answer = client.ask(
            "textDocument/documentSymbol",
            json!({ "textDocument": document }),
        );
        fn outline(symbols: &Value) -> String {
            let one = |symbol: &Value| {
                format!(
                    "{}({})",
                    symbol["name"].as_str().unwrap(),
                    outline(&symbol["children"])
                )
            };
            symbols
                .as_array()
                .unwrap()
                .iter()
                .map(one)
                .collect::<Vec<_>>()
                .join(", ")
        }
        outline(&answer)
    };
    assert_eq!(
        names("rules.yaml"),
        "PrometheusRule shop/cart(cart(CartDown(), job:up:sum()))"
    );
    assert_eq!(
        names("monitor.yaml"),
        "ServiceMonitor shop/cart(endpoints[0] metrics())"
    );
    assert_eq!(
        names("alerting.yaml"),
        "Alertmanager shop/main(), AlertmanagerConfig shop/routes(route → mail(routes[0] → pager()), mail(), pager())"
    );
    assert_eq!(client.stop(), Some(0));
}

#[test]
fn half_typed_lines_are_completed() {
    let mut client = Client::start(&files());
    client.open("monitor.yaml", MONITOR);
    let mut offered = |from: &str, to: &str| {
        let text = MONITOR.replacen(from, to, 1);
        client.change("monitor.yaml", &text);
        let line_of = to.lines().last().unwrap();
        let line = text
            .lines()
            .position(|line| line.ends_with(line_of))
            .unwrap();
        let character = text.lines().nth(line).unwrap().len();
        let document = json!({ "uri": client.uri("monitor.yaml") });
        let position = json!({ "line": line, "character": character });
        let answer = client.ask(
            "textDocument/completion",
            json!({ "textDocument": document, "position": position }),
        );
        assert!(!answer.to_string().contains("the-secret-value"), "{answer}");
        let label = |item: &Value| {
            assert_eq!(item["textEdit"]["range"]["end"], position, "{item}");
            item["label"].as_str().unwrap().to_owned()
        };
        answer["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(label)
            .collect::<Vec<_>>()
    };
    let fields = offered("  - port: metrics", "  - por");
    assert!(
        fields.contains(&"port".to_owned()) && !fields.contains(&"noProxy".to_owned()),
        "{fields:?}"
    );
    assert_eq!(offered("  - port: metrics", "  - port: "), ["metrics"]);
    assert_eq!(offered("name: login, key: user}", "name: "), ["login"]);
    assert_eq!(offered("key: user}", "key: "), ["user"]);
    assert_eq!(offered("  namespace: shop", "  namespace: "), ["shop"]);
    assert_eq!(offered("{app: cart}", "{"), ["app"]);
    assert_eq!(
        offered("noProxy: internal", "honorLabels: "),
        ["true", "false"]
    );
    assert_eq!(client.stop(), Some(0));
}

#[test]
fn files_of_nobody_have_no_answers() {
    let mut client = Client::start(&files());
    for method in [
        "hover",
        "definition",
        "references",
        "documentSymbol",
        "completion",
    ] {
        let document = json!({ "uri": "file:///nowhere/a.yaml" });
        let params = json!({ "textDocument": document, "position": { "line": 0, "character": 0 } });
        assert_eq!(
            client.ask(&format!("textDocument/{method}"), params),
            Value::Null,
            "{method}"
        );
    }
    // Past the end, and without a position.
    let document = json!({ "uri": client.uri("monitor.yaml") });
    let far =
        json!({ "textDocument": document, "position": { "line": 1_000_000, "character": 7 } });
    assert_eq!(client.ask("textDocument/hover", far), Value::Null);
    assert_eq!(
        client.ask(
            "textDocument/definition",
            json!({ "textDocument": document })
        ),
        Value::Null
    );
    assert_eq!(client.stop(), Some(0));
}

#[test]
fn a_text_that_does_not_parse_has_fields_too() {
    let mut client = Client::start(&files());
    client.open("monitor.yaml", &format!("{MONITOR}  broken: [\n"));
    let text = Asked(&mut client, &files()).hover("monitor.yaml", "noProxy");
    assert!(
        text.contains("`spec.endpoints[].noProxy`: string"),
        "{text}"
    );
    assert_eq!(client.stop(), Some(0));
}
