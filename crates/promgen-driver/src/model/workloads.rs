//! All workloads of an environment.

use promgen_compile::cluster::Object;
use promgen_compile::output::Workload;
use promgen_compile::workload::bound::Bound;
use promgen_compile::workload::{self, Run};
use promgen_resources::api::Resource;
use promgen_text::diag::Sink;
use promgen_text::limits::Limits;

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
        if bound.admits(&server.value.spec.common, server.doc, sink) {
            let compile = || workload::prometheus(run, server, sink);
            workloads.extend(bound.compile(server.doc, &name(server), compile));
        }
    }
    for agent in run.cluster.prometheus_agents.values() {
        if bound.admits(&agent.value.spec.common, agent.doc, sink) {
            let compile = || workload::agent(run, agent, sink);
            workloads.extend(bound.compile(agent.doc, &name(agent), compile));
        }
    }
    for alertmanager in run.cluster.alertmanagers.values() {
        let compile = || workload::alertmanager(run, alertmanager, sink);
        workloads.extend(bound.compile(alertmanager.doc, &name(alertmanager), compile));
    }
    for ruler in run.cluster.thanos_rulers.values() {
        let compile = || Some(workload::thanos_ruler(run, ruler, sink));
        workloads.extend(bound.compile(ruler.doc, &name(ruler), compile));
    }
    bound.report(sink);
    workloads
}

/// The name of a workload in a message.
fn name<T: Resource>(object: &Object<T>) -> String {
    format!("{}/{}/{}", T::KIND, object.namespace(), object.value.metadata().name)
}
