//! Rules about releases of charts.

use promgen_text::diag::rules;

/// The end of the message about a version of a chart that is not compiled.
pub const NOT_COMPILED: &str = "not compiled";

rules! {
    /// ## What it does
    /// Reports a release of the chart kube-prometheus-stack in a version that promgen does not know: a version that
    /// is newer than those it knows, a version before 45.0.0, or a version that the input does not name.
    ///
    /// ## Why is this bad?
    /// It is not. A newer version is compiled as the newest version that promgen knows: later changes of the chart are
    /// missing. An older version is not compiled.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: helm.toolkit.fluxcd.io/v2
    /// kind: HelmRelease
    /// metadata: {name: metrics, namespace: observability}
    /// spec:
    ///   chart: {spec: {chart: kube-prometheus-stack, version: 999.0.0}}
    /// ```
    /// Use instead:
    /// ```yaml
    /// apiVersion: helm.toolkit.fluxcd.io/v2
    /// kind: HelmRelease
    /// metadata: {name: metrics, namespace: observability}
    /// spec:
    ///   chart: {spec: {chart: kube-prometheus-stack, version: 88.5.3}}
    /// ```
    CHART_VERSION = "PG810" "chart-version" Info: "a version of kube-prometheus-stack that promgen does not know";

    /// ## What it does
    /// Reports releases of charts that install a Prometheus or an operator, and that promgen does not compile:
    /// `victoria-metrics-k8s-stack`, and `kube-prometheus` of Bitnami.
    ///
    /// ## Why is this bad?
    /// It is not. What such a release makes is in no answer.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: helm.toolkit.fluxcd.io/v2
    /// kind: HelmRelease
    /// metadata: {name: metrics, namespace: observability}
    /// spec:
    ///   chart: {spec: {chart: victoria-metrics-k8s-stack, version: 0.60.0}}
    /// ```
    /// Use instead:
    /// ```yaml
    /// apiVersion: helm.toolkit.fluxcd.io/v2
    /// kind: HelmRelease
    /// metadata: {name: metrics, namespace: observability}
    /// spec:
    ///   chart: {spec: {chart: kube-prometheus-stack, version: 88.5.3}}
    /// ```
    UNSUPPORTED_CHART = "PG811" "unsupported-chart" Info: "a release of a chart that promgen does not compile";

    /// ## What it does
    /// Reports values of a release that are not in the input: a ConfigMap or Secret of `valuesFrom`, a file of another
    /// repository, a template. It also reports templates in values of kube-prometheus-stack that promgen does not evaluate: those that
    /// call a function that depends on more than its arguments, such as `lookup` or `now`, and those that ask for what is not in the
    /// input.
    ///
    /// ## Why is this bad?
    /// It is not. What these values may set is not judged.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: helm.toolkit.fluxcd.io/v2
    /// kind: HelmRelease
    /// metadata: {name: metrics, namespace: observability}
    /// spec:
    ///   chart: {spec: {chart: kube-prometheus-stack, version: 88.5.3}}
    ///   valuesFrom:
    ///   - {kind: ConfigMap, name: made-by-terraform}
    /// ```
    /// Use instead:
    /// ```yaml
    /// apiVersion: helm.toolkit.fluxcd.io/v2
    /// kind: HelmRelease
    /// metadata: {name: metrics, namespace: observability}
    /// spec:
    ///   chart: {spec: {chart: kube-prometheus-stack, version: 88.5.3}}
    ///   values:
    ///     prometheus: {prometheusSpec: {retention: 15d}}
    /// ```
    MISSING_VALUES = "PG812" "missing-values" Info: "values of a release that are not in the input";

    /// ## What it does
    /// Finds values that no template of the chart kube-prometheus-stack reads, in the version of the release: keys that do not exist, that
    /// another version has, or that stand at the wrong level, beside the name of the dependency, or below a name where the chart expects them at
    /// the top. It also finds values that another one hides, such as `additionalPrometheusRules` beside `additionalPrometheusRulesMap`;
    /// `"false"` as a text where templates only ask whether a value is set; and a null that takes default values away.
    ///
    /// ## Why is this bad?
    /// Helm ignores them in silence: the setting has no effect. With `prometheus.agentMode` the same is true of the values that only
    /// a server has: retention, rules, Thanos, alerting. A text that is not empty counts as true.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: helm.toolkit.fluxcd.io/v2
    /// kind: HelmRelease
    /// metadata: {name: metrics, namespace: observability}
    /// spec:
    ///   chart: {spec: {chart: kube-prometheus-stack, version: 88.5.3}}
    ///   values:
    ///     prometheus: {prometheusSpec: {retentionsize: 50GB}}
    /// ```
    /// Use instead:
    /// ```yaml
    /// apiVersion: helm.toolkit.fluxcd.io/v2
    /// kind: HelmRelease
    /// metadata: {name: metrics, namespace: observability}
    /// spec:
    ///   chart: {spec: {chart: kube-prometheus-stack, version: 88.5.3}}
    ///   values:
    ///     prometheus: {prometheusSpec: {retentionSize: 50GB}}
    /// ```
    UNKNOWN_VALUE = "PG813" "unknown-value" Warning: "a value that the chart ignores";

    /// ## What it does
    /// With `--helm`: reports a release whose chart Helm does not render. The chart is neither in the repository nor in Helm's
    /// cache, or Helm refuses its values, or takes too long.
    ///
    /// ## Why is this bad?
    /// The objects of the release are in no answer. A release of kube-prometheus-stack is compiled from its values instead.
    ///
    /// ## Example
    /// A HelmRelease of a chart of a repository that was never pulled.
    ///
    /// Use instead: `--helm-pull`, which pulls charts over the network; or `helm pull` beforehand; or a chart in the repository.
    NOT_RENDERED = "PG814" "chart-not-rendered" Info: "a release whose chart Helm does not render";

    /// ## What it does
    /// Finds fields of the jobs in `additionalScrapeConfigs` that Prometheus does not know: in the values of kube-prometheus-stack, those that
    /// are almost one of its fields; in a Secret, also those that the version of Prometheus surely lacks, which is an error.
    ///
    /// ## Why is this bad?
    /// Nobody checks these jobs before Prometheus does. It refuses the whole configuration, and goes on with the one before.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: helm.toolkit.fluxcd.io/v2
    /// kind: HelmRelease
    /// metadata: {name: metrics, namespace: observability}
    /// spec:
    ///   chart: {spec: {chart: kube-prometheus-stack, version: 88.5.3}}
    ///   values:
    ///     prometheus:
    ///       prometheusSpec:
    ///         additionalScrapeConfigs:
    ///         - job_name: router
    ///           scrape_intreval: 30s
    ///           static_configs: [{targets: ['router:9100']}]
    /// ```
    /// Use instead:
    /// ```yaml
    /// apiVersion: helm.toolkit.fluxcd.io/v2
    /// kind: HelmRelease
    /// metadata: {name: metrics, namespace: observability}
    /// spec:
    ///   chart: {spec: {chart: kube-prometheus-stack, version: 88.5.3}}
    ///   values:
    ///     prometheus:
    ///       prometheusSpec:
    ///         additionalScrapeConfigs:
    ///         - job_name: router
    ///           scrape_interval: 30s
    ///           static_configs: [{targets: ['router:9100']}]
    /// ```
    UNKNOWN_SCRAPE_FIELD = "PG815" "unknown-scrape-field" Warning: "a field of a scrape job that Prometheus does not know";

    /// ## What it does
    /// Finds releases of kube-prometheus-stack that Argo CD applies without `ServerSideApply=true`, with the
    /// CustomResourceDefinitions of the chart.
    ///
    /// ## Why is this bad?
    /// Argo CD keeps a copy of each object in an annotation then. The definitions of Prometheus, PrometheusAgent and Alertmanager
    /// are longer than an annotation may be: 262,144 bytes. The API server refuses them, and the sync fails.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: argoproj.io/v1alpha1
    /// kind: Application
    /// metadata: {name: metrics, namespace: argocd}
    /// spec:
    ///   destination: {server: "https://kubernetes.default.svc", namespace: monitoring}
    ///   source:
    ///     repoURL: https://prometheus-community.github.io/helm-charts
    ///     chart: kube-prometheus-stack
    ///     targetRevision: 88.5.3
    ///   syncPolicy: {syncOptions: [CreateNamespace=true]}
    /// ```
    /// Use instead:
    /// ```yaml
    /// apiVersion: argoproj.io/v1alpha1
    /// kind: Application
    /// metadata: {name: metrics, namespace: argocd}
    /// spec:
    ///   destination: {server: "https://kubernetes.default.svc", namespace: monitoring}
    ///   source:
    ///     repoURL: https://prometheus-community.github.io/helm-charts
    ///     chart: kube-prometheus-stack
    ///     targetRevision: 88.5.3
    ///   syncPolicy: {syncOptions: [CreateNamespace=true, ServerSideApply=true]}
    /// ```
    LONG_DEFINITIONS = "PG816" "long-definitions" Warning: "CustomResourceDefinitions that Argo CD cannot apply";

    /// ## What it does
    /// Finds `additionalPrometheusRulesMap` given as a list.
    ///
    /// ## Why is this bad?
    /// The chart takes the name of each PrometheusRule from a key of the map. Of a list it makes the name
    /// `…-%!s(int=0)`, which the API server refuses.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: helm.toolkit.fluxcd.io/v2
    /// kind: HelmRelease
    /// metadata: {name: metrics, namespace: observability}
    /// spec:
    ///   chart: {spec: {chart: kube-prometheus-stack, version: 88.5.3}}
    ///   values:
    ///     additionalPrometheusRulesMap:
    ///     - groups: [{name: shop, rules: [{alert: CartDown, expr: cart_up == 0}]}]
    /// ```
    /// Use instead:
    /// ```yaml
    /// apiVersion: helm.toolkit.fluxcd.io/v2
    /// kind: HelmRelease
    /// metadata: {name: metrics, namespace: observability}
    /// spec:
    ///   chart: {spec: {chart: kube-prometheus-stack, version: 88.5.3}}
    ///   values:
    ///     additionalPrometheusRulesMap:
    ///       shop:
    ///         groups: [{name: shop, rules: [{alert: CartDown, expr: cart_up == 0}]}]
    /// ```
    LIST_FOR_MAP = "PG817" "list-for-map" Error: "a list where the chart takes names from the keys of a map";

    /// ## What it does
    /// Finds values of a release that Helm refuses:
    ///
    /// - A text of `--set` that it cannot read, or that sets something below a value which is no map and no list. `parameters` of Argo CD,
    ///   `targetPath` of Flux and `set` of helmfile are such texts.
    /// - Values of a dependency that are no map.
    /// - A text or a list where the templates of the chart read the keys of a map, such as an image in one text.
    /// - A template in `extraManifests` that Helm cannot run, as it is meant for Prometheus: Helm has no `$labels`.
    /// - A monitor among the values without a `name`, which the API server refuses.
    ///
    /// ## Why is this bad?
    /// The release fails as a whole: what was there before stays.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: argoproj.io/v1alpha1
    /// kind: Application
    /// metadata: {name: metrics, namespace: argocd}
    /// spec:
    ///   destination: {server: "https://kubernetes.default.svc", namespace: monitoring}
    ///   source:
    ///     repoURL: https://prometheus-community.github.io/helm-charts
    ///     chart: kube-prometheus-stack
    ///     targetRevision: 88.5.3
    ///     helm:
    ///       parameters:
    ///       - {name: "prometheus.prometheusSpec.secrets[first]", value: tls}
    /// ```
    /// Use instead:
    /// ```yaml
    /// apiVersion: argoproj.io/v1alpha1
    /// kind: Application
    /// metadata: {name: metrics, namespace: argocd}
    /// spec:
    ///   destination: {server: "https://kubernetes.default.svc", namespace: monitoring}
    ///   source:
    ///     repoURL: https://prometheus-community.github.io/helm-charts
    ///     chart: kube-prometheus-stack
    ///     targetRevision: 88.5.3
    ///     helm:
    ///       parameters:
    ///       - {name: "prometheus.prometheusSpec.secrets[0]", value: tls}
    /// ```
    REFUSED_VALUES = "PG818" "refused-values" Error: "values of a release that Helm refuses";
}
