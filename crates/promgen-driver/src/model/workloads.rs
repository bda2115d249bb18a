//! All workloads of an environment.

use crate::operator::UNWATCHED;
use crate::operator::unwatched::Unwatched;
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
    let Some(kind) = Kind::ALL.iter().copied().find(|kind| kind.as_str() == T::KIND) else { return true };
    let Some(unwatched) = Unwatched::of(cluster, (kind, object.namespace()), object.value.metadata()) else {
        return true;
    };
    let message = match unwatched.is_by_labels {
        true => format!("{}: {}", name(object), unwatched.why),
        false => unwatched.why,
    };
    let place = At::doc(object.doc).key("metadata").key("name");
    sink.report(Diagnostic::new(&UNWATCHED, place, message).help(unwatched.help));
    false
}

/// The name of a workload in a message.
fn name<T: Resource>(object: &Object<T>) -> String {
    format!("{}/{}/{}", T::KIND, object.namespace(), object.value.metadata().name)
}
