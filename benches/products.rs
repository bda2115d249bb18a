//! Products: inputs in which two kinds of object multiply. From n to 2n, a product costs at most [`MAX_GROWTH`] times as much.
//!
//! `cargo bench -p promgen-benches -- doubling` measures each at n and 2n, and fails if one grows faster.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use promgen::{Input, Options, Project, lint};

/// The most that twice the input may cost.
const MAX_GROWTH: f64 = 2.4;

/// The measurements of which the fastest counts.
const RUNS: usize = 5;

const GROUP: &str = "apiVersion: monitoring.coreos.com/v1\nkind: ";

/// A product: its name, its size at n, and the files of a size.
type Product = (&'static str, usize, fn(usize) -> Vec<Input>);

const PRODUCTS: &[Product] = &[
    ("deployments of a folder × its objects", 150, deployments),
    ("environments × objects × findings", 100, environments),
    (
        "selectors of namespaces × namespaces × monitors",
        1000,
        namespaces,
    ),
    ("workloads × monitors", 1000, workloads),
    ("patterns on names × recorded series", 2000, patterns),
    (
        "unknown fields × fields of the kind",
        20_000,
        unknown_fields,
    ),
    ("Services × pods", 1500, services),
    ("jobs × rules × panels", 1500, readers),
    ("alerts × routes × inhibit rules", 1000, routes),
    ("network policies × pods × ports", 500, policies),
];

/// The documents of numbers, behind others.
fn many(first: &str, n: usize, one: impl Fn(usize) -> String) -> String {
    (0..n).fold(first.to_owned(), |text, i| text + "---\n" + &one(i))
}

fn server(name: &str, spec: &str) -> String {
    format!(
        "{GROUP}Prometheus\nmetadata: {{name: {name}, namespace: d}}\nspec: {{serviceMonitorSelector: {{}}{spec}}}\n"
    )
}

fn monitor(i: usize, namespace: &str, spec: &str) -> String {
    format!(
        "{GROUP}ServiceMonitor\nmetadata: {{name: m{i}{namespace}}}\nspec: {{selector: {{}}, endpoints: [{{port: web}}]{spec}}}\n"
    )
}

fn rules(n: usize, one: impl Fn(usize) -> String) -> String {
    let head = format!(
        "---\n{GROUP}PrometheusRule\nmetadata: {{name: r, namespace: d}}\nspec:\n  groups:\n  - name: g\n    rules:\n"
    );
    (0..n).fold(head, |text, i| format!("{text}    - {{{}}}\n", one(i)))
}

fn deployments(n: usize) -> Vec<Input> {
    let application = |i| {
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: a{i}}}\n\
             spec: {{source: {{repoURL: x, path: m}}, destination: {{namespace: n{i}}}}}\n"
        )
    };
    let server = server("p", "").replace(", namespace: d", "");
    vec![
        Input::new("a.yaml", many("", n, application)),
        Input::new("m/m.yaml", many(&server, n, |i| monitor(i, "", ""))),
    ]
}

fn environments(n: usize) -> Vec<Input> {
    let base = many(&server("p", ""), 4 * n, |i| {
        monitor(i, ", namespace: d", &format!(", bogus{i}: 1"))
    });
    let mut files = vec![
        Input::new("base/kustomization.yaml", "resources: [a.yaml]\n"),
        Input::new("base/a.yaml", base),
    ];
    let overlay = |i| {
        Input::new(
            format!("e{i}/kustomization.yaml"),
            format!("namespace: e{i}\nresources: [../base]\n"),
        )
    };
    files.extend((0..n).map(overlay));
    files
}

fn namespaces(n: usize) -> Vec<Input> {
    let wide = |i| format!(", serviceMonitorNamespaceSelector: {{matchLabels: {{t: x{i}}}}}");
    let servers = many("", n / 2, |i| server(&format!("p{i}"), &wide(i)));
    let namespace = |i| {
        format!("apiVersion: v1\nkind: Namespace\nmetadata: {{name: n{i}, labels: {{t: x{i}}}}}\n")
    };
    let all = many(&servers, n, namespace);
    vec![Input::new(
        "a.yaml",
        many(&all, n, |i| monitor(i, &format!(", namespace: n{i}"), "")),
    )]
}

fn workloads(n: usize) -> Vec<Input> {
    let servers = many("", n / 4, |i| server(&format!("p{i}"), ""));
    vec![Input::new(
        "a.yaml",
        many(&servers, n, |i| monitor(i, ", namespace: d", "")),
    )]
}

fn patterns(n: usize) -> Vec<Input> {
    let of = |i: usize| format!("record: 'a:b{i}', expr: 'sum({{__name__=~\"(a|m)+et.*{i}\"}})'");
    let server = server("p", ", ruleSelector: {}") + "---\n" + &monitor(0, ", namespace: d", "");
    vec![Input::new("a.yaml", server + &rules(n, of))]
}

fn unknown_fields(n: usize) -> Vec<Input> {
    let fields = (0..n).fold(String::new(), |text, i| format!("{text}k{i}: 1\n"));
    vec![Input::new("a.yaml", server("p", "") + &fields)]
}

fn services(n: usize) -> Vec<Input> {
    let both = |i| {
        format!(
            "apiVersion: v1\nkind: Service\nmetadata: {{name: s{i}, namespace: d}}\nspec: {{selector: {{n: '{i}'}}, ports: [{{name: web, port: 80}}]}}\n\
             ---\napiVersion: v1\nkind: Pod\nmetadata: {{name: p{i}, namespace: d, labels: {{n: '{i}'}}}}\n\
             spec: {{containers: [{{name: c, ports: [{{name: web, containerPort: 80}}]}}]}}\nstatus: {{podIP: 10.0.0.1, phase: Running}}\n"
        )
    };
    let all = many(&server("p", ""), n, both);
    vec![Input::new(
        "a.yaml",
        many(&all, n, |i| monitor(i, ", namespace: d", "")),
    )]
}

fn readers(n: usize) -> Vec<Input> {
    let all = many(&server("p", ", ruleSelector: {}"), n / 4, |i| {
        monitor(i, ", namespace: d", "")
    });
    let panels = (0..n).fold(String::new(), |text, i| {
        format!("{text}{{\"type\": \"graph\", \"targets\": [{{\"expr\": \"a:b{i}\"}}]}},")
    });
    let board = format!(
        "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: b, namespace: d, labels: {{grafana_dashboard: '1'}}}}\n\
         data:\n  d.json: |\n    {{\"title\": \"t\", \"panels\": [{panels}{{\"type\": \"row\", \"title\": \"z\"}}]}}\n"
    );
    vec![Input::new(
        "a.yaml",
        all + &rules(n, |i| format!("record: 'a:b{i}', expr: 'sum(met{i})'")) + &board,
    )]
}

fn routes(n: usize) -> Vec<Input> {
    let list = |one: &dyn Fn(usize) -> String| (0..n).map(one).collect::<Vec<_>>().join(", ");
    let routes = list(&|i| {
        format!("{{receiver: r, continue: true, matchers: [{{name: severity, value: s{i}}}]}}")
    });
    let inhibit = list(&|i| {
        format!(
            "{{sourceMatch: [{{name: severity, value: s{i}}}], targetMatch: [{{name: severity, value: t{i}}}], equal: [a]}}"
        )
    });
    let text = format!(
        "{GROUP}Alertmanager\nmetadata: {{name: am, namespace: d}}\nspec: {{alertmanagerConfigSelector: {{}}}}\n---\n\
         apiVersion: monitoring.coreos.com/v1alpha1\nkind: AlertmanagerConfig\nmetadata: {{name: c, namespace: d}}\n\
         spec: {{receivers: [{{name: r}}], route: {{receiver: r, routes: [{routes}]}}, inhibitRules: [{inhibit}]}}\n"
    );
    vec![Input::new(
        "a.yaml",
        text + &rules(n, |i| {
            format!("alert: A{i}, expr: up, labels: {{severity: s{i}}}")
        }),
    )]
}

fn policies(n: usize) -> Vec<Input> {
    let policy = |i| {
        format!(
            "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {{name: n{i}, namespace: d}}\n\
             spec: {{podSelector: {{matchExpressions: [{{key: n, operator: NotIn, values: [x{i}]}}]}}, policyTypes: [Ingress], \
             ingress: [{{from: [{{podSelector: {{matchLabels: {{a: b{i}}}}}}}], ports: [{{port: 81}}]}}]}}\n"
        )
    };
    let mut files = services(n);
    files.push(Input::new("p.yaml", many("", n, policy)));
    files
}

#[expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
fn fastest(inputs: &[Input]) -> Duration {
    let options = Options {
        is_repository: true,
        ..Options::default()
    };
    let run = || {
        let start = Instant::now();
        divan::black_box(
            lint(&Project::read(divan::black_box(inputs), &options))
                .diagnostics
                .len(),
        );
        start.elapsed()
    };
    (0..RUNS).map(|_| run()).min().unwrap_or_default()
}

/// Measures each product at n and 2n.
#[expect(clippy::print_stdout, reason = "it is what the user asks for")]
pub(crate) fn doubling() -> ExitCode {
    let mut is_bounded = true;
    for (name, n, files) in PRODUCTS {
        let (half, whole) = (fastest(&files(*n)), fastest(&files(2 * n)));
        let growth = whole.as_secs_f64() / half.as_secs_f64();
        is_bounded &= growth <= MAX_GROWTH;
        println!("{name:<50} {half:>10.1?} {whole:>10.1?} {growth:>5.1}");
    }
    if is_bounded {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
