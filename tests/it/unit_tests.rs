//! `promgen test`: reports in files, and what may not be shown.

use std::fs;

use crate::support::{promgen, root};

const FILE: &str = "fixtures/rule-tests-failing/input/failing.yaml";

#[test]
fn a_report_goes_to_a_file_and_its_text_to_standard_output() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("report.xml");
    let ran = promgen(&[
        "test",
        FILE,
        "--format",
        "junit",
        "--report",
        path.to_str().unwrap(),
    ]);
    assert_eq!(ran.code, 1);
    assert!(
        ran.stdout.ends_with("9 of 9 tests failed\n"),
        "{}",
        ran.stdout
    );
    let printed = promgen(&["test", FILE, "--format", "junit"]).stdout;
    assert_eq!(fs::read_to_string(&path).unwrap(), printed);
    let nowhere = folder.path().join("no/such/folder/report.xml");
    let ran = promgen(&["test", FILE, "--report", nowhere.to_str().unwrap()]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
}

#[test]
fn rules_of_secrets_are_only_run_where_they_may_be_shown() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["monitoring.yaml", "objects.yaml"] {
        fs::copy(
            root().join("fixtures/relabelings/input").join(name),
            folder.path().join(name),
        )
        .unwrap();
    }
    let path = folder.path().join("secret.yaml");
    let text = "manifests: [monitoring.yaml, objects.yaml]\ntests:\n- name: secret\n  job: legacy\n  \
                target: legacy.example.com\n  expect: {contains: {password: other}}\n";
    fs::write(&path, text).unwrap();
    let ran = promgen(&["test", path.to_str().unwrap()]);
    assert_eq!(ran.code, 1);
    assert!(
        !ran.stdout.contains("hunter2") && ran.stdout.contains("job legacy not found"),
        "{}",
        ran.stdout
    );
    let ran = promgen(&["test", path.to_str().unwrap(), "--reveal-secrets"]);
    assert!(
        ran.stdout.contains("+ password=\"hunter2\""),
        "{}",
        ran.stdout
    );
}

#[test]
fn manifests_that_are_not_there_are_a_failure() {
    let folder = tempfile::tempdir().unwrap();
    for (manifest, expected) in [
        ("nowhere", "nowhere"),
        ("'-'", "`-` is not a manifest file"),
    ] {
        let path = folder.path().join("test.yaml");
        let text = format!(
            "manifests: [{manifest}]\ntests: [{{name: a, job: b, target: c, expect: {{dropped: true}}}}]\n"
        );
        fs::write(&path, text).unwrap();
        let ran = promgen(&["test", path.to_str().unwrap()]);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
        assert!(ran.stderr.contains(expected), "{}", ran.stderr);
    }
}

#[test]
fn the_schema_of_test_files_is_printed() {
    let schema: serde_json::Value =
        serde_json::from_str(&promgen(&["schema", "test"]).stdout).unwrap();
    assert!(schema["properties"]["tests"]["description"].is_string());
}
