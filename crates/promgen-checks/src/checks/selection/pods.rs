//! Services without pods: those that a monitor selects, and those that are meant for a workload of the operator.

use promgen_compile::cluster::Object;
use promgen_model::model::World;
use promgen_model::selection::named::Named;
use promgen_model::selection::unread::UnreadReleases;
use promgen_prometheus::labels::miss::Miss;
use promgen_resources::api::ServiceMonitor;
use promgen_targets::resolve::labelled::{NamespaceScope, Selectable};
use promgen_targets::resolve::near::Near;
use promgen_targets::resolve::others::PodSource;
use promgen_targets::resolve::{ResolvedService, Seeker};
use promgen_text::diag::{Diagnostic, Level, Place, Sink, rules};
use promgen_text::route::At;

rules! {
    /// ## What it does
    /// Finds Services that a ServiceMonitor selects and whose selector matches no pod and no pod template in the input,
    /// although the input has some in that namespace. Also Services that name a workload of the operator by the label of its pods
    /// (`prometheus: k8s`), and require another label that these pods lack.
    ///
    /// The level is warning if a template almost matches, so that a typo is likely, and info otherwise. A release whose chart is not read
    /// and that has the name which is asked for, and a template of text that has the value, make the pods that are meant. Which labels
    /// an operator gives its pods that is older than all that promgen knows is not known.
    ///
    /// ## Why is this bad?
    /// The Service has no endpoints, and nothing is scraped. Ignore this if the pods are not in the input.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: ServiceMonitor
    /// metadata: {name: cart}
    /// spec:
    ///   selector: {matchLabels: {app: cart}}
    ///   endpoints: [{port: metrics}]
    /// ---
    /// apiVersion: v1
    /// kind: Service
    /// metadata: {name: cart, labels: {app: cart}}
    /// spec:
    ///   selector: {app: carts}
    ///   ports: [{name: metrics, port: 8080}]
    /// ---
    /// apiVersion: apps/v1
    /// kind: Deployment
    /// metadata: {name: cart}
    /// spec:
    ///   selector: {matchLabels: {app: cart}}
    ///   template:
    ///     metadata: {labels: {app: cart}}
    ///     spec:
    ///       containers: [{name: cart, image: cart}]
    /// ```
    /// Use instead:
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: ServiceMonitor
    /// metadata: {name: cart}
    /// spec:
    ///   selector: {matchLabels: {app: cart}}
    ///   endpoints: [{port: metrics}]
    /// ---
    /// apiVersion: v1
    /// kind: Service
    /// metadata: {name: cart, labels: {app: cart}}
    /// spec:
    ///   selector: {app: cart}
    ///   ports: [{name: metrics, port: 8080}]
    /// ---
    /// apiVersion: apps/v1
    /// kind: Deployment
    /// metadata: {name: cart}
    /// spec:
    ///   selector: {matchLabels: {app: cart}}
    ///   template:
    ///     metadata: {labels: {app: cart}}
    ///     spec:
    ///       containers: [{name: cart, image: cart}]
    /// ```
    NO_PODS = "PG125" "service-without-pods" Warning: "a Service of a monitor or workload whose selector matches no pod in the input";
}

/// Checks the Services that a monitor selects.
pub(super) fn behind(
    model: &World<'_>,
    unread: &UnreadReleases,
    monitor: &Object<ServiceMonitor>,
    services: &[&ResolvedService],
    sink: &mut Sink,
) {
    let selected_by = At::name(monitor.doc);
    let services = services.iter();
    sink.extend(
        services.filter_map(|service| without_pods(model, unread, service, Some(&selected_by))),
    );
}

/// The labels of the operator's pods that name their workload.
const NAMES_OF_WORKLOADS: [&str; 3] = ["prometheus", "alertmanager", "thanos-ruler"];

/// Checks Services that no monitor selects: those that name a workload by its label are meant for its pods.
pub(super) fn of_workloads(model: &World<'_>, unread: &UnreadReleases, sink: &mut Sink) {
    let names_one =
        |service: &&ResolvedService| NAMES_OF_WORKLOADS.iter().any(|key| service.requires(key));
    for service in model
        .reach
        .services
        .iter()
        .filter(|service| service.is_given())
        .filter(names_one)
    {
        let is_meant = |near: &Near<'_, PodSource>| {
            let is_missed = |key: &&str| near.misses.iter().any(|miss| miss.required.key == **key);
            let named = NAMES_OF_WORKLOADS
                .iter()
                .filter(|key| near.thing.labels().contains_key(**key));
            !near.thing.is_given()
                && named
                    .filter(|key| service.requires(key))
                    .any(|key| !is_missed(key))
        };
        if !model
            .reach
            .near_pods_behind(service)
            .is_some_and(|near| is_meant(&near))
            || is_monitored(model, service)
        {
            continue;
        }
        sink.extend(without_pods(model, unread, service, None));
    }
}

fn is_monitored(model: &World<'_>, service: &ResolvedService) -> bool {
    let (others, services) = (model.reach.others, &model.reach.services);
    model.cluster().service_monitors.values().any(|monitor| {
        let seeker = Seeker::of_services(monitor, others);
        let found = services.all(&seeker.find(services, &seeker.scope()));
        found.iter().any(|found| found.doc == service.doc)
    })
}

/// Returns whether pods that almost match are those that a Service means. Those of another Service are not: where each of two names is
/// that of a Service, neither is a slip for the other.
fn is_meant(model: &World<'_>, service: &ResolvedService, near: &Near<'_, PodSource>) -> bool {
    let (scope, services) = (service.scope(), &model.reach.services);
    let is_of_another = |seen: &String| {
        let mut there = services.matching(&scope, None);
        *seen != *service.name() && there.any(|other| *seen == *other.name())
    };
    let is_own = |miss: &Miss| {
        miss.required.values.iter().any(|of| *of == *service.name())
            && miss.seen.as_ref().is_some_and(is_of_another)
    };
    let is_known = near.thing.is_given() || !model.has_older_operator();
    is_known && !near.misses.iter().any(is_own)
}

/// The fault of a Service whose selector matches no pods.
fn without_pods(
    model: &World<'_>,
    unread: &UnreadReleases,
    service: &ResolvedService,
    selected_by: Option<&At>,
) -> Option<Diagnostic> {
    let selector = At::doc(service.doc?).key("spec").key("selector");
    let has_pods = || {
        model
            .reach
            .pods
            .count(&NamespaceScope::one(service.namespace()))
            > 0
    };
    let is_built_in = model.reach.built_in_pods_behind(service).is_some();
    if is_built_in
        || service.has_no_selector()
        || !model.reach.pods_behind(service).items.is_empty()
    {
        return None;
    }
    let may_be_made = || {
        let selector = service.pod_selector()?;
        unread.may_make(model, &selector, &service.scope())
    };
    let near = model
        .reach
        .near_pods_behind(service)
        .filter(|near| is_meant(model, service, near) && may_be_made().is_none());
    // The labels of pods that the operator makes are known, even if the input has no other pods.
    if !has_pods() && near.as_ref().is_none_or(|near| near.thing.is_given()) {
        return None;
    }
    let finding = |place: Place, why: &str| {
        let message = format!(
            "the selector of {} matches no pod in the input{why}",
            service.what()
        );
        let found = Diagnostic::new(&NO_PODS, place, message);
        match selected_by {
            Some(monitor) => found.related(monitor.clone(), "this monitor selects it"),
            None => found,
        }
    };
    let found = match near {
        Some(near) => {
            let has: Vec<_> = near.misses.iter().map(ToString::to_string).collect();
            let why = format!(
                ", but {} almost matches: it {}",
                near.thing.what(),
                has.join(", ")
            );
            let key = near
                .misses
                .first()
                .map(|miss| selector.clone().key(miss.required.key.clone()));
            let found = finding(key.unwrap_or(selector).into(), &why);
            match near.thing.span {
                Some(span) => found.related(span, "almost matches"),
                None => found,
            }
        }
        None => finding(
            Place::Key(selector),
            &format!(" in namespace {}", service.namespace()),
        )
        .level(Level::Info),
    };
    Some(found.help("ignore this if its pods are not in the input"))
}
