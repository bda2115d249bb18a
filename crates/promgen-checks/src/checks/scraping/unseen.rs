//! Resources that the operator in the input may not read.

use promgen_compile::access::{CLUSTER, Need};
use promgen_model::model::World;
use promgen_model::model::access::OperatorAccount;
use promgen_model::scraping::needs::{Answers, Requests};
use promgen_resources::api::{
    AlertmanagerConfig, Kind, PodMonitor, Probe, PrometheusRule, Resource, ScrapeConfig,
    ServiceMonitor,
};
use promgen_text::diag::{Diagnostic, Sink, rules};

rules! {
    /// ## What it does
    /// Finds monitors, rules and AlertmanagerConfigs that the operator in the input never sees: its service account may not list
    /// and watch their kind, in the cluster or in the namespaces of its flags.
    ///
    /// ## Why is this bad?
    /// Nothing becomes of the resource, and its status says nothing.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: apps/v1
    /// kind: Deployment
    /// metadata: {name: prometheus-operator, namespace: monitoring}
    /// spec:
    ///   template:
    ///     spec:
    ///       serviceAccountName: prometheus-operator
    ///       containers: [{name: operator, image: "quay.io/prometheus-operator/prometheus-operator:v0.94.1"}]
    /// ---
    /// apiVersion: rbac.authorization.k8s.io/v1
    /// kind: ClusterRole
    /// metadata: {name: prometheus-operator}
    /// rules:
    /// - {apiGroups: [monitoring.coreos.com], resources: [prometheuses, servicemonitors], verbs: ["*"]}
    /// ---
    /// apiVersion: rbac.authorization.k8s.io/v1
    /// kind: ClusterRoleBinding
    /// metadata: {name: prometheus-operator}
    /// roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: prometheus-operator}
    /// subjects: [{kind: ServiceAccount, name: prometheus-operator, namespace: monitoring}]
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PodMonitor
    /// metadata: {name: cart, namespace: shop}
    /// spec: {selector: {matchLabels: {app: cart}}, podMetricsEndpoints: [{port: metrics}]}
    /// ```
    /// Use instead:
    /// ```yaml
    /// apiVersion: apps/v1
    /// kind: Deployment
    /// metadata: {name: prometheus-operator, namespace: monitoring}
    /// spec:
    ///   template:
    ///     spec:
    ///       serviceAccountName: prometheus-operator
    ///       containers: [{name: operator, image: "quay.io/prometheus-operator/prometheus-operator:v0.94.1"}]
    /// ---
    /// apiVersion: rbac.authorization.k8s.io/v1
    /// kind: ClusterRole
    /// metadata: {name: prometheus-operator}
    /// rules:
    /// - {apiGroups: [monitoring.coreos.com], resources: [prometheuses, servicemonitors, podmonitors], verbs: ["*"]}
    /// ---
    /// apiVersion: rbac.authorization.k8s.io/v1
    /// kind: ClusterRoleBinding
    /// metadata: {name: prometheus-operator}
    /// roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: prometheus-operator}
    /// subjects: [{kind: ServiceAccount, name: prometheus-operator, namespace: monitoring}]
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PodMonitor
    /// metadata: {name: cart, namespace: shop}
    /// spec: {selector: {matchLabels: {app: cart}}, podMetricsEndpoints: [{port: metrics}]}
    /// ```
    UNSEEN_BY_OPERATOR = "PG134" "unseen-by-operator" Warning: "a resource that the operator in the input may not read";
}

/// The plural of the kinds that workloads select, as the API server names them.
const fn plural(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::ServiceMonitor => Some(ServiceMonitor::PLURAL),
        Kind::PodMonitor => Some(PodMonitor::PLURAL),
        Kind::Probe => Some(Probe::PLURAL),
        Kind::ScrapeConfig => Some(ScrapeConfig::PLURAL),
        Kind::PrometheusRule => Some(PrometheusRule::PLURAL),
        Kind::AlertmanagerConfig => Some(AlertmanagerConfig::PLURAL),
        _ => None,
    }
}

/// The needs of the operator to see resources of a kind in a namespace. `None` if it does not look there, or for no such kind.
pub(crate) fn need(model: &World<'_>, kind: Kind, namespace: &str) -> Option<Need> {
    let watch = &model.cluster().watch;
    if watch.ignored_by(kind, namespace).is_some() {
        return None;
    }
    let from = if watch.watched(kind).is_some() {
        namespace
    } else {
        CLUSTER
    };
    Some(Need::reads(kind.group(), plural(kind)?, from))
}

/// Checks all that workloads select.
pub(super) fn check(model: &World<'_>, sink: &mut Sink) {
    let Some(OperatorAccount { account, span }) = &model.access().operator else {
        return;
    };
    let mut answers = Answers::new(model.access().authority(account.clone(), None));
    for candidate in model.cluster().candidates() {
        let is_adrift = model.reach.others.adrift.contains(&candidate.doc);
        let Some(need) = need(model, candidate.kind, candidate.namespace()).filter(|_| !is_adrift)
        else {
            continue;
        };
        let lacks: Requests = answers.lacks([need]);
        if lacks.is_empty() {
            continue;
        }
        let lacks = lacks.text();
        let message = format!(
            "{candidate} is not seen: service account {account} of the operator may not {lacks}"
        );
        let diagnostic = Diagnostic::new(&UNSEEN_BY_OPERATOR, candidate.place(), message);
        let help = "add the permission; `promgen rbac --operator` prints what the operator needs";
        sink.report(diagnostic.help(help).related(*span, "the operator"));
    }
}
