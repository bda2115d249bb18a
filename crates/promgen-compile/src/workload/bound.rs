//! The limits of what a run compiles: shards and memory.
//!
//! In: the workloads of a run, one after the other. Out: whether each is still compiled.

use std::sync::Arc;

use crate::context::{Account, ORIGIN};
use crate::output::{Config, RuleFile, Workload};
use crate::paths::{name_at, spec_at};
use crate::workload::CompiledWorkload;
use promgen_resources::api::servers::common::CommonPrometheusFields;
use promgen_text::diag::{Diagnostic, Sink, rules};
use promgen_text::limits::{Excess, Limit, Limits};
use promgen_text::route::DocId;

rules! {
    /// ## What it does
    /// Rejects workloads if the total number of shards exceeds the limit `all-shards`, 5,000.
    ///
    /// ## Why is this bad?
    /// Every shard is a StatefulSet and a Secret, which take time and memory; a few lines of manifests could request any
    /// number of them. The output omits the workload.
    ///
    /// ## Example
    /// Six Prometheuses of 1,000 shards each.
    ///
    /// Use instead: fewer shards, one run for each part of the manifests, or `--raise-limit all-shards=N`.
    TOO_MANY_IN_ALL = "PG217" "too-many-shards-in-all" Error: "more shards in all workloads of a run than the maximum";
}

/// The number of workloads that a message names.
const MAX_NAMES: usize = 5;

/// The factor by which a rule costs more than it takes: it is parsed for each workload.
const RULE: usize = 8;

/// The factor by which the configuration of an Alertmanager costs more than it takes: it is read again, and its routes make a tree.
const ROUTED: usize = 4;

/// The memory of a verdict on a resource, and of its status, about.
const VERDICT: usize = 512;

/// Counts the shards and the memory of a run.
#[derive(Debug)]
pub struct Bound<'a> {
    limits: &'a Limits,
    account: Account,
    n_shards: u64,
    /// The number of workloads, those that are compiled, and what others had spent before.
    n_all: u64,
    n_compiled: u64,
    before: u64,
    /// The workloads that are not compiled, because others take all memory.
    omitted: Vec<(DocId, String)>,
}

impl<'a> Bound<'a> {
    /// The limits of a run.
    #[must_use]
    pub fn new(limits: &'a Limits, account: Account, n_all: usize) -> Self {
        let before = account.spent();
        Self {
            limits,
            account,
            n_shards: 0,
            n_all: n_all as u64,
            n_compiled: 0,
            before,
            omitted: Vec::new(),
        }
    }

    /// Returns whether the shards of a workload fit. Reports those that do not.
    pub fn admits(&mut self, common: &CommonPrometheusFields, doc: DocId, sink: &mut Sink) -> bool {
        let max = self.limits.get(Limit::AllShards);
        let own = u64::try_from(common.shards)
            .unwrap_or(0)
            .clamp(1, max.saturating_add(1));
        if self.n_shards.saturating_add(own) <= max {
            self.n_shards += own;
            return true;
        }
        let message =
            format!("with these {own} shards, all workloads exceed the maximum of {max} shards");
        let at = spec_at(doc).key("shards");
        let help = self.limits.excess(Limit::AllShards).help();
        sink.report(Diagnostic::new(&TOO_MANY_IN_ALL, at, message).help(help));
        false
    }

    /// Compiles a workload, if there is memory left, and counts what it takes.
    pub fn compile(
        &mut self,
        doc: DocId,
        name: &str,
        compile: impl FnOnce(Account) -> CompiledWorkload,
        sink: &mut Sink,
    ) -> Option<Arc<Workload>> {
        let mut compiled = None;
        if self.account.excess().is_none() {
            let CompiledWorkload {
                workload,
                found,
                account,
                ..
            } = compile(self.account.continued());
            sink.append(found);
            self.account = account;
            compiled = workload;
        }
        if let Some(workload) = &compiled {
            self.account.spend(weight(workload));
            self.n_compiled += 1;
            self.account.expect(
                self.account.spent() - self.before,
                self.n_compiled,
                self.n_all,
            );
            if self.account.excess().is_some() && self.account.is_closed() {
                return compiled;
            }
        }
        if self.account.excess().is_none() {
            return compiled;
        }
        self.omitted.push((doc, name.to_owned()));
        None
    }

    /// The limit that is exceeded, if a workload is omitted.
    pub(super) fn excess(&self) -> Option<Excess> {
        self.account.excess().filter(|_| !self.omitted.is_empty())
    }

    /// The memory that all have taken.
    #[must_use]
    pub fn into_account(self) -> Account {
        self.account
    }

    /// Reports the workloads that are omitted.
    pub fn report(&self, sink: &mut Sink) {
        let (Some((doc, _)), Some(excess)) = (self.omitted.first(), self.account.excess()) else {
            return;
        };
        let names: Vec<&str> = self
            .omitted
            .iter()
            .map(|(_, name)| name.as_str())
            .take(MAX_NAMES)
            .collect();
        let more = self.omitted.len() - names.len();
        let more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        let at = name_at(*doc);
        let found = excess.diagnostic(at, "what the workloads compile to");
        sink.report(found.help(format!("omitted: {}{more}", names.join(", "))));
    }
}

/// The memory of a workload, about, without that of its jobs.
fn weight(workload: &Workload) -> usize {
    let Workload {
        config,
        rule_files,
        selected,
        objects,
        resource,
        status,
        routing,
        ..
    } = workload;
    let rule_file = |file: &RuleFile| {
        file.name.len() + RULE * file.text.len() + ORIGIN * (1 + file.groups.len())
    };
    let cost = if routing.is_some() { ROUTED } else { 1 };
    let config = cost * config.as_ref().map_or(0, Config::weight);
    let verdicts = selected
        .kinds
        .iter()
        .map(|kind| VERDICT * kind.resources.len())
        .sum::<usize>();
    let objects = objects
        .iter()
        .map(|object| object.body.weight())
        .sum::<usize>();
    let routing = routing.as_ref().map_or(0, |tree| {
        ORIGIN * (tree.named.len() + tree.receivers.len() + tree.inhibitions.len())
    });
    config
        + verdicts
        + objects
        + routing
        + resource.weight()
        + status.weight()
        + rule_files.iter().map(rule_file).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_counted_together() {
        let limits = Limits::default();
        let account = Account::new(&limits, 0);
        let (mut bound, mut sink) = (Bound::new(&limits, account, 9), Sink::default());
        let mut admits = |shards| {
            let common = CommonPrometheusFields {
                shards,
                ..CommonPrometheusFields::default()
            };
            bound.admits(&common, DocId::default(), &mut sink)
        };
        assert!((0..5).all(|_| admits(999)) && !admits(6) && admits(5) && !admits(0));
        assert_eq!(sink.diagnostics().len(), 2);
    }
}
