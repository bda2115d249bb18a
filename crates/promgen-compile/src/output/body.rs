//! Stores similar objects as differences.
//!
//! In: the objects of the shards of a workload, one after the other. Out: the first, and the
//! differing values of each other one. A workload of a thousand shards stores one StatefulSet, not a thousand; each is
//! assembled while it is written.

use std::borrow::Cow;
use std::sync::Arc;

use crate::output::OutputObject;
use promgen_text::yaml::Value;

/// The content of an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// The object, or one like it.
    base: Arc<Value>,
    /// The differences from that, in order of place.
    changes: Vec<Substitution>,
}

/// A value that replaces another.
#[derive(Clone, Debug, PartialEq)]
struct Substitution {
    /// Its path: at each level the index of the entry or item.
    path: Box<[u32]>,
    value: Value,
}

impl From<Value> for Body {
    fn from(value: Value) -> Self {
        Self {
            base: Arc::new(value),
            changes: Vec::new(),
        }
    }
}

impl Body {
    /// The object, keys in the conventional order.
    #[must_use]
    pub fn value(&self) -> Cow<'_, Value> {
        if self.changes.is_empty() {
            return Cow::Borrowed(&self.base);
        }
        let mut value = (*self.base).clone();
        for change in &self.changes {
            if let Some(place) = change
                .path
                .iter()
                .try_fold(&mut value, |value, at| child(value, *at))
            {
                place.clone_from(&change.value);
            }
        }
        Cow::Owned(value)
    }

    /// The memory that it takes, about, beside that of the object that it is like.
    pub(crate) fn weight(&self) -> usize {
        let changes = self
            .changes
            .iter()
            .map(|change| size_of_val(change) + size_of_val(&*change.path) + change.value.weight());
        let base = if self.changes.is_empty() {
            self.base.weight()
        } else {
            0
        };
        base + changes.sum::<usize>()
    }

    /// The kind of the object.
    #[must_use]
    pub fn kind(&self) -> &str {
        self.base.text_or_empty("kind")
    }

    /// The object, stored as its differences from another one of its kind.
    fn like(self, other: &Self) -> Self {
        if !self.changes.is_empty() || self.kind() != other.kind() || !other.changes.is_empty() {
            return self;
        }
        let mut changes = Vec::new();
        differ(&other.base, &self.base, &mut Vec::new(), &mut changes);
        // A change at the root is the object itself.
        if changes.iter().any(|change| change.path.is_empty()) {
            return self;
        }
        Self {
            base: Arc::clone(&other.base),
            changes,
        }
    }
}

impl OutputObject {
    /// The object, keys in the conventional order.
    #[must_use]
    pub fn value(&self) -> Cow<'_, Value> {
        self.body.value()
    }

    /// Stores the object as differences from the first of the preceding ones.
    pub fn beside(self, first: Option<&Self>) -> Self {
        match first {
            Some(first) => Self {
                body: self.body.like(&first.body),
                ..self
            },
            None => self,
        }
    }
}

fn child(value: &mut Value, at: u32) -> Option<&mut Value> {
    match value {
        Value::Seq(items) => items.get_mut(at as usize),
        Value::Map(map) => map
            .entries_mut()
            .get_mut(at as usize)
            .map(|(_, value)| value),
        _ => None,
    }
}

/// Collects the places at which two values differ.
fn differ(base: &Value, value: &Value, path: &mut Vec<u32>, changes: &mut Vec<Substitution>) {
    let mut each = |pairs: &mut dyn Iterator<Item = (&Value, &Value)>| {
        for (at, (base, value)) in (0..).zip(pairs) {
            path.push(at);
            differ(base, value, path, changes);
            path.pop();
        }
    };
    match (base, value) {
        (Value::Seq(old), Value::Seq(new)) if old.len() == new.len() => {
            each(&mut old.iter().zip(new))
        }
        (Value::Map(old), Value::Map(new))
            if old.iter().map(|(k, _)| k).eq(new.iter().map(|(k, _)| k)) =>
        {
            each(
                &mut old
                    .iter()
                    .map(|(_, value)| value)
                    .zip(new.iter().map(|(_, value)| value)),
            );
        }
        _ if base == value => {}
        _ => changes.push(Substitution {
            path: path.as_slice().into(),
            value: value.clone(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_text::yaml::read::read_slices;
    use proptest::prelude::*;

    fn value(yaml: &str) -> Value {
        read_slices(yaml).unwrap().unwrap().to_value()
    }

    #[test]
    fn an_object_is_held_as_what_it_differs_in() {
        let base = Body::from(value(
            "{kind: A, m: {name: x-0, n: [1, 2]}, e: [{v: a}, {v: b}]}",
        ));
        let other = value("{kind: A, m: {name: x-1, n: [1]}, e: [{v: a}, {v: c}]}");
        let like = Body::from(other.clone()).like(&base);
        assert_eq!(like.changes.len(), 3);
        assert!(Arc::ptr_eq(&like.base, &base.base));
        assert_eq!((like.value().into_owned(), like.kind()), (other, "A"));
        let strange = Body::from(value("{kind: B}")).like(&base);
        assert!(strange.changes.is_empty() && strange.kind() == "B");
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![Just(Value::Null), (0..3_i64).prop_map(Value::Int)];
        leaf.prop_recursive(3, 20, 3, |inner| {
            let key = prop::sample::select(vec!["a", "b", "c"]);
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(Value::Seq),
                prop::collection::vec((key, inner), 0..3)
                    .prop_map(|entries| Value::Map(entries.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_held_is_what_was_given(base in any_value(), other in any_value()) {
            let like = Body::from(other.clone()).like(&Body::from(base));
            prop_assert_eq!(like.value().into_owned(), other);
        }
    }
}
