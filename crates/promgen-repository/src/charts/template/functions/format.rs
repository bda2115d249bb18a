//! How Go prints values.

use promgen_text::go::quote::quote;
use promgen_text::yaml::edit::sorted_entries;
use promgen_text::yaml::emit::GoFloat;
use promgen_text::yaml::{Data, Entry, Node};

use super::{Executed, FunctionCall, NotKnown, Yielded};

/// The widest field that is printed.
const MAX_WIDTH: usize = 1000;

/// A value as a template prints it. Numbers of files are floats.
pub(in crate::charts::template) fn shown(node: &Node) -> String {
    match &node.data {
        Data::Null => String::new(),
        _ => printed(node, 'v'),
    }
}

/// A value as a verb prints it.
fn printed(node: &Node, verb: char) -> String {
    match (&node.data, verb) {
        (Data::Seq(items), _) => {
            let items: Vec<String> = items.iter().map(|item| printed(item, verb)).collect();
            format!("[{}]", items.join(" "))
        }
        (Data::Map(_), _) => {
            let entry = |entry: &Entry| {
                let key = match verb {
                    'q' => quote(&entry.key),
                    _ => entry.key.to_string(),
                };
                format!("{key}:{}", printed(&entry.value, verb))
            };
            let entries: Vec<String> = sorted_entries(node).into_iter().map(entry).collect();
            format!("map[{}]", entries.join(" "))
        }
        (Data::Null, 'v') => "<nil>".to_owned(),
        (Data::Int(number), 'v') => GoFloat(*number as f64).to_string(),
        (Data::Float(number), 'v') => GoFloat(*number).to_string(),
        (Data::String(text), 'q') => quote(text),
        (Data::String(_), 'v' | 's') | (Data::Uint(_), 'v' | 'd') | (Data::Bool(_), 'v' | 't') => {
            node.data
                .scalar_text()
                .map(std::borrow::Cow::into_owned)
                .unwrap_or_default()
        }
        (Data::Null, _) => format!("%!{verb}(<nil>)"),
        _ => {
            let value = Yielded::from(node.clone());
            let name = value.type_name();
            format!("%!{verb}({name}={})", printed(node, 'v'))
        }
    }
}

/// A verb of a format, with what stands between it and its `%`.
#[derive(Default)]
struct FormatVerb {
    is_left: bool,
    has_zeros: bool,
    has_sign: bool,
    width: usize,
    precision: Option<usize>,
    verb: char,
}

impl FormatVerb {
    /// Reads one. What is rare is not known.
    fn read(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Executed<Self> {
        let mut read = Self::default();
        while let Some(flag) = chars.next_if(|c| matches!(c, '-' | '0' | '+')) {
            match flag {
                '-' => read.is_left = true,
                '0' => read.has_zeros = true,
                _ => read.has_sign = true,
            }
        }
        let number = |chars: &mut std::iter::Peekable<std::str::Chars<'_>>| {
            let mut digits = String::new();
            while let Some(digit) = chars.next_if(char::is_ascii_digit) {
                digits.push(digit);
            }
            match digits.as_str() {
                "" => Ok(0),
                digits => digits.parse().map_err(|_| NotKnown),
            }
        };
        read.width = number(chars)?;
        if chars.next_if_eq(&'.').is_some() {
            read.precision = Some(number(chars)?);
        }
        if read.width.max(read.precision.unwrap_or_default()) > MAX_WIDTH {
            return Err(NotKnown);
        }
        read.verb = chars.next().ok_or(NotKnown)?;
        Ok(read)
    }

    /// A value as it prints it.
    fn print(&self, value: &Yielded) -> Executed<String> {
        let node = &value.node;
        let is_number = matches!(node.data, Data::Int(_) | Data::Uint(_) | Data::Float(_));
        let mut out = match (self.verb, &node.data) {
            ('f', Data::Int(_) | Data::Float(_)) => {
                let number = node.as_f64().ok_or(NotKnown)?;
                format!("{number:.*}", self.precision.unwrap_or(6))
            }
            ('f', Data::Uint(_)) => printed(node, 'f'),
            // A character in quotes.
            ('q', Data::Int(_) | Data::Uint(_)) => return Err(NotKnown),
            ('T', _) => value.type_name().to_owned(),
            ('x', Data::Uint(number)) => format!("{number:x}"),
            ('g', Data::Int(_) | Data::Float(_)) if self.precision.is_none() => printed(node, 'v'),
            ('s' | 'v' | 'd' | 't' | 'q', _) => match self.precision {
                // What is an integer among values comes from a flag.
                None if let ('s', Data::Uint(number)) = (self.verb, &node.data) => {
                    format!("%!s({}={number})", value.type_name())
                }
                None => printed(node, self.verb),
                Some(length) if matches!(node.data, Data::String(_)) && self.verb != 'q' => {
                    value.text().chars().take(length).collect()
                }
                Some(_) => return Err(NotKnown),
            },
            _ => return Err(NotKnown),
        };
        let is_plain = is_number && !out.starts_with('%');
        if self.has_sign && is_plain && !out.starts_with('-') {
            out.insert(0, '+');
        }
        let n_missing = self.width.saturating_sub(out.chars().count());
        if self.is_left {
            out.push_str(&" ".repeat(n_missing));
        } else if self.has_zeros && is_plain {
            let at = usize::from(out.starts_with(['-', '+']));
            out.insert_str(at, &"0".repeat(n_missing));
        } else {
            out.insert_str(0, &" ".repeat(n_missing));
        }
        Ok(out)
    }
}

impl FunctionCall<'_, '_> {
    /// `printf`.
    pub(super) fn printf(&self) -> Executed<String> {
        let format = self.at(0)?;
        if format.kinds()[0] != "string" {
            return Err(NotKnown);
        }
        let format = format.text();
        let values: Vec<Yielded> = self.arguments[1..]
            .iter()
            .cloned()
            .map(Yielded::plain)
            .collect();
        let (mut out, mut chars, mut next) = (String::new(), format.chars().peekable(), 0);
        while let Some(c) = chars.next() {
            if c != '%' {
                out.push(c);
                continue;
            }
            let verb = FormatVerb::read(&mut chars)?;
            if verb.verb == '%' {
                out.push('%');
                continue;
            }
            match values.get(next) {
                Some(value) => out.push_str(&verb.print(value)?),
                None => out.push_str(&format!("%!{}(MISSING)", verb.verb)),
            }
            next += 1;
        }
        if let Some(extra) = values.get(next..).filter(|extra| !extra.is_empty()) {
            let extra = extra.iter().map(|value| match value.node.data {
                Data::Null => "<nil>".to_owned(),
                _ => format!("{}={}", value.type_name(), printed(&value.node, 'v')),
            });
            let extra: Vec<String> = extra.collect();
            out.push_str(&format!("%!(EXTRA {})", extra.join(", ")));
        }
        Ok(out)
    }

    /// `print`: a blank between two values neither of which is a text.
    pub(super) fn print(&self) -> String {
        let mut out = String::new();
        let mut was_text = true;
        for value in self.arguments {
            let is_text = value.kinds()[0] == "string";
            if !is_text && !was_text {
                out.push(' ');
            }
            was_text = is_text;
            out.push_str(&value.in_words());
        }
        out
    }
}

impl Yielded {
    /// What Go prints for it, where null is not left out.
    pub(super) fn in_words(&self) -> String {
        match self.node.data {
            Data::Null if self.is_null() => "<nil>".to_owned(),
            _ => self.text(),
        }
    }
}
