//! Splits a template into items: text, and the tokens between double braces.

use std::sync::LazyLock;

/// A piece of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TemplateItem<'t> {
    /// Text outside of actions, without the blanks that actions trim.
    Text(&'t str),
    /// `{{`.
    Open,
    /// `}}`.
    Close,
    /// Blanks in an action.
    Space,
    /// `if`, `end` and the like.
    Keyword(Keyword),
    /// The name of a function.
    Word(&'t str),
    /// `.name`.
    Field(&'t str),
    /// `$name`, or `$` alone.
    Variable(&'t str),
    /// `.` alone.
    Dot,
    /// `nil`.
    Nil,
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(&'t str),
    /// A character in single quotes.
    Char(&'t str),
    /// A text in double or back quotes.
    Quoted(&'t str),
    /// `=`.
    Assign,
    /// `:=`.
    Declare,
    /// `|`.
    Pipe,
    /// `(`.
    LeftParen,
    /// `)`.
    RightParen,
    /// Any other character.
    Other(char),
}

/// A keyword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keyword {
    Block,
    Break,
    Continue,
    Define,
    Else,
    End,
    If,
    Range,
    Template,
    With,
}

impl Keyword {
    const ALL: [(&'static str, Self); 10] = [
        ("block", Self::Block),
        ("break", Self::Break),
        ("continue", Self::Continue),
        ("define", Self::Define),
        ("else", Self::Else),
        ("end", Self::End),
        ("if", Self::If),
        ("range", Self::Range),
        ("template", Self::Template),
        ("with", Self::With),
    ];

    /// Its text.
    pub(super) fn as_str(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(_, keyword)| *keyword == self)
            .map_or("", |(word, _)| word)
    }
}

/// Letters and digits beyond ASCII, as Go counts them.
static ALPHANUMERIC: LazyLock<regex::Regex> =
    LazyLock::new(|| regex::Regex::new(r"\A[\p{L}\p{Nd}]\z").expect("a constant pattern"));

const OPEN: &str = "{{";
const CLOSE: &str = "}}";
/// The length of the blank and the dash before [`CLOSE`].
const TRIM: usize = 2;

/// All items of a template.
///
/// # Errors
/// What is no item.
pub(super) fn items(text: &str) -> Result<Vec<TemplateItem<'_>>, String> {
    let mut lexer = TemplateLexer {
        text,
        at: 0,
        parens: 0,
        items: Vec::new(),
    };
    while let Some(found) = lexer.rest().find(OPEN) {
        let (text, action) = lexer.rest().split_at(found);
        let mut marked = action[OPEN.len()..].chars();
        let trims = marked.next() == Some('-') && marked.next().is_some_and(is_space);
        lexer.text(if trims {
            text.trim_end_matches(is_space)
        } else {
            text
        });
        lexer.at += found + OPEN.len() + if trims { TRIM } else { 0 };
        lexer.action()?;
    }
    lexer.text(lexer.rest());
    Ok(lexer.items)
}

struct TemplateLexer<'t> {
    text: &'t str,
    at: usize,
    /// The number of open parentheses in this action.
    parens: usize,
    items: Vec<TemplateItem<'t>>,
}

const fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

fn is_alphanumeric(c: char) -> bool {
    if c.is_ascii() {
        c == '_' || c.is_ascii_alphanumeric()
    } else {
        ALPHANUMERIC.is_match(c.encode_utf8(&mut [0; 4]))
    }
}

impl<'t> TemplateLexer<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// The length of what closes the action, if it is next.
    fn close(&self) -> Option<usize> {
        let rest = self.rest();
        if rest.starts_with(CLOSE) {
            return Some(CLOSE.len());
        }
        let trims = rest.starts_with(is_space)
            && rest[1..].starts_with('-')
            && rest[TRIM..].starts_with(CLOSE);
        trims.then_some(TRIM + CLOSE.len())
    }

    /// Adds a text, if there is any.
    fn text(&mut self, text: &'t str) {
        self.items
            .extend((!text.is_empty()).then_some(TemplateItem::Text(text)));
    }

    /// Leaves an action by what closes it, and skips the blanks behind it that it trims.
    fn leave(&mut self, len: usize) {
        self.at += len;
        if len > CLOSE.len() {
            self.at = self.text.len() - self.rest().trim_start_matches(is_space).len();
        }
    }

    /// Everything behind the opening braces, up to the closing ones.
    fn action(&mut self) -> Result<(), String> {
        if let Some(comment) = self.rest().strip_prefix("/*") {
            let end = comment.find("*/").ok_or("unclosed comment")?;
            self.at += "/*".len() + end + "*/".len();
            let len = self
                .close()
                .ok_or("comment ends before closing delimiter")?;
            self.leave(len);
            return Ok(());
        }
        self.items.push(TemplateItem::Open);
        self.parens = 0;
        loop {
            if let Some(len) = self.close() {
                if self.parens > 0 {
                    return Err("unclosed left paren".to_owned());
                }
                self.items.push(TemplateItem::Close);
                self.leave(len);
                return Ok(());
            }
            let item = self.item()?;
            self.items.push(item);
        }
    }

    fn item(&mut self) -> Result<TemplateItem<'t>, String> {
        let first = self.peek().ok_or("unclosed action")?;
        if is_space(first) {
            self.spaces();
            return Ok(TemplateItem::Space);
        }
        let second = self.rest()[first.len_utf8()..].chars().next();
        let starts_number = |c: char| c.is_ascii_digit();
        match first {
            '"' | '\'' => self.quoted(first),
            '`' => self.raw(),
            '$' => self.name().map(TemplateItem::Variable),
            '.' if !second.is_some_and(starts_number) => self.name().map(|name| {
                if name == "." {
                    TemplateItem::Dot
                } else {
                    TemplateItem::Field(name)
                }
            }),
            '.' | '+' | '-' => self.number(),
            c if starts_number(c) => self.number(),
            c if is_alphanumeric(c) => self.word(),
            c => self.sign(c),
        }
    }

    /// Skips blanks, except for one before a trim marker that closes the action.
    fn spaces(&mut self) {
        while self.close().is_none() && self.peek().is_some_and(is_space) {
            self.at += 1;
        }
    }

    fn sign(&mut self, first: char) -> Result<TemplateItem<'t>, String> {
        self.at += first.len_utf8();
        match first {
            '=' => Ok(TemplateItem::Assign),
            ':' if self.peek() == Some('=') => {
                self.at += 1;
                Ok(TemplateItem::Declare)
            }
            ':' => Err("expected :=".to_owned()),
            '|' => Ok(TemplateItem::Pipe),
            '(' => {
                self.parens += 1;
                Ok(TemplateItem::LeftParen)
            }
            ')' => {
                self.parens = self.parens.checked_sub(1).ok_or("unexpected right paren")?;
                Ok(TemplateItem::RightParen)
            }
            c if c.is_ascii_graphic() => Ok(TemplateItem::Other(c)),
            c => Err(format!("unrecognized character in action: {c:?}")),
        }
    }

    /// A name with its sign, or the sign alone.
    fn name(&mut self) -> Result<&'t str, String> {
        let sign = self.at;
        self.at += 1;
        self.alphanumerics(sign)
    }

    fn word(&mut self) -> Result<TemplateItem<'t>, String> {
        let word = self.alphanumerics(self.at)?;
        let keyword = Keyword::ALL.iter().find(|(name, _)| *name == word);
        Ok(match word {
            "true" | "false" => TemplateItem::Bool(word == "true"),
            "nil" => TemplateItem::Nil,
            word => keyword.map_or(TemplateItem::Word(word), |(_, keyword)| {
                TemplateItem::Keyword(*keyword)
            }),
        })
    }

    /// Letters and digits, with the text before them since `start`. A name must end where another token can start.
    fn alphanumerics(&mut self, start: usize) -> Result<&'t str, String> {
        self.at += self
            .rest()
            .find(|c| !is_alphanumeric(c))
            .unwrap_or(self.rest().len());
        let terminates = |c: char| is_space(c) || matches!(c, '.' | ',' | '|' | ':' | ')' | '(');
        match self.peek() {
            Some(c) if !terminates(c) && !self.rest().starts_with(CLOSE) => {
                Err(format!("bad character {c:?}"))
            }
            _ => Ok(&self.text[start..self.at]),
        }
    }

    fn quoted(&mut self, quote: char) -> Result<TemplateItem<'t>, String> {
        let mut chars = self.rest().char_indices().skip(1);
        while let Some((at, c)) = chars.next() {
            let ends = match c {
                '\\' => chars.next().is_none_or(|(_, escaped)| escaped == '\n'),
                c if c == quote => {
                    let text = &self.rest()[..=at];
                    self.at += text.len();
                    return Ok(if quote == '"' {
                        TemplateItem::Quoted(text)
                    } else {
                        TemplateItem::Char(text)
                    });
                }
                c => c == '\n',
            };
            if ends {
                break;
            }
        }
        Err(format!(
            "unterminated {}",
            if quote == '"' {
                "quoted string"
            } else {
                "character constant"
            }
        ))
    }

    fn raw(&mut self) -> Result<TemplateItem<'t>, String> {
        let end = self.rest()[1..]
            .find('`')
            .ok_or("unterminated raw quoted string")?;
        let text = &self.rest()[..end + 2];
        self.at += text.len();
        Ok(TemplateItem::Quoted(text))
    }

    /// A number; its value is checked later.
    fn number(&mut self) -> Result<TemplateItem<'t>, String> {
        let start = self.at;
        let bad = |lexer: &Self| format!("bad number syntax: {:?}", &lexer.text[start..lexer.at]);
        self.accept(|c| matches!(c, '+' | '-'));
        if !self.unsigned() {
            return Err(bad(self));
        }
        // A complex number: 1+2i.
        if self.accept(|c| matches!(c, '+' | '-'))
            && !(self.unsigned() && self.text[..self.at].ends_with('i'))
        {
            return Err(bad(self));
        }
        Ok(TemplateItem::Number(&self.text[start..self.at]))
    }

    /// Skips a number without a sign; `false` if a letter follows.
    fn unsigned(&mut self) -> bool {
        let mut radix = 10;
        if self.accept(|c| c == '0') {
            for (letter, its) in [('x', 16), ('o', 8), ('b', 2)] {
                if radix == 10 && self.accept(|c| c.eq_ignore_ascii_case(&letter)) {
                    radix = its;
                }
            }
        }
        self.digits(radix);
        if self.accept(|c| c == '.') {
            self.digits(radix);
        }
        let exponent = match radix {
            10 => Some('e'),
            16 => Some('p'),
            _ => None,
        };
        if exponent.is_some_and(|letter| self.accept(|c| c.eq_ignore_ascii_case(&letter))) {
            self.accept(|c| matches!(c, '+' | '-'));
            self.digits(10);
        }
        self.accept(|c| c == 'i');
        !self.peek().is_some_and(is_alphanumeric)
    }

    fn digits(&mut self, radix: u32) {
        while self.accept(|c| c == '_' || c.is_digit(radix)) {}
    }

    fn accept(&mut self, wanted: impl Fn(char) -> bool) -> bool {
        let accepted = self.peek().filter(|c| wanted(*c));
        self.at += accepted.map_or(0, char::len_utf8);
        accepted.is_some()
    }
}
