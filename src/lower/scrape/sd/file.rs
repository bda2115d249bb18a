//! `file_sd_configs`.

use crate::api::scrape_config::plain::FileSdConfig;
use crate::lower::Scope;
use crate::lower::http::texts;
use crate::lower::scrape::sd::refresh_interval;
use crate::route::Path;
use crate::yaml::Map;

/// Files that list targets.
pub(super) fn item(_: &mut Scope<'_>, _: &Path<'_>, config: &FileSdConfig) -> Map {
    let mut out = Map::new().with("files", texts(&config.files));
    refresh_interval(&mut out, config.refresh_interval.as_ref());
    out
}
