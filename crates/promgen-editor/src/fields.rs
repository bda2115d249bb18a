//! The facts of a field in the tables of the types: its documentation, the values that it takes, and the versions that it needs.

use promgen_resources::api::Kind;
use promgen_resources::gates::{self, Axis, Gate, UnsupportedEffect};
use promgen_resources::release::fields;
use promgen_resources::schema;
use promgen_text::describe::{Bounds, Field, ObjectType, Type};
use promgen_text::route::{Path, Segment, ValueRoute};
use promgen_text::version::Version;

/// The type of a value, and the field that holds it.
#[derive(Clone, Copy, Debug)]
pub struct DescribedField {
    /// The field. `None` for the object itself, for items, and for the entries of a map of any keys.
    pub field: Option<&'static Field>,
    /// The type of the value.
    pub of: &'static Type,
}

/// The type of the value at a route in an object. `value` is the scalar at a route: it selects the type where a field does.
#[must_use]
pub fn described<'v>(
    kind: Kind,
    route: &ValueRoute,
    value: impl Fn(&ValueRoute) -> Option<&'v str>,
) -> Option<DescribedField> {
    let mut found = DescribedField {
        field: None,
        of: schema::description(kind),
    };
    let mut passed = ValueRoute::root();
    for step in &route.0 {
        found = match (step, found.of) {
            (Segment::Key(key), Type::Object(object)) => {
                let object = variant(object, key, |field| value(&passed.clone().key(field)));
                let field = object.field(key)?;
                DescribedField {
                    field: Some(field),
                    of: (field.of)(),
                }
            }
            (Segment::Key(_), Type::Map(of)) | (Segment::Index(_), Type::List(of)) => {
                DescribedField {
                    field: None,
                    of: of(),
                }
            }
            _ => return None,
        };
        passed.0.push(step.clone());
    }
    Some(found)
}

/// The type of an object that a field of it selects, or that alone has a key.
fn variant<'v>(
    object: &'static ObjectType,
    key: &str,
    value: impl Fn(&'static str) -> Option<&'v str>,
) -> &'static ObjectType {
    let Some(dialect) = object.dialect else {
        return object;
    };
    let Type::Object(other) = (dialect.of)() else {
        return object;
    };
    match value(dialect.field) {
        Some(text) if dialect.values.contains(&text) => other,
        Some(_) => object,
        None if object.field(key).is_none() => other,
        None => object,
    }
}

/// The fields of an object, those of a type that it may be instead among them.
#[must_use]
pub fn fields_of<'v>(
    object: &'static ObjectType,
    value: impl Fn(&'static str) -> Option<&'v str>,
) -> Vec<&'static Field> {
    let mut fields = Vec::new();
    let selected = object.dialect.and_then(|dialect| value(dialect.field));
    let object = variant(object, "", |_| selected);
    object.each(&mut |field| fields.push(field));
    fields
}

/// The texts that a value of that type may be. Empty: any.
#[must_use]
pub fn values(of: &Type) -> &'static [&'static str] {
    match of {
        Type::NamedText(text) => text.values,
        Type::Boolean => &["true", "false"],
        _ => &[],
    }
}

/// The name of a type.
#[must_use]
pub fn type_name(of: &Type) -> String {
    match of {
        Type::Object(_) | Type::Any(_) => "object".to_owned(),
        Type::Map(of) => format!("map of {}", type_name(of())),
        Type::List(of) => format!("list of {}", type_name(of())),
        Type::Text | Type::NamedText(_) => "string".to_owned(),
        Type::Int32 | Type::Int64 => "integer".to_owned(),
        Type::Boolean => "boolean".to_owned(),
        Type::IntOrString(_) => "integer or string".to_owned(),
    }
}

/// The page of a field, as Markdown. `None` for what has no documentation.
#[must_use]
pub fn page(kind: Kind, route: &ValueRoute, described: DescribedField) -> Option<String> {
    let doc = described
        .field
        .map(|field| field.doc)
        .or(match described.of {
            Type::Object(object) => Some(object.doc),
            _ => None,
        });
    let doc = doc.map(str::trim).filter(|doc| !doc.is_empty())?;
    let mut lines = vec![
        format!("`{}`: {}", name(route), type_name(described.of)),
        String::new(),
        markdown(doc),
    ];
    let facts = facts(kind, route, described);
    if !facts.is_empty() {
        lines.push(String::new());
        lines.extend(facts.into_iter().map(|fact| format!("- {fact}")));
    }
    Some(lines.join("\n"))
}

/// The documentation of a field in a list of names, with the versions that it needs.
#[must_use]
pub fn summary(kind: Kind, route: &ValueRoute, field: &Field) -> String {
    let needs =
        gates::fields::of_field(kind, route).map(|gate| format!("\n\n{}", requirement(gate)));
    std::iter::once(markdown(field.doc.trim()))
        .chain(needs)
        .collect()
}

/// A comment of the source as Markdown: its lines flow.
fn markdown(doc: &str) -> String {
    doc.lines().map(str::trim).collect::<Vec<_>>().join("\n")
}

/// The field, as documentation names it: `spec.endpoints[].port`.
fn name(route: &ValueRoute) -> String {
    let mut name = String::new();
    for step in &route.0 {
        match step {
            Segment::Index(_) => name.push_str("[]"),
            Segment::Key(key) => {
                name.push_str(if name.is_empty() { "" } else { "." });
                name.push_str(key);
            }
        }
    }
    if name.is_empty() {
        Path::root().to_field()
    } else {
        name
    }
}

/// Default, values, bounds and versions.
fn facts(
    kind: Kind,
    route: &ValueRoute,
    DescribedField { field, of }: DescribedField,
) -> Vec<String> {
    let mut facts = Vec::new();
    if field.is_some_and(|field| field.is_required) {
        facts.push("Required.".to_owned());
    }
    let default = field
        .and_then(|field| field.default)
        .map(|default| default());
    // An empty text is what a field has that is absent.
    if let Some(default) = default.filter(|default| default.as_str() != Some("")) {
        facts.push(format!("Default: `{default}`."));
    }
    let items = match of {
        Type::List(of) => values(of()),
        _ => values(of),
    };
    if !items.is_empty() && !matches!(of, Type::Boolean) {
        let items: Vec<String> = items.iter().map(|item| format!("`{item}`")).collect();
        facts.push(format!("One of: {}.", items.join(", ")));
    }
    facts.extend(field.into_iter().flat_map(|field| bounds(field.bounds())));
    facts.extend(since(kind, &name(route)));
    facts.extend(gates::fields::of_field(kind, route).map(requirement));
    facts
}

/// The requirement of a gate, as a sentence.
fn requirement(gate: &Gate) -> String {
    let (product, since, summary) = (gate.axis.product(), &gate.since, gate.summary.trim());
    let until = gate
        .until
        .as_ref()
        .map(|until| format!(", before {until}"))
        .unwrap_or_default();
    let without = match gate.miss {
        _ if gate.axis == Axis::Operator => {
            return format!("From {product} {since} on{until}: {summary}");
        }
        UnsupportedEffect::Drop => "the operator omits it for others",
        UnsupportedEffect::Reject => "the operator refuses the resource for others",
        UnsupportedEffect::Fallback => "the operator writes an older form for others",
    };
    format!("Requires {product} {since} or later{until}; {without}: {summary}")
}

fn bounds(bounds: &Bounds) -> impl Iterator<Item = String> {
    let least = bounds.min.map(|least| format!("At least {least}."));
    let most = bounds.max.map(|most| format!("At most {most}."));
    let length = bounds
        .min_length
        .filter(|length| *length > 0)
        .map(|length| format!("Length at least {length}."));
    let pattern = bounds
        .pattern
        .map(|pattern| format!("Matches `{}`.", pattern.text));
    [least, most, length, pattern].into_iter().flatten()
}

/// The release of the operator that added the field, or what holds it.
fn since(kind: Kind, name: &str) -> Option<String> {
    added_in(kind, name).map(|newest| format!("Since release {newest} of the operator."))
}

fn added_in(kind: Kind, name: &str) -> Option<&'static Version> {
    let holds = |path: &str| {
        name.strip_prefix(path)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    let rows = fields::rows()
        .iter()
        .filter(|row| row.kind == kind.as_str() && holds(row.path));
    rows.map(|row| &row.since).max()
}

/// Returns whether a release of the operator has a field.
#[must_use]
pub fn is_in_release(kind: Kind, route: &ValueRoute, operator: &Version) -> bool {
    added_in(kind, &name(route)).is_none_or(|since| since <= operator)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page_of(kind: Kind, keys: &[&str]) -> String {
        let route = keys
            .iter()
            .fold(ValueRoute::root(), |route, key| match key.parse() {
                Ok(index) => route.index(index),
                Err(_) => route.key((*key).to_owned()),
            });
        let described = described(kind, &route, |_| None).expect("a field");
        page(kind, &route, described).unwrap_or_default()
    }

    #[test]
    fn a_page_has_type_values_and_versions() {
        let page = page_of(Kind::ServiceMonitor, &["spec", "endpoints", "0", "scheme"]);
        assert!(
            page.starts_with("`spec.endpoints[].scheme`: string\n\n"),
            "{page}"
        );
        assert!(
            page.contains("- One of: ") && page.contains("`https`"),
            "{page}"
        );
        let page = page_of(Kind::ServiceMonitor, &["spec", "endpoints", "0", "noProxy"]);
        assert!(
            page.contains("- Requires Prometheus 2.43.0 or later"),
            "{page}"
        );
        assert!(page.contains("- Since release "), "{page}");
        let page = page_of(
            Kind::ScrapeConfig,
            &["spec", "consulSDConfigs", "0", "oauth2"],
        );
        assert!(
            page.contains("- From the operator 0.93.0 on: `oauth2`"),
            "{page}"
        );
        assert_eq!(
            page_of(Kind::ServiceMonitor, &["metadata", "labels", "a"]),
            ""
        );
    }

    #[test]
    fn a_route_that_is_no_field_has_no_page() {
        let route = ValueRoute::root().key("spec").key("nothing");
        assert!(described(Kind::ServiceMonitor, &route, |_| None).is_none());
        assert!(described(Kind::ServiceMonitor, &ValueRoute::root().index(0), |_| None).is_none());
    }
}
