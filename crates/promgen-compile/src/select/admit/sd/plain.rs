//! Checks of discovery without a platform. Files are never checked.

use crate::select::admit::sd::{BASIC_FIRST, each, parts, supported, url};
use crate::select::admit::{Admission, Check, Refusal};
use promgen_resources::api::scraping::scrape_config::ScrapeConfigSpec;
use promgen_resources::api::scraping::scrape_config::plain::DnsRecordType;
use promgen_resources::gates;
use promgen_resources::http_config::Client;
use promgen_text::route::Path;

/// A URL that lists targets. Operator: `validateHTTPSDConfigs`.
pub(super) fn http(cx: &mut Admission<'_>, spec_path: &Path<'_>, spec: &ScrapeConfigSpec) -> Check {
    let list = spec_path.key("httpSDConfigs");
    supported(cx, &list, &gates::HTTP_SD, "HTTP SD configuration")?;
    each(cx, &list, spec.http_sd_configs.as_ref(), |cx, path, config| {
        url(&path.key("url"), &config.url)?;
        parts(cx, path, &Client::from(&config.client), BASIC_FIRST)
    })
}

/// Records of DNS. Operator: `validateDNSSDConfigs`.
pub(super) fn dns(cx: &mut Admission<'_>, spec_path: &Path<'_>, spec: &ScrapeConfigSpec) -> Check {
    each(cx, &spec_path.key("dnsSDConfigs"), spec.dns_sd_configs.as_ref(), |_, path, config| {
        match config.r#type.filter(|kind| *kind != DnsRecordType::Srv && config.port.is_none()) {
            Some(kind) => {
                let message = format!("port required for record type \"{}\"", kind.as_str());
                Err(Refusal::new(&path.key("port"), message))
            }
            None => Ok(()),
        }
    })
}
