//! Objects as text, each scalar with the place that it comes from, if that is wanted.

use std::borrow::Cow;

use promgen_resources::secrecy::{self, REDACTED, SecrecyRole};
use promgen_text::diag::escape;
use promgen_text::source::{Sources, Span};
use promgen_text::yaml::emit::{
    self, Dialect, sort_natural, to_json, to_string, write_entry, write_item,
};
use promgen_text::yaml::{Data, Entry, Map, Node, NodeText, Value};

use crate::kustomize::object::BuiltObject;

/// An object without values of Secrets: neither its own, nor copies of those of others. Also returns how many were replaced.
#[must_use]
pub fn redacted(object: &BuiltObject) -> (Node, usize) {
    let mut node = object.node.clone();
    let mut n = 0;
    let mut todo = vec![(&mut node, SecrecyRole::DOCUMENT)];
    while let Some((node, role)) = todo.pop() {
        let roles = secrecy::roles(node, role);
        let is_hidden = secrecy::is_value(role) || object.copies.contains(&node.span);
        if is_hidden && is_scalar(node) {
            node.data = Data::String(NodeText::from(REDACTED));
            n += 1;
            continue;
        }
        match &mut node.data {
            Data::Map(entries) => {
                for (entry, role) in entries.iter_mut().zip(roles) {
                    if role == SecrecyRole::Value && is_lost(entry) {
                        entry.key = NodeText::from(REDACTED);
                        n += 1;
                    }
                    todo.push((&mut entry.value, role));
                }
            }
            Data::Seq(items) => todo.extend(items.iter_mut().zip(roles)),
            _ => {}
        }
    }
    (node, n)
}

/// Returns whether a node is a scalar that says something.
fn is_scalar(node: &Node) -> bool {
    match &node.data {
        Data::Seq(_) | Data::Map(_) | Data::Null => false,
        Data::String(text) => !text.is_empty(),
        _ => true,
    }
}

/// Returns whether a value has lost its key, and stands there as a key without a value.
fn is_lost(entry: &Entry) -> bool {
    let Entry { key, value, .. } = entry;
    let is_empty = value.is_null() || value.as_str() == Some("");
    is_empty && value.span.start == value.span.end && !matches!(&**key, "data" | "stringData")
}

/// An object as YAML, as Kustomize prints it: keys sorted, blocks for texts of several lines.
#[must_use]
pub fn yaml(object: &Node) -> String {
    to_string(&object.to_value(), Dialect::Manifest)
}

/// An object as JSON.
#[must_use]
pub fn json(object: &Node) -> String {
    escape::json_manifest(&to_json(&object.to_value())).into_owned()
}

/// An object as YAML, with the file and line of each scalar in a comment.
#[must_use]
pub fn annotated(object: &Node, sources: &Sources) -> String {
    let mut out = String::new();
    Annotated { sources }.value(&mut out, object, 0);
    out
}

struct Annotated<'p> {
    sources: &'p Sources,
}

impl Annotated<'_> {
    /// A map or list on lines of its own.
    fn value(&self, out: &mut String, node: &Node, indent: usize) {
        match &node.data {
            Data::Map(_) => {
                for (key, value) in sorted(node) {
                    self.entry(out, key, value, indent);
                }
            }
            Data::Seq(items) => items.iter().for_each(|item| self.item(out, item, indent)),
            _ => {
                let start = out.len();
                leaf(out, node, |out, value| {
                    emit::write(out, value, Dialect::Manifest, indent)
                });
                self.comment(out, start, node.span);
            }
        }
    }

    fn entry(&self, out: &mut String, key: &str, value: &Node, indent: usize) {
        let start = out.len();
        // The place of a key that must be written in another form.
        let written = if escape::is_harmless(key) { key } else { "x" };
        let of_key = start + indent..start + indent + 1;
        if is_leaf(value) {
            leaf(out, value, |out, value| {
                write_entry(out, written, value, Dialect::Manifest, indent)
            });
        } else {
            // The line of the key, as it is before a value of any kind.
            write_entry(out, written, &Value::Null, Dialect::Manifest, indent);
            without_null(out);
            out.push('\n');
        }
        if written != key {
            out.replace_range(of_key, &escape::yaml(key));
        }
        if is_leaf(value) {
            return self.comment(out, start, value.span);
        }
        let step = if value.is_map() { 2 } else { 0 };
        self.value(out, value, indent + step);
    }

    fn item(&self, out: &mut String, item: &Node, indent: usize) {
        let start = out.len();
        if is_leaf(item) {
            leaf(out, item, |out, value| {
                write_item(out, value, Dialect::Manifest, indent)
            });
            return self.comment(out, start, item.span);
        }
        self.value(out, item, indent + 2);
        let dash = start + indent;
        if out.is_char_boundary(dash) && out[dash..].starts_with("  ") {
            out.replace_range(dash..=dash, "-");
        }
    }

    /// Adds the place to what was written from `start` on: at the head of a block, which takes comments nowhere else, or at
    /// the end.
    fn comment(&self, out: &mut String, start: usize, span: Span) {
        let file = self.sources.file(span.file);
        // The user chooses the name: a line break in it must not end the comment.
        let comment = format!(
            "  # {}:{}",
            escape::line(&file.name),
            self.sources.start(span).line
        );
        let first = out[start..].find('\n').map_or(out.len(), |end| start + end);
        let is_block = first + 1 < out.len() && is_block_head(&out[start..first]);
        let at = if is_block {
            first
        } else {
            out.trim_end_matches('\n').len().max(start)
        };
        out.insert_str(at, &comment);
    }
}

/// Writes a scalar as Kustomize does; one that would steer a terminal or a runner in double quotes, which read the same.
fn leaf(out: &mut String, node: &Node, write: impl Fn(&mut String, &Value)) {
    match node.as_str().filter(|text| !escape::is_harmless(text)) {
        None => write(out, &node.to_value()),
        Some(text) => {
            write(out, &Value::Null);
            without_null(out);
            out.push_str(&format!(" {}\n", escape::yaml(text)));
        }
    }
}

/// Removes the value that stood for another one.
fn without_null(out: &mut String) {
    let end = "null\n";
    if out.ends_with(end) {
        out.truncate(out.len() - end.len());
        out.truncate(out.trim_end_matches(' ').len());
    }
}

/// Returns whether a line ends in the head of a literal block.
fn is_block_head(line: &str) -> bool {
    let head = line.trim_end_matches(|c: char| c.is_ascii_digit() || c == '-' || c == '+');
    head.ends_with(" |") || head == "|"
}

fn is_leaf(node: &Node) -> bool {
    node.children().next().is_none()
}

/// The entries of a map in the order in which they are printed.
fn sorted(node: &Node) -> Vec<(&str, &Node)> {
    let entries = node.entries();
    let places = (0_i64..).zip(entries);
    let mut map: Map = places
        .map(|(at, entry)| (Cow::Owned(entry.key.to_string()), Value::Int(at)))
        .collect();
    sort_natural(&mut map);
    let place = |value: &Value| match value {
        Value::Int(at) => usize::try_from(*at).ok(),
        _ => None,
    };
    let found = map
        .iter()
        .filter_map(|(_, value)| entries.get(place(value)?));
    found
        .map(|entry| (entry.key.as_ref(), &entry.value))
        .collect()
}

#[cfg(test)]
mod tests {
    use promgen_text::diag::Sink;
    use promgen_text::yaml::read::read;

    use super::*;

    fn first(sources: &Sources, text: &str) -> (Node, String) {
        let (id, file) = sources.files().next().unwrap();
        assert_eq!(&*file.text, text);
        let node = read(id, &file.text, &mut Sink::default())
            .remove(0)
            .root
            .into_value();
        let text = annotated(&node, sources);
        (node, text)
    }

    #[test]
    fn every_scalar_has_its_place_and_the_text_is_the_same_yaml() {
        let text = "b: |\n  one\n  two\na:\n- x: 1\n  z: []\n- - 2\n  - z: a|\n- {}\n\"k: k\":\n  c: \"# no\"\n";
        let mut sources = Sources::default();
        sources.add("a.yaml".into(), text.into());
        let (node, printed) = first(&sources, text);
        assert_eq!(
            printed,
            "a:\n- x: 1  # a.yaml:5\n  z: []  # a.yaml:6\n- - 2  # a.yaml:7\n  - z: a|  # a.yaml:8\n- {}  # a.yaml:9\n\
             b: |  # a.yaml:1\n  one\n  two\n'k: k':\n  c: '# no'  # a.yaml:11\n"
        );
        let mut sources = Sources::default();
        sources.add("b.yaml".into(), printed.clone());
        let (again, _) = first(&sources, &printed);
        assert_eq!(yaml(&again), yaml(&node));
    }

    #[test]
    fn nothing_of_a_name_or_a_value_steers_or_ends_a_comment() {
        let text = "a: \"x\\u2028y\"\n\"k\\u202e\":\n- \"::a\\n::error::b\"\n- \"c\\U000e0041\"\n\"\\u0085\": 1\nb: |\n  ##[x\n";
        let mut sources = Sources::default();
        sources.add("a\n::b\u{85}\u{2028}c.yaml".into(), text.into());
        let (node, printed) = first(&sources, text);
        let steers = |line: &str| {
            line.trim_start().starts_with("::")
                || line.contains(escape::steers)
                || escape::has_mark(line)
        };
        assert!(
            !printed.split('\n').any(steers) && printed.contains("\"::a\\n::error::b\"  # a "),
            "{printed}"
        );
        let mut sources = Sources::default();
        sources.add("b.yaml".into(), printed.clone());
        let (again, _) = first(&sources, &printed);
        assert_eq!(yaml(&again), yaml(&node), "{printed}");
    }

    #[test]
    fn values_of_secrets_are_replaced() {
        let text =
            "kind: Secret\nmetadata: {name: a}\ndata: {a: aGk=, b: }\nstringData: {c: [hi]}\n";
        let node = read(
            promgen_text::source::FileId::new(0),
            text,
            &mut Sink::default(),
        )
        .remove(0)
        .root
        .into_value();
        let (node, n) = redacted(&BuiltObject::new(node));
        // A key without a value may be a value without a key.
        assert_eq!(n, 3);
        assert!(
            !yaml(&node).contains("aGk") && !yaml(&node).contains("hi"),
            "{}",
            yaml(&node)
        );
    }
}
