//! The programs that promgen starts: where they are found, what they get, and what becomes of those that hang or print without end. Scripts
//! stand in for them.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use promgen_testing::needs;
use tempfile::TempDir;

use crate::support::Ran;

const SERVER: &str = "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {name: p, namespace: m}\nspec: {ruleSelector: {}}\n";
const RULES: &str = "apiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata: {name: r, namespace: m}\n\
                     spec: {groups: [{name: g, rules: [{alert: A, expr: up == 0}]}]}\n";
const RELEASE: &str = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: h, namespace: m}\n\
                       spec: {interval: 1m, chart: {spec: {chart: ./chart, sourceRef: {kind: GitRepository, name: x}}}}\n";
const TESTS: &str = "rule_files: [../r.yaml]\ntests: [{interval: 1m, alert_rule_test: [{eval_time: 1m, alertname: A}]}]\n";

/// What the scripts answer.
const HELM: &str =
    "case $1 in version) echo v3.15.0;; env) echo /nowhere;; template) echo 'kind: A';; esac";
const PROMTOOL: &str =
    "shift 2; for file; do printf 'Unit Testing:  %s\\n  SUCCESS\\n\\n' \"$file\"; done";

/// A repository, and a folder of programs beside it.
struct Scene {
    folder: TempDir,
}

impl Scene {
    fn new() -> Self {
        let scene = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        for (name, text) in [
            ("a/a.yaml", SERVER),
            ("r.yaml", RULES),
            ("t/t.yaml", TESTS),
            ("h/h.yaml", RELEASE),
            (
                "chart/Chart.yaml",
                "{apiVersion: v2, name: chart, version: 1.0.0}",
            ),
            ("chart/templates/x.yaml", "kind: A\n"),
        ] {
            let path = scene.path("repo").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        fs::create_dir(scene.path("tmp")).unwrap();
        for args in [
            &["init", "-q", "-b", "main", "."][..],
            &["add", "-A"],
            &["commit", "-q", "-m", "x"],
        ] {
            let mut git = Command::new("git");
            git.args([
                "-c",
                "user.name=a",
                "-c",
                "user.email=a@b",
                "-c",
                "commit.gpgsign=false",
            ])
            .args(args);
            assert!(
                git.current_dir(scene.path("repo"))
                    .status()
                    .unwrap()
                    .success()
            );
        }
        scene
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Puts a script into a folder.
    fn script(&self, folder: &str, name: &str, text: &str) {
        fs::create_dir_all(self.path(folder)).unwrap();
        let file = self.path(folder).join(name);
        fs::write(&file, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Programs that note their environment, and answer.
    fn stand_ins(&self) {
        let log = self.path("log");
        for (name, answer) in [
            ("git", format!("exec {} \"$@\"", git().display())),
            ("helm", HELM.to_owned()),
            ("promtool", PROMTOOL.to_owned()),
        ] {
            self.script(
                "bin",
                name,
                &format!(
                    "{{ echo \"== {name}\"; /usr/bin/env; }} >> '{}'\n{answer}",
                    log.display()
                ),
            );
        }
    }

    fn run(&self, args: &[&str], path: &str, variables: &[(&str, &str)]) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_promgen"));
        let path = path.replace("BIN", self.path("bin").to_str().unwrap());
        command
            .args(args)
            .current_dir(self.path("repo"))
            .env("PATH", path)
            .env("TMPDIR", self.path("tmp"));
        command
            .env("PROMGEN_CACHE_DIR", self.path("cache"))
            .env_remove("PROMTOOL");
        let output = command.envs(variables.iter().copied()).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let code = output
            .status
            .code()
            .unwrap_or(-1)
            .try_into()
            .unwrap_or(u8::MAX);
        Ran {
            code,
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
        }
    }
}

/// The program itself.
fn git() -> PathBuf {
    let path = std::env::var_os("PATH").unwrap();
    std::env::split_paths(&path)
        .map(|folder| folder.join("git"))
        .find(|file| file.is_file())
        .unwrap()
}

const USES: [(&str, &[&str]); 3] = [
    ("git", &["lint", "--trust", "main", "a"]),
    ("helm", &["render", "--helm", "h"]),
    ("promtool", &["test", "t", "r.yaml"]),
];

#[needs(git)]
#[test]
fn programs_are_found_in_absolute_folders_only() {
    let scene = Scene::new();
    scene.stand_ins();
    let mark = scene.path("mark");
    for folder in ["repo", "repo/bin", "repo/~", "repo/~/bin", "repo/a"] {
        for (program, _) in USES {
            scene.script(folder, program, &format!("touch '{}'", mark.display()));
        }
    }
    for path in ["", ".:", "bin:", "./bin:~:~/bin:", "a/../bin:a:"] {
        for (program, args) in USES {
            let _ = fs::remove_file(scene.path("log"));
            let ran = scene.run(args, &format!("{path}BIN::bin:/usr/bin:/bin"), &[]);
            assert!(!mark.exists(), "{path} {program}");
            let log = fs::read_to_string(scene.path("log")).unwrap_or_default();
            assert!(
                log.contains(&format!("== {program}\n")),
                "{path} {program}: {}{}",
                ran.stdout,
                ran.stderr
            );
            // What the program starts is found there too.
            let own = log
                .lines()
                .find_map(|line| line.strip_prefix("PATH="))
                .unwrap();
            assert!(
                own.split(':').all(|folder| Path::new(folder).is_absolute()),
                "{own}"
            );
            let none = scene.run(args, path, &[]);
            assert!(
                none.code == 2 || program == "helm",
                "{path} {program}: {}{}",
                none.stdout,
                none.stderr
            );
            assert!(!mark.exists(), "{path} {program}");
        }
    }
}

#[needs(git)]
#[test]
fn no_program_gets_a_variable_that_it_does_not_need() {
    let scene = Scene::new();
    scene.stand_ins();
    let names = [
        "GITHUB_TOKEN",
        "ANYTHING",
        "GIT_ASKPASS",
        "GIT_SSH_COMMAND",
        "GIT_CONFIG_PARAMETERS",
        "HELM_KUBETOKEN",
        "HELM_ANY",
    ];
    let more = [
        "HTTPS_PROXY",
        "https_proxy",
        "NO_PROXY",
        "ALL_PROXY",
        "KUBECONFIG",
        "XDG_ANY",
        "PROMGEN_ANY",
        "LC_ANY",
    ];
    let mut variables: Vec<_> = names
        .iter()
        .chain(&more)
        .map(|name| (*name, "t0ken"))
        .collect();
    variables.extend([
        ("GIT_CONFIG_COUNT", "2"),
        ("GIT_CONFIG_KEY_0", "http.extraheader"),
        ("GIT_CONFIG_VALUE_0", "t0ken"),
        ("GIT_CONFIG_KEY_1", "Safe.Directory"),
        ("GIT_CONFIG_VALUE_1", "/own"),
    ]);
    for (program, args) in USES {
        let _ = fs::remove_file(scene.path("log"));
        let ran = scene.run(args, "BIN:/usr/bin:/bin", &variables);
        let log = fs::read_to_string(scene.path("log")).unwrap_or_default();
        assert!(
            log.contains(&format!("== {program}\n")),
            "{program}: {}{}",
            ran.stdout,
            ran.stderr
        );
        assert!(!log.contains("t0ken"), "{program}: {log}");
        assert_eq!(
            log.contains("GIT_CONFIG_VALUE_0=/own\n"),
            program == "git",
            "{log}"
        );
    }
}

#[needs(git)]
#[test]
#[expect(clippy::too_many_lines, reason = "a flat table")]
fn a_program_that_hangs_or_floods_ends_with_the_name_of_the_limit() {
    let scene = Scene::new();
    let limits = [
        "git-seconds=1",
        "git-bytes=1MiB",
        "helm-seconds=1",
        "helm-bytes=1MiB",
        "promtool-seconds=1",
        "promtool-bytes=1MiB",
    ];
    let limits: Vec<&str> = limits
        .iter()
        .flat_map(|limit| ["--raise-limit", limit])
        .collect();
    let (hang, flood) = ("sleep 600 & sleep 600", "yes");
    for (at, program, on, does, expected) in [
        (
            0,
            "git",
            "rev-parse",
            hang,
            "`git rev-parse` exceeds the limit `git-seconds` of 1 second",
        ),
        (
            0,
            "git",
            "rev-parse",
            flood,
            "what `git rev-parse` prints exceeds the limit `git-bytes` of 1 MiB",
        ),
        (
            0,
            "git",
            "ls-tree",
            hang,
            "`git ls-tree` exceeds the limit `git-seconds`",
        ),
        (
            0,
            "git",
            "ls-tree",
            flood,
            "what `git ls-tree` prints exceeds the limit `git-bytes`",
        ),
        (
            0,
            "git",
            "ls-tree",
            "yes >&2",
            "what `git ls-tree` prints exceeds",
        ),
        (
            0,
            "git",
            "cat-file",
            hang,
            "`git cat-file` exceeds the limit `git-seconds`",
        ),
        (
            0,
            "git",
            "cat-file",
            "yes | tr -d '\\n'",
            "`git cat-file` does not answer as it should",
        ),
        (
            1,
            "helm",
            "version",
            hang,
            "Helm exceeds the limit `helm-seconds` of 1 second",
        ),
        (
            1,
            "helm",
            "env",
            hang,
            "cannot run `helm`: Helm exceeds the limit `helm-seconds` of 1 second",
        ),
        (
            1,
            "helm",
            "version",
            flood,
            "what Helm prints exceeds the limit `helm-bytes`",
        ),
        (
            2,
            "promtool",
            "test",
            hang,
            "`promtool test` exceeds the limit `promtool-seconds` of 1 second",
        ),
        (
            2,
            "promtool",
            "test",
            flood,
            "what `promtool test` prints exceeds the limit `promtool-bytes` of 1 MiB",
        ),
        (
            2,
            "promtool",
            "test",
            "yes >&2",
            "what `promtool test` prints exceeds",
        ),
    ] {
        scene.stand_ins();
        let answer = fs::read_to_string(scene.path("bin").join(program)).unwrap();
        scene.script(
            "bin",
            program,
            &format!("case $1 in {on}) {does}; exit;; esac\n{answer}"),
        );
        let ran = scene.run(&[USES[at].1, &limits].concat(), "BIN:/usr/bin:/bin", &[]);
        assert!(
            ran.code == 2 && ran.stderr.contains(expected),
            "{program} {on} {does}: {} {}{}",
            ran.code,
            ran.stdout,
            ran.stderr
        );
        assert!(fs::read_dir(scene.path("tmp")).unwrap().next().is_none());
    }
}
