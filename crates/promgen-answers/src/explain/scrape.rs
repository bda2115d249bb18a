//! The jobs of a resource, and the shards that scrape their targets.

use promgen_model::scraping::needs::JobOrigin;
use std::sync::Arc;

use crate::explain::access;
use crate::explain::targets::nothing;
use crate::explain::workload::plan_text;
use crate::explain::{Explain, ExplanationStep, StepState};
use promgen_compile::cluster::Candidate;
use promgen_compile::output::job::KubernetesDiscovery;
use promgen_compile::output::{Job, RuleOrigins, Workload};
use promgen_prometheus::labels::Selector;
use promgen_prometheus::relabel::{CompiledRule, LabelSet, RuleError, relabel, rules};
use promgen_resources::api::Kind;
use promgen_targets::assign::{Assigner, Assignment};
use promgen_targets::discovery::job::{Globals, scrape_labels};
use promgen_targets::discovery::{ADDRESS, label_set};
use promgen_targets::resolve::{Confinement, Seeker};
use promgen_text::yaml::Value;

/// The maximum number of targets that a job lists.
const MAX_TARGETS: usize = 10;

/// The kinds of objects that a job discovers, as a list.
fn discovered_kinds(job: &Job) -> &'static str {
    let mut discoveries = job.kubernetes();
    let only = discoveries.next().filter(|_| discoveries.next().is_none());
    match only.and_then(KubernetesDiscovery::role) {
        Some("ingress") => "Ingress",
        Some("node") => "Nodes",
        Some("service") => "Services",
        Some("pod") => "running Pods",
        _ => "EndpointSlices, Endpoints or running Pods",
    }
}

/// A workload that scrapes.
#[derive(Clone, Copy)]
pub(super) struct ScrapingWorkload<'a> {
    pub(super) cx: Explain<'a>,
    pub(super) compiled: &'a Workload,
    /// The namespaces that its monitors may select from.
    pub(super) confinement: Confinement,
}

/// The fate of the targets of a job.
pub(super) struct AssignedTargets {
    /// The steps about targets whose fate is not known.
    pub(super) steps: Vec<ExplanationStep>,
    /// The addresses of those that it keeps, with their shards.
    pub(super) kept: Vec<(String, Vec<u32>)>,
    /// The number of those that its rules drop.
    pub(super) n_dropped: usize,
    /// Those that the user's own rules drop, as many as were looked at: how many, and by which rule of the job.
    pub(super) own_drops: Vec<(usize, usize)>,
    /// The addresses that are none, so that Prometheus does not scrape them.
    pub(super) refused: Vec<String>,
}

impl<'a> ScrapingWorkload<'a> {
    /// The jobs of a resource, in order.
    pub(super) fn jobs(self, candidate: &Candidate<'_>) -> Vec<&'a Job> {
        let key = candidate.key();
        let is_its = |job: &&Job| {
            JobOrigin::of(job).is_some_and(|of| (of.kind, of.key) == (candidate.kind, key.as_str()))
        };
        self.compiled.jobs().iter().filter(is_its).collect()
    }

    /// The step for a missing configuration.
    pub(super) fn no_jobs(self) -> ExplanationStep {
        match &self.compiled.error {
            Some(error) => {
                ExplanationStep::breaks(format!("the configuration is missing: {error}"))
            }
            None => {
                let text = "the configuration has no job for it";
                ExplanationStep::breaks(match self.compiled.idle() {
                    Some(idle) => format!("{text}: {idle}"),
                    None => text.to_owned(),
                })
            }
        }
    }

    /// The job of a Probe or a ScrapeConfig.
    pub(super) fn plain(self, candidate: &Candidate<'_>) -> Vec<ExplanationStep> {
        let jobs = self.jobs(candidate);
        if jobs.is_empty() {
            return vec![self.no_jobs()];
        }
        let mut steps: Vec<ExplanationStep> = self.of_ingresses(candidate).into_iter().collect();
        if steps.iter().any(|step| step.state == StepState::Breaks) {
            steps.extend(
                jobs.iter()
                    .map(|job| ExplanationStep::open(format!("job {}", job.name)).at(job.origin)),
            );
            return steps;
        }
        steps.extend(jobs.iter().map(|job| self.job(job).at(job.origin)));
        steps
    }

    /// Why a Probe selects no Ingress. `None` if it selects one, or probes a static list.
    fn of_ingresses(self, candidate: &Candidate<'_>) -> Option<ExplanationStep> {
        let (cx, key) = (self.cx, candidate.key());
        let reach = cx.model.reach;
        let probe = cx.model.cluster().probes.get(key.as_str());
        let probe = probe.filter(|_| candidate.kind == Kind::Probe)?;
        let seeker = Seeker::of_ingresses(probe, reach.others)?;
        let scope = seeker.scope_under(self.confinement);
        let selector = Selector::new(seeker.selector).ok()?;
        let found = reach.ingresses.find(&scope, &selector);
        (found.items.is_empty()).then(|| {
            nothing(
                cx,
                probe.doc,
                &seeker,
                &scope,
                Kind::Probe,
                &reach.ingresses,
            )
        })
    }

    /// A job: whether its targets can be discovered and reached, and who scrapes them.
    pub(super) fn job(self, job: &Job) -> ExplanationStep {
        let step = ExplanationStep::all(format!("job {}", job.name), self.shared(job));
        access::of_job(self, job, step)
    }

    /// The known targets of a job, by the shards that scrape them.
    pub(super) fn shared(self, job: &Job) -> Vec<ExplanationStep> {
        let AssignedTargets {
            mut steps,
            kept,
            n_dropped,
            own_drops,
            refused,
        } = match self.assigned(job) {
            Ok(Some(assigned)) => assigned,
            Ok(None) => return Vec::new(),
            Err(step) => return vec![step],
        };
        for address in refused.iter().take(MAX_TARGETS) {
            let text = format!("{address} is no address: Prometheus does not scrape it");
            steps.push(if kept.is_empty() {
                ExplanationStep::breaks(text)
            } else {
                ExplanationStep::open(text)
            });
        }
        if kept.is_empty() && !own_drops.is_empty() {
            steps.extend(own_drops.iter().map(|(n, rule)| {
                let targets = if *n == 1 {
                    "1 target".to_owned()
                } else {
                    format!("{n} targets")
                };
                self.own_drop(job, &targets, *rule)
            }));
            return steps;
        }
        steps.extend(self.of_targets(&kept, n_dropped));
        if steps.is_empty()
            && let Some(rule) = self.drops_all(job)
        {
            return vec![self.own_drop(job, "every target in the input", rule)];
        }
        if steps.is_empty() {
            let sources = discovered_kinds(job);
            let why = format!("its targets are unknown: the input has no {sources} for it");
            steps.push(ExplanationStep::open(why));
        }
        if kept.is_empty() {
            steps.push(ExplanationStep::open(plan_text(&self.compiled.plan)));
        }
        steps
    }

    /// The rule of the user that drops whatever the pods and Services in the input can be as targets.
    fn drops_all(self, job: &Job) -> Option<usize> {
        let lineage = self.cx.model.lineage();
        let server = lineage
            .servers
            .iter()
            .find(|server| server.id == self.compiled.id)?;
        let rule = server
            .server
            .jobs
            .iter()
            .find(|scraped| scraped.name == job.name)?
            .dropped_by?;
        self.is_own(job, rule).then_some(rule)
    }

    /// The rule of the user that drops a target, if it is one.
    fn dropping(self, job: &Job, rules: &[CompiledRule], labels: &LabelSet) -> Option<usize> {
        let rule = (0..rules.len()).find(|last| relabel(labels, &rules[..=*last]).is_err())?;
        self.is_own(job, rule).then_some(rule)
    }

    /// Returns whether the user wrote a rule.
    fn is_own(self, job: &Job, rule: usize) -> bool {
        self.origins()
            .of(job)
            .get(rule)
            .is_some_and(|origin| origin.field.contains("elabelings["))
    }

    fn origins(self) -> Arc<RuleOrigins> {
        self.cx.model.rule_origins.of(&self.compiled.id)
    }

    /// The step about targets that a rule of the user drops.
    fn own_drop(self, job: &Job, targets: &str, rule: usize) -> ExplanationStep {
        let written = job.rules().get(rule);
        let of = |key: &str| written.and_then(|rule| rule.get(key));
        let sources: Vec<&str> = of("source_labels")
            .and_then(Value::as_seq)
            .unwrap_or_default()
            .iter()
            .filter_map(Value::as_str)
            .collect();
        let (action, regex) = (
            of("action").and_then(Value::as_str),
            of("regex").and_then(Value::as_str),
        );
        let (action, regex) = (action.unwrap_or("keep"), regex.unwrap_or("(.*)"));
        let text = format!(
            "its own rule drops {targets}: `{action}` of [{}] with `{regex}`",
            sources.join(", ")
        );
        ExplanationStep::breaks(text).at(self
            .origins()
            .of(job)
            .get(rule)
            .and_then(|origin| origin.span))
    }

    /// The known targets of a job. `None` without a configuration; an error if its rules cannot be followed.
    pub(super) fn assigned(self, job: &Job) -> Result<Option<AssignedTargets>, ExplanationStep> {
        let Some(config) = &self.compiled.config else {
            return Ok(None);
        };
        let found = self
            .cx
            .model
            .discovery()
            .job(job, &self.compiled.id.namespace);
        let steps = found
            .unfollowed
            .iter()
            .map(|u| ExplanationStep::open(format!("targets of `{}`: {}", u.section, u.why)))
            .collect();
        let n_sharding = job.n_sharing(&self.compiled.sharding_rules).unwrap_or(0);
        let assigner = match Assigner::new(
            job.rules(),
            &self.compiled.plan.shards,
            self.compiled.name_scheme(),
        ) {
            Ok(assigner) => assigner.with_sharding_rules(n_sharding),
            Err(error) => {
                return Err(ExplanationStep::breaks(format!(
                    "its relabel rules are invalid: {error}"
                )));
            }
        };
        let globals = Globals::of(config);
        let (mut kept, mut n_dropped) = (Vec::new(), 0);
        let mut own_drops: Vec<(usize, usize)> = Vec::new();
        let rules = match rules(job.rules(), self.compiled.name_scheme()) {
            Ok(rules) => rules,
            Err(error) => {
                return Err(ExplanationStep::breaks(format!(
                    "its relabel rules are invalid: {error}"
                )));
            }
        };
        for mut labels in found
            .groups
            .iter()
            .flat_map(|group| group.merged().collect::<Vec<_>>())
        {
            scrape_labels(job, globals, &mut labels);
            let address = labels
                .get(ADDRESS)
                .map(ToString::to_string)
                .unwrap_or_default();
            match assigner.assign(&label_set(&labels)) {
                Assignment::Dropped => {
                    n_dropped += 1;
                    let own = (n_dropped <= MAX_FOLLOWED)
                        .then(|| self.dropping(job, &rules, &label_set(&labels)))
                        .flatten();
                    if let Some(rule) = own {
                        match own_drops.iter_mut().find(|(_, known)| *known == rule) {
                            Some((n, _)) => *n += 1,
                            None => own_drops.push((1, rule)),
                        }
                    }
                }
                Assignment::Kept(shards) => kept.push((address, shards)),
                Assignment::TooMuch(rule) => {
                    return Err(ExplanationStep::open(RuleError::too_much(rule).to_string()));
                }
            }
        }
        Ok(Some(AssignedTargets {
            steps,
            kept,
            n_dropped,
            own_drops,
            refused: found.refused,
        }))
    }

    fn of_targets(self, kept: &[(String, Vec<u32>)], n_dropped: usize) -> Vec<ExplanationStep> {
        if kept.is_empty() && n_dropped == 0 {
            return Vec::new();
        }
        let mut steps = Vec::new();
        for (address, shards) in kept.iter().take(MAX_TARGETS) {
            let numbers: Vec<_> = shards.iter().map(u32::to_string).collect();
            steps.push(match shards.as_slice() {
                [] => ExplanationStep::breaks(format!("{address}: scraped by no shard")),
                [one] => ExplanationStep::holds(format!("{address}: shard {one}")),
                _ => ExplanationStep::holds(format!("{address}: shards {}", numbers.join(", "))),
            });
        }
        if kept.len() > MAX_TARGETS {
            steps.push(ExplanationStep::open(format!(
                "and {} more",
                kept.len() - MAX_TARGETS
            )));
        }
        let n_uncovered = kept.iter().filter(|(_, shards)| shards.is_empty()).count();
        let dropped = match n_dropped {
            0 => String::new(),
            n => format!("; its rules drop {n} unrelated targets"),
        };
        let text = match kept.len() {
            1 => format!("1 target{dropped}"),
            n => format!("{n} targets{dropped}"),
        };
        let state = match (kept.len(), n_uncovered) {
            (0, _) => StepState::Open,
            (n, n_uncovered) if n == n_uncovered => StepState::Breaks,
            (_, _) => StepState::Holds,
        };
        let mut step = ExplanationStep {
            steps,
            ..ExplanationStep::new(state, text)
        };
        if n_uncovered > 0 && !self.compiled.plan.zones.is_empty() {
            let zones = self.compiled.plan.zones.join(", ");
            step = step.help(format!(
                "shards scrape by zone: each target requires a zone, one of {zones}, for example in `__tmp_topology`"
            ));
        }
        vec![step]
    }
}

/// The most dropped targets of a job whose rules are followed one by one.
const MAX_FOLLOWED: usize = 50;
