//! A document as one flat list, between the parser's events and the tree.
//!
//! In: events of the YAML parser. Out: a [`Tape`]: items in the order of the text, aliases not yet followed, scalars not
//! yet resolved. The only file besides `syntax` that names the YAML crate.

use std::borrow::Cow;

use granit_parser::{Event, Parser, ScalarStyle, StrInput, StructureStyle};

use super::check::{Cover, Suspects};
use super::scalar::Tag;
use super::syntax::{self, Fault};
use super::{MAX_DEPTH, MAX_VALUES};

/// Items of one document in the order of the text; a collection is followed by what it holds.
#[derive(Debug, Default)]
pub(super) struct Tape<'a> {
    pub(super) items: Vec<Item<'a>>,
    /// Whether an item is an alias, so that texts may be needed more than once.
    pub(super) shared: bool,
    /// Where the document's text ends.
    pub(super) end: usize,
}

/// A value and the bytes where it stands, counted from the start of the parsed text.
#[derive(Debug)]
pub(super) struct Item<'a> {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) kind: Kind<'a>,
}

/// What an item is. `next` is the index of the item after all that the collection holds.
#[derive(Debug)]
pub(super) enum Kind<'a> {
    Scalar { text: Cow<'a, str>, tag: Tag },
    Seq { len: u32, next: u32 },
    Map { len: u32, next: u32 },
    Alias { target: u32 },
}

impl Item<'_> {
    /// The index of the item after this one, which stands at `index`, and all that it holds.
    pub(super) const fn next(&self, index: usize) -> usize {
        match self.kind {
            Kind::Seq { next, .. } | Kind::Map { next, .. } => next as usize,
            Kind::Scalar { .. } | Kind::Alias { .. } => index + 1,
        }
    }
}

/// Turns a text into tapes, one for each of its documents, and hands each to `found` as soon as it is complete. `keep`
/// gives a text of the parser the lifetime of the tape.
///
/// # Errors
/// The first fault of the syntax. What was found before it stands.
pub(super) fn record<'i, 'a>(
    text: &'i str,
    keep: impl Fn(Cow<'i, str>) -> Cow<'a, str>,
    mut found: impl FnMut(Tape<'a>),
) -> Result<(), Fault> {
    let options = granit_parser::options! {
        emit_comments: false,
        flow_nesting_limit: MAX_DEPTH,
        block_nesting_limit: MAX_DEPTH,
    };
    let mut recorder = Recorder::new(text);
    for event in Parser::<StrInput<'i>>::new_from_str_with_options(text, options) {
        let (event, span) = event.map_err(|error| syntax::explain(&error, text))?;
        let (start, end) = (offset(span.start), offset(span.end));
        match event {
            Event::Scalar(value, style, anchor, tag) => {
                let tag = scalar_tag(tag.as_deref(), style);
                recorder.scalar(start..end, keep(value), style, tag, anchor)?;
            }
            Event::SequenceStart(style, anchor, _) => {
                recorder.open(start, Kind::Seq { len: 0, next: 0 }, style, anchor)?;
            }
            Event::MappingStart(style, anchor, _) => {
                recorder.open(start, Kind::Map { len: 0, next: 0 }, style, anchor)?;
            }
            Event::SequenceEnd | Event::MappingEnd => recorder.close(end),
            Event::Alias(id) => recorder.alias(start..end, id)?,
            Event::DocumentStart(_, Some(version)) if (version.major, version.minor) != (1, 1) => {
                return Err(syntax::version(version.major, version.minor, start));
            }
            Event::DocumentEnd => found(recorder.finish(end)?),
            Event::StreamEnd => recorder.suspects.none_left(text.len())?,
            // The other events carry no values, or are switched off.
            _ => {}
        }
    }
    Ok(())
}

fn offset(marker: granit_parser::Marker) -> usize {
    marker.byte_offset().expect("a text in memory has byte offsets")
}

fn scalar_tag(tag: Option<&granit_parser::Tag>, style: ScalarStyle) -> Tag {
    let Some(tag) = tag else {
        return if style == ScalarStyle::Plain { Tag::Plain } else { Tag::Quoted };
    };
    if tag.parts() == ("", "!") {
        return Tag::Bang;
    }
    match tag.suffix_in_namespace("tag:yaml.org,2002:").as_deref() {
        Some("str") => Tag::Str,
        Some("bool") => Tag::Bool,
        Some("int") => Tag::Int,
        Some("float") => Tag::Float,
        Some("null") => Tag::Null,
        Some("binary") => Tag::Binary,
        Some("merge") => Tag::Merge,
        Some(_) | None => Tag::Other,
    }
}

/// A collection that is not closed yet.
struct Open {
    item: usize,
    len: usize,
    /// The end of what it holds so far, which is where a block collection ends.
    end: usize,
    flow: bool,
}

struct Recorder<'t, 'a> {
    text: &'t str,
    tape: Tape<'a>,
    open: Vec<Open>,
    /// The item of each anchor, by the number that the parser gives it.
    anchors: Vec<usize>,
    suspects: Suspects,
}

impl<'t, 'a> Recorder<'t, 'a> {
    fn new(text: &'t str) -> Self {
        let suspects = Suspects::of(text);
        Self { text, tape: Tape::default(), open: Vec::new(), anchors: Vec::new(), suspects }
    }

    fn scalar(
        &mut self,
        range: std::ops::Range<usize>,
        value: Cow<'a, str>,
        style: ScalarStyle,
        tag: Tag,
        anchor: usize,
    ) -> Result<(), Fault> {
        if style == ScalarStyle::DoubleQuoted && matches!(value, Cow::Owned(_)) {
            syntax::escapes(&self.text[range.clone()], range.start)?;
        }
        let cover = match style {
            ScalarStyle::Plain => Cover::Plain,
            ScalarStyle::Literal | ScalarStyle::Folded => Cover::Block,
            ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => Cover::Quoted,
        };
        if !self.open.last().is_some_and(|open| open.flow) {
            self.suspects.cover(&range, cover, self.text)?;
        }
        // A block scalar's last line break is no part of what a message should mark.
        let end = match cover {
            Cover::Block => range.start + self.text[range.clone()].trim_end().len(),
            Cover::Plain | Cover::Quoted => range.end,
        };
        self.push(range.start, end, Kind::Scalar { text: value, tag }, anchor)
    }

    fn alias(&mut self, range: std::ops::Range<usize>, id: usize) -> Result<(), Fault> {
        let target = *self.anchors.get(id).expect("the parser numbers anchors that it has shown");
        if self.open.iter().any(|open| open.item == target) {
            return Err(syntax::self_alias(&self.text[range.clone()], range));
        }
        self.tape.shared = true;
        self.push(range.start, range.end, Kind::Alias { target: small(target) }, 0)
    }

    fn open(&mut self, start: usize, kind: Kind<'a>, style: StructureStyle, anchor: usize) -> Result<(), Fault> {
        if self.open.len() == MAX_DEPTH {
            return Err(syntax::too_deep(start));
        }
        let flow = style == StructureStyle::Flow;
        let item = self.tape.items.len();
        self.push(start, start, kind, anchor)?;
        self.open.push(Open { item, len: 0, end: start, flow });
        Ok(())
    }

    fn close(&mut self, event_end: usize) {
        let open = self.open.pop().expect("the parser closes what it opened");
        let next = small(self.tape.items.len());
        let end = if open.flow { event_end } else { open.end };
        let item = &mut self.tape.items[open.item];
        item.end = small(end);
        match &mut item.kind {
            Kind::Seq { len, next: after } => (*len, *after) = (small(open.len), next),
            Kind::Map { len, next: after } => (*len, *after) = (small(open.len / 2), next),
            Kind::Scalar { .. } | Kind::Alias { .. } => {}
        }
        let start = item.start as usize;
        if let Some(outer) = self.open.last_mut() {
            outer.end = end;
        }
        if open.flow && !self.open.last().is_some_and(|outer| outer.flow) {
            self.suspects.cover_flow(start..end);
        }
    }

    fn push(&mut self, start: usize, end: usize, kind: Kind<'a>, anchor: usize) -> Result<(), Fault> {
        let index = self.tape.items.len();
        if index == MAX_VALUES {
            return Err(syntax::too_many(start));
        }
        if let Some(open) = self.open.last_mut() {
            open.len += 1;
            open.end = end;
        }
        if anchor != 0 {
            self.anchors.resize(self.anchors.len().max(anchor + 1), index);
            self.anchors[anchor] = index;
        }
        self.tape.items.push(Item { start: small(start), end: small(end), kind });
        Ok(())
    }

    fn finish(&mut self, end: usize) -> Result<Tape<'a>, Fault> {
        self.suspects.none_left(end)?;
        self.tape.end = end;
        Ok(std::mem::take(&mut self.tape))
    }
}

fn small(n: usize) -> u32 {
    u32::try_from(n).expect("a text is at most 64 MiB")
}
