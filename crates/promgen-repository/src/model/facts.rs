//! The facts that builds ask of each document, found once for each text.

use std::sync::Arc;

use promgen_resources::document;
use promgen_text::shared::Shared;
use promgen_text::yaml::{Data, Node, NodeText};

use super::{applied, environments, releases};

/// The group of the operator's resources.
const GROUP: &str = "monitoring.coreos.com";

/// Group, kind, namespace and name of an object.
pub(super) type ObjectKey = (NodeText, NodeText, NodeText, NodeText);

/// Facts about a document.
#[derive(Debug)]
pub(super) struct DocumentFacts {
    /// It is a resource of the operator, or a list with one.
    pub(super) is_of_operator: bool,
    /// It concerns the operator, or makes objects that may.
    pub(super) may_concern_operator: bool,
    /// Those who are judged look at it in another environment.
    pub(super) is_seen: bool,
    /// It states a release of a chart, or is a list with one that does.
    pub(super) is_release: bool,
    /// Flux fills in its variables.
    pub(super) is_filled: bool,
    /// Flux applies it, or is told by it what to apply.
    pub(super) is_of_flux: bool,
    /// It tells Argo CD that Kustomize may read files wherever they are.
    pub(super) lifts_restriction: bool,
}

impl DocumentFacts {
    pub(super) fn of(root: &Shared<Node>) -> Arc<Self> {
        root.derive(Self::new)
    }

    fn new(root: &Node) -> Self {
        let is_release = document::with_applied(root)
            .iter()
            .any(|object| releases::is_release(object));
        let keys = keys(root);
        Self {
            may_concern_operator: !keys.is_empty() || is_release || applied::is_of_flux(root),
            is_of_operator: keys.iter().any(|(group, ..)| group == GROUP),
            is_seen: environments::is_seen(root, &keys),
            is_release,
            is_filled: applied::is_filled(root),
            is_of_flux: any(root, &is_of_flux),
            lifts_restriction: any(root, &lifts_restriction),
        }
    }
}

/// Returns whether something holds for an object, or for one of a list.
fn any(root: &Node, is_it: &dyn Fn(&Node) -> bool) -> bool {
    document::applied(root).map_or_else(
        || is_it(root),
        |objects| objects.iter().any(|object| any(object, is_it)),
    )
}

/// Returns whether an object is one of Flux: `HelmRelease`, `GitRepository` and so on.
fn is_of_flux(root: &Node) -> bool {
    let group = root
        .text_of("apiVersion")
        .and_then(|version| version.split('/').next());
    group.is_some_and(|group| group.ends_with(".toolkit.fluxcd.io"))
}

/// Returns whether an object is the configuration of Argo CD, with options of Kustomize that let it read files which are not in or
/// below the folder of their kustomization.
fn lifts_restriction(root: &Node) -> bool {
    let text = |keys: &[&str]| root.text_at(keys);
    if text(&["kind"]) != Some("ConfigMap") || text(&["metadata", "name"]) != Some("argocd-cm") {
        return false;
    }
    let entries = root.entries_of("data");
    let options = entries
        .iter()
        .filter(|entry| entry.key.starts_with("kustomize.buildOptions"));
    options
        .filter_map(|entry| entry.value.as_str())
        .any(|options| {
            let mut words = options.split(|c: char| c.is_whitespace() || c == '=');
            words.any(|word| word == "LoadRestrictionsNone")
        })
}

/// The kind, namespace and name of an object.
pub(super) fn kind_and_name(object: &Node) -> [String; 3] {
    let text = |keys: &[&str]| object.text_at(keys).unwrap_or_default().to_owned();
    [
        text(&["kind"]),
        text(&["metadata", "namespace"]),
        text(&["metadata", "name"]),
    ]
}

/// The objects in a document that concern the operator; several if it is a list.
#[derive(Debug)]
pub(super) struct ObjectKeys(pub(super) Vec<ObjectKey>);

impl ObjectKeys {
    pub(super) fn of(root: &Shared<Node>) -> Arc<Self> {
        root.derive(|root| Self(keys(root)))
    }
}

fn keys(root: &Node) -> Vec<ObjectKey> {
    // Nearly all documents hold one object.
    let mut keys = Vec::with_capacity(1);
    add_keys(root, &mut keys);
    keys
}

fn add_keys(node: &Node, keys: &mut Vec<ObjectKey>) {
    if let Some(objects) = document::applied(node) {
        objects.iter().for_each(|object| add_keys(object, keys));
        return;
    }
    let text = |keys: &[&str]| match node.find(keys).map(|value| &value.data) {
        Some(Data::String(text)) => text.clone(),
        _ => NodeText::default(),
    };
    let (api_version, kind) = (text(&["apiVersion"]), text(&["kind"]));
    let group = NodeText::from(api_version.split_once('/').map_or("", |(group, _)| group));
    let name = text(&["metadata", "name"]);
    if !name.is_empty() && concerns_operator(&group, &kind) {
        keys.push((group, kind, text(&["metadata", "namespace"]), name));
    }
}

/// Returns whether objects of a kind are judged, or looked at by those that are.
fn concerns_operator(group: &str, kind: &str) -> bool {
    let is_looked_at = [
        "Service",
        "Pod",
        "StatefulSet",
        "DaemonSet",
        "Deployment",
        "Secret",
        "ConfigMap",
    ];
    group == GROUP || is_looked_at.contains(&kind)
}
