//! Prints what differs as a comment on a pull request.
//!
//! Lost targets come first and are never cut; the summary is open, the map of what the change touches and each workload are folded. Lines beyond the maximum length of a
//! comment are left out and counted. The first line is a marker, by which a job finds its own comment.
//! Nothing in the input becomes markup.

use std::io::{self, Write};

use crate::cli::map::mermaid;
use crate::cli::report::{listed, one_line};
use promgen_answers::compare::environments::ChangedMap;
use promgen_answers::diff::outline::{DiffOutline, Line, OutlinePart};
use promgen_text::diag::escape::markdown_html;

/// The maximum number of characters. A comment may have 65,536.
const MAX_CHARACTERS: usize = 60_000;

/// The bytes for the end of the comment and of an open fold.
const RESERVE: usize = 200;

/// The fence of a block: no line of a block begins with it, because each begins with a sign.
const FENCE: &str = "```";

/// The maximum number of characters of all maps.
const MAX_OF_MAPS: usize = 16_000;

/// The maximum number of environments that the head of a map names.
const MAX_NAMES: usize = 5;

/// What a comment has beside its outline.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CommentParts<'c> {
    /// Its name, if there are several.
    pub(super) name: Option<&'c str>,
    /// The maps of what differs.
    pub(super) maps: &'c [ChangedMap],
    /// The number of maps that are left out already.
    pub(super) n_maps_left_out: usize,
}

/// Prints the comment.
pub(super) fn print(
    outline: &DiffOutline,
    parts: CommentParts<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let CommentParts {
        name,
        maps,
        n_maps_left_out,
    } = parts;
    let mut comment = MarkdownComment::default();
    let name = name.map_or_else(String::new, |name| format!(": {name}"));
    comment.add(&format!("<!-- promgen diff{name} -->\n"));
    let (first, rest) = outline
        .summary
        .split_first()
        .map_or(("", &[][..]), |(first, rest)| (first.as_str(), rest));
    comment.add(&format!("## promgen diff: {}\n\n", markdown_html(first)));
    comment.lost(&outline.lost);
    for line in rest {
        comment.add(&format!("- {}\n", markdown_html(line)));
    }
    comment.maps(maps, n_maps_left_out);
    for part in &outline.parts {
        comment.part(part);
    }
    comment.end(out)
}

/// The head of a map.
fn title(environments: &[String]) -> String {
    match environments {
        [] => "map".to_owned(),
        named => format!("map of {}", listed(named, MAX_NAMES)),
    }
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
                self.add(&format!(
                    "- and those of {} more jobs\n",
                    lost.len() - index
                ));
                break;
            }
            self.add(&format!("- {line}\n"));
        }
        self.add("\n**Changes**\n\n");
    }

    /// The maps that there is room for.
    fn maps(&mut self, maps: &[ChangedMap], mut n_left_out: usize) {
        let mut room = MAX_OF_MAPS;
        for ChangedMap { environments, map } in maps {
            let text = format!(
                "\n<details><summary>{}</summary>\n\n{FENCE}mermaid\n{}{FENCE}\n\n</details>\n",
                markdown_html(&title(environments)),
                mermaid::text(map)
            );
            let n = text.chars().count();
            match n <= room {
                true => drop(self.add(&text)),
                false => n_left_out += 1,
            }
            room = room.saturating_sub(n);
        }
        match n_left_out {
            0 => {}
            1 => drop(self.add("\nA map has no room here.\n")),
            n => drop(self.add(&format!("\n{n} maps have no room here.\n"))),
        }
    }

    fn part(&mut self, part: &OutlinePart) {
        let head = format!(
            "\n<details><summary>{}</summary>\n\n{FENCE}diff\n",
            markdown_html(&part.title)
        );
        if !self.add(&head) {
            self.n_left_out += part.lines.len();
            return;
        }
        for Line { depth, sign, text } in &part.lines {
            // `!` is what colors a changed line.
            let sign = if matches!(sign, '~' | '?') {
                '!'
            } else {
                *sign
            };
            self.add(&format!(
                "{sign} {}{}\n",
                "  ".repeat(*depth),
                one_line(text).replace(FENCE, "'''")
            ));
        }
        let end = format!("{FENCE}\n\n</details>\n");
        self.n_characters += end.chars().count();
        self.text.push_str(&end);
    }

    fn end(mut self, out: &mut dyn Write) -> io::Result<()> {
        if self.n_left_out > 0 {
            self.text.push_str(&format!(
                "\n… and {} more lines: see `promgen diff --format text`\n",
                self.n_left_out
            ));
        }
        out.write_all(self.text.as_bytes())
    }
}
