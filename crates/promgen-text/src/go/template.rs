//! The syntax of `text/template`: whether Go parses a template.
//!
//! In: a text, and the functions and variables that it may use. Out: nothing, or the first error. Executes nothing,
//! like Go's parser: a missing field shows when an alert fires. `lex` splits the text into items, this module has the
//! grammar; a stack of open blocks replaces a tree.

mod lex;
mod number;
pub mod tree;
pub mod types;

use std::collections::BTreeSet;

use crate::go::unquote::unquote;
use crate::suggest::{closest, is_slip};
use lex::{Keyword, TemplateItem};

/// Functions that every template has.
const BUILT_IN: [&str; 19] = [
    "and", "call", "eq", "ge", "gt", "html", "index", "js", "le", "len", "lt", "ne", "not", "or",
    "print", "printf", "println", "slice", "urlquery",
];

/// The maximum nesting of parentheses. Go's is 10,000, far beyond any real template.
const MAX_DEPTH: usize = 200;

/// The functions and variables of a template.
#[derive(Clone, Copy, Debug, Default)]
pub struct TemplateScope<'s> {
    /// Functions besides the built-in ones.
    pub functions: &'s [&'s str],
    /// Variables, with their `$`.
    pub variables: &'s [&'s str],
}

/// The remedy for an error of [`check`].
#[must_use]
pub fn advice(error: &str, scope: TemplateScope<'_>) -> Option<String> {
    if error.ends_with("unclosed action") {
        return Some("close the action with `}}`".to_owned());
    }
    if error.ends_with("unexpected EOF") {
        return Some("close the block with `{{ end }}`".to_owned());
    }
    let name = error.split('"').nth(1)?;
    let meant = if error.starts_with("undefined variable") {
        closest(name, scope.variables.iter().copied())
    } else if error.ends_with("not defined") && error.starts_with("function") {
        let known = || scope.functions.iter().chain(&BUILT_IN).copied();
        let has_name = |known: &&str| {
            name.len() > 3
                && known
                    .to_ascii_lowercase()
                    .ends_with(&name.to_ascii_lowercase())
        };
        known().find(has_name).or_else(|| closest(name, known()))
    } else {
        None
    };
    meant.map(|meant| format!("did you mean \"{meant}\"?"))
}

/// What templates of Prometheus' rules read, and those of other engines do not.
const READ_BY_RULES: [&str; 7] = [
    "$labels",
    "$value",
    "$externalLabels",
    "$externalURL",
    ".Labels",
    ".ExternalLabels",
    ".ExternalURL",
];

/// The actions of a text, whether it is a template or not.
pub fn actions(text: &str) -> impl Iterator<Item = &str> {
    let rests = text.split("{{").skip(1);
    rests.filter_map(|rest| rest.split("}}").next())
}

/// Returns whether a text has an action that reads what Prometheus gives to the templates of alerts.
#[must_use]
pub fn reads_alert(text: &str) -> bool {
    actions(text).any(|action| {
        action.trim() == ".Value" || READ_BY_RULES.iter().any(|read| action.contains(read))
    })
}

/// The first field that a template asks for in front of all others, of these, but in another spelling, with the right one.
/// A field of that exact name counts as one, whatever it is the field of.
#[must_use]
pub fn misspelt<'t>(
    text: &'t str,
    fields: &[&'static str],
    others: &[&str],
) -> Option<(&'t str, &'static str)> {
    let starts = actions(text).flat_map(|action| {
        action.match_indices('.').filter_map(move |(at, _)| {
            let is_first = action[..at]
                .chars()
                .next_back()
                .is_none_or(|c| c.is_whitespace() || matches!(c, '(' | '$' | '|'));
            let rest = &action[at + 1..];
            let end = rest
                .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                .unwrap_or(rest.len());
            let is_followed = rest[end..].starts_with('.');
            is_first.then(|| (&rest[..end], is_followed))
        })
    });
    // Labels are in lower case: such a name is a field only in front of another one.
    let is_field = |(name, is_followed): &(&str, bool)| {
        name.starts_with(|c: char| c.is_ascii_uppercase()) || *is_followed && name.len() > 3
    };
    let is_known = |name: &str| fields.iter().chain(others).any(|field| *field == name);
    starts
        .filter(is_field)
        .map(|(name, _)| name)
        .filter(|name| !is_known(name))
        .find_map(|name| Some((name, *fields.iter().find(|field| is_slip(name, field))?)))
}

/// Checks a template.
///
/// ```
/// use promgen_text::go::template::{TemplateScope, check};
///
/// let scope = TemplateScope { functions: &["humanize"], variables: &["$value"] };
/// assert_eq!(check("{{ $value | humanize }} left", scope), Ok(()));
/// assert_eq!(check("{{ $values }}", scope), Err("undefined variable \"$values\"".to_owned()));
/// assert_eq!(check("{{ if $value }}", scope), Err("unexpected EOF".to_owned()));
/// ```
///
/// # Errors
/// The first fault, much as Go words it.
pub fn check(text: &str, scope: TemplateScope<'_>) -> Result<(), String> {
    let items = lex::items(text)?;
    let mut variables = vec!["$"];
    variables.extend(scope.variables);
    let mut parser = TemplateParser {
        items: &items,
        at: 0,
        scope,
        open: Vec::new(),
        variables,
        ranges: 0,
        has_content: false,
        defined: BTreeSet::new(),
    };
    parser.run()
}

/// The names of templates in a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TemplateNames {
    /// The templates that it defines.
    pub defined: BTreeSet<String>,
    /// The templates that it calls.
    pub called: BTreeSet<String>,
}

/// The templates that a valid template defines and calls.
#[must_use]
pub fn names(text: &str) -> TemplateNames {
    let mut names = TemplateNames::default();
    let mut items = lex::items(text).unwrap_or_default();
    items.retain(|item| *item != TemplateItem::Space);
    for pair in items.windows(2) {
        let [TemplateItem::Keyword(keyword), TemplateItem::Quoted(quoted)] = pair else {
            continue;
        };
        match (keyword, tree::literal(quoted)) {
            (Keyword::Template, Ok(name)) => drop(names.called.insert(name)),
            (Keyword::Define | Keyword::Block, Ok(name)) => drop(names.defined.insert(name)),
            _ => {}
        }
    }
    names
}

/// The `end` that closes a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BlockEnd {
    /// An `end` of its own.
    Own,
    /// The `end` of the block around it: it is the `if` of an `else if`.
    Outer,
}

/// A block that is not closed yet.
#[derive(Debug)]
struct OpenBlock<'t> {
    what: Keyword,
    /// The number of variables before it.
    n_variables: usize,
    /// Its `else` is behind us.
    in_else: bool,
    end: BlockEnd,
    /// For `define` and `block`.
    definition: Option<Definition<'t>>,
}

/// A template of its own, and what holds again behind it.
#[derive(Debug)]
struct Definition<'t> {
    name: Vec<u8>,
    variables: Vec<&'t str>,
    ranges: usize,
    has_content: bool,
}

struct TemplateParser<'i, 't> {
    items: &'i [TemplateItem<'t>],
    at: usize,
    scope: TemplateScope<'i>,
    open: Vec<OpenBlock<'t>>,
    variables: Vec<&'t str>,
    /// The number of open `range` blocks.
    ranges: usize,
    /// The template at hand holds anything but blanks.
    has_content: bool,
    /// Names of defined templates that are not empty.
    defined: BTreeSet<Vec<u8>>,
}

type TemplateResult<T = ()> = Result<T, String>;

fn unexpected<T>(item: Option<TemplateItem<'_>>, context: &str) -> TemplateResult<T> {
    Err(match item {
        None => "unexpected EOF".to_owned(),
        Some(item) => format!("unexpected {} in {context}", shown(item)),
    })
}

fn shown(item: TemplateItem<'_>) -> String {
    match item {
        TemplateItem::Text(_) => "text".to_owned(),
        TemplateItem::Open => "\"{{\"".to_owned(),
        TemplateItem::Close => "\"}}\"".to_owned(),
        TemplateItem::Space => "space".to_owned(),
        TemplateItem::Keyword(keyword) => format!("<{}>", keyword.as_str()),
        TemplateItem::Word(text)
        | TemplateItem::Variable(text)
        | TemplateItem::Number(text)
        | TemplateItem::Char(text)
        | TemplateItem::Quoted(text) => text.to_owned(),
        TemplateItem::Field(_) => "field".to_owned(),
        TemplateItem::Dot => "<.>".to_owned(),
        TemplateItem::Nil => "<nil>".to_owned(),
        TemplateItem::Bool(_) => "boolean".to_owned(),
        TemplateItem::Assign => "\"=\"".to_owned(),
        TemplateItem::Declare => "\":=\"".to_owned(),
        TemplateItem::Pipe => "\"|\"".to_owned(),
        TemplateItem::LeftParen => "\"(\"".to_owned(),
        TemplateItem::RightParen => "\")\"".to_owned(),
        TemplateItem::Other(c) => format!("{c:?}"),
    }
}

impl<'i, 't> TemplateParser<'i, 't>
where
    'i: 't,
{
    fn peek(&self) -> Option<TemplateItem<'t>> {
        self.items.get(self.at).copied()
    }

    fn next(&mut self) -> Option<TemplateItem<'t>> {
        let item = self.peek();
        self.at += 1;
        item
    }

    fn skip_space(&mut self) {
        while self.peek() == Some(TemplateItem::Space) {
            self.at += 1;
        }
    }

    fn peek_visible(&mut self) -> Option<TemplateItem<'t>> {
        self.skip_space();
        self.peek()
    }

    fn next_visible(&mut self) -> Option<TemplateItem<'t>> {
        self.skip_space();
        self.next()
    }

    fn close(&mut self, context: &str) -> TemplateResult {
        match self.next_visible() {
            Some(TemplateItem::Close) => Ok(()),
            item => unexpected(item, context),
        }
    }

    fn run(&mut self) -> TemplateResult {
        while let Some(item) = self.next() {
            match item {
                TemplateItem::Text(text) => self.has_content |= !text.trim().is_empty(),
                TemplateItem::Open => self.action()?,
                item => return unexpected(Some(item), "input"),
            }
        }
        if self.open.is_empty() {
            Ok(())
        } else {
            unexpected(None, "")
        }
    }

    fn action(&mut self) -> TemplateResult {
        let Some(TemplateItem::Keyword(keyword)) = self.peek_visible() else {
            self.has_content = true;
            return self.pipeline("command", TemplateItem::Close, 0);
        };
        // Go has `define` at the top level only, while `block` may stand anywhere.
        if keyword == Keyword::Define && !self.open.is_empty() {
            return unexpected(Some(TemplateItem::Keyword(keyword)), "command");
        }
        self.next();
        match keyword {
            Keyword::If | Keyword::Range | Keyword::With => self.control(keyword, BlockEnd::Own),
            Keyword::Define => self.define(),
            Keyword::Block => self.block(),
            Keyword::Template => self.template(),
            Keyword::Break | Keyword::Continue => self.leave_range(keyword),
            Keyword::Else => self.otherwise(),
            Keyword::End => self.end(),
        }
    }

    /// A block with a condition or a list, up to the end of its first action.
    fn control(&mut self, what: Keyword, end: BlockEnd) -> TemplateResult {
        self.has_content = true;
        let n_variables = self.variables.len();
        self.pipeline(what.as_str(), TemplateItem::Close, 0)?;
        self.ranges += usize::from(what == Keyword::Range);
        self.open.push(OpenBlock {
            what,
            n_variables,
            in_else: false,
            end,
            definition: None,
        });
        Ok(())
    }

    fn name(&mut self, context: &str) -> TemplateResult<Vec<u8>> {
        match self.next_visible() {
            Some(TemplateItem::Quoted(text)) => {
                unquote(text).ok_or_else(|| format!("invalid syntax: {text}"))
            }
            item => unexpected(item, context),
        }
    }

    fn define(&mut self) -> TemplateResult {
        let name = self.name("define clause")?;
        self.close("define clause")?;
        self.open_definition(Keyword::Define, name);
        Ok(())
    }

    fn block(&mut self) -> TemplateResult {
        self.has_content = true;
        let name = self.name("block clause")?;
        self.pipeline("block clause", TemplateItem::Close, 0)?;
        self.open_definition(Keyword::Block, name);
        Ok(())
    }

    /// Starts a template of its own, which sees no variable of the one around it.
    fn open_definition(&mut self, what: Keyword, name: Vec<u8>) {
        let variables = std::mem::replace(&mut self.variables, vec!["$"]);
        let (ranges, has_content) = (
            std::mem::take(&mut self.ranges),
            std::mem::take(&mut self.has_content),
        );
        let definition = Some(Definition {
            name,
            variables,
            ranges,
            has_content,
        });
        self.open.push(OpenBlock {
            what,
            n_variables: 0,
            in_else: false,
            end: BlockEnd::Own,
            definition,
        });
    }

    fn template(&mut self) -> TemplateResult {
        self.has_content = true;
        self.name("template clause")?;
        if self.peek_visible() == Some(TemplateItem::Close) {
            self.next();
            return Ok(());
        }
        self.pipeline("template clause", TemplateItem::Close, 0)
    }

    fn leave_range(&mut self, keyword: Keyword) -> TemplateResult {
        self.has_content = true;
        let name = keyword.as_str();
        self.close(&format!("{{{{{name}}}}}"))?;
        if self.ranges == 0 {
            Err(format!("{{{{{name}}}}} outside {{{{range}}}}"))
        } else {
            Ok(())
        }
    }

    fn otherwise(&mut self) -> TemplateResult {
        let next = self.peek_visible();
        let refused = || Err("unexpected {{else}}".to_owned());
        let Some(block) = self
            .open
            .last_mut()
            .filter(|block| block.definition.is_none() && !block.in_else)
        else {
            return refused();
        };
        block.in_else = true;
        let what = block.what;
        // The `else` of a `range` is not part of the loop.
        self.ranges -= usize::from(what == Keyword::Range);
        match next {
            // The `end` of the outer block closes the one of an `else if` too.
            Some(TemplateItem::Keyword(keyword @ (Keyword::If | Keyword::With)))
                if keyword == what =>
            {
                self.next();
                self.control(keyword, BlockEnd::Outer)
            }
            _ => self.close("else"),
        }
    }

    fn end(&mut self) -> TemplateResult {
        self.close("end")?;
        loop {
            let block = self.open.pop().ok_or("unexpected {{end}}")?;
            let end = block.end;
            self.leave(block)?;
            if end == BlockEnd::Own {
                return Ok(());
            }
        }
    }

    fn leave(&mut self, block: OpenBlock<'t>) -> TemplateResult {
        let Some(definition) = block.definition else {
            self.variables.truncate(block.n_variables);
            self.ranges -= usize::from(block.what == Keyword::Range && !block.in_else);
            return Ok(());
        };
        self.variables = definition.variables;
        self.ranges = definition.ranges;
        let has_content = std::mem::replace(&mut self.has_content, definition.has_content);
        // An empty definition neither replaces another one nor stands in its way.
        if has_content && !self.defined.insert(definition.name.clone()) {
            let name = String::from_utf8_lossy(&definition.name).into_owned();
            return Err(format!("multiple definition of template {name:?}"));
        }
        Ok(())
    }

    /// Parses commands between pipes, up to and including `end`.
    fn pipeline(&mut self, context: &str, end: TemplateItem<'_>, depth: usize) -> TemplateResult {
        if depth > MAX_DEPTH {
            return Err("max expression depth exceeded".to_owned());
        }
        self.declarations(context)?;
        let mut n_commands = 0;
        loop {
            match self.peek_visible() {
                Some(item) if item == end => {
                    self.next();
                    return if n_commands == 0 {
                        Err(format!("missing value for {context}"))
                    } else {
                        Ok(())
                    };
                }
                Some(item) if starts_operand(item) => {
                    self.command(depth)?;
                    n_commands += 1;
                    // A constant takes no argument, so it can only come first.
                    if n_commands > 1 && is_constant(item) {
                        return Err(format!(
                            "non executable command in pipeline stage {n_commands}"
                        ));
                    }
                }
                item => return unexpected(item, context),
            }
        }
    }

    /// `$x :=`, `$x =`, and in a `range` `$i, $x :=`.
    fn declarations(&mut self, context: &str) -> TemplateResult {
        let mut n_declared = 0;
        while let Some(TemplateItem::Variable(name)) = self.peek_visible() {
            let start = self.at;
            self.next();
            match self.peek_visible() {
                // For Go's parser, `=` declares a variable as `:=` does; only the execution tells them apart.
                Some(TemplateItem::Assign | TemplateItem::Declare) => {
                    self.next();
                    self.variables.push(name);
                    return Ok(());
                }
                Some(TemplateItem::Other(',')) => {
                    self.next();
                    self.variables.push(name);
                    n_declared += 1;
                    if context != "range" || n_declared > 1 {
                        return Err(format!("too many declarations in {context}"));
                    }
                    if !matches!(
                        self.peek_visible(),
                        Some(
                            TemplateItem::Variable(_)
                                | TemplateItem::Close
                                | TemplateItem::RightParen
                        )
                    ) {
                        return Err("range can only initialize variables".to_owned());
                    }
                }
                _ => {
                    self.at = start;
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Parses operands between blanks, up to and including a pipe, or up to the end of the pipeline.
    fn command(&mut self, depth: usize) -> TemplateResult {
        loop {
            if self.peek_visible().is_some_and(starts_operand) {
                self.operand(depth)?;
            }
            match self.peek() {
                Some(TemplateItem::Space) => self.at += 1,
                Some(TemplateItem::Close | TemplateItem::RightParen) => return Ok(()),
                Some(TemplateItem::Pipe) => {
                    self.next();
                    return Ok(());
                }
                item => return unexpected(item, "operand"),
            }
        }
    }

    /// A term and the fields behind it.
    fn operand(&mut self, depth: usize) -> TemplateResult {
        let item = self.next_visible();
        let takes_fields = match item {
            Some(TemplateItem::Word(name))
                if BUILT_IN.contains(&name) || self.scope.functions.contains(&name) =>
            {
                true
            }
            Some(TemplateItem::Word(name)) => return Err(format!("function {name:?} not defined")),
            Some(TemplateItem::Variable(name)) if self.variables.contains(&name) => true,
            Some(TemplateItem::Variable(name)) => {
                return Err(format!("undefined variable {name:?}"));
            }
            Some(TemplateItem::Field(_)) => true,
            Some(TemplateItem::LeftParen) => {
                self.pipeline(
                    "parenthesized pipeline",
                    TemplateItem::RightParen,
                    depth + 1,
                )?;
                true
            }
            Some(TemplateItem::Number(text)) => number::check(text).map(|()| false)?,
            Some(TemplateItem::Char(text)) => number::check_char(text).map(|()| false)?,
            Some(TemplateItem::Quoted(text)) if unquote(text).is_none() => {
                return Err(format!("invalid syntax: {text}"));
            }
            Some(
                TemplateItem::Quoted(_)
                | TemplateItem::Bool(_)
                | TemplateItem::Nil
                | TemplateItem::Dot,
            ) => false,
            item => return unexpected(item, "operand"),
        };
        while matches!(self.peek(), Some(TemplateItem::Field(_))) {
            if !takes_fields {
                return Err(format!(
                    "unexpected . after term {}",
                    item.map(shown).unwrap_or_default()
                ));
            }
            self.next();
        }
        Ok(())
    }
}

const fn starts_operand(item: TemplateItem<'_>) -> bool {
    is_constant(item)
        || matches!(
            item,
            TemplateItem::Word(_)
                | TemplateItem::Field(_)
                | TemplateItem::Variable(_)
                | TemplateItem::LeftParen
        )
}

/// Whether an operand takes no argument.
const fn is_constant(item: TemplateItem<'_>) -> bool {
    matches!(
        item,
        TemplateItem::Bool(_)
            | TemplateItem::Dot
            | TemplateItem::Nil
            | TemplateItem::Number(_)
            | TemplateItem::Char(_)
            | TemplateItem::Quoted(_)
    )
}

#[cfg(test)]
mod tests;
