//! The facts of routes and receivers of Alertmanagers.

use promgen_cel::CelValue;
use promgen_compile::output::Workload;
use promgen_prometheus::routing::{RouteNode, RoutingTree, Setting};

use crate::facts::rule::MATCHER;
use crate::facts::{borrowed, facts, length, list, object, text, unknown};
use crate::world::{Arrivals, PolicyWorld};

/// What the facts of a route are computed from.
pub(crate) struct RouteSource<'p, 'w> {
    pub(crate) cx: &'p PolicyWorld<'w>,
    pub(crate) workload: &'w Workload,
    pub(crate) tree: &'w RoutingTree,
    pub(crate) node: &'w RouteNode,
    pub(crate) is_root: bool,
}

/// What the facts of a receiver are computed from.
pub(crate) struct ReceiverSource<'p, 'w> {
    pub(crate) cx: &'p PolicyWorld<'w>,
    pub(crate) workload: &'w Workload,
    pub(crate) tree: &'w RoutingTree,
    pub(crate) name: &'w str,
    pub(crate) is_secret: bool,
}

facts! {
    /// A route of an Alertmanager, with the settings that it inherits.
    pub ROUTE "route": RouteSource<'p, 'w>;

    /// The Alertmanager: `namespace/name`.
    "alertmanager": Text => |of| Some(text(of.workload.id.key()));
    /// Whether it is the route that every alert enters.
    "root": Bool => |of| Some(CelValue::Bool(of.is_root));
    /// The receiver.
    "receiver": Text => |of| Some(borrowed(&of.node.receiver.value));
    /// Its conditions. Of an AlertmanagerConfig, the one on the namespace is among them.
    "matchers": list_of(&Object(&MATCHER)) => RouteSource::matchers;
    /// Whether later routes are tried too.
    "continue": Bool => |of| Some(CelValue::Bool(of.node.continues));
    /// The labels by which alerts are grouped; `...` for all.
    "groupBy": list_of(&Text) => |of| Some(list(of.node.group_by.value.iter().map(|label| borrowed(label))));
    /// The delay before it notifies about a new group.
    "groupWait": Duration => |of| Some(length(&of.node.group_wait.value));
    /// The delay before it notifies about new alerts of a group.
    "groupInterval": Duration => |of| Some(length(&of.node.group_interval.value));
    /// The delay before it repeats a notification.
    "repeatInterval": Duration => |of| Some(length(&of.node.repeat_interval.value));
    /// The names of the alerts in the input that end here. An item that is unknown stands for others that may.
    "alerts": list_of(&Text) => |of| Some(names(of.cx.arrivals(of.node)));
    /// Whether its receiver has an integration.
    "notifies": Bool => |of| Some(CelValue::Bool(of.tree.has_integrations(of.node)));
}

facts! {
    /// A receiver of an Alertmanager.
    pub RECEIVER "receiver": ReceiverSource<'p, 'w>;

    /// The Alertmanager: `namespace/name`.
    "alertmanager": Text => |of| Some(text(of.workload.id.key()));
    /// Its name: `namespace/name/receiver` if it stands in an AlertmanagerConfig.
    "name": Text => |of| Some(borrowed(of.name));
    /// Its integrations, such as `slack`: one for each.
    "integrations": list_of(&Text) => ReceiverSource::integrations;
    /// Whether it has an integration.
    "notifies": Bool => |of| Some(CelValue::Bool(of.kinds().next().is_some()));
    /// The names of the alerts in the input that it gets. An item that is unknown stands for others that it may get.
    "alerts": list_of(&Text) => ReceiverSource::alerts;
}

fn names<'p>(arrivals: Arrivals) -> CelValue<'p> {
    let unsure = arrivals.unsure.map(unknown);
    list(arrivals.sure.into_iter().map(text).chain(unsure))
}

const fn is_hidden<T>(setting: &Setting<T>) -> bool {
    setting.is_secret
}

impl<'p, 'w> RouteSource<'p, 'w> {
    fn has_secret(&self, name: &str) -> bool {
        let node = self.node;
        match name {
            "alertmanager" | "root" | "alerts" => false,
            "receiver" | "notifies" => is_hidden(&node.receiver),
            "groupBy" => is_hidden(&node.group_by),
            "groupWait" => is_hidden(&node.group_wait),
            "groupInterval" => is_hidden(&node.group_interval),
            "repeatInterval" => is_hidden(&node.repeat_interval),
            _ => node.source.is_secret,
        }
    }

    #[expect(clippy::unnecessary_wraps, reason = "a fact may be absent")]
    fn matchers(&self) -> Option<CelValue<'p>> {
        let matcher = |matcher: &'w promgen_prometheus::routing::matcher::AlertMatcher| {
            object([
                ("label", Some(borrowed(&matcher.name))),
                ("operator", Some(borrowed(matcher.operator.as_str()))),
                ("value", Some(borrowed(&matcher.value))),
            ])
        };
        Some(list(self.node.matchers.iter().map(matcher)))
    }
}

impl<'p, 'w> ReceiverSource<'p, 'w> {
    fn has_secret(&self, name: &str) -> bool {
        self.is_secret && !matches!(name, "alertmanager" | "alerts")
    }

    fn kinds(&self) -> impl Iterator<Item = &'w str> {
        let kinds = self.tree.receivers.get(self.name);
        kinds.into_iter().flatten().map(String::as_str)
    }

    #[expect(clippy::unnecessary_wraps, reason = "a fact may be absent")]
    fn integrations(&self) -> Option<CelValue<'p>> {
        Some(list(self.kinds().map(borrowed)))
    }

    #[expect(clippy::unnecessary_wraps, reason = "a fact may be absent")]
    fn alerts(&self) -> Option<CelValue<'p>> {
        let mut all = Arrivals::default();
        let routes = self.tree.routes().into_iter().map(|(_, node, _)| node);
        for node in routes.filter(|node| node.receiver.value == self.name) {
            let arrivals = self.cx.arrivals(node);
            all.sure.extend(arrivals.sure);
            all.unsure = all.unsure.or(arrivals.unsure);
        }
        all.sure.sort_unstable();
        all.sure.dedup();
        Some(names(all))
    }
}
