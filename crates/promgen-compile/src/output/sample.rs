//! An output made by hand, for tests of what writes it.
#![allow(
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    reason = "only tests use it"
)]

use std::sync::Arc;

use crate::output::{
    Config, Output, OutputObject, Part, Payload, Workload, WorkloadId, WorkloadKind,
};
use crate::sharding::plan::{Plan, Shard};
use promgen_text::yaml::{Map, Value};

fn object(kind: &'static str, name: &str) -> Map {
    let metadata = Map::new()
        .with("name", name.to_owned())
        .with("namespace", "monitoring");
    Map::new()
        .with("apiVersion", "v1")
        .with("kind", kind)
        .with("metadata", metadata)
}

fn secret(name: &str, payload: Payload) -> OutputObject {
    let (part, value) = (Part::Config, Value::from(object("Secret", name)));
    OutputObject {
        part,
        file: format!("secret-{name}"),
        body: value.into(),
        payload: Some(payload),
    }
}

fn stateful_set(index: u32, name: &str) -> OutputObject {
    let value =
        Value::from(object("StatefulSet", name).with("spec", Map::new().with("replicas", 2)));
    OutputObject {
        part: Part::Workloads,
        file: format!("statefulset-{index}"),
        body: value.into(),
        payload: None,
    }
}

/// A Prometheus of that name with two shards in two zones.
pub fn workload(name: &str, objects: Vec<OutputObject>) -> Arc<Workload> {
    let shard = |index: u32, zone: &str| Shard {
        index,
        zone: Some(zone.to_owned()),
        in_zone: 0,
    };
    Arc::new(Workload {
        plan: Plan {
            modulus: 1,
            shards: vec![shard(0, "a"), shard(1, "b")],
            zones: Vec::new(),
        },
        config: Some(Config::of_text(
            "shard: $(SHARD)\n\nzone:\n- $(TOPOLOGY_ZONE) $(POD_NAME)\n",
            Vec::new(),
        )),
        objects,
        resource: object("Prometheus", name)
            .with("spec", Map::new().with("shards", 2))
            .into(),
        status: Value::from(Map::new().with("shards", 2).with("paused", false)),
        ..Workload::new(WorkloadId::new(
            WorkloadKind::Prometheus,
            "monitoring",
            name,
        ))
    })
}

/// One Prometheus, `k8s`, laid out per shard.
pub fn per_shard() -> Output {
    let objects = vec![
        stateful_set(0, "prometheus-k8s"),
        stateful_set(1, "prometheus-k8s-shard-1"),
        secret("prometheus-k8s", Payload::Shard(0)),
        secret("prometheus-k8s-shard-1", Payload::Shard(1)),
    ];
    Output {
        workloads: vec![workload("k8s", objects)],
        ..Output::default()
    }
}

/// The sample in the operator's layout.
pub fn operator() -> Output {
    let objects = vec![
        secret("prometheus-k8s", Payload::Gzip),
        stateful_set(0, "prometheus-k8s"),
    ];
    Output {
        workloads: vec![workload("k8s", objects)],
        ..Output::default()
    }
}
