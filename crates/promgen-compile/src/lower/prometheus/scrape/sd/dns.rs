//! `dns_sd_configs`.

use crate::lower::Scope;
use crate::lower::prometheus::http::texts;
use crate::lower::prometheus::scrape::sd::refresh_interval;
use promgen_resources::api::scraping::scrape_config::plain::{DnsRecordType, DnsSdConfig};
use promgen_resources::gates::{self, Gate};
use promgen_text::route::Path;
use promgen_text::yaml::Map;

/// Records of DNS.
pub(super) fn item(scope: &mut Scope<'_>, path: &Path<'_>, config: &DnsSdConfig) -> Map {
    let mut out = Map::new().with("names", texts(&config.names));
    refresh_interval(&mut out, config.refresh_interval.as_ref());
    if let Some(kind) = config.r#type {
        let known = gate(kind).is_none_or(|gate| scope.allowed(gate, true, || path.key("type").to_route()));
        out.push_some("type", known.then_some(kind.as_str()));
    }
    out.push_some("port", config.port);
    out
}

/// The gate of the types that not every version has.
const fn gate(kind: DnsRecordType) -> Option<&'static Gate> {
    match kind {
        DnsRecordType::Ns => Some(&gates::DNS_NS),
        DnsRecordType::Mx => Some(&gates::DNS_MX),
        DnsRecordType::A | DnsRecordType::Aaaa | DnsRecordType::Srv => None,
    }
}
