//! The releases of the page: which the fleet has, and what they lack.

use std::collections::BTreeMap;

use crate::cli::json::answers;
use crate::cli::write::page::names::Names;
use promgen_model::Model;
use promgen_resources::gates::{Axis, GATES, Gate, UnsupportedEffect};
use promgen_resources::release;
use promgen_text::version::Version;

/// The most users of a release that are named.
const MAX_USERS: usize = 12;

answers! {
    /// A release of a product.
    ReleasePart as "ReportRelease" {
        /// Its link in the page.
        id: String,
        /// The product.
        product: &'static str,
        /// Its version.
        version: String,
        /// What has it: environments of the operator, workloads of Prometheus.
        users: Vec<String>,
        /// The users that are left out.
        n_more: usize,
        /// The additions of newer releases.
        lacks: Vec<LackRow>,
    }

    /// Something that it lacks.
    LackRow as "ReportGap" {
        /// The feature, in Markdown.
        what: String,
        /// The first release with it.
        since: String,
        /// The effect of its absence: `omitted`, `refused` or `older form`.
        without: &'static str,
    }
}

/// The releases of environments, by version, each with its users.
#[derive(Debug, Default)]
pub(super) struct Seen {
    operators: BTreeMap<Version, Vec<String>>,
    prometheus: BTreeMap<Version, Vec<String>>,
}

impl Seen {
    /// Adds those of an environment.
    pub(super) fn add(&mut self, model: &Model, names: &Names) {
        self.operators
            .entry(model.operator().clone())
            .or_default()
            .push(names.title.clone());
        for workload in &model.output().workloads {
            if let Some(version) = workload
                .prometheus
                .as_ref()
                .filter(|_| workload.id.kind.has_shards())
            {
                self.prometheus
                    .entry(version.clone())
                    .or_default()
                    .push(workload.id.to_string());
            }
        }
    }

    /// The part about them.
    pub(super) fn part(self) -> Vec<ReleasePart> {
        let operators = self.operators.into_iter().map(|(version, users)| {
            let lacks = GATES
                .iter()
                .filter(|gate| gate.tells_operators_apart() && !gate.is_used_by(&version));
            let since = |gate: &'static Gate| {
                if gate.axis == Axis::Operator {
                    &gate.since
                } else {
                    &gate.by
                }
            };
            let lacks = lacks
                .map(|gate| lack(gate, release::tag(since(gate))))
                .collect();
            of("Prometheus operator", release::tag(&version), users, lacks)
        });
        let prometheus = self.prometheus.into_iter().map(|(version, users)| {
            let lacks = GATES
                .iter()
                .filter(|gate| gate.axis == Axis::Prometheus && version < gate.since);
            of(
                "Prometheus",
                version.to_string(),
                users,
                lacks
                    .map(|gate| lack(gate, gate.since.to_string()))
                    .collect(),
            )
        });
        operators.chain(prometheus).collect()
    }
}

fn of(
    product: &'static str,
    version: String,
    mut users: Vec<String>,
    lacks: Vec<LackRow>,
) -> ReleasePart {
    let n_more = users.len().saturating_sub(MAX_USERS);
    users.truncate(MAX_USERS);
    let id = super::names::id(&format!("release/{}/{version}", product.replace(' ', "-")));
    ReleasePart {
        id,
        product,
        version,
        users,
        n_more,
        lacks,
    }
}

fn lack(gate: &Gate, since: String) -> LackRow {
    let without = match gate.miss {
        UnsupportedEffect::Drop => "omitted",
        UnsupportedEffect::Reject => "refused",
        UnsupportedEffect::Fallback => "older form",
    };
    LackRow {
        what: gate.summary.trim().to_owned(),
        since,
        without,
    }
}
