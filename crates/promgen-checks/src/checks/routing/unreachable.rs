//! Routes that no alert reaches.

use crate::checks::routing::conditions::{Conditions, OfLabel};
use crate::checks::routing::{Routed, finding};
use promgen_prometheus::routing::matcher::AlertMatcher;
use promgen_prometheus::routing::{RouteNode, Way};
use promgen_text::diag::{Diagnostic, Sink, rules};
use promgen_text::route::At;

rules! {
    /// ## What it does
    /// Finds routes that can never match: the matchers of a route contradict each other or those of a route above it, or every
    /// alert that they match takes an earlier route without `continue`. The namespace matcher that the operator adds to an
    /// AlertmanagerConfig counts, too.
    ///
    /// The rule only reports certain cases. It compares the texts of regular expressions, unless they are choices of plain
    /// values such as `warning|critical`.
    ///
    /// ## Why is this bad?
    /// The receiver of the route is never notified.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1alpha1
    /// kind: AlertmanagerConfig
    /// metadata: {name: shop, namespace: shop}
    /// spec:
    ///   receivers:
    ///   - name: chat
    ///   - name: pager
    ///   route:
    ///     receiver: chat
    ///     routes:
    ///     - receiver: chat
    ///       matchers: [{name: severity, matchType: "=~", value: warning|critical}]
    ///     - receiver: pager
    ///       matchers: [{name: severity, matchType: "=", value: critical}]
    /// ```
    /// Use instead: the more specific route first, or `continue: true`.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1alpha1
    /// kind: AlertmanagerConfig
    /// metadata: {name: shop, namespace: shop}
    /// spec:
    ///   receivers:
    ///   - name: chat
    ///   - name: pager
    ///   route:
    ///     receiver: chat
    ///     routes:
    ///     - receiver: pager
    ///       matchers: [{name: severity, matchType: "=", value: critical}]
    ///     - receiver: chat
    ///       matchers: [{name: severity, matchType: "=~", value: warning|critical}]
    /// ```
    UNREACHABLE_ROUTE = "PG611" "unreachable-route" Warning: "a route that no alert reaches";
}

/// The maximum number of pairs of routes that are compared. Real configurations stay far below.
const MAX_PAIRS: usize = 200_000;

/// Checks all routes, from the root. Nothing is reported below a route that is reported.
pub(super) fn check(routed: &Routed<'_>, sink: &mut Sink) {
    let mut walk = RouteWalk {
        routed,
        sink,
        n_pairs: 0,
    };
    walk.below(&mut Way::new(), &routed.tree.root, &[]);
}

/// A walk through all routes.
struct RouteWalk<'w, 'a> {
    routed: &'w Routed<'a>,
    sink: &'w mut Sink,
    /// The number of pairs of routes that have been compared.
    n_pairs: usize,
}

impl<'a> RouteWalk<'_, 'a> {
    fn below(&mut self, way: &mut Way, node: &'a RouteNode, above: &[&'a AlertMatcher]) {
        for (index, route) in node.routes.iter().enumerate() {
            way.push(index);
            let own = self.routed.certain_matchers(way, route);
            let matchers: Vec<&AlertMatcher> = above.iter().copied().chain(own).collect();
            let conditions = Conditions::new(matchers.iter().copied());
            if let Some(together) = conditions.contradiction() {
                let found = contradicting(self.routed, way, route, together, above.len());
                self.sink.extend(found);
            } else if let Some(first) = self.shadow(&node.routes[..index], &conditions) {
                self.sink.extend(shadowed(route, first));
            } else {
                self.below(way, route, &matchers);
            }
            way.pop();
        }
    }

    /// The earlier route that takes every alert. One that never matches takes none.
    fn shadow<'r>(
        &mut self,
        earlier: &'r [RouteNode],
        conditions: &Conditions<'_>,
    ) -> Option<&'r RouteNode> {
        let left = MAX_PAIRS.saturating_sub(self.n_pairs);
        self.n_pairs += earlier.len();
        earlier
            .iter()
            .take(left)
            .find(|first| !first.continues && conditions.imply(&first.matchers))
    }
}

fn contradicting(
    routed: &Routed<'_>,
    way: &Way,
    route: &RouteNode,
    together: &OfLabel<'_>,
    n_above: usize,
) -> Option<Diagnostic> {
    let (own, _) = routed.own_matchers(way, route);
    let index = (0..own.len()).find(|index| together.places.contains(&(n_above + index)));
    let field = |at: At| index.map_or(at.clone(), |index| at.key("matchers").index(index));
    if route.source.is_secret {
        let message =
            "this route never matches: its matchers contradict each other or those above it";
        return finding(&UNREACHABLE_ROUTE, &route.source, field, message);
    }
    let texts: Vec<String> = together
        .matchers
        .iter()
        .map(|matcher| format!("`{matcher}`"))
        .collect();
    let message = match texts.as_slice() {
        [only] => format!("this route never matches: no label has a value that {only} matches"),
        texts => format!(
            "this route never matches: {} contradict each other",
            texts.join(" and ")
        ),
    };
    let found = finding(&UNREACHABLE_ROUTE, &route.source, field, message)?;
    Some(match added(routed, way).filter(|(place, _)| together.places.contains(place)) {
  Some((_, added)) => found.help(format!(
            "the operator adds `{added}` to the routes of this AlertmanagerConfig; move it to the other namespace, or set \
             `spec.alertmanagerConfigMatcherStrategy` of the Alertmanager"
        )),
        None => found,
    })
}

/// The matcher that the operator adds to the AlertmanagerConfig of a route.
fn added<'a>(routed: &Routed<'a>, way: &Way) -> Option<(usize, &'a AlertMatcher)> {
    let way = vec![*way.first()?];
    let top = routed.tree.root.routes.get(way[0])?;
    let (_, is_confined) = routed.own_matchers(&way, top);
    let is_certain = routed.certain_matchers(&way, top).len() == top.matchers.len();
    let last = top.matchers.len().checked_sub(1)?;
    (is_confined && is_certain).then(|| (last, &top.matchers[last]))
}

fn shadowed(route: &RouteNode, first: &RouteNode) -> Option<Diagnostic> {
    let field = |at: At| {
        if route.matchers.is_empty() {
            at
        } else {
            at.key("matchers")
        }
    };
    let message = match first.matchers.is_empty() {
        true => {
            "no alert reaches this route: an earlier one without `continue` matches every alert"
        }
        false => {
            "no alert reaches this route: an earlier one without `continue` matches the same alerts"
        }
    };
    let found = finding(&UNREACHABLE_ROUTE, &route.source, field, message)?;
    let found = found.help("move this route before the other one, or set `continue: true` there");
    match first.source.at.clone().filter(|_| !first.source.is_secret) {
        Some(at) => Some(found.related(at, "the earlier route")),
        None => Some(found),
    }
}
