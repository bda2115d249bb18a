//! What Prometheus refuses in the jobs and relabeling rules that the operator hands on from a Secret as they are.
//!
//! No message quotes a value of the Secret: it names the field and the line of the text.

use std::collections::BTreeSet;

use promgen_compile::lower::REFUSED_BY_PROMETHEUS;
use promgen_model::model::World;
use promgen_model::model::secret_jobs::SecretJobs;
use promgen_model::scraping::needs::ScrapingServer;
use promgen_model::servers::ServerSpec;
use promgen_prometheus::relabel::{Action, NameScheme, RuleError, rules};
use promgen_resources::document;
use promgen_resources::release::job_fields::{JobFields, MistypedJobValue};
use promgen_resources::secrecy::REDACTED;
use promgen_resources::unknown::is_later_text;
use promgen_targets::discovery::DiscoveryRole;
use promgen_text::diag::{Diagnostic, Level, Sink};
use promgen_text::go::duration::PromDuration;
use promgen_text::go::quote::without_quoted;
use promgen_text::source::Span;
use promgen_text::suggest::closest;
use promgen_text::yaml::{Data, Map, Node, Value};

/// The number of faults that are reported of a Secret.
const MAX_FOUND: usize = 20;

/// Something that Prometheus refuses.
struct RawFault {
    span: Span,
    what: String,
    help: Option<String>,
}

impl RawFault {
    fn new(span: Span, what: impl Into<String>) -> Self {
        Self {
            span,
            what: what.into(),
            help: None,
        }
    }
}

/// Checks the jobs and the relabeling rules of alerts.
pub(super) fn check(model: &World<'_>, sink: &mut Sink) {
    for scraper in ScrapingServer::all(model) {
        let (own, scheme) = (scraper.own, scraper.workload.name_scheme());
        if let Some(secret) = scraper.secret_jobs() {
            report(model, secret, of_jobs(&secret.root, own, scheme), sink);
        }
        let selector = own
            .server
            .and_then(|server| server.additional_alert_relabel_configs.as_ref());
        let secret = selector.and_then(|selector| {
            SecretJobs::read(
                model.cluster(),
                own,
                "additionalAlertRelabelConfigs",
                selector,
            )
        });
        if let Some(secret) = secret {
            let fields = JobFields::of_table();
            let rules = secret.root.items();
            let faults = rules
                .iter()
                .flat_map(|rule| of_alert_rule(&fields, rule, scheme));
            report(model, &secret, faults.collect(), sink);
        }
    }
}

fn report(model: &World<'_>, secret: &SecretJobs, faults: Vec<RawFault>, sink: &mut Sink) {
    let is_open = document::find(model.documents(), secret.key.doc)
        .is_none_or(|document| model.unknowns().is_about(&document.node));
    if is_open {
        return;
    }
    for RawFault { span, what, help } in faults.into_iter().take(MAX_FOUND) {
        let message = format!(
            "Prometheus refuses its configuration: {what}, in line {} of the text in {}",
            secret.line(span),
            secret.secret
        );
        let found = Diagnostic::new(&REFUSED_BY_PROMETHEUS, secret.reference.clone(), message);
        sink.report(found.level(Level::Error).helps(help));
    }
}

fn of_jobs(jobs: &Node, own: ServerSpec<'_>, scheme: NameScheme) -> Vec<RawFault> {
    let (fields, mut names) = (JobFields::of_table(), BTreeSet::new());
    let mut found = Vec::new();
    for job in jobs.items() {
        found.extend(fields.mistyped(job).iter().filter_map(of_type));
        found.extend(of_name(job, &mut names));
        found.extend(of_times(job, own));
        for list in ["relabel_configs", "metric_relabel_configs"] {
            let rules = job.items_of(list).iter();
            found.extend(rules.filter_map(|rule| of_rule(&fields, rule, list, scheme)));
        }
        found.extend(
            job.items_of("kubernetes_sd_configs")
                .iter()
                .filter_map(of_role),
        );
    }
    found
}

fn of_type(value: &MistypedJobValue) -> Option<RawFault> {
    let MistypedJobValue {
        of,
        field,
        wants,
        span,
        text,
    } = value;
    let is_later = text.as_deref().is_some_and(is_later_text);
    (!is_later).then(|| RawFault::new(*span, format!("`{field}` of {of} must be {wants}")))
}

/// Prometheus: `Config.UnmarshalYAML`.
fn of_name(job: &Node, names: &mut BTreeSet<String>) -> Option<RawFault> {
    if job.entries().is_empty() {
        return None;
    }
    let name = job
        .get("job_name")
        .filter(|name| !matches!(name.data, Data::Null));
    let Some(text) = name.and_then(|name| name.data.scalar_text()) else {
        let is_absent = name.is_none();
        return is_absent.then(|| RawFault::new(job.span, "a job has no `job_name`"));
    };
    if text.is_empty() {
        return Some(RawFault::new(job.span, "the `job_name` of a job is empty"));
    }
    let is_known = !is_later_text(&text) && !names.insert(text.into_owned());
    is_known.then(|| {
        RawFault::new(
            name.map_or(job.span, |name| name.span),
            "two jobs have the same `job_name`",
        )
    })
}

/// The two lengths of time of a job. Prometheus: `ScrapeConfig.Validate`.
fn of_times(job: &Node, own: ServerSpec<'_>) -> Vec<RawFault> {
    const DEFAULT_INTERVAL: &str = "30s";
    let mut found = Vec::new();
    let mut time = |key: &str| {
        let value = job.get(key)?;
        let text = value
            .data
            .scalar_text()
            .filter(|text| !is_later_text(text))?;
        let parsed = PromDuration::parse(&text).map_err(|_| {
            found.push(RawFault {
                help: Some("write a number and a unit without a blank: `30s`, `1m30s`".to_owned()),
                ..RawFault::new(value.span, format!("`{key}` of a job is no duration"))
            });
        });
        Some((value, parsed.ok()?))
    };
    let (interval, timeout) = (time("scrape_interval"), time("scrape_timeout"));
    let global = || {
        let text = own.common.scrape_interval.as_str();
        PromDuration::parse(if text.is_empty() {
            DEFAULT_INTERVAL
        } else {
            text
        })
        .ok()
    };
    let interval = match (interval, job.get("scrape_interval")) {
        (Some((_, interval)), _) => Some(interval),
        (None, None) => global(),
        (None, Some(_)) => None,
    };
    if let (Some(interval), Some((at, timeout))) = (interval, timeout)
        && timeout > interval
    {
        let what = "`scrape_timeout` of a job is longer than its `scrape_interval`";
        found.push(RawFault::new(at.span, what));
    }
    found
}

fn of_role(discovery: &Node) -> Option<RawFault> {
    let role = discovery.get("role")?;
    let text = role.as_str().filter(|text| !is_later_text(text))?;
    let known = DiscoveryRole::ALL.map(DiscoveryRole::as_str);
    (!known.contains(&text)).then(|| RawFault {
        help: Some(format!("the roles are {}", known.join(", "))),
        ..RawFault::new(
            role.span,
            "`role` of kubernetes_sd_configs of a job is none that Prometheus has",
        )
    })
}

/// A relabeling rule: what it says, besides the names of its fields and the types of their values.
fn of_rule(fields: &JobFields, rule: &Node, list: &str, scheme: NameScheme) -> Option<RawFault> {
    let is_open = |node: &Node| node.as_str().is_some_and(is_later_text);
    let entries = rule.entries();
    if entries.iter().any(|entry| is_open(&entry.value)) {
        return None;
    }
    let (unknown, mistyped) = fields.of_rule(rule, None);
    if !unknown.is_empty() || !mistyped.is_empty() {
        return None;
    }
    let of = format!("of {list}");
    match rules(&[rule.to_value()], scheme).err()? {
        RuleError::Parse(_) => {
            let wrong = entries.iter().find(|entry| {
                let alone = Map::from_iter([(entry.key.to_string(), entry.value.to_value())]);
                matches!(
                    rules(&[Value::Map(alone)], scheme),
                    Err(RuleError::Parse(_))
                )
            })?;
            let near = wrong.value.as_str().filter(|_| wrong.key == "action");
            let near =
                near.and_then(|text| closest(text, Action::NAMED.iter().map(|(name, _)| *name)));
            Some(RawFault {
                help: near.map(|near| format!("did you mean `{near}`?")),
                ..RawFault::new(
                    wrong.value.span,
                    match &*wrong.key {
                        "regex" => format!("`regex` {of} is no regular expression"),
                        "action" => format!("`action` {of} is none that Prometheus has"),
                        key => format!("`{key}` {of} cannot be read"),
                    },
                )
            })
        }
        RuleError::Validate(why) => {
            let why = without_quoted(&why, REDACTED);
            Some(RawFault::new(
                rule.span,
                format!("a rule {of} makes no sense: {why}"),
            ))
        }
        RuleError::TooMuch(_) => None,
    }
}

/// A relabeling rule of alerts.
fn of_alert_rule(fields: &JobFields, rule: &Node, scheme: NameScheme) -> Vec<RawFault> {
    const LIST: &str = "alert_relabel_configs";
    let (unknown, mistyped) = fields.of_rule(rule, None);
    let mut found: Vec<RawFault> = unknown
        .into_iter()
        .map(|unknown| {
            let meant = unknown
                .meant
                .map(|meant| format!("did you mean `{meant}`?"));
            RawFault {
                help: meant.or(unknown.home),
                ..RawFault::new(
                    unknown.entry.key_span,
                    format!("a field of {LIST} is unknown"),
                )
            }
        })
        .collect();
    found.extend(mistyped.iter().filter_map(of_type));
    found.extend(of_rule(fields, rule, LIST, scheme));
    found
}

#[cfg(test)]
mod tests {
    use crate::checks::found::found;

    /// The findings about a list in a Secret that a field of a server refers to.
    fn of(field: &str, list: &str) -> Vec<String> {
        let secret = format!(
            "apiVersion: v1\nkind: Secret\nmetadata: {{name: add, namespace: mon}}\nstringData:\n  list: |\n    {list}\n"
        );
        let server = format!(
            "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {{name: k8s, namespace: mon}}\nspec: {{version: v3.5.0, {field}: {{name: add, key: list}}}}\n"
        );
        found(&["PG303"], &format!("{secret}---\n{server}"))
    }

    #[test]
    fn what_prometheus_refuses_in_a_raw_job_is_an_error_without_values() {
        let jobs = |jobs: &str| of("additionalScrapeConfigs", jobs);
        for (job, what) in [
            ("[{static_configs: []}]", "a job has no `job_name`"),
            (
                "[{job_name: a}, {job_name: a}]",
                "two jobs have the same `job_name`",
            ),
            (
                "[{job_name: a, static_configs: {targets: [hunter2]}}]",
                "`static_configs` of a job must be a list",
            ),
            (
                "[{job_name: a, static_configs: [{targets: 'hunter2:1'}]}]",
                "`targets` of static_configs of a job must be a list",
            ),
            (
                "[{job_name: a, scrape_interval: 30 s}]",
                "`scrape_interval` of a job is no duration",
            ),
            (
                "[{job_name: a, scrape_timeout: 1m}]",
                "`scrape_timeout` of a job is longer than its `scrape_interval`",
            ),
            (
                "[{job_name: a, relabel_configs: [{action: kepp}]}]",
                "did you mean `keep`?",
            ),
            (
                "[{job_name: a, metric_relabel_configs: [{regex: '(hunter2'}]}]",
                "`regex` of metric_relabel_configs is no regular expression",
            ),
            (
                "[{job_name: a, relabel_configs: [{action: hashmod, source_labels: [x], target_label: y}]}]",
                "a rule of relabel_configs makes no sense",
            ),
            (
                "[{job_name: a, kubernetes_sd_configs: [{role: Pods}]}]",
                "`role` of kubernetes_sd_configs of a job is none",
            ),
        ] {
            let found = jobs(job);
            assert!(
                found.len() == 1
                    && found[0].starts_with("PG303 error")
                    && found[0].contains(what)
                    && !found[0].contains("hunter2"),
                "{job}: {found:?}"
            );
        }
    }

    #[test]
    fn what_prometheus_takes_or_a_tool_fills_in_is_left_alone() {
        let jobs = |jobs: &str| of("additionalScrapeConfigs", jobs);
        for job in [
            "[{job_name: a, scrape_interval: 1m, scrape_timeout: 40s, params: {module: [x]}, honor_labels: yes, sample_limit: 5}]",
            "[{job_name: '${JOB}'}, {job_name: '${JOB}', scrape_interval: '${EVERY}', kubernetes_sd_configs: [{role: '{{ role }}'}]}]",
            "[{job_name: a, relabel_configs: [{source_labels: [x], regex: '{{ x }}(', action: drop}, {action: LabelMap, regex: a(.+)}, {target_label: a, replacement: $1}]}]",
            "[{job_name: a, static_configs: [{targets: [a, 'b:1'], labels: {n: 1}}], tls_config: {insecure_skip_verify: true}, basic_auth: null}]",
        ] {
            assert_eq!(jobs(job), [""; 0], "{job}");
        }
    }

    #[test]
    fn rules_for_alerts_are_read_as_prometheus_reads_them() {
        let rules = |rules: &str| of("additionalAlertRelabelConfigs", rules);
        assert_eq!(
            rules("[{source_labels: [severity], regex: none, action: drop}]"),
            [""; 0]
        );
        let camel = rules("[{sourceLabels: [severity], action: drop}]");
        assert!(
            camel[0].ends_with("did you mean `source_labels`?"),
            "{camel:?}"
        );
        let action = rules("[{source_labels: [severity], action: kep}]");
        assert!(action[0].ends_with("did you mean `keep`?"), "{action:?}");
    }
}
