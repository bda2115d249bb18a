//! Which files a build needs.
//!
//! In: a way to read files, and the folder of a kustomization. Out: all files that it refers to, however indirectly. A
//! file that is absent is left out: the build reports it where it is named. Each folder is visited once, so that neither
//! cycles nor diamonds take longer than the files themselves.

use promgen_text::diag::Sink;
use promgen_text::sorted::{SortedMap, SortedSet};
use promgen_text::source::{FileId, Input};
use promgen_text::yaml::Node;
use promgen_text::yaml::read::read;

use super::fields;
use super::schema::KUSTOMIZATION;
use crate::path::{KUSTOMIZATION_FILES, base_name, folder, is_kustomization, is_remote, is_within, join};

/// How many files a build may have.
const MAX_FILES: usize = 100_000;

/// How many bytes they may have.
const MAX_BYTES: usize = 1 << 30;

/// Where files are read from. Paths have `/` between their parts, and are as [`join`] gives them.
pub trait Files {
    /// The bytes of a regular file. `None` if there is none, or it cannot be read.
    fn read(&self, path: &str) -> Option<Vec<u8>>;

    /// Whether there is a folder.
    fn is_folder(&self, path: &str) -> bool;

    /// Where a path leads when links are followed. The path itself where there are no links.
    fn resolve(&self, path: &str) -> String {
        path.to_owned()
    }
}

/// What a build needs.
#[derive(Clone, Debug, Default)]
pub struct Gathered {
    /// The files, each named by its path.
    pub inputs: Vec<Input>,
    /// What each kustomization file refers to.
    pub(crate) references: SortedMap<String, Vec<Reference>>,
    /// Folders that the files refer to.
    pub folders: SortedSet<String>,
    /// Paths that are links, or lead through one, and where to.
    pub links: SortedMap<String, String>,
    /// Whether there were too many files or bytes, so that some are absent.
    pub is_cut: bool,
}

/// Finds all files that the kustomization in a folder refers to.
#[must_use]
pub fn gather(files: &dyn Files, folder: &str) -> Gathered {
    gather_all(files, &[folder])
}

/// The same for several folders, each file once.
#[must_use]
pub fn gather_all(files: &dyn Files, folders: &[&str]) -> Gathered {
    let mut walk = Walk { files, found: Gathered::default(), seen: SortedSet::new(), next: Vec::new(), n_bytes: 0 };
    for folder in folders {
        walk.visit(&join(".", folder));
    }
    while let Some(folder) = walk.next.pop() {
        walk.kustomization(&folder);
    }
    walk.found
}

/// The files that kustomizations among `inputs` refer to, without the inputs themselves.
#[must_use]
pub fn assets(files: &dyn Files, inputs: &[Input]) -> Vec<Input> {
    let known = Inputs::new(inputs, Some(files));
    let kustomizations = known.files.keys().filter(|name| is_kustomization(base_name(name)));
    let folders: Vec<&str> = kustomizations.map(|name| folder(name)).collect();
    let gathered = gather_all(&known, &folders).inputs.into_iter();
    gathered.filter(|input| !known.files.contains_key(&input.name)).map(Input::asset).collect()
}

/// The inputs of a run as files, and others that are not read yet.
pub(crate) struct Inputs<'i> {
    files: SortedMap<String, &'i Input>,
    folders: SortedSet<String>,
    others: Option<&'i dyn Files>,
}

impl<'i> Inputs<'i> {
    pub(crate) fn new(inputs: &'i [Input], others: Option<&'i dyn Files>) -> Self {
        let files: SortedMap<_, _> = inputs.iter().map(|input| (join(".", &input.name), input)).collect();
        let mut folders = SortedSet::new();
        for name in files.keys() {
            let mut above = folder(name);
            while above != "." && folders.insert(above.to_owned()) {
                above = folder(above);
            }
        }
        folders.insert(".".to_owned());
        Self { files, folders, others }
    }
}

impl Files for Inputs<'_> {
    fn read(&self, path: &str) -> Option<Vec<u8>> {
        match self.files.get(path) {
            Some(input) => Some(input.bytes.clone()),
            None => self.others?.read(path),
        }
    }

    fn is_folder(&self, path: &str) -> bool {
        let is_other = || !self.files.contains_key(path) && self.others.is_some_and(|others| others.is_folder(path));
        self.folders.contains(path) || is_other()
    }
}

struct Walk<'f> {
    files: &'f dyn Files,
    found: Gathered,
    /// Paths that were looked at.
    seen: SortedSet<String>,
    next: Vec<String>,
    n_bytes: usize,
}

impl Walk<'_> {
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

    /// Takes a file, and gives its bytes if it was not taken before.
    fn take(&mut self, path: &str) -> Option<&[u8]> {
        if !self.seen.insert(path.to_owned()) {
            return None;
        }
        if self.found.inputs.len() >= MAX_FILES || self.n_bytes >= MAX_BYTES {
            self.found.is_cut = true;
            return None;
        }
        let bytes = self.files.read(path)?;
        self.n_bytes += bytes.len();
        self.link(path);
        self.found.inputs.push(Input::new(path, bytes));
        self.found.inputs.last().map(|input| input.bytes.as_slice())
    }

    fn kustomization(&mut self, folder: &str) {
        for name in KUSTOMIZATION_FILES {
            let path = join(folder, name);
            let Some(bytes) = self.take(&path) else { continue };
            let references = references(&String::from_utf8_lossy(bytes));
            references.iter().for_each(|reference| self.follow(folder, reference));
            self.found.references.insert(path, references);
        }
    }

    fn follow(&mut self, folder: &str, reference: &Reference) {
        if reference.path.is_empty() || is_remote(&reference.path) {
            return;
        }
        let path = join(folder, &reference.path);
        if reference.may_be_folder && self.files.is_folder(&path) {
            self.visit(&path);
        } else if is_within(folder, &path) {
            // Kustomize reads no file above its folder.
            self.take(&path);
        }
    }
}

/// A path that a kustomization names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reference {
    pub(crate) path: String,
    pub(crate) may_be_folder: bool,
    /// Whether what it leads to holds objects.
    pub(crate) is_resource: bool,
}

/// The paths that the text of a kustomization names. None if it does not parse.
fn references(text: &str) -> Vec<Reference> {
    let mut sink = Sink::default();
    let documents = read(FileId::default(), text, &mut sink);
    let Some(root) = documents.first().and_then(|document| fields::checked(&document.root, &KUSTOMIZATION).ok()) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for key in ["resources", "bases", "components", "configurations", "patchesStrategicMerge"] {
        let is_resource = matches!(key, "resources" | "bases");
        let paths = root.get(key).map_or(&[][..], Node::items).iter().filter_map(Node::as_str);
        found.extend(paths.map(|path| Reference { path: path.to_owned(), may_be_folder: true, is_resource }));
    }
    let mut add = |node: &Node<'_>, may_be_folder: bool| {
        if let Some(path) = node.as_str() {
            found.push(Reference { path: path.to_owned(), may_be_folder, is_resource: false });
        }
    };
    for key in ["patches", "patchesJson6902", "replacements"] {
        let items = root.get(key).map_or(&[][..], Node::items);
        items.iter().filter_map(|item| item.get("path")).for_each(|path| add(path, false));
    }
    for key in ["configMapGenerator", "secretGenerator"] {
        for generator in root.get(key).map_or(&[][..], Node::items) {
            generator.get("env").into_iter().for_each(|path| add(path, false));
            generator.get("envs").map_or(&[][..], Node::items).iter().for_each(|path| add(path, false));
            generator.get("files").map_or(&[][..], Node::items).iter().for_each(|path| add(path, false));
        }
    }
    for reference in &mut found {
        if let Some((_, path)) = reference.path.split_once('=') {
            reference.path = path.to_owned();
        }
    }
    found
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Files in memory.
    pub(crate) struct Memory(pub(crate) SortedMap<String, Vec<u8>>);

    impl Memory {
        /// Files from paths and texts.
        pub(crate) fn new(files: &[(&str, &str)]) -> Self {
            Self(files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect())
        }
    }

    impl Files for Memory {
        fn read(&self, path: &str) -> Option<Vec<u8>> {
            self.0.get(path).cloned()
        }

        fn is_folder(&self, path: &str) -> bool {
            self.0.keys().any(|file| file != path && is_within(path, file))
        }
    }

    fn names(files: &[(&str, &str)], folder: &str) -> Vec<String> {
        let mut names: Vec<_> =
            gather(&Memory::new(files), folder).inputs.into_iter().map(|input| input.name).collect();
        names.sort();
        names
    }

    #[test]
    fn files_and_folders_are_followed() {
        let files = [
            ("base/kustomization.yaml", "resources: [a.yaml, ../other, https://example.com/x.yaml]"),
            ("base/a.yaml", "a: 1"),
            ("base/unused.yaml", "a: 1"),
            ("other/Kustomization", "configMapGenerator: [{name: a, files: [k=f.txt], envs: [e.env]}]"),
            ("other/f.txt", "x"),
            ("other/e.env", "x"),
            ("prod/kustomization.yml", "Bases: [../base]\npatches: [{path: p.yaml}, {path: ../a.yaml}]"),
            ("prod/p.yaml", "x"),
            ("a.yaml", "x"),
        ];
        assert_eq!(
            names(&files, "prod"),
            [
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
        let files = [("a/kustomization.yaml", "resources: [../b]"), ("b/kustomization.yaml", "resources: [../a, .]")];
        assert_eq!(names(&files, "a"), ["a/kustomization.yaml", "b/kustomization.yaml"]);
    }
}
