//! Inhibit rules, and the labels that the alerts of the input have for them.

use std::collections::BTreeSet;

use crate::checks::routing::futile::{FUTILE_INHIBITION, certain};
use crate::checks::routing::labels::{PossibleLabels, UNKNOWN_ALERT_LABEL, are_relabeled};
use crate::checks::routing::silent::externals;
use crate::checks::routing::{MAX_NAMES, Routed, finding};
use promgen_compile::output::{Workload, WorkloadKind};
use promgen_model::lineage::server::kept_labels;
use promgen_model::model::World;
use promgen_model::model::alerts::{NAMESPACE, namespaces};
use promgen_model::model::lineage::ExpressionRule;
use promgen_model::words::first;
use promgen_prometheus::promql::KeptLabels;
use promgen_prometheus::relabel::{LabelSet, relabel, rules};
use promgen_prometheus::routing::Inhibition;
use promgen_prometheus::routing::matcher::AlertMatcher;
use promgen_text::CollectOrdered;
use promgen_text::diag::{Diagnostic, Level, Sink};
use promgen_text::route::{At, Segment};
use promgen_text::yaml::Value;

/// The most pairs of alerts and inhibit rules that are looked at.
const MAX_PAIRS: usize = 200_000;

/// Checks the inhibit rules of all Alertmanagers.
pub(super) fn check(world: &World<'_>, given: &[&Routed<'_>], sink: &mut Sink) {
    let rules: usize = given
        .iter()
        .map(|routed| routed.tree.inhibitions.len())
        .sum();
    let cluster = world.cluster();
    if rules == 0 || cluster.prometheuses.is_empty() {
        return;
    }
    let all = world.lineage().rules.iter().enumerate();
    let alerts = all.filter(|(_, rule)| rule.alert.is_some()).count();
    if alerts == 0 || alerts.saturating_mul(rules) > MAX_PAIRS {
        return;
    }
    let all = given.iter().flat_map(|routed| &routed.tree.inhibitions);
    let dropped: BTreeSet<&str> = all
        .clone()
        .flat_map(|rule| rule.equal.iter().map(String::as_str))
        .filter(|label| is_dropped(world, label))
        .collect_set();
    for rule in all {
        let lost = |label: &&String| dropped.contains(label.as_str());
        for label in rule.equal.iter().filter(lost) {
            let help = "name a label that servers do not drop from alerts";
            sink.extend(unequal(rule, label, Level::Warning, " that is sent", help));
        }
    }
    if are_relabeled(world) {
        return;
    }
    let labels = PossibleLabels::new(world);
    let alerts = SentAlert::all(world);
    for routed in given {
        for rule in &routed.tree.inhibitions {
            let meant = MeantAlerts::of(routed, rule, &alerts);
            if world.unseen().is_none() {
                elsewhere(routed, rule, &meant, &alerts, sink);
            }
            equal(rule, &meant, &dropped, labels.as_ref(), sink);
        }
    }
}

/// An alert as a server sends it.
struct SentAlert<'w> {
    rule: &'w ExpressionRule,
    kept: Option<KeptLabels>,
    /// The namespaces of its series, as far as they are known.
    namespaces: Option<BTreeSet<String>>,
    /// The label that a server sets to the namespace of its resource.
    enforced: BTreeSet<&'w str>,
    externals: BTreeSet<&'w str>,
}

impl<'w> SentAlert<'w> {
    fn all(world: &World<'w>) -> Vec<Self> {
        let externals = externals(world);
        let all = world.lineage().rules.iter().enumerate();
        let servers = || world.cluster().prometheuses.values();
        all.filter(|(_, rule)| rule.alert.is_some())
            .map(|(number, rule)| Self {
                rule,
                kept: kept_labels(&rule.text),
                namespaces: namespaces(world, number),
                enforced: servers()
                    .filter_map(|server| Some(rule.enforced(&server.value.spec)?.0))
                    .collect_set(),
                externals: externals.clone(),
            })
            .collect()
    }

    /// Returns whether a label may have a value that passes.
    fn may_have(&self, label: &str, passes: &dyn Fn(&str) -> bool) -> bool {
        if label == "alertname" {
            return passes(self.rule.name());
        }
        if self.enforced.contains(label) && passes(&self.rule.namespace) {
            return true;
        }
        if let Some(value) = self
            .rule
            .labels
            .get(label)
            .filter(|value| !value.is_empty())
        {
            return value.contains("{{") || passes(value);
        }
        if self.externals.contains(label) || self.enforced.contains(label) {
            return true;
        }
        match &self.namespaces {
            Some(namespaces) if label == NAMESPACE => namespaces.iter().any(|value| passes(value)),
            _ if self.kept.as_ref().is_some_and(|kept| !kept.has(label)) => passes(""),
            _ => true,
        }
    }

    fn may_match(&self, matchers: &[AlertMatcher]) -> bool {
        matchers
            .iter()
            .all(|matcher| self.may_have(&matcher.name, &|value| matcher.accepts(value)))
    }
}

/// The alerts that the sides of an inhibit rule are about.
struct MeantAlerts<'r> {
    sources: Vec<&'r SentAlert<'r>>,
    targets: Vec<&'r SentAlert<'r>>,
}

impl<'r> MeantAlerts<'r> {
    fn of(routed: &Routed<'_>, rule: &Inhibition, alerts: &'r [SentAlert<'r>]) -> Self {
        let is_adrift = routed.is_adrift(&rule.source);
        let of = |matchers: &[AlertMatcher]| {
            let matchers = certain(matchers, is_adrift);
            alerts
                .iter()
                .filter(|alert| alert.may_match(matchers))
                .collect()
        };
        Self {
            sources: of(&rule.inhibiting),
            targets: of(&rule.inhibited),
        }
    }
}

/// Finds rules that the operator confines to a namespace, where all alerts that they are meant for have another one.
fn elsewhere(
    routed: &Routed<'_>,
    rule: &Inhibition,
    meant: &MeantAlerts<'_>,
    alerts: &[SentAlert<'_>],
    sink: &mut Sink,
) {
    let (Some((added, sources)), Some((_, targets)), true) = (
        rule.inhibiting.split_last(),
        rule.inhibited.split_last(),
        is_confined(routed, rule),
    ) else {
        return;
    };
    if !(meant.sources.is_empty() || meant.targets.is_empty()) {
        return;
    }
    let without = |matchers: &[AlertMatcher]| {
        let mut alerts = alerts
            .iter()
            .filter(|alert| alert.may_match(matchers))
            .peekable();
        let some = alerts.peek().is_some();
        let names: BTreeSet<&str> = alerts.map(|alert| alert.rule.name()).collect_set();
        some.then_some(names)
    };
    let (Some(sources), Some(targets)) = (without(sources), without(targets)) else {
        return;
    };
    let (field, names) = match meant.sources.is_empty() {
        true => ("sourceMatch", sources),
        false => ("targetMatch", targets),
    };
    let names: Vec<&str> = names.into_iter().collect();
    let message = format!(
        "this rule inhibits no alert in the input: both sides have to have `{added}`, as the operator adds it, and {} {} another namespace",
        first(&names, MAX_NAMES),
        if names.len() == 1 { "has" } else { "have" },
    );
    let found = finding(
        &FUTILE_INHIBITION,
        &rule.source,
        |at| at.key(field),
        message,
    );
    sink.extend(found.map(|found| {
        found
            .help("move the rule into an AlertmanagerConfig of the namespace of the alerts, or into the configuration of the Alertmanager")
            .help("or set `alertmanagerConfigMatcherStrategy: {type: None}` of the Alertmanager, which then adds no matcher")
    }));
}

/// Returns whether the operator adds the namespace of an AlertmanagerConfig to the sides of an inhibit rule.
fn is_confined(routed: &Routed<'_>, rule: &Inhibition) -> bool {
    let own = || {
        let at = rule.source.at.as_ref()?;
        let rules = routed.configs.get(&at.doc)?.spec.inhibit_rules.as_ref()?;
        let Some(Segment::Index(index)) = at.route.0.last() else {
            return None;
        };
        Some(rules.get(*index)?.source_match.as_ref().map_or(0, Vec::len))
    };
    own().is_some_and(|own| own < rule.inhibiting.len()) && !routed.is_adrift(&rule.source)
}

/// Finds labels in `equal` that no alert has. `labels`: those of the configurations, unless one is not in the input.
fn equal(
    rule: &Inhibition,
    meant: &MeantAlerts<'_>,
    dropped: &BTreeSet<&str>,
    labels: Option<&PossibleLabels<'_>>,
    sink: &mut Sink,
) {
    let is_sent = |label: &&String| !dropped.contains(label.as_str());
    for label in rule.equal.iter().filter(is_sent) {
        let mut alerts = meant.sources.iter().chain(&meant.targets);
        let is_dropped = !meant.sources.is_empty()
            && !meant.targets.is_empty()
            && !alerts.any(|alert| alert.may_have(label, &|value| !value.is_empty()));
        let (whose, level, help) = match labels {
            Some(labels) if is_dropped && !labels.is_configured(label) => {
                (" that this rule is for", Level::Warning, None)
            }
            Some(labels) if !labels.contains(label) => (
                " in the input",
                Level::Info,
                Some("ignore this if series of an exporter have the label"),
            ),
            None if is_dropped => (
                " that this rule is for",
                Level::Info,
                Some("ignore this if the configuration that is not in the input sets the label"),
            ),
            _ => continue,
        };
        let spelling = "check its spelling, or name a label that both sides have";
        let found = unequal(rule, label, level, whose, spelling);
        sink.extend(found.map(|found| found.helps(help)));
    }
}

/// A label in `equal` that alerts do not have. `whose`: which alerts.
fn unequal(
    rule: &Inhibition,
    label: &str,
    level: Level,
    whose: &str,
    help: &str,
) -> Option<Diagnostic> {
    let what = match rule.source.is_secret {
        true => "one of its equal labels".to_owned(),
        false => format!("the label `{label}`"),
    };
    let message = format!(
        "no alert{whose} has {what}: it is empty on both sides, and so equal: a source mutes every target"
    );
    let at = |at: At| at.key("equal");
    let found = finding(&UNKNOWN_ALERT_LABEL, &rule.source, at, message);
    found.map(|found| found.level(level).help(help))
}

/// Returns whether all servers of the input surely drop a label from the alerts that they send: the operator does so with the one
/// that tells replicas apart.
fn is_dropped(world: &World<'_>, label: &str) -> bool {
    let own = world.workloads.iter().filter(|of| !of.is_stand_in);
    let mut servers = own
        .filter(|of| of.id.kind == WorkloadKind::Prometheus)
        .peekable();
    let is_known = servers.peek().is_some() && world.cluster().thanos_rulers.is_empty();
    is_known && servers.all(|server| drops(server, label).unwrap_or_default())
}

/// Returns whether a server drops a label from all alerts. `None` if it sends none.
fn drops(server: &Workload, label: &str) -> Option<bool> {
    let alerting = server.config.as_ref()?.sections.get("alerting")?;
    let series: LabelSet = [(label.to_owned(), label.to_owned())].into_iter().collect();
    let is_left = |is_there: bool, rule: &Value| {
        let target = rule.text_of("target_label").unwrap_or_default();
        match rule
            .text_of("action")
            .unwrap_or("replace")
            .to_lowercase()
            .as_str()
        {
            "labeldrop" => {
                let rules = rules(std::slice::from_ref(rule), server.name_scheme());
                let after = rules.ok().and_then(|rules| relabel(&series, &rules).ok());
                is_there && after.is_none_or(|after| !after.is_empty())
            }
            "labelmap" => true,
            "keep" | "drop" | "keepequal" | "dropequal" | "labelkeep" => is_there,
            _ => is_there || target == label || target.contains('$'),
        }
    };
    let after = |of: &Value, is_there: bool| {
        let rules = of.items_of("alert_relabel_configs");
        rules.iter().fold(is_there, is_left)
    };
    let is_there = after(alerting, true);
    let mut all = alerting.items_of("alertmanagers").iter();
    (all.len() > 0).then(|| !all.any(|of| after(of, is_there)))
}
