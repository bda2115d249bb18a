//! The child routes of a route, which the API server does not check: Go's JSON decoder does, in its words.

use crate::routes;
use promgen_resources::api::Kind;
use promgen_resources::api::notifying::alertmanager_config::route::Route;
use promgen_resources::schema;
use promgen_text::go::quote::quote;
use promgen_text::route::Segment;
use serde_json::Value;

/// The type of a field of a Go struct.
enum GoType {
    /// A text, by the name of its type.
    Text(&'static str),
    Bool,
    Texts,
    /// A list of structs, by the name of its item's type.
    Structs(&'static str, &'static str, FieldTypes),
    /// A list of anything, by the name of its item's type.
    Anything(&'static str),
}

/// The fields of a struct, with their types.
type FieldTypes = &'static [(&'static str, GoType)];

static MATCHER: FieldTypes = &[
    ("name", GoType::Text("string")),
    ("value", GoType::Text("string")),
    ("matchType", GoType::Text("v1alpha1.MatchType")),
    ("regex", GoType::Bool),
];

static KEY_VALUE: FieldTypes = &[
    ("key", GoType::Text("string")),
    ("value", GoType::Text("string")),
];

static ROUTE: FieldTypes = &[
    ("receiver", GoType::Text("string")),
    ("groupBy", GoType::Texts),
    ("groupWait", GoType::Text("v1.NonEmptyDuration")),
    ("groupInterval", GoType::Text("v1.NonEmptyDuration")),
    ("repeatInterval", GoType::Text("v1.NonEmptyDuration")),
    (
        "matchers",
        GoType::Structs("Matcher", "v1alpha1.Matcher", MATCHER),
    ),
    ("continue", GoType::Bool),
    ("routes", GoType::Anything("v1.JSON")),
    ("muteTimeIntervals", GoType::Texts),
    ("activeTimeIntervals", GoType::Texts),
    (
        "labels",
        GoType::Structs("KeyValue", "v1alpha1.KeyValue", KEY_VALUE),
    ),
];

/// The fault of a child route.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ChildFault {
    /// Go's message.
    pub(super) message: String,
    /// The way from the route to the field.
    pub(super) route: Vec<Segment>,
    /// The remedy.
    pub(super) help: Option<String>,
}

impl ChildFault {
    /// The fault of what is a step further down.
    fn below(mut self, step: Segment) -> Self {
        self.route.insert(0, step);
        self
    }
}

/// A child route.
///
/// # Errors
/// In Go's words.
pub(super) fn read(raw: &Value) -> Result<Route, ChildFault> {
    let whole = |message: String| ChildFault {
        message,
        ..ChildFault::default()
    };
    match raw {
        // The operator has no bytes of it.
        Value::Null => return Err(whole("EOF".to_owned())),
        Value::Object(_) => {}
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            return Err(whole(format!(
                "json: cannot unmarshal {} into Go value of type v1alpha1.Route",
                kind(raw)
            )));
        }
    }
    check(raw, "Route", "", ROUTE)?;
    routes::child(raw).map_err(|mismatch| whole(format!("json: {}", mismatch.message)))
}

/// The number of the first matcher with a type that is none, and the type: Go reads any text.
pub(super) fn unknown_type(raw: &Value) -> Option<(usize, &str)> {
    let matchers = items(raw.get("matchers").unwrap_or(&Value::Null))
        .iter()
        .enumerate();
    let mut types =
        matchers.filter_map(|(index, matcher)| Some((index, matcher.get("matchType")?.as_str()?)));
    types.find(|(_, text)| !text.is_empty() && !routes::is_match_type(text))
}

/// The first fault of a struct's fields, in the order of their keys: the API server sorts them.
fn check(raw: &Value, name: &str, prefix: &str, fields: FieldTypes) -> Result<(), ChildFault> {
    let mut entries: Vec<_> = raw.as_object().into_iter().flatten().collect();
    entries.sort_by_key(|(key, _)| *key);
    entries.into_iter().try_for_each(|(key, value)| {
        let found = match fields.iter().find(|(field, _)| field == key) {
            Some((_, of)) => check_field(value, of, name, &format!("{prefix}{key}")),
            None => Err(unknown(key, fields)),
        };
        found.map_err(|fault| fault.below(Segment::Key(key.clone().into())))
    })
}

fn unknown(key: &str, fields: FieldTypes) -> ChildFault {
    let known: Vec<&str> = fields.iter().map(|(field, _)| *field).collect();
    let meant =
        schema::intended_field(key, &known).map(|meant| format!("did you mean \"{meant}\"?"));
    // A field of the resource that is none of a route stands too deep.
    let help = meant.or_else(|| schema::belongs(Kind::AlertmanagerConfig, &["spec", "route"], key));
    ChildFault {
        message: format!("json: unknown field {}", quote(key)),
        help,
        ..ChildFault::default()
    }
}

fn check_field(value: &Value, of: &GoType, name: &str, path: &str) -> Result<(), ChildFault> {
    // Go leaves a field as it is where the JSON has a null.
    let demand = |value: &Value, holds: bool, wanted: &str| match holds || value.is_null() {
        true => Ok(()),
        false => {
            let found = kind(value);
            let message = format!(
                "json: cannot unmarshal {found} into Go struct field {name}.{path} of type {wanted}"
            );
            let help = match (wanted, value) {
                ("v1alpha1.Matcher", Value::String(text)) => schema::matcher_of(text),
                ("bool", Value::String(_)) => {
                    Some("write true or false, without quotes".to_owned())
                }
                ("[]string", Value::String(text)) => Some(format!("write a list: `[{text}]`")),
                _ => None,
            };
            Err(ChildFault {
                message,
                help,
                ..ChildFault::default()
            })
        }
    };
    let at = |index: usize| move |fault: ChildFault| fault.below(Segment::Index(index));
    match of {
        GoType::Text(wanted) => demand(value, value.is_string(), wanted),
        GoType::Bool => demand(value, value.is_boolean(), "bool"),
        GoType::Texts => {
            demand(value, value.is_array(), "[]string")?;
            let mut items = items(value).iter().enumerate();
            items.try_for_each(|(index, item)| {
                demand(item, item.is_string(), "string").map_err(at(index))
            })
        }
        GoType::Structs(inner, wanted, fields) => {
            demand(value, value.is_array(), &format!("[]{wanted}"))?;
            let mut items = items(value).iter().enumerate();
            items.try_for_each(|(index, item)| {
                let fits = demand(item, item.is_object(), wanted);
                fits.and_then(|()| check(item, inner, &format!("{path}."), fields))
                    .map_err(at(index))
            })
        }
        GoType::Anything(wanted) => demand(value, value.is_array(), &format!("[]{wanted}")),
    }
}

fn items(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

/// A kind of value as Go names it.
const fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn faults_are_told_in_gos_words() {
        let error = |value: Value| read(&value).unwrap_err().message;
        assert_eq!(error(Value::Null), "EOF");
        assert_eq!(
            error(json!({"severity": "x"})),
            "json: unknown field \"severity\""
        );
        let number = "json: cannot unmarshal number into Go struct field Route.groupWait of type v1.NonEmptyDuration";
        assert_eq!(error(json!({"groupWait": 5})), number);
        let inner =
            "json: cannot unmarshal bool into Go struct field Matcher.matchers.name of type string";
        assert_eq!(error(json!({"matchers": [{"name": true}]})), inner);
        assert_eq!(
            error(json!("x")),
            "json: cannot unmarshal string into Go value of type v1alpha1.Route"
        );
        assert!(read(&json!({"receiver": "a", "continue": null})).is_ok());
    }

    #[test]
    fn faults_have_the_way_to_the_field_and_what_is_meant() {
        let fault = read(&json!({"matchers": [{"nam": "a"}]})).unwrap_err();
        assert_eq!(
            fault.route,
            [
                Segment::Key("matchers".into()),
                Segment::Index(0),
                Segment::Key("nam".into())
            ]
        );
        assert_eq!(fault.help.as_deref(), Some("did you mean \"name\"?"));
        let fault = read(&json!({"match": {"severity": "x"}})).unwrap_err();
        assert_eq!(fault.help.as_deref(), Some("did you mean \"matchers\"?"));
        let fault = read(&json!({"inhibitRules": []})).unwrap_err();
        assert_eq!(
            fault.help.as_deref(),
            Some("`inhibitRules` belongs below `spec`")
        );
    }
}
