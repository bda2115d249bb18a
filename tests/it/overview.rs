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
    assert_eq!(lines.len(), 4, "{}", ran.stdout);
}
