//! `ionos_sd_configs`.

use crate::lower::Scope;
use crate::lower::prometheus::http::text;
use crate::lower::prometheus::scrape::sd::{enable_http2, follow_redirects, parts, refresh_interval};
use promgen_resources::api::scraping::scrape_config::cloud::IonosSdConfig;
use promgen_resources::http_config::{Client, Part};
use promgen_text::route::Path;
use promgen_text::yaml::Map;

/// Servers of IONOS. The authorization, which has to be set, gives way to OAuth2.
pub(crate) fn item(scope: &mut Scope<'_>, path: &Path<'_>, config: &IonosSdConfig) -> Map {
    let oauth2 = config.oauth2.as_ref();
    let authorization = Some(&config.authorization).filter(|_| oauth2.is_none());
    let (client, mut out) = (Client { authorization, oauth2, ..Client::from(&config.client) }, Map::new());
    parts(&mut out, scope, path, &client, &[Part::Authorization, Part::OAuth2, Part::Proxy, Part::Tls]);
    out.push("datacenter_id", text(&config.datacenter_id));
    follow_redirects(&mut out, &client);
    enable_http2(&mut out, &client);
    out.push_some("port", config.port);
    refresh_interval(&mut out, config.refresh_interval.as_ref());
    out
}
