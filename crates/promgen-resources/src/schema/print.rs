//! Descriptions as JSON Schema.
//!
//! In: the description of a kind. Out: its schema; a named type becomes a definition, and each use refers to it. The order
//! of keywords is stable.

use serde_json::{Map, Value, json};

use crate::api::Kind;
use promgen_text::describe::{
    Bounds, Field, Identity, IntOrStringType, LazyRegex, NamedText, ObjectType, Type, TypeDialect,
    Validation,
};

/// The schema of a kind, with dialects under a keyword of our own.
pub(super) fn root(description: &Type, kind: Kind) -> Value {
    let mut printer = SchemaPrinter::default();
    let mut schema = printer.definition(description);
    schema["title"] = kind.as_str().into();
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema".into();
    schema["$defs"] = printer.definitions.into();
    with_type_meta(&mut schema, kind);
    schema
}

/// What tells that an object is of the other type where the field that selects it is missing: see `decode::dialect_of`.
fn implied(own: &ObjectType, other: &Type) -> Vec<Value> {
    let Type::Object(other) = other else {
        return Vec::new();
    };
    let mut conditions = Vec::new();
    other.each(&mut |field| match own.field(field.name) {
        None => conditions.push(json!({ "required": [field.name] })),
        Some(_) if matches!((field.of)(), Type::List(_)) => {
            let properties = json!({ (field.name): { "type": "array" } });
            conditions.push(json!({ "properties": properties, "required": [field.name] }));
        }
        Some(_) => {}
    });
    conditions
}

/// Translates `x-promgen-dialect` to JSON Schema: the value of a field selects the schema, or fields of it beside none.
pub(super) fn with_dialects(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            map.values_mut().for_each(with_dialects);
            let Some(mut dialect) = map.remove("x-promgen-dialect") else {
                return;
            };
            let field = dialect["field"].as_str().unwrap_or_default().to_owned();
            let then = dialect["schema"].take();
            let selects = json!({ "properties": { (field.as_str()): { "enum": dialect["values"].take() } }, "required": [field] });
            let implies =
                json!({ "not": { "required": [field] }, "anyOf": dialect["implied"].take() });
            let condition = json!({ "anyOf": [selects, implies] });
            let mut otherwise = std::mem::take(map);
            for key in ["title", "description"] {
                map.extend(otherwise.remove_entry(key));
            }
            map.insert("if".to_owned(), condition);
            map.insert("then".to_owned(), then);
            map.insert("else".to_owned(), otherwise.into());
        }
        Value::Array(items) => items.iter_mut().for_each(with_dialects),
        _ => {}
    }
}

/// Adds what an editor needs and a CRD does not say: the API server drops unknown fields in silence, and an editor marks
/// them; what generators write for fields that they know nothing of passes.
pub(super) fn for_editors(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            map.values_mut().for_each(for_editors);
            let is_open = map.contains_key("x-kubernetes-preserve-unknown-fields");
            let is_object = map.get("type").is_some_and(|ty| ty == "object");
            let Some(Value::Object(properties)) = map.get_mut("properties").filter(|_| is_object)
            else {
                return;
            };
            for (name, property) in properties.iter_mut() {
                let Some((written, property)) =
                    written_by_generators(name).zip(property.as_object_mut())
                else {
                    continue;
                };
                if let Some(reference) = property.remove("$ref") {
                    property.insert("anyOf".to_owned(), json!([{ "$ref": reference }, written]));
                }
            }
            if !is_open && !map.contains_key("additionalProperties") {
                map.insert("additionalProperties".to_owned(), false.into());
            }
        }
        Value::Array(items) => items.iter_mut().for_each(for_editors),
        _ => {}
    }
}

/// Adds `apiVersion` and `kind`, which the types carry as constants.
fn with_type_meta(schema: &mut Value, kind: Kind) {
    let Some(Value::Object(properties)) = schema.get_mut("properties") else {
        return;
    };
    let rest = std::mem::take(properties);
    properties.insert(
        "apiVersion".to_owned(),
        json!({ "type": "string", "const": kind.api_version() }),
    );
    properties.insert(
        "kind".to_owned(),
        json!({ "type": "string", "const": kind.as_str() }),
    );
    properties.extend(rest);
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        required.splice(0..0, [json!("apiVersion"), json!("kind")]);
    }
}

/// Prints types, and collects the definitions that they refer to.
#[derive(Default)]
struct SchemaPrinter {
    definitions: Map<String, Value>,
}

impl SchemaPrinter {
    /// The schema of a type where it is used: a reference, if it has a name.
    fn part(&mut self, ty: &Type) -> Value {
        match ty {
            Type::Object(ObjectType { name, .. })
            | Type::NamedText(NamedText { name, .. })
            | Type::IntOrString(IntOrStringType { name, .. })
            | Type::Any(name) => self.reference(name, ty),
            Type::Map(of) => {
                let values = self.part(of());
                json!({ "type": "object", "additionalProperties": values })
            }
            Type::List(of) => {
                let items = self.part(of());
                json!({ "type": "array", "items": items })
            }
            Type::Text => json!({ "type": "string" }),
            Type::Int32 => json!({ "type": "integer", "format": "int32" }),
            Type::Int64 => json!({ "type": "integer", "format": "int64" }),
            Type::Boolean => json!({ "type": "boolean" }),
        }
    }

    fn reference(&mut self, name: &str, ty: &Type) -> Value {
        if !self.definitions.contains_key(name) {
            // Registered before it is printed, so that a type may contain itself.
            self.definitions.insert(name.to_owned(), Value::Null);
            let definition = self.definition(ty);
            self.definitions.insert(name.to_owned(), definition);
        }
        json!({ "$ref": format!("#/$defs/{name}") })
    }

    fn definition(&mut self, ty: &Type) -> Value {
        match ty {
            Type::Object(object) => self.object(object),
            Type::NamedText(text) => named_text(text),
            Type::IntOrString(either) => {
                let mut schema = json!({ "anyOf": [{ "type": "integer" }, { "type": "string" }] });
                pattern(&mut schema, either.pattern);
                schema["x-kubernetes-int-or-string"] = true.into();
                schema
            }
            Type::Any(_) => json!({ "x-kubernetes-preserve-unknown-fields": true }),
            _ => self.part(ty),
        }
    }

    fn object(&mut self, object: &ObjectType) -> Value {
        let mut schema = json!({ "type": "object" });
        self.fields(&mut schema, object);
        schema["description"] = object.doc.into();
        if object.is_open {
            schema["x-kubernetes-preserve-unknown-fields"] = true.into();
        }
        validations(&mut schema, object.validations);
        if let Some(TypeDialect {
            field, values, of, ..
        }) = object.dialect
        {
            let other = self.part(of());
            let implied = implied(object, of());
            let dialect =
                json!({ "field": field, "values": values, "schema": other, "implied": implied });
            schema["x-promgen-dialect"] = dialect;
        }
        schema
    }

    fn fields(&mut self, schema: &mut Value, object: &ObjectType) {
        for field in object.fields {
            match field.inlined() {
                Some(inlined) => {
                    self.fields(schema, inlined);
                    if schema.get("description").is_none() {
                        schema["description"] = inlined.doc.into();
                    }
                    validations(schema, inlined.validations);
                }
                None => self.field(schema, field),
            }
        }
    }

    fn field(&mut self, schema: &mut Value, field: &Field) {
        schema["properties"][field.name] = self.property(field);
        if field.is_required {
            match &mut schema["required"] {
                Value::Array(required) => required.push(field.name.into()),
                none => *none = json!([field.name]),
            }
        }
    }

    fn property(&mut self, field: &Field) -> Value {
        let mut schema = self.part((field.of)());
        schema["description"] = field.doc.into();
        bounds(&mut schema, field.bounds());
        if let Some(default) = field.default {
            schema["default"] = default();
        }
        keywords(&mut schema, field.bounds());
        // The reference of a field that may be absent stands last.
        if !field.is_required
            && field.default.is_none()
            && let Some(reference) = schema.as_object_mut().and_then(|map| map.remove("$ref"))
        {
            schema["$ref"] = reference;
        }
        schema
    }
}

/// The value that generators of manifests write for a field that they do not know. The API server ignores it.
fn written_by_generators(field: &str) -> Option<Value> {
    match field {
        "creationTimestamp" => Some(json!({ "type": "null" })),
        "status" => Some(json!({ "type": "object", "maxProperties": 0 })),
        _ => None,
    }
}

fn named_text(text: &NamedText) -> Value {
    let mut schema = json!({ "type": "string" });
    if !text.values.is_empty() {
        schema["enum"] = text.values.into();
    }
    pattern(&mut schema, text.pattern);
    if let Some(least) = text.min_length {
        schema["minLength"] = least.into();
    }
    if text.is_time {
        schema["format"] = "date-time".into();
    }
    schema
}

fn pattern(schema: &mut Value, pattern: Option<&LazyRegex>) {
    if let Some(pattern) = pattern {
        schema["pattern"] = pattern.text.into();
    }
}

/// The keywords of JSON Schema for the constraints of a field.
fn bounds(schema: &mut Value, bounds: &Bounds) {
    if let Some(least) = bounds.min_length {
        let key = if schema.get("items").is_some() {
            "minItems"
        } else {
            "minLength"
        };
        schema[key] = least.into();
    }
    for (key, bound) in [("minimum", bounds.min), ("maximum", bounds.max)] {
        if let Some(bound) = bound {
            schema[key] = bound.into();
        }
    }
    pattern(schema, bounds.pattern);
    if let Some(of_items) = bounds.items
        && let Some(items) = schema.get_mut("items")
    {
        self::bounds(items, of_items);
    }
}

/// The keywords of Kubernetes, and constraints that a CRD does not contain.
fn keywords(schema: &mut Value, bounds: &Bounds) {
    let list_type = match bounds.identity {
        Identity::None => None,
        Identity::Value => Some("set"),
        Identity::Keys(_) => Some("map"),
    };
    if let Some(list_type) = list_type {
        schema["x-kubernetes-list-type"] = list_type.into();
    }
    if let Identity::Keys(keys) = bounds.identity {
        schema["x-kubernetes-list-map-keys"] = keys.into();
    }
    if bounds.is_unformatted {
        schema.as_object_mut().map(|map| map.remove("format"));
    }
}

fn validations(schema: &mut Value, validations: &[Validation]) {
    if !validations.is_empty() {
        let rules = validations
            .iter()
            .map(|v| json!({ "message": v.message, "rule": v.rule }))
            .collect();
        schema["x-kubernetes-validations"] = rules;
    }
}
