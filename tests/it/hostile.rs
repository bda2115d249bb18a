//! Input that nobody means well with: a message, the right exit code, and bounded time and memory.

use std::fs;

use crate::support::promgen;

#[test]
fn a_missing_path_and_an_empty_folder_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().to_str().unwrap();
    let missing = format!("{empty}/missing.yaml");
    for command in ["render", "config"] {
        let ran = promgen(&[command, &missing, empty]);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
        assert!(ran.stderr.contains(&format!("error: cannot read `{missing}`: ")), "{}", ran.stderr);
        assert!(
            ran.stderr.contains(&format!("error: no manifest (.yaml, .yml, .json) found in `{empty}`")),
            "{}",
            ran.stderr
        );
    }
}

#[cfg(unix)]
#[test]
fn an_unreadable_file_is_named() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("secret.yaml");
    fs::write(&path, "a: 1\n").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read(&path).is_ok() {
        eprintln!("skipped: this user may read everything");
        return;
    }
    let ran = promgen(&["render", folder.path().to_str().unwrap()]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("secret.yaml"), "{}", ran.stderr);
}

#[test]
fn a_folder_of_templates_without_templates_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let ran = promgen(&["render", "-", "--templates", folder.path().to_str().unwrap()]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("no template (.j2) found in"), "{}", ran.stderr);
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
    command.args(["-c", script, env!("CARGO_BIN_EXE_promgen")]).args(args).stdin(std::process::Stdio::null());
    let output = command.output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

/// What is wrong with a file is a finding, which names it, and its sound neighbour is compiled all the same.
#[cfg(unix)]
fn is_a_finding(bytes: &[u8], code: &str) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("bad.yaml"), bytes).unwrap();
    fs::write(folder.path().join("good.yaml"), GOOD).unwrap();
    let out = folder.path().join("out/");
    let (status, stderr) = bounded(&["render", folder.path().to_str().unwrap(), "-o", &format!("{}/", out.display())]);
    assert_eq!(status, Some(1), "{stderr}");
    assert!(stderr.contains(&format!("error[{code}]: ")), "{stderr}");
    assert!(stderr.contains("bad.yaml:"), "{stderr}");
    assert!(stderr.contains("\n1 error\n"), "{stderr}");
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
    is_a_finding(["[".repeat(100_000), "]".repeat(100_000)].concat().as_bytes(), "PG001");
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
