//! Input that nobody means well with: a message, the right exit code, and bounded time and memory.

use std::fs;
#[cfg(unix)]
use std::io::{Seek as _, Write as _};
#[cfg(unix)]
use std::path::{Path, PathBuf};

use promgen_testing::needs;

#[cfg(unix)]
use crate::commands::{Line, Place, lines};
use crate::support::{promgen, swept};

#[test]
fn a_missing_path_and_an_empty_folder_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().to_str().unwrap();
    let missing = format!("{empty}/missing.yaml");
    for command in ["render", "config"] {
        let ran = promgen(&[command, &missing, empty]);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
        assert!(
            ran.stderr
                .contains(&format!("error: cannot read `{missing}`: ")),
            "{}",
            ran.stderr
        );
        assert!(
            ran.stderr.contains(&format!(
                "error: no manifest (.yaml, .yml, .json) found in `{empty}`"
            )),
            "{}",
            ran.stderr
        );
    }
}

#[cfg(unix)]
#[needs(permissions)]
#[test]
fn an_unreadable_file_is_named() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("secret.yaml");
    fs::write(&path, "a: 1\n").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    let ran = promgen(&["render", folder.path().to_str().unwrap()]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("secret.yaml"), "{}", ran.stderr);
}

#[test]
fn a_folder_of_templates_without_templates_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let ran = promgen(&[
        "render",
        "-",
        "--templates",
        folder.path().to_str().unwrap(),
    ]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("no template (.j2) found in"),
        "{}",
        ran.stderr
    );
}

#[cfg(unix)]
#[test]
fn a_name_cannot_speak_to_the_terminal() {
    let ran = promgen(&["render", "\u{1b}[2J.yaml"]);
    assert_eq!(ran.code, 2);
    assert!(!ran.stderr.contains('\u{1b}'), "{:?}", ran.stderr);
}

/// Runs the binary with an address space of 2 GB, so that a run that wants more fails.
#[cfg(unix)]
fn bounded(args: &[&str]) -> (Option<i32>, String) {
    let script = "ulimit -v 2000000; exec \"$0\" \"$@\"";
    let mut command = std::process::Command::new("sh");
    command
        .args(["-c", script, env!("CARGO_BIN_EXE_promgen")])
        .args(args)
        .stdin(std::process::Stdio::null());
    let output = command.output().unwrap();
    (
        output.status.code(),
        String::from_utf8(output.stderr).unwrap(),
    )
}

/// What is wrong with a file is a finding, which names it, and its sound neighbour is compiled all the same.
#[cfg(unix)]
fn is_a_finding(bytes: &[u8], code: &str) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("bad.yaml"), bytes).unwrap();
    fs::write(folder.path().join("good.yaml"), GOOD).unwrap();
    let out = folder.path().join("out/");
    let (status, stderr) = bounded(&[
        "render",
        "-v",
        folder.path().to_str().unwrap(),
        "-o",
        &format!("{}/", out.display()),
    ]);
    // What does not parse and does not name the operator is for others.
    let (level, exit) = if stderr.contains("without a resource of the operator") {
        ("warning", 0)
    } else {
        ("error", 1)
    };
    assert_eq!(status, Some(exit), "{stderr}");
    assert!(stderr.contains(&format!("{level}[{code}]: ")), "{stderr}");
    assert!(stderr.contains("bad.yaml:"), "{stderr}");
    assert!(stderr.contains(&format!("\n1 {level}\n")), "{stderr}");
    assert!(out.join("prometheus/default/good/status.yaml").is_file());
}

#[cfg(unix)]
const GOOD: &str = "\
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata:
  name: good
spec:
  serviceMonitorSelector: {}
";

#[cfg(unix)]
#[test]
fn a_binary_file_is_a_finding() {
    is_a_finding(&[0x7f, b'E', b'L', b'F', 2, 1, 1, 0, 0xff, 0xfe], "PG005");
}

#[cfg(unix)]
#[test]
fn a_hundred_thousand_brackets_are_a_finding() {
    is_a_finding("[".repeat(100_000).as_bytes(), "PG001");
    is_a_finding(
        ["[".repeat(100_000), "]".repeat(100_000)]
            .concat()
            .as_bytes(),
        "PG001",
    );
}

#[cfg(unix)]
#[test]
fn an_alias_bomb_is_a_finding() {
    let mut bomb =
        "{apiVersion: monitoring.coreos.com/v1, kind: Prometheus, metadata: {name: bomb}, spec: {\n".to_owned();
    bomb.push_str("  a0: &a0 [x, x, x, x, x, x, x, x, x, x],\n");
    for level in 1..12 {
        let aliases = vec![format!("*a{}", level - 1); 10].join(", ");
        bomb.push_str(&format!("  a{level}: &a{level} [{aliases}],\n"));
    }
    bomb.push_str("}}\n");
    is_a_finding(bomb.as_bytes(), "PG003");
}

#[cfg(unix)]
#[test]
fn an_anchor_within_itself_is_a_finding() {
    is_a_finding(b"kind: Prometheus\nspec: &a\n  b: [*a]\n", "PG003");
}

#[cfg(unix)]
#[test]
fn a_line_of_200_megabytes_is_a_finding() {
    is_a_finding(&vec![b'a'; 200_000_000], "PG004");
}

/// Each replica of an Alertmanager is told of every other: two thousand million of them would fill any memory.
#[cfg(unix)]
#[test]
fn replicas_without_number_are_a_finding() {
    let alertmanager = "apiVersion: monitoring.coreos.com/v1\nkind: Alertmanager\nmetadata: {name: many}\n\
                        spec: {replicas: 2147483647}\n";
    is_a_finding(alertmanager.as_bytes(), "PG204");
}

/// Runs the binary on files in an address space of 3 GB, for at most 20 seconds. It ends by itself, with an exit code.
#[cfg(unix)]
fn ends(files: &[(&str, &str)], args: &[&str]) -> (Option<i32>, String) {
    ends_with(files, args, "")
}

/// The same with that standard input.
#[cfg(unix)]
fn ends_with(files: &[(&str, &str)], args: &[&str], stdin: &str) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let script = "ulimit -v 3000000; ulimit -t 20; cd \"$1\" && shift && exec \"$0\" \"$@\"";
    let mut command = std::process::Command::new("sh");
    command
        .args(["-c", script, env!("CARGO_BIN_EXE_promgen")])
        .arg(folder.path())
        .args(args);
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(stdin.as_bytes())
        .and_then(|()| file.rewind())
        .unwrap();
    let output = command.stdin(file).output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8(text).unwrap();
    assert!(
        matches!(output.status.code(), Some(0..=2)),
        "{args:?}: {} {text:.400}",
        output.status
    );
    (output.status.code(), text)
}

#[cfg(unix)]
#[test]
fn a_glob_has_a_limit() {
    let config = format!("exclude: ['{}']\n", "?".repeat(10_742));
    let (code, text) = ends(&[("promgen.yaml", &config), ("a.yaml", GOOD)], &["lint"]);
    assert_eq!(code, Some(2));
    assert!(
        text.contains("the glob has 10742 characters: the maximum is 1024"),
        "{text}"
    );
    let config = format!("exclude: ['{}b']\n", "*a".repeat(500));
    let deep = format!("{}/a.yaml", "a".repeat(200));
    assert_eq!(
        ends(&[("promgen.yaml", &config), (&deep, GOOD)], &["lint"]).0,
        Some(0)
    );
}

#[cfg(unix)]
#[test]
fn a_template_has_limits() {
    for (template, expected) in [
        (
            format!("{{{{ {}1 }}}}", "not ".repeat(15_000)),
            "the maximum is 256",
        ),
        (
            format!("{{{{ {}1 }}}}", "not ".repeat(60_000)),
            "the maximum is 65536",
        ),
        (
            format!("{{{{ 1{} }}}}", "+1".repeat(20_000)),
            "the maximum is 256",
        ),
        (
            format!("{{{{ zone{} }}}}", "|upper".repeat(5_000)),
            "the maximum is 256",
        ),
        (
            "{% set x = 'a' %}".to_owned() + &"{% set x = x ~ x %}".repeat(40),
            "256 times",
        ),
        (
            "{% set x = 'a' %}{% for i in 'aaaa' %}{% set x = x ~ x %}{% endfor %}".to_owned(),
            "in every iteration",
        ),
        (
            "{{ '%0999999999d'|format(1) }}".to_owned(),
            "unknown filter",
        ),
        (
            "{{ ('a' * 4000)|replace('a', 'a' * 4000) }}".to_owned(),
            "256 times",
        ),
    ] {
        let files = [
            ("t/relabel/operator-address.yaml.j2", template.as_str()),
            ("a.yaml", GOOD),
        ];
        let (code, text) = ends(&files, &["render", "a.yaml", "--templates", "t"]);
        assert_eq!(code, Some(1), "{template:.60}: {text:.400}");
        assert!(
            text.contains("error[PG030]") && text.contains(expected),
            "{template:.60}: {text:.800}"
        );
    }
}

#[test]
fn no_built_in_template_stands_in_for_a_broken_one() {
    for name in [
        "t/relabel/operator-address.yaml.j2",
        "t/placement/operator-address.yaml.j2",
    ] {
        let (code, text) = ends(
            &[(name, "\n{{ bad"), ("a.yaml", GOOD)],
            &["render", "a.yaml", "--templates", "t"],
        );
        assert_eq!(
            (code, text.matches("error[PG030]").count()),
            (Some(1), 1),
            "{text:.800}"
        );
        assert!(
            text.contains(&format!("{}:2", &name[2..])) && !text.contains("kind: StatefulSet"),
            "{text:.800}"
        );
    }
}

#[cfg(unix)]
#[test]
fn shards_without_number_are_a_finding() {
    let one = |i: usize| {
        format!(
            "---\napiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {{name: a{i:02}}}\n\
             spec: {{serviceMonitorSelector: {{}}, shards: 1000}}\n"
        )
    };
    let text: String = (0..30).map(one).collect();
    let (code, text) = ends(&[("a.yaml", &text)], &["status", "a.yaml"]);
    assert_eq!(code, Some(1));
    assert_eq!(
        text.matches("error[PG217]: with these 1000 shards").count(),
        25
    );
    assert!(text.contains("exceed the maximum of 5000 shards"));
}

/// Three pods of a monitor with these relabelings.
#[cfg(unix)]
fn relabelled(rules: &str) -> String {
    let pods: String = (1..4)
        .map(|i| {
            format!(
                "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: p{i}, namespace: d, labels: {{a: b}}}}\n\
                 spec: {{containers: [{{name: c, ports: [{{name: a, containerPort: 80}}]}}]}}\n\
                 status: {{podIP: 10.0.0.{i}, phase: Running}}\n"
            )
        })
        .collect();
    format!(
        "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {{name: main, namespace: d}}\n\
         spec: {{podMonitorSelector: {{}}}}\n\
         ---\napiVersion: monitoring.coreos.com/v1\nkind: PodMonitor\nmetadata: {{name: a, namespace: d}}\n\
         spec:\n  selector: {{}}\n  podMetricsEndpoints:\n  - port: a\n    relabelings: [{rules}]\n{pods}"
    )
}

/// What every command says of manifests, after its line.
#[cfg(unix)]
fn told(manifests: &str) -> Vec<(String, String)> {
    let part = |name: &str| PathBuf::from(name);
    let place = Place {
        input: part("a.yaml"),
        base: part("base.yaml"),
        built: part("."),
        tests: part("tests"),
        manifests: manifests.to_owned(),
        cases: String::new(),
    };
    let tests = "manifests: [../a.yaml]\ntests: [{name: a, job: podMonitor/d/a/0, labels: {__address__: a}, expect: {dropped: true}}]\n";
    let files = [
        ("a.yaml", manifests),
        ("base.yaml", GOOD),
        ("kustomization.yaml", "resources: [a.yaml]\n"),
        ("tests/t.yaml", tests),
    ];
    let told = |line: &Line| {
        let (args, stdin) = line.typed(&place, Path::new("out"));
        let (_, text) = ends_with(
            &files,
            &args.iter().map(String::as_str).collect::<Vec<_>>(),
            &stdin,
        );
        (line.to_string(), text)
    };
    swept(
        2,
        lines().iter().filter(|line| line.is_plain && line.reads()),
    )
    .into_iter()
    .map(told)
    .collect()
}

#[cfg(unix)]
#[test]
fn labels_that_double_are_told() {
    let twice = r#"{sourceLabels: [x], targetLabel: x, replacement: "$1$1$1$1$1$1$1$1"}, "#;
    let grow = format!(
        "{{targetLabel: x, replacement: some}}, {}",
        twice.repeat(40)
    );
    let map = r#"{action: labelmap, regex: "(.*)", replacement: "a$1"}, {action: labelmap, regex: "(.*)", replacement: "b$1"}, "#;
    for rules in [
        grow,
        map.repeat(30),
        format!(
            "{{sourceLabels: [{}], targetLabel: x}}, {}",
            "__address__, ".repeat(9),
            twice.repeat(40)
        ),
    ] {
        for (line, text) in told(&relabelled(&rules)) {
            // The others run only what decides whether a target is kept.
            let shows_labels = ["promgen trace all", "promgen which all"]
                .iter()
                .any(|head| line.starts_with(head));
            assert!(
                !shows_labels || text.contains("more than 16777216 steps for one target"),
                "{line}: {text:.900}"
            );
        }
    }
    let test =
        "tests: [{name: a, labels: {x: yy}, expect: {dropped: true}, relabel_configs: [RULES]}]";
    let rule = r#"{source_labels: [x], target_label: x, replacement: "$1$1$1$1$1$1$1$1"}, "#;
    let (code, text) = ends(
        &[("t.yaml", &test.replace("RULES", &rule.repeat(40)))],
        &["test", "t.yaml"],
    );
    assert!(
        code == Some(1) && text.contains("more than 16777216 steps"),
        "{text}"
    );
}

#[cfg(unix)]
#[test]
fn slow_patterns_are_told() {
    let rule = |i: usize| {
        format!(
            r#"{{action: drop, sourceLabels: [__address__], regex: "(?i)[\\p{{L}}\\p{{N}}]{{{i}}}"}}, "#
        )
    };
    for (sizes, expected) in [
        (800..900, "takes more than the 2 MiB"),
        (30..60, "at most 4 rules"),
    ] {
        for (line, text) in told(&relabelled(&sizes.map(rule).collect::<String>())) {
            let name = line.split(' ').nth(1).unwrap();
            let runs_rules = ["trace", "which", "shards", "prove", "simulate"].contains(&name)
                && !line.contains(" --");
            assert!(
                !runs_rules || text.contains(expected),
                "{line}: {text:.900}"
            );
        }
    }
}

#[cfg(unix)]
#[test]
fn much_of_the_same_takes_no_square() {
    let head = "apiVersion: monitoring.coreos.com/v1\nkind: PodMonitor\nmetadata: {name: a}\nspec:\n  selector: {}\n  \
                podMetricsEndpoints: []\n";
    let allowed = |i: usize| format!("  # promgen: allow(PG010)\n  color{i}: red\n");
    let manifests = head.to_owned() + &(0..20_000).map(allowed).collect::<String>();
    assert_eq!(
        ends(&[("a.yaml", &manifests)], &["lint", "a.yaml"]).0,
        Some(0)
    );
    let field = |i: usize| format!("  selektor{i}: red\n");
    let manifests = head.to_owned() + &(0..20_000).map(field).collect::<String>();
    assert_eq!(
        ends(
            &[("a.yaml", &manifests)],
            &["lint", "a.yaml", "--format", "github"]
        )
        .0,
        Some(1)
    );
    let labels: String = (0..100_000).map(|i| format!("l{i}: x, ")).collect();
    let tests = format!(
        "tests: [{{name: a, relabel_configs: [], labels: {{{labels}}}, expect: {{labels: {{a: b}}}}}}]"
    );
    assert_eq!(ends(&[("t.yaml", &tests)], &["test", "t.yaml"]).0, Some(1));
}

#[cfg(unix)]
#[test]
fn a_file_of_targets_has_a_limit() {
    let labels: String = (0..100_000).map(|i| format!("l{i}: x, ")).collect();
    let targets = format!(
        "- labels: {{{labels}}}\n  targets: [{}]\n",
        "a, ".repeat(100_000)
    );
    let files = [("t.yaml", targets.as_str()), ("a.yaml", GOOD)];
    for command in [&["shards"][..], &["simulate", "--shards", "2"]] {
        let (code, text) = ends(
            &files,
            &[command, &["a.yaml", "--targets", "t.yaml"]].concat(),
        );
        assert_eq!(code, Some(2));
        assert!(
            text.contains("the labels of all targets take more than 256 MiB"),
            "{text}"
        );
    }
}
