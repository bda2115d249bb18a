//! The edits of `diff/edits.rs`: which rules have a selector that finds nothing any more. The engine scrapes what is made up for the
//! monitors, with the configurations that promgen renders, and evaluates the rules.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;

use regex::Regex;
use serde_json::{Map, Value, json};

use crate::diff::edits::{Manifests, SETS, disagreement};
use crate::support::asked::{Dice, LineProgram};
use crate::support::{root, tool};

/// The number of edits. `EDITS` in the environment asks for another, and writes nothing.
const EDITS: u64 = 40;

/// Labels that samples have from their targets.
const OF_TARGETS: [&str; 6] = [
    "__name__",
    "job",
    "instance",
    "endpoint",
    "service",
    "metrics_path",
];

/// A selector, as the engine reads it: its text, the name, operator and value of each matcher, and the labels that rules group and
/// match it by.
#[derive(Clone, serde::Deserialize)]
struct Selector {
    text: String,
    matchers: Vec<(String, String, String)>,
    labels: BTreeSet<String>,
}

impl Selector {
    /// Returns whether all its matchers of a label take a value.
    fn takes(&self, label: &str, value: &str) -> bool {
        let mut of_label = self.matchers.iter().filter(|(of, ..)| of == label);
        of_label.all(|(_, operator, text)| {
            let is_match = || {
                Regex::new(&format!("^(?:{text})$"))
                    .unwrap()
                    .is_match(value)
            };
            match operator.as_str() {
                "=" => text == value,
                "!=" => text != value,
                "=~" => is_match(),
                _ => !is_match(),
            }
        })
    }

    fn equals(&self, label: &str) -> Option<&str> {
        let mut matchers = self.matchers.iter();
        let (.., value) = matchers.find(|(of, operator, _)| of == label && operator == "=")?;
        Some(value)
    }

    /// A value that the matchers of a label take: a word, or one that the matchers have.
    fn value(&self, label: &str) -> Option<&str> {
        let written = self.matchers.iter().filter(|(of, ..)| of == label);
        let written = written.flat_map(|(.., text)| text.split(['|', '(', ')']).chain([&**text]));
        let others = ["x", "sda", "500", "1", ""];
        let mut all = others.into_iter().chain(written);
        all.find(|value| self.takes(label, value))
    }
}

/// What a monitor finds: its Service, made up if the manifests have none of its namespace.
struct Found {
    job: String,
    namespace: String,
    service: String,
    labels: Map<String, Value>,
    container: String,
    ports: Vec<String>,
    series: Vec<Selector>,
}

impl Found {
    fn of(manifests: &Manifests, monitor: &Value) -> Option<Self> {
        let spec = &monitor["spec"];
        let selected = spec["selector"]["matchLabels"].as_object()?;
        let names = &spec["namespaceSelector"]["matchNames"];
        let namespace = names[0].as_str().unwrap_or("monitoring");
        let mut services = manifests.of_kind("Service");
        let services = services.by_ref();
        let mut services = services
            .filter(|of| of["metadata"]["namespace"] == namespace)
            .peekable();
        let made_up =
            json!({ "metadata": { "name": monitor["metadata"]["name"], "labels": selected } });
        let service = match services.peek() {
            None => &made_up,
            Some(_) => services.find(|of| {
                let mut all = selected.iter();
                all.all(|(name, value)| of["metadata"]["labels"][name] == *value)
            })?,
        };
        let service = &service["metadata"];
        let labels = service["labels"].as_object().unwrap().clone();
        let name = service["name"].as_str().unwrap().to_owned();
        let labelled = |label: &str| Some(labels.get(label)?.as_str().unwrap().to_owned());
        let by_label = spec["jobLabel"].as_str().and_then(labelled);
        let mut ports: Vec<String> = Vec::new();
        for endpoint in spec["endpoints"].as_array()? {
            let port = endpoint["port"].as_str()?;
            if !ports.iter().any(|of| of == port) {
                ports.push(port.to_owned());
            }
        }
        Some(Self {
            job: by_label.unwrap_or_else(|| name.clone()),
            namespace: namespace.to_owned(),
            container: labelled("app.kubernetes.io/name").unwrap_or_else(|| name.clone()),
            service: name,
            labels,
            ports,
            series: Vec::new(),
        })
    }

    /// What is discovered, in both roles: the first port exposes everything but what an exporter says of itself, which is at the last.
    fn targets(&self, number: usize) -> Vec<Value> {
        let own = self.job.replace('-', "_") + "_";
        let last = self.ports.len() - 1;
        let mut all = Vec::new();
        for (at, port) in self.ports.iter().enumerate() {
            let exposed = self.series.iter().filter(|selector| {
                let is_own = selector.equals("__name__").unwrap().starts_with(&own);
                at == if is_own { last } else { 0 }
            });
            let series: BTreeMap<String, Value> = exposed
                .flat_map(exposed_by)
                .map(|series| (series.to_string(), series))
                .collect();
            let series: Vec<&Value> = series.values().collect();
            for (role, word) in [
                ("endpoints", "endpoint"),
                ("endpointslice", "endpointslice"),
            ] {
                let mut found = json!({ "__address__": format!("10.0.{number}.1:{}", 8080 + at) });
                let mut set = |name: &str, value: &str| {
                    found[format!("__meta_kubernetes_{name}")] = json!(value);
                };
                set("namespace", &self.namespace);
                set("service_name", &self.service);
                for (name, value) in &self.labels {
                    let name = name.replace(['.', '/', '-'], "_");
                    set(&format!("service_label_{name}"), value.as_str().unwrap());
                    set(&format!("service_labelpresent_{name}"), "true");
                }
                set(&format!("{role}_name"), &self.service);
                set(&format!("{word}_port_name"), port);
                set(&format!("{word}_address_target_kind"), "Pod");
                set(&format!("{word}_address_target_name"), "pod-0");
                set("pod_name", "pod-0");
                set("pod_container_name", &self.container);
                set("pod_node_name", "node-1");
                set("pod_phase", "Running");
                set("pod_ready", "true");
                all.push(json!({ "Role": role, "Namespace": self.namespace, "Labels": found, "Series": series }));
            }
        }
        all
    }
}

/// The series that a selector finds. The labels that rules group and match its metric by have one value all, so that they match.
fn exposed_by(selector: &Selector) -> Vec<Value> {
    let name = selector.equals("__name__").unwrap();
    let grows = ["_total", "_count", "_sum", "_bucket"];
    let grows = grows.iter().any(|end| name.ends_with(end));
    let asked = selector.matchers.iter().map(|(label, ..)| label);
    let asked = selector.labels.iter().chain(asked);
    let mut found = json!({ "__name__": name });
    for label in asked.filter(|label| !OF_TARGETS.contains(&label.as_str())) {
        if let Some(value) = selector.value(label).filter(|value| !value.is_empty()) {
            found[label] = json!(value);
        }
    }
    let bounds: Vec<&str> = match name.ends_with("_bucket") {
        true => ["0.1", "+Inf"]
            .into_iter()
            .chain(selector.equals("le"))
            .collect(),
        false => vec![""],
    };
    let of_bound = |(number, bound): (usize, &&str)| {
        if name.ends_with("_bucket") {
            found["le"] = json!(bound);
        }
        json!({ "Labels": found, "Value": number + 1, "Grows": grows, "Path": selector.equals("metrics_path").unwrap_or_default() })
    };
    bounds.iter().enumerate().map(of_bound).collect()
}

/// A rule, with what the engine says that it reads.
struct RuleRead {
    name: String,
    record: Option<String>,
    rule: Value,
    selectors: Vec<Selector>,
}

impl RuleRead {
    fn of((rule, selectors): (&Value, Vec<Selector>)) -> Self {
        let record = rule["record"].as_str().map(str::to_owned);
        let name = match &record {
            Some(record) => format!("recording rule {record}"),
            None => format!("alert {}", rule["alert"].as_str().unwrap()),
        };
        Self {
            name,
            record,
            rule: rule.clone(),
            selectors,
        }
    }
}

/// The manifests, what their monitors find, and what the engine finds of each selector.
struct Cluster {
    manifests: Manifests,
    model: promgen::Model,
    rules: Vec<RuleRead>,
    targets: Vec<Value>,
    /// All selectors, then the expressions.
    expressions: Vec<String>,
    before: Vec<bool>,
}

impl Cluster {
    fn new(program: &mut LineProgram, set: &str) -> Self {
        let mut manifests = Manifests::read(set);
        let written: Vec<Value> = manifests.each_rule().map(|rule| rule.clone()).collect();
        let expressions: Vec<&Value> = written.iter().map(|rule| &rule["expr"]).collect();
        let reads = program.ask(&json!({ "Reads": true, "Expressions": expressions }));
        let reads: Vec<Vec<Selector>> = serde_json::from_value(reads).unwrap();
        let all = reads.iter().flatten().map(|of| of.text.clone());
        let mut asked: Vec<String> = all.collect::<BTreeSet<String>>().into_iter().collect();
        let n_selectors = asked.len();
        asked.extend(expressions.iter().map(|of| of.as_str().unwrap().to_owned()));
        let rules: Vec<RuleRead> = written.iter().zip(reads).map(RuleRead::of).collect();
        let targets = targets(&manifests, &rules);
        let mut cluster = Self {
            model: manifests.model(),
            manifests,
            targets,
            expressions: asked,
            before: Vec::new(),
            rules,
        };
        cluster.before = cluster.found(program, &cluster.manifests);
        let of_selectors = cluster.before[..n_selectors].iter();
        let n_found = of_selectors.filter(|found| **found).count();
        assert!(
            n_found * 20 > n_selectors * 19,
            "{set}: {n_found} of {n_selectors} selectors find something"
        );
        cluster
    }

    /// Which of the expressions have a result, with the configuration and the rules of these manifests.
    fn found(&self, program: &mut LineProgram, manifests: &Manifests) -> Vec<bool> {
        let mut manifests = manifests.clone();
        let records = manifests.each_rule().map(|rule| rule["record"].clone());
        let records: Vec<Value> = records.collect();
        let of_rule = |number: usize| {
            let rule = &self.rules[number].rule;
            json!({ "Record": records[number], "Expr": rule["expr"], "Labels": rule["labels"] })
        };
        let rules: Vec<Value> = self.in_order().into_iter().map(of_rule).collect();
        let output = manifests.model().into_output();
        let mut workloads = output.workloads.iter();
        let server = workloads.find(|of| of.id.name == "k8s").unwrap();
        let configuration = server
            .config
            .as_ref()
            .unwrap()
            .text()
            .replace("$(SHARD)", "0");
        let answers = program.ask(&json!({
            "Configuration": configuration, "Targets": self.targets, "Rules": rules, "Expressions": self.expressions,
        }));
        let answers = answers.as_array().unwrap().iter();
        answers
            .map(|of| of["found"].as_u64().unwrap() > 0)
            .collect()
    }

    /// The recording rules, each behind those whose series it reads. What alerts fire hangs on values, and is stored nowhere.
    fn in_order(&self) -> Vec<usize> {
        let records = (0..self.rules.len()).filter(|number| self.rules[*number].record.is_some());
        let (mut todo, mut order): (Vec<usize>, Vec<usize>) = (records.collect(), Vec::new());
        while !todo.is_empty() {
            let waits = |number: &usize| {
                let selectors = self.rules[*number].selectors.iter();
                let names: Vec<&str> = selectors.filter_map(|of| of.equals("__name__")).collect();
                let mut others = todo.iter().filter(|of| *of != number);
                others.any(|of| names.contains(&self.rules[*of].record.as_deref().unwrap()))
            };
            let (later, now): (Vec<usize>, Vec<usize>) = todo.iter().partition(|of| waits(of));
            assert!(!now.is_empty(), "rules read one another");
            order.extend(now);
            todo = later;
        }
        order
    }

    /// The rules with a selector that has found something, and no longer does.
    fn lost(&self, after: &[bool]) -> BTreeSet<String> {
        let at = |text: &str| self.expressions.iter().position(|of| of == text).unwrap();
        let is_lost = |of: &Selector| self.before[at(&of.text)] && !after[at(&of.text)];
        let rules = self.rules.iter();
        let lost = rules.filter(|rule| rule.selectors.iter().any(is_lost));
        lost.map(|rule| rule.name.clone()).collect()
    }

    /// An edit by a seed.
    fn edit(&self, seed: u64, dice: &mut Dice) -> String {
        let selectors = self.rules.iter().flat_map(|rule| &rule.selectors);
        let of_job = |job: &str| -> BTreeSet<&str> {
            let asking = selectors.clone().filter(|of| of.equals("job") == Some(job));
            asking.filter_map(|of| of.equals("__name__")).collect()
        };
        let monitors = self.manifests.of_kind("ServiceMonitor");
        let found = monitors.filter_map(|monitor| {
            let job = Found::of(&self.manifests, monitor)?.job;
            Some((monitor, of_job(&job)))
        });
        let found: Vec<(&Value, BTreeSet<&str>)> =
            found.filter(|(_, metrics)| !metrics.is_empty()).collect();
        let (monitor, metrics) = dice.one(&found);
        let name = monitor["metadata"]["name"].as_str().unwrap();
        // Of `up` no metric relabeling takes anything away.
        let metrics: Vec<&str> = metrics.into_iter().filter(|of| *of != "up").collect();
        let is_read = |record: &&str| {
            selectors
                .clone()
                .any(|of| of.equals("__name__") == Some(record))
        };
        let records = self.rules.iter().filter_map(|rule| rule.record.as_deref());
        let records: Vec<&str> = records.filter(is_read).collect();
        match seed / 2 % 7 {
            0 => format!("delete {name}"),
            1 => format!("job {name}"),
            2 if !metrics.is_empty() => format!("drop {name} {}", dice.one(&metrics)),
            3 => {
                let endpoints = monitor["spec"]["endpoints"].as_array().unwrap();
                format!(
                    "port {name} {}",
                    dice.one(endpoints)["port"].as_str().unwrap()
                )
            }
            4 => {
                let labels = ["component", "part-of", "instance"]
                    .map(|of| format!("app.kubernetes.io/{of}"));
                format!("jobLabel {name} {}", dice.one(&labels))
            }
            5 => format!("harmless {name}"),
            _ => format!("rename {}", dice.one(&records)),
        }
    }
}

/// What is discovered: each series is where its rules look for it, or everywhere.
fn targets(manifests: &Manifests, rules: &[RuleRead]) -> Vec<Value> {
    let records: BTreeSet<&str> = rules
        .iter()
        .filter_map(|rule| rule.record.as_deref())
        .collect();
    let monitors = manifests.of_kind("ServiceMonitor");
    let mut all: Vec<Found> = monitors.filter_map(|of| Found::of(manifests, of)).collect();
    let selectors: Vec<&Selector> = rules.iter().flat_map(|rule| &rule.selectors).collect();
    for selector in &selectors {
        let Some(name) = selector.equals("__name__") else {
            continue;
        };
        if records.contains(name) || ["up", "ALERTS"].contains(&name) {
            continue;
        }
        let same = selectors
            .iter()
            .filter(|of| of.equals("__name__") == Some(name));
        let same: Vec<&Selector> = same.copied().collect();
        let jobs = same.iter().copied().filter(|of| of.equals("job").is_some());
        let jobs: Vec<&Selector> = match selector.equals("job") {
            Some(_) => vec![selector],
            None => jobs.collect(),
        };
        let mut selector = (*selector).clone();
        selector.labels = same.iter().flat_map(|of| of.labels.clone()).collect();
        for found in &mut all {
            if jobs.is_empty() || jobs.iter().any(|of| of.takes("job", &found.job)) {
                found.series.push(selector.clone());
            }
        }
    }
    let of_each = all.iter().enumerate();
    of_each
        .flat_map(|(number, found)| found.targets(number))
        .collect()
}

#[test]
#[ignore = "needs LINEAGE, the program of oracle/lineage, and the recordings beside the project"]
fn the_recorded_edits_take_away_what_the_engine_says() {
    let asked = std::env::var("EDITS").ok();
    let mut program = LineProgram::start(&tool("LINEAGE"));
    let clusters = SETS.map(|(set, _)| (set, Cluster::new(&mut program, set)));
    let mut text = "# Edits, and who reads what they take away, by Prometheus' engine. `UPDATE_EDITS=1` and the test in `lineage_engine` write it.\n".to_owned();
    let (mut wrong, mut seen) = (Vec::new(), BTreeSet::new());
    for seed in 0..asked
        .as_ref()
        .map_or(EDITS, |number| number.parse().unwrap())
    {
        let (set, cluster) = &clusters[usize::from(seed % 2 == 1)];
        let mut dice = Dice::of(seed);
        let mut tries = (0..20).map(|_| cluster.edit(seed, &mut dice));
        let Some(edit) = tries.find(|edit| seen.insert((*set, edit.clone()))) else {
            continue;
        };
        let head = cluster.manifests.edited(&edit);
        let after = cluster.found(&mut program, &head);
        let lost = cluster.lost(&after);
        writeln!(text, "{set} {edit}").unwrap();
        lost.iter()
            .for_each(|reader| writeln!(text, "  {reader}").unwrap());
        if edit.starts_with("harmless") && cluster.before != after {
            wrong.push(format!("{set} {edit} is not harmless"));
        }
        wrong.extend(
            disagreement(&cluster.model, &head, &edit, &lost).map(|said| format!("{set} {said}")),
        );
    }
    program.finish();
    let file = root().join("tests/it/diff/edits.txt");
    if asked.is_none() && std::env::var_os("UPDATE_EDITS").is_some() {
        fs::write(&file, &text).unwrap();
    }
    assert_eq!(wrong, [""; 0]);
    assert!(
        asked.is_some() || fs::read_to_string(file).unwrap() == text,
        "UPDATE_EDITS=1 writes edits.txt again"
    );
}
