//! The relabel engine, on rules and labels of any text.

use arbitrary::Arbitrary;
use promgen::assign::{Assigner, Assignment};
use promgen_compile::sharding::plan::{Plan, Surplus};
use promgen_prometheus::relabel::slice::{constants, deciding};
use promgen_prometheus::relabel::{CompiledRule, LabelSet, NameScheme, relabel, rules};
use promgen_text::yaml::{Map, Value};

use crate::within;

/// Rules, and a target.
#[derive(Arbitrary, Debug)]
pub struct Rules {
    rules: Vec<Rule>,
    labels: Vec<(Name, String)>,
    n_sharding: u8,
    n_shards: u8,
    zones: Vec<Name>,
    is_legacy: bool,
}

/// A rule, with the fields that it has.
#[derive(Arbitrary, Debug)]
struct Rule {
    action: Option<Action>,
    source_labels: Vec<Name>,
    separator: Option<String>,
    regex: Option<String>,
    modulus: Option<u64>,
    target_label: Option<Name>,
    replacement: Option<String>,
}

/// A name that rules and labels have in common, or another.
#[derive(Arbitrary, Debug)]
enum Name {
    A,
    B,
    Address,
    Other(String),
}

impl Name {
    fn text(&self) -> &str {
        match self {
            Self::A => "a",
            Self::B => "b",
            Self::Address => "__address__",
            Self::Other(text) => text,
        }
    }
}

#[derive(Arbitrary, Debug)]
enum Action {
    Replace,
    Keep,
    Drop,
    KeepEqual,
    DropEqual,
    HashMod,
    LabelMap,
    LabelDrop,
    LabelKeep,
    Lowercase,
    Uppercase,
    Other(String),
}

impl Action {
    fn text(&self) -> String {
        match self {
            Self::Other(text) => text.clone(),
            known => format!("{known:?}").to_lowercase(),
        }
    }
}

impl Rule {
    fn value(&self) -> Value {
        let text = |text: &String| text.clone();
        let mut map = Map::new();
        if !self.source_labels.is_empty() {
            let names: Vec<String> = self
                .source_labels
                .iter()
                .map(|name| name.text().to_owned())
                .collect();
            map.push("source_labels", names);
        }
        map.push_some("separator", self.separator.as_ref().map(text));
        map.push_some("regex", self.regex.as_ref().map(text));
        map.push_some("modulus", self.modulus);
        map.push_some(
            "target_label",
            self.target_label
                .as_ref()
                .map(|name| name.text().to_owned()),
        );
        map.push_some("replacement", self.replacement.as_ref().map(text));
        map.push_some("action", self.action.as_ref().map(Action::text));
        map.into()
    }

    fn size(&self) -> usize {
        let texts = [&self.separator, &self.regex, &self.replacement];
        texts
            .iter()
            .filter_map(|text| text.as_ref().map(String::len))
            .sum::<usize>()
            + 64
    }
}

/// Runs rules on a target: all of them, those that decide, and those of each shard. A target has one fate.
pub fn run(input: &Rules) {
    let size = input
        .rules
        .iter()
        .map(Rule::size)
        .chain(input.labels.iter().map(|(_, value)| value.len()))
        .sum();
    within(size, || {
        let values: Vec<Value> = input.rules.iter().map(Rule::value).collect();
        let labels: LabelSet = input
            .labels
            .iter()
            .map(|(name, value)| (name.text(), value.as_str()))
            .collect();
        let scheme = if input.is_legacy {
            NameScheme::Legacy
        } else {
            NameScheme::Utf8
        };
        if let Ok(read) = rules(&values, scheme) {
            one(&read, &labels);
        }
        let zones: Vec<String> = input
            .zones
            .iter()
            .take(4)
            .map(|name| name.text().to_owned())
            .collect();
        let plan = Plan::topology(u32::from(input.n_shards % 8), &zones, Surplus::Idle);
        if let Ok(assigner) = Assigner::new(&values, &plan.shards, scheme) {
            let n_sharding = usize::from(input.n_sharding) % (values.len() + 1);
            let assigner = assigner.with_sharding_rules(n_sharding);
            if let Assignment::Kept(shards) = assigner.assign(&labels) {
                assert_eq!(shards, assigner.keepers(&labels));
            }
            let _ = assigner.deciding();
        }
    });
}

fn one(all: &[CompiledRule], labels: &LabelSet) {
    let by_reference: Vec<&CompiledRule> = all.iter().collect();
    let fate = relabel(labels, all);
    let few: Vec<CompiledRule> = deciding(&by_reference)
        .rules
        .into_iter()
        .map(|at| all[at].clone())
        .collect();
    // Fewer rules take fewer steps, so that they may come to an end where all do not.
    let few = relabel(labels, &few);
    let is_too_much = |fate: &Result<_, promgen_prometheus::relabel::StopRule>| {
        matches!(fate, Err(promgen_prometheus::relabel::StopRule::TooMuch(_)))
    };
    if !is_too_much(&fate) && !is_too_much(&few) {
        assert_eq!(
            fate.is_ok(),
            few.is_ok(),
            "the rules that decide: {labels:?}"
        );
    }
    let known = constants(&by_reference, labels.iter().map(|(name, _)| name));
    if let (Ok(end), Some(known)) = (&fate, known) {
        for (name, value) in known {
            assert_eq!(end.get(&name), value, "`{name}` is said to be constant");
        }
    }
}
