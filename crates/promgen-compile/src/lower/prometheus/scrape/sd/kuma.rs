//! `kuma_sd_configs`.

use crate::lower::Scope;
use crate::lower::prometheus::http::text;
use crate::lower::prometheus::scrape::sd::{
    CREDENTIALS, enable_http2, follow_redirects, parts, push_text, refresh_interval,
};
use promgen_resources::api::scraping::scrape_config::platform::KumaSdConfig;
use promgen_resources::http_config::{Client, Part};
use promgen_text::route::Path;
use promgen_text::yaml::Map;

/// Data planes of Kuma.
pub(super) fn item(scope: &mut Scope<'_>, path: &Path<'_>, config: &KumaSdConfig) -> Map {
    let (client, mut out) = (Client::from(&config.client), Map::new());
    parts(&mut out, scope, path, &client, CREDENTIALS);
    out.push("server", text(&config.server));
    follow_redirects(&mut out, &client);
    enable_http2(&mut out, &client);
    parts(&mut out, scope, path, &client, &[Part::Tls]);
    refresh_interval(&mut out, config.refresh_interval.as_ref());
    out.push_some("fetch_timeout", config.fetch_timeout.as_ref().map(|t| text(t.as_str())));
    push_text(&mut out, "client_id", config.client_id.as_ref());
    out
}
