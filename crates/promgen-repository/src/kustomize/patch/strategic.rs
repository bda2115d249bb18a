//! Strategic merge patches, as Kustomize applies them.
//!
//! In: an object, and a patch of it. Out: the object with the values of the patch; each keeps the place where it is
//! written. Three walks share the rules: over what both have ([`merged`]), over what only the patch has ([`adopted`]),
//! and over what only the object has ([`tidied`]), because Kustomize tidies that too. `$setElementOrder`,
//! `$retainKeys` and `$deleteFromPrimitiveList` are ordinary fields to Kustomize.

mod group;
mod identity;
mod lists;

use std::collections::BTreeMap;

use promgen_text::yaml::{Data, Entry, Node};

use super::merge_rule::{MergeRule, MergeTypes};
use crate::kustomize::fault::{BuildResult, refuse};
use crate::kustomize::value::{ValueKind, describe, in_place_of, is_absent_null, kind, text};
use lists::MergeSource;
use promgen_text::CollectOrdered;
use promgen_text::yaml::edit::{entry_with, list_of, map_of};

/// The key of an instruction to the merge.
const DIRECTIVE: &str = "$patch";

/// Merges a patch into an object. `None`: the patch deletes the object.
///
/// The name, kind and namespace of the patch are merged as all other fields are: it is the caller who decides whether a
/// patch may change them.
///
/// # Errors
/// The patch has another shape than the object, or an unknown directive.
pub fn merge(object: Node, patch: &Node, types: &MergeTypes<'_>) -> BuildResult<Option<Node>> {
    merged(object, patch, MergeRule::unknown(types))
}

/// The demand of `$patch`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Directive {
    Merge,
    Replace,
    Delete,
}

/// The directive of a map.
fn directive(patch: &Node) -> BuildResult<Directive> {
    patch
        .get(DIRECTIVE)
        .map_or(Ok(Directive::Merge), named_directive)
}

fn named_directive(value: &Node) -> BuildResult<Directive> {
    match value.as_str() {
        Some("merge") => Ok(Directive::Merge),
        Some("replace") => Ok(Directive::Replace),
        Some("delete") => Ok(Directive::Delete),
        _ => refuse(
            value.span,
            "invalid `$patch`: use `merge`, `replace` or `delete`",
        ),
    }
}

/// The result for a value that both have.
fn merged(old: Node, patch: &Node, rule: MergeRule<'_>) -> BuildResult<Option<Node>> {
    match (kind(&old), kind(patch)) {
        // A null of the object is no value.
        (ValueKind::Null, _) => adopted(patch, rule),
        (_, ValueKind::Null) => Ok(None),
        (ValueKind::Scalar, ValueKind::Scalar) => Ok(Some(in_place_of(&old, patch.clone()))),
        (ValueKind::List, ValueKind::List) => merged_list(old, patch, rule),
        (ValueKind::Map, ValueKind::Map) => merged_map(old, patch, rule),
        (old, new) => {
            let message = format!(
                "the patch has {} where the object has {}",
                describe(new),
                describe(old)
            );
            refuse(patch.span, message)
        }
    }
}

fn merged_map(old: Node, patch: &Node, rule: MergeRule<'_>) -> BuildResult<Option<Node>> {
    match directive(patch)? {
        Directive::Delete => return Ok(None),
        Directive::Replace => return adopted(patch, rule),
        Directive::Merge => {}
    }
    let rule = rule.settled(&old).settled(patch);
    let mut patches: BTreeMap<&str, &Entry> = patch
        .entries()
        .iter()
        .map(|entry| (&*entry.key, entry))
        .collect_map();
    patches.remove(DIRECTIVE);
    let span = old.span;
    let Data::Map(entries) = old.data else {
        return Ok(Some(old));
    };
    let mut kept = Vec::with_capacity(entries.len() + patches.len());
    for mut entry in entries {
        let rule = rule.field(&entry.key);
        let change = patches.remove(&*entry.key);
        let value = match change {
            Some(change) => merged(entry.value, &change.value, rule)?,
            None => tidied(entry.value, rule)?,
        };
        let Some(value) = value else { continue };
        // Only if the value is the patch's as a whole, the key is, too: findings then point at the patch.
        if let Some(change) = change.filter(|change| change.value.span == value.span) {
            entry.key_span = change.key_span;
        }
        kept.push(Entry { value, ..entry });
    }
    // In the order of the patch: what the map still holds is what the object lacks.
    for entry in patch
        .entries()
        .iter()
        .filter(|entry| patches.contains_key(&*entry.key))
    {
        let rule = rule.field(&entry.key);
        let value = adopted(&entry.value, rule)?;
        kept.extend(value.map(|value| entry_with(entry, value)));
    }
    Ok(Some(map_of(kept, span)))
}

fn merged_list(old: Node, patch: &Node, rule: MergeRule<'_>) -> BuildResult<Option<Node>> {
    if !rule.merges() {
        return Ok(Some(patch.clone()));
    }
    let (directive, items) = lists::without_directive(patch.items())?;
    match directive {
        Directive::Delete => Ok(None),
        Directive::Replace => {
            let list = lists::combined(items.into_owned(), &MergeSource::Itself, rule)?;
            Ok(Some(list_of(list, patch.span)))
        }
        Directive::Merge => with_items(old, |old| {
            lists::combined(old, &MergeSource::Patch(&items), rule)
        }),
    }
}

fn with_items(
    mut list: Node,
    change: impl FnOnce(Vec<Node>) -> BuildResult<Vec<Node>>,
) -> BuildResult<Option<Node>> {
    if let Data::Seq(items) = &mut list.data {
        *items = change(std::mem::take(items).into())?.into();
    }
    Ok(Some(list))
}

/// The result for a value that only the patch has.
fn adopted(patch: &Node, rule: MergeRule<'_>) -> BuildResult<Option<Node>> {
    match kind(patch) {
        ValueKind::Null => Ok(None),
        ValueKind::Scalar => Ok(Some(patch.clone())),
        ValueKind::List if rule.merges() => with_items(patch.clone(), |items| {
            lists::combined(items, &MergeSource::Itself, rule)
        }),
        ValueKind::List => Ok(Some(patch.clone())),
        // A directive that is none stays, as a field, where the object has no such map.
        ValueKind::Map => match directive(patch) {
            Ok(Directive::Delete) => Ok(None),
            Ok(Directive::Merge | Directive::Replace) => {
                adopted_map(patch, rule, |key| key != DIRECTIVE).map(Some)
            }
            Err(_) => adopted_map(patch, rule, |_| true).map(Some),
        },
    }
}

/// The result for a value within one that only the patch has.
fn adopted_within(patch: &Node, rule: MergeRule<'_>) -> BuildResult<Option<Node>> {
    directive(patch)?;
    if kind(patch) != ValueKind::List || !rule.merges() {
        return adopted(patch, rule);
    }
    match lists::without_directive(patch.items())? {
        (Directive::Delete, _) => Ok(None),
        (Directive::Merge | Directive::Replace, items) => {
            let list = lists::combined(items.into_owned(), &MergeSource::Itself, rule)?;
            Ok(Some(list_of(list, patch.span)))
        }
    }
}

fn adopted_map(
    patch: &Node,
    rule: MergeRule<'_>,
    is_kept: impl Fn(&str) -> bool,
) -> BuildResult<Node> {
    let rule = rule.settled(patch);
    let mut entries = Vec::with_capacity(patch.entries().len());
    for entry in patch.entries().iter().filter(|entry| is_kept(&entry.key)) {
        let value = adopted_within(&entry.value, rule.field(&entry.key))?;
        entries.extend(value.map(|value| entry_with(entry, value)));
    }
    Ok(map_of(entries, patch.span))
}

/// The result for a value that only the object has.
fn tidied(old: Node, rule: MergeRule<'_>) -> BuildResult<Option<Node>> {
    match kind(&old) {
        ValueKind::Null => Ok((!is_absent_null(&old)).then_some(old)),
        ValueKind::Scalar => Ok(Some(old)),
        ValueKind::List if rule.merges() => with_items(old, |items| {
            lists::combined(items, &MergeSource::Nothing, rule)
        }),
        ValueKind::List => Ok(Some(old)),
        ValueKind::Map => {
            let rule = rule.settled(&old);
            let span = old.span;
            let Data::Map(entries) = old.data else {
                return Ok(Some(old));
            };
            let mut kept = Vec::with_capacity(entries.len());
            for entry in entries {
                let rule = rule.field(&entry.key);
                let value = tidied(entry.value, rule)?;
                kept.extend(value.map(|value| Entry {
                    key: entry.key,
                    key_span: entry.key_span,
                    value,
                }));
            }
            Ok(Some(map_of(kept, span)))
        }
    }
}

/// The result for an item that the object, the patch or both have.
fn item(
    old: Option<Node>,
    patch: Option<&Node>,
    source: &MergeSource<'_>,
    rule: MergeRule<'_>,
) -> BuildResult<Option<Node>> {
    let value = match (old, patch) {
        (Some(old), Some(patch)) => merged(old, patch, rule)?,
        (Some(old), None) if matches!(source, MergeSource::Itself) => adopted_within(&old, rule)?,
        (Some(old), None) => tidied(old, rule)?,
        (None, Some(patch)) => adopted(patch, rule)?,
        (None, None) => None,
    };
    Ok(value.filter(|value| !is_blank(value)))
}

/// Null, or a map without entries: no item of a list that merges.
fn is_blank(item: &Node) -> bool {
    item.is_null() || item.is_empty_map()
}

/// The text of an item's key; empty if it has none.
fn key_text(item: &Node, key: &str) -> String {
    item.get(key)
        .filter(|value| !value.is_null())
        .map(|value| text(value).into_owned())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests;
