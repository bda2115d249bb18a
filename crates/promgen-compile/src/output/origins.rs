//! Where the relabel rules of jobs come from.

use std::collections::BTreeMap;

use crate::output::Job;
use promgen_text::source::Span;

/// The origin of a relabel rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuleOrigin {
    /// Its place. For an absent field with a default, the place of its parent.
    pub span: Option<Span>,
    /// The resource: `ServiceMonitor/shop/cart`.
    pub resource: String,
    /// The field: `spec.endpoints[0].relabelings[1]`.
    pub field: String,
}

/// The origins of the relabel rules of a workload, by job.
#[derive(Clone, Debug, Default)]
pub struct RuleOrigins(BTreeMap<String, Vec<Vec<RuleOrigin>>>);

impl RuleOrigins {
    /// The origins of the rules of a job, in their order. Empty if they are unknown.
    #[must_use]
    pub fn of(&self, job: &Job) -> &[RuleOrigin] {
        // Jobs that a user brings along may have the same name.
        let mut same = self.0.get(&job.name).into_iter().flatten();
        same.find(|origins| origins.len() == job.rules().len())
            .map_or(&[], Vec::as_slice)
    }
}

impl FromIterator<(String, Vec<RuleOrigin>)> for RuleOrigins {
    fn from_iter<T: IntoIterator<Item = (String, Vec<RuleOrigin>)>>(jobs: T) -> Self {
        let mut by_name = BTreeMap::<String, Vec<Vec<RuleOrigin>>>::new();
        jobs.into_iter()
            .for_each(|(name, origins)| by_name.entry(name).or_default().push(origins));
        Self(by_name)
    }
}
