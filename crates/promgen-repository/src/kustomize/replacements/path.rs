//! Paths of fields: `spec.containers.[name=web].image`, `metadata.annotations.[a.b/c]`, `spec.hosts.*`, `spec.args.0`.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use promgen_text::go::regex::GoRegex;
use promgen_text::shared::SharedItems;
use promgen_text::source::Span;
use promgen_text::yaml::{Data, Node};

use crate::kustomize::fault::{BuildFault, BuildResult};
use crate::kustomize::value::{MAX_DEPTH, ValueKind, expected, kind, text};
use promgen_text::yaml::edit::{self, text as string};

/// A path, split into its steps.
#[derive(Debug)]
pub(super) struct FieldPath<'t> {
    /// The place of the path.
    pub(super) span: Span,
    text: &'t str,
    steps: Vec<String>,
    /// The expressions of its steps, as far as they were needed.
    expressions: RefCell<BTreeMap<String, Rc<GoRegex>>>,
}

/// A field that a path names.
pub(super) struct PathTarget<'n> {
    pub(super) node: &'n mut Node,
    /// The field was made for the path.
    pub(super) is_new: bool,
}

impl<'n> PathTarget<'n> {
    /// One that was there before.
    const fn known(node: &'n mut Node) -> Self {
        Self {
            node,
            is_new: false,
        }
    }
}

/// The function that visits the fields of a path.
type Visitor<'v, 's> = dyn FnMut(&mut PathTarget<'_>) -> BuildResult + 'v;

impl<'t> FieldPath<'t> {
    /// Splits a path at its dots. Those after a backslash and those within brackets belong to a key.
    pub(super) fn parse(text: &'t str, span: Span) -> Self {
        let mut steps: Vec<String> = Vec::new();
        let mut bracket: Option<String> = None;
        for part in unescaped(text) {
            match bracket.take() {
                Some(open) => {
                    let joined = format!("{open}.{part}");
                    if part.ends_with(']') {
                        steps.push(bracketed(joined));
                    } else {
                        bracket = Some(joined);
                    }
                }
                None if part.starts_with('[') && !part.ends_with(']') => bracket = Some(part),
                None => steps.push(part),
            }
        }
        steps.extend(bracket.map(bracketed));
        Self {
            span,
            text,
            steps,
            expressions: RefCell::default(),
        }
    }

    /// The number of steps that the path has.
    pub(super) const fn len(&self) -> usize {
        self.steps.len()
    }

    fn fault(&self, message: impl std::fmt::Display) -> BuildFault {
        BuildFault::new(self.span, format!("`{}`: {message}", self.text))
    }

    /// The value that the path names, as a source: an index, `-` for the last item, an exact match, or a key.
    pub(super) fn lookup<'n>(&self, root: &'n Node) -> BuildResult<Option<&'n Node>> {
        let mut node = root;
        for step in self
            .steps
            .iter()
            .map(|step| step.trim())
            .filter(|step| !step.is_empty())
        {
            let found = match FieldStep::of(step) {
                FieldStep::Index(index) => self.list(node)?.get(index),
                FieldStep::Key("-") => self.list(node)?.last(),
                FieldStep::Every => return Err(self.fault("a source has no `*`")),
                FieldStep::Item(match_) => {
                    let (key, wanted) = self.split(match_)?;
                    let is_it = |item: &&Node| is_match(item, key, |value| value == wanted);
                    self.list(node)?.iter().find(is_it)
                }
                FieldStep::Key(key) => match kind(node) {
                    ValueKind::Map => node.get(key),
                    ValueKind::Null => None,
                    ValueKind::Scalar | ValueKind::List => {
                        return Err(self.fault(expected("a map", node)));
                    }
                },
            };
            let Some(found) = found else { return Ok(None) };
            node = found;
        }
        Ok(Some(node))
    }

    fn list<'n>(&self, node: &'n Node) -> BuildResult<&'n [Node]> {
        match &node.data {
            Data::Seq(items) => Ok(items),
            Data::Null => Ok(&[]),
            _ => Err(self.fault(expected("a list", node))),
        }
    }

    /// Visits the fields that the path names, as those of a target. With `create`, what is missing is made, and the
    /// field itself gets that shape.
    ///
    /// # Errors
    /// There is no such field, something else stands on the way, or `visitor` refuses it.
    pub(super) fn visit(
        &self,
        root: &mut Node,
        create: Option<ValueKind>,
        visitor: &mut Visitor<'_, '_>,
    ) -> BuildResult {
        if self.steps.len() > MAX_DEPTH / 2 {
            return Err(self.fault("the path is too long"));
        }
        let walk = PathWalk { path: self, create };
        match walk.step(&mut PathTarget::known(root), &self.steps, visitor)? {
            0 => Err(self.fault("the target of the replacement has no such field")),
            _ => Ok(()),
        }
    }

    /// The expression of a step.
    fn expression(&self, pattern: &str) -> BuildResult<Rc<GoRegex>> {
        if let Some(known) = self.expressions.borrow().get(pattern) {
            return Ok(Rc::clone(known));
        }
        let expression = Rc::new(GoRegex::new(pattern).map_err(|error| self.fault(error))?);
        self.expressions
            .borrow_mut()
            .insert(pattern.to_owned(), Rc::clone(&expression));
        Ok(expression)
    }

    /// The key and the value of `[key=value]`.
    fn split<'p>(&self, step: &'p str) -> BuildResult<(&'p str, &'p str)> {
        let inner = step
            .strip_prefix('[')
            .and_then(|step| step.strip_suffix(']'))
            .unwrap_or(step);
        inner
            .split_once('=')
            .ok_or_else(|| self.fault("expected `[key=value]` in brackets"))
    }
}

/// Returns whether an item, or its value of a key, has a text.
fn is_match(item: &Node, key: &str, is_it: impl Fn(&str) -> bool) -> bool {
    if key.is_empty() {
        return matches!(kind(item), ValueKind::Scalar | ValueKind::Null) && is_it(&text(item));
    }
    item.get(key).is_some_and(|value| is_it(&text(value)))
}

/// The parts of a path between dots that no backslash precedes. A dot at the start counts for nothing.
fn unescaped(text: &str) -> Vec<String> {
    let text = text.strip_prefix('.').unwrap_or(text);
    let mut parts: Vec<String> = Vec::new();
    for part in text.split('.') {
        match parts.last_mut().filter(|last| last.ends_with('\\')) {
            Some(last) => {
                last.pop();
                last.push('.');
                last.push_str(part);
            }
            None => parts.push(part.to_owned()),
        }
    }
    parts
}

/// A step that had dots within brackets: a match keeps them, a key loses them.
fn bracketed(step: String) -> String {
    if step.contains('=') {
        step
    } else {
        step.trim_matches(['[', ']']).to_owned()
    }
}

enum FieldStep<'p> {
    Index(usize),
    Item(&'p str),
    Every,
    Key(&'p str),
}

impl<'p> FieldStep<'p> {
    fn of(step: &'p str) -> Self {
        if let Ok(index) = step.parse() {
            return Self::Index(index);
        }
        match step {
            "*" => Self::Every,
            step if is_item(step) => Self::Item(step),
            key => Self::Key(key),
        }
    }

    /// The shape of what such a step leads into.
    const fn parent(&self) -> ValueKind {
        match self {
            Self::Index(_) | Self::Item(_) => ValueKind::List,
            Self::Every | Self::Key(_) => ValueKind::Map,
        }
    }
}

fn is_item(step: &str) -> bool {
    step.starts_with('[') && step.ends_with(']')
}

struct PathWalk<'p> {
    path: &'p FieldPath<'p>,
    create: Option<ValueKind>,
}

impl PathWalk<'_> {
    /// Takes the steps from a value on, and returns how many fields they lead to.
    fn step(
        &self,
        at: &mut PathTarget<'_>,
        steps: &[String],
        visitor: &mut Visitor<'_, '_>,
    ) -> BuildResult<usize> {
        let Some((step, rest)) = steps.split_first() else {
            return visitor(at).map(|()| 1);
        };
        match FieldStep::of(step) {
            FieldStep::Index(index) => self.index(at.node, index, rest, visitor),
            FieldStep::Every => {
                let mut count = 0;
                for item in self.items(at.node)? {
                    count += self.step(&mut PathTarget::known(item), rest, visitor)?;
                }
                Ok(count)
            }
            FieldStep::Item(step) => self.item(at.node, step, rest, visitor),
            FieldStep::Key(key) => self.key(at.node, key, rest, visitor),
        }
    }

    fn items<'n>(&self, node: &'n mut Node) -> BuildResult<&'n mut [Node]> {
        if kind(node) == ValueKind::Null {
            return Ok(&mut []);
        }
        self.list(node).map(|items| &mut items[..])
    }

    fn list<'n>(&self, node: &'n mut Node) -> BuildResult<&'n mut Vec<Node>> {
        let fault = self.path.fault(expected("a list", node));
        match &mut node.data {
            Data::Seq(items) => Ok(items),
            _ => Err(fault),
        }
    }

    fn index(
        &self,
        node: &mut Node,
        index: usize,
        rest: &[String],
        visitor: &mut Visitor<'_, '_>,
    ) -> BuildResult<usize> {
        let count = self.items(node)?.len();
        let is_new = index == count && self.create.is_some();
        if is_new {
            let item = self.made(rest);
            self.list(node)?.push(item);
        }
        match self.items(node)?.get_mut(index) {
            Some(item) => self.step(&mut PathTarget { node: item, is_new }, rest, visitor),
            None => Err(self
                .path
                .fault(format!("index {index} of a list of {count} items"))),
        }
    }

    /// The items that `[key=expression]` matches.
    fn item(
        &self,
        node: &mut Node,
        step: &str,
        rest: &[String],
        visitor: &mut Visitor<'_, '_>,
    ) -> BuildResult<usize> {
        let (key, pattern) = self.path.split(step)?;
        let regex = self.path.expression(pattern)?;
        let count = self.matches(node, key, &regex, rest, visitor)?;
        if count > 0 || self.create.is_none() {
            return Ok(count);
        }
        if !regex.is_match(pattern) {
            return Err(self
                .path
                .fault("the expression does not match itself, so no item can be made for it"));
        }
        let value = string(pattern.to_owned(), self.path.span);
        let item = if key.is_empty() {
            value
        } else {
            let mut item = edit::map(self.path.span);
            edit::set(&mut item, key, self.path.span, value);
            item
        };
        self.list(node)?.push(item);
        self.matches(node, key, &regex, rest, visitor)
    }

    fn matches(
        &self,
        node: &mut Node,
        key: &str,
        regex: &GoRegex,
        rest: &[String],
        visitor: &mut Visitor<'_, '_>,
    ) -> BuildResult<usize> {
        // Items that are no maps have no steps below them.
        let rest = if key.is_empty() { &[] } else { rest };
        let mut count = 0;
        for item in self.items(node)? {
            if is_match(item, key, |text| regex.is_match(text.trim())) {
                count += self.step(&mut PathTarget::known(item), rest, visitor)?;
            }
        }
        Ok(count)
    }

    fn key(
        &self,
        node: &mut Node,
        key: &str,
        rest: &[String],
        visitor: &mut Visitor<'_, '_>,
    ) -> BuildResult<usize> {
        match kind(node) {
            // Kustomize makes nothing below null, and takes it as made.
            ValueKind::Null => return Ok(usize::from(self.create.is_some())),
            ValueKind::Map if !key.is_empty() => {}
            _ => {
                return Err(self.path.fault(expected("a map", node)));
            }
        }
        let is_new = node.get(key).is_none();
        if is_new && self.create.is_none() {
            return Ok(0);
        }
        if is_new {
            edit::set(node, key, self.path.span, self.made(rest));
        }
        match node.get_mut(key) {
            Some(value) => self.step(
                &mut PathTarget {
                    node: value,
                    is_new,
                },
                rest,
                visitor,
            ),
            None => Ok(0),
        }
    }

    /// The node that is made where the remaining steps start. A scalar is made as null.
    fn made(&self, rest: &[String]) -> Node {
        let shape = rest
            .first()
            .map(|step| FieldStep::of(step).parent())
            .or(self.create);
        let data = match shape {
            Some(ValueKind::List) => Data::Seq(SharedItems::default()),
            Some(ValueKind::Map) => Data::Map(SharedItems::default()),
            Some(ValueKind::Scalar | ValueKind::Null) | None => Data::Null,
        };
        Node {
            span: self.path.span,
            data,
        }
    }
}
