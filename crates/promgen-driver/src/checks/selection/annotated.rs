//! Jobs that scrape the pods whose annotations ask for it: `prometheus.io/scrape: "true"`.
//!
//! Most of them stand in a Secret, for `additionalScrapeConfigs`. What is said of such a job does not quote it, but for a name
//! that everybody knows.

use crate::checks::View;
use crate::checks::scraping::needs::ScrapingServer;
use crate::lineage;
use promgen_compile::output::{Job, Workload};
use promgen_resources::api::{Kind, Resource as _, ScrapeConfig};
use promgen_resources::secrecy;
use promgen_targets::resolve::labelled::Selectable as _;
use promgen_targets::resolve::others::PodSource;
use promgen_text::route::At;
use promgen_text::yaml::{Map, Value};

/// What the labels of discovered pods have of such an annotation.
const ANNOTATION: &str = "__meta_kubernetes_pod_annotation_prometheus_io_";

/// A job that scrapes the pods which ask for it.
pub(super) struct AnnotationJob {
    /// `job 2 of Secret monitoring/additional`, or ``job `kubernetes-pods` of …``
    pub(super) who: String,
    /// Its place.
    pub(super) place: At,
    /// The namespaces of its pods. Empty: all.
    namespaces: Vec<String>,
    /// Whether the annotations say the port and the path.
    reads: [bool; 2],
    path: String,
    scheme: String,
}

impl AnnotationJob {
    /// Those of a workload.
    pub(super) fn all(model: &View<'_>, workload: &Workload) -> Vec<Self> {
        let shown = workload.config.iter().flat_map(|config| &config.jobs);
        let shown = shown.filter_map(|job| {
            let (namespace, name) = job.name.strip_prefix("scrapeConfig/")?.split_once('/')?;
            let config = model.cluster.scrape_configs.get(format!("{namespace}/{name}").as_str())?;
            Self::of(job, (&format!("{} {namespace}/{name}", ScrapeConfig::KIND), At::doc(config.doc).key("spec")))
        });
        shown.chain(Self::of_secret(model, workload)).collect()
    }

    fn of_secret(model: &View<'_>, workload: &Workload) -> Vec<Self> {
        let Some(ScrapingServer { doc, common, .. }) = ScrapingServer::of(model, workload) else { return Vec::new() };
        let Some(selector) = &common.additional_scrape_configs else { return Vec::new() };
        let namespace = &workload.id.namespace;
        let jobs = lineage::jobs_of_secret(model.cluster, namespace, (&selector.name, &selector.key));
        let at = At::doc(doc).key("spec").key("additionalScrapeConfigs");
        let jobs = jobs.unwrap_or_default();
        let named = |(index, job): (usize, &Job)| {
            let name = job.section.get("job_name").and_then(Value::as_str).filter(|name| secrecy::is_published_job(name));
            let which = name.map_or_else(|| (index + 1).to_string(), |name| format!("`{name}`"));
            let who = format!("job {which} of {} {namespace}/{}", Kind::Secret.as_str(), selector.name);
            Self::of(job, (&who, at.clone()))
        };
        jobs.iter().enumerate().filter_map(named).collect()
    }

    /// A job, if its rules do no more than that.
    fn of(job: &Job, (who, place): (&str, At)) -> Option<Self> {
        let text = |key: &str| job.section.get(key).and_then(Value::as_str);
        let [discovery] = job.section.get("kubernetes_sd_configs")?.as_seq()? else { return None };
        let is_of_pods =
            discovery.get("role").and_then(Value::as_str) == Some("pod") && discovery.get("selectors").is_none();
        let namespaces = discovery.get("namespaces").and_then(|of| of.get("names")).and_then(Value::as_seq);
        let rules: Vec<&Map> = job.rules().iter().filter_map(Value::as_map).collect();
        let is_asked = rules.iter().any(|rule| rule_keeps(rule, "scrape"));
        if !is_of_pods || !is_asked || !rules.iter().all(|rule| rule_keeps(rule, "scrape") || is_harmless(rule)) {
            return None;
        }
        let reads = [("__address__", "port"), ("__metrics_path__", "path")].map(|(target, annotation)| {
            let writes = |rule: &&Map| rule.get("target_label").and_then(Value::as_str) == Some(target);
            rules.iter().filter(|rule| writes(rule)).any(|rule| names(rule, annotation))
        });
        Some(Self {
            who: who.to_owned(),
            place,
            namespaces: namespaces.into_iter().flatten().filter_map(|name| Some(name.as_str()?.to_owned())).collect(),
            reads,
            path: text("metrics_path").unwrap_or("/metrics").to_owned(),
            scheme: text("scheme").unwrap_or("http").to_owned(),
        })
    }

    /// The ports of pods that it scrapes, with path and scheme. None, if they do not ask for it.
    pub(super) fn scraped<'p>(&'p self, pods: &'p PodSource) -> Option<(Vec<i64>, &'p str, &'p str)> {
        let asked = pods.asked_scrape.as_ref()?;
        let is_near = self.namespaces.is_empty() || self.namespaces.iter().any(|name| name == pods.namespace());
        if !is_near {
            return None;
        }
        let [reads_port, reads_path] = self.reads;
        let declared = || pods.ports.iter().filter(|port| port.is_tcp).map(|port| port.number).collect();
        let ports = match &asked.port {
            Some(port) if reads_port => vec![*port],
            _ => declared(),
        };
        let path = asked.path.as_deref().filter(|_| reads_path).unwrap_or(&self.path);
        Some((ports, path, &self.scheme))
    }
}

/// Whether a rule reads an annotation.
fn names(rule: &Map, annotation: &str) -> bool {
    let sources = rule.get("source_labels").and_then(Value::as_seq).unwrap_or_default();
    sources.iter().filter_map(Value::as_str).any(|label| label.strip_prefix(ANNOTATION) == Some(annotation))
}

/// Whether a rule keeps what has that annotation with the value `true`.
fn rule_keeps(rule: &Map, annotation: &str) -> bool {
    let is_true = match rule.get("regex") {
        Some(Value::Bool(is_true)) => *is_true,
        Some(regex) => regex.as_str() == Some("true"),
        None => false,
    };
    rule.get("action").and_then(Value::as_str) == Some("keep") && is_true && names(rule, annotation)
}

/// Whether a rule neither drops what asks for scrapes nor sends requests elsewhere than annotations say.
fn is_harmless(rule: &Map) -> bool {
    let text = |key: &str| rule.get(key).and_then(Value::as_str);
    let target = text("target_label").unwrap_or_default();
    let sources = rule.get("source_labels").and_then(Value::as_seq).unwrap_or_default();
    let is_of_phase = sources.iter().all(|label| label.as_str() == Some("__meta_kubernetes_pod_phase"));
    match text("action").unwrap_or("replace") {
        "labelmap" => true,
        "drop" | "keep" => is_of_phase,
        "replace" => match target {
            "__address__" => names(rule, "port"),
            "__metrics_path__" => names(rule, "path"),
            "__scheme__" => names(rule, "scheme"),
            other => !other.starts_with("__"),
        },
        _ => false,
    }
}
