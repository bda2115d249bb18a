//! Tests of what exporters lack.

use super::*;

const IMAGE: &str = "registry.k8s.io/kube-state-metrics/kube-state-metrics:v2.18.0";
const NODE: &str = "quay.io/prometheus/node-exporter:v1.9.1";

fn of(image: &str, arguments: &[&str]) -> Option<KnownExporter> {
    let arguments: Vec<ExporterArgument<'_>> = arguments.iter().copied().map(Some).collect();
    KnownExporter::of(image, &arguments)
}

fn lack(image: &str, arguments: &[&str], metric: &str) -> Option<ExporterLack> {
    of(image, arguments)
        .expect("the exporter is known")
        .lack(metric)
}

fn off(arguments: &[&str], metric: &str) -> Option<SwitchedOff> {
    match lack(IMAGE, arguments, metric) {
        Some(ExporterLack::Off(off)) => Some(off),
        Some(ExporterLack::NoSuch(_)) => panic!("{metric} is a metric"),
        None => None,
    }
}

#[test]
fn an_image_says_which_release_it_is() {
    for known in [
        IMAGE,
        NODE,
        "kube-state-metrics:2.15.0",
        "localhost:5000/x/kube-state-metrics:v2.17.0",
        "node-exporter:v1.10.2",
    ] {
        assert!(of(known, &[]).is_some(), "{known}");
    }
    for unknown in [
        "kube-state-metrics",
        "kube-state-metrics:latest",
        "kube-state-metrics:v2",
        "kube-state-metrics:v2.9.0",
        "kube-state-metrics:v3.0.0",
        "kube-state-metrics:v2.18.0-debian",
        "kube-state-metrics:v2.18.0@sha256:00",
        "kube-state-metrics@sha256:00",
        "kube-state-metrics-custom:v2.18.0",
        "node-exporter:v1.8.0",
        "x:v2.18.0",
        "",
    ] {
        assert_eq!(of(unknown, &[]), None, "{unknown}");
    }
}

#[test]
fn names_that_no_release_has_are_lacking() {
    let lack = |image, metric| lack(image, &[], metric);
    assert_eq!(lack(IMAGE, "kube_pod_info"), None);
    assert_eq!(
        lack(IMAGE, "kube_pod_container_status_lastterminated_reason"),
        Some(ExporterLack::NoSuch(None))
    );
    // It came with v2.18.0, and v2.17.0 may have it.
    let later = ExporterLack::NoSuch(Some(("v2.18.0", "v2.18.0")));
    assert_eq!(
        lack("kube-state-metrics:v2.15.0", "kube_job_status_ready"),
        Some(later)
    );
    assert_eq!(
        lack("kube-state-metrics:v2.17.0", "kube_job_status_ready"),
        None
    );
    let earlier = ExporterLack::NoSuch(Some(("v2.10.1", "v2.13.0")));
    assert_eq!(
        lack(IMAGE, "kube_endpoint_address_available"),
        Some(earlier)
    );
    for other in [
        "kube_state_metrics_build_info",
        "kube_state_metrics_x",
        "go_goroutines",
        "http_total",
    ] {
        assert_eq!(lack(IMAGE, other), None, "{other}");
    }
    assert_eq!(
        lack(NODE, "node_misspelt"),
        None,
        "not all of its metrics are known"
    );
}

#[test]
fn resources_switch_metrics_off() {
    assert_eq!(off(&[], "kube_node_info"), None);
    for only_pods in [
        &["--resources=pods"][..],
        &["--resources", "pods"],
        &["-v=2", "--resources= pods ,"],
    ] {
        assert_eq!(
            off(only_pods, "kube_node_info"),
            Some(SwitchedOff::ByResources("nodes"))
        );
        assert_eq!(off(only_pods, "kube_pod_info"), None);
    }
    assert_eq!(
        off(&["--resources=pods", "--resources=nodes"], "kube_node_info"),
        None
    );
    assert_eq!(
        off(&["--resources="], "kube_node_info"),
        None,
        "an empty list is none"
    );
    assert_eq!(
        off(&[], "kube_role_info"),
        Some(SwitchedOff::WithoutResource("roles"))
    );
    assert_eq!(off(&["--resources=roles"], "kube_role_info"), None);
    // Endpoints are off since v2.18.0, or since a release before it.
    assert_eq!(
        off(&[], "kube_endpoint_info"),
        Some(SwitchedOff::WithoutResource("endpoints"))
    );
    assert_eq!(
        lack("kube-state-metrics:v2.16.0", &[], "kube_endpoint_info"),
        None
    );
    assert_eq!(
        lack("kube-state-metrics:v2.15.0", &[], "kube_endpoint_info"),
        None
    );
}

#[test]
fn lists_of_metrics_switch_metrics_off() {
    let denied = ["--metric-denylist=^kube_secret_.+$,kube_pod_owner"];
    assert_eq!(
        off(&denied, "kube_secret_info"),
        Some(SwitchedOff::ByDenylist)
    );
    assert_eq!(
        off(&denied, "kube_pod_owner"),
        Some(SwitchedOff::ByDenylist)
    );
    assert_eq!(off(&denied, "kube_pod_info"), None);
    let allowed = ["--metric-allowlist=pod_info"];
    assert_eq!(
        off(&allowed, "kube_pod_info"),
        None,
        "a pattern matches anywhere in a name"
    );
    assert_eq!(
        off(&allowed, "kube_pod_owner"),
        Some(SwitchedOff::ByAllowlist)
    );
    assert_eq!(
        off(&[], "kube_pod_nodeselectors"),
        Some(SwitchedOff::WithoutOptIn)
    );
    assert_eq!(
        off(
            &["--metric-opt-in-list=kube_pod_nodeselectors"],
            "kube_pod_nodeselectors"
        ),
        None
    );
}

#[test]
fn arguments_that_are_not_known_leave_everything_open() {
    for unknown in [
        &["--custom-resource-state-config-file=/x"][..],
        &["--custom-resource-state-only"],
        &["--config=/x"],
        &["--resourcs=pods"],
        &["--resources=pods,gadgets"],
        &["--resources=$(RESOURCES)"],
        &["--metric-allowlist=$(X)"],
        &["--metric-allowlist=a", "--metric-denylist=b"],
        &["--metric-denylist=(?!kube_pod).+"],
        &["--metric-denylist=("],
        &["--metric-denylist=kube_\\d+"],
        &["--resources"],
        &["version"],
        &["-x"],
        &["-v"],
        &["-é"],
        &[""],
    ] {
        assert_eq!(of(IMAGE, unknown), None, "{unknown:?}");
    }
    assert_eq!(KnownExporter::of(IMAGE, &[None]), None);
    assert!(
        of(
            IMAGE,
            &[
                "--port=8080",
                "--telemetry-port",
                "8081",
                "--node=$(NODE)",
                "--auth-filter",
                "-v",
                "4"
            ]
        )
        .is_some()
    );
    assert_eq!(
        of("kube-state-metrics:v2.15.0", &["--auth-filter"]),
        None,
        "the release has no such flag"
    );
}

#[test]
fn collectors_switch_metrics_off() {
    let off = |arguments: &[&str], metric| match lack(NODE, arguments, metric) {
        Some(ExporterLack::Off(off)) => Some(off),
        _ => None,
    };
    let systemd = "node_systemd_unit_state";
    assert_eq!(
        off(&[], systemd),
        Some(SwitchedOff::WithoutCollector("systemd"))
    );
    assert_eq!(
        off(&["--path.rootfs=/host", "--collector.systemd"], systemd),
        None
    );
    assert_eq!(off(&[], "node_load1"), None);
    assert_eq!(
        off(&["--no-collector.loadavg"], "node_load1"),
        Some(SwitchedOff::ByCollector("loadavg"))
    );
    let defaults = ["--collector.disable-defaults", "--collector.cpu"];
    assert_eq!(
        off(&defaults, "node_load1"),
        Some(SwitchedOff::ByCollector("loadavg"))
    );
    assert_eq!(off(&defaults, "node_cpu_seconds_total"), None);
    assert_eq!(
        off(&defaults, "node_memory_MemFree_bytes"),
        None,
        "its collector is not known"
    );
    for unknown in ["--collector.textfile.directory=/x", "@file", "--$(X)", "-h"] {
        assert_eq!(of(NODE, &[unknown]), None, "{unknown}");
    }
}

#[test]
fn two_lack_what_both_lack() {
    let pods = of(IMAGE, &["--resources=pods"]).expect("it is known");
    let nodes = of(IMAGE, &["--resources=nodes"]).expect("it is known");
    let both = pods.clone().and(&nodes).expect("they are of one release");
    assert_eq!(
        (both.lack("kube_pod_info"), both.lack("kube_node_info")),
        (None, None)
    );
    assert!(both.lack("kube_secret_info").is_some() && both.lack("kube_nod_info").is_some());
    assert!(both.metrics().any(|name| name == "kube_node_info"));
    let older = of("kube-state-metrics:v2.15.0", &[]).expect("it is known");
    assert_eq!(pods.and(&older), None);
}
