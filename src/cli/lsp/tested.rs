//! The tests of rules that a client asks to run: they mark the expectations that fail. Nothing runs unless it asks.

use lsp_types::{CodeAction, CodeActionKind, Command, Diagnostic, DiagnosticSeverity, Range};
use serde_json::Value;

use crate::cli::Failure;
use crate::cli::check::test::{FailedExpectation, of_editor};
use crate::cli::lsp::place::place;
use crate::cli::lsp::workspace::EditorWorkspace;
use promgen_targets::rule_test::read::is_rule_test;
use promgen_text::diag::count::counted;
use promgen_text::diag::escape;
use promgen_text::source::Input;

/// The kind of the action.
const KIND: &str = "source.promgen.test";

/// The messages of a run.
pub(super) struct ClientTests {
    /// The file.
    pub(super) uri: String,
    /// The marks in it.
    pub(super) marks: Vec<Diagnostic>,
    /// The result.
    pub(super) summary: String,
}

/// The command of a workspace. A client may have servers for several, and its commands have one name each.
pub(super) fn command(workspace: &EditorWorkspace) -> String {
    format!("promgen.test:{}", workspace.uri(""))
}

/// The action that runs the tests of a file, if it has tests of rules.
pub(super) fn action(workspace: &EditorWorkspace, params: &Value) -> Option<CodeAction> {
    let is_wanted = |kind: &Value| {
        let asked = kind.as_str().unwrap_or_default();
        asked.is_empty()
            || KIND
                .strip_prefix(asked)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    if params["context"]["only"]
        .as_array()
        .is_some_and(|only| !only.iter().any(is_wanted))
    {
        return None;
    }
    let uri = params["textDocument"]["uri"].as_str()?;
    let title = "Run the tests of rules in this file";
    input(workspace, uri).map(|_| CodeAction {
        title: title.to_owned(),
        kind: Some(CodeActionKind::new(KIND)),
        command: Some(Command {
            title: title.to_owned(),
            command: command(workspace),
            arguments: Some(vec![uri.into()]),
            ..Command::default()
        }),
        ..CodeAction::default()
    })
}

/// Runs the tests of the file that a command names. `None`: it is another command.
pub(super) fn run(
    workspace: &EditorWorkspace,
    params: &Value,
) -> Option<Result<ClientTests, Failure>> {
    params["command"]
        .as_str()
        .filter(|name| *name == command(workspace))?;
    let uri = params["arguments"][0].as_str().unwrap_or_default();
    let Some(input) = input(workspace, uri) else {
        return Some(Err(Failure::message(format!(
            "`{uri}` has no tests of rules"
        ))));
    };
    Some(of_editor(&input).map(|tests| {
        let text = String::from_utf8_lossy(&input.bytes);
        let lines: Vec<&str> = text.lines().collect();
        let marks = tests
            .failed
            .iter()
            .map(|failed| mark(failed, &lines))
            .collect();
        let summary = match tests.failed.len() {
            0 => format!("{} passed", counted(tests.n_tests, "test")),
            n => format!(
                "{}: {} failed",
                counted(tests.n_tests, "test"),
                counted(n, "expectation")
            ),
        };
        ClientTests {
            uri: uri.to_owned(),
            marks,
            summary,
        }
    }))
}

/// A file of tests of rules, as the client has it.
fn input(workspace: &EditorWorkspace, uri: &str) -> Option<Input> {
    let (name, text) = (workspace.name(uri)?, workspace.text(uri)?);
    Some(Input::new(name, text)).filter(is_rule_test)
}

/// The mark of a line, without the blanks at its start.
fn mark(failed: &FailedExpectation, lines: &[&str]) -> Diagnostic {
    let number = failed.line.saturating_sub(1);
    let line = lines.get(number).copied().unwrap_or_default();
    let width = |text: &str| text.encode_utf16().count();
    let start = width(line) - width(line.trim_start());
    let end = width(line.trim_end()).max(start);
    Diagnostic {
        range: Range {
            start: place(number, start),
            end: place(number, end),
        },
        severity: Some(DiagnosticSeverity::Error),
        source: Some("promgen test".to_owned()),
        message: escape::shown(&failed.text.join("\n")).into(),
        ..Diagnostic::default()
    }
}
