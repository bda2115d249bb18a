//! The `alerting` section.

use crate::lower::Scope;
use crate::lower::prometheus::additional::{self, Additional};
use crate::lower::prometheus::global::replica_label;
use crate::lower::prometheus::http::{self, text, texts};
use crate::lower::prometheus::scrape::{discovery, relabel};
use crate::lower::prometheus::sections::{ALERTMANAGER_CLIENT, ALERTMANAGER_REQUEST};
use crate::lower::prometheus::write;
use crate::paths::SPEC;
use crate::section::{SectionEntry, ValueFate};
use crate::select::admit::Refusal;
use promgen_prometheus::config::{self, RelabelRule};
use promgen_resources::api::scalar::IntOrString;
use promgen_resources::api::servers::alerting::AlertmanagerEndpoints;
use promgen_resources::gates::{self, Versions};
use promgen_resources::http_config::Client;
use promgen_text::go::regex::quote_meta;
use promgen_text::route::Path;
use promgen_text::yaml::{Map, Value};

/// The section `alerting`, if the server sends alerts anywhere.
///
/// # Errors
/// Additional configuration that is no list of maps.
pub fn alerting(scope: &mut Scope<'_>, additional: &Additional) -> Result<Option<Map>, Refusal> {
    let Some(server) = scope.cx.server else {
        return Ok(None);
    };
    let (own_alertmanagers, own_rules) =
        (&additional.alertmanagers, &additional.alert_relabel_configs);
    if server.alerting.is_none() && own_alertmanagers.is_none() && own_rules.is_none() {
        return Ok(None);
    }
    let section = SPEC.key("alerting");
    let list = section.key("alertmanagers");
    let services = server
        .alerting
        .iter()
        .flat_map(|a| &a.alertmanagers)
        .enumerate();
    let mut alertmanagers: Vec<Map> = services
        .map(|(i, am)| alertmanager(scope, &list.index(i), am))
        .collect();
    alertmanagers.extend(additional::alertmanagers(own_alertmanagers.as_ref())?);
    let mut rules = Vec::new();
    let replica = replica_label(scope.cx);
    if !replica.is_empty() {
        // Alertmanager takes the alerts of two replicas for one only if they lack the label that tells replicas apart.
        rules.push(Value::from(
            RelabelRule::new()
                .action("labeldrop")
                .regex(quote_meta(replica)),
        ));
    }
    let own_rules = additional::alert_relabel_configs(own_rules.as_ref())?;
    rules.extend(own_rules.into_iter().map(Value::Map));
    Ok(Some(
        Map::new()
            .with("alert_relabel_configs", Value::Seq(rules))
            .with("alertmanagers", alertmanagers),
    ))
}

/// One Alertmanager service, discovered in the cluster.
fn alertmanager(scope: &mut Scope<'_>, path: &Path<'_>, am: &AlertmanagerEndpoints) -> Map {
    let role = relabel::service_role(scope.cx, scope.cx.common.service_discovery_role);
    let mut entry = SectionEntry::new(am, Client::from(am));
    entry.set("relabelings", relabel::value(rules(am, role)));
    entry.set(
        "alertRelabelings",
        relabel::value(config::users(am.alert_relabelings.as_ref()).collect()),
    );
    let mut out = Map::new();
    address(&mut out, scope, am);
    out.extend(write::section(scope, path, &entry, ALERTMANAGER_CLIENT));
    let namespace = http::filled(am.namespace.as_deref()).unwrap_or(scope.namespace);
    let mut sd = Map::new().with("role", role);
    sd.push("namespaces", Map::new().with("names", texts(&[namespace])));
    discovery::api_server(&mut sd, scope);
    out.push("kubernetes_sd_configs", vec![sd]);
    out.extend(write::section(scope, path, &entry, ALERTMANAGER_REQUEST));
    out
}

/// `scheme` and `path_prefix`.
fn address(out: &mut Map, scope: &Scope<'_>, am: &AlertmanagerEndpoints) {
    let prefix = http::filled(am.path_prefix.as_deref());
    let given = am.scheme.as_ref().map(|s| s.as_str());
    if scope.has(&gates::ALERTMANAGER_DEFAULTS_LEFT_OUT) {
        http::scheme(out, scope, given);
        out.push_some("path_prefix", prefix.map(text));
    } else {
        // Older operators write the defaults, and the prefix before the scheme.
        out.push("path_prefix", text(prefix.unwrap_or("/")));
        http::scheme(out, scope, http::filled(given).or(Some("http")));
    }
}

pub(super) fn api_version(_: &SectionEntry<'_>, version: &Value, versions: &Versions) -> ValueFate {
    match version.as_str().unwrap_or_default().to_lowercase() {
        version if version.is_empty() => ValueFate::LeftOut,
        version if version == "v1" && versions.has(&gates::ALERTMANAGER_API_V2_ONLY) => {
            ValueFate::Unused(
                "Prometheus talks to version 2 of the API only, since 3.0.0".to_owned(),
            )
        }
        version => ValueFate::Written(version.into()),
    }
}

fn rules(am: &AlertmanagerEndpoints, role: &'static str) -> Vec<RelabelRule> {
    let service = relabel::keep()
        .source_labels(["__meta_kubernetes_service_name"])
        .regex(am.name.clone());
    let port = match &am.port {
        IntOrString::String(name) => {
            let label = relabel::port_name_label(role);
            relabel::keep().source_labels([label]).regex(name.clone())
        }
        IntOrString::Int(number) => {
            // A text here, where jobs of monitors have an integer.
            relabel::keep()
                .source_labels(["__meta_kubernetes_pod_container_port_number"])
                .regex(number.to_string())
        }
    };
    [service, port]
        .into_iter()
        .chain(config::users(am.relabelings.as_ref()))
        .collect()
}
