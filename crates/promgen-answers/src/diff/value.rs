//! The places at which two values differ.
//!
//! In: two values. Out: [`FieldChange`]s, each with its path. Lists of maps that have names are compared by name; of other lists the
//! common start and end are left out. The order of keys makes no difference. A value that may be secret is not shown.

pub(crate) mod shown;

use std::collections::BTreeMap;
use std::fmt;

pub(crate) use shown::{HiddenSecrets, Shades};

use promgen_text::yaml::{Map, Value};

changes! {
    /// The kind of a change.
    #[derive(Copy, Default, PartialOrd, Ord, Hash)]
    enum Change {
        /// It is new.
        Added,
        /// It is gone.
        Removed,
        /// It differs.
        #[default]
        Changed,
        /// It is elsewhere in its list.
        Moved,
    }
}

impl Change {
    /// The change of a thing that the base or the head may have.
    pub(crate) const fn of(in_base: bool, in_head: bool) -> Self {
        match (in_base, in_head) {
            (false, true) => Self::Added,
            (true, false) => Self::Removed,
            _ => Self::Changed,
        }
    }
}

changes! {
    /// A field that differs.
    #[derive(Default, Hash)]
    FieldChange {
        /// Its path.
        path: String,
        /// The kind of change.
        change: Change,
        /// Its value in the base, cut if it is long. `None` if there is none, or if it may not be shown.
        from?: String,
        /// Its value in the head, likewise.
        to?: String,
    }
}

/// A step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ValueStep {
    /// An entry of a map.
    Key(String),
    /// An item of a list.
    Index(usize),
    /// An item of a list, by the entry that names it.
    Named(&'static str, String),
}

/// A place at which two values differ.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Delta<'v> {
    /// Its path.
    pub(crate) path: Vec<ValueStep>,
    /// The kind of change.
    pub(crate) change: Change,
    /// The value in the base.
    pub(crate) from: Option<&'v Value>,
    /// The value in the head.
    pub(crate) to: Option<&'v Value>,
}

/// The entries that name an item of a list.
const NAMES: &[&str] = &["name", "job_name", "uid", "shardID", "type", "mountPath"];

/// The places at which two values differ; none if only the order of keys does.
pub(crate) fn diff<'v>(base: &'v Value, head: &'v Value) -> Vec<Delta<'v>> {
    let mut walk = ValueWalk::default();
    walk.values(base, head);
    walk.found
}

/// The differences of two maps.
pub(crate) fn diff_maps<'v>(base: &'v Map, head: &'v Map) -> Vec<Delta<'v>> {
    let mut walk = ValueWalk::default();
    walk.maps(base, head);
    walk.found
}

impl ValueStep {
    /// The key of a map, if it is one.
    pub(crate) fn key(&self) -> Option<&str> {
        match self {
            Self::Key(key) => Some(key),
            Self::Index(_) | Self::Named(..) => None,
        }
    }

    /// The value that it leads to.
    pub(crate) fn of<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        match self {
            Self::Key(key) => value.get(key),
            Self::Index(at) => value.as_seq()?.get(*at),
            Self::Named(key, name) => value
                .as_seq()?
                .iter()
                .find(|item| name_of(key, item).as_ref() == Some(name)),
        }
    }
}

/// A path as text: `spec.containers[web].image`.
pub(crate) fn path_text(path: &[ValueStep]) -> String {
    let mut out = String::new();
    for step in path {
        let is_plain = |key: &str| {
            key.chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '$'))
        };
        match step {
            ValueStep::Key(key) if !is_plain(key) || key.is_empty() => {
                out.push_str(&format!("[{key:?}]"))
            }
            ValueStep::Key(key) => {
                out.push_str(if out.is_empty() { "" } else { "." });
                out.push_str(key);
            }
            ValueStep::Index(index) => out.push_str(&format!("[{index}]")),
            ValueStep::Named(_, name) => out.push_str(&format!("[{name}]")),
        }
    }
    out
}

impl fmt::Display for Delta<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&path_text(&self.path))
    }
}

#[derive(Default)]
struct ValueWalk<'v> {
    path: Vec<ValueStep>,
    found: Vec<Delta<'v>>,
}

impl<'v> ValueWalk<'v> {
    fn report(&mut self, change: Change, from: Option<&'v Value>, to: Option<&'v Value>) {
        self.found.push(Delta {
            path: self.path.clone(),
            change,
            from,
            to,
        });
    }

    fn below(&mut self, step: ValueStep, compare: impl FnOnce(&mut Self)) {
        self.path.push(step);
        compare(self);
        self.path.pop();
    }

    fn values(&mut self, base: &'v Value, head: &'v Value) {
        match (base, head) {
            // First, as to order the entries of large maps takes longer.
            _ if base == head => {}
            (Value::Map(a), Value::Map(b)) => self.maps(a, b),
            (Value::Seq(a), Value::Seq(b)) => self.lists(a, b),
            _ => self.report(Change::Changed, Some(base), Some(head)),
        }
    }

    /// Entries of the same key, which the operator writes for agents, are compared in their order.
    fn maps(&mut self, base: &'v Map, head: &'v Map) {
        let (old, new) = (numbered(base), numbered(head));
        let (of_old, of_new): (BTreeMap<_, _>, BTreeMap<_, _>) =
            (old.iter().copied().collect(), new.iter().copied().collect());
        for (key, value) in &old {
            self.below(ValueStep::Key(key.0.to_owned()), |walk| {
                match of_new.get(key) {
                    Some(other) => walk.values(value, other),
                    None => walk.report(Change::Removed, Some(value), None),
                }
            });
        }
        for (key, value) in new.iter().filter(|(key, _)| !of_old.contains_key(key)) {
            self.below(ValueStep::Key(key.0.to_owned()), |walk| {
                walk.report(Change::Added, None, Some(value))
            });
        }
    }

    fn lists(&mut self, base: &'v [Value], head: &'v [Value]) {
        match NAMES
            .iter()
            .find_map(|key| Some((*key, by_name(key, base)?, by_name(key, head)?)))
        {
            Some((key, old, new)) => self.named(key, base, &old, head, &new),
            None => self.items(base, head),
        }
    }

    fn named(
        &mut self,
        key: &'static str,
        base: &'v [Value],
        old: &BTreeMap<String, &'v Value>,
        head: &'v [Value],
        new: &BTreeMap<String, &'v Value>,
    ) {
        let step = |item: &Value| ValueStep::Named(key, name_of(key, item).unwrap_or_default());
        let both = |items: &'v [Value], other: &BTreeMap<String, &Value>| -> Vec<String> {
            let names = items.iter().filter_map(|item| name_of(key, item));
            names.filter(|name| other.contains_key(name)).collect()
        };
        if both(base, new) != both(head, old) {
            self.report(Change::Moved, None, None);
        }
        for item in base {
            self.below(step(item), |walk| {
                match name_of(key, item).and_then(|name| new.get(&name)) {
                    Some(other) => walk.values(item, other),
                    None => walk.report(Change::Removed, Some(item), None),
                }
            });
        }
        for item in head
            .iter()
            .filter(|item| name_of(key, item).is_none_or(|name| !old.contains_key(&name)))
        {
            self.below(step(item), |walk| {
                walk.report(Change::Added, None, Some(item))
            });
        }
    }

    fn items(&mut self, base: &'v [Value], head: &'v [Value]) {
        let (n_start, n_end) = common_ends(base, head);
        let inner = |items: &'v [Value]| &items[n_start..items.len() - n_end];
        let (old, new) = (inner(base), inner(head));
        if old.len() == new.len() {
            for (index, (a, b)) in (n_start..).zip(old.iter().zip(new)) {
                self.below(ValueStep::Index(index), |walk| walk.values(a, b));
            }
            return;
        }
        for (index, item) in (n_start..).zip(old) {
            self.below(ValueStep::Index(index), |walk| {
                walk.report(Change::Removed, Some(item), None)
            });
        }
        for (index, item) in (n_start..).zip(new) {
            self.below(ValueStep::Index(index), |walk| {
                walk.report(Change::Added, None, Some(item))
            });
        }
    }
}

/// The number of items that two lists have in common at their starts, and at their ends.
pub(crate) fn common_ends<T: PartialEq>(a: &[T], b: &[T]) -> (usize, usize) {
    let n_start = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (a[n_start..].iter().rev(), b[n_start..].iter().rev());
    (n_start, a.zip(b).take_while(|(a, b)| a == b).count())
}

/// The key of an entry, and the number of entries of that key before it.
type NumberedKey<'v> = (&'v str, usize);

fn numbered(map: &Map) -> Vec<(NumberedKey<'_>, &Value)> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut number = |key| {
        let count = counts.entry(key).or_default();
        *count += 1;
        *count - 1
    };
    map.iter()
        .map(|(key, value)| ((key.as_ref(), number(key.as_ref())), value))
        .collect()
}

fn name_of(key: &str, item: &Value) -> Option<String> {
    match item.get(key)? {
        Value::Str(text) | Value::StandIn(text) | Value::Binary(text) => Some(text.to_string()),
        Value::Int(number) => Some(number.to_string()),
        _ => None,
    }
}

/// The items by that entry. `None` if any lacks it, or two have the same.
fn by_name<'v>(key: &str, items: &'v [Value]) -> Option<BTreeMap<String, &'v Value>> {
    let mut named = BTreeMap::new();
    for item in items {
        if named.insert(name_of(key, item)?, item).is_some() {
            return None;
        }
    }
    Some(named)
}

#[cfg(test)]
mod tests;
