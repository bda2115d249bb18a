//! The kustomizations of a run: which include which, and what they make.

use promgen_text::diag::count::counted;
use promgen_text::diag::{Level, Sink};
use promgen_text::limits::{Excess, Limit};
use promgen_text::parallel;
use promgen_text::shared::Shared;
use promgen_text::sorted::{Order as _, SortedMap, SortedSet};
use promgen_text::source::{FileId, Span};
use promgen_text::yaml::read::{DocumentOrigin, ParsedDocument};
use promgen_text::yaml::{Data, Node, Value};

use super::{Build, BuildKind, Noted};
use crate::charts::Made;
use crate::kustomize::budget::{self, Budget, Spent};
use crate::kustomize::build::build_within;
use crate::kustomize::fault::BuildFault;
use crate::kustomize::read::gather::PathReference;
use crate::kustomize::read::kustomization::Kustomization;
use crate::kustomize::read::store::{Store, StoredFile};
use crate::layout::with_lines;
use crate::path::{is_remote, is_within, join};

/// The references of one kustomization.
#[derive(Debug, Default)]
struct KustomizationLinks {
    is_component: bool,
    /// The folders that it includes.
    folders: Vec<String>,
    /// The files of objects that it includes.
    resources: Vec<FileId>,
    /// All files that it names, and its own.
    files: SortedSet<FileId>,
}

/// The objects of all kustomizations.
pub(super) struct Built {
    pub(super) builds: Vec<Build>,
    /// The files that belong to kustomizations, and so are no objects by themselves.
    pub(super) used: SortedSet<FileId>,
    /// The files of kustomizations that are not built.
    pub(super) partial: SortedSet<FileId>,
    /// The costs of the builds.
    pub(super) spent: Spent,
}

/// The result of a build, if the folder has a kustomization.
type BuildResult<'s> = Option<Result<Build, BuildFault>>;

/// The number of kustomizations that are built at the same time.
pub(super) const AT_ONCE: usize = 4;

/// All kustomizations.
#[derive(Debug)]
pub(super) struct Kustomizations<'k, 's> {
    store: &'k Store<'s>,
    links: SortedMap<String, KustomizationLinks>,
    /// The folders that the user asks for.
    asked: &'k [String],
}

impl<'k, 's> Kustomizations<'k, 's> {
    /// Reads those in the folders that the user asks for, and all that they include.
    pub(super) fn read(store: &'k Store<'s>, asked: &'k [String]) -> Self {
        let mut kustomizations = Self { store, links: SortedMap::new(), asked };
        let mut todo: Vec<String> = asked.to_vec();
        while let Some(folder) = todo.pop() {
            if !kustomizations.links.contains_key(&folder) {
                let links = kustomizations.links_of(&folder);
                todo.extend(links.folders.iter().cloned());
                kustomizations.links.insert(folder, links);
            }
        }
        kustomizations
    }

    fn links_of(&self, folder: &str) -> KustomizationLinks {
        let mut links = KustomizationLinks::default();
        for file in self.store.kustomizations(folder) {
            links.files.insert(file.id);
            for PathReference { path, may_be_folder, is_resource, .. } in self.store.references(file) {
                if path.is_empty() || is_remote(path) {
                    continue;
                }
                let path = join(folder, path);
                match self.store.file(&path) {
                    Some(file) => {
                        links.files.insert(file.id);
                        links.resources.extend(is_resource.then_some(file.id));
                    }
                    None if *may_be_folder && self.store.is_folder(&path) => links.folders.push(path),
                    None => {}
                }
            }
        }
        let kustomization = Kustomization::load(self.store, folder);
        links.is_component = matches!(kustomization, Some(Ok(kustomization)) if kustomization.is_component);
        links
    }

    /// Builds those that no other includes; of one that cannot be built, those that it includes.
    pub(super) fn build(&self, sink: &mut Sink) -> Built {
        let included: SortedSet<&str> =
            self.links.values().flat_map(|links| links.folders.iter().map(String::as_str)).collect();
        let mut todo: Vec<&str> = self.asked.iter().map(String::as_str).filter(|f| !included.contains(f)).collect();
        // A circle has no first one.
        if todo.is_empty() {
            todo.extend(self.asked.first().map(String::as_str));
        }
        let (mut builds, mut seen, mut built) = (Vec::new(), SortedSet::new(), SortedSet::new());
        let (mut faults, mut spent) = (Vec::new(), Spent::default());
        while !todo.is_empty() {
            todo.retain(|folder| self.links.get(*folder).is_some_and(|l| !l.is_component) && seen.insert(*folder));
            let results = self.build_all(&todo, &mut spent);
            todo.clear();
            for (folder, result) in results {
                match result {
                    Some(Ok(build)) => {
                        built.extend(self.closure(folder));
                        let is_partial = build.is_partial || included.contains(folder);
                        builds.push(Build { is_partial, ..build });
                    }
                    Some(Err(fault)) => {
                        // What exceeds a limit as a whole would do so in its parts.
                        if fault.excess.is_none() {
                            todo.extend(self.links[folder].folders.iter().map(String::as_str));
                        }
                        faults.push((folder, fault));
                    }
                    None => {}
                }
            }
        }
        faults.order_by_key(|(folder, _)| *folder);
        let level = self.level_of_missing(&faults);
        report(&faults, level, sink);
        let (used, partial) = self.used(&built);
        Built { builds, used, partial, spent }
    }

    /// How bad a file is that does not exist: an error in the kustomization that the user asks for. Somewhere in a repository,
    /// nobody may build it.
    fn level_of_missing(&self, faults: &[(&str, BuildFault)]) -> Level {
        let is_top = |folder: &str| self.asked.iter().all(|asked| is_within(folder, asked));
        let mut missing = faults.iter().filter(|(_, fault)| fault.is_missing);
        if missing.any(|(folder, _)| is_top(folder)) { Level::Error } else { Level::Warning }
    }

    /// Builds folders in their order, a few at a time. Those at the same time know nothing of each other, so what they spend
    /// together is counted afterwards: which of them exceed a limit depends on their order alone.
    fn build_all<'f>(&self, folders: &[&'f str], spent: &mut Spent) -> Vec<(&'f str, BuildResult<'s>)> {
        let mut all = Vec::with_capacity(folders.len());
        for some in folders.chunks(AT_ONCE) {
            let before = *spent;
            let built = parallel::map(some, 1, |folder| (*folder, self.build_one(folder, before)));
            for (folder, (result, own)) in built {
                *spent = *spent + own;
                let excess = self.excess(spent);
                let result = result.map(|result| match (result, excess) {
                    (Ok(build), Some(excess)) => Err(BuildFault::excess(self.span(&build.folder), excess, budget::ALL)),
                    (result, _) => result,
                });
                all.push((folder, result));
            }
        }
        all
    }

    /// The limit on all builds that is exceeded.
    fn excess(&self, spent: &Spent) -> Option<Excess> {
        let limits = &self.store.limits;
        let both = [(Limit::AllBuildBytes, spent.bytes), (Limit::BuildSteps, spent.steps)];
        let exceeded = both.into_iter().find(|(limit, spent)| *spent > limits.get(*limit));
        exceeded.map(|(limit, _)| limits.excess(limit))
    }

    /// The place of a kustomization as a whole.
    fn span(&self, folder: &str) -> Span {
        self.store.kustomizations(folder).next().map_or(Span::default(), StoredFile::span)
    }

    fn build_one(&self, folder: &str, before: Spent) -> (BuildResult<'s>, Spent) {
        let budget = Budget::new(self.store.limits, before);
        let result = self.build_within(folder, &budget);
        (result, budget.spent())
    }

    fn build_within(&self, folder: &str, budget: &Budget) -> BuildResult<'s> {
        let objects = build_within(self.store, folder, budget)?;
        Some(objects.map(|objects| {
            let releases: Vec<Made> = budget.releases().into_iter().collect();
            let clear = releases.iter().filter(|made| made.secret.is_empty()).flat_map(|made| &made.objects);
            let clear: Vec<_> = clear.map(content).collect();
            let (documents, copies): (Vec<_>, Vec<_>) = objects
                .into_iter()
                .map(|object| {
                    let origin = origin(&object.node, &clear);
                    (ParsedDocument { origin, ..parsed(object.node) }, object.copies)
                })
                .unzip();
            let copies = copies.into_iter().flatten().collect();
            let mut build = Build { copies, ..new_build(folder, documents) };
            for made in releases {
                build.files.extend(&made.files);
                build.releases.note(&made);
                build.is_partial |= made.lacks;
            }
            build
        }))
    }

    /// A kustomization and all that it includes.
    fn closure<'f>(&'f self, folder: &'f str) -> SortedSet<&'f str> {
        let (mut closure, mut todo) = (SortedSet::new(), vec![folder]);
        while let Some(folder) = todo.pop() {
            if closure.insert(folder) {
                todo.extend(self.links.get(folder).into_iter().flat_map(|l| l.folders.iter().map(String::as_str)));
            }
        }
        closure
    }

    /// The files that are no objects by themselves: all that kustomizations name, but for the resources of those that
    /// contribute to no build, which come second.
    fn used(&self, built: &SortedSet<&str>) -> (SortedSet<FileId>, SortedSet<FileId>) {
        let mut used: SortedSet<FileId> = self.links.values().flat_map(|links| links.files.iter().copied()).collect();
        let is_built = |folder: &String| built.contains(folder.as_str());
        let others = self.links.iter().filter(|(folder, _)| !is_built(folder));
        let mut partial: SortedSet<FileId> = others.flat_map(|(_, links)| links.resources.iter().copied()).collect();
        used.retain(|file| !partial.contains(file));
        let built = self.links.iter().filter(|(folder, _)| is_built(folder));
        used.extend(built.flat_map(|(_, links)| links.files.iter().copied()));
        partial.retain(|file| !used.contains(file));
        (used, partial)
    }
}

/// Reports kustomizations that are not built: those that exceed a limit, and those that are refused, each in one.
fn report(faults: &[(&str, BuildFault)], level_of_missing: Level, sink: &mut Sink) {
    let (exceeding, refused): (Vec<_>, Vec<_>) = faults.iter().partition(|(_, fault)| fault.excess.is_some());
    let (missing, refused): (Vec<_>, Vec<_>) = refused.into_iter().partition(|(_, fault)| fault.is_missing);
    report_excess(&exceeding, sink);
    report_refused(&missing, level_of_missing, sink);
    report_refused(&refused, Level::Info, sink);
}

fn report_excess(faults: &[&(&str, BuildFault)], sink: &mut Sink) {
    for faults in faults.chunk_by(|(_, a), (_, b)| a.excess == b.excess) {
        let Some((_, first)) = faults.first() else { continue };
        let found = first.diagnostic().help(format!("{} not built", counted(faults.len(), "kustomization")));
        sink.report(with_lines(found, faults.iter().map(|(folder, _)| (*folder).to_owned())));
    }
}

fn report_refused(faults: &[&(&str, BuildFault)], level: Level, sink: &mut Sink) {
    let Some((_, first)) = faults.first() else { return };
    let mut diagnostic = first.diagnostic().level(level);
    diagnostic.message = format!("{} not built", counted(faults.len(), "kustomization"));
    sink.report(with_lines(diagnostic, faults.iter().map(|(folder, fault)| format!("{folder}: {}", fault.message))));
}

/// What a Secret holds, and its kind.
type SecretContent = [Option<Value>; 3];

fn content(object: &Node) -> SecretContent {
    ["kind", "data", "stringData"].map(|key| object.get(key).map(Node::to_value))
}

/// What made an object of a build: a chart of clear values, if it is a Secret that still holds what a chart put there.
fn origin(object: &Node, clear: &[SecretContent]) -> DocumentOrigin {
    let is_secret = object.get("kind").and_then(Node::as_str) == Some("Secret");
    match is_secret && !clear.is_empty() && clear.contains(&content(object)) {
        true => DocumentOrigin::ClearValues,
        false => DocumentOrigin::File,
    }
}

fn parsed(root: Node) -> ParsedDocument {
    let span = root.span;
    ParsedDocument { root: Shared::new(root), span, origin: DocumentOrigin::File }
}

fn new_build(folder: &str, documents: Vec<ParsedDocument>) -> Build {
    let mut files = SortedSet::new();
    let mut todo: Vec<&Node> = documents.iter().map(|document| &*document.root).collect();
    while let Some(node) = todo.pop() {
        files.insert(node.span.file);
        match &node.data {
            Data::Seq(items) => todo.extend(items),
            Data::Map(entries) => todo.extend(entries.iter().map(|entry| &entry.value)),
            Data::Null | Data::Bool(_) | Data::Int(_) | Data::Uint(_) | Data::Float(_) | Data::String(_) => {}
        }
    }
    Build {
        folder: folder.to_owned(),
        kind: BuildKind::Kustomization,
        documents,
        files,
        is_partial: false,
        cluster: None,
        copies: SortedSet::new(),
        releases: Noted::default(),
    }
}
