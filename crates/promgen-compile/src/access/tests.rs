//! What is granted, denied and unknown.

use crate::access::{
    AccessVerdict, CLUSTER, Need, NeededObject, Rbac, ServiceAccount, TokenTarget, of_job,
    path_with_token,
};
use crate::output::Job;
use promgen_resources::document::Manifests;
use promgen_text::diag::Sink;
use promgen_text::source::FileId;
use promgen_text::yaml;
use promgen_text::yaml::Value;

fn value(text: &str) -> Value {
    let parsed = yaml::read::read(FileId::new(0), text, &mut Sink::default());
    parsed[0].root.to_value()
}

fn job(text: &str) -> Job {
    Job::new(value(text).as_map().cloned().unwrap(), None)
}

/// `g`, `d` or `u` for a request of `mon/prometheus`.
fn answer(objects: &str, verb: &str, need: &Need) -> char {
    let parsed = yaml::read::read(FileId::new(0), objects, &mut Sink::default());
    let manifests = Manifests::read(parsed, "default", &mut Sink::default());
    let rbac = Rbac::read(&manifests, &|_| false, false);
    let account = ServiceAccount {
        namespace: "mon".to_owned(),
        name: "prometheus".to_owned(),
    };
    match rbac.grants(account).may(verb, need) {
        AccessVerdict::Granted(_) => 'g',
        AccessVerdict::Denied => 'd',
        AccessVerdict::Unknown(_) => 'u',
    }
}

fn role(kind: &str, metadata: &str, rules: &str) -> String {
    format!(
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: {kind}\nmetadata: {metadata}\nrules: {rules}\n---\n"
    )
}

fn binding(kind: &str, metadata: &str, role: &str, subject: &str) -> String {
    format!(
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: {kind}\nmetadata: {metadata}\nroleRef: {role}\nsubjects: [{subject}]\n---\n"
    )
}

const OWN: &str = "{kind: ServiceAccount, name: prometheus, namespace: mon}";

#[test]
fn a_discovery_lists_and_watches_what_its_role_reads() {
    let text = |job: &Job| {
        of_job(job, "mon")
            .iter()
            .map(|n| format!("{}@{}", n.what(), n.namespace()))
            .collect::<Vec<_>>()
    };
    let of = |entry: &str| text(&job(&format!("kubernetes_sd_configs: [{entry}]")));
    assert_eq!(
        of("{role: pod, namespaces: {names: [a, b]}}"),
        ["pods@a", "pods@b"]
    );
    assert_eq!(
        of("{role: pod, namespaces: {own_namespace: true}}"),
        ["pods@mon"]
    );
    assert_eq!(
        of("{role: endpointslice}"),
        ["endpointslices.discovery.k8s.io@", "services@", "pods@"]
    );
    assert_eq!(
        of("{role: service, namespaces: {names: [a]}, attach_metadata: {node: true}}"),
        ["services@a", "nodes@"]
    );
    assert_eq!(of("{role: node}"), ["nodes@"]);
    // The owners of pods are read where the pods are.
    assert_eq!(
        of(
            "{role: pod, namespaces: {names: [a, b]}, attach_metadata: {deployment: true, cronjob: true}}"
        ),
        [
            "replicasets.apps@a",
            "jobs.batch@a",
            "pods@a",
            "replicasets.apps@b",
            "jobs.batch@b",
            "pods@b"
        ]
    );
    assert_eq!(
        of("{role: service, attach_metadata: {deployment: true, job: true}}"),
        ["services@"]
    );
    assert!(of("{role: pod, api_server: 'https://other:6443'}").is_empty());
    assert!(of("{role: pod, kubeconfig_file: /etc/kubeconfig}").is_empty());
    assert!(of("{}").is_empty());
}

#[test]
fn a_scrape_with_the_token_needs_the_path() {
    let token = "/var/run/secrets/kubernetes.io/serviceaccount/token";
    let of = |more: &str| {
        path_with_token(&job(&format!("{{scheme: https, {more}}}"))).map(str::to_owned)
    };
    assert_eq!(
        of(&format!("bearer_token_file: {token}")).as_deref(),
        Some("/metrics")
    );
    assert_eq!(
        of(&format!(
            "authorization: {{credentials_file: {token}}}, metrics_path: /a"
        ))
        .as_deref(),
        Some("/a")
    );
    assert_eq!(of("bearer_token_file: /other"), None);
    assert_eq!(
        of(&format!(
            "bearer_token_file: {token}, proxy_url: 'http://p'"
        )),
        None
    );
    assert_eq!(
        TokenTarget::ApiServer.need("/metrics"),
        Some(Need::Url("/metrics".to_owned()))
    );
    let what = |path| TokenTarget::Kubelets.need(path).map(|need| need.what());
    assert_eq!(what("/metrics/cadvisor").as_deref(), Some("nodes/metrics"));
    assert_eq!(what("/metricsfoo"), None);
}

#[test]
fn bindings_grant_where_they_reach() {
    let pods = |namespace: &str| Need::reads("", "pods", namespace);
    let reads = role(
        "ClusterRole",
        "{name: reads}",
        "[{apiGroups: [''], resources: [pods], verbs: [list, watch]}]",
    );
    let cluster = "{kind: ClusterRole, name: reads}";
    let bound = format!(
        "{reads}{}",
        binding("RoleBinding", "{name: b, namespace: shop}", cluster, OWN)
    );
    assert_eq!(answer(&bound, "list", &pods("shop")), 'g');
    assert_eq!(answer(&bound, "get", &pods("shop")), 'd');
    assert_eq!(answer(&bound, "list", &pods("other")), 'd');
    assert_eq!(answer(&bound, "list", &pods(CLUSTER)), 'd');
    let bound = format!(
        "{reads}{}",
        binding("ClusterRoleBinding", "{name: b}", cluster, OWN)
    );
    assert_eq!(answer(&bound, "watch", &pods("other")), 'g');
    assert_eq!(answer(&bound, "watch", &pods(CLUSTER)), 'g');
    // Nobody knows what a role grants that is not there, where it is bound.
    let dangling = binding(
        "RoleBinding",
        "{name: b, namespace: shop}",
        "{kind: ClusterRole, name: view}",
        OWN,
    );
    assert_eq!(answer(&dangling, "list", &pods("shop")), 'u');
    assert_eq!(answer(&dangling, "list", &pods("other")), 'd');
    // Without any binding of the account, its permissions are elsewhere.
    let other = binding(
        "ClusterRoleBinding",
        "{name: b}",
        cluster,
        "{kind: ServiceAccount, name: grafana, namespace: mon}",
    );
    assert_eq!(
        answer(&format!("{reads}{other}"), "list", &pods("shop")),
        'u'
    );
}

#[test]
fn subjects_are_accounts_users_and_groups() {
    let of = |subject: &str, metadata: &str| {
        let rules = role(
            "ClusterRole",
            "{name: r}",
            "[{apiGroups: ['*'], resources: ['*'], verbs: ['*']}]",
        );
        let bound = binding(
            "RoleBinding",
            metadata,
            "{kind: ClusterRole, name: r}",
            subject,
        );
        answer(
            &format!("{rules}{bound}"),
            "list",
            &Need::reads("", "pods", "mon"),
        )
    };
    let here = "{name: b, namespace: mon}";
    for subject in [
        OWN,
        "{kind: ServiceAccount, name: prometheus}",
        "{kind: User, name: 'system:serviceaccount:mon:prometheus'}",
        "{kind: Group, name: 'system:serviceaccounts'}",
        "{kind: Group, name: 'system:serviceaccounts:mon'}",
        "{kind: Group, name: 'system:authenticated'}",
    ] {
        assert_eq!(of(subject, here), 'g', "{subject}");
    }
    for subject in [
        "{kind: Group, name: 'system:serviceaccounts:other'}",
        "{kind: Group, name: 'system:masters'}",
    ] {
        assert_eq!(of(subject, here), 'u', "{subject}");
    }
    // A binding whose namespace nobody says may be in any.
    assert_eq!(of(OWN, "{name: b}"), 'u');
}

#[test]
fn rules_have_wildcards_names_and_subresources() {
    let of = |rule: &str, need: &Need| {
        let rules = role("ClusterRole", "{name: r}", &format!("[{rule}]"));
        let bound = binding(
            "ClusterRoleBinding",
            "{name: b}",
            "{kind: ClusterRole, name: r}",
            OWN,
        );
        answer(&format!("{rules}{bound}"), need.verbs()[0], need)
    };
    let resource = |resource, object| Need::Resource {
        namespace: CLUSTER.to_owned(),
        group: "",
        resource,
        object,
        verbs: &["get"],
    };
    let metrics = resource("nodes/metrics", NeededObject::Each);
    assert_eq!(
        of(
            "{apiGroups: [''], resources: ['*/metrics'], verbs: [get]}",
            &metrics
        ),
        'g'
    );
    assert_eq!(
        of(
            "{apiGroups: [''], resources: ['*'], verbs: ['*']}",
            &metrics
        ),
        'g'
    );
    assert_eq!(
        of(
            "{apiGroups: [''], resources: [nodes], verbs: [get]}",
            &metrics
        ),
        'd'
    );
    assert_eq!(
        of(
            "{apiGroups: [''], resources: [nodes/metrics], resourceNames: [n1], verbs: [get]}",
            &metrics
        ),
        'u'
    );
    let named = "{apiGroups: [''], resources: [nodes], resourceNames: [n1], verbs: [get]}";
    assert_eq!(of(named, &resource("nodes", NeededObject::All)), 'd');
    assert_eq!(
        of(
            named,
            &resource("nodes", NeededObject::Named("n1".to_owned()))
        ),
        'g'
    );
    let url = Need::Url("/metrics/slis".to_owned());
    assert_eq!(of("{nonResourceURLs: [/metrics], verbs: [get]}", &url), 'd');
    assert_eq!(
        of("{nonResourceURLs: [/metrics/*], verbs: [get]}", &url),
        'g'
    );
}

#[test]
fn with_those_of_a_cluster_there_are_no_others() {
    let manifests = |text: &str| {
        let parsed = yaml::read::read(FileId::new(0), text, &mut Sink::default());
        Manifests::read(parsed, "default", &mut Sink::default())
    };
    let of = |input: &str, live: &str, need: &Need| {
        let rbac = Rbac::read(&manifests(input), &|_| false, false).completed(&manifests(live));
        let account = ServiceAccount {
            namespace: "mon".to_owned(),
            name: "prometheus".to_owned(),
        };
        rbac.grants(account).may("list", need)
    };
    let pods = Need::reads("", "pods", "shop");
    let reads = role(
        "Role",
        "{name: r, namespace: shop}",
        "[{apiGroups: [''], resources: [pods], verbs: [list]}]",
    );
    let bound = binding(
        "RoleBinding",
        "{name: b, namespace: shop}",
        "{kind: Role, name: r}",
        OWN,
    );
    assert_eq!(of("", "", &pods), AccessVerdict::Denied);
    assert_eq!(of("", &bound, &pods), AccessVerdict::Denied);
    assert_eq!(
        of("", &format!("{reads}{bound}"), &pods),
        AccessVerdict::Granted(None)
    );
    assert!(matches!(
        of(&reads, &bound, &pods),
        AccessVerdict::Granted(Some(_))
    ));
    // The input takes away what the cluster grants.
    let nothing = role("Role", "{name: r, namespace: shop}", "[]");
    assert_eq!(
        of(&nothing, &format!("{reads}{bound}"), &pods),
        AccessVerdict::Denied
    );
}

#[test]
fn a_role_is_put_together_of_others_by_their_labels() {
    let top = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: top}\naggregationRule: {clusterRoleSelectors: [{matchLabels: {part: 'yes'}}]}\nrules: []\n---\n";
    let part = |labels: &str| {
        role(
            "ClusterRole",
            &format!("{{name: p, labels: {labels}}}"),
            "[{apiGroups: [''], resources: [pods], verbs: [list]}]",
        )
    };
    let bound = binding(
        "ClusterRoleBinding",
        "{name: b}",
        "{kind: ClusterRole, name: top}",
        OWN,
    );
    let of = |labels: &str, resource| {
        answer(
            &format!("{top}{}{bound}", part(labels)),
            "list",
            &Need::reads("", resource, "shop"),
        )
    };
    assert_eq!(of("{part: 'yes'}", "pods"), 'g');
    assert_eq!(of("{part: 'yes'}", "services"), 'd');
    assert_eq!(of("{part: 'no'}", "pods"), 'u');
}

#[test]
fn a_word_that_is_almost_the_one_that_is_lacking_is_found() {
    let slip = |rules: &str, verb: &str, need: &Need| {
        let objects = format!(
            "{}{}",
            role("ClusterRole", "{name: reads}", rules),
            binding(
                "ClusterRoleBinding",
                "{name: b}",
                "{kind: ClusterRole, name: reads}",
                OWN
            )
        );
        let parsed = yaml::read::read(FileId::new(0), &objects, &mut Sink::default());
        let manifests = Manifests::read(parsed, "default", &mut Sink::default());
        let rbac = Rbac::read(&manifests, &|_| false, false);
        let (namespace, name) = ("mon".to_owned(), "prometheus".to_owned());
        let slip = rbac
            .grants(ServiceAccount { namespace, name })
            .slip(verb, need);
        slip.map(|slip| {
            format!(
                "{} {} {}: {}",
                slip.role, slip.field, slip.written, slip.meant
            )
        })
    };
    let slices = Need::reads("discovery.k8s.io", "endpointslices", "shop");
    let pods = Need::reads("", "pods", "shop");
    for (rules, verb, need, expected) in [
        (
            "[{apiGroups: [discovery.k8s.io], resources: [endpointslice], verbs: [list]}]",
            "list",
            &slices,
            "ClusterRole reads resources endpointslice: endpointslices",
        ),
        (
            "[{apiGroups: [discovery.k8s.io/v1], resources: [endpointslices], verbs: [list]}]",
            "list",
            &slices,
            "ClusterRole reads apiGroups discovery.k8s.io/v1: discovery.k8s.io",
        ),
        (
            "[{apiGroups: [v1], resources: ['*'], verbs: [watch]}]",
            "watch",
            &pods,
            "ClusterRole reads apiGroups v1: ",
        ),
        (
            "[{apiGroups: [''], resources: [pods], verbs: [wach]}]",
            "watch",
            &pods,
            "ClusterRole reads verbs wach: watch",
        ),
    ] {
        assert_eq!(
            slip(rules, verb, need).as_deref(),
            Some(expected),
            "{rules}"
        );
    }
    for (rules, need) in [
        (
            "[{apiGroups: [''], resources: [nodes], verbs: [list]}]",
            &pods,
        ),
        (
            "[{apiGroups: [''], resources: [endpoints], verbs: [list]}]",
            &slices,
        ),
        ("[{apiGroups: [''], resources: [pod], verbs: [get]}]", &pods),
        (
            "[{apiGroups: [''], resources: [pod], resourceNames: [a], verbs: [list]}]",
            &pods,
        ),
        (
            "[{apiGroups: [apps], resources: [pods], verbs: [list]}]",
            &pods,
        ),
    ] {
        assert_eq!(slip(rules, "list", need), None, "{rules}");
    }
}
