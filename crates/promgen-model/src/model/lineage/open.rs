//! The gaps of the input: why a server may have series that nothing in the input makes.

use crate::monitors::makes_jobs;
use std::collections::BTreeSet;

use crate::lineage::job::ScrapedJob;
use crate::model::World;
use crate::model::lineage::rules::has_default;
use promgen_compile::cluster::Object;
use promgen_compile::output::Workload;
use promgen_repository::charts::rules::{NOT_RENDERED, UNSUPPORTED_CHART};
use promgen_repository::layout::{CHART, TEMPLATE};
use promgen_repository::rules::{INVALID_KUSTOMIZATION, UNSUPPORTED_KUSTOMIZATION};
use promgen_resources::api::core::Container;
use promgen_resources::api::servers::workload::Argument;
use promgen_resources::api::{Prometheus, PrometheusRule, Resource as _};
use promgen_resources::document::Manifest;
use promgen_text::diag::{Diagnostic, LintRule};
use promgen_text::yaml::Node;

/// The findings about what is not read, so that jobs may be in it.
static UNREAD: &[&LintRule] = &[
    &CHART,
    &TEMPLATE,
    &NOT_RENDERED,
    &UNSUPPORTED_CHART,
    &INVALID_KUSTOMIZATION,
    &UNSUPPORTED_KUSTOMIZATION,
];

/// The groups of kinds that make no Services and pods which the input lacks.
const PLAIN_GROUPS: &[&str] = &[
    "",
    "apps",
    "batch",
    "autoscaling",
    "policy",
    "extensions",
    "monitoring.coreos.com",
    "cert-manager.io",
    "external-secrets.io",
    "bitnami.com",
    "kustomize.toolkit.fluxcd.io",
    "source.toolkit.fluxcd.io",
    "notification.toolkit.fluxcd.io",
    "grafana.integreatly.org",
    "traefik.io",
    "traefik.containo.us",
    "keda.sh",
    "metallb.io",
    "cilium.io",
];

/// What is not read of the input, so that jobs may be in it.
pub(crate) fn unread_charts(found: &[Diagnostic]) -> Option<String> {
    found
        .iter()
        .find(|found| UNREAD.contains(&&*found.rule))
        .map(|found| found.message.clone())
}

/// Why a server may have series that nothing in the input makes.
pub(super) fn reason(
    world: &World<'_>,
    resource: &Object<Prometheus>,
    compiled: &Workload,
) -> Option<String> {
    if let Some(unseen) = world.unseen() {
        return Some(unseen.to_owned());
    }
    if let Some(idle) = compiled.idle().filter(|_| compiled.is_paused()) {
        return Some(format!("it has {idle}"));
    }
    if compiled.config.is_none() {
        return Some("its configuration is not in the input".to_owned());
    }
    if let Some(receiver) = receiver(resource) {
        return Some(format!("{receiver} takes series from elsewhere"));
    }
    if reads_storage(resource) {
        return Some("it reads series from a remote storage".to_owned());
    }
    let doubted = |document: &&promgen_resources::document::Document| {
        (makes_jobs(document.kind) || document.id == resource.doc)
            && is_doubted(world, &document.node)
    };
    if let Some(doubted) = world.documents().iter().find(doubted) {
        return Some(format!(
            "values of {} are filled in later",
            doubted.resource()
        ));
    }
    let mut selected = compiled.selected.resources();
    if selected.any(|(kind, one)| kind != PrometheusRule::KIND && one.refusal.is_some()) {
        return Some("it rejects a monitor".to_owned());
    }
    let refused = world
        .cluster()
        .refused
        .objects
        .iter()
        .find(|refused| makes_jobs(refused.kind));
    refused.map(|refused| {
        format!(
            "{} {}/{} is invalid",
            refused.kind.as_str(),
            refused.namespace,
            refused.name
        )
    })
}

/// Returns whether values of an object are filled in later, or may be others.
pub(super) fn is_doubted(world: &World<'_>, node: &Node) -> bool {
    world.unknowns().is_about(node) || has_default(world.sources().text(node.span))
}

/// Returns whether it has series that other servers scrape.
pub(super) fn is_fed(resource: &Object<Prometheus>, jobs: &[ScrapedJob]) -> bool {
    receiver(resource).is_some() || reads_storage(resource) || jobs.iter().any(|job| job.federates)
}

fn reads_storage(resource: &Object<Prometheus>) -> bool {
    let storages = resource.value.spec.remote_read.as_ref();
    storages.is_some_and(|storages| !storages.is_empty())
}

/// The ways in which series come from elsewhere.
fn receiver(resource: &Object<Prometheus>) -> Option<&'static str> {
    let common = &resource.value.spec.common;
    let (remote, otlp) = ("the remote-write receiver", "the OTLP receiver");
    if common.enable_remote_write_receiver == Some(true) {
        return Some(remote);
    }
    if common.enable_otlp_receiver.unwrap_or(common.otlp.is_some()) {
        return Some(otlp);
    }
    let features = common.enable_features.iter().flatten().map(String::as_str);
    let arguments = common.additional_args.iter().flatten();
    let written = |argument: &Argument| {
        format!(
            "{}={}",
            argument.name,
            argument.value.as_deref().unwrap_or_default()
        )
    };
    let of_containers = |container: &Container| container.args.clone().unwrap_or_default();
    let containers = common
        .containers
        .iter()
        .flatten()
        .filter(|container| container.name == "prometheus");
    let mut all = features
        .map(str::to_owned)
        .chain(arguments.map(written))
        .chain(containers.flat_map(of_containers));
    all.find_map(|text| match () {
        () if text.contains("remote-write-receiver") => Some(remote),
        () if text.contains("otlp-write-receiver") || text.contains("enable-otlp-receiver") => {
            Some(otlp)
        }
        () => None,
    })
}

/// The namespaces in which there may be Services or pods that the input lacks, though it has some.
pub(super) fn namespaces(world: &World<'_>) -> BTreeSet<String> {
    let is_open = |manifest: &Manifest<'_>| {
        let is_plain =
            PLAIN_GROUPS.contains(&manifest.group) || manifest.group.ends_with(".k8s.io");
        let makes_pods =
            || manifest.kind == "Service" || manifest.node.find(&["spec", "template"]).is_some();
        !is_plain || makes_pods() && is_doubted(world, manifest.node)
    };
    let open = world.manifests().iter().filter(is_open);
    open.map(|manifest| {
        manifest
            .namespace
            .unwrap_or(&world.manifests().namespace)
            .to_owned()
    })
    .collect()
}

/// What applies something that is not in the input: a release of a chart, or another repository.
pub(crate) fn applied_elsewhere<'m>(
    manifests: impl Iterator<Item = Manifest<'m>>,
    is_here: &dyn Fn(&str) -> bool,
) -> Option<String> {
    let mut all = manifests;
    all.find_map(|manifest| {
        let spec = manifest.node.get("spec")?;
        let text = |keys: &[&str]| spec.find(keys).and_then(Node::as_str).unwrap_or_default();
        let is_open = match (manifest.group, manifest.kind) {
            ("helm.toolkit.fluxcd.io", "HelmRelease") | ("helm.cattle.io", "HelmChart") => true,
            ("argoproj.io", "ApplicationSet") => true,
            ("argoproj.io", "Application") => {
                let chart = text(&["source", "chart"]);
                !chart.is_empty()
                    || spec.get("sources").is_some()
                    || !is_here(text(&["source", "path"]))
            }
            ("kustomize.toolkit.fluxcd.io", "Kustomization") => !is_here(text(&["path"])),
            _ => false,
        };
        is_open.then(|| {
            format!(
                "what {} {} applies is not in the input",
                manifest.kind, manifest.name
            )
        })
    })
}
