//! Templates of Go as Helm executes them: those in values, and what the table of the chart says of its own.
//!
//! In: the tree of a template, and what its dot is. Out: a text, or a value with the place of what it was made of. What a
//! function does that is not known here is unknown, and so is all that is made of it.

mod functions;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use promgen_text::go::template::tree::{
    self, BlockKind, BlockNode, FieldSource, Operand, Pipeline, TemplateNode,
};
use promgen_text::source::Span;
use promgen_text::yaml::edit::{null, sorted_entries};
use promgen_text::yaml::embedded;
use promgen_text::yaml::{Data, Node};

use super::node::{place, text, yaml};

/// The most bytes that the actions in the values of one release yield, in all.
pub const MAX_EXPANDED: usize = 1 << 20;

/// The names that Helm gives to templates.
const OF_ROOT: [&str; 7] = [
    "Capabilities",
    "Chart",
    "Files",
    "Release",
    "Subcharts",
    "Template",
    "Values",
];

/// The version of Kubernetes that templates are told.
const KUBERNETES: &str = "v1.35.0";

/// The maximum depth of templates that execute others.
const MAX_DEPTH: usize = 32;

/// Why Helm cannot execute a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ValueTemplateFault {
    /// The key is read of a value that is neither a map nor null.
    Key(String),
    /// The template in the value has no such variable.
    Variable(String),
    /// The template in the value reads below a name that its dot lacks.
    Name(String),
}

/// What all templates of a release share. The size that their actions may still yield: a text that refers to a long one costs its length each
/// time. And what Helm refuses in them, by the place of the value.
#[derive(Debug)]
pub(super) struct ExpansionBudget {
    left: Cell<Option<usize>>,
    depth: Cell<usize>,
    /// Why the template in the last value is not executed, if Helm refuses it.
    refused: RefCell<Option<ValueTemplateFault>>,
    faults: RefCell<BTreeMap<Span, ValueTemplateFault>>,
}

impl Default for ExpansionBudget {
    fn default() -> Self {
        Self {
            left: Cell::new(Some(MAX_EXPANDED)),
            depth: Cell::new(0),
            refused: RefCell::default(),
            faults: RefCell::default(),
        }
    }
}

impl ExpansionBudget {
    /// Spends bytes. An error from the first on that are too many.
    fn spend(&self, n_bytes: usize) -> Executed<()> {
        let left = self.left.get().and_then(|left| left.checked_sub(n_bytes));
        self.left.set(left);
        left.map(|_| ()).ok_or(NotKnown)
    }

    /// What Helm refuses, each by the place of the value.
    pub(super) fn take_faults(&self) -> BTreeMap<Span, ValueTemplateFault> {
        self.faults.take()
    }

    /// Returns whether there were too many.
    pub(super) fn is_exceeded(&self) -> bool {
        self.left.get().is_none()
    }
}

/// What a template does is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NotKnown;

pub(super) type Executed<T> = Result<T, NotKnown>;

/// A value that a pipeline yields.
#[derive(Clone, Debug)]
pub(super) struct Yielded {
    pub(super) node: Node,
    /// The key that it is the value of, if it stands somewhere.
    pub(super) key: Option<Span>,
    /// It stands for its text in YAML.
    pub(super) is_yaml: bool,
}

impl From<Node> for Yielded {
    fn from(node: Node) -> Self {
        Self {
            node,
            key: None,
            is_yaml: false,
        }
    }
}

impl Yielded {
    /// A value that stands for its text in YAML.
    pub(super) fn yaml(node: Node) -> Self {
        Self {
            is_yaml: true,
            ..Self::from(node)
        }
    }

    /// The text that a template prints for it.
    pub(super) fn text(&self) -> String {
        if self.is_yaml {
            yaml(&self.node)
        } else {
            functions::shown(&self.node)
        }
    }

    pub(super) fn is_set(&self) -> bool {
        if self.is_yaml {
            !self.text().is_empty()
        } else {
            self.node.is_set()
        }
    }

    /// What stands in a document in its place: a text is read as YAML.
    pub(super) fn into_node(self) -> Node {
        match &self.node.data {
            Data::String(text) if !self.is_yaml => reread(text, self.node.span),
            // Go's way to print a collection: `map[a:b]`, `[a b]`.
            Data::Map(_) | Data::Seq(_) if !self.is_yaml => reread(&self.text(), self.node.span),
            _ => self.node,
        }
    }
}

/// The value that a text is in a document.
pub(super) fn reread(written: &str, span: Span) -> Node {
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '/');
    const NO_TEXTS: [&str; 7] = ["true", "false", "yes", "no", "on", "off", "null"];
    let is_plain = written.len() > 1
        && written.starts_with(|c: char| c.is_ascii_alphabetic())
        && written.chars().all(is_word)
        && !NO_TEXTS
            .iter()
            .any(|word| written.eq_ignore_ascii_case(word));
    if is_plain {
        return text(written, span);
    }
    match embedded::root(span.file, written) {
        Some(mut node) => {
            keep_letters(&mut node);
            place(&mut node, span);
            node
        }
        None if matches!(written.trim(), "" | "~" | "null" | "Null" | "NULL") => null(span),
        None => text(written, span),
    }
}

/// Makes texts of booleans in collections: only a word of one letter is read so there, and Helm does not.
fn keep_letters(node: &mut Node) {
    let is_letter = |node: &Node| node.span.end.saturating_sub(node.span.start) == 1;
    for child in node.children_mut() {
        match child.data {
            Data::Bool(is_true) if is_letter(child) => {
                *child = text(if is_true { "y" } else { "n" }, child.span);
            }
            _ => keep_letters(child),
        }
    }
}

/// What templates with a name yield.
pub(super) trait NamedTemplates {
    /// The result of one for an argument.
    fn include(&self, name: &str, argument: &Yielded) -> Executed<Yielded>;
}

/// The place of a template: what its dot is, and its variables.
#[derive(Clone)]
pub(super) struct ExecutionScope<'s> {
    pub(super) dot: Yielded,
    root: Yielded,
    variables: Vec<(String, Yielded)>,
    named: &'s dyn NamedTemplates,
    budget: &'s ExpansionBudget,
    /// The place of what has none of its own.
    place: Span,
    /// The place of the value because of which something is there.
    pub(super) because: Option<Span>,
    /// The place of the item of the innermost loop of the chart.
    pub(super) item: Option<Span>,
}

impl<'s> ExecutionScope<'s> {
    pub(super) fn new(
        dot: Yielded,
        named: &'s dyn NamedTemplates,
        budget: &'s ExpansionBudget,
        place: Span,
    ) -> Self {
        Self {
            root: dot.clone(),
            dot,
            variables: Vec::new(),
            named,
            budget,
            place,
            because: None,
            item: None,
        }
    }

    /// Declares a variable.
    pub(super) fn declare(&mut self, name: &str, value: Yielded) {
        self.variables.push((name.to_owned(), value));
    }

    /// A text with all its actions filled in.
    pub(super) fn render(&self, text: &str) -> Executed<String> {
        self.budget.spend(0)?;
        self.budget.refused.take();
        let nodes = tree::parse(text).map_err(|_| NotKnown)?;
        self.deeper(|| {
            let mut out = String::new();
            self.clone().execute(&nodes, &mut out)?;
            Ok(out)
        })
    }

    fn deeper<T>(&self, run: impl FnOnce() -> Executed<T>) -> Executed<T> {
        let depth = &self.budget.depth;
        if depth.get() >= MAX_DEPTH {
            return Err(NotKnown);
        }
        depth.set(depth.get() + 1);
        let result = run();
        depth.set(depth.get() - 1);
        result
    }

    /// Executes nodes for the text that they print.
    pub(super) fn execute(&mut self, nodes: &[TemplateNode], out: &mut String) -> Executed<()> {
        for node in nodes {
            match node {
                TemplateNode::Text(text) => out.push_str(text),
                TemplateNode::Action(pipeline) => {
                    let value = self.pipeline(pipeline)?;
                    if pipeline.variables.is_empty() {
                        let yielded = value.text();
                        self.budget.spend(yielded.len())?;
                        out.push_str(&yielded);
                    }
                }
                TemplateNode::Call(name, argument) => {
                    let argument = match argument {
                        Some(argument) => self.pipeline(argument)?,
                        None => null(self.place).into(),
                    };
                    let yielded = self.deeper(|| self.named.include(name, &argument))?.text();
                    self.budget.spend(yielded.len())?;
                    out.push_str(&yielded);
                }
                TemplateNode::Block(block) => self.block(block, out)?,
                TemplateNode::Define(..) | TemplateNode::Leave => return Err(NotKnown),
            }
        }
        Ok(())
    }

    fn block(&mut self, block: &BlockNode, out: &mut String) -> Executed<()> {
        let n_variables = self.variables.len();
        let dot = self.dot.clone();
        let value = self.pipeline(&block.pipeline)?;
        if block.kind == BlockKind::Range {
            let items = items(&value.node);
            for (key, item) in &items {
                self.budget.spend(1)?;
                self.bind(&block.pipeline.variables, key, item);
                self.dot = item.clone();
                self.execute(&block.body, out)?;
                self.variables.truncate(n_variables);
            }
            self.dot = dot;
            if items.is_empty() {
                self.execute(&block.otherwise, out)?;
            }
        } else if value.is_set() {
            if block.kind == BlockKind::With {
                self.dot = value;
            }
            self.execute(&block.body, out)?;
            self.dot = dot;
        } else {
            self.execute(&block.otherwise, out)?;
        }
        self.variables.truncate(n_variables);
        Ok(())
    }

    /// Declares the variables of a loop.
    pub(super) fn bind(&mut self, variables: &[String], key: &Node, item: &Yielded) {
        if let [name, _] = variables {
            self.declare(name, key.clone().into());
        }
        if let Some(name) = variables.last() {
            self.declare(name, item.clone());
        }
    }

    /// The value of a pipeline.
    pub(super) fn pipeline(&mut self, pipeline: &Pipeline) -> Executed<Yielded> {
        let mut last: Option<Yielded> = None;
        for command in &pipeline.commands {
            last = Some(self.command(command, last)?);
        }
        let value = last.ok_or(NotKnown)?;
        if let [name] = pipeline.variables.as_slice() {
            let known = self
                .variables
                .iter_mut()
                .rev()
                .find(|(known, _)| known == name);
            match known.filter(|_| !pipeline.declares) {
                Some((_, old)) => *old = value.clone(),
                None => self.declare(name, value.clone()),
            }
        }
        Ok(value)
    }

    fn command(&mut self, command: &[Operand], last: Option<Yielded>) -> Executed<Yielded> {
        let Some((first, rest)) = command.split_first() else {
            return Err(NotKnown);
        };
        let Operand::Function(name) = first else {
            // Methods take arguments, and no value here has methods.
            return if rest.is_empty() && last.is_none() {
                self.operand(first)
            } else {
                Err(NotKnown)
            };
        };
        let mut arguments = Vec::with_capacity(rest.len() + 1);
        for operand in rest {
            let argument = self.operand(operand)?;
            // The rest is not executed.
            if (*name == "and" && !argument.is_set()) || (*name == "or" && argument.is_set()) {
                return Ok(argument);
            }
            arguments.push(argument);
        }
        arguments.extend(last);
        functions::call(self, name, &arguments)
    }

    fn operand(&mut self, operand: &Operand) -> Executed<Yielded> {
        let node = |data: Data| {
            Yielded::from(Node {
                data,
                span: self.place,
            })
        };
        Ok(match operand {
            Operand::Function(name) => return functions::call(self, name, &[]),
            Operand::Text(value) => node(Data::String(value.as_str().into())),
            Operand::Number(value) => node(Data::Int(*value)),
            Operand::Bool(value) => node(Data::Bool(*value)),
            Operand::Nil => node(Data::Null),
            Operand::Fields(source, fields) => {
                let value = match source {
                    FieldSource::Dot => self.dot.clone(),
                    FieldSource::Variable(name) if name == "$" => self.root.clone(),
                    FieldSource::Variable(name) => {
                        let known = self.variables.iter().rev().find(|(known, _)| known == name);
                        let known = known
                            .ok_or_else(|| self.refuse(ValueTemplateFault::Variable(name.clone())));
                        known?.1.clone()
                    }
                    FieldSource::Pipeline(inner) => self.pipeline(inner)?,
                };
                if let [first, _, ..] = fields.as_slice()
                    && ["Values", "Release", "Chart"]
                        .iter()
                        .all(|name| value.node.get(name).is_some())
                    && !OF_ROOT.contains(&first.as_str())
                {
                    return Err(self.refuse(ValueTemplateFault::Name(first.clone())));
                }
                fields.iter().fold(value, |value, field| {
                    self.note_field(&value, field);
                    self.field(&value, field)
                })
            }
        })
    }

    /// Takes note of why Helm refuses the template in the last value.
    fn refuse(&self, why: ValueTemplateFault) -> NotKnown {
        *self.budget.refused.borrow_mut() = Some(why);
        NotKnown
    }

    /// Takes note of a value of which Helm reads a field, though it has none.
    fn note_field(&self, value: &Yielded, field: &str) {
        let has_fields = matches!(value.node.data, Data::Map(_) | Data::Null);
        if !has_fields && !value.is_yaml && value.node.span != self.place {
            let mut faults = self.budget.faults.borrow_mut();
            let fault = || ValueTemplateFault::Key(field.to_owned());
            faults.entry(value.node.span).or_insert_with(fault);
        }
    }

    /// The text of a template in a value, which is a part of `whole`. What Helm refuses in it is noted.
    fn render_value(&self, written: &str, whole: &str, span: Span) -> Executed<String> {
        let rendered = self.render(written);
        let fault = self.budget.refused.take().filter(|_| rendered.is_err());
        // Another part of it may declare the variable.
        let is_declared = |name: &str| {
            let mut behind = whole.split(name).skip(1);
            behind.any(|rest| rest.trim_start().starts_with([':', ',', '=']))
        };
        let fault = fault.filter(|fault| match fault {
            ValueTemplateFault::Variable(name) => !is_declared(name),
            _ => true,
        });
        if let Some(fault) = fault.filter(|_| span != self.place) {
            self.budget.faults.borrow_mut().insert(span, fault);
        }
        rendered
    }

    /// The field of a value; null if it has none.
    fn field(&self, value: &Yielded, field: &str) -> Yielded {
        match value.node.entry(field) {
            Some(entry) => Yielded {
                node: entry.value.clone(),
                key: Some(entry.key_span),
                is_yaml: false,
            },
            None => null(self.place).into(),
        }
    }

    /// A value with the actions in all its texts filled in. A text whose actions are not known stays as it is. `whole`: the text of the
    /// value of which it is a part.
    fn fill(&self, node: &mut Node, whole: &str) {
        match &mut node.data {
            Data::String(written) => {
                if written.contains("{{")
                    && let Ok(filled) = self.render_value(written, whole, node.span)
                {
                    // What stands in quotes in YAML is a text, whatever is filled in.
                    let is_quoted = yaml(node).starts_with(['"', '\'', '|', '>']);
                    *node = if is_quoted {
                        text(filled, node.span)
                    } else {
                        reread(&filled, node.span)
                    };
                }
            }
            Data::Seq(items) => items.iter_mut().for_each(|item| self.fill(item, whole)),
            Data::Map(entries) => {
                for entry in entries {
                    if entry.key.contains("{{")
                        && let Ok(key) = self.render_value(&entry.key, whole, entry.key_span)
                    {
                        entry.key = key.into();
                    }
                    self.fill(&mut entry.value, whole);
                }
            }
            _ => {}
        }
    }
}

/// The items of a list or map, in the order of a loop, each with its key.
pub(super) fn items(node: &Node) -> Vec<(Node, Yielded)> {
    let number = |at: usize| Node {
        data: Data::Int(i64::try_from(at).unwrap_or(i64::MAX)),
        span: node.span,
    };
    let in_list = node.items().iter().enumerate();
    let mut items: Vec<_> = in_list
        .map(|(at, item)| (number(at), item.clone().into()))
        .collect();
    for entry in sorted_entries(node) {
        let item = Yielded {
            node: entry.value.clone(),
            key: Some(entry.key_span),
            is_yaml: false,
        };
        items.push((text(entry.key.as_str(), entry.key_span), item));
    }
    items
}

/// The dot of a chart's templates.
pub(super) struct ChartRoot<'r> {
    /// The name of the release.
    pub(super) release: &'r str,
    /// Its namespace, with its place.
    pub(super) namespace: (&'r str, Span),
    /// The name that the chart goes by.
    pub(super) chart: &'r str,
    /// Its version, and that of the application.
    pub(super) version: &'r str,
    pub(super) application: &'r str,
    /// All values.
    pub(super) values: &'r Node,
    pub(super) place: Span,
}

impl ChartRoot<'_> {
    /// The dot, as a map.
    pub(super) fn dot(&self) -> Yielded {
        let texts = |entries: &[(&str, &str)]| {
            let entries = entries
                .iter()
                .map(|(key, value)| (*key, text(*value, self.place)));
            super::node::map(self.place, entries.collect())
        };
        let mut release = texts(&[("Name", self.release), ("Service", "Helm")]);
        let (namespace, span) = self.namespace;
        super::node::set(&mut release, "Namespace", span, text(namespace, span));
        let kubernetes = texts(&[("Version", KUBERNETES), ("GitVersion", KUBERNETES)]);
        let chart = texts(&[
            ("Name", self.chart),
            ("Version", self.version),
            ("AppVersion", self.application),
        ]);
        super::node::map(
            self.place,
            vec![
                ("Values", self.values.clone()),
                ("Release", release),
                ("Chart", chart),
                (
                    "Capabilities",
                    super::node::map(self.place, vec![("KubeVersion", kubernetes)]),
                ),
            ],
        )
        .into()
    }
}

#[cfg(test)]
mod tests;
