//! The types of outputs that are printed value by value, declared for their schemas. A test compares every output of the
//! fixtures with them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use promgen_text::diag::Level;

/// Labels, by name.
type Labels = BTreeMap<String, String>;

macro_rules! outputs {
    ($($(#[$doc:meta])+ $name:ident { $($(#[$field_doc:meta])+ $field:ident: $type:ty,)+ })+) => {
        $(
            $(#[$doc])+
            #[derive(Serialize, JsonSchema)]
            #[serde(rename_all = "camelCase")]
            #[allow(dead_code, reason = "declared for its schema")]
            pub(in crate::cli) struct $name { $($(#[$field_doc])+ $field: $type,)+ }
        )+
    };
}

macro_rules! words {
    ($($(#[$doc:meta])+ $name:ident, $case:literal { $($(#[$word_doc:meta])+ $word:ident,)+ })+) => {
        $(
            $(#[$doc])+
            #[derive(Serialize, JsonSchema)]
            #[serde(rename_all = $case)]
            #[allow(dead_code, reason = "declared for its schema")]
            pub(in crate::cli::json) enum $name { $($(#[$word_doc])+ $word,)+ }
        )+
    };
}

mod simulate;
mod tested;
#[cfg(test)]
pub(in crate::cli::json) use simulate::Simulate;
pub(in crate::cli) use simulate::WorkloadSimulation;
pub(in crate::cli) use tested::{EvaluatedRules, TestOutcome, TestedFile, TestedRule, Tests};

outputs! {
    /// Objects of Kubernetes.
    Objects {
        /// The mark by which a later run knows what promgen has written; `build` writes none.
        metadata: Option<Value>,
        /// The objects, each as its kind says.
        objects: Vec<Value>,
    }

    /// What was explained: one of these keys.
    Explained {
        /// Rules: the one that was asked for, or all.
        #[serde(skip_serializing_if = "Option::is_none")]
        rules: Option<Vec<ExplainedRule>>,
        /// Version gates.
        #[serde(skip_serializing_if = "Option::is_none")]
        gates: Option<Vec<ExplainedGate>>,
        /// Limits that --raise-limit sets.
        #[serde(skip_serializing_if = "Option::is_none")]
        limits: Option<Vec<ExplainedLimit>>,
        /// Limits that no option sets.
        #[serde(skip_serializing_if = "Option::is_none")]
        fixed: Option<Vec<FixedLimit>>,
        /// The explanation of a resource.
        #[serde(skip_serializing_if = "Option::is_none")]
        explanation: Option<Explanation>,
    }

    /// A rule.
    ExplainedRule {
        /// Its code: PG201.
        code: String,
        /// Its name: idle-shard.
        name: String,
        /// Its level.
        level: Level,
        /// The release of promgen that has it first.
        since: String,
        /// The result, in a line.
        summary: String,
        /// All about it, in Markdown.
        documentation: String,
    }

    /// A feature, and the versions that support it.
    ExplainedGate {
        /// The product whose version decides.
        product: String,
        /// The feature, in Markdown.
        feature: String,
        /// The fields that it is about, as patterns.
        fields: Vec<String>,
        /// The first version with it.
        since: String,
        /// The first version without it.
        #[serde(skip_serializing_if = "Option::is_none")]
        until: Option<String>,
        /// The consequence of its absence.
        without: WithoutFeature,
        /// Whether the version that was asked for has it.
        #[serde(skip_serializing_if = "Option::is_none")]
        supported: Option<bool>,
    }

    /// A limit.
    ExplainedLimit {
        /// Its name for --raise-limit.
        name: String,
        /// Its default, with its unit.
        default: String,
        /// The code of the finding that reports it. Empty: it has none.
        code: String,
        /// The subject of the limit.
        of: String,
    }

    /// A limit that no option sets.
    FixedLimit {
        /// The maximum, with its unit.
        maximum: String,
        /// The code of the finding that reports it. Empty: it has none.
        code: String,
        /// The subject of the limit.
        of: String,
    }

    /// A step of the explanation of a resource.
    Explanation {
        /// Whether it holds.
        state: ExplainedState,
        /// What it says.
        text: String,
        /// The file of its place.
        file: Option<String>,
        /// The line, from 1.
        line: Option<usize>,
        /// The column in characters, from 1.
        column: Option<usize>,
        /// The action.
        help: Vec<String>,
        /// The steps below.
        steps: Vec<Explanation>,
    }

    /// The verdicts of tools on statuses.
    Health {
        /// By workload.
        workloads: Vec<WorkloadHealth>,
    }

    /// The verdicts of tools on a workload.
    WorkloadHealth {
        /// KIND/NAMESPACE/NAME.
        workload: String,
        /// Whether its status is the one in the input, or the expected one.
        status: StatusSource,
        /// The verdict of each tool.
        conclusions: Vec<ToolVerdict>,
    }

    /// The verdict of a tool.
    ToolVerdict {
        /// The tool.
        tool: String,
        /// Its own word.
        verdict: String,
        /// Whether it takes the workload for healthy.
        good: bool,
        /// Why.
        reason: String,
    }

    /// The targets of shards.
    Shards {
        /// By workload.
        workloads: Vec<WorkloadShards>,
    }

    /// The targets of the shards of a workload.
    WorkloadShards {
        /// KIND/NAMESPACE/NAME.
        workload: String,
        /// The modulus of the hash.
        modulus: u64,
        /// The number of targets.
        targets: u64,
        /// The number of their series, with `--metrics`.
        #[serde(skip_serializing_if = "Option::is_none")]
        series: Option<u64>,
        /// The targets whose series no file shows: they count with the mean.
        #[serde(skip_serializing_if = "Option::is_none")]
        without_series: Option<u64>,
        /// Those that no shard scrapes.
        uncovered: u64,
        /// Those that several shards scrape.
        doubled: u64,
        /// Its shards.
        shards: Vec<ShardTargets>,
    }

    /// The targets of a shard.
    ShardTargets {
        /// Its number, from 0.
        shard: u32,
        /// Its pods.
        pods: i64,
        /// Its zone.
        #[serde(skip_serializing_if = "Option::is_none")]
        zone: Option<String>,
        /// Its number among the shards of its zone, from 0.
        in_zone: u32,
        /// The number of its targets.
        targets: u64,
        /// The number of their series, with `--metrics`.
        #[serde(skip_serializing_if = "Option::is_none")]
        series: Option<u64>,
        /// Its part of all targets, from 0 to 1.
        share: f64,
    }

    /// The rules of shards.
    ShardRules {
        /// By workload.
        workloads: Vec<WorkloadRules>,
    }

    /// The rules of the shards of a workload.
    WorkloadRules {
        /// KIND/NAMESPACE/NAME.
        workload: String,
        /// The modulus of the hash.
        modulus: u64,
        /// Its shards.
        shards: Vec<RulesOfShard>,
    }

    /// The rules of a shard.
    RulesOfShard {
        /// Its number, from 0.
        shard: u32,
        /// Its zone.
        #[serde(skip_serializing_if = "Option::is_none")]
        zone: Option<String>,
        /// Its number among the shards of its zone, from 0.
        in_zone: u32,
        /// The fields of its pods that decide where they run, as Kubernetes has them.
        placement: Value,
        /// Its sharding rules, as Prometheus has them.
        #[serde(rename = "relabel_configs")]
        relabel_configs: Vec<Value>,
    }

    /// The shards of targets.
    Which {
        /// By target, job and workload.
        targets: Vec<CheckedTarget>,
    }

    /// The shards of a target.
    CheckedTarget {
        /// KIND/NAMESPACE/NAME.
        workload: String,
        /// The job.
        job: String,
        /// Its address before relabeling.
        address: String,
        /// The object that it was discovered from.
        #[serde(skip_serializing_if = "Option::is_none")]
        source: Option<String>,
        /// Its node, for an agent that runs on every node.
        #[serde(skip_serializing_if = "Option::is_none")]
        node: Option<String>,
        /// Whether it is a target of the job, whichever shard has it.
        is_target: bool,
        /// The shards that keep it, by the labels that it has then.
        scraped: Vec<KeptTarget>,
        /// The shards that drop it, by the rule that does.
        dropped: Vec<DroppedTarget>,
        /// Why its job gets no targets: a permission that is missing, or a policy.
        #[serde(skip_serializing_if = "Option::is_none")]
        unreached: Option<String>,
    }

    /// A target that shards keep.
    KeptTarget {
        /// The shards.
        shards: Vec<u32>,
        /// The address that is scraped.
        #[serde(skip_serializing_if = "Option::is_none")]
        url: Option<String>,
        /// The labels of its series.
        #[serde(skip_serializing_if = "Option::is_none")]
        labels: Option<Labels>,
        /// Why Prometheus does not scrape it nonetheless.
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<String>,
    }

    /// A target that shards drop.
    DroppedTarget {
        /// The shards.
        shards: Vec<u32>,
        /// The number of the rule in the job, from 1.
        rule: usize,
        /// The rule, as Prometheus has it.
        config: Value,
        /// What it compares its regular expression with.
        value: String,
        /// The origin.
        origin: Origin,
    }

    /// The origin of a rule.
    Origin {
        /// The file.
        #[serde(skip_serializing_if = "Option::is_none")]
        file: Option<String>,
        /// The line, from 1.
        #[serde(skip_serializing_if = "Option::is_none")]
        line: Option<usize>,
        /// The column in characters, from 1.
        #[serde(skip_serializing_if = "Option::is_none")]
        column: Option<usize>,
        /// The resource.
        #[serde(skip_serializing_if = "Option::is_none")]
        resource: Option<String>,
        /// The field of the resource.
        #[serde(skip_serializing_if = "Option::is_none")]
        field: Option<String>,
    }

    /// Traces of targets.
    Trace {
        /// By target, job and workload.
        targets: Vec<TracedTarget>,
    }

    /// The trace of a target.
    TracedTarget {
        /// KIND/NAMESPACE/NAME.
        workload: String,
        /// The job.
        job: String,
        /// The shard whose rules ran.
        shard: u32,
        /// Its address before relabeling.
        address: String,
        /// The object that it was discovered from.
        #[serde(skip_serializing_if = "Option::is_none")]
        source: Option<String>,
        /// Its node, for an agent that runs on every node.
        #[serde(skip_serializing_if = "Option::is_none")]
        node: Option<String>,
        /// The rules, in order, up to the one that drops it.
        steps: Vec<TraceStep>,
        /// Whether the shard keeps it.
        kept: bool,
        /// The address that is scraped.
        #[serde(skip_serializing_if = "Option::is_none")]
        url: Option<String>,
        /// The labels of its series.
        #[serde(skip_serializing_if = "Option::is_none")]
        labels: Option<Labels>,
        /// Why Prometheus does not scrape it nonetheless.
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<String>,
        /// The number of the rule that drops it, from 1.
        #[serde(skip_serializing_if = "Option::is_none")]
        dropped_by: Option<usize>,
    }

    /// The effect of a rule.
    TraceStep {
        /// The number of the rule in the job, from 1.
        rule: usize,
        /// The rule, as Prometheus has it.
        config: Value,
        /// The origin.
        origin: Origin,
        /// What it compares its regular expression with.
        value: Value,
        /// The labels before.
        before: Labels,
        /// The labels afterwards; null if the rule drops the target.
        after: Option<Labels>,
    }

    /// Proofs.
    Prove {
        /// By workload.
        workloads: Vec<WorkloadProof>,
    }

    /// The proof of a workload.
    WorkloadProof {
        /// KIND/NAMESPACE/NAME.
        workload: String,
        /// Whether there is no counterexample.
        holds: bool,
        /// The same in words.
        verdict: String,
        /// Shards that no target can match.
        idle: Vec<u32>,
        /// The proofs of each class of targets.
        #[serde(skip_serializing_if = "Option::is_none")]
        classes: Option<Vec<ProvedClass>>,
        /// Why nothing is proved of classes.
        #[serde(skip_serializing_if = "Option::is_none")]
        not_by_symbol: Option<String>,
        /// Its jobs.
        jobs: Vec<ProvedJob>,
        /// The results for the targets of --targets or --random.
        #[serde(skip_serializing_if = "Option::is_none")]
        tried: Option<TriedTargets>,
    }

    /// The proof of a class of targets.
    ProvedClass {
        /// The class.
        class: TargetClassName,
        /// Its zone.
        #[serde(skip_serializing_if = "Option::is_none")]
        zone: Option<String>,
        /// Whether every target of it has exactly one shard, if it should.
        holds: bool,
        /// The number of cases.
        cases: u64,
        /// The number of cases without a shard.
        uncovered: u64,
        /// Groups of shards that scrape the same targets.
        doubled: Vec<Vec<u32>>,
        /// The shards of the class.
        shards: Vec<u32>,
    }

    /// The proof of a job.
    ProvedJob {
        /// Its name.
        job: String,
        /// The file that it comes from.
        #[serde(skip_serializing_if = "Option::is_none")]
        file: Option<String>,
        /// The line, from 1.
        #[serde(skip_serializing_if = "Option::is_none")]
        line: Option<usize>,
        /// Whether there is no counterexample.
        holds: bool,
        /// The method of the check.
        by: ProofMethod,
        /// Why not by symbol.
        #[serde(skip_serializing_if = "Option::is_none")]
        because: Option<String>,
        /// What else is to be known.
        #[serde(skip_serializing_if = "Option::is_none")]
        note: Option<String>,
        /// The number of known targets.
        targets: u64,
        /// Whether every shard scrapes all its targets, because it disables sharding.
        disables_sharding: bool,
        /// The number of known targets with sharding disabled.
        exempt_targets: u64,
        /// The proofs of each class of targets.
        classes: Vec<ProvedClass>,
        /// The first counterexamples.
        counterexamples: Vec<ShardsOfLabels>,
        /// The number of all counterexamples.
        n_counterexamples: u64,
        /// The part that was not looked at.
        not_looked_at: Vec<String>,
    }

    /// A counterexample.
    ShardsOfLabels {
        /// The labels of the target.
        labels: Labels,
        /// The shards that scrape it.
        shards: Vec<u32>,
    }

    /// The targets that are shown.
    TriedTargets {
        /// The number of targets.
        targets: u64,
        /// Those that no shard scrapes.
        uncovered: u64,
        /// Those that several shards scrape.
        doubled: u64,
        /// The shards that scrape none of them.
        without_targets: Vec<u32>,
    }

    /// The routes of an alert.
    Route {
        /// By Alertmanager.
        workloads: Vec<RoutedAlert>,
    }

    /// The routes of an alert in an Alertmanager.
    RoutedAlert {
        /// KIND/NAMESPACE/NAME.
        workload: String,
        /// The labels of the alert.
        labels: Labels,
        /// The receivers that are notified.
        receivers: Vec<String>,
        /// The routes that match.
        routes: Vec<RouteStep>,
        /// The inhibitions of the alert.
        inhibited: Vec<Inhibition>,
    }

    /// A route that matches.
    RouteStep {
        /// Its way through the tree.
        route: String,
        /// Its matchers.
        matchers: Vec<String>,
        /// Whether the routes after it are tried, too.
        r#continue: bool,
        /// Whether it notifies.
        notifies: bool,
        /// The file that it comes from.
        #[serde(skip_serializing_if = "Option::is_none")]
        file: Option<String>,
        /// The line, from 1.
        #[serde(skip_serializing_if = "Option::is_none")]
        line: Option<usize>,
        /// The line in the value of a Secret, from 1.
        #[serde(skip_serializing_if = "Option::is_none")]
        line_in_secret: Option<usize>,
        /// Its receiver.
        #[serde(skip_serializing_if = "Option::is_none")]
        receiver: Option<String>,
        /// The integrations of its receiver.
        #[serde(skip_serializing_if = "Option::is_none")]
        integrations: Option<Vec<String>>,
        /// The labels that make a group.
        #[serde(skip_serializing_if = "Option::is_none")]
        group_by: Option<Vec<String>>,
        /// `group_wait`.
        #[serde(skip_serializing_if = "Option::is_none")]
        group_wait: Option<String>,
        /// `group_interval`.
        #[serde(skip_serializing_if = "Option::is_none")]
        group_interval: Option<String>,
        /// `repeat_interval`.
        #[serde(skip_serializing_if = "Option::is_none")]
        repeat_interval: Option<String>,
        /// The time intervals that mute it.
        #[serde(skip_serializing_if = "Option::is_none")]
        mute_time_intervals: Option<Vec<String>>,
        /// The time intervals outside of which it is mute.
        #[serde(skip_serializing_if = "Option::is_none")]
        active_time_intervals: Option<Vec<String>>,
        /// Whether a time interval mutes it at the time of --at.
        #[serde(skip_serializing_if = "Option::is_none")]
        muted: Option<bool>,
    }

    /// A rule that inhibits an alert.
    Inhibition {
        /// The labels of the firing alert that does.
        by: Labels,
        /// The file that the rule comes from.
        #[serde(skip_serializing_if = "Option::is_none")]
        file: Option<String>,
        /// The line, from 1.
        #[serde(skip_serializing_if = "Option::is_none")]
        line: Option<usize>,
        /// The line in the value of a Secret, from 1.
        #[serde(skip_serializing_if = "Option::is_none")]
        line_in_secret: Option<usize>,
    }

    /// The receivers of all alerts.
    RouteAll {
        /// By Alertmanager.
        workloads: Vec<RoutedAlerts>,
    }

    /// The receivers of all alerts in an Alertmanager.
    RoutedAlerts {
        /// KIND/NAMESPACE/NAME.
        workload: String,
        /// The alerts of the PrometheusRules.
        alerts: Vec<AlertReceivers>,
    }

    /// The receivers of an alert.
    AlertReceivers {
        /// The PrometheusRule: NAMESPACE/NAME.
        rule: String,
        /// The labels that the alert always has.
        labels: Labels,
        /// The receivers that are notified.
        receivers: Vec<String>,
        /// The file of the alert.
        #[serde(skip_serializing_if = "Option::is_none")]
        file: Option<String>,
        /// The line, from 1.
        #[serde(skip_serializing_if = "Option::is_none")]
        line: Option<usize>,
        /// The line in the value of a Secret, from 1.
        #[serde(skip_serializing_if = "Option::is_none")]
        line_in_secret: Option<usize>,
    }
}

words! {
    /// The consequence if a feature is absent.
    WithoutFeature, "lowercase" {
        /// The operator omits the field.
        Omitted,
        /// The operator refuses the resource.
        Refused,
        /// The operator writes an older form.
        #[serde(rename = "older form")]
        OlderForm,
    }

    /// Whether a step of an explanation holds.
    ExplainedState, "lowercase" {
        /// It holds.
        Holds,
        /// It does not.
        Breaks,
        /// What decides it is not in the input.
        Unknown,
        /// There is nothing to check, or only a live server knows.
        Open,
    }

    /// The source of a status.
    StatusSource, "lowercase" {
        /// From the input.
        Live,
        /// Computed.
        Expected,
    }

    /// A class of targets.
    TargetClassName, "kebab-case" {
        /// All targets.
        All,
        /// Targets of a zone.
        Zone,
        /// Targets with labels that set different zones.
        TwoZones,
        /// Targets of other zones.
        OtherZone,
        /// Targets without a zone.
        NoZone,
        /// Targets that are not sharded.
        Exempt,
    }

    /// The check of a job.
    ProofMethod, "lowercase" {
        /// By symbol: for all targets.
        Symbol,
        /// By enumeration: for the known targets.
        Enumeration,
    }
}
