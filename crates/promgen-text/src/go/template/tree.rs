//! The tree of a template, for those who execute it or read what it does.
//!
//! In: a text. Out: nodes, each with its pipelines. Which functions exist is not asked: [`check`](super::check) does.

use std::fmt;

use super::lex::{self, Keyword, TemplateItem};
use super::number;
use crate::go::quote::quote;
use crate::go::unquote::unquote;

/// The maximum nesting of blocks and parentheses.
const MAX_DEPTH: usize = 100;

/// A part of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TemplateNode {
    /// Text, without the blanks that actions trim.
    Text(String),
    /// An action that prints, declares a variable or sets one.
    Action(Pipeline),
    /// `if`, `with` or `range`.
    Block(Box<BlockNode>),
    /// `template`: the name, and the argument.
    Call(String, Option<Pipeline>),
    /// `define`: the name, and the body.
    Define(String, Vec<Self>),
    /// `break`, which leaves a loop.
    Break,
    /// `continue`, which leaves an item of a loop.
    Continue,
}

/// A block with a condition or a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockNode {
    /// What it does.
    pub kind: BlockKind,
    /// Its condition or list.
    pub pipeline: Pipeline,
    /// What is executed if the condition holds, or for each item.
    pub body: Vec<TemplateNode>,
    /// What is executed otherwise.
    pub otherwise: Vec<TemplateNode>,
}

/// What a block does with its pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// A condition.
    If,
    /// A condition whose value is the dot of the body.
    With,
    /// A list or map, with each item as the dot of the body.
    Range,
}

/// Commands, each with the value of the one before it as last argument.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pipeline {
    /// The variables that it sets, each with its `$`.
    pub variables: Vec<String>,
    /// Whether it declares them.
    pub declares: bool,
    /// The commands.
    pub commands: Vec<Vec<Operand>>,
}

/// A word of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operand {
    /// A function.
    Function(String),
    /// The value that the fields are of, with their names.
    Fields(FieldSource, Vec<String>),
    /// A text.
    Text(String),
    /// An integer.
    Number(i64),
    /// A number with a point or an exponent, as it is written.
    Decimal(String),
    /// `true` or `false`.
    Bool(bool),
    /// `nil`.
    Nil,
}

/// What fields are fields of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldSource {
    /// `.`
    Dot,
    /// A variable, with its `$`.
    Variable(String),
    /// A pipeline in parentheses.
    Pipeline(Box<Pipeline>),
}

/// Parses a template.
///
/// ```
/// use promgen_text::go::template::tree::{TemplateNode, parse};
///
/// let nodes = parse("a {{- if .x }}b{{ end }}").unwrap();
/// assert_eq!(nodes[0], TemplateNode::Text("a".to_owned()));
/// let TemplateNode::Block(block) = &nodes[1] else { panic!() };
/// assert_eq!(block.pipeline.to_string(), ".x");
/// ```
///
/// # Errors
/// The first fault.
pub fn parse(text: &str) -> Result<Vec<TemplateNode>, String> {
    let inner = text
        .strip_prefix("{{ ")
        .and_then(|rest| rest.strip_suffix(" }}"));
    if let Some(pipeline) = inner.and_then(fields_of_dot) {
        return Ok(vec![TemplateNode::Action(pipeline)]);
    }
    let mut parser = TreeParser {
        items: lex::items(text)?,
        at: 0,
        depth: 0,
    };
    let (nodes, end) = parser.nodes()?;
    match end {
        ListEnd::Text => Ok(nodes),
        _ => Err("unexpected {{end}}".to_owned()),
    }
}

/// Parses the pipeline of an action.
///
/// # Errors
/// The first fault.
pub fn pipeline(text: &str) -> Result<Pipeline, String> {
    let mut nodes = parse(&format!("{{{{ {text} }}}}"))?;
    match (nodes.pop(), nodes.is_empty()) {
        (Some(TemplateNode::Action(pipeline)), true) => Ok(pipeline),
        _ => Err(format!("{text:?} is no pipeline")),
    }
}

/// The pipeline `.a.b`: most are such, and take no lexer.
fn fields_of_dot(text: &str) -> Option<Pipeline> {
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    };
    let fields = text.strip_prefix('.')?.split('.');
    let fields = fields.map(|name| is_name(name).then(|| name.to_owned()));
    Some(Pipeline {
        variables: Vec::new(),
        declares: false,
        commands: vec![vec![Operand::Fields(
            FieldSource::Dot,
            fields.collect::<Option<_>>()?,
        )]],
    })
}

/// What ends a list of nodes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ListEnd {
    Text,
    /// `{{ else`, the rest of the action unread.
    Else,
    End,
}

struct TreeParser<'t> {
    items: Vec<TemplateItem<'t>>,
    at: usize,
    depth: usize,
}

impl<'t> TreeParser<'t> {
    fn peek(&self) -> Option<TemplateItem<'t>> {
        self.items.get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while self.peek() == Some(TemplateItem::Space) {
            self.at += 1;
        }
    }

    fn next(&mut self) -> Option<TemplateItem<'t>> {
        self.skip_space();
        let item = self.peek();
        self.at += 1;
        item
    }

    fn expect(&mut self, wanted: TemplateItem<'_>) -> Result<(), String> {
        match self.next() {
            Some(item) if item == wanted => Ok(()),
            _ => Err("unexpected token".to_owned()),
        }
    }

    fn deeper<T>(&mut self, run: impl FnOnce(&mut Self) -> Result<T, String>) -> Result<T, String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("nested too deeply".to_owned());
        }
        let result = run(self);
        self.depth -= 1;
        result
    }

    fn nodes(&mut self) -> Result<(Vec<TemplateNode>, ListEnd), String> {
        let mut nodes = Vec::new();
        while let Some(item) = self.peek() {
            self.at += 1;
            if let TemplateItem::Text(text) = item {
                nodes.push(TemplateNode::Text(text.to_owned()));
                continue;
            }
            self.skip_space();
            let Some(TemplateItem::Keyword(keyword)) = self.peek() else {
                nodes.push(TemplateNode::Action(self.pipeline()?));
                self.expect(TemplateItem::Close)?;
                continue;
            };
            self.at += 1;
            match keyword {
                Keyword::Else => return Ok((nodes, ListEnd::Else)),
                Keyword::End => {
                    self.expect(TemplateItem::Close)?;
                    return Ok((nodes, ListEnd::End));
                }
                keyword => {
                    let node = self.deeper(|parser| parser.keyword(keyword))?;
                    nodes.push(node);
                }
            }
        }
        Ok((nodes, ListEnd::Text))
    }

    fn keyword(&mut self, keyword: Keyword) -> Result<TemplateNode, String> {
        match keyword {
            Keyword::If => self.block(BlockKind::If),
            Keyword::With => self.block(BlockKind::With),
            Keyword::Range => self.block(BlockKind::Range),
            Keyword::Define => {
                let name = self.name()?;
                self.expect(TemplateItem::Close)?;
                match self.nodes()? {
                    (body, ListEnd::End) => Ok(TemplateNode::Define(name, body)),
                    _ => Err("unexpected EOF".to_owned()),
                }
            }
            Keyword::Template => {
                let name = self.name()?;
                self.skip_space();
                let is_bare = self.peek() == Some(TemplateItem::Close);
                let argument = if is_bare {
                    None
                } else {
                    Some(self.pipeline()?)
                };
                self.expect(TemplateItem::Close)?;
                Ok(TemplateNode::Call(name, argument))
            }
            Keyword::Break => {
                self.expect(TemplateItem::Close)?;
                Ok(TemplateNode::Break)
            }
            Keyword::Continue => {
                self.expect(TemplateItem::Close)?;
                Ok(TemplateNode::Continue)
            }
            _ => Err("unexpected keyword".to_owned()),
        }
    }

    fn name(&mut self) -> Result<String, String> {
        match self.next() {
            Some(TemplateItem::Quoted(text)) => literal(text),
            _ => Err("a template without a name".to_owned()),
        }
    }

    fn block(&mut self, kind: BlockKind) -> Result<TemplateNode, String> {
        let pipeline = self.pipeline()?;
        self.expect(TemplateItem::Close)?;
        let (body, end) = self.nodes()?;
        let otherwise = match end {
            ListEnd::Text => return Err("unexpected EOF".to_owned()),
            ListEnd::End => Vec::new(),
            ListEnd::Else => self.otherwise()?,
        };
        Ok(TemplateNode::Block(Box::new(BlockNode {
            kind,
            pipeline,
            body,
            otherwise,
        })))
    }

    /// What stands behind `else`, up to the end of the block. An `else if` is closed by the same `end`.
    fn otherwise(&mut self) -> Result<Vec<TemplateNode>, String> {
        let kind = match self.next() {
            Some(TemplateItem::Close) => None,
            Some(TemplateItem::Keyword(Keyword::If)) => Some(BlockKind::If),
            Some(TemplateItem::Keyword(Keyword::With)) => Some(BlockKind::With),
            _ => return Err("unexpected token behind else".to_owned()),
        };
        match kind {
            Some(kind) => Ok(vec![self.deeper(|parser| parser.block(kind))?]),
            None => match self.nodes()? {
                (nodes, ListEnd::End) => Ok(nodes),
                _ => Err("unexpected {{else}}".to_owned()),
            },
        }
    }

    fn pipeline(&mut self) -> Result<Pipeline, String> {
        let mut pipeline = Pipeline::default();
        self.variables(&mut pipeline)?;
        loop {
            let mut command = Vec::new();
            while let Some(operand) = self.operand()? {
                command.push(operand);
            }
            if command.is_empty() {
                return Err("missing value for command".to_owned());
            }
            pipeline.commands.push(command);
            self.skip_space();
            if self.peek() != Some(TemplateItem::Pipe) {
                return Ok(pipeline);
            }
            self.at += 1;
        }
    }

    /// Reads `$a :=`, `$a, $b :=` or `$a =`.
    fn variables(&mut self, pipeline: &mut Pipeline) -> Result<(), String> {
        let start = self.at;
        let mut variables = Vec::new();
        while let Some(TemplateItem::Variable(name)) = self.next() {
            variables.push(name.to_owned());
            match self.next() {
                Some(TemplateItem::Other(',')) => {}
                Some(sign @ (TemplateItem::Declare | TemplateItem::Assign)) => {
                    pipeline.declares = sign == TemplateItem::Declare;
                    pipeline.variables = variables;
                    return Ok(());
                }
                _ => break,
            }
        }
        self.at = start;
        Ok(())
    }

    /// The next word of a command, with its fields.
    fn operand(&mut self) -> Result<Option<Operand>, String> {
        self.skip_space();
        let Some(item) = self.peek() else {
            return Err("unclosed action".to_owned());
        };
        self.at += 1;
        let source = match item {
            TemplateItem::Word(name) => return Ok(Some(Operand::Function(name.to_owned()))),
            TemplateItem::Quoted(text) => return Ok(Some(Operand::Text(literal(text)?))),
            TemplateItem::Bool(value) => return Ok(Some(Operand::Bool(value))),
            TemplateItem::Nil => return Ok(Some(Operand::Nil)),
            TemplateItem::Number(text) => {
                return number(text).map(Some);
            }
            TemplateItem::Dot => FieldSource::Dot,
            TemplateItem::Field(name) => {
                let fields = self.fields(vec![name[1..].to_owned()]);
                return Ok(Some(Operand::Fields(FieldSource::Dot, fields)));
            }
            TemplateItem::Variable(name) => FieldSource::Variable(name.to_owned()),
            TemplateItem::LeftParen => {
                let inner = self.deeper(Self::pipeline)?;
                self.expect(TemplateItem::RightParen)?;
                FieldSource::Pipeline(Box::new(inner))
            }
            TemplateItem::Close | TemplateItem::RightParen | TemplateItem::Pipe => {
                self.at -= 1;
                return Ok(None);
            }
            _ => return Err("unexpected token in command".to_owned()),
        };
        let fields = self.fields(Vec::new());
        Ok(Some(Operand::Fields(source, fields)))
    }

    /// The fields that follow without a blank.
    fn fields(&mut self, mut fields: Vec<String>) -> Vec<String> {
        while let Some(TemplateItem::Field(name)) = self.peek() {
            self.at += 1;
            fields.push(name[1..].to_owned());
        }
        fields
    }
}

/// A number. Characters and complex numbers are refused.
fn number(text: &str) -> Result<Operand, String> {
    if let Some(whole) = number::integer(text) {
        return Ok(Operand::Number(whole));
    }
    let plain = text.replace('_', "");
    // What looks like an integer and is none is too large.
    let is_decimal = plain.contains(['.', 'e', 'E']);
    match plain.parse::<f64>() {
        Ok(value) if value.is_finite() && is_decimal => Ok(Operand::Decimal(plain)),
        _ => Err(format!("{text} is no number that is read here")),
    }
}

/// The text that a quoted one stands for.
pub(super) fn literal(quoted: &str) -> Result<String, String> {
    unquote(quoted)
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .ok_or_else(|| format!("invalid syntax: {quoted}"))
}

impl fmt::Display for Pipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.variables.is_empty() {
            let sign = if self.declares { ":=" } else { "=" };
            write!(f, "{} {sign} ", self.variables.join(", "))?;
        }
        for (at, command) in self.commands.iter().enumerate() {
            f.write_str(if at == 0 { "" } else { " | " })?;
            for (at, operand) in command.iter().enumerate() {
                f.write_str(if at == 0 { "" } else { " " })?;
                operand.fmt(f)?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Function(name) => f.write_str(name),
            Self::Text(text) => f.write_str(&quote(text)),
            Self::Decimal(number) => f.write_str(number),
            Self::Number(number) => number.fmt(f),
            Self::Bool(value) => value.fmt(f),
            Self::Nil => f.write_str("nil"),
            Self::Fields(source, fields) => {
                match source {
                    FieldSource::Dot if fields.is_empty() => f.write_str(".")?,
                    FieldSource::Dot => {}
                    FieldSource::Variable(name) => f.write_str(name)?,
                    FieldSource::Pipeline(inner) => write!(f, "({inner})")?,
                }
                fields.iter().try_for_each(|field| write!(f, ".{field}"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_the_same_without_the_lexer() {
        for fields in [".a", ".Values.a_1.b", "._x"] {
            let read = parse(&format!("{{{{  {fields} }}}}"));
            assert_eq!(parse(&format!("{{{{ {fields} }}}}")), read, "{fields}");
            let Ok([TemplateNode::Action(action)]) = read.as_deref() else {
                panic!("{fields}");
            };
            assert_eq!(pipeline(fields).as_ref(), Ok(action), "{fields}");
        }
        for other in [
            ".",
            "..a",
            ".a..b",
            ".a b",
            ".1",
            ".a | b",
            ".a }}{{ .b",
            "$.a",
            ".a-b",
        ] {
            assert_eq!(fields_of_dot(other), None, "{other}");
        }
    }

    #[test]
    fn numbers_are_read_as_go_reads_them() {
        for (written, expected) in [
            ("7", Operand::Number(7)),
            ("-7", Operand::Number(-7)),
            ("1_000", Operand::Number(1000)),
            ("0x1F", Operand::Number(31)),
            ("0b11", Operand::Number(3)),
            ("010", Operand::Number(8)),
            ("0", Operand::Number(0)),
            ("1.5", Operand::Decimal("1.5".to_owned())),
            ("1e3", Operand::Decimal("1e3".to_owned())),
        ] {
            let read = pipeline(written).unwrap();
            assert_eq!(read.commands, [[expected]], "{written}");
        }
        for refused in ["1+2i", "99999999999999999999", "0x1p-2"] {
            assert!(pipeline(refused).is_err(), "{refused}");
        }
    }

    #[test]
    fn break_and_continue_are_two_nodes() {
        let nodes = parse("{{ range .x }}{{ break }}{{ continue }}{{ end }}").unwrap();
        let [TemplateNode::Block(block)] = nodes.as_slice() else {
            panic!("{nodes:?}")
        };
        assert_eq!(block.body, [TemplateNode::Break, TemplateNode::Continue]);
    }
}
