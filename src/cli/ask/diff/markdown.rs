//! Prints what differs as a comment on a pull request.
//!
//! Lost targets come first and are never cut; the summary is open, each workload is folded. Lines beyond the maximum length of a
//! comment are left out and counted. The first line is a marker, by which a job finds its own comment.
//! Nothing in the input becomes markup.

use std::io::{self, Write};

use crate::cli::report::one_line;
use promgen_driver::diff::outline::{DiffOutline, Line, OutlinePart};
use promgen_text::diag::escape::markdown_html;

/// The maximum number of characters. A comment may have 65,536.
const MAX_CHARACTERS: usize = 60_000;

/// The bytes for the end of the comment and of an open fold.
const RESERVE: usize = 200;

/// The fence of a block: no line of a block begins with it, because each begins with a sign.
const FENCE: &str = "```";

/// Prints the comment, which has a name if there are several.
pub(super) fn print(outline: &DiffOutline, name: Option<&str>, out: &mut dyn Write) -> io::Result<()> {
    let mut comment = MarkdownComment::default();
    let name = name.map_or_else(String::new, |name| format!(": {name}"));
    comment.add(&format!("<!-- promgen diff{name} -->\n"));
    let (first, rest) = outline.summary.split_first().map_or(("", &[][..]), |(first, rest)| (first.as_str(), rest));
    comment.add(&format!("## promgen diff: {}\n\n", markdown_html(first)));
    comment.lost(&outline.lost);
    for line in rest {
        comment.add(&format!("- {}\n", markdown_html(line)));
    }
    for part in &outline.parts {
        comment.part(part);
    }
    comment.end(out)
}

#[derive(Default)]
struct MarkdownComment {
    text: String,
    n_characters: usize,
    n_left_out: usize,
}

impl MarkdownComment {
    /// Adds a piece if there is room.
    fn add(&mut self, piece: &str) -> bool {
        let n = piece.chars().count();
        if self.n_left_out > 0 || self.n_characters + n > MAX_CHARACTERS - RESERVE {
            self.n_left_out += 1;
            return false;
        }
        self.n_characters += n;
        self.text.push_str(piece);
        true
    }

    /// The targets that are lost: each job at least by its number of targets.
    fn lost(&mut self, lost: &[String]) {
        if lost.is_empty() {
            return;
        }
        self.add("**Lost targets**\n\n");
        for (index, line) in lost.iter().enumerate() {
            let line = markdown_html(line);
            // Room for what is said of the others.
            if self.n_characters + line.chars().count() > MAX_CHARACTERS - 2 * RESERVE {
                self.add(&format!("- and those of {} more jobs\n", lost.len() - index));
                break;
            }
            self.add(&format!("- {line}\n"));
        }
        self.add("\n**Changes**\n\n");
    }

    fn part(&mut self, part: &OutlinePart) {
        let head = format!("\n<details><summary>{}</summary>\n\n{FENCE}diff\n", markdown_html(&part.title));
        if !self.add(&head) {
            self.n_left_out += part.lines.len();
            return;
        }
        for Line { depth, sign, text } in &part.lines {
            // `!` is what colors a changed line.
            let sign = if *sign == '~' { '!' } else { *sign };
            self.add(&format!("{sign} {}{}\n", "  ".repeat(*depth), one_line(text).replace(FENCE, "'''")));
        }
        let end = format!("{FENCE}\n\n</details>\n");
        self.n_characters += end.chars().count();
        self.text.push_str(&end);
    }

    fn end(mut self, out: &mut dyn Write) -> io::Result<()> {
        if self.n_left_out > 0 {
            self.text.push_str(&format!("\n… and {} more lines: see `promgen diff --format text`\n", self.n_left_out));
        }
        out.write_all(self.text.as_bytes())
    }
}
