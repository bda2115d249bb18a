//! `ec2_sd_configs`.

use crate::lower::Scope;
use crate::lower::prometheus::scrape::sd::{filters, parts, push_text, refresh_interval};
use promgen_resources::api::scraping::scrape_config::cloud::Ec2SdConfig;
use promgen_resources::gates;
use promgen_resources::http_config::{Client, Part};
use promgen_text::route::Path;
use promgen_text::yaml::Map;

/// Instances of AWS EC2.
pub(crate) fn item(scope: &mut Scope<'_>, path: &Path<'_>, config: &Ec2SdConfig) -> Map {
    let (client, mut out) = (Client::from(&config.client), Map::new());
    let at = |key: &'static str| path.key(key).to_route();
    parts(&mut out, scope, path, &client, &[Part::Proxy]);
    push_text(&mut out, "region", config.region.as_ref());
    if let Some((access, secret)) = config.access_key.as_ref().zip(config.secret_key.as_ref()) {
        out.push("access_key", scope.secret(access));
        out.push("secret_key", scope.secret(secret));
    }
    push_text(&mut out, "role_arn", config.role_arn.as_ref());
    refresh_interval(&mut out, config.refresh_interval.as_ref());
    out.push_some("port", config.port);
    let filters = filters(config.filters.as_ref());
    out.push_some("filters", scope.gated(&gates::EC2_FILTERS, filters, || at("filters")));
    let gate = &gates::EC2_HTTP_CLIENT;
    let follow = scope.gated(gate, client.follow_redirects, || at("followRedirects"));
    out.push_some("follow_redirects", follow);
    out.push_some("enable_http2", scope.gated(gate, client.enable_http2, || at("enableHTTP2")));
    if scope.allowed(gate, client.tls.is_some(), || at("tlsConfig")) {
        parts(&mut out, scope, path, &client, &[Part::Tls]);
    }
    out
}
