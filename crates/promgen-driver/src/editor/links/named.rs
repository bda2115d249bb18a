//! Names that a document gives and refers to itself: receivers and time intervals of routes.

use crate::editor::links::Link;
use promgen_text::source::Span;
use promgen_text::yaml::{Entry, Node};

/// The lists in which time intervals get their names.
const INTERVALS: &[&str] = &["muteTimeIntervals", "timeIntervals", "mute_time_intervals", "time_intervals"];
/// The fields of routes that name time intervals.
const INTERVALS_OF_ROUTES: &[&str] =
    &["muteTimeIntervals", "activeTimeIntervals", "mute_time_intervals", "active_time_intervals"];

/// The links of a document: of an AlertmanagerConfig, or of the values of a chart that hold a configuration of Alertmanager.
#[must_use]
pub fn within(root: &Node) -> Vec<Link> {
    let (mut links, mut todo) = (Vec::new(), vec![root]);
    while let Some(node) = todo.pop() {
        if let (Some(route), Some(receivers)) = (node.get("route"), node.get("receivers")) {
            let intervals: Vec<&Node> =
                INTERVALS.iter().filter_map(|list| node.get(list)).flat_map(Node::items).collect();
            routes(route, (receivers.items(), &intervals), &mut links);
        }
        todo.extend(node.entries().iter().map(|entry| &entry.value));
        todo.extend(node.items());
    }
    links.retain(|link| !link.to.is_empty());
    links
}

fn routes(root: &Node, (receivers, intervals): (&[Node], &[&Node]), links: &mut Vec<Link>) {
    let mut todo = vec![root];
    while let Some(route) = todo.pop() {
        if let Some(receiver) = route.entry("receiver") {
            links.push(Link::of_entry(receiver, named(receivers.iter(), receiver.value.as_str())));
        }
        let names = INTERVALS_OF_ROUTES.iter().filter_map(|field| route.get(field)).flat_map(Node::items);
        links.extend(names.map(|name| Link::of_node(name, named(intervals.iter().copied(), name.as_str()))));
        todo.extend(route.get("routes").into_iter().flat_map(Node::items));
    }
}

/// The places of a name in a list of things that have one.
fn named<'n>(items: impl Iterator<Item = &'n Node>, name: Option<&str>) -> Vec<Span> {
    let names = items.filter_map(|item| item.entry("name").map(|entry: &Entry| &entry.value));
    names.filter(|known| known.as_str().is_some() && known.as_str() == name).map(|known| known.span).collect()
}
