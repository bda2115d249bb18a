//! `openapi`: the schema that says which lists merge.

use crate::kustomize::budget::Budget;
use crate::kustomize::fault::{BuildResult, refuse};
use crate::kustomize::patch::GivenTypes;
use crate::kustomize::read::kustomization::Kustomization;
use crate::kustomize::read::store::Store;

/// The release of Kubernetes whose schema Kustomize has built in.
const BUILT_IN: &str = "v1.21.2";

/// The types of the schema that a kustomization names. `None`: it names none, or the one that is built in.
///
/// # Errors
/// The file is absent or no schema, or the field is invalid.
pub(super) fn types<'b>(
    kustomization: &Kustomization,
    store: &'b Store<'_>,
    budget: &Budget,
) -> BuildResult<Option<GivenTypes<'b>>> {
    let set = |key: &str| {
        kustomization
            .get("openapi")
            .and_then(|openapi| openapi.entry(key))
    };
    let Some(path) = set("path") else {
        return match set("version") {
            Some(version) if version.value.as_str() != Some(BUILT_IN) => {
                let message = format!("Kustomize has no such version built in, only `{BUILT_IN}`");
                refuse(version.value.span, message)
            }
            _ => Ok(None),
        };
    };
    if let Some(version) = set("version") {
        return refuse(version.key_span, "`openapi` has both `path` and `version`");
    }
    let file = kustomization.file_at(store, &path.value)?;
    budget.write(file.bytes.len(), path.value.span)?;
    match file.documents()?.first() {
        Some(schema) if schema.is_map() => Ok(Some(GivenTypes::read(schema))),
        _ => refuse(path.value.span, "the file is no OpenAPI schema"),
    }
}
