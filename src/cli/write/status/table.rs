//! Tables of text.

use std::io::{self, Write};

use crate::cli::report;
use promgen_compile::output::StatusDocument;
use promgen_text::yaml::{Map, Value};

/// The lines of a table; the first contains the names of the columns.
pub(in crate::cli) type Rows<const N: usize> = Vec<[String; N]>;

/// Writes a table like `kubectl`: columns as wide as their content, and lines cut at the width of the terminal.
pub(in crate::cli) fn write<const N: usize>(rows: &Rows<N>, out: &mut dyn Write) -> io::Result<()> {
    let shown: Rows<N> = rows.iter().map(|row| row.each_ref().map(|cell| report::one_line(cell))).collect();
    let width = |column: usize| shown.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
    let widths: [usize; N] = std::array::from_fn(width);
    for row in &shown {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}"));
        writeln!(out, "{}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
    }
    Ok(())
}

/// One line for each condition.
pub(super) fn of_statuses(documents: &[StatusDocument]) -> Rows<6> {
    let mut rows = vec![["NAMESPACE", "RESOURCE", "READY", "CONDITION", "STATUS", "REASON"].map(str::to_owned)];
    for document in documents {
        let resource = format!("{}/{}", document.kind.as_str(), document.name);
        let ready = ready(&document.status);
        let conditions = conditions(&document.status, "");
        let bindings = seq(&document.status, "bindings").iter().filter_map(Value::as_map);
        let bound = bindings.flat_map(conditions_of_binding);
        for (kind, status, reason) in conditions.into_iter().chain(bound) {
            rows.push([document.namespace.clone(), resource.clone(), ready.clone(), kind, status, reason]);
        }
    }
    rows
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
    let text = |condition: &Value, key: &str| condition.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let condition =
        |condition: &Value| (text(condition, "type") + workload, text(condition, "status"), text(condition, "reason"));
    seq(map, "conditions").iter().map(condition).collect()
}

/// The same for a binding, in the operator's form or in that of the first proposal.
fn conditions_of_binding(binding: &Map) -> Vec<ConditionRow> {
    let text = |key: &str| binding.get(key).and_then(Value::as_str).unwrap_or_default();
    let workload = match binding.get("prometheusRef") {
        Some(_) => text("name").to_owned(),
        None => format!("{}/{}/{}", text("resource"), text("namespace"), text("name")),
    };
    conditions(binding, &format!(" by {workload}"))
}
