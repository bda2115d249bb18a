//! A scrape job of a configuration, and its fields by their names. Whoever reads jobs asks here.

use std::collections::BTreeSet;

use promgen_text::go::duration::PromDuration;
use promgen_text::source::Span;
use promgen_text::yaml::{Map, Value};

/// The key of the static lists of targets.
const STATIC: &str = "static_configs";
/// The key of the discoveries that ask Kubernetes.
const KUBERNETES: &str = "kubernetes_sd_configs";

/// The key of the relabel rules.
const RULES: &str = "relabel_configs";

/// A scrape job of a configuration.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Job {
    /// Its name: `serviceMonitor/shop/web/0`.
    pub name: String,
    /// Its content, with placeholders.
    pub section: Map,
    /// Its source.
    pub origin: Option<Span>,
    /// The bytes that its content takes in memory, about.
    pub(crate) weight: usize,
}

/// Who finds the targets of a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiscoverySource {
    /// The configuration: `static_configs`.
    Static,
    /// The API server: `kubernetes_sd_configs`.
    Kubernetes,
    /// Another server, or a file.
    Other,
}

/// A section of a job that says where targets come from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DiscoverySection<'j> {
    /// Its key: `consul_sd_configs`.
    pub key: &'j str,
    /// Who finds its targets.
    pub source: DiscoverySource,
    /// Its entries.
    pub entries: &'j [Value],
}

impl Job {
    /// A job that has that content.
    #[must_use]
    pub fn new(section: Map, origin: Option<Span>) -> Self {
        let name = section.text_or_empty("job_name").to_owned();
        Self {
            name,
            weight: section.weight(),
            section,
            origin,
        }
    }

    /// The job without what does not say where its targets come from, but with its relabel rules if asked.
    #[must_use]
    pub fn discovery_alone(&self, with_rules: bool) -> Self {
        let is_kept = |key: &str| source_of(key).is_some() || with_rules && key == RULES;
        let kept = self.section.iter().filter(|(key, _)| is_kept(key));
        Self::new(kept.cloned().collect(), None)
    }

    /// The name that its content gives it. `None` if a Secret hides it, or if it has none.
    #[must_use]
    pub fn written_name(&self) -> Option<&str> {
        self.text("job_name")
    }

    /// The values of the job are hidden: they are in a Secret.
    #[must_use]
    pub fn is_redacted(&self) -> bool {
        self.section.get("job_name").is_some_and(Value::is_stand_in)
    }

    /// The sections that say where its targets come from, in its order.
    pub fn discoveries(&self) -> impl Iterator<Item = DiscoverySection<'_>> {
        self.section.iter().filter_map(|(key, value)| {
            Some(DiscoverySection {
                key,
                source: source_of(key)?,
                entries: value.as_seq().unwrap_or_default(),
            })
        })
    }

    /// The discoveries that ask Kubernetes.
    pub fn kubernetes(&self) -> impl Iterator<Item = KubernetesDiscovery<'_>> {
        KubernetesDiscovery::all(&self.section)
    }

    /// Its relabel rules, with placeholders where shards differ.
    #[must_use]
    pub fn rules(&self) -> &[Value] {
        self.list(RULES)
    }

    /// Its rules for samples.
    #[must_use]
    pub fn metric_rules(&self) -> &[Value] {
        self.list("metric_relabel_configs")
    }

    /// Labels of exporters win over those of targets.
    #[must_use]
    pub fn honors_labels(&self) -> bool {
        self.section.get("honor_labels") == Some(&Value::Bool(true))
    }

    /// How often it scrapes: as it says, or else as often as that. `None` if what it says is no length of time, such as a
    /// placeholder. Prometheus takes 0 for nothing.
    #[must_use]
    pub fn interval_or(&self, default: Option<PromDuration>) -> Option<PromDuration> {
        length_or(&self.section, "scrape_interval", default)
    }

    /// How long a scrape may take, as [`Job::interval_or`].
    #[must_use]
    pub fn timeout_or(&self, default: Option<PromDuration>) -> Option<PromDuration> {
        length_or(&self.section, "scrape_timeout", default)
    }

    /// The scheme of the URL: that of Prometheus, if it sets none.
    #[must_use]
    pub fn scheme(&self) -> &str {
        self.text("scheme")
            .filter(|text| !text.is_empty())
            .unwrap_or("http")
    }

    /// The path of the URL: that of Prometheus, if it sets none.
    #[must_use]
    pub fn metrics_path(&self) -> &str {
        self.text("metrics_path")
            .filter(|text| !text.is_empty())
            .unwrap_or("/metrics")
    }

    /// The parameters of the URL with their values.
    pub fn params(&self) -> impl Iterator<Item = (&str, &[Value])> {
        let params = self
            .section
            .get("params")
            .and_then(Value::as_map)
            .into_iter()
            .flatten();
        params.map(|(name, values)| (&**name, values.as_seq().unwrap_or_default()))
    }

    /// The file with the token that it sends, if it does.
    #[must_use]
    pub fn token_file(&self) -> Option<&str> {
        let in_section = || {
            self.section
                .get("authorization")?
                .get("credentials_file")?
                .as_str()
        };
        self.text("bearer_token_file").or_else(in_section)
    }

    /// The number of sharding rules at its end, given those of the workload: 0 if it ends in another way. The last rule
    /// decides: rules before it may hash another label.
    #[must_use]
    pub fn n_sharing(&self, of_workload: &[Value]) -> Option<usize> {
        (self.rules().last() == of_workload.last()).then_some(of_workload.len())
    }

    /// It asks others than it discovers: its rules change addresses, or there is a proxy.
    #[must_use]
    pub fn is_detour(&self) -> bool {
        let changes = |rule: &Value| {
            let target = rule.get("target_label").and_then(Value::as_str);
            target.is_some_and(|label| {
                matches!(label, "__address__" | "__scheme__" | "__metrics_path__")
            })
        };
        let has_proxy = ["proxy_url", "proxy_from_environment"]
            .iter()
            .any(|key| self.section.get(key).is_some());
        has_proxy || self.rules().iter().any(changes)
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.section.get(key).and_then(Value::as_str)
    }

    fn list(&self, key: &str) -> &[Value] {
        self.section.items_of(key)
    }
}

fn source_of(key: &str) -> Option<DiscoverySource> {
    match key {
        STATIC => Some(DiscoverySource::Static),
        KUBERNETES => Some(DiscoverySource::Kubernetes),
        other => other
            .ends_with("_sd_configs")
            .then_some(DiscoverySource::Other),
    }
}

/// The length of time in a section, or else that. `None` if what is written is no length of time.
pub(super) fn length_or(
    section: &Map,
    key: &str,
    default: Option<PromDuration>,
) -> Option<PromDuration> {
    let Some(written) = section.get(key) else {
        return default;
    };
    let length = written
        .as_str()
        .and_then(|text| PromDuration::parse(text).ok());
    if length.is_some_and(|length| length.millis == 0) {
        default
    } else {
        length
    }
}

/// An entry of `kubernetes_sd_configs`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KubernetesDiscovery<'j>(pub &'j Value);

/// A selector of a discovery.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DiscoverySelector<'j>(&'j Value);

impl<'j> KubernetesDiscovery<'j> {
    /// The keys of a discovery that asks another API server, or asks with other credentials.
    const OTHER_CREDENTIALS: &'static [&'static str] = &[
        "api_server",
        "kubeconfig_file",
        "basic_auth",
        "authorization",
        "bearer_token",
        "bearer_token_file",
        "oauth2",
    ];

    /// Those of a section: a job, or a group of Alertmanagers.
    pub fn all(section: &'j Map) -> impl Iterator<Item = Self> {
        section.items_of(KUBERNETES).iter().map(Self)
    }

    /// Its role, as it is written: empty if it has none. `None` if it is in a Secret.
    #[must_use]
    pub fn role(self) -> Option<&'j str> {
        role(self.0)
    }

    /// The namespaces that it names, without its own.
    pub fn named_namespaces(self) -> impl Iterator<Item = &'j str> {
        let names = self
            .0
            .get("namespaces")
            .and_then(|section| section.get("names"))
            .and_then(Value::as_seq);
        names.unwrap_or_default().iter().filter_map(Value::as_str)
    }

    /// The namespaces, given that of its Prometheus. Empty means all.
    #[must_use]
    pub fn namespaces(self, own: &'j str) -> BTreeSet<&'j str> {
        let is_own = is_true(self.0.get("namespaces"), "own_namespace");
        self.named_namespaces()
            .chain(is_own.then_some(own))
            .collect()
    }

    /// The metadata of that kind of object is attached to targets: `node`, `namespace`.
    #[must_use]
    pub fn attaches(self, kind: &str) -> bool {
        is_true(self.0.get("attach_metadata"), kind)
    }

    /// Its selectors.
    pub fn selectors(self) -> impl Iterator<Item = DiscoverySelector<'j>> {
        self.0.items_of("selectors").iter().map(DiscoverySelector)
    }

    /// It asks another API server than that of its own cluster.
    #[must_use]
    pub fn is_elsewhere(self) -> bool {
        self.0.get("api_server").is_some() || self.0.get("kubeconfig_file").is_some()
    }

    /// It does not ask the own API server as the service account of Prometheus.
    #[must_use]
    pub fn has_other_credentials(self) -> bool {
        Self::OTHER_CREDENTIALS
            .iter()
            .any(|key| self.0.get(key).is_some())
    }
}

impl<'j> DiscoverySelector<'j> {
    /// The role whose objects it selects, as [`KubernetesDiscovery::role`].
    #[must_use]
    pub fn role(self) -> Option<&'j str> {
        role(self.0)
    }

    /// The selector of labels. Empty if there is none.
    #[must_use]
    pub fn label(self) -> &'j str {
        self.0.text_or_empty("label")
    }

    /// The selector of fields. Empty if there is none.
    #[must_use]
    pub fn field(self) -> &'j str {
        self.0.text_or_empty("field")
    }
}

fn role(section: &Value) -> Option<&str> {
    (!section.get("role").is_some_and(Value::is_stand_in)).then(|| section.text_or_empty("role"))
}

fn is_true(section: Option<&Value>, key: &str) -> bool {
    section.and_then(|section| section.get(key)) == Some(&Value::Bool(true))
}
