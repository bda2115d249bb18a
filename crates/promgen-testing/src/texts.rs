//! Texts for property tests: any text, and texts made of parts.
//!
//! `proptest` makes them from regular expressions, too, but only with its feature `std` (see `Cargo.toml` of the workspace).

use proptest::char::range;
use proptest::collection::{SizeRange, vec};
use proptest::prelude::{Strategy, any};
use proptest::sample::select;

/// Texts of up to 32 characters, whatever these are.
pub fn any_text() -> impl Strategy<Value = String> + Clone {
    vec(any::<char>(), 0..=32).prop_map(String::from_iter)
}

/// Texts of that many characters between two, these included.
pub fn text_between(
    first: char,
    last: char,
    len: impl Into<SizeRange>,
) -> impl Strategy<Value = String> + Clone {
    vec(range(first, last), len).prop_map(String::from_iter)
}

/// Texts of that many of the parts, in any order.
pub fn text_of(
    parts: &'static [&'static str],
    len: impl Into<SizeRange>,
) -> impl Strategy<Value = String> + Clone {
    vec(select(parts), len).prop_map(|parts| parts.concat())
}
