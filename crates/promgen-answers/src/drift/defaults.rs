//! The defaults that the API server adds: those of Kubernetes, and those of the operator's CRDs.
//!
//! In: objects as they are sent, or as they are stored. Out: the same with every default that is not stated, so that a default
//! is no difference, and another value is. One table for Kubernetes; the CRDs' own are in the types of the resources.

use std::borrow::Cow;
use std::sync::LazyLock;

use promgen_repository::kustomize::images::ImageReference;
use promgen_resources::api::Kind;
use promgen_resources::schema::description;
use promgen_text::describe::{Field, ObjectType, Type};
use promgen_text::yaml::{Map, Value};

use crate::drift::payload;

/// The defaults of Kubernetes: the objects that have the field, the field, and its value as YAML. The table explains itself.
static DEFAULTS: LazyLock<Vec<(Vec<&str>, &str, &str)>> = LazyLock::new(|| {
    let row = |row: &'static str| {
        let mut words = row.split(' ');
        let (field, value) = (words.next()?, words.next()?);
        Some((words.next()?.split(',').collect(), field, value))
    };
    let rows = include_str!("defaults.txt").lines();
    rows.filter(|row| !row.starts_with('#'))
        .filter_map(row)
        .collect()
});

/// The place where a path gets a name of its own.
const PLACES: &[(&str, &str)] = &[
    ("set/template/spec", "pod"),
    ("daemons/template/spec", "pod"),
    ("pod/containers/*", "container"),
    ("pod/initContainers/*", "container"),
    ("pod/volumes/*", "volume"),
];

/// Fields of a Service that the API server assigns.
const ASSIGNED: [&str; 4] = [
    "clusterIPs",
    "ipFamilies",
    "ipFamilyPolicy",
    "healthCheckNodePort",
];

/// The `spec` of an object that the operator writes, as the API server stores it.
pub(super) fn of_spec(kind: Kind, spec: &mut Value) {
    let place = match kind {
        Kind::StatefulSet => "set",
        Kind::DaemonSet => "daemons",
        Kind::Service => "service",
        _ => return,
    };
    fill(spec, place);
    compact(spec);
}

fn fill(value: &mut Value, place: &str) {
    let place = PLACES
        .iter()
        .find(|(path, _)| *path == place)
        .map_or(place, |(_, name)| name);
    if let Value::Map(map) = value {
        dependent(map, place);
        for (of, key, default) in DEFAULTS.iter() {
            if of.contains(&place) && map.get(key).is_none() {
                map.push(*key, payload::yaml(default).unwrap_or(Value::Null));
            }
        }
        for (key, value) in map.entries_mut() {
            fill(value, &format!("{place}/{key}"));
        }
    } else if let Value::Seq(items) = value {
        items
            .iter_mut()
            .for_each(|item| fill(item, &format!("{place}/*")));
    }
}

/// Defaults that depend on other fields.
fn dependent(map: &mut Map, place: &str) {
    let text = |map: &Map, key: &str| map.text_of(key).map(str::to_owned);
    match place {
        "pod" => {
            if let (Some(account), None) =
                (text(map, "serviceAccountName"), map.get("serviceAccount"))
            {
                map.push("serviceAccount", account);
            }
            if map.get("hostNetwork") == Some(&Value::Bool(true)) {
                let lists = map
                    .entries_mut()
                    .iter_mut()
                    .filter(|(key, _)| key == "containers" || key == "initContainers");
                lists.for_each(|(_, containers)| publish_ports(containers));
            }
        }
        "container" if map.get("imagePullPolicy").is_none() => {
            let image = text(map, "image").unwrap_or_default();
            map.push(
                "imagePullPolicy",
                if is_latest(&image) {
                    "Always"
                } else {
                    "IfNotPresent"
                },
            );
        }
        "set/updateStrategy" | "daemons/updateStrategy"
            if text(map, "type").is_none_or(|t| t == "RollingUpdate") =>
        {
            let defaults = match place {
                "set/updateStrategy" => &[("partition", 0)][..],
                _ => &[("maxSurge", 0), ("maxUnavailable", 1)],
            };
            let rolling = map.remove("rollingUpdate");
            let mut rolling = rolling
                .as_ref()
                .and_then(Value::as_map)
                .cloned()
                .unwrap_or_default();
            for (key, default) in defaults {
                if rolling.get(key).is_none() {
                    rolling.push(*key, Value::Int(*default));
                }
            }
            map.push("rollingUpdate", rolling);
        }
        "service" => ASSIGNED.iter().for_each(|key| drop(map.remove(key))),
        "service/ports/*" => {
            map.remove("nodePort");
            if let (Some(port), None) = (map.get("port").cloned(), map.get("targetPort")) {
                map.push("targetPort", port);
            }
        }
        "set/volumeClaimTemplates/*" => drop(map.remove("status")),
        _ => {}
    }
}

/// Ports in the network of the host are those of the host.
fn publish_ports(containers: &mut Value) {
    let Value::Seq(containers) = containers else {
        return;
    };
    let ports = containers
        .iter_mut()
        .filter_map(Value::as_map_mut)
        .flat_map(Map::entries_mut);
    let ports = ports
        .filter(|(key, _)| key == "ports")
        .filter_map(|(_, ports)| match ports {
            Value::Seq(ports) => Some(ports),
            _ => None,
        });
    for port in ports.flatten().filter_map(Value::as_map_mut) {
        if let (Some(number), None) = (port.get("containerPort").cloned(), port.get("hostPort")) {
            port.push("hostPort", number);
        }
    }
}

/// Returns whether an image has the tag `latest`, or none.
fn is_latest(image: &str) -> bool {
    let ImageReference { tag, digest, .. } = ImageReference::of(image);
    digest.is_empty() && matches!(tag, "" | "latest")
}

/// Maps that mean something although they are empty.
const MEANINGFUL: [&str; 4] = [
    "emptyDir",
    "podSelector",
    "namespaceSelector",
    "labelSelector",
];

/// Leaves out what the API server does not store: `null`, and empty maps, lists and texts.
pub(super) fn compact(value: &mut Value) {
    match value {
        Value::Map(map) => {
            for (_, value) in map.entries_mut() {
                compact(value);
            }
            map.entries_mut().retain(|(key, value)| {
                !value.is_blank() || MEANINGFUL.contains(&key.as_ref()) && value.as_map().is_some()
            });
        }
        Value::Seq(items) => items.iter_mut().for_each(compact),
        _ => {}
    }
}

/// The `spec` of a resource of the operator, as the API server stores it: with the defaults of its CRD, and without
/// fields that it does not have.
pub(super) fn of_resource(kind: Kind, spec: &mut Value) {
    if let Type::Object(object) = description(kind)
        && let Some(field) = object.field("spec")
    {
        store(spec, (field.of)());
    }
    remove_nulls(spec);
}

fn store(value: &mut Value, ty: &'static Type) {
    match (ty, value) {
        (Type::Object(object), Value::Map(map)) => store_object(map, object),
        (Type::Map(of), Value::Map(map)) => map
            .entries_mut()
            .iter_mut()
            .for_each(|(_, value)| store(value, of())),
        (Type::List(of), Value::Seq(items)) => items.iter_mut().for_each(|item| store(item, of())),
        // The same amount may be written in several ways.
        (Type::IntOrString(either), value) if either.name == "Quantity" => {
            if let Some(text) = scalar(value) {
                *value = text.into();
            }
        }
        _ => {}
    }
}

fn store_object(map: &mut Map, object: &'static ObjectType) {
    // A type with a dialect has fields that its own table lacks.
    if !object.is_open && object.dialect.is_none() && has_fields(object) {
        map.entries_mut()
            .retain(|(key, _)| object.field(key).is_some());
    }
    object.each(&mut |field: &'static Field| {
        let default = field.default.map(|default| default());
        if let (Some(default), None) = (
            default,
            map.get(field.name).filter(|value| **value != Value::Null),
        ) {
            map.set(
                field.name,
                payload::yaml(&default.to_string()).unwrap_or(Value::Null),
            );
        }
    });
    for (key, value) in map.entries_mut() {
        if let Some(field) = object.field(key) {
            store(value, (field.of)());
        }
    }
}

fn has_fields(object: &'static ObjectType) -> bool {
    let mut has = false;
    object.each(&mut |_| has = true);
    has
}

fn scalar(value: &Value) -> Option<Cow<'static, str>> {
    match value {
        Value::Int(number) => Some(number.to_string().into()),
        Value::Float(number) => Some(number.to_string().into()),
        _ => None,
    }
}

fn remove_nulls(value: &mut Value) {
    match value {
        Value::Map(map) => {
            map.entries_mut().retain(|(_, value)| *value != Value::Null);
            map.entries_mut()
                .iter_mut()
                .for_each(|(_, value)| remove_nulls(value));
        }
        Value::Seq(items) => items.iter_mut().for_each(remove_nulls),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::value::diff;

    fn filled(kind: Kind, spec: &str) -> Value {
        let mut value = payload::yaml(spec).unwrap();
        of_spec(kind, &mut value);
        value
    }

    #[test]
    fn a_default_of_kubernetes_is_no_difference() {
        for (kind, sent, stored) in [
            (
                Kind::StatefulSet,
                "{}",
                "{replicas: 1, revisionHistoryLimit: 10, podManagementPolicy: OrderedReady}",
            ),
            (
                Kind::StatefulSet,
                "{updateStrategy: {type: RollingUpdate}}",
                "{updateStrategy: {type: RollingUpdate, rollingUpdate: {partition: 0}}}",
            ),
            (
                Kind::DaemonSet,
                "{template: {spec: {serviceAccountName: a, containers: [{name: a, image: 'b:1', ports: [{name: c}], livenessProbe: {httpGet: {port: 1}}}]}}}",
                "{template: {metadata: {creationTimestamp: null}, spec: {serviceAccountName: a, serviceAccount: a, securityContext: {}, \
                 containers: [{name: a, image: 'b:1', imagePullPolicy: IfNotPresent, resources: {}, ports: [{name: c, protocol: TCP}], \
                 livenessProbe: {httpGet: {port: 1, path: /, scheme: HTTP}, timeoutSeconds: 1}}]}}}",
            ),
            (
                Kind::Service,
                "{clusterIP: None, ports: [{port: 80}]}",
                "{clusterIP: None, clusterIPs: [None], ports: [{port: 80, targetPort: 80, protocol: TCP}]}",
            ),
        ] {
            let (a, b) = (filled(kind, sent), filled(kind, stored));
            assert_eq!(
                diff(&a, &b)
                    .iter()
                    .map(ToString::to_string)
                    .collect::<Vec<_>>(),
                Vec::<String>::new(),
                "{stored}"
            );
        }
    }

    #[test]
    fn another_value_than_the_default_is_a_difference() {
        let (a, b) = (
            filled(Kind::StatefulSet, "{}"),
            filled(Kind::StatefulSet, "{revisionHistoryLimit: 3}"),
        );
        assert_eq!(diff(&a, &b)[0].to_string(), "revisionHistoryLimit");
        assert!(
            is_latest("a")
                && is_latest("h:1/a")
                && is_latest("a:latest")
                && !is_latest("a:1")
                && !is_latest("a@b")
        );
    }

    #[test]
    fn a_default_of_a_crd_is_no_difference_and_unknown_fields_are_dropped() {
        let stored = |spec: &str| {
            let mut value = payload::yaml(spec).unwrap();
            of_resource(Kind::Prometheus, &mut value);
            value
        };
        let (a, b) = (
            stored("{replicas: 2, colour: red, paused: null}"),
            stored("{replicas: 2, scrapeInterval: 30s, portName: web, evaluationInterval: 30s}"),
        );
        assert!(diff(&a, &b).is_empty(), "{:?}", diff(&a, &b));
    }
}
