//! Quantities in Kubernetes' canonical form: `1024Mi` becomes `1Gi`.

use std::collections::BTreeMap;

use promgen_resources::api::apps::{GeneratedPodSpec, PersistentVolumeClaim};
use promgen_resources::api::core::{
    Container, DownwardApiVolumeFile, EnvVar, PersistentVolumeClaimSpec, ResourceFieldSelector,
    Volume,
};
use promgen_resources::api::scalar::Quantity;
use promgen_text::go::quantity;

/// The quantities of a pod.
pub(crate) fn pod(spec: &mut GeneratedPodSpec) {
    spec.containers
        .iter_mut()
        .chain(&mut spec.init_containers)
        .for_each(container);
    spec.volumes.iter_mut().for_each(volume);
}

/// The quantities of a claim.
pub(crate) fn claim(mut claim: PersistentVolumeClaim) -> PersistentVolumeClaim {
    claim_spec(&mut claim.spec);
    claim
}

fn container(container: &mut Container) {
    if let Some(resources) = &mut container.resources {
        amounts(resources.limits.as_mut());
        amounts(resources.requests.as_mut());
    }
    let variables = container.env.iter_mut().flatten();
    variables.filter_map(field_of).for_each(field);
}

fn field_of(variable: &mut EnvVar) -> Option<&mut ResourceFieldSelector> {
    variable.value_from.as_mut()?.resource_field_ref.as_mut()
}

fn volume(volume: &mut Volume) {
    if let Some(limit) = volume
        .empty_dir
        .as_mut()
        .and_then(|e| e.size_limit.as_mut())
    {
        amount(limit);
    }
    if let Some(template) = volume
        .ephemeral
        .as_mut()
        .and_then(|e| e.volume_claim_template.as_mut())
    {
        claim_spec(&mut template.spec);
    }
    files(volume.downward_api.as_mut().and_then(|d| d.items.as_mut()));
    for source in volume
        .projected
        .iter_mut()
        .filter_map(|p| p.sources.as_mut())
        .flatten()
    {
        files(source.downward_api.as_mut().and_then(|d| d.items.as_mut()));
    }
}

fn files(files: Option<&mut Vec<DownwardApiVolumeFile>>) {
    files
        .into_iter()
        .flatten()
        .filter_map(|f| f.resource_field_ref.as_mut())
        .for_each(field);
}

fn claim_spec(spec: &mut PersistentVolumeClaimSpec) {
    if let Some(resources) = &mut spec.resources {
        amounts(resources.limits.as_mut());
        amounts(resources.requests.as_mut());
    }
}

/// Operator: a divisor that is not set is written as zero, which means one.
fn field(field: &mut ResourceFieldSelector) {
    amount(field.divisor.get_or_insert_with(|| Quantity::from("0")));
}

fn amounts(amounts: Option<&mut BTreeMap<String, Quantity>>) {
    amounts
        .into_iter()
        .flat_map(BTreeMap::values_mut)
        .for_each(amount);
}

/// The canonical form of an amount. A text that is no quantity stays as it is; the API server has refused it.
fn amount(amount: &mut Quantity) {
    if let Ok(quantity) = quantity::ParsedQuantity::parse(&amount.0) {
        amount.0 = quantity.to_string();
    }
}
