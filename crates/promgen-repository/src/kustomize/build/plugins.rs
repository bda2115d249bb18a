//! `transformers`: Kustomize's own, configured by files.
//!
//! In: an object of `apiVersion: builtin`, or another plugin. Out: the objects as that transformer leaves them. What no field of a
//! kustomization does, and other plugins, are not built.

use promgen_text::source::Span;
use promgen_text::yaml::{Data, Entry, Node};

use super::config::TransformerFields;
use super::patches::PatchScope;
use super::{patches, transform};
use crate::kustomize::fault::BuildFault;
use crate::kustomize::object::BuiltObject;
use crate::kustomize::read::fields;
use crate::kustomize::read::kustomization::Kustomization;
use crate::kustomize::read::schema::KUSTOMIZATION;
use crate::kustomize::replicas;
use crate::kustomize::spec::FieldSpec;

/// The group of Kustomize's own plugins.
const BUILT_IN: &str = "builtin";

/// Applies a transformer to objects.
///
/// # Errors
/// The transformer is not built, or fails.
pub(super) fn apply(
    objects: &mut Vec<BuiltObject>,
    plugin: &Node,
    from: &Kustomization,
    scope: PatchScope<'_, '_>,
) -> Result<(), BuildFault> {
    let budget = scope.budget;
    let text = |key: &str| plugin.get(key).and_then(Node::as_str).unwrap_or_default();
    let kind = text("kind");
    if text("apiVersion") != BUILT_IN {
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
        .get("fieldSpecs")
        .map_or(&[][..], Node::items)
        .iter()
        .map(FieldSpec::read)
        .collect();
    // What a field of a kustomization does.
    let with =
        |entries: &[(&'static str, Option<Node>)]| as_kustomization(from, plugin.span, entries);
    let one = |entries: &[(&'static str, Option<&Node>)]| map(plugin.span, entries);
    let list = |item: Node| {
        Some(Node {
            span: item.span,
            data: Data::Seq(vec![item].into()),
        })
    };
    match kind {
        "LabelTransformer" => transform::add(
            objects,
            plugin.get("labels").unwrap_or(plugin),
            &specs,
            budget,
        ),
        "AnnotationsTransformer" => transform::add(
            objects,
            plugin.get("annotations").unwrap_or(plugin),
            &specs,
            budget,
        ),
        "NamespaceTransformer" if plugin.get("unsetOnly").is_none() => {
            let namespace = plugin.find(&["metadata", "namespace"]).cloned();
            let config = TransformerFields {
                namespaces: specs,
                ..TransformerFields::default()
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
                ("namePrefix", plugin.get("prefix").cloned()),
                ("nameSuffix", plugin.get("suffix").cloned()),
            ];
            transform::rename(objects, &with(&names)?, budget)
        }
        "PatchTransformer" => {
            let keys = ["path", "patch", "target", "options"].map(|key| (key, plugin.get(key)));
            patches::apply(objects, &with(&[("patches", list(one(&keys)))])?, scope)
        }
        "PatchJson6902Transformer" => {
            let keys = [
                ("path", plugin.get("path")),
                ("patch", plugin.get("jsonOp")),
                ("target", plugin.get("target")),
            ];
            patches::apply_json(
                objects,
                &with(&[("patchesJson6902", list(one(&keys)))])?,
                scope,
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

/// A kustomization of the same folder with other fields.
fn as_kustomization(
    from: &Kustomization,
    span: Span,
    entries: &[(&'static str, Option<Node>)],
) -> Result<Kustomization, BuildFault> {
    let borrowed: Vec<_> = entries
        .iter()
        .map(|(key, value)| (*key, value.as_ref()))
        .collect();
    Ok(from.with_root(fields::checked(&map(span, &borrowed), &KUSTOMIZATION)?))
}

fn map(span: Span, entries: &[(&'static str, Option<&Node>)]) -> Node {
    let entry = |(key, value): &(&'static str, Option<&Node>)| {
        value.map(|value| Entry {
            key: (*key).into(),
            key_span: value.span,
            value: value.clone(),
        })
    };
    Node {
        span,
        data: Data::Map(entries.iter().filter_map(entry).collect()),
    }
}
