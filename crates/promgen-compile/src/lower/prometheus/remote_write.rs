//! The `remote_write` section.

use crate::lower::SettingsLowering;
use crate::lower::prometheus::http::{
    BEARER_TOKEN, BEARER_TOKEN_FILE, ENABLE_HTTP2, FOLLOW_REDIRECTS, SIGV4,
};
use crate::lower::prometheus::scrape::relabel;
use crate::lower::prometheus::write;
use crate::paths::SPEC;
use crate::section::{
    Gated, SectionEntry, SectionField, filled, nonzero, parts, plain, secret, section, to,
};
use promgen_prometheus::config;
use promgen_resources::api::Kind;
use promgen_resources::api::servers::remote::{RemoteWriteMessageVersion, RemoteWriteSpec};
use promgen_resources::gates;
use promgen_resources::http_config::{Client, ClientPart};
use promgen_text::route::Path;
use promgen_text::yaml::{Map, Value};

/// The fields of an item.
#[rustfmt::skip]
pub(super) static REMOTE_WRITE: &[SectionField] = &[
    plain("url", "url"), plain("remoteTimeout", "remote_timeout"),
    to("headers", "headers", filled).needs(&gates::REMOTE_WRITE_HEADERS),
    to("name", "name", filled).needs(&gates::REMOTE_NAME),
    to("messageVersion", "protobuf_message", message_type).needs(&gates::REMOTE_WRITE_MESSAGE),
    plain("sendExemplars", "send_exemplars").needs(&gates::SEND_EXEMPLARS),
    plain("sendNativeHistograms", "send_native_histograms").needs(&gates::SEND_NATIVE_HISTOGRAMS),
    to("writeRelabelConfigs", "write_relabel_configs", filled),
    parts(&[ClientPart::BasicAuth]), BEARER_TOKEN, BEARER_TOKEN_FILE,
    parts(&[ClientPart::OAuth2, ClientPart::Tls, ClientPart::Authorization, ClientPart::Proxy]),
    section("sigv4", "sigv4", SIGV4).needs(&gates::REMOTE_WRITE_SIGV4),
    section("azureAd", "azuread", AZURE_AD).needs(&gates::AZURE_AD),
    FOLLOW_REDIRECTS, ENABLE_HTTP2, section("queueConfig", "queue_config", QUEUE),
    section("metadataConfig", "metadata_config", METADATA).needs(&gates::METADATA_CONFIG),
    plain("roundRobinDNS", "round_robin_dns").needs(&gates::ROUND_ROBIN_DNS),
];

/// `azuread`. Of the ways to authenticate, the operator refuses those that the target does not know; older ones left one out.
#[rustfmt::skip]
static AZURE_AD: &[SectionField] = &[
    section("managedIdentity", "managed_identity", &[to("clientId", "client_id", filled)]),
    section("oauth", "oauth", &[
        plain("clientId", "client_id"), secret("clientSecret", "client_secret"), plain("tenantId", "tenant_id"),
    ]).gate(Gated::dropped(&gates::AZURE_OAUTH).checked(&gates::AZURE_OAUTH_CHECK)),
    to("sdk", "sdk", azure_sdk),
    section("workloadIdentity", "workload_identity", &[plain("clientId", "client_id"), plain("tenantId", "tenant_id")]),
    plain("cloud", "cloud"),
    to("scope", "scope", filled).needs(&gates::AZURE_SCOPE),
];

/// `queue_config`. What is 0 or `false` is left to Prometheus.
#[rustfmt::skip]
static QUEUE: &[SectionField] = &[
    to("capacity", "capacity", nonzero), to("minShards", "min_shards", nonzero).needs(&gates::QUEUE_MIN_SHARDS),
    to("maxShards", "max_shards", nonzero), to("maxSamplesPerSend", "max_samples_per_send", nonzero),
    plain("batchSendDeadline", "batch_send_deadline"),
    to("maxRetries", "max_retries", nonzero).needs(&gates::QUEUE_MAX_RETRIES),
    plain("minBackoff", "min_backoff"), plain("maxBackoff", "max_backoff"),
    to("retryOnRateLimit", "retry_on_http_429", nonzero).needs(&gates::QUEUE_RETRY_ON_429),
    plain("sampleAgeLimit", "sample_age_limit").needs(&gates::QUEUE_SAMPLE_AGE_LIMIT),
];

/// `metadata_config`.
#[rustfmt::skip]
static METADATA: &[SectionField] = &[
    plain("send", "send"), to("sendInterval", "send_interval", filled),
    plain("maxSamplesPerSend", "max_samples_per_send").needs(&gates::METADATA_MAX_SAMPLES),
];

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
        (Kind::Prometheus, "spec.remoteWrite"),
        (path, &spec),
    );
    out
}

/// The name of the message that a version of the protocol sends.
fn message_type(version: &Value) -> Option<Value> {
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
fn azure_sdk(sdk: &Value) -> Option<Value> {
    Some(
        Map::new()
            .with(
                "tenant_id",
                sdk.get("tenantId").cloned().unwrap_or_else(|| "".into()),
            )
            .into(),
    )
}
