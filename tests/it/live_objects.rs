//! An object that has a manifest and is in a cluster: every question sees the manifest's labels and the cluster's addresses.

use crate::lint::folder;
use crate::support::promgen;

const MANIFESTS: &str = "apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: {name: k8s, namespace: shop}
spec: {serviceMonitorSelector: {}, serviceDiscoveryRole: EndpointSlice}
---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: {name: cart, namespace: shop}
spec:
  selector: {matchLabels: {app: new}}
  endpoints: [{port: http}]
---
apiVersion: v1
kind: Namespace
metadata: {name: shop, labels: {team: new}}
---
apiVersion: v1
kind: Service
metadata: {name: cart, namespace: shop, labels: {app: new}}
spec: {selector: {app: cart}, ports: [{name: http, port: 80}]}
";

const CLUSTER: &str = "apiVersion: v1
kind: Namespace
metadata: {name: shop, uid: n1, labels: {team: old}}
---
apiVersion: v1
kind: Service
metadata: {name: cart, namespace: shop, labels: {app: old}, uid: s1, resourceVersion: '12'}
spec: {selector: {app: cart}, clusterIP: 10.0.0.1, ports: [{name: http, port: 80, protocol: TCP}]}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: cart-x, namespace: shop, labels: {kubernetes.io/service-name: cart}, uid: e1}
addressType: IPv4
endpoints: [{addresses: [10.1.0.1], conditions: {ready: true}}]
ports: [{name: http, port: 80, protocol: TCP}]
";

/// The manifests and the dump in both orders, with another label in the monitor's selector and the Prometheus' namespaces.
fn in_both_orders(label: &str, questions: impl Fn(&str)) {
    let selector = format!("serviceMonitorNamespaceSelector: {{matchLabels: {{team: {label}}}}}");
    let manifests = MANIFESTS
        .replace(
            "matchLabels: {app: new}",
            &format!("matchLabels: {{app: {label}}}"),
        )
        .replace(
            "serviceDiscoveryRole",
            &format!("{selector}, serviceDiscoveryRole"),
        );
    for (first, second) in [(&*manifests, CLUSTER), (CLUSTER, &*manifests)] {
        let root = folder(&[("all.yaml", &format!("{first}---\n{second}"))]);
        questions(root.path().to_str().unwrap());
    }
}

#[test]
fn the_labels_of_the_manifest_decide_for_every_question() {
    in_both_orders("new", |root| {
        let explained = promgen(&["explain", "servicemonitor/shop/cart", root]);
        assert!(
            explained.code == 0 && explained.stdout.contains("10.1.0.1:80: shard 0"),
            "{}",
            explained.stdout
        );
        assert!(
            explained.stdout.contains("✓ Service shop/cart"),
            "{}",
            explained.stdout
        );
        let which = promgen(&["which", "10.1.0.1:80", root]);
        assert!(
            which.stdout.contains("scraped by shard 0"),
            "{}{}",
            which.stdout,
            which.stderr
        );
    });
}

#[test]
fn the_labels_of_the_live_objects_decide_nothing() {
    in_both_orders("old", |root| {
        let explained = promgen(&["explain", "servicemonitor/shop/cart", root]);
        assert!(
            explained.code == 1 && explained.stdout.contains("requires `team: old`"),
            "{}",
            explained.stdout
        );
        let which = promgen(&["which", "10.1.0.1:80", root]);
        assert!(!which.stdout.contains("scraped by"), "{}", which.stdout);
    });
}
