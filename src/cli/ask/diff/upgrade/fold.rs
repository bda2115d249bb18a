//! What an upgrade means, in a screen: what breaks, what changes and what is only noted, with a line for each cause.

use std::collections::BTreeMap;
use std::io::{self, Write};

use crate::cli::paint::Paint;
use crate::cli::report::{listed, one_line};
use promgen_answers::diff::outline::{DiffOutline, Line};

/// The most lines below a heading, and the most letters of a line.
const MAX_LINES: usize = 6;
const MAX_LETTERS: usize = 140;
/// The most names in a line.
const MAX_NAMES: usize = 3;

/// What a difference means for whoever upgrades, the worst first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Meaning {
    Breaks,
    Changes,
    Noted,
}

impl Meaning {
    const ALL: [(Self, &'static str); 3] = [
        (Self::Breaks, "breaks, or may break"),
        (Self::Changes, "changes"),
        (Self::Noted, "only noted"),
    ];

    /// Of a section: what the worst of its lines means.
    fn of(heading: &str, lines: &[&Line]) -> Self {
        let is_loss = |line: &&Line| matches!(line.sign, '!' | '-' | '?');
        match heading {
            "objects" | "manifest" | "status" | "other changes" | "findings that are gone" => {
                Self::Noted
            }
            "pods that restart" | "jobs" | "settings" | "selection" | "rules" => Self::Changes,
            "new findings" if lines.iter().any(|line| line.text.starts_with("error")) => {
                Self::Breaks
            }
            _ if heading.starts_with("targets lost") || lines.iter().any(is_loss) => Self::Breaks,
            _ => Self::Changes,
        }
    }
}

/// What is below a heading in all parts: what it is about, and the causes with the number of things that each one concerns.
#[derive(Default)]
struct FoldedSection {
    subjects: Vec<String>,
    causes: BTreeMap<String, FoldedCause>,
}

/// What occurs several times.
#[derive(Clone, Copy)]
struct FoldedCause {
    /// The number of causes before it.
    at: usize,
    /// The number of things that it concerns.
    n: usize,
}

/// Prints an outline by what it means. The details are left out.
pub(super) fn print(outline: &DiffOutline, paint: Paint, out: &mut dyn Write) -> io::Result<()> {
    let (notes, summary): (Vec<&String>, Vec<&String>) = outline
        .summary
        .iter()
        .partition(|line| line.starts_with("note: "));
    for line in summary {
        writeln!(out, "{}", one_line(line))?;
    }
    let sections = folded(outline);
    for (meaning, title) in Meaning::ALL {
        let own = || sections.iter().filter(|((of, _), _)| *of == meaning);
        let notes: &[&String] = if meaning == Meaning::Noted {
            &notes
        } else {
            &[]
        };
        if own().next().is_none() && notes.is_empty() {
            continue;
        }
        writeln!(out, "\n{}", paint.bold(title))?;
        for note in notes {
            writeln!(out, "  {}", one_line(note.trim_start_matches("note: ")))?;
        }
        for ((_, heading), section) in own() {
            section.print(heading, out)?;
        }
    }
    if !sections.is_empty() {
        writeln!(out, "\n`--details` prints each difference with its place")?;
    }
    Ok(())
}

/// The lines of all parts by meaning and heading.
fn folded(outline: &DiffOutline) -> BTreeMap<(Meaning, String), FoldedSection> {
    let mut sections: BTreeMap<(Meaning, String), FoldedSection> = BTreeMap::new();
    for part in &outline.parts {
        let mut lines = part.lines.iter().peekable();
        while let Some(head) = lines.next() {
            let below: Vec<&Line> =
                std::iter::from_fn(|| lines.next_if(|line| line.depth > 0)).collect();
            let is_heading = below.iter().any(|line| line.depth == 1) && head.sign == ' ';
            let heading = if is_heading { &head.text } else { &part.title };
            let own = below.iter().copied().filter(|line| line.depth == 1);
            let own: Vec<&Line> = if is_heading {
                own.collect()
            } else {
                vec![head]
            };
            let section = sections
                .entry((Meaning::of(heading, &own), heading.clone()))
                .or_default();
            section.add(head, if is_heading { 1 } else { 0 }, below);
        }
    }
    sections
}

impl FoldedSection {
    /// Takes a line, or what is below it. `depth`: that of the lines that name things.
    fn add(&mut self, head: &Line, depth: usize, below: Vec<&Line>) {
        let mut concerned = 1;
        for line in std::iter::once(head)
            .chain(below)
            .filter(|line| line.depth >= depth)
        {
            let is_subject = line.depth == depth && depth > 0 && !line.text.contains(": ");
            let n_jobs = line
                .text
                .split_once(" jobs: ")
                .and_then(|(n, _)| n.parse().ok());
            if let Some(n) = n_jobs {
                concerned = n;
            } else if is_subject {
                let (name, _) = line.text.split_once("  (").unwrap_or((&line.text, ""));
                concerned = line.text.split(", ").count();
                self.subjects.push(name.to_owned());
            } else {
                let n = if line.depth > depth { concerned } else { 1 };
                let text = format!("{} {}", line.sign, without_numbers(&line.text));
                self.cause(text, n);
            }
        }
    }

    fn cause(&mut self, text: String, n: usize) {
        let at = self.causes.len();
        let cause = self.causes.entry(text).or_insert(FoldedCause { at, n: 0 });
        cause.n += n;
    }

    fn print(&self, heading: &str, out: &mut dyn Write) -> io::Result<()> {
        let subjects: Vec<String> = self.subjects.iter().map(|name| one_line(name)).collect();
        let about = if subjects.is_empty() {
            String::new()
        } else {
            format!(": {}", listed(&subjects, MAX_NAMES))
        };
        writeln!(out, "  {}", cut(&format!("{}{about}", one_line(heading))))?;
        let mut causes: Vec<(&String, &FoldedCause)> = self.causes.iter().collect();
        causes.sort_by_key(|(_, cause)| (std::cmp::Reverse(cause.n), cause.at));
        for (text, FoldedCause { n, .. }) in causes.into_iter().take(MAX_LINES) {
            let times = if *n > 1 {
                format!(" ({n} times)")
            } else {
                String::new()
            };
            writeln!(out, "    {}{times}", cut(&one_line(text)))?;
        }
        match self.causes.len().saturating_sub(MAX_LINES) {
            0 => Ok(()),
            more => writeln!(out, "    and {more} more"),
        }
    }
}

/// A text without numbers of items, which differ where the same is added: `relabel_configs[3]: …`.
fn without_numbers(text: &str) -> String {
    let (path, value) = text.split_once(": ").unwrap_or((text, ""));
    let mut parts = path.split('[');
    let mut short = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once(']') {
            Some((number, rest)) if number.bytes().all(|byte| byte.is_ascii_digit()) => {
                short.push_str(rest)
            }
            _ => short.extend(["[", part]),
        }
    }
    if value.is_empty() {
        short
    } else {
        format!("{short}: {value}")
    }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_LETTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_answers::diff::outline::OutlinePart;

    fn shown(lines: &[(usize, char, &str)], notes: &[&str]) -> String {
        let line = |(depth, sign, text): &(usize, char, &str)| Line {
            depth: *depth,
            sign: *sign,
            text: (*text).to_owned(),
        };
        let outline = DiffOutline {
            summary: notes.iter().map(|note| (*note).to_owned()).collect(),
            parts: vec![OutlinePart {
                title: "Prometheus/shop/main".to_owned(),
                lines: lines.iter().map(line).collect(),
            }],
            ..DiffOutline::default()
        };
        let mut out = Vec::new();
        print(&outline, Paint { is_colored: false }, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_same_cause_is_one_line_and_the_worst_comes_first() {
        let text = shown(
            &[
                (0, '!', "Prometheus 3 refuses scrapes"),
                (0, ' ', "jobs"),
                (1, '~', "2 jobs: a, b"),
                (2, '+', "relabel_configs[1]: x"),
                (1, '~', "c  (c.yaml:1)"),
                (2, '+', "relabel_configs[7]: x"),
                (0, ' ', "objects"),
                (1, '~', "Secret a, b"),
                (2, '+', "metadata.labels[\"a\"]: b"),
            ],
            &["1 workload differs", "note: apply the definitions first"],
        );
        assert_eq!(
            text,
            "1 workload differs\n\nbreaks, or may break\n  Prometheus/shop/main\n    ! Prometheus 3 refuses scrapes\n\n\
             changes\n  jobs: c\n    + relabel_configs: x (3 times)\n\nonly noted\n  apply the definitions first\n  \
             objects: Secret a, b\n    + metadata.labels[\"a\"]: b (2 times)\n\n`--details` prints each difference with its place\n"
        );
    }

    #[test]
    fn what_differs_nowhere_has_no_headings() {
        assert_eq!(shown(&[], &["no differences"]), "no differences\n");
    }
}
