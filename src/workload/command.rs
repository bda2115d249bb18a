//! What the annotation `operator-command` has operators of the Stackable data platform do (seed 003).

use crate::api::meta::ObjectMeta;
use crate::options::Profile;
use crate::output::Object;
use crate::workload::Run;
use crate::yaml::{Map, Value};

/// The objects of a workload as its annotation has them: without replicas where it is stopped. A DaemonSet, which has no
/// number of replicas, is left out then. Only the profile whose status says so knows the annotation.
pub(super) fn obey(run: &Run<'_>, metadata: &ObjectMeta, objects: Vec<Object>) -> Vec<Object> {
    let command = metadata.annotations.as_ref().and_then(|annotations| annotations.get("operator-command"));
    if run.options.profile != Profile::Stackable || command.map(String::as_str) != Some("Stopped") {
        return objects;
    }
    let is_kind = |object: &Object, kind: &str| object.value.get("kind").and_then(Value::as_str) == Some(kind);
    let running = objects.into_iter().filter(|object| !is_kind(object, "DaemonSet"));
    let stop = |mut object: Object| {
        if is_kind(&object, "StatefulSet")
            && let Some(spec) = spec_mut(&mut object.value)
        {
            spec.set("replicas", 0);
        }
        object
    };
    running.map(stop).collect()
}

fn spec_mut(object: &mut Value) -> Option<&mut Map> {
    let entries = &mut object.as_map_mut()?.0;
    entries.iter_mut().find(|(key, _)| key == "spec").and_then(|(_, value)| value.as_map_mut())
}
