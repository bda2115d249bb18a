//! What is found, and what is unknown.

use crate::checks::found::found;

const PROMETHEUS: &str = "\
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: {name: k8s, namespace: mon}
spec: {serviceAccountName: prometheus, podMonitorSelector: {}, podMonitorNamespaceSelector: {}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: prometheus, namespace: mon}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: prometheus}
subjects: [{kind: ServiceAccount, name: prometheus, namespace: mon}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: prometheus, namespace: mon}
rules: [{apiGroups: [''], resources: [pods], verbs: [list, watch]}]
---
";

fn monitor(namespace: &str, spec: &str) -> String {
    format!(
        "apiVersion: monitoring.coreos.com/v1\nkind: PodMonitor\nmetadata: {{name: m, namespace: {namespace}}}\nspec: {{selector: {{}}, podMetricsEndpoints: [{{port: web}}]{spec}}}\n---\n"
    )
}

#[test]
fn a_message_names_what_is_missing_and_nothing_else() {
    let of = |monitor: String| found(&["PG131"], &format!("{PROMETHEUS}{monitor}"));
    assert!(of(monitor("mon", "")).is_empty());
    assert_eq!(
        of(monitor(
            "shop",
            ", namespaceSelector: {matchNames: [mon, shop]}"
        )),
        [
            "PG131 warning 19: PodMonitor shop/m: service account mon/prometheus of Prometheus mon/k8s may not list and watch pods in \
             namespace shop | add a Role in shop with `{apiGroups: [\"\"], resources: [pods], verbs: [list, watch]}` and its \
             RoleBinding; `promgen rbac --check` prints all that is missing"
        ]
    );
    let any = of(monitor("mon", ", namespaceSelector: {any: true}"));
    assert!(
        any[0].contains("may not list and watch pods in the whole cluster"),
        "{any:?}"
    );
}

#[test]
fn what_may_be_elsewhere_is_no_finding() {
    let unbound = PROMETHEUS.replace(
        "kind: ServiceAccount, name: prometheus,",
        "kind: ServiceAccount, name: other,",
    );
    assert!(found(&["PG131"], &format!("{unbound}{}", monitor("shop", ""))).is_empty());
    let without_token = PROMETHEUS.replace(
        "spec: {service",
        "spec: {automountServiceAccountToken: false, service",
    );
    assert!(
        found(
            &["PG131"],
            &format!("{without_token}{}", monitor("shop", ""))
        )
        .is_empty()
    );
    let later = PROMETHEUS.replace(
        "metadata: {name: prometheus, namespace: mon}\nroleRef",
        "metadata: {name: prometheus, namespace: '${NAMESPACE}'}\nroleRef",
    );
    assert!(found(&["PG131"], &format!("{later}{}", monitor("shop", ""))).is_empty());
}

#[test]
fn a_job_is_blocked_if_all_of_its_pods_are() {
    let pods = |name: &str, labels: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, namespace: shop, labels: {labels}}}\nspec: {{containers: [{{name: a, image: a, ports: [{{name: web, containerPort: 80}}]}}]}}\n---\n"
        )
    };
    let policy = "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: deny, namespace: shop}\nspec: {podSelector: {matchLabels: {app: a}}}\n---\n";
    let of = |more: &str| {
        found(
            &["PG132"],
            &format!("{PROMETHEUS}{}{policy}{more}", monitor("shop", "")),
        )
    };
    assert!(of("").is_empty());
    let blocked = of(&pods("a", "{app: a}"));
    let why = "NetworkPolicy shop/deny isolates the pods of Pod shop/a: nothing allows port 80 from Prometheus mon/k8s";
    assert!(
        blocked.len() == 1 && blocked[0].contains(why),
        "{blocked:?}"
    );
    assert!(
        of(&format!(
            "{}{}",
            pods("a", "{app: a}"),
            pods("b", "{app: b}")
        ))
        .is_empty()
    );
    let cilium = "apiVersion: cilium.io/v2\nkind: CiliumNetworkPolicy\nmetadata: {name: allow, namespace: shop}\nspec: {}\n---\n";
    assert!(of(&format!("{}{cilium}", pods("a", "{app: a}"))).is_empty());
}

#[test]
fn a_flag_of_a_chart_is_wrong_where_its_value_stands() {
    let told = |values: &str, more: &str| {
        let text = format!(
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: kps, namespace: m}}\nspec:\n  chart:\n    spec: {{chart: kube-prometheus-stack, version: 75.11.0}}\n  values:\n    alertmanager: {{enabled: false}}\n    prometheusOperator: {values}\n{more}"
        );
        found(&["PG312", "PG520"], &text)
    };
    let reloader =
        |resources: &str| format!("{{prometheusConfigReloader: {{resources: {resources}}}}}");
    for values in [
        "{denyNamespaces: [m]}".to_owned(),
        "{prometheusInstanceSelector: team=a}".to_owned(),
        reloader("{limits: {cpu: 1}, requests: {cpu: 2}}"),
    ] {
        let found = told(&values, "");
        let is_there = |found: &String| found.contains(" 9: ");
        assert!(
            !found.is_empty() && found.iter().all(is_there),
            "{values}: {found:?}"
        );
    }
    // A workload that stands in a file is named there.
    let other = "---\n{apiVersion: monitoring.coreos.com/v1, kind: Prometheus, metadata: {name: own, namespace: o}, spec: {}}\n";
    let found = told("{denyNamespaces: [o]}", other);
    assert!(
        matches!(&*found, [one] if one.contains(" 11: ")),
        "{found:?}"
    );
    for values in [
        "{denyNamespaces: [x]}".to_owned(),
        "{prometheusInstanceSelector: '${X}'}".to_owned(),
        reloader("{limits: {cpu: 2}, requests: {cpu: 1}}"),
    ] {
        assert_eq!(told(&values, ""), [""; 0], "{values}");
    }
}
