//! `gce_sd_configs`.

use crate::lower::Scope;
use crate::lower::prometheus::http::text;
use crate::lower::prometheus::scrape::sd::{push_text, refresh_interval};
use promgen_resources::api::scraping::scrape_config::cloud::GceSdConfig;
use promgen_text::route::Path;
use promgen_text::yaml::Map;

/// Instances of Google Compute Engine.
pub(crate) fn item(_: &mut Scope<'_>, _: &Path<'_>, config: &GceSdConfig) -> Map {
    let mut out = Map::new().with("project", text(&config.project)).with("zone", text(&config.zone));
    push_text(&mut out, "filter", config.filter.as_ref());
    refresh_interval(&mut out, config.refresh_interval.as_ref());
    out.push_some("port", config.port);
    push_text(&mut out, "tag_separator", config.tag_separator.as_ref());
    out
}
