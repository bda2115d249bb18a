//! Traces why a shard scrapes a target or drops it.
//!
//! In: a compiled workload, one of its jobs, and the labels that a target has before relabeling. Out: the effect of the
//! printed rules on them, step by step, for one shard ([`Tracer::trace`]) or in short for all ([`Tracer::verdict`]).
//!
//! The source of a rule is not guessed from its form: for those who ask, the job is lowered once more, and the field of the
//! manifest is stored with each rule ([`RuleOrigin`](promgen_compile::output::RuleOrigin)). A rule that the operator adds for a
//! field that the manifest does not have points to its parent: the endpoint, the resource. Rules of jobs in a Secret point to
//! the Secret, as the text in it has no places.
//!
//! Messages count rules from 1: `rule 12 of 17`.

pub mod find;
pub mod scraped;
pub mod zone;

use promgen_compile::output::Job;
use promgen_compile::output::{Workload, WorkloadKind, expand_value};
use promgen_compile::sharding::plan::Shard;
use promgen_prometheus::relabel::{
    Builder, CompiledRule, Fate, LabelSet, NameScheme, RuleError, rules,
};
use promgen_text::yaml::Value;

/// Most bytes of labels and values that a trace may hold: a target of 256 KiB, as annotations may make it, through 100
/// rules.
const MAX_TRACE_BYTES: usize = 32 << 20;

/// A job whose rules can be run for any shard.
#[derive(Clone, Debug)]
pub struct Tracer<'j> {
    /// The job.
    pub job: &'j Job,
    shards: &'j [Shard],
    scheme: NameScheme,
    /// The rules up to the first that differs between shards.
    common: Vec<CompiledRule>,
    /// The number of rules before the sharding rules.
    n_own: usize,
}

/// The verdict on a target. Every shard is in one of the two lists, grouped by equal results.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// It is a target of the job: its own rules let it through, for some shard.
    pub is_target: bool,
    /// The shards that keep it, and the labels after the last rule. Labels that only rules use (`__tmp…`) may differ within
    /// a group.
    pub kept: Vec<(Vec<u32>, LabelSet)>,
    /// The shards that do not, and the rule that drops it.
    pub dropped: Vec<(Vec<u32>, DroppingRule)>,
}

impl Verdict {
    /// The number of shards that keep it.
    #[must_use]
    pub fn n_keepers(&self) -> usize {
        self.kept.iter().map(|(shards, _)| shards.len()).sum()
    }

    /// The shards that keep it, by number.
    #[must_use]
    pub fn keepers(&self) -> Vec<u32> {
        let mut keepers: Vec<u32> = self
            .kept
            .iter()
            .flat_map(|(shards, _)| shards)
            .copied()
            .collect();
        keepers.sort_unstable();
        keepers
    }
}

/// Returns whether two sets of labels make the same target. Prometheus itself uses no label that begins with `__tmp`.
fn is_same_target(a: &LabelSet, b: &LabelSet) -> bool {
    let lasting = |(name, _): &(&str, &str)| !name.starts_with("__tmp");
    a.iter().filter(lasting).eq(b.iter().filter(lasting))
}

/// Adds a shard to those with the same result for a target.
fn gather<T>(
    groups: &mut Vec<(Vec<u32>, T)>,
    shard: u32,
    outcome: T,
    is_same: impl Fn(&T, &T) -> bool,
) {
    match groups
        .iter_mut()
        .find(|(_, known)| is_same(known, &outcome))
    {
        Some((shards, _)) => shards.push(shard),
        None => groups.push((vec![shard], outcome)),
    }
}

/// A rule that drops a target.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DroppingRule {
    /// Its index, from 0.
    pub rule: usize,
    /// The joined values of its source labels, as it saw them.
    pub value: String,
}

/// A rule that was run.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Its index, from 0.
    pub rule: usize,
    /// The rule as in the configuration of the shard.
    pub shown: Value,
    /// The joined values of its source labels, as it saw them.
    pub value: String,
    /// The labels after it; `None` if it drops the target.
    pub after: Option<LabelSet>,
}

/// All steps of a target through the rules of a shard.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// The shard.
    pub shard: u32,
    /// The labels before the first rule.
    pub before: LabelSet,
    /// The steps. The last one may have dropped the target.
    pub steps: Vec<Step>,
}

impl Trace {
    /// The labels after the last rule, if the shard scrapes the target.
    #[must_use]
    pub fn kept(&self) -> Option<&LabelSet> {
        self.steps
            .last()
            .map_or(Some(&self.before), |step| step.after.as_ref())
    }

    /// The step that drops the target, if one does.
    #[must_use]
    pub fn dropped(&self) -> Option<&Step> {
        self.steps.last().filter(|step| step.after.is_none())
    }
}

impl<'j> Tracer<'j> {
    /// Reads the rules of a job.
    ///
    /// # Errors
    /// The error of Prometheus.
    pub fn new(workload: &'j Workload, job: &'j Job) -> Result<Self, RuleError> {
        // Jobs with their own sharding rules end in another way.
        let n_sharing = job.n_sharing(&workload.sharding_rules).unwrap_or(0);
        Self::with(job, shards(workload), workload.name_scheme(), n_sharing)
    }

    /// The same for a job that no workload has. The last `n_sharing` rules share targets among the shards.
    ///
    /// # Errors
    /// The error of Prometheus about its rules.
    pub fn with(
        job: &'j Job,
        shards: &'j [Shard],
        scheme: NameScheme,
        n_sharing: usize,
    ) -> Result<Self, RuleError> {
        let values = job.rules();
        if let Some(shard) = shards.first() {
            rules(&of_shard(values, shard), scheme)?;
        }
        let n_common = values
            .iter()
            .take_while(|value| !has_placeholder(value))
            .count();
        let common = rules(&values[..n_common], scheme)?;
        Ok(Self {
            job,
            shards,
            scheme,
            common,
            n_own: values.len().saturating_sub(n_sharing),
        })
    }

    /// The number of rules.
    #[must_use]
    pub fn n_rules(&self) -> usize {
        self.job.rules().len()
    }

    /// The verdict of every shard on a target. Rules that are the same for all shards run once.
    ///
    /// # Errors
    /// The error of Prometheus about the rules of a shard.
    pub fn verdict(&self, labels: &LabelSet) -> Result<Verdict, RuleError> {
        let mut builder = Builder::new(labels);
        let mut verdict = Verdict::default();
        if let Some(dropped) = run(&self.common, 0, &mut builder)? {
            verdict.is_target = dropped.rule >= self.n_own;
            verdict.dropped.push((
                self.shards.iter().map(|shard| shard.index).collect(),
                dropped,
            ));
            return Ok(verdict);
        }
        for shard in self.shards {
            match self.finish(shard, builder.clone())? {
                Ok(labels) => {
                    verdict.is_target = true;
                    gather(&mut verdict.kept, shard.index, labels, is_same_target);
                }
                Err(dropped) => {
                    verdict.is_target |= dropped.rule >= self.n_own;
                    gather(&mut verdict.dropped, shard.index, dropped, PartialEq::eq);
                }
            }
        }
        Ok(verdict)
    }

    /// Runs the rules that may differ between shards.
    fn finish(
        &self,
        shard: &Shard,
        mut labels: Builder<'_>,
    ) -> Result<Result<LabelSet, DroppingRule>, RuleError> {
        let n_common = self.common.len();
        let values = of_shard(&self.job.rules()[n_common..], shard);
        let rest = rules(&values, self.scheme)?;
        Ok(match run(&rest, n_common, &mut labels)? {
            Some(dropped) => Err(dropped),
            None => Ok(labels.labels()),
        })
    }

    /// Runs the rules of a shard one by one.
    ///
    /// # Errors
    /// The error of Prometheus.
    pub fn trace(&self, labels: &LabelSet, shard: &Shard) -> Result<Trace, RuleError> {
        let values = of_shard(self.job.rules(), shard);
        let read = rules(&values, self.scheme)?;
        let (mut builder, mut steps) = (Builder::new(labels), Vec::with_capacity(read.len()));
        let mut n_bytes = 0;
        for (index, (rule, shown)) in read.iter().zip(values).enumerate() {
            let value = rule
                .value(&builder)
                .ok_or_else(|| RuleError::too_much(index))?
                .into_owned();
            let fate = rule.apply(&mut builder);
            let after = (fate == Fate::Kept).then(|| builder.labels());
            n_bytes += value.len()
                + after
                    .iter()
                    .flat_map(LabelSet::iter)
                    .map(|(n, v)| n.len() + v.len())
                    .sum::<usize>();
            if fate == Fate::TooMuch || n_bytes > MAX_TRACE_BYTES {
                return Err(RuleError::too_much(index));
            }
            steps.push(Step {
                rule: index,
                shown,
                value,
                after,
            });
            if fate == Fate::Dropped {
                break;
            }
        }
        Ok(Trace {
            shard: shard.index,
            before: labels.clone(),
            steps,
        })
    }
}

/// Rules as a shard has them.
pub(crate) fn of_shard(rules: &[Value], shard: &Shard) -> Vec<Value> {
    rules.iter().map(|rule| expand_value(rule, shard)).collect()
}

/// Returns whether a rule is not the same for every shard.
fn has_placeholder(value: &Value) -> bool {
    match value {
        Value::Str(text) | Value::StandIn(text) | Value::Binary(text) => text.contains("$("),
        Value::Seq(items) => items.iter().any(has_placeholder),
        Value::Map(map) => map.iter().any(|(_, value)| has_placeholder(value)),
        _ => false,
    }
}

/// Runs rules that follow others. Returns the one that drops the target.
fn run(
    rules: &[CompiledRule],
    n_before: usize,
    labels: &mut Builder<'_>,
) -> Result<Option<DroppingRule>, RuleError> {
    for (index, rule) in rules.iter().enumerate() {
        match rule.apply(labels) {
            Fate::Kept => {}
            // Rules that drop change nothing, so this is what the rule saw.
            Fate::Dropped => {
                return Ok(Some(DroppingRule {
                    rule: n_before + index,
                    value: joined(rule, labels),
                }));
            }
            Fate::TooMuch => return Err(RuleError::too_much(n_before + index)),
        }
    }
    Ok(None)
}

fn joined(rule: &CompiledRule, labels: &Builder<'_>) -> String {
    let values: Vec<&str> = rule
        .source_labels
        .iter()
        .map(|name| labels.get(name))
        .collect();
    values.join(&rule.separator)
}

/// Returns whether the workload runs on every node, without shards.
#[must_use]
pub fn runs_on_every_node(workload: &Workload) -> bool {
    workload
        .objects
        .iter()
        .any(|object| object.body.kind() == "DaemonSet")
}

/// The shards of a workload. One that runs on every node counts as one shard.
fn shards(workload: &Workload) -> &[Shard] {
    let shards = &workload.plan.shards;
    if runs_on_every_node(workload) {
        shards.get(..1).unwrap_or_default()
    } else {
        shards
    }
}

/// Returns whether the workload scrapes at all.
#[must_use]
pub const fn scrapes(workload: &Workload) -> bool {
    match workload.id.kind {
        WorkloadKind::Prometheus | WorkloadKind::PrometheusAgent => true,
        WorkloadKind::Alertmanager | WorkloadKind::ThanosRuler => false,
    }
}
