//! `puppetdb_sd_configs`.

use crate::lower::Scope;
use crate::lower::prometheus::http::text;
use crate::lower::prometheus::scrape::sd::{CREDENTIALS, enable_http2, follow_redirects, parts, refresh_interval};
use promgen_resources::api::scraping::scrape_config::platform::PuppetDbSdConfig;
use promgen_resources::http_config::{Client, Part};
use promgen_text::route::Path;
use promgen_text::yaml::Map;

/// Resources in PuppetDB.
pub(super) fn item(scope: &mut Scope<'_>, path: &Path<'_>, config: &PuppetDbSdConfig) -> Map {
    let (client, mut out) = (Client::from(&config.client), Map::new());
    parts(&mut out, scope, path, &client, CREDENTIALS);
    out.push("url", text(&config.url));
    out.push("query", text(&config.query));
    out.push_some("include_parameters", config.include_parameters);
    out.push_some("port", config.port);
    refresh_interval(&mut out, config.refresh_interval.as_ref());
    follow_redirects(&mut out, &client);
    parts(&mut out, scope, path, &client, &[Part::Tls]);
    enable_http2(&mut out, &client);
    out
}
