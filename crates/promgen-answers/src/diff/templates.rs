//! Pods of templates that no job reaches any more, while what makes them stays.
//!
//! In: two models. Out: the losses of a workload. A manifest has no running pods: the labels and ports of its template say
//! which jobs find them.

use std::collections::{BTreeMap, BTreeSet};

use crate::diff::losses::runs;
use crate::diff::targets::{TargetChange, TargetChanges};
use promgen_compile::output::WorkloadId;
use promgen_model::Model;
use promgen_model::model::World;
use promgen_model::scraping::needs::ScrapingServer;
use promgen_model::scraping::ways;
use promgen_resources::api::ServicePort;
use promgen_resources::http_config::filled;
use promgen_targets::resolve::labelled::Selectable as _;
use promgen_targets::resolve::others::PodSource;
use promgen_text::CollectOrdered;
use promgen_text::yaml::{NodeText, StringMap};

/// The ports that a job reaches of each maker of pods.
type ReachedPorts = BTreeMap<String, BTreeSet<i64>>;

/// The pods that the jobs of a side reach.
pub(crate) struct ReachedTemplates {
    jobs: BTreeMap<(WorkloadId, String), ReachedPorts>,
    /// The maker of pods: `Deployment/shop/cart`.
    makers: BTreeMap<String, PodMaker>,
}

/// The maker of pods.
#[derive(Default)]
struct PodMaker {
    namespace: String,
    labels: StringMap,
    /// The names of the ports of its pods, and of the Services before them, by owner and number.
    port_names: BTreeMap<(String, i64), String>,
}

impl ReachedTemplates {
    pub(crate) fn of(model: &Model) -> Self {
        model.view(&[], |view| {
            let mut jobs = BTreeMap::new();
            for server in ScrapingServer::all(view).filter(|server| runs(server.workload)) {
                for job in server.jobs() {
                    let Some(found) =
                        ways::pods_of_job(server, job).filter(|found| !found.is_choosy)
                    else {
                        continue;
                    };
                    let mut reached = ReachedPorts::new();
                    for pods in found.pods.iter().filter(|pods| ways::is_plain(pods.source)) {
                        reached
                            .entry(name(pods.source))
                            .or_default()
                            .extend(&pods.ports);
                    }
                    reached.retain(|_, ports| !ports.is_empty());
                    jobs.insert((server.workload.id.clone(), job.name.clone()), reached);
                }
            }
            Self {
                jobs,
                makers: makers(view),
            }
        })
    }

    /// The pods that a workload no longer reaches, nor any other instead.
    pub(crate) fn lost(&self, head: &Self, id: &WorkloadId) -> Vec<TargetChange> {
        let mut lost = Vec::new();
        let moved = self.moved(head);
        for ((_, job), reached) in self.jobs.iter().filter(|((of, _), _)| of == id) {
            let after = head.jobs.get(&(id.clone(), job.clone()));
            let is_lost = |(maker, ports): &(&String, &BTreeSet<i64>)| {
                let Some(maker) = head.successor(&moved, maker) else {
                    return false;
                };
                !after.is_some_and(|after| after.contains_key(maker))
                    && !head.has_taken(self, maker, ports)
            };
            let gone: Vec<_> = reached.iter().filter(is_lost).collect();
            for (maker, ports) in gone
                .iter()
                .filter(|(maker, _)| !self.is_pod_of(maker, &gone))
            {
                let why = match after {
                    None => "the job is dropped".to_owned(),
                    Some(_) => self.why_unled(head, maker, head.successor(&moved, maker)),
                };
                lost.extend(ports.iter().map(|port| TargetChange {
                    job: job.clone(),
                    address: format!("{maker}:{port}"),
                    why: why.clone(),
                    ..TargetChange::default()
                }));
            }
        }
        lost
    }

    /// The makers of the base that the head has in another namespace, with the only new one of their kind, name and labels.
    fn moved<'m>(&'m self, head: &'m Self) -> BTreeMap<&'m str, &'m str> {
        let alone = |of: &'m Self, other: &Self| {
            let mut alone: BTreeMap<_, Vec<&'m str>> = BTreeMap::new();
            for (name, maker) in of
                .makers
                .iter()
                .filter(|(name, _)| !other.makers.contains_key(*name))
            {
                alone
                    .entry((kind_and_name(name), &maker.labels))
                    .or_default()
                    .push(name);
            }
            alone
        };
        let new = alone(head, self);
        let only = |of| match new.get(of).map(Vec::as_slice) {
            Some([only]) => Some(*only),
            _ => None,
        };
        let old = alone(self, head);
        old.iter()
            .flat_map(|(of, names)| {
                names
                    .iter()
                    .filter_map(move |name| Some((*name, only(of)?)))
            })
            .collect_map()
    }

    /// The maker that has the place of one of the base: itself, or where it moved.
    fn successor<'m>(&self, moved: &BTreeMap<&'m str, &'m str>, maker: &'m str) -> Option<&'m str> {
        if self.makers.contains_key(maker) {
            Some(maker)
        } else {
            moved.get(maker).copied()
        }
    }

    /// Returns whether a maker is a Pod that another of these makes.
    fn is_pod_of(&self, maker: &str, others: &[(&String, &BTreeSet<i64>)]) -> bool {
        let Some(pod) = self.makers.get(maker).filter(|_| maker.starts_with("Pod/")) else {
            return false;
        };
        let templates = others
            .iter()
            .filter(|(other, _)| !other.starts_with("Pod/"));
        templates
            .filter_map(|(other, _)| self.makers.get(*other))
            .any(|template| template.makes(pod))
    }

    /// Why a job of the head does not lead to pods.
    fn why_unled(&self, head: &Self, maker: &str, successor: Option<&str>) -> String {
        let (old, new) = (
            self.makers.get(maker),
            successor.and_then(|now| head.makers.get(now)),
        );
        if let (Some(old), Some(new)) = (old, new)
            && old.namespace != new.namespace
        {
            return format!(
                "its pods are in namespace {} now, where no job looks for them",
                new.namespace
            );
        }
        match old.zip(new).and_then(|(old, new)| old.renamed_port(new)) {
            Some((old, new)) => format!("port {old:?} is now {new:?}"),
            None => {
                "labels or ports of its pods and of the Service no longer lead to them".to_owned()
            }
        }
    }

    /// Returns whether a job reaches pods at one of these ports, or did not reach them before.
    fn has_taken(&self, base: &Self, maker: &str, ports: &BTreeSet<i64>) -> bool {
        self.jobs.iter().any(|(job, reached)| {
            let Some(own) = reached.get(maker) else {
                return false;
            };
            let is_new = !base
                .jobs
                .get(job)
                .is_some_and(|before| before.contains_key(maker));
            is_new || own.iter().any(|port| ports.contains(port))
        })
    }

    /// Returns whether a discovered target of a job is of lost pods: it has their port, and the job reaches no others
    /// at it. What discovers it is older than the template.
    fn is_lost_with(&self, id: &WorkloadId, target: &TargetChange, lost: &[TargetChange]) -> bool {
        let Some(port) = port(&target.address) else {
            return false;
        };
        let namespace = target.source.split('/').nth(1);
        let is_of = |maker: &str| {
            self.makers
                .get(maker)
                .is_some_and(|maker| Some(&*maker.namespace) == namespace)
        };
        let left = self.jobs.get(&(id.clone(), target.job.clone()));
        let is_left = left
            .into_iter()
            .flatten()
            .any(|(maker, ports)| is_of(maker) && ports.contains(&port));
        let is_gone = |pods: &TargetChange| {
            let maker = pods.address.rsplit_once(':').map_or("", |(maker, _)| maker);
            pods.job == target.job && self::port(&pods.address) == Some(port) && is_of(maker)
        };
        !is_left && lost.iter().any(is_gone)
    }

    /// Adds lost pods of templates to the changes of a workload, each once. `self` is of the head.
    pub(crate) fn add_lost(
        &self,
        id: &WorkloadId,
        lost: Vec<TargetChange>,
        changes: &mut TargetChanges,
    ) {
        changes
            .moved
            .retain(|target| !self.is_lost_with(id, target, &lost));
        changes.lost = lost.into_iter().collect();
    }
}

impl PodMaker {
    /// Returns whether a Pod is one of its pods, by their labels.
    fn makes(&self, pod: &Self) -> bool {
        let has = |(key, value): (&NodeText, &NodeText)| pod.labels.get(&**key) == Some(value);
        self.namespace == pod.namespace && !self.labels.is_empty() && self.labels.iter().all(has)
    }

    /// The old and the new name of its port, if nothing else of it that jobs look for differs.
    fn renamed_port<'a>(&'a self, new: &'a Self) -> Option<(&'a str, &'a str)> {
        let numbers_differ = !self.port_names.keys().eq(new.port_names.keys());
        if self.labels != new.labels || numbers_differ {
            return None;
        }
        let pairs = self
            .port_names
            .values()
            .map(String::as_str)
            .zip(new.port_names.values().map(String::as_str));
        let renamed: BTreeSet<_> = pairs
            .filter(|(old, new)| old != new && !old.is_empty() && !new.is_empty())
            .collect_set();
        let mut renamed = renamed.into_iter();
        renamed.next().filter(|_| renamed.next().is_none())
    }
}

/// The makers of pods, with the names of all ports on the way to them.
fn makers(view: &World<'_>) -> BTreeMap<String, PodMaker> {
    let mut makers: BTreeMap<String, PodMaker> = BTreeMap::new();
    for pods in view.reach.pods.iter().filter(|pods| ways::is_plain(pods)) {
        let ports = pods
            .ports()
            .map(|port| ((String::new(), port.number), port.name.to_owned()));
        let (namespace, labels) = (pods.namespace().to_owned(), pods.labels().clone());
        makers.insert(
            name(pods),
            PodMaker {
                namespace,
                labels,
                port_names: ports.collect(),
            },
        );
    }
    for service in view
        .reach
        .services
        .iter()
        .filter(|service| !service.is_anywhere())
    {
        let found = view.reach.pods_behind(service);
        for pods in view.reach.pods.all(&found) {
            let Some(maker) = makers.get_mut(&name(pods)) else {
                continue;
            };
            let named = |port: &ServicePort| {
                let name = filled(port.name.as_deref()).unwrap_or_default().to_owned();
                ((service.name().to_owned(), i64::from(port.port)), name)
            };
            maker.port_names.extend(service.ports().iter().map(named));
        }
    }
    makers
}

fn name(pods: &PodSource) -> String {
    format!("{}/{}/{}", pods.kind, pods.namespace(), pods.name())
}

/// The kind and the name of a maker.
fn kind_and_name(maker: &str) -> Option<(&str, &str)> {
    let (kind, rest) = maker.split_once('/')?;
    Some((kind, rest.split_once('/')?.1))
}

/// The port of an address.
fn port(address: &str) -> Option<i64> {
    address.rsplit_once(':')?.1.parse().ok()
}
