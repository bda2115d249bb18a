//! Credentials that end with a line break.

use std::collections::BTreeSet;

use promgen_compile::cluster::assets::{ContentFault, secret_key};
use promgen_model::model::World;
use promgen_resources::api::{Kind, Secret};
use promgen_text::CollectOrdered;
use promgen_text::diag::{Diagnostic, Sink, rules};
use promgen_text::route::{At, Segment};
use promgen_text::yaml::Node;

/// The fields with a key of a Secret whose value is sent as it is.
const SENT: [&str; 4] = [
    "bearerTokenSecret",
    "clientSecret",
    "credentials",
    "password",
];

/// The fields that are sent as a header.
const HEADERS: [&str; 2] = ["bearerTokenSecret", "credentials"];

rules! {
    /// ## What it does
    /// Finds passwords, tokens and other credentials of one line that end with a line break.
    ///
    /// ## Why is this bad?
    /// The operator writes the value as it is into the configuration. A password is sent with its line break, and is another one
    /// for the server; a token with a line break is no header, so that nothing is sent at all. `echo TOKEN | base64` adds one, and
    /// so does a text behind `|`.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: v1
    /// kind: Secret
    /// metadata: {name: login}
    /// stringData:
    ///   token: |
    ///     example
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: ServiceMonitor
    /// metadata: {name: web}
    /// spec:
    ///   selector: {}
    ///   endpoints:
    ///   - port: web
    ///     authorization: {credentials: {name: login, key: token}}
    /// ```
    /// Use instead:
    /// ```yaml
    /// apiVersion: v1
    /// kind: Secret
    /// metadata: {name: login}
    /// stringData:
    ///   token: example
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: ServiceMonitor
    /// metadata: {name: web}
    /// spec:
    ///   selector: {}
    ///   endpoints:
    ///   - port: web
    ///     authorization: {credentials: {name: login, key: token}}
    /// ```
    ///
    /// ## Source
    /// Go: net/http refuses header values with line breaks. Prometheus trims files with credentials, and no values of its
    /// configuration, since 2.48.
    LINE_BREAK = "PG527" "line-break-in-credential" Warning: "a credential that ends with a line break";
}

/// A key of a Secret: namespace, name, key.
type SecretKey<'a> = (&'a str, &'a str, &'a str);

/// Reports the fields that refer to such a key.
pub(super) fn check(model: &World<'_>, sink: &mut Sink) {
    let secrets = model.cluster().secrets.iter();
    let broken: BTreeSet<SecretKey<'_>> = secrets
        .flat_map(|(key, secret)| {
            let keys = broken_keys(&secret.value);
            keys.map(move |broken| (key.namespace(), key.name(), broken))
        })
        .collect_set();
    if broken.is_empty() {
        return;
    }
    for document in model
        .documents()
        .iter()
        .filter(|document| has_credentials(document.kind))
    {
        let mut found = Vec::new();
        search(
            &document.node,
            &mut Vec::new(),
            &mut |field, node, route| {
                let text = |key: &str| node.text_of(key);
                let (Some(name), Some(key)) = (text("name"), text("key")) else {
                    return;
                };
                if broken.contains(&(&*document.namespace, name, key)) {
                    let at = route
                        .iter()
                        .fold(At::doc(document.id), |at, segment| match segment {
                            Segment::Key(key) => at.key(key.clone()),
                            Segment::Index(index) => at.index(*index),
                        });
                    found.push((at, message(&document.namespace, name, key, field)));
                }
            },
        );
        for (at, message) in found {
            let finding = Diagnostic::new(&LINE_BREAK, at, message);
            sink.report(
                finding.help("encode it without one: `printf %s VALUE | base64`, or a text in quotes in `stringData`"),
            );
        }
    }
}

fn message(namespace: &str, name: &str, key: &str, field: &str) -> String {
    let effect = if HEADERS.contains(&field) {
        "no request can be sent with it as a header"
    } else {
        "it is sent with that, as another one"
    };
    format!("the key `{key}` of Secret {namespace}/{name} ends with a line break: {effect}")
}

/// The keys whose values have one line, and end with a line break.
fn broken_keys(secret: &Secret) -> impl Iterator<Item = &str> {
    let keys = secret
        .data
        .iter()
        .flatten()
        .chain(secret.string_data.iter().flatten())
        .map(|(key, _)| key.as_str());
    let is_broken = |bytes: &[u8]| {
        let line = bytes.strip_suffix(b"\n")?;
        (!line.is_empty() && !line.contains(&b'\n')).then_some(())
    };
    let is_broken = move |key: &&str| {
        let check = |bytes: &[u8]| is_broken(bytes).ok_or_else(|| ContentFault::plain(""));
        secret_key(secret, key).is_some_and(|value| value.check(check).is_ok())
    };
    keys.filter(is_broken)
}

/// Returns whether resources of a kind refer to credentials that the operator writes into a configuration.
const fn has_credentials(kind: Kind) -> bool {
    !matches!(kind, Kind::Secret | Kind::ConfigMap | Kind::PrometheusRule)
}

/// Calls a function for each field of that sort, with its route.
fn search(node: &Node, route: &mut Vec<Segment>, found: &mut dyn FnMut(&str, &Node, &[Segment])) {
    for (index, item) in node.items().iter().enumerate() {
        route.push(Segment::Index(index));
        search(item, route, found);
        route.pop();
    }
    for entry in node.entries() {
        route.push(Segment::Key(entry.key.to_string().into()));
        match SENT.contains(&&*entry.key) {
            true => found(&entry.key, &entry.value, route),
            false => search(&entry.value, route, found),
        }
        route.pop();
    }
}
