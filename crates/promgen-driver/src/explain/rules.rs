//! The rule file of a PrometheusRule.

use crate::explain::Step;
use crate::explain::scrape::Scraper;
use promgen_compile::cluster::Candidate;

/// The generated file.
pub(super) fn files(scraper: Scraper<'_>, candidate: &Candidate<'_>) -> Vec<Step> {
    let prefix = format!("{}-{}-", candidate.namespace(), candidate.metadata.name);
    let uid = candidate.metadata.uid.as_deref().unwrap_or_default();
    let names = [format!("{prefix}{uid}.yaml"), format!("{prefix}{}.yaml", candidate.namespace())];
    let found = scraper.compiled.rule_files.iter().find(|file| names.contains(&file.name));
    match found {
        Some(file) => {
            let n_groups = file.groups.len();
            let groups = if n_groups == 1 { "1 group".to_owned() } else { format!("{n_groups} groups") };
            vec![Step::holds(format!("rule file {}: {groups}", file.name))]
        }
        None => vec![Step::breaks("it generates no rule file")],
    }
}
