//! Names of what is in the input: Secrets and their keys, ports, labels, receivers, namespaces.

use std::collections::BTreeMap;

use crate::fields;
use crate::outline::{Outline, OutlineItem};
use promgen_resources::api::Kind;
use promgen_resources::document::{Manifest, Manifests};
use promgen_text::CollectOrdered;
use promgen_text::describe::Type;
use promgen_text::route::{Segment, ValueRoute};
use promgen_text::yaml::Node;

/// Names, each with where it is from.
type Found = BTreeMap<String, String>;

/// The place where a name is typed.
#[derive(Clone)]
pub(super) struct NameCompletion<'p> {
    pub(super) outline: &'p Outline,
    /// The route in the text.
    pub(super) route: &'p ValueRoute,
    /// The route in the object.
    pub(super) inside: ValueRoute,
    pub(super) manifests: &'p Manifests,
    pub(super) kind: Option<Kind>,
    /// Nobody says here in which namespace the object is.
    pub(super) is_anywhere: bool,
}

impl<'p> NameCompletion<'p> {
    fn keys(&self) -> Vec<&str> {
        self.inside.0.iter().filter_map(Segment::key).collect()
    }

    fn namespace(&self) -> &'p str {
        self.outline
            .find(&["metadata", "namespace"])
            .unwrap_or(&self.manifests.namespace)
    }

    /// A field beside that which is typed.
    fn sibling(&self, key: &'static str) -> Option<&'p str> {
        let (_, above) = self.route.0.split_last()?;
        self.outline.text(&ValueRoute(above.to_vec()).key(key))
    }

    /// The names that can be a value here.
    pub(super) fn names(&self) -> Vec<(String, String)> {
        let keys = self.keys();
        let found = match keys.as_slice() {
            [.., "matchLabels", label] => self.label_values(label),
            ["metadata", "namespace"] | [.., "matchNames"] => self.namespaces(),
            [
                "spec",
                "endpoints" | "podMetricsEndpoints",
                field @ ("port" | "targetPort"),
            ] => self.ports(field),
            ["spec", "secrets"] | ["spec", "configSecret"] => self.objects("Secret"),
            ["spec", "configMaps"] => self.objects("ConfigMap"),
            ["spec", "alertmanagerConfiguration", "name"] => self.objects("AlertmanagerConfig"),
            ["spec", "alerting", "alertmanagers", "namespace"] => self.namespaces(),
            ["spec", "alerting", "alertmanagers", "name"] => self.objects("Service"),
            ["spec", "scrapeClass"] => self.scrape_classes(),
            [.., "serviceAccountName"] => self.objects("ServiceAccount"),
            [.., "receiver"] => self.of_document(&["receivers"]),
            [.., "muteTimeIntervals" | "activeTimeIntervals"] if keys.contains(&"route") => {
                self.of_document(&["muteTimeIntervals", "timeIntervals"])
            }
            [.., holder, field @ ("name" | "key")] => self.reference(holder, field),
            [.., "secret", "secretName"] => self.objects("Secret"),
            _ => Found::new(),
        };
        found
            .into_iter()
            .filter(|(name, _)| !name.is_empty())
            .collect()
    }

    /// The name of a Secret or a ConfigMap, or a key of it.
    fn reference(&self, holder: &str, field: &str) -> Found {
        let parent = self
            .inside
            .0
            .split_last()
            .map(|(_, above)| ValueRoute(above.to_vec()));
        let parent = parent
            .zip(self.kind)
            .and_then(|(parent, kind)| fields::described(kind, &parent, |_| None));
        let of = match parent.map(|parent| parent.of) {
            Some(Type::Object(object)) => object.name,
            _ => "",
        };
        let kind = match (of, holder) {
            ("SecretKeySelector", _) | (_, "secretKeyRef" | "secretRef" | "imagePullSecrets") => {
                "Secret"
            }
            ("ConfigMapKeySelector", _) | (_, "configMapKeyRef" | "configMapRef") => "ConfigMap",
            (_, "configMap") => "ConfigMap",
            _ => return Found::new(),
        };
        if field == "name" {
            return self.objects(kind);
        }
        let Some(name) = self.sibling("name") else {
            return Found::new();
        };
        let object = self
            .of_kind(kind)
            .find(|object| object.name == name && self.is_here(object));
        let fields = ["data", "stringData", "binaryData"].into_iter();
        let entries = object
            .iter()
            .flat_map(|object| fields.clone().filter_map(|field| object.node.get(field)));
        entries
            .flat_map(Node::entries)
            .map(|entry| (entry.key.to_string(), format!("key of {kind} {name}")))
            .collect_map()
    }

    fn of_kind(&self, kind: &'static str) -> impl Iterator<Item = Manifest<'p>> {
        self.manifests
            .iter()
            .filter(move |manifest| manifest.kind == kind)
    }

    fn is_here(&self, manifest: &Manifest<'_>) -> bool {
        self.is_anywhere
            || manifest.namespace.unwrap_or(&self.manifests.namespace) == self.namespace()
    }

    fn objects(&self, kind: &'static str) -> Found {
        let here = self.of_kind(kind).filter(|manifest| self.is_here(manifest));
        here.map(|manifest| (manifest.name.to_owned(), kind.to_owned()))
            .collect()
    }

    fn namespaces(&self) -> Found {
        let of = |manifest: Manifest<'p>| match manifest.kind {
            "Namespace" => Some(manifest.name),
            // One that is stated: an object that is being typed has none yet.
            _ => manifest.node.text_at(&["metadata", "namespace"]),
        };
        self.manifests
            .iter()
            .filter_map(of)
            .map(|name| (name.to_owned(), "Namespace".to_owned()))
            .collect()
    }

    fn scrape_classes(&self) -> Found {
        let servers = self
            .manifests
            .iter()
            .filter(|of| matches!(of.kind, "Prometheus" | "PrometheusAgent"));
        let classes = |of: Manifest<'p>| {
            let classes = of.node.items_at(&["spec", "scrapeClasses"]).iter();
            let from = format!("{} {}", of.kind, of.name);
            classes
                .filter_map(|class| class.get("name")?.as_str())
                .map(|name| (name.to_owned(), from.clone()))
                .collect::<Vec<_>>()
        };
        servers.flat_map(classes).collect()
    }

    /// The names in a list of this document: `spec.receivers[].name`, wherever the list stands.
    fn of_document(&self, lists: &[&str]) -> Found {
        let name = |item: &OutlineItem| match item.route.0.as_slice() {
            [.., Segment::Key(of), Segment::Index(_), Segment::Key(name)]
                if lists.contains(&&**of) && name == "name" =>
            {
                Some((item.text.clone(), of.to_string()))
            }
            _ => None,
        };
        self.outline.items.iter().filter_map(name).collect_map()
    }

    /// The ports of the Services, or of the pods, that the selector of the monitor here matches; of all, if it matches none.
    fn ports(&self, field: &str) -> Found {
        let wanted = self.labels_of_selector();
        let is_of_service = self.kind == Some(Kind::ServiceMonitor) && field == "port";
        let things: Vec<ScrapableObject<'p>> = self
            .things()
            .into_iter()
            .filter(|thing| thing.is_service == is_of_service)
            .collect();
        // The labels of Services are not those of the pods behind them.
        let is_selected = is_of_service || self.kind == Some(Kind::PodMonitor);
        let matches = |thing: &&ScrapableObject<'p>| {
            !is_selected
                || wanted
                    .iter()
                    .all(|(key, value)| thing.label(key) == Some(value))
        };
        let mut meant: Vec<&ScrapableObject<'p>> = things.iter().filter(matches).collect();
        if meant.is_empty() {
            meant = things.iter().collect();
        }
        meant.into_iter().flat_map(ScrapableObject::ports).collect()
    }

    fn labels_of_selector(&self) -> Vec<(String, String)> {
        let label = |item: &OutlineItem| match item.route.0.as_slice() {
            [
                Segment::Key(spec),
                Segment::Key(selector),
                Segment::Key(labels),
                Segment::Key(label),
            ] if spec == "spec" && selector == "selector" && labels == "matchLabels" => {
                Some((label.to_string(), item.text.clone()))
            }
            _ => None,
        };
        self.outline.items.iter().filter_map(label).collect()
    }

    /// Services, and pods with their templates.
    fn things(&self) -> Vec<ScrapableObject<'p>> {
        let thing = |manifest: Manifest<'p>| {
            let is_service = manifest.kind == "Service";
            let template = || manifest.node.find(&["spec", "template"]);
            let root = if is_service || manifest.kind == "Pod" {
                manifest.node
            } else {
                template()?
            };
            let from = format!("{} {}", manifest.kind, manifest.name);
            Some(ScrapableObject {
                is_service,
                from,
                root,
            })
        };
        self.manifests.iter().filter_map(thing).collect()
    }

    /// The things that the selector here is about.
    fn selected(&self) -> Vec<ScrapableObject<'p>> {
        let keys = self.keys();
        let of_kind = |kind: &'static str| -> Vec<ScrapableObject<'p>> {
            let thing = |of: Manifest<'p>| ScrapableObject {
                is_service: false,
                from: format!("{} {}", of.kind, of.name),
                root: of.node,
            };
            self.of_kind(kind).map(thing).collect()
        };
        let of_monitor = |is_service: bool| {
            self.things()
                .into_iter()
                .filter(|thing| thing.is_service == is_service)
                .collect()
        };
        match (self.kind, keys.as_slice()) {
            (_, ["spec", selector, ..]) if selector.ends_with("NamespaceSelector") => {
                of_kind("Namespace")
            }
            (Some(Kind::ServiceMonitor), ["spec", "selector", ..]) => of_monitor(true),
            (Some(Kind::PodMonitor), ["spec", "selector", ..])
            | (Some(Kind::Service), ["spec", "selector", ..]) => of_monitor(false),
            (_, ["spec", "serviceMonitorSelector", ..]) => of_kind("ServiceMonitor"),
            (_, ["spec", "podMonitorSelector", ..]) => of_kind("PodMonitor"),
            (_, ["spec", "probeSelector", ..]) => of_kind("Probe"),
            (_, ["spec", "scrapeConfigSelector", ..]) => of_kind("ScrapeConfig"),
            (_, ["spec", "ruleSelector", ..]) => of_kind("PrometheusRule"),
            (_, ["spec", "alertmanagerConfigSelector", ..]) => of_kind("AlertmanagerConfig"),
            _ => Vec::new(),
        }
    }

    /// The labels that the things here have. Empty where no labels are selected.
    pub(super) fn label_keys(&self) -> Vec<String> {
        let is_selector = matches!(self.keys().as_slice(), [.., "matchLabels"])
            || self.kind == Some(Kind::Service) && self.keys() == ["spec", "selector"];
        let things = if is_selector {
            self.selected()
        } else {
            Vec::new()
        };
        let keys: Found = things
            .iter()
            .flat_map(|thing| thing.labels().map(|(key, _)| (key, thing.from.clone())))
            .collect_map();
        keys.into_keys().collect()
    }

    fn label_values(&self, label: &str) -> Found {
        let things = self.selected();
        let value = |thing: &ScrapableObject<'p>| {
            Some((thing.label(label)?.to_owned(), thing.from.clone()))
        };
        things.iter().filter_map(value).collect_map()
    }
}

/// Something with labels and ports.
struct ScrapableObject<'p> {
    is_service: bool,
    /// Its kind and name.
    from: String,
    /// The object, or the template of its pods.
    root: &'p Node,
}

impl<'p> ScrapableObject<'p> {
    fn labels(&self) -> impl Iterator<Item = (String, String)> + use<'p> {
        let labels = self
            .root
            .find(&["metadata", "labels"])
            .into_iter()
            .flat_map(Node::entries);
        labels.filter_map(|entry| Some((entry.key.to_string(), entry.value.as_str()?.to_owned())))
    }

    fn label(&self, key: &str) -> Option<&'p str> {
        self.root.text_at(&["metadata", "labels", key])
    }

    /// The names of its ports.
    fn ports(&self) -> Vec<(String, String)> {
        let containers = self.root.items_at(&["spec", "containers"]).iter();
        let of_pods = containers.filter_map(|container| container.get("ports"));
        let of_service = self
            .root
            .find(&["spec", "ports"])
            .into_iter()
            .filter(|_| self.is_service);
        let ports = of_service.chain(of_pods).flat_map(Node::items);
        ports
            .filter_map(|port| Some((port.get("name")?.as_str()?.to_owned(), self.from.clone())))
            .collect()
    }
}
