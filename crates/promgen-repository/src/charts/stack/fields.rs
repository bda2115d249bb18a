//! Which value becomes which field of a workload: the meaning of the chart's values, as tables.

/// When a value makes a field.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    /// Always, whatever it is.
    Always,
    /// If it is set: not empty, false or zero.
    Set,
    /// If it is not null.
    Given,
}

/// The conversion of a value to the field.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum FieldSource {
    /// As it is.
    Same,
    /// As it is, with actions of templates filled in.
    Filled,
    /// As a text.
    Text,
    /// As what its text is without quotes.
    Plain,
    /// As a list of such texts, with actions filled in.
    PlainItems,
}

/// A row: a value, and the field that it makes.
pub(super) struct StackField {
    /// The key of the value.
    pub(super) key: &'static str,
    /// The name of the field.
    pub(super) to: &'static str,
    pub(super) when: When,
    pub(super) how: FieldSource,
    /// A PrometheusAgent has it too.
    pub(super) in_agent: bool,
    /// The chart knows it, though its values.yaml does not show it.
    pub(super) is_hidden: bool,
}

const fn field(key: &'static str, when: When, how: FieldSource) -> StackField {
    StackField {
        key,
        to: key,
        when,
        how,
        in_agent: true,
        is_hidden: false,
    }
}

/// As it is, if it is set.
const fn set(key: &'static str) -> StackField {
    field(key, When::Set, FieldSource::Same)
}

/// A scalar, if it is set.
const fn plain(key: &'static str) -> StackField {
    field(key, When::Set, FieldSource::Plain)
}

/// A scalar, always.
const fn always(key: &'static str) -> StackField {
    field(key, When::Always, FieldSource::Plain)
}

/// A text, if it is set.
const fn quoted(key: &'static str) -> StackField {
    field(key, When::Set, FieldSource::Text)
}

/// With actions filled in, if it is set.
const fn filled(key: &'static str) -> StackField {
    field(key, When::Set, FieldSource::Filled)
}

/// A scalar, unless it is null.
const fn given(key: &'static str) -> StackField {
    field(key, When::Given, FieldSource::Plain)
}

impl StackField {
    const fn to(self, to: &'static str) -> Self {
        Self { to, ..self }
    }

    const fn server(self) -> Self {
        Self {
            in_agent: false,
            ..self
        }
    }

    const fn hidden(self) -> Self {
        Self {
            is_hidden: true,
            ..self
        }
    }
}

/// `prometheus.prometheusSpec`.
pub(super) const PROMETHEUS: &[StackField] = &[
    always("automountServiceAccountToken"),
    set("apiserverConfig"),
    set("additionalArgs"),
    filled("externalLabels"),
    plain("enableRemoteWriteReceiver"),
    set("nodeSelector"),
    always("paused"),
    always("replicas"),
    always("shards"),
    always("logLevel"),
    always("logFormat"),
    always("listenLocal"),
    always("enableOTLPReceiver"),
    always("enableAdminAPI").server(),
    set("web"),
    set("exemplars").server(),
    field("enableFeatures", When::Set, FieldSource::PlainItems),
    set("otlp"),
    quoted("serviceName"),
    plain("serviceDiscoveryRole"),
    set("scrapeProtocols"),
    filled("scrapeClasses"),
    set("podTargetLabels"),
    plain("scrapeInterval"),
    plain("scrapeTimeout"),
    plain("evaluationInterval").server(),
    set("resources"),
    field("retention", When::Always, FieldSource::Text).server(),
    quoted("retentionSize").server(),
    always("walCompression"),
    quoted("routePrefix"),
    set("secrets"),
    set("configMaps"),
    filled("serviceMonitorNamespaceSelector"),
    filled("podMonitorNamespaceSelector"),
    filled("probeNamespaceSelector"),
    filled("scrapeConfigNamespaceSelector"),
    filled("ruleNamespaceSelector").server(),
    set("securityContext"),
    set("query").server(),
    filled("storageSpec").to("storage"),
    set("persistentVolumeClaimRetentionPolicy"),
    filled("podMetadata"),
    set("tolerations"),
    set("topologySpreadConstraints"),
    set("containers"),
    set("initContainers"),
    plain("priorityClassName"),
    always("portName"),
    set("volumes"),
    set("volumeMounts"),
    set("arbitraryFSAccessThroughSMs"),
    plain("overrideHonorLabels"),
    plain("overrideHonorTimestamps"),
    plain("ignoreNamespaceSelectors"),
    plain("enforcedSampleLimit"),
    plain("enforcedTargetLimit"),
    plain("enforcedLabelLimit"),
    plain("enforcedLabelNameLengthLimit"),
    plain("enforcedLabelValueLengthLimit"),
    plain("enforcedKeepDroppedTargets"),
    plain("enforcedBodySizeLimit"),
    plain("sampleLimit"),
    plain("targetLimit"),
    plain("labelLimit"),
    plain("labelNameLengthLimit"),
    plain("labelValueLengthLimit"),
    plain("keepDroppedTargets"),
    plain("bodySizeLimit"),
    quoted("queryLogFile").server(),
    quoted("scrapeFailureLogFile"),
    plain("allowOverlappingBlocks").server(),
    plain("disableCompaction").server(),
    plain("minReadySeconds"),
    plain("maximumStartupDurationSeconds"),
    plain("nameValidationScheme"),
    plain("nameEscapingScheme"),
    plain("convertClassicHistogramsToNHCB"),
    plain("scrapeClassicHistograms"),
    plain("scrapeNativeHistograms"),
    plain("reloadStrategy"),
    plain("ruleQueryOffset").server(),
    set("runtime"),
    set("shardingStrategy"),
    set("shardRetentionPolicy").server(),
    set("remoteWriteReceiverMessageVersions"),
    always("hostNetwork"),
    given("hostUsers"),
    set("hostAliases"),
    set("dnsConfig"),
    plain("dnsPolicy"),
    plain("schedulerName"),
    given("enableServiceLinks"),
    plain("podManagementPolicy"),
    set("updateStrategy"),
    given("terminationGracePeriodSeconds"),
    set("tracingConfig"),
];

/// `alertmanager.alertmanagerSpec`.
pub(super) const ALERTMANAGER: &[StackField] = &[
    always("replicas"),
    always("listenLocal"),
    quoted("serviceName"),
    always("automountServiceAccountToken"),
    set("nodeSelector"),
    always("paused"),
    always("logFormat"),
    always("logLevel"),
    field("retention", When::Always, FieldSource::Text),
    set("secrets"),
    quoted("configSecret").hidden(),
    set("configMaps"),
    set("alertmanagerConfiguration"),
    set("alertmanagerConfigMatcherStrategy"),
    set("web"),
    set("resources"),
    quoted("routePrefix"),
    set("securityContext"),
    filled("storage"),
    set("persistentVolumeClaimRetentionPolicy"),
    set("podMetadata"),
    set("tolerations"),
    set("topologySpreadConstraints"),
    set("containers"),
    set("initContainers"),
    plain("priorityClassName"),
    set("additionalPeers"),
    set("additionalArgs"),
    set("volumes"),
    set("volumeMounts"),
    always("portName"),
    plain("clusterAdvertiseAddress"),
    plain("clusterGossipInterval"),
    plain("clusterPeerTimeout"),
    plain("clusterPushpullInterval"),
    plain("clusterLabel"),
    set("clusterTLS"),
    plain("forceEnableClusterMode"),
    plain("minReadySeconds"),
    set("hostAliases"),
    set("limits"),
    plain("schedulerName"),
    given("enableServiceLinks"),
    always("hostNetwork"),
    given("hostUsers"),
    set("dnsConfig"),
    plain("dnsPolicy"),
    plain("podManagementPolicy"),
    set("updateStrategy"),
    given("terminationGracePeriodSeconds"),
];

/// `thanosRuler.thanosRulerSpec`.
pub(super) const THANOS_RULER: &[StackField] = &[
    always("replicas"),
    always("listenLocal"),
    quoted("serviceName"),
    set("nodeSelector"),
    always("paused"),
    always("logFormat"),
    always("logLevel"),
    field("retention", When::Always, FieldSource::Text),
    plain("evaluationInterval"),
    filled("ruleNamespaceSelector"),
    set("alertDropLabels"),
    set("queryEndpoints"),
    set("additionalArgs"),
    set("resources"),
    quoted("routePrefix"),
    set("securityContext"),
    set("storage"),
    set("labels"),
    set("podMetadata"),
    set("tolerations"),
    set("topologySpreadConstraints"),
    set("containers"),
    set("initContainers"),
    plain("priorityClassName"),
    set("volumes"),
    set("volumeMounts"),
    always("portName"),
    set("web"),
    quoted("version"),
    plain("imagePullPolicy"),
    set("enableFeatures"),
    given("enableServiceLinks"),
    given("minReadySeconds"),
    set("dnsConfig"),
    plain("dnsPolicy"),
    set("hostAliases"),
    given("hostUsers"),
    set("remoteWrite"),
    quoted("tracingConfigFile"),
    quoted("alertRelabelConfigFile"),
    quoted("objectStorageConfigFile"),
    set("grpcServerTlsConfig"),
    given("ruleConcurrentEval"),
    plain("ruleOutageTolerance"),
    plain("ruleGracePeriod"),
    plain("ruleQueryOffset"),
    plain("resendDelay"),
    plain("enforcedNamespaceLabel"),
    set("excludedFromEnforcement"),
    plain("podManagementPolicy"),
    set("updateStrategy"),
    given("terminationGracePeriodSeconds"),
];

/// The selectors of a Prometheus that choose by the label of the release unless they are set.
pub(super) const SELECTORS: [(&str, &str, bool); 5] = [
    (
        "serviceMonitorSelector",
        "serviceMonitorSelectorNilUsesHelmValues",
        true,
    ),
    (
        "podMonitorSelector",
        "podMonitorSelectorNilUsesHelmValues",
        true,
    ),
    ("probeSelector", "probeSelectorNilUsesHelmValues", true),
    (
        "scrapeConfigSelector",
        "scrapeConfigSelectorNilUsesHelmValues",
        true,
    ),
    ("ruleSelector", "ruleSelectorNilUsesHelmValues", false),
];

/// Selectors that select everything unless they are set.
pub(super) const NAMESPACES: [(&str, bool); 5] = [
    ("serviceMonitorNamespaceSelector", true),
    ("podMonitorNamespaceSelector", true),
    ("probeNamespaceSelector", true),
    ("scrapeConfigNamespaceSelector", true),
    ("ruleNamespaceSelector", false),
];

/// Configurations of a ThanosRuler that stand in a Secret: the value and field, and the key in the Secret of the chart.
pub(super) const RULER_SECRETS: [(&str, &str); 5] = [
    ("alertmanagersConfig", "alertmanager-configs.yaml"),
    ("objectStorageConfig", "object-storage-configs.yaml"),
    ("queryConfig", "query-configs.yaml"),
    ("tracingConfig", "tracing-configs.yaml"),
    ("alertRelabelConfigs", "alert-relabel-configs.yaml"),
];

/// Lists of a Prometheus that stand in a Secret: the value, that for a Secret of one's own, the field, the end of the name of
/// the chart's Secret, and its key.
pub(super) const PROMETHEUS_SECRETS: [(&str, &str, &str, &str, &str, bool); 3] = [
    (
        "additionalScrapeConfigs",
        "additionalScrapeConfigsSecret",
        "additionalScrapeConfigs",
        "prometheus-scrape-confg",
        "additional-scrape-configs.yaml",
        true,
    ),
    (
        "additionalAlertManagerConfigs",
        "additionalAlertManagerConfigsSecret",
        "additionalAlertManagerConfigs",
        "prometheus-am-confg",
        "additional-alertmanager-configs.yaml",
        false,
    ),
    (
        "additionalAlertRelabelConfigs",
        "additionalAlertRelabelConfigsSecret",
        "additionalAlertRelabelConfigs",
        "prometheus-am-relabel-confg",
        "additional-alert-relabel-configs.yaml",
        false,
    ),
];
