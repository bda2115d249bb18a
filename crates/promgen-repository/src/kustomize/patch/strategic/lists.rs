//! Lists whose items merge.
//!
//! Kustomize identifies items by those merge keys that any item of the list has. Items of the patch come first, in its
//! order; with two keys, only those that the object lacks do. Of items of the object with the same keys the last one
//! stands, and `$patch: replace` at an item changes nothing. What items without keys do to a list is in `loose`.

use std::borrow::Cow;

use promgen_text::sorted::{SortedMap, SortedSet};
use promgen_text::yaml::Node;

use super::{DIRECTIVE, Directive, directive, is_blank, item, key_text, loose, merges, named_directive};
use crate::kustomize::fault::Fault;
use crate::kustomize::patch::merge_keys::{Field, Type};
use crate::kustomize::value::{Kind, expected, kind, text};

/// What a list merges with.
#[derive(Clone, Copy, Debug)]
pub(super) enum Source<'p, 's> {
    /// The items of a patch.
    Patch(&'p [Node<'s>]),
    /// Nothing: the list is itself one of the patch.
    Itself,
    /// Nothing: the patch does not have the list.
    Nothing,
}

impl<'p, 's> Source<'p, 's> {
    pub(super) const fn items(&self) -> &'p [Node<'s>] {
        match self {
            Self::Patch(items) => items,
            Self::Itself | Self::Nothing => &[],
        }
    }
}

/// Takes the directive of a whole list out of it: an item that holds nothing else.
pub(super) fn without_directive<'p, 's>(items: &'p [Node<'s>]) -> Result<(Directive, Cow<'p, [Node<'s>]>), Fault> {
    let first = items.iter().find_map(|item| item.get(DIRECTIVE).map(|value| (item, value)));
    let Some((_, value)) = first.filter(|(item, _)| item.entries().len() == 1) else {
        return Ok((Directive::Merge, Cow::Borrowed(items)));
    };
    let named = named_directive(value)?;
    let is_other =
        |item: &&Node<'_>| !is_blank(item) && item.get(DIRECTIVE).is_none_or(|other| text(other) != text(value));
    Ok((named, items.iter().filter(is_other).cloned().collect()))
}

/// The items of a list and its source together.
pub(super) fn combined<'s>(
    old: Vec<Node<'s>>,
    source: &Source<'_, 's>,
    field: Option<Field>,
) -> Result<Vec<Node<'s>>, Fault> {
    debug_assert!(merges(field), "called for lists that merge");
    match field {
        Some(Field::List(keys, fields)) => keyed(old, source, keys, fields),
        Some(Field::Set) => set(old, source.items()),
        Some(Field::Map(_)) | None => Ok(old),
    }
}

/// Scalars without repetitions, those of the patch first.
fn set<'s>(old: Vec<Node<'s>>, patch: &[Node<'s>]) -> Result<Vec<Node<'s>>, Fault> {
    let mut seen = SortedSet::new();
    let mut list = Vec::with_capacity(old.len() + patch.len());
    for item in patch.iter().cloned().chain(old) {
        match kind(&item) {
            Kind::Scalar if seen.insert(text(&item).into_owned()) => list.push(item),
            Kind::Scalar | Kind::Null => {}
            Kind::List | Kind::Map => return Err(expected("a scalar", &item)),
        }
    }
    Ok(list)
}

/// Where the items of one identity stand.
#[derive(Default)]
struct Places {
    first: Option<usize>,
    last: Option<usize>,
    patch: Option<usize>,
}

fn keyed<'s>(
    old: Vec<Node<'s>>,
    source: &Source<'_, 's>,
    merge_keys: &'static [&'static str],
    fields: &'static Type,
) -> Result<Vec<Node<'s>>, Fault> {
    if let Some(item) = old.iter().chain(source.items()).find(|item| matches!(kind(item), Kind::Scalar | Kind::List)) {
        return Err(expected("a map", item));
    }
    let all = || old.iter().chain(source.items());
    let keys: Vec<_> =
        merge_keys.iter().copied().filter(|key| all().any(|item| !key_text(item, key).is_empty())).collect();
    let id = |item: &Node<'_>| keys.iter().map(|key| key_text(item, key)).collect::<Vec<_>>();
    let is_whole = |id: &Vec<String>| !id.is_empty() && id.iter().all(|text| !text.is_empty());
    let patch_ids: Vec<_> = source.items().iter().map(id).collect();
    let old_ids: Vec<_> = old.iter().map(id).collect();
    if !patch_ids.iter().chain(&old_ids).all(is_whole) {
        return if all().next().is_none() { Ok(old) } else { loose::combined(old, source, merge_keys, &keys, fields) };
    }
    let mut places: SortedMap<&[String], Places> = SortedMap::new();
    for (index, id) in old_ids.iter().enumerate() {
        let places = places.entry(id).or_default();
        places.first.get_or_insert(index);
        places.last = Some(index);
    }
    for (index, id) in patch_ids.iter().enumerate() {
        places.entry(id).or_default().patch.get_or_insert(index);
    }
    let mut old: Vec<_> = old.into_iter().map(Some).collect();
    let mut taken = SortedMap::new();
    let mut order = Vec::with_capacity(places.len());
    for id in patch_ids.iter().chain(&old_ids) {
        let Some(place) = places.get(&id[..]).filter(|_| !taken.contains_key(&id[..])) else { continue };
        let value = outcome(&mut old, place, source, fields)?;
        if keys.len() == 1 || place.last.is_none() {
            order.push((None, &id[..]));
        } else {
            order.push((place.last, &id[..]));
        }
        taken.insert(&id[..], value);
    }
    // With two keys, what the object has stays where it is, after what it lacks.
    order.sort_by_key(|(last, _)| *last);
    Ok(order.into_iter().filter_map(|(_, id)| taken.remove(id).flatten()).collect())
}

/// What stands in the list for the items of one identity.
fn outcome<'s>(
    old: &mut [Option<Node<'s>>],
    place: &Places,
    source: &Source<'_, 's>,
    fields: &'static Type,
) -> Result<Option<Node<'s>>, Fault> {
    let patch = place.patch.map(|index| &source.items()[index]);
    let stays = match (place.first, patch) {
        (Some(_), Some(patch)) => directive(patch)? == Directive::Replace,
        _ => false,
    };
    if stays {
        return Ok(place.last.and_then(|index| old[index].take()));
    }
    let first = place.first.and_then(|index| old[index].take());
    let value = item(first, patch, source, fields)?;
    let Some(value) = value else { return Ok(None) };
    // None is left if the first one is the last one.
    Ok(Some(place.last.and_then(|index| old[index].take()).unwrap_or(value)))
}
