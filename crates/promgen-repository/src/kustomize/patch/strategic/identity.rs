//! Items of a list that merge by what identifies them.
//!
//! The rules state what stands in the list that Kustomize builds; tests compare random lists with the program. The
//! identity of an item is its texts of the keys that the list uses. An item that lacks the last of them is *partial*:
//! a port without `protocol`, where other ports have one. Items that agree in the keys before the last one are a
//! *group*: the ports of one number.
//!
//! 1. Each identity stands once. Of several items of the object, the last one stands, as the object has it. At an item,
//!    `$patch: replace` changes nothing.
//! 2. With one key, the items that the patch names come first, in its order. With two, those that it adds do.
//! 3. In a group that has a complete item, a partial item has no identity. That of a patch is left out. That of an
//!    object stands as it is, displaces the items of its group ahead of it, and keeps the patch from adding to its group.
//! 4. It also repeats the patch of one complete identity of its group: of the first, if that is ahead of it, or else of
//!    the last. A directive acts only once, so that an item that the patch deletes is back as the patch has it, and one
//!    with `$patch: replace` merges.
//! 5. In any other group, a partial item has an identity, but nothing deletes it.

use promgen_text::yaml::{Data, Entry, Node, edit};

use super::group::{Identities, IdentityRole, ItemIdentity, ItemOutcome};
use super::lists::MergeSource;
use super::{DIRECTIVE, Directive, adopted, directive, item};
use crate::kustomize::fault::BuildResult;
use crate::kustomize::patch::merge_rule::MergeRule;

/// The items of a list and its source. Each of them has all of the keys, or all but the last one.
pub(super) fn combined(
    old: Vec<Node>,
    source: &MergeSource<'_>,
    keys: &[&str],
    rule: MergeRule<'_>,
) -> BuildResult<Vec<Node>> {
    let identities = Identities::of(&old, source.items(), keys);
    let mut items = Items {
        old: old.into_iter().map(Some).collect(),
        source,
        rule,
    };
    let mut list = Vec::with_capacity(identities.all.len());
    for (place, identity) in identities.all.iter().enumerate() {
        let outcome = items.outcome(identity, identities.role(place))?;
        list.extend(outcome.and_then(|outcome| {
            Some((identities.position(place, &outcome)?, outcome.into_item()))
        }));
    }
    list.sort_by_key(|(position, _)| *position);
    Ok(list.into_iter().map(|(_, item)| item).collect())
}

/// The items of the object and of the patch.
struct Items<'p> {
    /// `None`: taken.
    old: Vec<Option<Node>>,
    source: &'p MergeSource<'p>,
    rule: MergeRule<'p>,
}

impl Items<'_> {
    /// The item for an identity, if nothing else displaces it.
    fn outcome(
        &mut self,
        identity: &ItemIdentity,
        role: IdentityRole,
    ) -> BuildResult<Option<ItemOutcome>> {
        let patch = identity.patch.map(|index| &self.source.items()[index]);
        let last = identity.old.as_ref().map(|places| places.last);
        if role == IdentityRole::Void {
            return Ok(last
                .and_then(|last| self.old[last].take())
                .map(ItemOutcome::Kept));
        }
        // The first item takes the patch, and the last one is what stands: they differ if the object repeats an
        // identity.
        let first = identity
            .old
            .as_ref()
            .and_then(|places| self.old[places.first].take());
        let is_repeated =
            |patch: &&Node| role == IdentityRole::Repeated && directive(patch).is_ok();
        let rest = patch
            .filter(is_repeated)
            .map(|patch| spent(patch, first.as_ref()));
        let value = self.once(first, patch, identity.is_partial)?;
        let is_deleted = value.is_none();
        let value = if rest.is_some() {
            item(value, rest.as_ref(), self.source, self.rule)?
        } else {
            value
        };
        Ok(value.map(|value| match last {
            _ if is_deleted => ItemOutcome::Restored(value),
            // None is left if the first one is the last one.
            Some(last) => ItemOutcome::Kept(self.old[last].take().unwrap_or(value)),
            None => ItemOutcome::Added(value),
        }))
    }

    /// The first item as the patch changes it.
    fn once(
        &self,
        first: Option<Node>,
        patch: Option<&Node>,
        is_partial: bool,
    ) -> BuildResult<Option<Node>> {
        let Some(first) = first else {
            return item(None, patch, self.source, self.rule);
        };
        let demand = match (patch, self.source) {
            (Some(patch), _) => directive(patch)?,
            (None, MergeSource::Itself) => directive(&first)?,
            (None, _) => Directive::Merge,
        };
        match (demand, patch) {
            (Directive::Replace, Some(patch)) => {
                // What is wrong with it is still wrong.
                adopted(patch, self.rule)?;
                Ok(Some(first))
            }
            (Directive::Delete, Some(_)) if is_partial => Ok(Some(first)),
            (Directive::Delete, None) if is_partial => Ok(Some(spent(&first, None))),
            _ => item(Some(first), patch, self.source, self.rule),
        }
    }
}

/// A patch that has been applied: without the directives that have acted.
fn spent(patch: &Node, old: Option<&Node>) -> Node {
    let (Data::Map(entries), Ok(directive)) = (&patch.data, directive(patch)) else {
        return patch.clone();
    };
    let within = old.filter(|old| directive == Directive::Merge && old.is_map());
    let value = |entry: &Entry| match within {
        Some(old) => spent(&entry.value, old.get(&entry.key)),
        None => entry.value.clone(),
    };
    let entries = entries.iter().filter(|entry| entry.key != DIRECTIVE);
    let entries = entries.map(|entry| edit::entry_with(entry, value(entry)));
    edit::map_of(entries.collect(), patch.span)
}
