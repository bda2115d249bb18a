//! Which names a file may get: those of a tree of git, an archive or a chart are whatever a stranger writes there.

/// Returns whether a name is that of one file or folder, of its own folder, on every system.
pub(super) fn is_ordinary(name: &str) -> bool {
    let is_dots = matches!(name, "" | "." | "..");
    !is_dots && !name.contains(['/', '\\', '\0']) && !is_of_git(name)
}

/// Returns whether each part of a path has such a name, so that the path stays below the folder that it is joined to.
pub(super) fn is_ordinary_path(path: &str) -> bool {
    path.split('/').all(is_ordinary)
}

/// Returns whether a system takes a name for `.git`: case does not count to some, dots and blanks at the end do not to
/// Windows, nor what follows a colon, and `GIT~1` is its short name there.
fn is_of_git(name: &str) -> bool {
    let name = name.split(':').next().unwrap_or_default();
    let plain: String = name
        .trim_end_matches(['.', ' '])
        .chars()
        .filter(|c| !is_ignored(*c))
        .collect();
    plain.eq_ignore_ascii_case(".git") || plain.eq_ignore_ascii_case("git~1")
}

/// Characters that HFS+ does not see in names.
const fn is_ignored(c: char) -> bool {
    matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_leads_nowhere() {
        for name in [
            "a",
            "a..b.yaml",
            "...",
            "..a",
            ".gitignore",
            ".gitattributes",
            ".github",
            "git",
            " ",
            "ä",
        ] {
            assert!(is_ordinary(name), "{name:?}");
        }
        for name in [
            "",
            ".",
            "..",
            "a/b",
            "a\\b",
            "/a",
            ".git",
            ".GIT",
            ".Git. .",
            "git~1",
            ".git::$INDEX",
            ".g\u{200c}it",
            "a\0",
        ] {
            assert!(!is_ordinary(name), "{name:?}");
        }
        assert!(is_ordinary_path("templates/a.yaml"));
        for path in ["a/../b", "a//b", "/a", "a/", "a/.git/config", "../a", ""] {
            assert!(!is_ordinary_path(path), "{path:?}");
        }
    }
}
