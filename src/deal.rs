//! Which shard scrapes a target.
//!
//! In: the relabel rules of a job, with the operator's placeholders, and the shards. Out: the shards that keep a target.
//! Most rules are the same for every shard, so they are run once: the rules of all shards are a tree that branches where
//! they differ.

use crate::output::expand;
use crate::plan::Shard;
use crate::relabel::{Builder, Fate, LabelSet, NameScheme, Rule, RuleError, rules};
use crate::yaml::Value;

/// The rules of a job for every shard.
#[derive(Clone, Debug)]
pub struct Dealer {
    root: Branch,
    /// How many rules come before those that share targets among shards.
    n_own: usize,
}

/// What becomes of a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dealt {
    /// The rules of the job itself drop it, for every shard: it is no target of the job.
    Dropped,
    /// So many shards keep it, by their number: one, unless something is wrong.
    Kept(Vec<u32>),
}

/// Rules that some shards have in common.
#[derive(Clone, Debug)]
struct Branch {
    /// How many rules come before these.
    from: usize,
    rules: Vec<Rule>,
    /// How they go on, where they differ.
    branches: Vec<Self>,
    /// The shards that keep what comes through, if this is where the rules end.
    shards: Vec<u32>,
}

impl Dealer {
    /// Reads the rules of a job.
    ///
    /// # Errors
    /// What Prometheus says against the rules of the first shard that has wrong ones.
    pub fn new(values: &[Value], shards: &[Shard], scheme: NameScheme) -> Result<Self, RuleError> {
        let mut columns: Vec<Column> = Vec::with_capacity(shards.len());
        for shard in shards {
            let column = Column::new(values, shard, columns.first(), scheme)?;
            columns.push(column);
        }
        Ok(Self { root: Branch::grow(&columns.iter().collect::<Vec<_>>(), 0), n_own: values.len() })
    }

    /// Tells that the last `n` rules share targets among shards. What a rule before them drops is no target of the job.
    #[must_use]
    pub fn with_sharding_rules(self, n: usize) -> Self {
        Self { n_own: self.n_own.saturating_sub(n), ..self }
    }

    /// The shards that keep a target, by their number.
    #[must_use]
    pub fn deal(&self, labels: &LabelSet) -> Vec<u32> {
        match self.judge(labels) {
            Dealt::Dropped => Vec::new(),
            Dealt::Kept(shards) => shards,
        }
    }

    /// What becomes of a target.
    #[must_use]
    pub fn judge(&self, labels: &LabelSet) -> Dealt {
        let mut run = Run { n_own: self.n_own, is_target: false, keepers: Vec::new() };
        self.root.deal(Builder::new(labels), &mut run);
        run.keepers.sort_unstable();
        if run.is_target { Dealt::Kept(run.keepers) } else { Dealt::Dropped }
    }
}

/// A target on its way through the tree.
struct Run {
    n_own: usize,
    /// Whether the rules of the job itself let it through, for some shard.
    is_target: bool,
    keepers: Vec<u32>,
}

/// The rules of one shard, as written and as run.
struct Column {
    shard: u32,
    rules: Vec<(Value, Rule)>,
}

impl Column {
    /// Reads the rules of a shard. Those that another shard has as well are taken from there, as most are.
    fn new(values: &[Value], shard: &Shard, other: Option<&Self>, scheme: NameScheme) -> Result<Self, RuleError> {
        let filled: Vec<Value> = values.iter().map(|value| fill(value, shard)).collect();
        let Some(other) = other else {
            let read = rules(&filled, scheme)?;
            return Ok(Self { shard: shard.index, rules: filled.into_iter().zip(read).collect() });
        };
        let read = |(value, known): (Value, &(Value, Rule))| {
            if value == known.0 {
                return Ok(known.clone());
            }
            let mut read = rules(std::slice::from_ref(&value), scheme)?;
            Ok((value, read.remove(0)))
        };
        let rules = filled.into_iter().zip(&other.rules).map(read).collect::<Result<_, _>>()?;
        Ok(Self { shard: shard.index, rules })
    }
}

impl Branch {
    /// The rules of these shards from one on. Each step down parts them, so the depth is at most their number.
    fn grow(columns: &[&Column], from: usize) -> Self {
        let mut branch = Self { from, rules: Vec::new(), branches: Vec::new(), shards: Vec::new() };
        let Some((first, others)) = columns.split_first() else { return branch };
        for (index, (value, rule)) in first.rules.iter().enumerate().skip(from) {
            if others.iter().any(|column| column.rules[index].0 != *value) {
                branch.branches = parted(columns, index).iter().map(|columns| Self::grow(columns, index)).collect();
                return branch;
            }
            branch.rules.push(rule.clone());
        }
        branch.shards = columns.iter().map(|column| column.shard).collect();
        branch
    }

    fn deal(&self, mut labels: Builder<'_>, run: &mut Run) {
        for (index, rule) in self.rules.iter().enumerate() {
            run.is_target |= self.from + index >= run.n_own;
            if rule.apply(&mut labels) == Fate::Dropped {
                return;
            }
        }
        run.is_target |= !self.shards.is_empty();
        run.keepers.extend(&self.shards);
        if let Some((last, others)) = self.branches.split_last() {
            for branch in others {
                branch.deal(labels.clone(), run);
            }
            last.deal(labels, run);
        }
    }
}

/// The shards by their rule of that number, in the order of the first of each.
fn parted<'c>(columns: &[&'c Column], index: usize) -> Vec<Vec<&'c Column>> {
    let mut groups: Vec<Vec<&Column>> = Vec::new();
    for column in columns {
        let same = |group: &&mut Vec<&Column>| group[0].rules[index].0 == column.rules[index].0;
        match groups.iter_mut().find(same) {
            Some(group) => group.push(column),
            None => groups.push(vec![column]),
        }
    }
    groups
}

/// A value with the placeholders of a shard filled in.
fn fill(value: &Value, shard: &Shard) -> Value {
    match value {
        Value::Str(text) if text.contains("$(") => Value::from(expand(text, shard)),
        Value::Seq(items) => Value::Seq(items.iter().map(|item| fill(item, shard)).collect()),
        Value::Map(map) => Value::Map(map.iter().map(|(key, value)| (key.clone(), fill(value, shard))).collect()),
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::Uint(_) | Value::Float(_) | Value::Str(_) => {
            value.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs;
    use crate::{Input, Options, compile};

    /// The dealer of the only job of a Prometheus with that strategy.
    fn dealer(shards: u32, strategy: &str) -> (Dealer, usize) {
        let manifests = format!(
            "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {{name: p}}\nspec: {{shards: {shards}, \
             {strategy} probeSelector: {{}}}}\n---\napiVersion: monitoring.coreos.com/v1\nkind: Probe\nmetadata: \
             {{name: a}}\nspec: {{prober: {{url: b}}, targets: {{staticConfig: {{static: [x]}}}}}}\n"
        );
        let output = compile(&[Input::new("p.yaml", manifests)], &Options::default());
        let workload = &output.workloads[0];
        let jobs = jobs::jobs(workload.config.as_ref().unwrap());
        let shards = &workload.plan.shards;
        (Dealer::new(jobs[0].rules(), shards, NameScheme::Utf8).unwrap(), shards.len())
    }

    fn target(address: &str) -> LabelSet {
        [("__address__", address), ("__param_target", address)].into_iter().collect()
    }

    #[test]
    fn every_target_has_one_shard_and_every_shard_some() {
        let (dealer, n_shards) = dealer(5, "");
        let mut counts = vec![0; n_shards];
        for i in 0..1000 {
            let keepers = dealer.deal(&target(&format!("10.0.{}.{}:80", i / 250, i % 250)));
            assert_eq!(keepers.len(), 1, "{keepers:?}");
            counts[keepers[0] as usize] += 1;
        }
        assert!(counts.iter().all(|count| (140..260).contains(count)), "{counts:?}");
    }

    #[test]
    fn what_has_no_zone_has_no_shard() {
        let (dealer, _) = dealer(6, "shardingStrategy: {mode: Topology, topology: {values: [a, b, c]}},");
        assert_eq!(dealer.deal(&target("10.0.0.1:80")), Vec::<u32>::new());
    }
}
