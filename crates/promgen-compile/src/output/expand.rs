//! Fills the placeholders of a configuration for one shard.
//!
//! In: the text for all shards, and a shard. Out: the shard's text, as a [`fmt::Display`] that copies the pieces
//! between the placeholders. Mirrors the config reloader in the pod, with the environment that the operator
//! sets; `$(POD_NAME)` differs between the pods of a shard and stays.

use std::borrow::Cow;
use std::fmt;

use crate::output::Config;
use crate::sharding::plan::Shard;
use crate::sharding::{TOPOLOGY_ZONE, TOPOLOGY_ZONE_PATTERN, zone_pattern};
use promgen_text::go::regex::quote_meta;
use promgen_text::yaml::{MapEntry, Value};

const OPEN: &str = "$(";

/// A text as the reloader of that shard's pods writes it.
#[must_use]
pub fn expand(text: &str, shard: &Shard) -> String {
    Expandable::new(text.into()).of(shard).text()
}

/// A value with the placeholders of a shard filled in.
#[must_use]
pub fn expand_value(value: &Value, shard: &Shard) -> Value {
    let entry = |(key, value): &MapEntry| (key.clone(), expand_value(value, shard));
    match value {
        Value::Str(text) if text == TOPOLOGY_ZONE_PATTERN => match &shard.zone {
            // What the reloader writes is YAML; this is the text that it stands for.
            Some(zone) => Value::from(quote_meta(zone)),
            None => value.clone(),
        },
        Value::Str(text) if text.contains(OPEN) => Value::from(expand(text, shard)),
        Value::Seq(items) => {
            Value::Seq(items.iter().map(|item| expand_value(item, shard)).collect())
        }
        Value::Map(map) => Value::Map(map.iter().map(entry).collect()),
        _ => value.clone(),
    }
}

impl Config {
    /// The configuration as the reloader of that shard's pods writes it.
    #[must_use]
    pub fn expand(&self, shard: &Shard) -> ShardConfig<'_> {
        self.expandable().into_shard(shard)
    }

    /// The configuration for those who ask for several shards: its placeholders are looked for once.
    #[must_use]
    pub fn expandable(&self) -> Expandable<'_> {
        Expandable::new(Cow::from(self.text()))
    }
}

/// The differences from shard to shard.
#[derive(Clone, Copy, Debug)]
enum ShardPlaceholder {
    Shard,
    Zone,
    ZonePattern,
    InZone,
}

impl ShardPlaceholder {
    const ALL: [Self; 4] = [Self::Shard, Self::Zone, Self::ZonePattern, Self::InZone];

    /// As it stands in a text.
    const fn name(self) -> &'static str {
        match self {
            Self::Shard => "$(SHARD)",
            Self::Zone => TOPOLOGY_ZONE,
            Self::ZonePattern => TOPOLOGY_ZONE_PATTERN,
            Self::InZone => "$(INZONE_SHARD)",
        }
    }

    /// Its value for a shard. Only pods of a topology-aware shard have more than the number of the shard in their environment.
    fn value(self, shard: &Shard) -> Option<Cow<'_, str>> {
        match (self, &shard.zone) {
            (Self::Shard, _) => Some(shard.index.to_string().into()),
            (Self::Zone, zone) => zone.as_deref().map(Cow::from),
            (Self::ZonePattern, zone) => zone.as_deref().map(|zone| zone_pattern(zone).into()),
            (Self::InZone, Some(_)) => Some(shard.in_zone.to_string().into()),
            (Self::InZone, None) => None,
        }
    }
}

/// A text, and the places of its placeholders.
#[derive(Clone, Debug)]
pub struct Expandable<'t> {
    text: Cow<'t, str>,
    places: Cow<'t, [(usize, ShardPlaceholder)]>,
}

impl<'t> Expandable<'t> {
    pub(super) fn new(text: Cow<'t, str>) -> Self {
        let placeholder = |start: usize| {
            let found = ShardPlaceholder::ALL
                .into_iter()
                .find(|placeholder| text[start..].starts_with(placeholder.name()));
            found.map(|placeholder| (start, placeholder))
        };
        let places: Vec<_> = memchr::memmem::find_iter(text.as_bytes(), OPEN)
            .filter_map(placeholder)
            .collect();
        Self {
            text,
            places: places.into(),
        }
    }

    /// The text as it is written.
    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    /// The text of a shard.
    #[must_use]
    pub fn of(&self, shard: &Shard) -> ShardConfig<'_> {
        Expandable {
            text: Cow::from(&*self.text),
            places: Cow::from(&*self.places),
        }
        .into_shard(shard)
    }

    /// The text of a shard, which takes the text along.
    pub(super) fn into_shard(self, shard: &Shard) -> ShardConfig<'t> {
        let values =
            ShardPlaceholder::ALL.map(|placeholder| placeholder.value(shard).map(Cow::into_owned));
        ShardConfig {
            source: self,
            values,
        }
    }
}

/// A configuration of one shard, which is built while it is printed.
#[derive(Clone, Debug)]
pub struct ShardConfig<'c> {
    source: Expandable<'c>,
    /// The values of [`ShardPlaceholder::ALL`].
    values: [Option<String>; 4],
}

impl ShardConfig<'_> {
    /// The configuration as text. Faster than `to_string`, because it allocates once.
    #[must_use]
    pub fn text(&self) -> String {
        let mut out = String::with_capacity(self.length());
        self.write_pieces(&mut out)
            .expect("a string takes every piece");
        out
    }

    /// The placeholders that are filled in, each with its place and its value.
    fn filled(&self) -> impl Iterator<Item = (usize, ShardPlaceholder, &str)> {
        let value = |placeholder: ShardPlaceholder| self.values[placeholder as usize].as_deref();
        self.source
            .places
            .iter()
            .filter_map(move |(start, found)| Some((*start, *found, value(*found)?)))
    }

    /// The length of the text, in bytes.
    pub(super) fn length(&self) -> usize {
        self.filled()
            .fold(self.source.text.len(), |length, (_, placeholder, value)| {
                length - placeholder.name().len() + value.len()
            })
    }

    fn write_pieces(&self, out: &mut impl fmt::Write) -> fmt::Result {
        let (text, mut done) = (&*self.source.text, 0);
        for (start, placeholder, value) in self.filled() {
            out.write_str(&text[done..start])?;
            out.write_str(value)?;
            done = start + placeholder.name().len();
        }
        out.write_str(&text[done..])
    }
}

impl fmt::Display for ShardConfig<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_pieces(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expand(text: &str, zone: Option<&str>) -> String {
        let config = Config::of_text(text, Vec::new());
        config
            .expand(&Shard {
                index: 10,
                zone: zone.map(str::to_owned),
                in_zone: 3,
            })
            .to_string()
    }

    #[test]
    fn placeholders_of_the_shard_are_filled_and_the_pod_name_stays() {
        let text = "$(SHARD);$(TOPOLOGY_ZONE);$(INZONE_SHARD) $(POD_NAME) $(SHAR $( $";
        assert_eq!(
            expand(text, Some("zone-a")),
            "10;zone-a;3 $(POD_NAME) $(SHAR $( $"
        );
    }

    #[test]
    fn without_zones_the_zone_placeholders_stay() {
        assert_eq!(
            expand("$(TOPOLOGY_ZONE)$(SHARD)$(SHARD)", None),
            "$(TOPOLOGY_ZONE)1010"
        );
    }

    #[test]
    fn a_zone_that_yaml_reads_as_no_text_stands_in_quotes() {
        for (zone, written) in [
            ("null", "\"null\""),
            ("1", "\"1\""),
            ("#x", "'#x'"),
            ("a: b", "'a: b'"),
            ("a.b", "a\\.b"),
        ] {
            assert_eq!(expand(TOPOLOGY_ZONE_PATTERN, Some(zone)), written);
            let shard = Shard {
                index: 0,
                zone: Some(zone.to_owned()),
                in_zone: 0,
            };
            let value = expand_value(&Value::from(TOPOLOGY_ZONE_PATTERN.to_owned()), &shard);
            assert_eq!(value, Value::from(quote_meta(zone)));
        }
    }

    #[test]
    fn what_is_filled_in_is_not_expanded_again() {
        assert_eq!(expand("$(TOPOLOGY_ZONE)", Some("$(SHARD)")), "$(SHARD)");
    }
}
