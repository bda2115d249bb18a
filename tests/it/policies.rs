//! Policies: those that people asked for, on what breaks them and on what does not; the files to copy; and what three organisations
//! check of their rules by scripts.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use crate::support::{promgen, root};

/// Where the inputs are.
const DATA: &str = "tests/it/policies";

/// Objects that no page shows, for policies that are only read.
const A_RULE: &str = "apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata: {name: shop, namespace: shop}
spec: {groups: [{name: shop, rules: [{alert: ShopDown, expr: up == 0}]}]}
";

/// An input for a policy that breaks it, and one that does not.
#[derive(Deserialize)]
struct Asked {
    policy: String,
    breaks: String,
    /// A part of the message of each finding.
    messages: Vec<String>,
    holds: String,
}

/// A finding of a policy, or about a policy.
#[derive(Debug)]
struct Found {
    code: String,
    line: usize,
    message: String,
}

/// What policies say of an input.
struct Verdicts {
    found: Vec<Found>,
    notes: String,
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn judged(policies: &str, input: &str) -> Verdicts {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("own.policy.yaml"), policies).unwrap();
    fs::write(folder.path().join("input.yaml"), input).unwrap();
    let path = folder.path().display().to_string();
    let ran = promgen(&["lint", &path, "--all", "--format", "json"]);
    let answer: Value = serde_json::from_str(&ran.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}{}", ran.stdout, ran.stderr));
    let text = |finding: &Value, key: &str| finding[key].as_str().unwrap_or_default().to_owned();
    let findings = answer["findings"].as_array().unwrap().iter();
    let found = findings.map(|finding| Found {
        code: text(finding, "code"),
        line: usize::try_from(finding["line"].as_u64().unwrap_or_default()).unwrap(),
        message: text(finding, "message"),
    });
    let is_of_policies = |of: &Found| of.code.starts_with("policy/") || of.code == "PG032";
    Verdicts {
        found: found.filter(is_of_policies).collect(),
        notes: ran.stderr,
    }
}

/// The blocks of a page that are files of policies.
fn blocks(page: &str) -> Vec<String> {
    let text = read(page);
    let blocks = text.split("```yaml\n").skip(1);
    let blocks = blocks.map(|block| block.split("```").next().unwrap_or_default().to_owned());
    blocks
        .filter(|block| block.lines().any(|line| line == "policies:"))
        .collect()
}

/// The names of the policies of a file.
fn names(policies: &str) -> Vec<String> {
    let names = policies
        .lines()
        .filter_map(|line| line.strip_prefix("- name: "));
    names.map(str::to_owned).collect()
}

/// The files of policies in a folder.
fn files(folder: &str) -> Vec<PathBuf> {
    let all = fs::read_dir(root().join(folder)).unwrap();
    let mut files: Vec<PathBuf> = all.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.to_string_lossy().ends_with(".policy.yaml"));
    files.sort_unstable();
    assert!(!files.is_empty(), "{folder}");
    files
}

/// A file without its tests.
fn without_tests(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    text.split("\ntests:\n")
        .next()
        .unwrap_or_default()
        .to_owned()
        + "\n"
}

#[test]
fn what_people_asked_for_finds_what_breaks_it() {
    let cases: Vec<Asked> = serde_yaml::from_str(&read(&format!("{DATA}/asked_for.yaml"))).unwrap();
    let blocks = blocks("docs/policies-asked-for.md");
    let shown: Vec<String> = blocks.iter().flat_map(|block| names(block)).collect();
    let tested: Vec<&str> = cases.iter().map(|case| case.policy.as_str()).collect();
    assert_eq!(shown, tested);
    assert_eq!(shown.len(), 10);
    for (case, policies) in cases.iter().zip(&blocks) {
        let broken = judged(policies, &case.breaks);
        let name = &case.policy;
        let code = format!("policy/{name}");
        assert_eq!(
            broken.found.len(),
            case.messages.len(),
            "{name}: {:?}",
            broken.found
        );
        for (found, message) in broken.found.iter().zip(&case.messages) {
            assert!(
                found.code == code && found.message.contains(message),
                "{name}: {found:?}"
            );
        }
        let good = judged(policies, &case.holds);
        assert!(good.found.is_empty(), "{name}: {:?}", good.found);
        for notes in [broken.notes, good.notes] {
            let is_open =
                notes.contains("is not decided") || notes.contains("is about nothing in the input");
            assert!(!is_open, "{name}: {notes}");
        }
    }
}

#[test]
fn the_policies_that_pages_show_are_read() {
    for page in ["docs/policies.md", "docs/pint.md"] {
        let blocks = blocks(page);
        assert!(blocks.len() > 1, "{page}");
        for block in blocks {
            // That of `promgen.yaml` names files.
            if block.starts_with("# promgen.yaml") {
                continue;
            }
            let faults = judged(&block, A_RULE).found;
            let faults: Vec<_> = faults.iter().filter(|of| of.code == "PG032").collect();
            assert!(faults.is_empty(), "{page}: {faults:?}\n{block}");
        }
    }
}

#[test]
fn the_files_to_copy_are_read() {
    let mut all = BTreeSet::new();
    for file in files("templates/policies") {
        let policies = without_tests(&file);
        let faults = judged(&policies, A_RULE).found;
        let faults: Vec<_> = faults.iter().filter(|of| of.code == "PG032").collect();
        assert!(faults.is_empty(), "{}: {faults:?}", file.display());
        // One may copy all four.
        for name in names(&policies) {
            assert!(all.insert(name.clone()), "{name} is there twice");
        }
    }
}

/// Needs `promgen test` of files of policies.
#[test]
fn the_files_to_copy_pass_their_tests() {
    let ran = promgen(&[
        "test",
        &root().join("templates/policies").display().to_string(),
    ]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn each_policy_to_copy_has_a_test_that_finds_and_one_that_does_not() {
    #[derive(Deserialize)]
    struct File {
        tests: Vec<Test>,
    }
    #[derive(Deserialize)]
    struct Test {
        policy: String,
        #[serde(default)]
        findings: Vec<Value>,
    }
    for path in files("templates/policies") {
        let file: File = serde_yaml::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        for name in names(&without_tests(&path)) {
            let of = file.tests.iter().filter(|test| test.policy == name);
            let kinds: BTreeSet<bool> = of.map(|test| test.findings.is_empty()).collect();
            assert_eq!(kinds.len(), 2, "{}: {name}", path.display());
        }
    }
}

/// What an organisation's script says of each rule, as a table beside the policies: `x` where the rule fails the check of the column.
#[test]
fn the_checks_of_organisations_say_of_each_rule_what_their_scripts_say() {
    let input = read(&format!("{DATA}/orgs/rules.yaml"));
    let lines: Vec<&str> = input.lines().collect();
    for path in files(&format!("{DATA}/orgs")) {
        let policies = fs::read_to_string(&path).unwrap();
        let organisation = path
            .file_name()
            .unwrap()
            .to_string_lossy()
            .replace(".policy.yaml", "");
        let expected = table(&read(&format!("{DATA}/orgs/{organisation}.md")));
        let prefix = names(&policies)[0].split('-').next().unwrap().to_owned() + "-";
        let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for name in names(&policies) {
            found.insert(name.replacen(&prefix, "", 1), BTreeSet::new());
        }
        let judged = judged(&policies, &input);
        for of in &judged.found {
            let check = of.code.replacen(&format!("policy/{prefix}"), "", 1);
            let line = lines[of.line - 1];
            let (_, rule) = line
                .split_once(": ")
                .unwrap_or_else(|| panic!("{of:?}: {line}"));
            let rules = found
                .get_mut(&check)
                .unwrap_or_else(|| panic!("{organisation}: {of:?}"));
            rules.insert(rule.to_owned());
        }
        assert_eq!(found, expected, "{organisation}");
        assert!(
            !judged.notes.contains("is not decided"),
            "{organisation}: {}",
            judged.notes
        );
    }
}

/// The rules that fail, by the checks, of a table.
fn table(text: &str) -> BTreeMap<String, BTreeSet<String>> {
    let cells = |line: &str| -> Vec<String> {
        let cells = line.trim_matches('|').split('|');
        cells.map(|cell| cell.trim().to_owned()).collect()
    };
    let mut lines = text.lines();
    let checks = cells(lines.next().unwrap());
    let mut failing: BTreeMap<String, BTreeSet<String>> = checks[1..]
        .iter()
        .map(|check| (check.clone(), BTreeSet::new()))
        .collect();
    for row in lines.skip(1).map(cells) {
        for (check, cell) in checks.iter().zip(&row).skip(1) {
            match cell.as_str() {
                "" => {}
                "x" => drop(failing.get_mut(check).unwrap().insert(row[0].clone())),
                other => panic!("{}: {check}: {other}", row[0]),
            }
        }
    }
    failing
}

/// A folder with settings that name a file of policies, and have one themselves.
fn configured() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let settings = "policies:\n- rules/team.policy.yaml\n- {name: waits, level: error, match: {kind: alert}, require: has(rule.for)}\n\
                    levels: {policy/alert-has-a-team: info}\npaths: [m]\n";
    let team = "policies:\n- name: alert-has-a-team\n  match: {kind: alert}\n  require: has(rule.labels.team)\n  message: \"{{ rule.name }} \
                has no team\"\n  at: rule.labels\n  fix: {set: rule.labels.team, value: \"'shop'\"}\n";
    let rules = "apiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata: {name: r, namespace: shop}\nspec:\n  groups:\n  - name: \
                 g\n    rules:\n    - {alert: Down, expr: up == 0}\n    - alert: Slow\n      expr: latency > 1\n      for: 5m\n      labels:\n        \
                 severity: page\n";
    for (name, text) in [
        ("promgen.yaml", settings),
        ("rules/team.policy.yaml", team),
        ("m/rules.yaml", rules),
    ] {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

/// What `lint` prints of a folder with these arguments.
fn linted(folder: &tempfile::TempDir, args: &[&str]) -> String {
    let settings = folder.path().join("promgen.yaml").display().to_string();
    let ran = promgen(&[&["lint", "--config", &settings], args].concat());
    ran.stdout + &ran.stderr
}

#[test]
fn settings_name_policies_and_their_levels() {
    let folder = configured();
    let all = linted(&folder, &[]);
    for part in [
        "error[policy/waits]: alert Down: `has(rule.for)` does not hold",
        "info[policy/alert-has-a-team]: Down has no team",
        "info[policy/alert-has-a-team]: Slow has no team",
        "1 error",
    ] {
        assert!(all.contains(part), "{part}: {all}");
    }
    let selected = linted(&folder, &["--select", "policy/waits"]);
    assert!(
        !selected.contains("no team") && selected.contains("policy/waits"),
        "{selected}"
    );
    let ignored = linted(&folder, &["--ignore", "policy"]);
    assert!(!ignored.contains("[policy/"), "{ignored}");
    let unknown = linted(&folder, &["--ignore", "policy/nope"]);
    assert!(
        unknown.contains("`policy/nope` is no policy of the input"),
        "{unknown}"
    );
}

#[test]
fn fixes_set_fields_that_are_there_and_that_are_not() {
    let folder = configured();
    let diff = linted(&folder, &["--diff", "--unsafe-fixes"]);
    for line in [
        "+    - {alert: Down, labels: {team: \"shop\"}, expr: up == 0}",
        "+        team: \"shop\"",
    ] {
        assert!(diff.contains(line), "{line}: {diff}");
    }
    linted(&folder, &["--fix", "--unsafe-fixes"]);
    let after = linted(&folder, &[]);
    assert!(!after.contains("no team"), "{after}");
}

#[test]
fn policies_are_in_every_format() {
    let folder = configured();
    for (format, part) in [
        ("json", "\"code\": \"policy/waits\""),
        ("sarif", "\"ruleId\": \"policy/waits\""),
        ("gitlab", "\"check_name\": \"policy/waits\""),
        ("github", "title=policy/waits"),
        ("junit", "policy/waits"),
        ("markdown", "policy/waits"),
    ] {
        let printed = linted(&folder, &["--format", format]);
        let is_there = printed.contains(part) || printed.contains(&part.replace(": ", ":"));
        assert!(is_there, "{format}: {printed}");
    }
}

#[test]
fn comments_allow_findings_of_policies() {
    let folder = configured();
    let path = folder.path().join("m/rules.yaml");
    let text = fs::read_to_string(&path).unwrap();
    let down = "    - {alert: Down";
    let allowed = format!("    # promgen: allow(policy/waits) it is loud at once\n{down}");
    fs::write(&path, text.replace(down, &allowed)).unwrap();
    let all = linted(&folder, &[]);
    assert!(
        !all.contains("error[policy/waits]") && all.contains("no team"),
        "{all}"
    );
    let unknown = format!("    # promgen: allow(policy/wait) it is loud at once\n{down}");
    fs::write(&path, text.replace(down, &unknown)).unwrap();
    let all = linted(&folder, &[]);
    assert!(
        all.contains("PG041") && all.contains("error[policy/waits]"),
        "{all}"
    );
}

#[test]
fn a_policy_is_explained_thing_by_thing() {
    let ran = promgen(&[
        "explain",
        "policy/alert-has-a-team",
        "fixtures/policies/input",
    ]);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert!(
        ran.code == 1
            && lines[0].starts_with(
                "✗ policy/alert-has-a-team (warning) requires `has(rule.labels.team)`"
            )
            && lines[1].contains("✓ alert ShopDown")
            && lines[2].contains("✗ alert ShopSlow: ShopSlow has no team"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
    let ran = promgen(&[
        "explain",
        "policy/alert-has-a-tema",
        "fixtures/policies/input",
    ]);
    assert!(
        ran.code == 2 && ran.stderr.contains("did you mean policy/alert-has-a-team?"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_file_that_is_a_manifest_stays_one() {
    let policy =
        "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {name: a}\nspec: {rules: []}\n";
    let found = judged(policy, A_RULE);
    assert!(found.found.is_empty(), "{:?}", found.found);
}

/// What a policy of the repository makes of values, patches and environments.
#[test]
fn findings_stand_where_the_value_comes_from() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        (
            "own.policy.yaml",
            "policies:\n- name: slow\n  match: {kind: endpoint, environments: eu}\n  require: endpoint.interval >= duration('30s')\n  at: endpoint.interval\n",
        ),
        ("base/kustomization.yaml", "resources: [monitor.yaml]\n"),
        (
            "base/monitor.yaml",
            "apiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata: {name: web, namespace: shop}\nspec:\n  selector: {}\n  endpoints:\n  - port: a\n    interval: 1m\n",
        ),
        (
            "eu/kustomization.yaml",
            "resources: [../base]\npatches:\n- path: patch.yaml\n",
        ),
        (
            "eu/patch.yaml",
            "apiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata: {name: web, namespace: shop}\nspec:\n  endpoints:\n  - port: a\n    interval: 5s\n",
        ),
        (
            "us/kustomization.yaml",
            "resources: [../base]\npatches:\n- path: patch.yaml\n",
        ),
        (
            "us/patch.yaml",
            "apiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata: {name: web, namespace: shop}\nspec:\n  endpoints:\n  - port: a\n    interval: 6s\n",
        ),
    ] {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let path = folder.path().display().to_string();
    let ran = promgen(&["lint", &path, "--select", "policy"]);
    let found: Vec<&str> = ran
        .stdout
        .lines()
        .filter(|line| line.contains("-->"))
        .collect();
    assert!(
        found.len() == 1 && found[0].ends_with("eu/patch.yaml:7:15"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
}

#[test]
fn a_file_that_cannot_be_read_as_policies_fails() {
    for (policies, message) in [
        ("policies: [\n", "PG032"),
        ("policies: nope\n", "expected a list of policies"),
        ("policies: {}\n", "expected a list of policies"),
    ] {
        let found = judged(policies, A_RULE).found;
        let is_it =
            |of: &Found| of.code == "PG032" && (of.message.contains(message) || message == "PG032");
        assert!(found.iter().any(is_it), "{policies}: {found:?}");
    }
}

/// Each variable has the one before it three times: the value is small, and written out it has no end.
#[test]
fn a_value_that_is_large_when_it_is_written_is_cut() {
    let mut policies = "policies:\n- name: nested\n  match: {kind: alert}\n  variables:\n  - {name: v0, expression: '[1]'}\n".to_owned();
    for level in 1..=40 {
        let before = level - 1;
        policies += &format!(
            "  - {{name: v{level}, expression: '[variables.v{before}, variables.v{before}, variables.v{before}]'}}\n"
        );
    }
    policies += "  forbid: variables.v40\n  message: '{{ variables.v40 }}'\n";
    let found = judged(&policies, A_RULE).found;
    assert!(
        found
            .iter()
            .any(|of| of.code == "policy/nested" && of.message.len() < 5000),
        "{found:?}"
    );
}
