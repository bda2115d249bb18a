//! Series that go stale between two samples.

use promgen_compile::cluster::Object;
use promgen_model::scraping::needs::ScrapingServer;
use promgen_resources::api::PrometheusRule;
use promgen_text::diag::{Diagnostic, Sink, rules};
use promgen_text::go::duration::PromDuration;
use promgen_text::route::At;

rules! {
    /// ## What it does
    /// Finds groups that record series at an interval longer than the lookback of Prometheus: five minutes, unless
    /// `query.lookbackDelta` of the workload is set.
    ///
    /// ## Why is this bad?
    /// Between two evaluations, a query does not return the recorded series: graphs have gaps, and alerts on it flap.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec: {ruleSelector: {}}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PrometheusRule
    /// metadata: {name: cart}
    /// spec:
    ///   groups:
    ///   - name: a
    ///     interval: 10m
    ///     rules:
    ///     - {record: "cart:requests:rate1h", expr: "rate(cart_requests_total[1h])"}
    /// ```
    /// Use instead: an interval shorter than the lookback.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec: {ruleSelector: {}}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PrometheusRule
    /// metadata: {name: cart}
    /// spec:
    ///   groups:
    ///   - name: a
    ///     interval: 2m
    ///     rules:
    ///     - {record: "cart:requests:rate1h", expr: "rate(cart_requests_total[1h])"}
    /// ```
    ///
    /// ## Source
    /// Prometheus: `--query.lookback-delta`, five minutes by default.
    STALE_RECORDING = "PG603" "stale-recording" Warning: "a recording interval longer than the lookback of Prometheus";

    /// ## What it does
    /// Finds targets with a scrape interval longer than the lookback of Prometheus: five minutes, unless
    /// `query.lookbackDelta` of the workload is set.
    ///
    /// ## Why is this bad?
    /// Between two scrapes, a query does not return the scraped series: graphs have gaps, and alerts flap.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec: {podMonitorSelector: {}}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PodMonitor
    /// metadata: {name: cart}
    /// spec:
    ///   selector: {}
    ///   podMetricsEndpoints: [{port: metrics, interval: 10m}]
    /// ```
    /// Use instead: an interval of at most half the lookback, so that one scrape can fail.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec: {podMonitorSelector: {}}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PodMonitor
    /// metadata: {name: cart}
    /// spec:
    ///   selector: {}
    ///   podMetricsEndpoints: [{port: metrics, interval: 2m}]
    /// ```
    ///
    /// ## Source
    /// Prometheus: `--query.lookback-delta`, five minutes by default.
    STALE_SCRAPE = "PG604" "stale-scrape" Warning: "a scrape interval longer than the lookback of Prometheus";
}

/// The default lookback of Prometheus, in milliseconds.
const LOOKBACK: u64 = 5 * 60 * 1000;

const HELP: &str =
    "use an interval of at most half the lookback, or raise `query.lookbackDelta` of the workload";

/// The lookback of a server.
fn lookback(server: ScrapingServer<'_>) -> PromDuration {
    let query = server.own.server.and_then(|spec| spec.query.as_ref());
    query
        .and_then(|query| PromDuration::parse(query.lookback_delta.as_deref()?).ok())
        .unwrap_or(PromDuration { millis: LOOKBACK })
}

/// The interval and the lookback, if the interval is longer.
fn too_long(
    server: ScrapingServer<'_>,
    interval: Option<PromDuration>,
) -> Option<(PromDuration, PromDuration)> {
    let (interval, lookback) = (interval?, lookback(server));
    (interval > lookback).then_some((interval, lookback))
}

/// Checks the groups that a server evaluates.
pub(super) fn recordings(
    server: ScrapingServer<'_>,
    resource: &Object<PrometheusRule>,
    sink: &mut Sink,
) {
    for (index, group) in resource.value.spec.groups.iter().flatten().enumerate() {
        let records = |rule: &promgen_resources::api::servers::rule::Rule| {
            rule.record.as_deref().is_some_and(|name| !name.is_empty())
        };
        let Some(interval) = group
            .interval
            .as_ref()
            .filter(|_| group.rules.iter().flatten().any(records))
        else {
            continue;
        };
        let Some((interval, lookback)) = too_long(server, interval.length().ok()) else {
            continue;
        };
        let at = At::spec(resource.doc)
            .key("groups")
            .index(index)
            .key("interval");
        let message = format!(
            "the group records every {interval}, but {} looks back only {lookback}",
            server.what()
        );
        sink.report(Diagnostic::new(&STALE_RECORDING, at, message).help(HELP));
    }
}

/// Checks the jobs of a server.
pub(super) fn scrapes(server: ScrapingServer<'_>, sink: &mut Sink) {
    for job in server.jobs() {
        let Some((interval, lookback)) = too_long(server, job.interval_or(None)) else {
            continue;
        };
        let message = format!(
            "{} is scraped every {interval}, but {} looks back only {lookback}",
            job.name,
            server.what()
        );
        let finding = Diagnostic::at_some(&STALE_SCRAPE, job.origin, message);
        sink.report(finding.help(HELP));
    }
}
