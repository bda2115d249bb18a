//! The facts of endpoints: the jobs that monitors become.

use std::sync::{Arc, OnceLock};

use promgen_cel::{CelOpenMap, CelValue};
use promgen_compile::output::{Job, Workload};
use promgen_model::lineage::job::ScrapedJob;
use promgen_prometheus::relabel::{CompiledRule, rules};
use promgen_targets::assign::Assigner;
use promgen_targets::discovery::job::{Globals, scrape_labels};
use promgen_targets::discovery::{TargetGroup, TargetLabels, label_set};
use promgen_targets::network::truth::Truth;
use promgen_text::go::duration::PromDuration;
use promgen_text::yaml::{Node, Value};

use crate::facts::object::compiled;
use crate::facts::rule::counted_series;
use crate::facts::{borrowed, duration, facts, int, object, text, unknown};
use crate::world::PolicyWorld;

/// What the facts of an endpoint are computed from.
pub(crate) struct EndpointSource<'p, 'w> {
    pub(crate) cx: &'p PolicyWorld<'w>,
    pub(crate) workload: &'w Workload,
    pub(crate) job: &'w Job,
    /// Its number among the endpoints of its monitor.
    pub(crate) index: usize,
    /// The specification of the monitor.
    pub(crate) spec: Option<&'w Node>,
    /// The endpoint in it.
    pub(crate) node: Option<&'w Node>,
    /// The relabel rules of its targets and samples, in this order. An error: they are not known.
    pub(crate) rules: OnceLock<Result<Vec<CompiledRule>, String>>,
}

facts! {
    /// The limits of a scrape, each absent if there is none: those of the endpoint, of the workload, and enforced ones.
    pub LIMITS "limits";

    /// `sampleLimit`: the samples of a scrape.
    "sample": Int;
    /// `targetLimit`: the targets of the job.
    "target": Int;
    /// `labelLimit`: the labels of a sample.
    "label": Int;
    /// `labelNameLengthLimit`.
    "labelNameLength": Int;
    /// `labelValueLengthLimit`.
    "labelValueLength": Int;
    /// `bodySizeLimit`, as it is written: `10MB`.
    "bodySize": Text;
}

facts! {
    /// An endpoint of a ServiceMonitor, PodMonitor, Probe or ScrapeConfig, as a workload scrapes it. A monitor that several workloads
    /// select has an endpoint for each. What depends on the workload is unknown if none in the input selects the monitor.
    pub ENDPOINT "endpoint": EndpointSource<'p, 'w>;

    /// The number of the endpoint in its monitor, from 0.
    "index": Int => |of| Some(int(of.index));
    /// The name of its job in the configuration: `serviceMonitor/shop/web/0`.
    "job": Text => |of| Some(borrowed(&of.job.name));
    /// The workload that scrapes it: `namespace/name`. Absent: none in the input does.
    "workload": Text => |of| (!of.workload.is_stand_in).then(|| text(of.workload.id.key()));
    /// How often it is scraped: as it says, or as often as the workload says.
    "interval": Duration => EndpointSource::interval;
    /// How long a scrape may take.
    "timeout": Duration => EndpointSource::timeout;
    /// `http` or `https`.
    "scheme": Text => |of| of.later("scheme").or_else(|| Some(borrowed(of.job.scheme())));
    /// The path of its metrics.
    "path": Text => |of| of.later("path").or_else(|| Some(borrowed(of.job.metrics_path())));
    /// Whether labels of exporters win over those of the target, as a workload can override it.
    "honorLabels": Bool => |of| of.later("honorLabels").or_else(|| Some(CelValue::Bool(of.job.honors_labels())));
    /// Its limits.
    "limits": Object(&LIMITS) => EndpointSource::limits;
    /// Whether its relabelings take a label from its targets or samples, for each label. All keys are not known.
    "drops": map_of(&Bool) => EndpointSource::drops;
    /// How many targets in the input it finds. Unknown: none is there, or it asks another server for them.
    "targets": Int => EndpointSource::targets;
    /// How many series a file of `--metrics` has whose name is that of its job. Unknown without such a file.
    "series": Int => EndpointSource::series;
    /// The job as the configuration has it.
    "config": map_of(&Dyn) => |of| of.any_later().or_else(|| Some(CelValue::map(of.job.section.iter().map(|(key, value)| (borrowed(key), compiled(value))).collect())));
}

/// The limits: their facts, the fields of monitors, and the keys of a configuration.
const LIMITS_OF_JOBS: [(&str, &str, &str); 6] = [
    ("sample", "sampleLimit", "sample_limit"),
    ("target", "targetLimit", "target_limit"),
    ("label", "labelLimit", "label_limit"),
    (
        "labelNameLength",
        "labelNameLengthLimit",
        "label_name_length_limit",
    ),
    (
        "labelValueLength",
        "labelValueLengthLimit",
        "label_value_length_limit",
    ),
    ("bodySize", "bodySizeLimit", "body_size_limit"),
];

impl<'p, 'w> EndpointSource<'p, 'w> {
    #[expect(clippy::unused_self, reason = "all sources have it")]
    const fn has_secret(&self, _name: &str) -> bool {
        false
    }

    /// Why nobody knows what a field of it says, of the endpoint or the whole monitor.
    fn later(&self, field: &str) -> Option<CelValue<'p>> {
        let unknowns = self.cx.world.unknowns();
        let nodes = [self.node, self.spec].into_iter().flatten();
        let mut written = nodes.filter_map(|node| node.get(field));
        let is_later = written.any(|node| unknowns.may_change(node));
        is_later.then(|| unknown("the value is filled in later"))
    }

    /// Why nobody knows all of it.
    fn any_later(&self) -> Option<CelValue<'p>> {
        let unknowns = self.cx.world.unknowns();
        let is_later = self.spec.is_some_and(|spec| unknowns.may_change(spec));
        is_later.then(|| unknown("a value of the monitor is filled in later"))
    }

    /// Why nobody knows what its workload says.
    fn unselected(&self) -> Option<CelValue<'p>> {
        let is_unselected = self.workload.is_stand_in;
        is_unselected.then(|| unknown("no workload in the input selects the monitor"))
    }

    fn length(&self, field: &str, own: &str, of: Option<PromDuration>) -> Option<CelValue<'p>> {
        if let Some(later) = self.later(field) {
            return Some(later);
        }
        let depends = self.job.section.get(own).is_none();
        if let Some(unselected) = self.unselected().filter(|_| depends) {
            return Some(unselected);
        }
        Some(of.map_or_else(|| unknown("it is filled in later"), duration))
    }

    fn interval(&self) -> Option<CelValue<'p>> {
        let config = self.workload.config.as_ref();
        let default = config.and_then(promgen_compile::output::Config::scrape_interval);
        self.length("interval", "scrape_interval", self.job.interval_or(default))
    }

    fn timeout(&self) -> Option<CelValue<'p>> {
        let config = self.workload.config.as_ref();
        let default = config.and_then(promgen_compile::output::Config::scrape_timeout);
        let timeout = self.job.timeout_or(default);
        // One that is not set is no longer than the interval.
        let interval = self.job.interval_or(timeout);
        let is_own = self.job.section.get("scrape_timeout").is_some();
        let shorter = timeout.zip(interval).map(|(one, other)| one.min(other));
        self.length(
            "scrapeTimeout",
            "scrape_timeout",
            if is_own { timeout } else { shorter },
        )
    }

    #[expect(clippy::unnecessary_wraps, reason = "a fact may be absent")]
    fn limits(&self) -> Option<CelValue<'p>> {
        let global = self.workload.config.as_ref().and_then(|of| of.global());
        let limit = |(name, field, key): (&'static str, &str, &str)| {
            let own = self.job.section.get(key);
            let value = own.or_else(|| global?.get(key));
            let known = self.later(field).or_else(|| value.map(compiled));
            (name, known.or_else(|| self.unselected()))
        };
        Some(object(LIMITS_OF_JOBS.map(limit)))
    }

    fn rules(&self) -> &Result<Vec<CompiledRule>, String> {
        self.rules.get_or_init(|| {
            let scheme = self.workload.name_scheme();
            let n_sharing = self.job.n_sharing(&self.workload.sharding_rules);
            let own = self.job.rules();
            let own = &own[..own.len().saturating_sub(n_sharing.unwrap_or_default())];
            let of = |values: &[Value]| rules(values, scheme).map_err(|error| error.to_string());
            let mut all = of(own)?;
            all.extend(of(self.job.metric_rules())?);
            Ok(all)
        })
    }

    #[expect(clippy::unnecessary_wraps, reason = "a fact may be absent")]
    fn drops(&self) -> Option<CelValue<'p>> {
        let later = [
            "relabelings",
            "metricRelabelings",
            "relabelConfigs",
            "metricRelabelConfigs",
        ];
        if let Some(later) = later.iter().find_map(|field| self.later(field)) {
            return Some(later);
        }
        let rules = match self.rules() {
            Ok(rules) => rules.clone(),
            Err(why) => return Some(unknown(why.clone())),
        };
        let drops = move |label: &str| {
            let is_dropped = rules.iter().any(|rule| {
                rule.deletes(label) || rule.target() == label && rule.constant() == Some("")
            });
            Some(CelValue::Bool(is_dropped))
        };
        let why = "relabelings may take any label";
        Some(CelValue::Open(Arc::new(CelOpenMap::new(drops, why))))
    }

    #[expect(clippy::unnecessary_wraps, reason = "a fact may be absent")]
    fn series(&self) -> Option<CelValue<'p>> {
        let dumps = &self.cx.world.dumps().n_series_of;
        let is_own = |of: &&ScrapedJob| of.name == self.job.name;
        let servers = self.cx.world.lineage().servers.iter();
        let servers = servers.filter(|server| server.id == self.workload.id);
        let own = servers.flat_map(|server| &server.server.jobs).find(is_own);
        let has = |name: &str| {
            let mut targets = own.into_iter().flat_map(|job| &job.targets);
            targets.any(|targets| targets.has_job(name) == Truth::Yes)
        };
        let found = dumps.iter().find(|(name, _)| has(name));
        Some(counted_series(found.map(|(_, n)| n)))
    }

    #[expect(clippy::unnecessary_wraps, reason = "a fact may be absent")]
    fn targets(&self) -> Option<CelValue<'p>> {
        if let Some(unselected) = self.unselected() {
            return Some(unselected);
        }
        let namespace = &self.workload.id.namespace;
        let found = self
            .cx
            .world
            .discovery()
            .job_without_others(self.job, namespace);
        if let Some(unfollowed) = found.unfollowed.first() {
            return Some(unknown(unfollowed.to_string()));
        }
        let shards = &self.workload.plan.shards;
        let assigner = Assigner::new(self.job.rules(), shards, self.workload.name_scheme());
        let Ok(assigner) = assigner else {
            return Some(unknown("its relabelings are not known"));
        };
        let globals = self.workload.config.as_ref().map(Globals::of);
        let targets = found.groups.iter().flat_map(TargetGroup::merged);
        let is_kept = |mut labels: TargetLabels| {
            let globals = globals?;
            scrape_labels(self.job, globals, &mut labels);
            (!assigner.keepers(&label_set(&labels)).is_empty()).then_some(())
        };
        Some(match targets.filter_map(is_kept).count() {
            0 => unknown("it finds no target in the input"),
            n => int(n),
        })
    }
}
