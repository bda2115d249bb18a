//! `file_sd_configs`.

use crate::lower::Scope;
use crate::lower::prometheus::http::texts;
use crate::lower::prometheus::scrape::sd::refresh_interval;
use promgen_resources::api::scraping::scrape_config::plain::FileSdConfig;
use promgen_text::route::Path;
use promgen_text::yaml::Map;

/// Files that list targets.
pub(super) fn item(_: &mut Scope<'_>, _: &Path<'_>, config: &FileSdConfig) -> Map {
    let mut out = Map::new().with("files", texts(&config.files));
    refresh_interval(&mut out, config.refresh_interval.as_ref());
    out
}
