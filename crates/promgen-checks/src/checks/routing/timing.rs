//! Intervals of routes that do not work as written.

use crate::checks::routing::{Routed, finding};
use promgen_prometheus::routing::{RouteNode, Setting};
use promgen_text::diag::{Sink, rules};
use promgen_text::go::duration::PromDuration;
use promgen_text::route::At;

rules! {
    /// ## What it does
    /// Finds routes whose repeat interval is shorter than their group interval, or longer than the time for which the
    /// Alertmanager keeps data (`spec.retention`, 120h by default). The defaults of Alertmanager count: a group interval of 5m, and
    /// a repeat interval of 4h.
    ///
    /// ## Why is this bad?
    /// Alertmanager looks at a group once per group interval, so it repeats no sooner. After the retention it forgets that it
    /// has sent a notification, and sends it again. It logs a warning in both cases.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1alpha1
    /// kind: AlertmanagerConfig
    /// metadata: {name: shop, namespace: shop}
    /// spec:
    ///   receivers: [{name: chat}]
    ///   route: {receiver: chat, groupInterval: 1h, repeatInterval: 30m}
    /// ```
    /// Use instead: a repeat interval that is a multiple of the group interval.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1alpha1
    /// kind: AlertmanagerConfig
    /// metadata: {name: shop, namespace: shop}
    /// spec:
    ///   receivers: [{name: chat}]
    ///   route: {receiver: chat, groupInterval: 30m, repeatInterval: 1h}
    /// ```
    UNEVEN_INTERVALS = "PG614" "uneven-intervals" Warning: "a repeat interval that cannot be kept";
}

/// The retention of data by default.
const RETENTION: &str = "120h";

/// Checks the intervals of every route that sets one.
pub(super) fn check(routed: &Routed<'_>, sink: &mut Sink) {
    let spec = routed.resource.map(|alertmanager| &alertmanager.spec);
    let retention = spec
        .map(|spec| spec.retention.as_str())
        .filter(|text| !text.is_empty())
        .unwrap_or(RETENTION);
    let flags = spec
        .and_then(|spec| spec.additional_args.as_deref())
        .unwrap_or_default();
    let is_kept = flags.iter().any(|flag| flag.name == "data.retention");
    for (_, node, parent) in routed.tree.routes() {
        let own = |setting: fn(&RouteNode) -> &Setting<String>| {
            parent.is_none_or(|parent| setting(parent).value != setting(node).value)
        };
        let (is_group_own, is_repeat_own) = (
            own(|node| &node.group_interval),
            own(|node| &node.repeat_interval),
        );
        let (group, repeat) = (
            millis(&node.group_interval.value),
            millis(&node.repeat_interval.value),
        );
        let field = if is_repeat_own && parent.is_some() || !is_group_own {
            "repeatInterval"
        } else {
            "groupInterval"
        };
        if (is_group_own || is_repeat_own) && repeat < group {
            let message = match node.source.is_secret {
                true => "the repeat interval of this route is shorter than its group interval"
                    .to_owned(),
                false => format!(
                    "the repeat interval of {} is shorter than the group interval of {}: Alertmanager repeats every {}",
                    node.repeat_interval.value,
                    node.group_interval.value,
                    node.group_interval.value
                ),
            };
            report(
                node,
                field,
                message,
                "set a repeat interval that is a multiple of the group interval",
                sink,
            );
        }
        if is_repeat_own && routed.resource.is_some() && !is_kept && repeat > millis(retention) {
            let message = match node.source.is_secret {
                true => format!(
                    "the repeat interval of this route is longer than the retention of {retention}"
                ),
                false => format!(
                    "the repeat interval of {} is longer than the retention of {retention}: Alertmanager repeats sooner",
                    node.repeat_interval.value
                ),
            };
            let help = format!(
                "set a shorter repeat interval, or a longer `spec.retention` of {}",
                routed.what()
            );
            report(node, "repeatInterval", message, &help, sink);
        }
    }
}

fn report(node: &RouteNode, field: &'static str, message: String, help: &str, sink: &mut Sink) {
    if let Some(found) = finding(
        &UNEVEN_INTERVALS,
        &node.source,
        |at: At| at.key(field),
        message,
    ) {
        sink.report(found.help(help));
    }
}

/// The length of a duration; an invalid one is refused before.
fn millis(text: &str) -> Option<u64> {
    PromDuration::parse(text)
        .ok()
        .map(|duration| duration.millis)
}
