//! PodMonitors to scrape jobs.

use std::sync::LazyLock;

use crate::lower::Scope;
use crate::lower::prometheus::http::{self, filled};
use crate::lower::prometheus::scrape::discovery::{self, MonitorDiscovery};
use crate::lower::prometheus::scrape::relabel::{self, RelabelBuilder};
use crate::lower::prometheus::scrape::{class, honor, limits};
use crate::lower::prometheus::sections::{ENDPOINT, NATIVE_HISTOGRAMS, STALENESS};
use crate::lower::prometheus::write;
use crate::paths::SPEC;
use promgen_prometheus::config::RelabelRule;
use promgen_resources::api::Kind;
use promgen_resources::api::scalar::IntOrString;
use promgen_resources::api::scraping::pod_monitor::{PodMetricsEndpoint, PodMonitor};
use promgen_resources::api::scraping::scrape::SelectorMechanism;
use promgen_resources::gates;
use promgen_text::route::Path;
use promgen_text::yaml::Map;

/// The scrape job of one endpoint. Operator: `generatePodMonitorConfig`, whose order of keys this is.
pub fn job(
    scope: &mut Scope<'_>,
    monitor: &PodMonitor,
    index: usize,
    endpoint: &PodMetricsEndpoint,
) -> relabel::LoweredJob {
    let spec = &monitor.spec;
    let endpoints = SPEC.key("podMetricsEndpoints");
    let path = endpoints.index(index);
    let class = class::of(scope.cx, spec.scrape_class.as_deref());
    let mut out = Map::new();
    out.push(
        "job_name",
        format!(
            "podMonitor/{}/{}/{index}",
            scope.namespace, monitor.metadata.name
        ),
    );
    honor::labels(&mut out, scope, endpoint.honor_labels.unwrap_or(false));
    honor::timestamps(&mut out, scope, &path, endpoint.honor_timestamps);
    write::rows(&mut out, scope, &path, endpoint, STALENESS);
    discovery::kubernetes(&mut out, scope, &discovery(monitor, class));
    write::rows(&mut out, scope, &path, endpoint, ENDPOINT);
    // TLS comes before credentials and proxies: not the order of a ServiceMonitor.
    class.write_safe_tls(&mut out, scope, &path, endpoint.tls_config.as_deref());
    http::bearer_token(&mut out, scope, endpoint.bearer_token_secret.as_deref());
    http::basic_auth(&mut out, scope, endpoint.basic_auth.as_deref());
    http::oauth2(&mut out, scope, &path, endpoint.oauth2.as_deref());
    http::proxy(&mut out, scope, &path, &endpoint.proxy);
    class.write_authorization(&mut out, scope, &path, endpoint.authorization.as_deref());
    let origins = relabelings(scope, monitor, &path, endpoint, class).write(&mut out);
    limits::limits(&mut out, scope, &SPEC, spec);
    write::rows(
        &mut out,
        scope,
        &SPEC,
        &spec.native_histogram,
        NATIVE_HISTOGRAMS,
    );
    write::passed(&mut out, scope, Kind::PodMonitor, "spec", &SPEC, spec);
    write::passed(
        &mut out,
        scope,
        Kind::PodMonitor,
        "spec.podMetricsEndpoints",
        &path,
        endpoint,
    );
    limits::scrape_protocols(&mut out, scope, &SPEC, spec.scrape_protocols.as_deref());
    class.write_fallback_protocol(&mut out, scope, &SPEC, spec.fallback_scrape_protocol);
    limits::body_size_limit(&mut out, scope, &SPEC, spec.body_size_limit.as_deref());
    let (name, metric) = (&monitor.metadata.name, endpoint.metric_relabelings.as_ref());
    class.metric_relabelings(&mut out, scope, "podmonitors", name, metric);
    relabel::LoweredJob {
        section: out,
        origins,
    }
}

fn discovery<'a>(monitor: &'a PodMonitor, class: class::Class<'a>) -> MonitorDiscovery<'a> {
    let spec = &monitor.spec;
    let by_role = spec.selector_mechanism == Some(SelectorMechanism::RoleSelector);
    MonitorDiscovery {
        role: "pod",
        attach: class.attach_metadata(spec.attach_metadata.as_ref()),
        attach_gate: Some(&gates::ATTACH_METADATA_POD),
        namespaces: spec.namespace_selector.as_deref(),
        selector: by_role.then_some((&["pod"], &spec.selector)),
    }
}

/// The rules of the labels that identify a pod's container.
static POD: LazyLock<[RelabelRule; 3]> = LazyLock::new(|| {
    [
        relabel::copy("__meta_kubernetes_namespace", "namespace"),
        relabel::copy("__meta_kubernetes_pod_container_name", "container"),
        relabel::copy("__meta_kubernetes_pod_name", "pod"),
    ]
});

/// `relabel_configs`, in the operator's order.
fn relabelings(
    scope: &Scope<'_>,
    monitor: &PodMonitor,
    path: &Path<'_>,
    endpoint: &PodMetricsEndpoint,
    class: class::Class<'_>,
) -> RelabelBuilder {
    let (cx, spec) = (scope.cx, &monitor.spec);
    let (namespace, name) = (scope.namespace, &monitor.metadata.name);
    let mut rules = RelabelBuilder::new(scope);
    rules.push(path, relabel::job_name());
    // The second rule here; in a ServiceMonitor it follows the labels of the target.
    if endpoint.filter_running.unwrap_or(true) {
        rules.push(&path.key("filterRunning"), relabel::running_pods());
    }
    if spec.selector_mechanism != Some(SelectorMechanism::RoleSelector) {
        relabel::selector(&mut rules, &SPEC.key("selector"), "pod", &spec.selector);
    }
    port(endpoint)
        .into_iter()
        .for_each(|(field, rule)| rules.push(&path.key(field), rule));
    POD.iter().for_each(|rule| rules.push(path, rule.clone()));
    relabel::pod_target_labels(&mut rules, cx, spec.pod_target_labels.as_deref());
    rules.push(
        path,
        RelabelRule::new()
            .target_label("job")
            .replacement(format!("{namespace}/{name}")),
    );
    if let Some(label) = filled(spec.job_label.as_deref()) {
        rules.push(&SPEC.key("jobLabel"), relabel::job_from("pod", label));
    }
    // A `portNumber` gives no label: the operator reads the two other fields only.
    relabel::endpoint_label(endpoint.port.as_deref(), endpoint.target_port.as_ref())
        .into_iter()
        .for_each(|(field, rule)| rules.push(&path.key(field), rule));
    class.relabel(&mut rules, cx);
    rules.extend_users(&path.key("relabelings"), endpoint.relabelings.as_ref());
    relabel::enforce_namespace(&mut rules, scope, "podmonitors", name);
    // A pod of a DaemonSet discovers only the pods of its own node, so nothing is shared.
    if !cx.is_daemon_set() {
        rules.share(cx, cx.sharding.by_address());
    }
    rules
}

/// Keeps the port that the endpoint names, by name or number; with the field that does so.
fn port(endpoint: &PodMetricsEndpoint) -> Option<(&'static str, RelabelRule)> {
    let port = filled(endpoint.port.as_deref()).map(|name| name.to_owned());
    let number = endpoint.port_number.filter(|number| *number != 0);
    let (field, port) = match (port, number, &endpoint.target_port) {
        (Some(name), _, _) => ("port", &IntOrString::String(name)),
        (None, Some(number), _) => ("portNumber", &IntOrString::Int(number.into())),
        (None, None, port) => ("targetPort", port.as_ref()?),
    };
    Some((field, relabel::container_port(port)?))
}
