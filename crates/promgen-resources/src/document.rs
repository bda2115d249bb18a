//! Parsed texts into objects of Kubernetes: the one place that takes lists apart.
//!
//! In: the roots of all files, in input order. Out: [`Manifests`]: the documents of the kinds that promgen compiles, with
//! the namespace that they end up in, and the objects of all other kinds, for those who read them. Looks at nothing but
//! `apiVersion`, `kind`, and the name and namespace of `metadata`.

mod template;
mod unserved;

use std::borrow::Cow;
use std::sync::Arc;

use crate::api::{Kind, group};
use crate::document::unserved::Slip;
use crate::release::fields::{self, PrunedField};
use promgen_text::diag::{Diagnostic, Sink, Subject, rules};
use promgen_text::origin::DocumentOrigin;
use promgen_text::parallel;
use promgen_text::route::DocId;
use promgen_text::shared::Shared;
use promgen_text::source::Span;
use promgen_text::version::Version;
use promgen_text::yaml::read::ParsedDocument;
use promgen_text::yaml::{Data, Node, NodeText};

rules! {
    /// ## What it does
    /// Finds documents that look like Kubernetes objects, but do not say of which kind.
    ///
    /// ## Why is this bad?
    /// `kubectl` refuses them.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// metadata:
    ///   name: no-kind
    /// ```
    /// Use instead:
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: ServiceMonitor
    /// metadata:
    ///   name: a-kind
    /// spec:
    ///   selector: {}
    ///   endpoints: []
    /// ```
    MISSING_KIND = "PG018" "missing-kind" Error: "an object without apiVersion or kind";

    /// ## What it does
    /// Finds documents that are no Kubernetes objects, such as the values of a Helm chart, and says that they are skipped. Dashboards
    /// that Grafana exports are read.
    ///
    /// ## Why is this bad?
    /// It is not, unless you expected something from that file.
    ///
    /// ## Example
    /// ```yaml
    /// replicaCount: 2
    /// ```
    /// Use instead: nothing, if the file is what it should be; `exclude` in `promgen.yaml` keeps lint away from it.
    /// ```yaml
    /// apiVersion: v1
    /// kind: Namespace
    /// metadata: {name: shop}
    /// ```
    FOREIGN_DOCUMENT = "PG019" "foreign-document" Info: "a document that is no Kubernetes object";

    /// ## What it does
    /// Finds objects of a known kind in a version that the operator does not serve, and those whose kind or group is the
    /// operator's but for a slip: `ServiceMonitors`, `Servicemonitor`, `monitoring.coreos.io/v1`, or `v1`.
    ///
    /// ## Why is this bad?
    /// The API server knows no such kind.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1beta1
    /// kind: ServiceMonitor
    /// metadata:
    ///   name: too-new
    /// spec:
    ///   selector: {}
    ///   endpoints: []
    /// ```
    /// Use instead:
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: ServiceMonitor
    /// metadata:
    ///   name: just-right
    /// spec:
    ///   selector: {}
    ///   endpoints: []
    /// ```
    UNKNOWN_VERSION = "PG021" "unknown-version" Error: "a known kind in a version that is not served";
}

/// An object of a kind that plays a part.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// Its identity.
    pub id: DocId,
    /// Its kind.
    pub kind: Kind,
    /// Its namespace, that of the run if it names none; empty for kinds that live in none.
    pub namespace: NodeText,
    /// It names its namespace itself, or lives in none.
    pub namespace_is_stated: bool,
    /// Its name. Empty if it has none, which validation reports.
    pub name: NodeText,
    /// Its values, as they were written; those of an older or newer version as the API server converts them.
    pub node: Shared<Node>,
    /// They were converted.
    pub is_converted: bool,
    /// The origin.
    pub origin: DocumentOrigin,
}

impl Document {
    /// Which resource it is.
    #[must_use]
    pub fn subject(&self) -> Subject {
        Subject {
            kind: self.kind.as_str(),
            namespace: self.namespace.to_string(),
            name: self.name.to_string(),
        }
    }

    /// The document as an object of any kind.
    #[must_use]
    pub fn manifest(&self) -> Manifest<'_> {
        let Self {
            kind,
            namespace,
            name,
            node,
            ..
        } = self;
        let namespace = kind.is_namespaced().then_some(namespace.as_str());
        Manifest {
            group: kind.group(),
            kind: kind.as_str(),
            namespace,
            name,
            node,
        }
    }

    /// `Kind/namespace/name`, or `Kind/name`.
    #[must_use]
    pub fn resource(&self) -> String {
        self.subject().to_string()
    }
}

/// The document with that identity, of documents in input order.
#[must_use]
pub fn find(documents: &[Document], id: DocId) -> Option<&Document> {
    let at = documents.binary_search_by_key(&id, |document| document.id);
    at.ok().map(|at| &documents[at])
}

/// The objects of a run, in input order.
#[derive(Clone, Debug, Default)]
pub struct Manifests {
    /// The documents of the kinds that play a part.
    pub documents: Vec<Document>,
    /// The objects of other kinds, and of versions that are not served.
    others: Vec<Other>,
    /// The namespace of objects that name none.
    pub namespace: String,
}

#[derive(Clone, Debug)]
struct Other {
    /// The number of documents that stand before it.
    n_before: usize,
    group: String,
    kind: String,
    /// Its namespace. `None` if it names none.
    namespace: Option<String>,
    name: String,
    node: Shared<Node>,
}

/// An object of any kind.
#[derive(Clone, Copy, Debug)]
pub struct Manifest<'s> {
    /// Its group; empty for the core of Kubernetes.
    pub group: &'s str,
    /// Its kind.
    pub kind: &'s str,
    /// Its namespace. `None` if its kind lives in none, or if nobody knows and it names none.
    pub namespace: Option<&'s str>,
    /// Its name. Empty if it has none.
    pub name: &'s str,
    /// Its values.
    pub node: &'s Shared<Node>,
}

/// Returns whether an object was read from a cluster: the API server gives everything an id, a version and a
/// generation, and controllers write the generation that they observed. A manifest, or the output of a generator, has
/// none of these. Of a list, whether all its objects were.
#[must_use]
pub fn is_observed(root: &Node) -> bool {
    if let Some(held) = held(root).filter(|held| !held.is_empty()) {
        return held.iter().all(is_observed);
    }
    let has = |keys: &[&str]| {
        root.find(keys)
            .is_some_and(|node| !node.is_null() && node.as_str() != Some(""))
    };
    ["uid", "resourceVersion", "generation"]
        .iter()
        .any(|key| has(&["metadata", key]))
        || has(&["status", "observedGeneration"])
}

impl Other {
    fn manifest(&self) -> Manifest<'_> {
        let Self {
            group,
            kind,
            namespace,
            name,
            node,
            ..
        } = self;
        Manifest {
            group,
            kind,
            namespace: namespace.as_deref(),
            name,
            node,
        }
    }
}

impl Manifests {
    /// Takes the documents of all files apart. `namespace` is where objects go that name none.
    pub fn read(
        parsed: impl IntoIterator<Item = ParsedDocument>,
        namespace: &str,
        sink: &mut Sink,
    ) -> Self {
        let mut manifests = Self {
            namespace: namespace.to_owned(),
            ..Self::default()
        };
        let parsed: Vec<ParsedDocument> = parsed.into_iter().collect();
        let namespace = NodeText::from(namespace);
        let objects = parallel::map(&parsed, AT_ONCE, |document| {
            objects(document.clone(), &namespace)
        });
        for (objects, found) in objects {
            sink.append(found);
            objects
                .into_iter()
                .for_each(|object| manifests.push(object));
        }
        manifests
    }

    /// Gives an object its identity.
    fn push(&mut self, object: ReadManifest) {
        match object {
            ReadManifest::Known(document) => {
                let last = self.documents.last().map(|last| last.id);
                let id = DocId::following(last, document.node.span.file);
                self.documents.push(Document { id, ..document });
            }
            ReadManifest::Other(other) => {
                let n_before = self.documents.len();
                self.others.push(Other { n_before, ..other });
            }
        }
    }

    /// Drops the fields that the API server of a release of the operator does not know. Returns what was dropped.
    pub fn prune(&mut self, operator: &Version) -> Vec<PrunedField> {
        let of =
            |document: &mut Document| fields::prune(document.kind, &mut document.node, operator);
        self.documents.iter_mut().flat_map(of).collect()
    }

    /// All objects, in input order.
    pub fn iter(&self) -> impl Iterator<Item = Manifest<'_>> {
        let mut others = self.others.iter().peekable();
        let mut documents = self.documents.iter().enumerate().peekable();
        std::iter::from_fn(move || {
            let at = documents.peek().map_or(self.documents.len(), |(at, _)| *at);
            let other = others.next_if(|other| other.n_before <= at);
            other
                .map(Other::manifest)
                .or_else(|| documents.next().map(|(_, document)| document.manifest()))
        })
    }
}

/// The least number of documents that a thread takes apart.
const AT_ONCE: usize = 64;

/// An object without its identity.
enum ReadManifest {
    Known(Document),
    Other(Other),
}

/// The objects of a document, with the findings about it.
fn objects(
    ParsedDocument { root, span, origin }: ParsedDocument,
    namespace: &NodeText,
) -> (Vec<ReadManifest>, Sink) {
    let (mut objects, mut sink) = (Vec::new(), Sink::default());
    // A stack rather than recursion, in reverse, so that the items of a list take its place.
    let mut todo = vec![(root, span, None)];
    while let Some((node, span, inherited)) = todo.pop() {
        match classify(node, span, &inherited, &mut sink) {
            DocumentClass::Object {
                kind,
                node,
                is_converted,
            } => {
                let document = document(kind, node, is_converted, namespace);
                objects.push(ReadManifest::Known(Document {
                    origin: origin.clone(),
                    ..document
                }));
            }
            DocumentClass::List(items, inherited) => {
                let items = items.0.iter().rev();
                todo.extend(items.map(|item| (item.clone(), item.span, inherited.clone())));
            }
            DocumentClass::Other { group, kind, node } => {
                let of = |key| meta(&node, key).map(ToString::to_string);
                let (namespace, name) = (of("namespace"), of("name").unwrap_or_default());
                objects.push(ReadManifest::Other(Other {
                    n_before: 0,
                    group,
                    kind,
                    namespace,
                    name,
                    node,
                }));
            }
            DocumentClass::None => {}
        }
    }
    (objects, sink)
}

/// A document without its identity. `namespace` is where it goes if it names none.
fn document(kind: Kind, node: Shared<Node>, is_converted: bool, namespace: &NodeText) -> Document {
    let stated = if kind.is_namespaced() {
        meta(&node, "namespace").cloned()
    } else {
        Some(NodeText::new())
    };
    Document {
        id: DocId::default(),
        kind,
        namespace_is_stated: stated.is_some(),
        namespace: stated.unwrap_or_else(|| namespace.clone()),
        name: meta(&node, "name").cloned().unwrap_or_default(),
        node,
        is_converted,
        origin: DocumentOrigin::File,
    }
}

/// The documents of all files. `namespace` is where objects go that name none.
pub fn documents(
    parsed: impl IntoIterator<Item = ParsedDocument>,
    namespace: &str,
    sink: &mut Sink,
) -> Vec<Document> {
    Manifests::read(parsed, namespace, sink).documents
}

/// The `apiVersion` and kind that a list gives to items that do not name their own.
type Inherited = Option<(String, String)>;

enum DocumentClass {
    Object {
        kind: Kind,
        node: Shared<Node>,
        is_converted: bool,
    },
    List(Arc<ListItems>, Inherited),
    Other {
        group: String,
        kind: String,
        node: Shared<Node>,
    },
    None,
}

fn classify(
    node: Shared<Node>,
    span: Span,
    inherited: &Inherited,
    sink: &mut Sink,
) -> DocumentClass {
    if node.is_null() {
        return DocumentClass::None;
    }
    let inherited =
        |one: fn(&(String, String)) -> &String| inherited.as_ref().map(|both| one(both).as_str());
    let api_version =
        text(&node, "apiVersion").or_else(|| inherited(|(api_version, _)| api_version));
    let kind = text(&node, "kind").or_else(|| inherited(|(_, kind)| kind));
    let (Some(api_version), Some(kind)) = (api_version, kind) else {
        if is_dashboard(&node) {
            return DocumentClass::Other {
                group: String::new(),
                kind: DASHBOARD.to_owned(),
                node,
            };
        }
        sink.report(no_kind(&node, span));
        return DocumentClass::None;
    };
    if is_template(api_version, kind) {
        return DocumentClass::List(node.derive(ListItems::of_template), None);
    }
    if kind.ends_with("List") && node.get(ITEMS).is_some() {
        let item_kind = kind.strip_suffix("List").filter(|kind| !kind.is_empty());
        // Items of a plain list say themselves what they are; those of a typed list need not.
        let inherited = item_kind.map(|item_kind| (api_version.to_owned(), item_kind.to_owned()));
        return DocumentClass::List(node.derive(|node| ListItems::new(node, ITEMS)), inherited);
    }
    match Kind::find(api_version, kind) {
        Some(kind) if kind.api_version() == api_version => {
            return DocumentClass::Object {
                kind,
                node,
                is_converted: false,
            };
        }
        Some(kind) if (kind, api_version) == BETA => {
            return DocumentClass::Object {
                kind,
                node: node
                    .derive(|node| Converted(Shared::new(from_beta(node.clone(), kind))))
                    .0
                    .clone(),
                is_converted: true,
            };
        }
        Some(known) => {
            let place = node.get("apiVersion").map_or(span, |n| n.span);
            let message = format!("no kind \"{kind}\" in version \"{api_version}\"");
            let help = format!("use {}", known.api_version());
            let mut found = Diagnostic::new(&UNKNOWN_VERSION, place, message).help(help);
            found.resource = Some(subject(known, &node));
            sink.report(found);
        }
        None => {
            if let Some(slip) = unserved::slip(api_version, kind) {
                sink.report(of_slip(&slip, api_version, kind, &node, span));
            }
        }
    }
    DocumentClass::Other {
        group: group(api_version).to_owned(),
        kind: kind.to_owned(),
        node,
    }
}

/// The kind of a dashboard as Grafana exports it: it has none itself.
pub const DASHBOARD: &str = "dashboard";

/// Returns whether a document without a kind is a dashboard of Grafana.
fn is_dashboard(node: &Node) -> bool {
    let has = |key| node.get(key).is_some();
    has("panels") && (has("schemaVersion") || has("templating"))
}

/// The object that a document is meant to be.
fn subject(kind: Kind, node: &Node) -> Subject {
    let text = |field| {
        meta(node, field)
            .map(ToString::to_string)
            .unwrap_or_default()
    };
    Subject {
        kind: kind.as_str(),
        namespace: text("namespace"),
        name: text("name"),
    }
}

/// A kind that the API server does not know, and the one that was meant.
fn of_slip(slip: &Slip, api_version: &str, kind: &str, node: &Node, span: Span) -> Diagnostic {
    let place = |key| node.get(key).map_or(first_line(span), |n| n.span);
    let (key, meant) = match slip {
        Slip::Kind(meant) => ("kind", *meant),
        Slip::Group(meant) => ("apiVersion", Some(*meant)),
    };
    let message = format!("no kind \"{kind}\" in version \"{api_version}\"");
    let diagnostic = Diagnostic::new(&UNKNOWN_VERSION, place(key), message);
    let named = |meant: Kind| subject(meant, node);
    let Some(meant) = meant else {
        let kinds = Kind::ALL
            .iter()
            .filter(|kind| kind.group() == group(api_version))
            .map(|kind| kind.as_str());
        return diagnostic.help(format!(
            "the operator has these kinds: {}",
            kinds.collect::<Vec<_>>().join(", ")
        ));
    };
    let help = format!(
        "use `kind: {}` with `apiVersion: {}`",
        meant.as_str(),
        meant.api_version()
    );
    Diagnostic {
        resource: Some(named(meant)),
        ..diagnostic
    }
    .help(help)
}

/// What the API server converts: the operator serves it, and stores the version before.
const BETA: (Kind, &str) = (Kind::AlertmanagerConfig, "monitoring.coreos.com/v1beta1");

/// The same object in the version that is stored. Names differ, and the values stay in their places. Where the stored
/// version has both, matchers and intervals mean the same.
fn from_beta(mut node: Node, kind: Kind) -> Node {
    let Data::Map(entries) = &mut node.data else {
        return node;
    };
    for entry in entries {
        match (&*entry.key, &mut entry.value.data) {
            ("apiVersion", Data::String(version)) => *version = kind.api_version().into(),
            ("spec", Data::Map(fields)) => {
                for field in fields.iter_mut() {
                    match &*field.key {
                        "timeIntervals" => field.key = "muteTimeIntervals".into(),
                        // Unknown there, as that name is here.
                        "muteTimeIntervals" => field.key = "timeIntervals".into(),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
    node
}

fn no_kind(node: &Node, span: Span) -> Diagnostic {
    let has = |key| node.get(key).is_some_and(|v| !v.is_null());
    let named = has("apiVersion") || has("kind");
    let shaped = has("metadata") || has("spec");
    if !(named && shaped || has("metadata") && has("spec")) {
        let found = Diagnostic::new(
            &FOREIGN_DOCUMENT,
            first_line(span),
            "not a Kubernetes object: skipped",
        );
        return configuration(node)
            .into_iter()
            .fold(found, Diagnostic::help);
    }
    let missing: Vec<&str> = ["apiVersion", "kind"]
        .into_iter()
        .filter(|key| text(node, key).is_none())
        .collect();
    let message = format!("an object without {}", missing.join(" and "));
    Diagnostic::new(&MISSING_KIND, first_line(span), message)
}

/// The help about a file of Prometheus or Alertmanager themselves, or with values of their chart: where its content belongs.
fn configuration(node: &Node) -> Option<&'static str> {
    let has = |key| node.get(key).is_some_and(|value| value.is_collection());
    let is_rules = node.get("groups").is_some_and(|groups| {
        !groups.items().is_empty()
            && groups
                .items()
                .iter()
                .all(|group| group.get("rules").is_some())
    });
    if is_rules {
        return Some(
            "it is a rule file of Prometheus: its groups belong below `spec` of a PrometheusRule",
        );
    }
    if has("scrape_configs") {
        return Some(
            "it is a configuration of Prometheus: its jobs belong in ServiceMonitors, PodMonitors and ScrapeConfigs",
        );
    }
    let has_spec = |of, spec| node.find(&[of, spec]).is_some_and(Node::is_collection);
    if has_spec("prometheus", "prometheusSpec") || has_spec("alertmanager", "alertmanagerSpec") {
        return Some(
            "it looks like values of kube-prometheus-stack: where no release in the input has them, a helmfile.yaml with `releases: [{name: …, \
             namespace: …, chart: prometheus-community/kube-prometheus-stack, version: …, values: [FILE]}]` lets promgen check them",
        );
    }
    (has("route") && has("receivers")).then_some(
        "it is a configuration of Alertmanager: it belongs in the Secret of an Alertmanager, or in an AlertmanagerConfig",
    )
}

/// A span of no length where another one starts, so that a message about a document does not show all of it.
const fn first_line(span: Span) -> Span {
    Span::new(span.file, span.start, span.start)
}

fn text<'n>(node: &'n Node, key: &str) -> Option<&'n str> {
    node.text_of(key).filter(|text| !text.is_empty())
}

/// Where a list has its items, and a Template of OpenShift its objects.
const ITEMS: &str = "items";
const OBJECTS: &str = "objects";

/// Returns whether an object is a Template of OpenShift, whose parameters are filled in when it is processed.
fn is_template(api_version: &str, kind: &str) -> bool {
    kind == "Template" && matches!(group(api_version), "template.openshift.io" | "")
}

/// The objects that an object holds: the items of a list, or the objects of a Template of OpenShift.
#[must_use]
pub fn held(node: &Node) -> Option<&[Node]> {
    let (api_version, kind) = (text(node, "apiVersion")?, text(node, "kind")?);
    let key = match kind {
        _ if is_template(api_version, kind) => OBJECTS,
        _ if kind.ends_with("List") => ITEMS,
        _ => return None,
    };
    node.get(key).filter(|held| held.is_list()).map(Node::items)
}

/// The objects that an object holds, as they are applied: those of a Template have the values of its parameters.
#[must_use]
pub fn applied(node: &Node) -> Option<Cow<'_, [Node]>> {
    let held = held(node)?;
    let is_template = text(node, "apiVersion")
        .zip(text(node, "kind"))
        .is_some_and(|(version, kind)| is_template(version, kind));
    Some(if is_template {
        Cow::Owned(template::processed(node))
    } else {
        Cow::Borrowed(held)
    })
}

/// An object, and those that it holds as they are applied.
#[must_use]
pub fn with_applied(node: &Node) -> Vec<Cow<'_, Node>> {
    let mut all = vec![Cow::Borrowed(node)];
    match applied(node) {
        Some(Cow::Borrowed(held)) => all.extend(held.iter().map(Cow::Borrowed)),
        Some(Cow::Owned(held)) => all.extend(held.into_iter().map(Cow::Owned)),
        None => {}
    }
    all
}

/// The items of a list, or of a Template of OpenShift.
struct ListItems(Vec<Shared<Node>>);

impl ListItems {
    fn new(node: &Node, key: &str) -> Self {
        Self(
            node.get(key)
                .map_or(&[][..], Node::items)
                .iter()
                .cloned()
                .map(Shared::new)
                .collect(),
        )
    }

    fn of_template(node: &Node) -> Self {
        Self(
            template::processed(node)
                .into_iter()
                .map(Shared::new)
                .collect(),
        )
    }
}

/// An object in the version that is stored.
struct Converted(Shared<Node>);

fn meta<'n>(node: &'n Node, key: &str) -> Option<&'n NodeText> {
    match &node.find(&["metadata", key])?.data {
        Data::String(text) => Some(text).filter(|text| !text.is_empty()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_text::source::FileId;
    use promgen_text::yaml::read::read;

    fn found(text: &str) -> (Vec<String>, Vec<String>) {
        let mut sink = Sink::default();
        let parsed = read(FileId::new(0), text, &mut sink);
        let documents = documents(parsed, "here", &mut sink);
        assert!(documents.is_sorted_by(|a, b| a.id < b.id));
        let found = sink
            .diagnostics()
            .iter()
            .map(|d| format!("{} {}", d.rule.code, d.message))
            .collect();
        (documents.iter().map(Document::resource).collect(), found)
    }

    fn resources(text: &str) -> Vec<String> {
        let (resources, found) = found(text);
        assert!(found.is_empty(), "{found:?}");
        resources
    }

    #[test]
    fn parameters_of_a_template_have_their_values() {
        let text = "apiVersion: template.openshift.io/v1\nkind: Template\nparameters:\n- {name: A, value: x}\n- {name: NUM, value: '3'}\n- {name: ASKED}\n- {name: MUST, value: '', required: true}\n- {name: NONE, value: ''}\n- {name: MADE, generate: expression, value: ''}\nobjects:\n- {apiVersion: v1, kind: Secret, metadata: {name: '${A}-y'}, data: {a: '${{NUM}}', b: '${NUM}', c: '${A}${ASKED}', d: '${MUST}', e: 'a${NONE}', f: '${MADE}', g: '${OTHER}', h: '${', i: '${{A}}'}}\n";
        let parsed = read(FileId::new(0), text, &mut Sink::default());
        let documents = documents(parsed.clone(), "here", &mut Sink::default());
        let data = documents[0].node.get("data").map_or(&[][..], Node::entries);
        let texts: Vec<_> = data
            .iter()
            .map(|entry| entry.value.as_str().unwrap_or("no text"))
            .collect();
        assert_eq!(
            texts,
            [
                "no text",
                "3",
                "x${ASKED}",
                "${MUST}",
                "a",
                "${MADE}",
                "${OTHER}",
                "${",
                "x"
            ]
        );
        assert_eq!(
            (&*documents[0].name, data[0].value.data == Data::Int(3)),
            ("x-y", true)
        );
        assert_eq!(
            applied(&parsed[0].root).as_deref(),
            Some(&[documents[0].node.clone().into_value()][..])
        );
    }

    #[test]
    fn a_parameter_without_quotes_is_what_it_is_as_json() {
        let of = |value: &str, written: &str| {
            let text = format!(
                "{{apiVersion: template.openshift.io/v1, kind: Template, parameters: [{{name: A, value: '{value}'}}], objects: [{{apiVersion: v1, kind: ConfigMap, metadata: {{name: a}}, data: {{a: '{written}'}}}}]}}\n"
            );
            let parsed = read(FileId::new(0), &text, &mut Sink::default());
            let documents = documents(parsed, "here", &mut Sink::default());
            let value = documents[0].node.find(&["data", "a"]).unwrap().to_value();
            promgen_text::yaml::emit::to_string(&value, promgen_text::yaml::emit::Dialect::YamlV2)
        };
        for (value, json) in [
            (r#"["a", 1]"#, "- a\n- 1\n"),
            (r#"{"a": [true]}"#, "a:\n- true\n"),
            ("3", "3\n"),
            ("[a", "'[a'\n"),
        ] {
            assert_eq!(of(value, "${{A}}"), json);
        }
        assert_eq!(of("[1]", "${A}"), "'[1]'\n");
        assert_eq!(of("[1]", "x${{A}}"), "x${{A}}\n");
    }

    #[test]
    fn lists_are_taken_apart_in_place() {
        let secret = |name: &str| {
            format!("{{apiVersion: v1, kind: Secret, metadata: {{name: {name}, namespace: ns}}}}")
        };
        let text = format!(
            "{}\n---\napiVersion: v1\nkind: List\nitems:\n- {}\n- apiVersion: v1\n  kind: List\n  items: [{}]\n- {}\n---\n{}\n",
            secret("a"),
            secret("b"),
            secret("c"),
            secret("d"),
            secret("e")
        );
        assert_eq!(
            resources(&text),
            ["a", "b", "c", "d", "e"].map(|name| format!("Secret/ns/{name}"))
        );
        assert!(resources("apiVersion: v1\nkind: List\nitems: null\n").is_empty());
    }

    #[test]
    fn items_of_a_typed_list_need_not_say_their_kind() {
        let text = "apiVersion: v1\nkind: SecretList\nitems:\n- metadata: {name: a}\n";
        assert_eq!(resources(text), ["Secret/here/a"]);
    }

    #[test]
    fn objects_without_a_namespace_are_in_that_of_the_run() {
        assert_eq!(
            resources("{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: ''}}"),
            ["Pod/here/a"]
        );
        assert_eq!(
            resources("{apiVersion: v1, kind: Namespace, metadata: {name: a, namespace: b}}"),
            ["Namespace/a"]
        );
    }

    #[test]
    fn other_kinds_are_skipped_in_silence() {
        assert!(resources("apiVersion: apps/v1\nkind: Deployment\nmetadata: 5\n").is_empty());
        assert!(resources("apiVersion: serving.knative.dev/v1\nkind: Service\n").is_empty());
        assert!(resources("# nothing\n---\n").is_empty());
    }

    #[test]
    fn objects_of_all_kinds_keep_their_order() {
        let object = |api_version: &str, kind: &str, metadata: &str| {
            format!(
                "{{apiVersion: {api_version}, kind: {kind}, metadata: {{name: {metadata}}}}}\n---\n"
            )
        };
        let text = object("v1", "Node", "a")
            + &object("v1", "Pod", "b")
            + &object("apps/v1", "Deployment", "c, namespace: d")
            + "{apiVersion: v1, kind: NodeList, items: [{metadata: {name: e}}, 5]}\n---\n"
            + &object("v1", "Namespace", "f")
            + &object("v2", "Pod", "g");
        let mut sink = Sink::default();
        let manifests = Manifests::read(read(FileId::new(0), &text, &mut sink), "here", &mut sink);
        let messages = manifests.iter().map(|o| {
            format!(
                "{}|{}|{}|{}",
                o.group,
                o.kind,
                o.namespace.unwrap_or("-"),
                o.name
            )
        });
        let messages: Vec<_> = messages.collect();
        assert_eq!(
            messages,
            [
                "|Node|-|a",
                "|Pod|here|b",
                "apps|Deployment|d|c",
                "|Node|-|e",
                "|Node|-|",
                "|Namespace|-|f",
                "|Pod|-|g"
            ]
        );
        assert_eq!(manifests.documents.len(), 2);
    }

    #[test]
    fn values_of_the_chart_are_known() {
        let is_known = |text: &str| {
            let mut sink = Sink::default();
            let parsed = read(FileId::new(0), text, &mut sink);
            documents(parsed, "here", &mut sink);
            let found = sink.diagnostics();
            assert_eq!(found.len(), 1, "{text}");
            found[0].help.concat().contains("helmfile.yaml")
        };
        for text in [
            "prometheus: {prometheusSpec: {retention: 5d}}",
            "alertmanager: {alertmanagerSpec: {replicas: 2}, enabled: true}",
        ] {
            assert!(is_known(text), "{text}");
        }
        for text in [
            "prometheus: {enabled: true}",
            "kube-prometheus-stack: {prometheus: {prometheusSpec: {}}}",
            "prometheus: {prometheusSpec: '${SPEC}'}",
        ] {
            assert!(!is_known(text), "{text}");
        }
    }

    #[test]
    fn what_is_no_object_is_said_to_be_skipped() {
        for text in [
            "replicaCount: 2\n",
            "- 1\n",
            "hello\n",
            "apiVersion: v2\nname: chart\n",
        ] {
            assert_eq!(
                found(text).1,
                ["PG019 not a Kubernetes object: skipped"],
                "{text}"
            );
        }
    }

    #[test]
    fn an_object_says_its_kind() {
        assert_eq!(
            found("kind: Pod\nmetadata: {name: a}\n").1,
            ["PG018 an object without apiVersion"]
        );
        assert_eq!(
            found("metadata: {name: a}\nspec: {}\n").1,
            ["PG018 an object without apiVersion and kind"]
        );
        let beta =
            "apiVersion: monitoring.coreos.com/v1beta1\nkind: Prometheus\nmetadata: {name: a}\n";
        assert_eq!(
            found(beta).1,
            ["PG021 no kind \"Prometheus\" in version \"monitoring.coreos.com/v1beta1\""]
        );
    }
}
