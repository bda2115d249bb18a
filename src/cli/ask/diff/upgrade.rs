//! `promgen upgrade`: the same input, compiled as two releases of the operator and compared.

mod fold;

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use clap::error::ErrorKind;

use crate::cli::args::{DiffFormat, UpgradeArgs};
use crate::cli::ask::diff::markdown::{self, CommentParts};
use crate::cli::ask::diff::{gate, report_exceeded, text};
use crate::cli::configured::Configured;
use crate::cli::json::answers;
use crate::cli::paint::Paint;
use crate::cli::{Exit, Failure, Io, charts, json, load, report};
use crate::compare::environments;
use promgen_answers::compare::environments::{Compared, ComparedSide, EnvironmentFilter, Select};
use promgen_answers::diff::outline::{DiffOutline, Whole};
use promgen_answers::slices;
use promgen_compile::options::Options;
use promgen_compile::output::{Layout, Output};
use promgen_model::Project;
use promgen_model::environments::{EnvironmentAccount, left_out};
use promgen_resources::gates::{FEATURES, changed_between};
use promgen_resources::release::{self, RELEASES, fields};
use promgen_text::diag::Diagnostic;
use promgen_text::diag::count::counted;
use promgen_text::source::{Input, Sources};
use promgen_text::version::Version;

answers! {
    /// An upgrade, or a step of it.
    UpgradeStep<'a> {
        /// The release before.
        from: String,
        /// The release after.
        to: String,
        /// The version of kube-prometheus-stack that its releases are upgraded to.
        chart?: &'a str,
        /// The differences of the release, whether the input shows them or not.
        releases: Vec<&'static str>,
        #[serde(flatten)]
        whole: Whole<'a>,
    }

    /// All steps.
    Steps<'a> {
        /// The steps, in order.
        steps: Vec<UpgradeStep<'a>>,
    }
}

/// Compiles the input as both releases, or as each in between, and prints what differs.
pub(crate) fn run(args: &UpgradeArgs, io: &mut Io<'_>) -> Result<Exit, Failure> {
    let start = args.compile.start();
    let configured = Configured::read(
        &args.settings.given(start),
        &args.compile,
        &[start.to_owned()],
    )?;
    let excludes = |path: &Path| configured.excludes(path);
    let mut compile = args.compile.clone();
    compile.no_ignore |= args.settings.trust.is_some();
    let (manifests, templates) = load(&compile, &excludes, io)?;
    let inputs = manifests.inputs;
    let options = configured.options(&args.compile, Layout::PerShard, templates);
    let head = Options {
        chart_version: args.to_chart.as_ref().map(|chart| chart.version.clone()),
        ..options.clone()
    };
    let options = charts::rendered(options, &inputs, &args.compile, io)?;
    let head = match args.to_chart {
        Some(_) => charts::rendered(head, &inputs, &args.compile, io)?,
        None => options.clone(),
    };
    let select = |found: &mut Vec<Diagnostic>, sources: &Sources| {
        configured.apply(found, sources);
    };
    let from = from(args, &inputs, &options)?;
    if !is_upgrade(args, &from, io)? {
        return Ok(Exit::Clean);
    }
    if args.to_chart.is_some() && !Project::read_side(&inputs, &options).installs_operator() {
        return Err(usage(
            "the input has no release of kube-prometheus-stack that promgen compiles",
        ));
    }
    let mut compared = Vec::new();
    let mut base = Project::read_side(&inputs, &as_release(&from, options));
    let (mut known, mut account, mut fails) = (
        ComparedSide::default(),
        EnvironmentAccount::new(base.limits()),
        false,
    );
    let steps = steps(&from, args);
    for (old, new) in &steps {
        account.add(base.environments());
        if let Some(excess) = account.excess() {
            let n = compared.len();
            let help = format!(
                "{} of {} not compared",
                counted(steps.len() - n, "step"),
                steps.len()
            );
            let left_out = left_out(&excess, n as u64, steps.len() as u64, help);
            report::in_full(
                &Output {
                    diagnostics: vec![left_out],
                    ..Output::default()
                },
                io,
            );
            fails = true;
            break;
        }
        let later = base.other_side(&inputs, &options_of(new, args, &head));
        let (step, side) = step(args, old, new, &base, known, &later, &select)?;
        compared.push((old.clone(), new.clone(), step));
        (base, known) = (later, side);
    }
    print(&compared, args, io)?;
    for (
        _,
        _,
        Compared {
            changes,
            broken,
            exceeded,
            ..
        },
    ) in &compared
    {
        if !broken.is_empty() {
            return Err(Failure::Messages(broken.clone()));
        }
        fails |= report_exceeded(&changes.exceeded, exceeded, io);
        fails |= gate::fails(&args.fail_on, changes, io);
    }
    Ok(if fails { Exit::Findings } else { Exit::Clean })
}

/// Returns whether there is something to upgrade, from that release to the newest one.
///
/// # Errors
/// The release that is asked for is no later one.
fn is_upgrade(args: &UpgradeArgs, from: &Version, io: &mut Io<'_>) -> Result<bool, Failure> {
    let to = args.to();
    if args.is_open() {
        report::note(
            &format!(
                "to {}, the newest release that promgen knows",
                release::tag(to)
            ),
            io,
        );
        if from >= to && !args.changes_kubernetes() {
            return Ok(false);
        }
    }
    if from > to || from == to && args.to_chart.is_none() && !args.changes_kubernetes() {
        let (from, to) = (release::tag(from), release::tag(to));
        return Err(usage(&format!(
            "{to} is no upgrade: the operator is {from}"
        )));
    }
    Ok(true)
}

/// The release to upgrade from.
fn from(args: &UpgradeArgs, inputs: &[Input], options: &Options) -> Result<Version, Failure> {
    if let Some(from) = args.from().or(options.target.operator.as_ref()) {
        return Ok(from.clone());
    }
    let mut shown = Project::read_side(inputs, options).operator_releases();
    match (shown.pop(), shown.is_empty()) {
        (Some(from), true) => Ok(from),
        (None, _) => Err(usage(
            "the input shows no release of the operator from v0.80.0 on: add `--from VERSION`",
        )),
        (Some(last), false) => {
            let all: Vec<String> = shown.iter().chain([&last]).map(release::tag).collect();
            Err(usage(&format!(
                "the input shows several releases of the operator: {}: add `--from VERSION`",
                all.join(", ")
            )))
        }
    }
}

/// The releases to compare, two by two.
fn steps(from: &Version, args: &UpgradeArgs) -> Vec<(Version, Version)> {
    let mut stops = vec![from.clone()];
    if args.through {
        let between = RELEASES
            .iter()
            .map(|row| &row.version)
            .filter(|version| *version > from && **version < *args.to());
        stops.extend(between.cloned());
    }
    stops.push(args.to().clone());
    stops
        .iter()
        .cloned()
        .zip(stops.iter().skip(1).cloned())
        .collect()
}

/// The options for a release.
fn as_release(version: &Version, mut options: Options) -> Options {
    options.target.operator = Some(version.clone());
    options
}

/// The options for a release to which a step leads: the last one has what is upgraded beside it.
fn options_of(version: &Version, args: &UpgradeArgs, options: &Options) -> Options {
    let options = as_release(version, options.clone());
    if *version == *args.to() {
        args.after(options)
    } else {
        options
    }
}

/// Compares two releases. Returns what was read of the later side, too, from which the next step starts.
fn step(
    args: &UpgradeArgs,
    old: &Version,
    new: &Version,
    base: &Arc<Project>,
    known: ComparedSide,
    head: &Arc<Project>,
    select: Select<'_>,
) -> Result<(Compared, ComparedSide), Failure> {
    let asked = EnvironmentFilter {
        environments: args.environments.environment.clone(),
        ..EnvironmentFilter::default()
    };
    let (mut compared, side) = environments::in_turn(base, known, head, &asked, select)
        .map_err(|message| usage(&message))?;
    compared.notes.splice(0..0, notes(old, new));
    if *new == *args.to() && args.changes_kubernetes() {
        compared.notes.extend(moves(base, head));
    }
    Ok((compared, side))
}

/// The workloads that the new version of Kubernetes asks to move to EndpointSlices.
fn moves(base: &Arc<Project>, head: &Arc<Project>) -> impl Iterator<Item = String> {
    let before = slices::due(base);
    let due = slices::due(head)
        .into_iter()
        .filter(move |workload| !before.contains(workload));
    due.map(|workload| {
        format!(
            "{workload} discovers targets from Endpoints, which Kubernetes deprecates since 1.33: `promgen rule PG133` tells \
             how to move it to EndpointSlices"
        )
    })
}

/// The notes on an upgrade beyond the workloads: custom resources, feature gates.
fn notes(old: &Version, new: &Version) -> Vec<String> {
    let mut notes = Vec::new();
    let n_fields = fields::rows()
        .iter()
        .filter(|row| row.since > *old && row.since <= *new)
        .count();
    let is_minor = (old.major, old.minor) != (new.major, new.minor);
    if is_minor {
        let fields = counted(n_fields, "new field");
        notes.push(format!(
            "apply the CustomResourceDefinitions of {} first: {fields}",
            release::tag(new)
        ));
    }
    for feature in FEATURES {
        let name = feature.name;
        match (
            feature.is_known(old),
            feature.default(old),
            feature.default(new),
        ) {
            (false, _, is_on) if feature.is_known(new) => {
                notes.push(format!(
                    "the feature gate {name} is new: {}",
                    if is_on { "on" } else { "off" }
                ));
            }
            (_, false, true) => notes.push(format!("the feature gate {name} is on by default now")),
            (_, true, false) => {
                notes.push(format!("the feature gate {name} is off by default now"))
            }
            _ => {}
        }
    }
    for version in [old, new] {
        if release::row(version).is_some_and(|row| !row.is_verified) {
            notes.push(format!(
                "the answers of {} are not verified by recordings",
                release::tag(version)
            ));
        }
    }
    notes
}

fn print(
    compared: &[(Version, Version, Compared)],
    args: &UpgradeArgs,
    io: &mut Io<'_>,
) -> Result<(), Failure> {
    let paint = Paint::of(io.terminal);
    io.print(|out| match args.format {
        DiffFormat::Json => {
            let steps = compared.iter().map(|step| shown(step, args)).collect();
            json::write("upgrade", Steps { steps }, out)
        }
        DiffFormat::Text | DiffFormat::Markdown => compared
            .iter()
            .try_for_each(|compared| for_people(&shown(compared, args), args, paint, out)),
    })
}

/// A step as it is printed.
fn shown<'a>(
    (old, new, compared): &'a (Version, Version, Compared),
    args: &'a UpgradeArgs,
) -> UpgradeStep<'a> {
    let Compared {
        changes,
        not_compared,
        notes,
        ..
    } = compared;
    UpgradeStep {
        from: release::tag(old),
        to: release::tag(new),
        chart: args.to_chart.as_ref().map(|chart| chart.version.as_str()),
        releases: changed_between(old, new)
            .map(|gate| gate.summary.trim())
            .collect(),
        whole: Whole {
            changes,
            not_compared,
            notes,
        },
    }
}

fn for_people(
    step: &UpgradeStep<'_>,
    args: &UpgradeArgs,
    paint: Paint,
    out: &mut dyn Write,
) -> io::Result<()> {
    let is_markdown = args.format == DiffFormat::Markdown;
    let (mark, item) = if is_markdown {
        ("# ", "- ")
    } else {
        ("", "  ")
    };
    let chart = step
        .chart
        .map(|chart| format!("kube-prometheus-stack → {chart}, "))
        .unwrap_or_default();
    writeln!(out, "{mark}{chart}operator {} → {}\n", step.from, step.to)?;
    let outline = DiffOutline::new(&step.whole);
    match is_markdown {
        true => markdown::print(&outline, CommentParts::default(), out)?,
        false if args.details => text::print(&outline, paint, out)?,
        false => fold::print(&outline, paint, out)?,
    }
    if args.through && !step.releases.is_empty() {
        writeln!(
            out,
            "\nWhat {} brings, whether this input shows it or not:{}",
            step.to,
            if is_markdown { "\n" } else { "" }
        )?;
        step.releases
            .iter()
            .try_for_each(|row| writeln!(out, "{item}{row}"))?;
    }
    writeln!(out)
}

/// Invalid arguments.
fn usage(text: &str) -> Failure {
    Failure::usage("upgrade", ErrorKind::ValueValidation, text)
}
