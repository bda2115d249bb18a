//! What the strategy of the zone-aware sharding proposal means for a cluster.

use crate::checks::sharding::zoneless::ZONELESS;
use promgen_compile::sharding::{ABSENT_SHARDING_LABEL, ZONE_LABEL, own_label};
use promgen_model::model::World;
use promgen_model::scraping::needs::ScrapingServer;
use promgen_resources::api::ObjectMeta;
use promgen_resources::api::servers::sharding::{ProposalMode, ProposalSharding, ShardingStrategy};
use promgen_resources::document;
use promgen_resources::gates;
use promgen_targets::prove::absent_hash_label;
use promgen_text::diag::fix::{EditAction, Fix};
use promgen_text::diag::{Diagnostic, Level, Sink, rules};
use promgen_text::route::At;
use promgen_text::yaml::emit;

rules! {
    /// ## What it does
    /// Finds a `label` of mode `topology` that is not `topology.kubernetes.io/zone`. `label` is a label of pods, which
    /// `additionalRelabelConfig` may set. The node label `topology.kubernetes.io/zone` places the shards, whatever the value
    /// of `label` is.
    ///
    /// ## Why is this bad?
    /// If the values of the label are not zones of nodes, the pods of the shards stay pending. Ignore this if they are.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   shards: 2
    ///   shardingStrategy: {mode: topology, label: example.com/rack, topology: [rack-1, rack-2]}
    /// ```
    /// Use instead: the zones of nodes.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   shards: 2
    ///   shardingStrategy: {mode: topology, topology: [zone-a, zone-b]}
    /// ```
    ///
    /// ## Source
    /// The proposal's node affinity, whose key is fixed.
    NOT_OF_NODES = "PG215" "zone-label-not-of-nodes" Info: "targets and shards get their zone from different labels";

    /// ## What it does
    /// Finds a strategy in the dialect of the zone-aware sharding proposal: mode `classic` or `topology`.
    ///
    /// ## Why is this bad?
    /// The operator's CRD has another dialect, and the API server of a cluster with that CRD refuses the resource. The fix
    /// rewrites the strategy if the operator's dialect has an equivalent: `label` and `additionalRelabelConfig` are not set,
    /// and under `topology` the number of shards is a multiple of the number of zones.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   shards: 2
    ///   shardingStrategy: {mode: topology, topology: [zone-a, zone-b]}
    /// ```
    /// Use instead:
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   shards: 2
    ///   shardingStrategy: {mode: Topology, topology: {values: [zone-a, zone-b]}}
    /// ```
    PROPOSAL_DIALECT = "PG216" "proposal-dialect" Info: "a sharding strategy that the operator's CRD refuses";

    /// ## What it does
    /// Finds zones in `topology` beside `mode: classic` of the zone-aware sharding proposal.
    ///
    /// ## Why is this bad?
    /// The mode distributes targets by hash, and the zones have no effect.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   shards: 2
    ///   shardingStrategy: {mode: classic, topology: [zone-a, zone-b]}
    /// ```
    /// Use instead:
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   shards: 2
    ///   shardingStrategy: {mode: topology, topology: [zone-a, zone-b]}
    /// ```
    IGNORED_ZONES = "PG219" "ignored-zones" Warning: "zones beside a mode that ignores them";
}

/// Checks the strategy of a workload.
pub(super) fn check(server: ScrapingServer<'_>, sink: &mut Sink) {
    let Some(ShardingStrategy::Proposal(proposal)) = &server.own.common.sharding_strategy else {
        return;
    };
    let at = server.spec().key("shardingStrategy");
    label(proposal, &at, sink);
    absent_label(server, proposal, &at, sink);
    ignored_zones(proposal, &at, sink);
    early_label(server.model, proposal, &at, sink);
    let (mode, operators) = match proposal.mode() {
        ProposalMode::Classic => ("classic", "Address"),
        ProposalMode::Topology => ("topology", "Topology"),
    };
    let (place, what) = match proposal.mode {
        Some(_) => (
            at.clone().key("mode"),
            format!("refuses `mode: {mode}` of the zone-aware sharding proposal"),
        ),
        None => {
            let what = "does not have these fields of the zone-aware sharding proposal, whose `mode` is `classic` if it is missing";
            (at.clone(), what.to_owned())
        }
    };
    let finding = Diagnostic::new(
        &PROPOSAL_DIALECT,
        place,
        format!("the operator's CRD {what}"),
    );
    sink.report(match without_equivalent(server, proposal) {
        Some(why) => finding.help(format!("the operator's dialect has no equivalent: {why}")),
        None => {
            let finding = finding.help(match proposal.mode() {
                ProposalMode::Classic => "the operator's dialect has `mode: Address`, which is the default".to_owned(),
                ProposalMode::Topology => {
                    let zones =
                        server.workload.plan.zones.iter().map(|zone| emit::one_line(zone)).collect::<Vec<_>>();
                    let zones = zones.join(", ");
                    format!("the operator's dialect has `mode: Topology` with `topology: {{values: [{zones}]}}`")
                }
            });
            finding.fix(rewritten(server, proposal, &at, operators))
        }
    });
}

/// A label that is hashed and that no target has.
fn absent_label(server: ScrapingServer<'_>, proposal: &ProposalSharding, at: &At, sink: &mut Sink) {
    let Some(label) = own_label(proposal).filter(|_| proposal.mode() == ProposalMode::Classic)
    else {
        return;
    };
    if let Some(absent) = absent_hash_label(server.workload) {
        let message = format!(
            "no discovery and no relabeling sets `{absent}`, so one shard scrapes all targets"
        );
        let finding = Diagnostic::new(&ABSENT_SHARDING_LABEL, at.clone().key("label"), message);
        let help = format!(
            "set it by a relabeling of each monitor, or hash a label of discovery, not `{label}`"
        );
        sink.report(
            finding
                .help(help)
                .help("without `label`, the address is hashed"),
        );
    }
}

/// Zones that the mode ignores.
fn ignored_zones(proposal: &ProposalSharding, at: &At, sink: &mut Sink) {
    let has_zones = proposal
        .topology
        .as_ref()
        .is_some_and(|zones| !zones.is_empty());
    if proposal.mode() == ProposalMode::Classic && has_zones {
        let message = match proposal.mode {
            Some(_) => "`mode: classic` ignores the zones in `topology`",
            None => "without `mode`, the mode is `classic`, which ignores the zones in `topology`",
        };
        let finding = Diagnostic::new(&IGNORED_ZONES, at.clone().key("topology"), message);
        sink.report(finding.help("set `mode: topology`, or remove `topology`"));
    }
}

/// A label that pods do not have yet.
fn early_label(model: &World<'_>, proposal: &ProposalSharding, at: &At, sink: &mut Sink) {
    let target = &model.options().target;
    let is_default = proposal.mode() == ProposalMode::Topology && own_label(proposal).is_none();
    let has_label = |metadata: &ObjectMeta| {
        metadata
            .labels
            .as_ref()
            .is_some_and(|l| l.contains_key(ZONE_LABEL))
    };
    let is_set = || {
        model
            .cluster()
            .pods
            .values()
            .any(|pod| has_label(&pod.value.metadata))
    };
    if !is_default || gates::POD_ZONE_LABEL.admits(&target.kubernetes) || is_set() {
        return;
    }
    let message = format!(
        "pods have the label `{ZONE_LABEL}` from Kubernetes 1.35 on: on {}.{}, no shard scrapes any target",
        target.kubernetes.major, target.kubernetes.minor
    );
    let finding = Diagnostic::new(&ZONELESS, at.clone().key("mode"), message).level(Level::Warning);
    sink.report(finding.help("set `label` to a label that the pods have, or set this one on them"));
}

/// A label of targets that is not a label of nodes.
fn label(proposal: &ProposalSharding, at: &At, sink: &mut Sink) {
    let Some(label) = own_label(proposal).filter(|_| proposal.mode() == ProposalMode::Topology)
    else {
        return;
    };
    let message = format!(
        "`{label}` sets the zone of targets, but the node label `{ZONE_LABEL}` places their shards"
    );
    let finding = Diagnostic::new(&NOT_OF_NODES, at.clone().key("label"), message);
    sink.report(
        finding.help("list only zones of nodes in `topology`: otherwise pods stay pending"),
    );
}

/// The part of a strategy that the operator's dialect cannot express.
fn without_equivalent(server: ScrapingServer<'_>, proposal: &ProposalSharding) -> Option<String> {
    let plan = &server.workload.plan;
    if own_label(proposal).is_some() {
        return Some("it has no `label`".to_owned());
    }
    if proposal
        .additional_relabel_config
        .as_ref()
        .is_some_and(|rules| !rules.is_empty())
    {
        return Some("it has no `additionalRelabelConfig`".to_owned());
    }
    let (n_shards, n_zones) = (plan.shards.len(), plan.zones.len());
    let is_even = plan.zones.is_empty() || n_shards % n_zones == 0;
    (!is_even).then(|| {
        format!(
            "{n_shards} shards are not a multiple of {n_zones} zones, and the surplus shards are idle in that dialect"
        )
    })
}

/// The strategy in the operator's dialect. Risky: it adds an external label and reads the zone from more sources.
fn rewritten(
    server: ScrapingServer<'_>,
    proposal: &ProposalSharding,
    at: &At,
    operators: &'static str,
) -> Fix {
    let document = document::find(server.model.documents(), server.own.doc);
    let is_written = |key: &str| {
        document.is_some_and(|d| d.node.find(&["spec", "shardingStrategy", key]).is_some())
    };
    let fix = Fix::risky(format!("rewrite to `mode: {operators}`"));
    let fix = match proposal.mode {
        Some(_) => fix.change(EditAction::Value(
            at.clone().key("mode"),
            operators.to_owned(),
        )),
        None => fix,
    };
    let (fix, superfluous) = match proposal.mode() {
        ProposalMode::Classic => (fix, &["label", "topology", "additionalRelabelConfig"][..]),
        ProposalMode::Topology => (
            fix.change(EditAction::Below(at.clone().key("topology"), "values")),
            &["label", "additionalRelabelConfig"][..],
        ),
    };
    let removed = superfluous
        .iter()
        .filter(|key| is_written(key))
        .map(|key| EditAction::Remove(at.clone().key(*key)));
    removed.fold(fix, Fix::change)
}
