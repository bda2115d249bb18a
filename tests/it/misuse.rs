//! Templates, settings, baselines, targets and signals that nobody should use so: a clear error, and nothing left behind.

use std::fs;

use crate::lint::{folder, path};
use crate::support::{promgen, promgen_with};
use promgen::cli::Terminal;

const PROMETHEUS: &str = "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {name: main}\n\
                          spec: {serviceMonitorSelector: {}, shards: 2}\n";

#[test]
fn a_template_whose_rules_prometheus_refuses_is_reported() {
    for (rule, said) in [
        ("{action: keep, regex: \"(\", source_labels: [a]}", "Prometheus refuses relabel rule 1: error parsing regexp"),
        (
            "{action: nonsense, regex: a, source_labels: [a]}",
            "Prometheus refuses relabel rule 1: unknown relabel action",
        ),
        ("{action: hashmod, source_labels: [a], target_label: b}", "requires non-zero modulus"),
    ] {
        let folder = folder(&[("in.yaml", PROMETHEUS), ("t/relabel/operator-address.yaml.j2", &format!("- {rule}\n"))]);
        let templates = path(folder.path(), "t");
        let ran = promgen(&["render", &path(folder.path(), "in.yaml"), "--templates", &templates]);
        assert!(ran.code == 1 && ran.stderr.contains("error[PG030]") && ran.stderr.contains(said), "{}", ran.stderr);
    }
}

#[test]
fn a_count_of_a_baseline_that_cannot_be_is_an_error() {
    let entry = "{\"fingerprint\": \"f\", \"count\": 9223372036854775808, \"code\": \"PG001\", \"message\": \"m\"}";
    let text = format!("{{\"version\": 1, \"findings\": [{entry}, {entry}]}}");
    let folder = folder(&[("in.yaml", PROMETHEUS), ("b.json", &text)]);
    let (input, baseline) = (path(folder.path(), "in.yaml"), path(folder.path(), "b.json"));
    let ran = promgen(&["lint", &input, "--no-config", "--baseline", &baseline]);
    let said = "not a baseline: the count 9223372036854775808 of `f` is more than 4294967295";
    assert!(ran.code == 2 && ran.stderr.contains(said), "{}", ran.stderr);
}

#[cfg(unix)]
#[test]
fn settings_that_are_no_file_are_an_error() {
    use std::os::unix::fs::symlink;
    use std::process::Command;

    let settings = |make: &dyn Fn(&str)| {
        let folder = folder(&[("in.yaml", PROMETHEUS)]);
        make(&path(folder.path(), "promgen.yaml"));
        let ran = promgen(&["lint", folder.path().to_str().unwrap()]);
        assert!(ran.code == 2 && ran.stderr.contains("promgen.yaml"), "{}", ran.stderr);
        ran.stderr
    };
    settings(&|file| symlink("nowhere", file).unwrap());
    let fifo = settings(&|file| assert!(Command::new("mkfifo").arg(file).status().unwrap().success()));
    assert!(fifo.contains("it is not a regular file"), "{fifo}");
    let device = settings(&|file| symlink("/dev/zero", file).unwrap());
    assert!(device.contains("it leads out of the repository"), "{device}");
}

#[test]
fn settings_do_not_name_standard_input() {
    let folder = folder(&[("in.yaml", PROMETHEUS), ("promgen.yaml", "paths: [\"-\", in.yaml]\n")]);
    let settings = path(folder.path(), "promgen.yaml");
    let ran = promgen(&["lint", "--config", &settings]);
    assert!(ran.code == 2 && ran.stderr.contains("only the command line can name standard input"), "{}", ran.stderr);
}

#[test]
fn json_is_read_with_its_escapes() {
    let text = "{\"apiVersion\": \"monitoring.coreos.com\\/v1\", \"kind\": \"Prometheus\", \"metadata\": {\"name\": \"main\"}, \
                \"spec\": {\"serviceMonitorSelector\": {}, \"externalLabels\": {\"a\": \"\\ud83d\\ude00\"}}}";
    let ran = promgen_with(&["config", "-"], &mut text.as_bytes(), Terminal::default());
    assert!(ran.code == 0 && ran.stdout.contains("a: \"\\U0001F600\"\n"), "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn a_name_too_long_for_the_file_system_is_named() {
    let folder = folder(&[("in.yaml", &PROMETHEUS.replace("main", &"x".repeat(250)))]);
    let out = format!("{}/", path(folder.path(), "out"));
    let ran = promgen(&["render", &path(folder.path(), "in.yaml"), "-o", &out]);
    let said =
        format!("the name of Prometheus/default/{} is too long for the file system: `prometheus/", "x".repeat(250));
    assert!(ran.code == 2 && ran.stderr.contains(&said), "{}", ran.stderr);
}

#[test]
fn output_replaces_nothing_that_was_read() {
    let folder = folder(&[
        ("in.yaml", PROMETHEUS),
        ("w.yaml", "[]\n"),
        (
            "t.yaml",
            "manifests: [in.yaml]\ntests: [{name: a, relabel_configs: [], labels: {a: b}, expect: {dropped: true}}]\n",
        ),
    ]);
    let [input, weights, tests] = ["in.yaml", "w.yaml", "t.yaml"].map(|name| path(folder.path(), name));
    for args in [
        &["render", &input, "-o", &input][..],
        &["simulate", &input, "--shards", "3", "-o", &input],
        &["simulate", &input, "--shards", "3", "--weights", &weights, "-o", &weights],
        &["test", &tests, "--report", &tests],
        &["test", &tests, "--report", &input],
        &["lint", &input, "--no-config", "--write-baseline", &input],
    ] {
        let ran = promgen(args);
        assert!(ran.code == 2 && ran.stderr.contains("use another path"), "{args:?}: {}", ran.stderr);
        assert_eq!(fs::read_to_string(&input).unwrap(), PROMETHEUS);
    }
}

/// Starts a run that writes many files, ends it with a signal while it does, and looks at what is left.
#[cfg(unix)]
#[test]
fn a_signal_leaves_no_unfinished_file() {
    use std::process::{Command, Stdio};

    let text = PROMETHEUS.replace("shards: 2", "shards: 900");
    // A run under `nohup` passes on that it ignores SIGHUP.
    let hears = |signal: &str| signal != "HUP" || !ignores_hangup();
    for (signal, code) in [("HUP", 129), ("INT", 130), ("TERM", 143)].into_iter().filter(|(signal, _)| hears(signal)) {
        let folder = folder(&[("in.yaml", &text)]);
        let out = folder.path().join("out");
        let mut command = Command::new(env!("CARGO_BIN_EXE_promgen"));
        let command =
            command.arg("render").arg(folder.path().join("in.yaml")).arg("-o").arg(format!("{}/", out.display()));
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let names =
            || fs::read_dir(&out).map_or(Vec::new(), |entries| entries.map(|e| e.unwrap().file_name()).collect());
        while names().is_empty() && child.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        assert!(Command::new("kill").arg(format!("-{signal}")).arg(child.id().to_string()).status().unwrap().success());
        assert_eq!(child.wait().unwrap().code(), Some(code), "{signal}");
        let left: Vec<_> = names().into_iter().filter(|name| name.to_string_lossy().starts_with(".promgen")).collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

/// Returns whether this process ignores SIGHUP, the first signal. Linux says so.
#[cfg(unix)]
fn ignores_hangup() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap_or("0");
    u64::from_str_radix(ignored.trim(), 16).unwrap() & 1 == 1
}

/// `nohup` starts a run that goes on when its terminal is gone.
#[cfg(target_os = "linux")]
#[test]
fn a_hangup_that_is_ignored_stays_so() {
    use std::process::{Command, Stdio};

    let folder = folder(&[("in.yaml", &PROMETHEUS.replace("shards: 2", "shards: 900"))]);
    let out = folder.path().join("out");
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' HUP; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_promgen"), "render"]);
    command.arg(folder.path().join("in.yaml")).arg("-o").arg(format!("{}/", out.display()));
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while !out.exists() && child.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    assert!(Command::new("kill").arg("-HUP").arg(child.id().to_string()).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(out.join("kustomization.yaml").is_file());
}
