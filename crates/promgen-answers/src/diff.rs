//! The changes from one output to another, in meaning.
//!
//! In: two compiled outputs with what targets are discovered from, their alerts and findings. Out: [`Changes`], by workload and
//! subject; one file each. Pure: reads values, never the emitted text. Every file of the rendered tree that differs is
//! named, and nothing is named that does not differ. Lists are bounded, and values of Secrets are not shown.

pub(crate) mod causes;
pub mod files;
pub mod findings;
pub mod jobs;
pub mod listed;
pub mod losses;
pub mod objects;
pub mod outline;
pub mod routes;
pub mod rules;
pub mod selection;
pub mod series;
pub mod shards;
mod stale;
pub mod statuses;
mod stored;
pub mod targets;
mod templates;
mod upgrade;
pub mod value;

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};

use crate::deliveries::Deliveries;
use causes::Causes;
use files::{FileChange, FilePair};
use findings::FindingChanges;
use jobs::{JobChanges, Revealed};
use listed::Listed;
use losses::{Losses, Runs};
use objects::{ObjectChange, ObjectPair, Restart};
use promgen_compile::output::{FileSubject, Output, Workload, WorkloadId, WorkloadKind};
use promgen_model::Model;
use promgen_prometheus::routing::{Alert, RoutingTree};
use promgen_targets::discovery::Discovery;
use promgen_text::CollectOrdered;
use promgen_text::limits::{Excess, Limits};
use promgen_text::yaml::Value;
use routes::{RouteChange, RoutedSide};
use rules::RuleChange;
use selection::{SelectionChange, Selections};
use series::{PossibleLoss, SeriesChange};
use shards::ShardChanges;
use statuses::ResourceChange;
use targets::meter::Meter;
use targets::{Scraper, Scraping, TargetChanges};
use templates::ReachedTemplates;
use value::{Change, FieldChange, Shades};

/// One side of a comparison.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// The model.
    pub model: &'a Model,
    /// The output, without values of Secrets.
    pub output: &'a Output,
    /// The objects that targets are discovered from.
    pub discovery: &'a Discovery,
    /// The alerts of its rules.
    pub alerts: &'a [Alert],
    /// The output with values of Secrets, which are compared and not shown.
    pub revealed: Option<&'a Output>,
}

impl Side<'_> {
    /// An Alertmanager of this side, and its alerts.
    fn routed<'r>(&'r self, id: &'r WorkloadId, tree: &'r RoutingTree) -> RoutedSide<'r> {
        RoutedSide {
            id,
            tree,
            alerts: self.alerts,
            senders: self.model.senders(),
        }
    }
}

changes! {
    /// Everything that differs.
    #[derive(Default)]
    Changes {
        /// The environments that only one side has.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        environments: Vec<EnvironmentChange>,
        /// The releases of the operator that the input shows, where they differ.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        operators: Vec<OperatorChange>,
        /// The workloads that differ, and what stands in for those that are elsewhere.
        workloads: Vec<WorkloadChanges>,
        /// The other resources of which the output has a status, that differ.
        #[serde(skip_serializing_if = "Listed::is_empty")]
        resources: Listed<ResourceChange>,
        /// The rules and dashboards that lose what they read, or find it again.
        #[serde(skip_serializing_if = "Listed::is_empty")]
        series: Listed<SeriesChange>,
        /// The rules and dashboards that may lose what they read, by cause.
        #[serde(skip_serializing_if = "Listed::is_empty")]
        possible_losses: Listed<PossibleLoss>,
        /// The findings that only one side has.
        #[serde(skip_serializing_if = "FindingChanges::is_empty")]
        findings: FindingChanges,
        /// The files of the rendered tree that differ.
        #[serde(skip_serializing_if = "Listed::is_empty")]
        files: Listed<FileChange>,
        /// The number of these that nothing else names.
        n_other_files: usize,
        /// If nothing else differs: the resources that are written in another way.
        #[serde(skip_serializing_if = "Listed::is_empty")]
        only_written: Listed<WrittenChange>,
        /// The number of alerts of the base, by name and severity, that the head lacks.
        #[serde(skip)]
        n_lost_alerts: usize,
        /// The limits that the comparison exceeds, each with what exceeds it.
        #[serde(skip)]
        exceeded: Vec<(Excess, &'static str)>,
    }

    /// An environment that only one side has.
    EnvironmentChange {
        /// Its folder.
        environment: String,
        /// The kind of change.
        change: Change,
    }

    /// A release of the operator that the input shows on both sides.
    OperatorChange {
        /// The environment, if there are several.
        environment?: String,
        /// The release of the base.
        from: String,
        /// That of the head.
        to: String,
    }

    /// A resource of the operator, or a release of a chart, that is written in another way.
    #[derive(PartialOrd, Ord)]
    WrittenChange {
        /// Kind, namespace and name.
        resource: String,
        /// The kind of change.
        change: Change,
    }

    /// The differences of a workload.
    #[derive(Default)]
    WorkloadChanges {
        /// Kind, namespace and name.
        workload: String,
        /// Its environment, if there are several.
        environment?: String,
        /// Whether it stands in for workloads that are elsewhere: what no workload in the input selects.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        is_stand_in: bool,
        /// The kind of change.
        change: Change,
        /// Why the cluster keeps its objects, jobs and targets as they are, if it does; or why the base says nothing about them.
        kept?: KeptState,
        /// The version of Prometheus, if it differs.
        version?: FieldChange,
        /// What the version does to what the workload scrapes and evaluates, though nothing else says so.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        upgrade: Vec<String>,
        /// What running pods keep although the manifests say something else: the size of claims, and what containers read when they
        /// start.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        stale: Vec<String>,
        /// The error with which the operator stops, if it differs.
        error?: FieldChange,
        /// Its shards and zones.
        shards?: ShardChanges,
        /// The fields of the custom resource.
        #[serde(skip_serializing_if = "Listed::is_empty")]
        fields: Listed<FieldChange>,
        /// The selection.
        #[serde(skip_serializing_if = "Listed::is_empty")]
        selection: Listed<SelectionChange>,
        /// Whether its pods stop or start, because `replicas` becomes 0, or was it.
        pods?: Change,
        /// The parts that it no longer runs.
        #[serde(skip)]
        losses: Losses,
        /// Its jobs.
        #[serde(skip_serializing_if = "JobChanges::is_empty")]
        jobs: JobChanges,
        /// The other settings of its configuration.
        #[serde(skip_serializing_if = "Listed::is_empty")]
        settings: Listed<FieldChange>,
        /// Its targets.
        #[serde(skip_serializing_if = "TargetChanges::is_empty")]
        targets: TargetChanges,
        /// The pods that restart.
        #[serde(skip_serializing_if = "Listed::is_empty")]
        restarts: Listed<Restart>,
        /// Its objects.
        #[serde(skip_serializing_if = "Listed::is_empty")]
        objects: Listed<ObjectChange>,
        /// Its alerts and recording rules.
        #[serde(skip_serializing_if = "Listed::is_empty")]
        rules: Listed<RuleChange>,
        /// Alerts that reach other receivers.
        #[serde(skip_serializing_if = "Listed::is_empty")]
        routes: Listed<RouteChange>,
        /// Its expected status.
        #[serde(skip_serializing_if = "Listed::is_empty")]
        status: Listed<FieldChange>,
    }
}

changes! {
    /// Why the cluster keeps the state of a workload.
    #[derive(Copy)]
    enum KeptState {
        /// The head pauses it.
        Paused,
        /// The API server refuses it.
        Refused,
        /// The API server refuses the base: the cluster has what was there before, if anything.
        WasRefused,
    }
}

impl WorkloadChanges {
    /// Returns whether nothing differs. What is not followed is no difference.
    pub(crate) fn says_nothing(&self) -> bool {
        let targets = TargetChanges {
            unknown: self.targets.unknown.clone(),
            ..TargetChanges::default()
        };
        let (workload, is_stand_in) = (self.workload.clone(), self.is_stand_in);
        *self
            == Self {
                workload,
                is_stand_in,
                targets,
                ..Self::default()
            }
    }
}

impl Changes {
    /// Returns whether nothing differs.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        let has_resources =
            !self.workloads.is_empty() || !self.resources.is_empty() || !self.files.is_empty();
        self.environments.is_empty()
            && self.operators.is_empty()
            && !has_resources
            && self.series.is_empty()
            && self.possible_losses.is_empty()
            && self.findings.is_empty()
    }

    /// Adds those of another environment.
    pub(crate) fn append(&mut self, other: Self) {
        self.environments.extend(other.environments);
        self.operators.extend(other.operators);
        self.workloads.extend(other.workloads);
        self.resources.append(other.resources);
        self.series.append(other.series);
        self.possible_losses.append(other.possible_losses);
        self.files.append(other.files);
        self.n_other_files += other.n_other_files;
        self.n_lost_alerts += other.n_lost_alerts;
        for excess in other.exceeded {
            if !self.exceeded.contains(&excess) {
                self.exceeded.push(excess);
            }
        }
    }

    /// The number of rules and panels that lose what they read.
    #[must_use]
    pub fn n_lost_readers(&self) -> usize {
        let n_listed = self
            .series
            .items
            .iter()
            .filter(|of| of.change == Change::Removed)
            .count();
        n_listed + self.series.n_left_out()
    }

    /// The number of rules and panels that may lose what they read.
    #[must_use]
    pub fn n_possibly_lost_readers(&self) -> usize {
        let losses = self.possible_losses.items.iter();
        let of_jobs = losses.filter(|of| !of.is_of_any_job);
        of_jobs.map(|of| of.readers.total).sum()
    }

    /// The number of targets that are lost.
    #[must_use]
    pub fn n_lost(&self) -> usize {
        self.workloads
            .iter()
            .map(|workload| workload.targets.lost.total)
            .sum()
    }
}

/// Compares two sides.
pub(crate) fn diff(
    base: Side<'_>,
    head: Side<'_>,
    selections: &Selections,
    shades: &Shades,
    limits: Limits,
) -> Changes {
    let meter = Meter::new(limits);
    let mut pairs = files::differing(base.output, head.output);
    let kept = kept(base, head);
    // What the operator leaves alone is still there.
    pairs.retain(|pair| pair.head.is_some() || !kept.contains_key(&pair.owner));
    let mut by_owner: BTreeMap<&str, Vec<&FilePair<'_>>> = BTreeMap::new();
    for pair in &pairs {
        by_owner.entry(&pair.owner).or_default().push(pair);
    }
    let ids: BTreeSet<&WorkloadId> = base
        .output
        .workloads
        .iter()
        .chain(&head.output.workloads)
        .map(|w| &w.id)
        .collect_set();
    let runs = Runs::new(base, head, &kept);
    let gained = LazyCell::new(|| gained(base, head, &meter));
    let templates = LazyCell::new(|| [base, head].map(|side| ReachedTemplates::of(side.model)));
    let compared: Vec<WorkloadChanges> = ids
        .into_iter()
        .map(|id| {
            let files = by_owner
                .get(id.to_string().as_str())
                .map_or(&[][..], Vec::as_slice);
            let (selection, gained, templates) =
                (selections.get(id), &|| &*gained, &|| &*templates);
            let comparison = WorkloadComparison {
                base,
                head,
                kept: &kept,
                runs: &runs,
                shades,
                selection,
                files,
                gained,
                templates,
                meter: &meter,
            };
            comparison.workload(id)
        })
        .collect();
    let resources = statuses::changes(base.output, head.output, shades);
    let mut changes = Changes {
        resources,
        ..Changes::default()
    };
    let named: BTreeMap<&str, &WorkloadChanges> = compared
        .iter()
        .map(|w| (w.workload.as_str(), w))
        .collect_map();
    let of_resources: BTreeSet<&str> = changes
        .resources
        .items
        .iter()
        .map(|r| r.resource.as_str())
        .collect_set();
    for pair in &pairs {
        let is_named = match named.get(pair.owner.as_str()) {
            Some(workload) => names(workload, pair),
            None => {
                of_resources.contains(pair.owner.as_str()) || changes.resources.n_left_out() > 0
            }
        };
        changes.n_other_files += usize::from(!is_named);
        changes.files.push(pair.listed(!is_named, false));
    }
    if let (Some(old), Some(new)) = (base.revealed, head.revealed) {
        add_secrets(old, new, &pairs, &named, &kept, &mut changes);
    }
    changes.n_lost_alerts = runs.n_lost_alerts(base.alerts, head.alerts);
    changes.exceeded = meter.into_exceeded();
    changes.workloads = compared
        .into_iter()
        .filter(|workload| !workload.says_nothing())
        .collect();
    changes
}

/// The workloads whose state in the cluster is another one than the manifests give, each with the reason.
type KeptStates = BTreeMap<String, KeptState>;

/// The workloads of which the cluster keeps what the base makes of them, because the head pauses them, or is refused; and those
/// whose base is refused.
fn kept(base: Side<'_>, head: Side<'_>) -> KeptStates {
    let paused = |side: Side<'_>| -> BTreeMap<String, bool> {
        let all = side.output.workloads.iter();
        all.map(|of| (of.id.to_string(), of.is_paused()))
            .collect_map()
    };
    let (old, new) = (paused(base), paused(head));
    let mut kept = KeptStates::new();
    for (workload, _) in old
        .iter()
        .filter(|(workload, is_paused)| !**is_paused && new.get(*workload) == Some(&true))
    {
        kept.insert(workload.clone(), KeptState::Paused);
    }
    let refused = |side: Side<'_>| {
        side.output
            .refused
            .iter()
            .map(|(id, _)| id.to_string())
            .collect_set()
    };
    let is_lost = |workload: &String| old.contains_key(workload) && !new.contains_key(workload);
    kept.extend(
        refused(head)
            .into_iter()
            .filter(is_lost)
            .map(|workload| (workload, KeptState::Refused)),
    );
    let is_won = |workload: &String| new.contains_key(workload) && !old.contains_key(workload);
    kept.extend(
        refused(base)
            .into_iter()
            .filter(is_won)
            .map(|workload| (workload, KeptState::WasRefused)),
    );
    kept
}

/// The targets that workloads of the head begin to scrape: a target that another one loses may be theirs.
fn gained(base: Side<'_>, head: Side<'_>, meter: &Meter) -> Scraping {
    let mut all = Scraping::new();
    for workload in head
        .output
        .workloads
        .iter()
        .filter(|workload| losses::runs(workload))
    {
        let of = Scraper {
            workload,
            discovery: head.discovery,
        };
        let mut begun =
            targets::scraping(of, |job| format!("{} of {}", job.name, workload.id), meter);
        let before = base
            .output
            .workloads
            .iter()
            .find(|before| before.id == workload.id);
        if let Some(before) = before.filter(|before| losses::runs(before)) {
            let of = Scraper {
                workload: before,
                discovery: base.discovery,
            };
            let before = targets::scraping(of, |job| job.name.clone(), meter);
            begun.retain(|target, _| !before.contains_key(target));
        }
        for (target, by) in begun {
            all.entry(target).or_insert(by);
        }
    }
    all
}

/// Adds the files in which only values of Secrets differ.
fn add_secrets(
    old: &Output,
    new: &Output,
    shown: &[FilePair<'_>],
    named: &BTreeMap<&str, &WorkloadChanges>,
    kept: &KeptStates,
    changes: &mut Changes,
) {
    let known: BTreeSet<&str> = shown.iter().map(|pair| pair.path.as_str()).collect_set();
    let is_left = |pair: &FilePair<'_>| pair.head.is_none() && kept.contains_key(&pair.owner);
    let is_new = |pair: &FilePair<'_>| !known.contains(pair.path.as_str()) && !is_left(pair);
    for pair in files::differing(old, new).into_iter().filter(is_new) {
        let is_named = named
            .get(pair.owner.as_str())
            .is_some_and(|w| names(w, &pair));
        changes.n_other_files += usize::from(!is_named);
        changes.files.push(pair.listed(!is_named, true));
    }
}

/// Returns whether the changes of a workload name the difference of a file.
fn names(workload: &WorkloadChanges, pair: &FilePair<'_>) -> bool {
    if workload.kept.is_some() || workload.change != Change::Changed {
        return true;
    }
    let has_config =
        !workload.jobs.is_empty() || !workload.settings.is_empty() || workload.shards.is_some();
    let Some(file) = pair.head.as_ref().or(pair.base.as_ref()) else {
        return false;
    };
    match file.file_subject() {
        FileSubject::Config => has_config || workload.error.is_some(),
        FileSubject::WebConfig => !workload.settings.is_empty(),
        FileSubject::Rules => {
            let name = pair.path.rsplit('/').next().unwrap_or_default();
            workload.rules.n_left_out() > 0
                || workload.rules.items.iter().any(|rule| rule.file == name)
        }
        FileSubject::Object => {
            let carries =
                matches!((&pair.base, &pair.head), (Some(a), Some(b)) if a.carries_other(b));
            let object = file.object();
            let object = object.as_deref();
            let kind = object
                .and_then(|object| object.text_of("kind"))
                .unwrap_or_default();
            let name = object.and_then(Value::object_name).unwrap_or_default();
            let is_it = |change: &ObjectChange| {
                change.kind == kind && change.names.items.iter().any(|of| of == name)
            };
            let is_listed =
                workload.objects.items.iter().any(is_it) || workload.objects.n_left_out() > 0;
            is_listed || carries && has_config
        }
        FileSubject::Resource => !workload.fields.is_empty() || !workload.status.is_empty(),
        FileSubject::Selection => !workload.selection.is_empty() || workload.error.is_some(),
        FileSubject::Error => workload.error.is_some(),
        FileSubject::List => false,
    }
}

/// The inputs of the comparison of a workload.
struct WorkloadComparison<'a> {
    base: Side<'a>,
    head: Side<'a>,
    kept: &'a KeptStates,
    runs: &'a Runs<'a>,
    shades: &'a Shades,
    selection: Option<&'a Listed<SelectionChange>>,
    files: &'a [&'a FilePair<'a>],
    gained: &'a dyn Fn() -> &'a Scraping,
    templates: &'a dyn Fn() -> &'a [ReachedTemplates; 2],
    meter: &'a Meter,
}

impl<'a> WorkloadComparison<'a> {
    fn workload(&self, id: &WorkloadId) -> WorkloadChanges {
        let all = |side: Side<'a>| side.output.each_workload();
        let of = |side: Side<'a>| all(side).find(|workload: &&Workload| workload.id == *id);
        let (old, new) = (of(self.base), of(self.head));
        let change = Change::of(old.is_some(), new.is_some());
        let mut found = WorkloadChanges {
            workload: id.to_string(),
            change,
            ..WorkloadChanges::default()
        };
        let scraper = |side: Side<'a>, workload: Option<&'a Workload>| {
            let running = workload.filter(|workload| losses::runs(workload));
            running.map(|workload| Scraper {
                workload,
                discovery: side.discovery,
            })
        };
        found.kept = self.kept.get(&found.workload).copied();
        if matches!(found.kept, Some(KeptState::Paused | KeptState::Refused)) {
            found.change = Change::Changed;
            if let (Some(old), Some(new)) = (old, new) {
                self.resource(old, new, &mut found);
            }
            return found;
        }
        found.pods = pods(old, new);
        found.losses = self.runs.losses(id);
        found.targets = targets::changes(
            scraper(self.base, old),
            scraper(self.head, new),
            self.gained,
            self.meter,
        );
        if found.targets.lost.is_empty()
            && old.is_some_and(|old| !old.is_stand_in && losses::runs(old))
        {
            let [base, head] = (self.templates)();
            head.add_lost(id, base.lost(head, id), &mut found.targets);
        }
        let own = old.filter(|old| !old.is_stand_in && new.is_none());
        if let Some(tree) = own.and_then(|own| own.routing.as_ref()) {
            found.routes = self.unheard(id, tree);
        }
        if let (Some(old), Some(new)) = (old, new) {
            self.both(old, new, &mut found);
            if old.plan.shards.len() != new.plan.shards.len()
                && self.has_no_pods(new)
                && found.targets.is_empty()
            {
                found
                    .targets
                    .unknown
                    .push("which targets move is not known: the input has no pods".to_owned());
            }
        }
        found
    }

    /// The alerts of which nobody notifies once an Alertmanager is gone.
    fn unheard(&self, id: &WorkloadId, tree: &RoutingTree) -> Listed<RouteChange> {
        let head = Deliveries::of(self.head.model);
        let mut left = self.head.output.each_workload();
        let is_unknown =
            |of: &Workload| of.id.kind == WorkloadKind::Alertmanager && of.routing.is_none();
        if left.any(is_unknown) || !self.meter.takes_routes(n_steps(tree, self.base.alerts)) {
            return Listed::default();
        }
        let is_heard = |alert: &Alert| {
            let mut of = head.of_alert(alert);
            of.any(|of| of.tree.has_integrations(of.node))
        };
        routes::removed(&self.base.routed(id, tree), self.head.alerts, &is_heard)
    }

    /// Returns whether no target of a workload that has jobs is in the input.
    fn has_no_pods(&self, workload: &Workload) -> bool {
        let has_jobs = workload
            .config
            .as_ref()
            .is_some_and(|config| !config.jobs.is_empty());
        has_jobs && self.base.discovery.is_empty() && self.head.discovery.is_empty()
    }

    /// The custom resource itself.
    fn resource(&self, old: &Workload, new: &Workload, found: &mut WorkloadChanges) {
        found.fields = self
            .shades
            .deltas(&value::diff(&old.resource, &new.resource))
            .into_iter()
            .collect();
        found.status = self
            .shades
            .deltas(&value::diff(&old.status, &new.status))
            .into_iter()
            .collect();
    }

    fn both(&self, old: &Workload, new: &Workload, found: &mut WorkloadChanges) {
        let shades = self.shades;
        self.resource(old, new, found);
        found.version = pair("version", old.prometheus.as_ref(), new.prometheus.as_ref());
        found.upgrade = upgrade::notes(old, new);
        found.error = pair(
            "error",
            error(old, shades).as_ref(),
            error(new, shades).as_ref(),
        );
        let target = &self.head.model.project().options().target;
        found.shards = shards::changes(&old.plan, &new.plan, || stored::notes(old, new, target));
        let selection = self.selection.cloned().unwrap_or_default();
        found.selection = selection;
        let placed = [
            (old, &self.base.output.sources),
            (new, &self.head.output.sources),
        ];
        let revealed = self.revealed(&new.id);
        found.jobs = jobs::changes(placed[0], placed[1], revealed, shades);
        found.settings = jobs::settings(old, new, revealed, shades);
        found.rules = rules::changes(old, new, shades);
        let id = &new.id;
        // What stands in for an Alertmanager elsewhere tells nothing, if it has no receiver.
        let is_of_input = |tree: &RoutingTree| {
            !new.is_stand_in || tree.receivers.values().any(|of| !of.is_empty())
        };
        if let (Some(old), Some(new)) = (&old.routing, &new.routing)
            && (is_of_input(old) || is_of_input(new))
            && self.meter.takes_routes(
                n_steps(old, self.base.alerts).saturating_add(n_steps(new, self.head.alerts)),
            )
        {
            let (base, head) = (self.base.routed(id, old), self.head.routed(id, new));
            found.routes = routes::changes(&base, &head);
        }
        let objects = objects::changes(
            &self.objects(),
            || Causes::of(self.base.model, old, new),
            shades,
        );
        (found.objects, found.restarts) = (objects.objects, objects.restarts);
        if !new.is_stand_in && !new.is_paused() {
            let models = [self.base.model, self.head.model];
            found.stale = stale::notes(old, new, models, !found.restarts.is_empty());
        }
    }

    /// Both versions of a workload with values of Secrets.
    fn revealed(&self, id: &WorkloadId) -> Revealed<'a> {
        let of = |side: Side<'a>| {
            side.revealed?
                .workloads
                .iter()
                .find(|workload| workload.id == *id)
        };
        Some((of(self.base)?, of(self.head)?))
    }

    /// The objects that differ.
    fn objects(&self) -> Vec<ObjectPair> {
        let is_object = |pair: &&&FilePair<'_>| {
            let file = pair.head.as_ref().or(pair.base.as_ref());
            file.is_some_and(|file| file.file_subject() == FileSubject::Object)
        };
        let object = |file: &Option<promgen_compile::output::OutputFile<'_>>| {
            file.as_ref()
                .and_then(|file| file.object().map(std::borrow::Cow::into_owned))
        };
        let pair = |pair: &&FilePair<'_>| ObjectPair::new(object(&pair.base), object(&pair.head));
        self.files.iter().filter(is_object).map(pair).collect()
    }
}

/// The keys of both: those of the old, then those that are new.
pub(crate) fn keys<'m, K: Ord, A, B>(
    old: &'m BTreeMap<K, A>,
    new: &'m BTreeMap<K, B>,
) -> impl Iterator<Item = &'m K> {
    old.keys()
        .chain(new.keys().filter(|key| !old.contains_key(*key)))
}

/// The routes that alerts may try.
fn n_steps(tree: &RoutingTree, alerts: &[Alert]) -> usize {
    tree.n_routes().saturating_mul(alerts.len())
}

/// Returns whether the pods of a workload stop or start. Those of one that is new or removed do with it.
fn pods(old: Option<&Workload>, new: Option<&Workload>) -> Option<Change> {
    match (losses::runs(old?), losses::runs(new?)) {
        (true, false) => Some(Change::Removed),
        (false, true) => Some(Change::Added),
        (true, true) | (false, false) => None,
    }
}

/// The error with which the operator stops, or with which selection fails.
fn error(workload: &Workload, shades: &Shades) -> Option<String> {
    workload
        .error
        .as_ref()
        .or(workload.selected.error.as_ref())
        .map(|error| shades.text(error))
}

/// A value that differs.
fn pair<T: ToString + PartialEq>(
    path: &str,
    from: Option<&T>,
    to: Option<&T>,
) -> Option<FieldChange> {
    let shown = |value: Option<&T>| value.map(ToString::to_string);
    let change = Change::of(from.is_some(), to.is_some());
    (from != to).then(|| FieldChange {
        path: path.to_owned(),
        change,
        from: shown(from),
        to: shown(to),
    })
}

#[cfg(test)]
mod tests;
