//! `nomad_sd_configs`.

use crate::lower::Scope;
use crate::lower::prometheus::http::text;
use crate::lower::prometheus::scrape::sd::{
    CREDENTIALS, enable_http2, follow_redirects, parts, push_text, refresh_interval,
};
use promgen_resources::api::scraping::scrape_config::platform::NomadSdConfig;
use promgen_resources::http_config::{Client, Part};
use promgen_text::route::Path;
use promgen_text::yaml::Map;

/// Services in Nomad.
pub(super) fn item(scope: &mut Scope<'_>, path: &Path<'_>, config: &NomadSdConfig) -> Map {
    let (client, mut out) = (Client::from(&config.client), Map::new());
    parts(&mut out, scope, path, &client, CREDENTIALS);
    out.push("server", text(&config.server));
    out.push_some("allow_stale", config.allow_stale);
    push_text(&mut out, "namespace", config.namespace.as_ref());
    refresh_interval(&mut out, config.refresh_interval.as_ref());
    push_text(&mut out, "region", config.region.as_ref());
    push_text(&mut out, "tag_separator", config.tag_separator.as_ref());
    follow_redirects(&mut out, &client);
    enable_http2(&mut out, &client);
    parts(&mut out, scope, path, &client, &[Part::Tls]);
    out
}
