//! `digitalocean_sd_configs`.

use crate::api::scrape_config::cloud::DigitalOceanSdConfig;
use crate::client::{Client, Part};
use crate::lower::Scope;
use crate::lower::scrape::sd::{CREDENTIALS, enable_http2, follow_redirects, parts, refresh_interval};
use crate::route::Path;
use crate::yaml::Map;

/// Droplets of DigitalOcean.
pub(super) fn item(scope: &mut Scope<'_>, path: &Path<'_>, config: &DigitalOceanSdConfig) -> Map {
    let (client, mut out) = (Client::from(&config.client), Map::new());
    parts(&mut out, scope, path, &client, CREDENTIALS);
    follow_redirects(&mut out, &client);
    enable_http2(&mut out, &client);
    parts(&mut out, scope, path, &client, &[Part::Tls]);
    out.push_some("port", config.port);
    refresh_interval(&mut out, config.refresh_interval.as_ref());
    out
}
