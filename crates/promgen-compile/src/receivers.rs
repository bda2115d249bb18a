//! The kinds of receivers of Alertmanager, and the orders in which the operator and Alertmanager go through them.
//!
//! They stand in `facts/receivers.txt`: the keys of each kind, its fields, and what is required of it. The code that applies
//! them stands in `select` and `lower`.

pub(crate) mod table;
#[cfg(test)]
mod tests;

use crate::receivers::table::admission::{ReceiverRead, ReceiverRule, UrlForm};
use crate::receivers::table::conversion::{Conversion, Table};
use crate::receivers::table::demand::{GlobalCheck, GlobalNeed, ReceiverDemand};
use crate::receivers::table::shape::{GoScalar, KeyType, PartRule, Shape, ShapeKey};
use crate::receivers::table::{KindGate, KindSince, ReceiverKind, ReceiverList};
use promgen_resources::{api, gates};
use promgen_text::describe::Describe;

include!(concat!(env!("OUT_DIR"), "/receivers.rs"));

/// All kinds: those that come first, and the others in the order of their lists in a configuration.
pub(crate) fn ordered(
    first: &'static [&'static str],
) -> impl Iterator<Item = &'static ReceiverKind> {
    let named = |list: &&str| KINDS.iter().find(|kind| kind.list == *list);
    let others = KINDS.iter().filter(|kind| !first.contains(&kind.list));
    first.iter().filter_map(named).chain(others).copied()
}

/// The kinds that AlertmanagerConfigs have, with their lists.
pub(crate) fn listed(
    first: &'static [&'static str],
) -> impl Iterator<Item = (&'static ReceiverKind, &'static ReceiverList)> {
    ordered(first).filter_map(|kind| Some((kind, kind.resource.as_ref()?)))
}
