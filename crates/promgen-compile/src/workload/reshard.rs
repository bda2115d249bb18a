//! A workload with another number of shards, other zones, or another manifest.
//!
//! In: a workload of the run, and a [`Reshard`] or an edit. Out: the compiled workload with these settings, or why the API
//! server refuses it. The changed document passes through the same phases: check, type, compile.

use std::sync::Arc;

use crate::cluster::{Cluster, Key, Objects};
use crate::context::Account;
use crate::output::{Workload, WorkloadId, WorkloadKind};
use crate::sharding::reshard::Reshard;
use crate::workload::{self, CompiledWorkload, Run};
use promgen_resources::document::{self, Document};
use promgen_text::diag::{Level, Sink};
use promgen_text::limits::Excess;
use promgen_text::route::DocId;
use promgen_text::yaml::Node;

/// Compiles a reshard of a workload.
///
/// # Errors
/// The error of the API server, or why the workload does not compile.
pub fn reshard(run: &Run<'_>, id: &WorkloadId, reshard: &Reshard) -> Result<Arc<Workload>, String> {
    if !id.kind.has_shards() {
        return Err(format!("{id} has no shards"));
    }
    edited(run, id, |node| reshard.apply(node))
}

/// Compiles a workload whose manifest is another one.
///
/// # Errors
/// The error of the API server, or why the workload does not compile.
pub fn edited(
    run: &Run<'_>,
    id: &WorkloadId,
    edit: impl FnOnce(&Node) -> Node,
) -> Result<Arc<Workload>, String> {
    let key = Key::new(&id.namespace, &id.name);
    let doc = match id.kind {
        WorkloadKind::Prometheus => doc_of(&run.cluster.prometheuses, &key),
        WorkloadKind::PrometheusAgent => doc_of(&run.cluster.prometheus_agents, &key),
        WorkloadKind::Alertmanager => doc_of(&run.cluster.alertmanagers, &key),
        WorkloadKind::ThanosRuler => doc_of(&run.cluster.thanos_rulers, &key),
    };
    let document = doc.and_then(|doc| document::find(run.documents, doc));
    let document = document.ok_or_else(|| format!("{id} is not in the input"))?;
    let edited = Document {
        node: edit(&document.node).into(),
        ..document.clone()
    };
    let mut sink = Sink::default();
    let cluster = Cluster::load(
        &[edited],
        run.options.target.operator_version(),
        &run.options.definitions,
        &mut sink,
    );
    // Others are compiled at the same time, and what is kept of each is little.
    let account = Account::new(run.limits, 0);
    let compiled = match id.kind {
        WorkloadKind::Prometheus => cluster
            .prometheuses
            .get(&key)
            .map(|object| workload::prometheus(run, object, account)),
        WorkloadKind::PrometheusAgent => cluster
            .prometheus_agents
            .get(&key)
            .map(|object| workload::agent(run, object, account)),
        WorkloadKind::Alertmanager => cluster
            .alertmanagers
            .get(&key)
            .map(|object| workload::alertmanager(run, object, account)),
        WorkloadKind::ThanosRuler => cluster
            .thanos_rulers
            .get(&key)
            .map(|object| workload::thanos_ruler(run, object, account)),
    };
    let Some(CompiledWorkload {
        workload,
        found,
        account,
        ..
    }) = compiled
    else {
        return Err(why(&sink, None));
    };
    sink.append(found);
    workload.ok_or_else(|| why(&sink, account.excess()))
}

/// Why a workload does not compile.
fn why(found: &Sink, excess: Option<Excess>) -> String {
    let error = found
        .diagnostics()
        .iter()
        .find(|found| found.level == Level::Error);
    let excess = || excess.map(|excess| excess.message("the workload"));
    let error = error.map(|error| error.message.clone()).or_else(excess);
    error.unwrap_or_else(|| "it does not compile".to_owned())
}

fn doc_of<T>(objects: &Objects<T>, key: &Key) -> Option<DocId> {
    objects.get(key).map(|object| object.doc)
}
