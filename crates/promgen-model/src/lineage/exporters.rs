//! Exporters of which it is known what they make: their release is in the table, and their arguments are known.
//!
//! In: the tag of an image, and arguments. Out: [`KnownExporter`], which says what it surely does not expose. What the table or
//! the arguments leave open is unknown.

mod flags;
mod node;
mod state_metrics;
pub mod table;

use std::collections::BTreeMap;

use table::{ExporterFacts, MetricGroup, ReleaseRange, SignRow};

/// A program that exposes metrics of others, and whose releases the table has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ExporterProgram {
    /// kube-state-metrics: all of its metrics are known.
    StateMetrics,
    /// node_exporter: its collectors are known, and some of their metrics.
    Node,
}

impl ExporterProgram {
    /// The program of an image, by its name.
    #[must_use]
    pub fn of_image(image: &str) -> Option<Self> {
        let (name, _) = name_and_tag(image);
        [Self::StateMetrics, Self::Node]
            .into_iter()
            .find(|program| program.name() == name)
    }

    /// The program whose releases in the table have a metric.
    #[must_use]
    pub fn of_metric(metric: &str) -> Option<Self> {
        [Self::StateMetrics, Self::Node]
            .into_iter()
            .find(|program| {
                let mut rows = table::of(program.name()).into_iter().flat_map(rows);
                rows.any(|(_, row)| row.name == metric)
            })
    }

    /// The name of its image.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::StateMetrics => "kube-state-metrics",
            Self::Node => "node-exporter",
        }
    }
}

/// The images of programs that expose metrics of their own alone: none that begins with `kube_` or `node_`.
const OF_OWN_METRICS: &[&str] = &[
    "alertmanager",
    "blackbox-exporter",
    "configmap-reload",
    "grafana",
    "k8s-sidecar",
    "prometheus",
    "prometheus-adapter",
    "prometheus-config-reloader",
    "prometheus-operator",
    "thanos",
];

/// Returns whether an image is that of a program which exposes metrics of its own alone.
pub(super) fn has_own_metrics(image: &str) -> bool {
    OF_OWN_METRICS.contains(&name_and_tag(image).0)
}

/// The name of an image without its registry, and its tag. With a digest, the tag does not say which release it is.
pub(super) fn name_and_tag(image: &str) -> (&str, Option<&str>) {
    let (written, digest) = image
        .split_once('@')
        .map_or((image, None), |(name, digest)| (name, Some(digest)));
    let last = written.rsplit('/').next().unwrap_or_default();
    let (name, tag) = last
        .split_once(':')
        .map_or((last, None), |(name, tag)| (name, Some(tag)));
    (name, tag.filter(|_| digest.is_none()))
}

/// An argument of a program: a text, or `None` for what is no text.
pub type ExporterArgument<'t> = Option<&'t str>;

/// Why an exporter does not expose a metric of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SwitchedOff {
    /// `--resources` leaves out the resource.
    ByResources(&'static str),
    /// The resource is off unless `--resources` has it.
    WithoutResource(&'static str),
    /// `--metric-allowlist` leaves it out.
    ByAllowlist,
    /// `--metric-denylist` has it.
    ByDenylist,
    /// It is off unless `--metric-opt-in-list` has it.
    WithoutOptIn,
    /// `--no-collector.NAME`, or `--collector.disable-defaults`.
    ByCollector(&'static str),
    /// The collector is off unless `--collector.NAME` is given.
    WithoutCollector(&'static str),
}

/// Why an exporter surely does not expose a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExporterLack {
    /// No release around its version has it. The releases of the table that do, the oldest and the newest, if there are any.
    NoSuch(Option<(&'static str, &'static str)>),
    /// Its arguments switch it off.
    Off(SwitchedOff),
}

/// An exporter whose release and arguments are known.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct KnownExporter {
    /// What it is.
    pub program: ExporterProgram,
    /// Its version, as its image has it: `v2.18.0`.
    pub version: String,
    at: ReleaseRange,
    /// The metrics that its arguments switch off.
    off: BTreeMap<&'static str, SwitchedOff>,
}

impl KnownExporter {
    /// An exporter, by its image and its arguments. `None`: it is not known what it makes.
    #[must_use]
    pub fn of(image: &str, arguments: &[ExporterArgument<'_>]) -> Option<Self> {
        let program = ExporterProgram::of_image(image)?;
        let version = name_and_tag(image).1?;
        let facts = table::of(program.name())?;
        let at = facts.range(version)?;
        let texts: Vec<&str> = arguments.iter().copied().collect::<Option<_>>()?;
        let off = match program {
            ExporterProgram::StateMetrics => state_metrics::off(facts, at, &texts)?,
            ExporterProgram::Node => node::off(facts, at, &texts)?,
        };
        Some(Self {
            program,
            version: version.to_owned(),
            at,
            off,
        })
    }

    /// Two exporters as one: what it lacks, both lack. `None` if they are not of one release.
    #[must_use]
    pub fn and(mut self, other: &Self) -> Option<Self> {
        self.off.retain(|metric, _| other.off.contains_key(metric));
        (self.program == other.program && self.version == other.version).then_some(self)
    }

    /// Why it surely does not expose a metric. `None`: it may.
    #[must_use]
    pub fn lack(&self, metric: &str) -> Option<ExporterLack> {
        if let Some(off) = self.off.get(metric) {
            return Some(ExporterLack::Off(*off));
        }
        let is_own = metric.starts_with("kube_") && !metric.starts_with("kube_state_metrics_");
        if self.program != ExporterProgram::StateMetrics || !is_own || self.group(metric).is_some()
        {
            return None;
        }
        let facts = self.facts()?;
        let rows = facts.groups.iter().flat_map(|group| &group.metrics);
        let row = rows.into_iter().find(|row| row.name == metric);
        let has = |number: &usize| row.is_some_and(|row| row.sign(*number) != '-');
        let mut having = (0..facts.releases.len())
            .filter(has)
            .map(|number| facts.releases[number]);
        let first = having.next();
        Some(ExporterLack::NoSuch(
            first.map(|first| (first, having.next_back().unwrap_or(first))),
        ))
    }

    /// The part that makes a metric: a resource of kube-state-metrics, a collector of node_exporter.
    #[must_use]
    pub fn group(&self, metric: &str) -> Option<&'static str> {
        let mut rows = rows(self.facts()?);
        rows.find(|(_, row)| row.name == metric && may_have(row, self.at))
            .map(|(group, _)| &*group.row.name)
    }

    /// The metrics that it may expose.
    pub fn metrics(&self) -> impl Iterator<Item = &'static str> {
        let all = self.facts().into_iter().flat_map(rows);
        let exposed =
            all.filter(|(_, row)| may_have(row, self.at) && !self.off.contains_key(&*row.name));
        exposed.map(|(_, row)| &*row.name)
    }

    fn facts(&self) -> Option<&'static ExporterFacts<'static>> {
        table::of(self.program.name())
    }
}

/// Returns whether one of the releases around a version has what a row is about.
fn may_have(row: &SignRow<'_>, at: ReleaseRange) -> bool {
    !row.is(at, &['-'])
}

/// The metrics of an exporter, each with the part that makes it.
fn rows(
    facts: &'static ExporterFacts<'static>,
) -> impl Iterator<Item = (&'static MetricGroup<'static>, &'static SignRow<'static>)> {
    facts
        .groups
        .iter()
        .flat_map(|group| group.metrics.iter().map(move |row| (group, row)))
}

#[cfg(test)]
mod tests;
