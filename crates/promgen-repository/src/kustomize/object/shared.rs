//! Values that stand in several places of an object at once.
//!
//! When Kustomize adds a label or annotation, all places where it was absent get one and the same value: what changes it in
//! one place later, such as a patch or the label of an overlay, changes it in all of them. Operations of JSON write the
//! object anew, and then each place has its own.

use promgen_text::route::Segment;
use promgen_text::yaml::Node;

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
    pub(crate) fn update(&mut self, object: &mut Node) {
        for group in &mut self.groups {
            // A place that was removed has no part in later changes.
            group.ways.retain(|way| object.at_mut(way).is_some());
            let mut values = group
                .ways
                .iter()
                .filter_map(|way| object.at_mut(way).map(|node| node.clone()));
            // At most one place has changed since the last time, so the first difference is the new value.
            let Some(changed) = values.find(|node| *node != group.value) else {
                continue;
            };
            for way in &group.ways {
                if let Some(node) = object.at_mut(way) {
                    node.clone_from(&changed);
                }
            }
            group.value = changed;
        }
        self.groups.retain(|group| group.ways.len() > 1);
    }

    /// The number of values that [`SharedValues::update`] looks at, at most, as far as labels and annotations make them
    /// many.
    pub(super) fn n_steps(&self, object: &Node) -> usize {
        let longest =
            ["labels", "annotations"].map(|key| object.entries_at(&["metadata", key]).len());
        self.groups.len() * (1 + longest.into_iter().max().unwrap_or_default() / 4)
    }

    /// Forgets all of them.
    pub(crate) fn clear(&mut self) {
        self.groups.clear();
    }
}
