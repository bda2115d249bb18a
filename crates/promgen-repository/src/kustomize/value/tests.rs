//! The common parts of the unit tests of patches.

use promgen_testing::texts::any_text;
use promgen_text::diag::Sink;
use promgen_text::source::FileId;
use promgen_text::yaml::read::read;
use promgen_text::yaml::{Data, Entry, Node};
use proptest::prelude::*;

/// The file of the object in tests, and the file of the patch.
pub(in crate::kustomize) const OBJECT: FileId = FileId::new(0);
pub(in crate::kustomize) const PATCH: FileId = FileId::new(1);

pub(in crate::kustomize) fn parse(file: FileId, text: &str) -> Node {
    read(file, text, &mut Sink::default())
        .remove(0)
        .root
        .into_value()
}

/// The value at the end of keys and indices.
pub(in crate::kustomize) fn at<'n>(node: &'n Node, path: &str) -> &'n Node {
    path.split('.')
        .fold(node, |node, step| match step.parse::<usize>() {
            Ok(index) => &node.items()[index],
            Err(_) => node.get(step).unwrap_or_else(|| panic!("no {step}")),
        })
}

/// The file and the text that a value comes from, where it is a scalar of one of the two texts.
pub(in crate::kustomize) fn origin<'t>(node: &Node, texts: [&'t str; 2]) -> (FileId, &'t str) {
    let file = node.span.file;
    (
        file,
        &texts[usize::from(file != OBJECT)][node.span.start as usize..node.span.end as usize],
    )
}

/// As `{a: 1}`, without places.
pub(in crate::kustomize) fn shown(node: &Node) -> String {
    serde_json::to_string(&json(node)).unwrap().replace('"', "")
}

fn json(node: &Node) -> serde_json::Value {
    match &node.data {
        Data::Null => serde_json::Value::Null,
        Data::Bool(value) => (*value).into(),
        Data::Int(value) => (*value).into(),
        Data::Uint(value) => (*value).into(),
        Data::Float(value) => (*value).into(),
        Data::String(value) => format!("'{value}'").into(),
        Data::Seq(items) => items.iter().map(json).collect(),
        Data::Map(entries) => entries
            .iter()
            .map(|entry| (entry.key.to_string(), json(&entry.value)))
            .collect(),
    }
}

/// Any node that looks somewhat like an object or a patch of it.
pub(in crate::kustomize) fn any_node() -> impl Strategy<Value = Node> {
    let words = [
        "",
        "a",
        "name",
        "spec",
        "v1",
        "Pod",
        "kind",
        "apiVersion",
        "metadata",
        "containers",
        "ports",
        "env",
        "image",
        "containerPort",
        "protocol",
        "$patch",
        "replace",
        "delete",
        "merge",
        "op",
        "path",
        "add",
        "/spec/a",
        "value",
        "0",
        "-",
        "-1",
        "finalizers",
        "labels",
        "annotations",
        "source",
        "targets",
        "select",
        "fieldPaths",
        "options",
        "*",
        "[name=a]",
        "spec.a.*",
        "[(",
        "(",
        "create",
        "delimiter",
        "index",
        "sourceValue",
        "newTag",
        "volumes",
    ];
    let word = proptest::sample::select(words.to_vec());
    let node = |data| Node {
        span: promgen_text::source::Span::default(),
        data,
    };
    let scalar = prop_oneof![
        Just(Data::Null),
        any::<bool>().prop_map(Data::Bool),
        any::<i64>().prop_map(Data::Int),
        any::<f64>()
            .prop_filter("finite", |value| value.is_finite())
            .prop_map(Data::Float),
        word.clone().prop_map(|text| Data::String(text.into())),
        any_text().prop_map(|text| Data::String(text.into())),
    ];
    scalar
        .prop_map(node)
        .prop_recursive(6, 60, 6, move |inner| {
            let entries = proptest::collection::btree_map(word.clone(), inner.clone(), 0..6);
            let map = entries.prop_map(move |entries| {
                let entry = |(key, value): (&'static str, _)| Entry {
                    key: key.into(),
                    key_span: Default::default(),
                    value,
                };
                node(Data::Map(entries.into_iter().map(entry).collect()))
            });
            prop_oneof![
                map,
                proptest::collection::vec(inner, 0..6)
                    .prop_map(move |items| node(Data::Seq(items.into())))
            ]
        })
}
