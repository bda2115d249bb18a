//! `promgen lint`.

pub(crate) mod merge;
mod rerun;
mod settings;

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::error::ErrorKind;

use crate::cli::args::{FailOnArg, ForceArgs, LintArgs, LintFormat, SortArg};
use crate::cli::check::lint::rerun::LintRerun;
use crate::cli::check::lint::settings::Settings;
use crate::cli::configured::{cannot_trust, misnamed};
use crate::cli::fs::Boundary;
use crate::cli::output::{OutputTarget, cannot_write};
use crate::cli::paint::Paint;
use crate::cli::spare::{SparedFiles, is_earlier_output};
use crate::cli::times::timed;
use crate::cli::{
    Exit, Failure, Io, Verbosity, charts, environments, fs, read_templates, report, watch,
};
use promgen_checks::baseline::Baseline;
use promgen_checks::config::FILE_NAME;
use promgen_checks::fix::{self, Fixes};
use promgen_checks::lint::{LintPart, lint_joined, lint_where};
use promgen_compile::options::{Assume, Options};
use promgen_compile::output::Output;
use promgen_model::Project;
use promgen_text::diag::format::text::Style;
use promgen_text::diag::format::{github, gitlab, json, junit, markdown, sarif};
use promgen_text::diag::{Diagnostic, Level};
use promgen_text::source::Input;

/// The maximum number of rounds of fixing and checking.
const MAX_ROUNDS: usize = 10;

/// Runs all checks, prints the findings, then a summary.
pub(crate) fn run(args: &LintArgs, io: &mut Io<'_>) -> Result<Exit, Failure> {
    check(args)?;
    checked(args, None, io)
}

/// The same, with findings of other machines, if there are some.
fn checked(args: &LintArgs, parts: Option<&[PathBuf]>, io: &mut Io<'_>) -> Result<Exit, Failure> {
    if args.rerun.watch {
        return watch::run(&mut LintRerun::new(args), args.rerun, io);
    }
    let settings = Settings::new(args)?;
    let baseline = known(args, &settings)?;
    let ours = parts.unwrap_or_default();
    let (manifests, options) = load(args, ours, &settings, &fs::ReadManifests::default(), io)?;
    let spared = SparedFiles::files(manifests.files.iter().flatten().map(PathBuf::as_path));
    spared.check_output(args.report.as_deref(), args.force.replaces())?;
    spared.check(args.write_baseline.as_deref())?;
    let options = charts::of(
        options,
        &manifests.inputs,
        &asked(args, &settings.paths),
        io,
    )?;
    let known = baseline.as_ref();
    if args.shard.is_some() {
        return timed("compiling and checking", io, |io| {
            merge::write_part(args, &manifests.inputs, &options, io)
        });
    }
    let (project, found) = timed("compiling and checking", io, |_| {
        let project = Project::read(&manifests.inputs, &options);
        let part = parts
            .map(|parts| merge::read_parts(parts, args, &project, &manifests.inputs))
            .transpose()?;
        SelectedFindings::of(&project, args, &settings, known, part).map(|found| (project, found))
    })?;
    if let Some(path) = &args.write_baseline {
        let boundary = fs::Workspace::of(&settings.paths).typed(path);
        return write_baseline(
            path,
            boundary,
            &found,
            baseline.is_some(),
            options.reveal_secrets,
            args.force,
            io,
        );
    }
    if args.fix && !args.diff {
        manifests.sweep();
    }
    if args.fix || args.diff {
        return timed("fixing", io, |io| {
            fixed(args, &manifests, found, &options, &settings, known, io)
        });
    }
    environments::unused_metrics(&[&project], io);
    let exit = finish(args, &found, known, &settings, io);
    // The process ends: the system takes back the memory at once, while each object would be freed on its own.
    mem::forget((found, project));
    exit
}

/// Prints the findings and what there is to say about them.
fn finish(
    args: &LintArgs,
    found: &SelectedFindings,
    baseline: Option<&Baseline>,
    settings: &Settings,
    io: &mut Io<'_>,
) -> Result<Exit, Failure> {
    timed("printing", io, |io| print(args, found, io))?;
    let exit = found.conclude(baseline, settings, io)?;
    found.fixable(io);
    if let Some(path) = misnamed(&settings::given(args)) {
        let path = fs::relative(&path);
        report::note(
            &format!(
                "`{}` is not read: settings stand in `{FILE_NAME}`",
                path.display()
            ),
            io,
        );
    }
    Ok(exit)
}

fn asked<'a>(args: &'a LintArgs, paths: &'a [PathBuf]) -> charts::ChartRequest<'a> {
    let kube_version = args.compile.kube_version();
    charts::ChartRequest {
        helm: &args.compile.helm,
        paths,
        kube_version,
        revision: None,
    }
}

fn check(args: &LintArgs) -> Result<(), Failure> {
    args.rerun.check("lint", &args.compile.paths)?;
    let usage = |text| Err(Failure::usage("lint", ErrorKind::ArgumentConflict, text));
    let reads_stdin = args.compile.paths.iter().any(|path| path == Path::new("-"));
    if args.unsafe_fixes && !args.fix && !args.diff {
        return usage("--unsafe-fixes requires --fix or --diff");
    }
    if args.fix
        && !args.diff
        && reads_stdin
        && args.format != LintFormat::Text
        && args.report.is_none()
    {
        return usage(
            "with `-`, --fix prints the fixed text to standard output, so findings cannot be printed there",
        );
    }
    Ok(())
}

fn load(
    args: &LintArgs,
    parts: &[PathBuf],
    settings: &Settings,
    earlier: &fs::ReadManifests,
    io: &mut Io<'_>,
) -> Result<(fs::ReadManifests, Options), Failure> {
    let templates = read_templates(&args.compile);
    // A baseline or a report is not a manifest, even if it is in the same folder.
    let baseline = settings.baseline.iter().map(|(path, _)| path).chain(
        args.write_baseline
            .as_ref()
            .filter(|path| is_baseline(path)),
    );
    let ours: Vec<PathBuf> = baseline
        .chain(parts)
        .map(|path| fs::absolute(path))
        .collect();
    let is_ours = |path: &Path| ours.iter().any(|ours| *ours == settings.absolute(path));
    let is_report = is_earlier_output(args.report.as_deref(), &settings.paths);
    let is_left_out = |path: &Path| settings.excludes(path) || is_ours(path) || is_report(path);
    let no_ignore = args.compile.no_ignore || args.settings.trust.is_some();
    let manifests = timed("reading", io, |io| {
        fs::read_again(
            earlier,
            &settings.paths,
            is_left_out,
            fs::Folders::Searched,
            fs::IgnoredPaths::of(no_ignore),
            args.compile.limits.limits(),
            io.stdin,
        )
    });
    match (manifests, templates) {
        (Ok(manifests), Ok(templates)) => {
            report::read(&manifests.inputs, io);
            let options = args.compile.options_over(Options {
                templates,
                ..settings.options()
            });
            // A file that the user names is checked as a whole, and so is an input that is all there is.
            let operator_only =
                settings.reads_folder && !args.all && options.assume == Assume::Ready;
            let options = args.live.over(options, &args.compile.paths, io.stdin)?;
            let options = args.metrics.over(options, &args.compile.paths, io.stdin)?;
            Ok((
                manifests,
                Options {
                    operator_only,
                    heeds_marks: args.heeds_marks(),
                    ..options
                },
            ))
        }
        (manifests, templates) => Err(Failure::Messages(
            [manifests.err(), templates.err()]
                .into_iter()
                .flatten()
                .flatten()
                .collect(),
        )),
    }
}

/// The baseline: of the revision that is trusted, if one is. It has none then if the revision has none.
fn known(args: &LintArgs, settings: &Settings) -> Result<Option<Baseline>, Failure> {
    let Some((path, _)) = &settings.baseline else {
        return Ok(None);
    };
    let Some(revision) = &args.settings.trust else {
        return settings.baseline.as_ref().map(read_baseline).transpose();
    };
    let bytes = fs::file_in(revision, path, &args.compile.limits.limits()).map_err(cannot_trust)?;
    let text = bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let parse = |text: String| {
        Baseline::parse(&text)
            .map_err(|why| Failure::message(format!("`{}` of {revision} is {why}", path.display())))
    };
    text.map(parse).transpose()
}

/// Returns whether a file is a baseline, or an empty one.
fn is_baseline(path: &Path) -> bool {
    !fs::holds_text(path) || read_baseline(&(path.to_owned(), Boundary::Open)).is_ok()
}

fn read_baseline((path, boundary): &(PathBuf, Boundary)) -> Result<Baseline, Failure> {
    let text = fs::read_text(path, boundary).map_err(Failure::message)?;
    Baseline::parse(&text).map_err(|why| Failure::message(format!("`{}` is {why}", path.display())))
}

/// The selected findings.
struct SelectedFindings {
    /// The new findings.
    output: Output,
    /// The findings in the baseline.
    known: Vec<Diagnostic>,
}

impl SelectedFindings {
    fn of(
        project: &Arc<Project>,
        args: &LintArgs,
        settings: &Settings,
        baseline: Option<&Baseline>,
        part: Option<LintPart>,
    ) -> Result<Self, Failure> {
        let chosen = environments::numbers(project, &args.environments)?;
        let is_chosen = |number: usize| chosen.binary_search(&number).is_ok();
        let mut output = match part {
            Some(part) => lint_joined(project, &is_chosen, part),
            None => lint_where(project, &is_chosen),
        };
        settings.apply(&mut output.diagnostics, &output.sources);
        settings.apply(&mut output.suppressed, &output.sources);
        let known =
            baseline.map(|baseline| baseline.take(&mut output.diagnostics, &output.sources));
        Ok(Self {
            output,
            known: known.unwrap_or_default(),
        })
    }

    /// Prints how many findings `--fix` mends.
    fn fixable(&self, io: &mut Io<'_>) {
        let safe = fix::count(&self.output.diagnostics, Fixes::Safe);
        let risky = fix::count(&self.output.diagnostics, Fixes::All) - safe;
        let text = match (safe, risky) {
            (0, 0) => return,
            (0, n) => format!("--fix --unsafe-fixes mends {n} of them; --diff shows how"),
            (n, 0) => format!("--fix mends {n} of them; --diff shows how"),
            (n, more) => format!(
                "--fix mends {n} of them, and {more} more with --unsafe-fixes; --diff shows how"
            ),
        };
        report::note(&text, io);
    }

    /// Prints the summary of the findings.
    fn conclude(
        &self,
        baseline: Option<&Baseline>,
        settings: &Settings,
        io: &mut Io<'_>,
    ) -> Result<Exit, Failure> {
        report::left_out(&self.output, io);
        // Silence would look as if everything of a file had been checked.
        if settings.reads_folder || self.output.diagnostics.is_empty() {
            report::checked(&self.output.checked, io);
        }
        report::nothing_checked(&self.output, io);
        let unknown = settings.unknown_policies(&self.output.checked.policies);
        for code in &unknown {
            report::note(&format!("`{code}` is no policy of the input"), io);
        }
        report::out_of_scope(self.output.n_out_of_scope, io);
        report::conclusion(&self.output.diagnostics, io);
        if !self.known.is_empty() {
            report::note(&format!("{} more in the baseline", self.known.len()), io);
        }
        let gone = baseline.map_or(0, |baseline| {
            baseline.count().saturating_sub(self.known.len() as u64)
        });
        if gone > 0 {
            let text = format!(
                "{gone} of the baseline no longer found: use --write-baseline FILE with --baseline FILE to remove them"
            );
            report::note(&text, io);
        }
        // A gate that selects what is not there would always pass.
        match unknown.iter().find(|code| settings.selects(code)) {
            Some(code) => Err(Failure::message(format!(
                "`{code}` is selected, and is no policy of the input"
            ))),
            None => Ok(exit(&self.output, settings.fail_on)),
        }
    }
}

/// The end of a run with these findings.
fn exit(output: &Output, fail_on: Option<Level>) -> Exit {
    let worst = output.worst_level();
    let fails = fail_on.is_some_and(|least| worst.is_some_and(|worst| worst >= least));
    if fails { Exit::Findings } else { Exit::Clean }
}

/// The project of these arguments, which nothing has checked yet.
pub(crate) fn unchecked_project(args: &LintArgs, io: &mut Io<'_>) -> Result<Arc<Project>, Failure> {
    let settings = Settings::new(args)?;
    let (manifests, options) = load(args, &[], &settings, &fs::ReadManifests::default(), io)?;
    Ok(Project::read(&manifests.inputs, &options))
}

/// The files that `lint` reads with these arguments. Those that have not changed are not read again.
pub(crate) fn read(
    args: &LintArgs,
    earlier: &fs::ReadManifests,
    io: &mut Io<'_>,
) -> Result<fs::ReadManifests, Failure> {
    load(args, &[], &Settings::new(args)?, earlier, io).map(|(manifests, _)| manifests)
}

/// The new findings in texts that a command has read itself, and how the run ends. As in a folder, most objects may be for
/// others.
pub(crate) fn of_inputs(args: &LintArgs, inputs: &[Input]) -> Result<(Output, Exit), Failure> {
    let (found, _, fail_on) = found_in(args, inputs, None)?;
    let exit = exit(&found.output, fail_on);
    Ok((found.output, exit))
}

/// The same, with the project, for those who ask more of it. What an earlier project has read of the same texts is used.
pub(crate) fn with_project(
    args: &LintArgs,
    inputs: &[Input],
    earlier: Option<&Project>,
) -> Result<(Output, Arc<Project>), Failure> {
    let (found, project, _) = found_in(args, inputs, earlier)?;
    Ok((found.output, project))
}

/// The project of inputs. What an earlier one has read of the same texts is used.
fn project(earlier: Option<&Project>, inputs: &[Input], options: &Options) -> Arc<Project> {
    earlier.map_or_else(
        || Project::read(inputs, options),
        |earlier| earlier.with(inputs, options),
    )
}

/// The findings in texts, the project that has them, and the level that fails.
type FoundIn = (SelectedFindings, Arc<Project>, Option<Level>);

fn found_in(
    args: &LintArgs,
    inputs: &[Input],
    earlier: Option<&Project>,
) -> Result<FoundIn, Failure> {
    let settings = Settings::new(args)?;
    let baseline = known(args, &settings)?;
    let templates = read_templates(&args.compile).map_err(Failure::Messages)?;
    let options = args.compile.options_over(Options {
        templates,
        ..settings.options()
    });
    let operator_only = !args.all && options.assume == Assume::Ready;
    let options = args
        .live
        .over(options, &args.compile.paths, &mut io::empty())?;
    let options = args
        .metrics
        .over(options, &args.compile.paths, &mut io::empty())?;
    let options = Options {
        operator_only,
        heeds_marks: args.heeds_marks(),
        ..options
    };
    let project = project(earlier, inputs, &options);
    let found = SelectedFindings::of(&project, args, &settings, baseline.as_ref(), None)?;
    Ok((found, project, settings.fail_on))
}

fn write_baseline(
    path: &Path,
    boundary: Boundary,
    found: &SelectedFindings,
    is_update: bool,
    reveals: bool,
    force: ForceArgs,
    io: &mut Io<'_>,
) -> Result<Exit, Failure> {
    boundary
        .check_target(path)
        .map_err(|error| cannot_write(path, &error))?;
    // The path may be a manifest by mistake: an existing file must be a baseline, or another output.
    let is_free = force.replaces() == fs::Replaces::Anything || fs::is_earlier_output(path);
    if fs::holds_text(path) && !is_free {
        read_baseline(&(path.to_owned(), boundary)).map_err(|_| {
            let path = path.display();
            Failure::message(format!(
                "cannot write `{path}`: it exists and is not a baseline; use another path, or --force to replace it"
            ))
        })?;
    }
    let known = if is_update {
        &found.known
    } else {
        &found.output.diagnostics
    };
    let baseline = Baseline::of(known, &found.output.sources);
    // Whether an existing one may be replaced is known by now.
    let replaces = if fs::holds_text(path) {
        fs::Replaces::Anything
    } else {
        force.replaces()
    };
    fs::write_file(path, fs::Access::of(reveals), replaces, |out| {
        baseline.write(out)
    })
    .map_err(|error| cannot_write(path, &error))?;
    report::note(
        &format!(
            "findings written to `{}`: {}",
            path.display(),
            baseline.count()
        ),
        io,
    );
    Ok(Exit::Clean)
}

fn print(args: &LintArgs, found: &SelectedFindings, io: &mut Io<'_>) -> Result<(), Failure> {
    // Nobody reads thirty infos in full on a screen.
    let shortens_infos =
        io.terminal.stdout_is_terminal && io.terminal.verbosity < Verbosity::Verbose;
    let style = Style {
        shortens_infos,
        ..report::style(io.terminal.stdout_color, io.terminal)
    };
    write_report(args, &found.output, io)?;
    let format = if args.report.is_some() {
        LintFormat::Text
    } else {
        args.format
    };
    let is_folded = shortens_infos && args.fail_on != Some(FailOnArg::Info);
    if !is_folded || format != LintFormat::Text {
        return io.print(|out| write_as(format, args.sort, &found.output, style, out));
    }
    let (mut shown, n_folded) = few_infos(&found.output.diagnostics);
    if args.sort == SortArg::Level {
        shown.sort_by_key(|of| Reverse(of.level));
    }
    io.print(|out| {
        report::write_findings(&shown, &found.output.sources, style, out)?;
        match n_folded {
            0 => Ok(()),
            n => writeln!(
                out,
                "{n} more infos of these rules: `--verbose` prints them\n"
            ),
        }
    })
}

/// The findings for a screen, and how many are left out: of many infos, the first of each rule stands for all of it.
fn few_infos(all: &[Diagnostic]) -> (Vec<Diagnostic>, usize) {
    const MAX_INFOS: usize = 10;
    let is_info = |found: &&Diagnostic| found.level == Level::Info;
    let is_few = all.iter().filter(is_info).count() <= MAX_INFOS;
    let mut known = BTreeSet::new();
    let shown: Vec<Diagnostic> = all
        .iter()
        .filter(|found| is_few || !is_info(found) || known.insert(&found.rule))
        .cloned()
        .collect();
    let n_left_out = all.len() - shown.len();
    (shown, n_left_out)
}

/// Writes the copy for --report, in the format of --format.
pub(crate) fn write_report(
    args: &LintArgs,
    output: &Output,
    io: &mut Io<'_>,
) -> Result<(), Failure> {
    let Some(path) = &args.report else {
        return Ok(());
    };
    let destination = OutputTarget {
        path: Some(path),
        reveals_secrets: args.compile.reveal_secrets,
        force: args.force,
    };
    destination.write(output.diagnostics.len(), "finding", io, |out| {
        write_as(args.format, SortArg::Path, output, Style::default(), out)
    })
}

/// Writes the findings in a format.
pub(crate) fn write_as(
    format: LintFormat,
    sort: SortArg,
    output: &Output,
    style: Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let Output {
        diagnostics,
        suppressed,
        sources,
        ..
    } = output;
    match format {
        LintFormat::Text if sort == SortArg::Path => {
            report::write_findings(diagnostics, sources, style, out)
        }
        LintFormat::Text => {
            let mut gravest_first: Vec<Diagnostic> = diagnostics.clone();
            gravest_first.sort_by_key(|diagnostic| Reverse(diagnostic.level));
            report::write_findings(&gravest_first, sources, style, out)
        }
        LintFormat::Json => json::write(diagnostics, sources, out),
        LintFormat::Sarif => sarif::write(diagnostics, suppressed, sources, out),
        LintFormat::Github => github::write(diagnostics, sources, out),
        LintFormat::Gitlab => gitlab::write(diagnostics, sources, out),
        LintFormat::Junit => junit::write(diagnostics, sources, out),
        LintFormat::Markdown => markdown::write(diagnostics, sources, out),
    }
}

/// Applies or prints the fixes, and reports what is left.
fn fixed(
    args: &LintArgs,
    manifests: &fs::ReadManifests,
    mut found: SelectedFindings,
    options: &Options,
    settings: &Settings,
    baseline: Option<&Baseline>,
    io: &mut Io<'_>,
) -> Result<Exit, Failure> {
    let mut after = manifests.inputs.clone();
    let mut n_fixes = 0;
    let fixes = if args.unsafe_fixes {
        Fixes::All
    } else {
        Fixes::Safe
    };
    for _ in 0..MAX_ROUNDS {
        let n = fix::apply(
            &mut after,
            &found.output.sources,
            &found.output.diagnostics,
            fixes,
        );
        if n == 0 {
            break;
        }
        n_fixes += n;
        found = SelectedFindings::of(
            &Project::read(&after, options),
            args,
            settings,
            baseline,
            None,
        )?;
    }
    let before = manifests.inputs.iter().enumerate();
    let changed: Vec<_> = before
        .zip(&after)
        .filter(|((_, before), after)| before != after)
        .collect();
    let changed: Vec<_> = changed
        .into_iter()
        .map(|((index, before), after)| FixedText {
            index,
            before,
            after,
        })
        .collect();
    if args.diff {
        show(&changed, options, Paint::of(io.terminal), io)?;
        report::note(
            &format!("{}, not written", counted(n_fixes, changed.len())),
            io,
        );
        more_fixes(args, &found, io);
        let exit = found.conclude(baseline, settings, io)?;
        return Ok(if changed.is_empty() {
            exit
        } else {
            Exit::Findings
        });
    }
    let stdin = write(
        &changed,
        manifests,
        &after,
        &fs::Workspace::of(&settings.paths),
    )?;
    match stdin {
        // The fixed text is the output.
        Some(text) => {
            io.print(|out| out.write_all(text))?;
            report::in_full(&found.output, io);
            write_report(args, &found.output, io)?;
        }
        None => print(args, &found, io)?,
    }
    report::note(&counted(n_fixes, changed.len()), io);
    more_fixes(args, &found, io);
    if stdin.is_some() {
        Ok(Exit::Clean)
    } else {
        found.conclude(baseline, settings, io)
    }
}

/// Prints how many more fixes there are, that may change what is meant.
fn more_fixes(args: &LintArgs, left: &SelectedFindings, io: &mut Io<'_>) {
    let more = fix::count(&left.output.diagnostics, Fixes::All);
    if more > 0 && !args.unsafe_fixes {
        report::note(&format!("{more} more with --unsafe-fixes"), io);
    }
}

/// `2 fixes in 1 file`.
fn counted(n_fixes: usize, n_files: usize) -> String {
    let (fixes, files) = (
        if n_fixes == 1 { "fix" } else { "fixes" },
        if n_files == 1 { "file" } else { "files" },
    );
    format!("{n_fixes} {fixes} in {n_files} {files}")
}

/// A fixed text.
struct FixedText<'i> {
    /// Its index among the inputs.
    index: usize,
    before: &'i Input,
    after: &'i Input,
}

/// Writes changed files, and returns the text of standard input, changed or not. Writes none if one of them is outside of its
/// repository.
fn write<'i>(
    changed: &[FixedText<'i>],
    manifests: &fs::ReadManifests,
    after: &'i [Input],
    workspace: &fs::Workspace,
) -> Result<Option<&'i [u8]>, Failure> {
    let files: Vec<_> = changed
        .iter()
        .filter_map(|changed| Some((manifests.file(changed.index)?, changed)))
        .collect();
    for (path, _) in &files {
        workspace
            .typed(path)
            .check(path)
            .map_err(|error| cannot_write(path, &error))?;
    }
    for (path, FixedText { before, after, .. }) in files {
        fs::rewrite(path, &before.bytes, &after.bytes)
            .map_err(|error| cannot_write(path, &error))?;
    }
    let stdin = manifests
        .files
        .iter()
        .position(Option::is_none)
        .and_then(|index| after.get(index));
    Ok(stdin.map(|input| &*input.bytes))
}

fn show(
    changed: &[FixedText<'_>],
    options: &Options,
    paint: Paint,
    io: &mut Io<'_>,
) -> Result<(), Failure> {
    let [before, after] = [
        |c: &FixedText<'_>| c.before.clone(),
        |c: &FixedText<'_>| c.after.clone(),
    ]
    .map(|text| {
        Project::read(&changed.iter().map(text).collect::<Vec<_>>(), options).hidden_lines()
    });
    let shown = changed.iter().zip(before.iter().zip(&after));
    let mut shown = shown.map(|(c, (before, after))| fix::diff(c.before, before, c.after, after));
    io.print(|out| {
        shown.try_for_each(|diff| {
            diff.split_inclusive('\n')
                .try_for_each(|line| painted(line, paint, out))
        })
    })
}

/// A line of a diff, in colour.
fn painted(line: &str, paint: Paint, out: &mut dyn Write) -> io::Result<()> {
    let (text, end) = line
        .strip_suffix('\n')
        .map_or((line, ""), |text| (text, "\n"));
    let text = match text.as_bytes() {
        [b'-', b'-', b'-', b' ', ..] | [b'+', b'+', b'+', b' ', ..] => paint.bold(text),
        [b'@', b'@', ..] => paint.cyan(text),
        [b'-', ..] => paint.red(text),
        [b'+', ..] => paint.green(text),
        _ => text.to_owned(),
    };
    write!(out, "{text}{end}")
}
