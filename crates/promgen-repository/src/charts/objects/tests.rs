use promgen_text::origin::Applier;
use promgen_text::source::Span;

use super::*;
use crate::charts::release::{GivenValues, RELEASE, subject};
use crate::embedded;

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
