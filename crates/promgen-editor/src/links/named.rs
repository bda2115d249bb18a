//! Names that a document gives and refers to itself: receivers and time intervals of routes.

use promgen_model::nodes;
use std::ops::Range;

use crate::links::Link;
use crate::outline::{Outline, OutlineItem};
use promgen_text::route::Segment;
use promgen_text::source::{FileId, Span};
use promgen_text::yaml::{Entry, Node};

/// The lists in which time intervals get their names.
const INTERVALS: &[&str] = &[
    "muteTimeIntervals",
    "timeIntervals",
    "mute_time_intervals",
    "time_intervals",
];
/// The fields of routes that name time intervals.
const INTERVALS_OF_ROUTES: &[&str] = &[
    "muteTimeIntervals",
    "activeTimeIntervals",
    "mute_time_intervals",
    "active_time_intervals",
];

/// The links of a document: of an AlertmanagerConfig, or of the values of a chart that hold a configuration of Alertmanager.
#[must_use]
pub(super) fn within(root: &Node) -> Vec<Link> {
    let mut links = Vec::new();
    for node in nodes::all([root]) {
        if let (Some(route), Some(receivers)) = (node.get("route"), node.get("receivers")) {
            let intervals: Vec<&Node> = INTERVALS
                .iter()
                .filter_map(|list| node.get(list))
                .flat_map(Node::items)
                .collect();
            routes(route, receivers.items(), &intervals, &mut links);
        }
    }
    links.retain(|link| !link.to.is_empty());
    links
}

fn routes(root: &Node, receivers: &[Node], intervals: &[&Node], links: &mut Vec<Link>) {
    let mut todo = vec![root];
    while let Some(route) = todo.pop() {
        if let Some(receiver) = route.entry("receiver") {
            links.push(Link::of_entry(
                receiver,
                named(receivers.iter(), receiver.value.as_str()),
            ));
        }
        let names = INTERVALS_OF_ROUTES
            .iter()
            .filter_map(|field| route.get(field))
            .flat_map(Node::items);
        links.extend(
            names.map(|name| Link::of_node(name, named(intervals.iter().copied(), name.as_str()))),
        );
        todo.extend(route.items_of("routes").iter());
    }
}

/// The places of a name in a list of things that have one.
fn named<'n>(items: impl Iterator<Item = &'n Node>, name: Option<&str>) -> Vec<Span> {
    let names = items.filter_map(|item| item.entry("name").map(|entry: &Entry| &entry.value));
    names
        .filter(|known| known.as_str().is_some() && known.as_str() == name)
        .map(|known| known.span)
        .collect()
}

/// The links of a configuration of Alertmanager that is a block scalar, such as a value of a Secret.
#[must_use]
pub(super) fn within_block(text: &str, scalar: Span) -> Vec<Link> {
    let (start, end) = (scalar.start as usize, scalar.end as usize);
    let block = text
        .get(start..end)
        .filter(|block| block.starts_with('|'))
        .unwrap_or_default();
    let Some(header) = block.find('\n') else {
        return Vec::new();
    };
    let outline = Outline::of(text, start + header + 1..end);
    let link = |item: &OutlineItem| {
        let lists = match item.route.0.as_slice() {
            [Segment::Key(route), .., Segment::Key(last)]
                if route == "route" && last == "receiver" =>
            {
                &["receivers"][..]
            }
            [
                Segment::Key(route),
                ..,
                Segment::Key(last),
                Segment::Index(_),
            ] if route == "route" && INTERVALS_OF_ROUTES.contains(&&**last) => INTERVALS,
            _ => return None,
        };
        let key = (!item.key.is_empty()).then(|| span(scalar.file, &item.key));
        let to = names_in(&outline, lists, &item.text)
            .map(|range| span(scalar.file, &range))
            .collect();
        Some(Link {
            key,
            value: span(scalar.file, &item.value),
            is_collection: false,
            to,
        })
    };
    outline
        .items
        .iter()
        .filter_map(link)
        .filter(|link| !link.to.is_empty())
        .collect()
}

/// The places of a name in lists of things that have one.
fn names_in<'o>(
    outline: &'o Outline,
    lists: &'o [&str],
    name: &'o str,
) -> impl Iterator<Item = Range<usize>> + 'o {
    let is_name = move |item: &&OutlineItem| match item.route.0.as_slice() {
        [Segment::Key(list), Segment::Index(_), Segment::Key(key)] => {
            lists.contains(&&**list) && key == "name" && item.text == name
        }
        _ => false,
    };
    outline
        .items
        .iter()
        .filter(is_name)
        .map(|item| item.value.clone())
}

fn span(file: FileId, range: &Range<usize>) -> Span {
    let byte = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Span::new(file, byte(range.start), byte(range.end))
}
