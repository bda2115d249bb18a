//! The alerts of PrometheusRules.

use promgen_compile::cluster::{Cluster, Object};
use promgen_prometheus::routing::{Alert, AlertLabels};
use promgen_resources::api::{PrometheusRule, Rule, RuleGroup};
use promgen_resources::document::Document;
use promgen_resources::locate;
use promgen_text::route::At;

/// All alerts, by resource and in the order of each.
pub(crate) fn of_cluster(cluster: &Cluster, documents: &[Document]) -> Vec<Alert> {
    cluster.prometheus_rules.values().flat_map(|rule| of_resource(rule, documents)).collect()
}

/// The alerts of a PrometheusRule.
fn of_resource(resource: &Object<PrometheusRule>, documents: &[Document]) -> Vec<Alert> {
    let groups = resource.value.spec.groups.as_deref().unwrap_or_default().iter().enumerate();
    let of_group = |(at_group, group): (usize, &RuleGroup)| {
        let rules = group.rules.as_deref().unwrap_or_default().iter().enumerate();
        let alert = |(index, rule): (usize, &Rule)| {
            let name = rule.alert.as_deref().filter(|name| !name.is_empty())?;
            let mut labels = AlertLabels::from([("namespace".to_owned(), resource.namespace().to_owned())]);
            labels.extend(group.labels.clone().unwrap_or_default());
            labels.extend(rule.labels.clone().unwrap_or_default());
            labels.insert("alertname".to_owned(), name.to_owned());
            // A label without a value is none, and one that is a template has a value that nobody knows yet.
            labels.retain(|_, value| !value.is_empty() && !value.contains("{{"));
            let at =
                At::doc(resource.doc).key("spec").key("groups").index(at_group).key("rules").index(index).key("alert");
            let resource = format!("{}/{}", resource.namespace(), resource.value.metadata.name);
            Some(Alert { labels, resource, span: locate::locate(&at, documents) })
        };
        rules.filter_map(alert).collect::<Vec<_>>()
    };
    groups.flat_map(of_group).collect()
}
