//! A map as a flowchart of Mermaid. No name in the input breaks out of its label.

use std::fmt::Write as _;

use crate::cli::map::boxes;
use promgen_answers::map::{FlowBox, FlowLine, FlowMap, FlowMark};
use promgen_text::diag::count::counted;
use promgen_text::diag::escape;

/// The most lines: a browser refuses a flowchart of more than 500.
const MAX_LINES: usize = 300;

/// The classes of boxes, with colors that are read on white and on black.
const CLASSES: [(&str, &str); 5] = [
    (
        "asked",
        "fill:#e3edf9,stroke:#1f5fa8,color:#17202b,stroke-width:3px",
    ),
    ("dead", "fill:#fce8e6,stroke:#a8281d,color:#a8281d"),
    ("added", "fill:#dafbe1,stroke:#1a7f37,color:#116329"),
    ("lost", "fill:#fce8e6,stroke:#a8281d,color:#a8281d"),
    ("moved", "fill:#fff1e5,stroke:#bc4c00,color:#8a3600"),
];

/// The flowchart.
pub(crate) fn text(map: &FlowMap) -> String {
    let mut text = "flowchart LR\n".to_owned();
    for (at, known) in map.boxes.iter().enumerate() {
        writeln!(text, "  b{at}[\"{}\"]", label(known)).expect(INFALLIBLE);
    }
    let shown = map.lines.get(..MAX_LINES).unwrap_or(&map.lines);
    shown
        .iter()
        .for_each(|line| writeln!(text, "  {}", arrow(line)).expect(INFALLIBLE));
    left_out(map, shown.len(), &mut text);
    for (class, style) in CLASSES {
        let of_class = map
            .boxes
            .iter()
            .enumerate()
            .filter(|(_, known)| self::class(known) == class);
        let ids: Vec<String> = of_class.map(|(at, _)| format!("b{at}")).collect();
        if !ids.is_empty() {
            writeln!(
                text,
                "  classDef {class} {style}\n  class {} {class}",
                ids.join(",")
            )
            .expect(INFALLIBLE);
        }
    }
    for (mark, color) in [
        (FlowMark::Added, "#1a7f37"),
        (FlowMark::Lost, "#a8281d"),
        (FlowMark::Moved, "#bc4c00"),
    ] {
        let marked = shown
            .iter()
            .enumerate()
            .filter(|(_, line)| line.mark == mark);
        let numbers: Vec<String> = marked.map(|(at, _)| at.to_string()).collect();
        if !numbers.is_empty() {
            writeln!(text, "  linkStyle {} stroke:{color}", numbers.join(",")).expect(INFALLIBLE);
        }
    }
    text
}

const INFALLIBLE: &str = "a string takes every character";

/// The name of a box, and below it what else is to be said.
fn label(known: &FlowBox) -> String {
    format!(
        "{}<br/>{}",
        escape::mermaid(&known.title()),
        escape::mermaid(&known.detail())
    )
}

fn class(known: &FlowBox) -> &'static str {
    match known.mark {
        FlowMark::Added if !known.is_dead() => "added",
        FlowMark::Lost => "lost",
        FlowMark::Moved => "moved",
        FlowMark::Plain | FlowMark::Asked | FlowMark::Added if known.is_dead() => "dead",
        FlowMark::Asked => "asked",
        FlowMark::Plain | FlowMark::Added => "",
    }
}

/// A line. A single resource needs no words.
fn arrow(line: &FlowLine) -> String {
    let label = line.label();
    let label = if label == "1 resource" {
        String::new()
    } else {
        format!("|{label}|")
    };
    let arrow = if line.mark == FlowMark::Lost {
        "-.->"
    } else {
        "-->"
    };
    format!("b{} {arrow}{label} b{}", line.from, line.to)
}

/// Says in a box how much is left out.
fn left_out(map: &FlowMap, n_lines: usize, text: &mut String) {
    let boxes = (map.n_hidden > 0).then(|| boxes(map.n_hidden));
    let n_lines = map.lines.len().saturating_sub(n_lines);
    let lines = (n_lines > 0).then(|| counted(n_lines, "line"));
    let all: Vec<String> = boxes.into_iter().chain(lines).collect();
    if !all.is_empty() {
        writeln!(text, "  more[\"not shown: {}\"]", all.join(", ")).expect(INFALLIBLE);
    }
}
