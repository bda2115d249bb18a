//! `promgen PATH`: what is in a repository, in a few lines.

use std::fs;

use crate::support::{promgen, root};

#[test]
fn jobs_that_are_not_reached_are_named_with_the_reason() {
    let ran = promgen(&["fixtures/scraping/input"]);
    let (_, rest) = ran
        .stdout
        .split_once("\nnot reached\n")
        .unwrap_or_else(|| panic!("{}", ran.stdout));
    let lines: Vec<&str> = rest
        .lines()
        .take_while(|line| line.starts_with("  "))
        .collect();
    assert_eq!(lines.len(), 3, "{lines:?}");
    let account = "service account monitoring/prometheus-k8s";
    assert_eq!(
        lines[0],
        format!(
            "  job podMonitor/shop/jobs/0 of Prometheus/monitoring/k8s: {account} may not list and watch pods in namespace shop"
        )
    );
    let quiet = promgen(&["fixtures/quickstart/input"]).stdout;
    assert!(!quiet.contains("not reached"), "{quiet}");
}

#[test]
fn of_many_environments_the_number_of_such_jobs_is_printed() {
    let folder = tempfile::tempdir().unwrap();
    let text =
        |name: &str| fs::read_to_string(root().join("fixtures/scraping/input").join(name)).unwrap();
    for cluster in ["a", "b", "c", "d"] {
        let path = folder.path().join(cluster);
        fs::create_dir(&path).unwrap();
        fs::write(
            path.join("kustomization.yaml"),
            "resources: [monitoring.yaml, shop.yaml]\n",
        )
        .unwrap();
        let own = format!("Endpoints\n  externalLabels: {{cluster: {cluster}}}\n");
        fs::write(
            path.join("monitoring.yaml"),
            text("monitoring.yaml").replacen("Endpoints\n", &own, 1),
        )
        .unwrap();
        fs::write(path.join("shop.yaml"), text("shop.yaml")).unwrap();
    }
    let ran = promgen(&[folder.path().to_str().unwrap()]);
    let lines: Vec<&str> = ran
        .stdout
        .lines()
        .filter(|line| line.contains("3 jobs not reached"))
        .collect();
    assert!(
        lines.len() == 1 && lines[0].contains("a, ") && lines[0].contains(" and 1 more: "),
        "{}",
        ran.stdout
    );
}

/// A Prometheus, and as many monitors that no Service has, monitors of another team, rules and errors.
fn large(n: usize) -> String {
    let mut text = "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {name: main, namespace: shop}\n\
        spec: {ruleSelector: {}, serviceMonitorSelector: {matchLabels: {team: a}}, alerting: {alertmanagers: [{namespace: shop, name: none, port: web}]}}\n"
        .to_owned();
    for i in 0..n {
        for team in ["a", "b"] {
            text += &format!(
                "---\napiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata: {{name: {team}{i}, namespace: shop, labels: \
                 {{team: {team}}}}}\nspec: {{selector: {{matchLabels: {{app: x{i}}}}}, endpoints: [{{port: web}}]}}\n"
            );
        }
        text += &format!(
            "---\napiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {{name: other{i}, namespace: shop}}\nspec: {{shards: two}}\n\
             ---\napiVersion: monitoring.coreos.com/v1\nkind: Alertmanager\nmetadata: {{name: am{i}, namespace: shop}}\nspec: {{}}\n\
             ---\napiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata: {{name: r{i}, namespace: shop}}\n\
             spec: {{groups: [{{name: g, rules: [{{alert: A{i}, expr: up == 0}}]}}]}}\n"
        );
    }
    text
}

#[test]
fn an_overview_fits_a_screen_and_names_errors_first() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("all.yaml");
    for n in [0, 1, 3, 30] {
        fs::write(&path, large(n)).unwrap();
        let ran = promgen(&[folder.path().to_str().unwrap()]);
        assert!(ran.stdout.lines().count() <= 25, "{n}: {}", ran.stdout);
        assert_eq!(
            ran.stdout.starts_with("errors\n  error[PG"),
            n > 0,
            "{}",
            ran.stdout
        );
        assert_eq!(ran.stdout.contains("  and 2"), n == 30, "{}", ran.stdout);
    }
}

#[test]
fn environments_that_are_alike_share_a_line() {
    let folder = tempfile::tempdir().unwrap();
    for i in 0..40 {
        let path = folder.path().join(format!("clusters/c{i}"));
        fs::create_dir_all(&path).unwrap();
        fs::write(path.join("kustomization.yaml"), "resources: [all.yaml]\n").unwrap();
        let text = large(1 + i % 2)
            .replacen(
                "{ruleSelector",
                &format!("{{externalLabels: {{cluster: c{i}}}, ruleSelector"),
                1,
            )
            .replace("shards: two", "shards: 2");
        fs::write(path.join("all.yaml"), text).unwrap();
    }
    let ran = promgen(&[folder.path().to_str().unwrap()]);
    assert!(ran.stdout.lines().count() <= 25, "{}", ran.stdout);
    assert_eq!(
        ran.stdout.matches(" and 17 more: ").count(),
        2,
        "{}",
        ran.stdout
    );
}
