//! What a kustomization says of fields and lists: `configurations` and `openapi`.

use serde_json::{Map, Value, json};

use super::World;

/// Fields that a transformer may be sent to, by the key of the transformer.
const FIELDS: [(&str, &[&str]); 5] = [
    (
        "commonLabels",
        &[
            "spec/selector/matchLabels",
            "metadata/labels",
            "spec/extra/labels",
        ],
    ),
    (
        "commonAnnotations",
        &[
            "spec/template/metadata/annotations",
            "metadata/annotations",
            "spec/notes",
        ],
    ),
    (
        "images",
        &[
            "spec/containers/image",
            "spec/template/spec/containers[]/image",
            "spec/image",
        ],
    ),
    ("replicas", &["spec/replicas", "spec/shards"]),
    ("namespace", &["spec/extra/namespace", "metadata/namespace"]),
];

const KINDS: [&str; 4] = ["Prometheus", "ServiceMonitor", "Deployment", "Service"];

impl World {
    pub(super) fn configured(&mut self, folder: &str, fields: &mut Map<String, Value>) {
        if self.random.once_in(5) {
            let mut configuration = Map::new();
            for _ in 0..=self.random.below(2) {
                let (key, paths) = FIELDS[self.random.below(FIELDS.len())];
                let specs: Vec<Value> = (0..=self.random.below(2))
                    .map(|_| self.field(paths))
                    .collect();
                configuration.insert(key.to_owned(), Value::Array(specs));
            }
            self.write(
                &format!("{folder}/configuration.yaml"),
                &[Value::Object(configuration)],
            );
            fields.insert("configurations".into(), json!(["configuration.yaml"]));
        }
        if self.random.once_in(8) {
            let schema = self.schema();
            self.write(&format!("{folder}/schema.json"), &[schema]);
            fields.insert("openapi".into(), json!({"path": "schema.json"}));
        }
    }

    fn field(&mut self, paths: &[&str]) -> Value {
        let mut field = json!({"path": self.random.pick(paths)});
        if !self.random.once_in(3) {
            field["kind"] = json!(self.random.pick(&KINDS));
        }
        if !self.random.once_in(4) {
            field["create"] = json!(true);
        }
        field
    }

    /// A schema of monitors, and at times of Deployments.
    fn schema(&mut self) -> Value {
        let merged = |key: &str| {
            json!({
                "type": "array", "items": {"$ref": "#/definitions/Item"},
                "x-kubernetes-patch-strategy": "merge", "x-kubernetes-patch-merge-key": key,
            })
        };
        let of = |group: &str, kind: &str| json!([{"group": group, "kind": kind, "version": "v1"}]);
        let endpoints = merged(self.random.pick(&["port", "path"]));
        let mut definitions = json!({
            "Item": {"type": "object", "properties": {"ports": merged("containerPort")}},
            "Monitor": {
                "x-kubernetes-group-version-kind": of("monitoring.coreos.com", "ServiceMonitor"),
                "properties": {"spec": {"properties": {"endpoints": endpoints}}},
            },
        });
        if self.random.once_in(2) {
            let pod =
                json!({"properties": {"containers": merged("name"), "volumes": merged("name")}});
            let template = json!({"properties": {"spec": pod}});
            definitions["Deployment"] = json!({
                "x-kubernetes-group-version-kind": of("apps", "Deployment"),
                "properties": {"spec": {"properties": {"template": template}}},
            });
        }
        json!({"definitions": definitions})
    }
}
