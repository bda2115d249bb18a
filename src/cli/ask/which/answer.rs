//! The answer of `which`.

use crate::cli::ask::traced::FoundTarget;
use crate::cli::ask::traced::answer::{Origin, Scrape};
use crate::cli::json::answers;
use promgen_answers::reachable::UnreachableJobs;
use promgen_compile::output::Output;
use promgen_compile::workload::origins::LazyRuleOrigins;
use promgen_prometheus::relabel::LabelSet;
use promgen_targets::discovery::ADDRESS;
use promgen_targets::trace::DroppingRule;
use promgen_text::yaml::Value;

answers! {
    /// The shards of targets.
    Which {
        /// By target, job and workload.
        targets: Vec<CheckedTarget>,
    }

    /// The shards of a target.
    CheckedTarget {
        /// KIND/NAMESPACE/NAME.
        workload: String,
        /// The job.
        job: String,
        /// Its address before relabeling.
        address: String,
        /// The object that it was discovered from.
        source?: String,
        /// Its node, for an agent that runs on every node.
        node?: String,
        /// Whether it is a target of the job, whichever shard has it.
        is_target: bool,
        /// The shards that keep it, by the labels that it has then.
        scraped: Vec<KeptTarget>,
        /// The shards that drop it, by the rule that does.
        dropped: Vec<DroppedTarget>,
        /// Why its job gets no targets: a permission that is missing, or a policy.
        unreached?: String,
    }

    /// A target that shards keep.
    KeptTarget {
        /// The shards.
        shards: Vec<u32>,
        /// What is scraped.
        #[serde(flatten)]
        scrape: Scrape,
    }

    /// A target that shards drop.
    DroppedTarget {
        /// The shards.
        shards: Vec<u32>,
        /// The number of the rule in the job, from 1.
        rule: usize,
        /// The rule, as Prometheus has it.
        config: Value as "serde_json::Value",
        /// What it compares its regular expression with.
        value: String,
        /// The origin.
        origin: Origin,
    }
}

/// What an answer says beside its verdicts.
#[derive(Clone, Copy)]
pub(super) struct AnswerSources<'a> {
    pub(super) output: &'a Output,
    pub(super) unreachable: &'a UnreachableJobs,
    pub(super) origins: &'a LazyRuleOrigins<'a>,
}

impl CheckedTarget {
    /// The answer about a target.
    pub(super) fn of(found: &FoundTarget<'_>, sources: AnswerSources<'_>) -> Self {
        let FoundTarget {
            subject,
            target,
            verdict,
        } = found;
        let job = subject.job;
        let kept = |(shards, labels): &(Vec<u32>, LabelSet)| KeptTarget {
            shards: shards.clone(),
            scrape: Scrape::of(labels, subject),
        };
        let origins = sources.origins.of(&subject.workload.id);
        let dropped = |(shards, dropped): &(Vec<u32>, DroppingRule)| {
            let origin = origins.of(job).get(dropped.rule);
            DroppedTarget {
                shards: shards.clone(),
                rule: dropped.rule + 1,
                config: job
                    .rules()
                    .get(dropped.rule)
                    .cloned()
                    .unwrap_or(Value::Null),
                value: dropped.value.clone(),
                origin: Origin::of(origin, job, &sources.output.sources),
            }
        };
        Self {
            workload: subject.workload.id.to_string(),
            job: job.name.clone(),
            address: target.labels.get(ADDRESS).to_owned(),
            source: Some(target.source.clone()).filter(|source| !source.is_empty()),
            node: target.node.clone(),
            is_target: verdict.is_target,
            scraped: verdict.kept.iter().map(kept).collect(),
            dropped: verdict.dropped.iter().map(dropped).collect(),
            unreached: why_unreached(found, sources.unreachable).map(str::to_owned),
        }
    }
}

/// Why the job that would scrape a target does not reach it.
pub(super) fn why_unreached<'u>(
    found: &FoundTarget<'_>,
    unreachable: &'u UnreachableJobs,
) -> Option<&'u str> {
    let is_scraped = found.verdict.n_keepers() > 0;
    unreachable
        .why(&found.subject.workload.id, &found.subject.job.name)
        .filter(|_| is_scraped)
}
