//! The statements of the server on findings: in files, as fixes, and explained.

use std::collections::BTreeMap;

use lsp_types::{
    CodeAction, CodeActionKind, CodeDescription, Diagnostic as Finding,
    DiagnosticRelatedInformation, DiagnosticSeverity, Location, TextEdit, WorkspaceEdit,
};
use serde_json::Value;

use crate::cli::lsp::place::range;
use crate::cli::lsp::workspace::EditorWorkspace;
use promgen_text::diag::fix::Fix;
use promgen_text::diag::{Diagnostic, Level, RuleRef, escape};
use promgen_text::source::Span;

/// The findings of each file that has any, by URI.
pub(super) fn published(workspace: &EditorWorkspace) -> BTreeMap<String, Vec<Finding>> {
    let mut by_file: BTreeMap<String, Vec<Finding>> = BTreeMap::new();
    for found in &workspace.output.diagnostics {
        let Some(span) = found.span else { continue };
        let name = &workspace.output.sources.file(span.file).name;
        by_file
            .entry(workspace.uri(name))
            .or_default()
            .push(finding(found, span, workspace));
    }
    by_file
}

fn finding(found: &Diagnostic, span: Span, workspace: &EditorWorkspace) -> Finding {
    let severity = match found.level {
        Level::Error => DiagnosticSeverity::Error,
        Level::Warning => DiagnosticSeverity::Warning,
        Level::Info => DiagnosticSeverity::Information,
    };
    let label = found.label.iter().map(String::as_str);
    let help = found.help.iter().map(|help| format!("help: {help}"));
    let lines: Vec<String> = std::iter::once(found.message.clone())
        .chain(label.map(str::to_owned))
        .chain(help)
        .collect();
    let related = found.related_spans.iter().zip(&found.related);
    let related = related
        .map(|(span, (_, text))| related_place(*span, text, workspace))
        .collect();
    Finding {
        range: range(span, &workspace.output.sources),
        severity: Some(severity),
        code: Some(found.rule.code.clone().into()),
        code_description: found
            .rule
            .url()
            .map(|url| CodeDescription { href: url.into() }),
        source: Some(source(found, workspace)),
        message: escape::shown(&lines.join("\n")).into(),
        related_information: Some(related),
        ..Finding::default()
    }
}

/// `promgen`, and the environments that the finding is one of: editors show it behind the message.
fn source(found: &Diagnostic, workspace: &EditorWorkspace) -> String {
    let environments = workspace
        .lookup()
        .and_then(|lookup| lookup.environments_of(found));
    environments.map_or_else(
        || "promgen".to_owned(),
        |names| format!("promgen ({names})"),
    )
}

fn related_place(
    span: Span,
    text: &str,
    workspace: &EditorWorkspace,
) -> DiagnosticRelatedInformation {
    let sources = &workspace.output.sources;
    let uri = workspace.uri(&sources.file(span.file).name).into();
    let location = Location {
        uri,
        range: range(span, sources),
    };
    DiagnosticRelatedInformation {
        location,
        message: escape::shown(text),
    }
}

/// The findings at the place that a request names.
fn asked<'w>(workspace: &'w EditorWorkspace, params: &Value) -> Vec<(&'w Diagnostic, Span)> {
    let Some(name) = params["textDocument"]["uri"]
        .as_str()
        .and_then(|uri| workspace.name(uri))
    else {
        return Vec::new();
    };
    let line = |value: &Value| {
        value["line"]
            .as_u64()
            .and_then(|line| usize::try_from(line).ok())
    };
    let at = &params["position"];
    let [start, end] =
        [&params["range"]["start"], &params["range"]["end"]].map(|end| line(end).or(line(at)));
    let lines = start.unwrap_or(0)..=end.unwrap_or(usize::MAX);
    promgen_editor::at(
        &workspace.output.diagnostics,
        name,
        lines,
        &workspace.output.sources,
    )
    .collect()
}

/// The fixes of the findings in a range.
pub(super) fn actions(workspace: &EditorWorkspace, params: &Value) -> Vec<CodeAction> {
    let is_wanted = |kind: &Value| {
        kind.as_str()
            .is_some_and(|kind| kind.is_empty() || kind == "quickfix")
    };
    if params["context"]["only"]
        .as_array()
        .is_some_and(|only| !only.iter().any(is_wanted))
    {
        return Vec::new();
    }
    let sources = &workspace.output.sources;
    let asked = asked(workspace, params);
    let fixes = asked
        .iter()
        .filter_map(|(found, span)| Some((*found, *span, promgen_editor::fix(found, sources)?)));
    fixes
        .map(|(found, span, fix)| action(fix, finding(found, span, workspace), workspace))
        .collect()
}

fn action(fix: &Fix, finding: Finding, workspace: &EditorWorkspace) -> CodeAction {
    let sources = &workspace.output.sources;
    let edits = fix.edits.iter();
    let edits = edits
        .map(|edit| TextEdit {
            range: range(edit.span, sources),
            new_text: edit.text.clone(),
        })
        .collect();
    let file = fix.edits.first().map_or_else(String::new, |edit| {
        sources.file(edit.span.file).name.clone()
    });
    let changes = [(workspace.uri(&file).into(), edits)].into();
    CodeAction {
        title: fix.title.clone(),
        kind: Some(CodeActionKind::QuickFix),
        is_preferred: Some(fix.is_safe),
        diagnostics: Some(vec![finding]),
        edit: Some(WorkspaceEdit {
            changes: Some(changes),
            ..WorkspaceEdit::default()
        }),
        ..CodeAction::default()
    }
}

/// The manual of the rules of the findings in a line.
pub(super) fn explained(workspace: &EditorWorkspace, params: &Value) -> Option<String> {
    let mut rules: Vec<&RuleRef> = asked(workspace, params)
        .into_iter()
        .map(|(found, _)| &found.rule)
        .collect();
    rules.dedup();
    if rules.is_empty() {
        return None;
    }
    let texts = rules.iter().map(|rule| {
        let lines: Vec<&str> = rule.lines().collect();
        let title = match rule.url() {
            Some(url) => format!("[{}]({url}) {}", rule.code, rule.name),
            None => rule.code.to_string(),
        };
        format!("**{title}**\n\n{}", lines.join("\n"))
    });
    Some(texts.collect::<Vec<_>>().join("\n\n---\n\n"))
}
