//! The order of the output.

use std::collections::BTreeSet;

use promgen_text::source::Span;
use promgen_text::yaml::Node;

use super::{add_new_id, defined_twice};
use crate::id::Id;
use crate::kustomize::fault::{BuildResult, refuse};
use crate::kustomize::object::BuiltObject;
use crate::kustomize::read::kustomization::Kustomization;
use crate::kustomize::spec::{FIRST, LAST, rank};

/// Sorts the objects of a build as the outermost kustomization demands.
///
/// # Errors
/// `sortOptions` is invalid.
pub(super) fn sort(objects: &mut [BuiltObject], kustomization: &Kustomization) -> BuildResult {
    let options = kustomization.get("sortOptions");
    let legacy = options.and_then(|options| options.get("legacySortOptions"));
    let list = |key: &str| -> Option<Vec<&str>> {
        let items = legacy?.get(key)?.items();
        Some(items.iter().filter_map(Node::as_str).collect())
    };
    let order = options.and_then(|options| options.get("order"));
    let fault = |at: &Node, message: &str| refuse(at.span, message);
    match (order, options) {
        (Some(order), _) if order.as_str() == Some("fifo") => {
            return match legacy {
                Some(_) => fault(order, "`legacySortOptions` requires `order: legacy`"),
                None => Ok(()),
            };
        }
        (Some(order), _) if order.as_str() != Some("legacy") => {
            return fault(order, "`order` must be `legacy` or `fifo`");
        }
        (None, Some(options)) => return fault(options, "`sortOptions` requires `order`"),
        (Some(_), _) | (None, None) => {}
    }
    check_unique(objects, kustomization.span)?;
    // Given options replace both lists, even if they name one of them only.
    match legacy {
        Some(_) => by_kind(
            objects,
            &list("orderFirst").unwrap_or_default(),
            &list("orderLast").unwrap_or_default(),
        ),
        None => by_kind(objects, &FIRST, &LAST),
    }
    Ok(())
}

/// A patch may have given an object the name of another.
fn check_unique(objects: &[BuiltObject], span: Span) -> BuildResult {
    let mut ids = BTreeSet::new();
    objects
        .iter()
        .try_for_each(|object| add_new_id(&mut ids, object).map_err(|id| defined_twice(&id, span)))
}

fn by_kind(objects: &mut [BuiltObject], first: &[&str], last: &[&str]) {
    objects.sort_by_cached_key(|object| {
        let id = object.id();
        (rank(&id.kind, first, last), text(&id))
    });
}

/// The text by which objects of one rank are sorted.
fn text(id: &Id) -> (String, String) {
    let or = |text: &str, absent: &str| {
        if text.is_empty() {
            absent.to_owned()
        } else {
            text.to_owned()
        }
    };
    // Namespaces of the core group come first, all else of it last.
    let group = if id.kind == "Namespace" && id.group.is_empty() {
        ""
    } else {
        &or(&id.group, "~G")
    };
    let kind = format!("{group}_{}_{}", or(&id.version, "~V"), or(&id.kind, "~K"));
    (
        kind,
        format!("{}|{}", or(&id.namespace, "~X"), or(&id.name, "~N")),
    )
}
