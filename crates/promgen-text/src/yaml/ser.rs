//! Values into the formats of serde.

use serde::ser::{Serialize, SerializeMap as _, Serializer};

use crate::yaml::{Map, Value, ValueText};

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(bool) => serializer.serialize_bool(*bool),
            Self::Int(int) => serializer.serialize_i64(*int),
            Self::Uint(int) => serializer.serialize_u64(*int),
            Self::Float(float) => serializer.serialize_f64(*float),
            Self::Str(text) | Self::StandIn(text) | Self::Binary(text) => {
                serializer.serialize_str(text)
            }
            Self::Seq(items) => serializer.collect_seq(items),
            Self::Map(map) => map.serialize(serializer),
        }
    }
}

impl Serialize for Map {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut entries = serializer.serialize_map(Some(self.len()))?;
        for (key, value) in self {
            entries.serialize_entry(key, value)?;
        }
        entries.end()
    }
}

impl Serialize for ValueText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}
