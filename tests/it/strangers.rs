//! Repositories that promgen has never seen: what is read, what environments are called, and what nobody applies.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::lint::folder;

/// What a run in a folder with these files says, on both streams.
fn said(files: &[(&str, String)], args: &[&str]) -> String {
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(name, text)| (*name, text.as_str()))
        .collect();
    said_in(folder(&files).path(), args)
}

fn said_in(folder: &Path, args: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_promgen"));
    let ran = command
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    [ran.stdout.as_slice(), &ran.stderr]
        .map(String::from_utf8_lossy)
        .concat()
}

fn prometheus(name: &str, more: &str) -> String {
    format!(
        "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {{name: {name}, namespace: mon}}\n\
         spec: {{serviceMonitorSelector: {{}}, storage: {{emptyDir: {{}}}}, resources: {{requests: {{memory: 1Gi}}}}{more}}}\n"
    )
}

fn monitor() -> String {
    "apiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata: {name: cart, namespace: mon}\n\
     spec: {selector: {matchLabels: {app: a}}, endpoints: [{port: web}]}\n"
        .to_owned()
}

fn flux(name: &str, path: &str, more: &str) -> String {
    format!(
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: {name}, namespace: flux-system}}\n\
         spec:\n  interval: 1m\n  prune: true\n  path: {path}\n  sourceRef: {{kind: GitRepository, name: flux-system}}\n{more}---\n"
    )
}

fn argo(name: &str, path: &str, cluster: &str) -> String {
    format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: {name}, namespace: argocd}}\nspec:\n  project: x\n  \
         source: {{repoURL: https://example.com/x, path: {path}}}\n  destination: {{name: {cluster}, namespace: {name}}}\n---\n"
    )
}

fn text(text: &str) -> String {
    text.to_owned()
}

#[test]
fn a_kustomization_at_the_root_hides_nothing() {
    let files = |root: &str| {
        [
            ("kustomization.yaml", text(root)),
            ("a.yaml", text("kind: X\n")),
            ("examples/p.yaml", prometheus("main", "")),
        ]
    };
    for root in [
        "resources: [a.yaml]\n",
        "resources: [gone.yaml]\n",
        "resources: 1\n",
        "kind: Component\n",
    ] {
        for args in [
            &["."][..],
            &["explain", "prometheus/main", "."],
            &["status"],
            &["lint", "."],
        ] {
            let said = said(&files(root), args);
            assert!(
                !said.contains("not found") && !said.contains("none in the input"),
                "{root} {args:?}: {said}"
            );
        }
        assert!(
            said(&files(root), &["status", "."]).contains("name: main"),
            "{root}"
        );
    }
    // A folder that is named stands for what its kustomization builds.
    let files = files("resources: [a.yaml]\n").map(|(name, text)| (format!("all/{name}"), text));
    let files: Vec<(&str, String)> = files
        .iter()
        .map(|(name, text)| (name.as_str(), text.clone()))
        .collect();
    assert!(said(&files, &["status", "all"]).contains("no Prometheus"));
}

#[test]
fn of_a_root_that_is_applied_counts_what_it_lists() {
    let files = |applier: String| {
        [
            ("kustomization.yaml", text("resources: [apps/main.yaml]\n")),
            ("apps/main.yaml", prometheus("main", "")),
            ("apps/old.yaml", prometheus("old", "")),
            (
                "apps/older/kustomization.yaml",
                text("resources: [p.yaml]\n"),
            ),
            ("apps/older/p.yaml", prometheus("older", "")),
            ("cluster/apply.yaml", applier),
        ]
    };
    for applier in [flux("all", "./", ""), argo("all", ".", "in-cluster")] {
        let told = said(&files(applier.clone()), &["."]);
        assert!(
            told.contains("mon/main: ") && !told.contains("mon/old"),
            "{told}"
        );
        let linted = said(
            &files(applier.clone()),
            &["lint", ".", "--fail-on", "warning"],
        );
        assert!(
            linted.contains("nobody applies Prometheus old: no kustomization lists it"),
            "{linted}"
        );
        assert!(
            linted.contains("nobody applies the kustomization `apps/older`"),
            "{linted}"
        );
        let older = said(&files(applier), &["explain", "prometheus/older", "."]);
        assert!(older.contains("nobody applies it"), "{older}");
    }
    // The root may be that of another repository, and what is applied by itself is applied.
    let other = flux("x", "./", "").replace("flux-system}", "other}") + &flux("y", "./cluster", "");
    assert!(said(&files(other), &["."]).contains("mon/old"));
    let each = flux("x", "./", "") + &flux("y", "./apps/older", "");
    let told = said(&files(each), &["."]);
    assert!(
        told.contains("mon/older") && !told.contains("mon/old:"),
        "{told}"
    );
}

#[test]
fn environments_are_called_after_what_starts_them() {
    let apps = || {
        [
            ("agents/dev/m.yaml", monitor()),
            ("agents/prod/m.yaml", monitor()),
            ("obs/dev/p.yaml", prometheus("main", ", retention: 1d")),
            ("obs/prod/p.yaml", prometheus("main", ", retention: 2d")),
        ]
    };
    let all = |dev: &'static str, prod: &'static str, of: &dyn Fn(&str, &str, &str) -> String| {
        let of = |stage| {
            of("agents", &format!("agents/{stage}"), stage)
                + &of("obs", &format!("obs/{stage}"), stage)
        };
        let mut files = vec![(dev, of("dev")), (prod, of("prod"))];
        files.extend(apps());
        files
    };
    let of_flux = |name: &str, path: &str, _: &str| flux(name, path, "");
    for (dev, prod, head) in [
        (
            "clusters/dev/a.yaml",
            "clusters/prod/a.yaml",
            "in clusters/dev, clusters/prod:",
        ),
        (
            "fleet/dev/a.yaml",
            "fleet/prod/a.yaml",
            "in fleet/dev, fleet/prod:",
        ),
    ] {
        let told = said(&all(dev, prod, &of_flux), &["."]);
        assert!(
            told.starts_with(head) && told.contains("selects 1 ServiceMonitor"),
            "{told}"
        );
    }
    let mut files = all("argo/dev/a.yaml", "argo/prod/a.yaml", &argo);
    assert!(said(&files, &["."]).starts_with("in argo/dev, argo/prod:"));
    // What applies both is none of them.
    files.push(("boot/dev.yaml", argo("dev", "argo/dev", "in-cluster")));
    files.push(("boot/prod.yaml", argo("prod", "argo/prod", "in-cluster")));
    assert!(said(&files, &["."]).starts_with("in argo/dev, argo/prod:"));
    let named = said(
        &files,
        &["render", ".", "-o", "x.yaml", "--environment", "argo/dev"],
    );
    assert!(!named.contains("error"), "{named}");
}

#[test]
fn two_applications_of_one_folder_are_one_environment() {
    let files = |other: &str| {
        [
            (
                "argo.yaml",
                argo("a", "uat", "in-cluster") + &argo("b", "uat", other),
            ),
            ("prod/p.yaml", prometheus("main", ", retention: 1d")),
            ("uat/p.yaml", prometheus("main", ", retention: 2d")),
        ]
    };
    let told = said(&files("in-cluster"), &["lint", "."]);
    assert!(!told.contains("uat, uat"), "{told}");
    let told = said(&files("in-cluster"), &["."]);
    assert!(told.starts_with("in uat, prod:"), "{told}");
    let apart = said(&files("far"), &["."]);
    assert!(
        apart.contains("uat (far)") && apart.contains("uat (in-cluster)"),
        "{apart}"
    );
}

#[test]
fn charts_that_are_not_rendered_are_named_where_there_is_none() {
    let release = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: a, namespace: a}\n\
                   spec: {chart: {spec: {chart: house, sourceRef: {kind: HelmRepository, name: x}}}}\n";
    let inflated = "helmCharts: [{name: house, repo: https://example.com}]\n";
    let files = [
        ("a.yaml", text(release)),
        ("k/kustomization.yaml", text(inflated)),
        ("m.yaml", monitor()),
    ];
    let unread =
        "1 chart (`house`) is not rendered: what it makes is not known; `--helm-pull` renders it";
    for args in [&["."][..], &["status"], &["render", ".", "-o", "out"]] {
        let said = said(&files, args);
        assert!(said.contains(unread), "{said}");
    }
    let helmfile =
        "releases: [{name: a, chart: repo/house}, {name: b, chart: repo/off, installed: false}]\n";
    let told = said(
        &[("helmfile.yaml", text(helmfile)), ("m.yaml", monitor())],
        &["explain", "prometheus/main", "."],
    );
    assert!(
        told.contains("not found") && told.contains(unread),
        "{told}"
    );
    let stack = release.replace("house", "kube-prometheus-stack, version: 75.11.0");
    assert!(!said(&[("a.yaml", stack)], &["."]).contains("chart"));
}

#[test]
fn files_outside_a_folder_are_read_where_what_builds_it_reads_them() {
    let files = |more: &[(&'static str, String)]| {
        let own = [
            (
                "apps/obs/kustomization.yaml",
                text("resources: [../shared/p.yaml, m.yaml]\n"),
            ),
            ("apps/obs/m.yaml", monitor()),
            ("apps/shared/p.yaml", prometheus("main", "")),
        ];
        own.into_iter()
            .chain(more.iter().cloned())
            .collect::<Vec<_>>()
    };
    let options = |options: &str| {
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: argocd-cm, namespace: argocd}}\n\
             data: {{kustomize.buildOptions: '{options}'}}\n---\n"
        )
    };
    let app = || argo("obs", "apps/obs", "in-cluster");
    let list = |object: String| {
        format!(
            "kind: List\napiVersion: v1\nitems:\n- {}",
            object.trim_end_matches("---\n").replace('\n', "\n  ")
        )
    };
    let allowed = [
        app() + &options("--enable-helm --load-restrictor LoadRestrictionsNone"),
        app() + &options("--load-restrictor=LoadRestrictionsNone"),
        app() + &list(options("--load-restrictor LoadRestrictionsNone")),
        flux("obs", "./apps/obs", ""),
    ];
    for applier in allowed {
        let files = files(&[("argo/app.yaml", applier.clone())]);
        let told = said(&files, &["."]);
        assert!(
            told.contains("selects 1 ServiceMonitor")
                && !said(&files, &["lint", "."]).contains("PG801"),
            "{applier}"
        );
    }
    for refused in [app(), app() + &options("--enable-helm"), text("a: 1\n")] {
        let said = said(
            &files(&[("argo/app.yaml", refused.clone())]),
            &["lint", "."],
        );
        assert!(said.contains("error[PG801]"), "{refused}");
    }
    // With objects of Flux, Flux builds it, unless something else does.
    let mut files = files(&[(
        "apps/obs/r.yaml",
        text("apiVersion: source.toolkit.fluxcd.io/v1\nkind: Bucket\nmetadata: {name: a}\n"),
    )]);
    files[0].1 = text("resources: [../shared/p.yaml, m.yaml, r.yaml]\n");
    assert!(!said(&files, &["lint", "."]).contains("error["));
    files.push(("argo/app.yaml", app()));
    assert!(said(&files, &["lint", "."]).contains("error[PG801]"));
}

#[test]
fn patches_are_idle_where_all_objects_are_known() {
    let chart = |more: &str| {
        format!(
            "namespace: mon\nhelmCharts:\n- {{name: kube-prometheus-stack, version: 75.11.0, releaseName: kps, namespace: mon}}\n{more}"
        )
    };
    let target = |target: &str| {
        format!(
            "patches:\n- target: {{{target}}}\n  patch: '[{{\"op\": \"add\", \"path\": \"/spec/a\", \"value\": 1}}]'\n"
        )
    };
    let merge = "patches:\n- patch: '{apiVersion: apps/v1, kind: Deployment, metadata: {name: kps-grafana, namespace: mon}, spec: {replicas: 2}}'\n";
    for patch in [
        target("kind: DaemonSet"),
        target("labelSelector: app=grafana"),
        text(merge),
    ] {
        let said = said(&[("kustomization.yaml", chart(&patch))], &["lint", "."]);
        assert!(!said.contains("PG803") && !said.contains("PG801"), "{said}");
    }
    let files = |patch: String| {
        [
            ("base/kustomization.yaml", text("resources: [p.yaml]\n")),
            ("base/p.yaml", prometheus("main", "")),
            (
                "over/kustomization.yaml",
                text("resources: [../base]\n") + &patch,
            ),
        ]
    };
    let told = |of: &str| said(&files(target(of)), &["lint", "."]);
    assert!(
        told("kind: Prometheus, name: main, namespace: obs")
            .contains("Prometheus main is in namespace `mon`")
    );
    assert!(told("name: ma.*, namespace: obs").contains("is in namespace `mon`"));
    assert!(told("kind: Prometheus, name: maim").contains("did you mean `main`?"));
    assert!(told("kind: Promethues").contains("did you mean `Prometheus`?"));
    assert!(told("kind: prometheus, name: main").contains("did you mean `Prometheus`?"));
    assert!(
        told("kind: Prometheus, group: monitoring.coreos.io")
            .contains("Prometheus main is of group `monitoring.coreos.com`")
    );
    assert!(told("kind: Prometheus, version: v1beta1").contains("is of version `v1`"));
    for other in [
        "kind: Prometheus, name: main, labelSelector: size=big",
        "kind: ServiceMonitor",
        "kind: Prometheus, name: maim, version: v1beta1",
    ] {
        let other = told(other);
        assert!(
            other.contains("PG803")
                && !other.contains("did you mean")
                && !other.contains(" is of "),
            "{other}"
        );
    }
    for open in [
        "kind: Prometheus, name: '${{ values.name }}'",
        "kind: Prometheus, name: 'main-${ENV}'",
        "kind: Prometheus, namespace: '<namespace>'",
        "name: '{{ name }}'",
    ] {
        assert!(!told(open).contains("PG803"), "{open}");
    }
    // Flux fills in variables of objects after Kustomize has patched them.
    let mut later = files(target("name: shop-main"));
    later[1].1 = prometheus("'${APP}-main'", "");
    assert!(said(&later, &["lint", "."]).contains("PG803"));
}

#[test]
fn what_flux_applies_is_checked_though_an_unused_kustomization_lists_it() {
    let flux = |name: &str, path: &str| {
        format!(
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: {name}, namespace: flux-system}}\nspec: {{interval: 1m, path: {path}, prune: true, sourceRef: {{kind: GitRepository, name: flux-system}}}}\n"
        )
    };
    let monitor = "apiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata: {name: a, namespace: b}\nspec: {selector: {}, endpoints: [{port: web, interval: 5x}]}\n";
    let files = |listed: &str, applied: &str| {
        [
            (
                "clusters/flux-system/gotk-sync.yaml",
                flux("root", "./manifests")
                    + "---\napiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: flux-system, namespace: flux-system}\nspec: {url: https://example.com/a, interval: 1m}\n",
            ),
            (
                "manifests/kustomization.yaml",
                text("resources: [ks.yaml]\n"),
            ),
            ("manifests/ks.yaml", flux("kps", applied)),
            (
                "manifests/infra/kustomization.yaml",
                format!("resources: [{listed}]\n"),
            ),
            (
                "manifests/infra/kps/kustomization.yaml",
                text("resources: [m.yaml]\n"),
            ),
            ("manifests/infra/kps/m.yaml", text(monitor)),
            (
                "manifests/infra/other/kustomization.yaml",
                text(match listed {
                    "other" => "resources: [../kps]\n",
                    _ => "resources: []\n",
                }),
            ),
        ]
    };
    for listed in ["kps", "other", "kps/m.yaml"] {
        let told = said(&files(listed, "./manifests/infra/kps"), &["lint", "."]);
        assert!(told.contains("error[PG016]"), "{listed}: {told}");
    }
    // Flux applies the whole: the part is checked in it, once.
    let whole = said(&files("kps", "./manifests/infra"), &["lint", "."]);
    assert_eq!(whole.matches("error[PG016]").count(), 1, "{whole}");
    // Nobody applies any of it.
    let none = said(&files("kps", "./manifests/elsewhere"), &["lint", "."]);
    assert!(none.contains("PG805") && !none.contains("PG016"), "{none}");
}

#[test]
fn values_of_a_chart_that_is_not_rendered_are_not_called_equal() {
    let chart = |values: &str| {
        let kustomization = "helmCharts:\n- {name: kube-prometheus-stack, version: 75.11.0, releaseName: kps, valuesFile: values.yaml}\n";
        ["base", "head"].map(|side| {
            let own = if side == "head" { values } else { "" };
            [
                (format!("{side}/kustomization.yaml"), text(kustomization)),
                (
                    format!("{side}/values.yaml"),
                    format!("prometheus: {{}}\n{own}"),
                ),
            ]
        })
    };
    let diff = |values: &str| {
        let files = chart(values).concat();
        let files: Vec<(&str, String)> = files
            .iter()
            .map(|(path, of)| (&**path, of.clone()))
            .collect();
        said(&files, &["diff", "base", "head"])
    };
    for values in [
        "kubeStateMetrics: {enabled: false}\n",
        "grafana: {replicas: 2}\n",
    ] {
        let told = diff(values);
        assert!(
            told.contains("nothing differs in what is compared") && told.contains("values differ"),
            "{told}"
        );
    }
    assert!(diff("").starts_with("no differences"));
}

#[test]
fn golden_files_are_read_by_nobody() {
    let files = [
        ("deploy/p.yaml", prometheus("main", "")),
        ("pkg/testdata/p.yaml", prometheus("main", ", retention: 2d")),
        (
            "tests/golden/x/kustomization.yaml",
            text("resources: [p.yaml]\n"),
        ),
        ("tests/golden/x/p.yaml", prometheus("main", ", replicas: x")),
        (
            "overlays/test/kustomization.yaml",
            text("resources: [p.yaml]\n"),
        ),
        (
            "overlays/test/p.yaml",
            prometheus("main", ", retention: 3d"),
        ),
    ];
    let told = said(&files, &["."]);
    assert!(told.starts_with("in deploy, overlays/test:"), "{told}");
    let linted = said(&files, &["lint", "."]);
    assert!(
        linted.contains("3 files of a test suite not read") && !linted.contains("error"),
        "{linted}"
    );
    assert!(said(&files, &["lint", "tests/golden"]).contains("error"));
}

#[test]
fn a_kustomization_of_a_chart_changes_what_helm_writes() {
    let files = |chart: bool| {
        let mut files = vec![
            ("c/kustomization.yaml", "resources: [all.yaml]\n".to_owned()),
            ("p.yaml", prometheus("main", "")),
        ];
        files.extend(chart.then(|| {
            (
                "c/Chart.yaml",
                "apiVersion: v2\nname: c\nversion: 1.0.0\n".to_owned(),
            )
        }));
        files
    };
    assert!(said(&files(true), &["lint", "."]).contains("warning[PG801]"));
    assert!(said(&files(false), &["lint", "."]).contains("error[PG801]"));
}

#[test]
fn a_monitor_that_nobody_selects_reads_the_secrets_of_the_input() {
    let secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: creds, namespace: mon}\nstringData: {user: a}\n---\n";
    let monitor = |name: &str, key: &str| {
        let of = |key: &str| format!("{{name: {name}, key: {key}}}");
        let auth = format!(
            "port: web, basicAuth: {{username: {}, password: {}}}",
            of("user"),
            of(key)
        );
        format!("{secret}{}", monitor().replace("port: web", &auth))
    };
    let lint = |text: String| said(&[("m.yaml", text)], &["lint", "--assume", "missing", "."]);
    assert!(!lint(monitor("creds", "user")).contains("error"));
    assert!(lint(monitor("creds", "pass")).contains("key \"pass\" in secret \"creds\" not found"));
    assert!(lint(monitor("other", "user")).contains("secrets \"other\" not found"));
}

/// The cluster keeps the old state of what cannot be read or is refused: nothing follows from its absence.
#[test]
fn what_is_refused_leaves_the_answers_about_it_open() {
    const REST: &str = "\
---
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: {name: other, namespace: mon}
spec: {ruleSelector: {matchLabels: {app: other}}, podMonitorSelector: {matchLabels: {app: other}}}
---
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata: {name: r, namespace: mon, labels: {app: cart}}
spec: {groups: [{name: g, rules: [{alert: Down, expr: up == 0}]}]}
---
apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata: {name: cart, namespace: mon, labels: {app: cart}}
spec: {selector: {matchLabels: {app: cart}}, podMetricsEndpoints: [{port: http}]}
---
apiVersion: monitoring.coreos.com/v1
kind: Alertmanager
metadata: {name: main, namespace: mon}
spec: {configSecret: am}
---
apiVersion: v1
kind: Secret
metadata: {name: am, namespace: mon}
stringData: {alertmanager.yaml: 'route: {receiver: a}\nreceivers: [{name: a, webhook_configs: [{url: \"http://a/\"}]}]'}
";
    let server = |kind: &str, more: &str| {
        format!(
            "apiVersion: monitoring.coreos.com/v1\nkind: {kind}\nmetadata:\n  name: k8s\n  namespace: mon\nspec:\n  ruleSelector: {{}}\n  \
             podMonitorSelector: {{}}\n{more}\n"
        )
    };
    let files = |server: String| vec![("all.yaml", server + REST)];
    let right = files(server(
        "Prometheus",
        "  alerting: {alertmanagers: [{name: x}]}",
    ));
    assert!(!said(&right, &["lint", "."]).contains("PG120"));
    let none = vec![("all.yaml", REST.to_owned())];
    assert!(said(&none, &["lint", "."]).contains("PG120"));
    for lost in [
        server("Prometeus", ""),
        server("Prometheus", "   retention: 1d"),
        server("Prometheus", "  retention: 15days"),
        server("Prometheus", "  replicas: two"),
    ] {
        let files = files(lost.clone());
        assert!(!said(&files, &["lint", "."]).contains("PG120"), "{lost}");
        let told = said(&files, &["."]);
        assert!(!told.contains("no workload selects"), "{told}");
        let alert = said(&files, &["explain", "alert/Down", "."]);
        assert!(
            alert.contains("the API server refuses Prometheus mon/k8s") && !alert.contains('✗'),
            "{alert}"
        );
    }
}
