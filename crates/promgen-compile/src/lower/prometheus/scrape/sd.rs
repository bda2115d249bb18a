//! Service discoveries of ScrapeConfigs.

use crate::lower::Scope;
use crate::lower::prometheus::write;
use crate::select::admit::sd::KINDS;
use promgen_resources::api::scraping::scrape_config::ScrapeConfigSpec;
use promgen_text::route::Path;
use promgen_text::yaml::Map;

/// Writes all discoveries, in the operator's order.
pub(super) fn discoveries(
    out: &mut Map,
    scope: &mut Scope<'_>,
    path: &Path<'_>,
    spec: &ScrapeConfigSpec,
) {
    for kind in KINDS {
        let (list, entries) = (path.key(kind.field), (kind.entries)(spec));
        let items = entries.iter().enumerate();
        let items: Vec<Map> = items
            .map(|(index, entry)| write::section(scope, &list.index(index), entry, kind.output))
            .collect();
        if !items.is_empty() {
            out.push(ScrapeConfigSpec::section(kind.field), items);
        }
    }
}
