//! The sharding strategy of a workload: its plan, its relabel rules, its placement.
//!
//! The operator's API and that of the original proposal both become one [`Plan`]; they differ in their
//! templates and in the handling of surplus shards.

pub mod plan;
pub mod reshard;
pub mod template;

use crate::paths::spec_at;
use crate::sharding::plan::{Plan, Surplus};
use crate::sharding::template::{
    Placement, PlacementContext, RelabelContext, TemplateError, Templates,
};
use promgen_prometheus::config::{self, RelabelRule};
use promgen_prometheus::labels::names::label_key_errors;
use promgen_prometheus::relabel::{self, NameScheme};
use promgen_resources::api::servers::common::CommonPrometheusFields;
use promgen_resources::api::servers::sharding::{
    OperatorSharding, ProposalMode, ProposalSharding, ShardingMode, ShardingStrategy,
};
use promgen_resources::gates::{self, Target, Versions};
use promgen_text::diag::fix::{EditAction, Fix};
use promgen_text::diag::{Diagnostic, Sink, rules};
use promgen_text::go::regex::quote_meta;
use promgen_text::route::{At, DocId, ValueRoute};
use promgen_text::yaml::{Value, emit};

rules! {
    /// ## What it does
    /// Finds shards that can never receive a target: with topology sharding, every zone is assigned
    /// `shards / zones` indexes, rounded down, and a shard beyond a multiple of the number of zones gets an index that no
    /// target hashes to.
    ///
    /// ## Why is this bad?
    /// The pods use resources, but scrape nothing.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   shards: 10
    ///   shardingStrategy: {mode: Topology, topology: {values: [a, b, c]}}
    /// ```
    /// Use instead: a multiple of the number of zones.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   shards: 9
    ///   shardingStrategy: {mode: Topology, topology: {values: [a, b, c]}}
    /// ```
    ///
    /// ## Source
    /// Operator: `shardsPerZone`, `InzoneShardForShard`.
    IDLE_SHARD = "PG201" "idle-shard" Warning: "a shard that no target hashes to";

    /// ## What it does
    /// Finds shards that scrape the same targets: in the dialect of the zone-aware sharding proposal, a shard beyond a
    /// multiple of the number of zones starts again at the first index of its zone.
    ///
    /// ## Why is this bad?
    /// Their targets are scraped and stored twice.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   shards: 10
    ///   shardingStrategy: {mode: topology, topology: [a, b, c]}
    /// ```
    /// Use instead: a multiple of the number of zones.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   shards: 9
    ///   shardingStrategy: {mode: topology, topology: [a, b, c]}
    /// ```
    ///
    /// ## Source
    /// The proposal's second assert and its table.
    DOUBLED_SHARD = "PG202" "doubled-shard" Warning: "shards that scrape the same targets";

    /// ## What it does
    /// Rejects more than 1,000 shards.
    ///
    /// ## Why is this bad?
    /// Every shard has a StatefulSet and a configuration. Such a number is almost certainly a typo.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   shards: 4000
    /// ```
    /// Use instead:
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   shards: 4
    /// ```
    TOO_MANY_SHARDS = "PG203" "too-many-shards" Error: "more than 1,000 shards";

    /// ## What it does
    /// Finds zones that are listed twice.
    ///
    /// ## Why is this bad?
    /// Each entry of a zone gets its own shards, and they scrape the same targets.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   shards: 2
    ///   shardingStrategy:
    ///     mode: Topology
    ///     topology: {values: [zone-a, zone-a]}
    /// ```
    /// Use instead:
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   shards: 2
    ///   shardingStrategy:
    ///     mode: Topology
    ///     topology: {values: [zone-a]}
    /// ```
    DUPLICATE_ZONE = "PG209" "duplicate-zone" Error: "a duplicate zone";

    /// ## What it does
    /// Rejects mode `topology` of the zone-aware sharding proposal without zones: `topology` is empty or missing.
    ///
    /// ## Why is this bad?
    /// No zone exists for a shard to scrape or to run in. The output omits the workload.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   shards: 2
    ///   shardingStrategy: {mode: topology, topology: []}
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
    ///
    /// ## Source
    /// The proposal's first assert, which divides by the number of zones.
    MISSING_ZONES = "PG214" "missing-zones" Error: "mode topology of the proposal without zones";

    /// ## What it does
    /// Finds a `label` of the proposal's sharding strategy that no target has: in mode `topology`, a label that pods
    /// do not have; in mode `classic`, a label that no discovery and no relabeling sets.
    ///
    /// ## Why is this bad?
    /// In mode `topology`, no shard scrapes any target. In mode `classic`, all targets have the same hash, so that one shard
    /// scrapes all of them.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   shards: 2
    ///   shardingStrategy: {mode: topology, label: __address__, topology: [zone-a, zone-b]}
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
    ABSENT_SHARDING_LABEL = "PG218" "absent-sharding-label" Error: "a label that decides on shards and that no target has";
}

/// The maximum number of shards.
pub const MAX_SHARDS: u32 = 1_000;

/// The shard's number, filled in by the reloader, or by us for one shard.
pub const SHARD: &str = "$(SHARD)";
/// The shard's zone.
pub const TOPOLOGY_ZONE: &str = "$(TOPOLOGY_ZONE)";
/// The shard's zone as a pattern that matches nothing else, as YAML. The proposal compares zones, which its rules can only
/// do so, and the reloader fills in text: `null` without quotes is no text.
pub const TOPOLOGY_ZONE_PATTERN: &str = "$(TOPOLOGY_ZONE_PATTERN)";
/// The shard's number within its zone.
pub const INZONE_SHARD: &str = "$(INZONE_SHARD)";

/// The node label with the zone, and the default label of pods with the zone of a target.
pub const ZONE_LABEL: &str = "topology.kubernetes.io/zone";

/// The label that is hashed by default.
const ADDRESS_LABEL: &str = "__address__";

/// The label in which the operator's rules collect the zone of a target.
pub const TOPOLOGY_LABEL: &str = "__tmp_topology";

/// The sharding of one workload.
#[derive(Clone, Debug, Default)]
pub struct Sharding {
    /// The plan.
    pub plan: Plan,
    /// Targets are assigned by zone in the operator's dialect.
    pub(crate) by_topology: bool,
    /// The rules read the zone of a shard as a pattern.
    pub(crate) has_zone_patterns: bool,
    /// The place where the pods of each shard may run.
    pub placements: Vec<Placement>,
    address: Vec<SharingRule>,
    param_target: Vec<SharingRule>,
}

/// A sharding rule.
#[derive(Clone, Debug)]
pub struct SharingRule {
    /// The rule.
    pub rule: RelabelRule,
    /// The field of the workload that causes it.
    pub field: ValueRoute,
}

impl Sharding {
    /// The rules at the end of a job whose targets are identified by address.
    pub(crate) fn by_address(&self) -> &[SharingRule] {
        &self.address
    }

    /// The rules at the end of a job whose targets are identified by the probed URL.
    pub(crate) fn by_param_target(&self) -> &[SharingRule] {
        &self.param_target
    }
}

/// The strategy of the workload.
#[derive(Clone, Copy, Debug)]
enum Strategy<'a> {
    Address,
    Topology(&'a [String]),
    Classic(&'a ProposalSharding),
    ProposalTopology(&'a ProposalSharding),
}

impl<'a> Strategy<'a> {
    fn of(common: &'a CommonPrometheusFields, target: &Target) -> Self {
        match &common.sharding_strategy {
            Some(ShardingStrategy::Proposal(proposal)) => match proposal.mode() {
                ProposalMode::Classic => Self::Classic(proposal),
                ProposalMode::Topology => Self::ProposalTopology(proposal),
            },
            Some(ShardingStrategy::Operator(operator))
                if target.enabled(&gates::TOPOLOGY_SHARDING) =>
            {
                match zones(operator) {
                    [] => Self::Address,
                    zones => Self::Topology(zones),
                }
            }
            // Behind a feature gate that is off, the strategy is ignored.
            Some(ShardingStrategy::Operator(_)) | None => Self::Address,
        }
    }

    const fn template(self) -> &'static str {
        match self {
            Self::Address => "operator-address.yaml.j2",
            Self::Topology(_) => "operator-topology.yaml.j2",
            Self::Classic(_) => "proposal-classic.yaml.j2",
            Self::ProposalTopology(_) => "proposal-topology.yaml.j2",
        }
    }

    fn plan(self, n_shards: u32) -> Plan {
        match self {
            Self::Address | Self::Classic(_) => Plan::address(n_shards),
            Self::Topology(zones) => Plan::topology(n_shards, zones, Surplus::Idle),
            Self::ProposalTopology(p) => Plan::topology(
                n_shards,
                p.topology.as_deref().unwrap_or_default(),
                Surplus::Double,
            ),
        }
    }

    const fn proposal(self) -> Option<&'a ProposalSharding> {
        match self {
            Self::Address | Self::Topology(_) => None,
            Self::Classic(proposal) | Self::ProposalTopology(proposal) => Some(proposal),
        }
    }
}

/// The label that the proposal's strategy names, unless it is the default of its mode.
pub fn own_label(proposal: &ProposalSharding) -> Option<&str> {
    let default = match proposal.mode() {
        ProposalMode::Classic => ADDRESS_LABEL,
        ProposalMode::Topology => ZONE_LABEL,
    };
    proposal
        .label
        .as_deref()
        .filter(|label| !label.is_empty() && *label != default)
}

fn zones(operator: &OperatorSharding) -> &[String] {
    let topology = operator
        .topology
        .as_ref()
        .filter(|_| operator.mode == Some(ShardingMode::Topology));
    topology
        .and_then(|t| t.values.as_deref())
        .unwrap_or_default()
}

/// The number of shards: at least one. Reports a number above the maximum, and returns `None`.
pub(crate) fn shard_count(
    common: &CommonPrometheusFields,
    doc: DocId,
    sink: &mut Sink,
) -> Option<u32> {
    // A negative number and 0 are one shard, as for the operator.
    let n_shards = u32::try_from(common.shards).unwrap_or(0).max(1);
    if n_shards <= MAX_SHARDS {
        return Some(n_shards);
    }
    let message = format!("{n_shards} shards exceed the maximum of {MAX_SHARDS}");
    sink.report(Diagnostic::new(
        &TOO_MANY_SHARDS,
        spec_at(doc).key("shards"),
        message,
    ));
    None
}

/// The place of the zones of a workload.
pub fn zones_at(common: &CommonPrometheusFields, doc: DocId) -> At {
    let topology = spec_at(doc).key("shardingStrategy").key("topology");
    match common.sharding_strategy {
        Some(ShardingStrategy::Operator(_)) => topology.key("values"),
        Some(ShardingStrategy::Proposal(_)) | None => topology,
    }
}

/// Returns whether the zones that the strategy requires are listed. Reports missing zones.
pub fn has_zones(common: &CommonPrometheusFields, doc: DocId, sink: &mut Sink) -> bool {
    let Some(ShardingStrategy::Proposal(proposal)) = &common.sharding_strategy else {
        return true;
    };
    let is_empty = proposal.topology.as_ref().is_none_or(Vec::is_empty);
    if proposal.mode() != ProposalMode::Topology || !is_empty {
        return true;
    }
    let at = match proposal.topology {
        Some(_) => zones_at(common, doc),
        None => spec_at(doc).key("shardingStrategy").key("mode"),
    };
    let finding = Diagnostic::new(
        &MISSING_ZONES,
        at,
        "mode `topology` requires the zones to scrape",
    );
    sink.report(
        finding
            .help("list them: `topology: [zone-a, zone-b]`")
            .help("to distribute targets by address only, set `mode: classic`"),
    );
    false
}

/// Reports a label of pods that no pod can have. The default of the other mode is the most likely one.
pub fn check_label(common: &CommonPrometheusFields, doc: DocId, sink: &mut Sink) {
    let Some(ShardingStrategy::Proposal(proposal)) = &common.sharding_strategy else {
        return;
    };
    let Some(label) = own_label(proposal).filter(|_| proposal.mode() == ProposalMode::Topology)
    else {
        return;
    };
    if label_key_errors(label).is_empty() {
        return;
    }
    let at = spec_at(doc).key("shardingStrategy").key("label");
    let message = format!("no pod can have the label `{label}`, so no shard scrapes any target");
    let finding = Diagnostic::new(&ABSENT_SHARDING_LABEL, at, message);
    sink.report(finding.help(format!(
        "name a label of pods; without `label`, it is `{ZONE_LABEL}`"
    )));
}

/// Plans the shards, reports idle and duplicate shards, renders rules and placements. `retained`: whether the data of
/// scaled-down shards is retained, so that a shard out of range must not scrape.
///
/// # Errors
/// A template failed.
pub fn prepare(
    common: &CommonPrometheusFields,
    n_shards: u32,
    versions: &Versions,
    target: &Target,
    retained: bool,
    templates: &Templates,
) -> Result<Sharding, TemplateError> {
    let strategy = Strategy::of(common, target);
    let plan = strategy.plan(n_shards);
    // `0|1|2`: what a shard may be called. A retained shard beyond it keeps its data and scrapes nothing.
    let in_range = (0..n_shards)
        .map(|i| i.to_string())
        .collect::<Vec<_>>()
        .join("|");
    let proposal = strategy.proposal();
    let label = proposal.and_then(|p| own_label(p));
    let additional: Vec<_> =
        config::users(proposal.and_then(|p| p.additional_relabel_config.as_ref())).collect();
    let zone_label = format!(
        "__meta_kubernetes_pod_label_{}",
        config::sanitize(label.unwrap_or(ZONE_LABEL))
    );
    let hashed = match strategy {
        Strategy::Classic(_) => label.map(config::sanitize),
        Strategy::Address | Strategy::Topology(_) | Strategy::ProposalTopology(_) => None,
    };
    let context = RelabelContext {
        label: hashed.as_deref().unwrap_or(ADDRESS_LABEL),
        zone_label: &zone_label,
        // Kubernetes copies the zone to pods since 1.35; before that, only the node has it.
        zone_of: if versions.has(&gates::POD_ZONE_LABEL) {
            "pod"
        } else {
            "node"
        },
        exempts: versions.has(&gates::SHARDING_EXEMPTION),
        modulus: plan.modulus,
        retained: retained.then_some(in_range.as_str()),
        shard: SHARD,
        in_zone: INZONE_SHARD,
        zone: if needs_pattern(strategy, &plan) {
            TOPOLOGY_ZONE_PATTERN
        } else {
            TOPOLOGY_ZONE
        },
        additional: &additional,
    };
    let template = format!("relabel/{}", strategy.template());
    let rules = |context: &RelabelContext<'_>| {
        let rules = with_fields(templates.relabel(&template, context)?, &additional);
        check(&rules, &additional, versions).map_err(|message| TemplateError {
            name: template.clone(),
            line: None,
            message,
            exceeds: false,
        })?;
        Ok(rules)
    };
    // Rendered once for the workload: only the hashed label differs between kinds of jobs.
    let address = rules(&context)?;
    let label = hashed.as_deref().unwrap_or("__param_target");
    let param_target = rules(&RelabelContext { label, ..context })?;
    let placements = placements(strategy, &plan, templates)?;
    let (by_topology, has_zone_patterns) = (
        matches!(strategy, Strategy::Topology(_)),
        needs_pattern(strategy, &plan),
    );
    Ok(Sharding {
        plan,
        by_topology,
        has_zone_patterns,
        placements,
        address,
        param_target,
    })
}

/// Returns whether a text names the zone of a shard.
#[must_use]
pub fn mentions_zone(text: &str) -> bool {
    text.contains(TOPOLOGY_ZONE) || text.contains(TOPOLOGY_ZONE_PATTERN)
}

/// The pattern that matches that zone alone, as YAML.
pub(crate) fn zone_pattern(zone: &str) -> String {
    emit::one_line(&quote_meta(zone))
}

/// Returns whether zones of the proposal mean something else in a pattern, or in YAML.
fn needs_pattern(strategy: Strategy<'_>, plan: &Plan) -> bool {
    matches!(strategy, Strategy::ProposalTopology(_))
        && plan.zones.iter().any(|zone| zone_pattern(zone) != **zone)
}

/// Checks the rules of a template as Prometheus does when it starts. Those of the user are checked where they are selected.
///
/// # Errors
/// The first rule that Prometheus refuses, and why.
fn check(
    rules: &[SharingRule],
    additional: &[RelabelRule],
    versions: &Versions,
) -> Result<(), String> {
    let scheme = NameScheme::of(&versions.prometheus);
    for (index, sharing) in rules
        .iter()
        .enumerate()
        .filter(|(_, sharing)| !additional.contains(&sharing.rule))
    {
        relabel::rules(&[Value::from(sharing.rule.clone())], scheme)
            .map_err(|error| format!("Prometheus refuses relabel rule {}: {error}", index + 1))?;
    }
    Ok(())
}

/// Pairs the rules of a template with the fields that cause them: the user's own rules come first and in order; the
/// rules about zones follow from the zones, all others from the shards.
fn with_fields(rules: Vec<RelabelRule>, additional: &[RelabelRule]) -> Vec<SharingRule> {
    let spec = || ValueRoute::root().key("spec");
    let strategy = || spec().key("shardingStrategy");
    let mut users = additional.iter().enumerate().peekable();
    let with_field = |rule: RelabelRule| {
        let field = if let Some((index, _)) = users.next_if(|(_, user)| **user == rule) {
            strategy().key("additionalRelabelConfig").index(index)
        } else if rule.mentions(TOPOLOGY_ZONE)
            || rule.mentions(TOPOLOGY_ZONE_PATTERN)
            || rule.text("target_label") == Some(TOPOLOGY_LABEL)
        {
            strategy()
        } else {
            spec().key("shards")
        };
        SharingRule { rule, field }
    };
    rules.into_iter().map(with_field).collect()
}

fn placements(
    strategy: Strategy<'_>,
    plan: &Plan,
    templates: &Templates,
) -> Result<Vec<Placement>, TemplateError> {
    let name = format!("placement/{}", strategy.template());
    // The proposal fixes the key: `label` is a label of targets, which a relabel rule may set.
    let placement = |zone: &str| {
        templates.placement(
            &name,
            &PlacementContext {
                zone,
                zone_key: ZONE_LABEL,
            },
        )
    };
    plan.shards
        .iter()
        .map(|s| placement(s.zone.as_deref().unwrap_or_default()))
        .collect()
}

/// Reports duplicate zones.
pub(crate) fn report_duplicates(plan: &Plan, list: &At, sink: &mut Sink) {
    for (index, zone) in plan.zones.iter().enumerate() {
        let Some(first) = plan.zones[..index].iter().position(|before| before == zone) else {
            continue;
        };
        let message =
            format!("zone \"{zone}\" is listed twice: two sets of shards scrape its targets");
        let diagnostic = Diagnostic::new(&DUPLICATE_ZONE, list.clone().index(index), message);
        sink.report(
            diagnostic
                .related(list.clone().index(first), "first here")
                .help("list it once"),
        );
    }
}

/// Reports idle and duplicate shards. Shards of duplicate zones are not surplus.
pub(crate) fn report_surplus(plan: &Plan, doc: DocId, sink: &mut Sink) {
    let at = spec_at(doc).key("shards");
    let (n_shards, n_zones) = (plan.shards.len(), plan.zones.len());
    let below = n_shards - n_shards % n_zones.max(1);
    let fewer = || {
        let fix = Fix::risky(format!("lower spec.shards to {below}"));
        fix.change(EditAction::Value(at.clone(), below.to_string()))
    };
    let advice = || {
        format!(
            "use a multiple of the number of zones: {below} or {}",
            below + n_zones
        )
    };
    let idle: Vec<_> = plan.idle().map(|s| s.index).collect();
    if !idle.is_empty() {
        let message = match idle.as_slice() {
            [one] => format!(
                "shard {one} is idle: {n_shards} shards on {n_zones} zones leave no targets for it"
            ),
            many => format!(
                "shards {} are idle: {n_shards} shards on {n_zones} zones leave no targets for them",
                list(many)
            ),
        };
        let label = format!("{n_shards} is not a multiple of {n_zones} zones");
        sink.report(
            Diagnostic::new(&IDLE_SHARD, at.clone(), message)
                .label(label)
                .help(advice())
                .fix(fewer()),
        );
    }
    let is_surplus = |group: &Vec<u32>| {
        // The entry of the list that a shard serves: a zone that is listed twice is no surplus, and has a finding of
        // its own.
        let entry = |index: &u32| *index as usize % n_zones.max(1);
        group.iter().enumerate().any(|(i, index)| {
            group[..i]
                .iter()
                .any(|before| entry(before) == entry(index))
        })
    };
    for group in plan.doubled().into_iter().filter(is_surplus) {
        let zone = plan.shards[group[0] as usize]
            .zone
            .clone()
            .unwrap_or_default();
        let message = format!(
            "shards {} scrape the same targets of zone {zone}",
            list(&group)
        );
        let label = format!("{n_shards} is not a multiple of {n_zones} zones");
        sink.report(
            Diagnostic::new(&DOUBLED_SHARD, at.clone(), message)
                .label(label)
                .help(advice())
                .fix(fewer()),
        );
    }
}

/// `1, 2 and 3`.
fn list(numbers: &[u32]) -> String {
    let texts: Vec<_> = numbers.iter().map(u32::to_string).collect();
    match texts.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [init @ .., last] => format!("{} and {last}", init.join(", ")),
    }
}
