//! Merges AlertmanagerConfigs into a configuration.
//!
//! In: a base configuration, and the AlertmanagerConfigs that an Alertmanager accepts. Out: the merged configuration,
//! in Alertmanager's own form, and the origin of each part. Depends on the version only in whether matchers exist.

mod convert;
pub(crate) mod route;

use std::borrow::Cow;

use crate::cluster::Object;
use crate::lower::alertmanager::lines::Lines;
use crate::lower::alertmanager::merge::convert::Convert;
use crate::lower::alertmanager::merge::route::RouteOwner;
use crate::lower::alertmanager::{AlertmanagerContext, shape};
use crate::paths::spec_at;
use crate::receivers::table::conversion::{Conversion, Table};
use crate::receivers::{self, GLOBAL, GLOBAL_FIELDS, INHIBIT_FIELDS, ROUTE_FIELDS, TIME_FIELDS};
use promgen_prometheus::routing::ConfigPiece;
use promgen_resources::api::AlertmanagerConfig;
use promgen_resources::api::notifying::alertmanager::MatcherStrategyType;
use promgen_resources::api::notifying::alertmanager_global::AlertmanagerGlobalConfig;
use promgen_resources::gates;
use promgen_text::describe::Describe;
use promgen_text::route::{At, DocId, Segment, ValueRoute};
use promgen_text::yaml::{self, Map, Value};

/// A configuration, and the origins of its parts.
#[derive(Clone, Debug)]
pub struct Merged {
    /// The configuration, in the operator's order.
    pub root: Map,
    /// The lines of the base configuration.
    lines: Lines,
    /// The place of the base configuration; `None` for the operator's own.
    base: Option<At>,
    /// The base configuration must not be printed.
    hides_base: bool,
    /// It is made of values that stand in clear: names of receivers and time intervals may be printed.
    pub is_clear: bool,
    /// The place where the global settings are that the Alertmanager itself has.
    global: Option<At>,
    /// The first routes.
    routes: AddedItems,
    /// The last items of the lists.
    lists: [AddedItems; 3],
    /// The place of the root route, if an AlertmanagerConfig has it.
    root_route: Option<At>,
}

/// What AlertmanagerConfigs add to a list.
#[derive(Clone, Debug, Default)]
struct AddedItems {
    /// The number of items of the base.
    before: usize,
    /// The items, until they are put into the configuration.
    waiting: Vec<Value>,
    /// Their origins.
    places: Vec<At>,
}

impl AddedItems {
    fn add(&mut self, item: impl Into<Value>, place: At) {
        self.waiting.push(item.into());
        self.places.push(place);
    }
}

/// The lists that AlertmanagerConfigs add to at the end: the key, the field of the resource, and the fields of an item.
static LISTS: [(&str, &str, Table); 3] = [
    ("receivers", "receivers", receivers::FIELDS),
    ("inhibit_rules", "inhibitRules", INHIBIT_FIELDS),
    ("mute_time_intervals", "muteTimeIntervals", TIME_FIELDS),
];

impl Merged {
    /// A configuration that the user wrote, at that place, or the operator's own.
    pub(super) fn new(root: Map, base: Option<At>, hides_base: bool, lines: Lines) -> Self {
        let lists = LISTS.each_ref().map(|(list, ..)| AddedItems {
            before: root.items_of(list).len(),
            ..AddedItems::default()
        });
        Self {
            root,
            lines,
            hides_base: hides_base && base.is_some(),
            is_clear: false,
            base,
            global: None,
            routes: AddedItems::default(),
            lists,
            root_route: None,
        }
    }

    /// A configuration whose root is an AlertmanagerConfig.
    pub(super) fn of_global(
        am: &AlertmanagerContext<'_>,
        config: &Object<AlertmanagerConfig>,
    ) -> Self {
        let mut merged = Self::new(Map::new(), None, false, Lines::default());
        let spec = am.spec.alertmanager_configuration.as_ref();
        if let Some(global) = spec.and_then(|s| s.global.as_ref()) {
            merged.root.push("global", global_settings(am, global));
            merged.global = Some(
                spec_at(am.doc)
                    .key("alertmanagerConfiguration")
                    .key("global"),
            );
        }
        let owner = owner(am, config);
        if let Some(route) = &config.value.spec.route {
            merged.root.push(
                "route",
                shape::ordered(&owner.route(route), &receivers::ROUTE),
            );
            merged.root_route = Some(spec_at(config.doc).key("route"));
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
        merged.finish();
        merged
    }

    /// Puts an AlertmanagerConfig in. Operator: `AddAlertmanagerConfigs`.
    pub(super) fn add(
        &mut self,
        am: &AlertmanagerContext<'_>,
        config: &Object<AlertmanagerConfig>,
    ) {
        let owner = owner(am, config);
        let confined = is_confined(am, config).then_some(&owner);
        if let Some(route) = &config.value.spec.route {
            let mut part = owner.route(route);
            // Whatever the user says: other namespaces must see the alert, too.
            part.set("continue", true);
            if let Some(owner) = confined {
                owner.confine(&mut part, "");
            }
            let place = spec_at(config.doc).key("route");
            self.routes
                .add(shape::ordered(&part, &receivers::ROUTE), place);
        }
        self.add_lists(am, config, confined);
    }

    /// Puts everything that was added in its place.
    pub(super) fn finish(&mut self) {
        let routes = std::mem::take(&mut self.routes.waiting);
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
            *root = shape::ordered(root, &receivers::ROUTE);
        }
        for ((key, ..), list) in LISTS.iter().zip(&mut self.lists) {
            let added = std::mem::take(&mut list.waiting);
            if added.is_empty() {
                continue;
            }
            let mut items = match self.root.remove(key) {
                Some(Value::Seq(items)) => items,
                Some(_) | None => Vec::new(),
            };
            items.extend(added);
            self.root.set(*key, Value::Seq(items));
        }
        self.root = shape::ordered(&self.root, &receivers::ROOT);
    }

    /// Adds inhibit rules; and receivers and time intervals, if there is a route to them.
    fn add_lists(
        &mut self,
        am: &AlertmanagerContext<'_>,
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
            let item = shape::ordered(&part, &receivers::INHIBIT);
            self.add_item("inhibit_rules", item, config.doc, index);
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
            let item = shape::ordered(&part, &receivers::RECEIVER);
            self.add_item("receivers", item, config.doc, index);
        }
        for (index, interval) in spec.mute_time_intervals.iter().flatten().enumerate() {
            let item = owner.time_interval(interval);
            self.add_item("mute_time_intervals", item, config.doc, index);
        }
    }

    fn add_item(&mut self, list: &str, item: Map, doc: DocId, index: usize) {
        let mut lists = LISTS.iter().zip(&mut self.lists);
        if let Some(((_, field, _), added)) = lists.find(|((key, ..), _)| *key == list) {
            added.add(item, spec_at(doc).key(*field).index(index));
        }
    }

    /// The origin of a piece, and its line in the base configuration, if that is a text that somebody wrote.
    pub fn source(&self, piece: ConfigPiece<'_>) -> (Option<At>, Option<usize>) {
        let (at, line) = self.piece(piece);
        (at, line.filter(|_| !self.is_clear))
    }

    fn piece(&self, piece: ConfigPiece<'_>) -> (Option<At>, Option<usize>) {
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
        let items = |list: &str| self.root.items_of(list);
        LISTS.iter().any(|(list, ..)| {
            let items = items(list);
            let added = &items[items.len() - self.n_added(list).min(items.len())..];
            added
                .iter()
                .any(|item| item.get("name").and_then(Value::as_str) == Some(name))
        })
    }

    /// The number of routes of AlertmanagerConfigs, which come first in the root route.
    pub(super) const fn n_routes(&self) -> usize {
        self.routes.places.len()
    }

    /// The number of items of a top-level list from AlertmanagerConfigs, which come last.
    pub(super) fn n_added(&self, list: &str) -> usize {
        self.added(list).map_or(0, |(added, _)| added.places.len())
    }

    /// Returns whether that is a place in the user's Secret.
    pub(super) fn is_base(&self, at: &At) -> bool {
        let base = self.base.as_ref();
        base.is_some_and(|base| base.doc == at.doc && at.route.0.starts_with(&base.route.0))
    }

    /// Returns whether the root route and the global settings come from a Secret of the user that must not be printed.
    pub(super) const fn hides_base(&self) -> bool {
        self.hides_base
    }

    /// Returns whether the value at a place must not be printed.
    pub fn hides(&self, at: &At) -> bool {
        self.hides_base && !self.is_clear && self.is_base(at)
    }

    fn added(&self, list: &str) -> Option<(&AddedItems, Table)> {
        let mut lists = LISTS.iter().zip(&self.lists);
        lists.find_map(|((key, _, table), added)| (*key == list).then_some((added, *table)))
    }

    /// The place in the user's Secret, in the text of its key.
    fn in_base(&self, route: ValueRoute) -> Option<At> {
        self.base.clone().map(|at| at.below(route))
    }

    /// The origin of a part of the configuration: a field of an AlertmanagerConfig or of the Alertmanager, or a place in the
    /// text of a key of a Secret. `None` for the operator's own parts.
    pub fn place(&self, route: &ValueRoute) -> Option<At> {
        let Some((Segment::Key(first), rest)) = route.0.split_first() else {
            return self.base.clone();
        };
        if let (Some((added, table)), Some((Segment::Index(index), rest))) =
            (self.added(first), rest.split_first())
            && let Some(at) = index
                .checked_sub(added.before)
                .and_then(|index| added.places.get(index))
        {
            return Some(follow(at.clone(), rest, table));
        }
        match (&**first, rest) {
            ("route", [Segment::Key(key), Segment::Index(index), rest @ ..]) if key == "routes" => {
                match (self.routes.places.get(*index), &self.root_route) {
                    (Some(at), _) => Some(follow(at.clone(), rest, ROUTE_FIELDS)),
                    (None, Some(at)) => {
                        let index = index - self.routes.places.len();
                        Some(follow(
                            at.clone().key("routes").index(index),
                            rest,
                            ROUTE_FIELDS,
                        ))
                    }
                    (None, None) => {
                        let mut own = route.clone();
                        own.0[2] = Segment::Index(index - self.routes.places.len());
                        self.in_base(own)
                    }
                }
            }
            ("route", rest) => self
                .root_route
                .clone()
                .map(|at| follow(at, rest, ROUTE_FIELDS))
                .or_else(|| self.in_base(route.clone())),
            ("global", rest) => self
                .global
                .clone()
                .map(|at| follow(at, rest, GLOBAL_FIELDS))
                .or_else(|| self.in_base(route.clone())),
            _ => self.in_base(route.clone()),
        }
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
            _ => Table::of(String::describe),
        };
    }
    at
}

/// The path of the field that becomes a key, and its conversion.
fn find(table: Table, key: &str) -> Option<(Vec<&'static str>, Conversion)> {
    let rows = table.rows.iter();
    let rows = rows.map(|(from, to, how)| (*from, Cow::Borrowed(*to), *how));
    table
        .all()
        .into_iter()
        .chain(rows)
        .find_map(|(from, to, how)| match how {
            Conversion::Flat(inner) => find(inner, key).map(|(mut path, how)| {
                path.insert(0, from);
                (path, how)
            }),
            how => (to == key).then(|| (vec![from], how)),
        })
}

fn owner<'a>(
    am: &AlertmanagerContext<'_>,
    config: &'a Object<AlertmanagerConfig>,
) -> RouteOwner<'a> {
    RouteOwner {
        namespace: config.namespace(),
        name: &config.value.metadata.name,
        has_matchers: am.has(&gates::AM_MATCHERS),
    }
}

/// Returns whether an AlertmanagerConfig gets the alerts of its own namespace only.
fn is_confined(am: &AlertmanagerContext<'_>, config: &Object<AlertmanagerConfig>) -> bool {
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

fn global_settings(am: &AlertmanagerContext<'_>, global: &AlertmanagerGlobalConfig) -> Map {
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
        let added = |before, places| AddedItems {
            before,
            places,
            ..AddedItems::default()
        };
        let receivers = spec().key("receivers");
        Merged {
            routes: added(0, vec![spec().key("route")]),
            lists: [
                added(
                    1,
                    vec![receivers.clone().index(0), receivers.clone().index(1)],
                ),
                added(1, vec![spec().key("inhibitRules").index(0)]),
                added(0, vec![spec().key("muteTimeIntervals").index(0)]),
            ],
            ..Merged::new(root, Some(At::doc(BASE)), true, Lines::default())
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
            ValueRoute::root().key("global"),
        ] {
            assert_eq!(place(&of_base, &own), (BASE, own.to_string()));
        }
        let second = route().key("routes").index(1).key("receiver");
        let written = "route.routes[0].receiver".to_owned();
        assert_eq!(place(&of_base, &second), (BASE, written));
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
