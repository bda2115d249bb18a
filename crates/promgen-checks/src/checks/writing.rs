//! Checks on how values are written: what YAML reads otherwise than people do.

use crate::checks::Family;
use promgen_compile::cluster::assets;
use promgen_model::model::World;
use promgen_model::nodes;
use promgen_resources::api::Kind;
use promgen_resources::document::Document;
use promgen_text::diag::{Diagnostic, Place, Sink, rules};
use promgen_text::route::At;
use promgen_text::source::Sources;
use promgen_text::yaml::{Entry, Node};

rules! {
    /// ## What it does
    /// Finds fields without a value whose line ends with a word behind `#`.
    ///
    /// ## Why is this bad?
    /// YAML reads `#` behind a blank as the beginning of a comment. So the field is empty, as if it was not there.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1alpha1
    /// kind: AlertmanagerConfig
    /// metadata: {name: shop}
    /// spec:
    ///   route: {receiver: chat}
    ///   receivers:
    ///   - name: chat
    ///     slackConfigs:
    ///     - apiURL: {name: slack, key: url}
    ///       channel: #alerts
    /// ```
    /// Use instead:
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1alpha1
    /// kind: AlertmanagerConfig
    /// metadata: {name: shop}
    /// spec:
    ///   route: {receiver: chat}
    ///   receivers:
    ///   - name: chat
    ///     slackConfigs:
    ///     - apiURL: {name: slack, key: url}
    ///       channel: "#alerts"
    /// ```
    COMMENT_AS_VALUE = "PG023" "comment-as-value" Warning: "a value that YAML reads as a comment";

    /// ## What it does
    /// Finds values below `data` of Secrets and `binaryData` of ConfigMaps that are no base64.
    ///
    /// ## Why is this bad?
    /// The API server refuses the object, and whatever refers to it lacks the value.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: v1
    /// kind: Secret
    /// metadata: {name: scrape}
    /// data: {token: "not base64!"}
    /// ```
    /// Use instead: `stringData` for the text as it is, or the text in base64.
    /// ```yaml
    /// apiVersion: v1
    /// kind: Secret
    /// metadata: {name: scrape}
    /// stringData: {token: "not base64!"}
    /// ```
    NOT_BASE64 = "PG024" "not-base64" Error: "a value of a Secret or ConfigMap that is no base64";
}

/// The family.
pub(super) static FAMILY: Family = Family {
    rules: &[RULES],
    check,
};

fn check(model: &World<'_>, sink: &mut Sink) {
    for document in model.documents() {
        comments(document, model.sources(), sink);
        match document.kind {
            Kind::Secret => values(document, "data", model, sink),
            Kind::ConfigMap => values(document, "binaryData", model, sink),
            _ => {}
        }
    }
}

/// The encoded values of a Secret or ConfigMap, below a field. None of them is shown.
fn values(object: &Document, field: &'static str, model: &World<'_>, sink: &mut Sink) {
    // A program that fills in the name fills in the rest.
    let name = object.node.text_at(&["metadata", "name"]);
    if name.is_some_and(|name| name.contains("{{")) {
        return;
    }
    let data = object
        .node
        .get(field)
        .map(Node::entries)
        .unwrap_or_default();
    for entry in data {
        let is_broken = entry
            .value
            .as_str()
            .is_some_and(|text| assets::decode(text).is_none());
        let at = At::doc(object.id).key(field).key(entry.key.to_string());
        if is_broken && model.unknowns().why(model.documents(), &at).is_none() {
            let message = format!("the value of `{}` is no base64", entry.key);
            let plain = if object.kind == Kind::Secret {
                "stringData"
            } else {
                "data"
            };
            let help = format!("write the text as it is below `{plain}`, or encode it");
            sink.report(
                Diagnostic::new(&NOT_BASE64, Place::Key(at), message)
                    .secret()
                    .help(help),
            );
        }
    }
}

fn comments(document: &Document, sources: &Sources, sink: &mut Sink) {
    let entries = nodes::all([&*document.node]).flat_map(Node::entries);
    sink.extend(entries.filter_map(|entry| comment(entry, sources)));
}

/// The finding about an entry that a comment leaves without a value.
fn comment(entry: &Entry, sources: &Sources) -> Option<Diagnostic> {
    if !entry.value.is_null() {
        return None;
    }
    let text = &sources.file(entry.key_span.file).text;
    let rest = text.get(entry.key_span.end as usize..)?.lines().next()?;
    let comment = rest
        .strip_prefix(':')?
        .trim_start()
        .strip_prefix('#')?
        .trim_end();
    let is_word = comment.starts_with(|c: char| c.is_alphanumeric())
        && !comment.contains(char::is_whitespace);
    is_word.then(|| {
        let message = format!("`{}` is empty: `#{comment}` is a comment", entry.key);
        let found = Diagnostic::new(&COMMENT_AS_VALUE, entry.key_span, message);
        found.help(format!(
            "write it in quotes: `{}: \"#{comment}\"`",
            entry.key
        ))
    })
}
