//! A tape as a tree: scalars resolved, aliases and merge keys followed, duplicate keys found.
//!
//! In: a [`Tape`]. Out: a [`Node`], or the [`SyntaxFault`] for which go-yaml would refuse the document; duplicate keys are
//! reported on the side. Nothing here is larger than what go-yaml's budget and ours allow.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::diag::Diagnostic;
use crate::shared::SharedItems;
use crate::source::{FileId, Span};
use crate::yaml::read::scalar::{self, Misfit, Scalar, Tag};
use crate::yaml::read::syntax::{EXCESSIVE_ALIASES, INVALID_YAML, SyntaxFault, SyntaxResult};
use crate::yaml::read::tape::{Item, ItemKind, Tape};
use crate::yaml::read::{MAX_ALIASED, MAX_DEPTH, MAX_VALUES, keys};
use crate::yaml::{Data, Entry, Node, texts};

/// The number of duplicate keys of one document that are reported.
const MAX_FOUND: usize = 100;

/// What the documents of one file may use together. Counted across threads; which document hits the limit first does
/// not matter, since the file is then refused as a whole.
#[derive(Debug, Default)]
pub(super) struct AliasBudget {
    values: AtomicUsize,
    aliased: AtomicUsize,
}

impl AliasBudget {
    /// Returns whether the limits were kept so far.
    pub(super) fn is_kept(&self) -> bool {
        self.values.load(Ordering::Relaxed) <= MAX_VALUES && !self.is_aliased_away()
    }

    /// Returns whether it is aliases that went beyond.
    pub(super) fn is_aliased_away(&self) -> bool {
        self.aliased.load(Ordering::Relaxed) > MAX_ALIASED
    }
}

/// The place of a tape's text.
#[derive(Clone, Copy)]
pub(super) struct Base {
    pub(super) file: FileId,
    pub(super) offset: u32,
}

/// The format that a document is read into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TreeFormat {
    /// JSON, as Kubernetes reads its manifests.
    Json,
    /// go-yaml's `MapSlice`, which keeps maps as they are written: keys twice over, and nothing of what `<<` merges.
    MapSlice,
}

/// Builds the tree of a document.
///
/// # Errors
/// The first value that go-yaml or JSON would not take.
pub(super) fn build<'a>(
    tape: Tape<'a>,
    base: Base,
    budget: &AliasBudget,
    target: TreeFormat,
) -> SyntaxResult<(Node, Vec<Diagnostic>)> {
    let mut builder = TreeBuilder {
        items: tape.items,
        shared: tape.shared,
        base,
        budget,
        target,
        counts: Counts::default(),
        found: Vec::new(),
    };
    budget
        .values
        .fetch_add(builder.items.len(), Ordering::Relaxed);
    let root = builder.node(&mut 0, 0)?;
    Ok((root, builder.found))
}

/// The amount that was decoded, as go-yaml counts it.
#[derive(Default)]
struct Counts {
    decoded: u64,
    aliased: u64,
    /// The number of aliases that we are inside of.
    within: u32,
    /// The item of the outermost of them.
    outermost: usize,
}

impl Counts {
    /// go-yaml's rule: small documents may expand hundredfold, large ones by a tenth.
    fn is_excessive(&self) -> bool {
        const SMALL: u64 = 400_000;
        const LARGE: u64 = 4_000_000;
        let allowed = match self.decoded {
            ..=SMALL => 0.99,
            LARGE.. => 0.10,
            between => 0.99 - 0.89 * ((between - SMALL) as f64 / (LARGE - SMALL) as f64),
        };
        self.aliased > 100
            && self.decoded > 1000
            && self.aliased as f64 / self.decoded as f64 > allowed
    }
}

struct TreeBuilder<'a, 'b> {
    items: Vec<Item<'a>>,
    shared: bool,
    base: Base,
    budget: &'b AliasBudget,
    target: TreeFormat,
    counts: Counts,
    found: Vec<Diagnostic>,
}

impl<'a> TreeBuilder<'a, '_> {
    /// The value at `index`, which moves on past it.
    fn node(&mut self, index: &mut usize, depth: usize) -> SyntaxResult<Node> {
        let at = *index;
        self.count(at)?;
        *index += 1;
        let data = match self.items[at].kind {
            ItemKind::Scalar { .. } => self.scalar(at)?,
            ItemKind::Seq { len, .. } => {
                self.go_down(at, depth)?;
                let mut items = Vec::with_capacity(len as usize);
                for _ in 0..len {
                    items.push(self.node(index, depth + 1)?);
                }
                Data::Seq(items.into())
            }
            ItemKind::Map { len, .. } => {
                self.go_down(at, depth)?;
                Data::Map(self.entries(index, len, depth + 1)?.into())
            }
            ItemKind::Alias { target } => {
                self.aliased(at, target, |builder, target| {
                    builder.node(&mut { target }, depth)
                })?
                .data
            }
        };
        Ok(Node {
            span: self.span(at),
            data,
        })
    }

    /// Reads what the alias at `at` stands for.
    fn aliased<T>(
        &mut self,
        at: usize,
        target: u32,
        read: impl FnOnce(&mut Self, usize) -> SyntaxResult<T>,
    ) -> SyntaxResult<T> {
        if self.counts.within == 0 {
            self.counts.outermost = at;
        }
        self.counts.within += 1;
        let value = read(self, target as usize);
        self.counts.within -= 1;
        value
    }

    fn count(&mut self, at: usize) -> SyntaxResult {
        self.counts.decoded += 1;
        if self.counts.within > 0 {
            self.counts.aliased += 1;
            self.spend(at, self.cost(at))?;
        }
        if self.counts.aliased > 100 && self.counts.is_excessive() {
            return Err(self.excessive(at));
        }
        Ok(())
    }

    /// The cost of an aliased value: a text that must be copied costs by its length.
    fn cost(&self, at: usize) -> usize {
        match &self.items[at].kind {
            ItemKind::Scalar {
                text: Cow::Owned(text),
                ..
            } => 1 + text.len() / 64,
            _ => 1,
        }
    }

    /// Takes something from the file's budget of aliased values.
    fn spend(&self, at: usize, cost: usize) -> SyntaxResult {
        let spent = self.budget.aliased.fetch_add(cost, Ordering::Relaxed) + cost;
        if spent > MAX_ALIASED {
            Err(self.excessive(at))
        } else {
            Ok(())
        }
    }

    fn excessive(&self, at: usize) -> SyntaxFault {
        let message = "the aliases of this document expand to too many values";
        SyntaxFault::new(&EXCESSIVE_ALIASES, self.alias_range(at), message)
            .help("write out the values, or use fewer nested aliases")
    }

    fn go_down(&self, at: usize, depth: usize) -> SyntaxResult {
        if depth < MAX_DEPTH {
            return Ok(());
        }
        let message = format!("aliases expand to more than {MAX_DEPTH} nested collections");
        Err(SyntaxFault::new(
            &EXCESSIVE_ALIASES,
            self.alias_range(at),
            message,
        ))
    }

    /// The alias that is to blame for the value at `at`.
    fn alias_range(&self, at: usize) -> Range<usize> {
        self.range(if self.counts.within > 0 {
            self.counts.outermost
        } else {
            at
        })
    }

    fn scalar(&mut self, at: usize) -> SyntaxResult<Data> {
        Ok(match self.resolve(at)? {
            Scalar::Null => Data::Null,
            Scalar::Bool(bool) => Data::Bool(bool),
            Scalar::Int(int) => Data::Int(int),
            Scalar::Uint(uint) => Data::Uint(uint),
            Scalar::Float(float) if !float.is_finite() => {
                let message = format!("JSON cannot represent the number {float}");
                return Err(SyntaxFault::new(&INVALID_YAML, self.range(at), message)
                    .redacted("JSON cannot represent this number")
                    .help("put it in quotes if it is text"));
            }
            Scalar::Float(float) => match self.target {
                TreeFormat::Json => whole(float).map_or(Data::Float(float), Data::Int),
                TreeFormat::MapSlice => Data::Float(float),
            },
            Scalar::Text(text) => Data::String(texts::shared(&text)),
        })
    }

    fn resolve(&mut self, at: usize) -> SyntaxResult<Scalar<'a>> {
        let ItemKind::Scalar { text, tag } = &mut self.items[at].kind else {
            unreachable!("called for scalars only");
        };
        let text = if self.shared {
            text.clone()
        } else {
            std::mem::take(text)
        };
        scalar::resolve(text, *tag).map_err(|misfit| self.misfit(at, misfit))
    }

    fn misfit(&self, at: usize, misfit: Misfit) -> SyntaxFault {
        let message = match misfit {
            Misfit::Type { wanted, found } => {
                format!("the tag is `{wanted}`, but the type of the text is `{found}`")
            }
            Misfit::Base64 => "the text of a `!!binary` is not base64".to_owned(),
        };
        SyntaxFault::new(&INVALID_YAML, self.range(at), message)
            .redacted("the text does not match its tag")
    }

    /// The `len` entries of a map, from `index` on.
    fn entries(&mut self, index: &mut usize, len: u32, depth: usize) -> SyntaxResult<Vec<Entry>> {
        let mut entries = Vec::with_capacity(len as usize);
        let mut merged = Vec::new();
        for _ in 0..len {
            let key = *index;
            // A key may be a collection, which is refused below: step over all of it.
            *index = self.items[key].next(key);
            if self.is_merge(key) {
                let from = entries.len();
                self.merge(index, depth, &mut entries)?;
                merged.push((from..entries.len(), self.span(key)));
                // A chain of merges behind an alias settles the keys of every link again.
                if self.counts.within > 0 {
                    self.spend(key, entries.len())?;
                }
                continue;
            }
            self.count(key)?;
            let text = self.key(key)?;
            let value = self.node(index, depth)?;
            entries.push(Entry {
                key: texts::shared(&text),
                key_span: self.span(key),
                value,
            });
        }
        if self.target == TreeFormat::MapSlice {
            // From the end, so that the ranges before stay valid.
            for (range, _) in merged.into_iter().rev() {
                entries.drain(range);
            }
            return Ok(entries);
        }
        let mut found = keys::keep_last(&mut entries, &merged);
        // What stands behind an alias was reported where it stands.
        if self.counts.within == 0 && self.found.len() < MAX_FOUND {
            self.found.append(&mut found);
        }
        Ok(entries)
    }

    fn is_merge(&self, key: usize) -> bool {
        match &self.items[key].kind {
            ItemKind::Scalar { text, tag } => {
                text == "<<" && matches!(tag, Tag::Plain | Tag::Bang | Tag::Merge)
            }
            _ => false,
        }
    }

    /// A key as text.
    fn key(&mut self, at: usize) -> SyntaxResult<Cow<'a, str>> {
        match self.items[at].kind {
            ItemKind::Scalar { .. } => {
                let scalar = self.resolve(at)?;
                let refused = if scalar == Scalar::Null {
                    "a key is null"
                } else {
                    "a key is a number above 2^63"
                };
                scalar::key_text(scalar).ok_or_else(|| {
                    SyntaxFault::new(&INVALID_YAML, self.range(at), refused)
                        .help("put it in quotes, if it is text")
                })
            }
            ItemKind::Alias { target } => self.aliased(at, target, |builder, target| {
                builder.count(target)?;
                builder.key(target)
            }),
            ItemKind::Seq { .. } => Err(SyntaxFault::new(
                &INVALID_YAML,
                self.range(at),
                "a key is a list",
            )),
            ItemKind::Map { .. } => Err(SyntaxFault::new(
                &INVALID_YAML,
                self.range(at),
                "a key is a map",
            )),
        }
    }

    /// Adds the entries of the maps that a `<<` names. Of several, the first one counts, so it comes last.
    fn merge(&mut self, index: &mut usize, depth: usize, entries: &mut Vec<Entry>) -> SyntaxResult {
        let at = *index;
        *index = self.items[at].next(at);
        let ItemKind::Seq { len, next } = self.items[at].kind else {
            entries.extend(self.merged_map(at, depth)?);
            return Ok(());
        };
        let mut maps = Vec::with_capacity(len as usize);
        let mut item = at + 1;
        while item < next as usize {
            maps.push(self.merged_map(item, depth)?);
            item = self.items[item].next(item);
        }
        entries.extend(maps.into_iter().rev().flatten());
        Ok(())
    }

    fn merged_map(&mut self, at: usize, depth: usize) -> SyntaxResult<SharedItems<Entry>> {
        let named = match self.items[at].kind {
            ItemKind::Alias { target } => target as usize,
            _ => at,
        };
        if !matches!(self.items[named].kind, ItemKind::Map { .. }) {
            return Err(SyntaxFault::new(
                &INVALID_YAML,
                self.range(at),
                "`<<` merges maps, but this is not a map",
            ));
        }
        match self.node(&mut { at }, depth)?.data {
            Data::Map(entries) => Ok(entries),
            _ => Ok(SharedItems::default()),
        }
    }

    fn range(&self, at: usize) -> Range<usize> {
        let item = &self.items[at];
        item.start as usize..item.end as usize
    }

    fn span(&self, at: usize) -> Span {
        let item = &self.items[at];
        Span::new(
            self.base.file,
            self.base.offset + item.start,
            self.base.offset + item.end,
        )
    }
}

/// A float that JSON prints as a whole number, which is then read as one.
#[expect(
    clippy::cast_possible_truncation,
    reason = "checked to be whole and in range"
)]
fn whole(float: f64) -> Option<i64> {
    let range = -9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0;
    (float.trunc() == float && range.contains(&float)).then_some(float as i64)
}
