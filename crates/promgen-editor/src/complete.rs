//! The candidates at a place: fields, values, and names of what is in the input.
//!
//! In: the text of a file as it is typed, which need not parse, and the objects of an environment. Out: [`Completion`]s, and
//! the text that they replace.

mod names;
mod values;

use promgen_text::yaml::Value;
use promgen_text::yaml::emit::to_json;
use std::ops::Range;

use crate::fields::{self, DescribedField};
use crate::outline::{Outline, TypingPlace, typing};
use names::NameCompletion;
use promgen_repository::charts::spec_values;
use promgen_resources::api::Kind;
use promgen_resources::document::Manifests;
use promgen_text::describe::{Field, ObjectType, Type};
use promgen_text::diag::Sink;
use promgen_text::route::{Segment, ValueRoute};
use promgen_text::source::FileId;
use promgen_text::version::Version;
use promgen_text::yaml;
use promgen_text::yaml::Node;

/// The kind of a completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompletionKind {
    /// The name of a field.
    Field,
    /// A value that the type names.
    Value,
    /// The name of something in the input.
    Name,
}

/// Something that can be typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The text to show.
    pub label: String,
    /// Its kind.
    pub kind: CompletionKind,
    /// A type, or where it is from.
    pub detail: String,
    /// Markdown about it.
    pub documentation: String,
    /// The text to type.
    pub text: String,
}

/// The completions at a place, and the text that they replace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completions {
    /// The bytes that each of them replaces.
    pub word: Range<usize>,
    /// In the order of the type, or of their names.
    pub items: Vec<Completion>,
}

/// The project around a text that is typed.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings<'s> {
    /// The objects of the environment.
    pub manifests: &'s Manifests,
    /// The release of the operator there. `None`: every field is offered.
    pub operator: Option<&'s Version>,
    /// The text is a file of values of kube-prometheus-stack.
    pub is_of_stack: bool,
}

/// The completions at a byte of a text.
#[must_use]
pub fn complete(text: &str, offset: usize, beside: Surroundings<'_>) -> Option<Completions> {
    let typing = typing(text, offset)?;
    let outline = Outline::read(text, offset);
    let home = Home::of(&outline, &typing.route);
    let place = CompletionPlace {
        text,
        outline: &outline,
        typing: &typing,
        beside,
        home,
    };
    let mut items = Vec::new();
    if typing.is_key {
        items.extend(place.keys());
    }
    if typing.is_value {
        items.extend(place.values());
    }
    Some(Completions {
        word: typing.word,
        items,
    })
}

/// The object that a text is about: its own, or that which values of a chart make.
#[derive(Clone, Copy)]
struct Home {
    kind: Option<Kind>,
    /// The map of values, which is the `spec` of the object.
    values: Option<&'static [&'static str]>,
    /// The number of steps of the route to that map.
    depth: usize,
}

impl Home {
    fn of(outline: &Outline, route: &ValueRoute) -> Self {
        if let Some(kind) = outline.kind() {
            return Self {
                kind: Some(kind),
                values: None,
                depth: 0,
            };
        }
        let keys: Vec<&str> = route
            .0
            .iter()
            .map(|step| step.key().unwrap_or_default())
            .collect();
        let place = |map: &[&str]| {
            keys.windows(map.len())
                .position(|keys| keys == map)
                .map(|at| at + map.len())
        };
        let found = spec_values::maps().find_map(|(map, kind)| Some((map, kind, place(map)?)));
        let of_map = |(map, kind, depth)| Self {
            kind: Some(kind),
            values: Some(map),
            depth,
        };
        found.map_or(
            Self {
                kind: None,
                values: None,
                depth: 0,
            },
            of_map,
        )
    }

    /// The route in the object.
    fn inside(self, route: &ValueRoute) -> ValueRoute {
        let (Some(_), Some(below)) = (self.values, route.0.get(self.depth..)) else {
            return route.clone();
        };
        let first = below
            .first()
            .and_then(Segment::key)
            .map(|key| spec_values::field_of(key).to_owned());
        let spec = std::iter::once(Segment::Key("spec".into()));
        let rest = below.get(1..).unwrap_or_default().iter().cloned();
        ValueRoute(
            spec.chain(first.map(|key| Segment::Key(key.into())))
                .chain(rest)
                .collect(),
        )
    }

    /// The route in the text of a field beside the first steps of another.
    fn outside(self, route: &ValueRoute, inside: &ValueRoute) -> ValueRoute {
        if self.values.is_none() {
            return inside.clone();
        }
        let own = route.0.iter().take(self.depth + 1);
        ValueRoute(own.chain(inside.0.iter().skip(2)).cloned().collect())
    }
}

/// The place where something is typed.
#[derive(Clone, Copy)]
struct CompletionPlace<'p> {
    text: &'p str,
    outline: &'p Outline,
    typing: &'p TypingPlace,
    beside: Surroundings<'p>,
    home: Home,
}

impl<'p> CompletionPlace<'p> {
    fn described(self, route: &ValueRoute) -> Option<DescribedField> {
        let value = |inside: &ValueRoute| self.outline.text(&self.home.outside(route, inside));
        fields::described(self.home.kind?, &self.home.inside(route), value)
    }

    /// The keys that the map here lacks.
    fn keys(self) -> Vec<Completion> {
        let route = &self.typing.route;
        let present: Vec<&str> = self.outline.keys(route, &self.typing.word).collect();
        let mut keys = Vec::new();
        let of_chart = self.of_chart();
        if route.0.is_empty() && of_chart.is_empty() {
            keys.extend(self.of_every_object());
        }
        match (
            self.described(route).map(|described| described.of),
            self.home.values,
        ) {
            (Some(Type::Object(object)), Some(map)) if route.0.len() == self.home.depth => {
                keys.extend(
                    spec_values::keys(map)
                        .into_iter()
                        .map(|key| self.value_of_chart(key, object)),
                );
            }
            (Some(Type::Object(object)), _) => {
                let value = |field: &'static str| self.outline.text(&route.clone().key(field));
                let is_meant = |field: &&'static Field| {
                    let is_status = field.name == "status" && route.0.is_empty();
                    !is_status && self.is_in_release(&route.clone().key(field.name))
                };
                let fields = fields::fields_of(object, value)
                    .into_iter()
                    .filter(is_meant);
                keys.extend(fields.map(|field| self.field(field)));
            }
            (Some(_), _) => keys.extend(self.labels()),
            (None, _) => keys.extend(self.labels().chain(of_chart)),
        }
        keys.retain(|key| !present.contains(&key.label.as_str()));
        keys
    }

    fn labels(self) -> impl Iterator<Item = Completion> {
        self.names()
            .label_keys()
            .into_iter()
            .map(move |name| self.key(&name, "label", String::new()))
    }

    /// Returns whether the release of the operator has a field.
    fn is_in_release(self, route: &ValueRoute) -> bool {
        let of = self.home.kind.zip(self.beside.operator);
        of.is_none_or(|(kind, operator)| {
            fields::is_in_release(kind, &self.home.inside(route), operator)
        })
    }

    /// The first keys of every object.
    fn of_every_object(self) -> Vec<Completion> {
        let of = |name| self.key(name, "string", String::new());
        let mut keys = vec![of("apiVersion"), of("kind")];
        if self.home.kind.is_none() {
            keys.extend(["metadata", "spec"].map(|name| self.block(name, "object", String::new())));
        }
        keys
    }

    /// The values of the chart that promgen knows in the map here. Empty if it is none of its values.
    fn of_chart(self) -> Vec<Completion> {
        let route = &self.typing.route;
        let path = values::path(self.outline, route, self.beside.is_of_stack);
        let known = path
            .map(|path| spec_values::below(&path))
            .unwrap_or_default()
            .into_iter();
        known
            .map(|(name, is_block)| match is_block {
                true => self.block(name, "value of the chart", String::new()),
                false => self.key(name, "value of the chart", String::new()),
            })
            .collect()
    }

    /// A value of a chart, which becomes a field of an object, or something else.
    fn value_of_chart(self, key: &'static str, object: &'static ObjectType) -> Completion {
        match object.field(spec_values::field_of(key)) {
            Some(field) => {
                let field = self.field(field);
                let end = field
                    .text
                    .trim_start_matches(|c| !matches!(c, ':'))
                    .to_owned();
                Completion {
                    label: key.to_owned(),
                    text: format!("{key}{end}"),
                    ..field
                }
            }
            None => self.key(key, "value of the chart", String::new()),
        }
    }

    fn field(self, field: &'static Field) -> Completion {
        let (of, route) = (
            (field.of)(),
            self.home.inside(&self.typing.route).key(field.name),
        );
        let documentation = self
            .home
            .kind
            .map(|kind| fields::summary(kind, &route, field))
            .unwrap_or_default();
        let required = if field.is_required { ", required" } else { "" };
        let detail = format!("{}{required}", fields::type_name(of));
        match of {
            Type::Object(_) | Type::Map(_) | Type::List(_) | Type::Any(_) => {
                self.block(field.name, &detail, documentation)
            }
            _ => self.key(field.name, &detail, documentation),
        }
    }

    /// A key whose value stands on its line.
    fn key(self, name: &str, detail: &str, documentation: String) -> Completion {
        let colon = if self.has_colon() { "" } else { ": " };
        let text = format!("{}{colon}", quoted(name));
        Completion {
            label: name.to_owned(),
            kind: CompletionKind::Field,
            detail: detail.to_owned(),
            documentation,
            text,
        }
    }

    /// A key whose value stands below it.
    fn block(self, name: &str, detail: &str, documentation: String) -> Completion {
        let mut key = self.key(name, detail, documentation);
        if !self.typing.is_flow {
            key.text = key.text.trim_end().to_owned();
        }
        key
    }

    /// Returns whether a colon follows already.
    fn has_colon(self) -> bool {
        let after = self.text.get(self.typing.word.end..).unwrap_or_default();
        let word = after.trim_start_matches(|c: char| {
            c.is_alphanumeric() || matches!(c, '-' | '_' | '/' | '.')
        });
        word.starts_with(':')
    }

    /// The values that can stand here.
    fn values(self) -> Vec<Completion> {
        let route = &self.typing.route;
        let mut values: Vec<Completion> = self
            .names()
            .names()
            .into_iter()
            .map(|(name, from)| self.name(&name, from))
            .collect();
        let of_type: &[&str] = match (route.0.as_slice(), self.described(route)) {
            ([Segment::Key(key)], _) if key == "apiVersion" || key == "kind" => {
                return self.type_meta(key);
            }
            (_, Some(described)) => fields::values(described.of),
            (_, None) => &[],
        };
        let is_text = |value: &str| !matches!(value, "true" | "false") || !self.is_boolean(route);
        let value = |value: &&str| Completion {
            label: (*value).to_owned(),
            kind: CompletionKind::Value,
            detail: String::new(),
            documentation: String::new(),
            text: if is_text(value) {
                self.scalar(value)
            } else {
                (*value).to_owned()
            },
        };
        values.extend(of_type.iter().filter(|value| !value.is_empty()).map(value));
        values
    }

    fn is_boolean(self, route: &ValueRoute) -> bool {
        self.described(route)
            .is_some_and(|described| matches!(described.of, Type::Boolean))
    }

    /// Kinds and their versions. What one of the two says decides the other.
    fn type_meta(self, key: &str) -> Vec<Completion> {
        let (kind, version) = (
            self.outline.find(&["kind"]),
            self.outline.find(&["apiVersion"]),
        );
        let mut items: Vec<Completion> = Vec::new();
        for known in Kind::ALL {
            let (own, other, wanted) = match key {
                "kind" => (known.as_str(), known.api_version(), version),
                _ => (known.api_version(), known.as_str(), kind),
            };
            let fits = wanted.is_none_or(|wanted| {
                wanted == other || Kind::ALL.iter().all(|of| !named(*of, wanted))
            });
            if fits && !items.iter().any(|item| item.label == own) {
                items.push(Completion {
                    kind: CompletionKind::Value,
                    ..self.name(own, other.to_owned())
                });
            }
        }
        items
    }

    fn name(self, name: &str, from: String) -> Completion {
        Completion {
            label: name.to_owned(),
            kind: CompletionKind::Name,
            detail: from,
            documentation: String::new(),
            text: self.scalar(name),
        }
    }

    /// A text as it has to be typed here: in quotes, if it would be something else without.
    fn scalar(self, text: &str) -> String {
        let before = self.text.get(..self.typing.word.start).unwrap_or_default();
        if before.ends_with(['"', '\'']) {
            text.to_owned()
        } else {
            quoted(text)
        }
    }

    fn names(self) -> NameCompletion<'p> {
        let Self {
            outline,
            typing,
            home,
            ..
        } = self;
        let manifests = self.beside.manifests;
        let is_anywhere = home.values.is_some();
        NameCompletion {
            outline,
            route: &typing.route,
            inside: home.inside(&typing.route),
            manifests,
            kind: home.kind,
            is_anywhere,
        }
    }
}

/// Returns whether a kind has that name or that version.
fn named(kind: Kind, text: &str) -> bool {
    kind.as_str() == text || kind.api_version() == text
}

/// A text, in quotes if YAML would read it otherwise.
fn quoted(text: &str) -> String {
    let parsed = yaml::read::read(FileId::new(0), text, &mut Sink::default());
    let is_plain = |root: &Node| root.as_str() == Some(text);
    match parsed.as_slice() {
        [document] if is_plain(&document.root) && !text.contains([',', '{', '}', '[', ']']) => {
            text.to_owned()
        }
        _ => to_json(&Value::from(text.to_owned())).trim_end().to_owned(),
    }
}

#[cfg(test)]
mod tests;
