//! `hetzner_sd_configs`.

use crate::api::scrape_config::cloud::HetznerSdConfig;
use crate::client::{Client, Part, filled};
use crate::lower::Scope;
use crate::lower::http::text;
use crate::lower::scrape::sd::{CREDENTIALS, enable_http2, follow_redirects, parts, refresh_interval};
use crate::route::Path;
use crate::yaml::Map;

/// Servers of Hetzner.
pub(super) fn item(scope: &mut Scope<'_>, path: &Path<'_>, config: &HetznerSdConfig) -> Map {
    let (client, mut out) = (Client::from(&config.client), Map::new());
    parts(&mut out, scope, path, &client, CREDENTIALS);
    out.push("role", config.role.as_str().to_lowercase());
    follow_redirects(&mut out, &client);
    enable_http2(&mut out, &client);
    parts(&mut out, scope, path, &client, &[Part::Tls]);
    out.push_some("port", config.port);
    refresh_interval(&mut out, config.refresh_interval.as_ref());
    out.push_some("label_selector", filled(config.label_selector.as_deref()).map(text));
    out
}
