//! Prints what differs as a comment on a pull request.
//!
//! The summary is open, each workload is folded. Lines beyond the maximum length of a comment are left out and counted.
//! Nothing of the input becomes markup.

use std::io::{self, Write};

use crate::cli::ask::diff::outline::{Line, Outline, Part};
use crate::cli::report::one_line;
use promgen_text::diag::escape::markdown_html;

/// The maximum number of characters. A comment may have 65,536.
const MAX_CHARACTERS: usize = 60_000;

/// What the end of the comment and of an open fold needs.
const RESERVE: usize = 200;

/// The fence of a block: no line of a block begins with it, because each begins with a sign.
const FENCE: &str = "```";

/// Prints the comment.
pub(super) fn print(outline: &Outline, out: &mut dyn Write) -> io::Result<()> {
    let mut comment = Comment::default();
    for (index, line) in outline.summary.iter().enumerate() {
        let mark = if index == 0 { "## promgen diff: " } else { "- " };
        comment.add(&format!("{mark}{}\n{}", markdown_html(line), if index == 0 { "\n" } else { "" }));
    }
    for part in &outline.parts {
        comment.part(part);
    }
    comment.end(out)
}

#[derive(Default)]
struct Comment {
    text: String,
    n_characters: usize,
    n_left_out: usize,
}

impl Comment {
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

    fn part(&mut self, part: &Part) {
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
