//! Edits of the manifests of kube-prometheus, by a seed: `diff` names each rule that reads what an edit takes away, and nothing where
//! it takes nothing. Who reads is found in the texts of the expressions, and not by promgen.

use std::collections::BTreeSet;
use std::fs;

use promgen::{Input, Options, Project};
use promgen_answers::diff::Changes;
use promgen_testing::needs;
use rayon::prelude::*;
use regex::Regex;
use serde_json::{Value, json};

use crate::conformance::{self, cases};
use crate::support::asked::Dice;
use crate::support::{sweeps_all, swept};

const FOLDER: &str = "wild/prometheus-operator-kube-prometheus/input";
/// The number of edits.
const EDITS: usize = 40;
/// What the name of a rule begins with that records.
const RECORD: &str = "recording rule ";

/// The jobs that rules ask for, each with the monitor that makes it.
const JOBS: [(&str, &str); 6] = [
    ("apiserver", "kube-apiserver"),
    ("coredns", "coredns"),
    ("kube-state-metrics", "kube-state-metrics"),
    ("kubelet", "kubelet"),
    ("node-exporter", "node-exporter"),
    ("prometheus-k8s", "prometheus-k8s"),
];

/// A rule: `alert X` or `recording rule y`, and its expression.
struct WrittenRule {
    name: String,
    expression: String,
}

/// The manifests.
#[derive(Clone)]
struct Manifests(Vec<Value>);

impl Manifests {
    fn read() -> Self {
        let files = cases::files(&conformance::root().join(FOLDER));
        let texts = files.values().map(|path| fs::read_to_string(path).unwrap());
        let all: String = texts.map(|text| text + "\n---\n").collect();
        let documents = serde_yaml::Deserializer::from_str(&all);
        let values = documents.map(|of| serde::Deserialize::deserialize(of).unwrap());
        Self(values.filter(|value: &Value| !value.is_null()).collect())
    }

    fn model(&self) -> promgen::Model {
        let text: String = self.0.iter().map(|of| format!("{of}\n---\n")).collect();
        let input = Input::new("all.yaml", text.into_bytes());
        Project::read_side(&[input], &Options::default()).model()
    }

    fn monitor(&mut self, name: &str) -> &mut Value {
        let mut all = self.0.iter_mut();
        let is_it =
            |of: &&mut Value| of["kind"] == "ServiceMonitor" && of["metadata"]["name"] == name;
        all.find(is_it).unwrap()
    }

    /// All rules, to change them.
    fn each_rule(&mut self) -> impl Iterator<Item = &mut Value> {
        let all = self
            .0
            .iter_mut()
            .filter(|of| of["kind"] == "PrometheusRule");
        let groups = all.flat_map(|of| of["spec"]["groups"].as_array_mut().unwrap());
        groups.flat_map(|group| group["rules"].as_array_mut().unwrap())
    }

    fn rules(&mut self) -> Vec<WrittenRule> {
        let named = |rule: &mut Value| {
            let name = match rule["alert"].as_str() {
                Some(alert) => format!("alert {alert}"),
                None => format!("{RECORD}{}", rule["record"].as_str().unwrap()),
            };
            let expression = rule["expr"].as_str().unwrap().to_owned();
            WrittenRule { name, expression }
        };
        self.each_rule().map(named).collect()
    }

    fn prepend(&mut self, monitor: &str, list: &str, rule: &Value) {
        let endpoints = self.monitor(monitor)["spec"]["endpoints"].as_array_mut();
        for endpoint in endpoints.unwrap() {
            let rules = endpoint[list].as_array().cloned().unwrap_or_default();
            endpoint[list] = [std::slice::from_ref(rule), &rules].concat().into();
        }
    }
}

/// What `diff` says of an edit: the texts that name readers.
fn told(changes: &Changes) -> Vec<String> {
    let lost = changes.series.items.iter().map(|of| of.reader.clone());
    let possible = changes.possible_losses.items.iter();
    lost.chain(possible.flat_map(|of| of.readers.items.clone()))
        .collect()
}

/// The metrics that are asked of a job, each with the rules that do.
fn asked(rules: &[WrittenRule], job: &str) -> Vec<(String, String)> {
    let selector = Regex::new(r"([a-z_][a-z0-9_]*)\{([^}]*)\}").unwrap();
    let mut all = BTreeSet::new();
    for rule in rules
        .iter()
        .filter(|rule| !rule.expression.contains("absent"))
    {
        for found in selector.captures_iter(&rule.expression) {
            if found[2].contains(&format!("job=\"{job}\"")) {
                all.insert((found[1].to_owned(), rule.name.clone()));
            }
        }
    }
    all.into_iter().collect()
}

/// Fails if a reader is not named.
fn assert_named(what: &str, expected: &BTreeSet<String>, told: &[String]) {
    let is_named = |name: &&String| told.iter().any(|told| told.contains(&format!("{name} ")));
    let missing: Vec<&String> = expected.iter().filter(|name| !is_named(name)).collect();
    assert!(
        missing.is_empty(),
        "{what}: {missing:?} of {} are not named: {told:#?}",
        expected.len()
    );
}

fn compared(base: &promgen::Model, head: &Manifests) -> Vec<String> {
    told(&promgen::compare::compare(base, &head.model()))
}

/// A change of the manifests, and who reads what it takes away.
struct Edit {
    what: String,
    head: Manifests,
    expected: BTreeSet<String>,
}

impl Edit {
    fn of(seed: usize, manifests: &Manifests, rules: &[WrittenRule]) -> Self {
        let mut dice = Dice::of(seed as u64);
        let (job, monitor) = dice.one(&JOBS);
        let asked = asked(rules, job);
        let readers = |metric: Option<&str>| {
            let asked = asked.iter();
            let asked = asked.filter(|(of, _)| metric.is_none_or(|metric| of == metric));
            asked.map(|(_, rule)| rule.clone()).collect()
        };
        // Of `up` no metric relabeling takes anything away.
        let metrics = asked.iter().map(|(metric, _)| metric.as_str());
        let metrics: Vec<&str> = metrics.filter(|metric| *metric != "up").collect();
        let mut head = manifests.clone();
        let (what, expected) = match seed % 4 {
            0 => {
                let is_it = |of: &Value| {
                    of["kind"] == "ServiceMonitor" && of["metadata"]["name"] == monitor
                };
                head.0.retain(|of| !is_it(of));
                (format!("without the monitor {monitor}"), readers(None))
            }
            1 => {
                let another = json!({ "targetLabel": "job", "replacement": "another" });
                head.prepend(monitor, "relabelings", &another);
                (format!("another name of job {job}"), readers(None))
            }
            2 if !metrics.is_empty() => {
                let metric = dice.one(&metrics);
                let drop =
                    json!({ "sourceLabels": ["__name__"], "regex": metric, "action": "drop" });
                head.prepend(monitor, "metricRelabelings", &drop);
                (format!("{job} drops {metric}"), readers(Some(metric)))
            }
            _ => renamed(&mut dice, &mut head, rules),
        };
        Self {
            what,
            head,
            expected,
        }
    }
}

/// Renames what a rule records.
fn renamed(
    dice: &mut Dice,
    head: &mut Manifests,
    rules: &[WrittenRule],
) -> (String, BTreeSet<String>) {
    let record_of = |rule: &WrittenRule| rule.name.strip_prefix(RECORD).map(str::to_owned);
    let records: Vec<String> = rules.iter().filter_map(record_of).collect();
    let record = dice.one(&records);
    let own = head.each_rule().filter(|of| of["record"] == *record);
    own.for_each(|rule| rule["record"] = "renamed:it".into());
    let others = rules
        .iter()
        .filter(|of| of.name != format!("{RECORD}{record}"));
    let readers = others.filter(|of| reads(&of.expression, &record));
    let readers = readers.map(|of| of.name.clone()).collect();
    (format!("{record} is renamed"), readers)
}

#[needs(recordings)]
#[test]
fn who_reads_what_an_edit_takes_away_is_named() {
    let mut manifests = Manifests::read();
    let base = manifests.model();
    let rules = manifests.rules();
    let n_expected = |seed: &usize| {
        let edit = Edit::of(*seed, &manifests, &rules);
        assert_named(&edit.what, &edit.expected, &compared(&base, &edit.head));
        edit.expected.len()
    };
    let n_expected: usize = swept(2, 0..EDITS).par_iter().map(n_expected).sum();
    assert!(
        !sweeps_all() || n_expected > 150,
        "{n_expected} readers were expected"
    );
}

/// Returns whether an expression has a name in it, not only as a part of another one.
fn reads(expression: &str, name: &str) -> bool {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ':');
    expression.match_indices(name).any(|(at, _)| {
        let (before, after) = (&expression[..at], &expression[at + name.len()..]);
        !before.ends_with(is_name) && !after.starts_with(is_name)
    })
}

#[needs(recordings)]
#[test]
fn an_edit_that_takes_nothing_away_is_silent() {
    let manifests = Manifests::read();
    let base = manifests.model();
    for (_, monitor) in swept(4, JOBS) {
        let mut head = manifests.clone();
        let unread = json!({ "sourceLabels": ["__name__"], "regex": "nobody_reads_this_total", "action": "drop" });
        head.prepend(monitor, "metricRelabelings", &unread);
        head.prepend(
            monitor,
            "relabelings",
            &json!({ "targetLabel": "team", "replacement": "a" }),
        );
        let endpoints = head.monitor(monitor)["spec"]["endpoints"].as_array_mut();
        endpoints
            .unwrap()
            .iter_mut()
            .for_each(|of| of["interval"] = "45s".into());
        for rule in head.each_rule().filter(|rule| rule["alert"].is_string()) {
            rule["annotations"]["summary"] = "another text".into();
            rule["for"] = "20m".into();
        }
        assert_eq!(compared(&base, &head), [""; 0], "{monitor}");
    }
}
