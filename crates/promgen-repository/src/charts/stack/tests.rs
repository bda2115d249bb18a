//! What the chart makes of values, as Helm 3.19 makes it.

use promgen_text::source::FileId;

use super::*;
use crate::charts::{embedded, node};

/// The objects that the newest version makes of values, or those of one kind.
fn compiled(values: &str) -> CompiledStack {
    let values = embedded::root(FileId::new(0), values).unwrap();
    compile(&StackRequest {
        release: "kps",
        namespace: Some(("metrics", Span::default())),
        version: versions::newest(),
        values: &values,
        place: Span::default(),
        span: Span::default(),
        chart: CHART,
    })
}

/// A value of the Prometheus that is made of values, as YAML.
fn of_server(prometheus_spec: &str, path: &[&str]) -> Option<String> {
    let values = format!("prometheus: {{prometheusSpec: {prometheus_spec}}}");
    let objects = compiled(&values).objects;
    let server = objects
        .iter()
        .find(|(object, _)| object.text_of("kind") == Some("Prometheus"))?;
    server.0.find(path).map(node::yaml)
}

#[test]
fn a_null_takes_away_a_default_and_nothing_else() {
    for (spec, path, expected) in [
        // Without a default, the map of the user is not empty.
        (
            "{serviceMonitorSelector: {matchLabels: null}}",
            &["spec", "serviceMonitorSelector"][..],
            Some("{}"),
        ),
        (
            "{externalLabels: {cluster: null}}",
            &["spec", "externalLabels"],
            Some("{}"),
        ),
        (
            "{nodeSelector: {disk: null}}",
            &["spec", "nodeSelector"],
            Some("{}"),
        ),
        // A default that is gone leaves nothing, or what is beside it.
        (
            "{securityContext: {runAsUser: null}}",
            &["spec", "securityContext", "runAsUser"],
            None,
        ),
        (
            "{securityContext: {runAsUser: null}}",
            &["spec", "securityContext", "runAsGroup"],
            Some("2000"),
        ),
        ("{retention: null}", &["spec", "retention"], None),
        ("{externalLabels: {}}", &["spec", "externalLabels"], None),
        ("{externalLabels: null}", &["spec", "externalLabels"], None),
        (
            "{serviceMonitorSelector: null}",
            &["spec", "serviceMonitorSelector", "matchLabels", "release"],
            Some("kps"),
        ),
    ] {
        assert_eq!(of_server(spec, path).as_deref(), expected, "{spec}");
    }
}
