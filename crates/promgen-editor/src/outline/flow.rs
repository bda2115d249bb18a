//! Collections in braces and brackets, as far as they are typed.

use std::ops::Range;

use crate::outline::{MAX_DEPTH, OutlineItem, TypingPlace, quoted};
use promgen_text::route::{Segment, ValueRoute};

/// A collection that is open.
#[derive(Clone, Debug)]
enum OpenFlow {
    /// A map, and the key whose value follows.
    Map(Option<String>),
    /// A list, and the number of the item.
    List(usize),
}

/// Reads a collection.
pub(super) struct FlowReader<'t> {
    text: &'t str,
    base: ValueRoute,
    open: Vec<OpenFlow>,
    /// The start of the last word.
    word: usize,
    /// It has no character yet.
    is_blank: bool,
    pub(super) items: Vec<OutlineItem>,
}

impl<'t> FlowReader<'t> {
    pub(super) const fn new(text: &'t str, base: ValueRoute) -> Self {
        Self {
            text,
            base,
            open: Vec::new(),
            word: 0,
            is_blank: true,
            items: Vec::new(),
        }
    }

    /// Reads from a brace to its end, or to `end`. Returns where it stopped.
    pub(super) fn read(&mut self, start: usize, end: usize) -> usize {
        let mut at = start;
        self.start_word(start);
        let mut is_comment = false;
        while at < end {
            let rest = self.text.get(at..end).unwrap_or_default();
            let Some(c) = rest.chars().next() else {
                return end;
            };
            let starts_word = self.is_blank;
            self.is_blank &= is_comment || c.is_whitespace() || c == '#';
            match c {
                '\n' => is_comment = false,
                _ if is_comment => {}
                '#' if starts_word => is_comment = true,
                '"' | '\'' if starts_word => {
                    at += quoted(rest).unwrap_or(rest.len());
                    continue;
                }
                '{' | '[' if self.open.len() > 2 * MAX_DEPTH => return end,
                '{' | '[' if starts_word => self.enter(c, at),
                '}' | ']' => {
                    self.value(at);
                    self.open.pop();
                    self.start_word(at + 1);
                    if self.open.is_empty() {
                        return at + 1;
                    }
                }
                ',' => self.next(at),
                ':' if rest
                    .get(1..)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\n', '\r'])) =>
                {
                    self.key(at);
                }
                _ => {}
            }
            at += c.len_utf8();
        }
        end
    }

    fn enter(&mut self, brace: char, at: usize) {
        // The outermost one is the item of those who read it.
        if !self.open.is_empty() {
            self.add(at..at, at..at, String::new());
        }
        self.open.push(if brace == '{' {
            OpenFlow::Map(None)
        } else {
            OpenFlow::List(0)
        });
        self.start_word(at + 1);
    }

    const fn start_word(&mut self, at: usize) {
        self.word = at;
        self.is_blank = true;
    }

    /// The route of the value that is being read.
    fn route(&self) -> ValueRoute {
        let steps = self.open.iter().filter_map(|open| match open {
            OpenFlow::Map(key) => key.clone().map(|key| Segment::Key(key.into())),
            OpenFlow::List(index) => Some(Segment::Index(*index)),
        });
        ValueRoute(
            self.base
                .0
                .iter()
                .cloned()
                .chain(steps)
                .take(MAX_DEPTH)
                .collect(),
        )
    }

    fn add(&mut self, key: Range<usize>, value: Range<usize>, text: String) {
        // A collection behind a key completes the item of that key.
        let route = self.route();
        match self.items.last_mut().filter(|item| item.route == route) {
            Some(item) => (item.value, item.text) = (value, text),
            None => self.items.push(OutlineItem {
                route,
                key,
                value,
                text,
            }),
        }
    }

    /// The word before a byte, and where it stands.
    fn word(&self, at: usize) -> (Range<usize>, String) {
        let word = self.text.get(self.word..at).unwrap_or_default();
        let start = self.word + word.len() - word.trim_start().len();
        let word = word.trim();
        (
            start..start + word.len(),
            word.trim_matches(['"', '\'']).to_owned(),
        )
    }

    fn key(&mut self, at: usize) {
        let (range, word) = self.word(at);
        if let Some(OpenFlow::Map(key @ None)) = self.open.last_mut() {
            *key = Some(word);
            self.add(range, at + 1..at + 1, String::new());
            self.start_word(at + 1);
        }
    }

    fn value(&mut self, at: usize) {
        let (range, word) = self.word(at);
        if !word.is_empty() && !matches!(self.open.last(), Some(OpenFlow::Map(None)) | None) {
            self.add(range.start..range.start, range, word);
        }
    }

    fn next(&mut self, at: usize) {
        self.value(at);
        self.start_word(at + 1);
        match self.open.last_mut() {
            Some(OpenFlow::Map(key)) => *key = None,
            Some(OpenFlow::List(index)) => *index += 1,
            None => {}
        }
    }

    /// The key or value that is being typed at the end of the text that was read.
    pub(super) fn typing(&self, offset: usize) -> Option<TypingPlace> {
        let (word, _) = self.word(offset);
        let quote = usize::from(
            self.text
                .get(word.clone())
                .is_some_and(|word| word.starts_with(['"', '\''])),
        );
        let word = word.start + quote..offset;
        let (is_key, is_value) = match self.open.last()? {
            OpenFlow::Map(key) => (key.is_none(), key.is_some()),
            OpenFlow::List(_) => (false, true),
        };
        Some(TypingPlace {
            route: self.route(),
            word,
            is_key,
            is_value,
            is_flow: true,
        })
    }
}
