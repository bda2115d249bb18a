//! Makes the map of a model, with a box for each resource.

use std::collections::BTreeSet;

use crate::deliveries::{Deliveries, Delivery};
use crate::map::draft::FlowDraft;
use crate::map::{FlowBox, FlowLine, FlowMap, FlowSubject};
use crate::reachable::UnreachableJobs;
use promgen_compile::cluster::Object;
use promgen_compile::output::{Workload, WorkloadId, WorkloadKind};
use promgen_compile::workload::stand_in;
use promgen_model::Model;
use promgen_model::model::lineage::readers::{ReaderOwner, SeriesReader};
use promgen_prometheus::routing::Alert;
use promgen_resources::api::{Alertmanager, Kind};
use promgen_resources::secrecy::REDACTED;
use promgen_text::diag::count::counted;

impl FlowMap {
    /// The whole map of a model.
    #[must_use]
    pub fn of(model: &Model, unreachable: &UnreachableJobs, deliveries: &Deliveries<'_>) -> Self {
        let mut draft = FlowDraft::default();
        for workload in model.output().each_workload() {
            draft.workload(workload, unreachable);
        }
        for alertmanager in model.cluster().alertmanagers.values() {
            draft.global_configuration(alertmanager);
        }
        let (_, unselected) = stand_in::by_selection(model.cluster());
        for ((kind, key), _) in unselected
            .iter()
            .filter(|((kind, _), _)| Kind::SELECTED.contains(kind))
        {
            let new = resource(*kind, key.namespace(), key.name());
            draft.add(FlowBox {
                is_selected: false,
                ..new
            });
        }
        draft.readers(model);
        if deliveries.excess().is_none() {
            // One for each namespace of its series.
            let is_one = |a: &Alert, b: &Alert| a.span.is_some() && a.span == b.span;
            deliveries
                .alerts()
                .chunk_by(is_one)
                .for_each(|alerts| draft.alert(alerts, deliveries));
        }
        draft.finished()
    }
}

/// The box of a resource.
fn resource(kind: Kind, namespace: &str, name: &str) -> FlowBox {
    let kinds = [(kind.as_str(), 1)].into_iter().collect();
    FlowBox {
        kinds,
        ..FlowBox::new(FlowSubject::resource(kind, namespace, name))
    }
}

/// The size of a workload, in a few words.
fn size(workload: &Workload) -> String {
    let n_shards = if workload.id.kind.has_shards() {
        workload.plan.shards.len()
    } else {
        0
    };
    if n_shards == 0 {
        return workload.id.kind.kind().to_owned();
    }
    let n_zones = workload.plan.zones.len();
    let zones = if n_zones > 0 {
        format!(" in {}", counted(n_zones, "zone"))
    } else {
        String::new()
    };
    let n_jobs = workload
        .config
        .as_ref()
        .map_or(0, |config| config.jobs.len());
    format!(
        "{}{zones}, {}",
        counted(n_shards, "shard"),
        counted(n_jobs, "job")
    )
}

impl FlowDraft {
    fn workload(&mut self, workload: &Workload, unreachable: &UnreachableJobs) {
        let subject = FlowSubject::Workload(workload.id.clone());
        let is_broken = workload.error.is_some();
        let own = self.add(FlowBox {
            size: size(workload),
            is_broken,
            ..FlowBox::new(subject)
        });
        for of_kind in &workload.selected.kinds {
            let Some(kind) = Kind::SELECTED
                .iter()
                .copied()
                .find(|kind| kind.as_str() == of_kind.kind)
            else {
                continue;
            };
            for selected in &of_kind.resources {
                let new = resource(kind, &selected.namespace, &selected.name);
                let at = self.find(&new.subject);
                let at = at.unwrap_or_else(|| self.add(new));
                let is_refused = selected.refusal.is_some();
                self.get(at).n_refused |= usize::from(is_refused);
                // Rules go from the server; what is scraped, and configurations, come to it.
                let (from, to) = if kind == Kind::PrometheusRule {
                    (own, at)
                } else {
                    (at, own)
                };
                self.connect(FlowLine::of_resource(from, to));
            }
        }
        for (job, _) in unreachable.of_workload(&workload.id) {
            if let Some(at) = self.of_job(job) {
                self.get(at).unreached.insert(job.to_owned());
            }
        }
    }

    /// The rules and dashboards that read series, and what of them surely finds none.
    fn readers(&mut self, model: &Model) {
        for SeriesReader { of, why, .. } in model.readers() {
            let n_without_series = usize::from(why.is_some());
            match of {
                ReaderOwner::Rules(resource) => {
                    let Some((namespace, name)) = resource.split_once('/') else {
                        continue;
                    };
                    let subject = FlowSubject::resource(Kind::PrometheusRule, namespace, name);
                    let Some(at) = self.find(&subject) else {
                        continue;
                    };
                    let known = self.get(at);
                    known.n_readers += 1;
                    known.n_without_series += n_without_series;
                }
                ReaderOwner::Dashboard {
                    namespace,
                    title,
                    servers,
                } => {
                    let subject = FlowSubject::Dashboard(namespace.clone(), title.clone());
                    let kinds = self
                        .find(&subject)
                        .is_none()
                        .then_some(("dashboard", 1))
                        .into_iter()
                        .collect();
                    let new = FlowBox {
                        kinds,
                        n_readers: 1,
                        n_without_series,
                        ..FlowBox::new(subject)
                    };
                    let at = self.add(new);
                    for server in servers {
                        if let Some(server) = self.find(&FlowSubject::Workload(server.clone())) {
                            self.connect(FlowLine::of_expression(server, at));
                        }
                    }
                }
            }
        }
    }

    /// The configuration that an Alertmanager names, instead of selecting it.
    fn global_configuration(&mut self, alertmanager: &Object<Alertmanager>) {
        let named = alertmanager
            .value
            .spec
            .alertmanager_configuration
            .as_ref()
            .and_then(|by| by.name.as_deref());
        let (namespace, own) = (
            alertmanager.namespace().to_owned(),
            &alertmanager.value.metadata.name,
        );
        let id = WorkloadId {
            kind: WorkloadKind::Alertmanager,
            namespace: namespace.clone(),
            name: own.to_string(),
        };
        let Some(to) = self.find(&FlowSubject::Workload(id)) else {
            return;
        };
        if let Some(name) = named {
            let from = self.add(resource(Kind::AlertmanagerConfig, &namespace, name));
            self.connect(FlowLine::of_resource(from, to));
        }
    }

    /// The box of the monitor that a job is from: `serviceMonitor/shop/cart/0`.
    fn of_job(&self, job: &str) -> Option<usize> {
        self.find(&subject_of_job(job)?)
    }

    /// An alert of a rule that somebody evaluates, through the Alertmanagers to its receivers.
    fn alert(&mut self, alerts: &[Alert], deliveries: &Deliveries<'_>) {
        let Some(first) = alerts.first() else { return };
        let Some((namespace, name)) = first.resource.split_once('/') else {
            return;
        };
        let rule = FlowSubject::resource(Kind::PrometheusRule, namespace, name);
        let Some(from) = self.find(&rule) else { return };
        if deliveries.nobody(first).is_some() {
            self.get(from).n_unheard += 1;
            return;
        }
        let (mut through, mut told) = (BTreeSet::new(), BTreeSet::new());
        for delivery in alerts.iter().flat_map(|alert| deliveries.of_alert(alert)) {
            let Some(by) = self.find(&FlowSubject::Workload(delivery.by.id.clone())) else {
                continue;
            };
            if through.insert(by) {
                self.connect(FlowLine::of_alert(from, by, from));
            }
            if let Some(receiver) = receiver(&delivery) {
                let to = self.add(FlowBox::new(receiver));
                if told.insert((by, to)) {
                    self.connect(FlowLine::of_alert(by, to, from));
                }
            }
        }
        if told.is_empty() {
            let nobody = self.add(FlowBox::new(FlowSubject::Nobody));
            through
                .into_iter()
                .for_each(|by| self.connect(FlowLine::of_alert(by, nobody, from)));
        }
    }
}

/// The receiver of a notification. `None` if it has no integrations.
fn receiver(Delivery { tree, node, .. }: &Delivery<'_>) -> Option<FlowSubject> {
    let integrations = tree
        .receivers
        .get(&node.receiver.value)
        .filter(|integrations| !integrations.is_empty())?;
    let name = if node.receiver.is_secret {
        REDACTED
    } else {
        &node.receiver.value
    };
    Some(FlowSubject::Receiver(
        name.to_owned(),
        integrations.join(", "),
    ))
}

/// The monitor that a job is from. `None` for jobs that are from none.
pub(super) fn subject_of_job(job: &str) -> Option<FlowSubject> {
    let mut parts = job.split('/');
    let kind = Kind::of_word(parts.next()?).filter(|kind| Kind::SELECTED.contains(kind))?;
    let (namespace, name) = (parts.next()?, parts.next()?);
    Some(FlowSubject::resource(kind, namespace, name))
}
