//! `kubernetes_sd_configs` of ScrapeConfigs.

use crate::lower::Scope;
use crate::lower::prometheus::http::texts;
use crate::lower::prometheus::scrape::sd::{CREDENTIALS, enable_http2, follow_redirects, parts, push_text};
use promgen_resources::api::scraping::scrape::AttachMetadata;
use promgen_resources::api::scraping::scrape_config::platform::{
    K8sSelectorConfig, KubernetesRole, KubernetesSdConfig, NamespaceDiscovery,
};
use promgen_resources::gates::{self, Gate};
use promgen_resources::http_config::{Client, Part};
use promgen_text::route::Path;
use promgen_text::yaml::{Map, Value};

/// Objects of Kubernetes.
pub(super) fn item(scope: &mut Scope<'_>, path: &Path<'_>, config: &KubernetesSdConfig) -> Map {
    let (client, mut out) = (Client::from(&config.client), Map::new());
    push_text(&mut out, "api_server", config.api_server.as_ref());
    out.push("role", role(config.role));
    parts(&mut out, scope, path, &client, CREDENTIALS);
    follow_redirects(&mut out, &client);
    enable_http2(&mut out, &client);
    parts(&mut out, scope, path, &client, &[Part::Tls]);
    out.push_some("namespaces", config.namespaces.as_ref().map(namespaces));
    let selectors = config.selectors.as_ref().filter(|s| !s.is_empty());
    let selectors = scope.gated(&gates::SD_SELECTORS, selectors, || path.key("selectors").to_route());
    out.push_some("selectors", selectors.map(|s| s.iter().map(selector).collect::<Vec<_>>()));
    if let Some(attach) = &config.attach_metadata {
        attach_metadata(&mut out, scope, path, config.role, attach);
    }
    out
}

fn role(role: KubernetesRole) -> String {
    role.as_str().to_lowercase()
}

fn namespaces(namespaces: &NamespaceDiscovery) -> Map {
    let mut out = Map::new().with("names", texts(namespaces.names.as_deref().unwrap_or_default()));
    out.push_some("own_namespace", namespaces.own_namespace);
    out
}

fn selector(selector: &K8sSelectorConfig) -> Map {
    let mut out = Map::new().with("role", role(selector.role));
    push_text(&mut out, "label", selector.label.as_ref());
    push_text(&mut out, "field", selector.field.as_ref());
    out
}

/// `attach_metadata`, for the roles that have any.
fn attach_metadata(
    out: &mut Map,
    scope: &mut Scope<'_>,
    path: &Path<'_>,
    role: KubernetesRole,
    attach: &AttachMetadata,
) {
    let at = || path.key("attachMetadata").to_route();
    let Some(gate) = gate(role) else {
        let why = format!("discovery of the role `{}` attaches no metadata", role.as_str());
        return scope.unused(at(), &why);
    };
    let node = attach.node.map_or(Value::Null, Value::from);
    let attach = scope.gated(gate, Some(Map::new().with("node", node)), at);
    out.push_some("attach_metadata", attach);
}

const fn gate(role: KubernetesRole) -> Option<&'static Gate> {
    match role {
        KubernetesRole::Pod => Some(&gates::ATTACH_METADATA_POD),
        KubernetesRole::Endpoints | KubernetesRole::EndpointSlice => Some(&gates::ATTACH_METADATA_ENDPOINTS),
        KubernetesRole::Ingress | KubernetesRole::Service | KubernetesRole::Node => None,
    }
}
