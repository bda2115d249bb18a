//! The relabel engine and a naive one: every target has the same fate, whatever is planned ahead for it.
//!
//! Rules are made up from what sharding rules have: sources, hashes, tests with placeholders. They run on targets as they are
//! ([`relabel`]), on all shards at once ([`Assigner`]), and by symbol, for all targets of a class ([`prove`]).

use std::collections::{BTreeMap, BTreeSet};

use arbitrary::{Result, Unstructured};
use promgen::Project;
use promgen::assign::{Assigner, Assignment, DecidingLabels};
use promgen::prove::{ClassKind, Coverage, prove};
use promgen_compile::options::Options;
use promgen_compile::output::Output;
use promgen_compile::sharding::plan::{Plan, Surplus};
use promgen_prometheus::relabel::{LabelSet, NameScheme, StopRule, relabel, rules};
use promgen_targets::discovery::Discovery;
use promgen_text::source::Input;
use promgen_text::yaml::emit::to_json;
use promgen_text::yaml::{Map, Value};

use super::naive::{OfShard, Rule, Target, of_shard};
use crate::within;

/// What the manifests compile to, and what targets are discovered from.
fn discover(inputs: &[Input], options: &Options) -> (Output, Discovery) {
    Project::read(inputs, options)
        .model_with_targets()
        .into_discovery()
}

/// Labels that rules read and write.
const NAMES: &[&str] = &[
    "__address__",
    "__tmp_hash",
    "__tmp_disable_sharding",
    "zone",
    "a",
    "b",
    "__meta_x",
];
/// The label that makes every shard scrape a target, and the one that is hashed instead of the address.
const EXEMPT: &str = "__tmp_disable_sharding";
const OVERRIDE: &str = "__tmp_hash";
/// The number of texts that are tried for what is hashed.
const N_TEXTS: usize = 48;
const VALUES: &[&str] = &[
    "", "x", "y", "0", "1", "2", "zone-a", "zone-b", "x;y", "X1", "true", ";",
];
const PATTERNS: &[&str] = &[
    "(.*)",
    "(.+)",
    ".*",
    ".+",
    "",
    "x",
    "x|y",
    "$(SHARD)",
    "$(INZONE_SHARD)",
    "$(TOPOLOGY_ZONE)",
    "$(SHARD);|.+;.+",
    "$(INZONE_SHARD);|.+;.+",
    "$(TOPOLOGY_ZONE);|.+;.+",
    "(.+);",
    "(.+);.*",
    ";(.+)",
    "(.*);(.*)",
    "0|1",
    "(zone-.);.+",
    "[0-9]+",
    "(a|b|zone)",
    "a.*",
    "x?y?.",
    "(x)(y)?.*",
    "^x$",
    "zone-a",
    "(?:x|y)1?",
    "1;x",
    "(.+);(.+);",
];
const TEXTS: &[&str] = &[
    "$1",
    "x",
    "",
    "${1}x",
    "$1x",
    "$2-$1",
    "$$",
    "$(SHARD)",
    "$(TOPOLOGY_ZONE)",
    "zone-a",
    "$0",
    "a$1;",
];
const ACTIONS: &[&str] = &[
    "replace",
    "replace",
    "replace",
    "keep",
    "keep",
    "drop",
    "hashmod",
    "hashmod",
    "keepequal",
    "dropequal",
    "lowercase",
    "uppercase",
    "labelmap",
    "labeldrop",
    "labelkeep",
];

type Labels = BTreeMap<String, String>;

/// Makes rules and targets of bytes, and runs them.
pub fn agree(data: &[u8]) {
    let mut source = Unstructured::new(data);
    // The rules of all shards are compiled one by one, whatever few bytes chose them.
    within(data.len().saturating_mul(64), || {
        let Ok(case) = Case::generate(&mut source) else {
            return;
        };
        if case.is_proof {
            case.prove();
        } else {
            case.relabel();
            case.assign();
        }
    });
}

/// Rules, shards, and targets.
#[derive(Debug)]
struct Case {
    rules: Vec<Rule>,
    n_sharding: usize,
    plan: Plan,
    targets: Vec<BTreeMap<&'static str, &'static str>>,
    is_proof: bool,
}

impl Case {
    fn generate(source: &mut Unstructured<'_>) -> Result<Self> {
        let is_proof = source.ratio(1, 3)?;
        let n_shards = source.int_in_range(1..=6)?;
        let zones: Vec<String> = (0..source.int_in_range(0..=2)?)
            .map(|at| format!("zone-{}", ["a", "b"][at]))
            .collect();
        // Fewer shards than zones are refused.
        let n_shards = n_shards.max(u32::try_from(zones.len()).expect("at most two"));
        let plan = Plan::topology(n_shards, &zones, Surplus::Idle);
        let rules: Vec<Rule> = (0..source.int_in_range(1..=6)?)
            .map(|_| rule(source))
            .collect::<Result<_>>()?;
        let n_sharding = source.int_in_range(0..=rules.len())?;
        let targets = (0..4).map(|_| target(source)).collect::<Result<_>>()?;
        Ok(Self {
            rules,
            n_sharding,
            plan,
            targets,
            is_proof,
        })
    }

    fn values(&self) -> Vec<Value> {
        self.rules.iter().map(value).collect()
    }

    /// A target through all rules, as the first shard has them.
    fn relabel(&self) {
        let shard = &self.plan.shards[0];
        let filled: Vec<Value> = self
            .values()
            .iter()
            .map(|value| promgen_compile::output::expand_value(value, shard))
            .collect();
        let Ok(compiled) = rules(&filled, NameScheme::Utf8) else {
            return;
        };
        for labels in &self.targets {
            let mut naive = Target::new(labels.iter().map(|(name, value)| (*name, *value)));
            let is_kept = naive.run(&of_shard(&self.rules, shard));
            match relabel(&label_set(labels), &compiled) {
                Ok(end) => {
                    assert!(is_kept, "{labels:?} is kept by {filled:?}");
                    let end: BTreeMap<_, _> = end
                        .iter()
                        .map(|(name, value)| (name.to_owned(), value.to_owned()))
                        .collect();
                    assert_eq!(end, naive.labels(), "{labels:?} after {filled:?}");
                }
                Err(StopRule::Dropped(_)) => {
                    assert!(!is_kept, "{labels:?} is dropped by {filled:?}")
                }
                Err(StopRule::TooMuch(_)) => {}
            }
        }
    }

    /// A target on all shards.
    fn assign(&self) {
        let n_own = self.rules.len() - self.n_sharding;
        let Ok(assigner) = Assigner::new(&self.values(), &self.plan.shards, NameScheme::Utf8)
        else {
            return;
        };
        let assigner = assigner.with_sharding_rules(self.n_sharding);
        let rules: Vec<_> = self.of_shards();
        for labels in &self.targets {
            let run = |rules: &[OfShard<'_>]| {
                Target::new(labels.iter().map(|(name, value)| (*name, *value))).run(rules)
            };
            let is_target = rules.iter().any(|(_, rules)| run(&rules[..n_own]));
            let keepers = rules
                .iter()
                .filter(|(_, rules)| run(rules))
                .map(|(shard, _)| *shard);
            let expected = if is_target {
                Assignment::Kept(keepers.collect())
            } else {
                Assignment::Dropped
            };
            let assigned = assigner.assign(&label_set(labels));
            if !matches!(assigned, Assignment::TooMuch(_)) {
                assert_eq!(assigned, expected, "{labels:?} with {:?}", self.rules);
            }
        }
    }

    /// The rules as a template of a workload: what is shown of each class by symbol is what becomes of targets of that class.
    fn prove(&self) {
        let (output, discovery) =
            discover(&[Input::new("a.yaml", self.manifest())], &self.options());
        let [workload] = output.workloads.as_slice() else {
            return;
        };
        assert_eq!(workload.plan, self.plan, "the plan of {}", self.manifest());
        if !self.is_rendered(&workload.sharding_rules) {
            return;
        }
        let assigner = Assigner::new(
            &workload.sharding_rules,
            &self.plan.shards,
            NameScheme::Utf8,
        );
        let deciding = assigner.as_ref().ok().and_then(Assigner::deciding);
        let (Some(deciding), Ok(classes)) = (deciding, prove(workload, &discovery).classes) else {
            return;
        };
        for class in classes {
            if let Some(ways) = self.ways(&class.kind, &deciding) {
                self.same(&ways, &deciding.hashed, &class.outcome, &class.kind);
            }
        }
    }

    /// Returns whether these are the rules, and the template was not refused.
    fn is_rendered(&self, rendered: &[Value]) -> bool {
        let has_all = |rendered: &Value, wanted: &Value| {
            wanted.as_map().is_some_and(|map| {
                map.iter()
                    .all(|(key, value)| rendered.get(key) == Some(value))
            })
        };
        let wanted = self.values();
        rendered.len() == wanted.len()
            && rendered
                .iter()
                .zip(&wanted)
                .all(|(rendered, wanted)| has_all(rendered, wanted))
    }

    fn manifest(&self) -> String {
        let zones = self.plan.zones.join(", ");
        let strategy = match self.plan.zones.is_empty() {
            true => String::new(),
            false => {
                format!(", shardingStrategy: {{mode: Topology, topology: {{values: [{zones}]}}}}")
            }
        };
        let n_shards = self.plan.shards.len();
        format!(
            "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {{name: main}}\nspec: {{shards: {n_shards}{strategy}}}\n"
        )
    }

    fn options(&self) -> Options {
        let name = if self.plan.zones.is_empty() {
            "address"
        } else {
            "topology"
        };
        let rules = to_json(&Value::Seq(self.values()));
        Options {
            templates: vec![Input::new(
                format!("relabel/operator-{name}.yaml.j2"),
                rules,
            )],
            ..Options::default()
        }
    }

    /// The labels of the targets of a class, without what is hashed. `None` for a class that is not made up here.
    fn ways(&self, kind: &ClassKind, deciding: &DecidingLabels<'_>) -> Option<Vec<Labels>> {
        let way = |label: &str, value: &str| Labels::from([(label.to_owned(), value.to_owned())]);
        let zones = |zone: &str| -> Vec<Labels> {
            deciding
                .labels
                .iter()
                .filter(|label| **label != EXEMPT)
                .map(|label| way(label, zone))
                .collect()
        };
        match kind {
            ClassKind::Any => {
                let others = self.read_labels().into_iter();
                let others =
                    others.filter(|label| *label != EXEMPT && !deciding.hashed.contains(label));
                let ways =
                    others.flat_map(|label| ["x", "1", "zone-a"].map(|value| way(label, value)));
                Some(std::iter::once(Labels::new()).chain(ways).collect())
            }
            ClassKind::NoZone => Some(vec![Labels::new()]),
            ClassKind::Zone(name) => Some(zones(name)),
            ClassKind::OtherZone => Some(
                ["elsewhere", "zone-ab"]
                    .into_iter()
                    .flat_map(zones)
                    .collect(),
            ),
            ClassKind::TwoZones | ClassKind::Exempt => None,
        }
    }

    /// The labels that any of the rules reads.
    fn read_labels(&self) -> BTreeSet<&str> {
        let compared = self
            .rules
            .iter()
            .filter(|rule| rule.action.ends_with("equal"))
            .map(|rule| rule.target.as_str());
        self.rules
            .iter()
            .flat_map(|rule| rule.sources.iter().copied())
            .chain(compared)
            .collect()
    }

    /// Returns whether targets of a class meet what is shown of it, and what is shown is met by one of them.
    fn same(&self, ways: &[Labels], hashed: &[&str], shown: &Coverage, kind: &ClassKind) {
        let (rules, mut met) = (self.of_shards(), Coverage::default());
        for (way, number) in ways
            .iter()
            .flat_map(|way| (0..N_TEXTS).map(move |number| (way, number)))
        {
            let text = format!("10.0.{}.{number}:80", number % 7);
            for is_overridden in [false, true] {
                let is_set = |name: &&&str| **name != OVERRIDE || is_overridden;
                let hashed = hashed
                    .iter()
                    .filter(is_set)
                    .map(|name| ((*name).to_owned(), text.clone()));
                let labels: Labels = way.clone().into_iter().chain(hashed).collect();
                let keepers = keepers(&rules, &labels);
                met.shards.extend(&keepers);
                let is_shown = match keepers.as_slice() {
                    [] => !shown.uncovered.is_empty(),
                    [only] => shown.shards.contains(only),
                    _ => shown.doubled.contains(&keepers),
                };
                assert!(
                    is_shown,
                    "{labels:?} of {kind:?} is kept by {keepers:?}, but {shown:?}, by {:#?}",
                    self.rules
                );
                match keepers.len() {
                    0 => drop(met.uncovered.insert(0)),
                    1 => {}
                    _ => drop(met.doubled.insert(keepers)),
                }
            }
        }
        // With more residues, a few texts need not have all of them.
        if self
            .rules
            .iter()
            .map(|rule| rule.modulus)
            .all(|modulus| modulus <= 2)
            && !ways.is_empty()
        {
            let (shown_none, met_none) = (!shown.uncovered.is_empty(), !met.uncovered.is_empty());
            let shown = (shown_none, &shown.doubled, &shown.shards);
            assert_eq!(
                (met_none, &met.doubled, &met.shards),
                shown,
                "{kind:?} by {:#?}",
                self.rules
            );
        }
    }

    /// The rules of each shard.
    fn of_shards(&self) -> Vec<(u32, Vec<OfShard<'_>>)> {
        self.plan
            .shards
            .iter()
            .map(|shard| (shard.index, of_shard(&self.rules, shard)))
            .collect()
    }
}

/// The shards that keep a target.
fn keepers(rules: &[(u32, Vec<OfShard<'_>>)], labels: &Labels) -> Vec<u32> {
    let target = || {
        Target::new(
            labels
                .iter()
                .map(|(name, value)| (name.as_str(), value.as_str())),
        )
    };
    rules
        .iter()
        .filter(|(_, rules)| target().run(rules))
        .map(|(shard, _)| *shard)
        .collect()
}

fn label_set(labels: &BTreeMap<&str, &str>) -> LabelSet {
    labels.iter().map(|(name, value)| (*name, *value)).collect()
}

fn target(source: &mut Unstructured<'_>) -> Result<BTreeMap<&'static str, &'static str>> {
    NAMES
        .iter()
        .map(|name| Ok((*name, *source.choose(VALUES)?)))
        .collect()
}

fn rule(source: &mut Unstructured<'_>) -> Result<Rule> {
    let n_sources = source.int_in_range(0..=3)?;
    let target = (*source.choose(NAMES)?).to_owned();
    Ok(Rule {
        action: source.choose(ACTIONS)?,
        sources: (0..n_sources)
            .map(|_| source.choose(NAMES).copied())
            .collect::<Result<_>>()?,
        separator: if source.ratio(1, 8)? { "-" } else { ";" },
        regex: (*source.choose(PATTERNS)?).to_owned(),
        modulus: source.int_in_range(1..=5)?,
        target: if source.ratio(1, 12)? {
            format!("{target}$1")
        } else {
            target
        },
        replacement: (*source.choose(TEXTS)?).to_owned(),
    })
}

/// A rule with the fields that its action takes.
fn value(rule: &Rule) -> Value {
    let mut map = Map::new().with("action", rule.action);
    let deletes = matches!(rule.action, "labeldrop" | "labelkeep");
    let compares = matches!(rule.action, "keepequal" | "dropequal");
    if !deletes && rule.action != "labelmap" {
        map.push(
            "source_labels",
            rule.sources
                .iter()
                .map(|name| (*name).to_owned())
                .collect::<Vec<String>>(),
        );
        if !compares {
            map.push("separator", rule.separator);
        }
    }
    if matches!(rule.action, "replace" | "keep" | "drop" | "labelmap") || deletes {
        map.push("regex", rule.regex.clone());
    }
    if rule.action == "hashmod" {
        map.push("modulus", rule.modulus);
    }
    if compares
        || matches!(
            rule.action,
            "replace" | "hashmod" | "lowercase" | "uppercase"
        )
    {
        map.push("target_label", rule.target.clone());
    }
    if matches!(rule.action, "replace" | "labelmap") {
        map.push("replacement", rule.replacement.clone());
    }
    map.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(rules: &[Rule]) -> Case {
        Case {
            rules: rules.to_vec(),
            n_sharding: rules.len(),
            plan: Plan::address(3),
            targets: Vec::new(),
            is_proof: true,
        }
    }

    fn rules(modulus: u64) -> [Rule; 2] {
        let rule = |action, sources: &[&'static str], target: &str, regex: &str| Rule {
            action,
            sources: sources.to_vec(),
            separator: ";",
            regex: regex.to_owned(),
            modulus,
            target: target.to_owned(),
            replacement: "$1".to_owned(),
        };
        [
            rule("hashmod", &["__address__"], "__tmp_hash", "(.*)"),
            rule("keep", &["__tmp_hash"], "", "$(SHARD)"),
        ]
    }

    #[test]
    fn rules_become_those_of_a_workload() {
        let case = case(&rules(3));
        let (output, _) = discover(&[Input::new("a.yaml", case.manifest())], &case.options());
        let found: Vec<_> = output
            .diagnostics
            .iter()
            .map(|found| &found.message)
            .collect();
        assert!(
            case.is_rendered(&output.workloads[0].sharding_rules),
            "{found:?} {:?}",
            output.workloads[0].sharding_rules
        );
        case.prove();
    }

    #[test]
    fn a_rule_that_tells_other_zones_apart_is_not_proved() {
        // Found by fuzzing: a rule drops `x.*`, and some zone that is not one of the workload's begins with `x`.
        agree(b"le\x07enen\x00\x04en");
    }

    #[test]
    #[should_panic(expected = "is kept by [2]")]
    fn a_difference_is_found() {
        let case = case(&rules(3));
        let shown = Coverage {
            shards: [0, 1].into_iter().collect(),
            ..Coverage::default()
        };
        case.same(&[Labels::new()], &["__address__"], &shown, &ClassKind::Any);
    }
}
