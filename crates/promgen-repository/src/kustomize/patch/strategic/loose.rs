//! Lists that merge by keys, where an item lacks a key.
//!
//! Kustomize then compares items by the keys that they have, and deletes and replaces by comparison as well, so that
//! one item can displace others: ports without `protocol` beside ports with it are the common case. A forgotten `name`
//! in a patch even empties the list. The steps are Kustomize's, because each can be seen in the result.

use promgen_text::yaml::Node;

use super::lists::Source;
use super::{DIRECTIVE, Directive, directive, is_blank, item, key_text};
use crate::kustomize::fault::Fault;
use crate::kustomize::patch::merge_keys::Type;
use crate::kustomize::value::{set, string, text};

/// Every item is compared with every other, so such lists must be short.
const MAX_ITEMS: usize = 1000;

/// The items of a list and its source together. `used` are those merge keys that any item has.
pub(super) fn combined<'s>(
    old: Vec<Node<'s>>,
    source: &Source<'_, 's>,
    merge_keys: &'static [&'static str],
    used: &[&'static str],
    fields: &'static Type,
) -> Result<Vec<Node<'s>>, Fault> {
    if let Some(item) = old.get(MAX_ITEMS).or(source.items().get(MAX_ITEMS)) {
        let message = format!("a list of more than {MAX_ITEMS} items, some of which lack a merge key");
        return Err(Fault::new(item.span, message));
    }
    let ids = identities(source.items().iter().chain(&old), merge_keys);
    let keys = if used.is_empty() { merge_keys } else { used };
    let patch = source.items().to_vec();
    let mut lists = Lists { old, new: Vec::new(), patch, source, keys, fields };
    for id in &ids {
        let parts = merge_keys.iter().zip(id).filter(|(key, _)| keys.contains(key));
        let id: Vec<_> = parts.map(|(_, text)| text.clone()).collect();
        lists.merge(&id)?;
    }
    Ok(lists.joined())
}

/// The identities of items, once each, where one that lacks a key takes over that of another that agrees with it.
fn identities<'n, 's: 'n>(items: impl Iterator<Item = &'n Node<'s>>, keys: &[&str]) -> Vec<Vec<String>> {
    let mut ids: Vec<Vec<String>> = Vec::new();
    for item in items {
        let id: Vec<_> = keys.iter().map(|key| key_text(item, key)).collect();
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    for i in 0..ids.len() {
        let id = ids[i].clone();
        for j in 0..ids.len() {
            if let Some(union) = union(&id, &ids[j]) {
                ids[i].clone_from(&union);
                ids[j] = union;
            }
        }
    }
    ids
}

/// The identity of both, if they share a part and differ only in what one of them lacks.
fn union(a: &[String], b: &[String]) -> Option<Vec<String>> {
    let agree = a.iter().zip(b).all(|(a, b)| a == b || a.is_empty() || b.is_empty());
    let share = a.iter().zip(b).any(|(a, b)| a == b);
    (agree && share).then(|| a.iter().zip(b).map(|(a, b)| if a.is_empty() { b.clone() } else { a.clone() }).collect())
}

struct Lists<'p, 's> {
    old: Vec<Node<'s>>,
    new: Vec<Node<'s>>,
    patch: Vec<Node<'s>>,
    source: &'p Source<'p, 's>,
    keys: &'p [&'static str],
    fields: &'static Type,
}

impl<'s> Lists<'_, 's> {
    /// Merges what has an identity, and puts it on the new list.
    fn merge(&mut self, id: &[String]) -> Result<(), Fault> {
        let at = self.old.iter().position(|item| self.is_named(item, id));
        let patch_at = self.patch.iter().position(|item| self.is_named(item, id));
        let patch = patch_at.map(|at| &self.patch[at]);
        let value = item(at.map(|at| self.old[at].clone()), patch, self.source, self.fields)?;
        let asked = patch.map_or(Ok(Directive::Merge), directive)?;
        // A directive is read once. An item can be merged again, for another identity that became the same.
        if let Some(at) = patch_at {
            self.patch[at] = self.patch[at].without_key(DIRECTIVE);
        }
        if let Some(at) = at.filter(|_| matches!(self.source, Source::Itself)) {
            self.old[at] = self.old[at].without_key(DIRECTIVE);
        }
        let Some(mut value) = value else {
            remove(&mut self.old, self.keys, id);
            return Ok(());
        };
        let stays = at.is_some() && asked == Directive::Replace;
        if let Some(at) = at.filter(|_| !stays) {
            self.old[at] = value.clone();
        }
        let span = value.span;
        for (key, text) in self.keys.iter().zip(id) {
            if !text.is_empty() && value.get(key).is_none() {
                set(&mut value, key, span, string(text.clone(), span));
            }
        }
        put(&mut self.new, self.keys, id, value);
        Ok(())
    }

    /// Whether an item has all keys that an identity has.
    fn is_named(&self, item: &Node<'_>, id: &[String]) -> bool {
        let has = |(key, wanted): (&&str, &String)| item.get(key).is_some_and(|value| text(value) == *wanted);
        let named = self.keys.iter().zip(id).filter(|(_, text)| !text.is_empty());
        if named.clone().next().is_some() { named.into_iter().all(has) } else { self.keys.iter().zip(id).all(has) }
    }

    /// The new list, and after it the old items, which displace new ones of the same keys.
    fn joined(mut self) -> Vec<Node<'s>> {
        for item in std::mem::take(&mut self.old) {
            let texts = |key: &&&str| item.get(key).map(|value| text(value).into_owned());
            let id: Vec<String> = self.keys.iter().filter_map(|key| texts(&key)).collect();
            if id.len() < self.keys.len() {
                self.new.push(item.clone());
            }
            if self.keys.len() > 1 {
                remove(&mut self.new, self.keys, &id);
            }
            put(&mut self.new, self.keys, &id, item);
        }
        self.new
    }
}

/// Whether an item has the first keys of an identity. An empty text stands for any.
fn has(item: &Node<'_>, keys: &[&str], id: &[String]) -> bool {
    let agrees = |(key, wanted): (&&str, &String)| {
        item.get(key).is_some_and(|value| wanted.is_empty() || text(value) == *wanted)
    };
    !id.is_empty() && keys.iter().zip(id).all(agrees)
}

/// Removes the items of an identity; the empty identity removes all.
fn remove(items: &mut Vec<Node<'_>>, keys: &[&str], id: &[String]) {
    items.retain(|item| !id.is_empty() && !is_blank(item) && !has(item, keys, id));
}

/// Puts an item in the place of each that has its identity, or at the end.
fn put<'s>(items: &mut Vec<Node<'s>>, keys: &[&str], id: &[String], value: Node<'s>) {
    items.retain(|item| !id.is_empty() && !is_blank(item));
    let mut found = false;
    for item in items.iter_mut().filter(|item| has(item, keys, id)) {
        *item = value.clone();
        found = true;
    }
    if !found {
        items.push(value);
    }
}
