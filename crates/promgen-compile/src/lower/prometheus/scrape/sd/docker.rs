//! `docker_sd_configs`.

use crate::lower::Scope;
use crate::lower::prometheus::http::text;
use crate::lower::prometheus::scrape::sd::{
    enable_http2, filters, follow_redirects, parts, push_text, refresh_interval,
};
use promgen_resources::api::scraping::scrape_config::platform::DockerSdConfig;
use promgen_resources::http_config::{Client, Part};
use promgen_text::route::Path;
use promgen_text::yaml::Map;

/// Containers of a Docker daemon.
pub(super) fn item(scope: &mut Scope<'_>, path: &Path<'_>, config: &DockerSdConfig) -> Map {
    let (client, mut out) = (Client::from(&config.client), Map::new());
    let order = [Part::Authorization, Part::OAuth2, Part::Proxy, Part::BasicAuth];
    parts(&mut out, scope, path, &client, &order);
    out.push_some("filters", filters(config.filters.as_ref()));
    out.push("host", text(&config.host));
    parts(&mut out, scope, path, &client, &[Part::Tls]);
    out.push_some("port", config.port);
    push_text(&mut out, "host_networking_host", config.host_networking_host.as_ref());
    out.push_some("match_first_network", config.match_first_network);
    refresh_interval(&mut out, config.refresh_interval.as_ref());
    follow_redirects(&mut out, &client);
    enable_http2(&mut out, &client);
    out
}
