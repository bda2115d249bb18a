//! What `sigs.k8s.io/yaml` changes or refuses, because it writes JSON, reads that as YAML, and writes it again.

use crate::yaml::Value;

/// The one break that JSON leaves as it is, and YAML takes for the end of a line.
const NEXT_LINE: char = '\u{85}';

/// The text that arrives at the emitter, if it is not the one that was sent.
pub(super) fn replaced(text: &str) -> Option<String> {
    text.contains(NEXT_LINE).then(|| folded(text))
}

/// Text as it is read from double quotes: a line break becomes a space, of several all but one stay, spaces around them
/// are dropped.
fn folded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut lines = text.split(NEXT_LINE).peekable();
    let mut breaks = 0;
    while let Some(line) = lines.next() {
        let last = lines.peek().is_none();
        let line = if breaks > 0 {
            line.trim_start_matches(' ')
        } else {
            line
        };
        let line = if last {
            line
        } else {
            line.trim_end_matches(' ')
        };
        if !line.is_empty() || last {
            match breaks {
                0 => {}
                1 => out.push(' '),
                _ => out.extend(std::iter::repeat_n('\n', breaks - 1)),
            }
            breaks = 0;
        }
        out.push_str(line);
        breaks += 1;
    }
    out
}

/// A part of a value that may be refused.
#[derive(Clone, Copy)]
enum CheckedValue<'v> {
    Key(&'v str),
    Text(&'v str),
    Float(f64),
}

/// Says what Go would say about a value that it cannot write.
pub(super) fn check(value: &Value) -> Result<(), String> {
    // JSON is written first, so what it refuses comes before what YAML's reader does.
    visit(value, &mut json_number)?;
    visit(value, &mut characters)?;
    let mut line = 0;
    visit(value, &mut |leaf| match leaf {
        CheckedValue::Key(key) => simple_key(key, &mut line),
        CheckedValue::Text(text) => no_marker(text, &mut line),
        CheckedValue::Float(_) => Ok(()),
    })
}

fn visit(
    value: &Value,
    look: &mut impl FnMut(CheckedValue<'_>) -> Result<(), String>,
) -> Result<(), String> {
    match value {
        Value::Float(float) => look(CheckedValue::Float(*float)),
        Value::Str(text) | Value::StandIn(text) | Value::Binary(text) => {
            look(CheckedValue::Text(text))
        }
        Value::Seq(items) => items.iter().try_for_each(|item| visit(item, look)),
        Value::Map(map) => map.iter().try_for_each(|(key, value)| {
            look(CheckedValue::Key(key))?;
            visit(value, look)
        }),
        _ => Ok(()),
    }
}

fn json_number(leaf: CheckedValue<'_>) -> Result<(), String> {
    match leaf {
        CheckedValue::Float(float) if float.is_nan() => {
            Err("json: unsupported value: NaN".to_owned())
        }
        CheckedValue::Float(float) if float.is_infinite() => Err(format!(
            "json: unsupported value: {}Inf",
            if float > 0.0 { '+' } else { '-' }
        )),
        _ => Ok(()),
    }
}

/// Characters that JSON leaves as they are and YAML's reader refuses.
fn characters(leaf: CheckedValue<'_>) -> Result<(), String> {
    let refused =
        |c| matches!(c, '\x7f'..='\u{84}' | '\u{86}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}');
    match leaf {
        CheckedValue::Key(text) | CheckedValue::Text(text) if text.contains(refused) => {
            Err("yaml: control characters are not allowed".to_owned())
        }
        _ => Ok(()),
    }
}

/// The characters from the start of a key to its colon at most, as YAML's scanner has it.
const LONGEST_KEY: usize = 1024;

/// A key has to end on its line and not too far right. Counts the lines that end in text.
fn simple_key(key: &str, line: &mut usize) -> Result<(), String> {
    let start = *line;
    no_marker(key, line)?;
    if *line == start && json_width(key) <= LONGEST_KEY {
        return Ok(());
    }
    let place = if *line > 0 {
        format!("line {line}: ")
    } else {
        String::new()
    };
    Err(format!("yaml: {place}did not find expected ',' or '}}'"))
}

/// No line of the text may be a document marker.
fn no_marker(text: &str, line: &mut usize) -> Result<(), String> {
    let mut rest = text;
    while let Some((_, after)) = rest.split_once(NEXT_LINE) {
        *line += 1;
        rest = after;
        let marker = rest
            .strip_prefix("---")
            .or_else(|| rest.strip_prefix("..."));
        if marker.is_some_and(|after| after.starts_with([' ', NEXT_LINE])) {
            return Err(format!(
                "yaml: line {}: found unexpected document indicator",
                *line + 1
            ));
        }
    }
    Ok(())
}

/// The number of characters of the text in JSON, by the rules of Go's encoder, quotes included.
fn json_width(text: &str) -> usize {
    let width = |c| match c {
        '"' | '\\' | '\n' | '\r' | '\t' | '\x08' | '\x0c' => 2,
        '\0'..='\x1f' | '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => "\\u0000".len(),
        _ => 1,
    };
    2 + text.chars().map(width).sum::<usize>()
}
