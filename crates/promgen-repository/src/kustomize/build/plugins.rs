//! `transformers`: Kustomize's own, configured by objects.
//!
//! In: an object of `apiVersion: builtin`, or another plugin. Out: the objects as that transformer leaves them. What no field of a
//! kustomization does, and other plugins, are not built.

use promgen_text::source::Span;
use promgen_text::yaml::{Entry, Node, edit};

use super::config::{DEFAULT, TransformerFields};
use super::patches::PatchScope;
use super::{patches, transform};
use crate::kustomize::fault::{BuildFault, BuildResult};
use crate::kustomize::object::BuiltObject;
use crate::kustomize::read::fields;
use crate::kustomize::read::schema::KUSTOMIZATION;
use crate::kustomize::replicas;
use crate::kustomize::spec::FieldSpec;

/// The group of Kustomize's own plugins.
const BUILT_IN: &str = "builtin";

/// Returns whether a plugin is one of Kustomize's own.
pub(super) fn is_built_in(plugin: &Node) -> bool {
    plugin.text_of("apiVersion") == Some(BUILT_IN)
}

/// Returns whether a plugin is what `replacements` does.
pub(super) fn is_replacement(plugin: &Node) -> bool {
    is_built_in(plugin) && plugin.text_of("kind") == Some("ReplacementTransformer")
}

/// Applies a transformer to objects.
///
/// # Errors
/// The transformer is not built, or fails.
pub(super) fn apply(
    objects: &mut Vec<BuiltObject>,
    plugin: &Node,
    scope: PatchScope<'_, '_>,
) -> BuildResult {
    let budget = scope.budget;
    let text = |key: &str| plugin.text_of(key).unwrap_or_default();
    let kind = text("kind");
    if !is_built_in(plugin) {
        let message = format!("{kind}: plugins are not run");
        return Err(BuildFault {
            cause: Some("plugins are not run"),
            ..BuildFault::unsupported(plugin.span, message)
        });
    }
    let unsupported = |what: &str| {
        BuildFault::unsupported(plugin.span, format!("{what} cannot be built by promgen"))
    };
    let specs: Vec<FieldSpec> = plugin
        .items_of("fieldSpecs")
        .iter()
        .map(FieldSpec::read)
        .collect();
    // What fields of a kustomization do.
    let with = |entries: &[(&'static str, Option<&Node>)]| {
        let fields = fields::checked(&map(plugin.span, entries), &KUSTOMIZATION)?;
        Ok::<_, BuildFault>(scope.kustomization.with_root(fields))
    };
    // The same for a field that is a list of one entry.
    let with_entry = |key: &'static str, entries: &[(&'static str, Option<&Node>)]| {
        let list = edit::list_of(vec![map(plugin.span, entries)], plugin.span);
        with(&[(key, Some(&list))])
    };
    match kind {
        "LabelTransformer" | "AnnotationsTransformer" => {
            let key = if kind == "LabelTransformer" {
                "labels"
            } else {
                "annotations"
            };
            transform::add(objects, plugin.get(key).unwrap_or(plugin), &specs, budget)
        }
        "NamespaceTransformer" => {
            let namespace = plugin.find(&["metadata", "namespace"]);
            let config = TransformerFields {
                namespaces: specs,
                keeps_namespaces: plugin.is_true("unsetOnly"),
                ..DEFAULT.clone()
            };
            transform::namespace(
                objects,
                &with(&[("namespace", namespace)])?,
                &config,
                budget,
            )
        }
        "PrefixTransformer" | "SuffixTransformer"
            if specs.iter().all(|spec| spec.path == "metadata/name") =>
        {
            if specs.is_empty() {
                return Ok(());
            }
            let names = [
                ("namePrefix", plugin.get("prefix")),
                ("nameSuffix", plugin.get("suffix")),
            ];
            transform::rename(objects, &with(&names)?, budget)
        }
        "PatchTransformer" => {
            let keys = ["path", "patch", "target", "options"].map(|key| (key, plugin.get(key)));
            let kustomization = &with_entry("patches", &keys)?;
            patches::apply(
                objects,
                PatchScope {
                    kustomization,
                    ..scope
                },
            )
        }
        "PatchJson6902Transformer" => {
            let keys = [("path", "path"), ("patch", "jsonOp"), ("target", "target")]
                .map(|(key, own)| (key, plugin.get(own)));
            let kustomization = &with_entry("patchesJson6902", &keys)?;
            patches::apply_json(
                objects,
                PatchScope {
                    kustomization,
                    ..scope
                },
            )
        }
        "ReplicaCountTransformer" => {
            let entry = plugin
                .get("replica")
                .ok_or_else(|| unsupported("a ReplicaCountTransformer without `replica`"))?;
            budget.visit(objects.len(), entry.span)?;
            objects
                .iter_mut()
                .try_for_each(|object| replicas::apply(object, entry).map(drop))
        }
        kind => Err(unsupported(&format!("`{kind}`"))),
    }
}

fn map(span: Span, entries: &[(&'static str, Option<&Node>)]) -> Node {
    let entry = |(key, value): &(&'static str, Option<&Node>)| {
        value.map(|value| Entry {
            key: (*key).into(),
            key_span: value.span,
            value: value.clone(),
        })
    };
    edit::map_of(entries.iter().filter_map(entry).collect(), span)
}
