//! Paths as Go cleans them.

/// The shortest equivalent path: without empty parts, `.`, and resolvable `..`. Go: `path.Clean`.
pub(crate) fn clean(path: &str) -> String {
    let rooted = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|p| *p != "..") => {
                parts.pop();
            }
            // Nothing is above the root.
            ".." if rooted => {}
            part => parts.push(part),
        }
    }
    match (rooted, parts.join("/")) {
        (true, parts) => format!("/{parts}"),
        (false, parts) if parts.is_empty() => ".".to_owned(),
        (false, parts) => parts,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_shortened() {
        let cases = [
            ("", "."),
            ("/", "/"),
            ("//-/reload", "/-/reload"),
            ("/a/b/../-/ready/", "/a/-/ready"),
            ("/../a", "/a"),
            ("../../a", "../../a"),
            ("a/..", "."),
        ];
        for (path, cleaned) in cases {
            assert_eq!(clean(path), cleaned);
        }
    }
}
