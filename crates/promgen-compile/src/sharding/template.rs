//! Templates with typed results, and HTML pages.
//!
//! In: a template's name and its context. Out: relabel rules, or a placement; never text, so the output of a
//! template is always parsed. Every expression is written as a JSON scalar, so that no label or zone name can break out of
//! its place. Pages ([`page`]) are not parsed; every expression is escaped for HTML. Only this module uses the template
//! engine.

mod bounds;
mod scan;

use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, ErrorKind, Template, UndefinedBehavior};
use promgen_derive::{Decode, Encode};
use serde::Serialize;

use crate::sharding::template::bounds::BoundedText;
use promgen_prometheus::config::RelabelRule;
use promgen_resources::api::core::Affinity;
use promgen_text::diag::{Diagnostic, Sink, escape, rules};
use promgen_text::limits::LIMIT_EXCEEDED;
use promgen_text::source::{FileId, Input, Sources, Span};
use promgen_text::yaml::{self, Data, Node, StringMap, Value};

rules! {
    /// ## What it does
    /// Finds templates of `--templates` that do not parse, or that do not return the required type: relabel rules below
    /// `relabel/`, a placement below `placement/`. Also finds templates that exceed a limit: 64 KiB, 256 tokens in one
    /// expression, eight nested statements, values that grow in every iteration of a loop or to more than 256 times their
    /// inputs, 1 MiB of output. The functions `namespace`, `range` and `debug`, the filters `batch`, `format`, `groupby`,
    /// `indent`, `map`, `pprint`, `slice` and `sum`, and the blocks `filter`, `raw` and `{% set x %}` are not available.
    ///
    /// ## Why is this bad?
    /// The workloads that use the template cannot be compiled; the output omits them.
    ///
    /// ## Example
    /// `relabel/operator-address.yaml.j2` with the text `{{ no_such_variable }}`.
    ///
    /// Use instead: the variables of the built-in template of the same name.
    BAD_TEMPLATE = "PG030" "bad-template" Error: "a user's template without a valid result";
}

macro_rules! builtin {
    ($($name:literal),+ $(,)?) => {
        &[$(($name, include_str!(concat!("../../templates/", $name)))),+]
    };
}

/// The built-in templates by their name, which is their path below `templates/`.
pub(crate) static BUILTIN: &[(&str, &str)] = builtin![
    "relabel/operator-address.yaml.j2",
    "relabel/operator-topology.yaml.j2",
    "relabel/proposal-classic.yaml.j2",
    "relabel/proposal-topology.yaml.j2",
    "placement/operator-address.yaml.j2",
    "placement/operator-topology.yaml.j2",
    "placement/proposal-classic.yaml.j2",
    "placement/proposal-topology.yaml.j2",
];

/// The built-in templates of pages.
pub(crate) static PAGES: &[(&str, &str)] = builtin![
    "report/report.html.j2",
    "report/simulate.html.j2",
    "report/map.svg.j2"
];

/// The maximum number of instructions of a page: a bar takes dozens, and a page has thousands of bars.
const PAGE_FUEL: u64 = 50_000_000;

/// The maximum number of instructions of one rendering: far beyond any real template, and a bound of nested loops.
const FUEL: u64 = 20_000;

/// The maximum output of rules or a placement in bytes: a thousand times that of a built-in template.
const MAX_TYPED: usize = 1 << 20;

/// The maximum size of a page in bytes: a report of thousands of bars takes a tenth.
pub const MAX_PAGE: usize = 64 << 20;

/// The variables of the templates below `relabel/`.
#[derive(Clone, Debug, Serialize)]
pub struct RelabelContext<'a> {
    /// The label to hash.
    pub label: &'a str,
    /// The label with the zone of a target. Proposal only.
    pub(crate) zone_label: &'a str,
    /// The object with the zone label: `pod`, or `node` on clusters before 1.35. Operator only.
    pub(crate) zone_of: &'a str,
    /// Targets can be exempt from sharding. Operator only.
    pub(crate) exempts: bool,
    /// The modulus of hash values.
    pub modulus: u32,
    /// Alternatives of all shard indexes in use, or empty if scaled-down shards are not retained. Operator only.
    pub retained: Option<&'a str>,
    /// The shard's number: a placeholder.
    pub shard: &'a str,
    /// The shard's number within its zone: a placeholder.
    pub in_zone: &'a str,
    /// The shard's zone: a placeholder.
    pub zone: &'a str,
    /// The user's own rules, `additionalRelabelConfig`. Proposal only.
    #[serde(serialize_with = "as_json")]
    pub additional: &'a [RelabelRule],
}

/// The variables of the templates below `placement/`.
#[derive(Clone, Debug, Serialize)]
pub struct PlacementContext<'a> {
    /// The zone of the shard.
    pub zone: &'a str,
    /// The node label with the zone.
    pub(crate) zone_key: &'a str,
}

/// The place where the pods of a shard may run.
#[derive(Clone, Debug, Default, PartialEq, Decode, Encode)]
pub struct Placement {
    /// Required node labels, in addition to the user's.
    pub node_selector: Option<StringMap>,
    /// Affinity, merged into the user's.
    pub affinity: Option<Affinity>,
}

impl Placement {
    /// The fields that a template may set.
    const FIELDS: [&str; 2] = ["nodeSelector", "affinity"];

    /// The fields of a pod with the placement.
    pub fn to_value(&self) -> Value {
        yaml::to_value(self)
    }
}

/// Why a template failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateError {
    /// The template.
    pub name: String,
    /// Its line, from 1, if the engine reports it.
    pub line: Option<usize>,
    /// The message, in lower case, without a full stop.
    pub message: String,
    /// A limit stopped it.
    pub exceeds: bool,
}

/// All templates of a run.
#[derive(Debug)]
pub struct Templates {
    engine: Environment<'static>,
    custom: Vec<(String, FileId)>,
    /// Why templates of the user do not parse: the built-in one is no substitute.
    broken: Vec<TemplateError>,
}

impl Templates {
    /// The built-in templates, overridden by the user's of the same name. Reports user templates that do not parse,
    /// and names without a built-in template.
    pub fn new(custom: &[Input], sources: &mut Sources, sink: &mut Sink) -> Self {
        let mut engine = engine(FUEL);
        for (name, text) in BUILTIN {
            engine
                .add_template(name, text)
                .expect("built-in templates parse; a test renders each");
        }
        let mut templates = Self {
            engine,
            custom: Vec::new(),
            broken: Vec::new(),
        };
        for input in custom {
            templates.add(input, sources, sink);
        }
        templates
    }

    fn add(&mut self, input: &Input, sources: &mut Sources, sink: &mut Sink) {
        let text = String::from_utf8_lossy(&input.bytes).into_owned();
        let file = sources.add(input.name.clone(), text.clone());
        let Some(name) = known(input) else {
            let names: Vec<_> = names().collect();
            sink.report(
                Diagnostic::new(
                    &BAD_TEMPLATE,
                    Span::new(file, 0, 0),
                    "unknown template name".to_owned(),
                )
                .help(format!("expected one of: {}", names.join(", "))),
            );
            return;
        };
        self.custom.push((name.to_owned(), file));
        if let Err(error) = add(&mut self.engine, name, text) {
            self.report(&error, sources, sink);
            self.broken.push(error);
        }
    }

    /// Relabel rules.
    ///
    /// # Errors
    /// The template fails, or its output is not a list of relabel rules.
    pub fn relabel(
        &self,
        name: &str,
        context: &RelabelContext<'_>,
    ) -> Result<Vec<RelabelRule>, TemplateError> {
        self.typed(name, context, |root| match &root.data {
            Data::Seq(rules) => rules.iter().map(RelabelRule::from_node).collect(),
            Data::Null => Ok(Vec::new()),
            _ => Err("expected a list of relabel rules".to_owned()),
        })
    }

    /// A placement.
    ///
    /// # Errors
    /// The template fails, or its output is not a placement.
    pub fn placement(
        &self,
        name: &str,
        context: &PlacementContext<'_>,
    ) -> Result<Placement, TemplateError> {
        self.typed(name, context, |root| {
            match root
                .entries()
                .iter()
                .find(|e| !Placement::FIELDS.contains(&&*e.key))
            {
                Some(entry) => Err(format!("{0}: unknown field `{0}`", entry.key)),
                None => yaml::decode(root).map_err(|m| format!("{}: {}", m.route, m.message)),
            }
        })
    }

    fn typed<T>(
        &self,
        name: &str,
        context: &impl Serialize,
        read: impl FnOnce(&Node) -> Result<T, String>,
    ) -> Result<T, TemplateError> {
        if let Some(error) = self.broken.iter().find(|error| error.name == name) {
            return Err(error.clone());
        }
        let template = self
            .engine
            .get_template(name)
            .map_err(|e| explain(name, &e))?;
        let text = render(&template, context, MAX_TYPED)?;
        let fail = |message: String| TemplateError {
            name: name.to_owned(),
            line: None,
            message,
            exceeds: false,
        };
        let mut sink = Sink::default();
        let documents = yaml::read::read(FileId::new(0), &text, &mut sink);
        if let Some(problem) = sink.diagnostics().first() {
            return Err(fail(format!(
                "the output is invalid YAML: {}",
                problem.message
            )));
        }
        match documents.as_slice() {
            [] => Err(fail("the output is empty".to_owned())),
            [document] => read(&document.root).map_err(fail),
            _ => Err(fail("the output has more than one document".to_owned())),
        }
    }

    /// Reports that a template failed, at its line if it is the user's. What does not parse was reported when it was read.
    pub fn report(&self, error: &TemplateError, sources: &Sources, sink: &mut Sink) {
        if self.broken.contains(error) {
            return;
        }
        let message = format!("template {}: {}", error.name, error.message);
        let file = self
            .custom
            .iter()
            .find(|(name, _)| *name == error.name)
            .map(|(_, file)| *file);
        sink.report(match file {
            Some(file) => Diagnostic::new(
                &BAD_TEMPLATE,
                line_span(file, &sources.file(file).text, error.line),
                message,
            ),
            None => Diagnostic::placeless(&BAD_TEMPLATE, message),
        });
    }
}

/// An engine without templates, which escapes every expression for the output of the template.
fn engine(fuel: u64) -> Environment<'static> {
    let mut engine = Environment::new();
    let is_markup = |name: &str| name.ends_with(".html.j2") || name.ends_with(".svg.j2");
    engine.set_auto_escape_callback(move |name| {
        if is_markup(name) {
            AutoEscape::Html
        } else {
            AutoEscape::Json
        }
    });
    engine.set_undefined_behavior(UndefinedBehavior::Strict);
    engine.set_fuel(Some(fuel));
    engine.set_formatter(|out, state, value| match value.as_str() {
        Some(text) if *state.auto_escape() == AutoEscape::Html && !value.is_safe() => out
            .write_str(&escape::html(text))
            .map_err(minijinja::Error::from),
        _ => minijinja::escape_formatter(out, state, value),
    });
    bounds::restrict(&mut engine);
    engine
}

/// Adds a template of the user to an engine, or replaces one of that name.
fn add(
    engine: &mut Environment<'static>,
    name: &'static str,
    text: String,
) -> Result<(), TemplateError> {
    bounds::check(&text).map_err(|excess| TemplateError {
        name: name.to_owned(),
        line: Some(excess.line),
        message: excess.message,
        exceeds: true,
    })?;
    engine
        .add_template_owned(name, text)
        .map_err(|error| explain(name, &error))
}

/// The output of a template, up to a number of bytes.
fn render(
    template: &Template<'_, '_>,
    context: &impl Serialize,
    max: usize,
) -> Result<String, TemplateError> {
    let name = template.name();
    let mut written = BoundedText {
        bytes: Vec::new(),
        max,
    };
    template
        .render_captured_to(Serde(context), &mut written)
        .map_err(|error| explain(name, &error))?;
    String::from_utf8(written.bytes).map_err(|error| TemplateError {
        name: name.to_owned(),
        line: None,
        message: error.to_string(),
        exceeds: false,
    })
}

fn names() -> impl Iterator<Item = &'static str> {
    BUILTIN.iter().chain(PAGES).map(|(name, _)| *name)
}

/// The built-in template that a user's template overrides.
fn known(input: &Input) -> Option<&'static str> {
    let path = input.name.replace('\\', "/");
    names().find(|name| {
        path.strip_suffix(name)
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    })
}

/// A page, from the user's template of that name or the built-in one.
///
/// # Errors
/// The template fails: which, where and why.
pub fn page(
    name: &'static str,
    custom: &[Input],
    context: &impl Serialize,
) -> Result<String, String> {
    let own = custom.iter().rev().find(|input| known(input) == Some(name));
    let text = match own {
        Some(input) => String::from_utf8_lossy(&input.bytes).into_owned(),
        None => PAGES
            .iter()
            .find(|(known, _)| *known == name)
            .map_or("", |(_, text)| *text)
            .to_owned(),
    };
    let mut engine = engine(PAGE_FUEL);
    let rendered = add(&mut engine, name, text).and_then(|()| {
        let template = engine
            .get_template(name)
            .map_err(|error| explain(name, &error))?;
        render(&template, context, MAX_PAGE)
    });
    rendered.map_err(|error| {
        let line = error
            .line
            .map(|line| format!(", line {line}"))
            .unwrap_or_default();
        let code = if error.exceeds {
            format!(" ({})", LIMIT_EXCEEDED.code)
        } else {
            String::new()
        };
        format!("template {name}{line}: {}{code}", error.message)
    })
}

fn line_span(file: FileId, text: &str, line: Option<usize>) -> Span {
    let lines = text.split_inclusive('\n').scan(0, |offset, line| {
        let start = *offset;
        *offset += line.len();
        Some((start, start + line.trim_end().len()))
    });
    let (start, end) = lines
        .skip(line.unwrap_or(1).saturating_sub(1))
        .find(|_| true)
        .unwrap_or((0, 0));
    let offset = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    Span::new(file, offset(start), offset(end))
}

fn explain(name: &str, error: &minijinja::Error) -> TemplateError {
    let detail = error.detail().unwrap_or_default();
    let message = match error.kind() {
        ErrorKind::OutOfFuel => "it exceeds the maximum number of steps".to_owned(),
        // The writer reports the limit.
        ErrorKind::WriteFailure => match std::error::Error::source(error) {
            Some(source) => source.to_string(),
            None => error.to_string(),
        },
        kind if detail.is_empty() => kind.to_string(),
        kind => format!("{kind}: {detail}"),
    };
    let exceeds = matches!(error.kind(), ErrorKind::OutOfFuel | ErrorKind::WriteFailure);
    TemplateError {
        name: name.to_owned(),
        line: error.line(),
        message,
        exceeds,
    }
}

/// Rules as JSON objects with their keys in order; the engine's own maps would sort them.
fn as_json<S: serde::Serializer>(rules: &&[RelabelRule], serializer: S) -> Result<S::Ok, S::Error> {
    use serde::ser::SerializeSeq;
    let mut list = serializer.serialize_seq(Some(rules.len()))?;
    for rule in *rules {
        let json = yaml::emit::to_json(&Value::from(rule.clone()));
        list.serialize_element(&minijinja::Value::from_safe_string(json))?;
    }
    list.end()
}
