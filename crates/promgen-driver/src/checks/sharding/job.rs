//! Jobs of a workload, for the checks on sharding.

use crate::checks::View;
use crate::checks::sharding::Scalable;
use promgen_compile::cluster::assets::secret_key;
use promgen_compile::output::Job;
use promgen_prometheus::relabel::Action;
use promgen_text::route::At;
use promgen_text::yaml::{Map, Value, read};

/// The jobs of a workload whose targets may come from anywhere: those of Probes and ScrapeConfigs. Targets of
/// ServiceMonitors and PodMonitors are always pods.
pub(super) fn of_configs<'w>(workload: &Scalable<'w>) -> impl Iterator<Item = &'w Job> {
    let jobs = workload.compiled.config.iter().flat_map(|config| &config.jobs);
    jobs.filter(|job| job.name.starts_with("probe/") || job.name.starts_with("scrapeConfig/"))
}

/// A job of `additionalScrapeConfigs`.
#[derive(Clone, Debug)]
pub(super) struct AdditionalJob {
    /// Its number in the list, from 0.
    pub(super) index: usize,
    /// Its content.
    pub(super) section: Map,
    /// The place of the list.
    pub(super) at: At,
}

/// The jobs that the workload takes from a Secret in the input.
pub(super) fn additional(model: &View<'_>, workload: &Scalable<'_>) -> Vec<AdditionalJob> {
    let Some(selector) = &workload.common.additional_scrape_configs else { return Vec::new() };
    let name = format!("{}/{}", workload.compiled.id.namespace, selector.name);
    let Some(secret) = model.cluster.secrets.get(name.as_str()) else { return Vec::new() };
    let is_text = secret.value.string_data.as_ref().is_some_and(|data| data.contains_key(&selector.key));
    let at = At::doc(secret.doc).key(if is_text { "stringData" } else { "data" }).key(selector.key.clone());
    let jobs = |bytes: &[u8]| {
        let text = std::str::from_utf8(bytes).unwrap_or_default();
        Ok(read::read_slices(text).ok().flatten().map(|root| root.to_value()))
    };
    // A Secret's content never enters a message: findings contain only the index of a job, and what its relabel rules lack.
    let root = secret_key(&secret.value, &selector.key).and_then(|bytes| bytes.check(jobs).ok().flatten());
    let items = match root {
        Some(Value::Seq(items)) => items,
        Some(
            Value::Null
            | Value::Bool(_)
            | Value::Int(_)
            | Value::Uint(_)
            | Value::Float(_)
            | Value::Str(_)
            | Value::StandIn(_)
            | Value::Binary(_)
            | Value::Map(_),
        )
        | None => Vec::new(),
    };
    let job = |(index, item)| match item {
        Value::Map(section) => Some(AdditionalJob { index, section, at: at.clone() }),
        Value::Null
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Uint(_)
        | Value::Float(_)
        | Value::Str(_)
        | Value::StandIn(_)
        | Value::Binary(_)
        | Value::Seq(_) => None,
    };
    items.into_iter().enumerate().filter_map(job).collect()
}

/// The relabel rules of a section.
pub(super) fn rules(section: &Map) -> &[Value] {
    section.get("relabel_configs").and_then(Value::as_seq).unwrap_or_default()
}

/// The action of a rule.
pub(super) fn action(rule: &Value) -> Option<Action> {
    match rule.get("action").and_then(Value::as_str) {
        Some(text) => Action::parse(text),
        None => Some(Action::Replace),
    }
}

/// The text of a field of a rule.
pub(super) fn text<'v>(rule: &'v Value, field: &str) -> &'v str {
    rule.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// Whether a rule may write a label.
pub(super) fn may_write(rule: &Value, label: &str) -> bool {
    let target = text(rule, "target_label");
    match action(rule) {
        Some(Action::Replace | Action::HashMod | Action::Lowercase | Action::Uppercase) => {
            target == label || target.contains('$')
        }
        Some(Action::LabelMap) => true,
        Some(
            Action::Keep | Action::Drop | Action::KeepEqual | Action::DropEqual | Action::LabelDrop | Action::LabelKeep,
        )
        | None => false,
    }
}
