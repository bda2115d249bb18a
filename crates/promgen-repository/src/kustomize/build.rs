//! From the kustomization of a folder to objects, as Kustomize 5.7 builds them.
//!
//! In: the files that [`gather`](super::read::gather) found. Out: the objects in Kustomize's order, each value with the place
//! that it comes from: that of the patch which set it, or of the line of the kustomization. A name keeps the place where the
//! object has it, though prefixes change it. What Kustomize refuses, and what promgen does not build, is a [`BuildFault`]:
//! then there is no result, rather than a wrong one.

use promgen_text::CollectOrdered;
mod config;
mod generate;
mod hash;
mod openapi;
mod order;
mod origins;
mod patches;
mod plugins;
mod references;
#[cfg(test)]
mod tests;
mod transform;
mod vars;

use std::borrow::Cow;
use std::collections::BTreeSet;

use promgen_resources::secrecy::{self, SecretTexts};
use promgen_text::limits::Limit;
use promgen_text::source::Span;
use promgen_text::yaml::{Data, Entry, Node, edit};

use super::budget::{Budget, Spent, own_weight};
use super::fault::{BuildFault, BuildResult, refuse};
use super::images::ImageReplacement;
use super::object::BuiltObject;
use super::patch::MergeTypes;
use super::read::inline::{inline, is_inline};
use super::read::kustomization::{Kustomization, PartEffect};
use super::read::schema::REPLACEMENT;
use super::read::store::{Store, StoredFile};
use super::read::{fields, value};
use super::spec::FieldSpec;
use super::value::size;
use super::{replacements, replicas};
use crate::id::{Id, or_default};
use crate::path::{base_name, is_remote, is_within, join};
use config::{DEFAULT, TransformerFields};
use origins::BuildMetadata;
use patches::PatchScope;
use vars::Var;

/// The number of kustomizations that may stand within each other.
const MAX_DEPTH: usize = 64;

/// How the names of the files begin that `flux bootstrap` fills in: its documentation says to create them empty.
const OF_BOOTSTRAP: &str = "gotk-";

/// The cost of an object besides its values, in bytes: its identities, and what is read from it later.
const OBJECT: usize = 2048;

/// Builds the kustomization of a folder. `None` if the folder has none.
///
/// # Errors
/// Kustomize refuses it, or promgen does not support all of it.
pub fn build(store: &Store<'_>, folder: &str) -> Option<BuildResult<Vec<BuiltObject>>> {
    let plan = BuildPlan {
        is_unrestricted: store.is_unrestricted,
        fields: None,
    };
    build_within(
        store,
        folder,
        plan,
        &Budget::new(store.limits, Spent::default()),
    )
}

/// The way in which what applies a kustomization builds it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BuildPlan<'p> {
    /// Files are read that are not in or below the folder of their kustomization.
    pub(crate) is_unrestricted: bool,
    /// The fields that it adds to the kustomization.
    pub(crate) fields: Option<&'p Node>,
}

/// Builds a kustomization as planned, with a budget that other builds share.
pub(crate) fn build_within(
    store: &Store<'_>,
    folder: &str,
    plan: BuildPlan<'_>,
    budget: &Budget,
) -> Option<BuildResult<Vec<BuiltObject>>> {
    let folder = join(".", folder);
    let mut kustomization = match Kustomization::load(store, &folder)? {
        Ok(kustomization) => kustomization,
        Err(fault) => return Some(Err(fault)),
    };
    kustomization.is_unrestricted = plan.is_unrestricted;
    plan.fields
        .into_iter()
        .for_each(|fields| kustomization.add(fields));
    Some(build_root(store, &kustomization, budget))
}

fn build_root(
    store: &Store<'_>,
    kustomization: &Kustomization,
    budget: &Budget,
) -> BuildResult<Vec<BuiltObject>> {
    if store.is_cut() {
        return Err(BuildFault::unsupported(
            kustomization.span,
            "the build has too many files",
        ));
    }
    let metadata = BuildMetadata::of(kustomization);
    let secrets = SecretTexts::default();
    let mut build = KustomizeBuild {
        store,
        budget,
        open: Vec::new(),
        n_visits: 0,
        secrets,
        metadata,
        types: MergeTypes::default(),
    };
    let mut level = Accumulator::default();
    build.accumulate(&mut level, kustomization)?;
    let Accumulator {
        mut objects,
        config,
        vars,
        ..
    } = level;
    let config: &TransformerFields = config.as_deref().unwrap_or(&DEFAULT);
    let (secrets, metadata) = (build.secrets, build.metadata);
    // Hashes before references, so that these are to the final names; variables after both, as they may hold a name.
    add_hashes(&mut objects, budget)?;
    references::fix(&mut objects, config, budget)?;
    objects.iter_mut().for_each(BuiltObject::settle_shared);
    vars::resolve(&mut objects, &vars, config, &secrets, budget)?;
    objects.iter_mut().for_each(BuiltObject::settle_shared);
    order::sort(&mut objects, kustomization)?;
    for object in &mut objects {
        transform::settle_annotations(&mut object.node, |node| store.raw(node));
        metadata.write(object);
        object.refresh_id();
        if !secrets.is_empty() {
            let BuiltObject { node, copies, .. } = object;
            copies.extend(secrecy::copies(node, &|span| secrets.holds(span)));
        }
    }
    Ok(objects)
}

/// Applies the patches of a post-renderer, `fields`, to objects of a release. A patch of an object that is not among them is one of
/// what the chart makes besides.
///
/// # Errors
/// A patch is invalid, or does not fit.
pub(crate) fn post_render(
    store: &Store<'_>,
    objects: Vec<Node>,
    fields: &Node,
    budget: &Budget,
) -> BuildResult<Vec<BuiltObject>> {
    let types = MergeTypes::default();
    let mut objects: Vec<BuiltObject> = objects.into_iter().map(BuiltObject::new).collect();
    for field in fields
        .entries()
        .iter()
        .filter(|field| field.key.starts_with("patches"))
    {
        for item in field.value.items() {
            let value = edit::list_of(vec![item.clone()], item.span);
            let one = edit::map_of(vec![edit::entry_with(field, value)], fields.span);
            let scope = PatchScope {
                kustomization: &Kustomization::of_fields(one),
                store,
                budget,
                types: &types,
            };
            let applied = patches::apply(&mut objects, scope)
                .and_then(|()| patches::apply_json(&mut objects, scope));
            if let Some(fault) = applied.err().filter(|fault| !fault.lacks_object) {
                return Err(fault);
            }
        }
    }
    Ok(objects)
}

/// Spends the bytes of what objects do not have in common with those of files any more.
fn spend_changes(objects: &mut [BuiltObject], budget: &Budget) -> BuildResult {
    for object in objects {
        let n_bytes = own_weight(&object.node);
        budget.write(n_bytes.saturating_sub(object.n_bytes), object.node.span)?;
        object.n_bytes = object.n_bytes.max(n_bytes);
    }
    Ok(())
}

/// Returns whether two identities are of one object. No namespace is the one named `default`.
fn is_same(a: &Id, b: &Id) -> bool {
    // Names differ most.
    (&a.name, &a.kind, &a.group, &a.version) == (&b.name, &b.kind, &b.group, &b.version)
        && is_same_namespace(a, b)
}

/// An identity, the same for all that [`is_same`] calls one.
fn key(id: &Id) -> Id {
    Id {
        namespace: effective_namespace(id).to_owned(),
        ..id.clone()
    }
}

/// Takes an object into those that are known, each of which has to be another one. `Err`: it is there already. One that a part which
/// is left out may change may be another one.
fn add_new_id(ids: &mut BTreeSet<Id>, object: &BuiltObject) -> Result<(), Id> {
    let id = object.id();
    if object.is_open || ids.insert(key(&id)) {
        Ok(())
    } else {
        Err(id)
    }
}

/// The fault of an object that is there twice.
fn defined_twice(id: &Id, span: Span) -> BuildFault {
    BuildFault::new(span, format!("{id} is defined twice"))
}

fn is_same_namespace(a: &Id, b: &Id) -> bool {
    effective_namespace(a) == effective_namespace(b)
}

/// The namespace that counts. Objects that live in none may state one all the same.
fn effective_namespace(id: &Id) -> &str {
    if id.is_cluster_scoped() {
        ""
    } else {
        or_default(&id.namespace)
    }
}

fn add_hashes(objects: &mut [BuiltObject], budget: &Budget) -> BuildResult {
    for object in objects.iter_mut().filter(|object| object.needs_hash) {
        budget.write_node(&object.node, object.node.span)?;
        let Some(hash) = hash::hash(&object.node) else {
            continue;
        };
        object.store_id();
        let name = format!("{}-{hash}", object.id().name);
        edit::rename(&mut object.node, name);
        object.refresh_id();
    }
    Ok(())
}

/// The objects that a kustomization and those that it includes have made so far.
#[derive(Default)]
struct Accumulator {
    objects: Vec<BuiltObject>,
    /// The configuration so far: nothing, until the kustomization or one that it includes has been read.
    config: Option<Cow<'static, TransformerFields>>,
    vars: Vec<Var>,
    /// The identities of the objects, if they are up to date.
    ids: Option<BTreeSet<Id>>,
}

impl Accumulator {
    /// Adds what is configured.
    fn configure(
        &mut self,
        more: Cow<'static, TransformerFields>,
        span: Span,
        budget: &Budget,
    ) -> BuildResult {
        let known = self.config.take();
        if let Cow::Owned(more) = &more {
            budget.write(size_of::<FieldSpec>() * more.n_fields(), span)?;
            budget.visit(
                known.as_ref().map_or(0, |known| known.n_fields()) * more.n_fields() / 16,
                span,
            )?;
        }
        self.config = Some(TransformerFields::joined(known, more, span)?);
        Ok(())
    }

    /// Adds objects, each of which has to be new.
    fn append(&mut self, objects: Vec<BuiltObject>, span: Span, budget: &Budget) -> BuildResult {
        let known = &self.objects;
        budget.visit(
            16 * (objects.len() + if self.ids.is_none() { known.len() } else { 0 }),
            span,
        )?;
        budget.check_objects(known.len() + objects.len(), span)?;
        let ids = self.ids.get_or_insert_with(|| {
            let sure = known.iter().filter(|object| !object.is_open);
            sure.map(|object| key(&object.id())).collect_set()
        });
        for object in objects {
            add_new_id(ids, &object).map_err(|id| defined_twice(&id, span))?;
            self.objects.push(object);
        }
        Ok(())
    }
}

struct KustomizeBuild<'b, 's> {
    store: &'b Store<'s>,
    budget: &'b Budget,
    /// The folders that are being built, the outermost first.
    open: Vec<String>,
    n_visits: u64,
    secrets: SecretTexts,
    metadata: BuildMetadata,
    /// The first `openapi` that a kustomization of the build names counts for all that is built from then on.
    types: MergeTypes<'b>,
}

impl<'b, 's> KustomizeBuild<'b, 's> {
    /// Adds to a level what a kustomization yields, and applies its transformers to all of it.
    fn accumulate(
        &mut self,
        level: &mut Accumulator,
        kustomization: &Kustomization,
    ) -> BuildResult {
        self.budget
            .write(kustomization.n_bytes, kustomization.span)?;
        let mut may_change = false;
        for (fault, effect) in kustomization.unsupported(self.store.charts.rendered.is_some()) {
            self.budget.leave_out(&kustomization.folder, fault)?;
            may_change |= effect == PartEffect::Changes;
        }
        if !self.types.is_given() {
            match openapi::types(kustomization, self.store, self.budget) {
                Ok(types) => types.into_iter().for_each(|types| self.types.give(types)),
                Err(fault) => {
                    self.budget.leave_out(&kustomization.folder, fault)?;
                    may_change = true;
                }
            }
        }
        self.open.push(kustomization.folder.clone());
        // Kustomize moves the deprecated `bases` to the end of `resources`.
        let entries = |key| kustomization.items(key).iter();
        self.each(level, kustomization, entries("resources"), Self::resource)?;
        self.each(level, kustomization, entries("bases"), Self::resource)?;
        let own = TransformerFields::of(kustomization, self.store, self.budget)?;
        level.configure(own, kustomization.span, self.budget)?;
        level.ids = None;
        // Generators run over what the bases made, so that they can merge into it; components come after, and see both.
        generate::generate(&mut level.objects, self.patch_scope(kustomization))?;
        let generators = kustomization.plugins("generators");
        self.each(level, kustomization, generators, Self::generator)?;
        self.metadata.generated(&mut level.objects, kustomization);
        self.note_secrets(&level.objects);
        may_change |= self.each(level, kustomization, entries("components"), Self::component)?;
        self.transform(level, kustomization)?;
        self.metadata.transformed(&mut level.objects, kustomization);
        let transformers = kustomization.plugins("transformers");
        may_change |= self.each(level, kustomization, transformers, Self::transformer)?;
        if may_change {
            level
                .objects
                .iter_mut()
                .for_each(|object| object.is_open = true);
        }
        spend_changes(&mut level.objects, self.budget)?;
        // Behind the transformers: a variable names its object by any identity that it has had.
        vars::define(
            &mut level.vars,
            &mut level.objects,
            kustomization,
            self.budget,
        )?;
        self.open.pop();
        Ok(())
    }

    /// Adds the entries of a field, and returns whether one of them is left out.
    fn each<'n>(
        &mut self,
        level: &mut Accumulator,
        from: &Kustomization,
        entries: impl Iterator<Item = &'n Node>,
        add: impl Fn(&mut Self, &mut Accumulator, &Kustomization, &Node) -> BuildResult,
    ) -> BuildResult<bool> {
        let mut is_left_out = false;
        for entry in entries {
            let depth = self.open.len();
            if let Err(fault) = add(self, level, from, entry) {
                self.budget.leave_out(&from.folder, fault)?;
                self.open.truncate(depth);
                is_left_out = true;
            }
        }
        Ok(is_left_out)
    }

    const fn patch_scope<'p>(&'p self, kustomization: &'p Kustomization) -> PatchScope<'p, 's> {
        PatchScope {
            kustomization,
            store: self.store,
            budget: self.budget,
            types: &self.types,
        }
    }

    fn resource(
        &mut self,
        level: &mut Accumulator,
        from: &Kustomization,
        entry: &Node,
    ) -> BuildResult {
        let text = entry.as_str().unwrap_or_default();
        let path = join(&from.folder, text);
        let is_known =
            self.store.file(&path).is_some() || self.store.unread(&from.folder, &path).is_some();
        if is_known && !is_remote(text) && !self.store.is_folder(&path) {
            let objects = self.objects(from.file(self.store, text, entry.span)?)?;
            if objects.is_empty() && base_name(text).starts_with(OF_BOOTSTRAP) {
                self.budget.await_objects();
            }
            return level.append(objects, entry.span, self.budget);
        }
        let inner = self.load(from, entry)?;
        if inner.is_component {
            return refuse(
                entry.span,
                format!("`{text}` is a component: list it under `components`"),
            );
        }
        // A base is built for itself: its transformers do not touch what is beside it. A component gets the level as it
        // is.
        let mut base = Accumulator::default();
        self.accumulate(&mut base, &inner)?;
        if let Some(config) = base.config {
            level.configure(config, entry.span, self.budget)?;
        }
        base.vars
            .into_iter()
            .try_for_each(|var| vars::add(&mut level.vars, var, self.budget))?;
        level.append(base.objects, entry.span, self.budget)
    }

    /// Applies a component to what there is so far.
    fn component(
        &mut self,
        level: &mut Accumulator,
        from: &Kustomization,
        entry: &Node,
    ) -> BuildResult {
        let inner = self.load(from, entry)?;
        if !inner.is_component {
            let message = format!(
                "`{}` is not a component",
                entry.as_str().unwrap_or_default()
            );
            return refuse(entry.span, message);
        }
        self.accumulate(level, &inner)?;
        if let Some(config) = level.config.take() {
            level.configure(config, entry.span, self.budget)?;
        }
        // Appended once more, which checks the identities that the component may have changed.
        let objects = std::mem::take(&mut level.objects);
        level.append(objects, entry.span, self.budget)
    }

    /// The plugins of an entry: those that stand in it, or in the file or folder that it names.
    fn plugins(&mut self, from: &Kustomization, entry: &Node) -> BuildResult<Vec<BuiltObject>> {
        if is_inline(entry.as_str().unwrap_or_default()) {
            let plugins = inline(entry, self.store)?;
            plugins.iter().try_for_each(check_object)?;
            return Ok(plugins.into_iter().map(BuiltObject::new).collect());
        }
        // They are read as resources are.
        let mut plugins = Accumulator::default();
        self.resource(&mut plugins, from, entry)?;
        Ok(plugins.objects)
    }

    /// Adds what the generators of an entry make.
    fn generator(
        &mut self,
        level: &mut Accumulator,
        from: &Kustomization,
        entry: &Node,
    ) -> BuildResult {
        let plugins = self.plugins(from, entry)?;
        level.ids = None;
        let plugins = plugins.iter().map(|plugin| &plugin.node);
        generate::of_plugins(&mut level.objects, plugins, self.patch_scope(from))
    }

    /// Applies the transformers of an entry.
    fn transformer(
        &mut self,
        level: &mut Accumulator,
        from: &Kustomization,
        entry: &Node,
    ) -> BuildResult {
        let plugins = self.plugins(from, entry)?;
        let objects = &mut level.objects;
        level.ids = None;
        for plugin in &plugins {
            if plugins::is_replacement(&plugin.node) {
                for entry in plugin.node.items_of("replacements") {
                    let entry = fields::checked(entry, &REPLACEMENT)?;
                    self.replace(objects, from, &entry)?;
                }
                objects.iter_mut().for_each(BuiltObject::settle_shared);
            } else {
                plugins::apply(objects, &plugin.node, self.patch_scope(from))?;
            }
            let path = &self.store.sources.file(plugin.node.span.file).name;
            self.metadata.transformed_by(objects, &plugin.node, path);
        }
        self.note_secrets(objects);
        objects.iter_mut().for_each(BuiltObject::refresh_id);
        Ok(())
    }

    /// The kustomization of a folder that another one names.
    fn load(&mut self, from: &Kustomization, entry: &Node) -> BuildResult<Kustomization> {
        let text = entry.as_str().unwrap_or_default();
        let fault = |message: String| refuse(entry.span, message);
        if is_remote(text) {
            return Err(BuildFault::remote(entry.span, &format!("`{text}`")));
        }
        if text.is_empty() {
            return fault("an entry is empty".to_owned());
        }
        let folder = join(&from.folder, text);
        if text.starts_with('/') {
            return fault(format!("`{text}` is an absolute path"));
        }
        // A folder within one that is being built is fine, the other way round is a cycle.
        let target = self.store.resolve(&folder);
        if self
            .open
            .iter()
            .any(|open| is_within(target, self.store.resolve(open)))
        {
            return fault(format!(
                "`{text}` contains the kustomization that refers to it"
            ));
        }
        self.n_visits += 1;
        if self.n_visits > self.store.limits.get(Limit::Kustomizations) {
            return Err(BuildFault::excess(
                entry.span,
                self.store.limits.excess(Limit::Kustomizations),
                "the kustomization",
            ));
        }
        if self.open.len() >= MAX_DEPTH {
            return Err(BuildFault::unsupported(
                entry.span,
                "the build has too many kustomizations within each other",
            ));
        }
        let without_file = || format!("folder `{text}` has no kustomization file");
        match Kustomization::load(self.store, &folder) {
            Some(loaded) => loaded.map(|mut loaded| {
                loaded.is_unrestricted = from.is_unrestricted;
                loaded
            }),
            None if self.store.has_unread_kustomization(&folder) => fault(format!(
                "the kustomization file of folder `{text}` is not read: it is a link out of the folder, or no file"
            )),
            None if self.store.is_folder(&folder) => fault(without_file()),
            None if self.store.has_files_in(&folder) => Err(BuildFault {
                is_missing: true,
                ..BuildFault::new(entry.span, without_file())
            }),
            None => Err(BuildFault::missing(
                entry.span,
                &format!("`{text}`"),
                self.store.near(&folder),
            )),
        }
    }

    /// The objects of a file of resources.
    fn objects(&mut self, file: &StoredFile<'s>) -> BuildResult<Vec<BuiltObject>> {
        let mut objects = Vec::new();
        for document in file.documents()? {
            self.expand(document, &mut objects)?;
        }
        objects
            .iter_mut()
            .for_each(|object| self.metadata.read(object, file.path));
        Ok(objects)
    }

    /// An object, or those of a list.
    fn expand(&self, node: &Node, objects: &mut Vec<BuiltObject>) -> BuildResult {
        // An empty document is no object, and no error.
        if node.is_empty_map() {
            return Ok(());
        }
        let kind = node.text_of("kind").unwrap_or_default();
        if kind.ends_with("List")
            && let Some(items) = node.get("items")
        {
            if !matches!(items.data, Data::Seq(_) | Data::Null) {
                return refuse(items.span, format!("`items` of a {kind} requires a list"));
            }
            return items
                .items()
                .iter()
                .try_for_each(|item| self.expand(item, objects));
        }
        check_object(node)?;
        if is_local(node) {
            return Ok(());
        }
        let text = |key: &str| node.text_of(key).unwrap_or_default();
        if !MergeTypes::is_built_in(text("apiVersion"), text("kind")) {
            // Kustomize looks into the types for whether objects of the kind have namespaces.
            self.types.note_use();
        }
        self.budget.write(OBJECT, node.span)?;
        let mut node = node.clone();
        value::fill_flow_maps(&mut node, self.store.sources);
        transform::settle_annotations(&mut node, |node| self.store.raw(node));
        objects.push(BuiltObject::new(node));
        Ok(())
    }

    /// Takes note of what stands in Secrets, before something copies it.
    fn note_secrets(&mut self, objects: &[BuiltObject]) {
        objects
            .iter()
            .for_each(|object| self.secrets.note(&object.node));
    }

    /// Applies the transformers of a kustomization, in Kustomize's order.
    fn transform(&mut self, level: &mut Accumulator, kustomization: &Kustomization) -> BuildResult {
        level.ids = None;
        let (
            Accumulator {
                objects, config, ..
            },
            budget,
        ) = (level, self.budget);
        let config: &TransformerFields = config.as_deref().unwrap_or(&DEFAULT);
        budget.visit(16 * objects.len(), kustomization.span)?;
        // The order of Kustomize's transformers: patches, namespace, names, metadata, JSON patches, replicas, images,
        // replacements.
        patches::apply(objects, self.patch_scope(kustomization))?;
        self.note_secrets(objects);
        transform::namespace(objects, kustomization, config, budget)?;
        transform::rename(objects, kustomization, budget)?;
        transform::metadata(objects, kustomization, config, budget)?;
        patches::apply_json(objects, self.patch_scope(kustomization))?;
        self.note_secrets(objects);
        for entry in kustomization.items("replicas") {
            let mut is_used = false;
            budget.visit(objects.len() * config.replicas.len() / 4, entry.span)?;
            for object in objects.iter_mut() {
                is_used |= replicas::apply_within(object, entry, &config.replicas)?;
            }
            if !is_used {
                let fault = BuildFault::lacking(
                    entry.span,
                    "no object has the name that `replicas` states",
                );
                self.budget.excuse(fault)?;
            }
        }
        self.rename_images(objects, kustomization, &config.images)?;
        for entry in kustomization.items("replacements") {
            if let Err(fault) = self.replace(objects, kustomization, entry)
                && let Err(fault) = self.budget.excuse(fault)
            {
                self.budget.leave_out(&kustomization.folder, fault)?;
                objects.iter_mut().for_each(|object| object.is_open = true);
            }
            self.budget.visit(
                objects.iter().map(BuiltObject::shared_steps).sum(),
                entry.span,
            )?;
            objects.iter_mut().for_each(BuiltObject::settle_shared);
        }
        objects.iter_mut().for_each(BuiltObject::refresh_id);
        Ok(())
    }

    fn rename_images(
        &self,
        objects: &mut [BuiltObject],
        kustomization: &Kustomization,
        fields: &[FieldSpec],
    ) -> BuildResult {
        let images = kustomization.items("images");
        if objects.is_empty() || images.is_empty() {
            return Ok(());
        }
        // A visit of a value on the way to an image takes little.
        let n_values = objects
            .iter()
            .map(|object| size(&object.node).0)
            .sum::<usize>();
        let n_images = objects
            .iter()
            .map(|object| count_images(&object.node))
            .sum::<usize>();
        let n_steps = n_values / 16 + 12 * n_images + objects.len();
        for entry in images {
            let image = ImageReplacement::read(entry)?;
            // The name is an expression, and a big one takes long to compile and to match.
            self.budget.visit(
                if image.is_big() {
                    200_000 + 8 * n_steps
                } else {
                    500 + n_steps
                },
                entry.span,
            )?;
            for object in objects.iter_mut() {
                let id = object.id();
                let fields = fields.iter().filter(|field| field.of.selects(&id));
                image.apply_within(&mut object.node, fields, self.budget)?;
            }
        }
        Ok(())
    }

    /// Applies an entry of `replacements`, or those of the file that it names.
    fn replace(
        &mut self,
        objects: &mut [BuiltObject],
        from: &Kustomization,
        entry: &Node,
    ) -> BuildResult {
        let Some(path) = entry.get("path").filter(|path| path.as_str() != Some("")) else {
            return replacements::apply_within(objects, entry, &mut self.secrets, self.budget);
        };
        if entry.get("source").is_some() || entry.get("targets").is_some() {
            return refuse(
                entry.span,
                "the replacement has both `path` and other fields",
            );
        }
        let file = from.file_at(self.store, path)?;
        for document in file.documents()? {
            let several = document.is_list();
            let items = if several {
                document.items()
            } else {
                std::slice::from_ref(&**document)
            };
            for item in items {
                let entry = fields::checked(item, &REPLACEMENT)?;
                replacements::apply_within(objects, &entry, &mut self.secrets, self.budget)?;
            }
        }
        Ok(())
    }
}

/// The number of fields that may be images.
fn count_images(node: &Node) -> usize {
    let is_image = |entry: &&Entry| entry.key == "image";
    let entries = node.descendants().flat_map(Node::entries);
    entries.filter(is_image).count()
}

fn check_object(node: &Node) -> BuildResult {
    if !node.is_map() {
        return refuse(node.span, "the document is no object of Kubernetes");
    }
    let is_text = |keys: &[&str]| {
        node.find(keys)
            .is_some_and(|value| value.as_str().is_some_and(|text| !text.is_empty()))
    };
    if !is_text(&["kind"]) {
        return refuse(node.span, "the object requires `kind`");
    }
    if is_text(&["metadata", "name"]) {
        return Ok(());
    }
    match node.find(&["metadata", "name"]) {
        Some(name) if !name.is_null() && name.as_str().is_none() => Err(BuildFault::unsupported(
            name.span,
            "`metadata.name` requires a string",
        )),
        _ => refuse(node.span, "the object requires `metadata.name`"),
    }
}

/// Returns whether an object is for tools on files only, and not for a cluster.
fn is_local(node: &Node) -> bool {
    let value = node.find(&[
        "metadata",
        "annotations",
        "config.kubernetes.io/local-config",
    ]);
    value.is_some_and(|value| value.as_str() == Some("true") || value.data == Data::Bool(true))
}
