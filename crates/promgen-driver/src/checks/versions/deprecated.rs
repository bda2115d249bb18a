//! Fields that the operator's CRDs mark as deprecated.

use crate::checks::View;
use promgen_resources::api::Kind;
use promgen_resources::document::Document;
use promgen_text::diag::{Diagnostic, Level, Place, Sink, rule};
use promgen_text::route::{At, ValueRoute};
use promgen_text::yaml::{Data, Node};

rule! {
    /// ## What it does
    /// Finds fields that the operator's API marks as deprecated, and names the replacement. If several items of a list have the
    /// field, the finding is at the first one.
    ///
    /// The level is warning if the field has a full replacement or exposes a secret, and info if it is widely used and works.
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
    pub(in crate::checks) static DEPRECATED_FIELD = "PG304" "deprecated-field" {
        summary: "a deprecated field", level: Warning, since: "0.1.0",
    }
}

/// A field: the kinds that have it, its path (`*` is every item of a list), its replacement, and the level.
type DeprecatedField = (
    &'static [Kind],
    &'static [&'static str],
    &'static str,
    Level,
);

const SERVER: &[Kind] = &[Kind::Prometheus];
const SCALABLE: &[Kind] = &[Kind::Prometheus, Kind::PrometheusAgent];
const WRITERS: &[Kind] = &[Kind::Prometheus, Kind::PrometheusAgent, Kind::ThanosRuler];
const ALERTMANAGER: &[Kind] = &[Kind::Alertmanager];
const RULERS: &[Kind] = &[Kind::Prometheus, Kind::ThanosRuler];
const ROUTES: &[Kind] = &[Kind::AlertmanagerConfig];

/// The fields that the descriptions of the CRDs mark as deprecated.
static FIELDS: &[DeprecatedField] = &[
    (
        &[Kind::Prometheus, Kind::Alertmanager],
        &["spec", "baseImage"],
        "use `image`",
        Level::Warning,
    ),
    (
        &[Kind::Prometheus, Kind::Alertmanager],
        &["spec", "tag"],
        "put the tag into `image`",
        Level::Warning,
    ),
    (
        &[Kind::Prometheus, Kind::Alertmanager],
        &["spec", "sha"],
        "put the digest into `image`",
        Level::Warning,
    ),
    (
        SERVER,
        &["spec", "thanos", "baseImage"],
        "use `image`",
        Level::Warning,
    ),
    (
        SERVER,
        &["spec", "thanos", "tag"],
        "put the tag into `image`",
        Level::Warning,
    ),
    (
        SERVER,
        &["spec", "thanos", "sha"],
        "put the digest into `image`",
        Level::Warning,
    ),
    (
        SERVER,
        &["spec", "thanos", "listenLocal"],
        "use `grpcListenLocal` and `httpListenLocal`",
        Level::Warning,
    ),
    (
        SERVER,
        &["spec", "allowOverlappingBlocks"],
        "remove it: blocks may overlap since 2.39",
        Level::Info,
    ),
    (
        RULERS,
        &["spec", "prometheusRulesExcludedFromEnforce"],
        "use `excludedFromEnforcement`",
        Level::Warning,
    ),
    (
        SCALABLE,
        &["spec", "apiserverConfig", "bearerToken"],
        TOKEN,
        Level::Warning,
    ),
    (
        SCALABLE,
        &["spec", "apiserverConfig", "bearerTokenFile"],
        AUTHORIZATION,
        Level::Info,
    ),
    (
        WRITERS,
        &["spec", "remoteWrite", "*", "bearerToken"],
        TOKEN,
        Level::Warning,
    ),
    (
        WRITERS,
        &["spec", "remoteWrite", "*", "bearerTokenFile"],
        AUTHORIZATION,
        Level::Info,
    ),
    (
        SERVER,
        &["spec", "remoteRead", "*", "bearerToken"],
        TOKEN,
        Level::Warning,
    ),
    (
        SERVER,
        &["spec", "remoteRead", "*", "bearerTokenFile"],
        AUTHORIZATION,
        Level::Info,
    ),
    (
        SERVER,
        &["spec", "alerting", "alertmanagers", "*", "bearerTokenFile"],
        AUTHORIZATION,
        Level::Info,
    ),
    (
        Kind::WORKLOADS,
        &["spec", "storage", "disableMountSubPath"],
        "remove it",
        Level::Info,
    ),
    (
        ALERTMANAGER,
        &[
            "spec",
            "alertmanagerConfiguration",
            "global",
            "httpConfig",
            "bearerTokenSecret",
        ],
        AUTHORIZATION,
        Level::Info,
    ),
    (
        &[Kind::ServiceMonitor],
        &["spec", "endpoints", "*", "bearerTokenFile"],
        AUTHORIZATION,
        Level::Info,
    ),
    (
        &[Kind::ServiceMonitor],
        &["spec", "endpoints", "*", "bearerTokenSecret"],
        AUTHORIZATION,
        Level::Info,
    ),
    (
        &[Kind::PodMonitor],
        &["spec", "podMetricsEndpoints", "*", "bearerTokenSecret"],
        AUTHORIZATION,
        Level::Info,
    ),
    (
        &[Kind::PodMonitor],
        &["spec", "podMetricsEndpoints", "*", "targetPort"],
        "use `port` or `portNumber`",
        Level::Info,
    ),
    (
        &[Kind::Probe],
        &["spec", "bearerTokenSecret"],
        AUTHORIZATION,
        Level::Info,
    ),
    (
        ROUTES,
        &["spec", "route", "matchers", "*", "regex"],
        "use `matchType: \"=~\"`",
        Level::Info,
    ),
    (
        ROUTES,
        &["spec", "inhibitRules", "*", "sourceMatch", "*", "regex"],
        "use `matchType: \"=~\"`",
        Level::Info,
    ),
    (
        ROUTES,
        &["spec", "inhibitRules", "*", "targetMatch", "*", "regex"],
        "use `matchType: \"=~\"`",
        Level::Info,
    ),
];

const AUTHORIZATION: &str = "use `authorization` with `credentials`";
const TOKEN: &str = "use `authorization` with `credentials`: everyone who can read the resource can read this token";

/// Checks every document.
pub(super) fn check(model: &View<'_>, sink: &mut Sink) {
    for document in model.documents {
        for (kinds, path, instead, level) in FIELDS {
            // A converted document has the fields of another version, which are judged there.
            let is_of_alpha = document.is_converted && path.last() == Some(&"regex");
            if kinds.contains(&document.kind) && !is_of_alpha {
                field(document, path, instead, *level, sink);
            }
        }
    }
}

fn field(document: &Document, path: &[&'static str], instead: &str, level: Level, sink: &mut Sink) {
    if !is_set(&document.node, path) {
        return;
    }
    let mut found = Vec::new();
    find(&document.node, path, &ValueRoute::root(), &mut found);
    let Some(first) = found.first() else { return };
    let message = format!("`{first}` is deprecated");
    let at = At {
        doc: document.id,
        route: first.clone(),
    };
    let mut diagnostic = Diagnostic::new(&DEPRECATED_FIELD, Place::Key(at), message)
        .help(instead)
        .level(level);
    if found.len() > 1 {
        diagnostic = diagnostic.label(format!("and {} more below", found.len() - 1));
    }
    sink.report(diagnostic);
}

/// Returns whether a path has a value anywhere. Recursion is as deep as the path.
fn is_set(node: &Node, path: &[&'static str]) -> bool {
    match path.split_first() {
        None => !is_empty(node),
        Some((&"*", rest)) => node.items().iter().any(|item| is_set(item, rest)),
        Some((key, rest)) => node.get(key).is_some_and(|value| is_set(value, rest)),
    }
}

/// The places of a path that have a value. Recursion is as deep as the path.
fn find(node: &Node, path: &[&'static str], route: &ValueRoute, found: &mut Vec<ValueRoute>) {
    match path.split_first() {
        None if !is_empty(node) => found.push(route.clone()),
        None => {}
        Some((&"*", rest)) => {
            for (index, item) in node.items().iter().enumerate() {
                find(item, rest, &route.clone().index(index), found);
            }
        }
        Some((key, rest)) => {
            if let Some(value) = node.get(key) {
                find(value, rest, &route.clone().key(*key), found);
            }
        }
    }
}

/// Returns whether a field has the zero value of its type.
fn is_empty(node: &Node) -> bool {
    match &node.data {
        Data::Null | Data::Bool(false) => true,
        Data::String(text) => text.is_empty(),
        Data::Seq(items) => items.is_empty(),
        Data::Map(entries) => entries.is_empty(),
        Data::Int(number) => *number == 0,
        Data::Bool(true) | Data::Uint(_) | Data::Float(_) => false,
    }
}
