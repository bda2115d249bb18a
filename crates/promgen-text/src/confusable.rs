//! Characters that nobody sees, or that look like others: their names, and what is meant.
//!
//! Texts that were copied from web pages, chats and documents have them.

use crate::diag::escape::steers;

/// An odd character: its name, and what is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Odd {
    /// The name, with an article.
    pub name: &'static str,
    /// The text to write in its place. Empty: nothing.
    pub plain: &'static str,
}

const fn named(name: &'static str, plain: &'static str) -> Odd {
    Odd { name, plain }
}

/// The odd character. `None` for all others.
#[must_use]
pub fn confusable_character(c: char) -> Option<Odd> {
    Some(match c {
        '\u{a0}' => named("a no-break space", " "),
        '\u{202f}' => named("a narrow no-break space", " "),
        '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{205f}' | '\u{3000}' => {
            named("a space of another width", " ")
        }
        '\u{ad}' => named("a soft hyphen", ""),
        '\u{200b}' => named("a zero-width space", ""),
        '\u{200c}' | '\u{200d}' => named("a zero-width joiner", ""),
        '\u{2060}' => named("a word joiner", ""),
        '\u{feff}' => named("a byte order mark", ""),
        '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            named("a mark of the direction of text", "")
        }
        '\u{2028}' | '\u{2029}' => named("a separator of lines", " "),
        '\u{2018}' | '\u{2019}' | '\u{201a}' | '\u{201b}' => named("a typographic quote", "'"),
        '\u{201c}'..='\u{201f}' | '\u{ab}' | '\u{bb}' => named("a typographic quote", "\""),
        '\u{2010}' | '\u{2011}' => named("a typographic hyphen", "-"),
        '\u{2012}'..='\u{2015}' => named("a dash", "-"),
        '\u{2212}' => named("a minus sign of mathematics", "-"),
        '\u{d7}' => named("a multiplication sign", "*"),
        '\u{f7}' => named("a division sign", "/"),
        '\u{2264}' => named("a sign for less or equal", "<="),
        '\u{2265}' => named("a sign for greater or equal", ">="),
        '\u{2260}' => named("a sign for not equal", "!="),
        '\u{2026}' => named("an ellipsis", "..."),
        ' ' | '\t' | '\n' | '\r' => return None,
        c if steers(c) => named("an invisible character", ""),
        _ => return None,
    })
}

/// Returns whether nobody sees it, or takes it for a space.
#[must_use]
pub fn is_unseen(c: char) -> bool {
    confusable_character(c).is_some_and(|odd| matches!(odd.plain, "" | " "))
}

/// `a no-break space (U+00A0)`, of an odd character.
#[must_use]
pub fn described(c: char) -> Option<String> {
    confusable_character(c).map(|odd| format!("{} (U+{:04X})", odd.name, u32::from(c)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_characters_have_names() {
        assert_eq!(
            described('\u{a0}').as_deref(),
            Some("a no-break space (U+00A0)")
        );
        assert_eq!(
            described('\u{201c}').as_deref(),
            Some("a typographic quote (U+201C)")
        );
        assert_eq!(
            described('\u{2063}').as_deref(),
            Some("an invisible character (U+2063)")
        );
        assert!(
            [' ', '\n', 'a', 'é', '-', '"']
                .into_iter()
                .all(|c| confusable_character(c).is_none())
        );
        assert!(is_unseen('\u{200b}') && !is_unseen('\u{201c}'));
    }
}
