//! The sources of the pieces of a generated text, as comments.
//!
//! In: a text, and the start byte of each piece. Out: the text with a comment before each piece, `# monitors.yaml:12`.

use crate::output::RuleFile;
use promgen_text::diag::escape;
use promgen_text::source::{Sources, Span};

/// The origin of a piece of a generated text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The byte of the text at which the piece begins; always the start of a line.
    pub start: usize,
    /// Its source.
    pub span: Option<Span>,
}

impl Origin {
    /// The place as users write it: `monitors.yaml:12`.
    fn place(&self, sources: &Sources) -> Option<String> {
        let span = self.span?;
        // The user chooses the name: a line break in it must not end the comment.
        let name = escape::line(&sources.file(span.file).name);
        Some(format!("{name}:{}", sources.start(span).line))
    }
}

impl RuleFile {
    /// The file with the file and line of each group in a comment at its head.
    pub(super) fn annotated(&self, sources: &Sources) -> Self {
        let (text, groups) = annotated(&self.text, &self.groups, sources);
        Self {
            name: self.name.clone(),
            text,
            groups,
        }
    }
}

pub(super) fn annotated(
    text: &str,
    origins: &[Origin],
    sources: &Sources,
) -> (String, Vec<Origin>) {
    let mut out = String::with_capacity(text.len() + origins.len() * 48);
    let (mut done, mut moved) = (0, Vec::with_capacity(origins.len()));
    for origin in origins {
        out.push_str(&text[done..origin.start]);
        done = origin.start;
        if let Some(place) = origin.place(sources) {
            out.push_str("# ");
            out.push_str(&place);
            out.push('\n');
        }
        moved.push(Origin {
            start: out.len(),
            span: origin.span,
        });
    }
    out.push_str(&text[done..]);
    (out, moved)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::Config;

    #[test]
    fn every_piece_gets_the_place_that_it_comes_from() {
        let mut sources = Sources::default();
        let file = sources.add("a\nb\u{2028}c.yaml".into(), "one\ntwo\nthree\n".into());
        let origin = |start, at| Origin {
            start,
            span: Some(Span::new(file, at, at + 1)),
        };
        let text = "jobs:\n- x: 1\n- y: 2\n- z: 3\nend: 0\n";
        let jobs = vec![
            origin(6, 4),
            Origin {
                start: 13,
                span: None,
            },
            origin(20, 9),
        ];
        let config = Config::of_text(text, jobs).annotated(&sources);
        assert_eq!(
            config.text(),
            "jobs:\n# a b\u{fffd}c.yaml:2\n- x: 1\n- y: 2\n# a b\u{fffd}c.yaml:3\n- z: 3\nend: 0\n"
        );
        assert!(
            config
                .pieces()
                .iter()
                .all(|job| config.text()[job.start..].starts_with("- "))
        );
    }
}
