//! Where the operator crashes instead of writing a configuration.
//!
//! In: the selection of a workload. Out: nothing, or an error where the operator would crash repeatedly.

use crate::cluster::Object;
use crate::lower::WorkloadContext;
use crate::lower::prometheus::scrape::class;
use crate::output::Cause;
use crate::paths::SPEC;
use crate::select::Selection;
use crate::select::admit::Refusal;
use promgen_resources::api::auth::SafeAuthorization;
use promgen_resources::api::{Probe, Resource};
use promgen_resources::gates;
use promgen_text::route::ValueRoute;

/// Checks that the operator does not crash. It reads the `authorization` that it has just written, but writes none for
/// versions that do not support it. Operator: `addAuthorizationToYaml`.
///
/// # Errors
/// The operator crashes; in promgen's words, as the operator has none.
pub(crate) fn check(cx: &WorkloadContext<'_>, selection: &Selection<'_>) -> Result<(), Refusal> {
    if cx.has(&gates::AUTHORIZATION) {
        return Ok(());
    }
    let Some((route, whose)) = monitor(cx, selection).or_else(|| own(cx, selection)) else {
        return Ok(());
    };
    let since = &gates::AUTHORIZATION.since;
    let message = format!(
        "PANIC: the operator crashes on the authorization of {whose}, which requires Prometheus ≥ {since}"
    );
    Err(Refusal {
        message,
        route,
        cause: Cause::Other,
        help: None,
    })
}

/// The workload's own authorizations.
fn own(cx: &WorkloadContext<'_>, selection: &Selection<'_>) -> Option<(ValueRoute, String)> {
    if cx
        .common
        .apiserver_config
        .as_ref()
        .is_some_and(|a| a.authorization.is_some())
        && discovers(cx, selection)
    {
        let path = SPEC.key("apiserverConfig");
        return Some((
            path.key("authorization").to_route(),
            "the API server".to_owned(),
        ));
    }
    let place = |list: &str, index: usize| {
        let route = SPEC.key(list).index(index).key("authorization").to_route();
        (route, format!("{list}[{index}]"))
    };
    let write = cx
        .common
        .remote_write
        .iter()
        .flatten()
        .position(|w| w.authorization.is_some());
    let mut reads = cx
        .server
        .and_then(|s| s.remote_read.as_ref())
        .into_iter()
        .flatten();
    let read = reads.position(|r| r.authorization.is_some());
    // In the order of the sections: the first one is what the operator crashes on.
    write
        .map(|index| place("remoteWrite", index))
        .or_else(|| read.map(|index| place("remoteRead", index)))
}

/// The first monitor with an authorization, its own or that of its class. The place is the class's authorization, or the
/// name of the workload: a monitor is another document.
fn monitor(cx: &WorkloadContext<'_>, selection: &Selection<'_>) -> Option<(ValueRoute, String)> {
    let found = |class: Option<&String>, own: Option<&SafeAuthorization>| {
        let class = class::of(cx, class.map(String::as_str));
        class.authorization(own)?;
        Some(
            class
                .place_of_authorization(own)
                .unwrap_or_else(|| ValueRoute::root().key("metadata").key("name")),
        )
    };
    let service = || {
        selection.service_monitors.accepted().find_map(|monitor| {
            let spec = &monitor.value.spec;
            let mut places = spec
                .endpoints
                .iter()
                .map(|e| found(spec.scrape_class.as_ref(), e.authorization.as_deref()));
            Some((places.find_map(|place| place)?, named(monitor)))
        })
    };
    let pod = || {
        selection.pod_monitors.accepted().find_map(|monitor| {
            let spec = &monitor.value.spec;
            let endpoints = spec.pod_metrics_endpoints.iter().flatten();
            let mut places =
                endpoints.map(|e| found(spec.scrape_class.as_ref(), e.authorization.as_deref()));
            Some((places.find_map(|place| place)?, named(monitor)))
        })
    };
    let probe = || {
        selection.probes.accepted().find_map(|probe| {
            let spec = &probe.value.spec;
            Some((
                found(spec.scrape_class.as_ref(), spec.authorization.as_ref())?,
                named(probe),
            ))
        })
    };
    service().or_else(pod).or_else(probe)
}

fn named<T: Resource>(resource: &Object<T>) -> String {
    format!(
        "{} {}/{}",
        T::KIND,
        resource.namespace(),
        resource.value.metadata().name
    )
}

/// Returns whether anything is discovered through the API server.
fn discovers(cx: &WorkloadContext<'_>, selection: &Selection<'_>) -> bool {
    let ingress = |probe: &Object<Probe>| {
        probe
            .value
            .spec
            .targets
            .as_ref()
            .is_some_and(|t| t.ingress.is_some())
    };
    cx.server
        .and_then(|s| s.alerting.as_ref())
        .is_some_and(|a| !a.alertmanagers.is_empty())
        || selection.service_monitors.accepted().next().is_some()
        || selection.pod_monitors.accepted().next().is_some()
        || selection.probes.accepted().any(ingress)
}
