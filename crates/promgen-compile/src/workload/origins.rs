//! Where the relabel rules of a workload's jobs come from.
//!
//! In: a workload of the run. Out: the place of each rule. Few ask for them, and they take more memory than the jobs, so the
//! jobs are lowered once more for those who do.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::cluster::Key;
use crate::context::Account;
use crate::lower::prometheus::{additional, config};
use crate::output::{RuleOrigin, RuleOrigins, WorkloadId, WorkloadKind};
use crate::workload::{InContext, Run, ServerSubject, in_context, select};
use promgen_resources::document::{self, Document};
use promgen_resources::locate;
use promgen_text::diag::Sink;
use promgen_text::route::At;
use promgen_text::yaml::Map;

/// The origins of the rules of workloads, each made when somebody asks.
#[derive(Debug)]
pub struct LazyRuleOrigins<'a> {
    run: Run<'a>,
    made: Mutex<BTreeMap<WorkloadId, Arc<RuleOrigins>>>,
}

impl<'a> LazyRuleOrigins<'a> {
    /// Those of the workloads of a run.
    #[must_use]
    pub const fn new(run: Run<'a>) -> Self {
        Self {
            run,
            made: Mutex::new(BTreeMap::new()),
        }
    }

    /// Those of a workload. None, if it has no jobs or is not in the input.
    #[must_use]
    pub fn of(&self, id: &WorkloadId) -> Arc<RuleOrigins> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(
            made.entry(id.clone())
                .or_insert_with(|| Arc::new(rule_origins(&self.run, id))),
        )
    }
}

fn rule_origins(run: &Run<'_>, id: &WorkloadId) -> RuleOrigins {
    let key = Key::new(&id.namespace, &id.name);
    let subject = match id.kind {
        WorkloadKind::Prometheus => run
            .cluster
            .prometheuses
            .get(&key)
            .map(ServerSubject::of_prometheus),
        WorkloadKind::PrometheusAgent => run
            .cluster
            .prometheus_agents
            .get(&key)
            .map(|agent| ServerSubject::of_agent(run, agent)),
        WorkloadKind::Alertmanager | WorkloadKind::ThanosRuler => None,
    };
    subject
        .map(|subject| of_subject(run, &subject))
        .unwrap_or_default()
}

fn of_subject(run: &Run<'_>, subject: &ServerSubject<'_>) -> RuleOrigins {
    let (store, account) = (run.store(), Account::new(run.limits, 0));
    let inputs = InContext {
        store: &store,
        account: &account,
        traces_rules: true,
    };
    let lowered = in_context(
        run,
        subject,
        &inputs,
        &mut Sink::default(),
        |cx, _, sink| {
            let selection = select(cx, run.cluster, sink).ok()?;
            let additional = additional::load(cx, sink).ok()?;
            Some(config::rule_origins(cx, &selection, &additional, sink))
        },
    );
    let of_job = |(section, origins): (Map, Vec<At>)| {
        let name = section.text_or_empty("job_name");
        (
            name.to_owned(),
            origins.iter().map(|at| rule_origin(at, run)).collect(),
        )
    };
    lowered.into_iter().flatten().map(of_job).collect()
}

fn rule_origin(at: &At, run: &Run<'_>) -> RuleOrigin {
    let document = document::find(run.documents, at.doc);
    RuleOrigin {
        span: locate::mark(at, run.documents, run.sources),
        resource: document.map(Document::resource).unwrap_or_default(),
        field: at.route.to_string(),
    }
}
