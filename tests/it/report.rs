//! `promgen report`: the page is whole, harmless, bounded and the same in every run, and marks what changes.

use std::fmt::Write as _;

use crate::support::{Ran, promgen};

fn report(args: &[&str]) -> Ran {
    let all: Vec<&str> = ["report", "--no-config"].iter().chain(args).copied().collect();
    let ran = promgen(&all);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    ran
}

const INPUT: &str = "fixtures/report/input";
const BASE: &str = "fixtures/report/base";

#[test]
fn it_has_everything() {
    let page = report(&[INPUT]).stdout;
    for part in [
        "id=\"Prometheus&#x2f;monitoring&#x2f;main\"",
        "<th scope=\"row\">zone-a</th>",
        "serviceMonitor&#x2f;shop&#x2f;cart&#x2f;0",
        "id=\"ServiceMonitor&#x2f;shop&#x2f;forgotten\"",
        "forgotten lacks `team: shop`",
        "severity=&quot;critical&quot;",
        "pager: pagerduty",
        "CartDown",
        "Reconciled",
        "Prometheus 2.55.1",
        "How many shards for main?",
    ] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn it_needs_nothing_else_and_its_ids_are_there_once() {
    for args in [&[INPUT][..], &["fixtures/kustomize/input"], &["fixtures/lint/input"], &[INPUT, "--compare", BASE]] {
        let page = report(args).stdout;
        for forbidden in ["href=\"http", "src=", "@import", "url("] {
            assert!(!page.contains(forbidden), "{forbidden}");
        }
        let mut ids: Vec<&str> = page.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        let n_ids = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), n_ids, "{args:?}: ids are there once");
        for link in page.split("href=\"#").skip(1).filter_map(|rest| rest.split('"').next()) {
            assert!(ids.binary_search(&link).is_ok(), "{args:?}: {link}");
        }
    }
}

#[test]
fn it_is_the_same_in_every_run() {
    let args = [INPUT, "--compare", BASE];
    assert_eq!(report(&args).stdout, report(&args).stdout);
}

#[test]
fn no_value_of_a_secret_is_in_it() {
    for args in [&[INPUT][..], &[INPUT, "--compare", BASE], &["fixtures/alertmanager-single/input"]] {
        let page = report(args).stdout;
        for secret in ["hunter2-4711", "pagerkey-0815"] {
            assert!(!page.contains(secret), "{args:?}: {secret}");
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.yaml");
    // A line of a Secret stands beside a finding.
    let text = "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData: {password: x4711}\n---\n{apiVersion: \
                monitoring.coreos.com/v1, kind: Prometheus, metadata: {name: a}, spec: {shards: [1]}}\n";
    std::fs::write(&path, text).unwrap();
    let page = report(&[path.to_str().unwrap()]).stdout;
    assert!(page.contains("shards: [1]") && !page.contains("4711"), "{page}");
    assert!(page.contains("not shown: may hold a secret"), "{page}");
}

#[test]
fn what_changes_is_marked() {
    let page = report(&[INPUT, "--compare", BASE]).stdout;
    assert!(page.contains("<span class=\"badge changed\">changed</span>"), "{page}");
    assert!(page.contains("job serviceMonitor&#x2f;shop&#x2f;forgotten&#x2f;0"), "{page}");
    assert!(page.contains("<span class=\"badge new\">new</span>"), "{page}");
    let page = report(&[INPUT, "--compare", INPUT]).stdout;
    assert!(!page.contains("badge changed") && page.contains("no differences"), "{page}");
}

#[test]
fn markup_in_names_stays_text() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("<img src=x>.yaml");
    let text = "apiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata: {name: a}\nspec:\n  groups:\n  - name: a\n    rules:\n    - alert: \"<script>alert(1)</script><!--simulate-->\"\n      expr: up{a=\"</script>\"} == == 0\n";
    std::fs::write(&path, text).unwrap();
    let page = report(&[path.to_str().unwrap()]).stdout;
    assert_eq!(page.matches("<script").count(), 1, "{page}");
    assert!(!page.contains("<img") && !page.contains("<!--"), "{page}");
}

#[test]
fn a_page_about_thousands_of_resources_is_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let mut text = String::new();
    for n in 0..3_000 {
        let spec = "spec: {selector: {}, endpoints: [{port: http}]}";
        writeln!(
            text,
            "---\napiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata: {{name: m{n}}}\n{spec}"
        )
        .unwrap();
    }
    let path = folder.path().join("many.yaml");
    std::fs::write(&path, text).unwrap();
    let page = report(&[path.to_str().unwrap()]).stdout;
    assert!(page.len() < 3 << 20, "{}", page.len());
    assert!(page.contains("300 of 3000 shown") && page.contains("promgen explain KIND"), "no word of what is cut");
}

#[test]
fn what_cannot_be_done_is_said() {
    let ran = promgen(&["report", "-", "--compare", "main"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("--compare reads its input twice"), "{}", ran.stderr);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.yaml");
    std::fs::write(&path, "a: 1\n").unwrap();
    let path = path.to_str().unwrap();
    let ran = promgen(&["report", "--no-config", path, "-o", path]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert_eq!(std::fs::read_to_string(path).unwrap(), "a: 1\n");
    assert_eq!(promgen(&["report", "absent/"]).code, 2);
}
