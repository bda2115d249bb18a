//! The rules about the operator itself.

use promgen_text::diag::rules;

rules! {
    /// ## What it does
    /// Reports the release of the operator that the input shows: the image of its Deployment, the annotation of its
    /// CustomResourceDefinitions, or the tag of a live config reloader. promgen compiles as that release.
    ///
    /// ## Why is this bad?
    /// It is not. `--operator-version` says otherwise.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: apps/v1
    /// kind: Deployment
    /// metadata: {name: prometheus-operator, namespace: monitoring}
    /// spec:
    ///   template:
    ///     spec:
    ///       containers:
    ///       - name: prometheus-operator
    ///         image: quay.io/prometheus-operator/prometheus-operator:v0.92.0
    /// ```
    /// Use instead: nothing.
    /// ```yaml
    /// apiVersion: apps/v1
    /// kind: Deployment
    /// metadata: {name: prometheus-operator, namespace: monitoring}
    /// spec:
    ///   template:
    ///     spec:
    ///       containers:
    ///       - name: prometheus-operator
    ///         image: quay.io/prometheus-operator/prometheus-operator:v0.94.1
    /// ```
    OPERATOR_RELEASE = "PG309" "operator-release" Info since "0.2.0": "the release of the operator that the input shows";

    /// ## What it does
    /// Finds objects that show different releases of the operator, such as CustomResourceDefinitions that are older than
    /// the operator's image.
    ///
    /// ## Why is this bad?
    /// The API server drops fields that its CustomResourceDefinitions lack, and the operator then does not see them.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: apps/v1
    /// kind: Deployment
    /// metadata: {name: prometheus-operator, namespace: monitoring}
    /// spec:
    ///   template:
    ///     spec:
    ///       containers:
    ///       - name: prometheus-operator
    ///         image: quay.io/prometheus-operator/prometheus-operator:v0.94.1
    /// ---
    /// apiVersion: apiextensions.k8s.io/v1
    /// kind: CustomResourceDefinition
    /// metadata:
    ///   name: probes.monitoring.coreos.com
    ///   annotations: {operator.prometheus.io/version: 0.84.0}
    /// ```
    /// Use instead: the CustomResourceDefinitions of the same release.
    /// ```yaml
    /// apiVersion: apps/v1
    /// kind: Deployment
    /// metadata: {name: prometheus-operator, namespace: monitoring}
    /// spec:
    ///   template:
    ///     spec:
    ///       containers:
    ///       - name: prometheus-operator
    ///         image: quay.io/prometheus-operator/prometheus-operator:v0.94.1
    /// ---
    /// apiVersion: apiextensions.k8s.io/v1
    /// kind: CustomResourceDefinition
    /// metadata:
    ///   name: probes.monitoring.coreos.com
    ///   annotations: {operator.prometheus.io/version: 0.94.1}
    /// ```
    CONFLICTING_RELEASES = "PG310" "conflicting-releases" Warning since "0.2.0": "objects of different releases of the operator";

    /// ## What it does
    /// Finds fields that the release of the operator does not know yet.
    ///
    /// ## Why is this bad?
    /// The API server drops such a field without a word, or refuses the resource in strict validation. So the setting has no
    /// effect.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: apps/v1
    /// kind: Deployment
    /// metadata: {name: prometheus-operator, namespace: monitoring}
    /// spec:
    ///   template:
    ///     spec:
    ///       containers:
    ///       - name: prometheus-operator
    ///         image: quay.io/prometheus-operator/prometheus-operator:v0.90.0
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s, namespace: monitoring}
    /// spec:
    ///   shards: 2
    ///   shardingStrategy: {mode: Topology, topology: {values: [a, b]}}
    /// ```
    /// Use instead: a release that has the field, or remove it.
    /// ```yaml
    /// apiVersion: apps/v1
    /// kind: Deployment
    /// metadata: {name: prometheus-operator, namespace: monitoring}
    /// spec:
    ///   template:
    ///     spec:
    ///       containers:
    ///       - name: prometheus-operator
    ///         image: quay.io/prometheus-operator/prometheus-operator:v0.91.0
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s, namespace: monitoring}
    /// spec:
    ///   shards: 2
    ///   shardingStrategy: {mode: Topology, topology: {values: [a, b]}}
    /// ```
    LATER_FIELD = "PG311" "later-field" Warning since "0.2.0": "a field that the release of the operator does not know";

    /// ## What it does
    /// Finds workloads in namespaces that the operator does not watch, by `--namespaces`, `--deny-namespaces` and the like
    /// of its Deployment or of promgen.
    ///
    /// ## Why is this bad?
    /// Nothing becomes of them.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: apps/v1
    /// kind: Deployment
    /// metadata: {name: prometheus-operator, namespace: monitoring}
    /// spec:
    ///   template:
    ///     spec:
    ///       containers:
    ///       - name: prometheus-operator
    ///         image: quay.io/prometheus-operator/prometheus-operator:v0.94.1
    ///         args: [--namespaces=monitoring]
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s, namespace: shop}
    /// spec: {podMonitorSelector: {}}
    /// ```
    /// Use instead: a namespace that it watches.
    /// ```yaml
    /// apiVersion: apps/v1
    /// kind: Deployment
    /// metadata: {name: prometheus-operator, namespace: monitoring}
    /// spec:
    ///   template:
    ///     spec:
    ///       containers:
    ///       - name: prometheus-operator
    ///         image: quay.io/prometheus-operator/prometheus-operator:v0.94.1
    ///         args: [--namespaces=monitoring]
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s, namespace: monitoring}
    /// spec: {podMonitorSelector: {}}
    /// ```
    UNWATCHED = "PG312" "unwatched-workload" Warning since "0.2.0": "a workload in a namespace that the operator does not watch";

    /// ## What it does
    /// Reports an operator that is newer than the newest release that promgen knows, and how much in the input is not checked
    /// because of that: fields, values and functions that promgen does not know.
    ///
    /// ## Why is this bad?
    /// It is not: promgen compiles as the newest release that it knows. A newer promgen knows more.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: apps/v1
    /// kind: Deployment
    /// metadata: {name: prometheus-operator, namespace: monitoring}
    /// spec:
    ///   template:
    ///     spec:
    ///       containers:
    ///       - name: prometheus-operator
    ///         image: quay.io/prometheus-operator/prometheus-operator:v9.0.0
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s, namespace: monitoring}
    /// spec: {fieldOfTheFuture: true}
    /// ```
    /// Use instead: nothing, or a newer promgen.
    /// ```yaml
    /// apiVersion: apps/v1
    /// kind: Deployment
    /// metadata: {name: prometheus-operator, namespace: monitoring}
    /// spec:
    ///   template:
    ///     spec:
    ///       containers:
    ///       - name: prometheus-operator
    ///         image: quay.io/prometheus-operator/prometheus-operator:v0.94.1
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s, namespace: monitoring}
    /// spec: {}
    /// ```
    NEWER_RELEASE = "PG314" "newer-release" Info since "0.2.0": "an operator that is newer than what promgen knows";
}
