//! Reads rules in CEL.

use serde_json::Value;

/// An expression.
#[derive(Debug)]
pub(super) enum CelExpression {
    Literal(Value),
    List(Vec<Self>),
    Name(String),
    Field(Box<Self>, String),
    Index(Box<Self>, Box<Self>),
    Has(Box<Self>, String),
    Not(Box<Self>),
    Negative(Box<Self>),
    /// The condition, and what holds if it is true, and if not.
    Choice(Box<(Self, Self, Self)>),
    Binary(CelOperator, Box<Self>, Box<Self>),
    /// A function of a value.
    Call(Box<Self>, String, Vec<Self>),
    /// What visits all items of a value: the macro, its variable and its body.
    Macro(Box<Self>, String, String, Box<Self>),
}

/// An operator between two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CelOperator {
    Or,
    And,
    Equal,
    NotEqual,
    Less,
    AtMost,
    More,
    AtLeast,
    In,
    Plus,
    Minus,
    Times,
}

/// The longest rule, in bytes, and how deep expressions are in each other at most: each level takes stack.
const MAX_RULE: usize = 4096;
const MAX_DEPTH: usize = 64;

const MACROS: [&str; 5] = ["all", "exists", "exists_one", "filter", "map"];

/// The operators, longer ones first, and how tightly they bind.
const BINARY: [(&str, CelOperator, u8); 12] = [
    ("||", CelOperator::Or, 1),
    ("&&", CelOperator::And, 2),
    ("==", CelOperator::Equal, 3),
    ("!=", CelOperator::NotEqual, 3),
    ("<=", CelOperator::AtMost, 3),
    (">=", CelOperator::AtLeast, 3),
    ("<", CelOperator::Less, 3),
    (">", CelOperator::More, 3),
    ("in ", CelOperator::In, 3),
    ("+", CelOperator::Plus, 4),
    ("-", CelOperator::Minus, 4),
    ("*", CelOperator::Times, 5),
];

/// Reads a rule. `None`: it has something that is not read here, or is no rule.
pub(super) fn parse(rule: &str) -> Option<CelExpression> {
    let mut parser = CelParser {
        rest: rule,
        depth: 0,
    };
    let expression = (rule.len() <= MAX_RULE).then(|| parser.expression())??;
    parser.skip_space();
    parser.rest.is_empty().then_some(expression)
}

struct CelParser<'r> {
    rest: &'r str,
    depth: usize,
}

impl<'r> CelParser<'r> {
    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn take(&mut self, sign: &str) -> bool {
        self.skip_space();
        let rest = self.rest.strip_prefix(sign);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn expect(&mut self, sign: &str) -> Option<()> {
        self.take(sign).then_some(())
    }

    /// One level deeper.
    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        self.depth += 1;
        let read = if self.depth <= MAX_DEPTH {
            read(self)
        } else {
            None
        };
        self.depth -= 1;
        read
    }

    fn expression(&mut self) -> Option<CelExpression> {
        self.deeper(|parser| {
            let condition = parser.binary(1)?;
            if !parser.take("?") {
                return Some(condition);
            }
            let yes = parser.expression()?;
            parser.expect(":")?;
            Some(CelExpression::Choice(Box::new((
                condition,
                yes,
                parser.expression()?,
            ))))
        })
    }

    fn binary(&mut self, least: u8) -> Option<CelExpression> {
        let mut left = self.unary()?;
        let mut n_operators = 0;
        'operators: loop {
            for (sign, binary, strength) in
                BINARY.iter().filter(|(.., strength)| *strength >= least)
            {
                if self.take(sign) {
                    n_operators += 1;
                    let right = if n_operators <= MAX_DEPTH {
                        self.deeper(|parser| parser.binary(strength + 1))
                    } else {
                        None
                    };
                    left = CelExpression::Binary(*binary, Box::new(left), Box::new(right?));
                    continue 'operators;
                }
            }
            return Some(left);
        }
    }

    fn unary(&mut self) -> Option<CelExpression> {
        if self.take("!") {
            return self
                .deeper(Self::unary)
                .map(|of| CelExpression::Not(Box::new(of)));
        }
        if self.take("-") {
            return self
                .deeper(Self::unary)
                .map(|of| CelExpression::Negative(Box::new(of)));
        }
        let mut value = self.primary()?;
        for _ in 0..MAX_DEPTH {
            value = if self.take(".") {
                let name = self.name()?;
                if self.take("(") {
                    self.method(value, name)?
                } else {
                    CelExpression::Field(Box::new(value), name)
                }
            } else if self.take("[") {
                let index = self.expression()?;
                self.expect("]")?;
                CelExpression::Index(Box::new(value), Box::new(index))
            } else {
                return Some(value);
            };
        }
        None
    }

    /// A function or a macro of a value, behind its `(`.
    fn method(&mut self, of: CelExpression, name: String) -> Option<CelExpression> {
        if MACROS.contains(&&*name) {
            self.skip_space();
            let variable = self.name()?;
            self.expect(",")?;
            let body = self.expression()?;
            self.expect(")")?;
            return Some(CelExpression::Macro(
                Box::new(of),
                name,
                variable,
                Box::new(body),
            ));
        }
        let arguments = self.list(")")?;
        Some(CelExpression::Call(Box::new(of), name, arguments))
    }

    fn primary(&mut self) -> Option<CelExpression> {
        if self.take("(") {
            let inner = self.expression()?;
            self.expect(")")?;
            return Some(inner);
        }
        if self.take("[") {
            return self.list("]").map(CelExpression::List);
        }
        match self.rest.chars().next()? {
            quote @ ('\'' | '"') => self
                .text(quote)
                .map(|text| CelExpression::Literal(text.into())),
            '0'..='9' => self.number().map(CelExpression::Literal),
            _ => self.named(),
        }
    }

    fn named(&mut self) -> Option<CelExpression> {
        let name = self.name()?;
        match &*name {
            "true" | "false" => Some(CelExpression::Literal((name == "true").into())),
            "null" => Some(CelExpression::Literal(Value::Null)),
            "has" if self.take("(") => {
                let CelExpression::Field(of, field) = self.expression()? else {
                    return None;
                };
                self.expect(")")?;
                Some(CelExpression::Has(of, field))
            }
            "size" if self.take("(") => {
                let of = self.expression()?;
                self.expect(")")?;
                Some(CelExpression::Call(Box::new(of), name, Vec::new()))
            }
            _ => Some(CelExpression::Name(name)),
        }
    }

    /// Expressions up to a sign that ends them.
    fn list(&mut self, end: &str) -> Option<Vec<CelExpression>> {
        let mut items = Vec::new();
        while !self.take(end) {
            items.push(self.expression()?);
            if !self.take(",") {
                self.expect(end)?;
                break;
            }
        }
        Some(items)
    }

    fn name(&mut self) -> Option<String> {
        self.skip_space();
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        name.starts_with(|c: char| !c.is_ascii_digit())
            .then(|| name.to_owned())
    }

    /// A text in quotes.
    fn text(&mut self, quote: char) -> Option<String> {
        let mut text = String::new();
        let mut chars = self.rest.get(1..)?.chars();
        loop {
            match chars.next()? {
                c if c == quote => break,
                '\\' => text.push(match chars.next()? {
                    'n' => '\n',
                    't' => '\t',
                    c @ ('\\' | '\'' | '"' | '?' | '`') => c,
                    _ => return None,
                }),
                c => text.push(c),
            }
        }
        self.rest = chars.as_str();
        Some(text)
    }

    fn number(&mut self) -> Option<Value> {
        let end = self
            .rest
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(self.rest.len());
        let (number, rest) = self.rest.split_at(end);
        self.rest = rest;
        serde_json::from_str(number).ok()
    }
}
