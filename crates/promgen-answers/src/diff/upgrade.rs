//! What a newer Prometheus does in silence: what its migration guide says, where the workload is concerned.

use promgen_model::words;
use std::collections::BTreeSet;

use promgen_compile::output::Workload;
use promgen_prometheus::promql::{self, ExprKind};
use promgen_resources::gates;
use promgen_text::diag::Sink;
use promgen_text::source::FileId;
use promgen_text::yaml::Value;
use promgen_text::yaml::read;

/// The most names that a note lists.
const MAX_NAMED: usize = 5;

/// The outcome for a workload whose version crosses a border.
pub(super) fn notes(old: &Workload, new: &Workload) -> Vec<String> {
    let (Some(before), Some(after)) = (&old.prometheus, &new.prometheus) else {
        return Vec::new();
    };
    // The border of the field that answers for what changes there.
    let is_three = |version| gates::FALLBACK_SCRAPE_PROTOCOL.admits(version);
    if new.is_stand_in || is_three(before) || !is_three(after) {
        return Vec::new();
    }
    content_type(new)
        .into_iter()
        .chain(normalized(new))
        .chain(first_api(old))
        .collect()
}

/// Jobs that scrape targets which send no type that Prometheus 3 knows.
fn content_type(workload: &Workload) -> Option<String> {
    let jobs = workload.jobs().iter();
    let names: Vec<&str> = jobs
        .filter(|job| job.section.get("fallback_scrape_protocol").is_none())
        .map(|job| job.name.as_str())
        .collect();
    let text = "Prometheus 3 refuses scrapes without a valid Content-Type: set `fallbackScrapeProtocol` where targets send none";
    (!names.is_empty()).then(|| {
        format!(
            "{text} ({} without it: {})",
            names.len(),
            words::first(&names, MAX_NAMED)
        )
    })
}

/// Alertmanagers that Prometheus 2 talks to by the first version of their API.
fn first_api(old: &Workload) -> Option<String> {
    let alerting = old.config.as_ref()?.sections.get("alerting")?;
    let all = alerting.items_of("alertmanagers");
    let is_first = |entry: &&Value| entry.text_of("api_version") == Some("v1");
    let text = "Prometheus 3 has no `apiVersion: v1` of Alertmanagers: it sends alerts by version 2, which Alertmanager has since 0.16";
    match all.iter().filter(is_first).count() {
        0 => None,
        n => Some(format!("{text} ({n} with v1)")),
    }
}

/// Rules that compare bounds of buckets in the form that Prometheus 2 stores.
fn normalized(workload: &Workload) -> Option<String> {
    let mut found: BTreeSet<String> = BTreeSet::new();
    for file in &workload.rule_files {
        for document in read::read(FileId::new(u32::MAX), &file.text, &mut Sink::default()) {
            for group in document.root.items_of("groups") {
                for rule in group.items_of("rules") {
                    let name = ["alert", "record"]
                        .iter()
                        .find_map(|key| rule.get(key)?.as_str())
                        .unwrap_or_default();
                    let expression = rule.text_of("expr").unwrap_or_default();
                    found.extend(
                        integers(expression)
                            .map(|(label, value)| format!("{name} has {label}=\"{value}\"")),
                    );
                }
            }
        }
    }
    let names: Vec<&str> = found.iter().map(String::as_str).collect();
    let text =
        "Prometheus 3 normalizes `le` and `quantile`: 1 becomes 1.0, so that these match nothing";
    (!names.is_empty()).then(|| format!("{text}: {}", words::first(&names, MAX_NAMED)))
}

/// The matchers on bounds that are whole numbers.
fn integers(expression: &str) -> impl Iterator<Item = (String, String)> {
    let tree = promql::parse(expression);
    let selectors = tree.into_iter().flat_map(|tree| {
        let of = |node: &promql::Expr| match &node.kind {
            ExprKind::Selector(selector) => selector.matchers.clone(),
            _ => Vec::new(),
        };
        tree.nodes().iter().flat_map(of).collect::<Vec<_>>()
    });
    let is_whole = |value: &str| !value.is_empty() && value.bytes().all(|b| b.is_ascii_digit());
    // A pattern may list several: `1|5`.
    let has_whole = move |matcher: &promql::LabelMatcher| match matcher.operator {
        "=~" | "!~" => matcher
            .value
            .trim_matches(['(', ')'])
            .split('|')
            .any(is_whole),
        _ => is_whole(&matcher.value),
    };
    selectors
        .filter(move |matcher| {
            matches!(matcher.label.as_str(), "le" | "quantile") && has_whole(matcher)
        })
        .map(|matcher| (matcher.label, matcher.value))
}
