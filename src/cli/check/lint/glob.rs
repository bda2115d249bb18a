//! Globs of `promgen.yaml`.
//!
//! In: a glob and a path with `/`. Out: whether the glob matches the path. A glob becomes a regular expression, so the time
//! is at most the product of the two lengths.

use regex::Regex;

/// A glob: `*` within a name, `**` across folders, `?` for a character. A glob without `/` matches at any depth; a
/// glob that matches a folder matches everything in it.
#[derive(Clone, Debug)]
pub(super) struct Glob(Regex);

impl Glob {
    /// Parses a glob. Every text of at most [`MAX_GLOB_CHARS`](promgen_driver::config::MAX_GLOB_CHARS) is valid.
    pub(super) fn new(text: &str) -> Self {
        let anchored = text.strip_prefix("./").unwrap_or(text);
        let trimmed = anchored.trim_end_matches('/');
        let mut pattern = String::from(if trimmed.contains('/') { "^" } else { "^(.*/)?" });
        let mut rest = trimmed.strip_prefix('/').unwrap_or(trimmed);
        while let Some(c) = rest.chars().next() {
            let (piece, len) = match c {
                '*' if rest.starts_with("**/") => ("(.*/)?", 3),
                '*' if rest.starts_with("**") => (".*", 2),
                '*' => ("[^/]*", 1),
                '?' => ("[^/]", 1),
                c => (&*regex::escape(&rest[..c.len_utf8()]), c.len_utf8()),
            };
            pattern += piece;
            rest = &rest[len..];
        }
        let regex = Regex::new(&format!("(?s){pattern}(/.*)?$"));
        Self(regex.expect("its length is bounded, and special characters are escaped"))
    }

    /// Whether the glob matches the path or a folder above it.
    pub(super) fn is_match(&self, path: &str) -> bool {
        self.0.is_match(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_mean_files_and_folders() {
        for (text, yes, no) in [
            ("vendor", "a/vendor/x.yaml", "a/vendored/x.yaml"),
            ("vendor/", "vendor/a/x.yaml", "x/vendor.yaml"),
            ("a/*.yaml", "a/x.yaml", "a/b/x.yaml"),
            ("a/**/x.yaml", "a/x.yaml", "b/a/x.yaml"),
            ("a/**/x.yaml", "a/b/c/x.yaml", "a/bx.yaml"),
            ("**/x?.yaml", "a/b/x1.yaml", "a/x.yaml"),
            ("*.json", "a/b.json", "a/b.json5"),
            ("a.b", "a.b", "acb"),
            ("/a", "a/b", "b/a"),
            ("a/**", "a/b/c", "ab"),
            ("a*b*c", "x/aXbYc", "aXcYb"),
            ("x?.yaml", "xä.yaml", "x/.yaml"),
            ("[a]{b,c}", "x/[a]{b,c}", "ab"),
        ] {
            let glob = Glob::new(text);
            assert!(glob.is_match(yes) && !glob.is_match(no), "{text}");
        }
    }

    #[test]
    fn stars_upon_stars_take_no_time() {
        let glob = Glob::new(&"*a".repeat(500));
        assert!(!glob.is_match(&"a".repeat(499)));
        assert!(glob.is_match(&"a".repeat(2000)));
        assert!(Glob::new(&"?".repeat(1024)).is_match(&"ä".repeat(1024)));
        assert!(Glob::new(&"*".repeat(1023)).is_match("a/b"));
        assert!(!Glob::new(&("**/".repeat(300) + "b")).is_match(&"a/".repeat(1000)));
    }
}
