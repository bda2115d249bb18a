//! Whom the alerts of a model notify: each alert, from its server through the routes of the Alertmanagers that get it.

use std::sync::OnceLock;

use promgen_compile::output::{Workload, WorkloadKind};
use promgen_model::Model;
use promgen_model::model::senders::{AlertReach, AlertSenders};
use promgen_prometheus::routing::{Alert, AlertLabels, RouteNode, RoutingTree};
use promgen_resources::secrecy::REDACTED;
use promgen_text::limits::Excess;
use promgen_text::source::Span;

/// The alerts of a model, and the ways to their receivers.
#[derive(Debug)]
pub struct Deliveries<'m> {
    alerts: Vec<Alert>,
    /// The labels of all alerts, once somebody asks which inhibit another.
    labels: OnceLock<Vec<AlertLabels>>,
    senders: &'m AlertSenders,
    alertmanagers: Vec<&'m Workload>,
    trees: Vec<(&'m Workload, &'m RoutingTree)>,
    excess: Option<Excess>,
}

/// A notification about an alert.
#[derive(Debug)]
pub struct Delivery<'d> {
    /// The Alertmanager.
    pub by: &'d Workload,
    /// Its routes.
    pub tree: &'d RoutingTree,
    /// The route, with the receiver that is notified.
    pub node: &'d RouteNode,
    /// Why nobody knows whether the Alertmanager gets the alert.
    pub unknown: Option<String>,
}

impl<'m> Deliveries<'m> {
    /// Those of a model. If there are more than the limits allow, nobody is notified, and [`Self::excess`] says so.
    #[must_use]
    pub fn of(model: &'m Model) -> Self {
        let alerts = model.alerts();
        let of_kind = |workload: &&Workload| workload.id.kind == WorkloadKind::Alertmanager;
        let alertmanagers: Vec<_> = model.output().each_workload().filter(of_kind).collect();
        let routed = alertmanagers.iter().copied();
        let trees: Vec<_> = routed
            .filter_map(|workload| Some((workload, workload.routing.as_ref()?)))
            .collect();
        let limits = &model.project().options().limits;
        let excess = RoutingTree::excess(limits, alerts.len(), trees.iter().map(|(_, tree)| *tree));
        Self {
            alerts,
            labels: OnceLock::new(),
            senders: model.senders(),
            alertmanagers,
            trees,
            excess,
        }
    }

    /// All alerts.
    #[must_use]
    pub fn alerts(&self) -> &[Alert] {
        &self.alerts
    }

    /// The number of Alertmanagers whose routes are known.
    #[must_use]
    pub const fn n_trees(&self) -> usize {
        self.trees.len()
    }

    /// The routes of each Alertmanager, as far as they are known.
    pub fn trees(&self) -> impl Iterator<Item = (&'m Workload, &'m RoutingTree)> {
        self.trees.iter().copied()
    }

    /// The limit that following them exceeds.
    #[must_use]
    pub const fn excess(&self) -> Option<&Excess> {
        self.excess.as_ref()
    }

    /// The notifications about an alert.
    pub fn of_alert<'d>(&'d self, alert: &'d Alert) -> impl Iterator<Item = Delivery<'d>> {
        let followed = if self.excess.is_some() {
            &[][..]
        } else {
            &self.trees
        };
        followed.iter().flat_map(move |(by, tree)| {
            let delivery = move |(node, reach)| {
                let unknown = match reach {
                    AlertReach::No(_) => return None,
                    AlertReach::Yes => None,
                    AlertReach::Unknown(why) => Some(why),
                };
                Some(Delivery {
                    by,
                    tree,
                    node,
                    unknown,
                })
            };
            let ends = self.senders.ends(alert, &by.id, tree).into_iter();
            ends.filter_map(delivery)
        })
    }

    /// What keeps a notification back for a time: the time intervals of its route, and the alerts of the input that inhibit this
    /// one, each with the place of the rule.
    #[must_use]
    pub fn kept_back(&self, alert: &Alert, delivery: &Delivery<'_>) -> Vec<(String, Option<Span>)> {
        let Delivery { tree, node, .. } = delivery;
        let shown = |names: &[String], is_secret: bool| match is_secret {
            true => REDACTED.to_owned(),
            false => format!("`{}`", names.join("`, `")),
        };
        let intervals = [("not during", &node.mute), ("only during", &node.active)];
        let intervals = intervals.into_iter().filter(|(_, names)| !names.is_empty());
        let intervals = intervals.map(|(when, names)| {
            let text = format!("{when} {}", shown(names, node.source.is_secret));
            (text, node.source.span)
        });
        let all = || self.alerts.iter().map(Alert::with_open);
        let firing = self.labels.get_or_init(|| all().collect());
        let inhibited = tree.inhibited_by(&alert.with_open(), firing);
        let inhibited = inhibited.into_iter();
        let inhibited = inhibited.map(|(rule, by)| {
            let by = by.get("alertname").map_or("another alert", String::as_str);
            let equal = match rule.equal.as_slice() {
                [] => String::new(),
                names => format!(" with the same {}", shown(names, rule.source.is_secret)),
            };
            (format!("not while {by} fires{equal}"), rule.source.span)
        });
        intervals.chain(inhibited).collect()
    }

    /// Why it is not known whom the Alertmanagers notify of an alert that may get it, and whose routes are not known.
    pub fn unrouted<'d>(&'d self, alert: &'d Alert) -> impl Iterator<Item = String> {
        let of = self.alertmanagers.iter().filter(|of| of.routing.is_none());
        let of = of.filter(|of| {
            let reach = self.senders.reach(&alert.resource, &of.id);
            !matches!(reach, AlertReach::No(_))
        });
        of.map(|of| {
            let what = of.id.what();
            match (of.idle(), &of.error) {
                (Some(idle), _) => format!("{what} has {idle}"),
                (None, Some(error)) => format!("{what} is not reconciled: {error}"),
                (None, None) => format!("the configuration of {what} is not in the input"),
            }
        })
    }

    /// Why no Alertmanager gets an alert: nobody evaluates it, or its servers send it elsewhere or nowhere.
    #[must_use]
    pub fn nobody(&self, alert: &Alert) -> Option<String> {
        let ids: Vec<_> = self.alertmanagers.iter().map(|of| &of.id).collect();
        self.senders.nobody(&alert.resource, &ids)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_compile::options::Options;
    use promgen_model::Project;
    use promgen_text::source::Input;

    const ALERTMANAGER: &str = "
apiVersion: monitoring.coreos.com/v1
kind: Alertmanager
metadata: {name: ops, namespace: mon}
spec: {alertmanagerConfigSelector: {}, alertmanagerConfigMatcherStrategy: {type: None}}
---
apiVersion: v1
kind: Service
metadata: {name: ops, namespace: mon}
spec: {selector: {alertmanager: ops}, ports: [{name: web, port: 9093, targetPort: web}]}
---
apiVersion: monitoring.coreos.com/v1alpha1
kind: AlertmanagerConfig
metadata: {name: ops, namespace: mon}
spec: {route: {receiver: hook}, receivers: [{name: hook, webhookConfigs: [{url: 'http://hook.mon/'}]}]}
---
";

    const ALERTING: &str = "alerting: {alertmanagers: [{name: ops, namespace: mon, port: web}]}";

    fn object(kind: &str, name: &str, spec: &str) -> String {
        let version = if kind == "PrometheusAgent" {
            "v1alpha1"
        } else {
            "v1"
        };
        format!(
            "apiVersion: monitoring.coreos.com/{version}\nkind: {kind}\nmetadata: {{name: {name}, namespace: mon}}\nspec: {{{spec}}}\n---\n"
        )
    }

    /// Whom an alert beside these objects notifies, or why nobody, or why that is not known.
    fn told(objects: &[&str]) -> Vec<String> {
        let rule = "groups: [{name: g, rules: [{alert: A, expr: sum(x) > 1}]}]";
        let text = objects.concat() + &object("PrometheusRule", "r", rule);
        let inputs = [Input::new("a.yaml", text)];
        let model = Project::read(&inputs, &Options::default()).model();
        let deliveries = Deliveries::of(&model);
        let alert = &deliveries.alerts()[0];
        let notified = deliveries.of_alert(alert).map(|of| match of.unknown {
            None => of.node.receiver.value.clone(),
            Some(why) => format!("{}? {why}", of.node.receiver.value),
        });
        let nobody = deliveries.nobody(alert);
        let nobody = nobody.map(|why| format!("nobody: {why}"));
        let unrouted = deliveries.unrouted(alert);
        let unrouted = unrouted.map(|why| format!("unknown: {why}"));
        notified.chain(nobody).chain(unrouted).collect()
    }

    #[test]
    fn alerts_that_no_server_evaluates_notify_nobody() {
        let server = object(
            "Prometheus",
            "main",
            &format!("ruleSelector: {{}}, {ALERTING}"),
        );
        let agent = object("PrometheusAgent", "main", "replicas: 2");
        let ruler = "ruleSelector: {}, queryEndpoints: [q], alertmanagersUrl: ['http://ops:9093']";
        let ruler = object("ThanosRuler", "main", ruler);
        let other = object("Prometheus", "other", ALERTING);
        let no_agent =
            "nobody: no server evaluates it: PrometheusAgent mon/main has no `ruleSelector`";
        assert_eq!(told(&[ALERTMANAGER, &agent]), [no_agent]);
        assert_eq!(told(&[&agent]), [no_agent]);
        let unselected = ["nobody: no workload selects its rule"];
        assert_eq!(told(&[ALERTMANAGER, &agent, &other]), unselected);
        assert_eq!(told(&[ALERTMANAGER, &agent, &server]), ["mon/ops/hook"]);
        assert_eq!(told(&[ALERTMANAGER, &agent, &ruler]), ["mon/ops/hook"]);
        // A server outside of the input may evaluate it.
        let unserved = ["mon/ops/hook? no server in the input evaluates it"];
        assert_eq!(told(&[ALERTMANAGER]), unserved);
        let chart = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: x, namespace: mon}\nspec: {chart: {spec: {chart: x}}}\n---\n";
        let told = told(&[ALERTMANAGER, &agent, chart]);
        assert!(told[0].starts_with("mon/ops/hook? no server in the input evaluates it, and"));
    }

    #[test]
    fn the_routes_of_a_paused_alertmanager_stay_as_they_were() {
        let server = object(
            "Prometheus",
            "main",
            &format!("ruleSelector: {{}}, {ALERTING}"),
        );
        let by_operated = ALERTING.replace("name: ops", "name: alertmanager-operated");
        let by_operated = object(
            "Prometheus",
            "main",
            &format!("ruleSelector: {{}}, {by_operated}"),
        );
        let paused = ALERTMANAGER.replacen("spec: {", "spec: {paused: true, ", 1);
        let unknown = [
            "unknown: Alertmanager mon/ops has `paused: true`: the operator leaves its objects as they are",
        ];
        assert_eq!(told(&[&paused, &server]), unknown);
        assert_eq!(told(&[&paused, &by_operated]), unknown);
        let both = [
            &*paused,
            &object("Alertmanager", "b", "replicas: 1"),
            &server,
        ];
        assert_eq!(told(&both).last().map(String::as_str), Some(unknown[0]));
        // Nothing is sent there in any case.
        let nowhere = object("Prometheus", "main", "ruleSelector: {}");
        assert!(told(&[&paused, &nowhere])[0].starts_with("nobody: Prometheus mon/main"));
        let elsewhere = ALERTMANAGER.replace("alertmanager: ops}", "app: x}");
        assert!(told(&[&elsewhere, &server])[0].ends_with("selects the pods of no Alertmanager"));
    }

    #[test]
    fn the_map_marks_rules_whose_alerts_notify_nobody() {
        use crate::map::FlowMap;
        use crate::reachable::UnreachableJobs;

        let rule = "groups: [{name: g, rules: [{alert: A, expr: sum(x) > 1}]}]";
        let rule = object("PrometheusRule", "r", rule);
        let is_marked = |server: &str| {
            let text = [ALERTMANAGER, server, &rule].concat();
            let inputs = [Input::new("a.yaml", text)];
            let model = Project::read(&inputs, &Options::default()).model();
            let map = FlowMap::of(
                &model,
                &UnreachableJobs::of(&model),
                &Deliveries::of(&model),
            );
            let of_rule = map.boxes.iter().find(|of| of.title() == "mon/r");
            of_rule.is_some_and(|of| of.is_dead() && of.detail().contains("1 alert to nobody"))
        };
        assert!(is_marked(&object("Prometheus", "main", "ruleSelector: {}")));
        let barred = ALERTING.replace("port: web", "port: web, pathPrefix: /x");
        let barred = object(
            "Prometheus",
            "main",
            &format!("ruleSelector: {{}}, {barred}"),
        );
        assert!(is_marked(&barred));
        let server = object(
            "Prometheus",
            "main",
            &format!("ruleSelector: {{}}, {ALERTING}"),
        );
        assert!(!is_marked(&server));
        let agent = object("PrometheusAgent", "main", "replicas: 2");
        assert!(!is_marked(&(server + &agent)));
    }

    #[test]
    fn alerts_that_are_sent_nowhere_notify_nobody() {
        let nowhere = "nobody: Prometheus mon/main sends its alerts nowhere: it has no `alerting.alertmanagers`";
        let server =
            |spec: &str| object("Prometheus", "main", &format!("ruleSelector: {{}}, {spec}"));
        assert_eq!(told(&[&server("replicas: 2")]), [nowhere]);
        assert_eq!(told(&[ALERTMANAGER, &server("replicas: 2")]), [nowhere]);
        // It may be elsewhere.
        assert_eq!(told(&[&server(ALERTING)]), [""; 0]);
        let by_hand = "additionalAlertManagerConfigs: {name: s, key: k}";
        assert_eq!(told(&[&server(by_hand)]), [""; 0]);
    }
}
