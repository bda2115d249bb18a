//! The explanation of a resource, as a tree or as JSON.

use std::io::{self, Write};

use crate::cli::ask::explain::answer::Explained;
use crate::cli::json;
use crate::cli::paint::Paint;
use promgen_answers::explain::answer::Explanation;
use promgen_answers::explain::{ExplanationStep, StepState};
use promgen_text::diag::escape::line as printable;
use promgen_text::source::{Sources, Span};

/// A line for each step, with its place.
pub(super) fn text(
    step: &ExplanationStep,
    sources: &Sources,
    paint: Paint,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "{}", line(step, sources, paint))?;
    children(step, "", sources, paint, out)
}

fn line(step: &ExplanationStep, sources: &Sources, paint: Paint) -> String {
    let place = place(step.span, sources);
    let place = if place.is_empty() {
        place
    } else {
        paint.dim(&place)
    };
    format!(
        "{} {}{place}",
        mark(step.state, paint),
        printable(&step.text)
    )
}

/// The child steps and help of a step. Recursion is as deep as explanations, which is a few steps.
fn children(
    step: &ExplanationStep,
    indent: &str,
    sources: &Sources,
    paint: Paint,
    out: &mut dyn Write,
) -> io::Result<()> {
    let rest = if step.steps.is_empty() {
        "    "
    } else {
        "│   "
    };
    for help in &step.help {
        writeln!(
            out,
            "{indent}{rest}{}",
            paint.cyan(&format!("help: {}", printable(help)))
        )?;
    }
    let last = step.steps.len().saturating_sub(1);
    for (index, child) in step.steps.iter().enumerate() {
        let (branch, below) = if index == last {
            ("└─ ", "   ")
        } else {
            ("├─ ", "│  ")
        };
        writeln!(out, "{indent}{branch}{}", line(child, sources, paint))?;
        children(child, &format!("{indent}{below}"), sources, paint, out)?;
    }
    Ok(())
}

fn mark(state: StepState, paint: Paint) -> String {
    match state {
        StepState::Holds => paint.green("✓"),
        StepState::Breaks => paint.red("✗"),
        StepState::Unknown => paint.yellow("?"),
        StepState::Open => paint.yellow("·"),
    }
}

fn place(span: Option<Span>, sources: &Sources) -> String {
    let Some(span) = span else {
        return String::new();
    };
    let (file, start) = (sources.file(span.file), sources.start(span));
    format!("  ({}:{})", printable(&file.name), start.line)
}

/// Writes the steps as JSON.
pub(super) fn json(
    step: &ExplanationStep,
    sources: &Sources,
    out: &mut dyn Write,
) -> io::Result<()> {
    json::write(
        "explain",
        Explained {
            explanation: Some(Explanation::of(step, sources)),
            ..Explained::default()
        },
        out,
    )
}
