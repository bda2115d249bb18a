//! What nobody applies: Flux or Argo CD builds a kustomization beside or above it that does not list it, or Flux leaves it out.

use std::collections::{BTreeMap, BTreeSet};

use promgen_text::diag::{Diagnostic, Sink};
use promgen_text::source::Span;
use promgen_text::yaml::read::ParsedDocument;

use super::Build;
use super::applied::{ApplierHome, Appliers, is_path};
use super::artifact::ArtifactPatterns;
use super::facts::DocumentFacts;
use super::raw::kind_and_name;
use crate::id::Id;
use crate::kustomize::read::store::Store;
use crate::path::{ancestors, below, folder};
use crate::rules::UNAPPLIED_MANIFEST;
use promgen_text::CollectOrdered;

/// A document that nobody applies.
#[derive(Clone, Debug)]
pub struct UnappliedDocument {
    /// The document.
    pub document: ParsedDocument,
    /// Why nobody applies it.
    pub why: UnappliedReason,
}

/// Why nobody applies a file.
#[derive(Clone, Debug)]
pub struct UnappliedReason {
    /// The reason, as a clause.
    pub what: String,
    /// The remedy.
    pub help: String,
}

impl UnappliedDocument {
    /// The place of its name.
    #[must_use]
    pub fn span(&self) -> Span {
        self.document
            .root
            .find(&["metadata", "name"])
            .map_or(self.document.root.span, |name| name.span)
    }

    /// Its kind and name, or the kind alone.
    fn title(&self) -> String {
        let text = |keys: &[&str]| self.document.root.text_at(keys).unwrap_or_default();
        format!("{} {}", text(&["kind"]), text(&["metadata", "name"]))
            .trim_end()
            .to_owned()
    }
}

impl UnappliedReason {
    /// The reason for what an applier would apply, of the reason why nobody applies that.
    pub(super) fn of_applier(self, title: &str) -> Self {
        Self {
            what: format!(
                "only {title} applies it, and nobody applies that: {}",
                self.what
            ),
            ..self
        }
    }
}

/// What decides which files nobody applies.
pub(super) struct UnappliedFiles<'u> {
    pub(super) store: &'u Store<'u>,
    /// The folders of the kustomizations that are applied as a whole.
    pub(super) applied: &'u BTreeSet<String>,
    pub(super) appliers: &'u Appliers,
    /// What Flux leaves out.
    pub(super) patterns: &'u ArtifactPatterns,
}

impl UnappliedFiles<'_> {
    /// Why nobody applies a build of a kustomization.
    pub(super) fn why_build(&self, build: &Build) -> Option<UnappliedReason> {
        let is_applied = self.appliers.builds(&build.folder).is_some();
        (!is_applied).then(|| self.why(&build.folder)).flatten()
    }

    /// Why nobody applies what applies a path: Flux and Argo CD take a folder's kustomization, and nothing beside or below it.
    pub(super) fn why_applier(
        &self,
        path: &str,
        home: &ApplierHome,
        build: Option<&Build>,
    ) -> Option<UnappliedReason> {
        let own = build.map_or(&home.file, |build| &build.folder);
        // The first one of a folder applies itself.
        let applied = ancestors(own).find(|folder| is_path(folder, path));
        let place = applied.unwrap_or(own);
        if build.is_some() && self.appliers.builds(place).is_some() {
            return None;
        }
        if let Some(why) = self.appliers.dead_around(place) {
            return Some(why.clone());
        }
        let (above, why) = self.unlisted(place)?;
        (!self.appliers.may_begin_in(above, home)).then_some(why)
    }

    /// Why nobody applies a file that belongs to no kustomization. `None`: somebody may.
    pub(super) fn why(&self, path: &str) -> Option<UnappliedReason> {
        if self.appliers.is_empty() {
            return None;
        }
        if let Some(why) = self.appliers.dead_around(path) {
            return Some(why.clone());
        }
        let (above, kustomization) = self.around(path);
        if kustomization.is_some() {
            return self.unlisted(path).map(|(_, why)| why);
        }
        let source = self.appliers.artifact(above, self.patterns)?;
        let by = self.patterns.leave_out(source, path)?;
        Some(left_out(&by))
    }

    /// The folder of the kustomization around a path, which is applied and does not list it.
    fn unlisted<'p>(&self, path: &'p str) -> Option<(&'p str, UnappliedReason)> {
        let (above, kustomization) = self.around(path);
        let is_taken = self.appliers.takes_raw(folder(path)) || !self.applied.contains(above);
        let why = unlisted(path, above, kustomization.filter(|_| !is_taken)?);
        Some((above, why))
    }

    /// The nearest folder around a path that has a kustomization, with its file, or that is applied, or the root.
    fn around<'p>(&self, path: &'p str) -> (&'p str, Option<&str>) {
        let mut above = folder(path);
        loop {
            let kustomization = self.store.kustomizations(above).next();
            let is_last = self.appliers.builds(above).is_some() || above == folder(above);
            if kustomization.is_some() || is_last {
                return (above, kustomization.map(|of| of.path));
            }
            above = folder(above);
        }
    }
}

/// Takes the builds of kustomizations that nobody applies out of `builds`, and reports them: what is applied above them does not
/// list them.
pub(super) fn take_unlisted(
    builds: &mut Vec<Build>,
    files: &UnappliedFiles<'_>,
    sink: &mut Sink,
) -> Vec<UnappliedDocument> {
    let (mut kept, mut unapplied) = (Vec::with_capacity(builds.len()), Vec::new());
    let copies = copies(builds, files.appliers);
    for build in std::mem::take(builds) {
        let why = files.why_build(&build);
        let Some(why) = why.or_else(|| copies.get(&build.folder).cloned()) else {
            kept.push(build);
            continue;
        };
        let file = files.store.kustomizations(&build.folder).next();
        let is_judged = build.has(|facts| facts.is_of_operator);
        if let Some(file) = file.filter(|_| is_judged) {
            let message = format!(
                "nobody applies the kustomization `{}`: {}",
                build.folder, why.what
            );
            let found = Diagnostic::new(&UNAPPLIED_MANIFEST, file.span(), message);
            sink.report(found.help(why.help.clone()));
        }
        unapplied.extend(
            build
                .documents
                .into_iter()
                .map(|document| UnappliedDocument {
                    document,
                    why: why.clone(),
                }),
        );
    }
    *builds = kept;
    unapplied
}

/// The kinds and names of the operator's resources in a build; empty if one of them states a namespace.
fn homeless(build: &Build) -> BTreeSet<(&str, &str)> {
    let mut names = BTreeSet::new();
    let of_operator = |of: &&ParsedDocument| DocumentFacts::of(&of.root).is_of_operator;
    for document in build.documents.iter().filter(of_operator) {
        if !Id::read(&document.root).namespace.is_empty() {
            return BTreeSet::new();
        }
        names.extend(kind_and_name(&document.root));
    }
    names
}

/// Why nobody applies the copies of what is applied, by their folders: the folders of both end alike, and the resources of the copy
/// have the names of others, and no namespace.
fn copies(builds: &[Build], appliers: &Appliers) -> BTreeMap<String, UnappliedReason> {
    // The last two parts.
    fn end(build: &Build) -> &str {
        let start = build.folder.rmatch_indices('/').nth(1);
        start.map_or(&build.folder, |(at, _)| &build.folder[at + 1..])
    }
    let (applied, others): (Vec<&Build>, Vec<&Build>) = builds
        .iter()
        .partition(|build| appliers.reaches(&build.folder));
    let by_end: BTreeMap<&str, &Build> = applied
        .into_iter()
        .map(|build| (end(build), build))
        .collect_map();
    let mut copies = BTreeMap::new();
    for build in others {
        let Some(original) = by_end.get(end(build)) else {
            continue;
        };
        let names = homeless(build);
        let has = |of: &(&str, &str)| {
            let mut documents = original.documents.iter();
            documents.any(|document| kind_and_name(&document.root) == Some(*of))
        };
        if !names.is_empty() && names.iter().all(has) {
            copies.insert(build.folder.clone(), copied(&original.folder));
        }
    }
    copies
}

fn copied(original: &str) -> UnappliedReason {
    UnappliedReason {
        what: format!(
            "nothing in the input applies it, and `{original}`, which is applied, has resources of the same names"
        ),
        help: "remove the copy, or let a Kustomization or an Application apply it".to_owned(),
    }
}

fn unlisted(path: &str, above: &str, kustomization: &str) -> UnappliedReason {
    let name = below(path, above).unwrap_or(path);
    UnappliedReason {
        what: format!("no kustomization lists it, and `{kustomization}` is what is applied here"),
        help: format!("add `{name}` to `resources` of `{kustomization}`, or remove it"),
    }
}

fn left_out(by: &str) -> UnappliedReason {
    UnappliedReason {
        what: format!("{by} leaves it out of what Flux applies"),
        help: "change the pattern that fits the file, or remove the file".to_owned(),
    }
}

/// Reports the resources of the operator that nobody applies, each file once.
pub(super) fn report(unapplied: &[UnappliedDocument], sink: &mut Sink) {
    let is_judged = |of: &&UnappliedDocument| DocumentFacts::of(&of.document.root).is_of_operator;
    let judged: Vec<&UnappliedDocument> = unapplied.iter().filter(is_judged).collect();
    for of_file in judged.chunk_by(|a, b| a.document.span.file == b.document.span.file) {
        let [first, others @ ..] = of_file else {
            continue;
        };
        let more = if others.is_empty() {
            String::new()
        } else {
            format!(" and {} more of the file", others.len())
        };
        let message = format!("nobody applies {}{more}: {}", first.title(), first.why.what);
        let found = Diagnostic::new(&UNAPPLIED_MANIFEST, first.span(), message);
        sink.report(found.help(first.why.help.clone()));
    }
}
