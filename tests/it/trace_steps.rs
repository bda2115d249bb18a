//! Tracing targets of compiled workloads.

use promgen::{Model, Project};
use promgen_compile::options::Options;
use promgen_prometheus::relabel::{LabelSet, NameScheme};
use promgen_targets::trace::*;
use promgen_text::source::Input;

/// Returns whether two sets of labels make the same target. Prometheus itself uses no label that begins with `__tmp`.
fn is_same_target(a: &LabelSet, b: &LabelSet) -> bool {
    let lasting = |(name, _): &(&str, &str)| !name.starts_with("__tmp");
    a.iter().filter(lasting).eq(b.iter().filter(lasting))
}

fn compile(manifests: &str) -> Model {
    Project::read(&[Input::new("m.yaml", manifests)], &Options::default()).model()
}

const RELABELINGS: &str = include_str!("../../fixtures/relabelings/input/monitoring.yaml");
const TOPOLOGY: &str = include_str!("../../fixtures/topology-9-on-3/input/manifests.yaml");

/// For each rule of a job: the field that it comes from, and the line that its place starts in from there on.
fn origins(model: &Model, job: &str) -> Vec<(String, String)> {
    let (output, origins) = (model.output(), model.rule_origins());
    let workload = &output.workloads[0];
    let job = workload
        .config
        .as_ref()
        .unwrap()
        .jobs
        .iter()
        .find(|found| found.name == job)
        .unwrap();
    let origins = origins.of(&workload.id);
    assert_eq!(origins.of(job).len(), job.rules().len(), "{}", job.name);
    let told = |origin: &promgen_compile::output::RuleOrigin| {
        let text = output
            .sources
            .text(origin.span.unwrap())
            .lines()
            .next()
            .unwrap_or_default()
            .to_owned();
        (
            format!(
                "{} {}",
                origin.resource.split('/').next().unwrap(),
                origin.field
            ),
            text,
        )
    };
    origins.of(job).iter().map(told).collect()
}

fn check(origins: &[(String, String)], expected: &[(&str, &str)]) {
    let origins: Vec<_> = origins
        .iter()
        .map(|(field, text)| (field.as_str(), text.as_str()))
        .collect();
    for (index, (is, expected)) in origins.iter().zip(expected).enumerate() {
        assert_eq!(is, expected, "rule {}", index + 1);
    }
    assert_eq!(
        origins.len(),
        expected.len(),
        "{:?}",
        origins.get(expected.len())
    );
}

const ENDPOINT: (&str, &str) = ("ServiceMonitor spec.endpoints[0]", "port: metrics");
const SHARDS: (&str, &str) = ("Prometheus spec.shards", "2");
const TENANT: (&str, &str) = ("Prometheus spec.enforcedNamespaceLabel", "tenant");
const CLUSTER: (&str, &str) = (
    "Prometheus spec.scrapeClasses[0].relabelings[0]",
    "{targetLabel: cluster, replacement: eu}",
);
const NO_HASH: (&str, &str) = (
    "Prometheus spec.scrapeClasses[0].relabelings[1]",
    "action: labeldrop",
);

#[test]
fn every_rule_of_a_service_monitor_has_its_place() {
    let output = compile(RELABELINGS);
    let port = ("ServiceMonitor spec.endpoints[0].port", "metrics");
    check(
        &origins(&output, "serviceMonitor/shop/cart/0"),
        &[
            ENDPOINT,
            ("ServiceMonitor spec.selector.matchLabels.app", "cart"),
            (
                "ServiceMonitor spec.selector.matchExpressions[0]",
                "{key: tier, operator: In, values: [backend, frontend]}",
            ),
            port,
            ENDPOINT,
            ENDPOINT,
            ENDPOINT,
            ENDPOINT,
            ENDPOINT,
            ENDPOINT,
            // The endpoint has no such field, so it is its own place.
            (
                "ServiceMonitor spec.endpoints[0].filterRunning",
                "port: metrics",
            ),
            ("ServiceMonitor spec.targetLabels[0]", "tier"),
            ("ServiceMonitor spec.podTargetLabels[0]", "version"),
            ("Prometheus spec.podTargetLabels[0]", "team"),
            ENDPOINT,
            ("ServiceMonitor spec.jobLabel", "app"),
            port,
            CLUSTER,
            NO_HASH,
            (
                "ServiceMonitor spec.endpoints[0].relabelings[0]",
                "sourceLabels: [__meta_kubernetes_pod_node_name]",
            ),
            (
                "ServiceMonitor spec.endpoints[0].relabelings[1]",
                "action: drop",
            ),
            (
                "ServiceMonitor spec.endpoints[0].relabelings[2]",
                "{action: labelmap, regex: __meta_kubernetes_pod_annotation_(team), replacement: owner_$1}",
            ),
            TENANT,
            SHARDS,
            SHARDS,
            SHARDS,
            SHARDS,
            SHARDS,
        ],
    );
}

#[test]
fn every_rule_of_a_pod_monitor_has_its_place() {
    let output = compile(RELABELINGS);
    let endpoint = ("PodMonitor spec.podMetricsEndpoints[0]", "portNumber: 9102");
    check(
        &origins(&output, "podMonitor/shop/workers/0"),
        &[
            endpoint,
            ("PodMonitor spec.selector.matchLabels.app", "worker"),
            ("PodMonitor spec.podMetricsEndpoints[0].portNumber", "9102"),
            endpoint,
            endpoint,
            endpoint,
            ("Prometheus spec.podTargetLabels[0]", "team"),
            endpoint,
            CLUSTER,
            NO_HASH,
            (
                "PodMonitor spec.podMetricsEndpoints[0].relabelings[0]",
                "{action: hashmod, sourceLabels: [__meta_kubernetes_pod_name], modulus: 2, targetLabel: __tmp_hash}",
            ),
            TENANT,
            SHARDS,
            SHARDS,
            SHARDS,
            SHARDS,
            SHARDS,
        ],
    );
}

#[test]
fn every_rule_of_probes_and_scrape_configs_has_its_place() {
    let output = compile(RELABELINGS);
    let targets = ("Probe spec.targets.staticConfig", "staticConfig");
    check(
        &origins(&output, "probe/shop/website"),
        &[
            ("Probe spec", "spec"),
            ("Probe spec.jobName", "website"),
            targets,
            targets,
            ("Probe spec.prober.url", "blackbox:9115"),
            CLUSTER,
            NO_HASH,
            (
                "Probe spec.targets.staticConfig.relabelingConfigs[0]",
                "{targetLabel: kind, replacement: website}",
            ),
            TENANT,
            SHARDS,
            SHARDS,
            SHARDS,
            SHARDS,
            SHARDS,
        ],
    );
    let ingresses = origins(&output, "probe/shop/ingresses");
    assert_eq!(
        ingresses[1],
        (
            "Probe spec.targets.ingress.selector.matchLabels.probed".to_owned(),
            "\"yes\"".to_owned()
        )
    );
    let own = ingresses
        .iter()
        .find(|(field, _)| field.ends_with("relabelingConfigs[0]"))
        .unwrap();
    assert_eq!(own.1, "{targetLabel: kind, replacement: ingress}");
    check(
        &origins(&output, "scrapeConfig/shop/machines"),
        &[
            ("ScrapeConfig spec", "spec"),
            CLUSTER,
            NO_HASH,
            ("ScrapeConfig spec.jobName", "machines"),
            (
                "ScrapeConfig spec.relabelings[0]",
                "{action: Uppercase, sourceLabels: [rack], targetLabel: rack}",
            ),
            TENANT,
            SHARDS,
            SHARDS,
            SHARDS,
            SHARDS,
            SHARDS,
        ],
    );
    let brought = origins(&output, "<redacted:shop/more/jobs.yaml>");
    let secret = ("Secret stringData.jobs.yaml".to_owned(), "|".to_owned());
    assert_eq!(
        (brought.len(), &brought[0], brought[1].0.as_str()),
        (6, &secret, SHARDS.0)
    );
}

#[test]
fn rules_of_a_sharding_strategy_point_to_it() {
    let output = compile(TOPOLOGY);
    let fields = |output: &Model, job: &str| -> Vec<String> {
        origins(output, job)
            .into_iter()
            .map(|(field, _)| field)
            .filter(|field| field.starts_with("Prometheus"))
            .collect()
    };
    let (strategy, shards) = ("Prometheus spec.shardingStrategy", "Prometheus spec.shards");
    let all = fields(&output, "serviceMonitor/shop/cart/0");
    assert_eq!(
        all,
        [
            shards, shards, strategy, strategy, strategy, shards, shards, shards
        ]
    );
    let output = compile(
        "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {name: p}\nspec: {shards: 4, probeSelector: {}, \
         shardingStrategy: {mode: topology, topology: [a, b], additionalRelabelConfig: [{targetLabel: x, replacement: z}, \
         {targetLabel: x, replacement: z}]}}\n---\napiVersion: monitoring.coreos.com/v1\nkind: Probe\nmetadata: {name: \
         a}\nspec: {prober: {url: b}, targets: {staticConfig: {static: [x]}}}\n",
    );
    let user = |index: usize| format!("{strategy}.additionalRelabelConfig[{index}]");
    let expected = [
        user(0),
        user(1),
        strategy.to_owned(),
        shards.to_owned(),
        shards.to_owned(),
    ];
    assert_eq!(fields(&output, "probe/default/a"), expected);
}

/// Tracing in short and step by step comes to the same, and to what the assigner says.
#[test]
fn a_verdict_agrees_with_the_steps_of_every_shard() {
    let model = compile(TOPOLOGY);
    let workload = &model.output().workloads[0];
    let jobs = &workload.config.as_ref().unwrap().jobs;
    let tracer = Tracer::new(workload, &jobs[0]).unwrap();
    let assigner =
        promgen::assign::Assigner::new(jobs[0].rules(), &workload.plan.shards, NameScheme::Utf8)
            .unwrap();
    for (number, zone) in ["zone-a", "zone-b", "zone-c", "elsewhere", ""]
        .into_iter()
        .cycle()
        .take(60)
        .enumerate()
    {
        let address = format!("10.0.0.{number}:80");
        let app = if number % 7 == 0 { "other" } else { "cart" };
        let labels: LabelSet = [
            ("__address__", address.as_str()),
            ("__meta_kubernetes_service_label_app", app),
            ("__meta_kubernetes_service_labelpresent_app", "true"),
            ("__meta_kubernetes_endpoint_port_name", "metrics"),
            ("__meta_kubernetes_endpointslice_endpoint_zone", zone),
        ]
        .into_iter()
        .collect();
        let verdict = tracer.verdict(&labels).unwrap();
        assert_eq!(verdict.keepers(), assigner.keepers(&labels));
        assert_eq!(verdict.is_target, app == "cart");
        let n_told = verdict.n_keepers()
            + verdict
                .dropped
                .iter()
                .map(|(shards, _)| shards.len())
                .sum::<usize>();
        assert_eq!(n_told, 9);
        for shard in &workload.plan.shards {
            let trace = tracer.trace(&labels, shard).unwrap();
            let kept = verdict
                .kept
                .iter()
                .find(|(shards, _)| shards.contains(&shard.index))
                .map(|(_, labels)| labels);
            assert_eq!(trace.kept().is_some(), kept.is_some());
            assert!(
                trace
                    .kept()
                    .zip(kept)
                    .is_none_or(|(a, b)| is_same_target(a, b))
            );
            let dropped = verdict
                .dropped
                .iter()
                .find(|(shards, _)| shards.contains(&shard.index));
            let step = trace.dropped().map(|step| (step.rule, step.value.as_str()));
            assert_eq!(
                step,
                dropped.map(|(_, dropped)| (dropped.rule, dropped.value.as_str()))
            );
        }
    }
}
