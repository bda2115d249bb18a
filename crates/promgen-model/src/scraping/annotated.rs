//! Jobs that scrape what asks for it by annotations of its pods or Service: `prometheus.io/scrape: "true"`.
//!
//! Most of them stand in a Secret, for `additionalScrapeConfigs`. What is said of such a job does not quote it, but for a name
//! that everybody knows.

use crate::model::World;
use crate::model::secret_jobs::SecretJobs;
use crate::scraping::needs::ScrapingServer;
use promgen_compile::output::{Job, Workload};
use promgen_resources::api::{Resource as _, ScrapeConfig};
use promgen_targets::resolve::others::AskedScrape;
use promgen_text::route::At;
use promgen_text::yaml::{Map, Value};

/// What has the annotations that a job reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asking {
    /// Pods, by role pod.
    Pods,
    /// Services, by role endpoints or endpointslice.
    Services,
}

impl Asking {
    /// Of a discovery by that role.
    fn of(role: &str) -> Option<Self> {
        match role {
            "pod" => Some(Self::Pods),
            "endpoints" | "endpointslice" => Some(Self::Services),
            _ => None,
        }
    }

    /// The prefix of the labels of targets that have such an annotation.
    const fn label(self) -> &'static str {
        match self {
            Self::Pods => "__meta_kubernetes_pod_annotation_prometheus_io_",
            Self::Services => "__meta_kubernetes_service_annotation_prometheus_io_",
        }
    }
}

/// A job that scrapes what asks for it.
pub(crate) struct AnnotationJob {
    /// `job 2 of Secret monitoring/additional`, or ``job `kubernetes-pods` of …``
    pub who: String,
    /// Its place.
    pub place: At,
    /// What asks for it.
    pub(crate) asking: Asking,
    /// The namespaces of its pods. Empty: all.
    namespaces: Vec<String>,
    /// It leaves what asks for it less often to another job.
    is_quick: bool,
    /// The port and the path, each true if the annotations say it.
    reads: [bool; 2],
    path: String,
    scheme: String,
}

impl AnnotationJob {
    /// Those of a workload.
    pub(crate) fn all(model: &World<'_>, workload: &Workload) -> Vec<Self> {
        let shown = workload.jobs().iter();
        let shown = shown.filter_map(|job| {
            let (namespace, name) = job.name.strip_prefix("scrapeConfig/")?.split_once('/')?;
            let config = model
                .cluster()
                .scrape_configs
                .get(format!("{namespace}/{name}").as_str())?;
            Self::of(
                job,
                &format!("{} {namespace}/{name}", ScrapeConfig::KIND),
                At::spec(config.doc),
            )
        });
        shown.chain(Self::of_secret(model, workload)).collect()
    }

    fn of_secret(model: &World<'_>, workload: &Workload) -> Vec<Self> {
        let secret = ScrapingServer::of(model, workload).and_then(ScrapingServer::secret_jobs);
        let named = |secret: &SecretJobs, (index, job): &(usize, Job)| {
            Self::of(job, &secret.name(*index, job), secret.reference.clone())
        };
        let jobs = secret
            .into_iter()
            .flat_map(|secret| secret.jobs.iter().map(move |job| (secret, job)));
        jobs.filter_map(|(secret, job)| named(secret, job))
            .collect()
    }

    /// A job, if its rules do no more than that.
    fn of(job: &Job, who: &str, place: At) -> Option<Self> {
        let mut discoveries = job.kubernetes();
        let (Some(discovery), None) = (discoveries.next(), discoveries.next()) else {
            return None;
        };
        let asking =
            Asking::of(discovery.role()?).filter(|_| discovery.selectors().next().is_none())?;
        let rules: Vec<AnnotationRule<'_>> = job
            .rules()
            .iter()
            .filter_map(|rule| AnnotationRule::of(rule, asking))
            .collect();
        let is_plain = |rule: &AnnotationRule<'_>| {
            rule.keeps("scrape") || rule.drops_slow() || rule.is_harmless()
        };
        if !rules.iter().any(|rule| rule.keeps("scrape")) || !rules.iter().all(is_plain) {
            return None;
        }
        let reads =
            [("__address__", "port"), ("__metrics_path__", "path")].map(|(target, annotation)| {
                rules
                    .iter()
                    .any(|rule| rule.text("target_label") == Some(target) && rule.names(annotation))
            });
        Some(Self {
            who: who.to_owned(),
            place,
            asking,
            namespaces: discovery.named_namespaces().map(str::to_owned).collect(),
            is_quick: rules.iter().any(AnnotationRule::drops_slow),
            reads,
            path: job.metrics_path().to_owned(),
            scheme: job.scheme().to_owned(),
        })
    }

    /// The ports of pods in a namespace that it scrapes of those which a target may have, with path and scheme. None, if they
    /// do not ask for it.
    pub(crate) fn scraped<'p>(
        &'p self,
        namespace: &str,
        asked: Option<&'p AskedScrape>,
        ports: Vec<i64>,
    ) -> Option<(Vec<i64>, &'p str, &'p str)> {
        let asked = asked.filter(|asked| !(self.is_quick && asked.is_slow))?;
        if !self.namespaces.is_empty() && !self.namespaces.iter().any(|name| name == namespace) {
            return None;
        }
        let [reads_port, reads_path] = self.reads;
        let ports = asked
            .port
            .filter(|_| reads_port)
            .map_or(ports, |port| vec![port]);
        let path = asked
            .path
            .as_deref()
            .filter(|_| reads_path)
            .unwrap_or(&self.path);
        Some((ports, path, &self.scheme))
    }
}

/// A relabel rule of such a job.
struct AnnotationRule<'r> {
    rule: &'r Map,
    asking: Asking,
}

impl<'r> AnnotationRule<'r> {
    fn of(rule: &'r Value, asking: Asking) -> Option<Self> {
        Some(Self {
            rule: rule.as_map()?,
            asking,
        })
    }

    fn text(&self, key: &str) -> Option<&'r str> {
        self.rule.text_of(key)
    }

    fn sources(&self) -> impl Iterator<Item = &'r str> {
        self.rule
            .items_of("source_labels")
            .iter()
            .filter_map(Value::as_str)
    }

    /// Returns whether it reads an annotation.
    fn names(&self, annotation: &str) -> bool {
        self.sources()
            .any(|label| label.strip_prefix(self.asking.label()) == Some(annotation))
    }

    /// Returns whether it looks whether an annotation is `true`.
    fn asks(&self, annotation: &str) -> bool {
        let is_true = match self.rule.get("regex") {
            Some(Value::Bool(is_true)) => *is_true,
            Some(regex) => regex.as_str() == Some("true"),
            None => false,
        };
        is_true && self.names(annotation)
    }

    /// Returns whether it keeps what has that annotation.
    fn keeps(&self, annotation: &str) -> bool {
        self.text("action") == Some("keep") && self.asks(annotation)
    }

    /// Returns whether it drops what asks for scrapes less often.
    fn drops_slow(&self) -> bool {
        self.text("action") == Some("drop") && self.asks("scrape_slow")
    }

    /// Returns whether it neither drops what asks for scrapes nor sends requests elsewhere than annotations say.
    fn is_harmless(&self) -> bool {
        match self.text("action").unwrap_or("replace") {
            "labelmap" => true,
            "drop" | "keep" => self
                .sources()
                .all(|label| label == "__meta_kubernetes_pod_phase"),
            "replace" => match self.text("target_label").unwrap_or_default() {
                "__address__" => self.names("port"),
                "__metrics_path__" => self.names("path"),
                "__scheme__" => self.names("scheme"),
                other => !other.starts_with("__") || other.starts_with("__tmp_"),
            },
            _ => false,
        }
    }
}
