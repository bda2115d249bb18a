//! Lists whose items merge.
//!
//! Kustomize identifies items by those merge keys that any item of the list has: [`identity`] says what becomes of such
//! a list. An item with none of the keys clears a list. Other lists, where items lack different keys, are refused.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use promgen_text::yaml::Node;

use super::{DIRECTIVE, Directive, directive, identity, is_blank, item, key_text, named_directive};
use crate::kustomize::fault::{BuildFault, BuildResult};
use crate::kustomize::patch::merge_rule::{ListMerge, MergeRule};
use crate::kustomize::value::{ValueKind, expected, kind, text};

/// The other side of the merge of a list.
#[derive(Clone, Copy, Debug)]
pub(super) enum MergeSource<'p> {
    /// The items of a patch.
    Patch(&'p [Node]),
    /// Nothing: the list is itself one of the patch.
    Itself,
    /// Nothing: the patch does not have the list.
    Nothing,
}

impl<'p> MergeSource<'p> {
    pub(super) const fn items(&self) -> &'p [Node] {
        match self {
            Self::Patch(items) => items,
            _ => &[],
        }
    }
}

/// Takes the directive of a whole list out of it: an item that holds nothing else.
pub(super) fn without_directive<'p>(
    items: &'p [Node],
) -> BuildResult<(Directive, Cow<'p, [Node]>)> {
    // Only the first directive can be the list's.
    let first = items
        .iter()
        .find_map(|item| item.get(DIRECTIVE).map(|value| (item, value)));
    let Some((_, value)) = first.filter(|(item, _)| item.entries().len() == 1) else {
        return Ok((Directive::Merge, Cow::Borrowed(items)));
    };
    let named = named_directive(value)?;
    let is_other = |item: &&Node| {
        !is_blank(item)
            && item
                .get(DIRECTIVE)
                .is_none_or(|other| text(other) != text(value))
    };
    Ok((named, items.iter().filter(is_other).cloned().collect()))
}

/// The items of a list and its source together.
pub(super) fn combined(
    old: Vec<Node>,
    source: &MergeSource<'_>,
    rule: MergeRule<'_>,
) -> BuildResult<Vec<Node>> {
    match rule.list() {
        Some(ListMerge::Keyed(keys, items)) => keyed(old, source, &keys, items),
        Some(ListMerge::Set) => set(old, source),
        None => Ok(old),
    }
}

/// Scalars without repetitions, those of the patch first.
fn set(old: Vec<Node>, source: &MergeSource<'_>) -> BuildResult<Vec<Node>> {
    let is_patch = |index| index < source.items().len() || matches!(source, MergeSource::Itself);
    let mut seen = BTreeSet::new();
    let mut list = Vec::with_capacity(old.len() + source.items().len());
    for (index, item) in source.items().iter().cloned().chain(old).enumerate() {
        match kind(&item) {
            ValueKind::Scalar if seen.insert(text(&item).into_owned()) => list.push(item),
            ValueKind::Scalar | ValueKind::Null => {}
            ValueKind::Map if is_blank(&item) => {}
            // A directive of the whole list: it has acted, or has nothing to act on.
            ValueKind::Map
                if is_patch(index)
                    && item.entries().len() == 1
                    && item.get(DIRECTIVE).is_some() =>
            {
                directive(&item)?;
            }
            _ => return Err(expected("a scalar", &item)),
        }
    }
    Ok(list)
}

/// Maps, by the texts of those merge keys that any of them has.
fn keyed(
    old: Vec<Node>,
    source: &MergeSource<'_>,
    merge_keys: &[&str],
    rule: MergeRule<'_>,
) -> BuildResult<Vec<Node>> {
    // In the patch, an item of another kind is one without keys.
    if let Some(item) = old
        .iter()
        .find(|item| matches!(kind(item), ValueKind::Scalar | ValueKind::List))
    {
        return Err(expected("a map", item));
    }
    let all = || source.items().iter().chain(&old);
    let has = |item: &Node, key: &str| !key_text(item, key).is_empty();
    // A key that no item has identifies nothing.
    let keys: Vec<_> = merge_keys
        .iter()
        .copied()
        .filter(|key| all().any(|item| has(item, key)))
        .collect();
    let is_nameless = |item: &Node| !keys.iter().any(|key| has(item, key));
    let is_complete = |item: &Node| keys.iter().all(|key| has(item, key));
    let uses_one_of_two = keys.len() == 1 && merge_keys.len() == 2;
    if !uses_one_of_two
        && all().any(is_nameless)
        && all().all(|item| is_nameless(item) || is_complete(item))
    {
        return cleared(old, source, &keys, rule);
    }
    let lacks_first = |item: &&Node| {
        if uses_one_of_two {
            is_blank(item)
        } else {
            !has(item, keys[0])
        }
    };
    match all().find(lacks_first) {
        Some(item) => Err(unlike_others(item, keys[0])),
        None => identity::combined(old, source, &keys, rule),
    }
}

fn unlike_others(item: &Node, key: &str) -> BuildFault {
    let message = format!(
        "the item lacks `{key}`, which others of its list have: Kustomize repeats or loses items of such a list, and promgen \
         does not build it"
    );
    BuildFault::unsupported(item.span, message)
}

/// A list in which an item has none of the keys, and any other item has all of them.
///
/// Of the items of the object without keys, the last one is all that stands, unless they are empty. Else the first item
/// without keys clears the list, be it of the patch or of the object. What is named ahead of it stands; of what is named
/// behind it, only that of the patch.
fn cleared(
    old: Vec<Node>,
    source: &MergeSource<'_>,
    keys: &[&str],
    rule: MergeRule<'_>,
) -> BuildResult<Vec<Node>> {
    let id = |item: &Node| {
        keys.iter()
            .map(|key| key_text(item, key))
            .collect::<Vec<_>>()
    };
    let is_nameless = |id: &[String]| id.iter().all(String::is_empty);
    let ids: Vec<_> = source.items().iter().chain(&old).map(id).collect();
    // Items behind this place have nothing left to merge with.
    let clear = ids
        .iter()
        .position(|id| is_nameless(id))
        .unwrap_or(ids.len());
    let mut last = None;
    let mut old_by_id = BTreeMap::new();
    for (item, id) in old.into_iter().zip(&ids[source.items().len()..]) {
        if !is_nameless(id) {
            old_by_id.entry(id).or_insert(item);
        } else if !is_blank(&item) {
            last = Some(item);
        }
    }
    let mut seen = BTreeSet::new();
    let mut list = Vec::with_capacity(ids.len());
    for (index, id) in ids.iter().enumerate().filter(|(_, id)| !is_nameless(id)) {
        if !seen.insert(id) {
            continue;
        }
        let old = if index < clear {
            old_by_id.remove(id)
        } else {
            None
        };
        list.extend(item(old, source.items().get(index), source, rule)?);
    }
    Ok(last.map_or(list, |item| vec![item]))
}
