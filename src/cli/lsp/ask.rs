//! Questions of an editor about a place, and the answers in the words of the protocol.

use std::collections::BTreeSet;

use lsp_types::{
    CompletionItem, CompletionItemKind, CompletionList, CompletionOptions, DocumentSymbol, Hover,
    Location, MarkupContent, MarkupKind, Range, ServerCapabilities, SymbolKind as Icon, TextEdit,
};
use serde::Serialize;
use serde_json::Value;

use crate::cli::lsp::answer::explained;
use crate::cli::lsp::place::{position, range};
use crate::cli::lsp::workspace::EditorWorkspace;
use promgen_editor::complete::{Completion, CompletionKind};
use promgen_editor::lookup::Lookup;
use promgen_editor::symbols::{Symbol, SymbolKind};
use promgen_editor::{EditorPosition, cursor};
use promgen_text::diag::escape;
use promgen_text::source::{Sources, Span};

/// The actions of the server at a place.
pub(super) fn capabilities() -> ServerCapabilities {
    let trigger_characters = Some([":", " ", "-", "{", "\"", "'"].map(str::to_owned).to_vec());
    ServerCapabilities {
        completion_provider: Some(CompletionOptions {
            trigger_characters,
            ..CompletionOptions::default()
        }),
        definition_provider: Some(true.into()),
        document_symbol_provider: Some(true.into()),
        hover_provider: Some(true.into()),
        references_provider: Some(true.into()),
        ..ServerCapabilities::default()
    }
}

/// A message as it is sent.
pub(super) fn sent(message: impl Serialize) -> Value {
    serde_json::to_value(message).unwrap_or_default()
}

/// The answer to a question. `None` if it is not one of these.
pub(super) fn answer(workspace: &EditorWorkspace, method: &str, params: &Value) -> Option<Value> {
    Some(match method {
        "textDocument/hover" => sent(hover(workspace, params)),
        "textDocument/definition" => sent(definition(workspace, params)),
        "textDocument/references" => sent(references(workspace, params)),
        "textDocument/documentSymbol" => sent(symbols(workspace, params)),
        "textDocument/completion" => sent(completion(workspace, params)),
        _ => return None,
    })
}

/// The name of the file that a question is about.
fn name<'w>(workspace: &'w EditorWorkspace, params: &Value) -> Option<&'w str> {
    workspace.name(params["textDocument"]["uri"].as_str()?)
}

/// The project, the file and the position that a question is about.
fn asked<'w>(
    workspace: &'w EditorWorkspace,
    params: &Value,
) -> Option<(&'w Lookup, &'w str, EditorPosition)> {
    Some((
        workspace.lookup()?,
        name(workspace, params)?,
        position(&params["position"])?,
    ))
}

/// The facts of the place, then the manual of the rules of the findings in its line.
fn hover(workspace: &EditorWorkspace, params: &Value) -> Option<Hover> {
    let known = asked(workspace, params)
        .and_then(|(lookup, name, at)| Some((lookup.hover(name, at)?, lookup)));
    let rules = explained(workspace, params);
    let range = known
        .as_ref()
        .map(|(hover, lookup)| range(hover.span, lookup.project().sources()));
    let text: Vec<String> = known
        .into_iter()
        .map(|(hover, _)| hover.text)
        .chain(rules)
        .collect();
    (!text.is_empty()).then(|| Hover {
        contents: markdown(&text.join("\n\n---\n\n")).into(),
        range,
    })
}

fn markdown(text: &str) -> MarkupContent {
    MarkupContent {
        kind: MarkupKind::Markdown,
        value: text.to_owned(),
    }
}

fn definition(workspace: &EditorWorkspace, params: &Value) -> Option<Vec<Location>> {
    let (lookup, name, at) = asked(workspace, params)?;
    locations(workspace, lookup, &lookup.definitions(name, at))
}

fn references(workspace: &EditorWorkspace, params: &Value) -> Option<Vec<Location>> {
    let (lookup, name, at) = asked(workspace, params)?;
    let with_itself = params["context"]["includeDeclaration"] == Value::Bool(true);
    locations(workspace, lookup, &lookup.references(name, at, with_itself))
}

fn locations(
    workspace: &EditorWorkspace,
    lookup: &Lookup,
    spans: &BTreeSet<Span>,
) -> Option<Vec<Location>> {
    let sources = lookup.project().sources();
    let uri = |span: &Span| workspace.uri(&sources.file(span.file).name).into();
    let location = |span: &Span| Location {
        uri: uri(span),
        range: range(*span, sources),
    };
    (!spans.is_empty()).then(|| spans.iter().map(location).collect())
}

fn symbols(workspace: &EditorWorkspace, params: &Value) -> Option<Vec<DocumentSymbol>> {
    let lookup = workspace.lookup()?;
    let found = lookup.symbols(name(workspace, params)?)?;
    Some(
        found
            .iter()
            .map(|one| symbol(one, lookup.project().sources()))
            .collect(),
    )
}

fn symbol(symbol: &Symbol, sources: &Sources) -> DocumentSymbol {
    let icon = match symbol.kind {
        SymbolKind::Object => Icon::Object,
        SymbolKind::Endpoint => Icon::Interface,
        SymbolKind::Group => Icon::Namespace,
        SymbolKind::Alert => Icon::Event,
        SymbolKind::Record => Icon::Function,
        SymbolKind::Route => Icon::Module,
        SymbolKind::Receiver => Icon::Class,
    };
    let (name, children) = (escape::shown(&symbol.name), symbol.children.iter());
    let children = children.map(|child| self::symbol(child, sources)).collect();
    let [whole, mark] = [symbol.whole, symbol.mark].map(|span| range(span, sources));
    DocumentSymbol::new(name, None, icon, None, None, whole, mark, Some(children))
}

/// Completes the text that the client has now, which findings need not be about yet.
fn completion(workspace: &EditorWorkspace, params: &Value) -> Option<CompletionList> {
    let (lookup, name, at) = asked(workspace, params)?;
    let mut sources = Sources::default();
    let text = workspace.text(params["textDocument"]["uri"].as_str()?)?;
    let file = sources.add(name.to_owned(), text.to_owned());
    let offset = cursor::offset(sources.file(file), at)?;
    let found = lookup.completions(name, text, offset)?;
    let byte = |at: usize| u32::try_from(at).ok();
    let word = range(
        Span::new(file, byte(found.word.start)?, byte(found.word.end)?),
        &sources,
    );
    let items = found
        .items
        .iter()
        .enumerate()
        .map(|(index, item)| completed(item, index, word))
        .collect();
    Some(CompletionList {
        items,
        ..CompletionList::default()
    })
}

fn completed(item: &Completion, index: usize, range: Range) -> CompletionItem {
    let kind = match item.kind {
        CompletionKind::Field => CompletionItemKind::Property,
        CompletionKind::Value => CompletionItemKind::Value,
        CompletionKind::Name => CompletionItemKind::Reference,
    };
    let label = escape::shown(&item.label);
    let documentation =
        (!item.documentation.is_empty()).then(|| markdown(&item.documentation).into());
    CompletionItem {
        filter_text: Some(label.clone()),
        label,
        kind: Some(kind),
        sort_text: Some(format!("{index:05}")),
        text_edit: Some(
            TextEdit {
                range,
                new_text: item.text.clone(),
            }
            .into(),
        ),
        detail: (!item.detail.is_empty()).then(|| escape::shown(&item.detail)),
        documentation,
        ..CompletionItem::default()
    }
}
