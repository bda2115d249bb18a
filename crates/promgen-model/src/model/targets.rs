//! The source of the targets of a model, within the limits.

use std::sync::Arc;

use promgen_compile::cluster::Cluster;
use promgen_compile::options::Options;
use promgen_compile::output::Workload;
use promgen_resources::document::Manifests;
use promgen_targets::discovery::Discovery;
use promgen_targets::discovery::shared::n_targets;
use promgen_targets::resolve::others::Others;
use promgen_text::diag::{Diagnostic, Sink};
use promgen_text::limits::{LIMIT_EXCEEDED, Limit, Limits};
use promgen_text::parallel;

/// The source of the targets.
#[derive(Debug)]
pub(super) struct ModelTargets {
    pub(super) discovery: Discovery,
    pub(super) others: Others,
}

impl ModelTargets {
    pub(super) fn read(manifests: &Manifests, cluster: &Cluster, options: &Options) -> Self {
        let read = || Others::read(manifests, cluster, options.namespace_is_known);
        let (discovery, others) = parallel::join(|| Discovery::completed(manifests, cluster), read);
        Self { discovery, others }
    }

    /// Drops what targets are discovered from if the jobs of the workloads discover too many.
    pub(super) fn keep_within(
        &mut self,
        limits: &Limits,
        workloads: &[Arc<Workload>],
        sink: &mut Sink,
    ) {
        let max = usize::try_from(limits.get(Limit::TargetSteps)).unwrap_or(usize::MAX);
        let mut n_all: usize = 0;
        for workload in workloads {
            if n_all > max || max == usize::MAX {
                break;
            }
            let jobs = workload.jobs().iter();
            n_all = n_all.saturating_add(n_targets(
                &self.discovery,
                &workload.id.namespace,
                jobs,
                max - n_all,
            ));
        }
        if n_all > max {
            let excess = limits.excess(Limit::TargetSteps);
            let diagnostic =
                Diagnostic::placeless(&LIMIT_EXCEEDED, excess.message("what the jobs discover"));
            sink.report(
                diagnostic
                    .help(excess.help())
                    .help("no target in the input is looked at"),
            );
            self.discovery = Discovery::default();
        }
    }
}
