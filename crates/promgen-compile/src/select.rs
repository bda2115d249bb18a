//! Which configuration resources a workload picks, and which of them it refuses.
//!
//! In: the cluster and a workload's selectors. Out: a [`Selection`], every picked resource with its acceptance. The
//! message of a refusal is the operator's, because it becomes part of the status of the resource.

pub mod rule_files;
pub(crate) mod self_refs;

pub mod admit;
pub mod alertmanager_configs;
mod selected;
pub mod selector;
pub mod takers;
pub(crate) mod words;

use std::collections::BTreeMap;

use crate::cluster::assets::AssetStore;
use crate::cluster::{Cluster, Object, Objects};
use crate::context::WorkloadContext;
use crate::output::RefusalReason;
use crate::select::rule_files::NamedRuleFile;
use admit::rule::{RuleUser, SelectedRules};
use admit::{Admission, Refusal};
use promgen_resources::api::meta::LabelSelector;
use promgen_resources::api::scraping::pod_monitor::PodMonitor;
use promgen_resources::api::scraping::probe::Probe;
use promgen_resources::api::scraping::scrape_config::ScrapeConfig;
use promgen_resources::api::scraping::service_monitor::ServiceMonitor;
use promgen_resources::api::{Kind, PrometheusRule, Resource};
use promgen_text::diag::{Diagnostic, Sink, rules};
use promgen_text::parallel;
use promgen_text::route::{At, DocId};
pub use selector::Picker;
use selector::WorkloadSelector;

rules! {
    /// ## What it does
    /// Reports a monitor that a workload selects and then refuses, with the operator's reason. `promgen lint` counts it
    /// among the errors; elsewhere it is a warning, because the workload works without it.
    ///
    /// ## Why is this bad?
    /// No shard scrapes its targets. In a cluster, only an event and the status of the resource report it.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec: {podMonitorSelector: {}}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PodMonitor
    /// metadata: {name: cart}
    /// spec:
    ///   selector: {matchLabels: {app: cart}}
    ///   podMetricsEndpoints: [{port: metrics, interval: 15s, scrapeTimeout: 20s}]
    /// ```
    /// Use instead: a timeout within the interval.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec: {podMonitorSelector: {}}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PodMonitor
    /// metadata: {name: cart}
    /// spec:
    ///   selector: {matchLabels: {app: cart}}
    ///   podMetricsEndpoints: [{port: metrics, interval: 15s, scrapeTimeout: 10s}]
    /// ```
    REJECTED = "PG101" "rejected-resource" Warning: "a selected resource that the operator refuses";

    /// ## What it does
    /// Reports an invalid label selector: an unknown operator, unexpected values, an invalid key.
    ///
    /// ## Why is this bad?
    /// The operator stops at it, and the workload is not reconciled.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   podMonitorSelector:
    ///     matchExpressions: [{key: team, operator: Is, values: [shop]}]
    /// ```
    /// Use instead: `In`, `NotIn`, `Exists` or `DoesNotExist`.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   podMonitorSelector:
    ///     matchExpressions: [{key: team, operator: In, values: [shop]}]
    /// ```
    INVALID_SELECTOR = "PG102" "invalid-selector" Error: "a label selector that does not parse";

    /// ## What it does
    /// Reports a reference to a Secret or ConfigMap that the input lacks, or to a Secret that has no data there.
    /// promgen assumes that it exists.
    ///
    /// ## Why is this bad?
    /// It is not bad if something else creates the object. `--assume missing` treats it as the operator does.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec: {podMonitorSelector: {}}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PodMonitor
    /// metadata: {name: cart}
    /// spec:
    ///   selector: {matchLabels: {app: cart}}
    ///   podMetricsEndpoints:
    ///   - port: metrics
    ///     authorization: {credentials: {name: cart-token, key: token}}
    /// ```
    /// Use instead: an input that has it.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec: {podMonitorSelector: {}}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PodMonitor
    /// metadata: {name: cart}
    /// spec:
    ///   selector: {matchLabels: {app: cart}}
    ///   podMetricsEndpoints:
    ///   - port: metrics
    ///     authorization: {credentials: {name: cart-token, key: token}}
    /// ---
    /// apiVersion: v1
    /// kind: Secret
    /// metadata: {name: cart-token}
    /// stringData: {token: not-this-one}
    /// ```
    ASSUMED = "PG103" "assumed-asset" Info: "a Secret or ConfigMap that promgen assumes to exist";

    /// ## What it does
    /// Reports a reference to a Secret or ConfigMap that the input has under that name with a hash of Kustomize at its end.
    ///
    /// ## Why is this bad?
    /// `secretGenerator` and `configMapGenerator` add a hash to the name. Kustomize rewrites references in Pods and templates,
    /// not in custom resources: the reference leads nowhere, and the operator refuses the resource.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec: {podMonitorSelector: {}}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PodMonitor
    /// metadata: {name: cart}
    /// spec:
    ///   selector: {matchLabels: {app: cart}}
    ///   podMetricsEndpoints:
    ///   - port: metrics
    ///     authorization: {credentials: {name: cart-token, key: token}}
    /// ---
    /// apiVersion: v1
    /// kind: Secret
    /// metadata: {name: cart-token-85c6k689hc}
    /// stringData: {token: not-this-one}
    /// ```
    /// Use instead: a name without a hash.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec: {podMonitorSelector: {}}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PodMonitor
    /// metadata: {name: cart}
    /// spec:
    ///   selector: {matchLabels: {app: cart}}
    ///   podMetricsEndpoints:
    ///   - port: metrics
    ///     authorization: {credentials: {name: cart-token, key: token}}
    /// ---
    /// apiVersion: v1
    /// kind: Secret
    /// metadata: {name: cart-token}
    /// stringData: {token: not-this-one}
    /// ```
    HASHED = "PG104" "hashed-name" Warning: "a reference without the hash that Kustomize adds to the name";
}

/// The finding of an object that is assumed; that of a hash, if the input has the object under a name with one.
pub(crate) fn assumed(
    assets: &AssetStore<'_>,
    kind: Kind,
    namespace: &str,
    name: &str,
    place: At,
    message: String,
) -> Diagnostic {
    let Some(hashed) = assets.name_with_hash(kind, namespace, name) else {
        let likely = assets.likely(kind, namespace, name);
        return Diagnostic::new(&ASSUMED, place, message).helps(likely);
    };
    let message = format!(
        "{} {namespace}/{name} is not in the input, and {hashed} is: Kustomize does not add its hash to references in \
         custom resources",
        kind.as_str()
    );
    Diagnostic::new(&HASHED, place, message).help(
        "set `disableNameSuffixHash: true` below `generatorOptions`, or add a `nameReference` to `configurations`",
    )
}

/// The least number of monitors that a thread checks: fewer are checked sooner than they are handed over.
const MONITORS_AT_ONCE: usize = 64;

/// The selected resources of one kind, ordered by `namespace/name`, each with the reason for which the operator rejects it, if it
/// does.
#[derive(Debug)]
pub struct PickedResources<'a, T>(pub Vec<(&'a Object<T>, Option<Box<RefusalReason>>)>);

impl<'a, T> PickedResources<'a, T> {
    /// The accepted resources.
    pub fn accepted(&self) -> impl Iterator<Item = &'a Object<T>> + '_ {
        self.0
            .iter()
            .filter(|(_, refusal)| refusal.is_none())
            .map(|(resource, _)| *resource)
    }
}

/// The resources that a workload selects.
#[derive(Debug)]
pub struct Selection<'a> {
    /// ServiceMonitors.
    pub service_monitors: PickedResources<'a, ServiceMonitor>,
    /// PodMonitors.
    pub pod_monitors: PickedResources<'a, PodMonitor>,
    /// Probes.
    pub probes: PickedResources<'a, Probe>,
    /// ScrapeConfigs.
    pub scrape_configs: PickedResources<'a, ScrapeConfig>,
    /// PrometheusRules; servers only.
    pub rules: PickedResources<'a, PrometheusRule>,
    /// The files of the accepted rules, by name.
    pub rule_files: Vec<NamedRuleFile>,
    /// These files, by the ConfigMaps that contain them; at least one.
    pub(crate) rule_config_maps: Vec<BTreeMap<String, String>>,
}

impl Selection<'_> {
    /// Returns whether nothing is selected. Rejected resources count as selected.
    pub fn is_empty(&self) -> bool {
        self.service_monitors.0.is_empty()
            && self.pod_monitors.0.is_empty()
            && self.probes.0.is_empty()
            && self.scrape_configs.0.is_empty()
            && self.rules.0.is_empty()
    }
}

/// Picks and checks all resources of a workload. Refusals are reported.
///
/// # Errors
/// A selector that does not parse, in the operator's words.
pub fn select<'a>(
    cx: &WorkloadContext<'_>,
    cluster: &'a Cluster,
    sink: &mut Sink,
) -> Result<Selection<'a>, String> {
    let [services, pods, probes, scrape_configs] =
        WorkloadSelector::monitors(Picker::of(cx), cx.common);
    let service_monitors = monitors(
        cx,
        &services,
        &cluster.service_monitors,
        cluster,
        MONITORS_AT_ONCE,
        sink,
        admit::service_monitor,
    )?;
    let pod_monitors = monitors(
        cx,
        &pods,
        &cluster.pod_monitors,
        cluster,
        MONITORS_AT_ONCE,
        sink,
        admit::pod_monitor,
    )?;
    let probes = monitors(
        cx,
        &probes,
        &cluster.probes,
        cluster,
        MONITORS_AT_ONCE,
        sink,
        admit::probe,
    )?;
    let scrape_configs = monitors(
        cx,
        &scrape_configs,
        &cluster.scrape_configs,
        cluster,
        IN_ORDER,
        sink,
        admit::scrape_config,
    )?;
    let labels = cx.server.and_then(|server| server.rule_selector.as_ref());
    let namespaces = cx
        .server
        .and_then(|server| server.rule_namespace_selector.as_ref());
    let rules = rules(&RuleUser::of(cx), labels, namespaces, cluster, sink)
        .map_err(|error| format!("selecting PrometheusRule failed: {error}"))?;
    let SelectedRules {
        picked: rules,
        files: rule_files,
        config_maps: rule_config_maps,
    } = rules;
    Ok(Selection {
        service_monitors,
        pod_monitors,
        probes,
        scrape_configs,
        rules,
        rule_files,
        rule_config_maps,
    })
}

/// Picks and checks the PrometheusRules of a workload, by a selector of their labels and one of their namespaces'.
///
/// # Errors
/// A selector that does not parse, in the operator's words, which are not those for monitors.
pub fn rules<'a>(
    user: &RuleUser<'_>,
    labels: Option<&LabelSelector>,
    namespaces: Option<&LabelSelector>,
    cluster: &'a Cluster,
    sink: &mut Sink,
) -> Result<SelectedRules<'a>, String> {
    let context = "initializing PrometheusRules failed: convert rule label selector to selector: ";
    let selector = WorkloadSelector::rules(user.by, labels, namespaces);
    let picked = selector.selected(&cluster.prometheus_rules, cluster, context, sink)?;
    Ok(admit::rule::prometheus_rules(user, picked, sink))
}

/// The least number of ScrapeConfigs that a thread checks: they are checked in their order, because the operator finds a Secret that an
/// earlier one has read.
const IN_ORDER: usize = usize::MAX;

/// Picks monitors, checks each on its own, and reports those that are refused.
fn monitors<'a, T: Resource + Send + Sync>(
    cx: &WorkloadContext<'_>,
    selector: &WorkloadSelector<'_>,
    all: &'a Objects<T>,
    cluster: &'a Cluster,
    at_least: usize,
    sink: &mut Sink,
    admit: impl Fn(&mut Admission<'_>, &T) -> Result<(), Refusal> + Sync,
) -> Result<PickedResources<'a, T>, String> {
    let picked = selector
        .selected(all, cluster, "", sink)
        .map_err(|error| format!("selecting {}s failed: {error}", T::KIND))?;
    let check = |resource: &&'a Object<T>| (*resource, verdict(cx, selector, resource, &admit));
    let checked = parallel::map(&picked, at_least, check);
    let reported = checked.into_iter().map(|(resource, (verdict, found))| {
        sink.append(found);
        (resource, verdict)
    });
    Ok(PickedResources(reported.collect()))
}

/// The verdict on a resource, and the findings about it.
fn verdict<T: Resource>(
    cx: &WorkloadContext<'_>,
    selector: &WorkloadSelector<'_>,
    resource: &Object<T>,
    admit: impl Fn(&mut Admission<'_>, &T) -> Result<(), Refusal>,
) -> (Option<Box<RefusalReason>>, Sink) {
    let mut found = Sink::default();
    // Secrets are those of the monitor's namespace, not of the workload's.
    let mut admission = Admission::new(cx, resource.doc, resource.namespace(), &mut found);
    let verdict = match admit(&mut admission, &resource.value) {
        Ok(()) => None,
        Err(refusal) => {
            found.report(rejection(&selector.by, resource, &refusal));
            Some(refusal.into_reason())
        }
    };
    (verdict, found)
}

/// The finding that a workload refuses a resource, at what is wrong with it.
fn rejection<T: Resource>(
    picker: &Picker<'_>,
    resource: &Object<T>,
    refusal: &Refusal,
) -> Diagnostic {
    let (namespace, name) = (resource.namespace(), &resource.value.metadata().name);
    let message = format!(
        "{} {namespace}/{name} is rejected by {picker}: {}",
        T::KIND,
        words::plain(&refusal.message)
    );
    let at = At {
        doc: resource.doc,
        route: refusal.route.clone(),
    };
    let mut diagnostic = Diagnostic::new(&REJECTED, at, message);
    diagnostic.help.extend(
        refusal
            .help
            .clone()
            .or_else(|| words::help(&refusal.message)),
    );
    // A workload that stands in for one that is not in the input.
    if picker.doc == DocId::NONE {
        return diagnostic.help(format!("no workload in the input selects this {}", T::KIND));
    }
    diagnostic.related(picker.place(), "selected here")
}
