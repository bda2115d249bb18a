//! "Did you mean …?"
//!
//! In: a word, and those that there are. Out: the one that was most likely meant.

/// The candidate most like a word, if one is like enough: another casing, or a few edits away.
pub(crate) fn closest<'c>(word: &str, candidates: impl Iterator<Item = &'c str>) -> Option<&'c str> {
    let limit = (word.chars().count() / 3).max(1);
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let edits = if candidate.eq_ignore_ascii_case(word) { 0 } else { distance(word, candidate, limit) };
        if edits <= limit && best.is_none_or(|(least, _)| edits < least) {
            best = Some((edits, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// How many letters have to be added, dropped, replaced or swapped with their neighbour. More than `limit` may come
/// back as any number above it.
fn distance(a: &str, b: &str, limit: usize) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) > limit {
        return limit + 1;
    }
    let mut before_last = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before_last[j - 2] + 1);
            }
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typing_errors_find_their_word() {
        let words = ["interval", "port", "targetPort", "path", "scheme"];
        let find = |word| closest(word, words.into_iter());
        assert_eq!(find("intervall"), Some("interval"));
        assert_eq!(find("inetrval"), Some("interval"));
        assert_eq!(find("targetport"), Some("targetPort"));
        assert_eq!(find("prot"), Some("port"));
        assert_eq!(find("namespaceSelector"), None);
    }

    #[test]
    fn a_long_word_costs_nothing() {
        assert_eq!(closest(&"x".repeat(100_000), ["interval"].into_iter()), None);
    }
}
