//! `promgen simulate`: its figures, what it says against hostile input, and its report.

use std::fmt::Write as _;

use promgen::simulate::{
    CandidateCount, Recommendation, Scenario, Setup, Simulation, Targets, Weights, simulate,
};
use promgen::{Input, Options, Project};
use promgen_compile::sharding::reshard::Reshard;

use crate::support::{compile, promgen};

fn manifest(shards: u32, strategy: &str) -> String {
    format!(
        "apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: {{name: main}}
spec: {{shards: {shards}, podMonitorSelector: {{}}, {strategy}}}
---
apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata: {{name: all}}
spec: {{selector: {{}}, podMetricsEndpoints: [{{}}]}}
"
    )
}

/// The manifests, compiled as they are, and with each of these numbers.
fn simulated(manifests: &str, numbers: &[u32], targets: Targets<'_>) -> Simulation {
    let inputs = [Input::new("p.yaml", manifests)];
    let reshards = |_: &_| {
        numbers
            .iter()
            .map(|shards| Reshard {
                shards: *shards,
                zones: None,
            })
            .collect()
    };
    let model = Project::read(&inputs, &Options::default()).model_with_targets();
    let mut compiled = model.reshards(reshards, |workload| Scenario::from(workload));
    let output = model.output();
    let candidates: Vec<_> = numbers
        .iter()
        .zip(compiled.remove(0))
        .map(|(n, scenario)| CandidateCount {
            n_shards: *n,
            scenario,
        })
        .collect();
    let present = Scenario::from(&*output.workloads[0]);
    let setup = Setup {
        present: &present,
        candidates: &candidates,
        targets,
        weights: &Weights::default(),
    };
    simulate(&setup, &|_, _| {})
}

/// Made-up targets of a simulation.
const N: usize = 6_000;

fn made_up(manifests: &str, numbers: &[u32], zones: &[&str]) -> Simulation {
    let zones: Vec<_> = zones.iter().map(|zone| (*zone).to_owned()).collect();
    simulated(
        manifests,
        numbers,
        Targets::MadeUp {
            n: N,
            zones: &zones,
            seed: 7,
        },
    )
}

/// The share of hashes that give another rest. Both rests repeat after the least common multiple.
fn expected_share(from: u64, to: u64) -> f64 {
    let moved = (0..from * to)
        .filter(|hash| hash % from != hash % to)
        .count();
    moved as f64 / (from * to) as f64
}

#[test]
fn targets_move_as_often_as_rests_differ() {
    let numbers: Vec<u32> = (1..=8).collect();
    for from in [3, 4] {
        let simulation = made_up(&manifest(from, ""), &numbers, &[]);
        let mut before = from;
        for step in &simulation.steps {
            let figures = step.figures.as_ref().unwrap();
            for (from, moves) in [
                (from, &figures.from_present),
                (before, &figures.from_previous),
            ] {
                let share = moves.moved.share(simulation.all);
                let expected = expected_share(from.into(), step.n_shards.into());
                assert!(
                    (share - expected).abs() < 0.02,
                    "{from} to {}: {share}, expected {expected}",
                    step.n_shards
                );
                assert!(from != step.n_shards || moves.moved.targets == 0);
            }
            before = step.n_shards;
            assert_eq!(
                figures
                    .shards
                    .iter()
                    .map(|load| load.amount.targets)
                    .sum::<u64>(),
                N as u64
            );
            assert_eq!((figures.uncovered.targets, figures.doubled.targets), (0, 0));
        }
    }
}

#[test]
fn a_variant_is_the_workload_that_its_author_would_have_written() {
    let zones: Vec<String> = ["a", "b", "c"].map(str::to_owned).into();
    let written = manifest(
        6,
        "shardingStrategy: {mode: Topology, topology: {values: [a, b, c]}}",
    );
    let output = compile(&[Input::new("p.yaml", written)], &Options::default());
    let inputs = [Input::new("p.yaml", manifest(2, ""))];
    let reshard = |_: &_| {
        vec![Reshard {
            shards: 6,
            zones: Some(zones.clone()),
        }]
    };
    let keep = |workload: &promgen_compile::output::Workload| {
        (
            workload.config.clone(),
            workload.plan.clone(),
            workload.objects.len(),
        )
    };
    let compiled = Project::read(&inputs, &Options::default())
        .model_with_targets()
        .reshards(reshard, keep);
    let workload = &output.workloads[0];
    let text = |config: &Option<promgen_compile::output::Config>| {
        config.as_ref().map(|config| config.text().to_owned())
    };
    let (config, plan, n_objects) = compiled[0][0].as_ref().unwrap();
    assert_eq!(text(config), text(&workload.config));
    assert_eq!((plan, *n_objects), (&workload.plan, workload.objects.len()));
}

#[test]
fn zones_idle_double_and_are_refused_as_planned() {
    let operator = made_up(
        &manifest(
            6,
            "shardingStrategy: {mode: Topology, topology: {values: [a, b, c]}}",
        ),
        &[2, 3, 6, 7, 9],
        &["a", "b", "c"],
    );
    let verdicts: Vec<_> = operator
        .steps
        .iter()
        .map(|step| step.verdict.clone())
        .collect();
    assert!(
        matches!(&verdicts[0], Recommendation::Refused(why) if why.contains("2 shards cannot cover 3 zones"))
    );
    assert_eq!(
        verdicts[1..],
        [
            Recommendation::Possible,
            Recommendation::Same,
            Recommendation::Idles(vec![6]),
            Recommendation::Possible
        ]
    );
    assert_eq!(operator.least_movement, Some(1));
    let crossed: Vec<_> = operator
        .steps
        .iter()
        .filter_map(|s| s.figures.as_ref())
        .map(|f| f.from_present.crossed.unwrap().targets)
        .collect();
    assert_eq!(crossed, [0, 0, 0, 0], "targets stay in their zone");
    let proposal = made_up(
        &manifest(6, "shardingStrategy: {mode: topology, topology: [a, b, c]}"),
        &[7],
        &["a", "b", "c", "elsewhere"],
    );
    assert_eq!(
        proposal.steps[0].verdict,
        Recommendation::Doubles(vec![vec![0, 6]])
    );
    let figures = proposal.steps[0].figures.as_ref().unwrap();
    assert!(figures.doubled.targets > 600 && figures.uncovered == proposal.present.uncovered);
}

#[test]
fn fewer_targets_than_shards_and_none() {
    let manifests = manifest(4, "");
    let none = simulated(&manifests, &[4, 5], Targets::Given(&[]));
    assert_eq!((none.all.targets, none.least_movement), (0, None));
    let one = simulated(
        &manifests,
        &[4, 5],
        Targets::MadeUp {
            n: 1,
            zones: &[],
            seed: 0,
        },
    );
    assert_eq!(one.steps[1].figures.as_ref().unwrap().spread.n_empty, 4);
}

#[test]
fn the_outcome_does_not_depend_on_the_cores() {
    let run = || made_up(&manifest(3, ""), &[4, 8], &[]);
    let alone = rayon_of_one(run);
    assert_eq!(alone, run());
}

fn rayon_of_one<T: Send>(run: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .unwrap()
        .install(run)
}

fn file(folder: &tempfile::TempDir, name: &str, text: &str) -> String {
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn weights_come_from_an_answer_of_prometheus() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, "p.yaml", &manifest(2, ""));
    let targets = file(
        &folder,
        "targets.yaml",
        "- targets: ['a:1', 'b:1', 'c:1', 'd:1']\n- targets: ['e:1']\n  labels: {job: x}\n",
    );
    let mut result = String::new();
    for (address, weight) in [("a:1", "900"), ("b:1", "100"), ("c:1", "5.5")] {
        let comma = if result.is_empty() { "" } else { ", " };
        write!(
            result,
            "{comma}{{\"metric\": {{\"instance\": \"{address}\"}}, \"value\": [0, \"{weight}\"]}}"
        )
        .unwrap();
    }
    let answer = format!(
        "{{\"status\": \"success\", \"data\": {{\"resultType\": \"vector\", \"result\": [{result}]}}}}"
    );
    let weights = file(&folder, "weights.json", &answer);
    let args = [
        "simulate",
        &path,
        "--shards",
        "3",
        "--targets",
        &targets,
        "--weights",
        &weights,
        "--format",
        "json",
    ];
    let ran = promgen(&args);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let value: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    // 900 + 100 + 5.5, and for the two others the mean: 335.166.
    assert_eq!(value["workloads"][0]["weight"].as_f64(), Some(1675.832));
    assert_eq!(value["workloads"][0]["withoutWeight"], 2);
    assert!(
        ran.stderr
            .contains("2 of 5 targets have no weight; the mean is used"),
        "{}",
        ran.stderr
    );
    let broken = file(&folder, "broken.json", "{}");
    let ran = promgen(&["simulate", &path, "--shards", "3", "--weights", &broken]);
    assert_eq!(
        (ran.code, ran.stderr.contains("cannot read weights from")),
        (2, true),
        "{}",
        ran.stderr
    );
}

#[test]
#[expect(clippy::too_many_lines, reason = "a flat table")]
fn what_makes_no_sense_is_told_with_its_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    let prometheus = file(&folder, "p.yaml", &manifest(3, ""));
    let agent = file(
        &folder,
        "agent.yaml",
        "apiVersion: monitoring.coreos.com/v1alpha1\nkind: PrometheusAgent\nmetadata: {name: edge}\nspec: {mode: \
         DaemonSet}\n---\napiVersion: monitoring.coreos.com/v1\nkind: Alertmanager\nmetadata: {name: am}\nspec: \
         {replicas: 1}\n",
    );
    let gate = "--feature-gates=PrometheusAgentDaemonSet=true";
    for (args, code, expected) in [
        (
            &[&*prometheus, "--shards", "8..4"][..],
            2,
            "8..4 is in reverse order: expected 4..8",
        ),
        (
            &[&prometheus, "--shards", "0"],
            2,
            "the minimum is one shard",
        ),
        (
            &[&prometheus, "--shards", "1..5000"],
            2,
            "5000 shards exceed the maximum of 1000",
        ),
        (
            &[&prometheus, "--shards", "1..100"],
            2,
            "100 numbers exceed the maximum of 64",
        ),
        (&[&prometheus, "--shards", "x"], 2, "`x` is not a number"),
        (&[&prometheus], 0, "no targets discovered"),
        (
            &[&prometheus, "--shards", "2", "--zones", "a,,b"],
            2,
            "a zone is empty",
        ),
        (
            &[&prometheus, "--shards", "2", "--seed", "1"],
            2,
            "--random",
        ),
        (
            &[
                &prometheus,
                "--shards",
                "2",
                "--targets",
                "-",
                "--weights",
                "-",
            ],
            2,
            "use `-` only once",
        ),
        (
            &[&prometheus, "--shards", "2,3", "--zones", "a,b,c,d"],
            1,
            "",
        ),
        (&[&prometheus, "--shards", "2,4", "--zones", "a,a,b"], 0, ""),
        (&[&prometheus, "--shards", "4"], 0, "no targets discovered"),
        (
            &[&prometheus, "--shards", "4", "--workload", "Prometheus/a/b"],
            2,
            "existing ones:\n  Prometheus/default/main",
        ),
        (
            &[&agent, gate, "--shards", "4"],
            0,
            "PrometheusAgent/default/edge: skipped: it runs as a DaemonSet",
        ),
        (&[&agent, gate, "--shards", "4"], 0, "nothing to simulate"),
        (
            &[
                &agent,
                gate,
                "--shards",
                "4",
                "--workload",
                "PrometheusAgent/default/edge",
            ],
            2,
            "runs as a DaemonSet",
        ),
        (
            &[
                &agent,
                "--shards",
                "4",
                "--workload",
                "Alertmanager/default/am",
            ],
            2,
            "has no shards",
        ),
    ] {
        let ran = promgen(&[&["simulate"], args].concat());
        assert_eq!(ran.code, code, "{args:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(expected), "{args:?}: {}", ran.stderr);
    }
}

#[test]
fn hostile_names_stay_text_in_the_report() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, "p.yaml", &manifest(2, ""));
    let zone = "</title><script>alert(1)</script>\"'&";
    let weights = file(
        &folder,
        "<img src=x onerror=alert(2)>.yaml",
        "- {labels: {job: a}, weight: 1}\n",
    );
    let args = [
        "simulate",
        &path,
        "--shards",
        "1..3",
        "--random",
        "50",
        "--zones",
        zone,
        "--weights",
        &weights,
        "--format",
        "html",
    ];
    let ran = promgen(&args);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        !ran.stdout.contains("<script") && !ran.stdout.contains("<img"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout
            .contains("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#x27;&amp;"),
        "{}",
        ran.stdout
    );
}

#[test]
fn the_report_needs_nothing_else_and_is_well_formed() {
    let ran = promgen(&[
        "simulate",
        "fixtures/simulate/input",
        "--shards",
        "1..7",
        "--random",
        "500",
        "--format",
        "html",
    ]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let page = &ran.stdout;
    for forbidden in ["http:", "https:", "<script", "@import", "url(", "src="] {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
    check_tags(page);
    let mut ids: Vec<&str> = page
        .split(" id=\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .collect();
    let n_ids = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), n_ids, "ids are there once");
    for list in page
        .split("aria-labelledby=\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
    {
        assert!(
            list.split(' ').all(|id| ids.binary_search(&id).is_ok()),
            "{list}"
        );
    }
}

/// Every tag is closed, by the right one.
fn check_tags(page: &str) {
    const VOID: [&str; 3] = ["meta", "link", "!doctype"];
    let mut open: Vec<&str> = Vec::new();
    for tag in page.split('<').skip(1) {
        let (tag, _) = tag.split_once('>').unwrap();
        let name = tag
            .split(|c: char| c.is_whitespace() || c == '/')
            .find(|name| !name.is_empty())
            .unwrap();
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !tag.ends_with('/') && !VOID.contains(&name) {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn users_replace_the_report() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("report")).unwrap();
    let path = file(&folder, "p.yaml", &manifest(2, ""));
    let run = |template: &str| {
        std::fs::write(folder.path().join("report/simulate.html.j2"), template).unwrap();
        let templates = folder.path().to_str().unwrap();
        promgen(&[
            "simulate",
            &path,
            "--shards",
            "4",
            "--random",
            "99",
            "--format",
            "html",
            "--templates",
            templates,
        ])
    };
    assert_eq!(
        run("{% for r in reports %}{{ r.name }} {{ r.rows | length }}{% endfor %}").stdout,
        "main 2"
    );
    let ran = run("\n{{ nothing }}");
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(
        ran.stderr
            .contains("template report/simulate.html.j2, line 2: undefined value"),
        "{}",
        ran.stderr
    );
    let ran = run("{% for %}");
    assert!(
        ran.code != 0 && ran.stderr.contains("PG030"),
        "{}",
        ran.stderr
    );
}

/// A Prometheus of two shards whose monitor finds three targets, and drops `go_.*`.
const MONITORED: &str = "
{apiVersion: monitoring.coreos.com/v1, kind: Prometheus, metadata: {name: main}, spec: {shards: 2, serviceMonitorSelector: {}}}
---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: {name: api}
spec:
  selector: {}
  endpoints: [{port: web, metricRelabelings: [{sourceLabels: [__name__], regex: 'go_.*', action: drop}]}]
---
{apiVersion: v1, kind: Service, metadata: {name: api}, spec: {selector: {app: api}, ports: [{name: web, port: 80}]}}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: api-1, labels: {kubernetes.io/service-name: api}}
addressType: IPv4
ports: [{name: web, port: 80}]
endpoints: [{addresses: [10.0.0.1]}, {addresses: [10.0.0.2]}, {addresses: [10.0.0.3]}]
";

#[test]
fn series_are_counted_without_what_the_job_drops() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, "p.yaml", MONITORED);
    let metrics = file(
        &folder,
        "api.prom",
        "go_a 1\nrequests_total{code=\"200\"} 4\nrequests_total{code=\"500\"} 4\n",
    );
    let ran = promgen(&["shards", &path, "--metrics", &metrics, "--format", "csv"]);
    let cells = |line: &str| {
        line.split(',')
            .skip(7)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let lines: Vec<_> = ran.stdout.lines().map(cells).collect();
    assert_eq!(
        lines,
        [
            ["targets", "share", "series"],
            ["1", "33.3%", "2"],
            ["2", "66.7%", "4"]
        ],
        "{}",
        ran.stderr
    );

    let ran = promgen(&[
        "simulate",
        &path,
        "--shards",
        "1",
        "--metrics",
        &metrics,
        "--format",
        "csv",
    ]);
    assert!(
        ran.stdout
            .lines()
            .nth(1)
            .is_some_and(|line| line.starts_with("default,Prometheus/main,2,,3,6,4,")),
        "{}",
        ran.stdout
    );

    let names = file(&folder, "names.json", r#"["go_a"]"#);
    let ran = promgen(&["shards", &path, "--metrics", &names]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(
        ran.stderr
            .contains("it has no series with `job` or `instance`"),
        "{}",
        ran.stderr
    );

    let other = file(&folder, "db.prom", "rows 1\n");
    let ran = promgen(&["shards", &path, "--metrics", &metrics, "--metrics", &other]);
    assert!(!ran.stderr.contains("no count of series"), "{}", ran.stderr);
    let ran = promgen(&["shards", &path, "--metrics", &other]);
    assert!(
        ran.stderr
            .contains("3 of 3 targets have no count of series; the mean is used"),
        "{}",
        ran.stderr
    );
}
