//! The kinds of service discovery: rows in `facts/discoveries.txt`, and functions for what a row cannot express.

use crate::cluster::Object;
use crate::context::WorkloadContext;
use crate::section::{
    Gated, SectionEntry, ValueFate, WriteWhen, computed, filled, lower, part, plain, secret,
    selector, to,
};
use crate::select::admit::sd::{FOR, SdCheck, SdKind, entries, supported, url};
use crate::select::admit::{Admission, Check, Refusal, Refuse, http};
use promgen_prometheus::labels::text;
use promgen_resources::api::scraping::scrape_config::ScrapeConfig;
use promgen_resources::api::scraping::scrape_config::cloud::{
    AzureAuthenticationMethod, IonosSdConfig, OpenStackSdConfig,
};
use promgen_resources::gates::{self, Versions};
use promgen_resources::http_config::{Auth, Client, ClientPart, Tls};
use promgen_text::route::Path;
use promgen_text::yaml::{Map, Value};

include!(concat!(env!("OUT_DIR"), "/discoveries.rs"));

fn openstack_client(config: &OpenStackSdConfig) -> Client<'_> {
    Client {
        tls_config: config.tls_config.as_ref().map(Tls::from),
        ..Client::default()
    }
}

fn ionos_client(config: &IonosSdConfig) -> Client<'_> {
    Client {
        authorization: Some(Auth::from(&config.authorization)),
        oauth2: config.oauth2.as_ref(),
        ..Client::from(&config.client)
    }
}

/// Filters, by name.
fn filters(value: &Value) -> Option<Value> {
    let mut filters = value
        .as_seq()
        .filter(|filters| !filters.is_empty())?
        .to_vec();
    let name = |filter: &Value| filter.text_or_empty("name").to_owned();
    filters.sort_by_cached_key(name);
    Some(filters.into())
}

/// Operator: `validateKubernetesSDConfigs`, after the client.
fn kubernetes(cx: &mut Admission<'_>, path: &Path<'_>, entry: &SectionEntry<'_>) -> Check {
    if entry.text("role") == "EndpointSlice" {
        supported(
            cx,
            &path.key("role"),
            &gates::SD_ENDPOINT_SLICE,
            "EndpointSlice role",
            FOR,
        )?;
    }
    let own = entry
        .get("namespaces")
        .and_then(|namespaces| namespaces.get("ownNamespace"));
    if entry.get("apiServer").is_some() && own == Some(&Value::Bool(true)) {
        let message = "cannot use 'apiServer' and 'namespaces.ownNamespace' simultaneously";
        return path.key("namespaces").refuse(message);
    }
    Ok(())
}

/// Checks that selectors have roles that the discovery supports.
fn selector_roles(_: &mut Admission<'_>, path: &Path<'_>, entry: &SectionEntry<'_>) -> Check {
    let role = entry.text("role");
    let all = ["Pod", "Service", role];
    let allowed = if matches!(role, "EndpointSlice" | "Endpoints") {
        &all[..]
    } else {
        &all[2..]
    };
    let selectors = entry.items("selectors");
    let is_allowed = |role: &Value| role.as_str().is_some_and(|role| allowed.contains(&role));
    let wrong = selectors
        .iter()
        .position(|selector| !selector.get("role").is_some_and(is_allowed));
    let Some(index) = wrong else { return Ok(()) };
    let message = format!(
        "{role} role supports only {} selectors",
        allowed.join(", ").to_lowercase()
    );
    let path = path.key("selectors");
    path.index(index).key("role").refuse(message)
}

fn selectors_parse(_: &mut Admission<'_>, path: &Path<'_>, entry: &SectionEntry<'_>) -> Check {
    let list = path.key("selectors");
    let selectors = entry.items("selectors");
    for (index, selector) in selectors.iter().enumerate() {
        let path = list.index(index);
        let check = |key: &'static str, parse: fn(&str) -> Result<(), String>| {
            let text = selector.get(key).and_then(Value::as_str);
            text.map_or(Ok(()), parse)
                .map_err(|message| Refusal::new(&path.key(key), message))
        };
        check("field", text::check_fields)?;
        check("label", text::check_labels)?;
    }
    Ok(())
}

fn namespaces(value: &Value) -> Option<Value> {
    let names = value
        .get("names")
        .cloned()
        .unwrap_or_else(|| Value::Seq(Vec::new()));
    let mut out = Map::new().with("names", names);
    out.push_some("own_namespace", value.get("ownNamespace").cloned());
    Some(out.into())
}

fn selectors(value: &Value) -> Option<Value> {
    let selector = |selector: &Value| {
        let mut out = Map::new();
        out.push_some("role", selector.get("role").and_then(lower));
        out.push_some("label", selector.get("label").cloned());
        out.push_some("field", selector.get("field").cloned());
        out
    };
    let selectors = value.as_seq().filter(|selectors| !selectors.is_empty())?;
    Some(selectors.iter().map(selector).collect::<Vec<_>>().into())
}

/// `attach_metadata`, for the roles that have any.
fn attach_metadata(entry: &SectionEntry<'_>, value: &Value, _: &Versions) -> ValueFate {
    let gate = match entry.text("role") {
        "Pod" => &gates::ATTACH_METADATA_POD,
        "Endpoints" | "EndpointSlice" => &gates::ATTACH_METADATA_ENDPOINTS,
        role => {
            return ValueFate::Unused(format!(
                "discovery of the role `{role}` attaches no metadata"
            ));
        }
    };
    let node = value.get("node").cloned().unwrap_or(Value::Null);
    ValueFate::Gated(gate, Map::new().with("node", node).into())
}

/// Only records of services name a port. Operator: `validateDNSSDConfigs`.
fn dns_port(_: &mut Admission<'_>, path: &Path<'_>, entry: &SectionEntry<'_>) -> Check {
    let kind = entry.text("type");
    if matches!(kind, "" | "SRV") || entry.get("port").is_some() {
        return Ok(());
    }
    path.key("port")
        .refuse(format!("port required for record type \"{kind}\""))
}

/// The credentials and the client are checked for the method OAuth only, which is the default. Operator:
/// `validateAzureSDConfigs`.
fn azure_oauth(cx: &mut Admission<'_>, path: &Path<'_>, entry: &SectionEntry<'_>) -> Check {
    let is_oauth = match entry.text("authenticationMethod") {
        "" | "OAuth" => true,
        "WorkloadIdentity" => !cx.cx.has(&gates::AZURE_SD_WORKLOAD_IDENTITY_KNOWN),
        _ => false,
    };
    if !is_oauth {
        return Ok(());
    }
    let needs = |key: &'static str| {
        path.key(key)
            .refuse(format!("configuration requires a {key}"))
    };
    if entry.text("tenantID").is_empty() {
        return needs("tenantID");
    }
    if entry.text("clientID").is_empty() {
        return needs("clientID");
    }
    let Some(secret) = entry.get("clientSecret") else {
        return needs("clientSecret");
    };
    http::secret(cx, &path.key("clientSecret"), &selector(secret))?;
    let order = [
        ClientPart::BasicAuth,
        ClientPart::OAuth2,
        ClientPart::Proxy,
        ClientPart::Tls,
        ClientPart::Authorization,
    ];
    http::client(cx, path, &entry.client, &order)
}

/// Returns whether every Secret that a job requires was read. Azure's client secret is the exception: it is checked for
/// the method OAuth only.
///
/// # Errors
/// The operator's words, with which the whole configuration fails.
pub(crate) fn check_secrets(
    cx: &WorkloadContext<'_>,
    config: &Object<ScrapeConfig>,
) -> Result<(), String> {
    let (namespace, name) = (config.namespace(), &config.value.metadata.name);
    let azure = config.value.spec.azure_sd_configs.iter().flatten();
    let unchecked = azure.filter(|a| {
        !matches!(
            a.authentication_method,
            None | Some(AzureAuthenticationMethod::OAuth)
        )
    });
    for secret in unchecked.filter_map(|azure| azure.client_secret.as_ref()) {
        cx.assets.find_secret(namespace, secret).map_err(|fault| {
            format!(
                "failed to get {} client secret scrapeConfig/{namespace}/{name}: {fault}",
                secret.name
            )
        })?;
    }
    Ok(())
}

/// Older releases of the operator write the name unchanged; Prometheus accepts it in lower case only.
fn availability(_: &SectionEntry<'_>, value: &Value, versions: &Versions) -> ValueFate {
    let name = value.as_str().unwrap_or_default();
    let lower = name.to_lowercase();
    if name == lower || versions.has(&gates::LOWER_CASE_AVAILABILITY) {
        return ValueFate::Written(lower.into());
    }
    let help = format!("write it in lower case: {lower}");
    ValueFate::Refused(value.clone(), format!("`availability: {name}`"), help)
}

fn puppetdb_url(_: &mut Admission<'_>, path: &Path<'_>, entry: &SectionEntry<'_>) -> Check {
    let path = path.key("url");
    let url = url(&path, entry.text("url"))?;
    if !matches!(url.scheme.as_str(), "http" | "https") {
        return path.refuse("URL scheme must be 'http' or 'https'");
    }
    if url.host.is_empty() {
        return path.refuse("host is missing in URL");
    }
    Ok(())
}

/// Prometheus' name for a kind of server.
fn ovh_service(value: &Value) -> Option<Value> {
    Some(if value.as_str() == Some("DedicatedServer") {
        "dedicated_server".into()
    } else {
        lower(value)?
    })
}
