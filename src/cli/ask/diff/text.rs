//! Prints what differs for people.

use std::io::{self, Write};

use crate::cli::report::one_line;
use promgen_driver::diff::outline::{DiffOutline, Line};

/// Prints the summary, then each part.
pub(super) fn print(
    outline: &DiffOutline,
    is_colored: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let paint = |style: &str, text: &str| {
        if is_colored && !style.is_empty() {
            format!("\u{1b}[{style}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    };
    for line in &outline.summary {
        writeln!(out, "{}", one_line(line))?;
    }
    for part in &outline.parts {
        writeln!(out, "\n{}", paint("1", &one_line(&part.title)))?;
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
            writeln!(out, "{}{}", "  ".repeat(depth + 1), paint(style, &line))?;
        }
    }
    Ok(())
}
