//! Receivers and time intervals that no route uses.

use std::collections::BTreeSet;

use crate::checks::routing::{Routed, finding};
use promgen_compile::cluster::Cluster;
use promgen_prometheus::routing::NamedPart;
use promgen_text::diag::{Diagnostic, LintRule, Sink, rules};
use promgen_text::route::At;

rules! {
    /// ## What it does
    /// Finds receivers with integrations that no route uses, and AlertmanagerConfigs with receivers and without a route, which
    /// the operator leaves out. The operator or Alertmanager refuses the opposite, a route whose receiver does not exist.
    ///
    /// ## Why is this bad?
    /// The receiver is never notified.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1alpha1
    /// kind: AlertmanagerConfig
    /// metadata: {name: shop, namespace: shop}
    /// spec:
    ///   receivers:
    ///   - name: chat
    ///     webhookConfigs: [{url: "http://chat.shop/"}]
    ///   - name: pager
    ///     webhookConfigs: [{url: "http://pager.shop/"}]
    ///   route: {receiver: chat}
    /// ```
    /// Use instead:
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1alpha1
    /// kind: AlertmanagerConfig
    /// metadata: {name: shop, namespace: shop}
    /// spec:
    ///   receivers:
    ///   - name: chat
    ///     webhookConfigs: [{url: "http://chat.shop/"}]
    ///   - name: pager
    ///     webhookConfigs: [{url: "http://pager.shop/"}]
    ///   route:
    ///     receiver: chat
    ///     routes:
    ///     - receiver: pager
    ///       matchers: [{name: severity, matchType: "=", value: critical}]
    /// ```
    UNUSED_RECEIVER = "PG612" "unused-receiver" Warning: "a receiver that no route uses";

    /// ## What it does
    /// Finds time intervals that no route uses. The operator or Alertmanager refuses the opposite, a route whose time interval
    /// does not exist.
    ///
    /// ## Why is this bad?
    /// The interval mutes nothing.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1alpha1
    /// kind: AlertmanagerConfig
    /// metadata: {name: shop, namespace: shop}
    /// spec:
    ///   receivers:
    ///   - name: chat
    ///     webhookConfigs: [{url: "http://chat.shop/"}]
    ///   route: {receiver: chat}
    ///   muteTimeIntervals:
    ///   - name: weekend
    ///     timeIntervals: [{weekdays: ["sunday", "saturday"]}]
    /// ```
    /// Use instead:
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1alpha1
    /// kind: AlertmanagerConfig
    /// metadata: {name: shop, namespace: shop}
    /// spec:
    ///   receivers:
    ///   - name: chat
    ///     webhookConfigs: [{url: "http://chat.shop/"}]
    ///   route: {receiver: chat, muteTimeIntervals: [weekend]}
    ///   muteTimeIntervals:
    ///   - name: weekend
    ///     timeIntervals: [{weekdays: ["sunday", "saturday"]}]
    /// ```
    UNUSED_TIME_INTERVAL = "PG613" "unused-time-interval" Warning: "a time interval that no route uses";
}

/// Checks the receivers and time intervals of a tree.
pub(super) fn check(routed: &Routed<'_>, sink: &mut Sink) {
    let (mut receivers, mut intervals) = (BTreeSet::new(), BTreeSet::new());
    for (_, node, _) in routed.tree.routes() {
        receivers.insert(node.receiver.value.as_str());
        intervals.extend(node.mute.iter().chain(&node.active).map(String::as_str));
    }
    // What notifies nobody is lost to nobody.
    let is_empty = |name: &str| routed.tree.receivers.get(name).is_none_or(Vec::is_empty);
    let is_unused = |part: &&NamedPart| match part.is_receiver {
        true => !receivers.contains(&*part.name) && !is_empty(&part.name),
        // The operator writes an interval without ranges without its name.
        false => !intervals.contains(&*part.name) && !part.name.is_empty(),
    };
    for part in routed.tree.named.iter().filter(is_unused) {
        let (rule, what): (&'static LintRule, _) = match part.is_receiver {
            true => (&UNUSED_RECEIVER, "receiver"),
            false => (&UNUSED_TIME_INTERVAL, "time interval"),
        };
        let message = match part.source.is_secret {
            true => format!("no route uses a {what} of this configuration"),
            false => format!("no route uses the {what} `{}`", short(part)),
        };
        sink.extend(finding(rule, &part.source, |at| at.key("name"), message));
    }
}

/// The name as the AlertmanagerConfig has it: without namespace and name of the resource.
fn short(part: &NamedPart) -> &str {
    let is_config = super::is_of_config(&part.source);
    part.name
        .splitn(3, '/')
        .nth(2)
        .filter(|_| is_config)
        .unwrap_or(&part.name)
}

/// Checks AlertmanagerConfigs that have receivers and no route.
pub(super) fn without_route(cluster: &Cluster, sink: &mut Sink) {
    for config in cluster.alertmanager_configs.values() {
        let spec = &config.value.spec;
        if spec.route.is_none()
            && spec
                .receivers
                .as_ref()
                .is_some_and(|receivers| !receivers.is_empty())
        {
            let at = At::spec(config.doc).key("receivers");
            let message =
                "the operator leaves these receivers out: the AlertmanagerConfig has no route";
            sink.report(Diagnostic::new(&UNUSED_RECEIVER, at, message).help("add `spec.route`"));
        }
    }
}
