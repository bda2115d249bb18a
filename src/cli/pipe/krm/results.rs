//! Findings as results of a KRM function.
//!
//! In: findings, and the item of each file. Out: an object each, with the resource, the field and the file that the
//! finding is about, as far as it is about one.

use crate::cli::pipe::krm::list::only_document;
use promgen_text::diag::{Diagnostic, escape};
use promgen_text::route::ValueRoute;
use promgen_text::source::Sources;
use promgen_text::yaml::{Map, Node, Value};

/// The result of a finding. `items` are the items in the order of the files.
pub(super) fn result(diagnostic: &Diagnostic, items: &[&Node], sources: &Sources) -> Value {
    let help = diagnostic
        .help
        .iter()
        .map(|help| format!("\nhelp: {help}"))
        .collect::<String>();
    let message = format!("{}: {}{help}", diagnostic.rule.title(), diagnostic.message);
    let item = diagnostic
        .span
        .and_then(|span| items.get(sources.index_of(span.file)?));
    // Orchestrators print it.
    let message = escape::lines(&message);
    let mut result = Map::default()
        .with("message", message)
        .with("severity", diagnostic.level.to_string());
    if let Some(reference) = item.and_then(|item| reference(item)) {
        result.push("resourceRef", reference);
        result.push_some(
            "field",
            field(diagnostic, sources).map(|path| Map::default().with("path", path)),
        );
    }
    result.push_some("file", item.and_then(|item| file(item)));
    let tags = Map::default()
        .with("code", diagnostic.rule.code.to_string())
        .with("rule", diagnostic.rule.name.to_string());
    result.push("tags", tags);
    result.into()
}

/// The identity of an object. `None` if it lacks a part of it.
fn reference(item: &Node) -> Option<Map> {
    let text = |keys: &[&str]| {
        item.find(keys)
            .and_then(Node::as_str)
            .filter(|text| !text.is_empty())
    };
    let mut reference = Map::default();
    reference.push("apiVersion", text(&["apiVersion"])?.to_owned());
    reference.push("kind", text(&["kind"])?.to_owned());
    reference.push("name", text(&["metadata", "name"])?.to_owned());
    reference.push_some(
        "namespace",
        text(&["metadata", "namespace"]).map(str::to_owned),
    );
    Some(reference)
}

/// The file that an orchestrator read the object from.
fn file(item: &Node) -> Option<Map> {
    let (path, index) = origin(item)?;
    Some(
        Map::default()
            .with("path", path.to_owned())
            .with("index", index),
    )
}

/// The kind, namespace and name of an object. `None` if it lacks a part of it.
pub(super) fn name(item: &Node) -> Option<String> {
    let reference = reference(item)?;
    let parts = ["kind", "namespace", "name"]
        .into_iter()
        .filter_map(|key| reference.get(key).and_then(Value::as_str));
    Some(parts.collect::<Vec<_>>().join("/"))
}

/// The path of the file, and which of its documents the object is, from 0.
pub(super) fn origin(item: &Node) -> Option<(&str, i64)> {
    let annotations = item.find(&["metadata", "annotations"])?;
    let text = |name: &str| {
        let current = format!("internal.config.kubernetes.io/{name}");
        // Functions of version v1beta1 use the old name.
        let old = format!("config.kubernetes.io/{name}");
        annotations
            .get(&current)
            .or_else(|| annotations.get(&old))
            .and_then(Node::as_str)
    };
    Some((
        text("path")?,
        text("index")
            .and_then(|index| index.parse().ok())
            .unwrap_or(0),
    ))
}

/// The field that the marked text belongs to: `spec.endpoints[0].port`.
fn field(diagnostic: &Diagnostic, sources: &Sources) -> Option<String> {
    let span = diagnostic.span?;
    // Once for all findings about an item.
    let root = sources.derive(span.file, |file| only_document(&file.text).ok());
    let mut route = ValueRoute::root();
    let mut node = root.as_ref().as_ref()?;
    loop {
        let holds = |start: u32, end: u32| start <= span.start && span.end <= end;
        let entry = node
            .entries()
            .iter()
            .find(|entry| holds(entry.key_span.start, entry.value.span.end));
        let item = node
            .items()
            .iter()
            .enumerate()
            .find(|(_, item)| holds(item.span.start, item.span.end));
        match (entry, item) {
            (Some(entry), _) => {
                route = route.key(entry.key.to_string());
                node = &entry.value;
            }
            (None, Some((index, item))) => {
                route = route.index(index);
                node = item;
            }
            (None, None) => break,
        }
    }
    Some(route.to_string()).filter(|path| !path.is_empty())
}
