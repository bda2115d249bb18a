//! Which files a build needs.
//!
//! In: a way to read files, and the folder of a kustomization. Out: all files that it refers to, however indirectly. A
//! file that is absent is left out: the build reports it where it is named. Each folder is visited once, so that neither
//! cycles nor diamonds take longer than the files themselves.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use promgen_resources::secrecy::Private;
use promgen_text::diag::Sink;
use promgen_text::source::{FileBytes, FileId, Input, Span, Unread};
use promgen_text::yaml::Node;
use promgen_text::yaml::edit::null;
use promgen_text::yaml::read::read;

use super::inline::is_inline;
use super::schema::KUSTOMIZATION;
use super::{fields, private};
use crate::path::{
    KUSTOMIZATION_FILES, ancestors, base_name, folder, is_kustomization, is_remote, is_within, join,
};
use promgen_text::CollectOrdered;

/// The number of files that a build may have.
pub const MAX_FILES: usize = 100_000;

/// The number of bytes that they may have.
pub const MAX_BYTES: usize = 1 << 30;

/// The target of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// A regular file.
    File {
        /// Its bytes.
        bytes: FileBytes,
        /// The lowest folder that it belongs to, unless that is its own.
        belongs_to: Option<String>,
    },
    /// A file that must not be read.
    Unread(Unread),
    /// Nothing, or what cannot be read.
    Absent,
}

impl Content {
    /// A file that belongs to its own folder; `None` is one that is absent.
    #[must_use]
    pub fn of(bytes: Option<Vec<u8>>) -> Self {
        bytes.map_or(Self::Absent, |bytes| Self::File {
            bytes: bytes.into(),
            belongs_to: None,
        })
    }
}

/// The place where files are read from. Paths have `/` between their parts, and are as [`join`] gives them.
pub trait Files {
    /// The target of a path. A file that does not belong to the repository is not read.
    fn read(&self, path: &str) -> Content;

    /// Returns whether there is a folder that belongs to the repository.
    fn is_folder(&self, path: &str) -> bool;

    /// Returns whether a path is in the repository for certain. A file outside of the folder of a kustomization is read
    /// only then.
    fn is_in_repository(&self, _path: &str) -> bool {
        true
    }

    /// The place where a path leads when links are followed. The path itself where there are no links.
    fn resolve(&self, path: &str) -> String {
        path.to_owned()
    }
}

/// The files that a build needs.
#[derive(Clone, Debug, Default)]
pub struct GatheredFiles {
    /// The files, each named by its path.
    pub inputs: Vec<Input>,
    /// The paths that each kustomization file refers to.
    pub(crate) references: BTreeMap<String, Vec<PathReference>>,
    /// The parts of each kustomization file that may hold secrets, as ranges of bytes.
    private: BTreeMap<String, Vec<Range<u32>>>,
    /// Folders that the files refer to.
    pub folders: BTreeSet<String>,
    /// Paths that are links, or lead through one, and where to.
    pub links: BTreeMap<String, String>,
    /// Files that a kustomization must not read, by its folder and their path.
    pub unread: BTreeMap<(String, String), Unread>,
    /// There were too many files or bytes, so that some are absent.
    pub is_cut: bool,
}

impl GatheredFiles {
    /// The texts that may hold secrets by their role: inputs of generators of Secrets, and patches. `id` is the number of the
    /// file at a path.
    #[must_use]
    pub fn private<'i>(&self, id: impl Fn(&str) -> Option<&'i FileId>) -> Private {
        let mut private = Private::default();
        let bytes: BTreeMap<&str, &[u8]> = self
            .inputs
            .iter()
            .map(|input| (input.name.as_str(), &*input.bytes))
            .collect_map();
        let text = |path: &str| std::str::from_utf8(bytes.get(path)?).ok();
        for (path, references) in &self.references {
            for reference in references.iter().filter(|reference| reference.is_private) {
                let path = join(folder(path), &reference.path);
                let is_public = text(&path).is_some_and(|text| match &reference.target {
                    Some(target) => private::is_public_patch(text, Some(target)),
                    None => private::is_public_plugin(text),
                });
                if !is_public {
                    id(&path)
                        .into_iter()
                        .for_each(|file| private.add_file(*file));
                }
            }
        }
        for (path, ranges) in &self.private {
            let Some(file) = id(path) else { continue };
            ranges
                .iter()
                .for_each(|range| private.add(Span::new(*file, range.start, range.end)));
        }
        private
    }
}

/// Finds all files that the kustomization in a folder refers to.
#[must_use]
pub fn gather(files: &dyn Files, folder: &str) -> GatheredFiles {
    gather_all(files, &[folder])
}

/// Gathers the files of the builds of several folders, each file once.
#[must_use]
pub fn gather_all(files: &dyn Files, folders: &[&str]) -> GatheredFiles {
    gather_with(files, folders, std::iter::empty())
}

/// The same, with what kustomizations that no file holds refer to, each from its folder.
pub(crate) fn gather_with<'r>(
    files: &dyn Files,
    folders: &[&str],
    generated: impl Iterator<Item = (&'r str, &'r [PathReference])>,
) -> GatheredFiles {
    let mut walk = GatherWalk {
        files,
        found: GatheredFiles::default(),
        seen: BTreeMap::new(),
        next: Vec::new(),
        n_bytes: 0,
    };
    for folder in folders {
        walk.visit(&join(".", folder));
    }
    generated.for_each(|(folder, references)| {
        references.iter().for_each(|path| walk.follow(folder, path))
    });
    while let Some(folder) = walk.next.pop() {
        walk.kustomization(&folder);
    }
    walk.found
}

/// The files that kustomizations among `inputs` refer to, without the inputs themselves.
#[must_use]
pub fn assets(files: &dyn Files, inputs: &[Input]) -> Vec<Input> {
    let known = Inputs::new(inputs, Some(files));
    let kustomizations = known
        .files
        .keys()
        .filter(|name| is_kustomization(base_name(name)));
    let folders: Vec<&str> = kustomizations.map(|name| folder(name)).collect();
    let GatheredFiles { inputs, unread, .. } = gather_all(&known, &folders);
    let mut others: BTreeMap<String, Input> = inputs
        .into_iter()
        .map(|input| (input.name.clone(), input))
        .collect_map();
    for ((_, path), why) in unread {
        others
            .entry(path.clone())
            .or_insert_with(|| Input::unread(path, why));
    }
    others
        .into_values()
        .filter(|input| !known.files.contains_key(&input.name))
        .map(Input::asset)
        .collect()
}

/// The inputs of a run as files, and others that are not read yet.
pub(crate) struct Inputs<'i> {
    files: BTreeMap<String, &'i Input>,
    folders: BTreeSet<String>,
    others: Option<&'i dyn Files>,
}

impl<'i> Inputs<'i> {
    pub(crate) fn new(inputs: &'i [Input], others: Option<&'i dyn Files>) -> Self {
        let files: BTreeMap<_, _> = inputs
            .iter()
            .map(|input| (join(".", &input.name), input))
            .collect_map();
        let mut folders = BTreeSet::new();
        for name in files.keys() {
            // A folder that is known has all those above it.
            ancestors(name).all(|above| folders.insert(above.to_owned()));
        }
        folders.insert(".".to_owned());
        Self {
            files,
            folders,
            others,
        }
    }
}

impl Files for Inputs<'_> {
    fn read(&self, path: &str) -> Content {
        match self.files.get(path) {
            Some(Input {
                unread: Some(why), ..
            }) => Content::Unread(why.clone()),
            Some(input) => Content::File {
                bytes: input.bytes.clone(),
                belongs_to: input.belongs_to.clone(),
            },
            None => self
                .others
                .map_or(Content::Absent, |others| others.read(path)),
        }
    }

    fn is_folder(&self, path: &str) -> bool {
        let is_other = || {
            !self.files.contains_key(path)
                && self.others.is_some_and(|others| others.is_folder(path))
        };
        self.folders.contains(path) || is_other()
    }

    fn is_in_repository(&self, path: &str) -> bool {
        self.files.contains_key(path)
            || self
                .others
                .is_some_and(|others| others.is_in_repository(path))
    }

    fn resolve(&self, path: &str) -> String {
        self.others
            .map_or_else(|| path.to_owned(), |others| others.resolve(path))
    }
}

struct GatherWalk<'f> {
    files: &'f dyn Files,
    found: GatheredFiles,
    /// Paths that were looked at.
    seen: BTreeMap<String, LookedAtPath>,
    next: Vec<String>,
    n_bytes: usize,
}

/// The state of a path that was looked at.
#[derive(Clone, Default)]
struct LookedAtPath {
    why: Option<Unread>,
    belongs_to: Option<String>,
    exists: bool,
}

impl GatherWalk<'_> {
    fn visit(&mut self, folder: &str) {
        if self.found.folders.insert(folder.to_owned()) {
            self.link(folder);
            self.next.push(folder.to_owned());
        }
    }

    fn link(&mut self, path: &str) {
        let target = self.files.resolve(path);
        if target != path {
            self.found.links.insert(path.to_owned(), target);
        }
    }

    /// Takes a file that the kustomization of a folder names, and gives its bytes if it was not taken before.
    fn take(&mut self, folder: &str, path: &str) -> Option<&[u8]> {
        if let Some(taken) = self.seen.get(path) {
            let LookedAtPath {
                why, belongs_to, ..
            } = taken.clone();
            self.refuse(folder, path, why, belongs_to.as_deref());
            return None;
        }
        if self.found.inputs.len() >= MAX_FILES || self.n_bytes >= MAX_BYTES {
            self.found.is_cut = true;
            return None;
        }
        let (mut bytes, mut taken) = (None, LookedAtPath::default());
        match self.files.read(path) {
            Content::File {
                bytes: read,
                belongs_to,
            } => {
                bytes = Some(read);
                taken.belongs_to = belongs_to;
                taken.exists = true;
            }
            Content::Unread(why) => taken.why = Some(why),
            Content::Absent => {}
        }
        self.seen.insert(path.to_owned(), taken.clone());
        self.refuse(folder, path, taken.why, taken.belongs_to.as_deref());
        let bytes = bytes?;
        self.n_bytes += bytes.len();
        self.link(path);
        self.found.inputs.push(Input {
            belongs_to: taken.belongs_to,
            ..Input::new(path, bytes)
        });
        let is_refused = self
            .found
            .unread
            .contains_key(&(folder.to_owned(), path.to_owned()));
        self.found
            .inputs
            .last()
            .filter(|_| !is_refused)
            .map(|input| &*input.bytes)
    }

    /// Records that the kustomization of a folder must not read a file. Kustomize reads none outside of its folder, wherever
    /// links lead.
    fn refuse(&mut self, folder: &str, path: &str, why: Option<Unread>, belongs_to: Option<&str>) {
        let is_outside = belongs_to.is_some_and(|lowest| !is_within(folder, lowest));
        if let Some(why) = why.or(is_outside.then_some(Unread::Outside)) {
            self.found
                .unread
                .insert((folder.to_owned(), path.to_owned()), why);
        }
    }

    fn kustomization(&mut self, folder: &str) {
        for name in KUSTOMIZATION_FILES {
            let path = join(folder, name);
            let Some(bytes) = self.take(folder, &path) else {
                continue;
            };
            let text = String::from_utf8_lossy(bytes);
            // Places count from behind it.
            let KustomizationNames {
                references,
                private,
            } = named(text.strip_prefix('\u{feff}').unwrap_or(&text));
            self.found.private.insert(path.clone(), private);
            let mut references = references;
            references
                .iter()
                .for_each(|reference| self.follow(folder, reference));
            let of_plugins: Vec<PathReference> = references
                .iter()
                .filter(|reference| reference.is_plugin)
                .flat_map(|reference| self.files_of_plugin(&join(folder, &reference.path)))
                .collect();
            of_plugins
                .iter()
                .for_each(|reference| self.follow(folder, reference));
            references.extend(of_plugins);
            self.found.references.insert(path, references);
        }
    }

    /// The files that the plugins in a file name.
    fn files_of_plugin(&self, path: &str) -> Vec<PathReference> {
        let file = self.found.inputs.iter().find(|input| input.name == path);
        let text = file.and_then(|file| std::str::from_utf8(&file.bytes).ok());
        text.map(plugin_files).unwrap_or_default()
    }

    fn follow(&mut self, folder: &str, reference: &PathReference) {
        if reference.path.is_empty() || is_remote(&reference.path) {
            return;
        }
        let path = join(folder, &reference.path);
        if reference.may_be_folder && self.files.is_folder(&path) {
            self.visit(&path);
        } else if is_within(folder, &path) {
            self.take(folder, &path);
        } else if self.files.is_in_repository(&path) {
            // Kustomize reads no file above its folder, and Flux does.
            self.take(folder, &path);
            if self.seen.get(&path).is_some_and(|taken| taken.exists) {
                self.found
                    .unread
                    .entry((folder.to_owned(), path))
                    .or_insert(Unread::Outside);
            }
        }
    }
}

/// A path that a kustomization names.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PathReference {
    pub(crate) path: String,
    pub(crate) may_be_folder: bool,
    /// What it leads to holds objects.
    pub(crate) is_resource: bool,
    /// What it leads to holds plugins.
    pub(crate) is_plugin: bool,
    /// What it leads to may hold secrets.
    pub(crate) is_private: bool,
    /// The target of what it leads to, if that is a patch; null if it has none.
    pub(crate) target: Option<Node>,
}

impl PathReference {
    /// A path of a file, if the node is a text.
    fn of_file(path: &Node, is_private: bool, target: Option<Node>) -> Option<Self> {
        Some(Self {
            path: path.as_str()?.to_owned(),
            is_private,
            target,
            ..Self::default()
        })
    }
}

/// The paths that the text of a kustomization names, and the parts of it that may hold secrets.
#[derive(Default)]
struct KustomizationNames {
    references: Vec<PathReference>,
    private: Vec<Range<u32>>,
}

fn named(text: &str) -> KustomizationNames {
    let mut sink = Sink::default();
    let documents = read(FileId::default(), text, &mut sink);
    let private = match documents.first() {
        Some(document) if !document.root.entries().is_empty() => private::ranges(&document.root),
        // What does not parse may be anything.
        _ => std::iter::once(0..u32::try_from(text.len()).unwrap_or(u32::MAX)).collect(),
    };
    // What Kustomize refuses names files, too: what they hold says whether it matters.
    let root = documents.first().map(|document| {
        fields::checked(&document.root, &KUSTOMIZATION).unwrap_or_else(|_| (*document.root).clone())
    });
    KustomizationNames {
        references: root.map(|root| references(&root)).unwrap_or_default(),
        private,
    }
}

/// The paths that a kustomization names.
fn references(root: &Node) -> Vec<PathReference> {
    let mut found = Vec::new();
    for key in [
        "resources",
        "bases",
        "components",
        "configurations",
        "patchesStrategicMerge",
        "generators",
        "transformers",
    ] {
        let is_plugin = matches!(key, "generators" | "transformers");
        // A transformer may hold a patch of anything.
        let is_private = is_plugin || key == "patchesStrategicMerge";
        let target = (key == "patchesStrategicMerge").then(|| null(root.span));
        // A text in place of a list is refused, and names one file.
        let one = root.get(key).filter(|value| value.as_str().is_some());
        let paths = one.map_or_else(|| root.items_of(key), std::slice::from_ref);
        for path in paths {
            match path.as_str().filter(|text| is_plugin && is_inline(text)) {
                Some(text) => found.extend(plugin_files(text)),
                None => found.extend(
                    PathReference::of_file(path, is_private, target.clone()).map(|file| {
                        PathReference {
                            may_be_folder: true,
                            is_resource: matches!(key, "resources" | "bases"),
                            is_plugin,
                            ..file
                        }
                    }),
                ),
            }
        }
    }
    for key in ["patches", "patchesJson6902", "replacements"] {
        for item in root.items_of(key) {
            let target = item
                .get("target")
                .cloned()
                .unwrap_or_else(|| null(item.span));
            let path = item
                .get("path")
                .and_then(|path| PathReference::of_file(path, key != "replacements", Some(target)));
            found.extend(path);
        }
    }
    let openapi = root.get("openapi").map(std::slice::from_ref);
    let lists = ["envs", "files"];
    for (owners, is_private, one, several) in [
        (openapi.unwrap_or_default(), false, "path", &[][..]),
        (root.items_of("configMapGenerator"), false, "env", &lists),
        (root.items_of("secretGenerator"), true, "env", &lists),
        (
            root.items_of("helmCharts"),
            false,
            "valuesFile",
            &["additionalValuesFiles"],
        ),
    ] {
        for owner in owners {
            let several = several.iter().flat_map(|key| owner.items_of(key));
            let paths = owner.get(one).into_iter().chain(several);
            found.extend(paths.filter_map(|path| PathReference::of_file(path, is_private, None)));
        }
    }
    without_keys(&mut found);
    found
}

/// Leaves the paths of `key=path`.
fn without_keys(found: &mut [PathReference]) {
    for reference in found {
        if let Some((_, path)) = reference.path.split_once('=') {
            reference.path = path.to_owned();
        }
    }
}

/// The files that plugins of Kustomize name in a text.
fn plugin_files(text: &str) -> Vec<PathReference> {
    let mut found = Vec::new();
    for document in read(FileId::default(), text, &mut Sink::default()) {
        let plugin = &document.root;
        let kind = plugin.text_of("kind").unwrap_or_default();
        let (keys, target) = match kind {
            _ if plugin.text_of("apiVersion") != Some("builtin") => continue,
            "ConfigMapGenerator" | "SecretGenerator" => (&["files", "envs", "env"][..], None),
            "PatchTransformer" | "PatchJson6902Transformer" => {
                let target = plugin.get("target").cloned();
                (&["path"][..], target.or_else(|| Some(null(plugin.span))))
            }
            _ => continue,
        };
        for key in keys {
            let one = plugin.get(key).filter(|value| value.as_str().is_some());
            let paths = one.into_iter().chain(plugin.items_of(key));
            let is_private = kind != "ConfigMapGenerator";
            found.extend(
                paths.filter_map(|path| PathReference::of_file(path, is_private, target.clone())),
            );
        }
    }
    without_keys(&mut found);
    found
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Files in memory.
    pub(crate) struct Memory(pub(crate) BTreeMap<String, Vec<u8>>);

    impl Memory {
        /// Files from paths and texts.
        pub(crate) fn new(files: &[(&str, &str)]) -> Self {
            Self(
                files
                    .iter()
                    .map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()))
                    .collect(),
            )
        }
    }

    impl Files for Memory {
        fn read(&self, path: &str) -> Content {
            Content::of(self.0.get(path).cloned())
        }

        fn is_folder(&self, path: &str) -> bool {
            self.0
                .keys()
                .any(|file| file != path && is_within(path, file))
        }
    }

    fn names(files: &[(&str, &str)], folder: &str) -> Vec<String> {
        let mut names: Vec<_> = gather(&Memory::new(files), folder)
            .inputs
            .into_iter()
            .map(|input| input.name)
            .collect();
        names.sort_unstable();
        names
    }

    #[test]
    fn files_and_folders_are_followed() {
        let files = [
            (
                "base/kustomization.yaml",
                "resources: [a.yaml, ../other, https://example.com/x.yaml]",
            ),
            ("base/a.yaml", "a: 1"),
            ("base/unused.yaml", "a: 1"),
            (
                "other/Kustomization",
                "configMapGenerator: [{name: a, files: [k=f.txt], envs: [e.env]}]",
            ),
            ("other/f.txt", "x"),
            ("other/e.env", "x"),
            (
                "prod/kustomization.yml",
                "Bases: [../base]\npatches: [{path: p.yaml}, {path: ../a.yaml}]",
            ),
            ("prod/p.yaml", "x"),
            ("a.yaml", "x"),
        ];
        assert_eq!(
            names(&files, "prod"),
            [
                "a.yaml",
                "base/a.yaml",
                "base/kustomization.yaml",
                "other/Kustomization",
                "other/e.env",
                "other/f.txt",
                "prod/kustomization.yml",
                "prod/p.yaml"
            ]
        );
    }

    #[test]
    fn cycles_end() {
        let files = [
            ("a/kustomization.yaml", "resources: [../b]"),
            ("b/kustomization.yaml", "resources: [../a, .]"),
        ];
        assert_eq!(
            names(&files, "a"),
            ["a/kustomization.yaml", "b/kustomization.yaml"]
        );
    }
}
