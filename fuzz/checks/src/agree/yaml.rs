//! The YAML reader and another parser, which shares no code with it: on what means the same to both, they read the same.
//!
//! The first byte chooses. A tree written in random styles is taken by both, and both read the tree; of any other text that
//! both take, they read the same. What is not common: tags, directives, merge keys, keys that are no text, plain scalars that
//! YAML 1.1 and 1.2 resolve differently, and a `:` before a sign of flow: in `[a:]` it is part of the text for Go's parser,
//! and in YAML 1.2 the end of a key.

use std::collections::BTreeMap;

use arbitrary::{Result, Unstructured};
use granit_parser::{Event, Parser, ScalarStyle};
use promgen_text::diag::Sink;
use promgen_text::source::FileId;
use promgen_text::yaml::Value;
use promgen_text::yaml::read::read;

use crate::within;

/// A value of what both know.
#[derive(Clone, Debug, PartialEq)]
enum Tree {
    /// A plain scalar, as it is written.
    Plain(String),
    /// Any other scalar.
    Text(String),
    Seq(Vec<Self>),
    Map(Vec<(Self, Self)>),
}

/// Reads a text with both.
pub fn agree(data: &[u8]) {
    within(data.len(), || {
        let Some((choice, rest)) = data.split_first() else {
            return;
        };
        if choice % 2 == 1 {
            let mut source = Unstructured::new(rest);
            let Ok(tree) = generate(&mut source, 0) else {
                return;
            };
            let mut text = String::new();
            if write(&tree, &mut source, &mut text).is_err() {
                return;
            }
            // Without it, a literal block at the end ends in a line break to one of them.
            text.push('\n');
            let theirs = theirs(&text).unwrap_or_else(|why| panic!("{why}: {text}"));
            assert_eq!(
                theirs,
                [tree],
                "the other parser reads another tree of\n{text}"
            );
            let ours = ours(&text).unwrap_or_else(|why| panic!("{why}: {text}"));
            compare_all(&ours, &theirs, &text);
        } else if let Ok(text) = str::from_utf8(data)
            && is_common(text)
            && let (Ok(ours), Ok(theirs)) = (ours(text), theirs(text))
        {
            compare_all(&ours, &theirs, text);
        }
    });
}

/// Returns whether a text has nothing that only one of them knows, or that they read differently by design.
fn is_common(text: &str) -> bool {
    let is_plain_ascii = |c: char| matches!(c, ' '..='~' | '\n');
    let is_directive = |line: &str| line.starts_with('%');
    text.split(['&', '*']).skip(1).all(has_plain_name)
        && text.ends_with('\n')
        && text.chars().all(is_plain_ascii)
        && !text.contains(['!', '?'])
        && !text.contains("<<")
        && !text
            .split(':')
            .skip(1)
            .any(|rest| rest.starts_with([',', '[', ']', '{', '}']))
        && !text.lines().any(is_directive)
}

/// Returns whether what follows the sign of an anchor or an alias is a name to both: YAML 1.2 takes more characters.
fn has_plain_name(rest: &str) -> bool {
    let end = rest
        .find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-')
        .unwrap_or(rest.len());
    end > 0 && rest[end..].starts_with([' ', '\n'])
}

fn compare_all(ours: &[Value], theirs: &[Tree], text: &str) {
    let theirs: Vec<&Tree> = theirs.iter().filter(|tree| !is_null(tree)).collect();
    assert_eq!(
        ours.len(),
        theirs.len(),
        "another number of documents in\n{text}"
    );
    for (ours, theirs) in ours.iter().zip(theirs) {
        assert!(
            is_same(ours, theirs),
            "{ours:?}\nis not\n{theirs:?}\nin\n{text}"
        );
    }
}

/// An empty document, which the reader skips.
fn is_null(tree: &Tree) -> bool {
    matches!(tree, Tree::Plain(text) if matches!(text.as_str(), "" | "~" | "null" | "Null" | "NULL"))
}

/// Returns whether the reader made of a value what it has to.
fn is_same(ours: &Value, theirs: &Tree) -> bool {
    match (ours, theirs) {
        (Value::Seq(ours), Tree::Seq(theirs)) => {
            ours.len() == theirs.len()
                && ours
                    .iter()
                    .zip(theirs)
                    .all(|(ours, theirs)| is_same(ours, theirs))
        }
        (Value::Map(ours), Tree::Map(theirs)) => {
            let theirs = without_repetitions(theirs);
            ours.len() == theirs.len()
                && ours.iter().all(|(key, value)| {
                    theirs
                        .get(&**key)
                        .is_some_and(|(_, theirs)| is_same(value, theirs))
                })
        }
        (Value::Str(ours), Tree::Text(theirs) | Tree::Plain(theirs)) => **ours == **theirs,
        (Value::Null, Tree::Plain(_)) => is_null(theirs),
        (Value::Bool(ours), Tree::Plain(theirs)) => match theirs.to_lowercase().as_str() {
            "true" | "yes" | "on" | "y" => *ours,
            "false" | "no" | "off" | "n" => !*ours,
            _ => false,
        },
        // The notations of YAML 1.1 are many: what is no decimal number is left to the tests of the reader.
        (Value::Int(ours), Tree::Plain(theirs)) => {
            !is_decimal(theirs) || theirs.parse() == Ok(*ours)
        }
        (Value::Uint(ours), Tree::Plain(theirs)) => {
            !is_decimal(theirs) || theirs.parse() == Ok(*ours)
        }
        (Value::Float(ours), Tree::Plain(theirs)) => {
            theirs.parse::<f64>().is_ok_and(|theirs| theirs == *ours) || theirs.contains('_')
        }
        _ => false,
    }
}

/// Returns whether a text is a number in YAML 1.1 and 1.2 alike.
fn is_decimal(text: &str) -> bool {
    let digits = text.trim_start_matches('-');
    digits.bytes().all(|byte| byte.is_ascii_digit()) && (digits == "0" || !digits.starts_with('0'))
}

/// The entries of a map by their keys as text. Of several values of a key the last counts.
fn without_repetitions(entries: &[(Tree, Tree)]) -> BTreeMap<String, (&Tree, &Tree)> {
    entries
        .iter()
        .map(|(key, value)| (key_text(key), (key, value)))
        .collect()
}

fn key_text(key: &Tree) -> String {
    match key {
        Tree::Plain(text) | Tree::Text(text) => text.clone(),
        Tree::Seq(_) | Tree::Map(_) => String::new(),
    }
}

/// The documents as the reader has them.
fn ours(text: &str) -> std::result::Result<Vec<Value>, String> {
    let mut sink = Sink::default();
    let documents = read(FileId::new(0), text, &mut sink);
    match sink.diagnostics().first() {
        Some(first) => Err(first.message.clone()),
        None => Ok(documents
            .iter()
            .map(|document| document.root.to_value())
            .collect()),
    }
}

/// The documents as the other parser has them. An error also for what is not common: keys that are resolved, or no text.
fn theirs(text: &str) -> std::result::Result<Vec<Tree>, String> {
    let (mut documents, mut anchors) = (Vec::new(), BTreeMap::new());
    let mut open: Vec<(bool, usize, Vec<Tree>)> = Vec::new();
    for event in Parser::new_from_str(text) {
        let (event, _) = event.map_err(|error| error.to_string())?;
        let (tree, anchor) = match event {
            Event::Scalar(text, ScalarStyle::Plain, anchor, None) => {
                (Tree::Plain(text.into_owned()), anchor)
            }
            Event::Scalar(text, _, anchor, None) => (Tree::Text(text.into_owned()), anchor),
            Event::Alias(anchor) => (
                Tree::clone(anchors.get(&anchor).ok_or("an alias of what holds it")?),
                0,
            ),
            Event::SequenceStart(_, anchor, None) => {
                open.push((false, anchor, Vec::new()));
                continue;
            }
            Event::MappingStart(_, anchor, None) => {
                open.push((true, anchor, Vec::new()));
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let (is_map, anchor, items) = open.pop().ok_or("an end without a start")?;
                (
                    if is_map {
                        map(items)?
                    } else {
                        Tree::Seq(items)
                    },
                    anchor,
                )
            }
            Event::Scalar(..) | Event::SequenceStart(..) | Event::MappingStart(..) => {
                return Err("a tag".to_owned());
            }
            _ => continue,
        };
        if anchor > 0 {
            anchors.insert(anchor, tree.clone());
        }
        match open.last_mut() {
            Some((_, _, items)) => items.push(tree),
            None => documents.push(tree),
        }
    }
    Ok(documents)
}

fn map(items: Vec<Tree>) -> std::result::Result<Tree, String> {
    let mut entries = Vec::new();
    let mut items = items.into_iter();
    while let (Some(key), Some(value)) = (items.next(), items.next()) {
        let is_text = match &key {
            Tree::Text(_) => true,
            Tree::Plain(text) => {
                text.bytes().any(|byte| byte.is_ascii_alphabetic()) && !is_resolved(text)
            }
            Tree::Seq(_) | Tree::Map(_) => false,
        };
        if !is_text {
            return Err("a key that is no text".to_owned());
        }
        entries.push((key, value));
    }
    Ok(Tree::Map(entries))
}

/// Returns whether a plain text with letters is no text in YAML 1.1, or may be none.
fn is_resolved(text: &str) -> bool {
    let lower = text.to_lowercase();
    let is_word =
        ["null", "true", "false", "yes", "no", "on", "off", "y", "n"].contains(&lower.as_str());
    is_word || text.starts_with(|c: char| c.is_ascii_digit() || "+-.=".contains(c))
}

/// Most collections in one another in a tree that is made up.
const MAX_DEPTH: usize = 5;

/// Characters of texts that are made up. Each means something somewhere.
const CHARACTERS: &[char] = &[
    'a',
    'b',
    'Z',
    '0',
    '7',
    ' ',
    ' ',
    '\n',
    '\n',
    ':',
    '#',
    '-',
    ',',
    '[',
    ']',
    '{',
    '}',
    '\'',
    '"',
    '\\',
    '&',
    '*',
    '|',
    '>',
    '%',
    '@',
    '`',
    '=',
    '.',
    '~',
    '/',
    '_',
    'é',
    '中',
    '\u{1f600}',
];

/// A tree that both know.
fn generate(source: &mut Unstructured<'_>, depth: usize) -> Result<Tree> {
    Ok(
        match source.int_in_range(0..=if depth < MAX_DEPTH { 4 } else { 2 })? {
            0 => Tree::Plain(
                (*source.choose(&[
                    "a",
                    "null",
                    "true",
                    "12",
                    "-3",
                    "a b",
                    "x-y/z",
                    "a:b",
                    "a#b",
                    "https://x/y=1",
                ])?)
                .to_owned(),
            ),
            1 | 2 => Tree::Text(text(source)?),
            3 => Tree::Seq(
                (0..source.int_in_range(0..=3)?)
                    .map(|_| generate(source, depth + 1))
                    .collect::<Result<_>>()?,
            ),
            _ => {
                let n_entries = source.int_in_range(0..=3)?;
                let entry = |number: usize,
                             source: &mut Unstructured<'_>|
                 -> Result<(Tree, Tree)> {
                    let key = match source.arbitrary()? {
                        true => Tree::Plain(format!("k{number}")),
                        false => Tree::Text(format!("{number}{}", text(source)?.replace('\n', ""))),
                    };
                    Ok((key, generate(source, depth + 1)?))
                };
                Tree::Map(
                    (0..n_entries)
                        .map(|number| entry(number, source))
                        .collect::<Result<_>>()?,
                )
            }
        },
    )
}

fn text(source: &mut Unstructured<'_>) -> Result<String> {
    let n_characters = source.int_in_range(0..=12)?;
    (0..n_characters)
        .map(|_| source.choose(CHARACTERS).copied())
        .collect()
}

/// Writes a tree in styles that the source chooses.
fn write(tree: &Tree, source: &mut Unstructured<'_>, out: &mut String) -> Result<()> {
    Writer { source, out }.block(tree, 0)
}

struct Writer<'w, 's> {
    source: &'w mut Unstructured<'s>,
    out: &'w mut String,
}

impl Writer<'_, '_> {
    /// A value on the lines below, each indented by as much; the root, or what stands below a key or behind a dash.
    fn block(&mut self, tree: &Tree, indent: usize) -> Result<()> {
        match tree {
            Tree::Seq(items) if !items.is_empty() && self.source.arbitrary()? => {
                for item in items {
                    self.line(indent);
                    self.out.push('-');
                    self.value(item, indent)?;
                }
            }
            Tree::Map(entries) if !entries.is_empty() && self.source.arbitrary()? => {
                for (key, value) in entries {
                    self.line(indent);
                    self.flow(key)?;
                    self.out.push(':');
                    self.value(value, indent)?;
                }
            }
            _ => {
                self.line(indent);
                self.flow(tree)?;
            }
        }
        Ok(())
    }

    /// What stands behind a dash or a colon.
    fn value(&mut self, tree: &Tree, indent: usize) -> Result<()> {
        match tree {
            Tree::Text(text) if is_literal(text) && self.source.arbitrary()? => {
                self.literal(text, indent);
                Ok(())
            }
            Tree::Seq(_) | Tree::Map(_) if self.source.arbitrary()? => {
                let deeper = self.source.int_in_range(1..=4)?;
                if self.source.ratio(1, 4)? {
                    self.out.push_str(" # comment");
                }
                self.block(tree, indent + deeper)
            }
            _ => {
                self.out
                    .push_str(if self.source.arbitrary()? { " " } else { "   " });
                self.flow(tree)
            }
        }
    }

    fn line(&mut self, indent: usize) {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        self.out.extend(std::iter::repeat_n(' ', indent));
    }

    /// A literal block. Its text keeps all of its line breaks.
    fn literal(&mut self, text: &str, indent: usize) {
        let n_breaks = text.len() - text.trim_end_matches('\n').len();
        self.out.push_str(match n_breaks {
            0 => " |2-",
            1 => " |2",
            _ => " |2+",
        });
        let lines: Vec<&str> = text
            .strip_suffix('\n')
            .unwrap_or(text)
            .split('\n')
            .collect();
        for line in lines {
            if line.is_empty() {
                self.out.push('\n');
            } else {
                self.line(indent + 2);
                self.out.push_str(line);
            }
        }
    }

    /// A value on one line.
    fn flow(&mut self, tree: &Tree) -> Result<()> {
        match tree {
            Tree::Plain(text) => self.out.push_str(text),
            Tree::Text(text) => self.quoted(text)?,
            Tree::Seq(items) => {
                self.out.push('[');
                for (number, item) in items.iter().enumerate() {
                    self.out.push_str(if number == 0 { "" } else { ", " });
                    self.flow(item)?;
                }
                self.out.push(']');
            }
            Tree::Map(entries) => {
                self.out.push('{');
                for (number, (key, value)) in entries.iter().enumerate() {
                    self.out.push_str(if number == 0 { "" } else { ", " });
                    self.flow(key)?;
                    self.out.push_str(": ");
                    self.flow(value)?;
                }
                self.out.push('}');
            }
        }
        Ok(())
    }

    fn quoted(&mut self, text: &str) -> Result<()> {
        if !text.contains('\n') && self.source.arbitrary()? {
            self.out
                .push_str(&format!("'{}'", text.replace('\'', "''")));
            return Ok(());
        }
        self.out.push('"');
        for c in text.chars() {
            let escaped = match c {
                '"' | '\\' => format!("\\{c}"),
                '\n' => "\\n".to_owned(),
                c if self.source.ratio(1, 6)? => format!("\\U{:08x}", u32::from(c)),
                c => c.to_string(),
            };
            self.out.push_str(&escaped);
        }
        self.out.push('"');
        Ok(())
    }
}

/// Returns whether a literal block can hold the text: it has a line that is not blank, and no blank one that is
/// indented.
fn is_literal(text: &str) -> bool {
    let has_content = text.contains(|c: char| c != ' ' && c != '\n');
    has_content
        && text
            .split('\n')
            .all(|line| line.is_empty() || !line.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_both_read_differently_by_design_is_left_out() {
        agree(b"res: [svc:]\n");
        assert!(!is_common("res: [svc:]\n") && is_common("res: [svc: ]\n"));
    }
}
