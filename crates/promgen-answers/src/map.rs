//! The map of an environment: who scrapes what, who evaluates which rules, and whom their alerts notify.
//!
//! In: a compiled [`Model`]. Out: a [`FlowMap`]: boxes in five columns and the lines between them, without places in a picture.
//! Each resource has a box; other functions make of a map the part around a resource, one box for each namespace, a few boxes,
//! or what differs from another map.
//!
//! [`Model`]: promgen_model::Model

mod build;
mod change;
mod draft;
mod fold;
mod neighbours;

use std::collections::{BTreeMap, BTreeSet};

use promgen_compile::output::{WorkloadId, WorkloadKind};
use promgen_resources::api::Kind;
use promgen_text::diag::count::counted;

/// A column of a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FlowColumn {
    /// What is scraped.
    Monitors,
    /// Who scrapes and evaluates.
    Servers,
    /// What is evaluated, what asks a server, and the configurations of Alertmanagers.
    Rules,
    /// Who notifies.
    Alertmanagers,
    /// Who is notified.
    Receivers,
}

impl FlowColumn {
    /// All columns, from left to right.
    pub const ALL: [Self; 5] = [
        Self::Monitors,
        Self::Servers,
        Self::Rules,
        Self::Alertmanagers,
        Self::Receivers,
    ];

    /// The title: what is in it.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Monitors => "Monitors",
            Self::Servers => "Servers",
            Self::Rules => "Rules, dashboards",
            Self::Alertmanagers => "Alertmanagers",
            Self::Receivers => "Receivers",
        }
    }

    const fn of(kind: Kind) -> Self {
        match kind {
            Kind::PrometheusRule | Kind::AlertmanagerConfig => Self::Rules,
            _ => Self::Monitors,
        }
    }
}

/// The meaning of a box.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FlowSubject {
    /// A resource that workloads select.
    Resource(Kind, String, String),
    /// The resources of a namespace: monitors, rules, or configurations; those that a workload selects, or the others.
    Namespace(FlowGroup, String, bool),
    /// A dashboard: the namespace of what holds it, and its title.
    Dashboard(String, String),
    /// A workload.
    Workload(WorkloadId),
    /// A receiver, with its integrations.
    Receiver(String, String),
    /// The stand-in for receivers, where there are none.
    Nobody,
}

impl FlowSubject {
    fn resource(kind: Kind, namespace: &str, name: &str) -> Self {
        Self::Resource(kind, namespace.to_owned(), name.to_owned())
    }
}

/// Resources of a namespace that share a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FlowGroup {
    /// ServiceMonitors, PodMonitors, Probes and ScrapeConfigs.
    Monitors,
    /// PrometheusRules.
    Rules,
    /// AlertmanagerConfigs.
    Configurations,
    /// Dashboards.
    Dashboards,
}

impl FlowGroup {
    const fn of(kind: Kind) -> Self {
        match kind {
            Kind::PrometheusRule => Self::Rules,
            Kind::AlertmanagerConfig => Self::Configurations,
            _ => Self::Monitors,
        }
    }
}

/// The emphasis of a box or a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FlowMark {
    /// It does not.
    #[default]
    Plain,
    /// It is what is asked about.
    Asked,
    /// Only the head has it.
    Added,
    /// Only the base has it, or nothing arrives there any more.
    Lost,
    /// It differs.
    Moved,
}

/// A box.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowBox {
    /// The thing that it stands for.
    pub subject: FlowSubject,
    /// The emphasis.
    pub mark: FlowMark,
    /// The number of resources of each kind that it has.
    kinds: BTreeMap<&'static str, usize>,
    /// The number of them that a workload refuses.
    n_refused: usize,
    /// The jobs that get no targets.
    unreached: BTreeSet<String>,
    /// The rules or panels that read series.
    n_readers: usize,
    /// Those of them that surely find none.
    n_without_series: usize,
    /// The alerts of which nobody is notified.
    n_unheard: usize,
    /// A workload selects them.
    is_selected: bool,
    /// The description of a workload: its size.
    size: String,
    /// A workload is not reconciled, or something of a resource does not arrive.
    is_broken: bool,
    /// The words of it in the base, if they differ.
    was: Option<String>,
    /// What else is to be said.
    remarks: Vec<String>,
}

impl FlowBox {
    fn new(subject: FlowSubject) -> Self {
        Self {
            subject,
            mark: FlowMark::Plain,
            kinds: BTreeMap::new(),
            n_refused: 0,
            unreached: BTreeSet::new(),
            n_readers: 0,
            n_without_series: 0,
            n_unheard: 0,
            is_selected: true,
            size: String::new(),
            is_broken: false,
            was: None,
            remarks: Vec::new(),
        }
    }

    /// Its column.
    #[must_use]
    pub const fn column(&self) -> FlowColumn {
        match &self.subject {
            FlowSubject::Resource(kind, ..) => FlowColumn::of(*kind),
            FlowSubject::Namespace(FlowGroup::Monitors, ..) => FlowColumn::Monitors,
            FlowSubject::Namespace(..) | FlowSubject::Dashboard(..) => FlowColumn::Rules,
            FlowSubject::Workload(WorkloadId {
                kind: WorkloadKind::Alertmanager,
                ..
            }) => FlowColumn::Alertmanagers,
            FlowSubject::Workload(_) => FlowColumn::Servers,
            FlowSubject::Receiver(..) | FlowSubject::Nobody => FlowColumn::Receivers,
        }
    }

    /// Its name.
    #[must_use]
    pub fn title(&self) -> String {
        match &self.subject {
            FlowSubject::Resource(_, namespace, name) => format!("{namespace}/{name}"),
            FlowSubject::Namespace(_, namespace, _) => namespace.clone(),
            FlowSubject::Dashboard(_, title) => title.clone(),
            FlowSubject::Workload(id) => id.key(),
            FlowSubject::Receiver(name, _) => name.clone(),
            FlowSubject::Nobody => "nobody".to_owned(),
        }
    }

    /// What else is to be said.
    #[must_use]
    pub fn detail(&self) -> String {
        let detail = self.state();
        let whole = match &self.was {
            // What becomes of a resource says what it was.
            Some(was) if *was != detail && !(self.is_dead() && self.is_resource()) => {
                format!("{was} → {detail}")
            }
            _ => detail,
        };
        std::iter::once(whole)
            .chain(self.remarks.iter().cloned())
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// The description of it on one side.
    fn state(&self) -> String {
        match &self.subject {
            FlowSubject::Workload(_) if self.is_broken => "not reconciled".to_owned(),
            FlowSubject::Workload(_) => self.size.clone(),
            FlowSubject::Receiver(_, integrations) => integrations.clone(),
            FlowSubject::Nobody => "is notified".to_owned(),
            FlowSubject::Namespace(_, _, false) => {
                format!("{} selected by nobody", self.n_resources())
            }
            FlowSubject::Namespace(..) => {
                let counts = self
                    .kinds
                    .iter()
                    .map(|(kind, n)| counted(*n, kind))
                    .collect();
                self.with_losses(counts, &format!("{} refused", self.n_refused))
            }
            FlowSubject::Dashboard(..) => self.with_losses(vec!["dashboard".to_owned()], ""),
            FlowSubject::Resource(kind, ..) if !self.is_selected => {
                format!("{}, selected by nobody", kind.as_str())
            }
            FlowSubject::Resource(kind, ..) => {
                self.with_losses(vec![kind.as_str().to_owned()], "refused")
            }
        }
    }

    fn with_losses(&self, mut parts: Vec<String>, refused: &str) -> String {
        parts.extend((self.n_refused > 0).then(|| refused.to_owned()));
        parts.extend(self.is_broken.then(|| "not all of it arrives".to_owned()));
        let n = self.unreached.len();
        parts.extend((n > 0).then(|| format!("{} not reached", counted(n, "job"))));
        let n = self.n_unheard;
        parts.extend((n > 0).then(|| format!("{} to nobody", counted(n, "alert"))));
        if self.n_without_series > 0 {
            // In front, where a short box still shows it.
            parts.insert(
                0,
                format!(
                    "{} of {} without series",
                    self.n_without_series, self.n_readers
                ),
            );
        }
        parts.join(", ")
    }

    const fn is_resource(&self) -> bool {
        matches!(self.subject, FlowSubject::Resource(..))
    }

    fn n_resources(&self) -> usize {
        self.kinds.values().sum()
    }

    /// Returns whether nothing arrives there.
    #[must_use]
    pub fn is_dead(&self) -> bool {
        let is_unselected =
            !self.is_selected || matches!(self.subject, FlowSubject::Namespace(_, _, false));
        let is_nobody = self.subject == FlowSubject::Nobody;
        let counts = [self.n_refused, self.n_without_series, self.n_unheard];
        let is_lossy = !self.unreached.is_empty() || counts.iter().any(|n| *n > 0);
        is_nobody || is_unselected || self.is_broken || is_lossy
    }
}

/// A line between two boxes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowLine {
    /// The number of the box where it begins.
    pub from: usize,
    /// The number of the box where it ends.
    pub to: usize,
    /// The emphasis.
    pub mark: FlowMark,
    /// The amount that goes along it.
    n: usize,
    /// What goes along it: `resource`, `expression` or `alert`.
    what: &'static str,
    /// The number of its alerts that the rules of each box have.
    of_rules: BTreeMap<usize, usize>,
}

impl FlowLine {
    /// The amount that goes along it.
    #[must_use]
    pub const fn n(&self) -> usize {
        self.n
    }

    /// What goes along it.
    #[must_use]
    pub fn label(&self) -> String {
        counted(self.n, self.what)
    }
}

/// A map.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlowMap {
    /// The boxes.
    pub boxes: Vec<FlowBox>,
    /// The lines between them.
    pub lines: Vec<FlowLine>,
    /// The number of boxes that are left out.
    pub n_hidden: usize,
}
