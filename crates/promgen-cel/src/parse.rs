//! Reads expressions: from words to the syntax tree.

mod calls;

use crate::arithmetic::CelOperator;
use crate::fault::{CelFault, CelSpan};
use crate::token::{self, CelToken, CelWord};
use crate::tree::{CelConstant, CelKind, CelName, CelNode};

/// The longest expression, in bytes.
pub(crate) const MAX_BYTES: usize = 4_096;

/// How deep expressions are in each other at most, in brackets and the like: each level takes stack.
const MAX_DEPTH: usize = 64;

/// The height of the syntax tree, to which chains such as `1 + 1 + 1` and `a.b.c` add.
const MAX_HEIGHT: usize = 128;

/// How heavy the patterns of an expression that are compiled when it is read are together.
const MAX_PATTERNS: usize = 2 << 20;

/// The operators, and how tightly they bind.
const BINARY: [(CelOperator, u8); 12] = [
    (CelOperator::Equal, 0),
    (CelOperator::NotEqual, 0),
    (CelOperator::AtMost, 0),
    (CelOperator::AtLeast, 0),
    (CelOperator::Less, 0),
    (CelOperator::More, 0),
    (CelOperator::In, 0),
    (CelOperator::Plus, 1),
    (CelOperator::Minus, 1),
    (CelOperator::Times, 2),
    (CelOperator::Over, 2),
    (CelOperator::Modulo, 2),
];

/// Names that are kept for the language.
const RESERVED: [&str; 17] = [
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "namespace",
    "package",
    "return",
    "var",
    "void",
    "while",
];

/// Names of types.
const TYPES: [&str; 11] = [
    "bool",
    "bytes",
    "double",
    "int",
    "list",
    "map",
    "null_type",
    "optional_type",
    "string",
    "type",
    "uint",
];

/// The names of types that have a namespace.
const DURATION: &str = "google.protobuf.Duration";

/// Reads an expression. Returns its syntax tree and the names that the caller gives values for, by their slots.
pub(crate) fn parse(text: &str) -> Result<(CelNode, Vec<String>), CelFault> {
    let all = CelSpan {
        start: 0,
        end: text.len(),
    };
    if text.len() > MAX_BYTES {
        let message = format!("the expression has more than {MAX_BYTES} bytes");
        return Err(CelFault::new(message, all));
    }
    let mut parser = CelParser {
        tokens: token::tokens(text)?,
        at: 0,
        depth: 0,
        names: Vec::new(),
        locals: Vec::new(),
        weight_left: MAX_PATTERNS,
    };
    let node = parser.expression()?;
    match parser.word() {
        CelWord::End => Ok((node, parser.names)),
        _ => Err(parser.expected("the end of the expression")),
    }
}

struct CelParser {
    tokens: Vec<CelToken>,
    at: usize,
    depth: usize,
    /// The names that the caller gives values for.
    names: Vec<String>,
    /// The variables of macros around this place.
    locals: Vec<String>,
    weight_left: usize,
}

impl CelParser {
    fn token(&self) -> &CelToken {
        // The last token is the end, and stays.
        &self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    fn word(&self) -> &CelWord {
        &self.token().word
    }

    fn span(&self) -> CelSpan {
        self.token().span
    }

    /// The place of the word before this one.
    fn last_span(&self) -> CelSpan {
        self.tokens[self.at.saturating_sub(1)].span
    }

    fn is(&self, sign: &str) -> bool {
        matches!(self.word(), CelWord::Sign(found) if *found == sign)
    }

    fn take(&mut self, sign: &str) -> bool {
        let is = self.is(sign);
        self.at += usize::from(is);
        is
    }

    fn expect(&mut self, sign: &str) -> Result<(), CelFault> {
        match self.take(sign) {
            true => Ok(()),
            false => Err(self.expected(&format!("`{sign}`"))),
        }
    }

    fn expected(&self, what: &str) -> CelFault {
        let found = match self.word() {
            CelWord::Name(name) => format!("`{name}`"),
            CelWord::Sign(sign) => format!("`{sign}`"),
            CelWord::Int(..) | CelWord::Uint(_) | CelWord::Double(_) => "a number".to_owned(),
            CelWord::Text(_) => "a text".to_owned(),
            CelWord::Bytes(_) => "bytes".to_owned(),
            CelWord::End => "the end".to_owned(),
        };
        CelFault::new(format!("expected {what}, found {found}"), self.span())
    }

    /// One level deeper.
    fn deeper<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, CelFault>,
    ) -> Result<T, CelFault> {
        if self.depth == MAX_DEPTH {
            return Err(too_deep(self.span()));
        }
        self.depth += 1;
        let read = read(self);
        self.depth -= 1;
        read
    }

    fn expression(&mut self) -> Result<CelNode, CelFault> {
        self.deeper(|parser| {
            let condition = parser.logic("||")?;
            if !parser.take("?") {
                return Ok(condition);
            }
            let yes = parser.logic("||")?;
            parser.expect(":")?;
            let no = parser.expression()?;
            let span = condition.span.to(no.span);
            node(CelKind::Choice(Box::new([condition, yes, no])), span)
        })
    }

    fn logic(&mut self, sign: &'static str) -> Result<CelNode, CelFault> {
        let is_or = sign == "||";
        let part = |parser: &mut Self| match is_or {
            true => parser.logic("&&"),
            false => parser.binary(0),
        };
        let first = part(self)?;
        if !self.is(sign) {
            return Ok(first);
        }
        let mut parts = vec![first];
        while self.take(sign) {
            parts.push(part(self)?);
        }
        let span = parts[0].span.to(self.last_span());
        node(CelKind::Logic(is_or, parts), span)
    }

    fn binary(&mut self, least: u8) -> Result<CelNode, CelFault> {
        let mut left = self.unary()?;
        while let CelWord::Sign(sign) = self.word()
            && let Some((operator, strength)) = BINARY
                .iter()
                .find(|(known, strength)| known.sign() == *sign && *strength >= least)
        {
            self.at += 1;
            let right = self.binary(strength + 1)?;
            let span = left.span.to(right.span);
            left = node(CelKind::Binary(*operator, Box::new((left, right))), span)?;
        }
        Ok(left)
    }

    /// `!` and `-`: two of them are none.
    fn unary(&mut self) -> Result<CelNode, CelFault> {
        let start = self.span();
        let Some(sign) = ["!", "-"].into_iter().find(|sign| self.is(sign)) else {
            return self.member();
        };
        if sign == "-" && self.is_number(self.at + 1) {
            return self.member();
        }
        let mut count = 0;
        while self.take(sign) {
            count += 1;
        }
        let of = self.member()?;
        if count % 2 == 0 {
            return Ok(of);
        }
        let span = start.to(of.span);
        let kind = match sign {
            "!" => CelKind::Not(Box::new(of)),
            _ => CelKind::Negative(Box::new(of)),
        };
        node(kind, span)
    }

    fn is_number(&self, at: usize) -> bool {
        let word = self.tokens.get(at).map(|token| &token.word);
        matches!(word, Some(CelWord::Int(..) | CelWord::Double(_)))
    }

    /// A value, and what is selected of it.
    fn member(&mut self) -> Result<CelNode, CelFault> {
        let n_names = self.names.len();
        let mut value = self.primary()?;
        loop {
            let start = value.span;
            if self.take(".") {
                let is_optional = self.take("?");
                let (name, span) = self.name()?;
                if !is_optional && self.take("(") {
                    value = self.method(value, n_names, &name, span)?;
                    continue;
                }
                if self.is("{") {
                    return Err(CelFault::new(
                        "values of protobuf messages are not supported",
                        start.to(span),
                    ));
                }
                let text = name.into();
                let kind = CelKind::Field(Box::new(value), CelName { text, span }, is_optional);
                value = self.typed(node(kind, start.to(span))?, n_names);
            } else if self.take("[") {
                let is_optional = self.take("?");
                let index = self.expression()?;
                self.expect("]")?;
                let kind = CelKind::Index(Box::new((value, index)), is_optional);
                value = node(kind, start.to(self.last_span()))?;
            } else {
                return Ok(value);
            }
        }
    }

    /// A path of names that is a type is that type; `n_names` were known in front of it.
    fn typed(&mut self, value: CelNode, n_names: usize) -> CelNode {
        if let CelKind::Field(of, last, false) = &value.kind
            && let CelKind::Field(of, middle, false) = &of.kind
            && let CelKind::Slot(slot) = of.kind
            && (
                self.names.get(slot).map(String::as_str),
                &*middle.text,
                &*last.text,
            ) == (Some("google"), "protobuf", "Duration")
        {
            self.names.truncate(n_names.max(slot));
            return CelNode {
                kind: CelKind::Constant(CelConstant::Type(DURATION)),
                span: value.span,
                height: 1,
            };
        }
        value
    }

    /// The name of a field or a function.
    fn name(&mut self) -> Result<(String, CelSpan), CelFault> {
        let CelToken {
            word: CelWord::Name(name),
            span,
        } = self.token()
        else {
            return Err(self.expected("a name"));
        };
        let found = (name.clone(), *span);
        self.at += 1;
        Ok(found)
    }

    fn primary(&mut self) -> Result<CelNode, CelFault> {
        let CelToken { word, span } = self.token().clone();
        let constant = match word {
            CelWord::Sign("(") => {
                self.at += 1;
                let inner = self.expression()?;
                self.expect(")")?;
                let span = span.to(self.last_span());
                return Ok(CelNode { span, ..inner });
            }
            CelWord::Sign("[") => return self.list(),
            CelWord::Sign("{") => return self.map(),
            CelWord::Sign("-") if self.is_number(self.at + 1) => {
                self.at += 1;
                return self.number(true);
            }
            CelWord::Sign(".") => {
                self.at += 1;
                return self.named();
            }
            CelWord::Name(_) => return self.named(),
            CelWord::Int(..) | CelWord::Double(_) => return self.number(false),
            CelWord::Sign("null") => CelConstant::Null,
            CelWord::Sign(word @ ("true" | "false")) => CelConstant::Bool(word == "true"),
            CelWord::Uint(value) => CelConstant::Uint(value),
            CelWord::Text(text) => CelConstant::Text(text.into()),
            CelWord::Bytes(bytes) => CelConstant::Bytes(bytes.into()),
            CelWord::Sign(_) | CelWord::End => return Err(self.expected("an expression")),
        };
        self.at += 1;
        node(CelKind::Constant(constant), span)
    }

    /// A number; its sign has been read.
    fn number(&mut self, is_negative: bool) -> Result<CelNode, CelFault> {
        let CelToken { word, span } = self.token().clone();
        let span = match is_negative {
            true => self.last_span().to(span),
            false => span,
        };
        self.at += 1;
        let constant = match word {
            CelWord::Double(value) => CelConstant::Double(if is_negative { -value } else { value }),
            CelWord::Int(digits, is_hex) => {
                let signed = format!("{}{digits}", if is_negative { "-" } else { "" });
                let value = i64::from_str_radix(&signed, if is_hex { 16 } else { 10 });
                let value = value.map_err(|_| CelFault::new("the int is too large", span))?;
                CelConstant::Int(value)
            }
            _ => return Err(self.expected("a number")),
        };
        node(CelKind::Constant(constant), span)
    }

    fn list(&mut self) -> Result<CelNode, CelFault> {
        let start = self.span();
        self.at += 1;
        let mut items = Vec::new();
        while !self.is("]") && !self.is(",") {
            let is_optional = self.take("?");
            items.push((self.expression()?, is_optional));
            if !self.is(",") || self.is_before("]") {
                break;
            }
            self.at += 1;
        }
        self.take(",");
        self.expect("]")?;
        node(CelKind::List(items), start.to(self.last_span()))
    }

    /// Returns whether this word is the last one before a sign.
    fn is_before(&self, sign: &str) -> bool {
        let next = self.tokens.get(self.at + 1).map(|token| &token.word);
        matches!(next, Some(CelWord::Sign(found)) if *found == sign)
    }

    fn map(&mut self) -> Result<CelNode, CelFault> {
        let start = self.span();
        self.at += 1;
        let mut entries = Vec::new();
        while !self.is("}") && !self.is(",") {
            let is_optional = self.take("?");
            let key = self.expression()?;
            self.expect(":")?;
            entries.push((key, self.expression()?, is_optional));
            if !self.is(",") || self.is_before("}") {
                break;
            }
            self.at += 1;
        }
        self.take(",");
        self.expect("}")?;
        node(CelKind::Map(entries), start.to(self.last_span()))
    }

    /// A variable, a type, or a function that belongs to no value.
    fn named(&mut self) -> Result<CelNode, CelFault> {
        let (name, span) = self.name()?;
        if RESERVED.contains(&&*name) {
            return Err(CelFault::new(format!("`{name}` is a reserved word"), span));
        }
        if self.take("(") {
            return self.function(&name, span);
        }
        if self.is("{") {
            return Err(CelFault::new(
                "values of protobuf messages are not supported",
                span,
            ));
        }
        let kind = if let Some(local) = self.locals.iter().rposition(|known| *known == name) {
            CelKind::Local(local)
        } else if let Some(name) = TYPES.into_iter().find(|known| *known == name) {
            CelKind::Constant(CelConstant::Type(name))
        } else {
            let known = self.names.iter().position(|known| *known == name);
            CelKind::Slot(known.unwrap_or_else(|| {
                self.names.push(name);
                self.names.len() - 1
            }))
        };
        node(kind, span)
    }
}

fn too_deep(span: CelSpan) -> CelFault {
    CelFault::new("the expression is nested too deeply", span)
}

/// A part of an expression, if its own parts are not too high.
fn node(kind: CelKind, span: CelSpan) -> Result<CelNode, CelFault> {
    let below = kind.children().into_iter().map(|child| child.height).max();
    let height = below.unwrap_or_default() + 1;
    match height <= MAX_HEIGHT {
        true => Ok(CelNode { kind, span, height }),
        false => Err(too_deep(span)),
    }
}
