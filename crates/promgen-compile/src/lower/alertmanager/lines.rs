//! The lines of a configuration in a Secret, so that findings can name the line of a route in the Secret.

use std::collections::BTreeMap;

use promgen_text::yaml::Node;

/// The maximum depth of routes; deeper ones have no line. Real configurations stay far below.
const MAX_DEPTH: usize = 64;

/// The lines of routes, by the index at each depth, and of inhibit rules.
#[derive(Clone, Debug, Default)]
pub(super) struct Lines {
    routes: BTreeMap<Vec<usize>, usize>,
    inhibitions: Vec<usize>,
}

impl Lines {
    /// The lines of a text and what was read from it.
    pub(super) fn new(text: &str, root: &Node<'_>) -> Self {
        let mut lines = Self::default();
        if let Some(route) = root.get("route") {
            lines.add(text, route, &mut Vec::new());
        }
        let rules = root.get("inhibit_rules").map(Node::items).unwrap_or_default();
        lines.inhibitions = rules.iter().map(|rule| line(text, rule)).collect();
        lines
    }

    fn add(&mut self, text: &str, route: &Node<'_>, way: &mut Vec<usize>) {
        self.routes.insert(way.clone(), line(text, route));
        let below = if way.len() < MAX_DEPTH { route.get("routes").map(Node::items).unwrap_or_default() } else { &[] };
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

    /// The line of an inhibit rule.
    pub(super) fn of_inhibition(&self, index: usize) -> Option<usize> {
        self.inhibitions.get(index).copied()
    }
}

fn line(text: &str, node: &Node<'_>) -> usize {
    let before = text.as_bytes().get(..node.span.start as usize).unwrap_or_default();
    1 + memchr::memchr_iter(b'\n', before).count()
}
