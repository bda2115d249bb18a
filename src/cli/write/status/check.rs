//! `promgen status --live`: compares the expected statuses with those of a cluster.

use std::io::{self, Write};

use similar::{ChangeTag, TextDiff};

use crate::cli::args::Color;
use crate::cli::{Io, report};
use promgen_compile::output::{Output, StatusDocument};
use promgen_resources::observed_status::Statuses;
use promgen_text::diag::escape;
use promgen_text::yaml::Map;
use promgen_text::yaml::emit::{Dialect, to_string};

/// Context lines of a diff.
const CONTEXT: usize = 3;

/// Prints the differences of the live and the expected statuses like `diff -u`. Returns whether all are equal.
pub(super) fn print(output: &Output, live: &Statuses, color: Color, io: &mut Io<'_>) -> io::Result<bool> {
    let documents = output.statuses();
    let is_colored = color.resolve(io.terminal.stdout_color);
    let mut differing = 0;
    io.print(|out| {
        for document in &documents {
            let (is, expected) = texts(document, live);
            if is != expected {
                differing += 1;
                write_diff(document, &is, &expected, is_colored, out)?;
            }
        }
        Ok(())
    })?;
    let of = if documents.len() == 1 { "1 status".to_owned() } else { format!("{} statuses", documents.len()) };
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
    let is = is.filter(|live| !live.status.is_empty()).map(|live| text(&live.status));
    (is.unwrap_or_default(), text(&document.status))
}

fn write_diff(
    document: &StatusDocument,
    is: &str,
    expected: &str,
    is_colored: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let name = format!("{}/{}/{}", document.kind.as_str(), document.namespace, document.name);
    let name = report::one_line(&name);
    let paint = |out: &mut dyn Write, style: &str, line: &str| {
        if is_colored && !style.is_empty() {
            writeln!(out, "\u{1b}[{style}m{line}\u{1b}[0m")
        } else {
            writeln!(out, "{line}")
        }
    };
    let state = if is.is_empty() { "has no status" } else { "live" };
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
            paint(out, style, &escape::patch(&format!("{sign}{}", change.value().trim_end_matches('\n'))))?;
        }
    }
    Ok(())
}
