//! Every rule has an example that raises it and one that does not, and both are right. So no rule is untested: one that is
//! switched off is missed by its example.

use std::collections::BTreeSet;

use promgen_checks::rules;
use promgen_text::diag::{LintRule, RuleRef};

use super::{codes, lint};
use crate::support::swept;

/// Rules whose examples cannot be manifests, and where they are tested instead.
const ELSEWHERE: &[(&str, &str)] = &[
    ("PG004", "crates/promgen-text/src/input.rs"),
    ("PG005", "crates/promgen-text/src/input.rs"),
    ("PG006", "crates/promgen-targets/src/relabel_test/read.rs"),
    ("PG007", "tests/it/limits.rs"),
    ("PG008", "tests/it/lint/asked.rs"),
    ("PG030", "crates/promgen-compile/src/sharding/template.rs"),
    ("PG031", "crates/promgen-checks/src/config.rs"),
    ("PG032", "crates/promgen-policy/src/tests.rs"),
    ("PG050", "crates/promgen-repository/src/layout.rs"),
    ("PG052", "tests/it/repository.rs"),
    ("PG051", "crates/promgen-repository/src/layout.rs"),
    ("PG053", "crates/promgen-repository/src/layout.rs"),
    ("PG801", "tests/it/builds.rs"),
    ("PG802", "tests/it/builds.rs"),
    ("PG803", "tests/it/builds.rs"),
    ("PG804", "tests/it/builds.rs"),
    ("PG805", "tests/it/applied.rs"),
    ("PG217", "crates/promgen-compile/src/workload/bound.rs"),
    ("PG501", "tests/it/render.rs"),
    ("PG504", "tests/it/render.rs"),
    // They take an option.
    ("PG626", "crates/promgen-model/src/model/lineage/metrics.rs"),
    ("PG814", "tests/it/helm_charts.rs"),
];

/// The first manifest below a line that begins so.
fn manifest(rule: &LintRule, heading: &str) -> Option<String> {
    let mut lines = rule
        .lines()
        .skip_while(|line| !line.starts_with(heading))
        .skip(1);
    lines
        .by_ref()
        .take_while(|line| !line.starts_with("## ") && !line.starts_with("Use instead"))
        .find(|l| *l == "```yaml")?;
    let block: Vec<_> = lines.take_while(|line| *line != "```").collect();
    Some(block.join("\n") + "\n")
}

/// The rules whose examples are run, with both.
fn examples() -> Vec<(RuleRef, String, String)> {
    let elsewhere = |rule: &RuleRef| ELSEWHERE.iter().all(|(code, _)| *code != rule.code);
    let examples = |rule: RuleRef| {
        let lacks = |what: &str| panic!("{} {} lacks {what}", rule.code, rule.name);
        let bad =
            manifest(&rule, "## Example").unwrap_or_else(|| lacks("an example that raises it"));
        let good = manifest(&rule, "Use instead")
            .unwrap_or_else(|| lacks("an example that does not raise it"));
        (rule, bad, good)
    };
    rules::all()
        .into_iter()
        .filter(elsewhere)
        .map(examples)
        .collect()
}

fn found(text: &str, args: &[&str]) -> Vec<String> {
    codes(&lint(text, &[&["--format", "json"], args].concat()))
}

#[test]
fn every_example_does_what_it_says() {
    let mut faults = Vec::new();
    for (rule, bad, good) in examples() {
        let (bad, good) = (found(&bad, &[]), found(&good, &[]));
        if !bad.iter().any(|code| *code == rule.code) {
            faults.push(format!(
                "{} {}: the example does not raise it, but {bad:?}",
                rule.code, rule.name
            ));
        }
        if good.iter().any(|code| *code == rule.code) {
            faults.push(format!(
                "{} {}: what to use instead raises it too",
                rule.code, rule.name
            ));
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn switching_a_rule_off_is_noticed() {
    for (rule, bad, _) in swept(1, examples()) {
        let all = found(&bad, &[]);
        for off in [&*rule.code, &*rule.name] {
            let rest: Vec<_> = all
                .iter()
                .filter(|code| **code != rule.code)
                .cloned()
                .collect();
            assert_eq!(found(&bad, &["--ignore", off]), rest, "--ignore {off}");
            let only: BTreeSet<_> = found(&bad, &["--select", off]).into_iter().collect();
            assert_eq!(
                only,
                BTreeSet::from([rule.code.to_string()]),
                "--select {off}"
            );
        }
    }
}

/// Where nothing can be read there are no comments, and what is wrong with them they cannot allow.
#[test]
fn a_comment_above_allows_each_finding_of_a_manifest() {
    let is_allowed = |rule: &LintRule| !["PG001", "PG003", "PG040", "PG041"].contains(&&*rule.code);
    for (rule, bad, _) in swept(
        2,
        examples().into_iter().filter(|(rule, ..)| is_allowed(rule)),
    ) {
        let comment = format!("# promgen: allow({}) a test", rule.name);
        let allowed = format!(
            "{comment}\n{}",
            bad.replace("\n---\n", &format!("\n---\n{comment}\n"))
        );
        assert!(
            !found(&allowed, &[]).contains(&rule.code.to_string()),
            "{} {}",
            rule.code,
            rule.name
        );
    }
}

#[test]
fn the_list_of_other_tests_is_true() {
    for (code, file) in ELSEWHERE {
        assert!(rules::find(code).is_some(), "{code}");
        assert!(crate::support::root().join(file).exists(), "{file}");
    }
}
