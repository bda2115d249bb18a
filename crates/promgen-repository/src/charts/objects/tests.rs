//! What a release makes of values, and which of them are refused.

use promgen_text::origin::Applier;
use promgen_text::source::Span;
use promgen_text::yaml::embedded;

use super::*;
use crate::charts::release::{GivenValues, RELEASE, subject};

/// What a release of the chart in namespace `monitoring` makes of values.
fn made(applier: Applier, values: &str) -> ReleaseObjects {
    let place = Span::default();
    let mut given = GivenValues::new(place);
    given.add(&embedded::root(place.file, values).expect("YAML"));
    let release = ChartRelease {
        name: "kps".to_owned(),
        namespace: Some(("monitoring".into(), place)),
        chart: stack::CHART.to_owned(),
        alias: None,
        repository: String::new(),
        version: Some("75.11.0".to_owned()),
        place,
        span: place,
        values: given,
        cluster: None,
        applier,
        subject: subject(RELEASE, None, "kps"),
        request: None,
        client_side: None,
    };
    make(&release, ChartOptions::default())
}

#[test]
fn an_object_without_a_namespace_lands_in_that_of_the_release() {
    let namespace = |applier: Applier, object: &str| {
        let made = made(applier, &format!("extraManifests: [{object}]"));
        let objects = made.objects.iter().map(|object| &object.root);
        let mut own = objects.filter(|object| object.text_at(&["metadata", "name"]) == Some("own"));
        let own = own.next().expect("the object");
        own.text_at(&["metadata", "namespace"]).map(str::to_owned)
    };
    let monitor = "{apiVersion: monitoring.coreos.com/v1, kind: PodMonitor, metadata: {name: own}}";
    let text = r#""apiVersion: v1\nkind: Secret\nmetadata: {name: own}\n""#;
    for object in [monitor, text] {
        for applier in [Applier::Helm, Applier::Argo] {
            assert_eq!(namespace(applier, object).as_deref(), Some("monitoring"));
        }
        // What is around a kustomization says where its objects land.
        assert_eq!(namespace(Applier::Kustomize, object), None);
    }
    let elsewhere = "{apiVersion: v1, kind: Secret, metadata: {name: own, namespace: shop}}";
    assert_eq!(namespace(Applier::Helm, elsewhere).as_deref(), Some("shop"));
    let wide =
        "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: own}}";
    assert_eq!(namespace(Applier::Helm, wide), None);
}

/// What is said to be refused of values.
fn refused(values: &str) -> Vec<String> {
    let found = made(Applier::Helm, values).found;
    let refused = found.iter().filter(|found| *found.rule == REFUSED_VALUES);
    let place = |span: Span| values[span.start as usize..span.end as usize].to_owned();
    let text = |found: &Diagnostic| {
        let span = found.place.as_ref().and_then(|place| place.bytes());
        format!(
            "{}: {} ({})",
            place(span.expect("a place")),
            found.message,
            found.help.join("; ")
        )
    };
    refused.map(text).collect()
}

#[test]
fn a_value_that_is_no_map_where_the_chart_reads_below_it_is_refused() {
    for (values, expected) in [
        (
            "prometheus: {prometheusSpec: x}",
            "x: `prometheus.prometheusSpec` is a text: the chart reads",
        ),
        (
            "prometheus: {prometheusSpec: {image: 'quay.io/prometheus/prometheus:v3.5.0'}}",
            "'quay.io/prometheus/prometheus:v3.5.0': `prometheus.prometheusSpec.image` is a text: the chart reads `",
        ),
        (
            "alertmanager: {alertmanagerSpec: {image: [a]}}",
            "[a]: `alertmanager.alertmanagerSpec.image` is a list: the chart reads `",
        ),
        (
            "additionalPrometheusRulesMap: {own: [{name: a}]}",
            "[{name: a}]: `additionalPrometheusRulesMap.own` is a list: the chart reads `additionalLabels` of it; release kps fails (write a map, with `additionalLabels`, `groups`)",
        ),
    ] {
        let refused = refused(values);
        assert!(
            refused.len() == 1 && refused[0].starts_with(expected),
            "{values}: {refused:#?}"
        );
    }
    for fine in [
        "prometheus: {prometheusSpec: {image: {tag: v3.5.0}, retention: 1d}}",
        "prometheus: {prometheusSpec: '${SPEC}'}",
        "prometheus: {enabled: false, prometheusSpec: x}",
        "additionalPrometheusRulesMap: {own: {groups: []}}",
        "alertmanager: {alertmanagerSpec: {image: ''}}",
        "grafana: x",
        "mine: x",
    ] {
        assert_eq!(refused(fine), [""; 0], "{fine}");
    }
}

#[test]
fn an_object_without_a_name_is_told_at_its_value() {
    for (values, expected) in [
        (
            "prometheus: {additionalPodMonitors: {own: {selector: {}}}}",
            "own: `prometheus.additionalPodMonitors.own` has no `name`: the API server refuses the PodMonitor; release kps fails (write `name` in it: the chart does",
        ),
        (
            "prometheus: {additionalServiceMonitors: [{name: a}, {endpoints: []}]}",
            "{endpoints: []}: `prometheus.additionalServiceMonitors[1]` has no `name`: the API server refuses the ServiceMonitor; release kps fails (write `name` in it)",
        ),
    ] {
        let refused = refused(values);
        assert!(
            refused.len() == 1 && refused[0].starts_with(expected),
            "{values}: {refused:#?}"
        );
    }
    for fine in [
        "prometheus: {additionalPodMonitors: {own: {name: own}}}",
        "prometheus: {enabled: false, additionalServiceMonitors: [{endpoints: []}]}",
        "extraManifests: [{apiVersion: v1, kind: Secret, metadata: {generateName: a}}]",
    ] {
        assert_eq!(refused(fine), [""; 0], "{fine}");
    }
}

#[test]
fn a_template_that_helm_cannot_run_is_refused() {
    let object = |text: &str| {
        format!(
            "extraManifests: [{{apiVersion: v1, kind: ConfigMap, metadata: {{name: a, annotations: {{s: {text}}}}}}}]"
        )
    };
    let at = "`extraManifests[0].metadata.annotations.s`";
    for (text, expected) in [
        (
            "'{{ $labels.job }}'",
            format!("Helm runs the template in {at}, and knows no variable `$labels`"),
        ),
        (
            "'{{ printf \"%v\" $value }}'",
            format!("Helm runs the template in {at}, and knows no variable `$value`"),
        ),
        (
            "'{{ .CommonLabels.x }}'",
            format!("Helm runs the template in {at}, and knows no `.CommonLabels`"),
        ),
    ] {
        let refused = refused(&object(text));
        assert!(
            refused.len() == 1 && refused[0].contains(&expected),
            "{text}: {refused:#?}"
        );
    }
    let whole = r#"extraManifests: ["kind: X\nmetadata: {name: '{{ $labels.a }}'}\n"]"#;
    let of_text = refused(whole);
    assert!(
        of_text.len() == 1 && of_text[0].contains("in `extraManifests[0]`"),
        "{of_text:?}"
    );
    for text in [
        "'{{ `{{ $labels.job }}` }}'",
        "'{{ .Release.Name }}'",
        "'{{ $x := .Values.a }}{{ $x }}'",
        "'{{ .Value }}'",
        "'{{ .Values.mine }}'",
        "'{{ unknownFunction 1 }}'",
        "'{{ range $i, $x := .Values.l }}{{ $x }}{{ end }}'",
        "'{{ with .Values.mine }}{{ .x.y }}{{ end }}'",
    ] {
        assert_eq!(refused(&object(text)), [""; 0], "{text}");
    }
    // The chart runs no template in rules.
    let rules = "additionalPrometheusRulesMap: {own: {groups: [{name: a, rules: [{alert: A, expr: up, annotations: {s: '{{ $labels.job }}'}}]}]}}";
    assert_eq!(refused(rules), [""; 0]);
}

#[test]
fn flags_of_the_operator_have_the_places_of_their_values() {
    let place = |values: &str, flag: &str| {
        let values = format!("prometheusOperator: {values}");
        let span = made(Applier::Helm, &values).origin.flag(flag)?;
        Some(values[span.start as usize..span.end as usize].to_owned())
    };
    for (values, flag, expected) in [
        (
            "{denyNamespaces: [a, b]}",
            "deny-namespaces",
            Some("[a, b]"),
        ),
        (
            "{prometheusInstanceSelector: team=a}",
            "prometheus-instance-selector",
            Some("team=a"),
        ),
        (
            "{prometheusConfigReloader: {resources: {requests: {cpu: 2}}}}",
            "config-reloader-",
            Some("2"),
        ),
        // What the chart sets by itself, and what nobody sets.
        (
            "{prometheusConfigReloader: {}}",
            "prometheus-config-reloader",
            None,
        ),
        ("{denyNamespaces: []}", "deny-namespaces", None),
        (
            "{enabled: false, denyNamespaces: [a]}",
            "deny-namespaces",
            None,
        ),
    ] {
        assert_eq!(place(values, flag).as_deref(), expected, "{values}");
    }
}
