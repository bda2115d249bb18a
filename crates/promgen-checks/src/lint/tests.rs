//! The flags of the operator, wherever they stand.

use crate::lint::lint;
use promgen_compile::options::Options;
use promgen_compile::output::Output;
use promgen_model::Project;
use promgen_text::source::Input;

const MONITOR: &str = "\
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: {name: cart, namespace: shop, labels: {release: kps}}
spec: {selector: {matchLabels: {app: cart}}, endpoints: [{port: metrics}]}
";

/// The lint of files of a repository.
fn linted(files: &[(&str, &str)]) -> Output {
    let options = Options {
        is_repository: true,
        ..Options::default()
    };
    let inputs: Vec<Input> = files
        .iter()
        .map(|(name, text)| Input::new(*name, *text))
        .collect();
    lint(&Project::read(&inputs, &options))
}

/// What is said of namespaces and workloads that the operator does not watch.
fn told(files: &[(&str, &str)]) -> Vec<String> {
    let output = linted(files);
    let found = output
        .diagnostics
        .iter()
        .filter(|found| found.message.contains("watch"));
    found.map(|found| found.message.to_string()).collect()
}

/// Values as each of the forms in which they reach the chart.
fn forms(values: &str) -> Vec<Vec<(&'static str, String)>> {
    let indented = |n: usize| values.replace('\n', &format!("\n{}", " ".repeat(n)));
    let flux = format!(
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: kps, namespace: monitoring}}\nspec:\n  \
         chart: {{spec: {{chart: kube-prometheus-stack, version: 75.11.0, sourceRef: {{kind: HelmRepository, name: a}}}}}}\n  \
         values:\n    {}\n",
        indented(4)
    );
    let argo = format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: kps, namespace: argocd}}\nspec:\n  \
         destination: {{server: 'https://kubernetes.default.svc', namespace: monitoring}}\n  source:\n    \
         repoURL: https://charts.example/stack\n    chart: kube-prometheus-stack\n    targetRevision: 75.11.0\n    helm:\n      \
         valuesObject:\n        {}\n  syncPolicy: {{syncOptions: [ServerSideApply=true]}}\n",
        indented(8)
    );
    let inflated = "resources: [m.yaml]\nhelmCharts:\n- name: kube-prometheus-stack\n  releaseName: kps\n  namespace: monitoring\n  \
                    version: 75.11.0\n  repo: https://charts.example\n  valuesFile: values.yaml\n";
    let from = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: kps, namespace: argocd}\nspec:\n  \
                destination: {server: 'https://kubernetes.default.svc', namespace: monitoring}\n  sources:\n  - repoURL: https://charts.example/stack\n    \
                chart: kube-prometheus-stack\n    targetRevision: 75.11.0\n    helm: {valueFiles: [$here/values.yaml]}\n  - {repoURL: 'https://git.example/here', ref: here}\n  \
                syncPolicy: {syncOptions: [ServerSideApply=true]}\n";
    vec![
        vec![("release.yaml", flux)],
        vec![("app.yaml", argo)],
        vec![
            ("kustomization.yaml", inflated.to_owned()),
            ("values.yaml", values.to_owned()),
        ],
        vec![
            ("app.yaml", from.to_owned()),
            ("values.yaml", values.to_owned()),
        ],
    ]
}

/// What is said of the monitor with values of the chart, in each form.
fn of_values(values: &str) -> Vec<Vec<String>> {
    let with = |files: Vec<(&'static str, String)>| {
        let mut files: Vec<(&str, &str)> = files
            .iter()
            .map(|(name, text)| (*name, text.as_str()))
            .collect();
        files.push(("m.yaml", MONITOR));
        told(&files)
    };
    forms(values).into_iter().map(with).collect()
}

#[test]
fn namespaces_that_the_chart_leaves_out_are_not_watched() {
    for values in [
        "prometheusOperator: {denyNamespaces: [shop]}",
        "prometheusOperator:\n  denyNamespaces:\n  - other\n  - shop",
        "prometheusOperator: {namespaces: {releaseNamespace: true}}",
        "prometheusOperator: {namespaces: {releaseNamespace: true, additional: [kube-system]}}",
        "prometheusOperator: {extraArgs: ['--namespaces=monitoring']}",
    ] {
        for told in of_values(values) {
            assert!(
                told.len() == 1 && told[0].contains("does not watch namespace shop"),
                "{values}: {told:?}"
            );
        }
    }
    for values in [
        "prometheusOperator: {}",
        "prometheusOperator: {denyNamespaces: [other]}",
        "prometheusOperator: {namespaces: {releaseNamespace: true, additional: [shop]}}",
        "prometheusOperator: {namespaces: {}}",
        "prometheusOperator: {denyNamespaces: []}",
        "prometheusOperator: {extraArgs: ['--namespaces={{ .Values.a }}']}",
        // There is no operator of the chart.
        "prometheusOperator: {enabled: false, denyNamespaces: [shop]}",
    ] {
        for told in of_values(values) {
            assert!(told.is_empty(), "{values}: {told:?}");
        }
    }
}

#[test]
fn workloads_that_the_chart_leaves_out_are_not_watched() {
    for (values, what) in [
        (
            "prometheusOperator: {prometheusInstanceNamespaces: [other]}",
            "no Prometheus in namespace monitoring",
        ),
        (
            "prometheusOperator: {alertmanagerInstanceNamespaces: [other]}",
            "no Alertmanager in namespace monitoring",
        ),
        (
            "prometheusOperator: {prometheusInstanceSelector: 'team=x'}",
            "do not match `--prometheus-instance-selector=team=x`",
        ),
        (
            "prometheusOperator: {alertmanagerInstanceSelector: 'team=x'}",
            "`--alertmanager-instance-selector=team=x`",
        ),
        (
            "thanosRuler: {enabled: true}\nprometheusOperator: {thanosRulerInstanceNamespaces: [other]}",
            "no ThanosRuler in namespace monitoring",
        ),
        (
            "thanosRuler: {enabled: true}\nprometheusOperator: {thanosRulerInstanceSelector: 'team=x'}",
            "`--thanos-ruler-instance-selector=team=x`",
        ),
    ] {
        for told in of_values(values) {
            assert!(
                told.iter().any(|line| line.contains(what)),
                "{values}: {told:?}"
            );
        }
    }
    let fine = "prometheusOperator: {prometheusInstanceNamespaces: [monitoring], alertmanagerInstanceSelector: 'release=kps'}";
    for told in of_values(fine) {
        assert!(told.is_empty(), "{told:?}");
    }
}

#[test]
fn a_deployment_says_more_than_values() {
    let deployment = |argument: &str| {
        format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: operator, namespace: monitoring}}\nspec: {{template: {{spec: \
             {{containers: [{{name: a, image: 'quay.io/prometheus-operator/prometheus-operator:v0.83.0', args: ['{argument}']}}]}}}}}}\n"
        )
    };
    let release = &forms("prometheusOperator: {denyNamespaces: [shop]}")[0][0].1;
    let with = |argument: &str| {
        told(&[
            ("release.yaml", release),
            ("m.yaml", MONITOR),
            ("operator.yaml", &deployment(argument)),
        ])
    };
    assert!(with("--deny-namespaces=other").is_empty());
    assert_eq!(with("--deny-namespaces=shop,other").len(), 1);
}

#[test]
fn an_operator_alone_watches_what_it_is_told_to() {
    let values = "prometheus: {enabled: false}\nalertmanager: {enabled: false}\nprometheusOperator: {denyNamespaces: [shop]}";
    let server = "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {name: k8s, namespace: shop}\nspec: {serviceMonitorSelector: {}}\n";
    for form in forms(values) {
        let mut files: Vec<(&str, &str)> = form
            .iter()
            .map(|(name, text)| (*name, text.as_str()))
            .collect();
        files.retain(|(name, _)| *name != "kustomization.yaml");
        files.push(("server.yaml", server));
        if form[0].0 != "kustomization.yaml" {
            let told = told(&files);
            assert!(
                told.iter()
                    .any(|line| line.contains("no Prometheus in namespace shop")),
                "{told:?}"
            );
        }
    }
}

#[test]
fn a_newer_operator_may_serve_other_versions() {
    let codes = |version: &str| {
        let release = forms("prometheus: {}")
            .remove(0)
            .remove(0)
            .1
            .replace("75.11.0", version);
        let config = "apiVersion: monitoring.coreos.com/v1\nkind: ScrapeConfig\nmetadata: {name: a, namespace: monitoring}\n";
        let found = linted(&[("release.yaml", &release), ("config.yaml", config)]).diagnostics;
        found.iter().any(|found| found.rule.code == "PG021")
    };
    assert!(codes("75.11.0") && !codes("199.0.0"));
}

#[test]
fn what_stands_in_clear_in_values_of_a_chart_around_the_chart_is_shown() {
    let chart = "apiVersion: v2\nname: mon\nversion: 1.0.0\ndependencies:\n- {name: kube-prometheus-stack, version: 75.11.0, repository: 'https://x'}\n";
    let values = "kube-prometheus-stack:\n  prometheus: {prometheusSpec: {retenton: 3d}}\n  alertmanager:\n    config:\n      \
                  route:\n        receiver: 'null'\n        routes: [{receiver: chat, matchers: ['severity = \"a|b\"']}]\n      \
                  receivers:\n      - name: 'null'\n      - name: chat\n        slack_configs:\n        - {api_url: 'https://s.example/MARK3RQ', title: MARK3RQ}\n      \
                  time_intervals: [{name: nights, time_intervals: []}]\nother: {adminPassword: MARK3RQ}\n";
    let application = |key: &str, values: &str| {
        let values = values.replace('\n', "\n        ");
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: kps, namespace: argocd}}\nspec:\n  \
             destination: {{server: 'https://kubernetes.default.svc', namespace: monitoring}}\n  source:\n    \
             repoURL: https://git.example/r.git\n    path: chart\n    helm:\n      {key}\n        {values}\n"
        )
    };
    for key in ["valuesObject:", "values: |"] {
        let application = application(key, values);
        let inputs = [
            Input::new("app.yaml", application.as_str()),
            Input::new("chart/Chart.yaml", chart),
        ];
        let options = Options {
            is_repository: true,
            ..Options::default()
        };
        let project = Project::read(&inputs, &options);
        let found = lint(&project).diagnostics;
        let all: String = found
            .iter()
            .map(|found| format!("{} {:?}\n", found.message, found.help))
            .collect();
        for part in [
            "`prometheus.prometheusSpec.retenton`",
            "`severity=\"a|b\"` compares",
            "the time interval `nights`",
        ] {
            assert!(all.contains(part), "{key} {all}");
        }
        assert!(!all.contains("MARK3RQ"), "{key} {all}");
        let shown = found.iter().filter(|found| !found.is_hidden);
        let spans = shown.filter_map(|found| found.span);
        let lines: String = spans
            .map(|span| {
                let file = project.sources().file(span.file);
                file.text[file.line_range(file.line_of(span.start))].to_owned()
            })
            .collect();
        assert!(
            lines.contains("retenton") && !lines.contains("MARK3RQ"),
            "{key} {lines}"
        );
    }
}

#[test]
fn labels_that_nobody_states_are_excluded() {
    let n_selected = |namespace_selector: &str, more: &str| {
        let text = format!(
            "{{apiVersion: monitoring.coreos.com/v1, kind: Prometheus, metadata: {{name: p, namespace: mon}}, spec: {{serviceMonitorSelector: {{}}, \
             serviceMonitorNamespaceSelector: {namespace_selector}, ruleSelector: {{}}, ruleNamespaceSelector: {namespace_selector}}}}}\n---\n\
             {{apiVersion: monitoring.coreos.com/v1, kind: PrometheusRule, metadata: {{name: r, namespace: shop}}, spec: {{groups: [{{name: g, rules: [{{alert: A, expr: up == 0}}]}}]}}}}\n---\n\
             {{apiVersion: monitoring.coreos.com/v1, kind: ServiceMonitor, metadata: {{name: m, namespace: shop}}, spec: {{selector: {{matchLabels: {{a: b}}}}, endpoints: [{{port: p}}]}}}}\n---\n{more}"
        );
        let checked = linted(&[("a.yaml", &text)]).checked;
        (checked.selected_rules, checked.selected_monitors)
    };
    let excluded = "{apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {team: x}}}";
    for selector in [
        "{matchExpressions: [{key: team, operator: NotIn, values: [x]}]}",
        "{matchExpressions: [{key: team, operator: DoesNotExist}]}",
    ] {
        assert_eq!(n_selected(selector, ""), (1, 1), "{selector}");
        assert_eq!(n_selected(selector, excluded), (0, 0), "{selector}");
    }
    let other = |selector: &str| {
        format!(
            "{{apiVersion: monitoring.coreos.com/v1, kind: Prometheus, metadata: {{name: other, namespace: mon}}, spec: {{ruleNamespaceSelector: {selector}}}}}\n"
        )
    };
    let not_team = "{matchExpressions: [{key: team, operator: NotIn, values: [x]}]}";
    for (selector, n) in [
        // Which of two servers takes the namespace is not known.
        ("{matchLabels: {team: x}}", 0),
        ("{matchExpressions: [{key: team, operator: Exists}]}", 0),
        ("{matchLabels: {tier: x}}", 1),
        (not_team, 1),
    ] {
        assert_eq!(n_selected(not_team, &other(selector)), (n, n), "{selector}");
    }
    for selector in [
        "{matchExpressions: [{key: team, operator: Exists}]}",
        "{matchExpressions: [{key: kubernetes.io/metadata.name, operator: NotIn, values: [shop]}]}",
    ] {
        assert_eq!(n_selected(selector, ""), (0, 0), "{selector}");
    }
}

#[test]
fn a_template_of_a_chart_without_an_action_is_an_object() {
    let told = |path: &str, spec: &str| {
        let head =
            "apiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata: {name: m}\n";
        let text = format!(
            "{head}spec: {{selector: {{matchLabels: {{app: cart}}}}, endpoints: [{{port: web, {spec}}}]}}\n"
        );
        let files = [
            (
                "flux.yaml",
                "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: all, namespace: flux-system}\nspec: {path: ./, sourceRef: {kind: GitRepository, name: flux-system}}\n",
            ),
            ("kustomization.yaml", "resources: [flux.yaml]\n"),
            (
                "apps/cart/Chart.yaml",
                "apiVersion: v2\nname: cart\nversion: 1.0.0\n",
            ),
            ("apps/cart/values.yaml", "interval: 5x\n"),
            (
                "apps/cart/templates/web.yaml",
                "{apiVersion: v1, kind: Service, metadata: {name: s, labels: {app: cart}}, spec: {ports: [{name: web, port: 80}]}}\n",
            ),
            (path, &text),
        ];
        let output = linted(&files);
        let found = output
            .diagnostics
            .iter()
            .map(|found| found.rule.code.clone());
        found.filter(|code| *code != "PG050").collect::<Vec<_>>()
    };
    let plain = "apps/cart/templates/m.yaml";
    assert_eq!(told(plain, "interval: 5x"), ["PG016"]);
    assert_eq!(
        told("apps/cart/templates/a/m.yml", "intervall: 5s"),
        ["PG010"]
    );
    assert_eq!(told(plain, "interval: 5s"), [""; 0]);
    for (path, spec) in [
        (plain, "interval: 5x, path: '{{ .Values.path }}'"),
        ("apps/cart/templates/tests/m.yaml", "interval: 5x"),
        ("apps/cart/charts/db/templates/m.yaml", "interval: 5x"),
        ("apps/cart/values-prod.yaml", "interval: 5x"),
    ] {
        assert_eq!(told(path, spec), [""; 0], "{path}");
    }
}
