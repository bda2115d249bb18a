//! Jobs of a workload, for the checks on sharding.

use promgen_compile::output::Job;
use promgen_model::scraping::needs::ScrapingServer;
use promgen_prometheus::relabel::Action;
use promgen_text::yaml::Value;

/// The jobs of a workload whose targets may come from anywhere: those of Probes and ScrapeConfigs. Targets of
/// ServiceMonitors and PodMonitors are always pods.
pub(super) fn of_configs<'w>(server: ScrapingServer<'w>) -> impl Iterator<Item = &'w Job> {
    let jobs = server.workload.jobs().iter();
    jobs.filter(|job| job.name.starts_with("probe/") || job.name.starts_with("scrapeConfig/"))
}

/// The action of a rule.
pub(super) fn action(rule: &Value) -> Option<Action> {
    match rule.text_of("action") {
        Some(text) => Action::parse(text),
        None => Some(Action::Replace),
    }
}

/// The text of a field of a rule.
pub(super) fn text<'v>(rule: &'v Value, field: &str) -> &'v str {
    rule.text_of(field).unwrap_or_default()
}

/// Returns whether a rule may write a label.
pub(super) fn may_write(rule: &Value, label: &str) -> bool {
    let target = text(rule, "target_label");
    match action(rule) {
        Some(Action::Replace | Action::HashMod | Action::Lowercase | Action::Uppercase) => {
            target == label || target.contains('$')
        }
        Some(Action::LabelMap) => true,
        Some(
            Action::Keep
            | Action::Drop
            | Action::KeepEqual
            | Action::DropEqual
            | Action::LabelDrop
            | Action::LabelKeep,
        )
        | None => false,
    }
}
