//! The keys of a YAML text by the indentation of its lines, whether it parses or not.
//!
//! In: the text of a file that somebody types in. Out: an [`Outline`] of the document around a place: each key with its route
//! and its scalar; and what is being typed there ([`TypingPlace`]). A text that parses has better places in its nodes.

mod flow;

use std::ops::Range;

use crate::outline::flow::FlowReader;
use promgen_resources::api::Kind;
use promgen_text::route::{Segment, ValueRoute};

/// The greatest depth of keys within each other: deeper ones are left out.
const MAX_DEPTH: usize = 64;

/// A key, or an item of a list, with its scalar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutlineItem {
    /// The route of its value.
    pub route: ValueRoute,
    /// The key. Empty for an item of a list.
    pub key: Range<usize>,
    /// The scalar behind it on its line. Empty if there is none.
    pub value: Range<usize>,
    /// The scalar without quotes.
    pub text: String,
}

/// The key or value that is being typed at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypingPlace {
    /// The route of the map that gets a key, or of the value.
    pub route: ValueRoute,
    /// The bytes from the start of the word to the place.
    pub word: Range<usize>,
    /// It can be a key: it stands at the start of an entry.
    pub is_key: bool,
    /// It can be a value: it stands behind a key or a dash.
    pub is_value: bool,
    /// It stands in braces or brackets.
    pub is_flow: bool,
}

/// The keys of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// In the order of the text.
    pub items: Vec<OutlineItem>,
}

impl Outline {
    /// The outline of the document around a byte.
    #[must_use]
    pub fn read(text: &str, offset: usize) -> Self {
        Self::of(text, document(text, offset))
    }

    /// The outline of some lines of a text, such as those of a block scalar that is YAML itself.
    #[must_use]
    pub fn of(text: &str, lines: Range<usize>) -> Self {
        let mut scan = OutlineScan::new(text, lines.start..lines.end.min(text.len()));
        while scan.line() {}
        Self { items: scan.items }
    }

    /// The scalar at a route.
    #[must_use]
    pub fn text(&self, route: &ValueRoute) -> Option<&str> {
        self.items
            .iter()
            .find(|item| item.route == *route)
            .map(|item| &*item.text)
            .filter(|text| !text.is_empty())
    }

    /// The scalar at the end of some keys.
    #[must_use]
    pub fn find(&self, keys: &[&str]) -> Option<&str> {
        self.text(&keys.iter().fold(ValueRoute::root(), |route, key| {
            route.key((*key).to_owned())
        }))
    }

    /// The kind of the object.
    #[must_use]
    pub fn kind(&self) -> Option<Kind> {
        Kind::find(self.find(&["apiVersion"])?, self.find(&["kind"])?)
    }

    /// The keys that a map has, but for those that touch a range.
    pub fn keys<'o>(
        &'o self,
        map: &'o ValueRoute,
        but: &'o Range<usize>,
    ) -> impl Iterator<Item = &'o str> {
        let is_other = |item: &&OutlineItem| item.key.end < but.start || item.key.start > but.end;
        self.items
            .iter()
            .filter(is_other)
            .filter_map(|item| match item.route.0.split_last() {
                Some((Segment::Key(key), parent)) if *parent == *map.0 => Some(&**key),
                _ => None,
            })
    }

    /// The item whose key or scalar holds a byte, and whether it is the key.
    #[must_use]
    pub fn at(&self, offset: usize) -> Option<(&OutlineItem, bool)> {
        let holds = |range: &Range<usize>| {
            !range.is_empty() && range.start <= offset && offset <= range.end
        };
        self.items
            .iter()
            .find_map(|item| match (holds(&item.key), holds(&item.value)) {
                (true, _) => Some((item, true)),
                (false, true) => Some((item, false)),
                (false, false) => None,
            })
    }
}

/// The key or value that is being typed at a byte. `None` in comments and block scalars.
#[must_use]
pub fn typing(text: &str, offset: usize) -> Option<TypingPlace> {
    let part = document(text, offset);
    let mut scan = OutlineScan::new(text, part.start..part.end);
    let line = text
        .get(..offset)?
        .rfind('\n')
        .map_or(0, |at| at + 1)
        .max(part.start);
    while scan.at < line && scan.line() {}
    scan.typing(offset)
}

/// The bytes of the document around a byte, as far as the lines `---` show.
fn document(text: &str, offset: usize) -> Range<usize> {
    let (mut start, mut at) = (0, 0);
    for line in text.split_inclusive('\n') {
        if line.trim_end() == "---" || line.starts_with("--- ") {
            if at > offset {
                return start..at;
            }
            start = at + line.len();
        }
        at += line.len();
    }
    start.min(text.len())..text.len()
}

/// A collection that is open.
#[derive(Clone, Debug)]
struct OpenCollection {
    /// The column of its key, or of the dash of its item.
    column: usize,
    segment: Segment,
}

/// The place where the lines end that are no YAML of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OpenText {
    /// Nothing.
    Block,
    /// A block scalar of a key or an item in this column.
    Scalar(usize),
    /// A text in these quotes.
    Quotes(char),
}

struct OutlineScan<'t> {
    text: &'t str,
    /// The next line.
    at: usize,
    end: usize,
    frames: Vec<OpenCollection>,
    within: OpenText,
    items: Vec<OutlineItem>,
}

impl<'t> OutlineScan<'t> {
    const fn new(text: &'t str, part: Range<usize>) -> Self {
        Self {
            text,
            at: part.start,
            end: part.end,
            frames: Vec::new(),
            within: OpenText::Block,
            items: Vec::new(),
        }
    }

    fn slice(&self, range: Range<usize>) -> &'t str {
        self.text.get(range).unwrap_or_default()
    }

    /// Reads a line. False at the end.
    fn line(&mut self) -> bool {
        if self.at >= self.end {
            return false;
        }
        let start = self.at;
        let rest = self.slice(start..self.end);
        let length = rest.find('\n').map_or(rest.len(), |at| at + 1);
        self.at = start + length.max(1);
        let line = self.slice(start..start + length);
        let content = line.trim_start_matches(' ');
        let column = line.len() - content.len();
        let content = content.trim_end();
        if self.is_skipped(content, column) {
            return true;
        }
        self.entry(start + column, start, start + column + content.len());
        true
    }

    /// Returns whether a line has nothing that is YAML of its own.
    fn is_skipped(&mut self, content: &str, column: usize) -> bool {
        match self.within {
            OpenText::Scalar(of) if content.is_empty() || column > of => return true,
            OpenText::Quotes(quote) => {
                if content.contains(quote) {
                    self.within = OpenText::Block;
                }
                return true;
            }
            OpenText::Scalar(_) | OpenText::Block => self.within = OpenText::Block,
        }
        content.is_empty() || content.starts_with(['#', '%'])
    }

    /// Reads dashes, a key and a scalar from a byte on.
    fn entry(&mut self, mut at: usize, line: usize, end: usize) {
        at = self.dashes(at, line, end);
        let rest = self.slice(at..end);
        let Some((key, length)) = key(rest) else {
            self.scalar(None, at, at - line, end);
            return;
        };
        let (key, column) = (key.to_owned(), at - line);
        self.enter(column, Segment::Key(key.into()));
        let after = self.slice(at + length..end);
        let skipped = after.len() - after.trim_start_matches([':', ' ']).len();
        self.scalar(Some(at..at + length), at + length + skipped, column, end);
    }

    /// Enters the items whose dashes stand at a byte. Returns what follows them.
    fn dashes(&mut self, mut at: usize, line: usize, end: usize) -> usize {
        loop {
            let rest = self.slice(at..end);
            if rest != "-" && !rest.starts_with("- ") || self.frames.len() > 2 * MAX_DEPTH {
                return at;
            }
            let column = at - line;
            let index = match self.leave(column) {
                Some(OpenCollection {
                    column: of,
                    segment: Segment::Index(index),
                }) if of == column => index + 1,
                _ => 0,
            };
            self.frames.push(OpenCollection {
                column,
                segment: Segment::Index(index),
            });
            let after = rest.get(1..).unwrap_or_default();
            at += 1 + after.len() - after.trim_start_matches(' ').len();
        }
    }

    /// Leaves what ends at a dash in a column: a key in the same column may hold the list. Returns the item before it.
    fn leave(&mut self, column: usize) -> Option<OpenCollection> {
        let mut last = None;
        while let Some(frame) = self.frames.last() {
            let is_item = matches!(frame.segment, Segment::Index(_));
            if frame.column < column || frame.column == column && !is_item {
                break;
            }
            last = self.frames.pop();
        }
        last
    }

    fn enter(&mut self, column: usize, segment: Segment) {
        self.frames.retain(|frame| frame.column < column);
        self.frames.push(OpenCollection { column, segment });
    }

    fn route(&self) -> ValueRoute {
        ValueRoute(
            self.frames
                .iter()
                .take(MAX_DEPTH)
                .map(|frame| frame.segment.clone())
                .collect(),
        )
    }

    /// Reads the scalar, or the start of a collection, behind a key or a dash.
    fn scalar(&mut self, key: Option<Range<usize>>, at: usize, column: usize, end: usize) {
        let is_item = key.is_none()
            && matches!(
                self.frames.last(),
                Some(OpenCollection {
                    segment: Segment::Index(_),
                    ..
                })
            );
        let at = self.after_properties(at, end);
        let rest = self.slice(at..end);
        let key = key.unwrap_or(at..at);
        if rest.starts_with(['|', '>']) {
            let of = if is_item {
                self.frames.last().map_or(column, |frame| frame.column)
            } else {
                column
            };
            self.within = OpenText::Scalar(of);
        } else if rest.starts_with(['{', '[']) {
            self.add(key, at..at, String::new());
            self.flow(at, column);
            return;
        } else if let Some(quote) = rest.chars().next().filter(|c| matches!(c, '"' | '\'')) {
            let length = quoted(rest);
            if length.is_none() {
                self.within = OpenText::Quotes(quote);
            }
            let value = at..at + length.unwrap_or(rest.len());
            let text = self.slice(value.clone()).trim_matches(quote).to_owned();
            self.add(key, value, text);
            return;
        } else if is_item || !key.is_empty() {
            let plain = plain(rest);
            self.add(key, at..at + plain.len(), plain.to_owned());
            return;
        }
        if !key.is_empty() {
            self.add(key, at..at, String::new());
        }
    }

    /// Skips an anchor and a tag.
    fn after_properties(&self, mut at: usize, end: usize) -> usize {
        while self.slice(at..end).starts_with(['&', '!']) {
            let rest = self.slice(at..end);
            let length = rest.find(' ').unwrap_or(rest.len());
            let after = rest.get(length..).unwrap_or_default();
            at += length + after.len() - after.trim_start_matches(' ').len();
        }
        at
    }

    fn add(&mut self, key: Range<usize>, value: Range<usize>, text: String) {
        let route = self.route();
        self.items.push(OutlineItem {
            route,
            key,
            value,
            text,
        });
    }

    /// Reads a collection in braces, and the lines that it continues on.
    fn flow(&mut self, at: usize, column: usize) {
        let end = self.end_of_flow(at, column);
        let mut flow = FlowReader::new(self.text, self.route());
        let end = flow.read(at, end);
        self.items.append(&mut flow.items);
        let rest = self.slice(end..self.end);
        self.at = self
            .at
            .max(end + rest.find('\n').map_or(rest.len(), |at| at + 1));
    }

    /// A collection in braces ends at the first line that does not stand further in, so that one that is still typed ends
    /// with it.
    fn end_of_flow(&self, at: usize, column: usize) -> usize {
        let mut end = at;
        for line in self.slice(at..self.end).split_inclusive('\n') {
            let content = line.trim_start_matches(' ');
            let stands_in = line.len() - content.len() > column || content.trim().is_empty();
            if end > at && !stands_in && !content.starts_with(['}', ']']) {
                break;
            }
            end += line.len();
        }
        end
    }

    /// The key or value that is being typed at a byte of the next line.
    fn typing(mut self, offset: usize) -> Option<TypingPlace> {
        if self.at > offset {
            return self.typing_in_flow(offset);
        }
        let line = self.at;
        let typed = self.slice(line..offset);
        let content = typed.trim_start_matches(' ');
        if content.starts_with('#') || content.contains(" #") {
            return None;
        }
        let column = typed.len() - content.len();
        match self.within {
            OpenText::Scalar(of) if column > of => return None,
            OpenText::Quotes(_) => return None,
            OpenText::Scalar(_) | OpenText::Block => {}
        }
        let at = self.dashes(line + column, line, offset);
        let has_dash = at > line + column;
        let rest = self.slice(at..offset);
        match key(rest) {
            Some((key, length)) => {
                let key = key.to_owned();
                self.enter(at - line, Segment::Key(key.into()));
                let after = rest.get(length..).unwrap_or_default();
                let value = after.trim_start_matches([':', ' ']);
                self.typing_value(offset - value.len(), offset)
            }
            None if rest.starts_with(['{', '[']) => self.typing_value(at, offset),
            None => {
                let column = at - line;
                self.frames.retain(|frame| frame.column < column);
                let route = self.route();
                Some(TypingPlace {
                    route,
                    word: at..offset,
                    is_key: true,
                    is_value: has_dash,
                    is_flow: false,
                })
            }
        }
    }

    fn typing_value(self, at: usize, offset: usize) -> Option<TypingPlace> {
        let value = self.slice(at..offset);
        if value.starts_with(['{', '[']) {
            let mut flow = FlowReader::new(self.text, self.route());
            flow.read(at, offset);
            return flow.typing(offset);
        }
        if value.starts_with(['|', '>', '&', '*', '!']) {
            return None;
        }
        let quote = usize::from(value.starts_with(['"', '\'']));
        Some(TypingPlace {
            route: self.route(),
            word: at + quote..offset,
            is_key: false,
            is_value: true,
            is_flow: false,
        })
    }

    /// The key or value that is being typed in a collection in braces that began on a line before.
    fn typing_in_flow(self, offset: usize) -> Option<TypingPlace> {
        let holder = self.items.iter().rev().find(|item| {
            let starts = self
                .slice(item.value.start..item.value.start + 1)
                .starts_with(['{', '[']);
            item.value.is_empty() && starts && item.value.start < offset
        })?;
        let outermost = self
            .items
            .iter()
            .filter(|item| holder.route.0.starts_with(&item.route.0));
        let opens = |item: &&OutlineItem| {
            self.slice(item.value.start..item.value.start + 1)
                .starts_with(['{', '['])
        };
        let first = outermost.into_iter().find(opens)?;
        let mut flow = FlowReader::new(self.text, first.route.clone());
        flow.read(first.value.start, offset);
        flow.typing(offset)
    }
}

/// The key at the start of a text, and its length with quotes.
fn key(text: &str) -> Option<(&str, usize)> {
    if text.starts_with(['"', '\'']) {
        let length = quoted(text)?;
        let is_key = text.get(length..)?.trim_start().starts_with(':');
        return is_key.then(|| (text.get(1..length - 1).unwrap_or_default(), length));
    }
    if text.starts_with(['{', '[', '#', '&', '*', '!', '|', '>', '%', '@', '`']) {
        return None;
    }
    let end = text
        .match_indices(':')
        .find(|(at, _)| text.get(at + 1..).is_some_and(is_after_key))
        .map(|(at, _)| at)?;
    let key = text.get(..end)?.trim_end();
    (!key.is_empty() && !key.contains(" #")).then_some((key, key.len()))
}

fn is_after_key(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with([' ', '\t'])
}

/// The length of a text in quotes. `None` if it does not end.
fn quoted(text: &str) -> Option<usize> {
    let quote = text.chars().next()?;
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' if quote == '"' => is_escaped = true,
            _ if c == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// A plain scalar without the comment behind it.
fn plain(text: &str) -> &str {
    if text.starts_with('#') {
        return "";
    }
    text.split(" #").next().unwrap_or_default().trim_end()
}

#[cfg(test)]
mod tests;
