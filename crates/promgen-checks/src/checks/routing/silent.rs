//! Alerts that notify nobody.

use promgen_model::words::first;
use promgen_text::route::{At, DocId};
use promgen_text::source::Span;
use std::collections::{BTreeMap, BTreeSet};

use crate::checks::routing::{MAX_NAMES, Routed, finding, is_adrift, name, names};
use promgen_compile::lower::prometheus::global::server_label;
use promgen_compile::output::{WorkloadId, WorkloadKind};
use promgen_model::alerts::{NAMESPACE, NearMiss, of_series};
use promgen_model::model::World;
use promgen_model::model::senders::AlertReach;
use promgen_prometheus::promql::KeptLabels;
use promgen_prometheus::routing::matcher::AlertMatcher;
use promgen_prometheus::routing::{Alert, RouteNode, RoutingTree, Way};
use promgen_text::CollectOrdered;
use promgen_text::diag::count::counted;
use promgen_text::diag::{Diagnostic, Place, Sink, rules};
use promgen_text::limits::LIMIT_EXCEEDED;

rules! {
    /// ## What it does
    /// Finds alerts of the PrometheusRules in the input that only reach a receiver without integrations, because no route is for
    /// them. If no receiver at all has an integration, there is one finding for the Alertmanager. Also finds alerts that nobody evaluates, as there is but an
    /// agent, and servers that evaluate alerts and send them to no Alertmanager, or to one that does not answer: its `routePrefix` is not the `pathPrefix` or
    /// the path of `alertmanagersUrl`, it is asked by `https` and has no `web.tlsConfig`, or the reverse, or by version 1 of the API, it
    /// listens on its own pod alone, or at another port.
    ///
    /// Labels that are not known of its series may have any value, and so may the namespace, unless every Prometheus enforces it:
    /// an alert is reported if it notifies nobody, whatever its series. Known are labels that matchers fix, that `by (…)` drops, and
    /// that recording rules and targets set. Alerts that a route with matchers sends to a receiver
    /// without integrations are not reported, since that is on purpose. Nothing is reported if the configuration of an
    /// Alertmanager is not in the input, or if alerts are relabeled.
    ///
    /// ## Why is this bad?
    /// The alert fires, and nobody learns of it. The level is info because that may be on purpose, too.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Alertmanager
    /// metadata: {name: main}
    /// spec: {}
    /// ---
    /// apiVersion: v1
    /// kind: Secret
    /// metadata: {name: alertmanager-main}
    /// stringData:
    ///   alertmanager.yaml: |
    ///     route:
    ///       receiver: nobody
    ///       routes:
    ///       - {receiver: chat, matchers: [severity="critical"]}
    ///     receivers:
    ///     - name: nobody
    ///     - {name: chat, webhook_configs: [{url: "http://chat.shop/"}]}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PrometheusRule
    /// metadata: {name: cart}
    /// spec:
    ///   groups:
    ///   - name: a
    ///     rules:
    ///     - {alert: CartDown, expr: 'up{job="cart"} == 0', labels: {severity: page}}
    /// ```
    /// Use instead: a label or a route that leads to a receiver with integrations.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Alertmanager
    /// metadata: {name: main}
    /// spec: {}
    /// ---
    /// apiVersion: v1
    /// kind: Secret
    /// metadata: {name: alertmanager-main}
    /// stringData:
    ///   alertmanager.yaml: |
    ///     route:
    ///       receiver: nobody
    ///       routes:
    ///       - {receiver: chat, matchers: [severity=~"critical|page"]}
    ///     receivers:
    ///     - name: nobody
    ///     - {name: chat, webhook_configs: [{url: "http://chat.shop/"}]}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PrometheusRule
    /// metadata: {name: cart}
    /// spec:
    ///   groups:
    ///   - name: a
    ///     rules:
    ///     - {alert: CartDown, expr: 'up{job="cart"} == 0', labels: {severity: page}}
    /// ```
    SILENT_ALERT = "PG610" "silent-alert" Info: "alerts that notify nobody";
}

/// Checks the alerts in the input with all Alertmanagers in the input.
pub(super) fn check(model: &World<'_>, given: &[&Routed<'_>], alerts: &[Alert], sink: &mut Sink) {
    // Another one may notify somebody.
    let is_known = given.len() == model.cluster().alertmanagers.len()
        && given
            .iter()
            .all(|routed| routed.tree.root.source.at.is_some());
    unsent(model, alerts, sink);
    if alerts.is_empty() || super::labels::are_relabeled(model) {
        return;
    }
    if !is_known {
        lacking(model, given, alerts, sink);
        return;
    }
    let all = of_series(model);
    if let Some(excess) = RoutingTree::excess(
        &model.options().limits,
        all.len(),
        given.iter().map(|routed| routed.tree),
    ) {
        let message = excess.message("what the check for alerts that notify nobody follows");
        sink.report(Diagnostic::placeless(&LIMIT_EXCEEDED, message).help(excess.help()));
        return;
    }
    let is_adrift = is_namespace_adrift(model);
    let added = externals(model);
    // A label that the expression drops is certainly empty. One that is not known of its series may be any.
    let holds = |alert: &Alert, matcher: &AlertMatcher| {
        let name = matcher.name.as_str();
        let is_there = alert.labels.contains_key(name) || alert.open.contains_key(name);
        if alert.changed.is_some() || is_there && name == NAMESPACE && is_adrift {
            return None;
        }
        if is_there {
            return alert.meets(matcher);
        }
        let may_have = |kept: &KeptLabels| added.contains(name) || kept.has(name);
        let is_dropped = alert.kept.as_ref().is_some_and(|kept| !may_have(kept));
        is_dropped.then(|| matcher.accepts(""))
    };
    let reach = |routed| RouteReach {
        routed,
        holds: &holds,
    };
    let reaches: Vec<RouteReach<'_, '_>> = given.iter().copied().map(reach).collect();
    let may_notify = |alert: &&Alert| reaches.iter().any(|reach| reach.may_notify(alert));
    // One of whatever namespace.
    let (loud, mut silent): (Vec<&Alert>, Vec<&Alert>) = all.iter().partition(may_notify);
    let loud: BTreeSet<Option<Span>> = loud.iter().map(|alert| alert.span).collect_set();
    silent.retain(|alert| !loud.contains(&alert.span));
    for reach in &reaches {
        let misses = silent.iter().copied();
        let misses: Vec<(&Alert, NearMiss)> = misses
            .filter_map(|alert| Some((alert, NearMiss::of(alert, reach.routed.tree)?)))
            .collect();
        reach.report(&silent, &misses, sink);
    }
}

/// Reports servers whose alerts no Alertmanager gets, where no other server sends them.
fn unsent(model: &World<'_>, alerts: &[Alert], sink: &mut Sink) {
    let alertmanagers: Vec<&WorkloadId> = model
        .workloads
        .iter()
        .filter(|workload| workload.id.kind == WorkloadKind::Alertmanager)
        .map(|workload| &workload.id)
        .collect();
    let mut silent: BTreeMap<(DocId, String), Vec<&Alert>> = BTreeMap::new();
    for alert in alerts {
        if let Some(by) = model.senders().silence(&alert.resource, &alertmanagers) {
            silent.entry(by).or_default().push(alert);
        }
    }
    for ((doc, why), alerts) in silent {
        // Alerts whose names are filled in later count one by one.
        let n = names(alerts.iter().copied()).len().max(1);
        let verb = if n == 1 { "notifies" } else { "notify" };
        let message = format!("{} in the input {verb} nobody: {why}", counted(n, "alert"));
        sink.report(Diagnostic::new(&SILENT_ALERT, At::spec(doc), message));
    }
}

/// Reports alerts that the routes of AlertmanagerConfigs do not take, because their expressions drop the namespace, where what
/// else there is to take them is not known.
fn lacking(model: &World<'_>, given: &[&Routed<'_>], alerts: &[Alert], sink: &mut Sink) {
    if externals(model).contains("namespace") {
        return;
    }
    let senders = model.senders();
    let is_evaluated =
        |alert: &&Alert| !matches!(senders.evaluated(&alert.resource), AlertReach::No(_));
    let evaluated = alerts.iter().filter(is_evaluated);
    let misses = evaluated.filter_map(|alert| {
        let near = given
            .iter()
            .find_map(|routed| Some((routed, NearMiss::of(alert, routed.tree)?)));
        // Whatever AlertmanagerConfigs there are besides, none takes it.
        let all = || {
            let misses: Option<Vec<_>> = given
                .iter()
                .map(|routed| NearMiss::of_all(alert, routed.tree))
                .collect();
            let is_whole = given.len() == model.cluster().alertmanagers.len();
            given.iter().zip(misses.filter(|_| is_whole)?).next()
        };
        let (routed, miss) = near.or_else(all)?;
        Some((alert, routed, miss))
    });
    for (alert, routed, NearMiss { wanted, left }) in misses.take(MAX_LACKING) {
        let (name, what) = (name(alert), routed.what());
        let message = format!(
            "no route of an AlertmanagerConfig takes `{name}` in {what}: it needs {wanted}, and {left}"
        );
        let finding = Diagnostic::at_some(&SILENT_ALERT, alert.span, message);
        sink.report(finding.help("keep the label in the expression, or add it below `labels`"));
    }
}

/// The most alerts that are reported so.
const MAX_LACKING: usize = 20;

/// The labels that servers add to all alerts.
pub(super) fn externals<'a>(model: &World<'a>) -> BTreeSet<&'a str> {
    let servers = model.cluster().prometheuses.values();
    let commons = servers.map(|server| &server.value.spec.common);
    let own = commons.flat_map(|common| {
        let external = common.external_labels.iter().flatten();
        let external = external.map(|(label, _)| label.as_str());
        external.chain([server_label(common)])
    });
    // Of servers that are not in the input, too.
    own.chain(["prometheus", "prometheus_replica"])
        .collect_set()
}

/// Returns whether nobody states the namespace of a PrometheusRule or an AlertmanagerConfig.
fn is_namespace_adrift(model: &World<'_>) -> bool {
    let cluster = model.cluster();
    let configs = cluster
        .alertmanager_configs
        .values()
        .map(|config| config.doc);
    let mut docs = configs.chain(cluster.prometheus_rules.values().map(|rule| rule.doc));
    docs.any(|doc| is_adrift(model, doc))
}

/// The most alerts of a route of which it is said what they lack.
const MAX_MISSES: usize = 3;

/// The routes that an alert may reach.
struct RouteReach<'r, 'a> {
    routed: &'r Routed<'a>,
    /// Whether an alert meets a condition. `None` if that depends on its series.
    holds: &'r dyn Fn(&Alert, &AlertMatcher) -> Option<bool>,
}

impl<'a> RouteReach<'_, 'a> {
    /// The routes that may be the last ones of an alert.
    fn last_routes(&self, alert: &Alert) -> Vec<(Way, &'a RouteNode)> {
        let ends = self
            .routed
            .tree
            .may_end(&|matcher| (self.holds)(alert, matcher));
        ends.into_iter().map(|end| (end.way, end.node)).collect()
    }

    fn is_silent(&self, node: &RouteNode) -> bool {
        !self.routed.tree.has_integrations(node)
    }

    fn may_notify(&self, alert: &Alert) -> bool {
        self.last_routes(alert)
            .into_iter()
            .any(|(_, node)| !self.is_silent(node))
    }

    fn report(&self, silent: &[&Alert], misses: &[(&Alert, NearMiss)], sink: &mut Sink) {
        let root = &self.routed.tree.root;
        if self.routed.tree.receivers.values().all(Vec::is_empty) {
            let message = format!(
                "{} notifies nobody: no receiver has an integration",
                self.routed.what()
            );
            let at_receiver = |at: At| at.key("receiver");
            sink.extend(finding(&SILENT_ALERT, &root.source, at_receiver, message));
            return;
        }
        let mut by_route: Vec<(Way, &RouteNode, Vec<&Alert>)> = Vec::new();
        for alert in silent {
            let Some((way, node)) = self.default_route(alert) else {
                continue;
            };
            match by_route.iter_mut().find(|(other, ..)| *other == way) {
                Some((.., alerts)) => alerts.push(alert),
                None => by_route.push((way, node, vec![alert])),
            }
        }
        for (_, node, alerts) in by_route {
            let names = names(alerts.iter().copied());
            let noun = if names.len() == 1 {
                "alert in the input only reaches"
            } else {
                "alerts in the input only reach"
            };
            let receiver = match node.receiver.is_secret {
                true => "a receiver".to_owned(),
                false => format!("the receiver `{}`", node.receiver.value),
            };
            let (n, listed) = (names.len(), first(&names, MAX_NAMES));
            let message = format!("{n} {noun} {receiver} without integrations: {listed}");
            let found = finding(
                &SILENT_ALERT,
                &node.source,
                |at| at.key("receiver"),
                message,
            );
            let first = alerts.first().and_then(|alert| alert.span).map(Place::Span);
            let near = misses
                .iter()
                .filter(|(alert, _)| alerts.iter().any(|other| other.span == alert.span));
            let near = near
                .take(MAX_MISSES)
                .map(|(alert, NearMiss { wanted, left })| {
                    format!("`{}` needs {wanted}: {left}", name(alert))
                });
            sink.extend(
                found.map(|found| found.related_some(first, "the first alert").helps(near)),
            );
        }
    }

    /// The route without matchers that an alert certainly ends at. `None` if a route with matchers is for it.
    fn default_route(&self, alert: &Alert) -> Option<(Way, &'a RouteNode)> {
        let last = self.last_routes(alert);
        let is_default =
            |way: &Way, node: &'a RouteNode| self.routed.own_matchers(way, node).0.is_empty();
        let certain = |node: &RouteNode| {
            node.matchers
                .iter()
                .all(|matcher| (self.holds)(alert, matcher) == Some(true))
        };
        let is_on_purpose = last
            .iter()
            .any(|(way, node)| !is_default(way, node) && certain(node));
        let found = last.into_iter().find(|(way, node)| is_default(way, node));
        found.filter(|_| !is_on_purpose)
    }
}
