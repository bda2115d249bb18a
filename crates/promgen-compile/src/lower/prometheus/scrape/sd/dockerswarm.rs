//! `dockerswarm_sd_configs`.

use crate::lower::Scope;
use crate::lower::prometheus::http::text;
use crate::lower::prometheus::scrape::sd::{
    CREDENTIALS, enable_http2, filters, follow_redirects, parts, refresh_interval,
};
use promgen_resources::api::scraping::scrape_config::platform::DockerSwarmSdConfig;
use promgen_resources::http_config::{Client, Part};
use promgen_text::route::Path;
use promgen_text::yaml::Map;

/// Objects of a Docker swarm.
pub(super) fn item(scope: &mut Scope<'_>, path: &Path<'_>, config: &DockerSwarmSdConfig) -> Map {
    let (client, mut out) = (Client::from(&config.client), Map::new());
    parts(&mut out, scope, path, &client, CREDENTIALS);
    out.push_some("filters", filters(config.filters.as_ref()));
    out.push("host", text(&config.host));
    parts(&mut out, scope, path, &client, &[Part::Tls]);
    out.push("role", config.role.as_str().to_lowercase());
    out.push_some("port", config.port);
    refresh_interval(&mut out, config.refresh_interval.as_ref());
    follow_redirects(&mut out, &client);
    enable_http2(&mut out, &client);
    out
}
