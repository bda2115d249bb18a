//! `promgen test` on files of `promtool test rules`: with the promtool that `PROMTOOL` names, and with programs that stand in for one.

use std::fs;

use tempfile::TempDir;

use crate::support::{Ran, promgen, tool};

const RULES: &str = "apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata: {name: till, namespace: shop}
spec:
  groups:
  - name: till
    rules:
    - alert: TillOpen
      expr: till_open > 0
      for: 2m
      labels: {severity: page}
    - record: till:open:sum
      expr: sum(till_open)
";

const SERVER: &str = "apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: {name: main, namespace: monitoring}
spec: {ruleSelector: {}, ruleNamespaceSelector: {}, enforcedNamespaceLabel: namespace}
---
apiVersion: v1
kind: Namespace
metadata: {name: shop}
";

fn test(top: &str, time: &str) -> String {
    format!(
        "{top}\ntests:\n- name: tills close\n  input_series: [{{series: 'till_open{{namespace=\"shop\"}}', values: 1x9}}]\n  alert_rule_test:\n  \
         - {{eval_time: {time}, alertname: TillOpen, exp_alerts: [{{exp_labels: {{severity: page, namespace: shop}}}}]}}\n"
    )
}

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::create_dir_all(folder.path().join(name).parent().unwrap()).unwrap();
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

/// Runs the tests of a folder.
fn run(folder: &TempDir, paths: &[&str], options: &[&str]) -> Ran {
    let paths: Vec<String> = paths
        .iter()
        .map(|path| folder.path().join(path).display().to_string())
        .collect();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    promgen(&[&["test"], &paths[..], options].concat())
}

fn promtool() -> String {
    tool("PROMTOOL").into_os_string().into_string().unwrap()
}

#[test]
#[ignore = "needs PROMTOOL, the program promtool"]
fn rules_are_tested_as_written_and_as_mounted() {
    let promtool = promtool();
    let files = folder(&[
        ("m/rules.yaml", RULES),
        ("m/server.yaml", SERVER),
        ("written.yaml", &test("rule_files: [m/rules.yaml]", "2m")),
        ("mounted.yaml", &test("workload: monitoring/main", "2m")),
        ("early.yaml", &test("workload: monitoring/main", "1m")),
    ]);
    let options = ["--promtool", &promtool];
    for file in ["written.yaml", "mounted.yaml"] {
        let ran = run(&files, &[file, "m"], &options);
        assert_eq!(ran.code, 0, "{file}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stdout.ends_with("1 test passed\n"), "{}", ran.stdout);
    }
    let ran = run(&files, &["early.yaml", "m"], &options);
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    assert!(
        ran.stdout.contains("m/rules.yaml:8:7") && ran.stdout.contains("early.yaml:6"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout.contains("+ nothing") && !ran.stdout.contains("r0-0"),
        "{}",
        ran.stdout
    );
}

#[test]
#[ignore = "needs PROMTOOL, the program promtool"]
fn coverage_names_what_no_test_sees() {
    let promtool = promtool();
    let other = RULES
        .replace("till, namespace", "other, namespace")
        .replace("TillOpen", "TillLost");
    let files = folder(&[
        ("m/rules.yaml", RULES),
        ("m/other.yaml", &other),
        (".git/HEAD", ""),
        ("t/tests.yaml", &test("rule_files: [../m/rules.yaml]", "2m")),
    ]);
    // A file that is named in several ways is one.
    let ran = run(
        &files,
        &["t/tests.yaml", "t/../m"],
        &[
            "--promtool",
            &promtool,
            "--coverage",
            "--min-coverage",
            "60",
        ],
    );
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    assert!(
        ran.stdout.contains("TillOpen: never seen not firing"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout.contains("TillLost: not evaluated"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout.ends_with("\n2 of 4 rules evaluated (50 %)\n"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stderr
            .contains("coverage is 50 %, below 60 %: no test evaluates TillLost"),
        "{}",
        ran.stderr
    );
}

/// A promtool that passes all tests.
#[cfg(unix)]
fn passing(folder: &TempDir) -> String {
    use std::os::unix::fs::PermissionsExt as _;

    let program = folder.path().join("promtool");
    let script = "#!/bin/sh\nshift 2\nfor file; do printf 'Unit Testing:  %s\\n  SUCCESS\\n\\n' \"$file\"; done\n";
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    program.display().to_string()
}

/// Rules of which a workload mounts some, and a test evaluates some of these.
#[cfg(unix)]
fn partly_tested() -> TempDir {
    let other = RULES
        .replace("till, namespace", "other, namespace")
        .replace("TillOpen", "TillLost");
    let alone = other
        .replace("other, namespace: shop", "alone, namespace: away")
        .replace("Lost", "Gone");
    folder(&[
        ("m/rules.yaml", RULES),
        ("m/other.yaml", &other),
        ("m/alone.yaml", &alone),
        (
            "m/server.yaml",
            &SERVER.replace("ruleNamespaceSelector: {}, ", "ruleNamespaceSelector: {matchLabels: {a: b}}, ").replace(
                "metadata: {name: shop}",
                "metadata: {name: shop, labels: {a: b}}\n---\napiVersion: v1\nkind: Namespace\nmetadata: {name: away}",
            ),
        ),
        ("tests.yaml", &test("rule_files: [m/rules.yaml]", "2m")),
    ])
}

#[cfg(unix)]
#[test]
fn the_rules_of_a_workload_are_a_suite_of_junit() {
    let files = partly_tested();
    let promtool = passing(&files);
    let asked = [
        "--promtool",
        &promtool,
        "--coverage",
        "--min-coverage",
        "60",
    ];
    let plain = |text: &str| text.replace(&format!("{}/", files.path().display()), "");
    let ran = run(
        &files,
        &["tests.yaml", "m"],
        &[&asked[..], &["--format", "junit"]].concat(),
    );
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    insta::assert_snapshot!(plain(&ran.stdout), @r#"
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="promgen" tests="8" failures="1" errors="0">
      <testsuite name="tests.yaml" tests="1" failures="0" errors="0" skipped="0">
        <testcase name="tills close" classname="tests.yaml" file="tests.yaml" line="3"/>
      </testsuite>
      <testsuite name="coverage" tests="3" failures="1" errors="0" skipped="2">
        <properties>
          <property name="rules" value="6"/>
          <property name="evaluated" value="2"/>
          <property name="percent" value="33"/>
        </properties>
        <testcase name="TillGone" classname="coverage: m/alone.yaml" file="m/alone.yaml" line="8">
          <skipped message="not evaluated"/>
        </testcase>
        <testcase name="till:open:sum" classname="coverage: m/alone.yaml" file="m/alone.yaml" line="12">
          <skipped message="not evaluated"/>
        </testcase>
        <testcase name="at least 60 %" classname="coverage">
          <failure message="coverage is 33 %, below 60 %: no test evaluates TillGone, till:open:sum, TillLost, till:open:sum">coverage is 33 %, below 60 %: no test evaluates TillGone, till:open:sum, TillLost, till:open:sum</failure>
        </testcase>
      </testsuite>
      <testsuite name="coverage of Prometheus/monitoring/main" tests="4" failures="0" errors="0" skipped="3">
        <properties>
          <property name="rules" value="4"/>
          <property name="evaluated" value="2"/>
          <property name="percent" value="50"/>
        </properties>
        <testcase name="TillLost" classname="coverage of Prometheus/monitoring/main: m/other.yaml" file="m/other.yaml" line="8">
          <skipped message="not evaluated"/>
        </testcase>
        <testcase name="till:open:sum" classname="coverage of Prometheus/monitoring/main: m/other.yaml" file="m/other.yaml" line="12">
          <skipped message="not evaluated"/>
        </testcase>
        <testcase name="TillOpen" classname="coverage of Prometheus/monitoring/main: m/rules.yaml" file="m/rules.yaml" line="8">
          <skipped message="never seen not firing"/>
        </testcase>
        <testcase name="till:open:sum" classname="coverage of Prometheus/monitoring/main: m/rules.yaml" file="m/rules.yaml" line="12"/>
      </testsuite>
    </testsuites>
    "#);
    let ran = run(&files, &["tests.yaml", "m"], &asked);
    let by_workload = "\nPrometheus/monitoring/main: 2 of 4 rules evaluated (50 %)\n2 of 6 rules evaluated (33 %)\n";
    assert!(ran.stdout.ends_with(by_workload), "{}", ran.stdout);
    // What `--min-coverage` alone says has no rules.
    let ran = run(
        &files,
        &["tests.yaml", "m"],
        &[
            "--promtool",
            &promtool,
            "--min-coverage",
            "20",
            "--format",
            "junit",
        ],
    );
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stdout
            .contains(r#"<testcase name="at least 20 %" classname="coverage"/>"#),
        "{}",
        ran.stdout
    );
    assert!(!ran.stdout.contains("TillLost"), "{}", ran.stdout);
}

#[cfg(unix)]
#[test]
fn the_report_shows_what_a_run_of_tests_wrote() {
    let files = partly_tested();
    let promtool = passing(&files);
    let (results, folder) = (files.path().join("m/results.json"), files.path().join("m"));
    let written = ["--format", "json", "--report", results.to_str().unwrap()];
    let asked = ["--promtool", &promtool, "--coverage"];
    assert_eq!(
        run(
            &files,
            &["tests.yaml", "m"],
            &[&asked[..], &written].concat()
        )
        .code,
        0
    );
    let report = |options: &[&str]| {
        promgen(
            &[
                &["report", "--no-config", folder.to_str().unwrap()],
                options,
            ]
            .concat(),
        )
    };
    let page = report(&["--tests", results.to_str().unwrap()]);
    assert_eq!((page.code, page.stderr.as_str()), (0, ""));
    for part in [
        "2 of 6 rules evaluated (33 %)",
        ">Prometheus/monitoring/main<",
        ">TillLost<",
        "never seen not firing",
    ] {
        assert!(page.stdout.contains(part), "{part}: {}", page.stdout);
    }
    assert!(!report(&[]).stdout.contains("id=\"tests\""));
    for (text, words) in [
        ("[]", "has no results of tests: invalid type"),
        (
            "{\"version\": 1, \"command\": \"lint\", \"files\": []}",
            "`promgen lint` wrote it",
        ),
        (
            "{\"version\": 9, \"command\": \"test\", \"files\": []}",
            "its format has version 9, not 1",
        ),
    ] {
        fs::write(&results, text).unwrap();
        let ran = report(&["--tests", results.to_str().unwrap()]);
        assert!(
            ran.code == 2 && ran.stderr.contains(words),
            "{text}: {}",
            ran.stderr
        );
    }
}

#[test]
#[ignore = "needs PROMTOOL, the program promtool"]
fn a_first_test_passes_where_the_expression_is_simple() {
    let promtool = promtool();
    let more = RULES
        .replace("till_open > 0", "till_open{shop=~\"a|b\", kind!=\"x\"} < 3")
        .replace("till, namespace", "b, namespace");
    let more = more.replace(
        "labels: {severity: page}",
        "annotations: {summary: 'till of {{ $labels.shop }}: {{ $value }}'}",
    );
    let files = folder(&[
        ("a.yaml", RULES),
        ("b.yaml", &more.replace("TillOpen", "TillShut")),
    ]);
    let ran = run(&files, &["a.yaml", "b.yaml"], &["--new"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    fs::write(
        files.path().join("new.yaml"),
        ran.stdout
            .replace(&format!("{}/", files.path().display()), ""),
    )
    .unwrap();
    let ran = run(&files, &["new.yaml"], &["--promtool", &promtool]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let ran = run(&files, &["new.yaml", "a.yaml", "b.yaml"], &["--new"]);
    assert_eq!(
        (ran.code, ran.stdout.as_str(), ran.stderr.as_str()),
        (0, "", "note: no alert without a test\n")
    );
}

#[test]
fn errors_of_a_file_of_tests_have_their_place() {
    let files = folder(&[
        ("rules.yaml", RULES),
        (
            "key.yaml",
            &test("rule_files: [rules.yaml]", "2m").replace("input_series", "inputs"),
        ),
        ("time.yaml", &test("rule_files: [rules.yaml]", "soon")),
        ("file.yaml", &test("rule_files: [ruels.yaml]", "2m")),
        ("none.yaml", &test("evaluation_interval: 1m", "2m")),
    ]);
    let sh = folder(&[("promtool", "")]);
    let promtool = sh.path().join("promtool").display().to_string();
    for (file, place, words) in [
        ("key.yaml", "key.yaml:4:3", "did you mean `input_series`?"),
        ("time.yaml", "time.yaml:6:17", "`soon` is no duration"),
        ("file.yaml", "file.yaml:1:14", "`ruels.yaml` does not exist"),
        (
            "none.yaml",
            "none.yaml:3:1",
            "the tests require `rule_files` or `workload`",
        ),
    ] {
        let ran = run(&files, &[file], &["--promtool", &promtool]);
        assert_eq!(ran.code, 2, "{file}");
        assert!(
            ran.stderr.contains(place) && ran.stderr.contains(words),
            "{file}: {}",
            ran.stderr
        );
    }
    let ran = run(&files, &["rules.yaml"], &["--promtool", &promtool]);
    assert!(
        ran.code == 2 && ran.stderr.contains("is not a test file"),
        "{}",
        ran.stderr
    );
    let ran = run(
        &folder(&[("a.yaml", &test("rule_files: [a.yaml]", "2m"))]),
        &["a.yaml"],
        &["--promtool", "nowhere/promtool"],
    );
    assert!(
        ran.code == 2
            && ran
                .stderr
                .contains("there is no promtool `nowhere/promtool`: install"),
        "{}",
        ran.stderr
    );
}

/// What promgen has started ends with it, and leaves nothing.
#[cfg(unix)]
#[test]
fn a_signal_ends_promtool_too() {
    use std::io::{BufRead as _, BufReader, Read as _};
    use std::os::unix::fs::PermissionsExt as _;
    use std::process::{Command, Stdio};

    let files = folder(&[
        ("rules.yaml", RULES),
        ("tests.yaml", &test("rule_files: [rules.yaml]", "2m")),
        ("tmp/x", ""),
    ]);
    let (program, pipe) = (files.path().join("promtool"), files.path().join("pipe"));
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let script = format!(
        "#!/bin/sh\nexec 3> '{}'\necho runs >&3\nsleep 60\necho late >&3\n",
        pipe.display()
    );
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_promgen"));
    command
        .args(["test", "tests.yaml", "--promtool"])
        .arg(&program)
        .current_dir(files.path());
    command
        .env("TMPDIR", files.path().join("tmp"))
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut promgen = command.spawn().unwrap();
    let mut said = BufReader::new(fs::File::open(&pipe).unwrap());
    let mut line = String::new();
    said.read_line(&mut line).unwrap();
    assert_eq!(line, "runs\n");
    assert!(
        Command::new("kill")
            .args(["-TERM", &promgen.id().to_string()])
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(promgen.wait().unwrap().code(), Some(143));
    // The pipe ends when the last program that writes to it has ended.
    let mut rest = String::new();
    said.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "");
    assert_eq!(fs::read_dir(files.path().join("tmp")).unwrap().count(), 1);
}

/// A promtool that is none is neither a pass nor a failing test.
#[cfg(unix)]
#[test]
fn a_promtool_that_dies_or_says_nothing_has_tested_nothing() {
    use std::os::unix::fs::PermissionsExt as _;

    let files = folder(&[
        ("rules.yaml", RULES),
        ("tests.yaml", &test("rule_files: [rules.yaml]", "2m")),
    ]);
    for (script, words) in [
        (
            "exit 0",
            "does not say whether the tests pass: it says nothing",
        ),
        ("exit 3", "dies"),
        ("kill -9 $$", "dies"),
        ("echo '  SUCCESS'; exit 1", "does not say whether"),
    ] {
        let program = files.path().join("promtool");
        fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let ran = run(
            &files,
            &["tests.yaml"],
            &["--promtool", program.to_str().unwrap()],
        );
        assert_eq!(
            (ran.code, ran.stdout.as_str()),
            (2, ""),
            "{script}: {}",
            ran.stderr
        );
        assert!(ran.stderr.contains(words), "{script}: {}", ran.stderr);
    }
}
