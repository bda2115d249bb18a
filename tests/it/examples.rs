//! Every example of a help runs as it stands, in a shell, with stand-ins for the programs of others.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use promgen::cli::reference;

/// The programs that examples name beside promgen, and what stands in for each: it reads its input, or prints a file.
const PROGRAMS: [(&str, &str); 7] = [
    (
        "kubectl",
        "case \"$1\" in apply) cat >/dev/null;; *) cat pods.yaml;; esac",
    ),
    ("helm", "cat manifests/all.yaml"),
    ("kustomize", "cat manifests/all.yaml"),
    (
        "promtool",
        "for last; do cat \"$last\" >/dev/null; done 2>/dev/null; :",
    ),
    ("curl", "cat answer.json"),
    ("man", "cat >/dev/null"),
    ("xdg-open", ":"),
];

/// What the examples read, beside manifests.
const FILES: [(&str, &str); 12] = [
    (
        "tests/cart.yaml",
        "tests:\n- name: canary\n  relabel_configs:\n  - {action: labelmap, regex: team_(.+)}\n  labels: {team_name: a}\n  \
         expect:\n    labels: {team_name: a, name: a}\n",
    ),
    (
        "targets.json",
        r#"[{"labels": {"job": "cart"}, "targets": ["10.0.0.1:80"]}]"#,
    ),
    (
        "cases.jsonl",
        r#"{"relabel_configs": [], "labels": {"__address__": "10.0.0.1:80"}}"#,
    ),
    (
        "answer.json",
        r#"{"status": "success", "data": {"resultType": "vector", "result": [{"metric": {"__name__": "scrape_samples_scraped", "job": "cart", "instance": "10.0.0.1:9090"}, "value": [1, "5"]}]}}"#,
    ),
    ("api.prom", "up 1\n"),
    ("firing.txt", "alertname=HighLatency\n"),
    ("live.yaml", ""),
    ("cluster.yaml", ""),
    (
        "resource-list.yaml",
        "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\nfunctionConfig: {apiVersion: v1, kind: ConfigMap, \
         metadata: {name: promgen}, data: {mode: lint}}\n",
    ),
    (
        "overlays/prod/kustomization.yaml",
        "resources: [all.yaml]\n",
    ),
    (
        "clusters/release.yaml",
        include_str!("examples/release.yaml"),
    ),
    ("pods.yaml", ""),
];

fn run(program: &str, args: &[&str], folder: &Path) {
    let ran = Command::new(program)
        .args(args)
        .current_dir(folder)
        .output();
    let ran = ran.unwrap();
    assert!(ran.status.success(), "{program} {args:?}: {ran:?}");
}

/// A repository with two commits, `main` before `HEAD`.
fn folder() -> tempfile::TempDir {
    let manifests = include_str!("examples/manifests.yaml");
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let write = |path: &str, text: &str| {
        let path = at.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    for (name, body) in PROGRAMS {
        write(&format!("bin/{name}"), &format!("#!/bin/sh\n{body}\n"));
        let path = at.join("bin").join(name);
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    for place in ["manifests", "old", "new", "overlays/prod"] {
        write(&format!("{place}/all.yaml"), manifests);
    }
    for (path, text) in FILES {
        write(path, if text.is_empty() { manifests } else { text });
    }
    write("rules.yaml", manifests);
    let policy =
        "policies:\n- {name: has-a-team, match: {kind: alert}, require: has(rule.labels.team)}\n";
    write("manifests/own.policy.yaml", policy);
    write("rendered.yaml", manifests);
    write("prometheus.yaml", manifests);
    let git = |args: &[&str]| run("git", args, at);
    git(&["init", "--quiet", "--initial-branch=main"]);
    git(&["add", "manifests", "overlays"]);
    let commit = [
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@b",
        "commit",
        "--quiet",
        "-m",
        "a",
    ];
    git(&commit);
    git(&["checkout", "--quiet", "-b", "head"]);
    git(&[&commit[..], &["--allow-empty"]].concat());
    folder
}

/// The commands of the examples of a help: without what is said beside them, and with the lines that a command takes.
fn examples(text: &str) -> Vec<String> {
    let mut commands: Vec<String> = Vec::new();
    let mut is_open = false;
    for line in text.lines().map(str::trim_start) {
        let said = line.split_once("  ").map_or(line, |(command, _)| command);
        let starts = |word: &str| said.starts_with(word);
        if is_open {
            let last = commands.last_mut().unwrap();
            *last = format!("{} {said}", last.trim_end_matches('\\'));
        } else if ["promgen ", "kubectl ", "helm ", "curl ", "kustomize "]
            .iter()
            .any(|word| starts(word))
        {
            commands.push(said.to_owned());
        } else {
            continue;
        }
        is_open = said.ends_with(['\\', '|']);
    }
    commands
}

/// Needs a program of others that runs the tests of rules, or a connection that ends.
const LEFT_OUT: [&str; 4] = [
    "promgen test rules_test.yaml clusters/eu --coverage",
    "promgen lsp",
    "helm plugin install",
    "promgen merge 1.json 2.json",
];

#[test]
fn every_example_of_a_help_runs() {
    let program = Path::new(env!("CARGO_BIN_EXE_promgen"));
    let has_jq = Command::new("jq").arg("--version").output().is_ok();
    let (mut n_run, mut failed) = (0, Vec::new());
    for name in reference::commands() {
        let help = Command::new(program)
            .args([&name, "--help"])
            .output()
            .unwrap();
        let help = String::from_utf8(help.stdout).unwrap();
        // Wrapped by the width of a terminal, which commands of examples are not.
        let text = help.split_once("Examples:\n").unwrap().1;
        let text = text.split_once("\nExit codes:").unwrap().0;
        let folder = folder();
        let is_run = |command: &String| {
            !LEFT_OUT.iter().any(|left| command.starts_with(left))
                && (has_jq || !command.contains("jq "))
        };
        for command in examples(text).into_iter().filter(is_run) {
            let once = [" --watch", " --open"]
                .iter()
                .fold(command.clone(), |text, flag| text.replace(flag, ""));
            let path = format!(
                "{}:{}:{}",
                folder.path().join("bin").display(),
                program.parent().unwrap().display(),
                std::env::var("PATH").unwrap()
            );
            let ran = Command::new("bash")
                .args(["-o", "pipefail", "-c", &once])
                .env("PATH", path)
                .env("HOME", folder.path())
                .stdin(std::process::Stdio::null())
                .current_dir(folder.path())
                .output()
                .unwrap();
            n_run += 1;
            // 1: it has findings, or answers no.
            if !matches!(ran.status.code(), Some(0 | 1)) {
                failed.push(format!(
                    "{command}\n{}",
                    String::from_utf8_lossy(&ran.stderr)
                ));
            }
        }
    }
    assert!(
        failed.is_empty() && n_run > 90,
        "of {n_run}:\n{}",
        failed.join("\n")
    );
}

#[test]
fn examples_are_read_with_the_lines_they_take() {
    let text = "Examples:\n  promgen a b     says b\n  kubectl get |\n    promgen c - \\\n      -o x\n    # a comment\n";
    assert_eq!(
        examples(text),
        ["promgen a b", "kubectl get | promgen c -  -o x"]
    );
}
