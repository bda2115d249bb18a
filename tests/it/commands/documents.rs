//! `--format json` is one document: for every command that has it, whatever its input is.

use std::fs;

use rayon::prelude::*;
use serde_json::Value;

use super::{ALL, GOOD, Line, Place, commands, lines, values};
use promgen::cli::Terminal;

/// An input: its name, and its files with their texts.
type JsonInput = (&'static str, &'static [(&'static str, &'static str)]);

const MONITOR: &str = "apiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata: {name: a, namespace: d}\n\
                       spec: {selector: {}, endpoints: [{port: web}]}\n";

/// An Alertmanager whose only configuration is refused, and a Prometheus that the API server refuses.
const REFUSED: &str = "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {name: p, namespace: d}\n\
                       spec: {replicas: many}\n---\napiVersion: monitoring.coreos.com/v1\nkind: Alertmanager\n\
                       metadata: {name: am, namespace: d}\nspec: {retention: long}\n";

const BASE: (&str, &str) = ("base/kustomization.yaml", "resources: [a.yaml]\n");
const DEV: (&str, &str) = (
    "dev/kustomization.yaml",
    "namespace: dev\nresources: [../base]\n",
);
const PROD: (&str, &str) = (
    "prod/kustomization.yaml",
    "namespace: prod\nresources: [../base]\n",
);

const INPUTS: &[JsonInput] = &[
    (
        "one environment",
        &[
            ("kustomization.yaml", "resources: [a.yaml]\n"),
            ("a.yaml", GOOD),
        ],
    ),
    ("environments", &[BASE, ("base/a.yaml", GOOD), DEV, PROD]),
    (
        "environments with errors",
        &[BASE, ("base/a.yaml", REFUSED), DEV, PROD],
    ),
    (
        "an environment that cannot be built",
        &[
            BASE,
            ("base/a.yaml", GOOD),
            DEV,
            ("prod/kustomization.yaml", "resources: [none.yaml]\n"),
        ],
    ),
    ("nothing", &[]),
    ("no manifest", &[("readme.md", "a\n")]),
    ("no workload", &[("a.yaml", MONITOR)]),
    ("refused workloads", &[("a.yaml", REFUSED)]),
    (
        "a broken file beside others",
        &[("a.yaml", GOOD), ("b.yaml", "a: [\n")],
    ),
    ("only a broken file", &[("b.yaml", "a: [\n  - b: {\n")]),
    (
        "a broken kustomization",
        &[
            ("kustomization.yaml", "resources: [none.yaml]\n"),
            ("a.yaml", GOOD),
        ],
    ),
    (
        "an unreadable kustomization",
        &[("kustomization.yaml", "a: [\n"), ("a.yaml", GOOD)],
    ),
    (
        "a chart",
        &[
            ("Chart.yaml", "apiVersion: v2\nname: a\nversion: 1.0.0\n"),
            ("values.yaml", "a: b\n"),
        ],
    ),
];

/// The lines of all commands with `--format json`. A post-renderer prints its input.
fn asked() -> Vec<Line> {
    let commands = commands(&ALL.1);
    let has_json = |name: &str| {
        let (_, command) = commands
            .iter()
            .find(|(known, _)| known == name)
            .expect("lines have commands");
        let mut options = command
            .get_arguments()
            .filter(|arg| arg.get_long() == Some("format"));
        options.any(|arg| values(arg).iter().any(|value| value == "json")) && name != "post-render"
    };
    // What is written to a file, and a diff, leave another text on standard output.
    let prints_json = |line: &&Line| {
        !line
            .args
            .iter()
            .any(|arg| arg.starts_with("%out") || arg == "--diff")
    };
    // The options of `merge` are those of `lint`.
    let has_json = |line: &&Line| line.row.name == "merge" || has_json(line.row.name);
    let plain = lines()
        .iter()
        .filter(|line| line.is_plain && line.reads())
        .filter(has_json);
    plain
        .filter(prints_json)
        .map(|line| line.with("format", "json"))
        .collect()
}

/// What is wrong with the answers for an input.
fn faults((name, files): &JsonInput, lines: &[Line]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("in")).unwrap();
    for (path, text) in *files {
        let path = folder.path().join("in").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let place = Place::new(folder.path(), "in", GOOD);
    let fault = |line: &Line| {
        let (ran, _) = line.run(&place, Terminal::default());
        let is_refused = ran.code == 2 && ran.stdout.is_empty() && !ran.stderr.is_empty();
        let parsed = serde_json::from_str::<Value>(&ran.stdout);
        let why = parsed.err().filter(|_| !is_refused)?;
        Some(format!(
            "{line} with {name}: exit code {}, {why}: {}{}",
            ran.code, ran.stdout, ran.stderr
        ))
    };
    lines.iter().filter_map(fault).collect()
}

#[test]
fn json_is_one_document_whatever_the_input_is() {
    let lines = asked();
    for name in [
        "lint", "render", "build", "status", "route", "explain", "merge",
    ] {
        assert!(
            lines.iter().any(|line| line.row.name == name),
            "{name} is not asked"
        );
    }
    let faults: Vec<String> = INPUTS
        .par_iter()
        .flat_map(|input| faults(input, &lines))
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
