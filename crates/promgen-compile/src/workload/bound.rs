//! The maximum number of shards of a run.
//!
//! In: the workloads of a run, one after the other. Out: whether each is still compiled.

use promgen_resources::api::servers::common::CommonPrometheusFields;
use promgen_text::diag::{Diagnostic, Rule, Sink, rule};
use promgen_text::route::{At, DocId};

rule! {
    /// ## What it does
    /// Rejects workloads if the total number of shards exceeds 5,000.
    ///
    /// ## Why is this bad?
    /// Every shard is a StatefulSet and a Secret, which take time and memory; a few lines of manifests could request any
    /// number of them. The output omits the workload.
    ///
    /// ## Example
    /// Six Prometheuses of 1,000 shards each.
    ///
    /// Use instead: fewer shards, or one run for each part of the manifests.
    pub(crate) static TOO_MANY_IN_ALL = "PG217" "too-many-shards-in-all" {
        summary: "more shards in all workloads of a run than the maximum", level: Error, since: "0.1.0",
    }
}

/// Rules of this module.
pub static RULES: &[&Rule] = &[&TOO_MANY_IN_ALL];

/// The maximum number of shards of all workloads of a run: five times those of the largest workload, and half a second of work.
const MAX_IN_ALL: u64 = 5_000;

/// Counts the shards of a run.
#[derive(Debug, Default)]
pub struct Bound {
    n_shards: u64,
}

impl Bound {
    /// Whether the shards of a workload fit. Reports those that do not.
    pub fn admits(&mut self, common: &CommonPrometheusFields, doc: DocId, sink: &mut Sink) -> bool {
        let own = u64::try_from(common.shards).unwrap_or(0).clamp(1, MAX_IN_ALL);
        if self.n_shards + own <= MAX_IN_ALL {
            self.n_shards += own;
            return true;
        }
        let message = format!("with these {own} shards, all workloads exceed the maximum of {MAX_IN_ALL} shards");
        sink.report(Diagnostic::new(&TOO_MANY_IN_ALL, At::doc(doc).key("spec").key("shards"), message));
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_counted_together() {
        let (mut bound, mut sink) = (Bound::default(), Sink::default());
        let mut admits = |shards| {
            let common = CommonPrometheusFields { shards, ..CommonPrometheusFields::default() };
            bound.admits(&common, DocId(0), &mut sink)
        };
        assert!((0..5).all(|_| admits(999)) && !admits(6) && admits(5) && !admits(0));
        assert_eq!(sink.diagnostics().len(), 2);
    }
}
