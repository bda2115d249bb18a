//! All rules, from the files that declare them: the only place where they are listed.

use crate::{checks, config, suppress};
use promgen_compile::sharding::{self, template};
use promgen_compile::{cluster, lower, output, select, workload};
use promgen_model::model::lineage;
use promgen_model::operator;
use promgen_repository::{layout, model};
use promgen_resources::{document, gates, schema};
use promgen_targets::relabel_test;
use promgen_text::diag::RuleRef;
use promgen_text::{input, limits, yaml};

/// Every rule, by code.
#[must_use]
pub fn all() -> Vec<RuleRef> {
    let lists = [
        input::RULES,
        limits::RULES,
        yaml::read::RULES,
        schema::RULES,
        document::RULES,
        layout::RULES,
        model::RULES,
        cluster::RULES,
        cluster::converted::RULES,
        config::RULES,
        promgen_policy::RULES,
        operator::RULES,
        lineage::RULES,
        suppress::RULES,
        template::RULES,
        select::RULES,
        select::admit::rule::RULES,
        sharding::RULES,
        gates::RULES,
        lower::RULES,
        workload::RULES,
        workload::bound::RULES,
        workload::alertmanager::RULES,
        workload::pod_checks::RULES,
        lower::alertmanager::config::RULES,
        lower::alertmanager::config::masked::RULES,
        output::RULES,
        relabel_test::read::RULES,
        promgen_repository::rules::RULES,
        promgen_repository::charts::rules::RULES,
    ];
    let mut rules: Vec<RuleRef> = lists
        .into_iter()
        .flatten()
        .copied()
        .chain(checks::rules())
        .map(RuleRef::from)
        .collect();
    rules.sort();
    rules
}

/// The families of rules: the prefix of their codes, and their subject.
pub const FAMILIES: &[(&str, &str)] = &[
    ("PG0", "input, schema and settings"),
    ("PG1", "selection and references"),
    ("PG2", "sharding"),
    ("PG3", "versions"),
    ("PG4", "relabeling"),
    ("PG5", "workloads and output"),
    ("PG6", "rules and alerts"),
    ("PG8", "kustomizations and charts"),
];

/// The rule of that code, or of that name.
#[must_use]
pub fn find(code: &str) -> Option<RuleRef> {
    all()
        .into_iter()
        .find(|rule| rule.code.eq_ignore_ascii_case(code) || rule.name == code)
}

#[cfg(test)]
mod tests {
    use promgen_text::diag::pattern::{RulePattern, closest};

    use super::*;

    #[test]
    fn codes_and_names_are_unique_and_well_formed() {
        let rules = all();
        for pair in rules.windows(2) {
            assert!(pair[0].code < pair[1].code, "{} twice", pair[0].code);
        }
        let mut names: Vec<_> = rules.iter().map(|r| &*r.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), rules.len());
        for rule in &rules {
            assert!(
                rule.code.len() == 5 && rule.code.starts_with("PG"),
                "{}",
                rule.code
            );
            assert!(
                rule.name
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
            );
            assert!(
                rule.explanation.contains("## What it does"),
                "{} has no explanation",
                rule.code
            );
        }
    }

    /// Every code that there has been, with the name of its rule; `retired` stands behind those that are gone.
    const CODES: &str = include_str!("rules/codes.txt");

    #[test]
    fn codes_are_never_reused() {
        let rules = all();
        for line in CODES.lines() {
            let words: Vec<&str> = line.split(' ').collect();
            let own = rules
                .iter()
                .find(|rule| rule.code == words[0])
                .map(|rule| &*rule.name);
            match words[..] {
                [code, name] => {
                    assert_eq!(
                        own,
                        Some(name),
                        "{code} is gone or has another name: retire it, and take a new code"
                    )
                }
                [code, _, "retired"] => {
                    assert_eq!(own, None, "{code} is retired: take another code")
                }
                _ => panic!("{line}: expected a code and a name"),
            }
        }
        let is_listed = |rule: &&RuleRef| CODES.contains(&format!("{} {}\n", rule.code, rule.name));
        let new: Vec<String> = rules
            .iter()
            .filter(|rule| !is_listed(rule))
            .map(|rule| format!("{} {}", rule.code, rule.name))
            .collect();
        assert!(
            new.is_empty(),
            "add to rules/codes.txt, in order: {}",
            new.join(", ")
        );
    }

    #[test]
    fn every_rule_has_one_family_and_every_family_a_rule() {
        let n_families = |code: &str| {
            FAMILIES
                .iter()
                .filter(|(prefix, _)| code.starts_with(prefix))
                .count()
        };
        assert!(all().iter().all(|rule| n_families(&rule.code) == 1));
        assert!(
            FAMILIES
                .iter()
                .all(|(prefix, _)| all().iter().any(|rule| rule.code.starts_with(prefix)))
        );
    }

    fn parse(text: &str) -> Result<RulePattern, String> {
        RulePattern::parse(text, &all())
    }

    fn codes(text: &str) -> Vec<String> {
        let pattern = parse(text).unwrap();
        all()
            .into_iter()
            .filter(|rule| pattern.matches(rule))
            .map(|rule| rule.code.to_string())
            .collect()
    }

    #[test]
    fn codes_names_and_families_are_understood() {
        assert_eq!(codes("pg201"), ["PG201"]);
        assert_eq!(codes(" idle-shard "), ["PG201"]);
        assert!(
            codes("PG2").contains(&"PG200".to_owned())
                && codes("PG2").iter().all(|code| code.starts_with("PG2"))
        );
        assert_eq!(codes("PG").len(), all().len());
    }

    #[test]
    fn what_is_unknown_gets_a_suggestion() {
        assert_eq!(
            parse("idle-shards").unwrap_err(),
            "unknown rule; did you mean `idle-shard`?"
        );
        for text in ["", "201", "PG999", "PGX", "nonsense-of-all-kinds"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_closest_pattern_counts() {
        let patterns = ["PG2", "PG20"].map(|text| parse(text).unwrap());
        let rule = find("PG201").unwrap();
        assert_eq!(closest(&patterns, &rule), Some(4));
        assert_eq!(closest(&patterns, &find("PG001").unwrap()), None);
        assert_eq!(
            parse("PG201").unwrap().specificity(),
            parse("idle-shard").unwrap().specificity()
        );
    }
}
