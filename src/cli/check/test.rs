//! `promgen test`.

mod junit;
mod print;
mod rerun;
mod rules;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Parser as _;

use crate::cli::args::{Cli, Command, TestArgs, TestFormat};
use crate::cli::check::test::rerun::TestRerun;
use crate::cli::check::test::rules::TestCoverage;
use crate::cli::configured::cannot_trust;
use crate::cli::output::OutputTarget;
use crate::cli::paint::Paint;
use crate::cli::spare::{SparedFiles, is_earlier_output};
use crate::cli::{Exit, Failure, Io, Terminal, charts, fs, report, watch};
use promgen_compile::options::Options;
use promgen_compile::output::{Layout, Output};
use promgen_model::Model;
use promgen_model::Project;
use promgen_policy::PolicyTests;
use promgen_repository::path::has_policies;
use promgen_resources::gates::FEATURES;
use promgen_targets::relabel_test::read::{Suite, read as read_tests};
use promgen_targets::relabel_test::run::{TestResult, TestedOutput, run as run_test};
use promgen_targets::rule_test::read::is_rule_test;
use promgen_text::diag::count::counted;
use promgen_text::diag::{Diagnostic, Level};
use promgen_text::limits::{LIMIT_EXCEEDED, Limit, Limits};
use promgen_text::source::Input;
use promgen_text::version::Version;
pub(crate) use rules::FailedExpectation;

/// The results of a file.
#[derive(Clone, Debug)]
struct FileResults {
    /// The file, as given by the user.
    file: String,
    /// Its selected tests, in order.
    tests: Vec<Tested>,
}

/// The result of a test.
#[derive(Clone, Debug)]
struct Tested {
    name: String,
    /// Its first line.
    line: usize,
    outcome: TestResult,
}

/// Runs the tests of files, and prints the report.
pub(crate) fn run(args: &TestArgs, io: &mut Io<'_>) -> Result<Exit, Failure> {
    args.rerun.check("test", &args.files)?;
    if args.rerun.watch {
        return watch::run(&mut TestRerun::new(args), args.rerun, io);
    }
    once(args, io)
}

/// Runs the tests of files, whatever was read before.
fn once(args: &TestArgs, io: &mut Io<'_>) -> Result<Exit, Failure> {
    let workspace = fs::Workspace::of(&args.files);
    let (inputs, mut read) = match &args.trust {
        Some(revision) => (trusted(revision, args)?, Vec::new()),
        None => {
            let files =
                fs::read_files(&args.files, &workspace, io.stdin).map_err(Failure::Messages)?;
            let files = files.without(&is_earlier_output(args.report.as_deref(), &args.files));
            (files.inputs, files.files)
        }
    };
    let (of_policies, inputs): (Vec<Input>, Vec<Input>) =
        inputs.into_iter().partition(is_policy_file);
    let (of_rules, inputs): (Vec<Input>, Vec<Input>) = inputs.into_iter().partition(is_rule_test);
    if args.new {
        return rules::write_first(args, &of_rules, &inputs, io);
    }
    let of_policies = policies(args, &of_policies, io)?;
    if !of_rules.is_empty() {
        return with_rules(args, &of_rules, &inputs, &workspace, of_policies, read, io);
    }
    let suites = suites(args, &inputs, io)?;
    let (mut reports, exit) = reports(args, suites, &workspace, &mut read, io)?;
    reports.extend(of_policies);
    Ok(exit.max(finish(
        args,
        &reports,
        None,
        read.iter().flatten().map(PathBuf::as_path),
        io,
    )?))
}

/// Returns whether a file has policies, whose tests stand beside them.
fn is_policy_file(input: &Input) -> bool {
    let text = input.bytes.as_text();
    text.is_some_and(|text| has_policies(&input.name, text))
}

/// The results of the tests of policies.
fn policies(
    args: &TestArgs,
    files: &[Input],
    io: &mut Io<'_>,
) -> Result<Vec<FileResults>, Failure> {
    let options = Options {
        is_repository: true,
        limits: args.limits.limits(),
        ..Options::default()
    };
    let is_asked = |name: &str| args.run.as_ref().is_none_or(|regex| regex.is_match(name));
    let (mut results, mut wrong) = (Vec::new(), Vec::new());
    for file in files {
        let PolicyTests {
            tests,
            diagnostics,
            sources,
        } = PolicyTests::run(file, &options, &is_asked);
        if diagnostics.iter().any(|found| found.level == Level::Error) {
            wrong.push(format!("`{}` is not a valid file of policies", file.name));
        }
        if !diagnostics.is_empty() {
            let output = Output {
                diagnostics,
                sources,
                ..Output::default()
            };
            report::in_full(&output, io);
        }
        let tests = tests.into_iter().map(|test| Tested {
            name: test.name,
            line: test.line,
            outcome: TestResult {
                failures: test.failures,
                differing: None,
            },
        });
        results.push(FileResults {
            file: file.name.clone(),
            tests: tests.collect(),
        });
    }
    if wrong.is_empty() {
        Ok(results)
    } else {
        Err(Failure::Messages(wrong))
    }
}

/// The results of the tests of rules in a file, for an editor.
pub(crate) struct EditorTests {
    /// Their number.
    pub(crate) n_tests: usize,
    /// The failures, in the order of the tests.
    pub(crate) failed: Vec<FailedExpectation>,
}

/// Runs the tests of rules in a file, with the manifests of the current folder as they are on the disk.
///
/// # Errors
/// They cannot run: there is no promtool, or the file has errors.
pub(crate) fn of_editor(file: &Input) -> Result<EditorTests, Failure> {
    let cli = Cli::try_parse_from(["promgen", "test", "."]).map_err(Failure::Usage)?;
    let Command::Test(args) = cli.command else {
        return Err(Failure::message("`test` is another command"));
    };
    let mut said = Vec::new();
    let (stdin, stdout, terminal) = (&mut io::empty(), &mut io::sink(), Terminal::default());
    let run = rules::run(
        &args,
        std::slice::from_ref(file),
        &args.files,
        &mut Io {
            stdin,
            stdout,
            stderr: &mut said,
            terminal,
        },
    );
    let with_said = |failure: Failure| match failure {
        Failure::Messages(messages) if !said.is_empty() => {
            let said = String::from_utf8_lossy(&said).trim_end().to_owned();
            Failure::Messages(std::iter::once(said).chain(messages).collect())
        }
        other => other,
    };
    let results = run.map_err(with_said)?;
    Ok(EditorTests {
        n_tests: results
            .reports
            .iter()
            .map(|report| report.tests.len())
            .sum(),
        failed: results.failed,
    })
}

/// A test file, with its number and the paths of its manifests.
struct NumberedSuite<'f> {
    number: usize,
    file: &'f str,
    suite: Suite,
    paths: Vec<PathBuf>,
}

/// The results of files, in their order, and how the run ends as far as limits go. Files that name the same manifests share them:
/// they are read once, and compiled once for the same options.
fn reports(
    args: &TestArgs,
    suites: Vec<(&str, Suite)>,
    workspace: &fs::Workspace,
    read: &mut Vec<Option<PathBuf>>,
    io: &mut Io<'_>,
) -> Result<(Vec<FileResults>, Exit), Failure> {
    let mut groups: BTreeMap<Vec<PathBuf>, Vec<NumberedSuite<'_>>> = BTreeMap::new();
    for (number, (file, suite)) in suites.into_iter().enumerate() {
        let paths = manifest_paths(file, &suite, workspace)?;
        let real = paths.iter().map(|path| fs::absolute(path)).collect();
        groups.entry(real).or_default().push(NumberedSuite {
            number,
            file,
            suite,
            paths,
        });
    }
    let mut account = TestAccount {
        limits: args.limits.limits(),
        ..TestAccount::default()
    };
    let (mut results, mut left_out) = (Vec::new(), 0);
    for group in groups.values() {
        let Some(NumberedSuite { file, paths, .. }) = group.first() else {
            continue;
        };
        let manifests = read_manifests(args, file, paths, &fs::ReadManifests::default(), io)?;
        read.extend(manifests.files.iter().cloned());
        let mut last: Option<TestedManifests> = None;
        for NumberedSuite {
            number,
            file,
            suite,
            paths,
        } in group
        {
            let options = options(args, file, suite)?;
            let compiled = match last.take().filter(|last| last.options == options) {
                Some(same) => same,
                None if !account.takes(&manifests) => {
                    left_out += 1;
                    continue;
                }
                None => {
                    TestedManifests::compile(args, options, paths, &manifests.inputs, None, io)?
                }
            };
            results.push((*number, compiled.results(args, file, suite)));
            last = Some(compiled);
        }
    }
    results.sort_by_key(|(number, _)| *number);
    let results = results.into_iter().map(|(_, results)| results).collect();
    Ok((results, account.end(left_out, io)))
}

/// What the tests of a run compile. Files with several combinations of manifests, or of options, compile them again.
#[derive(Default)]
struct TestAccount {
    limits: Limits,
    /// The manifests, each once, and their bytes.
    files: BTreeSet<PathBuf>,
    n_input: usize,
    n_compiled: usize,
}

impl TestAccount {
    /// Spends the bytes of manifests. Returns whether there were as many left.
    fn takes(&mut self, manifests: &fs::ReadManifests) -> bool {
        for (input, file) in manifests.inputs.iter().zip(&manifests.files) {
            self.n_compiled += input.bytes.len();
            let is_new = file
                .as_ref()
                .is_none_or(|file| self.files.insert(file.clone()));
            self.n_input += if is_new { input.bytes.len() } else { 0 };
        }
        self.limits = self.limits.for_input(self.n_input);
        self.n_compiled as u64 <= self.limits.get(Limit::TestedBytes)
    }

    /// Reports the files that were not run.
    fn end(&self, left_out: usize, io: &mut Io<'_>) -> Exit {
        if left_out == 0 {
            return Exit::Clean;
        }
        let excess = self.limits.excess(Limit::TestedBytes);
        let message = excess.message("what the files of tests compile");
        let found = Diagnostic::placeless(&LIMIT_EXCEEDED, message)
            .help(excess.help_for(self.n_compiled as u64));
        let found = found.help(format!("{} not run", counted(left_out, "file")));
        report::in_full(
            &Output {
                diagnostics: vec![found],
                ..Output::default()
            },
            io,
        )
    }
}

/// The results of files some of which test rules: then what is no test is a manifest.
fn with_rules(
    args: &TestArgs,
    of_rules: &[Input],
    inputs: &[Input],
    workspace: &fs::Workspace,
    of_policies: Vec<FileResults>,
    mut read: Vec<Option<PathBuf>>,
    io: &mut Io<'_>,
) -> Result<Exit, Failure> {
    let (tests, others): (Vec<&Input>, Vec<&Input>) =
        inputs.iter().partition(|input| read_tests(input).is_test);
    let tests: Vec<Input> = tests.into_iter().cloned().collect();
    let suites = suites(args, &tests, io)?;
    let (mut all, limited) = reports(args, suites, workspace, &mut read, io)?;
    let is_typed = |path: &&PathBuf| {
        path.is_dir()
            || others
                .iter()
                .any(|input| Path::new(&input.name) == path.as_path())
    };
    let paths: Vec<PathBuf> = args.files.iter().filter(is_typed).cloned().collect();
    let results = rules::run(args, of_rules, &paths, io)?;
    let exit = rules::exit(&results, io);
    all.extend(results.reports);
    all.extend(of_policies);
    all.sort_by(|a, b| a.file.cmp(&b.file));
    let finished = finish(
        args,
        &all,
        Some(&results.coverage),
        read.iter().flatten().map(PathBuf::as_path),
        io,
    )?;
    Ok(exit.max(limited).max(finished))
}

/// The files of a revision, whatever is on the disk.
fn trusted(revision: &str, args: &TestArgs) -> Result<Vec<Input>, Failure> {
    let read = fs::read_revision(
        &fs::Revision::Named(revision.to_owned()),
        &args.files,
        &args.limits.limits(),
    )
    .map_err(cannot_trust)?;
    if !read.absent.is_empty() {
        return Err(Failure::Messages(
            read.absent
                .into_iter()
                .map(|(_, message)| message)
                .collect(),
        ));
    }
    Ok(read
        .inputs
        .into_iter()
        .filter(|input| !input.is_asset)
        .collect())
}

/// Prints the results, and writes the report if there is one. It must be none of the files that were read.
fn finish<'p>(
    args: &TestArgs,
    reports: &[FileResults],
    coverage: Option<&TestCoverage>,
    read: impl Iterator<Item = &'p Path>,
    io: &mut Io<'_>,
) -> Result<Exit, Failure> {
    let paint = Paint::of(io.terminal);
    let plain = Paint { is_colored: false };
    match &args.report {
        None => io.print(|out| write(args.format, reports, coverage, paint, out))?,
        Some(path) => {
            SparedFiles::files(read).check_output(Some(path), args.force.replaces())?;
            let destination = OutputTarget {
                path: Some(path),
                reveals_secrets: args.reveal_secrets,
                force: args.force,
            };
            let n = reports.iter().map(|report| report.tests.len()).sum();
            destination.write(n, "result", io, |out| {
                write(args.format, reports, coverage, plain, out)
            })?;
            io.print(|out| write(TestFormat::Text, reports, coverage, paint, out))?;
        }
    }
    if reports.iter().all(|report| report.tests.is_empty()) {
        report::note("no tests were run", io);
    }
    let passed = reports
        .iter()
        .flat_map(|report| &report.tests)
        .all(|tested| tested.outcome.passed());
    Ok(if passed { Exit::Clean } else { Exit::Findings })
}

fn write(
    format: TestFormat,
    reports: &[FileResults],
    coverage: Option<&TestCoverage>,
    paint: Paint,
    out: &mut dyn Write,
) -> io::Result<()> {
    match format {
        TestFormat::Text => {
            print::text(reports, paint, out)?;
            coverage.map_or(Ok(()), |coverage| coverage.write(paint, out))
        }
        TestFormat::Junit => junit::write(reports, coverage, out),
        TestFormat::Json => print::json(reports, coverage, out),
    }
}

/// The tests of all files, or the errors in them. What lies beside them in a folder and is none is passed over.
fn suites<'f>(
    args: &TestArgs,
    files: &'f [Input],
    io: &mut Io<'_>,
) -> Result<Vec<(&'f str, Suite)>, Failure> {
    let (mut suites, mut wrong, mut n_others) = (Vec::new(), Vec::new(), 0);
    for file in files {
        let read = read_tests(file);
        let is_in_folder = || {
            args.trust.is_some()
                || args.files.iter().any(|path| {
                    path.is_dir()
                        && fs::absolute(Path::new(&file.name)).starts_with(fs::absolute(path))
                })
        };
        if !read.is_test && is_in_folder() {
            n_others += 1;
            continue;
        }
        let output = Output {
            diagnostics: read.diagnostics,
            sources: read.sources,
            ..Output::default()
        };
        if !output.diagnostics.is_empty() {
            report::in_full(&output, io);
        }
        match read.suite {
            Some(suite) => suites.push((file.name.as_str(), suite)),
            None if read.is_test => wrong.push(format!("`{}` is not a valid test file", file.name)),
            None => wrong.push(format!(
                "`{}` is not a test file: it has no list `tests`",
                file.name
            )),
        }
    }
    if n_others > 0 {
        report::note(
            &format!("passed over {}: no list `tests`", counted(n_others, "file")),
            io,
        );
    }
    if wrong.is_empty() {
        Ok(suites)
    } else {
        Err(Failure::Messages(wrong))
    }
}

/// The manifests of a file. Those that were read before and have not changed are not read again.
fn read_manifests(
    args: &TestArgs,
    file: &str,
    paths: &[PathBuf],
    earlier: &fs::ReadManifests,
    io: &mut Io<'_>,
) -> Result<fs::ReadManifests, Failure> {
    if paths.is_empty() {
        return Ok(fs::ReadManifests::default());
    }
    fs::read_again(
        earlier,
        paths,
        is_earlier_output(args.report.as_deref(), paths),
        fs::Folders::Built,
        fs::IgnoredPaths::of(args.trust.is_some()),
        args.limits.limits(),
        io.stdin,
    )
    .map_err(|messages| of_file(file, messages))
}

/// The manifests of test files, compiled.
struct TestedManifests {
    options: Options,
    project: Arc<Project>,
    model: Model,
    output: Output,
}

impl TestedManifests {
    /// Compiles manifests, perhaps after a project with most of them.
    fn compile(
        args: &TestArgs,
        options: Options,
        paths: &[PathBuf],
        inputs: &[Input],
        earlier: Option<&Project>,
        io: &mut Io<'_>,
    ) -> Result<Self, Failure> {
        let asked = charts::ChartRequest {
            helm: &args.helm,
            paths,
            kube_version: None,
            revision: None,
        };
        let all = charts::of(options.clone(), inputs, &asked, io)?;
        let project = earlier.map_or_else(
            || Project::read(inputs, &all),
            |earlier| earlier.with(inputs, &all),
        );
        let model = project.model_with_targets();
        let mut output = model.output().clone();
        // Tests only concern rules; `lint` reports other findings about the manifests.
        output
            .diagnostics
            .retain(|diagnostic| diagnostic.level == Level::Error);
        if !output.diagnostics.is_empty() {
            report::in_full(&output, io);
        }
        Ok(Self {
            options,
            project,
            model,
            output,
        })
    }

    /// Runs the tests of a file.
    fn results(&self, args: &TestArgs, file: &str, suite: &Suite) -> FileResults {
        let (discovery, origins) = (self.model.discovery(), self.model.rule_origins());
        let is_wanted = |name: &str| args.run.as_ref().is_none_or(|regex| regex.is_match(name));
        let tests = suite.file.tests.iter().zip(&suite.tests).enumerate();
        let tests =
            tests
                .filter(|(_, (test, _))| is_wanted(&test.name))
                .map(|(index, (test, details))| Tested {
                    name: test.name.clone(),
                    line: details.line,
                    outcome: run_test(
                        suite,
                        index,
                        TestedOutput {
                            output: &self.output,
                            discovery,
                            origins: Some(&origins),
                        },
                    ),
                });
        FileResults {
            file: file.to_owned(),
            tests: tests.collect(),
        }
    }
}

fn of_file(file: &str, messages: Vec<String>) -> Failure {
    Failure::Messages(
        messages
            .into_iter()
            .map(|message| format!("{file}: {message}"))
            .collect(),
    )
}

/// The paths of the manifests, which are relative to the test file, and stay in its repository.
fn manifest_paths(
    file: &str,
    suite: &Suite,
    workspace: &fs::Workspace,
) -> Result<Vec<PathBuf>, Failure> {
    let folder = Path::new(file).parent().unwrap_or_else(|| Path::new(""));
    let boundary = workspace.found(folder);
    let path = |manifest: &String| match manifest.as_str() {
        "-" => Err(Failure::message(format!(
            "{file}: `-` is not a manifest file"
        ))),
        manifest => {
            let path = folder.join(manifest);
            let checked = boundary.check(&path);
            checked.map_err(|error| of_file(file, vec![fs::cannot_read(&path, &error)]))?;
            Ok(path)
        }
    };
    suite.file.manifests.iter().map(path).collect()
}

fn options(args: &TestArgs, file: &str, suite: &Suite) -> Result<Options, Failure> {
    let limits = args.limits.limits();
    let mut options = Options {
        layout: Layout::Operator,
        reveal_secrets: args.reveal_secrets,
        limits,
        ..Options::default()
    };
    options.heeds_marks = args.trust.is_none();
    let version = |text: &Option<String>| text.as_deref().and_then(Version::parse);
    options.target.prometheus = version(&suite.file.prometheus_version);
    options.target.kubernetes =
        version(&suite.file.kube_version).unwrap_or(options.target.kubernetes);
    options.namespace = suite.file.namespace.clone().unwrap_or(options.namespace);
    for (name, is_on) in &suite.file.feature_gates {
        if !FEATURES.iter().any(|feature| feature.name == name) {
            return Err(Failure::message(format!(
                "{file}: unknown feature gate {name}"
            )));
        }
        options.target.features.insert(name.clone(), *is_on);
    }
    Ok(options)
}
