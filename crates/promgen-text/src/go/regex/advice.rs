//! The intended pattern, where Go does not take one, or it matches less than people think.

use crate::go::regex::{check, texts};

/// The help for a pattern that does not compile.
#[must_use]
pub fn advice(pattern: &str) -> Option<String> {
    let bare = pattern.trim_start_matches('^');
    if bare.starts_with(['*', '+', '?']) && check(&with_dots(bare)).is_ok() {
        return Some(format!(
            "`*` repeats what stands before it, it is no glob: write `{}`",
            with_dots(bare)
        ));
    }
    if ["(?=", "(?!", "(?<=", "(?<!"]
        .iter()
        .any(|look| pattern.contains(look))
    {
        return Some("RE2, Prometheus' syntax, has no look-ahead or look-behind: use a second rule or matcher, such as `action: drop` or `!~`".to_owned());
    }
    if pattern.contains("(?<") || pattern.contains("(?>") || pattern.contains("\\1") {
        return Some("RE2, Prometheus' syntax, has no such group and no back reference".to_owned());
    }
    let opened = pattern.matches('(').count();
    let closed = pattern.matches(')').count();
    match () {
        () if opened > closed => Some(
            "a parenthesis is not closed: add `)`, or write `\\(` for the character".to_owned(),
        ),
        () if opened < closed => Some(
            "a parenthesis is closed that is not open: remove it, or write `\\)` for the character"
                .to_owned(),
        ),
        () => None,
    }
}

/// A glob as a pattern.
fn with_dots(glob: &str) -> String {
    let (first, rest) = glob.split_at(1);
    format!("{}{rest}", if first == "?" { "." } else { ".*" })
}

/// What was meant by an anchored pattern that is nothing but a part of a name: `go_gc_.*`, of `^go_gc_`.
#[must_use]
pub fn whole(pattern: &str) -> Option<String> {
    const JOINTS: [char; 3] = ['_', '-', ':'];
    let bare = pattern.trim_start_matches('^').trim_end_matches('$');
    let names = texts(bare)?;
    let is_name = |name: &String| {
        name.len() > 2
            && name
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b':' | b'.'))
    };
    if !names.iter().all(is_name) || bare.ends_with(')') || bare.contains('|') {
        return None;
    }
    let ends = names.iter().all(|name| name.ends_with(JOINTS)) && !pattern.ends_with('$');
    // Names of Prometheus' own labels begin with two.
    let is_end = |name: &String| name.starts_with(JOINTS) && !name.starts_with("__");
    let begins = names.iter().all(is_end) && !pattern.starts_with('^');
    match (begins, ends) {
        (true, true) => Some(format!(".*{bare}.*")),
        (false, true) => Some(format!("{bare}.*")),
        (true, false) => Some(format!(".*{bare}")),
        (false, false) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_and_the_syntax_of_perl_get_advice() {
        assert!(advice("*-writer").unwrap().contains("`.*-writer`"));
        assert!(advice("ledger_(?!debug).+").unwrap().contains("look-ahead"));
        assert!(advice("(a").unwrap().contains("`)`"));
        assert_eq!(advice("[a"), None);
    }

    #[test]
    fn a_part_of_a_name_is_meant_as_its_beginning_or_end() {
        for (pattern, meant) in [
            ("^go_gc_", Some("go_gc_.*")),
            ("go_gc_", Some("go_gc_.*")),
            ("_bucket$", Some(".*_bucket")),
            (
                "__meta_kubernetes_pod_label_",
                Some("__meta_kubernetes_pod_label_.*"),
            ),
            ("-canary-", Some(".*-canary-.*")),
            ("^go_gc_$", None),
            ("go_gc_.*", None),
            ("up", None),
            ("prod", None),
            ("_", None),
        ] {
            assert_eq!(whole(pattern).as_deref(), meant, "{pattern}");
        }
    }
}
