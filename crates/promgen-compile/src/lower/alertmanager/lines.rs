//! The lines of a configuration in a Secret, so that findings can name the line of a route in the Secret.

use std::collections::BTreeMap;

use promgen_text::yaml::Node;

/// The maximum depth of routes; deeper ones have no line. Real configurations stay far below.
const MAX_DEPTH: usize = 64;

/// The lines of routes, by the index at each depth, and of the items of the lists at the top.
#[derive(Clone, Debug, Default)]
pub(super) struct Lines {
    routes: BTreeMap<Vec<usize>, usize>,
    items: BTreeMap<&'static str, Vec<usize>>,
}

/// The lists at the top.
const LISTS: [&str; 4] = [
    "inhibit_rules",
    "receivers",
    "mute_time_intervals",
    "time_intervals",
];

impl Lines {
    /// The lines of a text and what was read from it.
    pub(super) fn new(text: &str, root: &Node) -> Self {
        let mut lines = Self::default();
        if let Some(route) = root.get("route") {
            lines.add(text, route, &mut Vec::new());
        }
        for list in LISTS {
            let items = root.get(list).map(Node::items).unwrap_or_default();
            lines
                .items
                .insert(list, items.iter().map(|item| line(text, item)).collect());
        }
        lines
    }

    fn add(&mut self, text: &str, route: &Node, way: &mut Vec<usize>) {
        self.routes.insert(way.clone(), line(text, route));
        let below = if way.len() < MAX_DEPTH {
            route.get("routes").map(Node::items).unwrap_or_default()
        } else {
            &[]
        };
        for (index, route) in below.iter().enumerate() {
            way.push(index);
            self.add(text, route, way);
            way.pop();
        }
    }

    /// The line of a route.
    pub(super) fn of_route(&self, way: &[usize]) -> Option<usize> {
        self.routes.get(way).copied()
    }

    /// The line of an item of a list at the top.
    pub(super) fn of_item(&self, list: &str, index: usize) -> Option<usize> {
        self.items.get(list)?.get(index).copied()
    }
}

fn line(text: &str, node: &Node) -> usize {
    let before = text
        .as_bytes()
        .get(..node.span.start as usize)
        .unwrap_or_default();
    1 + memchr::memchr_iter(b'\n', before).count()
}
