//! Text: which of the four styles Go would choose. One pass over the bytes decides nearly always; text that is not
//! printable ASCII on one line is looked at a second time.

use crate::yaml::emit::{fold, literal, quote, resolve};

/// The place where a scalar goes.
#[derive(Clone, Copy)]
pub(super) struct ScalarPosition {
    /// The byte of the buffer at which the current line begins.
    pub(super) line: usize,
    /// The column at which its further lines begin.
    pub(super) indent: usize,
}

/// Keys of more bytes than this are written as `? key`.
const LONGEST_SIMPLE_KEY: usize = 128;

/// Writes a value and ends its last line.
pub(super) fn value(out: &mut String, text: &str, place: ScalarPosition) {
    let shape = TextTraits::of(text);
    match shape.style(text) {
        ScalarStyle::Plain if shape.spaces => fold::plain(out, text, place),
        ScalarStyle::Plain => out.push_str(text),
        ScalarStyle::Single => quote::single(out, text, Some(place)),
        ScalarStyle::Double => quote::double(out, text, Some(place)),
        ScalarStyle::Literal => return literal::write(out, text, place.indent),
    }
    out.push('\n');
}

/// Writes a key if it can be a simple one, which is never folded; `false`, and nothing written, if not.
pub(super) fn key(out: &mut String, text: &str) -> bool {
    if text.len() > LONGEST_SIMPLE_KEY {
        return false;
    }
    // Most keys: longer than all words that are no text.
    if text.len() >= 6 && text.as_bytes()[0].is_ascii_lowercase() && is_calm(text.as_bytes()) {
        out.push_str(text);
        return true;
    }
    let shape = TextTraits::of(text);
    if shape.lines {
        return false;
    }
    match shape.style(text) {
        ScalarStyle::Plain => out.push_str(text),
        ScalarStyle::Single => quote::single(out, text, None),
        ScalarStyle::Double | ScalarStyle::Literal => quote::double(out, text, None),
    }
    true
}

/// The style of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ScalarStyle {
    Plain,
    Single,
    Double,
    Literal,
}

/// The traits of a text that its style depends on.
#[derive(Clone, Copy, Debug, Default)]
struct TextTraits {
    /// May be plain, if it would also be read as text.
    plain: bool,
    /// May be in single quotes.
    single: bool,
    /// May be a literal block.
    literal: bool,
    /// Has spaces.
    spaces: bool,
    /// Has line breaks of any kind.
    lines: bool,
}

// Classes of bytes: of no interest, or of these bits.
const SPACE: u8 = 1;
const COLON: u8 = 2;
/// Anything but printable ASCII.
const OTHER: u8 = 4;
/// Not at the start of plain text.
const INDICATOR: u8 = 8;
/// Not at the start of plain text if a blank or nothing follows.
const LONE: u8 = 16;

static CLASS: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut table = [OTHER; 256];
    let mut byte = 0x20;
    while byte < 0x7f {
        table[byte] = 0;
        byte += 1;
    }
    table[b' ' as usize] = SPACE;
    table[b':' as usize] = COLON | LONE;
    let indicators = b"#,[]{}&*!|>'\"%@`";
    let mut at = 0;
    while at < indicators.len() {
        table[indicators[at] as usize] = INDICATOR;
        at += 1;
    }
    // `-a` is plain, `- a` is an item of a list.
    table[b'-' as usize] = LONE;
    table[b'?' as usize] = LONE;
    table
}

impl TextTraits {
    fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let Some(&byte) = bytes.first() else {
            return Self {
                plain: true,
                single: true,
                ..Self::default()
            };
        };
        let first = CLASS[byte as usize];
        if is_calm(bytes) {
            let marker = matches!(byte, b'-' | b'.') && starts_like_a_marker(bytes);
            let plain = first & INDICATOR == 0 && !marker && (first & LONE == 0 || bytes.len() > 1);
            return Self {
                plain,
                single: true,
                literal: true,
                ..Self::default()
            };
        }
        let mut seen = 0;
        for some in bytes.chunks(64) {
            seen |= classes_of(some);
            if seen & OTHER != 0 {
                return Self::of_any(text);
            }
        }
        let plain = first & INDICATOR == 0 && may_be_plain(bytes);
        Self {
            plain,
            single: true,
            literal: bytes.last() != Some(&b' '),
            spaces: seen & SPACE != 0,
            lines: false,
        }
    }

    /// The traits of a text of any characters.
    #[cold]
    fn of_any(text: &str) -> Self {
        let bytes = text.as_bytes();
        if literal::is_simple(bytes) {
            return Self {
                plain: false,
                single: false,
                literal: true,
                spaces: true,
                lines: true,
            };
        }
        let mut runs = TextRuns::default();
        for c in text.chars() {
            runs.next(c);
        }
        let edges = text.starts_with(is_edge) || text.ends_with(is_edge);
        let broken = runs.special || runs.space_break;
        Self {
            plain: !(edges || runs.lines || broken)
                && CLASS[bytes[0] as usize] & INDICATOR == 0
                && may_be_plain(bytes),
            single: !(broken || runs.break_space),
            literal: !(broken || text.ends_with(' ')),
            spaces: runs.spaces,
            lines: runs.lines,
        }
    }

    fn style(self, text: &str) -> ScalarStyle {
        // Go asks for a literal block only if there is a line feed; other breaks alone do not count.
        if self.lines && memchr::memchr(b'\n', text.as_bytes()).is_some() {
            return if self.literal {
                ScalarStyle::Literal
            } else {
                ScalarStyle::Double
            };
        }
        // Text that looks like another type is in double quotes, though single ones would do.
        if !resolve::is_text(text) {
            return ScalarStyle::Double;
        }
        match (self.plain, self.single) {
            (true, _) => ScalarStyle::Plain,
            (false, true) => ScalarStyle::Single,
            (false, false) => ScalarStyle::Double,
        }
    }
}

fn classes_of(bytes: &[u8]) -> u8 {
    bytes
        .iter()
        .fold(0, |seen, &byte| seen | CLASS[byte as usize])
}

/// Returns whether text has only printable ASCII without spaces and colons, as most has: eight bytes at a time.
fn is_calm(bytes: &[u8]) -> bool {
    const EACH: u64 = u64::MAX / 0xff;
    let calm = |eight: &[u8; 8]| {
        let word = u64::from_le_bytes(*eight);
        let zero = |word: u64| word.wrapping_sub(EACH) & !word;
        let low = word.wrapping_sub(EACH * 0x21) & !word;
        // Borrowing may raise a false alarm, but only next to a true one.
        (word | low | zero(word ^ (EACH * 0x3a)) | zero(word ^ (EACH * 0x7f))) & (EACH << 7) == 0
    };
    match bytes.last_chunk::<8>() {
        // The last eight may overlap those before.
        Some(last) => bytes.as_chunks::<8>().0.iter().all(calm) && calm(last),
        None => classes_of(bytes) & (SPACE | COLON | OTHER) == 0,
    }
}

/// The state of a walk over a text that is not printable ASCII alone.
#[derive(Default)]
struct TextRuns {
    previous: Option<char>,
    spaces: bool,
    lines: bool,
    /// A character that is only written escaped.
    special: bool,
    /// A space before a line break.
    space_break: bool,
    /// A space after a line break.
    break_space: bool,
}

impl TextRuns {
    fn next(&mut self, c: char) {
        let previous = self.previous.replace(c);
        self.special |= !is_printable(c);
        if c == ' ' {
            self.spaces = true;
            self.break_space |= previous.is_some_and(is_break);
        } else if is_break(c) {
            self.lines = true;
            self.space_break |= previous == Some(' ');
        }
    }
}

fn is_edge(c: char) -> bool {
    c == ' ' || is_break(c)
}

/// Returns whether text without line breaks, whose first byte is no indicator, holds nothing that YAML gives a meaning.
fn may_be_plain(bytes: &[u8]) -> bool {
    let blank_at = |at: usize| bytes.get(at).is_none_or(|b| matches!(b, b' ' | b'\t'));
    if bytes.first() == Some(&b' ') || bytes.last() == Some(&b' ') || starts_like_a_marker(bytes) {
        return false;
    }
    if matches!(bytes.first(), Some(b'-' | b'?')) && blank_at(1) {
        return false;
    }
    memchr::memchr2_iter(b':', b'#', bytes).all(|at| match bytes[at] {
        b':' => !blank_at(at + 1),
        // A `#` begins a comment only behind a blank.
        _ => at == 0 || !blank_at(at - 1),
    })
}

fn starts_like_a_marker(bytes: &[u8]) -> bool {
    bytes.starts_with(b"---") || bytes.starts_with(b"...")
}

/// Returns whether Go's YAML takes the character for a line break.
pub(super) const fn is_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Returns whether Go's YAML writes the character as it is: nothing above the basic plane, for instance.
pub(super) const fn is_printable(c: char) -> bool {
    matches!(c, '\n' | ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fefe}' | '\u{ff00}'..='\u{fffd}')
}
