//! Rules of users that also hash targets.

use promgen_model::monitors::Monitor;
use std::collections::BTreeMap;

use crate::checks::sharding::job;
use promgen_model::model::World;
use promgen_model::scraping::needs::ScrapingServer;

use promgen_compile::sharding::{INZONE_SHARD, SHARD};
use promgen_resources::api::scraping::scrape::RelabelConfig;
use promgen_resources::api::{Probe, Resource as _, ScrapeConfig};
use promgen_text::diag::{Diagnostic, Place, Sink, rules};
use promgen_text::route::At;

rules! {
    /// ## What it does
    /// Finds rules of users that hash targets, as users did before the operator did it.
    ///
    /// In a monitor, a `hashmod` into `__tmp_hash` does not replace the generated rule, which hashes the result again. In
    /// ScrapeConfigs and `additionalScrapeConfigs`, any `hashmod` replaces the generated rules.
    ///
    /// ## Why is this bad?
    /// In a monitor, the targets form at most `modulus` groups that move together. If the rules also keep by shard, targets
    /// are lost unless both hashes agree. In ScrapeConfigs and `additionalScrapeConfigs`, every shard scrapes everything,
    /// unless the rules keep by shard.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   shards: 2
    ///   podMonitorSelector: {}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PodMonitor
    /// metadata: {name: cart}
    /// spec:
    ///   selector: {matchLabels: {app: cart}}
    ///   podMetricsEndpoints:
    ///   - port: metrics
    ///     relabelings:
    ///     - sourceLabels: [namespace]
    ///       targetLabel: __tmp_hash
    ///       modulus: 2
    ///       action: hashmod
    /// ```
    /// Use instead: the text to hash.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   shards: 2
    ///   podMonitorSelector: {}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PodMonitor
    /// metadata: {name: cart}
    /// spec:
    ///   selector: {matchLabels: {app: cart}}
    ///   podMetricsEndpoints:
    ///   - port: metrics
    ///     relabelings:
    ///     - sourceLabels: [namespace]
    ///       targetLabel: __tmp_hash
    /// ```
    OWN_HASH = "PG206" "own-hash" Warning: "a rule of the user that hashes targets, in addition to or instead of the generated one";
}

/// The label that the generated rule hashes.
const HASH: &str = "__tmp_hash";

/// Checks additional scrape configs.
pub(super) fn additional(server: ScrapingServer<'_>, sink: &mut Sink) {
    let n_shards = server.workload.plan.shards.len();
    if n_shards == 1 {
        return;
    }
    let Some(secret) = server.secret_jobs() else {
        return;
    };
    for (index, job) in &secret.jobs {
        let rules = job.rules();
        let hashes = rules
            .iter()
            .any(|rule| job::text(rule, "action") == "hashmod");
        let by_shard = |text: &str| text.contains(SHARD) || text.contains(INZONE_SHARD);
        let keeps_by_shard = rules.iter().any(|rule| {
            ["regex", "replacement"]
                .iter()
                .any(|f| by_shard(job::text(rule, f)))
        });
        if hashes && !keeps_by_shard {
            let message = format!(
                "all {n_shards} shards of {} scrape all targets of job {} of the additional scrape configs: its `hashmod` \
                 replaces the generated rules",
                server.what(),
                index + 1
            );
            let diagnostic = Diagnostic::new(&OWN_HASH, secret.key.clone(), message);
            let diagnostic = diagnostic.related(secret.reference.clone(), "configured here");
            sink.report(diagnostic.help(format!(
                "remove the `hashmod`, or add a rule after it that keeps `{SHARD}`"
            )));
        }
    }
}

/// Checks the relabelings of monitors that a workload with several shards selects.
pub(super) fn monitors(model: &World<'_>, servers: &[ScrapingServer<'_>], sink: &mut Sink) {
    let mut takers: BTreeMap<(&str, String), &ScrapingServer<'_>> = BTreeMap::new();
    for server in servers
        .iter()
        .filter(|server| server.workload.plan.shards.len() > 1)
    {
        for (kind, resource) in server.workload.selected.accepted() {
            takers.entry((kind, resource.key())).or_insert(server);
        }
    }
    let mut check = HashCheck { takers, sink };
    let cluster = model.cluster();
    for monitor in Monitor::all(cluster) {
        let seeker = monitor.seeker(model.reach.others);
        let key = format!("{}/{}", seeker.namespace, seeker.name);
        let taken = (monitor.kind().as_str(), key);
        for endpoint in monitor.endpoints() {
            let at = endpoint.at().key("relabelings");
            check.rules(&taken, at, endpoint.relabelings);
        }
    }
    for (key, probe) in &cluster.probes {
        let targets = probe.value.spec.targets.as_ref();
        let config = targets.and_then(|targets| targets.static_config.as_ref());
        let at = At::spec(probe.doc)
            .key("targets")
            .key("staticConfig")
            .key("relabelingConfigs");
        let rules = config.and_then(|config| config.relabeling_configs.as_ref());
        check.rules(&(Probe::KIND, key.as_str().to_owned()), at, rules);
    }
    for (key, config) in &cluster.scrape_configs {
        let at = At::spec(config.doc).key("relabelings");
        let rules = config.value.spec.relabelings.as_deref();
        check.replaced(key.as_str(), at, rules.unwrap_or_default());
    }
}

struct HashCheck<'c, 'w> {
    takers: BTreeMap<(&'w str, String), &'w ScrapingServer<'w>>,
    sink: &'c mut Sink,
}

impl HashCheck<'_, '_> {
    /// The rules of a ScrapeConfig, of which any `hashmod` replaces the generated rules.
    fn replaced(&mut self, key: &str, at: At, rules: &[RelabelConfig]) {
        let hashes = |rule: &RelabelConfig| rule.action.as_str().eq_ignore_ascii_case("hashmod");
        let Some(index) = rules.iter().position(hashes) else {
            return;
        };
        let Some(server) = self.takers.get(&(ScrapeConfig::KIND, key.to_owned())) else {
            return;
        };
        let texts = rules
            .iter()
            .flat_map(|rule| [rule.regex.as_deref(), rule.replacement.as_deref()])
            .flatten();
        if texts
            .into_iter()
            .any(|text| text.contains(SHARD) || text.contains(INZONE_SHARD))
        {
            return;
        }
        let (n_shards, what) = (server.workload.plan.shards.len(), server.what());
        let message = format!(
            "all {n_shards} shards of {what} scrape all targets of ScrapeConfig {key}: its `hashmod` replaces \
             the generated rules"
        );
        let diagnostic = finding(**server, at.index(index).key("action"), message);
        self.sink.report(diagnostic.help(format!(
            "remove the `hashmod`, or add a rule after it that keeps `{SHARD}`"
        )));
    }

    fn rules(&mut self, resource: &(&str, String), at: At, rules: Option<&Vec<RelabelConfig>>) {
        let rules = rules.map(Vec::as_slice).unwrap_or_default();
        let hashes = |rule: &RelabelConfig| {
            rule.action.as_str().eq_ignore_ascii_case("hashmod")
                && rule.target_label.as_deref() == Some(HASH)
        };
        let Some(index) = rules.iter().position(hashes) else {
            return;
        };
        let Some(server) = self.takers.get(resource) else {
            return;
        };
        let modulus = rules[index].modulus.unwrap_or_default();
        let keeps = rules[index..].iter().any(|rule| {
            let by_shard = rule
                .regex
                .as_deref()
                .is_some_and(|regex| regex.contains(SHARD));
            by_shard && rule.action.as_str().eq_ignore_ascii_case("keep")
        });
        let effect = match keeps {
            true => "a target is lost unless both hashes agree on the shard".to_owned(),
            false => format!("its targets are distributed in at most {modulus} groups"),
        };
        let message = format!(
            "{} hashes the result of this `hashmod` again: {effect}",
            server.what()
        );
        let diagnostic = finding(**server, at.index(index).key("action"), message);
        let help = format!("to distribute by another label, copy it into `{HASH}` without hashing");
        let besides = keeps
            .then(|| "remove the rule that keeps by shard: the generated rules do this".to_owned());
        let diagnostic = diagnostic.help(help);
        self.sink.report(diagnostic.helps(besides));
    }
}

fn finding(server: ScrapingServer<'_>, at: impl Into<Place>, message: String) -> Diagnostic {
    let shards = server.spec().key("shards");
    Diagnostic::new(&OWN_HASH, at, message).related(shards, "distributed among these shards")
}
