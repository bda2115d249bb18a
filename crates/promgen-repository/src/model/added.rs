//! What Flux and Argo CD add to what they apply: fields of its kustomization, a namespace, another cluster.

use promgen_text::origin::DocumentOrigin;
use promgen_text::shared::Shared;
use promgen_text::yaml::read::ParsedDocument;
use promgen_text::yaml::{Data, Entry, Node, NodeText, edit};

use super::applied::stated;

/// The fields of a Flux Kustomization that Flux adds to the kustomization of its path.
pub(super) fn flux_fields(spec: &Node) -> Node {
    const ADDED: [&str; 5] = [
        "namePrefix",
        "nameSuffix",
        "patches",
        "images",
        "components",
    ];
    let namespace = spec
        .entry("targetNamespace")
        .filter(|entry| stated(&entry.value).is_some());
    let namespace = namespace.map(|entry| Entry {
        key: "namespace".into(),
        ..entry.clone()
    });
    let added = spec
        .entries()
        .iter()
        .filter(|entry| ADDED.contains(&&*entry.key) && !entry.value.is_null());
    let is_filled =
        |entry: &&Entry| !matches!(&entry.value.data, Data::Seq(items) if items.is_empty());
    let fields = added.filter(is_filled).cloned().chain(namespace);
    edit::map_of(fields.collect(), spec.span)
}

/// The fields that Argo CD adds to the kustomization of a path, as a source of an Application names them.
pub(super) fn argo_fields(kustomize: &Node) -> Node {
    const ADDED: [&str; 6] = [
        "namePrefix",
        "nameSuffix",
        "namespace",
        "patches",
        "components",
        "commonAnnotations",
    ];
    let added = kustomize
        .entries()
        .iter()
        .filter(|entry| ADDED.contains(&&*entry.key) && !entry.value.is_null());
    let mut fields: Vec<Entry> = added.cloned().collect();
    if let Some(labels) = kustomize
        .entry("commonLabels")
        .filter(|entry| !entry.value.entries().is_empty())
    {
        let selects = Node {
            span: labels.key_span,
            data: Data::Bool(!kustomize.is_true("labelWithoutSelector")),
        };
        let mut item = edit::map(labels.value.span);
        edit::set(&mut item, "pairs", labels.key_span, labels.value.clone());
        edit::set(&mut item, "includeSelectors", labels.key_span, selects);
        fields.push(Entry {
            key: "labels".into(),
            key_span: labels.key_span,
            value: edit::list_of(vec![item], labels.value.span),
        });
    }
    edit::map_of(fields, kustomize.span)
}

/// The cluster whose configuration a Flux Kustomization uses, instead of that in which it stands.
pub(super) fn remote_cluster(spec: &Node) -> Option<String> {
    let reference = |key: &str| spec.text_at(&["kubeConfig", key, "name"]);
    ["secretRef", "configMapRef"]
        .iter()
        .find_map(|key| reference(key))
        .map(str::to_owned)
}

/// The namespace that Argo CD makes for an Application, with the labels that it gets.
pub(super) fn created_namespace(spec: &Node, name: &NodeText) -> Option<ParsedDocument> {
    let policy = spec.get("syncPolicy")?;
    let managed = policy
        .get("managedNamespaceMetadata")
        .filter(|managed| !managed.entries().is_empty())?;
    let options = policy.items_of("syncOptions");
    if !options
        .iter()
        .any(|option| option.as_str() == Some("CreateNamespace=true"))
    {
        return None;
    }
    let span = managed.span;
    let text = |text: &str| edit::text(text, span);
    let mut metadata = managed.clone();
    edit::set(&mut metadata, "name", span, text(name));
    let mut root = edit::map(span);
    edit::set(&mut root, "apiVersion", span, text("v1"));
    edit::set(&mut root, "kind", span, text("Namespace"));
    edit::set(&mut root, "metadata", span, metadata);
    Some(ParsedDocument {
        root: Shared::new(root),
        span,
        origin: DocumentOrigin::default(),
    })
}
