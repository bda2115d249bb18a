//! Targets without a zone, if zones decide which shard scrapes a target.
//!
//! The sharding rules of each shard keep the targets in its zone. No shard keeps a target without a zone. If the labels
//! of a target are known, the check runs the rules on it; otherwise it checks which labels the discovery can set.

use crate::checks::sharding::job;
use promgen_compile::output::Job;
use promgen_compile::output::job::{DiscoverySection, DiscoverySource, KubernetesDiscovery};
use promgen_compile::sharding::mentions_zone;
use promgen_model::model::World;
use promgen_model::scraping::needs::{JobOrigin, ScrapingServer};
use promgen_model::words::and;
use promgen_resources::api::Kind;
use promgen_resources::document;
use promgen_targets::assign::{Assigner, Assignment};
use promgen_targets::discovery::job::{Globals, scrape_labels, static_groups};
use promgen_targets::discovery::label_set;
use promgen_text::diag::{Diagnostic, Level, Place, Sink, rules};
use promgen_text::route::At;
use promgen_text::yaml::Value;

rules! {
    /// ## What it does
    /// Finds targets that have no zone, if shards scrape by zone: targets of static lists, of Probes, of discoveries other than
    /// that of pods, and of additional scrape configs.
    ///
    /// The level is error if the targets are known, or if their discovery cannot set a zone, and warning for `http_sd_configs`
    /// and `file_sd_configs`, which can set any label.
    ///
    /// ## Why is this bad?
    /// No shard scrapes them, and nothing in the cluster reports it.
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
    ///     topology: {values: [zone-a, zone-b]}
    ///   probeSelector: {}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Probe
    /// metadata: {name: page}
    /// spec:
    ///   prober: {url: "blackbox:9115"}
    ///   targets:
    ///     staticConfig:
    ///       static: ["https://example.com"]
    /// ```
    /// Use instead: a rule that sets a zone.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   shards: 2
    ///   shardingStrategy:
    ///     mode: Topology
    ///     topology: {values: [zone-a, zone-b]}
    ///   probeSelector: {}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Probe
    /// metadata: {name: page}
    /// spec:
    ///   prober: {url: "blackbox:9115"}
    ///   targets:
    ///     staticConfig:
    ///       static: ["https://example.com"]
    ///       relabelingConfigs:
    ///       - {targetLabel: __tmp_topology, replacement: zone-a}
    /// ```
    ///
    /// ## Source
    /// Operator: every job ends with a rule that keeps `$(TOPOLOGY_ZONE);|.+;.+`.
    ZONELESS = "PG205" "zoneless-targets" Error: "targets without a zone, which no shard scrapes";

    /// ## What it does
    /// Finds `__tmp_disable_sharding` on targets that have no zone, if shards scrape by zone.
    ///
    /// ## Why is this bad?
    /// With that label, every shard scrapes a target, but only if the target has a zone. Without a zone, no shard scrapes it.
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
    ///     topology: {values: [zone-a, zone-b]}
    ///   scrapeConfigSelector: {}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1alpha1
    /// kind: ScrapeConfig
    /// metadata: {name: page}
    /// spec:
    ///   staticConfigs: [{targets: ["example.com:443"]}]
    ///   relabelings:
    ///   - {targetLabel: __tmp_disable_sharding, replacement: "true"}
    /// ```
    /// Use instead: the label and any zone.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   shards: 2
    ///   shardingStrategy:
    ///     mode: Topology
    ///     topology: {values: [zone-a, zone-b]}
    ///   scrapeConfigSelector: {}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1alpha1
    /// kind: ScrapeConfig
    /// metadata: {name: page}
    /// spec:
    ///   staticConfigs: [{targets: ["example.com:443"]}]
    ///   relabelings:
    ///   - {targetLabel: __tmp_disable_sharding, replacement: "true"}
    ///   - {targetLabel: __tmp_topology, replacement: zone-a}
    /// ```
    FUTILE_DISABLE = "PG207" "futile-disable-sharding" Error: "__tmp_disable_sharding on targets without a zone";
}

/// The label that makes every shard scrape a target.
const DISABLE: &str = "__tmp_disable_sharding";

/// Checks the jobs of a workload that shards by zone.
pub(super) fn check(server: ScrapingServer<'_>, sink: &mut Sink) {
    let Some(zoning) = Zoning::of(server) else {
        return;
    };
    for job in job::of_configs(server) {
        let sections = zoning.zoneless(job, job.rules());
        if !sections.is_empty() {
            sink.report(of_job(server.model, &zoning, job, &sections));
        }
    }
    if server.workload.plan.shards.len() == 1 {
        // The operator adds its rules to additional jobs only where there are several shards.
        return;
    }
    let Some(secret) = server.secret_jobs() else {
        return;
    };
    for (index, job) in &secret.jobs {
        let own = job.rules();
        if own.iter().any(|rule| text_is(rule, "action", "hashmod")) {
            continue;
        }
        let rules: Vec<Value> = own
            .iter()
            .chain(&server.workload.sharding_rules)
            .cloned()
            .collect();
        let sections = zoning.zoneless(job, &rules);
        if !sections.is_empty() {
            let number = index + 1;
            let who = format!(
                "job {number} of the additional scrape configs of {}",
                server.what()
            );
            sink.report(zoning.finding(&who, &rules, &sections, secret.key.clone().into()));
        }
    }
}

fn text_is(rule: &Value, field: &str, wanted: &str) -> bool {
    job::text(rule, field) == wanted
}

/// The sharding of a workload by zone.
struct Zoning<'w> {
    server: ScrapingServer<'w>,
    /// The label that holds the zone in the end.
    label: String,
    /// The source labels of the zone.
    sources: Vec<String>,
    globals: Globals,
}

/// A section of a job whose targets have no zone.
struct Zoneless {
    section: String,
    /// The number of targets without a shard, and the number of all targets. `None` if they are unknown.
    n: Option<(usize, usize)>,
    /// No other source can set a zone.
    is_certain: bool,
}

impl<'w> Zoning<'w> {
    /// `None` for a workload that does not shard by zone.
    fn of(server: ScrapingServer<'w>) -> Option<Self> {
        let compiled = server.workload;
        let config = compiled
            .config
            .as_ref()
            .filter(|_| !compiled.plan.zones.is_empty())?;
        let keeps = |rule: &&Value| mentions_zone(job::text(rule, "regex"));
        let label = sources(compiled.sharding_rules.iter().find(keeps)?)
            .into_iter()
            .next()?;
        let all = compiled.sharding_rules.iter().flat_map(sources);
        let sources = all.filter(|label| label.starts_with("__meta_")).collect();
        Some(Self {
            server,
            label,
            sources,
            globals: Globals::of(config),
        })
    }

    /// The sections of a job whose targets no shard scrapes because they have no zone.
    fn zoneless(&self, job: &Job, rules: &[Value]) -> Vec<Zoneless> {
        let sharding = &self.server.workload.sharding_rules;
        let Some(own) = rules.len().checked_sub(sharding.len()).map(|n| &rules[..n]) else {
            return Vec::new();
        };
        // The rules of a job that is not sharded by zone end in another way.
        if rules.last() != sharding.last() {
            return Vec::new();
        }
        let mut found = Vec::new();
        for DiscoverySection {
            key,
            source,
            entries,
        } in job.discoveries()
        {
            let may_get_zone = || own.iter().any(|rule| job::may_write(rule, &self.label));
            let zoneless = match source {
                DiscoverySource::Static => self.of_static(job, rules, entries),
                DiscoverySource::Kubernetes => {
                    let may = job
                        .kubernetes()
                        .any(|discovery| self.may_give_zone(discovery))
                        || may_get_zone();
                    (!may && !entries.is_empty()).then_some((None, true))
                }
                DiscoverySource::Other => {
                    let is_free = matches!(key, "http_sd_configs" | "file_sd_configs");
                    (!entries.is_empty() && !may_get_zone()).then_some((None, !is_free))
                }
            };
            found.extend(zoneless.map(|(n, is_certain)| Zoneless {
                section: key.to_owned(),
                n,
                is_certain,
            }));
        }
        found
    }

    /// Runs the targets of static lists through the rules.
    fn of_static(
        &self,
        job: &Job,
        rules: &[Value],
        entries: &[Value],
    ) -> Option<(Option<(usize, usize)>, bool)> {
        let compiled = self.server.workload;
        let assigner = Assigner::new(rules, &compiled.plan.shards, compiled.name_scheme()).ok()?;
        let assigner = assigner.with_sharding_rules(compiled.sharding_rules.len());
        let groups = static_groups(entries);
        let assignment = groups
            .iter()
            .flat_map(promgen_targets::discovery::TargetGroup::merged)
            .map(|mut labels| {
                scrape_labels(job, self.globals, &mut labels);
                assigner.assign(&label_set(&labels))
            });
        let (mut n_uncovered, mut n_targets) = (0, 0);
        for assignment in assignment {
            match assignment {
                Assignment::Dropped => {}
                // Its targets are unknown.
                Assignment::TooMuch(_) => return None,
                Assignment::Kept(shards) => {
                    n_targets += 1;
                    n_uncovered += usize::from(shards.is_empty());
                }
            }
        }
        (n_uncovered > 0).then_some((Some((n_uncovered, n_targets)), true))
    }

    /// Whether a Kubernetes discovery sets a source label of the zone.
    fn may_give_zone(&self, discovery: KubernetesDiscovery<'_>) -> bool {
        let attached = discovery.attaches("node");
        let gives: &[&str] = match discovery.role().unwrap_or_default() {
            "pod" | "endpoints" => &["pod"],
            "endpointslice" => &["pod", "endpointslice"],
            other => &[other],
        };
        let is_given = |label: &String, object: &str| {
            label.starts_with(&format!("__meta_kubernetes_{object}_"))
        };
        let is_attached = |label: &String| attached && is_given(label, "node");
        self.sources
            .iter()
            .any(|label| is_attached(label) || gives.iter().any(|object| is_given(label, object)))
    }

    fn finding(
        &self,
        who: &str,
        rules: &[Value],
        sections: &[Zoneless],
        place: Place,
    ) -> Diagnostic {
        let server = self.server;
        let sharding = &server.workload.sharding_rules;
        let own = &rules[..rules.len().saturating_sub(sharding.len())];
        let disables = own
            .iter()
            .any(|rule| text_is(rule, "target_label", DISABLE));
        let what = match sections {
            [
                Zoneless {
                    n: Some((1, 1)), ..
                },
            ] => format!("the only target of {who}: it has no zone"),
            [
                Zoneless {
                    n: Some((n, all)), ..
                },
            ] if n == all => format!("the {n} targets of {who}: they have no zone"),
            [
                Zoneless {
                    n: Some((n, all)), ..
                },
            ] => format!("{n} of the {all} targets of {who}: they have no zone"),
            many => {
                let names: Vec<_> = many
                    .iter()
                    .map(|zoneless| format!("`{}`", zoneless.section))
                    .collect();
                format!(
                    "the targets that {who} discovers with {}: they have no zone",
                    and(&names)
                )
            }
        };
        let (rule, message) = match disables {
            true => (
                &FUTILE_DISABLE,
                format!("`{DISABLE}` has no effect: no shard scrapes {what}"),
            ),
            false => (
                &ZONELESS,
                format!("no shard of {} scrapes {what}", server.what()),
            ),
        };
        let is_certain = sections.iter().any(|zoneless| zoneless.is_certain);
        let level = if is_certain {
            Level::Error
        } else {
            Level::Warning
        };
        let zones = &server.workload.plan.zones;
        let mut diagnostic = Diagnostic::new(rule, place, message)
            .level(level)
            .related(
                server.spec().key("shardingStrategy").key("mode"),
                "shards scrape by zone",
            )
            .help(format!(
                "add a relabel rule that sets `{}` to one of {}",
                self.label,
                and(zones)
            ));
        if !is_certain {
            diagnostic = diagnostic.help(format!(
                "ignore this if the discovery sets `{}`",
                self.label
            ));
        }
        diagnostic
    }
}

fn sources(rule: &Value) -> Vec<String> {
    let labels = rule.items_of("source_labels");
    labels
        .iter()
        .filter_map(|label| label.as_str().map(str::to_owned))
        .collect()
}

/// The finding about a job of a Probe or a ScrapeConfig, at the field that lists its targets.
fn of_job(model: &World<'_>, zoning: &Zoning<'_>, job: &Job, sections: &[Zoneless]) -> Diagnostic {
    let origin = JobOrigin::of(job);
    let who = origin.map(JobOrigin::what).unwrap_or_default();
    let spec = origin.and_then(|origin| Some((origin.kind, origin.doc(model.cluster())?)));
    let place: Option<Place> = spec.map(|(kind, doc)| {
        let spec = At::spec(doc);
        let section = sections
            .first()
            .map(|zoneless| zoneless.section.as_str())
            .unwrap_or_default();
        Place::Key(match (kind, section) {
            (Kind::Probe, "static_configs") => {
                spec.key("targets").key("staticConfig").key("static")
            }
            (Kind::Probe, _) => spec.key("targets").key("ingress"),
            (_, section) => {
                let document = document::find(model.documents(), doc);
                let entries = document
                    .and_then(|document| document.node.get("spec"))
                    .map(|spec| spec.entries());
                let plain = section.replace('_', "");
                let same = |key: &str| key.eq_ignore_ascii_case(&plain);
                let field = entries.into_iter().flatten().find(|entry| same(&entry.key));
                field.map_or(spec.clone(), |entry| spec.key(entry.key.to_string()))
            }
        })
    });
    let place = place.or(job.origin.map(Place::Span));
    let place = place.unwrap_or_else(|| zoning.server.spec().into());
    zoning.finding(&who, job.rules(), sections, place)
}
