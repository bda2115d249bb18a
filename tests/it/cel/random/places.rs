//! The places of facts: what can be written to get at each, with its type and its values.

use std::collections::BTreeSet;

use serde_json::Value;

use promgen_cel::CelType;

use super::super::given::{Given, is_unknown};
use super::Kind;

/// More steps than any place has.
const MAX_STEPS: usize = 7;

/// A fact, a part of one, or a variable of a macro.
#[derive(Clone)]
pub(super) struct Place<'v> {
    /// The expression: `rule.metrics[0].name`.
    pub(super) text: String,
    /// The one that is an optional from its first step on: `rule.?metrics[?0].?name`.
    pub(super) optional: String,
    /// What it is a field or a key of, if that is there, and its name.
    pub(super) within: Option<(String, String)>,
    /// It is a key of a map, which needs no name.
    pub(super) is_key: bool,
    pub(super) of: CelType,
    /// The values that it has, several of a variable of a macro. None of what is computed.
    pub(super) values: Vec<&'v Value>,
    /// It has a value wherever it is asked for.
    pub(super) is_sure: bool,
}

fn is_name(key: &str) -> bool {
    !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

impl<'v> Place<'v> {
    fn variable(name: &str, of: CelType, values: Vec<&'v Value>) -> Self {
        Self {
            text: name.to_owned(),
            optional: name.to_owned(),
            within: None,
            is_key: false,
            of,
            values,
            is_sure: true,
        }
    }

    /// The variable of a macro whose items are computed.
    pub(super) fn computed(name: &str, of: CelType) -> Self {
        Self::variable(name, of, Vec::new())
    }

    /// The variable of a macro over the items of this place.
    pub(super) fn visited(&self, name: &str) -> Option<Self> {
        let of = match &self.of {
            CelType::List(item) => CelType::clone(item),
            CelType::Dyn => CelType::Dyn,
            _ => return None,
        };
        let values = self.values.iter().filter_map(|value| value.as_array());
        let values: Vec<_> = values.flatten().collect();
        (!values.is_empty()).then(|| Self::variable(name, of, values))
    }

    /// All places, those of the facts of a type among them which have no value.
    pub(super) fn all(given: &'v Given) -> Vec<Self> {
        let variables = given.types.iter();
        let variables = variables
            .map(|(name, of)| Self::variable(name, of.clone(), vec![&given.values[*name]]));
        variables.flat_map(|place| place.below(MAX_STEPS)).collect()
    }

    /// The place, and those in it.
    pub(super) fn below(self, steps: usize) -> Vec<Self> {
        let inner = match steps {
            0 => Vec::new(),
            _ => self.steps(),
        };
        let inner = inner.into_iter().flat_map(|place| place.below(steps - 1));
        let inner: Vec<_> = inner.collect();
        std::iter::once(self).chain(inner).collect()
    }

    fn steps(&self) -> Vec<Self> {
        match &self.of {
            CelType::Object(table) => {
                let fields = table.fields.iter();
                fields
                    .map(|field| self.step(field.name, &field.of, false))
                    .collect()
            }
            CelType::Map(_, value) => {
                let keys = self.keys().into_iter().chain(["nope"]);
                keys.map(|key| self.step(key, value, true)).collect()
            }
            CelType::List(item) => (0..2).map(|at| self.item(at, item)).collect(),
            CelType::Dyn => {
                let keys = self.keys().into_iter();
                let keys = keys.map(|key| self.step(key, &CelType::Dyn, true));
                let items = self.items().map(|at| self.item(at, &CelType::Dyn));
                keys.chain(items).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The keys of its values.
    pub(super) fn keys(&self) -> BTreeSet<&'v str> {
        let maps = self.values.iter().filter(|value| !is_unknown(value));
        let maps = maps.filter_map(|value| value.as_object());
        maps.flat_map(|map| map.keys().map(String::as_str))
            .collect()
    }

    fn items(&self) -> std::ops::Range<usize> {
        let lists = self.values.iter().filter_map(|value| value.as_array());
        0..lists.map(Vec::len).max().unwrap_or_default().min(2)
    }

    fn step(&self, key: &str, of: &CelType, is_key: bool) -> Self {
        let (text, optional) = match is_name(key) {
            true => (format!(".{key}"), format!(".?{key}")),
            false => (format!("['{key}']"), format!("[?'{key}']")),
        };
        let within = self.is_sure.then(|| (self.text.clone(), key.to_owned()));
        let get = |value: &&'v Value| value.get(key);
        Self {
            within,
            is_key,
            ..self.inner(&text, &optional, of, get)
        }
    }

    fn item(&self, at: usize, of: &CelType) -> Self {
        let get = |value: &&'v Value| value.get(at);
        self.inner(&format!("[{at}]"), &format!("[?{at}]"), of, get)
    }

    fn inner(
        &self,
        text: &str,
        optional: &str,
        of: &CelType,
        get: impl Fn(&&'v Value) -> Option<&'v Value>,
    ) -> Self {
        // What is in an unknown value is as unknown.
        let of_value = |value: &&'v Value| match is_unknown(value) {
            true => Some(*value),
            false => get(value),
        };
        let values: Vec<_> = self.values.iter().filter_map(of_value).collect();
        Self {
            text: format!("{}{text}", self.text),
            optional: format!("{}{optional}", self.optional),
            within: None,
            is_key: false,
            of: of.clone(),
            is_sure: self.is_sure && !values.is_empty() && values.len() == self.values.len(),
            values,
        }
    }

    /// Some of its values are unknown.
    pub(super) fn is_unknown(&self) -> bool {
        self.values.iter().any(|value| is_unknown(value))
    }

    /// Some of its values hold an unknown one.
    pub(super) fn holds_unknown(&self) -> bool {
        let mut values = self.values.iter();
        values.any(|value| !is_unknown(value) && value.to_string().contains("$unknown"))
    }

    /// Some of its values are lists with an unknown item.
    pub(super) fn has_unknown_item(&self) -> bool {
        let lists = self.values.iter().filter_map(|value| value.as_array());
        lists.flatten().any(is_unknown)
    }

    /// Its kind, by its type, or by its values if its type is any.
    pub(super) fn kind(&self) -> Option<Kind> {
        match &self.of {
            CelType::Bool => Some(Kind::Bool),
            CelType::Int => Some(Kind::Int),
            CelType::Double => Some(Kind::Double),
            CelType::Text => Some(Kind::Text),
            CelType::Duration => Some(Kind::Duration),
            CelType::List(item) if **item == CelType::Int => Some(Kind::Ints),
            CelType::List(item) if **item == CelType::Text => Some(Kind::Texts),
            CelType::Dyn => {
                let mut kinds = self.values.iter().map(|value| dynamic(value));
                let first = kinds.next().flatten();
                first.filter(|first| kinds.all(|kind| kind == Some(*first)))
            }
            _ => None,
        }
    }
}

fn dynamic(value: &Value) -> Option<Kind> {
    match value {
        Value::Bool(_) => Some(Kind::Bool),
        Value::Number(number) if number.is_i64() => Some(Kind::Int),
        Value::Number(_) => Some(Kind::Double),
        Value::String(_) => Some(Kind::Text),
        Value::Array(items) if items.iter().all(Value::is_string) => Some(Kind::Texts),
        _ => None,
    }
}
