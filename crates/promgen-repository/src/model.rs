//! The builds of a repository, and which of them may share a cluster.
//!
//! In: the documents of all files, and what kustomizations refer to. Out: a [`Repository`] of [`Environment`]s. A build is what a
//! kustomization that no other includes makes, or the objects of a folder that belong to no kustomization. An environment is
//! builds that hold no object in two forms: two builds that do are alternatives, such as `staging` and `production`.

mod added;
mod applied;
mod artifact;
mod copies;
mod environments;
mod facts;
mod generated;
mod kustomizations;
mod listed;
mod private;
mod raw;
mod releases;
mod unapplied;
mod variables;

use std::collections::{BTreeMap, BTreeSet};

use promgen_resources::secrecy::Private;
use promgen_text::diag::{Diagnostic, Sink, rules};
use promgen_text::limits::Limits;
use promgen_text::parallel;
use promgen_text::source::{FileId, Input, Sources, Span};
use promgen_text::version::Version;
use promgen_text::yaml::read::ParsedDocument;

use crate::charts::{ChartOptions, ReleaseSources, UnreadCharts};
use crate::destination::DestinationCluster;
use crate::kustomize::read::gather::{GatheredFiles, Inputs, gather_with};
use crate::kustomize::read::store::{GeneratedKustomization, ParsedObjects, Store};
use crate::layout::{FileRole, FileRoles};
use crate::path;
use crate::path::join;
use applied::Appliers;
pub use environments::Environment;
use facts::DocumentFacts;
use generated::ScannedFiles;
use kustomizations::{Built, Kustomizations};
use promgen_resources::unknown;
use promgen_text::CollectOrdered;
use raw::{BuiltFields, RawFiles};
pub use unapplied::UnappliedDocument;
use unapplied::UnappliedFiles;

rules! {
    /// ## What it does
    /// Reports an input with several environments, such as `staging` and `production`: builds that hold the same object in
    /// two forms. `lint` checks each of them, and most commands answer for each. The others, such as `health`, use the first one.
    ///
    /// ## Why is this bad?
    /// The objects of the other environments are not in the output.
    ///
    /// ## Example
    /// A folder with `overlays/staging` and `overlays/production`, given as a whole.
    ///
    /// Use instead: the folder of one environment.
    /// ```sh
    /// promgen render overlays/production
    /// ```
    ALTERNATIVES = "PG052" "several-environments" Warning: "an input with several environments, of which one is used";
}

/// The number of folders that a message names.
const MAX_NAMES: usize = 3;

/// Reports that only one of several environments is used.
pub fn report_alternatives(used: &Environment, others: &[Environment], sink: &mut Sink) {
    let names = |folders: &mut dyn Iterator<Item = &String>| -> String {
        let names: Vec<String> = folders
            .take(MAX_NAMES)
            .map(|folder| format!("`{folder}`"))
            .collect();
        names.join(", ")
    };
    let message = format!(
        "the input holds {} environments: only one is used",
        others.len() + 1
    );
    let diagnostic = Diagnostic::placeless(&ALTERNATIVES, message)
        .help(format!("used: {}", names(&mut used.folders.iter())))
        .help(format!(
            "not used: {}",
            names(&mut others.iter().flat_map(|other| &other.folders))
        ))
        .help("name the folder of one environment");
    sink.report(diagnostic);
}

/// Objects that are applied together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Build {
    /// The folder.
    folder: String,
    /// The number of the way in which the folder is applied, of those that differ.
    way: usize,
    /// The objects.
    documents: Vec<ParsedDocument>,
    /// The files that its values come from.
    files: BTreeSet<FileId>,
    /// It is a part of a kustomization that is not built, so that other objects belong to it.
    is_partial: bool,
    /// The cluster that Flux or Argo CD applies it to. `None` if nobody says so.
    cluster: Option<DestinationCluster>,
    /// Where that begins which applies it.
    start: Option<BuildStart>,
    /// The places of secret texts that the build copies to where they stand in the open.
    copies: BTreeSet<Span>,
    /// The parts of the releases of charts in it.
    releases: Vec<ReleaseSources>,
    /// The newest release of the CustomResourceDefinitions that charts of definitions install.
    definitions: Option<Version>,
    /// The arguments of each operator that a chart installs.
    operators: Vec<Vec<String>>,
    /// The findings about releases.
    found: Vec<Diagnostic>,
}

/// Where that begins which applies a build: Flux and Argo CD apply what applies the next, and so on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct BuildStart {
    /// The first path that is applied.
    path: String,
    /// The folder of what applies it.
    home: String,
    /// The name of what applies it.
    applier: String,
    /// Whether several apply it in the same way, perhaps to several clusters.
    is_shared: bool,
}

impl Build {
    /// A build without objects.
    fn new(folder: &str) -> Self {
        Self {
            folder: folder.to_owned(),
            ..Self::default()
        }
    }

    /// Returns whether a fact holds for one of its documents.
    fn has(&self, fact: impl Fn(&DocumentFacts) -> bool) -> bool {
        let holds = |document: &ParsedDocument| fact(&DocumentFacts::of(&document.root));
        self.documents.iter().any(holds)
    }

    /// The cost of the build, in objects.
    fn n_objects(&self) -> u64 {
        self.documents.len() as u64
    }

    /// Returns whether anything is to be said beside the objects.
    fn says_something(&self) -> bool {
        !self.found.is_empty()
            || !self.operators.is_empty()
            || self.releases.iter().any(|release| release.wanted.is_some())
    }
}

/// The files that kustomizations need, found among the inputs of a run.
#[derive(Clone, Debug, Default)]
pub struct Needed {
    gathered: GatheredFiles,
    /// The number of the file at each path.
    ids: BTreeMap<String, FileId>,
    /// Folders with a kustomization that the user asks for.
    folders: Vec<String>,
    /// The kustomizations that Flux generates, by their folders.
    generated: BTreeMap<String, GeneratedKustomization>,
}

impl Needed {
    /// Looks for kustomizations among the inputs, and for what they refer to. Assets are no kustomizations of their own.
    /// `documents`: those of the inputs, which say where Flux generates one.
    #[must_use]
    pub fn find(
        inputs: &[Input],
        sources: &Sources,
        layout: &FileRoles,
        documents: &[ParsedDocument],
    ) -> Self {
        let ids = || sources.files().map(|(id, _)| id);
        let asked = inputs
            .iter()
            .zip(ids())
            .filter(|(_, id)| layout.role(*id) == FileRole::Kustomization);
        let folders: BTreeSet<String> = asked
            .map(|(input, _)| path::folder(&join(".", &input.name)).to_owned())
            .collect_set();
        let generated = generated(documents, sources, &folders);
        if folders.is_empty() && generated.is_empty() {
            return Self::default();
        }
        let folders: Vec<String> = folders.into_iter().collect();
        let names: Vec<&str> = folders.iter().map(String::as_str).collect();
        let references = generated
            .iter()
            .map(|(folder, made)| (folder.as_str(), made.references.as_slice()));
        let gathered = gather_with(&Inputs::new(inputs, None), &names, references);
        let ids = inputs
            .iter()
            .zip(ids())
            .map(|(input, id)| (join(".", &input.name), id))
            .collect();
        Self {
            gathered,
            ids,
            folders,
            generated,
        }
    }

    /// The texts of the run that may hold secrets by their role, with those of what applies builds.
    #[must_use]
    pub fn private(&self, documents: &[ParsedDocument]) -> Private {
        let mut private = self.gathered.private(|path| self.ids.get(path));
        documents
            .iter()
            .for_each(|document| private::note_private(&document.root, &mut private));
        private
    }

    /// The objects of the files, from all documents of the run. `sink` has what their parser found.
    #[must_use]
    pub fn parsed(
        &self,
        documents: &[ParsedDocument],
        sources: &Sources,
        sink: &Sink,
    ) -> ParsedObjects {
        let files = self
            .gathered
            .inputs
            .iter()
            .filter_map(|input| self.ids.get(&input.name).copied());
        let files: BTreeSet<FileId> = files.collect_set();
        ParsedObjects::new(documents, |file| files.contains(&file), sources, sink)
    }
}

/// The kustomizations that Flux generates of documents, beside those in folders.
fn generated(
    documents: &[ParsedDocument],
    sources: &Sources,
    folders: &BTreeSet<String>,
) -> BTreeMap<String, GeneratedKustomization> {
    let all = documents.iter().map(|document| (document, None));
    let appliers = Appliers::read(all, sources, |_, _, _| None);
    if appliers.flux_paths().next().is_none() {
        return BTreeMap::new();
    }
    let is_object = |document: &ParsedDocument| {
        let has = |keys: &[&str]| {
            document
                .root
                .text_at(keys)
                .is_some_and(|text| !text.is_empty())
        };
        has(&["apiVersion"])
            && has(&["kind"])
            && (has(&["metadata", "name"]) || document.root.get("items").is_some())
    };
    let of_file = |documents: &[ParsedDocument]| {
        let file = documents
            .first()
            .filter(|_| documents.iter().all(is_object))?
            .span
            .file;
        let name = join(".", &sources.file(file).name);
        [".yaml", ".yml"]
            .iter()
            .any(|end| name.ends_with(end))
            .then_some((name, file))
    };
    let objects = documents
        .chunk_by(|a, b| a.span.file == b.span.file)
        .filter_map(of_file)
        .collect();
    let patterns = appliers.patterns(sources);
    let scanned = ScannedFiles {
        objects: &objects,
        kustomizations: folders,
        patterns: &patterns,
    };
    appliers
        .flux_paths()
        .filter_map(|path| scanned.generate(path))
        .collect_map()
}

/// How often builds change what applies builds, at most: Flux applies what Flux applies, and so on.
const MAX_ROUNDS: usize = 8;

/// The result of the files of a run.
#[derive(Debug, Default)]
pub struct Repository {
    /// The groups that may share a cluster: builds that hold no object in two forms.
    pub environments: Vec<Environment>,
    /// The parts of the releases of charts.
    pub releases: Vec<ReleaseSources>,
    /// The places of secret texts that builds copy to where they stand in the open, and that are replaced.
    pub copies: BTreeSet<Span>,
    /// Those of them that the API server refuses there.
    pub refused: BTreeSet<Span>,
    /// The documents that nobody applies.
    pub unapplied: Vec<UnappliedDocument>,
    /// Whether Flux or Argo CD apply parts of it.
    pub has_appliers: bool,
    /// The charts whose objects are not known.
    pub unread_charts: UnreadCharts,
}

impl Repository {
    /// Builds all that the documents of a run make, as they are written. `files`: what [`Needed::parsed`] returned.
    pub fn build(
        read: &ReadFiles<'_>,
        settings: &BuildSettings<'_>,
        files: ParsedObjects,
        parsed: Vec<ParsedDocument>,
        sink: &mut Sink,
    ) -> Self {
        let all = builds(read, settings, files, parsed, sink);
        let AllBuilds {
            mut builds,
            unapplied,
            has_appliers,
            mut unread_charts,
        } = all;
        let releases = builds
            .iter_mut()
            .flat_map(|build| std::mem::take(&mut build.releases));
        let releases: Vec<ReleaseSources> = releases.collect();
        let rendered = releases.iter().filter(|release| release.is_rendered);
        let rendered: BTreeSet<String> = rendered
            .filter_map(|release| release.chart.clone())
            .collect_set();
        read.layout.report(&rendered, sink);
        unread_charts.here = read.layout.unread_charts(&rendered);
        let (copies, refused) = if settings.reveals {
            Default::default()
        } else {
            copies::hide(&mut builds)
        };
        let environments = environments::environments(builds);
        Self {
            environments,
            releases,
            copies,
            refused,
            unapplied,
            has_appliers,
            unread_charts,
        }
    }
}

/// The files of a run.
#[derive(Clone, Copy, Debug)]
pub struct ReadFiles<'s> {
    /// Those that kustomizations need.
    pub needed: &'s Needed,
    /// Their texts.
    pub sources: &'s Sources,
    /// Their roles.
    pub layout: &'s FileRoles,
}

/// The settings of builds.
#[derive(Clone, Copy, Debug)]
pub struct BuildSettings<'s> {
    /// The limits of the run.
    pub limits: Limits,
    /// How releases of charts are made.
    pub charts: ChartOptions<'s>,
    /// Whether copies of secret texts stay.
    pub reveals: bool,
}

/// What the files of a run make.
struct AllBuilds {
    builds: Vec<Build>,
    unapplied: Vec<UnappliedDocument>,
    has_appliers: bool,
    unread_charts: UnreadCharts,
}

/// The builds of a run. Without kustomizations: one for each folder.
fn builds<'s>(
    read: &ReadFiles<'s>,
    settings: &BuildSettings<'s>,
    files: ParsedObjects,
    parsed: Vec<ParsedDocument>,
    sink: &mut Sink,
) -> AllBuilds {
    let ReadFiles {
        needed,
        sources,
        layout,
    } = *read;
    let BuildSettings { limits, charts, .. } = *settings;
    let store = Store::with_ids(&needed.gathered, sources, &needed.ids, files)
        .within(limits)
        .with_charts(charts)
        .unrestricted(charts.is_unrestricted)
        .with_generated(needed.generated.clone());
    let mut kustomizations = Kustomizations::read(&store, &needed.folders);
    let (appliers, built) = settled(&mut kustomizations, &parsed, sources);
    kustomizations.report(&built, &appliers, sink);
    appliers.report_missing(
        sources.files().map(|(_, file)| path::folder(&file.name)),
        sink,
    );
    let Built {
        mut builds,
        used,
        mut partial,
        applied,
        spent,
        ..
    } = built;
    // The release says the namespace of what its chart has as it is.
    partial.extend(layout.plain_templates());
    // They are kept with the documents.
    parallel::map(&parsed, 64, |document| {
        drop(DocumentFacts::of(&document.root))
    });
    let patterns = &kustomizations.patterns;
    let unapplied = UnappliedFiles {
        store: &store,
        applied: &applied,
        appliers: &appliers,
        patterns,
    };
    let unlisted = unapplied::take_unlisted(&mut builds, &unapplied, sink);
    let raw = RawFiles {
        needed,
        sources,
        layout,
        used: &used,
        partial: &partial,
        unapplied,
    };
    let (folders, mut unapplied) = raw.builds(parsed, &BuiltFields::of(&builds));
    unapplied::report(&unapplied, sink);
    unapplied.extend(unlisted);
    let spent = appliers.in_all_ways(folders, &mut builds, &limits, spent, sink);
    builds.retain(|build| !build.documents.is_empty() || build.says_something());
    let spent = appliers.apply_all(&mut builds, sources, limits, spent, sink);
    let here = layout.unread_charts(&BTreeSet::new());
    let mut unread_charts = UnreadCharts {
        here,
        is_asked: charts.rendered.is_some(),
        ..UnreadCharts::default()
    };
    kustomizations.add_unread(&mut unread_charts);
    crate::charts::add_unread(sources, &mut unread_charts);
    releases::add(&mut builds, &mut unread_charts, &store, spent, sink);
    // All builds together: most have few documents.
    let mut all: Vec<&mut ParsedDocument> = builds
        .iter_mut()
        .flat_map(|build| &mut build.documents)
        .collect();
    parallel::map_mut(&mut all, 64, |document| {
        unknown::forget_encrypted(&mut document.root)
    });
    builds.sort_by(|a, b| a.folder.cmp(&b.folder));
    let found = builds
        .iter_mut()
        .flat_map(|build| std::mem::take(&mut build.found));
    found.for_each(|found| sink.report(found));
    AllBuilds {
        builds,
        unapplied,
        has_appliers: !appliers.is_empty(),
        unread_charts,
    }
}

/// The appliers of a run, and what its kustomizations make: these may make appliers, which change what others make.
fn settled(
    kustomizations: &mut Kustomizations<'_, '_>,
    parsed: &[ParsedDocument],
    sources: &Sources,
) -> (Appliers, Built) {
    let all = parsed.iter().map(|document| (document, None));
    let mut appliers = Appliers::read(all, sources, |_, _, _| None);
    let mut known = BTreeMap::new();
    let mut built = kustomizations.build(&appliers, &mut known);
    for _ in 0..MAX_ROUNDS {
        let others = parsed
            .iter()
            .filter(|document| !built.used.contains(&document.span.file));
        let of_builds = built
            .builds
            .iter()
            .flat_map(|build| build.documents.iter().map(move |of| (of, Some(build))));
        let unapplied = UnappliedFiles {
            store: kustomizations.store,
            applied: &built.applied,
            appliers: &appliers,
            patterns: &kustomizations.patterns,
        };
        let mut changed = Appliers::read(
            of_builds.chain(others.map(|document| (document, None))),
            sources,
            |path, home, build| unapplied.why_applier(path, home, build),
        );
        // The file of a patch says what Argo CD is told, too: the rest of its object may be remote.
        changed.argo_is_unrestricted |= appliers.argo_is_unrestricted;
        let is_settled = changed.dead.keys().eq(appliers.dead.keys())
            && kustomizations.plans(&changed) == kustomizations.plans(&appliers);
        appliers = changed;
        if is_settled {
            break;
        }
        built = kustomizations.build(&appliers, &mut known);
    }
    (appliers, built)
}
