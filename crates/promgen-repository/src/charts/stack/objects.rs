//! The rules and monitors that values define, and what all objects have.

use promgen_text::source::Span;
use promgen_text::yaml::Node;
use promgen_text::yaml::edit::{null, sorted_entries};

use super::Chart;
use crate::charts::node::{is_set, map, merge, printed, set, text};

/// The operator's API group.
const GROUP: &str = "monitoring.coreos.com";

impl Chart<'_> {
    /// An object of the operator without its spec.
    pub(super) fn object(&self, version: &str, kind: &str, metadata: Node) -> Node {
        let api = if version.is_empty() {
            "v1".to_owned()
        } else {
            format!("{GROUP}/{version}")
        };
        let (api, kind) = (text(api, self.place), text(kind, self.place));
        map(
            self.asked.span,
            vec![("apiVersion", api), ("kind", kind), ("metadata", metadata)],
        )
    }

    /// The metadata of an object. `app`: the value of that label.
    pub(super) fn metadata(
        &self,
        name: Node,
        app: &str,
        more: &[Option<&Node>],
        annotations: Option<&Node>,
    ) -> Node {
        let mut metadata = map(name.span, vec![("name", name)]);
        if let Some(namespace) = self.namespace() {
            set(&mut metadata, "namespace", namespace.span, namespace);
        }
        let mut labels =
            self.names
                .labels(app, self.asked.version.version, &self.values, self.place);
        more.iter()
            .flatten()
            .filter(|more| more.is_set())
            .for_each(|more| merge(&mut labels, more));
        set(&mut metadata, "labels", self.place, labels);
        if let Some(annotations) = annotations.filter(|annotations| annotations.is_set()) {
            set(
                &mut metadata,
                "annotations",
                annotations.span,
                annotations.clone(),
            );
        }
        metadata
    }

    /// The namespace of the objects, if somebody says it.
    pub(super) fn namespace(&self) -> Option<Node> {
        let overridden = self.values.get_set("namespaceOverride");
        let of_release = || self.asked.namespace.map(|(name, span)| text(name, span));
        overridden
            .map(|node| text(printed(node).unwrap_or_default(), node.span))
            .or_else(of_release)
    }

    /// The rules that values define.
    pub(super) fn rules(&self) -> Vec<Node> {
        let mut rules = Vec::new();
        let mut add = |name: &str, span: Span, rule: &Node| {
            let name = text(format!("{}-{name}", self.names.full_name), span);
            let metadata = self.metadata(
                name,
                &self.names.name,
                &[rule.get("additionalLabels")],
                None,
            );
            let mut object = self.object("v1", "PrometheusRule", metadata);
            let groups = rule.get("groups").cloned().unwrap_or(null(rule.span));
            let mut spec = map(rule.span, Vec::new());
            let key = rule.entry("groups").map_or(span, |entry| entry.key_span);
            set(&mut spec, "groups", key, groups);
            set(&mut object, "spec", span, spec);
            rules.push(object);
        };
        let named = self.values.get_set("additionalPrometheusRulesMap");
        for entry in named.map_or(&[][..], Node::entries) {
            add(&entry.key, entry.key_span, &entry.value);
        }
        if named.is_none() {
            let unnamed = self.values.get("additionalPrometheusRules");
            for rule in unnamed.map_or_else(Vec::new, each) {
                let name = rule.get("name");
                let text = name.and_then(printed).unwrap_or_default();
                add(&text, name.unwrap_or(rule).span, rule);
            }
        }
        rules
    }

    /// The monitors that values define.
    pub(super) fn monitors(&self) -> Vec<Node> {
        if !is_set(self.values.find(&["prometheus", "enabled"])) {
            return Vec::new();
        }
        let mut monitors = Vec::new();
        for (key, kind) in [
            ("additionalServiceMonitors", "ServiceMonitor"),
            ("additionalPodMonitors", "PodMonitor"),
        ] {
            let items = self.values.find(&["prometheus", key]);
            let items = items.map_or_else(Vec::new, each);
            monitors.extend(items.into_iter().map(|item| self.monitor(kind, item)));
        }
        monitors
    }

    fn monitor(&self, kind: &str, item: &Node) -> Node {
        let name = item
            .get("name")
            .cloned()
            .unwrap_or_else(|| text("", item.span));
        let app = format!("{}-prometheus", self.names.name);
        let metadata = self.metadata(name, &app, &[item.get("additionalLabels")], None);
        let mut object = self.object("v1", kind, metadata);
        let mut spec = map(item.span, Vec::new());
        let of_metadata = ["name", "additionalLabels"];
        for entry in item.entries() {
            if !of_metadata.contains(&&*entry.key) && entry.value.is_set() {
                set(&mut spec, &entry.key, entry.key_span, entry.value.clone());
            }
        }
        set(&mut object, "spec", item.span, spec);
        object
    }
}

/// The items of a list, or the values of a map in the order of its keys: templates walk over both alike.
fn each(node: &Node) -> Vec<&Node> {
    let values = sorted_entries(node).into_iter().map(|entry| &entry.value);
    node.items().iter().chain(values).collect()
}
