//! The rows of the gates, by product and in the order of the configuration that they are about. Those of the operator tell what
//! a release does otherwise: the comment says what changed, and the releases before write the older form.
//!
//! `at` names the fields that a gate is about, as [`fields`](crate::gates::fields) reads them; `about` says what it is about
//! instead, if no field shows it. `writes` is the key that the value becomes as it is, so that no code has to name the field: in a job,
//! behind what is written of native histograms, or at the end of an item of `remote_write`. The order of these rows is that of the keys.

use crate::gates::{Axis, Gate, GateSubject, UnsupportedEffect};
use promgen_text::version::Version;

/// Declares the gates and the list of all of them.
macro_rules! gates {
    ($($(#[doc = $doc:literal])+ $axis:ident since $since:tt $(until $until:tt)? $(by $by:tt)? $(was $was:tt before $before:tt)? => $miss:ident $id:ident
        $(at [$($at:literal),+])? $(about $what:literal)? $(writes $key:literal)?;)+) => {
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
                miss: UnsupportedEffect::$miss,
                subject: gates!(@subject $([$($at),+])? $($what)?),
                writes: gates!(@writes $($key)?),
            };
        )+

        /// Every gate, in the order of the table.
        pub static GATES: &[&Gate] = &[$(&$id),+];
    };
    (@writes) => { None };
    (@writes $key:literal) => { Some($key) };
    (@subject [$($at:literal),+]) => { GateSubject::Fields(&[$($at),+]) };
    (@subject $what:literal) => { GateSubject::Other($what) };
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
    Kubernetes since (1, 21, 0) => Fallback ENDPOINT_SLICE_API at ["servers serviceDiscoveryRole", "ServiceMonitor spec.serviceDiscoveryRole"];
    /// `role: endpointslice` in service discovery, on Prometheus' side.
    Prometheus since (2, 21, 0) => Fallback ENDPOINT_SLICE_ROLE at ["servers serviceDiscoveryRole", "ServiceMonitor spec.serviceDiscoveryRole"];
    /// Endpoints are deprecated, and so is `role: endpoints`.
    Kubernetes since (1, 33, 0) => Fallback ENDPOINTS_DEPRECATED at ["servers serviceDiscoveryRole", "ServiceMonitor spec.serviceDiscoveryRole"];
    /// The zone label on pods, so that node metadata need not be attached for topology sharding.
    Kubernetes since (1, 35, 0) by (0, 92, 0) => Fallback POD_ZONE_LABEL at ["servers shardingStrategy.mode"];
    /// `selectors` of service discovery, `selectorMechanism: RoleSelector`.
    Prometheus since (2, 17, 0) => Reject ROLE_SELECTOR at ["ServiceMonitor,PodMonitor spec.selectorMechanism"];
    /// `attach_metadata` for the role pod.
    Prometheus since (2, 35, 0) => Drop ATTACH_METADATA_POD at ["PodMonitor spec.attachMetadata", "servers scrapeClasses.attachMetadata"];
    /// `attach_metadata` for the roles endpoints and endpointslice.
    Prometheus since (2, 37, 0) => Drop ATTACH_METADATA_ENDPOINTS at ["ServiceMonitor spec.attachMetadata", "servers scrapeClasses.attachMetadata"];
    /// `authorization` of a client.
    Prometheus since (2, 26, 0) => Drop AUTHORIZATION at ["clients authorization"];
    /// `oauth2` of a client.
    Prometheus since (2, 27, 0) => Drop OAUTH2 at ["clients oauth2"];
    /// `tls_config` and the proxy settings of `oauth2`.
    Prometheus since (2, 43, 0) => Drop OAUTH2_CLIENT at ["clients oauth2.tlsConfig", "clients oauth2.proxyUrl", "clients oauth2.noProxy", "clients oauth2.proxyFromEnvironment", "clients oauth2.proxyConnectHeader"];
    /// `no_proxy`, `proxy_from_environment` and `proxy_connect_header`.
    Prometheus since (2, 43, 0) => Drop PROXY_SETTINGS at ["clients noProxy", "clients proxyFromEnvironment", "clients proxyConnectHeader"];
    /// `min_version` of `tls_config`.
    Prometheus since (2, 35, 0) => Drop TLS_MIN_VERSION at ["clients tlsConfig.minVersion"];
    /// `max_version` of `tls_config`.
    Prometheus since (2, 41, 0) => Drop TLS_MAX_VERSION at ["clients tlsConfig.maxVersion"];
    /// `follow_redirects` of a client.
    Prometheus since (2, 26, 0) => Drop FOLLOW_REDIRECTS at ["clients followRedirects"];
    /// `enable_http2` of a client.
    Prometheus since (2, 35, 0) => Drop ENABLE_HTTP2 at ["clients enableHttp2", "clients enableHTTP2"];
    /// `track_timestamps_staleness` of a job.
    Prometheus since (2, 48, 0) => Drop TRACK_TIMESTAMPS_STALENESS at ["jobs trackTimestampsStaleness"];
    /// `target_limit` of a job.
    Prometheus since (2, 21, 0) => Drop TARGET_LIMIT at ["jobs targetLimit", "servers enforcedTargetLimit"];
    /// `label_limit`, `label_name_length_limit` and `label_value_length_limit` of a job.
    Prometheus since (2, 27, 0) => Drop LABEL_LIMITS at ["jobs labelLimit", "jobs labelNameLengthLimit", "jobs labelValueLengthLimit", "servers enforcedLabelLimit", "servers enforcedLabelNameLengthLimit", "servers enforcedLabelValueLengthLimit"];
    /// `body_size_limit`, `sample_limit`, `target_limit` and the limits of labels in the global section, which jobs inherit.
    Prometheus since (2, 45, 0) => Drop GLOBAL_LIMITS at ["servers bodySizeLimit", "servers sampleLimit", "servers targetLimit", "servers labelLimit", "servers labelNameLengthLimit", "servers labelValueLengthLimit"];
    /// `keep_dropped_targets`.
    Prometheus since (2, 47, 0) => Drop KEEP_DROPPED_TARGETS at ["jobs keepDroppedTargets", "servers keepDroppedTargets", "servers enforcedKeepDroppedTargets"];
    /// `body_size_limit` of a job.
    Prometheus since (2, 28, 0) => Drop BODY_SIZE_LIMIT at ["jobs bodySizeLimit", "servers enforcedBodySizeLimit"];
    /// `scrape_native_histograms`.
    Prometheus since (3, 8, 0) => Drop SCRAPE_NATIVE_HISTOGRAMS at ["jobs scrapeNativeHistograms", "servers scrapeNativeHistograms"];
    /// `native_histogram_bucket_limit` of a job.
    Prometheus since (2, 45, 0) => Drop NATIVE_HISTOGRAM_BUCKET_LIMIT at ["jobs nativeHistogramBucketLimit"];
    /// `native_histogram_min_bucket_factor` of a job.
    Prometheus since (2, 50, 0) => Drop NATIVE_HISTOGRAM_MIN_BUCKET_FACTOR at ["jobs nativeHistogramMinBucketFactor"];
    /// `always_scrape_classic_histograms` of a job, before that `scrape_classic_histograms`.
    Prometheus since (3, 0, 0, any) => Fallback ALWAYS_SCRAPE_CLASSIC at ["jobs scrapeClassicHistograms"];
    /// `scrape_classic_histograms` of a job.
    Prometheus since (2, 45, 0) => Drop SCRAPE_CLASSIC_HISTOGRAMS at ["jobs scrapeClassicHistograms"];
    /// `convert_classic_histograms_to_nhcb` of a job.
    Prometheus since (3, 0, 0) => Drop CONVERT_CLASSIC_HISTOGRAMS at ["jobs convertClassicHistogramsToNHCB"] writes "convert_classic_histograms_to_nhcb";
    /// `extra_scrape_metrics`.
    Prometheus since (3, 10, 0) by (0, 95, 0) => Drop EXTRA_SCRAPE_METRICS at ["jobs extraScrapeMetrics", "servers extraScrapeMetrics"] writes "extra_scrape_metrics";
    /// `--enable-feature=extra-scrape-metrics`, which is `extra_scrape_metrics` since 3.10.
    Prometheus since (2, 32, 0) by (0, 95, 0) => Drop EXTRA_SCRAPE_METRICS_FEATURE at ["servers extraScrapeMetrics"];
    /// `honor_timestamps` of a job.
    Prometheus since (2, 9, 0) => Drop HONOR_TIMESTAMPS at ["jobs honorTimestamps", "servers overrideHonorTimestamps"];
    /// `enable_compression` of a job.
    Prometheus since (2, 49, 0) => Drop ENABLE_COMPRESSION at ["ScrapeConfig spec.enableCompression"];
    /// `http_sd_configs`. The operator refuses every ScrapeConfig on older versions, whatever it discovers.
    Prometheus since (2, 28, 0) => Reject HTTP_SD at ["ScrapeConfig spec.httpSDConfigs"];
    /// The role endpointslice of `kubernetes_sd_configs` in a ScrapeConfig.
    Prometheus since (2, 21, 0) => Reject SD_ENDPOINT_SLICE at ["ScrapeConfig spec.kubernetesSDConfigs.role"];
    /// `selectors` of `kubernetes_sd_configs` in a ScrapeConfig.
    Prometheus since (2, 17, 0) => Drop SD_SELECTORS at ["ScrapeConfig spec.kubernetesSDConfigs.selectors"];
    /// `path_prefix` of `consul_sd_configs`.
    Prometheus since (2, 45, 0) => Reject CONSUL_PATH_PREFIX at ["ScrapeConfig spec.consulSDConfigs.pathPrefix"];
    /// `namespace` of `consul_sd_configs`.
    Prometheus since (2, 28, 0) => Reject CONSUL_NAMESPACE at ["ScrapeConfig spec.consulSDConfigs.namespace"];
    /// `filter` of `consul_sd_configs`.
    Prometheus since (3, 0, 0, any) => Reject CONSUL_FILTER at ["ScrapeConfig spec.consulSDConfigs.filter"];
    /// `health_filter` of `consul_sd_configs`.
    Prometheus since (3, 11, 2) => Reject CONSUL_HEALTH_FILTER at ["ScrapeConfig spec.consulSDConfigs.healthFilter"];
    /// The type NS of `dns_sd_configs`.
    Prometheus since (2, 49, 0) => Drop DNS_NS at ["ScrapeConfig spec.dnsSDConfigs.type"];
    /// The type MX of `dns_sd_configs`.
    Prometheus since (2, 38, 0) => Drop DNS_MX at ["ScrapeConfig spec.dnsSDConfigs.type"];
    /// `filters` of `ec2_sd_configs`.
    Prometheus since (2, 3, 0) => Drop EC2_FILTERS at ["ScrapeConfig spec.ec2SDConfigs.filters"];
    /// `follow_redirects`, `enable_http2` and `tls_config` of `ec2_sd_configs`.
    Prometheus since (2, 41, 0) => Drop EC2_HTTP_CLIENT at ["ScrapeConfig spec.ec2SDConfigs.followRedirects", "ScrapeConfig spec.ec2SDConfigs.enableHTTP2", "ScrapeConfig spec.ec2SDConfigs.tlsConfig"];
    /// The authentication method SDK of `azure_sd_configs`.
    Prometheus since (2, 52, 0) => Reject AZURE_SD_SDK at ["ScrapeConfig spec.azureSDConfigs.authenticationMethod"];
    /// The authentication method WorkloadIdentity of `azure_sd_configs`.
    Prometheus since (3, 11, 0) => Reject AZURE_SD_WORKLOAD_IDENTITY at ["ScrapeConfig spec.azureSDConfigs.authenticationMethod"];
    /// `resource_group` of `azure_sd_configs`.
    Prometheus since (2, 35, 0) => Reject AZURE_SD_RESOURCE_GROUP at ["ScrapeConfig spec.azureSDConfigs.resourceGroup"];
    /// The role loadbalancer of `openstack_sd_configs`.
    Prometheus since (3, 2, 0) => Reject OPENSTACK_LOAD_BALANCER at ["ScrapeConfig spec.openstackSDConfigs.role"];
    /// `digitalocean_sd_configs`. The operator refuses every ScrapeConfig on older versions, whatever it discovers.
    Prometheus since (2, 20, 0) => Reject DIGITALOCEAN_SD at ["ScrapeConfig spec.digitalOceanSDConfigs"];
    /// `client_id` of `kuma_sd_configs`.
    Prometheus since (2, 50, 0) => Reject KUMA_CLIENT_ID at ["ScrapeConfig spec.kumaSDConfigs.clientID"];
    /// `match_first_network` of `docker_sd_configs`.
    Prometheus since (2, 54, 1) => Reject DOCKER_MATCH_FIRST_NETWORK at ["ScrapeConfig spec.dockerSDConfigs.matchFirstNetwork"];
    /// `linode_sd_configs`. The operator refuses every ScrapeConfig on older versions, whatever it discovers.
    Prometheus since (2, 28, 0) => Reject LINODE_SD at ["ScrapeConfig spec.linodeSDConfigs"];
    /// `label_selector` of `hetzner_sd_configs`.
    Prometheus since (3, 5, 0) => Reject HETZNER_LABEL_SELECTOR at ["ScrapeConfig spec.hetznerSDConfigs.labelSelector"];
    /// `dockerswarm_sd_configs`. The operator refuses every ScrapeConfig on older versions, whatever it discovers.
    Prometheus since (2, 20, 0) => Reject DOCKERSWARM_SD at ["ScrapeConfig spec.dockerSwarmSDConfigs"];
    /// `puppetdb_sd_configs`. The operator refuses every ScrapeConfig on older versions, whatever it discovers.
    Prometheus since (2, 31, 0) => Reject PUPPETDB_SD at ["ScrapeConfig spec.puppetDBSDConfigs"];
    /// `lightsail_sd_configs`. The operator refuses every ScrapeConfig on older versions, whatever it discovers.
    Prometheus since (2, 27, 0) => Reject LIGHTSAIL_SD at ["ScrapeConfig spec.lightSailSDConfigs"];
    /// `ovhcloud_sd_configs`. The operator refuses every ScrapeConfig on older versions, whatever it discovers.
    Prometheus since (2, 40, 0) => Reject OVHCLOUD_SD at ["ScrapeConfig spec.ovhcloudSDConfigs"];
    /// `scaleway_sd_configs`. The operator refuses every ScrapeConfig on older versions, whatever it discovers.
    Prometheus since (2, 26, 0) => Reject SCALEWAY_SD at ["ScrapeConfig spec.scalewaySDConfigs"];
    /// `ionos_sd_configs`. The operator refuses every ScrapeConfig on older versions, whatever it discovers.
    Prometheus since (2, 36, 0) => Reject IONOS_SD at ["ScrapeConfig spec.ionosSDConfigs"];
    /// `scrape_protocols`.
    Prometheus since (2, 49, 0) => Drop SCRAPE_PROTOCOLS at ["jobs scrapeProtocols", "servers scrapeProtocols"];
    /// `PrometheusText1.0.0` among `scrape_protocols`, from the release candidates on.
    Prometheus since (3, 0, 0, rc) => Drop PROMETHEUS_TEXT_1_0 at ["jobs scrapeProtocols", "servers scrapeProtocols"];
    /// `fallback_scrape_protocol` of a job.
    Prometheus since (3, 0, 0) => Drop FALLBACK_SCRAPE_PROTOCOL at ["jobs fallbackScrapeProtocol"];
    /// The `runtime` section, before that an environment variable of servers.
    Prometheus since (2, 53, 0) => Drop RUNTIME at ["servers runtime"];
    /// `scrape_failure_log_file`.
    Prometheus since (2, 55, 0) => Drop SCRAPE_FAILURE_LOG_FILE at ["servers scrapeFailureLogFile"];
    /// `metric_name_validation_scheme`.
    Prometheus since (3, 0, 0) by (0, 82, 0) => Drop NAME_VALIDATION_SCHEME at ["servers nameValidationScheme", "ScrapeConfig spec.nameValidationScheme"];
    /// `metric_name_escaping_scheme`.
    Prometheus since (3, 4, 0) => Drop NAME_ESCAPING_SCHEME at ["servers nameEscapingScheme", "ScrapeConfig spec.nameEscapingScheme"];
    /// `convert_classic_histograms_to_nhcb` in the global section.
    Prometheus since (3, 4, 0) => Drop GLOBAL_CONVERT_CLASSIC_HISTOGRAMS at ["servers convertClassicHistogramsToNHCB"];
    /// `always_scrape_classic_histograms` in the global section.
    Prometheus since (3, 5, 0) => Drop GLOBAL_SCRAPE_CLASSIC_HISTOGRAMS at ["servers scrapeClassicHistograms"];
    /// `rule_query_offset` in the global section.
    Prometheus since (2, 53, 0) => Drop RULE_QUERY_OFFSET at ["Prometheus spec.ruleQueryOffset"];
    /// `query_log_file`.
    Prometheus since (2, 16, 0) => Drop QUERY_LOG_FILE at ["Prometheus spec.queryLogFile"];
    /// The `storage` section.
    Prometheus since (2, 29, 0) => Drop STORAGE_SECTION at ["servers tsdb", "Prometheus spec.exemplars"];
    /// `out_of_order_time_window` of the TSDB.
    Prometheus since (2, 39, 0) => Drop OUT_OF_ORDER_TIME_WINDOW at ["Prometheus spec.tsdb.outOfOrderTimeWindow"];
    /// `out_of_order_time_window` of an agent.
    Prometheus since (2, 54, 0) => Drop AGENT_OUT_OF_ORDER_TIME_WINDOW at ["PrometheusAgent spec.tsdb.outOfOrderTimeWindow"];
    /// `stale_series_compaction_threshold` of the TSDB.
    Prometheus since (3, 10, 0) => Drop STALE_SERIES_COMPACTION at ["servers tsdb.staleSeriesCompactionThreshold"];
    /// `chunk_encoding` of the TSDB.
    Prometheus since (3, 13, 0) => Drop CHUNK_ENCODING at ["servers tsdb.chunkEncoding"];
    /// `retention` of the TSDB in the configuration, before that command-line flags.
    Prometheus since (3, 11, 0) by (0, 92, 0) => Fallback RETENTION_IN_CONFIG at ["Prometheus spec.retention", "Prometheus spec.retentionSize"];
    /// `percentage` of `retention` in the TSDB: `retentionPercentage`.
    Prometheus since (3, 11, 0) by (0, 94, 0) => Drop RETENTION_PERCENTAGE at ["Prometheus spec.retentionPercentage"];
    /// `api_version` of an Alertmanager.
    Prometheus since (2, 11, 0) => Drop ALERTMANAGER_API_VERSION at ["Prometheus spec.alerting.alertmanagers.apiVersion"];
    /// The end of Alertmanager's API v1.
    Prometheus since (3, 0, 0, any) => Drop ALERTMANAGER_API_V2_ONLY at ["Prometheus spec.alerting.alertmanagers.apiVersion"];
    /// `basic_auth` of an Alertmanager.
    Prometheus since (2, 26, 0) => Drop ALERTMANAGER_BASIC_AUTH at ["Prometheus spec.alerting.alertmanagers.basicAuth"];
    /// `sigv4` of an Alertmanager.
    Prometheus since (2, 48, 0) => Drop ALERTMANAGER_SIGV4 at ["Prometheus spec.alerting.alertmanagers.sigv4"];
    /// `alert_relabel_configs` of an Alertmanager.
    Prometheus since (2, 51, 0) => Drop ALERTMANAGER_ALERT_RELABEL at ["Prometheus spec.alerting.alertmanagers.alertRelabelings"];
    /// `external_id` of `sigv4`.
    Prometheus since (3, 11, 0) => Drop SIGV4_EXTERNAL_ID at ["servers **.sigv4.externalId"];
    /// `use_fips_sts_endpoint` of `sigv4`.
    Prometheus since (2, 54, 0) => Drop SIGV4_FIPS at ["servers **.sigv4.useFIPSSTSEndpoint"];
    /// `headers` of `remote_write`.
    Prometheus since (2, 15, 0) => Drop REMOTE_WRITE_HEADERS at ["servers remoteWrite.headers"];
    /// `name` of `remote_write` and `remote_read`.
    Prometheus since (2, 15, 0) => Drop REMOTE_NAME at ["servers remoteWrite.name", "Prometheus spec.remoteRead.name"];
    /// `protobuf_message` of `remote_write`.
    Prometheus since (2, 54, 0) => Drop REMOTE_WRITE_MESSAGE at ["servers remoteWrite.messageVersion"];
    /// `send_exemplars` of `remote_write`.
    Prometheus since (2, 27, 0) => Drop SEND_EXEMPLARS at ["servers remoteWrite.sendExemplars"];
    /// `send_native_histograms` of `remote_write`.
    Prometheus since (2, 40, 0) => Drop SEND_NATIVE_HISTOGRAMS at ["servers remoteWrite.sendNativeHistograms"];
    /// `sigv4` of `remote_write`.
    Prometheus since (2, 26, 0) => Drop REMOTE_WRITE_SIGV4 at ["servers remoteWrite.sigv4"];
    /// `azuread` of `remote_write`.
    Prometheus since (2, 45, 0) => Drop AZURE_AD at ["servers remoteWrite.azureAd"];
    /// A managed identity without `client_id` in `azuread`.
    Prometheus since (3, 5, 0) => Reject AZURE_SYSTEM_IDENTITY at ["servers remoteWrite.azureAd.managedIdentity.clientId"];
    /// `oauth` of `azuread`.
    Prometheus since (2, 48, 0) => Reject AZURE_OAUTH at ["servers remoteWrite.azureAd.oauth"];
    /// `sdk` of `azuread`.
    Prometheus since (2, 52, 0) => Reject AZURE_SDK at ["servers remoteWrite.azureAd.sdk"];
    /// `workload_identity` of `azuread`.
    Prometheus since (3, 7, 0) => Reject AZURE_WORKLOAD_IDENTITY at ["servers remoteWrite.azureAd.workloadIdentity"];
    /// `scope` of `azuread`.
    Prometheus since (3, 9, 0) => Drop AZURE_SCOPE at ["servers remoteWrite.azureAd.scope"];
    /// `min_shards` of `queue_config`.
    Prometheus since (2, 6, 0) => Drop QUEUE_MIN_SHARDS at ["servers remoteWrite.queueConfig.minShards"];
    /// `max_retries` of `queue_config`.
    Prometheus since (2, 0, 0) until (2, 11, 0) => Drop QUEUE_MAX_RETRIES at ["servers remoteWrite.queueConfig.maxRetries"];
    /// `retry_on_http_429` of `queue_config`.
    Prometheus since (2, 26, 0) => Drop QUEUE_RETRY_ON_429 at ["servers remoteWrite.queueConfig.retryOnRateLimit"];
    /// `sample_age_limit` of `queue_config`.
    Prometheus since (2, 50, 0) => Drop QUEUE_SAMPLE_AGE_LIMIT at ["servers remoteWrite.queueConfig.sampleAgeLimit"];
    /// `metadata_config` of `remote_write`.
    Prometheus since (2, 23, 0) => Drop METADATA_CONFIG at ["servers remoteWrite.metadataConfig"];
    /// `max_samples_per_send` of `metadata_config`.
    Prometheus since (2, 29, 0) => Drop METADATA_MAX_SAMPLES at ["servers remoteWrite.metadataConfig.maxSamplesPerSend"];
    /// `round_robin_dns` of `remote_write`.
    Prometheus since (3, 1, 0) => Drop ROUND_ROBIN_DNS at ["servers remoteWrite.roundRobinDNS"];
    /// `headers` of `remote_read`.
    Prometheus since (2, 26, 0) => Drop REMOTE_READ_HEADERS at ["Prometheus spec.remoteRead.headers"];
    /// `filter_external_labels` of `remote_read`.
    Prometheus since (2, 34, 0) => Drop FILTER_EXTERNAL_LABELS at ["Prometheus spec.remoteRead.filterExternalLabels"];
    /// The `otlp` section.
    Prometheus since (2, 55, 0) => Reject OTLP at ["servers otlp"];
    /// `translation_strategy` of `otlp`.
    Prometheus since (3, 0, 0) => Drop OTLP_TRANSLATION_STRATEGY at ["servers otlp.translationStrategy"];
    /// The translation strategy `NoTranslation`.
    Prometheus since (3, 4, 0) => Reject OTLP_NO_TRANSLATION at ["servers otlp.translationStrategy"];
    /// The translation strategy `UnderscoreEscapingWithoutSuffixes`.
    Prometheus since (3, 6, 0) => Reject OTLP_WITHOUT_SUFFIXES at ["servers otlp.translationStrategy"];
    /// `keep_identifying_resource_attributes` of `otlp`.
    Prometheus since (3, 1, 0) => Drop OTLP_KEEP_IDENTIFYING at ["servers otlp.keepIdentifyingResourceAttributes"];
    /// `convert_histograms_to_nhcb` of `otlp`.
    Prometheus since (3, 4, 0) => Drop OTLP_CONVERT_HISTOGRAMS at ["servers otlp.convertHistogramsToNHCB"];
    /// `promote_all_resource_attributes` and `ignore_resource_attributes` of `otlp`.
    Prometheus since (3, 5, 0) => Drop OTLP_ALL_ATTRIBUTES at ["servers otlp.promoteAllResourceAttributes", "servers otlp.ignoreResourceAttributes"];
    /// `promote_scope_metadata` of `otlp`.
    Prometheus since (3, 6, 0) => Drop OTLP_SCOPE_METADATA at ["servers otlp.promoteScopeMetadata"];
    /// `label_name_underscore_sanitization` and `label_name_preserve_multiple_underscores` of `otlp`.
    Prometheus since (3, 8, 0) => Drop OTLP_LABEL_NAMES at ["servers otlp.labelNameUnderscoreSanitization", "servers otlp.labelNamePreserveMultipleUnderscores"];
    /// The relabel actions `lowercase` and `uppercase`.
    Prometheus since (2, 36, 0) => Reject RELABEL_CASE_ACTIONS at ["relabelings action"];
    /// The relabel actions `keepequal` and `dropequal`.
    Prometheus since (2, 41, 0) => Reject RELABEL_EQUAL_ACTIONS at ["relabelings action"];
    /// The port of the scheme in the address of a target that has none.
    Prometheus since (2, 0, 0) until (3, 0, 0, any) => Drop DEFAULT_SCRAPE_PORT about "what a target's address is where it has no port";
    /// Label names of any characters.
    Prometheus since (3, 0, 0) by (0, 86, 0) => Reject UTF8_LABEL_NAMES at ["relabelings targetLabel", "relabelings sourceLabels", "PrometheusRule spec.groups.labels", "PrometheusRule spec.groups.rules.labels", "Probe spec.targets.staticConfig.labels", "ScrapeConfig spec.staticConfigs.labels"];
    /// `--log.format`.
    Prometheus since (2, 6, 0) => Drop LOG_FORMAT at ["servers logFormat"];
    /// `--web.page-title`.
    Prometheus since (2, 6, 0) => Drop PAGE_TITLE at ["servers web.pageTitle"];
    /// `--web.config.file`: TLS and HTTP settings of the web server.
    Prometheus since (2, 24, 0) => Drop WEB_CONFIG at ["servers web.tlsConfig", "servers web.httpConfig"];
    /// `--enable-feature`.
    Prometheus since (2, 25, 0) => Drop ENABLE_FEATURE at ["servers enableFeatures"];
    /// `--web.enable-remote-write-receiver`.
    Prometheus since (2, 33, 0) => Drop REMOTE_WRITE_RECEIVER at ["servers enableRemoteWriteReceiver"];
    /// `--web.remote-write-receiver.accepted-protobuf-messages`.
    Prometheus since (2, 54, 0) => Drop RECEIVER_MESSAGE_VERSIONS at ["servers remoteWriteReceiverMessageVersions"];
    /// Version 2 of remote write.
    Prometheus since (2, 54, 0) => Drop REMOTE_WRITE_V2 at ["servers remoteWrite.messageVersion"];
    /// `--enable-feature=metadata-wal-records`, which version 2 of remote write needed at first.
    Prometheus since (2, 54, 0) until (3, 4, 0) => Fallback METADATA_WAL_RECORDS at ["servers remoteWrite.messageVersion"];
    /// `--enable-feature=otlp-write-receiver`, since 3.0 an argument of its own.
    Prometheus since (2, 47, 0) => Drop OTLP_RECEIVER_FEATURE at ["servers enableOTLPReceiver"];
    /// `--storage.tsdb.retention.size` and `.time`, before that `--storage.tsdb.retention`.
    Prometheus since (2, 7, 0) => Drop RETENTION_SIZE at ["Prometheus spec.retention", "Prometheus spec.retentionSize"];
    /// `--rules.alert.*`.
    Prometheus since (2, 4, 0) => Drop RULE_ALERT_FLAGS at ["Prometheus spec.rules.alert"];
    /// `--query.max-samples`.
    Prometheus since (2, 5, 0) => Drop QUERY_MAX_SAMPLES at ["Prometheus spec.query.maxSamples"];
    /// `--storage.tsdb.allow-overlapping-blocks`, which then became the rule.
    Prometheus since (2, 11, 0) until (2, 39, 0) => Drop ALLOW_OVERLAPPING_BLOCKS at ["Prometheus spec.allowOverlappingBlocks"];
    /// Arguments and feature flags that 3.0 removed, such as `alertmanager.timeout`.
    Prometheus since (2, 0, 0) until (3, 0, 0, any) => Reject ARGUMENTS_BEFORE_3 at ["servers additionalArgs.name", "servers enableFeatures"];
    /// `--enable-feature=ooo-native-histograms`: histograms out of order are always taken since 3.4.
    Prometheus since (2, 54, 0) until (3, 4, 0) => Drop FEATURE_OOO_HISTOGRAMS at ["servers enableFeatures"];
    /// `--enable-feature=native-histograms`, which is `scrape_native_histograms` since 3.9.
    Prometheus since (2, 40, 0) until (3, 9, 0) => Drop FEATURE_NATIVE_HISTOGRAMS at ["servers enableFeatures"];
    /// `--enable-feature=promql-duration-expr`: expressions of durations always work since 3.14.
    Prometheus since (3, 4, 0) until (3, 14, 0) => Drop FEATURE_DURATION_EXPRESSIONS at ["servers enableFeatures"];
    /// `--enable-feature=xor2-encoding`, which is deprecated since 3.15.
    Prometheus since (3, 11, 0) until (3, 15, 0) => Fallback FEATURE_XOR2 at ["servers enableFeatures"];
    /// `--enable-feature=promql-extended-range-selectors`: `anchored` and `smoothed` always work since 3.16.
    Prometheus since (3, 7, 0) until (3, 16, 0) => Drop FEATURE_RANGE_SELECTORS at ["servers enableFeatures"];
    /// `--log.level`, which is `runtime.log_level` of the configuration since 3.15, and deprecated.
    Prometheus since (2, 0, 0) until (3, 15, 0) => Fallback LOG_LEVEL_ARGUMENT at ["servers additionalArgs.name"];
    /// `--storage.tsdb.wal-compression`. Agents get theirs whatever the version.
    Prometheus since (2, 11, 0) => Drop WAL_COMPRESSION at ["Prometheus spec.walCompression"];
    /// `--no-storage.tsdb.allow-overlapping-compaction`.
    Prometheus since (2, 55, 0) => Fallback ALLOW_OVERLAPPING_COMPACTION at ["Prometheus spec.disableCompaction", "Prometheus spec.thanos.objectStorageConfig"];
    /// `--storage.tsdb.delay-compact-file.path`, before that no compaction beside a sidecar that uploads.
    Prometheus since (3, 9, 0) by (0, 93, 0) => Fallback DELAYED_COMPACTION at ["Prometheus spec.thanos.objectStorageConfig", "Prometheus spec.thanos.objectStorageConfigFile"];
    /// The file of uploaded blocks by which Prometheus delays compaction.
    Thanos since (0, 42, 0) was (0, 41, 0) before (0, 94, 0) => Fallback THANOS_DELAYED_COMPACTION at ["Prometheus spec.thanos.objectStorageConfig", "Prometheus spec.thanos.objectStorageConfigFile"];
    /// `--prometheus.http-client-file` of the sidecar.
    Thanos since (0, 24, 0) => Fallback THANOS_HTTP_CLIENT at ["Prometheus spec.thanos"];
    /// `--prometheus.get_config_timeout` and `--prometheus.get_config_interval` of the sidecar.
    Thanos since (0, 29, 0) => Drop THANOS_GET_CONFIG at ["Prometheus spec.thanos.getConfigTimeout", "Prometheus spec.thanos.getConfigInterval"];
    /// `--grpc-server-tls-min-version`.
    Thanos since (0, 37, 0) by (0, 90, 0) => Drop THANOS_TLS_MIN_VERSION at ["Prometheus spec.thanos.grpcServerTlsConfig.minVersion", "ThanosRuler spec.grpcServerTlsConfig.minVersion"];
    /// `--grpc-server-tls-ciphers` and `--grpc-server-tls-curves`.
    Thanos since (0, 42, 0) => Drop THANOS_TLS_CIPHERS at ["Prometheus spec.thanos.grpcServerTlsConfig.cipherSuites", "Prometheus spec.thanos.grpcServerTlsConfig.curves", "ThanosRuler spec.grpcServerTlsConfig.cipherSuites", "ThanosRuler spec.grpcServerTlsConfig.curves"];
    /// `limit` of a rule group.
    Prometheus since (2, 31, 0) => Drop RULE_GROUP_LIMIT at ["PrometheusRule spec.groups.limit"];
    /// `query_offset` of a rule group.
    Prometheus since (2, 53, 0) => Drop RULE_GROUP_QUERY_OFFSET at ["PrometheusRule spec.groups.query_offset"];
    /// `labels` of a rule group.
    Prometheus since (3, 0, 0) => Drop RULE_GROUP_LABELS at ["PrometheusRule spec.groups.labels"];
    /// `keep_firing_for` of an alerting rule.
    Prometheus since (2, 42, 0) => Drop RULE_KEEP_FIRING_FOR at ["PrometheusRule spec.groups.rules.keep_firing_for"];
    /// `limit` of a rule group, for Thanos.
    Thanos since (0, 24, 0) => Drop THANOS_RULE_GROUP_LIMIT at ["PrometheusRule spec.groups.limit"];
    /// `query_offset` of a rule group, for Thanos.
    Thanos since (0, 38, 0) => Drop THANOS_RULE_GROUP_QUERY_OFFSET at ["PrometheusRule spec.groups.query_offset"];
    /// `labels` of a rule group, for Thanos.
    Thanos since (0, 39, 0) => Drop THANOS_RULE_GROUP_LABELS at ["PrometheusRule spec.groups.labels"];
    /// `keep_firing_for` of an alerting rule, for Thanos.
    Thanos since (0, 34, 0) => Drop THANOS_RULE_KEEP_FIRING_FOR at ["PrometheusRule spec.groups.rules.keep_firing_for"];
    /// `--rule-query-offset` of Thanos Ruler.
    Thanos since (0, 38, 0) => Drop RULER_QUERY_OFFSET at ["ThanosRuler spec.ruleQueryOffset"];
    /// `--rule-concurrent-evaluation` of Thanos Ruler.
    Thanos since (0, 37, 0) => Drop RULER_CONCURRENT_EVALUATION at ["ThanosRuler spec.ruleConcurrentEval"];
    /// `--for-outage-tolerance` and `--for-grace-period` of Thanos Ruler.
    Thanos since (0, 30, 0) => Drop RULER_RESTORATION at ["ThanosRuler spec.ruleOutageTolerance", "ThanosRuler spec.ruleGracePeriod"];
    /// `--enable-feature` of Thanos Ruler.
    Thanos since (0, 39, 0) => Drop RULER_ENABLE_FEATURE at ["ThanosRuler spec.enableFeatures"];
    /// `--http.config` of Thanos Ruler: TLS and HTTP settings of the web server.
    Thanos since (0, 21, 0) => Drop RULER_WEB_CONFIG at ["ThanosRuler spec.web.tlsConfig", "ThanosRuler spec.web.httpConfig"];
    /// `--remote-write.config-file` of Thanos Ruler.
    Thanos since (0, 24, 0) => Reject RULER_REMOTE_WRITE at ["ThanosRuler spec.remoteWrite"];
    /// `min_version` of `tls_config` in the remote write of Thanos Ruler.
    Thanos since (0, 28, 0) => Drop RULER_TLS_MIN_VERSION at ["ThanosRuler spec.remoteWrite.**.tlsConfig.minVersion"];
    /// `max_version` of `tls_config` in the remote write of Thanos Ruler.
    Thanos since (0, 30, 0) => Drop RULER_TLS_MAX_VERSION at ["ThanosRuler spec.remoteWrite.**.tlsConfig.maxVersion"];
    /// `send_native_histograms` in the remote write of Thanos Ruler.
    Thanos since (0, 30, 0) => Drop RULER_NATIVE_HISTOGRAMS at ["ThanosRuler spec.remoteWrite.sendNativeHistograms"];
    /// `azuread` in the remote write of Thanos Ruler.
    Thanos since (0, 31, 0) => Drop RULER_AZURE_AD at ["ThanosRuler spec.remoteWrite.azureAd"];
    /// `no_proxy`, `proxy_from_environment` and `proxy_connect_header` in the remote write of Thanos Ruler.
    Thanos since (0, 32, 0) => Drop RULER_PROXY_SETTINGS at ["ThanosRuler spec.remoteWrite.**.noProxy", "ThanosRuler spec.remoteWrite.**.proxyFromEnvironment", "ThanosRuler spec.remoteWrite.**.proxyConnectHeader"];
    /// `sample_age_limit` of `queue_config` in the remote write of Thanos Ruler.
    Thanos since (0, 32, 0) => Drop RULER_SAMPLE_AGE_LIMIT at ["ThanosRuler spec.remoteWrite.queueConfig.sampleAgeLimit"];
    /// `sdk` of `azuread` in the remote write of Thanos Ruler.
    Thanos since (0, 36, 0) => Drop RULER_AZURE_SDK at ["ThanosRuler spec.remoteWrite.azureAd.sdk"];
    /// `protobuf_message` in the remote write of Thanos Ruler.
    Thanos since (0, 37, 0) => Drop RULER_REMOTE_WRITE_MESSAGE at ["ThanosRuler spec.remoteWrite.messageVersion"];
    /// `round_robin_dns` in the remote write of Thanos Ruler.
    Thanos since (0, 38, 0) => Drop RULER_ROUND_ROBIN_DNS at ["ThanosRuler spec.remoteWrite.roundRobinDNS"];
    /// A managed identity without `client_id` in `azuread` of Thanos Ruler.
    Thanos since (0, 40, 0) => Reject RULER_AZURE_SYSTEM_IDENTITY at ["ThanosRuler spec.remoteWrite.azureAd.managedIdentity.clientId"];
    /// Label names of any characters, for Thanos.
    Thanos since (0, 38, 0) by (0, 86, 0) => Reject THANOS_UTF8_LABEL_NAMES at ["PrometheusRule spec.groups.labels", "PrometheusRule spec.groups.rules.labels", "ThanosRuler spec.labels"];
    /// Alertmanager as the operator runs it, before 1.0.
    Alertmanager since (0, 15, 0) until (1, 0, 0, any) => Reject AM_SUPPORTED at ["Alertmanager spec.version"];
    /// `--log.format` of Alertmanager.
    Alertmanager since (0, 16, 0) => Drop AM_LOG_FORMAT at ["Alertmanager spec.logFormat"];
    /// `--web.get-concurrency` and `--web.timeout` of Alertmanager.
    Alertmanager since (0, 17, 0) => Drop AM_WEB_LIMITS at ["Alertmanager spec.web.getConcurrency", "Alertmanager spec.web.timeout"];
    /// `--web.config.file` of Alertmanager: TLS and HTTP settings of the web server.
    Alertmanager since (0, 22, 0) => Drop AM_WEB_CONFIG at ["Alertmanager spec.web.tlsConfig", "Alertmanager spec.web.httpConfig"];
    /// `--cluster.tls-config` of Alertmanager.
    Alertmanager since (0, 24, 0) by (0, 81, 0) => Drop AM_CLUSTER_TLS at ["Alertmanager spec.clusterTLS"];
    /// `--cluster.label` of Alertmanager.
    Alertmanager since (0, 26, 0) => Drop AM_CLUSTER_LABEL at ["Alertmanager spec.clusterLabel"];
    /// `--enable-feature` of Alertmanager.
    Alertmanager since (0, 27, 0) => Drop AM_ENABLE_FEATURE at ["Alertmanager spec.enableFeatures"];
    /// `--enable-feature=auto-gomaxprocs` of Alertmanager, which is always on since 0.29, and unknown since 0.33.
    Alertmanager since (0, 28, 0) until (0, 33, 0) => Reject AM_FEATURE_GOMAXPROCS at ["Alertmanager spec.enableFeatures"];
    /// `--silences.max-silences` and `--silences.max-per-silence-bytes` of Alertmanager.
    Alertmanager since (0, 28, 0) => Drop AM_SILENCE_LIMITS at ["Alertmanager spec.limits.maxSilences", "Alertmanager spec.limits.maxPerSilenceBytes"];
    /// `--dispatch.start-delay` of Alertmanager.
    Alertmanager since (0, 30, 0) by (0, 88, 0) => Fallback AM_START_DELAY at ["Alertmanager spec.minReadySeconds"];
    /// `--cluster.peer-name` of Alertmanager.
    Alertmanager since (0, 30, 0) by (0, 93, 0) => Fallback AM_PEER_NAME at ["Alertmanager spec.clusterPeerName"];
    /// `slack_api_url_file` and `api_url_file` of Slack, in the configuration of Alertmanager.
    Alertmanager since (0, 22, 0) => Drop AM_SLACK_URL_FILE about "what stands in a configuration Secret";
    /// `authorization`, `oauth2` and `follow_redirects` of a receiver.
    Alertmanager since (0, 22, 0) => Drop AM_HTTP_AUTHORIZATION at ["receivers authorization", "receivers oauth2", "receivers followRedirects"];
    /// `api_key_file`, `entity` and `actions` of OpsGenie receivers.
    Alertmanager since (0, 24, 0) => Drop AM_OPSGENIE_KEY_FILE at ["AlertmanagerConfig spec.receivers.opsgenieConfigs.entity", "AlertmanagerConfig spec.receivers.opsgenieConfigs.actions"];
    /// `time_intervals` and `active_time_intervals` in the configuration of Alertmanager.
    Alertmanager since (0, 24, 0) => Drop AM_TIME_INTERVALS at ["AlertmanagerConfig spec.route.activeTimeIntervals", "AlertmanagerConfig spec.muteTimeIntervals"];
    /// Days from the end of a month are counted by the calendar, before that by hours.
    Alertmanager since (0, 35, 0) => Fallback AM_CALENDAR_DAYS about "when a route is active";
    /// Files with passwords of mail, VictorOps and PagerDuty receivers.
    Alertmanager since (0, 25, 0) => Drop AM_PASSWORD_FILES about "what stands in a configuration Secret";
    /// `enable_http2`, `min_version` and `max_version` of a receiver.
    Alertmanager since (0, 25, 0) => Drop AM_HTTP_TLS_VERSIONS at ["receivers enableHttp2", "receivers **.tlsConfig.minVersion", "receivers **.tlsConfig.maxVersion"];
    /// `no_proxy`, `proxy_from_environment` and `proxy_connect_header` of a receiver.
    Alertmanager since (0, 26, 0) => Drop AM_PROXY at ["receivers noProxy", "receivers proxyFromEnvironment", "receivers proxyConnectHeader"];
    /// `url_file` of webhooks.
    Alertmanager since (0, 26, 0) => Drop AM_WEBHOOK_URL_FILE about "what stands in a configuration Secret";
    /// `summary` of Microsoft Teams receivers.
    Alertmanager since (0, 27, 0) => Drop AM_MSTEAMS_SUMMARY at ["AlertmanagerConfig spec.receivers.msteamsConfigs.summary"];
    /// `content`, `username` and `avatar_url` of Discord receivers.
    Alertmanager since (0, 28, 0) => Drop AM_DISCORD_SENDER at ["AlertmanagerConfig spec.receivers.discordConfigs.content", "AlertmanagerConfig spec.receivers.discordConfigs.username", "AlertmanagerConfig spec.receivers.discordConfigs.avatarURL"];
    /// `labels` of routes.
    Alertmanager since (0, 34, 0) by (0, 95, 0) => Drop AM_ROUTE_LABELS at ["AlertmanagerConfig spec.route.labels"];
    /// Types of receivers of OpsGenie, PagerDuty, Telegram and Microsoft Teams by workflows have packages of their own in errors.
    Alertmanager since (0, 34, 0) => Fallback AM_PACKAGES about "the text of an error";
    /// Types of receivers of Discord, incident.io, Jira, Mattermost, Microsoft Teams and webhooks have packages of their own in errors.
    Alertmanager since (0, 33, 0) => Fallback AM_FIRST_PACKAGES about "the text of an error";
    /// Types of URLs, inhibit rules and conditions have a package of their own in errors.
    Alertmanager since (0, 32, 0) => Fallback AM_COMMON_PACKAGE about "the text of an error";
    /// The operator masks passwords in the URLs of the global settings, because the package of Alertmanager does.
    Alertmanager since (0, 32, 0) => Fallback AM_MASKED_URLS at ["Alertmanager spec.alertmanagerConfiguration.global.opsGenieApiUrl", "Alertmanager spec.alertmanagerConfiguration.global.pagerdutyUrl"];
    /// An IPv6 address of a mail server has brackets where the operator writes it again.
    Alertmanager since (0, 32, 0) => Fallback AM_BRACKETED_HOSTS at ["Alertmanager spec.alertmanagerConfiguration.global.smtp.smartHost", "AlertmanagerConfig spec.receivers.emailConfigs.smarthost"];
    /// `webhook_url_file` of Discord receivers in a configuration Secret.
    Alertmanager since (0, 28, 0) by (0, 94, 0) => Drop AM_DISCORD_URL_FILE about "what stands in a configuration Secret";
    /// `http_headers` of a receiver.
    Alertmanager since (0, 28, 0) => Drop AM_HTTP_HEADERS about "what stands in a configuration Secret";
    /// `smtp_tls_config` in the configuration of Alertmanager.
    Alertmanager since (0, 28, 0) => Drop AM_SMTP_TLS at ["Alertmanager spec.alertmanagerConfiguration.global.smtp.tlsConfig"];
    /// `timeout` of webhooks.
    Alertmanager since (0, 28, 0) => Drop AM_WEBHOOK_TIMEOUT at ["AlertmanagerConfig spec.receivers.webhookConfigs.timeout"];
    /// `api_type` of Jira receivers.
    Alertmanager since (0, 29, 0) => Drop AM_JIRA_API_TYPE about "what stands in a configuration Secret";
    /// Apps of Slack: `app_token`, `app_token_file` and `app_url`.
    Alertmanager since (0, 30, 0) => Drop AM_SLACK_APP about "what stands in a configuration Secret";
    /// Files with secrets of mail, WeChat and Telegram receivers, and implicit TLS of mails.
    Alertmanager since (0, 31, 0) => Drop AM_SECRET_FILES at ["AlertmanagerConfig spec.receivers.emailConfigs.forceImplicitTLS", "Alertmanager spec.alertmanagerConfiguration.global.smtp.forceImplicitTLS"];
    /// `payload` of webhooks.
    Alertmanager since (0, 32, 0) => Drop AM_WEBHOOK_PAYLOAD at ["AlertmanagerConfig spec.receivers.webhookConfigs.payload"];
    /// `update_message` of Slack receivers.
    Alertmanager since (0, 32, 0) => Drop AM_SLACK_UPDATES at ["AlertmanagerConfig spec.receivers.slackConfigs.updateMessage"];
    /// `mattermost_webhook_url` for all receivers, and attachments at the top level of Mattermost receivers.
    Alertmanager since (0, 32, 0) => Drop AM_MATTERMOST_GLOBAL about "what stands in a configuration Secret";
    /// `external_id` of SNS receivers.
    Alertmanager since (0, 34, 0) was (0, 33, 0) before (0, 94, 0) => Drop AM_SNS_EXTERNAL_ID at ["AlertmanagerConfig spec.receivers.snsConfigs.sigv4.externalId"];
    /// `use_aws_http_client` of SNS receivers.
    Alertmanager since (0, 33, 0) => Drop AM_SNS_AWS_CLIENT at ["AlertmanagerConfig spec.receivers.snsConfigs.useAWSHTTPClient"];
    /// `matchers` of routes, `source_matchers` and `target_matchers` of inhibit rules.
    Alertmanager since (0, 22, 0) => Reject AM_MATCHERS at ["AlertmanagerConfig spec.route.matchers", "AlertmanagerConfig spec.inhibitRules.sourceMatch", "AlertmanagerConfig spec.inhibitRules.targetMatch"];
    /// `mute_time_intervals` in the configuration of Alertmanager.
    Alertmanager since (0, 22, 0) => Drop AM_MUTE_TIME_INTERVALS at ["AlertmanagerConfig spec.muteTimeIntervals", "AlertmanagerConfig spec.route.muteTimeIntervals"];
    /// `location` of time intervals.
    Alertmanager since (0, 25, 0) => Drop AM_TIME_LOCATION about "what stands in a configuration Secret";
    /// The proxy settings of `oauth2` of a receiver.
    Alertmanager since (0, 25, 0) => Drop AM_OAUTH2_PROXY at ["receivers oauth2.proxyUrl", "receivers oauth2.noProxy", "receivers oauth2.proxyFromEnvironment", "receivers oauth2.proxyConnectHeader"];
    /// `proxyUrl`, `noProxy` and the like of an AlertmanagerConfig's receiver.
    Alertmanager since (0, 25, 0) => Reject AM_RECEIVER_PROXY at ["AlertmanagerConfig spec.receivers.*.httpConfig.proxyUrl", "AlertmanagerConfig spec.receivers.*.httpConfig.proxyURL", "AlertmanagerConfig spec.receivers.*.httpConfig.noProxy", "AlertmanagerConfig spec.receivers.*.httpConfig.proxyFromEnvironment", "AlertmanagerConfig spec.receivers.*.httpConfig.proxyConnectHeader"];
    /// `update_alerts` of OpsGenie receivers.
    Alertmanager since (0, 24, 0) => Drop AM_OPSGENIE_UPDATE at ["AlertmanagerConfig spec.receivers.opsgenieConfigs.updateAlerts"];
    /// `source` of PagerDuty receivers.
    Alertmanager since (0, 25, 0) => Drop AM_PAGERDUTY_SOURCE at ["AlertmanagerConfig spec.receivers.pagerdutyConfigs.source"];
    /// `user_key_file`, `token_file` and `device` of Pushover receivers.
    Alertmanager since (0, 26, 0) => Drop AM_PUSHOVER_FILES at ["AlertmanagerConfig spec.receivers.pushoverConfigs.userKeyFile", "AlertmanagerConfig spec.receivers.pushoverConfigs.tokenFile", "AlertmanagerConfig spec.receivers.pushoverConfigs.device"];
    /// `ttl` of Pushover receivers.
    Alertmanager since (0, 27, 0) => Drop AM_PUSHOVER_TTL at ["AlertmanagerConfig spec.receivers.pushoverConfigs.ttl"];
    /// `monospace` of Pushover receivers.
    Alertmanager since (0, 29, 0) => Drop AM_PUSHOVER_MONOSPACE at ["AlertmanagerConfig spec.receivers.pushoverConfigs.monospace"];
    /// `bot_token_file` and `message_thread_id` of Telegram receivers.
    Alertmanager since (0, 26, 0) => Drop AM_TELEGRAM_FILES at ["AlertmanagerConfig spec.receivers.telegramConfigs.botTokenFile", "AlertmanagerConfig spec.receivers.telegramConfigs.messageThreadID"];
    /// `timeout` of PagerDuty and Slack receivers.
    Alertmanager since (0, 30, 0) => Drop AM_RECEIVER_TIMEOUT at ["AlertmanagerConfig spec.receivers.pagerdutyConfigs.timeout", "AlertmanagerConfig spec.receivers.slackConfigs.timeout"];
    /// Telegram receivers.
    Alertmanager since (0, 24, 0) => Reject AM_TELEGRAM at ["AlertmanagerConfig spec.receivers.telegramConfigs", "Alertmanager spec.alertmanagerConfiguration.global.telegram"];
    /// Discord receivers.
    Alertmanager since (0, 25, 0) => Reject AM_DISCORD at ["AlertmanagerConfig spec.receivers.discordConfigs"];
    /// Webex receivers.
    Alertmanager since (0, 25, 0) => Reject AM_WEBEX at ["AlertmanagerConfig spec.receivers.webexConfigs", "Alertmanager spec.alertmanagerConfiguration.global.webex"];
    /// Microsoft Teams receivers.
    Alertmanager since (0, 26, 0) => Reject AM_MSTEAMS at ["AlertmanagerConfig spec.receivers.msteamsConfigs"];
    /// Microsoft Teams receivers by workflows.
    Alertmanager since (0, 28, 0) => Reject AM_MSTEAMSV2 at ["AlertmanagerConfig spec.receivers.msteamsv2Configs"];
    /// Jira receivers.
    Alertmanager since (0, 28, 0) => Reject AM_JIRA at ["Alertmanager spec.alertmanagerConfiguration.global.jira"];
    /// Rocket.Chat receivers.
    Alertmanager since (0, 28, 0) => Reject AM_ROCKETCHAT at ["AlertmanagerConfig spec.receivers.rocketchatConfigs", "Alertmanager spec.alertmanagerConfiguration.global.rocketChat"];
    /// incident.io receivers.
    Alertmanager since (0, 29, 0) => Reject AM_INCIDENTIO about "what stands in a configuration Secret";
    /// Mattermost receivers.
    Alertmanager since (0, 30, 0) => Reject AM_MATTERMOST about "what stands in a configuration Secret";
    /// `botTokenFile` of Telegram in an AlertmanagerConfig.
    Alertmanager since (0, 26, 0) => Reject AM_BOT_TOKEN_FILE at ["AlertmanagerConfig spec.receivers.telegramConfigs.botTokenFile"];
    /// Values of PagerDuty's `details` that are no texts.
    Alertmanager since (0, 30, 0) => Reject AM_DETAILS about "what stands in a configuration Secret";
    /// `threading` of mail in an AlertmanagerConfig.
    Alertmanager since (0, 30, 0) => Reject AM_THREADING at ["AlertmanagerConfig spec.receivers.emailConfigs.threading"];
    /// `messageText` of Slack in an AlertmanagerConfig.
    Alertmanager since (0, 31, 0) => Reject AM_MESSAGE_TEXT at ["AlertmanagerConfig spec.receivers.slackConfigs.messageText"];
    /// `global.mattermost` of `alertmanagerConfiguration`.
    Alertmanager since (0, 32, 0) => Reject AM_GLOBAL_MATTERMOST at ["Alertmanager spec.alertmanagerConfiguration.global.mattermost"];
    /// Responders `teams` of OpsGenie in an AlertmanagerConfig.
    Alertmanager since (0, 24, 0) => Reject AM_OPSGENIE_TEAMS at ["AlertmanagerConfig spec.receivers.opsgenieConfigs.responders.type"];
    /// `forceImplicitTLS` of mail in an AlertmanagerConfig.
    Alertmanager since (0, 31, 0) => Reject AM_IMPLICIT_TLS at ["AlertmanagerConfig spec.receivers.emailConfigs.forceImplicitTLS"];
    /// `payload` of webhooks in an AlertmanagerConfig.
    Alertmanager since (0, 32, 0) => Reject AM_PAYLOAD at ["AlertmanagerConfig spec.receivers.webhookConfigs.payload"];
    /// `updateMessage` of Slack in an AlertmanagerConfig.
    Alertmanager since (0, 32, 0) => Reject AM_UPDATE_MESSAGE at ["AlertmanagerConfig spec.receivers.slackConfigs.updateMessage"];
    /// `useAWSHTTPClient` of SNS in an AlertmanagerConfig.
    Alertmanager since (0, 33, 0) => Reject AM_AWS_HTTP_CLIENT at ["AlertmanagerConfig spec.receivers.snsConfigs.useAWSHTTPClient"];
    /// Labels of a Probe's static targets are checked.
    Operator since (0, 92, 0) => Fallback PROBE_LABELS_CHECK at ["Probe spec.targets.staticConfig.labels"];
    /// The error about a certificate with two sources names both.
    Operator since (0, 92, 0) => Fallback TLS_SOURCES_NAMED about "the text of an error";
    /// The proxy settings of `oauth2` are checked.
    Operator since (0, 92, 0) => Fallback OAUTH2_PROXY_CHECK at ["clients oauth2.proxyUrl"];
    /// `labelmap` takes no references to groups in names of the legacy scheme.
    Operator since (0, 86, 0) until (0, 90, 0) => Fallback LABELMAP_LITERALS at ["relabelings replacement"];
    /// `app.kubernetes.io/version` on the pods of a ThanosRuler.
    Operator since (0, 90, 0) => Fallback RULER_VERSION_LABEL about "a label of pods";
    /// The condition Available joins the reasons of all shards; before, the last one that has any counts.
    Operator since (0, 90, 0) => Fallback JOINED_CONDITIONS about "the status";
    /// Of an unmanaged workload that selects nothing, the status says the latter.
    Operator since (0, 89, 0) => Fallback NO_SELECTED_RESOURCES_FIRST about "the status";
    /// The reason DeprecatedFieldsInUse.
    Operator since (0, 89, 0) => Fallback DEPRECATED_FIELDS_IN_USE about "the status";
    /// Credentials and proxy of `azure_sd_configs`.
    Operator since (0, 89, 0) => Drop AZURE_SD_CLIENT at ["ScrapeConfig spec.azureSDConfigs.basicAuth", "ScrapeConfig spec.azureSDConfigs.authorization", "ScrapeConfig spec.azureSDConfigs.oauth2", "ScrapeConfig spec.azureSDConfigs.tlsConfig", "ScrapeConfig spec.azureSDConfigs.proxyUrl", "ScrapeConfig spec.azureSDConfigs.noProxy", "ScrapeConfig spec.azureSDConfigs.proxyFromEnvironment", "ScrapeConfig spec.azureSDConfigs.proxyConnectHeader"];
    /// `oauth2` of `ionos_sd_configs`.
    Operator since (0, 89, 0) => Drop IONOS_OAUTH2 at ["ScrapeConfig spec.ionosSDConfigs.oauth2"];
    /// Fields of Docker and Hetzner discovery that the version of Prometheus lacks are refused, before that omitted.
    Operator since (0, 89, 0) => Fallback SD_FIELDS_CHECK at ["ScrapeConfig spec.dockerSDConfigs.matchFirstNetwork", "ScrapeConfig spec.hetznerSDConfigs.labelSelector"];
    /// `azureAd.oauth` that the version of Prometheus lacks is refused, before that omitted.
    Operator since (0, 89, 0) => Fallback AZURE_OAUTH_CHECK at ["servers remoteWrite.azureAd.oauth"];
    /// The address of a prober may be an IPv6 address, lack a host, or name its port.
    Operator since (0, 89, 0) => Fallback PROBER_ADDRESSES at ["Probe spec.prober.url"];
    /// The reason NoSelectedResources.
    Operator since (0, 88, 0) => Fallback NO_SELECTED_RESOURCES about "the status";
    /// The reason ConfigurationUnmanaged.
    Operator since (0, 84, 0) => Fallback CONFIGURATION_UNMANAGED about "the status";
    /// Spare ConfigMaps of rule files are mounted, optional and read-only.
    Operator since (0, 87, 0) => Fallback SPARE_RULE_FILES about "volumes of pods";
    /// Schemes are written in lower case, before that as the resource has them.
    Operator since (0, 87, 0) => Fallback LOWER_CASE_SCHEMES at ["ServiceMonitor spec.endpoints.scheme", "PodMonitor spec.podMetricsEndpoints.scheme", "Probe spec.prober.scheme", "ScrapeConfig spec.scheme", "Prometheus spec.alerting.alertmanagers.scheme"];
    /// `scheme` and `path_prefix` of an Alertmanager only where they are set, before that always, the prefix first.
    Operator since (0, 87, 0) => Fallback ALERTMANAGER_DEFAULTS_LEFT_OUT at ["Prometheus spec.alerting.alertmanagers.scheme", "Prometheus spec.alerting.alertmanagers.pathPrefix"];
    /// `app.kubernetes.io/managed-by` on every object.
    Operator since (0, 86, 0) => Fallback MANAGED_BY_LABEL about "a label of objects";
    /// The name of the port of the config reloader that runs first: `reloader-init`, before that `reloader-web`.
    Operator since (0, 86, 0) => Fallback RELOADER_INIT_PORT about "a port of pods";
    /// Verdicts in the status of what a workload selects that cannot be reconciled.
    Operator since (0, 91, 0) => Drop BINDINGS_OF_FAILED about "the status";
    /// Verdicts in the status of configuration resources, which the feature gate switches on since v0.83.
    Operator since (0, 86, 0) => Drop STATUS_BINDINGS about "the status";
    /// `metadata-wal-records` for any version of Prometheus that has the second version of remote write.
    Operator since (0, 80, 0) until (0, 86, 0) => Fallback METADATA_WAL_RECORDS_ALWAYS at ["servers remoteWrite.messageVersion"];
    /// The labels of the pods on what runs them.
    Operator since (0, 85, 0) => Fallback WORKLOAD_LABELS about "labels of objects";
    /// The ports of the peers are targeted by their names.
    Operator since (0, 85, 0) => Fallback NAMED_MESH_PORTS about "ports of a Service";
    /// The error about an argument that is managed already names it, before that the user's own.
    Operator since (0, 85, 0) => Fallback MANAGED_ARGUMENT_NAMED about "the text of an error";
    /// `--no-storage.tsdb.allow-overlapping-compaction`, before that without `no-`.
    Operator since (0, 85, 0) => Fallback NEGATED_COMPACTION_FLAG about "the spelling of an argument";
    /// An endpoint with two ways to authenticate is refused.
    Operator since (0, 85, 0) => Fallback ONE_WAY_CHECK at ["ServiceMonitor spec.endpoints.authorization", "PodMonitor spec.podMetricsEndpoints.authorization", "ServiceMonitor spec.endpoints.oauth2", "PodMonitor spec.podMetricsEndpoints.oauth2"];
    /// The status of a workload whose configuration is the user's says so unless it is paused, and names all selectors.
    Operator since (0, 85, 0) => Fallback UNMANAGED_UNLESS_PAUSED about "the status";
    /// Targets with the label `__tmp_disable_sharding` stay in every shard.
    Operator since (0, 83, 0) => Fallback SHARDING_EXEMPTION about "a label of targets";
    /// The Secret with the remote write of a ThanosRuler.
    Operator since (0, 82, 0) => Drop RULER_REMOTE_WRITE_SECRET at ["ThanosRuler spec.remoteWrite"];
    /// `proxy_url` of a probe's job stands behind its limits, before that behind its scheme.
    Operator since (0, 84, 0) => Fallback PROBE_PROXY_LAST about "the order of a configuration";
    /// The arguments about consoles come first, and for Prometheus 3 too.
    Operator since (0, 80, 0) until (0, 82, 0) => Fallback CONSOLES_FIRST about "the order of arguments";
    /// The translation strategy NoTranslation is refused where the version of Prometheus lacks it.
    Operator since (0, 83, 0) => Fallback OTLP_NO_TRANSLATION_CHECK at ["servers otlp.translationStrategy"];
    /// The role LoadBalancer of OpenStack discovery is refused where the version of Prometheus lacks it.
    Operator since (0, 81, 0) => Fallback OPENSTACK_LOAD_BALANCER_CHECK at ["ScrapeConfig spec.openstackSDConfigs.role"];
    /// The Secret with the configuration of TLS among the peers of an Alertmanager.
    Operator since (0, 81, 0) => Drop CLUSTER_TLS_SECRET at ["Alertmanager spec.clusterTLS"];
    /// EC2 and Lightsail discovery are refused for Prometheus 3.8 and newer. v0.88.1 took it back.
    Operator since (0, 88, 0) until (0, 88, 1) => Fallback AWS_SD_REFUSED at ["ScrapeConfig spec.ec2SDConfigs", "ScrapeConfig spec.lightSailSDConfigs"];
    /// `aws_sd_configs`, which v0.88.0 of the operator asks for.
    Prometheus since (3, 8, 0) => Fallback AWS_SD at ["ScrapeConfig spec.ec2SDConfigs", "ScrapeConfig spec.lightSailSDConfigs"];
    /// `followRedirects` and `enableHttp2` of a Probe, which has the two since v0.88.
    Operator since (0, 90, 1) => Drop PROBE_CLIENT_SETTINGS at ["Probe spec.followRedirects", "Probe spec.enableHttp2"];
    /// `tls_config` of a probe's job stands before its targets.
    Operator since (0, 90, 1) => Fallback PROBE_TLS_FIRST at ["Probe spec.tlsConfig"];
    /// The certificates and versions of `tls_config` with files are checked before its files.
    Operator since (0, 92, 0) => Fallback TLS_SOURCES_FIRST about "the text of an error";
    /// The metadata of remote write that has the second version of the protocol is not sent apart.
    Operator since (0, 93, 0) => Fallback METADATA_WITH_SERIES at ["servers remoteWrite.metadataConfig.send"];
    /// The method WorkloadIdentity of `azureSDConfigs` is told from OAuth.
    Operator since (0, 91, 0) => Fallback AZURE_SD_WORKLOAD_IDENTITY_KNOWN at ["ScrapeConfig spec.azureSDConfigs.authenticationMethod"];
    /// The config reloader watches the folder of the configuration.
    Operator since (0, 91, 0) => Fallback WATCHED_CONFIG_DIR about "an argument of the config reloader";
    /// Shards that are scaled down scrape nothing while their data is retained.
    Operator since (0, 91, 0) => Fallback RETAINED_SHARDS_IDLE at ["Prometheus spec.shardRetentionPolicy"];
    /// A user's probe with another handler takes the place of the operator's; before, it has both.
    Operator since (0, 91, 0) => Fallback ONE_PROBE_HANDLER at ["Prometheus,PrometheusAgent,Alertmanager,ThanosRuler spec.containers.*Probe", "Prometheus,PrometheusAgent,Alertmanager,ThanosRuler spec.initContainers.*Probe"];
    /// A Telegram receiver needs no token of its own from Alertmanager 0.31 on.
    Operator since (0, 91, 0) => Fallback TELEGRAM_TOKEN_CHECK at ["AlertmanagerConfig spec.receivers.telegramConfigs.botToken"];
    /// `botTokenFile` and `disableNotifications` of Telegram are written.
    Operator since (0, 91, 0) => Drop TELEGRAM_TAKEN_OVER at ["AlertmanagerConfig spec.receivers.telegramConfigs.botTokenFile", "AlertmanagerConfig spec.receivers.telegramConfigs.disableNotifications"];
    /// PromQL expressions are checked with the feature flags of the Prometheus that evaluates them.
    Operator since (0, 91, 0) => Fallback PROMQL_FEATURES_CHECK at ["PrometheusRule spec.groups.rules.expr"];
    /// PromQL is parsed as Prometheus 3.14 does: `first_over_time` needs no feature flag.
    Operator since (0, 94, 0) => Fallback PROMQL_3_14 at ["PrometheusRule spec.groups.rules.expr"];
    /// `oauth2` of `consul_sd_configs`: its Secrets are checked, and it is written.
    Operator since (0, 93, 0) => Drop CONSUL_OAUTH2 at ["ScrapeConfig spec.consulSDConfigs.oauth2"];
    /// `--grpc-server-tls-ciphers` and `--grpc-server-tls-curves` of Thanos for each value, instead of one with commas.
    Operator since (0, 93, 1) => Fallback REPEATED_TLS_CIPHERS at ["Prometheus spec.thanos.grpcServerTlsConfig.cipherSuites", "Prometheus spec.thanos.grpcServerTlsConfig.curves", "ThanosRuler spec.grpcServerTlsConfig.cipherSuites", "ThanosRuler spec.grpcServerTlsConfig.curves"];
    /// URLs of Mattermost in a configuration Secret are checked.
    Operator since (0, 94, 0) => Fallback MATTERMOST_URLS_CHECK about "what stands in a configuration Secret";
    /// The availability of OpenStack discovery is written in lower case, before as the resource has it.
    Operator since (0, 94, 0) => Fallback LOWER_CASE_AVAILABILITY at ["ScrapeConfig spec.openstackSDConfigs.availability"];
    /// Durations of an Alertmanager that are zero are ignored, and its status says so with the reason IgnoredFields.
    Operator since (0, 94, 0) => Fallback ZERO_DURATIONS_IGNORED at ["Alertmanager spec.clusterGossipInterval", "Alertmanager spec.clusterPushpullInterval", "Alertmanager spec.clusterPeerTimeout", "Alertmanager spec.retention"];
    /// AlertmanagerConfigs that name files of the container are refused, unless `alertmanagerConfigFileSystemMode` allows them.
    Operator since (0, 95, 0) => Fallback CONFIG_FILES_CHECK at ["AlertmanagerConfig spec.receivers.pushoverConfigs.userKeyFile", "AlertmanagerConfig spec.receivers.pushoverConfigs.tokenFile", "AlertmanagerConfig spec.receivers.telegramConfigs.botTokenFile", "Alertmanager spec.alertmanagerConfigFileSystemMode"];
    /// The conversion from v1beta1 reads `threading` of each mail, and fails without it.
    Operator since (0, 91, 0) until (0, 95, 0) => Fallback BETA_MAILS_NEED_THREADING at ["AlertmanagerConfig spec.receivers.emailConfigs.threading"];
    /// The conversion from v1beta1 keeps the `ttl` of Pushover.
    Operator since (0, 95, 0) => Fallback BETA_PHONES_KEEP_TTL at ["AlertmanagerConfig spec.receivers.pushoverConfigs.ttl"];
    /// The Secrets of `tlsConfig` in `openstackSDConfigs` are checked and mounted.
    Operator since (0, 93, 0) => Fallback OPENSTACK_TLS_SECRETS at ["ScrapeConfig spec.openstackSDConfigs.tlsConfig"];
}
