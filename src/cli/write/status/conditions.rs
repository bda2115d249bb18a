//! The conditions of statuses, as rows of a table.

use crate::cli::table::{Rows, Tone};
use promgen_compile::output::StatusDocument;
use promgen_text::yaml::{Map, Value};

/// One line for each condition.
pub(crate) fn rows(documents: &[StatusDocument]) -> Rows<6> {
    let mut rows = vec![
        [
            "NAMESPACE",
            "RESOURCE",
            "READY",
            "CONDITION",
            "STATUS",
            "REASON",
        ]
        .map(str::to_owned),
    ];
    for document in documents {
        let resource = format!("{}/{}", document.kind.as_str(), document.name);
        let ready = ready(&document.status);
        let conditions = conditions(&document.status, "");
        let bindings = seq(&document.status, "bindings")
            .iter()
            .filter_map(Value::as_map);
        let bound = bindings.flat_map(conditions_of_binding);
        for (kind, status, reason) in conditions.into_iter().chain(bound) {
            rows.push([
                document.namespace.clone(),
                resource.clone(),
                ready.clone(),
                kind,
                status,
                reason,
            ]);
        }
    }
    rows
}

/// Returns whether a condition is as hoped for.
pub(crate) fn tone(row: &[String]) -> Tone {
    let [.., kind, status, _] = row else {
        return Tone::Plain;
    };
    let is_fault =
        kind.starts_with("Degraded") || kind.starts_with("Paused") || kind.starts_with("Stopped");
    match (status.as_str(), is_fault) {
        ("True", false) => Tone::Good,
        ("False" | "Degraded", false) | ("True", true) => Tone::Bad,
        _ => Tone::Plain,
    }
}

/// The available pods and all pods.
fn ready(status: &Map) -> String {
    match (status.get("availableReplicas"), status.get("replicas")) {
        (Some(Value::Int(available)), Some(Value::Int(all))) => format!("{available}/{all}"),
        _ => String::new(),
    }
}

fn seq<'m>(map: &'m Map, key: &str) -> &'m [Value] {
    map.get(key).and_then(Value::as_seq).unwrap_or_default()
}

type ConditionRow = (String, String, String);

/// The conditions of a status, or of a binding to a workload.
fn conditions(map: &Map, workload: &str) -> Vec<ConditionRow> {
    let text = |condition: &Value, key: &str| {
        condition
            .get(key)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let condition = |condition: &Value| {
        (
            text(condition, "type") + workload,
            text(condition, "status"),
            text(condition, "reason"),
        )
    };
    seq(map, "conditions").iter().map(condition).collect()
}

/// The conditions of a binding, in the operator's form or in that of the first proposal.
fn conditions_of_binding(binding: &Map) -> Vec<ConditionRow> {
    let text = |key: &str| binding.get(key).and_then(Value::as_str).unwrap_or_default();
    let workload = match binding.get("prometheusRef") {
        Some(_) => text("name").to_owned(),
        None => format!(
            "{}/{}/{}",
            text("resource"),
            text("namespace"),
            text("name")
        ),
    };
    conditions(binding, &format!(" by {workload}"))
}
