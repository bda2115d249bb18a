//! `kubernetes_sd_configs` of monitors.

use crate::lower::prometheus::http::{self, Client, ClientPart, filled, text, texts};
use crate::lower::prometheus::scrape::class::Attach;
use crate::lower::{Scope, WorkloadContext};
use crate::paths::SPEC;
use promgen_prometheus::labels::Selector;
use promgen_resources::api::meta::LabelSelector;
use promgen_resources::api::scraping::scrape::NamespaceSelector;
use promgen_resources::gates::Gate;
use promgen_text::route::ValueRoute;
use promgen_text::yaml::{Map, Value};

/// The discovery of a monitor.
#[derive(Clone, Copy, Debug)]
pub struct MonitorDiscovery<'a> {
    /// The role of the discovery.
    pub role: &'static str,
    /// The metadata that the monitor attaches.
    pub attach: Option<Attach<'a>>,
    /// Since when it can be attached to that role. `None` for a role that has none.
    pub(crate) attach_gate: Option<&'static Gate>,
    /// The namespace selector of the monitor.
    pub namespaces: Option<&'a NamespaceSelector>,
    /// The roles whose objects the server selects by label, and the selector, where the monitor requests it.
    pub selector: Option<(&'a [&'static str], &'a LabelSelector)>,
}

/// The namespaces of a discovery of the workload's own settings: none, all, or a list.
pub fn namespaces(
    cx: &WorkloadContext<'_>,
    own: &str,
    selector: Option<&NamespaceSelector>,
) -> Option<Vec<String>> {
    let own = || Some(vec![own.to_owned()]);
    let Some(selector) =
        selector.filter(|_| !cx.common.ignore_namespace_selectors.unwrap_or(false))
    else {
        return own();
    };
    if selector.any.unwrap_or(false) {
        return None;
    }
    // An empty list selects the monitor's own namespace, as no selector does.
    selector
        .match_names
        .clone()
        .filter(|names| !names.is_empty())
        .map_or_else(own, Some)
}

/// `kubernetes_sd_configs` with its one entry.
pub fn kubernetes(out: &mut Map, scope: &mut Scope<'_>, discovery: &MonitorDiscovery<'_>) {
    let mut entry = Map::new().with("role", discovery.role);
    if let Some(names) = namespaces(scope.cx, scope.namespace, discovery.namespaces) {
        entry.push("namespaces", Map::new().with("names", texts(&names)));
    }
    api_server(&mut entry, scope);
    attach_metadata(&mut entry, scope, discovery);
    let own_node = || {
        Map::new()
            .with("role", "pod")
            .with("field", "spec.nodeName=$(NODE_NAME)")
            .into()
    };
    // Operator: a monitor that selects by role gets two selectors of one role.
    let mut all: Vec<Value> = scope
        .cx
        .is_daemon_set()
        .then(own_node)
        .into_iter()
        .collect();
    if let Some((roles, selector)) = discovery.selector {
        all.extend(selectors(roles, selector));
    }
    if !all.is_empty() {
        entry.push("selectors", all);
    }
    out.push("kubernetes_sd_configs", vec![entry]);
}

/// The API server, where it is not the pod's own. Its Secrets are read in the scope's namespace.
pub fn api_server(out: &mut Map, scope: &mut Scope<'_>) {
    let Some(server) = &scope.cx.common.apiserver_config else {
        return;
    };
    let (path, scope) = (SPEC.key("apiserverConfig"), &mut scope.of_workload());
    out.push("api_server", text(&server.host));
    http::basic_auth(out, scope, server.basic_auth.as_ref());
    out.push_some(
        "bearer_token",
        filled(server.bearer_token.as_deref()).map(text),
    );
    out.push_some(
        "bearer_token_file",
        filled(server.bearer_token_file.as_deref()).map(text),
    );
    http::client(
        out,
        scope,
        &path,
        &Client::from(server),
        &[
            ClientPart::Authorization,
            ClientPart::Tls,
            ClientPart::Proxy,
        ],
    );
}

/// `attach_metadata`. On clusters whose pods lack the zone label, sharding by topology needs the node's.
fn attach_metadata(out: &mut Map, scope: &mut Scope<'_>, discovery: &MonitorDiscovery<'_>) {
    let Some(gate) = discovery.attach_gate else {
        return;
    };
    let needed = scope.cx.needs_node_metadata();
    // The operator writes an empty `attachMetadata` as `node: false`.
    let node = discovery
        .attach
        .map(|attach| attach.settings.node.unwrap_or(false));
    let node = if needed { Some(true) } else { node };
    let spec = || ValueRoute::root().key("spec");
    let node = match discovery.attach {
        Some(Attach { class: None, .. }) => {
            scope.gated(gate, node, || spec().key("attachMetadata"))
        }
        Some(Attach {
            class: Some(index), ..
        }) => scope.of_workload().gated(gate, node, || {
            spec()
                .key("scrapeClasses")
                .index(index)
                .key("attachMetadata")
        }),
        // Nobody asked for metadata: sharding by topology needs it.
        None => scope
            .of_workload()
            .gated(gate, node, || spec().key("shardingStrategy")),
    };
    if let Some(node) = node {
        out.push("attach_metadata", Map::new().with("node", node));
    }
}

fn selectors(roles: &[&'static str], selector: &LabelSelector) -> Vec<Value> {
    // One that does not parse was refused at selection.
    let label = Selector::new(selector)
        .map(|s| s.to_string())
        .unwrap_or_default();
    let entry = |role: &&'static str| {
        Map::new()
            .with("role", *role)
            .with("label", text(&label))
            .into()
    };
    roles.iter().map(entry).collect()
}
