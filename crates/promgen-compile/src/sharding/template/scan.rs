//! The blocks of a template and the tokens in them, without an engine.
//!
//! In: the text of a template. Out: its `{{ … }}` and `{% … %}` as tokens. Ends blocks where the engine ends them: outside of
//! strings and brackets. The result for an invalid template does not matter, as the engine reports it.

/// A piece of an expression or statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TemplateToken<'t> {
    /// A name or keyword.
    Word(&'t str),
    /// A number. One that does not fit is the maximum.
    Number(u64),
    /// A string literal of that many bytes.
    Text(usize),
    /// Any other character.
    Mark(char),
}

/// A `{{ … }}` or `{% … %}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TemplateBlock<'t> {
    /// Its line, from 1.
    pub(super) line: usize,
    /// It is a `{% … %}`.
    pub(super) is_statement: bool,
    /// Its tokens.
    pub(super) tokens: Vec<TemplateToken<'t>>,
}

impl<'t> TemplateBlock<'t> {
    /// The keyword of a statement.
    pub(super) fn keyword(&self) -> &'t str {
        match self.tokens.first() {
            Some(TemplateToken::Word(word)) if self.is_statement => word,
            _ => "",
        }
    }
}

/// The blocks of a template.
pub(super) fn blocks(text: &str) -> Vec<TemplateBlock<'_>> {
    let (mut blocks, mut at, mut line, mut counted) = (Vec::new(), 0, 1, 0);
    while let Some(start) = text[at..].find('{').map(|found| at + found) {
        at = match text.as_bytes().get(start + 1) {
            Some(b'#') => text[start..]
                .find("#}")
                .map_or(text.len(), |end| start + end + 2),
            Some(sign @ (b'{' | b'%')) => {
                line += text[counted..start].matches('\n').count();
                counted = start;
                let is_statement = *sign == b'%';
                let (tokens, end) = tokens(text, start + 2, if is_statement { "%}" } else { "}}" });
                blocks.push(TemplateBlock {
                    line,
                    is_statement,
                    tokens,
                });
                end
            }
            _ => start + 1,
        };
    }
    blocks
}

/// The tokens of a block from there on, and where it ends.
fn tokens<'t>(text: &'t str, start: usize, end: &str) -> (Vec<TemplateToken<'t>>, usize) {
    let (mut tokens, mut at, mut depth) = (Vec::new(), start, 0_isize);
    // A `-` or `+` at either end of a block controls white space.
    if text[at..].starts_with(['-', '+']) {
        at += 1;
    }
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        if depth == 0 {
            let body = rest.strip_prefix(['-', '+']).unwrap_or(rest);
            if body.starts_with(end) {
                return (tokens, text.len() - body.len() + end.len());
            }
        }
        at += match c {
            _ if c.is_whitespace() => c.len_utf8(),
            '"' | '\'' => {
                let len = text_len(rest);
                tokens.push(TemplateToken::Text(len.saturating_sub(2)));
                len
            }
            _ if c.is_alphanumeric() || c == '_' => {
                let word = word(rest, c.is_ascii_digit());
                tokens.push(if c.is_ascii_digit() {
                    TemplateToken::Number(number(word))
                } else {
                    TemplateToken::Word(word)
                });
                word.len()
            }
            _ => {
                depth += match c {
                    '(' | '[' | '{' => 1,
                    ')' | ']' | '}' => -1,
                    _ => 0,
                };
                tokens.push(TemplateToken::Mark(c));
                c.len_utf8()
            }
        };
    }
    (tokens, text.len())
}

/// The length of the string literal that the text begins with.
fn text_len(text: &str) -> usize {
    let delimiter = text.as_bytes().first().copied();
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            _ if Some(byte) == delimiter => return at + 1,
            _ => {}
        }
    }
    text.len()
}

fn word(text: &str, is_number: bool) -> &str {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || (is_number && c == '.');
    &text[..text.find(|c| !is_part(c)).unwrap_or(text.len())]
}

/// A plain number; one with an exponent or a radix counts as the maximum.
fn number(word: &str) -> u64 {
    let whole = word.split('.').next().unwrap_or_default().replace('_', "");
    if word.contains(['e', 'E']) {
        u64::MAX
    } else {
        whole.parse().unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_end_outside_of_strings_and_brackets() {
        let text = "a {# {{ no }} #}\n{%- set x = {\"a\": {'}}': 1}} -%}\n{{ x ~ \"%}\\\"\" }}{";
        let found = blocks(text);
        let shown: Vec<_> = found
            .iter()
            .map(|block| (block.line, block.keyword(), block.tokens.len()))
            .collect();
        assert_eq!(shown, [(2, "set", 12), (3, "", 3)]);
        assert_eq!(
            found[1].tokens,
            [
                TemplateToken::Word("x"),
                TemplateToken::Mark('~'),
                TemplateToken::Text(4)
            ]
        );
    }

    #[test]
    fn numbers_are_read_or_the_greatest() {
        for (text, expected) in [
            ("12", 12),
            ("1_000", 1000),
            ("1.5", 1),
            ("0xff", u64::MAX),
            ("1e9", u64::MAX),
        ] {
            assert_eq!(
                blocks(&format!("{{{{ {text} }}}}"))[0].tokens,
                [TemplateToken::Number(expected)],
                "{text}"
            );
        }
    }
}
