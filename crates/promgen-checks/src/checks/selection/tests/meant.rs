//! Which object a monitor or a Service means, and what may be meant that is not read.

use crate::lint::lint;
use promgen_compile::options::Options;
use promgen_model::Project;
use promgen_text::source::Input;

/// The warnings of a rule about some files.
fn warned(code: &str, files: &[(&str, &str)]) -> Vec<String> {
    let options = Options {
        is_repository: true,
        ..Options::default()
    };
    let inputs = files.iter().map(|(name, text)| Input::new(*name, *text));
    let inputs: Vec<Input> = inputs.collect();
    let output = lint(&Project::read(&inputs, &options));
    let found = output.diagnostics.iter();
    let found = found
        .filter(|found| found.rule.code == code && found.level > promgen_text::diag::Level::Info);
    found.map(|found| found.message.to_string()).collect()
}

fn monitor(kind: &str, selector: &str, endpoints: &str) -> String {
    let list = match kind {
        "PodMonitor" => "podMetricsEndpoints",
        _ => "endpoints",
    };
    format!(
        "{{apiVersion: monitoring.coreos.com/v1, kind: {kind}, metadata: {{name: m, namespace: ns}}, spec: {{selector: {{matchLabels: {{{selector}}}}}, {list}: {endpoints}}}}}\n---\n"
    )
}

fn service(name: &str, labels: &str, spec: &str) -> String {
    format!(
        "{{apiVersion: v1, kind: Service, metadata: {{name: {name}, namespace: ns, labels: {{{labels}}}}}, spec: {{{spec}}}}}\n---\n"
    )
}

fn deployment(name: &str, labels: &str, port: &str) -> String {
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: {name}, namespace: ns}}\nspec:\n  selector: {{matchLabels: {{{labels}}}}}\n  template:\n    metadata: {{labels: {{{labels}}}}}\n    spec: {{containers: [{{name: c, image: i, ports: [{{name: {port}, containerPort: 1}}]}}]}}\n---\n"
    )
}

#[test]
fn another_name_is_no_slip_and_what_is_meant_has_the_port() {
    let is_near = |selector: &str, labels: &str, asked: &str, port: &str| {
        let service = service(
            "other",
            labels,
            &format!("selector: {{a: b}}, ports: [{{name: {port}, port: 80}}]"),
        );
        let text = monitor("ServiceMonitor", selector, &format!("[{{port: {asked}}}]")) + &service;
        !warned("PG124", &[("a.yaml", &text)]).is_empty()
    };
    let instance =
        |name: &str| format!("app.kubernetes.io/name: {name}, app.kubernetes.io/instance: chat");
    for (selector, labels, asked, port) in [
        (
            instance("chat").as_str(),
            instance("chta").as_str(),
            "http",
            "http",
        ),
        ("app: shop-cart", "app: shop-crat", "web", "web"),
        ("app: cart-server-eu", "app: cart-sever-eu", "web", "web"),
        ("app: cart", "app: shop-cart", "web|http", "http"),
        ("app: cart", "app: cart-web", "'${PORT}'", "http"),
    ] {
        assert!(
            is_near(selector, labels, asked, port),
            "{selector} {labels}"
        );
    }
    for (selector, labels, asked, port) in [
        (
            instance("chat").as_str(),
            instance("nats").as_str(),
            "http",
            "http",
        ),
        (
            instance("chat").as_str(),
            instance("chta").as_str(),
            "http",
            "tcp",
        ),
        (
            "app: config-controller",
            "app: config-operator",
            "web",
            "web",
        ),
        ("app: node-reader-eu", "app: node-writer-eu", "web", "web"),
        ("app: team-a", "app: team-b", "web", "web"),
    ] {
        assert!(
            !is_near(selector, labels, asked, port),
            "{selector} {labels}"
        );
    }
    let pods = |port: &str| {
        let text = monitor("PodMonitor", "app: cart", "[{port: metrics}]")
            + &deployment("d", "app: crat", port);
        warned("PG124", &[("a.yaml", &text)]).len()
    };
    assert_eq!((pods("metrics"), pods("web")), (1, 0));
}

#[test]
fn objects_of_a_kustomization_that_is_not_built_may_have_the_port() {
    let told = |kind: &str, selected: &str, other: &str, gap: &str| {
        let endpoints = "[{port: metrics}]";
        let kustomization = format!("commonLabels: {{app: cart}}\nresources: [svc.yaml]\n{gap}");
        warned(
            "PG123",
            &[
                ("mon/kustomization.yaml", "resources: [m.yaml]\n"),
                (
                    "mon/m.yaml",
                    &(monitor(kind, "app: cart", endpoints) + selected),
                ),
                ("other/kustomization.yaml", &kustomization),
                ("other/of.yaml", "varReference: [{path: a, unknown: b}]\n"),
                ("other/svc.yaml", other),
            ],
        )
        .len()
    };
    let of_services = |port: &str, gap: &str| {
        let service = |name: &str, port: &str| {
            service(
                name,
                "app: cart",
                &format!("selector: {{a: b}}, ports: [{{name: {port}, port: 80}}]"),
            )
        };
        told(
            "ServiceMonitor",
            &service("a", "metric"),
            &service("b", port).replace("app: cart", "x: z"),
            gap,
        )
    };
    let of_pods = |port: &str, gap: &str| {
        let (selected, other) = (
            deployment("a", "app: cart", "metric"),
            deployment("b", "x: z", port),
        );
        told("PodMonitor", &selected, &other, gap)
    };
    let gap = "configurations: [of.yaml]\n";
    for of in [&of_services as &dyn Fn(&str, &str) -> usize, &of_pods] {
        assert_eq!(of("metrics", gap), 0);
        assert_eq!(of("web", gap), 1);
        assert_eq!(of("metric", ""), 1);
    }
}

#[test]
fn a_folder_of_kubebuilder_gets_its_namespace_from_above() {
    let told = |folder: &str, above: &str| {
        let monitor = monitor(
            "ServiceMonitor",
            "control-plane: manager",
            "[{port: https}]",
        )
        .replace("namespace: ns", "namespace: system");
        let ports = "ports: [{name: https, port: 80}], selector: {x: z}";
        let resources = "resources: [m.yaml]\n";
        warned(
            "PG124",
            &[
                (&format!("config/base/{folder}/m.yaml"), &monitor),
                (
                    &format!("config/base/{folder}/kustomization.yaml"),
                    resources,
                ),
                (
                    "config/base/svc.yaml",
                    &service("own", "control-plane: manager", ports),
                ),
                ("config/base/kustomization.yaml", above),
            ],
        )
        .len()
    };
    let resources = "resources: [svc.yaml]\n";
    let above = format!("namespace: own\n{resources}");
    assert_eq!(told("prometheus", &above), 0);
    assert_eq!(told("prometheus", resources), 1);
    assert_eq!(told("shop", &above), 1);
}

#[test]
fn what_an_older_operator_labels_and_knows_is_not_judged() {
    let told = |code: &str, version: &str| {
        let operator = format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: prometheus-operator, namespace: ns}}\nspec:\n  selector: {{matchLabels: {{app: po}}}}\n  template:\n    metadata: {{labels: {{app: po}}}}\n    spec: {{containers: [{{name: prometheus-operator, image: 'quay.io/prometheus-operator/prometheus-operator:{version}'}}]}}\n---\n"
        );
        let server = "{apiVersion: monitoring.coreos.com/v1, kind: Prometheus, metadata: {name: k8s, namespace: ns}, spec: {baseImage: quay.io/prometheus/prometheus}}\n---\n";
        let service = service(
            "prometheus-k8s",
            "prometheus: k8s",
            "ports: [{name: web, port: 9090}], selector: {app: prometheus, prometheus: k8s}",
        );
        warned(code, &[("a.yaml", &(operator + server + &service))]).len()
    };
    for code in ["PG125", "PG304"] {
        assert_eq!(told(code, "v0.85.0"), 1, "{code}");
        assert_eq!(told(code, "main"), 1, "{code}");
        assert_eq!(told(code, "v0.40.0"), 0, "{code}");
        assert_eq!(told(code, "v0.29.0"), 0, "{code}");
    }
}

#[test]
fn pods_in_a_template_and_those_of_another_service_are_not_almost_meant() {
    let told = |selector: &str, pods: &str, more: &str, template: &str| {
        let ports = "ports: [{name: web, port: 80}]";
        let text = monitor("ServiceMonitor", "app: cart", "[{port: web}]")
            + &service(
                "cart",
                "app: cart",
                &format!("{ports}, selector: {{{selector}}}"),
            )
            + &deployment("d", pods, "web")
            + more;
        let template = format!(
            "kind: Deployment\nmetadata:\n  namespace: {{{{ .Namespace }}}}\n  {{{{- if .x }}}}\n  labels: {{{template}}}\n"
        );
        warned("PG125", &[("a.yaml", &text), ("t/d.yaml", &template)]).len()
    };
    assert_eq!(told("app: cart", "app: carts", "", "a: b"), 1);
    assert_eq!(told("app: cart", "app: carts", "", "app: shop-cart"), 1);
    assert_eq!(told("app: cart", "app: carts", "", "app: cart"), 0);
    assert_eq!(told("app: cart", "app: carts", "", "app: \"cart\""), 0);
    let other = |name: &str| {
        service(
            name,
            "x: z",
            "ports: [{name: web, port: 80}], selector: {app: carts}",
        )
    };
    assert_eq!(told("app: cart", "app: carts", &other("carts"), "a: b"), 0);
    assert_eq!(told("app: cart", "app: carts", &other("else"), "a: b"), 1);
    assert_eq!(told("app: crat", "app: cart", &other("carts"), "a: b"), 1);
}
