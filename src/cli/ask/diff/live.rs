//! `promgen diff --live`: drift.

use std::path::{Path, PathBuf};

use crate::cli::args::DiffArgs;
use crate::cli::ask::diff::markdown::CommentParts;
use crate::cli::ask::diff::{print, report_exceeded, sides};
use crate::cli::{Exit, Failure, Io, fs, pick, read_templates, report};
use promgen_answers::compare::{ClusterComparison, drift};
use promgen_answers::diff::outline::{DiffOutline, Line, OutlinePart, lines, summary};
use promgen_answers::drift::evidence::DriftClass;
use promgen_answers::drift::resources::{OnlyInCluster, ResourceDrift};
use promgen_answers::drift::{ComparedCount, Drift, LeftOver, WorkloadDrift};
use promgen_compile::options::{Assume, Options};
use promgen_compile::output::{Layout, Output};
use promgen_text::diag::count::counted;
use promgen_text::diag::{Diagnostic, Level};
use promgen_text::limits::LIMIT_EXCEEDED;
use promgen_text::source::Sources;

/// Compares the manifests with a dump, and prints why they differ.
pub(super) fn run(args: &DiffArgs, dump: &Path, io: &mut Io<'_>) -> Result<Exit, Failure> {
    let manifests = sides::read_manifests(args, dump, io)?;
    let workspace = fs::Workspace::of(&[PathBuf::from(&args.base)]);
    let dump = fs::read_files(&[dump.to_owned()], &workspace, io.stdin)
        .map_err(Failure::Messages)?
        .inputs;
    let templates = read_templates(&args.compile).map_err(Failure::Messages)?;
    let options = args.compile.options(Layout::Operator, templates);
    let options = Options {
        operator_only: options.assume == Assume::Ready,
        ..options
    };
    let options = sides::rendered(options, &manifests, args, io)?;
    let drifted = drift(&manifests, &options, &dump);
    print(
        &outline(&drifted.drift),
        CommentParts::default(),
        &drifted.drift,
        args.format,
        io,
    )?;
    notes(&drifted, io);
    // A dump that failed must not pass for a cluster without drift.
    if drifted.drift.compared == ComparedCount::default() {
        return Err(Failure::Messages(vec![
            "nothing to compare: no object of the dump belongs to the manifests".to_owned(),
        ]));
    }
    let of_side = |side: &Output| -> Vec<(Diagnostic, Sources)> {
        let found = side
            .diagnostics
            .iter()
            .filter(|found| *found.rule == LIMIT_EXCEEDED);
        found
            .map(|found| (found.clone(), side.sources.clone()))
            .collect()
    };
    let sides: Vec<_> = [&drifted.cluster, &drifted.manifests]
        .into_iter()
        .flat_map(of_side)
        .collect();
    let exceeded = report_exceeded(&drifted.exceeded, &sides, io);
    Ok(if exceeded || args.exit_code && !drifted.drift.is_empty() {
        Exit::Findings
    } else {
        Exit::Clean
    })
}

fn outline(drift: &Drift) -> DiffOutline {
    let mut outline = DiffOutline::default();
    outline.summary.push(whole(drift));
    for class in DriftClass::ALL {
        let of_class = drift
            .objects
            .iter()
            .filter(|drift| drift.evidence.class == class);
        for workload in of_class {
            let WorkloadDrift { changes, .. } = workload;
            let text = format!(
                "{}: {}: {}",
                class.words(),
                changes.workload,
                summary::workload(changes)
            );
            outline.summary.push(text);
            let title = format!("{}: {}", class.words(), changes.workload);
            add(
                &mut outline.parts,
                title,
                evident(&workload.evidence.evidence, lines::of_workload(changes)),
            );
        }
        for resource in drift
            .resources
            .items
            .iter()
            .filter(|resource| resource.evidence.class == class)
        {
            add(
                &mut outline.parts,
                format!("{}: custom resources", class.words()),
                of_resource(resource),
            );
        }
    }
    let n_left_out = drift.resources.n_left_out();
    if n_left_out > 0 {
        let lines = vec![line(0, ' ', format!("… and {n_left_out} more"))];
        add(&mut outline.parts, "custom resources".to_owned(), lines);
    }
    for LeftOver {
        evidence, object, ..
    } in &drift.left_over.items
    {
        let text = format!("{object}: {}", evidence.evidence);
        add(
            &mut outline.parts,
            DriftClass::LeftOver.words().to_owned(),
            vec![line(0, '-', text)],
        );
    }
    for changes in &drift.applying {
        let text = format!(
            "applying the manifests: {}: {}",
            changes.workload,
            summary::workload(changes)
        );
        outline.summary.push(text);
        let title = format!("applying the manifests: {}", changes.workload);
        outline.parts.push(OutlinePart {
            title,
            lines: lines::of_workload(changes),
        });
    }
    outline
}

/// The first line.
fn whole(drift: &Drift) -> String {
    let compared = drift.compared;
    let what = [
        (compared.workloads, "workload"),
        (compared.objects, "object"),
        (compared.resources, "custom resource"),
    ];
    let listed: Vec<String> = what
        .iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, what)| counted(*n, what))
        .collect();
    let compared = match listed.split_last() {
        None => return "nothing to compare".to_owned(),
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
    };
    if drift.is_empty() {
        return format!("no drift: {compared} as expected");
    }
    let classes = DriftClass::ALL
        .into_iter()
        .filter_map(|class| Some((class, drift.classes.get(&class)?)));
    let classes: Vec<String> = classes
        .map(|(class, n)| format!("{n} {}", class.words()))
        .collect();
    let classes = match classes.as_slice() {
        [] => "Secrets or ConfigMaps are not yet applied".to_owned(),
        classes => classes.join(", "),
    };
    format!("drift: {classes}; compared {compared}")
}

/// Adds lines to the part of that title.
fn add(parts: &mut Vec<OutlinePart>, title: String, lines: Vec<Line>) {
    match parts.iter_mut().find(|part| part.title == title) {
        Some(part) => part.lines.extend(lines),
        None => parts.push(OutlinePart { title, lines }),
    }
}

fn line(depth: usize, sign: char, text: impl Into<String>) -> Line {
    Line {
        depth,
        sign,
        text: text.into(),
    }
}

/// Evidence, and the changes below it.
fn evident(evidence: &str, changes: Vec<Line>) -> Vec<Line> {
    let below = changes.into_iter().map(|line| Line {
        depth: line.depth + 1,
        ..line
    });
    std::iter::once(line(0, ' ', evidence))
        .chain(below)
        .collect()
}

fn of_resource(drift: &ResourceDrift) -> Vec<Line> {
    let mut all = vec![line(
        0,
        drift.change.sign(),
        format!("{}: {}", drift.resource, drift.evidence.evidence),
    )];
    all.extend(lines::of_fields(1, &drift.fields));
    all
}

/// Reports the resources that were not compared, or that may be missing.
fn notes(drifted: &ClusterComparison, io: &mut Io<'_>) {
    let ClusterComparison {
        drift,
        cluster,
        manifests,
        ..
    } = drifted;
    let is_of_dump =
        |diagnostic: &Diagnostic| diagnostic.span.is_some_and(|span| drifted.is_of_dump(span));
    for diagnostic in cluster
        .diagnostics
        .iter()
        .filter(|d| d.level == Level::Error && is_of_dump(d))
    {
        let place = diagnostic.span.map(|span| {
            let start = cluster.sources.start(span);
            format!(" ({}:{})", cluster.sources.file(span.file).name, start.line)
        });
        let text = format!(
            "the dump: {}: {}{}",
            diagnostic.rule.code,
            diagnostic.message,
            place.unwrap_or_default()
        );
        report::note(&text, io);
    }
    let n_errors = manifests
        .diagnostics
        .iter()
        .filter(|d| d.level == Level::Error && !is_of_dump(d))
        .count();
    if n_errors > 0 {
        let errors = counted(n_errors, "error");
        report::note(
            &format!(
                "the manifests have {errors}: parts of them may be missing; see `promgen lint`"
            ),
            io,
        );
    }
    skipped(drift, manifests, io);
    for OnlyInCluster { kind, names } in &drift.only_in_cluster {
        let listed = lines::names(names.items.iter().map(String::as_str), names.total);
        report::note(
            &format!("only in the cluster, and taken as they are: {kind} {listed}"),
            io,
        );
    }
}

fn skipped(drift: &Drift, manifests: &Output, io: &mut Io<'_>) {
    let join = |names: &mut dyn Iterator<Item = &str>| names.collect::<Vec<_>>().join(", ");
    let kinds = join(&mut drift.skipped.kinds.iter().copied());
    if !kinds.is_empty() {
        report::note(
            &format!("not compared, because the dump has no object of this kind: {kinds}"),
            io,
        );
    }
    let namespaces = join(&mut drift.skipped.namespaces.iter().map(String::as_str));
    if !namespaces.is_empty() {
        report::note(
            &format!(
                "not compared, because the dump has no object of this namespace: {namespaces}"
            ),
            io,
        );
    }
    let paused = join(&mut drift.skipped.paused.iter().map(String::as_str));
    if !paused.is_empty() {
        report::note(
            &format!("not compared, because the operator leaves paused resources alone: {paused}"),
            io,
        );
    }
    if manifests.workloads.is_empty() {
        report::note(
            &format!("the manifests: {}", pick::no_workload(manifests)),
            io,
        );
    }
}
