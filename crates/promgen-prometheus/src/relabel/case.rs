//! Upper and lower case as Go maps them: one character to one, whatever stands around it.

/// Go: `strings.ToLower`.
#[must_use]
pub(super) fn to_lower(text: &str) -> String {
    text.chars().map(lower).collect()
}

/// Go: `strings.ToUpper`.
#[must_use]
pub(super) fn to_upper(text: &str) -> String {
    text.chars().map(upper).collect()
}

fn lower(c: char) -> char {
    let mut mapped = c.to_lowercase();
    match (mapped.next(), mapped.next()) {
        (Some(only), None) => known(c, only),
        // The only one that becomes two: a dot above is added to the letter that Go gives alone.
        _ if c == 'İ' => 'i',
        _ => c,
    }
}

fn upper(c: char) -> char {
    let mut mapped = c.to_uppercase();
    match (mapped.next(), mapped.next()) {
        (Some(only), None) => known(c, only),
        _ => with_iota(c).unwrap_or(c),
    }
}

/// Greek letters with an iota below: a letter of its own stands for those with an iota beside, which are two characters.
fn with_iota(c: char) -> Option<char> {
    let offset = match c {
        'ᾀ'..='ᾇ' | 'ᾐ'..='ᾗ' | 'ᾠ'..='ᾧ' => 8,
        'ᾳ' | 'ῃ' | 'ῳ' => 9,
        _ => return None,
    };
    char::from_u32(u32::from(c) + offset)
}

/// The mapped character, unless the pair is newer than Unicode 15.0, which Go knows.
fn known(c: char, mapped: char) -> char {
    let newer = |c: char| {
        matches!(c,
            '\u{1c89}'..='\u{1c8a}' | '\u{a7cb}'..='\u{a7cf}' | '\u{a7d2}' | '\u{a7d4}' | '\u{a7da}'..='\u{a7dd}'
            | '\u{10d50}'..='\u{10d85}' | '\u{16ea0}'..='\u{16ed3}')
    };
    if newer(c) || newer(mapped) { c } else { mapped }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_character_becomes_one() {
        assert_eq!(to_lower("ÀÉİΣ ΑΣ ǅ"), "àéiσ ας ǆ".replace('ς', "σ"));
        assert_eq!(to_upper("straße ﬁ ŉ ᾳ ᾀ ǆ"), "STRAßE ﬁ ŉ ᾼ ᾈ Ǆ");
    }
}
