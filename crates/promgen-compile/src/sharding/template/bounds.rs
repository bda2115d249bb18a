//! Limits of templates.
//!
//! The engine counts instructions, but one instruction may double a text, and an expression of many operators overflows its
//! stack. So a template is checked before the engine reads it. In: its text. Out: the limit that it exceeds, if it does.
//! Every variable gets a size, the sum of the sizes in the expression that it is set to; no size may exceed a limit, and a
//! loop must not make sizes grow in every iteration.

use std::collections::BTreeMap;
use std::io;

use minijinja::{Environment, Error, ErrorKind, Value};

use crate::sharding::template::scan::{TemplateBlock, TemplateToken, blocks};

/// The maximum size of a template in bytes: many times the largest built-in one.
const MAX_BYTES: usize = 64 << 10;

/// The maximum number of tokens of one `{{ … }}` or `{% … %}`. The engine takes some stack for each operator.
const MAX_TOKENS: usize = 256;

/// The maximum depth of statements. The engine takes some stack for each, and loops in loops multiply rounds.
const MAX_DEPTH: usize = 8;

/// The size of an input variable of a template. Only ratios count: see [`MAX_SIZE`].
const GIVEN: u64 = 16;

/// The maximum size of an expression: 256 times the input of the template.
const MAX_SIZE: u64 = 4096;

/// The maximum output of the filters `join` and `replace` in bytes: beyond any label, rule or sentence.
const MAX_FILTERED: usize = 64 << 10;

/// Filters and functions with large outputs from small inputs; no built-in template needs them.
const REMOVED_FILTERS: &[&str] = &[
    "batch", "format", "groupby", "indent", "map", "pprint", "slice", "sum",
];
const REMOVED_FUNCTIONS: &[&str] = &["debug", "namespace", "range"];

/// Statements that capture the output of other statements, or hide text from the check.
const REFUSED: &[&str] = &["filter", "raw", "macro", "call"];

/// A limit that a template exceeds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TemplateExcess {
    /// Where, from 1.
    pub(super) line: usize,
    /// The message, with the limit.
    pub(super) message: String,
}

impl TemplateExcess {
    fn new(block: &TemplateBlock<'_>, message: impl Into<String>) -> Self {
        Self {
            line: block.line,
            message: message.into(),
        }
    }
}

/// Sizes of variables by name.
type Sizes<'t> = BTreeMap<&'t str, u64>;

/// Checks a template.
///
/// # Errors
/// The first limit that it exceeds.
pub(super) fn check(text: &str) -> Result<(), TemplateExcess> {
    if text.len() > MAX_BYTES {
        let message = format!(
            "the template has {} bytes: the maximum is {MAX_BYTES}",
            text.len()
        );
        return Err(TemplateExcess { line: 1, message });
    }
    let blocks = blocks(text);
    let mut depth = 0_usize;
    for block in &blocks {
        check_block(block)?;
        match block.keyword() {
            "for" | "if" | "with" | "autoescape" => depth += 1,
            keyword if keyword.starts_with("end") => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_DEPTH {
            return Err(TemplateExcess::new(
                block,
                format!("statements are nested too deeply: the maximum depth is {MAX_DEPTH}"),
            ));
        }
    }
    grow(&blocks, &mut Sizes::new())
}

/// The checks of one block, independent of others.
fn check_block(block: &TemplateBlock<'_>) -> Result<(), TemplateExcess> {
    let n_tokens = block.tokens.len();
    if n_tokens > MAX_TOKENS {
        return Err(TemplateExcess::new(
            block,
            format!("the expression has {n_tokens} tokens: the maximum is {MAX_TOKENS}"),
        ));
    }
    let keyword = block.keyword();
    let is_capture = keyword == "set" && !block.tokens.contains(&TemplateToken::Mark('='));
    if REFUSED.contains(&keyword) || is_capture {
        return Err(TemplateExcess::new(
            block,
            format!("a template cannot use the block `{keyword}`"),
        ));
    }
    if keyword == "for" && block.tokens.contains(&TemplateToken::Word("recursive")) {
        return Err(TemplateExcess::new(
            block,
            "a template cannot use `recursive` loops",
        ));
    }
    Ok(())
}

/// Follows the sizes of variables through blocks.
fn grow<'t>(blocks: &[TemplateBlock<'t>], sizes: &mut Sizes<'t>) -> Result<(), TemplateExcess> {
    let mut at = 0;
    while let Some(block) = blocks.get(at) {
        let size = size(block, sizes)?;
        at += 1;
        for name in assigned(block) {
            let known = sizes.entry(name).or_default();
            *known = size.max(*known);
        }
        if block.keyword() == "for" {
            let body = &blocks[at..at + body_len(&blocks[at..])];
            // Twice, as a name may be used before the line that sets it. A value that still grows is unbounded.
            grow(body, sizes)?;
            grow(body, sizes)?;
            let before = sizes.clone();
            grow(body, sizes)?;
            if before != *sizes {
                return Err(TemplateExcess::new(
                    block,
                    "a value must not grow in every iteration of a loop",
                ));
            }
            at += body.len();
        }
    }
    Ok(())
}

/// The number of blocks before the end of a loop.
fn body_len(blocks: &[TemplateBlock<'_>]) -> usize {
    let mut depth = 1;
    for (at, block) in blocks.iter().enumerate() {
        match block.keyword() {
            "for" => depth += 1,
            "endfor" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at;
        }
    }
    blocks.len()
}

/// The names that a statement sets.
fn assigned<'t>(block: &TemplateBlock<'t>) -> Vec<&'t str> {
    let tokens = block.tokens.as_slice();
    let words = |tokens: &[TemplateToken<'t>]| -> Vec<&'t str> {
        let word = |token: &TemplateToken<'t>| {
            if let TemplateToken::Word(word) = token {
                Some(*word)
            } else {
                None
            }
        };
        tokens.iter().filter_map(word).collect()
    };
    match block.keyword() {
        "for" => {
            let end = tokens
                .iter()
                .position(|token| *token == TemplateToken::Word("in"))
                .unwrap_or(tokens.len());
            words(&tokens[1..end])
        }
        // Several names before a sign, such as `a, b = c`: all of them.
        "set" | "with" => {
            let end = tokens
                .iter()
                .rposition(|token| *token == TemplateToken::Mark('='))
                .unwrap_or(tokens.len());
            words(&tokens[1..end])
        }
        _ => Vec::new(),
    }
}

/// The size of what a block computes at most.
fn size(block: &TemplateBlock<'_>, sizes: &Sizes<'_>) -> Result<u64, TemplateExcess> {
    let tokens = &block.tokens;
    let start = match block.keyword() {
        "for" => {
            tokens
                .iter()
                .position(|token| *token == TemplateToken::Word("in"))
                .unwrap_or_default()
                + 1
        }
        "" => 0,
        _ => 1,
    };
    let (mut sum, mut factor) = (0_u64, 1_u64);
    for (at, token) in tokens.iter().enumerate() {
        match token {
            // Names that the block assigns to, and names of arguments, have no size.
            TemplateToken::Word(_) if at < start || is_named(tokens, at) => {}
            // A member of the preceding value.
            TemplateToken::Word(_) if at > 0 && tokens[at - 1] == TemplateToken::Mark('.') => {}
            TemplateToken::Word(word) => {
                sum = sum.saturating_add(sizes.get(word).copied().unwrap_or(GIVEN))
            }
            TemplateToken::Text(len) => sum = sum.saturating_add(*len as u64),
            TemplateToken::Number(_) => sum = sum.saturating_add(1),
            TemplateToken::Mark('*') => factor = factor.saturating_mul(times(tokens, at)),
            TemplateToken::Mark(_) => {}
        }
    }
    let size = sum.saturating_mul(factor);
    if size > MAX_SIZE {
        let times = MAX_SIZE / GIVEN;
        return Err(TemplateExcess::new(
            block,
            format!("a value may grow to more than {times} times the size of its inputs"),
        ));
    }
    Ok(size)
}

/// Returns whether an `=` assigns to a name.
fn is_named(tokens: &[TemplateToken<'_>], at: usize) -> bool {
    tokens.get(at + 1) == Some(&TemplateToken::Mark('='))
        && tokens.get(at + 2) != Some(&TemplateToken::Mark('='))
}

/// The factor of a `*`: the number next to it. Two unknown values have no bound.
fn times(tokens: &[TemplateToken<'_>], at: usize) -> u64 {
    let number = |token: Option<&TemplateToken<'_>>| {
        if let Some(TemplateToken::Number(number)) = token {
            Some(*number)
        } else {
            None
        }
    };
    let before = at
        .checked_sub(1)
        .and_then(|before| number(tokens.get(before)));
    before.max(number(tokens.get(at + 1))).unwrap_or(u64::MAX)
}

/// Removes from an engine what [`check`] cannot analyze.
pub(super) fn restrict(engine: &mut Environment) {
    for name in REMOVED_FILTERS {
        engine.remove_filter(name);
    }
    for name in REMOVED_FUNCTIONS {
        engine.remove_global(name);
    }
    engine.add_filter("join", join);
    engine.add_filter("replace", replace);
}

fn too_long(filter: &str) -> Error {
    Error::new(
        ErrorKind::InvalidOperation,
        format!("the output of `{filter}` exceeds {MAX_FILTERED} bytes"),
    )
}

fn join(items: &Value, separator: Option<&str>) -> Result<String, Error> {
    let mut joined = String::new();
    for (index, item) in items.try_iter()?.enumerate() {
        if index > 0 {
            joined.push_str(separator.unwrap_or_default());
        }
        match item.as_str() {
            Some(text) => joined.push_str(text),
            None => joined.push_str(&item.to_string()),
        }
        if joined.len() > MAX_FILTERED {
            return Err(too_long("join"));
        }
    }
    Ok(joined)
}

fn replace(text: &str, from: &str, to: &str) -> Result<String, Error> {
    let n_places = text.matches(from).count();
    if n_places.saturating_mul(to.len()).saturating_add(text.len()) > MAX_FILTERED {
        return Err(too_long("replace"));
    }
    Ok(text.replace(from, to))
}

/// Stores the output of a template, up to a number of bytes.
#[derive(Debug)]
pub(super) struct BoundedText {
    /// The output.
    pub(super) bytes: Vec<u8>,
    /// The maximum size.
    pub(super) max: usize,
}

impl io::Write for BoundedText {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + bytes.len() > self.max {
            return Err(io::Error::other(format!(
                "the output exceeds {} bytes",
                self.max
            )));
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_built_in_is_within_bounds() {
        for (name, text) in crate::sharding::template::BUILTIN
            .iter()
            .chain(crate::sharding::template::PAGES)
        {
            assert_eq!(check(text), Ok(()), "{name}");
        }
    }

    #[test]
    fn what_users_write_is_within_bounds() {
        for text in [
            "{% set key = \"__meta_kubernetes_\" ~ zone_of ~ \"_label_zone\" %}{{ key }}",
            "{% for rule in additional %}{% if rule %}- {{ rule | upper }}{% endif %}{% endfor %}",
            "{% set a, b = [1, 2] %}{% with c = a %}{{ modulus * 2 + c }}{% endwith %}",
            "{% set x = \"a\" %}{% for i in [1, 2] %}{% set x = \"b\" ~ i %}{{ x }}{% endfor %}",
        ] {
            assert_eq!(check(text), Ok(()), "{text}");
        }
    }

    #[test]
    fn what_grows_is_refused() {
        let doubled = "{% set x = x ~ x %}".repeat(40);
        let listed = "{% set x = [x, x, x, x] %}".repeat(8);
        for (text, expected) in [
            (
                "{% for i in a %}{% set x = x ~ x %}{% endfor %}",
                "in every iteration",
            ),
            (doubled.as_str(), "256 times"),
            (listed.as_str(), "256 times"),
            ("{% set x = \"a\" * 99999 %}", "256 times"),
            ("{{ 9 ** 9 ** 9 }}", "256 times"),
            ("{{ \"a\" * n }}", "256 times"),
            (
                "{% set x %}{{ x }}{{ x }}{% endset %}",
                "cannot use the block `set`",
            ),
            (
                "{% filter upper %}{% endfilter %}",
                "cannot use the block `filter`",
            ),
            (
                "{%- raw -%}{{ { }}{% endraw %}",
                "cannot use the block `raw`",
            ),
            (
                "{% for i in a recursive %}{{ loop([i, i]) }}{% endfor %}",
                "recursive",
            ),
        ] {
            let excess = check(text).unwrap_err();
            assert!(
                excess.message.contains(expected),
                "{text}: {}",
                excess.message
            );
        }
    }

    #[test]
    fn what_nests_is_refused() {
        for text in [
            format!("{{{{ {}1 }}}}", "not ".repeat(60_000)),
            format!("{{{{ 1{} }}}}", "+1".repeat(20_000)),
            format!("{{{{ x{} }}}}", "|upper".repeat(5_000)),
            format!(
                "{}{}",
                "{% if x %}".repeat(1000),
                "{% endif %}".repeat(1000)
            ),
            "{{ \"\" }}".repeat(20_000),
        ] {
            check(&text).unwrap_err();
        }
    }
}
