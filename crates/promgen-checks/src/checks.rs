//! Checks on the whole model, after everything is compiled.
//!
//! In: the objects of a run, the compiled workloads, the discovered targets. Out: findings. A phase reports its own
//! findings; the checks here need several phases, and only `promgen lint` runs them. Each family has a file with its rules
//! and the function that reports them. The checks change nothing and print nothing.

mod alerting;
mod lineage;
mod relabeling;
mod routing;
mod scraping;
mod selection;
mod sharding;
mod versions;
mod workload;
mod writing;

use promgen_compile::select::REJECTED;
use promgen_model::model::World;
use promgen_resources::schema::MISSING_FIELD;
use promgen_text::diag::{Diagnostic, Level, LintRule, Sink};
use promgen_text::parallel;

/// Rules that are checked together.
#[derive(Debug)]
pub(crate) struct Family {
    /// Its rules.
    pub rules: &'static [&'static [&'static LintRule]],
    /// Reports their findings.
    pub check: fn(&World<'_>, &mut Sink),
}

/// All families: the only place where they are listed.
static FAMILIES: &[&Family] = &[
    &selection::FAMILY,
    &sharding::FAMILY,
    &versions::FAMILY,
    &relabeling::FAMILY,
    &workload::FAMILY,
    &alerting::FAMILY,
    &routing::FAMILY,
    &scraping::FAMILY,
    &lineage::FAMILY,
    &writing::FAMILY,
];

/// The rules of all families.
pub fn rules() -> impl Iterator<Item = &'static LintRule> {
    FAMILIES
        .iter()
        .flat_map(|family| family.rules.iter().copied().flatten().copied())
}

/// Returns whether a rule misses a value or a label, which a patch that is lacking may set.
pub(crate) fn misses_value(rule: &LintRule) -> bool {
    let rules = [
        &MISSING_FIELD,
        &relabeling::absent::ABSENT_LABEL,
        &workload::storage::NO_STORAGE,
    ];
    rules.contains(&rule)
}

/// Returns whether a rule misses pods behind a Service.
pub(crate) fn misses_pods(rule: &LintRule) -> bool {
    selection::misses_pods(rule)
}

/// Returns whether a monitor almost selects a Service that stands beside it: whatever else there is, that one is meant.
pub(crate) fn is_of_one_file(diagnostic: &Diagnostic) -> bool {
    selection::is_of_one_file(diagnostic)
}

/// Returns whether a rule is about a panel of a dashboard.
pub(crate) fn is_about_panel(rule: &LintRule) -> bool {
    lineage::is_about_panel(rule)
}

/// Checks everything. Findings come in the order of families, whatever the number of threads.
pub fn check(model: &World<'_>, sink: &mut Sink) {
    sink.raise(&REJECTED, Level::Error);
    let checked = parallel::map(FAMILIES, 1, |family| {
        let mut sink = Sink::default();
        (family.check)(model, &mut sink);
        sink
    });
    checked
        .into_iter()
        .for_each(|findings| sink.append(findings));
}

/// Helpers shared by the tests of families.
#[cfg(test)]
mod found {
    use crate::lint::lint;
    use promgen_compile::options::Options;
    use promgen_model::Project;
    use promgen_text::source::Input;

    /// The findings of the rules whose code begins so, in order: code, level, line, message, and the first advice.
    pub(super) fn found(codes: &[&str], text: &str) -> Vec<String> {
        let options = Options {
            is_repository: true,
            ..Options::default()
        };
        let output = lint(&Project::read(&[Input::new("a.yaml", text)], &options));
        let is_asked = |code: &str| codes.iter().any(|asked| code.starts_with(asked));
        let found = output
            .diagnostics
            .iter()
            .filter(|diagnostic| is_asked(&diagnostic.rule.code));
        found
            .map(|d| {
                let line = d
                    .span
                    .map(|span| output.sources.start(span).line)
                    .unwrap_or_default();
                let help = d.help.first().map(String::as_str).unwrap_or_default();
                format!("{} {} {line}: {} | {help}", d.rule.code, d.level, d.message)
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::lint::lint;
    use crate::rules;
    use promgen_compile::options::Options;
    use promgen_model::Project;
    use promgen_text::diag::RuleRef;
    use promgen_text::source::Input;

    fn codes(text: &str) -> Vec<String> {
        let options = Options {
            is_repository: true,
            ..Options::default()
        };
        let output = lint(&Project::read(
            &[Input::new("example.yaml", text)],
            &options,
        ));
        output
            .diagnostics
            .iter()
            .map(|diagnostic| diagnostic.rule.code.to_string())
            .collect()
    }

    /// The two blocks of a rule's documentation.
    fn examples(explanation: &str) -> Vec<String> {
        let plain: Vec<_> = explanation
            .lines()
            .map(|line| line.strip_prefix(' ').unwrap_or(line))
            .collect();
        let text = plain.join("\n");
        text.split("```yaml\n")
            .skip(1)
            .filter_map(|rest| rest.split("```").next().map(str::to_owned))
            .collect()
    }

    #[test]
    fn examples_of_the_families_fire_and_do_not() {
        let more = ["PG101", "PG102", "PG103", "PG104"]
            .iter()
            .filter_map(|code| rules::find(code));
        for rule in super::rules().map(RuleRef::from).chain(more) {
            let examples = examples(&rule.explanation);
            let [bad, good] = examples.as_slice() else {
                panic!("{} has {} examples", rule.code, examples.len())
            };
            assert!(
                codes(bad).iter().any(|code| *code == rule.code),
                "{}: the example does not fire: {:?}",
                rule.code,
                codes(bad)
            );
            assert!(
                codes(good).iter().all(|code| *code != rule.code),
                "{}: what to use instead fires",
                rule.code
            );
            assert!(rules::find(&rule.code).is_some());
        }
    }
}
