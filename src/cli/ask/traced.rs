//! The search for targets that `which` and `trace` share.

pub(crate) mod answer;
pub(crate) mod show;

use crate::cli::args::{ScopeArgs, TracedFormat, WhichArgs};
use crate::cli::environments::{self, AnswerForm, EachEnvironment};
use crate::cli::{Exit, Failure, Io, pick, read_project, report};
use promgen_compile::output::{Job, Output, Workload};
use promgen_model::Model;
use promgen_targets::discovery::job::Globals;
use promgen_targets::discovery::{ADDRESS, Discovery};
use promgen_targets::trace::find::{self, Finder, KnownTargets, TargetQuery, is_hidden, near};
use promgen_targets::trace::{self, Tracer, Verdict, runs_on_every_node};
use promgen_text::parallel;

/// The maximum number of similar addresses in a message.
const MAX_NEAR: usize = 3;

/// Compiles, and asks each environment for targets.
pub(crate) fn each(
    args: &WhichArgs,
    command: &'static str,
    io: &mut Io<'_>,
    ask: impl Fn(&WhichArgs, &Model, &[&Workload], &mut Io<'_>) -> Result<Exit, Failure>,
) -> Result<Exit, Failure> {
    let project = read_project(&args.compile, io, |options, _| Ok(options))?;
    let form = AnswerForm::json_or_text(args.format == TracedFormat::Json, command);
    let question = EachEnvironment::of_targets(form);
    let mut ask = |model: Model, io: &mut Io<'_>| match choose(&args.scope, model.output()) {
        Ok(workloads) => ask(args, &model, &workloads, io),
        Err(reason) => {
            let exit = report::in_full(model.output(), io);
            pick::nothing(reason, model.output(), exit, io)
        }
    };
    environments::each(&project, &args.environments, &question, io, &mut ask)
}

/// A search for targets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TargetQuestion<'a> {
    /// The scope.
    pub(crate) scope: &'a ScopeArgs,
    /// The wanted target.
    pub(crate) wanted: &'a TargetQuery,
    /// The objects that targets are discovered from.
    pub(crate) discovery: &'a Discovery,
    /// The maximum number of stored targets per job; the others are only counted.
    pub(crate) limit: usize,
    /// The earlier result.
    pub(crate) known: &'a KnownTargets,
}

/// The result of a search.
#[derive(Debug, Default)]
pub(crate) struct SearchResult<'s> {
    /// The stored targets.
    pub(crate) checked: Vec<FoundTarget<'s>>,
    /// The reasons why something was skipped.
    pub(crate) left_out: Vec<String>,
    /// The number of matching targets.
    n_fitting: usize,
    /// The number of these that are targets of their job.
    n_targets: usize,
}

impl<'s> SearchResult<'s> {
    /// Adds a target of a job. Stores it if it is one of the first, or one of the first that the job accepts.
    fn add(&mut self, checked: FoundTarget<'s>, limit: usize) {
        let is_target = checked.verdict.is_target;
        if self.n_fitting < limit || (is_target && self.n_targets < limit) {
            self.checked.push(checked);
        }
        self.n_fitting += 1;
        self.n_targets += usize::from(is_target);
    }

    /// All stored targets, and the number of all targets.
    pub(crate) fn all(&self) -> (Vec<&FoundTarget<'s>>, usize) {
        (self.checked.iter().collect(), self.n_fitting)
    }

    /// The relevant targets and their number: targets of jobs, or candidates that the jobs drop if there are none.
    pub(crate) fn relevant(&self) -> (Vec<&FoundTarget<'s>>, usize) {
        if self.n_targets == 0 {
            return self.all();
        }
        (
            self.checked
                .iter()
                .filter(|checked| checked.verdict.is_target)
                .collect(),
            self.n_targets,
        )
    }
}

impl TargetQuestion<'_> {
    /// The matching targets, in the order of workloads and jobs, and what was skipped.
    pub(crate) fn ask<'s>(self, subjects: &'s [TracedJob<'s>]) -> SearchResult<'s> {
        let asked = parallel::map(subjects, 1, |subject| self.checked(subject));
        let mut answer = SearchResult::default();
        for of_job in asked {
            answer.checked.extend(of_job.checked);
            answer.left_out.extend(of_job.left_out);
            answer.n_fitting += of_job.n_fitting;
            answer.n_targets += of_job.n_targets;
        }
        answer
    }

    /// Checks the matching targets of a job.
    fn checked<'s>(self, subject: &'s TracedJob<'s>) -> SearchResult<'s> {
        let found = self.finder(subject).targets(subject.job);
        let (id, job) = (&subject.workload.id, &subject.job.name);
        let unfollowed = |what: &str| format!("{id}: skipped: {job}, {what}");
        let left_out = found
            .unfollowed
            .iter()
            .map(|u| unfollowed(&format!("{}: {}", u.section, u.why)))
            .collect();
        let mut answer = SearchResult {
            left_out,
            ..SearchResult::default()
        };
        if found.targets.is_empty() {
            return answer;
        }
        let tracer = match Tracer::new(subject.workload, subject.job) {
            Ok(tracer) => tracer,
            Err(error) => {
                answer
                    .left_out
                    .push(format!("{id}: skipped: {job}: {error}"));
                return answer;
            }
        };
        for target in found.targets {
            match tracer.verdict(&target.labels) {
                Ok(verdict) => answer.add(
                    FoundTarget {
                        subject,
                        target,
                        verdict,
                    },
                    self.limit,
                ),
                // The rules of a shard failed, and would fail for the next target too.
                Err(error) => {
                    answer
                        .left_out
                        .push(format!("{id}: skipped: {job}: {error}"));
                    break;
                }
            }
        }
        answer
    }

    fn finder<'f>(self, subject: &'f TracedJob<'_>) -> Finder<'f>
    where
        Self: 'f,
    {
        let namespace = &subject.workload.id.namespace;
        let Self {
            scope,
            wanted,
            discovery,
            known,
            ..
        } = self;
        Finder {
            discovery,
            namespace,
            globals: subject.globals,
            wanted,
            node: scope.node.as_deref(),
            known,
        }
    }

    /// Why the result is empty.
    pub(crate) fn nothing(self, subjects: &[TracedJob<'_>], output: &Output) -> String {
        if workloads(output).is_empty() {
            return pick::no_scraper(output);
        }
        if subjects.is_empty() {
            return match &self.scope.job {
                Some(job) => no_job(job, output),
                None => {
                    let all = workloads(output).into_iter();
                    let mut paused = all.filter(|of| of.is_paused());
                    let why = paused.find_map(|of| Some(format!(": {} has {}", of.id, of.idle()?)));
                    format!("no scrape jobs found{}", why.unwrap_or_default())
                }
            };
        }
        let known = KnownTargets::default();
        let any = TargetQuestion {
            wanted: &TargetQuery::Any,
            known: &known,
            ..self
        };
        let of_jobs = parallel::map(subjects, 1, |subject| {
            any.finder(subject).targets(subject.job).targets
        });
        let targets: Vec<_> = of_jobs.into_iter().flatten().collect();
        if targets.is_empty() {
            return "no targets discovered; add Services, Pods, EndpointSlices, … to the manifests, or use labels instead \
                of an address"
            .to_owned();
        }
        let mut text = "no discovered target matches".to_owned();
        if let TargetQuery::Address(wanted) = self.wanted {
            let addresses = targets.iter().map(|target| target.labels.get(ADDRESS));
            let similar = near(wanted, addresses, MAX_NEAR);
            if !similar.is_empty() {
                text = format!("{text}; similar ones: {}", similar.join(", "));
            }
        }
        if let TargetQuery::Object { kind, .. } = self.wanted {
            text.push_str(kind.lacking());
        }
        if workloads(output).into_iter().any(runs_on_every_node) {
            text.push_str("; the agent of a node scrapes only pods on that node");
        }
        text
    }
}

/// A job of a workload.
#[derive(Clone, Debug)]
pub(crate) struct TracedJob<'o> {
    pub(crate) workload: &'o Workload,
    pub(crate) globals: Globals,
    pub(crate) job: &'o Job,
}

/// The jobs of workloads, without those whose rules are hidden, and what was skipped.
pub(crate) fn subjects<'o>(
    workloads: &[&'o Workload],
    job: Option<&str>,
) -> (Vec<TracedJob<'o>>, Vec<String>) {
    let (mut subjects, mut left_out) = (Vec::new(), Vec::new());
    for workload in workloads {
        let globals = workload
            .config
            .as_ref()
            .map(Globals::of)
            .unwrap_or_default();
        let jobs = workload.config.iter().flat_map(|config| &config.jobs);
        for found in jobs.filter(|found| job.is_none_or(|name| found.name == name)) {
            if is_hidden(found) {
                let id = &workload.id;
                left_out.push(format!(
                    "{id}: skipped: {}: it is in a Secret; use --reveal-secrets",
                    found.name
                ));
            } else {
                subjects.push(TracedJob {
                    workload,
                    globals,
                    job: found,
                });
            }
        }
    }
    (subjects, left_out)
}

/// The workloads that scrape.
fn workloads(output: &Output) -> Vec<&Workload> {
    output
        .each_workload()
        .filter(|workload| trace::scrapes(workload))
        .collect()
}

/// A target of a job, and its verdict.
#[derive(Debug)]
pub(crate) struct FoundTarget<'s> {
    pub(crate) subject: &'s TracedJob<'s>,
    pub(crate) target: find::RawTarget,
    pub(crate) verdict: Verdict,
}

/// The workloads that scrape, or the one given by the user.
///
/// # Errors
/// The workload does not exist.
fn choose<'o>(scope: &ScopeArgs, output: &'o Output) -> Result<Vec<&'o Workload>, String> {
    let all = workloads(output);
    match &scope.workload {
        Some(id) => pick::find(id, &all, output).map(|workload| vec![workload]),
        None => Ok(all),
    }
}

/// The job does not exist; lists similar ones.
fn no_job(name: &str, output: &Output) -> String {
    let (subjects, _) = subjects(&workloads(output), None);
    let names = subjects.iter().map(|subject| subject.job.name.as_str());
    match near(name, names, MAX_NEAR).as_slice() {
        [] => format!("job {name} not found"),
        similar => format!("job {name} not found; similar ones: {}", similar.join(", ")),
    }
}
