//! `lightsail_sd_configs`.

use crate::lower::Scope;
use crate::lower::prometheus::scrape::sd::{enable_http2, follow_redirects, parts, push_text, refresh_interval};
use promgen_resources::api::scraping::scrape_config::cloud::LightSailSdConfig;
use promgen_resources::http_config::{Client, Part};
use promgen_text::route::Path;
use promgen_text::yaml::Map;

/// Instances of AWS Lightsail.
pub(crate) fn item(scope: &mut Scope<'_>, path: &Path<'_>, config: &LightSailSdConfig) -> Map {
    let (client, mut out) = (Client::from(&config.client), Map::new());
    let order = [Part::BasicAuth, Part::Authorization, Part::Proxy, Part::OAuth2];
    parts(&mut out, scope, path, &client, &order);
    push_text(&mut out, "region", config.region.as_ref());
    push_text(&mut out, "endpoint", config.endpoint.as_ref());
    out.push_some("port", config.port);
    refresh_interval(&mut out, config.refresh_interval.as_ref());
    if let Some((access, secret)) = config.access_key.as_ref().zip(config.secret_key.as_ref()) {
        out.push("access_key", scope.secret(access));
        out.push("secret_key", scope.secret(secret));
    }
    push_text(&mut out, "role_arn", config.role_arn.as_ref());
    parts(&mut out, scope, path, &client, &[Part::Tls]);
    follow_redirects(&mut out, &client);
    enable_http2(&mut out, &client);
    out
}
