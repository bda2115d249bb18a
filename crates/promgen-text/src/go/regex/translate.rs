//! Writes a tree as a pattern of the `regex` crate.
//!
//! Nothing depends on the engine's defaults: flags are next to their operands, and every special character is written
//! as its number.

use std::fmt::Write as _;

use crate::go::regex::ast::{CharClass, ClassItem, LookAround, RegexNode};

/// The precedence of a position; a node that binds less tightly gets parentheses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Precedence {
    Alternate,
    Concat,
    Repeat,
}

/// The equivalent pattern of the engine.
pub(super) fn translate(root: &RegexNode) -> String {
    let mut out = String::new();
    write_node(&mut out, root, Precedence::Alternate);
    out
}

fn write_node(out: &mut String, node: &RegexNode, place: Precedence) {
    if binding(node) < place {
        out.push_str("(?:");
        write_bare(out, node);
        out.push(')');
    } else {
        write_bare(out, node);
    }
}

fn binding(node: &RegexNode) -> Precedence {
    match node {
        RegexNode::Alternate(_) => Precedence::Alternate,
        // A repeated repetition gets parentheses: `(?:a*)?` without them is a lazy `a*?`.
        RegexNode::Concat(_) | RegexNode::Repeat { .. } | RegexNode::Empty => Precedence::Concat,
        RegexNode::Literal { fold: false, .. } if !node.is_one_char() => Precedence::Concat,
        _ => Precedence::Repeat,
    }
}

fn write_bare(out: &mut String, node: &RegexNode) {
    match node {
        RegexNode::Empty => out.push_str("(?:)"),
        RegexNode::Literal { text, fold } => write_literal(out, text, *fold),
        RegexNode::Class(class) => write_class(out, class),
        RegexNode::Any { newline: true } => out.push_str("(?s:.)"),
        RegexNode::Any { newline: false } => out.push_str("(?-s:.)"),
        RegexNode::Look(look) => out.push_str(look_text(*look)),
        RegexNode::Capture(sub) => {
            out.push('(');
            write_node(out, sub, Precedence::Alternate);
            out.push(')');
        }
        RegexNode::Repeat {
            sub,
            min,
            max,
            greedy,
        } => {
            write_node(out, sub, Precedence::Repeat);
            write_counts(out, *min, *max);
            if !greedy {
                out.push('?');
            }
        }
        RegexNode::Concat(items) => items
            .iter()
            .for_each(|item| write_node(out, item, Precedence::Concat)),
        RegexNode::Alternate(items) => {
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push('|');
                }
                write_node(out, item, Precedence::Concat);
            }
        }
    }
}

const fn look_text(look: LookAround) -> &'static str {
    match look {
        LookAround::TextStart => r"\A",
        LookAround::TextEnd => r"\z",
        LookAround::LineStart => "(?m:^)",
        LookAround::LineEnd => "(?m:$)",
        // Go's `\b` knows ASCII words only.
        LookAround::WordBoundary => r"(?-u:\b)",
        LookAround::NotWordBoundary => r"(?-u:\B)",
    }
}

fn write_counts(out: &mut String, min: u32, max: Option<u32>) {
    match (min, max) {
        (0, None) => out.push('*'),
        (1, None) => out.push('+'),
        (0, Some(1)) => out.push('?'),
        (min, None) => write(out, format_args!("{{{min},}}")),
        (min, Some(max)) => write(out, format_args!("{{{min},{max}}}")),
    }
}

fn write_literal(out: &mut String, text: &str, fold: bool) {
    if fold {
        out.push_str("(?i:");
    }
    for c in text.chars() {
        write_char(out, c);
    }
    if fold {
        out.push(')');
    }
}

fn write_char(out: &mut String, c: char) {
    if c.is_ascii_alphanumeric() {
        out.push(c);
    } else {
        write(out, format_args!(r"\x{{{:X}}}", u32::from(c)));
    }
}

fn write_class(out: &mut String, class: &CharClass) {
    if class.fold {
        out.push_str("(?i:");
    }
    out.push_str(if class.negated { "[^" } else { "[" });
    let before = out.len();
    for item in &class.items {
        write_item(out, item);
    }
    if out.len() == before {
        // The engine has no empty class.
        out.push_str(r"[^\x{0}-\x{10FFFF}]");
    }
    out.push(']');
    if class.fold {
        out.push(')');
    }
}

fn write_item(out: &mut String, item: &ClassItem) {
    match item {
        ClassItem::Range(low, high) => write_range(out, *low, *high),
        ClassItem::Ascii { ranges, negated } => write_group(out, *negated, |out| {
            for &(low, high) in *ranges {
                write_range(out, low.into(), high.into());
            }
        }),
        ClassItem::Unicode { property, negated } => {
            write_group(out, *negated, |out| out.push_str(&property.engine_class()));
        }
    }
}

fn write_group(out: &mut String, negated: bool, items: impl FnOnce(&mut String)) {
    if negated {
        out.push_str("[^");
    }
    items(out);
    if negated {
        out.push(']');
    }
}

/// A range, without the surrogates, which the engine cannot name and no text contains.
fn write_range(out: &mut String, low: u32, high: u32) {
    const SURROGATES: std::ops::RangeInclusive<u32> = 0xD800..=0xDFFF;
    let low = if SURROGATES.contains(&low) {
        SURROGATES.end() + 1
    } else {
        low
    };
    let high = if SURROGATES.contains(&high) {
        SURROGATES.start() - 1
    } else {
        high
    };
    if let (true, Some(low), Some(high)) = (low <= high, char::from_u32(low), char::from_u32(high))
    {
        write_char(out, low);
        if low < high {
            out.push('-');
            write_char(out, high);
        }
    }
}

fn write(out: &mut String, args: std::fmt::Arguments<'_>) {
    out.write_fmt(args)
        .expect("writing to a string does not fail");
}
