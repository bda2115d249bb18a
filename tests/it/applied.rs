//! What Flux and Argo CD make of folders, as `explain` says it: clusters that share a folder, variables, post-renderers, namespaces.

use crate::lint::folder;
use crate::support::promgen;

/// A monitor with labels.
fn monitor(name: &str, labels: &str) -> String {
    format!(
        "apiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata: {{name: {name}, labels: {{{labels}}}}}\n\
         spec: {{selector: {{matchLabels: {{app: a}}}}, endpoints: [{{port: web}}]}}\n---\n"
    )
}

/// A Prometheus that selects by labels.
fn prometheus(labels: &str) -> String {
    format!(
        "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {{name: main}}\n\
         spec: {{serviceMonitorSelector: {{matchLabels: {{{labels}}}}}}}\n---\n"
    )
}

/// A Kustomization of Flux for the folder `mon`.
fn flux(more: &str) -> String {
    format!(
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: mon, namespace: flux-system}}\n\
         spec:\n  path: ./mon\n  prune: true\n  interval: 1m\n  sourceRef: {{kind: GitRepository, name: flux-system}}\n{more}"
    )
}

/// A release of kube-prometheus-stack that Flux applies.
fn release(more: &str) -> String {
    format!(
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: kps, namespace: mon}}\nspec:\n  interval: 1m\n  \
         chart: {{spec: {{chart: kube-prometheus-stack, version: 75.11.0, sourceRef: {{kind: HelmRepository, name: x}}}}}}\n{more}"
    )
}

/// An Application of Argo CD for the folder `mon`.
fn argo(source: &str, more: &str) -> String {
    format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: app, namespace: argocd}}\nspec:\n  project: x\n  \
         source: {{repoURL: https://example.com/x, path: mon{source}}}\n  \
         destination: {{server: https://kubernetes.default.svc, namespace: shop}}\n{more}"
    )
}

/// The lines of `explain` that say which answer is given, each without its place: those of environments, and of the resource.
fn explained(files: &[(&str, String)], resource: &str) -> Vec<String> {
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(name, text)| (*name, text.as_str()))
        .collect();
    let root = folder(&files);
    let ran = promgen(&["explain", resource, root.path().to_str().unwrap()]);
    let is_answer = |line: &&str| line.starts_with("in ") || line.starts_with(['✓', '✗', '?']);
    let without_place = |line: &str| line.split("  (").next().unwrap().to_owned();
    let mut found: Vec<String> = ran
        .stdout
        .lines()
        .filter(is_answer)
        .map(without_place)
        .collect();
    found.extend(
        ran.stderr
            .lines()
            .filter(|line| line.starts_with("error"))
            .map(str::to_owned),
    );
    let prefix = format!("{}/", root.path().to_str().unwrap());
    found.iter().map(|line| line.replace(&prefix, "")).collect()
}

#[test]
fn clusters_apply_one_folder_in_ways_of_their_own() {
    let patch = "  patches:\n  - target: {kind: Prometheus}\n    patch: |\n      - op: replace\n        path: /spec/serviceMonitorSelector/matchLabels/team\n        value: b\n";
    let files = [
        ("clusters/a/mon.yaml", flux("  targetNamespace: shop\n")),
        (
            "clusters/b/mon.yaml",
            flux(&format!("  targetNamespace: shop\n{patch}")),
        ),
        (
            "clusters/c/mon.yaml",
            flux("  targetNamespace: other\n  commonMetadata: {labels: {team: a}}\n"),
        ),
        (
            "mon/all.yaml",
            prometheus("team: a") + &monitor("cart", "team: b"),
        ),
    ];
    let shop = [
        "in clusters/a:",
        "✗ ServiceMonitor shop/cart",
        "in clusters/b:",
        "✓ ServiceMonitor shop/cart",
    ];
    assert_eq!(explained(&files, "servicemonitor/shop/cart"), shop);
    assert_eq!(
        explained(&files, "servicemonitor/other/cart"),
        ["✓ ServiceMonitor other/cart"]
    );
}

#[test]
fn variables_come_from_the_config_map_of_the_cluster() {
    let vars = |tier: &str| {
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: vars, namespace: flux-system}}\ndata: {{TIER: {tier}}}\n"
        )
    };
    let from = "  postBuild: {substituteFrom: [{kind: ConfigMap, name: vars}]}\n";
    let files = [
        ("clusters/a/mon.yaml", flux(from)),
        ("clusters/a/vars.yaml", vars("gold")),
        ("clusters/b/mon.yaml", flux(from)),
        ("clusters/b/vars.yaml", vars("silver")),
        (
            "mon/all.yaml",
            prometheus("tier: '${TIER:=gold}'")
                + &monitor("cart", "tier: gold")
                + &monitor("old", "tier: none"),
        ),
    ];
    let cart = [
        "in clusters/a:",
        "✓ ServiceMonitor default/cart",
        "in clusters/b:",
        "✗ ServiceMonitor default/cart",
    ];
    assert_eq!(explained(&files, "servicemonitor/cart"), cart);
    // What nobody sees may set it, but no value helps where the label is missing.
    let unseen = [
        ("clusters/a/mon.yaml", flux(from)),
        ("mon/all.yaml", files[4].1.clone() + &monitor("bare", "")),
    ];
    assert_eq!(
        explained(&unseen, "servicemonitor/cart"),
        ["? ServiceMonitor default/cart"]
    );
    assert_eq!(
        explained(&unseen, "servicemonitor/bare"),
        ["✗ ServiceMonitor default/bare"]
    );
}

#[test]
fn post_renderers_change_what_a_release_selects() {
    let patch = "  postRenderers:\n  - kustomize:\n      patches:\n      - target: {kind: Prometheus}\n        patch: |\n          - op: replace\n            path: /spec/serviceMonitorSelector\n            value: {matchLabels: {team: a}}\n      - patch: |\n          apiVersion: apps/v1\n          kind: Deployment\n          metadata: {name: kps-operator}\n          spec: {replicas: 2}\n";
    let monitors = monitor("own", "team: a") + &monitor("chart", "release: kps");
    let monitors = monitors.replace("metadata: {", "metadata: {namespace: mon, ");
    let files = [
        ("release.yaml", release(patch)),
        ("monitors.yaml", monitors),
    ];
    assert_eq!(
        explained(&files, "servicemonitor/own"),
        ["✓ ServiceMonitor mon/own"]
    );
    assert_eq!(
        explained(&files, "servicemonitor/chart"),
        ["✗ ServiceMonitor mon/chart"]
    );
}

#[test]
fn values_that_are_not_there_open_what_they_can_set() {
    let values =
        "  values: {prometheus: {prometheusSpec: {podMonitorSelectorNilUsesHelmValues: false}}}\n";
    let of = |source: &str| {
        let from = format!(
            "  valuesFrom:\n  - {{kind: ConfigMap, name: base}}\n  - {{kind: Secret, name: hidden{source}}}\n{values}"
        );
        let base = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: base, namespace: mon}\ndata:\n  values.yaml: |\n    prometheus: {prometheusSpec: {serviceMonitorSelector: {matchLabels: {team: a}}}}\n";
        let monitor =
            monitor("other", "team: b").replace("metadata: {", "metadata: {namespace: mon, ");
        let files = [
            ("release.yaml", release(&from)),
            ("base.yaml", base.to_owned()),
            ("monitors.yaml", monitor),
        ];
        explained(&files, "servicemonitor/other")
    };
    assert_eq!(of(""), ["? ServiceMonitor mon/other"]);
    let url = ", valuesKey: url, targetPath: alertmanager.config.global.slack_api_url";
    assert_eq!(of(url), ["✗ ServiceMonitor mon/other"]);
}

#[test]
fn a_path_opens_the_label_that_it_sets_and_nothing_else() {
    let target = "prometheus.prometheusSpec.serviceMonitorSelector.matchLabels.release";
    let from = format!(
        "  valuesFrom: [{{kind: Secret, name: hidden, valuesKey: release, targetPath: {target}}}]\n"
    );
    let values = "  values: {prometheus: {prometheusSpec: {serviceMonitorSelector: {matchLabels: {team: a}}}}}\n";
    let monitors = monitor("cart", "team: a, release: x")
        + &monitor("bare", "team: a")
        + &monitor("other", "team: b");
    let monitors = monitors
        + &monitor("pods", "release: x")
            .replace("Service", "Pod")
            .replace("endpoints", "podMetricsEndpoints");
    let monitors = monitors.replace("metadata: {", "metadata: {namespace: mon, ");
    let files = [
        ("release.yaml", release(&format!("{from}{values}"))),
        ("monitors.yaml", monitors),
    ];
    let answer = |name: &str| explained(&files, name).concat();
    assert_eq!(answer("servicemonitor/cart"), "? ServiceMonitor mon/cart");
    assert_eq!(answer("servicemonitor/bare"), "? ServiceMonitor mon/bare");
    assert_eq!(answer("servicemonitor/other"), "✗ ServiceMonitor mon/other");
    assert_eq!(answer("podmonitor/pods"), "✗ PodMonitor mon/pods");
    // What the release states itself comes last.
    let own = values.replace("team: a", "release: x");
    let files = [
        ("release.yaml", release(&format!("{from}{own}"))),
        files[1].clone(),
    ];
    assert_eq!(
        explained(&files, "servicemonitor/cart"),
        ["✓ ServiceMonitor mon/cart"]
    );
    assert_eq!(
        explained(&files, "servicemonitor/bare"),
        ["✗ ServiceMonitor mon/bare"]
    );
}

#[test]
fn clusters_of_one_name_below_two_folders_are_two() {
    let vars = |tier: &str| flux(&format!("  postBuild: {{substitute: {{TIER: {tier}}}}}\n"));
    let files = [
        ("staging/clusters/a/mon.yaml", vars("gold")),
        ("prod/clusters/a/mon.yaml", vars("silver")),
        (
            "mon/all.yaml",
            prometheus("tier: '${TIER}'") + &monitor("cart", "tier: gold"),
        ),
    ];
    let cart = [
        "in prod/clusters/a:",
        "✗ ServiceMonitor default/cart",
        "in staging/clusters/a:",
        "✓ ServiceMonitor default/cart",
    ];
    assert_eq!(explained(&files, "servicemonitor/cart"), cart);
}

#[test]
fn labels_of_a_namespace_that_is_made_elsewhere_may_be_excluded() {
    let server = "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {name: main, namespace: obs}\nspec:\n  serviceMonitorSelector: {}\n  serviceMonitorNamespaceSelector: {matchExpressions: [{key: team, operator: NotIn, values: [x]}]}\n---\n";
    let of = |applier: &str, namespace: &str| {
        let monitor = monitor("cart", "").replace("metadata: {", "metadata: {namespace: shop, ");
        let files = [
            ("flux.yaml", applier.to_owned()),
            ("mon/all.yaml", format!("{server}{monitor}{namespace}")),
        ];
        explained(&files, "servicemonitor/shop/cart")
    };
    let named = "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n";
    assert_eq!(of(&flux(""), ""), ["? ServiceMonitor shop/cart"]);
    assert_eq!(of(&flux(""), named), ["✓ ServiceMonitor shop/cart"]);
    // Nobody else applies anything.
    assert_eq!(of(named, ""), ["✓ ServiceMonitor shop/cart"]);
}

/// A Secret by which Argo CD knows a cluster.
fn cluster(name: &str, labels: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Secret\nmetadata: {{name: of-{name}, namespace: argocd, labels: {{argocd.argoproj.io/secret-type: cluster{labels}}}}}\n\
         stringData: {{name: {name}, server: 'https://{name}.example.com'}}\n---\n"
    )
}

#[test]
fn a_set_of_clusters_applies_to_each_whose_secret_is_there() {
    let set = |selector: &str| {
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {{name: all, namespace: argocd}}\nspec:\n  goTemplate: true\n  \
             generators: [{{clusters: {{{selector}}}}}]\n  template:\n    metadata: {{name: 'mon-{{{{.name}}}}'}}\n    spec:\n      project: x\n      \
             source: {{repoURL: https://example.com/x, path: mon, kustomize: {{commonLabels: {{team: '{{{{.metadata.labels.team}}}}'}}}}}}\n      \
             destination: {{server: '{{{{.server}}}}', namespace: shop}}\n"
        )
    };
    let secrets = cluster("eu", ", team: a")
        + &cluster("us", ", team: b")
        + &cluster("dev", ", team: b, spare: 'yes'");
    let answers = |selector: &str, secrets: &str| {
        let files = [
            ("apps/set.yaml", set(selector)),
            ("apps/clusters.yaml", secrets.to_owned()),
            (
                "mon/kustomization.yaml",
                "resources: [all.yaml]\n".to_owned(),
            ),
            ("mon/all.yaml", prometheus("team: a") + &monitor("cart", "")),
        ];
        explained(&files, "servicemonitor/shop/cart")
    };
    let selector = "selector: {matchExpressions: [{key: spare, operator: DoesNotExist}]}";
    let both = [
        "in mon (eu):",
        "✓ ServiceMonitor shop/cart",
        "in mon (us):",
        "✗ ServiceMonitor shop/cart",
    ];
    assert_eq!(answers(selector, &secrets), both);
    assert_eq!(
        answers("selector: {matchLabels: {team: a}}", &secrets),
        ["✓ ServiceMonitor shop/cart"]
    );
    // Without a selector, the cluster of Argo CD is one, too.
    let all = answers("", &secrets).concat();
    assert!(
        all.contains("(in-cluster)") && all.contains("(dev)") && all.contains("(eu)"),
        "{all}"
    );
    // Which clusters there are is not known, and neither is the label that each gives.
    assert_eq!(answers(selector, "a: 1\n").len(), 1);
}

#[test]
fn a_path_that_is_not_known_may_be_that_of_any_chart() {
    let of = |path: &str| {
        let set = format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {{name: all, namespace: argocd}}\nspec:\n  goTemplate: true\n  \
             generators: [{{list: {{elements: [{{name: p, namespace: mon}}]}}}}]\n  template:\n    metadata: {{name: '{{{{ .name }}}}'}}\n    spec:\n      \
             project: x\n      source: {{repoURL: https://example.com/x, path: '{path}'}}\n      destination: {{namespace: '{{{{ .namespace }}}}'}}\n"
        );
        let chart = "apiVersion: v2\nname: p\nversion: 0.1.0\ndependencies:\n- {name: kube-prometheus-stack, version: 75.11.0, repository: https://prometheus-community.github.io/helm-charts}\n";
        let values = "kube-prometheus-stack: {prometheus: {prometheusSpec: {serviceMonitorSelector: {matchLabels: {team: a}}}}}\n";
        let files = [
            ("apps/set.yaml", set.as_str()),
            ("charts/p/Chart.yaml", chart),
            ("charts/p/values.yaml", values),
        ];
        let root = folder(&files);
        promgen(&["lint", root.path().to_str().unwrap(), "--no-config"]).stdout
    };
    let server = "p-kube-prometheus-stack-prometheus";
    for known in ["charts/{{ .name }}", "charts/{{ dig \"chart\" .name . }}"] {
        assert!(of(known).contains(&format!("mon/{server}")), "{known}");
    }
    for open in ["charts/{{ unheard .name }}", "c{{ unheard .name }}/p"] {
        assert!(!of(open).contains(server), "{open}");
    }
    // Another path, and one that says nothing.
    for other in ["other/{{ unheard .name }}", "{{ unheard .name }}"] {
        assert!(of(other).contains(&format!("default/{server}")), "{other}");
    }
}

#[test]
fn the_server_of_a_cluster_is_not_shown() {
    let set = "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: all, namespace: argocd}\nspec:\n  \
               generators: [{clusters: {}}]\n  template:\n    metadata: {name: 'mon-{{name}}'}\n    spec:\n      project: x\n      \
               source: {repoURL: https://example.com/x, path: mon, kustomize: {commonAnnotations: {at: '{{server}}'}}}\n      \
               destination: {server: '{{server}}', namespace: shop}\n";
    let (secrets, manifests) = (
        cluster("eu", ""),
        prometheus("team: a") + &monitor("cart", "team: b"),
    );
    let root = folder(&[
        ("apps/set.yaml", set),
        ("apps/clusters.yaml", &secrets),
        ("mon/kustomization.yaml", "resources: [all.yaml]\n"),
        ("mon/all.yaml", &manifests),
    ]);
    let root = root.path().to_str().unwrap();
    for command in [
        &["lint", "--all"][..],
        &["explain", "servicemonitor/shop/cart"],
        &["build"],
        &["render", "--environment", "eu"],
    ] {
        let ran = promgen(&[command, &[root]].concat());
        let told = ran.stdout + &ran.stderr;
        assert!(!told.contains("eu.example.com"), "{command:?}: {told}");
        assert!(command[0] != "explain" || told.contains("(eu)"), "{told}");
    }
}

#[test]
fn what_an_applied_kustomization_does_not_list_is_applied_by_nobody() {
    let files = |applier: &str, listed: &str| {
        [
            ("apps/app.yaml", applier.to_owned()),
            ("mon/kustomization.yaml", format!("resources: [{listed}]\n")),
            ("mon/all.yaml", prometheus("team: a")),
            ("mon/cart.yaml", monitor("cart", "team: a")),
            ("mon/more/deep.yaml", monitor("deep", "team: a")),
        ]
    };
    let answer = |applier: &str, name: &str| explained(&files(applier, "all.yaml"), name).concat();
    let applied = "✓ ServiceMonitor shop/cart";
    for applier in [flux("  targetNamespace: shop\n"), argo("", "")] {
        assert_eq!(
            answer(&applier, "servicemonitor/cart"),
            "✗ ServiceMonitor cart"
        );
        assert_eq!(
            answer(&applier, "servicemonitor/deep"),
            "✗ ServiceMonitor deep"
        );
        assert_eq!(
            explained(
                &files(&applier, "all.yaml, cart.yaml"),
                "servicemonitor/cart"
            ),
            [applied]
        );
    }
    // An Application says that it takes the files, and without an applier nobody knows who does.
    assert_eq!(
        answer(
            &argo(", directory: {recurse: true}", ""),
            "servicemonitor/cart"
        ),
        applied
    );
    assert_eq!(
        answer("a: 1\n", "servicemonitor/cart"),
        "✓ ServiceMonitor default/cart"
    );

    let files = files(&flux(""), "all.yaml");
    let texts: Vec<(&str, &str)> = files
        .iter()
        .map(|(name, text)| (*name, text.as_str()))
        .collect();
    let root = folder(&texts);
    let path = root.path().to_str().unwrap();
    let ran = promgen(&["explain", "servicemonitor/cart", path]);
    assert_eq!(ran.code, 1);
    assert!(
        ran.stdout.contains("no kustomization lists it"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout.contains("add `cart.yaml` to `resources`"),
        "{}",
        ran.stdout
    );
    let json = promgen(&[
        "explain",
        "servicemonitor/shop/cart",
        path,
        "--format",
        "json",
    ]);
    assert!(
        json.code == 1 && json.stdout.contains("\"command\": \"explain\""),
        "{}",
        json.stdout
    );
    let linted = promgen(&["lint", path, "--no-config"]).stdout;
    assert_eq!(linted.matches("info[PG805]").count(), 2, "{linted}");
    assert!(
        linted.contains("nobody applies ServiceMonitor cart"),
        "{linted}"
    );
}

/// A Kustomization of Flux with that name and path.
fn flux_at(name: &str, path: &str) -> String {
    flux("")
        .replace("name: mon,", &format!("name: {name},"))
        .replace("./mon", &format!("./{path}"))
}

#[test]
fn what_applies_is_dead_where_nobody_applies_it() {
    let of = |applier: &str, listed: &str, more: &[(&'static str, String)]| {
        let mut files = vec![
            ("flux/apps.yaml", flux_at("apps", "apps")),
            (
                "apps/kustomization.yaml",
                format!("resources: [server.yaml{listed}]\n"),
            ),
            ("apps/server.yaml", prometheus("team: a")),
            ("apps/rules/ks.yaml", applier.to_owned()),
            (
                "mon/kustomization.yaml",
                "resources: [all.yaml]\n".to_owned(),
            ),
            ("mon/all.yaml", monitor("cart", "team: a")),
        ];
        files.extend(more.iter().cloned());
        explained(&files, "servicemonitor/cart").concat()
    };
    let (taken, nobody) = ("✓ ServiceMonitor default/cart", "✗ ServiceMonitor cart");
    let chain = [("more/mon.yaml", flux_at("mon", "mon"))];
    for (applier, more) in [
        (flux(""), &[][..]),
        (
            argo("", "").replace("namespace: shop", "namespace: default"),
            &[],
        ),
        (flux_at("more", "more"), &chain),
    ] {
        assert_eq!(of(&applier, "", more), nobody, "{applier}");
        assert_eq!(of(&applier, ", rules/ks.yaml", more), taken, "{applier}");
    }
    // Another one applies the folder, too.
    assert_eq!(of(&flux(""), "", &[("flux/mon.yaml", flux(""))]), taken);
    // Nobody is known to apply the kustomization that does not list it.
    let files = [
        ("flux/other.yaml", flux_at("other", "other")),
        (
            "apps/kustomization.yaml",
            "resources: [server.yaml]\n".to_owned(),
        ),
        ("apps/server.yaml", prometheus("team: a")),
        ("apps/ks.yaml", flux("")),
        ("mon/all.yaml", monitor("cart", "team: a")),
    ];
    assert_eq!(explained(&files, "servicemonitor/cart"), [taken]);
}

#[test]
fn what_is_applied_by_hand_applies_its_own_folder() {
    let of = |files: &[(&'static str, String)]| {
        let more = [
            (
                "mon/kustomization.yaml",
                "resources: [all.yaml]\n".to_owned(),
            ),
            (
                "mon/all.yaml",
                prometheus("team: a") + &monitor("cart", "team: a"),
            ),
        ];
        explained(&[files, &more].concat(), "servicemonitor/cart")
    };
    let taken = ["✓ ServiceMonitor default/cart"];
    // The first Kustomization is not listed in the folder that it applies.
    let first = [
        (
            "clusters/prod/kustomization.yaml",
            "resources: [mon.yaml]\n".to_owned(),
        ),
        ("clusters/prod/mon.yaml", flux("")),
        (
            "clusters/prod/flux-system/kustomization.yaml",
            "resources: [sync.yaml]\n".to_owned(),
        ),
        (
            "clusters/prod/flux-system/sync.yaml",
            flux_at("flux-system", "clusters/prod"),
        ),
    ];
    assert_eq!(of(&first), taken);
    // Argo CD applies its own folder, in which the first Application stands.
    let app = |name: &str, path: &str| {
        argo("", "")
            .replace("name: app,", &format!("name: {name},"))
            .replace("path: mon", &format!("path: {path}"))
            .replace("namespace: shop", "namespace: default")
    };
    let circle = [
        (
            "argocd/kustomization.yaml",
            "resources: [values.yaml]\n".to_owned(),
        ),
        (
            "argocd/values.yaml",
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n".to_owned(),
        ),
        ("argocd/root.yaml", app("root", "apps")),
        ("argocd/others.yaml", app("others", "mon")),
        ("apps/argocd.yaml", app("argocd", "argocd")),
    ];
    assert_eq!(of(&circle), taken);
}

#[test]
fn a_resource_set_applies_the_paths_of_its_kustomizations() {
    let of = |spec: &str| {
        let set = format!(
            "apiVersion: fluxcd.controlplane.io/v1\nkind: ResourceSet\nmetadata: {{name: all, namespace: flux-system}}\nspec:\n{spec}"
        );
        let files = [
            ("flux/apps.yaml", flux_at("apps", "apps")),
            (
                "apps/kustomization.yaml",
                "resources: [set.yaml, server.yaml]\n".to_owned(),
            ),
            ("apps/server.yaml", prometheus("team: a")),
            ("apps/set.yaml", set),
            (
                "apps/mon/kustomization.yaml",
                "resources: [all.yaml]\n".to_owned(),
            ),
            ("apps/mon/all.yaml", monitor("cart", "team: a")),
        ];
        explained(&files, "servicemonitor/cart").concat()
    };
    let object = flux_at("mon", "apps/mon");
    let text = |of: &str| {
        let lines: Vec<String> = of.lines().map(|line| format!("    {line}\n")).collect();
        format!("  resourcesTemplate: |\n{}", lines.concat())
    };
    let item = |of: &str| text(of).replace("resourcesTemplate: |\n    ", "resources:\n  - ");
    let taken = "✓ ServiceMonitor default/cart";
    assert_eq!(of(&text(&object)), taken);
    assert_eq!(of(&item(&object)), taken);
    let inputs = "  inputs: [{app: none}, {app: mon}]\n";
    let open = object.replace("apps/mon", "apps/<< inputs.app >>");
    assert_eq!(of(&(inputs.to_owned() + &text(&open))), taken);
    let two = format!("a: 1\n---\n<<- if inputs.app >>\n{open}<<- end >>\n");
    assert_eq!(of(&(inputs.to_owned() + &text(&two))), taken);
    // Another path, and another kind.
    let nobody = "✗ ServiceMonitor cart";
    assert_eq!(of(&text(&open)), nobody);
    assert_eq!(of(&text(&flux_at("mon", "apps/other"))), nobody);
    assert_eq!(
        of(&text(&object.replace("kustomize.toolkit", "other"))),
        nobody
    );
}

#[test]
fn a_copy_of_what_is_applied_is_applied_by_nobody() {
    let of = |folder: &str, objects: &str| {
        let all = prometheus("team: a") + &monitor("cart", "team: a");
        let names = ["kustomization.yaml", "all.yaml"].map(|name| format!("{folder}/{name}"));
        let listed = || "resources: [all.yaml]\n".to_owned();
        let files = [
            (
                "flux/mon.yaml",
                flux_at("mon", "apps/mon/app") + "  targetNamespace: shop\n",
            ),
            ("apps/mon/app/kustomization.yaml", listed()),
            ("apps/mon/app/all.yaml", all),
            (names[0].as_str(), listed()),
            (names[1].as_str(), objects.to_owned()),
        ];
        explained(&files, "servicemonitor/cart")
    };
    let cart = monitor("cart", "team: a");
    let applied = ["✓ ServiceMonitor shop/cart"];
    let copy = "assets/mon/app";
    assert_eq!(of(copy, &cart), applied);
    assert_eq!(of(copy, &(prometheus("team: b") + &cart)), applied);
    // Another folder, another object, and a namespace of its own are no copy.
    for (folder, objects) in [
        ("apps/mon/staging", cart.clone()),
        (copy, cart.clone() + &monitor("basket", "team: a")),
        (
            copy,
            cart.replace("{name: cart", "{namespace: other, name: cart"),
        ),
    ] {
        assert_ne!(of(folder, &objects), applied, "{folder}: {objects}");
    }
}

#[test]
fn what_flux_leaves_out_is_applied_by_nobody() {
    let repository = |ignore: &str| {
        format!(
            "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {{name: flux-system, namespace: flux-system}}\n\
             spec:\n  interval: 1m\n  url: https://example.com/x\n{ignore}---\n"
        )
    };
    let of = |text: &str, ignore: &str, more: &[(&'static str, String)]| {
        let mut files = vec![
            ("flux.yaml", repository(ignore) + &flux("")),
            (
                "mon/all.yaml",
                prometheus("team: a") + &monitor("cart", "team: a"),
            ),
            ("mon/drafts/new.yaml", monitor("new", "team: a")),
        ];
        files.extend((!text.is_empty()).then(|| (".sourceignore", text.to_owned())));
        files.extend(more.iter().cloned());
        files
    };
    let new =
        |text: &str, ignore: &str| explained(&of(text, ignore, &[]), "servicemonitor/new").concat();
    let (taken, nobody) = ("✓ ServiceMonitor default/new", "✗ ServiceMonitor new");
    assert_eq!(new("", ""), taken);
    assert_eq!(new("drafts/\n", ""), nobody);
    assert_eq!(new("drafts/\n", "  ignore: '!/mon/drafts'\n"), taken);
    assert_eq!(
        new("", "  ignore: |\n    /*\n    !/mon\n    /mon/drafts\n"),
        nobody
    );
    assert_eq!(
        explained(&of("drafts/\n", "", &[]), "servicemonitor/cart"),
        ["✓ ServiceMonitor default/cart"]
    );

    let listed = (
        "mon/kustomization.yaml",
        "resources: [all.yaml, drafts/new.yaml]\n".to_owned(),
    );
    let files = of("drafts/\n", "", &[listed]);
    let texts: Vec<(&str, &str)> = files
        .iter()
        .map(|(name, text)| (*name, text.as_str()))
        .collect();
    let root = folder(&texts);
    let linted = promgen(&["lint", root.path().to_str().unwrap(), "--no-config"]);
    // A picture is left out by default, unless somebody says otherwise: that may be a GitRepository that is not there.
    let picture = |source: &str| {
        let listed = "resources: [all.yaml]\nconfigMapGenerator: [{name: a, files: [a.png]}]\n";
        let files = [
            ("mon/kustomization.yaml", listed),
            ("mon/all.yaml", "a: 1\n"),
            ("mon/a.png", "x"),
        ];
        let root = folder(
            &[
                &files[..],
                &[("flux.yaml", &format!("{source}{}", flux("")))],
            ]
            .concat(),
        );
        promgen(&["lint", root.path().to_str().unwrap(), "--no-config"]).stdout
    };
    let left_out = "the default of Flux leaves it out";
    assert!(picture(&repository("")).contains(left_out) && !picture("").contains(left_out));

    let why = "`drafts/new.yaml` is not in what Flux applies: ";
    assert!(
        linted.code == 1 && linted.stdout.contains("error[PG801]") && linted.stdout.contains(why),
        "{}",
        linted.stdout
    );
}

#[test]
fn what_flux_cannot_build_is_an_error_if_it_may_concern_the_operator() {
    let policy = "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: a}\n";
    let (monitor, nested) = (
        monitor("cart", ""),
        flux("").replace("name: mon", "name: other"),
    );
    let charts =
        "helmCharts: [{name: kube-prometheus-stack, repo: https://example.com, version: 70.0.0}]\n";
    for (present, more, level) in [
        (Some(policy), "", "warning"),
        (Some(policy), charts, "error"),
        (Some(monitor.as_str()), "", "error"),
        (Some(nested.as_str()), "", "error"),
        (None, "", "error"),
    ] {
        let listed = if present.is_some() { "a.yaml, " } else { "" };
        let kustomization = format!("resources: [{listed}missing.yaml]\n{more}");
        let flux = flux("");
        let mut files = vec![
            ("flux.yaml", flux.as_str()),
            ("mon/kustomization.yaml", kustomization.as_str()),
        ];
        // With another one, it is not the one at the top.
        files.push(("other/kustomization.yaml", "resources: []\n"));
        files.extend(present.map(|text| ("mon/a.yaml", text)));
        let root = folder(&files);
        let linted = promgen(&[
            "lint",
            "--all",
            root.path().to_str().unwrap(),
            "--no-config",
        ]);
        assert!(
            linted.stdout.contains(&format!("{level}[PG801]")),
            "{present:?}: {}",
            linted.stdout
        );
    }
}

#[test]
fn what_is_built_in_part_proves_no_collision() {
    let of = |transformers: &str, namespace: &str| {
        let part = |name: &str| format!("resources: [{name}.yaml, namespace.yaml]\n{transformers}");
        let (a, b) = (part("a"), part("b"));
        let own = |name: &str| monitor(name, "").replace("{name", "{namespace: x, name");
        let (first, second) = (own("a"), own("b"));
        let namespace =
            format!("apiVersion: v1\nkind: Namespace\nmetadata: {{name: {namespace}}}\n");
        let files = [
            ("kustomization.yaml", "resources: [a, b]\n"),
            ("a/kustomization.yaml", &a),
            ("a/a.yaml", &first),
            ("a/namespace.yaml", &namespace),
            ("b/kustomization.yaml", &b),
            ("b/b.yaml", &second),
            ("b/namespace.yaml", &namespace),
            (
                "plugin/p.yaml",
                "apiVersion: acme.com/v1\nkind: Rename\nmetadata: {name: a}\n",
            ),
            (
                "plugin/n.yaml",
                "apiVersion: builtin\nkind: NamespaceTransformer\nmetadata: {name: n, namespace: .invalid}\nfieldSpecs: [{path: metadata/name, kind: Namespace}]\n",
            ),
            (
                "plugin/kustomization.yaml",
                "namespace: a\nresources: [n.yaml]\n",
            ),
        ];
        let root = folder(&files);
        let ran = promgen(&["lint", root.path().to_str().unwrap(), "--no-config"]);
        ran.stdout.contains("is defined twice")
    };
    assert!(of("", ".invalid"));
    // Each renames its Namespace, as its own plugin says, or one that is not run.
    assert!(!of("transformers: [../plugin/p.yaml]\n", ".invalid"));
    // Both get one name.
    assert!(of("transformers: [../plugin]\n", ".invalid"));
}

#[test]
fn argo_adds_to_kustomizations_and_labels_namespaces() {
    let kustomize = ", kustomize: {namePrefix: x-, namespace: special, commonLabels: {team: a}}";
    let files = [
        ("apps/app.yaml", argo(kustomize, "")),
        (
            "mon/kustomization.yaml",
            "resources: [all.yaml]\n".to_owned(),
        ),
        ("mon/all.yaml", prometheus("team: a") + &monitor("cart", "")),
    ];
    assert_eq!(
        explained(&files, "servicemonitor/special/x-cart"),
        ["✓ ServiceMonitor special/x-cart"]
    );
    let server = "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {name: main, namespace: obs}\nspec:\n  serviceMonitorSelector: {}\n  serviceMonitorNamespaceSelector: {matchLabels: {scrape: 'on'}}\n";
    let policy = "  syncPolicy:\n    managedNamespaceMetadata: {labels: {scrape: 'on'}}\n    syncOptions: [CreateNamespace=true]\n";
    let of = |policy: &str| {
        let files = [
            ("apps/app.yaml", argo("", policy)),
            ("mon/all.yaml", monitor("cart", "")),
            ("obs/server.yaml", server.to_owned()),
        ];
        explained(&files, "servicemonitor/shop/cart")
    };
    assert_eq!(of(policy), ["✓ ServiceMonitor shop/cart"]);
    // Nobody says which labels the namespace has.
    assert_eq!(of(""), ["? ServiceMonitor shop/cart"]);
}

#[test]
fn encrypted_values_are_no_configuration() {
    let from = "  valuesFrom: [{kind: Secret, name: hidden}]\n";
    let values = "alertmanager:\n    config: ENC[AES256_GCM,data:x,iv:x,tag:x,type:str]\nsops:\n    mac: ENC[AES256_GCM,data:x,type:str]\n";
    let kustomization = "namespace: mon\nresources: [release.yaml]\nsecretGenerator:\n- name: hidden\n  files: [values.yaml=values.enc.yaml]\n";
    let root = folder(&[
        ("kustomization.yaml", kustomization),
        ("values.enc.yaml", values),
        ("release.yaml", &release(from)),
    ]);
    let ran = promgen(&["lint", root.path().to_str().unwrap(), "--no-config"]);
    assert_eq!(
        (ran.code, ran.stdout.contains("error")),
        (0, false),
        "{}",
        ran.stdout
    );
}
