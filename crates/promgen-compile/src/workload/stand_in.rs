//! Workloads that stand in for those that are not in the input: what no workload in the input selects is compiled for a
//! Prometheus and an Alertmanager with default settings, so that it is checked all the same.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::cluster::{Cluster, Key, Object, Objects};
use crate::context::Account;
use crate::output::Workload;
use crate::select::ASSUMED;
use crate::select::selector::selectors;
use crate::select::takers::Takers;
use crate::workload::bound::Bound;
use crate::workload::{self, Run};
use promgen_resources::api::{Kind, PrometheusRule, Resource};
use promgen_resources::document::Manifests;
use promgen_resources::release::CURRENT;
use promgen_resources::schema::Definitions;
use promgen_text::CollectOrdered;
use promgen_text::diag::{Diagnostic, Place, Sink};
use promgen_text::limits::LIMIT_EXCEEDED;
use promgen_text::route::DocId;
use promgen_text::source::FileId;
use promgen_text::yaml::read::read;

/// The manifests of the workloads. Nobody reads their names, but messages contain them.
const MANIFESTS: &str = "\
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: {name: any, namespace: any}
spec:
  serviceMonitorSelector: {}
  serviceMonitorNamespaceSelector: {}
  podMonitorSelector: {}
  podMonitorNamespaceSelector: {}
  probeSelector: {}
  probeNamespaceSelector: {}
  scrapeConfigSelector: {}
  scrapeConfigNamespaceSelector: {}
  ruleSelector: {}
  ruleNamespaceSelector: {}
---
apiVersion: monitoring.coreos.com/v1
kind: Alertmanager
metadata: {name: any, namespace: any}
spec:
  alertmanagerConfigSelector: {}
  alertmanagerConfigNamespaceSelector: {}
";

/// Resources by kind, namespace and name.
pub type ResourceKeys = BTreeSet<(Kind, Key)>;

/// Compiles what no workload in the input selects. The workloads have no objects, and no place in any text.
#[must_use]
pub fn stand_ins(
    run: &Run<'_>,
    account: Account,
    sink: &mut Sink,
) -> (Vec<Arc<Workload>>, Account) {
    let selectors = selectors(run.cluster);
    let mut takers = Takers::new(&selectors, run.cluster);
    let unselected = run
        .cluster
        .candidates()
        .filter(|candidate| !takers.is_selected(candidate));
    let unselected: BTreeSet<DocId> = unselected.map(|candidate| candidate.doc).collect_set();
    if unselected.is_empty() && run.cluster.refused.misnamed_rules().is_none() {
        return (Vec::new(), account);
    }
    compile(run, account, &unselected, StandInKinds::Selecting, sink)
}

/// The same for a comparison, without the resources that a workload of the other side selects. The workloads are there
/// whatever they select.
#[must_use]
pub fn stand_ins_beside(
    run: &Run<'_>,
    account: Account,
    elsewhere: &ResourceKeys,
) -> Vec<Arc<Workload>> {
    let (_, mut unselected) = by_selection(run.cluster);
    unselected.retain(|key, _| !elsewhere.contains(key));
    compile(
        run,
        account,
        &unselected.into_values().collect(),
        StandInKinds::All,
        &mut Sink::default(),
    )
    .0
}

/// The resources that a workload selects, and the documents of those that none does.
#[must_use]
pub fn by_selection(cluster: &Cluster) -> (ResourceKeys, BTreeMap<(Kind, Key), DocId>) {
    let selectors = selectors(cluster);
    let mut takers = Takers::new(&selectors, cluster);
    let (mut selected, mut unselected) = (ResourceKeys::new(), BTreeMap::new());
    for candidate in cluster.candidates() {
        let key = (
            candidate.kind,
            Key::new(candidate.namespace(), &candidate.metadata.name),
        );
        match takers.is_selected(&candidate) {
            true => drop(selected.insert(key)),
            false => drop(unselected.insert(key, candidate.doc)),
        }
    }
    (selected, unselected)
}

/// Returns whether there is a resource that no workload selects.
#[must_use]
pub fn has_unselected(cluster: &Cluster) -> bool {
    let selectors = selectors(cluster);
    let mut takers = Takers::new(&selectors, cluster);
    cluster
        .candidates()
        .any(|candidate| !takers.is_selected(&candidate))
}

/// Which workloads stand in.
#[derive(Clone, Copy, PartialEq)]
enum StandInKinds {
    /// Those that select something.
    Selecting,
    /// One of each kind.
    All,
}

fn compile(
    run: &Run<'_>,
    account: Account,
    unselected: &BTreeSet<DocId>,
    members: StandInKinds,
    sink: &mut Sink,
) -> (Vec<Arc<Workload>>, Account) {
    let all = members == StandInKinds::All;
    let cluster = cluster(run.cluster, unselected);
    let run = &Run {
        cluster: &cluster,
        ..*run
    };
    let mut findings = Sink::default();
    let monitors = [
        cluster.service_monitors.len(),
        cluster.pod_monitors.len(),
        cluster.probes.len(),
    ];
    let n_of_prometheus = monitors.iter().sum::<usize>()
        + cluster.scrape_configs.len()
        + cluster.prometheus_rules.len();
    let mut workloads: Vec<Arc<Workload>> = Vec::new();
    let mut bound = Bound::new(run.limits, account, 2);
    for server in cluster
        .prometheuses
        .values()
        .filter(|_| all || n_of_prometheus > 0)
    {
        let compile = |account| workload::prometheus(run, server, account);
        workloads.extend(bound.compile(server.doc, "Prometheus", compile, &mut findings));
    }
    for alertmanager in cluster
        .alertmanagers
        .values()
        .filter(|_| all || !cluster.alertmanager_configs.is_empty())
    {
        let compile = |account| workload::alertmanager(run, alertmanager, account);
        workloads.extend(bound.compile(alertmanager.doc, "Alertmanager", compile, &mut findings));
    }
    if let Some(excess) = bound.excess() {
        let message = excess.message("what the resources that no workload selects compile to");
        sink.report(Diagnostic::placeless(&LIMIT_EXCEEDED, message).help(excess.help()));
    }
    for workload in workloads.iter_mut().map(Arc::make_mut) {
        workload.objects.clear();
        workload.is_stand_in = true;
    }
    // What a resource refers to may be where its workload is: only what is there is checked.
    let is_kept =
        |diagnostic: &Diagnostic| *diagnostic.rule != ASSUMED && !is_about_stand_in(diagnostic);
    findings
        .into_diagnostics()
        .into_iter()
        .filter(is_kept)
        .for_each(|diagnostic| sink.report(diagnostic));
    (workloads, bound.into_account())
}

/// Returns whether a finding is about a workload that stands in for others, and so about nothing in the input.
#[must_use]
pub fn is_about_stand_in(diagnostic: &Diagnostic) -> bool {
    diagnostic
        .place
        .as_ref()
        .and_then(Place::at)
        .is_some_and(|at| at.doc == DocId::NONE)
}

/// Copies of the objects that pass.
fn chosen<T: Clone>(objects: &Objects<T>, passes: impl Fn(&Object<T>) -> bool) -> Objects<T> {
    let chosen = objects.iter().filter(|(_, object)| passes(object));
    chosen
        .map(|(key, object)| (key.clone(), object.clone()))
        .collect_map()
}

/// The workloads, with the resources that they select.
fn cluster(from: &Cluster, unselected: &BTreeSet<DocId>) -> Cluster {
    let mut sink = Sink::default();
    let manifests = Manifests::read(
        read(FileId::new(u32::MAX), MANIFESTS, &mut sink),
        "any",
        &mut sink,
    );
    let mut cluster = Cluster::load(
        &manifests.documents,
        &CURRENT.version,
        &Definitions::default(),
        &mut sink,
    );
    cluster
        .prometheuses
        .values_mut()
        .for_each(|server| server.doc = DocId::NONE);
    cluster
        .alertmanagers
        .values_mut()
        .for_each(|alertmanager| alertmanager.doc = DocId::NONE);
    fn among<T: Resource + Clone>(objects: &Objects<T>, docs: &BTreeSet<DocId>) -> Objects<T> {
        chosen(objects, |object| docs.contains(&object.doc))
    }
    cluster.service_monitors = among(&from.service_monitors, unselected);
    cluster.pod_monitors = among(&from.pod_monitors, unselected);
    cluster.probes = among(&from.probes, unselected);
    cluster.scrape_configs = among(&from.scrape_configs, unselected);
    cluster.prometheus_rules = chosen(&from.prometheus_rules, |rule| {
        unselected.contains(&rule.doc) && !is_of_loki(&rule.value)
    });
    for (key, rule) in from
        .refused
        .misnamed_rules()
        .into_iter()
        .flat_map(Objects::iter)
    {
        cluster.prometheus_rules.insert(key.clone(), rule.clone());
    }
    cluster.alertmanager_configs = among(&from.alertmanager_configs, unselected);
    cluster.namespaces.clone_from(&from.namespaces);
    cluster.secrets.clone_from(&from.secrets);
    cluster.config_maps.clone_from(&from.config_maps);
    cluster
}

/// Returns whether rules are for Loki, whose language is another one: a label says so, or an expression has a pipe.
fn is_of_loki(rule: &PrometheusRule) -> bool {
    let labels = rule.metadata.labels.iter().flatten();
    let has_label = labels
        .into_iter()
        .any(|(key, value)| key.contains("loki") || value == "loki");
    let groups = rule.spec.groups.iter().flatten();
    let mut rules = groups.flat_map(|group| group.rules.iter().flatten());
    has_label || rules.any(|rule| has_pipe(&rule.expr.to_string()))
}

/// Returns whether an expression has a `|` outside of its texts and comments: PromQL has none.
fn has_pipe(expression: &str) -> bool {
    let mut chars = expression.chars();
    let mut quote = None;
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some('"' | '\''), '\\') => {
                chars.next();
            }
            (Some(open), c) if open == c => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'' | '`') => quote = Some(c),
            (None, '#') => quote = Some('\n'),
            (None, '|') => return true,
            (None, _) => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pipes_of_loki_stand_outside_of_texts() {
        for logql in ["sum(rate({a=\"b\"} |= `x` [5m]))", "{a=\"b\"} | json"] {
            assert!(has_pipe(logql), "{logql}");
        }
        for promql in [
            "rate(x{a=~\"b|c\"}[5m])",
            "x # a | b\n > 1",
            "x{a=~'b\\'|c'}",
        ] {
            assert!(!has_pipe(promql), "{promql}");
        }
    }

    #[test]
    fn the_manifests_are_valid() {
        let cluster = cluster(&Cluster::default(), &BTreeSet::new());
        assert_eq!(
            (cluster.prometheuses.len(), cluster.alertmanagers.len()),
            (1, 1)
        );
    }
}
