//! `replacements`: values copied from one field into others.

mod path;

use std::borrow::Cow;

use promgen_resources::secrecy::SecretTexts;
use promgen_text::source::Span;
use promgen_text::yaml::{Data, Node};

use super::fault::{BuildFault, BuildResult, refuse};
use crate::id::{Id, or_default, split_api_version};

use super::budget::Budget;
use super::object::BuiltObject;
use super::patch::{TargetLabelSelector, label_selector};
use super::read::fields;
use super::read::schema::REPLACEMENT;
use super::value::{MAX_DEPTH, ValueKind, kind, plain, size, text, text_as};
use path::FieldPath;
use promgen_text::yaml::edit::text as string;

/// The default path of the source and of the targets.
const DEFAULT_PATH: &str = "metadata.name";

/// Applies one entry of `replacements`.
///
/// # Errors
/// The entry is malformed, its source is absent or ambiguous, or a target lacks the field.
pub fn apply(objects: &mut [BuiltObject], replacement: &Node) -> BuildResult {
    apply_within(
        objects,
        &fields::checked(replacement, &REPLACEMENT)?,
        &mut SecretTexts::default(),
        &Budget::default(),
    )
}

/// Applies one entry of `replacements`, whose shape is known, within the budget of a build, whose secret texts stay known.
pub(super) fn apply_within(
    objects: &mut [BuiltObject],
    replacement: &Node,
    secrets: &mut SecretTexts,
    budget: &Budget,
) -> BuildResult {
    let needs = || {
        refuse(
            replacement.span,
            "a replacement needs `source` or `sourceValue`, and `targets`",
        )
    };
    let Some(targets) = replacement.get("targets").map(Node::items) else {
        return needs();
    };
    let value = match (replacement.get("source"), replacement.get("sourceValue")) {
        (None, None) => return needs(),
        (Some(_), Some(value)) => {
            return refuse(value.span, "`source` and `sourceValue` exclude each other");
        }
        (Some(source), None) => CopiedValue {
            node: source_value(objects, source)?,
            is_plain: false,
        },
        (None, Some(value)) => CopiedValue {
            node: value.clone(),
            is_plain: true,
        },
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
    fn check(&self, path: &FieldPath<'_>) -> BuildResult {
        if self.depth + path.len() >= MAX_DEPTH {
            return refuse(
                path.span,
                format!("the replacement nests more than {MAX_DEPTH} collections"),
            );
        }
        Ok(())
    }
}

/// Group, version, kind, name and namespace that are looked for; empty ones stand for any.
#[derive(Default)]
struct WantedObject(Id);

impl WantedObject {
    fn read(node: &Node) -> Self {
        let text = |key| node.text_of(key).unwrap_or_default().to_owned();
        Self(Id {
            group: text("group"),
            version: text("version"),
            kind: text("kind"),
            name: text("name"),
            namespace: text("namespace"),
        })
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
fn source_value(objects: &[BuiltObject], source: &Node) -> BuildResult<Node> {
    let wanted = WantedObject::read(source);
    let mut found = objects.iter().filter(|object| wanted.is_any_of(object));
    let object = match (found.next(), found.next()) {
        (Some(object), None) => object,
        (Some(_), Some(_)) => {
            return refuse(
                source.span,
                "the source of the replacement is several objects",
            );
        }
        (None, _) => {
            return Err(BuildFault::lacking(
                source.span,
                "the source of the replacement is no object",
            ));
        }
    };
    let field = source
        .text_of("fieldPath")
        .filter(|text| !text.is_empty())
        .unwrap_or(DEFAULT_PATH);
    let span = source
        .get("fieldPath")
        .map_or(source.span, |value| value.span);
    let value = FieldPath::parse(field, span).lookup(&object.node)?;
    let is_empty =
        |value: &&Node| kind(value) != ValueKind::Scalar && value.children().next().is_none();
    let Some(value) = value.filter(|value| !is_empty(value)) else {
        return refuse(
            span,
            format!(
                "the source of the replacement, {}, has no `{field}`",
                object.id()
            ),
        );
    };
    ReplacementOptions::read(source).part(value)
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
    /// Those of a source or a target.
    fn read(of: &'n Node) -> Self {
        let Some(node) = of.get("options") else {
            return Self::default();
        };
        let delimiter = node.text_of("delimiter").filter(|text| !text.is_empty());
        Self {
            delimiter,
            index: match node.get("index").map(|index| &index.data) {
                Some(Data::Int(index)) => *index,
                _ => 0,
            },
            create: node.is_true("create"),
            span: node.span,
        }
    }

    /// The part of a source that the options ask for.
    fn part(&self, value: &Node) -> BuildResult<Node> {
        let Some(delimiter) = self.delimiter else {
            return Ok(value.clone());
        };
        if kind(value) != ValueKind::Scalar {
            return refuse(self.span, "`delimiter` needs a scalar");
        }
        let whole = text(value);
        let part = usize::try_from(self.index)
            .ok()
            .and_then(|index| whole.split(delimiter).nth(index));
        let part = part.ok_or_else(|| {
            BuildFault::new(self.span, "`index` is beyond the parts of the source")
        })?;
        Ok(match &value.data {
            Data::String(_) => string(part.to_owned(), value.span),
            _ => as_plain(part, value.span),
        })
    }

    /// A target's text with another text in it, at the place that the options name.
    fn joined(&self, delimiter: &str, target: &str, value: &str) -> String {
        let Ok(index) = usize::try_from(self.index) else {
            return [value, delimiter, target].concat();
        };
        let mut start = 0;
        for (at, part) in target.split(delimiter).enumerate() {
            let end = start + part.len();
            if at == index {
                return [&target[..start], value, &target[end..]].concat();
            }
            start = end + delimiter.len();
        }
        [target, delimiter, value].concat()
    }
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
    fn read(node: &Node) -> BuildResult<Self> {
        let selector = |key| {
            let value = node.get(key).filter(|value| value.as_str() != Some(""));
            value.map(label_selector).transpose()
        };
        Ok(Self {
            wanted: WantedObject::read(node),
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
    fn read(node: &'n Node) -> BuildResult<Self> {
        let Some(select) = node.get("select") else {
            return refuse(node.span, "a target needs `select`");
        };
        let path = |node: &'n Node| {
            let text = text_as("a path", node)?;
            Ok(FieldPath::parse(text, node.span))
        };
        let paths = node.items_of("fieldPaths").iter();
        let mut paths = paths.map(path).collect::<BuildResult<Vec<_>>>()?;
        if paths.is_empty() {
            paths.push(FieldPath::parse(DEFAULT_PATH, node.span));
        }
        Ok(Self {
            select: ObjectSelect::read(select)?,
            reject: node
                .items_of("reject")
                .iter()
                .map(ObjectSelect::read)
                .collect::<Result<_, _>>()?,
            paths,
            options: ReplacementOptions::read(node),
        })
    }

    fn apply(
        &self,
        objects: &mut [BuiltObject],
        value: &CopiedValue,
        room: &Room<'_>,
    ) -> BuildResult {
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
    ) -> BuildResult {
        let span = value.node.span;
        budget.write_node(&value.node, at)?;
        let written = match (self.options.delimiter, kind(target.node)) {
            (Some(_), ValueKind::List | ValueKind::Map) => {
                return refuse(at, "`delimiter` needs a scalar");
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
            return refuse(
                at,
                format!(
                    "the value does not fit the field, which is {}",
                    type_name(target.node)
                ),
            );
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
