//! The workloads with shards, and targets that are not from the input.

use std::path::PathBuf;

use crate::cli::args::{CompileArgs, PopulationArgs};
use crate::cli::{Failure, Io, fs, pick, progress};
use promgen_compile::options::Options;
use promgen_compile::output::{Output, Workload, WorkloadKind};
use promgen_targets::discovery::given::{self, GivenTarget};
use promgen_targets::distribution::{self, Distribution};
use promgen_text::limits::Limit;

/// The workloads that scrape, or the one given by the user.
///
/// # Errors
/// The workload does not exist; lists the existing ones.
pub(crate) fn workloads<'o>(
    args: &PopulationArgs,
    output: &'o Output,
) -> Result<Vec<&'o Workload>, String> {
    let scrapes = |workload: &&Workload| match workload.id.kind {
        WorkloadKind::Prometheus | WorkloadKind::PrometheusAgent => true,
        WorkloadKind::Alertmanager | WorkloadKind::ThanosRuler => false,
    };
    let all: Vec<_> = output.each_workload().filter(scrapes).collect();
    match &args.of.workload {
        Some(id) => pick::find(id, &all, output).map(|workload| vec![workload]),
        None => Ok(all),
    }
}

/// The options for targets that are not those in the input, which thus cannot be too many.
pub(crate) fn without_limit(options: Options) -> Options {
    Options {
        limits: options.limits.with(Limit::TargetSteps, u64::MAX),
        ..options
    }
}

/// The targets of the file given by the user.
pub(crate) fn given(
    args: &PopulationArgs,
    compile: &CompileArgs,
    io: &mut Io<'_>,
) -> Result<Option<Vec<GivenTarget>>, Failure> {
    args.of
        .targets
        .as_ref()
        .map(|file| read(file, compile, io))
        .transpose()
}

/// The targets of a file, or of a folder of such.
pub(crate) fn read(
    file: &PathBuf,
    compile: &CompileArgs,
    io: &mut Io<'_>,
) -> Result<Vec<GivenTarget>, Failure> {
    let workspace = fs::Workspace::of(&compile.paths);
    let read = fs::read_files(std::slice::from_ref(file), &workspace, io.stdin)
        .map_err(Failure::Messages)?;
    let mut targets = Vec::new();
    for input in &read.inputs {
        let failed = |error: String| {
            Failure::message(format!(
                "cannot read targets from `{}`: {error}",
                input.name
            ))
        };
        let text = input
            .bytes
            .as_text()
            .ok_or_else(|| failed("it is not UTF-8".to_owned()))?;
        targets.extend(given::read(text).map_err(failed)?);
    }
    Ok(targets)
}

/// The distribution of the targets of the file, or of generated targets. `None` if neither is given.
pub(crate) fn shares(
    args: &PopulationArgs,
    workload: &Workload,
    given: Option<&[GivenTarget]>,
    io: &mut Io<'_>,
) -> Option<Distribution> {
    match (given, args.of.random) {
        (Some(given), _) => Some(distribution::given(workload, given)),
        (None, Some(n)) => {
            let zones = if args.random_zones.is_empty() {
                &workload.plan.zones
            } else {
                &args.random_zones
            };
            let (what, n) = (workload.id.to_string(), n as usize);
            let count = |progress: &(dyn Fn(usize, usize) + Sync)| {
                distribution::random(workload, n, zones, args.of.seed, progress)
            };
            Some(progress::watch(&what, n, io, count))
        }
        (None, None) => None,
    }
}
