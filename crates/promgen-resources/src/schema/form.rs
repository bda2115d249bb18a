//! Values of another type than that of their field, and what to write instead.

use crate::schema::scalar;
use crate::schema::walk::WRONG_TYPE;
use promgen_text::describe::{Bounds, ObjectType, Type};
use promgen_text::diag::Diagnostic;
use promgen_text::diag::fix::{EditAction, Fix};
use promgen_text::route::{At, DocId, Path, Segment};
use promgen_text::yaml::{Data, Entry, Node};

/// A reference to a key of a Secret.
const SECRET_KEY: &str = "SecretKeySelector";

/// References to something in the namespace of the object that has them.
const REFERENCES: [&str; 3] = [SECRET_KEY, "ConfigMapKeySelector", "LocalObjectReference"];

/// Numbers as words.
const NUMBERS: [&str; 11] = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
];

/// Returns whether the object names another one in its own namespace.
pub(super) fn is_reference(object: &ObjectType) -> bool {
    REFERENCES.contains(&object.name)
}

/// The lines to write where a text stands in the place of an object.
fn written_out(object: &ObjectType, text: &str, path: &Path<'_>) -> Option<String> {
    let last = path.to_route().0.pop()?;
    let head = last.key().map_or("-".to_owned(), |key| format!("{key}:"));
    Some(match object.name {
        SECRET_KEY => {
            format!(
                "it is taken from a Secret in the same namespace:\n  {head}\n    name: NAME_OF_THE_SECRET\n    key: KEY_IN_IT"
            )
        }
        "ConfigMapKeySelector" => {
            format!(
                "it is taken from a ConfigMap in the same namespace:\n  {head}\n    name: NAME_OF_THE_CONFIGMAP\n    key: KEY_IN_IT"
            )
        }
        "SecretOrConfigMap" => format!(
            "it is taken from a Secret or a ConfigMap in the same namespace:\n  {head}\n    secret: {{name: NAME_OF_THE_SECRET, key: KEY_IN_IT}}"
        ),
        "LabelSelector" => format!("write `{head} {{matchLabels: {{{}}}}}`", pair(text)?),
        "StorageSpec" => format!(
            "write `{head} {{volumeClaimTemplate: {{spec: {{resources: {{requests: {{storage: {text}}}}}}}}}}}`"
        ),
        "NamespaceSelector" => match text {
            "*" | "all" | "any" | "" => format!("write `{head} {{any: true}}`"),
            name if is_name(name) => format!("write `{head} {{matchNames: [{name}]}}`"),
            _ => format!("write `{head} {{matchNames: [NAMESPACE]}}`"),
        },
        "Matcher" => matcher(text)?,
        _ if object.field("name").is_some() && is_name(text) => {
            format!("write `{head} {{name: {text}}}`")
        }
        _ => {
            let mut names = Vec::new();
            object.each(&mut |field| names.push((!field.is_required, format!("`{}`", field.name))));
            names.sort_unstable();
            names.truncate(4);
            let names: Vec<String> = names.into_iter().map(|(_, name)| name).collect();
            format!(
                "write the fields of an object below it, such as {}",
                names.join(", ")
            )
        }
    })
}

/// The object to write where a list stands in its place.
fn written_as_list(object: &ObjectType, items: &[Node], path: &Path<'_>) -> Option<String> {
    let head = path.to_route().0.pop()?.key()?.to_owned();
    let texts: Option<Vec<&str>> = items.iter().map(Node::as_str).collect();
    match (object.name, texts.as_deref()) {
        (SECRET_KEY, _) => written_out(object, "", path),
        ("NamespaceSelector", Some(names)) => Some(format!(
            "write `{head}: {{matchNames: [{}]}}`",
            names.join(", ")
        )),
        ("LabelSelector", Some([pair])) => written_out(object, pair, path),
        _ => None,
    }
}

/// The text to write where a boolean stands in the place of an object.
fn switched(object: &ObjectType, is_set: bool, path: &Path<'_>) -> Option<String> {
    let head = path.to_route().0.pop()?.key()?.to_owned();
    let mut has_required = false;
    object.each(&mut |field| has_required |= field.is_required);
    Some(match (is_set, has_required) {
        (false, _) => format!("leave `{head}` out"),
        (true, false) => format!("write `{head}: {{}}`, or its fields"),
        (true, true) => return written_out(object, "", path),
    })
}

/// The list to write where names and values stand as a map.
fn named_values(of: &Type, entries: &[Entry]) -> Option<String> {
    let Type::Object(object) = of else {
        return None;
    };
    let first = entries.first()?;
    let is_pair = ["name", "value"]
        .iter()
        .all(|name| object.field(name).is_some());
    let is_item = entries
        .iter()
        .any(|entry| object.field(&entry.key).is_some());
    (is_pair && !is_item).then(|| format!("write a list: `- {{name: {}, value: …}}`", first.key))
}

/// The text to write where an object with its parts stands.
fn told_apart(entries: &[Entry], path: &Path<'_>) -> Option<String> {
    let text = |key: &str| {
        entries
            .iter()
            .find(|entry| entry.key == *key)?
            .value
            .as_str()
    };
    let is_image = path
        .to_route()
        .0
        .last()
        .is_some_and(|step| step.key() == Some("image"));
    match (text("repository"), text("tag")) {
        (Some(repository), tag) if is_image => Some(format!(
            "write one text: `{repository}:{}`",
            tag.unwrap_or("TAG")
        )),
        _ => text("name")
            .filter(|_| entries.len() == 1)
            .map(|name| format!("write the name alone: `{name}`")),
    }
}

/// The list to write where a text stands in the place of a list of objects.
fn listed(of: &Type, text: &str, path: &Path<'_>) -> Option<String> {
    let Type::Object(object) = of else {
        return None;
    };
    let key = path.to_route().0.pop()?.key()?.to_owned();
    if object.name == "Matcher" {
        return matcher(text).map(|help| {
            help.replacen("write `", &format!("write `{key}: ["), 1)
                .replacen("}`", "}]`", 1)
        });
    }
    let field = if text.contains("://") { "url" } else { "name" };
    object
        .field(field)
        .map(|_| format!("write a list of objects: `{key}: [{{{field}: {text}}}]`"))
}

/// How to write a matcher that stands as Alertmanager's own configuration has it: `{name: severity, value: critical}`.
#[must_use]
pub fn matcher(text: &str) -> Option<String> {
    let (name, operator, value) = ["!=", "=~", "!~", "="]
        .into_iter()
        .find_map(|sign| text.split_once(sign).map(|(a, b)| (a, sign, b)))?;
    let value = value.trim().trim_matches('"');
    let kind = if operator == "=" {
        String::new()
    } else {
        format!(", matchType: \"{operator}\"")
    };
    Some(format!(
        "write `{{name: {}, value: {value:?}{kind}}}`",
        name.trim()
    ))
}

/// `app: cart`, of `app=cart` or of `cart`.
fn pair(text: &str) -> Option<String> {
    let (name, value) = text
        .split_once("==")
        .or_else(|| text.split_once(['=', ':']))
        .unwrap_or(("app", text));
    let value = value.trim();
    (is_name(value) && !name.contains([',', '{', ' '])).then(|| format!("{}: {value}", name.trim()))
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
}

fn is_reference_to_key(data: &Data) -> bool {
    let Data::Map(entries) = data else {
        return false;
    };
    ["name", "key"]
        .iter()
        .all(|name| entries.iter().any(|entry| entry.key == *name))
}

/// The number that a word is.
fn spelled(text: &str) -> Option<usize> {
    NUMBERS
        .iter()
        .position(|word| word.eq_ignore_ascii_case(text))
}

/// The boolean that a word is meant as.
fn truth(text: &str) -> Option<bool> {
    let is = |words: &[&str]| words.iter().any(|word| word.eq_ignore_ascii_case(text));
    if is(&["true", "yes", "on", "y", "1", "enabled", "enable"]) {
        return Some(true);
    }
    is(&["false", "no", "off", "n", "0", "disabled", "disable"]).then_some(false)
}

/// Why quotes alone do not make a number what its field wants, if that is so.
fn beside_quotes(
    ty: &Type,
    bounds: &Bounds,
    number: &str,
    doc: DocId,
    path: &Path<'_>,
) -> Option<String> {
    let own;
    let form = match ty {
        Type::NamedText(form) => form,
        _ => {
            own = bounds.text();
            &own
        }
    };
    // A name of a port has a letter; what looks like a number is never one.
    let route = path.to_route().0;
    let is_key =
        |step: Option<&Segment>, key: &'static str| step == Some(&Segment::Key(key.into()));
    if is_key(route.first(), "spec") && is_key(route.last(), "port") {
        return Some(
            "use the name of the port, such as `metrics`: a number in quotes is not one".to_owned(),
        );
    }
    scalar::text(number, form, doc, path)?;
    // Who gives a number alone means days here.
    let unit = if is_key(route.last(), "retention") {
        "d"
    } else {
        "s"
    };
    let with_unit = format!("{number}{unit}");
    Some(match scalar::text(&with_unit, form, doc, path) {
        None => format!("a unit is missing, as in `{with_unit}`"),
        Some(_) => "a string is required here, and the number in quotes would not be a valid one"
            .to_owned(),
    })
}

/// The finding about a value of another type.
pub(super) fn wrong_type(
    ty: &Type,
    bounds: &Bounds,
    data: &Data,
    doc: DocId,
    path: &Path<'_>,
) -> Diagnostic {
    let wanted = match ty {
        Type::Object(_) | Type::Map(_) => "object",
        Type::List(_) => "array",
        Type::Text | Type::NamedText(_) => "string",
        Type::Int32 | Type::Int64 => "integer",
        Type::Boolean => "boolean",
        Type::IntOrString(_) => "integer,string",
        Type::Any(_) => "any",
    };
    let beside_quotes = match (wanted, data) {
        ("string", Data::Int(_) | Data::Uint(_) | Data::Float(_)) => {
            let number = data.scalar_text().unwrap_or_default();
            beside_quotes(ty, bounds, &number, doc, path)
        }
        _ => None,
    };
    let of_object = match (ty, data) {
        (Type::Object(object), Data::String(text)) => written_out(object, text, path),
        (Type::List(of), Data::String(text)) => listed(of(), text, path),
        (Type::Object(object), Data::Seq(items)) => written_as_list(object, items, path),
        (Type::Object(object), Data::Bool(is_set)) => switched(object, *is_set, path),
        (Type::List(of), Data::Map(entries)) => named_values(of(), entries),
        (Type::Text | Type::NamedText(_), Data::Map(entries)) => told_apart(entries, path),
        (Type::Map(_), Data::String(_) | Data::Seq(_)) => {
            Some("write a map of names and values, as in `{team: shop}`".to_owned())
        }
        _ => None,
    };
    let found = match beside_quotes.or(of_object) {
        Some(help) => of_another_type(wanted, data, doc, path).help(help),
        None => wrong_type_of(wanted, data, doc, path),
    };
    // Who writes a text where a Secret is named, writes the secret.
    let is_secret = matches!(ty, Type::Object(object) if object.name == SECRET_KEY)
        && matches!(data, Data::String(_));
    if is_secret { found.secret() } else { found }
}

/// The finding about a value of another type, without advice.
fn of_another_type(wanted: &str, data: &Data, doc: DocId, path: &Path<'_>) -> Diagnostic {
    let seen = match data {
        Data::Null => "null",
        Data::Bool(_) => "boolean",
        Data::Int(_) | Data::Uint(_) => "integer",
        Data::Float(_) => "number",
        Data::String(_) => "string",
        Data::Seq(_) => "array",
        Data::Map(_) => "object",
    };
    let route = path.to_route();
    let message = format!(
        "{route}: Invalid value: \"{seen}\": {route} in body must be of type {wanted}: \"{seen}\""
    );
    Diagnostic::new(&WRONG_TYPE, At::path(doc, path), message)
}

/// The finding about a value of another type than the one of that name.
pub(super) fn wrong_type_of(wanted: &str, data: &Data, doc: DocId, path: &Path<'_>) -> Diagnostic {
    let (at, diagnostic) = (
        At::path(doc, path),
        of_another_type(wanted, data, doc, path),
    );
    let quote = || Fix::safe("quote the value").change(EditAction::Quote(at.clone()));
    let unquote = || Fix::safe("remove the quotes").change(EditAction::Unquote(at.clone()));
    match (wanted, data) {
        ("string", Data::Bool(_)) => diagnostic
            .help("YAML reads this word as a boolean: quote it to make it a string")
            .fix(quote()),
        ("string", Data::Int(_) | Data::Uint(_) | Data::Float(_)) => diagnostic
            .help("quote the number to make it a string")
            .fix(quote()),
        ("integer", Data::String(text)) if text.parse::<i64>().is_ok() => diagnostic
            .help("remove the quotes, which make the number a string")
            .fix(unquote()),
        ("boolean", Data::String(text)) if matches!(&**text, "true" | "false") => diagnostic
            .help("remove the quotes, which make the word a string")
            .fix(unquote()),
        ("integer", Data::String(text)) if let Some(number) = spelled(text) => {
            let fix = Fix::risky(format!("write {number}"))
                .change(EditAction::Value(at, number.to_string()));
            diagnostic
                .help(format!("write the number: {number}"))
                .fix(fix)
        }
        ("integer", Data::String(_) | Data::Float(_)) => {
            diagnostic.help("write a whole number, such as 2")
        }
        ("boolean", Data::String(text)) if let Some(meant) = truth(text) => {
            diagnostic.help(format!("write {meant}, without quotes"))
        }
        ("boolean", _) => diagnostic.help("write true or false"),
        ("string", Data::Map(_)) if is_reference_to_key(data) => {
            let last = path.to_route().0.pop();
            let name = last.as_ref().and_then(Segment::key).unwrap_or("it");
            diagnostic.help(format!(
                "`{name}` is the text itself; a Secret is named in another field, such as `{name}Secret`"
            ))
        }
        ("array", Data::Map(_)) => {
            diagnostic.help("make it a list: put `- ` in front of its first key")
        }
        ("array", _) => diagnostic
            .help("make it a list: put it in brackets, or in a line of its own behind `- `"),
        ("object", Data::Seq(items)) if matches!(&items[..], [item] if item.is_map()) => {
            diagnostic.help("it is one object, not a list of them: remove the `- `")
        }
        _ => diagnostic,
    }
}
