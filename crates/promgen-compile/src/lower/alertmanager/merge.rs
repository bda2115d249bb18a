//! Merges AlertmanagerConfigs into a configuration.
//!
//! In: a base configuration, and the AlertmanagerConfigs that an Alertmanager accepts. Out: the merged configuration,
//! in Alertmanager's own form, and the origin of each part. Depends on the version only in whether matchers exist.

mod convert;
pub(crate) mod route;

use crate::cluster::Object;
use crate::lower::alertmanager::lines::Lines;
use crate::lower::alertmanager::merge::convert::Convert;
use crate::lower::alertmanager::merge::route::RouteOwner;
use crate::lower::alertmanager::{Am, shape};
use crate::receivers;
use crate::receivers::global::{GLOBAL, GLOBAL_FIELDS};
use crate::receivers::table::conversion::{Conversion, Table};
use promgen_prometheus::routing::ConfigPiece;
use promgen_resources::api::AlertmanagerConfig;
use promgen_resources::api::notifying::alertmanager::MatcherStrategyType;
use promgen_resources::api::notifying::alertmanager_global::AlertmanagerGlobalConfig;
use promgen_resources::gates;
use promgen_text::route::{At, Segment, ValueRoute};
use promgen_text::yaml::{self, Map, Value};

/// A configuration, and the origins of its parts.
#[derive(Clone, Debug)]
pub struct Merged {
    /// The configuration, in the operator's order.
    pub root: Map,
    /// The parts that are added at the end: routes, and the items of the lists.
    waiting: (Vec<Value>, [Vec<Value>; 3]),
    /// The lines of the base configuration.
    lines: Lines,
    /// The place of the base configuration; `None` for the operator's own.
    base: Option<At>,
    /// The base configuration must not be printed.
    hides_base: bool,
    /// The place where the global settings are that the Alertmanager itself has.
    global: Option<At>,
    /// The origins of the first routes, the last receivers and so on.
    routes: Vec<At>,
    receivers: Vec<At>,
    inhibit_rules: Vec<At>,
    mute_time_intervals: Vec<At>,
    /// The number of items of the base in each list: receivers, inhibit rules, time intervals.
    before: [usize; 3],
    /// The place of the root route, if an AlertmanagerConfig has it.
    root_route: Option<At>,
}

/// The lists that AlertmanagerConfigs add to at the end.
const LISTS: [&str; 3] = ["receivers", "inhibit_rules", "mute_time_intervals"];

impl Merged {
    /// A configuration that the user wrote, at that place, or the operator's own.
    pub(super) fn new(root: Map, (base, hides_base): (Option<At>, bool), lines: Lines) -> Self {
        let before = LISTS.map(|list| {
            root.get(list)
                .and_then(Value::as_seq)
                .map_or(0, <[Value]>::len)
        });
        let (routes, receivers, inhibit_rules, mute_time_intervals) = Default::default();
        Self {
            root,
            waiting: Default::default(),
            lines,
            hides_base: hides_base && base.is_some(),
            base,
            global: None,
            routes,
            receivers,
            inhibit_rules,
            mute_time_intervals,
            before,
            root_route: None,
        }
    }

    /// A configuration whose root is an AlertmanagerConfig.
    pub(super) fn of_global(am: &Am<'_>, config: &Object<AlertmanagerConfig>) -> Self {
        let mut merged = Self::new(Map::new(), (None, false), Lines::default());
        let spec = am.spec.alertmanager_configuration.as_ref();
        if let Some(global) = spec.and_then(|s| s.global.as_ref()) {
            merged.root.push("global", global_settings(am, global));
            merged.global = Some(
                At::doc(am.doc)
                    .key("spec")
                    .key("alertmanagerConfiguration")
                    .key("global"),
            );
        }
        let owner = owner(am, config);
        if let Some(route) = &config.value.spec.route {
            merged
                .root
                .push("route", shape::ordered(&owner.route(route), &shape::ROUTE));
            merged.root_route = Some(At::doc(config.doc).key("spec").key("route"));
        }
        // The root is not confined to its namespace: it gets all alerts.
        merged.add_lists(am, config, None);
        let templates = spec
            .and_then(|s| s.templates.as_deref())
            .unwrap_or_default();
        let keys = templates.iter().filter_map(|template| {
            let key = template
                .secret
                .as_ref()
                .map(|s| &s.key)
                .or(template.config_map.as_ref().map(|m| &m.key))?;
            Some(Value::from(format!("/etc/alertmanager/templates/{key}")))
        });
        merged.root.push("templates", Value::Seq(keys.collect()));
        merged.settle();
        merged
    }

    /// Puts an AlertmanagerConfig in. Operator: `AddAlertmanagerConfigs`.
    pub(super) fn add(&mut self, am: &Am<'_>, config: &Object<AlertmanagerConfig>) {
        let owner = owner(am, config);
        let confined = is_confined(am, config).then_some(&owner);
        if let Some(route) = &config.value.spec.route {
            let mut part = owner.route(route);
            // Whatever the user says: other namespaces must see the alert, too.
            part.set("continue", true);
            if let Some(owner) = confined {
                owner.confine(&mut part, "");
            }
            self.waiting
                .0
                .push(shape::ordered(&part, &shape::ROUTE).into());
            self.routes
                .push(At::doc(config.doc).key("spec").key("route"));
        }
        self.add_lists(am, config, confined);
    }

    /// Puts everything that was added in its place.
    pub(super) fn settle(&mut self) {
        let (routes, lists) = std::mem::take(&mut self.waiting);
        if !routes.is_empty()
            && let Some(Value::Map(root)) = self.root.get_mut("route")
        {
            let own = root.remove("routes");
            let own = own
                .as_ref()
                .and_then(Value::as_seq)
                .unwrap_or_default()
                .iter()
                .cloned();
            // Routes of resources come before those of the base, so that the base cannot catch their alerts.
            let routes = routes.into_iter().chain(own).collect();
            root.set("routes", Value::Seq(routes));
            *root = shape::ordered(root, &shape::ROUTE);
        }
        for (key, added) in LISTS
            .into_iter()
            .zip(lists)
            .filter(|(_, added)| !added.is_empty())
        {
            let mut items = match self.root.remove(key) {
                Some(Value::Seq(items)) => items,
                Some(_) | None => Vec::new(),
            };
            items.extend(added);
            self.root.set(key, Value::Seq(items));
        }
        self.root = shape::ordered(&self.root, &shape::ROOT);
    }

    /// Adds inhibit rules; and receivers and time intervals, if there is a route to them.
    fn add_lists(
        &mut self,
        am: &Am<'_>,
        config: &Object<AlertmanagerConfig>,
        confined: Option<&RouteOwner<'_>>,
    ) {
        let (spec, owner) = (&config.value.spec, owner(am, config));
        for (index, rule) in spec.inhibit_rules.iter().flatten().enumerate() {
            let mut part = owner.inhibit_rule(rule);
            if let Some(owner) = confined {
                owner.confine(&mut part, "target_");
                owner.confine(&mut part, "source_");
            }
            // 1 is the index of `inhibit_rules` in `LISTS`.
            self.waiting.1[1].push(shape::ordered(&part, &shape::INHIBIT).into());
            self.inhibit_rules.push(
                At::doc(config.doc)
                    .key("spec")
                    .key("inhibitRules")
                    .index(index),
            );
        }
        // Without a route nothing refers to receivers and intervals, and the operator leaves them out.
        if spec.route.is_none() {
            return;
        }
        let convert = Convert {
            assets: am.assets,
            namespace: config.namespace(),
            versions: am.versions,
        };
        for (index, receiver) in spec.receivers.iter().flatten().enumerate() {
            let mut part = convert.part(&yaml::to_value(receiver), receivers::FIELDS);
            part.set("name", owner.qualified(&receiver.name));
            self.waiting.1[0].push(shape::ordered(&part, &receivers::RECEIVER).into());
            self.receivers.push(
                At::doc(config.doc)
                    .key("spec")
                    .key("receivers")
                    .index(index),
            );
        }
        for (index, interval) in spec.mute_time_intervals.iter().flatten().enumerate() {
            self.waiting.1[2].push(owner.time_interval(interval).into());
            self.mute_time_intervals.push(
                At::doc(config.doc)
                    .key("spec")
                    .key("muteTimeIntervals")
                    .index(index),
            );
        }
    }

    /// The origin of a piece, and its line in the base configuration.
    pub fn source(&self, piece: ConfigPiece<'_>) -> (Option<At>, Option<usize>) {
        match piece {
            ConfigPiece::Route(way) => {
                let below = |route: ValueRoute, index: &usize| route.key("routes").index(*index);
                let at = self.place(&way.iter().fold(ValueRoute::root().key("route"), below));
                let own = match way.split_first() {
                    Some((first, rest)) => first
                        .checked_sub(self.n_routes())
                        .map(|first| [&[first], rest].concat()),
                    None => Some(Vec::new()),
                };
                (at, own.and_then(|way| self.lines.of_route(&way)))
            }
            ConfigPiece::Inhibition(index) => {
                let at = self.place(&ValueRoute::root().key("inhibit_rules").index(index));
                (at, self.lines.of_item("inhibit_rules", index))
            }
            ConfigPiece::Item(list, index) => {
                let at = self.place(&ValueRoute::root().key(list).index(index));
                (at, self.lines.of_item(list, index))
            }
        }
    }

    /// Returns whether an AlertmanagerConfig has a receiver or time interval of that name: it begins with namespace and
    /// name.
    pub(super) fn owns(&self, name: &str) -> bool {
        let items = |list: &str| {
            self.root
                .get(list)
                .and_then(Value::as_seq)
                .unwrap_or_default()
        };
        LISTS.iter().any(|list| {
            let items = items(list);
            let added = &items[items.len() - self.n_added(list).min(items.len())..];
            added
                .iter()
                .any(|item| item.get("name").and_then(Value::as_str) == Some(name))
        })
    }

    /// The number of routes of AlertmanagerConfigs, which come first in the root route.
    pub(super) const fn n_routes(&self) -> usize {
        self.routes.len()
    }

    /// The number of items of a top-level list from AlertmanagerConfigs, which come last.
    pub(super) fn n_added(&self, list: &str) -> usize {
        self.added(list).map_or(0, |(added, _)| added.len())
    }

    /// Returns whether that is the place of the user's Secret.
    pub(super) fn is_base(&self, at: &At) -> bool {
        self.base.as_ref() == Some(at)
    }

    /// Returns whether the root route and the global settings come from a Secret of the user that must not be printed.
    pub(super) const fn hides_base(&self) -> bool {
        self.hides_base
    }

    /// Returns whether the value at a place must not be printed.
    pub fn hides(&self, at: &At) -> bool {
        self.hides_base && self.is_base(at)
    }

    fn added(&self, list: &str) -> Option<(&[At], usize)> {
        Some(match list {
            "receivers" => (&self.receivers, self.before[0]),
            "inhibit_rules" => (&self.inhibit_rules, self.before[1]),
            "mute_time_intervals" => (&self.mute_time_intervals, self.before[2]),
            _ => return None,
        })
    }

    /// The origin of a part of the configuration: a field of an AlertmanagerConfig or of the Alertmanager, or the key
    /// of a Secret. `None` for the operator's own parts.
    pub fn place(&self, route: &ValueRoute) -> Option<At> {
        let (first, rest) = route.0.split_first()?;
        let Segment::Key(first) = first else {
            return None;
        };
        if let (Some((added, before)), Some((Segment::Index(index), rest))) =
            (self.added(first), rest.split_first())
            && let Some(at) = index.checked_sub(before).and_then(|index| added.get(index))
        {
            return Some(follow(at.clone(), rest, table_of(first)));
        }
        match (&**first, rest) {
            ("route", [Segment::Key(key), Segment::Index(index), rest @ ..]) if key == "routes" => {
                match (self.routes.get(*index), &self.root_route) {
                    (Some(at), _) => Some(follow(at.clone(), rest, ROUTE)),
                    (None, Some(at)) => {
                        let index = index - self.routes.len();
                        Some(follow(at.clone().key("routes").index(index), rest, ROUTE))
                    }
                    (None, None) => self.base.clone(),
                }
            }
            ("route", rest) => self
                .root_route
                .clone()
                .map(|at| follow(at, rest, ROUTE))
                .or_else(|| self.base.clone()),
            ("global", rest) => self
                .global
                .clone()
                .map(|at| follow(at, rest, GLOBAL_FIELDS))
                .or_else(|| self.base.clone()),
            _ => self.base.clone(),
        }
    }
}

/// The names of the fields of a route.
const ROUTE: Table = &[
    ("receiver", "receiver", Conversion::Plain),
    ("groupBy", "group_by", Conversion::Plain),
    ("matchers", "matchers", Conversion::Plain),
    ("matchers", "match", Conversion::Plain),
    ("matchers", "match_re", Conversion::Plain),
    ("continue", "continue", Conversion::Plain),
    ("routes", "routes", Conversion::Plain),
    ("groupWait", "group_wait", Conversion::Plain),
    ("groupInterval", "group_interval", Conversion::Plain),
    ("repeatInterval", "repeat_interval", Conversion::Plain),
    (
        "muteTimeIntervals",
        "mute_time_intervals",
        Conversion::Plain,
    ),
    (
        "activeTimeIntervals",
        "active_time_intervals",
        Conversion::Plain,
    ),
    ("labels", "labels", Conversion::Pairs),
];

/// The names of the fields of an inhibit rule.
const INHIBIT_RULE: Table = &[
    ("targetMatch", "target_matchers", Conversion::Plain),
    ("sourceMatch", "source_matchers", Conversion::Plain),
    ("equal", "equal", Conversion::Plain),
];

/// The names of the fields of a time interval.
const TIME_INTERVAL: Table = &[
    ("name", "name", Conversion::Plain),
    ("timeIntervals", "time_intervals", Conversion::Plain),
    ("daysOfMonth", "days_of_month", Conversion::Plain),
];

fn table_of(list: &str) -> Table {
    match list {
        "receivers" => receivers::FIELDS,
        "inhibit_rules" => INHIBIT_RULE,
        _ => TIME_INTERVAL,
    }
}

/// Follows a route through the configuration in the resource of its origin, as far as the resource has it.
fn follow(mut at: At, steps: &[Segment], mut table: Table) -> At {
    for step in steps {
        let key = match step {
            Segment::Index(index) => {
                at = at.index(*index);
                continue;
            }
            Segment::Key(key) => key,
        };
        let Some((parents, how)) = find(table, key) else {
            return at;
        };
        for parent in parents {
            at = at.key(parent);
        }
        table = match how {
            Conversion::Part(table) | Conversion::Parts(table) => table,
            Conversion::Plain | Conversion::Since(_) => table,
            Conversion::Secret
            | Conversion::Filled
            | Conversion::SecretUrl
            | Conversion::Pairs
            | Conversion::Flat(_)
            | Conversion::Tls
            | Conversion::Authorization
            | Conversion::ClientId
            | Conversion::Headers
            | Conversion::Threading
            | Conversion::HostPort
            | Conversion::Smarthost
            | Conversion::GoDuration => &[],
        };
    }
    at
}

/// The path of the field that becomes a key, and its conversion.
fn find(table: Table, key: &str) -> Option<(Vec<&'static str>, Conversion)> {
    table.iter().find_map(|(from, to, how)| match how {
        Conversion::Flat(inner) => find(inner, key).map(|(mut path, how)| {
            path.insert(0, *from);
            (path, how)
        }),
        how => (*to == key).then(|| (vec![*from], *how)),
    })
}

fn owner<'a>(am: &Am<'_>, config: &'a Object<AlertmanagerConfig>) -> RouteOwner<'a> {
    RouteOwner {
        namespace: config.namespace(),
        name: &config.value.metadata.name,
        has_matchers: am.has(&gates::AM_MATCHERS),
    }
}

/// Returns whether an AlertmanagerConfig gets the alerts of its own namespace only.
fn is_confined(am: &Am<'_>, config: &Object<AlertmanagerConfig>) -> bool {
    match am
        .spec
        .alertmanager_config_matcher_strategy
        .as_ref()
        .map(|strategy| &strategy.r#type)
    {
        Some(MatcherStrategyType::None) => false,
        Some(MatcherStrategyType::OnNamespaceExceptForAlertmanagerNamespace) => {
            config.namespace() != am.namespace()
        }
        Some(MatcherStrategyType::OnNamespace) | None => true,
    }
}

fn global_settings(am: &Am<'_>, global: &AlertmanagerGlobalConfig) -> Map {
    let convert = Convert {
        assets: am.assets,
        namespace: am.namespace(),
        versions: am.versions,
    };
    shape::ordered(
        &convert.part(&yaml::to_value(global), GLOBAL_FIELDS),
        &GLOBAL,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_text::route::DocId;
    use promgen_text::source::FileId;

    const BASE: DocId = DocId::new(FileId::new(0), 0);
    const CONFIG: DocId = DocId::new(FileId::new(0), 1);
    const TEXT: &str = "
route: {receiver: null, routes: [{receiver: shop/a/chat}, {receiver: null}]}
receivers: [{name: own}, {name: shop/a/chat}, {name: shop/a/pager}]
inhibit_rules: [{equal: [own]}, {equal: [added]}]
mute_time_intervals: [{name: shop/a/night}]
";

    /// A base with one route, receiver and inhibit rule, and what an AlertmanagerConfig adds to it.
    fn merged() -> Merged {
        let Value::Map(root) = yaml::read::read_slices(TEXT).unwrap().unwrap().to_value() else {
            panic!("a map")
        };
        let spec = || At::doc(CONFIG).key("spec");
        Merged {
            routes: vec![spec().key("route")],
            receivers: vec![
                spec().key("receivers").index(0),
                spec().key("receivers").index(1),
            ],
            inhibit_rules: vec![spec().key("inhibitRules").index(0)],
            mute_time_intervals: vec![spec().key("muteTimeIntervals").index(0)],
            before: [1, 1, 0],
            ..Merged::new(root, (Some(At::doc(BASE)), true), Lines::default())
        }
    }

    #[test]
    fn names_of_alertmanager_configs_are_told_from_those_of_the_base() {
        let merged = merged();
        for (name, owned) in [
            ("shop/a/chat", true),
            ("shop/a/pager", true),
            ("shop/a/night", true),
            ("own", false),
            ("nobody", false),
        ] {
            assert_eq!(merged.owns(name), owned, "{name}");
        }
    }

    fn place(merged: &Merged, route: &ValueRoute) -> (DocId, String) {
        let at = merged.place(route).unwrap();
        (at.doc, at.route.to_string())
    }

    fn in_config(path: &str) -> (DocId, String) {
        (CONFIG, format!("spec.{path}"))
    }

    #[test]
    fn parts_are_where_they_are_written() {
        let list = |list: &'static str, index: usize| ValueRoute::root().key(list).index(index);
        let route = || ValueRoute::root().key("route");
        let of_base = merged();
        for (part, written) in [
            (list("receivers", 1), "receivers[0]"),
            (
                list("receivers", 2).key("slack_configs").index(3),
                "receivers[1].slackConfigs[3]",
            ),
            (
                list("inhibit_rules", 1).key("source_matchers"),
                "inhibitRules[0].sourceMatch",
            ),
            (
                list("mute_time_intervals", 0).key("name"),
                "muteTimeIntervals[0].name",
            ),
            (
                route().key("routes").index(0).key("group_wait"),
                "route.groupWait",
            ),
        ] {
            assert_eq!(place(&of_base, &part), in_config(written));
        }
        for own in [
            list("receivers", 0),
            list("inhibit_rules", 0),
            list("templates", 0),
            route().key("receiver"),
            route().key("group_by").index(0),
            route().key("routes").index(1),
            ValueRoute::root().key("global"),
        ] {
            assert_eq!(place(&of_base, &own), (BASE, String::new()));
        }
    }

    /// With `alertmanagerConfiguration`, where the route and the global settings are in resources.
    #[test]
    fn parts_of_a_root_configuration_are_in_resources() {
        let in_spec = |key: &'static str| Some(At::doc(CONFIG).key("spec").key(key));
        let rooted = Merged {
            root_route: in_spec("root"),
            global: in_spec("global"),
            ..merged()
        };
        let route = || ValueRoute::root().key("route");
        for (part, written) in [
            (route().key("routes").index(0), "route"),
            (
                route().key("routes").index(3).key("receiver"),
                "root.routes[2].receiver",
            ),
            (route().key("group_by").index(0), "root.groupBy[0]"),
            (
                ValueRoute::root().key("global").key("resolve_timeout"),
                "global.resolveTimeout",
            ),
        ] {
            assert_eq!(place(&rooted, &part), in_config(written));
        }
    }
}
