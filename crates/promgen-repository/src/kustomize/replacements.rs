//! `replacements`: values copied from one field into others.

mod path;

use std::borrow::Cow;

use promgen_resources::secrecy::SecretTexts;
use promgen_text::source::Span;
use promgen_text::yaml::{Data, Node};

use super::fault::BuildFault;
use crate::id::{Id, or_default, split_api_version};

use super::budget::Budget;
use super::object::BuiltObject;
use super::patch::{TargetLabelSelector, label_selector};
use super::value::{MAX_DEPTH, ValueKind, entries, expected, kind, plain, size, text, text_as};
use path::FieldPath;
use promgen_text::yaml::edit::text as string;

/// The default path of the source and of the targets.
const DEFAULT_PATH: &str = "metadata.name";

/// Applies one entry of `replacements`.
///
/// # Errors
/// The entry is malformed, its source is absent or ambiguous, or a target lacks the field.
pub fn apply(objects: &mut [BuiltObject], replacement: &Node) -> Result<(), BuildFault> {
    apply_within(
        objects,
        replacement,
        (&mut SecretTexts::default(), &Budget::default()),
    )
}

/// Applies one entry of `replacements` within the budget of a build, whose secret texts stay known.
pub(super) fn apply_within(
    objects: &mut [BuiltObject],
    replacement: &Node,
    (secrets, budget): (&mut SecretTexts, &Budget),
) -> Result<(), BuildFault> {
    let fields = ClosedFields::of(replacement, &["source", "sourceValue", "targets"])?;
    let (Some(targets), Some(_)) = (
        fields.get("targets"),
        fields.get("source").or(fields.get("sourceValue")),
    ) else {
        return Err(BuildFault::new(
            replacement.span,
            "a replacement needs `source` or `sourceValue`, and `targets`",
        ));
    };
    let value = match (fields.get("source"), fields.get("sourceValue")) {
        (Some(_), Some(value)) => {
            return Err(BuildFault::new(
                value.span,
                "`source` and `sourceValue` exclude each other",
            ));
        }
        (Some(source), None) => CopiedValue {
            node: source_value(objects, source)?,
            is_plain: false,
        },
        (None, _) => {
            let text = fields.text("sourceValue")?.unwrap_or_default().to_owned();
            CopiedValue {
                node: string(
                    text,
                    fields
                        .get("sourceValue")
                        .map_or(replacement.span, |v| v.span),
                ),
                is_plain: true,
            }
        }
    };
    let Data::Seq(targets) = &targets.data else {
        return Err(expected("a list of targets", targets));
    };
    secrets.note_copied(&value.node);
    budget.visit(objects.len() * (1 + targets.len()), replacement.span)?;
    let (_, depth) = size(&value.node);
    let room = Room { depth, budget };
    for target in targets {
        ReplacementTarget::read(target)?.apply(objects, &value, &room)?;
    }
    Ok(())
}

/// The value that is copied.
struct CopiedValue {
    node: Node,
    /// The value is a text without a type, which is what it would be without quotes.
    is_plain: bool,
}

/// The depth of the value, and the budget for its copies.
struct Room<'b> {
    /// The number of collections that nest in the value.
    depth: usize,
    budget: &'b Budget,
}

impl Room<'_> {
    fn check(&self, path: &FieldPath<'_>) -> Result<(), BuildFault> {
        if self.depth + path.len() >= MAX_DEPTH {
            return Err(BuildFault::new(
                path.span,
                format!("the replacement nests more than {MAX_DEPTH} collections"),
            ));
        }
        Ok(())
    }
}

/// The fields of a map that has no others.
struct ClosedFields<'n>(&'n Node);

impl<'n> ClosedFields<'n> {
    fn of(node: &'n Node, known: &[&str]) -> Result<Self, BuildFault> {
        match entries(node)?
            .iter()
            .find(|entry| !known.contains(&&*entry.key))
        {
            Some(entry) => Err(BuildFault::new(
                entry.key_span,
                format!("unknown field `{}`", entry.key),
            )),
            None => Ok(Self(node)),
        }
    }

    fn get(&self, key: &str) -> Option<&'n Node> {
        self.0.get(key).filter(|value| !value.is_null())
    }

    fn text(&self, key: &str) -> Result<Option<&'n str>, BuildFault> {
        self.get(key)
            .map(|value| text_as("a text", value))
            .transpose()
    }
}

/// Group, version, kind, name and namespace that are looked for; empty ones stand for any.
#[derive(Default)]
struct WantedObject(Id);

impl WantedObject {
    fn read(fields: &ClosedFields<'_>) -> Result<Self, BuildFault> {
        let text = |key| {
            fields
                .text(key)
                .map(|text| text.unwrap_or_default().to_owned())
        };
        Ok(Self(Id {
            group: text("group")?,
            version: text("version")?,
            kind: text("kind")?,
            name: text("name")?,
            namespace: text("namespace")?,
        }))
    }

    /// Returns whether an object has or had such an identity.
    fn is_any_of(&self, object: &BuiltObject) -> bool {
        let current = object.id();
        let api = current.api_version();
        let (group, version) = split_api_version(&api);
        let is_it = |wanted: &str, text: &str| wanted.is_empty() || wanted == text;
        let matches = |id: &Id| {
            is_it(&self.0.group, group)
                && is_it(&self.0.version, version)
                && is_it(&self.0.kind, &id.kind)
                && is_it(&self.0.name, &id.name)
                && (self.0.namespace.is_empty()
                    || or_default(&self.0.namespace) == or_default(&id.namespace))
        };
        object.ids.iter().chain([&current]).any(matches)
    }
}

/// The value that the source names.
fn source_value(objects: &[BuiltObject], source: &Node) -> Result<Node, BuildFault> {
    let known = [
        "group",
        "version",
        "kind",
        "name",
        "namespace",
        "fieldPath",
        "options",
    ];
    let fields = ClosedFields::of(source, &known)?;
    let wanted = WantedObject::read(&fields)?;
    let mut found = objects.iter().filter(|object| wanted.is_any_of(object));
    let object = match (found.next(), found.next()) {
        (Some(object), None) => object,
        (Some(_), Some(_)) => {
            return Err(BuildFault::new(
                source.span,
                "the source of the replacement is several objects",
            ));
        }
        (None, _) => {
            return Err(BuildFault::lacking(
                source.span,
                "the source of the replacement is no object",
            ));
        }
    };
    let field = fields
        .text("fieldPath")?
        .filter(|text| !text.is_empty())
        .unwrap_or(DEFAULT_PATH);
    let span = fields
        .get("fieldPath")
        .map_or(source.span, |value| value.span);
    let value = FieldPath::parse(field, span).lookup(&object.node)?;
    let is_empty =
        |value: &&Node| kind(value) != ValueKind::Scalar && value.children().next().is_none();
    let Some(value) = value.filter(|value| !is_empty(value)) else {
        return Err(BuildFault::new(
            span,
            format!(
                "the source of the replacement, {}, has no `{field}`",
                object.id()
            ),
        ));
    };
    ReplacementOptions::read(fields.get("options"))?.part(value)
}

/// The options of a source or a target.
#[derive(Default)]
struct ReplacementOptions<'n> {
    delimiter: Option<&'n str>,
    index: i64,
    create: bool,
    span: Span,
}

impl<'n> ReplacementOptions<'n> {
    fn read(node: Option<&'n Node>) -> Result<Self, BuildFault> {
        let Some(node) = node else {
            return Ok(Self::default());
        };
        let fields = ClosedFields::of(node, &["delimiter", "index", "encoding", "create"])?;
        fields.text("encoding")?;
        let index = match fields.get("index").map(|value| (&value.data, value)) {
            None => 0,
            Some((Data::Int(index), _)) => *index,
            Some((_, value)) => return Err(BuildFault::new(value.span, "expected a whole number")),
        };
        let create = match fields.get("create").map(|value| (&value.data, value)) {
            None => false,
            Some((Data::Bool(create), _)) => *create,
            Some((_, value)) => return Err(BuildFault::new(value.span, "expected true or false")),
        };
        let delimiter = fields.text("delimiter")?.filter(|text| !text.is_empty());
        Ok(Self {
            delimiter,
            index,
            create,
            span: node.span,
        })
    }

    /// The part of a source that the options ask for.
    fn part(&self, value: &Node) -> Result<Node, BuildFault> {
        let Some(delimiter) = self.delimiter else {
            return Ok(value.clone());
        };
        if kind(value) != ValueKind::Scalar {
            return Err(BuildFault::new(self.span, "`delimiter` needs a scalar"));
        }
        let whole = text(value);
        let part = usize::try_from(self.index)
            .ok()
            .and_then(|index| split(&whole, delimiter).nth(index));
        let part = part.ok_or_else(|| {
            BuildFault::new(self.span, "`index` is beyond the parts of the source")
        })?;
        let part = Cow::Owned(part.to_owned());
        Ok(match &value.data {
            Data::String(_) => string(part, value.span),
            _ => as_plain(&part, value.span),
        })
    }

    /// A target's text with another text in it, at the place that the options name.
    fn joined(&self, delimiter: &str, target: &str, value: &str) -> String {
        let Ok(index) = usize::try_from(self.index) else {
            return [value, delimiter, target].concat();
        };
        let mut start = 0;
        for (at, part) in split(target, delimiter).enumerate() {
            let end = start + part.len();
            if at == index {
                return [&target[..start], value, &target[end..]].concat();
            }
            start = end + delimiter.len();
        }
        [target, delimiter, value].concat()
    }
}

fn split<'t>(text: &'t str, delimiter: &'t str) -> impl Iterator<Item = &'t str> {
    text.split(delimiter)
}

/// The node of a text without quotes.
fn as_plain(text: &str, span: Span) -> Node {
    plain(text).map_or_else(|| string(text.to_owned(), span), |data| Node { span, data })
}

/// Objects and the fields in them that a value is written to.
struct ReplacementTarget<'n> {
    select: ObjectSelect,
    reject: Vec<ObjectSelect>,
    paths: Vec<FieldPath<'n>>,
    options: ReplacementOptions<'n>,
}

/// One `select` or `reject`.
struct ObjectSelect {
    wanted: WantedObject,
    labels: Option<TargetLabelSelector>,
    annotations: Option<TargetLabelSelector>,
}

impl ObjectSelect {
    fn read(node: &Node) -> Result<Self, BuildFault> {
        let known = [
            "group",
            "version",
            "kind",
            "name",
            "namespace",
            "labelSelector",
            "annotationSelector",
        ];
        let fields = ClosedFields::of(node, &known)?;
        let selector = |key| {
            let value = fields.get(key).filter(|value| value.as_str() != Some(""));
            value.map(label_selector).transpose()
        };
        Ok(Self {
            wanted: WantedObject::read(&fields)?,
            labels: selector("labelSelector")?,
            annotations: selector("annotationSelector")?,
        })
    }

    fn has_labels(&self, object: &BuiltObject) -> bool {
        let holds = |selector: &Option<TargetLabelSelector>, key| {
            selector
                .as_ref()
                .is_none_or(|selector| selector.matches(object.node.find(&["metadata", key])))
        };
        holds(&self.labels, "labels") && holds(&self.annotations, "annotations")
    }

    /// Returns whether an object is rejected: by its identity or by its labels, either suffices.
    fn rejects(&self, object: &BuiltObject) -> bool {
        let by_labels = self.labels.is_some() || self.annotations.is_some();
        let by_id = self.wanted.0 != Id::default();
        (by_labels && self.has_labels(object)) || (by_id && self.wanted.is_any_of(object))
    }
}

impl<'n> ReplacementTarget<'n> {
    fn read(node: &'n Node) -> Result<Self, BuildFault> {
        let fields = ClosedFields::of(node, &["select", "reject", "fieldPaths", "options"])?;
        let Some(select) = fields.get("select") else {
            return Err(BuildFault::new(node.span, "a target needs `select`"));
        };
        let reject = fields.get("reject").map_or(&[][..], Node::items);
        let paths = fields.get("fieldPaths").map_or(&[][..], Node::items);
        let path = |node: &'n Node| {
            let text = text_as("a path", node)?;
            Ok(FieldPath::parse(text, node.span))
        };
        let mut paths = paths
            .iter()
            .map(path)
            .collect::<Result<Vec<_>, BuildFault>>()?;
        if paths.is_empty() {
            paths.push(FieldPath::parse(DEFAULT_PATH, node.span));
        }
        Ok(Self {
            select: ObjectSelect::read(select)?,
            reject: reject
                .iter()
                .map(ObjectSelect::read)
                .collect::<Result<_, _>>()?,
            paths,
            options: ReplacementOptions::read(fields.get("options"))?,
        })
    }

    fn apply(
        &self,
        objects: &mut [BuiltObject],
        value: &CopiedValue,
        room: &Room<'_>,
    ) -> Result<(), BuildFault> {
        for object in objects {
            let is_selected =
                self.select.has_labels(object) && self.select.wanted.is_any_of(object);
            if !is_selected || self.reject.iter().any(|reject| reject.rejects(object)) {
                continue;
            }
            for path in &self.paths {
                let create = self.options.create.then_some(kind(&value.node));
                path.visit(&mut object.node, create, &mut |target| {
                    room.check(path)?;
                    self.write(target, value, path.span, room.budget)
                })?;
            }
        }
        Ok(())
    }

    /// Writes the value to a field. A scalar keeps its type: only its text changes.
    fn write(
        &self,
        target: &mut path::PathTarget<'_>,
        value: &CopiedValue,
        at: Span,
        budget: &Budget,
    ) -> Result<(), BuildFault> {
        let span = value.node.span;
        budget.write_node(&value.node, at)?;
        let written = match (self.options.delimiter, kind(target.node)) {
            (Some(_), ValueKind::List | ValueKind::Map) => {
                return Err(BuildFault::new(at, "`delimiter` needs a scalar"));
            }
            (Some(delimiter), _) => {
                let old = if target.is_new {
                    Cow::Borrowed("")
                } else {
                    text(target.node)
                };
                budget.write(old.len(), at)?;
                self.options.joined(delimiter, &old, &text(&value.node))
            }
            (None, _) => text(&value.node).into_owned(),
        };
        if matches!(kind(target.node), ValueKind::List | ValueKind::Map) {
            *target.node = if value.is_plain {
                as_plain(&written, span)
            } else {
                value.node.clone()
            };
            return Ok(());
        }
        let new = if matches!(target.node.data, Data::String(_)) {
            string(written, span)
        } else {
            as_plain(&written, span)
        };
        if !target.is_new && !is_of_type(target.node, &new) {
            return Err(BuildFault::new(
                at,
                format!(
                    "the value does not fit the field, which is {}",
                    type_name(target.node)
                ),
            ));
        }
        *target.node = new;
        Ok(())
    }
}

/// Returns whether a field can hold a value without a change of its type.
const fn is_of_type(old: &Node, new: &Node) -> bool {
    matches!(
        (&old.data, &new.data),
        (Data::Null, Data::Null)
            | (Data::Bool(_), Data::Bool(_))
            | (Data::String(_), Data::String(_))
            | (Data::Int(_) | Data::Uint(_), Data::Int(_) | Data::Uint(_))
            | (
                Data::Float(_),
                Data::Float(_) | Data::Int(_) | Data::Uint(_)
            )
    )
}

const fn type_name(node: &Node) -> &'static str {
    match &node.data {
        Data::Null => "null",
        Data::Bool(_) => "a boolean",
        Data::Int(_) | Data::Uint(_) => "a whole number",
        Data::Float(_) => "a number",
        Data::String(_) => "a text",
        Data::Seq(_) => "a list",
        Data::Map(_) => "a map",
    }
}

#[cfg(test)]
mod tests;
