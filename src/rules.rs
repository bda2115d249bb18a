//! All rules, from the files that declare them: the only place where they are listed.

use crate::diag::Rule;
use crate::{
    cluster, config, document, gates, input, lint, lower, output, schema, select, sharding, suite, suppress, template,
    workload, yaml,
};

/// Every rule, by code.
#[must_use]
pub fn all() -> Vec<&'static Rule> {
    let lists = [
        input::RULES,
        yaml::read::RULES,
        schema::RULES,
        document::RULES,
        cluster::RULES,
        config::RULES,
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
        lower::alertmanager::config::RULES,
        output::RULES,
        suite::read::RULES,
    ];
    let mut rules: Vec<_> = lists.into_iter().flatten().copied().chain(lint::rules()).collect();
    rules.sort_by_key(|rule| rule.code);
    rules
}

/// The rule of that code, or of that name.
#[must_use]
pub fn find(code: &str) -> Option<&'static Rule> {
    all().into_iter().find(|rule| rule.code.eq_ignore_ascii_case(code) || rule.name == code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_names_are_unique_and_well_formed() {
        let rules = all();
        for pair in rules.windows(2) {
            assert!(pair[0].code < pair[1].code, "{} twice", pair[0].code);
        }
        let mut names: Vec<_> = rules.iter().map(|r| r.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), rules.len());
        for rule in rules {
            assert!(rule.code.len() == 5 && rule.code.starts_with("PG"), "{}", rule.code);
            assert!(rule.name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'));
            assert!(rule.explanation.contains("## What it does"), "{} has no explanation", rule.code);
        }
    }
}
