//! Fields that the operator's CRDs mark as deprecated.

use promgen_model::model::World;
use promgen_resources::document::Document;
use promgen_text::diag::{Diagnostic, Level, Place, Sink, rules};
use promgen_text::route::{At, ValueRoute};
use promgen_text::yaml::{Data, Node};

rules! {
    /// ## What it does
    /// Finds fields that the operator's API marks as deprecated, and names the replacement. If several items of a list have the
    /// field, the finding is at the first one.
    ///
    /// The level is warning if the field has a full replacement or exposes a secret, and info if it is widely used and works.
    /// An operator that is older than all that promgen knows may have no other field.
    ///
    /// ## Why is this bad?
    /// A later version of the operator removes it.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   baseImage: quay.io/prometheus/prometheus
    ///   tag: v3.13.2
    /// ```
    /// Use instead:
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   image: quay.io/prometheus/prometheus:v3.13.2
    /// ```
    DEPRECATED_FIELD = "PG304" "deprecated-field" Warning: "a deprecated field";
}

/// Deprecated fields. It explains itself.
static FIELDS: &str = include_str!("deprecated.txt");

/// The kinds, the path, the level of a finding, and what to do instead.
fn row(line: &'static str) -> Option<(&'static str, &'static str, Level, &'static str)> {
    let mut words = line.splitn(4, ' ');
    let (kinds, path, level) = (words.next()?, words.next()?, words.next()?);
    let level = match level {
        "warning" => Level::Warning,
        "info" => Level::Info,
        _ => return None,
    };
    Some((kinds, path, level, words.next()?))
}

/// Checks every document. What is deprecated since may be the only way that an older operator knows.
pub(super) fn check(model: &World<'_>, sink: &mut Sink) {
    if model.has_older_operator() {
        return;
    }
    let rows: Vec<_> = FIELDS.lines().filter_map(row).collect();
    for document in model.documents() {
        let is_own = |kinds: &str| kinds.split(',').any(|kind| kind == document.kind.as_str());
        for &(_, path, level, instead) in rows.iter().filter(|(kinds, ..)| is_own(kinds)) {
            // A converted document has the fields of another version, which are judged there.
            if !(document.is_converted && path.ends_with(".regex")) {
                sink.extend(finding(document, path, instead).map(|found| found.level(level)));
            }
        }
    }
}

fn finding(document: &Document, path: &str, instead: &str) -> Option<Diagnostic> {
    let mut found = Vec::new();
    let at = At::spec(document.id);
    let spec = document.node.get("spec")?;
    find(spec, Some(path), &at.route, &mut found);
    let (first, _) = found.first()?;
    let message = format!("`{first}` is deprecated");
    let at = At {
        doc: document.id,
        route: first.clone(),
    };
    let diagnostic = Diagnostic::new(&DEPRECATED_FIELD, Place::Key(at), message).help(instead);
    Some(match found.len() {
        1 => diagnostic,
        n => diagnostic.label(format!("and {} more below", n - 1)),
    })
}

/// The places of a path that have a value, and the values. Recursion is as deep as the path.
pub(super) fn find<'n>(
    node: &'n Node,
    path: Option<&str>,
    route: &ValueRoute,
    found: &mut Vec<(ValueRoute, &'n Node)>,
) {
    let Some(path) = path else {
        if !is_empty(node) {
            found.push((route.clone(), node));
        }
        return;
    };
    let (key, rest) = match path.split_once('.') {
        Some((key, rest)) => (key, Some(rest)),
        None => (path, None),
    };
    if key == "*" {
        for (index, item) in node.items().iter().enumerate() {
            find(item, rest, &route.clone().index(index), found);
        }
    } else if let Some(value) = node.get(key) {
        find(value, rest, &route.clone().key(key.to_owned()), found);
    }
}

/// Returns whether a field has the zero value of its type.
pub(super) fn is_empty(node: &Node) -> bool {
    match &node.data {
        Data::Null | Data::Bool(false) => true,
        Data::String(text) => text.is_empty(),
        Data::Seq(items) => items.is_empty(),
        Data::Map(entries) => entries.is_empty(),
        Data::Int(number) => *number == 0,
        Data::Bool(true) | Data::Uint(_) | Data::Float(_) => false,
    }
}
