//! Expressions over the facts of policies that are made at random: by type, so that most have a value. A tenth asks for values that nobody
//! knows, a tenth is refused.
//!
//! Where promgen differs on purpose, nothing is made; expressions by hand have it, with the reasons:
//! - timestamps: nothing of any type is added to a duration, or taken from one;
//! - the order of maps: what is made of all entries is a bool or a map;
//! - `==`, `in` and functions of what holds an unknown value, and `has` of an unknown one;
//! - an error beside an unknown value: where a part may be unknown, all parts have values.

mod ill;
mod places;

use std::collections::BTreeSet;

use serde_json::Value;

use promgen_cel::CelType;

use super::given::Given;
use crate::support::asked::Dice;
use places::Place;

/// The type of a part of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Bool,
    Int,
    Double,
    Text,
    Duration,
    Ints,
    Texts,
}

const KINDS: [Kind; 10] = [
    Kind::Bool,
    Kind::Bool,
    Kind::Bool,
    Kind::Bool,
    Kind::Int,
    Kind::Double,
    Kind::Text,
    Kind::Duration,
    Kind::Ints,
    Kind::Texts,
];

/// What makes an expression.
struct Maker<'d, 'v> {
    dice: &'d mut Dice,
    places: &'d [Place<'v>],
    /// The variables of macros around.
    locals: Vec<Place<'v>>,
    /// Facts that nobody knows are among the values, and nothing is an error.
    has_unknown: bool,
    /// How many facts are in it, and how many of them are unknown.
    facts: usize,
    unknown: usize,
}

/// Expressions, the same ones for the same dice. None occurs twice.
pub(super) fn expressions(dice: &mut Dice, given: &Given, count: usize) -> Vec<String> {
    let places = Place::all(given);
    let mut all = Vec::with_capacity(count);
    let mut known = BTreeSet::new();
    while all.len() < count {
        let number = all.len();
        let mut maker = Maker {
            dice,
            places: &places,
            locals: Vec::new(),
            has_unknown: number % 10 == 1,
            facts: 0,
            unknown: 0,
        };
        let kind = maker.dice.one(&KINDS);
        let depth = 1 + maker.dice.below(3);
        let made = match number % 10 {
            2 => maker.ill_typed(depth),
            _ => maker.make(kind, depth),
        };
        let is_about_facts = maker.facts > 0 && maker.has_unknown == (maker.unknown > 0);
        if is_about_facts && made.len() < 600 && known.insert(made.clone()) {
            all.push(made);
        }
    }
    all
}

impl<'v> Maker<'_, 'v> {
    fn one(&mut self, of: &[&str]) -> String {
        self.dice.one(of).to_owned()
    }

    /// A place that is so, a variable of a macro rather than another one.
    fn place(&mut self, is_so: impl Fn(&Place<'v>) -> bool) -> Option<Place<'v>> {
        let has_unknown = self.has_unknown;
        let may = |place: &&Place<'v>| (has_unknown || !place.is_unknown()) && is_so(place);
        let locals = self.locals.iter().cloned();
        let locals: Vec<_> = locals.flat_map(|local| local.below(3)).collect();
        let locals: Vec<_> = locals.iter().filter(may).collect();
        let of: Vec<_> = match !locals.is_empty() && self.dice.is(70) {
            true => locals,
            false => {
                let places: Vec<_> = self.places.iter().filter(may).collect();
                let unknown = places.iter().copied().filter(|place| place.is_unknown());
                let unknown: Vec<_> = unknown.collect();
                match !unknown.is_empty() && self.dice.is(50) {
                    true => unknown,
                    false => places,
                }
            }
        };
        let place = match &of[..] {
            [] => return None,
            of => Place::clone(self.dice.one(of)),
        };
        self.facts += 1;
        self.unknown += usize::from(place.is_unknown());
        Some(place)
    }

    fn make(&mut self, kind: Kind, depth: usize) -> String {
        if depth == 0 {
            return self.leaf(kind);
        }
        if self.dice.is(8) {
            let (condition, yes, no) = (
                self.make(Kind::Bool, depth - 1),
                self.make(kind, depth - 1),
                self.make(kind, depth - 1),
            );
            return format!("({condition} ? {yes} : {no})");
        }
        match kind {
            Kind::Bool => self.bool(depth - 1),
            Kind::Int => self.int(depth - 1),
            Kind::Double => self.double(depth - 1),
            Kind::Text => self.text(depth - 1),
            Kind::Ints => self.ints(depth - 1),
            Kind::Texts => self.texts(depth - 1),
            Kind::Duration => self.duration(depth - 1),
        }
    }

    fn leaf(&mut self, kind: Kind) -> String {
        if self.dice.is(25) {
            return self.literal(kind);
        }
        let place = self.place(|place| place.kind() == Some(kind) && !place.holds_unknown());
        let Some(place) = place else {
            return self.literal(kind);
        };
        // Some of the errors are those of facts that lack.
        let is_plain = match place.is_sure {
            true => self.dice.is(90),
            false => !self.has_unknown && self.dice.is(15),
        };
        if is_plain || place.optional == place.text {
            return place.text;
        }
        let literal = self.literal(kind);
        let optional = match self.dice.below(6) {
            0 => format!("{}.or(optional.of({literal}))", place.optional),
            1 => {
                let variable = format!("o{}", self.locals.len());
                let local = Place {
                    text: variable.clone(),
                    optional: variable.clone(),
                    is_sure: true,
                    ..place
                };
                let body = self.within(local, kind, 1);
                format!("{}.optMap({variable}, {body})", place.optional)
            }
            _ => place.optional,
        };
        format!("{optional}.orValue({literal})")
    }

    fn literal(&mut self, kind: Kind) -> String {
        match kind {
            Kind::Bool => self.one(&["true", "false"]),
            Kind::Int if self.has_unknown => self.one(&["0", "1", "2", "-3", "50000"]),
            Kind::Int => self.one(&["0", "1", "2", "-3", "7", "50000", "9223372036854775807"]),
            Kind::Double => self.one(&["0.0", "1.5", "-2.25", "1e3", "0.1"]),
            Kind::Text => self.one(&[
                "''",
                "'shop'",
                "'critical'",
                "'monitoring/k8s'",
                "'é€x'",
                "r'\\d'",
                "'https'",
                "'10m'",
                "'/'",
                "'a'",
            ]),
            Kind::Ints => self.one(&["[1, 2, 3]", "[3, 1, 2]", "[0]"]),
            Kind::Texts => self.one(&[
                "['shop', 'eu']",
                "['critical', 'warning', 'critical']",
                "['a']",
            ]),
            Kind::Duration => self.one(&[
                "duration('1h30m')",
                "duration('90s')",
                "duration('-1.5s')",
                "duration('24h')",
                "duration('30s')",
            ]),
        }
    }

    fn bool(&mut self, depth: usize) -> String {
        match self.dice.below(16) {
            0 | 1 => self.joined(Kind::Bool, &["&&", "||"], depth),
            2 => format!("!{}", self.in_brackets(Kind::Bool, depth)),
            3 | 4 => {
                let kind = self.dice.one(&KINDS);
                self.joined(kind, &["==", "!="], depth)
            }
            5 | 6 => {
                let of = [Kind::Int, Kind::Text, Kind::Double, Kind::Duration];
                let kind = self.dice.one(&of);
                self.joined(kind, &["<", "<=", ">", ">="], depth)
            }
            7 => {
                let one = self.in_brackets(Kind::Int, depth);
                let sign = self.one(&["<", ">", "<=", ">="]);
                format!("{one} {sign} {}", self.in_brackets(Kind::Double, depth))
            }
            8 => {
                let (item, list) = self.dice.one(&[
                    (Kind::Int, Kind::Ints),
                    (Kind::Text, Kind::Texts),
                    (Kind::Text, Kind::Texts),
                ]);
                let item = self.in_brackets(item, depth);
                format!("{item} in {}", self.in_brackets(list, depth))
            }
            9 | 10 => self.visited_bool(depth),
            11 => self.of_map(depth),
            12 => {
                let function = self.one(&["contains", "startsWith", "endsWith"]);
                let of = self.in_brackets(Kind::Text, depth);
                format!("{of}.{function}({})", self.make(Kind::Text, depth))
            }
            13 => {
                let mut patterns = vec![
                    "'^(shop|checkout)'",
                    "'[a-z]+$'",
                    "'(?i)CRITICAL'",
                    "r'^\\w+$'",
                    "'a{2}|é'",
                ];
                patterns.extend((!self.has_unknown).then_some("'('"));
                let pattern = self.one(&patterns);
                format!("{}.matches({pattern})", self.in_brackets(Kind::Text, depth))
            }
            14 => self.is_there(),
            _ => self.compared(depth),
        }
    }

    /// Whether a fact is there.
    fn is_there(&mut self) -> String {
        let place = self.place(|place| place.within.is_some());
        let Some((place, (of, key))) = place.and_then(|place| Some((place.clone(), place.within?)))
        else {
            return self.literal(Kind::Bool);
        };
        let is_name = !place.text.ends_with(']');
        match self.dice.below(3) {
            0 if place.is_key && !place.is_unknown() => format!("'{key}' in {of}"),
            1 if is_name && !place.is_unknown() => format!("has({})", place.text),
            _ => format!("{}.hasValue()", place.optional),
        }
    }

    /// Other comparisons: of objects and maps, types, and lists.
    fn compared(&mut self, depth: usize) -> String {
        match self.dice.below(6) {
            0 | 1 => {
                let is_object = |place: &Place<'v>| {
                    let is_it = matches!(place.of, CelType::Object(_) | CelType::Map(..));
                    is_it && place.is_sure && !place.is_unknown() && !place.holds_unknown()
                };
                let Some(one) = self.place(is_object) else {
                    return self.literal(Kind::Bool);
                };
                let other = self.place(|place| place.of == one.of && is_object(place));
                let other = other.map_or_else(|| one.text.clone(), |other| other.text);
                match self.dice.is(50) {
                    true => format!("{} == {other}", one.text),
                    false => {
                        let condition = self.make(Kind::Bool, depth);
                        format!("({condition} ? {} : {other}) != {other}", one.text)
                    }
                }
            }
            2 => {
                let place = self.place(|place| {
                    let may_be_null = matches!(
                        place.of,
                        CelType::Dyn | CelType::Object(_) | CelType::Duration
                    );
                    place.is_sure && may_be_null && !place.holds_unknown()
                });
                place.map_or_else(
                    || "true".to_owned(),
                    |place| format!("{} != null", place.text),
                )
            }
            3 => {
                let kind = self.dice.one(&[Kind::Int, Kind::Text, Kind::Bool]);
                let of = self.one(&["int", "string", "bool", "double"]);
                format!("type({}) == {of}", self.make(kind, depth))
            }
            4 => {
                let kind = self.dice.one(&[Kind::Ints, Kind::Texts]);
                format!("{}.isSorted()", self.in_brackets(kind, depth))
            }
            _ => format!("bool(string({}))", self.make(Kind::Bool, depth)),
        }
    }

    /// A place that is a list, whatever its items are; in a macro, its items may be unknown.
    fn list(&mut self) -> Option<Place<'v>> {
        let has_unknown = self.has_unknown;
        self.place(|place| {
            let may = has_unknown || !place.has_unknown_item();
            place.is_sure && place.visited("x").is_some() && may
        })
    }

    /// A part with the variable of a macro around.
    fn within(&mut self, local: Place<'v>, kind: Kind, depth: usize) -> String {
        self.locals.push(local);
        let body = self.make(kind, depth);
        self.locals.pop();
        body
    }

    /// A macro over a list, one of facts rather than a computed one.
    fn visited(&mut self, name: &str, kind: Kind, depth: usize) -> String {
        let variable = format!("x{}", self.locals.len());
        let list = match self.dice.is(65) {
            true => self.list(),
            false => None,
        };
        let (range, local) = match list.and_then(|list| Some((list.visited(&variable)?, list.text)))
        {
            Some((local, range)) => (range, local),
            None => {
                let (list, item) = self.dice.one(&[
                    (Kind::Ints, CelType::Int),
                    (Kind::Texts, CelType::Text),
                    (Kind::Texts, CelType::Text),
                ]);
                let range = self.in_brackets(list, depth);
                (range, Place::computed(&variable, item))
            }
        };
        let range = match self.dice.is(12) {
            true => {
                let body = self.within(local.clone(), Kind::Bool, depth.max(1));
                format!("{range}.filter({variable}, {body})")
            }
            false => range,
        };
        // Of these there is one that visits the positions too.
        let name_of_two = match name {
            "map" => Some("transformList"),
            "filter" => None,
            name => Some(name),
        };
        let position = format!("i{}", self.locals.len());
        match name_of_two.filter(|_| self.dice.is(15)) {
            Some(name) => {
                self.locals.push(Place::computed(&position, CelType::Int));
                let body = self.within(local, kind, depth.max(1));
                self.locals.pop();
                format!("{range}.{name}({position}, {variable}, {body})")
            }
            None => {
                let body = self.within(local, kind, depth.max(1));
                format!("{range}.{name}({variable}, {body})")
            }
        }
    }

    fn visited_bool(&mut self, depth: usize) -> String {
        let name = self.one(&["all", "exists", "exists_one"]);
        self.visited(&name, Kind::Bool, depth)
    }

    /// What is asked of a map as a whole.
    fn of_map(&mut self, depth: usize) -> String {
        let place = self.place(|place| {
            let is_map = matches!(&place.of, CelType::Map(_, value) if **value != CelType::Dyn);
            is_map && place.is_sure && !place.is_unknown()
        });
        let Some(place) = place else {
            return self.literal(Kind::Bool);
        };
        // The values may be unknown.
        let is_open = place.holds_unknown();
        let key = format!("k{}", self.locals.len());
        let name = self.one(&["all", "exists", "exists_one"]);
        let of_key = Place::computed(&key, CelType::Text);
        match self.dice.below(4) {
            0 if !is_open => {
                let value = format!("v{}", self.locals.len());
                let CelType::Map(_, of) = &place.of else {
                    return self.literal(Kind::Bool);
                };
                self.locals.push(of_key);
                let of_value = Place::computed(&value, CelType::clone(of));
                let body = self.within(of_value, Kind::Bool, depth.max(1));
                self.locals.pop();
                format!("{}.{name}({key}, {value}, {body})", place.text)
            }
            1 if !is_open => {
                let body = self.within(of_key, Kind::Int, depth);
                let map = format!("{}.transformMap({key}, v, {body})", place.text);
                format!("{map}.{name}({key}, v, v > {})", self.leaf(Kind::Int))
            }
            2 => format!("{} in {}", self.in_brackets(Kind::Text, depth), place.text),
            _ => {
                let body = self.within(of_key, Kind::Bool, depth.max(1));
                format!("{}.{name}({key}, {body})", place.text)
            }
        }
    }

    fn int(&mut self, depth: usize) -> String {
        // What is an error of some ints.
        let n = if self.has_unknown { 6 } else { 12 };
        match self.dice.below(n) {
            0 => self.joined(Kind::Int, &["+", "-"], depth),
            1 => {
                let kind = self.dice.one(&[Kind::Text, Kind::Ints, Kind::Texts]);
                format!("size({})", self.make(kind, depth))
            }
            2 => {
                let place = self.place(|place| {
                    let is_it = matches!(
                        place.of,
                        CelType::Map(..) | CelType::List(_) | CelType::Text
                    );
                    is_it && place.is_sure && !place.has_unknown_item()
                });
                place.map_or_else(|| "0".to_owned(), |place| format!("{}.size()", place.text))
            }
            3 => format!("{}.size()", self.visited("filter", Kind::Bool, depth)),
            4 => {
                let function =
                    self.one(&["getHours", "getMinutes", "getSeconds", "getMilliseconds"]);
                format!("{}.{function}()", self.in_brackets(Kind::Duration, depth))
            }
            5 => {
                let of = self.in_brackets(Kind::Text, depth);
                let function = self.one(&["indexOf", "lastIndexOf"]);
                format!("{of}.{function}({})", self.make(Kind::Text, depth))
            }
            6 | 7 => self.joined(Kind::Int, &["*", "/", "%", "-"], depth),
            8 => {
                let list = self.in_brackets(Kind::Ints, depth);
                format!("{list}[{}]", self.position(depth))
            }
            9 => {
                let list = self.in_brackets(Kind::Ints, depth);
                format!(
                    "{list}[?{}].orValue({})",
                    self.position(depth),
                    self.leaf(Kind::Int)
                )
            }
            10 => {
                let kind = self.dice.one(&[Kind::Double, Kind::Int]);
                let made = self.make(kind, depth);
                match self.dice.is(30) {
                    true => format!("int(string({made}))"),
                    false => format!("int({made})"),
                }
            }
            _ => {
                let function = self.one(&["sum", "min", "max"]);
                format!("{}.{function}()", self.in_brackets(Kind::Ints, depth))
            }
        }
    }

    fn double(&mut self, depth: usize) -> String {
        match self.dice.below(5) {
            0 | 1 => self.joined(Kind::Double, &["+", "-", "*", "/"], depth),
            2 | 3 => format!("double({})", self.make(Kind::Int, depth)),
            _ => format!("-{}", self.in_brackets(Kind::Double, depth)),
        }
    }

    fn text(&mut self, depth: usize) -> String {
        let of = self.in_brackets(Kind::Text, depth);
        let n = if self.has_unknown { 7 } else { 11 };
        match self.dice.below(n) {
            0 => format!("{of} + {}", self.in_brackets(Kind::Text, depth)),
            1 => {
                let function = self.one(&["lowerAscii", "upperAscii", "trim", "reverse"]);
                format!("{of}.{function}()")
            }
            2 => {
                let (one, other) = (self.make(Kind::Text, depth), self.make(Kind::Text, depth));
                match self.dice.is(30) {
                    true => format!("{of}.replace({one}, {other}, 1)"),
                    false => format!("{of}.replace({one}, {other})"),
                }
            }
            3 => {
                let kind = self
                    .dice
                    .one(&[Kind::Int, Kind::Double, Kind::Bool, Kind::Duration]);
                format!("string({})", self.make(kind, depth))
            }
            4 => {
                let list = self.in_brackets(Kind::Texts, depth);
                format!("{list}.join({})", self.make(Kind::Text, depth))
            }
            5 => {
                let (one, other) = (
                    self.make(Kind::Int, depth),
                    self.make(Kind::Duration, depth),
                );
                format!("'%s: %d, %s'.format([{of}, {one}, {other}])")
            }
            6 => match self.dice.is(50) {
                true => format!("strings.quote({of})"),
                false => format!("{of}.find('[a-zé]+')"),
            },
            7 => {
                let end = self.one(&["", ", 2", ", 5"]);
                format!("{of}.substring({}{end})", self.position(depth))
            }
            8 => format!("{of}.charAt({})", self.position(depth)),
            9 => {
                let list = self.in_brackets(Kind::Texts, depth);
                format!("{list}[{}]", self.position(depth))
            }
            _ => {
                let function = self.one(&["min", "max"]);
                format!("{}.{function}()", self.in_brackets(Kind::Texts, depth))
            }
        }
    }

    fn ints(&mut self, depth: usize) -> String {
        match self.dice.below(5) {
            0 => {
                let one = self.make(Kind::Int, depth);
                format!("[{one}, {}]", self.make(Kind::Int, depth))
            }
            1 => self.joined(Kind::Ints, &["+"], depth),
            2 | 3 => self.visited("map", Kind::Int, depth),
            _ => {
                let one = self.make(Kind::Int, depth);
                match self.dice.is(50) {
                    true => format!("[{one}, ?[1][?{}]]", self.make(Kind::Int, depth)),
                    false => format!(
                        "[{{'a': {one}}}.a, {{1: {}}}[1]]",
                        self.make(Kind::Int, depth)
                    ),
                }
            }
        }
    }

    fn texts(&mut self, depth: usize) -> String {
        match self.dice.below(6) {
            0 => format!("[{}]", self.make(Kind::Text, depth)),
            1 => self.joined(Kind::Texts, &["+"], depth),
            2 | 3 => self.visited("map", Kind::Text, depth),
            4 => {
                let of = self.in_brackets(Kind::Text, depth);
                let limit = self.one(&["", "", ", 2"]);
                format!("{of}.split({}{limit})", self.make(Kind::Text, depth))
            }
            _ => {
                let limit = self.one(&["", "", ", 2"]);
                format!(
                    "{}.findAll('[a-z]+'{limit})",
                    self.in_brackets(Kind::Text, depth)
                )
            }
        }
    }

    fn duration(&mut self, depth: usize) -> String {
        match self.dice.below(4) {
            0 if !self.has_unknown => {
                let is_length = |value: &&Value| {
                    let text = value.as_str().unwrap_or_default();
                    text.starts_with(|c: char| c.is_ascii_digit()) && text.ends_with(['s', 'm'])
                };
                let is_length = |of: &Place<'v>| of.is_sure && of.values.iter().all(is_length);
                let place =
                    self.place(|place| place.kind() == Some(Kind::Text) && is_length(place));
                let text = place.map_or_else(|| "'10m'".to_owned(), |place| place.text);
                format!("duration({text})")
            }
            1 => {
                let one = self.make(Kind::Duration, depth);
                let function = self.one(&["min", "max", "sum"]);
                format!("[{one}, {}].{function}()", self.make(Kind::Duration, depth))
            }
            _ => self.joined(Kind::Duration, &["+", "-"], depth),
        }
    }

    fn in_brackets(&mut self, kind: Kind, depth: usize) -> String {
        let made = self.make(kind, depth);
        match made.contains(' ') || made.starts_with('-') {
            true => format!("({made})"),
            false => made,
        }
    }

    /// A position in a short text or list.
    fn position(&mut self, depth: usize) -> String {
        match self.dice.is(80) {
            true => self.one(&["0", "0", "1"]),
            false => self.make(Kind::Int, depth),
        }
    }

    fn joined(&mut self, kind: Kind, signs: &[&str], depth: usize) -> String {
        let (one, other) = (self.in_brackets(kind, depth), self.in_brackets(kind, depth));
        format!("{one} {} {other}", self.one(signs))
    }
}
