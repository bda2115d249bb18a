//! Tests of rules, in promtool's format, with promtool as the engine.
//!
//! In: the files of tests, and the paths of manifests. Out: what promtool says, with the places of the manifests. Its files are in a
//! scratch folder, which nobody gets to see.

mod coverage;
mod loaded;
mod outcome;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::cli::args::TestArgs;
use crate::cli::check::test::{FileResults, Tested};
use crate::cli::fs::{Promtool, Scratch};
use crate::cli::{Exit, Failure, Io, fs, report};
use promgen_compile::output::Output;
use promgen_model::rule_tests::{LoadedRule, first_test, plain};
use promgen_targets::relabel_test::run::TestResult;
use promgen_targets::rule_test::read::{RuleSuite, read};
use promgen_targets::rule_test::transcript::{self, Transcript};
use promgen_text::limits::Limits;
use promgen_text::source::Input;

pub(super) use coverage::TestCoverage;
use loaded::{Loader, SuiteRules};
pub(crate) use outcome::FailedExpectation;
use outcome::OutcomeReader;
use promgen_text::CollectOrdered;

/// The results, and how much of the rules the tests cover.
pub(super) struct RuleResults {
    pub(super) reports: Vec<FileResults>,
    pub(super) coverage: TestCoverage,
    /// The failures, in the order of the tests.
    pub(super) failed: Vec<FailedExpectation>,
}

/// A file of tests, and what it loads.
struct LoadedSuite<'f> {
    file: &'f str,
    suite: RuleSuite,
    rules: SuiteRules,
    /// The numbers of the tests that are asked for.
    chosen: Vec<usize>,
}

/// Runs the tests of files.
pub(super) fn run(
    args: &TestArgs,
    files: &[Input],
    paths: &[PathBuf],
    io: &mut Io<'_>,
) -> Result<RuleResults, Failure> {
    let suites = suites(files, io)?;
    let promtool = Promtool::find(args.promtool.as_deref()).map_err(Failure::message)?;
    let workspace = fs::Workspace::of(&args.files);
    let mut loader = Loader::new(args, paths, &workspace);
    let mut all = Vec::with_capacity(suites.len());
    for (file, suite) in suites {
        let rules = loader.rules(file, &suite, io)?;
        let is_asked = |name: &str| args.run.as_ref().is_none_or(|regex| regex.is_match(name));
        let chosen = (0..suite.tests.len())
            .filter(|test| is_asked(&suite.tests[*test].name))
            .collect();
        all.push(LoadedSuite {
            file,
            suite,
            rules,
            chosen,
        });
    }
    let transcripts = verdicts(&promtool, &all, &args.limits.limits())?;
    let mut transcripts = transcripts.iter();
    let mut coverage = TestCoverage::new(args);
    let (mut reports, mut failed) = (Vec::with_capacity(all.len()), Vec::new());
    for loaded in &all {
        let mut tests = Vec::with_capacity(loaded.chosen.len());
        for (number, transcript) in loaded.chosen.iter().zip(&mut transcripts) {
            let test = &loaded.suite.tests[*number];
            let reader = OutcomeReader {
                file: loaded.file,
                test,
                rules: &loaded.rules,
            };
            let of_test = reader.failed(transcript);
            let failures = of_test
                .iter()
                .flat_map(|one| one.text.iter().cloned())
                .collect();
            let outcome = TestResult {
                failures,
                differing: None,
            };
            let name = if test.name.is_empty() {
                format!("line {}", test.line)
            } else {
                test.name.clone()
            };
            coverage.note(&reader, transcript);
            failed.extend(of_test);
            tests.push(Tested {
                name,
                line: test.line,
                outcome,
            });
        }
        if !loaded.chosen.is_empty() {
            coverage.load(&loaded.rules);
        }
        reports.push(FileResults {
            file: loaded.file.to_owned(),
            tests,
        });
    }
    if coverage.is_asked() {
        coverage.know(&loader.given(io)?);
        for (workload, rules) in loader.mounts(io)? {
            coverage.mount(&workload, &rules);
        }
    }
    Ok(RuleResults {
        reports,
        coverage,
        failed,
    })
}

/// Prints a first test for each alert of manifests that no file of tests has.
pub(super) fn write_first(
    args: &TestArgs,
    tests: &[Input],
    others: &[Input],
    io: &mut Io<'_>,
) -> Result<Exit, Failure> {
    let suites = suites(tests, io)?;
    let tested: BTreeSet<&str> = suites
        .iter()
        .flat_map(|(_, suite)| &suite.tests)
        .flat_map(|test| &test.alerts)
        .map(|alert| alert.name.as_str())
        .collect_set();
    let is_input = |path: &&PathBuf| {
        path.is_dir()
            || others
                .iter()
                .any(|other| Path::new(&other.name) == path.as_path())
    };
    let paths: Vec<PathBuf> = args.files.iter().filter(is_input).cloned().collect();
    let workspace = fs::Workspace::of(&args.files);
    let mut rules: Vec<LoadedRule> = others
        .iter()
        .filter_map(plain)
        .flat_map(|file| file.rules)
        .collect();
    if !paths.is_empty() {
        rules.extend(Loader::new(args, &paths, &workspace).given(io)?);
    }
    rules.retain(|rule| rule.is_alert && !tested.contains(rule.name.as_str()));
    if rules.is_empty() {
        report::note("no alert without a test", io);
        return Ok(Exit::Clean);
    }
    let files: BTreeSet<&str> = rules
        .iter()
        .map(|rule| rule.place.file.as_str())
        .collect_set();
    let files: Vec<&str> = files.into_iter().collect();
    let mut text = format!("rule_files: {}\ntests:\n", serde_json::Value::from(files));
    rules
        .iter()
        .for_each(|rule| text.push_str(&first_test(rule)));
    io.print(|out| write!(out, "{text}"))?;
    Ok(Exit::Clean)
}

/// The paths of the rules that a file of tests names.
pub(super) fn named(file: &Input) -> Vec<PathBuf> {
    let folder = Path::new(&file.name)
        .parent()
        .unwrap_or_else(|| Path::new(""));
    let suite = read(file).suite;
    suite
        .iter()
        .flat_map(|suite| &suite.rule_files)
        .flat_map(|path| fs::matching(&folder.join(&path.value)))
        .collect()
}

/// The tests of all files, or the errors in them.
fn suites<'f>(files: &'f [Input], io: &mut Io<'_>) -> Result<Vec<(&'f str, RuleSuite)>, Failure> {
    let (mut suites, mut wrong) = (Vec::new(), Vec::new());
    for file in files {
        let read = read(file);
        if !read.diagnostics.is_empty() {
            let output = Output {
                diagnostics: read.diagnostics,
                sources: read.sources,
                ..Output::default()
            };
            report::in_full(&output, io);
        }
        match read.suite {
            Some(suite) => suites.push((file.name.as_str(), suite)),
            None => wrong.push(format!("`{}` is not a valid test file", file.name)),
        }
    }
    if wrong.is_empty() {
        Ok(suites)
    } else {
        Err(Failure::Messages(wrong))
    }
}

/// The verdicts of promtool on all tests, in their order.
fn verdicts(
    promtool: &Promtool,
    suites: &[LoadedSuite<'_>],
    limits: &Limits,
) -> Result<Vec<Transcript>, Failure> {
    let failed = |error: std::io::Error| {
        Failure::message(format!("cannot write the files of promtool: {error}"))
    };
    let scratch = Scratch::create().map_err(failed)?;
    let mut files = Vec::new();
    for (number, loaded) in suites.iter().enumerate() {
        let mut names = Vec::with_capacity(loaded.rules.files.len());
        for (at, rules) in loaded.rules.files.iter().enumerate() {
            let name = format!("r{number}-{at}.yaml");
            scratch.write(&name, &rules.text).map_err(failed)?;
            names.push(name);
        }
        for test in &loaded.chosen {
            let name = format!("t{number}-{test}.yaml");
            scratch
                .write(&name, &loaded.suite.for_promtool(*test, &names))
                .map_err(failed)?;
            files.push(name);
        }
    }
    if files.is_empty() {
        return Ok(Vec::new());
    }
    let transcripts = transcripts(promtool, &scratch, limits, &files)?;
    match transcripts
        .iter()
        .flat_map(|one| &one.lines)
        .find_map(|line| outcome::unknown_key(line))
    {
        None => Ok(transcripts),
        Some(key) => {
            let version = promtool
                .version()
                .map_or_else(String::new, |version| format!(" {version}"));
            let text = format!("promtool{version} does not know the key `{key}`: use a newer one");
            Err(Failure::message(text))
        }
    }
}

/// The verdicts of promtool on files: at once, or one by one if it does not tell them apart.
fn transcripts(
    promtool: &Promtool,
    scratch: &Scratch,
    limits: &Limits,
    files: &[String],
) -> Result<Vec<Transcript>, Failure> {
    let say = |files: &[String]| {
        promtool
            .test(scratch, files, limits)
            .map_err(Failure::message)
    };
    let is_whole = |transcripts: &[Transcript], n: usize| {
        transcripts.len() == n
            && transcripts
                .iter()
                .all(|transcript| transcript.passed.is_some())
    };
    let (said, passed) = say(files)?;
    let all = transcript::files(&scratch.hide(&said));
    if is_whole(&all, files.len())
        && passed == all.iter().all(|transcript| transcript.passed == Some(true))
    {
        return Ok(all);
    }
    let mut all = Vec::with_capacity(files.len());
    for file in files {
        let (said, passed) = if files.len() == 1 {
            (said.clone(), passed)
        } else {
            say(std::slice::from_ref(file))?
        };
        let said = scratch.hide(&said);
        let own = transcript::of_file(file, &said);
        if own.passed != Some(passed) {
            let first = said
                .lines()
                .find(|line| !line.trim().is_empty())
                .unwrap_or("nothing")
                .trim();
            let name = promtool.name();
            return Err(Failure::message(format!(
                "promtool `{name}` does not say whether the tests pass: it says {first}"
            )));
        }
        all.push(own);
    }
    Ok(all)
}

/// The end of a run: with a failing test, or less coverage than is asked for.
pub(super) fn exit(results: &RuleResults, io: &mut Io<'_>) -> Exit {
    let Some(text) = results.coverage.shortfall() else {
        return Exit::Clean;
    };
    report::note(&text, io);
    Exit::Findings
}
