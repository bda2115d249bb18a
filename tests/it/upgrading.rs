//! `upgrade`: from the release that the input shows, to another one or to another version of the chart.

use crate::lint::folder;
use crate::support::promgen;

const RELEASE: &str = "apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: kps, namespace: metrics}
spec:
  chart: {spec: {chart: kube-prometheus-stack, version: 75.18.1}}
  values: {alertmanager: {enabled: false}, prometheus: {prometheusSpec: {shards: 2}}}
";

const SERVER: &str = "apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: {name: main, namespace: metrics}
spec: {shards: 2, version: v3.5.0}
";

#[test]
fn a_new_version_of_the_chart_brings_its_operator() {
    let root = folder(&[("release.yaml", RELEASE)]);
    let root = root.path().to_str().unwrap();
    let ran = promgen(&[
        "upgrade",
        "--to-chart",
        "88.5.3",
        "--fail-on",
        "restarts",
        root,
    ]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(
        ran.stdout
            .starts_with("kube-prometheus-stack → 88.5.3, operator v0.83.0 → v0.93.1\n"),
        "{}",
        ran.stdout
    );
    for part in [
        "metadata.labels.chart: kube-prometheus-stack-75.18.1 -> kube-prometheus-stack-88.5.3",
        "pods that restart",
    ] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
    // The same version of the chart changes nothing, and neither does one that was there before.
    let same = promgen(&["upgrade", "--to-chart", "75.18.1", root]);
    assert!(
        same.code == 0 && same.stdout.contains("no differences"),
        "{}{}",
        same.stdout,
        same.stderr
    );
    let older = promgen(&["upgrade", "--to-chart", "70.0.0", root]);
    assert!(
        older.code == 2
            && older
                .stderr
                .contains("is no upgrade: the operator is v0.83.0"),
        "{}",
        older.stderr
    );
}

#[test]
fn a_version_that_promgen_does_not_know_and_an_input_without_the_chart_are_usage() {
    let root = folder(&[("server.yaml", SERVER)]);
    let root = root.path().to_str().unwrap();
    for (args, expected) in [
        (
            &["--to-chart", "999.0.0"][..],
            "promgen knows the versions 45.0.0 to",
        ),
        (
            &["--to-chart", "88.5.3", "--from", "v0.83.0"],
            "no release of kube-prometheus-stack",
        ),
        (
            &["--to-chart", "88.5.3", "--through"],
            "cannot be used with",
        ),
        (
            &["--to", "v0.92.0"],
            "shows no release of the operator from v0.80.0 on",
        ),
        (&[], "add `--from VERSION`"),
    ] {
        let ran = promgen(&[&["upgrade"], args, &[root]].concat());
        assert!(
            ran.code == 2 && ran.stderr.contains(expected),
            "{args:?}: {}",
            ran.stderr
        );
    }
}

#[test]
fn each_release_in_between_is_a_step() {
    let root = folder(&[("server.yaml", SERVER)]);
    let root = root.path().to_str().unwrap();
    let ran = promgen(&[
        "upgrade",
        "--from",
        "v0.90.0",
        "--to",
        "v0.92.0",
        "--through",
        root,
    ]);
    let steps: Vec<&str> = ran
        .stdout
        .lines()
        .filter(|line| line.starts_with("operator "))
        .collect();
    assert!(steps.len() > 1, "{}", ran.stdout);
    assert!(
        steps[0].starts_with("operator v0.90.0 → ")
            && steps[steps.len() - 1].ends_with("→ v0.92.0"),
        "{steps:?}"
    );
    for pair in steps.windows(2) {
        assert_eq!(
            pair[0].rsplit(' ').next(),
            pair[1].split(' ').nth(1),
            "{steps:?}"
        );
    }
}
