//! What a release of a chart says of the cluster: its operator, its definitions; and what findings about a release say.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::support::promgen;

/// A field of v0.82.0.
const PROBE: &str = "apiVersion: monitoring.coreos.com/v1\nkind: Probe\nmetadata: {name: p, namespace: metrics}\n\
    spec: {convertClassicHistogramsToNHCB: true, prober: {url: a}, targets: {staticConfig: {static: [b]}}}\n";

fn release(chart: &str, version: &str, values: &str) -> String {
    format!(
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: {chart}, namespace: metrics}}\nspec:\n  \
         chart: {{spec: {{chart: {chart}, version: {version}, sourceRef: {{kind: HelmRepository, name: a}}}}}}\n  \
         values: {values}\n"
    )
}

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn lint(folder: &Path) -> String {
    promgen(&[
        "lint",
        "--no-config",
        "--format=json",
        folder.to_str().unwrap(),
    ])
    .stdout
}

#[test]
fn the_chart_says_which_operator_compiles() {
    let stack = |version: &str| release("kube-prometheus-stack", version, "{}");
    let crds = |version: &str| release("prometheus-operator-crds", version, "{}");
    let deployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: o, namespace: metrics}\nspec: {template: {spec: \
        {containers: [{name: o, image: 'quay.io/prometheus-operator/prometheus-operator:v0.85.0'}]}}}\n";
    let drops = |files: &[(&str, &str)]| {
        let found = lint(folder(&[files, &[("p.yaml", PROBE)]].concat()).path());
        let at = found
            .find("has no effect: operator ")
            .map(|at| at + "has no effect: operator ".len());
        at.map(|at| found[at..at + 7].to_owned())
    };
    // 69.0.0 installs v0.80.0, and 78.0.0 v0.86.0.
    let (old, new) = (stack("69.0.0"), stack("78.0.0"));
    assert_eq!(drops(&[("r.yaml", &old)]).as_deref(), Some("v0.80.0"));
    assert_eq!(drops(&[("r.yaml", &new)]), None);
    // What runs the operator goes before it.
    assert_eq!(drops(&[("r.yaml", &old), ("o.yaml", deployment)]), None);
    // The definitions are less than that.
    let (old, newer) = (crds("18.0.0"), crds("24.0.2"));
    assert_eq!(drops(&[("c.yaml", &old)]).as_deref(), Some("v0.80.0"));
    assert_eq!(drops(&[("c.yaml", &newer)]), None);
    assert_eq!(drops(&[("c.yaml", &old), ("r.yaml", &new)]), None);
    assert_eq!(drops(&[("c.yaml", &crds(">=18.0.0"))]), None);
}

#[test]
fn a_new_version_of_the_chart_names_both_operators() {
    let stack =
        |version: &str| folder(&[("r.yaml", &release("kube-prometheus-stack", version, "{}"))]);
    let (base, head) = (stack("85.0.0"), stack("86.0.0"));
    let paths = [base.path().to_str().unwrap(), head.path().to_str().unwrap()];
    let ran = promgen(&["diff", paths[0], paths[1], "--no-config"]);
    assert!(
        ran.stdout.contains("operator v0.90.1 -> v0.91.0"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
    let json = promgen(&["diff", paths[0], paths[1], "--no-config", "--format=json"]).stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        json["operators"],
        serde_json::json!([{"from": "v0.90.1", "to": "v0.91.0"}])
    );
    let same = promgen(&["diff", paths[0], paths[0], "--no-config"]).stdout;
    assert!(!same.contains("operator v"), "{same}");
}

#[test]
fn a_finding_about_a_value_names_its_release() {
    let values = "{prometheus: {prometheusSpec: {retentoin: 1d}}}";
    let found = lint(
        folder(&[(
            "r.yaml",
            &release("kube-prometheus-stack", "85.0.0", values),
        )])
        .path(),
    );
    let found: serde_json::Value = serde_json::from_str(&found).unwrap();
    let slip = found["findings"]
        .as_array()
        .unwrap()
        .iter()
        .find(|found| found["code"] == "PG813")
        .unwrap();
    assert_eq!(slip["resource"]["kind"], "HelmRelease", "{slip}");
    assert_eq!(slip["resource"]["name"], "kube-prometheus-stack", "{slip}");
}

#[test]
fn a_receiver_of_the_default_route_is_named() {
    let values = "{alertmanager: {config: {route: {receiver: team}, receivers: [{name: team}]}}}";
    let of_values = |values: &str| {
        lint(
            folder(&[(
                "r.yaml",
                &release("kube-prometheus-stack", "85.0.0", values),
            )])
            .path(),
        )
    };
    let found = of_values(values);
    assert!(
        found.contains("PG502")
            && found.contains("the chart's default route sends to the receiver `null`"),
        "{found}"
    );
    for values in [
        values.replace("[{name: team}]", "[{name: team}, {name: 'null'}]"),
        values.replace("receiver: team}", "receiver: team, routes: []}"),
    ] {
        assert!(!of_values(&values).contains("default route"), "{values}");
    }
}

#[test]
fn an_application_set_is_a_release_for_each_folder_of_its_generator() {
    let set = "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: all, namespace: argocd}\nspec:\n  \
        generators: [{git: {repoURL: x, directories: [{path: clusters/*}]}}]\n  template:\n    metadata: {name: '{{path.basename}}'}\n    \
        spec:\n      destination: {namespace: metrics, name: '{{path.basename}}'}\n      sources:\n      \
        - {repoURL: y, ref: values}\n      \
        - {repoURL: 'https://prometheus-community.github.io/helm-charts', chart: kube-prometheus-stack, targetRevision: 85.0.0, \
        helm: {releaseName: kps, valueFiles: ['$values/{{path}}/values.yaml']}}\n";
    let folder = folder(&[
        ("apps/set.yaml", set),
        (
            "clusters/a/values.yaml",
            "prometheus: {prometheusSpec: {retention: 3d}}\n",
        ),
        (
            "clusters/b/values.yaml",
            "prometheus: {prometheusSpec: {retention: 4d}}\n",
        ),
    ]);
    let built = promgen(&["build", folder.path().to_str().unwrap()]);
    for retention in ["retention: 3d", "retention: 4d"] {
        assert!(
            built.stdout.contains(retention),
            "{}{}",
            built.stdout,
            built.stderr
        );
    }
    assert!(!built.stderr.contains("PG812"), "{}", built.stderr);
}
