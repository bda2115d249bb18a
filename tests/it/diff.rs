//! `promgen diff`: what it names is what differs between the rendered trees.
//!
//! Pairs of fixtures, and of recorded cases where they stand beside the project, through the library. The trees are rendered
//! and compared as bytes, jobs as pieces of the text.

pub(crate) mod edits;
mod environments;
mod revisions;
mod series;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use promgen::compare::compare;
use promgen::{Input, Options, Project};
use promgen_answers::diff::Changes;
use promgen_answers::diff::WorkloadChanges;
use promgen_answers::diff::files::emission;
use promgen_answers::diff::value::Change;
use promgen_compile::output::{Output, Workload};
use promgen_testing::needs;
use rayon::prelude::*;

use crate::support::{promgen, root, swept};

/// The number of pairs of recorded cases.
const N_RECORDED: usize = 500;

/// The recorded families whose cases are paired, each with its neighbour.
const FAMILIES: &[&str] = &[
    "config",
    "mixed",
    "statefulset",
    "selection",
    "generated",
    "alertmanager-config",
    "alertmanager-generated",
    "rules",
    "daemonset",
    "thanosruler-statefulset",
];

fn yaml_files(path: &Path, out: &mut Vec<PathBuf>) {
    if path.is_file() {
        out.push(path.to_owned());
        return;
    }
    let Ok(entries) = fs::read_dir(path) else {
        return;
    };
    let mut entries: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    entries.sort_unstable();
    for entry in entries {
        let is_yaml = entry
            .extension()
            .is_some_and(|e| e == "yaml" || e == "json");
        if entry.is_dir() || is_yaml {
            yaml_files(&entry, out);
        }
    }
}

/// The inputs of a case, named alike in every case.
fn inputs(case: &Path) -> Vec<Input> {
    let single = case.join("input.yaml");
    let path = if single.is_file() {
        single
    } else {
        case.join("input")
    };
    let mut files = Vec::new();
    yaml_files(&path, &mut files);
    let name = |file: &Path| {
        file.strip_prefix(case)
            .unwrap()
            .to_string_lossy()
            .into_owned()
    };
    files
        .iter()
        .map(|file| Input::new(name(file), fs::read(file).unwrap()))
        .collect()
}

fn cases(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut cases: Vec<PathBuf> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    cases.sort_unstable();
    cases
}

/// Every path of the tree with its bytes.
fn tree(output: &Output) -> BTreeMap<String, Vec<u8>> {
    let emission = emission();
    let files = output.files(&emission).into_iter().map(|file| {
        let mut bytes = Vec::new();
        file.write(&mut bytes).unwrap();
        (file.path.clone(), bytes)
    });
    files.collect()
}

/// The text of each job, by its name and number.
fn job_texts(workload: Option<&Workload>) -> BTreeMap<(String, usize), String> {
    let Some(config) = workload.and_then(|workload| workload.config.as_ref()) else {
        return BTreeMap::new();
    };
    let starts: Vec<usize> = config.pieces().iter().map(|piece| piece.start).collect();
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut texts = BTreeMap::new();
    for (index, job) in config.jobs.iter().enumerate() {
        let rest = &config.text()[starts[index]..];
        // A job ends where the next one, or the next section, begins.
        let end = rest
            .match_indices('\n')
            .map(|(at, _)| at + 1)
            .find(|at| !rest[*at..].starts_with(' '));
        let n = seen.entry(&job.name).or_default();
        *n += 1;
        texts.insert(
            (job.name.clone(), *n),
            rest[..end.unwrap_or(rest.len())].to_owned(),
        );
    }
    texts
}

fn find<'o>(output: &'o Output, name: &str) -> Option<&'o Workload> {
    output
        .each_workload()
        .find(|workload| workload.id.to_string() == name)
}

/// Checks the names of jobs against their texts.
/// Two inputs, and what differs.
struct Compared {
    base: Output,
    head: Output,
    changes: Changes,
}

impl Compared {
    fn new(base: &[Input], head: &[Input]) -> Self {
        let model = |inputs| Project::read_side(inputs, &Options::default()).model();
        let (base, head) = (model(base), model(head));
        Self {
            changes: compare(&base, &head),
            base: base.into_output(),
            head: head.into_output(),
        }
    }
}

/// The workloads that differ, without those that stand in for others.
fn given(compared: &Compared) -> impl Iterator<Item = &WorkloadChanges> {
    compared
        .changes
        .workloads
        .iter()
        .filter(|workload| !workload.is_stand_in)
}

fn check_jobs(compared: &Compared, faults: &mut Vec<String>) {
    let none = WorkloadChanges::default();
    let names: BTreeSet<String> = compared
        .base
        .workloads
        .iter()
        .chain(&compared.head.workloads)
        .map(|w| w.id.to_string())
        .collect();
    for name in names {
        let (Some(old), Some(new)) = (find(&compared.base, &name), find(&compared.head, &name))
        else {
            continue;
        };
        let changes = given(compared)
            .find(|w| w.workload == name)
            .unwrap_or(&none);
        if changes.kept.is_some() {
            continue;
        }
        let (old, new) = (job_texts(Some(old)), job_texts(Some(new)));
        let count = |pairs: &mut dyn Iterator<Item = bool>| pairs.filter(|is| *is).count();
        let added = count(&mut new.keys().map(|key| !old.contains_key(key)));
        let dropped = count(&mut old.keys().map(|key| !new.contains_key(key)));
        let changed = count(
            &mut new
                .iter()
                .map(|(key, text)| old.get(key).is_some_and(|other| other != text)),
        );
        let named = (
            changes.jobs.added.total,
            changes.jobs.dropped.total,
            changes.jobs.n_changed,
        );
        if named != (added, dropped, changed) {
            faults.push(format!(
                "{name}: jobs {named:?}, not {:?}",
                (added, dropped, changed)
            ));
        }
    }
}

/// A document of the tree.
fn document(bytes: &[u8]) -> serde_json::Value {
    serde_yaml::from_slice(bytes).unwrap()
}

/// The entries of two documents that differ, those of `spec` one level deeper.
fn differing_entries(old: &serde_json::Value, new: &serde_json::Value) -> BTreeSet<String> {
    let differing = |old: &serde_json::Value, new: &serde_json::Value| -> BTreeSet<String> {
        let keys = [old, new]
            .into_iter()
            .filter_map(serde_json::Value::as_object)
            .flat_map(serde_json::Map::keys);
        keys.filter(|key| old.get(*key) != new.get(*key))
            .cloned()
            .collect()
    };
    let deeper = |key: String| match (old.get(&key), new.get(&key)) {
        (Some(old), Some(new)) if key == "spec" => differing(old, new)
            .into_iter()
            .map(|below| format!("spec.{below}"))
            .collect(),
        _ => vec![key],
    };
    differing(old, new).into_iter().flat_map(deeper).collect()
}

/// The same entries, of the paths that are named.
fn named_entries<'f>(paths: impl Iterator<Item = &'f str>) -> BTreeSet<String> {
    let entry = |path: &str| {
        let mut parts = path.split(['.', '[']);
        let first = parts.next().unwrap_or_default().to_owned();
        match parts.next() {
            Some(second) if first == "spec" => format!("spec.{second}"),
            _ => first,
        }
    };
    paths.map(entry).collect()
}

/// Checks the named fields of StatefulSets and of custom resources against their documents.
fn check_fields(compared: &Compared, faults: &mut Vec<String>) {
    let (old, new) = (tree(&compared.base), tree(&compared.head));
    for workload in given(compared).filter(|workload| workload.change == Change::Changed) {
        let id: Vec<&str> = workload.workload.split('/').collect();
        let folder = format!("{}/{}/{}/", id[0].to_lowercase(), id[1], id[2]);
        let both = old
            .iter()
            .filter_map(|(path, old)| Some((path.strip_prefix(&folder)?, old, new.get(path)?)));
        for (file, old, new) in both.filter(|(_, old, new)| old != new) {
            let is_set = file.starts_with("statefulset") || file.starts_with("daemonset");
            if !is_set && file != "status.yaml" {
                continue;
            }
            let (old, new) = (document(old), document(new));
            let name = new["metadata"]["name"]
                .as_str()
                .unwrap_or_default()
                .to_owned();
            let mut paths: Vec<&str> = Vec::new();
            if is_set {
                let of_it = workload
                    .objects
                    .items
                    .iter()
                    .filter(|o| o.kind.ends_with("Set") && o.names.items.contains(&name));
                paths.extend(of_it.flat_map(|object| {
                    object.fields.items.iter().map(|field| field.path.as_str())
                }));
            } else {
                paths.extend(
                    workload
                        .fields
                        .items
                        .iter()
                        .map(|field| field.path.as_str()),
                );
                paths.extend(workload.status.items.iter().map(|_| "status"));
            }
            let (expected, named) = (
                differing_entries(&old, &new),
                named_entries(paths.into_iter()),
            );
            if expected != named {
                faults.push(format!(
                    "{folder}{file}: {named:?} are named, {expected:?} differ"
                ));
            }
        }
    }
}

/// What a comparison finds, to see that the pairs are worth it.
#[derive(Clone, Copy, Debug, Default)]
struct Found {
    files: usize,
    jobs: usize,
    fields: usize,
    restarts: usize,
    rules: usize,
    selected: usize,
}

impl Found {
    fn of(compared: &Compared) -> Self {
        let mut found = Self {
            files: compared.changes.files.total,
            ..Self::default()
        };
        for workload in given(compared).filter(|workload| workload.change == Change::Changed) {
            found.jobs +=
                workload.jobs.added.total + workload.jobs.dropped.total + workload.jobs.n_changed;
            found.fields += workload.fields.total + workload.settings.total + workload.status.total;
            found.restarts += workload.restarts.total;
            found.rules += workload.rules.total;
            found.selected += workload.selection.total;
        }
        found
    }

    fn plus(self, other: Self) -> Self {
        Self {
            files: self.files + other.files,
            jobs: self.jobs + other.jobs,
            fields: self.fields + other.fields,
            restarts: self.restarts + other.restarts,
            rules: self.rules + other.rules,
            selected: self.selected + other.selected,
        }
    }
}

/// What is found in the comparison of two inputs, and what is wrong with it.
fn faults(base: &[Input], head: &[Input]) -> (Found, Vec<String>) {
    let compared = Compared::new(base, head);
    let (old, new) = (tree(&compared.base), tree(&compared.head));
    // The cluster keeps the objects of a workload that is paused or refused.
    let kept = compared
        .changes
        .workloads
        .iter()
        .filter(|workload| workload.kept.is_some());
    let kept: Vec<String> = kept
        .filter_map(|workload| Some(workload.workload.split_once('/')?.1.to_owned()))
        .collect();
    let is_left = |path: &str| {
        !new.contains_key(path) && kept.iter().any(|name| path.contains(&format!("/{name}/")))
    };
    let differing: BTreeSet<&String> = old
        .keys()
        .chain(new.keys())
        .filter(|path| old.get(*path) != new.get(*path) && !is_left(path))
        .collect();
    let files = &compared.changes.files;
    let named: BTreeSet<&String> = files
        .items
        .iter()
        .filter(|file| !file.is_secret)
        .map(|file| &file.path)
        .collect();
    let mut faults = Vec::new();
    if files.n_left_out() == 0 {
        faults.extend(
            differing
                .difference(&named)
                .map(|path| format!("{path} differs and is not named")),
        );
        faults.extend(
            named
                .difference(&differing)
                .map(|path| format!("{path} is named and does not differ")),
        );
    }
    faults.extend(
        files
            .items
            .iter()
            .filter(|file| file.is_other)
            .map(|file| format!("{}: only its file is named", file.path)),
    );
    for workload in given(&compared).filter(|workload| workload.change == Change::Changed) {
        if workload.kept.is_some() {
            continue;
        }
        let folder_differs = |name: &str| differing.iter().any(|path| path.contains(name));
        let id: Vec<&str> = workload.workload.split('/').collect();
        let has_files = folder_differs(&format!("{}/{}/{}/", id[0].to_lowercase(), id[1], id[2]));
        // Targets and routes depend on more than the workload's own files.
        if !has_files
            && workload.targets.is_empty()
            && workload.routes.is_empty()
            && workload.version.is_none()
        {
            faults.push(format!(
                "{} is named, and none of its files differs",
                workload.workload
            ));
        }
    }
    check_jobs(&compared, &mut faults);
    check_fields(&compared, &mut faults);
    (Found::of(&compared), faults)
}

fn check(pairs: &[(PathBuf, PathBuf)]) -> Found {
    let checked: Vec<(Found, Vec<String>)> = pairs
        .par_iter()
        .map(|(base, head)| {
            let (found, faults) = faults(&inputs(base), &inputs(head));
            let named = |fault| format!("{} {}: {fault}", base.display(), head.display());
            (found, faults.into_iter().map(named).collect())
        })
        .collect();
    let found = checked
        .iter()
        .fold(Found::default(), |all, (found, _)| all.plus(*found));
    let wrong: Vec<String> = checked.into_iter().flat_map(|(_, faults)| faults).collect();
    assert!(
        wrong.is_empty(),
        "{} faults: {:#?}",
        wrong.len(),
        &wrong[..wrong.len().min(40)]
    );
    found
}

#[test]
fn what_diff_names_is_what_differs_between_fixtures() {
    let cases = cases(&root().join("fixtures"));
    let pairs: Vec<_> = cases
        .iter()
        .zip(cases.iter().skip(1))
        .map(|(a, b)| (a.clone(), b.clone()))
        .collect();
    assert!(pairs.len() > 50);
    check(&swept(4, pairs));
}

#[needs(recordings)]
#[test]
fn what_diff_names_is_what_differs_between_recorded_cases() {
    let root = crate::conformance::root();
    let gaps = crate::conformance::gaps();
    let of_family = |family: &&str| {
        let cases = cases(&root.join(family));
        let pairs = cases
            .iter()
            .zip(cases.iter().skip(1))
            .map(|(a, b)| (a.clone(), b.clone()));
        pairs.collect::<Vec<_>>()
    };
    let all: Vec<_> = FAMILIES.iter().flat_map(of_family).collect();
    // Evenly from all families.
    let step = (all.len() / N_RECORDED).max(1);
    let mut pairs: Vec<_> = all.into_iter().step_by(step).take(N_RECORDED).collect();
    assert_eq!(pairs.len(), N_RECORDED);
    let is_gap = |case: &Path| {
        let below = case.strip_prefix(&root).unwrap_or(case);
        gaps.contains(below.to_str().unwrap_or_default())
    };
    pairs.retain(|(base, head)| !is_gap(base) && !is_gap(head));
    let Found {
        files,
        jobs,
        fields,
        restarts,
        rules,
        selected,
    } = check(&pairs);
    let found = [
        (files, 2_500),
        (jobs, 150),
        (fields, 750),
        (restarts, 50),
        (rules, 15),
        (selected, 150),
    ];
    assert!(found.iter().all(|(n, least)| n > least), "{found:?}");
}

#[test]
fn an_input_does_not_differ_from_itself() {
    for case in swept(3, cases(&root().join("fixtures"))) {
        let inputs = inputs(&case);
        let compared = Compared::new(&inputs, &inputs);
        assert!(
            compared.changes.is_empty(),
            "{}: {:?}",
            case.display(),
            compared.changes
        );
    }
}

#[test]
fn no_format_shows_a_secret() {
    for format in ["text", "markdown", "json"] {
        let ran = promgen(&[
            "diff",
            "fixtures/diff/base",
            "fixtures/diff/input",
            "--format",
            format,
        ]);
        assert!(
            !ran.stdout.contains("hush") && !ran.stderr.contains("hush"),
            "{}",
            ran.stdout
        );
        assert!(ran.stdout.contains("<redacted>"), "{}", ran.stdout);
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "a flat table")]
fn git_revisions_are_read_without_a_checkout() {
    let folder = tempfile::tempdir().unwrap();
    let git = |args: &[&str]| {
        let mut command = std::process::Command::new("git");
        command
            .args([
                "-c",
                "user.name=a",
                "-c",
                "user.email=a@b",
                "-c",
                "commit.gpgsign=false",
            ])
            .args(args);
        let output = command.current_dir(folder.path()).output().unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    };
    let prod = folder.path().join("overlays/prod");
    fs::create_dir_all(&prod).unwrap();
    fs::create_dir_all(folder.path().join("base")).unwrap();
    fs::write(
        folder.path().join("base/kustomization.yaml"),
        "resources: [monitoring.yaml]\n",
    )
    .unwrap();
    let copy = |from: &str| {
        fs::copy(
            root().join(from).join("monitoring.yaml"),
            folder.path().join("base/monitoring.yaml"),
        )
        .unwrap();
        fs::copy(
            root().join(from).join("pods.yaml"),
            prod.join("pods \n.yaml"),
        )
        .unwrap();
    };
    fs::write(
        prod.join("kustomization.yaml"),
        "resources: [../../base, \"pods \\n.yaml\"]\n",
    )
    .unwrap();
    fs::write(folder.path().join("other.yaml"), "kind: [").unwrap();
    copy("fixtures/diff/base");
    git(&["init", "-q", "-b", "main"]);
    git(&["add", "-A"]);
    git(&["commit", "-q", "-m", "one"]);
    copy("fixtures/diff/input");
    git(&["commit", "-q", "-a", "-m", "two"]);
    let run = |args: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_promgen"));
        let output = command
            .arg("diff")
            .args(args)
            .current_dir(folder.path())
            .output()
            .unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (
            output.status.code(),
            text(output.stdout),
            text(output.stderr),
        )
    };
    let (code, between, stderr) = run(&["main~1..main", "--", "overlays/prod"]);
    assert!(
        code == Some(0) && between.contains("shards: 2 -> 3"),
        "{between}{stderr}"
    );
    assert_eq!(run(&["main~1", "HEAD", "--", "overlays/prod"]).1, between);
    assert_eq!(run(&["main~1...", "--", "overlays/prod"]).1, between);
    assert_eq!(run(&["main~1", "--", "overlays/prod"]).1, between);
    assert_eq!(
        run(&["main", "--exit-code", "--", "overlays/prod"]),
        (Some(0), "no differences\n".into(), String::new())
    );
    assert_eq!(
        run(&["main~1..main", "--exit-code", "--", "overlays/prod"]).0,
        Some(1)
    );
    assert_eq!(
        run(&[
            "main~1..main",
            "--fail-on",
            "lost-targets",
            "--",
            "overlays/prod"
        ])
        .0,
        Some(1)
    );
    for hostile in [
        "--upload-pack=x..main",
        "nope",
        "main~1:other.yaml",
        "$(touch x)",
        "main;touch x",
        "-",
    ] {
        let (code, stdout, stderr) = run(&["--", hostile]);
        assert!(
            code == Some(2) && stdout.is_empty() && !stderr.is_empty(),
            "{hostile}: {stdout}{stderr}"
        );
    }
    let (code, _, stderr) = run(&["main~1..main", "--", "nowhere"]);
    assert!(
        code == Some(2) && stderr.contains("no manifest"),
        "{stderr}"
    );
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_promgen"));
    let output = command
        .args(["diff", "main~1..main"])
        .env("PATH", "")
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        String::from_utf8(output.stderr)
            .unwrap()
            .contains("cannot run `git`")
    );
}

#[test]
fn one_input_is_compared_for_two_targets() {
    let input = "fixtures/diff/input/monitoring.yaml";
    let args = [
        "diff",
        input,
        "--from-prometheus-version",
        "v2.45.0",
        "--to-prometheus-version",
        "v3.5.0",
    ];
    let ran = promgen(&args);
    assert!(
        ran.stdout
            .contains("version of Prometheus: 2.45.0 -> 3.5.0"),
        "{}",
        ran.stdout
    );
    assert!(promgen(&["diff", input]).stderr.contains("requires a HEAD"));
    let kube = promgen(&[
        "diff",
        input,
        "--from-kube-version",
        "1.33",
        "--to-kube-version",
        "1.35",
    ]);
    assert_eq!(kube.code, 0);
}

#[test]
fn a_comment_has_less_than_60_000_characters() {
    let monitors = |interval: &str| {
        let one = |i: usize| {
            format!(
                "---\napiVersion: monitoring.coreos.com/v1\nkind: PodMonitor\nmetadata: {{name: m{i}, namespace: a}}\nspec:\n  \
                 selector: {{}}\n  podMetricsEndpoints: [{{port: '`</details>@x{i}```', interval: {interval}{}s}}]\n",
                i + 1
            )
        };
        let server = "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {name: a, namespace: a}\n\
                      spec: {podMonitorSelector: {}}\n";
        std::iter::once(server.to_owned())
            .chain((0..2_000).map(one))
            .collect::<String>()
    };
    let folder = tempfile::tempdir().unwrap();
    let paths = ["1", "2"].map(|interval| {
        let path = folder.path().join(format!("{interval}.yaml"));
        fs::write(&path, monitors(interval)).unwrap();
        path.to_str().unwrap().to_owned()
    });
    let ran = promgen(&["diff", &paths[0], &paths[1], "--format", "markdown"]);
    assert!(
        ran.stdout.chars().count() < 60_000 && ran.stdout.contains("jobs &#126;2000"),
        "{}",
        ran.stdout.len()
    );
    assert!(
        ran.stdout.len() > 50_000
            && ran.stdout.contains("\n… and ")
            && ran.stdout.contains("\n</details>")
    );
    let mut lines = ran.stdout.lines();
    assert!(!lines.any(|line| line.starts_with("```") && line != "```diff" && line != "```"));
}

const WORKLOADS: &str = "apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: {name: main, namespace: shop}
spec: {podMonitorSelector: {matchLabels: {team: shop}}, ruleSelector: {}}
---
apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata: {name: web, namespace: shop, labels: {team: shop}}
spec: {selector: {}, podMetricsEndpoints: [{port: web}]}
---
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata: {name: rules, namespace: shop}
spec: {groups: [{name: g, rules: [{alert: Down, expr: up == 0}]}]}
";

/// What `diff` says of the manifests and an edit of them: its exit code, standard output and standard error.
fn edited(from: &str, to: &str, args: &[&str]) -> crate::support::Ran {
    assert!(WORKLOADS.contains(from));
    let folder = tempfile::tempdir().unwrap();
    let paths = ["a.yaml", "b.yaml"].map(|name| folder.path().join(name));
    fs::write(&paths[0], WORKLOADS).unwrap();
    fs::write(&paths[1], WORKLOADS.replace(from, to)).unwrap();
    let paths = paths.each_ref().map(|path| path.to_str().unwrap());
    promgen(&[&["diff", paths[0], paths[1]], args].concat())
}

#[test]
fn a_gate_fails_for_what_is_asked_and_says_so() {
    let all = [
        "lost-jobs",
        "unselected",
        "lost-alerts",
        "removed-workloads",
        "restarts",
        "new-errors",
    ];
    for (from, to, expected) in [
        (
            "labels: {team: shop}",
            "labels: {team: web}",
            &["lost-jobs", "unselected"][..],
        ),
        ("alert: Down", "alert: Gone", &["lost-alerts"]),
        (
            "metadata: {name: main",
            "metadata: {name: other",
            &["removed-workloads"],
        ),
        (
            "ruleSelector: {}",
            "ruleSelector: {}, logLevel: debug",
            &["restarts"],
        ),
        (
            "expr: up == 0",
            "expr: up ==",
            &["unselected", "lost-alerts", "new-errors"],
        ),
        (
            "ruleSelector: {}",
            "ruleSelector: {matchLabels: {team: web}}",
            &["unselected", "lost-alerts"],
        ),
        (
            "spec: {podMonitorSelector",
            "spec: {replicas: 0, podMonitorSelector",
            &["lost-jobs", "unselected", "lost-alerts"],
        ),
        (
            "kind: Prometheus\nmetadata: {name: main, namespace: shop}\nspec: {podMonitorSelector: {matchLabels: {team: shop}}, ruleSelector: {}}",
            "kind: PrometheusRule\nmetadata: {name: none, namespace: shop}\nspec: {groups: []}",
            &[
                "lost-jobs",
                "unselected",
                "lost-alerts",
                "removed-workloads",
            ],
        ),
        (
            "spec: {podMonitorSelector",
            "spec: {paused: true, podMonitorSelector",
            &[],
        ),
    ] {
        for kind in all {
            let ran = edited(from, to, &["--fail-on", kind]);
            assert_eq!(
                ran.code == 1,
                expected.contains(&kind),
                "{to}: {kind}: {}",
                ran.stderr
            );
            assert_eq!(
                ran.stderr.contains("note: failed: "),
                ran.code == 1,
                "{}",
                ran.stderr
            );
        }
    }
}

#[test]
fn a_paused_workload_keeps_its_objects() {
    let ran = edited(
        "ruleSelector: {}",
        "ruleSelector: {}, paused: true",
        &["--fail-on", "lost-jobs,removed-workloads"],
    );
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    assert!(
        ran.stdout
            .contains("Prometheus/shop/main: paused: the operator leaves its objects as they are")
    );
    assert!(
        !ran.stdout.contains("- StatefulSet") && !ran.stdout.contains("- podMonitor"),
        "{}",
        ran.stdout
    );
}

#[test]
fn a_refused_workload_is_not_removed_and_fails_a_gate() {
    let ran = edited(
        "ruleSelector: {}",
        "ruleSelector: {}, shards: many",
        &["--fail-on", "lost-jobs"],
    );
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    assert!(ran.stdout.contains(
        "Prometheus/shop/main: refused by the API server: the cluster keeps the old state"
    ));
    assert!(!ran.stdout.contains("removed"), "{}", ran.stdout);
    assert!(
        ran.stderr
            .contains("note: failed: Prometheus/shop/main is refused"),
        "{}",
        ran.stderr
    );
}

/// What pods keep until somebody restarts them or deletes a claim.
#[test]
fn what_running_pods_keep_is_told() {
    let said = |base: &str, head: &str| {
        let folder = tempfile::tempdir().unwrap();
        let paths = ["a.yaml", "b.yaml"].map(|name| folder.path().join(name));
        fs::write(&paths[0], base).unwrap();
        fs::write(&paths[1], head).unwrap();
        let paths = paths.each_ref().map(|path| path.to_str().unwrap());
        promgen(&["diff", paths[0], paths[1]]).stdout
    };
    let ruler = |bucket: &str, more: &str| {
        format!(
            "apiVersion: monitoring.coreos.com/v1\nkind: ThanosRuler\nmetadata: {{name: r, namespace: mon}}\nspec: {{queryEndpoints: [a], \
             objectStorageConfig: {{name: o, key: k}}{more}}}\n---\napiVersion: v1\nkind: Secret\nmetadata: {{name: o, namespace: mon}}\n\
             stringData: {{k: 'bucket: {bucket}'}}\n"
        )
    };
    let bucket = said(&ruler("a", ""), &ruler("b", ""));
    assert!(
        bucket.contains(
            "key k of Secret mon/o differs: container thanos-ruler reads it when it starts"
        ) && !bucket.contains("bucket:"),
        "{bucket}"
    );
    let logs = said(&ruler("a", ""), &ruler("b", ", logLevel: debug"));
    assert!(!logs.contains("nothing restarts"), "{logs}");
    let claim = |name: &str, size: &str, class: &str| {
        format!(
            "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {{name: k8s, namespace: mon}}\nspec: {{storage: {{volumeClaimTemplate: \
             {{metadata: {{name: {name}}}, spec: {{{class}resources: {{requests: {{storage: {size}}}}}}}}}}}}}\n"
        )
    };
    let before = claim("data", "20Gi", "");
    for (head, expected) in [
        (
            claim("data", "30Gi", ""),
            "patch each PersistentVolumeClaim by hand for 30Gi",
        ),
        (
            claim("data", "10Gi", ""),
            "a claim cannot shrink, so delete them",
        ),
        (
            claim("data", "20Gi", "storageClassName: fast, "),
            "keep the class of the cluster's default",
        ),
        (
            claim("store", "20Gi", ""),
            "get new claims `store`, which are empty",
        ),
    ] {
        let told = said(&before, &head);
        assert!(told.contains(expected), "{told}");
    }
}
