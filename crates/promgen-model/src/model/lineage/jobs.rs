//! The jobs of a server, and where their rules for samples stand.

use crate::monitors::Monitor;
use promgen_resources::api::Kind;
use std::collections::BTreeSet;
use std::sync::Arc;

use crate::lineage::bounds::is_three;
use crate::lineage::discover::DiscoverableObjects;
use crate::lineage::exporters::KnownExporter;
use crate::lineage::job::{JobSettings, ScrapedJob, TakenSeries};
use crate::model::World;
use crate::model::senders::unread_secret;
use promgen_compile::cluster::Cluster;
use promgen_compile::output::{Job, Workload};
use promgen_resources::api::scraping::scrape::{RelabelConfig, ScrapeClass};
use promgen_resources::api::servers::prometheus::PrometheusSpec;
use promgen_resources::gates;
use promgen_text::parallel;
use promgen_text::route::{At, DocId};
use promgen_text::yaml::Value;

/// Returns whether the flag of native histograms is set, of a version that knows it.
fn has_native_histograms(compiled: &Workload, spec: &PrometheusSpec) -> bool {
    let mut features = spec.common.enable_features.iter().flatten();
    let version = compiled.prometheus.as_ref();
    version.is_none_or(|version| gates::FEATURE_NATIVE_HISTOGRAMS.admits(version))
        && features.any(|of| *of == "native-histograms")
}

/// The jobs of a server, and why some may be lacking.
pub(super) fn of(
    world: &World<'_>,
    doc: DocId,
    compiled: &Workload,
    spec: &PrometheusSpec,
    namespaces: &BTreeSet<String>,
    exporters: &[Arc<KnownExporter>],
) -> (Vec<ScrapedJob>, Option<String>) {
    let Some(config) = &compiled.config else {
        return (Vec::new(), None);
    };
    let objects = DiscoverableObjects {
        cluster: world.cluster(),
        reach: world.reach,
        open_namespaces: namespaces,
        exporters,
    };
    let settings = JobSettings {
        objects: &objects,
        namespace: &compiled.id.namespace,
        scheme: compiled.name_scheme(),
        interval: config.scrape_interval(),
        sharding: &compiled.sharding_rules,
        taken: TakenSeries {
            native: has_native_histograms(compiled, spec),
            checks_names: !is_three(compiled),
            ..TakenSeries::default()
        }
        .or(|key| config.global()?.get(key)),
    };
    let shown: Vec<&Job> = config
        .jobs
        .iter()
        .filter(|job| !job.is_redacted())
        .collect();
    let mut jobs = parallel::map(&shown, 8, |job| ScrapedJob::read(job, &settings));
    let mut unread = None;
    if let Some(selector) = &spec.common.additional_scrape_configs {
        match world.secret_jobs().get(&doc).filter(|own| own.is_whole()) {
            Some(own) => {
                let origin = config
                    .jobs
                    .iter()
                    .find(|job| job.is_redacted())
                    .and_then(|job| job.origin);
                let read = |(_, job): &(usize, Job)| ScrapedJob {
                    is_secret: true,
                    origin,
                    ..ScrapedJob::read(job, &settings)
                };
                jobs.extend(own.jobs.iter().map(read));
            }
            None => {
                let why = unread_secret(world.cluster(), settings.namespace, selector);
                let name = &selector.name;
                unread = Some(format!("Secret {name} with jobs of its own {why}"))
            }
        }
    }
    (jobs, unread)
}

/// The place of a rule for samples of a job, by its number in the configuration of the server in that document.
pub fn drop_place(cluster: &Cluster, doc: DocId, job: &ScrapedJob, index: usize) -> Option<At> {
    let written = MonitorPart::of(cluster, &job.name)?;
    let server = cluster.prometheuses.values().find(|of| of.doc == doc)?;
    let common = &server.value.spec.common;
    let classes = common.scrape_classes.as_deref().unwrap_or_default();
    let is_its = |class: &&ScrapeClass| match written.class {
        Some(name) => class.name == name,
        None => class.default == Some(true),
    };
    let class = classes.iter().position(|class| is_its(&class));
    let of_class = class
        .and_then(|at| classes[at].metric_relabelings.as_ref())
        .map_or(0, Vec::len);
    match class {
        Some(at) if index < of_class => {
            let list = At::spec(doc)
                .key("scrapeClasses")
                .index(at)
                .key("metricRelabelings");
            Some(list.index(index))
        }
        _ => {
            let own = index - of_class;
            let is_own = own < written.rules.map_or(0, Vec::len);
            is_own.then(|| written.at.key("metricRelabelings").index(own))
        }
    }
}

/// The place of a rule for targets of a job, by its number in the configuration, if the user wrote it.
pub fn target_rule(cluster: &Cluster, job: &Job, index: usize) -> Option<At> {
    let written = job.rules().get(index)?;
    let text = |key: &str| written.text_of(key).unwrap_or_default();
    let sources = written.items_of("source_labels");
    let sources: Vec<&str> = sources.iter().filter_map(Value::as_str).collect();
    let MonitorPart { at, targets, .. } = MonitorPart::of(cluster, &job.name)?;
    let is_it = |rule: &RelabelConfig| {
        rule.action.as_str().eq_ignore_ascii_case(text("action"))
            && rule.regex.as_deref().unwrap_or_default() == text("regex")
            && rule
                .source_labels
                .iter()
                .flatten()
                .map(|label| label.as_str())
                .eq(sources.iter().copied())
    };
    let own = targets?.iter().position(is_it)?;
    Some(at.key("relabelings").index(own))
}

/// A job as its resource says it.
struct MonitorPart<'a> {
    /// The part of the resource that has the rules.
    at: At,
    rules: Option<&'a Vec<RelabelConfig>>,
    /// Its rules for targets.
    targets: Option<&'a Vec<RelabelConfig>>,
    class: Option<&'a str>,
}

impl<'a> MonitorPart<'a> {
    fn of(cluster: &'a Cluster, job: &str) -> Option<Self> {
        let mut parts = job.split('/');
        let (kind, namespace, name) = (parts.next()?, parts.next()?, parts.next()?);
        let number = parts.next().and_then(|number| number.parse().ok());
        let key = format!("{namespace}/{name}");
        let kind = match kind {
            "serviceMonitor" => Kind::ServiceMonitor,
            "podMonitor" => Kind::PodMonitor,
            "probe" => {
                let object = cluster.probes.get(key.as_str())?;
                let spec = &object.value.spec;
                return Some(Self {
                    at: At::spec(object.doc),
                    rules: spec.metric_relabelings.as_ref(),
                    targets: None,
                    class: spec.scrape_class.as_deref(),
                });
            }
            "scrapeConfig" => {
                let object = cluster.scrape_configs.get(key.as_str())?;
                let spec = &object.value.spec;
                return Some(Self {
                    at: At::spec(object.doc),
                    rules: spec.metric_relabelings.as_ref(),
                    targets: spec.relabelings.as_ref(),
                    class: spec.scrape_class.as_deref(),
                });
            }
            _ => return None,
        };
        let monitor = Monitor::find(cluster, kind, &key)?;
        let endpoint = monitor.endpoints().nth(number.unwrap_or_default())?;
        Some(Self {
            at: endpoint.at(),
            rules: endpoint.metric_relabelings,
            targets: endpoint.relabelings,
            class: monitor.class(),
        })
    }
}
