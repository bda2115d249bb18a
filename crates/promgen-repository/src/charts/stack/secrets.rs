//! The Secrets that the chart makes of values.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use promgen_text::source::Span;
use promgen_text::yaml::Node;

use super::Chart;
use super::fields::{PROMETHEUS_SECRETS, RULER_SECRETS};
use crate::charts::node::{is_set, map, merge, printed, set, text, yaml};
use crate::charts::template::render;

/// The key of a configuration of object storage.
pub(super) const STORAGE_KEY: &str = "object-storage-configs.yaml";

impl Chart<'_> {
    /// The Secrets of a component, by the key of its values.
    pub(super) fn secrets(&self, component: &str) -> Vec<Node> {
        match component {
            "prometheus" => self.of_prometheus(),
            "alertmanager" => self.of_alertmanager().into_iter().collect(),
            _ => self.of_ruler().into_iter().collect(),
        }
    }

    /// A Secret. `name` is its name, and `app` the end of that label's value.
    fn secret(
        &self,
        name: &str,
        app: &str,
        annotations: Option<&Node>,
        data: Vec<(&str, (String, Span))>,
    ) -> Node {
        let app = format!("{}-{app}", self.names.name);
        let metadata = self.metadata(text(name, self.place), &app, &[], annotations);
        let mut object = self.object("", "Secret", metadata);
        let span = data.first().map_or(self.place, |(_, (_, span))| *span);
        let mut all = map(span, Vec::new());
        for (key, (value, span)) in data {
            // What the chart sets by itself is no secret, and has no place of its own.
            let span = if span == self.place {
                Span {
                    end: span.start,
                    ..span
                }
            } else {
                span
            };
            set(&mut all, key, span, text(STANDARD.encode(value), span));
        }
        set(&mut object, "data", span, all);
        object
    }

    /// A text with actions filled in; as it is if one is not known.
    fn filled(&self, text: String) -> String {
        self.with_context(|context| render(&text, context))
            .unwrap_or(text)
    }

    /// A value as YAML, with actions filled in; a text as it is.
    fn filled_yaml(&self, node: &Node) -> String {
        self.filled(node.as_str().map_or_else(|| yaml(node), str::to_owned))
    }

    fn of_prometheus(&self) -> Vec<Node> {
        let Some(spec) = self.values.find(&["prometheus", "prometheusSpec"]) else {
            return Vec::new();
        };
        let mut secrets = Vec::new();
        let annotations = spec.get("additionalPrometheusSecretsAnnotations");
        for (key, _, _, end, file, _) in PROMETHEUS_SECRETS {
            let Some(list) = spec.get_set(key) else {
                continue;
            };
            let name = format!("{}-{end}", self.names.full_name);
            secrets.push(self.secret(
                &name,
                end,
                annotations,
                vec![(file, (self.filled_yaml(list), list.span))],
            ));
        }
        secrets.extend(self.of_storage(spec));
        secrets
    }

    /// The Secret with the object storage of the Thanos sidecar.
    fn of_storage(&self, spec: &Node) -> Option<Node> {
        let storage = spec.find(&["thanos", "objectStorageConfig"]);
        let own = storage
            .and_then(|storage| storage.get("secret"))
            .filter(|own| own.is_set());
        let own =
            own.filter(|_| !is_set(storage.and_then(|storage| storage.get("existingSecret"))));
        let is_made = match self.fact("thanosSecret").and_then(Node::as_str) {
            Some("always") => true,
            Some("set") => own.is_some(),
            _ => false,
        };
        is_made.then(|| {
            let data = own.map(|own| (STORAGE_KEY, (self.filled_yaml(own), own.span)));
            let name = format!("{}-prometheus", self.names.full_name);
            let mut secret = self.secret(&name, "prometheus", None, data.into_iter().collect());
            let component = map(
                self.place,
                vec![(
                    "app.kubernetes.io/component",
                    text("prometheus", self.place),
                )],
            );
            let labels = map(self.place, vec![("labels", component)]);
            let more = map(secret.span, vec![("metadata", labels)]);
            merge(&mut secret, &more);
            secret
        })
    }

    fn of_alertmanager(&self) -> Option<Node> {
        let values = self.values.get("alertmanager")?;
        if is_set(values.find(&["alertmanagerSpec", "useExistingSecret"])) {
            return None;
        }
        let text_of = values.get_set("stringConfig");
        let config = match (text_of, values.get("config")) {
            (Some(config), _) => (
                self.filled(printed(config).unwrap_or_default()),
                config.span,
            ),
            (None, Some(config)) if is_set(values.get("tplConfig")) => {
                (self.filled_yaml(config), config.span)
            }
            (None, Some(config)) => (
                config.as_str().map_or_else(|| yaml(config), str::to_owned),
                config.span,
            ),
            (None, None) => (String::new(), self.place),
        };
        let mut data = vec![("alertmanager.yaml", config)];
        for entry in values.entries_of("templateFiles") {
            data.push((
                &entry.key,
                (printed(&entry.value).unwrap_or_default(), entry.value.span),
            ));
        }
        let name = format!("alertmanager-{}", self.names.workload("alertmanager"));
        Some(self.secret(
            &name,
            "alertmanager",
            values.find(&["secret", "annotations"]),
            data,
        ))
    }

    fn of_ruler(&self) -> Option<Node> {
        let spec = self.values.find(&["thanosRuler", "thanosRulerSpec"])?;
        let data = RULER_SECRETS.iter().filter_map(|(key, file)| {
            let config = spec.get(key)?;
            let own = config
                .get("secret")
                .filter(|own| own.is_set() && !is_set(config.get("existingSecret")))?;
            Some((*file, (yaml(own), own.span)))
        });
        let is_made = is_set(self.fact("rulerSecret"));
        is_made.then(|| self.secret(&self.names.ruler(), "thanos-ruler", None, data.collect()))
    }
}
