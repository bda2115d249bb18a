//! Objects as they can be applied: each with its namespace, without owners that do not exist, and once.
//!
//! In: compiled workloads. Out: the object that a stream or a folder contains in place of each object. The tree of the operator's layout
//! keeps the objects as the operator hands them to its client, which adds the namespace to the request.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::output::{OutputObject, Part, Workload};
use promgen_text::CollectOrdered;
use promgen_text::yaml::{Map, Value};

/// Services that several workloads of a namespace share, such as `prometheus-operated`.
#[derive(Debug, Default)]
pub(super) struct SharedServices<'o> {
    /// The first object of each, and the merged Service.
    merged: BTreeMap<String, (&'o OutputObject, Value)>,
}

/// The output in place of an object.
pub(super) enum SharedOutput<'s> {
    /// The object itself.
    Own,
    /// The object merged with others.
    Merged(&'s Value),
    /// Nothing: the first workload contains it.
    Elsewhere,
}

impl<'o> SharedServices<'o> {
    /// Finds the Services of several workloads.
    pub(super) fn of(workloads: &'o [Arc<Workload>]) -> Self {
        let mut found: BTreeMap<String, Vec<(&'o OutputObject, &'o str)>> = BTreeMap::new();
        for workload in workloads {
            for object in workload
                .objects
                .iter()
                .filter(|o| o.part == Part::Workloads)
            {
                if let Some(name) = service_name(object, &workload.id.namespace) {
                    found
                        .entry(name)
                        .or_default()
                        .push((object, &workload.id.namespace));
                }
            }
        }
        found.retain(|_, objects| objects.len() > 1);
        Self {
            merged: found
                .into_iter()
                .map(|(name, objects)| (name, merge(&objects)))
                .collect_map(),
        }
    }

    /// The output in place of an object of a workload in that namespace.
    pub(super) fn place(&self, object: &OutputObject, namespace: &str) -> SharedOutput<'_> {
        if self.merged.is_empty() {
            return SharedOutput::Own;
        }
        match service_name(object, namespace).and_then(|name| self.merged.get(&name)) {
            Some((first, value)) if std::ptr::eq(*first, object) => SharedOutput::Merged(value),
            Some(_) => SharedOutput::Elsewhere,
            None => SharedOutput::Own,
        }
    }
}

/// Namespace and name of a Service; none for other objects.
fn service_name(object: &OutputObject, namespace: &str) -> Option<String> {
    if object.body.kind() != "Service" {
        return None;
    }
    let value = object.value();
    let metadata = value.get("metadata")?;
    let text = |key: &str| metadata.get(key).and_then(Value::as_str);
    Some(format!(
        "{}/{}",
        text("namespace").unwrap_or(namespace),
        text("name")?
    ))
}

/// One Service for all: labels, owners and ports of each.
fn merge<'o>(objects: &[(&'o OutputObject, &str)]) -> (&'o OutputObject, Value) {
    let (first, namespace) = objects[0];
    let mut merged = applicable(first.value(), namespace).into_owned();
    for (object, namespace) in &objects[1..] {
        let other = applicable(object.value(), namespace);
        if let (Some(labels), Value::Map(more)) = (
            at(&mut merged, &["metadata", "labels"]),
            get(&other, &["metadata", "labels"]),
        ) {
            merge_entries(labels, more);
        }
        for (list, key) in [
            (&["metadata", "ownerReferences"], "uid"),
            (&["spec", "ports"], "name"),
        ] {
            if let (Some(Value::Seq(items)), Value::Seq(more)) =
                (at(&mut merged, list), get(&other, list))
            {
                let new: Vec<_> = more
                    .iter()
                    .filter(|item| items.iter().all(|i| i.get(key) != item.get(key)))
                    .collect();
                items.extend(new.into_iter().cloned());
            }
        }
    }
    (first, merged)
}

fn merge_entries(labels: &mut Value, more: &Map) {
    let Value::Map(labels) = labels else { return };
    for (key, value) in more
        .iter()
        .filter(|(key, _)| labels.get(key).is_none())
        .cloned()
        .collect::<Vec<_>>()
    {
        labels.push(key, value);
    }
}

fn at<'v>(value: &'v mut Value, path: &[&str]) -> Option<&'v mut Value> {
    path.iter().try_fold(value, |value, key| match value {
        Value::Map(map) => map.get_mut(key),
        _ => None,
    })
}

fn get<'v>(value: &'v Value, path: &[&str]) -> &'v Value {
    path.iter()
        .try_fold(value, |value, key| value.get(key))
        .unwrap_or(&Value::Null)
}

/// Writes a namespace into metadata that have none: behind the name.
pub(crate) fn insert_namespace(metadata: &mut Map, namespace: &str) {
    let behind_name = metadata
        .iter()
        .position(|(key, _)| key == "name")
        .map_or(0, |i| i + 1);
    metadata.entries_mut().insert(
        behind_name,
        ("namespace".into(), namespace.to_owned().into()),
    );
}

/// The object with its final namespace, and without owners that have no uid: the API server refuses those.
pub(super) fn applicable<'v>(value: Cow<'v, Value>, namespace: &str) -> Cow<'v, Value> {
    let metadata = get(&value, &["metadata"]);
    let has_namespace = metadata.get("namespace").is_some();
    let owners = metadata.get("ownerReferences").map(|owners| match owners {
        Value::Seq(owners) => owners.iter().all(has_uid),
        _ => true,
    });
    if has_namespace && owners.unwrap_or(true) {
        return value;
    }
    let mut value = value.into_owned();
    if let Some(Value::Map(metadata)) = at(&mut value, &["metadata"]) {
        if !has_namespace {
            insert_namespace(metadata, namespace);
        }
        if let Some(Value::Seq(owners)) = metadata.remove("ownerReferences") {
            let real: Vec<Value> = owners.into_iter().filter(has_uid).collect();
            if !real.is_empty() {
                metadata.push("ownerReferences", real);
            }
        }
    }
    Cow::Owned(value)
}

fn has_uid(owner: &Value) -> bool {
    owner
        .get("uid")
        .and_then(Value::as_str)
        .is_some_and(|uid| !uid.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::sample;
    use promgen_text::yaml::emit::{Dialect, to_string};

    fn service(owner: &str, port: &str) -> OutputObject {
        let port = Map::new()
            .with("name", port.to_owned())
            .with("port", Value::Int(1));
        let owner = Map::new()
            .with("name", owner.to_owned())
            .with("uid", owner.to_owned());
        let labels = Map::new().with("a", "x");
        let metadata = Map::new()
            .with("labels", labels)
            .with("name", "operated")
            .with("ownerReferences", vec![Value::from(owner)]);
        let value = Map::new()
            .with("kind", "Service")
            .with("metadata", metadata)
            .with("spec", Map::new().with("ports", vec![Value::from(port)]));
        OutputObject {
            part: Part::Workloads,
            file: "service-operated".into(),
            body: Value::from(value).into(),
            payload: None,
        }
    }

    #[test]
    fn a_service_of_two_workloads_serves_both() {
        let mut output = sample::per_shard();
        output.workloads.push(output.workloads[0].clone());
        Arc::make_mut(&mut output.workloads[0]).objects =
            vec![service("a", "web"), service("", "web")];
        Arc::make_mut(&mut output.workloads[1]).objects =
            vec![service("b", "web"), service("b", "grpc")];
        let shared = SharedServices::of(&output.workloads);
        let objects = |i: usize| &output.workloads[i].objects;
        let SharedOutput::Merged(merged) = shared.place(&objects(0)[0], "monitoring") else {
            panic!("the first one stays")
        };
        insta::assert_snapshot!(to_string(get(merged, &["metadata", "ownerReferences"]), Dialect::YamlV2), @r"
        - name: a
          uid: a
        - name: b
          uid: b
        ");
        insta::assert_snapshot!(to_string(get(merged, &["spec", "ports"]), Dialect::YamlV2), @r"
        - name: web
          port: 1
        - name: grpc
          port: 1
        ");
        assert!(matches!(
            shared.place(&objects(1)[0], "monitoring"),
            SharedOutput::Elsewhere
        ));
        assert!(matches!(
            shared.place(&objects(1)[0], "other"),
            SharedOutput::Own
        ));
    }

    #[test]
    fn an_object_gets_its_namespace_and_loses_owners_that_do_not_exist() {
        let plain = applicable(service("", "web").value(), "ns").into_owned();
        assert_eq!(get(&plain, &["metadata", "namespace"]), &Value::from("ns"));
        assert!(
            plain
                .get("metadata")
                .unwrap()
                .get("ownerReferences")
                .is_none()
        );
        let owned = applicable(service("u", "web").value(), "ns").into_owned();
        assert!(
            owned
                .get("metadata")
                .unwrap()
                .get("ownerReferences")
                .is_some()
        );
        assert!(matches!(
            applicable(Cow::Borrowed(&owned), "other"),
            Cow::Borrowed(_)
        ));
    }
}
