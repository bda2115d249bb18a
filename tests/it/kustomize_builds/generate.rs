//! Random kustomizations: bases, components, overlays, and all that promgen builds of them.

mod configured;

use std::collections::BTreeMap;

use promgen_text::yaml::Value as Yaml;
use promgen_text::yaml::emit::{Dialect, to_string};
use serde_json::{Map, Value, json};

/// The same numbers for the same seed.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        (0..8).for_each(|_| {
            random.next();
        });
        random
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 11
    }

    fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(n).unwrap()).unwrap()
    }

    /// True once in `n` times.
    pub(crate) fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub(crate) fn pick<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.below(texts.len())]
    }
}

/// The files of a build, by path. The kustomization to build is in `top`.
pub(crate) fn files(seed: u64) -> BTreeMap<String, String> {
    let mut world = World {
        random: Random::new(seed),
        files: BTreeMap::new(),
        known: Vec::new(),
    };
    world.layer("base", &[], false);
    let mut bases = vec!["../base"];
    if world.random.once_in(3) {
        world.layer("other", &[], false);
        bases.push("../other");
    }
    if world.random.once_in(3) {
        world.layer("middle", &bases, false);
        bases = vec!["../middle"];
        // A diamond: the same base once more, by another way.
        if world.random.once_in(4) {
            world.layer("twin", &["../base"], false);
            bases.push("../twin");
        }
    }
    world.layer("top", &bases, true);
    world.files
}

/// A map with one entry more.
fn with(mut map: Value, key: &str, value: Value) -> Value {
    map[key] = value;
    map
}

const NAMES: [&str; 4] = ["app", "web", "db", "x-1"];

/// What tells an object from others, as its file has it.
#[derive(Clone, PartialEq)]
struct Known {
    kind: String,
    name: String,
    namespace: Option<&'static str>,
}

impl Known {
    /// The metadata of a patch of it.
    fn metadata(&self) -> Value {
        let mut metadata = json!({"name": self.name});
        if let Some(namespace) = self.namespace {
            metadata["namespace"] = json!(namespace);
        }
        metadata
    }
}

struct World {
    random: Random,
    files: BTreeMap<String, String>,
    /// Each object so far.
    known: Vec<Known>,
}

impl World {
    /// An object of that kind, or now and then one that may not be there.
    fn known(&mut self, kind: &str) -> Option<Known> {
        if self.random.once_in(60) {
            return Some(Known {
                kind: kind.to_owned(),
                name: self.random.pick(&NAMES).to_owned(),
                namespace: None,
            });
        }
        let found: Vec<&Known> = self
            .known
            .iter()
            .filter(|known| known.kind == kind)
            .collect();
        if found.is_empty() {
            None
        } else {
            Some(found[self.random.below(found.len())].clone())
        }
    }

    fn write(&mut self, path: &str, documents: &[Value]) {
        let is_json = self.random.once_in(4);
        let text = |document: &Value| match is_json {
            true => format!("{document}\n"),
            false => to_string(&Yaml::from(document.clone()), Dialect::Sigs),
        };
        let texts: Vec<String> = documents.iter().map(text).collect();
        self.files.insert(path.to_owned(), texts.join("---\n"));
    }

    fn layer(&mut self, folder: &str, bases: &[&str], is_top: bool) {
        let below = std::mem::take(&mut self.known);
        let others = if bases.is_empty() {
            below
        } else {
            self.known = below;
            Vec::new()
        };
        self.fill(folder, bases, is_top);
        self.known.extend(others);
    }

    fn fill(&mut self, folder: &str, bases: &[&str], is_top: bool) {
        let mut fields = Map::new();
        let mut resources: Vec<Value> = bases.iter().map(|base| json!(base)).collect();
        if bases.is_empty() || self.random.once_in(2) {
            let n = 1 + self.random.below(if bases.is_empty() { 7 } else { 2 });
            let objects: Vec<Value> = (0..n).map(|_| self.object()).collect();
            let objects = if self.random.once_in(8) {
                vec![json!({"apiVersion": "v1", "kind": "List", "items": objects})]
            } else {
                objects
            };
            self.write(&format!("{folder}/objects.yaml"), &objects);
            resources.push(json!("objects.yaml"));
        }
        fields.insert("resources".into(), Value::Array(resources));
        if self.random.once_in(3) {
            self.component(&format!("{folder}-part"));
            fields.insert("components".into(), json!([format!("../{folder}-part")]));
        }
        self.transformers(folder, &mut fields);
        if is_top && self.random.once_in(8) {
            let order = self.random.pick(&["fifo", "legacy"]);
            fields.insert("sortOptions".into(), json!({"order": order}));
        }
        self.write(
            &format!("{folder}/kustomization.yaml"),
            &[Value::Object(fields)],
        );
    }

    fn component(&mut self, folder: &str) {
        let mut fields = Map::new();
        fields.insert(
            "apiVersion".into(),
            json!("kustomize.config.k8s.io/v1alpha1"),
        );
        fields.insert("kind".into(), json!("Component"));
        if self.random.once_in(2) {
            let object = self.object();
            self.write(&format!("{folder}/more.yaml"), &[object]);
            fields.insert("resources".into(), json!(["more.yaml"]));
        }
        self.transformers(folder, &mut fields);
        if fields.len() == 2 {
            fields.insert("commonAnnotations".into(), json!({"part": "yes"}));
        }
        self.write(
            &format!("{folder}/kustomization.yaml"),
            &[Value::Object(fields)],
        );
    }

    fn transformers(&mut self, folder: &str, fields: &mut Map<String, Value>) {
        if self.random.once_in(3) {
            fields.insert(
                "namespace".into(),
                json!(self.random.pick(&["shop", "monitoring", "default"])),
            );
        }
        if self.random.once_in(3) {
            fields.insert("namePrefix".into(), json!(self.random.pick(&["p-", "q-"])));
        }
        if self.random.once_in(4) {
            fields.insert("nameSuffix".into(), json!(self.random.pick(&["-s", "-t"])));
        }
        if self.random.once_in(3) {
            fields.insert("labels".into(), self.labels());
        }
        if self.random.once_in(4) {
            fields.insert(
                "commonLabels".into(),
                json!({"team": "a", "env": self.random.pick(&["prod", "on", "1"])}),
            );
        }
        if self.random.once_in(4) {
            fields.insert(
                "commonAnnotations".into(),
                json!({"note": self.random.pick(&["x", "true", "1.0", "of $(SERVICE)"])}),
            );
        }
        self.configured(folder, fields);
        self.generators(folder, fields);
        self.patches(folder, fields);
        self.values(folder, fields);
    }

    fn labels(&mut self) -> Value {
        let mut label = json!({"pairs": {"tier": self.random.pick(&["front", "back"])}});
        match self.random.below(5) {
            0 => label["includeSelectors"] = json!(true),
            1 => label["includeTemplates"] = json!(true),
            2 => {
                label["fields"] =
                    json!([{"path": "spec/extra/labels", "kind": "ServiceMonitor", "create": true}])
            }
            3 => {
                label["fields"] =
                    json!([{"path": "spec/template/metadata/labels", "kind": "Deployment"}])
            }
            _ => {}
        }
        json!([label])
    }

    fn generators(&mut self, folder: &str, fields: &mut Map<String, Value>) {
        for (key, kind) in [
            ("configMapGenerator", "ConfigMap"),
            ("secretGenerator", "Secret"),
        ] {
            if !self.random.once_in(3) {
                continue;
            }
            let mut generator = Map::new();
            let (known, behavior) = match self.known(kind) {
                Some(known) if self.random.once_in(2) => {
                    (known, self.random.pick(&["merge", "replace"]))
                }
                _ => {
                    let name = self
                        .random
                        .pick(&["settings", "app", "web", "more"])
                        .to_owned();
                    let namespace = if self.random.once_in(8) {
                        Some("shop")
                    } else {
                        None
                    };
                    (
                        Known {
                            kind: kind.to_owned(),
                            name,
                            namespace,
                        },
                        "create",
                    )
                }
            };
            let is_there = self.known.contains(&known);
            if behavior == "create" && is_there && !self.random.once_in(20) {
                continue;
            }
            generator.insert("name".into(), json!(known.name));
            if let Some(namespace) = known.namespace {
                generator.insert("namespace".into(), json!(namespace));
            }
            if !is_there {
                self.known.push(known);
            }
            generator.insert("behavior".into(), json!(behavior));
            let literal =
                self.random
                    .pick(&["a=b", "a='quoted'", "b=\"<&>\"", "a=x=y", "empty=", "n=1"]);
            generator.insert("literals".into(), json!([literal]));
            if self.random.once_in(2) {
                let long = "some text, ".repeat(1 + self.random.below(12));
                self.files
                    .insert(format!("{folder}/file.txt"), format!("{long}\n\tüñí <b>\n"));
                generator.insert(
                    "files".into(),
                    json!([self.random.pick(&["file.txt", "k.txt=file.txt"])]),
                );
            }
            if self.random.once_in(3) {
                self.files.insert(
                    format!("{folder}/list.env"),
                    "# list\nA=1\n\n  B = two \nC=\"3\"\n".to_owned(),
                );
                generator.insert("envs".into(), json!(["list.env"]));
            }
            if kind == "Secret" && self.random.once_in(3) {
                generator.insert("type".into(), json!("example.com/token"));
            }
            if self.random.once_in(3) {
                generator.insert("options".into(), self.generator_options());
            }
            fields.insert(key.into(), json!([generator]));
            if self.random.once_in(3) {
                let options = self.generator_options();
                fields.insert("generatorOptions".into(), options);
            }
        }
    }

    fn generator_options(&mut self) -> Value {
        let mut options = json!({"labels": {"made": self.random.pick(&["here", "there"])}});
        match self.random.below(4) {
            0 => options["disableNameSuffixHash"] = json!(true),
            1 => options["immutable"] = json!(true),
            2 => options["annotations"] = json!({"why": "yes"}),
            _ => {}
        }
        options
    }

    fn patches(&mut self, folder: &str, fields: &mut Map<String, Value>) {
        let mut patches = Vec::new();
        for index in 0..self.random.below(3) {
            let mut patch = Map::new();
            let is_operations = self.random.once_in(3);
            let content = if is_operations {
                Some(self.operations())
            } else {
                self.merge_patch()
            };
            let Some(content) = content else { continue };
            if is_operations || !self.random.once_in(3) {
                patch.insert("target".into(), self.selector());
                if self.random.once_in(6) {
                    patch.insert("options".into(), json!({"allowNameChange": true}));
                }
            }
            if self.random.once_in(2) {
                let path = format!("patch-{index}.yaml");
                self.write(&format!("{folder}/{path}"), &[content]);
                patch.insert("path".into(), json!(path));
            } else {
                let text = to_string(&Yaml::from(content), Dialect::Sigs);
                patch.insert("patch".into(), json!(text));
            }
            patches.push(Value::Object(patch));
        }
        if !patches.is_empty() {
            fields.insert("patches".into(), Value::Array(patches));
        }
        if self.random.once_in(6)
            && let Some(patch) = self.merge_patch()
        {
            self.write(&format!("{folder}/merge.yaml"), &[patch]);
            fields.insert("patchesStrategicMerge".into(), json!(["merge.yaml"]));
        }
        if self.random.once_in(8)
            && let Some(Known { name, .. }) = self.known("Deployment")
        {
            let operations = self.operations();
            self.write(&format!("{folder}/operations.yaml"), &[operations]);
            let target =
                json!({"group": "apps", "version": "v1", "kind": "Deployment", "name": name});
            fields.insert(
                "patchesJson6902".into(),
                json!([{"path": "operations.yaml", "target": target}]),
            );
        }
    }

    fn selector(&mut self) -> Value {
        let mut selector = Map::new();
        if !self.random.once_in(4) {
            let kind = self.random.pick(&[
                "Deployment",
                "Service",
                "ServiceMonitor",
                "Prometheus",
                "ConfigMap",
                "Deploy.*",
            ]);
            selector.insert("kind".into(), json!(kind));
        }
        if self.random.once_in(3) {
            selector.insert(
                "name".into(),
                json!(self.random.pick(&["app", "web|db", ".*", "p-.*"])),
            );
        }
        if self.random.once_in(6) {
            selector.insert(
                "namespace".into(),
                json!(self.random.pick(&["shop", "default"])),
            );
        }
        if self.random.once_in(6) {
            let text = self
                .random
                .pick(&["app=app", "app in (app,web)", "!tier", "tier!=front"]);
            selector.insert("labelSelector".into(), json!(text));
        }
        if self.random.once_in(12) {
            selector.insert("annotationSelector".into(), json!("note"));
        }
        if self.random.once_in(8) {
            selector.insert("group".into(), json!("apps"));
        }
        Value::Object(selector)
    }

    fn operations(&mut self) -> Value {
        let operation = match self.random.below(40) {
            0 => json!({"op": "replace", "path": "/metadata/name", "value": "renamed"}),
            1 => json!({"op": "remove", "path": "/spec"}),
            2 => {
                json!({"op": "add", "path": "/spec/template/spec/containers/-", "value": {"name": "new", "image": "new"}})
            }
            3 => json!({"op": "add", "path": "/spec/endpoints/0", "value": {"port": "first"}}),
            4 => json!({"op": "replace", "path": "/spec/replicas", "value": 7}),
            5 => json!({"op": "add", "path": "/metadata/annotations", "value": {"a~b/c": "1"}}),
            _ => json!({"op": "add", "path": "/metadata/labels/added~1here", "value": "yes"}),
        };
        let label = json!({"op": "add", "path": "/metadata/labels", "value": {"from": "patch"}});
        if self.random.once_in(15) {
            json!([operation])
        } else {
            json!([label, operation])
        }
    }

    fn merge_patch(&mut self) -> Option<Value> {
        let index = self.random.below(12);
        let kind = match index {
            1 => "ServiceMonitor",
            2 => "Service",
            3 => "Prometheus",
            _ => "Deployment",
        };
        let metadata = self.known(kind)?.metadata();
        let container = self.random.pick(&["main", "side"]);
        let extra = match self.random.below(8) {
            0 => json!({"image": "patched:1"}),
            1 => {
                json!({"env": [{"name": "MODE", "value": "patched"}, {"name": "EXTRA", "value": "1"}]})
            }
            2 => json!({"$patch": "delete"}),
            3 => json!({"env": [{"name": "MODE", "$patch": "delete"}]}),
            4 => {
                json!({"ports": [{"containerPort": 8080, "name": "patched"}, {"containerPort": 1}]})
            }
            5 => json!({"resources": null, "args": ["--patched"]}),
            6 => json!({"env": [{"$patch": "replace"}, {"name": "ONLY", "value": "x"}]}),
            _ => json!({"volumeMounts": [{"mountPath": "/etc/app", "name": "patched"}]}),
        };
        let mut main = json!({"name": container});
        main.as_object_mut()
            .unwrap()
            .extend(extra.as_object().unwrap().clone());
        Some(match index {
            0 => {
                json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "$patch": "delete"})
            }
            1 => json!({
                "apiVersion": "monitoring.coreos.com/v1", "kind": "ServiceMonitor", "metadata": metadata,
                "spec": {"endpoints": [{"port": "patched"}], "selector": {"matchLabels": {"app": null}}},
            }),
            2 => json!({
                "apiVersion": "v1", "kind": "Service",
                "metadata": with(metadata, "labels", json!({"app": null, "patched": "yes"})),
                "spec": {"ports": [{"port": 80, "targetPort": "patched"}, {"port": 81, "name": "more"}]},
            }),
            3 => json!({
                "apiVersion": "monitoring.coreos.com/v1", "kind": "Prometheus",
                "metadata": with(metadata, "annotations", json!({"patched": "true"})),
                "spec": {"replicas": 2, "containers": [{"name": "prometheus"}], "externalLabels": {"$patch": "replace", "a": "b"}},
            }),
            4 => json!({
                "apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata,
                "spec": {"template": {"spec": {"$patch": "replace", "containers": [{"name": "main", "image": "only"}]}}},
            }),
            5 => json!({
                "apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata,
                "spec": {"template": {"spec": {
                    "volumes": [{"name": "config", "configMap": null, "emptyDir": {}}],
                    "tolerations": [{"key": "patched", "operator": "Exists"}],
                    "$setElementOrder/containers": [{"name": "side"}, {"name": "main"}],
                }}},
            }),
            _ => json!({
                "apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata,
                "spec": {"strategy": {"type": "Recreate", "rollingUpdate": null}, "template": {"spec": {"containers": [main]}}},
            }),
        })
    }

    fn values(&mut self, folder: &str, fields: &mut Map<String, Value>) {
        if self.random.once_in(4) {
            let image = match self.random.below(5) {
                0 => json!({"name": "nginx", "newTag": "1.29"}),
                1 => {
                    json!({"name": "nginx", "newName": "registry.example.com/nginx", "newTag": "v2"})
                }
                2 => json!({"name": "registry.example.com:5000/team/app", "digest": "sha256:0123"}),
                3 => json!({"name": "nginx", "tagSuffix": "-alpine"}),
                _ => json!({"name": "patched", "newName": "other"}),
            };
            fields.insert("images".into(), json!([image]));
        }
        if self.random.once_in(5)
            && let Some(Known { name, .. }) = self.known("Deployment")
        {
            let replicas = json!([{"name": name, "count": 5}]);
            fields.insert("replicas".into(), replicas);
        }
        if self.random.once_in(8)
            && let Some(known) = self.known("Service")
        {
            let mut object = json!({"kind": "Service", "version": "v1", "name": known.name});
            if let Some(namespace) = known.namespace {
                object["namespace"] = json!(namespace);
            }
            let path =
                self.random
                    .pick(&["metadata.name", "metadata.namespace", "spec.ports[0].port"]);
            fields.insert(
                "vars".into(),
                json!([{"name": "SERVICE", "objref": object, "fieldref": {"fieldpath": path}}]),
            );
        }
        if self.random.once_in(3)
            && let Some(replacement) = self.replacement()
        {
            if self.random.once_in(3) {
                self.write(&format!("{folder}/replacement.yaml"), &[replacement]);
                fields.insert("replacements".into(), json!([{"path": "replacement.yaml"}]));
            } else {
                fields.insert("replacements".into(), json!([replacement]));
            }
        }
    }

    fn replacement(&mut self) -> Option<Value> {
        let index = self.random.below(4);
        let Known { name, .. } = self.known(if index.is_multiple_of(2) {
            "Deployment"
        } else {
            "Service"
        })?;
        let source = match index {
            0 => {
                json!({"kind": "Deployment", "name": name, "fieldPath": "spec.template.spec.containers.[name=main].image"})
            }
            1 => json!({"kind": "Service", "name": name, "fieldPath": "spec.ports.0.port"}),
            2 => json!({
                "kind": "Deployment", "name": name,
                "fieldPath": "spec.template.spec.containers.0.image", "options": {"delimiter": ":", "index": 0},
            }),
            _ => json!({"kind": "Service", "name": name}),
        };
        // A number that a replacement puts where nothing was has no type to Kustomize: later steps may make a text of it.
        let n_targets = if index == 1 { 1 } else { 4 };
        let mut target = match self.random.below(n_targets) {
            0 => {
                json!({"select": {"kind": "ServiceMonitor"}, "fieldPaths": ["metadata.annotations.copied"]})
            }
            1 => {
                json!({"select": {"kind": "Deployment"}, "fieldPaths": ["spec.template.spec.containers.[name=main].env.[name=MODE].value"]})
            }
            2 => {
                json!({"select": {"kind": "Prometheus"}, "fieldPaths": ["spec.externalLabels.copied", "spec.other"]})
            }
            _ => {
                json!({"select": {"name": self.random.pick(&NAMES)}, "reject": [{"kind": "Deployment"}], "fieldPaths": ["metadata.annotations.[example.com/copied]"]})
            }
        };
        if !self.random.once_in(10) {
            target["options"] = json!({"create": true});
        }
        Some(json!({"source": source, "targets": [target]}))
    }

    fn object(&mut self) -> Value {
        let namespace = if self.random.once_in(5) {
            Some(self.random.pick(&["shop", "monitoring"]))
        } else {
            None
        };
        let kinds = [
            "Deployment",
            "StatefulSet",
            "Service",
            "ConfigMap",
            "Secret",
            "ServiceAccount",
            "Role",
            "RoleBinding",
            "ClusterRole",
            "ClusterRoleBinding",
            "CronJob",
            "Ingress",
            "ValidatingWebhookConfiguration",
            "HorizontalPodAutoscaler",
            "PodDisruptionBudget",
            "NetworkPolicy",
            "PersistentVolumeClaim",
            "Prometheus",
            "ServiceMonitor",
            "PrometheusRule",
            "Namespace",
            "Pod",
            "CustomResourceDefinition",
            "Deployment",
            "Service",
            "ServiceMonitor",
            "Deployment",
        ];
        let (kind, name) = loop {
            let (kind, name) = (self.random.pick(&kinds), self.random.pick(&NAMES));
            let is_known = self
                .known
                .iter()
                .any(|known| (known.kind.as_str(), known.name.as_str()) == (kind, name));
            if !is_known || self.random.once_in(60) {
                break (kind, name);
            }
        };
        self.known.push(Known {
            kind: kind.to_owned(),
            name: name.to_owned(),
            namespace,
        });
        let mut metadata = json!({"name": name});
        if let Some(namespace) = namespace {
            metadata["namespace"] = json!(namespace);
        }
        if self.random.once_in(3) {
            metadata["labels"] = json!({"app": name});
        }
        if self.random.once_in(6) {
            metadata["annotations"] = json!({"note": "1", "number": 5, "flag": true});
        }
        let (api_version, mut object) = self.content(kind, name);
        object["apiVersion"] = json!(api_version);
        object["kind"] = json!(kind);
        object["metadata"] = metadata;
        object
    }

    fn content(&mut self, kind: &str, name: &str) -> (&'static str, Value) {
        let other = self.random.pick(&["app", "web", "settings"]);
        let rbac = "rbac.authorization.k8s.io/v1";
        match kind {
            "Deployment" => ("apps/v1", json!({"spec": self.workload(name)})),
            "StatefulSet" => {
                let mut spec = self.workload(name);
                spec["serviceName"] = json!(other);
                spec["volumeClaimTemplates"] = json!([{"metadata": {"name": "data"}, "spec": {}}]);
                ("apps/v1", json!({"spec": spec}))
            }
            "Pod" => ("v1", json!({"spec": self.pod()})),
            "CronJob" => {
                let pod = self.pod();
                (
                    "batch/v1",
                    json!({"spec": {"jobTemplate": {"spec": {"template": {"spec": pod}}}}}),
                )
            }
            "Service" => (
                "v1",
                json!({"spec": {"selector": {"app": name}, "ports": [{"name": "http", "port": 80}, {"port": 443}]}}),
            ),
            "ConfigMap" => ("v1", json!({"data": {"a": "1", "text": "line\nline\n"}})),
            "Secret" => ("v1", json!({"type": "Opaque", "stringData": {"a": "b"}})),
            "Role" | "ClusterRole" => (
                rbac,
                json!({"rules": [{"apiGroups": [""], "resources": ["secrets"], "resourceNames": [other]}]}),
            ),
            "RoleBinding" | "ClusterRoleBinding" => {
                let role = self.random.pick(&["Role", "ClusterRole"]);
                let subject = self.random.pick(&["default", "app", "web"]);
                let mut subject = json!({"kind": "ServiceAccount", "name": subject});
                if self.random.once_in(2) {
                    subject["namespace"] =
                        json!(self.random.pick(&["shop", "monitoring", "default"]));
                }
                let role =
                    json!({"apiGroup": "rbac.authorization.k8s.io", "kind": role, "name": other});
                (rbac, json!({"roleRef": role, "subjects": [subject]}))
            }
            "Ingress" => (
                "networking.k8s.io/v1",
                json!({"spec": {
                    "tls": [{"secretName": other}],
                    "rules": [{"http": {"paths": [{"path": "/", "backend": {"service": {"name": other, "port": {"number": 80}}}}]}}],
                }}),
            ),
            "ValidatingWebhookConfiguration" => {
                let mut service = json!({"name": other});
                if self.random.once_in(2) {
                    service["namespace"] = json!(self.random.pick(&["shop", "default"]));
                }
                (
                    "admissionregistration.k8s.io/v1",
                    json!({"webhooks": [{"name": "a.b.c", "clientConfig": {"service": service}}]}),
                )
            }
            "HorizontalPodAutoscaler" => (
                "autoscaling/v2",
                json!({"spec": {"scaleTargetRef": {"kind": "Deployment", "name": other}}}),
            ),
            "PodDisruptionBudget" => (
                "policy/v1",
                json!({"spec": {"selector": {"matchLabels": {"app": name}}}}),
            ),
            "NetworkPolicy" => (
                "networking.k8s.io/v1",
                json!({"spec": {
                    "podSelector": {"matchLabels": {"app": name}},
                    "ingress": [{"from": [{"podSelector": {"matchLabels": {"app": other}}}, {"namespaceSelector": {}}]}],
                }}),
            ),
            "PersistentVolumeClaim" => ("v1", json!({"spec": {"storageClassName": "fast"}})),
            "Prometheus" => (
                "monitoring.coreos.com/v1",
                json!({"spec": {
                    "replicas": 1, "serviceAccountName": other, "externalLabels": {"a": "x", "b": "y"},
                    "containers": [{"name": "prometheus", "image": "nginx:1"}, {"name": "side", "image": "side"}],
                    "ruleSelector": {},
                }}),
            ),
            "ServiceMonitor" => (
                "monitoring.coreos.com/v1",
                json!({"spec": {
                    "selector": {"matchLabels": {"app": name}},
                    "endpoints": [{"port": "http", "interval": "30s"}, {"port": "https"}],
                }}),
            ),
            "PrometheusRule" => (
                "monitoring.coreos.com/v1",
                json!({"spec": {"groups": [{
                    "name": "g", "rules": [{"alert": "A", "expr": "up == 0\n  or on() vector(1)\n", "for": "5m"}],
                }]}}),
            ),
            "CustomResourceDefinition" => (
                "apiextensions.k8s.io/v1",
                json!({"spec": {"group": "example.com", "names": {"kind": "Thing"}}}),
            ),
            _ => ("v1", json!({})),
        }
    }

    fn workload(&mut self, name: &str) -> Value {
        let mut spec = json!({"template": {"spec": self.pod()}});
        if self.random.once_in(2) {
            spec["selector"] = json!({"matchLabels": {"app": name}});
            spec["template"]["metadata"] = json!({"labels": {"app": name}});
        }
        if self.random.once_in(2) {
            spec["replicas"] = json!(3);
        }
        spec
    }

    fn pod(&mut self) -> Value {
        let image = self.random.pick(&[
            "nginx",
            "nginx:1.25",
            "registry.example.com:5000/team/app:v1",
            "nginx@sha256:aa",
            "docker.io/nginx:1",
        ]);
        let config = self.random.pick(&["settings", "app", "web"]);
        let mut main = json!({"name": "main", "image": image, "ports": [{"containerPort": 8080}]});
        if self.random.once_in(2) {
            main["env"] = json!([
                {"name": "MODE", "value": "a"},
                {"name": "KEY", "valueFrom": {"secretKeyRef": {"name": config, "key": "a"}}},
            ]);
            main["envFrom"] = json!([{"configMapRef": {"name": config}}]);
        }
        if self.random.once_in(3) {
            main["resources"] = json!({"limits": {"cpu": 1, "memory": "1Gi"}});
            main["volumeMounts"] = json!([{"name": "config", "mountPath": "/etc/app"}]);
        }
        let mut pod = json!({"containers": [main]});
        if self.random.once_in(3) {
            pod["containers"]
                .as_array_mut()
                .unwrap()
                .push(json!({"name": "side", "image": "side:1"}));
        }
        if self.random.once_in(3) {
            pod["initContainers"] = json!([{"name": "init", "image": "nginx:0"}]);
        }
        if self.random.once_in(2) {
            pod["volumes"] = json!([
                {"name": "config", "configMap": {"name": config}},
                {"name": "secret", "secret": {"secretName": config}},
            ]);
        }
        if self.random.once_in(3) {
            pod["serviceAccountName"] = json!(self.random.pick(&["app", "web"]));
        }
        pod
    }
}
