//! `configMapGenerator`, `secretGenerator` and the same as `generators`: objects from files, literals and lists of variables.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use promgen_text::input::is_locked;
use promgen_text::source::Span;
use promgen_text::yaml::{Data, Entry, Node, NodeText, edit};

use super::key;
use super::patches::PatchScope;
use super::plugins::is_built_in;
use crate::charts::{inflate, is_inflated};
use crate::id::Id;
use crate::kustomize::budget::Budget;
use crate::kustomize::fault::{BuildFault, BuildResult, refuse};
use crate::kustomize::object::BuiltObject;
use crate::path::{base_name, join};
use promgen_text::CollectOrdered;
use promgen_text::yaml::embedded::root as values;

/// The way in which a generator treats an object of the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Behavior {
    Create,
    Merge,
    Replace,
}

/// A key with its value.
struct GeneratorPair<'s> {
    key: NodeText,
    bytes: Cow<'s, [u8]>,
    span: Span,
}

/// Generates the objects of a kustomization and adds them to the others.
///
/// # Errors
/// An invalid generator, a file that is absent, or an object that is there already, or is not.
pub(super) fn generate(objects: &mut Vec<BuiltObject>, scope: PatchScope<'_, '_>) -> BuildResult {
    let PatchScope {
        kustomization,
        budget,
        ..
    } = scope;
    let mut known: Option<KnownObjects> = None;
    for (key, kind) in [
        ("configMapGenerator", "ConfigMap"),
        ("secretGenerator", "Secret"),
    ] {
        for item in kustomization.items(key) {
            let generator = Generator {
                item,
                kind,
                options: kustomization.get("generatorOptions"),
                scope,
            };
            let (object, behavior) = generator.object()?;
            let known = known.get_or_insert_with(|| KnownObjects::of(objects));
            absorb(objects, known, object, behavior, item.span, budget)?;
        }
    }
    for entry in kustomization.items("helmCharts") {
        add_chart(objects, entry, scope)?;
    }
    Ok(())
}

/// Generates the objects of plugins and adds them to the others.
///
/// # Errors
/// A plugin is not built, or as [`generate`].
pub(super) fn of_plugins<'n>(
    objects: &mut Vec<BuiltObject>,
    plugins: impl Iterator<Item = &'n Node>,
    scope: PatchScope<'_, '_>,
) -> BuildResult {
    for plugin in plugins {
        let kind = match plugin.text_of("kind") {
            Some("ConfigMapGenerator") if is_built_in(plugin) => "ConfigMap",
            Some("SecretGenerator") if is_built_in(plugin) => "Secret",
            Some("HelmChartInflationGenerator")
                if is_built_in(plugin)
                    && (scope.store.charts.rendered.is_some() || is_inflated(plugin)) =>
            {
                add_chart(objects, plugin, scope)?;
                continue;
            }
            _ => {
                let message = "`generators` cannot be built by promgen";
                return Err(BuildFault::unsupported(plugin.span, message));
            }
        };
        let mut item = plugin.clone();
        for key in ["name", "namespace"] {
            let is_stated = item.text_of(key).is_some_and(|text| !text.is_empty());
            let usual = plugin.find(&["metadata", key]).filter(|_| !is_stated);
            if let Some(value) = usual {
                edit::set(&mut item, key, value.span, value.clone());
            }
        }
        let generator = Generator {
            item: &item,
            kind,
            options: None,
            scope,
        };
        let (object, behavior) = generator.object()?;
        let known = &mut KnownObjects::of(objects);
        absorb(objects, known, object, behavior, item.span, scope.budget)?;
    }
    Ok(())
}

/// The folder of the charts of a kustomization.
const CHART_HOME: &str = "charts";

/// Adds the objects of a chart that promgen knows, or that Helm renders.
fn add_chart(
    objects: &mut Vec<BuiltObject>,
    entry: &Node,
    PatchScope {
        kustomization,
        store,
        budget,
        ..
    }: PatchScope<'_, '_>,
) -> BuildResult {
    let read = |path: &str| {
        let file = kustomization.file(store, path, entry.span).ok();
        let values = file.and_then(|file| values(file.id, file.text?));
        values
            .ok_or_else(|| store.unread(&kustomization.folder, &join(&kustomization.folder, path)))
    };
    let home = kustomization
        .get("helmGlobals")
        .and_then(|globals| globals.get("chartHome"))
        .and_then(Node::as_str);
    let home = join(&kustomization.folder, home.unwrap_or(CHART_HOME));
    let made = inflate(entry, &read, store.charts, &home);
    let known = &mut KnownObjects::of(objects);
    for object in &made.objects {
        budget.write_node(&object.root, entry.span)?;
        let object = BuiltObject::new(object.root.clone());
        absorb(objects, known, object, Behavior::Create, entry.span, budget)?;
    }
    budget.note_release(made);
    Ok(())
}

struct Generator<'k, 's> {
    item: &'k Node,
    kind: &'static str,
    options: Option<&'k Node>,
    scope: PatchScope<'k, 's>,
}

impl<'s> Generator<'_, 's> {
    fn object(&self) -> BuildResult<(BuiltObject, Behavior)> {
        let span = self.item.span;
        let Some(name) = self
            .item
            .get("name")
            .filter(|name| !name.as_str().unwrap_or_default().is_empty())
        else {
            return refuse(
                span,
                format!("a generator of a {} requires `name`", self.kind),
            );
        };
        let mut pairs = Vec::new();
        self.literals(&mut pairs)?;
        let is_whole = self.files(&mut pairs)? & self.envs(&mut pairs)?;
        let mut keys = BTreeSet::new();
        for pair in &pairs {
            if !keys.insert(&pair.key) {
                return refuse(pair.span, format!("duplicate key `{}`", pair.key));
            }
            let n_bytes = size_of::<Entry>() + pair.key.len() + pair.bytes.len();
            self.scope.budget.write(n_bytes, pair.span)?;
        }
        let mut root = edit::map(span);
        edit::set(&mut root, "apiVersion", span, edit::text("v1", span));
        edit::set(&mut root, "kind", span, edit::text(self.kind, span));
        edit::set(&mut root, "metadata", span, self.metadata(name));
        // Without a part of its data, an object is as if it were filled by somebody else.
        if is_whole {
            self.fill(&mut root, pairs);
        }
        if self.flag("immutable") {
            edit::set(
                &mut root,
                "immutable",
                span,
                Node {
                    span,
                    data: Data::Bool(true),
                },
            );
        }
        let mut object = BuiltObject::new(root);
        object.needs_hash = !self.flag("disableNameSuffixHash");
        Ok((object, self.behavior()))
    }

    /// An unknown behavior is the usual one, as in Kustomize.
    fn behavior(&self) -> Behavior {
        match self.item.text_of("behavior") {
            Some("merge") => Behavior::Merge,
            Some("replace") => Behavior::Replace,
            Some(_) | None => Behavior::Create,
        }
    }

    /// The options of all generators, and those of this one.
    fn all_options(&self) -> impl Iterator<Item = &Node> {
        self.options.into_iter().chain(self.item.get("options"))
    }

    /// An option of the generator or, if it is set there, of all.
    fn flag(&self, key: &str) -> bool {
        self.all_options().any(|options| options.is_true(key))
    }

    fn metadata(&self, name: &Node) -> Node {
        let span = self.item.span;
        let mut metadata = edit::map(span);
        edit::set(&mut metadata, "name", name.span, name.clone());
        let namespace = self
            .item
            .get("namespace")
            .filter(|node| !node.as_str().unwrap_or_default().is_empty());
        if let Some(namespace) = namespace {
            edit::set(
                &mut metadata,
                "namespace",
                namespace.span,
                namespace.clone(),
            );
        }
        for key in ["labels", "annotations"] {
            let mut all = edit::map(span);
            // The generator's own options come last, so that they win.
            for options in self.all_options() {
                for entry in options.entries_of(key) {
                    edit::set(
                        &mut all,
                        entry.key.clone(),
                        entry.key_span,
                        entry.value.clone(),
                    );
                }
            }
            if !all.entries().is_empty() {
                edit::set(&mut metadata, key, span, all);
            }
        }
        metadata
    }

    fn fill(&self, root: &mut Node, pairs: Vec<GeneratorPair<'s>>) {
        let span = self.item.span;
        let is_secret = self.kind == "Secret";
        let (mut data, mut binary) = (Vec::new(), Vec::new());
        for GeneratorPair { key, bytes, span } in pairs {
            // Everything in a Secret is base64; in a ConfigMap, what is UTF-8 stays a text.
            let text = if is_secret { None } else { text(&bytes) };
            let (map, text) = match text {
                Some(text) => (&mut data, text),
                None if is_secret => (&mut data, wrapped(&bytes).into()),
                None => (&mut binary, wrapped(&bytes).into()),
            };
            map.push(Entry {
                key,
                key_span: span,
                value: edit::text(text, span),
            });
        }
        let map = |entries| edit::map_of(entries, span);
        // A Secret has `data` even if it is empty.
        if is_secret || !data.is_empty() {
            edit::set(root, "data", span, map(data));
        }
        if !binary.is_empty() {
            edit::set(root, "binaryData", span, map(binary));
        }
        if is_secret {
            let usual = || edit::text("Opaque", span);
            let kind = self
                .item
                .get("type")
                .filter(|node| node.as_str() != Some(""))
                .cloned()
                .unwrap_or_else(usual);
            edit::set(root, "type", kind.span, kind);
        }
    }

    fn literals(&self, pairs: &mut Vec<GeneratorPair<'s>>) -> BuildResult {
        for literal in self.item.items_of("literals") {
            let text = literal.as_str().unwrap_or_default();
            let Some((key, value)) = text.split_once('=').filter(|(key, _)| !key.is_empty()) else {
                return refuse(literal.span, "a literal requires the form `key=value`");
            };
            let bytes = Cow::Owned(unquoted(value).as_bytes().to_vec());
            pairs.push(GeneratorPair {
                key: key.into(),
                bytes,
                span: literal.span,
            });
        }
        Ok(())
    }

    /// Leaves out a file or a variable. What is there then is not whole.
    fn leave_out(&self, fault: BuildFault) -> BuildResult<bool> {
        let folder = &self.scope.kustomization.folder;
        self.scope.budget.leave_out(folder, fault).map(|()| false)
    }

    /// Adds the pairs of `files`, and returns whether all of them are known.
    fn files(&self, pairs: &mut Vec<GeneratorPair<'s>>) -> BuildResult<bool> {
        let (from, store) = (self.scope.kustomization, self.scope.store);
        let mut is_whole = true;
        for source in self.item.items_of("files") {
            let text = source.as_str().unwrap_or_default();
            let (key, path) = text
                .split_once('=')
                .unwrap_or_else(|| (base_name(text), text));
            if key.is_empty() || path.is_empty() || path.contains('=') {
                return refuse(source.span, "a file requires the form `path` or `key=path`");
            }
            let file = match from.file(store, path, source.span) {
                Ok(file) if !is_locked(file.bytes) => file,
                other => {
                    let encrypted = || BuildFault::encrypted(source.span, path);
                    is_whole = self.leave_out(other.err().unwrap_or_else(encrypted))?;
                    continue;
                }
            };
            let end = u32::try_from(file.text.map_or(0, str::len)).unwrap_or(u32::MAX);
            let span = Span::new(file.id, 0, end);
            pairs.push(GeneratorPair {
                key: key.into(),
                bytes: Cow::Borrowed(file.bytes),
                span,
            });
        }
        Ok(is_whole)
    }

    /// Adds the pairs of `envs`, and returns whether all of them are known.
    fn envs(&self, pairs: &mut Vec<GeneratorPair<'s>>) -> BuildResult<bool> {
        let (from, store) = (self.scope.kustomization, self.scope.store);
        let mut is_whole = true;
        let single = self.item.get("env").filter(|env| env.as_str() != Some(""));
        for source in self.item.items_of("envs").iter().chain(single) {
            let file = match from.file_at(store, source) {
                Ok(file) => file,
                Err(fault) => {
                    is_whole = self.leave_out(fault)?;
                    continue;
                }
            };
            let Some(text) = file.text else {
                return refuse(source.span, "the file is not UTF-8");
            };
            let mut start = 0;
            for line in text.split_inclusive('\n') {
                let place = |from: usize, to: usize| {
                    let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
                    Span::new(file.id, offset(start + from), offset(start + to))
                };
                match variable(line, &place) {
                    Ok(pair) => pairs.extend(pair),
                    Err(fault) => is_whole = self.leave_out(fault)?,
                }
                start += line.len();
            }
        }
        Ok(is_whole)
    }
}

/// A line of a list of variables.
fn variable<'s>(
    line: &'s str,
    place: &dyn Fn(usize, usize) -> Span,
) -> BuildResult<Option<GeneratorPair<'s>>> {
    let full = line.trim_end_matches('\n');
    let full = full.strip_suffix('\r').unwrap_or(full);
    let text = full.trim_start();
    if text.is_empty() || text.starts_with('#') {
        return Ok(None);
    }
    let span = place(full.len() - text.len(), full.len());
    let Some((key, value)) = text.split_once('=') else {
        let message =
            "a variable without a value takes it from the environment, which promgen does not read";
        return Err(BuildFault::unsupported(span, message));
    };
    if key.is_empty() {
        return refuse(span, "a variable requires a name");
    }
    Ok(Some(GeneratorPair {
        key: key.into(),
        bytes: Cow::Borrowed(value.as_bytes()),
        span,
    }))
}

/// A value without the quotes around it.
fn unquoted(value: &str) -> &str {
    let quoted = |quote: char| {
        value
            .strip_prefix(quote)
            .and_then(|rest| rest.strip_suffix(quote))
    };
    quoted('"').or_else(|| quoted('\'')).unwrap_or(value)
}

fn text<'b>(bytes: &'b [u8]) -> Option<Cow<'b, str>> {
    std::str::from_utf8(bytes).ok().map(Cow::Borrowed)
}

/// Base64 on lines of 70 characters, if it takes more than one.
fn wrapped(bytes: &[u8]) -> String {
    const WIDTH: usize = 70;
    let encoded = STANDARD.encode(bytes);
    if encoded.len() <= WIDTH {
        return encoded;
    }
    let mut out = String::with_capacity(encoded.len() + encoded.len() / WIDTH + 1);
    for (index, c) in encoded.char_indices() {
        if index > 0 && index % WIDTH == 0 {
            out.push('\n');
        }
        out.push(c);
    }
    out.push('\n');
    out
}

/// The objects by all identities that they have had.
#[derive(Default)]
struct KnownObjects {
    by_id: BTreeMap<Id, Vec<usize>>,
}

impl KnownObjects {
    fn of(objects: &[BuiltObject]) -> Self {
        let mut known = Self::default();
        objects
            .iter()
            .enumerate()
            .for_each(|(index, object)| known.add(index, object));
        known
    }

    fn add(&mut self, index: usize, object: &BuiltObject) {
        for id in &object.ids {
            let objects = self.by_id.entry(key(id)).or_default();
            // Identities of one object that differ in nothing that counts are one.
            if objects.last() != Some(&index) {
                objects.push(index);
            }
        }
    }
}

fn absorb(
    objects: &mut Vec<BuiltObject>,
    known: &mut KnownObjects,
    object: BuiltObject,
    behavior: Behavior,
    span: Span,
    budget: &Budget,
) -> BuildResult {
    let id = object.id();
    let matching = known.by_id.get(&key(&id)).map_or(&[][..], Vec::as_slice);
    if matching.len() > 1 {
        return refuse(span, format!("several objects match the generator of {id}"));
    }
    let first = matching.first().and_then(|index| objects.get_mut(*index));
    match (first, behavior) {
        (Some(old), Behavior::Merge | Behavior::Replace) => supersede(old, object, behavior),
        (None, _) => {
            if behavior != Behavior::Create {
                let message = format!("{id} does not exist, so the generator cannot change it");
                budget.excuse(BuildFault::lacking(span, message))?;
            }
            known.add(objects.len(), &object);
            objects.push(object);
        }
        (Some(_), Behavior::Create) => {
            let message = format!(
                "{id} exists already: the generator requires `behavior: merge` or `replace`"
            );
            return refuse(span, message);
        }
    }
    Ok(())
}

/// Puts the generated object in the place of an older one, which keeps its name and identities.
fn supersede(old: &mut BuiltObject, new: BuiltObject, behavior: Behavior) {
    let mut node = new.node;
    // The name gets a hash only if neither generator forbids it.
    old.needs_hash &= new.needs_hash;
    if let Some(metadata) = node.get_mut("metadata") {
        let of_old = |key| old.node.get("metadata")?.entry(key);
        for key in ["name", "namespace"] {
            edit::remove(metadata, key);
            let entry = of_old(key);
            if let Some(entry) = entry {
                edit::set(metadata, key, entry.key_span, entry.value.clone());
            }
        }
        for key in ["labels", "annotations"] {
            add_absent(metadata, of_old(key));
        }
    }
    if behavior == Behavior::Merge {
        for key in ["data", "binaryData"] {
            add_absent(&mut node, old.node.entry(key));
        }
    }
    old.node = node;
}

/// Adds to the map of that key what an older one has and it has not.
fn add_absent(node: &mut Node, old: Option<&Entry>) {
    let Some(old) = old.filter(|old| !old.value.entries().is_empty()) else {
        return;
    };
    let Some(map) = edit::get_or_insert(node, &old.key, || edit::map(old.value.span)) else {
        return;
    };
    let Data::Map(entries) = &mut map.data else {
        return;
    };
    let keys: BTreeSet<String> = entries
        .iter()
        .map(|entry| entry.key.to_string())
        .collect_set();
    entries.extend(
        old.value
            .entries()
            .iter()
            .filter(|entry| !keys.contains(&*entry.key))
            .cloned(),
    );
}
