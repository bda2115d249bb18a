//! All workloads of an environment.

use crate::operator::UNWATCHED;
use promgen_compile::cluster::{Cluster, Object};
use promgen_compile::output::Workload;
use promgen_compile::workload::bound::Bound;
use promgen_compile::workload::{self, Run};
use promgen_resources::api::{Kind, Resource};
use promgen_text::diag::{Diagnostic, Sink};
use promgen_text::limits::Limits;
use promgen_text::route::At;

/// Compiles every workload on its own.
pub(super) fn all(run: &Run<'_>, limits: &Limits, sink: &mut Sink) -> Vec<Workload> {
    let mut workloads: Vec<Workload> = Vec::new();
    let cluster = run.cluster;
    let n_all = cluster.prometheuses.len()
        + cluster.prometheus_agents.len()
        + cluster.alertmanagers.len()
        + cluster.thanos_rulers.len();
    let mut bound = Bound::new(limits, run.account, n_all);
    for server in run.cluster.prometheuses.values() {
        if !is_watched(cluster, server, sink) {
            continue;
        }
        if bound.admits(&server.value.spec.common, server.doc, sink) {
            let compile = || workload::prometheus(run, server, sink);
            workloads.extend(bound.compile(server.doc, &name(server), compile));
        }
    }
    for agent in run.cluster.prometheus_agents.values() {
        if !is_watched(cluster, agent, sink) {
            continue;
        }
        if bound.admits(&agent.value.spec.common, agent.doc, sink) {
            let compile = || workload::agent(run, agent, sink);
            workloads.extend(bound.compile(agent.doc, &name(agent), compile));
        }
    }
    for alertmanager in run.cluster.alertmanagers.values() {
        if !is_watched(cluster, alertmanager, sink) {
            continue;
        }
        let compile = || workload::alertmanager(run, alertmanager, sink);
        workloads.extend(bound.compile(alertmanager.doc, &name(alertmanager), compile));
    }
    for ruler in run.cluster.thanos_rulers.values() {
        if !is_watched(cluster, ruler, sink) {
            continue;
        }
        let compile = || Some(workload::thanos_ruler(run, ruler, sink));
        workloads.extend(bound.compile(ruler.doc, &name(ruler), compile));
    }
    bound.report(sink);
    workloads
}

/// Whether the operator watches a workload. One that it does not is reported: nothing becomes of it.
fn is_watched<T: Resource>(cluster: &Cluster, object: &Object<T>, sink: &mut Sink) -> bool {
    let (namespace, kind) = (object.namespace(), Kind::ALL.iter().find(|kind| kind.as_str() == T::KIND));
    let Some(flag) = kind.and_then(|kind| cluster.watch.ignored_by(*kind, namespace)) else { return true };
    let at = At::doc(object.doc).key("metadata").key("name");
    let message = format!("the operator watches no {} in namespace {namespace}: `--{}`", T::KIND, flag.name());
    let diagnostic = Diagnostic::new(&UNWATCHED, at, message);
    sink.report(diagnostic.help(format!("change `--{}` of the operator", flag.name())));
    false
}

/// The name of a workload in a message.
fn name<T: Resource>(object: &Object<T>) -> String {
    format!("{}/{}/{}", T::KIND, object.namespace(), object.value.metadata().name)
}
