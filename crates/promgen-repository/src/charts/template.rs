//! Templates of Go as Helm executes them: those in values, and what the table of the chart says of its own.
//!
//! In: the tree of a template, and what its dot is. Out: a text, or a value with the place of what it was made of. What a
//! function does that is not known here is unknown, and so is all that is made of it.

mod functions;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use promgen_text::go::template::tree::{
    self, BlockKind, BlockNode, FieldSource, Operand, Pipeline, TemplateNode,
};
use promgen_text::source::Span;
use promgen_text::yaml::edit::{null, sorted_entries};
use promgen_text::yaml::{Data, Node, embedded};

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

/// The most that the functions of one release make: bytes of texts, and parts of lists and maps.
const MAX_MADE: usize = 1 << 24;

/// The versions of Kubernetes and of Helm that templates are told.
const KUBERNETES: &str = "v1.35.0";
const HELM: &str = "v3.19";

/// The versions of the API that each cluster has, and that Helm knows of without one.
const API_VERSIONS: [&str; 12] = [
    "admissionregistration.k8s.io/v1",
    "apiextensions.k8s.io/v1",
    "apps/v1",
    "autoscaling/v1",
    "autoscaling/v2",
    "batch/v1",
    "discovery.k8s.io/v1",
    "networking.k8s.io/v1",
    "policy/v1",
    "rbac.authorization.k8s.io/v1",
    "storage.k8s.io/v1",
    "v1",
];

/// The number from which on Go writes floats with an exponent.
const LARGE: u64 = 1_000_000;

/// The most numbers that a loop goes through, or a function makes.
const MAX_NUMBERS: i64 = 1000;

/// The key of the values in the dot of a chart, and all its keys.
const VALUES: &str = "Values";
const BUILT_IN: [&str; 4] = [VALUES, "Release", "Chart", "Capabilities"];

/// The charts within the known one, whose default values are not known.
pub(super) const OTHER_CHARTS: [&str; 4] = [
    "grafana",
    "kube-state-metrics",
    "prometheus-node-exporter",
    "prometheus-windows-exporter",
];

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

/// What the templates in the values of a release share: the size that they may still yield, as a text that refers to a long one costs
/// its length each time, which of them are not evaluated, and what Helm refuses in them, by the place of the value.
#[derive(Debug)]
pub(super) struct ExpansionBudget {
    left: Cell<Option<usize>>,
    /// The size that functions may still make, whether it is printed or not.
    work: Cell<usize>,
    depth: Cell<usize>,
    /// The last function that was called and is not evaluated.
    missing: Cell<Option<&'static str>>,
    /// The places of the values whose templates are not evaluated, each with the function that is missing.
    unknown: RefCell<BTreeMap<Span, Option<&'static str>>>,
    /// Why the template in the last value is not executed, if Helm refuses it.
    refused: RefCell<Option<ValueTemplateFault>>,
    faults: RefCell<BTreeMap<Span, ValueTemplateFault>>,
}

impl Default for ExpansionBudget {
    fn default() -> Self {
        Self {
            left: Cell::new(Some(MAX_EXPANDED)),
            work: Cell::new(MAX_MADE),
            depth: Cell::new(0),
            missing: Cell::new(None),
            unknown: RefCell::default(),
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

    /// Spends the size of what a function makes. An error from the first on that is too much.
    fn work(&self, size: usize) -> Executed<()> {
        match self.work.get().checked_sub(size) {
            Some(work) => {
                self.work.set(work);
                Ok(())
            }
            None => {
                self.work.set(0);
                self.left.set(None);
                Err(NotKnown)
            }
        }
    }

    /// Returns whether there were too many.
    pub(super) fn is_exceeded(&self) -> bool {
        self.left.get().is_none()
    }

    /// Takes note of a value whose template is not evaluated.
    pub(super) fn note_unknown(&self, place: Span, function: Option<&'static str>) {
        if !self.is_exceeded() {
            self.unknown.borrow_mut().entry(place).or_insert(function);
        }
    }

    /// The places of the values whose templates are not evaluated, each with the function that is missing.
    pub(super) fn into_unknown(self) -> BTreeMap<Span, Option<&'static str>> {
        self.unknown.into_inner()
    }
}

/// A text of a value whose actions are not filled in.
struct UnfilledText {
    place: Span,
    /// The function that is not evaluated.
    function: Option<&'static str>,
    /// Why Helm refuses it.
    fault: Option<ValueTemplateFault>,
}

/// What a template does is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NotKnown;

pub(super) type Executed<T> = Result<T, NotKnown>;

/// What a template prints for a value.
#[derive(Clone, Debug)]
pub(super) enum PrintedForm {
    /// What Go prints.
    Go,
    /// The value in YAML.
    Yaml,
    /// A text of its own, which is the value in YAML, too: it may be indented, and have its keys in another order.
    Text(Rc<str>),
}

/// A value that a pipeline yields.
#[derive(Clone, Debug)]
pub(super) struct Yielded {
    pub(super) node: Node,
    /// The key that it is the value of, if it stands somewhere.
    pub(super) key: Option<Span>,
    pub(super) form: PrintedForm,
}

impl From<Node> for Yielded {
    fn from(node: Node) -> Self {
        Self {
            node,
            key: None,
            form: PrintedForm::Go,
        }
    }
}

impl Yielded {
    /// A value that stands for a text, which is the value in YAML.
    pub(super) fn written(node: Node, text: &str) -> Self {
        Self {
            form: PrintedForm::Text(text.into()),
            ..Self::from(node)
        }
    }

    /// The text that a template prints for it.
    pub(super) fn text(&self) -> String {
        match &self.form {
            PrintedForm::Go => functions::shown(&self.node),
            PrintedForm::Yaml => yaml(&self.node),
            PrintedForm::Text(text) => text.to_string(),
        }
    }

    /// It is a text that is YAML, not a value.
    pub(super) const fn is_yaml(&self) -> bool {
        !matches!(self.form, PrintedForm::Go)
    }

    pub(super) fn is_set(&self) -> bool {
        match &self.form {
            PrintedForm::Go => self.node.is_set(),
            PrintedForm::Yaml => true,
            PrintedForm::Text(text) => !text.is_empty(),
        }
    }

    /// What stands in a document in its place: a text is read as YAML. A large number of a file is a float, which stays one.
    pub(super) fn into_node(self) -> Node {
        match &self.node.data {
            Data::Int(number) if !self.is_yaml() && number.unsigned_abs() >= LARGE => Node {
                data: Data::Float(*number as f64),
                ..self.node
            },
            Data::String(text) if !self.is_yaml() => reread(text, self.node.span),
            // Go's way to print a collection: `map[a:b]`, `[a b]`.
            Data::Map(_) | Data::Seq(_) if !self.is_yaml() => reread(&self.text(), self.node.span),
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
        // A comment, or the name of nothing.
        None if written.trim_start().starts_with(['#', '&']) => null(span),
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

/// How far what leaves a loop goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LoopExit {
    Break,
    Continue,
}

/// The place of a template: what its dot is, and its variables.
#[derive(Clone)]
pub(super) struct ExecutionScope<'s> {
    pub(super) dot: Yielded,
    root: Yielded,
    variables: Vec<(String, Yielded)>,
    named: &'s dyn NamedTemplates,
    /// The templates that the text defines.
    defined: Rc<BTreeMap<String, Vec<TemplateNode>>>,
    budget: &'s ExpansionBudget,
    /// The template is one of the values, not of the chart.
    is_given: bool,
    /// What leaves a loop is on its way out.
    leaving: Option<LoopExit>,
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
            defined: Rc::default(),
            budget,
            is_given: false,
            leaving: None,
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
        let mut scope = self.clone();
        scope.is_given = true;
        let definition = |node: &TemplateNode| match node {
            TemplateNode::Define(name, body) => Some((name.clone(), body.clone())),
            _ => None,
        };
        let defined: Vec<_> = nodes.iter().filter_map(definition).collect();
        if !defined.is_empty() {
            Rc::make_mut(&mut scope.defined).extend(defined);
        }
        self.deeper(|| {
            let mut out = String::new();
            scope.execute(&nodes, &mut out)?;
            Ok(out)
        })
    }

    /// What a template with a name yields.
    fn include(&self, name: &str, argument: &Yielded) -> Executed<Yielded> {
        self.deeper(|| {
            let Some(body) = self.defined.get(name) else {
                return self.named.include(name, argument);
            };
            let mut scope = ExecutionScope {
                root: argument.clone(),
                dot: argument.clone(),
                variables: Vec::new(),
                ..self.clone()
            };
            let mut out = String::new();
            scope.execute(body, &mut out)?;
            Ok(text(out, self.place).into())
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
            if self.leaving.is_some() {
                break;
            }
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
                    let yielded = self.include(name, &argument)?.text();
                    self.budget.spend(yielded.len())?;
                    out.push_str(&yielded);
                }
                TemplateNode::Block(block) => self.block(block, out)?,
                // They are known before anything is executed.
                TemplateNode::Define(..) => {}
                TemplateNode::Break => self.leaving = Some(LoopExit::Break),
                TemplateNode::Continue => self.leaving = Some(LoopExit::Continue),
            }
        }
        Ok(())
    }

    fn block(&mut self, block: &BlockNode, out: &mut String) -> Executed<()> {
        let n_variables = self.variables.len();
        let dot = self.dot.clone();
        let value = self.pipeline(&block.pipeline)?;
        if block.kind == BlockKind::Range {
            let items = match value.node.data {
                Data::Null | Data::Seq(_) | Data::Map(_) if !value.is_yaml() => items(&value.node),
                Data::Uint(n) => numbers(n, value.node.span)?,
                _ => return Err(NotKnown),
            };
            for (key, item) in &items {
                self.budget.spend(1)?;
                self.bind(&block.pipeline.variables, key, item);
                self.dot = item.clone();
                self.execute(&block.body, out)?;
                self.variables.truncate(n_variables);
                if self.leaving.take() == Some(LoopExit::Break) {
                    break;
                }
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
            if rest.is_empty() && last.is_none() {
                return self.operand(first);
            }
            return self.method(first, rest);
        };
        let mut arguments = Vec::with_capacity(rest.len() + 1);
        for operand in rest {
            let argument = self.operand(operand)?;
            // What decides is the last one that is asked for.
            let decides = match name.as_str() {
                "and" => !argument.is_set(),
                "or" => argument.is_set(),
                _ => false,
            };
            if decides {
                return Ok(argument);
            }
            arguments.push(argument);
        }
        arguments.extend(last);
        let value = functions::call(self, name, &arguments)?;
        // These change their first argument.
        if let ("set" | "unset" | "merge" | "mergeOverwrite", Some(changed)) =
            (functions::plain_name(name).as_ref(), rest.first())
        {
            self.change(changed, &value)?;
        }
        Ok(value)
    }

    /// A method of a built-in object. Which versions of the API every cluster has is the only thing that one is asked.
    fn method(&self, method: &Operand, arguments: &[Operand]) -> Executed<Yielded> {
        match (method, arguments) {
            (Operand::Fields(_, fields), [Operand::Text(version)])
                if fields.ends_with(&["APIVersions".to_owned(), "Has".to_owned()])
                    && API_VERSIONS.contains(&version.as_str()) =>
            {
                Ok(self.literal(Data::Bool(true)))
            }
            _ => Err(NotKnown),
        }
    }

    /// Gives a variable the value that a function made of it. What stands in other places is not changed by templates here.
    fn change(&mut self, changed: &Operand, value: &Yielded) -> Executed<()> {
        match changed {
            Operand::Fields(FieldSource::Variable(name), fields) if fields.is_empty() => {
                let mut known = self.variables.iter_mut().rev();
                let known = known.find(|(known, _)| known == name);
                known.ok_or(NotKnown)?.1 = value.clone();
                Ok(())
            }
            // What is made on the spot is nobody else's.
            Operand::Fields(FieldSource::Pipeline(_), fields) if fields.is_empty() => Ok(()),
            _ => Err(NotKnown),
        }
    }

    fn literal(&self, data: Data) -> Yielded {
        let span = self.place;
        Node { data, span }.into()
    }

    fn operand(&mut self, operand: &Operand) -> Executed<Yielded> {
        Ok(match operand {
            Operand::Function(name) => return functions::call(self, name, &[]),
            Operand::Text(value) => self.literal(Data::String(value.as_str().into())),
            Operand::Number(value) => self.literal(functions::integer(*value)),
            Operand::Decimal(value) => {
                let value = value.parse().map_err(|_| NotKnown)?;
                self.literal(functions::float(value))
            }
            Operand::Bool(value) => self.literal(Data::Bool(*value)),
            Operand::Nil => self.literal(Data::Null),
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
                // Whoever asks for what a built-in object has and this one lacks gets something that is not known.
                let is_built_in = fields.first().is_some_and(|field| field != VALUES)
                    && BUILT_IN.iter().all(|key| value.node.get(key).is_some());
                let is_of_other = matches!(fields.as_slice(), [values, chart, _, ..]
                    if values == VALUES && OTHER_CHARTS.contains(&chart.as_str()));
                let mut found = value;
                for (at, field) in fields.iter().enumerate() {
                    self.note_field(&found, field);
                    // Helm refuses fields of what is no map.
                    let has_fields = found.node.is_map() || at == 0 && found.node.is_null();
                    if self.is_given && !has_fields {
                        return Err(NotKnown);
                    }
                    found = self.field(&found, field);
                }
                if found.node.is_null() && (is_built_in || self.is_given && is_of_other) {
                    return Err(NotKnown);
                }
                found
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
        if !has_fields && !value.is_yaml() && value.node.span != self.place {
            let mut faults = self.budget.faults.borrow_mut();
            let fault = || ValueTemplateFault::Key(field.to_owned());
            faults.entry(value.node.span).or_insert_with(fault);
        }
    }

    /// Takes note of why Helm refuses the template that was rendered last, which is a part of `whole`. Returns whether it does.
    pub(super) fn note_refused(
        &self,
        fault: Option<ValueTemplateFault>,
        whole: &str,
        span: Span,
    ) -> bool {
        // Another part of it may declare the variable.
        let is_declared = |name: &str| {
            let mut behind = whole.split(name).skip(1);
            behind.any(|rest| rest.trim_start().starts_with([':', ',', '=']))
        };
        let fault = fault.filter(|fault| match fault {
            ValueTemplateFault::Variable(name) => !is_declared(name),
            _ => true,
        });
        let Some(fault) = fault.filter(|_| span != self.place) else {
            return false;
        };
        self.budget.faults.borrow_mut().insert(span, fault);
        true
    }

    /// The field of a value; null if it has none.
    fn field(&self, value: &Yielded, field: &str) -> Yielded {
        match value.node.entry(field) {
            Some(entry) => Yielded {
                key: Some(entry.key_span),
                ..entry.value.clone().into()
            },
            None => null(self.place).into(),
        }
    }

    /// A template that is a value in YAML. A text of it that is not evaluated stays as it is.
    fn fill(&self, value: &mut Node) {
        let mut unknown: Vec<UnfilledText> = Vec::new();
        let before = value.clone();
        self.fill_texts(value, &mut unknown);
        if before.to_value() == value.to_value() && unknown.is_empty() {
            return;
        }
        // The text as a whole is the template: what an action prints may be indented, or have several lines.
        let written = yaml(&before);
        match self.render(&written) {
            Ok(rendered) => {
                let mut whole = reread(&rendered, value.span);
                if value.is_map() && !whole.is_map() {
                    // What is printed breaks the document.
                    return self.budget.note_unknown(value.span, None);
                }
                keep_places(&mut whole, value);
                *value = whole;
            }
            Err(NotKnown) if unknown.is_empty() => {
                let fault = self.budget.refused.take();
                if !self.note_refused(fault, &written, value.span) {
                    self.budget.note_unknown(value.span, None);
                }
            }
            Err(NotKnown) => {
                for UnfilledText {
                    place,
                    function,
                    fault,
                } in unknown
                {
                    if !self.note_refused(fault, &written, place) {
                        self.budget.note_unknown(place, function);
                    }
                }
            }
        }
    }

    /// A value with the actions in all its texts filled in, and the places of those that are not evaluated.
    fn fill_texts(&self, node: &mut Node, unknown: &mut Vec<UnfilledText>) {
        let unfilled = |place| UnfilledText {
            place,
            function: self.budget.missing.take(),
            fault: self.budget.refused.take(),
        };
        match &mut node.data {
            Data::String(written) if written.contains("{{") => match self.render(written) {
                Ok(filled) => *node = text(filled, node.span),
                Err(NotKnown) => unknown.push(unfilled(node.span)),
            },
            Data::Seq(items) => items
                .iter_mut()
                .for_each(|item| self.fill_texts(item, unknown)),
            Data::Map(entries) => {
                for entry in entries {
                    if entry.key.contains("{{") {
                        match self.render(&entry.key) {
                            Ok(key) => entry.key = key.into(),
                            Err(NotKnown) => unknown.push(unfilled(entry.key_span)),
                        }
                    }
                    self.fill_texts(&mut entry.value, unknown);
                }
            }
            _ => {}
        }
    }
}

/// Gives a value the places that another one has, as far as both have the same keys.
fn keep_places(node: &mut Node, placed: &Node) {
    node.span = placed.span;
    match (&mut node.data, &placed.data) {
        (Data::Map(entries), Data::Map(_)) => {
            for entry in entries {
                if let Some(own) = placed.entry(&entry.key) {
                    entry.key_span = own.key_span;
                    keep_places(&mut entry.value, &own.value);
                }
            }
        }
        (Data::Seq(items), Data::Seq(others)) => {
            for (item, own) in items.iter_mut().zip(others) {
                keep_places(item, own);
            }
        }
        _ => {}
    }
}

/// The items of a list or map, in the order of a loop, each with its key.
pub(super) fn items(node: &Node) -> Vec<(Node, Yielded)> {
    let number = |at: usize| Node {
        data: functions::integer(i64::try_from(at).unwrap_or(i64::MAX)),
        span: node.span,
    };
    let in_list = node.items().iter().enumerate();
    let mut items: Vec<_> = in_list
        .map(|(at, item)| (number(at), item.clone().into()))
        .collect();
    for entry in sorted_entries(node) {
        let item = Yielded {
            key: Some(entry.key_span),
            ..entry.value.clone().into()
        };
        items.push((text(entry.key.as_str(), entry.key_span), item));
    }
    items
}

/// Makes integers of the numbers at some places.
pub(super) fn integers(node: &mut Node, places: &BTreeSet<Span>) {
    if places.is_empty() {
        return;
    }
    if let Data::Int(number) = node.data
        && places.contains(&node.span)
    {
        node.data = functions::integer(number);
    }
    node.children_mut()
        .for_each(|child| integers(child, places));
}

/// The numbers below one, in the order of a loop.
fn numbers(n: u64, span: Span) -> Executed<Vec<(Node, Yielded)>> {
    let n = i64::try_from(n).ok().filter(|n| *n <= MAX_NUMBERS);
    let number = |at| Node {
        data: functions::integer(at),
        span,
    };
    Ok((0..n.ok_or(NotKnown)?)
        .map(|at| (number(at), number(at).into()))
        .collect())
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
        let map = |entries| super::node::map(self.place, entries);
        let of = |data| Node {
            data,
            span: self.place,
        };
        let mut release = texts(&[("Name", self.release), ("Service", "Helm")]);
        let (namespace, span) = self.namespace;
        super::node::set(&mut release, "Namespace", span, text(namespace, span));
        for (key, data) in [
            ("Revision", functions::integer(1)),
            ("IsInstall", Data::Bool(true)),
            ("IsUpgrade", Data::Bool(false)),
        ] {
            super::node::set(&mut release, key, self.place, of(data));
        }
        let (major, minor) = KUBERNETES
            .trim_start_matches('v')
            .split_once('.')
            .unwrap_or_default();
        let minor = minor.split('.').next().unwrap_or_default();
        let kubernetes = texts(&[
            ("Version", KUBERNETES),
            ("GitVersion", KUBERNETES),
            ("Major", major),
            ("Minor", minor),
        ]);
        let chart = texts(&[
            ("Name", self.chart),
            ("Version", self.version),
            ("AppVersion", self.application),
        ]);
        let capabilities = map(vec![
            ("KubeVersion", kubernetes),
            ("HelmVersion", texts(&[("Version", HELM)])),
        ]);
        map(vec![
            (VALUES, self.values.clone()),
            ("Release", release),
            ("Chart", chart),
            ("Capabilities", capabilities),
        ])
        .into()
    }
}

#[cfg(test)]
mod tests;
