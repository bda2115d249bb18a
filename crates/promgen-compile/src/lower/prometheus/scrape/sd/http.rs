//! `http_sd_configs`.

use crate::lower::Scope;
use crate::lower::prometheus::http::text;
use crate::lower::prometheus::scrape::sd::{enable_http2, follow_redirects, parts, refresh_interval};
use promgen_resources::api::scraping::scrape_config::plain::HttpSdConfig;
use promgen_resources::http_config::{Client, Part};
use promgen_text::route::Path;
use promgen_text::yaml::Map;

/// A URL that lists targets.
pub(super) fn item(scope: &mut Scope<'_>, path: &Path<'_>, config: &HttpSdConfig) -> Map {
    let (client, mut out) = (Client::from(&config.client), Map::new());
    let order = [Part::BasicAuth, Part::Authorization, Part::Tls, Part::Proxy, Part::OAuth2];
    parts(&mut out, scope, path, &client, &order);
    out.push("url", text(&config.url));
    refresh_interval(&mut out, config.refresh_interval.as_ref());
    follow_redirects(&mut out, &client);
    enable_http2(&mut out, &client);
    out
}
