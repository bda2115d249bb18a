//! Rules and panels whose series only a job makes whose labels are not known.

use std::collections::{BTreeMap, BTreeSet};

use promgen_model::lineage::job::ScrapedJob;
use promgen_model::lineage::matcher::SeriesSelector;
use promgen_model::lineage::server::{SeriesMaking, SeriesServer};
use promgen_model::model::World;
use promgen_model::model::lineage::RuleServer;
use promgen_model::model::lineage::dashboards::Dashboard;
use promgen_model::model::lineage::readers::{self, ReadExpression};
use promgen_model::model::lineage::words::{job_title, open_labels};
use promgen_model::words::first;
use promgen_resources::locate::locate_key;
use promgen_text::CollectOrdered;
use promgen_text::diag::count::counted;
use promgen_text::diag::{Diagnostic, Sink, rules};
use promgen_text::route::At;
use promgen_text::source::Span;

rules! {
    /// ## What it does
    /// Counts the rules and panels that read series of a job which no job of the Prometheus is called, where the labels of one job
    /// are not known: it sets `honorLabels`, so that its targets may expose any label `job`, or it federates; or where an option of
    /// the Prometheus brings series that are not in the input: `additionalScrapeConfigs`, `remoteRead`, a receiver. One finding for
    /// each job or option.
    ///
    /// ## Why is this bad?
    /// It is not proven that these expressions find nothing, so no other rule says it. Likely they do.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: main}
    /// spec: {scrapeConfigSelector: {}, ruleSelector: {}}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1alpha1
    /// kind: ScrapeConfig
    /// metadata: {name: state}
    /// spec:
    ///   jobName: state
    ///   honorLabels: true
    ///   staticConfigs: [{targets: ["state.example:80"]}]
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PrometheusRule
    /// metadata: {name: shop}
    /// spec:
    ///   groups:
    ///   - name: shop
    ///     rules:
    ///     - {alert: Many, expr: 'orders{job="shop"} > 100'}
    /// ```
    /// Use instead: a job with the name that is asked for.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: main}
    /// spec: {scrapeConfigSelector: {}, ruleSelector: {}}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1alpha1
    /// kind: ScrapeConfig
    /// metadata: {name: state}
    /// spec:
    ///   jobName: shop
    ///   honorLabels: true
    ///   staticConfigs: [{targets: ["state.example:80"]}]
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PrometheusRule
    /// metadata: {name: shop}
    /// spec:
    ///   groups:
    ///   - name: shop
    ///     rules:
    ///     - {alert: Many, expr: 'orders{job="shop"} > 100'}
    /// ```
    OPEN_SERIES = "PG636" "open-series" Info: "series that only something makes which is not known";
}

/// The number of names in a message.
const MAX_NAMES: usize = 5;

/// Checks what all rules and panels read.
pub(super) fn check(world: &World<'_>, boards: &[Dashboard], sink: &mut Sink) {
    let readers = readers::expressions(world, boards);
    for server in &world.lineage().servers {
        let own: Vec<&ReadExpression<'_>> = readers
            .iter()
            .filter(|reader| reader.servers.contains(&server.id))
            .collect();
        match &server.server.open {
            // What is not rendered has jobs of its own, which may be called so.
            Some(open) if !server.server.jobs.is_empty() && world.unseen().is_none() => {
                let unmade = own.into_iter().filter(|reader| lacks_job(server, reader));
                let at = locate_key(&At::name(server.doc), world.documents());
                report(server, &unmade.collect::<Vec<_>>(), open, at, sink);
            }
            Some(_) => {}
            None => by_job(server, &own, sink),
        }
    }
}

/// Reports what only a job can make whose labels are not known.
fn by_job(server: &RuleServer, readers: &[&ReadExpression<'_>], sink: &mut Sink) {
    let is_open = |job: &ScrapedJob| job.honors_labels || job.federates;
    if !server.server.jobs.iter().any(is_open) {
        return;
    }
    let mut by_job: BTreeMap<&str, (&ScrapedJob, Vec<&ReadExpression<'_>>)> = BTreeMap::new();
    for reader in readers {
        if let Some(job) = only_maker(server, reader) {
            let of_job = by_job.entry(&job.name).or_insert((job, Vec::new()));
            of_job.1.push(reader);
        }
    }
    for (job, readers) in by_job.into_values() {
        let why = format!("{} {}", job_title(job), open_labels(job));
        report(server, &readers, &why, job.origin, sink);
    }
}

fn report(
    server: &RuleServer,
    readers: &[&ReadExpression<'_>],
    why: &str,
    at: Option<Span>,
    sink: &mut Sink,
) {
    let names: BTreeSet<&str> = readers.iter().map(|reader| &*reader.name).collect_set();
    if names.is_empty() {
        return;
    }
    let names: Vec<&str> = names.into_iter().collect();
    let message = format!(
        "{} may find nothing on {}: no job is called as they ask, and {why}: {}",
        counted(names.len(), "expression"),
        server.server.what,
        first(&names, MAX_NAMES)
    );
    sink.report(Diagnostic::at_some(&OPEN_SERIES, at, message));
}

/// Returns whether an expression asks for series of a job that no job is called, as far as is known.
fn lacks_job(server: &RuleServer, reader: &ReadExpression<'_>) -> bool {
    let SeriesServer { jobs, .. } = &server.server;
    let selectors = reader.tree.selectors(reader.tree.root());
    selectors.into_iter().any(|written| {
        let selector = SeriesSelector::of(written, reader.enforced);
        let is_unmade = |name: &String| {
            let made =
                |job: &ScrapedJob| SeriesServer::making(&selector, name, job) > SeriesMaking::Open;
            server.server.records(name).is_empty() && !jobs.iter().any(made)
        };
        selector.jobs().is_some() && selector.names.iter().flatten().any(is_unmade)
    })
}

/// The job whose labels are not known, if no other job can make what an expression reads.
fn only_maker<'s>(server: &'s RuleServer, reader: &ReadExpression<'_>) -> Option<&'s ScrapedJob> {
    let SeriesServer { jobs, .. } = &server.server;
    let selectors = reader.tree.selectors(reader.tree.root());
    selectors.into_iter().find_map(|written| {
        let selector = SeriesSelector::of(written, reader.enforced);
        selector.names.iter().flatten().find_map(|name| {
            if name.contains(':') || !server.server.records(name).is_empty() {
                return None;
            }
            let making = |job: &&ScrapedJob| SeriesServer::making(&selector, name, job);
            let best = jobs.iter().max_by_key(making)?;
            (making(&best) == SeriesMaking::Open).then_some(best)
        })
    })
}
