//! `--fix` and `--diff`.

use std::fs;

use super::{folder, lint, path};
use crate::support::promgen;

const BROKEN: &str = "# Kept: {a: 1}\r\napiVersion: monitoring.coreos.com/v1\r\nkind: ServiceMonitor\r\nmetadata: {name: cart, labels: {tier: 1}} # flow\r\nspec:\r\n  selector: {}\r\n  sampleLimit: '100' # was 50\r\n  endpoints:\r\n  - path: 80\r\n    targetport: http\r\n    honorLabels: \"true\"\r\n    intervall: 30s\r\n";
const FIXED: &str = "# Kept: {a: 1}\r\napiVersion: monitoring.coreos.com/v1\r\nkind: ServiceMonitor\r\nmetadata: {name: cart, labels: {tier: \"1\"}} # flow\r\nspec:\r\n  selector: {}\r\n  sampleLimit: 100 # was 50\r\n  endpoints:\r\n  - path: \"80\"\r\n    targetPort: http\r\n    honorLabels: true\r\n    intervall: 30s\r\n";

#[test]
fn safe_fixes_change_nothing_else() {
    let folder = folder(&[("a.yaml", BROKEN), ("b.yaml", "a: 1\n")]);
    let (root, file) = (
        folder.path().to_str().unwrap(),
        path(folder.path(), "a.yaml"),
    );
    let ran = promgen(&["lint", root, "--fix", "--select", "PG0"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), FIXED, "{}", ran.stderr);
    assert!(
        ran.code == 1 && ran.stdout.contains("spec.endpoints[0].intervall"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stderr.contains("5 fixes in 1 file\n")
            && ran.stderr.contains("1 more with --unsafe-fixes"),
        "{}",
        ran.stderr
    );
    let ran = promgen(&["lint", root, "--fix", "--unsafe-fixes", "--select", "PG0"]);
    assert_eq!(
        fs::read_to_string(&file).unwrap(),
        FIXED.replace("intervall", "interval")
    );
    assert_eq!(ran.code, 0, "{}", ran.stdout);
}

#[test]
fn a_diff_is_shown_and_nothing_is_written() {
    let folder = folder(&[("a.yaml", BROKEN)]);
    let file = path(folder.path(), "a.yaml");
    let ran = promgen(&["lint", &file, "--diff", "--select", "PG0"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), BROKEN);
    assert_eq!(ran.code, 1);
    assert!(
        ran.stdout
            .starts_with(&format!("--- {file}\n+++ {file}\n@@ ")),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout.contains("\n-    targetport: http\r\n")
            && ran.stdout.contains("\n+    targetPort: http\r\n")
    );
    fs::write(&file, FIXED).unwrap();
    let ran = promgen(&["lint", &file, "--diff", "--select", "PG011"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
}

#[test]
fn standard_input_is_printed_with_its_fixes() {
    let ran = lint(BROKEN, &["--fix", "--select", "PG0"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, FIXED));
    assert!(ran.stderr.contains("error[PG010]"), "{}", ran.stderr);
    assert_eq!(
        lint(FIXED, &["--fix"]).stdout,
        FIXED,
        "also if there is nothing to fix"
    );
    for args in [
        &["--fix", "--format", "json"][..],
        &["--unsafe-fixes"],
        &["--fix", "--write-baseline", "x"],
    ] {
        assert_eq!(lint(BROKEN, args).code, 2, "{args:?}");
    }
}

#[test]
fn duplicates_go_and_allowed_findings_stay() {
    let spec = |secrets: &str| {
        format!(
            "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {{name: k8s}}\nspec:\n  secrets:\n{secrets}"
        )
    };
    let fixed = |text: &str| lint(text, &["--fix", "--select", "PG0"]).stdout;
    assert_eq!(
        fixed(&spec("  - a # one\n  - b\n  - a # two\n  - a\n")),
        spec("  - a # one\n  - b\n")
    );
    let allowed = spec("  - a\n  - a # promgen: allow(PG020) twice is fine\n");
    assert_eq!(fixed(&allowed), allowed);
}

#[test]
fn a_strategy_of_the_proposal_is_rewritten_for_the_operator() {
    let prometheus = |strategy: &str| {
        format!(
            "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {{name: k8s}}\nspec:\n  shards: 2\n  shardingStrategy:\n{strategy}"
        )
    };
    for (proposal, operator) in [
        (
            "    mode: topology # by zone\n    label: topology.kubernetes.io/zone\n    topology: [a, 'b']\n    additionalRelabelConfig: []\n",
            "    mode: Topology # by zone\n    topology: {values: [a, 'b']}\n",
        ),
        (
            "    mode: 'classic'\n    label: __address__\n    topology: []\n",
            "    mode: 'Address'\n",
        ),
    ] {
        let ran = lint(
            &prometheus(proposal),
            &["--fix", "--unsafe-fixes", "--select", "PG216"],
        );
        assert_eq!(ran.stdout, prometheus(operator), "{}", ran.stderr);
        assert_eq!(lint(&ran.stdout, &["--select", "PG0,PG2"]).code, 0);
    }
    let custom = prometheus("    mode: classic\n    label: shard_key\n");
    assert_eq!(
        lint(&custom, &["--fix", "--unsafe-fixes", "--select", "PG216"]).stdout,
        custom
    );
}
