//! The order of the output.

use std::collections::BTreeSet;

use promgen_text::source::Span;
use promgen_text::yaml::Node;

use crate::id::Id;
use crate::kustomize::fault::BuildFault;
use crate::kustomize::object::BuiltObject;
use crate::kustomize::read::kustomization::Kustomization;
use crate::kustomize::spec::{FIRST, LAST, rank};

/// Sorts the objects of a build as the outermost kustomization demands.
///
/// # Errors
/// `sortOptions` is invalid.
pub(super) fn sort(
    objects: &mut [BuiltObject],
    kustomization: &Kustomization,
) -> Result<(), BuildFault> {
    let options = kustomization.get("sortOptions");
    let legacy = options.and_then(|options| options.get("legacySortOptions"));
    let list = |key: &str| -> Option<Vec<&str>> {
        let items = legacy?.get(key)?.items();
        Some(items.iter().filter_map(Node::as_str).collect())
    };
    match options.and_then(|options| options.get("order")) {
        Some(order) if order.as_str() == Some("fifo") => {
            if legacy.is_some() {
                return Err(BuildFault::new(
                    order.span,
                    "`legacySortOptions` requires `order: legacy`",
                ));
            }
            Ok(())
        }
        Some(order) if order.as_str() != Some("legacy") => Err(BuildFault::new(
            order.span,
            "`order` must be `legacy` or `fifo`",
        )),
        Some(_) => {
            let (first, last) = (list("orderFirst"), list("orderLast"));
            let is_default = legacy.is_none();
            // Given options replace both lists, even if they name one of them only.
            let first = first.unwrap_or_else(|| {
                if is_default {
                    FIRST.to_vec()
                } else {
                    Vec::new()
                }
            });
            let last = last.unwrap_or_else(|| {
                if is_default {
                    LAST.to_vec()
                } else {
                    Vec::new()
                }
            });
            check_unique(objects, kustomization.span)?;
            by_kind(objects, &first, &last);
            Ok(())
        }
        None => {
            if let Some(options) = options {
                return Err(BuildFault::new(
                    options.span,
                    "`sortOptions` requires `order`",
                ));
            }
            check_unique(objects, kustomization.span)?;
            by_kind(objects, &FIRST, &LAST);
            Ok(())
        }
    }
}

/// A patch may have given an object the name of another.
fn check_unique(objects: &[BuiltObject], span: Span) -> Result<(), BuildFault> {
    let mut ids = BTreeSet::new();
    match objects
        .iter()
        .find(|object| !ids.insert(super::key(object)))
    {
        Some(object) => Err(BuildFault::new(
            span,
            format!("{} is defined twice", object.id()),
        )),
        None => Ok(()),
    }
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
