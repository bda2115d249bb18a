//! The colors of text for people.

use crate::cli::Terminal;

/// Writes with or without colors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paint {
    /// Whether to use colors.
    pub(crate) is_colored: bool,
}

impl Paint {
    /// As the user wants standard output.
    pub(crate) const fn of(terminal: Terminal) -> Self {
        Self {
            is_colored: terminal.stdout_color,
        }
    }

    /// A text in a style, which may be none: the number of an escape sequence.
    pub(crate) fn with(self, style: &str, text: &str) -> String {
        if self.is_colored && !style.is_empty() {
            format!("\u{1b}[{style}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }

    /// A title.
    pub(crate) fn bold(self, text: &str) -> String {
        self.with("1", text)
    }

    /// Good, or added.
    pub(crate) fn green(self, text: &str) -> String {
        self.with("32", text)
    }

    /// Bad, or removed.
    pub(crate) fn red(self, text: &str) -> String {
        self.with("31", text)
    }

    /// Changed.
    pub(crate) fn yellow(self, text: &str) -> String {
        self.with("33", text)
    }

    /// The head of a part.
    pub(crate) fn cyan(self, text: &str) -> String {
        self.with("36", text)
    }

    /// Secondary text.
    pub(crate) fn dim(self, text: &str) -> String {
        self.with("2", text)
    }
}
