//! Which shard scrapes a target.
//!
//! In: the relabel rules of a job, with the operator's placeholders, and the shards. Out: the shards that keep a target.
//! Most rules are the same for every shard, so they run once: the rules of all shards form a tree that branches where they
//! differ.

mod tree;

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::assign::tree::{Branch, Column, TreeRun};
use promgen_compile::output::expand_value;
use promgen_compile::sharding::plan::Shard;
use promgen_prometheus::relabel::program::{self, LabelSlots, Op, Slots, SymbolicRun};
use promgen_prometheus::relabel::slice::deciding;
use promgen_prometheus::relabel::{Builder, CompiledRule, LabelSet, NameScheme, RuleError, rules};
use promgen_text::yaml::Value;

/// The rules of a job for every shard.
#[derive(Clone, Debug)]
pub struct Assigner {
    form: Form,
    /// The labels of a target that decide, unless a rule matches names of labels.
    labels: BTreeSet<String>,
    /// The number of rules before the sharding rules.
    n_own: usize,
}

/// The way rules are run.
#[derive(Clone, Debug)]
enum Form {
    /// On the labels that they read.
    Numbered(LabelSlots, Branch<Op>),
    /// On all labels, because some rules match names of labels.
    Named(Branch<CompiledRule>),
}

/// The result for a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Assignment {
    /// The job's own rules drop it on every shard: it is not a target of the job.
    Dropped,
    /// The shards that keep it, by index: one, if the sharding is correct.
    Kept(Vec<u32>),
    /// The rule of that number, from 0, takes more steps for it than there may be: see
    /// [`MAX_WORK`](promgen_prometheus::relabel::MAX_WORK).
    TooMuch(usize),
}

impl Assigner {
    /// Reads the rules of a job.
    ///
    /// # Errors
    /// The error of Prometheus for the first shard with invalid rules.
    pub fn new(values: &[Value], shards: &[Shard], scheme: NameScheme) -> Result<Self, RuleError> {
        let mut read: Vec<OfShard> = Vec::with_capacity(shards.len());
        for shard in shards {
            let rules = OfShard::new(values, shard, read.first(), scheme)?;
            read.push(rules);
        }
        let (columns, labels): (Vec<Column<'_, CompiledRule>>, Vec<_>) =
            read.iter().map(OfShard::deciding).unzip();
        let mut names = LabelSlots::default();
        let numbered = columns
            .iter()
            .map(|column| column.mapped(|rule| Op::new(rule, &mut names)));
        let form = match numbered.collect::<Option<Vec<_>>>() {
            Some(columns) => {
                Form::Numbered(names, Branch::grow(&columns.iter().collect::<Vec<_>>(), 0))
            }
            None => Form::Named(Branch::grow(&columns.iter().collect::<Vec<_>>(), 0)),
        };
        Ok(Self {
            form,
            labels: labels.into_iter().flatten().collect(),
            n_own: values.len(),
        })
    }

    /// Sets the last `n` rules as the sharding rules. A target that an earlier rule drops is not a target of the job.
    #[must_use]
    pub fn with_sharding_rules(self, n: usize) -> Self {
        Self {
            n_own: self.n_own.saturating_sub(n),
            ..self
        }
    }

    /// The shards that keep a target, by their number.
    #[must_use]
    pub fn keepers(&self, labels: &LabelSet) -> Vec<u32> {
        match self.assign(labels) {
            Assignment::Dropped | Assignment::TooMuch(_) => Vec::new(),
            Assignment::Kept(shards) => shards,
        }
    }

    /// The result for a target.
    #[must_use]
    pub fn assign(&self, labels: &LabelSet) -> Assignment {
        let mut run = TreeRun::new(self.n_own, None);
        match &self.form {
            Form::Numbered(names, root) => root.assign(&Slots::read(names, labels), &mut run),
            Form::Named(root) => root.assign(&Builder::new(labels), &mut run),
        }
        run.end()
    }

    /// The assignment of all targets that have these labels, where [`ANY`], and [`OTHER`] but for `none_of`, stand for
    /// texts that are not known and whose hash leaves this residue. `None` if that is not the same for all of them.
    pub(crate) fn assign_all(
        &self,
        labels: &LabelSet,
        residue: u64,
        none_of: &Rc<[String]>,
    ) -> Option<Assignment> {
        let Form::Numbered(names, root) = &self.form else {
            return None;
        };
        let mut run = TreeRun::new(
            self.n_own,
            Some(SymbolicRun::new(residue, Rc::clone(none_of))),
        );
        root.assign(&Slots::read(names, labels), &mut run);
        (!run.is_undecided()).then(|| run.end())
    }

    /// The labels that decide. `None` if any label may.
    pub fn deciding(&self) -> Option<DecidingLabels<'_>> {
        let Form::Numbered(names, root) = &self.form else {
            return None;
        };
        let rules = root.rules();
        let moduli = rules.iter().filter_map(|rule| rule.modulus());
        let n_residues = moduli.fold(1_u64, |all, modulus| {
            all.saturating_mul(modulus / gcd(all, modulus))
        });
        let hashed = program::hashed_labels(&rules);
        let read = names
            .iter()
            .enumerate()
            .filter(|(_, name)| self.labels.contains(*name));
        let (hashed, labels) = read.partition::<Vec<_>, _>(|(number, _)| hashed.contains(number));
        let named = |labels: Vec<(usize, _)>| labels.into_iter().map(|(_, name)| name).collect();
        Some(DecidingLabels {
            hashed: named(hashed),
            labels: named(labels),
            n_residues,
        })
    }
}

/// The labels that the fate of a target depends on.
#[derive(Clone, Debug)]
pub struct DecidingLabels<'d> {
    /// The labels that are hashed.
    pub hashed: Vec<&'d str>,
    /// Other labels.
    pub labels: Vec<&'d str>,
    /// The number of residues of the hash that make a difference.
    pub(crate) n_residues: u64,
}

/// The greatest common divisor.
const fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The rules of one shard, as written and as run.
#[derive(Debug)]
struct OfShard {
    shard: u32,
    rules: Vec<Rc<(Value, CompiledRule)>>,
}

impl OfShard {
    /// Reads the rules of a shard. Those that another shard has as well are taken from there, as most are.
    fn new(
        values: &[Value],
        shard: &Shard,
        other: Option<&Self>,
        scheme: NameScheme,
    ) -> Result<Self, RuleError> {
        let filled: Vec<Value> = values
            .iter()
            .map(|value| expand_value(value, shard))
            .collect();
        let Some(other) = other else {
            let read = rules(&filled, scheme)?;
            return Ok(Self {
                shard: shard.index,
                rules: filled.into_iter().zip(read).map(Rc::new).collect(),
            });
        };
        let read = |(value, known): (Value, &Rc<(Value, CompiledRule)>)| {
            if value == known.0 {
                return Ok(Rc::clone(known));
            }
            let mut read = rules(std::slice::from_ref(&value), scheme)?;
            Ok(Rc::new((value, read.remove(0))))
        };
        let rules = filled
            .into_iter()
            .zip(&other.rules)
            .map(read)
            .collect::<Result<_, _>>()?;
        Ok(Self {
            shard: shard.index,
            rules,
        })
    }

    /// The rules and labels that decide whether the shard keeps a target.
    fn deciding(&self) -> (Column<'_, CompiledRule>, BTreeSet<String>) {
        let rules: Vec<&CompiledRule> = self.rules.iter().map(|rule| &rule.1).collect();
        let deciding = deciding(&rules);
        let rules = deciding.rules.into_iter().map(|index| {
            let (value, rule) = &*self.rules[index];
            (index, value, rule.clone())
        });
        (
            Column {
                shard: self.shard,
                rules: rules.collect(),
            },
            deciding.labels,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_compile::sharding::plan::{Plan, Surplus};
    use promgen_prometheus::relabel::relabel;
    use proptest::prelude::*;

    /// The assignment by the rules of every shard, one shard after the other, all rules on all labels.
    fn one_by_one(
        values: &[Value],
        n_own: usize,
        shards: &[Shard],
        labels: &LabelSet,
    ) -> Assignment {
        let run = |n: usize, shard: &Shard| {
            let filled: Vec<_> = values[..n]
                .iter()
                .map(|value| expand_value(value, shard))
                .collect();
            relabel(labels, &rules(&filled, NameScheme::Utf8).unwrap()).is_ok()
        };
        if !shards.iter().any(|shard| run(n_own, shard)) {
            return Assignment::Dropped;
        }
        Assignment::Kept(
            shards
                .iter()
                .filter(|shard| run(values.len(), shard))
                .map(|shard| shard.index)
                .collect(),
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1500))]

        #[test]
        fn the_tree_deals_as_the_rules_of_each_shard_do(
            picked in prop::collection::vec((0..12usize, prop::sample::select(vec!["a", "b", "c"]),
                                             prop::sample::select(vec!["a", "b", "c"])), 1..9),
            values in prop::collection::vec(prop::sample::select(vec!["", "x", "1", "2;", "x1"]), 3),
            n_sharding in 0..4usize,
            zones in prop::collection::vec(prop::sample::select(vec!["x", "1"]), 0..2),
        ) {
            let forms = [
                "{source_labels: [S], target_label: T}", "{target_label: T, replacement: $(SHARD)}",
                "{source_labels: [S, T], target_label: T, regex: '(.+);'}", "{action: keep, source_labels: [S, T], regex: '$(INZONE_SHARD);|.+;.+'}",
                "{action: keep, source_labels: [S], regex: $(SHARD)}", "{action: keep, source_labels: [S], regex: '0|1'}",
                "{action: drop, source_labels: [S], regex: '$(TOPOLOGY_ZONE).*'}", "{action: labeldrop, regex: T}",
                "{action: hashmod, source_labels: [S], target_label: T, modulus: 3}", "{action: dropequal, source_labels: [S], target_label: T}",
                "{action: labelmap, regex: S, replacement: T}", "{source_labels: [S, T], target_label: T, regex: '(.*);(.+)', replacement: '$2-$1'}",
            ];
            let texts: Vec<_> = picked.iter().map(|(f, s, t)| forms[*f].replace("S]", &format!("{s}]")).replace("[S", &format!("[{s}"))
                .replace("regex: S", &format!("regex: {s}")).replace("T]", &format!("{t}]")).replace(": T", &format!(": {t}"))).collect();
            let root = promgen_text::yaml::read::read_slices(&format!("[{}]", texts.join(", "))).unwrap().unwrap().to_value();
            let Value::Seq(rules) = root else { panic!() };
            let zones: Vec<String> = zones.into_iter().map(str::to_owned).collect();
            let plan = Plan::topology(3, &zones, Surplus::Idle);
            let n_sharding = n_sharding.min(rules.len());
            let assigner = Assigner::new(&rules, &plan.shards, NameScheme::Utf8).unwrap().with_sharding_rules(n_sharding);
            let labels: LabelSet = ["a", "b", "c"].into_iter().zip(values).collect();
            let expected = one_by_one(&rules, rules.len() - n_sharding, &plan.shards, &labels);
            prop_assert_eq!(assigner.assign(&labels), expected, "{:?}", texts);
        }
    }
}
