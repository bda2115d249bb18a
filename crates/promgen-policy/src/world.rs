//! What facts are computed from: a compiled environment, and what of it only some facts need, made when the first one asks.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use promgen_answers::deliveries::Deliveries;
use promgen_model::Model;
use promgen_model::model::World;
use promgen_prometheus::routing::{Alert, RouteNode};
use promgen_resources::api::Kind;
use promgen_resources::document::Document;
use promgen_text::CollectOrdered;
use promgen_text::route::At;
use promgen_text::source::Span;

/// The alerts of a rule, by its resource and the place of its name.
type AlertsOfRules = BTreeMap<(String, Option<Span>), Vec<usize>>;

/// The name of an object: its kind, namespace and name.
type ObjectName<'w> = (Kind, &'w str, &'w str);

/// An environment, as facts see it.
pub(crate) struct PolicyWorld<'w> {
    pub(crate) world: World<'w>,
    model: &'w Model,
    deliveries: OnceLock<Deliveries<'w>>,
    numbers: OnceLock<BTreeMap<At, usize>>,
    alerts: OnceLock<AlertsOfRules>,
    /// What each route gets, by its address.
    arrivals: OnceLock<BTreeMap<usize, Arrivals>>,
    documents: OnceLock<BTreeMap<ObjectName<'w>, &'w Document>>,
}

/// The alerts that a route gets.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arrivals {
    /// The names of those that it surely gets, in order.
    pub(crate) sure: Vec<String>,
    /// Why it may get others.
    pub(crate) unsure: Option<String>,
}

impl<'w> PolicyWorld<'w> {
    pub(crate) fn new(model: &'w Model, world: World<'w>) -> Self {
        Self {
            world,
            model,
            deliveries: OnceLock::new(),
            numbers: OnceLock::new(),
            alerts: OnceLock::new(),
            arrivals: OnceLock::new(),
            documents: OnceLock::new(),
        }
    }

    /// The alerts, and the ways to their receivers.
    pub(crate) fn deliveries(&self) -> &Deliveries<'w> {
        self.deliveries.get_or_init(|| Deliveries::of(self.model))
    }

    /// The number of the rule at a place.
    pub(crate) fn number(&self, at: &At) -> Option<usize> {
        let numbers = self.numbers.get_or_init(|| {
            let rules = self.world.lineage().rules.iter().enumerate();
            let of = rules.map(|(number, rule)| (rule.at.clone(), number));
            of.collect_map()
        });
        numbers.get(at).copied()
    }

    /// The alerts of a rule: one for each namespace of its series.
    pub(crate) fn alerts(&self, resource: &str, span: Option<Span>) -> Vec<&Alert> {
        let all = self.deliveries().alerts();
        let by_rule = self.alerts.get_or_init(|| {
            let mut by_rule = AlertsOfRules::new();
            for (number, alert) in all.iter().enumerate() {
                let rule = (alert.resource.clone(), alert.span);
                by_rule.entry(rule).or_default().push(number);
            }
            by_rule
        });
        let numbers = by_rule.get(&(resource.to_owned(), span));
        let numbers = numbers.map(Vec::as_slice).unwrap_or_default();
        numbers
            .iter()
            .filter_map(|number| all.get(*number))
            .collect()
    }

    /// The alerts that a route gets, and no route below it.
    pub(crate) fn arrivals(&self, node: &RouteNode) -> Arrivals {
        let arrivals = self.arrivals.get_or_init(|| self.all_arrivals());
        arrivals.get(&address(node)).cloned().unwrap_or_default()
    }

    fn all_arrivals(&self) -> BTreeMap<usize, Arrivals> {
        let deliveries = self.deliveries();
        let mut all: BTreeMap<usize, Arrivals> = BTreeMap::new();
        for alert in deliveries.alerts() {
            let name = alert.labels.get("alertname").cloned().unwrap_or_default();
            for delivery in deliveries.of_alert(alert) {
                let at_route = all.entry(address(delivery.node)).or_default();
                match delivery.unknown {
                    None => at_route.sure.push(name.clone()),
                    Some(why) => drop(at_route.unsure.get_or_insert(why)),
                }
            }
        }
        for arrivals in all.values_mut() {
            arrivals.sure.sort_unstable();
            arrivals.sure.dedup();
        }
        all
    }

    /// The document of an object.
    pub(crate) fn document(&self, kind: Kind, namespace: &str, name: &str) -> Option<&'w Document> {
        let documents = self.documents.get_or_init(|| {
            let all = self.world.documents().iter();
            let named = all.map(|of| ((of.kind, of.namespace.as_str(), of.name.as_str()), of));
            named.collect_map()
        });
        documents.get(&(kind, namespace, name)).copied()
    }
}

fn address(node: &RouteNode) -> usize {
    std::ptr::from_ref(node).addr()
}
