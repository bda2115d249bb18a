//! `patches`, `patchesStrategicMerge` and `patchesJson6902`: which patch changes which object.

use promgen_resources::unknown::is_filled_in_later;
use promgen_text::source::Span;
use promgen_text::suggest::closest;
use promgen_text::yaml::{Data, Node, edit};

use crate::id::Id;
use crate::kustomize::budget::{Budget, PatchUse};
use crate::kustomize::fault::{BuildFault, BuildResult, refuse};
use crate::kustomize::object::BuiltObject;
use crate::kustomize::patch::{MergeTypes, PatchSelector, json6902_within, strategic_merge};
use crate::kustomize::read::inline::inline;
use crate::kustomize::read::kustomization::Kustomization;
use crate::kustomize::read::store::Store;
use crate::kustomize::read::value;
use crate::kustomize::value::size;

/// The steps that it takes to compile the expressions of a selector.
const EXPRESSIONS: usize = 500;

/// The steps that it takes to compile a big one.
const BIG_EXPRESSION: usize = 200_000;

/// The steps that a selector takes to judge an object.
const SELECTION: usize = 12;

/// The fields that a patch may change besides its usual ones.
#[derive(Clone, Copy, Debug, Default)]
struct PatchOptions {
    name: bool,
    kind: bool,
}

/// The means by which patches are applied.
#[derive(Clone, Copy)]
pub(super) struct PatchScope<'p, 's> {
    pub(super) kustomization: &'p Kustomization,
    pub(super) store: &'p Store<'s>,
    pub(super) budget: &'p Budget,
    pub(super) types: &'p MergeTypes<'p>,
}

/// Applies `patchesStrategicMerge`, then `patches`.
///
/// # Errors
/// An invalid patch, or one without an object.
pub(super) fn apply(objects: &mut Vec<BuiltObject>, scope: PatchScope<'_, '_>) -> BuildResult {
    let kustomization = scope.kustomization;
    let mut patches = Vec::new();
    for entry in kustomization.items("patchesStrategicMerge") {
        match scope.merge_documents(entry) {
            Ok(documents) => {
                documents.iter().try_for_each(check_object)?;
                patches.extend(documents);
            }
            Err(fault) => scope.leave_out(objects, fault)?,
        }
    }
    // All are read before the first is applied, so that an invalid one is the error, whatever the others do.
    for patch in &mut patches {
        copy_metadata(patch, scope.store);
        merge_by_id(objects, patch, PatchOptions::default(), scope)?;
    }
    for entry in kustomization.items("patches") {
        apply_entry(objects, entry, scope)?;
    }
    Ok(())
}

/// Applies `patchesJson6902`.
///
/// # Errors
/// An invalid patch, or one that does not fit.
pub(super) fn apply_json(objects: &mut [BuiltObject], scope: PatchScope<'_, '_>) -> BuildResult {
    for entry in scope.kustomization.items("patchesJson6902") {
        let Some(target) = entry.get("target") else {
            return refuse(entry.span, "the patch requires `target`");
        };
        let patch = match scope.patch(entry) {
            Ok(patch) => patch,
            Err(fault) => {
                scope.leave_out(objects, fault)?;
                continue;
            }
        };
        let Patch::Operations(operations) = patch else {
            return refuse(entry.span, "the patch requires a list of operations");
        };
        let selector = scope.selector(target)?;
        scope.spend_selection(objects, entry.span)?;
        scope.note_use(objects, target, &selector);
        for object in objects.iter_mut().filter(|object| selector.matches(object)) {
            operate(object, &operations, scope.budget)?;
        }
    }
    Ok(())
}

impl PatchScope<'_, '_> {
    /// Goes on without a patch, which may change any object.
    fn leave_out(self, objects: &mut [BuiltObject], fault: BuildFault) -> BuildResult {
        self.budget.leave_out(&self.kustomization.folder, fault)?;
        objects.iter_mut().for_each(|object| object.is_open = true);
        Ok(())
    }

    fn selector(self, target: &Node) -> BuildResult<PatchSelector> {
        let selector = PatchSelector::read(target)?;
        let n_steps = EXPRESSIONS + BIG_EXPRESSION * selector.n_big();
        self.budget.visit(n_steps, target.span)?;
        Ok(selector)
    }

    fn spend_selection(self, objects: &[BuiltObject], at: Span) -> BuildResult {
        self.budget.visit(SELECTION * objects.len(), at)
    }

    /// Takes note of whether a patch selects anything: Kustomize says nothing of one that does not.
    fn note_use(self, objects: &[BuiltObject], target: &Node, selector: &PatchSelector) {
        // Once it is filled in, the target may name an object.
        let is_used = self.budget.lacks_objects()
            || is_filled_in_later(target)
            || objects.iter().any(|object| selector.matches(object));
        let text = |key: &str| target.text_of(key).filter(|text| !text.is_empty());
        let keys = [
            "group",
            "version",
            "kind",
            "name",
            "namespace",
            "labelSelector",
            "annotationSelector",
        ];
        let what: Vec<String> = keys
            .into_iter()
            .filter_map(|key| Some(format!("{key} {}", text(key)?)))
            .collect();
        let nearly = (!is_used).then(|| self.nearly(objects, target)).flatten();
        let (key, meant) = nearly.unzip();
        self.budget.note_patch(PatchUse {
            target: target.span,
            place: target.get(key.unwrap_or("name")).unwrap_or(target).span,
            is_used,
            what: what.join(", "),
            meant,
        });
    }

    /// The field of a target but for which it selects objects, with what they have there.
    fn nearly(self, objects: &[BuiltObject], target: &Node) -> Option<(&'static str, String)> {
        let keys = ["namespace", "name", "kind", "group", "version"];
        keys.into_iter().find_map(|key| {
            let written = target.text_of(key).filter(|text| !text.is_empty())?;
            let others = self.selector(&target.without_key(key)).ok()?;
            self.spend_selection(objects, target.span).ok()?;
            let found = objects.iter().filter(|object| others.matches(object));
            let found: Vec<Id> = found.map(BuiltObject::id).collect();
            let Id { kind, name, .. } = found.first()?;
            let value = |id: &'_ Id| match key {
                "namespace" => id.namespace.clone(),
                "name" => id.name.clone(),
                "kind" => id.kind.clone(),
                "group" => id.group.clone(),
                _ => id.version.clone(),
            };
            let values: Vec<String> = found.iter().map(value).collect();
            let help = match (key, values.first()?.as_str()) {
                ("name" | "kind", _) => {
                    let meant = closest(written, values.iter().map(String::as_str))?;
                    format!("did you mean `{meant}`?")
                }
                ("namespace", "") => {
                    format!("{kind} {name} has no namespace when the patch is applied")
                }
                ("namespace", own) => format!("{kind} {name} is in namespace `{own}`"),
                (_, "") => format!("{kind} {name} has no {key}"),
                (_, own) => format!("{kind} {name} is of {key} `{own}`"),
            };
            Some((key, help))
        })
    }

    /// The patches of an entry of `patchesStrategicMerge`: in it, or in the file that it names.
    fn merge_documents(self, entry: &Node) -> BuildResult<Vec<Node>> {
        // A text that is a path is no map when it is read as YAML.
        if let Ok(documents) = inline(entry, self.store)
            && documents.iter().any(|document| document.is_map())
        {
            return Ok(documents);
        }
        let documents = self.kustomization.file_at(self.store, entry)?.documents()?;
        Ok(documents
            .iter()
            .flat_map(|document| items(document))
            .cloned()
            .collect())
    }

    /// The patch of an entry of `patches` or `patchesJson6902`.
    fn patch(self, entry: &Node) -> BuildResult<Patch> {
        let set = |key: &str| entry.get(key).filter(|node| node.as_str() != Some(""));
        let (documents, text, span) = match (set("path"), set("patch")) {
            (Some(_), Some(patch)) => {
                return refuse(patch.span, "the patch has both `path` and `patch`");
            }
            (None, None) => {
                return refuse(entry.span, "the patch requires `path` or `patch`");
            }
            (Some(path), None) => {
                let file = self.kustomization.file_at(self.store, path)?;
                let documents = file
                    .documents()?
                    .iter()
                    .map(|document| Node::clone(document));
                (
                    documents.collect(),
                    file.text.unwrap_or_default(),
                    path.span,
                )
            }
            (None, Some(patch)) => (
                inline(patch, self.store)?,
                patch.as_str().unwrap_or_default(),
                patch.span,
            ),
        };
        documents
            .iter()
            .try_for_each(|document| self.budget.write_node(document, span))?;
        match documents.as_slice() {
            [] => refuse(span, "the patch is empty"),
            [list] if list.is_list() => {
                // What begins as JSON has to be JSON.
                if text.starts_with('[') && serde_json::from_str::<serde_json::Value>(text).is_err()
                {
                    return refuse(list.span, "the operations are not valid JSON");
                }
                Ok(Patch::Operations(list.clone()))
            }
            documents => {
                let documents: Vec<_> = documents.iter().flat_map(items).cloned().collect();
                documents.iter().try_for_each(check_object)?;
                Ok(Patch::Merges(documents))
            }
        }
    }
}

/// The items of a list of objects, or the object.
fn items(document: &Node) -> impl Iterator<Item = &Node> {
    let is_list = document
        .text_of("kind")
        .is_some_and(|kind| kind.ends_with("List"));
    let list = document.get("items").filter(|_| is_list);
    list.map_or(std::slice::from_ref(document), Node::items)
        .iter()
}

/// The content of a patch.
enum Patch {
    Merges(Vec<Node>),
    Operations(Node),
}

fn check_object(patch: &Node) -> BuildResult {
    let id = Id::read(patch);
    if id.kind.is_empty() {
        return refuse(patch.span, "the patch requires `kind`");
    }
    if id.name.is_empty() {
        return refuse(patch.span, "the patch requires `metadata.name`");
    }
    Ok(())
}

fn apply_entry(
    objects: &mut Vec<BuiltObject>,
    entry: &Node,
    scope: PatchScope<'_, '_>,
) -> BuildResult {
    let flag = |key: &str| {
        entry
            .find(&["options", key])
            .is_some_and(|value| value.data == Data::Bool(true))
    };
    let options = PatchOptions {
        name: flag("allowNameChange"),
        kind: flag("allowKindChange"),
    };
    let patch = match scope.patch(entry) {
        Ok(patch) => patch,
        Err(fault) => return scope.leave_out(objects, fault),
    };
    let mut selector = None;
    if let Some(target) = entry.get("target") {
        let selector = selector.insert(scope.selector(target)?);
        scope.note_use(objects, target, selector);
    }
    match (patch, selector) {
        (Patch::Merges(patches), None) => patches
            .iter()
            .try_for_each(|patch| merge_by_id(objects, patch, options, scope)),
        (Patch::Merges(patches), Some(selector)) => {
            let [patch] = patches.as_slice() else {
                return refuse(
                    entry.span,
                    "a patch of several documents cannot have a `target`",
                );
            };
            let mut patch = patch.clone();
            copy_metadata(&mut patch, scope.store);
            scope.spend_selection(objects, entry.span)?;
            merge_selected(objects, &patch, &selector, options, scope)
        }
        (Patch::Operations(_), None) => {
            refuse(entry.span, "a patch of operations requires `target`")
        }
        (Patch::Operations(operations), Some(selector)) => {
            scope.spend_selection(objects, entry.span)?;
            for object in objects.iter_mut().filter(|object| selector.matches(object)) {
                // Unlike `patchesJson6902`, `patches` keeps the name from before.
                object.store_id();
                scope.budget.write_id(&object.id(), entry.span)?;
                with_annotations(object, |object| operate(object, &operations, scope.budget))?;
            }
            Ok(())
        }
    }
}

/// Kustomize keeps the name from before in annotations, so that an object has some while it is patched.
fn with_annotations(
    object: &mut BuiltObject,
    patch: impl FnOnce(&mut BuiltObject) -> BuildResult,
) -> BuildResult {
    let span = object.node.span;
    if let Some(metadata) = edit::get_or_insert(&mut object.node, "metadata", || edit::map(span)) {
        edit::get_or_insert(metadata, "annotations", || edit::map(span));
    }
    patch(object)?;
    let Some(metadata) = object.node.get_mut("metadata") else {
        return Ok(());
    };
    let is_empty = |node: &Node| node.is_null() || node.is_empty_map();
    if metadata.get("annotations").is_some_and(is_empty) {
        edit::remove(metadata, "annotations");
    }
    Ok(())
}

/// Kustomize copies labels and annotations of some patches, as texts: null is a text then, and an empty map is nothing.
fn copy_metadata(patch: &mut Node, store: &Store<'_>) {
    for key in ["labels", "annotations"] {
        edit::settle_texts(patch, key, |value| {
            let raw = store.raw(value);
            value::to_text(value, raw);
        });
    }
}

fn by_id(objects: &[BuiltObject], id: &Id, span: Span, budget: &Budget) -> BuildResult<usize> {
    budget.visit(objects.iter().map(|object| object.ids.len()).sum(), span)?;
    // By any name that it has had: a patch of an overlay may use that of the base.
    let has_id = |object: &BuiltObject| object.ids.iter().any(|other| super::is_same(other, id));
    let mut found = objects
        .iter()
        .enumerate()
        .filter(|(_, object)| has_id(object))
        .map(|(index, _)| index);
    match (found.next(), found.next()) {
        (Some(index), None) => Ok(index),
        (None, _) => Err(BuildFault::lacking(
            span,
            format!("no object matches the patch of {id}"),
        )),
        (Some(_), Some(_)) => refuse(span, format!("several objects match the patch of {id}")),
    }
}

fn merge_by_id(
    objects: &mut Vec<BuiltObject>,
    patch: &Node,
    options: PatchOptions,
    scope: PatchScope<'_, '_>,
) -> BuildResult {
    let index = match by_id(objects, &Id::read(patch), patch.span, scope.budget) {
        Ok(index) => index,
        Err(fault) => return scope.budget.excuse(fault),
    };
    if !merge(&mut objects[index], patch, options, scope)? {
        objects.remove(index);
    }
    Ok(())
}

fn merge_selected(
    objects: &mut Vec<BuiltObject>,
    patch: &Node,
    selector: &PatchSelector,
    options: PatchOptions,
    scope: PatchScope<'_, '_>,
) -> BuildResult {
    let mut kept = Vec::with_capacity(objects.len());
    for mut object in std::mem::take(objects) {
        let stays = !selector.matches(&object) || merge(&mut object, patch, options, scope)?;
        kept.extend(stays.then_some(object));
    }
    *objects = kept;
    Ok(())
}

/// Merges a patch into an object, and returns whether anything is left.
fn merge(
    object: &mut BuiltObject,
    patch: &Node,
    options: PatchOptions,
    PatchScope { budget, types, .. }: PatchScope<'_, '_>,
) -> BuildResult<bool> {
    budget.write_node(patch, patch.span)?;
    budget.visit(2 * size(&object.node).0, patch.span)?;
    if options.name || options.kind {
        object.store_id();
        budget.write_id(&object.id(), patch.span)?;
    }
    let before = FixedFields::of(&object.node);
    let mut patch = patch.clone();
    // The version of a patch selects its object, and never changes it.
    if let Some(version) = object.node.entry("apiVersion") {
        edit::set(
            &mut patch,
            "apiVersion",
            version.key_span,
            version.value.clone(),
        );
    }
    let node = std::mem::replace(&mut object.node, edit::map(Span::default()));
    let Some(node) = strategic_merge(node, &patch, types)? else {
        return Ok(false);
    };
    object.node = node;
    if object.node.entries().is_empty() {
        return Ok(false);
    }
    before.restore(&mut object.node, options);
    object.settle_shared();
    object.refresh_id();
    Ok(true)
}

/// The fields that a merge does not change.
struct FixedFields {
    kind: Option<Node>,
    name: Option<Node>,
    namespace: Option<Node>,
}

impl FixedFields {
    fn of(object: &Node) -> Self {
        Self {
            kind: object.get("kind").cloned(),
            name: object.find(&["metadata", "name"]).cloned(),
            namespace: object.find(&["metadata", "namespace"]).cloned(),
        }
    }

    fn restore(self, object: &mut Node, options: PatchOptions) {
        if let Some(kind) = self.kind.filter(|_| !options.kind) {
            edit::set(object, "kind", kind.span, kind);
        }
        let Some(metadata) = object.get_mut("metadata") else {
            return;
        };
        if let Some(name) = self.name.filter(|_| !options.name) {
            edit::set(metadata, "name", name.span, name);
        }
        match self.namespace {
            Some(namespace) => edit::set(metadata, "namespace", namespace.span, namespace),
            None => {
                edit::remove(metadata, "namespace");
            }
        }
    }
}

fn operate(object: &mut BuiltObject, operations: &Node, budget: &Budget) -> BuildResult {
    let node = std::mem::replace(&mut object.node, edit::map(Span::default()));
    object.node = json6902_within(node, operations, budget)?;
    object.shared.clear();
    object.refresh_id();
    Ok(())
}
