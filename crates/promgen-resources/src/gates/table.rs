//! The rows of the gates, by product and in the order of the configuration that they are about. Those of the operator tell what
//! a release does otherwise: the comment says what changed, and the releases before write the older form.

use crate::gates::{Axis, Gate, Unsupported};
use promgen_text::version::Version;

/// Declares the gates and the list of all of them.
macro_rules! gates {
    ($($(#[doc = $doc:literal])+ $axis:ident since $since:tt $(until $until:tt)? $(by $by:tt)? $(was $was:tt before $before:tt)? => $miss:ident $id:ident;)+) => {
        $(
            $(#[doc = $doc])+
            pub static $id: Gate = Gate {
                name: stringify!($id),
                summary: concat!($($doc),+),
                axis: Axis::$axis,
                since: gates!(@version $since),
                until: gates!(@until $($until)?),
                by: gates!(@by $($by)?),
                was: gates!(@was $($was $before)?),
                miss: Unsupported::$miss,
            };
        )+

        /// Every gate, in the order of the table.
        pub static GATES: &[&Gate] = &[$(&$id),+];
    };
    (@by) => { Version::new(0, 0, 0) };
    (@by $by:tt) => { gates!(@version $by) };
    (@was) => { None };
    (@was $was:tt $before:tt) => { Some((gates!(@version $was), gates!(@version $before))) };
    (@until) => { None };
    (@until $until:tt) => { Some(gates!(@version $until)) };
    (@version ($major:literal, $minor:literal, $patch:literal)) => { Version::new($major, $minor, $patch) };
    (@version ($major:literal, $minor:literal, $patch:literal, rc)) => { Version::first_candidate($major, $minor, $patch) };
    (@version ($major:literal, $minor:literal, $patch:literal, any)) => { Version::any_candidate($major, $minor, $patch) };
}

gates! {
    /// `role: endpointslice` in service discovery, on the cluster's side.
    Kubernetes since (1, 21, 0) => Fallback ENDPOINT_SLICE_API;
    /// `role: endpointslice` in service discovery, on Prometheus' side.
    Prometheus since (2, 21, 0) => Fallback ENDPOINT_SLICE_ROLE;
    /// The zone label on pods, so that node metadata need not be attached for topology sharding.
    Kubernetes since (1, 35, 0) by (0, 92, 0) => Fallback POD_ZONE_LABEL;
    /// `selectors` of service discovery, `selectorMechanism: RoleSelector`.
    Prometheus since (2, 17, 0) => Reject ROLE_SELECTOR;
    /// `attach_metadata` for the role pod.
    Prometheus since (2, 35, 0) => Drop ATTACH_METADATA_POD;
    /// `attach_metadata` for the roles endpoints and endpointslice.
    Prometheus since (2, 37, 0) => Drop ATTACH_METADATA_ENDPOINTS;
    /// `authorization` of a client.
    Prometheus since (2, 26, 0) => Drop AUTHORIZATION;
    /// `oauth2` of a client.
    Prometheus since (2, 27, 0) => Drop OAUTH2;
    /// `tls_config` and the proxy settings of `oauth2`.
    Prometheus since (2, 43, 0) => Drop OAUTH2_CLIENT;
    /// `no_proxy`, `proxy_from_environment` and `proxy_connect_header`.
    Prometheus since (2, 43, 0) => Drop PROXY_SETTINGS;
    /// `min_version` of `tls_config`.
    Prometheus since (2, 35, 0) => Drop TLS_MIN_VERSION;
    /// `max_version` of `tls_config`.
    Prometheus since (2, 41, 0) => Drop TLS_MAX_VERSION;
    /// `follow_redirects` of a client.
    Prometheus since (2, 26, 0) => Drop FOLLOW_REDIRECTS;
    /// `enable_http2` of a client.
    Prometheus since (2, 35, 0) => Drop ENABLE_HTTP2;
    /// `track_timestamps_staleness` of a job.
    Prometheus since (2, 48, 0) => Drop TRACK_TIMESTAMPS_STALENESS;
    /// `target_limit` of a job.
    Prometheus since (2, 21, 0) => Drop TARGET_LIMIT;
    /// `label_limit`, `label_name_length_limit` and `label_value_length_limit` of a job.
    Prometheus since (2, 27, 0) => Drop LABEL_LIMITS;
    /// `body_size_limit`, `sample_limit`, `target_limit` and the limits of labels in the global section, which jobs inherit.
    Prometheus since (2, 45, 0) => Drop GLOBAL_LIMITS;
    /// `keep_dropped_targets`.
    Prometheus since (2, 47, 0) => Drop KEEP_DROPPED_TARGETS;
    /// `body_size_limit` of a job.
    Prometheus since (2, 28, 0) => Drop BODY_SIZE_LIMIT;
    /// `scrape_native_histograms`.
    Prometheus since (3, 8, 0) => Drop SCRAPE_NATIVE_HISTOGRAMS;
    /// `native_histogram_bucket_limit` of a job.
    Prometheus since (2, 45, 0) => Drop NATIVE_HISTOGRAM_BUCKET_LIMIT;
    /// `native_histogram_min_bucket_factor` of a job.
    Prometheus since (2, 50, 0) => Drop NATIVE_HISTOGRAM_MIN_BUCKET_FACTOR;
    /// `always_scrape_classic_histograms` of a job, before that `scrape_classic_histograms`.
    Prometheus since (3, 0, 0, any) => Fallback ALWAYS_SCRAPE_CLASSIC;
    /// `scrape_classic_histograms` of a job.
    Prometheus since (2, 45, 0) => Drop SCRAPE_CLASSIC_HISTOGRAMS;
    /// `convert_classic_histograms_to_nhcb` of a job.
    Prometheus since (3, 0, 0) => Drop CONVERT_CLASSIC_HISTOGRAMS;
    /// `extra_scrape_metrics`.
    Prometheus since (3, 10, 0) by (0, 95, 0) => Drop EXTRA_SCRAPE_METRICS;
    /// `--enable-feature=extra-scrape-metrics`, which is `extra_scrape_metrics` since 3.10.
    Prometheus since (2, 32, 0) by (0, 95, 0) => Drop EXTRA_SCRAPE_METRICS_FEATURE;
    /// `honor_timestamps` of a job.
    Prometheus since (2, 9, 0) => Drop HONOR_TIMESTAMPS;
    /// `enable_compression` of a job.
    Prometheus since (2, 49, 0) => Drop ENABLE_COMPRESSION;
    /// `http_sd_configs`. The operator refuses every ScrapeConfig on older versions, whatever it discovers.
    Prometheus since (2, 28, 0) => Reject HTTP_SD;
    /// The role endpointslice of `kubernetes_sd_configs` in a ScrapeConfig.
    Prometheus since (2, 21, 0) => Reject SD_ENDPOINT_SLICE;
    /// `selectors` of `kubernetes_sd_configs` in a ScrapeConfig.
    Prometheus since (2, 17, 0) => Drop SD_SELECTORS;
    /// `path_prefix` of `consul_sd_configs`.
    Prometheus since (2, 45, 0) => Reject CONSUL_PATH_PREFIX;
    /// `namespace` of `consul_sd_configs`.
    Prometheus since (2, 28, 0) => Reject CONSUL_NAMESPACE;
    /// `filter` of `consul_sd_configs`.
    Prometheus since (3, 0, 0, any) => Reject CONSUL_FILTER;
    /// `health_filter` of `consul_sd_configs`.
    Prometheus since (3, 11, 2) => Reject CONSUL_HEALTH_FILTER;
    /// The type NS of `dns_sd_configs`.
    Prometheus since (2, 49, 0) => Drop DNS_NS;
    /// The type MX of `dns_sd_configs`.
    Prometheus since (2, 38, 0) => Drop DNS_MX;
    /// `filters` of `ec2_sd_configs`.
    Prometheus since (2, 3, 0) => Drop EC2_FILTERS;
    /// `follow_redirects`, `enable_http2` and `tls_config` of `ec2_sd_configs`.
    Prometheus since (2, 41, 0) => Drop EC2_HTTP_CLIENT;
    /// The authentication method SDK of `azure_sd_configs`.
    Prometheus since (2, 52, 0) => Reject AZURE_SD_SDK;
    /// The authentication method WorkloadIdentity of `azure_sd_configs`.
    Prometheus since (3, 11, 0) => Reject AZURE_SD_WORKLOAD_IDENTITY;
    /// `resource_group` of `azure_sd_configs`.
    Prometheus since (2, 35, 0) => Reject AZURE_SD_RESOURCE_GROUP;
    /// The role loadbalancer of `openstack_sd_configs`.
    Prometheus since (3, 2, 0) => Reject OPENSTACK_LOAD_BALANCER;
    /// `digitalocean_sd_configs`. The operator refuses every ScrapeConfig on older versions, whatever it discovers.
    Prometheus since (2, 20, 0) => Reject DIGITALOCEAN_SD;
    /// `client_id` of `kuma_sd_configs`.
    Prometheus since (2, 50, 0) => Reject KUMA_CLIENT_ID;
    /// `match_first_network` of `docker_sd_configs`.
    Prometheus since (2, 54, 1) => Reject DOCKER_MATCH_FIRST_NETWORK;
    /// `linode_sd_configs`. The operator refuses every ScrapeConfig on older versions, whatever it discovers.
    Prometheus since (2, 28, 0) => Reject LINODE_SD;
    /// `label_selector` of `hetzner_sd_configs`.
    Prometheus since (3, 5, 0) => Reject HETZNER_LABEL_SELECTOR;
    /// `dockerswarm_sd_configs`. The operator refuses every ScrapeConfig on older versions, whatever it discovers.
    Prometheus since (2, 20, 0) => Reject DOCKERSWARM_SD;
    /// `puppetdb_sd_configs`. The operator refuses every ScrapeConfig on older versions, whatever it discovers.
    Prometheus since (2, 31, 0) => Reject PUPPETDB_SD;
    /// `lightsail_sd_configs`. The operator refuses every ScrapeConfig on older versions, whatever it discovers.
    Prometheus since (2, 27, 0) => Reject LIGHTSAIL_SD;
    /// `ovhcloud_sd_configs`. The operator refuses every ScrapeConfig on older versions, whatever it discovers.
    Prometheus since (2, 40, 0) => Reject OVHCLOUD_SD;
    /// `scaleway_sd_configs`. The operator refuses every ScrapeConfig on older versions, whatever it discovers.
    Prometheus since (2, 26, 0) => Reject SCALEWAY_SD;
    /// `ionos_sd_configs`. The operator refuses every ScrapeConfig on older versions, whatever it discovers.
    Prometheus since (2, 36, 0) => Reject IONOS_SD;
    /// `scrape_protocols`.
    Prometheus since (2, 49, 0) => Drop SCRAPE_PROTOCOLS;
    /// `PrometheusText1.0.0` among `scrape_protocols`, from the release candidates on.
    Prometheus since (3, 0, 0, rc) => Drop PROMETHEUS_TEXT_1_0;
    /// `fallback_scrape_protocol` of a job.
    Prometheus since (3, 0, 0) => Drop FALLBACK_SCRAPE_PROTOCOL;
    /// The `runtime` section, before that an environment variable of servers.
    Prometheus since (2, 53, 0) => Drop RUNTIME;
    /// `scrape_failure_log_file`.
    Prometheus since (2, 55, 0) => Drop SCRAPE_FAILURE_LOG_FILE;
    /// `metric_name_validation_scheme`.
    Prometheus since (3, 0, 0) by (0, 82, 0) => Drop NAME_VALIDATION_SCHEME;
    /// `metric_name_escaping_scheme`.
    Prometheus since (3, 4, 0) => Drop NAME_ESCAPING_SCHEME;
    /// `convert_classic_histograms_to_nhcb` in the global section.
    Prometheus since (3, 4, 0) => Drop GLOBAL_CONVERT_CLASSIC_HISTOGRAMS;
    /// `always_scrape_classic_histograms` in the global section.
    Prometheus since (3, 5, 0) => Drop GLOBAL_SCRAPE_CLASSIC_HISTOGRAMS;
    /// `rule_query_offset` in the global section.
    Prometheus since (2, 53, 0) => Drop RULE_QUERY_OFFSET;
    /// `query_log_file`.
    Prometheus since (2, 16, 0) => Drop QUERY_LOG_FILE;
    /// The `storage` section.
    Prometheus since (2, 29, 0) => Drop STORAGE_SECTION;
    /// `out_of_order_time_window` of the TSDB.
    Prometheus since (2, 39, 0) => Drop OUT_OF_ORDER_TIME_WINDOW;
    /// `out_of_order_time_window` of an agent.
    Prometheus since (2, 54, 0) => Drop AGENT_OUT_OF_ORDER_TIME_WINDOW;
    /// `stale_series_compaction_threshold` of the TSDB.
    Prometheus since (3, 10, 0) => Drop STALE_SERIES_COMPACTION;
    /// `chunk_encoding` of the TSDB.
    Prometheus since (3, 13, 0) => Drop CHUNK_ENCODING;
    /// `retention` of the TSDB in the configuration, before that command-line flags.
    Prometheus since (3, 11, 0) by (0, 92, 0) => Fallback RETENTION_IN_CONFIG;
    /// `percentage` of `retention` in the TSDB: `retentionPercentage`.
    Prometheus since (3, 11, 0) by (0, 94, 0) => Drop RETENTION_PERCENTAGE;
    /// `api_version` of an Alertmanager.
    Prometheus since (2, 11, 0) => Drop ALERTMANAGER_API_VERSION;
    /// The end of Alertmanager's API v1.
    Prometheus since (3, 0, 0, any) => Drop ALERTMANAGER_API_V2_ONLY;
    /// `basic_auth` of an Alertmanager.
    Prometheus since (2, 26, 0) => Drop ALERTMANAGER_BASIC_AUTH;
    /// `sigv4` of an Alertmanager.
    Prometheus since (2, 48, 0) => Drop ALERTMANAGER_SIGV4;
    /// `alert_relabel_configs` of an Alertmanager.
    Prometheus since (2, 51, 0) => Drop ALERTMANAGER_ALERT_RELABEL;
    /// `external_id` of `sigv4`.
    Prometheus since (3, 11, 0) => Drop SIGV4_EXTERNAL_ID;
    /// `use_fips_sts_endpoint` of `sigv4`.
    Prometheus since (2, 54, 0) => Drop SIGV4_FIPS;
    /// `headers` of `remote_write`.
    Prometheus since (2, 15, 0) => Drop REMOTE_WRITE_HEADERS;
    /// `name` of `remote_write` and `remote_read`.
    Prometheus since (2, 15, 0) => Drop REMOTE_NAME;
    /// `protobuf_message` of `remote_write`.
    Prometheus since (2, 54, 0) => Drop REMOTE_WRITE_MESSAGE;
    /// `send_exemplars` of `remote_write`.
    Prometheus since (2, 27, 0) => Drop SEND_EXEMPLARS;
    /// `send_native_histograms` of `remote_write`.
    Prometheus since (2, 40, 0) => Drop SEND_NATIVE_HISTOGRAMS;
    /// `sigv4` of `remote_write`.
    Prometheus since (2, 26, 0) => Drop REMOTE_WRITE_SIGV4;
    /// `azuread` of `remote_write`.
    Prometheus since (2, 45, 0) => Drop AZURE_AD;
    /// A managed identity without `client_id` in `azuread`.
    Prometheus since (3, 5, 0) => Reject AZURE_SYSTEM_IDENTITY;
    /// `oauth` of `azuread`.
    Prometheus since (2, 48, 0) => Reject AZURE_OAUTH;
    /// `sdk` of `azuread`.
    Prometheus since (2, 52, 0) => Reject AZURE_SDK;
    /// `workload_identity` of `azuread`.
    Prometheus since (3, 7, 0) => Reject AZURE_WORKLOAD_IDENTITY;
    /// `scope` of `azuread`.
    Prometheus since (3, 9, 0) => Drop AZURE_SCOPE;
    /// `min_shards` of `queue_config`.
    Prometheus since (2, 6, 0) => Drop QUEUE_MIN_SHARDS;
    /// `max_retries` of `queue_config`.
    Prometheus since (2, 0, 0) until (2, 11, 0) => Drop QUEUE_MAX_RETRIES;
    /// `retry_on_http_429` of `queue_config`.
    Prometheus since (2, 26, 0) => Drop QUEUE_RETRY_ON_429;
    /// `sample_age_limit` of `queue_config`.
    Prometheus since (2, 50, 0) => Drop QUEUE_SAMPLE_AGE_LIMIT;
    /// `metadata_config` of `remote_write`.
    Prometheus since (2, 23, 0) => Drop METADATA_CONFIG;
    /// `max_samples_per_send` of `metadata_config`.
    Prometheus since (2, 29, 0) => Drop METADATA_MAX_SAMPLES;
    /// `round_robin_dns` of `remote_write`.
    Prometheus since (3, 1, 0) => Drop ROUND_ROBIN_DNS;
    /// `headers` of `remote_read`.
    Prometheus since (2, 26, 0) => Drop REMOTE_READ_HEADERS;
    /// `filter_external_labels` of `remote_read`.
    Prometheus since (2, 34, 0) => Drop FILTER_EXTERNAL_LABELS;
    /// The `otlp` section.
    Prometheus since (2, 55, 0) => Reject OTLP;
    /// `translation_strategy` of `otlp`.
    Prometheus since (3, 0, 0) => Drop OTLP_TRANSLATION_STRATEGY;
    /// The translation strategy `NoTranslation`.
    Prometheus since (3, 4, 0) => Reject OTLP_NO_TRANSLATION;
    /// The translation strategy `UnderscoreEscapingWithoutSuffixes`.
    Prometheus since (3, 6, 0) => Reject OTLP_WITHOUT_SUFFIXES;
    /// `keep_identifying_resource_attributes` of `otlp`.
    Prometheus since (3, 1, 0) => Drop OTLP_KEEP_IDENTIFYING;
    /// `convert_histograms_to_nhcb` of `otlp`.
    Prometheus since (3, 4, 0) => Drop OTLP_CONVERT_HISTOGRAMS;
    /// `promote_all_resource_attributes` and `ignore_resource_attributes` of `otlp`.
    Prometheus since (3, 5, 0) => Drop OTLP_ALL_ATTRIBUTES;
    /// `promote_scope_metadata` of `otlp`.
    Prometheus since (3, 6, 0) => Drop OTLP_SCOPE_METADATA;
    /// `label_name_underscore_sanitization` and `label_name_preserve_multiple_underscores` of `otlp`.
    Prometheus since (3, 8, 0) => Drop OTLP_LABEL_NAMES;
    /// The relabel actions `lowercase` and `uppercase`.
    Prometheus since (2, 36, 0) => Reject RELABEL_CASE_ACTIONS;
    /// The relabel actions `keepequal` and `dropequal`.
    Prometheus since (2, 41, 0) => Reject RELABEL_EQUAL_ACTIONS;
    /// The port of the scheme in the address of a target that has none.
    Prometheus since (2, 0, 0) until (3, 0, 0, any) => Drop DEFAULT_SCRAPE_PORT;
    /// Label names of any characters.
    Prometheus since (3, 0, 0) by (0, 86, 0) => Reject UTF8_LABEL_NAMES;
    /// `--log.format`.
    Prometheus since (2, 6, 0) => Drop LOG_FORMAT;
    /// `--web.page-title`.
    Prometheus since (2, 6, 0) => Drop PAGE_TITLE;
    /// `--web.config.file`: TLS and HTTP settings of the web server.
    Prometheus since (2, 24, 0) => Drop WEB_CONFIG;
    /// `--enable-feature`.
    Prometheus since (2, 25, 0) => Drop ENABLE_FEATURE;
    /// `--web.enable-remote-write-receiver`.
    Prometheus since (2, 33, 0) => Drop REMOTE_WRITE_RECEIVER;
    /// `--web.remote-write-receiver.accepted-protobuf-messages`.
    Prometheus since (2, 54, 0) => Drop RECEIVER_MESSAGE_VERSIONS;
    /// Version 2 of remote write.
    Prometheus since (2, 54, 0) => Drop REMOTE_WRITE_V2;
    /// `--enable-feature=metadata-wal-records`, which version 2 of remote write needed at first.
    Prometheus since (2, 54, 0) until (3, 4, 0) => Fallback METADATA_WAL_RECORDS;
    /// `--enable-feature=otlp-write-receiver`, since 3.0 an argument of its own.
    Prometheus since (2, 47, 0) => Drop OTLP_RECEIVER_FEATURE;
    /// `--storage.tsdb.retention.size` and `.time`, before that `--storage.tsdb.retention`.
    Prometheus since (2, 7, 0) => Drop RETENTION_SIZE;
    /// `--rules.alert.*`.
    Prometheus since (2, 4, 0) => Drop RULE_ALERT_FLAGS;
    /// `--query.max-samples`.
    Prometheus since (2, 5, 0) => Drop QUERY_MAX_SAMPLES;
    /// `--storage.tsdb.allow-overlapping-blocks`, which then became the rule.
    Prometheus since (2, 11, 0) until (2, 39, 0) => Drop ALLOW_OVERLAPPING_BLOCKS;
    /// Arguments and feature flags that 3.0 removed, such as `alertmanager.timeout`.
    Prometheus since (2, 0, 0) until (3, 0, 0, any) => Reject ARGUMENTS_BEFORE_3;
    /// `--storage.tsdb.wal-compression`, and that of agents.
    Prometheus since (2, 11, 0) => Drop WAL_COMPRESSION;
    /// `--no-storage.tsdb.allow-overlapping-compaction`.
    Prometheus since (2, 55, 0) => Fallback ALLOW_OVERLAPPING_COMPACTION;
    /// `--storage.tsdb.delay-compact-file.path`, before that no compaction beside a sidecar that uploads.
    Prometheus since (3, 9, 0) by (0, 93, 0) => Fallback DELAYED_COMPACTION;
    /// The file of uploaded blocks by which Prometheus delays compaction.
    Thanos since (0, 42, 0) was (0, 41, 0) before (0, 94, 0) => Fallback THANOS_DELAYED_COMPACTION;
    /// `--prometheus.http-client-file` of the sidecar.
    Thanos since (0, 24, 0) => Fallback THANOS_HTTP_CLIENT;
    /// `--prometheus.get_config_timeout` and `--prometheus.get_config_interval` of the sidecar.
    Thanos since (0, 29, 0) => Drop THANOS_GET_CONFIG;
    /// `--grpc-server-tls-min-version`.
    Thanos since (0, 37, 0) by (0, 90, 0) => Drop THANOS_TLS_MIN_VERSION;
    /// `--grpc-server-tls-ciphers` and `--grpc-server-tls-curves`.
    Thanos since (0, 42, 0) => Drop THANOS_TLS_CIPHERS;
    /// `limit` of a rule group.
    Prometheus since (2, 31, 0) => Drop RULE_GROUP_LIMIT;
    /// `query_offset` of a rule group.
    Prometheus since (2, 53, 0) => Drop RULE_GROUP_QUERY_OFFSET;
    /// `labels` of a rule group.
    Prometheus since (3, 0, 0) => Drop RULE_GROUP_LABELS;
    /// `keep_firing_for` of an alerting rule.
    Prometheus since (2, 42, 0) => Drop RULE_KEEP_FIRING_FOR;
    /// `limit` of a rule group, for Thanos.
    Thanos since (0, 24, 0) => Drop THANOS_RULE_GROUP_LIMIT;
    /// `query_offset` of a rule group, for Thanos.
    Thanos since (0, 38, 0) => Drop THANOS_RULE_GROUP_QUERY_OFFSET;
    /// `labels` of a rule group, for Thanos.
    Thanos since (0, 39, 0) => Drop THANOS_RULE_GROUP_LABELS;
    /// `keep_firing_for` of an alerting rule, for Thanos.
    Thanos since (0, 34, 0) => Drop THANOS_RULE_KEEP_FIRING_FOR;
    /// `--rule-query-offset` of Thanos Ruler.
    Thanos since (0, 38, 0) => Drop RULER_QUERY_OFFSET;
    /// `--rule-concurrent-evaluation` of Thanos Ruler.
    Thanos since (0, 37, 0) => Drop RULER_CONCURRENT_EVALUATION;
    /// `--for-outage-tolerance` and `--for-grace-period` of Thanos Ruler.
    Thanos since (0, 30, 0) => Drop RULER_RESTORATION;
    /// `--enable-feature` of Thanos Ruler.
    Thanos since (0, 39, 0) => Drop RULER_ENABLE_FEATURE;
    /// `--http.config` of Thanos Ruler: TLS and HTTP settings of the web server.
    Thanos since (0, 21, 0) => Drop RULER_WEB_CONFIG;
    /// `--remote-write.config-file` of Thanos Ruler.
    Thanos since (0, 24, 0) => Reject RULER_REMOTE_WRITE;
    /// `min_version` of `tls_config` in the remote write of Thanos Ruler.
    Thanos since (0, 28, 0) => Drop RULER_TLS_MIN_VERSION;
    /// `max_version` of `tls_config` in the remote write of Thanos Ruler.
    Thanos since (0, 30, 0) => Drop RULER_TLS_MAX_VERSION;
    /// `send_native_histograms` in the remote write of Thanos Ruler.
    Thanos since (0, 30, 0) => Drop RULER_NATIVE_HISTOGRAMS;
    /// `azuread` in the remote write of Thanos Ruler.
    Thanos since (0, 31, 0) => Drop RULER_AZURE_AD;
    /// `no_proxy`, `proxy_from_environment` and `proxy_connect_header` in the remote write of Thanos Ruler.
    Thanos since (0, 32, 0) => Drop RULER_PROXY_SETTINGS;
    /// `sample_age_limit` of `queue_config` in the remote write of Thanos Ruler.
    Thanos since (0, 32, 0) => Drop RULER_SAMPLE_AGE_LIMIT;
    /// `sdk` of `azuread` in the remote write of Thanos Ruler.
    Thanos since (0, 36, 0) => Drop RULER_AZURE_SDK;
    /// `protobuf_message` in the remote write of Thanos Ruler.
    Thanos since (0, 37, 0) => Drop RULER_REMOTE_WRITE_MESSAGE;
    /// `round_robin_dns` in the remote write of Thanos Ruler.
    Thanos since (0, 38, 0) => Drop RULER_ROUND_ROBIN_DNS;
    /// A managed identity without `client_id` in `azuread` of Thanos Ruler.
    Thanos since (0, 40, 0) => Reject RULER_AZURE_SYSTEM_IDENTITY;
    /// Label names of any characters, for Thanos.
    Thanos since (0, 38, 0) by (0, 86, 0) => Reject THANOS_UTF8_LABEL_NAMES;
    /// Alertmanager as the operator runs it, before 1.0.
    Alertmanager since (0, 15, 0) until (1, 0, 0, any) => Reject AM_SUPPORTED;
    /// `--log.format` of Alertmanager.
    Alertmanager since (0, 16, 0) => Drop AM_LOG_FORMAT;
    /// `--web.get-concurrency` and `--web.timeout` of Alertmanager.
    Alertmanager since (0, 17, 0) => Drop AM_WEB_LIMITS;
    /// `--web.config.file` of Alertmanager: TLS and HTTP settings of the web server.
    Alertmanager since (0, 22, 0) => Drop AM_WEB_CONFIG;
    /// `--cluster.tls-config` of Alertmanager.
    Alertmanager since (0, 24, 0) by (0, 81, 0) => Drop AM_CLUSTER_TLS;
    /// `--cluster.label` of Alertmanager.
    Alertmanager since (0, 26, 0) => Drop AM_CLUSTER_LABEL;
    /// `--enable-feature` of Alertmanager.
    Alertmanager since (0, 27, 0) => Drop AM_ENABLE_FEATURE;
    /// `--silences.max-silences` and `--silences.max-per-silence-bytes` of Alertmanager.
    Alertmanager since (0, 28, 0) => Drop AM_SILENCE_LIMITS;
    /// `--dispatch.start-delay` of Alertmanager.
    Alertmanager since (0, 30, 0) by (0, 88, 0) => Fallback AM_START_DELAY;
    /// `--cluster.peer-name` of Alertmanager.
    Alertmanager since (0, 30, 0) by (0, 93, 0) => Fallback AM_PEER_NAME;
    /// `slack_api_url_file` and `api_url_file` of Slack, in the configuration of Alertmanager.
    Alertmanager since (0, 22, 0) => Drop AM_SLACK_URL_FILE;
    /// `authorization`, `oauth2` and `follow_redirects` of a receiver.
    Alertmanager since (0, 22, 0) => Drop AM_HTTP_AUTHORIZATION;
    /// `api_key_file`, `entity` and `actions` of OpsGenie receivers.
    Alertmanager since (0, 24, 0) => Drop AM_OPSGENIE_KEY_FILE;
    /// `time_intervals` and `active_time_intervals` in the configuration of Alertmanager.
    Alertmanager since (0, 24, 0) => Drop AM_TIME_INTERVALS;
    /// Files with passwords of mail, VictorOps and PagerDuty receivers.
    Alertmanager since (0, 25, 0) => Drop AM_PASSWORD_FILES;
    /// `enable_http2`, `min_version` and `max_version` of a receiver.
    Alertmanager since (0, 25, 0) => Drop AM_HTTP_TLS_VERSIONS;
    /// `no_proxy`, `proxy_from_environment` and `proxy_connect_header` of a receiver.
    Alertmanager since (0, 26, 0) => Drop AM_PROXY;
    /// `url_file` of webhooks.
    Alertmanager since (0, 26, 0) => Drop AM_WEBHOOK_URL_FILE;
    /// `summary` of Microsoft Teams receivers.
    Alertmanager since (0, 27, 0) => Drop AM_MSTEAMS_SUMMARY;
    /// `content`, `username` and `avatar_url` of Discord receivers.
    Alertmanager since (0, 28, 0) => Drop AM_DISCORD_SENDER;
    /// `labels` of routes.
    Alertmanager since (0, 34, 0) by (0, 95, 0) => Drop AM_ROUTE_LABELS;
    /// Types of receivers of OpsGenie, PagerDuty, Telegram and Microsoft Teams by workflows have packages of their own in errors.
    Alertmanager since (0, 34, 0) => Fallback AM_PACKAGES;
    /// `webhook_url_file` of Discord receivers in a configuration Secret.
    Alertmanager since (0, 28, 0) by (0, 94, 0) => Drop AM_DISCORD_URL_FILE;
    /// `http_headers` of a receiver.
    Alertmanager since (0, 28, 0) => Drop AM_HTTP_HEADERS;
    /// `smtp_tls_config` in the configuration of Alertmanager.
    Alertmanager since (0, 28, 0) => Drop AM_SMTP_TLS;
    /// `timeout` of webhooks.
    Alertmanager since (0, 28, 0) => Drop AM_WEBHOOK_TIMEOUT;
    /// `api_type` of Jira receivers.
    Alertmanager since (0, 29, 0) => Drop AM_JIRA_API_TYPE;
    /// Apps of Slack: `app_token`, `app_token_file` and `app_url`.
    Alertmanager since (0, 30, 0) => Drop AM_SLACK_APP;
    /// Files with secrets of mail, WeChat and Telegram receivers, and implicit TLS of mails.
    Alertmanager since (0, 31, 0) => Drop AM_SECRET_FILES;
    /// `payload` of webhooks.
    Alertmanager since (0, 32, 0) => Drop AM_WEBHOOK_PAYLOAD;
    /// `update_message` of Slack receivers.
    Alertmanager since (0, 32, 0) => Drop AM_SLACK_UPDATES;
    /// `mattermost_webhook_url` for all receivers, and attachments at the top level of Mattermost receivers.
    Alertmanager since (0, 32, 0) => Drop AM_MATTERMOST_GLOBAL;
    /// `external_id` of SNS receivers.
    Alertmanager since (0, 34, 0) was (0, 33, 0) before (0, 94, 0) => Drop AM_SNS_EXTERNAL_ID;
    /// `use_aws_http_client` of SNS receivers.
    Alertmanager since (0, 33, 0) => Drop AM_SNS_AWS_CLIENT;
    /// `matchers` of routes, `source_matchers` and `target_matchers` of inhibit rules.
    Alertmanager since (0, 22, 0) => Reject AM_MATCHERS;
    /// `mute_time_intervals` in the configuration of Alertmanager.
    Alertmanager since (0, 22, 0) => Drop AM_MUTE_TIME_INTERVALS;
    /// `location` of time intervals.
    Alertmanager since (0, 25, 0) => Drop AM_TIME_LOCATION;
    /// The proxy settings of `oauth2` of a receiver.
    Alertmanager since (0, 25, 0) => Drop AM_OAUTH2_PROXY;
    /// `proxyUrl`, `noProxy` and the like of an AlertmanagerConfig's receiver.
    Alertmanager since (0, 25, 0) => Reject AM_RECEIVER_PROXY;
    /// `update_alerts` of OpsGenie receivers.
    Alertmanager since (0, 24, 0) => Drop AM_OPSGENIE_UPDATE;
    /// `source` of PagerDuty receivers.
    Alertmanager since (0, 25, 0) => Drop AM_PAGERDUTY_SOURCE;
    /// `user_key_file`, `token_file` and `device` of Pushover receivers.
    Alertmanager since (0, 26, 0) => Drop AM_PUSHOVER_FILES;
    /// `ttl` of Pushover receivers.
    Alertmanager since (0, 27, 0) => Drop AM_PUSHOVER_TTL;
    /// `monospace` of Pushover receivers.
    Alertmanager since (0, 29, 0) => Drop AM_PUSHOVER_MONOSPACE;
    /// `bot_token_file` and `message_thread_id` of Telegram receivers.
    Alertmanager since (0, 26, 0) => Drop AM_TELEGRAM_FILES;
    /// `timeout` of PagerDuty and Slack receivers.
    Alertmanager since (0, 30, 0) => Drop AM_RECEIVER_TIMEOUT;
    /// Telegram receivers.
    Alertmanager since (0, 24, 0) => Reject AM_TELEGRAM;
    /// Discord receivers.
    Alertmanager since (0, 25, 0) => Reject AM_DISCORD;
    /// Webex receivers.
    Alertmanager since (0, 25, 0) => Reject AM_WEBEX;
    /// Microsoft Teams receivers.
    Alertmanager since (0, 26, 0) => Reject AM_MSTEAMS;
    /// Microsoft Teams receivers by workflows.
    Alertmanager since (0, 28, 0) => Reject AM_MSTEAMSV2;
    /// Jira receivers.
    Alertmanager since (0, 28, 0) => Reject AM_JIRA;
    /// Rocket.Chat receivers.
    Alertmanager since (0, 28, 0) => Reject AM_ROCKETCHAT;
    /// incident.io receivers.
    Alertmanager since (0, 29, 0) => Reject AM_INCIDENTIO;
    /// Mattermost receivers.
    Alertmanager since (0, 30, 0) => Reject AM_MATTERMOST;
    /// `botTokenFile` of Telegram in an AlertmanagerConfig.
    Alertmanager since (0, 26, 0) => Reject AM_BOT_TOKEN_FILE;
    /// Values of PagerDuty's `details` that are no texts.
    Alertmanager since (0, 30, 0) => Reject AM_DETAILS;
    /// `threading` of mail in an AlertmanagerConfig.
    Alertmanager since (0, 30, 0) => Reject AM_THREADING;
    /// `messageText` of Slack in an AlertmanagerConfig.
    Alertmanager since (0, 31, 0) => Reject AM_MESSAGE_TEXT;
    /// `global.mattermost` of `alertmanagerConfiguration`.
    Alertmanager since (0, 32, 0) => Reject AM_GLOBAL_MATTERMOST;
    /// Responders `teams` of OpsGenie in an AlertmanagerConfig.
    Alertmanager since (0, 24, 0) => Reject AM_OPSGENIE_TEAMS;
    /// `forceImplicitTLS` of mail in an AlertmanagerConfig.
    Alertmanager since (0, 31, 0) => Reject AM_IMPLICIT_TLS;
    /// `payload` of webhooks in an AlertmanagerConfig.
    Alertmanager since (0, 32, 0) => Reject AM_PAYLOAD;
    /// `updateMessage` of Slack in an AlertmanagerConfig.
    Alertmanager since (0, 32, 0) => Reject AM_UPDATE_MESSAGE;
    /// `useAWSHTTPClient` of SNS in an AlertmanagerConfig.
    Alertmanager since (0, 33, 0) => Reject AM_AWS_HTTP_CLIENT;
    /// Labels of a Probe's static targets are checked.
    Operator since (0, 92, 0) => Fallback PROBE_LABELS_CHECK;
    /// The error about a certificate with two sources names both.
    Operator since (0, 92, 0) => Fallback TLS_SOURCES_NAMED;
    /// The proxy settings of `oauth2` are checked.
    Operator since (0, 92, 0) => Fallback OAUTH2_PROXY_CHECK;
    /// `labelmap` takes no references to groups in names of the legacy scheme.
    Operator since (0, 86, 0) until (0, 90, 0) => Fallback LABELMAP_LITERALS;
    /// `app.kubernetes.io/version` on the pods of a ThanosRuler.
    Operator since (0, 90, 0) => Fallback RULER_VERSION_LABEL;
    /// The condition Available joins the reasons of all shards; before, the last one that has any counts.
    Operator since (0, 90, 0) => Fallback JOINED_CONDITIONS;
    /// Of an unmanaged workload that selects nothing, the status says the latter.
    Operator since (0, 89, 0) => Fallback NO_SELECTED_RESOURCES_FIRST;
    /// The reason DeprecatedFieldsInUse.
    Operator since (0, 89, 0) => Fallback DEPRECATED_FIELDS_IN_USE;
    /// Credentials and proxy of `azure_sd_configs`.
    Operator since (0, 89, 0) => Drop AZURE_SD_CLIENT;
    /// `oauth2` of `ionos_sd_configs`.
    Operator since (0, 89, 0) => Drop IONOS_OAUTH2;
    /// Fields of Docker and Hetzner discovery that the version of Prometheus lacks are refused, before that omitted.
    Operator since (0, 89, 0) => Fallback SD_FIELDS_CHECK;
    /// `azureAd.oauth` that the version of Prometheus lacks is refused, before that omitted.
    Operator since (0, 89, 0) => Fallback AZURE_OAUTH_CHECK;
    /// The address of a prober may be an IPv6 address, lack a host, or name its port.
    Operator since (0, 89, 0) => Fallback PROBER_ADDRESSES;
    /// The reason NoSelectedResources.
    Operator since (0, 88, 0) => Fallback NO_SELECTED_RESOURCES;
    /// The reason ConfigurationUnmanaged.
    Operator since (0, 84, 0) => Fallback CONFIGURATION_UNMANAGED;
    /// Spare ConfigMaps of rule files are mounted, optional and read-only.
    Operator since (0, 87, 0) => Fallback SPARE_RULE_FILES;
    /// Schemes are written in lower case, before that as the resource has them.
    Operator since (0, 87, 0) => Fallback LOWER_CASE_SCHEMES;
    /// `scheme` and `path_prefix` of an Alertmanager only where they are set, before that always, the prefix first.
    Operator since (0, 87, 0) => Fallback ALERTMANAGER_DEFAULTS_LEFT_OUT;
    /// `app.kubernetes.io/managed-by` on every object.
    Operator since (0, 86, 0) => Fallback MANAGED_BY_LABEL;
    /// The name of the port of the config reloader that runs first: `reloader-init`, before that `reloader-web`.
    Operator since (0, 86, 0) => Fallback RELOADER_INIT_PORT;
    /// Verdicts in the status of what a workload selects that cannot be reconciled.
    Operator since (0, 91, 0) => Drop BINDINGS_OF_FAILED;
    /// Verdicts in the status of configuration resources, which the feature gate switches on since v0.83.
    Operator since (0, 86, 0) => Drop STATUS_BINDINGS;
    /// `metadata-wal-records` for any version of Prometheus that has the second version of remote write.
    Operator since (0, 80, 0) until (0, 86, 0) => Fallback METADATA_WAL_RECORDS_ALWAYS;
    /// The labels of the pods on what runs them.
    Operator since (0, 85, 0) => Fallback WORKLOAD_LABELS;
    /// The ports of the peers are targeted by their names.
    Operator since (0, 85, 0) => Fallback NAMED_MESH_PORTS;
    /// The error about an argument that is managed already names it, before that the user's own.
    Operator since (0, 85, 0) => Fallback MANAGED_ARGUMENT_NAMED;
    /// `--no-storage.tsdb.allow-overlapping-compaction`, before that without `no-`.
    Operator since (0, 85, 0) => Fallback NEGATED_COMPACTION_FLAG;
    /// An endpoint with two ways to authenticate is refused.
    Operator since (0, 85, 0) => Fallback ONE_WAY_CHECK;
    /// The status of a workload whose configuration is the user's says so unless it is paused, and names all selectors.
    Operator since (0, 85, 0) => Fallback UNMANAGED_UNLESS_PAUSED;
    /// Targets with the label `__tmp_disable_sharding` stay in every shard.
    Operator since (0, 83, 0) => Fallback SHARDING_EXEMPTION;
    /// The Secret with the remote write of a ThanosRuler.
    Operator since (0, 82, 0) => Drop RULER_REMOTE_WRITE_SECRET;
    /// `proxy_url` of a probe's job stands behind its limits, before that behind its scheme.
    Operator since (0, 84, 0) => Fallback PROBE_PROXY_LAST;
    /// The arguments about consoles come first, and for Prometheus 3 too.
    Operator since (0, 80, 0) until (0, 82, 0) => Fallback CONSOLES_FIRST;
    /// The translation strategy NoTranslation is refused where the version of Prometheus lacks it.
    Operator since (0, 83, 0) => Fallback OTLP_NO_TRANSLATION_CHECK;
    /// The role LoadBalancer of OpenStack discovery is refused where the version of Prometheus lacks it.
    Operator since (0, 81, 0) => Fallback OPENSTACK_LOAD_BALANCER_CHECK;
    /// The Secret with the configuration of TLS among the peers of an Alertmanager.
    Operator since (0, 81, 0) => Drop CLUSTER_TLS_SECRET;
    /// EC2 and Lightsail discovery are refused for Prometheus 3.8 and newer. v0.88.1 took it back.
    Operator since (0, 88, 0) until (0, 88, 1) => Fallback AWS_SD_REFUSED;
    /// `aws_sd_configs`, which v0.88.0 of the operator asks for.
    Prometheus since (3, 8, 0) => Fallback AWS_SD;
    /// `followRedirects` and `enableHttp2` of a Probe, which has the two since v0.88.
    Operator since (0, 91, 0) => Drop PROBE_CLIENT_SETTINGS;
    /// `tls_config` of a probe's job stands before its targets.
    Operator since (0, 91, 0) => Fallback PROBE_TLS_FIRST;
    /// The method WorkloadIdentity of `azureSDConfigs` is told from OAuth.
    Operator since (0, 91, 0) => Fallback AZURE_SD_WORKLOAD_IDENTITY_KNOWN;
    /// The config reloader watches the folder of the configuration.
    Operator since (0, 91, 0) => Fallback WATCHED_CONFIG_DIR;
    /// Shards that are scaled down scrape nothing while their data is retained.
    Operator since (0, 91, 0) => Fallback RETAINED_SHARDS_IDLE;
    /// PromQL expressions are checked with the feature flags of the Prometheus that evaluates them.
    Operator since (0, 91, 0) => Fallback PROMQL_FEATURES_CHECK;
    /// PromQL is parsed as Prometheus 3.14 does: `first_over_time` needs no feature flag.
    Operator since (0, 94, 0) => Fallback PROMQL_3_14;
    /// `oauth2` of `consul_sd_configs`: its Secrets are checked, and it is written.
    Operator since (0, 93, 0) => Drop CONSUL_OAUTH2;
    /// `--grpc-server-tls-ciphers` and `--grpc-server-tls-curves` of Thanos for each value, instead of one with commas.
    Operator since (0, 93, 1) => Fallback REPEATED_TLS_CIPHERS;
    /// URLs of Mattermost in a configuration Secret are checked.
    Operator since (0, 94, 0) => Fallback MATTERMOST_URLS_CHECK;
    /// The availability of OpenStack discovery is written in lower case, before as the resource has it.
    Operator since (0, 94, 0) => Fallback LOWER_CASE_AVAILABILITY;
    /// Durations of an Alertmanager that are zero are ignored, and its status says so with the reason IgnoredFields.
    Operator since (0, 94, 0) => Fallback ZERO_DURATIONS_IGNORED;
    /// AlertmanagerConfigs that name files of the container are refused, unless `alertmanagerConfigFileSystemMode` allows them.
    Operator since (0, 95, 0) => Fallback CONFIG_FILES_CHECK;
    /// The conversion from v1beta1 keeps the `ttl` of Pushover, and takes mails without `threading`.
    Operator since (0, 95, 0) => Fallback BETA_CONVERSION_REPAIRED;
    /// The Secrets of `tlsConfig` in `openstackSDConfigs` are checked and mounted.
    Operator since (0, 93, 0) => Fallback OPENSTACK_TLS_SECRETS;
}
