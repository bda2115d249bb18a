//! Which findings are reported, and at which level: the rules of `promgen.yaml` and of the arguments.

use std::collections::BTreeSet;

use promgen_text::CollectOrdered;
use promgen_text::diag::pattern::{self, RulePattern};
use promgen_text::diag::{Diagnostic, Level, LintRule};
use promgen_text::source::Sources;

use super::ConfigFile;
use promgen_model::glob::Globs;

/// The rules to report, by rule and by path. Paths are relative to the folder of `promgen.yaml`, with `/`.
#[derive(Clone, Debug, Default)]
pub struct RuleSelection {
    select: Vec<RulePattern>,
    ignore: Vec<RulePattern>,
    levels: Vec<(RulePattern, Level)>,
    exclude: Globs,
    /// The globs of `per_path`, in its order.
    paths: Globs,
    per_path: Vec<Vec<RulePattern>>,
}

impl RuleSelection {
    /// The selection of a file. The arguments override it, list by list, where they are not empty.
    #[must_use]
    pub fn new(config: &ConfigFile, select: &[RulePattern], ignore: &[RulePattern]) -> Self {
        let or = |given: &[RulePattern], file: &[RulePattern]| {
            if given.is_empty() { file } else { given }.to_vec()
        };
        Self {
            select: or(select, &config.select),
            ignore: or(ignore, &config.ignore),
            levels: config.levels.clone(),
            exclude: Globs::new(config.exclude.iter().map(String::as_str)),
            paths: Globs::new(
                config
                    .per_path_ignores
                    .iter()
                    .map(|(glob, _)| glob.as_str()),
            ),
            per_path: config
                .per_path_ignores
                .iter()
                .map(|(_, rules)| rules.clone())
                .collect(),
        }
    }

    /// Returns whether a path is not to be read.
    #[must_use]
    pub fn excludes(&self, path: &str) -> bool {
        self.exclude.is_match(path)
    }

    /// Keeps the selected findings, and gives them their configured levels. `below` makes a path of the name of a file.
    pub fn apply(
        &self,
        diagnostics: &mut Vec<Diagnostic>,
        sources: &Sources,
        below: impl Fn(&str) -> String,
    ) {
        let ignored_in: Vec<Vec<&RulePattern>> = if self.per_path.is_empty() {
            Vec::new()
        } else {
            sources
                .files()
                .map(|(_, file)| self.ignored_in(&below(&file.name)))
                .collect()
        };
        diagnostics.retain(|diagnostic| {
            let index = || sources.index_of(diagnostic.span?.file);
            let file = if ignored_in.is_empty() {
                None
            } else {
                index().and_then(|index| ignored_in.get(index))
            };
            self.keeps(&diagnostic.rule)
                && !file.is_some_and(|rules| rules.iter().any(|r| r.matches(&diagnostic.rule)))
        });
        for diagnostic in diagnostics.iter_mut() {
            let levels = self
                .levels
                .iter()
                .filter(|(pattern, _)| pattern.matches(&diagnostic.rule));
            if let Some((_, level)) = levels.max_by_key(|(pattern, _)| pattern.specificity()) {
                diagnostic.level = *level;
            }
        }
    }

    /// The policies that it names and that there are none of.
    pub fn unknown_policies(&self, is_known: &dyn Fn(&str) -> bool) -> Vec<String> {
        let levels = self.levels.iter().map(|(pattern, _)| pattern);
        let lists = self.select.iter().chain(&self.ignore).chain(levels);
        let named = lists.chain(self.per_path.iter().flatten());
        let codes = named.filter_map(RulePattern::policy_code);
        let unknown = codes.filter(|code| !is_known(code));
        let unknown: BTreeSet<&str> = unknown.collect_set();
        unknown.into_iter().map(str::to_owned).collect()
    }

    /// Returns whether a policy is one of those to report, by its code.
    #[must_use]
    pub fn names(&self, code: &str) -> bool {
        let mut codes = self.select.iter().filter_map(RulePattern::policy_code);
        codes.any(|named| named == code)
    }

    fn ignored_in(&self, path: &str) -> Vec<&RulePattern> {
        self.paths
            .matches(path)
            .into_iter()
            .filter_map(|index| self.per_path.get(index))
            .flatten()
            .collect()
    }

    /// Returns whether a rule is selected: the more specific of two matching patterns decides.
    fn keeps(&self, rule: &LintRule) -> bool {
        match (
            pattern::closest(&self.select, rule),
            pattern::closest(&self.ignore, rule),
        ) {
            (Some(selected), Some(ignored)) => selected > ignored,
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (None, None) => self.select.is_empty(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules;
    use promgen_text::diag::sample;

    fn patterns(text: &str) -> Vec<RulePattern> {
        text.split(',')
            .filter(|t| !t.is_empty())
            .map(|t| RulePattern::parse(t, &rules::all()).unwrap())
            .collect()
    }

    #[test]
    fn the_closer_pattern_decides() {
        for (select, ignore, kept, dropped) in [
            ("", "", "PG201", ""),
            ("PG2", "", "PG201", "PG001"),
            ("", "idle-shard", "PG200", "PG201"),
            ("PG2", "PG201", "PG200", "PG201"),
            ("PG201", "PG2", "PG201", "PG200"),
            ("PG,PG201", "PG2", "PG201", "PG200"),
            ("", "PG2", "PG001", "PG201"),
            ("PG200", "idle-shard", "PG200", "PG201"),
        ] {
            let selection =
                RuleSelection::new(&ConfigFile::default(), &patterns(select), &patterns(ignore));
            let keeps = |code| selection.keeps(&rules::find(code).unwrap());
            assert!(keeps(kept), "{select} {ignore} {kept}");
            assert!(
                dropped.is_empty() || !keeps(dropped),
                "{select} {ignore} {dropped}"
            );
        }
    }

    /// The findings that are left of one of promgen and three of two policies, with their levels.
    fn left(config: &str, select: &str) -> Vec<String> {
        let mut rules = rules::all();
        rules.extend(["x", "xy", "idle-shard"].map(sample::policy));
        let limits = promgen_text::limits::Limits::default();
        let config = ConfigFile::parse(
            promgen_text::source::FileId::new(0),
            config,
            &rules,
            &limits,
        );
        let select = select.split(',').filter(|text| !text.is_empty());
        let select = select.map(|text| RulePattern::parse(text, &rules).unwrap());
        let selection = RuleSelection::new(&config.unwrap(), &select.collect::<Vec<_>>(), &[]);
        let (mut found, sources) = sample::findings();
        found.truncate(1);
        found.extend(["x", "xy", "idle-shard"].map(|name| Diagnostic {
            rule: sample::policy(name),
            ..found[0].clone()
        }));
        selection.apply(&mut found, &sources, str::to_owned);
        found
            .iter()
            .map(|of| format!("{} {}", of.rule.code, of.level))
            .collect()
    }

    #[test]
    fn policies_are_selected_and_have_levels() {
        let [promgen, x, xy, idle] = [
            "PG999 info",
            "policy/x info",
            "policy/xy info",
            "policy/idle-shard info",
        ];
        assert_eq!(left("", ""), [promgen, x, xy, idle]);
        assert_eq!(left("", "PG"), [promgen]);
        assert_eq!(left("select: policy", ""), [x, xy, idle]);
        assert_eq!(left("", "policy/x"), [x]);
        assert_eq!(
            left("ignore: [policy/x, idle-shard]", ""),
            [promgen, xy, idle]
        );
        assert_eq!(
            left("ignore: policy\nselect: [PG, policy/xy]", ""),
            [promgen, xy]
        );
        assert_eq!(
            left(
                "levels: {policy/: warning, policy/xy: error, idle-shard: error}",
                "policy"
            ),
            [
                "policy/x warning",
                "policy/xy error",
                "policy/idle-shard warning"
            ]
        );
    }

    #[test]
    fn rules_are_left_out_by_path() {
        let (mut found, sources) = sample::findings();
        found[1].rule = sample::policy("x");
        let file = found
            .iter()
            .find_map(|found| found.span)
            .map(|span| sources.file(span.file).name.clone())
            .unwrap();
        let mut all = patterns("PG");
        all.extend(RulePattern::policy("policy/x"));
        let per_path_ignores = vec![
            ("elsewhere".to_owned(), all.clone()),
            (format!("at/{file}"), all),
        ];
        let selection = RuleSelection::new(
            &ConfigFile {
                per_path_ignores,
                ..ConfigFile::default()
            },
            &[],
            &[],
        );
        let (mut here, mut there) = (found.clone(), found.clone());
        selection.apply(&mut here, &sources, |path| format!("at/{path}"));
        selection.apply(&mut there, &sources, str::to_owned);
        assert_eq!(there.len(), found.len());
        assert!(here.iter().all(|found| {
            found
                .span
                .is_none_or(|span| sources.file(span.file).name != file)
        }));
    }
}
