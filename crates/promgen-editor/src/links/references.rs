//! References by name: Secrets, ConfigMaps and their keys, Namespaces, ServiceAccounts, Services, AlertmanagerConfigs.

use std::collections::BTreeMap;

use crate::links::{Link, within_document};
use promgen_compile::lower::alertmanager::config::secret_of;
use promgen_resources::api::Kind;
use promgen_resources::document::{Manifest, Manifests};
use promgen_resources::schema;
use promgen_text::describe::Type;
use promgen_text::source::Span;
use promgen_text::yaml::{Data, Entry, Node};

/// The group of the operator's resources.
const OPERATOR: &str = "monitoring.coreos.com";

/// The links of all objects of an environment.
pub(super) fn of(manifests: &Manifests) -> Vec<Link> {
    let objects = ObjectIndex::of(manifests);
    let mut links = Vec::new();
    for manifest in manifests.iter() {
        let namespace = manifest.namespace.unwrap_or(&manifests.namespace);
        let mut of = Referrer {
            objects: &objects,
            namespace,
            links: &mut links,
        };
        of.object(&manifest);
        links.extend(within_document(manifest.node));
    }
    links
}

/// The objects by kind, namespace and name.
struct ObjectIndex<'m>(BTreeMap<(&'m str, &'m str, &'m str), &'m Node>);

impl<'m> ObjectIndex<'m> {
    fn of(manifests: &'m Manifests) -> Self {
        let key = |manifest: &Manifest<'m>| match manifest.kind {
            "Namespace" => (manifest.kind, "", manifest.name),
            kind => (
                kind,
                manifest.namespace.unwrap_or(&manifests.namespace),
                manifest.name,
            ),
        };
        let is_known =
            |manifest: &Manifest<'m>| manifest.group.is_empty() || manifest.group == OPERATOR;
        Self(
            manifests
                .iter()
                .filter(is_known)
                .map(|manifest| (key(&manifest), &**manifest.node))
                .collect(),
        )
    }

    /// The place of the name of an object.
    fn named(&self, kind: &str, namespace: &str, name: Option<&str>) -> Vec<Span> {
        let object = name.and_then(|name| self.get(kind, namespace, name));
        object.map(name_of).unwrap_or_default()
    }

    fn get(&self, kind: &str, namespace: &str, name: &str) -> Option<&'m Node> {
        self.0.get(&(kind, namespace, name)).copied()
    }
}

/// The place of the name of an object.
fn name_of(object: &Node) -> Vec<Span> {
    object
        .find(&["metadata", "name"])
        .map(|name| name.span)
        .into_iter()
        .collect()
}

/// An object that refers to others.
struct Referrer<'a, 'm> {
    objects: &'a ObjectIndex<'m>,
    namespace: &'a str,
    links: &'a mut Vec<Link>,
}

impl Referrer<'_, '_> {
    fn object(&mut self, manifest: &Manifest<'_>) {
        let kind = Kind::named(manifest.kind).filter(|kind| kind.group() == manifest.group);
        let ty = kind.map(schema::description);
        let mut todo = vec![(&**manifest.node, ty, "")];
        while let Some((node, ty, key)) = todo.pop() {
            self.map(node, ty, key);
            for entry in node.entries() {
                self.entry(entry);
                let ty = ty.and_then(|ty| match ty {
                    Type::Object(object) => object.field(&entry.key).map(|field| (field.of)()),
                    Type::Map(of) => Some(of()),
                    _ => None,
                });
                todo.push((&entry.value, ty, &entry.key));
            }
            let ty = ty.and_then(|ty| {
                if let Type::List(of) = ty {
                    Some(of())
                } else {
                    None
                }
            });
            todo.extend(node.items().iter().map(|item| (item, ty, key)));
        }
        if let Some(spec) = manifest
            .node
            .get("spec")
            .filter(|_| manifest.group == OPERATOR)
        {
            self.of_operator(spec);
        }
        if kind == Some(Kind::Alertmanager) {
            self.configuration(manifest);
        }
    }

    /// The name of an Alertmanager that names no Secret leads to the one that the operator reads.
    fn configuration(&mut self, manifest: &Manifest<'_>) {
        let has = |field: &str| {
            let value = manifest.node.find(&["spec", field]);
            value.is_some_and(|value| !value.is_null() && value.as_str() != Some(""))
        };
        if has("alertmanagerConfiguration") || has("configSecret") {
            return;
        }
        let secret = self
            .objects
            .get("Secret", self.namespace, &secret_of(manifest.name, None));
        if let Some(name) = manifest
            .node
            .get("metadata")
            .and_then(|metadata| metadata.entry("name"))
        {
            let mut to = secret.map(name_of).unwrap_or_default();
            // A chart that makes both gives both names at one place.
            to.retain(|place| *place != name.value.span);
            self.links.push(Link::of_entry(name, to));
        }
    }

    /// A map that refers to an object, by its type or by the key that it stands behind.
    fn map(&mut self, node: &Node, ty: Option<&Type>, key: &str) {
        if !matches!(node.data, Data::Map(_)) {
            return;
        }
        let name = match ty {
            Some(Type::Object(object)) => object.name,
            _ => "",
        };
        match (name, key) {
            ("SecretKeySelector", _) | (_, "secretKeyRef") => self.key_of("Secret", node),
            ("ConfigMapKeySelector", _) | (_, "configMapKeyRef") => self.key_of("ConfigMap", node),
            (_, "secretRef" | "imagePullSecrets") => self.name("Secret", node.entry("name")),
            (_, "secret") => self.name("Secret", node.entry("secretName")),
            (_, "configMap" | "configMapRef") => self.name("ConfigMap", node.entry("name")),
            _ => {}
        }
    }

    /// A field that names an object wherever it stands.
    fn entry(&mut self, entry: &Entry) {
        match &*entry.key {
            "serviceAccountName" => self.name("ServiceAccount", Some(entry)),
            "namespace" => self.namespace(entry.value.as_str(), |to| Link::of_entry(entry, to)),
            "matchNames" => {
                for item in entry.value.items() {
                    self.namespace(item.as_str(), |to| Link::of_node(item, to));
                }
            }
            _ => {}
        }
    }

    /// The fields of the operator's resources that name objects.
    fn of_operator(&mut self, spec: &Node) {
        for (list, kind) in [("secrets", "Secret"), ("configMaps", "ConfigMap")] {
            for item in spec.items_of(list).iter() {
                let to = self.objects.named(kind, self.namespace, item.as_str());
                self.links.push(Link::of_node(item, to));
            }
        }
        self.name("Secret", spec.entry("configSecret"));
        self.name(
            "AlertmanagerConfig",
            spec.get("alertmanagerConfiguration")
                .and_then(|of| of.entry("name")),
        );
        let alertmanagers = spec.find(&["alerting", "alertmanagers"]);
        alertmanagers
            .into_iter()
            .flat_map(Node::items)
            .for_each(|alertmanager| self.alertmanager(alertmanager));
    }

    /// The Service of an Alertmanager, and its port.
    fn alertmanager(&mut self, alertmanager: &Node) {
        let namespace = alertmanager.text_of("namespace").unwrap_or(self.namespace);
        let Some(name) = alertmanager.entry("name") else {
            return;
        };
        let service = name
            .value
            .as_str()
            .and_then(|name| self.objects.get("Service", namespace, name));
        self.links.push(Link::of_entry(
            name,
            service.map(name_of).unwrap_or_default(),
        ));
        if let Some(port) = alertmanager.entry("port") {
            let ports = service
                .and_then(|service| service.find(&["spec", "ports"]))
                .map(Node::items);
            // A name, or a number.
            let fields = ports
                .unwrap_or_default()
                .iter()
                .flat_map(|port| ["name", "port"].map(|key| port.get(key)));
            let wanted = port.value.to_value();
            let found = fields
                .flatten()
                .filter(|field| field.to_value() == wanted)
                .map(|field| field.span);
            self.links.push(Link::of_entry(port, found.collect()));
        }
    }

    fn name(&mut self, kind: &str, entry: Option<&Entry>) {
        let Some(entry) = entry else { return };
        let to = self
            .objects
            .named(kind, self.namespace, entry.value.as_str());
        self.links.push(Link::of_entry(entry, to));
    }

    fn namespace(&mut self, name: Option<&str>, link: impl Fn(Vec<Span>) -> Link) {
        self.links
            .push(link(self.objects.named("Namespace", "", name)));
    }

    /// A key of an object: its name leads to the object, the key to the key there.
    fn key_of(&mut self, kind: &str, node: &Node) {
        self.name(kind, node.entry("name"));
        let object = node.text_of("name");
        let object = object.and_then(|name| self.objects.get(kind, self.namespace, name));
        let (Some(object), Some(key)) = (object, node.entry("key")) else {
            return;
        };
        let Some(wanted) = key.value.as_str() else {
            return;
        };
        let fields = ["data", "stringData", "binaryData"];
        let found = fields
            .iter()
            .filter_map(|field| object.get(field))
            .filter_map(|data| data.entry(wanted));
        self.links.push(Link::of_entry(
            key,
            found.map(|entry| entry.key_span).collect(),
        ));
    }
}
