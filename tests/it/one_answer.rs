//! Commands against each other on made-up inputs: who is scraped by `explain` and by `which`, who is paged by `route` of one
//! alert, of all, and by `explain`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use promgen::cli::Terminal;
use rayon::prelude::*;
use serde_json::Value;

use crate::support::{promgen_with, swept};

/// The number of inputs that are swept. `ONE_ANSWER` asks for more: the gate does where what answers has changed.
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
const N_ALERTS: usize = 3;
const PORTS: [&str; 2] = ["http", "metrics"];

/// Manifests of a small cluster.
fn manifests(seed: u64) -> String {
    let (dice, mut text) = (&mut Dice(seed), String::new());
    let mut add = |manifest: String| {
        let _ = write!(text, "{manifest}\n---\n");
    };
    NAMESPACES.iter().for_each(|name| {
        let labels = format!("{{team: {}}}", dice.of(&["a", "b"]));
        add(format!(
            "{{apiVersion: v1, kind: Namespace, metadata: {{name: {name}, labels: {labels}}}}}"
        ));
    });
    let selector = |dice: &mut Dice| {
        dice.of(&[
            "{}",
            "{}",
            "{matchLabels: {team: a}}",
            "{matchExpressions: [{key: team, operator: Exists}]}",
        ])
    };
    let fields = [
        "serviceMonitorSelector",
        "serviceMonitorNamespaceSelector",
        "podMonitorSelector",
        "podMonitorNamespaceSelector",
    ];
    let selectors: Vec<String> = fields
        .iter()
        .map(|field| format!("{field}: {}", selector(dice)))
        .collect();
    add(format!(
        "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {{name: main, namespace: shop}}\nspec: {{shards: {}, {}, \
         ruleSelector: {{}}, ruleNamespaceSelector: {{}}, alerting: {{alertmanagers: [{{name: alertmanager-operated, port: web}}]}}}}",
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
        let meta = |name: &str| {
            format!("{{name: {name}, namespace: {namespace}, labels: {{app: {app}}}}}")
        };
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
    for (index, kind) in ["ServiceMonitor", "PodMonitor", "ServiceMonitor"]
        .iter()
        .enumerate()
    {
        let namespace = dice.of(&NAMESPACES);
        let labels = dice.of(&["{team: a}", "{team: b}", "{}"]);
        let reach = dice.of(&[
            "",
            "namespaceSelector: {any: true}, ",
            "namespaceSelector: {matchNames: [ops]}, ",
        ]);
        let rules = dice
            .of(&["", ", relabelings: [{sourceLabels: [__meta_kubernetes_pod_name], regex: 'cart.*', action: drop}]"]);
        let list = if *kind == "PodMonitor" {
            "podMetricsEndpoints"
        } else {
            "endpoints"
        };
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
        format!(
            "{{alert: A{index}, expr: '{}', labels: {labels}}}",
            dice.of(&expressions)
        )
    };
    let rules: Vec<String> = (0..N_ALERTS).map(|index| rule(index, dice)).collect();
    add(format!(
        "{{apiVersion: monitoring.coreos.com/v1, kind: PrometheusRule, metadata: {{name: r, namespace: {}}}, spec: {{groups: [{{name: \
         g, rules: [{}]}}]}}}}",
        dice.of(&NAMESPACES),
        rules.join(", ")
    ));
}

/// What a command prints about an input, as JSON.
fn asked(args: &[&str], input: &str) -> (u8, Value) {
    let args: Vec<&str> = args
        .iter()
        .chain(&["-", "--format", "json"])
        .copied()
        .collect();
    let ran = promgen_with(&args, &mut input.as_bytes(), Terminal::default());
    let value = serde_json::from_str(&ran.stdout)
        .unwrap_or_else(|_| panic!("{args:?}: {}{}\n{input}", ran.stdout, ran.stderr));
    (ran.code, value)
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// The places where something made-up of that name may stand, as far as it is there.
fn there(input: &str, name: &str) -> Option<&'static str> {
    NAMESPACES
        .into_iter()
        .find(|namespace| input.contains(&format!("name: {name}, namespace: {namespace}")))
}

/// The monitors that scrape a pod, by `which`.
fn scraping(input: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for app in APPS {
        let name = format!("{app}-0");
        let Some(namespace) = there(input, &name) else {
            continue;
        };
        let (_, answer) = asked(&["which", &format!("pod/{namespace}/{name}")], input);
        for target in
            items(&answer["targets"]).filter(|target| items(&target["scraped"]).next().is_some())
        {
            // `serviceMonitor/shop/m0/0`
            let job = text(&target["job"]).to_lowercase();
            found.extend(job.rsplit_once('/').map(|(monitor, _)| monitor.to_owned()));
        }
    }
    found
}

fn check_monitors(input: &str) {
    let by_which = scraping(input);
    for (index, kind) in ["servicemonitor", "podmonitor", "servicemonitor"]
        .iter()
        .enumerate()
    {
        let Some(namespace) = there(input, &format!("m{index}")) else {
            continue;
        };
        let monitor = format!("{kind}/{namespace}/m{index}");
        let (code, answer) = asked(&["explain", &monitor], input);
        let is_scraped = by_which.contains(&monitor);
        let state = text(&answer["explanation"]["state"]);
        let wanted = if is_scraped {
            ("holds", 0)
        } else {
            ("breaks", 1)
        };
        assert_eq!(
            (state, code),
            wanted,
            "explain {monitor}; which: {by_which:?}\n{input}"
        );
    }
}

fn check_alerts(input: &str) {
    let (_, all) = asked(&["route", "--all-alerts"], input);
    let alerts: Vec<&Value> = items(&all["workloads"])
        .flat_map(|workload| items(&workload["alerts"]))
        .collect();
    assert!(alerts.len() >= N_ALERTS, "{input}");
    let names = |of: &Value| {
        items(of)
            .map(|name| text(name).to_owned())
            .collect::<BTreeSet<String>>()
    };
    let mut told: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for alert in alerts {
        let labels = alert["labels"].as_object().unwrap();
        let pairs: Vec<String> = labels
            .iter()
            .map(|(label, value)| format!("{label}={}", text(value)))
            .collect();
        let (_, one) = asked(&["route", &pairs.join(",")], input);
        let got: BTreeSet<String> = items(&one["workloads"])
            .flat_map(|workload| names(&workload["receivers"]))
            .collect();
        let wanted = names(&alert["receivers"]);
        // Of an alert with a label that is not known, those are told that it has with any value.
        let agrees = match alert["unknown"].is_null() {
            true => got == wanted,
            false => got.is_subset(&wanted),
        };
        assert!(
            agrees,
            "route {}: {got:?} {wanted:?}\n{input}",
            pairs.join(",")
        );
        told.entry(text(&alert["labels"]["alertname"]).to_owned())
            .or_default()
            .extend(wanted);
    }
    for (name, receivers) in told {
        let (_, answer) = asked(&["explain", &format!("alert/{name}")], input);
        let explained = answer.to_string();
        for receiver in receivers {
            let said = format!("{receiver} of Alertmanager/shop/main");
            assert!(
                explained.contains(&said),
                "explain alert/{name}: {receiver}\n{explained}\n{input}"
            );
        }
    }
}

#[test]
fn explain_which_and_route_give_one_answer() {
    let asked = std::env::var("ONE_ANSWER")
        .ok()
        .and_then(|n| n.parse().ok());
    let seeds = asked.map_or_else(|| swept(0, 0..N_INPUTS), |n| (0..n).collect::<Vec<u64>>());
    seeds.into_par_iter().for_each(|seed| {
        let input = manifests(seed);
        check_monitors(&input);
        check_alerts(&input);
    });
}
