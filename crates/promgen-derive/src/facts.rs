//! What the table of facts says of the operator's types: `facts/operator.txt` of the crate that is compiled. Its page, docs/facts.md, says
//! what the rows mean.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::OnceLock;

/// The keywords of a field, each with its value as JSON.
pub(crate) type Keywords = BTreeMap<String, String>;

/// A type of the operator's.
#[derive(Default)]
struct FactType {
    fields: Vec<(String, Keywords)>,
    /// The types whose fields it has, too.
    inlined: Vec<String>,
}

/// A field of a type, or of one whose fields that has: its name and its keywords. The one of that very name, or else one that is
/// written otherwise.
pub(crate) fn field(of: &str, name: &str) -> Option<&'static (String, Keywords)> {
    let found = find(of, &|other| other == name);
    found.or_else(|| find(of, &|other| letters(other).eq(letters(name))))
}

fn letters(name: &str) -> impl Iterator<Item = char> {
    let letters = name.chars().filter(|c| *c != '_');
    letters.map(|c| c.to_ascii_lowercase())
}

fn find(of: &str, is_it: &dyn Fn(&str) -> bool) -> Option<&'static (String, Keywords)> {
    static TABLE: OnceLock<BTreeMap<String, FactType>> = OnceLock::new();
    let of = TABLE.get_or_init(table).get(of)?;
    let mut inlined = of.inlined.iter();
    let own = of.fields.iter().find(|(name, _)| is_it(name));
    own.or_else(|| inlined.find_map(|other| find(other, is_it)))
}

#[expect(
    clippy::disallowed_methods,
    reason = "the compiler reads it, not the program"
)]
fn table() -> BTreeMap<String, FactType> {
    let folder = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default();
    let text = std::fs::read_to_string(Path::new(&folder).join("facts/operator.txt"));
    let text = text.expect("a crate with types of the operator's has their table");
    let types = text.split("\ntype ").skip(1);
    types
        .filter_map(|part| part.split_once('\n'))
        .map(|(name, rows)| (name.to_owned(), fact_type(rows)))
        .collect()
}

fn fact_type(rows: &str) -> FactType {
    let mut of = FactType::default();
    for row in rows.lines().filter_map(|line| line.strip_prefix("  ")) {
        let mut words = row.splitn(3, ' ');
        match (words.next(), words.next(), words.next()) {
            (Some("+"), Some(other), _) => of.inlined.push(other.to_owned()),
            (Some(name), _, rest) => {
                let name = name.trim_end_matches('!').to_owned();
                of.fields.push((name, pairs(rest.unwrap_or_default())));
            }
            (None, ..) => {}
        }
    }
    of
}

/// Reads `KEYWORD=JSON …`, up to the comment.
fn pairs(text: &str) -> Keywords {
    let (mut pairs, mut rest) = (Keywords::new(), text);
    while let Some((key, value)) = rest.split_once('=').filter(|_| !rest.starts_with("# ")) {
        let (value, behind) = value.split_at(json_end(value));
        pairs.insert(key.to_owned(), value.to_owned());
        rest = behind.trim_start();
    }
    pairs
}

/// Where a value in JSON ends: at the first blank that is neither in a text nor in brackets.
fn json_end(text: &str) -> usize {
    let (mut depth, mut is_text, mut is_escaped) = (0, false, false);
    let end = text.bytes().position(|byte| {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => is_text = !is_text,
            b'[' | b'{' if !is_text => depth += 1,
            b']' | b'}' if !is_text => depth -= 1,
            b' ' => return !is_text && depth == 0,
            _ => {}
        }
        false
    });
    end.unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_keywords_may_have_blanks() {
        let of = fact_type(
            "  a! string pattern=\"^[ \\\"=]$\" minLength=1 # A=1 \"x\n  + v1.B\n  b []v1.B rules=[{\"a\": \"] b\"}] list-type=\"set\"",
        );
        assert_eq!(of.inlined, ["v1.B"]);
        let [(_, a), (_, b)] = &of.fields[..] else {
            panic!("two fields")
        };
        assert_eq!((&*a["pattern"], &*a["minLength"]), ("\"^[ \\\"=]$\"", "1"));
        assert_eq!(b["rules"], "[{\"a\": \"] b\"}]");
        assert_eq!((&*b["list-type"], a.len()), ("\"set\"", 2));
    }
}
