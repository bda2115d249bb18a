//! The rule file of a PrometheusRule.

use crate::explain::ExplanationStep;
use crate::explain::scrape::ScrapingWorkload;
use promgen_compile::cluster::Candidate;

/// The generated file.
pub(super) fn files(
    scraper: ScrapingWorkload<'_>,
    candidate: &Candidate<'_>,
) -> Vec<ExplanationStep> {
    let prefix = format!("{}-{}-", candidate.namespace(), candidate.metadata.name);
    let uid = candidate.metadata.uid.as_deref().map_or("", String::as_str);
    let names = [
        format!("{prefix}{uid}.yaml"),
        format!("{prefix}{}.yaml", candidate.namespace()),
    ];
    let found = scraper
        .compiled
        .rule_files
        .iter()
        .find(|file| names.contains(&file.name));
    match found {
        Some(file) => {
            let n_groups = file.groups.len();
            let groups = if n_groups == 1 {
                "1 group".to_owned()
            } else {
                format!("{n_groups} groups")
            };
            vec![ExplanationStep::holds(format!(
                "rule file {}: {groups}",
                file.name
            ))]
        }
        None => vec![ExplanationStep::breaks("it generates no rule file")],
    }
}
