//! The whole Prometheus configuration of a workload.
//!
//! In: the selection of a workload. Out: the text, once, with the operator's placeholders, and the origin of each job.
//! Jobs are lowered and written in parallel; their order, and that of the findings, is that of the selection.

use crate::access::{self, Need};
use crate::cluster::Object;
use crate::context::{JobTargetKind, Kept, KeptPart, weight_of_job};
use crate::lower::prometheus::additional::{self, Additional, Brought};
use crate::lower::prometheus::scrape::{pod_monitor, probe, relabel, scrape_config, service_monitor};
use crate::lower::prometheus::{alerting, global, operator_panics, otlp, remote_read, remote_write, storage, tracing};
use crate::lower::{Ctx, Scope};
use crate::output::PackedText;
use crate::select::Selection;
use crate::select::admit::{self, Refusal};
use promgen_resources::api::{PodMonitor, Probe, Resource, ScrapeConfig, ServiceMonitor};
use promgen_text::diag::Sink;
use promgen_text::parallel;
use promgen_text::route::{At, Path};
use promgen_text::yaml::emit::{self, Dialect};
use promgen_text::yaml::{Map, Value};

/// A configuration, and the origins of its jobs.
#[derive(Clone, Debug)]
pub struct Written {
    /// The text. Empty if it is packed.
    pub text: String,
    /// The text in compressed pieces, if it is big and the run asks only for its size.
    pub packed: Option<PackedText>,
    /// Its section `global`.
    pub global: Map,
    /// Its sections without the jobs; empty unless requested.
    pub sections: Map,
    /// What the discovery of Alertmanagers needs of the API server.
    pub needs: Vec<Need>,
    /// Its jobs.
    pub jobs: Vec<WrittenJob>,
}

/// A job of the text, and its origin.
#[derive(Clone, Debug)]
pub struct WrittenJob {
    /// The byte at which it begins.
    pub start: usize,
    /// Its origin.
    pub origin: At,
    /// The job before it was printed, as far as the run keeps it.
    pub kept: KeptPart,
    /// Where each of its relabel rules comes from, in runs that trace them.
    pub origins: Vec<At>,
}

/// Writes the configuration. `rule_config_maps` are the names of the ConfigMaps that carry rule files.
///
/// # Errors
/// The first setting that the operator stops at, in its order and words.
pub fn config(
    cx: &Ctx<'_>,
    selection: &Selection<'_>,
    rule_config_maps: Option<&[String]>,
    additional: &Additional,
    sink: &mut Sink,
) -> Result<Written, Refusal> {
    check_timeout(cx)?;
    let mut scope = Scope::new(cx, cx.doc, cx.namespace, sink);
    let head = head(&mut scope, rule_config_maps);
    // A crash while the jobs are written comes before any error of the sections behind them.
    operator_panics::check(cx, selection)?;
    let more = || additional::scrape_configs(&scope, additional.scrape_configs.as_ref());
    // Agents have the additional jobs before those of ScrapeConfigs, which DaemonSets do not have.
    let more = match (cx.server.is_some(), cx.is_daemon_set()) {
        (true, _) => check_secrets(cx, selection).and_then(|()| more())?,
        (false, true) => more()?,
        (false, false) => more().and_then(|more| check_secrets(cx, selection).map(|()| more))?,
    };
    let tail = tail(&mut scope, additional)?;
    let mut out = PartlyPacked { text: String::new(), packed: cx.kept.packs_text().then(PackedText::default) };
    write_entries(&mut out.text, &head);
    let jobs = jobs(cx, selection, (&additional.origin_of_jobs(cx), &more), (&mut out, sink));
    write_entries(&mut out.text, &tail);
    let global = head.get("global").and_then(Value::as_map).cloned().unwrap_or_default();
    let alerting = head.get("alerting").or_else(|| tail.get("alerting"));
    let needs = alerting.map(|alerting| access::of_alerting(alerting, cx.namespace)).unwrap_or_default();
    let mut sections = Map::new();
    if cx.kept >= Kept::Compared {
        sections = head;
        sections.extend(tail);
    }
    let (text, packed) = out.finish();
    Ok(Written { text, packed, global, sections, needs, jobs })
}

/// The text of a configuration while it is written.
struct PartlyPacked {
    /// What is not packed.
    text: String,
    /// What is packed. `None`: a big text is not packed, either.
    packed: Option<PackedText>,
}

impl PartlyPacked {
    fn len(&self) -> usize {
        self.text.len() + self.packed.as_ref().map_or(0, |packed| packed.length)
    }

    /// Packs what is written, if that is worth it.
    fn pack(&mut self) {
        if let Some(packed) = self.packed.as_mut().filter(|_| self.text.len() >= PackedText::AT_ONCE) {
            packed.push(&self.text);
            self.text.clear();
        }
    }

    fn finish(self) -> (String, Option<PackedText>) {
        match self.packed.filter(|packed| packed.length > 0) {
            Some(mut packed) => {
                packed.push(&self.text);
                (String::new(), Some(packed))
            }
            None => (self.text, None),
        }
    }

    /// Makes room for the jobs that were written, and for those that may follow. Without it, a big text is copied at each
    /// doubling, and has up to twice its size.
    fn reserve(&mut self, written: &[(JobText, Sink)], n_jobs: usize) {
        let length = written.iter().map(|(job, _)| job.text.len()).sum::<usize>();
        if self.text.capacity() - self.text.len() < length {
            // The first jobs may be unlike the others.
            let expected = length.saturating_mul(n_jobs) / written.len().max(1);
            let max = if self.packed.is_some() { PackedText::AT_ONCE } else { MAX_RESERVED };
            self.text.reserve_exact(expected.saturating_add(expected / 8).min(max).max(length));
        }
    }
}

/// Whether scrapes are over before the next ones start, as far as monitors do not say otherwise.
fn check_timeout(cx: &Ctx<'_>) -> Result<(), Refusal> {
    let common = cx.common;
    let timeout = common.scrape_timeout.as_ref().map(|t| t.as_str()).filter(|t| !t.is_empty());
    let Some(timeout) = timeout else { return Ok(()) };
    let root = Path::root();
    admit::check_timeout(common.scrape_interval.as_str(), timeout)
        .map_err(|message| Refusal::new(&root.key("spec").key("scrapeTimeout"), message))
}

/// Whether every Secret that a job cannot do without was read.
fn check_secrets(cx: &Ctx<'_>, selection: &Selection<'_>) -> Result<(), Refusal> {
    let root = Path::root();
    let checked = selection.scrape_configs.accepted().try_for_each(|config| admit::sd::check_secrets(cx, config));
    checked.map_err(|fault| Refusal::new(&root.key("metadata"), format!("generate scrape configs: {fault}")))
}

fn write_entries(out: &mut String, entries: &Map) {
    for (key, value) in entries {
        emit::write_entry(out, key, value, Dialect::YamlV2, 0);
    }
}

/// The sections before the jobs.
fn head(scope: &mut Scope<'_>, rule_config_maps: Option<&[String]>) -> Map {
    let mut out = Map::new().with("global", global::global(scope));
    out.push_some("runtime", global::runtime(scope));
    if let Some(names) = rule_config_maps {
        let path = |name: &String| Value::from(format!("/etc/prometheus/rules/{name}/*.yaml"));
        out.push("rule_files", Value::Seq(names.iter().map(path).collect()));
    }
    out
}

/// The sections behind the jobs.
fn tail(scope: &mut Scope<'_>, additional: &Additional) -> Result<Map, Refusal> {
    let mut out = Map::new();
    if scope.cx.server.is_some() {
        out.push_some("storage", storage::server(scope)?);
        out.push_some("alerting", alerting::alerting(scope, additional)?);
    } else {
        for section in storage::agent(scope)? {
            // `push` does not replace: the operator repeats the key, too.
            out.push("storage", section);
        }
    }
    if let Some(specs) = scope.cx.common.remote_write.as_ref().filter(|specs| !specs.is_empty()) {
        out.push("remote_write", remote_write::remote_write(scope, specs));
    }
    out.push_some("remote_read", remote_read::remote_read(scope));
    let failed = |refusal: Refusal| refusal.within("failed to generate OTLP configuration");
    out.push_some("otlp", otlp::otlp(scope).map_err(failed)?);
    let failed = |refusal: Refusal| refusal.within("failed to generate tracing configuration");
    out.push_some("tracing", tracing::tracing(scope).map_err(failed)?);
    Ok(out)
}

/// What makes a job: a resource, or an endpoint of one.
#[derive(Clone, Copy)]
enum JobSource<'a> {
    ServiceMonitor(&'a Object<ServiceMonitor>, usize),
    PodMonitor(&'a Object<PodMonitor>, usize),
    Probe(&'a Object<Probe>),
    ScrapeConfig(&'a Object<ScrapeConfig>),
    /// A job of the user's, and its origin.
    Additional(&'a At, &'a Brought),
}

impl JobSource<'_> {
    fn origin(self) -> At {
        let endpoint = |doc, list: &'static str, index| At::doc(doc).key("spec").key(list).index(index);
        match self {
            Self::ServiceMonitor(monitor, index) => endpoint(monitor.doc, "endpoints", index),
            Self::PodMonitor(monitor, index) => endpoint(monitor.doc, "podMetricsEndpoints", index),
            Self::Probe(probe) => At::doc(probe.doc),
            Self::ScrapeConfig(config) => At::doc(config.doc),
            Self::Additional(origin, _) => origin.clone(),
        }
    }

    const fn targets(self) -> JobTargetKind {
        match self {
            Self::ServiceMonitor(..) | Self::PodMonitor(..) => JobTargetKind::Pods,
            Self::Probe(_) | Self::ScrapeConfig(_) | Self::Additional(..) => JobTargetKind::Any,
        }
    }

    fn lower(self, cx: &Ctx<'_>, sink: &mut Sink) -> relabel::LoweredJob {
        match self {
            Self::ServiceMonitor(object, index) => {
                let monitor = &*object.value;
                service_monitor::job(&mut scope(cx, object, sink), monitor, index, &monitor.spec.endpoints[index])
            }
            Self::PodMonitor(object, index) => {
                let monitor = &*object.value;
                let endpoint = &monitor.spec.pod_metrics_endpoints.as_ref().expect("the index is of one")[index];
                pod_monitor::job(&mut scope(cx, object, sink), monitor, index, endpoint)
            }
            Self::Probe(object) => probe::job(&mut scope(cx, object, sink), &object.value),
            Self::ScrapeConfig(object) => scrape_config::job(&mut scope(cx, object, sink), &object.value),
            Self::Additional(origin, job) => brought(cx, origin, job),
        }
    }
}

fn scope<'s, T: Resource>(cx: &'s Ctx<'_>, object: &'s Object<T>, sink: &'s mut Sink) -> Scope<'s> {
    Scope::new(cx, object.doc, object.namespace(), sink)
}

/// A job as it is written.
struct JobText {
    origin: At,
    text: String,
    kept: KeptPart,
    origins: Vec<At>,
    /// The memory that it takes, about.
    weight: usize,
}

/// Writes every job. `additional` are the user's additional jobs, and their origin.
fn jobs(
    cx: &Ctx<'_>,
    selection: &Selection<'_>,
    (origin, additional): (&At, &[Brought]),
    out: (&mut PartlyPacked, &mut Sink),
) -> Vec<WrittenJob> {
    let service_monitors = selection.service_monitors.accepted().flat_map(|monitor| {
        let endpoints = 0..monitor.value.spec.endpoints.len();
        endpoints.map(move |index| JobSource::ServiceMonitor(monitor, index))
    });
    let pod_monitors = selection.pod_monitors.accepted().flat_map(|monitor| {
        let endpoints = 0..monitor.value.spec.pod_metrics_endpoints.as_ref().map_or(0, Vec::len);
        endpoints.map(move |index| JobSource::PodMonitor(monitor, index))
    });
    let scrape_configs = selection.scrape_configs.accepted().map(JobSource::ScrapeConfig);
    let others = selection.probes.accepted().map(JobSource::Probe).chain(scrape_configs);
    let additional = additional.iter().map(|job| JobSource::Additional(origin, job));
    // The operator has a generator of its own for servers, for agents and for DaemonSets, each with its own order.
    let jobs: Vec<JobSource<'_>> = if cx.server.is_some() {
        service_monitors.chain(pod_monitors).chain(others).chain(additional).collect()
    } else if cx.is_daemon_set() {
        pod_monitors.chain(additional).collect()
    } else {
        pod_monitors.chain(additional).chain(service_monitors).chain(others).collect()
    };
    write_jobs(cx, &jobs, out)
}

/// Writes jobs, as long as there is memory for them. So many are written at once that they hardly exceed it.
fn write_jobs(cx: &Ctx<'_>, jobs: &[JobSource<'_>], (out, sink): (&mut PartlyPacked, &mut Sink)) -> Vec<WrittenJob> {
    let head = out.text.len();
    // If no job follows, this becomes an empty list below: the operator always writes the key.
    out.text.push_str("scrape_configs:\n");
    let mut done = Vec::with_capacity(jobs.len());
    let before = cx.account.spent();
    let (mut rest, mut at_once) = (jobs, FIRST_JOBS);
    while !rest.is_empty() && cx.account.excess().is_none() {
        let (some, others) = rest.split_at(at_once.min(rest.len()));
        let written: Vec<(JobText, Sink)> = parallel::map(some, 1, |job| write_job(cx, *job));
        out.reserve(&written, rest.len());
        let mut biggest = 1;
        for (JobText { origin, text: printed, kept, origins, weight }, findings) in written {
            cx.account.spend(weight);
            biggest = biggest.max(weight);
            done.push(WrittenJob { start: out.len(), origin, kept, origins });
            out.text.push_str(&printed);
            sink.append(findings);
        }
        out.pack();
        cx.account.expect(cx.account.spent() - before, (done.len() as u64, jobs.len() as u64));
        // As if each further job were as big as the biggest so far, and only for a quarter of the memory that is left.
        at_once = usize::try_from(cx.account.left()).unwrap_or(usize::MAX) / biggest / 4;
        at_once = at_once.clamp(FIRST_JOBS, MAX_JOBS);
        rest = others;
    }
    if done.is_empty() {
        out.text.truncate(head);
        out.text.push_str("scrape_configs: []\n");
    }
    done
}

/// The number of jobs that are written at first: nobody knows how big they are.
const FIRST_JOBS: usize = 4;

/// The maximum number of bytes that are reserved for jobs that are not written yet.
const MAX_RESERVED: usize = 64 << 20;

/// The maximum number of jobs that are written at once.
const MAX_JOBS: usize = 512;

fn write_job(cx: &Ctx<'_>, job: JobSource<'_>) -> (JobText, Sink) {
    let (mut text, mut sink) = (String::with_capacity(4096), Sink::default());
    let relabel::LoweredJob { section, origins } = job.lower(cx, &mut sink);
    let section = Value::Map(section);
    emit::write_item(&mut text, &section, Dialect::YamlV2, 0);
    let kept = match section {
        Value::Map(section) => cx.part_to_keep(section, job.targets()),
        _ => KeptPart::default(),
    };
    let weight = weight_of_job(&text, &kept.section, origins.len());
    (JobText { origin: job.origin(), text, kept, origins, weight }, sink)
}

/// A job that a user brings along.
fn brought(cx: &Ctx<'_>, origin: &At, job: &Brought) -> relabel::LoweredJob {
    let sharing = if job.is_shared { cx.sharding.by_address() } else { &[] };
    let origins = relabel::origins_of_brought(cx, &job.section, origin, sharing);
    relabel::LoweredJob { section: job.section.clone(), origins }
}
