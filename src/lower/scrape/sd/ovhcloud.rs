//! `ovhcloud_sd_configs`.

use crate::api::scrape_config::cloud::{OvhCloudSdConfig, OvhService};
use crate::lower::Scope;
use crate::lower::http::text;
use crate::lower::scrape::sd::{push_text, refresh_interval};
use crate::route::Path;
use crate::yaml::Map;

/// Servers of OVHcloud.
pub(super) fn item(scope: &mut Scope<'_>, _: &Path<'_>, config: &OvhCloudSdConfig) -> Map {
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
