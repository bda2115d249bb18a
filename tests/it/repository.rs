//! `promgen` at the root of a GitOps repository: builds, environments, charts, values that are filled in later.

use crate::lint::{folder, path};
use crate::support::promgen;

const PROMETHEUS: &str = "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {name: k8s}\nspec:\n  shards: 1\n  podMonitorSelector: {}\n";
const MONITOR: &str = "apiVersion: monitoring.coreos.com/v1\nkind: PodMonitor\nmetadata: {name: shop}\nspec:\n  selector: {matchLabels: {app: shop}}\n  podMetricsEndpoints:\n  - port: web\n";

/// A base, and two overlays with the same objects in different forms.
fn overlays() -> Vec<(&'static str, String)> {
    let overlay = |namespace: &str, patch: &str| {
        format!(
            "resources: [../../base]\nnamespace: {namespace}\nlabels: [{{pairs: {{env: {patch}}}}}]\npatches: [{{path: patch.yaml}}]\n"
        )
    };
    let patch = |interval: &str| {
        format!(
            "apiVersion: monitoring.coreos.com/v1\nkind: PodMonitor\nmetadata:\n  name: shop\nspec:\n  podMetricsEndpoints:\n  - port: web\n    interval: {interval}\n"
        )
    };
    vec![
        (
            "base/kustomization.yaml",
            "resources: [prometheus.yaml, monitor.yaml]\n".to_owned(),
        ),
        ("base/prometheus.yaml", PROMETHEUS.to_owned()),
        ("base/monitor.yaml", MONITOR.to_owned()),
        ("overlays/prod/kustomization.yaml", overlay("shop", "prod")),
        ("overlays/prod/patch.yaml", patch("30x")),
        (
            "overlays/staging/kustomization.yaml",
            overlay("shop", "staging"),
        ),
        ("overlays/staging/patch.yaml", patch("10s")),
    ]
}

fn repository(files: &[(&str, String)]) -> tempfile::TempDir {
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(name, text)| (*name, text.as_str()))
        .collect();
    folder(&files)
}

/// The findings of lint: `CODE file:line`, and what it notes.
fn lint(root: &tempfile::TempDir, args: &[&str]) -> (Vec<String>, String) {
    let root = root.path().to_str().unwrap();
    let ran = promgen(&[&["lint", root, "--no-config", "--format", "json"], args].concat());
    let written: serde_json::Value =
        serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}", ran.stderr));
    let found = written["findings"].as_array().unwrap();
    let one = |finding: &serde_json::Value| {
        let file = finding["file"].as_str().unwrap_or_default();
        let file = file
            .strip_prefix(root)
            .unwrap_or(file)
            .trim_start_matches('/');
        format!(
            "{} {file}:{}",
            finding["code"].as_str().unwrap(),
            finding["line"]
        )
    };
    (
        found
            .iter()
            .map(one)
            .filter(|text| !text.starts_with("PG51"))
            .collect(),
        ran.stderr,
    )
}

#[test]
fn overlays_are_environments_and_a_finding_points_at_the_patch() {
    let root = repository(&overlays());
    let (found, notes) = lint(&root, &[]);
    assert_eq!(found, ["PG016 overlays/prod/patch.yaml:8"]);
    assert!(notes.contains("1 monitor checked"), "{notes}");
}

#[test]
fn a_folder_with_a_kustomization_is_a_build() {
    let root = repository(&overlays());
    let staging = path(root.path(), "overlays/staging");
    let ran = promgen(&["render", &staging]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stdout.contains("scrape_interval: 10s") && ran.stdout.contains("namespace: shop"),
        "{}",
        ran.stdout
    );
    let ran = promgen(&["render", root.path().to_str().unwrap()]);
    assert!(
        ran.code == 2 && ran.stderr.contains("overlays/staging"),
        "{}",
        ran.stderr
    );
}

#[test]
fn what_cannot_be_built_is_left_out_and_its_resources_are_checked() {
    let root = repository(&[
        (
            "app/kustomization.yaml",
            "resources: [monitor.yaml, https://example.com/x.yaml]\npatches: [{path: p.yaml}]\n"
                .to_owned(),
        ),
        (
            "app/monitor.yaml",
            MONITOR.replace("port: web", "port: web\n    interval: 1x"),
        ),
        (
            "app/p.yaml",
            "kind: PodMonitor\nmetadata: {name: remote}\nspec: {color: red}\n".to_owned(),
        ),
    ]);
    assert_eq!(
        lint(&root, &[]).0,
        ["PG802 app/kustomization.yaml:1", "PG016 app/monitor.yaml:8"]
    );
}

#[test]
fn charts_and_templates_are_one_line_each() {
    let root = repository(&[
        ("charts/a/Chart.yaml", "name: a\n".to_owned()),
        ("charts/a/values.yaml", "a: 1\n".to_owned()),
        (
            "charts/a/templates/m.yaml",
            "{{ if .Values.x }}\nkind: PodMonitor\n{{ end }}\n".to_owned(),
        ),
        ("charts/b/Chart.yaml", "name: b\n".to_owned()),
        ("t/x.yaml", "a: {{ .x }}\n  b: 1\n".to_owned()),
    ]);
    assert_eq!(
        lint(&root, &[]).0,
        ["PG050 charts/a/Chart.yaml:1", "PG051 t/x.yaml:1"]
    );
}

#[test]
fn what_is_filled_in_later_is_not_judged() {
    let monitor = MONITOR
        .replace("{name: shop}", "\n  name: ${APP}\n  namespace: <namespace>")
        .replace(
            "port: web",
            "port: web\n    interval: ${INTERVAL}\n    scrapeTimeout: 5y9x",
        );
    let root = repository(&[("m.yaml", monitor)]);
    assert_eq!(lint(&root, &[]).0, ["PG016 m.yaml:11"]);
    let strict = lint(&root, &["--assume", "missing"]).0;
    assert!(strict.contains(&"PG016 m.yaml:10".to_owned()), "{strict:?}");
}

#[test]
fn flux_brings_namespaces_and_variables() {
    let flux = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: shop}\nspec:\n  path: ./apps/shop\n  targetNamespace: shop\n  postBuild: {substitute: {INTERVAL: 1x}}\n";
    let root = repository(&[
        ("clusters/a.yaml", flux.to_owned()),
        (
            "apps/shop/kustomization.yaml",
            "resources: [monitor.yaml]\n".to_owned(),
        ),
        (
            "apps/shop/monitor.yaml",
            MONITOR.replace("port: web", "port: web\n    interval: ${INTERVAL}"),
        ),
    ]);
    assert_eq!(lint(&root, &[]).0, ["PG016 apps/shop/monitor.yaml:8"]);
}

#[test]
fn what_does_not_concern_the_operator_is_summed_up() {
    let secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: A}\n";
    let root = repository(&[
        ("a/s.yaml", secret.to_owned()),
        ("a/bad.yaml", "a: [\n".to_owned()),
        ("m.yaml", MONITOR.to_owned()),
    ]);
    let (found, notes) = lint(&root, &[]);
    assert_eq!(found, ["PG001 a/bad.yaml:1"]);
    assert!(
        notes.contains("1 finding about objects that do not concern the operator"),
        "{notes}"
    );
    assert_eq!(lint(&root, &["--all"]).0.len(), 2);
    let named = promgen(&["lint", &path(root.path(), "a/s.yaml"), "--no-config"]);
    assert_eq!(named.code, 1, "a file that is named is checked as a whole");
}

#[test]
fn what_git_ignores_is_skipped() {
    let root = repository(&[
        (".gitignore", "out/\n".to_owned()),
        ("out/m.yaml", MONITOR.replace("name: shop", "name: A")),
        ("m.yaml", MONITOR.to_owned()),
    ]);
    assert!(lint(&root, &[]).0.is_empty());
    assert_eq!(lint(&root, &["--no-ignore"]).0, ["PG015 out/m.yaml:3"]);
}

#[test]
fn unselected_resources_are_checked() {
    let rule = "apiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata: {name: a}\nspec:\n  groups:\n  - name: a\n    rules:\n    - {alert: a, expr: 'rate('}\n";
    let loki = rule
        .replace("rate(", "rate({a=\"b\"} |= `x` [5m])")
        .replace("name: a}", "name: b}");
    let root = repository(&[("r.yaml", rule.to_owned()), ("l.yaml", loki)]);
    // A rule of Loki would be one that nobody evaluates as PromQL, too.
    assert_eq!(lint(&root, &[]).0, ["PG101 l.yaml:8", "PG101 r.yaml:8"]);
}

#[test]
fn two_builds_of_one_cluster_overwrite_each_other() {
    let flux = |name: &str, path: &str| {
        format!(
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: {name}}}\nspec: {{path: ./{path}}}\n"
        )
    };
    let kustomization = || "resources: [m.yaml]\n".to_owned();
    let mut files = vec![
        ("clusters/main/apps.yaml", flux("apps", "apps")),
        (
            "apps/kustomization.yaml",
            "resources: [a/ks.yaml, b/ks.yaml]\n".to_owned(),
        ),
        ("apps/a/ks.yaml", flux("a", "apps/a/app")),
        ("apps/b/ks.yaml", flux("b", "apps/b/app")),
        ("apps/a/app/kustomization.yaml", kustomization()),
        ("apps/a/app/m.yaml", MONITOR.to_owned()),
        ("apps/b/app/kustomization.yaml", kustomization()),
        (
            "apps/b/app/m.yaml",
            MONITOR.replace("port: web", "port: http"),
        ),
    ];
    assert_eq!(
        lint(&repository(&files), &[]).0,
        ["PG017 apps/b/app/m.yaml:3"]
    );
    files.drain(..4);
    assert!(
        lint(&repository(&files), &[]).0.is_empty(),
        "without Flux they are alternatives"
    );
}

#[test]
fn templates_of_openshift_hold_objects_with_unknown_parameters() {
    let template = "apiVersion: template.openshift.io/v1
kind: Template
metadata: {name: monitoring}
objects:
- apiVersion: monitoring.coreos.com/v1
  kind: ServiceMonitor
  metadata: {name: web, namespace: '${NAMESPACE}'}
  spec: {selector: {}, endpoints: [{port: web, interval: '${INTERVAL}', intervall: 3s}]}
- apiVersion: monitoring.coreos.com/v1
  kind: Prometheus
  metadata: {name: k8s, namespace: shop}
  spec: {replicas: '${{REPLICAS}}'}
- apiVersion: monitoring.coreos.com/v1
  kind: PrometheusRule
  metadata: {name: web, namespace: '${NAMESPACE}'}
  spec: {groups: [{name: web, rules: [{alert: Down, expr: 'up ==== 0'}]}]}
";
    let (found, _) = lint(
        &repository(&[("template.yaml", template.to_owned())]),
        &["--fail-on=never"],
    );
    assert_eq!(
        found,
        [
            "PG120 template.yaml:7",
            "PG010 template.yaml:8",
            "PG120 template.yaml:15",
            "PG101 template.yaml:16"
        ]
    );
}

#[test]
fn routes_of_a_secret_that_is_not_in_the_input_are_not_known() {
    let alertmanager = "{apiVersion: monitoring.coreos.com/v1, kind: Alertmanager, metadata: {name: am, namespace: d}, \
                        spec: {configSecret: amc, alertmanagerConfigSelector: {}}}";
    let root = folder(&[("a.yaml", alertmanager)]);
    let ran =
        crate::support::promgen(&["route", "severity=critical", root.path().to_str().unwrap()]);
    assert!(
        ran.code == 1 && ran.stdout.is_empty(),
        "{} {}",
        ran.code,
        ran.stdout
    );
    assert!(
        ran.stderr
            .contains("Alertmanager/d/am: its routes are not known"),
        "{}",
        ran.stderr
    );
    // Beside one whose routes are known, it is not passed over.
    let other = alertmanager
        .replace("name: am,", "name: b,")
        .replace("configSecret: amc, ", "");
    let root = folder(&[("a.yaml", alertmanager), ("b.yaml", &other)]);
    let ran =
        crate::support::promgen(&["route", "severity=critical", root.path().to_str().unwrap()]);
    assert!(
        ran.code == 0 && ran.stdout.contains("Alertmanager/d/b"),
        "{} {}",
        ran.code,
        ran.stdout
    );
    assert!(
        ran.stderr
            .contains("Alertmanager/d/am: its routes are not known"),
        "{}",
        ran.stderr
    );
}

const STACK: &str = "chart: kube-prometheus-stack, targetRevision: 77.6.0";

/// What commands print about files.
fn told(files: &[(&str, String)], command: &[&str]) -> String {
    let root = repository(files);
    let asked = promgen(&[command, &[&path(root.path(), "")]].concat());
    format!("{}{}", asked.stdout, asked.stderr)
}

#[test]
fn objects_of_lists_apply_as_they_do_outside() {
    let objects = [
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: vals, namespace: mon}\ndata: {values.yaml: 'alertmanager: {enabled: false}'}\n",
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: kps, namespace: mon}\n\
         spec: {chart: {spec: {chart: kube-prometheus-stack, version: 77.6.0, sourceRef: {kind: HelmRepository, name: c}}}, valuesFrom: [{kind: ConfigMap, name: vals}]}\n",
        &format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: b, namespace: argocd}}\n\
                  spec: {{destination: {{namespace: blue}}, source: {{repoURL: 'https://x', {STACK}}}}}\n"
        ),
    ];
    let item = |object: &&str| format!("- {}\n", object.trim_end().replace('\n', "\n  "));
    let list = format!(
        "apiVersion: v1\nkind: List\nitems:\n{}",
        objects.iter().map(item).collect::<String>()
    );
    let [apart, listed] =
        [objects.join("---\n"), list].map(|text| told(&[("all.yaml", text)], &[]));
    assert!(
        apart.contains("Prometheus/mon/kps-") && apart.contains("Prometheus/blue/b-"),
        "{apart}"
    );
    assert!(!apart.contains("Alertmanager/mon"), "{apart}");
    assert_eq!(apart, listed);
}

#[test]
fn parameters_of_argo_cd_are_those_of_helm() {
    let parameters = [
        ("prometheus.prometheusSpec.replicas", "3", false),
        (
            "prometheus.prometheusSpec.podMonitorNamespaceSelector.matchExpressions[0].key",
            "team",
            false,
        ),
        (
            "prometheus.prometheusSpec.podMonitorNamespaceSelector.matchExpressions[0].operator",
            "In",
            false,
        ),
        (
            "prometheus.prometheusSpec.podMonitorNamespaceSelector.matchExpressions[0].values",
            "{a,b\\,c}",
            false,
        ),
        (
            "prometheus.prometheusSpec.externalLabels.number",
            "010",
            false,
        ),
        ("prometheus.prometheusSpec.externalLabels.forced", "7", true),
        (
            "prometheus.prometheusSpec.externalLabels.comma",
            "a,b=c",
            false,
        ),
        ("alertmanager.enabled", "null", false),
    ];
    let item = |(name, value, forced): &(&str, &str, bool)| {
        format!("{{name: '{name}', value: '{value}', forceString: {forced}}}")
    };
    let parameters = parameters.iter().map(item).collect::<Vec<_>>().join(", ");
    let application = format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: kps, namespace: argocd}}\n\
         spec: {{destination: {{namespace: mon}}, source: {{repoURL: 'https://x', {STACK}, helm: {{parameters: [{parameters}]}}}}}}\n"
    );
    let made = told(&[("app.yaml", application)], &["render"]);
    for wanted in [
        "replicas: 3",
        "forced: \"7\"",
        "number: \"010\"",
        "comma: a,b=c",
    ] {
        assert!(made.contains(wanted), "{wanted}: {made}");
    }
    let explained = "values:\n      - a\n      - b,c\n";
    assert!(made.contains(explained) || made.contains("- b,c"), "{made}");
    assert!(
        !made.contains("kind: Alertmanager"),
        "null removes the default: {made}"
    );
}

#[test]
fn what_argo_cd_fills_in_is_refused_nowhere() {
    let namespaces = [
        ("'preview-{{ .branch | trunc 20 }}'", true),
        ("'{{ default .name (dig \"namespace\" \"\" .) }}'", true),
        ("'${NAMESPACE}'", true),
        ("'mon-{{'", false),
        ("Mon", false),
    ];
    for (namespace, is_unknown) in namespaces {
        let set = format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {{name: s, namespace: argocd}}\nspec:\n  \
             goTemplate: true\n  generators: [{{pullRequest: {{}}}}]\n  template:\n    metadata: {{name: x}}\n    \
             spec: {{destination: {{namespace: {namespace}}}, source: {{repoURL: 'https://x', {STACK}}}}}\n"
        );
        let told = told(&[("set.yaml", set)], &[]);
        assert_eq!(told.contains("refuses"), !is_unknown, "{namespace}: {told}");
    }
    // In an object that nobody templates, beside a value that is wrong.
    let monitor = |name: &str, interval: &str| {
        format!(
            "apiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata: {{name: a, namespace: '{name}'}}\n\
             spec: {{selector: {{}}, endpoints: [{{port: web, interval: {interval}}}]}}\n"
        )
    };
    let ask = |monitor: String| told(&[("m.yaml", monitor)], &["explain", "ServiceMonitor/a"]);
    assert!(!ask(monitor("__NS__", "__INTERVAL__")).contains("refuses"));
    assert!(ask(monitor("__NS__", "soon")).contains("refuses"));
}

#[test]
fn labels_of_a_template_are_those_of_its_objects() {
    let template = "apiVersion: template.openshift.io/v1\nkind: Template\nmetadata: {name: t}\nlabels: {team: '${TEAM}', tier: web}\n\
                    parameters: [{name: TEAM, value: shop}]\nobjects:\n\
                    - apiVersion: monitoring.coreos.com/v1\n  kind: ServiceMonitor\n  metadata: {name: a, namespace: mon, labels: {own: x, tier: web}}\n  \
                    spec: {selector: {}, endpoints: [{port: web}]}\n";
    let ask = |labels: &str| {
        let server = format!(
            "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {{name: main, namespace: mon}}\n\
             spec: {{serviceMonitorSelector: {{matchLabels: {labels}}}}}\n"
        );
        told(&[("t.yaml", template.to_owned()), ("p.yaml", server)], &[])
    };
    assert!(ask("{team: shop, tier: web, own: x}").contains("selects 1 ServiceMonitor"));
    assert!(ask("{team: '${TEAM}'}").contains("selects nothing"));
}
