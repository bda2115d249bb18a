//! Rows over versions: each with the first version that has it, in an order that all versions agree with.

use std::collections::BTreeMap;

/// The rows of all versions so far.
#[derive(Default)]
pub(super) struct Weave {
    /// The keys in their order, each with what it is from which version on.
    keys: Vec<WovenKey>,
}

struct WovenKey {
    key: String,
    /// The key without what tells it from one that stood elsewhere.
    plain: String,
    /// The value from a version on. `None`: it is gone.
    values: Vec<(String, Option<String>)>,
}

/// The value of a row that a version has no longer.
const GONE: &str = "gone";

impl Weave {
    /// Adds the rows of the next version: noun and name, and the value. A name that occurs again is numbered.
    pub(super) fn add(&mut self, version: &str, rows: Vec<(String, String)>) {
        let rows = numbered(rows);
        let is_there = |woven: &WovenKey| {
            woven
                .values
                .last()
                .is_some_and(|(_, value)| value.is_some())
        };
        let mut known: BTreeMap<&str, usize> = BTreeMap::new();
        for (at, woven) in self.keys.iter().enumerate() {
            if is_there(woven) || !known.contains_key(woven.plain.as_str()) {
                known.insert(&woven.plain, at);
            }
        }
        // A row that stands elsewhere than before would change the order of all: it is a new one.
        let kept = longest_rising(rows.iter().map(|(key, _)| known.get(key.as_str()).copied()));
        let mut after = None;
        let mut inserted: Vec<(usize, WovenKey)> = Vec::new();
        let mut values: BTreeMap<usize, String> = BTreeMap::new();
        for ((key, value), kept) in rows.into_iter().zip(kept) {
            if let Some(at) = kept {
                values.insert(at, value);
                after = Some(at);
                continue;
            }
            let plain = key.clone();
            let key = if known.contains_key(key.as_str()) {
                format!("{key}~{version}")
            } else {
                key
            };
            let place = after.map_or(0, |at| at + 1);
            let values = vec![(version.to_owned(), Some(value))];
            inserted.push((place, WovenKey { key, plain, values }));
        }
        for (at, woven) in self.keys.iter_mut().enumerate() {
            let value = values.remove(&at);
            if woven.values.last().map(|(_, last)| last) != Some(&value) {
                woven.values.push((version.to_owned(), value));
            }
        }
        for (n_before, (place, woven)) in inserted.into_iter().enumerate() {
            self.keys.insert(place + n_before, woven);
        }
    }

    /// The rows as a table.
    pub(super) fn text(&self) -> Result<String, String> {
        let mut text = String::new();
        for woven in &self.keys {
            for (version, value) in &woven.values {
                let value = value.as_deref().unwrap_or(GONE);
                text.push_str(&format!("{} {version} {value}\n", woven.key));
            }
        }
        Ok(text)
    }
}

/// The rows with unique names.
fn numbered(rows: Vec<(String, String)>) -> Vec<(String, String)> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let name = |(key, value): (String, String)| {
        let n = counts.entry(key.clone()).or_default();
        *n += 1;
        (if *n == 1 { key } else { format!("{key}~{n}") }, value)
    };
    rows.into_iter().map(name).collect()
}

/// Of places, those of a longest part that rises; the others are `None`.
fn longest_rising(places: impl Iterator<Item = Option<usize>>) -> Vec<Option<usize>> {
    let places: Vec<Option<usize>> = places.collect();
    // For each length, the index of the least last place; and of each index, the one before it.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = vec![None; places.len()];
    for (index, place) in places.iter().enumerate() {
        let Some(place) = place else { continue };
        let length = ends.partition_point(|end| places[*end] < Some(*place));
        before[index] = length.checked_sub(1).map(|length| ends[length]);
        if length == ends.len() {
            ends.push(index)
        } else {
            ends[length] = index
        }
    }
    let mut kept = vec![None; places.len()];
    let mut next = ends.last().copied();
    while let Some(index) = next {
        kept[index] = places[index];
        next = before[index];
    }
    kept
}
