//! What policies let pass, block and leave open.

use crate::network::{NetworkPods, NetworkWay, Policies, TargetPort};
use promgen_resources::api::{DeclaredPort, PodContainer, PodSpec};
use promgen_resources::document::Manifests;
use promgen_text::diag::Sink;
use promgen_text::source::FileId;
use promgen_text::yaml;
use promgen_text::yaml::StringMap;

type Labels = StringMap;

fn labels(pairs: &[(&str, &str)]) -> Labels {
    pairs
        .iter()
        .map(|(key, value)| ((*key).into(), (*value).into()))
        .collect()
}

/// `open`, `blocked` or `unknown`, from Prometheus in `mon` to port 8080 (`web`) of `app` in `shop`.
fn way(policies: &str) -> &'static str {
    way_with(policies, Some(&labels(&[("team", "mon")])), false)
}

fn way_with(policies: &str, of_namespace: Option<&Labels>, host_network: bool) -> &'static str {
    let text: String = policies.lines().map(|spec| policy(spec.trim())).collect();
    let parsed = yaml::read::read(FileId::new(0), &text, &mut Sink::default());
    let manifests = Manifests::read(parsed, "default", &mut Sink::default());
    let policies = Policies::read(&manifests, &|_| false, false);
    let (own, other) = (labels(&[("app", "prometheus")]), labels(&[("app", "app")]));
    let port = DeclaredPort {
        name: "web".to_owned(),
        container_port: 8080,
        ..DeclaredPort::default()
    };
    let containers = vec![PodContainer {
        ports: vec![port],
        ..PodContainer::default()
    }];
    let scraper = PodSpec {
        containers,
        ..PodSpec::default()
    };
    let scraped = PodSpec {
        host_network,
        ..scraper.clone()
    };
    let pods = |namespace, namespace_labels, labels, spec| NetworkPods {
        namespace,
        namespace_labels,
        labels,
        spec,
    };
    let from = policies.scraping(pods("mon", of_namespace, &own, &scraper));
    match policies.way(
        &from,
        &pods("shop", None, &other, &scraped),
        TargetPort { number: 8080 },
    ) {
        NetworkWay::Open => "open",
        NetworkWay::Blocked(..) => "blocked",
        NetworkWay::Unknown(_) => "unknown",
    }
}

/// `NAMESPACE SPEC`; the name is the text itself.
fn policy(line: &str) -> String {
    let Some((namespace, spec)) = line.split_once(' ') else {
        return String::new();
    };
    format!(
        "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {{name: p{}, namespace: {namespace}}}\nspec: {spec}\n---\n",
        line.len()
    )
}

#[test]
fn what_isolates_pods_adds_up_what_it_allows() {
    assert_eq!(way(""), "open");
    assert_eq!(way("shop {podSelector: {}}"), "blocked");
    assert_eq!(
        way("shop {podSelector: {matchLabels: {app: other}}}"),
        "open"
    );
    assert_eq!(
        way("shop {podSelector: {}}\nshop {podSelector: {matchLabels: {app: app}}, ingress: [{}]}"),
        "open"
    );
    assert_eq!(way("shop {podSelector: {}, policyTypes: [Egress]}"), "open");
    // Rules of egress alone isolate ingress, too, unless the types say otherwise.
    assert_eq!(way("shop {podSelector: {}, egress: [{}]}"), "blocked");
    assert_eq!(
        way("mon {podSelector: {}, policyTypes: [Egress]}"),
        "blocked"
    );
    assert_eq!(
        way("mon {podSelector: {}, egress: [{to: [{namespaceSelector: {}}]}]}"),
        "open"
    );
}

#[test]
fn peers_are_pods_of_namespaces() {
    let from = |peer: &str| {
        way(&format!(
            "shop {{podSelector: {{}}, ingress: [{{from: [{peer}]}}]}}"
        ))
    };
    assert_eq!(
        from("{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: mon}}}"),
        "open"
    );
    assert_eq!(
        from("{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: shop}}}"),
        "blocked"
    );
    assert_eq!(
        from(
            "{namespaceSelector: {matchLabels: {team: mon}}, podSelector: {matchLabels: {app: prometheus}}}"
        ),
        "open"
    );
    assert_eq!(
        from(
            "{namespaceSelector: {matchLabels: {team: mon}}, podSelector: {matchLabels: {app: grafana}}}"
        ),
        "blocked"
    );
    // Pods alone are those of the policy's own namespace.
    assert_eq!(from("{podSelector: {}}"), "blocked");
    assert_eq!(from("{ipBlock: {cidr: 10.0.0.0/8}}"), "unknown");
    assert_eq!(from("{podSelector: {}}, {namespaceSelector: {}}"), "open");
    assert_eq!(
        from(
            "{namespaceSelector: {matchExpressions: [{key: team, operator: NotIn, values: [mon]}]}}"
        ),
        "blocked"
    );
    // Controllers add labels that nobody knows.
    assert_eq!(
        from("{namespaceSelector: {}, podSelector: {matchLabels: {controller-revision-hash: a}}}"),
        "unknown"
    );
}

#[test]
fn ports_are_those_of_the_pods_that_are_reached() {
    let on = |port: &str| {
        way(&format!(
            "shop {{podSelector: {{}}, ingress: [{{ports: [{port}]}}]}}"
        ))
    };
    assert_eq!(on("{port: 8080}"), "open");
    assert_eq!(on("{port: 80}"), "blocked");
    assert_eq!(on("{port: web}"), "open");
    assert_eq!(on("{port: metrics}"), "blocked");
    assert_eq!(on("{port: 8080, protocol: UDP}"), "blocked");
    assert_eq!(on("{port: 8000, endPort: 9000}"), "open");
    assert_eq!(on("{port: 9000, endPort: 9100}"), "blocked");
    assert_eq!(on("{protocol: TCP}"), "open");
    assert_eq!(
        way("mon {podSelector: {}, egress: [{ports: [{port: web}]}]}"),
        "open"
    );
}

#[test]
fn what_is_not_in_the_input_is_unknown() {
    let by_label = "shop {podSelector: {}, ingress: [{from: [{namespaceSelector: {matchLabels: {team: mon}}}]}]}";
    assert_eq!(way_with(by_label, None, false), "unknown");
    let by_name = "shop {podSelector: {}, ingress: [{from: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: x}}}]}]}";
    assert_eq!(way_with(by_name, None, false), "blocked");
    assert_eq!(way_with("shop {podSelector: {}}", None, true), "unknown");
}
