//! `promgen prove`.

pub(crate) mod answer;
mod print;

use crate::cli::args::{ProveArgs, ProveFormat};
use crate::cli::ask::population;
use crate::cli::ask::prove::answer::{Prove, WorkloadProof};
use crate::cli::environments::{AnswerForm, EachEnvironment, each};
use crate::cli::io::read_once;
use crate::cli::paint::Paint;
use crate::cli::{Exit, Failure, Io, json, pick, read_project, report};
use promgen_compile::output::Workload;
use promgen_model::Model;
use promgen_targets::discovery::given::GivenTarget;
use promgen_targets::distribution::Distribution;
use promgen_targets::prove::{ClassKind, OfJob, Proof, prove};

/// The result for a workload: the proof, and the distribution of the targets given by the user.
struct ProofResult<'o> {
    workload: &'o Workload,
    proof: Proof,
    tried: Option<Distribution>,
}

impl ProofResult<'_> {
    /// The shards that scrape none of the tried targets.
    fn idle(&self) -> Vec<u32> {
        let Some(tried) = self.tried.as_ref().filter(|tried| tried.n_targets > 0) else {
            return Vec::new();
        };
        tried
            .of_shards
            .iter()
            .filter(|(_, n)| **n == 0)
            .map(|(shard, _)| *shard)
            .collect()
    }

    /// The targets that have no shard, and need none to be a valid setup: those of other zones, and those without a zone.
    fn left_out(&self) -> Vec<&'static str> {
        let classes = self.proof.classes.as_deref().unwrap_or_default();
        let is_left_out = |kind: &ClassKind| {
            classes
                .iter()
                .any(|class| class.kind == *kind && !class.outcome.uncovered.is_empty())
        };
        let named = [
            (ClassKind::OtherZone, "targets of other zones"),
            (ClassKind::NoZone, "targets without a zone"),
        ];
        named
            .into_iter()
            .filter(|(kind, _)| is_left_out(kind))
            .map(|(_, name)| name)
            .collect()
    }

    /// Returns whether all is proved, for all targets.
    fn holds_strictly(&self) -> bool {
        self.holds() && self.left_out().is_empty() && !self.proof.jobs.iter().any(OfJob::is_open)
    }

    /// Returns whether there is no counterexample. A shard without any of the tried targets is not a counterexample.
    fn holds(&self) -> bool {
        let is_fine = |tried: &Distribution| tried.n_uncovered == 0 && tried.n_doubled == 0;
        self.proof.holds() && self.tried.as_ref().is_none_or(is_fine)
    }
}

/// Compiles, prints the proofs, then reports the findings.
pub(crate) fn run(args: &ProveArgs, io: &mut Io<'_>) -> Result<Exit, Failure> {
    read_once("prove", &args.compile.paths, &[&args.population.of.targets])?;
    let mut given = None;
    let project = read_project(&args.compile, io, |options, io| {
        given = population::given(&args.population, &args.compile, io)?;
        Ok(options)
    })?;
    let form = AnswerForm::json_or_text(args.format == ProveFormat::Json, "prove");
    each(
        &project,
        &args.environments,
        &EachEnvironment::of_targets(form),
        io,
        &mut |model, io| of_environment(args, model, given.as_deref(), io),
    )
}

/// Prints the proofs of an environment, then reports the findings.
fn of_environment(
    args: &ProveArgs,
    model: Model,
    given: Option<&[GivenTarget]>,
    io: &mut Io<'_>,
) -> Result<Exit, Failure> {
    let (output, discovery) = model.into_discovery();
    let chosen = population::workloads(&args.population, &output);
    let mut shown = Vec::new();
    for workload in chosen.as_deref().unwrap_or_default() {
        let tried = population::shares(&args.population, workload, given, io);
        shown.push(ProofResult {
            workload,
            proof: prove(workload, &discovery),
            tried,
        });
    }
    let paint = Paint::of(io.terminal);
    let printed = io.print(|out| match args.format {
        ProveFormat::Text => print::text(&shown, &output.sources, paint, out),
        ProveFormat::Json => {
            let proof = |shown| WorkloadProof::of(shown, &output.sources);
            let workloads = shown.iter().map(proof).collect();
            json::write_answer("prove", &Prove { workloads }, out)
        }
    });
    let exit = report::findings(&output, io);
    if shown.is_empty() && chosen.is_ok() {
        report::note(
            &format!("nothing to prove: {}", pick::no_scraper(&output)),
            io,
        );
    }
    printed?;
    match chosen {
        Ok(_)
            if shown.iter().all(|shown| {
                if args.strict {
                    shown.holds_strictly()
                } else {
                    shown.holds()
                }
            }) =>
        {
            Ok(exit)
        }
        Ok(_) => Ok(Exit::Findings),
        Err(reason) => pick::nothing(reason, &output, exit, io),
    }
}
