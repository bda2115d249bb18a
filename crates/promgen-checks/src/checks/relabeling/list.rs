//! All lists of relabel rules, and the effect of a single rule.
//!
//! In: the objects. Out: each list with its place and the labels that exist before it.

use promgen_model::monitors::Monitor;
use promgen_model::servers::ServerSpec;
use std::collections::BTreeMap;

use crate::checks::relabeling::given::{LabelOrigins, SharedLabels};
use crate::checks::relabeling::meta::Role;
use promgen_compile::cluster::{Cluster, Object};
use promgen_prometheus::relabel::{
    Action, DEFAULT_REGEX, DEFAULT_REPLACEMENT, DEFAULT_SEPARATOR, Reach,
};
use promgen_resources::api::scraping::probe::Probe;
use promgen_resources::api::scraping::scrape::RelabelConfig;
use promgen_resources::api::scraping::scrape_config::ScrapeConfig;
use promgen_resources::api::servers::common::CommonPrometheusFields;
use promgen_resources::api::servers::sharding::ShardingStrategy;
use promgen_text::go::regex::GoRegex;
use promgen_text::route::{At, Segment};
use promgen_text::yaml::StringMap;

/// The maximum number of compiled patterns in the cache: each takes memory.
const MAX_COMPILED: usize = 256;

/// The things that rules process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// Targets: `relabelings`.
    Target,
    /// Samples: `metricRelabelings`.
    Sample,
}

/// The field with the rules for what is written elsewhere.
const WRITTEN: &str = "writeRelabelConfigs";

/// A list of rules.
#[derive(Debug)]
pub(super) struct RuleList<'a> {
    /// Its place.
    pub(super) at: At,
    /// Its rules.
    pub(super) steps: Vec<ListedRule<'a>>,
    /// The things that its rules process.
    pub(super) stage: Stage,
    /// The labels that exist before it.
    pub(super) given: LabelOrigins<'a>,
    /// Rules outside of the list follow, as after those of a scrape class.
    pub(super) is_class: bool,
    /// The number of targets, if the resource lists them.
    pub(super) n_targets: Option<usize>,
    /// The source of its targets.
    pub(super) role: Role,
    /// All targets have the same address by design, as those of a prober.
    pub(super) is_probe: bool,
}

impl<'a> RuleList<'a> {
    /// Its rules that match their pattern with a value or name, each with its number.
    pub(super) fn matching(&self) -> impl Iterator<Item = (usize, ListedRule<'a>)> {
        let rules = self.steps.iter().copied().enumerate();
        rules.filter(|(_, rule)| match rule.action {
            Action::Replace
            | Action::Keep
            | Action::Drop
            | Action::LabelMap
            | Action::LabelDrop
            | Action::LabelKeep => true,
            Action::HashMod
            | Action::Lowercase
            | Action::Uppercase
            | Action::KeepEqual
            | Action::DropEqual => false,
        })
    }

    /// Returns whether its rules process what is written elsewhere.
    pub(super) fn is_written(&self) -> bool {
        self.at.route.0.last().and_then(Segment::key) == Some(WRITTEN)
    }

    /// The place of a field of a rule.
    pub(super) fn field(&self, index: usize, field: &'static str) -> At {
        self.rule(index).key(field)
    }

    /// Returns whether another list is that of the same endpoint.
    pub(super) fn is_beside(&self, other: &At) -> bool {
        let parent = |at: &At| at.route.0.split_last().map(|(_, parent)| parent.to_vec());
        self.at.doc == other.doc && parent(&self.at) == parent(other)
    }

    /// The place of a rule.
    pub(super) fn rule(&self, index: usize) -> At {
        self.at.clone().index(index)
    }
}

/// A rule of a list.
#[derive(Clone, Copy, Debug)]
pub(super) struct ListedRule<'a> {
    config: &'a RelabelConfig,
    /// Its action.
    pub(super) action: Action,
}

impl<'a> ListedRule<'a> {
    /// `None` for an action that does not exist.
    pub(super) fn of(config: &'a RelabelConfig) -> Option<Self> {
        let action = if config.action.as_str().is_empty() {
            "replace"
        } else {
            config.action.as_str()
        };
        Action::parse(action).map(|action| Self { config, action })
    }

    /// The pattern as the operator writes it: it omits an empty pattern and the default.
    pub(super) fn regex(self) -> &'a str {
        self.config
            .regex
            .as_deref()
            .filter(|regex| !regex.is_empty())
            .unwrap_or(DEFAULT_REGEX)
    }

    /// The labels that it joins.
    pub(super) fn sources(self) -> &'a [String] {
        self.config.source_labels.as_deref().unwrap_or_default()
    }

    /// The label that it writes, or compares with.
    pub(super) fn target(self) -> &'a str {
        self.config.target_label.as_deref().unwrap_or_default()
    }

    /// What it writes.
    pub(super) fn replacement(self) -> &'a str {
        self.config
            .replacement
            .as_deref()
            .unwrap_or(DEFAULT_REPLACEMENT)
    }

    /// The separator of joined labels.
    pub(super) fn separator(self) -> &'a str {
        self.config
            .separator
            .as_deref()
            .unwrap_or(DEFAULT_SEPARATOR)
    }

    /// Returns whether every text matches.
    pub(super) fn matches_everything(self) -> bool {
        matches!(
            self.regex(),
            DEFAULT_REGEX | ".*" | "^.*$" | "^(.*)$" | "^.*" | ".*$"
        )
    }

    /// The value that it writes, if that is constant.
    pub(super) fn constant(self) -> Option<&'a str> {
        let text = self.replacement();
        let is_certain = self.action == Action::Replace && self.matches_everything();
        (is_certain && !text.contains('$') && !self.target().contains('$')).then_some(text)
    }

    /// The labels that it may change.
    pub(super) fn reach(self) -> Reach<'a> {
        match self.action {
            Action::Keep | Action::Drop | Action::KeepEqual | Action::DropEqual => Reach::Nothing,
            Action::Replace if self.target().contains('$') => Reach::Anything,
            Action::Replace | Action::HashMod | Action::Lowercase | Action::Uppercase => {
                Reach::Label(self.target())
            }
            Action::LabelDrop | Action::LabelKeep => Reach::Deletes,
            Action::LabelMap => Reach::Anything,
        }
    }

    /// Returns whether it may write the label of that name.
    pub(super) fn may_write(self, name: &str) -> bool {
        match self.reach() {
            Reach::Label(label) => label == name && self.constant() != Some(""),
            Reach::Anything => true,
            Reach::Nothing | Reach::Deletes => false,
        }
    }

    /// Returns whether the rule removes that label from everything.
    pub(super) fn removes(self, name: &str, patterns: &mut Patterns) -> bool {
        match self.action {
            Action::LabelDrop => patterns.is_match(self.regex(), name) == Some(true),
            Action::LabelKeep => patterns.is_match(self.regex(), name) == Some(false),
            Action::Replace => self.constant() == Some("") && self.target() == name,
            Action::Keep
            | Action::Drop
            | Action::KeepEqual
            | Action::DropEqual
            | Action::HashMod
            | Action::LabelMap
            | Action::Lowercase
            | Action::Uppercase => false,
        }
    }
}

/// A cache of compiled patterns, which many rules share.
#[derive(Debug, Default)]
pub(super) struct Patterns {
    compiled: BTreeMap<String, Option<GoRegex>>,
}

impl Patterns {
    /// Returns whether the whole text matches; `None` if the pattern is invalid or too large.
    pub(super) fn is_match(&mut self, pattern: &str, text: &str) -> Option<bool> {
        self.compiled(pattern).map(|regex| regex.is_match(text))
    }

    /// Returns whether no text matches both patterns, as far as that is plain.
    pub(super) fn exclude_each_other(&mut self, one: &str, other: &str) -> bool {
        let one = self.compiled(one).cloned();
        let (one, other) = (one.as_ref(), self.compiled(other));
        let shapes = one
            .and_then(GoRegex::shape)
            .zip(other.and_then(GoRegex::shape));
        shapes.is_some_and(|(one, other)| one.excludes(other))
    }

    fn compiled(&mut self, pattern: &str) -> Option<&GoRegex> {
        if !self.compiled.contains_key(pattern) {
            if self.compiled.len() >= MAX_COMPILED {
                self.compiled.clear();
            }
            self.compiled
                .insert(pattern.to_owned(), GoRegex::anchored_small(pattern).ok());
        }
        self.compiled.get(pattern)?.as_ref()
    }
}

/// Calls the function with each list that is not empty.
pub(super) fn each(cluster: &Cluster, look: &mut dyn FnMut(&RuleList<'_>)) {
    let shared = SharedLabels::of(cluster);
    let mut lists = Lists {
        shared: &shared,
        look,
    };
    for server in ServerSpec::all(cluster) {
        lists.workload(&server.spec(), server.common);
    }
    for monitor in Monitor::all(cluster) {
        lists.monitor(monitor);
    }
    cluster.probes.values().for_each(|probe| lists.probe(probe));
    cluster
        .scrape_configs
        .values()
        .for_each(|config| lists.scrape_config(config));
}

/// The labels that the operator sets for targets of ServiceMonitors, besides those that the monitor lists. Prometheus sets
/// `instance` after all rules.
const OF_SERVICES: &[&str] = &[
    "job",
    "namespace",
    "service",
    "pod",
    "container",
    "node",
    "endpoint",
    "__tmp_prometheus_job_name",
];
/// The labels that the operator's rules of a PodMonitor set.
const OF_PODS: &[&str] = &[
    "job",
    "namespace",
    "pod",
    "container",
    "endpoint",
    "__tmp_prometheus_job_name",
];
/// The labels that the operator's rules of a Probe with a list of targets set.
const OF_PROBES: &[&str] = &["job", "namespace", "instance", "__tmp_prometheus_job_name"];
/// The labels that the operator's rules of a Probe of ingresses set.
const OF_INGRESSES: &[&str] = &[
    "job",
    "namespace",
    "ingress",
    "instance",
    "__tmp_prometheus_job_name",
    "__tmp_ingress_address",
];
/// The labels that the operator's rules of a ScrapeConfig set, and the instance, which some discoveries set.
const OF_CONFIGS: &[&str] = &["job", "instance", "__tmp_prometheus_job_name"];

struct Lists<'c, 's> {
    shared: &'s SharedLabels<'s>,
    look: &'c mut dyn FnMut(&RuleList<'_>),
}

/// The properties that the lists of a resource share.
#[derive(Clone, Copy)]
struct ListProperties<'a> {
    given: LabelOrigins<'a>,
    is_class: bool,
    n_targets: Option<usize>,
    role: Role,
    is_probe: bool,
}

/// The default properties.
const fn about<'a>(shared: &'a SharedLabels<'a>, class: Option<&'a str>) -> ListProperties<'a> {
    let given = LabelOrigins {
        fixed: &[],
        listed: [None, None],
        labels: &[],
        class,
        is_open: false,
        shared,
    };
    ListProperties {
        given,
        is_class: false,
        n_targets: None,
        role: Role::Other,
        is_probe: false,
    }
}

impl Lists<'_, '_> {
    /// The scrape classes, the rules of the sharding proposal, and those for what is written elsewhere; other rules follow all
    /// of them.
    fn workload(&mut self, spec: &At, common: &CommonPrometheusFields) {
        let mut about = about(self.shared, None);
        (about.is_class, about.given.is_open) = (true, true);
        for (index, class) in common.scrape_classes.iter().flatten().enumerate() {
            let at = spec.clone().key("scrapeClasses").index(index);
            self.both(
                &at,
                [
                    class.relabelings.as_ref(),
                    class.metric_relabelings.as_ref(),
                ],
                about,
            );
        }
        for (index, remote) in common.remote_write.iter().flatten().enumerate() {
            let at = spec.clone().key("remoteWrite").index(index).key(WRITTEN);
            self.list(
                at,
                remote.write_relabel_configs.as_ref(),
                Stage::Sample,
                about,
            );
        }
        if let Some(ShardingStrategy::Proposal(proposal)) = &common.sharding_strategy {
            let at = spec
                .clone()
                .key("shardingStrategy")
                .key("additionalRelabelConfig");
            self.list(
                at,
                proposal.additional_relabel_config.as_ref(),
                Stage::Target,
                about,
            );
        }
    }

    fn monitor(&mut self, monitor: Monitor<'_>) {
        let mut about = about(self.shared, monitor.class());
        match monitor {
            Monitor::OfServices(object) => {
                let spec = &object.value.spec;
                about.given.fixed = OF_SERVICES;
                about.role = Role::Endpoints;
                about.given.listed = [spec.target_labels.as_ref(), spec.pod_target_labels.as_ref()];
            }
            Monitor::OfPods(object) => {
                about.given.fixed = OF_PODS;
                about.role = Role::Pod;
                about.given.listed = [object.value.spec.pod_target_labels.as_ref(), None];
            }
        }
        for endpoint in monitor.endpoints() {
            let rules = [endpoint.relabelings, endpoint.metric_relabelings];
            self.both(&endpoint.at(), rules, about);
        }
    }

    fn probe(&mut self, object: &Object<Probe>) {
        let spec = &object.value.spec;
        let mut about = about(self.shared, spec.scrape_class.as_deref());
        about.is_probe = true;
        about.given.fixed = OF_PROBES;
        let at = At::spec(object.doc);
        self.list(
            at.clone().key("metricRelabelings"),
            spec.metric_relabelings.as_ref(),
            Stage::Sample,
            about,
        );
        let Some(targets) = &spec.targets else { return };
        let at = at.key("targets");
        if let Some(list) = &targets.static_config {
            about.n_targets = Some(list.targets.as_ref().map_or(0, Vec::len));
            let labels: Vec<&StringMap> = list.labels.iter().collect();
            about.given.labels = &labels;
            about.role = Role::Absent;
            let at = at.key("staticConfig").key("relabelingConfigs");
            self.list(at, list.relabeling_configs.as_ref(), Stage::Target, about);
        } else if let Some(ingress) = &targets.ingress {
            about.given.fixed = OF_INGRESSES;
            about.role = Role::Ingress;
            let at = at.key("ingress").key("relabelingConfigs");
            self.list(
                at,
                ingress.relabeling_configs.as_ref(),
                Stage::Target,
                about,
            );
        }
    }

    fn scrape_config(&mut self, object: &Object<ScrapeConfig>) {
        let spec = &object.value.spec;
        let mut about = about(self.shared, spec.scrape_class.as_deref());
        let statics = spec.static_configs.as_deref().unwrap_or_default();
        let labels: Vec<&StringMap> = statics
            .iter()
            .filter_map(|list| list.labels.as_ref())
            .collect();
        about.given.labels = &labels;
        about.given.fixed = OF_CONFIGS;
        about.role = Role::of_config(spec);
        // Only these two discoveries can set labels of any name.
        about.given.is_open = spec.http_sd_configs.is_some() || spec.file_sd_configs.is_some();
        let n_static = statics.iter().map(|list| list.targets.len()).sum();
        about.n_targets = (n_static > 0).then_some(n_static);
        let at = At::spec(object.doc);
        self.both(
            &at,
            [spec.relabelings.as_ref(), spec.metric_relabelings.as_ref()],
            about,
        );
    }

    /// `relabelings` and `metricRelabelings` of one place.
    fn both(
        &mut self,
        at: &At,
        [target, sample]: [Option<&Vec<RelabelConfig>>; 2],
        about: ListProperties<'_>,
    ) {
        self.list(at.clone().key("relabelings"), target, Stage::Target, about);
        self.list(
            at.clone().key("metricRelabelings"),
            sample,
            Stage::Sample,
            about,
        );
    }

    fn list(
        &mut self,
        at: At,
        rules: Option<&Vec<RelabelConfig>>,
        stage: Stage,
        about: ListProperties<'_>,
    ) {
        let Some(rules) = rules.filter(|rules| !rules.is_empty()) else {
            return;
        };
        // A resource with an unknown action is refused.
        let Some(steps) = rules.iter().map(ListedRule::of).collect() else {
            return;
        };
        let ListProperties {
            given,
            is_class,
            n_targets,
            role,
            is_probe,
        } = about;
        (self.look)(&RuleList {
            at,
            steps,
            stage,
            given,
            is_class,
            n_targets,
            role,
            is_probe,
        });
    }
}
