//! `promgen report`: one HTML page about everything, or its data.
//!
//! In: manifests, and a base to compare with. Out: a page that needs neither network nor server, or what it shows as JSON. This
//! module and those below compute texts and numbers; the template `report/report.html.j2`, which users can override, sets the
//! layout. Every list is bounded, and says where the rest is.

mod changes;
mod environment;
mod findings;
mod map;
mod names;
mod releases;
mod routing;
mod tested;
mod workload;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::error::ErrorKind;

use crate::cli::args::{ReportArgs, ReportFormat};
use crate::cli::ask::simulate::all_workloads::{self, WorkloadRange};
use crate::cli::ask::simulate::answer::WorkloadSimulation;
use crate::cli::configured::Configured;
use crate::cli::json::answers;
use crate::cli::map::svg;
use crate::cli::output::OutputTarget;
use crate::cli::spare::{SparedFiles, is_earlier_output};
use crate::cli::times::timed;
use crate::cli::{Exit, Failure, Io, charts, environments, fs, json, read_templates, report};
use changes::{Changed, Marks};
use environment::EnvironmentPart;
use findings::FindingsPart;
use promgen_checks::lint::lint_where;
use promgen_compile::options::Options;
use promgen_compile::output::{Layout, Output};
use promgen_compile::sharding::template;
use promgen_model::Project;
use promgen_text::CollectOrdered;
use promgen_text::diag::count::counted;
use promgen_text::limits::Limit;
use promgen_text::source::{Input, Sources, Span};
use releases::ReleasePart;
use tested::TestsPart;

const TEMPLATE: &str = "report/report.html.j2";

/// The most environments that a page shows.
const MAX_ENVIRONMENTS: usize = 40;

/// The most workloads that a page simulates.
const MAX_SIMULATED: usize = 6;

/// What the template has for the style and the articles of simulations, which no text of the input can be.
const STYLE: &str = "/*simulate*/";
const ARTICLES: &str = "<!--simulate-->";

answers! {
    /// All that a page shows: what `--format json` prints, and the input of the template.
    Page<'a> as "Report" {
        /// Its title.
        title: String,
        /// The version of promgen.
        promgen: &'static str,
        /// What it is compared with; null without --compare.
        base: Option<String>,
        /// The figures at its head.
        facts: Vec<Fact>,
        /// The changes; null without --compare.
        changed: Option<Changed>,
        /// The number of environments, of which some may be left out.
        n_environments: usize,
        /// The environments: builds of the repository that share a cluster.
        environments: Vec<EnvironmentPart>,
        /// The findings, as `promgen lint --format json` has them.
        findings: FindingsPart<'a>,
        /// The releases that the manifests ask for, and what they lack.
        releases: Vec<ReleasePart>,
        /// The effect of other numbers of shards, as `promgen simulate --format json` has it.
        simulations: Vec<WorkloadSimulation>,
        /// The kinds of workloads and of what nobody selects.
        kinds: Vec<&'static str>,
        /// The notes about what is left out of the page.
        notes: Vec<String>,
        /// The results of tests; null without --tests.
        tests: Option<TestsPart>,
    }

    /// A headline figure.
    Fact as "ReportFact" {
        /// The name of what it counts.
        label: &'static str,
        /// The figure.
        value: String,
        /// What else is to be said.
        detail: String,
        /// The part of the page about it.
        to: &'static str,
        /// Whether it needs attention.
        is_bad: bool,
    }

    /// A place in a file.
    PlacePart {
        /// The file; null if it is in none.
        file: Option<String>,
        /// The line, from 1.
        line: Option<usize>,
    }
}

impl PlacePart {
    fn key(&self) -> (Option<&str>, Option<usize>) {
        (self.file.as_deref(), self.line)
    }

    fn of(span: Option<Span>, sources: &Sources) -> Self {
        let (file, line) = json::place(span, sources);
        Self { file, line }
    }
}

answers! {
    /// A note that a list is cut.
    #[derive(Clone)]
    Cut as "LeftOut" {
        /// How much, of how much.
        text: String,
        /// The command that shows all.
        command: String,
    }
}

/// The note that a list is cut, if there are more items than are shown.
fn cut(shown: usize, total: usize, command: impl Into<String>) -> Option<Cut> {
    (total > shown).then(|| Cut {
        text: format!("{shown} of {total} shown"),
        command: command.into(),
    })
}

/// Reads, compiles and writes the page.
pub(crate) fn run(args: &ReportArgs, io: &mut Io<'_>) -> Result<Exit, Failure> {
    let is_stdin = |path: &PathBuf| path.as_path() == Path::new("-");
    if args.compare.is_some() && args.compile.paths.iter().any(is_stdin) {
        let text = "--compare reads its input twice, which standard input does not allow";
        return Err(Failure::usage("report", ErrorKind::ArgumentConflict, text));
    }
    let changed = args
        .compare
        .as_deref()
        .map(|base| changes::compared(args, base, io))
        .transpose()?;
    let tests = args
        .tests
        .as_deref()
        .map(|file| tested::read(file, io))
        .transpose()?
        .map(tested::part);
    let Read {
        manifests,
        options,
        output: linted,
        project,
        chosen,
    } = read(args, io)?;
    let read = manifests
        .files
        .iter()
        .flatten()
        .chain(&args.tests)
        .map(PathBuf::as_path);
    SparedFiles::files(read).check_output(target(args, io), args.force.replaces())?;
    let (changed, marks) = changed.unzip();
    let marks = marks.unwrap_or_default();
    let (page, simulated) = timed("compiling", io, |_| {
        page(args, &project, &chosen, &linted, tests, changed, &marks)
    });
    let text = match args.format {
        ReportFormat::Html => {
            filled(&page, &simulated, &options.templates).map_err(Failure::message)?
        }
        ReportFormat::Json => json::text("report", &page),
    };
    write(args, &text, &page, io)?;
    Ok(Exit::Clean)
}

/// The text that was read.
struct Read {
    manifests: fs::ReadManifests,
    options: Options,
    project: Arc<Project>,
    /// The findings.
    output: Output,
    /// The numbers of the environments that are asked about.
    chosen: Vec<usize>,
}

fn read(args: &ReportArgs, io: &mut Io<'_>) -> Result<Read, Failure> {
    let paths = fs::or_current(&args.compile.paths);
    let given = args.settings.given(args.compile.start());
    let trust = args.settings.trust.as_deref();
    let configured = Configured::read(&given, &args.compile, paths)?;
    // Results of tests are no manifest, even if they are in the same folder.
    let results = args.tests.as_deref().map(fs::absolute);
    let is_ours = is_earlier_output(target(args, io), paths);
    let is_left_out = |path: &Path| {
        configured.excludes(path)
            || results.as_deref() == Some(&*fs::absolute(path))
            || is_ours(path)
    };
    let templates = read_templates(&args.compile).map_err(Failure::Messages)?;
    let manifests = timed("reading", io, |io| {
        fs::read_repository(
            paths,
            is_left_out,
            fs::Folders::Built,
            fs::IgnoredPaths::of(args.compile.no_ignore || trust.is_some()),
            args.compile.limits.limits(),
            io.stdin,
        )
    })
    .map_err(Failure::Messages)?;
    report::read(&manifests.inputs, io);
    let mut options = configured.options(&args.compile, Layout::Operator, templates);
    options.operator_only &= paths.iter().any(|path| fs::is_folder(path));
    let options = charts::rendered(options, &manifests.inputs, &args.compile, io)?;
    let project = Project::read(&manifests.inputs, &options);
    let chosen = environments::numbers(&project, &args.environments)?;
    let is_chosen = |number: usize| chosen.binary_search(&number).is_ok();
    let mut output = timed("checking", io, |_| lint_where(&project, &is_chosen));
    configured.apply(&mut output.diagnostics, &output.sources);
    Ok(Read {
        manifests,
        options,
        project,
        output,
        chosen,
    })
}

/// The page without its simulations, and these.
fn page<'a>(
    args: &ReportArgs,
    project: &Arc<Project>,
    chosen: &[usize],
    linted: &'a Output,
    tests: Option<TestsPart>,
    changed: Option<Changed>,
    marks: &Marks,
) -> (Page<'a>, Vec<WorkloadRange>) {
    let all = project.environments();
    let (mut environments, mut simulated, mut releases, mut spent) =
        (Vec::new(), Vec::new(), releases::Seen::default(), 0);
    let names = names::Names::of(all);
    for number in chosen.iter().take(MAX_ENVIRONMENTS) {
        let (environment, names) = (&all[*number], &names[*number]);
        if spent > project.options().limits.get(Limit::CompiledBytes) {
            break;
        }
        let model = project.compile_with_targets(environment, spent);
        spent = model.spent();
        environments.push(environment::part(&model, names, marks));
        releases.add(&model, names);
        simulated.extend(all_workloads::simulated(
            &model,
            MAX_SIMULATED - simulated.len(),
        ));
    }
    let findings = findings::part(linted, project, marks);
    let mut notes = Vec::new();
    if environments.len() < chosen.len() {
        let n = environments.len();
        notes.push(format!(
            "{n} of {} environments shown: `promgen report --environment NAME` shows one of them",
            chosen.len()
        ));
    }
    let page = Page {
        title: title(&args.compile.paths),
        promgen: env!("CARGO_PKG_VERSION"),
        base: args.compare.clone(),
        facts: facts(&environments, &findings, changed.as_ref(), tests.as_ref()),
        changed,
        n_environments: chosen.len(),
        kinds: kinds(&environments),
        environments,
        findings,
        releases: releases.part(),
        simulations: all_workloads::answers(&simulated),
        notes,
        tests,
    };
    (page, simulated)
}

fn title(paths: &[PathBuf]) -> String {
    let names: Vec<String> = paths
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    match names.as_slice() {
        [] => "Monitoring".to_owned(),
        [only] if only == "." || only == "-" => "Monitoring".to_owned(),
        _ => format!("Monitoring in {}", names.join(", ")),
    }
}

/// The kinds of workloads and of what they do not select, in the order of the page.
fn kinds(environments: &[EnvironmentPart]) -> Vec<&'static str> {
    let mut kinds = Vec::new();
    for kind in environments.iter().flat_map(EnvironmentPart::kinds) {
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    kinds
}

/// The number of things that are in some environment: one in several of them counts once, and what a part does not list, each time.
fn once<'e, T: Ord>(
    environments: &'e [EnvironmentPart],
    of: impl Fn(&'e EnvironmentPart) -> (Vec<T>, usize),
) -> usize {
    let (mut known, mut n_left_out) = (BTreeSet::new(), 0);
    for (listed, n) in environments.iter().map(of) {
        n_left_out += n - listed.len();
        known.extend(listed);
    }
    known.len() + n_left_out
}

fn facts(
    environments: &[EnvironmentPart],
    findings: &FindingsPart<'_>,
    changed: Option<&Changed>,
    tests: Option<&TestsPart>,
) -> Vec<Fact> {
    let sum = |of: fn(&EnvironmentPart) -> usize| environments.iter().map(of).sum::<usize>();
    let fact = |label, value: usize, detail: String, to, is_bad| Fact {
        label,
        value: value.to_string(),
        detail,
        to,
        is_bad,
    };
    let workloads = once(environments, EnvironmentPart::workloads_once);
    let jobs = once(environments, EnvironmentPart::jobs_once);
    let receivers = environments.iter().flat_map(|of| of.alerts.receivers());
    let n_receivers = receivers.collect_set().len();
    let targets = sum(|of| of.n_targets);
    let targets = if targets > 0 {
        counted(targets, "target")
    } else {
        "no targets in the input".to_owned()
    };
    let unselected = once(environments, EnvironmentPart::unselected_once);
    let mut facts = vec![
        fact(
            "Workloads",
            workloads,
            counted(sum(|of| of.n_shards), "shard"),
            "clusters",
            false,
        ),
        fact("Jobs", jobs, targets, "clusters", false),
        fact(
            "Selected by nobody",
            unselected,
            "monitors, rules, …".to_owned(),
            "clusters",
            unselected > 0,
        ),
        fact(
            "Alerts",
            once(environments, EnvironmentPart::alerts_once),
            counted(n_receivers, "receiver"),
            "clusters",
            false,
        ),
        fact(
            "Errors",
            findings.n_errors,
            findings.others(),
            "findings",
            findings.n_errors > 0,
        ),
    ];
    facts.extend(tests.map(|tests| {
        fact(
            "Tests",
            tests.n_tests,
            tests.detail(),
            "tests",
            tests.n_failed > 0,
        )
    }));
    if let Some(changed) = changed {
        let value = changed.n_workloads.to_string();
        let detail = changed.detail();
        facts.insert(
            0,
            Fact {
                label: "Changed workloads",
                value,
                detail,
                to: "changes",
                is_bad: changed.is_loss,
            },
        );
    }
    facts
}

/// The text of the page.
fn filled(
    page: &Page<'_>,
    simulated: &[WorkloadRange],
    templates: &[Input],
) -> Result<String, String> {
    let whole = template::page(TEMPLATE, templates, page)?;
    let simulations = all_workloads::page(simulated, templates)?;
    let between = |from: &str, to: &str| {
        let rest = simulations.split_once(from).map_or("", |(_, rest)| rest);
        rest.split_once(to).map_or("", |(inside, _)| inside)
    };
    let articles = if simulated.is_empty() {
        ""
    } else {
        between("<main>", "</main>")
    };
    // Their headings are below the one of the section.
    let articles = articles.replace("<h2", "<h4").replace("</h2>", "</h4>");
    let articles = articles.replace("<h1", "<h3").replace("</h1>", "</h3>");
    let mut whole = whole
        .replacen(STYLE, between("<style>", "</style>"), 1)
        .replacen(ARTICLES, &articles, 1);
    for (n, map) in page
        .environments
        .iter()
        .enumerate()
        .filter_map(|(n, of)| Some((n, of.map.as_ref()?)))
    {
        let mark = format!("<!--map {n}-->");
        if whole.contains(&mark) {
            whole = whole.replacen(&mark, &svg::drawing(map, templates)?, 1);
        }
    }
    Ok(whole)
}

/// The file of a page that is written from a terminal: nobody reads it there.
const DEFAULT_FILE: &str = "report.html";

/// The destination of the page. `None`: standard output.
fn target<'a>(args: &'a ReportArgs, io: &Io<'_>) -> Option<&'a Path> {
    let is_page = args.format == ReportFormat::Html;
    let default = (io.terminal.clears || args.open) && is_page;
    let output = args
        .output
        .as_deref()
        .or(default.then(|| Path::new(DEFAULT_FILE)));
    output.filter(|path| *path != Path::new("-"))
}

fn write(args: &ReportArgs, text: &str, page: &Page<'_>, io: &mut Io<'_>) -> Result<(), Failure> {
    let path = target(args, io);
    let destination = OutputTarget {
        path,
        reveals_secrets: args.compile.reveal_secrets,
        force: args.force,
    };
    let n_workloads = page.environments.iter().map(|of| of.n_workloads).sum();
    destination.write(n_workloads, "workload", io, |out| {
        out.write_all(text.as_bytes())
    })?;
    let opened = path.filter(|_| args.open).map(fs::open);
    if let Some(Err(why)) = opened {
        report::note(&why, io);
    }
    Ok(())
}
