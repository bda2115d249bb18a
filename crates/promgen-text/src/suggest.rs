//! "Did you mean …?"
//!
//! In: a word, and those that there are. Out: the one that was most likely meant.

/// Words with more bytes get no suggestion: nobody mistypes one, and two long ones take quadratic time to compare.
const LONGEST: usize = 256;

/// The candidate most like a word, if one is like enough: another casing, or a few edits away. Never the word itself, which is
/// no help.
pub fn closest<'c>(word: &str, candidates: impl Iterator<Item = &'c str>) -> Option<&'c str> {
    if word.len() > LONGEST {
        return None;
    }
    let letters = Letters::of(word);
    let mut limit = (letters.total / 3).max(1);
    let mut best = None;
    for candidate in candidates.filter(|candidate| candidate.len() <= LONGEST && *candidate != word)
    {
        let edits = if candidate.eq_ignore_ascii_case(word) {
            0
        } else if letters.least_edits(&Letters::of(candidate)) > limit {
            continue;
        } else {
            strsim::osa_distance(word, candidate)
        };
        if edits <= limit {
            best = Some(candidate);
            let Some(fewer) = edits.checked_sub(1) else {
                break;
            };
            limit = fewer;
        }
    }
    best
}

/// Returns whether a word is another one, or almost.
#[must_use]
pub fn is_like(word: &str, other: &str) -> bool {
    word == other || closest(word, std::iter::once(other)).is_some()
}

/// The number of letters to add, drop, replace or swap with the next that make one word another. `None` for long ones.
#[must_use]
pub fn edits(a: &str, b: &str) -> Option<usize> {
    (a.len() <= LONGEST && b.len() <= LONGEST).then(|| strsim::osa_distance(a, b))
}

/// Returns whether a word is another one but for a slip: its case, or a few letters. Words that differ in digits are
/// two words.
#[must_use]
pub fn is_slip(word: &str, meant: &str) -> bool {
    const MAX_EDITS: usize = 2;
    let letters = |text: &str| {
        text.chars()
            .filter(|c| !c.is_ascii_digit())
            .collect::<String>()
    };
    word.len().abs_diff(meant.len()) <= MAX_EDITS
        && (word == meant || letters(word) != letters(meant))
        && is_like(word, meant)
}

/// The name of an object that was most likely meant by another name, if no object has that. Names that differ in digits or in
/// the last letter alone, such as `db-a` and `db-b`, are of a series: each has its own object.
pub fn slip_of_name<'c>(
    name: &str,
    there: impl Iterator<Item = &'c str> + Clone,
) -> Option<&'c str> {
    let is_of_series = |other: &str| {
        let stem = |name: &str| {
            name.char_indices()
                .next_back()
                .map(|(last, _)| name[..last].to_owned())
        };
        stem(name) == stem(other)
    };
    let is_there = there.clone().any(|other| other == name);
    closest(
        name,
        there.filter(|other| !is_there && !is_of_series(other) && is_slip(name, other)),
    )
}

/// The number of times that each letter occurs in a word; letters that share their last five bits count as one.
struct Letters {
    total: usize,
    counts: [u16; 32],
}

impl Letters {
    fn of(word: &str) -> Self {
        let mut letters = Self {
            total: 0,
            counts: [0; 32],
        };
        for letter in word.chars() {
            letters.total += 1;
            letters.counts[letter as usize % 32] += 1;
        }
        letters
    }

    /// A lower bound of the edits between two words, without a look at the order of their letters: an edit adds one
    /// letter, drops one, or both.
    fn least_edits(&self, other: &Self) -> usize {
        let pairs = self.counts.iter().zip(&other.counts);
        let (dropped, added) = pairs.fold((0, 0), |(dropped, added), (a, b)| {
            (
                dropped + usize::from(a.saturating_sub(*b)),
                added + usize::from(b.saturating_sub(*a)),
            )
        });
        dropped.max(added)
    }
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
        assert_eq!(
            find("interval"),
            None,
            "the word that stands there is no help"
        );
        assert!(is_slip("interval", "interval"));
    }

    #[test]
    fn names_of_a_series_are_no_slips() {
        let meant = |name: &str| {
            slip_of_name(
                name,
                ["fast-ssd", "standard-rwx", "gp2", "zone-a"].into_iter(),
            )
        };
        assert_eq!(meant("fast-sdd"), Some("fast-ssd"));
        assert_eq!(meant("fastssd"), Some("fast-ssd"));
        assert_eq!(meant("standrad-rwx"), Some("standard-rwx"));
        for other in ["fast-ssd", "standard-rwo", "gp3", "zone-b", "slow-hdd"] {
            assert_eq!(meant(other), None, "{other}");
        }
    }

    #[test]
    fn the_lower_bound_is_one() {
        let words = [
            "",
            "interval",
            "intervall",
            "inetrval",
            "zone-a",
            "zone-b",
            "Ünïcode",
            "unicode",
            "lavretni",
        ];
        for (a, b) in words.iter().flat_map(|a| words.iter().map(move |b| (a, b))) {
            assert!(
                Letters::of(a).least_edits(&Letters::of(b)) <= strsim::osa_distance(a, b),
                "{a} {b}"
            );
        }
    }

    #[test]
    fn a_long_word_costs_nothing() {
        assert_eq!(
            closest(&"x".repeat(100_000), ["interval"].into_iter()),
            None
        );
        let long = "x".repeat(100_000);
        assert_eq!(closest("xxx", [&*long, "xxy"].into_iter()), Some("xxy"));
    }
}
