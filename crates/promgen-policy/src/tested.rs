//! Tests of policies: objects, and the findings that a policy makes of them.
//!
//! In: a file of policies with `tests`. Out: for each test what is not as it is expected.

use promgen_compile::options::Options;
use promgen_model::Project;
use promgen_resources::locate::{self, FindingTexts};
use promgen_resources::secrecy::Private;
use promgen_text::diag::{Diagnostic, Level, Sink};
use promgen_text::source::{Input, SourceFile, Sources};
use promgen_text::yaml::read::{ParsedDocument, read};
use promgen_text::yaml::{Node, typed_node};

use crate::file::{ExpectedText, INVALID_POLICY, TestText};
use crate::judge::{PolicyJudgement, PolicyScope};
use crate::policy::UserPolicies;
use crate::verdict::PolicyVerdict;

/// The result of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyTest {
    /// Its name.
    pub name: String,
    /// Its first line.
    pub line: usize,
    /// What is not as it is expected. Empty: it passed.
    pub failures: Vec<String>,
}

/// The results of a file.
#[derive(Debug)]
pub struct PolicyTests {
    /// The tests that were run, in order.
    pub tests: Vec<PolicyTest>,
    /// What is wrong with the file. Nothing is run if one is an error.
    pub diagnostics: Vec<Diagnostic>,
    /// The text that they point into.
    pub sources: Sources,
}

impl PolicyTests {
    /// Runs the tests of a file whose names are asked for.
    #[must_use]
    pub fn run(file: &Input, options: &Options, is_asked: &dyn Fn(&str) -> bool) -> Self {
        let mut sink = Sink::default();
        let sources = Sources::load(std::slice::from_ref(file), &mut sink);
        let policies =
            UserPolicies::read(sources.files().map(|(id, _)| id), &sources, &options.limits);
        sink.append(policies.faults.clone());
        let read = |(id, source): (_, &SourceFile)| read(id, &source.text, &mut Sink::default());
        let documents: Vec<ParsedDocument> = sources.files().flat_map(read).collect();
        let nodes = documents.iter().flat_map(|of| of.root.items_of("tests"));
        let tests: Vec<(TestText, &Node)> = nodes
            .filter_map(|node| test(node, &policies, &mut sink))
            .collect();
        let texts = FindingTexts {
            sources: &sources,
            n_manifests: 1,
            private: &Private::default(),
        };
        let diagnostics = locate::place(sink.into_diagnostics(), &[], texts);
        let is_wrong = diagnostics.iter().any(|of| of.level == Level::Error);
        let asked = tests
            .iter()
            .filter(|(test, _)| !is_wrong && is_asked(&test.name));
        let run = |(test, node): &(TestText, &Node)| PolicyTest {
            name: test.name.clone(),
            line: sources.start(node.span).line,
            failures: failures(test, &policies, options),
        };
        let tests = asked.map(run).collect();
        Self {
            tests,
            diagnostics,
            sources,
        }
    }
}

/// A test that can be run.
fn test<'n>(
    node: &'n Node,
    policies: &UserPolicies,
    sink: &mut Sink,
) -> Option<(TestText, &'n Node)> {
    let test: TestText = match typed_node(node) {
        Ok(test) => test,
        Err(mismatch) => {
            sink.report(mismatch.diagnostic(&INVALID_POLICY, node));
            return None;
        }
    };
    let is_known = policies
        .all
        .iter()
        .any(|policy| policy.rule.name == test.policy);
    if !is_known {
        let span = node.get("policy").map_or(node.span, |policy| policy.span);
        let message = format!("the file has no policy `{}`", test.policy);
        sink.report(Diagnostic::new(&INVALID_POLICY, span, message));
    }
    is_known.then_some((test, node))
}

fn failures(test: &TestText, policies: &UserPolicies, options: &Options) -> Vec<String> {
    let project = Project::read(&[Input::new("input", test.input.as_str())], options);
    let environment = project.environments().first().cloned().unwrap_or_default();
    let model = project.compile(&environment);
    let mut sink = Sink::default();
    let (stand_ins, _) = model.stand_ins_with_cost(&mut Sink::default());
    let scope = PolicyScope {
        environment: None,
        is_own: &|_| true,
        is_partial: &|_| false,
        lists_all: false,
    };
    let judged = model.view(&stand_ins, |world| {
        policies.judge(&model, world, scope, &mut sink)
    });
    let found = model.place(sink);
    let of_policy = |of: &&Diagnostic| of.rule.name == test.policy;
    let found: Vec<(usize, &str)> = found
        .iter()
        .filter(of_policy)
        .map(|of| {
            let line = of.span.map(|span| project.sources().start(span).line);
            (line.unwrap_or_default(), of.message.as_str())
        })
        .collect();
    let unread = project.placed();
    let unread = unread.iter().filter(|of| of.level == Level::Error);
    let mut failures: Vec<String> = unread
        .map(|of| format!("the input cannot be read: {}", of.message))
        .collect();
    failures.extend(differences(&test.findings, &found));
    failures.extend(undecided(test, policies, &judged.judgements));
    failures
}

fn differences(expected: &[ExpectedText], found: &[(usize, &str)]) -> Vec<String> {
    let is_it = |expected: &ExpectedText, (line, message): (usize, &str)| match expected {
        ExpectedText::Message(part) => message.contains(part.as_str()),
        ExpectedText::At(at) => at.line == line && message.contains(&at.message),
    };
    let mut left: Vec<&(usize, &str)> = found.iter().collect();
    let mut failures = Vec::new();
    for expected in expected {
        match left.iter().position(|found| is_it(expected, **found)) {
            Some(at) => drop(left.remove(at)),
            None => failures.push(match expected {
                ExpectedText::Message(part) => format!("expected a finding with \"{part}\""),
                ExpectedText::At(at) if at.message.is_empty() => {
                    format!("expected a finding in line {}", at.line)
                }
                ExpectedText::At(at) => {
                    format!(
                        "expected a finding in line {} with \"{}\"",
                        at.line, at.message
                    )
                }
            }),
        }
    }
    let unexpected = left.iter();
    failures.extend(
        unexpected.map(|(line, message)| format!("unexpected finding in line {line}: {message}")),
    );
    failures
}

fn undecided(
    test: &TestText,
    policies: &UserPolicies,
    judged: &[PolicyJudgement],
) -> Option<String> {
    let is_it =
        |judgement: &&PolicyJudgement| policies.all[judgement.policy].rule.name == test.policy;
    let mut n_undecided = 0;
    let mut first = String::new();
    for judgement in judged.iter().filter(is_it) {
        if let PolicyVerdict::NotDecided(why) = &judgement.verdict {
            n_undecided += 1;
            if first.is_empty() {
                first = format!(", the first is {}: {why}", judgement.what);
            }
        }
    }
    let expected = test.not_decided;
    (n_undecided != expected)
        .then(|| format!("expected {expected} not decided, found {n_undecided}{first}"))
}
