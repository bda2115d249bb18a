//! The rules about selectors that find nothing.

use promgen_text::diag::rules;

rules! {
    /// ## What it does
    /// Finds selectors that an expression requires and that no series can meet: they ask for a job, a namespace or another label
    /// of targets that no job of the Prometheus gives. One Prometheus that evaluates the rule is enough.
    ///
    /// ## Why is this bad?
    /// The expression is always empty: the alert never fires, the recorded series does not exist.
    ///
    /// A finding needs proof. What the input leaves open is no reason: charts that are not rendered, Secrets that are not in the
    /// input, receivers of remote write, targets whose Services or pods are not in the input.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: main}
    /// spec: {scrapeConfigSelector: {}, ruleSelector: {}}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1alpha1
    /// kind: ScrapeConfig
    /// metadata: {name: shop}
    /// spec:
    ///   jobName: shop
    ///   staticConfigs: [{targets: ["shop.example:80"]}]
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PrometheusRule
    /// metadata: {name: shop}
    /// spec:
    ///   groups:
    ///   - name: shop
    ///     rules:
    ///     - {alert: Down, expr: 'up{job="shopp"} == 0'}
    /// ```
    /// Use instead: the name of the job.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: main}
    /// spec: {scrapeConfigSelector: {}, ruleSelector: {}}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1alpha1
    /// kind: ScrapeConfig
    /// metadata: {name: shop}
    /// spec:
    ///   jobName: shop
    ///   staticConfigs: [{targets: ["shop.example:80"]}]
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PrometheusRule
    /// metadata: {name: shop}
    /// spec:
    ///   groups:
    ///   - name: shop
    ///     rules:
    ///     - {alert: Down, expr: 'up{job="shop"} == 0'}
    /// ```
    IMPOSSIBLE_VALUE = "PG620" "impossible-value" Warning: "an expression that requires a label value that no target can have";

    /// ## What it does
    /// Finds selectors that an expression requires and whose series every job drops that could have them: `metricRelabelings` of
    /// the resource or of its scrape class drop the metric, or a label that the selector asks for.
    ///
    /// ## Why is this bad?
    /// The expression is always empty: the alert never fires, the recorded series does not exist.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: main}
    /// spec: {scrapeConfigSelector: {}, ruleSelector: {}}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1alpha1
    /// kind: ScrapeConfig
    /// metadata: {name: shop}
    /// spec:
    ///   jobName: shop
    ///   staticConfigs: [{targets: ["shop.example:80"]}]
    ///   metricRelabelings:
    ///   - {action: drop, sourceLabels: [__name__], regex: 'orders_.+'}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PrometheusRule
    /// metadata: {name: shop}
    /// spec:
    ///   groups:
    ///   - name: shop
    ///     rules:
    ///     - {alert: Stuck, expr: 'orders_open{job="shop"} > 5'}
    /// ```
    /// Use instead: a rule that keeps what expressions read.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: main}
    /// spec: {scrapeConfigSelector: {}, ruleSelector: {}}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1alpha1
    /// kind: ScrapeConfig
    /// metadata: {name: shop}
    /// spec:
    ///   jobName: shop
    ///   staticConfigs: [{targets: ["shop.example:80"]}]
    ///   metricRelabelings:
    ///   - {action: drop, sourceLabels: [__name__], regex: 'go_.+'}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PrometheusRule
    /// metadata: {name: shop}
    /// spec:
    ///   groups:
    ///   - name: shop
    ///     rules:
    ///     - {alert: Stuck, expr: 'orders_open{job="shop"} > 5'}
    /// ```
    DROPPED_METRIC = "PG621" "dropped-metric" Warning: "an expression that requires a metric that every job drops";

    /// ## What it does
    /// Finds `absent` and `absent_over_time` of series that no job can have.
    ///
    /// ## Why is this bad?
    /// The alert fires for ever, whatever happens.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: main}
    /// spec: {scrapeConfigSelector: {}, ruleSelector: {}}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1alpha1
    /// kind: ScrapeConfig
    /// metadata: {name: shop}
    /// spec:
    ///   jobName: shop
    ///   staticConfigs: [{targets: ["shop.example:80"]}]
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PrometheusRule
    /// metadata: {name: shop}
    /// spec:
    ///   groups:
    ///   - name: shop
    ///     rules:
    ///     - {alert: Absent, expr: 'absent(up{job="kube-scheduler"})'}
    /// ```
    /// Use instead: a job that there is.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: main}
    /// spec: {scrapeConfigSelector: {}, ruleSelector: {}}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1alpha1
    /// kind: ScrapeConfig
    /// metadata: {name: shop}
    /// spec:
    ///   jobName: shop
    ///   staticConfigs: [{targets: ["shop.example:80"]}]
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PrometheusRule
    /// metadata: {name: shop}
    /// spec:
    ///   groups:
    ///   - name: shop
    ///     rules:
    ///     - {alert: Absent, expr: 'absent(orders_total{job="shop"})'}
    /// ```
    ALWAYS_ABSENT = "PG622" "always-absent" Warning: "an `absent` of what is never there";

    /// ## What it does
    /// Finds `rate`, `irate`, `increase`, `delta`, `idelta` and `deriv` of a range that is shorter than twice the scrape interval
    /// of every job that the selector can match.
    ///
    /// ## Why is this bad?
    /// These functions need two samples. In such a range there is at most one, so that the result is empty, most of the time or
    /// always.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: main}
    /// spec: {scrapeConfigSelector: {}, ruleSelector: {}}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1alpha1
    /// kind: ScrapeConfig
    /// metadata: {name: shop}
    /// spec:
    ///   jobName: shop
    ///   staticConfigs: [{targets: ["shop.example:80"]}]
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PrometheusRule
    /// metadata: {name: shop}
    /// spec:
    ///   groups:
    ///   - name: shop
    ///     rules:
    ///     - {alert: Busy, expr: 'rate(orders_total{job="shop"}[30s]) > 5'}
    /// ```
    /// Use instead: a range of at least two intervals, better four.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: main}
    /// spec: {scrapeConfigSelector: {}, ruleSelector: {}}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1alpha1
    /// kind: ScrapeConfig
    /// metadata: {name: shop}
    /// spec:
    ///   jobName: shop
    ///   staticConfigs: [{targets: ["shop.example:80"]}]
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PrometheusRule
    /// metadata: {name: shop}
    /// spec:
    ///   groups:
    ///   - name: shop
    ///     rules:
    ///     - {alert: Busy, expr: 'rate(orders_total{job="shop"}[2m]) > 5'}
    /// ```
    SHORT_RANGE = "PG623" "short-range" Warning: "a range of less than two scrapes";

    /// ## What it does
    /// Finds panels and variables of Grafana dashboards that ask for a value that no target can have (PG620), or for a metric that
    /// every job drops (PG621), on all Prometheuses in the input. Dashboards are in ConfigMaps with the label `grafana_dashboard`, in
    /// GrafanaDashboards, in values of charts, and in `.json` files as Grafana exports them. What a variable stands for is not known,
    /// and what names no data source may ask another one.
    ///
    /// ## Why is this bad?
    /// The panel stays empty.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: main}
    /// spec: {scrapeConfigSelector: {}, ruleSelector: {}}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1alpha1
    /// kind: ScrapeConfig
    /// metadata: {name: shop}
    /// spec:
    ///   jobName: shop
    ///   staticConfigs: [{targets: ["shop.example:80"]}]
    /// ---
    /// apiVersion: v1
    /// kind: ConfigMap
    /// metadata: {name: dash-shop, labels: {grafana_dashboard: "1"}}
    /// data:
    ///   shop.json: |
    ///     {"title": "Shop", "panels": [{"title": "Up", "datasource": {"type": "prometheus"},
    ///       "targets": [{"expr": "up{job='shopp'}"}]}]}
    /// ```
    /// Use instead: the name of the job.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: main}
    /// spec: {scrapeConfigSelector: {}, ruleSelector: {}}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1alpha1
    /// kind: ScrapeConfig
    /// metadata: {name: shop}
    /// spec:
    ///   jobName: shop
    ///   staticConfigs: [{targets: ["shop.example:80"]}]
    /// ---
    /// apiVersion: v1
    /// kind: ConfigMap
    /// metadata: {name: dash-shop, labels: {grafana_dashboard: "1"}}
    /// data:
    ///   shop.json: |
    ///     {"title": "Shop", "panels": [{"title": "Up", "datasource": {"type": "prometheus"},
    ///       "targets": [{"expr": "up{job='shop'}"}]}]}
    /// ```
    EMPTY_PANEL = "PG624" "empty-panel" Info: "a panel of a dashboard that no Prometheus can fill";

    /// ## What it does
    /// Finds labels and annotations of `kube_*_labels` and `kube_*_annotations` that an expression uses and that the arguments of
    /// kube-state-metrics do not allow.
    ///
    /// ## Why is this bad?
    /// kube-state-metrics exposes no label of a resource unless `--metric-labels-allowlist` lists it, and no annotation unless
    /// `--metric-annotations-allowlist` does. A matcher of it finds nothing; a grouping by it has one group.
    ///
    /// The level is info on the right side of `unless`: what finds nothing takes nothing away, so the expression works, and nobody
    /// has opted out of it.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: apps/v1
    /// kind: Deployment
    /// metadata: {name: kube-state-metrics}
    /// spec:
    ///   template:
    ///     spec:
    ///       containers:
    ///       - name: kube-state-metrics
    ///         image: registry.k8s.io/kube-state-metrics/kube-state-metrics:v2.15.0
    ///         args: ["--metric-labels-allowlist=pods=[app]"]
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: main}
    /// spec: {scrapeConfigSelector: {}, ruleSelector: {}}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1alpha1
    /// kind: ScrapeConfig
    /// metadata: {name: shop}
    /// spec:
    ///   jobName: shop
    ///   staticConfigs: [{targets: ["shop.example:80"]}]
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PrometheusRule
    /// metadata: {name: shop}
    /// spec:
    ///   groups:
    ///   - name: shop
    ///     rules:
    ///     - {alert: Team, expr: 'count(kube_pod_labels{label_team="x"}) < 2'}
    /// ```
    /// Use instead: a label that is listed.
    /// ```yaml
    /// apiVersion: apps/v1
    /// kind: Deployment
    /// metadata: {name: kube-state-metrics}
    /// spec:
    ///   template:
    ///     spec:
    ///       containers:
    ///       - name: kube-state-metrics
    ///         image: registry.k8s.io/kube-state-metrics/kube-state-metrics:v2.15.0
    ///         args: ["--metric-labels-allowlist=pods=[app,team]"]
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: main}
    /// spec: {scrapeConfigSelector: {}, ruleSelector: {}}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1alpha1
    /// kind: ScrapeConfig
    /// metadata: {name: shop}
    /// spec:
    ///   jobName: shop
    ///   staticConfigs: [{targets: ["shop.example:80"]}]
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PrometheusRule
    /// metadata: {name: shop}
    /// spec:
    ///   groups:
    ///   - name: shop
    ///     rules:
    ///     - {alert: Team, expr: 'count(kube_pod_labels{label_team="x"}) < 2'}
    /// ```
    ///
    /// ## Source
    /// kube-state-metrics: the documentation of its command line.
    UNLISTED_LABEL = "PG625" "unlisted-label" Warning: "a label that kube-state-metrics does not expose";
}
