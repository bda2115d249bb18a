//! Values of charts as Helm treats them: what counts as set, how values are merged, and how one is written in a text.

use std::borrow::Cow;
use std::collections::BTreeMap;

use memchr::memchr3;
use promgen_text::go::json::to_json;
use promgen_text::shared::SharedItems;
use promgen_text::source::Span;
use promgen_text::yaml::emit::{Dialect, to_string};
use promgen_text::yaml::{Data, Entry, Node, NodeText, edit};
use sha2::{Digest as _, Sha256};

use super::set_flag::{MAX_PATH, SetStep, SetValue};
use promgen_text::CollectOrdered;

/// What is in the way of a path of values.
const NO_MAP: &str = "a value above it is no map";
const NO_LIST: &str = "a value above it is no list";
const NO_KEY: &str = "a key is empty";

/// A map of some entries, all at one place.
pub(super) fn map(span: Span, entries: Vec<(&str, Node)>) -> Node {
    let entry = |(key, value): (&str, Node)| Entry {
        key: key.into(),
        key_span: value.span,
        value,
    };
    edit::map_of(entries.into_iter().map(entry).collect(), span)
}

pub(super) use promgen_text::yaml::edit::{list_of as list, map as empty, text};

/// Returns whether a value counts as set in a condition of a template: neither absent, nor null, false, zero or empty.
pub(super) fn is_set(node: Option<&Node>) -> bool {
    node.is_some_and(Node::is_set)
}

/// A scalar as a template prints it; `None` for collections, and for null.
pub(super) fn printed(node: &Node) -> Option<String> {
    node.data.scalar_text().map(Cow::into_owned)
}

/// A value as YAML, as `toYaml` writes it: without a final line break.
pub(super) fn yaml(node: &Node) -> String {
    let mut text = to_string(&node.to_value(), Dialect::Sigs);
    if text.ends_with('\n') {
        text.pop();
    }
    text
}

/// Sets the value of a key, or adds the key.
pub(super) fn set(node: &mut Node, key: &str, key_span: Span, value: Node) {
    if !node.is_map() {
        node.data = Data::Map(SharedItems::default());
    }
    let Data::Map(entries) = &mut node.data else {
        return;
    };
    edit::put(entries, key.into(), key_span, value);
}

/// Puts values over others: maps are merged, anything else is replaced.
pub(super) fn merge(under: &mut Node, over: &Node) {
    put_over(under, over, false);
}

/// Puts the values of a user over the defaults of a chart: a null takes away the default of its key. One without a default stays.
pub(super) fn coalesce(defaults: &mut Node, over: &Node) {
    put_over(defaults, over, true);
}

fn put_over(under: &mut Node, over: &Node, takes_away: bool) {
    let (Data::Map(entries), Data::Map(others)) = (&mut under.data, &over.data) else {
        *under = over.clone();
        return;
    };
    let known: BTreeMap<NodeText, usize> = entries
        .iter()
        .enumerate()
        .map(|(at, entry)| (entry.key.clone(), at))
        .collect_map();
    for other in others {
        match known.get(&other.key).and_then(|at| entries.get_mut(*at)) {
            Some(entry) => {
                entry.key_span = other.key_span;
                put_over(&mut entry.value, &other.value, takes_away);
            }
            None => entries.push(other.clone()),
        }
    }
    if takes_away {
        entries.retain(|entry| !entry.value.is_null() || !known.contains_key(&entry.key));
    }
    // What is merged stands where the user says something.
    under.span = over.span;
}

/// Takes away keys whose value is null: so a user removes a default.
pub(super) fn drop_nulls(node: &mut Node) {
    let Data::Map(entries) = &mut node.data else {
        return;
    };
    entries.retain(|entry| !entry.value.is_null());
    entries
        .iter_mut()
        .for_each(|entry| drop_nulls(&mut entry.value));
}

/// The parts of a path such as `a.b[0].c\.d`, an index with its `[`.
pub(super) fn path(text: &str) -> Option<Vec<String>> {
    let (mut parts, mut part, mut rest) = (Vec::new(), String::new(), text);
    while let Some(at) = memchr3(b'\\', b'.', b'[', rest.as_bytes()) {
        let (plain, below) = rest.split_at(at);
        part.push_str(plain);
        let mut chars = below.chars();
        let mark = chars.next();
        if mark == Some('\\') {
            part.extend(chars.next());
        } else if !part.is_empty() {
            parts.push(std::mem::take(&mut part));
        }
        rest = chars.as_str();
        if mark == Some('[') {
            let (index, below) = rest.split_once(']').unwrap_or((rest, ""));
            parts.push(format!("[{index}"));
            rest = below;
        }
    }
    part.push_str(rest);
    if !part.is_empty() {
        parts.push(part);
    }
    (!parts.is_empty() && parts.len() <= MAX_PATH).then_some(parts)
}

/// Sets the value at a path as `--set` does: an index that a list lacks makes it longer, an item gives way to what is below it, and a key
/// does not. The error says what is in the way.
pub(super) fn assign(node: &mut Node, set: &SetValue) -> Result<(), &'static str> {
    let mut below = node;
    for (at, step) in set.path.iter().enumerate() {
        match step {
            // What is below no key is dropped in silence, unless a map of the path would be left without anything.
            SetStep::Key(key) if key.is_empty() => {
                let is_in_map = at > 0 && matches!(set.path[at - 1], SetStep::Key(_));
                return match is_in_map && below.is_empty_map() {
                    true => Err(NO_KEY),
                    false => Ok(()),
                };
            }
            SetStep::Index(index) if set.is_lost && *index >= below.items().len() => return Ok(()),
            _ => {}
        }
        below = step_into(below, step, set.path.get(at + 1), set.value.span)?;
    }
    *below = set.value.clone();
    Ok(())
}

/// What a step of a path leads to: a map or a list, as the next step asks for.
fn step_into<'n>(
    node: &'n mut Node,
    step: &SetStep,
    next: Option<&SetStep>,
    span: Span,
) -> Result<&'n mut Node, &'static str> {
    let made = || match next {
        Some(SetStep::Key(_)) => empty(span),
        Some(SetStep::Index(_)) => list(Vec::new(), span),
        None => edit::null(span),
    };
    let child = match (step, &mut node.data) {
        (SetStep::Key(key), Data::Map(entries)) => {
            let at = entries.iter().position(|entry| entry.key == *key);
            let at = at.unwrap_or_else(|| {
                entries.push(Entry {
                    key: key.as_str().into(),
                    key_span: span,
                    value: made(),
                });
                entries.len() - 1
            });
            if next.is_none() {
                entries[at].key_span = span;
            }
            &mut entries[at].value
        }
        (SetStep::Index(index), Data::Seq(items)) => {
            while items.len() <= *index {
                items.push(edit::null(span));
            }
            let item = &mut items[*index];
            let is_in_the_way = match next {
                Some(SetStep::Key(_)) => !item.is_map(),
                Some(SetStep::Index(_)) => item.is_null(),
                None => false,
            };
            if is_in_the_way {
                *item = made();
            }
            item
        }
        (SetStep::Key(_), _) => return Err(NO_MAP),
        (SetStep::Index(_), _) => return Err(NO_LIST),
    };
    match (next, &child.data) {
        (Some(SetStep::Key(_)), data) if !matches!(data, Data::Map(_)) => Err(NO_MAP),
        (Some(SetStep::Index(_)), data) if !matches!(data, Data::Seq(_)) => Err(NO_LIST),
        _ => Ok(child),
    }
}

/// A value in JSON as Go writes it, which sorts the keys of a map.
pub(crate) fn go_json(node: &Node) -> String {
    let all = |parts: Vec<String>| parts.join(",");
    match &node.data {
        Data::String(text) => to_json(text),
        Data::Seq(items) => format!("[{}]", all(items.iter().map(go_json).collect())),
        Data::Map(_) => {
            let entry =
                |entry: &Entry| format!("{}:{}", to_json(&entry.key), go_json(&entry.value));
            let entries = edit::sorted_entries(node).into_iter();
            format!("{{{}}}", all(entries.map(entry).collect()))
        }
        scalar => scalar.scalar_text().unwrap_or("null".into()).into_owned(),
    }
}

/// The SHA-256 of a text, in hexadecimal digits.
pub(crate) fn sha256(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Gives every part of a value one place.
pub(super) fn place(node: &mut Node, span: Span) {
    edit::replace_spans(node, &|_| span);
}
