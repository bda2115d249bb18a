//! Numbers of pods.

use promgen_compile::output::Workload;
use promgen_model::running::{RunningWorkload, Spec};
use promgen_resources::api::scraping::scrape::RelabelConfig;
use promgen_resources::api::servers::remote::RemoteWriteSpec;
use promgen_text::diag::{Diagnostic, Level, Sink, rules};
use promgen_text::go::regex::GoRegex;

rules! {
    /// ## What it does
    /// Finds Alertmanagers with one replica and no additional peers.
    ///
    /// An even number of replicas is as good as an odd one: Alertmanagers need no majority. An Alertmanager that loses its
    /// peers continues alone, and prefers duplicate notifications to none. So two or four replicas are not reported.
    ///
    /// ## Why is this bad?
    /// While its pod is rescheduled, no notifications are sent. One replica is enough if such a gap is acceptable, or if another
    /// system monitors the alerting.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Alertmanager
    /// metadata: {name: main}
    /// spec:
    ///   replicas: 1
    /// ```
    /// Use instead:
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Alertmanager
    /// metadata: {name: main}
    /// spec:
    ///   replicas: 2
    /// ```
    ///
    /// ## Source
    /// Alertmanager's documentation, "High Availability": a partitioned cluster fails open.
    LONELY_ALERTMANAGER = "PG513" "lonely-alertmanager" Info: "an Alertmanager with one replica";

    /// ## What it does
    /// Finds a negative number of replicas.
    ///
    /// ## Why is this bad?
    /// Nobody runs less than no pod. The operator runs one pod of a Prometheus or PrometheusAgent and none of an Alertmanager; for
    /// a ThanosRuler it writes a StatefulSet that the API server refuses.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   replicas: -1
    /// ```
    /// Use instead:
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   replicas: 2
    /// ```
    NEGATIVE_REPLICAS = "PG517" "negative-replicas" Error: "a negative number of replicas";

    /// ## What it does
    /// Finds remote writes without `queueConfig` of servers and agents that have several shards.
    ///
    /// ## Why is this bad?
    /// The default limits of Prometheus apply to each pod. So the remote endpoint must handle that number of concurrent
    /// requests, times replicas, times shards. If it is slow, all queues grow at once, and so does the memory of all pods.
    /// Ignore this if the default limits are sufficient.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   shards: 8
    ///   remoteWrite:
    ///   - url: https://metrics.example.com/api/v1/push
    /// ```
    /// Use instead: limits that the remote endpoint can handle for all pods together.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   shards: 8
    ///   remoteWrite:
    ///   - url: https://metrics.example.com/api/v1/push
    ///     queueConfig: {maxShards: 10, capacity: 5000}
    /// ```
    ///
    /// ## Source
    /// Prometheus' documentation, "Remote write tuning".
    DEFAULT_QUEUE = "PG515" "default-queue" Info: "remote write from several shards without a queueConfig";

    /// ## What it does
    /// Finds workloads of several replicas with an empty `replicaExternalLabelName` that send samples, or upload blocks; remote writes
    /// whose `writeRelabelConfigs` drop the label of the replica; and workloads of several shards that send the label `__replica__`,
    /// which Mimir and Cortex read, with one `cluster`.
    ///
    /// The level is warning with an object store or with `__replica__`, and info with remote write only: some receivers merge the
    /// samples of replicas that have the same labels.
    ///
    /// ## Why is this bad?
    /// The label tells replicas apart. Without it, all send the same series: a receiver refuses samples that come twice, and
    /// Thanos finds blocks that overlap. Mimir accepts the samples of one `__replica__` for each `cluster`: those of all shards but one
    /// are lost, if `cluster` does not contain `$(SHARD)`.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   replicas: 2
    ///   replicaExternalLabelName: ""
    ///   remoteWrite: [{url: "https://metrics.example.org/write"}]
    /// ```
    /// Use instead: leave the field out, or name a label.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   replicas: 2
    ///   remoteWrite: [{url: "https://metrics.example.org/write"}]
    /// ```
    SAME_SERIES = "PG526" "same-series" Info: "replicas that nothing tells apart where their samples go";

    /// ## What it does
    /// Finds workloads with `paused: true` or `replicas: 0`.
    ///
    /// ## Why is this bad?
    /// It is not, if it is on purpose; it is easily forgotten. The operator changes nothing of a paused workload: new monitors, rules
    /// and receivers have no effect. A workload without pods scrapes, evaluates and notifies nothing.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   paused: true
    /// ```
    /// Use instead: leave the field out.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec: {}
    /// ```
    IDLE_WORKLOAD = "PG535" "idle-workload" Info: "a workload that is paused, or has no pods";
}

/// Checks whether an Alertmanager has peers.
pub(super) fn alertmanager(running: &RunningWorkload<'_>, sink: &mut Sink) {
    let Spec::Alertmanager(spec) = running.spec else {
        return;
    };
    let has_peers = spec
        .additional_peers
        .as_ref()
        .is_some_and(|peers| !peers.is_empty());
    if spec.replicas.unwrap_or(1) != 1 || has_peers || spec.force_enable_cluster_mode == Some(true)
    {
        return;
    }
    let message = format!(
        "{} has one replica: it sends no notifications while its pod is rescheduled",
        running.what()
    );
    let diagnostic = Diagnostic::new(&LONELY_ALERTMANAGER, running.at().key("replicas"), message);
    sink.report(diagnostic.help(
        "use two or more, unless such a gap is acceptable; an even number is as good as an odd one",
    ));
}

/// Checks that replicas which send samples are told apart.
pub(super) fn same_series(running: &RunningWorkload<'_>, sink: &mut Sink) {
    let Some(common) = running.common() else {
        return;
    };
    let replicas = common.replicas.unwrap_or(1);
    let is_nameless = common.replica_external_label_name.as_deref() == Some("");
    let uploads = matches!(running.spec, Spec::Server(spec) if spec.thanos.as_ref().is_some_and(|thanos| thanos.object_storage_config.is_some()));
    if replicas < 2 || !is_nameless || !uploads && running.remote_write().is_empty() {
        return;
    }
    let (does, level) = if uploads {
        ("upload", Level::Warning)
    } else {
        ("send", Level::Info)
    };
    let message = format!(
        "the {replicas} replicas of {} {does} the same series: no label tells them apart",
        running.what()
    );
    let found = Diagnostic::new(
        &SAME_SERIES,
        running.at().key("replicaExternalLabelName"),
        message,
    )
    .level(level);
    let found = found.help("leave `replicaExternalLabelName` out, or name a label");
    sink.report(if uploads {
        found
    } else {
        found.help("ignore this if the receiver merges samples of replicas")
    });
}

/// Checks that remote write keeps the label that tells replicas apart.
pub(super) fn written_series(running: &RunningWorkload<'_>, sink: &mut Sink) {
    let common = running.common();
    let label = match common {
        Some(common) => common
            .replica_external_label_name
            .as_deref()
            .unwrap_or("prometheus_replica"),
        None => "thanos_ruler_replica",
    };
    if label.is_empty() {
        return;
    }
    let (replicas, what) = (running.replicas().unwrap_or(1), running.what());
    for (index, remote) in running.remote_write().iter().enumerate() {
        let rules: Vec<&RelabelConfig> = remote.write_relabel_configs.iter().flatten().collect();
        let at = running.at().key("remoteWrite").index(index);
        let dropping = (0..rules.len()).filter(|n| {
            let is_kept = rules[..*n].iter().any(|rule| copies(rule, label));
            replicas > 1 && drops(rules[*n], label) && !is_kept
        });
        for n in dropping {
            let message = format!(
                "the {replicas} replicas of {what} send the same series: this rule removes `{label}`, which tells them apart"
            );
            let at = at.clone().key("writeRelabelConfigs").index(n);
            let found = Diagnostic::new(&SAME_SERIES, at, message);
            let found = found.help(format!("keep `{label}`, and let the receiver remove it"));
            sink.report(found.help("ignore this if the receiver merges samples of replicas"));
        }
    }
    let Some(common) = common else {
        return;
    };
    let own_name = common.prometheus_external_label_name.as_deref();
    let cluster = common
        .external_labels
        .as_ref()
        .and_then(|labels| labels.get("cluster"));
    let (at, is_shared) = match cluster {
        Some(cluster) => (
            running.at().key("externalLabels").key("cluster"),
            !cluster.contains("$("),
        ),
        None => (
            running.at().key("prometheusExternalLabelName"),
            own_name == Some("cluster"),
        ),
    };
    let is_plain =
        |remote: &RemoteWriteSpec| remote.write_relabel_configs.iter().flatten().count() == 0;
    let writes_plain = running.remote_write().iter().any(is_plain);
    if label == "__replica__" && common.shards > 1 && is_shared && writes_plain {
        let message = format!(
            "the {} shards of {what} send one `cluster`, of which Mimir accepts one `__replica__`: it drops the samples of the other shards",
            common.shards
        );
        let found = Diagnostic::new(&SAME_SERIES, at, message).level(Level::Warning);
        sink.report(found.help(
            "set `externalLabels: {cluster: \"NAME-$(SHARD)\"}`, so that each shard has its own",
        ));
    }
}

/// Returns whether a rule writes a label into another one.
fn copies(rule: &RelabelConfig, label: &str) -> bool {
    let reads = rule
        .source_labels
        .iter()
        .flatten()
        .any(|source| *source == *label);
    let is_other = rule
        .target_label
        .as_deref()
        .is_some_and(|target| target != label);
    reads && is_other || rule.action.as_str().eq_ignore_ascii_case("labelmap")
}

/// Returns whether a rule removes a label from every series, or writes one value over it.
fn drops(rule: &RelabelConfig, label: &str) -> bool {
    let regex = rule.regex.as_deref().unwrap_or("(.*)");
    let matches = |text: &str| GoRegex::anchored_small(regex).map(|regex| regex.is_match(text));
    let is_action = |action: &str| rule.action.as_str().eq_ignore_ascii_case(action);
    let is_fixed = rule
        .replacement
        .as_deref()
        .is_some_and(|text| !text.contains('$'));
    let reads_nothing = rule.source_labels.as_ref().is_none_or(Vec::is_empty);
    match () {
        () if is_action("labeldrop") => matches(label) == Ok(true),
        () if is_action("labelkeep") => matches(label) == Ok(false),
        () if is_action("replace") => {
            rule.target_label.as_deref() == Some(label)
                && is_fixed
                && reads_nothing
                && matches("") == Ok(true)
        }
        () => false,
    }
}

/// Checks that the number of replicas is none below zero.
pub(super) fn negative(running: &RunningWorkload<'_>, sink: &mut Sink) {
    let becomes = match running.spec {
        Spec::Server(_) | Spec::Agent(_) => "the operator runs 1",
        Spec::Alertmanager(_) => "the operator runs none",
        Spec::Ruler(_) => "the API server refuses the StatefulSet",
    };
    if let Some(replicas) = running.replicas().filter(|replicas| *replicas < 0) {
        let message = format!(
            "`replicas: {replicas}` of {} is negative: {becomes}",
            running.what()
        );
        let diagnostic = Diagnostic::new(&NEGATIVE_REPLICAS, running.at().key("replicas"), message);
        sink.report(diagnostic.help("set the number of pods; 0 stops them"));
    }
}

/// Reports a workload that is paused, or has no pods.
pub(super) fn idle(running: &RunningWorkload<'_>, compiled: &Workload, sink: &mut Sink) {
    if let Some(idle) = compiled.idle() {
        let (field, help) = if compiled.is_paused() {
            ("paused", "remove `paused` for its configuration to follow")
        } else {
            ("replicas", "set the number of pods")
        };
        let message = format!("{} has {idle}", running.what());
        let found = Diagnostic::new(&IDLE_WORKLOAD, running.at().key(field), message);
        sink.report(found.help(format!("{help}, or ignore this if it is on purpose")));
    }
}

/// Checks the queues of a workload with several shards.
pub(super) fn queues(running: &RunningWorkload<'_>, sink: &mut Sink) {
    let Some(common) = running.common().filter(|common| common.shards > 1) else {
        return;
    };
    let n_pods = i64::from(common.shards) * i64::from(common.replicas.unwrap_or(1).max(1));
    let remotes = running.remote_write().iter().enumerate();
    for (index, _) in remotes.filter(|(_, remote)| remote.queue_config.is_none()) {
        let message = format!(
            "{n_pods} pods of {} send samples, and their queues have no limits set",
            running.what()
        );
        let at = running
            .at()
            .key("remoteWrite")
            .index(index)
            .key("queueConfig");
        let help = "set `queueConfig.maxShards` and `capacity`, unless the remote endpoint can handle the default limits of Prometheus";
        sink.report(Diagnostic::new(&DEFAULT_QUEUE, at, message).help(help));
    }
}

#[cfg(test)]
mod tests {
    use crate::checks::found::found;

    #[test]
    fn replicas_and_shards_are_told_apart_where_samples_go() {
        let write = |rules: &str| {
            format!("remoteWrite: [{{url: 'http://a', writeRelabelConfigs: [{rules}]}}]")
        };
        let shards = "shards: 2, replicas: 2, replicaExternalLabelName: __replica__, remoteWrite: [{url: 'http://a'}]";
        for (spec, is_told) in [
            (
                format!(
                    "replicas: 2, {}",
                    write("{action: labeldrop, regex: prometheus_replica}")
                ),
                true,
            ),
            (
                format!(
                    "replicas: 2, {}",
                    write("{action: LabelDrop, regex: 'prom.*'}")
                ),
                true,
            ),
            (
                format!("replicas: 2, {}", write("{action: labelkeep, regex: job}")),
                true,
            ),
            (
                format!(
                    "replicas: 2, {}",
                    write("{targetLabel: prometheus_replica, replacement: a}")
                ),
                true,
            ),
            (
                format!("replicas: 2, {}", write("{action: labeldrop, regex: pod}")),
                false,
            ),
            (
                format!(
                    "replicas: 2, {}",
                    write("{sourceLabels: [a], targetLabel: prometheus_replica}")
                ),
                false,
            ),
            (
                format!(
                    "replicas: 1, {}",
                    write("{action: labeldrop, regex: prometheus_replica}")
                ),
                false,
            ),
            (
                format!(
                    "replicas: 2, {}",
                    write(
                        "{sourceLabels: [prometheus_replica], targetLabel: __replica__}, {action: labeldrop, regex: prometheus_replica}"
                    )
                ),
                false,
            ),
            (
                format!("{shards}, prometheusExternalLabelName: cluster"),
                true,
            ),
            (format!("{shards}, externalLabels: {{cluster: a}}"), true),
            (
                format!("{shards}, externalLabels: {{cluster: 'a-$(SHARD)'}}"),
                false,
            ),
            (shards.to_owned(), false),
        ] {
            for (kind, version) in [("Prometheus", "v1"), ("PrometheusAgent", "v1alpha1")] {
                let told = found(
                    &["PG526"],
                    &format!(
                        "apiVersion: monitoring.coreos.com/{version}\nkind: {kind}\nmetadata: {{name: k}}\nspec: {{{spec}}}\n"
                    ),
                );
                assert_eq!(told.len(), usize::from(is_told), "{spec}: {told:?}");
            }
        }
    }
}
