//! Directives, and the tags whose handles they declare.

use crate::yaml::read::cursor::Cursor;
use crate::yaml::read::scalar::Tag;
use crate::yaml::read::syntax::{self, SyntaxResult};

/// What `!!` stands for.
const CORE: &str = "tag:yaml.org,2002:";

/// The number of handles that a document may declare; they are searched one by one.
const MOST: usize = 64;

/// The handles of tags that a document declares.
#[derive(Debug, Default)]
pub(super) struct Handles<'a> {
    declared: Vec<(&'a str, &'a str)>,
    has_version: bool,
}

impl<'a> Handles<'a> {
    /// Reads the directive that is here.
    pub(super) fn directive(&mut self, at: &mut Cursor<'a>) -> SyntaxResult {
        let start = at.pos;
        let line = &at.text[start..at.line_end(start)];
        at.skip_line();
        let text = line.find(" #").map_or(line, |comment| &line[..comment]);
        match text.split_ascii_whitespace().take(4).collect::<Vec<_>>()[..] {
            ["%YAML", "1.1"] if !self.has_version => self.has_version = true,
            // go-yaml v2 knows this version only.
            ["%YAML", version] if version != "1.1" => {
                return Err(syntax::version(version, start..at.pos));
            }
            ["%TAG", handle, prefix]
                if is_handle(handle) && !self.is_declared(handle) && self.declared.len() < MOST =>
            {
                self.declared.push((handle, prefix));
            }
            _ => return Err(syntax::directive(start..at.pos)),
        }
        Ok(())
    }

    fn is_declared(&self, handle: &str) -> bool {
        self.declared
            .iter()
            .any(|(declared, _)| *declared == handle)
    }

    /// Reads the tag that is here.
    pub(super) fn tag(&self, at: &mut Cursor<'_>) -> SyntaxResult<Tag> {
        let start = at.pos;
        let rest = &at.text[start..];
        let (prefix, suffix, length) = match rest.strip_prefix("!<") {
            Some(verbatim) => {
                let name = uri(verbatim);
                let closed = verbatim[name.len()..].starts_with('>');
                ("", name, if closed { name.len() + 3 } else { 0 })
            }
            None => {
                let handle = handle(rest);
                let suffix = uri(&rest[handle.len()..]);
                (
                    self.prefix(handle, start)?,
                    suffix,
                    handle.len() + suffix.len(),
                )
            }
        };
        at.pos += length;
        // A lone `!` says that the scalar is no plain one.
        if length == 1 && at.is_blank_at(at.pos) {
            return Ok(Tag::Bang);
        }
        if suffix.is_empty() || length == 0 || !at.is_blank_at(at.pos) || !escapes_fit(suffix) {
            return Err(syntax::tag(at.text, start));
        }
        Ok(known(prefix, suffix))
    }

    fn prefix(&self, handle: &'a str, start: usize) -> SyntaxResult<&'a str> {
        match self
            .declared
            .iter()
            .find(|(declared, _)| *declared == handle)
        {
            Some((_, prefix)) => Ok(prefix),
            None if handle == "!" => Ok("!"),
            None if handle == "!!" => Ok(CORE),
            None => Err(syntax::undeclared_handle(handle, start)),
        }
    }
}

/// The handle at the start of a tag: `!`, `!!` or `!name!`.
fn handle(tag: &str) -> &str {
    let name = tag[1..].bytes().take_while(|b| is_word(*b)).count();
    if tag[1 + name..].starts_with('!') {
        &tag[..name + 2]
    } else {
        &tag[..1]
    }
}

fn is_handle(text: &str) -> bool {
    text.starts_with('!') && handle(text) == text
}

const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// The characters of a URI that a text starts with.
fn uri(text: &str) -> &str {
    let length = text
        .bytes()
        .take_while(|b| is_word(*b) || b";/?:@&=+$,.!~*'()[]%".contains(b))
        .count();
    &text[..length]
}

fn escapes_fit(uri: &str) -> bool {
    let escape = |rest: &str| {
        rest.as_bytes()
            .get(..2)
            .is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit))
    };
    uri.split('%').skip(1).all(escape)
}

fn known(prefix: &str, suffix: &str) -> Tag {
    let name = format!("{prefix}{suffix}");
    match name.strip_prefix(CORE) {
        Some("str") => Tag::Str,
        Some("bool") => Tag::Bool,
        Some("int") => Tag::Int,
        Some("float") => Tag::Float,
        Some("null") => Tag::Null,
        Some("binary") => Tag::Binary,
        Some("merge") => Tag::Merge,
        Some(_) | None => Tag::Other,
    }
}
