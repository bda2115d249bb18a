//! From a place of the set to the field of the resource that it comes from.

use super::PodFault;
use promgen_text::route::{Segment, ValueRoute};
use promgen_text::suggest;
use promgen_text::yaml::{Node, Value};

/// Where the user wrote what is at a place of the set: the field itself where the operator hands it on, else the nearest one.
pub fn place(resource: &Node, set: &Value, route: &ValueRoute) -> ValueRoute {
    let steps = &route.0;
    let spec = ValueRoute::root().key("spec");
    let found = match keys(steps).as_slice() {
        ["spec", "volumeClaimTemplates", ..] => Some(below(
            spec.clone().key("storage").key("volumeClaimTemplate"),
            steps,
            3,
        )),
        ["spec", "template", "metadata", ..] => {
            Some(below(spec.clone().key("podMetadata"), steps, 3))
        }
        ["spec", "template", "spec", "volumes", ..] => of_volume(resource, set, steps),
        [
            "spec",
            "template",
            "spec",
            list @ ("containers" | "initContainers"),
            ..,
        ] => of_container(resource, set, steps, list),
        ["spec", "template", "spec", _, ..] => Some(below(spec.clone(), steps, 3)),
        ["spec", ..] => Some(below(spec.clone(), steps, 1)),
        _ => None,
    };
    existing(resource, &found.unwrap_or(spec))
}

/// The value at a place of the set.
pub(super) fn value_at<'v>(set: &'v Value, route: &ValueRoute) -> Option<&'v Value> {
    route.0.iter().try_fold(set, |value, step| match step {
        Segment::Key(key) => value.get(key),
        Segment::Index(index) => value.as_seq()?.get(*index),
    })
}

/// Returns whether a place of the set is among the resources of a config reloader.
pub(super) fn is_of_reloader(set: &Value, route: &ValueRoute) -> bool {
    let name = item(set, &route.0).and_then(|(item, _)| item.get("name")?.as_str());
    name.is_some_and(|name| name.ends_with("config-reloader"))
        && keys(&route.0).contains(&"resources")
}

/// Help about a place that the operator fills, too.
pub(super) fn maker(set: &Value, fault: &PodFault) -> Option<String> {
    let is_taken =
        fault.why.starts_with("Duplicate value") || fault.why.ends_with("must be unique");
    let steps = keys(&fault.route.0);
    let pod = || set.get("spec")?.get("template")?.get("spec");
    let what = match (is_taken, steps.last().copied()?) {
        (true, "mountPath") => "path",
        (true, "name") if steps.contains(&"volumes") => "name",
        (false, "name") if fault.why.starts_with("Not found") => {
            let volumes = pod()?.items_of("volumes");
            let names: Vec<&str> = volumes
                .iter()
                .filter_map(|volume| volume.get("name")?.as_str())
                .collect();
            return Some(format!(
                "add the volume to `volumes`; the pods have {}",
                names.join(", ")
            ));
        }
        (false, "image") => {
            let (_, container) = fault.route.0.split_last()?;
            let container = value_at(set, &ValueRoute(container.to_vec()))?;
            let others = pod()?.items_of("containers").iter();
            let others = others.filter(|other| other.get("image").is_some());
            let meant = suggest::closest(
                container.text_of("name")?,
                others.filter_map(|other| other.text_of("name")),
            );
            return meant.map(|meant| format!("did you mean the container `{meant}`?"));
        }
        _ => return None,
    };
    Some(format!(
        "the operator adds a volume of its own there, or it is listed twice: use another {what}"
    ))
}

fn keys(steps: &[Segment]) -> Vec<&str> {
    steps.iter().filter_map(Segment::key).collect()
}

/// A route, and what follows the first keys of another one.
fn below(base: ValueRoute, steps: &[Segment], n_keys: usize) -> ValueRoute {
    let mut seen = 0;
    let rest = steps.iter().skip_while(|step| {
        seen += usize::from(step.key().is_some());
        seen <= n_keys
    });
    rest.fold(base, push)
}

fn push(mut route: ValueRoute, step: &Segment) -> ValueRoute {
    route.0.push(step.clone());
    route
}

/// The longest part of a route that the resource has.
fn existing(resource: &Node, route: &ValueRoute) -> ValueRoute {
    let mut node = resource;
    let mut out = ValueRoute::root();
    for step in &route.0 {
        let next = match step {
            Segment::Key(key) => node.get(key),
            Segment::Index(index) => node.items().get(*index),
        };
        let Some(next) = next else { break };
        out.0.push(step.clone());
        node = next;
    }
    out
}

/// The item of the set's list on the route: its value, and the steps behind it.
fn item<'s>(set: &'s Value, steps: &'s [Segment]) -> Option<(&'s Value, &'s [Segment])> {
    let end = steps.iter().position(|step| step.key().is_none())? + 1;
    let value = steps[..end]
        .iter()
        .try_fold(set, |value, step| match step {
            Segment::Key(key) => value.get(key),
            Segment::Index(index) => value.as_seq()?.get(*index),
        })?;
    Some((value, &steps[end..]))
}

/// The last item of a list of the resource that has this value.
fn find(list: Option<&Node>, key: &str, wanted: &str) -> Option<usize> {
    list?
        .items()
        .iter()
        .rposition(|item| item.get(key).and_then(Node::as_str) == Some(wanted))
}

/// A volume of the user's list, a name that the user lists, or the storage.
fn of_volume(resource: &Node, set: &Value, steps: &[Segment]) -> Option<ValueRoute> {
    let (volume, rest) = item(set, steps)?;
    let (name, spec) = (
        volume.get("name")?.as_str()?,
        ValueRoute::root().key("spec"),
    );
    if let Some(index) = find(resource.find(&["spec", "volumes"]), "name", name) {
        return Some(rest.iter().fold(spec.key("volumes").index(index), push));
    }
    for (field, source, key) in [
        ("secrets", "secret", "secretName"),
        ("configMaps", "configMap", "name"),
    ] {
        let listed = volume
            .get(source)
            .and_then(|source| source.get(key))
            .and_then(Value::as_str);
        let list = resource.find(&["spec", field]).map_or(&[][..], Node::items);
        let index =
            listed.and_then(|listed| list.iter().rposition(|item| item.as_str() == Some(listed)));
        if let Some(index) = index {
            return Some(spec.key(field).index(index));
        }
    }
    Some(spec.key("storage"))
}

/// A field of the user's container, or of the resource, for the container that the operator makes.
fn of_container(resource: &Node, set: &Value, steps: &[Segment], list: &str) -> Option<ValueRoute> {
    let (container, rest) = item(set, steps)?;
    let name = container.get("name")?.as_str()?;
    let spec = ValueRoute::root().key("spec");
    let own = find(resource.find(&["spec", list]), "name", name);
    if let (Some(index), Some(field)) = (own, rest.first().and_then(Segment::key)) {
        let node = resource.find(&["spec", list])?.items().get(index)?;
        let base = spec.clone().key(list.to_owned()).index(index);
        if node.get(field).is_some() {
            return Some(
                match mounted(container, rest)
                    .and_then(|path| find(node.get(field), "mountPath", path))
                {
                    Some(index) => rest
                        .iter()
                        .skip(2)
                        .fold(base.key(field.to_owned()).index(index), push),
                    None => rest.iter().fold(base, push),
                },
            );
        }
        if !matches!(
            name,
            "prometheus" | "alertmanager" | "thanos-ruler" | "thanos-sidecar" | "config-reloader"
        ) {
            return Some(base);
        }
    }
    let base = if name == "thanos-sidecar" {
        spec.key("thanos")
    } else {
        spec
    };
    let field = keys(&base.0).last().copied().map(str::to_owned);
    if let Some(path) = mounted(container, rest) {
        let list = match field.as_deref() {
            Some("thanos") => resource.find(&["spec", "thanos", "volumeMounts"]),
            _ => resource.find(&["spec", "volumeMounts"]),
        };
        if let Some(index) = find(list, "mountPath", path) {
            return Some(
                rest.iter()
                    .skip(2)
                    .fold(base.key("volumeMounts").index(index), push),
            );
        }
        for (field, folder) in [("secrets", "secrets"), ("configMaps", "configmaps")] {
            let list = resource.find(&["spec", field]).map_or(&[][..], Node::items);
            let is_of = |item: &Node| {
                item.as_str()
                    .is_some_and(|name| path.ends_with(&format!("/{folder}/{name}")))
            };
            if let Some(index) = list.iter().rposition(is_of) {
                return Some(base.key(field).index(index));
            }
        }
        return Some(base.key("storage"));
    }
    Some(rest.iter().fold(base, push))
}

/// The path of the mount that a place is about.
fn mounted<'v>(container: &'v Value, rest: &[Segment]) -> Option<&'v str> {
    match rest {
        [Segment::Key(list), Segment::Index(index), ..] if list == "volumeMounts" => container
            .get("volumeMounts")?
            .as_seq()?
            .get(*index)?
            .get("mountPath")?
            .as_str(),
        _ => None,
    }
}
