//! Fields that another field of the same object overrides.
//!
//! Operator: the documentation of the fields ("takes precedence", "has no effect if"); of monitors, what its code writes. The table
//! has in each line a kind, a place in its specification, as a path of keys, with `*` for each item of a list and `-` for the
//! specification itself, the field there, and the one beside it that overrides it, if need be with its value.

use crate::checks::versions::deprecated::{find, is_empty};
use promgen_compile::lower::UNUSED_FIELD;
use promgen_model::model::World;
use promgen_text::diag::{Diagnostic, Place, Sink};
use promgen_text::route::At;
use promgen_text::yaml::{Data, Node};

/// The table.
static FIELDS: &str = include_str!("overridden.txt");

/// Checks every document.
pub(super) fn check(model: &World<'_>, sink: &mut Sink) {
    let rows: Vec<Vec<&str>> = FIELDS
        .lines()
        .map(|line| line.split(' ').collect())
        .collect();
    for document in model.documents() {
        let Some(spec) = document.node.get("spec") else {
            continue;
        };
        for row in rows.iter().filter(|row| row[0] == document.kind.as_str()) {
            let &[_, place, field, by] = &row[..] else {
                continue;
            };
            let mut places = Vec::new();
            let place = Some(place).filter(|place| *place != "-");
            find(spec, place, &At::spec(document.id).route, &mut places);
            places.retain(|(_, node)| {
                node.get(field).is_some_and(|value| !is_empty(value)) && overrides(node, by)
            });
            for (route, _) in places {
                let doc = document.id;
                let at = At {
                    doc,
                    route: route.key(field.to_owned()),
                };
                let message = format!(
                    "`{}` has no effect: `{}` overrides it",
                    at.route,
                    by.replace('=', ": ")
                );
                let help = format!(
                    "remove `{field}`, or `{}`",
                    by.split('=').next().unwrap_or(by)
                );
                sink.report(Diagnostic::new(&UNUSED_FIELD, Place::Key(at), message).help(help));
            }
        }
    }
}

/// Returns whether an object has a field, with its value if that decides. An empty map is a value to the operator, too.
fn overrides(node: &Node, by: &str) -> bool {
    match by.split_once('=') {
        Some((by, value)) => {
            let is = |node: &Node| matches!(node.data, Data::Bool(is) if is.to_string() == value);
            node.get(by).is_some_and(is)
        }
        None => node
            .get(by)
            .is_some_and(|node| matches!(node.data, Data::Map(_)) || !is_empty(node)),
    }
}

#[cfg(test)]
mod tests {
    use crate::checks::found::found;

    fn of(kind: &str, spec: &str) -> Vec<String> {
        let version = match kind {
            "ScrapeConfig" | "AlertmanagerConfig" => "v1alpha1",
            _ => "v1",
        };
        found(
            &["PG302"],
            &format!(
                "apiVersion: monitoring.coreos.com/{version}\nkind: {kind}\nmetadata: {{name: a, namespace: b}}\nspec: {spec}\n"
            ),
        )
    }

    #[test]
    fn a_field_that_another_one_overrides_is_told() {
        for (kind, spec, field) in [
            (
                "ServiceMonitor",
                "{selector: {}, endpoints: [{port: a}, {port: a, targetPort: 8080}]}",
                "`spec.endpoints[1].targetPort` has no effect: `port` overrides it",
            ),
            (
                "PodMonitor",
                "{selector: {}, namespaceSelector: {any: true, matchNames: [shop]}, podMetricsEndpoints: [{port: a}]}",
                "`spec.namespaceSelector.matchNames` has no effect: `any: true` overrides it",
            ),
            (
                "Probe",
                "{prober: {url: a}, targets: {ingress: {selector: {matchLabels: {a: b}}}, staticConfig: {static: [a]}}}",
                "`spec.targets.ingress` has no effect: `staticConfig` overrides it",
            ),
            (
                "ThanosRuler",
                "{queryEndpoints: [a], queryConfig: {name: a, key: b}, ruleSelector: {}}",
                "`spec.queryEndpoints` has no effect: `queryConfig` overrides it",
            ),
            (
                "Alertmanager",
                "{storage: {emptyDir: {}, volumeClaimTemplate: {spec: {resources: {requests: {storage: 1Gi}}}}}}",
                "`spec.storage.volumeClaimTemplate` has no effect: `emptyDir` overrides it",
            ),
            (
                "ScrapeConfig",
                "{honorTimestamps: false, trackTimestampsStaleness: true, staticConfigs: [{targets: [a]}]}",
                "`spec.trackTimestampsStaleness` has no effect: `honorTimestamps: false` overrides it",
            ),
        ] {
            let found = of(kind, spec);
            assert!(found.len() == 1 && found[0].contains(field), "{found:?}");
        }
    }

    #[test]
    fn a_field_without_another_one_is_used() {
        for (kind, spec) in [
            (
                "ServiceMonitor",
                "{selector: {}, endpoints: [{port: a}, {port: '', targetPort: 8080}, {targetPort: 1}]}",
            ),
            (
                "PodMonitor",
                "{selector: {}, namespaceSelector: {any: false, matchNames: [shop]}, podMetricsEndpoints: [{port: a}]}",
            ),
            (
                "ServiceMonitor",
                "{selector: {}, namespaceSelector: {any: true, matchNames: []}, endpoints: [{port: a}]}",
            ),
            (
                "ThanosRuler",
                "{queryEndpoints: [a], remoteWrite: [], retention: 1d, ruleSelector: {}}",
            ),
            (
                "Prometheus",
                "{storage: {emptyDir: null, volumeClaimTemplate: {spec: {resources: {requests: {storage: 1Gi}}}}}}",
            ),
            (
                "ScrapeConfig",
                "{honorTimestamps: true, trackTimestampsStaleness: true, staticConfigs: [{targets: [a]}]}",
            ),
        ] {
            assert_eq!(of(kind, spec), [""; 0]);
        }
    }
}
