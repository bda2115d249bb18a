//! Go's Unicode classes by name, and the engine's names for them.
//!
//! Go 1.26 has the tables of Unicode 15.0, the engine those of 16.0. Each class is therefore intersected with the
//! characters that 15.0 had assigned. Facts about the names, from Go's package `unicode` (its maps `Categories`,
//! `Scripts`, `CategoryAliases`): case, spaces, `_` and `-` do not count, and a script whose name there has a `_` or a
//! second capital cannot be named at all.

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
            "any" => return Some(Self::Any),
            "ascii" => return Some(Self::Ascii),
            "assigned" => return Some(Self::Assigned),
            _ => {}
        }
        if let Ok(at) = CATEGORIES.binary_search_by_key(&canonical.as_str(), |(key, _)| key) {
            return Some(Self::Category(CATEGORIES[at].1));
        }
        SCRIPTS
            .binary_search(&canonical.as_str())
            .ok()
            .map(|at| Self::Script(SCRIPTS[at]))
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

/// Category names without case and separators, with the short name.
#[rustfmt::skip]
static CATEGORIES: &[(&str, &str)] = &[
    ("c", "C"), ("casedletter", "Lc"), ("cc", "Cc"), ("cf", "Cf"), ("closepunctuation", "Pe"), ("cn", "Cn"),
    ("cntrl", "Cc"), ("co", "Co"), ("combiningmark", "M"), ("connectorpunctuation", "Pc"), ("control", "Cc"),
    ("cs", "Cs"), ("currencysymbol", "Sc"), ("dashpunctuation", "Pd"), ("decimalnumber", "Nd"), ("digit", "Nd"),
    ("enclosingmark", "Me"), ("finalpunctuation", "Pf"), ("format", "Cf"), ("initialpunctuation", "Pi"), ("l", "L"),
    ("lc", "Lc"), ("letter", "L"), ("letternumber", "Nl"), ("lineseparator", "Zl"), ("ll", "Ll"), ("lm", "Lm"),
    ("lo", "Lo"), ("lowercaseletter", "Ll"), ("lt", "Lt"), ("lu", "Lu"), ("m", "M"), ("mark", "M"),
    ("mathsymbol", "Sm"), ("mc", "Mc"), ("me", "Me"), ("mn", "Mn"), ("modifierletter", "Lm"),
    ("modifiersymbol", "Sk"), ("n", "N"), ("nd", "Nd"), ("nl", "Nl"), ("no", "No"), ("nonspacingmark", "Mn"),
    ("number", "N"), ("openpunctuation", "Ps"), ("other", "C"), ("otherletter", "Lo"), ("othernumber", "No"),
    ("otherpunctuation", "Po"), ("othersymbol", "So"), ("p", "P"), ("paragraphseparator", "Zp"), ("pc", "Pc"),
    ("pd", "Pd"), ("pe", "Pe"), ("pf", "Pf"), ("pi", "Pi"), ("po", "Po"), ("privateuse", "Co"), ("ps", "Ps"),
    ("punct", "P"), ("punctuation", "P"), ("s", "S"), ("sc", "Sc"), ("separator", "Z"), ("sk", "Sk"), ("sm", "Sm"),
    ("so", "So"), ("spaceseparator", "Zs"), ("spacingmark", "Mc"), ("surrogate", "Cs"), ("symbol", "S"),
    ("titlecaseletter", "Lt"), ("unassigned", "Cn"), ("uppercaseletter", "Lu"), ("z", "Z"), ("zl", "Zl"),
    ("zp", "Zp"), ("zs", "Zs"),
];

/// Scripts, lower case.
#[rustfmt::skip]
static SCRIPTS: &[&str] = &[
    "adlam", "ahom", "arabic", "armenian", "avestan", "balinese", "bamum", "batak", "bengali", "bhaiksuki",
    "bopomofo", "brahmi", "braille", "buginese", "buhid", "carian", "chakma", "cham", "cherokee", "chorasmian",
    "common", "coptic", "cuneiform", "cypriot", "cyrillic", "deseret", "devanagari", "dogra", "duployan", "elbasan",
    "elymaic", "ethiopic", "georgian", "glagolitic", "gothic", "grantha", "greek", "gujarati", "gurmukhi", "han",
    "hangul", "hanunoo", "hatran", "hebrew", "hiragana", "inherited", "javanese", "kaithi", "kannada", "katakana",
    "kawi", "kharoshthi", "khmer", "khojki", "khudawadi", "lao", "latin", "lepcha", "limbu", "lisu", "lycian",
    "lydian", "mahajani", "makasar", "malayalam", "mandaic", "manichaean", "marchen", "medefaidrin", "miao", "modi",
    "mongolian", "mro", "multani", "myanmar", "nabataean", "nandinagari", "newa", "nko", "nushu", "ogham", "oriya",
    "osage", "osmanya", "palmyrene", "phoenician", "rejang", "runic", "samaritan", "saurashtra", "sharada",
    "shavian", "siddham", "sinhala", "sogdian", "soyombo", "sundanese", "syriac", "tagalog", "tagbanwa", "takri",
    "tamil", "tangsa", "tangut", "telugu", "thaana", "thai", "tibetan", "tifinagh", "tirhuta", "toto", "ugaritic",
    "vai", "vithkuqi", "wancho", "yezidi", "yi",
];

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
    fn tables_are_sorted_and_the_engine_knows_every_name() {
        assert!(CATEGORIES.is_sorted() && SCRIPTS.is_sorted());
        let categories = CATEGORIES.iter().map(|(_, name)| Property::Category(name));
        let scripts = SCRIPTS.iter().map(|name| Property::Script(name));
        for property in
            categories
                .chain(scripts)
                .chain([Property::Any, Property::Ascii, Property::Assigned])
        {
            let class = format!("[{}]", property.engine_class());
            assert!(regex::Regex::new(&class).is_ok(), "{class}");
        }
    }
}
