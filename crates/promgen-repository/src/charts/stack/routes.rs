//! The routes that the chart adds to those of a user: maps are merged, and lists are not.

use promgen_text::source::Span;
use promgen_text::yaml::Node;

use crate::charts::node::is_set;

/// The number of routes that are looked at.
const MAX_ROUTES: usize = 1000;

/// What is to be said if the chart's own routes name a receiver that the receivers of the user lack: the place of the
/// configuration, and the advice. `place` is where the defaults of the chart stand.
pub(super) fn advice(values: &Node, place: Span) -> Option<(Span, String)> {
    let alertmanager = values.get("alertmanager")?;
    if is_set(alertmanager.get("stringConfig")) {
        return None;
    }
    let config = alertmanager.get("config")?;
    let receivers = config.items_of("receivers");
    let is_there = |name: &str| {
        receivers
            .iter()
            .any(|own| own.text_of("name") == Some(name))
    };
    let (mut todo, mut n_routes) = (vec![config.get("route")?], 0);
    while let Some(route) = todo.pop() {
        n_routes += 1;
        let own = route.get("receiver").filter(|own| own.span == place);
        if let Some(name) = own.and_then(Node::as_str).filter(|name| !is_there(name)) {
            let advice = format!(
                "the chart's default route sends to the receiver `{name}`, which the receivers of the values lack: add \
                 `- name: \"{name}\"` to `alertmanager.config.receivers`, or set `alertmanager.config.route.routes`"
            );
            return Some((config.span, advice));
        }
        if n_routes < MAX_ROUTES {
            todo.extend(route.items_of("routes").iter().rev());
        }
    }
    None
}
