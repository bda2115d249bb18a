//! The repositories of the paths that appliers name: one that is not in the input adds nothing to it.
//!
//! In: the paths of all appliers, each with its repository, and the folders of the run. Out: the repositories that are elsewhere. That
//! in the input is the one that Flux itself is told to sync, or whose paths are here more often than those of another. A
//! GitRepository that another source applies is elsewhere, unless several of its paths are here.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use promgen_text::yaml::Node;

use super::{ends, is_open, is_part};
use crate::model::artifact::GitRepositories;
use crate::path::is_within;
use promgen_text::CollectOrdered;

/// The repository of a path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::model) enum PathSource {
    /// That of a URL.
    Git(GitAddress),
    /// A bundle of manifests in a registry or a bucket, by kind and name.
    Artifact(String),
    /// Nobody says which one.
    Unknown(String),
}

/// The address of a repository, however its URL is written.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::model) struct GitAddress {
    host: String,
    owner: String,
    name: String,
}

impl GitAddress {
    /// Reads a URL, unless something fills it in later.
    fn read(url: &str) -> Option<Self> {
        if is_open(url) || url.contains('<') {
            return None;
        }
        let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
        let rest = match rest.split_once('@') {
            Some((user, rest)) if !user.contains('/') => rest,
            _ => rest,
        };
        let text = rest.replace(':', "/").to_lowercase();
        let text = text.trim_end_matches('/').trim_end_matches(".git");
        // Ports, and what Azure writes before a name.
        let is_part = |part: &&str| *part != "_git" && !part.bytes().all(|b| b.is_ascii_digit());
        let mut parts = text.split('/').filter(is_part);
        let (host, name) = (parts.next()?, parts.next_back()?);
        Some(Self {
            host: host.to_owned(),
            owner: parts.next_back().unwrap_or_default().to_owned(),
            name: name.to_owned(),
        })
    }

    /// Returns whether both may be the same repository: it may be mirrored on another host.
    fn may_be(&self, other: &Self) -> bool {
        self.name == other.name && (self.host != other.host || self.owner == other.owner)
    }
}

impl PathSource {
    /// The repository of a URL.
    pub(super) fn of_url(url: &str) -> Self {
        GitAddress::read(url).map_or_else(|| Self::Unknown(url.to_owned()), Self::Git)
    }

    /// The repository of a Kustomization of Flux.
    pub(super) fn of_flux(kustomization: &Node, repositories: &GitRepositories<'_>) -> Self {
        let text = |key| kustomization.text_at(&["spec", "sourceRef", key]);
        let (kind, name) = (
            text("kind").unwrap_or_default(),
            text("name").unwrap_or_default(),
        );
        let title = format!("{kind} {name}");
        match (kind, repositories.url(kustomization)) {
            ("GitRepository", Some(url)) => Self::of_url(url),
            ("OCIRepository" | "Bucket", _) if !repositories.is_of_flux(name) => {
                Self::Artifact(title)
            }
            _ => Self::Unknown(title),
        }
    }

    fn may_be(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Git(own), Self::Git(other)) => own.may_be(other),
            (own, other) => own == other,
        }
    }
}

/// A repository, and where its paths are in the input.
struct SeenRepository<'p> {
    source: PathSource,
    /// Flux itself syncs it.
    is_own: bool,
    paths: BTreeSet<&'p str>,
    /// The number of its paths, by the folder that is its root then.
    roots: BTreeMap<String, usize>,
}

impl SeenRepository<'_> {
    /// The root with the most paths, and their number.
    fn best(&self) -> (&str, usize) {
        let best = self
            .roots
            .iter()
            .max_by_key(|(root, n)| (**n, Reverse(root.len())));
        best.map_or((".", 0), |(root, n)| (root, *n))
    }

    /// Returns whether it is known to be in the input, and another one only seems to be.
    fn is_before(&self, other: &Self) -> bool {
        let ((root, n), (_, n_other)) = (self.best(), other.best());
        let is_known = !matches!(self.source, PathSource::Unknown(_));
        let is_around = other.roots.keys().all(|inner| is_within(root, inner));
        is_known && is_around && (n > n_other || self.is_own && n == n_other)
    }
}

/// The repositories that are not in the input. `found`: each with a path.
pub(super) fn foreign<'f>(
    found: &[(&PathSource, &str)],
    repositories: &GitRepositories<'_>,
    folders: impl IntoIterator<Item = &'f str>,
) -> BTreeSet<PathSource> {
    let mut all: Vec<SeenRepository<'_>> = Vec::new();
    let seen = |source: PathSource, is_own: bool| SeenRepository {
        source,
        is_own,
        paths: BTreeSet::new(),
        roots: BTreeMap::new(),
    };
    let own = repositories
        .own()
        .iter()
        .filter_map(|url| GitAddress::read(url));
    all.extend(own.map(|own| seen(PathSource::Git(own), true)));
    for (source, path) in found {
        let at = all.iter().position(|seen| seen.source.may_be(source));
        let at = at.unwrap_or(all.len());
        if at == all.len() {
            all.push(seen((*source).clone(), false));
        }
        all[at].paths.insert(path);
    }
    let is_artifact = |seen: &SeenRepository<'_>| matches!(seen.source, PathSource::Artifact(_));
    if all.len() < 2 && !all.iter().any(is_artifact) {
        return BTreeSet::new();
    }
    for folder in folders {
        let whole = (folder, ".");
        let inner = ends(folder).map(|end| (end, &folder[..folder.len() - end.len() - 1]));
        for (path, root) in std::iter::once(whole).chain(inner) {
            // Any repository has a root.
            let has = |seen: &&mut SeenRepository<'_>| {
                seen.paths.contains(path) && (path != "." || seen.is_own)
            };
            for seen in all.iter_mut().filter(has) {
                *seen.roots.entry(root.to_owned()).or_default() += 1;
            }
        }
    }
    // What another repository applies is in that one.
    let is_of_other = |seen: &SeenRepository<'_>, file: &str| {
        let holds = |path: &str| path != "." && is_part(path, &format!("/{file}"));
        found
            .iter()
            .any(|(source, path)| !seen.source.may_be(source) && holds(path))
    };
    let is_stated_by_other = |seen: &SeenRepository<'_>| {
        let urls = repositories.urls().iter();
        let mut own = urls.filter(|(url, _)| PathSource::of_url(url).may_be(&seen.source));
        own.any(|(_, files)| files.iter().any(|file| is_of_other(seen, file)))
    };
    let is_foreign = |seen: &SeenRepository<'_>| {
        let is_known = !seen.is_own && !matches!(seen.source, PathSource::Unknown(_));
        // One folder may be called so by chance. Such a source is made of other files, unless it has several of these.
        let is_elsewhere = seen.best().1 < 2 && (is_artifact(seen) || is_stated_by_other(seen));
        is_known && (is_elsewhere || all.iter().any(|other| other.is_before(seen)))
    };
    let foreign: Vec<_> = all.iter().filter(|seen| is_foreign(seen)).collect();
    let is_of = |source: &&PathSource| foreign.iter().any(|seen| seen.source.may_be(source));
    found
        .iter()
        .map(|(source, _)| *source)
        .filter(is_of)
        .cloned()
        .collect_set()
}

#[cfg(test)]
mod tests {
    use promgen_text::diag::Sink;
    use promgen_text::source::FileId;
    use promgen_text::yaml::read::read;

    use super::*;

    /// The names of the repositories that are elsewhere, of these with their paths.
    fn names(found: &[(&str, &str)], own: &[&str], folders: &str) -> Vec<String> {
        let found: Vec<_> = found
            .iter()
            .map(|(url, path)| match url.strip_prefix("bundle ") {
                Some(name) => (PathSource::Artifact(name.to_owned()), *path),
                None => (PathSource::of_url(url), *path),
            })
            .collect();
        let found: Vec<_> = found.iter().map(|(source, path)| (source, *path)).collect();
        let stated = own.iter().map(|url| {
            let (name, url) = url.split_once('=').unwrap_or(("flux-system", url));
            format!(
                "{{kind: GitRepository, metadata: {{name: {name}}}, spec: {{url: '{url}'}}}}\n---\n"
            )
        });
        let stated: String = stated.collect();
        let documents = read(FileId::default(), &stated, &mut Sink::default());
        let mut repositories = GitRepositories::default();
        for document in &documents {
            repositories.add(document, || "clusters/a/sources/b.yaml".to_owned());
        }
        let foreign = foreign(&found, &repositories, folders.split(' '));
        let name = |source: PathSource| match source {
            PathSource::Git(address) => format!("{}/{}", address.owner, address.name),
            PathSource::Artifact(name) | PathSource::Unknown(name) => name,
        };
        foreign.into_iter().map(name).collect()
    }

    #[test]
    fn a_repository_has_an_address() {
        let read = |url| GitAddress::read(url).unwrap();
        for (one, other) in [
            (
                "https://github.com/Acme/shop.git",
                "git@github.com:acme/shop",
            ),
            (
                "ssh://git@git.acme.com:7999/ops/shop.git",
                "https://git.acme.com/scm/ops/shop/",
            ),
            (
                "https://dev.azure.com/acme/ops/_git/shop",
                "git@ssh.dev.azure.com:v3/acme/ops/shop",
            ),
            (
                "http://10.0.0.1:30001/shop.git",
                "https://10.0.0.1:30002/shop",
            ),
            (
                "http://gitea.gitea.svc/ops/shop.git",
                "https://github.com/acme/shop",
            ),
        ] {
            assert!(read(one).may_be(&read(other)), "{one} {other}");
        }
        assert!(!read("https://github.com/a/b").may_be(&read("https://github.com/c/b")));
        assert!(!read("https://github.com/a/b").may_be(&read("https://gitlab.com/a/c")));
        for open in [
            "https://git.acme.com/{{ name }}",
            "${URL}",
            "https://<host>/a/b",
            "",
        ] {
            assert!(GitAddress::read(open).is_none(), "{open}");
        }
    }

    #[test]
    fn the_repository_with_the_most_paths_is_here() {
        const OWN: &str = "https://github.com/acme/platform";
        const TOOL: &str = "https://github.com/other/tool.git";
        let found = [(OWN, "apps/a"), (OWN, "apps/b"), (TOOL, "deploy")];
        for folders in [
            ". apps apps/a apps/b deploy",
            "x/apps/a x/apps/b x/y/deploy",
            "apps/b",
        ] {
            assert_eq!(names(&found, &[], folders), ["other/tool"], "{folders}");
        }
        // Both may be here: as many paths of both are, or each is in a folder of its own.
        for folders in [
            "apps/a deploy",
            "platform/apps/a platform/apps/b tool/deploy",
        ] {
            assert_eq!(names(&found, &[], folders), [""; 0], "{folders}");
        }
        assert_eq!(names(&found, &[OWN], "apps/a deploy"), ["other/tool"]);
        assert_eq!(
            names(&[(OWN, "."), (TOOL, "deploy")], &[OWN], ". deploy"),
            ["other/tool"]
        );
        assert_eq!(names(&[(TOOL, "deploy")], &[OWN], ". deploy"), [""; 0]);
        assert_eq!(
            names(
                &[(OWN, "a"), ("{{ url }}", "b"), ("{{ url }}", "c")],
                &[],
                "a b c"
            ),
            [""; 0]
        );
    }

    #[test]
    fn what_another_source_applies_is_elsewhere() {
        const FLEET: &str = "https://github.com/acme/fleet";
        let names = |paths: &[(&str, &str)], stated: &str| {
            names(paths, &[stated], ". clusters/a/sources apps apps/a infra")
        };
        let fleet = format!("fleet={FLEET}");
        for path in ["apps", ".", "clusters"] {
            let first = ("{{ url }}", "clusters/a");
            assert_eq!(
                names(&[first, (FLEET, path)], &fleet),
                ["acme/fleet"],
                "{path}"
            );
        }
        // It is this one: it applies itself, or several of its paths are here, or Flux syncs it.
        assert_eq!(
            names(&[(FLEET, "clusters/a"), ("{{ url }}", "apps")], &fleet),
            [""; 0]
        );
        let several = [
            ("{{ url }}", "clusters/a"),
            (FLEET, "apps"),
            (FLEET, "infra"),
        ];
        assert_eq!(names(&several, &fleet), [""; 0]);
        let synced = [("{{ url }}", "clusters/a"), (FLEET, "apps")];
        assert_eq!(names(&synced, FLEET), [""; 0]);
        // The other one applies another folder.
        assert_eq!(
            names(&[("{{ url }}", "infra"), (FLEET, "apps")], &fleet),
            [""; 0]
        );
    }

    #[test]
    fn a_bundle_is_of_other_files_unless_it_has_several_of_these() {
        assert_eq!(
            names(
                &[("bundle flux", "."), ("bundle b", "deploy")],
                &[],
                ". deploy"
            ),
            ["b", "flux"]
        );
        let found = [
            ("bundle infra", "configs"),
            ("bundle infra", "controllers/a"),
        ];
        assert_eq!(
            names(&found, &[], "infra/configs infra/controllers/a"),
            [""; 0]
        );
        assert_eq!(names(&found, &[], "infra/configs"), ["infra"]);
    }
}
