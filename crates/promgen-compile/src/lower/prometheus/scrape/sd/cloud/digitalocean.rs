//! `digitalocean_sd_configs`.

use crate::lower::Scope;
use crate::lower::prometheus::scrape::sd::{CREDENTIALS, enable_http2, follow_redirects, parts, refresh_interval};
use promgen_resources::api::scraping::scrape_config::cloud::DigitalOceanSdConfig;
use promgen_resources::http_config::{Client, Part};
use promgen_text::route::Path;
use promgen_text::yaml::Map;

/// Droplets of DigitalOcean.
pub(crate) fn item(scope: &mut Scope<'_>, path: &Path<'_>, config: &DigitalOceanSdConfig) -> Map {
    let (client, mut out) = (Client::from(&config.client), Map::new());
    parts(&mut out, scope, path, &client, CREDENTIALS);
    follow_redirects(&mut out, &client);
    enable_http2(&mut out, &client);
    parts(&mut out, scope, path, &client, &[Part::Tls]);
    out.push_some("port", config.port);
    refresh_interval(&mut out, config.refresh_interval.as_ref());
    out
}
