//! Globs of `promgen.yaml`.
//!
//! In: globs and a path with `/`. Out: which globs match the path. Matching takes time that is linear in the path.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// The maximum length of a glob: paths are shorter, and matching takes the product of both lengths.
pub const MAX_GLOB_CHARS: usize = 1024;

/// Some globs: `*` within a name, `**` across folders, `?` for an ASCII character. A glob without `/` matches at any depth; a
/// glob that matches a folder matches everything in it. No other character is special.
#[derive(Clone, Debug, Default)]
pub struct Globs(GlobSet);

impl Globs {
    /// Parses globs, each of at most [`MAX_GLOB_CHARS`].
    pub fn new<'g>(globs: impl IntoIterator<Item = &'g str>) -> Self {
        let mut set = GlobSetBuilder::new();
        for glob in globs {
            for pattern in patterns(glob) {
                let parsed = GlobBuilder::new(&pattern)
                    .literal_separator(true)
                    .backslash_escape(false)
                    .build();
                set.add(parsed.expect("special characters are escaped"));
            }
        }
        Self(set.build().expect("the lengths are bounded"))
    }

    /// Returns whether a glob matches the path or a folder above it.
    pub fn is_match(&self, path: &str) -> bool {
        self.0.is_match(path)
    }

    /// The indexes of the globs that match the path or a folder above it, in order.
    pub fn matches(&self, path: &str) -> Vec<usize> {
        let mut found: Vec<_> = self
            .0
            .matches(path)
            .into_iter()
            .map(|pattern| pattern / PATTERNS)
            .collect();
        found.dedup();
        found
    }
}

/// The patterns of a glob.
const PATTERNS: usize = 2;

/// The glob as globset reads it: for a path, and for what is in that folder.
fn patterns(glob: &str) -> [String; PATTERNS] {
    let anchored = glob.strip_prefix("./").unwrap_or(glob);
    let trimmed = anchored.trim_end_matches('/');
    let mut pattern = String::from(if trimmed.contains('/') { "" } else { "**/" });
    for c in trimmed.strip_prefix('/').unwrap_or(trimmed).chars() {
        if matches!(c, '[' | ']' | '{' | '}') {
            pattern.extend(['[', c, ']']);
        } else {
            pattern.push(c);
        }
    }
    let within = format!("{pattern}/**");
    [pattern, within]
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
            ("x*.yaml", "xä.yaml", "x/.yaml"),
            ("[a]{b,c}", "x/[a]{b,c}", "ab"),
            ("a\\b", "a\\b", "ab"),
            ("!a", "!a", "b"),
        ] {
            let globs = Globs::new([text]);
            assert!(globs.is_match(yes) && !globs.is_match(no), "{text}");
        }
    }

    #[test]
    fn the_globs_that_match_are_known_by_index() {
        let globs = Globs::new(["a", "b", "*.yaml"]);
        assert_eq!(globs.matches("a/x.yaml"), [0, 2]);
        assert_eq!(globs.matches("c"), Vec::<usize>::new());
        assert!(!Globs::default().is_match("a"));
    }

    #[test]
    fn stars_upon_stars_take_no_time() {
        let globs = Globs::new([&*"*a".repeat(500)]);
        assert!(!globs.is_match(&"a".repeat(499)));
        assert!(globs.is_match(&"a".repeat(2000)));
        assert!(Globs::new([&*"?".repeat(1024)]).is_match(&"a".repeat(1024)));
        assert!(Globs::new([&*"*".repeat(1023)]).is_match("a/b"));
        assert!(!Globs::new([&*("**/".repeat(300) + "b")]).is_match(&"a/".repeat(1000)));
    }
}
