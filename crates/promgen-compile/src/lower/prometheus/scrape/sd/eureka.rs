//! `eureka_sd_configs`.

use crate::lower::Scope;
use crate::lower::prometheus::http::text;
use crate::lower::prometheus::scrape::sd::{CREDENTIALS, enable_http2, follow_redirects, parts, refresh_interval};
use promgen_resources::api::scraping::scrape_config::platform::EurekaSdConfig;
use promgen_resources::http_config::{Client, Part};
use promgen_text::route::Path;
use promgen_text::yaml::Map;

/// Instances in Eureka.
pub(super) fn item(scope: &mut Scope<'_>, path: &Path<'_>, config: &EurekaSdConfig) -> Map {
    let (client, mut out) = (Client::from(&config.client), Map::new());
    parts(&mut out, scope, path, &client, CREDENTIALS);
    follow_redirects(&mut out, &client);
    enable_http2(&mut out, &client);
    parts(&mut out, scope, path, &client, &[Part::Tls]);
    refresh_interval(&mut out, config.refresh_interval.as_ref());
    out.push("server", text(&config.server));
    out
}
