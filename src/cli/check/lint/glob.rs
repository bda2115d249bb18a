//! Globs of `promgen.yaml`.
//!
//! In: a glob and a path with `/`. Out: whether the glob means the path. All ways through the glob are followed at once, so
//! the time is the product of the two lengths, whatever the glob says.

/// A glob: `*` within a name, `**` across folders, `?` for a character. One without `/` holds at any depth; one that means
/// a folder holds for everything in it.
#[derive(Clone, Debug)]
pub(super) struct Glob(Vec<Token>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token {
    /// This character.
    Char(char),
    /// Any character but `/`.
    Any,
    /// Any number of characters but `/`.
    Name,
    /// Any number of characters.
    All,
    /// Any number of whole folders.
    Folders,
}

impl Glob {
    /// Reads a glob. Every text is one.
    pub(super) fn new(text: &str) -> Self {
        let anchored = text.strip_prefix("./").unwrap_or(text);
        let trimmed = anchored.trim_end_matches('/');
        let mut tokens = if trimmed.contains('/') { Vec::new() } else { vec![Token::Folders] };
        let mut rest = trimmed.strip_prefix('/').unwrap_or(trimmed);
        while let Some(c) = rest.chars().next() {
            let (token, len) = match c {
                '*' if rest.starts_with("**/") => (Token::Folders, 3),
                '*' if rest.starts_with("**") => (Token::All, 2),
                '*' => (Token::Name, 1),
                '?' => (Token::Any, 1),
                c => (Token::Char(c), c.len_utf8()),
            };
            tokens.push(token);
            rest = &rest[len..];
        }
        Self(tokens)
    }

    /// Whether the glob means the path or a folder above it.
    pub(super) fn is_match(&self, path: &str) -> bool {
        let end = self.0.len();
        // The tokens that may come next, by their number; the last one stands for the end.
        let mut now = vec![false; end + 1];
        self.enter(0, &mut now);
        for c in path.chars() {
            if now[end] && c == '/' {
                return true;
            }
            let mut next = vec![false; end + 1];
            for (at, token) in self.0.iter().enumerate().filter(|(at, _)| now[*at]) {
                self.step(at, *token, c, &mut next);
            }
            now = next;
        }
        now[end]
    }

    /// Marks what may come next once the token of that number may. Those that take nothing are passed as well.
    fn enter(&self, mut at: usize, next: &mut [bool]) {
        next[at] = true;
        while matches!(self.0.get(at), Some(Token::Name | Token::All | Token::Folders)) {
            at += 1;
            next[at] = true;
        }
    }

    /// What may come next once a token takes a character.
    fn step(&self, at: usize, token: Token, c: char, next: &mut [bool]) {
        match token {
            Token::Char(own) if own == c => self.enter(at + 1, next),
            Token::Any if c != '/' => self.enter(at + 1, next),
            Token::Name if c != '/' => self.enter(at, next),
            Token::All => self.enter(at, next),
            // It ends with a whole folder.
            Token::Folders if c == '/' => self.enter(at, next),
            Token::Folders => next[at] = true,
            Token::Char(_) | Token::Any | Token::Name => {}
        }
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
        assert!(!Glob::new(&("**/".repeat(300) + "b")).is_match(&"a/".repeat(1000)));
    }
}
