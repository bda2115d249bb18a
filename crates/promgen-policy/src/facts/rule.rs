//! The facts of alerts and recording rules.

use std::collections::BTreeSet;
use std::sync::Arc;

use promgen_cel::{CelOpenMap, CelValue};
use promgen_model::lineage::labels::SeriesLabels;
use promgen_model::lineage::matcher::SeriesSelector;
use promgen_model::lineage::server::{SeriesMaking, SeriesServer, kept_labels};
use promgen_model::model::lineage::{ExpressionRule, RuleServer};
use promgen_prometheus::promql::{Expr, ExprKind, KeptLabels, Tree, VectorSelector, parse};
use promgen_prometheus::routing::{Alert, OpenLabel};
use promgen_resources::unknown::is_later_text;
use promgen_text::CollectOrdered;
use promgen_text::route::At;
use promgen_text::source::Span;
use promgen_text::yaml::{Node, Value};

use crate::facts::object::{has_later_key, value};
use crate::facts::{borrowed, facts, int, length, list, object, text, unknown};
use crate::world::PolicyWorld;

/// What the facts of a rule are computed from.
pub(crate) struct RuleSource<'p, 'w> {
    pub(crate) cx: &'p PolicyWorld<'w>,
    /// Its resource: `namespace/name`.
    pub(crate) resource: String,
    pub(crate) at: At,
    /// The place of its name.
    pub(crate) span: Option<Span>,
    pub(crate) group: &'w Node,
    pub(crate) node: &'w Node,
    pub(crate) is_alert: bool,
}

facts! {
    /// The group of a rule.
    pub GROUP "group";

    /// Its name.
    "name": Text;
    /// How often its rules are evaluated, if it says so.
    "interval": Duration;
    /// The labels that it adds to its rules.
    "labels": map_of(&Text);
}

facts! {
    /// A condition on a label.
    pub MATCHER "matcher";

    /// The label.
    "label": Text;
    /// `=`, `!=`, `=~` or `!~`.
    "operator": Text;
    /// The text, or the pattern.
    "value": Text;
}

facts! {
    /// A selector of an expression.
    pub SELECTOR "selector";

    /// The name of the metric, if it has one.
    "metric": Text;
    /// Its other conditions.
    "matchers": list_of(&Object(&MATCHER));
}

facts! {
    /// A job that may make a metric.
    pub MAKER "maker";

    /// The name of the job in the configuration.
    "name": Text;
    /// The Prometheus that has it: `namespace/name`.
    "workload": Text;
    /// Whether its targets expose the metric. Unknown: they may.
    "makes": Bool;
}

facts! {
    /// A metric that an expression reads.
    pub METRIC "metric";

    /// Its name.
    "name": Text;
    /// Whether a job or a recording rule makes series of it that the selectors of the rule ask for, on a server that evaluates the
    /// rule. Unknown: one may. A file of `--metrics` tells more.
    "exists": Bool;
    /// How many series of it the files of `--metrics` have. Unknown without such a file.
    "series": Int;
    /// The jobs that make it, or may.
    "jobs": list_of(&Object(&MAKER));
}

facts! {
    /// A receiver of an alert.
    pub NOTIFIED "notified";

    /// Its name in the configuration of the Alertmanager: `namespace/name/receiver` if it stands in an AlertmanagerConfig.
    "name": Text;
    /// The Alertmanager: `namespace/name`.
    "alertmanager": Text;
    /// Whether it notifies somebody: it has an integration, and the alert gets there.
    "notifies": Bool;
}

facts! {
    /// An alert or a recording rule of a PrometheusRule.
    pub RULE "rule": RuleSource<'p, 'w>;

    /// `alert` or `record`.
    "kind": Text => |of| Some(borrowed(if of.is_alert { "alert" } else { "record" }));
    /// The name of the alert, or of the series that is recorded.
    "name": Text => |of| of.written(if of.is_alert { "alert" } else { "record" });
    /// The expression.
    "expr": Text => |of| of.written("expr");
    /// The labels that the rule sets.
    "labels": map_of(&Text) => |of| of.map("labels");
    /// The annotations of the rule.
    "annotations": map_of(&Text) => |of| of.map("annotations");
    /// How long the expression must hold before the alert fires, if the rule says so.
    "for": Duration => |of| of.length("for");
    /// How long the alert goes on after the expression has held, if the rule says so.
    "keepFiringFor": Duration => |of| of.length("keep_firing_for");
    /// The group.
    "group": Object(&GROUP) => RuleSource::group;
    /// The labels with which Alertmanager gets the alert: those of the series, of the group and the rule, and the external ones. Those
    /// of a recording rule are the labels of the series that it makes. All keys are not known, so that no macro can go through them.
    "sent": map_of(&Text) => RuleSource::sent;
    /// Whether the result of the expression can have a label, for each label: false if an aggregation takes it away. All keys are not
    /// known.
    "keeps": map_of(&Bool) => RuleSource::keeps;
    /// The selectors of the expression.
    "selectors": list_of(&Object(&SELECTOR)) => RuleSource::selectors;
    /// The functions and aggregations of the expression, each once.
    "functions": list_of(&Text) => RuleSource::functions;
    /// The metrics that the expression reads, each once.
    "metrics": list_of(&Object(&METRIC)) => RuleSource::metrics;
    /// The workloads that evaluate the rule: `namespace/name`.
    "workloads": list_of(&Text) => RuleSource::workloads;
    /// The receivers of the alert (a recording rule has none), through the routes of all Alertmanagers that get it. An item that is unknown stands for receivers
    /// that the input does not tell, such as those of an Alertmanager outside of it.
    "receivers": list_of(&Object(&NOTIFIED)) => RuleSource::receivers;
}

impl<'p, 'w> RuleSource<'p, 'w> {
    fn has_secret(&self, name: &str) -> bool {
        let is_told = || {
            let mut trees = self.cx.deliveries().trees();
            trees.any(|(_, tree)| {
                let mut routes = tree.routes().into_iter();
                routes.any(|(_, node, _)| node.receiver.is_secret)
            })
        };
        name == "receivers" && is_told()
    }

    fn field(&self, key: &str) -> Option<&'w Node> {
        self.node.get_set(key)
    }

    fn written(&self, key: &str) -> Option<CelValue<'p>> {
        self.field(key).map(|node| written(self.cx, node))
    }

    fn length(&self, key: &str) -> Option<CelValue<'p>> {
        self.field(key).map(|node| written_length(self.cx, node))
    }

    /// A map that may lack: it has no keys then.
    fn map(&self, key: &str) -> Option<CelValue<'p>> {
        Some(map_or_empty(self.cx, self.field(key)))
    }

    #[expect(clippy::unnecessary_wraps, reason = "a fact may be absent")]
    fn group(&self) -> Option<CelValue<'p>> {
        let field = |key| self.group.get_set(key);
        Some(object([
            ("name", field("name").map(|node| written(self.cx, node))),
            (
                "interval",
                field("interval").map(|node| written_length(self.cx, node)),
            ),
            ("labels", Some(map_or_empty(self.cx, field("labels")))),
        ]))
    }

    fn text(&self) -> String {
        let text = self.field("expr").and_then(|node| node.data.scalar_text());
        text.unwrap_or_default().into_owned()
    }

    /// The rule of the lineage. `None`: its expression is not read, or the API server refuses its resource.
    fn rule(&self) -> Option<(usize, &'w ExpressionRule)> {
        let number = self.cx.number(&self.at)?;
        let rule = self.cx.world.lineage().rules.get(number)?;
        Some((number, rule))
    }

    /// The expression, unless a value of it is filled in later.
    fn tree(&self) -> Option<Tree> {
        let is_known = self.field("expr").is_some_and(|node| {
            let unknowns = self.cx.world.unknowns();
            !unknowns.may_change(node)
        });
        is_known.then(|| parse(&self.text())).flatten()
    }

    #[expect(clippy::unnecessary_wraps, reason = "a fact may be absent")]
    fn keeps(&self) -> Option<CelValue<'p>> {
        let Some(kept) = kept_labels(&self.text()) else {
            return Some(unread());
        };
        // A record that it reads may have fewer labels than any series.
        let series = self.series();
        let has = move |label: &str| {
            let is_of_some = |labels: &SeriesLabels| labels.get(label).known() != Some("");
            let is_there = series.is_empty() || series.iter().any(is_of_some);
            Some(CelValue::Bool(kept.has(label) && is_there))
        };
        Some(CelValue::Open(Arc::new(CelOpenMap::new(has, ALL_LABELS))))
    }

    #[expect(clippy::unnecessary_wraps, reason = "a fact may be absent")]
    fn sent(&self) -> Option<CelValue<'p>> {
        if self.is_alert {
            return Some(match self.cx.alerts(&self.resource, self.span) {
                alerts if alerts.is_empty() => unknown("its alert is not read"),
                alerts => SentLabels::of(&alerts, &self.sets(), self.added()).value(),
            });
        }
        let mut own = self.sets();
        own.extend(self.added().enforced);
        let kept = kept_labels(&self.text());
        let get = move |label: &str| {
            if let Some(value) = own.get(label) {
                return (!value.is_empty()).then(|| known_or_later(value));
            }
            kept.as_ref()
                .is_none_or(|kept| kept.has(label))
                .then(|| unknown(format!("`{label}` is a label of its series")))
        };
        Some(CelValue::Open(Arc::new(CelOpenMap::new(get, ALL_LABELS))))
    }

    /// The labels that its servers add to what they send, each with its value if that is known, and whether others may be added.
    fn added(&self) -> AddedLabels {
        let mut added = AddedLabels::default();
        let Some((_, rule)) = self.rule() else {
            added.others = true;
            return added;
        };
        let world = &self.cx.world;
        added.others = world.senders().rulers(&self.resource).next().is_some();
        let mut n_servers = 0;
        for server in self.evaluators() {
            n_servers += 1;
            if let Some(Some((label, value))) = server.enforced(world, rule) {
                added.enforced.insert(label.to_owned(), value.to_owned());
            }
            let config = world.workload(&server.id).and_then(|of| of.config.as_ref());
            match config {
                Some(config) => {
                    let labels = config.global().and_then(|of| of.get("external_labels"));
                    let labels = labels.and_then(Value::as_map).into_iter().flatten();
                    added
                        .external
                        .extend(labels.map(|(label, _)| label.to_string()));
                }
                None => added.others = true,
            }
        }
        added.others |= n_servers == 0;
        added
    }

    /// The labels that the rule and its group set.
    fn sets(&self) -> std::collections::BTreeMap<String, String> {
        let of = |node: Option<&'w Node>| node.map_or(&[][..], Node::entries).iter();
        let group = of(self.group.get_set("labels"));
        let all = group.chain(of(self.field("labels")));
        all.filter_map(|entry| {
            Some((
                entry.key.to_string(),
                entry.value.data.scalar_text()?.into_owned(),
            ))
        })
        .collect_map()
    }

    /// The labels of its series on the servers that evaluate it, as far as they are known.
    fn series(&self) -> Vec<SeriesLabels> {
        let Some((_, rule)) = self.rule() else {
            return Vec::new();
        };
        let of = |server: &RuleServer| server.labels(&self.cx.world, rule);
        let all: Option<Vec<Vec<SeriesLabels>>> = self.evaluators().map(of).collect();
        all.unwrap_or_default().concat()
    }

    fn selectors(&self) -> Option<CelValue<'p>> {
        let Some(tree) = self.tree() else {
            return Some(unread());
        };
        let of = |selector: &VectorSelector| {
            let matchers = selector.matchers.iter().map(|matcher| {
                object([
                    ("label", Some(text(matcher.label.clone()))),
                    ("operator", Some(borrowed(matcher.operator))),
                    ("value", Some(known_or_later(&matcher.value))),
                ])
            });
            object([
                ("metric", selector.name.clone().map(text)),
                ("matchers", Some(list(matchers))),
            ])
        };
        Some(list(selectors(&tree).map(of)))
    }

    fn functions(&self) -> Option<CelValue<'p>> {
        let Some(tree) = self.tree() else {
            return Some(unread());
        };
        let name = |node: &Expr| match &node.kind {
            ExprKind::Call(call) => Some(call.function.name),
            ExprKind::Aggregate(aggregate) => Some(aggregate.operator),
            _ => None,
        };
        let names: BTreeSet<&str> = tree.nodes().iter().filter_map(name).collect_set();
        Some(list(names.into_iter().map(borrowed)))
    }

    fn evaluators(&self) -> impl Iterator<Item = &'w RuleServer> {
        let lineage = self.cx.world.lineage();
        let number = self.rule().map(|(number, _)| number);
        number
            .into_iter()
            .flat_map(move |number| lineage.evaluators(number))
    }

    fn metrics(&self) -> Option<CelValue<'p>> {
        let Some((rule, tree)) = self
            .rule()
            .and_then(|(_, rule)| Some((rule, rule.tree.as_ref()?)))
        else {
            return Some(unread());
        };
        let mut asked: Vec<(&str, Vec<&VectorSelector>)> = Vec::new();
        for selector in selectors(tree) {
            let Some(name) = selector.name.as_deref() else {
                continue;
            };
            match asked.iter_mut().find(|(known, _)| *known == name) {
                Some((_, all)) => all.push(selector),
                None => asked.push((name, vec![selector])),
            }
        }
        let evaluators: Vec<&RuleServer> = self.evaluators().collect();
        let metric = |(name, selectors): (&str, Vec<&VectorSelector>)| {
            self.metric(rule, &evaluators, name, &selectors)
        };
        Some(list(asked.into_iter().map(metric)))
    }

    fn metric(
        &self,
        rule: &'w ExpressionRule,
        evaluators: &[&'w RuleServer],
        name: &str,
        written: &[&VectorSelector],
    ) -> CelValue<'p> {
        let world = &self.cx.world;
        let (mut jobs, mut best) = (Vec::new(), None);
        for server in evaluators {
            let enforced = server.enforced(world, rule).flatten();
            for selector in written.iter().map(|of| SeriesSelector::of(of, enforced)) {
                let answer = existence(&server.server, &selector, name);
                best = Some(best.map_or(answer, |best: MetricExistence| best.max(answer)));
                if answer == MetricExistence::No {
                    continue;
                }
                for job in &server.server.jobs {
                    let makes = match SeriesServer::making(&selector, name, job) {
                        SeriesMaking::No | SeriesMaking::Dropped(_) => continue,
                        SeriesMaking::Sure => CelValue::Bool(true),
                        _ => unknown("its targets may expose it"),
                    };
                    let shown = if job.is_secret {
                        None
                    } else {
                        Some(&*job.name)
                    };
                    jobs.push(object([
                        ("name", Some(shown.map_or_else(hidden, text))),
                        ("workload", Some(text(server.id.key()))),
                        ("makes", Some(makes)),
                    ]));
                }
            }
        }
        let exists = match best {
            Some(MetricExistence::No) => CelValue::Bool(false),
            Some(MetricExistence::Yes) => CelValue::Bool(true),
            Some(MetricExistence::Open) => unknown(format!("`{name}` may be exposed")),
            None => unknown("no Prometheus in the input evaluates the rule"),
        };
        object([
            ("name", Some(text(name))),
            ("exists", Some(exists)),
            (
                "series",
                Some(counted_series(world.dumps().n_series.get(name))),
            ),
            ("jobs", Some(list(jobs))),
        ])
    }

    #[expect(clippy::unnecessary_wraps, reason = "a fact may be absent")]
    fn workloads(&self) -> Option<CelValue<'p>> {
        let servers = self.evaluators().map(|server| server.id.key());
        let rulers = self.cx.world.senders().rulers(&self.resource);
        let rulers = rulers.filter_map(|(what, _)| what.split_once(' '));
        let all: BTreeSet<String> = servers
            .chain(rulers.map(|(_, key)| key.to_owned()))
            .collect_set();
        Some(list(all.into_iter().map(text)))
    }

    fn receivers(&self) -> Option<CelValue<'p>> {
        if !self.is_alert {
            return None;
        }
        let deliveries = self.cx.deliveries();
        if deliveries.excess().is_some() {
            return Some(unknown("the alerts and routes exceed a limit"));
        }
        let alerts = self.cx.alerts(&self.resource, self.span);
        let mut found: Vec<(String, String, Option<String>, bool)> = Vec::new();
        let mut why = None;
        for alert in &alerts {
            for delivery in deliveries.of_alert(alert) {
                let one = (
                    delivery.node.receiver.value.clone(),
                    delivery.by.id.key(),
                    delivery.unknown.clone(),
                    delivery.tree.has_integrations(delivery.node),
                );
                if !found.contains(&one) {
                    found.push(one);
                }
            }
            why = why.or_else(|| self.untold(alert));
        }
        if alerts.is_empty() {
            why = Some("its alert is not read".to_owned());
        }
        let receivers = found.into_iter().map(|(name, by, unsure, notifies)| {
            let notifies = match unsure.filter(|_| notifies) {
                Some(why) => unknown(why),
                None => CelValue::Bool(notifies),
            };
            object([
                ("name", Some(text(name))),
                ("alertmanager", Some(text(by))),
                ("notifies", Some(notifies)),
            ])
        });
        Some(list(receivers.chain(why.map(unknown))))
    }

    /// Why the input does not tell all receivers of an alert.
    fn untold(&self, alert: &Alert) -> Option<String> {
        let deliveries = self.cx.deliveries();
        let nobody = deliveries.nobody(alert);
        deliveries.unrouted(alert).next().or_else(|| {
            let is_open = deliveries.n_trees() == 0 && nobody.is_none();
            is_open.then(|| "no Alertmanager in the input gets it".to_owned())
        })
    }
}

/// Why a value is not known yet.
const LATER: &str = "the value is filled in later";

/// A text, unless it is filled in later.
fn known_or_later<'p>(written: &str) -> CelValue<'p> {
    match is_later_text(written) {
        true => unknown(LATER),
        false => text(written),
    }
}

/// Why all labels are not known.
const ALL_LABELS: &str = "its series may have any labels";

fn unread<'p>() -> CelValue<'p> {
    unknown("the expression is not read")
}

fn hidden<'p>() -> CelValue<'p> {
    unknown("it is the name of a job in a Secret")
}

/// Whether a server has series of a metric, the surest last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum MetricExistence {
    No,
    Open,
    Yes,
}

fn existence(server: &SeriesServer, selector: &SeriesSelector, name: &str) -> MetricExistence {
    use promgen_model::lineage::server::SelectorAnswer;
    if let SelectorAnswer::Nothing(_) = server.find(selector) {
        return MetricExistence::No;
    }
    let mut making = server
        .jobs
        .iter()
        .map(|job| SeriesServer::making(selector, name, job));
    let is_made = making.any(|making| making == SeriesMaking::Sure);
    let is_listed = server
        .known_metrics
        .as_ref()
        .is_some_and(|of| of.contains(name));
    match is_made || is_listed || !server.records(name).is_empty() {
        true => MetricExistence::Yes,
        false => MetricExistence::Open,
    }
}

/// A number of series, if a file of metrics tells it.
pub(crate) fn counted_series<'p>(n: Option<&usize>) -> CelValue<'p> {
    n.map_or_else(
        || unknown("no file of --metrics has its series"),
        |n| int(*n),
    )
}

/// The selectors of an expression.
fn selectors(tree: &Tree) -> impl Iterator<Item = &VectorSelector> {
    tree.nodes().iter().filter_map(|node| match &node.kind {
        ExprKind::Selector(selector) => Some(selector),
        _ => None,
    })
}

/// A scalar as a text.
fn written<'p>(cx: &PolicyWorld<'p>, node: &'p Node) -> CelValue<'p> {
    match (value(&cx.world, node), node.data.scalar_text()) {
        (CelValue::Node(_), Some(written)) if node.as_str().is_none() => text(written),
        (value, _) => value,
    }
}

fn written_length<'p>(cx: &PolicyWorld<'p>, node: &'p Node) -> CelValue<'p> {
    match (value(&cx.world, node), node.data.scalar_text()) {
        (CelValue::Node(_), Some(written)) => length(&written),
        (value, _) => value,
    }
}

fn map_or_empty<'p>(cx: &PolicyWorld<'p>, node: Option<&'p Node>) -> CelValue<'p> {
    let Some(node) = node else {
        return CelValue::map(Vec::new());
    };
    match has_later_key(node) {
        true => unknown("a key is filled in later"),
        false => value(&cx.world, node),
    }
}

/// The labels of the alerts of a rule, as their servers send them.
struct SentLabels {
    /// What all of them have.
    known: std::collections::BTreeMap<String, String>,
    /// What some of them have, or have with values that are not known, with the reason.
    open: std::collections::BTreeMap<String, String>,
    /// What the expression keeps of the labels of its series.
    kept: Option<KeptLabels>,
    /// What the rule sets itself.
    own: BTreeSet<String>,
    /// What its servers add.
    added: AddedLabels,
}

/// The labels that servers add to alerts.
#[derive(Default)]
struct AddedLabels {
    /// The one that they enforce, with its value.
    enforced: std::collections::BTreeMap<String, String>,
    /// Their external labels. Relabelings of alerts may take them away.
    external: BTreeSet<String>,
    /// There may be others.
    others: bool,
}

impl SentLabels {
    fn of(
        alerts: &[&Alert],
        own: &std::collections::BTreeMap<String, String>,
        added: AddedLabels,
    ) -> Self {
        let first = alerts.first().map(|alert| alert.labels.clone());
        let mut known = first.unwrap_or_default();
        let mut open = std::collections::BTreeMap::new();
        for alert in alerts {
            let differs = |label: &&String| known.get(*label) != alert.labels.get(*label);
            let differing = known.keys().chain(alert.labels.keys()).filter(differs);
            for label in differing.cloned().collect::<Vec<_>>() {
                known.remove(&label);
                open.insert(label, "its alerts have several values of it".to_owned());
            }
            let of = |(label, of): (&String, &OpenLabel)| (label.clone(), of.why.clone());
            open.extend(alert.open.iter().map(of));
        }
        Self {
            known,
            open,
            kept: alerts.first().and_then(|alert| alert.kept.clone()),
            own: own.keys().cloned().collect_set(),
            added,
        }
    }

    fn value<'p>(self) -> CelValue<'p> {
        let get = move |label: &str| {
            if let Some(why) = self.open.get(label) {
                return Some(unknown(why.clone()));
            }
            if let Some(value) = self.known.get(label) {
                return Some(match is_later_text(value) {
                    true => unknown(LATER),
                    false => text(value.clone()),
                });
            }
            if let Some(value) = self.added.enforced.get(label) {
                return Some(text(value.clone()));
            }
            if self.added.external.contains(label) {
                return Some(unknown(format!(
                    "`{label}` is an external label of its servers"
                )));
            }
            if self.added.others {
                return Some(unknown("a server outside of the input may add it"));
            }
            let may_be = self.kept.as_ref().is_none_or(|kept| kept.has(label));
            (may_be && !self.own.contains(label))
                .then(|| unknown(format!("`{label}` may be a label of its series")))
        };
        CelValue::Open(Arc::new(CelOpenMap::new(get, ALL_LABELS)))
    }
}
