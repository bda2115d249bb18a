//! Fixes change what was certainly meant, and files stay what they are.

use std::fs;

use promgen_testing::{needs, recorded};

use crate::lint::{folder, path};
use crate::support::promgen;

/// What `lint --fix` makes of the spec of a Prometheus, and what it says.
fn fixed(spec: &str) -> (String, String) {
    let head =
        "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {name: main}\nspec:\n";
    let folder = folder(&[("a.yaml", &format!("{head}{spec}"))]);
    let file = path(folder.path(), "a.yaml");
    let ran = promgen(&["lint", &file, "--no-config", "--fix", "--select", "PG0"]);
    let text = fs::read_to_string(&file).unwrap();
    (
        text.strip_prefix(head).unwrap_or(&text).to_owned(),
        ran.stderr,
    )
}

fn stays(spec: &str) {
    let (text, said) = fixed(spec);
    assert_eq!(text, spec);
    assert!(said.contains("0 fixes in 0 files"), "{spec}: {said}");
}

#[test]
fn an_anchor_that_an_alias_needs_stays() {
    stays("  enableFeatures: [x, &d x]\n  version: *d\n");
}

#[test]
fn a_value_that_aliases_share_stays() {
    stays("  paused: &p \"true\"\n  podMetadata: {labels: {x: *p}}\n");
    stays("  podMetadata: {labels: {x: &v 5}}\n  replicas: *v\n");
    stays("  logLevel: &l DEBUG\n  podMetadata: {labels: {level: *l}}\n");
}

#[test]
fn a_number_in_quotes_that_is_another_without_stays() {
    stays("  shards: \"010\"\n");
    assert_eq!(fixed("  shards: \"10\"\n").0, "  shards: 10\n");
}

#[test]
fn a_tag_and_an_escape_stay() {
    stays("  replicas: !!str \"5\"\n");
    stays("  podMetadata: {labels: {a: !!int 5}}\n");
    stays("  replicas: \"\\x35\"\n");
}

#[test]
fn two_keys_do_not_become_one() {
    stays("  Replicas: 1\n  REPLICAS: 2\n");
    stays("  replicas: 1\n  REPLICAS: 2\n");
    assert_eq!(fixed("  Replicas: 1\n").0, "  replicas: 1\n");
}

#[needs(recordings)]
#[test]
fn every_recorded_file_stays_or_reads_as_wanted() {
    for source in fs::read_dir(recorded("hostile/fix"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
    {
        let text = fs::read_to_string(&source).unwrap();
        let folder = folder(&[("a.yaml", &text)]);
        let file = path(folder.path(), "a.yaml");
        promgen(&["lint", &file, "--no-config", "--fix"]);
        let after = fs::read_to_string(&file).unwrap();
        let name = source.file_name().unwrap().to_str().unwrap();
        assert_eq!(
            after == text,
            !["nums.yaml", "ok.yaml", "maps.yaml"].contains(&name),
            "{name}: {after}"
        );
        serde_yaml::from_str::<serde_yaml::Value>(&after).unwrap();
    }
}

const WRONG: &str = "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {name: main}\nspec: {Replicas: 1}\n";

#[cfg(unix)]
#[test]
fn owner_mode_and_links_of_a_file_stay() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

    let folder = folder(&[("real", &format!("\u{feff}{}", WRONG.replace('\n', "\r\n")))]);
    let real = folder.path().join("real");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    fs::hard_link(&real, folder.path().join("hard")).unwrap();
    symlink("real", folder.path().join("link.yaml")).unwrap();
    let before = fs::metadata(&real).unwrap();
    promgen(&[
        "lint",
        folder.path().to_str().unwrap(),
        "--no-config",
        "--fix",
    ]);
    let after = fs::metadata(&real).unwrap();
    assert_eq!(
        (before.mode(), before.uid(), before.gid()),
        (after.mode(), after.uid(), after.gid())
    );
    assert!(folder.path().join("link.yaml").is_symlink());
    let old = fs::read_to_string(folder.path().join("hard")).unwrap();
    assert!(
        old.ends_with("{Replicas: 1}\r\n"),
        "the file is replaced as a whole: {old:?}"
    );
    let text = fs::read_to_string(&real).unwrap();
    assert!(
        text.starts_with('\u{feff}') && text.ends_with("\r\nspec: {replicas: 1}\r\n"),
        "{text:?}"
    );
}

#[cfg(unix)]
#[test]
fn a_name_that_is_no_utf8_is_fixed_in_place() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(OsStr::from_bytes(b"a\xff.yaml"));
    fs::write(&file, WRONG).unwrap();
    promgen(&[
        "lint",
        folder.path().to_str().unwrap(),
        "--no-config",
        "--fix",
    ]);
    assert!(fs::read_to_string(&file).unwrap().contains("{replicas: 1}"));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

/// In a process of its own, since only a path relative to its folder is the name that stands for standard input.
#[test]
fn a_file_called_stdin_is_a_file() {
    let folder = folder(&[("<stdin>", WRONG)]);
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_promgen"));
    let ran = command
        .current_dir(folder.path())
        .args(["lint", "<stdin>", "--no-config", "--fix"])
        .output()
        .unwrap();
    assert!(
        fs::read_to_string(folder.path().join("<stdin>"))
            .unwrap()
            .contains("{replicas: 1}")
    );
    assert!(!String::from_utf8_lossy(&ran.stdout).contains("apiVersion"));
}
