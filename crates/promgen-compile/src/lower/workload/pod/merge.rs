//! The user's containers, merged into the operator's.
//!
//! As a strategic merge patch of Kubernetes does it: maps are merged, a list is replaced, except for those lists of a
//! container whose items have a key. Operator: `MergePatchContainers`.

use serde_json::Value;

use promgen_resources::api::core::{Container, Probe};
use promgen_text::yaml::{self, decode};

/// The lists whose items are merged, and the key by which items are the same. Kubernetes: the `patchMergeKey` tags of
/// core/v1.Container.
const MERGED_LISTS: &[(&str, &str)] = &[
    ("ports", "containerPort"),
    ("env", "name"),
    ("volumeMounts", "mountPath"),
    ("volumeDevices", "devicePath"),
];

/// Containers by name: those that the user changes, then those that the user adds. `keeps_handlers`: a probe with another
/// handler of the user has both.
///
/// # Errors
/// The result is not a container; in the operator's words.
pub(crate) fn containers(
    base: Vec<Container>,
    patches: Option<&[Container]>,
    keeps_handlers: bool,
) -> Result<Vec<Container>, String> {
    let patches = patches.unwrap_or_default();
    // Of several patches for one container the last one counts, and so it does for containers that are added twice.
    let patch = |name: &str| patches.iter().rev().find(|p| p.name == name);
    let added: Vec<_> = patches
        .iter()
        .filter(|p| base.iter().all(|b| b.name != p.name))
        .collect();
    let mut out = base
        .into_iter()
        .map(|container| match patch(&container.name) {
            Some(patch) => merged(&container, patch, keeps_handlers),
            None => Ok(container),
        })
        .collect::<Result<Vec<_>, _>>()?;
    // Through `patch` once more: each place of a name that is added twice gets the last container of that name.
    out.extend(
        added
            .into_iter()
            .filter_map(|container| patch(&container.name))
            .cloned(),
    );
    Ok(out)
}

fn merged(base: &Container, patch: &Container, keeps_handlers: bool) -> Result<Container, String> {
    let fail = |e: &dyn std::fmt::Display| {
        format!("failed to unmarshal merged container {}: {e}", base.name)
    };
    let mut value = to_json(base).map_err(|e| fail(&e))?;
    merge_container(&mut value, to_json(patch).map_err(|e| fail(&e))?);
    keep_unset_protocols(&mut value);
    let mut merged = decode::from_json(&value).map_err(|e| fail(&e.message))?;
    if !keeps_handlers {
        keep_users_handlers(&mut merged, patch);
    }
    Ok(merged)
}

/// The container as JSON, without fields that are not set: in a patch, null would take a field away.
fn to_json(container: &Container) -> Result<Value, serde_json::Error> {
    serde_json::to_value(yaml::to_value(container)).map(|mut value| {
        drop_nulls(&mut value);
        value
    })
}

/// The operator's ports without a protocol keep none: the CRD's default applies to the user's containers only.
fn keep_unset_protocols(container: &mut Value) {
    let ports = container.get_mut("ports").and_then(Value::as_array_mut);
    for port in ports.into_iter().flatten().filter_map(Value::as_object_mut) {
        port.entry("protocol").or_insert_with(|| "".into());
    }
}

fn drop_nulls(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.retain(|_, v| !v.is_null());
            map.values_mut().for_each(drop_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_nulls),
        _ => {}
    }
}

fn merge_container(base: &mut Value, patch: Value) {
    let (Value::Object(base), Value::Object(patch)) = (base, patch) else {
        return;
    };
    for (name, value) in patch {
        let key = MERGED_LISTS
            .iter()
            .find(|(list, _)| *list == name)
            .map(|(_, key)| *key);
        match (base.get_mut(&name), key, value) {
            (Some(Value::Array(items)), Some(key), Value::Array(patches)) => {
                merge_list(items, patches, key)
            }
            (Some(old), _, value) => merge(old, value),
            (None, _, value) => {
                base.insert(name, value);
            }
        }
    }
}

fn merge(base: &mut Value, patch: Value) {
    match (base, patch) {
        (Value::Object(base), Value::Object(patch)) => {
            for (name, value) in patch {
                match base.get_mut(&name) {
                    Some(old) => merge(old, value),
                    None => {
                        base.insert(name, value);
                    }
                }
            }
        }
        // Lists without a key are replaced as a whole.
        (base, patch) => *base = patch,
    }
}

/// Items of the same key are merged. The items of the patch keep their order; the others go before the first one that
/// followed them. Kubernetes: `mergeSortedSlice`.
fn merge_list(items: &mut Vec<Value>, patches: Vec<Value>, key: &str) {
    let position = |list: &[Value], item: &Value| {
        list.iter()
            .position(|other| other.get(key) == item.get(key))
    };
    let order = items.clone();
    let mut changed: Vec<Value> = Vec::new();
    for patch in patches {
        if let Some(i) = position(&changed, &patch) {
            merge(&mut changed[i], patch);
        } else if let Some(i) = position(items, &patch) {
            let mut item = items.remove(i);
            merge(&mut item, patch);
            changed.push(item);
        } else {
            changed.push(patch);
        }
    }
    let mut kept = std::mem::take(items).into_iter().peekable();
    for item in changed {
        if let Some(place) = position(&order, &item) {
            while let Some(before) =
                kept.next_if(|k| position(&order, k).is_some_and(|p| p < place))
            {
                items.push(before);
            }
        }
        items.push(item);
    }
    items.extend(kept);
}

/// Removes the operator's handlers from probes for which the user sets another kind: Kubernetes allows one handler per
/// probe. Handlers of the user stay, even two of them. Operator: `sanitizeProbeHandlers`.
fn keep_users_handlers(merged: &mut Container, patch: &Container) {
    let probes = [
        (&mut merged.startup_probe, &patch.startup_probe),
        (&mut merged.readiness_probe, &patch.readiness_probe),
        (&mut merged.liveness_probe, &patch.liveness_probe),
    ];
    for (probe, users) in probes {
        let (Some(probe), Some(users)) = (probe, users) else {
            continue;
        };
        // More than one: the user's and the operator's. If the kinds are the same, they were merged.
        if n_handlers(probe) > 1 {
            probe.exec.clone_from(&users.exec);
            probe.grpc.clone_from(&users.grpc);
            probe.http_get.clone_from(&users.http_get);
            probe.tcp_socket.clone_from(&users.tcp_socket);
        }
    }
}

fn n_handlers(probe: &Probe) -> usize {
    let handlers = [
        probe.exec.is_some(),
        probe.grpc.is_some(),
        probe.http_get.is_some(),
        probe.tcp_socket.is_some(),
    ];
    handlers.into_iter().filter(|set| *set).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lower::workload::pod::container::port;
    use serde_json::json;

    fn container(value: &Value) -> Container {
        decode::from_json(value).unwrap()
    }

    #[expect(clippy::needless_pass_by_value, reason = "a test reads better so")]
    fn merge_one(base: Value, patch: Value) -> Value {
        let merged = containers(vec![container(&base)], Some(&[container(&patch)]), false).unwrap();
        to_json(&merged[0]).unwrap()
    }

    #[test]
    fn what_the_user_leaves_out_takes_nothing_away() {
        let unset = Container {
            name: "a".to_owned(),
            resources: Some(Default::default()),
            ..Container::default()
        };
        let mut value = json!({"a": null, "b": {"c": null, "d": 1}, "e": [{"f": null, "g": [2]}]});
        drop_nulls(&mut value);
        assert_eq!(value, json!({"b": {"d": 1}, "e": [{"g": [2]}]}));
        let base = json!({"name": "a", "image": "x", "resources": {"requests": {"cpu": "1"}}});
        let merged = containers(vec![container(&base)], Some(&[unset]), false).unwrap();
        assert_eq!(to_json(&merged[0]).unwrap(), base);
    }

    /// The sidecar's ports have no protocol; those that the user writes have one by default.
    #[test]
    fn a_port_has_the_protocol_that_its_author_gave_it() {
        let ports = [port("http", 10902, ""), port("grpc", 10901, "")];
        let sidecar = Container {
            name: "a".to_owned(),
            ports: Some(ports.to_vec()),
            ..Container::default()
        };
        let patch =
            container(&json!({"name": "a", "ports": [{"name": "own", "containerPort": 1}]}));
        let merged = containers(vec![sidecar], Some(&[patch]), false).unwrap();
        let ports = merged[0].ports.iter().flatten();
        let ports: Vec<_> = ports
            .map(|p| (p.container_port, p.protocol.as_str()))
            .collect();
        assert_eq!(ports, [(1, "TCP"), (10902, ""), (10901, "")]);
    }

    #[test]
    fn maps_are_merged_and_lists_replaced() {
        let base = json!({"name": "a", "image": "x", "args": ["1", "2"], "resources": {"requests": {"cpu": "1"}}});
        let patch =
            json!({"name": "a", "args": ["3"], "resources": {"requests": {"memory": "1Gi"}}});
        let merged = merge_one(base, patch);
        let requests = json!({"cpu": "1", "memory": "1Gi"});
        assert_eq!(
            merged,
            json!({"args": ["3"], "image": "x", "name": "a", "resources": {"requests": requests}})
        );
    }

    #[test]
    fn items_with_a_key_are_merged_and_new_ones_go_first() {
        let env = |pairs: &[(&str, &str)]| json!({"name": "a", "env": pairs.iter().map(|(n, v)| json!({"name": n, "value": v})).collect::<Vec<_>>()});
        let merged = |patch: &[(&str, &str)]| {
            let merged = merge_one(env(&[("A", "1"), ("B", "2"), ("C", "3")]), env(patch));
            let item = |e: &Value| {
                format!(
                    "{}={}",
                    e["name"].as_str().unwrap(),
                    e["value"].as_str().unwrap()
                )
            };
            merged["env"]
                .as_array()
                .unwrap()
                .iter()
                .map(item)
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(merged(&[("D", "4")]), "D=4 A=1 B=2 C=3");
        assert_eq!(merged(&[("B", "9")]), "A=1 B=9 C=3");
        assert_eq!(merged(&[("C", "9"), ("D", "4")]), "A=1 B=2 C=9 D=4");
        assert_eq!(merged(&[("C", "9"), ("A", "8")]), "B=2 C=9 A=8");
    }

    #[test]
    fn the_users_probe_handler_wins() {
        let base = json!({"name": "a", "readinessProbe": {"httpGet": {"port": "web"}, "periodSeconds": 5}});
        let patch = json!({"name": "a", "readinessProbe": {"exec": {"command": ["true"]}}});
        let probe = json!({"exec": {"command": ["true"]}, "periodSeconds": 5});
        assert_eq!(merge_one(base, patch)["readinessProbe"], probe);
    }

    /// Recorded for v0.90.1.
    #[test]
    fn releases_before_v0_91_keep_both_handlers() {
        let base = container(&json!({"name": "a", "readinessProbe": {"httpGet": {"port": "web"}}}));
        let patch =
            container(&json!({"name": "a", "readinessProbe": {"exec": {"command": ["true"]}}}));
        let merged = containers(vec![base], Some(&[patch]), true).unwrap();
        let both = json!({"exec": {"command": ["true"]}, "httpGet": {"port": "web"}});
        assert_eq!(to_json(&merged[0]).unwrap()["readinessProbe"], both);
    }

    #[test]
    fn two_handlers_of_the_user_stay() {
        let two = json!({"exec": {"command": ["true"]}, "tcpSocket": {"port": 1}});
        let patch = json!({"name": "a", "livenessProbe": two.clone()});
        let merged = merge_one(
            json!({"name": "a", "livenessProbe": {"httpGet": {"port": "web"}}}),
            patch.clone(),
        );
        assert_eq!(merged["livenessProbe"], two);
        let added = containers(Vec::new(), Some(&[container(&patch)]), false).unwrap();
        assert_eq!(to_json(&added[0]).unwrap()["livenessProbe"], two);
    }

    #[test]
    fn a_handler_of_the_same_kind_is_merged() {
        let base = json!({"name": "a", "livenessProbe": {"httpGet": {"path": "/-/healthy", "port": "web"}}});
        let patch =
            json!({"name": "a", "livenessProbe": {"httpGet": {"port": 1}, "periodSeconds": 9}});
        let probe = json!({"httpGet": {"path": "/-/healthy", "port": 1}, "periodSeconds": 9});
        assert_eq!(merge_one(base, patch)["livenessProbe"], probe);
    }

    #[test]
    fn the_last_of_several_patches_counts() {
        let with_image = |image: &str| container(&json!({"name": "a", "image": image}));
        let merged = containers(
            vec![with_image("own")],
            Some(&[with_image("first"), with_image("last")]),
            false,
        )
        .unwrap();
        assert_eq!(
            merged
                .iter()
                .filter_map(|c| c.image.as_deref())
                .collect::<Vec<_>>(),
            ["last"]
        );
    }

    #[test]
    fn an_item_that_is_patched_twice_stays_one() {
        let env = |values: &[&str]| json!({"name": "a", "env": values.iter().map(|v| json!({"name": "A", "value": v})).collect::<Vec<_>>()});
        assert_eq!(
            merge_one(env(&["1"]), env(&["2", "3"]))["env"],
            env(&["3"])["env"]
        );
    }

    #[test]
    fn containers_are_appended_in_order() {
        let named = |name: &str| container(&json!({"name": name}));
        let merged = containers(
            vec![named("a"), named("b")],
            Some(&[named("z"), named("b"), named("c")]),
            false,
        )
        .unwrap();
        assert_eq!(
            merged.iter().map(|c| c.name.as_str()).collect::<Vec<_>>(),
            ["a", "b", "z", "c"]
        );
    }
}
