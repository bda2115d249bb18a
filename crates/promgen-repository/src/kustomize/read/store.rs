//! The files of a build, by path.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use promgen_text::diag::{Diagnostic, Place, Sink};
use promgen_text::input::is_locked;
use promgen_text::limits::Limits;
use promgen_text::parallel;
use promgen_text::shared::Shared;
use promgen_text::source::{FileId, Sources, Span, Unread};
use promgen_text::suggest::closest;
use promgen_text::yaml::Node;
use promgen_text::yaml::read::{ParsedDocument, read};

use super::gather::{GatheredFiles, PathReference};
use super::value;
use crate::charts::ChartOptions;
use crate::kustomize::fault::{BuildFault, BuildResult};
use crate::path::{KUSTOMIZATION_FILES, base_name, child, folder, is_within, join};
use promgen_text::CollectOrdered;

/// A file.
#[derive(Debug)]
pub struct StoredFile<'s> {
    /// Its number in the sources.
    pub id: FileId,
    /// Its path.
    pub path: &'s str,
    /// Its text; `None` if it is not text.
    pub text: Option<&'s str>,
    /// Its bytes.
    pub bytes: &'s [u8],
    objects: OnceLock<BuildResult<Vec<Shared<Node>>>>,
    /// The fields, if it is a kustomization.
    pub(super) kustomization: OnceLock<BuildResult<Node>>,
}

impl<'s> StoredFile<'s> {
    /// The place of the file as a whole.
    #[must_use]
    pub const fn span(&self) -> Span {
        Span::new(self.id, 0, 0)
    }

    /// The documents of the file, as Kustomize reads those of resources and patches.
    ///
    /// # Errors
    /// The first document that does not parse.
    pub fn documents(&self) -> BuildResult<&[Shared<Node>]> {
        if is_locked(self.bytes) {
            return Err(BuildFault::encrypted(self.span(), self.path));
        }
        let text = self
            .text
            .ok_or_else(|| BuildFault::new(self.span(), "the file is not UTF-8"))?;
        let read =
            || documents(self.id, text).map(|roots| roots.into_iter().map(Shared::new).collect());
        self.objects
            .get_or_init(read)
            .as_deref()
            .map_err(Clone::clone)
    }
}

/// Reads resources or patches.
///
/// # Errors
/// The first document that does not parse.
pub fn documents(file: FileId, text: &str) -> BuildResult<Vec<Node>> {
    let mut sink = Sink::default();
    let found = settled(
        read(file, text, &mut sink)
            .into_iter()
            .map(|document| document.root.into_value())
            .collect(),
        text,
    )?;
    match value::worst(&sink) {
        Some(fault) => Err(fault),
        None => Ok(found),
    }
}

/// Resources or patches, from what a file holds as it is written.
///
/// # Errors
/// A key that is no text.
fn settled(mut roots: Vec<Node>, text: &str) -> BuildResult<Vec<Node>> {
    roots
        .iter_mut()
        .try_for_each(|root| value::convert(root, text))
        .map(|()| roots)
}

/// The objects of files that are parsed already.
#[derive(Debug, Default)]
pub struct ParsedObjects {
    objects: BTreeMap<FileId, BuildResult<Vec<Shared<Node>>>>,
}

impl ParsedObjects {
    /// Copies the documents of the files that a build needs. `sink` has what their parser found: files with findings are
    /// read again.
    #[must_use]
    pub fn new(
        parsed: &[ParsedDocument],
        is_needed: impl Fn(FileId) -> bool + Sync,
        sources: &Sources,
        sink: &Sink,
    ) -> Self {
        let file = |found: &Diagnostic| {
            found
                .place
                .as_ref()
                .and_then(Place::bytes)
                .map(|span| span.file)
        };
        let faulty: BTreeSet<FileId> = sink.diagnostics().iter().filter_map(file).collect_set();
        let files: Vec<_> = parsed.chunk_by(|a, b| a.span.file == b.span.file).collect();
        let objects = parallel::map(&files, 1, |documents| {
            let file = documents.first()?.span.file;
            let roots = || {
                documents
                    .iter()
                    .map(|document| Node::clone(&document.root))
                    .collect()
            };
            let is_taken = is_needed(file) && !faulty.contains(&file);
            let shared = |roots: Vec<Node>| roots.into_iter().map(Shared::new).collect();
            is_taken.then(|| (file, settled(roots(), &sources.file(file).text).map(shared)))
        });
        Self {
            objects: objects.into_iter().flatten().collect(),
        }
    }
}

/// All files of a build.
#[derive(Debug)]
pub struct Store<'s> {
    files: BTreeMap<&'s str, StoredFile<'s>>,
    gathered: &'s GatheredFiles,
    /// The texts that spans point into.
    pub sources: &'s Sources,
    /// The limits of the run.
    pub limits: Limits,
    /// The way releases of charts are made.
    pub(crate) charts: ChartOptions<'s>,
    /// Kustomize is told to read files that are not in or below the folder of their kustomization.
    pub(crate) is_unrestricted: bool,
    /// The kustomizations that Flux generates, by their folders.
    pub(crate) generated: BTreeMap<String, GeneratedKustomization>,
}

/// A kustomization that no file holds.
#[derive(Clone, Debug)]
pub(crate) struct GeneratedKustomization {
    /// Its fields.
    pub(crate) root: Node,
    /// The paths that it refers to.
    pub(crate) references: Vec<PathReference>,
}

impl GatheredFiles {
    /// The texts of the files. What is not text is empty.
    #[must_use]
    pub fn sources(&self) -> Sources {
        let mut sources = Sources::default();
        for input in &self.inputs {
            let text = input.bytes.as_text().unwrap_or_default();
            sources.add(
                input.name.clone(),
                text.strip_prefix('\u{feff}').unwrap_or(text).to_owned(),
            );
        }
        sources
    }
}

impl<'s> Store<'s> {
    /// The files that were gathered, with the sources that hold their texts: those of [`GatheredFiles::sources`], or others that
    /// have files of the same names.
    #[must_use]
    pub fn new(gathered: &'s GatheredFiles, sources: &'s Sources) -> Self {
        let ids: BTreeMap<String, FileId> = sources
            .files()
            .map(|(id, file)| (file.name.clone(), id))
            .collect_map();
        Self::with_ids(gathered, sources, &ids, ParsedObjects::default())
    }

    /// The files that were gathered; `ids` has the number of the file at each path.
    #[must_use]
    pub fn with_ids(
        gathered: &'s GatheredFiles,
        sources: &'s Sources,
        ids: &BTreeMap<String, FileId>,
        mut parsed: ParsedObjects,
    ) -> Self {
        let mut files = BTreeMap::new();
        for input in &gathered.inputs {
            let Some(id) = ids.get(input.name.as_str()) else {
                continue;
            };
            let text = input.bytes.as_text().map(|_| &*sources.file(*id).text);
            let objects = parsed
                .objects
                .remove(id)
                .map_or_else(OnceLock::new, OnceLock::from);
            let kustomization = OnceLock::new();
            let file = StoredFile {
                id: *id,
                path: &input.name,
                text,
                bytes: &input.bytes,
                objects,
                kustomization,
            };
            files.insert(input.name.as_str(), file);
        }
        Self {
            files,
            gathered,
            sources,
            limits: Limits::default(),
            charts: ChartOptions::default(),
            is_unrestricted: false,
            generated: BTreeMap::new(),
        }
    }

    /// The store with other limits.
    #[must_use]
    pub fn within(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// The store with other options for releases of charts.
    #[must_use]
    pub const fn with_charts(mut self, charts: ChartOptions<'s>) -> Self {
        self.charts = charts;
        self
    }

    /// The store for builds that may read files which are not in or below the folder of their kustomization.
    #[must_use]
    pub const fn unrestricted(mut self, is_unrestricted: bool) -> Self {
        self.is_unrestricted = is_unrestricted;
        self
    }

    /// The store with kustomizations that no file holds.
    pub(crate) fn with_generated(
        self,
        generated: BTreeMap<String, GeneratedKustomization>,
    ) -> Self {
        Self { generated, ..self }
    }

    /// The file of a path.
    #[must_use]
    pub fn file(&self, path: &str) -> Option<&StoredFile<'s>> {
        self.files.get(path)
    }

    /// The name of the file beside a path that does not exist whose name is almost the same.
    #[must_use]
    pub fn near(&self, path: &str) -> Option<&'s str> {
        let names = self.sources.files().map(|(_, file)| file.name.as_str());
        let beside = names
            .filter(|file| folder(file) == folder(path))
            .map(base_name);
        closest(base_name(path), beside)
    }

    /// An object that a build has made: the one of the file, if the build has not changed it. What is derived of that one is
    /// then known to all builds.
    pub(crate) fn shared(&self, object: Node) -> Shared<Node> {
        let path = &self.sources.file(object.span.file).name;
        let documents = self
            .files
            .get(path.as_str())
            .and_then(|file| file.objects.get()?.as_ref().ok());
        let written = documents.and_then(|documents| {
            let at = documents
                .binary_search_by_key(&object.span.start, |document| document.span.start)
                .ok()?;
            documents
                .get(at)
                .filter(|document| document.shares_items(&object))
        });
        written.cloned().unwrap_or_else(|| Shared::new(object))
    }

    /// The paths that a kustomization file refers to.
    pub(crate) fn references(&self, file: &StoredFile<'_>) -> &'s [PathReference] {
        self.gathered
            .references
            .get(file.path)
            .map_or(&[], Vec::as_slice)
    }

    /// Returns whether some file was not gathered because there were too many.
    #[must_use]
    pub const fn is_cut(&self) -> bool {
        self.gathered.is_cut
    }

    /// The kustomization files of a folder; one, if all is well.
    pub fn kustomizations(&self, folder: &str) -> impl Iterator<Item = &StoredFile<'s>> {
        let paths = KUSTOMIZATION_FILES
            .into_iter()
            .map(move |name| child(folder, name));
        paths
            .filter(move |path| self.unread(folder, path).is_none())
            .filter_map(|path| self.file(&path))
    }

    /// Returns whether a path is a folder that was looked at.
    #[must_use]
    pub fn is_folder(&self, path: &str) -> bool {
        self.gathered.folders.contains(path)
    }

    /// Returns whether the run has a file in a folder, or below it.
    pub(crate) fn has_files_in(&self, path: &str) -> bool {
        let mut files = self.sources.files();
        files.any(|(_, file)| is_within(path, folder(&join(".", &file.name))))
    }

    /// Why the kustomization of a folder must not read a file. `None` if it may, or if there is no such file.
    #[must_use]
    pub fn unread(&self, folder: &str, path: &str) -> Option<&'s Unread> {
        if self.gathered.unread.is_empty() {
            return None;
        }
        self.gathered
            .unread
            .get(&(folder.to_owned(), path.to_owned()))
    }

    /// The kustomization file of a folder that belongs to another folder of the repository.
    #[must_use]
    pub fn unread_kustomization(&self, folder: &str) -> Option<&StoredFile<'s>> {
        let paths = KUSTOMIZATION_FILES.iter().map(|name| child(folder, name));
        paths
            .filter(|path| self.unread(folder, path).is_some())
            .find_map(|path| self.file(&path))
    }

    /// Returns whether a folder has a kustomization file that must not be read.
    #[must_use]
    pub fn has_unread_kustomization(&self, folder: &str) -> bool {
        KUSTOMIZATION_FILES
            .iter()
            .any(|name| self.unread(folder, &child(folder, name)).is_some())
    }

    /// The place where a path leads when links are followed.
    #[must_use]
    pub fn resolve<'p>(&'p self, path: &'p str) -> &'p str {
        self.gathered.links.get(path).map_or(path, String::as_str)
    }

    /// The text of a scalar as its file has it.
    #[must_use]
    pub fn raw(&self, node: &Node) -> &'s str {
        self.sources.text(node.span)
    }
}
