//! The text of a configuration, and the offsets of the parts that come from different resources.

use crate::lower::alertmanager::times;
use promgen_text::route::ValueRoute;
use promgen_text::yaml::emit::{self, Dialect};
use promgen_text::yaml::{Map, Value};

/// The byte offset of a part in the text, and its place in the configuration.
pub(super) type PartOffset = (usize, ValueRoute);

/// The text, as the operator writes it, and its pieces in the order of the text: the routes below the root's, and the items
/// of the lists at the top.
pub(super) fn text(root: &Map) -> (String, Vec<PartOffset>) {
    let (mut out, mut pieces) = (String::new(), Vec::new());
    for (key, value) in root.iter() {
        let section = plain_keys(section(key, value));
        let list = ValueRoute::root().key(key.to_string());
        let (list, heads) = match &**key {
            "route" => (list.key("routes"), routes(&section)),
            _ => (list, items(&section, "- ")),
        };
        let start = out.len();
        let piece = |(index, head): (usize, usize)| (start + head, list.clone().index(index));
        pieces.extend(heads.into_iter().enumerate().map(piece));
        out.push_str(&section);
    }
    (out, pieces)
}

fn section(key: &str, value: &Value) -> String {
    let mut out = String::new();
    match (key, value) {
        ("mute_time_intervals" | "time_intervals", Value::Seq(items)) => {
            times::write(&mut out, key, items)
        }
        (key, value) => emit::write_entry(&mut out, key, value, Dialect::YamlV2, 0),
    }
    out
}

/// Marks a key that is no text: it is written without quotes.
const NO_TEXT: char = '\0';

/// A key as the map of a value has it, marked if YAML reads it as something else than text. `source` is its spelling.
pub(super) fn key(key: &str, source: &str) -> String {
    let is_quoted = source.starts_with(['"', '\'']);
    let text = emit::to_string(&Value::from(key.to_owned()), Dialect::YamlV2);
    if is_quoted || !text.starts_with('"') {
        key.to_owned()
    } else {
        format!("{NO_TEXT}{key}")
    }
}

/// The text with the marked keys as they are.
fn plain_keys(text: String) -> String {
    const MARK: &str = "\"\\0";
    if !text.contains(MARK) {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some((before, marked)) = rest.split_once(MARK) {
        out.push_str(before);
        match marked.split_once("\":") {
            Some((key, after))
                if key
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || "+-.~_".contains(c)) =>
            {
                out.push_str(key);
                out.push(':');
                rest = after;
            }
            _ => {
                // Not a mark: a text that happens to have the same characters.
                out.push_str(MARK);
                rest = marked;
            }
        }
    }
    out.push_str(rest);
    out
}

/// The offsets of the items of a list whose dashes are at that column. Nothing else in the list starts so: the content
/// of items is indented further.
fn items(text: &str, dash: &str) -> Vec<usize> {
    let mut at = 0;
    let mut heads = Vec::new();
    for line in text.split_inclusive('\n') {
        if line.starts_with(dash) {
            heads.push(at);
        }
        at += line.len();
    }
    heads
}

/// The start of the routes below the root route.
fn routes(text: &str) -> Vec<usize> {
    let mut at = 0;
    let mut is_inside = false;
    let mut heads = Vec::new();
    for line in text.split_inclusive('\n') {
        if line.starts_with("  ") && !line.starts_with("   ") {
            if line.starts_with("  - ") {
                if is_inside {
                    heads.push(at);
                }
            } else {
                is_inside = line.trim_end() == "  routes:";
            }
        }
        at += line.len();
    }
    heads
}

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_text::yaml::read::read_slices;

    #[test]
    fn pieces_are_found_in_the_text() {
        let source = "route: {receiver: a, group_by: [x, y], routes: [{receiver: b, routes: [{receiver: c}]}, {receiver: d}]}\n\
                      receivers: [{name: \"a\\n- b\\n\"}, {name: b}]\n";
        let root = read_slices(source).unwrap().unwrap().to_value();
        let (text, pieces) = text(root.as_map().unwrap());
        let found: Vec<(String, &str)> = pieces
            .iter()
            .map(|(at, route)| (route.to_string(), text[*at..].lines().next().unwrap()))
            .collect();
        let expected = [
            ("route.routes[0]", "  - receiver: b"),
            ("route.routes[1]", "  - receiver: d"),
            ("receivers[0]", "- name: |"),
            ("receivers[1]", "- name: b"),
        ];
        assert_eq!(
            found,
            expected.map(|(route, line)| (route.to_owned(), line))
        );
    }

    #[test]
    fn keys_that_are_no_text_have_no_quotes() {
        let cases = [
            ("a", "a", "a"),
            ("1", "1", "\u{0}1"),
            ("1", "\"1\"", "1"),
            ("true", "yes", "\0true"),
            ("true", "'true'", "true"),
        ];
        for (text, source, expected) in cases {
            assert_eq!(key(text, source), expected, "{source}");
        }
        let written = |text: &str| {
            emit::to_string(&Map::new().with(key(text, text), 5).into(), Dialect::YamlV2)
        };
        assert_eq!(plain_keys(written("a")), "a: 5\n");
        assert_eq!(
            plain_keys(format!("{}{}", written("1.5"), written("true"))),
            "1.5: 5\ntrue: 5\n"
        );
        // Texts that look like marks.
        for text in ["a: \"\\0\"\n", "\"\\0a b\": c\n"] {
            assert_eq!(plain_keys(text.to_owned()), text);
        }
    }
}
