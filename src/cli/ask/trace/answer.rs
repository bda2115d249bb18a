//! The answer of `which --trace`.

use crate::cli::ask::trace::Traced;
use crate::cli::ask::traced::answer::{Origin, Scrape, labels};
use crate::cli::json::{Labels, answers};
use promgen_compile::workload::origins::LazyRuleOrigins;
use promgen_targets::discovery::ADDRESS;
use promgen_text::source::Sources;
use promgen_text::yaml::Value;

answers! {
    /// Traces of targets.
    Trace {
        /// By target, job and workload.
        targets: Vec<TracedTarget>,
    }

    /// The trace of a target.
    TracedTarget {
        /// KIND/NAMESPACE/NAME.
        workload: String,
        /// The job.
        job: String,
        /// The shard whose rules ran.
        shard: u32,
        /// Its address before relabeling.
        address: String,
        /// The object that it was discovered from.
        source?: String,
        /// Its node, for an agent that runs on every node.
        node?: String,
        /// The rules, in order, up to the one that drops it.
        steps: Vec<TraceStep>,
        /// Whether the shard keeps it.
        kept: bool,
        /// What is scraped, if it is kept.
        #[serde(flatten)]
        scrape: Scrape,
        /// The number of the rule that drops it, from 1.
        dropped_by?: usize,
    }

    /// The effect of a rule.
    TraceStep {
        /// The number of the rule in the job, from 1.
        rule: usize,
        /// The rule, as Prometheus has it.
        config: Value as "serde_json::Value",
        /// The origin.
        origin: Origin,
        /// What it compares its regular expression with.
        value: String as "serde_json::Value",
        /// The labels before.
        before: Labels,
        /// The labels afterwards; null if the rule drops the target.
        after: Option<Labels>,
    }
}

impl TracedTarget {
    /// The answer about a target.
    pub(super) fn of(
        Traced { checked, trace }: &Traced<'_, '_>,
        sources: &Sources,
        origins: &LazyRuleOrigins<'_>,
    ) -> Self {
        let (subject, target) = (checked.subject, &checked.target);
        let origins = origins.of(&subject.workload.id);
        let (mut before, mut steps) = (&trace.before, Vec::with_capacity(trace.steps.len()));
        for step in &trace.steps {
            let origin = origins.of(subject.job).get(step.rule);
            steps.push(TraceStep {
                rule: step.rule + 1,
                config: step.shown.clone(),
                origin: Origin::of(origin, subject.job, sources),
                value: step.value.clone(),
                before: labels(before),
                after: step.after.as_ref().map(labels),
            });
            before = step.after.as_ref().unwrap_or(before);
        }
        let scrape = trace.kept().map(|kept| Scrape::of(kept, subject));
        Self {
            workload: subject.workload.id.to_string(),
            job: subject.job.name.clone(),
            shard: trace.shard,
            address: target.labels.get(ADDRESS).to_owned(),
            source: Some(target.source.clone()).filter(|source| !source.is_empty()),
            node: target.node.clone(),
            steps,
            kept: trace.kept().is_some(),
            scrape: scrape.unwrap_or_default(),
            dropped_by: trace.dropped().map(|step| step.rule + 1),
        }
    }
}
