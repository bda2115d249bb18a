//! `scaleway_sd_configs`.

use crate::lower::Scope;
use crate::lower::prometheus::http::text;
use crate::lower::prometheus::scrape::sd::{
    enable_http2, follow_redirects, parts, push_text, push_texts, refresh_interval,
};
use promgen_resources::api::scraping::scrape_config::cloud::ScalewaySdConfig;
use promgen_resources::http_config::{Client, Part};
use promgen_text::route::Path;
use promgen_text::yaml::Map;

/// Servers of Scaleway.
pub(crate) fn item(scope: &mut Scope<'_>, path: &Path<'_>, config: &ScalewaySdConfig) -> Map {
    let client = Client::from(&config.client);
    let mut out = Map::new().with("access_key", text(&config.access_key));
    out.push("secret_key", scope.secret(&config.secret_key));
    out.push("project_id", text(&config.project_id));
    out.push("role", config.role.as_str().to_lowercase());
    out.push_some("port", config.port);
    push_text(&mut out, "api_url", config.api_url.as_ref());
    push_text(&mut out, "zone", config.zone.as_ref());
    push_text(&mut out, "name_filter", config.name_filter.as_ref());
    push_texts(&mut out, "tags_filter", config.tags_filter.as_ref());
    refresh_interval(&mut out, config.refresh_interval.as_ref());
    parts(&mut out, scope, path, &client, &[Part::Proxy, Part::Tls]);
    follow_redirects(&mut out, &client);
    enable_http2(&mut out, &client);
    out
}
