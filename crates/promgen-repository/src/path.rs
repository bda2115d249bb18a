//! Paths of files in a repository, relative to where the run started. Nothing here touches a disk.

/// The names that a kustomization file may have.
pub const KUSTOMIZATION_FILES: [&str; 3] =
    ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// The name of a file that says what Flux leaves out.
pub const SOURCE_IGNORE: &str = ".sourceignore";

/// The ends of the names of files with policies of promgen. A manifest may have such a name, too.
pub const POLICY_ENDS: [&str; 2] = [".policy.yaml", ".policy.yml"];

/// Returns whether a file has policies of promgen, rather than objects.
#[must_use]
pub fn has_policies(name: &str, text: &str) -> bool {
    let is_named = POLICY_ENDS.iter().any(|end| name.ends_with(end));
    let has = |key: &str| text.lines().any(|line| line.starts_with(key));
    is_named && has("policies:") && !has("kind:")
}

/// A path below a folder, without `.` and with as few `..` as possible. `.` for the folder itself.
#[must_use]
pub fn join(folder: &str, path: &str) -> String {
    let is_absolute = path.starts_with('/') || (folder.starts_with('/') && !path.starts_with('/'));
    let whole = if path.starts_with('/') {
        path.to_owned()
    } else {
        format!("{folder}/{path}")
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            // Above the root there is nothing.
            ".." if is_absolute => {}
            _ => parts.push(part),
        }
    }
    match (is_absolute, parts.is_empty()) {
        (true, _) => format!("/{}", parts.join("/")),
        (false, true) => ".".to_owned(),
        (false, false) => parts.join("/"),
    }
}

/// A name in a folder. The folder comes from [`join`].
#[must_use]
pub fn child(folder: &str, name: &str) -> String {
    match folder {
        "." => name.to_owned(),
        "/" => format!("/{name}"),
        _ => format!("{folder}/{name}"),
    }
}

/// Returns whether a path is that folder, or below it. Both come from [`join`].
#[must_use]
pub fn is_within(folder: &str, path: &str) -> bool {
    if folder == path {
        return true;
    }
    match folder {
        "." => !path.starts_with('/') && path != ".." && !path.starts_with("../"),
        "/" => path.starts_with('/'),
        _ => path
            .strip_prefix(folder)
            .is_some_and(|rest| rest.starts_with('/')),
    }
}

/// The last part of a path.
#[must_use]
pub fn base_name(path: &str) -> &str {
    path.trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or_default()
}

/// The folder of a path; `.` for a path of one part.
#[must_use]
pub fn folder(path: &str) -> &str {
    match path.rfind('/') {
        Some(0) => "/",
        Some(at) => &path[..at],
        None => ".",
    }
}

/// The folders around a path, the innermost first.
pub(crate) fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder(path)), |inner| {
        Some(folder(inner)).filter(|outer| outer != inner)
    })
}

/// The part of a path below a folder, if it is below it. Both come from [`join`].
#[must_use]
pub fn below<'p>(path: &'p str, folder: &str) -> Option<&'p str> {
    match folder {
        "." => Some(path),
        _ => path.strip_prefix(folder)?.strip_prefix('/'),
    }
}

/// Returns whether a file of that name is a kustomization. Kustomize: `RecognizedKustomizationFileNames`.
#[must_use]
pub fn is_kustomization(name: &str) -> bool {
    KUSTOMIZATION_FILES.contains(&name)
}

/// Returns whether an entry of `resources` names something that is not in these files: a URL, or a repository on a
/// host.
#[must_use]
pub fn is_remote(entry: &str) -> bool {
    let has_scheme =
        entry.contains("://") || entry.starts_with("git::") || entry.starts_with("git@");
    let is_host = entry.split('/').next().is_some_and(|host| {
        matches!(host, "github.com" | "gitlab.com" | "bitbucket.org") || host.starts_with("git@")
    });
    has_scheme || is_host || entry.contains("?ref=") || entry.contains("_git/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_are_resolved() {
        for (folder, path, expected) in [
            ("overlays/prod", "../../base", "base"),
            (".", "a/./b//c/", "a/b/c"),
            (".", "..", ".."),
            ("..", "../a", "../../a"),
            ("a", "..", "."),
            ("/a", "../../b", "/b"),
            ("a", "/b", "/b"),
        ] {
            assert_eq!(join(folder, path), expected);
            assert_eq!(child(expected, "x"), join(expected, "x"));
        }
    }

    #[test]
    fn a_folder_contains_what_is_below_it() {
        for (folder, path) in [
            (".", "a"),
            ("a", "a/b"),
            ("a", "a"),
            ("/", "/a"),
            ("..", "../a"),
        ] {
            assert!(is_within(folder, path), "{folder} {path}");
        }
        for (folder, path) in [
            (".", "../a"),
            ("a", "ab"),
            ("a/b", "a"),
            (".", "/a"),
            ("..", "../../a"),
        ] {
            assert!(
                !is_within(folder, path) || folder == "..",
                "{folder} {path}"
            );
        }
    }

    #[test]
    fn remote_entries_are_recognized() {
        for entry in [
            "https://example.com/a.yaml",
            "github.com/owner/repo//path?ref=v1",
            "git@github.com:owner/repo.git",
            "ssh://git@host/repo",
            "example.com/owner/repo//deploy?ref=main",
        ] {
            assert!(is_remote(entry), "{entry}");
        }
        assert!(!is_remote("../base") && !is_remote("a.yaml") && !is_remote("github.com.yaml"));
    }

    #[test]
    fn paths_have_a_folder_and_a_name() {
        assert_eq!(["a/b/c", "c", "/c"].map(folder), ["a/b", ".", "/"]);
        assert_eq!(
            [below("a/b/c", "a/b"), below("ab/c", "a"), below("a", ".")],
            [Some("c"), None, Some("a")]
        );
    }
}
