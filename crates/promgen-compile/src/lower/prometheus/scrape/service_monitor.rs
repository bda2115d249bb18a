//! ServiceMonitors to scrape jobs.

use std::sync::LazyLock;

use crate::lower::Scope;
use crate::lower::prometheus::http::{self, Tls, filled, text};
use crate::lower::prometheus::scrape::discovery::{self, MonitorDiscovery};
use crate::lower::prometheus::scrape::relabel::{self, RelabelBuilder};
use crate::lower::prometheus::scrape::{class, honor, limits};
use crate::lower::prometheus::sections::{ENDPOINT, NATIVE_HISTOGRAMS, STALENESS};
use crate::lower::prometheus::write;
use crate::paths::SPEC;
use promgen_prometheus::config::RelabelRule;
use promgen_resources::api::Kind;
use promgen_resources::api::scraping::scrape::SelectorMechanism;
use promgen_resources::api::scraping::service_monitor::{Endpoint, ServiceMonitor};
use promgen_resources::gates;
use promgen_text::route::Path;
use promgen_text::yaml::Map;

/// The scrape job of one endpoint. Operator: `generateServiceMonitorConfig`, whose order of keys this is.
pub fn job(
    scope: &mut Scope<'_>,
    monitor: &ServiceMonitor,
    index: usize,
    endpoint: &Endpoint,
) -> relabel::LoweredJob {
    let spec = &monitor.spec;
    let endpoints = SPEC.key("endpoints");
    let path = endpoints.index(index);
    let class = class::of(scope.cx, spec.scrape_class.as_deref());
    let wanted = spec.service_discovery_role;
    let wanted = wanted.or(scope.cx.common.service_discovery_role);
    let role = relabel::service_role(scope.cx, wanted);
    let mut out = Map::new();
    out.push(
        "job_name",
        format!(
            "serviceMonitor/{}/{}/{index}",
            scope.namespace, monitor.metadata.name
        ),
    );
    honor::labels(&mut out, scope, endpoint.honor_labels.unwrap_or(false));
    honor::timestamps(&mut out, scope, &path, endpoint.honor_timestamps);
    write::rows(&mut out, scope, &path, endpoint, STALENESS);
    discovery::kubernetes(&mut out, scope, &discovery(monitor, class, role));
    write::rows(&mut out, scope, &path, endpoint, ENDPOINT);
    http::proxy(&mut out, scope, &path, &endpoint.proxy);
    http::oauth2(&mut out, scope, &path, endpoint.oauth2.as_deref());
    class.write_tls(
        &mut out,
        scope,
        &path,
        endpoint.tls_config.as_deref().map(Tls::from),
    );
    out.push_some(
        "bearer_token_file",
        filled(endpoint.bearer_token_file.as_deref()).map(text),
    );
    http::bearer_token(&mut out, scope, endpoint.bearer_token_secret.as_deref());
    http::basic_auth(&mut out, scope, endpoint.basic_auth.as_deref());
    class.write_authorization(&mut out, scope, &path, endpoint.authorization.as_deref());
    let origins = relabelings(scope, monitor, &path, endpoint, role, class).write(&mut out);
    limits::limits(&mut out, scope, &SPEC, spec);
    write::rows(
        &mut out,
        scope,
        &SPEC,
        &spec.native_histogram,
        NATIVE_HISTOGRAMS,
    );
    write::passed(&mut out, scope, Kind::ServiceMonitor, "spec", &SPEC, spec);
    write::passed(
        &mut out,
        scope,
        Kind::ServiceMonitor,
        "spec.endpoints",
        &path,
        endpoint,
    );
    limits::scrape_protocols(&mut out, scope, &SPEC, spec.scrape_protocols.as_deref());
    class.write_fallback_protocol(&mut out, scope, &SPEC, spec.fallback_scrape_protocol);
    limits::body_size_limit(&mut out, scope, &SPEC, spec.body_size_limit.as_deref());
    let (name, metric) = (&monitor.metadata.name, endpoint.metric_relabelings.as_ref());
    class.metric_relabelings(&mut out, scope, "servicemonitors", name, metric);
    relabel::LoweredJob {
        section: out,
        origins,
    }
}

fn discovery<'a>(
    monitor: &'a ServiceMonitor,
    class: class::Class<'a>,
    role: &'static str,
) -> MonitorDiscovery<'a> {
    let spec = &monitor.spec;
    let by_role = spec.selector_mechanism == Some(SelectorMechanism::RoleSelector);
    let roles: &[&'static str] = if role == "endpoints" {
        &["endpoints", "service"]
    } else {
        &["endpointslice", "service"]
    };
    MonitorDiscovery {
        role,
        attach: class.attach_metadata(spec.attach_metadata.as_ref()),
        attach_gate: Some(&gates::ATTACH_METADATA_ENDPOINTS),
        namespaces: spec.namespace_selector.as_deref(),
        selector: by_role.then_some((roles, &spec.selector)),
    }
}

/// `relabel_configs`, in the operator's order.
fn relabelings(
    scope: &Scope<'_>,
    monitor: &ServiceMonitor,
    path: &Path<'_>,
    endpoint: &Endpoint,
    role: &'static str,
    class: class::Class<'_>,
) -> RelabelBuilder {
    let (cx, spec) = (scope.cx, &monitor.spec);
    let mut rules = RelabelBuilder::new(scope);
    rules.push(path, relabel::job_name());
    if spec.selector_mechanism != Some(SelectorMechanism::RoleSelector) {
        relabel::selector(&mut rules, &SPEC.key("selector"), "service", &spec.selector);
    }
    port(endpoint, role)
        .into_iter()
        .for_each(|(field, rule)| rules.push(&path.key(field), rule));
    target(role)
        .iter()
        .for_each(|rule| rules.push(path, rule.clone()));
    if endpoint.filter_running.unwrap_or(true) {
        rules.push(&path.key("filterRunning"), relabel::running_pods());
    }
    let labels = spec
        .target_labels
        .iter()
        .flatten()
        .map(|l| relabel::transfer("service", l));
    rules.extend(&SPEC.key("targetLabels"), labels);
    relabel::pod_target_labels(&mut rules, cx, spec.pod_target_labels.as_deref());
    rules.push(path, service_as_job());
    if let Some(label) = filled(spec.job_label.as_deref()) {
        rules.push(&SPEC.key("jobLabel"), relabel::job_from("service", label));
    }
    relabel::endpoint_label(endpoint.port.as_deref(), endpoint.target_port.as_ref())
        .into_iter()
        .for_each(|(field, rule)| rules.push(&path.key(field), rule));
    class.relabel(&mut rules, cx);
    rules.extend_users(&path.key("relabelings"), endpoint.relabelings.as_ref());
    relabel::enforce_namespace(&mut rules, scope, "servicemonitors", &monitor.metadata.name);
    // Even if there is only one shard: it is ScrapeConfigs alone that have no such rules then.
    rules.share(cx, cx.sharding.by_address());
    rules
}

/// Keeps the port that the endpoint names.
fn port(endpoint: &Endpoint, role: &'static str) -> Option<(&'static str, RelabelRule)> {
    if let Some(port) = filled(endpoint.port.as_deref()) {
        let label = relabel::port_name_label(role);
        let rule = relabel::keep().source_labels([label]);
        return Some(("port", rule.regex(port.to_owned())));
    }
    let rule = relabel::container_port(endpoint.target_port.as_ref()?)?;
    Some(("targetPort", rule))
}

/// The job is the name of the Service.
fn service_as_job() -> RelabelRule {
    static RULE: LazyLock<RelabelRule> = LazyLock::new(|| {
        relabel::copy("__meta_kubernetes_service_name", "job").replacement("${1}")
    });
    RULE.clone()
}

/// The rules of the labels that identify a target: node, pod, namespace, service, container.
fn target(role: &'static str) -> &'static [RelabelRule] {
    static OF_SLICE: LazyLock<[RelabelRule; 6]> = LazyLock::new(|| {
        target_by([
            "__meta_kubernetes_endpointslice_address_target_kind",
            "__meta_kubernetes_endpointslice_address_target_name",
        ])
    });
    static OF_ENDPOINT: LazyLock<[RelabelRule; 6]> = LazyLock::new(|| {
        target_by([
            "__meta_kubernetes_endpoint_address_target_kind",
            "__meta_kubernetes_endpoint_address_target_name",
        ])
    });
    if role == "endpointslice" {
        &*OF_SLICE
    } else {
        &*OF_ENDPOINT
    }
}

fn target_by(labels: [&'static str; 2]) -> [RelabelRule; 6] {
    let of_kind = |regex: &'static str, label: &'static str| {
        RelabelRule::new()
            .source_labels(labels)
            .separator(";")
            .regex(regex)
            .replacement("${1}")
            .target_label(label)
    };
    [
        of_kind("Node;(.*)", "node"),
        of_kind("Pod;(.*)", "pod"),
        relabel::copy("__meta_kubernetes_namespace", "namespace"),
        relabel::copy("__meta_kubernetes_service_name", "service"),
        relabel::copy("__meta_kubernetes_pod_name", "pod"),
        relabel::copy("__meta_kubernetes_pod_container_name", "container"),
    ]
}
