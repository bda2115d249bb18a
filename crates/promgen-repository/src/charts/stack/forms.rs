//! Forms: which value becomes which field of an object, in a version of the chart.
//!
//! In: the rows of the table that a version has. Out: the objects, each value with its place.

use std::sync::OnceLock;

use promgen_text::go::template::tree::{self, Operand, Pipeline, TemplateNode};
use promgen_text::source::Span;
use promgen_text::yaml::edit::{self, null};
use promgen_text::yaml::{Data, Node, embedded};

use super::table;
use super::versions::KnownVersion;
use crate::charts::node::{empty, list, merge, path, place, text};
use crate::charts::template::{
    Executed, ExecutionScope, ExpansionBudget, NamedTemplates, NotKnown, Yielded, items,
};

/// The path of what is a file as a whole.
const WHOLE: &str = "*";

/// What separates the parts of a row.
const SEPARATOR: char = '\t';

/// A text of the table, which is parsed when it is asked for: most rows are below a condition that does not hold.
#[derive(Debug)]
struct LaterParsed<T> {
    text: &'static str,
    parsed: OnceLock<T>,
}

impl<T> LaterParsed<T> {
    const fn new(text: &'static str) -> Self {
        Self {
            text,
            parsed: OnceLock::new(),
        }
    }

    fn get(&self, parse: impl FnOnce(&str) -> Result<T, String>) -> &T {
        self.parsed
            .get_or_init(|| parse(self.text).expect("a test parses the rows of all versions"))
    }
}

/// What a clause does with what stands below it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum ClauseKind {
    If,
    Unless,
    /// For each item of a list or map.
    Each,
}

/// A condition or a loop around a field.
#[derive(Debug)]
struct Clause {
    kind: ClauseKind,
    pipeline: LaterParsed<Pipeline>,
}

impl PartialEq for Clause {
    fn eq(&self, other: &Self) -> bool {
        (self.kind, self.pipeline.text) == (other.kind, other.pipeline.text)
    }
}

impl Clause {
    fn pipeline(&self) -> &Pipeline {
        self.pipeline.get(tree::pipeline)
    }
}

/// A step to a field.
#[derive(Debug)]
enum FormStep {
    Key(String),
    /// The key that the row gives.
    GivenKey,
    NewItem,
    LastItem,
    /// All fields or items of the value.
    All,
}

/// A field, and what becomes of it.
#[derive(Debug)]
struct FormField {
    /// The path; empty for a part of a text.
    path: &'static str,
    value: LaterParsed<Vec<TemplateNode>>,
    clauses: Vec<Clause>,
    key: Option<LaterParsed<Vec<TemplateNode>>>,
    /// The value is a text, whatever it looks like.
    is_text: bool,
    /// The chart refuses the values.
    is_refusal: bool,
}

/// What one template of the chart makes.
#[derive(Debug, Default)]
struct ChartForm {
    clauses: Vec<Clause>,
    /// The rows of its fields, which are read when it is made: of most forms the clauses do not hold.
    rows: Vec<(&'static str, &'static str)>,
    fields: OnceLock<Vec<FormField>>,
}

impl ChartForm {
    fn fields(&self) -> &[FormField] {
        self.fields.get_or_init(|| {
            let rows = self.rows.iter().map(|(path, content)| field(path, content));
            let fields: Result<_, String> = rows.collect();
            fields.expect("a test reads the rows of all versions")
        })
    }

    /// Returns whether it makes a text.
    fn is_text(&self) -> bool {
        self.fields().iter().all(|field| field.path.is_empty())
    }
}

/// The forms of a version, in the order of the table.
#[derive(Debug)]
pub(super) struct ChartForms {
    forms: Vec<(&'static str, ChartForm)>,
}

impl ChartForms {
    /// The forms of a version.
    pub(super) fn of(version: &KnownVersion) -> &'static Self {
        static READ: OnceLock<Vec<OnceLock<ChartForms>>> = OnceLock::new();
        let all = READ.get_or_init(|| super::versions::all().map(|_| OnceLock::new()).collect());
        static NOTHING: ChartForms = ChartForms { forms: Vec::new() };
        let mut known = super::versions::all().zip(all);
        let own = known.find(|(known, _)| *known == version.version);
        own.map_or(&NOTHING, |(known, read)| {
            read.get_or_init(|| Self::read(known).expect("a test reads all versions"))
        })
    }

    /// Reads the forms of a version.
    ///
    /// # Errors
    /// Which row is wrong, and why.
    pub(super) fn read(version: &str) -> Result<Self, String> {
        let mut forms: Vec<(&str, ChartForm)> = Vec::new();
        for (name, clauses) in table::at(table::FORM, version) {
            let clauses = clauses.split(SEPARATOR).filter(|clause| !clause.is_empty());
            let clauses = clauses.map(clause).collect::<Result<_, _>>()?;
            forms.push((
                name,
                ChartForm {
                    clauses,
                    ..ChartForm::default()
                },
            ));
        }
        let mut at = 0;
        for (name, content) in table::at(table::FIELD, version) {
            let wrong = |why: String| format!("{name}: {why}");
            let (form, path) = name
                .split_once(':')
                .ok_or_else(|| wrong("no path".to_owned()))?;
            if forms.get(at).is_none_or(|(known, _)| *known != form) {
                let found = forms.iter().position(|(known, _)| *known == form);
                at = found.ok_or_else(|| wrong("no form".to_owned()))?;
            }
            forms[at].1.rows.push((path, content));
        }
        Ok(Self { forms })
    }

    fn get(&self, name: &str) -> Option<&ChartForm> {
        self.forms
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, form)| form)
    }

    /// The names of the forms that are files, not templates with a name.
    pub(super) fn files(&self) -> impl Iterator<Item = &'static str> {
        let names = self.forms.iter().map(|(name, _)| *name);
        names.filter(|name| name.contains('/') || *name == super::EXTRA)
    }
}

fn clause(written: &'static str) -> Result<Clause, String> {
    let (word, rest) = written.split_once(' ').unwrap_or((written, ""));
    let kind = match word {
        "if" => ClauseKind::If,
        "unless" => ClauseKind::Unless,
        "range" => ClauseKind::Each,
        _ => return Err(format!("{word} is no clause")),
    };
    Ok(Clause {
        kind,
        pipeline: LaterParsed::new(rest),
    })
}

fn field(path: &'static str, content: &'static str) -> Result<FormField, String> {
    let mut parts = content.split(SEPARATOR);
    // A path that occurs again has a number.
    let path = path.split('~').next().unwrap_or_default();
    let mut field = FormField {
        path: if matches!(path, "-" | "!") { "" } else { path },
        value: LaterParsed::new(parts.next().unwrap_or_default()),
        clauses: Vec::new(),
        key: None,
        is_text: false,
        is_refusal: path == "!",
    };
    for part in parts {
        match part.strip_prefix("key ") {
            Some(key) => field.key = Some(LaterParsed::new(key)),
            None if part == "text" => field.is_text = true,
            None => field.clauses.push(clause(part)?),
        }
    }
    Ok(field)
}

/// The steps of a path.
fn steps(written: &str) -> Vec<FormStep> {
    let step = |part: String| match part.as_str() {
        "[+" => FormStep::NewItem,
        "[" => FormStep::LastItem,
        "*" => FormStep::All,
        "<key>" => FormStep::GivenKey,
        _ => FormStep::Key(part),
    };
    path(written).into_iter().flatten().map(step).collect()
}

/// A release on its way through the forms of its version.
pub(super) struct FormRun<'r> {
    pub(super) forms: &'r ChartForms,
    /// The dot of templates.
    pub(super) root: Yielded,
    pub(super) budget: &'r ExpansionBudget,
    /// The place of what the chart sets by itself.
    pub(super) place: Span,
}

impl NamedTemplates for FormRun<'_> {
    fn include(&self, name: &str, argument: &Yielded) -> Executed<Yielded> {
        let form = self.forms.get(name).ok_or(NotKnown)?;
        let mut scope = self.scope(argument.clone());
        if !form.is_text() {
            let mut made = null(self.place);
            self.object(form, &mut scope, &mut made)?;
            prune(&mut made, self.place);
            let text = self.written(form, &mut self.scope(argument.clone()))?;
            return Ok(Yielded::written(made, &text));
        }
        let mut out = TextDraft::default();
        self.walk(&form.clauses, 0, &mut scope, &mut |scope| {
            self.fields(form.fields(), 0, scope, &mut |field, scope| {
                let before = out.text.len();
                let value = field.value.get(tree::parse);
                scope.execute(value, &mut out.text)?;
                if let ([TemplateNode::Action(pipeline)], true) =
                    (value.as_slice(), out.text.len() > before)
                {
                    out.note(scope.pipeline(pipeline)?.node.span, self.place);
                }
                Ok(())
            })
        })?;
        Ok(text(out.text, out.span.unwrap_or(self.place)).into())
    }
}

/// A text, with the place of the last part that has one.
#[derive(Default)]
struct TextDraft {
    text: String,
    span: Option<Span>,
}

impl TextDraft {
    fn note(&mut self, span: Span, place: Span) {
        if span != place {
            self.span = Some(span);
        }
    }
}

impl FormRun<'_> {
    fn scope(&self, dot: Yielded) -> ExecutionScope<'_> {
        ExecutionScope::new(dot, self, self.budget, self.place)
    }

    /// The objects of a form.
    pub(super) fn objects(&self, name: &str) -> Vec<Node> {
        let mut made = Vec::new();
        let Some(form) = self.forms.get(name) else {
            return made;
        };
        let mut scope = self.scope(self.root.clone());
        // What is not known of the values of one object does not stand in the way of the others.
        let _ = self.walk(&form.clauses, 0, &mut scope, &mut |scope| {
            let mut object = null(self.place);
            if self.body(form, scope, &mut object).is_ok() {
                prune(&mut object, self.place);
                settle_numbers(&mut object);
                made.push(object);
            }
            Ok(())
        });
        made
    }

    fn object(
        &self,
        form: &ChartForm,
        scope: &mut ExecutionScope<'_>,
        made: &mut Node,
    ) -> Executed<()> {
        self.walk(&form.clauses, 0, scope, &mut |scope| {
            self.body(form, scope, made)
        })
    }

    fn body(
        &self,
        form: &ChartForm,
        scope: &mut ExecutionScope<'_>,
        made: &mut Node,
    ) -> Executed<()> {
        scope.because = scope.item;
        self.fields(form.fields(), 0, scope, &mut |field, scope| {
            if !field.is_refusal {
                // What is not known of a field does not stand in the way of the others.
                let _ = self.put(field, scope, made);
            }
            Ok(())
        })
    }

    /// The text of a template with a name whose lines are fields or items: as it is written, nothing is sorted.
    fn written(&self, form: &ChartForm, scope: &mut ExecutionScope<'_>) -> Executed<String> {
        let mut out = String::new();
        self.walk(&form.clauses, 0, scope, &mut |scope| {
            self.fields(form.fields(), 0, scope, &mut |field, scope| {
                let mut value = String::new();
                scope.execute(field.value.get(tree::parse), &mut value)?;
                let start = match steps(field.path).as_slice() {
                    [FormStep::Key(key)] => format!("\n{key}: "),
                    [FormStep::All] => match value.starts_with('\n') {
                        true => String::new(),
                        false => "\n".to_owned(),
                    },
                    [FormStep::NewItem] => "\n- ".to_owned(),
                    [FormStep::LastItem, FormStep::Key(key)] => format!("{key}: "),
                    [FormStep::Key(_), FormStep::NewItem] => "\n  - ".to_owned(),
                    _ => return Err(NotKnown),
                };
                let is_item = start.ends_with("- ");
                out.push_str(&format!("{start}{value}"));
                if value.is_empty() && !is_item {
                    out.truncate(out.trim_end_matches(' ').len());
                }
                Ok(())
            })
        })?;
        Ok(out)
    }

    /// Goes through clauses, and runs what stands below them.
    fn walk<'s>(
        &self,
        clauses: &[Clause],
        at: usize,
        scope: &mut ExecutionScope<'s>,
        run: &mut dyn FnMut(&mut ExecutionScope<'s>) -> Executed<()>,
    ) -> Executed<()> {
        match clauses.get(at) {
            None => run(scope),
            Some(clause) => self.below(clause, scope, &mut |scope| {
                self.walk(clauses, at + 1, scope, run)
            }),
        }
    }

    /// Runs what stands below a clause, if it holds, or for each of its items.
    fn below<'s>(
        &self,
        clause: &Clause,
        scope: &mut ExecutionScope<'s>,
        run: &mut dyn FnMut(&mut ExecutionScope<'s>) -> Executed<()>,
    ) -> Executed<()> {
        let pipeline = clause.pipeline();
        match clause.kind {
            ClauseKind::If => {
                let value = scope.pipeline(pipeline)?;
                if value.is_set() {
                    let before = scope.because;
                    let is_value = is_value(pipeline) && value.node.span != self.place;
                    let own = is_value.then_some(value.node.span);
                    scope.because = own.or(before);
                    run(scope)?;
                    scope.because = before;
                }
            }
            ClauseKind::Unless => {
                if !scope.pipeline(pipeline)?.is_set() {
                    run(scope)?;
                }
            }
            ClauseKind::Each => {
                let bare = Pipeline {
                    variables: Vec::new(),
                    ..pipeline.clone()
                };
                let all = scope.pipeline(&bare)?;
                for (key, item) in items(&all.node) {
                    let mut inner = scope.clone();
                    let own = item.key.unwrap_or(item.node.span);
                    inner.item = Some(own).filter(|own| *own != self.place).or(scope.item);
                    inner.because = inner.item.or(scope.because);
                    inner.bind(&pipeline.variables, &key, &item);
                    run(&mut inner)?;
                }
            }
        }
        Ok(())
    }

    /// Goes through fields: those that follow one another below the same clause are asked for it once.
    fn fields<'s>(
        &self,
        fields: &[FormField],
        depth: usize,
        scope: &mut ExecutionScope<'s>,
        each: &mut dyn FnMut(&FormField, &mut ExecutionScope<'s>) -> Executed<()>,
    ) -> Executed<()> {
        let mut rest = fields;
        while let Some(first) = rest.first() {
            let Some(clause) = first.clauses.get(depth) else {
                each(first, scope)?;
                rest = &rest[1..];
                continue;
            };
            let is_below = |field: &&FormField| field.clauses.get(depth) == Some(clause);
            let length = rest.iter().take_while(is_below).count();
            let (group, others) = rest.split_at(length);
            self.below(clause, scope, &mut |scope| {
                self.fields(group, depth + 1, scope, each)
            })?;
            rest = others;
        }
        Ok(())
    }

    /// Puts what a field becomes into an object.
    fn put(
        &self,
        field: &FormField,
        scope: &mut ExecutionScope<'_>,
        made: &mut Node,
    ) -> Executed<()> {
        let mut given = Vec::new();
        if let Some(key) = &field.key {
            given.push(self.text(key.get(tree::parse), scope)?.node);
        }
        let value = match field.value.get(tree::parse).as_slice() {
            [TemplateNode::Action(pipeline)] => scope.pipeline(pipeline)?,
            value => self.text(value, scope)?,
        };
        let mut key = value.key;
        let mut node = match &value.node.data {
            _ if field.is_text => value.node,
            // The file is what the text is.
            Data::String(text) if made.is_null() && field.path == WHOLE && !value.is_yaml() => {
                self.documents(text, value.node.span)
            }
            _ => value.into_node(),
        };
        // What the chart sets because of a value stands where that value does, but for what the release says.
        let is_of_value = node.span == self.place && !field.path.ends_with("metadata.namespace");
        if let Some(span) = scope.because.filter(|_| is_of_value) {
            place(&mut node, span);
            key = key.or(scope.item);
        }
        put(
            made,
            &steps(field.path),
            &mut given,
            ValueDraft {
                node,
                key,
                place: self.place,
            },
        );
        Ok(())
    }

    /// The documents of a text of a template, as a list unless there is one.
    fn documents(&self, text: &str, span: Span) -> Node {
        let Some(mut documents) = embedded::documents(span.file, text) else {
            self.budget.note_unknown(span, None);
            return null(span);
        };
        if documents.iter().any(|document| document.as_str().is_some()) {
            self.budget.note_unknown(span, None);
        }
        documents
            .iter_mut()
            .for_each(|document| place(document, span));
        match documents.len() {
            1 => documents.remove(0),
            _ => list(documents, span),
        }
    }

    /// A text of several parts, at the place of the last of them that has one.
    fn text(&self, nodes: &[TemplateNode], scope: &mut ExecutionScope<'_>) -> Executed<Yielded> {
        let mut draft = TextDraft::default();
        let mut key = None;
        for node in nodes {
            if let TemplateNode::Action(pipeline) = node {
                let value = scope.pipeline(pipeline)?;
                draft.note(value.node.span, self.place);
                key = value.key.or(key);
            }
        }
        scope.execute(nodes, &mut draft.text)?;
        Ok(Yielded {
            key,
            ..text(draft.text, draft.span.unwrap_or(self.place)).into()
        })
    }
}

/// Returns whether a condition is a value, and nothing that is made of values.
fn is_value(condition: &Pipeline) -> bool {
    match condition.commands.as_slice() {
        [command] => matches!(command.as_slice(), [Operand::Fields(..)]),
        _ => false,
    }
}

/// A value on its way to its field.
struct ValueDraft {
    node: Node,
    key: Option<Span>,
    place: Span,
}

fn put(node: &mut Node, steps: &[FormStep], given: &mut Vec<Node>, value: ValueDraft) {
    let Some((step, rest)) = steps.split_first() else {
        // Of a key that stands there twice, the last one counts.
        *node = value.node;
        return;
    };
    let key = match step {
        FormStep::Key(key) => key.clone(),
        FormStep::GivenKey => given
            .pop()
            .and_then(|key| key.as_str().map(str::to_owned))
            .unwrap_or_default(),
        FormStep::All => return spread(node, value),
        // Without the item, what stands to its right is the list itself.
        FormStep::LastItem if node.items().is_empty() && matches!(rest, [FormStep::All]) => {
            return spread(node, value);
        }
        FormStep::NewItem | FormStep::LastItem => {
            if !node.is_list() {
                *node = list(Vec::new(), node.span);
            }
            let Data::Seq(items) = &mut node.data else {
                return;
            };
            if matches!(step, FormStep::NewItem) || items.is_empty() {
                items.push(null(value.place));
            }
            if let Some(item) = items.last_mut() {
                put(item, rest, given, value);
            }
            return;
        }
    };
    if !node.is_map() {
        *node = empty(node.span);
    }
    let place = value.place;
    let key_span = value
        .key
        .filter(|_| rest.is_empty() || matches!(rest, [FormStep::All]));
    if let Some(below) = edit::get_or_insert(node, &key, || null(place)) {
        put(below, rest, given, value);
    }
    if let (Some(span), Data::Map(entries)) = (key_span, &mut node.data)
        && let Some(entry) = entries.iter_mut().find(|entry| *entry.key == key)
    {
        entry.key_span = span;
    }
}

/// Adds all fields or items of a value.
fn spread(node: &mut Node, value: ValueDraft) {
    let all = value.node;
    match (&mut node.data, &all.data) {
        (Data::Map(_), Data::Map(_)) => {
            let span = node.span;
            merge(node, &all);
            node.span = span;
        }
        (Data::Seq(own), Data::Seq(items)) => own.extend(items.iter().cloned()),
        (Data::Null, _) => *node = all,
        // A list that stands as far left as the items of the field above continues it.
        (Data::Map(entries), Data::Seq(items)) => {
            if let Some(Data::Seq(own)) = entries.last_mut().map(|entry| &mut entry.value.data) {
                own.extend(items.iter().cloned());
            }
        }
        _ => {}
    }
}

/// Gives all integers the form that they have in a file.
fn settle_numbers(node: &mut Node) {
    if let Data::Uint(number) = node.data
        && let Ok(number) = i64::try_from(number)
    {
        node.data = Data::Int(number);
    }
    node.children_mut().for_each(settle_numbers);
}

/// Takes away the maps and lists of the chart that nothing is in.
fn prune(node: &mut Node, place: Span) {
    match &mut node.data {
        Data::Map(entries) => {
            entries
                .iter_mut()
                .for_each(|entry| prune(&mut entry.value, place));
            entries.retain(|entry| !entry.value.is_null());
        }
        Data::Seq(items) if node.span == place => {
            items.iter_mut().for_each(|item| prune(item, place))
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::stack::versions;

    #[test]
    fn the_rows_of_all_versions_are_read() {
        let clauses = table::FORM
            .iter()
            .flat_map(|row| row.value.split(SEPARATOR));
        for written in clauses.filter(|clause| !clause.is_empty()) {
            clause(written).unwrap().pipeline();
        }
        for row in table::FIELD {
            let (_, path) = row.name.split_once(':').unwrap();
            let field = field(path, row.value).unwrap();
            field.value.get(tree::parse);
            for clause in &field.clauses {
                clause.pipeline();
            }
            assert!(
                field.path.is_empty() || !steps(field.path).is_empty(),
                "{path}"
            );
        }
        for version in [versions::all().next(), versions::all().last()] {
            let forms = ChartForms::read(version.unwrap()).unwrap();
            assert!(forms.files().count() > 10, "{version:?}");
        }
    }
}
