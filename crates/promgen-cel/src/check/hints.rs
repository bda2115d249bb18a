//! Hints: what is right, and probably not meant.

use crate::evaluate::CelExpression;
use crate::fault::{CelFault, CelMeter, CelSpan, CelStop};
use crate::functions::{self, CelFunction};
use crate::tree::{CelCall, CelConstant, CelKind, CelNode};
use crate::value::CelValue;

impl CelExpression {
    /// What is probably not meant, in the order of the places: patterns whose `^` and `$` do not hold for all alternatives.
    #[must_use]
    pub fn hints(&self) -> Vec<CelFault> {
        let mut hints = Vec::new();
        patterns(&self.root, &mut hints);
        hints.sort_by_key(|hint| hint.span.start);
        hints
    }
}

impl CelExpression {
    /// The parts that have no value whatever is asked: `duration('1d')`, or `matches` of a pattern that is none.
    #[must_use]
    pub fn constant_faults(&self) -> Vec<CelFault> {
        let (mut found, mut todo) = (Vec::new(), vec![&self.root]);
        while let Some(node) = todo.pop() {
            if let CelKind::Call(call) = &node.kind {
                found.extend(constant_fault(call, node.span));
            }
            todo.extend(node.kind.children());
        }
        found.sort_by_key(|fault| fault.span.start);
        found
    }
}

/// The most steps for a part that is constant.
const MAX_STEPS: u64 = 10_000;

/// The error of a function whose arguments are constants, or whose pattern is one.
fn constant_fault(call: &CelCall, span: CelSpan) -> Option<CelFault> {
    let mut arguments: Vec<Option<CelValue<'_>>> = Vec::new();
    for argument in &call.arguments {
        arguments.push(match &argument.kind {
            CelKind::Constant(constant) => Some(constant.value()),
            _ => None,
        });
    }
    // Any text tells whether a pattern is one.
    if let (CelFunction::Matches, [of @ None, Some(_)]) = (call.function, &mut *arguments) {
        *of = Some(CelValue::text(""));
    }
    let arguments: Vec<CelValue<'_>> = arguments.into_iter().collect::<Option<_>>()?;
    let meter = &mut CelMeter(&mut MAX_STEPS.clone());
    match functions::call(call.function, &arguments, call.pattern.as_ref(), meter) {
        Err(CelStop::Error(error)) => Some(CelFault::new(error.message, span)),
        _ => None,
    }
}

fn patterns(node: &CelNode, hints: &mut Vec<CelFault>) {
    if let CelKind::Call(call) = &node.kind
        && call.function == CelFunction::Matches
        && let [_, argument] = &*call.arguments
        && let CelKind::Constant(CelConstant::Text(pattern)) = &argument.kind
        && let Some(meant) = bracketed(pattern)
    {
        let message = format!("`^` and `$` bind to one alternative each: write `{meant}`");
        hints.push(CelFault::new(message, argument.span));
    }
    for part in node.kind.children() {
        patterns(part, hints);
    }
}

/// A pattern such as `^a|b$` with brackets around its alternatives. `None`: it has no alternatives, or others have a `^` or a
/// `$` too.
fn bracketed(pattern: &str) -> Option<String> {
    let flags = match pattern.strip_prefix("(?") {
        Some(rest) => {
            let end = rest.find(|c: char| !c.is_ascii_alphabetic() && c != '-')?;
            rest[end..].starts_with(')').then_some(end + 3)
        }
        None => None,
    };
    let (flags, of) = pattern.split_at(flags.unwrap_or(0));
    let (starts, ends) = (of.strip_prefix('^')?, of.strip_suffix('$')?);
    let inner = starts.strip_suffix('$')?;
    let alternatives = alternatives(of)?;
    let [first, between @ .., last] = &*alternatives else {
        return None;
    };
    let has_end = |part: &str| ends_line(part);
    let is_one = !has_end(first)
        && !last.starts_with('^')
        && has_end(last)
        && ends.len() < of.len()
        && !between
            .iter()
            .any(|part| part.starts_with('^') || has_end(part));
    is_one.then(|| format!("{flags}^({inner})$"))
}

/// Returns whether a part ends with a `$` that is no letter.
fn ends_line(part: &str) -> bool {
    let before = part.strip_suffix('$');
    before.is_some_and(|before| {
        let n_slashes = before.len() - before.trim_end_matches('\\').len();
        n_slashes % 2 == 0
    })
}

/// The alternatives of a pattern that stand in no brackets. `None`: it is not easy to tell.
fn alternatives(pattern: &str) -> Option<Vec<&str>> {
    let (mut depth, mut start) = (0_usize, 0);
    let mut parts = Vec::new();
    let mut chars = pattern.char_indices().peekable();
    while let Some((at, found)) = chars.next() {
        match found {
            // What stands behind `\Q` are letters.
            '\\' if chars.next()?.1 == 'Q' => return None,
            '[' => {
                // `]` is a letter in front.
                chars.next_if(|(_, next)| *next == '^');
                chars.next_if(|(_, next)| *next == ']');
                loop {
                    match chars.next()?.1 {
                        '\\' => {
                            chars.next()?;
                        }
                        // A class such as `[:alpha:]`.
                        '[' if chars.next_if(|(_, next)| *next == ':').is_some() => {
                            while chars.next()?.1 != ':' {}
                            chars.next_if(|(_, next)| *next == ']');
                        }
                        ']' => break,
                        _ => {}
                    }
                }
            }
            '(' => depth += 1,
            ')' => depth = depth.checked_sub(1)?,
            '|' if depth == 0 => {
                parts.push(&pattern[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&pattern[start..]);
    (depth == 0).then_some(parts)
}
