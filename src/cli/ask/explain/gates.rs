//! The table of versions.

use std::io::{self, Write};

use serde_json::json;

use crate::cli::ask::explain::answer::Explained;
use crate::cli::json;
use crate::cli::table::aligned;
use promgen_resources::gates::fields::PLACES;
use promgen_resources::gates::{Axis, GATES, Gate, GateSubject, UnsupportedEffect};
use promgen_resources::release::RELEASES;
use promgen_text::version::Version;

/// The subject of a table.
#[derive(Clone, Copy, Debug)]
pub(super) enum About<'a> {
    /// Every version.
    All,
    /// The features that a version of Prometheus has and lacks.
    Prometheus(&'a Version),
    /// The behavior of a release of the operator.
    Operator(&'a Version),
}

/// The table, in columns.
pub(super) fn table(about: About<'_>, out: &mut dyn Write) -> io::Result<()> {
    let heads = ["", "SINCE", "UNTIL", "WITHOUT IT", "WHAT"].map(str::to_owned);
    let rows: Vec<_> = std::iter::once(heads).chain(rows(about)).collect();
    aligned(&rows).try_for_each(|line| writeln!(out, "{line}"))
}

/// The table as a page.
pub(super) fn page(about: About<'_>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "# Versions\n\n\
         The versions that support each feature, as the operator checks them. `promgen explain gates` prints the \
         same, and\n`promgen explain gates --prometheus-version V` prints what that version has, `--operator-version V` what that release of \
         the operator does.\n\n\
         If a field is set and the target does not support it: *omitted*: the operator ignores it silently, promgen reports \
         PG301 at the field.\n*refused*: the operator refuses the resource, promgen reports PG101. *older form*: \
         the operator writes an equivalent.\n"
    )?;
    writeln!(out, "{}", places())?;
    for axis in [
        Axis::Prometheus,
        Axis::Alertmanager,
        Axis::Thanos,
        Axis::Kubernetes,
    ] {
        let gates: Vec<_> = shown(about).filter(|gate| gate.axis == axis).collect();
        if gates.is_empty() {
            continue;
        }
        writeln!(
            out,
            "## {}\n\n| what | fields | since | until | without it |\n|---|---|---|---|---|",
            axis.product()
        )?;
        for gate in gates {
            let (what, since) = (gate.summary.trim(), &gate.since);
            writeln!(
                out,
                "| {what} | {} | {since} | {} | {} |",
                fields(gate),
                until(gate),
                miss(gate.miss)
            )?;
        }
        writeln!(out)?;
    }
    releases(about, out)
}

/// The table as JSON.
pub(super) fn json(about: About<'_>, out: &mut dyn Write) -> io::Result<()> {
    let value = |gate: &'static Gate| {
        let (since, supported) = match about {
            About::All => (&gate.since, None),
            About::Prometheus(version) => (&gate.since, Some(gate.admits(version))),
            About::Operator(version) => (release_of(gate), Some(gate.is_used_by(version))),
        };
        let product = if matches!(about, About::Operator(_)) {
            Axis::Operator
        } else {
            gate.axis
        }
        .product();
        let mut value = json!({
            "product": product,
            "feature": gate.summary.trim(),
            "fields": gate.fields(),
            "since": since.to_string(),
            "without": miss(gate.miss),
        });
        let optional = [
            (
                "until",
                gate.until.as_ref().map(|until| until.to_string().into()),
            ),
            ("supported", supported.map(serde_json::Value::from)),
        ];
        for (key, known) in optional {
            if let (Some(map), Some(known)) = (value.as_object_mut(), known) {
                map.insert(key.to_owned(), known);
            }
        }
        value
    };
    json::write(
        "explain",
        Explained {
            gates: Some(shown(about).map(value).collect()),
            ..Explained::default()
        },
        out,
    )
}

/// The differences between the releases of the operator, the newest first.
fn releases(about: About<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut gates: Vec<_> = shown(about)
        .filter(|gate| gate.tells_operators_apart())
        .collect();
    if gates.is_empty() {
        return Ok(());
    }
    gates.sort_by(|one, other| release_of(other).cmp(release_of(one)));
    let recorded: Vec<_> = RELEASES
        .iter()
        .filter(|row| row.is_verified)
        .map(|row| row.operator)
        .collect();
    writeln!(
        out,
        "## The operator\n\nWhat a release does that those before it do not. Recordings verify {}; for what lies between \
         two of them, the\nrelease is that of the change notes, or the first release that may have it.\n\n\
         | what | fields | since | until | before it |\n|---|---|---|---|---|",
        recorded.join(", ")
    )?;
    for gate in gates {
        let until = if gate.axis == Axis::Operator {
            until(gate)
        } else {
            String::new()
        };
        let (what, fields, without) = (gate.summary.trim(), fields(gate), miss(gate.miss));
        writeln!(
            out,
            "| {what} | {fields} | {} | {until} | {without} |",
            release_of(gate)
        )?;
    }
    writeln!(out)
}

/// The places with a name, where fields of the table stand.
fn places() -> String {
    let places = PLACES.iter().map(|places| {
        let patterns: Vec<String> = places
            .patterns
            .iter()
            .map(|pattern| format!("`{pattern}`"))
            .collect();
        format!("| {} | {} |\n", places.name, patterns.join("<br>"))
    });
    let head = "Fields stand below their kind, or below one of these places. `*` is any name, `**` any number of names.\n\n\
                | places | where |\n|---|---|\n";
    std::iter::once(head.to_owned()).chain(places).collect()
}

/// The fields of a gate, in a column; what it is about instead, if it has none.
fn fields(gate: &Gate) -> String {
    match gate.subject {
        GateSubject::Fields(patterns) => patterns
            .iter()
            .map(|pattern| format!("`{pattern}`"))
            .collect::<Vec<_>>()
            .join("<br>"),
        GateSubject::Other(what) => what.to_owned(),
    }
}

/// The first release of the operator that has the feature of a gate.
fn release_of(gate: &'static Gate) -> &'static Version {
    if gate.axis == Axis::Operator {
        &gate.since
    } else {
        &gate.by
    }
}

/// The gates that a table has.
fn shown(about: About<'_>) -> impl Iterator<Item = &'static Gate> {
    GATES.iter().copied().filter(move |gate| match about {
        About::All => true,
        About::Prometheus(_) => gate.axis == Axis::Prometheus,
        About::Operator(_) => gate.tells_operators_apart(),
    })
}

fn rows(about: About<'_>) -> impl Iterator<Item = [String; 5]> {
    let word = |has: bool| if has { "has" } else { "lacks" }.to_owned();
    let row = move |gate: &'static Gate| {
        let (first, since) = match about {
            About::All => (gate.axis.product().to_owned(), &gate.since),
            About::Prometheus(version) => (word(gate.admits(version)), &gate.since),
            About::Operator(version) => (word(gate.is_used_by(version)), release_of(gate)),
        };
        [
            first,
            since.to_string(),
            until(gate),
            miss(gate.miss).to_owned(),
            gate.summary.trim().to_owned(),
        ]
    };
    shown(about).map(row)
}

fn until(gate: &Gate) -> String {
    gate.until
        .as_ref()
        .map(ToString::to_string)
        .unwrap_or_default()
}

const fn miss(miss: UnsupportedEffect) -> &'static str {
    match miss {
        UnsupportedEffect::Drop => "omitted",
        UnsupportedEffect::Reject => "refused",
        UnsupportedEffect::Fallback => "older form",
    }
}
