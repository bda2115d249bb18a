//! How fields of a resource become keys of a configuration.
//!
//! A field becomes the key of its name in snake case, and its value is converted by its type in the API. A row has a field for
//! which that is otherwise, its key, and the conversion of its value. The shape of the configuration defines the order of the
//! keys and which empty values are omitted.

use std::borrow::Cow;

use promgen_resources::gates::Gate;
use promgen_text::describe::{ObjectType, Type, TypeFn};

/// The conversion of a value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Conversion {
    /// As it is.
    Plain,
    /// As it is; releases of the operator without the gate lose it.
    Since(&'static Gate),
    /// As it is; an empty text and `false` are left out.
    Filled,
    /// The value of the Secret's key.
    Secret,
    /// The URL that the key of a Secret holds.
    SecretUrl,
    /// A list of names and values, as a map.
    Pairs,
    /// An object.
    Part(Table),
    /// A list of objects.
    Parts(Table),
    /// An object whose fields become keys of the surrounding object.
    Flat(Table),
    /// TLS settings, whose certificates are files.
    Tls,
    /// An `Authorization` header.
    Authorization,
    /// A client of OAuth2: the key of a Secret or of a ConfigMap.
    ClientId,
    /// Headers whose values are keys of Secrets.
    Headers,
    /// A host and a port, in fields.
    HostPort,
    /// A host and a port, in a text.
    Smarthost,
    /// A duration, which is written anew.
    GoDuration,
    /// The threading of emails.
    Threading,
    /// Not at all: the operator loses it.
    Lost,
}

/// A field, its key, and the conversion.
pub(crate) type ReceiverFieldRow = (&'static str, &'static str, Conversion);

/// The fields of an object, and what becomes of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Table {
    /// The type of the object.
    pub(crate) of: TypeFn,
    /// The beginning of the keys.
    pub(crate) prefix: &'static str,
    /// The fields for which the rule does not hold.
    pub(crate) rows: &'static [ReceiverFieldRow],
}

impl Table {
    /// The fields of a type, for all of which the rule holds.
    pub(crate) const fn of(of: TypeFn) -> Self {
        Self {
            of,
            prefix: "",
            rows: &[],
        }
    }

    fn object(self) -> &'static ObjectType {
        match (self.of)() {
            Type::Object(object) => object,
            _ => &ObjectType::EMPTY,
        }
    }

    /// The key of a field, and the conversion of its value.
    pub(crate) fn row(self, field: &str) -> (Cow<'static, str>, Conversion) {
        if let Some((_, key, how)) = self.rows.iter().find(|(from, ..)| *from == field) {
            return ((*key).into(), *how);
        }
        let how = self
            .object()
            .field(field)
            .map_or(Conversion::Lost, |field| Conversion::of(field.of));
        (format!("{}{}", self.prefix, snake_case(field)).into(), how)
    }

    /// The fields of the type that are not lost, with their keys and conversions.
    pub(crate) fn all(self) -> Vec<(&'static str, Cow<'static, str>, Conversion)> {
        let mut all = Vec::new();
        self.object().each(&mut |field| {
            let (key, how) = self.row(field.name);
            if !matches!(how, Conversion::Lost) {
                all.push((field.name, key, how));
            }
        });
        all
    }
}

impl Conversion {
    /// The conversion of a value of a type.
    fn of(of: TypeFn) -> Self {
        match of() {
            Type::Object(object) => match object.name {
                "SecretKeySelector" => Self::Secret,
                "SafeTlsConfig" => Self::Tls,
                "SafeAuthorization" => Self::Authorization,
                _ => Self::Part(Table::of(of)),
            },
            Type::List(item) => match item() {
                Type::Object(object) if object.name == "KeyValue" => Self::Pairs,
                Type::Object(_) => Self::Parts(Table::of(*item)),
                _ => Self::Plain,
            },
            _ => Self::Plain,
        }
    }
}

/// `title_link` for `titleLink`, `api_url` for `apiURL`.
fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    let mut before = '_';
    for c in name.chars() {
        if c.is_ascii_uppercase() && !before.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
        before = c;
    }
    snake
}
