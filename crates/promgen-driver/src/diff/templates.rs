//! Pods of templates that no job reaches any more, while what makes them stays.
//!
//! In: two models. Out: the losses of a workload. A manifest has no running pods: the labels and ports of its template say
//! which jobs find them.

use std::collections::{BTreeMap, BTreeSet};

use crate::checks::scraping::needs::ScrapingServer;
use crate::checks::scraping::ways;
use crate::diff::losses::runs;
use crate::diff::targets::TargetChange;
use crate::model::Model;
use promgen_compile::output::WorkloadId;
use promgen_targets::resolve::labelled::Selectable as _;

/// The pods that the jobs of a side reach.
pub(crate) struct ReachedTemplates {
    jobs: BTreeMap<(WorkloadId, String), BTreeMap<String, BTreeSet<i64>>>,
    /// What makes pods: `Deployment/shop/cart`.
    makers: BTreeSet<String>,
}

impl ReachedTemplates {
    pub(crate) fn of(model: &Model) -> Self {
        model.view(&[], |view| {
            let makers = view.reach.pods.iter().filter(|pods| ways::is_plain(pods));
            let makers = makers.map(|pods| format!("{}/{}/{}", pods.kind, pods.namespace(), pods.name())).collect();
            let mut jobs = BTreeMap::new();
            for server in ScrapingServer::all(view).filter(|server| runs(server.workload)) {
                for job in server.jobs() {
                    let Some(found) = ways::pods_of_job(server, job).filter(|found| !found.is_choosy) else { continue };
                    let mut reached: BTreeMap<String, BTreeSet<i64>> = BTreeMap::new();
                    for (pods, ports) in found.pods.iter().filter(|(pods, _)| ways::is_plain(pods)) {
                        let maker = format!("{}/{}/{}", pods.kind, pods.namespace(), pods.name());
                        reached.entry(maker).or_default().extend(ports.iter().copied());
                    }
                    reached.retain(|_, ports| !ports.is_empty());
                    jobs.insert((server.workload.id.clone(), job.name.clone()), reached);
                }
            }
            Self { jobs, makers }
        })
    }

    /// The pods that a workload no longer reaches, nor any other instead.
    pub(crate) fn lost(&self, head: &Self, id: &WorkloadId) -> Vec<TargetChange> {
        let mut lost = Vec::new();
        for ((_, job), reached) in self.jobs.iter().filter(|((of, _), _)| of == id) {
            let after = head.jobs.get(&(id.clone(), job.clone()));
            let is_lost = |(maker, ports): &(&String, &BTreeSet<i64>)| {
                head.makers.contains(*maker)
                    && !after.is_some_and(|after| after.contains_key(*maker))
                    && !head.has_taken(self, maker, ports)
            };
            for (maker, ports) in reached.iter().filter(is_lost) {
                let why = match after {
                    None => "the job is dropped",
                    Some(_) => "labels or ports of its pods and of the Service no longer lead to them",
                };
                lost.extend(ports.iter().map(|port| TargetChange {
                    job: job.clone(),
                    address: format!("{maker}:{port}"),
                    why: why.to_owned(),
                    ..TargetChange::default()
                }));
            }
        }
        lost
    }

    /// Whether a job reaches pods at one of these ports, or did not reach them before.
    fn has_taken(&self, base: &Self, maker: &str, ports: &BTreeSet<i64>) -> bool {
        self.jobs.iter().any(|(job, reached)| {
            let Some(own) = reached.get(maker) else { return false };
            let is_new = !base.jobs.get(job).is_some_and(|before| before.contains_key(maker));
            is_new || own.iter().any(|port| ports.contains(port))
        })
    }
}
