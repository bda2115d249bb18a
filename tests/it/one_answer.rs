//! Commands against each other on made-up inputs: who is scraped by `explain` and by `which`, who is paged by `route` of one
//! alert, of all, and by `explain`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use promgen::cli::Terminal;
use rayon::prelude::*;
use serde_json::Value;

use crate::support::promgen_with;

/// The number of inputs. `ONE_ANSWER` asks for more: the gate does where what answers has changed.
const N_INPUTS: u64 = 60;

/// Numbers that look random: those of a counter, mixed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % n
    }

    fn of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len() as u64) as usize]
    }
}

const NAMESPACES: [&str; 2] = ["shop", "ops"];
const APPS: [&str; 3] = ["cart", "search", "mail"];
const PORTS: [&str; 2] = ["http", "metrics"];

/// Manifests of a small cluster.
fn manifests(seed: u64) -> String {
    let (dice, mut text) = (&mut Dice(seed), String::new());
    let mut add = |manifest: String| {
        let _ = write!(text, "{manifest}\n---\n");
    };
    NAMESPACES.iter().for_each(|name| {
        let labels = format!("{{team: {}}}", dice.of(&["a", "b"]));
        add(format!("{{apiVersion: v1, kind: Namespace, metadata: {{name: {name}, labels: {labels}}}}}"));
    });
    let selector = |dice: &mut Dice| {
        dice.of(&["{}", "{}", "{matchLabels: {team: a}}", "{matchExpressions: [{key: team, operator: Exists}]}"])
    };
    let fields = [
        "serviceMonitorSelector",
        "serviceMonitorNamespaceSelector",
        "podMonitorSelector",
        "podMonitorNamespaceSelector",
    ];
    let selectors: Vec<String> = fields.iter().map(|field| format!("{field}: {}", selector(dice))).collect();
    add(format!(
        "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {{name: main, namespace: shop}}\nspec: {{shards: {}, {}, \
         ruleSelector: {{}}, ruleNamespaceSelector: {{}}}}",
        dice.below(3) + 1,
        selectors.join(", ")
    ));
    pods(dice, &mut add);
    monitors(dice, &mut add);
    alerting(dice, &mut add);
    text
}

/// Pods with their Services and EndpointSlices.
fn pods(dice: &mut Dice, add: &mut impl FnMut(String)) {
    for (index, app) in APPS.iter().enumerate() {
        let (namespace, port) = (dice.of(&NAMESPACES), dice.of(&PORTS));
        let (name, ip) = (format!("{app}-0"), format!("10.0.0.{index}"));
        let meta = |name: &str| format!("{{name: {name}, namespace: {namespace}, labels: {{app: {app}}}}}");
        add(format!(
            "{{apiVersion: v1, kind: Pod, metadata: {}, spec: {{containers: [{{name: a, image: x, ports: [{{name: {port}, \
             containerPort: 8080}}]}}]}}, status: {{phase: Running, podIP: {ip}, conditions: [{{type: Ready, status: 'True'}}]}}}}",
            meta(&name)
        ));
        add(format!(
            "{{apiVersion: v1, kind: Service, metadata: {}, spec: {{selector: {{app: {app}}}, ports: [{{name: {port}, port: 80, \
             targetPort: 8080}}]}}}}",
            meta(app)
        ));
        add(format!(
            "{{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {{name: {app}-1, namespace: {namespace}, labels: \
             {{kubernetes.io/service-name: {app}}}}}, addressType: IPv4, ports: [{{name: {port}, port: 8080}}], endpoints: \
             [{{addresses: [{ip}], conditions: {{ready: true}}, targetRef: {{kind: Pod, name: {name}, namespace: {namespace}}}}}]}}"
        ));
    }
}

fn monitors(dice: &mut Dice, add: &mut impl FnMut(String)) {
    for (index, kind) in ["ServiceMonitor", "PodMonitor", "ServiceMonitor"].iter().enumerate() {
        let namespace = dice.of(&NAMESPACES);
        let labels = dice.of(&["{team: a}", "{team: b}", "{}"]);
        let reach = dice.of(&["", "namespaceSelector: {any: true}, ", "namespaceSelector: {matchNames: [ops]}, "]);
        let rules = dice
            .of(&["", ", relabelings: [{sourceLabels: [__meta_kubernetes_pod_name], regex: 'cart.*', action: drop}]"]);
        let list = if *kind == "PodMonitor" { "podMetricsEndpoints" } else { "endpoints" };
        let app = dice.of(&["{app: cart}", "{app: search}", "{app: mail}"]);
        add(format!(
            "{{apiVersion: monitoring.coreos.com/v1, kind: {kind}, metadata: {{name: m{index}, namespace: {namespace}, labels: \
             {labels}}}, spec: {{{reach}selector: {{matchLabels: {app}}}, {list}: [{{port: {}{rules}}}]}}}}",
            dice.of(&PORTS)
        ));
    }
}

fn alerting(dice: &mut Dice, add: &mut impl FnMut(String)) {
    add("{apiVersion: monitoring.coreos.com/v1, kind: Alertmanager, metadata: {name: main, namespace: shop}, spec: \
         {alertmanagerConfigSelector: {}, alertmanagerConfigNamespaceSelector: {}}}"
        .to_owned());
    let severity = |dice: &mut Dice| dice.of(&["page", "ticket"]);
    add(format!(
        "{{apiVersion: monitoring.coreos.com/v1alpha1, kind: AlertmanagerConfig, metadata: {{name: a, namespace: {}}}, spec: {{route: \
         {{receiver: chat, routes: [{{receiver: phone, continue: {}, matchers: [{{name: severity, value: {}, matchType: '{}'}}]}}]}}, \
         receivers: [{{name: chat, webhookConfigs: [{{url: 'http://a/'}}]}}, {{name: phone}}]}}}}",
        dice.of(&NAMESPACES),
        dice.of(&["true", "false"]),
        severity(dice),
        dice.of(&["=", "!=", "=~"])
    ));
    let expressions = [
        "up == 0",
        "sum(up) == 0",
        "sum by (namespace) (up) == 0",
        "up{namespace=\"ops\"} == 0",
        "absent(up{job=\"gone\"})",
    ];
    let rule = |index: usize, dice: &mut Dice| {
        let labels = format!("{{severity: {}}}", severity(dice));
        format!("{{alert: A{index}, expr: '{}', labels: {labels}}}", dice.of(&expressions))
    };
    let rules: Vec<String> = (0..3).map(|index| rule(index, dice)).collect();
    add(format!(
        "{{apiVersion: monitoring.coreos.com/v1, kind: PrometheusRule, metadata: {{name: r, namespace: {}}}, spec: {{groups: [{{name: \
         g, rules: [{}]}}]}}}}",
        dice.of(&NAMESPACES),
        rules.join(", ")
    ));
}

/// What a command prints about an input, as JSON.
fn asked(args: &[&str], input: &str) -> (u8, Value) {
    let args: Vec<&str> = args.iter().chain(&["-", "--format", "json"]).copied().collect();
    let ran = promgen_with(&args, &mut input.as_bytes(), Terminal::default());
    let value =
        serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{args:?}: {}{}\n{input}", ran.stdout, ran.stderr));
    (ran.code, value)
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// The monitors that scrape a pod, by `which`.
fn scraping(input: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for pod in APPS.iter().flat_map(|app| NAMESPACES.map(|namespace| format!("pod/{namespace}/{app}-0"))) {
        let (_, answer) = asked(&["which", &pod], input);
        for target in items(&answer["targets"]).filter(|target| items(&target["scraped"]).next().is_some()) {
            // `serviceMonitor/shop/m0/0`
            let job = text(&target["job"]).to_lowercase();
            found.extend(job.rsplit_once('/').map(|(monitor, _)| monitor.to_owned()));
        }
    }
    found
}

fn check_monitors(input: &str) {
    let by_which = scraping(input);
    for (index, kind) in ["servicemonitor", "podmonitor", "servicemonitor"].iter().enumerate() {
        for namespace in NAMESPACES {
            let monitor = format!("{kind}/{namespace}/m{index}");
            let args = ["explain", &monitor, "-", "--format", "json"];
            let ran = promgen_with(&args, &mut input.as_bytes(), Terminal::default());
            if ran.code == 2 {
                continue;
            }
            let answer: Value = serde_json::from_str(&ran.stdout).unwrap();
            let state = text(&answer["explanation"]["state"]);
            let is_scraped = by_which.contains(&monitor);
            let agree = match state {
                "holds" => is_scraped && ran.code == 0,
                "breaks" => !is_scraped && ran.code == 1,
                _ => false,
            };
            assert!(agree, "explain {monitor}: {state}, exit {}; which: {by_which:?}\n{input}", ran.code);
        }
    }
}

/// The receivers of each alert by its name and namespace.
type Receivers = BTreeMap<(String, String), BTreeSet<String>>;

fn receivers(answer: &Value) -> Receivers {
    let mut found = Receivers::new();
    for alert in items(&answer["workloads"]).flat_map(|workload| items(&workload["alerts"])) {
        let label = |name: &str| text(&alert["labels"][name]).to_owned();
        let names = items(&alert["receivers"]).map(|name| text(name).to_owned());
        found.entry((label("alertname"), label("namespace"))).or_default().extend(names);
    }
    found
}

fn check_alerts(input: &str) {
    let all = receivers(&asked(&["route", "--all-alerts"], input).1);
    assert!(!all.is_empty(), "{input}");
    for ((name, namespace), wanted) in &all {
        let (_, every) = asked(&["route", "--all-alerts"], input);
        let alerts = items(&every["workloads"]).flat_map(|workload| items(&workload["alerts"]));
        let labels = alerts.filter(|alert| {
            text(&alert["labels"]["alertname"]) == name && text(&alert["labels"]["namespace"]) == namespace
        });
        for labels in labels.map(|alert| alert["labels"].as_object().unwrap()) {
            let pairs: Vec<String> = labels.iter().map(|(label, value)| format!("{label}={}", text(value))).collect();
            let (_, one) = asked(&["route", &pairs.join(",")], input);
            let got: BTreeSet<String> = items(&one["workloads"])
                .flat_map(|w| items(&w["receivers"]))
                .map(|name| text(name).to_owned())
                .collect();
            assert_eq!(&got, wanted, "route {}\n{input}", pairs.join(","));
        }
    }
    for name in ["A0", "A1", "A2"] {
        let (_, answer) = asked(&["explain", &format!("alert/{name}")], input);
        let told = answer.to_string();
        for ((_, _), receivers) in all.iter().filter(|((alert, _), _)| alert == name) {
            for receiver in receivers {
                assert!(
                    told.contains(&format!("{receiver} of Alertmanager/shop/main")),
                    "explain alert/{name}: {receiver}\n{told}\n{input}"
                );
            }
        }
    }
}

#[test]
fn explain_which_and_route_give_one_answer() {
    let n_inputs = std::env::var("ONE_ANSWER").ok().and_then(|n| n.parse().ok()).unwrap_or(N_INPUTS);
    (0..n_inputs).into_par_iter().for_each(|seed| {
        let input = manifests(seed);
        check_monitors(&input);
        check_alerts(&input);
    });
}
