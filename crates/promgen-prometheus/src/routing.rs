//! The routing tree of an Alertmanager: which receivers get an alert.
//!
//! In: a configuration in Alertmanager's own form, and the sources of its pieces. Out: a [`RoutingTree`], and for the labels of
//! an alert the matching routes ([`RoutingTree::route`]), the rules that inhibit it and the time intervals that mute it.
//! Mirrors Alertmanager's `dispatch.Route`. Stores names and integrations of receivers, not their settings.

pub mod matcher;
pub mod range;
pub mod times;
pub mod zone;

use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::promql::KeptLabels;
use crate::relabel::program::ANY;
use crate::routing::matcher::AlertMatcher;
use crate::routing::times::Range;
use promgen_text::CollectOrdered;
use promgen_text::limits::{Excess, Limit, Limits};
use promgen_text::route::At;
use promgen_text::source::Span;
use promgen_text::time::Timestamp;
use promgen_text::yaml::{Map, Value};

/// The maximum depth of routes; deeper ones are omitted.
const MAX_DEPTH: usize = 64;

/// The labels of an alert.
pub type AlertLabels = BTreeMap<String, String>;

/// The origin of a part of a configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PieceSource {
    /// The field of the resource, or the key of the Secret. `None` if it is the operator's.
    pub at: Option<At>,
    /// The place in the input.
    pub span: Option<Span>,
    /// The line in a configuration that is a value of a Secret.
    pub line: Option<usize>,
    /// It is in a Secret whose values must not be printed.
    pub is_secret: bool,
}

/// A setting of a route: its own, or that of the route above it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Setting<T> {
    /// The value.
    pub value: T,
    /// It is in a Secret whose values must not be printed.
    pub is_secret: bool,
}

/// An alert of a PrometheusRule, with the labels that it always has.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Alert {
    /// Its labels: its name, those of its group and its own, and the namespace if all of its series have the same.
    pub labels: AlertLabels,
    /// Labels that it may have, with values that are not known.
    pub open: BTreeMap<String, OpenLabel>,
    /// Why any of its labels may be another one when it is sent.
    pub changed: Option<String>,
    /// The labels that its expression leaves, if it is known.
    pub kept: Option<KeptLabels>,
    /// The resource: `shop/web`.
    pub resource: String,
    /// Its place.
    pub span: Option<Span>,
}

/// A label of an alert that has one of several values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenLabel {
    /// Why its value is not known.
    pub why: String,
    /// The values that it can have, in which [`ANY`] stands for any text but the empty one. The empty one: the alert lacks it.
    pub values: Vec<String>,
}

impl OpenLabel {
    /// A label that is there with any value.
    #[must_use]
    pub fn any(why: String) -> Self {
        let values = vec![ANY.to_string()];
        Self { why, values }
    }

    /// A label that alerts have as their series do, if these have it.
    #[must_use]
    pub fn of_series(label: &str) -> Self {
        let why = format!("it depends on the label `{label}` of its series");
        let values = vec![String::new(), ANY.to_string()];
        Self { why, values }
    }
}

impl Alert {
    /// Returns whether it meets a condition. `None` if that depends on the value of a label that is open.
    #[must_use]
    pub fn meets(&self, matcher: &AlertMatcher) -> Option<bool> {
        let Some(open) = self.open.get(&matcher.name) else {
            return Some(matcher.matches(&self.labels));
        };
        let of_value = |value: &String| (!value.contains(ANY)).then(|| matcher.accepts(value));
        let mut answers = open.values.iter().map(of_value);
        let first = answers.next()??;
        answers.all(|other| other == Some(first)).then_some(first)
    }

    /// Its labels, those that are open among them: [`ANY`] is their value.
    #[must_use]
    pub fn with_open(&self) -> AlertLabels {
        let open = self
            .open
            .keys()
            .map(|label| (label.clone(), ANY.to_string()));
        self.labels.clone().into_iter().chain(open).collect_map()
    }
}

/// The path from the root of a configuration to a route: the index at each depth.
pub type Way = Vec<usize>;

/// A routing tree, and what its routes refer to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RoutingTree {
    /// The route that every alert enters.
    pub root: RouteNode,
    /// The integrations of receivers, by name: `slack`, `email`, one for each integration.
    pub receivers: BTreeMap<String, Vec<String>>,
    /// The inhibit rules.
    pub inhibitions: Vec<Inhibition>,
    /// Time intervals by name.
    pub intervals: BTreeMap<String, Vec<Range>>,
    /// The origins of receivers and time intervals, in the order of the configuration.
    pub named: Vec<NamedPart>,
    /// Templates of notifications that fail. Only for lint.
    pub template_faults: Vec<TemplateFault>,
    /// The files that the configuration names. Only for lint.
    pub files: Vec<NamedFile>,
}

/// A file that a configuration names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedFile {
    /// The field.
    pub field: &'static str,
    /// Its path, which may be that of several.
    pub path: String,
    /// The place where it is named.
    pub source: PieceSource,
}

/// A template that does not parse, or calls what does not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateFault {
    /// The field, or the key of the Secret or ConfigMap.
    pub at: At,
    /// It is in a Secret whose values must not be printed.
    pub is_secret: bool,
    /// The error, without values of Secrets.
    pub message: String,
    /// The remedy.
    pub help: Option<String>,
}

/// A receiver or a time interval, to which routes refer by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedPart {
    /// Its name.
    pub name: String,
    /// It is a receiver.
    pub is_receiver: bool,
    /// Its source.
    pub source: PieceSource,
}

/// A route. Settings that it does not have are inherited from its parent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RouteNode {
    /// The receiver.
    pub receiver: Setting<String>,
    /// The conditions on an alert, all of which must hold.
    pub matchers: Vec<AlertMatcher>,
    /// Later routes are tried too.
    pub continues: bool,
    /// The labels by which alerts are grouped; `...` for all.
    pub group_by: Setting<Vec<String>>,
    /// The delay before it notifies about a new group.
    pub group_wait: Setting<String>,
    /// The delay before it notifies about new alerts of a group.
    pub group_interval: Setting<String>,
    /// The delay before it repeats a notification.
    pub repeat_interval: Setting<String>,
    /// The time intervals in which it does not notify. Not inherited.
    pub mute: Vec<String>,
    /// The time intervals in which it notifies. Not inherited.
    pub active: Vec<String>,
    /// The routes below it.
    pub routes: Vec<Self>,
    /// Its source.
    pub source: PieceSource,
}

/// An inhibit rule.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inhibition {
    /// The alerts that inhibit.
    pub inhibiting: Vec<AlertMatcher>,
    /// The alerts that are inhibited.
    pub inhibited: Vec<AlertMatcher>,
    /// The labels that both must have with the same value.
    pub equal: Vec<String>,
    /// Its source.
    pub source: PieceSource,
}

/// A route that matches an alert.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchedRoute<'t> {
    /// Its path.
    pub way: Way,
    /// The route.
    pub node: &'t RouteNode,
    /// It notifies: no route below it matches the alert.
    pub is_last: bool,
    /// It surely does.
    pub is_sure: bool,
}

/// The number of bytes of expressions that are compiled in the time in which an alert takes a route.
const BYTES_PER_STEP: usize = 8;

impl RoutingTree {
    /// Returns whether the receiver of a route has integrations, so that it notifies somebody.
    #[must_use]
    pub fn has_integrations(&self, node: &RouteNode) -> bool {
        self.receivers
            .get(&node.receiver.value)
            .is_some_and(|integrations| !integrations.is_empty())
    }

    /// All routes with their paths and their parents, each right before those below it.
    #[must_use]
    pub fn routes(&self) -> Vec<(Way, &RouteNode, Option<&RouteNode>)> {
        let (mut routes, mut todo) = (Vec::new(), vec![(Way::new(), &self.root, None)]);
        while let Some((way, node, parent)) = todo.pop() {
            let below = node.routes.iter().enumerate().rev();
            todo.extend(
                below.map(|(index, below)| ([&*way, &[index]].concat(), below, Some(node))),
            );
            routes.push((way, node, parent));
        }
        routes
    }

    /// The labels that the matchers of its routes ask for, each with whether a route asks that must not be printed.
    pub fn asked(&self) -> impl Iterator<Item = (&str, bool)> {
        self.routes().into_iter().flat_map(|(_, node, _)| {
            let names = node.matchers.iter().map(|matcher| matcher.name.as_str());
            names.map(|name| (name, node.source.is_secret))
        })
    }

    /// The number of routes.
    #[must_use]
    pub fn n_routes(&self) -> usize {
        fn below(node: &RouteNode) -> usize {
            1 + node.routes.iter().map(below).sum::<usize>()
        }
        below(&self.root)
    }

    /// About how many bytes the expressions of the routes and inhibit rules take, all compiled.
    fn weight(&self) -> usize {
        fn of(matchers: &[AlertMatcher]) -> usize {
            matchers
                .iter()
                .fold(0, |sum, matcher| sum.saturating_add(matcher.weight()))
        }
        fn below(node: &RouteNode) -> usize {
            node.routes.iter().fold(of(&node.matchers), |sum, node| {
                sum.saturating_add(below(node))
            })
        }
        let rule = |rule: &Inhibition| of(&rule.inhibiting).saturating_add(of(&rule.inhibited));
        self.inhibitions
            .iter()
            .fold(below(&self.root), |sum, inhibition| {
                sum.saturating_add(rule(inhibition))
            })
    }

    /// The limit that so many alerts exceed, if each takes the routes of these trees. Expressions are compiled for the first
    /// alert that they are asked about.
    #[must_use]
    pub fn excess<'t>(
        limits: &Limits,
        n_alerts: usize,
        trees: impl Iterator<Item = &'t Self>,
    ) -> Option<Excess> {
        let of_tree = |tree: &Self| {
            let compiled = if n_alerts == 0 {
                0
            } else {
                tree.weight() / BYTES_PER_STEP
            };
            n_alerts
                .saturating_mul(tree.n_routes())
                .saturating_add(compiled)
        };
        let n_steps = trees.map(of_tree).fold(0_usize, usize::saturating_add) as u64;
        (n_steps > limits.get(Limit::RouteSteps)).then(|| limits.excess(Limit::RouteSteps))
    }

    /// Reads a configuration. `source` returns the source of a piece: of a route by its path, or of an inhibit rule by its index.
    ///
    /// # Errors
    /// An invalid matcher, in Alertmanager's words.
    pub fn new(
        config: &Map,
        source: &dyn Fn(ConfigPiece<'_>) -> PieceSource,
    ) -> Result<Self, String> {
        let default = |value: &str| Setting {
            value: value.to_owned(),
            is_secret: false,
        };
        let defaults = RouteNode {
            group_wait: default("30s"),
            group_interval: default("5m"),
            repeat_interval: default("4h"),
            ..RouteNode::default()
        };
        let empty = Value::Map(Map::new());
        let root = RouteNode::new(
            config.get("route").unwrap_or(&empty),
            &defaults,
            &mut Way::new(),
            source,
        )?;
        let inhibitions = items(config.get("inhibit_rules")).iter().enumerate();
        let inhibitions = inhibitions
            .map(|(index, rule)| Inhibition::new(rule, source(ConfigPiece::Inhibition(index))));
        let intervals = INTERVALS.into_iter().flat_map(|key| items(config.get(key)));
        Ok(Self {
            root,
            receivers: items(config.get("receivers"))
                .iter()
                .map(receiver)
                .collect_map(),
            inhibitions: inhibitions.collect::<Result<_, _>>()?,
            intervals: intervals.map(interval).collect(),
            named: named(config, source),
            template_faults: Vec::new(),
            files: files(config, source),
        })
    }

    /// Counts the days of a month as Alertmanager before 0.35 does.
    pub fn count_days_by_hours(&mut self) {
        self.intervals
            .values_mut()
            .flatten()
            .for_each(|range| range.counts_hours = true);
    }

    /// The routes that notify somebody of an alert with these labels.
    pub fn notifying(&self, labels: &AlertLabels) -> impl Iterator<Item = &RouteNode> {
        self.route(labels)
            .into_iter()
            .filter(|step| step.is_last)
            .map(|step| step.node)
    }

    /// The routes that match an alert, in Alertmanager's order. Those that notify are marked.
    #[must_use]
    pub fn route(&self, labels: &AlertLabels) -> Vec<MatchedRoute<'_>> {
        self.steps(&|matcher| Some(matcher.matches(labels)))
    }

    /// The routes that may notify somebody of an alert, each with the reason if it is not known whether it does.
    #[must_use]
    pub fn ends(&self, alert: &Alert) -> Vec<(&RouteNode, Option<String>)> {
        if let Some(why) = alert
            .changed
            .as_ref()
            .filter(|_| !self.root.routes.is_empty())
        {
            let nodes = self.notifying(&alert.labels);
            return nodes.map(|node| (node, Some(why.clone()))).collect();
        }
        let why = RefCell::new(None);
        let holds = |matcher: &AlertMatcher| {
            let meets = alert.meets(matcher);
            if let (None, Some(open)) = (meets, alert.open.get(&matcher.name)) {
                why.borrow_mut().get_or_insert_with(|| open.why.clone());
            }
            meets
        };
        let ends = self.may_end(&holds);
        let why = why.into_inner();
        let ends = ends.into_iter();
        ends.map(|end| (end.node, why.clone().filter(|_| !end.is_sure)))
            .collect()
    }

    /// The routes at which an alert may end, each before the one above it. `holds`: whether it meets a condition, if that is
    /// known.
    #[must_use]
    pub fn may_end(&self, holds: &dyn Fn(&AlertMatcher) -> Option<bool>) -> Vec<MatchedRoute<'_>> {
        let mut ends = self.steps(holds);
        ends.retain(|step| step.is_last);
        ends.sort_by_key(|step| [&*step.way, &[usize::MAX]].concat());
        ends
    }

    fn steps(&self, holds: &dyn Fn(&AlertMatcher) -> Option<bool>) -> Vec<MatchedRoute<'_>> {
        let mut steps = Vec::new();
        enter(&mut Way::new(), &self.root, true, holds, &mut steps);
        steps
    }

    /// The receivers that get an alert, in Alertmanager's order.
    #[must_use]
    pub fn receivers_of(&self, labels: &AlertLabels) -> Vec<&str> {
        self.notifying(labels)
            .map(|node| node.receiver.value.as_str())
            .collect()
    }

    /// Why a route notifies nobody. `receiver` is what its receiver is called. `None` if it notifies somebody.
    #[must_use]
    pub fn nobody(&self, node: &RouteNode, receiver: &str) -> Option<String> {
        (!self.has_integrations(node))
            .then(|| format!("nobody: receiver {receiver} has no integrations"))
    }

    /// Returns whether a route is muted at a time. `None` if the answer depends on the machine that runs
    /// Alertmanager.
    #[must_use]
    pub fn is_muted(&self, node: &RouteNode, at: Timestamp) -> Option<bool> {
        let inside = |names: &[String]| {
            let ranges: Vec<Range> = names
                .iter()
                .filter_map(|name| self.intervals.get(name))
                .flatten()
                .cloned()
                .collect();
            times::contains(&ranges, at)
        };
        let is_quiet = if node.active.is_empty() {
            Some(false)
        } else {
            inside(&node.active).map(|is_inside| !is_inside)
        };
        match (inside(&node.mute), is_quiet) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            (None, _) | (_, None) => None,
        }
    }

    /// The rules by which one of the firing alerts inhibits another.
    #[must_use]
    pub fn inhibited_by<'t, 'f>(
        &'t self,
        labels: &AlertLabels,
        firing: &'f [AlertLabels],
    ) -> Vec<(&'t Inhibition, &'f AlertLabels)> {
        let rules = self
            .inhibitions
            .iter()
            .filter(|rule| matcher::all(&rule.inhibited, labels));
        let inhibits = |rule: &'t Inhibition| {
            firing
                .iter()
                .find(|alert| rule.is_source(alert, labels))
                .map(|alert| (rule, alert))
        };
        rules.filter_map(inhibits).collect()
    }
}

/// A piece of a configuration that has a place.
#[derive(Clone, Copy, Debug)]
pub enum ConfigPiece<'w> {
    /// The route at that path.
    Route(&'w [usize]),
    /// The inhibit rule of that index.
    Inhibition(usize),
    /// The item of a list at the top, such as `receivers`.
    Item(&'static str, usize),
}

/// The lists of time intervals.
const INTERVALS: [&str; 2] = ["mute_time_intervals", "time_intervals"];

/// The receivers and time intervals, with their sources.
fn named(config: &Map, source: &dyn Fn(ConfigPiece<'_>) -> PieceSource) -> Vec<NamedPart> {
    let lists = [("receivers", true)]
        .into_iter()
        .chain(INTERVALS.map(|list| (list, false)));
    let parts = lists.flat_map(|(list, is_receiver)| {
        items(config.get(list))
            .iter()
            .enumerate()
            .map(move |(index, part)| NamedPart {
                name: name_of(part),
                is_receiver,
                source: source(ConfigPiece::Item(list, index)),
            })
    });
    parts.collect()
}

/// The fields of a configuration whose text is the path of a file.
const FILE_FIELDS: [&str; 28] = [
    "alert_source_token_file",
    "api_key_file",
    "api_url_file",
    "auth_password_file",
    "auth_secret_file",
    "bearer_token_file",
    "bot_token_file",
    "ca_file",
    "cert_file",
    "chat_id_file",
    "client_secret_file",
    "credentials_file",
    "key_file",
    "opsgenie_api_key_file",
    "password_file",
    "routing_key_file",
    "service_key_file",
    "slack_api_url_file",
    "smtp_auth_password_file",
    "smtp_auth_secret_file",
    "token_file",
    "token_id_file",
    "url_file",
    "user_key_file",
    "username_file",
    "victorops_api_key_file",
    "webhook_url_file",
    "wechat_api_secret_file",
];

/// The files that a configuration names.
fn files(config: &Map, source: &dyn Fn(ConfigPiece<'_>) -> PieceSource) -> Vec<NamedFile> {
    let mut found = Vec::new();
    let global = PieceSource {
        line: None,
        ..source(ConfigPiece::Route(&[]))
    };
    config
        .get("global")
        .into_iter()
        .for_each(|part| files_in(part, "", &global, &mut found));
    for (list, key) in [("receivers", ""), ("templates", "templates")] {
        for (index, item) in items(config.get(list)).iter().enumerate() {
            files_in(
                item,
                key,
                &source(ConfigPiece::Item(list, index)),
                &mut found,
            );
        }
    }
    found
}

/// The files in a value below a key.
fn files_in(value: &Value, key: &'static str, source: &PieceSource, found: &mut Vec<NamedFile>) {
    match value {
        Value::Map(map) => {
            for (key, value) in map {
                let known = FILE_FIELDS
                    .into_iter()
                    .find(|known| key == known)
                    .unwrap_or_default();
                files_in(value, known, source, found);
            }
        }
        Value::Seq(items) => items
            .iter()
            .for_each(|item| files_in(item, "", source, found)),
        _ => {
            let path = value
                .as_str()
                .filter(|path| !key.is_empty() && path.starts_with('/'));
            found.extend(path.map(|path| NamedFile {
                field: key,
                path: path.to_owned(),
                source: source.clone(),
            }));
        }
    }
}

/// Tries a route and those below it. `is_sure`: the alert surely gets to this one. Returns whether it takes it.
fn enter<'t>(
    way: &mut Way,
    node: &'t RouteNode,
    is_sure: bool,
    holds: &dyn Fn(&AlertMatcher) -> Option<bool>,
    steps: &mut Vec<MatchedRoute<'t>>,
) -> Option<bool> {
    let mut own = Some(true);
    for matcher in &node.matchers {
        match holds(matcher) {
            Some(true) => {}
            Some(false) => return Some(false),
            None => own = None,
        }
    }
    let at = steps.len();
    let is_sure = is_sure && own.is_some();
    steps.push(MatchedRoute {
        way: way.clone(),
        node,
        is_last: true,
        is_sure,
    });
    let mut gets_there = is_sure;
    for (index, route) in node.routes.iter().enumerate() {
        way.push(index);
        let taken = enter(way, route, gets_there, holds, steps);
        way.pop();
        match taken {
            Some(true) => steps[at].is_last = false,
            Some(false) => continue,
            None => steps[at].is_sure = false,
        }
        if taken.is_some() && !route.continues {
            break;
        }
        gets_there &= route.continues;
    }
    own
}

impl RouteNode {
    fn new(
        route: &Value,
        parent: &Self,
        way: &mut Way,
        source: &dyn Fn(ConfigPiece<'_>) -> PieceSource,
    ) -> Result<Self, String> {
        let source_here = source(ConfigPiece::Route(way));
        let is_secret = source_here.is_secret;
        let text = |key: &str, inherited: &Setting<String>| {
            let own = route.text_of(key).filter(|text| !text.is_empty());
            own.map_or_else(
                || inherited.clone(),
                |own| Setting {
                    value: own.to_owned(),
                    is_secret,
                },
            )
        };
        let group_by = texts(route.get("group_by"));
        let mut node = Self {
            receiver: text("receiver", &parent.receiver),
            matchers: matchers(route, "")?,
            continues: route.get("continue") == Some(&Value::Bool(true)),
            group_by: match group_by.is_empty() {
                true => parent.group_by.clone(),
                false => Setting {
                    value: group_by,
                    is_secret,
                },
            },
            group_wait: text("group_wait", &parent.group_wait),
            group_interval: text("group_interval", &parent.group_interval),
            repeat_interval: text("repeat_interval", &parent.repeat_interval),
            mute: texts(route.get("mute_time_intervals")),
            active: texts(route.get("active_time_intervals")),
            routes: Vec::new(),
            source: source_here,
        };
        let below = if way.len() < MAX_DEPTH {
            items(route.get("routes"))
        } else {
            &[]
        };
        for (index, route) in below.iter().enumerate() {
            way.push(index);
            let route = Self::new(route, &node, way, source)?;
            way.pop();
            node.routes.push(route);
        }
        Ok(node)
    }
}

impl Inhibition {
    fn new(rule: &Value, source: PieceSource) -> Result<Self, String> {
        Ok(Self {
            inhibiting: matchers(rule, "source_")?,
            inhibited: matchers(rule, "target_")?,
            equal: texts(rule.get("equal")),
            source,
        })
    }

    /// Returns whether an alert inhibits another that the rule is for. One that matches both sides does not inhibit
    /// others that do, so that no alert inhibits itself.
    fn is_source(&self, alert: &AlertLabels, inhibited: &AlertLabels) -> bool {
        let value =
            |labels: &AlertLabels, name: &str| labels.get(name).cloned().unwrap_or_default();
        let is_same = |name: &String| {
            let values = [value(alert, name), value(inhibited, name)];
            values[0] == values[1] || values.iter().any(|value| value.contains(ANY))
        };
        let is_equal = self.equal.iter().all(is_same);
        let is_both =
            matcher::all(&self.inhibited, alert) && matcher::all(&self.inhibiting, inhibited);
        is_equal && matcher::all(&self.inhibiting, alert) && !is_both
    }
}

/// The conditions of a part, in the old form and in the new one.
fn matchers(part: &Value, prefix: &str) -> Result<Vec<AlertMatcher>, String> {
    let mut out = Vec::new();
    for (key, is_regex) in [("match", false), ("match_re", true)] {
        let pairs = part.get(&format!("{prefix}{key}")).and_then(Value::as_map);
        for (name, value) in pairs.into_iter().flat_map(Map::iter) {
            let value = value.as_str().unwrap_or_default();
            out.push(AlertMatcher::of_pair(name, value, is_regex)?);
        }
    }
    for text in texts(part.get(&format!("{prefix}matchers"))) {
        out.extend(matcher::parse(&text)?);
    }
    Ok(out)
}

/// A receiver's name and its integrations: the names of its lists without their suffix.
fn receiver(receiver: &Value) -> (String, Vec<String>) {
    let lists = receiver.as_map().into_iter().flat_map(Map::iter);
    let through = lists.filter_map(|(key, value)| {
        let through = key.strip_suffix("_configs")?;
        Some(std::iter::repeat_n(
            through.to_owned(),
            items(Some(value)).len(),
        ))
    });
    (name_of(receiver), through.flatten().collect())
}

fn interval(interval: &Value) -> (String, Vec<Range>) {
    let ranges = interval.items_of("time_intervals").iter();
    (name_of(interval), ranges.map(Range::new).collect())
}

/// The name of a receiver or a time interval.
fn name_of(part: &Value) -> String {
    part.text_of("name").unwrap_or_default().to_owned()
}

fn items(value: Option<&Value>) -> &[Value] {
    value.and_then(Value::as_seq).unwrap_or_default()
}

fn texts(value: Option<&Value>) -> Vec<String> {
    items(value)
        .iter()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_text::yaml::read::read_slices;

    fn tree(text: &str) -> RoutingTree {
        let value = read_slices(text).unwrap().unwrap().to_value();
        RoutingTree::new(value.as_map().unwrap(), &|_| PieceSource::default()).unwrap()
    }

    fn labels(pairs: &[(&str, &str)]) -> AlertLabels {
        pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect()
    }

    #[test]
    fn an_alert_goes_to_the_first_route_and_on_while_that_continues() {
        let tree = tree(
            "route: {receiver: root, routes: [{receiver: a, continue: true, matchers: ['x=1']}, \
             {receiver: b, match: {x: '1'}}, {receiver: c}]}",
        );
        assert_eq!(tree.receivers_of(&labels(&[("x", "1")])), ["a", "b"]);
        assert_eq!(tree.receivers_of(&labels(&[])), ["c"]);
    }

    #[test]
    fn routes_that_depend_on_open_labels_may_notify() {
        let of = |routes: &str, open: &[&str]| {
            let tree = tree(&format!("route: {{receiver: root, routes: [{routes}]}}"));
            let open = OpenLabel {
                values: open.iter().map(|&value| value.to_owned()).collect(),
                ..OpenLabel::any("w".to_owned())
            };
            let alert = Alert {
                labels: labels(&[("x", "1")]),
                open: BTreeMap::from([("t".to_owned(), open)]),
                ..Alert::default()
            };
            let ends = tree.ends(&alert).into_iter();
            let ends = ends.map(|(node, why)| {
                let mark = if why.is_some() { "?" } else { "" };
                format!("{}{mark}", node.receiver.value)
            });
            ends.collect::<Vec<_>>().join(" ")
        };
        let any = ["", "\u{10fffe}"];
        for (routes, open, expected) in [
            ("{receiver: a, match: {t: '1'}}", &any[..], "a? root?"),
            ("{receiver: a, match: {t: '1'}}", &["2", "3"], "root"),
            ("{receiver: a, match_re: {t: '1|2'}}", &["1", "2"], "a"),
            ("{receiver: a, match: {t: '1'}}", &["1", "2"], "a? root?"),
            (
                "{receiver: b, match: {x: '1'}}, {receiver: a, match: {t: '1'}}",
                &any,
                "b",
            ),
            (
                "{receiver: a, match: {t: '1'}}, {receiver: b, match: {x: '1'}}",
                &any,
                "a? b?",
            ),
            (
                "{receiver: a, match: {t: '1'}, continue: true}, {receiver: b, match: {x: '1'}}",
                &any,
                "a? b",
            ),
            ("{receiver: a, match: {x: '2', t: '1'}}", &any, "root"),
            (
                "{receiver: a, match: {x: '1'}, routes: [{receiver: b, match: {t: '1'}}]}",
                &any,
                "b? a?",
            ),
        ] {
            assert_eq!(of(routes, open), expected, "{routes} {open:?}");
        }
    }

    #[test]
    fn what_a_route_does_not_say_is_its_parents() {
        let tree = tree(
            "route: {receiver: root, group_by: [a], routes: [{group_wait: 1m, matchers: ['x=1']}]}",
        );
        let steps = tree.route(&labels(&[("x", "1")])).len();
        let node = &tree.root.routes[0];
        assert_eq!(
            (
                steps,
                &*node.receiver.value,
                &*node.group_wait.value,
                &*node.repeat_interval.value
            ),
            (2, "root", "1m", "4h")
        );
        assert_eq!(node.group_by.value, ["a"]);
    }

    #[test]
    fn what_is_inherited_from_a_secret_stays_one() {
        let text = "route: {receiver: root, group_wait: 1s, routes: [{receiver: own}]}";
        let value = read_slices(text).unwrap().unwrap().to_value();
        let source = |piece: ConfigPiece<'_>| PieceSource {
            is_secret: matches!(piece, ConfigPiece::Route([])),
            ..PieceSource::default()
        };
        let tree = RoutingTree::new(value.as_map().unwrap(), &source).unwrap();
        let node = &tree.root.routes[0];
        assert_eq!(
            (node.receiver.is_secret, node.group_wait.is_secret),
            (false, true)
        );
        assert!(!node.repeat_interval.is_secret);
    }

    #[test]
    fn an_alert_inhibits_others_but_not_itself() {
        let tree = tree(
            "route: {receiver: a}\ninhibit_rules: [{source_matchers: ['severity=critical'], target_matchers: \
             ['severity=~\"warning|critical\"'], equal: [namespace]}]",
        );
        let critical = labels(&[("severity", "critical"), ("namespace", "shop")]);
        let firing = [critical.clone()];
        let warning = labels(&[("severity", "warning"), ("namespace", "shop")]);
        assert_eq!(tree.inhibited_by(&warning, &firing).len(), 1);
        assert!(tree.inhibited_by(&critical, &firing).is_empty());
        assert!(
            tree.inhibited_by(&labels(&[("severity", "warning")]), &firing)
                .is_empty()
        );
    }
}
