//! `ovhcloud_sd_configs`.

use crate::lower::Scope;
use crate::lower::prometheus::http::text;
use crate::lower::prometheus::scrape::sd::{push_text, refresh_interval};
use promgen_resources::api::scraping::scrape_config::cloud::{OvhCloudSdConfig, OvhService};
use promgen_text::route::Path;
use promgen_text::yaml::Map;

/// Servers of OVHcloud.
pub(crate) fn item(scope: &mut Scope<'_>, _: &Path<'_>, config: &OvhCloudSdConfig) -> Map {
    let mut out = Map::new().with("application_key", text(&config.application_key));
    out.push("application_secret", scope.secret(&config.application_secret));
    out.push("consumer_key", scope.secret(&config.consumer_key));
    out.push("service", service(config.service));
    push_text(&mut out, "endpoint", config.endpoint.as_ref());
    refresh_interval(&mut out, config.refresh_interval.as_ref());
    out
}

/// Prometheus' word for a kind of server.
const fn service(service: OvhService) -> &'static str {
    match service {
        OvhService::Vps => "vps",
        OvhService::DedicatedServer => "dedicated_server",
    }
}
