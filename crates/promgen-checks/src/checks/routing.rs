//! Checks on where alerts go: routes, receivers, time intervals and inhibit rules of Alertmanagers.
//!
//! The operator and Alertmanager already refuse what they cannot load. These checks report valid configurations that are
//! likely mistakes, on the compiled routing tree. A finding is at the route or receiver of an AlertmanagerConfig, or at the
//! Secret with the configuration; no message repeats a value of a Secret.

mod balanced;
mod conditions;
mod futile;
mod inhibited;
mod labels;
mod literal;
mod misspelt;
mod policies;
mod silent;
mod template;
mod timing;
mod unreachable;
mod unused;

use std::collections::BTreeMap;

use crate::checks::Family;
use promgen_compile::output::{Workload, WorkloadKind};
use promgen_model::alerts;
use promgen_model::model::World;
use promgen_prometheus::routing::matcher::AlertMatcher;
use promgen_prometheus::routing::{Alert, PieceSource, RouteNode, RoutingTree, Way};
use promgen_resources::api::{Alertmanager, AlertmanagerConfig};
use promgen_resources::document;
use promgen_text::CollectOrdered;
use promgen_text::diag::{Diagnostic, LintRule, Sink};
use promgen_text::route::{At, DocId};

/// The family.
pub(super) static FAMILY: Family = Family {
    rules: &[
        silent::RULES,
        unreachable::RULES,
        unused::RULES,
        timing::RULES,
        labels::RULES,
        template::RULES,
        futile::RULES,
        literal::RULES,
        misspelt::RULES,
        balanced::RULES,
        policies::RULES,
    ],
    check,
};

fn check(model: &World<'_>, sink: &mut Sink) {
    let configs = model.cluster().alertmanager_configs.values();
    let configs: BTreeMap<DocId, &AlertmanagerConfig> = configs
        .map(|config| (config.doc, &*config.value))
        .collect_map();
    let trees: Vec<Routed<'_>> = model
        .workloads
        .iter()
        .filter_map(|w| Routed::new(model, &configs, w))
        .collect();
    let alerts = alerts::of_rules(model);
    for routed in &trees {
        unreachable::check(routed, sink);
        unused::check(routed, sink);
        timing::check(routed, sink);
        template::check(routed, sink);
        futile::check(routed, sink);
        literal::check(routed, &alerts, sink);
        misspelt::check(routed, &alerts, sink);
    }
    unused::without_route(model.cluster(), sink);
    balanced::check(model, sink);
    policies::check(model, sink);
    let given: Vec<&Routed<'_>> = trees
        .iter()
        .filter(|routed| routed.resource.is_some())
        .collect();
    misspelt::alerts(&given, &alerts, sink);
    silent::check(model, &given, &alerts, sink);
    labels::check(model, &given, &alerts, sink);
    inhibited::check(model, &given, sink);
}

/// An Alertmanager and its routing tree.
struct Routed<'a> {
    workload: &'a Workload,
    tree: &'a RoutingTree,
    /// The resource. `None` for the Alertmanager that stands in for one that is not in the input.
    resource: Option<&'a Alertmanager>,
    configs: &'a BTreeMap<DocId, &'a AlertmanagerConfig>,
    model: World<'a>,
}

/// A matcher of a route or an inhibit rule.
struct PlacedMatcher<'a> {
    matcher: &'a AlertMatcher,
    source: &'a PieceSource,
    /// The field of its list.
    field: &'static str,
}

impl PlacedMatcher<'_> {
    fn finding(&self, rule: &'static LintRule, message: String) -> Option<Diagnostic> {
        finding(rule, self.source, |at| at.key(self.field), message)
    }
}

impl<'a> Routed<'a> {
    fn new(
        model: &World<'a>,
        configs: &'a BTreeMap<DocId, &'a AlertmanagerConfig>,
        workload: &'a Workload,
    ) -> Option<Self> {
        if workload.id.kind != WorkloadKind::Alertmanager {
            return None;
        }
        let key = workload.id.key();
        let resource = model
            .cluster()
            .alertmanagers
            .get(key.as_str())
            .map(|alertmanager| &*alertmanager.value);
        Some(Self {
            workload,
            tree: workload.routing.as_ref()?,
            resource,
            configs,
            model: *model,
        })
    }

    /// The matchers of its routes, then those of its inhibit rules.
    fn matchers(&self) -> impl Iterator<Item = PlacedMatcher<'a>> {
        let tree = self.tree;
        let routes = tree.routes().into_iter();
        let routes = routes.map(|(_, node, _)| (&node.matchers, &node.source, "matchers"));
        let inhibitions = tree.inhibitions.iter().flat_map(|inhibition| {
            let source = &inhibition.source;
            [
                (&inhibition.inhibiting, source, "sourceMatch"),
                (&inhibition.inhibited, source, "targetMatch"),
            ]
        });
        routes
            .chain(inhibitions)
            .flat_map(|(matchers, source, field)| {
                matchers.iter().map(move |matcher| PlacedMatcher {
                    matcher,
                    source,
                    field,
                })
            })
    }

    /// `Alertmanager monitoring/main`
    fn what(&self) -> String {
        self.workload.id.what()
    }

    /// The matchers that certainly hold. The namespace of an AlertmanagerConfig that states none is whatever it is applied to.
    fn certain_matchers(&self, way: &Way, node: &'a RouteNode) -> &'a [AlertMatcher] {
        let (own, _) = self.own_matchers(way, node);
        if self.is_adrift(&node.source) {
            own
        } else {
            &node.matchers
        }
    }

    /// Returns whether a piece is of an AlertmanagerConfig that states no namespace.
    fn is_adrift(&self, source: &PieceSource) -> bool {
        source
            .at
            .as_ref()
            .is_some_and(|at| is_adrift(&self.model, at.doc))
    }

    /// The matchers that the user wrote, and whether the operator adds one for the namespace of the AlertmanagerConfig.
    fn own_matchers(&self, way: &Way, node: &'a RouteNode) -> (&'a [AlertMatcher], bool) {
        let config = node
            .source
            .at
            .as_ref()
            .and_then(|at| self.configs.get(&at.doc))
            .filter(|_| way.len() == 1);
        let route = config.and_then(|config| config.spec.route.as_ref());
        // Behind the root of an AlertmanagerConfig there are routes of it at this depth, too.
        let is_top = node
            .source
            .at
            .as_ref()
            .is_some_and(|at| at.route.0.len() == 2);
        match route
            .filter(|_| is_top)
            .map(|route| route.matchers.as_ref().map_or(0, Vec::len))
        {
            Some(n) if n < node.matchers.len() => (&node.matchers[..n], true),
            Some(_) | None => (&node.matchers, false),
        }
    }
}

/// Returns whether nobody states the namespace of a document.
fn is_adrift(model: &World<'_>, doc: DocId) -> bool {
    let document = document::find(model.documents(), doc);
    !model.options().namespace_is_known
        && document.is_some_and(|document| !document.namespace_is_stated)
}

/// A finding about a piece of a configuration: at a field of the resource, or in the text of a Secret. `None` for the
/// operator's own pieces.
pub(super) fn finding(
    rule: &'static LintRule,
    source: &PieceSource,
    field: impl FnOnce(At) -> At,
    message: impl Into<String>,
) -> Option<Diagnostic> {
    let at = source.at.clone()?;
    let mut message = message.into();
    if let Some(line) = source.line {
        message.push_str(&format!(" (line {line} of alertmanager.yaml)"));
    }
    let at = if is_of_config(source) { field(at) } else { at };
    let found = Diagnostic::new(rule, at, message);
    Some(match source.is_secret {
        true => found.secret(),
        false => found,
    })
}

/// Returns whether a piece is of a resource, rather than of a Secret.
fn is_of_config(source: &PieceSource) -> bool {
    let first = source.at.as_ref().and_then(|at| at.route.0.first());
    first.is_some_and(|first| first.key() == Some("spec"))
}

/// The name of an alert.
fn name(alert: &Alert) -> &str {
    let name = alert.labels.get("alertname");
    name.map(String::as_str).unwrap_or_default()
}

/// The number of names in a message.
const MAX_NAMES: usize = 5;

/// The names of alerts, each once.
fn names<'a>(alerts: impl IntoIterator<Item = &'a Alert>) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    for name in alerts
        .into_iter()
        .filter_map(|alert| alert.labels.get("alertname"))
    {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    names
}

#[cfg(test)]
mod tests;
