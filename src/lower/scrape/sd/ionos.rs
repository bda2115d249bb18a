//! `ionos_sd_configs`.

use crate::api::scrape_config::cloud::IonosSdConfig;
use crate::client::{Client, Part};
use crate::lower::Scope;
use crate::lower::http::text;
use crate::lower::scrape::sd::{enable_http2, follow_redirects, parts, refresh_interval};
use crate::route::Path;
use crate::yaml::Map;

/// Servers of IONOS. The authorization, which has to be set, gives way to OAuth2.
pub(super) fn item(scope: &mut Scope<'_>, path: &Path<'_>, config: &IonosSdConfig) -> Map {
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
