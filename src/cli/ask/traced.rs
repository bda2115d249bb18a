//! What `which` and `trace` have in common: where they look, and for what.

pub(in crate::cli) mod show;

use rayon::prelude::*;

use crate::cli::args::ScopeArgs;
use crate::cli::pick;
use promgen_compile::output::Job;
use promgen_compile::output::{Output, Workload};
use promgen_targets::discovery::job::Globals;
use promgen_targets::discovery::{ADDRESS, Discovery};
use promgen_targets::trace::find::{self, Finder, Wanted, is_hidden, near};
use promgen_targets::trace::{self, Tracer, Verdict, runs_on_every_node};

/// How many similar addresses are named.
const MAX_NEAR: usize = 3;

/// A question about targets.
#[derive(Clone, Copy, Debug)]
pub(in crate::cli) struct Question<'a> {
    /// Where to look.
    pub(in crate::cli) scope: &'a ScopeArgs,
    /// What for.
    pub(in crate::cli) wanted: &'a Wanted,
    /// What targets are made of.
    pub(in crate::cli) discovery: &'a Discovery,
    /// How many targets of a job are kept; the others are counted.
    pub(in crate::cli) limit: usize,
}

/// What was found.
#[derive(Debug, Default)]
pub(in crate::cli) struct Answer<'s> {
    /// The targets, as far as they are kept.
    pub(in crate::cli) checked: Vec<Checked<'s>>,
    /// What could not be looked at.
    pub(in crate::cli) left_out: Vec<String>,
    /// How many fit.
    n_fitting: usize,
    /// How many of these are targets of their job.
    n_targets: usize,
}

impl<'s> Answer<'s> {
    /// Adds a target of a job. It is kept if it is one of the first, or of the first that the job takes.
    fn add(&mut self, checked: Checked<'s>, limit: usize) {
        let is_target = checked.verdict.is_target;
        if self.n_fitting < limit || (is_target && self.n_targets < limit) {
            self.checked.push(checked);
        }
        self.n_fitting += 1;
        self.n_targets += usize::from(is_target);
    }

    /// All that is kept, and how many there are.
    pub(in crate::cli) fn all(&self) -> (Vec<&Checked<'s>>, usize) {
        (self.checked.iter().collect(), self.n_fitting)
    }

    /// What to tell of, and how many there are: targets of jobs; if there is none, what jobs might have taken for one.
    pub(in crate::cli) fn told(&self) -> (Vec<&Checked<'s>>, usize) {
        if self.n_targets == 0 {
            return self.all();
        }
        (self.checked.iter().filter(|checked| checked.verdict.is_target).collect(), self.n_targets)
    }
}

impl Question<'_> {
    /// The targets that fit, in the order of workloads and jobs, and what could not be looked at.
    pub(in crate::cli) fn ask<'s>(self, subjects: &'s [Subject<'s>]) -> Answer<'s> {
        let asked: Vec<_> = subjects.par_iter().map(|subject| self.checked(subject)).collect();
        let mut answer = Answer::default();
        for of_job in asked {
            answer.checked.extend(of_job.checked);
            answer.left_out.extend(of_job.left_out);
            answer.n_fitting += of_job.n_fitting;
            answer.n_targets += of_job.n_targets;
        }
        answer
    }

    /// Checks the targets of a job that fit.
    fn checked<'s>(self, subject: &'s Subject<'s>) -> Answer<'s> {
        let found = self.finder(subject).targets(subject.job);
        let (id, job) = (&subject.workload.id, &subject.job.name);
        let unfollowed = |what: &str| format!("{id}: not looked at: {job}, {what}");
        let left_out = found.unfollowed.iter().map(|u| unfollowed(&format!("{}: {}", u.section, u.why))).collect();
        let mut answer = Answer { left_out, ..Answer::default() };
        if found.targets.is_empty() {
            return answer;
        }
        let tracer = match Tracer::new(subject.workload, subject.job) {
            Ok(tracer) => tracer,
            Err(error) => {
                answer.left_out.push(format!("{id}: not looked at: {job}: {error}"));
                return answer;
            }
        };
        for target in found.targets {
            match tracer.verdict(&target.labels) {
                Ok(verdict) => answer.add(Checked { subject, target, verdict }, self.limit),
                // The rules of a shard, or what they do: the next target fares no better.
                Err(error) => {
                    answer.left_out.push(format!("{id}: not looked at: {job}: {error}"));
                    break;
                }
            }
        }
        answer
    }

    fn finder<'f>(self, subject: &'f Subject<'_>) -> Finder<'f>
    where
        Self: 'f,
    {
        let namespace = &subject.workload.id.namespace;
        let Self { scope, wanted, discovery, .. } = self;
        Finder { discovery, namespace, globals: subject.globals, wanted, node: scope.node.as_deref() }
    }

    /// Why there is nothing to tell.
    pub(in crate::cli) fn nothing(self, subjects: &[Subject<'_>], output: &Output) -> String {
        if workloads(output).is_empty() {
            return "no Prometheus or PrometheusAgent found".to_owned();
        }
        if subjects.is_empty() {
            return match &self.scope.job {
                Some(job) => no_job(job, output),
                None => "there are no scrape jobs".to_owned(),
            };
        }
        let any = Question { wanted: &Wanted::Any, ..self };
        let targets: Vec<_> =
            subjects.par_iter().flat_map_iter(|subject| any.finder(subject).targets(subject.job).targets).collect();
        if targets.is_empty() {
            return "no targets are discovered; give Services, Pods, EndpointSlices, … beside the manifests, or labels instead \
                of an address"
            .to_owned();
        }
        let mut text = "no discovered target fits".to_owned();
        if let Wanted::Address(wanted) = self.wanted {
            let addresses = targets.iter().map(|target| target.labels.get(ADDRESS));
            let similar = near(wanted, addresses, MAX_NEAR);
            if !similar.is_empty() {
                text = format!("{text}; similar ones: {}", similar.join(", "));
            }
        }
        if workloads(output).into_iter().any(runs_on_every_node) {
            text.push_str("; the agent of a node scrapes the pods that run there, and no others");
        }
        text
    }
}

/// A job of a workload.
#[derive(Clone, Debug)]
pub(in crate::cli) struct Subject<'o> {
    pub(in crate::cli) workload: &'o Workload,
    pub(in crate::cli) globals: Globals,
    pub(in crate::cli) job: &'o Job,
}

/// The jobs of workloads, less those whose rules are not shown, and what was left out.
pub(in crate::cli) fn subjects<'o>(workloads: &[&'o Workload], job: Option<&str>) -> (Vec<Subject<'o>>, Vec<String>) {
    let (mut subjects, mut left_out) = (Vec::new(), Vec::new());
    for workload in workloads {
        let globals = workload.config.as_ref().map(Globals::of).unwrap_or_default();
        let jobs = workload.config.iter().flat_map(|config| &config.jobs);
        for found in jobs.filter(|found| job.is_none_or(|name| found.name == name)) {
            if is_hidden(found) {
                let id = &workload.id;
                left_out
                    .push(format!("{id}: not looked at: {}: it stands in a Secret; try --reveal-secrets", found.name));
            } else {
                subjects.push(Subject { workload, globals, job: found });
            }
        }
    }
    (subjects, left_out)
}

/// The workloads that scrape.
fn workloads(output: &Output) -> Vec<&Workload> {
    output.workloads.iter().filter(|workload| trace::scrapes(workload)).collect()
}

/// A target of a job, and what becomes of it.
#[derive(Debug)]
pub(in crate::cli) struct Checked<'s> {
    pub(in crate::cli) subject: &'s Subject<'s>,
    pub(in crate::cli) target: find::Target,
    pub(in crate::cli) verdict: Verdict,
}

/// The workloads that scrape, or the one of them that the user names.
///
/// # Errors
/// That there is no such workload.
pub(in crate::cli) fn choose<'o>(scope: &ScopeArgs, output: &'o Output) -> Result<Vec<&'o Workload>, String> {
    let all = workloads(output);
    match &scope.workload {
        Some(id) => pick::find(id, &all).map(|workload| vec![workload]),
        None => Ok(all),
    }
}

/// That there is no such job, and which there are.
fn no_job(name: &str, output: &Output) -> String {
    let (subjects, _) = subjects(&workloads(output), None);
    let names = subjects.iter().map(|subject| subject.job.name.as_str());
    match near(name, names, MAX_NEAR).as_slice() {
        [] => format!("no job {name} found"),
        similar => format!("no job {name} found; similar ones: {}", similar.join(", ")),
    }
}
