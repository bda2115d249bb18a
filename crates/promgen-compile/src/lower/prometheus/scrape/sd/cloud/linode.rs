//! `linode_sd_configs`.

use crate::lower::Scope;
use crate::lower::prometheus::scrape::sd::{
    CREDENTIALS, enable_http2, follow_redirects, parts, push_text, refresh_interval,
};
use promgen_resources::api::scraping::scrape_config::cloud::LinodeSdConfig;
use promgen_resources::http_config::{Client, Part};
use promgen_text::route::Path;
use promgen_text::yaml::Map;

/// Instances of Linode.
pub(crate) fn item(scope: &mut Scope<'_>, path: &Path<'_>, config: &LinodeSdConfig) -> Map {
    let (client, mut out) = (Client::from(&config.client), Map::new());
    parts(&mut out, scope, path, &client, CREDENTIALS);
    parts(&mut out, scope, path, &client, &[Part::Tls]);
    out.push_some("port", config.port);
    push_text(&mut out, "region", config.region.as_ref());
    enable_http2(&mut out, &client);
    push_text(&mut out, "tag_separator", config.tag_separator.as_ref());
    refresh_interval(&mut out, config.refresh_interval.as_ref());
    follow_redirects(&mut out, &client);
    out
}
