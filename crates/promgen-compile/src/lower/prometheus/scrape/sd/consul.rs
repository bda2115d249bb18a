//! `consul_sd_configs`.

use crate::lower::Scope;
use crate::lower::prometheus::http::{sorted, text};
use crate::lower::prometheus::scrape::sd::{
    CREDENTIALS, enable_http2, follow_redirects, parts, push_text, push_texts, refresh_interval,
};
use promgen_resources::api::scraping::scrape_config::platform::ConsulSdConfig;
use promgen_resources::http_config::{Client, Part};
use promgen_text::route::Path;
use promgen_text::yaml::Map;

/// Services in Consul.
pub(super) fn item(scope: &mut Scope<'_>, path: &Path<'_>, config: &ConsulSdConfig) -> Map {
    let (client, mut out) = (Client::from(&config.client), Map::new());
    parts(&mut out, scope, path, &client, CREDENTIALS);
    parts(&mut out, scope, path, &client, &[Part::Tls]);
    out.push("server", text(&config.server));
    push_text(&mut out, "path_prefix", config.path_prefix.as_ref());
    out.push_some("token", config.token_ref.as_ref().map(|s| scope.secret(s)));
    push_text(&mut out, "datacenter", config.datacenter.as_ref());
    push_text(&mut out, "namespace", config.namespace.as_ref());
    push_text(&mut out, "partition", config.partition.as_ref());
    out.push_some("scheme", config.scheme.as_ref().map(|s| s.as_str().to_lowercase()));
    push_texts(&mut out, "services", config.services.as_ref());
    push_texts(&mut out, "tags", config.tags.as_ref());
    push_text(&mut out, "tag_separator", config.tag_separator.as_ref());
    out.push_some("node_meta", config.node_meta.as_ref().filter(|m| !m.is_empty()).map(sorted));
    push_text(&mut out, "filter", config.filter.as_ref());
    push_text(&mut out, "health_filter", config.health_filter.as_ref());
    out.push_some("allow_stale", config.allow_stale);
    refresh_interval(&mut out, config.refresh_interval.as_ref());
    follow_redirects(&mut out, &client);
    enable_http2(&mut out, &client);
    out
}
