//! `namespace`, `namePrefix`, `nameSuffix`, labels and annotations.

use std::collections::{BTreeMap, BTreeSet};

use promgen_text::route::Segment;
use promgen_text::source::Span;
use promgen_text::yaml::{Data, Entry, Node, edit};

use super::add_new_id;
use super::config::{TransformerFields, add_new, conflict};
use crate::id::Id;
use crate::kustomize::budget::Budget;
use crate::kustomize::fault::{BuildFault, BuildResult, refuse};
use crate::kustomize::object::BuiltObject;
use crate::kustomize::read::kustomization::Kustomization;
use crate::kustomize::read::value;
use crate::kustomize::spec::FieldSpec;
use crate::kustomize::tables;

/// Sets the namespace of all objects that have one.
///
/// # Errors
/// Two objects become the same.
pub(super) fn namespace(
    objects: &mut [BuiltObject],
    kustomization: &Kustomization,
    config: &TransformerFields,
    budget: &Budget,
) -> BuildResult {
    let Some(namespace) = kustomization.text("namespace") else {
        return Ok(());
    };
    let mut ids = BTreeSet::new();
    for object in objects.iter_mut() {
        object.store_id();
        budget.write_id(&object.id(), namespace.span)?;
        // The namespace stands in the identity and in the key of the object, too.
        budget.write(3 * namespace.as_str().map_or(0, str::len), namespace.span)?;
        spend(&config.namespaces, namespace.span, budget)?;
        set_namespace(object, namespace, config)?;
        object.refresh_id();
        add_new_id(&mut ids, object)
            .map_err(|id| BuildFault::new(namespace.span, format!("two objects become {id}")))?;
    }
    Ok(())
}

fn set_namespace(
    object: &mut BuiltObject,
    namespace: &Node,
    config: &TransformerFields,
) -> BuildResult {
    let id = object.id();
    let is_kept = |own: Option<&Node>| config.keeps_namespaces && own.is_some_and(Node::is_set);
    let set = |parent: &mut Node| {
        if !is_kept(parent.get("namespace")) {
            edit::set(parent, "namespace", namespace.span, namespace.clone());
        }
    };
    if !id.is_cluster_scoped()
        && let Some(metadata) =
            edit::get_or_insert(&mut object.node, "metadata", || edit::map(namespace.span))
    {
        set(metadata);
    }
    if matches!(id.kind.as_str(), "RoleBinding" | "ClusterRoleBinding") {
        default_subjects(&mut object.node).for_each(set);
    }
    // `metadata.namespace` is set in any case.
    let is_other = |spec: &&FieldSpec| spec.path != "metadata/namespace" && spec.of.selects(&id);
    for spec in config.namespaces.iter().filter(is_other) {
        spec.visit(&mut object.node, Some(namespace.span), &mut |node, _| {
            if !is_kept(Some(node)) {
                *node = namespace.clone();
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// Only the default account is in every namespace; others are found by their names.
fn default_subjects(object: &mut Node) -> impl Iterator<Item = &mut Node> {
    let subjects = match object
        .get_mut("subjects")
        .map(|subjects| &mut subjects.data)
    {
        Some(Data::Seq(items)) => items.as_mut_slice(),
        _ => &mut [],
    };
    subjects
        .iter_mut()
        .filter(|subject| subject.text_of("name") == Some("default"))
}

/// Adds prefix and suffix to the names.
pub(super) fn rename(
    objects: &mut [BuiltObject],
    kustomization: &Kustomization,
    budget: &Budget,
) -> BuildResult {
    let text = |key: &str| {
        kustomization
            .text(key)
            .and_then(Node::as_str)
            .unwrap_or_default()
    };
    let (prefix, suffix) = (text("namePrefix"), text("nameSuffix"));
    for object in objects
        .iter_mut()
        .filter(|object| !keeps_name(&object.original_id()))
    {
        // Each is a change of its own, which leaves an identity behind.
        for (prefix, suffix) in [(prefix, ""), ("", suffix)] {
            let affix = [prefix, suffix].concat();
            if affix.is_empty() {
                continue;
            }
            // The name stands in the object and in its identity, and the affix beside them.
            budget.write(3 * affix.len(), kustomization.span)?;
            budget.write_id(&object.id(), kustomization.span)?;
            object.store_id();
            let name = format!("{prefix}{}{suffix}", object.id().name);
            let affixes = if suffix.is_empty() {
                &mut object.prefixes
            } else {
                &mut object.suffixes
            };
            affixes.push(affix);
            edit::rename(&mut object.node, name);
            object.refresh_id();
        }
    }
    Ok(())
}

fn keeps_name(id: &Id) -> bool {
    match id.kind.as_str() {
        "CustomResourceDefinition" | "Namespace" => true,
        "APIService" => id.group == "apiregistration.k8s.io",
        _ => false,
    }
}

/// Adds labels and annotations.
///
/// # Errors
/// A field leads through a value that is neither map nor list.
pub(super) fn metadata(
    objects: &mut [BuiltObject],
    kustomization: &Kustomization,
    config: &TransformerFields,
    budget: &Budget,
) -> BuildResult {
    for label in kustomization.items("labels") {
        let Some(pairs) = label.get("pairs") else {
            continue;
        };
        let specs = label_specs(label, config);
        let specs = specs.map_err(|path| conflict("labels", &path, label.span))?;
        add(objects, pairs, &specs, budget)?;
    }
    if let Some(pairs) = kustomization.get("commonLabels") {
        add(objects, pairs, &config.common_labels, budget)?;
    }
    if let Some(pairs) = kustomization.get("commonAnnotations") {
        add(objects, pairs, &config.common_annotations, budget)?;
    }
    Ok(())
}

/// The fields of an entry of `labels`. The path that contradicts another if two do.
fn label_specs(label: &Node, config: &TransformerFields) -> Result<Vec<FieldSpec>, String> {
    let mut specs: Vec<_> = label
        .items_of("fields")
        .iter()
        .map(FieldSpec::read)
        .collect();
    if label.is_true("includeSelectors") {
        add_new(&mut specs, config.common_labels.clone())?;
        return Ok(specs);
    }
    if label.is_true("includeTemplates") {
        add_new(&mut specs, config.template_labels.clone())?;
    }
    add_new(&mut specs, tables::fields("metadataLabels"))?;
    Ok(specs)
}

/// Adds labels or annotations to fields.
///
/// # Errors
/// A field leads through a value that is neither map nor list.
pub(super) fn add(
    objects: &mut [BuiltObject],
    pairs: &Node,
    specs: &[FieldSpec],
    budget: &Budget,
) -> BuildResult {
    let entries = edit::sorted_entries(pairs);
    for object in objects {
        let id = object.id();
        budget.visit(entries.len(), pairs.span)?;
        spend(specs, pairs.span, budget)?;
        let mut places = vec![Vec::new(); entries.len()];
        for spec in specs.iter().filter(|spec| spec.of.selects(&id)) {
            spec.visit(&mut object.node, Some(pairs.span), &mut |node, way| {
                budget.write_node(pairs, pairs.span)?;
                add_entries(node, way, &entries, pairs.span, spec, &mut places)
            })?;
        }
        budget.visit(object.shared_steps(), pairs.span)?;
        object.settle_shared();
        for (entry, ways) in entries.iter().zip(places) {
            object.shared.add(entry.value.clone(), ways);
        }
    }
    Ok(())
}

/// Spends what it takes to find fields in an object, and to make those that are absent.
fn spend(specs: &[FieldSpec], at: Span, budget: &Budget) -> BuildResult {
    let n_made = specs.iter().filter(|spec| spec.create).count();
    // Those that are made may stand in one map, which is looked through for each.
    budget.visit(specs.len() / 4 + n_made * n_made / 64, at)?;
    budget.write(n_made.saturating_sub(USUAL_FIELDS) * MADE, at)
}

/// The number of fields that Kustomize itself makes, at most.
const USUAL_FIELDS: usize = 64;

/// The memory of a field that is made, about.
const MADE: usize = 300;

/// Adds entries to the map that a field is. `places` gets the way to each that was absent.
fn add_entries(
    node: &mut Node,
    way: &[Segment],
    entries: &[&Entry],
    place: Span,
    spec: &FieldSpec,
    places: &mut [Vec<Vec<Segment>>],
) -> BuildResult {
    if node.is_null() {
        *node = edit::map(place);
    }
    let Data::Map(map) = &mut node.data else {
        return refuse(node.span, format!("field `{}` is no map", spec.path));
    };
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    for (index, entry) in map.iter().enumerate() {
        known.entry(entry.key.to_string()).or_insert(index);
    }
    for (entry, ways) in entries.iter().zip(places) {
        match known.get(&*entry.key) {
            Some(index) => map[*index] = (*entry).clone(),
            None => {
                let last = Segment::Key(entry.key.to_string().into());
                ways.push(way.iter().cloned().chain([last]).collect());
                map.push((*entry).clone());
            }
        }
    }
    Ok(())
}

/// Makes texts of annotations that are none, as Kustomize does, and removes an empty map of them. `raw` is the text that
/// a value has in its file.
pub(super) fn settle_annotations<'s>(object: &mut Node, raw: impl Fn(&Node) -> &'s str) {
    edit::settle_texts(object, "annotations", |node| {
        let text = raw(node);
        value::to_text(node, text);
    });
}
