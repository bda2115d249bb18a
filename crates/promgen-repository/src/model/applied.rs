//! What applies builds: Flux Kustomizations and Argo CD Applications, with the namespace and the variables that they bring.
//!
//! In: the objects of all files. Out: for each folder that one of them applies, an [`Applied`], and its effect on a build.

mod starts;

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use promgen_text::diag::count::counted;
use promgen_text::diag::{Diagnostic, Sink};
use promgen_text::limits::Limits;
use promgen_text::shared::Shared;
use promgen_text::source::{Sources, Span};
use promgen_text::yaml::emit::to_json;
use promgen_text::yaml::read::ParsedDocument;
use promgen_text::yaml::read::scalar::{self, Scalar, Tag};
use promgen_text::yaml::{Data, Entry, Node, NodeText, edit};
use promgen_text::{parallel, suggest};

mod home;
mod repositories;

use super::Build;
use super::added::{argo_fields, created_namespace, flux_fields, remote_cluster};
use super::artifact::{ArtifactPatterns, ArtifactSource, GitRepositories};
use super::facts::DocumentFacts;
use super::kustomizations::AT_ONCE;
use super::listed::with_listed;
use super::unapplied::UnappliedReason;
use super::variables::{VariableObjects, Variables};
use crate::charts::{self, ChartSources};
use crate::destination::DestinationCluster;
use crate::id::Id;
use crate::kustomize::budget::{Budget, Spent};
use crate::kustomize::build::BuildPlan;
use crate::kustomize::fault::{BuildFault, BuildResult};
use crate::layout::with_lines;
use crate::path::{self, join};
use crate::rules::MISSING_FOLDER;

pub(super) use home::ApplierHome;
use promgen_text::CollectOrdered;
use repositories::PathSource;

/// The annotation that keeps Flux from filling in variables.
const SUBSTITUTE: &str = "kustomize.toolkit.fluxcd.io/substitute";

/// The way one folder is applied.
#[derive(Clone, Debug, Default, PartialEq)]
struct Applied {
    /// The namespace of its objects, with its place; of those that state none, if `fills` is set.
    namespace: Option<(NodeText, Span)>,
    /// Objects keep the namespace that they state.
    fills: bool,
    /// The labels and annotations that all of its objects get.
    metadata: Vec<Entry>,
    /// The variables that are filled in.
    variables: Variables,
    /// The fields that it adds to the kustomization, if it is known which.
    fields: Option<Node>,
    /// Whether Flux applies it.
    is_of_flux: bool,
    /// `spec.ignore` of the repository that Flux applies, if it is known.
    ignore: Option<String>,
    /// Whether Argo CD applies the manifests in it, and does not build its kustomization.
    is_raw: bool,
    /// The namespace that an Argo CD Application makes, if it says which labels that has.
    creates: Option<ParsedDocument>,
    /// The cluster that an Argo CD Application names, or whose configuration a Flux Kustomization uses.
    cluster: Option<String>,
    /// The home of what applies it.
    home: ApplierHome,
    /// The name of what applies it.
    applier: String,
    /// Whether it is applied like this from several files, and so perhaps to several clusters.
    is_in_several: bool,
    /// The place of what applies it.
    span: Span,
}

/// The effect of what applies a folder, wherever that stands.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct AppliedEffect {
    namespace: Option<NodeText>,
    /// By key, as JSON.
    metadata: Vec<(NodeText, String)>,
    variables: Variables,
    /// As JSON.
    fields: Option<String>,
}

impl Applied {
    /// The cluster that it is applied to, if that is certain.
    fn destination(&self) -> Option<DestinationCluster> {
        match &self.cluster {
            Some(cluster) => Some(DestinationCluster::Named(cluster.clone())),
            None => DestinationCluster::Flux(self.home.file.clone())
                .certain()
                .filter(|_| self.is_of_flux),
        }
    }

    /// The effect on the folder: appliers with the same effect have the same.
    fn effect(&self) -> AppliedEffect {
        let json = |node: &Node| to_json(&node.to_value());
        AppliedEffect {
            namespace: self.namespace.as_ref().map(|(name, _)| name.clone()),
            metadata: self
                .metadata
                .iter()
                .map(|entry| (entry.key.clone(), json(&entry.value)))
                .collect(),
            variables: self.variables.clone(),
            fields: self.fields.as_ref().map(json),
        }
    }
}

/// A path that Flux applies.
#[derive(Clone, Copy, Debug)]
pub(super) struct FluxPath<'a> {
    pub(super) path: &'a str,
    /// The place that says so.
    pub(super) span: Span,
    /// `spec.ignore` of its repository.
    ignore: Option<&'a str>,
}

impl<'a> FluxPath<'a> {
    fn of(path: &'a str, ways: &'a [Applied]) -> Option<Self> {
        let mut ways = ways.iter().filter(|way| way.is_of_flux);
        let Applied { span, ignore, .. } = ways.next()?;
        let is_sure = ways.all(|other| other.ignore == *ignore);
        Some(Self {
            path,
            span: *span,
            ignore: ignore.as_deref().filter(|_| is_sure),
        })
    }

    /// The repository of its folder, which may begin above the folders of the run.
    pub(super) fn source(&self, folder: &'a str) -> Option<ArtifactSource<'a>> {
        let root = if folder == self.path {
            "."
        } else {
            folder.strip_suffix(self.path)?.strip_suffix('/')?
        };
        Some(ArtifactSource {
            root: if root.is_empty() { "/" } else { root },
            ignore: self.ignore,
        })
    }
}

/// A path that an applier names.
struct FoundPath {
    folder: String,
    span: Span,
    /// The kind and name of the applier.
    title: String,
    source: PathSource,
    applied: Applied,
}

impl FoundPath {
    /// `None`: something fills it in later.
    fn new(path: &Node, root: &Node, source: PathSource, applied: Applied) -> Option<Self> {
        let folder = path.as_str().filter(|path| !is_open(path))?;
        let kind = root.text_of("kind").unwrap_or_default();
        Some(Self {
            folder: join(".", folder.trim_start_matches('/')),
            span: path.span,
            title: format!("{kind} {}", applied.applier),
            source,
            applied,
        })
    }
}

/// All folders that something applies.
#[derive(Clone, Debug, Default)]
pub(super) struct Appliers {
    /// Each with the ways in which it is applied that differ.
    folders: BTreeMap<String, Vec<Applied>>,
    /// The numbers of the ways by folder and effect, and by the cluster of each. Empty once all is read.
    known: BTreeMap<(String, AppliedEffect), BTreeMap<Option<DestinationCluster>, usize>>,
    /// The first of these that ends with a path of several parts.
    by_end: BTreeMap<String, String>,
    /// Every path, with its place and what applies it.
    paths: BTreeMap<(String, Span), String>,
    /// The repositories that paths are of, but for those that are elsewhere. Of several, nobody knows which one the run reads.
    repositories: BTreeSet<PathSource>,
    /// The paths that only appliers name which nobody applies, with the reason.
    pub(super) dead: BTreeMap<String, UnappliedReason>,
    /// The configuration of Argo CD lets Kustomize read files that are not in or below the folder of their kustomization.
    pub(super) argo_is_unrestricted: bool,
}

impl Appliers {
    /// Searches the objects, each with the build that has it, if one does. `unapplied`: why nobody applies the applier of a path.
    pub(super) fn read<'p>(
        parsed: impl IntoIterator<Item = (&'p ParsedDocument, Option<&'p Build>)>,
        sources: &Sources,
        unapplied: impl Fn(&str, &ApplierHome, Option<&Build>) -> Option<UnappliedReason>,
    ) -> Self {
        let mut appliers = Self::default();
        let parsed = with_listed(parsed);
        let known = OnceCell::new();
        let all = parsed.iter().map(|(document, _)| &*document.root);
        let files =
            || known.get_or_init(|| ChartSources::new(sources, false).with_clusters(all.clone()));
        let mut objects = VariableObjects::default();
        let mut repositories = GitRepositories::default();
        for (document, build) in &parsed {
            let home = || ApplierHome::of(document, *build, sources);
            objects.add(document, home);
            repositories.add(document, || home().file);
            appliers.argo_is_unrestricted |= DocumentFacts::of(&document.root).lifts_restriction;
        }
        let mut found: Vec<(FoundPath, Option<&Build>)> = Vec::new();
        for (document, build) in &parsed {
            let text = |keys: &[&str]| document.root.text_at(keys).unwrap_or_default();
            let home = || ApplierHome::of(document, *build, sources);
            let paths = match (text(&["apiVersion"]).split('/').next(), text(&["kind"])) {
                (Some("kustomize.toolkit.fluxcd.io"), "Kustomization") => {
                    let path = of_flux(&document.root, home(), &objects, &repositories);
                    path.into_iter().collect()
                }
                (Some("fluxcd.controlplane.io"), "ResourceSet") => {
                    let made = charts::resources(&document.root, sources);
                    let flux = made.iter().filter(|object| is_of_flux(object));
                    flux.filter_map(|one| of_flux(one, home(), &objects, &repositories))
                        .collect()
                }
                (Some("argoproj.io"), "Application") => of_argo(&document.root, &home(), files()),
                (Some("argoproj.io"), "ApplicationSet") => {
                    let applications = charts::applications(&document.root, files());
                    let of_one = |one| of_argo(one, &home(), files());
                    applications.iter().flat_map(of_one).collect()
                }
                _ => Vec::new(),
            };
            found.extend(paths.into_iter().map(|path| (path, *build)));
        }
        let paths: Vec<(&PathSource, &str)> = found
            .iter()
            .map(|(of, _)| (&of.source, of.folder.as_str()))
            .collect();
        let foreign = repositories::foreign(&paths, &repositories, folders(sources));
        found.retain(|(path, _)| !foreign.contains(&path.source));
        let mut dead = BTreeMap::new();
        for (path, build) in found {
            match unapplied(&path.folder, &path.applied.home, build) {
                Some(why) => drop(dead.insert(path.folder, why.of_applier(&path.title))),
                None => appliers.add(path),
            }
        }
        dead.retain(|path, _| !appliers.folders.contains_key(path));
        appliers.dead = dead;
        appliers.known.clear();
        for path in appliers.folders.keys() {
            for end in ends(path).filter(|end| end.contains('/')) {
                appliers
                    .by_end
                    .entry(end.to_owned())
                    .or_insert_with(|| path.clone());
            }
        }
        appliers
    }

    /// Reports the paths that are none of these folders, but for a slip in their last part.
    pub(super) fn report_missing<'f>(
        &self,
        folders: impl Iterator<Item = &'f str>,
        sink: &mut Sink,
    ) {
        if self.paths.is_empty() {
            return;
        }
        let known: BTreeSet<&str> = folders
            .flat_map(starts)
            .flat_map(whole_and_ends)
            .collect_set();
        for ((path, span), what) in &self.paths {
            // The input may begin below the root of the repository.
            if path == "." || whole_and_ends(path).any(|end| known.contains(end)) {
                continue;
            }
            let (parent, name) = path.rsplit_once('/').unwrap_or((".", path));
            let beside = known
                .iter()
                .filter(|folder| path::folder(folder) == parent)
                .map(|folder| path::base_name(folder));
            if let Some(meant) =
                suggest::closest(name, beside.filter(|other| suggest::is_slip(name, other)))
            {
                let found = Diagnostic::new(
                    &MISSING_FOLDER,
                    *span,
                    format!("{what} applies `{path}`, which is not in the input"),
                );
                let meant = if parent == "." {
                    meant.to_owned()
                } else {
                    format!("{parent}/{meant}")
                };
                sink.report(found.help(format!("did you mean `{meant}`?")));
            }
        }
    }

    fn add(&mut self, found: FoundPath) {
        let FoundPath {
            folder,
            span,
            title,
            source,
            applied,
        } = found;
        self.paths.insert((folder.clone(), span), title);
        self.repositories.insert(source);
        let known = self
            .known
            .entry((folder.clone(), applied.effect()))
            .or_default();
        let ways = self.folders.entry(folder).or_default();
        let cluster = applied.destination();
        // A cluster that is not known may be any of them.
        let same = match &cluster {
            Some(_) => known.remove(&cluster).or_else(|| known.remove(&None)),
            None => known.pop_first().map(|(_, number)| number),
        };
        let number = same.unwrap_or(ways.len());
        known.insert(cluster, number);
        match ways.get_mut(number) {
            Some(way) => {
                let is_elsewhere = way.home != applied.home || way.cluster != applied.cluster;
                *way = Applied {
                    is_in_several: way.is_in_several || is_elsewhere,
                    is_raw: way.is_raw || applied.is_raw,
                    ..applied
                };
            }
            None => ways.push(applied),
        }
    }

    /// The application of a folder, in the way of that number: as it is named, or below one that is named.
    fn of(&self, folder: &str, way: usize) -> Option<(&str, &Applied)> {
        let (path, ways) = self.ways(folder)?;
        Some((path, ways.get(way)?))
    }

    /// The ways in which a folder is applied. The paths of appliers begin at the root of the repository; that of the folder
    /// may begin above it or below it.
    fn ways(&self, folder: &str) -> Option<(&str, &[Applied])> {
        let longer = || self.folders.get_key_value(self.by_end.get(folder)?);
        // Any repository has a root.
        let root = || {
            self.folders
                .get_key_value(".")
                .filter(|_| folder == "." && self.repositories.len() == 1)
        };
        let (path, ways) = self.innermost(folder).or_else(longer).or_else(root)?;
        Some((path, ways))
    }

    /// The number of ways in which a folder is applied; one, if nothing applies it.
    pub(super) fn n_ways(&self, folder: &str) -> usize {
        self.ways(folder).map_or(1, |(_, ways)| ways.len())
    }

    /// Adds the objects of folders as often as they are applied, within the limits. Returns what all builds have spent.
    pub(super) fn in_all_ways(
        &self,
        folders: Vec<Build>,
        builds: &mut Vec<Build>,
        limits: &Limits,
        mut spent: Spent,
        sink: &mut Sink,
    ) -> Spent {
        let (mut n_left_out, mut first) = (0, None);
        for build in folders {
            let own = Spent {
                objects: build.n_objects(),
                ..Spent::default()
            };
            let (n_ways, at) = (self.n_ways(&build.folder), builds.len());
            builds.push(build);
            for way in 1..n_ways {
                let build = &builds[at];
                let all = spent + own;
                match all.excess(limits) {
                    None => {
                        builds.push(Build {
                            way,
                            ..build.clone()
                        });
                        spent = all;
                    }
                    Some(excess) => {
                        n_left_out += 1;
                        first =
                            first.or_else(|| Some((excess, self.of(&build.folder, way)?.1.span)));
                    }
                }
            }
        }
        if let Some((excess, span)) = first {
            let found = excess.diagnostic(span, "what Flux and Argo CD apply several times");
            sink.report(found.help(format!("{} omitted", counted(n_left_out, "deployment"))));
        }
        spent
    }

    /// The paths that Flux applies.
    pub(super) fn flux_paths(&self) -> impl Iterator<Item = FluxPath<'_>> {
        self.folders
            .iter()
            .filter_map(|(path, ways)| FluxPath::of(path, ways))
    }

    /// The patterns of what Flux leaves out.
    pub(super) fn patterns(&self, sources: &Sources) -> ArtifactPatterns {
        ArtifactPatterns::read(sources, self.flux_paths().filter_map(|path| path.ignore))
    }

    /// The repository of a folder that is a path of Flux, and that nothing else applies.
    pub(super) fn artifact<'a>(
        &'a self,
        folder: &'a str,
        patterns: &ArtifactPatterns,
    ) -> Option<ArtifactSource<'a>> {
        let (path, ways) = self
            .ways(folder)
            .filter(|(_, ways)| ways.iter().all(|way| way.is_of_flux))?;
        let is_sure = path == folder || !patterns.has(path);
        FluxPath::of(path, ways).filter(|_| is_sure)?.source(folder)
    }

    /// The way the kustomization of a folder is built by what applies it. Flux reads files wherever they are, and adds fields
    /// to the kustomization of its path. `may_be_of_flux`: what is not known to be applied is built by Flux.
    pub(super) fn plan(&self, folder: &str, way: usize, may_be_of_flux: bool) -> BuildPlan<'_> {
        let applied = self.of(folder, way);
        let is_of_flux = applied.map_or(may_be_of_flux, |(_, applied)| applied.is_of_flux);
        let fields = applied
            .filter(|(path, _)| is_path(folder, path))
            .and_then(|(_, applied)| applied.fields.as_ref());
        let fields = fields.filter(|fields| !fields.entries().is_empty());
        BuildPlan {
            is_unrestricted: is_of_flux || self.argo_is_unrestricted,
            fields,
        }
    }

    /// Returns whether Flux builds the kustomization of a folder: its path is that folder, and not one above it.
    pub(super) fn is_built_by_flux(&self, folder: &str) -> bool {
        self.ways(folder).is_some_and(|(path, ways)| {
            is_path(folder, path) && ways.iter().any(|way| way.is_of_flux)
        })
    }

    /// The path by which the folder itself is applied, if all that applies it builds its kustomization.
    pub(super) fn builds(&self, folder: &str) -> Option<&str> {
        let (path, ways) = self.ways(folder)?;
        (is_path(folder, path) && !ways.iter().any(|way| way.is_raw)).then_some(path)
    }

    /// Returns whether something applies manifests in a folder, or in one above it, as they are.
    pub(super) fn takes_raw(&self, folder: &str) -> bool {
        let is_raw = |path| {
            self.folders
                .get(path)
                .is_some_and(|ways| ways.iter().any(|way| way.is_raw))
        };
        is_raw(".") || parts(folder).any(is_raw)
    }

    /// Why nobody applies a path, if only appliers name it, or a folder above it, which nobody applies.
    pub(super) fn dead_around(&self, path: &str) -> Option<&UnappliedReason> {
        let dead = |folder: &str| {
            let mut dead = self.dead.iter();
            dead.find(|(path, _)| is_path(folder, path))
        };
        let around = [path].into_iter().chain(path::ancestors(path));
        let mut around = around.take_while(|folder| self.builds(folder).is_none());
        around.find_map(dead).map(|(_, why)| why)
    }

    /// Returns whether something applies a folder, or one above it.
    pub(super) fn reaches(&self, folder: &str) -> bool {
        self.ways(folder).is_some()
    }

    /// Returns whether nothing is applied.
    pub(super) fn is_empty(&self) -> bool {
        self.folders.is_empty()
    }

    /// The longest path that is a part of another.
    fn innermost(&self, folder: &str) -> Option<(&String, &Vec<Applied>)> {
        let length = |(path, _): &(&String, &Vec<Applied>)| (path.len(), (*path).clone());
        let depth = folder.matches('/').count();
        if depth * depth < self.folders.len() {
            let parts = parts(folder).filter(|part| *part != ".");
            return parts
                .filter_map(|part| self.folders.get_key_value(part))
                .max_by_key(length);
        }
        let whole = format!("/{folder}/");
        self.folders
            .iter()
            .filter(|(path, _)| *path != "." && is_part(path, &whole))
            .max_by_key(length)
    }

    /// Puts the objects of all builds where they are applied, and fills in variables. A build that exceeds a limit is left
    /// without objects. Returns what all builds have spent.
    pub(super) fn apply_all(
        &self,
        builds: &mut [Build],
        sources: &Sources,
        limits: Limits,
        mut spent: Spent,
        sink: &mut Sink,
    ) -> Spent {
        for build in builds.iter_mut() {
            build.cluster = self
                .cluster(build)
                .or_else(|| self.own_cluster(build, sources));
            build.start = self.start(build);
        }
        let mut refused: Vec<(BuildFault, String)> = Vec::new();
        let changes = |build: &&mut Build| {
            self.of(&build.folder, build.way).is_some() || build.has(|facts| facts.is_filled)
        };
        let mut changed: Vec<&mut Build> = builds.iter_mut().filter(changes).collect();
        for some in changed.chunks_mut(AT_ONCE) {
            let before = spent;
            let apply = |build: &mut &mut Build| {
                let budget = Budget::new(limits, before);
                (self.apply(build, sources, &budget), budget.spent())
            };
            let applied = parallel::map_mut(some, 1, apply);
            for (build, (result, own)) in some.iter_mut().zip(applied) {
                spent = spent + own;
                // Builds at the same time know nothing of each other.
                let together = Budget::new(limits, spent).write(0, self.span(build));
                if let Err(fault) = result.and(if own.bytes > 0 { together } else { Ok(()) }) {
                    build.documents.clear();
                    refused.push((fault, build.folder.clone()));
                }
            }
        }
        let Some((first, _)) = refused.first() else {
            return spent;
        };
        let found = first.diagnostic().help(format!(
            "the objects of {} omitted",
            counted(refused.len(), "folder")
        ));
        sink.report(with_lines(
            found,
            refused.iter().map(|(_, folder)| folder.clone()),
        ));
        spent
    }

    /// The place of what applies a build.
    fn span(&self, build: &Build) -> Span {
        self.of(&build.folder, build.way)
            .map_or(Span::default(), |(_, applied)| applied.span)
    }

    /// Puts the objects of a build where they are applied, and fills in variables.
    fn apply(&self, build: &mut Build, sources: &Sources, budget: &Budget) -> BuildResult {
        let Some((_, applied)) = self.of(&build.folder, build.way) else {
            let none = Applied::default();
            return build
                .documents
                .iter_mut()
                .try_for_each(|document| none.fill(&mut document.root, sources, budget));
        };
        let is_there = |namespace: &Node| {
            let id = Id::read(namespace);
            let is_it = |of: &ParsedDocument| Id::read(&of.root) == id;
            build.documents.iter().any(is_it)
        };
        if let Some(namespace) = applied
            .creates
            .as_ref()
            .filter(|namespace| !is_there(&namespace.root))
        {
            build.documents.push(namespace.clone());
        }
        for document in &mut build.documents {
            applied.set_namespace(&mut document.root);
            applied.label(&mut document.root);
            applied.fill(&mut document.root, sources, budget)?;
        }
        Ok(())
    }
}

/// The path of a Kustomization of Flux.
fn of_flux(
    root: &Node,
    home: ApplierHome,
    objects: &VariableObjects<'_>,
    repositories: &GitRepositories<'_>,
) -> Option<FoundPath> {
    let spec = root.get("spec")?;
    let path = spec.get("path")?;
    let applied = Applied {
        namespace: spec.get("targetNamespace").and_then(stated),
        metadata: spec.entries_of("commonMetadata").to_vec(),
        variables: Variables::read(root, &home, objects),
        fields: Some(flux_fields(spec)),
        is_of_flux: true,
        ignore: repositories.ignore(root).map(str::to_owned),
        cluster: remote_cluster(spec),
        home,
        applier: name_of(root),
        span: spec.span,
        ..Applied::default()
    };
    FoundPath::new(path, root, PathSource::of_flux(root, repositories), applied)
}

/// The paths of an Application of Argo CD.
fn of_argo(root: &Node, home: &ApplierHome, files: &ChartSources<'_>) -> Vec<FoundPath> {
    let Some(spec) = root.get("spec") else {
        return Vec::new();
    };
    let namespace = spec.find(&["destination", "namespace"]).and_then(stated);
    let cluster = charts::destination(spec, files);
    let path = |source: &Node| {
        let path = source.get("path")?;
        let creates = namespace
            .as_ref()
            .and_then(|(name, _)| created_namespace(spec, name));
        let is_raw = ["directory", "helm", "plugin"]
            .iter()
            .any(|tool| source.get(tool).is_some());
        let applied = Applied {
            namespace: namespace.clone(),
            fills: true,
            creates,
            fields: source.get("kustomize").map(argo_fields),
            cluster: cluster.clone(),
            home: home.clone(),
            is_raw,
            applier: name_of(root),
            span: spec.span,
            ..Applied::default()
        };
        let repository = source.text_of("repoURL").unwrap_or_default();
        FoundPath::new(path, root, PathSource::of_url(repository), applied)
    };
    let sources = spec.get("source").into_iter();
    sources
        .chain(spec.items_of("sources"))
        .filter_map(path)
        .collect()
}

/// The folders of a run.
fn folders(sources: &Sources) -> BTreeSet<&str> {
    let files = sources.files().map(|(_, file)| path::folder(&file.name));
    files.flat_map(starts).chain(["."]).collect()
}

/// The name of an object.
fn name_of(root: &Node) -> String {
    root.text_at(&["metadata", "name"])
        .unwrap_or_default()
        .to_owned()
}

/// Returns whether a folder is that of a path, which may begin below the folder's root.
pub(super) fn is_path(folder: &str, path: &str) -> bool {
    folder == path
        || folder
            .strip_suffix(path)
            .is_some_and(|before| before.ends_with('/'))
}

/// Returns whether a path is a part of a folder's, which has a `/` around it.
fn is_part(path: &str, whole: &str) -> bool {
    whole.contains(&format!("/{path}/"))
}

/// Returns whether something fills a path in later.
fn is_open(path: &str) -> bool {
    path.contains(['$', '{'])
}

/// The parts of a path that begin behind a `/`.
fn ends(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(at, _)| &path[at + 1..])
}

/// A path, and its parts that begin behind a `/`.
fn whole_and_ends(path: &str) -> impl Iterator<Item = &str> {
    std::iter::once(path).chain(ends(path))
}

/// All parts of a path.
fn parts(path: &str) -> impl Iterator<Item = &str> {
    whole_and_ends(path).flat_map(starts)
}

/// A path, and its parts that end before a `/`.
fn starts(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/')
        .map(|(at, _)| &path[..at])
        .chain([path])
}

/// A name that is known.
pub(super) fn stated(node: &Node) -> Option<(NodeText, Span)> {
    match &node.data {
        Data::String(name) if !name.is_empty() && !is_open(name) => Some((name.clone(), node.span)),
        _ => None,
    }
}

impl Applied {
    /// Sets the namespace.
    fn set_namespace(&self, root: &mut Shared<Node>) {
        let Some((namespace, span)) = &self.namespace else {
            return;
        };
        let id = Id::read(root);
        if id.name.is_empty() || id.is_cluster_scoped() || self.fills && !id.namespace.is_empty() {
            return;
        }
        // What the object says already keeps its place.
        if id.namespace == **namespace {
            return;
        }
        if let Some(metadata) = root.make_mut().get_mut("metadata") {
            let key_span = metadata
                .entry("namespace")
                .map_or(*span, |entry| entry.key_span);
            edit::set(
                metadata,
                "namespace",
                key_span,
                edit::text(namespace.clone(), *span),
            );
        }
    }

    /// Sets the labels and annotations that all objects get.
    fn label(&self, root: &mut Shared<Node>) {
        if self.metadata.is_empty() || root.find(&["metadata", "name"]).is_none() {
            return;
        }
        let Some(metadata) = root.make_mut().get_mut("metadata") else {
            return;
        };
        for common in self
            .metadata
            .iter()
            .filter(|common| ["labels", "annotations"].contains(&&*common.key))
        {
            let place = common.value.span;
            let Some(own) = edit::get_or_insert(metadata, &common.key, || edit::map(place)) else {
                continue;
            };
            for entry in common.value.entries() {
                edit::set(own, entry.key.clone(), entry.key_span, entry.value.clone());
            }
        }
    }

    /// Fills in the variables of an object, unless it forbids that.
    fn fill(&self, root: &mut Shared<Node>, sources: &Sources, budget: &Budget) -> BuildResult {
        if DocumentFacts::of(root).is_filled {
            self.substitute(root.make_mut(), sources, budget)?;
        }
        Ok(())
    }

    /// Fills in variables that are known, or have a default.
    fn substitute(&self, root: &mut Node, sources: &Sources, budget: &Budget) -> BuildResult {
        let mut todo = vec![root];
        while let Some(node) = todo.pop() {
            let template = node.as_str().filter(|text| is_template(text));
            let write = |n_bytes| budget.write(n_bytes, self.span);
            if let Some(filled) = template
                .map(|text| self.filled(text, &write))
                .transpose()?
                .flatten()
            {
                let is_plain = !sources.text(node.span).starts_with(['"', '\'', '|', '>']);
                node.data = if is_plain {
                    resolved(filled)
                } else {
                    Data::String(filled.into())
                };
            }
            todo.extend(node.children_mut());
        }
        Ok(())
    }

    /// A text with the variables filled in that are known, and `$` for `$$`; `None` if that changes nothing.
    ///
    /// # Errors
    /// `write` refuses what is filled in.
    fn filled(
        &self,
        text: &str,
        write: &dyn Fn(usize) -> BuildResult,
    ) -> BuildResult<Option<String>> {
        let (mut filled, mut rest, mut is_filled) = (String::new(), text, false);
        write(text.len())?;
        while let Some(at) = rest.find('$') {
            filled += &rest[..at];
            rest = &rest[at..];
            let (length, value) = if rest.starts_with("$$") {
                // Behind it stands no variable: Flux leaves `$${name}` as `${name}`.
                (2, self.variables.are_some().then_some("$"))
            } else if rest.starts_with("${") {
                let Some(end) = rest.find('}') else {
                    break;
                };
                (end + 1, self.value(&rest[2..end]))
            } else {
                (1, None)
            };
            write(value.map_or(0, str::len))?;
            is_filled |= value.is_some();
            filled += value.unwrap_or(&rest[..length]);
            rest = &rest[length..];
        }
        Ok(is_filled.then(|| filled + rest))
    }

    /// The value of a variable, as it stands in braces: its own, or its default.
    fn value<'a>(&'a self, inner: &'a str) -> Option<&'a str> {
        let length = inner
            .bytes()
            .take_while(|b| b.is_ascii_alphanumeric() || *b == b'_')
            .count();
        let (name, tail) = inner.split_at(length);
        if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            return None;
        }
        let default = [":=", ":-", "=", "-"]
            .iter()
            .find_map(|mark| tail.strip_prefix(mark));
        self.variables.value(name, default)
    }
}

/// Returns whether a text has variables, or a `$$` that stands for `$`. Few have a `$`, and a search for one character is fast.
fn is_template(text: &str) -> bool {
    text.contains('$') && (text.contains("${") || text.contains("$$"))
}

/// Returns whether an object is a Kustomization of Flux.
pub(super) fn is_of_flux(root: &Node) -> bool {
    let text = |key: &str| root.text_of(key).unwrap_or_default();
    text("kind") == "Kustomization"
        && text("apiVersion").starts_with("kustomize.toolkit.fluxcd.io/")
}

/// Returns whether Flux fills in variables of an object.
pub(super) fn is_filled(root: &Node) -> bool {
    let annotation = root.text_at(&["metadata", "annotations", SUBSTITUTE]);
    let mut texts = root.descendants().filter_map(Node::as_str);
    // Most have none, and stay shared.
    annotation != Some("disabled") && texts.any(is_template)
}

/// A plain scalar as YAML reads it.
fn resolved(text: String) -> Data {
    match scalar::resolve(Cow::Owned(text.clone()), Tag::Plain) {
        Ok(Scalar::Null) => Data::Null,
        Ok(Scalar::Bool(value)) => Data::Bool(value),
        Ok(Scalar::Int(value)) => Data::Int(value),
        Ok(Scalar::Uint(value)) => Data::Uint(value),
        Ok(Scalar::Float(value)) if value.is_finite() => Data::Float(value),
        Ok(Scalar::Float(_) | Scalar::Text(_)) | Err(_) => Data::String(text.into()),
    }
}

#[cfg(test)]
mod tests;
