//! What is shown by symbol agrees with brute force, and says so through the command line.

use promgen::prove::{ClassKind, Proof, prove};
use promgen::{Input, Options, distribution};
use promgen_targets::discovery::Discovery;

use crate::support::{discover, promgen, root, swept};

const ZONES: [&str; 6] = ["zone-a", "zone-b", "zone-c", "zone-d", "zone-e", "zone-f"];

/// Made-up targets of each fixture.
const MANY: usize = 100_000;
/// Made-up targets of each of the many combinations of shards and zones: enough for hundreds for each shard.
const FEW: usize = 6_000;

/// Returns whether the proof and the fate of made-up targets in all zones of the workload say the same.
fn check(manifests: &str, n: usize, what: &str) -> Proof {
    let output = crate::support::compile(
        &[Input::new("manifests.yaml", manifests)],
        &Options::default(),
    );
    let workload = &output.workloads[0];
    let proof = prove(workload, &Discovery::default());
    let tried = distribution::random(workload, n, &workload.plan.zones, 7, &|_, _| {});
    assert_eq!(tried.n_targets, n, "{what}");

    let classes = proof.classes.as_ref().unwrap();
    let shared: Vec<_> = classes
        .iter()
        .filter(|class| matches!(class.kind, ClassKind::Any | ClassKind::Zone(_)))
        .collect();
    assert_eq!(
        shared
            .iter()
            .any(|class| !class.outcome.uncovered.is_empty()),
        tried.n_uncovered > 0,
        "{what}"
    );
    assert_eq!(
        shared.iter().any(|class| !class.outcome.doubled.is_empty()),
        tried.n_doubled > 0,
        "{what}"
    );
    let without: Vec<u32> = tried
        .of_shards
        .iter()
        .filter(|(_, n)| **n == 0)
        .map(|(shard, _)| *shard)
        .collect();
    assert_eq!(proof.idle, without, "{what}");
    proof
}

fn manifests(shards: usize, strategy: &str) -> String {
    format!(
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
    )
}

#[test]
fn symbol_and_brute_force_agree_for_all_shards_and_zones() {
    let numbers =
        (1..=24).flat_map(|shards| (1..=ZONES.len()).map(move |n_zones| (shards, n_zones)));
    for (shards, n_zones) in swept(1, numbers) {
        let zones = ZONES[..n_zones].join(", ");
        if shards >= n_zones {
            let strategy = format!("{{mode: Topology, topology: {{values: [{zones}]}}}}");
            let proof = check(
                &manifests(shards, &strategy),
                FEW,
                &format!("{shards} on {n_zones}"),
            );
            assert_eq!(proof.idle.len(), shards % n_zones);
            assert_eq!(proof.holds(), shards % n_zones == 0);
        }
        let strategy = format!("{{mode: topology, topology: [{zones}]}}");
        let proof = check(
            &manifests(shards, &strategy),
            FEW,
            &format!("proposal, {shards} on {n_zones}"),
        );
        assert_eq!(proof.holds(), shards % n_zones == 0);
    }
}

#[test]
fn symbol_and_brute_force_agree_without_zones() {
    for shards in swept(2, 1..=24) {
        for strategy in ["{mode: Address}", "{mode: classic}"] {
            assert!(check(&manifests(shards, strategy), FEW, strategy).holds());
        }
    }
}

#[test]
fn symbol_and_brute_force_agree_on_every_topology_fixture() {
    let is_topology = |name: &str| {
        name.starts_with("topology-")
            || name.starts_with("proposal-1")
            || name.starts_with("proposal-9")
    };
    let mut n_checked = 0;
    for entry in std::fs::read_dir(root().join("fixtures")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        // The API server refuses fewer shards than zones.
        if !is_topology(&name) || name == "topology-2-on-3" {
            continue;
        }
        let mut text = String::new();
        for file in std::fs::read_dir(path.join("input")).unwrap() {
            text += &std::fs::read_to_string(file.unwrap().path()).unwrap();
            text += "\n---\n";
        }
        check(&text, MANY, &name);
        n_checked += 1;
    }
    assert!(n_checked >= 5, "{n_checked}");
}

#[test]
fn a_job_that_goes_its_own_way_is_tried_and_not_shown() {
    let run = promgen(&["prove", "fixtures/discoveries", "--format", "json"]);
    assert_eq!(run.code, 1);
    let told: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let job = told["workloads"][0]["jobs"]
        .as_array()
        .unwrap()
        .iter()
        .find(|job| job["job"] == "scrapeConfig/infra/plain")
        .unwrap();
    assert_eq!(job["by"], "enumeration");
    assert_eq!(job["nCounterexamples"], 2);
    assert_eq!(
        job["counterexamples"][0]["shards"],
        serde_json::json!([0, 1])
    );
}

#[test]
fn zones_that_discovery_does_not_tell_are_told() {
    let manifests = manifests(2, "{mode: Topology, topology: {values: [a, b]}}")
        .replace("podMonitorSelector", "scrapeConfigSelector")
        + "---
apiVersion: monitoring.coreos.com/v1alpha1
kind: ScrapeConfig
metadata: {name: none}
spec: {staticConfigs: [{targets: ['one:80']}]}
---
apiVersion: monitoring.coreos.com/v1alpha1
kind: ScrapeConfig
metadata: {name: set}
spec: {staticConfigs: [{targets: ['one:80']}], relabelings: [{targetLabel: __tmp_topology, replacement: b}]}
---
apiVersion: monitoring.coreos.com/v1alpha1
kind: ScrapeConfig
metadata: {name: unknown}
spec: {httpSDConfigs: [{url: 'http://a'}]}
";
    let input = Input::new("manifests.yaml", manifests);
    let (output, _) = discover(&[input], &Options::default());
    let proof = prove(&output.workloads[0], &Discovery::default());
    let told: Vec<_> = proof
        .jobs
        .iter()
        .map(|job| (job.holds(), job.is_open(), job.n_targets))
        .collect();
    assert_eq!(
        told,
        [(false, false, 1), (true, false, 1), (true, true, 0)],
        "{:#?}",
        proof.jobs
    );
}

#[test]
fn many_zones_are_not_gone_through() {
    let zones: Vec<String> = (0..300).map(|i| format!("z{i}")).collect();
    let strategy = format!(
        "{{mode: Topology, topology: {{values: [{}]}}}}",
        zones.join(", ")
    );
    let output = crate::support::compile(
        &[Input::new("manifests.yaml", manifests(300, &strategy))],
        &Options::default(),
    );
    let proof = prove(&output.workloads[0], &Discovery::default());
    assert!(proof.classes.unwrap_err().contains("300 zones"));
    assert!(proof.idle.is_empty());
}
