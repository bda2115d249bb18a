//! The `remote_write` section.

use crate::lower::SettingsLowering;
use crate::lower::prometheus::scrape::relabel;
use crate::lower::prometheus::sections::REMOTE_WRITE;
use crate::lower::prometheus::write;
use crate::paths::SPEC;
use crate::section::SectionEntry;
use promgen_prometheus::config;
use promgen_resources::api::Kind;
use promgen_resources::api::servers::remote::{RemoteWriteMessageVersion, RemoteWriteSpec};
use promgen_resources::gates;
use promgen_resources::http_config::Client;
use promgen_text::route::Path;
use promgen_text::yaml::{Map, Value};

/// The section `remote_write`: one item for each of the specs, which stand below `spec.remoteWrite`.
pub fn remote_write(fields: &mut SettingsLowering<'_>, specs: &[RemoteWriteSpec]) -> Value {
    let list = SPEC.key("remoteWrite");
    let items: Vec<Map> = specs
        .iter()
        .enumerate()
        .map(|(i, spec)| item(fields, &list.index(i), spec))
        .collect();
    items.into()
}

fn item(fields: &mut SettingsLowering<'_>, path: &Path<'_>, spec: &RemoteWriteSpec) -> Map {
    let mut spec = spec.clone();
    if let Some(metadata) = &mut spec.metadata_config {
        // The second version of the protocol sends metadata with every series, so that nothing is sent apart.
        let is_in_series = spec.message_version == Some(RemoteWriteMessageVersion::V2);
        let apart = !(is_in_series && fields.has(&gates::METADATA_WITH_SERIES));
        metadata.send = Some(apart && metadata.send.unwrap_or(false));
    }
    let mut entry = SectionEntry::new(&spec, Client::from(&spec));
    entry.set(
        "writeRelabelConfigs",
        relabel::value(config::users(spec.write_relabel_configs.as_ref()).collect()),
    );
    let mut out = write::section(fields, path, &entry, REMOTE_WRITE);
    write::passed(
        &mut out,
        fields,
        Kind::Prometheus,
        "spec.remoteWrite",
        path,
        &spec,
    );
    out
}

/// The name of the message that a version of the protocol sends.
pub(super) fn message_type(version: &Value) -> Option<Value> {
    let is_second = version.as_str() == Some(RemoteWriteMessageVersion::V2.as_str());
    Some(
        if is_second {
            "io.prometheus.write.v2.Request"
        } else {
            "prometheus.WriteRequest"
        }
        .into(),
    )
}

/// The tenant is optional in the API, but the key is always written.
pub(super) fn azure_sdk(sdk: &Value) -> Option<Value> {
    Some(
        Map::new()
            .with(
                "tenant_id",
                sdk.get("tenantId").cloned().unwrap_or_else(|| "".into()),
            )
            .into(),
    )
}
