//! Which findings are printed, and what the exit code says: arguments, `promgen.yaml`, baselines.

use std::fs;

use super::{codes, folder, lint, path};
use crate::support::promgen;

/// An error, a warning and an info: an unknown field, idle shards, a document that is no manifest.
const MIXED: &str = "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {name: k8s}\nspec:\n  shards: 4\n  shardingStrategy: {mode: Topology, topology: {values: [a, b, c]}}\n  color: red\n---\nreplicaCount: 1\n";
const ERROR: &str =
    "apiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata: {name: A}\nspec: {}\n";
const CLEAN: &str = "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\n";

fn codes_in(folder: &tempfile::TempDir, args: &[&str]) -> Vec<String> {
    codes(&promgen(
        &[
            &["lint", folder.path().to_str().unwrap(), "--format", "json"],
            args,
        ]
        .concat(),
    ))
}

#[test]
fn the_exit_code_is_what_fail_on_says() {
    let only = ["--select", "PG010,PG201,PG019"];
    for (ignore, codes) in [
        ("PG204", [1, 1, 1, 0]),
        ("PG010", [0, 1, 1, 0]),
        ("PG010,PG201", [0, 0, 1, 0]),
        ("PG010,PG201,PG019", [0; 4]),
    ] {
        for (fail_on, code) in ["error", "warning", "info", "never"].into_iter().zip(codes) {
            let ran = lint(
                MIXED,
                &[&only[..], &["--ignore", ignore, "--fail-on", fail_on]].concat(),
            );
            assert_eq!(
                ran.code, code,
                "--ignore {ignore} --fail-on {fail_on}: {}",
                ran.stdout
            );
        }
    }
    assert_eq!(lint(CLEAN, &[]).code, 0);
}

#[test]
fn findings_are_the_product_and_their_number_is_not() {
    let ran = lint(MIXED, &["--select", "PG010,PG201"]);
    assert!(
        ran.stdout.starts_with("error[PG010]") && ran.stdout.contains("warning[PG201]"),
        "{}",
        ran.stdout
    );
    let fixable = "note: --fix --unsafe-fixes mends 1 of them; --diff shows how\n";
    assert_eq!(
        ran.stderr,
        format!("1 error, 1 warning\nfor more about a code, try `promgen rule PG010`\n{fixable}")
    );
    let clean = lint(CLEAN, &[]);
    let nothing = "note: no resource of the operator in the input: nothing was checked\n";
    assert_eq!(
        (clean.stdout.as_str(), clean.stderr.as_str()),
        ("", nothing)
    );
    let golden = folder(&[("tests/golden/a.yaml", ERROR), ("b.yaml", CLEAN)]);
    let golden = promgen(&["lint", golden.path().to_str().unwrap()]);
    let aside =
        "note: nothing of the operator was checked: 1 file of a test suite not read (PG053)\n";
    assert!(golden.stderr.starts_with(aside), "{}", golden.stderr);
    let unread = lint("kind: Prometheus\nmetadata: {name: a\n", &[]);
    assert!(
        unread.stdout.starts_with("error[PG001]") && !unread.stderr.contains("nothing was checked")
    );
}

#[test]
fn a_configuration_is_found_upwards_and_arguments_beat_it() {
    let folder = folder(&[
        (
            "promgen.yaml",
            "ignore: [PG015]\nfail-on: never\npaths: [a]\n",
        ),
        ("a/x.yaml", ERROR),
        ("a/b/y.yaml", ERROR),
        ("c/z.yaml", ERROR),
    ]);
    let file = path(folder.path(), "a/b/y.yaml");
    let ran = promgen(&["lint", &file]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{}", ran.stderr);
    assert_eq!(promgen(&["lint", &file, "--no-config"]).code, 1);
    assert_eq!(
        promgen(&["lint", &file, "--ignore", "PG2"]).code,
        0,
        "fail-on is still the file's"
    );
    assert_eq!(
        promgen(&["lint", &file, "--ignore", "PG2", "--fail-on", "error"]).code,
        1
    );
    assert_eq!(codes_in(&folder, &["--ignore", "PG2"]), ["PG015"; 3]);
    let config = path(folder.path(), "promgen.yaml");
    let found = codes(&promgen(&[
        "lint", "--config", &config, "--ignore", "PG2", "--format", "json",
    ]));
    assert_eq!(found, ["PG015"; 2], "paths are those of the file");
}

#[test]
fn a_repository_is_where_the_search_for_a_configuration_ends() {
    let folder = folder(&[
        ("promgen.yaml", "ignore: [PG015]\n"),
        ("repo/.git/HEAD", ""),
        ("repo/a/x.yaml", ERROR),
    ]);
    assert_eq!(promgen(&["lint", &path(folder.path(), "repo/a")]).code, 1);
}

#[test]
fn levels_excluded_files_and_rules_of_files_are_the_configurations() {
    let folder = folder(&[
        (
            "promgen.yaml",
            "levels: {PG0: warning, PG015: info}\nexclude: [vendor, 'gen/*.yaml']\nper-path-ignores: {'test/**': [PG01]}\n",
        ),
        ("x.yaml", ERROR),
        ("a/vendor/x.yaml", ERROR),
        ("gen/x.yaml", ERROR),
        ("test/x.yaml", ERROR),
    ]);
    let ran = promgen(&["lint", folder.path().to_str().unwrap()]);
    assert!(
        ran.code == 0 && ran.stdout.starts_with("info[PG015]"),
        "{}",
        ran.stdout
    );
    assert_eq!(
        ran.stderr,
        "note: 2 resources of the operator checked\n1 info\n"
    );
}

#[test]
fn what_the_configuration_compiles_for_arrives() {
    let monitor = "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {name: k8s}\nspec: {podMonitorSelector: {}, scrapeProtocols: [PrometheusText1.0.0]}\n";
    let folder = folder(&[
        ("promgen.yaml", "default-prometheus-version: v2.45.0\n"),
        ("x.yaml", monitor),
    ]);
    assert_eq!(codes_in(&folder, &["--select", "PG301"]), ["PG301"]);
    assert!(
        codes_in(
            &folder,
            &[
                "--select",
                "PG301",
                "--default-prometheus-version",
                "v3.5.0"
            ]
        )
        .is_empty()
    );
}

#[test]
fn a_wrong_configuration_is_a_failure_with_a_place() {
    let folder = folder(&[
        ("promgen.yaml", "fail-on: error\nselct: [PG1]\n"),
        ("x.yaml", ERROR),
    ]);
    let ran = promgen(&["lint", folder.path().to_str().unwrap()]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(
        ran.stderr.contains("promgen.yaml:2:1") && ran.stderr.contains("did you mean \"select\"?"),
        "{}",
        ran.stderr
    );
    assert_eq!(
        promgen(&["lint", "--config", "nowhere.yaml", "fixtures/quickstart"]).code,
        2
    );
}

#[test]
fn a_baseline_leaves_what_is_new_and_shrinks() {
    let folder = folder(&[("x.yaml", MIXED), ("y.yaml", ERROR)]);
    let (baseline, file) = (
        path(folder.path(), "known.json"),
        path(folder.path(), "x.yaml"),
    );
    let root = folder.path().to_str().unwrap();
    let ran = promgen(&["lint", root, "--write-baseline", &baseline]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{}", ran.stderr);
    let known = promgen(&["lint", root, "--baseline", &baseline, "--fail-on", "info"]);
    assert_eq!(
        (known.code, known.stdout.as_str()),
        (0, ""),
        "{}",
        known.stderr
    );
    assert!(
        known.stderr.contains("more in the baseline"),
        "{}",
        known.stderr
    );

    fs::write(
        &file,
        format!("# moved\n\n{}", MIXED.replace("color: red", "colour: red")),
    )
    .unwrap();
    assert_eq!(codes_in(&folder, &["--baseline", &baseline]), ["PG010"]);
    let told = promgen(&["lint", root, "--baseline", &baseline]).stderr;
    assert!(told.contains("1 of the baseline no longer found"), "{told}");
    let before = fs::read_to_string(&baseline).unwrap();
    promgen(&[
        "lint",
        root,
        "--baseline",
        &baseline,
        "--write-baseline",
        &baseline,
    ]);
    let after = fs::read_to_string(&baseline).unwrap();
    assert!(
        before.contains("spec.color")
            && !after.contains("spec.color")
            && !after.contains("spec.colour"),
        "{after}"
    );
    assert_eq!(
        codes_in(&folder, &["--baseline", &baseline]),
        ["PG010"],
        "what is new stays new"
    );
    fs::write(&baseline, "[]").unwrap();
    assert_eq!(promgen(&["lint", root, "--baseline", &baseline]).code, 2);
}

#[test]
fn what_is_allowed_is_in_sarif_and_nowhere_else() {
    let text = format!("# promgen: allow(PG015) old name\n{ERROR}");
    assert_eq!(lint(&text, &[]).stdout, "");
    let sarif: serde_json::Value =
        serde_json::from_str(&lint(&text, &["--format", "sarif"]).stdout).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    assert!(
        results.len() == 1 && results[0]["suppressions"][0]["kind"] == "inSource",
        "{results:?}"
    );
}

#[test]
fn each_format_is_one_text_whatever_there_is_to_say() {
    for format in ["json", "sarif"] {
        for text in [CLEAN, MIXED, ""] {
            let ran = lint(text, &["--format", format]);
            serde_json::from_str::<serde_json::Value>(&ran.stdout).unwrap();
        }
    }
    let nothing: serde_json::Value =
        serde_json::from_str(&lint(CLEAN, &["--format", "json"]).stdout).unwrap();
    assert_eq!(
        nothing,
        serde_json::json!({ "version": 1, "command": "lint", "findings": [] })
    );
    assert_eq!(lint(CLEAN, &["--format", "github"]).stdout, "");
    assert_eq!(
        lint(CLEAN, &["--format", "markdown"]).stdout,
        "## promgen lint: no findings\n"
    );
}

#[cfg(unix)]
#[test]
fn a_broken_link_is_a_finding_and_the_rest_is_checked() {
    use std::os::unix::fs::symlink;

    let folder = folder(&[
        ("a/x.yaml", ERROR),
        ("b/y.yaml", CLEAN),
        (".gitignore", "ignored.yaml\n"),
    ]);
    let link = |target: &str, name: &str| symlink(target, folder.path().join(name)).unwrap();
    link("../gone/rules.yaml", "a/broken.yaml");
    link("self.yaml", "b/self.yaml");
    link("nowhere", "ignored.yaml");
    link("nowhere", "notes");
    let root = folder.path().to_str().unwrap();
    let ran = promgen(&["lint", root, "--no-config", "--select", "PG008,PG015"]);
    let expected = "warning[PG008]: the link leads to `../gone/rules.yaml`, which does not exist\n";
    assert!(
        ran.code == 1 && ran.stdout.contains(expected),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
    assert!(
        ran.stdout.contains("/a/broken.yaml:1:1\n"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout.contains("error[PG008]: this cannot be read: ")
            && ran.stdout.contains("/b/self.yaml:1:1\n")
    );
    assert_eq!(
        codes_in(&folder, &["--no-config", "--select", "PG008,PG015"]),
        ["PG015", "PG008", "PG008"]
    );
    // A finding like others: it can be ignored, and decides about the exit code by its level.
    assert_eq!(
        promgen(&[
            "lint",
            root,
            "--no-config",
            "--select",
            "PG008",
            "--fail-on",
            "never"
        ])
        .code,
        0
    );
    assert_eq!(
        promgen(&["lint", root, "--no-config", "--ignore", "PG008,PG015"]).code,
        0
    );
    let a = path(folder.path(), "a");
    let warned = promgen(&["lint", &a, "--no-config", "--select", "PG008"]);
    assert!(
        warned.code == 0 && warned.stdout.contains("PG008"),
        "{}",
        warned.stdout
    );
    // Excluded files are not looked at, and a file that is named must be readable.
    fs::write(
        folder.path().join("promgen.yaml"),
        "exclude: [\"**/broken.yaml\", \"**/self.yaml\"]\n",
    )
    .unwrap();
    assert_eq!(codes_in(&folder, &["--select", "PG008"]), [""; 0]);
    let named = promgen(&["lint", "--no-config", &path(folder.path(), "a/broken.yaml")]);
    assert!(
        named.code == 2 && named.stderr.contains("cannot read"),
        "{}",
        named.stderr
    );
    // Commands that write what they read stop.
    for command in ["render", "config", "status"] {
        let ran = promgen(&[command, root]);
        assert!(
            ran.code == 2 && ran.stdout.is_empty() && ran.stderr.contains("cannot read"),
            "{command}"
        );
    }
}

#[test]
fn nothing_in_a_manifest_exempts_it_where_that_is_not_wanted() {
    let commented = ERROR.replace("{name: A}", "{name: A} # promgen: allow(PG015)");
    let annotated = ERROR.replace(
        "{name: A}",
        "{name: B, annotations: {promgen.dev/allow: PG015}}",
    );
    let generated = format!(
        "# promgen: generated\n{}",
        ERROR.replace("{name: A}", "{name: C}")
    );
    let marked = ERROR.replace(
        "{name: A}",
        "{name: D, annotations: {promgen.dev/generated: \"true\"}}",
    );
    let raw = format!(
        " {}",
        ERROR.replace("{name: A}", "{name: E}").replace('\n', "\n ")
    );
    let record = format!(
        "# promgen: generated\n{}  prometheus/d/main/rules/d-e-1.yaml\n",
        "0".repeat(64)
    );
    let folder = folder(&[
        ("a.yaml", &commented),
        ("b.yaml", &annotated),
        ("c.yaml", &generated),
        ("d.yaml", &marked),
        ("prometheus/d/main/rules/d-e-1.yaml", &raw),
        (".promgen.sha256", &record),
    ]);
    let only = ["--no-config", "--select", "PG015,PG040"];
    assert_eq!(codes_in(&folder, &only), [""; 0]);
    assert_eq!(
        codes_in(&folder, &[&only[..], &["--no-allow"]].concat()),
        ["PG015"; 5]
    );
    let root = folder.path().to_str().unwrap();
    let ran = promgen(&["lint", root, "--no-config", "--no-allow"]);
    assert!(
        ran.code == 1 && !ran.stderr.contains("skipped"),
        "{}",
        ran.stderr
    );
    // All are findings of their own, to code scanning too.
    let sarif = promgen(&[
        "lint",
        root,
        "--no-config",
        "--no-allow",
        "--format",
        "sarif",
    ])
    .stdout;
    assert!(!sarif.contains("suppressions"), "{sarif}");
}
