//! Cases without a recorded response: selectors, lists, duplicates, and hostile input.

use crate::discovery::query::RoleSelector;
use crate::discovery::*;
use promgen_prometheus::labels::text::{parse_fields, parse_labels};
use promgen_resources::document::Manifests;
use promgen_resources::release::CURRENT;
use promgen_resources::schema::Definitions;
use promgen_text::diag::Sink;
use promgen_text::source::FileId;
use promgen_text::yaml::read::{ParsedDocument, read};

pub(super) fn discovery(text: &str) -> Discovery {
    of_documents(read(FileId::new(0), text, &mut Sink::default()))
}

fn of_documents(documents: impl IntoIterator<Item = ParsedDocument>) -> Discovery {
    let manifests = Manifests::read(documents, "here", &mut Sink::default());
    let (release, definitions) = (&CURRENT.version, Definitions::default());
    let cluster = Cluster::load(
        &manifests.documents,
        release,
        &definitions,
        &mut Sink::default(),
    );
    Discovery::new(&manifests, &cluster)
}

fn refused(text: &str) -> Vec<String> {
    discovery(text)
        .refused()
        .iter()
        .map(|refused| format!("{}: {}", refused.resource, refused.why))
        .collect()
}

fn sources(discovery: &Discovery, query: &Query) -> Vec<String> {
    discovery
        .targets(query)
        .into_iter()
        .map(|group| group.source)
        .collect()
}

fn pod(namespace: &str, name: &str, rest: &str) -> String {
    format!(
        "{{apiVersion: v1, kind: Pod, metadata: {{name: {name}, namespace: {namespace}}}, \
         spec: {{nodeName: n-{name}, containers: [{{name: c, ports: [{{containerPort: 80}}]}}]}}, \
         status: {{podIP: 10.0.0.1, phase: Running}}{rest}}}\n---\n"
    )
}

#[test]
fn groups_sort_by_source_whatever_namespaces_are_asked_for() {
    let discovery =
        discovery(&[pod("a", "x", ""), pod("a-b", "x", ""), pod("c", "x", "")].concat());
    let mut query = Query::new(DiscoveryRole::Pod);
    assert_eq!(
        sources(&discovery, &query),
        ["pod/a-b/x", "pod/a/x", "pod/c/x"]
    );
    query.namespaces = ["a", "a-b"].map(str::to_owned).into();
    assert_eq!(sources(&discovery, &query), ["pod/a-b/x", "pod/a/x"]);
}

#[test]
fn lists_are_taken_apart_and_other_kinds_passed_over() {
    let discovery = discovery(
        "apiVersion: v1\nkind: List\nitems:\n\
         - {apiVersion: v1, kind: ServiceList, items: [{metadata: {name: a}}, {metadata: {name: b}}, 5]}\n\
         - {apiVersion: serving.knative.dev/v1, kind: Service, metadata: {name: c}}\n\
         - {apiVersion: apps/v1, kind: Deployment, metadata: 5}\n\
         - {kind: Service, metadata: {name: d}}\n---\n- 1\n---\nhello\n",
    );
    assert_eq!(
        sources(&discovery, &Query::new(DiscoveryRole::Service)),
        ["svc/here/a", "svc/here/b"]
    );
}

#[test]
fn what_does_not_fit_is_named_and_left_out() {
    assert_eq!(
        refused("{apiVersion: v1, kind: Node, metadata: {name: a, labels: {b: 1}}}"),
        ["Node/a: metadata.labels.b: expected a string, found number 1"]
    );
    assert_eq!(
        refused("{apiVersion: v1, kind: Node, spec: {}}"),
        ["Node/: it has no name"]
    );
    assert_eq!(
        refused("{apiVersion: v1, kind: Endpoints, metadata: {name: a}, subsets: [[1]]}"),
        ["Endpoints/a: subsets[0]: expected a map, found a list"]
    );
    assert!(
        refused(
            "{apiVersion: v1, kind: Node, metadata: {name: a}, spec: {taints: 7}, status: null}"
        )
        .is_empty()
    );
}

#[test]
fn a_manifest_has_the_labels_and_the_live_object_what_the_cluster_fills_in() {
    let service = |number: &str, uid: &str| {
        let ip = if uid.is_empty() { "" } else { number };
        format!(
            "{{apiVersion: v1, kind: Service, metadata: {{name: a, uid: '{uid}', labels: {{by: '{number}'}}}}, \
             spec: {{clusterIP: '{ip}', ports: [{{port: 1}}]}}}}\n---\n"
        )
    };
    let cases = [
        (&["", ""][..], "2", ""),
        (&["u", ""], "2", "1"),
        (&["", "u"], "1", "2"),
        (&["u", "u"], "2", "2"),
        (&["", "u", ""], "3", "2"),
    ];
    for (uids, labels, ip) in cases {
        let services = uids
            .iter()
            .enumerate()
            .map(|(index, uid)| service(&(index + 1).to_string(), uid));
        let groups =
            discovery(&services.collect::<String>()).targets(&Query::new(DiscoveryRole::Service));
        let group = &groups[0];
        assert_eq!(
            &*group.labels["__meta_kubernetes_service_label_by"], labels,
            "{uids:?}"
        );
        let cluster_ip = group.targets[0].get("__meta_kubernetes_service_cluster_ip");
        assert_eq!(
            cluster_ip.map(ToString::to_string).unwrap_or_default(),
            ip,
            "{uids:?}"
        );
    }
}

#[test]
fn selectors_pick_by_label_and_by_field() {
    let labelled = pod("a", "web", "").replace("name: web,", "name: web, labels: {app: web},");
    let discovery = discovery(&[labelled, pod("a", "db", ""), pod("b", "db", "")].concat());
    for (labels, fields, expected) in [
        ("app", "", &["pod/a/web"][..]),
        ("!app", "", &["pod/a/db", "pod/b/db"]),
        ("", "spec.nodeName=n-web", &["pod/a/web"]),
        ("", "metadata.namespace!=a", &["pod/b/db"]),
        (
            "",
            "metadata.name=db,metadata.namespace=a,status.phase=Running",
            &["pod/a/db"],
        ),
        (
            "",
            "spec.hostNetwork=false,spec.nodeName=n-web",
            &["pod/a/web"],
        ),
        ("app", "status.phase=Failed", &[]),
    ] {
        let mut query = Query::new(DiscoveryRole::Pod);
        let (labels, fields) = (parse_labels(labels).unwrap(), parse_fields(fields).unwrap());
        query.selectors = vec![RoleSelector {
            role: DiscoveryRole::Pod,
            labels,
            fields,
        }];
        assert_eq!(
            sources(&discovery, &query),
            expected,
            "{:?}",
            query.selectors
        );
    }
}

/// A slice has no labels of a pod that the selectors exclude.
#[test]
fn selectors_of_other_roles_hide_what_they_do_not_pick() {
    let slice = "{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: s, namespace: a}, \
                 ports: [{port: 80}], endpoints: [{addresses: [10.0.0.1], targetRef: {kind: Pod, namespace: a, name: x}}]}";
    let discovery = discovery(&[pod("a", "x", "").as_str(), slice].concat());
    let mut query = Query::new(DiscoveryRole::EndpointSlice);
    assert!(discovery.targets(&query)[0].targets[0].contains_key("__meta_kubernetes_pod_name"));
    let (labels, fields) = (parse_labels("app").unwrap(), Vec::new());
    query.selectors = vec![RoleSelector {
        role: DiscoveryRole::Pod,
        labels,
        fields,
    }];
    assert!(!discovery.targets(&query)[0].targets[0].contains_key("__meta_kubernetes_pod_name"));
}

#[test]
fn a_load_balancer_has_the_addresses_that_it_got() {
    let ip = |spec: &str, status: &str| {
        let text = format!(
            "{{apiVersion: v1, kind: Service, metadata: {{name: a}}, spec: {{type: LoadBalancer, {spec}ports: [{{port: 1}}]}}, \
             status: {{loadBalancer: {{ingress: [{status}]}}}}}}"
        );
        let groups = discovery(&text).targets(&Query::new(DiscoveryRole::Service));
        groups[0].targets[0]["__meta_kubernetes_service_loadbalancer_ip"].to_string()
    };
    assert_eq!(
        ip("", "{ip: 1.1.1.1}, {hostname: x}, {ip: '::1'}"),
        "1.1.1.1,::1"
    );
    assert_eq!(ip("loadBalancerIP: 2.2.2.2, ", "{hostname: x}"), "2.2.2.2");
    assert_eq!(ip("", ""), "");
}

#[test]
fn numbers_and_brackets_are_printed_as_prometheus_prints_them() {
    assert_eq!(pod::number(-1), "18446744073709551615");
    assert_eq!(
        &*crate::discovery::role::pod::address("fd00::1", "80"),
        "[fd00::1]:80"
    );
    assert_eq!(&*crate::discovery::role::pod::address("a", "80"), "a:80");
}

/// The ports of an object times its addresses may be anything; memory is not.
#[test]
fn a_group_of_too_many_targets_is_cut() {
    let ports = "{port: 1},".repeat(1000);
    let addresses = "a,".repeat(1000);
    let text = format!(
        "{{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {{name: s}}, ports: [{ports}], \
         endpoints: [{{addresses: [{addresses}]}}]}}",
    );
    let (discovery, query) = (discovery(&text), Query::new(DiscoveryRole::EndpointSlice));
    let needed = NeededLabels::default();
    let scope = QueryScope::new(&discovery, &query, &needed);
    scope.room.set(999);
    let group = endpointslice::group(&scope, &discovery.slices["here/s"]).unwrap();
    assert_eq!((group.is_cut, group.targets.len()), (true, 499));
}

/// One object of each kind, with every field that is read.
const EVERYTHING: &str = "
- {apiVersion: v1, kind: Node, metadata: {name: a, labels: {l: v}}, spec: {providerID: p, unschedulable: true}, status: {
   addresses: [{type: InternalIP, address: i}], conditions: [{type: Ready, status: 'True'}], daemonEndpoints: {kubeletEndpoint: {Port: 1}}}}
- {apiVersion: v1, kind: Namespace, metadata: {name: here, annotations: {k: v}}}
- {apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: r, ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: d, uid: d, controller: true}]}}
- {apiVersion: batch/v1, kind: Job, metadata: {name: j}}
- {apiVersion: v1, kind: Pod, metadata: {name: p, uid: u, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: r, uid: r, controller: true}]}, spec: {
   nodeName: a, hostNetwork: true, containers: [{name: c, image: i, ports: [{name: m, containerPort: 1, protocol: TCP}]}], initContainers: [{name: i}]},
   status: {phase: Running, hostIP: h, podIP: i, conditions: [{type: Ready, status: 'True'}], containerStatuses: [{name: c, containerID: i}]}}
- {apiVersion: v1, kind: Service, metadata: {name: s}, spec: {type: LoadBalancer, clusterIP: c, ipFamilyPolicy: PreferDualStack,
   ipFamilies: [IPv4], ports: [{name: m, port: 1, protocol: TCP}]}, status: {loadBalancer: {ingress: [{ip: i}]}}}
- {apiVersion: v1, kind: Endpoints, metadata: {name: s}, subsets: [{ports: [{port: 1}], notReadyAddresses: [{ip: i}],
   addresses: [{ip: i, hostname: h, nodeName: a, targetRef: {kind: Pod, namespace: here, name: p}}]}]}
- {apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: s, labels: {kubernetes.io/service-name: s}}, addressType: IPv4,
   ports: [{name: m, port: 1, protocol: TCP, appProtocol: h}], endpoints: [{addresses: [i], conditions: {ready: true}, hostname: h,
   nodeName: a, zone: z, targetRef: {kind: Pod, namespace: here, name: p}, deprecatedTopology: {t: v}}]}
- {apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: i}, spec: {ingressClassName: c, tls: [{hosts: [h]}],
   rules: [{host: h, http: {paths: [{path: /}]}}]}}
";

/// Replaces the value with that index, counted from the root.
fn replace(node: &mut promgen_text::yaml::Node, at: &mut usize, with: &promgen_text::yaml::Data) {
    if *at == 0 {
        node.data = with.clone();
    }
    *at = at.wrapping_sub(1);
    match &mut node.data {
        promgen_text::yaml::Data::Seq(items) => {
            items.iter_mut().for_each(|item| replace(item, at, with))
        }
        promgen_text::yaml::Data::Map(entries) => entries
            .iter_mut()
            .for_each(|entry| replace(&mut entry.value, at, with)),
        _ => {}
    }
}

#[test]
fn whatever_stands_in_place_of_a_value_the_rest_is_discovered() {
    use promgen_text::yaml::Data;

    let documents = read(FileId::new(0), EVERYTHING, &mut Sink::default());
    let attach = AttachedMetadata {
        node: true,
        namespace: true,
        deployment: true,
        job: true,
        cronjob: true,
    };
    let odd = [
        Data::Null,
        Data::Bool(true),
        Data::Int(-1),
        Data::Uint(u64::MAX),
        Data::Float(0.5),
    ];
    let odd = odd.into_iter().chain([
        Data::String("\0:".into()),
        Data::Seq(vec![].into()),
        Data::Map(vec![].into()),
    ]);
    let n_values = 194;
    for with in odd {
        for at in 0..=n_values {
            let (mut root, mut left) = (documents[0].root.clone().into_value(), at);
            replace(&mut root, &mut left, &with);
            assert!(
                at < n_values || left < usize::MAX / 2,
                "more values than {n_values}"
            );
            let discovery = {
                let items = root.items().iter().map(|item| ParsedDocument {
                    root: item.clone().into(),
                    span: item.span,
                    origin: promgen_text::origin::DocumentOrigin::File,
                });
                of_documents(items)
            };
            let n_groups: usize = [
                DiscoveryRole::Pod,
                DiscoveryRole::Service,
                DiscoveryRole::Endpoints,
                DiscoveryRole::EndpointSlice,
                DiscoveryRole::Ingress,
                DiscoveryRole::Node,
            ]
            .map(|role| {
                discovery
                    .targets(&Query {
                        attach,
                        ..Query::new(role)
                    })
                    .len()
            })
            .iter()
            .sum();
            let expected = if at == 0 { 0..=0 } else { 5..=6 };
            assert!(
                expected.contains(&n_groups),
                "value {at} as {with:?}: {n_groups} groups, {:?}",
                discovery.refused()
            );
        }
    }
}

/// 10,000 pods take a fraction of a second: `cargo test --release speed_of_ten -- --nocapture`.
#[test]
fn speed_of_ten_thousand_pods() {
    let text: String = (0..10_000)
        .map(|i| {
            let labels = (0..10)
                .map(|l| format!("label-{l}.example.com/x: value-{l},"))
                .collect::<String>();
            let pod = pod("shop", &format!("pod-{i}"), "");
            pod.replacen(
                "namespace: shop",
                &format!("namespace: shop, labels: {{{labels}}}, annotations: {{{labels}}}"),
                1,
            )
        })
        .collect();
    #[expect(clippy::disallowed_methods, reason = "a measurement")]
    let start = std::time::Instant::now();
    let discovery = discovery(&text);
    let loaded = start.elapsed();
    let groups = discovery.targets(&Query::new(DiscoveryRole::Pod));
    let found = start.elapsed();
    let n_labels: usize = groups
        .iter()
        .flat_map(TargetGroup::merged)
        .map(|labels| labels.len())
        .sum();
    println!(
        "{} KB: read {loaded:?}, discovered {:?}, merged {:?}",
        text.len() / 1024,
        found - loaded,
        start.elapsed() - found
    );
    assert_eq!((groups.len(), n_labels), (10_000, 10_000 * 56));
}

#[test]
fn a_job_leaves_out_what_its_first_rules_drop() {
    use promgen_compile::output::Job;
    use promgen_text::yaml::Value;

    let text = "\
{apiVersion: v1, kind: Service, metadata: {name: a, labels: {app: a, tier: x}}, spec: {ports: [{port: 80}]}}
---
{apiVersion: v1, kind: Service, metadata: {name: b, labels: {app: b}}, spec: {ports: [{port: 80}]}}
---
{apiVersion: v1, kind: Endpoints, metadata: {name: a}, subsets: [{addresses: [{ip: 10.0.0.1}], ports: [{port: 80}]}]}
---
{apiVersion: v1, kind: Endpoints, metadata: {name: b}, subsets: [{addresses: [{ip: 10.0.0.2}], ports: [{port: 80}]}]}
---
{apiVersion: v1, kind: Endpoints, metadata: {name: c, labels: {app: a}}, subsets: [{addresses: [{ip: 10.0.0.3}], ports: [{port: 80}]}]}
---
{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: a-1, labels: {kubernetes.io/service-name: a}}, addressType: IPv4, ports: [{port: 80}], endpoints: [{addresses: [10.0.0.1]}]}
---
{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: d-1}, addressType: IPv4, ports: [{port: 80}], endpoints: [{addresses: [10.0.0.4]}]}
---
{apiVersion: v1, kind: Pod, metadata: {name: p, labels: {app: a}}, spec: {containers: [{name: c}]}, status: {podIP: 10.0.0.5}}
";
    let discovery = discovery(text);
    let sources = |role: &str, rules: &str| -> Vec<String> {
        let job =
            format!("{{kubernetes_sd_configs: [{{role: {role}}}], relabel_configs: [{rules}]}}");
        let parsed = read(FileId::new(0), &job, &mut Sink::default());
        let Value::Map(job) = parsed[0].root.to_value() else {
            unreachable!("it is a map")
        };
        let job = Job::new(job, None);
        discovery
            .job_without_others(&job, "here")
            .groups
            .into_iter()
            .map(|group| group.source)
            .collect()
    };
    let of_service = "{action: keep, regex: (a);true, source_labels: \
                      [__meta_kubernetes_service_label_app, __meta_kubernetes_service_labelpresent_app]}";
    let of_tier = "{action: keep, regex: z, source_labels: [__meta_kubernetes_service_label_tier]}";
    let of_pod = "{action: keep, regex: b, source_labels: [__meta_kubernetes_pod_label_app]}";
    assert_eq!(sources("endpoints", of_service), ["endpoints/here/a"]);
    assert_eq!(
        sources("endpointslice", of_service),
        ["endpointslice/here/a-1"]
    );
    assert_eq!(sources("service", of_service), ["svc/here/a"]);
    assert_eq!(
        sources("service", &format!("{of_service}, {of_tier}")),
        [""; 0]
    );
    assert_eq!(
        (sources("pod", of_pod).len(), sources("pod", "").len()),
        (0, 1)
    );
    // The pods behind Endpoints differ: a label of theirs says nothing about the group.
    assert_eq!(sources("endpoints", of_pod).len(), 3);
    assert_eq!(
        sources("pod", of_service),
        [""; 0],
        "pods have no label of a service"
    );
}
