//! The files that belong to no kustomization.
//!
//! In: all documents of a run, and what kustomizations make of some of them. Out: a build for each folder that has others, and the
//! documents that nobody applies.

use std::collections::{BTreeMap, BTreeSet};

use promgen_text::origin::DocumentOrigin;
use promgen_text::source::{FileId, Sources};
use promgen_text::yaml::Node;
use promgen_text::yaml::read::ParsedDocument;

use super::facts::DocumentFacts;
use super::unapplied::{UnappliedDocument, UnappliedFiles, UnappliedReason};
use super::{Build, Needed};
use crate::layout::{FileRole, FileRoles};
use crate::path::{folder, join};
use promgen_text::CollectOrdered;

/// The files of a run, as far as kustomizations do not have them.
pub(super) struct RawFiles<'r> {
    pub(super) needed: &'r Needed,
    pub(super) sources: &'r Sources,
    pub(super) layout: &'r FileRoles,
    /// The files that belong to kustomizations.
    pub(super) used: &'r BTreeSet<FileId>,
    /// The files of kustomizations that are not built.
    pub(super) partial: &'r BTreeSet<FileId>,
    pub(super) unapplied: UnappliedFiles<'r>,
}

impl RawFiles<'_> {
    /// The builds of folders, and the documents that nobody applies. `parts`: the objects of kustomizations.
    pub(super) fn builds(
        &self,
        parsed: Vec<ParsedDocument>,
        parts: &BuiltFields,
    ) -> (Vec<Build>, Vec<UnappliedDocument>) {
        let of_operator = parsed
            .iter()
            .filter(|document| DocumentFacts::of(&document.root).is_of_operator);
        let judged: BTreeSet<FileId> = of_operator.map(|document| document.span.file).collect_set();
        let mut folders: BTreeMap<String, Build> = BTreeMap::new();
        let mut unapplied = Vec::new();
        let mut last = None;
        for document in parsed {
            let file = document.span.file;
            if self.layout.role(file) != FileRole::Manifests || self.used.contains(&file) {
                continue;
            }
            // The documents of a file follow each other.
            let (path, why) = match last.take() {
                Some((of, known)) if of == file => known,
                _ => self.place(file),
            };
            last = Some((file, (path.clone(), why.clone())));
            // What a kustomization leaves out beside itself is a patch of earlier days, or a draft.
            if self.needed.folders.contains(&path)
                && !self.partial.contains(&file)
                && (!judged.contains(&file) || parts.is_part(&document.root))
            {
                continue;
            }
            match why {
                Some(why) => unapplied.push(UnappliedDocument { document, why }),
                None => self.add(
                    folders
                        .entry(path)
                        .or_insert_with_key(|path| Build::new(path)),
                    document,
                ),
            }
        }
        (folders.into_values().collect(), unapplied)
    }

    /// The folder of a file, and why nobody applies the file.
    fn place(&self, file: FileId) -> (String, Option<UnappliedReason>) {
        let path = join(".", &self.sources.file(file).name);
        let why = if self.partial.contains(&file) {
            None
        } else {
            self.unapplied.why(&path)
        };
        (folder(&path).to_owned(), why)
    }

    fn add(&self, build: &mut Build, mut document: ParsedDocument) {
        let file = document.span.file;
        build.files.insert(file);
        if self.partial.contains(&file) {
            build.is_partial = true;
            document.origin = DocumentOrigin::Kustomization { is_open: true };
        }
        build.documents.push(document);
    }
}

/// The fields in the specs of the objects of builds, by kind and name.
pub(super) struct BuiltFields<'b>(BTreeMap<(&'b str, &'b str), Vec<&'b Node>>);

impl<'b> BuiltFields<'b> {
    pub(super) fn of(builds: &'b [Build]) -> Self {
        let mut fields: BTreeMap<_, Vec<&Node>> = BTreeMap::new();
        let of_operator =
            |document: &&ParsedDocument| DocumentFacts::of(&document.root).is_of_operator;
        for document in builds
            .iter()
            .flat_map(|build| &build.documents)
            .filter(of_operator)
        {
            if let (Some(id), Some(spec)) =
                (kind_and_name(&document.root), document.root.get("spec"))
            {
                fields.entry(id).or_default().push(spec);
            }
        }
        Self(fields)
    }

    /// Returns whether an object is a part of one of the same kind and name, so that it is a patch which nobody
    /// applies.
    fn is_part(&self, root: &Node) -> bool {
        let whole = kind_and_name(root).and_then(|id| self.0.get(&id));
        let has = |key: &str| root.get("spec").is_some_and(|spec| spec.get(key).is_some());
        let lacks_some = |spec: &&Node| spec.entries().iter().any(|entry| !has(&entry.key));
        whole.is_some_and(|specs| specs.iter().any(lacks_some))
    }
}

/// The kind and name of an object that has both.
pub(super) fn kind_and_name(root: &Node) -> Option<(&str, &str)> {
    Some((
        root.get("kind")?.as_str()?,
        root.find(&["metadata", "name"])?.as_str()?,
    ))
}
