//! The Kubernetes objects of an Alertmanager.
//!
//! In: the Alertmanager, and the other keys of the user's Secret. Out: the objects.

pub(crate) mod args;
mod cluster_tls;
mod facts;
pub mod names;
mod pod;

use std::collections::BTreeMap;

use crate::cluster::assets::TlsFile;
use crate::lower::alertmanager::AlertmanagerContext;
use crate::lower::workload::object::{self, Owner};
use crate::lower::workload::pod::container::web_port_name;
use crate::lower::workload::pod::runner::{self, Runner};
use crate::lower::workload::service::{self, GoverningService};
use crate::lower::workload::{WorkloadObjects, names as common, tls_assets};
use crate::output::{OutputObject, Payload};
use crate::select::admit::{InField, Refusal};
use cluster_tls::ClusterTls;
use promgen_resources::api::kubernetes::{self, ServicePort};
use promgen_resources::api::scalar::IntOrString;
use promgen_resources::gates;
use promgen_text::yaml::StringMap;

/// The inputs of the objects of an Alertmanager besides the resource.
#[derive(Clone, Copy, Debug)]
pub struct AlertmanagerFacts<'a> {
    /// Further keys of the Secret with the configuration, which are copied with it.
    pub(crate) beside_config: &'a BTreeMap<String, Vec<u8>>,
    /// Certificates and keys that the configuration names, by file name; as they may be shown.
    pub(crate) tls_assets: &'a BTreeMap<String, TlsFile>,
    /// The Service named by `serviceName`, if there is one.
    pub(crate) governing_service: Option<&'a kubernetes::Service>,
}

impl AlertmanagerFacts<'_> {
    fn n_tls_assets(&self) -> usize {
        tls_assets::split(self.tls_assets).len()
    }
}

/// The objects of an Alertmanager.
pub fn objects(am: &AlertmanagerContext<'_>, facts: &AlertmanagerFacts<'_>) -> WorkloadObjects {
    WorkloadObjects::write(|out| write(am, facts, out))
}

/// Everything, in the operator's order. Operator: `sync`.
fn write(
    am: &AlertmanagerContext<'_>,
    facts: &AlertmanagerFacts<'_>,
    out: &mut WorkloadObjects,
) -> Result<(), Refusal> {
    let parent = &am.parent;
    let metadata = |name| object::metadata(parent, name, StringMap::new(), Owner::Manager);
    let payload = if parent.packs_config {
        Payload::Gzip
    } else {
        Payload::Shard(0)
    };
    out.objects.push(object::config_secret_with(
        &metadata(names::generated(am)),
        payload,
        facts.beside_config,
    ));
    out.objects.extend(tls_assets::secrets(
        parent,
        &am.prefixed(),
        facts.tls_assets,
    ));
    let (secret, web_config) = pod::web_server(am)
        .secret(parent, common::web_config(&am.prefixed()))
        .within("failed to synchronize the web config secret: failed to initialize web config")?;
    out.objects.push(secret);
    out.web_config = Some(web_config);
    let cluster_tls = ClusterTls::new(am).within("failed to synchronize the cluster TLS config secret: failed to initialize the configuration")?;
    let values = BTreeMap::from([(
        cluster_tls::FILE.to_owned(),
        cluster_tls.text().into_bytes(),
    )]);
    // The settings were checked above in any release: an error stops the operator even where it writes no Secret.
    if am.has(&gates::CLUSTER_TLS_SECRET) {
        out.objects.push(object::secret(
            &metadata(names::cluster_tls(am)),
            parent.layout,
            &values,
        ));
    }
    out.objects.extend(governing_service(am, facts)?);
    out.objects
        .push(stateful_set(am, facts).within("failed to generate statefulset")?);
    Ok(())
}

/// The Service that names the pods: the operator's, or none if the user has one that fits.
fn governing_service(
    am: &AlertmanagerContext<'_>,
    facts: &AlertmanagerFacts<'_>,
) -> Result<Option<OutputObject>, Refusal> {
    // The user's Service is never written, only checked.
    if let Some(name) = am.spec.service_name.as_deref() {
        let labels = names::selector_labels(am.name());
        return service::check_custom(&am.parent, name, facts.governing_service, &labels)
            .map(|()| None);
    }
    let web = web_port_name(&am.spec.port_name);
    let governing = GoverningService {
        name: names::GOVERNING_SERVICE,
        label: ("operated-alertmanager", "true"),
        ports: vec![
            service::port(web, 9093, Some("TCP"), web),
            mesh_port(am, "tcp-mesh", "TCP", pod::MESH_TCP),
            mesh_port(am, "udp-mesh", "UDP", pod::MESH_UDP),
        ],
        // Pods find each other before they are ready.
        publish_not_ready_addresses: true,
        selector: common::labels([(common::APP_LABEL, names::APPLICATION)]),
    };
    Ok(Some(governing.object(&am.parent)))
}

/// A port of the peers.
fn mesh_port(
    am: &AlertmanagerContext<'_>,
    name: &str,
    protocol: &str,
    target: &str,
) -> ServicePort {
    let port = service::port(name, 9094, Some(protocol), target);
    let is_named = am.has(&gates::NAMED_MESH_PORTS);
    // Older releases name the port by its number.
    if is_named {
        port
    } else {
        ServicePort {
            target_port: Some(IntOrString::Int(9094)),
            ..port
        }
    }
}

fn stateful_set(
    am: &AlertmanagerContext<'_>,
    facts: &AlertmanagerFacts<'_>,
) -> Result<OutputObject, Refusal> {
    let (template, claim) = pod::template_and_claim(am, facts)?;
    let spec = am.spec;
    let runner = Runner {
        min_ready_seconds: spec.min_ready_seconds,
        persistent_volume_claim_retention_policy: spec
            .persistent_volume_claim_retention_policy
            .as_ref(),
        pod_management_policy: spec.pod_management_policy,
        update_strategy: spec.update_strategy.as_ref(),
        name: am.prefixed(),
        labels: StringMap::new(),
        replicas: Some(am.replicas()),
        selector: names::selector_labels(am.name()),
        service_name: names::service(am),
        template,
        claim,
    };
    Ok(runner::stateful_set(&am.parent, runner))
}
