//! A lint that several machines share: `lint --shard`, and `merge`.

use std::fs;

use super::path;
use crate::support::{promgen, root};

/// What the machines print.
fn parts(folder: &tempfile::TempDir, input: &str, n: usize) -> Vec<String> {
    let part = |number: usize| {
        let ran = promgen(&["lint", input, "--shard", &format!("{number}/{n}")]);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
        let file = path(folder.path(), &format!("{number}.json"));
        fs::write(&file, ran.stdout).unwrap();
        file
    };
    (1..=n).map(part).collect()
}

#[test]
fn the_parts_of_a_lint_are_the_whole() {
    for fixture in ["environments", "partly-built", "flux-builds", "lint"] {
        let input = root().join("fixtures").join(fixture).join("input");
        let input = input.to_str().unwrap();
        for n in [1, 2, 4] {
            let folder = tempfile::tempdir().unwrap();
            let parts = parts(&folder, input, n);
            for more in [
                &["--format", "text"][..],
                &["--format", "json"],
                &["--format", "sarif"],
                &["--sort", "path"],
            ] {
                let whole = promgen(&[&["lint", input][..], more].concat());
                let merged: Vec<&str> = ["merge"]
                    .into_iter()
                    .chain(parts.iter().map(String::as_str))
                    .collect();
                let merged = promgen(&[&merged[..], &["--", input], more].concat());
                assert_eq!(merged, whole, "{fixture} of {n}: {more:?}");
            }
        }
    }
}

#[test]
fn parts_of_something_else_are_refused() {
    let input = root().join("fixtures/environments/input");
    let input = input.to_str().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let parts = parts(&folder, input, 2);
    let refused = |args: &[&str]| {
        let ran = promgen(&[&["merge"], args].concat());
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{args:?}");
        ran.stderr
    };
    assert!(refused(&[&parts[0], "--", input]).contains("no part has the environment "));
    let other = refused(&[
        &parts[0],
        &parts[1],
        "--",
        input,
        "--operator-version",
        "v0.80.0",
    ]);
    assert!(
        other.contains("is of other files, other options or another promgen"),
        "{other}"
    );
    assert!(refused(&[&parts[0], "--", input, "--shard", "1/2"]).contains("--shard"));
    let text = fs::read_to_string(&parts[1]).unwrap();
    for (from, to) in [
        ("\"rule\":\"PG", "\"rule\":\"XX"),
        ("\"span\":[", "\"span\":[9"),
        ("\"version\":1", "\"version\":2"),
    ] {
        fs::write(&parts[1], text.replacen(from, to, 1)).unwrap();
        assert!(
            refused(&[&parts[0], &parts[1], "--", input]).contains(&parts[1]),
            "{to}"
        );
    }
    fs::write(&parts[1], "apiVersion: v1").unwrap();
    assert!(refused(&[&parts[0], &parts[1], "--", input]).contains("no part of a lint"));
}
