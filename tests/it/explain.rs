//! `promgen explain KIND/NS/NAME`. What it prints is in the snapshots of `fixtures/shop`.

use crate::support::{promgen, root};

/// The exit code, and what is printed.
fn explained(fixture: &str, args: &[&str]) -> (u8, String) {
    let folder = root().join("fixtures").join(fixture).join("input");
    let ran = promgen(&[&["explain"], args, &[folder.to_str().unwrap()]].concat());
    (ran.code, ran.stdout + &ran.stderr)
}

#[test]
fn the_exit_code_says_whether_it_leads_to_a_job() {
    for (fixture, of, code) in [
        ("shop", "servicemonitor/shop/cart", 0),
        ("shop", "probe/shop/pages", 0),
        ("shop", "prometheus/monitoring/k8s", 0),
        ("shop", "servicemonitor/shop/forgotten", 1),
        ("shop", "servicemonitor/shop/checkout", 1),
        ("shop", "probe/shop/page", 1),
        ("quickstart", "servicemonitor/sandbox/experiment", 1),
        ("quickstart", "podmonitor/shop/workers", 0),
        ("shop", "servicemonitor/shop/nothing", 2),
    ] {
        let (got, text) = explained(fixture, &[of]);
        assert_eq!(got, code, "{of}: {text}");
    }
}

#[test]
fn every_resource_of_the_fixtures_can_be_explained() {
    for (fixture, of, code, says) in [
        ("rules", "prometheusrule/shop/checkout", 0, "rule file shop-checkout-.yaml: 2 groups"),
        (
            "rules",
            "prometheusrule/platform/broken",
            1,
            "the operator refuses it: record shop:orders:rate: the parenthesis is not closed  (",
        ),
        ("thanos-ruler", "thanosruler/monitoring/global", 0, "`ruleSelector` selects 3 of 4 PrometheusRules"),
        ("thanos-ruler", "prometheusrule/platform/fleet", 0, "rule file platform-fleet-.yaml: 1 group"),
        ("agent", "prometheusagent/monitoring/edge", 0, "2 jobs in its configuration"),
    ] {
        let (got, text) = explained(fixture, &[of]);
        assert_eq!(got, code, "{of}: {text}");
        assert!(text.contains(says), "{of}: {text}");
    }
}

#[test]
fn what_there_is_not_is_refused() {
    for (args, why) in [
        (&["deployment/shop/cart"][..], "unknown kind \"deployment\""),
        (&["servicemonitor/shop/a/b"], "expected KIND/NAMESPACE/NAME"),
        (&["servicemonitor/none", "fixtures/shop"], "ServiceMonitor/none not found"),
        (&["PG201", "x.yaml"], "a PATH requires a resource"),
        (&["servicemonitor/a/b", "x.yaml", "--format", "markdown"], "does not apply to a resource"),
        (&["PG201", "--prometheus-version", "3.0.0"], "they are the same for every target"),
        (&["PG201", "--templates", "."], "--templates has no effect on rules"),
        (&["gates", "--kube-version", "1.30"], "--kube-version has no effect on the table of versions"),
    ] {
        let ran = promgen(&[&["explain"], args].concat());
        assert_eq!(ran.code, 2, "{args:?}");
        assert!(ran.stderr.contains(why), "{}", ran.stderr);
    }
}

#[test]
fn a_family_of_rules_is_listed() {
    let listed = promgen(&["explain", "pg22"]);
    assert!(listed.code == 0 && listed.stdout.starts_with("PG220  warning  no-shards"), "{}", listed.stdout);
    assert!(listed.stdout.lines().all(|line| line.starts_with("PG22")), "{}", listed.stdout);
    let json = promgen(&["explain", "PG22", "--format", "json"]);
    assert_eq!(json.stdout.matches("\"code\"").count(), listed.stdout.lines().count());
    let unknown = promgen(&["explain", "PG9"]);
    assert!(unknown.code == 2 && unknown.stderr.contains("unknown rule"), "{}", unknown.stderr);
    let kind = promgen(&["explain", "servicemonitor"]);
    assert!(kind.code == 2 && kind.stderr.contains("expected KIND/NAMESPACE/NAME"), "{}", kind.stderr);
}
