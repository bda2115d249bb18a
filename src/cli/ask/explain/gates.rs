//! The table of versions.

use std::io::{self, Write};

use promgen_resources::gates::{Axis, GATES, Gate, Unsupported};
use promgen_text::version::Version;

/// The table, in columns. For a version of Prometheus: what it has and what it lacks.
pub(super) fn table(version: Option<&Version>, out: &mut dyn Write) -> io::Result<()> {
    let rows = rows(version);
    let heads = ["", "SINCE", "UNTIL", "WITHOUT IT"].map(str::to_owned);
    let width =
        |column: usize| rows.iter().chain([&heads]).map(|row| row[column].chars().count()).max().unwrap_or_default();
    let (first, since, until, miss) = (width(0), width(1), width(2), width(3));
    let head = ([first, since, until, miss], &heads, "WHAT");
    let mut line = |[a, b, c, d]: [usize; 4], row: &[String; 4], what: &str| {
        writeln!(out, "{:<a$}  {:<b$}  {:<c$}  {:<d$}  {what}", row[0], row[1], row[2], row[3])
    };
    line(head.0, head.1, head.2)?;
    rows.iter().zip(shown(version)).try_for_each(|(row, gate)| line(head.0, row, gate.summary.trim()))
}

/// The table as a page.
pub(super) fn page(version: Option<&Version>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "# Versions\n\n\
         The versions that support each feature, as the operator checks them. `promgen explain gates` prints the \
         same, and\n`promgen explain gates --prometheus-version V` prints what that version has.\n\n\
         If a field is set and the target does not support it: *omitted*: the operator ignores it silently, promgen reports \
         PG301 at the field.\n*refused*: the operator refuses the resource, promgen reports PG101. *older form*: \
         the operator writes an equivalent.\n"
    )?;
    for axis in [Axis::Prometheus, Axis::Thanos, Axis::Kubernetes] {
        let gates: Vec<_> = shown(version).filter(|gate| gate.axis == axis).collect();
        if gates.is_empty() {
            continue;
        }
        writeln!(out, "## {}\n\n| what | since | until | without it |\n|---|---|---|---|", axis.product())?;
        for gate in gates {
            let (what, since) = (gate.summary.trim(), &gate.since);
            writeln!(out, "| {what} | {since} | {} | {} |", until(gate), miss(gate.miss))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// The gates of Prometheus for one version, or all gates.
fn shown(version: Option<&Version>) -> impl Iterator<Item = &'static Gate> {
    let all = version.is_none();
    GATES.iter().copied().filter(move |gate| all || gate.axis == Axis::Prometheus)
}

fn rows(version: Option<&Version>) -> Vec<[String; 4]> {
    let first = |gate: &Gate| match version {
        Some(version) => if gate.admits(version) { "has" } else { "lacks" }.to_owned(),
        None => gate.axis.product().to_owned(),
    };
    let row = |gate: &Gate| [first(gate), gate.since.to_string(), until(gate), miss(gate.miss).to_owned()];
    shown(version).map(row).collect()
}

fn until(gate: &Gate) -> String {
    gate.until.as_ref().map(ToString::to_string).unwrap_or_default()
}

const fn miss(miss: Unsupported) -> &'static str {
    match miss {
        Unsupported::Drop => "omitted",
        Unsupported::Reject => "refused",
        Unsupported::Fallback => "older form",
    }
}
