//! The `remote_write` section.

use crate::lower::SettingsLowering;
use crate::lower::prometheus::http::{self, Client, ClientPart, filled, sorted, text};
use crate::lower::prometheus::scrape::relabel;
use promgen_prometheus::config;
use promgen_resources::api::auth::AzureAd;
use promgen_resources::api::servers::remote::{
    MetadataConfig, QueueConfig, RemoteWriteMessageVersion, RemoteWriteSpec,
};
use promgen_resources::gates::{self, Gate};
use promgen_text::route::Path;
use promgen_text::yaml::{Map, Value};

/// The section `remote_write`: one item for each of the specs, which stand below `spec.remoteWrite`.
pub fn remote_write(fields: &mut SettingsLowering<'_>, specs: &[RemoteWriteSpec]) -> Value {
    let root = Path::root();
    let spec = root.key("spec");
    let list = spec.key("remoteWrite");
    let items: Vec<Map> = specs.iter().enumerate().map(|(i, spec)| item(fields, &list.index(i), spec)).collect();
    items.into()
}

fn item(fields: &mut SettingsLowering<'_>, path: &Path<'_>, spec: &RemoteWriteSpec) -> Map {
    let mut out = Map::new().with("url", text(&spec.url));
    head(&mut out, fields, path, spec);
    credentials(&mut out, fields, path, spec);
    http::follow_redirects(&mut out, fields, path, spec.follow_redirects);
    // The field is `enableHTTP2` here, and `enableHttp2` in endpoints.
    let http2 = fields.gated(&gates::ENABLE_HTTP2, spec.enable_http2, || path.key("enableHTTP2").to_route());
    out.push_some("enable_http2", http2);
    out.push_some("queue_config", spec.queue_config.as_ref().map(|q| queue(fields, &path.key("queueConfig"), q)));
    if let Some(config) = metadata(fields, &path.key("metadataConfig"), spec) {
        out.push("metadata_config", config);
    }
    let round_robin = spec.round_robin_dns;
    let round_robin = fields.gated(&gates::ROUND_ROBIN_DNS, round_robin, || path.key("roundRobinDNS").to_route());
    out.push_some("round_robin_dns", round_robin);
    out
}

/// Writes the keys from `remote_timeout` to `write_relabel_configs`.
fn head(out: &mut Map, fields: &mut SettingsLowering<'_>, path: &Path<'_>, spec: &RemoteWriteSpec) {
    let at = |key: &'static str| path.key(key).to_route();
    out.push_some("remote_timeout", spec.remote_timeout.as_ref().map(|t| text(t.as_str())));
    let headers = spec.headers.as_ref().filter(|h| !h.is_empty());
    out.push_some("headers", fields.gated(&gates::REMOTE_WRITE_HEADERS, headers, || at("headers")).map(sorted));
    let name = filled(spec.name.as_deref());
    out.push_some("name", fields.gated(&gates::REMOTE_NAME, name, || at("name")).map(text));
    let message = spec.message_version.map(message_type);
    out.push_some("protobuf_message", fields.gated(&gates::REMOTE_WRITE_MESSAGE, message, || at("messageVersion")));
    let exemplars = fields.gated(&gates::SEND_EXEMPLARS, spec.send_exemplars, || at("sendExemplars"));
    out.push_some("send_exemplars", exemplars);
    let histograms = spec.send_native_histograms;
    let histograms = fields.gated(&gates::SEND_NATIVE_HISTOGRAMS, histograms, || at("sendNativeHistograms"));
    out.push_some("send_native_histograms", histograms);
    let rules: Vec<_> = config::users(spec.write_relabel_configs.as_ref()).collect();
    if !rules.is_empty() {
        out.push("write_relabel_configs", relabel::value(rules));
    }
}

/// The name of the message that a version of the protocol sends.
const fn message_type(version: RemoteWriteMessageVersion) -> &'static str {
    match version {
        RemoteWriteMessageVersion::V1 => "prometheus.WriteRequest",
        RemoteWriteMessageVersion::V2 => "io.prometheus.write.v2.Request",
    }
}

fn credentials(out: &mut Map, fields: &mut SettingsLowering<'_>, path: &Path<'_>, spec: &RemoteWriteSpec) {
    http::basic_auth(out, fields, spec.basic_auth.as_ref());
    out.push_some("bearer_token", filled(spec.bearer_token.as_deref()).map(text));
    out.push_some("bearer_token_file", filled(spec.bearer_token_file.as_deref()).map(text));
    let parts = [ClientPart::OAuth2, ClientPart::Tls, ClientPart::Authorization, ClientPart::Proxy];
    http::client(out, fields, path, &Client::from(spec), &parts);
    let sigv4 = spec.sigv4.as_ref();
    let sigv4 = fields.gated(&gates::REMOTE_WRITE_SIGV4, sigv4, || path.key("sigv4").to_route());
    http::sigv4(out, fields, &path.key("sigv4"), sigv4);
    let azure = spec.azure_ad.as_ref();
    if let Some(azure) = fields.gated(&gates::AZURE_AD, azure, || path.key("azureAd").to_route()) {
        out.push("azuread", azure_ad(fields, &path.key("azureAd"), azure));
    }
}

/// `azuread`. Ways to authenticate that the target does not know were refused before.
fn azure_ad(fields: &mut SettingsLowering<'_>, path: &Path<'_>, azure: &AzureAd) -> Map {
    let mut out = Map::new();
    if let Some(identity) = &azure.managed_identity {
        let mut map = Map::new();
        map.push_some("client_id", filled(identity.client_id.as_deref()).map(text));
        out.push("managed_identity", map);
    }
    if let Some(oauth) = azure.oauth.as_ref().filter(|_| fields.has(&gates::AZURE_OAUTH)) {
        let map = Map::new().with("client_id", text(&oauth.client_id));
        let map = map.with("client_secret", fields.secret(&oauth.client_secret));
        out.push("oauth", map.with("tenant_id", text(&oauth.tenant_id)));
    }
    if let Some(sdk) = azure.sdk.as_ref().filter(|_| fields.has(&gates::AZURE_SDK)) {
        // The tenant is optional in the API, but the key is always written.
        let tenant = sdk.tenant_id.as_deref().unwrap_or_default();
        out.push("sdk", Map::new().with("tenant_id", text(tenant)));
    }
    if let Some(workload) = azure.workload_identity.as_ref().filter(|_| fields.has(&gates::AZURE_WORKLOAD_IDENTITY)) {
        let map = Map::new().with("client_id", text(&workload.client_id));
        out.push("workload_identity", map.with("tenant_id", text(&workload.tenant_id)));
    }
    out.push_some("cloud", azure.cloud.map(|c| text(c.as_str())));
    let purpose = filled(azure.scope.as_deref());
    out.push_some("scope", fields.gated(&gates::AZURE_SCOPE, purpose, || path.key("scope").to_route()).map(text));
    out
}

/// `queue_config`. Numbers that are 0 are left to Prometheus.
fn queue(fields: &mut SettingsLowering<'_>, path: &Path<'_>, queue: &QueueConfig) -> Map {
    let mut out = Map::new();
    let at = |key: &'static str| path.key(key).to_route();
    let number = |n: Option<i64>| n.filter(|n| *n != 0);
    out.push_some("capacity", number(queue.capacity));
    let min = fields.gated(&gates::QUEUE_MIN_SHARDS, number(queue.min_shards), || at("minShards"));
    out.push_some("min_shards", min);
    out.push_some("max_shards", number(queue.max_shards));
    out.push_some("max_samples_per_send", number(queue.max_samples_per_send));
    out.push_some("batch_send_deadline", queue.batch_send_deadline.as_ref().map(|d| text(d.as_str())));
    let retries = fields.gated(&gates::QUEUE_MAX_RETRIES, number(queue.max_retries), || at("maxRetries"));
    out.push_some("max_retries", retries);
    out.push_some("min_backoff", queue.min_backoff.as_ref().map(|d| text(d.as_str())));
    out.push_some("max_backoff", queue.max_backoff.as_ref().map(|d| text(d.as_str())));
    // `false` is left out, as a number that is 0 is.
    let retry = queue.retry_on_rate_limit.filter(|retry| *retry);
    let retry = fields.gated(&gates::QUEUE_RETRY_ON_429, retry, || at("retryOnRateLimit"));
    out.push_some("retry_on_http_429", retry);
    let age = queue.sample_age_limit.as_ref().map(|d| d.as_str());
    let age = fields.gated(&gates::QUEUE_SAMPLE_AGE_LIMIT, age, || at("sampleAgeLimit"));
    out.push_some("sample_age_limit", age.map(text));
    out
}

/// `metadata_config`. The second version of the protocol sends metadata with every series, so that nothing is sent apart.
fn metadata(fields: &mut SettingsLowering<'_>, path: &Path<'_>, spec: &RemoteWriteSpec) -> Option<Map> {
    let config: Option<&MetadataConfig> = spec.metadata_config.as_ref();
    let config = fields.gated(&gates::METADATA_CONFIG, config, || path.to_route())?;
    let is_in_series = spec.message_version == Some(RemoteWriteMessageVersion::V2);
    let apart = !(is_in_series && fields.versions.has(&gates::METADATA_WITH_SERIES));
    let mut out = Map::new().with("send", apart && config.send.unwrap_or(false));
    let interval = config.send_interval.as_ref().map(|i| i.as_str());
    out.push_some("send_interval", filled(interval).map(text));
    let gate: &Gate = &gates::METADATA_MAX_SAMPLES;
    let samples = config.max_samples_per_send.map(i64::from);
    let samples = fields.gated(gate, samples, || path.key("maxSamplesPerSend").to_route());
    out.push_some("max_samples_per_send", samples);
    Some(out)
}
