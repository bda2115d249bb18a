//! What a stranger's repository, tree or chart may hold: `--trust`, names of a tree of git, files beside tests, receivers of a Secret,
//! and messages to the language server.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::support::Ran;

const RULES: &str =
    "apiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata: {name: A}\nspec: {}\n";
const MAIN: &str = "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {name: main, namespace: d}\n\
                    spec: {serviceMonitorSelector: {}, ruleSelector: {}}\n";

/// A repository whose first commit is the base.
struct Repository {
    folder: TempDir,
}

impl Repository {
    fn new(files: &[(&str, &str)]) -> Self {
        let repository = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        repository.git(&["init", "-q", "-b", "main", "."], "");
        files
            .iter()
            .for_each(|(name, text)| repository.write(name, text));
        repository.commit();
        repository
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn git(&self, args: &[&str], input: &str) -> String {
        let mut command = Command::new("git");
        command
            .args([
                "-c",
                "user.name=a",
                "-c",
                "user.email=a@b.c",
                "-c",
                "commit.gpgsign=false",
            ])
            .args(args);
        command
            .current_dir(self.folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child
            .stdin
            .take()
            .unwrap()
            .write_all(input.as_bytes())
            .unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "git {args:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    fn commit(&self) {
        self.git(&["add", "-A", "-f"], "");
        self.git(&["commit", "-qm", "change", "--allow-empty"], "");
    }

    fn run(&self, args: &[&str]) -> Ran {
        run(args, self.folder.path(), None)
    }
}

fn run(args: &[&str], folder: &Path, stdin: Option<&str>) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_promgen"));
    command
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(stdin.unwrap_or_default().as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
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

#[test]
fn settings_of_a_stranger_do_not_count() {
    let off = "ignore: [PG]\nexclude: ['**/evil.yaml']\n";
    let marked = format!("# promgen: generated\n# promgen: allow(PG)\n{RULES}");
    let monitor = "# promgen: generated\napiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\n\
                   metadata: {name: evil, namespace: d}\nspec: {selector: {}, endpoints: [{port: web}]}\n";
    for base in [
        &[("m/x.yaml", MAIN)][..],
        &[
            ("m/x.yaml", MAIN),
            ("promgen.yaml", "select: [PG015, PG011]\n"),
        ],
    ] {
        let repository = Repository::new(base);
        for (name, text) in [
            ("promgen.yaml", off),
            ("m/promgen.yaml", off),
            (".gitignore", "evil.yaml\n"),
            ("m/.ignore", "*\n"),
            ("m/evil.yaml", &marked),
            ("m/monitor.yaml", monitor),
        ] {
            repository.write(name, text);
        }
        repository.commit();
        let lint = ["lint", "--format", "github", "--trust", "HEAD~1", "m"];
        let ran = repository.run(&lint);
        assert!(
            ran.code == 1 && ran.stdout.contains("::error file=m/evil.yaml,"),
            "{}{}",
            ran.stdout,
            ran.stderr
        );
        let without = repository.run(&["lint", "--format", "github", "m"]);
        assert!(!without.stdout.contains("evil"), "{}", without.stdout);
        let ran = repository.run(&["diff", "HEAD~1..HEAD", "--trust", "HEAD~1", "--", "m"]);
        assert!(
            ran.stdout.contains("d/evil"),
            "{}{}",
            ran.stdout,
            ran.stderr
        );
    }
}

/// A pull request can neither take away nor change nor add a policy, wherever its file stands.
#[test]
fn policies_are_those_of_the_base() {
    let policy = "policies:\n- {name: named, level: error, match: {kind: ServiceMonitor}, forbid: 'true', message: of the base}\n";
    let evil = policy.replace("named", "evil").replace("base", "head");
    let monitor = "apiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata: {name: a, namespace: d}\nspec: {selector: {}, \
                   endpoints: [{port: a}]}\n";
    let base = [
        ("m/a.yaml", MAIN),
        ("m/own.policy.yaml", policy),
        ("m/b.yaml", monitor),
    ];
    let repository = Repository::new(&base);
    repository.write(
        "m/own.policy.yaml",
        &policy.replace("forbid: 'true'", "forbid: 'false'"),
    );
    repository.write("m/evil.policy.yaml", &evil);
    repository.commit();
    let ran = repository.run(&["lint", "--trust", "HEAD~1", "m"]);
    let all = ran.stdout + &ran.stderr;
    assert!(
        ran.code == 1 && all.contains("of the base") && !all.contains("of the head"),
        "{all}"
    );
    let ran = repository.run(&["lint", "m"]);
    let all = ran.stdout + &ran.stderr;
    assert!(
        !all.contains("of the base") && all.contains("of the head"),
        "{all}"
    );
}

/// `report`, `upgrade` and `test` take what the base has; `render` reads no settings, and has a flag for marks.
#[test]
fn other_commands_trust_a_revision_too() {
    let tests = "tests:\n- name: a rule\n  relabel_configs: [{target_label: a, replacement: b}]\n  labels: {c: d}\n  \
                 expect: {labels: {a: b, c: d}}\n";
    let repository = Repository::new(&[("m/a.yaml", MAIN), ("t.yaml", tests)]);
    let monitor = "apiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata: {name: evil, namespace: d}\n\
                   spec: {selector: {}, endpoints: [{port: web}]}\n";
    repository.write("m/evil.yaml", &format!("# promgen: generated\n{monitor}"));
    repository.write("m/promgen.yaml", "exclude: [evil.yaml]\n");
    repository.write("t.yaml", &tests.replace("labels: {a: b,", "labels: {a: c,"));
    repository.commit();

    for args in [
        &["report", "--format", "json"][..],
        &["upgrade", "--from", "v0.91.0", "--to", "v0.92.0"],
    ] {
        let hidden = repository.run(&[args, &["m"]].concat());
        assert!(
            hidden.code == 0 && !hidden.stdout.contains("evil"),
            "{args:?}: {}{}",
            hidden.stdout,
            hidden.stderr
        );
        let seen = repository.run(&[args, &["--trust", "HEAD~1", "m"]].concat());
        assert!(seen.code == 0, "{args:?}: {}", seen.stderr);
        // An upgrade shows a job only if it changes it.
        assert!(
            args[0] == "upgrade" || seen.stdout.contains("evil"),
            "{}",
            seen.stdout
        );
    }
    let own = repository.run(&["test", "t.yaml"]);
    assert!(
        own.code == 1 && own.stdout.contains("a rule"),
        "{}{}",
        own.stdout,
        own.stderr
    );
    for path in ["t.yaml", "."] {
        let of_base = repository.run(&["test", "--trust", "HEAD~1", path]);
        assert!(
            of_base.code == 0 && of_base.stdout.contains("1 test passed"),
            "{}{}",
            of_base.stdout,
            of_base.stderr
        );
    }
    let absent = repository.run(&["test", "--trust", "HEAD~1", "other.yaml"]);
    assert!(
        absent.code == 2 && absent.stderr.contains("other.yaml"),
        "{}",
        absent.stderr
    );

    let render =
        |args: &[&str]| repository.run(&[&["render", "m/a.yaml", "m/evil.yaml"], args].concat());
    assert!(!render(&[]).stdout.contains("serviceMonitor/d/evil/0"));
    assert!(
        render(&["--no-allow"])
            .stdout
            .contains("serviceMonitor/d/evil/0")
    );
}

/// A link that leads out is refused by its name, where values of a chart are asked for.
#[test]
#[cfg(unix)]
fn a_link_to_values_elsewhere_is_named() {
    let elsewhere = tempfile::tempdir().unwrap();
    fs::write(
        elsewhere.path().join("values.yaml"),
        "prometheus: {prometheusSpec: {shards: 3}}\n",
    )
    .unwrap();
    let chart = "apiVersion: v2\nname: mon\nversion: 1.0.0\ndependencies:\n- {name: kube-prometheus-stack, version: 75.18.1, \
                 repository: \"https://prometheus-community.github.io/helm-charts\"}\n";
    let built = "helmCharts:\n- {name: kube-prometheus-stack, version: 75.18.1, releaseName: kps, namespace: mon, valuesFile: \
                 values.yaml}\n";
    let repository = Repository::new(&[
        ("chart/Chart.yaml", chart),
        ("build/kustomization.yaml", built),
    ]);
    for folder in ["chart", "build"] {
        let link = repository.folder.path().join(folder).join("values.yaml");
        std::os::unix::fs::symlink(elsewhere.path().join("values.yaml"), link).unwrap();
        let ran = repository.run(&["lint", folder]);
        let expected =
            "values.yaml is not read: it leads out of the repository; what it may set of release";
        assert!(ran.stdout.contains(expected), "{}", ran.stdout);
        assert!(
            !ran.stdout.contains("values.yaml is not in the input"),
            "{}",
            ran.stdout
        );
    }
}

/// A chart makes a Secret of the configuration in its values; its receivers stand in clear there, unless they repeat a secret.
#[test]
fn receivers_in_values_of_a_chart_are_shown() {
    let release = |name: &str, more: &str| {
        format!(
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: kps, namespace: mon}}\nspec:\n  \
             interval: 1m\n  chart: {{spec: {{chart: kube-prometheus-stack, version: 75.18.1, sourceRef: {{kind: \
             HelmRepository, name: pc}}}}}}\n{more}  values:\n    alertmanager:\n      config:\n        route: {{routes: [], receiver: \
             {name}}}\n        receivers: [{{name: {name}, slack_configs: [{{api_url: \"https://s.example/MARK3RQ\"}}]}}]\n"
        )
    };
    let secret = "---\napiVersion: v1\nkind: Secret\nmetadata: {name: more, namespace: mon}\nstringData:\n  values.yaml: |\n    \
                  alertmanager: {config: {route: {receiver: MARK3RQ}, receivers: [{name: MARK3RQ}]}}\n";
    let from = "  valuesFrom: [{kind: Secret, name: more}]\n";
    let repository = Repository::new(&[("a.yaml", &release("team-shop", ""))]);
    let route = |repository: &Repository| repository.run(&["route", "severity=critical", "."]);
    let shown = route(&repository);
    assert!(
        shown.stdout.contains("team-shop") && !shown.stdout.contains("redacted"),
        "{}{}",
        shown.stdout,
        shown.stderr
    );
    repository.write(
        "a.yaml",
        &release("team-shop", "").replace("{name: team-shop,", "{name: team-stop,"),
    );
    let refused = repository.run(&["lint"]);
    assert!(
        refused.stdout.contains("undefined receiver \"team-shop\"")
            && !refused.stdout.contains("redacted"),
        "{}",
        refused.stdout
    );
    let built = "helmCharts:\n- name: kube-prometheus-stack\n  version: 75.18.1\n  releaseName: kps\n  namespace: mon\n  \
                 valuesInline: {alertmanager: {config: {route: {routes: [], receiver: team-cart}, receivers: [{name: team-cart}]}}}\n";
    repository.write("k/kustomization.yaml", built);
    let route = |repository: &Repository| repository.run(&["route", "severity=critical", "k"]);
    assert!(
        route(&repository).stdout.contains("team-cart"),
        "{}",
        route(&repository).stdout
    );
    let patch = "patches:\n- target: {kind: Secret}\n  patch: |\n    - op: replace\n      path: /data\n      value:\n        \
                 alertmanager.yaml: cm91dGU6IHtyZWNlaXZlcjogTUFSSzNSUX0KcmVjZWl2ZXJzOiBbe25hbWU6IE1BUkszUlF9XQo=\n";
    repository.write("k/kustomization.yaml", &(built.to_owned() + patch));
    let patched = route(&repository);
    assert!(
        !patched.stdout.contains("MARK3RQ") && patched.stdout.contains("<redacted>"),
        "{}",
        patched.stdout
    );
    repository.git(&["clean", "-fdq"], "");
    repository.write("a.yaml", &(release("null", from) + secret));
    for args in [
        &["route", "severity=critical"][..],
        &["report"],
        &["diff", "HEAD", "--"],
    ] {
        let ran = repository.run(&[args, &["."]].concat());
        assert!(
            !(ran.stdout.clone() + &ran.stderr).contains("MARK3RQ"),
            "{args:?}: {}{}",
            ran.stdout,
            ran.stderr
        );
    }
}

#[test]
fn what_the_base_says_counts() {
    let base = [
        ("m/x.yaml", MAIN),
        (
            "promgen.yaml",
            "exclude: [m/old.yaml]\nbaseline: known.json\n",
        ),
        ("m/old.yaml", RULES),
    ];
    let repository = Repository::new(&base);
    repository.write("m/known.yaml", &RULES.replace("name: A", "name: B"));
    let recorded = repository.run(&[
        "lint",
        "--no-config",
        "--write-baseline",
        "known.json",
        "m/known.yaml",
    ]);
    assert_eq!(recorded.code, 0, "{}", recorded.stderr);
    repository.commit();
    for change in ["", "{\"version\": 1, \"findings\": []}\n"] {
        if !change.is_empty() {
            repository.write("known.json", change);
            repository.write("promgen.yaml", "");
        }
        let ran = repository.run(&["lint", "--trust", "HEAD", "m"]);
        assert!(
            !ran.stdout.contains("old.yaml") && !ran.stdout.contains("known.yaml"),
            "{}",
            ran.stdout
        );
    }
    let ran = repository.run(&["lint", "--trust", "nowhere", "m"]);
    assert!(
        ran.code == 2 && ran.stderr.contains("--trust: ") && ran.stderr.contains("nowhere"),
        "{}",
        ran.stderr
    );
    let both = repository.run(&["lint", "--trust", "HEAD", "--no-config", "m"]);
    assert_eq!(both.code, 2, "{}", both.stderr);
}

/// `test` passes over what is no test, and shows none of its lines.
#[test]
fn files_beside_tests_are_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let secret =
        "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData: {password: MARK3RQ}\n";
    for (name, text) in [
        ("secret.yaml", secret),
        ("env.yaml", "A=MARK3RQ\n"),
        (
            "values.yaml",
            "grafana:\n  adminPassword: MARK3RQ\ntests: {enabled: true}\n",
        ),
        ("broken.yaml", "token: MARK3RQ\n a: [\n"),
        (
            "t.yaml",
            "tests:\n- name: a\n  relabel_configs: [{action: drop, source_labels: [x], regex: b}]\n  labels: {x: b}\n  expect: {dropped: true}\n",
        ),
    ] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let ran = run(&["test", "."], folder.path(), None);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(
        ran.stdout.contains("1 test passed") && ran.stderr.contains("passed over 4 files"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
    for file in ["secret.yaml", "env.yaml", "values.yaml", "broken.yaml"] {
        let named = run(&["test", file], folder.path(), None);
        assert!(
            named.code == 2 && named.stderr.contains("is not a test file"),
            "{}",
            named.stderr
        );
        assert!(!named.stderr.contains("MARK3RQ"), "{}", named.stderr);
    }
    fs::write(folder.path().join("t.yaml"), "tests:\n- nme: a\n").unwrap();
    let wrong = run(&["test", "."], folder.path(), None);
    assert!(
        wrong.code == 2 && wrong.stderr.contains("PG006"),
        "{}",
        wrong.stderr
    );
}

/// A tree with the names `..` and `.git`, as no checkout makes it.
#[test]
fn a_tree_of_git_stays_in_its_folder() {
    let repository = Repository::new(&[("a.yaml", MAIN)]);
    let escaped = repository.git(&["hash-object", "-w", "--stdin"], "escaped\n");
    let chart = repository.git(
        &["hash-object", "-w", "--stdin"],
        "apiVersion: v2\nname: mon\nversion: 1.0.0\n",
    );
    let release = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: mon, namespace: mon}\nspec:\n  \
                   interval: 1m\n  chart: {spec: {chart: ./charts/mon, sourceRef: {kind: GitRepository, name: g}}}\n";
    let release = repository.git(&["hash-object", "-w", "--stdin"], release);
    // `mktree` checks names, `hash-object --literally` does not.
    let tree = |entries: &[(&str, &str, &str)]| {
        let mut bytes = Vec::new();
        for (mode, name, id) in entries {
            bytes.extend(format!("{mode} {name}\0").into_bytes());
            bytes
                .extend((0..20).map(|at| u8::from_str_radix(&id[2 * at..2 * at + 2], 16).unwrap()));
        }
        let file = repository.folder.path().join("tree");
        fs::write(&file, bytes).unwrap();
        repository.git(
            &["hash-object", "-t", "tree", "-w", "--literally", "tree"],
            "",
        )
    };
    for name in ["..", ".git", "."] {
        let inner = tree(&[("100644", "ESCAPED", &escaped)]);
        let mon = tree(&[("100644", "Chart.yaml", &chart), ("40000", name, &inner)]);
        let charts = tree(&[("40000", "mon", &mon)]);
        let root = tree(&[
            ("40000", "charts", &charts),
            ("100644", "hr.yaml", &release),
        ]);
        let commit = repository.git(&["commit-tree", &root, "-m", "x"], "");
        let bin = tempfile::tempdir().unwrap();
        let helm = bin.path().join("helm");
        let script = format!(
            "#!/bin/sh\ncase $1 in version) echo v3.16.0;; env) echo /none;; *) touch {}/ran;; esac\n",
            bin.path().display()
        );
        fs::write(&helm, script).unwrap();
        #[cfg(unix)]
        fs::set_permissions(&helm, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let path = format!(
            "{}:{}",
            bin.path().display(),
            std::env::var("PATH").unwrap()
        );
        let output = Command::new(env!("CARGO_BIN_EXE_promgen"))
            .args(["diff", &format!("{commit}..{commit}"), "--helm"])
            .current_dir(repository.folder.path())
            .env("PATH", path)
            .env("PROMGEN_CACHE_DIR", bin.path().join("cache"))
            .output()
            .unwrap();
        let text = [output.stdout, output.stderr]
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .concat();
        assert!(!bin.path().join("ran").exists(), "{name}: {text}");
    }
}

#[test]
fn receivers_of_a_secret_are_hidden() {
    let alertmanager = "apiVersion: monitoring.coreos.com/v1\nkind: Alertmanager\nmetadata: {name: am, namespace: d}\n\
                        spec: {replicas: 1, configSecret: amc}\n---\napiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\n\
                        metadata: {name: r, namespace: d}\nspec: {groups: [{name: g, rules: [{alert: Down, expr: up == 0}]}]}\n---\n";
    let secret = |name: &str| {
        format!(
            "apiVersion: v1\nkind: Secret\nmetadata: {{name: amc, namespace: d}}\nstringData:\n  alertmanager.yaml: |\n    \
             route: {{receiver: {name}}}\n    receivers: [{{name: {name}}}]\n"
        )
    };
    let folder = tempfile::tempdir().unwrap();
    for (name, receiver) in [("old.yaml", "MARK3RQone"), ("new.yaml", "MARK3RQtwo")] {
        fs::write(
            folder.path().join(name),
            [alertmanager, MAIN, "---\n", &secret(receiver)].concat(),
        )
        .unwrap();
    }
    for format in ["text", "markdown", "json"] {
        let ran = run(
            &[
                "diff",
                "old.yaml",
                "new.yaml",
                "--no-config",
                "--format",
                format,
            ],
            folder.path(),
            None,
        );
        let shown = [ran.stdout, ran.stderr].concat();
        assert!(!shown.contains("MARK3RQ"), "{shown}");
    }
}

#[test]
fn a_message_that_is_too_large_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let ran = run(
        &["lsp"],
        folder.path(),
        Some("Content-Length: 4000000000\r\n\r\n{}"),
    );
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(
        ran.stderr
            .contains("cannot read standard input: a message of 4000000000 bytes exceeds"),
        "{}",
        ran.stderr
    );
}
