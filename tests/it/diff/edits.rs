//! Edits of the manifests of kube-prometheus: `diff` names each rule that reads what an edit takes away, and nothing where it takes
//! nothing. The edits stand in `edits.txt`, each with the rules of which a selector finds nothing any more: Prometheus' own engine
//! says so, and `lineage_engine` asks it again.

use std::collections::BTreeSet;
use std::fs;

use promgen::{Input, Options, Project};
use promgen_answers::diff::value::Change;
use promgen_testing::needs;
use rayon::prelude::*;
use serde_json::{Value, json};

use crate::conformance::{self, cases};
use crate::support::{root, swept};

/// The manifests by a word: monitors and rules alone, and all that runs beside them. No dashboards.
pub(crate) const SETS: [(&str, &str); 2] = [
    (
        "monitors",
        "wild/prometheus-operator-kube-prometheus/input/manifests_",
    ),
    ("all", "repositories/kivra-kube-prometheus/files/manifests/"),
];

/// The manifests.
#[derive(Clone)]
pub(crate) struct Manifests(pub(crate) Vec<Value>);

impl Manifests {
    pub(crate) fn read(set: &str) -> Self {
        let (_, start) = SETS.iter().find(|(name, _)| *name == set).unwrap();
        let (folder, prefix) = start.rsplit_once('/').unwrap();
        let files = cases::files(&conformance::root().join(folder));
        let is_taken = |name: &str| {
            name.starts_with(prefix) && !name.contains('/') && !name.contains("dashboard")
        };
        let files = files.iter().filter(|(name, _)| is_taken(name));
        let texts = files.map(|(_, path)| fs::read_to_string(path).unwrap());
        let all: String = texts.map(|text| text + "\n---\n").collect();
        let documents = serde_yaml::Deserializer::from_str(&all);
        let values = documents.map(|of| serde::Deserialize::deserialize(of).unwrap());
        Self(values.filter(|value: &Value| !value.is_null()).collect())
    }

    pub(crate) fn model(&self) -> promgen::Model {
        let text: String = self.0.iter().map(|of| format!("{of}\n---\n")).collect();
        let input = Input::new("all.yaml", text.into_bytes());
        Project::read_side(&[input], &Options::default()).model()
    }

    pub(crate) fn of_kind(&self, kind: &str) -> impl Iterator<Item = &Value> {
        self.0.iter().filter(move |of| of["kind"] == kind)
    }

    fn endpoints(&mut self, monitor: &str) -> &mut Vec<Value> {
        let spec = &mut self.monitor(monitor)["spec"];
        spec["endpoints"].as_array_mut().unwrap()
    }

    fn monitor(&mut self, name: &str) -> &mut Value {
        let mut all = self.0.iter_mut();
        all.find(|of| is_monitor(of, name)).unwrap()
    }

    /// All rules, to change them.
    pub(crate) fn each_rule(&mut self) -> impl Iterator<Item = &mut Value> {
        let all = self.0.iter_mut();
        let all = all.filter(|of| of["kind"] == "PrometheusRule");
        let groups = all.flat_map(|of| of["spec"]["groups"].as_array_mut().unwrap());
        groups.flat_map(|group| group["rules"].as_array_mut().unwrap())
    }

    fn prepend(&mut self, monitor: &str, list: &str, rule: &Value) {
        for endpoint in self.endpoints(monitor) {
            let rules = endpoint[list].as_array().cloned().unwrap_or_default();
            endpoint[list] = [std::slice::from_ref(rule), &rules].concat().into();
        }
    }

    fn drop_metric(&mut self, monitor: &str, metric: &str) {
        let rule = json!({ "sourceLabels": ["__name__"], "regex": metric, "action": "drop" });
        self.prepend(monitor, "metricRelabelings", &rule);
    }

    /// The manifests after an edit: its words, as in `edits.txt`.
    pub(crate) fn edited(&self, edit: &str) -> Self {
        let mut head = self.clone();
        match edit.split(' ').collect::<Vec<_>>()[..] {
            ["delete", monitor] => head.0.retain(|of| !is_monitor(of, monitor)),
            ["job", monitor] => {
                let another = json!({ "targetLabel": "job", "replacement": "another" });
                head.prepend(monitor, "relabelings", &another);
            }
            ["jobLabel", monitor, label] => {
                head.monitor(monitor)["spec"]["jobLabel"] = label.into()
            }
            ["port", monitor, port] => {
                let endpoints = head.endpoints(monitor).iter_mut();
                let changed = endpoints.filter(|of| of["port"] == port);
                changed.for_each(|of| of["port"] = "another".into());
            }
            ["drop", monitor, metric] => head.drop_metric(monitor, metric),
            ["rename", record] => {
                let own = head.each_rule().filter(|of| of["record"] == record);
                own.for_each(|rule| rule["record"] = "renamed:it".into());
            }
            ["harmless", monitor] => {
                head.drop_metric(monitor, "nobody_reads_this_total");
                let team = json!({ "targetLabel": "team", "replacement": "a" });
                head.prepend(monitor, "relabelings", &team);
                let endpoints = head.endpoints(monitor).iter_mut();
                endpoints.for_each(|of| of["interval"] = "45s".into());
                for rule in head.each_rule().filter(|rule| rule["alert"].is_string()) {
                    rule["annotations"]["summary"] = "another text".into();
                    rule["for"] = "20m".into();
                }
            }
            _ => panic!("no edit: {edit}"),
        }
        head
    }
}

fn is_monitor(of: &Value, name: &str) -> bool {
    of["kind"] == "ServiceMonitor" && of["metadata"]["name"] == name
}

/// The edits in `edits.txt`: the manifests, the words, and those who lose what they read.
fn recorded() -> Vec<(String, String, BTreeSet<String>)> {
    let text = fs::read_to_string(root().join("tests/it/diff/edits.txt")).unwrap();
    let mut all = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        if let Some(reader) = line.strip_prefix("  ") {
            let (_, _, readers): &mut (_, _, BTreeSet<String>) = all.last_mut().unwrap();
            readers.insert(reader.to_owned());
        } else {
            let (set, edit) = line.split_once(' ').unwrap();
            all.push((set.to_owned(), edit.to_owned(), BTreeSet::new()));
        }
    }
    all
}

/// What is wrong with what `diff` says of an edit, by those who lose what they read: nothing, mostly.
pub(crate) fn disagreement(
    base: &promgen::Model,
    head: &Manifests,
    edit: &str,
    readers: &BTreeSet<String>,
) -> Option<String> {
    let changes = promgen::compare::compare(base, &head.model());
    let name = |reader: &String| {
        reader
            .split(" of PrometheusRule")
            .next()
            .unwrap()
            .to_owned()
    };
    let lost = changes.series.items.iter();
    let lost = lost.filter(|of| of.change == Change::Removed);
    let lost: BTreeSet<String> = lost.map(|of| name(&of.reader)).collect();
    let possible = changes.possible_losses.items.iter();
    let possible = possible.flat_map(|of| of.readers.items.iter().map(name));
    let told = &lost | &possible.collect();
    let (silent, wrong) = (readers - &told, &lost - readers);
    let is_loud = edit.starts_with("harmless") && !told.is_empty();
    (is_loud || !silent.is_empty() || !wrong.is_empty()).then(|| {
        format!(
            "{edit}: not named: {silent:?}, named as lost: {wrong:?}, all that is named: {told:?}"
        )
    })
}

#[needs(recordings)]
#[test]
fn who_reads_what_an_edit_takes_away_is_named() {
    let edits = swept(2, recorded());
    let wrong = SETS.par_iter().flat_map(|(set, _)| {
        let manifests = Manifests::read(set);
        let base = manifests.model();
        let of_set = edits.par_iter().filter(|(of, ..)| of == set);
        let said = of_set.filter_map(|(_, edit, readers)| {
            disagreement(&base, &manifests.edited(edit), edit, readers)
        });
        said.collect::<Vec<_>>()
    });
    assert_eq!(wrong.collect::<Vec<_>>(), [""; 0]);
}
