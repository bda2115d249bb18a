//! Text to tape: the grammar of YAML, as far as go-yaml v2 follows it.
//!
//! In: the text of one document. Out: a [`Tape`], or the [`SyntaxFault`] where it stops being YAML. The grammar is that of YAML
//! 1.1 with libyaml's habits, which decide what Kubernetes accepts: a key is a scalar on one line, of at most 1024
//! characters; lines within quotes need no indentation; a list may stand in the column of its key; a tab never indents.
//! Collections that stand within each other are parsed by recursion, bounded by the depth of the tape.

mod block;
mod directive;
mod flow;

use std::cmp::Ordering;

use crate::yaml::read::cursor::Cursor;
use crate::yaml::read::scalar::Tag;
use crate::yaml::read::syntax::{self, SyntaxFault, SyntaxResult};
use crate::yaml::read::tape::{ItemKind, Tape};
use crate::yaml::read::text::{self, ScannedText};
use directive::Handles;

/// Parses a document; none if the text has only comments. `bare` says whether it may start without a `---`.
///
/// # Errors
/// The first place where the text is invalid for go-yaml.
pub(super) fn document(text: &str, bare: bool) -> SyntaxResult<Option<Tape<'_>>> {
    document_at(Cursor::new(text), bare)
}

/// Parses a document that is JSON, whose escapes YAML 1.1 does not have.
///
/// # Errors
/// As [`document`].
pub(super) fn json(text: &str) -> SyntaxResult<Option<Tape<'_>>> {
    document_at(
        Cursor {
            json: true,
            ..Cursor::new(text)
        },
        true,
    )
}

fn document_at(at: Cursor<'_>, bare: bool) -> SyntaxResult<Option<Tape<'_>>> {
    let mut parser = YamlParser {
        at,
        tape: Tape::default(),
        handles: Handles::default(),
        indent: None,
    };
    let explicit = parser.start()?;
    // Only the first document of a stream may lack the marker.
    if !explicit && !bare && !parser.at.is_end() {
        return Err(syntax::bare_document(parser.at.pos));
    }
    if parser.has_content(Preceding::Other) {
        parser.node(Props::default(), Preceding::Other)?;
    // A marker without content is a document that is null.
    } else if explicit {
        parser.null(parser.at.pos)?;
    }
    parser.finish()?;
    Ok((!parser.tape.items.is_empty()).then_some(parser.tape))
}

/// The token before a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Preceding {
    /// A key, or its `?`: a list behind it may stand in the key's own column.
    Key,
    /// The `-` of an item, or nothing.
    Other,
}

/// The state of the parser.
struct YamlParser<'a> {
    at: Cursor<'a>,
    tape: Tape<'a>,
    handles: Handles<'a>,
    /// The column of the innermost block collection.
    indent: Option<usize>,
}

/// An anchor and a tag, which stand before a node.
#[derive(Clone, Copy, Default)]
struct Props<'a> {
    anchor: Option<&'a str>,
    tag: Option<Tag>,
}

impl Props<'_> {
    const fn is_empty(&self) -> bool {
        self.anchor.is_none() && self.tag.is_none()
    }
}

/// A node that holds no other nodes.
enum Leaf<'a> {
    Scalar(ScannedText<'a>),
    Alias {
        start: usize,
        name: &'a str,
    },
    /// Nothing, at this place.
    Empty(usize),
}

/// The start of a node, for the question whether it can be a key.
#[derive(Clone, Copy)]
struct Start {
    pos: usize,
    line: usize,
    column: usize,
    keys: bool,
}

impl<'a> YamlParser<'a> {
    /// Passes over directives and the marker of the document; returns whether there was one.
    fn start(&mut self) -> SyntaxResult<bool> {
        self.at.next_token()?;
        let mut directives = None;
        while self.at.column() == 0 && self.at.byte() == Some(b'%') {
            directives = Some(self.at.pos);
            self.handles.directive(&mut self.at)?;
            self.at.next_token()?;
        }
        let explicit = self.at.is_end() && self.at.byte() == Some(b'-');
        if explicit {
            self.at.pos += 3;
            self.at.keys = false;
            self.at.next_token()?;
        } else if let Some(directive) = directives {
            return Err(syntax::directive_without_document(directive));
        }
        Ok(explicit)
    }

    /// Sees to it that nothing but the end follows.
    fn finish(&mut self) -> SyntaxResult {
        self.at.next_token()?;
        while self.at.is_end() && self.at.byte() == Some(b'.') {
            self.at.pos += 3;
            self.at.keys = false;
            self.at.next_token()?;
        }
        if self.at.byte().is_some() {
            Err(self.left_over())
        } else {
            Ok(())
        }
    }

    /// The fault of a text behind a complete value.
    fn left_over(&self) -> SyntaxFault {
        syntax::left_over(self.at.text, self.last_end()..self.at.pos)
    }

    /// Returns whether a value of the innermost collection starts here, rather than what follows an empty one. In the
    /// column of the collection itself, that is a list behind a key, or a block scalar.
    fn has_content(&self, before: Preceding) -> bool {
        if self.at.is_end() {
            return false;
        }
        let Some(indent) = self.indent else {
            return true;
        };
        match self.at.column().cmp(&indent) {
            Ordering::Less => false,
            Ordering::Equal => {
                (before == Preceding::Key && self.at.is_indicator(b'-'))
                    || matches!(self.at.byte(), Some(b'|' | b'>'))
            }
            Ordering::Greater => true,
        }
    }

    fn here(&self) -> Start {
        Start {
            pos: self.at.pos,
            line: self.at.line,
            column: self.at.column(),
            keys: self.at.keys,
        }
    }

    /// Returns whether a `:` here makes a key of what started at `start`: on one line, and not too long.
    fn is_key(&mut self, start: Start) -> bool {
        const LONGEST: usize = 1024;
        if !start.keys || self.at.line != start.line {
            return false;
        }
        self.at.skip_blanks();
        let colon = self.at.byte() == Some(b':')
            && (self.at.flow > 0 || self.at.is_blank_at(self.at.pos + 1));
        colon && {
            let text = &self.at.text[start.pos..self.at.pos];
            // libyaml counts characters; bytes are a quick answer, as they are never fewer.
            text.len() <= LONGEST || text.chars().count() <= LONGEST
        }
    }

    /// Parses anchors and tags up to the first other token or, outside of brackets, that stands on another line.
    fn props(&mut self) -> SyntaxResult<Props<'a>> {
        let (line, mut props) = (self.at.line, Props::default());
        while self.at.flow > 0 || self.at.line == line {
            let start = self.at.pos;
            let given = match self.at.byte() {
                Some(b'&') => Props {
                    anchor: Some(self.name()?),
                    tag: None,
                },
                Some(b'!') => Props {
                    anchor: None,
                    tag: Some(self.handles.tag(&mut self.at)?),
                },
                Some(_) | None => break,
            };
            props = both(props, given, start)?;
            self.at.keys = false;
            self.at.next_token()?;
        }
        Ok(props)
    }

    /// The name of an anchor or alias, from its `&` or `*` on.
    fn name(&mut self) -> SyntaxResult<&'a str> {
        let start = self.at.pos;
        let rest = &self.at.text[start + 1..];
        let length = rest
            .bytes()
            .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
            .count();
        self.at.pos = start + 1 + length;
        let ends = self.at.is_blank_at(self.at.pos)
            || matches!(
                self.at.byte(),
                Some(b'?' | b':' | b',' | b']' | b'}' | b'%' | b'@' | b'`')
            );
        if length == 0 || !ends {
            return Err(syntax::name(self.at.text, start));
        }
        Ok(&rest[..length])
    }

    /// Scans a scalar other than a block scalar.
    fn scan(&mut self) -> SyntaxResult<ScannedText<'a>> {
        match self.at.byte() {
            Some(b'\'' | b'"') => text::quoted(&mut self.at),
            _ if self.starts_plain() => {
                let indent = self.indent.map_or(0, |column| column + 1);
                text::plain(&mut self.at, indent)
            }
            _ => Err(syntax::no_value(self.at.text, self.at.pos)),
        }
    }

    fn starts_plain(&self) -> bool {
        let Some(byte) = self.at.byte() else {
            return false;
        };
        let in_flow = self.at.flow > 0;
        match byte {
            b'-' => !self.at.is_blank_at(self.at.pos + 1),
            b'?' | b':' => !in_flow && !self.at.is_blank_at(self.at.pos + 1),
            _ => !b",[]{}#&*!|>'\"%@`".contains(&byte),
        }
    }

    fn push(&mut self, scanned: ScannedText<'a>, props: Props<'a>) -> SyntaxResult {
        // Whether a scalar was quoted decides whether it is resolved, so it is kept as a tag.
        let quoted = self.at.text[scanned.start..].starts_with(['\'', '"', '|', '>']);
        let tag = props
            .tag
            .unwrap_or(if quoted { Tag::Quoted } else { Tag::Plain });
        let kind = ItemKind::Scalar {
            text: scanned.text,
            tag,
        };
        self.tape
            .push(scanned.start, scanned.end, kind, props.anchor)
    }

    /// Reads a scalar or an alias, without adding it: whether it is a key shows only behind it. With properties alone, it
    /// is an empty scalar.
    fn leaf(&mut self, props: Props<'a>) -> SyntaxResult<Leaf<'a>> {
        let start = self.at.pos;
        if !props.is_empty() && self.ends_node() {
            return Ok(Leaf::Empty(start));
        }
        if self.at.byte() != Some(b'*') {
            return self.scan().map(Leaf::Scalar);
        }
        let name = self.name()?;
        self.at.keys = false;
        if props.is_empty() {
            Ok(Leaf::Alias { start, name })
        } else {
            Err(syntax::props_of_alias(start))
        }
    }

    /// Returns whether an empty node ends here.
    fn ends_node(&self) -> bool {
        match self.at.byte() {
            None => true,
            Some(b':') => self.at.flow > 0 || self.at.is_indicator(b':'),
            Some(b',' | b']' | b'}') => self.at.flow > 0,
            Some(_) => self.at.is_end(),
        }
    }

    fn push_leaf(&mut self, leaf: Leaf<'a>, props: Props<'a>) -> SyntaxResult {
        match leaf {
            Leaf::Scalar(scanned) => self.push(scanned, props),
            Leaf::Alias { start, .. } if !props.is_empty() => Err(syntax::props_of_alias(start)),
            Leaf::Alias { start, name } => self.tape.alias(start, name),
            Leaf::Empty(at) => self.empty(at, props),
        }
    }

    /// Adds a scalar that is not there.
    fn empty(&mut self, at: usize, props: Props<'a>) -> SyntaxResult {
        let tag = props.tag.unwrap_or(Tag::Plain);
        self.tape.push(
            at,
            at,
            ItemKind::Scalar {
                text: "".into(),
                tag,
            },
            props.anchor,
        )
    }

    fn null(&mut self, at: usize) -> SyntaxResult {
        self.empty(at, Props::default())
    }

    /// The end of the last value.
    fn last_end(&self) -> usize {
        self.tape.items.last().map_or(0, |last| last.end as usize)
    }
}

/// The properties of two lines as those of one node.
fn both<'a>(a: Props<'a>, b: Props<'a>, at: usize) -> SyntaxResult<Props<'a>> {
    if a.anchor.is_some() && b.anchor.is_some() || a.tag.is_some() && b.tag.is_some() {
        return Err(syntax::props_twice(at));
    }
    Ok(Props {
        anchor: a.anchor.or(b.anchor),
        tag: a.tag.or(b.tag),
    })
}
