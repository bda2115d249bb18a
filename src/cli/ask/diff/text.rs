//! Prints what differs for people.

use std::io::{self, Write};

use crate::cli::paint::Paint;
use crate::cli::report::one_line;
use promgen_answers::diff::outline::{DiffOutline, Line};

/// Prints the summary, then each part.
pub(super) fn print(outline: &DiffOutline, paint: Paint, out: &mut dyn Write) -> io::Result<()> {
    for line in &outline.summary {
        writeln!(out, "{}", one_line(line))?;
    }
    for part in &outline.parts {
        writeln!(out, "\n{}", paint.bold(&one_line(&part.title)))?;
        for Line { depth, sign, text } in &part.lines {
            let style = match sign {
                '+' => "32",
                '-' => "31",
                '~' => "33",
                '!' => "1;31",
                _ => "",
            };
            let sign = if *sign == ' ' {
                String::new()
            } else {
                format!("{sign} ")
            };
            let line = format!("{sign}{}", one_line(text));
            writeln!(
                out,
                "{}{}",
                "  ".repeat(depth + 1),
                paint.with(style, &line)
            )?;
        }
    }
    Ok(())
}
