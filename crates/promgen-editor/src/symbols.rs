//! The symbols of a file: its objects, and what stands in them that has a name.

use promgen_text::source::Span;
use promgen_text::yaml::read::ParsedDocument;
use promgen_text::yaml::{Data, Entry, Node};

/// The kind of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolKind {
    /// An object.
    Object,
    /// An endpoint of a monitor, or a job.
    Endpoint,
    /// A group of rules.
    Group,
    /// An alert.
    Alert,
    /// A recorded series.
    Record,
    /// A route.
    Route,
    /// A receiver.
    Receiver,
}

/// A symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// The text to show.
    pub name: String,
    /// Its kind.
    pub kind: SymbolKind,
    /// All of it.
    pub whole: Span,
    /// Its name.
    pub mark: Span,
    /// The symbols within.
    pub children: Vec<Self>,
}

/// The deepest routes that have symbols.
const MAX_DEPTH: usize = 16;

/// The lists of jobs of a ScrapeConfig end so.
const DISCOVERY: &str = "SDConfigs";

/// The symbols of documents, in the order of the text.
#[must_use]
pub fn symbols(documents: &[ParsedDocument]) -> Vec<Symbol> {
    let objects = documents.iter().flat_map(|document| {
        match promgen_resources::document::held(&document.root) {
            Some(held) => held.iter().filter_map(object).collect(),
            None => object(&document.root).into_iter().collect::<Vec<_>>(),
        }
    });
    objects.collect()
}

fn object(node: &Node) -> Option<Symbol> {
    let kind = node.get("kind")?;
    let metadata = |key: &str| {
        node.find(&["metadata", key])
            .filter(|value| !value.is_null())
    };
    let text = |node: &Node| node.as_str().unwrap_or_default().to_owned();
    let (namespace, name) = (metadata("namespace").map(text), metadata("name").map(text));
    let path: Vec<String> = namespace
        .into_iter()
        .chain(name)
        .filter(|part| !part.is_empty())
        .collect();
    let name = format!("{} {}", text(kind), path.join("/"));
    let mark = metadata("name").map_or(kind.span, |name| name.span);
    let children = node.get("spec").map(children).unwrap_or_default();
    Some(Symbol {
        name: name.trim().to_owned(),
        kind: SymbolKind::Object,
        whole: node.span,
        mark,
        children,
    })
}

fn children(spec: &Node) -> Vec<Symbol> {
    let mut symbols = Vec::new();
    for list in ["endpoints", "podMetricsEndpoints"] {
        let items = spec.items_of(list).iter().enumerate();
        symbols.extend(items.map(|(index, item)| endpoint(item, &format!("{list}[{index}]"))));
    }
    let discoveries = spec
        .entries()
        .iter()
        .filter(|entry| entry.key.ends_with(DISCOVERY) || entry.key == "staticConfigs");
    for entry in discoveries {
        let items = entry.value.items().iter().enumerate();
        symbols
            .extend(items.map(|(index, item)| endpoint(item, &format!("{}[{index}]", entry.key))));
    }
    symbols.extend(spec.items_of("groups").iter().map(group));
    symbols.extend(
        spec.entry("route")
            .filter(|entry| !entry.value.is_null())
            .map(top_route),
    );
    symbols.extend(spec.items_of("receivers").iter().filter_map(receiver));
    symbols.sort_by_key(|symbol| symbol.whole.start);
    symbols
}

/// An endpoint, with its port and its path.
fn endpoint(node: &Node, place: &str) -> Symbol {
    let shown = ["port", "targetPort", "portNumber", "path", "role"];
    let shown = shown
        .iter()
        .filter_map(|key| node.get(key))
        .filter_map(scalar);
    let name: Vec<String> = std::iter::once(place.to_owned()).chain(shown).collect();
    Symbol::new(
        name.join(" "),
        SymbolKind::Endpoint,
        node.span,
        first(node),
        Vec::new(),
    )
}

fn group(node: &Node) -> Symbol {
    let name = node.get("name");
    let rules = node.items_of("rules").iter().filter_map(rule).collect();
    let text = name.and_then(Node::as_str).unwrap_or("group").to_owned();
    Symbol::new(
        text,
        SymbolKind::Group,
        node.span,
        name.map_or_else(|| first(node), |name| name.span),
        rules,
    )
}

fn rule(node: &Node) -> Option<Symbol> {
    let (name, kind) = match (node.get("alert"), node.get("record")) {
        (Some(alert), _) => (alert, SymbolKind::Alert),
        (None, record) => (record?, SymbolKind::Record),
    };
    Some(Symbol::new(
        name.as_str()?.to_owned(),
        kind,
        node.span,
        name.span,
        Vec::new(),
    ))
}

fn top_route(entry: &Entry) -> Symbol {
    let symbol = route(&entry.value, "route", 0);
    // The key is a part of it.
    let (key, value) = (entry.key_span, symbol.whole);
    let whole = if key.file == value.file && key.start < value.end {
        Span::new(key.file, key.start, value.end)
    } else {
        value
    };
    Symbol {
        whole,
        mark: key,
        ..symbol
    }
}

fn route(node: &Node, place: &str, depth: usize) -> Symbol {
    let receiver = node
        .text_of("receiver")
        .map(|name| format!("{place} → {name}"));
    let routes = node
        .items_of("routes")
        .iter()
        .filter(|_| depth < MAX_DEPTH)
        .enumerate();
    let children = routes
        .map(|(index, node)| route(node, &format!("routes[{index}]"), depth + 1))
        .collect();
    let name = receiver.unwrap_or_else(|| place.to_owned());
    Symbol::new(name, SymbolKind::Route, node.span, first(node), children)
}

fn receiver(node: &Node) -> Option<Symbol> {
    let name = node.get("name")?;
    Some(Symbol::new(
        name.as_str()?.to_owned(),
        SymbolKind::Receiver,
        node.span,
        name.span,
        Vec::new(),
    ))
}

impl Symbol {
    /// The name lies within the whole, as editors demand.
    fn new(name: String, kind: SymbolKind, whole: Span, mark: Span, children: Vec<Self>) -> Self {
        let is_within =
            mark.file == whole.file && whole.start <= mark.start && mark.end <= whole.end;
        let mark = if is_within {
            mark
        } else {
            Span::new(whole.file, whole.start, whole.start)
        };
        Self {
            name,
            kind,
            whole,
            mark,
            children,
        }
    }
}

/// The place of the first key of a map.
fn first(node: &Node) -> Span {
    node.entries()
        .first()
        .map_or(node.span, |entry| entry.key_span)
}

fn scalar(node: &Node) -> Option<String> {
    match &node.data {
        Data::String(text) => Some(text.to_string()),
        Data::Int(number) => Some(number.to_string()),
        _ => None,
    }
}
