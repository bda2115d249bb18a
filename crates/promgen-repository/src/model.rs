//! The builds of a repository, and which of them may share a cluster.
//!
//! In: the documents of all files, and what kustomizations refer to. Out: [`Build`]s: what each kustomization that no other
//! includes makes, and the objects of each folder that belong to no kustomization; and [`Environment`]s: builds that hold no
//! object in two forms. Two builds that do are alternatives, such as `staging` and `production`.

mod applied;
mod environments;
mod facts;
mod kustomizations;
mod releases;

use promgen_resources::rendered::Request;
use promgen_resources::secrecy::{self, Private};
use promgen_text::diag::{Diagnostic, LintRule, Sink, rule};
use promgen_text::limits::Limits;
use promgen_text::parallel;
use promgen_text::shared::Shared;
use promgen_text::sorted::{Order as _, SortedMap, SortedSet};
use promgen_text::source::{FileId, Input, Sources, Span};
use promgen_text::version::Version;
use promgen_text::yaml::read::ParsedDocument;
use promgen_text::yaml::{Data, Node};

use crate::charts::{ChartOptions, Made};
use crate::kustomize::read::gather::{Gathered, Inputs, gather_all};
use crate::kustomize::read::store::{ParsedObjects, Store};
use crate::layout::{FileRole, FileRoles};
use crate::path;
use crate::path::join;
use crate::unknown;
use applied::Appliers;
pub use environments::{Environment, environments};
use facts::DocumentFacts;
use kustomizations::{Built, Kustomizations};

rule! {
    /// ## What it does
    /// Reports an input with several environments, such as `staging` and `production`: builds that hold the same object in
    /// two forms. `lint` checks each of them. Other commands use the first one.
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
    pub static ALTERNATIVES = "PG052" "several-environments" {
        summary: "an input with several environments, of which one is used", level: Warning, since: "0.1.0",
    }
}

/// The rules of this module.
pub static RULES: &[&LintRule] = &[&ALTERNATIVES];

/// The number of folders that a message names.
const MAX_NAMES: usize = 3;

/// Reports that only one of several environments is used.
pub fn report_alternatives(used: &Environment, others: &[Environment], sink: &mut Sink) {
    let names = |folders: &mut dyn Iterator<Item = &String>| -> String {
        let names: Vec<String> = folders.take(MAX_NAMES).map(|folder| format!("`{folder}`")).collect();
        names.join(", ")
    };
    let message = format!("the input holds {} environments: only one is used", others.len() + 1);
    let diagnostic = Diagnostic::placeless(&ALTERNATIVES, message)
        .help(format!("used: {}", names(&mut used.folders.iter())))
        .help(format!("not used: {}", names(&mut others.iter().flat_map(|other| &other.folders))))
        .help("name the folder of one environment");
    sink.report(diagnostic);
}

/// The origin of the objects of a build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuildKind {
    /// A kustomization.
    Kustomization,
    /// Files of a folder, each taken as it is.
    Folder,
    /// A release of a chart that is applied elsewhere than what states it.
    Release,
}

/// Objects that are applied together.
#[derive(Clone, Debug)]
pub struct Build {
    /// The folder.
    pub folder: String,
    /// The origin of the objects.
    pub kind: BuildKind,
    /// The objects.
    pub documents: Vec<ParsedDocument>,
    /// The files that its values come from.
    pub files: SortedSet<FileId>,
    /// Whether it is a part of a kustomization that is not built, so that other objects belong to it.
    pub is_partial: bool,
    /// The cluster that Flux or Argo CD applies it to. `None` if nobody says so.
    pub cluster: Option<String>,
    /// The places of secret texts that the build copies to where they stand in the open.
    pub copies: SortedSet<Span>,
    /// What releases of charts in it have in private, and what of them is not known.
    pub releases: Noted,
}

/// Places among the values of releases.
#[derive(Clone, Debug, Default)]
pub struct Noted {
    /// The places of values that something outside of the input may override.
    pub unknown: SortedSet<Span>,
    /// The places of values that hold secrets by their role.
    pub private: SortedSet<Span>,
    /// The findings about releases.
    pub found: Vec<Diagnostic>,
    /// The objects of releases.
    pub objects: Vec<Shared<Node>>,
    /// The files that hold values of kube-prometheus-stack and nothing else.
    pub of_stack: SortedSet<FileId>,
    /// The releases of the operator that charts install, each with the place of a release of its chart.
    pub operators: Vec<(Span, Version)>,
    /// The releases of the CustomResourceDefinitions that charts install, likewise.
    pub crds: Vec<(Span, &'static str)>,
    /// Kind, namespace and name of those objects that Helm applies, rather than what renders the chart.
    pub lenient: Vec<(String, String, String)>,
    /// The folders of the charts in the repository that releases apply.
    pub applied: SortedSet<String>,
    /// The charts that Helm has rendered.
    pub charts: SortedSet<String>,
    /// The advice for configurations that Alertmanager refuses, by their places.
    pub hints: SortedMap<Span, String>,
    /// The templates that Helm made objects of, by their kind, namespace and name.
    pub templates: SortedMap<(String, String, String), String>,
    /// The places of the objects that Helm renders: what stands there is not their text.
    pub rendered: SortedSet<Span>,
    /// What Helm is to be asked.
    pub wanted: Vec<Request>,
}

impl Noted {
    /// Takes note of what a release makes.
    fn note(&mut self, made: &Made) {
        self.unknown.extend(made.unknown.iter().copied());
        self.private.extend(made.private.iter().copied());
        self.of_stack.extend(made.of_stack.iter().copied());
        self.found.extend(made.found.iter().cloned());
        self.wanted.extend(made.wanted.iter().cloned());
        self.applied.extend(made.chart.iter().cloned());
        self.charts.extend(made.chart.iter().filter(|_| !made.rendered.is_empty()).cloned());
        self.hints.extend(made.hint.clone());
        self.rendered.extend(made.rendered.iter().copied());
        self.templates.extend(made.templates.iter().map(|(key, template)| (key.clone(), template.clone())));
    }

    /// Whether anything is to be said beside the objects.
    const fn says_something(&self) -> bool {
        !self.found.is_empty() || !self.wanted.is_empty()
    }
}

/// The text in place of a copy of a secret text.
const REDACTED: &str = "<redacted>";

impl Build {
    /// Replaces the copies of secret texts.
    pub fn hide_copies(&mut self) {
        if self.copies.is_empty() {
            return;
        }
        for document in &mut self.documents {
            let is_secret = |span| self.copies.contains(&span);
            secrecy::copies(document.root.make_mut(), &is_secret, &mut |copy| {
                copy.data = Data::String(REDACTED.into())
            });
        }
    }
}

/// The files that kustomizations need, found among the inputs of a run.
#[derive(Clone, Debug, Default)]
pub struct Needed {
    gathered: Gathered,
    /// The number of the file at each path.
    ids: SortedMap<String, FileId>,
    /// Folders with a kustomization that the user asks for.
    folders: Vec<String>,
}

impl Needed {
    /// Looks for kustomizations among the inputs, and for what they refer to. Assets are no kustomizations of their own.
    #[must_use]
    pub fn find((inputs, sources): (&[Input], &Sources), layout: &FileRoles) -> Self {
        let ids = || sources.files().map(|(id, _)| id);
        let asked = inputs.iter().zip(ids()).filter(|(_, id)| layout.role(*id) == FileRole::Kustomization);
        let folders: SortedSet<String> =
            asked.map(|(input, _)| path::folder(&join(".", &input.name)).to_owned()).collect();
        if folders.is_empty() {
            return Self::default();
        }
        let folders: Vec<String> = folders.into_iter().collect();
        let names: Vec<&str> = folders.iter().map(String::as_str).collect();
        let gathered = gather_all(&Inputs::new(inputs, None), &names);
        let ids = inputs.iter().zip(ids()).map(|(input, id)| (join(".", &input.name), id)).collect();
        Self { gathered, ids, folders }
    }

    /// The texts of the run that may hold secrets by their role, with those of what applies builds.
    #[must_use]
    pub fn private(&self, documents: &[ParsedDocument]) -> Private {
        let mut private = self.gathered.private(|path| self.ids.get(path));
        documents.iter().for_each(|document| applied::note_private(&document.root, &mut private));
        private
    }

    /// The objects of the files, from all documents of the run. `sink` has what their parser found.
    #[must_use]
    pub fn parsed(&self, documents: &[ParsedDocument], sources: &Sources, sink: &Sink) -> ParsedObjects {
        let files = self.gathered.inputs.iter().filter_map(|input| self.ids.get(&input.name).copied());
        let files: SortedSet<FileId> = files.collect();
        ParsedObjects::new(documents, |file| files.contains(&file), (sources, sink))
    }
}

/// The builds of a run, from its documents as they are written. Without kustomizations: one for each folder. `files`: what
/// [`Needed::parsed`] returned. `charts`: how releases are made.
pub fn builds<'s>(
    (needed, sources, layout): (&'s Needed, &'s Sources, &FileRoles),
    (limits, charts): (Limits, ChartOptions<'s>),
    files: ParsedObjects,
    parsed: Vec<ParsedDocument>,
    sink: &mut Sink,
) -> Vec<Build> {
    let store = Store::with_ids(&needed.gathered, sources, &needed.ids, files).within(limits).with_charts(charts);
    let kustomizations = Kustomizations::read(&store, &needed.folders);
    let Built { mut builds, used, partial, spent } = kustomizations.build(sink);
    let appliers = Appliers::read(&parsed, sources);
    // They are kept with the documents.
    parallel::map(&parsed, 64, |document| drop(DocumentFacts::of(&document.root)));
    let of_operator = parsed.iter().filter(|document| DocumentFacts::of(&document.root).is_of_operator);
    let judged: SortedSet<FileId> = of_operator.map(|document| document.span.file).collect();
    let mut folders: SortedMap<String, Build> = SortedMap::new();
    let mut last = None;
    for document in parsed {
        let file = document.span.file;
        if layout.role(file) != FileRole::Manifests || used.contains(&file) {
            continue;
        }
        // The documents of a file follow each other.
        let folder = match last {
            Some((of, folder)) if of == file => folder,
            _ => path::folder(&join(".", &sources.file(file).name)).to_owned(),
        };
        last = Some((file, folder.clone()));
        // What a kustomization leaves out beside itself is a patch of earlier days, or a draft.
        if needed.folders.contains(&folder) && !judged.contains(&file) {
            continue;
        }
        let build = folders.entry(folder).or_insert_with_key(|folder| Build {
            folder: folder.clone(),
            kind: BuildKind::Folder,
            documents: Vec::new(),
            files: SortedSet::new(),
            is_partial: false,
            cluster: None,
            copies: SortedSet::new(),
            releases: Noted::default(),
        });
        build.files.insert(file);
        build.is_partial |= partial.contains(&file);
        build.documents.push(document);
    }
    builds.extend(folders.into_values());
    builds.retain(|build| !build.documents.is_empty() || build.releases.says_something());
    let spent = appliers.apply_all(&mut builds, sources, (limits, spent), sink);
    releases::add(&mut builds, (sources, charts), (limits, spent), sink);
    // All builds together: most have few documents.
    let mut all: Vec<&mut ParsedDocument> = builds.iter_mut().flat_map(|build| &mut build.documents).collect();
    parallel::map_mut(&mut all, 64, |document| unknown::forget_encrypted(&mut document.root));
    builds.order_by(|a, b| a.folder.cmp(&b.folder));
    let found = builds.iter_mut().flat_map(|build| std::mem::take(&mut build.releases.found));
    found.for_each(|found| sink.report(found));
    builds
}
