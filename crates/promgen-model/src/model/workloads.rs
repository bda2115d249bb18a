//! All workloads of an environment.

use std::sync::Arc;

use crate::operator::UNWATCHED;
use crate::operator::unwatched::Unwatched;
use promgen_compile::cluster::Object;
use promgen_compile::context::Account;
use promgen_compile::output::{Workload, WorkloadKind};
use promgen_compile::select::selector::{self, WorkloadSelector};
use promgen_compile::workload::bound::Bound;
use promgen_compile::workload::kept::{KeepsWorkloads, KeptWorkloads, Uncompiled};
use promgen_compile::workload::{self, CompiledWorkload, Run};
use promgen_resources::api::servers::common::CommonPrometheusFields;
use promgen_resources::api::{Kind, Resource};
use promgen_resources::document;
use promgen_text::diag::{Diagnostic, Place, Sink};
use promgen_text::route::At;

/// The workloads of an environment, and the memory that they take with that of others before.
pub(super) struct AllWorkloads {
    pub(super) workloads: Vec<Arc<Workload>>,
    pub(super) found: Sink,
    pub(super) account: Account,
    /// For a later run, if it is to have them.
    pub(super) kept: Option<KeptWorkloads>,
}

/// Compiles every workload on its own.
pub(super) fn all(run: &Run<'_>, account: Account, memory: &KeepsWorkloads) -> AllWorkloads {
    let (earlier, kept) = match memory {
        KeepsWorkloads::None => (None, None),
        KeepsWorkloads::Of(earlier) => (earlier.as_deref(), Some(KeptWorkloads::of(run))),
    };
    let cluster = run.cluster;
    let n_all = cluster.prometheuses.len()
        + cluster.prometheus_agents.len()
        + cluster.alertmanagers.len()
        + cluster.thanos_rulers.len();
    let bound = Bound::new(run.limits, account, n_all);
    let mut compiler = Compiler {
        run,
        earlier,
        bound,
        workloads: Vec::new(),
        found: Sink::default(),
        kept,
    };
    for server in cluster.prometheuses.values() {
        let selectors = selector::of_prometheus(server);
        compiler.object(
            server,
            Some(&server.value.spec.common),
            WorkloadKind::Prometheus,
            selectors,
            workload::prometheus,
        );
    }
    for agent in cluster.prometheus_agents.values() {
        let selectors = selector::of_agent(agent);
        compiler.object(
            agent,
            Some(&agent.value.spec.common),
            WorkloadKind::PrometheusAgent,
            selectors,
            workload::agent,
        );
    }
    for alertmanager in cluster.alertmanagers.values() {
        let selectors = selector::of_alertmanager(alertmanager);
        compiler.object(
            alertmanager,
            None,
            WorkloadKind::Alertmanager,
            selectors,
            workload::alertmanager,
        );
    }
    for ruler in cluster.thanos_rulers.values() {
        let selectors = selector::of_thanos_ruler(ruler);
        compiler.object(
            ruler,
            None,
            WorkloadKind::ThanosRuler,
            selectors,
            workload::thanos_ruler,
        );
    }
    compiler.conclude()
}

/// Compiles workloads one after the other.
struct Compiler<'r> {
    run: &'r Run<'r>,
    earlier: Option<&'r KeptWorkloads>,
    bound: Bound<'r>,
    workloads: Vec<Arc<Workload>>,
    found: Sink,
    kept: Option<KeptWorkloads>,
}

impl Compiler<'_> {
    /// Returns whether the operator watches a workload. One that it does not is reported: nothing becomes of it.
    fn is_watched<T: Resource>(&mut self, object: &Object<T>) -> bool {
        let Some(unwatched) = unwatched(self.run, object) else {
            return true;
        };
        self.found.report(unwatched);
        false
    }

    /// Compiles a workload that the operator watches, if its shards fit into the limits of the run.
    fn object<'c, T: Resource>(
        &mut self,
        object: &'c Object<T>,
        common: Option<&CommonPrometheusFields>,
        kind: WorkloadKind,
        selectors: Vec<WorkloadSelector<'c>>,
        compile: impl FnOnce(&Run<'_>, &'c Object<T>, Account) -> CompiledWorkload,
    ) {
        let is_admitted = |compiler: &mut Self, common| {
            let found = &mut compiler.found;
            compiler.bound.admits(common, object.doc, found)
        };
        if self.is_watched(object) && common.is_none_or(|common| is_admitted(self, common)) {
            let run = self.run;
            let own = Uncompiled {
                kind,
                doc: object.doc,
                selectors,
            };
            self.compile(&own, &name(object), |account| compile(run, object, account));
        }
    }

    /// Compiles a workload, unless an earlier run has done so.
    fn compile(
        &mut self,
        own: &Uncompiled<'_>,
        name: &str,
        compile: impl FnOnce(Account) -> CompiledWorkload,
    ) {
        let (run, earlier, kept) = (self.run, self.earlier, &mut self.kept);
        let compile = |account: Account| {
            let before = account.spent();
            let again = earlier.and_then(|earlier| earlier.again(run, own, &account));
            let compiled = again.unwrap_or_else(|| compile(account));
            if let Some(kept) = kept {
                kept.keep(&compiled, before);
            }
            compiled
        };
        self.workloads
            .extend(self.bound.compile(own.doc, name, compile, &mut self.found));
    }

    fn conclude(mut self) -> AllWorkloads {
        self.bound.report(&mut self.found);
        let Self {
            bound,
            workloads,
            found,
            kept,
            ..
        } = self;
        AllWorkloads {
            workloads,
            found,
            account: bound.into_account(),
            kept,
        }
    }
}

/// The finding that the operator does not watch a workload.
fn unwatched<T: Resource>(run: &Run<'_>, object: &Object<T>) -> Option<Diagnostic> {
    let kind = Kind::named(T::KIND)?;
    let unwatched = Unwatched::of(
        run.cluster,
        kind,
        object.namespace(),
        object.value.metadata(),
    )?;
    let message = match unwatched.is_by_labels {
        true => format!("{}: {}", name(object), unwatched.why),
        false => unwatched.why,
    };
    let document = document::find(run.documents, object.doc);
    let release = document.and_then(|document| document.origin.release());
    // The workload of a chart that installs the operator, too.
    let flag = release.and_then(|release| release.flag(unwatched.flag));
    let place = flag.map_or_else(|| Place::from(At::name(object.doc)), Place::from);
    Some(Diagnostic::new(&UNWATCHED, place, message).help(unwatched.help))
}

/// The name of a workload in a message.
fn name<T: Resource>(object: &Object<T>) -> String {
    format!(
        "{}/{}/{}",
        T::KIND,
        object.namespace(),
        object.value.metadata().name
    )
}
