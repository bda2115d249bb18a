//! The fate of the data of shards that a change removes or moves.

use promgen_compile::output::{Workload, WorkloadKind};
use promgen_resources::gates;
use promgen_resources::gates::Target;
use promgen_text::yaml::Value;

/// The notes on a Prometheus whose shards differ.
pub(super) fn notes(old: &Workload, new: &Workload, target: &Target) -> Vec<String> {
    if old.id.kind != WorkloadKind::Prometheus || new.is_stand_in {
        return Vec::new();
    }
    removed(old, new, target)
        .into_iter()
        .chain(moved(old, new))
        .collect()
}

fn field<'w>(workload: &'w Workload, route: &[&str]) -> Option<&'w Value> {
    route
        .iter()
        .try_fold(workload.resource.get("spec")?, |value, key| value.get(key))
}

/// Shards that only the base has, unless the operator keeps them running.
fn removed(old: &Workload, new: &Workload, target: &Target) -> Option<String> {
    let is_kept = |index: u32| new.plan.shards.iter().any(|shard| shard.index == index);
    let gone: Vec<String> = old
        .plan
        .shards
        .iter()
        .map(|shard| shard.index)
        .filter(|i| !is_kept(*i))
        .map(|i| i.to_string())
        .collect();
    let retains = field(new, &["shardRetentionPolicy", "whenScaled"]).and_then(Value::as_str)
        == Some("Retain");
    let has_gate = target.enabled(&gates::SHARD_RETENTION);
    if gone.is_empty() || retains && has_gate {
        return None;
    }
    let (shards, are, data, their) = match gone.as_slice() {
        [_] => ("shard", "is", "the data that it stores", "its"),
        _ => ("shards", "are", "the data that they store", "their"),
    };
    let when_deleted = field(
        old,
        &["persistentVolumeClaimRetentionPolicy", "whenDeleted"],
    )
    .and_then(Value::as_str);
    let stored = match (
        field(old, &["storage", "volumeClaimTemplate"]),
        when_deleted,
    ) {
        (None, _) => format!("{data} is lost: `storage` has no `volumeClaimTemplate`"),
        (Some(_), Some("Delete")) => {
            format!("{their} volume claims are deleted, by `persistentVolumeClaimRetentionPolicy`")
        }
        (Some(_), _) => format!("{their} volume claims stay, but no query finds {data}"),
    };
    let gate = "the feature gate PrometheusShardRetentionPolicy";
    let advice = match (retains, has_gate) {
        (true, _) => format!("`shardRetentionPolicy` needs {gate}"),
        (false, true) => {
            "`shardRetentionPolicy: {whenScaled: Retain}` keeps them running".to_owned()
        }
        (false, false) => format!(
            "`shardRetentionPolicy: {{whenScaled: Retain}}`, with {gate}, keeps them running"
        ),
    };
    Some(format!(
        "{shards} {} {are} removed, and {stored}; {advice}",
        gone.join(", ")
    ))
}

/// Shards that run in another zone than their volumes may be in.
fn moved(old: &Workload, new: &Workload) -> Option<String> {
    field(new, &["storage", "volumeClaimTemplate"])?;
    let zone_before = |index: u32| {
        old.plan
            .shards
            .iter()
            .find(|shard| shard.index == index)?
            .zone
            .as_deref()
    };
    let moves = new.plan.shards.iter().filter_map(|shard| {
        let (before, after) = (zone_before(shard.index)?, shard.zone.as_deref()?);
        (before != after).then(|| format!("{} from {before} to {after}", shard.index))
    });
    let moves: Vec<String> = moves.collect();
    let text = "shards move to other zones, and a volume of one zone does not follow: their pods stay pending";
    (!moves.is_empty()).then(|| format!("{text} ({})", moves.join(", ")))
}
