//! What a repository may have read and rewritten: only what is in it, whatever its files and links name.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::commands::{Asked, Place, arguments};

/// What no run may print.
const MARKER: &str = "MARK3RQ";

const PROMETHEUS: &str = "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {name: main, namespace: d}\n\
                          spec: {serviceMonitorSelector: {}}\n";

/// A folder with the repository `repo`, and texts that are none of its own in `outside`.
fn repository(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let aws = format!("[default]\naws_secret_access_key = {MARKER}\n");
    let outside = [("outside/aws", aws.as_str()), ("repo/p.yaml", PROMETHEUS)];
    for (name, text) in outside.iter().copied().chain(files.iter().copied()) {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn link(folder: &TempDir, name: &str, target: &str) {
    let path = folder.path().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    symlink(target, path).unwrap();
}

struct Ended {
    code: Option<i32>,
    text: String,
}

/// Runs the binary in a folder, with a secret in its environment.
fn run(folder: &Path, args: &[&str]) -> Ended {
    let mut command = Command::new(env!("CARGO_BIN_EXE_promgen"));
    command
        .args(args)
        .current_dir(folder)
        .env("TOKEN", MARKER)
        .stdin(Stdio::null());
    let output = command.output().unwrap();
    let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    Ended {
        code: output.status.code(),
        text,
    }
}

/// Runs it in the repository. It must fail, and show nothing that is outside.
fn refuses(folder: &TempDir, args: &[&str]) {
    let ended = run(&folder.path().join("repo"), args);
    assert_eq!(ended.code, Some(2), "{args:?}: {}", ended.text);
    assert!(!ended.text.contains(MARKER), "{args:?}: {}", ended.text);
    assert!(
        ended.text.contains("it leads out of the repository"),
        "{args:?}: {}",
        ended.text
    );
}

const ELSEWHERE: [&str; 3] = ["../outside/aws", "/proc/self/environ", "/etc/hostname"];

/// The files that a command reads without an argument, or below one, and the command.
const READERS: &[(&str, &[&str])] = &[
    ("promgen.yaml", &["lint", "."]),
    ("promgen.yaml", &["lint", "p.yaml"]),
    (
        "link",
        &["lint", ".", "--no-config", "--baseline", "../repo/link"],
    ),
    ("tests/a.yaml", &["test", "tests"]),
    (".gitignore", &["lint", "."]),
    (".ignore", &["render", "."]),
    (
        "targets/a.yaml",
        &["shards", "p.yaml", "--targets", "targets"],
    ),
    (
        "t/relabel/operator-address.yaml.j2",
        &["render", "p.yaml", "--templates", "t"],
    ),
];

#[test]
fn a_link_out_of_the_repository_is_refused() {
    for (name, args) in READERS {
        for target in ELSEWHERE
            .into_iter()
            .filter(|target| target.starts_with('.') || Path::new(target).exists())
        {
            let folder = repository(&[]);
            let ups = "../".repeat(name.matches('/').count());
            let target = if target.starts_with('.') {
                format!("{ups}{target}")
            } else {
                target.to_owned()
            };
            link(&folder, &format!("repo/{name}"), &target);
            refuses(&folder, args);
        }
    }
}

#[test]
fn a_link_out_of_the_repository_is_refused_in_every_argument() {
    let folder = repository(&[
        ("repo/tests/t.yaml", &test("../p.yaml")),
        ("repo/k/kustomization.yaml", "resources: [p.yaml]\n"),
        ("repo/k/p.yaml", PROMETHEUS),
        ("outside/kustomization.yaml", "resources: [aws]\n"),
    ]);
    let part = |name: &str| PathBuf::from(name);
    let place = Place {
        input: part("p.yaml"),
        base: part("p.yaml"),
        built: part("k"),
        tests: part("tests"),
        manifests: PROMETHEUS.to_owned(),
        cases: String::new(),
    };
    link(&folder, "repo/file", "../outside/aws");
    link(&folder, "repo/folder", "../outside");
    let before = fs::read_to_string(folder.path().join("outside/aws")).unwrap();
    let mut n_paths = 0;
    for asked in arguments().into_iter().filter(Asked::is_path) {
        // `build` says of a file that it is no folder, and reads nothing.
        let line = Some(asked.with("file")).filter(|line| line.to_string() != "promgen build file");
        let line = line.unwrap_or_else(|| asked.with("folder"));
        let (args, _) = line.typed(&place, Path::new("out"));
        refuses(
            &folder,
            &args.iter().map(String::as_str).collect::<Vec<_>>(),
        );
        n_paths += 1;
    }
    assert!(n_paths > 40, "{n_paths}");
    assert_eq!(
        fs::read_to_string(folder.path().join("outside/aws")).unwrap(),
        before
    );
    assert_eq!(
        fs::read_dir(folder.path().join("outside")).unwrap().count(),
        2
    );
}

#[test]
fn a_folder_that_is_such_a_link_is_refused() {
    let aws = format!("{MARKER}: [\n");
    for args in [
        &["lint", "p.yaml", "--config", "link/promgen.yaml"][..],
        &["lint", "p.yaml", "--baseline", "link/promgen.yaml"],
        &["lint", "link"],
        &["test", "link"],
        &["test", "link/promgen.yaml"],
        &["shards", "p.yaml", "--targets", "link"],
        &["render", "p.yaml", "--templates", "link"],
        &["render", "p.yaml", "-o", "link/"],
        &["render", "p.yaml", "-o", "link/new/"],
        &["rules", "p.yaml", "-o", "link"],
        &["man", "-o", "link"],
        &["report", "p.yaml", "-o", "link/report.html"],
    ] {
        // In a repository of its own, which the link does not make ours.
        let folder = repository(&[
            ("outside/promgen.yaml", &aws),
            ("outside/.git/HEAD", ""),
            ("outside/relabel/a.yaml.j2", &aws),
        ]);
        link(&folder, "repo/link", "../outside");
        refuses(&folder, args);
    }
}

/// A test that passes.
fn test(manifest: &str) -> String {
    let test = "{name: a, relabel_configs: [], labels: {a: b}, expect: {labels: {a: b}}}";
    format!("manifests: [{manifest}]\ntests: [{test}]\n")
}

#[test]
fn what_a_file_names_outside_is_refused() {
    for (name, text, args) in [
        (
            "promgen.yaml",
            "baseline: ../outside/aws\n".to_owned(),
            &["lint", "."][..],
        ),
        (
            "promgen.yaml",
            "baseline: /etc/hostname\n".to_owned(),
            &["lint", "."],
        ),
        (
            "promgen.yaml",
            "paths: [../outside]\n".to_owned(),
            &["lint"],
        ),
        (
            "promgen.yaml",
            "paths: [p.yaml, ../outside/aws]\n".to_owned(),
            &["lint"],
        ),
        ("promgen.yaml", "paths: [link]\n".to_owned(), &["lint"]),
        ("t.yaml", test("../outside/aws"), &["test", "t.yaml"]),
        ("t.yaml", test("/proc/self/environ"), &["test", "t.yaml"]),
        ("t.yaml", test("link"), &["test", "t.yaml"]),
        (
            "tests/t.yaml",
            test("../../outside/aws"),
            &["test", "tests"],
        ),
    ] {
        let folder = repository(&[(&format!("repo/{name}"), &text)]);
        link(&folder, "repo/link", "../outside/aws");
        refuses(&folder, args);
    }
}

/// A pipe would block the run, `/proc` lies about its size, and the others may never end.
#[test]
fn only_a_regular_file_is_read() {
    for args in [
        &["lint", ".", "--no-config", "--baseline", "file"][..],
        &["lint", ".", "--config", "file"],
        &["test", "file"],
        &["shards", ".", "--targets", "file"],
        &["status", ".", "--live", "file"],
    ] {
        let folder = repository(&[]);
        let file = folder.path().join("repo/file");
        assert!(
            Command::new("mkfifo")
                .arg(&file)
                .status()
                .unwrap()
                .success()
        );
        let ended = run(&folder.path().join("repo"), args);
        assert!(
            ended.code == Some(2) && ended.text.contains("it is not a regular file"),
            "{args:?}: {}",
            ended.text
        );
        fs::remove_file(&file).unwrap();
        fs::File::create(&file).unwrap().set_len(1 << 40).unwrap();
        let ended = run(&folder.path().join("repo"), args);
        assert!(
            ended.code == Some(2) && ended.text.contains("it is larger than"),
            "{args:?}: {}",
            ended.text
        );
    }
    if Path::new("/proc/self/environ").exists() {
        let folder = repository(&[]);
        let ended = run(
            folder.path(),
            &["lint", "repo", "--config", "/proc/self/environ"],
        );
        assert!(
            ended.code == Some(2) && ended.text.contains("it is not a regular file"),
            "{}",
            ended.text
        );
        assert!(!ended.text.contains(MARKER));
    }
}

#[test]
fn links_inside_of_the_repository_are_followed() {
    let folder = repository(&[
        ("repo/.git/HEAD", ""),
        (
            "repo/shared/base.json",
            "{\"version\": 1, \"findings\": []}\n",
        ),
        (
            "repo/shared/promgen.yaml",
            "baseline: ../shared/base.json\n",
        ),
        ("repo/app/p.yaml", PROMETHEUS),
        ("repo/app/t.yaml", &test("../p.yaml")),
    ]);
    link(&folder, "repo/app/promgen.yaml", "../shared/promgen.yaml");
    link(&folder, "repo/app/base.json", "../shared/base.json");
    // The current folder is below the repository.
    for args in [
        &["lint", "."][..],
        &["lint", ".", "--no-config", "--baseline", "base.json"],
        &[
            "lint",
            ".",
            "--no-config",
            "--baseline",
            "../shared/base.json",
        ],
        &["test", "t.yaml"],
    ] {
        let ended = run(&folder.path().join("repo/app"), args);
        assert_eq!(ended.code, Some(0), "{args:?}: {}", ended.text);
    }
}

/// What the user types is the user's choice, unless it is a link of the repository.
#[test]
fn a_typed_path_outside_is_read() {
    let folder = repository(&[
        ("outside/base.json", "{\"version\": 1, \"findings\": []}\n"),
        ("outside/promgen.yaml", "baseline: base.json\n"),
        ("outside/t.json", "[{\"targets\": [\"a:1\"]}]\n"),
    ]);
    link(&folder, "outside/link.json", "base.json");
    link(&folder, "link.json", "outside/base.json");
    let root = folder.path().join("repo");
    let absolute = folder
        .path()
        .join("outside/base.json")
        .display()
        .to_string();
    for args in [
        &["lint", ".", "--config", "../outside/promgen.yaml"][..],
        &["lint", ".", "--baseline", "../outside/base.json"],
        &["lint", ".", "--baseline", "../outside/link.json"],
        &["lint", ".", "--baseline", "../link.json"],
        &["lint", ".", "--baseline", &absolute],
        &[
            "lint",
            ".",
            "--baseline",
            "/dev/null",
            "--write-baseline",
            "../outside/link.json",
        ],
        &["shards", ".", "--targets", "../outside/t.json"],
    ] {
        let ended = run(&root, args);
        let is_empty =
            args.contains(&"/dev/null") && ended.text.contains("`/dev/null` is not a baseline");
        assert!(
            ended.code == Some(0) || is_empty,
            "{args:?}: {}",
            ended.text
        );
    }
    let script = "\"$0\" lint . --baseline <(cat ../outside/base.json) && \
                  \"$0\" shards . --targets <(cat ../outside/t.json) && \
                  \"$0\" shards . --targets - < ../outside/t.json && \
                  \"$0\" shards . --targets /dev/stdin < ../outside/t.json && \
                  cat ../outside/t.json | \"$0\" shards . --targets /dev/stdin";
    let output = Command::new("bash")
        .args(["-c", script, env!("CARGO_BIN_EXE_promgen")])
        .current_dir(&root)
        .output();
    // There may be no bash.
    if let Ok(output) = output {
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

const BROKEN: &str = "apiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata: {name: cart}\n\
                      spec: {selector: {}, endpoints: [{path: 80}]}\n";

#[test]
fn fixes_and_baselines_are_not_written_through_links() {
    let folder = repository(&[("outside/m.yaml", BROKEN), ("outside/base.json", "")]);
    link(&folder, "repo/m.yaml", "../outside/m.yaml");
    link(&folder, "repo/base.json", "../outside/base.json");
    link(&folder, "repo/out", "../outside");
    let root = folder.path().join("repo");
    // What a folder holds is a finding, what the user types a failure.
    for (args, code) in [
        (&["lint", ".", "--fix"][..], 0),
        (&["lint", "m.yaml", "--fix"], 2),
        (&["lint", "p.yaml", "--write-baseline", "base.json"], 2),
        (&["lint", "p.yaml", "--write-baseline", "out/new.json"], 2),
    ] {
        let ended = run(&root, args);
        assert_eq!(ended.code, Some(code), "{args:?}: {}", ended.text);
        assert!(
            ended.text.contains("out of the repository"),
            "{args:?}: {}",
            ended.text
        );
    }
    assert_eq!(
        fs::read_to_string(folder.path().join("outside/m.yaml")).unwrap(),
        BROKEN
    );
    assert_eq!(
        fs::read_to_string(folder.path().join("outside/base.json")).unwrap(),
        ""
    );
    assert!(!folder.path().join("outside/new.json").exists());
}

/// With the limit of the shell for the size of files, a write fails as on a full disk.
#[test]
fn a_write_that_fails_leaves_the_old_file_and_nothing_else() {
    let long = format!("{BROKEN}{}", "# a line of the user\n".repeat(4000));
    for (args, out) in [
        (&["lint", "m.yaml", "--fix", "--no-config"][..], None),
        (&["render", "p.yaml", "-o", "old.yaml"], None),
        (&["render", "p.yaml", "-o", "out/"], Some("out")),
    ] {
        let shards = PROMETHEUS.replace("{}}", "{}, shards: 9, retention: 5d}");
        let folder = repository(&[
            ("repo/m.yaml", &long),
            ("repo/p.yaml", &shards),
            ("repo/old.yaml", ""),
        ]);
        let root = folder.path().join("repo");
        let mut before: Vec<_> = fs::read_dir(&root)
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        let script = "ulimit -f 2; exec \"$0\" \"$@\"";
        let mut command = Command::new("sh");
        command
            .args(["-c", script, env!("CARGO_BIN_EXE_promgen")])
            .args(args)
            .current_dir(&root);
        let output = command.stdin(Stdio::null()).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(
            output.status.code(),
            Some(2),
            "{args:?}: {} {stderr}",
            output.status
        );
        assert!(stderr.contains("cannot write"), "{args:?}: {stderr}");
        assert_eq!(fs::read_to_string(root.join("m.yaml")).unwrap(), long);
        assert_eq!(fs::read_to_string(root.join("old.yaml")).unwrap(), "");
        let mut after: Vec<_> = fs::read_dir(&root)
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        if let Some(out) = out {
            after.retain(|name| name != out);
            assert_eq!(fs::read_dir(root.join(out)).unwrap().count(), 0, "{args:?}");
        }
        before.sort_unstable();
        after.sort_unstable();
        assert_eq!(before, after, "{args:?}");
    }
}
