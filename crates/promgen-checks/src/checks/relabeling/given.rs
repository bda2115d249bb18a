//! The labels that a target has before the first rule of the user.

use promgen_model::servers::ServerSpec;
use std::collections::BTreeSet;

use crate::checks::relabeling::list::ListedRule;
use promgen_compile::cluster::Cluster;
use promgen_prometheus::config::sanitize;
use promgen_prometheus::relabel::Reach;
use promgen_resources::api::scraping::scrape::RelabelConfig;
use promgen_resources::api::servers::common::CommonPrometheusFields;
use promgen_text::yaml::StringMap;

/// A label that the sharding rules read even if it is missing: with it, all shards scrape the target.
const OPTIONAL: &str = "__tmp_disable_sharding";

/// The labels that servers and agents add to the targets of all monitors.
#[derive(Clone, Debug, Default)]
pub(super) struct SharedLabels<'a> {
    /// Labels that they set: `podTargetLabels`, and those of scrape classes.
    names: BTreeSet<String>,
    /// The names of scrape classes.
    classes: BTreeSet<&'a str>,
    /// A scrape class may set any label.
    is_open: bool,
}

impl<'a> SharedLabels<'a> {
    /// The labels that all workloads in the input add.
    pub(super) fn of(cluster: &'a Cluster) -> Self {
        let mut shared = Self::default();
        ServerSpec::all(cluster).for_each(|server| shared.add(server.common));
        shared
    }

    fn add(&mut self, common: &'a CommonPrometheusFields) {
        self.names.extend(
            common
                .pod_target_labels
                .iter()
                .flatten()
                .map(|label| sanitize(label)),
        );
        for class in common.scrape_classes.iter().flatten() {
            self.classes.insert(&class.name);
            let rules = class
                .relabelings
                .iter()
                .chain(&class.metric_relabelings)
                .flatten();
            rules.for_each(|rule| self.add_rule(rule));
        }
    }

    fn add_rule(&mut self, rule: &RelabelConfig) {
        match ListedRule::of(rule).map(|step| step.reach()) {
            Some(Reach::Label(name)) => drop(self.names.insert(name.to_owned())),
            Some(Reach::Anything) | None => self.is_open = true,
            Some(Reach::Nothing | Reach::Deletes) => {}
        }
    }
}

/// The sources of the labels of a target.
#[derive(Clone, Copy, Debug)]
pub(super) struct LabelOrigins<'a> {
    /// The labels that the operator sets for this kind.
    pub(super) fixed: &'static [&'static str],
    /// The labels that the resource lists: `targetLabels`, `podTargetLabels`.
    pub(super) listed: [Option<&'a Vec<String>>; 2],
    /// The labels of static targets.
    pub(super) labels: &'a [&'a StringMap],
    /// The scrape class of the resource.
    pub(super) class: Option<&'a str>,
    /// Any label may come from the discovery.
    pub(super) is_open: bool,
    /// The labels that workloads add.
    pub(super) shared: &'a SharedLabels<'a>,
}

impl LabelOrigins<'_> {
    /// Returns whether a target may have that label. Every discovery label counts as possible.
    pub(super) fn may_have(&self, name: &str) -> bool {
        let is_special =
            name.starts_with("__") && !name.starts_with("__tmp_") && name != "__name__";
        let is_set =
            self.fixed.contains(&name) || self.shared.names.contains(name) || name == OPTIONAL;
        if is_special || is_set {
            return true;
        }
        let is_unknown = self.is_open || self.shared.is_open || !self.knows_class();
        (is_unknown && name != "__name__")
            || self
                .listed
                .iter()
                .flat_map(|list| list.iter())
                .flat_map(|list| list.iter())
                .any(|l| sanitize(l) == name)
            || self.labels.iter().any(|labels| labels.contains_key(name))
    }

    /// Returns whether the rules of its scrape class are known.
    fn knows_class(&self) -> bool {
        self.class
            .is_none_or(|class| self.shared.classes.contains(class))
    }

    /// Returns whether a sample may have that label: of the labels with two underscores, samples only have the name.
    pub(super) fn sample_may_have(&self, name: &str) -> bool {
        let is_gone = name.starts_with("__") && name != "__name__";
        !is_gone
            || self.shared.names.contains(name)
            || (name.starts_with("__tmp_") && self.is_unknown_class())
    }

    fn is_unknown_class(&self) -> bool {
        self.shared.is_open || !self.knows_class()
    }
}
