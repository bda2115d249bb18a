//! What Flux leaves out of the artifact of a repository.
//!
//! In: the files `.sourceignore` of a run, and `spec.ignore` of GitRepositories. Out: for a file, what leaves it out. Of all
//! patterns that fit a file or a folder around it the last one counts; those of Flux itself count only where there are no others.

use std::collections::{BTreeMap, BTreeSet};

use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};
use promgen_text::source::Sources;
use promgen_text::yaml::Node;
use promgen_text::yaml::read::ParsedDocument;

use crate::path::{SOURCE_IGNORE, ancestors, base_name, below, folder, is_within, join};

/// The patterns of Flux itself.
const OF_FLUX: &str = ".git/\n.github/\n.circleci/\n.travis.yml\n.gitlab-ci.yml\nappveyor.yml\n.drone.yml\ncloudbuild.yaml\n\
                       codeship-*.yml\n*.jpg\n*.jpeg\n*.gif\n*.png\n*.wmv\n*.flv\n*.tar.gz\n*.zip\n.goreleaser.yml\n\
                       .sops.yaml\n.flux.yaml\n";

/// The number of patterns that a text may have. One with more leaves nothing out: each is compiled.
const MAX_PATTERNS: usize = 256;

/// A line of such a text.
#[derive(Clone, Debug)]
struct IgnorePattern {
    glob: Glob,
    /// It fits folders only.
    is_of_folders: bool,
    /// What fits stays in.
    keeps: bool,
}

impl IgnorePattern {
    fn read(line: &str) -> Option<Self> {
        let line = line.trim_end_matches('\r');
        let line = if line.ends_with("\\ ") {
            line
        } else {
            line.trim_end()
        };
        if line.is_empty() || line.starts_with('#') {
            return None;
        }
        let (keeps, line) = line
            .strip_prefix('!')
            .map_or((false, line), |line| (true, line));
        let (is_of_folders, line) = line
            .strip_suffix('/')
            .map_or((false, line), |line| (true, line));
        let rooted = line.strip_prefix('/').unwrap_or(line);
        let glob = if line.contains('/') {
            rooted.to_owned()
        } else {
            format!("**/{line}")
        };
        // Braces are alternatives for globs, and letters here.
        let glob = glob.replace('{', "[{]").replace('}', "[}]");
        let glob = GlobBuilder::new(&glob)
            .literal_separator(true)
            .backslash_escape(true)
            .build()
            .ok()?;
        Some(Self {
            glob,
            is_of_folders,
            keeps,
        })
    }
}

/// The patterns of a text.
#[derive(Clone, Debug, Default)]
struct IgnorePatterns {
    lines: Vec<IgnorePattern>,
    globs: GlobSet,
}

impl IgnorePatterns {
    fn read(text: &str) -> Self {
        let lines: Vec<_> = text
            .lines()
            .filter_map(IgnorePattern::read)
            .take(MAX_PATTERNS + 1)
            .collect();
        let mut globs = GlobSetBuilder::new();
        for line in &lines {
            globs.add(line.glob.clone());
        }
        match globs.build() {
            Ok(globs) if lines.len() <= MAX_PATTERNS => Self { lines, globs },
            Ok(_) | Err(_) => Self::default(),
        }
    }

    /// Returns whether they leave out a file. `None`: none of them fits it or a folder around it.
    fn leave_out(&self, file: &str) -> Option<bool> {
        if self.lines.is_empty() {
            return None;
        }
        let fits = |n: &usize, is_folder: bool| is_folder || !self.lines[*n].is_of_folders;
        let last = |path: &str, is_folder| {
            self.globs
                .matches(path)
                .into_iter()
                .filter(|n| fits(n, is_folder))
                .max()
        };
        let around = file
            .match_indices('/')
            .filter_map(|(at, _)| last(&file[..at], true))
            .max();
        around
            .max(last(file, false))
            .map(|last| !self.lines[last].keeps)
    }
}

/// The repository that Flux applies a path of.
#[derive(Clone, Copy, Debug)]
pub(super) struct ArtifactSource<'s> {
    /// Its root among the files of the run.
    pub(super) root: &'s str,
    /// `spec.ignore` of its GitRepository, which is empty if it has none. `None`: it is not known.
    pub(super) ignore: Option<&'s str>,
}

/// All patterns of a run.
#[derive(Debug, Default)]
pub(super) struct ArtifactPatterns {
    /// Those of files, by their folders.
    of_files: BTreeMap<String, IgnorePatterns>,
    /// Those of GitRepositories, by their texts.
    of_objects: BTreeMap<String, IgnorePatterns>,
    of_flux: IgnorePatterns,
    /// The folders of the run.
    folders: BTreeSet<String>,
}

impl ArtifactPatterns {
    /// Reads those of files, and of the given texts of GitRepositories.
    pub(super) fn read<'t>(sources: &Sources, texts: impl Iterator<Item = &'t str>) -> Self {
        let files = sources
            .files()
            .filter(|(_, file)| base_name(&file.name) == SOURCE_IGNORE);
        let read = |name: &str, text: &str| {
            (
                folder(&join(".", name)).to_owned(),
                IgnorePatterns::read(text),
            )
        };
        let of_files = files
            .map(|(_, file)| read(&file.name, &file.text))
            .collect();
        let mut of_objects = BTreeMap::new();
        for text in texts {
            of_objects
                .entry(text.to_owned())
                .or_insert_with(|| IgnorePatterns::read(text));
        }
        let mut folders = BTreeSet::new();
        for (_, file) in sources.files() {
            let path = join(".", &file.name);
            ancestors(&path).all(|above| folders.insert(above.to_owned()));
        }
        Self {
            of_files,
            of_objects,
            of_flux: IgnorePatterns::read(OF_FLUX),
            folders,
        }
    }

    /// Returns whether the run has a folder.
    pub(super) fn has(&self, folder: &str) -> bool {
        self.folders.contains(folder)
    }

    /// What leaves a file out of the artifact of a repository, if anything does.
    pub(super) fn leave_out(&self, source: ArtifactSource<'_>, file: &str) -> Option<String> {
        let path = below(file, source.root)?;
        let own = source.ignore.and_then(|text| self.of_objects.get(text));
        if own.is_some_and(|own| own.lines.is_empty()) && !self.has_files(source.root) {
            return (self.of_flux.leave_out(path) == Some(true))
                .then(|| "the default of Flux".to_owned());
        }
        let of_own = own
            .and_then(|own| own.leave_out(path))
            .map(|is_out| (is_out, "`spec.ignore` of the GitRepository".to_owned()));
        let of_file = |folder: &str| {
            let is_out = self.of_files.get(folder)?.leave_out(below(file, folder)?)?;
            Some((is_out, format!("`{}`", join(folder, SOURCE_IGNORE))))
        };
        // The inner ones first.
        let mut around = ancestors(file).take_while(|folder| is_within(source.root, folder));
        let (is_out, by) = of_own.or_else(|| around.find_map(of_file))?;
        is_out.then_some(by)
    }

    /// Returns whether a folder, or one in it, has patterns.
    fn has_files(&self, root: &str) -> bool {
        if [".", "/"].contains(&root) {
            return self.of_files.keys().any(|folder| is_within(root, folder));
        }
        let inner = format!("{root}/");
        let mut below = self.of_files.range(inner.clone()..);
        self.of_files.contains_key(root)
            || below
                .next()
                .is_some_and(|(folder, _)| folder.starts_with(&inner))
    }
}

/// The GitRepositories of a run.
#[derive(Debug, Default)]
pub(super) struct GitRepositories<'o> {
    by_name: BTreeMap<&'o str, Vec<&'o Node>>,
    /// The URLs, each with the files of the objects that have it.
    urls: BTreeMap<&'o str, Vec<String>>,
    /// The URLs that Flux itself syncs.
    own: BTreeSet<&'o str>,
    /// What else the source that Flux itself syncs may be called.
    names: BTreeSet<&'o str>,
}

/// The name of the source that Flux itself syncs, if nobody says otherwise.
const OF_BOOTSTRAP: &str = "flux-system";

impl<'o> GitRepositories<'o> {
    /// Adds an object, if it is one, or says which one Flux itself syncs. `file`: that of what has it.
    pub(super) fn add(&mut self, document: &'o ParsedDocument, file: impl FnOnce() -> String) {
        let text = |keys: &[&str]| document.root.text_at(keys);
        match (text(&["kind"]), text(&["metadata", "name"])) {
            (Some("GitRepository"), Some(name)) => {
                let url = text(&["spec", "url"]);
                self.by_name.entry(name).or_default().push(&document.root);
                if let Some(url) = url {
                    self.urls.entry(url).or_default().push(file());
                }
                self.own.extend(url.filter(|_| name == OF_BOOTSTRAP));
            }
            (Some("FluxInstance"), _) => {
                let kind = text(&["spec", "sync", "kind"]);
                let url = text(&["spec", "sync", "url"]);
                self.own
                    .extend(url.filter(|_| kind == Some("GitRepository")));
                self.names.extend(text(&["spec", "sync", "name"]));
                self.names.extend(text(&["metadata", "namespace"]));
            }
            _ => {}
        }
    }

    /// The URLs of all, each with the files of the objects that have it.
    pub(super) const fn urls(&self) -> &BTreeMap<&'o str, Vec<String>> {
        &self.urls
    }

    /// The URLs that Flux itself syncs.
    pub(super) const fn own(&self) -> &BTreeSet<&'o str> {
        &self.own
    }

    /// Returns whether Flux itself syncs a source of that name.
    pub(super) fn is_of_flux(&self, name: &str) -> bool {
        name == OF_BOOTSTRAP || self.names.contains(name)
    }

    /// The URL of the one that a Kustomization names. `None`: it is not known.
    pub(super) fn url(&self, kustomization: &Node) -> Option<&'o str> {
        self.stated(kustomization, "url")
    }

    /// `spec.ignore` of the one that a Kustomization names, which is empty if it has none. `None`: it is not known.
    pub(super) fn ignore(&self, kustomization: &Node) -> Option<&'o str> {
        let text = |keys: &[&str]| kustomization.text_at(keys);
        // Any repository has a root: of several, nobody knows which one the run reads.
        if self.urls.len() > 1 && join(".", text(&["spec", "path"]).unwrap_or_default()) == "." {
            return None;
        }
        self.stated(kustomization, "ignore")
    }

    /// A text in the spec of the one that a Kustomization names, which is empty if it has none. `None`: it is not known.
    fn stated(&self, kustomization: &Node, key: &str) -> Option<&'o str> {
        let text = |keys: &[&str]| kustomization.text_at(keys);
        let name = text(&["spec", "sourceRef", "name"])
            .filter(|_| text(&["spec", "sourceRef", "kind"]) == Some("GitRepository"));
        let namespace =
            text(&["spec", "sourceRef", "namespace"]).or(text(&["metadata", "namespace"]));
        let is_in = |of: &&&Node| {
            let own = of.text_at(&["metadata", "namespace"]);
            own.zip(namespace).is_none_or(|(own, asked)| own == asked)
        };
        let found = self.by_name.get(name?)?.iter().filter(is_in);
        let mut texts = found.map(|of| of.text_at(&["spec", key]).unwrap_or_default());
        let first = texts.next()?;
        texts.all(|other| other == first).then_some(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The files of a repository that are left out, by texts of `.sourceignore` files and `spec.ignore`.
    fn left_out(texts: &[(&str, &str)], ignore: Option<&str>, files: &[&str]) -> Vec<String> {
        let mut sources = Sources::default();
        for (name, text) in texts {
            sources.add((*name).to_owned(), (*text).to_owned());
        }
        let patterns = ArtifactPatterns::read(&sources, ignore.into_iter());
        let source = ArtifactSource { root: "r", ignore };
        let is_out = |file: &&&str| patterns.leave_out(source, file).is_some();
        files
            .iter()
            .filter(is_out)
            .map(|file| (*file).to_owned())
            .collect()
    }

    #[test]
    fn the_last_pattern_that_fits_counts() {
        let files = [
            "r/a.yaml",
            "r/deploy/a.yaml",
            "r/deploy/b.yaml",
            "r/x/deploy/a.yaml",
        ];
        let of = |text: &str| left_out(&[("r/.sourceignore", text)], None, &files).join(" ");
        assert_eq!(of("/*\n!/deploy\n"), "r/a.yaml r/x/deploy/a.yaml");
        assert_eq!(
            of("/**\n!/deploy\n/deploy/b.yaml  \n"),
            "r/a.yaml r/deploy/b.yaml r/x/deploy/a.yaml"
        );
        assert_eq!(
            of("# none\n\ndeploy/\n"),
            "r/deploy/a.yaml r/deploy/b.yaml r/x/deploy/a.yaml"
        );
        assert_eq!(of("a.yaml/\n{a,b}.yaml\n"), "");
        assert_eq!(of("x/**/a.yaml\r\n"), "r/x/deploy/a.yaml");
    }

    #[test]
    fn patterns_of_a_folder_are_for_what_is_below_it() {
        let files = [
            "r/a.yaml",
            "r/x/a.yaml",
            "r/x/y/a.yaml",
            "q/a.yaml",
            "r/logo.png",
        ];
        let texts = [
            ("r/x/.sourceignore", "/a.yaml\n"),
            ("r/x/y/.sourceignore", "a.*\n"),
        ];
        assert_eq!(
            left_out(&texts, None, &files),
            ["r/x/a.yaml", "r/x/y/a.yaml"]
        );
        assert_eq!(left_out(&texts, Some("!x\n"), &files), [""; 0]);
        assert_eq!(
            left_out(&[("q/.sourceignore", "*")], Some(""), &files),
            ["r/logo.png"]
        );
        // `spec.ignore` may say otherwise.
        assert_eq!(left_out(&[], None, &files), [""; 0]);
        assert_eq!(
            left_out(&[], Some("a.yaml"), &files),
            ["r/a.yaml", "r/x/a.yaml", "r/x/y/a.yaml"]
        );
    }

    #[test]
    fn too_many_patterns_leave_nothing_out() {
        let text = "a.yaml\n".repeat(MAX_PATTERNS + 1);
        assert_eq!(
            left_out(&[("r/.sourceignore", &text)], None, &["r/a.yaml"]),
            [""; 0]
        );
    }
}
