//! Tables of text.

use std::io::{self, Write};

use crate::cli::args::Color;
use crate::cli::ask::traced::show::Paint;
use crate::cli::{Terminal, report};
use promgen_compile::output::StatusDocument;
use promgen_text::yaml::{Map, Value};

/// The lines of a table; the first contains the names of the columns.
pub(in crate::cli) type Rows<const N: usize> = Vec<[String; N]>;

/// The look of a table.
#[derive(Clone, Copy)]
pub(in crate::cli) struct Look<'a> {
    /// The columns of the terminal.
    pub(in crate::cli) width: usize,
    /// Whether to use colors.
    pub(in crate::cli) paint: Paint,
    /// Columns that stay, whatever they hold.
    pub(in crate::cli) keep: &'a [&'a str],
    /// The color of a row, by its cells.
    pub(in crate::cli) tone: fn(&[String]) -> Tone,
}

/// The tone of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Tone {
    Plain,
    Good,
    Bad,
}

impl Look<'_> {
    /// The look on a terminal, where every row is the same.
    pub(in crate::cli) fn plain(color: Color, terminal: Terminal) -> Self {
        let paint = Paint {
            is_colored: color.resolve(terminal.stdout_color),
        };
        Self {
            width: terminal.width,
            paint,
            keep: &[],
            tone: |_| Tone::Plain,
        }
    }
}

/// Writes a table like `kubectl`: columns as wide as their content. Columns without a figure go. If the table is wider than the
/// terminal, columns that are the same in every row stand above it.
pub(in crate::cli) fn write<const N: usize>(
    rows: &Rows<N>,
    look: Look<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let shown: Rows<N> = rows
        .iter()
        .map(|row| row.each_ref().map(|cell| report::one_line(cell)))
        .collect();
    let Some((head, body)) = shown.split_first() else {
        return Ok(());
    };
    let width = |column: &usize| {
        shown
            .iter()
            .map(|row| row[*column].chars().count())
            .max()
            .unwrap_or_default()
    };
    let is_kept = |column: &usize| look.keep.contains(&&*head[*column]);
    let is_blank = |column: &usize| body.iter().all(|row| is_nothing(&row[*column]));
    let mut columns: Vec<usize> = (0..N)
        .filter(|column| is_kept(column) || body.is_empty() || !is_blank(column))
        .collect();
    let total = |columns: &[usize]| {
        columns
            .iter()
            .map(|column| width(column) + 2)
            .sum::<usize>()
            .saturating_sub(2)
    };
    let mut same = Vec::new();
    if total(&columns) > look.width && body.len() > 1 {
        let is_same = |column: &usize| body.iter().all(|row| row[*column] == body[0][*column]);
        let (moved, rest): (Vec<usize>, _) = columns
            .iter()
            .partition(|column| is_same(column) && !is_kept(column));
        same = moved
            .iter()
            .map(|column| format!("{} {}", head[*column], body[0][*column]))
            .collect();
        columns = rest;
    }
    if !same.is_empty() {
        writeln!(out, "{}", look.paint.dim(&same.join("  ")))?;
    }
    for (index, row) in shown.iter().enumerate() {
        let cells = columns
            .iter()
            .map(|column| format!("{:1$}", row[*column], width(column)));
        let line = cells.collect::<Vec<_>>().join("  ");
        let line = line.trim_end();
        let tone = if index == 0 {
            Tone::Plain
        } else {
            (look.tone)(row)
        };
        let painted = match tone {
            _ if index == 0 => look.paint.bold(line),
            Tone::Plain => line.to_owned(),
            Tone::Good => look.paint.green(line),
            Tone::Bad => look.paint.red(line),
        };
        writeln!(out, "{painted}")?;
    }
    Ok(())
}

/// Returns whether a cell has no figure.
fn is_nothing(cell: &str) -> bool {
    matches!(cell, "" | "0" | "0.0%")
}

/// One line for each condition.
pub(in crate::cli) fn of_statuses(documents: &[StatusDocument]) -> Rows<6> {
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
pub(in crate::cli) fn of_condition(row: &[String]) -> Tone {
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
