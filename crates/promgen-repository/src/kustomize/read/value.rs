//! What go-yaml v3, with which Kustomize reads resources, makes of scalars that v2 reads otherwise.

use std::borrow::Cow;

use promgen_text::diag::{Place, Sink};
use promgen_text::source::{Sources, Span};
use promgen_text::time::days_of_month;
use promgen_text::yaml::read::scalar::{Scalar, Tag, resolve};
use promgen_text::yaml::{Data, Entry, Node, NodeText};

use crate::kustomize::fault::{BuildFault, BuildResult, refuse};

/// The first thing that a reader found wrong. A key that overrides one of a merge is as it should be.
#[must_use]
pub fn worst(sink: &Sink) -> Option<BuildFault> {
    let is_merge = |message: &str| message.contains("merge");
    let found = sink
        .diagnostics()
        .iter()
        .find(|found| !(found.rule.code == "PG002" && is_merge(&found.message)))?;
    let span = found
        .place
        .as_ref()
        .and_then(Place::bytes)
        .unwrap_or_default();
    // `yes` and `on` are two keys to v3.
    if matches!(
        found.message.as_str(),
        "duplicate key `true`" | "duplicate key `false`"
    ) {
        return Some(BuildFault::unsupported(span, found.message.clone()));
    }
    // Text of the source may be that of a Secret.
    Some(BuildFault::new(span, found.guarded_message()))
}

/// Settles a document that was read as v2 does.
///
/// # Errors
/// A key that is no text.
pub fn convert(node: &mut Node, text: &str) -> BuildResult {
    let source = |span: Span| {
        text.get(span.start as usize..span.end as usize)
            .unwrap_or_default()
    };
    let folded = folded_annotations(node, &source);
    settle_node(node, &source)?;
    for (index, value) in folded {
        if let Some(entry) = annotations_mut(node).get_mut(index) {
            entry.value.data = value;
        }
    }
    Ok(())
}

/// The annotations that are folded texts. Kustomize sets annotations anew, as plain texts, before it writes an object and
/// reads it again.
fn folded_annotations<'t>(
    node: &mut Node,
    source: &impl Fn(Span) -> &'t str,
) -> Vec<(usize, Data)> {
    let is_folded = |entry: &Entry| {
        matches!(entry.value.data, Data::String(_)) && source(entry.value.span).starts_with('>')
    };
    let annotations = annotations_mut(node).iter().enumerate();
    annotations
        .filter(|(_, entry)| is_folded(entry))
        .map(|(index, entry)| (index, entry.value.data.clone()))
        .collect()
}

fn annotations_mut(object: &mut Node) -> &mut [Entry] {
    match object
        .find_mut(&["metadata", "annotations"])
        .map(|map| &mut map.data)
    {
        Some(Data::Map(annotations)) => annotations,
        _ => &mut [],
    }
}

fn settle_node<'t>(node: &mut Node, source: &impl Fn(Span) -> &'t str) -> BuildResult {
    let raw = source(node.span);
    match &mut node.data {
        Data::Bool(_) if !is_bool(raw) => node.data = Data::String(raw.into()),
        Data::String(value) if raw.starts_with('>') => {
            if let Some(text) = refolded(value) {
                *value = text.into();
            }
        }
        Data::String(value) if *value == raw => {
            if let Some(data) = plain(raw) {
                node.data = data;
            }
        }
        Data::Map(entries) => {
            for entry in entries {
                let raw_key = source(entry.key_span);
                if matches!(entry.key.as_ref(), "true" | "false") && is_word(raw_key) {
                    entry.key = raw_key.into();
                }
                if !is_text_key(raw_key, &entry.key) {
                    let message = format!("key `{}` is not a string; quote it", entry.key);
                    return refuse(entry.key_span, message);
                }
                settle_node(&mut entry.value, source)?;
            }
        }
        Data::Seq(items) => items
            .iter_mut()
            .try_for_each(|item| settle_node(item, source))?,
        _ => {}
    }
    Ok(())
}

/// Makes texts of absent values in `{a: , b: }`: Kustomize writes a resource and reads it again, and then they are empty.
pub fn fill_flow_maps(node: &mut Node, sources: &Sources) {
    // Others may hold the values: they are copied only if one changes.
    if has_gap(node, sources) {
        fill_gaps(node, sources);
    }
}

fn fill_gaps(node: &mut Node, sources: &Sources) {
    let is_flow = node.is_map() && sources.text(node.span).starts_with('{');
    for value in node.children_mut() {
        if is_flow && value.is_null() && sources.text(value.span).is_empty() {
            value.data = Data::String(NodeText::default());
        }
        fill_gaps(value, sources);
    }
}

/// Returns whether a map in flow style within a value lacks a value.
fn has_gap(node: &Node, sources: &Sources) -> bool {
    let is_gap = |value: &Node| value.is_null() && sources.text(value.span).is_empty();
    let is_flow = || sources.text(node.span).starts_with('{');
    node.entries().iter().any(|entry| is_gap(&entry.value)) && is_flow()
        || node.children().any(|value| has_gap(value, sources))
}

/// Makes a text of a scalar that is none: the one that stands in the file, if `raw` is that.
pub fn to_text(node: &mut Node, raw: &str) {
    let text = match &node.data {
        Data::String(_) | Data::Seq(_) | Data::Map(_) => return,
        Data::Null if matches!(raw, "" | "~" | "Null" | "NULL") => raw.to_owned(),
        Data::Null => "null".to_owned(),
        Data::Bool(bool) if raw.eq_ignore_ascii_case(if *bool { "true" } else { "false" }) => {
            raw.to_owned()
        }
        Data::Int(_) | Data::Uint(_) | Data::Float(_) if is_number(raw) => raw.to_owned(),
        scalar => scalar.scalar_text().unwrap_or_default().into_owned(),
    };
    node.data = Data::String(text.into());
}

/// Makes texts of the annotations of an object, except of those that are null. `text` is that of the whole document.
pub fn settle_annotations(object: &mut Node, text: &str) {
    for entry in annotations_mut(object)
        .iter_mut()
        .filter(|entry| !entry.value.is_null())
    {
        let span = entry.value.span;
        to_text(
            &mut entry.value,
            text.get(span.start as usize..span.end as usize)
                .unwrap_or_default(),
        );
    }
}

fn is_number(raw: &str) -> bool {
    let scalar = resolve(Cow::Borrowed(raw), Tag::Plain);
    matches!(
        scalar,
        Ok(Scalar::Int(_) | Scalar::Uint(_) | Scalar::Float(_))
    )
}

/// The words that are booleans in YAML 1.2. An alias stands for one.
fn is_bool(raw: &str) -> bool {
    matches!(raw, "true" | "True" | "TRUE" | "false" | "False" | "FALSE") || raw.starts_with('*')
}

/// The words that are booleans to v2 only.
fn is_word(raw: &str) -> bool {
    ["y", "n", "yes", "no", "on", "off"]
        .iter()
        .any(|word| raw.eq_ignore_ascii_case(word))
}

/// A plain scalar that is text to v2 only.
fn plain(raw: &str) -> Option<Data> {
    let digits = raw.strip_prefix("0o");
    if let Some(int) = digits
        .filter(|digits| !digits.starts_with(['+', '-']))
        .and_then(|d| i64::from_str_radix(d, 8).ok())
    {
        return Some(Data::Int(int));
    }
    timestamp(raw).map(|time| Data::String(time.into()))
}

fn is_text_key(raw: &str, key: &str) -> bool {
    // A merged or quoted key.
    if raw != key {
        return true;
    }
    let scalar = resolve(Cow::Borrowed(raw), Tag::Plain);
    let is_text = match scalar {
        Ok(Scalar::Text(_)) => true,
        Ok(Scalar::Bool(_)) => !is_bool(raw),
        Ok(Scalar::Null | Scalar::Int(_) | Scalar::Uint(_) | Scalar::Float(_)) | Err(_) => false,
    };
    is_text && plain(raw).is_none()
}

/// A folded text as it is after Kustomize has written it and read it again, if it is another then. Its emitter puts a break
/// too many before lines that are further in than the first.
fn refolded(text: &str) -> Option<String> {
    let is_printed_otherwise =
        text.contains(" \n") || text.ends_with(' ') || text.chars().any(is_special);
    if is_printed_otherwise || !text.contains('\n') {
        return None;
    }
    let first = text.trim_start_matches('\n').chars().next();
    let adds_break = !matches!(first, None | Some(' ' | '\t'));
    let is_inner = |line: &str| line.starts_with([' ', '\t']);
    let mut out = String::with_capacity(text.len() + 8);
    let mut rest = text.trim_start_matches('\n');
    out.push_str(&text[..text.len() - rest.len()]);
    while let Some(end) = rest.find('\n') {
        let line = &rest[..end];
        let after = rest[end..].trim_start_matches('\n');
        let n_breaks = rest.len() - end - after.len();
        let n_written = n_breaks + usize::from(adds_break && !is_inner(line));
        out.push_str(line);
        match (after.is_empty(), is_inner(line) || is_inner(after)) {
            (true, _) if n_breaks == 1 => out.push('\n'),
            (true, _) | (false, true) => out.extend(std::iter::repeat_n('\n', n_written)),
            (false, false) if n_written == 1 => out.push(' '),
            (false, false) => out.extend(std::iter::repeat_n('\n', n_written - 1)),
        }
        rest = after;
    }
    out.push_str(rest);
    (out != text).then_some(out)
}

/// Characters that no block may hold.
const fn is_special(c: char) -> bool {
    matches!(c, '\0'..='\x08' | '\x0b'..='\x1f' | '\x7f'..='\u{84}' | '\u{86}'..='\u{9f}' | '\u{feff}')
}

/// A date or time as Go writes it again, if the text is one for v3.
fn timestamp(raw: &str) -> Option<String> {
    let bytes = raw.as_bytes();
    if bytes.len() < 8 || bytes[4] != b'-' || !bytes[..4].iter().all(u8::is_ascii_digit) {
        return None;
    }
    let (date, time) = match raw.find(['T', 't']) {
        Some(at) => (&raw[..at], Some(&raw[at + 1..])),
        None => (raw, None),
    };
    let mut parts = date.split('-');
    let year: i64 = parts.next()?.parse().ok()?;
    let (month, day) = (number(parts.next()?, 1, 12)?, number(parts.next()?, 1, 31)?);
    if parts.next().is_some() || i64::from(day) > days_of_month(year, month.into()) {
        return None;
    }
    let time = time.map_or(Some("00:00:00Z".to_owned()), clock)?;
    Some(format!("{year:04}-{month:02}-{day:02}T{time}"))
}

fn number(text: &str, min: u32, max: u32) -> Option<u32> {
    let is_short = matches!(text.len(), 1 | 2) && text.bytes().all(|b| b.is_ascii_digit());
    text.parse()
        .ok()
        .filter(|value| is_short && (min..=max).contains(value))
}

/// The time of a day with its zone.
fn clock(text: &str) -> Option<String> {
    let at = text.find(['Z', '+', '-'])?;
    let (time, zone) = text.split_at(at);
    if zone != "Z" {
        let (hours, minutes) = zone[1..].split_once(':')?;
        let is_full = hours.len() == 2 && minutes.len() == 2;
        (is_full && number(hours, 0, 24).is_some() && number(minutes, 0, 60).is_some())
            .then_some(())?;
    }
    let mut parts = time.split(':');
    let (hour, minute) = (number(parts.next()?, 0, 23)?, number(parts.next()?, 0, 59)?);
    let seconds = parts.next()?;
    if parts.next().is_some() {
        return None;
    }
    let (seconds, fraction) = seconds.split_once('.').unwrap_or((seconds, ""));
    if !fraction.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let second = number(seconds, 0, 59)?;
    let fraction = fraction.get(..9).unwrap_or(fraction).trim_end_matches('0');
    let dot = if fraction.is_empty() { "" } else { "." };
    let zone = if matches!(zone, "+00:00") { "Z" } else { zone };
    Some(format!(
        "{hour:02}:{minute:02}:{second:02}{dot}{fraction}{zone}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_times_are_written_as_go_does() {
        for (raw, expected) in [
            ("2020-01-01", Some("2020-01-01T00:00:00Z")),
            ("2020-1-1", Some("2020-01-01T00:00:00Z")),
            ("2001-12-14T21:59:43Z", Some("2001-12-14T21:59:43Z")),
            (
                "2001-12-14t21:59:43.50+02:00",
                Some("2001-12-14T21:59:43.5+02:00"),
            ),
            ("2001-12-14 21:59:43", None),
            ("2020-02-30", None),
            ("2020-13-01", None),
            ("12345678", None),
        ] {
            assert_eq!(timestamp(raw).as_deref(), expected, "{raw}");
        }
    }
}
