//! The YAML emitter alone, on a scrape configuration of about 3 MB.

use divan::Bencher;
use divan::counter::BytesCount;
use promgen_text::yaml::emit::{self, Dialect};
use promgen_text::yaml::{Map, Value};

const JOBS: usize = 1320;

/// A relabel rule with these source labels, and more.
fn rule(sources: &[&str], rest: &[(&'static str, &str)]) -> Value {
    let sources = sources
        .iter()
        .map(|&label| Value::from(label.to_owned()))
        .collect::<Vec<_>>();
    let mut rule = Map::new().with("source_labels", sources);
    for &(key, text) in rest {
        rule.push(key, text.to_owned());
    }
    rule.into()
}

/// The relabel rules of a job, like those of a `ServiceMonitor`.
fn rules(job: usize) -> Vec<Value> {
    let label = format!("__meta_kubernetes_service_label_app_{job}");
    let present = format!("__meta_kubernetes_service_labelpresent_app_{job}");
    let value = format!("(component-{job});true");
    let target = [
        "__meta_kubernetes_endpointslice_address_target_kind",
        "__meta_kubernetes_endpointslice_address_target_name",
    ];
    let mut rules = vec![
        rule(&["job"], &[("target_label", "__tmp_prometheus_job_name")]),
        rule(
            &[&label, &present],
            &[("regex", &value), ("action", "keep")],
        ),
        rule(
            &["__meta_kubernetes_endpointslice_port_name"],
            &[("regex", "http-metrics"), ("action", "keep")],
        ),
        rule(
            &["__meta_kubernetes_pod_phase"],
            &[("regex", "(Failed|Succeeded)"), ("action", "drop")],
        ),
        rule(
            &["__tmp_current_shard"],
            &[("regex", "0"), ("action", "keep")],
        ),
        rule(
            &["__tmp_hash", "__tmp_disable_sharding"],
            &[("regex", "$(SHARD);|.+;.+"), ("action", "keep")],
        ),
    ];
    for (kind, node) in [("Node;(.*)", "node"), ("Pod;(.*)", "pod")] {
        let rest = [
            ("separator", ";"),
            ("regex", kind),
            ("replacement", "${1}"),
            ("target_label", node),
        ];
        rules.push(rule(&target, &rest));
    }
    let copied = [
        ("__meta_kubernetes_namespace", "namespace"),
        ("__meta_kubernetes_service_name", "service"),
        ("__meta_kubernetes_pod_name", "pod"),
        ("__meta_kubernetes_pod_container_name", "container"),
        ("__meta_kubernetes_service_label_team", "team"),
        ("__meta_kubernetes_service_label_tier", "tier"),
    ];
    for (source, target) in copied {
        rules.push(rule(
            &[source],
            &[
                ("target_label", target),
                ("regex", "(.+)"),
                ("replacement", "${1}"),
            ],
        ));
    }
    rules
}

/// A scrape job.
fn job(job: usize) -> Value {
    let discovery = Map::new().with("role", "endpointslice").with(
        "namespaces",
        Map::new().with("names", vec![format!("team-{}", job % 50)]),
    );
    Map::new()
        .with(
            "job_name",
            format!("serviceMonitor/team-{}/component-{job}/0", job % 50),
        )
        .with("honor_labels", false)
        .with("kubernetes_sd_configs", vec![discovery])
        .with("scrape_interval", "30s")
        .with("scheme", "https")
        .with(
            "tls_config",
            Map::new()
                .with("insecure_skip_verify", true)
                .with("server_name", "localhost"),
        )
        .with("sample_limit", 50_000)
        .with("relabel_configs", rules(job))
        .with(
            "metric_relabel_configs",
            vec![rule(
                &["__name__"],
                &[
                    (
                        "regex",
                        "(apiserver_request_duration_seconds|etcd_request_duration_seconds)_bucket",
                    ),
                    ("action", "drop"),
                ],
            )],
        )
        .into()
}

fn config() -> Value {
    let global = Map::new()
        .with("scrape_interval", "30s")
        .with("evaluation_interval", "30s");
    Map::new()
        .with("global", global)
        .with("scrape_configs", (0..JOBS).map(job).collect::<Vec<_>>())
        .into()
}

/// Values to text.
#[divan::bench]
fn scrape_configuration(bencher: Bencher<'_, '_>) {
    let config = config();
    let bytes = emit::to_string(&config, Dialect::YamlV2).len();
    bencher.counter(BytesCount::new(bytes)).bench(|| {
        let mut out = String::with_capacity(bytes);
        emit::write(&mut out, &config, Dialect::YamlV2, 0);
        out
    });
}

/// The same with the keys of every map sorted.
#[divan::bench]
fn scrape_configuration_sigs(bencher: Bencher<'_, '_>) {
    let config = config();
    let bytes = emit::to_string(&config, Dialect::Sigs).len();
    bencher
        .counter(BytesCount::new(bytes))
        .bench(|| emit::to_string(&config, Dialect::Sigs));
}

/// The text of a configuration as one entry of a Secret.
#[divan::bench]
fn literal_block(bencher: Bencher<'_, '_>) {
    let text = emit::to_string(&config(), Dialect::YamlV2);
    bencher.counter(BytesCount::of_str(&text)).bench(|| {
        let mut out = String::with_capacity(text.len() * 2);
        emit::write_text_entry(&mut out, "prometheus.yaml", &text, Dialect::YamlV2, 2);
        out
    });
}
