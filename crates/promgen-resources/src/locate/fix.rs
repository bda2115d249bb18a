//! The bytes that a fix changes.
//!
//! In: the changes of a rule, and the document. Out: edits. A change with side effects, such as one of a value behind an
//! alias, has no edits.

mod append;
pub mod wanted;

use std::collections::{BTreeMap, BTreeSet};

use crate::document::{self, Document};
use crate::locate::locator::Locator;
use promgen_text::diag::Diagnostic;
use promgen_text::diag::fix::{Edit, EditAction, Fix, RootedEdit};
use promgen_text::route::{At, DocId, Segment, ValueRoute};
use promgen_text::source::{FileId, Sources, Span};
use promgen_text::yaml::read::{self, DocumentPart};
use promgen_text::yaml::{Data, Node};

/// Turns the changes of all fixes into edits. Drops a fix that is impossible, or whose result differs from the wanted
/// document.
pub(super) fn resolve(diagnostics: &mut [Diagnostic], documents: &[Document], sources: &Sources) {
    let rivals = rivals(diagnostics);
    let locator = Locator::new(documents);
    let mut texts = ParsedTexts {
        sources,
        parts: BTreeMap::new(),
    };
    for diagnostic in diagnostics.iter_mut() {
        let fix = diagnostic.fix.take().filter(|fix| locator.can_fix(fix));
        let fix = fix.filter(|fix| !fix.changes.iter().any(|change| is_rival(change, &rivals)));
        let fix = fix
            .and_then(|fix| resolved(*fix, documents, &mut texts))
            .and_then(|fix| texts.rooted(fix, documents));
        diagnostic.fix = fix.map(Box::new);
    }
    drop_what_does_not_hold(diagnostics, sources);
}

/// Keys that a map is to get from several renamings.
type Rivals = BTreeMap<(DocId, ValueRoute, String), BTreeSet<ValueRoute>>;

fn rivals(diagnostics: &[Diagnostic]) -> Rivals {
    let mut rivals = Rivals::new();
    for change in diagnostics
        .iter()
        .filter_map(|diagnostic| diagnostic.fix.as_ref())
        .flat_map(|fix| &fix.changes)
    {
        if let Some((target, from)) = renaming(change) {
            rivals.entry(target).or_default().insert(from);
        }
    }
    rivals.retain(|_, from| from.len() > 1);
    rivals
}

fn is_rival(change: &EditAction, rivals: &Rivals) -> bool {
    renaming(change).is_some_and(|(target, _)| rivals.contains_key(&target))
}

/// The key that a renaming gives to a map, and the place of the old one.
fn renaming(change: &EditAction) -> Option<((DocId, ValueRoute, String), ValueRoute)> {
    let EditAction::Rename(at, key) = change else {
        return None;
    };
    let above = at
        .route
        .0
        .split_last()
        .map(|(_, above)| ValueRoute(above.to_vec()))?;
    Some(((at.doc, above, key.clone()), at.route.clone()))
}

/// Documents in their texts, as far as fixes change them.
struct ParsedTexts<'s> {
    sources: &'s Sources,
    parts: BTreeMap<FileId, Vec<ParsedText<'s>>>,
}

/// A document in its text, and its root once it was read; none if it does not parse.
type ParsedText<'s> = (DocumentPart, Option<Option<Node>>);

impl<'s> ParsedTexts<'s> {
    /// The fix with its changes by their places from the roots of documents.
    fn rooted(&mut self, mut fix: Fix, documents: &[Document]) -> Option<Fix> {
        let rooted = |change: &EditAction| {
            let resource = match change {
                EditAction::Append(list, _) => *list,
                other => document::find(documents, other.at()?.doc)?.node.span,
            };
            let (start, root) = self.root(resource)?;
            wanted::rooted(change, resource, root, start)
        };
        fix.rooted = fix
            .changes
            .iter()
            .map(rooted)
            .collect::<Option<Vec<RootedEdit>>>()?;
        Some(fix)
    }

    /// The root of the document that holds a span, and its first byte.
    fn root(&mut self, span: Span) -> Option<(usize, &Node)> {
        let sources: &'s Sources = self.sources;
        let text = &*sources.file(span.file).text;
        let parts = self.parts.entry(span.file);
        let parts = parts.or_insert_with(|| {
            read::parts(text)
                .into_iter()
                .map(|part| (part, None))
                .collect()
        });
        let index = parts.partition_point(|(part, _)| part.range.end <= span.start as usize);
        let (part, root) = parts.get_mut(index)?;
        let root =
            root.get_or_insert_with(|| read::read_part(span.file, text, part).ok().flatten());
        Some((part.range.start, root.as_ref()?))
    }
}

/// Drops the fixes after which a document would not be the wanted one. All of a document are tried at once, and by halves
/// where they fail.
fn drop_what_does_not_hold(diagnostics: &mut [Diagnostic], sources: &Sources) {
    let mut by_file: BTreeMap<FileId, Vec<usize>> = BTreeMap::new();
    for (index, diagnostic) in diagnostics.iter().enumerate() {
        if let Some(edit) = diagnostic.fix.as_ref().and_then(|fix| fix.edits.first()) {
            by_file.entry(edit.span.file).or_default().push(index);
        }
    }
    let mut refused = Vec::new();
    for (file, indexes) in by_file {
        let fixes = |index: &usize| diagnostics[*index].fix.as_deref().map(|fix| (*index, fix));
        let fixes: Vec<(usize, &Fix)> = indexes.iter().filter_map(fixes).collect();
        for group in disjoint(fixes) {
            refuse(&sources.file(file).text, &group, &mut refused);
        }
    }
    refused
        .into_iter()
        .for_each(|index| diagnostics[index].fix = None);
}

/// Groups of fixes that do not touch one another.
fn disjoint(mut fixes: Vec<(usize, &Fix)>) -> Vec<Vec<(usize, &Fix)>> {
    fixes.sort_by(|(_, a), (_, b)| a.edits.cmp(&b.edits));
    let mut groups = Vec::new();
    while !fixes.is_empty() {
        let mut free_from = None;
        let is_free = |(_, fix): &mut (usize, &Fix)| {
            let (Some(first), Some(last)) = (fix.edits.first(), fix.edits.last()) else {
                return true;
            };
            let is_free = free_from.is_none_or(|from| first.span.start > from);
            if is_free {
                free_from = Some(last.span.end);
            }
            is_free
        };
        groups.push(fixes.extract_if(.., is_free).collect());
    }
    groups
}

fn refuse(text: &str, fixes: &[(usize, &Fix)], refused: &mut Vec<usize>) {
    if holds(text, fixes.iter().map(|(_, fix)| *fix)) {
        return;
    }
    if let [(index, _)] = fixes {
        refused.push(*index);
        return;
    }
    let (first, second) = fixes.split_at(fixes.len() / 2);
    refuse(text, first, refused);
    refuse(text, second, refused);
}

/// Returns whether sorted, disjoint fixes result in the wanted text.
pub fn holds<'f>(text: &str, fixes: impl Iterator<Item = &'f Fix> + Clone) -> bool {
    let edits: Vec<&Edit> = fixes.clone().flat_map(|fix| &fix.edits).collect();
    let changes: Vec<&RootedEdit> = fixes.flat_map(|fix| &fix.rooted).collect();
    wanted::holds(text, &edits, &changes)
}

/// Turns the changes into edits. `None` if one of them is impossible.
fn resolved(mut fix: Fix, documents: &[Document], texts: &mut ParsedTexts<'_>) -> Option<Fix> {
    let sources = texts.sources;
    let edits = |change: &EditAction| match change {
        EditAction::Append(list, items) => {
            append::edits(texts.root(*list)?.1, *list, items, sources)
        }
        other => edits(
            other,
            &document::find(documents, other.at()?.doc)?.node,
            sources,
        ),
    };
    let mut edits: Vec<Edit> = fix
        .changes
        .iter()
        .map(edits)
        .collect::<Option<Vec<_>>>()?
        .concat();
    edits.sort_unstable();
    let is_apart = edits.windows(2).all(|pair| {
        pair[0].span.file == pair[1].span.file && pair[0].span.end <= pair[1].span.start
    });
    let is_plain = edits
        .iter()
        .all(|edit| !touches_property(edit.span, sources));
    fix.edits = edits;
    (is_apart && is_plain && !fix.edits.is_empty()).then_some(fix)
}

/// Returns whether an anchor, an alias, a tag or an escape is in the replaced text, or directly before it.
fn touches_property(span: Span, sources: &Sources) -> bool {
    let text = &sources.file(span.file).text;
    let (start, end) = (span.start as usize, span.end as usize);
    let (Some(before), Some(replaced)) = (text.get(..start), text.get(start..end)) else {
        return true;
    };
    let is_property = |word: &str| word.starts_with(['&', '*', '!']);
    let is_between = |c: char| c.is_whitespace() || matches!(c, '[' | ']' | '{' | '}' | ',');
    let line = before.rsplit(['\n', '\r']).next().unwrap_or_default();
    let last = line
        .trim_end_matches([' ', '\t'])
        .rsplit(is_between)
        .next()
        .unwrap_or_default();
    let is_key_before = last.ends_with(':');
    replaced.contains('\\')
        || replaced.split(is_between).any(is_property)
        || (is_property(last) && !is_key_before)
}

/// The edits of a change. Quotes are put and taken away around a value, so that no edit repeats what may be a secret.
fn edits(change: &EditAction, root: &Node, sources: &Sources) -> Option<Vec<Edit>> {
    let found = LocatedValue::follow(root, change.at()?)?;
    let edit = |span: Span, text: &str| Edit {
        span,
        text: text.to_owned(),
    };
    match change {
        EditAction::Value(_, value) => {
            let span = found.scalar(sources)?;
            Some(vec![edit(span, &in_quotes_of(sources.text(span), value))])
        }
        EditAction::Quote(_) => {
            let span = found.scalar(sources)?;
            let is_plain = !sources.text(span).contains(['"', '\'', '\\']);
            let [before, after] = [span.start, span.end].map(|at| Span::new(span.file, at, at));
            is_plain.then(|| vec![edit(before, "\""), edit(after, "\"")])
        }
        EditAction::Unquote(_) => {
            let span = found.scalar(sources)?;
            let old = sources.text(span);
            let is_quoted = old.len() > 2
                && ['"', '\'']
                    .iter()
                    .any(|q| old.starts_with(*q) && old.ends_with(*q));
            let first = Span::new(span.file, span.start, span.start + 1);
            let last = Span::new(span.file, span.end - 1, span.end);
            is_quoted.then(|| vec![edit(first, ""), edit(last, "")])
        }
        EditAction::Rename(_, key) => {
            let span = found.key?;
            Some(vec![edit(span, &in_quotes_of(sources.text(span), key))])
        }
        EditAction::Below(_, key) => {
            let (span, items) = found.scalars(sources)?;
            Some(vec![edit(
                span,
                &format!("{{{key}: [{}]}}", items.join(", ")),
            )])
        }
        EditAction::Before(_, key, value) => {
            let span = found.key?;
            let before = sources.file(span.file).text.get(..span.start as usize)?;
            let indent = before.rsplit('\n').next().unwrap_or_default();
            let is_flow = before.trim_end().ends_with(['{', ',']);
            let is_block = !is_flow && indent.bytes().all(|byte| byte == b' ');
            let entry = if is_block {
                format!("{key}: {value}\n{indent}")
            } else {
                format!("{key}: {value}, ")
            };
            (is_flow || is_block)
                .then(|| vec![edit(Span::new(span.file, span.start, span.start), &entry)])
        }
        EditAction::Remove(_) => removal(&found, sources).map(|edit| vec![edit]),
        EditAction::Append(..) => None,
    }
}

/// A text in the quotes in which another one stands.
fn in_quotes_of(old: &str, new: &str) -> String {
    match old.chars().next() {
        Some(quote @ ('"' | '\'')) => format!("{quote}{new}{quote}"),
        _ => new.to_owned(),
    }
}

/// The value at a route, and its parents.
struct LocatedValue<'n> {
    parent: Option<&'n Node>,
    node: &'n Node,
    /// Its number in its parent.
    index: usize,
    key: Option<Span>,
}

impl<'n> LocatedValue<'n> {
    /// None if the route leads nowhere, or through an alias or a merge: what is changed there changes elsewhere too.
    fn follow(root: &'n Node, at: &At) -> Option<Self> {
        let mut found = Self {
            parent: None,
            node: root,
            index: 0,
            key: None,
        };
        for step in &at.route.0 {
            let (index, node, key) = match (step, &found.node.data) {
                (Segment::Key(key), Data::Map(entries)) => {
                    let index = entries.iter().position(|entry| entry.key == **key)?;
                    (index, &entries[index].value, Some(entries[index].key_span))
                }
                (Segment::Index(index), Data::Seq(items)) => (*index, items.get(*index)?, None),
                _ => return None,
            };
            let around = found.node.span;
            if !contains(around, node.span) || key.is_some_and(|key| !contains(around, key)) {
                return None;
            }
            found = Self {
                parent: Some(found.node),
                node,
                index,
                key,
            };
        }
        Some(found)
    }

    /// The text of the value, if it is a scalar of one line.
    fn scalar(&self, sources: &Sources) -> Option<Span> {
        scalar(self.node, sources)
    }
}

/// The text of a value, if it is a scalar of one line.
fn scalar(node: &Node, sources: &Sources) -> Option<Span> {
    let is_scalar = !matches!(node.data, Data::Seq(_) | Data::Map(_) | Data::Null);
    let text = sources.text(node.span);
    (is_scalar && !text.is_empty() && !text.contains('\n') && !text.starts_with(['*', '|', '>']))
        .then_some(node.span)
}

impl LocatedValue<'_> {
    /// The extent of a list of scalars of one line, and what stands in it. None if anything else does, such as a comment,
    /// or if the list begins below its key without being further to the right.
    fn scalars<'s>(&self, sources: &'s Sources) -> Option<(Span, Vec<&'s str>)> {
        let Data::Seq(items) = &self.node.data else {
            return None;
        };
        let text = |span: Span| sources.text(span);
        let spans: Vec<Span> = items
            .iter()
            .map(|item| scalar(item, sources))
            .collect::<Option<_>>()?;
        let last = spans.last()?;
        let is_flow = text(self.node.span).starts_with('[');
        let end = if is_flow {
            self.node.span.end
        } else {
            last.end
        };
        let span = Span::new(self.node.span.file, self.node.span.start, end);
        let is_whole = !is_flow || text(span).ends_with(']');
        let key = self.key?;
        let file = sources.file(span.file);
        let column = |at: u32| at as usize - file.line_range(file.line_of(at)).start;
        let is_deeper = is_flow || column(span.start) > column(key.start);
        let items: Vec<&str> = spans.iter().map(|span| text(*span)).collect();
        (is_whole && is_deeper && !text(span).contains('#')).then_some((span, items))
    }
}

/// Returns whether something begins in a value. Where a block ends is not looked at: its span may stop short of a
/// bracket.
fn contains(outer: Span, inner: Span) -> bool {
    outer.file == inner.file && (outer.start..=outer.end).contains(&inner.start)
}

/// The edit that takes an item or entry away: whole lines in a block, up to the next comma otherwise.
fn removal(found: &LocatedValue<'_>, sources: &Sources) -> Option<Edit> {
    let (parent, file) = (found.parent?, sources.file(found.node.span.file));
    let siblings: Vec<(u32, u32)> = match &parent.data {
        Data::Seq(items) => items
            .iter()
            .map(|item| (item.span.start, item.span.end))
            .collect(),
        Data::Map(entries) => entries
            .iter()
            .map(|e| (e.key_span.start, e.value.span.end.max(e.key_span.end)))
            .collect(),
        _ => return None,
    };
    let (start, end) = siblings[found.index];
    let span = |start: usize, end: usize| {
        Some(Edit {
            span: Span::new(
                found.node.span.file,
                u32::try_from(start).ok()?,
                u32::try_from(end).ok()?,
            ),
            text: String::new(),
        })
    };
    if file
        .text
        .as_bytes()
        .get(parent.span.start as usize)
        .is_some_and(|c| matches!(c, b'[' | b'{'))
    {
        return match (siblings.get(found.index + 1), found.index.checked_sub(1)) {
            (Some(next), _) => span(start as usize, next.0 as usize),
            (None, Some(previous)) => span(siblings[previous].1 as usize, end as usize),
            (None, None) => span(start as usize, end as usize),
        };
    }
    // A block cannot be empty, and the first key of a map may stand behind the dash of its list.
    let first_line = file.line_range(file.line_of(start));
    let before = file.text.get(first_line.start..start as usize)?;
    let is_alone = match &parent.data {
        Data::Seq(_) => before.trim() == "-",
        _ => before.trim().is_empty(),
    };
    let last_line = file.line_range(file.line_of(end.saturating_sub(1).max(start)));
    (siblings.len() > 1 && is_alone).then(|| span(first_line.start, last_line.end))?
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::Kind;
    use promgen_text::diag::{Sink, sample};
    use promgen_text::route::DocId;
    use promgen_text::yaml::read::read;

    /// The text after a change at a route, or its absence.
    fn changed(text: &str, change: impl Fn(At) -> EditAction, route: &[&str]) -> Option<String> {
        let mut sources = Sources::default();
        let file = sources.add("a.yaml".into(), text.into());
        let parsed = read(file, text, &mut Sink::default());
        let step = |at: At, step: &&str| match step.parse() {
            Ok(index) => at.index(index),
            Err(_) => at.key((*step).to_owned()),
        };
        let at = route.iter().fold(At::doc(DocId::default()), step);
        let node = parsed.into_iter().next()?.root;
        let document = Document {
            namespace_is_stated: true,
            id: DocId::default(),
            kind: Kind::ConfigMap,
            namespace: promgen_text::yaml::NodeText::new(),
            name: promgen_text::yaml::NodeText::new(),
            node,
            is_converted: false,
            origin: promgen_text::origin::DocumentOrigin::File,
        };
        let fix = Fix::safe("").change(change(at));
        let mut found = [Diagnostic::placeless(&sample::RULE, "").fix(fix)];
        resolve(&mut found, std::slice::from_ref(&document), &sources);
        let [found] = found;
        wanted::edited(text, &found.fix?.edits.iter().collect::<Vec<_>>())
    }

    #[test]
    fn scalars_keep_their_quotes_and_comments() {
        let value = |at| EditAction::Value(at, "6".into());
        assert_eq!(
            changed("a: 4 # four\n", value, &["a"]).unwrap(),
            "a: 6 # four\n"
        );
        assert_eq!(changed("a: '4'\n", value, &["a"]).unwrap(), "a: '6'\n");
        assert_eq!(
            changed("{\"a\": [1, \"4\"]}", value, &["a", "1"]).unwrap(),
            "{\"a\": [1, \"6\"]}"
        );
        assert_eq!(changed("a: !!str 4\n", value, &["a"]), None);
        assert_eq!(changed("a: |\n  4\n", value, &["a"]), None);
        assert_eq!(changed("a: [4]\n", value, &["a"]), None);
        assert_eq!(changed("a: 4\n", value, &["b"]), None);
    }

    #[test]
    fn quotes_are_put_and_taken_away() {
        assert_eq!(
            changed("a: yes # no\n", EditAction::Quote, &["a"]).unwrap(),
            "a: \"yes\" # no\n"
        );
        assert_eq!(changed("a: 'x'\n", EditAction::Quote, &["a"]), None);
        assert_eq!(
            changed("a: \"80\"\n", EditAction::Unquote, &["a"]).unwrap(),
            "a: 80\n"
        );
        assert_eq!(changed("a: 80\n", EditAction::Unquote, &["a"]), None);
    }

    #[test]
    fn what_would_mean_something_else_is_left_alone() {
        for (text, change, route) in [
            (
                "a: \"010\"\n",
                EditAction::Unquote as fn(At) -> EditAction,
                &["a"][..],
            ),
            ("a: \"1_0\"\n", EditAction::Unquote, &["a"]),
            ("a: \"\\x35\"\n", EditAction::Unquote, &["a"]),
            ("a: !!str \"5\"\n", EditAction::Unquote, &["a"]),
            ("a: !!int 5\n", EditAction::Quote, &["a"]),
            ("a: &v 5\nb: *v\n", EditAction::Quote, &["a"]),
            ("a: [x, &d x]\nb: *d\n", EditAction::Remove, &["a", "1"]),
            ("a:\n- x\n- &d x\nb: *d\n", EditAction::Remove, &["a", "1"]),
            (
                "a: 1\nb: 2\n",
                |at| EditAction::Rename(at, "b".into()),
                &["a"],
            ),
            (
                "a: &c {k: 1}\nb: *c\n",
                |at| EditAction::Rename(at, "l".into()),
                &["a", "k"],
            ),
        ] {
            assert_eq!(changed(text, change, route), None, "{text}");
        }
    }

    #[test]
    fn keys_are_renamed() {
        let rename = |at| EditAction::Rename(at, "b".into());
        assert_eq!(
            changed("x:\n- a: 1\n", rename, &["x", "0", "a"]).unwrap(),
            "x:\n- b: 1\n"
        );
        assert_eq!(changed("{\"a\": 1}", rename, &["a"]).unwrap(), "{\"b\": 1}");
        assert_eq!(changed("a: 1\n", rename, &[]), None);
    }

    #[test]
    fn items_and_entries_are_removed_with_their_lines() {
        for (text, route, expected) in [
            ("a: [x, y, z]\n", &["a", "0"][..], Some("a: [y, z]\n")),
            ("a: [x, y, z]\n", &["a", "2"], Some("a: [x, y]\n")),
            ("a: [x]\n", &["a", "0"], Some("a: []\n")),
            ("a:\n- x # one\n- y\n", &["a", "0"], Some("a:\n- y\n")),
            ("a:\n- x\n- y", &["a", "1"], Some("a:\n- x\n")),
            ("a:\n- x\n", &["a", "0"], None),
            ("a: 1\nb:\n  c: 2\nd: 3\n", &["b"], Some("a: 1\nd: 3\n")),
            ("- a: 1\n  b: 2\n", &["0", "a"], None),
            ("- a: 1\n  b: 2\n", &["0", "b"], Some("- a: 1\n")),
            ("{a: 1, b: 2}", &["a"], Some("{b: 2}")),
        ] {
            assert_eq!(
                changed(text, EditAction::Remove, route).as_deref(),
                expected,
                "{text:?} {route:?}"
            );
        }
    }

    #[test]
    fn an_entry_is_put_before_another() {
        let before = |at| EditAction::Before(at, "new".into(), "v".into());
        for (text, route, expected) in [
            (
                "a:\n  b: 1\n  c: 2\n",
                &["a", "b"][..],
                Some("a:\n  new: v\n  b: 1\n  c: 2\n"),
            ),
            ("a: {b: 1}\n", &["a", "b"], Some("a: {new: v, b: 1}\n")),
            ("{\"a\": 1}", &["a"], Some("{new: v, \"a\": 1}")),
            ("- a: 1\n", &["0", "a"], None),
            ("a: {new: 1, b: 2}\n", &["a", "b"], None),
        ] {
            assert_eq!(
                changed(text, before, route).as_deref(),
                expected,
                "{text:?}"
            );
        }
    }

    #[test]
    fn a_list_is_put_below_a_key() {
        for (text, expected) in [
            ("a: [x, 'y']\nb: 1\n", Some("a: {v: [x, 'y']}\nb: 1\n")),
            ("{a: [x], b: 1}\n", Some("{a: {v: [x]}, b: 1}\n")),
            (
                "a:\n  - x\n  - y\nb: 1\n",
                Some("a:\n  {v: [x, y]}\nb: 1\n"),
            ),
            ("a:\n- x\n- y\n", None),
            ("a:\n  - x # one\n  - y\n", None),
            ("a: [[x]]\n", None),
            ("a: []\n", None),
            ("a: x\n", None),
        ] {
            let below = |at| EditAction::Below(at, "v");
            assert_eq!(
                changed(text, below, &["a"]).as_deref(),
                expected,
                "{text:?}"
            );
        }
    }

    #[test]
    fn what_an_alias_stands_for_is_left_alone() {
        let text = "a: &x {c: 1}\nb: *x\nd:\n  <<: *x\n  e: 1\n";
        let value = |at| EditAction::Value(at, "2".into());
        assert_eq!(changed(text, value, &["b", "c"]), None);
        assert_eq!(changed(text, value, &["d", "c"]), None);
        assert!(changed(text, value, &["d", "e"]).is_some());
        assert_eq!(changed(text, value, &["a", "c"]), None);
        assert_eq!(changed("a: &x 1\nb: *x\n", value, &["b"]), None);
    }
}
