//! Questions of an editor about a place, and the answers in the words of the protocol.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::cli::lsp::answer::explained;
use crate::cli::lsp::place::{position, range};
use crate::cli::lsp::workspace::EditorWorkspace;
use promgen_driver::editor::complete::{Completion, CompletionKind};
use promgen_driver::editor::lookup::Lookup;
use promgen_driver::editor::symbols::{Symbol, SymbolKind};
use promgen_driver::editor::{EditorPosition, cursor};
use promgen_text::diag::escape;
use promgen_text::source::{Sources, Span};

/// The actions of the server at a place.
pub(super) fn capabilities() -> Value {
    json!({
        "completionProvider": { "triggerCharacters": [":", " ", "-", "{", "\"", "'"] },
        "definitionProvider": true,
        "documentSymbolProvider": true,
        "hoverProvider": true,
        "referencesProvider": true,
    })
}

/// The answer to a question. `None` if it is not one of these.
pub(super) fn answer(workspace: &EditorWorkspace, method: &str, params: &Value) -> Option<Value> {
    Some(match method {
        "textDocument/hover" => hover(workspace, params),
        "textDocument/definition" => definition(workspace, params).unwrap_or_default(),
        "textDocument/references" => references(workspace, params).unwrap_or_default(),
        "textDocument/documentSymbol" => symbols(workspace, params).unwrap_or_default(),
        "textDocument/completion" => completion(workspace, params).unwrap_or_default(),
        _ => return None,
    })
}

/// The name of the file that a question is about.
fn name<'w>(workspace: &'w EditorWorkspace, params: &Value) -> Option<&'w str> {
    workspace.name(params["textDocument"]["uri"].as_str()?)
}

/// The project, the file and the position that a question is about.
fn asked<'w>(workspace: &'w EditorWorkspace, params: &Value) -> Option<(&'w Lookup, &'w str, EditorPosition)> {
    Some((workspace.lookup()?, name(workspace, params)?, position(&params["position"])?))
}

/// The facts of the place, then the manual of the rules of the findings in its line.
fn hover(workspace: &EditorWorkspace, params: &Value) -> Value {
    let known = asked(workspace, params).and_then(|(lookup, name, at)| Some((lookup.hover(name, at)?, lookup)));
    let rules = explained(workspace, params);
    match (known, rules) {
        (None, None) => Value::Null,
        (None, Some(rules)) => json!({ "contents": markdown(&rules) }),
        (Some((hover, lookup)), rules) => {
            let text: Vec<String> = std::iter::once(hover.text).chain(rules).collect();
            let range = range(hover.span, lookup.project().sources());
            json!({ "contents": markdown(&text.join("\n\n---\n\n")), "range": range })
        }
    }
}

fn markdown(text: &str) -> Value {
    json!({ "kind": "markdown", "value": text })
}

fn definition(workspace: &EditorWorkspace, params: &Value) -> Option<Value> {
    let (lookup, name, at) = asked(workspace, params)?;
    locations(workspace, lookup, &lookup.definitions(name, at))
}

fn references(workspace: &EditorWorkspace, params: &Value) -> Option<Value> {
    let (lookup, name, at) = asked(workspace, params)?;
    let with_itself = params["context"]["includeDeclaration"] == Value::Bool(true);
    locations(workspace, lookup, &lookup.references(name, at, with_itself))
}

fn locations(workspace: &EditorWorkspace, lookup: &Lookup, spans: &BTreeSet<Span>) -> Option<Value> {
    let sources = lookup.project().sources();
    let location =
        |span: &Span| json!({ "uri": workspace.uri(&sources.file(span.file).name), "range": range(*span, sources) });
    (!spans.is_empty()).then(|| spans.iter().map(location).collect())
}

fn symbols(workspace: &EditorWorkspace, params: &Value) -> Option<Value> {
    let lookup = workspace.lookup()?;
    let found = lookup.symbols(name(workspace, params)?)?;
    Some(found.iter().map(|one| symbol(one, lookup.project().sources())).collect())
}

fn symbol(symbol: &Symbol, sources: &Sources) -> Value {
    // The numbers of `SymbolKind` in the protocol.
    let kind = match symbol.kind {
        SymbolKind::Object => 19,
        SymbolKind::Endpoint => 11,
        SymbolKind::Group => 3,
        SymbolKind::Alert => 24,
        SymbolKind::Record => 12,
        SymbolKind::Route => 2,
        SymbolKind::Receiver => 5,
    };
    json!({
        "name": escape::shown(&symbol.name),
        "kind": kind,
        "range": range(symbol.whole, sources),
        "selectionRange": range(symbol.mark, sources),
        "children": symbol.children.iter().map(|child| self::symbol(child, sources)).collect::<Vec<_>>(),
    })
}

/// Completes the text that the client has now, which findings need not be about yet.
fn completion(workspace: &EditorWorkspace, params: &Value) -> Option<Value> {
    let (lookup, name, at) = asked(workspace, params)?;
    let mut sources = Sources::default();
    let text = workspace.text(params["textDocument"]["uri"].as_str()?)?;
    let file = sources.add(name.to_owned(), text.to_owned());
    let offset = cursor::offset(sources.file(file), at)?;
    let found = lookup.completions(name, text, offset)?;
    let byte = |at: usize| u32::try_from(at).ok();
    let word = Span::new(file, byte(found.word.start)?, byte(found.word.end)?);
    let items = found.items.iter().enumerate().map(|(index, item)| completed(item, index, &range(word, &sources)));
    Some(json!({ "isIncomplete": false, "items": items.collect::<Vec<_>>() }))
}

fn completed(item: &Completion, index: usize, word: &Value) -> Value {
    // The numbers of `CompletionItemKind` in the protocol.
    let kind = match item.kind {
        CompletionKind::Field => 10,
        CompletionKind::Value => 12,
        CompletionKind::Name => 18,
    };
    let mut value = json!({
        "label": escape::shown(&item.label),
        "kind": kind,
        "sortText": format!("{index:05}"),
        "filterText": escape::shown(&item.label),
        "textEdit": { "range": word, "newText": item.text },
    });
    if !item.detail.is_empty() {
        value["detail"] = escape::shown(&item.detail).into();
    }
    if !item.documentation.is_empty() {
        value["documentation"] = markdown(&item.documentation);
    }
    value
}
