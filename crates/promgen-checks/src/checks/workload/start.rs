//! Pods that the API server takes and the kubelet does not start.
//!
//! In: the StatefulSet or DaemonSet as the operator writes it, and the Secrets and ConfigMaps in the input. What may be filled in by
//! something else in the cluster is not reported.

use std::collections::BTreeMap;

use crate::checks::workload::given::Given;
use crate::checks::workload::image::{OTHER_IMAGE, tagless};
use promgen_compile::output::Workload;
use promgen_compile::workload::pod_checks;
use promgen_model::model::World;
use promgen_model::running::RunningWorkload;
use promgen_resources::document;
use promgen_text::diag::{Diagnostic, Level, LintRule, Sink, rules};
use promgen_text::go::quantity::ParsedQuantity;
use promgen_text::route::{At, ValueRoute};
use promgen_text::suggest;
use promgen_text::yaml::{Data, Node, Value};

rules! {
    /// ## What it does
    /// Finds keys that a pod of a workload reads from a Secret or ConfigMap, and that this object in the input does not have: in the
    /// environment of a container, in the items of a volume, in what the operator hands to Thanos, and in `web.tlsConfig`.
    ///
    /// An object that the input has in another namespace alone is a warning.
    ///
    /// Also tells, as a warning, of the Secret with the configuration of an Alertmanager that has it below another key than
    /// `alertmanager.yaml`: the operator takes its default configuration then, which notifies nobody.
    ///
    /// References with `optional: true` are right without the key. Objects that something else fills in, such as an ExternalSecret
    /// or a Certificate of their name, are not looked at.
    ///
    /// ## Why is this bad?
    /// The kubelet does not start a container whose environment lacks a key (CreateContainerConfigError), and mounts no volume whose
    /// items lack one.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s, namespace: shop}
    /// spec:
    ///   thanos:
    ///     objectStorageConfig: {name: bucket, key: thanos.yaml}
    /// ---
    /// apiVersion: v1
    /// kind: Secret
    /// metadata: {name: bucket, namespace: shop}
    /// stringData:
    ///   thanos.yml: "type: S3"
    /// ```
    /// Use instead: a key that the Secret has.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s, namespace: shop}
    /// spec:
    ///   thanos:
    ///     objectStorageConfig: {name: bucket, key: thanos.yml}
    /// ---
    /// apiVersion: v1
    /// kind: Secret
    /// metadata: {name: bucket, namespace: shop}
    /// stringData:
    ///   thanos.yml: "type: S3"
    /// ```
    ///
    /// ## Source
    /// Kubernetes' documentation, "Secrets" and "Configure a Pod to Use a ConfigMap": optional references.
    MISSING_KEY = "PG530" "missing-key" Error: "a key that pods need and that the Secret or ConfigMap does not have";

    /// ## What it does
    /// Finds containers of a workload that must not run as root, by `runAsNonRoot`, and run as user 0, by `runAsUser`. What the
    /// container says wins over what the pod says.
    ///
    /// ## Why is this bad?
    /// The kubelet does not start the container: CreateContainerConfigError, the container's runAsUser breaks the non-root policy.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   securityContext: {runAsNonRoot: true, runAsUser: 0}
    /// ```
    /// Use instead: another user.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   securityContext: {runAsNonRoot: true, runAsUser: 1000}
    /// ```
    ROOT_REFUSED = "PG531" "root-refused" Error: "a container that runs as root where root is not allowed";

    /// ## What it does
    /// Finds requests and limits of memory, and of ephemeral storage, below one mebibyte: `400m` is a fraction of a byte, and `512`
    /// are 512 bytes.
    ///
    /// ## Why is this bad?
    /// The suffix `m` is a thousandth, and no suffix are bytes. With such a limit, no container starts; such a request reserves
    /// nothing.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   resources: {requests: {memory: 400m}}
    /// ```
    /// Use instead: mebibytes.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   resources: {requests: {memory: 400Mi}}
    /// ```
    ///
    /// ## Source
    /// Kubernetes' documentation, "Resource Management for Pods and Containers": memory resource units.
    TINY_MEMORY = "PG532" "tiny-memory" Warning: "an amount of memory below one mebibyte";
}

/// Checks the pods of a workload.
pub(super) fn check(
    model: &World<'_>,
    running: &RunningWorkload<'_>,
    compiled: &Workload,
    sink: &mut Sink,
) {
    let set = compiled.sets().next();
    let Some((set, resource)) = set.zip(document::find(model.documents(), running.doc)) else {
        return;
    };
    let value = set.value();
    let pod = ["spec", "template", "spec"];
    let Some(of_pod) = pod.iter().try_fold(&*value, |value, key| value.get(key)) else {
        return;
    };
    let route = pod
        .into_iter()
        .fold(ValueRoute::root(), |route, key| route.key(key));
    let mut pods = StartingPods {
        model,
        running,
        set: &value,
        resource: &resource.node,
        found: BTreeMap::new(),
    };
    for list in ["initContainers", "containers"] {
        for (index, container) in of_pod.items_of(list).iter().enumerate() {
            let route = route.clone().key(list).index(index);
            pods.user(of_pod, container, &route);
            pods.amounts(container, &route);
            pods.tag(container);
            for (index, variable) in container.items_of("env").iter().enumerate() {
                if let Some(from) = variable.get("valueFrom") {
                    let route = route.clone().key("env").index(index).key("valueFrom");
                    pods.variable(container, from, &route);
                }
            }
        }
    }
    for (index, volume) in of_pod.items_of("volumes").iter().enumerate() {
        let route = route.clone().key("volumes").index(index);
        pods.volume(volume, &route);
        let sources = volume
            .get("projected")
            .map_or(&[][..], |of| of.items_of("sources"));
        for source in sources {
            pods.volume(source, &route);
        }
    }
    pods.web();
    pods.found
        .into_values()
        .for_each(|found| sink.report(found));
}

/// The pods of a workload, and what is found about them, by place.
struct StartingPods<'c> {
    model: &'c World<'c>,
    running: &'c RunningWorkload<'c>,
    set: &'c Value,
    resource: &'c Node,
    found: BTreeMap<(&'static str, ValueRoute), Diagnostic>,
}

impl StartingPods<'_> {
    /// A tag that no image of the projects has.
    fn tag(&mut self, container: &Value) {
        let Some(tag) = container.text_of("image").and_then(tagless) else {
            return;
        };
        let route = At::spec(self.running.doc).route;
        let route = match container.text_of("name") {
            Some("thanos-sidecar") => route.key("thanos"),
            _ => route,
        };
        let image = route.clone().key("image");
        let at = match self.resource.at(&image).map(Node::as_str) {
            // Something fills it in.
            Some(Some("")) => return,
            Some(_) => image,
            None => route.key("version"),
        };
        let message = format!("no image of the project has the tag `{tag}`");
        let help = format!("write `v{tag}`: its tags begin with a v");
        self.report(&OTHER_IMAGE, at, message, help);
    }

    fn report(
        &mut self,
        rule: &'static LintRule,
        route: ValueRoute,
        message: String,
        help: String,
    ) {
        let at = At {
            doc: self.running.doc,
            route: route.clone(),
        };
        self.found
            .entry((&*rule.code, route))
            .or_insert_with(|| Diagnostic::new(rule, at, message).help(help));
    }

    /// The field of the resource that a place of the set comes from.
    fn place(&self, route: &ValueRoute) -> ValueRoute {
        pod_checks::place(self.resource, self.set, route)
    }

    fn user(&mut self, pod: &Value, container: &Value, route: &ValueRoute) {
        let of = |key| {
            let own = container.get("securityContext").and_then(|of| of.get(key));
            own.map(|value| (value, true)).or_else(|| {
                let of_pod = pod.get("securityContext").and_then(|of| of.get(key));
                of_pod.map(|value| (value, false))
            })
        };
        let (Some((Value::Bool(true), _)), Some((Value::Int(0), is_own))) =
            (of("runAsNonRoot"), of("runAsUser"))
        else {
            return;
        };
        let base = if is_own {
            route.clone()
        } else {
            ValueRoute(route.0[..3].to_vec())
        };
        let at = self.place(&base.key("securityContext").key("runAsUser"));
        let message = format!(
            "the kubelet does not start container {} of {}: `runAsNonRoot` is true, and `runAsUser` is 0, which is root",
            container.text_or_empty("name"),
            self.running.what()
        );
        let help = "set `runAsUser` to another user, such as 1000, or `runAsNonRoot: false`";
        self.report(&ROOT_REFUSED, at, message, help.to_owned());
    }

    fn amounts(&mut self, container: &Value, route: &ValueRoute) {
        for list in ["requests", "limits"] {
            for name in ["memory", "ephemeral-storage"] {
                let amounts = container.get("resources").and_then(|of| of.get(list));
                let Some(text) = amounts
                    .and_then(|amounts| amounts.get(name))
                    .and_then(Value::scalar_text)
                else {
                    continue;
                };
                let Ok(amount) = ParsedQuantity::parse(&text) else {
                    continue;
                };
                let (bytes, is_fraction) = (amount.nanos() / ONE, amount.nanos() % ONE != 0);
                if amount.nanos() <= 0 || bytes >= MEBIBYTE {
                    continue;
                }
                let what = if is_fraction {
                    "a fraction of a byte: `m` is a thousandth".to_owned()
                } else {
                    format!("{bytes} bytes")
                };
                let message = format!(
                    "`{list}.{name}: {text}` of container {} of {} is {what}",
                    container.text_or_empty("name"),
                    self.running.what()
                );
                let number = text.trim_end_matches(|c: char| !c.is_ascii_digit());
                let help = format!("write `{number}Mi` for mebibytes");
                let at = self.place(&route.clone().key("resources").key(list).key(name));
                self.report(&TINY_MEMORY, at, message, help);
            }
        }
    }

    fn variable(&mut self, container: &Value, from: &Value, route: &ValueRoute) {
        for (field, kind) in [("secretKeyRef", "Secret"), ("configMapKeyRef", "ConfigMap")] {
            let Some(reference) = from.get(field).filter(|of| !is_optional(of)) else {
                continue;
            };
            let (Some(name), Some(key)) = (reference.text_of("name"), reference.text_of("key"))
            else {
                continue;
            };
            let whose = format!("container {}", container.text_or_empty("name"));
            self.absent(kind, name, &whose, &route.clone().key(field).key("name"));
            let route = route.clone().key(field).key("key");
            self.key(kind, name, key, &whose, &route);
        }
    }

    /// The items of a volume, or of a source of a projected one.
    fn volume(&mut self, volume: &Value, route: &ValueRoute) {
        for (field, kind) in [("secret", "Secret"), ("configMap", "ConfigMap")] {
            let Some(source) = volume.get(field).filter(|of| !is_optional(of)) else {
                continue;
            };
            let Some(name) = source.text_of("secretName").or(source.text_of("name")) else {
                continue;
            };
            self.absent(kind, name, "a pod", route);
            for key in source
                .items_of("items")
                .iter()
                .filter_map(|item| item.text_of("key"))
            {
                self.key(kind, name, key, "a pod", route);
            }
        }
    }

    /// The certificates and the key of the web server, which the program reads when it starts.
    fn web(&mut self) {
        let Some(tls) = self.resource.find(&["spec", "web", "tlsConfig"]) else {
            return;
        };
        for (keys, kind) in [
            (&["keySecret"][..], "Secret"),
            (&["cert", "secret"], "Secret"),
            (&["cert", "configMap"], "ConfigMap"),
            (&["client_ca", "secret"], "Secret"),
            (&["client_ca", "configMap"], "ConfigMap"),
        ] {
            let reference = tls.find(keys).filter(|of| !of.is_true("optional"));
            let of = |field| reference.and_then(|reference| reference.text_of(field));
            if let (Some(name), Some(key)) = (of("name"), of("key")) {
                self.key(kind, name, key, "a pod", &ValueRoute::root());
            }
        }
    }

    /// Reports an object that the input has in other namespaces alone.
    fn absent(&mut self, kind: &str, name: &str, whose: &str, route: &ValueRoute) {
        let (namespace, what) = (self.running.namespace, self.running.what());
        let Some(others) = Given::elsewhere(self.model, kind, namespace, name) else {
            return;
        };
        let message = format!(
            "namespace {namespace} of the input has no {kind} {name}, without which {whose} of {what} does not start"
        );
        let help = format!(
            "namespace {} has it: pods read objects of their own namespace alone",
            others.join(", ")
        );
        let at = self.place(route);
        let found = Diagnostic::new(
            &MISSING_KEY,
            At {
                doc: self.running.doc,
                route: at.clone(),
            },
            message,
        );
        let found = found.level(Level::Warning).help(help);
        self.found.entry((&*MISSING_KEY.code, at)).or_insert(found);
    }

    /// Reports a key that an object in the input does not have.
    fn key(&mut self, kind: &str, name: &str, key: &str, whose: &str, route: &ValueRoute) {
        let (namespace, what) = (self.running.namespace, self.running.what());
        let Some(given) = Given::of(self.model, kind, namespace, name) else {
            return;
        };
        if key.contains("${") || given.has(key) || given.is_filled_in(self.model) {
            return;
        }
        let within = ValueRoute::root();
        let written = reference(self.resource, &within, "", (name, key));
        let at = written.unwrap_or_else(|| self.place(route));
        let message = format!(
            "{kind} {namespace}/{name} has no key `{key}`, without which {whose} of {what} does not start"
        );
        let keys = given.keys.iter().map(|key| &**key);
        let help = match suggest::closest(key, keys.clone()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None if given.keys.is_empty() => format!("{kind} {namespace}/{name} has no keys"),
            None => {
                let keys = Vec::from_iter(keys.take(MAX_KEYS)).join("`, `");
                format!("add the key, or use one of those that it has: `{keys}`")
            }
        };
        self.report(&MISSING_KEY, at, message, help);
    }
}

/// The parts of a whole, in which quantities count.
const ONE: i128 = 1_000_000_000;

const MEBIBYTE: i128 = 1 << 20;

/// The number of keys of an object that a help names.
const MAX_KEYS: usize = 5;

fn is_optional(reference: &Value) -> bool {
    reference.get("optional") == Some(&Value::Bool(true))
}

/// Where a resource refers to a key of an object.
fn reference(
    node: &Node,
    route: &ValueRoute,
    outer: &str,
    wanted: (&str, &str),
) -> Option<ValueRoute> {
    match &node.data {
        Data::Map(_) => {
            let name = node.text_of("secretName").or(node.text_of("name"));
            let name = name.unwrap_or(outer);
            if (name, node.text_of("key")) == (wanted.0, Some(wanted.1)) {
                return Some(route.clone().key("key"));
            }
            let mut entries = node.entries().iter();
            entries.find_map(|entry| {
                let route = route.clone().key(entry.key.as_str().to_owned());
                reference(&entry.value, &route, name, wanted)
            })
        }
        Data::Seq(items) => {
            let mut items = items.iter().enumerate();
            items.find_map(|(index, item)| {
                reference(item, &route.clone().index(index), outer, wanted)
            })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::checks::found::found;

    const SECRET: &str = "---\napiVersion: v1\nkind: Secret\nmetadata: {name: door}\nstringData: {token: a, tls.crt: b}\n";

    fn told(codes: &[&str], kind: &str, spec: &str, more: &str) -> Vec<String> {
        let version = if kind == "PrometheusAgent" {
            "v1alpha1"
        } else {
            "v1"
        };
        found(
            codes,
            &format!(
                "apiVersion: monitoring.coreos.com/{version}\nkind: {kind}\nmetadata: {{name: k}}\nspec: {{{spec}}}\n{more}"
            ),
        )
    }

    #[test]
    fn an_object_of_another_namespace_is_none_for_the_pods() {
        let other = SECRET.replace("{name: door}", "{name: door, namespace: other}");
        let copied = other.replace(
            "other}",
            "other, annotations: {reflector.v1/reflection-allowed: 'true'}}",
        );
        let made = format!(
            "{other}---\napiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {{name: door}}\nspec: {{}}\n"
        );
        for (kind, spec) in [
            ("Prometheus", "secrets: [door]"),
            (
                "ThanosRuler",
                "queryEndpoints: [a], objectStorageConfig: {name: door, key: token}",
            ),
            (
                "PrometheusAgent",
                "volumes: [{name: a, secret: {secretName: door}}]",
            ),
            (
                "Alertmanager",
                "containers: [{name: x, image: a, env: [{name: A, valueFrom: {secretKeyRef: {name: door, key: token}}}]}]",
            ),
        ] {
            let found = told(&["PG530"], kind, spec, &other);
            assert!(
                found.len() == 1
                    && found[0].contains("warning")
                    && found[0].contains("namespace other has it"),
                "{kind}: {found:?}"
            );
            for more in [SECRET, &copied, &made, ""] {
                assert_eq!(told(&["PG530"], kind, spec, more), [""; 0], "{kind} {more}");
            }
        }
        let optional = "volumes: [{name: a, secret: {secretName: door, optional: true}}]";
        assert_eq!(told(&["PG530"], "Prometheus", optional, &other), [""; 0]);
    }

    #[test]
    fn keys_that_pods_need_are_in_the_input() {
        for (kind, spec, key) in [
            (
                "Prometheus",
                "thanos: {objectStorageConfig: {name: door, key: tokn}}",
                Some("tokn"),
            ),
            (
                "Prometheus",
                "thanos: {objectStorageConfig: {name: door, key: token}}",
                None,
            ),
            (
                "Prometheus",
                "thanos: {objectStorageConfig: {name: other, key: a}}",
                None,
            ),
            (
                "Prometheus",
                "web: {tlsConfig: {cert: {secret: {name: door, key: tls.crt}}, keySecret: {name: door, key: tls.key}}}",
                Some("tls.key"),
            ),
            (
                "PrometheusAgent",
                "containers: [{name: prometheus, env: [{name: A, valueFrom: {secretKeyRef: {name: door, key: a}}}]}]",
                Some("a"),
            ),
            (
                "PrometheusAgent",
                "containers: [{name: prometheus, env: [{name: A, valueFrom: {secretKeyRef: {name: door, key: a, optional: true}}}]}]",
                None,
            ),
            (
                "Alertmanager",
                "initContainers: [{name: a, image: a, env: [{name: A, valueFrom: {secretKeyRef: {name: door, key: a}}}]}]",
                Some("a"),
            ),
            (
                "Alertmanager",
                "volumes: [{name: v, secret: {secretName: door, items: [{key: a, path: a}]}}]",
                Some("a"),
            ),
            (
                "Alertmanager",
                "volumes: [{name: v, secret: {secretName: door, optional: true, items: [{key: a, path: a}]}}]",
                None,
            ),
            (
                "ThanosRuler",
                "queryEndpoints: [a], volumes: [{name: v, projected: {sources: [{secret: {name: door, items: [{key: a, path: a}]}}]}}]",
                Some("a"),
            ),
        ] {
            let told = told(&["PG530"], kind, spec, SECRET);
            assert_eq!(told.len(), usize::from(key.is_some()), "{spec}: {told:?}");
            assert!(told.iter().all(|line| line.contains(&format!("has no key `{}`", key.unwrap_or_default()))), "{told:?}");
        }
    }

    #[test]
    fn what_something_else_fills_in_is_unknown() {
        let spec = "thanos: {objectStorageConfig: {name: door, key: tokn}}";
        let filled = [
            "---\napiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: x}\nspec: {target: {name: door, creationPolicy: Merge}}\n",
            "---\napiVersion: cert-manager.io/v1\nkind: Certificate\nmetadata: {name: x}\nspec: {secretName: door}\n",
        ];
        for more in filled {
            assert!(told(&["PG530"], "Prometheus", spec, &format!("{SECRET}{more}")).is_empty());
        }
        let annotated = SECRET.replace(
            "name: door",
            "name: door, annotations: {reflector.v1.k8s.emberstack.com/reflects: a/b}",
        );
        assert!(told(&["PG530"], "Prometheus", spec, &annotated).is_empty());
        let empty = "---\napiVersion: v1\nkind: Secret\nmetadata: {name: door}\n";
        assert!(told(&["PG530"], "Prometheus", spec, empty).is_empty());
    }

    #[test]
    fn root_is_refused_where_it_is_not_allowed() {
        for (spec, is_told) in [
            ("securityContext: {runAsNonRoot: true, runAsUser: 0}", true),
            (
                "securityContext: {runAsNonRoot: true}, containers: [{name: alertmanager, securityContext: {runAsUser: 0}}]",
                true,
            ),
            (
                "securityContext: {runAsUser: 0}, containers: [{name: a, image: a, securityContext: {runAsNonRoot: true}}]",
                true,
            ),
            (
                "securityContext: {runAsNonRoot: false, runAsUser: 0}",
                false,
            ),
            (
                "securityContext: {runAsNonRoot: true, runAsUser: 1000}",
                false,
            ),
            ("securityContext: {runAsUser: 0}", false),
        ] {
            let told = told(&["PG531"], "Alertmanager", spec, "");
            assert_eq!(told.len(), usize::from(is_told), "{spec}: {told:?}");
        }
    }

    #[test]
    fn memory_is_more_than_a_few_bytes() {
        for (spec, amount) in [
            (
                "resources: {requests: {memory: 400m}}",
                Some("a fraction of a byte"),
            ),
            (
                "thanos: {resources: {limits: {memory: 512}}}",
                Some("512 bytes"),
            ),
            (
                "containers: [{name: c, image: c, resources: {limits: {ephemeral-storage: 5k}}}]",
                Some("5000 bytes"),
            ),
            ("resources: {requests: {memory: 400M, cpu: 400m}}", None),
            ("resources: {requests: {memory: 0}}", None),
            ("resources: {requests: {memory: 1.5Gi}}", None),
        ] {
            let told = told(&["PG532"], "Prometheus", spec, "");
            assert_eq!(
                told.len(),
                usize::from(amount.is_some()),
                "{spec}: {told:?}"
            );
            assert!(
                told.iter()
                    .all(|line| line.contains(amount.unwrap_or_default())),
                "{told:?}"
            );
        }
    }
}
