//! What expressions are given: variables, with their values and their types.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use promgen_cel::{CelObject, CelObjectType, CelText, CelType, CelValue};
use promgen_policy::facts::VARIABLES;

use super::{folder, types};

/// Variables.
pub(super) struct Given {
    pub(super) values: BTreeMap<String, Value>,
    pub(super) types: BTreeMap<&'static str, CelType>,
    /// The facts that expressions have asked for: `metric.name`.
    asked: Mutex<BTreeSet<String>>,
}

impl Given {
    fn read(name: &str, types: BTreeMap<&'static str, CelType>) -> Self {
        Self {
            values: serde_json::from_str(&fs::read_to_string(folder().join(name)).unwrap())
                .unwrap(),
            types,
            asked: Mutex::default(),
        }
    }

    /// The variables of expressions by hand, which have all types.
    pub(super) fn invented() -> Self {
        let types = types::INVENTED.iter();
        Self::read(
            "variables.json",
            types.map(|of| (of.name, of.of.clone())).collect(),
        )
    }

    /// The variables of policies, with the types that policies have. cel-go has no maps of which nobody knows all keys: `rule.sent`,
    /// `rule.keeps` and `endpoint.drops` are maps as all others.
    pub(super) fn facts() -> Self {
        let facts = VARIABLES.map(|table| (table.name, CelType::Object(table)));
        let others = [("object", CelType::Dyn), ("environment", CelType::Text)];
        Self::read("facts.json", facts.into_iter().chain(others).collect())
    }

    /// The values of the variables, all computed before.
    pub(super) fn computed(&self) -> BTreeMap<&str, CelValue<'_>> {
        let values = self.values.iter();
        values
            .map(|(name, value)| (&**name, computed(value)))
            .collect()
    }

    /// The values whose objects are computed when they are asked for, and which note that.
    pub(super) fn later(&self) -> BTreeMap<&str, CelValue<'_>> {
        let value = |(name, of): (&&'static str, _)| (*name, self.object(of, &self.values[*name]));
        self.types.iter().map(value).collect()
    }

    fn object<'v>(&'v self, of: &CelType, value: &'v Value) -> CelValue<'v> {
        match (of, value) {
            (CelType::List(item), Value::Array(items)) => {
                CelValue::List(items.iter().map(|value| self.object(item, value)).collect())
            }
            (CelType::Object(table), Value::Object(map)) if !is_special(value) => {
                let value = |field: &'static promgen_cel::CelField| {
                    let value = map.get(field.name)?;
                    Some((field.name, self.object(&field.of, value)))
                };
                CelValue::Object(Box::leak(Box::new(AskedFacts {
                    table,
                    values: table.fields.iter().filter_map(value).collect(),
                    asked: &self.asked,
                })))
            }
            _ => computed(value),
        }
    }

    /// The facts that no expression has asked for.
    pub(super) fn unasked(&self) -> Vec<String> {
        let mut tables = BTreeMap::new();
        self.types
            .values()
            .for_each(|of| types::tables(of, &mut tables));
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let all = tables.values().flat_map(|table| {
            let fields = table.fields.iter();
            fields.map(|field| format!("{}.{}", table.name, field.name))
        });
        all.filter(|fact| !asked.contains(fact)).collect()
    }

    /// The values that are as a document has them.
    pub(super) fn documents(&self) -> impl Iterator<Item = (&str, &Value)> {
        let is_document = |value: &Value| !value.to_string().contains("\"$");
        let values = self.values.iter();
        values.filter_map(move |(name, value)| is_document(value).then_some((&**name, value)))
    }
}

/// Facts that note which of them are asked for.
struct AskedFacts<'v> {
    table: &'static CelObjectType,
    values: BTreeMap<&'static str, CelValue<'v>>,
    asked: &'v Mutex<BTreeSet<String>>,
}

impl CelObject for AskedFacts<'_> {
    fn field(&self, name: &str) -> Option<CelValue<'_>> {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.insert(format!("{}.{name}", self.table.name));
        self.values.get(name).cloned()
    }

    fn keys(&self) -> Vec<CelText<'_>> {
        let names = self.values.keys();
        names.map(|name| CelText::Borrowed(name)).collect()
    }
}

/// Returns whether a value is one that JSON has not.
pub(super) fn is_special(value: &Value) -> bool {
    is_unknown(value) || value.get("$seconds").is_some()
}

pub(super) fn is_unknown(value: &Value) -> bool {
    value.get("$unknown").is_some()
}

/// A value of JSON as one of its own; `{"$unknown": 1}` is one that nobody knows, `{"$seconds": 60}` a length of time.
fn computed(value: &Value) -> CelValue<'_> {
    match value {
        Value::Array(items) => CelValue::List(items.iter().map(computed).collect()),
        Value::Object(_) if is_unknown(value) => CelValue::Unknown(CelText::Borrowed("the chart")),
        Value::Object(map) => match map.get("$seconds").and_then(Value::as_i64) {
            Some(seconds) => CelValue::Duration(seconds * 1_000_000_000),
            None => {
                let entry = |(key, value): (&_, _)| (CelValue::text(key), computed(value));
                CelValue::map(map.iter().map(entry).collect())
            }
        },
        _ => CelValue::Json(value).resolved(),
    }
}
