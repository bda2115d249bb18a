//! The annotation `operator-command` of the Stackable data platform.

use crate::options::Profile;
use crate::output::OutputObject;
use crate::workload::Run;
use promgen_resources::api::meta::ObjectMeta;
use promgen_text::yaml::{Map, Value};

/// The objects of a workload by its annotation: with zero replicas if it is stopped, and without a DaemonSet, which has no
/// replicas. Only the Stackable profile uses the annotation.
pub(super) fn obey(
    run: &Run<'_>,
    metadata: &ObjectMeta,
    objects: Vec<OutputObject>,
) -> Vec<OutputObject> {
    let command = metadata
        .annotations
        .as_ref()
        .and_then(|annotations| annotations.get("operator-command"));
    if run.options.profile != Profile::Stackable
        || command.is_none_or(|command| command != "Stopped")
    {
        return objects;
    }
    let mut stopped: Vec<OutputObject> = Vec::with_capacity(objects.len());
    for object in objects
        .into_iter()
        .filter(|object| object.body.kind() != "DaemonSet")
    {
        let is_set = object.body.kind() == "StatefulSet";
        stopped.push(if is_set {
            without_replicas(object).beside(first_set(&stopped))
        } else {
            object
        });
    }
    stopped
}

fn without_replicas(object: OutputObject) -> OutputObject {
    let mut value = object.value().into_owned();
    if let Some(spec) = spec_mut(&mut value) {
        spec.set("replicas", 0);
    }
    OutputObject {
        body: value.into(),
        ..object
    }
}

fn first_set(objects: &[OutputObject]) -> Option<&OutputObject> {
    objects
        .iter()
        .find(|object| object.body.kind() == "StatefulSet")
}

fn spec_mut(object: &mut Value) -> Option<&mut Map> {
    let entries = object.as_map_mut()?.entries_mut();
    entries
        .iter_mut()
        .find(|(key, _)| key == "spec")
        .and_then(|(_, value)| value.as_map_mut())
}
