//! Flags of Helm that set values, as Helm reads them. Recorded from Helm 3.19.

use std::iter::Peekable;
use std::str::Chars;

use promgen_text::source::Span;
use promgen_text::yaml::{Data, Node};

use super::node::{list, text};
use promgen_resources::unknown::is_filled_in_later;

/// The kinds of such flags, in the order in which Helm heeds them, wherever they stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FlagKind {
    /// `--set`: `true`, numbers and `null` are no texts.
    Set,
    /// `--set-string`: everything is a text.
    SetString,
    /// `--set-file`, and `literal` of Flux: all that follows the first path is one text.
    Literal,
}

/// A flag of Helm that sets values.
#[derive(Clone, Debug)]
pub(super) struct SetFlag {
    pub(super) kind: FlagKind,
    /// The text before the first `=`, which is a path as a rule.
    pub(super) at: String,
    /// The text behind it.
    pub(super) value: String,
    /// The place of the value.
    pub(super) span: Span,
}

/// A step of a path of values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SetStep {
    Key(String),
    Index(usize),
}

/// A value and its path.
#[derive(Clone, Debug)]
pub(super) struct SetValue {
    pub(super) path: Vec<SetStep>,
    pub(super) value: Node,
    /// Lists do not get longer for it: Helm forgets an empty text at the end of a flag below an item that a list lacks.
    pub(super) is_lost: bool,
}

/// The number of steps that a path of values may have.
pub(super) const MAX_PATH: usize = 64;

/// The number of keys below the first one that Helm accepts in a path.
const MAX_NESTED: usize = 30;

/// The greatest index that a path may have.
const MAX_INDEX: usize = 1024;

/// The reasons why a flag is refused. None of them has a part of its text, which may be secret.
const NO_VALUE: &str = "a key is followed by no `=`";
const NO_END: &str = "a list has no `}`";
const TOO_DEEP: &str = "a path is too long";
const BAD_INDEX: &str = "an index is no number from 0 to 1024";
const BEHIND_INDEX: &str = "an index is followed by neither `.` nor `[` nor `=`";

impl SetFlag {
    /// The values that the flag sets, in their order, or why Helm refuses it.
    pub(super) fn read(&self) -> Result<Vec<SetValue>, &'static str> {
        let read = self.read_as(self.kind);
        // Nobody knows yet what a text is that is filled in later: braces may belong to what fills it in.
        let is_open =
            |node| is_filled_in_later(&node) && (self.value.starts_with('{') || read.is_err());
        if self.kind != FlagKind::Literal && is_open(text(&*self.value, self.span)) {
            return self.read_as(FlagKind::Literal);
        }
        read
    }

    fn read_as(&self, kind: FlagKind) -> Result<Vec<SetValue>, &'static str> {
        let whole = format!("{}={}", self.at, self.value);
        let mut reader = FlagReader {
            chars: whole.chars().peekable(),
            kind,
            span: self.span,
        };
        let mut all = Vec::new();
        while reader.chars.peek().is_some() {
            let path = reader.path()?;
            let is_at_end = reader.chars.peek().is_none() && kind != FlagKind::Literal;
            let is_lost = is_at_end && matches!(path.last(), Some(SetStep::Key(_)));
            let value = reader.value()?;
            all.push(SetValue {
                path,
                value,
                is_lost,
            });
        }
        Ok(all)
    }
}

/// The text of a flag, as far as it is not read.
struct FlagReader<'t> {
    chars: Peekable<Chars<'t>>,
    kind: FlagKind,
    span: Span,
}

impl FlagReader<'_> {
    /// A path, with the `=` behind it.
    fn path(&mut self) -> Result<Vec<SetStep>, &'static str> {
        let (mut steps, mut key, mut n_nested) = (Vec::new(), String::new(), 0);
        loop {
            let mut end = self.chars.next();
            match end {
                Some('\\') => key.extend(self.chars.next()),
                Some('.' | '[' | '=') => {
                    steps.push(SetStep::Key(std::mem::take(&mut key)));
                    if end == Some('[') {
                        end = self.indexes(&mut steps)?;
                    }
                    n_nested += 1;
                    if steps.len() > MAX_PATH || n_nested > MAX_NESTED + 1 {
                        return Err(TOO_DEEP);
                    }
                    if end == Some('=') {
                        return Ok(steps);
                    }
                }
                Some(',') | None => return Err(NO_VALUE),
                Some(c) => key.push(c),
            }
        }
    }

    /// Indexes behind a key and its `[`. Returns what ends them: `.` or `=`.
    fn indexes(&mut self, steps: &mut Vec<SetStep>) -> Result<Option<char>, &'static str> {
        while steps.len() <= MAX_PATH {
            let index: String = self.chars.by_ref().take_while(|c| *c != ']').collect();
            let index = index.parse().ok().filter(|index| *index <= MAX_INDEX);
            steps.push(SetStep::Index(index.ok_or(BAD_INDEX)?));
            match self.chars.next() {
                Some('[') => {}
                end @ Some('.' | '=') => return Ok(end),
                None => return Err(NO_VALUE),
                Some(_) => return Err(BEHIND_INDEX),
            }
        }
        Err(TOO_DEEP)
    }

    /// A value, with the comma behind it.
    fn value(&mut self) -> Result<Node, &'static str> {
        if self.kind == FlagKind::Literal {
            return Ok(text(self.chars.by_ref().collect::<String>(), self.span));
        }
        if self.chars.next_if_eq(&'{').is_none() {
            let (written, _) = self.text(&[',']);
            return Ok(self.scalar(&written));
        }
        let mut items = Vec::new();
        loop {
            let (written, end) = self.text(&[',', '}']);
            items.push(self.scalar(&written));
            match end {
                Some('}') => break,
                Some(_) => {}
                None => return Err(NO_END),
            }
        }
        // Whatever else follows a list begins another path.
        self.chars.next_if_eq(&',');
        Ok(list(items, self.span))
    }

    /// A text without its backslashes, and what ends it.
    fn text(&mut self, ends: &[char]) -> (String, Option<char>) {
        let mut written = String::new();
        while let Some(c) = self.chars.next() {
            match c {
                '\\' => written.extend(self.chars.next()),
                c if ends.contains(&c) => return (written, Some(c)),
                c => written.push(c),
            }
        }
        (written, None)
    }

    fn scalar(&self, written: &str) -> Node {
        let is = |word: &str| written.eq_ignore_ascii_case(word);
        let data = match self.kind {
            FlagKind::SetString | FlagKind::Literal => None,
            FlagKind::Set if is("true") => Some(Data::Bool(true)),
            FlagKind::Set if is("false") => Some(Data::Bool(false)),
            FlagKind::Set if is("null") => Some(Data::Null),
            FlagKind::Set if written.starts_with('0') && written != "0" => None,
            FlagKind::Set => written.parse().ok().map(Data::Int),
        };
        let span = self.span;
        data.map_or_else(|| text(written, span), |data| Node { span, data })
    }
}

#[cfg(test)]
mod tests;
