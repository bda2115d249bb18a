//! `promgen status --live`: compares the expected statuses with those of a cluster.

use std::io::{self, Write};

use similar::{ChangeTag, TextDiff};

use crate::cli::paint::Paint;
use crate::cli::{Failure, Io, report};
use promgen_compile::output::{Output, StatusDocument};
use promgen_resources::api::Kind;
use promgen_resources::observed_status::Statuses;
use promgen_text::diag::escape;
use promgen_text::yaml::emit::{Dialect, to_string};
use promgen_text::yaml::{Map, Value};

/// Context lines of a diff.
const CONTEXT: usize = 3;

/// Prints the differences of the live and the expected statuses like `diff -u`. Returns whether all are equal.
pub(super) fn print(output: &Output, live: &Statuses, io: &mut Io<'_>) -> Result<bool, Failure> {
    let documents = output.statuses();
    let look = Paint::of(io.terminal);
    let mut differing = 0;
    io.print(|out| {
        for document in &documents {
            let (is, expected) = texts(document, live);
            if is != expected {
                differing += 1;
                write_diff(
                    &name(document.kind, &document.namespace, &document.name),
                    &is,
                    &expected,
                    look,
                    out,
                )?;
            }
        }
        for (name, is, expected) in stale(output, &documents, live) {
            differing += 1;
            write_diff(&name, &is, &expected, look, out)?;
        }
        Ok(())
    })?;
    let of = if documents.len() == 1 {
        "1 status".to_owned()
    } else {
        format!("{} statuses", documents.len())
    };
    match differing {
        0 => report::note(&format!("{of} compared: as expected"), io),
        n => report::note(&format!("{of} compared: {n} not as expected"), io),
    }
    Ok(differing == 0)
}

/// The live status of a resource, empty if it has none, and the expected one.
fn texts(document: &StatusDocument, live: &Statuses) -> (String, String) {
    let text = |status: &Map| to_string(&document.comparable(status), Dialect::YamlV2);
    let is = live.get(document.kind, &document.namespace, &document.name);
    let is = is
        .filter(|live| !live.status.is_empty())
        .map(|live| text(&live.status));
    (is.unwrap_or_default(), text(&document.status))
}

/// The resources that no workload selects any longer, with the live bindings and those that are left: the operator removes the
/// binding of a workload that does not select the resource.
fn stale(
    output: &Output,
    documents: &[StatusDocument],
    live: &Statuses,
) -> Vec<(String, String, String)> {
    let has_status = |kind: Kind, namespace: &str, resource: &str| {
        documents
            .iter()
            .any(|own| own.kind == kind && own.namespace == namespace && own.name == resource)
    };
    let is_own = |binding: &Value| {
        let text = |key: &str| binding.get(key).and_then(Value::as_str).unwrap_or_default();
        output.each_workload().any(|workload| {
            let id = &workload.id;
            let plural = id.kind.resource().map(Kind::plural).unwrap_or_default();
            workload.selected.is_bound
                && (text("resource"), text("namespace"), text("name"))
                    == (&plural, &id.namespace, &id.name)
        })
    };
    let mut found = Vec::new();
    for (kind, namespace, resource, live) in live.with_status() {
        let bindings = live
            .status
            .get("bindings")
            .and_then(Value::as_seq)
            .unwrap_or_default();
        let left: Vec<Value> = bindings
            .iter()
            .filter(|binding| !is_own(binding))
            .cloned()
            .collect();
        if left.len() < bindings.len() && !has_status(kind, namespace, resource) {
            let text = |bindings: Vec<Value>| {
                to_string(
                    &Map::new().with("bindings", bindings).into(),
                    Dialect::YamlV2,
                )
            };
            let expected = if left.is_empty() {
                String::new()
            } else {
                text(left)
            };
            found.push((
                name(kind, namespace, resource),
                text(bindings.to_vec()),
                expected,
            ));
        }
    }
    found
}

fn name(kind: Kind, namespace: &str, name: &str) -> String {
    report::one_line(&format!("{}/{namespace}/{name}", kind.as_str()))
}

fn write_diff(
    name: &str,
    is: &str,
    expected: &str,
    look: Paint,
    out: &mut dyn Write,
) -> io::Result<()> {
    let paint =
        |out: &mut dyn Write, style: &str, line: &str| writeln!(out, "{}", look.with(style, line));
    let state = if is.is_empty() {
        "has no status"
    } else {
        "live"
    };
    paint(out, "1", &format!("--- {name} ({state})"))?;
    paint(out, "1", &format!("+++ {name} (expected)"))?;
    let diff = TextDiff::from_lines(is, expected);
    for hunk in diff.unified_diff().context_radius(CONTEXT).iter_hunks() {
        paint(out, "36", &hunk.header().to_string())?;
        for change in hunk.iter_changes() {
            let (sign, style) = match change.tag() {
                ChangeTag::Delete => ('-', "31"),
                ChangeTag::Insert => ('+', "32"),
                ChangeTag::Equal => (' ', ""),
            };
            paint(
                out,
                style,
                &escape::patch(&format!("{sign}{}", change.value().trim_end_matches('\n'))),
            )?;
        }
    }
    Ok(())
}
