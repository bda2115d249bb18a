//! Templates of OpenShift: what `oc process` makes of their objects.
//!
//! In: a Template. Out: its objects, with the values of the parameters that it has itself. Who processes it gives the others,
//! whose references stay as they are.

use std::collections::BTreeMap;

use super::OBJECTS;
use promgen_text::source::Span;
use promgen_text::yaml::read::scalar::{self, Scalar, Tag};
use promgen_text::yaml::{Data, Entry, Node, edit};
use std::borrow::Cow;

/// The parameters that have a value, by name.
type ParameterValues = BTreeMap<String, String>;

/// The objects of a Template, with its labels.
pub(super) fn processed(template: &Node) -> Vec<Node> {
    let values = values(template);
    let mut objects = template.get(OBJECTS).map_or(&[][..], Node::items).to_vec();
    if let Some(labels) = template
        .entry("labels")
        .filter(|labels| !labels.value.entries().is_empty())
    {
        objects
            .iter_mut()
            .for_each(|object| add_labels(object, labels));
    }
    if !values.is_empty() {
        objects.iter_mut().for_each(|object| fill(object, &values));
    }
    objects
}

/// Adds the labels of a Template to an object.
fn add_labels(object: &mut Node, labels: &Entry) {
    let Data::Map(parts) = &mut object.data else {
        return;
    };
    let Some(Entry {
        value: Node {
            data: Data::Map(metadata),
            ..
        },
        ..
    }) = parts.iter_mut().find(|part| part.key == "metadata")
    else {
        return;
    };
    let Some(own) = metadata.iter_mut().find(|field| field.key == labels.key) else {
        return metadata.push(labels.clone());
    };
    let Data::Map(own) = &mut own.value.data else {
        return;
    };
    own.retain(|label| labels.value.get(&label.key).is_none());
    labels
        .value
        .entries()
        .iter()
        .for_each(|label| own.push(label.clone()));
}

/// A parameter without a value has to be given, or is generated. An empty one is a value, if it need not be given.
fn values(template: &Node) -> ParameterValues {
    let of = |parameter: &Node| {
        let is_empty_allowed = ["required", "generate"].iter().all(|key| {
            parameter
                .get(key)
                .is_none_or(|node| matches!(node.data, Data::Null | Data::Bool(false)))
        });
        let value = text(parameter.get("value")?)?;
        let name = parameter.get("name")?.as_str()?;
        (is_empty_allowed || !value.is_empty()).then(|| (name.to_owned(), value))
    };
    template
        .get("parameters")
        .map_or(&[][..], Node::items)
        .iter()
        .filter_map(of)
        .collect()
}

fn text(node: &Node) -> Option<String> {
    match &node.data {
        Data::String(text) => Some(text.to_string()),
        Data::Bool(value) => Some(value.to_string()),
        Data::Int(value) => Some(value.to_string()),
        _ => None,
    }
}

fn fill(node: &mut Node, values: &ParameterValues) {
    match &mut node.data {
        Data::String(text) => {
            if let Some(filled) = filled(text, node.span, values) {
                node.data = filled;
            }
        }
        _ => node.children_mut().for_each(|child| fill(child, values)),
    }
}

/// A text with the parameters that have a value. `${{NAME}}` is the value itself, such as a number or a list; `${NAME}` a text.
fn filled(text: &str, span: Span, values: &ParameterValues) -> Option<Data> {
    if !text.contains("${") {
        return None;
    }
    let whole = text
        .strip_prefix("${{")
        .and_then(|rest| rest.strip_suffix("}}"));
    if let Some(value) = whole.and_then(|name| values.get(name)) {
        return Some(plain(value, span));
    }
    let (mut filled, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once("${") {
        filled += before;
        let known = after
            .split_once('}')
            .and_then(|(name, tail)| Some((values.get(name)?, tail)));
        rest = match known {
            Some((value, tail)) => {
                filled += value;
                tail
            }
            None => {
                filled += "${";
                after
            }
        };
    }
    filled += rest;
    (filled != text).then(|| Data::String(filled.into()))
}

/// A value without quotes: what it is as JSON, or else a text.
fn plain(value: &str, span: Span) -> Data {
    if let Ok(value) = serde_json::from_str::<serde_json::Value>(value)
        && (value.is_array() || value.is_object())
    {
        return edit::json(&value, span).data;
    }
    match scalar::resolve(Cow::Borrowed(value), Tag::Plain) {
        Ok(Scalar::Bool(value)) => Data::Bool(value),
        Ok(Scalar::Int(value)) => Data::Int(value),
        Ok(Scalar::Uint(value)) => Data::Uint(value),
        _ => Data::String(value.into()),
    }
}
