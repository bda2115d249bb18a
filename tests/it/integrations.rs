//! The files of `integrations/`, `action.yml` and `.pre-commit-hooks.yaml` do what they promise: their commands run here as the
//! tool would run them. With `ACTIONLINT` and `PRE_COMMIT`, these programs run too; `.ci/run` installs them.
#![cfg(unix)]

mod github;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use regex::Regex;
use serde_json::Value;

use crate::support::{root, tool};

const WARNED: &str = "
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: {name: main, namespace: shop}
spec:
  shards: 4
  shardingStrategy: {mode: Topology, topology: {values: [a, b, c]}}
";

/// A repository with a warning in `manifests/main.yaml`.
fn repository() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("manifests")).unwrap();
    fs::write(folder.path().join("manifests/main.yaml"), WARNED).unwrap();
    folder
}

pub(crate) fn yaml(path: &str) -> Value {
    let text = fs::read_to_string(root().join(path)).unwrap();
    serde_yaml::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn texts(value: &Value) -> Vec<&str> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item.as_str().unwrap())
        .collect()
}

/// What a program did, run in a folder with promgen on the PATH.
pub(crate) struct Done {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

pub(crate) fn run(
    program: &str,
    args: &[&str],
    folder: &Path,
    env: &BTreeMap<String, String>,
) -> Done {
    let promgen = Path::new(env!("CARGO_BIN_EXE_promgen")).parent().unwrap();
    let path = format!("{}:{}", promgen.display(), std::env::var("PATH").unwrap());
    let output = Command::new(program)
        .args(args)
        .current_dir(folder)
        .env("PATH", path)
        .envs(env)
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Done {
        code: output.status.code(),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}

/// Runs a script as the runner of GitHub Actions does.
pub(crate) fn bash(script: &str, folder: &Path, env: &BTreeMap<String, String>) -> Done {
    run(
        "bash",
        &["--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        folder,
        env,
    )
}

/// A workflow that uses the action of this tree.
fn own_action(workflow: &str) -> String {
    Regex::new("promgen/promgen@[0-9a-f]{40} # v[0-9.]+")
        .unwrap()
        .replace_all(workflow, "./")
        .into_owned()
}

/// The action in a folder, with inputs and variables as the runner gives them.
struct Action<'a> {
    action: Value,
    inputs: &'a [(&'a str, &'a str)],
    folder: &'a Path,
    /// Variables that are not those of a step.
    env: &'a [(&'a str, &'a str)],
}

impl<'a> Action<'a> {
    fn new(inputs: &'a [(&'a str, &'a str)], folder: &'a Path) -> Self {
        Self {
            action: yaml("action.yml"),
            inputs,
            folder,
            env: &[],
        }
    }

    /// What an expression of the runner stands for.
    fn value(&self, name: &str) -> String {
        if let Some(name) = name.strip_prefix("inputs.") {
            let given = self
                .inputs
                .iter()
                .find(|(input, _)| *input == name)
                .map(|(_, value)| *value);
            return given
                .unwrap_or_else(|| self.action["inputs"][name]["default"].as_str().unwrap())
                .to_owned();
        }
        // A step that did not run has none.
        if let Some((_, name)) = name
            .strip_prefix("steps.")
            .and_then(|rest| rest.split_once(".outputs."))
        {
            let written = fs::read_to_string(self.folder.join("output")).unwrap();
            let line = written
                .lines()
                .find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
            return line.unwrap_or_default().to_owned();
        }
        let path = match name {
            "github.action_path" => root(),
            "runner.temp" => self.folder,
            "github.server_url" => return "https://github.com".to_owned(),
            "github.token" => return "token-of-the-job".to_owned(),
            "runner.os" => return "Linux".to_owned(),
            "runner.arch" => return "X64".to_owned(),
            _ => panic!("{name}"),
        };
        path.to_str().unwrap().to_owned()
    }

    fn resolved(&self, text: &str) -> String {
        let expression = Regex::new(r"\$\{\{ (\S+) \}\}").unwrap();
        expression
            .replace_all(text, |found: &regex::Captures<'_>| self.value(&found[1]))
            .into_owned()
    }

    /// Returns whether the condition of a step holds: comparisons, joined by `&&`.
    fn holds(&self, condition: &str) -> bool {
        let comparison = Regex::new(r"^(\S+) (==|!=) '(.*)'$").unwrap();
        condition.split(" && ").all(|part| {
            let found = comparison
                .captures(part)
                .unwrap_or_else(|| panic!("{part}"));
            (self.value(&found[1]) == found[3]) == (&found[2] == "==")
        })
    }

    /// Runs the steps up to the first that fails.
    fn run(&self) -> (Option<i32>, String) {
        let mut printed = String::new();
        let file = |name: &str| self.folder.join(name).display().to_string();
        for name in ["output", "path"] {
            fs::write(self.folder.join(name), "").unwrap();
        }
        for step in self.action["runs"]["steps"].as_array().unwrap() {
            let is_run = step["if"]
                .as_str()
                .is_none_or(|condition| self.holds(condition));
            if !is_run || !step["uses"].is_null() {
                continue;
            }
            let set = step["env"].as_object().into_iter().flatten();
            let mut env: BTreeMap<_, _> = set
                .map(|(key, value)| (key.clone(), self.resolved(value.as_str().unwrap())))
                .collect();
            env.insert("GITHUB_OUTPUT".into(), file("output"));
            env.insert("GITHUB_STEP_SUMMARY".into(), file("summary"));
            env.insert("GITHUB_PATH".into(), file("path"));
            env.extend(
                self.env
                    .iter()
                    .map(|(key, value)| ((*key).to_owned(), (*value).to_owned())),
            );
            let Done {
                code,
                stdout,
                stderr,
            } = bash(step["run"].as_str().unwrap(), self.folder, &env);
            printed += &(stdout + &stderr);
            if code != Some(0) {
                return (code, printed);
            }
        }
        (Some(0), printed)
    }
}

/// The steps of the action up to the first that fails, with these inputs.
fn act(inputs: &[(&str, &str)], folder: &Path) -> (Option<i32>, String) {
    Action::new(inputs, folder).run()
}

#[test]
fn the_action_annotates_summarizes_and_reports() {
    for (inputs, expected) in [
        (&[("args", "--select idle-shard")][..], Some(0)),
        (
            &[
                ("args", "--select idle-shard"),
                ("fail-on", "warning"),
                ("paths", "manifests/ manifests/main.yaml"),
            ],
            Some(1),
        ),
    ] {
        let folder = repository();
        let (code, printed) = act(inputs, folder.path());
        assert_eq!(code, expected, "{printed}");
        assert!(
            printed.contains("::warning file=manifests/main.yaml,line=6,"),
            "{printed}"
        );
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
        assert!(read("summary").contains("PG201"), "{}", read("summary"));
        let sarif: Value = serde_json::from_str(&read("promgen.sarif")).unwrap();
        assert_eq!(sarif["runs"][0]["results"][0]["ruleId"], "PG201");
    }
    // A report is no link, whatever the repository has in its place.
    let folder = repository();
    std::os::unix::fs::symlink("manifests/main.yaml", folder.path().join("promgen.sarif")).unwrap();
    assert_eq!(
        act(&[("args", "--select idle-shard")], folder.path()).0,
        Some(0)
    );
    assert_eq!(
        fs::read_to_string(folder.path().join("manifests/main.yaml")).unwrap(),
        WARNED
    );
    // A path that does not exist is a failure of its own, before anything is uploaded.
    assert_eq!(
        act(&[("paths", "nowhere/")], repository().path()).0,
        Some(2)
    );
}

/// A test that passes if the relabeled value is that.
fn relabel_test(expected: &str) -> String {
    format!(
        "tests:\n- name: renamed\n  relabel_configs: [{{target_label: a, replacement: b}}]\n  labels: {{a: x}}\n  expect: {{labels: {{a: {expected}}}}}\n"
    )
}

#[test]
fn the_action_runs_tests_and_fails_after_the_findings() {
    let junit = |folder: &Path| fs::read_to_string(folder.join("promgen-tests.xml"));
    for (expected, fail_on, code) in [("b", "error", 0), ("c", "error", 1), ("b", "warning", 1)] {
        let folder = repository();
        fs::create_dir(folder.path().join("tests")).unwrap();
        fs::write(
            folder.path().join("tests/relabel.yaml"),
            relabel_test(expected),
        )
        .unwrap();
        // The results are no link, whatever the repository has in their place.
        std::os::unix::fs::symlink(
            "manifests/main.yaml",
            folder.path().join("promgen-tests.xml"),
        )
        .unwrap();
        let inputs = [
            ("args", "--select idle-shard"),
            ("fail-on", fail_on),
            ("tests", "tests/"),
            ("test-args", "--run rena"),
        ];
        let (ended, printed) = act(&inputs, folder.path());
        assert_eq!(ended, Some(code), "{printed}");
        assert!(
            printed.contains(if expected == "b" {
                "1 test passed"
            } else {
                "1 of 1 test failed"
            }),
            "{printed}"
        );
        assert!(
            junit(folder.path())
                .unwrap()
                .contains("<testcase name=\"renamed\"")
        );
        assert_eq!(
            fs::read_to_string(folder.path().join("manifests/main.yaml")).unwrap(),
            WARNED
        );
    }
    // Without the input no test runs, and what is no test is a failure of its own.
    let folder = repository();
    assert_eq!(
        act(&[("args", "--select idle-shard")], folder.path()).0,
        Some(0)
    );
    assert!(junit(folder.path()).is_err());
    let inputs = [
        ("args", "--select idle-shard"),
        ("tests", "manifests/main.yaml $(touch x)"),
    ];
    assert_eq!(act(&inputs, folder.path()).0, Some(2));
    assert!(!folder.path().join("x").exists());
}

#[test]
fn the_workflow_comments_what_a_pull_request_changes() {
    let workflow = yaml("integrations/github/diff.yml");
    assert_eq!(workflow["permissions"]["pull-requests"], "write");
    let job = &workflow["jobs"]["promgen"];
    let steps = job["steps"].as_array().unwrap();
    let script = |name: &str| {
        steps.iter().find(|step| step["name"] == name).unwrap()["run"]
            .as_str()
            .unwrap()
    };
    let (origin, checkout, bin) = (
        tempfile::tempdir().unwrap(),
        repository(),
        tempfile::tempdir().unwrap(),
    );
    // A `gh` that lists the comments of a file, and prints its other arguments.
    let gh = bin.path().join("gh");
    let listing = "case \"$*\" in *--jq*) cat \"$RUNNER_TEMP/ids\" ;; *) echo \"$@\" ;; esac";
    fs::write(&gh, format!("#!/bin/sh\n{listing}\n")).unwrap();
    fs::set_permissions(&gh, fs::Permissions::from_mode(0o755)).unwrap();
    let promgen = Path::new(env!("CARGO_BIN_EXE_promgen")).parent().unwrap();
    let path = format!(
        "{}:{}:{}",
        bin.path().display(),
        promgen.display(),
        std::env::var("PATH").unwrap()
    );
    let env = [
        ("PATH", path.as_str()),
        ("GITHUB_BASE_REF", "main"),
        ("PULL_REQUEST", "7"),
        ("GITHUB_REPOSITORY", "a/b"),
        ("ORIGIN", origin.path().to_str().unwrap()),
        ("RUNNER_TEMP", origin.path().to_str().unwrap()),
    ];
    let env = env
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .into();
    let change = "git init -q --bare -b main \"$ORIGIN\" && git init -q -b main . && git remote add origin \"$ORIGIN\" && \
                  git config user.name a && git config user.email a@b.c && git add -A && git commit -qm one && \
                  git push -q origin main && git checkout -qb change && sed -i.old 's/shards: 4/shards: 6/' manifests/main.yaml && \
                  rm manifests/main.yaml.old && git commit -qam two && git fetch -q";
    let prepared = bash(change, checkout.path(), &env);
    assert_eq!(prepared.code, Some(0), "{}", prepared.stderr);
    let compared = bash(script("Compare"), checkout.path(), &env);
    assert_eq!(compared.code, Some(0), "{}", compared.stderr);
    let comment = fs::read_to_string(origin.path().join("diff.md")).unwrap();
    assert!(
        comment.starts_with("<!-- promgen diff -->\n## promgen diff: 1 workload differs")
            && comment.contains("shards: 4 -> 6"),
        "{comment}"
    );
    let file = origin.path().join("diff.md");
    let commented = |ids: &str| {
        fs::write(origin.path().join("ids"), ids).unwrap();
        bash(script("Comment"), checkout.path(), &env).stdout
    };
    assert_eq!(
        commented(""),
        format!("pr comment 7 --body-file {}\n", file.display())
    );
    let edited = format!(
        "api --method PATCH repos/a/b/issues/comments/5 -F body=@{}\n",
        file.display()
    );
    assert_eq!(commented("5\n6\n"), edited);
    fs::write(&file, "").unwrap();
    assert_eq!(commented(""), "");
    assert_eq!(
        commented("5\n"),
        "api --method DELETE repos/a/b/issues/comments/5\n"
    );
    github::check_install(steps);
}

#[test]
fn the_job_of_gitlab_writes_a_code_quality_report_and_test_results() {
    let template = yaml("integrations/gitlab/promgen.gitlab-ci.yml");
    let job = &template["promgen"];
    let [report, junit] =
        ["codequality", "junit"].map(|kind| job["artifacts"]["reports"][kind].as_str().unwrap());
    let variables = template["variables"].as_object().unwrap().iter();
    let mut env: BTreeMap<_, _> = variables
        .map(|(name, value)| (name.clone(), value.as_str().unwrap().to_owned()))
        .collect();
    let cases = [
        (".", "", Some(0)),
        ("manifests/", "", Some(0)),
        ("nowhere/", "", Some(2)),
        (".", "tests/good.yaml", Some(0)),
        (".", "tests/", Some(1)),
        ("nowhere/", "tests/good.yaml", Some(2)),
    ];
    for (paths, tests, code) in cases {
        env.insert("PROMGEN_PATHS".into(), paths.into());
        env.insert("PROMGEN_TESTS".into(), tests.into());
        let folder = repository();
        fs::create_dir(folder.path().join("tests")).unwrap();
        for (name, expected) in [("good", "b"), ("bad", "c")] {
            fs::write(
                folder.path().join(format!("tests/{name}.yaml")),
                relabel_test(expected),
            )
            .unwrap();
        }
        let lines = [texts(&job["before_script"]), texts(&job["script"])]
            .concat()
            .join("\n");
        let done = bash(&lines, folder.path(), &env);
        assert_eq!(done.code, code, "{}", done.stderr);
        let report = fs::read_to_string(folder.path().join(report)).unwrap();
        if paths != "nowhere/" {
            let issues: Vec<Value> = serde_json::from_str(&report).unwrap();
            let issue = issues
                .iter()
                .find(|issue| issue["check_name"] == "idle-shard")
                .unwrap();
            assert_eq!(
                (&issue["location"]["path"], &issue["severity"]),
                (&"manifests/main.yaml".into(), &"minor".into())
            );
            assert_eq!(issue["location"]["lines"]["begin"], 6);
        }
        let junit = fs::read_to_string(folder.path().join(junit));
        assert_eq!(
            junit.is_ok_and(|junit| junit.contains("tests/good.yaml")),
            !tests.is_empty()
        );
    }
}

#[test]
fn the_plugin_of_argo_cd_prints_the_objects_or_fails() {
    let plugin = yaml("integrations/argocd/plugin.yaml");
    let generate = &plugin["spec"]["generate"];
    let command = [texts(&generate["command"]), texts(&generate["args"])].concat();
    let base = root().join("integrations/kustomize/base");
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let shop = fs::read_to_string(base.join("shop.yaml")).unwrap();
    write(
        "kustomization.yaml",
        &fs::read_to_string(base.join("kustomization.yaml")).unwrap(),
    );
    write("shop.yaml", &shop);
    let generated = || run(command[0], &command[1..], folder.path(), &BTreeMap::new());
    let done = generated();
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let built = run("promgen", &["build", "."], folder.path(), &BTreeMap::new()).stdout;
    assert_eq!(done.stdout, built);
    // A finding, a kustomization that does not build: nothing is printed that Argo CD could apply.
    write(
        "shop.yaml",
        &shop
            .replace("kind: ServiceMonitor", "kind: ServiceMonitor\nspecc: {}")
            .replace("- port: http", "- interval: soon"),
    );
    let done = generated();
    assert!(
        done.code == Some(1) && done.stdout.is_empty(),
        "{}{}",
        done.stdout,
        done.stderr
    );
    write("kustomization.yaml", "resources: [missing.yaml]\n");
    let done = generated();
    assert!(
        done.code != Some(0) && done.stdout.is_empty(),
        "{}{}",
        done.stdout,
        done.stderr
    );
}

#[test]
fn the_workflow_for_flux_commits_what_it_rendered() {
    let (origin, checkout) = (tempfile::tempdir().unwrap(), repository());
    let env = BTreeMap::from([("ORIGIN".to_owned(), origin.path().display().to_string())]);
    let prepare = "git init -q --bare -b main \"$ORIGIN\" && git init -q -b main . && git remote add origin \"$ORIGIN\" && \
                   git config push.autoSetupRemote true";
    assert_eq!(bash(prepare, checkout.path(), &env).code, Some(0));
    let workflow = yaml("integrations/flux/render.yml");
    let steps = workflow["jobs"]["promgen"]["steps"].as_array().unwrap();
    let scripts: Vec<_> = steps
        .iter()
        .filter_map(|step| step["run"].as_str())
        .collect();
    // The second run has nothing to commit.
    for _ in 0..2 {
        for script in &scripts {
            let done = bash(script, checkout.path(), &env);
            assert_eq!(done.code, Some(0), "{script}: {}", done.stderr);
        }
        let log = run("git", &["log", "--oneline", "main"], origin.path(), &env).stdout;
        assert_eq!(log.lines().count(), 1, "{log}");
    }
    let applied = yaml("integrations/flux/kustomization.yaml");
    let folder = applied["spec"]["path"]
        .as_str()
        .unwrap()
        .trim_start_matches("./");
    let files = run(
        "git",
        &["ls-tree", "-r", "--name-only", "main"],
        origin.path(),
        &env,
    )
    .stdout;
    for file in [
        "kustomization.yaml",
        "prometheus/shop/main/statefulset-0.yaml",
    ] {
        assert!(
            files.lines().any(|line| line == format!("{folder}/{file}")),
            "{files}"
        );
    }
}

#[test]
#[ignore = "needs ACTIONLINT, the program actionlint"]
fn actionlint_accepts_the_workflows() {
    let actionlint = tool("ACTIONLINT");
    let mut workflows: Vec<_> = [
        "github/lint.yml",
        "github/diff.yml",
        "github/untrusted.yml",
        "flux/render.yml",
    ]
    .map(|path| root().join("integrations").join(path))
    .into();
    let own = fs::read_dir(root().join(".github/workflows")).unwrap();
    workflows.extend(own.map(|entry| entry.unwrap().path()));
    // In a repository, a workflow of another one that uses the local action checks its inputs.
    let folder = tempfile::tempdir().unwrap();
    let workflow = folder.path().join(".github/workflows/local.yml");
    fs::create_dir_all(workflow.parent().unwrap()).unwrap();
    fs::create_dir(folder.path().join(".git")).unwrap();
    let text = fs::read_to_string(&workflows[0]).unwrap();
    fs::write(&workflow, own_action(&text)).unwrap();
    fs::copy(root().join("action.yml"), folder.path().join("action.yml")).unwrap();
    for file in workflows.iter().chain([&workflow]) {
        let done = run(
            actionlint.to_str().unwrap(),
            &["-no-color", file.to_str().unwrap()],
            folder.path(),
            &BTreeMap::new(),
        );
        assert_eq!(
            (done.code, done.stdout.as_str()),
            (Some(0), ""),
            "{}",
            done.stderr
        );
    }
    let wrong = fs::read_to_string(&workflow)
        .unwrap()
        .replace("fail-on:", "fail-at:");
    fs::write(&workflow, wrong).unwrap();
    let done = run(
        actionlint.to_str().unwrap(),
        &["-no-color", workflow.to_str().unwrap()],
        folder.path(),
        &BTreeMap::new(),
    );
    assert!(
        done.code == Some(1) && done.stdout.contains("fail-at"),
        "{}",
        done.stdout
    );
}

#[test]
fn the_hooks_check_a_repository() {
    let example = yaml("integrations/pre-commit/.pre-commit-config.yaml");
    let used = example["repos"][0]["hooks"].as_array().unwrap();
    let hooks = yaml(".pre-commit-hooks.yaml");
    let hooks = hooks.as_array().unwrap();
    assert!(
        used.iter()
            .all(|used| hooks.iter().any(|hook| hook["id"] == used["id"]))
    );
    let folder = repository();
    fs::create_dir(folder.path().join("tests")).unwrap();
    fs::write(folder.path().join("tests/relabel.yaml"), relabel_test("c")).unwrap();
    for hook in hooks {
        let id = hook["id"].as_str().unwrap();
        let used = used
            .iter()
            .find(|used| id.starts_with(used["id"].as_str().unwrap()))
            .unwrap();
        let says = if id.starts_with("promgen-test") {
            "1 of 1 test failed"
        } else {
            "PG201"
        };
        for args in [
            Some(&used["args"]),
            Some(&hook["args"]).filter(|args| !args.is_null()),
        ]
        .into_iter()
        .flatten()
        {
            let entry: Vec<_> = hook["entry"]
                .as_str()
                .unwrap()
                .split(' ')
                .chain(texts(args))
                .collect();
            let done = run(entry[0], &entry[1..], folder.path(), &BTreeMap::new());
            assert!(
                done.code == Some(1) && done.stdout.contains(says),
                "{id}: {}{}",
                done.stdout,
                done.stderr
            );
        }
    }
}

#[test]
#[ignore = "needs PRE_COMMIT, the program pre-commit"]
fn pre_commit_runs_the_hook() {
    let pre_commit = tool("PRE_COMMIT");
    let (hooks, checked) = (tempfile::tempdir().unwrap(), repository());
    fs::copy(
        root().join(".pre-commit-hooks.yaml"),
        hooks.path().join(".pre-commit-hooks.yaml"),
    )
    .unwrap();
    let env = BTreeMap::from([(
        "PRE_COMMIT_HOME".to_owned(),
        hooks.path().join("home").display().to_string(),
    )]);
    for folder in [&hooks, &checked] {
        let commands =
            "git init -q . && git add -A && git -c user.name=a -c user.email=a@b.c commit -qm one";
        assert_eq!(bash(commands, folder.path(), &env).code, Some(0));
    }
    let run = |text: &str| {
        let config = format!(
            "repos:\n- repo: {}\n  rev: HEAD\n  hooks:\n  - id: promgen-lint-system\n    args: [{text}]\n",
            hooks.path().display()
        );
        let file = checked.path().join(".pre-commit-config.yaml");
        fs::write(file, config).unwrap();
        run(
            pre_commit.to_str().unwrap(),
            &["run", "--all-files"],
            checked.path(),
            &env,
        )
    };
    let done = run("manifests/");
    assert!(
        done.code == Some(0) && done.stdout.contains("Passed"),
        "{}{}",
        done.stdout,
        done.stderr
    );
    let done = run("--fail-on=warning, manifests/");
    assert!(
        done.code == Some(1) && done.stdout.contains("PG201"),
        "{}{}",
        done.stdout,
        done.stderr
    );
}
