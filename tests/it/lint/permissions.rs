//! Permissions that `lint --fix --unsafe-fixes` adds to the role of an account.

use std::fs;

use crate::support::{Ran, promgen};

const PROMETHEUS: &str = "\
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: {name: k8s, namespace: mon}
spec:
  serviceAccountName: prometheus
  serviceMonitorSelector: {}
  serviceMonitorNamespaceSelector: {}
---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: {name: cart, namespace: shop}
spec: {selector: {matchLabels: {app: cart}}, endpoints: [{port: metrics}]}
---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: {name: till, namespace: shop}
spec: {selector: {matchLabels: {app: till}}, endpoints: [{port: metrics}]}
";

fn role(kind: &str, metadata: &str, rules: &str) -> String {
    format!(
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: {kind}\nmetadata: {metadata}\nrules:{rules}"
    )
}

fn binding(kind: &str, metadata: &str, of: (&str, &str)) -> String {
    let (role, name) = of;
    format!(
        "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: {kind}\nmetadata: {metadata}\nroleRef: {{apiGroup: \
         rbac.authorization.k8s.io, kind: {role}, name: {name}}}\nsubjects: [{{kind: ServiceAccount, name: prometheus, namespace: mon}}]\n"
    )
}

const IN_SHOP: &str = "{name: prometheus, namespace: shop}";

/// The roles and the workload after all fixes, and the run.
fn fixed(roles: &str, kubernetes: &str) -> (String, String, Ran) {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("roles.yaml"), roles).unwrap();
    fs::write(path("prometheus.yaml"), PROMETHEUS).unwrap();
    let args: &[&str] = &[
        "lint",
        "--no-config",
        "--select",
        "PG131,PG133",
        "--fix",
        "--unsafe-fixes",
    ];
    let ran = promgen(
        &[
            args,
            &[
                "--kube-version",
                kubernetes,
                folder.path().to_str().unwrap(),
            ][..],
        ]
        .concat(),
    );
    let read = |name: &str| fs::read_to_string(path(name)).unwrap();
    (read("roles.yaml"), read("prometheus.yaml"), ran)
}

#[test]
fn a_resource_is_added_to_the_rule_that_grants_the_same_for_others() {
    let block = "\n- apiGroups: ['']\n  resources:\n  - services\n  - pods # of the shop\n  verbs: [get, list, watch]\n";
    let bound = binding("RoleBinding", IN_SHOP, ("Role", "prometheus"));
    let roles = role("Role", IN_SHOP, block) + &bound;
    let (after, prometheus, ran) = fixed(&roles, "1.30");
    assert_eq!(
        after,
        roles.replace(
            "  - pods # of the shop\n",
            "  - pods # of the shop\n  - endpoints\n"
        ),
        "{}",
        ran.stderr
    );
    assert_eq!(prometheus, PROMETHEUS);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    // Without the consent to risky fixes, nothing is granted.
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("all.yaml"),
        format!("{PROMETHEUS}---\n{roles}"),
    )
    .unwrap();
    let ran = promgen(&[
        "lint",
        "--no-config",
        "--diff",
        folder.path().to_str().unwrap(),
    ]);
    assert!(
        ran.code == 0 && !ran.stdout.contains("+  - endpoints"),
        "{}",
        ran.stdout
    );
}

#[test]
fn a_rule_is_added_where_none_is_alike() {
    let rules = " [{apiGroups: [\"\"], resources: [services, pods], verbs: [\"*\"]}]\n";
    let bound = binding("RoleBinding", IN_SHOP, ("ClusterRole", "reads"));
    let roles = role("ClusterRole", "{name: reads}", rules) + &bound;
    let (after, ..) = fixed(&roles, "1.30");
    let wanted =
        "verbs: [\"*\"]}, {apiGroups: [\"\"], resources: [endpoints], verbs: [list, watch]}]\n";
    assert_eq!(after, roles.replace("verbs: [\"*\"]}]\n", wanted));
    // JSON stays JSON.
    let json = "{\"apiVersion\": \"rbac.authorization.k8s.io/v1\", \"kind\": \"Role\", \"metadata\": {\"name\": \"prometheus\", \"namespace\": \"shop\"}, \"rules\": [{\"apiGroups\": [\"\"], \"resources\": [\"pods\", \"services\"], \"verbs\": [\"*\"]}]}\n";
    let (after, ..) = fixed(
        &(json.to_owned() + &binding("RoleBinding", IN_SHOP, ("Role", "prometheus"))),
        "1.30",
    );
    let first = after.lines().next().unwrap();
    let read: serde_json::Value =
        serde_json::from_str(first).unwrap_or_else(|error| panic!("{error}: {first}"));
    assert_eq!(read["rules"][1]["resources"][0], "endpoints");
}

#[test]
fn a_role_that_is_not_meant_or_not_the_only_one_is_left_alone() {
    let pods = " [{apiGroups: [''], resources: [pods, services], verbs: ['*']}]\n";
    let metrics = " [{nonResourceURLs: [/metrics], verbs: [get]}]\n";
    let other = "{name: other, namespace: shop}";
    for roles in [
        // Two that could be meant.
        [
            role("Role", IN_SHOP, pods),
            binding("RoleBinding", IN_SHOP, ("Role", "prometheus")),
            "---\n".to_owned(),
        ]
        .concat()
            + &role("Role", other, pods)
            + &binding("RoleBinding", other, ("Role", "other")),
        // One that reaches the whole cluster, for something else.
        role("ClusterRole", "{name: scrapes}", metrics)
            + &binding(
                "ClusterRoleBinding",
                "{name: scrapes}",
                ("ClusterRole", "scrapes"),
            ),
        // None that is bound in the namespace.
        role("Role", "{name: prometheus, namespace: mon}", pods)
            + &binding(
                "RoleBinding",
                "{name: prometheus, namespace: mon}",
                ("Role", "prometheus"),
            ),
    ] {
        let (after, _, ran) = fixed(&roles, "1.30");
        assert_eq!(after, roles);
        assert!(
            ran.stdout.contains("PG131") || ran.stderr.contains("PG131"),
            "{}{}",
            ran.stdout,
            ran.stderr
        );
    }
    // One that reaches the whole cluster, and is meant for discovery.
    let bound = binding(
        "ClusterRoleBinding",
        "{name: reads}",
        ("ClusterRole", "reads"),
    );
    let (after, ..) = fixed(
        &(role("ClusterRole", "{name: reads}", pods) + &bound),
        "1.30",
    );
    assert!(
        after.contains("resources: [endpoints], verbs: [list, watch]}]"),
        "{after}"
    );
}

#[test]
fn the_move_to_endpoint_slices_begins_with_the_permission() {
    let rules = "\n- apiGroups: ['']\n  resources: [services, endpoints, pods]\n  verbs: [get, list, watch]\n";
    let roles =
        role("Role", IN_SHOP, rules) + &binding("RoleBinding", IN_SHOP, ("Role", "prometheus"));
    let (after, prometheus, ran) = fixed(&roles, "1.34");
    let added = "- {apiGroups: [\"discovery.k8s.io\"], resources: [endpointslices], verbs: [list, watch]}\n---\n";
    assert_eq!(after, roles.replacen("---\n", added, 1), "{}", ran.stderr);
    assert_eq!(
        prometheus,
        PROMETHEUS.replacen(
            "spec:\n",
            "spec:\n  serviceDiscoveryRole: EndpointSlice\n",
            1
        )
    );
    // Without a role to be changed, the workload keeps its targets.
    let roles =
        role("Role", IN_SHOP, " []\n") + &binding("RoleBinding", IN_SHOP, ("Role", "prometheus"));
    let (_, prometheus, _) = fixed(&roles, "1.34");
    assert_eq!(prometheus, PROMETHEUS);
}
