//! `promgen __complete`: what the script of a shell offers at the end of a command line, from the repository that it is in.
//!
//! In: the words of the command line. Out: a line for each candidate. The names of a repository are untrusted: only those whose
//! letters no shell reads are offered. It reads files and builds kustomizations, and compiles nothing. It never fails, and says
//! nothing but candidates.

mod names;
mod place;

use std::collections::BTreeSet;
use std::ffi::OsString;

use crate::cli::{Exit, Io};
use names::CompletionRepository;
pub(crate) use place::options;
use place::{CompletedWord, OfferedKind};
use promgen_checks::rules;
use promgen_text::CollectOrdered;

/// The most candidates.
const MAX_OFFERS: usize = 2_000;

/// What scripts call. It is followed by `--` and the words of a line behind the name of the program, up to the one that is
/// completed.
pub(crate) const COMMAND: &str = "__complete";

/// Prints the candidates for the last word.
pub(crate) fn run(args: &[OsString], io: &mut Io<'_>) -> Exit {
    let words = args
        .iter()
        .skip(usize::from(args.first().is_some_and(|first| first == "--")));
    let words: Vec<String> = words
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    if let Some(word) = CompletedWord::of(&words) {
        let lines: String = offers(&word)
            .iter()
            .map(|offer| format!("{offer}\n"))
            .collect();
        // A shell that does not listen any more needs none.
        let _ = io.print(|out| out.write_all(lines.as_bytes()));
    }
    Exit::Clean
}

/// The candidates, in their order.
fn offers(word: &CompletedWord) -> Vec<String> {
    let found: BTreeSet<String> = match word.wanted {
        OfferedKind::Rules => codes(&word.text),
        _ => CompletionRepository::read(word)
            .map(|repository| repository.offers(word))
            .unwrap_or_default(),
    };
    let begins = |offer: &&String| offer.starts_with(&word.text) && is_harmless(offer);
    found
        .iter()
        .filter(begins)
        .take(MAX_OFFERS)
        .map(|offer| format!("{}{offer}", word.before))
        .collect()
}

/// Returns whether no shell reads more in a name than a word.
fn is_harmless(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '/' | '_' | '-');
    name.chars().all(is_plain) && !name.starts_with('-') && !name.is_empty()
}

/// The codes of rules, and the names of those that are typed by name.
fn codes(typed: &str) -> BTreeSet<String> {
    let all = rules::all();
    let is_code = typed.is_empty() || typed.get(..1).is_some_and(|first| first == "P");
    all.iter()
        .map(|rule| {
            if is_code || rule.is_policy() {
                &rule.code
            } else {
                &rule.name
            }
            .to_string()
        })
        .collect_set()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_is_more_than_a_word() {
        for name in ["servicemonitor/cart", "overlays/prod", "PG201", "a_b.c-d"] {
            assert!(is_harmless(name), "{name}");
        }
        for name in [
            "", "-rf", "a b", "$(x)", "a;b", "a`b`", "a\nb", "~x", "a*", "é", "a'b", "a\"b", "a\\b",
        ] {
            assert!(!is_harmless(name), "{name}");
        }
    }
}
