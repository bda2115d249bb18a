//! Fills the placeholders of a configuration for one shard.
//!
//! In: the text for all shards, and a shard. Out: the shard's text, as a [`fmt::Display`] that copies the pieces
//! between the placeholders. Mirrors the config reloader in the pod, with the environment that the operator
//! sets; `$(POD_NAME)` differs between the pods of a shard and stays.

use std::borrow::Cow;
use std::fmt;

use crate::output::Config;
use crate::sharding::plan::Shard;
use crate::sharding::{TOPOLOGY_ZONE, TOPOLOGY_ZONE_PATTERN};
use promgen_text::go::regex::quote_meta;
use promgen_text::yaml::Value;

const OPEN: &str = "$(";

/// A text as the reloader of that shard's pods writes it.
#[must_use]
pub fn expand(text: &str, shard: &Shard) -> String {
    Expanded::new(text, shard).text()
}

/// A value with the placeholders of a shard filled in.
#[must_use]
pub fn expand_value(value: &Value, shard: &Shard) -> Value {
    let entry = |(key, value): &(Cow<'static, str>, Value)| (key.clone(), expand_value(value, shard));
    match value {
        Value::Str(text) if text.contains(OPEN) => Value::from(expand(text, shard)),
        Value::Seq(items) => Value::Seq(items.iter().map(|item| expand_value(item, shard)).collect()),
        Value::Map(map) => Value::Map(map.iter().map(entry).collect()),
        Value::Null
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Uint(_)
        | Value::Float(_)
        | Value::Str(_)
        | Value::StandIn(_)
        | Value::Binary(_) => value.clone(),
    }
}

impl Config {
    /// The configuration as the reloader of that shard's pods writes it.
    #[must_use]
    pub fn expand(&self, shard: &Shard) -> Expanded<'_> {
        debug_assert!(self.packed.is_none(), "the run does not keep the text");
        Expanded::new(&self.text, shard)
    }
}

/// A configuration of one shard, which is built while it is printed.
#[derive(Clone, Debug)]
pub struct Expanded<'c> {
    text: &'c str,
    fills: Vec<(&'static str, String)>,
}

impl<'c> Expanded<'c> {
    pub(super) fn new(text: &'c str, shard: &Shard) -> Self {
        let mut fills = vec![("$(SHARD)", shard.index.to_string())];
        // Only pods of a topology-aware shard have these two in their environment.
        if let Some(zone) = &shard.zone {
            fills.push((TOPOLOGY_ZONE, zone.clone()));
            fills.push((TOPOLOGY_ZONE_PATTERN, quote_meta(zone)));
            fills.push(("$(INZONE_SHARD)", shard.in_zone.to_string()));
        }
        Self { text, fills }
    }

    /// The placeholder at the start of `text`, and its value.
    fn fill_of(&self, text: &str) -> Option<(&'static str, &str)> {
        self.fills.iter().find(|(name, _)| text.starts_with(name)).map(|(name, value)| (*name, value.as_str()))
    }
}

impl Expanded<'_> {
    /// The configuration as text. Faster than `to_string`, because it allocates once.
    #[must_use]
    pub fn text(&self) -> String {
        // A placeholder is longer than a number, and about as long as a zone's name.
        let mut out = String::with_capacity(self.text.len() + self.text.len() / 16);
        self.write_pieces(&mut out).expect("a string takes every piece");
        out
    }

    /// The length of the text, in bytes.
    pub(super) fn length(&self) -> usize {
        let mut length = Length(0);
        self.write_pieces(&mut length).expect("a length takes every piece");
        length.0
    }

    fn write_pieces(&self, out: &mut impl fmt::Write) -> fmt::Result {
        let mut done = 0;
        for start in memchr::memmem::find_iter(self.text.as_bytes(), OPEN) {
            let Some((name, value)) = self.fill_of(&self.text[start..]) else { continue };
            out.write_str(&self.text[done..start])?;
            out.write_str(value)?;
            done = start + name.len();
        }
        out.write_str(&self.text[done..])
    }
}

/// The number of bytes that are written to it.
struct Length(usize);

impl fmt::Write for Length {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        self.0 += piece.len();
        Ok(())
    }
}

impl fmt::Display for Expanded<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_pieces(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expand(text: &str, zone: Option<&str>) -> String {
        let config = Config { text: text.to_owned(), ..Config::default() };
        config.expand(&Shard { index: 10, zone: zone.map(str::to_owned), in_zone: 3 }).to_string()
    }

    #[test]
    fn placeholders_of_the_shard_are_filled_and_the_pod_name_stays() {
        let text = "$(SHARD);$(TOPOLOGY_ZONE);$(INZONE_SHARD) $(POD_NAME) $(SHAR $( $";
        assert_eq!(expand(text, Some("zone-a")), "10;zone-a;3 $(POD_NAME) $(SHAR $( $");
    }

    #[test]
    fn without_zones_the_zone_placeholders_stay() {
        assert_eq!(expand("$(TOPOLOGY_ZONE)$(SHARD)$(SHARD)", None), "$(TOPOLOGY_ZONE)1010");
    }

    #[test]
    fn what_is_filled_in_is_not_expanded_again() {
        assert_eq!(expand("$(TOPOLOGY_ZONE)", Some("$(SHARD)")), "$(SHARD)");
    }
}
