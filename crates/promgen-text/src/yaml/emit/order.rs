//! The order in which go-yaml writes the keys of Go maps.

use std::cmp::Ordering;
use std::sync::LazyLock;

use regex::Regex;

use crate::yaml::{Map, MapEntry};

/// Compares two keys as go-yaml's `keyList` does: character by character, letters after everything else, runs of digits
/// by their value.
///
/// That is no order in the strict sense: `k0z`, `k1` and `k012901a` each come before the next and the last before the
/// first. The standard library's sorting may panic on it; see [`sort_natural`].
#[must_use]
pub fn natural_cmp(a: &str, b: &str) -> Ordering {
    let same = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    // Characters are compared, not bytes.
    let start = (0..=same)
        .rev()
        .find(|&at| a.is_char_boundary(at) && b.is_char_boundary(at));
    from_difference(start.unwrap_or(0), a, b)
}

/// Compares two keys that are the same up to a byte.
fn from_difference(at: usize, a: &str, b: &str) -> Ordering {
    let (Some(first_a), Some(first_b)) = (a[at..].chars().next(), b[at..].chars().next()) else {
        // One is the beginning of the other, which comes after it.
        return a.len().cmp(&b.len());
    };
    match (is_letter(first_a), is_letter(first_b)) {
        (true, true) => return first_a.cmp(&first_b),
        (true, false) => return Ordering::Greater,
        (false, true) => return Ordering::Less,
        (false, false) => {}
    }
    // A zero counts if the number has begun with another digit.
    let begun = (first_a == '0' || first_b == '0') && begun_number(&a[..at]);
    let (number_a, digits_a) = number(&a[at..], begun);
    let (number_b, digits_b) = number(&b[at..], begun);
    // `a1` before `a01`: equal numbers by their digits, then by the characters themselves.
    number_a
        .cmp(&number_b)
        .then(digits_a.cmp(&digits_b))
        .then(first_a.cmp(&first_b))
}

fn begun_number(text: &str) -> bool {
    text.chars()
        .rev()
        .take_while(|&c| is_digit(c))
        .any(|c| c != '0')
}

/// The value of the leading digits, and how many they are. Overflows as Go's does.
fn number(text: &str, begun: bool) -> (i64, usize) {
    text.chars().take_while(|&c| is_digit(c)).fold(
        (i64::from(begun), 0),
        |(value, count), digit| {
            let digit = i64::from(u32::from(digit)) - i64::from(b'0');
            (value.wrapping_mul(10).wrapping_add(digit), count + 1)
        },
    )
}

fn is_letter(c: char) -> bool {
    static LETTER: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^\p{L}$").expect("a constant pattern"));
    if c.is_ascii() {
        c.is_ascii_alphabetic()
    } else {
        c.is_alphabetic() && is_match(&LETTER, c)
    }
}

fn is_digit(c: char) -> bool {
    static DIGIT: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^\p{Nd}$").expect("a constant pattern"));
    if c.is_ascii() {
        c.is_ascii_digit()
    } else {
        c.is_numeric() && is_match(&DIGIT, c)
    }
}

fn is_match(class: &Regex, c: char) -> bool {
    class.is_match(c.encode_utf8(&mut [0; 4]))
}

/// Sorts the entries of a map that is a Go map in the operator. Values are left as they are.
pub fn sort_natural(map: &mut Map) {
    let entries = std::mem::take(map.entries_mut());
    *map.entries_mut() = sort(entries, |a, b| natural_cmp(&a.0, &b.0).is_lt());
}

/// The entries of a map in that order.
pub(super) fn sorted(map: &Map) -> Vec<&MapEntry> {
    sort(map.iter().collect(), |a, b| natural_cmp(&a.0, &b.0).is_lt())
}

/// Up to so many items Go's `sort.Sort` inserts, too, which matters where the order is none.
const FEW: usize = 12;

/// A sort that ends, whatever `less` says: insertion for few items, merging for many.
fn sort<T>(mut items: Vec<T>, less: impl Fn(&T, &T) -> bool + Copy) -> Vec<T> {
    // With an order that is none, the result depends on the algorithm: this is Go's insertion sort.
    if items.len() <= FEW {
        for end in 1..items.len() {
            let start = (0..end)
                .rev()
                .take_while(|&at| less(&items[end], &items[at]))
                .last();
            if let Some(start) = start {
                items[start..=end].rotate_right(1);
            }
        }
        return items;
    }
    let right = sort(items.split_off(items.len() / 2), less);
    let mut merged = Vec::with_capacity(items.len() + right.len());
    let (mut left, mut right) = (
        sort(items, less).into_iter().peekable(),
        right.into_iter().peekable(),
    );
    while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
        let next = if less(b, a) {
            right.next()
        } else {
            left.next()
        };
        merged.extend(next);
    }
    merged.extend(left.chain(right));
    merged
}
