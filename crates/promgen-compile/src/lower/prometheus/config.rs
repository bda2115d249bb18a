//! The whole Prometheus configuration of a workload.
//!
//! In: the selection of a workload. Out: the sections and jobs, with the operator's placeholders, and the origin of each job.
//! Jobs are lowered in parallel; their order, and that of the findings, is that of the selection.

use crate::cluster::Object;
use crate::context::weight_of_job;
use crate::lower::prometheus::additional::{self, Additional, Brought};
use crate::lower::prometheus::recurring::RecurringMaps;
use crate::lower::prometheus::scrape::{
    pod_monitor, probe, relabel, scrape_config, service_monitor,
};
use crate::lower::prometheus::{
    alerting, global, operator_panics, otlp, remote_read, remote_write, storage, tracing,
};
use crate::lower::{Scope, WorkloadContext};
use crate::output::Job;
use crate::paths::{SPEC, spec_at};
use crate::select::Selection;
use crate::select::admit::{self, Refusal};
use promgen_resources::api::{PodMonitor, Probe, Resource, ScrapeConfig, ServiceMonitor};
use promgen_text::diag::Sink;
use promgen_text::parallel;
use promgen_text::route::{At, Path};
use promgen_text::yaml::{Map, Value};

/// The sections and the jobs of a configuration.
#[derive(Clone, Debug)]
pub struct LoweredConfig {
    /// The sections before the jobs.
    pub head: Map,
    /// The jobs, each with its origin.
    pub jobs: Vec<(Job, At)>,
    /// The sections behind the jobs.
    pub tail: Map,
}

/// Makes the configuration. `rule_config_maps` are the names of the ConfigMaps that carry rule files.
///
/// # Errors
/// The first setting that the operator stops at, in its order and words.
pub fn config(
    cx: &WorkloadContext<'_>,
    selection: &Selection<'_>,
    rule_config_maps: Option<&[String]>,
    additional: &Additional,
    sink: &mut Sink,
) -> Result<LoweredConfig, Refusal> {
    check_timeout(cx)?;
    let mut scope = Scope::new(cx, cx.doc, cx.namespace, sink);
    let head = head(&mut scope, rule_config_maps);
    // A crash while the jobs are written comes before any error of the sections behind them.
    operator_panics::check(cx, selection)?;
    let more = additional_jobs(&scope, selection, additional)?;
    let tail = tail(&mut scope, additional)?;
    let jobs = lower_jobs(
        cx,
        &sources(cx, selection, &additional.origin_of_jobs(cx), &more),
        sink,
    );
    Ok(LoweredConfig { head, jobs, tail })
}

/// The jobs that the user brings along, once the Secrets of ScrapeConfigs are checked. Agents have the additional jobs before
/// those of ScrapeConfigs, which DaemonSets do not have.
fn additional_jobs(
    scope: &Scope<'_>,
    selection: &Selection<'_>,
    additional: &Additional,
) -> Result<Vec<Brought>, Refusal> {
    let cx = scope.cx;
    let more = || additional::scrape_configs(scope, additional.scrape_configs.as_ref());
    match (cx.server.is_some(), cx.is_daemon_set()) {
        (true, _) => check_secrets(cx, selection).and_then(|()| more()),
        (false, true) => more(),
        (false, false) => more().and_then(|more| check_secrets(cx, selection).map(|()| more)),
    }
}

/// The origins of the relabel rules of each job, in the order of [`config`]. Empty if that fails.
pub fn rule_origins(
    cx: &WorkloadContext<'_>,
    selection: &Selection<'_>,
    additional: &Additional,
    sink: &mut Sink,
) -> Vec<(Map, Vec<At>)> {
    let scope = Scope::new(cx, cx.doc, cx.namespace, sink);
    let Ok(more) = additional_jobs(&scope, selection, additional) else {
        return Vec::new();
    };
    let origin = additional.origin_of_jobs(cx);
    let sources = sources(cx, selection, &origin, &more);
    let lowered = parallel::map(&sources, 1, |source| source.lower(cx, &mut Sink::default()));
    lowered
        .into_iter()
        .map(|job| (job.section, job.origins))
        .collect()
}

/// Returns whether scrapes are over before the next ones start, as far as monitors do not say otherwise.
fn check_timeout(cx: &WorkloadContext<'_>) -> Result<(), Refusal> {
    let common = cx.common;
    let timeout = common
        .scrape_timeout
        .as_ref()
        .filter(|timeout| !timeout.as_str().is_empty());
    let Some(timeout) = timeout else {
        return Ok(());
    };
    admit::check_timeout(&common.scrape_interval, timeout)
        .map_err(|message| Refusal::new(&SPEC.key("scrapeTimeout"), message))
}

/// Returns whether every Secret that a job cannot do without was read.
fn check_secrets(cx: &WorkloadContext<'_>, selection: &Selection<'_>) -> Result<(), Refusal> {
    let root = Path::root();
    let checked = selection
        .scrape_configs
        .accepted()
        .try_for_each(|config| admit::sd::check_secrets(cx, config));
    checked.map_err(|fault| {
        Refusal::new(
            &root.key("metadata"),
            format!("generate scrape configs: {fault}"),
        )
    })
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
    if let Some(specs) = scope
        .cx
        .common
        .remote_write
        .as_ref()
        .filter(|specs| !specs.is_empty())
    {
        out.push("remote_write", remote_write::remote_write(scope, specs));
    }
    out.push_some("remote_read", remote_read::remote_read(scope));
    let failed = |refusal: Refusal| refusal.within("failed to generate OTLP configuration");
    out.push_some("otlp", otlp::otlp(scope).map_err(failed)?);
    let failed = |refusal: Refusal| refusal.within("failed to generate tracing configuration");
    out.push_some("tracing", tracing::tracing(scope).map_err(failed)?);
    Ok(out)
}

/// The source of a job: a resource, or an endpoint of one.
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
        let endpoint = |doc, list: &'static str, index| spec_at(doc).key(list).index(index);
        match self {
            Self::ServiceMonitor(monitor, index) => endpoint(monitor.doc, "endpoints", index),
            Self::PodMonitor(monitor, index) => endpoint(monitor.doc, "podMetricsEndpoints", index),
            Self::Probe(probe) => At::doc(probe.doc),
            Self::ScrapeConfig(config) => At::doc(config.doc),
            Self::Additional(origin, _) => origin.clone(),
        }
    }

    fn lower(self, cx: &WorkloadContext<'_>, sink: &mut Sink) -> relabel::LoweredJob {
        match self {
            Self::ServiceMonitor(object, index) => {
                let monitor = &*object.value;
                service_monitor::job(
                    &mut scope(cx, object, sink),
                    monitor,
                    index,
                    &monitor.spec.endpoints[index],
                )
            }
            Self::PodMonitor(object, index) => {
                let monitor = &*object.value;
                let endpoint = &monitor
                    .spec
                    .pod_metrics_endpoints
                    .as_ref()
                    .expect("the index is of one")[index];
                pod_monitor::job(&mut scope(cx, object, sink), monitor, index, endpoint)
            }
            Self::Probe(object) => probe::job(&mut scope(cx, object, sink), &object.value),
            Self::ScrapeConfig(object) => {
                scrape_config::job(&mut scope(cx, object, sink), &object.value)
            }
            Self::Additional(origin, job) => brought(cx, origin, job),
        }
    }
}

fn scope<'s, T: Resource>(
    cx: &'s WorkloadContext<'_>,
    object: &'s Object<T>,
    sink: &'s mut Sink,
) -> Scope<'s> {
    Scope::new(cx, object.doc, object.namespace(), sink)
}

/// The sources of the jobs, in their order. `additional` are the user's additional jobs, and their origin.
fn sources<'a>(
    cx: &WorkloadContext<'_>,
    selection: &'a Selection<'_>,
    origin: &'a At,
    additional: &'a [Brought],
) -> Vec<JobSource<'a>> {
    let service_monitors = selection.service_monitors.accepted().flat_map(|monitor| {
        let endpoints = 0..monitor.value.spec.endpoints.len();
        endpoints.map(move |index| JobSource::ServiceMonitor(monitor, index))
    });
    let pod_monitors = selection.pod_monitors.accepted().flat_map(|monitor| {
        let endpoints = 0..monitor
            .value
            .spec
            .pod_metrics_endpoints
            .as_ref()
            .map_or(0, Vec::len);
        endpoints.map(move |index| JobSource::PodMonitor(monitor, index))
    });
    let scrape_configs = selection
        .scrape_configs
        .accepted()
        .map(JobSource::ScrapeConfig);
    let others = selection
        .probes
        .accepted()
        .map(JobSource::Probe)
        .chain(scrape_configs);
    let additional = additional
        .iter()
        .map(|job| JobSource::Additional(origin, job));
    // The operator has a generator of its own for servers, for agents and for DaemonSets, each with its own order.
    if cx.server.is_some() {
        service_monitors
            .chain(pod_monitors)
            .chain(others)
            .chain(additional)
            .collect()
    } else if cx.is_daemon_set() {
        pod_monitors.chain(additional).collect()
    } else {
        pod_monitors
            .chain(additional)
            .chain(service_monitors)
            .chain(others)
            .collect()
    }
}

/// Lowers jobs, as long as there is memory for them. So many are lowered at once that they hardly exceed it.
fn lower_jobs(cx: &WorkloadContext<'_>, jobs: &[JobSource<'_>], sink: &mut Sink) -> Vec<(Job, At)> {
    let mut done = Vec::with_capacity(jobs.len());
    let before = cx.account.spent();
    let recurring = RecurringMaps::new();
    let (mut rest, mut at_once) = (jobs, FIRST_JOBS);
    while !rest.is_empty() && cx.account.excess().is_none() {
        let (some, others) = rest.split_at(at_once.min(rest.len()));
        let lowered = parallel::map(some, 1, |job| {
            let mut found = Sink::default();
            let mut section = job.lower(cx, &mut found).section;
            recurring.share(&mut section);
            section.shrink_to_fit();
            (Job::new(section, None), job.origin(), found)
        });
        let mut biggest = 1;
        for (job, origin, findings) in lowered {
            let weight = weight_of_job(&job);
            cx.account.spend(weight);
            biggest = biggest.max(weight);
            done.push((job, origin));
            sink.append(findings);
        }
        cx.account.expect(
            cx.account.spent() - before,
            done.len() as u64,
            jobs.len() as u64,
        );
        // As if each further job were as big as the biggest so far, and only for a quarter of the memory that is left.
        at_once = usize::try_from(cx.account.left()).unwrap_or(usize::MAX) / biggest / 4;
        at_once = at_once.clamp(FIRST_JOBS, MAX_JOBS);
        rest = others;
    }
    done
}

/// The number of jobs that are lowered at first: nobody knows how big they are.
const FIRST_JOBS: usize = 4;

/// The maximum number of jobs that are lowered at once.
const MAX_JOBS: usize = 512;

/// A job that a user brings along.
fn brought(cx: &WorkloadContext<'_>, origin: &At, job: &Brought) -> relabel::LoweredJob {
    let sharing = if job.is_shared {
        cx.sharding.by_address()
    } else {
        &[]
    };
    let origins = relabel::origins_of_brought(cx, &job.section, origin, sharing);
    relabel::LoweredJob {
        section: job.section.clone(),
        origins,
    }
}
