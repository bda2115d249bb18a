//! Go's Unicode classes by name, and the engine's names for them.
//!
//! Go 1.26 has the tables of Unicode 15.0, the engine those of 16.0. Each class is therefore intersected with the
//! characters that 15.0 had assigned. Facts about the names, from Go's package `unicode` (its maps `Categories`,
//! `Scripts`, `CategoryAliases`): case, spaces, `_` and `-` do not count, and a script whose name there has a `_` or a
//! second capital cannot be named at all.

use crate::CollectOrdered;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The class of the characters that Unicode 15.0 had assigned, in the engine's syntax.
pub(crate) const AGE: &str = r"\p{Age=15.0}";

/// A set of characters that Unicode defines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Property {
    /// Every code point.
    Any,
    /// The first 128 code points.
    Ascii,
    /// The complement of `Cn`.
    Assigned,
    /// A general category, by its short name.
    Category(&'static str),
    /// A script, by its lower-case name.
    Script(&'static str),
}

impl Property {
    /// The property with that name, if Go has it.
    pub(super) fn named(name: &str) -> Option<Self> {
        let canonical: String = name
            .chars()
            .filter(|c| !matches!(c, '_' | '-' | ' '))
            .map(|c| c.to_ascii_lowercase())
            .collect();
        match canonical.as_str() {
            "any" => Some(Self::Any),
            "ascii" => Some(Self::Ascii),
            "assigned" => Some(Self::Assigned),
            name => NAMES.get(name).copied(),
        }
    }

    /// The property as an item of a class in the engine's syntax.
    pub(super) fn engine_class(self) -> String {
        match self {
            Self::Any => r"\x{0}-\x{10FFFF}".to_owned(),
            Self::Ascii => r"\x{0}-\x{7F}".to_owned(),
            Self::Assigned => format!(r"[\P{{Cn}}&&{AGE}]"),
            Self::Category("Cn") => format!(r"\p{{Cn}}[^{AGE}]"),
            Self::Category("C") => format!(r"\p{{C}}[^{AGE}]"),
            // Surrogates: no text contains one.
            Self::Category("Cs") => r"[^\x{0}-\x{10FFFF}]".to_owned(),
            // The one character in use whose category is another in 16.0.
            Self::Category("Mn") => format!(r"[\p{{Mn}}&&{AGE}]\x{{1171E}}"),
            Self::Category("Mc") => format!(r"[\p{{Mc}}&&{AGE}&&[^\x{{1171E}}]]"),
            Self::Category(name) => format!(r"[\p{{{name}}}&&{AGE}]"),
            Self::Script(name) => format!(r"[\p{{sc={name}}}&&{AGE}]"),
        }
    }
}

/// Categories and scripts by their names without case and separators.
static NAMES: LazyLock<BTreeMap<&str, Property>> = LazyLock::new(|| {
    let lines = include_str!("unicode.txt").lines();
    let words = lines
        .filter(|line| !line.starts_with('#'))
        .flat_map(str::split_whitespace);
    let named = words.map(|word| match word.split_once('=') {
        Some((name, short)) => (name, Property::Category(short)),
        None => (word, Property::Script(word)),
    });
    named.collect_map()
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_go_1_26_reads_them() {
        assert_eq!(Property::named("Greek"), Some(Property::Script("greek")));
        assert_eq!(Property::named("GREEK"), Some(Property::Script("greek")));
        assert_eq!(Property::named("l_u"), Some(Property::Category("Lu")));
        assert_eq!(
            Property::named("Uppercase Letter"),
            Some(Property::Category("Lu"))
        );
        assert_eq!(Property::named("cntrl"), Some(Property::Category("Cc")));
        for unknown in [
            "",
            "Old_Italic",
            "OldItalic",
            "SignWriting",
            "Alphabetic",
            "Script=Greek",
            "Garay",
        ] {
            assert_eq!(Property::named(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn the_engine_knows_every_name() {
        assert_eq!(NAMES.len(), 197);
        let named = NAMES.values().copied();
        for property in named.chain([Property::Any, Property::Ascii, Property::Assigned]) {
            let class = format!("[{}]", property.engine_class());
            assert!(regex::Regex::new(&class).is_ok(), "{class}");
        }
    }
}
