//! `promgen report`: the page is whole, harmless, bounded and the same in every run, and marks what changes.

use std::fmt::Write as _;

use base64::Engine as _;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::support::{Ran, promgen};

fn report(args: &[&str]) -> Ran {
    let all: Vec<&str> = ["report", "--no-config"]
        .iter()
        .chain(args)
        .copied()
        .collect();
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
        "id=\"Prometheus/monitoring/main\"",
        "<th scope=\"row\">zone-a</th>",
        "serviceMonitor/shop/cart/0",
        "id=\"ServiceMonitor/shop/forgotten\"",
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
    for args in [
        &[INPUT][..],
        &["fixtures/kustomize/input"],
        &["fixtures/lint/input"],
        &[INPUT, "--compare", BASE],
    ] {
        let page = report(args).stdout;
        for forbidden in ["href=\"http", "src=", "@import", "url("] {
            assert!(!page.contains(forbidden), "{forbidden}");
        }
        let mut ids: Vec<&str> = page
            .split(" id=\"")
            .skip(1)
            .filter_map(|rest| rest.split('"').next())
            .collect();
        let n_ids = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), n_ids, "{args:?}: ids are there once");
        for link in page
            .split("href=\"#")
            .skip(1)
            .filter_map(|rest| rest.split('"').next())
        {
            // A search is no place.
            assert!(
                link.starts_with("?q=") || ids.binary_search(&link).is_ok(),
                "{args:?}: {link}"
            );
        }
    }
}

/// A browser runs the script of the page and no other, and loads nothing.
#[test]
fn a_policy_lets_a_browser_run_only_the_script_of_the_page() {
    let page = report(&[INPUT, "--compare", BASE]).stdout;
    let policy = |page: &str| {
        let (_, rest) = page
            .split_once("<meta http-equiv=\"Content-Security-Policy\" content=\"")
            .unwrap();
        rest.split_once('"').unwrap().0.to_owned()
    };
    let scripts: Vec<&str> = page
        .split("<script>")
        .skip(1)
        .map(|rest| rest.split_once("</script>").unwrap().0)
        .collect();
    assert_eq!((scripts.len(), page.matches("<script").count()), (1, 1));
    let digest = base64::engine::general_purpose::STANDARD.encode(Sha256::digest(scripts[0]));
    let wanted = "default-src 'none'; style-src 'unsafe-inline'; img-src data:;";
    assert_eq!(
        policy(&page),
        format!("{wanted} script-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'")
    );
    // What stands before it in the page is not under it.
    assert!(page.find("Content-Security-Policy") < page.find("<style"));
    let args = [
        "simulate",
        "fixtures/quickstart/input",
        "--shards",
        "1..3",
        "--format",
        "html",
    ];
    let simulated = promgen(&args).stdout;
    assert_eq!(
        policy(&simulated),
        format!("{wanted} base-uri 'none'; form-action 'none'")
    );
    assert!(!simulated.contains("<script"));
}

/// What a command prints as JSON.
fn json(args: &[&str]) -> Value {
    let all: Vec<&str> = args.iter().chain(&["--format", "json"]).copied().collect();
    serde_json::from_str(&promgen(&all).stdout).unwrap()
}

/// The page as a browser shows its text.
fn text_of(page: &str) -> String {
    let entities = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#x27;", "'"),
        ("&amp;", "&"),
    ];
    entities
        .iter()
        .fold(page.to_owned(), |text, (entity, c)| text.replace(entity, c))
}

#[test]
fn the_page_shows_the_data_of_json() {
    let data = json(&["report", "--no-config", INPUT, "--compare", BASE]);
    let page = text_of(&report(&[INPUT, "--compare", BASE]).stdout);
    for (list, key) in [
        ("/facts", "value"),
        ("/findings/all", "message"),
        ("/releases", "version"),
        ("/changed/parts", "title"),
        ("/environments/0/workloads", "about"),
        ("/environments/0/workloads/0/grid", "zone"),
        ("/environments/0/workloads/0/jobs", "name"),
        ("/environments/0/workloads/0/selected", "name"),
        ("/environments/0/workloads/1/routes", "receiver"),
        ("/environments/0/unselected", "name"),
        ("/environments/0/unselected/0/reasons", "text"),
        ("/environments/0/alerts/rows", "name"),
        ("/environments/0/statuses", "condition"),
    ] {
        let items = data
            .pointer(list)
            .and_then(Value::as_array)
            .unwrap_or_else(|| panic!("{list}"));
        assert!(!items.is_empty(), "{list}");
        for item in items {
            let text = item[key]
                .as_str()
                .unwrap_or_else(|| panic!("{list}: {key}"));
            assert!(page.contains(text), "{list}: {text}");
        }
    }
}

#[test]
fn its_data_is_that_of_the_other_commands() {
    let data = json(&["report", "--no-config", INPUT]);
    let linted = json(&["lint", "--no-config", "--fail-on", "never", INPUT]);
    let linted = linted["findings"].as_array().unwrap();
    let found = data["findings"]["all"].as_array().unwrap();
    assert_eq!(found.len(), linted.len());
    for finding in found {
        let mut finding = finding.as_object().unwrap().clone();
        for own in ["id", "lines", "isNew"] {
            assert!(finding.remove(own).is_some(), "{own}");
        }
        assert!(
            linted.contains(&Value::from(finding.clone())),
            "{finding:?}"
        );
    }
    let simulated = json(&["simulate", INPUT, "--shards", "2,4,6,8"]);
    assert_eq!(data["simulations"], simulated["workloads"]);
    let routed = json(&["route", "--all-alerts", INPUT]);
    let labels = |alerts: &Value| -> Vec<Value> {
        alerts
            .as_array()
            .unwrap()
            .iter()
            .map(|alert| alert["labels"].clone())
            .collect()
    };
    let rows = &data["environments"][0]["alerts"]["rows"];
    assert_eq!(labels(rows), labels(&routed["workloads"][0]["alerts"]));
}

#[test]
fn an_environment_of_many_folders_has_a_short_name() {
    let folder = tempfile::tempdir().unwrap();
    for (cluster, n) in ["production", "staging"]
        .into_iter()
        .flat_map(|cluster| (0..150).map(move |n| (cluster, n)))
    {
        let app = folder.path().join(format!(
            "clusters/{cluster}/applications/application-number-{n}"
        ));
        std::fs::create_dir_all(&app).unwrap();
        std::fs::write(
            app.join("kustomization.yaml"),
            "resources: [monitor.yaml]\n",
        )
        .unwrap();
        // One object in two forms: no cluster can have both.
        let metadata =
            format!("metadata: {{name: m{n}, namespace: a, labels: {{cluster: {cluster}}}}}");
        let spec = "spec: {selector: {}, endpoints: [{port: http}]}";
        let text = format!(
            "apiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\n{metadata}\n{spec}\n"
        );
        std::fs::write(app.join("monitor.yaml"), text).unwrap();
    }
    let page = report(&[folder.path().to_str().unwrap()]).stdout;
    assert_eq!(
        page.matches("class=\"group cluster\"").count(),
        2,
        "two environments"
    );
    assert_eq!(
        page.matches("Folders <span class=\"soft\">150</span>")
            .count(),
        2,
        "the folders of each are counted"
    );
    let longest = page
        .split(" id=\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .map(str::len)
        .max();
    assert!(longest < Some(400), "{longest:?}");
    assert!(page.len() < 1 << 20, "{}", page.len());
}

#[test]
fn it_is_the_same_in_every_run() {
    let args = [INPUT, "--compare", BASE];
    assert_eq!(report(&args).stdout, report(&args).stdout);
}

#[test]
fn no_value_of_a_secret_is_in_it() {
    for args in [
        &[INPUT][..],
        &[INPUT, "--compare", BASE],
        &["fixtures/alertmanager-single/input"],
    ] {
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
    assert!(
        page.contains("shards: [1]") && !page.contains("4711"),
        "{page}"
    );
    assert!(page.contains("not shown: may hold a secret"), "{page}");
}

#[test]
fn what_changes_is_marked() {
    let page = report(&[INPUT, "--compare", BASE]).stdout;
    assert!(
        page.contains("<span class=\"badge changed\">changed</span>"),
        "{page}"
    );
    assert!(
        page.contains("job serviceMonitor/shop/forgotten/0"),
        "{page}"
    );
    assert!(
        page.contains("<span class=\"badge new\">new</span>"),
        "{page}"
    );
    let page = report(&[INPUT, "--compare", INPUT]).stdout;
    assert!(
        !page.contains("badge changed") && page.contains("no differences"),
        "{page}"
    );
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
    assert!(
        page.contains("300 of 3000 shown") && page.contains("promgen explain KIND"),
        "no word of what is cut"
    );
}

#[test]
fn what_cannot_be_done_is_said() {
    let ran = promgen(&["report", "-", "--compare", "main"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("--compare reads its input twice"),
        "{}",
        ran.stderr
    );
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.yaml");
    std::fs::write(&path, "a: 1\n").unwrap();
    let path = path.to_str().unwrap();
    let ran = promgen(&["report", "--no-config", path, "-o", path]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert_eq!(std::fs::read_to_string(path).unwrap(), "a: 1\n");
    assert_eq!(promgen(&["report", "absent/"]).code, 2);
}

#[test]
fn what_several_environments_have_counts_once_and_alerts_are_grouped_by_receivers() {
    let folder = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let rules = "apiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata: {name: r, namespace: shop}\n\
                 spec: {groups: [{name: g, rules: [{alert: A, expr: up == 0}, {alert: B, expr: up == 0}]}]}\n\
                 ---\napiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata: {name: m, namespace: shop}\n\
                 spec: {selector: {}, endpoints: [{port: web}]}\n\
                 ---\napiVersion: monitoring.coreos.com/v1alpha1\nkind: ScrapeConfig\nmetadata: {name: s, namespace: shop}\n\
                 spec: {staticConfigs: [{targets: [\"shop:80\"]}]}\n\
                 ---\napiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {name: q, namespace: shop}\n\
                 spec: {scrapeConfigSelector: {}}\n";
    write("base/kustomization.yaml", "resources: [r.yaml]\n");
    write("base/r.yaml", rules);
    for cluster in ["eu", "us"] {
        write(
            &format!("{cluster}/kustomization.yaml"),
            "resources: [../base, p.yaml]\n",
        );
        let server = format!(
            "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {{name: p, namespace: shop}}\n\
             spec: {{ruleSelector: {{}}, externalLabels: {{cluster: {cluster}}}}}\n"
        );
        write(&format!("{cluster}/p.yaml"), &server);
    }
    let page = json(&["report", "--no-config", folder.path().to_str().unwrap()]);
    assert_eq!(page["nEnvironments"], 2, "{page}");
    let value = |label: &str| {
        let facts = page["facts"].as_array().unwrap();
        facts.iter().find(|fact| fact["label"] == label).unwrap()["value"].clone()
    };
    assert_eq!(
        (value("Alerts"), value("Selected by nobody")),
        ("2".into(), "1".into())
    );
    // The one in base is there once, of the others each.
    assert_eq!(
        (value("Workloads"), value("Jobs")),
        ("3".into(), "1".into())
    );
    let path = folder.path().to_str().unwrap();
    let one = json(&["report", "--no-config", "--environment", "us", path]);
    let of_one = &one["environments"][0];
    assert_eq!(
        (&one["nEnvironments"], &of_one["nWorkloads"]),
        (&1.into(), &2.into())
    );
    assert!(of_one["title"].as_str().unwrap().ends_with("us"), "{one}");
    let absent = promgen(&["report", "--environment", "nowhere", path]);
    assert_eq!(absent.code, 2, "{}", absent.stderr);
    for environment in page["environments"].as_array().unwrap() {
        let groups = environment["alerts"]["groups"].as_array().unwrap();
        assert_eq!(
            (groups.len(), &groups[0]["alerts"]),
            (1, &serde_json::json!([0, 1]))
        );
    }
}
