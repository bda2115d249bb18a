//! Schemas in a form that is quick to walk: references resolved, keywords parsed.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use regex::bytes::{Regex, RegexBuilder};
use serde_json::Value;

use crate::api::Kind;
use crate::api::rules::{self, Validation};

/// The number of a shape in [`Shapes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ShapeId(u32);

/// What a value has to look like.
#[derive(Debug)]
pub(super) enum Shape {
    /// A map with known keys.
    Object(Object),
    /// A map of any keys to values of one shape.
    Map(ShapeId),
    /// A list.
    List(List),
    /// A text.
    Text(Text),
    /// A whole number.
    Integer(Integer),
    /// True or false.
    Boolean,
    /// A whole number or a text.
    IntOrString(Option<Pattern>),
    /// Anything.
    Any,
}

/// A map with known keys.
#[derive(Debug, Default)]
pub(super) struct Object {
    /// By name.
    pub(super) fields: BTreeMap<String, Field>,
    /// Whether other keys are fine too.
    pub(super) open: bool,
    /// Rules over several fields.
    pub(super) validations: Vec<&'static Validation>,
    /// Another shape that a field can select.
    pub(super) dialect: Option<Dialect>,
}

/// A known key.
#[derive(Debug)]
pub(super) struct Field {
    /// Of its value.
    pub(super) shape: ShapeId,
    /// Whether it must be there.
    pub(super) required: bool,
    /// What holds if it is not.
    pub(super) default: Option<Value>,
}

/// A shape that holds instead where a field has one of some values.
#[derive(Debug)]
pub(super) struct Dialect {
    /// The field that tells.
    pub(super) field: String,
    /// The values that select it.
    pub(super) values: Vec<String>,
    /// What holds then.
    pub(super) shape: ShapeId,
    /// The advice for an object of that shape without the field.
    pub(super) missing: String,
}

/// A list.
#[derive(Debug)]
pub(super) struct List {
    /// Of every item.
    pub(super) items: ShapeId,
    /// How many there have to be.
    pub(super) min_items: Option<u64>,
    /// What makes an item the same as another.
    pub(super) identity: Identity,
}

/// What makes two items of a list the same.
#[derive(Debug)]
pub(super) enum Identity {
    /// Nothing: duplicates are fine.
    None,
    /// Their value.
    Value,
    /// Some of their fields.
    Keys(Vec<String>),
}

/// A text.
#[derive(Debug, Default)]
pub(super) struct Text {
    /// All that is allowed. Empty: anything.
    pub(super) values: Vec<String>,
    /// What it has to match.
    pub(super) pattern: Option<Pattern>,
    /// How many characters it needs.
    pub(super) min_length: Option<u64>,
    /// Whether it is a moment in RFC 3339.
    pub(super) is_time: bool,
}

/// A whole number.
#[derive(Debug, Default)]
pub(super) struct Integer {
    /// Whether it has to fit 32 bits.
    pub(super) is_32_bit: bool,
    /// The least.
    pub(super) minimum: Option<i64>,
    /// The greatest.
    pub(super) maximum: Option<i64>,
}

/// A regular expression, compiled when first needed.
#[derive(Debug)]
pub(super) struct Pattern {
    /// As the schema has it.
    pub(super) text: String,
    compiled: OnceLock<Regex>,
}

impl Pattern {
    fn new(text: &str) -> Self {
        Self { text: text.to_owned(), compiled: OnceLock::new() }
    }

    /// Whether it matches. Classes such as `\w` are ASCII, as in Go.
    pub(super) fn matches(&self, text: &str) -> bool {
        let compile = || RegexBuilder::new(&self.text).unicode(false).build().expect("patterns of the types compile");
        self.compiled.get_or_init(compile).is_match(text.as_bytes())
    }
}

/// All shapes.
#[derive(Debug)]
pub(super) struct Shapes {
    shapes: Vec<Shape>,
    roots: Vec<(Kind, ShapeId)>,
}

impl Shapes {
    /// Resolves schemas, one per kind, against shared definitions.
    pub(super) fn new(roots: &[(Kind, Value)], definitions: &Value) -> Self {
        let mut builder = Builder { definitions, shapes: Vec::new(), named: BTreeMap::new() };
        let roots = roots.iter().map(|(kind, schema)| (*kind, builder.add(schema))).collect();
        Self { shapes: builder.shapes, roots }
    }

    /// The shape of a kind.
    pub(super) fn root(&self, kind: Kind) -> ShapeId {
        let root = self.roots.iter().find(|(k, _)| *k == kind);
        root.expect("every kind has a schema").1
    }

    /// The shape of that number.
    pub(super) fn get(&self, id: ShapeId) -> &Shape {
        &self.shapes[id.0 as usize]
    }
}

struct Builder<'d> {
    definitions: &'d Value,
    shapes: Vec<Shape>,
    named: BTreeMap<&'d str, ShapeId>,
}

impl<'d> Builder<'d> {
    fn add<'s: 'd>(&mut self, schema: &'s Value) -> ShapeId {
        if let Some(name) = schema["$ref"].as_str().and_then(|r| r.strip_prefix("#/$defs/")) {
            return self.named(name);
        }
        let id = self.reserve();
        let shape = self.shape(schema);
        self.shapes[id.0 as usize] = shape;
        id
    }

    fn named(&mut self, name: &'d str) -> ShapeId {
        if let Some(id) = self.named.get(name) {
            return *id;
        }
        // Known before it is built, so that a type may contain itself.
        let id = self.reserve();
        self.named.insert(name, id);
        let definitions = self.definitions;
        let shape = self.shape(&definitions[name]);
        self.shapes[id.0 as usize] = shape;
        id
    }

    fn reserve(&mut self) -> ShapeId {
        self.shapes.push(Shape::Any);
        ShapeId(u32::try_from(self.shapes.len() - 1).expect("fewer than 2^32 shapes"))
    }

    fn shape(&mut self, schema: &'d Value) -> Shape {
        if schema["x-kubernetes-int-or-string"] == true {
            return Shape::IntOrString(pattern(schema));
        }
        match schema["type"].as_str() {
            Some("object") if schema["properties"].is_object() || schema["additionalProperties"].is_null() => {
                Shape::Object(self.object(schema))
            }
            Some("object") => Shape::Map(self.add(&schema["additionalProperties"])),
            Some("array") => Shape::List(self.list(schema)),
            Some("string") => Shape::Text(text(schema)),
            Some("integer") => Shape::Integer(integer(schema)),
            Some("boolean") => Shape::Boolean,
            _ => Shape::Any,
        }
    }

    fn object(&mut self, schema: &'d Value) -> Object {
        let required = texts(&schema["required"]);
        let mut object = Object { open: schema["x-kubernetes-preserve-unknown-fields"] == true, ..Object::default() };
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            let field = Field {
                shape: self.add(property),
                required: required.contains(name),
                default: property.get("default").cloned(),
            };
            object.fields.insert(name.clone(), field);
        }
        let validations = schema["x-kubernetes-validations"].as_array().map(Vec::as_slice).unwrap_or_default();
        object.validations = validations.iter().filter_map(|v| rules::find(v["rule"].as_str()?)).collect();
        object.dialect = schema.get("x-promgen-dialect").map(|dialect| Dialect {
            field: dialect["field"].as_str().unwrap_or_default().to_owned(),
            values: texts(&dialect["values"]),
            shape: self.add(&dialect["schema"]),
            missing: dialect["missing"].as_str().unwrap_or_default().to_owned(),
        });
        object
    }

    fn list(&mut self, schema: &'d Value) -> List {
        let identity = match schema["x-kubernetes-list-type"].as_str() {
            Some("set") => Identity::Value,
            Some("map") => Identity::Keys(texts(&schema["x-kubernetes-list-map-keys"])),
            _ => Identity::None,
        };
        List { items: self.add(&schema["items"]), min_items: schema["minItems"].as_u64(), identity }
    }
}

fn text(schema: &Value) -> Text {
    Text {
        values: texts(&schema["enum"]),
        pattern: pattern(schema),
        min_length: schema["minLength"].as_u64(),
        is_time: schema["format"] == "date-time",
    }
}

fn integer(schema: &Value) -> Integer {
    Integer {
        is_32_bit: schema["format"] == "int32",
        minimum: schema["minimum"].as_i64(),
        maximum: schema["maximum"].as_i64(),
    }
}

fn pattern(schema: &Value) -> Option<Pattern> {
    schema["pattern"].as_str().map(Pattern::new)
}

fn texts(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(|v| v.as_str().map(str::to_owned)).collect()
}
