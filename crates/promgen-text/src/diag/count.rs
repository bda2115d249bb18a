//! The number of findings in words.

use std::fmt::Write as _;

use crate::diag::{Diagnostic, Level};

/// `2 errors, 1 warning`; none if there is nothing to count.
#[must_use]
pub fn by_level(diagnostics: &[Diagnostic]) -> Option<String> {
    let mut text = String::new();
    for (level, one, many) in [
        (Level::Error, "error", "errors"),
        (Level::Warning, "warning", "warnings"),
        (Level::Info, "info", "infos"),
    ] {
        let n = diagnostics.iter().filter(|d| d.level == level).count();
        if n > 0 {
            let separator = if text.is_empty() { "" } else { ", " };
            let noun = if n == 1 { one } else { many };
            write!(text, "{separator}{n} {noun}").expect("a string takes every character");
        }
    }
    (!text.is_empty()).then_some(text)
}

/// `1 file`, `2 files`.
#[must_use]
pub fn counted(n: usize, what: &str) -> String {
    if n == 1 {
        format!("1 {what}")
    } else if what.ends_with("ss") {
        format!("{n} {what}es")
    } else {
        format!("{n} {what}s")
    }
}
