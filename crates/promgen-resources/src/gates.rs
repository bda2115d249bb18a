//! Version gates: the one table of the versions that support each feature.
//!
//! Call sites never compare versions; they check whether [`Versions`] [`has`](Versions::has) a [`Gate`]. The table can be
//! listed, and a field that the target does not support is reported at its place.

pub mod fields;
pub mod flags;
mod ignored;
mod table;
mod target;

pub use ignored::{ignored, ignored_in};
use promgen_text::diag::LintRule;
use promgen_text::version::Version;
pub use table::*;
pub use target::*;

/// Rules of this module.
pub static RULES: &[&LintRule] = &[&ignored::IGNORED_FIELD];

/// The gates because of which two releases of the operator differ.
pub fn changed_between(old: &Version, new: &Version) -> impl Iterator<Item = &'static Gate> {
    let differs = |gate: &Gate| {
        gate.is_used_by(old) != gate.is_used_by(new) || gate.since_by(old) != gate.since_by(new)
    };
    GATES.iter().copied().filter(move |gate| differs(gate))
}

/// The product whose version a gate checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub enum Axis {
    /// The version of Prometheus that the workload runs.
    Prometheus,
    /// The version of the cluster.
    Kubernetes,
    /// The version of Thanos: of the sidecar, or of Thanos Ruler.
    Thanos,
    /// The version of Alertmanager that the workload runs.
    Alertmanager,
    /// The release of the operator.
    Operator,
}

impl Axis {
    /// The product's name.
    #[must_use]
    pub const fn product(self) -> &'static str {
        match self {
            Self::Prometheus => "Prometheus",
            Self::Kubernetes => "Kubernetes",
            Self::Thanos => "Thanos",
            Self::Alertmanager => "Alertmanager",
            Self::Operator => "the operator",
        }
    }
}

/// The consequence if a value is set and the target does not support it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub enum UnsupportedEffect {
    /// The operator omits it without an error.
    Drop,
    /// The operator refuses the resource.
    Reject,
    /// The operator uses the older form.
    Fallback,
}

/// A feature that exists in a range of versions.
#[derive(Debug, PartialEq, Eq)]
pub struct Gate {
    /// The name of its constant.
    pub name: &'static str,
    /// What it is.
    pub summary: &'static str,
    /// The product.
    pub axis: Axis,
    /// First version that has it.
    pub since: Version,
    /// First version that no longer has it.
    pub until: Option<Version>,
    /// The first release of the operator that makes use of it.
    pub by: Version,
    /// The first version that older releases of the operator took for the first one, and the release that knows better.
    pub was: Option<(Version, Version)>,
    /// The meaning of a miss.
    pub miss: UnsupportedEffect,
    /// The place where it shows.
    pub subject: GateSubject,
    /// The key of a section that its field becomes, with the value that it has. None: a row of the section, or some code, writes it.
    pub writes: Option<&'static str>,
}

/// The place where a gate shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GateSubject {
    /// In these fields, as patterns that [`fields`] reads.
    Fields(&'static [&'static str]),
    /// In no field: what it is about instead.
    Other(&'static str),
}

impl Gate {
    /// Returns whether a release of the operator makes use of it, on versions of other products that have it.
    #[must_use]
    pub fn is_used_by(&self, operator: &Version) -> bool {
        *operator >= self.by && (self.axis != Axis::Operator || self.admits(operator))
    }

    /// Returns whether releases of the operator differ by it.
    #[must_use]
    pub fn tells_operators_apart(&self) -> bool {
        self.axis == Axis::Operator || self.by != Version::new(0, 0, 0) || self.was.is_some()
    }

    /// The first version that has it, as a release of the operator sees it.
    #[must_use]
    pub fn since_by(&self, operator: &Version) -> &Version {
        self.was
            .as_ref()
            .filter(|(_, until)| operator < until)
            .map_or(&self.since, |(was, _)| was)
    }

    /// Returns whether that version of the product has it.
    #[must_use]
    pub fn admits(&self, version: &Version) -> bool {
        self.is_within(&self.since, version)
    }

    /// Returns whether that version of the product no longer has it.
    #[must_use]
    pub fn is_over(&self, version: &Version) -> bool {
        self.until.as_ref().is_some_and(|until| version >= until)
    }

    fn is_within(&self, since: &Version, version: &Version) -> bool {
        version >= since && self.until.as_ref().is_none_or(|until| version < until)
    }
}

/// The target versions of one workload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Versions {
    /// The release of the operator.
    pub operator: Version,
    /// Of Prometheus.
    pub prometheus: Version,
    /// Of the cluster.
    pub kubernetes: Version,
    /// Of the Thanos sidecar, or of Thanos Ruler.
    pub thanos: Version,
    /// Prometheus is built into Thanos Ruler: then the gates of Thanos decide, and those of Prometheus are open.
    pub embedded: bool,
    /// Of Alertmanager.
    pub alertmanager: Version,
}

/// A major version that the operator supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generation {
    /// Prometheus 2.
    V2,
    /// Prometheus 3.
    V3,
}

impl Versions {
    /// The major version of Prometheus. `None` for one that the operator does not support.
    #[must_use]
    pub const fn generation(&self) -> Option<Generation> {
        match self.prometheus.major {
            2 => Some(Generation::V2),
            3 => Some(Generation::V3),
            _ => None,
        }
    }

    /// The versions of a workload that sets none.
    #[must_use]
    pub fn of_target(target: &Target) -> Self {
        let version = |asked: &str, of_release: &str| {
            let version = Version::parse(asked).or_else(|| Version::parse(of_release));
            version.unwrap_or(Version::new(0, 0, 0))
        };
        let release = target.release();
        let prometheus = version(target.default_prometheus(), release.prometheus);
        Self {
            operator: target.operator_version().clone(),
            prometheus: target.prometheus.clone().unwrap_or(prometheus),
            kubernetes: target.kubernetes.clone(),
            thanos: version(target.default_thanos(), release.thanos),
            embedded: false,
            alertmanager: version(target.default_alertmanager(), release.alertmanager),
        }
    }

    /// The version on one axis.
    #[must_use]
    pub const fn of(&self, axis: Axis) -> &Version {
        match axis {
            Axis::Prometheus => &self.prometheus,
            Axis::Kubernetes => &self.kubernetes,
            Axis::Thanos => &self.thanos,
            Axis::Alertmanager => &self.alertmanager,
            Axis::Operator => &self.operator,
        }
    }

    fn is_open(&self, gate: &Gate) -> bool {
        self.embedded && gate.axis == Axis::Prometheus
    }

    /// The axis that lacks the feature of a gate.
    #[must_use]
    pub fn lacking(&self, gate: &Gate) -> Axis {
        if self.is_open(gate) || self.admits(gate) {
            Axis::Operator
        } else {
            gate.axis
        }
    }

    /// Returns whether these versions have the feature of the gate.
    #[must_use]
    pub fn has(&self, gate: &Gate) -> bool {
        self.operator >= gate.by && (self.is_open(gate) || self.admits(gate))
    }

    /// Returns whether the version of the gate's product has it, as the operator sees it.
    fn admits(&self, gate: &Gate) -> bool {
        gate.is_within(gate.since_by(&self.operator), self.of(gate.axis))
    }
}
