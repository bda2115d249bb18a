//! `promgen shards`.

mod print;

use std::path::PathBuf;

use crate::cli::args::{Color, ShardsArgs, ShardsFormat};
use crate::cli::status::{cannot_write, read_once};
use crate::cli::{Exit, Failure, Io, fs, load, pick, report};
use crate::compile::compile_and_discover;
use crate::discovery::Discovery;
use crate::discovery::given::{self, Given};
use crate::output::{Layout, Output, Workload, WorkloadKind};
use crate::shares::{self, Shares};

/// Compiles, tells who scrapes what, then reports what was found.
pub(super) fn run(args: &ShardsArgs, color: Color, io: &mut Io<'_>) -> Result<Exit, Failure> {
    read_once("shards", &args.compile.paths, &[&args.targets])?;
    let (inputs, templates) = load("shards", &args.compile, io)?;
    let given = args.targets.as_ref().map(|file| read(file, io)).transpose()?;
    let options = args.compile.options(Layout::Operator, templates);
    let (output, discovery) = compile_and_discover(&inputs, &options);
    drop(inputs);
    let chosen = choose(args, &output);
    let workloads = chosen.as_deref().unwrap_or_default();
    let shares: Vec<_> =
        workloads.iter().map(|workload| (*workload, share(args, workload, &discovery, given.as_deref()))).collect();
    let printed = io.print(|out| match args.format {
        ShardsFormat::Table => print::table(&shares, out),
        ShardsFormat::Json => print::json(&shares, out),
        ShardsFormat::Csv => print::csv(&shares, out),
        ShardsFormat::Mermaid => print::mermaid(&shares, out),
    });
    let exit = report::findings(&output, color, io);
    notes(args, &shares, io);
    printed.map_err(|error| cannot_write(&error))?;
    match chosen {
        Ok(_) => Ok(exit),
        Err(reason) => pick::nothing(reason, &output, exit, io),
    }
}

/// The workloads that scrape, or the one of them that the user names.
fn choose<'o>(args: &ShardsArgs, output: &'o Output) -> Result<Vec<&'o Workload>, String> {
    let scrapes = |workload: &&Workload| match workload.id.kind {
        WorkloadKind::Prometheus | WorkloadKind::PrometheusAgent => true,
        WorkloadKind::Alertmanager | WorkloadKind::ThanosRuler => false,
    };
    let all: Vec<_> = output.workloads.iter().filter(scrapes).collect();
    match &args.workload {
        Some(id) => pick::find(id, &all).map(|workload| vec![workload]),
        None => Ok(all),
    }
}

fn read(file: &PathBuf, io: &mut Io<'_>) -> Result<Vec<Given>, Failure> {
    let inputs = fs::read_manifests(std::slice::from_ref(file), io.stdin).map_err(Failure::Messages)?;
    let mut targets = Vec::new();
    for input in &inputs {
        let failed = |error: String| Failure::message(format!("cannot read targets from `{}`: {error}", input.name));
        let text = std::str::from_utf8(&input.bytes).map_err(|_| failed("it is no UTF-8 text".to_owned()))?;
        targets.extend(given::read(text).map_err(failed)?);
    }
    Ok(targets)
}

fn share(args: &ShardsArgs, workload: &Workload, discovery: &Discovery, given: Option<&[Given]>) -> Shares {
    match (given, args.random) {
        (Some(given), _) => shares::given(workload, given),
        (None, Some(n)) => {
            let zones = if args.zones.is_empty() { &workload.plan.zones } else { &args.zones };
            shares::random(workload, n as usize, zones, args.seed)
        }
        (None, None) => shares::discovered(workload, discovery),
    }
}

/// What the figures do not say.
fn notes(args: &ShardsArgs, shares: &[(&Workload, Shares)], io: &mut Io<'_>) {
    if shares.is_empty() && args.workload.is_none() {
        report::note("no shards: no Prometheus or PrometheusAgent found", io);
    }
    for (workload, shares) in shares {
        let id = &workload.id;
        for what in &shares.unknown {
            report::note(&format!("{id}: not looked at: {what}"), io);
        }
        if shares.n_uncovered > 0 {
            report::note(&format!("{id}: {} of {} targets have no shard", shares.n_uncovered, shares.n_targets), io);
        }
        if shares.n_doubled > 0 {
            let text = format!("{id}: {} of {} targets have several shards", shares.n_doubled, shares.n_targets);
            report::note(&text, io);
        }
        if shares.n_targets == 0 && args.targets.is_none() {
            let text = format!("{id}: the input makes no targets; give Services, Pods, … beside it, or use --random");
            report::note(&text, io);
        }
    }
}
