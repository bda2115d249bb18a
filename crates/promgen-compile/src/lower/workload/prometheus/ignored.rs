//! Fields that become arguments, and that the target version does not support: the operator omits them silently.

use crate::context::WorkloadContext;
use crate::lower::workload::pod::args::log_format;
use crate::paths::SPEC;
use promgen_resources::api::servers::common::CommonPrometheusFields;
use promgen_resources::api::servers::prometheus::PrometheusSpec;
use promgen_resources::api::servers::thanos::ThanosSpec;
use promgen_resources::gates::{self, Gate, Generation};
use promgen_text::diag::Sink;
use promgen_text::route::{At, ValueRoute};

/// A gate, the field that it lets through, and whether the user sets it.
type GatedField = (&'static Gate, &'static [&'static str], bool);

/// Reports every field without effect, at its place.
pub fn report(cx: &WorkloadContext<'_>, sink: &mut Sink) {
    let mut fields = common(cx, cx.common).to_vec();
    if let Some(spec) = cx.server {
        fields.extend(server(spec));
        fields.extend(spec.thanos.iter().flat_map(thanos));
    }
    for (gate, field, is_set) in fields {
        if is_set && !cx.has(gate) {
            let spec = SPEC.to_route();
            let route = field
                .iter()
                .fold(spec, |route, key| ValueRoute::key(route, *key));
            sink.report(gates::ignored(gate, cx.versions, At { doc: cx.doc, route }));
        }
    }
}

fn common(cx: &WorkloadContext<'_>, spec: &CommonPrometheusFields) -> [GatedField; 9] {
    let web = spec.web.as_ref();
    let receives = spec.enable_remote_write_receiver == Some(true);
    let messages = spec
        .remote_write_receiver_message_versions
        .as_ref()
        .is_some_and(|v| !v.is_empty());
    let is_v2 = cx.versions.generation() == Some(Generation::V2);
    // A DaemonSet has it for any version.
    let serves = |set: bool| set && !cx.daemon_set;
    [
        (
            &gates::LOG_FORMAT,
            &["logFormat"],
            log_format(spec.log_format).is_some(),
        ),
        (
            &gates::PAGE_TITLE,
            &["web", "pageTitle"],
            web.is_some_and(|w| w.page_title.is_some()),
        ),
        (
            &gates::WEB_CONFIG,
            &["web", "tlsConfig"],
            serves(web.is_some_and(|w| w.tls_config.is_some())),
        ),
        (
            &gates::WEB_CONFIG,
            &["web", "httpConfig"],
            serves(web.is_some_and(|w| w.http_config.is_some())),
        ),
        (
            &gates::ENABLE_FEATURE,
            &["enableFeatures"],
            spec.enable_features.as_ref().is_some_and(|f| !f.is_empty()),
        ),
        (
            &gates::REMOTE_WRITE_RECEIVER,
            &["enableRemoteWriteReceiver"],
            receives,
        ),
        // Without the receiver, the field has no effect on any version, and is no matter of a gate.
        (
            &gates::RECEIVER_MESSAGE_VERSIONS,
            &["remoteWriteReceiverMessageVersions"],
            receives && messages,
        ),
        (
            &gates::OTLP_RECEIVER_FEATURE,
            &["enableOTLPReceiver"],
            is_v2 && spec.enable_otlp_receiver == Some(true),
        ),
        (
            &gates::WAL_COMPRESSION,
            &["walCompression"],
            spec.wal_compression.is_some(),
        ),
    ]
}

fn server(spec: &PrometheusSpec) -> [GatedField; 4] {
    let size = spec
        .retention_size
        .as_ref()
        .is_some_and(|size| !size.as_str().is_empty());
    let samples = spec
        .query
        .as_ref()
        .is_some_and(|query| query.max_samples.is_some_and(|n| n > 0));
    [
        (&gates::RETENTION_SIZE, &["retentionSize"], size),
        (
            &gates::RULE_ALERT_FLAGS,
            &["rules", "alert"],
            spec.rules.as_ref().is_some_and(|r| r.alert.is_some()),
        ),
        (&gates::QUERY_MAX_SAMPLES, &["query", "maxSamples"], samples),
        (
            &gates::ALLOW_OVERLAPPING_BLOCKS,
            &["allowOverlappingBlocks"],
            spec.allow_overlapping_blocks == Some(true),
        ),
    ]
}

fn thanos(spec: &ThanosSpec) -> [GatedField; 5] {
    let tls = spec.grpc_server_tls_config.as_ref();
    let lists = |list: Option<&Vec<String>>| list.is_some_and(|list| !list.is_empty());
    let min_version = tls.is_some_and(|t| t.min_version.is_some());
    let ciphers = lists(tls.and_then(|t| t.cipher_suites.as_ref()));
    let curves = lists(tls.and_then(|t| t.curves.as_ref()));
    [
        (
            &gates::THANOS_GET_CONFIG,
            &["thanos", "getConfigTimeout"],
            spec.get_config_timeout.is_some(),
        ),
        (
            &gates::THANOS_GET_CONFIG,
            &["thanos", "getConfigInterval"],
            spec.get_config_interval.is_some(),
        ),
        (
            &gates::THANOS_TLS_MIN_VERSION,
            &["thanos", "grpcServerTlsConfig", "minVersion"],
            min_version,
        ),
        (
            &gates::THANOS_TLS_CIPHERS,
            &["thanos", "grpcServerTlsConfig", "cipherSuites"],
            ciphers,
        ),
        (
            &gates::THANOS_TLS_CIPHERS,
            &["thanos", "grpcServerTlsConfig", "curves"],
            curves,
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_resources::api::servers::prometheus::QuerySpec;

    #[test]
    fn a_limit_of_samples_below_one_is_none() {
        let is_set = |max_samples| {
            let query = QuerySpec {
                max_samples,
                ..QuerySpec::default()
            };
            let fields = server(&PrometheusSpec {
                query: Some(query),
                ..PrometheusSpec::default()
            });
            fields
                .into_iter()
                .any(|(_, field, is_set)| field == ["query", "maxSamples"] && is_set)
        };
        assert_eq!(
            [None, Some(-1), Some(0), Some(1)].map(is_set),
            [false, false, false, true]
        );
    }
}
