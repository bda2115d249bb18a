//! Limits: each row of the table is kept at its value and reported one below, and small inputs that ask for much are bounded.

use std::fs;
use std::path::Path;

use promgen::Project;
use promgen::compare::compare;
use promgen::{Input, Options, Output};
use promgen_checks::config::ConfigFile;
use promgen_checks::rules;
use promgen_text::limits::{LIMIT_EXCEEDED, Limit, Limits};
use promgen_text::source::FileId;

use crate::commands::{Place, lines};
use crate::support::{discover, promgen};

const SERVER: &str = "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {name: main, namespace: d}\n\
                      spec: {shards: 3, serviceMonitorSelector: {}, podMonitorSelector: {}, ruleSelector: {}}\n";

const MONITOR: &str = "---\napiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata: {name: NAME, namespace: d}\n\
                       spec: {selector: {}, endpoints: [{port: a}]}\n";

const POD: &str = "---\napiVersion: v1\nkind: Pod\nmetadata: {name: NAME, namespace: d}\n\
                   spec: {containers: [{name: a, image: x, ports: [{name: a, containerPort: 80}]}]}\n\
                   status: {podIP: 10.0.0.1, phase: Running}\n";

const POD_MONITOR: &str = "---\napiVersion: monitoring.coreos.com/v1\nkind: PodMonitor\nmetadata: {name: a, namespace: d}\n\
                           spec: {selector: {}, podMetricsEndpoints: [{port: a}]}\n";

const ALERTING: &str = "apiVersion: monitoring.coreos.com/v1\nkind: Alertmanager\nmetadata: {name: a, namespace: d}\n\
                        spec: {alertmanagerConfigSelector: {}}\n---\n\
                        apiVersion: monitoring.coreos.com/v1alpha1\nkind: AlertmanagerConfig\n\
                        metadata: {name: x, namespace: d}\nspec:\n  route: {receiver: r, routes: [{receiver: r}]}\n  \
                        receivers: [{name: r}]\n---\n\
                        apiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata: {name: r, namespace: d}\n\
                        spec: {groups: [{name: g, rules: [{alert: A, expr: up}, {alert: B, expr: up}]}]}\n";

const RELABELING: &str = "relabel_configs: [{action: replace, target_label: a, replacement: b}]\n  labels: {c: d}\n  \
                          expect: {labels: {a: b, c: d}}";

/// Inputs from names and texts.
fn inputs(files: &[(&str, String)]) -> Vec<Input> {
    files
        .iter()
        .map(|(name, text)| Input::new(*name, text.as_str()))
        .collect()
}

/// `count` copies of a text, each with a name of its own.
fn many(text: &str, count: usize) -> String {
    (0..count)
        .map(|i| text.replace("NAME", &format!("n{i}")))
        .collect()
}

/// Two overlays of one base, with a bit of everything that a kustomization does.
fn overlays() -> Vec<Input> {
    let overlay = |side: &str| {
        format!(
            "resources: [../base]\nnamePrefix: {side}-\nnameSuffix: -s\ncommonLabels: {{a: b}}\n\
             images: [{{name: x, newTag: '1'}}]\npatches:\n- target: {{kind: Pod}}\n  \
             patch: '[{{\"op\": \"copy\", \"from\": \"/spec\", \"path\": \"/status/was\"}}]'\n\
             replacements:\n- source: {{kind: Pod, name: n0, fieldPath: metadata.name}}\n  \
             targets: [{{select: {{kind: Pod}}, fieldPaths: [status.podIP], options: {{delimiter: .}}}}]\n\
             configMapGenerator: [{{name: g, literals: [a=b]}}]\n"
        )
    };
    inputs(&[
        ("a/kustomization.yaml", overlay("a")),
        ("b/kustomization.yaml", overlay("b")),
        (
            "base/kustomization.yaml",
            "resources: [../deep]\n".to_owned(),
        ),
        (
            "deep/kustomization.yaml",
            "resources: [pods.yaml]\n".to_owned(),
        ),
        ("deep/pods.yaml", SERVER.to_owned() + &many(POD, 5)),
    ])
}

fn lint(inputs: &[Input], limits: Limits) -> Output {
    crate::support::lint(
        inputs,
        &Options {
            limits,
            ..Options::default()
        },
    )
}

fn is_reported(output: &Output, code: &str) -> bool {
    output
        .diagnostics
        .iter()
        .any(|found| found.rule.code == code)
}

/// Returns whether an input of a limit stays within it, if it has that value. What exceeds it is reported with its
/// code.
#[expect(clippy::too_many_lines, reason = "a flat table")]
fn is_within(limit: Limit, value: u64) -> bool {
    let limits = Limits::default().with(limit, value);
    let code = limit.row().code;
    match limit {
        Limit::BuildBytes
        | Limit::AllBuildBytes
        | Limit::BuildSteps
        | Limit::BuildObjects
        | Limit::Kustomizations => !is_reported(&lint(&overlays(), limits), code),
        Limit::CompiledBytes => {
            let servers =
                [SERVER.replace("main", "m0"), SERVER.replace("main", "m1")].join("---\n");
            !is_reported(
                &lint(&inputs(&[("a.yaml", servers + &many(MONITOR, 9))]), limits),
                code,
            )
        }
        Limit::RouteSteps => {
            let folder = tempfile::tempdir().unwrap();
            fs::write(folder.path().join("a.yaml"), ALERTING).unwrap();
            let path = folder.path().to_str().unwrap();
            let ran = promgen(&[
                "route",
                "--all-alerts",
                path,
                "--raise-limit",
                &format!("route-steps={value}"),
            ]);
            assert!(
                ran.code == 0 || ran.stderr.contains("error[PG007]"),
                "{}",
                ran.stderr
            );
            ran.code == 0
        }
        Limit::PolicySteps => {
            let policy = "policies:\n- {name: a, match: {kind: Prometheus}, require: 'size([1, 2, 3]) == 3'}\n";
            let files = [
                ("a.yaml", SERVER.to_owned()),
                ("a.policy.yaml", policy.to_owned()),
            ];
            !is_reported(&lint(&inputs(&files), limits), code)
        }
        Limit::AllShards => {
            let servers =
                [SERVER.replace("main", "m0"), SERVER.replace("main", "m1")].join("---\n");
            !is_reported(&lint(&inputs(&[("a.yaml", servers)]), limits), code)
        }
        Limit::EnvironmentObjects => {
            let environments = [
                ("a/p.yaml", SERVER.to_owned()),
                ("b/p.yaml", SERVER.replace("shards: 3", "shards: 4")),
            ];
            !is_reported(&lint(&inputs(&environments), limits), code)
        }
        Limit::CheckedBytes => {
            // A few are checked at the same time.
            let environments: Vec<_> = (1..=9)
                .map(|n| SERVER.replace("shards: 3", &format!("shards: {n}")))
                .collect();
            let names: Vec<_> = (1..=9).map(|n| format!("e{n}/p.yaml")).collect();
            let files: Vec<_> = names.iter().map(String::as_str).zip(environments).collect();
            !is_reported(&lint(&inputs(&files), limits), code)
        }
        Limit::TargetSteps => {
            let base = inputs(&[("a.yaml", SERVER.to_owned() + POD_MONITOR + &many(POD, 9))]);
            let head = inputs(&[(
                "a.yaml",
                SERVER.replace("shards: 3", "shards: 4") + POD_MONITOR + &many(POD, 9),
            )]);
            let options = Options {
                limits,
                ..Options::default()
            };
            let side = |inputs: &[Input]| Project::read_side(inputs, &options).model();
            // A comparison has two sides.
            let half = Options {
                limits: limits.with(limit, limits.get(limit) / 2),
                ..Options::default()
            };
            let (output, discovery) = discover(&base, &half);
            let is_within = compare(&side(&base), &side(&head)).exceeded.is_empty();
            assert_eq!(is_within, !is_reported(&output, code));
            assert_eq!(is_within, !discovery.is_empty());
            is_within
        }
        Limit::TestedBytes => {
            let folder = tempfile::tempdir().unwrap();
            let suite = |namespace: &str| {
                format!(
                    "manifests: [m.yaml]\nnamespace: {namespace}\ntests:\n- name: t\n  {RELABELING}\n"
                )
            };
            let files = [
                ("a.yaml", suite("a")),
                ("b.yaml", suite("b")),
                ("m.yaml", SERVER.to_owned()),
            ];
            written(&files, folder.path());
            let paths = ["a.yaml", "b.yaml"]
                .map(|name| folder.path().join(name).to_str().unwrap().to_owned());
            let ran = promgen(&[
                "test",
                &paths[0],
                &paths[1],
                "--raise-limit",
                &format!("tested-bytes={value}"),
            ]);
            assert!(
                ran.code == 0 || ran.stderr.contains("error[PG007]"),
                "{}",
                ran.stderr
            );
            ran.code == 0
        }
        Limit::GlobBytes => {
            let faults = ConfigFile::parse(
                FileId::new(0),
                "exclude: [vendor, out]\n",
                &rules::all(),
                &limits,
            );
            faults.is_ok()
        }
        Limit::IgnoreBytes => {
            let folder = tempfile::tempdir().unwrap();
            fs::create_dir(folder.path().join(".git")).unwrap();
            fs::write(folder.path().join(".gitignore"), "out\nvendor\n").unwrap();
            fs::write(folder.path().join("a.yaml"), SERVER).unwrap();
            let path = folder.path().to_str().unwrap();
            let ran = promgen(&[
                "lint",
                path,
                "--raise-limit",
                &format!("ignore-bytes={value}"),
            ]);
            assert!(
                ran.code == 0 || ran.code == 2 && ran.stderr.contains("`ignore-bytes`"),
                "{}",
                ran.stderr
            );
            ran.code == 0
        }
        // `helm_charts` has a program in the place of Helm, and `programs` of others.
        _ => unreachable!("they limit another program"),
    }
}

/// The limits of what promgen itself does.
fn own_limits() -> impl Iterator<Item = Limit> {
    let of_program = |limit: &Limit| {
        let programs = ["helm", "git", "promtool", "revision"];
        programs
            .iter()
            .any(|program| limit.row().name.split('-').any(|part| part == *program))
    };
    Limit::ALL
        .iter()
        .copied()
        .filter(move |limit| !of_program(limit))
}

/// The least value of a limit that its input stays within.
fn least(limit: Limit) -> u64 {
    let (mut below, mut within) = (0, limit.row().default);
    while within - below > 1 {
        let middle = below + (within - below) / 2;
        if is_within(limit, middle) {
            within = middle
        } else {
            below = middle
        }
    }
    within
}

#[test]
fn each_limit_is_kept_at_its_value_and_reported_beyond() {
    for limit in own_limits() {
        assert!(is_within(limit, limit.row().default), "{limit}");
        let least = least(limit);
        assert!(
            least > 1 && is_within(limit, least) && !is_within(limit, least - 1),
            "{limit}: {least}"
        );
    }
}

#[test]
fn counts_are_exact() {
    // Per overlay: the server, five pods, and a ConfigMap.
    assert_eq!(
        (least(Limit::BuildObjects), least(Limit::Kustomizations)),
        (6, 2)
    );
    assert_eq!(
        (
            least(Limit::AllShards),
            least(Limit::GlobBytes),
            least(Limit::IgnoreBytes)
        ),
        (6, 9, 11)
    );
    // Two alerts times three routes.
    assert_eq!(least(Limit::RouteSteps), 6);
    // Nine pods on both sides.
    assert_eq!(least(Limit::TargetSteps), 18);
}

/// Two deployments of a folder are the folder twice; files of tests that name the same manifests compile them once.
#[test]
fn products_are_counted_before_they_are_built() {
    let application = |n: usize| {
        format!(
            "---\napiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: a{n}}}\n\
             spec: {{source: {{repoURL: x, path: m}}, destination: {{namespace: n{n}}}}}\n"
        )
    };
    let applications: String = (0..10).map(application).collect();
    let files = inputs(&[
        ("a.yaml", applications),
        (
            "m/m.yaml",
            many(MONITOR.trim_start_matches("---\n"), 1).replace(", namespace: d", "")
                + &many(MONITOR, 4).replace(", namespace: d", ""),
        ),
    ]);
    let found = |limit: u64| {
        let output = lint(
            &files,
            Limits::default().with(Limit::EnvironmentObjects, limit),
        );
        let found = output
            .diagnostics
            .into_iter()
            .find(|found| *found.rule == LIMIT_EXCEEDED);
        found.map(|found| found.help.join("\n"))
    };
    assert_eq!(found(100), None);
    assert!(
        found(20).unwrap().contains("5 deployments omitted"),
        "{:?}",
        found(20)
    );
}

/// Nobody wrote the kustomization that Flux makes of a folder: the finding is at what applies it.
#[test]
fn a_generated_kustomization_that_exceeds_a_limit_has_a_place() {
    let flux = |n: usize| {
        format!(
            "---\napiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: f{n}, namespace: flux}}\n\
             spec: {{path: ./m, targetNamespace: n{n}, sourceRef: {{kind: GitRepository, name: f}}}}\n"
        )
    };
    let files = inputs(&[
        ("a.yaml", (0..10).map(flux).collect()),
        ("m/m.yaml", SERVER.to_owned() + &many(MONITOR, 4)),
    ]);
    let output = lint(
        &files,
        Limits::default().with(Limit::EnvironmentObjects, 20),
    );
    let found = output
        .diagnostics
        .iter()
        .find(|found| *found.rule == LIMIT_EXCEEDED)
        .unwrap();
    assert_eq!(
        found
            .span
            .map(|span| output.sources.file(span.file).name.as_str()),
        Some("a.yaml"),
        "{found:?}"
    );
}

/// On a small scale: as many monitors of as many environments as the share of the limit is.
#[test]
fn a_hundred_clusters_of_a_thousand_monitors_fit_the_limit() {
    let (n_clusters, n_monitors) = (8, 200);
    let base = SERVER.replace("shards: 3", "shards: 9") + &many(MONITOR, n_monitors);
    let mut files = vec![
        (
            "base/kustomization.yaml".to_owned(),
            "resources: [a.yaml]\n".to_owned(),
        ),
        ("base/a.yaml".to_owned(), base),
    ];
    let overlay = |n| {
        (
            format!("c{n}/kustomization.yaml"),
            format!("resources: [../base]\nlabels: [{{pairs: {{c: c{n}}}}}]\n"),
        )
    };
    files.extend((0..n_clusters).map(overlay));
    let files: Vec<_> = files
        .iter()
        .map(|(name, text)| (name.as_str(), text.clone()))
        .collect();
    let share = (n_clusters * n_monitors) as u64;
    let limit = Limit::CheckedBytes.row().default * share / 100_000;
    let lint = |limit| {
        lint(
            &inputs(&files),
            Limits::default().with(Limit::CheckedBytes, limit),
        )
    };
    assert!(!is_reported(&lint(limit), "PG007"));
    assert!(is_reported(&lint(limit / 8), "PG007"), "the limit is kept");
}

/// A finding says what exceeds which limit, and what raises it; the rest is still there.
#[test]
fn the_good_parts_of_an_input_remain() {
    let mut files = overlays();
    let patch: String = (0..60)
        .map(|i| format!("    - {{op: copy, from: /spec, path: /spec/more{i}}}\n"))
        .collect();
    let bomb =
        format!("resources: [pod.yaml]\npatches:\n- target: {{kind: Pod}}\n  patch: |-\n{patch}");
    files.push(Input::new("bomb/kustomization.yaml", bomb));
    files.push(Input::new("bomb/pod.yaml", POD.trim_start_matches("---\n")));
    let output = lint(&files, Limits::default());
    let found: Vec<_> = output
        .diagnostics
        .iter()
        .filter(|found| *found.rule == LIMIT_EXCEEDED)
        .collect();
    let [found] = found.as_slice() else {
        panic!("{:?}", output.diagnostics)
    };
    assert!(
        found
            .message
            .starts_with("the kustomization exceeds the limit `build-bytes` of "),
        "{}",
        found.message
    );
    assert!(
        found
            .help
            .iter()
            .any(|help| help.contains("`--raise-limit build-bytes=")),
        "{:?}",
        found.help
    );
    assert!(
        found.help.iter().any(|help| help == "bomb"),
        "{:?}",
        found.help
    );
    assert_eq!(
        output.checked.selecting, 1,
        "the server of the overlays is checked"
    );
}

/// Writes files to a folder.
fn written(files: &[(&str, String)], folder: &Path) {
    for (name, text) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

/// Writes files to a folder, and runs commands on it.
fn ran(files: &[(&str, String)], commands: &[&[&str]]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    written(files, folder.path());
    let path = folder.path().to_str().unwrap();
    let run = |command: &&[&str]| {
        // Far below the default, to save time.
        let limits = [
            "--raise-limit",
            "build-bytes=4MiB",
            "--raise-limit",
            "compiled-bytes=4MiB",
        ];
        let ran = promgen(&[command, &[path][..], &limits].concat());
        assert_eq!(ran.code, 1, "{command:?}: {:.2000}", ran.stderr);
        ran.stdout + &ran.stderr
    };
    commands.iter().map(run).collect()
}

const MESSAGE: &str = "error[PG007]: the kustomization exceeds the limit `build-bytes` of 4 MiB";

/// The number of classes until a command that builds comes again.
const ROUND: usize = 3;

/// What some of the commands that build say of files, after their lines.
fn built(class: usize, files: &[(&str, String)]) -> Vec<(String, String)> {
    let folder = tempfile::tempdir().unwrap();
    written(files, &folder.path().join("in"));
    let place = Place::new(folder.path(), "in", "");
    let builds = lines()
        .iter()
        .filter(|line| line.is_first() && line.names_files() && line.knows("raise-limit"));
    let due = builds
        .enumerate()
        .filter(|(index, _)| index % ROUND == class % ROUND);
    due.map(|(_, line)| {
        (
            line.to_string(),
            line.with("raise-limit", "build-bytes=4MiB").told(&place),
        )
    })
    .collect()
}

/// Small inputs that ask for gigabytes: each class once.
#[test]
fn what_doubles_or_multiplies_is_reported() {
    let config_map = |value: &str| {
        format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c}}\ndata: {{x: {value}}}\n")
    };
    let objects = |count: usize| {
        many(
            "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: NAME}\ndata: {x: y}\n",
            count,
        )
    };
    let with = |kustomization: String, resources: String| {
        vec![
            (
                "kustomization.yaml",
                format!("resources: [c.yaml]\n{kustomization}"),
            ),
            ("c.yaml", resources),
        ]
    };
    let double = "- source: {kind: ConfigMap, name: c, fieldPath: data.x}\n  \
                  targets: [{select: {kind: ConfigMap}, fieldPaths: [data.x], options: {delimiter: '-', index: 9999}}]\n";
    let labels: String = (0..2_000).map(|i| format!("l{i}: v, ")).collect();
    let generators: String = (0..2_000)
        .map(|i| format!("- {{name: c{i}, files: [c.yaml]}}\n"))
        .collect();
    let vars = "vars: [{name: V, objref: {kind: ConfigMap, name: c, apiVersion: v1}, fieldref: {fieldpath: data.x}}]\n\
                configurations: [v.yaml]\n";
    let mut expanded = with(
        vars.to_owned(),
        config_map(
            &format!("{}\n  y: '{}'", "x".repeat(9_000), "$(V)".repeat(9_000)).replace('\n', ","),
        ),
    );
    expanded.push((
        "v.yaml",
        "varReference: [{path: data, kind: ConfigMap}]\n".to_owned(),
    ));
    let classes = [
        with(
            format!("namePrefix: {}\n", "a".repeat(50_000)),
            objects(1_000),
        ),
        with(
            format!("nameSuffix: {}\n", "a".repeat(50_000)),
            objects(1_000),
        ),
        with(format!("commonLabels: {{{labels}}}\n"), objects(1_000)),
        with(format!("commonAnnotations: {{{labels}}}\n"), objects(1_000)),
        with(
            format!("replacements:\n{}", double.repeat(60)),
            config_map("a-b"),
        ),
        with(
            format!("secretGenerator:\n{generators}"),
            config_map(&"x".repeat(100_000)),
        ),
        expanded,
    ];
    for (class, files) in classes.iter().enumerate() {
        for (line, told) in built(class, files) {
            // A comparison has two sides, each with half of the limit, and a page says it in other words.
            assert!(
                told.contains("PG007") && told.contains("build-bytes"),
                "{line}: {told:.2000}"
            );
        }
    }
}

#[test]
fn what_workloads_multiply_is_reported() {
    let relabelings: String = (0..1_000)
        .map(|i| format!("{{targetLabel: a{i}, replacement: b}}, "))
        .collect();
    let class = format!(
        "shards: 3, scrapeClasses: [{{name: c, default: true, relabelings: [{relabelings}]}}]"
    );
    let servers: Vec<String> = (0..300)
        .map(|i| SERVER.replace("main", &format!("m{i}")))
        .collect();
    for manifests in [
        SERVER.replace("shards: 3", &class) + &many(MONITOR, 1_500),
        servers.join("---\n") + &many(MONITOR, 300),
    ] {
        for printed in ran(
            &[("a.yaml", manifests)],
            &[
                &["lint"],
                &["config", "--workload", "Prometheus/d/m0"],
                &["status"],
            ],
        ) {
            assert!(
                printed.contains("error[PG007]: what the workloads compile to exceeds the limit"),
                "{printed:.2000}"
            );
        }
    }
}

#[test]
fn what_flux_substitutes_is_reported() {
    let flux = format!(
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: a}}\n\
         spec: {{path: ./m, postBuild: {{substitute: {{v: {}}}}}}}\n",
        "x".repeat(50_000)
    );
    let labels: String = (0..100)
        .map(|i| format!("a{i}: '{}', ", "${v}".repeat(50)))
        .collect();
    let server = SERVER.replace(
        "shards: 3",
        &format!("shards: 3, externalLabels: {{{labels}}}"),
    );
    for printed in ran(
        &[("f.yaml", flux), ("m/p.yaml", server)],
        &[&["lint"], &["status"]],
    ) {
        assert!(printed.contains(MESSAGE), "{printed:.2000}");
        assert!(!printed.contains("xxx"), "{printed:.2000}");
    }
}
