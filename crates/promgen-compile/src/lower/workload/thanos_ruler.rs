//! The Kubernetes objects of a Thanos Ruler.
//!
//! In: the ruler, its rule files, the text of its remote write. Out: the objects in the order in which they are printed,
//! and the error with which the operator stops before it has written all of them.

mod args;
mod facts;
mod pod;

use std::collections::BTreeMap;

use crate::lower::thanos_ruler::Ruler;
use crate::lower::workload::object::{self, Owner};
use crate::lower::workload::pod::container;
use crate::lower::workload::pod::runner::{self, Runner};
use crate::lower::workload::service::{self, GoverningService};
use crate::lower::workload::{WorkloadObjects, names, rule_files, tls_assets};
use crate::output::{OutputObject, Part};
use crate::select::admit::{InField, Refusal};
use promgen_resources::api::kubernetes::{self, ServicePort};
use promgen_resources::gates;
use promgen_text::diag::Sink;
use promgen_text::yaml::StringMap;

/// The application: the value of [`names::APP_LABEL`].
const APPLICATION: &str = "thanos-ruler";
/// The Service that names the pods, unless the user has one.
const GOVERNING_SERVICE: &str = "thanos-ruler-operated";
/// The file with the remote write, and its key in the Secret.
const REMOTE_WRITE_FILE: &str = "remote-write.yaml";

/// The inputs of the objects besides the [`Ruler`].
#[derive(Clone, Copy, Debug)]
pub struct RulerFacts<'a> {
    /// The text of the remote write, or the error with which the operator failed to make it.
    pub remote_write: Result<&'a str, &'a Refusal>,
    /// The rule files of each ConfigMap; none if there are no files.
    pub rule_files: &'a [BTreeMap<String, String>],
    /// The Service named by `serviceName`, if there is one.
    pub(crate) governing_service: Option<&'a kubernetes::Service>,
}

impl RulerFacts<'_> {
    /// The ConfigMaps that the pods mount, at least one, sorted as text, so that 10 comes before 2.
    fn rule_file_names(&self, ruler: &Ruler<'_>) -> Vec<String> {
        let n_used = self.rule_files.len().max(1);
        let mut names: Vec<_> = (0..n_used)
            .map(|i| names::rule_files(&prefixed(ruler), i))
            .collect();
        names.sort_unstable();
        names
    }
}

/// `thanos-ruler-<name>`.
pub(crate) fn prefixed(ruler: &Ruler<'_>) -> String {
    format!("thanos-ruler-{}", ruler.name())
}

/// The Secret with the remote write.
fn config_secret(ruler: &Ruler<'_>) -> String {
    format!("{}-config", prefixed(ruler))
}

/// The labels of all pods, without the user's pod labels. Operator: `makeSelectorLabels`.
fn selector_labels(ruler: &Ruler<'_>) -> StringMap {
    let mut labels = names::pod_labels(APPLICATION, ruler.name());
    labels.insert(APPLICATION.into(), ruler.name().into());
    labels
}

/// The labels by which the StatefulSet selects its pods. Operator: with the user's pod labels.
fn pod_selector(ruler: &Ruler<'_>) -> StringMap {
    let given = ruler
        .spec
        .pod_metadata
        .as_ref()
        .and_then(|pod| pod.labels.clone());
    let mut labels = given.unwrap_or_default();
    labels.extend(selector_labels(ruler));
    labels
}

/// The objects of a Thanos Ruler.
pub fn objects(ruler: &Ruler<'_>, facts: &RulerFacts<'_>, sink: &mut Sink) -> WorkloadObjects {
    WorkloadObjects::write(|out| write(ruler, facts, out, sink))
}

/// Everything, in the operator's order. Operator: `sync`.
fn write(
    ruler: &Ruler<'_>,
    facts: &RulerFacts<'_>,
    out: &mut WorkloadObjects,
    sink: &mut Sink,
) -> Result<(), Refusal> {
    let (parent, prefixed) = (&ruler.parent, prefixed(ruler));
    let label = ("thanos-ruler-name", ruler.name());
    out.objects.extend(rule_files::config_maps(
        parent,
        &prefixed,
        label,
        facts.rule_files,
    ));
    let remote_write = facts.remote_write.map_err(Clone::clone)?;
    if ruler.has(&gates::RULER_REMOTE_WRITE_SECRET) {
        out.objects.push(config(ruler, remote_write));
    }
    let assets = ruler.assets.tls_assets();
    out.objects
        .extend(tls_assets::secrets(parent, &prefixed, &assets));
    let (secret, web_config) = pod::web_server(ruler)
        .secret(parent, names::web_config(&prefixed))
        .within("failed to synchronize web config secret: failed to initialize the web config")?;
    out.objects.push(secret);
    out.web_config = Some(web_config);
    out.objects.extend(governing_service(ruler, facts)?);
    let n_tls_assets = tls_assets::split(&assets).len();
    let set = stateful_set(ruler, facts, n_tls_assets, sink);
    out.objects
        .push(set.within("failed to generate statefulset")?);
    Ok(())
}

/// The Secret with the remote write. Operator: it does not manage it.
fn config(ruler: &Ruler<'_>, text: &str) -> OutputObject {
    let values = BTreeMap::from([(REMOTE_WRITE_FILE.to_owned(), text.as_bytes().to_vec())]);
    let metadata = object::metadata(
        &ruler.parent,
        config_secret(ruler),
        StringMap::new(),
        Owner::OneOfSeveral,
    );
    OutputObject {
        part: Part::Config,
        ..object::secret(&metadata, ruler.parent.layout, &values)
    }
}

/// The Service that names the pods: the operator's, or none if the user has one that fits.
fn governing_service(
    ruler: &Ruler<'_>,
    facts: &RulerFacts<'_>,
) -> Result<Option<OutputObject>, Refusal> {
    if let Some(name) = ruler.spec.service_name.as_deref() {
        let labels = selector_labels(ruler);
        return service::check_custom(&ruler.parent, name, facts.governing_service, &labels)
            .map(|()| None);
    }
    let governing = GoverningService {
        name: GOVERNING_SERVICE,
        label: ("operated-thanos-ruler", "true"),
        ports: vec![
            service_port(port_name(ruler), pod::HTTP_PORT),
            service_port("grpc", pod::GRPC_PORT),
        ],
        publish_not_ready_addresses: false,
        selector: names::labels([(names::APP_LABEL, APPLICATION)]),
    };
    Ok(Some(governing.object(&ruler.parent)))
}

fn service_port(name: &str, number: i32) -> ServicePort {
    service::port(name, number, Some("TCP"), name)
}

/// The name of the web port.
fn port_name<'a>(ruler: &Ruler<'a>) -> &'a str {
    container::web_port_name(&ruler.spec.port_name)
}

fn stateful_set(
    ruler: &Ruler<'_>,
    facts: &RulerFacts<'_>,
    n_tls_assets: usize,
    sink: &mut Sink,
) -> Result<OutputObject, Refusal> {
    let spec = ruler.spec;
    let (template, claim) =
        pod::pod_template(ruler, &facts.rule_file_names(ruler), n_tls_assets, sink)?;
    let runner = Runner {
        min_ready_seconds: spec.min_ready_seconds,
        persistent_volume_claim_retention_policy: None,
        pod_management_policy: spec.pod_management_policy,
        update_strategy: spec.update_strategy.as_ref(),
        name: prefixed(ruler),
        labels: StringMap::new(),
        replicas: spec.replicas,
        selector: pod_selector(ruler),
        service_name: spec.service_name.as_deref().unwrap_or(GOVERNING_SERVICE),
        template,
        claim,
    };
    Ok(runner::stateful_set(&ruler.parent, runner))
}
