//! Relabel rules: each action by itself, the hash against others, and targets against the rules of nine shards.

use divan::Bencher;
use divan::counter::ItemsCount;
use md5_other as other;
use promgen::assign::Assigner;
use promgen::distribution::Population;
use promgen::{Input, Options, Project};
use promgen_prometheus::relabel::{Builder, CompiledRule, LabelSet, NameScheme, hash, rules};
use promgen_text::yaml::{Map, Value};

/// A target with labels as the discovery of pods gives them.
fn target() -> LabelSet {
    let mut labels: LabelSet = (0..12)
        .map(|i| {
            (
                format!("__meta_kubernetes_pod_label_l{i}"),
                format!("value-{i}"),
            )
        })
        .collect();
    labels.set("__address__", "10.0.0.1:9100");
    labels.set("__meta_kubernetes_namespace", "shop");
    labels.set("__meta_kubernetes_pod_name", "cart-5d8f7b6c4-x2x9k");
    labels
}

/// Rules by what they are about.
const RULES: [&str; 11] = [
    "replace",
    "capture",
    "keep",
    "drop",
    "hashmod",
    "labelmap",
    "labeldrop",
    "labelkeep",
    "keepequal",
    "uppercase",
    "engine",
];

fn rule(name: &str) -> CompiledRule {
    let fields: &[(&str, &str)] = match name {
        "replace" => &[
            ("source", "__meta_kubernetes_namespace"),
            ("target_label", "namespace"),
        ],
        "capture" => &[
            ("source", "__meta_kubernetes_pod_name"),
            ("regex", "cart-(.*)"),
            ("target_label", "pod"),
        ],
        "keep" => &[
            ("action", "keep"),
            ("source", "__meta_kubernetes_namespace"),
            ("regex", "shop|bar"),
        ],
        "drop" => &[
            ("action", "drop"),
            ("source", "__meta_kubernetes_namespace"),
            ("regex", "foo|bar"),
        ],
        "hashmod" => &[
            ("action", "hashmod"),
            ("source", "__address__"),
            ("target_label", "__tmp_hash"),
            ("modulus", "9"),
        ],
        "labelmap" => &[
            ("action", "labelmap"),
            ("regex", "__meta_kubernetes_pod_label_(.+)"),
        ],
        "labeldrop" => &[
            ("action", "labeldrop"),
            ("regex", "__meta_kubernetes_pod_label_.*"),
        ],
        "labelkeep" => &[("action", "labelkeep"), ("regex", "__address__|__meta_.*")],
        "keepequal" => &[
            ("action", "keepequal"),
            ("source", "__address__"),
            ("target_label", "__address__"),
        ],
        "uppercase" => &[
            ("action", "uppercase"),
            ("source", "__meta_kubernetes_pod_name"),
            ("target_label", "pod"),
        ],
        // A pattern that is more than texts with gaps.
        "engine" => &[
            ("source", "__meta_kubernetes_pod_name"),
            ("regex", r"([a-z]+)-\w+-\w+"),
            ("target_label", "app"),
        ],
        _ => &[],
    };
    let field = |(key, text): &(&'static str, &str)| match (*key, text.parse::<u64>()) {
        ("source", _) => (
            "source_labels",
            Value::Seq(vec![Value::from((*text).to_owned())]),
        ),
        (key, Ok(number)) => (key, Value::from(number)),
        (key, Err(_)) => (key, Value::from((*text).to_owned())),
    };
    let map: Map = fields.iter().map(field).collect();
    rules(&[Value::Map(map)], NameScheme::Utf8)
        .expect("a valid rule")
        .remove(0)
}

/// One rule on a target of 15 labels.
#[divan::bench(args = RULES)]
fn one(bencher: Bencher<'_, '_>, name: &str) {
    let (rule, labels) = (rule(name), target());
    bencher
        .counter(ItemsCount::new(1_u32))
        .bench(|| rule.apply(&mut Builder::new(&labels)));
}

/// The hash of an address: ours, that of the crate below it, and that of another crate.
#[divan::bench(args = ["promgen", "md-5", "md5"])]
fn md5(bencher: Bencher<'_, '_>, by: &str) {
    use md5::Digest as _;
    let address = divan::black_box("10.0.0.1:9100");
    let bencher = bencher.counter(ItemsCount::new(1_u32));
    match by {
        "promgen" => bencher.bench(|| hash(address)),
        "md-5" => bencher.bench(|| md5::Md5::digest(address.as_bytes())[15]),
        _ => bencher.bench(|| other::compute(address.as_bytes())[15]),
    }
}

/// Made-up targets against nine shards on three zones, on one core.
#[divan::bench(args = [100_000])]
fn distribute(bencher: Bencher<'_, '_>, n: usize) {
    let manifests = "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {name: main}\nspec: {shards: 9, \
                     podMonitorSelector: {}, shardingStrategy: {mode: Topology, topology: {values: [a, b, c]}}}\n";
    let output = Project::read(&[Input::new("main.yaml", manifests)], &Options::default())
        .model()
        .into_output();
    let workload = &output.workloads[0];
    let assigner = Assigner::new(
        &workload.sharding_rules,
        &workload.plan.shards,
        NameScheme::Utf8,
    )
    .expect("valid rules");
    let mut population = Population::new(&workload.plan.zones, 0);
    bencher.counter(ItemsCount::new(n)).bench_local(|| {
        (0..n)
            .map(|i| assigner.keepers(population.target(i)).len())
            .sum::<usize>()
    });
}
