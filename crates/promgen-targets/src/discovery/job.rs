//! The targets of a job of a configuration, and the labels that the scrape adds to them.
//!
//! In: a job of a configuration. Out: the groups of its `kubernetes_sd_configs` and
//! `static_configs`, and the name of every discovery that only a live server can do. [`scrape_labels`] then adds what
//! Prometheus adds before it relabels.

use std::fmt;

use crate::discovery::needed::NeededLabels;
use crate::discovery::text::{TargetLabels, Text, label_set};
use crate::discovery::{ADDRESS, Discovery, Query, TargetGroup};
use promgen_compile::output::job::{DiscoverySection, DiscoverySource, KubernetesDiscovery};
use promgen_compile::output::{Config, Job};
use promgen_prometheus::relabel::LabelSet;
use promgen_text::CollectOrdered;
use promgen_text::go::duration::PromDuration;
use promgen_text::yaml::Value;

/// The targets of a job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobTargets {
    /// Groups, section by section in the order of the job.
    pub groups: Vec<TargetGroup>,
    /// The sections of the job that are not followed.
    pub unfollowed: Vec<UnfollowedSection>,
    /// The addresses of targets that are none, so that Prometheus drops or cannot scrape them.
    pub refused: Vec<String>,
}

impl JobTargets {
    /// The number of targets.
    #[must_use]
    pub fn n_targets(&self) -> usize {
        self.groups.iter().map(|group| group.targets.len()).sum()
    }
}

impl JobTargets {
    /// All targets, each with the labels of its group.
    pub(crate) fn merged(&self) -> Vec<TargetLabels> {
        self.groups.iter().flat_map(TargetGroup::merged).collect()
    }
}

impl fmt::Display for UnfollowedSection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.section, self.why)
    }
}

/// A section of a job that promgen does not follow, so that its targets are unknown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnfollowedSection {
    /// Its key, such as `consul_sd_configs`.
    pub section: String,
    /// The reason.
    pub why: String,
}

impl Discovery {
    /// Discovers the targets of a job. `own_namespace` is the one that Prometheus runs in.
    #[must_use]
    pub fn job(&self, job: &Job, own_namespace: &str) -> JobTargets {
        self.needed_by(job, own_namespace, &NeededLabels::default())
    }

    /// The same, without targets that the first rules of the job drop, as far as the labels of their objects tell.
    #[must_use]
    pub fn job_without_others(&self, job: &Job, own_namespace: &str) -> JobTargets {
        self.needed_by(job, own_namespace, &NeededLabels::of(job))
    }

    fn needed_by(&self, job: &Job, own_namespace: &str, needed: &NeededLabels) -> JobTargets {
        let mut found = JobTargets::default();
        for DiscoverySection {
            key,
            source,
            entries,
        } in job.discoveries()
        {
            let mut unfollowed = |why| {
                found.unfollowed.push(UnfollowedSection {
                    section: key.to_owned(),
                    why,
                })
            };
            match source {
                DiscoverySource::Static => found.groups.extend(static_groups(entries)),
                DiscoverySource::Kubernetes => {
                    for entry in entries {
                        match Query::from_config(KubernetesDiscovery(entry), own_namespace) {
                            Ok(query) => found
                                .groups
                                .append(&mut self.needed_targets(&query, needed)),
                            Err(why) => unfollowed(why),
                        }
                    }
                }
                DiscoverySource::Other if entries.is_empty() => {}
                DiscoverySource::Other => {
                    unfollowed("its targets are known to a live server only".to_owned())
                }
            }
        }
        // A rule may make an address of it.
        if !writes_address(job) {
            found.refused = refused(job);
        }
        if !found.refused.is_empty() {
            for group in &mut found.groups {
                let is_refused = |target: &TargetLabels| {
                    target.get(ADDRESS).is_some_and(|address| {
                        found.refused.iter().any(|refused| **refused == **address)
                    })
                };
                group.targets.retain(|target| !is_refused(target));
            }
        }
        found
    }
}

/// The static targets that are no address. What stands for a text that is not known is no text.
pub(crate) fn refused(job: &Job) -> Vec<String> {
    let lists = job
        .discoveries()
        .filter(|section| section.source == DiscoverySource::Static);
    let targets = lists
        .flat_map(|section| section.entries)
        .filter_map(|list| list.get("targets")?.as_seq())
        .flatten();
    let address = |target: &Value| match target {
        Value::Str(text) if text.contains('/') || absent_port(text).is_some() => {
            Some(text.to_string())
        }
        _ => None,
    };
    targets.filter_map(address).collect()
}

/// The number of static targets of a job that Prometheus does not scrape, because they are no address.
#[must_use]
pub fn unscraped(job: &Job) -> usize {
    if writes_address(job) {
        0
    } else {
        refused(job).len()
    }
}

/// The port of an address, if no port has that number.
#[must_use]
pub fn absent_port(address: &str) -> Option<&str> {
    let port = address
        .rsplit_once(':')
        .filter(|(host, _)| !host.contains(':') || host.ends_with(']'))?
        .1;
    let is_number = !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit());
    (is_number
        && !port
            .parse::<u32>()
            .is_ok_and(|number| (1..=65_535).contains(&number)))
    .then_some(port)
}

/// Whether a rule of a job may write the address.
fn writes_address(job: &Job) -> bool {
    job.rules().iter().any(|rule| {
        let text = |key| rule.text_of(key).unwrap_or_default();
        let (target, action) = (text("target_label"), text("action"));
        target == ADDRESS || target.contains('$') || action.eq_ignore_ascii_case("labelmap")
    })
}

/// The groups of `static_configs`; Prometheus calls each by its index.
#[must_use]
pub fn static_groups(configs: &[Value]) -> Vec<TargetGroup> {
    let group = |(index, config): (usize, &Value)| {
        let targets = config.items_of("targets");
        let target =
            |target: &Value| TargetLabels::from([(Text::from_static(ADDRESS), scalar(target))]);
        let labels = config
            .get("labels")
            .and_then(Value::as_map)
            .into_iter()
            .flatten();
        TargetGroup {
            source: index.to_string(),
            labels: labels
                .map(|(name, value)| (Text::from(&**name), scalar(value)))
                .collect_map(),
            targets: targets.iter().map(target).collect(),
            is_cut: false,
        }
    };
    configs.iter().enumerate().map(group).collect()
}

/// A scalar as the text that Prometheus reads where it expects one.
fn scalar(value: &Value) -> Text {
    Text::from(value.scalar_text().as_deref())
}

/// The interval and timeout of jobs that do not set their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Globals {
    /// `scrape_interval`.
    pub interval: PromDuration,
    /// `scrape_timeout`.
    pub timeout: PromDuration,
}

impl Default for Globals {
    fn default() -> Self {
        Self::of(&Config::default())
    }
}

impl Globals {
    /// Those of a compiled configuration. For what is not known Prometheus' default stands in.
    #[must_use]
    pub fn of(config: &Config) -> Self {
        let interval = config.scrape_interval().unwrap_or(Config::DEFAULT_INTERVAL);
        Self {
            interval,
            timeout: config
                .scrape_timeout()
                .unwrap_or_else(|| Config::DEFAULT_TIMEOUT.min(interval)),
        }
    }
}

/// Adds the labels that Prometheus adds before it relabels, and drops those without a value. A label that the target has
/// already stays. Prometheus: `PopulateDiscoveredLabels`.
pub fn scrape_labels(job: &Job, globals: Globals, labels: &mut TargetLabels) {
    labels.retain(|_, value| !value.is_empty());
    let interval = job
        .interval_or(Some(globals.interval))
        .unwrap_or(globals.interval);
    let timeout = globals.timeout.min(interval);
    let timeout = job.timeout_or(Some(timeout)).unwrap_or(timeout);
    for (name, value) in [
        ("job", Text::from(job.written_name().unwrap_or_default())),
        ("__scrape_interval__", Text::from(interval.to_string())),
        ("__scrape_timeout__", Text::from(timeout.to_string())),
        ("__metrics_path__", usually(job.metrics_path(), "/metrics")),
        ("__scheme__", usually(job.scheme(), "http")),
    ] {
        labels.entry(Text::from_static(name)).or_insert(value);
    }
    for (name, values) in job.params() {
        if let Some(first) = values.first() {
            labels
                .entry(Text::from(format!("__param_{name}")))
                .or_insert_with(|| scalar(first));
        }
    }
    labels.retain(|_, value| !value.is_empty());
}

/// The labels of a target that rules see: those of the scrape, too, and those with a value.
pub(crate) fn complete(job: &Job, globals: Globals, mut labels: TargetLabels) -> LabelSet {
    scrape_labels(job, globals, &mut labels);
    label_set(&labels)
}

/// A text that is mostly the same, which is not copied then.
fn usually(text: &str, usual: &'static str) -> Text {
    if text == usual {
        Text::from_static(usual)
    } else {
        Text::from(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discovery::tests::discovery;
    use promgen_text::diag::Sink;
    use promgen_text::source::FileId;
    use promgen_text::yaml::Map;
    use promgen_text::yaml::read::read;

    fn map(text: &str) -> Map {
        let documents = read(FileId::new(0), text, &mut Sink::default());
        let Value::Map(map) = documents[0].root.to_value() else {
            unreachable!("a map")
        };
        map
    }

    fn job(text: &str) -> Job {
        Job::new(map(text), None)
    }

    fn scraped(text: &str, globals: Globals, labels: &[(&str, &str)]) -> String {
        let mut set: TargetLabels = labels
            .iter()
            .map(|(name, value)| (Text::from(*name), Text::from(*value)))
            .collect();
        scrape_labels(&job(text), globals, &mut set);
        set.iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn the_scrape_adds_what_the_target_does_not_have() {
        assert_eq!(
            scraped("job_name: a", Globals::default(), &[("x", "")]),
            "__metrics_path__=/metrics __scheme__=http __scrape_interval__=1m __scrape_timeout__=10s job=a"
        );
        assert_eq!(
            scraped(
                "{job_name: a, scheme: https, metrics_path: /m, scrape_interval: 90m, scrape_timeout: 3s, params: {module: [x, y], n: [], z: ['']}}",
                Globals::default(),
                &[
                    ("job", "own"),
                    ("__scheme__", ""),
                    ("__metrics_path__", "/own"),
                    ("__param_z", "own")
                ],
            ),
            "__metrics_path__=/own __param_module=x __param_z=own __scheme__=https __scrape_interval__=1h30m \
             __scrape_timeout__=3s job=own"
        );
    }

    #[test]
    fn a_scrape_takes_no_longer_than_the_interval() {
        let timeout = |globals: &str, text: &str| {
            let config = Config::of_jobs(
                Map::new().with("global", map(globals)),
                Vec::new(),
                Map::new(),
            );
            let all = scraped(text, Globals::of(&config), &[]);
            all.split("__scrape_timeout__=")
                .nth(1)
                .unwrap()
                .split(' ')
                .next()
                .unwrap()
                .to_owned()
        };
        assert_eq!(timeout("a: 1", "{job_name: a, scrape_interval: 5s}"), "5s");
        assert_eq!(timeout("scrape_timeout: 20s", "{job_name: a}"), "20s");
        assert_eq!(timeout("scrape_interval: 4s", "{job_name: a}"), "4s");
        assert_eq!(
            timeout(
                "{scrape_interval: 4s, scrape_timeout: 2s}",
                "{job_name: a, scrape_interval: 1s}"
            ),
            "1s"
        );
    }

    #[test]
    fn the_sections_of_a_job_are_followed_or_named() {
        let text = "{apiVersion: v1, kind: Service, metadata: {name: s, namespace: own}, spec: {ports: [{port: 1}]}}";
        let found = discovery(text).job(
            &job("job_name: j\nstatic_configs: [{targets: [a, 1], labels: {m: 1, b: yes}}, {}, 5]\n\
                  kubernetes_sd_configs: [{role: service, namespaces: {own_namespace: true}}, {role: Pod}, \
                  {role: pod, selectors: [{role: pod, field: spec.colour=red}]}, {role: pod, selectors: [{role: pod, label: 'a b'}]}]\n\
                  consul_sd_configs: [{}]\ndns_sd_configs: []\n"),
            "own",
        );
        let sources: Vec<_> = found
            .groups
            .iter()
            .map(|g| (g.source.as_str(), g.targets.len()))
            .collect();
        assert_eq!(sources, [("0", 2), ("1", 0), ("2", 0), ("svc/own/s", 1)]);
        let merged: Vec<_> = found.groups[0]
            .merged()
            .map(|labels| format!("{labels:?}"))
            .collect();
        assert_eq!(merged[1], r#"{"__address__": "1", "b": "true", "m": "1"}"#);
        let unfollowed: Vec<_> = found
            .unfollowed
            .iter()
            .map(|u| format!("{}: {}", u.section, u.why))
            .collect();
        assert_eq!(
            unfollowed,
            [
                "kubernetes_sd_configs: unknown Kubernetes SD role \"Pod\"",
                "kubernetes_sd_configs: field label not supported: spec.colour",
                "kubernetes_sd_configs: unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt",
                "consul_sd_configs: its targets are known to a live server only",
            ]
        );
    }
}
