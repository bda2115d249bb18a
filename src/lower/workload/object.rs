//! The shells of objects: names, owners, labels, and Secrets around their values.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use crate::api::Resource;
use crate::api::agent::PrometheusAgent;
use crate::api::meta::{ObjectMeta, OwnerReference};
use crate::api::prometheus::Prometheus;
use crate::context::Ctx;
use crate::lower::workload::{Facts, names};
use crate::output::{Layout, Object, Part, Payload};
use crate::yaml::{Map, Value, to_value};

/// How an object belongs to the workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// It is managed by the workload and goes with it.
    Manager,
    /// It is shared with other workloads of the namespace.
    OneOfSeveral,
}

/// The metadata of an object, with the labels that all objects have and those given.
///
/// In the operator's layout it looks as the operator writes it: owned by the custom resource, and often without a
/// namespace, which goes into the request. In the other it can be applied as it stands, without an operator: it has
/// its namespace and no owner, for an owner that does not exist takes its objects along.
pub(crate) fn metadata(
    cx: &Ctx<'_>,
    facts: &Facts<'_>,
    name: String,
    labels: BTreeMap<String, String>,
    owner: Owner,
) -> ObjectMeta {
    let mut all = labels;
    all.extend(names::managed_labels());
    let mut metadata = ObjectMeta { name, labels: Some(all), ..ObjectMeta::default() };
    match facts.layout {
        Layout::Operator => metadata.owner_references = Some(vec![owner_reference(cx, facts, owner)]),
        Layout::PerShard => metadata.namespace = Some(cx.namespace.to_owned()),
    }
    metadata
}

fn owner_reference(cx: &Ctx<'_>, facts: &Facts<'_>, owner: Owner) -> OwnerReference {
    let (api_version, kind) = match cx.server {
        Some(_) => (Prometheus::API_VERSION, Prometheus::KIND),
        None => (PrometheusAgent::API_VERSION, PrometheusAgent::KIND),
    };
    let manages = (owner == Owner::Manager).then_some(true);
    OwnerReference {
        api_version: api_version.to_owned(),
        block_owner_deletion: manages,
        controller: manages,
        kind: kind.to_owned(),
        name: cx.name.to_owned(),
        uid: facts.metadata.uid.clone().unwrap_or_default(),
    }
}

/// The annotations of the custom resource, which what runs its pods inherits, less those that `kubectl` reads.
pub(crate) fn inherited_annotations(facts: &Facts<'_>) -> Option<BTreeMap<String, String>> {
    let annotations = facts.metadata.annotations.iter().flatten();
    let inherited: BTreeMap<_, _> = annotations
        .filter(|(key, _)| !key.starts_with("kubectl.kubernetes.io/"))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    (!inherited.is_empty()).then_some(inherited)
}

/// An object of the workload.
pub(crate) fn object(kind: &str, value: Value) -> Object {
    let name = value.get("metadata").and_then(|m| m.get("name")).and_then(Value::as_str).unwrap_or_default();
    Object { part: Part::Workloads, file: format!("{kind}-{name}"), payload: None, value }
}

/// A Secret with these values.
pub(crate) fn secret(metadata: &ObjectMeta, layout: Layout, values: &BTreeMap<String, Vec<u8>>) -> Object {
    let mut map = shell("Secret", metadata);
    let text = |bytes: &Vec<u8>| String::from_utf8(bytes.clone()).ok();
    let readable = match layout {
        Layout::Operator => None,
        Layout::PerShard => values.iter().map(|(k, v)| Some((k.clone(), text(v)?))).collect::<Option<Vec<_>>>(),
    };
    match readable {
        Some(texts) => map.push("stringData", entries(texts)),
        None => map.push("data", entries(values.iter().map(|(k, v)| (k.clone(), BASE64_STANDARD.encode(v))))),
    }
    object("secret", map.into())
}

/// The Secret that carries the configuration, which is put in when it is written.
pub(crate) fn config_secret(metadata: &ObjectMeta, payload: Option<Payload>) -> Object {
    let shell = shell("Secret", metadata);
    Object { part: Part::Config, payload, ..object("secret", shell.into()) }
}

/// A ConfigMap with these values.
pub(crate) fn config_map(metadata: &ObjectMeta, values: &BTreeMap<String, String>) -> Object {
    let mut map = shell("ConfigMap", metadata);
    if !values.is_empty() {
        map.push("data", entries(values.iter().map(|(k, v)| (k.clone(), v.clone()))));
    }
    object("configmap", map.into())
}

fn shell(kind: &'static str, metadata: &ObjectMeta) -> Map {
    Map::new().with("apiVersion", "v1").with("kind", kind).with("metadata", to_value(metadata))
}

fn entries(pairs: impl IntoIterator<Item = (String, String)>) -> Map {
    pairs.into_iter().map(|(key, value)| (key.into(), Value::from(value))).collect()
}
