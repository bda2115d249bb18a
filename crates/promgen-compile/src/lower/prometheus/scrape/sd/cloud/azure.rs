//! `azure_sd_configs`.

use crate::lower::Scope;
use crate::lower::prometheus::http::text;
use crate::lower::prometheus::scrape::sd::{CREDENTIALS, parts, push_text, refresh_interval};
use promgen_resources::api::scraping::scrape_config::cloud::AzureSdConfig;
use promgen_resources::http_config::Client;
use promgen_text::route::Path;
use promgen_text::yaml::Map;

/// Virtual machines of Azure. The operator never writes `tls_config`, `follow_redirects` and `enable_http2`, and an
/// environment makes it forget how the API is talked to.
pub(crate) fn item(scope: &mut Scope<'_>, path: &Path<'_>, config: &AzureSdConfig) -> Map {
    let (client, mut out) = (Client::from(&config.client), Map::new());
    unused(scope, path, &client);
    match &config.environment {
        Some(environment) => {
            out.push("environment", text(environment));
            forgotten(scope, path, &client);
        }
        None => parts(&mut out, scope, path, &client, CREDENTIALS),
    }
    out.push_some("authentication_method", config.authentication_method.map(|m| m.as_str()));
    if !config.subscription_id.is_empty() {
        out.push("subscription_id", text(&config.subscription_id));
    }
    push_text(&mut out, "tenant_id", config.tenant_id.as_ref());
    push_text(&mut out, "client_id", config.client_id.as_ref());
    out.push_some("client_secret", config.client_secret.as_ref().map(|s| scope.secret(s)));
    push_text(&mut out, "resource_group", config.resource_group.as_ref());
    refresh_interval(&mut out, config.refresh_interval.as_ref());
    out.push_some("port", config.port);
    out
}

fn unused(scope: &mut Scope<'_>, path: &Path<'_>, client: &Client<'_>) {
    let fields = [
        ("tlsConfig", client.tls.is_some()),
        ("followRedirects", client.follow_redirects.is_some()),
        ("enableHTTP2", client.enable_http2.is_some()),
    ];
    for (key, _) in fields.into_iter().filter(|(_, set)| *set) {
        scope.unused(path.key(key).to_route(), "the operator does not write it for Azure");
    }
}

fn forgotten(scope: &mut Scope<'_>, path: &Path<'_>, client: &Client<'_>) {
    let proxy = client.proxy.is_some_and(|proxy| proxy.proxy_url.is_some());
    let fields = [
        ("basicAuth", client.basic_auth.is_some()),
        ("authorization", client.authorization.is_some()),
        ("oauth2", client.oauth2.is_some()),
        ("proxyUrl", proxy),
    ];
    for (key, _) in fields.into_iter().filter(|(_, set)| *set) {
        scope.unused(path.key(key).to_route(), "the operator leaves it out where `environment` is set");
    }
}
