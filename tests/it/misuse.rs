//! Templates, settings, baselines, targets and signals that nobody should use so: a clear error, and nothing left behind.

use std::fs;

use crate::lint::{folder, path};
use crate::support::{Ran, promgen, promgen_with};
use promgen::cli::Terminal;

const PROMETHEUS: &str = "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {name: main}\n\
                          spec: {serviceMonitorSelector: {}, shards: 2}\n";

#[test]
fn a_template_whose_rules_prometheus_refuses_is_reported() {
    for (rule, said) in [
        (
            "{action: keep, regex: \"(\", source_labels: [a]}",
            "Prometheus refuses relabel rule 1: error parsing regexp",
        ),
        (
            "{action: nonsense, regex: a, source_labels: [a]}",
            "Prometheus refuses relabel rule 1: unknown relabel action",
        ),
        (
            "{action: hashmod, source_labels: [a], target_label: b}",
            "requires non-zero modulus",
        ),
    ] {
        let folder = folder(&[
            ("in.yaml", PROMETHEUS),
            ("t/relabel/operator-address.yaml.j2", &format!("- {rule}\n")),
        ]);
        let templates = path(folder.path(), "t");
        let ran = promgen(&[
            "render",
            &path(folder.path(), "in.yaml"),
            "--templates",
            &templates,
        ]);
        assert!(
            ran.code == 1 && ran.stderr.contains("error[PG030]") && ran.stderr.contains(said),
            "{}",
            ran.stderr
        );
    }
}

#[test]
fn a_count_of_a_baseline_that_cannot_be_is_an_error() {
    let entry = "{\"fingerprint\": \"f\", \"count\": 9223372036854775808, \"code\": \"PG001\", \"message\": \"m\"}";
    let text = format!("{{\"version\": 1, \"findings\": [{entry}, {entry}]}}");
    let folder = folder(&[("in.yaml", PROMETHEUS), ("b.json", &text)]);
    let (input, baseline) = (
        path(folder.path(), "in.yaml"),
        path(folder.path(), "b.json"),
    );
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
        assert!(
            ran.code == 2 && ran.stderr.contains("promgen.yaml"),
            "{}",
            ran.stderr
        );
        ran.stderr
    };
    settings(&|file| symlink("nowhere", file).unwrap());
    let fifo =
        settings(&|file| assert!(Command::new("mkfifo").arg(file).status().unwrap().success()));
    assert!(fifo.contains("it is not a regular file"), "{fifo}");
    let device = settings(&|file| symlink("/dev/zero", file).unwrap());
    assert!(
        device.contains("it leads out of the repository"),
        "{device}"
    );
}

#[test]
fn settings_do_not_name_standard_input() {
    let folder = folder(&[
        ("in.yaml", PROMETHEUS),
        ("promgen.yaml", "paths: [\"-\", in.yaml]\n"),
    ]);
    let settings = path(folder.path(), "promgen.yaml");
    let ran = promgen(&["lint", "--config", &settings]);
    assert!(
        ran.code == 2
            && ran
                .stderr
                .contains("only the command line can name standard input"),
        "{}",
        ran.stderr
    );
}

#[test]
fn json_is_read_with_its_escapes() {
    let text = "{\"apiVersion\": \"monitoring.coreos.com\\/v1\", \"kind\": \"Prometheus\", \"metadata\": {\"name\": \"main\"}, \
                \"spec\": {\"serviceMonitorSelector\": {}, \"externalLabels\": {\"a\": \"\\ud83d\\ude00\"}}}";
    let ran = promgen_with(&["config", "-"], &mut text.as_bytes(), Terminal::default());
    assert!(
        ran.code == 0 && ran.stdout.contains("a: \"\\U0001F600\"\n"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
}

#[test]
fn a_name_too_long_for_the_file_system_is_named() {
    let folder = folder(&[("in.yaml", &PROMETHEUS.replace("main", &"x".repeat(250)))]);
    let out = format!("{}/", path(folder.path(), "out"));
    let ran = promgen(&["render", &path(folder.path(), "in.yaml"), "-o", &out]);
    let said = format!(
        "the name of Prometheus/default/{} is too long for the file system: `prometheus/",
        "x".repeat(250)
    );
    assert!(
        ran.code == 2 && ran.stderr.contains(&said),
        "{}",
        ran.stderr
    );
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
    let [input, weights, tests] =
        ["in.yaml", "w.yaml", "t.yaml"].map(|name| path(folder.path(), name));
    for args in [
        &["render", &input, "-o", &input][..],
        &["simulate", &input, "--shards", "3", "-o", &input],
        &[
            "simulate",
            &input,
            "--shards",
            "3",
            "--weights",
            &weights,
            "-o",
            &weights,
        ],
        &["test", &tests, "--report", &tests],
        &["test", &tests, "--report", &input],
        &["lint", &input, "--no-config", "--write-baseline", &input],
    ] {
        let ran = promgen(args);
        assert!(
            ran.code == 2 && ran.stderr.contains("use another path"),
            "{args:?}: {}",
            ran.stderr
        );
        assert_eq!(fs::read_to_string(&input).unwrap(), PROMETHEUS);
    }
}

/// The lines that write a file, without it, and the options that name it.
const WRITERS: [(&[&str], &str); 8] = [
    (&["render", "%in"], "-o"),
    (&["config", "%in"], "-o"),
    (&["report", "%in", "--format", "json"], "-o"),
    (&["simulate", "%in", "--shards", "3"], "-o"),
    (&["build", "%built"], "-o"),
    (
        &["lint", "%in", "--no-config", "--format", "sarif"],
        "--report",
    ),
    (&["lint", "%in", "--no-config"], "--write-baseline"),
    (&["test", "%tests"], "--report"),
];

const SUITE: &str = "manifests: [in.yaml]\ntests: [{name: a, relabel_configs: [], labels: {a: b}, expect: {labels: {a: b}}}]\n";

/// A folder with input for all of [`WRITERS`], and a file at which they write.
fn place(name: &str, text: &str) -> tempfile::TempDir {
    folder(&[
        ("in.yaml", PROMETHEUS),
        ("built/kustomization.yaml", "resources: [in.yaml]\n"),
        ("built/in.yaml", PROMETHEUS),
        ("t.yaml", SUITE),
        (name, text),
    ])
}

/// Runs a line with its file in a folder.
fn write(
    folder: &tempfile::TempDir,
    (line, option): (&[&str], &str),
    name: &str,
    more: &[&str],
) -> Ran {
    let at = |name: &str| path(folder.path(), name);
    let args = line.iter().map(|arg| match *arg {
        "%in" => at("in.yaml"),
        "%built" => at("built"),
        "%tests" => at("t.yaml"),
        arg => arg.to_owned(),
    });
    let args: Vec<String> = args.chain([option.to_owned(), at(name)]).collect();
    promgen(
        &args
            .iter()
            .map(String::as_str)
            .chain(more.iter().copied())
            .collect::<Vec<_>>(),
    )
}

#[test]
fn output_replaces_no_work_of_others_unless_it_is_told_to() {
    let secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n";
    for (name, text) in [
        (
            "values.yaml",
            "image: {tag: v1}\nglobal: {registry: a}\n".to_owned(),
        ),
        ("k/Kustomization", "resources: []\n".to_owned()),
        ("crlf.yml", secret.replace('\n', "\r\n")),
        ("bom.yaml", format!("\u{feff}{secret}")),
        (
            "second.yaml",
            format!("# promgen: generated\na: 1\n---\n{secret}"),
        ),
        ("hidden.html", secret.to_owned()),
        ("notes.md", "# Notes\n".to_owned()),
    ] {
        for writer in WRITERS {
            let folder = place(name, &text);
            let ran = write(&folder, writer, name, &[]);
            let is_refused = ran.code == 2
                && ran.stderr.contains(name)
                && ran.stderr.contains("--force to replace it");
            assert!(is_refused, "{writer:?} {name}: {}{}", ran.code, ran.stderr);
            assert_eq!(
                fs::read_to_string(folder.path().join(name)).unwrap(),
                text,
                "{writer:?}"
            );
            let ran = write(&folder, writer, name, &["--force"]);
            assert!(ran.code < 2, "{writer:?} {name}: {}", ran.stderr);
            assert_ne!(
                fs::read_to_string(folder.path().join(name)).unwrap(),
                text,
                "{writer:?}"
            );
        }
    }
}

#[test]
fn output_replaces_what_only_programs_write() {
    let config = "global:\n  scrape_interval: 30s\nscrape_configs: []\n";
    for (name, text) in [
        ("empty.yaml", ""),
        ("page.html", "<!doctype html>\n<p>"),
        ("prometheus.yaml", config),
        ("table.csv", "namespace,resource\nd,a\n"),
        (
            "objects.yaml",
            "# promgen: generated\nkind: Secret\n---\n# promgen: generated\nkind: Service\n",
        ),
        (
            "results.xml",
            "<?xml version=\"1.0\"?>\n<testsuites></testsuites>\n",
        ),
    ] {
        for writer in WRITERS {
            let folder = place(name, text);
            let ran = write(&folder, writer, name, &[]);
            assert!(ran.code < 2, "{writer:?} {name}: {}", ran.stderr);
        }
    }
}

/// What a run has written is no work of others, even when the input has changed.
#[test]
fn every_output_is_replaced_by_the_next_one() {
    for writer in WRITERS {
        for format in [
            "", "json", "list", "html", "csv", "sarif", "gitlab", "github", "junit", "markdown",
            "text", "table",
        ] {
            let folder = place("beside", "");
            let format = [&format!("--format={format}")[..]];
            let format = if format == ["--format="] {
                &[][..]
            } else {
                &format[..]
            };
            let (line, option) = writer;
            let line: Vec<&str> = line
                .iter()
                .copied()
                .filter(|arg| !["--format", "json", "sarif"].contains(arg))
                .collect();
            let ran = write(&folder, (&line, option), "out", format);
            if ran.code == 2 && ran.stderr.contains("--format <FORMAT>")
                || ran.stderr.contains("unexpected argument")
            {
                continue;
            }
            assert!(ran.code < 2, "{writer:?} {format:?}: {}", ran.stderr);
            for changed in ["in.yaml", "built/in.yaml"] {
                fs::write(
                    folder.path().join(changed),
                    PROMETHEUS.replace("shards: 2", "shards: 3, replicas: many"),
                )
                .unwrap();
            }
            fs::write(
                folder.path().join("t.yaml"),
                SUITE.replace("{a: b}}}", "{a: c}}}"),
            )
            .unwrap();
            let ran = write(&folder, (&line, option), "out", format);
            assert!(ran.code < 2, "{writer:?} {format:?}: {}", ran.stderr);
        }
    }
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_nowhere_stays() {
    for writer in WRITERS {
        let folder = place("beside", "");
        std::os::unix::fs::symlink("none.yaml", folder.path().join("link.yaml")).unwrap();
        let ran = write(&folder, writer, "link.yaml", &[]);
        assert!(
            ran.code == 2 && ran.stderr.contains("link.yaml"),
            "{writer:?}: {}",
            ran.stderr
        );
        assert!(
            folder.path().join("link.yaml").is_symlink()
                && !folder.path().join("none.yaml").exists(),
            "{writer:?}"
        );
    }
}

/// Standard output may be a file, in which the shell has something already.
#[cfg(target_os = "linux")]
#[test]
fn what_stands_in_the_file_of_standard_output_stays() {
    use std::process::Command;

    let folder = folder(&[("in.yaml", PROMETHEUS), ("out.txt", "mine\n")]);
    let out = fs::File::options()
        .append(true)
        .open(folder.path().join("out.txt"))
        .unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_promgen"));
    let command = command
        .arg("config")
        .arg(folder.path().join("in.yaml"))
        .args(["-o", "/dev/stdout"])
        .stdout(out);
    assert!(command.status().unwrap().success());
    let text = fs::read_to_string(folder.path().join("out.txt")).unwrap();
    assert!(text.starts_with("mine\nglobal:\n"), "{text}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_run_that_writes_removes_what_a_killed_one_has_left() {
    let left = [".promgen-4294967295-0.tmp", "d/.promgen-4294967295-1.tmp"];
    let is_left = |folder: &tempfile::TempDir| left.map(|name| folder.path().join(name).exists());
    for (args, stays) in [
        (&["lint", "%", "--no-config"][..], [true, true]),
        (&["lint", "%", "--no-config", "--diff"], [true, true]),
        (&["lint", "%", "--no-config", "--fix"], [false, false]),
        (&["render", "%", "-o", "%/out.yaml"], [false, true]),
        (
            &["render", "%/in.yaml", "-o", "%/d", "--force"],
            [true, false],
        ),
        (
            &["config", "%/in.yaml", "-o", "%/d/out.yaml"],
            [true, false],
        ),
        (
            &["lint", "%", "--no-config", "--report", "%/d/out.txt"],
            [true, false],
        ),
    ] {
        let folder = folder(&[
            ("in.yaml", PROMETHEUS),
            ("d/in.yaml", &PROMETHEUS.replace("main", "b")),
        ]);
        left.iter()
            .for_each(|name| fs::write(folder.path().join(name), "x").unwrap());
        fs::write(folder.path().join(".promgen-mine.tmp"), "x").unwrap();
        let args: Vec<String> = args
            .iter()
            .map(|arg| arg.replace('%', folder.path().to_str().unwrap()))
            .collect();
        let ran = promgen(&args.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(ran.code < 2, "{args:?}: {}", ran.stderr);
        assert_eq!(is_left(&folder), stays, "{args:?}");
        assert!(folder.path().join(".promgen-mine.tmp").exists(), "{args:?}");
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
    for (signal, code) in [("HUP", 129), ("INT", 130), ("TERM", 143)]
        .into_iter()
        .filter(|(signal, _)| hears(signal))
    {
        let folder = folder(&[("in.yaml", &text)]);
        let out = folder.path().join("out");
        let mut command = Command::new(env!("CARGO_BIN_EXE_promgen"));
        let command = command
            .arg("render")
            .arg(folder.path().join("in.yaml"))
            .arg("-o")
            .arg(format!("{}/", out.display()));
        let mut child = command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let names = || {
            fs::read_dir(&out).map_or(Vec::new(), |entries| {
                entries.map(|e| e.unwrap().file_name()).collect()
            })
        };
        while names().is_empty() && child.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        assert!(
            Command::new("kill")
                .arg(format!("-{signal}"))
                .arg(child.id().to_string())
                .status()
                .unwrap()
                .success()
        );
        assert_eq!(child.wait().unwrap().code(), Some(code), "{signal}");
        let left: Vec<_> = names()
            .into_iter()
            .filter(|name| name.to_string_lossy().starts_with(".promgen"))
            .collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

/// Returns whether this process ignores SIGHUP, the first signal. Linux says so.
#[cfg(unix)]
fn ignores_hangup() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .unwrap_or("0");
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
    command.args([
        "-c",
        "trap '' HUP; exec \"$0\" \"$@\"",
        env!("CARGO_BIN_EXE_promgen"),
        "render",
    ]);
    command
        .arg(folder.path().join("in.yaml"))
        .arg("-o")
        .arg(format!("{}/", out.display()));
    let mut child = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while !out.exists() && child.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    assert!(
        Command::new("kill")
            .arg("-HUP")
            .arg(child.id().to_string())
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(out.join("kustomization.yaml").is_file());
}
