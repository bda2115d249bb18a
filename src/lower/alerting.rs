//! The `alerting` section.

use crate::api::alerting::AlertmanagerEndpoints;
use crate::api::auth::Sigv4;
use crate::api::scalar::IntOrString;
use crate::api::scrape::ServiceDiscoveryRole;
use crate::gates;
use crate::lower::global::replica_label;
use crate::lower::http::{self, Auth, Tls, filled, text, texts};
use crate::lower::scrape::{discovery, limits, relabel};
use crate::lower::{Ctx, Scope};
use crate::prom::{self, RelabelRule};
use crate::route::Path;
use crate::yaml::{Map, Value};

/// The section `alerting`, if the server sends alerts anywhere.
pub(crate) fn alerting(scope: &mut Scope<'_>) -> Option<Map> {
    let alerting = scope.cx.server?.alerting.as_ref()?;
    let mut rules = Vec::new();
    let replica = replica_label(scope.cx);
    if !replica.is_empty() {
        rules.push(RelabelRule::new().action("labeldrop").regex(quote_meta(replica)));
    }
    let (root, spec) = (Path::root(), "spec");
    let spec = root.key(spec);
    let section = spec.key("alerting");
    let list = section.key("alertmanagers");
    let alertmanagers: Vec<Map> =
        alerting.alertmanagers.iter().enumerate().map(|(i, am)| alertmanager(scope, &list.index(i), am)).collect();
    let mut out = Map::new();
    if !rules.is_empty() {
        out.push("alert_relabel_configs", relabel::value(rules));
    }
    Some(out.with("alertmanagers", alertmanagers))
}

/// Escapes what means something to a regular expression, as Go does.
fn quote_meta(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if r"\.+*?()|[]{}^$".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// One Alertmanager service, discovered in the cluster.
fn alertmanager(scope: &mut Scope<'_>, path: &Path<'_>, am: &AlertmanagerEndpoints) -> Map {
    let mut out = Map::new();
    out.push_some("scheme", am.scheme.as_ref().map(|s| s.as_str().to_lowercase()));
    out.push_some("path_prefix", filled(am.path_prefix.as_deref()).map(text));
    limits::duration(&mut out, "timeout", am.timeout.as_ref());
    http::enable_http2(&mut out, scope, path, am.enable_http2);
    http::tls(&mut out, scope, path, am.tls_config.as_ref().map(Tls::from));
    http::proxy(&mut out, scope, path, &am.proxy);
    let role = role(scope.cx);
    let namespace = filled(am.namespace.as_deref()).unwrap_or(scope.namespace);
    let mut sd = Map::new().with("role", role);
    sd.push("namespaces", Map::new().with("names", texts(&[namespace])));
    discovery::api_server(&mut sd, scope);
    out.push("kubernetes_sd_configs", vec![sd]);
    out.push_some("bearer_token_file", filled(am.bearer_token_file.as_deref()).map(text));
    if scope.allowed(&gates::ALERTMANAGER_BASIC_AUTH, am.basic_auth.is_some(), || path.key("basicAuth").to_route()) {
        http::basic_auth(&mut out, scope, am.basic_auth.as_ref());
    }
    http::authorization(&mut out, scope, path, am.authorization.as_ref().map(Auth::from));
    let signing = scope.gated(&gates::ALERTMANAGER_SIGV4, am.sigv4.as_ref(), || path.key("sigv4").to_route());
    sigv4(&mut out, scope, &path.key("sigv4"), signing);
    out.push_some("api_version", api_version(scope, path, am));
    out.push("relabel_configs", relabel::value(rules(am, role)));
    let alert_rules: Vec<_> = prom::users(am.alert_relabelings.as_ref()).collect();
    let alert_rules = Some(alert_rules).filter(|r| !r.is_empty());
    let at = || path.key("alertRelabelings").to_route();
    let alert_rules = scope.gated(&gates::ALERTMANAGER_ALERT_RELABEL, alert_rules, at);
    out.push_some("alert_relabel_configs", alert_rules.map(relabel::value));
    out
}

/// The discovery role of a workload's own making.
fn role(cx: &Ctx<'_>) -> &'static str {
    let slices = cx.common.service_discovery_role == Some(ServiceDiscoveryRole::EndpointSlice);
    if slices && cx.has_endpoint_slices() { "endpointslice" } else { "endpoints" }
}

fn api_version(scope: &mut Scope<'_>, path: &Path<'_>, am: &AlertmanagerEndpoints) -> Option<Value> {
    let version = filled(am.api_version.as_ref().map(|v| v.as_str())).map(str::to_lowercase);
    let at = || path.key("apiVersion").to_route();
    let version = scope.gated(&gates::ALERTMANAGER_API_VERSION, version, at)?;
    let gone = version == "v1" && scope.has(&gates::ALERTMANAGER_API_V2_ONLY);
    (!gone).then(|| text(&version))
}

fn rules(am: &AlertmanagerEndpoints, role: &'static str) -> Vec<RelabelRule> {
    let service = relabel::keep().source_labels(["__meta_kubernetes_service_name"]).regex(am.name.clone());
    let port = match &am.port {
        IntOrString::String(name) => {
            let label = match role {
                "endpointslice" => "__meta_kubernetes_endpointslice_port_name",
                _ => "__meta_kubernetes_endpoint_port_name",
            };
            relabel::keep().source_labels([label]).regex(name.clone())
        }
        IntOrString::Int(number) => {
            relabel::keep().source_labels(["__meta_kubernetes_pod_container_port_number"]).regex(number.to_string())
        }
    };
    [service, port].into_iter().chain(prom::users(am.relabelings.as_ref())).collect()
}

/// `sigv4`.
pub(crate) fn sigv4(out: &mut Map, scope: &mut Scope<'_>, path: &Path<'_>, sigv4: Option<&Sigv4>) {
    let Some(sigv4) = sigv4 else { return };
    let mut map = Map::new();
    map.push_some("region", filled(sigv4.region.as_deref()).map(text));
    if let (Some(access), Some(secret)) = (&sigv4.access_key, &sigv4.secret_key) {
        map.push("access_key", scope.secret(access));
        map.push("secret_key", scope.secret(secret));
    }
    map.push_some("profile", filled(sigv4.profile.as_deref()).map(text));
    map.push_some("role_arn", filled(sigv4.role_arn.as_deref()).map(text));
    let id = filled(sigv4.external_id.as_deref());
    let id = scope.gated(&gates::SIGV4_EXTERNAL_ID, id, || path.key("externalId").to_route());
    map.push_some("external_id", id.map(text));
    let fips = sigv4.use_fips_sts_endpoint;
    map.push_some(
        "use_fips_sts_endpoint",
        scope.gated(&gates::SIGV4_FIPS, fips, || path.key("useFIPSSTSEndpoint").to_route()),
    );
    out.push("sigv4", map);
}
