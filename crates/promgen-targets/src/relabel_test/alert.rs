//! Runs tests of alerts.
//!
//! In: an alert, and the compiled Alertmanagers. Out: what does not hold. What a Secret holds is compared and not printed,
//! unless the run reveals it.

use std::collections::BTreeSet;

use crate::relabel_test::read::Suite;
use crate::relabel_test::run::{TestResult, listed_as, wanted};
use crate::relabel_test::{AlertInput, Expect, Muted, Test};
use promgen_compile::output::{Output, WorkloadKind};
use promgen_prometheus::routing::{AlertLabels, RouteNode, RoutingTree};
use promgen_resources::secrecy::REDACTED;
use promgen_text::CollectOrdered;
use promgen_text::time::Timestamp;

/// Runs a test.
pub(super) fn run(
    suite: &Suite,
    test: &Test,
    alert: &AlertInput,
    output: &Output,
) -> Result<TestResult, String> {
    let tree = find_tree(suite, test, output)?;
    let routes = tree.notifying(&labels(alert)).collect();
    let at = alert.at.as_deref().and_then(Timestamp::parse);
    let Expect {
        receivers,
        muted,
        grouped_by,
        ..
    } = &test.expect;
    let routed = RoutedAlert { tree, routes };
    let mut failures = Vec::new();
    failures.extend(
        receivers
            .as_ref()
            .and_then(|expected| routed.check_receivers(expected)),
    );
    if let (Some(expected), Some(at)) = (muted, at) {
        failures.extend(routed.check_muted(expected, at)?);
    }
    if let Some(expected) = grouped_by {
        failures.extend(routed.check_groups(expected));
    }
    Ok(TestResult {
        failures,
        differing: None,
    })
}

fn find_tree<'o>(
    suite: &Suite,
    test: &Test,
    output: &'o Output,
) -> Result<&'o RoutingTree, String> {
    let wanted = wanted(suite, test, |kind| kind == WorkloadKind::Alertmanager);
    let of_kind = output
        .workloads
        .iter()
        .filter(|workload| workload.id.kind == WorkloadKind::Alertmanager);
    let found: Vec<_> = of_kind
        .filter(|workload| wanted.as_ref().is_none_or(|id| workload.id == *id))
        .collect();
    match (found.as_slice(), wanted) {
        ([only], _) => only
            .routing
            .as_ref()
            .ok_or_else(|| format!("{} has no configuration", only.id)),
        ([], Some(id)) => Err(format!("{id} not found")),
        ([], None) => Err("no Alertmanager found".to_owned()),
        ([_, _, ..], _) => {
            Err("there are several Alertmanagers; select one with `workload`".to_owned())
        }
    }
}

/// The labels of the alert, without the empty ones.
fn labels(alert: &AlertInput) -> AlertLabels {
    let mut labels = alert.labels.clone();
    labels.extend(
        alert
            .namespace
            .clone()
            .map(|namespace| ("namespace".to_owned(), namespace)),
    );
    labels.retain(|_, value| !value.is_empty());
    labels
}

/// The routes that notify about an alert.
struct RoutedAlert<'t> {
    tree: &'t RoutingTree,
    routes: Vec<&'t RouteNode>,
}

impl RoutedAlert<'_> {
    fn check_receivers(&self, expected: &[String]) -> Option<String> {
        let differs = !have_receivers(&self.routes, expected);
        differs.then(|| {
            format!(
                "expected {}, but got {}",
                listed_as("receiver", expected),
                listed_as("receiver", &names(&self.routes))
            )
        })
    }

    fn check_muted(&self, expected: &Muted, at: Timestamp) -> Result<Option<String>, String> {
        let is_muted = |route: &&RouteNode| {
            let answer = self.tree.is_muted(route, at);
            answer.ok_or("whether it is muted depends on the time zone of the pod, location Local")
        };
        let mut muted = Vec::new();
        for route in &self.routes {
            if is_muted(route)? {
                muted.push(*route);
            }
        }
        let expected_text = match expected {
            Muted::All(true) if muted.len() == self.routes.len() => return Ok(None),
            Muted::All(false) if muted.is_empty() => return Ok(None),
            Muted::All(true) => "all receivers to be muted".to_owned(),
            Muted::All(false) => "no receiver to be muted".to_owned(),
            Muted::Receivers(names) => {
                if have_receivers(&muted, names) {
                    return Ok(None);
                }
                format!("{} to be muted", listed_as("receiver", names))
            }
        };
        let is = if muted.is_empty() {
            "none is".to_owned()
        } else {
            format!("muted: {}", names(&muted).join(", "))
        };
        Ok(Some(format!("expected {expected_text} at {at}, but {is}")))
    }

    fn check_groups(&self, expected: &[String]) -> Vec<String> {
        let wanted: BTreeSet<&String> = expected.iter().collect_set();
        let differs = |route: &&&RouteNode| route.group_by.value.iter().collect_set() != wanted;
        let words = |route: &&RouteNode| {
            let is = if route.group_by.is_secret {
                REDACTED.to_owned()
            } else {
                route.group_by.value.join(", ")
            };
            let (of, expected) = (name(route), expected.join(", "));
            format!("expected receiver {of} to group by [{expected}], but it groups by [{is}]")
        };
        self.routes.iter().filter(differs).map(words).collect()
    }
}

/// Returns whether these are the receivers of routes.
fn have_receivers(routes: &[&RouteNode], names: &[String]) -> bool {
    let receivers = routes.iter().map(|route| &route.receiver.value);
    receivers.collect_set() == names.iter().collect()
}

/// The name of the receiver of a route.
fn name(route: &RouteNode) -> String {
    if route.receiver.is_secret {
        REDACTED.to_owned()
    } else {
        route.receiver.value.clone()
    }
}

fn names(routes: &[&RouteNode]) -> Vec<String> {
    routes.iter().map(|route| name(route)).collect()
}
