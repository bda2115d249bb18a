//! Checks that edits result in the wanted document, and nothing else.
//!
//! In: a text, edits, and the changes that they stand for. Out: yes, if each document that they touch parses to the old one
//! with exactly these changes. So this detects an edit whose meaning an anchor, an alias or a tag changes.

use std::borrow::Cow;
use std::cmp::Reverse;

use promgen_text::diag::Sink;
use promgen_text::diag::fix::{Edit, EditAction, RootedEdit};
use promgen_text::route::{Segment, ValueRoute};
use promgen_text::source::{FileId, Span};
use promgen_text::yaml::read::{self, DocumentPart};
use promgen_text::yaml::{Data, Map, Node, Value};

/// A change of a resource in the document with that root, which begins at the byte `start` of its file.
pub(super) fn rooted(
    change: &EditAction,
    resource: Span,
    root: &Node,
    start: usize,
) -> Option<RootedEdit> {
    let mut above = ValueRoute::root();
    let mut node = root;
    while node.span != resource {
        let (step, inner) = child_around(node, resource)?;
        above.0.push(step);
        node = inner;
    }
    above.0.extend(
        change
            .at()
            .into_iter()
            .flat_map(|at| at.route.0.iter().cloned()),
    );
    Some(RootedEdit {
        change: change.clone(),
        route: above,
        start,
    })
}

/// The part of a value that holds a span, and the step to it.
pub(super) fn child_around(node: &Node, inner: Span) -> Option<(Segment, &Node)> {
    let holds = |outer: Span| outer.start <= inner.start && inner.end <= outer.end;
    match &node.data {
        Data::Seq(items) => {
            let index = items.iter().position(|item| holds(item.span))?;
            Some((Segment::Index(index), &items[index]))
        }
        Data::Map(entries) => {
            let entry = entries.iter().find(|entry| holds(entry.value.span))?;
            Some((
                Segment::Key(Cow::Owned(entry.key.to_string())),
                &entry.value,
            ))
        }
        _ => None,
    }
}

/// The text after edits, which come in order and apart. `None` if they do not.
pub fn edited(text: &str, edits: &[&Edit]) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for Edit { span, text: new } in edits {
        out.push_str(text.get(done..span.start as usize)?);
        out.push_str(new);
        done = span.end as usize;
    }
    out.push_str(text.get(done..)?);
    Some(out)
}

/// Returns whether sorted edits result in the wanted documents, and do not change the others.
pub fn holds(text: &str, edits: &[&Edit], changes: &[&RootedEdit]) -> bool {
    let Some(after) = edited(text, edits) else {
        return false;
    };
    let (parts, after_parts) = (read::parts(text), read::parts(&after));
    let is_within = |edit: &Edit, part: &DocumentPart| {
        part.range.start <= edit.span.start as usize && edit.span.end as usize <= part.range.end
    };
    let is_touched = |part: &DocumentPart| edits.iter().any(|edit| is_within(edit, part));
    parts.len() == after_parts.len()
        && edits
            .iter()
            .all(|edit| parts.iter().any(|part| is_within(edit, part)))
        && parts
            .iter()
            .zip(&after_parts)
            .filter(|(part, _)| is_touched(part))
            .all(|(part, after_part)| {
                let here: Vec<&RootedEdit> = changes
                    .iter()
                    .copied()
                    .filter(|change| change.start == part.range.start)
                    .collect();
                is_changed_so(text, part, &after, after_part, &here)
            })
}

fn is_changed_so(
    old: &str,
    old_part: &DocumentPart,
    new: &str,
    new_part: &DocumentPart,
    changes: &[&RootedEdit],
) -> bool {
    let read = |text, part| read::read_part(FileId::new(0), text, part).ok().flatten();
    let (Some(old_root), Some(new_root)) = (read(old, old_part), read(new, new_part)) else {
        return false;
    };
    wanted(&old_root, old, changes).is_some_and(|wanted| wanted == new_root.to_value())
}

/// A document after changes. Those that move others come last, the deepest and last of them first.
fn wanted(root: &Node, text: &str, changes: &[&RootedEdit]) -> Option<Value> {
    let mut value = root.to_value();
    let mut changes = changes.to_vec();
    changes.sort_by_key(|rooted| match &rooted.change {
        EditAction::Remove(_) => (1, Reverse((0, &rooted.route))),
        EditAction::Rename(..) => (2, Reverse((rooted.route.0.len(), &rooted.route))),
        _ => (0, Reverse((0, &rooted.route))),
    });
    changes
        .iter()
        .try_for_each(|rooted| change(&mut value, root, text, rooted))?;
    Some(value)
}

fn change(
    value: &mut Value,
    root: &Node,
    text: &str,
    RootedEdit { change, route, .. }: &RootedEdit,
) -> Option<()> {
    let node = root.locate(route);
    let written = text
        .get(node.value.start as usize..node.value.end as usize)
        .filter(|_| node.exact)?;
    let (last, above) = route.0.split_last()?;
    match change {
        EditAction::Value(_, new) if written.starts_with(['"', '\'']) => {
            *inner(value, &route.0)? = new.clone().into();
        }
        EditAction::Value(_, new) => *inner(value, &route.0)? = scalar(new)?,
        EditAction::Quote(_) => *inner(value, &route.0)? = written.to_owned().into(),
        EditAction::Unquote(_) => {
            let old = inner(value, &route.0)?;
            // Literals of JSON are unambiguous; `010`, `1_0` and `yes` are not.
            let is_json = |text: &str| serde_json::from_str::<serde_json::Value>(text).is_ok();
            *old = scalar(old.as_str().filter(|text| is_json(text))?)?;
        }
        EditAction::Below(_, key) => {
            let old = inner(value, &route.0)?;
            *old = Value::Map(Map::new().with(*key, std::mem::replace(old, Value::Null)));
        }
        EditAction::Before(_, key, new) => match (inner(value, above)?, last) {
            (Value::Map(map), Segment::Key(next)) if map.get(key).is_none() => {
                let at = map
                    .entries_mut()
                    .iter()
                    .position(|(old, _)| **old == **next)?;
                map.entries_mut()
                    .insert(at, (key.to_string().into(), flow(new)?));
            }
            _ => return None,
        },
        EditAction::Append(_, items) => match inner(value, &route.0)? {
            Value::Seq(list) => list.extend(
                items
                    .iter()
                    .map(|item| flow(item))
                    .collect::<Option<Vec<_>>>()?,
            ),
            _ => return None,
        },
        EditAction::Remove(_) => match (inner(value, above)?, last) {
            (Value::Seq(items), Segment::Index(index)) if *index < items.len() => {
                drop(items.remove(*index))
            }
            (Value::Map(map), Segment::Key(key)) => drop(map.remove(key)?),
            _ => return None,
        },
        EditAction::Rename(_, new) => match (inner(value, above)?, last) {
            (Value::Map(map), Segment::Key(key)) if map.get(new).is_none() => {
                map.entries_mut()
                    .iter_mut()
                    .find(|(old, _)| **old == **key)?
                    .0 = new.clone().into();
            }
            _ => return None,
        },
    }
    Some(())
}

/// The value of a plain scalar.
fn scalar(text: &str) -> Option<Value> {
    flow(text).filter(|value| !matches!(value, Value::Seq(_) | Value::Map(_)))
}

/// The value of a text that is one document.
pub(super) fn flow(text: &str) -> Option<Value> {
    let documents = read::read(FileId::new(0), text, &mut Sink::default());
    let [only] = documents.as_slice() else {
        return None;
    };
    Some(only.root.to_value())
}

fn inner<'v>(value: &'v mut Value, route: &[Segment]) -> Option<&'v mut Value> {
    route
        .iter()
        .try_fold(value, |value, step| match (value, step) {
            (Value::Map(map), Segment::Key(key)) => map.get_mut(key),
            (Value::Seq(items), Segment::Index(index)) => items.get_mut(*index),
            _ => None,
        })
}
