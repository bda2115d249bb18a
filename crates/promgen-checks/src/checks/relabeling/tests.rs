//! The family about relabeling, case by case.

use crate::checks::found::found;

fn monitor(rules: &str, metric_rules: &str) -> String {
    format!(
        "apiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata: {{name: m}}\nspec:\n  selector: {{}}\n  \
         targetLabels: [app.x/y]\n  endpoints:\n  - port: web\n    relabelings: [{rules}]\n    \
         metricRelabelings: [{metric_rules}]\n"
    )
}

/// The codes and levels that rules of a monitor are told with.
fn of_targets(rules: &str) -> Vec<String> {
    told(&monitor(rules, ""))
}

fn of_samples(rules: &str) -> Vec<String> {
    told(&monitor("", rules))
}

fn told(text: &str) -> Vec<String> {
    let is_about = |line: &String| line.split(' ').take(2).collect::<Vec<_>>().join(" ");
    found(&["PG4"], text).iter().map(is_about).collect()
}

const NONE: [&str; 0] = [];

#[test]
fn patterns_that_cannot_match_are_told() {
    let keep = |regex: &str| {
        of_targets(&format!(
            "{{sourceLabels: [pod, job], regex: '{regex}', action: keep}}"
        ))
    };
    for regex in ["a$;b", "a;^b", "ab", "a|b", "(a|b)"] {
        assert_eq!(keep(regex), ["PG401 error"], "{regex}");
    }
    for regex in ["a;b", "a|b;c", "^a;b$", "a.b", ".+", r"a\$;b"] {
        assert_eq!(keep(regex), NONE, "{regex}");
    }
    assert_eq!(
        of_samples("{sourceLabels: [a, b], separator: '-', regex: 'a;b', action: drop}"),
        ["PG401 warning"]
    );
    for rule in [
        "{regex: 'go_.*', action: drop}",
        "{sourceLabels: [], regex: cart, targetLabel: a, replacement: b}",
    ] {
        assert_eq!(of_samples(rule), ["PG401 warning"], "{rule}");
    }
    for rule in [
        "{targetLabel: a, replacement: b}",
        "{regex: '.*', targetLabel: a, replacement: b}",
        "{regex: 'go_.*', action: labeldrop}",
    ] {
        assert_eq!(of_samples(rule), NONE, "{rule}");
    }
    assert_eq!(
        of_samples("{sourceLabels: [a, b], separator: '', regex: 'ab', action: drop}"),
        NONE
    );
    assert_eq!(
        of_samples(
            "{sourceLabels: [a, b], regex: 'ab', modulus: 3, targetLabel: c, action: hashmod}"
        ),
        NONE
    );
    assert_eq!(
        of_samples("{sourceLabels: [__name__], regex: 'etcd_(debugging|disk).*', action: drop}"),
        NONE
    );
}

#[test]
fn labels_that_are_not_there_are_told() {
    let copy = |from: &str| of_targets(&format!("{{sourceLabels: [{from}], targetLabel: b}}"));
    for label in ["instance", "__name__", "foo", "__tmp_foo"] {
        assert_eq!(copy(label), ["PG402 warning"], "{label}");
    }
    for label in [
        "__meta_kubernetes_pod_node_name",
        "__address__",
        "node",
        "app_x_y",
        "job",
        "__param_target",
        "__tmp_disable_sharding",
    ] {
        assert_eq!(copy(label), NONE, "{label}");
    }
    assert_eq!(
        of_targets("{targetLabel: a, replacement: b}, {sourceLabels: [a], targetLabel: c}"),
        NONE
    );
    assert_eq!(
        of_targets("{action: labelmap, regex: 'x_(.+)'}, {sourceLabels: [a], targetLabel: c}"),
        NONE
    );
    let dropped = found(
        &["PG4"],
        &monitor(
            "{action: labeldrop, regex: po.}, {sourceLabels: [pod], targetLabel: c}",
            "",
        ),
    );
    assert_eq!(
        dropped,
        [
            "PG402 warning 9: an earlier rule removes the label `pod` | read the label before that rule"
        ]
    );
    assert_eq!(
        of_targets(
            "{action: labeldrop, regex: po.}, {targetLabel: pod, replacement: x}, {sourceLabels: [pod], targetLabel: c}"
        ),
        NONE
    );
}

#[test]
fn what_workloads_set_is_there() {
    let server = |spec: &str| {
        let monitor = monitor("{sourceLabels: [team], targetLabel: b}", "");
        told(&format!(
            "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {{name: p}}\nspec: {{{spec}}}\n---\n{monitor}"
        ))
    };
    assert_eq!(server(""), ["PG402 warning"]);
    assert_eq!(server("podTargetLabels: [team]"), NONE);
    assert_eq!(
        server("scrapeClasses: [{name: a, relabelings: [{targetLabel: team, replacement: x}]}]"),
        NONE
    );
    assert_eq!(
        server("scrapeClasses: [{name: a, relabelings: [{action: labelmap, regex: 'x(.+)'}]}]"),
        NONE
    );
}

#[test]
fn labels_that_samples_do_not_have_are_told() {
    let copy = |from: &str| of_samples(&format!("{{sourceLabels: [{from}], targetLabel: b}}"));
    for label in ["__meta_kubernetes_pod_name", "__address__", "__tmp_a"] {
        assert_eq!(copy(label), ["PG406 warning"], "{label}");
    }
    for label in ["__name__", "instance", "anything"] {
        assert_eq!(copy(label), NONE, "{label}");
    }
    for (more, level) in [
        ("replacement: a", "info"),
        ("regex: '.*', replacement: a", "info"),
        ("regex: '(.+)', replacement: a", "warning"),
        ("replacement: 'a-$1'", "warning"),
        ("separator: x", "warning"),
    ] {
        let rule = format!("{{sourceLabels: [__address__], targetLabel: b, {more}}}");
        assert_eq!(of_samples(&rule), [format!("PG406 {level}")], "{more}");
    }
    let copied = "{targetLabel: b, sourceLabels: [instance], replacement: a}";
    assert_eq!(of_targets(copied), ["PG402 info"]);
    assert_eq!(
        of_samples(
            "{targetLabel: __tmp_a, replacement: b}, {sourceLabels: [__tmp_a], targetLabel: c}"
        ),
        NONE
    );
    assert_eq!(
        of_samples("{action: labelmap, regex: '__meta_kubernetes_(.+)'}"),
        ["PG406 warning"]
    );
    assert_eq!(
        of_targets("{action: labelmap, regex: '__meta_kubernetes_(.+)'}"),
        NONE
    );
}

#[test]
fn rules_that_drop_everything_are_told() {
    for rules in [
        "{action: drop}",
        "{sourceLabels: [a], action: drop, regex: '.*'}",
        "{action: keep, regex: a}",
        "{targetLabel: a, replacement: b}, {sourceLabels: [a], action: keep, regex: c}",
        "{targetLabel: a, replacement: b}, {sourceLabels: [a], action: drop, regex: b}",
        "{sourceLabels: [__name__], action: keep, regex: 'kube_.*'}, {sourceLabels: [__name__], action: keep, regex: 'node_.*|up'}",
        "{sourceLabels: [a, b], action: keep, regex: 'x;.*'}, {sourceLabels: [c], targetLabel: d}, {sourceLabels: [a, b], action: keep, regex: 'y;.*'}",
        "{sourceLabels: [a], action: keep, regex: 'x.*'}, {sourceLabels: [a], action: drop, regex: 'x.*'}",
    ] {
        assert_eq!(of_samples(rules), ["PG403 warning"], "{rules}");
    }
    for rules in [
        "{sourceLabels: [a], action: drop, regex: '.+'}",
        "{action: keep}",
        "{targetLabel: a, replacement: b}, {sourceLabels: [a], action: keep, regex: b}",
        "{targetLabel: a, replacement: b}, {sourceLabels: [c], targetLabel: a}, {sourceLabels: [a], action: keep, regex: c}",
        "{targetLabel: a, replacement: b, sourceLabels: [c], regex: d}, {sourceLabels: [a], action: keep, regex: c}",
        "{sourceLabels: [__name__], action: keep, regex: 'kube_.*'}, {sourceLabels: [__name__], action: keep, regex: 'kube_pod_.*'}",
        "{sourceLabels: [a], action: keep, regex: x}, {sourceLabels: [b], action: keep, regex: y}",
        "{sourceLabels: [a], action: keep, regex: x}, {sourceLabels: [c], targetLabel: a}, {sourceLabels: [a], action: keep, regex: y}",
        "{sourceLabels: [a], action: keep, regex: '${X}'}, {sourceLabels: [a], action: keep, regex: y}",
    ] {
        assert_eq!(of_samples(rules), NONE, "{rules}");
    }
}

#[test]
fn what_is_the_same_for_all_is_told() {
    let address = "{targetLabel: __address__, replacement: 'a:1'}";
    assert_eq!(of_targets(address), ["PG404 warning"]);
    for other in ["__param_target", "__metrics_path__"] {
        assert_eq!(
            of_targets(&format!(
                "{address}, {{sourceLabels: [pod], targetLabel: {other}}}"
            )),
            NONE,
            "{other}"
        );
    }
    assert_eq!(
        of_targets("{targetLabel: __address__, replacement: 'a:1', sourceLabels: [pod], regex: b}"),
        NONE
    );
    assert_eq!(
        of_targets("{targetLabel: instance, replacement: a}"),
        ["PG404 info"]
    );
    assert_eq!(
        of_samples("{targetLabel: __name__, replacement: a}"),
        ["PG404 warning"]
    );
    assert_eq!(
        of_samples("{targetLabel: __name__, replacement: a, sourceLabels: [__name__], regex: b}"),
        NONE
    );
    let probe = |targets: &str| {
        told(&format!(
            "apiVersion: monitoring.coreos.com/v1\nkind: Probe\nmetadata: {{name: p}}\nspec:\n  prober: {{url: 'b:1'}}\n  \
             targets:\n    staticConfig:\n      static: [{targets}]\n      relabelingConfigs:\n      \
             - {{targetLabel: instance, replacement: a}}\n      - {{targetLabel: __address__, replacement: 'c:1'}}\n"
        ))
    };
    assert_eq!(probe("a"), NONE);
    assert_eq!(probe("a, b"), ["PG404 warning"]);
}

#[test]
fn what_nothing_can_be_without_is_told() {
    for rules in [
        "{action: labelkeep, regex: pod}",
        "{action: labeldrop, regex: __.*}",
        "{targetLabel: __address__, replacement: ''}",
    ] {
        assert_eq!(of_targets(rules), ["PG405 error"], "{rules}");
    }
    for rules in [
        "{action: labelkeep, regex: '__.*|pod'}",
        "{action: labeldrop, regex: pod}",
        "{action: labelkeep, regex: pod}, {targetLabel: __address__, replacement: '$1', regex: '(.+)', sourceLabels: [pod]}",
    ] {
        assert_eq!(of_targets(rules), NONE, "{rules}");
    }
    assert_eq!(
        of_samples("{action: labelkeep, regex: pod}"),
        ["PG407 error"]
    );
    assert_eq!(
        of_samples("{action: labeldrop, regex: 'pod|__name__'}"),
        ["PG407 error"]
    );
    assert_eq!(of_samples("{action: labeldrop, regex: 'pod|id'}"), NONE);
}

#[test]
fn groups_that_a_pattern_lacks_are_told() {
    let write = |regex: &str, replacement: &str| {
        of_targets(&format!(
            "{{sourceLabels: [pod], regex: '{regex}', targetLabel: b, replacement: '{replacement}'}}"
        ))
    };
    for (regex, replacement) in [
        ("(.*)", "$2"),
        ("(.*)", "$1_x"),
        ("(?P<app>.*)", "$name"),
        (".*", "a-$1"),
        ("(.*)", r"\1"),
        ("(a)(b)", r"x-\1"),
    ] {
        assert_eq!(
            write(regex, replacement),
            ["PG408 warning"],
            "{regex} {replacement}"
        );
    }
    for (regex, replacement) in [
        ("(.*)", "$1"),
        ("(.*)", "${1}_x"),
        ("(?P<app>.*)", "$app"),
        (".*", "a"),
        ("(a)(b)", "$2$$3"),
        (".*", r"\1"),
        ("(a)", r"c:\d"),
    ] {
        assert_eq!(write(regex, replacement), NONE, "{regex} {replacement}");
    }
}

#[test]
fn globs_and_merged_series_are_told() {
    assert_eq!(
        of_samples("{sourceLabels: [__name__], regex: go_gc_*, action: drop}"),
        ["PG409 warning"]
    );
    assert_eq!(
        of_samples("{sourceLabels: [__name__], regex: 'go_gc_.*|a[0-9]*', action: drop}"),
        NONE
    );
    assert_eq!(
        of_samples("{regex: pod|instance, action: labeldrop}"),
        ["PG410 warning"]
    );
    assert_eq!(
        of_samples("{regex: pod|container, action: labeldrop}"),
        NONE
    );
    let own = "{sourceLabels: [__meta_kubernetes_pod_node_name], targetLabel: machine}";
    assert_eq!(
        told(&monitor(own, "{regex: pod|instance, action: labeldrop}")),
        NONE
    );
}

#[test]
fn labels_that_a_role_does_not_have_are_told() {
    let keep = |label: &str| of_targets(&format!("{{sourceLabels: ['{label}'], targetLabel: b}}"));
    for label in [
        "__meta_kubernetes_pod_nodename",
        "__meta_kubernetes_ingress_host",
        "__meta_kubernetes_pod_label_a/b",
    ] {
        assert_eq!(keep(label), ["PG402 warning"], "{label}");
    }
    for label in [
        "__meta_kubernetes_pod_node_name",
        "__meta_kubernetes_service_label_a_b",
        "__meta_kubernetes_something_new",
    ] {
        assert_eq!(keep(label), NONE, "{label}");
    }
}

#[test]
fn labels_of_another_role_are_told_of_scrape_configs_and_probes() {
    let config = |discovery: &str, label: &str| {
        told(&format!(
            "apiVersion: monitoring.coreos.com/v1alpha1\nkind: ScrapeConfig\nmetadata: {{name: c}}\nspec:\n  {discovery}\n  relabelings: \
             [{{sourceLabels: [{label}], targetLabel: x}}]\n"
        ))
    };
    let role = |role: &str, label: &str| {
        config(&format!("kubernetesSDConfigs: [{{role: {role}}}]"), label)
    };
    for (of, label) in [
        ("Node", "__meta_kubernetes_pod_name"),
        ("Ingress", "__meta_kubernetes_ingress_hostname"),
        ("Pod", "__meta_kubernetes_service_name"),
        ("Service", "__meta_kubernetes_pod_name"),
    ] {
        assert_eq!(role(of, label), ["PG402 warning"], "{of} {label}");
    }
    for (of, label) in [
        ("Node", "__meta_kubernetes_node_label_zone"),
        ("Ingress", "__meta_kubernetes_namespace"),
        ("Service", "__meta_kubernetes_service_type"),
        ("EndpointSlice", "__meta_kubernetes_pod_name"),
    ] {
        assert_eq!(role(of, label), NONE, "{of} {label}");
    }
    assert_eq!(
        config(
            "staticConfigs: [{targets: [a]}]",
            "__meta_kubernetes_pod_name"
        ),
        ["PG402 warning"]
    );
    assert_eq!(
        config(
            "httpSDConfigs: [{url: 'http://a'}]",
            "__meta_kubernetes_pod_name"
        ),
        NONE,
        "it may set any label"
    );
    let two = "kubernetesSDConfigs: [{role: Node}, {role: Pod}]";
    assert_eq!(config(two, "__meta_kubernetes_pod_name"), NONE);
    let probe = "apiVersion: monitoring.coreos.com/v1\nkind: Probe\nmetadata: {name: p}\nspec:\n  prober: {url: bb}\n  targets: {ingress: \
                 {selector: {}, relabelingConfigs: [{sourceLabels: [__meta_kubernetes_service_name], targetLabel: s}]}}\n";
    assert_eq!(told(probe), ["PG402 warning"]);
}

#[test]
fn rules_for_what_is_written_elsewhere_are_judged_as_patterns() {
    let written = |rule: &str| {
        told(&format!(
            "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {{name: p}}\nspec:\n  remoteWrite: [{{url: 'http://a', \
             writeRelabelConfigs: [{rule}]}}]\n"
        ))
    };
    assert_eq!(
        written("{sourceLabels: [__name__], regex: 'node_*', action: keep}"),
        ["PG409 warning"]
    );
    assert_eq!(
        written("{sourceLabels: [pod], regex: '(.*)-x', targetLabel: x, replacement: $2}"),
        ["PG408 warning"]
    );
    assert_eq!(
        written("{sourceLabels: [anything], regex: 'a.*', action: keep}"),
        NONE
    );
    assert_eq!(
        written("{action: labeldrop, regex: 'pod|instance'}"),
        NONE,
        "perhaps it is aggregated there"
    );
}

#[test]
fn a_job_of_a_secret_that_reads_a_label_of_another_role_is_told_without_it() {
    let with = |role: &str| {
        found(
            &["PG402"],
            &format!(
                "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {{name: p}}\nspec: {{serviceMonitorSelector: {{}}, \
             additionalScrapeConfigs: {{name: more, key: j}}}}\n---\napiVersion: v1\nkind: Secret\nmetadata: {{name: more}}\nstringData:\n  j: \
             |\n    - job_name: hidden\n      kubernetes_sd_configs: [{{role: {role}}}]\n      relabel_configs: [{{source_labels: \
             [__meta_kubernetes_service_label_hidden], regex: x, action: keep}}]\n"
            ),
        )
    };
    assert!(
        with("pod")[0].contains("job 1 of Secret default/more reads")
            && !with("pod")[0].contains("hidden"),
        "{:?}",
        with("pod")
    );
    assert!(with("endpoints").is_empty() && with("service").is_empty());
}

/// What is told of a ServiceMonitor with a rule, by the Prometheus that selects it.
fn discovered(server: &str, spec: &str, rule: &str) -> Vec<String> {
    let text = format!(
        "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {{name: p}}\nspec: {{serviceMonitorSelector: {{}}, {server}}}\n---\n\
         apiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata: {{name: m}}\nspec: {{{spec}selector: {{}}, endpoints: [{{port: web, \
         relabelings: [{rule}]}}]}}\n"
    );
    found(&["PG402"], &text)
}

#[test]
fn labels_of_the_other_role_are_told() {
    let slices = "serviceDiscoveryRole: EndpointSlice";
    let of = |name: &str| format!("{{sourceLabels: [{name}], targetLabel: x}}");
    let (old, new) = (
        of("__meta_kubernetes_endpoint_hostname"),
        of("__meta_kubernetes_endpointslice_endpoint_hostname"),
    );
    assert!(
        discovered(slices, "", &old)[0]
            .ends_with("| read `__meta_kubernetes_endpointslice_endpoint_hostname`")
    );
    assert_eq!(
        discovered("serviceDiscoveryRole: Endpoints", "", &new).len(),
        1
    );
    assert_eq!(
        discovered("", "serviceDiscoveryRole: EndpointSlice, ", &old).len(),
        1
    );
    assert_eq!(
        discovered(slices, "serviceDiscoveryRole: Endpoints, ", &old),
        Vec::<String>::new()
    );
    assert_eq!(discovered(slices, "", &new), Vec::<String>::new());
    assert_eq!(
        discovered(slices, "", &format!("{old}, {new}")),
        Vec::<String>::new(),
        "for both"
    );
    let keep = "{sourceLabels: [__meta_kubernetes_endpoint_ready], regex: 'true', action: keep}";
    assert_eq!(discovered(slices, "", keep).len(), 1);
    let map = "{action: labelmap, regex: __meta_kubernetes_endpoints_label_(.+)}";
    assert_eq!(discovered(slices, "", map).len(), 1);
}

#[test]
fn labels_of_nodes_that_are_not_attached_are_told() {
    let zone = "{sourceLabels: [__meta_kubernetes_node_label_zone], targetLabel: zone}";
    let class = "scrapeClasses: [{name: c, default: true, attachMetadata: {node: true}}]";
    assert_eq!(discovered("", "", zone).len(), 1);
    assert_eq!(
        discovered("", "attachMetadata: {node: false}, ", zone).len(),
        1
    );
    assert_eq!(
        discovered("", "attachMetadata: {node: true}, ", zone),
        Vec::<String>::new()
    );
    assert_eq!(discovered(class, "", zone), Vec::<String>::new());
    let of_class = format!("scrapeClasses: [{{name: c, default: true, relabelings: [{zone}]}}]");
    assert_eq!(discovered(&of_class, "", "").len(), 1);
    assert_eq!(
        discovered(&of_class, "attachMetadata: {node: true}, ", ""),
        Vec::<String>::new()
    );
    let map = "{action: labelmap, regex: __meta_kubernetes_node_label_(.+)}";
    assert_eq!(discovered("", "", map).len(), 1);
    let fallback = "{sourceLabels: [__meta_kubernetes_node_label_zone, __meta_kubernetes_pod_label_zone], separator: '', targetLabel: zone}";
    assert_eq!(discovered("", "", fallback), Vec::<String>::new());
    let config = |role: &str, more: &str| {
        let text = format!(
            "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {{name: p}}\nspec: {{scrapeConfigSelector: {{}}}}\n---\n\
             apiVersion: monitoring.coreos.com/v1alpha1\nkind: ScrapeConfig\nmetadata: {{name: c}}\nspec: {{kubernetesSDConfigs: [{{role: {role}{more}}}], \
             relabelings: [{{action: Replace, sourceLabels: [__meta_kubernetes_node_label_zone], targetLabel: zone}}]}}\n"
        );
        found(&["PG402"], &text).len()
    };
    assert_eq!(config("Pod", ""), 1);
    assert_eq!(config("Pod", ", attachMetadata: {node: true}"), 0);
    assert_eq!(config("Node", ""), 0);
}

#[test]
fn a_beginning_of_labels_that_there_is_not_is_told() {
    for (rule, is_told) in [
        (
            "{sourceLabels: [__meta_kubernetes_pod_labels_app], targetLabel: app}",
            true,
        ),
        (
            "{sourceLabels: [__meta_kubernetes_pod_lable_app], targetLabel: app}",
            true,
        ),
        (
            "{sourceLabels: [__meta_kubernetes_service_annotations_a_b], targetLabel: app}",
            true,
        ),
        (
            "{action: labelmap, regex: __meta_kubernetes_pod_labels_(.+)}",
            true,
        ),
        (
            "{sourceLabels: [__meta_kubernetes_pod_label_apps], targetLabel: app}",
            false,
        ),
        (
            "{sourceLabels: [__meta_kubernetes_pod_labelpresent_a], targetLabel: app}",
            false,
        ),
        (
            "{action: labelmap, regex: __meta_kubernetes_pod_label_(.+)}",
            false,
        ),
        (
            "{action: labelmap, regex: __meta_kubernetes_(pod|node)_label_(.+)}",
            false,
        ),
    ] {
        let found = of_targets(rule);
        assert_eq!(found == ["PG402 warning"], is_told, "{rule}: {found:?}");
    }
}
