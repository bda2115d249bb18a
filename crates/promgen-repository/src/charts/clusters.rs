//! The clusters that Argo CD applies to, as far as the input has their Secrets: the parameters that a generator `clusters` makes.

use std::collections::{BTreeMap, BTreeSet};

use promgen_text::yaml::Node;

use super::flux;
use super::generators::{Parameters, normalized};
use super::node::printed;
use promgen_resources::unknown::is_filled_in_later;
use promgen_text::CollectOrdered;

/// The label of a Secret that says how to reach a cluster.
const LABEL: &str = "argocd.argoproj.io/secret-type";

/// The server of the cluster in which Argo CD runs.
const OWN_SERVER: &str = "https://kubernetes.default.svc";

/// Its name, unless a Secret says another.
const OWN_NAME: &str = "in-cluster";

/// The Secrets of clusters among some documents.
#[derive(Debug, Default)]
pub(super) struct ClusterSecrets {
    all: Vec<ClusterSecret>,
    /// Their numbers, by their servers and by what stands for these.
    by_server: BTreeMap<String, usize>,
}

/// The Secret of a cluster.
#[derive(Debug)]
struct ClusterSecret {
    object: Node,
    /// The name of the cluster, if the Secret has it.
    name: Option<String>,
    /// What stands for its server, which is a value of a Secret: it tells clusters apart, and is never shown.
    server: String,
}

impl ClusterSecret {
    fn new(object: &Node, server: Option<&str>) -> Self {
        let server = match server {
            Some(OWN_SERVER) => OWN_SERVER.to_owned(),
            Some(_) => format!("<server of Secret {}>", own_name(object)),
            None => String::new(),
        };
        Self {
            name: datum(object, "name"),
            server,
            object: object.clone(),
        }
    }
}

impl ClusterSecrets {
    /// Searches objects.
    pub(super) fn of<'n>(objects: impl Iterator<Item = &'n Node>) -> Self {
        let is_one = |object: &&Node| {
            let text = |keys: &[&str]| object.text_at(keys);
            text(&["kind"]) == Some("Secret")
                && text(&["metadata", "labels", LABEL]) == Some("cluster")
        };
        let (mut found, mut names) = (Self::default(), BTreeSet::new());
        for object in objects
            .filter(is_one)
            .filter(|object| names.insert(own_name(object)))
        {
            let server = datum(object, "server");
            let secret = ClusterSecret::new(object, server.as_deref());
            for server in server
                .into_iter()
                .chain(Some(secret.server.clone()))
                .filter(|server| !server.is_empty())
            {
                found.by_server.entry(server).or_insert(found.all.len());
            }
            found.all.push(secret);
        }
        found
    }

    /// The elements of a generator: the clusters that its selector matches, and without a selector the one of Argo CD itself. None, if
    /// the clusters are not known.
    pub(super) fn elements(&self, generator: &Node) -> Vec<Parameters> {
        let selector = generator.get("selector");
        let asks = |key: &str| {
            selector
                .and_then(|selector| selector.get(key))
                .is_some_and(|part| !is_empty(part))
        };
        let is_wanted =
            |of: &&ClusterSecret| selector.is_none_or(|selector| is_match(selector, &of.object));
        let mut found: Vec<Parameters> = self.all.iter().filter(is_wanted).map(of_secret).collect();
        let has_own = self.by_server.contains_key(OWN_SERVER);
        if !self.all.is_empty() && !asks("matchLabels") && !asks("matchExpressions") && !has_own {
            found.push(named(OWN_NAME, OWN_SERVER));
        }
        found
    }

    /// The cluster that an Application names: by its name, where its server is known.
    pub(super) fn destination(&self, spec: &Node) -> Option<String> {
        let stated = |key: &&str| spec.text_at(&["destination", key]);
        let stated = ["server", "name"]
            .iter()
            .find_map(stated)
            .filter(|cluster| !cluster.contains('{'))?;
        let secret = self
            .by_server
            .get(stated)
            .and_then(|number| self.all.get(*number));
        let name = secret.map(|of| {
            of.name
                .clone()
                .unwrap_or_else(|| own_name(&of.object).to_owned())
        });
        Some(name.unwrap_or_else(|| {
            if stated == OWN_SERVER {
                OWN_NAME
            } else {
                stated
            }
            .to_owned()
        }))
    }
}

fn own_name(secret: &Node) -> &str {
    secret.text_at(&["metadata", "name"]).unwrap_or_default()
}

fn is_empty(node: &Node) -> bool {
    node.entries().is_empty() && node.items().is_empty()
}

fn named(name: &str, server: &str) -> Parameters {
    let parameters =
        [("name", name), ("server", server)].map(|(key, value)| (key.to_owned(), value.to_owned()));
    let normalized = ("nameNormalized".to_owned(), normalized(name));
    parameters
        .into_iter()
        .filter(|(_, value)| !value.is_empty())
        .chain([normalized])
        .collect_map()
}

/// The parameters of a cluster: its name, its server, and the labels and annotations of its Secret.
fn of_secret(secret: &ClusterSecret) -> Parameters {
    let name = secret.name.as_deref().unwrap_or_default();
    let mut own = named(name, &secret.server);
    if name.is_empty() {
        own.remove("nameNormalized");
    }
    for part in ["labels", "annotations"] {
        for entry in secret.object.entries_at(&["metadata", part]) {
            let Some(value) = printed(&entry.value) else {
                continue;
            };
            own.insert(
                format!("index .metadata.{part} \"{}\"", entry.key),
                value.clone(),
            );
            own.insert(format!("metadata.{part}.{}", entry.key), value);
        }
    }
    own
}

/// A value of a Secret, unless something fills it in later.
fn datum(secret: &Node, key: &str) -> Option<String> {
    let (written, text) = flux::datum(secret, "Secret", key)?;
    (!is_filled_in_later(written)).then_some(text)
}

/// Returns whether a selector matches the labels of a Secret.
fn is_match(selector: &Node, secret: &Node) -> bool {
    let label = |key: &str| secret.text_at(&["metadata", "labels", key]);
    let labels = selector.entries_of("matchLabels");
    let expressions = selector.items_of("matchExpressions");
    let holds = |expression: &Node| {
        let text = |key: &str| expression.text_of(key).unwrap_or_default();
        let own = label(text("key"));
        let is_in = || {
            expression
                .items_of("values")
                .iter()
                .any(|value| value.as_str() == own)
        };
        match text("operator") {
            "In" => own.is_some() && is_in(),
            "NotIn" => own.is_none() || !is_in(),
            "Exists" => own.is_some(),
            _ => own.is_none(),
        }
    };
    labels
        .iter()
        .all(|entry| label(&entry.key) == entry.value.as_str())
        && expressions.iter().all(holds)
}
