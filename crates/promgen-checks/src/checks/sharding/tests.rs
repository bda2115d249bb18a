//! What is found, where, and what is not.

use crate::checks::found::found;

fn sharded(selector: &str, strategy: &str, more: &str) -> Vec<String> {
    let text = format!(
        "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {{name: k8s}}\nspec: {{shards: 2, {selector}, {strategy}}}\n---\n{more}"
    );
    found(&["PG205", "PG206", "PG207"], &text)
}

const BY_ZONE: &str = "shardingStrategy: {mode: Topology, topology: {values: [a, b]}}";
const BY_ADDRESS: &str = "shardingStrategy: {mode: Address}";

fn scrape_config(spec: &str) -> String {
    format!(
        "apiVersion: monitoring.coreos.com/v1alpha1\nkind: ScrapeConfig\nmetadata: {{name: c}}\nspec:\n  {spec}\n"
    )
}

#[test]
fn discoveries_are_told_by_the_labels_that_they_can_give() {
    let with = |spec: &str| sharded("scrapeConfigSelector: {}", BY_ZONE, &scrape_config(spec));
    for zoneless in [
        "consulSDConfigs: [{server: a}]",
        "dnsSDConfigs: [{names: [a], type: A, port: 80}]",
        "kubernetesSDConfigs: [{role: Ingress}]",
        "kubernetesSDConfigs: [{role: Service}]",
        "kubernetesSDConfigs: [{role: Node}]",
        "staticConfigs: [{targets: [a]}]",
    ] {
        let told = with(zoneless);
        assert!(
            told.len() == 1 && told[0].starts_with("PG205 error 10"),
            "{zoneless}: {told:?}"
        );
    }
    assert!(with("httpSDConfigs: [{url: 'http://a'}]")[0].starts_with("PG205 warning 10"));
    for zoned in [
        "kubernetesSDConfigs: [{role: Pod}]",
        "kubernetesSDConfigs: [{role: EndpointSlice}]",
    ] {
        assert!(with(zoned).is_empty(), "{zoned}: {:?}", with(zoned));
    }
    assert!(
        sharded(
            "scrapeConfigSelector: {}",
            BY_ADDRESS,
            &scrape_config("staticConfigs: [{targets: [a]}]")
        )
        .is_empty()
    );
}

#[test]
fn a_zone_may_be_written_by_a_rule() {
    let with = |spec: &str| sharded("scrapeConfigSelector: {}", BY_ZONE, &scrape_config(spec));
    let rule = |replacement: &str| {
        format!(
            "staticConfigs: [{{targets: [x, z]}}]\n  relabelings: [{{targetLabel: __tmp_topology, replacement: {replacement}}}]"
        )
    };
    assert!(with(&rule("a")).is_empty());
    assert!(
        with(&rule("c"))[0].contains("no shard of Prometheus default/k8s scrapes the 2 targets"),
        "a zone that there is not"
    );
    let consul = "consulSDConfigs: [{server: a}]\n  relabelings: [{sourceLabels: [__meta_consul_dc], targetLabel: __tmp_topology}]";
    assert!(with(consul).is_empty());
    let some = "staticConfigs: [{targets: [x, z]}]\n  relabelings: [{sourceLabels: [__address__], regex: x, targetLabel: __tmp_topology, replacement: a}]";
    assert!(
        with(some)[0].contains("scrapes 1 of the 2 targets"),
        "{:?}",
        with(some)
    );
}

fn additional(strategy: &str, jobs: &str) -> Vec<String> {
    let secret = format!(
        "apiVersion: v1\nkind: Secret\nmetadata: {{name: more}}\nstringData:\n  jobs: |\n{}\n",
        jobs.lines()
            .map(|line| format!("    {line}\n"))
            .collect::<String>()
    );
    sharded(
        "additionalScrapeConfigs: {name: more, key: jobs}, probeSelector: {}",
        strategy,
        &secret,
    )
}

#[test]
fn additional_jobs_are_read_from_their_secret() {
    let told = additional(
        BY_ZONE,
        "- job_name: x\n  static_configs: [{targets: [a]}]\n",
    );
    assert!(
        told.len() == 1 && told[0].starts_with("PG205 error 10"),
        "{told:?}"
    );
    assert!(
        told[0].contains("job 1 of the additional scrape configs"),
        "what stands in a Secret is not shown: {told:?}"
    );
    let hashed = "- job_name: x\n  static_configs: [{targets: [a]}]\n  relabel_configs:\n  - {source_labels: [__address__], \
                  modulus: 2, target_label: __tmp_hash, action: hashmod}\n";
    let told = additional(BY_ADDRESS, hashed);
    assert!(
        told.len() == 1 && told[0].starts_with("PG206 warning"),
        "{told:?}"
    );
    let kept =
        format!("{hashed}  - {{source_labels: [__tmp_hash], regex: $(SHARD), action: keep}}\n");
    assert!(additional(BY_ADDRESS, &kept).is_empty());
    assert!(
        additional(
            BY_ADDRESS,
            "- job_name: x\n  static_configs: [{targets: [a]}]\n"
        )
        .is_empty()
    );
}

#[test]
fn zones_are_regular_expressions() {
    let with = |zones: &str| {
        let text = format!(
            "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {{name: k8s}}\nspec: {{shards: 4, shardingStrategy: {{mode: Topology, topology: {{values: {zones}}}}}}}\n"
        );
        found(&["PG208", "PG209"], &text)
    };
    assert!(with("[europe-west1-b, a_1]").is_empty());
    assert!(with("[a.b]")[0].starts_with("PG208 info"));
    assert!(with("['a(b']")[0].contains("is not a valid regular expression"));
    assert!(with("['a+']")[0].contains("does not match itself"));
    assert!(with("['a|b', b]")[0].starts_with("PG208 error"));
    assert!(with("[a, a]")[0].starts_with("PG209 error"));
}

fn strategy(shards: u32, strategy: &str, code: &str) -> Vec<String> {
    let text = format!(
        "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {{name: k8s}}\nspec:\n  shards: {shards}\n  shardingStrategy: {strategy}\n"
    );
    found(&[code], &text)
}

#[test]
fn the_proposals_strategy_needs_zones() {
    for strategy_without in ["{mode: topology}", "{mode: topology, topology: []}"] {
        let told = strategy(2, strategy_without, "PG2");
        assert_eq!(told.len(), 1, "{told:?}");
        let expected = "PG214 error 6: mode `topology` requires the zones to scrape | list them: `topology: [zone-a, zone-b]`";
        assert_eq!(told[0], expected);
    }
    assert!(strategy(2, "{mode: classic, topology: []}", "PG214").is_empty());
}

#[test]
fn zones_that_are_listed_twice_are_no_surplus() {
    let told = strategy(2, "{mode: topology, topology: [a, a]}", "PG20");
    assert!(
        told.len() == 1 && told[0].starts_with("PG209 error 6"),
        "{told:?}"
    );
    let told = strategy(3, "{mode: topology, topology: [a, a]}", "PG20");
    assert!(
        told.len() == 2 && told.iter().any(|found| found.starts_with("PG202")),
        "{told:?}"
    );
}

#[test]
fn the_operators_dialect_is_named_where_it_has_the_same() {
    let of = |shards, text: &str| strategy(shards, text, "PG216").concat();
    assert!(
        of(2, "{mode: topology, topology: [a, b]}").ends_with("with `topology: {values: [a, b]}`")
    );
    assert!(
        of(3, "{mode: topology, topology: [a, b]}")
            .contains("no equivalent: 3 shards are not a multiple of 2 zones")
    );
    assert!(
        of(2, "{mode: classic, label: __address__}")
            .ends_with("has `mode: Address`, which is the default")
    );
    assert!(of(2, "{mode: classic, label: a}").contains("no equivalent"));
    assert!(of(2, "{mode: Topology, topology: {values: [a, b]}}").is_empty());
}

#[test]
fn a_label_that_nodes_lack_is_told() {
    let of = |text: &str| strategy(2, text, "PG215").len();
    assert_eq!(of("{mode: topology, label: rack, topology: [a, b]}"), 1);
    assert_eq!(
        of("{mode: topology, label: topology.kubernetes.io/zone, topology: [a, b]}"),
        0
    );
    assert_eq!(of("{mode: classic, label: rack}"), 0);
}

#[test]
fn a_hashed_label_that_no_job_sets_is_told() {
    let of = |label: &str, relabelings: &str| {
        let text = format!(
            "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {{name: k8s}}\nspec: {{shards: 2, podMonitorSelector: {{}}, shardingStrategy: {{mode: classic, label: {label}}}}}\n---\napiVersion: monitoring.coreos.com/v1\nkind: PodMonitor\nmetadata: {{name: m}}\nspec: {{selector: {{matchLabels: {{app: x}}}}, podMetricsEndpoints: [{{port: web, relabelings: [{relabelings}]}}]}}\n"
        );
        found(&["PG218"], &text)
    };
    let told = of("example.com/key", "");
    assert!(
        told.len() == 1 && told[0].contains("sets `example_com_key`, so one shard scrapes all"),
        "{told:?}"
    );
    assert!(
        of(
            "example.com/key",
            "{targetLabel: example_com_key, sourceLabels: [__meta_kubernetes_pod_name]}"
        )
        .is_empty()
    );
    assert!(of("__meta_kubernetes_pod_name", "").is_empty() && of("__address__", "").is_empty());
}

#[test]
fn volumes_are_where_their_class_allows() {
    let of = |claim: &str, classes: &str| {
        let text = format!(
            "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {{name: k8s}}\nspec: {{shards: 2, {BY_ZONE}, storage: {{volumeClaimTemplate: {{spec: {{{claim}}}}}}}}}\n---\n{classes}"
        );
        found(&["PG225"], &text)
    };
    let class = |name: &str, more: &str| {
        format!(
            "---\n{{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {{name: {name}{more}}}}}\n"
        )
    };
    let limited = |zones: &str| {
        format!(
            "}}, allowedTopologies: [{{matchLabelExpressions: [{{key: topology.ebs.csi.aws.com/zone, values: {zones}}}]}}], parameters: {{x: x"
        )
    };
    let fast = "storageClassName: fast";
    let told = of(fast, &class("fast", &limited("[a]")));
    assert!(
        told.len() == 1
            && told[0].contains(
                "no volume of StorageClass fast may be in \"b\": the pods of their shards"
            ),
        "{told:?}"
    );
    for (claim, classes) in [
        (fast, class("fast", &limited("[b, a]"))),
        (fast, class("fast", "")),
        (fast, class("slow", &limited("[a]"))),
        (fast, class("fast", &limited("[a]")) + &class("fast", "")),
        (
            "accessModes: [ReadWriteOnce]",
            class("fast", &limited("[a]")),
        ),
    ] {
        assert_eq!(
            of(claim, &classes),
            Vec::<String>::new(),
            "{claim}: {classes}"
        );
    }
    let default = ", annotations: {storageclass.kubernetes.io/is-default-class: \"true\"}";
    assert_eq!(
        of(
            "accessModes: [ReadWriteOnce]",
            &class("fast", &(default.to_owned() + &limited("[a]")))
        )
        .len(),
        1
    );
}
