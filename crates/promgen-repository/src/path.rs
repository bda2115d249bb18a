//! Paths of files in a repository: texts with `/`, relative to where the run started.

/// A path without `.` and, as far as it goes, without `..`. The empty text is the folder where the run started.
#[must_use]
pub fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    let path = path.replace('\\', "/");
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    let joined = parts.join("/");
    if path.starts_with('/') { format!("/{joined}") } else { joined }
}

/// A path below a folder, unless it is absolute.
#[must_use]
pub fn join(folder: &str, path: &str) -> String {
    if folder.is_empty() || path.starts_with('/') { normal(path) } else { normal(&format!("{folder}/{path}")) }
}

/// The folder of a path; the empty text for a path of one part.
#[must_use]
pub fn folder(path: &str) -> &str {
    match path.rfind('/') {
        Some(0) => "/",
        Some(at) => &path[..at],
        None => "",
    }
}

/// The last part of a path.
#[must_use]
pub fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The part of a path below a folder, if it is below it.
#[must_use]
pub fn below<'p>(path: &'p str, folder: &str) -> Option<&'p str> {
    if folder.is_empty() {
        return Some(path);
    }
    path.strip_prefix(folder)?.strip_prefix('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lose_what_leads_nowhere() {
        let normal = ["./a//b/../c", "../x", "a/../../y", "/a/./b/", ".", "a\\b"].map(normal);
        assert_eq!(normal, ["a/c", "../x", "../y", "/a/b", "", "a/b"]);
        assert_eq!([join("a/b", "../c"), join("", "d"), join("a", "/e")], ["a/c", "d", "/e"]);
    }

    #[test]
    fn paths_have_a_folder_and_a_name() {
        assert_eq!(["a/b/c", "c", "/c"].map(folder), ["a/b", "", "/"]);
        assert_eq!(["a/b/c", "c"].map(name), ["c", "c"]);
        assert_eq!([below("a/b/c", "a/b"), below("ab/c", "a"), below("a", "")], [Some("c"), None, Some("a")]);
    }
}
