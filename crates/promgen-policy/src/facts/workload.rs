//! The facts of workloads: Prometheus, PrometheusAgent, Alertmanager and ThanosRuler.

use std::collections::BTreeSet;

use promgen_cel::CelValue;
use promgen_compile::output::{Config, Workload, WorkloadKind};
use promgen_text::version::Version;
use promgen_text::yaml::Value;

use crate::facts::object::compiled;
use crate::facts::{borrowed, duration, facts, int, length, list, object, text, unknown};

/// What the facts of a workload are computed from.
pub(crate) struct WorkloadSource<'w> {
    pub(crate) workload: &'w Workload,
    /// The fields of its specification that are filled in later, or that something may override.
    pub(crate) later: BTreeSet<&'w str>,
}

facts! {
    /// The storage of the pods of a workload.
    pub STORAGE "storage";

    /// `volume`, `ephemeral` or `emptyDir`.
    "kind": Text;
    /// The size that it asks for, as it is written: `50Gi`.
    "size": Text;
}

facts! {
    /// A server that samples are sent to.
    pub REMOTE_WRITE "remoteWrite";

    /// Its URL.
    "url": Text;
    /// Its name, if it has one.
    "name": Text;
    /// The section as the configuration has it.
    "config": map_of(&Dyn);
}

facts! {
    /// A Prometheus, PrometheusAgent, Alertmanager or ThanosRuler.
    pub WORKLOAD "workload": WorkloadSource<'w>;

    /// Its kind.
    "kind": Text => |of| Some(borrowed(of.workload.id.kind.kind()));
    /// Its namespace.
    "namespace": Text => |of| Some(borrowed(&of.workload.id.namespace));
    /// Its name.
    "name": Text => |of| Some(borrowed(&of.workload.id.name));
    /// The version of the program: `3.5.0`.
    "version": Text => |of| of.unless_later(&["version", "image"], WorkloadSource::version);
    /// The number of its shards; 1 for kinds without shards.
    "shards": Int => |of| of.unless_later(&["shards", "shardingStrategy"], |of| Some(int(of.workload.plan.shards.len().max(1))));
    /// The pods of each shard. Absent for an agent in the mode DaemonSet.
    "replicas": Int => |of| of.unless_later(&["replicas", "mode"], WorkloadSource::replicas);
    /// The zones that its shards are spread over.
    "zones": list_of(&Text) => |of| Some(list(of.workload.plan.zones.iter().map(|zone| borrowed(zone))));
    /// How long it keeps data. Absent: it has no such bound.
    "retention": Duration => |of| of.unless_later(&["retention", "retentionSize"], WorkloadSource::retention);
    /// How much data it keeps, as it is written: `40GB`. Absent: it has no such bound.
    "retentionSize": Text => |of| of.unless_later(&["retentionSize"], WorkloadSource::retention_size);
    /// The storage of its pods.
    "storage": Object(&STORAGE) => |of| of.unless_later(&["storage"], WorkloadSource::storage);
    /// How often its jobs scrape that do not say so themselves. Absent for what scrapes nothing.
    "scrapeInterval": Duration => |of| of.unless_later(&["scrapeInterval"], WorkloadSource::interval);
    /// The labels that it adds to what it sends. Absent for what runs no Prometheus.
    "externalLabels": map_of(&Text) => |of| of.unless_later(&["externalLabels"], WorkloadSource::external);
    /// Where it sends its samples. Absent for what runs no Prometheus.
    "remoteWrites": list_of(&Object(&REMOTE_WRITE)) => |of| of.unless_later(&["remoteWrite"], WorkloadSource::remote_writes);
    /// The jobs of its configuration, those that the user brings among them.
    "jobs": Int => |of| Some(int(of.workload.jobs().len()));
    /// Whether the operator leaves it as it is: `paused: true`.
    "paused": Bool => |of| of.unless_later(&["paused"], |of| Some(CelValue::Bool(of.workload.is_paused())));
}

impl<'w> WorkloadSource<'w> {
    #[expect(clippy::unused_self, reason = "all sources have it")]
    const fn has_secret(&self, _name: &str) -> bool {
        false
    }

    /// A value that comes from these fields of the specification.
    fn unless_later(
        &self,
        fields: &[&str],
        compute: impl Fn(&Self) -> Option<CelValue<'w>>,
    ) -> Option<CelValue<'w>> {
        match fields.iter().find(|field| self.later.contains(**field)) {
            Some(field) => Some(unknown(format!("`{field}` is filled in later"))),
            None => compute(self),
        }
    }

    /// Why nobody knows its pods: there are none.
    fn without_pods(&self) -> Option<CelValue<'w>> {
        let why = match &self.workload.error {
            Some(error) => format!("it is not reconciled: {error}"),
            None => "it has no pods".to_owned(),
        };
        self.set().is_none().then(|| unknown(why))
    }

    fn spec(&self) -> Option<&'w Value> {
        self.workload.resource.get("spec")
    }

    /// The object that its pods are made of.
    fn set(&self) -> Option<Value> {
        self.workload
            .sets()
            .next()
            .map(|set| set.body.value().into_owned())
    }

    /// The container of its program.
    fn program(&self) -> Option<Value> {
        let set = self.set()?;
        let pod = set.get("spec")?.get("template")?.get("spec")?;
        let name = match self.workload.id.kind {
            WorkloadKind::Alertmanager => "alertmanager",
            WorkloadKind::ThanosRuler => "thanos-ruler",
            WorkloadKind::Prometheus | WorkloadKind::PrometheusAgent => "prometheus",
        };
        let mut containers = pod.items_of("containers").iter();
        containers
            .find(|of| of.text_of("name") == Some(name))
            .cloned()
    }

    /// The value of a flag of its program.
    fn argument(&self, name: &str) -> Option<String> {
        let flag = format!("--{name}=");
        let program = self.program()?;
        let mut arguments = program.items_of("args").iter().filter_map(Value::as_str);
        arguments.find_map(|argument| argument.strip_prefix(&flag).map(str::to_owned))
    }

    /// The tag of the image of its pods, if it is a version, or else the version that its specification names.
    fn version(&self) -> Option<CelValue<'w>> {
        let tag = || {
            let program = self.program()?;
            let (_, tag) = program.text_of("image")?.rsplit_once(':')?;
            let version = tag.strip_prefix('v').unwrap_or(tag);
            Version::parse(version).map(|_| version.to_owned())
        };
        let known = || self.workload.prometheus.as_ref().map(ToString::to_string);
        let written = || self.spec()?.text_of("version").map(str::to_owned);
        let version = tag().or_else(known).or_else(written);
        let version = version.map(|version| text(version.trim_start_matches('v')));
        version.or_else(|| self.without_pods())
    }

    fn replicas(&self) -> Option<CelValue<'w>> {
        let Some(set) = self.set() else {
            return self.without_pods();
        };
        set.get("spec")?.get("replicas").map(|of| match of {
            Value::Int(n) => CelValue::Int(*n),
            _ => unknown("it is filled in later"),
        })
    }

    /// A bound of what it keeps, in releases that have it in the configuration.
    fn in_configuration(&self, key: &str) -> Option<String> {
        let config = self.workload.config.as_ref()?;
        let tsdb = config.sections.get("storage")?.get("tsdb")?;
        Some(tsdb.get("retention")?.text_of(key)?.to_owned())
    }

    /// Whether a bound of what it keeps may stand in a configuration that the user brings.
    fn may_be_brought(&self) -> Option<CelValue<'w>> {
        self.without_pods()
            .or_else(|| self.config().err().flatten())
    }

    fn retention(&self) -> Option<CelValue<'w>> {
        let flags = [
            "storage.tsdb.retention.time",
            "data.retention",
            "tsdb.retention",
        ];
        let by_flag = flags.iter().find_map(|flag| self.argument(flag));
        let written = by_flag.or_else(|| self.in_configuration("time"));
        written.map_or_else(|| self.may_be_brought(), |written| Some(length(&written)))
    }

    fn retention_size(&self) -> Option<CelValue<'w>> {
        let by_flag = self.argument("storage.tsdb.retention.size");
        let written = by_flag.or_else(|| self.in_configuration("size"));
        written.map_or_else(|| self.may_be_brought(), |written| Some(text(written)))
    }

    fn storage(&self) -> Option<CelValue<'w>> {
        let Some(set) = self.set() else {
            return self.without_pods();
        };
        let spec = set.get("spec")?;
        let claims = spec.items_of("volumeClaimTemplates");
        let size = |spec: &Value| {
            let requests = spec.get("resources")?.get("requests")?;
            requests.get("storage")?.scalar_text().map(text)
        };
        if let Some(claim) = claims.first() {
            let size = claim.get("spec").and_then(size);
            return Some(object([("kind", Some(borrowed("volume"))), ("size", size)]));
        }
        let storage = self.spec()?.get("storage");
        let claim =
            storage.and_then(|of| of.get("ephemeral")?.get("volumeClaimTemplate")?.get("spec"));
        Some(match claim {
            Some(claim) => object([("kind", Some(borrowed("ephemeral"))), ("size", size(claim))]),
            None => object([("kind", Some(borrowed("emptyDir"))), ("size", None)]),
        })
    }

    /// The configuration. An error: there is none, or nobody knows it.
    fn config(&self) -> Result<&'w Config, Option<CelValue<'w>>> {
        let why = "the operator writes no configuration for it: it has no selector";
        match &self.workload.config {
            _ if self.workload.prometheus.is_none() => Err(None),
            Some(config) => Ok(config),
            None => Err(Some(unknown(why))),
        }
    }

    fn interval(&self) -> Option<CelValue<'w>> {
        let config = match self.config() {
            Ok(config) => config,
            Err(why) => return why,
        };
        let interval = config.scrape_interval();
        Some(interval.map_or_else(|| unknown("it is filled in later"), duration))
    }

    fn external(&self) -> Option<CelValue<'w>> {
        let config = match self.config() {
            Ok(config) => config,
            Err(why) => return why,
        };
        let labels = config.global().and_then(|of| of.get("external_labels"));
        Some(labels.map_or_else(|| CelValue::map(Vec::new()), compiled))
    }

    fn remote_writes(&self) -> Option<CelValue<'w>> {
        let config = match self.config() {
            Ok(config) => config,
            Err(why) => return why,
        };
        let write = |section: &'w Value| {
            let field = |key| section.get(key).map(compiled);
            let config = Some(compiled(section));
            object([
                ("url", field("url")),
                ("name", field("name")),
                ("config", config),
            ])
        };
        Some(list(
            config.sections.items_of("remote_write").iter().map(write),
        ))
    }
}
