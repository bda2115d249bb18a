//! The clusters that Argo CD applies to, as far as the input has their Secrets: the parameters that a generator `clusters` makes.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use promgen_text::yaml::Node;

use super::generators::{Parameters, normalized};
use super::node::printed;
use crate::unknown::is_filled_in_later;

/// The label of a Secret that says how to reach a cluster.
const LABEL: &str = "argocd.argoproj.io/secret-type";

/// The server of the cluster in which Argo CD runs.
const OWN_SERVER: &str = "https://kubernetes.default.svc";

/// Its name, unless a Secret says another.
const OWN_NAME: &str = "in-cluster";

/// The Secrets of clusters among some documents.
#[derive(Debug, Default)]
pub(super) struct ClusterSecrets(Vec<Node>);

impl ClusterSecrets {
    /// Searches objects.
    pub(super) fn of<'n>(objects: impl Iterator<Item = &'n Node>) -> Self {
        let is_one = |object: &&Node| {
            let text = |keys: &[&str]| object.find(keys).and_then(Node::as_str);
            text(&["kind"]) == Some("Secret") && text(&["metadata", "labels", LABEL]) == Some("cluster")
        };
        let mut found: Vec<Node> = Vec::new();
        for secret in objects.filter(is_one) {
            let is_known = |other: &Node| other.find(&["metadata", "name"]) == secret.find(&["metadata", "name"]);
            if !found.iter().any(is_known) {
                found.push(secret.clone());
            }
        }
        Self(found)
    }

    /// The elements of a generator: the clusters that its selector matches, and without a selector the one of Argo CD itself. None, if
    /// the clusters are not known.
    pub(super) fn elements(&self, generator: &Node) -> Vec<Parameters> {
        let selector = generator.get("selector");
        let asks = |key: &str| selector.and_then(|selector| selector.get(key)).is_some_and(|part| !is_empty(part));
        let matching = self.0.iter().filter(|secret| selector.is_none_or(|selector| is_match(selector, secret)));
        let mut found: Vec<Parameters> = matching.map(of_secret).collect();
        let has_own = self.0.iter().any(|secret| datum(secret, "server").as_deref() == Some(OWN_SERVER));
        if !self.0.is_empty() && !asks("matchLabels") && !asks("matchExpressions") && !has_own {
            found.push(named(OWN_NAME, OWN_SERVER));
        }
        found
    }

    /// The cluster that an Application names: by its name, where its server is known.
    pub(super) fn destination(&self, spec: &Node) -> Option<String> {
        let stated = |key: &&str| spec.find(&["destination", key]).and_then(Node::as_str);
        let stated = ["server", "name"].iter().find_map(stated).filter(|cluster| !cluster.contains('{'))?;
        let is_it = |secret: &&Node| datum(secret, "server").as_deref() == Some(stated) || server(secret) == stated;
        let name = self.0.iter().find(is_it).map(|secret| datum(secret, "name").unwrap_or_else(|| own_name(secret)));
        Some(name.unwrap_or_else(|| if stated == OWN_SERVER { OWN_NAME } else { stated }.to_owned()))
    }
}

fn own_name(secret: &Node) -> String {
    secret.find(&["metadata", "name"]).and_then(Node::as_str).unwrap_or_default().to_owned()
}

/// What stands for the server of a cluster, which is a value of a Secret: it tells clusters apart, and is never shown.
fn server(secret: &Node) -> String {
    match datum(secret, "server") {
        Some(server) if server == OWN_SERVER => server,
        Some(_) => format!("<server of Secret {}>", own_name(secret)),
        None => String::new(),
    }
}

fn is_empty(node: &Node) -> bool {
    node.entries().is_empty() && node.items().is_empty()
}

fn named(name: &str, server: &str) -> Parameters {
    let parameters = [("name", name), ("server", server)].map(|(key, value)| (key.to_owned(), value.to_owned()));
    let normalized = ("nameNormalized".to_owned(), normalized(name));
    parameters.into_iter().filter(|(_, value)| !value.is_empty()).chain([normalized]).collect()
}

/// The parameters of a cluster: its name, its server, and the labels and annotations of its Secret.
fn of_secret(secret: &Node) -> Parameters {
    let name = datum(secret, "name").unwrap_or_default();
    let mut own = named(&name, &server(secret));
    if name.is_empty() {
        own.remove("nameNormalized");
    }
    for part in ["labels", "annotations"] {
        for entry in secret.find(&["metadata", part]).map_or(&[][..], Node::entries) {
            let Some(value) = printed(&entry.value) else { continue };
            own.insert(format!("index .metadata.{part} \"{}\"", entry.key), value.clone());
            own.insert(format!("metadata.{part}.{}", entry.key), value);
        }
    }
    own
}

/// What a Secret holds, if it is known.
fn datum(secret: &Node, key: &str) -> Option<String> {
    if let Some(plain) = secret.find(&["stringData", key]) {
        return plain.as_str().filter(|_| !is_filled_in_later(plain)).map(str::to_owned);
    }
    let bytes = STANDARD.decode(secret.find(&["data", key])?.as_str()?.trim()).ok()?;
    String::from_utf8(bytes).ok()
}

/// Returns whether a selector matches the labels of a Secret.
fn is_match(selector: &Node, secret: &Node) -> bool {
    let label = |key: &str| secret.find(&["metadata", "labels", key]).and_then(Node::as_str);
    let labels = selector.get("matchLabels").map_or(&[][..], Node::entries);
    let expressions = selector.get("matchExpressions").map_or(&[][..], Node::items);
    let holds = |expression: &Node| {
        let text = |key: &str| expression.get(key).and_then(Node::as_str).unwrap_or_default();
        let own = label(text("key"));
        let is_in = || expression.get("values").map_or(&[][..], Node::items).iter().any(|value| value.as_str() == own);
        match text("operator") {
            "In" => own.is_some() && is_in(),
            "NotIn" => own.is_none() || !is_in(),
            "Exists" => own.is_some(),
            _ => own.is_none(),
        }
    };
    labels.iter().all(|entry| label(&entry.key) == entry.value.as_str()) && expressions.iter().all(holds)
}
