//! The readers of series: the servers of an environment with their jobs, and the rules and dashboards that ask them.
//!
//! In: the objects of an environment and its compiled workloads. Out: a [`LineageModel`], made once somebody asks. The crate
//! [`lineage`](crate::lineage) knows which selectors find nothing; here is who selects, and what the world leaves open.

pub mod dashboards;
mod exporters;
mod jobs;
mod metrics;
mod open;
pub mod readers;
mod rules;
pub mod state_metrics;
pub mod words;

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::lineage::exporters::KnownExporter;
use crate::lineage::labels::SeriesLabels;
use crate::lineage::server::{Judgement, RecordedSeries, SeriesServer, UnmatchedSides};
use crate::model::World;
use promgen_compile::output::{SelectedResource, Workload, WorkloadId, WorkloadKind};
use promgen_resources::api::servers::prometheus::PrometheusSpec;
use promgen_resources::api::{PrometheusRule, Resource as _};
use promgen_text::CollectOrdered;
use promgen_text::parallel;
use promgen_text::route::DocId;

pub use jobs::{drop_place, target_rule};
pub use metrics::RULES;
pub use metrics::{MetricDumps, UNEXPOSED_METRIC, of_no_job};
pub(crate) use open::{applied_elsewhere, unread_charts};
pub use rules::ExpressionRule;

/// A server, with the rules that it evaluates.
#[derive(Debug)]
pub struct RuleServer {
    /// The workload.
    pub id: WorkloadId,
    /// Its document.
    pub doc: DocId,
    /// The series that it can have.
    pub server: SeriesServer,
    /// The numbers of the rules.
    pub rules: Vec<usize>,
    /// It has series that other servers scrape.
    pub is_fed: bool,
}

/// The servers and the rules of an environment.
#[derive(Debug)]
pub struct LineageModel {
    /// The servers.
    pub servers: Vec<RuleServer>,
    /// The rules.
    pub rules: Vec<ExpressionRule>,
}

impl RuleServer {
    /// The facts of a rule. `None` if its expression does not parse.
    pub fn judge(&self, world: &World<'_>, rule: &ExpressionRule) -> Option<Judgement> {
        let enforced = self.enforced(world, rule)?;
        Some(
            self.server
                .judge(rule.tree.as_ref()?, &rule.text, enforced, &|_| false),
        )
    }

    /// The labels of the series of a rule, with their values. `None` if its expression does not parse.
    pub fn labels(&self, world: &World<'_>, rule: &ExpressionRule) -> Option<Vec<SeriesLabels>> {
        let enforced = self.enforced(world, rule)?;
        Some(
            self.server
                .labels(rule.tree.as_ref()?, &rule.text, enforced),
        )
    }

    /// The operators of a rule whose sides have no series that belong together.
    pub fn unmatched(&self, world: &World<'_>, rule: &ExpressionRule) -> Vec<UnmatchedSides> {
        let Some((enforced, tree)) = self.enforced(world, rule).zip(rule.tree.as_ref()) else {
            return Vec::new();
        };
        self.server.unmatched(tree, &rule.text, enforced)
    }

    /// The label that is enforced in a rule, with its value. `None` if the server is not in the world.
    pub fn enforced<'r>(
        &self,
        world: &World<'r>,
        rule: &'r ExpressionRule,
    ) -> Option<Option<(&'r str, &'r str)>> {
        let key = self.id.key();
        let resource = world.cluster().prometheuses.get(key.as_str())?;
        Some(rule.enforced(&resource.value.spec))
    }
}

impl LineageModel {
    pub(crate) fn of(world: &World<'_>) -> Self {
        let rules = rules::all(world);
        let namespaces = open::namespaces(world);
        let exporters = exporters::all(world);
        let compiled: Vec<&Workload> = world
            .workloads
            .iter()
            .copied()
            .filter(|compiled| is_server(compiled))
            .collect();
        let servers = parallel::map(&compiled, 1, |compiled| {
            server(world, compiled, &rules, &namespaces, &exporters)
        });
        Self {
            servers: servers.into_iter().flatten().collect(),
            rules,
        }
    }

    /// What a server outside of the input has that evaluates all rules: their series, and any others.
    pub fn elsewhere(&self) -> SeriesServer {
        let rules = self.rules.iter().enumerate();
        let recorded = rules.filter_map(|(number, rule)| recorded(number, rule, None));
        let what = "a server outside of the input".to_owned();
        SeriesServer::new(what.clone(), Vec::new(), Some(what), recorded.collect())
    }

    /// The servers that evaluate a rule.
    pub fn evaluators(&self, rule: usize) -> impl Iterator<Item = &RuleServer> {
        self.servers
            .iter()
            .filter(move |server| server.rules.binary_search(&rule).is_ok())
    }
}

fn is_server(compiled: &Workload) -> bool {
    compiled.id.kind == WorkloadKind::Prometheus && !compiled.is_stand_in
}

fn server(
    world: &World<'_>,
    compiled: &Workload,
    rules: &[ExpressionRule],
    namespaces: &BTreeSet<String>,
    exporters: &[Arc<KnownExporter>],
) -> Option<RuleServer> {
    let id = &compiled.id;
    let resource = world.cluster().prometheuses.get(id.key().as_str())?;
    let spec = &resource.value.spec;
    let by_resource = selected(compiled);
    let mut evaluated = Vec::new();
    for (number, rule) in rules.iter().enumerate() {
        if by_resource.contains(rule.resource.as_str()) {
            evaluated.push(number);
        }
    }
    let what = id.what();
    let open = open::reason(world, resource, compiled);
    let (jobs, unread) = jobs::of(world, resource.doc, compiled, spec, namespaces, exporters);
    let is_fed = open::is_fed(resource, &jobs);
    let recorded = evaluated
        .iter()
        .filter_map(|number| recorded(*number, &rules[*number], Some(spec)))
        .collect();
    let mut server = SeriesServer::new(what, jobs, open.or(unread), recorded);
    let external = spec.common.external_labels.iter().flatten();
    server
        .external
        .extend(external.map(|(label, _)| label.to_string()));
    if !world.dumps().is_empty() {
        let records = rules.iter().filter_map(|rule| rule.record.clone());
        server.known_metrics = world
            .dumps()
            .all
            .clone()
            .map(|known| known.into_iter().chain(records).collect_set());
        server.know_exposed(&world.dumps().of_targets);
    }
    Some(RuleServer {
        id: id.clone(),
        doc: resource.doc,
        server,
        rules: evaluated,
        is_fed,
    })
}

/// The PrometheusRules that a server evaluates, by `namespace/name`.
fn selected(compiled: &Workload) -> BTreeSet<String> {
    let accepted = compiled.selected.accepted_of(PrometheusRule::KIND);
    accepted.map(SelectedResource::key).collect()
}

fn recorded(
    number: usize,
    rule: &ExpressionRule,
    spec: Option<&PrometheusSpec>,
) -> Option<RecordedSeries> {
    let name = rule.record.clone()?;
    let enforced = spec
        .and_then(|spec| rule.enforced(spec))
        .map(|(label, value)| (label.to_owned(), value.to_owned()));
    let mut labels = rule.labels.clone();
    labels.extend(
        enforced
            .iter()
            .map(|(label, value)| (label.as_str().into(), value.as_str().into())),
    );
    Some(RecordedSeries::new(
        name,
        number,
        rule.tree.clone(),
        rule.text.clone(),
        labels
            .iter()
            .map(|(label, value)| (label.to_string(), value.to_string()))
            .collect(),
        enforced,
    ))
}
