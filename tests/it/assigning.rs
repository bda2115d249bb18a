//! The printed rules deal targets as the plan says: by running them, for every number of shards and zones.

use promgen::assign::Assigner;
use promgen::{Input, Options, Output};
use promgen_compile::sharding::plan::Shard;
use promgen_prometheus::relabel::{LabelSet, NameScheme, hash_mod};

use crate::support::swept;

const ZONES: [&str; 6] = ["zone-a", "zone-b", "zone-c", "zone-d", "zone-e", "zone-f"];
const ZONE_LABEL: &str = "__meta_kubernetes_pod_label_topology_kubernetes_io_zone";

fn compile(shards: u32, strategy: &str) -> Output {
    let manifests = format!(
        "apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: {{name: main}}
spec: {{shards: {shards}, podMonitorSelector: {{}}, shardingStrategy: {strategy}}}
---
apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata: {{name: all}}
spec: {{selector: {{}}, podMetricsEndpoints: [{{}}]}}
"
    );
    crate::support::discover(
        &[Input::new("manifests.yaml", manifests)],
        &Options::default(),
    )
    .0
}

/// Targets in every zone, in one that is not listed, and in none.
fn targets() -> impl Iterator<Item = (String, &'static str)> {
    let zones = ZONES.iter().copied().chain(["elsewhere", ""]).cycle();
    (0..240)
        .map(|i| format!("10.{}.{}.{}:9100", i % 3, i / 7, i))
        .zip(zones)
}

fn labels(address: &str, zone: &str) -> LabelSet {
    let present = if zone.is_empty() { "" } else { "true" };
    let labels = [
        ("__address__", address),
        (ZONE_LABEL, zone),
        (
            "__meta_kubernetes_pod_labelpresent_topology_kubernetes_io_zone",
            present,
        ),
    ];
    labels.into_iter().collect()
}

/// Returns whether the plan gives the target to the shard.
fn planned(shard: &Shard, modulus: u32, address: &str, zone: &str) -> bool {
    let is_near = shard.zone.as_deref().is_none_or(|own| own == zone);
    is_near && hash_mod(address, modulus.into()) == u64::from(shard.in_zone)
}

fn check(output: &Output, what: &str) -> usize {
    let workload = &output.workloads[0];
    let jobs = &workload.config.as_ref().unwrap().jobs;
    let plan = &workload.plan;
    let assigner = Assigner::new(jobs[0].rules(), &plan.shards, NameScheme::Utf8).unwrap();
    let mut assignment = 0;
    for (address, zone) in targets() {
        let expected: Vec<u32> = plan
            .shards
            .iter()
            .filter(|s| planned(s, plan.modulus, &address, zone))
            .map(|s| s.index)
            .collect();
        assert_eq!(
            assigner.keepers(&labels(&address, zone)),
            expected,
            "{what}: {address} in {zone}"
        );
        assignment += expected.len();
    }
    assignment
}

#[test]
fn rules_deal_as_planned_in_both_dialects() {
    for n_zones in 1..=ZONES.len() {
        let zones = ZONES[..n_zones].join(", ");
        for shards in swept(n_zones, 1..=24) {
            if shards as usize >= n_zones {
                let operator = format!("{{mode: Topology, topology: {{values: [{zones}]}}}}");
                let output = compile(shards, &operator);
                // Six zones, one that is not listed, none: an eighth of the targets each.
                assert_eq!(
                    check(&output, &format!("{shards} on {n_zones}")),
                    30 * n_zones
                );
            }
            let proposal = format!("{{mode: topology, topology: [{zones}]}}");
            assert!(
                check(
                    &compile(shards, &proposal),
                    &format!("proposal, {shards} on {n_zones}")
                ) > 0
            );
        }
    }
}

#[test]
fn rules_deal_by_address_without_zones() {
    for shards in 1..=24 {
        for strategy in ["{mode: Address}", "{mode: classic}"] {
            assert_eq!(
                check(&compile(shards, strategy), &format!("{strategy} {shards}")),
                240
            );
        }
    }
}

/// The assigner of the only job of a Prometheus with that strategy.
fn assigner(shards: u32, strategy: &str) -> (Assigner, usize) {
    let manifests = format!(
        "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {{name: p}}\nspec: {{shards: {shards}, \
         {strategy} probeSelector: {{}}}}\n---\napiVersion: monitoring.coreos.com/v1\nkind: Probe\nmetadata: \
         {{name: a}}\nspec: {{prober: {{url: b}}, targets: {{staticConfig: {{static: [x]}}}}}}\n"
    );
    let (output, _) =
        crate::support::discover(&[Input::new("p.yaml", manifests)], &Options::default());
    let workload = &output.workloads[0];
    let jobs = &workload.config.as_ref().unwrap().jobs;
    let shards = &workload.plan.shards;
    (
        Assigner::new(jobs[0].rules(), shards, NameScheme::Utf8).unwrap(),
        shards.len(),
    )
}

fn target(address: &str) -> LabelSet {
    [("__address__", address), ("__param_target", address)]
        .into_iter()
        .collect()
}

#[test]
fn every_target_has_one_shard_and_every_shard_some() {
    let (assigner, n_shards) = assigner(5, "");
    let mut counts = vec![0; n_shards];
    for i in 0..1000 {
        let keepers = assigner.keepers(&target(&format!("10.0.{}.{}:80", i / 250, i % 250)));
        assert_eq!(keepers.len(), 1, "{keepers:?}");
        counts[keepers[0] as usize] += 1;
    }
    assert!(
        counts.iter().all(|count| (140..260).contains(count)),
        "{counts:?}"
    );
}

#[test]
fn what_has_no_zone_has_no_shard() {
    let (assigner, _) = assigner(
        6,
        "shardingStrategy: {mode: Topology, topology: {values: [a, b, c]}},",
    );
    assert_eq!(assigner.keepers(&target("10.0.0.1:80")), Vec::<u32>::new());
}
