//! Values that stand in several places of an object at once.
//!
//! When Kustomize adds a label or annotation, all places where it was absent get one and the same value: what changes it in
//! one place later, such as a patch or the label of an overlay, changes it in all of them. Operations of JSON write the
//! object anew, and then each place has its own.

use promgen_text::route::Segment;
use promgen_text::yaml::{Data, Node};

/// A value with its places.
#[derive(Clone, Debug)]
struct SharedGroup {
    value: Node,
    ways: Vec<Vec<Segment>>,
}

/// The values of an object that stand in several places.
#[derive(Clone, Debug, Default)]
pub(crate) struct SharedValues {
    groups: Vec<SharedGroup>,
}

impl SharedValues {
    /// Records a value that was put in several places.
    pub(crate) fn add(&mut self, value: Node, ways: Vec<Vec<Segment>>) {
        if ways.len() > 1 {
            self.groups.push(SharedGroup { value, ways });
        }
    }

    /// Brings the other places up to date where one has changed.
    pub(crate) fn settle(&mut self, object: &mut Node) {
        for group in &mut self.groups {
            // A place that was removed has no part in later changes.
            group.ways.retain(|way| find_mut(object, way).is_some());
            let mut values = group
                .ways
                .iter()
                .filter_map(|way| find_mut(object, way).map(|node| node.clone()));
            // At most one place has changed since the last time, so the first difference is the new value.
            let Some(changed) = values.find(|node| *node != group.value) else {
                continue;
            };
            for way in &group.ways {
                if let Some(node) = find_mut(object, way) {
                    node.clone_from(&changed);
                }
            }
            group.value = changed;
        }
        self.groups.retain(|group| group.ways.len() > 1);
    }

    /// The number of values that [`SharedValues::settle`] looks at, at most, as far as labels and annotations make them
    /// many.
    pub(super) fn n_steps(&self, object: &Node) -> usize {
        let longest = ["labels", "annotations"].map(|key| {
            object
                .find(&["metadata", key])
                .map_or(0, |map| map.entries().len())
        });
        self.groups.len() * (1 + longest.into_iter().max().unwrap_or_default() / 4)
    }

    /// Forgets all of them.
    pub(crate) fn clear(&mut self) {
        self.groups.clear();
    }
}

fn find_mut<'n>(node: &'n mut Node, way: &[Segment]) -> Option<&'n mut Node> {
    way.iter()
        .try_fold(node, |node, step| match (step, &mut node.data) {
            (Segment::Key(key), Data::Map(entries)) => entries
                .iter_mut()
                .find(|entry| entry.key == **key)
                .map(|entry| &mut entry.value),
            (Segment::Index(index), Data::Seq(items)) => items.get_mut(*index),
            _ => None,
        })
}
