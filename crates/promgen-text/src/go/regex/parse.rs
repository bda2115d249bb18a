//! Parses a pattern as Go's `syntax.Parse` does, with `syntax.Perl`.
//!
//! One pass over the text with an explicit stack of open groups, so that nesting costs no call stack. The tree is at
//! most [`MAX_HEIGHT`] levels high, as in Go, and later passes may recurse over it.

use crate::go::regex::ast::{CharClass, LookAround, RegexNode};
use crate::go::regex::error::{ErrorKind, RegexError, RegexResult};
use crate::go::regex::piece::SizedNode;

/// Most levels of a tree; Go's `maxHeight`.
pub(super) const MAX_HEIGHT: u32 = 1000;
/// The maximum number of copies that nested repeat counts may demand.
const MAX_REPEAT: u32 = 1000;
/// Most instructions of a compiled expression: Go's limit of 128 MiB at 40 bytes each.
const MAX_SIZE: u64 = (128 << 20) / 40;

/// A parsed pattern.
#[derive(Debug)]
pub(super) struct ParsedPattern {
    /// The tree.
    pub(super) root: RegexNode,
    /// Name of each group, by its number; group 0 is the whole match.
    pub(super) names: Vec<Option<String>>,
}

/// The flags of `(?imsU)`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Flags {
    /// `i`: letters match in any case.
    pub(super) fold: bool,
    /// `m`: `^` and `$` match at lines.
    multi_line: bool,
    /// `s`: the dot matches a line break.
    dot_newline: bool,
    /// `U`: repetitions take as little as they can, unless `?` follows.
    swap_greed: bool,
}

/// A pattern being read. The cursor `pos` is always at the boundary of a character.
pub(super) struct PatternParser<'p> {
    pub(super) text: &'p str,
    pub(super) pos: usize,
    pub(super) flags: Flags,
    /// No `:]` follows any more.
    pub(super) no_posix_end: bool,
    names: Vec<Option<String>>,
    /// The groups that are open around `frame`.
    outer: Vec<OpenGroup>,
    frame: OpenGroup,
    /// The start of the previous repetition operator, if it directly precedes.
    last_repeat: Option<usize>,
}

/// Whether a group is numbered.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum GroupKind {
    /// `(…)`, `(?P<name>…)`.
    Capturing,
    /// `(?:…)`, `(?i:…)`, and the whole pattern.
    #[default]
    Plain,
}

/// A group being read; the whole pattern is one.
#[derive(Default)]
struct OpenGroup {
    kind: GroupKind,
    /// The flags to go back to.
    flags: Flags,
    branches: Vec<SizedNode>,
    /// The items of the current branch so far.
    items: Vec<SizedNode>,
}

/// Reads a pattern.
pub(super) fn parse(text: &str) -> RegexResult<ParsedPattern> {
    let mut parser = PatternParser {
        text,
        pos: 0,
        flags: Flags::default(),
        no_posix_end: false,
        names: vec![None],
        outer: Vec::new(),
        frame: OpenGroup::default(),
        last_repeat: None,
    };
    while let Some(c) = parser.peek() {
        let start = parser.pos;
        let repeated = parser.step(c)?;
        parser.last_repeat = repeated.then_some(start);
    }
    let root = parser.end_group()?;
    if !parser.outer.is_empty() {
        return Err(parser.error(ErrorKind::MissingParen, 0..text.len()));
    }
    Ok(ParsedPattern {
        root: root.node,
        names: parser.names,
    })
}

impl<'p> PatternParser<'p> {
    pub(super) fn rest(&self) -> &'p str {
        &self.text[self.pos..]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.pos += c.len_utf8();
        Some(c)
    }

    pub(super) fn eat(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.pos += wanted.len_utf8();
        }
        found
    }

    pub(super) fn error(&self, kind: ErrorKind, span: std::ops::Range<usize>) -> RegexError {
        RegexError::new(kind, self.text, span)
    }

    /// An error about the text from `start` to the cursor.
    pub(super) fn error_since(&self, kind: ErrorKind, start: usize) -> RegexError {
        self.error(kind, start..self.pos)
    }

    fn error_about_all(&self, kind: ErrorKind) -> RegexError {
        self.error(kind, 0..self.text.len())
    }

    /// Reads one element; whether it was a repetition operator.
    fn step(&mut self, c: char) -> RegexResult<bool> {
        match c {
            '(' => self.open()?,
            '[' => {
                let class = self.bracket_class()?;
                self.push(class.into_node())?;
            }
            '\\' => self.backslash()?,
            '*' => return self.operator(0, None),
            '+' => return self.operator(1, None),
            '?' => return self.operator(0, Some(1)),
            '{' => return self.counted_repeat(),
            _ => {
                self.pos += c.len_utf8();
                self.plain(c)?;
            }
        }
        Ok(false)
    }

    /// An element of one character that is read already.
    fn plain(&mut self, c: char) -> RegexResult {
        let node = match c {
            '|' => return self.end_branch(),
            ')' => return self.close(),
            '^' if self.flags.multi_line => RegexNode::Look(LookAround::LineStart),
            '^' => RegexNode::Look(LookAround::TextStart),
            '$' if self.flags.multi_line => RegexNode::Look(LookAround::LineEnd),
            '$' => RegexNode::Look(LookAround::TextEnd),
            '.' => RegexNode::Any {
                newline: self.flags.dot_newline,
            },
            c => return self.literal(c.into()),
        };
        self.push(node)
    }

    fn literal(&mut self, code: u32) -> RegexResult {
        // No text contains a surrogate.
        let node = char::from_u32(code).map_or_else(RegexNode::never, |c| RegexNode::Literal {
            text: c.to_string(),
            fold: self.flags.fold,
        });
        self.push(node)
    }

    /// Parses an escape.
    fn backslash(&mut self) -> RegexResult {
        let start = self.pos;
        let look = match self.rest().chars().nth(1) {
            Some('A') => LookAround::TextStart,
            Some('z') => LookAround::TextEnd,
            Some('b') => LookAround::WordBoundary,
            Some('B') => LookAround::NotWordBoundary,
            // Go knows `\C`, one byte, but does not support it.
            Some('C') => return Err(self.error(ErrorKind::InvalidEscape, start..start + 2)),
            Some('Q') => return self.quoted(),
            _ => {
                if let Some(item) = self.escaped_group()? {
                    return self.push(RegexNode::Class(CharClass {
                        items: vec![item],
                        negated: false,
                        fold: self.flags.fold,
                    }));
                }
                let code = self.escape()?;
                return self.literal(code);
            }
        };
        self.pos += 2;
        self.push(RegexNode::Look(look))
    }

    /// `\Q…\E`, or to the end of the pattern.
    fn quoted(&mut self) -> RegexResult {
        let text = &self.rest()[2..];
        let (quoted, len) = text
            .split_once(r"\E")
            .map_or((text, text.len()), |(quoted, _)| (quoted, quoted.len() + 2));
        self.pos += 2 + len;
        quoted.chars().try_for_each(|c| self.literal(c.into()))
    }

    /// `*`, `+` or `?`.
    fn operator(&mut self, min: u32, max: Option<u32>) -> RegexResult<bool> {
        let start = self.pos;
        self.pos += 1;
        self.repeat(start, min, max)?;
        Ok(true)
    }

    /// Parses `{2}`, `{2,}` or `{2,3}`; other text in braces is literal.
    fn counted_repeat(&mut self) -> RegexResult<bool> {
        let start = self.pos;
        let Some((min, max, len)) = counts(self.rest()) else {
            self.pos += 1;
            self.literal('{'.into())?;
            return Ok(false);
        };
        self.pos += len;
        if min > MAX_REPEAT || max.is_some_and(|max| max > MAX_REPEAT || min > max) {
            return Err(self.error_since(ErrorKind::InvalidRepeatSize, start));
        }
        let copies = self.repeat(start, min, max)?;
        // Counts of 0 and 1 are not checked, for any operand.
        if (min >= 2 || max.is_some_and(|max| max >= 2)) && copies > MAX_REPEAT {
            return Err(self.error_since(ErrorKind::InvalidRepeatSize, start));
        }
        Ok(true)
    }

    /// Repeats the last item; the operator began at `start` and is read but for a `?`. How many copies that makes.
    fn repeat(&mut self, start: usize, min: u32, max: Option<u32>) -> RegexResult<u32> {
        let lazy = self.eat('?');
        // Go refuses `a**` and `a++`, which mean something else in other dialects.
        if let Some(last) = self.last_repeat {
            return Err(self.error_since(ErrorKind::InvalidRepeatOp, last));
        }
        let counted = self.text[start..].starts_with('{');
        let piece = self.frame.items.pop();
        let piece =
            piece.ok_or_else(|| self.error_since(ErrorKind::MissingRepeatArgument, start))?;
        // `(?U)` swaps the meaning of `?`: the operator is greedy if neither or both are there.
        let piece = piece.repeated(min, max, lazy == self.flags.swap_greed, counted);
        let copies = piece.copies;
        self.push_piece(piece)?;
        Ok(copies)
    }

    fn push(&mut self, node: RegexNode) -> RegexResult {
        self.push_piece(SizedNode::leaf(node))
    }

    fn push_piece(&mut self, piece: SizedNode) -> RegexResult {
        self.check_limits(&piece)?;
        self.frame.items.push(piece);
        Ok(())
    }

    fn check_limits(&self, piece: &SizedNode) -> RegexResult {
        if piece.size > MAX_SIZE {
            return Err(self.error_about_all(ErrorKind::TooLarge));
        }
        if piece.height > MAX_HEIGHT {
            return Err(self.error_about_all(ErrorKind::NestsTooDeeply));
        }
        Ok(())
    }

    fn open_frame(&mut self, kind: GroupKind) {
        let frame = OpenGroup {
            kind,
            flags: self.flags,
            ..OpenGroup::default()
        };
        self.outer.push(std::mem::replace(&mut self.frame, frame));
    }

    fn end_branch(&mut self) -> RegexResult {
        let branch = SizedNode::concat(std::mem::take(&mut self.frame.items));
        self.check_limits(&branch)?;
        self.frame.branches.push(branch);
        Ok(())
    }

    fn end_group(&mut self) -> RegexResult<SizedNode> {
        self.end_branch()?;
        let group = SizedNode::alternate(std::mem::take(&mut self.frame.branches));
        self.check_limits(&group)?;
        Ok(group)
    }

    fn close(&mut self) -> RegexResult {
        let group = self.end_group()?;
        let Some(outer) = self.outer.pop() else {
            return Err(self.error_about_all(ErrorKind::UnexpectedParen));
        };
        let inner = std::mem::replace(&mut self.frame, outer);
        // Flags that are set within a group end with it.
        self.flags = inner.flags;
        self.push_piece(if inner.kind == GroupKind::Capturing {
            group.captured()
        } else {
            group
        })
    }

    /// Parses an opening parenthesis and what belongs to it.
    fn open(&mut self) -> RegexResult {
        let start = self.pos;
        let after = &self.rest()[1..];
        if !after.starts_with('?') {
            self.pos += 1;
            self.capture(None);
            return Ok(());
        }
        // Go requires a character after `(?P<` and `(?<` before it reads a name.
        let prefix = ["?P<", "?<"]
            .into_iter()
            .find(|prefix| after.starts_with(prefix) && after.len() > prefix.len());
        match prefix {
            Some(prefix) => self.named_group(start, prefix.len() + 1),
            None => self.flag_group(start),
        }
    }

    fn capture(&mut self, name: Option<String>) {
        self.names.push(name);
        self.open_frame(GroupKind::Capturing);
    }

    /// `(?P<name>` or `(?<name>`, whose name is `offset` bytes behind the parenthesis.
    fn named_group(&mut self, start: usize, offset: usize) -> RegexResult {
        let name = &self.rest()[offset..];
        let Some(len) = name.find('>') else {
            return Err(self.error(ErrorKind::InvalidNamedCapture, start..self.text.len()));
        };
        let name = &name[..len];
        self.pos += offset + len + 1;
        if name.is_empty() || !name.bytes().all(|b| b == b'_' || b.is_ascii_alphanumeric()) {
            return Err(self.error_since(ErrorKind::InvalidNamedCapture, start));
        }
        self.capture(Some(name.to_owned()));
        Ok(())
    }

    /// `(?i)`, `(?i-s:` and the like.
    fn flag_group(&mut self, start: usize) -> RegexResult {
        self.pos += 2;
        let mut flags = self.flags;
        let mut value = true;
        let mut saw_flag = false;
        while let Some(c) = self.bump() {
            let flag = match c {
                'i' => &mut flags.fold,
                'm' => &mut flags.multi_line,
                's' => &mut flags.dot_newline,
                'U' => &mut flags.swap_greed,
                // One `-` at most, and a flag behind it: Go refuses `(?-)` and `(?i-)`, but takes `(?)`.
                '-' if value => {
                    (value, saw_flag) = (false, false);
                    continue;
                }
                ':' | ')' if value || saw_flag => {
                    if c == ':' {
                        self.open_frame(GroupKind::Plain);
                    }
                    self.flags = flags;
                    return Ok(());
                }
                _ => break,
            };
            *flag = value;
            saw_flag = true;
        }
        Err(self.error_since(ErrorKind::InvalidPerlOp, start))
    }
}

/// The counts of `{2}`, `{2,}`, `{2,3}` and the length of it. `None` if the text is not of that form.
fn counts(text: &str) -> Option<(u32, Option<u32>, usize)> {
    let (min, rest) = count(text.strip_prefix('{')?)?;
    let (max, rest) = match rest.strip_prefix(',') {
        None => (Some(min), rest),
        Some(rest) if rest.starts_with('}') => (None, rest),
        Some(rest) => count(rest).map(|(max, rest)| (Some(max), rest))?,
    };
    let rest = rest.strip_prefix('}')?;
    Some((min, max, text.len() - rest.len()))
}

/// A number without leading zero. What is too big for any limit is `u32::MAX`.
fn count(text: &str) -> Option<(u32, &str)> {
    let n_digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (digits, rest) = text.split_at(n_digits);
    if digits.is_empty() || (n_digits > 1 && digits.starts_with('0')) {
        return None;
    }
    Some((digits.parse().unwrap_or(u32::MAX), rest))
}
