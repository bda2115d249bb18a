//! Checks selected monitors: the operator's checks, in its order and with its messages.
//!
//! Each check returns the first error with the route to its field, so that a finding can point at it.

pub mod alertmanager_config;
pub mod http;
mod probe;
pub mod rule;
mod scrape_config;
pub(crate) mod sd;
pub(crate) mod sigv4;
pub mod tls;

pub use probe::probe;
pub use scrape_config::scrape_config;

use std::ops::{Deref, DerefMut};

use crate::cluster::assets::{Asset, AssetStore, ContentFault};
use crate::context::WorkloadContext;
use crate::output::{Cause, MissingReference, RefusalReason};
use crate::paths::SPEC;
use crate::select::{ASSUMED, assumed};
use promgen_prometheus::labels::Selector;
use promgen_prometheus::relabel::{self, NameScheme, RelabelInput};
use promgen_resources::api::Kind;
use promgen_resources::api::core::SecretKeySelector;
use promgen_resources::api::scalar::Duration;
use promgen_resources::api::scraping::pod_monitor::{PodMetricsEndpoint, PodMonitor};
use promgen_resources::api::scraping::scrape::{RelabelConfig, SelectorMechanism};
use promgen_resources::api::scraping::service_monitor::{Endpoint, ServiceMonitor};
use promgen_resources::gates::{self, Versions};
use promgen_resources::http_config::{Client, ClientPart, Tls, filled};
use promgen_text::diag::{Diagnostic, Sink};
use promgen_text::go::quote::quote;
use promgen_text::route::{At, DocId, Path, ValueRoute};
use promgen_text::suggest::closest;
use promgen_text::yaml::StringMap;

/// Why a resource is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The operator's message.
    pub message: String,
    /// The field.
    pub route: ValueRoute,
    /// The cause.
    pub cause: Cause,
    /// The remedy, if the message does not say it.
    pub help: Option<String>,
}

/// The message about an assumed object.
const NOT_THERE: &str = "is not in the input; promgen assumes that it exists";

pub(super) type Check = Result<(), Refusal>;

impl Refusal {
    /// A refusal of what is at that path.
    pub fn new(path: &Path<'_>, message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            route: path.to_route(),
            cause: Cause::Other,
            help: None,
        }
    }

    /// A refusal of a resource as a whole.
    pub fn of_name(message: impl Into<String>) -> Self {
        let route = ValueRoute::root().key("metadata").key("name");
        Self {
            message: message.into(),
            route,
            cause: Cause::Other,
            help: None,
        }
    }

    /// The reason as the output gives it.
    pub fn into_reason(self) -> Box<RefusalReason> {
        Box::new(RefusalReason {
            message: self.message,
            cause: self.cause,
        })
    }

    /// The refusal with a prefix that names the field or the failed step.
    #[must_use]
    pub fn within(self, prefix: &str) -> Self {
        Self {
            message: format!("{prefix}: {}", self.message),
            ..self
        }
    }

    /// The refusal of a name that is none of these, with the nearest of them.
    fn near<'n>(self, name: &str, known: impl Iterator<Item = &'n str>) -> Self {
        const MOST: usize = 5;
        let known: Vec<&str> = known.collect();
        let help = match closest(name, known.iter().copied()) {
            Some(meant) => Some(format!("did you mean \"{meant}\"?")),
            None if (1..=MOST).contains(&known.len()) => {
                Some(format!("there is \"{}\"", known.join("\", \"")))
            }
            None => None,
        };
        Self { help, ..self }
    }

    /// The refusal with its cause.
    fn because(self, cause: impl FnOnce(String) -> Cause) -> Self {
        let cause = cause(self.message.clone());
        Self { cause, ..self }
    }
}

/// Prefixes the message of a check with the field that failed.
pub(crate) trait InField {
    /// The same, with a prefix of the message.
    fn within(self, prefix: &str) -> Self;
}

impl<T> InField for Result<T, Refusal> {
    fn within(self, prefix: &str) -> Self {
        self.map_err(|refusal| refusal.within(prefix))
    }
}

impl<T> InField for Result<T, ContentFault> {
    fn within(self, prefix: &str) -> Self {
        self.map_err(|fault| fault.within(prefix))
    }
}

/// Refuses what is at a path.
pub(crate) trait Refuse {
    /// A refusal with the operator's message.
    fn refuse<T>(&self, message: impl Into<String>) -> Result<T, Refusal>;
}

impl Refuse for Path<'_> {
    fn refuse<T>(&self, message: impl Into<String>) -> Result<T, Refusal> {
        Err(Refusal::new(self, message))
    }
}

/// The admission of one resource: what a workload checks, and the reader of what the resource names.
#[derive(Debug)]
pub struct Admission<'a> {
    /// The workload that selects it.
    pub cx: &'a WorkloadContext<'a>,
    reader: ReferenceReader<'a>,
}

impl<'a> Admission<'a> {
    /// The admission of the resource of a document. Its namespace is where its Secrets are.
    pub(crate) const fn new(
        cx: &'a WorkloadContext<'a>,
        doc: DocId,
        namespace: &'a str,
        sink: &'a mut Sink,
    ) -> Self {
        let reader = ReferenceReader {
            assets: cx.assets,
            doc,
            namespace,
            versions: cx.versions,
            sink,
        };
        Self { cx, reader }
    }
}

impl<'a> Deref for Admission<'a> {
    type Target = ReferenceReader<'a>;

    fn deref(&self) -> &Self::Target {
        &self.reader
    }
}

impl DerefMut for Admission<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.reader
    }
}

/// Reads the Secrets and ConfigMaps that a resource names.
#[derive(Debug)]
pub struct ReferenceReader<'a> {
    /// The Secrets and ConfigMaps of the workload.
    pub assets: &'a AssetStore<'a>,
    /// The document of the resource.
    pub doc: DocId,
    /// Its namespace.
    pub namespace: &'a str,
    /// The versions that the workload is compiled for.
    pub versions: &'a Versions,
    /// The place where assumptions are reported.
    pub sink: &'a mut Sink,
}

impl ReferenceReader<'_> {
    /// Takes note of an asset that was looked up: one that is assumed is reported.
    ///
    /// # Errors
    /// The asset is not there.
    pub(crate) fn asset(
        &mut self,
        path: &Path<'_>,
        kind: &'static str,
        name: &str,
        asset: Result<Asset, String>,
    ) -> Result<Asset, Refusal> {
        let reference = |detail| {
            let field = path.to_route();
            Cause::Reference(Box::new(MissingReference {
                kind,
                field,
                detail,
            }))
        };
        let help = || self.assets.keys_of(kind, self.namespace, name);
        let asset = asset.map_err(|message| Refusal {
            help: help(),
            ..Refusal::new(path, message).because(reference)
        })?;
        if asset == Asset::Assumed {
            // A Secret can be in the input without its data: a tool may fill it in later.
            let is_there = kind == "Secret" && self.assets.has_secret(self.namespace, name);
            let what = if is_there {
                "has no data in the input; promgen assumes that it has the key"
            } else {
                NOT_THERE
            };
            let message = format!("{kind} {}/{name} {what}", self.namespace);
            let place = At {
                doc: self.doc,
                route: path.to_route(),
            };
            let object = if kind == "Secret" {
                Kind::Secret
            } else {
                Kind::ConfigMap
            };
            self.sink.report(match is_there {
                true => Diagnostic::new(&ASSUMED, place, message),
                false => assumed(self.assets, object, self.namespace, name, place, message),
            });
        }
        Ok(asset)
    }
}

/// Checks a ServiceMonitor. Operator: `checkServiceMonitor`.
///
/// # Errors
/// The first reason against it.
pub fn service_monitor(cx: &mut Admission<'_>, monitor: &ServiceMonitor) -> Check {
    let spec = &monitor.spec;
    selector(&SPEC, Selector::new(&spec.selector))?;
    mechanism(cx, &SPEC, spec.selector_mechanism)?;
    let endpoints = SPEC.key("endpoints");
    for (index, endpoint) in spec.endpoints.iter().enumerate() {
        let path = endpoints.index(index);
        service_endpoint(cx, &path, endpoint).within(&format!("endpoints[{index}]"))?;
        // The operator's message does not name the endpoint of a proxy header.
        http::proxy_headers(cx, &path, &endpoint.proxy)?;
    }
    scrape_class(cx, &SPEC, spec.scrape_class.as_deref()).within("scrapeClassName")
}

fn service_endpoint(cx: &mut Admission<'_>, path: &Path<'_>, endpoint: &Endpoint) -> Check {
    let client = Client::from(endpoint);
    // Before the certificates are read: a denied file is refused even if nothing else is right.
    file_access(cx, path, endpoint, client.tls_config)?;
    // The client comes before the timeout; for PodMonitors it is the other way round.
    endpoint_client(cx, path, &client, |token| !token.name.is_empty())?;
    timeout(
        cx,
        path,
        endpoint.interval.as_ref(),
        endpoint.scrape_timeout.as_deref(),
    )?;
    relabelings(cx, &path.key("relabelings"), endpoint.relabelings.as_ref())
        .within("relabelConfigs")?;
    relabelings(
        cx,
        &path.key("metricRelabelings"),
        endpoint.metric_relabelings.as_ref(),
    )
    .within("metricRelabelConfigs")
}

/// The client of an endpoint, in the order that ServiceMonitors and PodMonitors share, without its proxy's headers.
fn endpoint_client(
    cx: &mut Admission<'_>,
    path: &Path<'_>,
    client: &Client<'_>,
    is_token: impl Fn(&SecretKeySelector) -> bool,
) -> Check {
    http::valid(cx.cx.versions, path, client)?;
    let token = client.bearer_token_secret.filter(|token| is_token(token));
    http::optional_secret(cx, &path.key("bearerTokenSecret"), token).within("bearerTokenSecret")?;
    http::named(
        cx,
        path,
        client,
        &[
            ClientPart::BasicAuth,
            ClientPart::Tls,
            ClientPart::OAuth2,
            ClientPart::Authorization,
        ],
    )
}

/// Checks a PodMonitor. Operator: `checkPodMonitor`.
///
/// # Errors
/// The first reason against it.
pub fn pod_monitor(cx: &mut Admission<'_>, monitor: &PodMonitor) -> Check {
    let spec = &monitor.spec;
    selector(&SPEC, Selector::new(&spec.selector)).within("failed to parse label selector")?;
    mechanism(cx, &SPEC, spec.selector_mechanism)?;
    let endpoints = SPEC.key("podMetricsEndpoints");
    for (index, endpoint) in spec.pod_metrics_endpoints.iter().flatten().enumerate() {
        // "endpoint", not "endpoints": the operator words the two kinds differently.
        pod_endpoint(cx, &endpoints.index(index), endpoint)
            .within(&format!("endpoint[{index}]"))?;
    }
    scrape_class(cx, &SPEC, spec.scrape_class.as_deref()).within("scrapeClassName")
}

fn pod_endpoint(cx: &mut Admission<'_>, path: &Path<'_>, endpoint: &PodMetricsEndpoint) -> Check {
    timeout(
        cx,
        path,
        endpoint.interval.as_ref(),
        endpoint.scrape_timeout.as_deref(),
    )?;
    relabelings(cx, &path.key("relabelings"), endpoint.relabelings.as_ref())
        .within("relabelConfigs")?;
    let metric = endpoint.metric_relabelings.as_ref();
    relabelings(cx, &path.key("metricRelabelings"), metric).within("metricRelabelConfigs")?;
    // A selector without a key counts as none here, but not in a ServiceMonitor.
    let is_token = |token: &SecretKeySelector| !token.name.is_empty() && !token.key.is_empty();
    endpoint_client(cx, path, &Client::from(endpoint), is_token)?;
    http::proxy_headers(cx, path, &endpoint.proxy).within("proxyConfig")
}

fn selector(spec: &Path<'_>, parsed: Result<Selector, String>) -> Check {
    parsed
        .map(|_| ())
        .map_err(|message| Refusal::new(&spec.key("selector"), message))
}

fn mechanism(cx: &Admission<'_>, spec: &Path<'_>, mechanism: Option<SelectorMechanism>) -> Check {
    if mechanism == Some(SelectorMechanism::RoleSelector) && !cx.cx.has(&gates::ROLE_SELECTOR) {
        let since = &gates::ROLE_SELECTOR.since;
        let message = format!(
            "RoleSelector selectorMechanism is only supported in Prometheus {since} and newer"
        );
        return spec.key("selectorMechanism").refuse(message);
    }
    Ok(())
}

/// Refuses files of the pod where the workload denies access to them.
fn file_access(
    cx: &Admission<'_>,
    path: &Path<'_>,
    endpoint: &Endpoint,
    tls: Option<Tls<'_>>,
) -> Check {
    let guard = cx.cx.common.arbitrary_fs_access_through_sms.as_ref();
    if !guard.and_then(|g| g.deny).unwrap_or(false) {
        return Ok(());
    }
    let refuse = |key: &'static str, what: &str| {
        let message =
            format!("it accesses file system via {what} which Prometheus specification prohibits");
        Err(Refusal::new(&path.key(key), message).because(Cause::FileSystem))
    };
    if filled(endpoint.bearer_token_file.as_deref()).is_some() {
        return refuse("bearerTokenFile", "bearer token file");
    }
    let files = tls
        .map(|t| [t.ca_file, t.cert_file, t.key_file])
        .into_iter()
        .flatten();
    if files.into_iter().any(|f| filled(f).is_some()) {
        return refuse("tlsConfig", "tls config");
    }
    Ok(())
}

/// Checks that a timeout fits into an interval: the endpoint's, or else the workload's.
fn timeout(
    cx: &Admission<'_>,
    path: &Path<'_>,
    interval: Option<&Duration>,
    timeout: Option<&Duration>,
) -> Check {
    let filled = |duration: Option<&Duration>| {
        duration
            .filter(|duration| !duration.as_str().is_empty())
            .cloned()
    };
    // Without a timeout, not even an interval that does not parse is noticed.
    let Some(timeout) = filled(timeout) else {
        return Ok(());
    };
    // The operator has no default of its own: an empty interval of the workload does not parse.
    let interval = filled(interval).unwrap_or_else(|| cx.cx.common.scrape_interval.clone());
    let path = path.key("scrapeTimeout");
    check_timeout(&interval, &timeout).map_err(|message| {
        let is_long = message.contains("greater than");
        let (most, least) = (interval.as_str(), timeout.as_str());
        let help = || {
            format!("set `scrapeTimeout` to at most {most}, or the interval to at least {least}")
        };
        Refusal {
            help: is_long.then(help),
            ..Refusal::new(&path, message)
        }
    })
}

/// Returns whether a timeout fits into an interval. Operator: `compareScrapeTimeoutToScrapeInterval`.
///
/// # Errors
/// The operator's words.
pub(crate) fn check_timeout(interval: &Duration, timeout: &Duration) -> Result<(), String> {
    let length = |name: &str, duration: &Duration| {
        duration
            .length()
            .map_err(|error| format!("invalid {name} {:?}: {error}", duration.as_str()))
    };
    // The interval is parsed first, so its error wins.
    let longest = length("scrapeInterval", interval)?;
    if length("scrapeTimeout", timeout)? > longest {
        let (interval, timeout) = (interval.as_str(), timeout.as_str());
        return Err(format!(
            "scrapeTimeout {timeout:?} greater than scrapeInterval {interval:?}"
        ));
    }
    Ok(())
}

/// Relabel rules, each by Prometheus' own conditions.
pub(super) fn relabelings(
    cx: &Admission<'_>,
    path: &Path<'_>,
    configs: Option<&Vec<RelabelConfig>>,
) -> Check {
    let inputs = configs.into_iter().flatten().map(RelabelInput::from);
    let checked = relabel::validate_all(inputs, cx.cx.versions);
    checked.map_err(|(index, message)| {
        let rule = path.index(index);
        match message.contains("]: invalid regex ") {
            true => Refusal::new(&rule.key("regex"), message),
            false => Refusal::new(&rule, message),
        }
    })
}

/// Names of labels are names, by the rules of the target version.
fn label_names(cx: &Admission<'_>, path: &Path<'_>, labels: Option<&StringMap>) -> Check {
    let scheme = NameScheme::checked(cx.cx.versions);
    match labels
        .into_iter()
        .flatten()
        .find(|(name, _)| !scheme.is_label_name(name))
    {
        Some((name, _)) => path
            .key(name)
            .refuse(format!("invalid label {}", quote(name))),
        None => Ok(()),
    }
}

/// The class that a monitor names exists. Operator: `validateScrapeClass`.
fn scrape_class(cx: &Admission<'_>, spec: &Path<'_>, name: Option<&str>) -> Check {
    let Some(name) = filled(name) else {
        return Ok(());
    };
    // The workload that has the class is not in the input.
    if cx.cx.doc == DocId::NONE {
        return Ok(());
    }
    let classes = cx.cx.common.scrape_classes.iter().flatten();
    let known = classes.map(|class| &*class.name);
    if known.clone().any(|class| class == name) {
        return Ok(());
    }
    let message = format!(
        "scrapeClass {} not found in Prometheus scrapeClasses",
        quote(name)
    );
    Err(Refusal::new(&spec.key("scrapeClass"), message).near(name, known))
}
