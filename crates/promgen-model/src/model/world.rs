//! The world as rules and questions see it: a model, with the workloads that stand in for those that are elsewhere.
//!
//! What only some of them need is made when the first one asks, and kept in the model.

use std::collections::BTreeMap;

use crate::model::Model;
use crate::model::access::AccessModel;
use crate::model::lineage::{LineageModel, MetricDumps};
use crate::model::secret_jobs::SecretJobs;
use crate::model::senders::AlertSenders;
use crate::model::unknowns::Unknowns;
use promgen_compile::cluster::Cluster;
use promgen_compile::options::Options;
use promgen_compile::output::{Workload, WorkloadId};
use promgen_compile::select::selector::WorkloadSelector;
use promgen_compile::workload::origins::LazyRuleOrigins;
use promgen_resources::api::Kind;
use promgen_resources::document::{Document, Manifests};
use promgen_targets::discovery::Discovery;
use promgen_targets::resolve::WorkloadPaths;
use promgen_text::diag::Diagnostic;
use promgen_text::route::DocId;
use promgen_text::source::Sources;

/// What every rule and question takes.
#[derive(Clone, Copy, Debug)]
pub struct World<'a> {
    pub(super) model: &'a Model,
    /// The compiled workloads, those that stand in among them.
    pub workloads: &'a [&'a Workload],
    /// The objects that each selector matches.
    pub reach: &'a WorkloadPaths<'a>,
    /// The origin of the relabel rules of the jobs.
    pub rule_origins: &'a LazyRuleOrigins<'a>,
}

impl<'a> World<'a> {
    /// A compiled workload.
    #[must_use]
    pub fn workload(&self, id: &WorkloadId) -> Option<&'a Workload> {
        self.workloads.iter().copied().find(|of| of.id == *id)
    }

    /// The options of the run.
    pub fn options(&self) -> &'a Options {
        &self.model.options
    }

    /// All objects.
    pub const fn cluster(&self) -> &'a Cluster {
        &self.model.cluster
    }

    /// The objects of all kinds, as they are written.
    pub const fn manifests(&self) -> &'a Manifests {
        &self.model.manifests
    }

    /// The documents, by their number.
    pub fn documents(&self) -> &'a [Document] {
        &self.model.manifests.documents
    }

    /// The texts that contain the documents.
    pub fn sources(&self) -> &'a Sources {
        self.model.project.sources()
    }

    /// What the objects and workloads were found to be, without places.
    pub fn found(&self) -> &'a [Diagnostic] {
        self.model.found.diagnostics()
    }

    /// The objects that targets are discovered from.
    pub fn discovery(&self) -> &'a Discovery {
        self.model.discovery()
    }

    /// The unknown part of all that.
    pub const fn unknowns(&self) -> &'a Unknowns {
        &self.model.unknowns
    }

    /// Returns whether the operator in the input is older than all that promgen knows.
    pub const fn has_older_operator(&self) -> bool {
        self.model.has_older_operator
    }

    /// The permissions and policies.
    pub fn access(&self) -> &'a AccessModel {
        self.model.access()
    }

    /// The jobs that workloads take from Secrets.
    pub(crate) fn secret_jobs(&self) -> &'a BTreeMap<DocId, SecretJobs> {
        let read = || SecretJobs::all(&self.model.cluster);
        self.model.secret_jobs.get_or_init(read)
    }

    /// Why the input may lack jobs, if it may.
    pub fn unseen(&self) -> Option<&'a str> {
        let ask = || self.model.may_lack_jobs();
        self.model.unseen.get_or_init(ask).as_deref()
    }

    /// The metrics that files say there are.
    pub fn dumps(&self) -> &'a MetricDumps {
        let read = || MetricDumps::read(&self.model.options.metrics);
        self.model.dumps.get_or_init(read)
    }

    /// The servers, and the rules that they evaluate. Workloads that stand in for others evaluate nothing: it is the same with and
    /// without them.
    pub fn lineage(&self) -> &'a LineageModel {
        self.model.lineage.get_or_init(|| LineageModel::of(self))
    }

    /// Which Alertmanagers get the alerts of each server.
    pub fn senders(&self) -> &'a AlertSenders {
        let ask = || AlertSenders::of(self);
        self.model.senders.get_or_init(ask)
    }

    /// The selectors of workloads that may take resources of that kind.
    pub fn selectors_of(&self, kind: Kind) -> impl Iterator<Item = &'a WorkloadSelector<'a>> {
        let selectors = self.reach.selectors.iter();
        selectors.filter(move |selector| selector.takes == kind)
    }

    /// The same of workloads that the API server refuses.
    pub fn refused_selectors_of(
        &self,
        kind: Kind,
    ) -> impl Iterator<Item = &'a WorkloadSelector<'a>> {
        let selectors = self.reach.refused.iter();
        selectors.filter(move |selector| selector.takes == kind)
    }
}
