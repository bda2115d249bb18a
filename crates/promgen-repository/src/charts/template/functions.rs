//! The functions of templates: Go's own, those of Sprig and of Helm, as far as charts and values use them.
//!
//! Numbers of files are floats, those of templates and flags are integers: a [`Data::Uint`] is one of these here.

mod collections;
mod format;
mod numbers;
mod texts;
mod unevaluated;

use std::borrow::Cow;

use promgen_text::source::Span;
use promgen_text::version::Version;
use promgen_text::yaml::edit::null;
use promgen_text::yaml::emit::to_json;
use promgen_text::yaml::{Data, Node, embedded};

use super::{Executed, ExecutionScope, NotKnown, PrintedForm, Yielded, place};
use crate::charts::node::{go_json, text};

pub(super) use format::shown;
pub(super) use numbers::{float, integer};

/// The name of a function without `must`, which only says what becomes of errors.
pub(super) fn plain_name(name: &str) -> Cow<'_, str> {
    let rest = name
        .strip_prefix("must")
        .filter(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()));
    rest.map_or(Cow::Borrowed(name), |rest| {
        Cow::Owned(rest[..1].to_lowercase() + &rest[1..])
    })
}

/// The result of a function.
pub(super) fn call(
    scope: &mut ExecutionScope<'_>,
    name: &str,
    arguments: &[Yielded],
) -> Executed<Yielded> {
    let function = FunctionCall { scope, arguments };
    let name = &*plain_name(name);
    for group in [
        FunctionCall::general,
        FunctionCall::collection,
        FunctionCall::arithmetic,
        FunctionCall::of_texts,
    ] {
        if let Some(value) = group(&function, name)? {
            // What a variable gathers in a loop may grow without an end.
            if value.node.is_collection() && !value.is_yaml() {
                function
                    .scope
                    .budget
                    .work(weight(&value.node, MAX_NESTED)?)?;
            }
            return Ok(value);
        }
    }
    scope.budget.missing.set(unevaluated::find(name));
    Err(NotKnown)
}

/// The value of a function. `None`: it is none of the group.
type Called = Executed<Option<Yielded>>;

struct FunctionCall<'f, 's> {
    scope: &'f ExecutionScope<'s>,
    arguments: &'f [Yielded],
}

impl FunctionCall<'_, '_> {
    /// What works on values of any kind.
    fn general(&self, name: &str) -> Called {
        let value = match name {
            "and" => self.first(|value| !value.is_set()),
            "or" | "coalesce" => self.first(Yielded::is_set),
            "any" => self.truth(self.arguments.iter().any(Yielded::is_set)),
            "all" => self.truth(self.arguments.iter().all(Yielded::is_set)),
            "not" | "empty" => self.truth(!self.at(0)?.is_set()),
            "eq" | "ne" => {
                let first = self.at(0)?;
                let mut others = self.arguments[1..].iter();
                let is_any = others.any(|other| first.is_equal(other));
                self.truth(is_any == (name == "eq"))
            }
            "default" => self.first_of([self.at(1)?, self.at(0)?]),
            "ternary" => Ok(self.at(if self.at(2)?.is_set() { 0 } else { 1 })?.clone()),
            "required" => match self.at(1)? {
                value if value.text().is_empty() => Err(NotKnown),
                value => Ok(value.clone()),
            },
            "kindIs" => self.truth(self.at(1)?.kinds().contains(&&*self.text(0)?)),
            "kindOf" => self.made(self.at(0)?.kinds()[0].to_owned()),
            "typeOf" => self.made(self.at(0)?.type_name().to_owned()),
            "typeIs" | "typeIsLike" => self.truth(self.at(1)?.type_name() == self.text(0)?),
            "toYaml" => Ok(Yielded {
                form: PrintedForm::Yaml,
                ..self.at(0)?.clone().plain()
            }),
            "toJson" | "toRawJson" => {
                let mut out = go_json(&self.at(0)?.clone().plain().node);
                if name == "toRawJson" {
                    for (escaped, plain) in [("\\u003c", "<"), ("\\u003e", ">"), ("\\u0026", "&")] {
                        out = out.replace(escaped, plain);
                    }
                }
                self.made(out)
            }
            "toPrettyJson" => {
                let pretty = to_json(&self.at(0)?.clone().plain().node.to_value());
                self.made(pretty.trim_end().to_owned())
            }
            "deepEqual" => {
                let (a, b) = (self.at(0)?, self.at(1)?);
                self.truth(collections::is_same(&a.node, &b.node))
            }
            "fromYaml" | "fromJson" => self.parsed().and_then(|value| match value.node.data {
                Data::Map(_) => Ok(value),
                _ => Err(NotKnown),
            }),
            "fromYamlArray" | "fromJsonArray" => self.parsed(),
            "tpl" => self.tpl(),
            "include" => self.scope.include(&self.text(0)?, self.at(1)?),
            "semverCompare" => self.is_version(),
            _ => return Ok(None),
        };
        value.map(Some)
    }

    fn at(&self, at: usize) -> Executed<&Yielded> {
        self.arguments.get(at).ok_or(NotKnown)
    }

    fn text(&self, at: usize) -> Executed<String> {
        self.at(at).map(Yielded::text)
    }

    /// The place of the last argument that has one.
    fn span(&self) -> Span {
        let spans = self
            .arguments
            .iter()
            .rev()
            .map(|argument| argument.node.span);
        let own = spans.into_iter().find(|span| *span != self.scope.place);
        own.unwrap_or(self.scope.place)
    }

    fn node(&self, data: Data) -> Executed<Yielded> {
        Ok(Node {
            data,
            span: self.span(),
        }
        .into())
    }

    fn made(&self, made: String) -> Executed<Yielded> {
        self.scope.budget.work(made.len())?;
        let key = self
            .arguments
            .iter()
            .rev()
            .find_map(|argument| argument.key);
        Ok(Yielded {
            key,
            ..Yielded::from(text(made, self.span()))
        })
    }

    fn truth(&self, holds: bool) -> Executed<Yielded> {
        self.node(Data::Bool(holds))
    }

    /// The first argument of which something holds, or the last one.
    fn first(&self, holds: impl Fn(&Yielded) -> bool) -> Executed<Yielded> {
        let found = self.arguments.iter().find(|value| holds(value));
        found.or(self.arguments.last()).cloned().ok_or(NotKnown)
    }

    fn first_of(&self, values: [&Yielded; 2]) -> Executed<Yielded> {
        let [value, fallback] = values;
        Ok(if value.is_set() { value } else { fallback }.clone())
    }

    fn parsed(&self) -> Executed<Yielded> {
        let value = self.at(0)?;
        if value.is_yaml() {
            return Ok(value.node.clone().into());
        }
        let mut node = embedded::root(value.node.span.file, &value.text()).ok_or(NotKnown)?;
        place(&mut node, value.node.span);
        Ok(node.into())
    }

    /// A template in a value. One that is not known stays as it is.
    fn tpl(&self) -> Executed<Yielded> {
        let value = self.at(0)?;
        let dot = self.at(1)?.clone();
        let scope = ExecutionScope {
            root: dot.clone(),
            dot,
            variables: Vec::new(),
            ..self.scope.clone()
        };
        let mut filled = value.clone();
        self.scope.budget.missing.set(None);
        match value.form {
            PrintedForm::Yaml => scope.fill(&mut filled.node),
            PrintedForm::Go | PrintedForm::Text(_) => match scope.render(&value.text()) {
                Ok(rendered) => filled = text(rendered, value.node.span).into(),
                Err(NotKnown) => {
                    let budget = self.scope.budget;
                    let function = budget.missing.take();
                    let fault = budget.refused.take();
                    if !self
                        .scope
                        .note_refused(fault, &value.text(), value.node.span)
                    {
                        budget.note_unknown(value.node.span, function);
                    }
                }
            },
        }
        filled.key = value.key;
        Ok(filled)
    }

    fn is_version(&self) -> Executed<Yielded> {
        let version = self.text(1)?;
        let parsed = Version::parse(version.trim_start_matches('v'));
        let version = parsed.map(|version| version.to_string()).ok_or(NotKnown)?;
        self.truth(crate::charts::versions::allows(&self.text(0)?, &version))
    }
}

impl Yielded {
    /// The value itself: a text in YAML is a text.
    fn plain(self) -> Self {
        match self.is_yaml() {
            true => Self {
                key: self.key,
                ..text(self.text(), self.node.span).into()
            },
            false => self,
        }
    }

    fn is_null(&self) -> bool {
        self.node.is_null() && !self.is_yaml()
    }

    /// The kinds that it may be of.
    const fn kinds(&self) -> &'static [&'static str] {
        match self.node.data {
            _ if self.is_yaml() => &["string"],
            Data::Null => &["invalid"],
            Data::Bool(_) => &["bool"],
            Data::Uint(_) => &["int", "int64"],
            Data::Int(_) | Data::Float(_) => &["float64"],
            Data::String(_) => &["string"],
            Data::Seq(_) => &["slice"],
            Data::Map(_) => &["map"],
        }
    }

    /// The type that Go prints for it.
    fn type_name(&self) -> &'static str {
        match self.kinds() {
            ["invalid"] => "<nil>",
            ["slice"] => "[]interface {}",
            ["map"] => "map[string]interface {}",
            // The integers among values are those of flags.
            ["int", ..] if self.key.is_some() => "int64",
            kinds => kinds[0],
        }
    }

    /// Returns whether both are the same. Numbers are compared by their value.
    fn is_equal(&self, other: &Self) -> bool {
        match (self.node.as_f64(), other.node.as_f64()) {
            (Some(a), Some(b)) => a == b,
            _ => self.node.to_value() == other.node.to_value(),
        }
    }
}

/// The deepest value that functions make.
const MAX_NESTED: usize = 128;

/// The parts of a value that is not too deep.
fn weight(node: &Node, depth: usize) -> Executed<usize> {
    let depth = depth.checked_sub(1).ok_or(NotKnown)?;
    node.children()
        .try_fold(1, |sum, child| Ok(sum + weight(child, depth)?))
}

/// The item of a list; null if it has none.
fn item(node: &Node, at: Option<usize>) -> Node {
    let item = at.and_then(|at| node.items().get(at));
    item.cloned().unwrap_or_else(|| null(node.span))
}
