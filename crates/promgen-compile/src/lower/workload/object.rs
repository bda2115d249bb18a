//! The shells of objects: names, owners, labels, and Secrets around their values.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use crate::cluster::{Cluster, Key};
use crate::lower::workload::names;
use crate::options::{Assume, Options};
use crate::output::{Config, Layout, OutputObject, Part, Payload};
use crate::sharding::plan::Plan;
use promgen_resources::api::Resource;
use promgen_resources::api::meta::{ObjectMeta, OwnerReference};
use promgen_resources::gates::{self, Gate, Target};
use promgen_text::yaml::{Map, StringMap, Value, to_value};

/// The custom resource that objects are made for, and how they are made.
#[derive(Clone, Copy, Debug)]
pub struct Parent<'a> {
    /// Its group and version.
    pub api_version: &'static str,
    /// Its kind.
    pub kind: &'static str,
    /// Its namespace, which is that of its objects.
    pub namespace: &'a str,
    /// Its name, labels, annotations, uid.
    pub metadata: &'a ObjectMeta,
    /// The layout of objects.
    pub layout: Layout,
    /// The assumption about objects that the input lacks.
    pub assume: Assume,
    /// The release of the operator, and its flags.
    pub target: &'a Target,
    /// The objects that are there.
    cluster: &'a Cluster,
    /// The configuration is so large that its Secret is the operator's, compressed, whatever the layout.
    pub(crate) packs_config: bool,
}

impl<'a> Parent<'a> {
    /// A resource of that kind.
    pub fn new<R: Resource>(
        namespace: &'a str,
        metadata: &'a ObjectMeta,
        options: &'a Options,
        cluster: &'a Cluster,
    ) -> Self {
        let Options {
            layout,
            assume,
            ref target,
            ..
        } = *options;
        let packs_config = layout == Layout::Operator;
        Self {
            api_version: R::API_VERSION,
            kind: R::KIND,
            namespace,
            metadata,
            layout,
            assume,
            target,
            cluster,
            packs_config,
        }
    }

    /// The labels of the StatefulSet of that name, if there is one already.
    pub(crate) fn observed_labels(&self, name: &str) -> Option<&'a StringMap> {
        self.cluster
            .observed_stateful_set(&Key::new(self.namespace, name))?
            .metadata
            .labels
            .as_ref()
    }

    /// Returns whether the release of the operator has what the gate stands for.
    pub(crate) fn has(&self, gate: &Gate) -> bool {
        self.target.has(gate)
    }

    /// The parent with the configuration for the shards of that plan.
    pub(crate) fn with_config(self, config: &Config, plan: &Plan) -> Self {
        Self {
            packs_config: self.packs_config || config.exceeds_secret(plan),
            ..self
        }
    }
}

/// The relation of an object to the workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// The workload manages it, and it is deleted with the workload.
    Manager,
    /// Several workloads of the namespace share it.
    OneOfSeveral,
}

/// The metadata of an object, with the common labels and those given.
///
/// In the operator's layout it is as the operator writes it: owned by the custom resource, and often without a
/// namespace, which goes into the request. In the other layout it can be applied unchanged, without an operator: it has
/// its namespace and no owner, because objects with a missing owner are garbage-collected.
pub fn metadata(parent: &Parent<'_>, name: String, labels: StringMap, owner: Owner) -> ObjectMeta {
    let mut all = labels;
    all.extend(names::managed_labels(parent.has(&gates::MANAGED_BY_LABEL)));
    let mut metadata = ObjectMeta {
        name: name.into(),
        labels: Some(all),
        ..ObjectMeta::default()
    };
    match parent.layout {
        Layout::Operator => {
            metadata.owner_references = Some(vec![owner_reference(parent, owner)].into())
        }
        Layout::PerShard => metadata.namespace = Some(parent.namespace.into()),
    }
    metadata
}

fn owner_reference(parent: &Parent<'_>, owner: Owner) -> OwnerReference {
    // A shared object may have several owners, of which none is the controller.
    let manages = (owner == Owner::Manager).then_some(true);
    OwnerReference {
        api_version: parent.api_version.to_owned(),
        block_owner_deletion: manages,
        controller: manages,
        kind: parent.kind.to_owned(),
        name: parent.metadata.name.to_string(),
        uid: parent.metadata.uid.as_deref().cloned().unwrap_or_default(),
    }
}

/// The annotations of the custom resource, which what runs its pods inherits, less those that `kubectl` reads.
pub(crate) fn inherited_annotations(parent: &Parent<'_>) -> Option<StringMap> {
    let annotations = parent.metadata.annotations.iter().flatten();
    let inherited: StringMap = annotations
        .filter(|(key, _)| !key.starts_with("kubectl.kubernetes.io/"))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    (!inherited.is_empty()).then_some(inherited)
}

/// An object of the workload.
pub fn object(kind: &str, value: Value) -> OutputObject {
    let name = value
        .get("metadata")
        .and_then(|m| m.get("name"))
        .and_then(Value::as_str)
        .unwrap_or_default();
    OutputObject {
        part: Part::Workloads,
        file: format!("{kind}-{name}"),
        payload: None,
        body: value.into(),
    }
}

/// A Secret with these values.
pub fn secret(
    metadata: &ObjectMeta,
    layout: Layout,
    values: &BTreeMap<String, Vec<u8>>,
) -> OutputObject {
    let mut map = shell("Secret", metadata);
    let text = |bytes: &Vec<u8>| String::from_utf8(bytes.clone()).ok();
    let readable = match layout {
        Layout::Operator => None,
        // Text only if all values are: a Secret has one of the two maps here.
        Layout::PerShard => values
            .iter()
            .map(|(k, v)| Some((k.clone(), text(v)?)))
            .collect::<Option<Vec<_>>>(),
    };
    match readable {
        Some(texts) => map.push("stringData", entries(texts)),
        None => map.push(
            "data",
            entries(
                values
                    .iter()
                    .map(|(k, v)| (k.clone(), BASE64_STANDARD.encode(v))),
            ),
        ),
    }
    object("secret", map.into())
}

/// The Secret of the configuration, which is inserted when the Secret is written.
pub fn config_secret(metadata: &ObjectMeta, payload: Option<Payload>) -> OutputObject {
    let shell = shell("Secret", metadata);
    OutputObject {
        part: Part::Config,
        payload,
        ..object("secret", shell.into())
    }
}

/// The Secret of the configuration, with further keys.
pub(crate) fn config_secret_with(
    metadata: &ObjectMeta,
    payload: Payload,
    beside: &BTreeMap<String, Vec<u8>>,
) -> OutputObject {
    if beside.is_empty() {
        return config_secret(metadata, Some(payload));
    }
    let layout = match payload {
        Payload::Gzip => Layout::Operator,
        Payload::Shard(_) => Layout::PerShard,
    };
    OutputObject {
        part: Part::Config,
        payload: Some(payload),
        ..secret(metadata, layout, beside)
    }
}

/// A ConfigMap with these values.
pub fn config_map(metadata: &ObjectMeta, values: &BTreeMap<String, String>) -> OutputObject {
    let mut map = shell("ConfigMap", metadata);
    // Go leaves out an empty map.
    if !values.is_empty() {
        map.push(
            "data",
            entries(values.iter().map(|(k, v)| (k.clone(), v.clone()))),
        );
    }
    object("configmap", map.into())
}

/// The head of an object of the core of Kubernetes.
pub(super) fn shell(kind: &'static str, metadata: &ObjectMeta) -> Map {
    Map::new()
        .with("apiVersion", "v1")
        .with("kind", kind)
        .with("metadata", to_value(metadata))
}

fn entries(pairs: impl IntoIterator<Item = (String, String)>) -> Map {
    pairs
        .into_iter()
        .map(|(key, value)| (key, Value::from(value)))
        .collect()
}
