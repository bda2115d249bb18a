//! Values as JSON.

use serde::ser::{Serialize, SerializeMap, Serializer};

use promgen_text::yaml::{Map, Value};

/// A value that serializes as itself.
pub(super) struct AsJson<'v>(pub(super) &'v Value);

impl Serialize for AsJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Null => serializer.serialize_unit(),
            Value::Bool(b) => serializer.serialize_bool(*b),
            Value::Int(i) => serializer.serialize_i64(*i),
            Value::Uint(u) => serializer.serialize_u64(*u),
            Value::Float(f) => serializer.serialize_f64(*f),
            Value::Str(s) | Value::StandIn(s) | Value::Binary(s) => serializer.serialize_str(s),
            Value::Seq(items) => serializer.collect_seq(items.iter().map(AsJson)),
            Value::Map(map) => {
                let mut entries = serializer.serialize_map(None)?;
                serialize_entries(map, &mut entries)?;
                entries.end()
            }
        }
    }
}

/// Adds the entries of a map to one that is being written.
pub(super) fn serialize_entries<M: SerializeMap>(
    map: &Map,
    entries: &mut M,
) -> Result<(), M::Error> {
    map.iter()
        .try_for_each(|(key, value)| entries.serialize_entry(key, &AsJson(value)))
}
