//! From a template to rows: which value becomes which field of an object, and under which conditions.
//!
//! A template is read line by line, as YAML is: its indentation says which field a line is of. What a row cannot say is counted.

use promgen_text::go::template::tree::{
    BlockKind, BlockNode, FieldSource, Operand, Pipeline, TemplateNode,
};

use super::symbols::{Symbols, as_operand};

/// A line break in the value of a row, which is one line.
const LINE_BREAK: &str = "{{ \"\\n\" }}";

/// A field of an object, or a part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FormRow {
    /// The steps to the field; `[+]` is a new item of a list, `[]` the last one, `*` all fields of the value.
    pub(super) path: String,
    /// What it becomes: text with actions. Empty: a map or list, or null if nothing is in it.
    pub(super) value: String,
    /// The conditions and loops around it, from outside.
    pub(super) clauses: Vec<String>,
}

/// What a template makes, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct FormRows {
    pub(super) rows: Vec<FormRow>,
    /// What only shows which values are read.
    pub(super) beside: Vec<FormRow>,
    /// What is not said by a row: the lines, as far as they are known.
    pub(super) unknown: Vec<String>,
}

/// The rows of a template that makes objects, one list for each document.
pub(super) fn of_template(nodes: &[TemplateNode]) -> Vec<FormRows> {
    let mut reader = FormReader::new(false);
    reader.nodes(nodes);
    reader.flush();
    reader.documents.push(reader.found);
    reader.documents.retain(|form| !form.rows.is_empty());
    reader.documents
}

/// The rows of a template with a name, which makes a text or a part of an object.
pub(super) fn of_definition(nodes: &[TemplateNode]) -> FormRows {
    let mut reader = FormReader::new(!has_keys(nodes));
    reader.nodes(nodes);
    reader.flush();
    reader.found
}

/// Returns whether lines of a template are keys.
fn has_keys(nodes: &[TemplateNode]) -> bool {
    nodes.iter().any(|node| match node {
        TemplateNode::Text(text) => text.lines().any(|line| {
            let key = line.trim_start().split(':').next().unwrap_or_default();
            let is_name = |c: char| c.is_ascii_alphanumeric() || "._/-".contains(c);
            let rest = line.trim_start().strip_prefix(key).unwrap_or_default();
            !key.is_empty()
                && key.trim_start_matches("- ").chars().all(is_name)
                && (rest == ":" || rest.starts_with(": "))
        }),
        TemplateNode::Block(block) => has_keys(&block.body) || has_keys(&block.otherwise),
        _ => false,
    })
}

/// A part of a line.
#[derive(Clone, Debug)]
enum Piece {
    Text(String),
    Action(Pipeline),
    /// A condition within the line.
    Either(Pipeline, Vec<Self>, Vec<Self>),
}

/// A key or an item that later lines may be in.
struct OpenField {
    indent: usize,
    path: String,
    is_item: bool,
}

/// A text of several lines that is being read.
struct OpenText {
    indent: usize,
    row: FormRow,
    /// A line break ends it.
    is_whole: bool,
    /// The lines, each with its indentation.
    lines: Vec<(usize, String)>,
}

struct FormReader {
    symbols: Symbols,
    clauses: Vec<String>,
    /// The lists of the loops around, each with what stands for an item.
    lists: Vec<(Operand, Operand)>,
    line: Vec<Piece>,
    /// The clauses of the line.
    of_line: Vec<String>,
    open: Vec<OpenField>,
    text: Option<OpenText>,
    /// It makes a text: there are no fields.
    is_text: bool,
    found: FormRows,
    documents: Vec<FormRows>,
}

impl FormReader {
    fn new(is_text: bool) -> Self {
        Self {
            symbols: Symbols::new(),
            clauses: Vec::new(),
            lists: Vec::new(),
            line: Vec::new(),
            of_line: Vec::new(),
            open: Vec::new(),
            text: None,
            is_text,
            found: FormRows::default(),
            documents: Vec::new(),
        }
    }

    fn nodes(&mut self, nodes: &[TemplateNode]) {
        for node in nodes {
            match node {
                TemplateNode::Text(text) => self.text(text),
                TemplateNode::Action(pipeline) => self.action(pipeline),
                TemplateNode::Call(name, argument) => {
                    let argument = argument.clone().map_or(Operand::Nil, as_operand);
                    let words = vec![
                        Operand::Function("include".to_owned()),
                        Operand::Text(name.clone()),
                        argument,
                    ];
                    self.action(&Pipeline {
                        commands: vec![words],
                        ..Pipeline::default()
                    });
                }
                TemplateNode::Block(block) => self.block(block),
                TemplateNode::Define(..) => {}
                TemplateNode::Break | TemplateNode::Continue => {
                    self.note("break or continue".to_owned())
                }
            }
        }
    }

    fn note(&mut self, what: String) {
        self.found.unknown.push(what);
    }

    fn add(&mut self, piece: Piece) {
        if self.line.is_empty() {
            self.of_line.clone_from(&self.clauses);
        } else if self.of_line != self.clauses {
            let value = shown(std::slice::from_ref(&piece));
            self.note(format!("a line under two conditions: {value}"));
            self.found.beside.push(FormRow {
                path: String::new(),
                value,
                clauses: self.clauses.clone(),
            });
        }
        self.line.push(piece);
    }

    fn text(&mut self, text: &str) {
        if self.is_text {
            return self.part(text_of(text));
        }
        for (at, part) in text.split('\n').enumerate() {
            if at > 0 {
                self.flush();
            }
            if !part.is_empty() && (!part.trim().is_empty() || self.line.is_empty()) {
                self.add(Piece::Text(part.to_owned()));
            }
        }
    }

    /// A part of a text.
    fn part(&mut self, value: String) {
        self.found.rows.push(FormRow {
            path: String::new(),
            value,
            clauses: self.clauses.clone(),
        });
    }

    fn action(&mut self, pipeline: &Pipeline) {
        if !pipeline.variables.is_empty() {
            if let (Some(list), false) = (self.lists.last(), pipeline.declares) {
                let gathered = self.symbols.gathered(pipeline, list);
                if gathered.is_none() {
                    self.note(format!(
                        "a loop that sets {}",
                        pipeline.variables.join(", ")
                    ));
                }
                return self.symbols.set(&pipeline.variables, gathered);
            }
            if !self.symbols.assign(pipeline) {
                self.note(format!("no such variable: {pipeline}"));
            }
            return;
        }
        let mut closed = self.symbols.close(pipeline);
        if matches!(closed.commands[0].first(), Some(Operand::Function(name)) if name == "fail") {
            return self.found.rows.push(FormRow {
                path: "!".to_owned(),
                value: format!("{{{{ {closed} }}}}"),
                clauses: self.clauses.clone(),
            });
        }
        if self.is_text {
            return self.part(format!("{{{{ {closed} }}}}"));
        }
        let indent = take_indent(&mut closed);
        let is_blank = |piece: &Piece| matches!(piece, Piece::Text(text) if text.trim().is_empty());
        let is_blank = self.line.iter().all(is_blank);
        match indent {
            // A text that is moved to the right behind another one begins with a line break.
            Some((indent, is_new_line)) if is_new_line || !is_blank => {
                self.flush();
                return self.insert(indent, &closed);
            }
            None if !is_blank || self.text.is_some() => return self.add(Piece::Action(closed)),
            _ => {}
        }
        let before: usize = self
            .line
            .iter()
            .map(|piece| match piece {
                Piece::Text(text) => text.len(),
                _ => 0,
            })
            .sum();
        match indent {
            Some((indent, _)) => {
                self.line.clear();
                self.insert(before + indent, &closed);
            }
            // An action alone on its line is all fields of a value, unless a key follows.
            None => self.add(Piece::Action(closed)),
        }
    }

    /// Adds all fields of a value at that indentation.
    fn insert(&mut self, indent: usize, pipeline: &Pipeline) {
        let clauses = self.clauses.clone();
        if let Some(text) = self.text.as_mut().filter(|text| indent > text.indent) {
            text.lines.push((indent, format!("{{{{ {pipeline} }}}}")));
            return;
        }
        self.end_text();
        // A list may stand as far left as the key that it is the value of.
        let last = self.found.rows.last().filter(|row| row.value.is_empty());
        self.open.retain(|field| {
            field.indent < indent
                || field.indent == indent && last.is_some_and(|row| row.path == field.path)
        });
        let above = self.open.last().map(|field| field.path.clone());
        let path = above.map_or_else(|| "*".to_owned(), |above| format!("{above}.*"));
        self.found.rows.push(FormRow {
            path,
            value: format!("{{{{ {pipeline} }}}}"),
            clauses,
        });
    }

    fn block(&mut self, block: &BlockNode) {
        let is_inline =
            !self.is_text && !has_line_break(&block.body) && !has_line_break(&block.otherwise);
        if is_inline
            && (!self.line.is_empty() || self.text.is_some())
            && block.kind != BlockKind::Range
        {
            return self.within(block);
        }
        let len = self.symbols.len();
        let (inner, clause) = self.symbols.enter(block, self.lists.len());
        let inner_item = inner.dot();
        let condition = self.symbols.close(&block.pipeline);
        let before = std::mem::replace(&mut self.symbols, inner);
        let is_loop = block.kind == BlockKind::Range;
        if is_loop {
            self.lists.push((inner_item, as_operand(condition.clone())));
        }
        self.clauses.push(clause);
        self.nodes(&block.body);
        self.end_branch();
        self.clauses.pop();
        if is_loop {
            self.lists.pop();
        }
        let held = std::mem::replace(&mut self.symbols, before.clone());
        self.clauses.push(format!("unless {condition}"));
        self.nodes(&block.otherwise);
        self.end_branch();
        self.clauses.pop();
        let other = std::mem::replace(&mut self.symbols, before);
        if is_loop {
            // What the body gathers of all items is there behind the loop.
            return self.symbols.keep(&held, len);
        }
        self.symbols.join(&condition, &held, &other, len);
    }

    /// Ends the line of a branch: what follows is in another one.
    fn end_branch(&mut self) {
        if !self.is_text && self.of_line == self.clauses {
            self.flush();
        }
    }

    /// A condition within a line.
    fn within(&mut self, block: &BlockNode) {
        let len = self.symbols.len();
        let (inner, _) = self.symbols.enter(block, self.lists.len());
        let condition = self.symbols.close(&block.pipeline);
        let before = std::mem::replace(&mut self.symbols, inner);
        let yes = self.pieces(&block.body);
        let held = std::mem::replace(&mut self.symbols, before.clone());
        let no = self.pieces(&block.otherwise);
        let other = std::mem::replace(&mut self.symbols, before);
        self.symbols.join(&condition, &held, &other, len);
        if !yes.is_empty() || !no.is_empty() {
            self.add(Piece::Either(condition, yes, no));
        }
    }

    fn pieces(&mut self, nodes: &[TemplateNode]) -> Vec<Piece> {
        let line = std::mem::take(&mut self.line);
        let of_line = std::mem::replace(&mut self.of_line, self.clauses.clone());
        // Something stands before: the pieces are not the beginning of a line.
        self.line.push(Piece::Text("-".to_owned()));
        self.nodes(nodes);
        let mut pieces = std::mem::replace(&mut self.line, line);
        self.of_line = of_line;
        pieces.remove(0);
        pieces
    }

    /// Ends a line.
    fn flush(&mut self) {
        if self.is_text {
            return;
        }
        let mut line = std::mem::take(&mut self.line);
        let indent = match line.first_mut() {
            Some(Piece::Text(text)) => {
                let rest = text.trim_start().to_owned();
                let indent = text.len() - rest.len();
                *text = rest;
                indent
            }
            _ => 0,
        };
        line.retain(|piece| !matches!(piece, Piece::Text(text) if text.is_empty()));
        if line.is_empty() {
            return;
        }
        if let Some(text) = self.text.as_mut().filter(|text| indent > text.indent) {
            text.lines.push((indent, shown(&line)));
            return;
        }
        self.end_text();
        match line.first() {
            Some(Piece::Text(text)) if text.starts_with('#') => {}
            Some(Piece::Text(text)) if text.trim_end() == "---" => {
                self.open.clear();
                self.documents.push(std::mem::take(&mut self.found));
            }
            _ => self.field(indent, line),
        }
    }

    fn end_text(&mut self) {
        let Some(mut text) = self.text.take() else {
            return;
        };
        let least = text
            .lines
            .iter()
            .map(|(indent, _)| *indent)
            .min()
            .unwrap_or_default();
        let line = |(indent, line): &(usize, String)| " ".repeat(indent - least) + line;
        text.row.value = text
            .lines
            .iter()
            .map(line)
            .collect::<Vec<_>>()
            .join(LINE_BREAK);
        if text.is_whole {
            text.row.value.push_str(LINE_BREAK);
        }
        text.row.clauses.push("text".to_owned());
        self.found.rows.push(text.row);
    }

    /// A line with a key or an item, or both.
    fn field(&mut self, mut indent: usize, mut line: Vec<Piece>) {
        let clauses = self.of_line.clone();
        while let Some(rest) = after_dash(&line) {
            // A list may stand as far left as the key that it is the value of.
            self.open
                .retain(|field| field.indent < indent || field.indent == indent && !field.is_item);
            let above = self.open.last().map_or("", |field| field.path.as_str());
            let path = format!("{above}[+]");
            let item = format!("{above}[]");
            if has_key(&rest) || rest.is_empty() {
                self.found.rows.push(FormRow {
                    path,
                    value: String::new(),
                    clauses: clauses.clone(),
                });
            } else {
                return self.found.rows.push(FormRow {
                    path,
                    value: shown(&rest),
                    clauses,
                });
            }
            self.open.push(OpenField {
                indent,
                path: item,
                is_item: true,
            });
            indent += 2;
            line = rest;
        }
        if line.is_empty() {
            return;
        }
        self.open.retain(|field| field.indent < indent);
        let above = self.open.last().map_or("", |field| field.path.as_str());
        let Some((key, value)) = split_key(&line) else {
            let mut path = format!("{above}.*");
            if above.is_empty() {
                path = "*".to_owned();
            }
            if line.len() > 1 || matches!(line[0], Piece::Text(_)) {
                self.note(format!("a line without a key: {}", shown(&line)));
            }
            return self.found.rows.push(FormRow {
                path,
                value: shown(&line),
                clauses,
            });
        };
        let mut clauses = clauses;
        let step = match key.as_slice() {
            [Piece::Text(text)] => text.trim_matches(['"', '\'']).replace('.', "\\."),
            key => {
                clauses.push(format!("key {}", shown(key)));
                "<key>".to_owned()
            }
        };
        let path = if above.is_empty() {
            step
        } else {
            format!("{above}.{step}")
        };
        self.open.push(OpenField {
            indent,
            path: path.clone(),
            is_item: false,
        });
        let value = shown(&value);
        let row = FormRow {
            path,
            value,
            clauses,
        };
        match row.value.as_str() {
            "|" | "|-" | ">" | ">-" | "|+" => {
                self.text = Some(OpenText {
                    indent,
                    is_whole: !row.value.ends_with('-'),
                    row,
                    lines: Vec::new(),
                });
            }
            _ => self.found.rows.push(row),
        }
    }
}

/// What stands behind `- `.
fn after_dash(line: &[Piece]) -> Option<Vec<Piece>> {
    let (Piece::Text(first), rest) = line.split_first()? else {
        return None;
    };
    let text = if first.trim_end() == "-" && rest.is_empty() {
        ""
    } else {
        first.strip_prefix("- ")?.trim_start()
    };
    let mut line = rest.to_vec();
    if !text.is_empty() {
        line.insert(0, Piece::Text(text.to_owned()));
    }
    Some(line)
}

fn has_key(line: &[Piece]) -> bool {
    split_key(line).is_some() || after_dash(line).is_some()
}

/// The key of a line, and its value.
fn split_key(line: &[Piece]) -> Option<(Vec<Piece>, Vec<Piece>)> {
    for (at, piece) in line.iter().enumerate() {
        let Piece::Text(text) = piece else { continue };
        if at == 0 && text.starts_with(['{', '[', '|', '>']) {
            return None;
        }
        // A quoted text is no key unless the colon follows the quotes.
        let from = match text
            .chars()
            .next()
            .filter(|c| at == 0 && matches!(c, '"' | '\''))
        {
            Some(quote) => text[1..].find(quote)? + 2,
            None => 0,
        };
        let is_last = at + 1 == line.len();
        let ends = |colon: usize| {
            let rest = &text[colon + 1..];
            rest.starts_with(' ') || rest.is_empty() && is_last
        };
        let Some(colon) = text
            .match_indices(':')
            .map(|(at, _)| at)
            .find(|at| *at >= from && ends(*at))
        else {
            continue;
        };
        let mut key = line[..at].to_vec();
        if colon > 0 {
            key.push(Piece::Text(text[..colon].to_owned()));
        }
        let mut value = line[at + 1..].to_vec();
        let rest = text[colon + 1..].trim_start();
        if !rest.is_empty() {
            value.insert(0, Piece::Text(rest.to_owned()));
        }
        return Some((key, value));
    }
    None
}

/// A text of a template in one line.
fn text_of(text: &str) -> String {
    text.replace("{{", "{{ \"{{\" }}").replace('\n', LINE_BREAK)
}

/// Pieces as text with actions.
fn shown(line: &[Piece]) -> String {
    let mut out = String::new();
    for piece in line {
        match piece {
            Piece::Text(text) => out.push_str(text),
            Piece::Action(pipeline) => out.push_str(&format!("{{{{ {pipeline} }}}}")),
            Piece::Either(condition, yes, no) => {
                out.push_str(&format!("{{{{ if {condition} }}}}{}", shown(yes)));
                if !no.is_empty() {
                    out.push_str(&format!("{{{{ else }}}}{}", shown(no)));
                }
                out.push_str("{{ end }}");
            }
        }
    }
    out.trim_end().to_owned()
}

fn has_line_break(nodes: &[TemplateNode]) -> bool {
    nodes.iter().any(|node| match node {
        TemplateNode::Text(text) => text.contains('\n'),
        TemplateNode::Block(block) => {
            has_line_break(&block.body) || has_line_break(&block.otherwise)
        }
        TemplateNode::Action(pipeline) => {
            matches!(take_indent(&mut pipeline.clone()), Some((_, true)))
        }
        _ => false,
    })
}

/// Takes `indent N` and `nindent N` out of a pipeline: the number, and whether a new line begins.
fn take_indent(pipeline: &mut Pipeline) -> Option<(usize, bool)> {
    let mut found = None;
    let mut commands = Vec::new();
    for mut command in std::mem::take(&mut pipeline.commands) {
        for operand in &mut command {
            if let Operand::Fields(FieldSource::Pipeline(inner), fields) = operand
                && fields.is_empty()
            {
                found = take_indent(inner).or(found);
            }
        }
        let own = match command.as_slice() {
            [Operand::Function(name), Operand::Number(n), ..] => indent_of(name, *n),
            _ => None,
        };
        if own.is_some() {
            found = own;
            command.drain(..2);
        }
        match command.as_slice() {
            [] => {}
            [Operand::Fields(FieldSource::Pipeline(inner), fields)] if fields.is_empty() => {
                commands.extend(inner.commands.clone());
            }
            _ => commands.push(command),
        }
    }
    pipeline.commands = commands;
    found
}

fn indent_of(name: &str, n: i64) -> Option<(usize, bool)> {
    let n = usize::try_from(n).unwrap_or_default();
    match name {
        "indent" => Some((n, false)),
        "nindent" => Some((n, true)),
        _ => None,
    }
}
