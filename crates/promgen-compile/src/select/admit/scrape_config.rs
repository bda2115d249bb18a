//! Checks selected ScrapeConfigs.

use crate::paths::SPEC;
use crate::select::admit::{
    Admission, Check, InField, http, label_names, relabelings, scrape_class, sd, timeout,
};
use promgen_resources::api::scraping::scrape_config::{ScrapeConfig, StaticConfig};
use promgen_resources::http_config::{Client, ClientPart};
use promgen_text::route::Path;

/// Checks a ScrapeConfig. Operator: `checkScrapeConfig`.
///
/// # Errors
/// The first reason against it.
pub fn scrape_config(cx: &mut Admission<'_>, config: &ScrapeConfig) -> Check {
    let spec = &config.spec;
    scrape_class(cx, &SPEC, spec.scrape_class.as_deref())?;
    relabelings(cx, &SPEC.key("relabelings"), spec.relabelings.as_ref())
        .within("relabelConfigs")?;
    let client = Client::from(spec);
    http::named(
        cx,
        &SPEC,
        &client,
        &[
            ClientPart::BasicAuth,
            ClientPart::Authorization,
            ClientPart::OAuth2,
            ClientPart::Tls,
        ],
    )?;
    timeout(
        cx,
        &SPEC,
        spec.scrape_interval.as_ref(),
        spec.scrape_timeout.as_ref(),
    )?;
    http::client(cx, &SPEC, &client, &[ClientPart::Proxy])?;
    let metric = spec.metric_relabelings.as_ref();
    relabelings(cx, &SPEC.key("metricRelabelings"), metric).within("metricRelabelConfigs")?;
    let lists = spec.static_configs.as_deref().unwrap_or_default();
    static_configs(cx, &SPEC.key("staticConfigs"), lists).within("staticConfigs")?;
    sd::discoveries(cx, &SPEC, spec)
}

fn static_configs(cx: &Admission<'_>, path: &Path<'_>, lists: &[StaticConfig]) -> Check {
    for (index, list) in lists.iter().enumerate() {
        let path = path.index(index);
        label_names(cx, &path.key("labels"), list.labels.as_ref()).within(&format!("[{index}]"))?;
    }
    Ok(())
}
