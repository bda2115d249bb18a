//! A cluster of the page: its workloads, what nobody selects, its routes and its statuses.

use crate::cli::json::answers;
use crate::cli::map::MapPart;
use crate::cli::table;
use crate::cli::write::page::changes::Marks;
use crate::cli::write::page::names::Names;
use crate::cli::write::page::routing::{self, AlertsPart};
use crate::cli::write::page::workload::{self, WorkloadPart};
use crate::cli::write::page::{Cut, PlacePart, cut, map};
use crate::cli::write::status::conditions;
use promgen_answers::deliveries::Deliveries;
use promgen_answers::explain::{self, ExplanationStep, StepState};
use promgen_answers::map::FlowMap;
use promgen_answers::reachable::UnreachableJobs;
use promgen_compile::output::StatusDocument;
use promgen_model::Model;

/// The most folders, workloads, resources and conditions that a cluster shows.
const MAX_FOLDERS: usize = 200;
const MAX_WORKLOADS: usize = 300;
const MAX_UNSELECTED: usize = 300;
const MAX_CONDITIONS: usize = 600;

answers! {
    /// A cluster.
    EnvironmentPart as "ReportEnvironment" {
        /// Its link in the page.
        id: String,
        /// The folder that tells it from the others, as `promgen diff` calls it.
        title: String,
        /// Its first folders.
        folders: Vec<String>,
        /// The number of all its folders.
        n_folders: usize,
        /// The release of the operator, and where it is from.
        summary: String,
        /// The number of workloads.
        n_workloads: usize,
        /// What tells a listed workload from one of another environment: its name, and all that it says.
        #[serde(skip)]
        same: Vec<String>,
        /// The number of shards.
        n_shards: usize,
        /// The number of jobs.
        n_jobs: usize,
        /// The number of targets in the input.
        n_targets: usize,
        /// The number of resources that no workload selects.
        n_unselected: usize,
        /// The number of alerts.
        n_alerts: usize,
        /// The number of receivers that alerts reach.
        n_receivers: usize,
        /// The map: who scrapes what, and whom alerts notify; null without a workload.
        map: Option<MapPart>,
        /// The workloads.
        workloads: Vec<WorkloadPart>,
        /// The note that the workloads are cut.
        workloads_cut: Option<Cut>,
        /// The workloads that the API server refuses.
        refused: Vec<RefusedPart>,
        /// The resources that no workload selects.
        unselected: Vec<UnselectedPart>,
        /// The note that these are cut.
        unselected_cut: Option<Cut>,
        /// The alerts and who is paged.
        alerts: AlertsPart,
        /// The conditions of the expected statuses.
        statuses: Vec<StatusRow>,
        /// The note that these are cut.
        statuses_cut: Option<Cut>,
    }

    /// A workload that the API server refuses.
    RefusedPart as "ReportRefused" {
        /// Its link in the page.
        id: String,
        /// KIND/NAMESPACE/NAME.
        name: String,
        /// Why it is refused.
        why: String,
    }

    /// A resource that nobody selects.
    UnselectedPart as "ReportUnselected" {
        /// Its link in the page.
        id: String,
        /// Its kind.
        kind: &'static str,
        /// Its namespace.
        namespace: String,
        /// Its name.
        name: String,
        #[serde(flatten)]
        place: PlacePart,
        /// Why each workload does not select it.
        reasons: Vec<Reason>,
    }

    /// Why it is not selected.
    Reason as "ReportReason" {
        /// The workload; empty if the reason is the same for all.
        by: String,
        /// The statement that does not hold.
        text: String,
        /// The remedy.
        help: Vec<String>,
    }

    /// A condition of a status.
    StatusRow as "ReportStatus" {
        /// KIND NAMESPACE/NAME.
        resource: String,
        /// The number of pods that are ready, and of all.
        ready: String,
        /// The type of the condition.
        condition: String,
        /// Its status: `True`, `False` or `Unknown`.
        status: String,
        /// Its reason.
        reason: String,
        /// `good`, `bad` or nothing.
        tone: &'static str,
    }
}

/// A resource that several environments may have: its name, and its place in the manifests.
pub(super) type SharedName<'e> = (String, (Option<&'e str>, Option<usize>));

impl EnvironmentPart {
    /// What no workload selects and is listed, and the number of all of it.
    pub(super) fn unselected_once(&self) -> (Vec<SharedName<'_>>, usize) {
        let key = |of: &UnselectedPart| format!("{}/{}/{}", of.kind, of.namespace, of.name);
        let names = self.unselected.iter().map(|of| (key(of), of.place.key()));
        (names.collect(), self.n_unselected)
    }

    /// The alerts that are listed, and the number of all.
    pub(super) fn alerts_once(&self) -> (Vec<SharedName<'_>>, usize) {
        (self.alerts.keys().collect(), self.n_alerts)
    }

    /// The workloads that are listed, and the number of all.
    pub(super) fn workloads_once(&self) -> (Vec<&str>, usize) {
        (
            self.same.iter().map(String::as_str).collect(),
            self.n_workloads,
        )
    }

    /// The jobs that are listed, and the number of all.
    pub(super) fn jobs_once(&self) -> (Vec<SharedName<'_>>, usize) {
        let jobs = self.workloads.iter().flat_map(WorkloadPart::job_keys);
        (jobs.collect(), self.n_jobs)
    }

    /// The kinds of what it shows.
    pub(super) fn kinds(&self) -> impl Iterator<Item = &'static str> {
        let workloads = self.workloads.iter().map(|workload| workload.kind);
        workloads.chain(self.unselected.iter().map(|resource| resource.kind))
    }
}

/// The part about an environment.
pub(super) fn part(model: &Model, names: &Names, marks: &Marks) -> EnvironmentPart {
    let output = model.output();
    let all = &output.workloads;
    let shown = all.iter().take(MAX_WORKLOADS);
    let unreachable = UnreachableJobs::of(model);
    let part = |workload| workload::part(workload, model, &unreachable, names, marks);
    let workloads: Vec<_> = shown.clone().map(|workload| part(workload)).collect();
    let unselected = explain::unselected(model, MAX_UNSELECTED);
    let sources = &output.sources;
    let listed = unselected.first.iter().map(|(name, step)| {
        let (kind, id) = (name.kind.as_str(), name.to_string());
        let (namespace, name) = (name.namespace.clone(), name.name.clone());
        let place = PlacePart::of(step.span, sources);
        UnselectedPart {
            id: names.id(&id),
            kind,
            namespace,
            name,
            place,
            reasons: reasons(step),
        }
    });
    let listed: Vec<_> = listed.collect();
    let deliveries = Deliveries::of(model);
    let map = map::part(
        &FlowMap::of(model, &unreachable, &deliveries),
        &workloads,
        names,
    );
    let alerts = routing::part(&deliveries, sources, names);
    let statuses = statuses(&output.statuses());
    let sum = |of: fn(&WorkloadPart) -> usize| workloads.iter().map(of).sum::<usize>();
    let refused = output.refused.iter().map(|(id, why)| {
        let name = id.to_string();
        RefusedPart {
            id: names.id(&name),
            name,
            why: why.clone(),
        }
    });
    EnvironmentPart {
        id: names.id("cluster"),
        title: names.title.clone(),
        folders: names.folders.iter().take(MAX_FOLDERS).cloned().collect(),
        n_folders: names.folders.len(),
        summary: summary(model),
        n_workloads: all.len(),
        same: shown
            .map(|workload| format!("{} {:?}", workload.id, workload.resource))
            .collect(),
        n_shards: sum(|part| part.n_shards),
        n_jobs: sum(|part| part.n_jobs),
        n_targets: sum(|part| part.n_targets),
        n_unselected: unselected.total,
        n_alerts: alerts.n_alerts,
        n_receivers: alerts.n_receivers,
        map,
        workloads_cut: cut(workloads.len(), all.len(), "promgen render . -o rendered/"),
        workloads,
        refused: refused.collect(),
        unselected_cut: cut(
            listed.len(),
            unselected.total,
            "promgen explain KIND/NAMESPACE/NAME",
        ),
        unselected: listed,
        alerts,
        statuses_cut: cut(
            statuses.len().min(MAX_CONDITIONS),
            statuses.len(),
            "promgen status",
        ),
        statuses: statuses.into_iter().take(MAX_CONDITIONS).collect(),
    }
}

/// The release of the operator, and where it is from.
fn summary(model: &Model) -> String {
    let release = promgen_resources::release::tag(model.operator());
    match model.shown_operator() {
        Some(_) => format!("operator {release}, as the manifests show"),
        None => format!("operator {release}, as nothing in the input shows another"),
    }
}

/// The reasons of an explanation: of each workload, the first step that breaks.
fn reasons(step: &ExplanationStep) -> Vec<Reason> {
    let reason = |branch: &ExplanationStep| {
        let cause = first_doubt(branch);
        let is_itself = std::ptr::eq(cause, branch);
        let by = if is_itself {
            String::new()
        } else {
            branch.text.clone()
        };
        Reason {
            by,
            text: cause.text.clone(),
            help: cause.help.clone(),
        }
    };
    let broken = |step: &&ExplanationStep| step.state != StepState::Holds;
    let mut reasons: Vec<Reason> = step.steps.iter().filter(broken).map(reason).collect();
    const MAX_REASONS: usize = 8;
    let more = reasons.len().saturating_sub(MAX_REASONS);
    if more > 0 {
        reasons.truncate(MAX_REASONS);
        reasons.push(Reason {
            by: String::new(),
            text: format!("and {more} more"),
            help: Vec::new(),
        });
    }
    reasons
}

/// The deepest first step that does not hold, or else that nobody knows. Explanations are a few steps deep.
fn first_doubt(step: &ExplanationStep) -> &ExplanationStep {
    let first = |state| step.steps.iter().find(|step| step.state == state);
    let found = first(StepState::Breaks).or_else(|| first(StepState::Unknown));
    found.map_or(step, first_doubt)
}

fn statuses(documents: &[StatusDocument]) -> Vec<StatusRow> {
    let rows = conditions::rows(documents).into_iter().skip(1);
    rows.map(|row| {
        let tone = match conditions::tone(&row) {
            table::Tone::Plain => "",
            table::Tone::Good => "good",
            table::Tone::Bad => "bad",
        };
        let [namespace, resource, ready, condition, status, reason] = row;
        let (kind, name) = resource.split_once('/').unwrap_or_default();
        StatusRow {
            resource: format!("{kind} {namespace}/{name}"),
            ready,
            condition,
            status,
            reason,
            tone,
        }
    })
    .collect()
}
