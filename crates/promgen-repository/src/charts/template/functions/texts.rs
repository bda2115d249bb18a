//! Functions of texts.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use promgen_text::go::quote::quote;
use promgen_text::go::regex::{GoRegex, Template, quote_meta};
use promgen_text::go::url::percent_encoded;
use promgen_text::yaml::Data;

use super::{Called, Executed, FunctionCall, NotKnown, PrintedForm, Yielded, shown};
use crate::charts::generators::normalized;
use crate::charts::node::sha256;
use crate::charts::template::MAX_EXPANDED;

/// The most blanks that a text is indented by.
const MAX_INDENT: usize = 100;

impl FunctionCall<'_, '_> {
    /// Functions of texts, the last of which is what they work on.
    pub(super) fn of_texts(&self, name: &str) -> Called {
        if let Some(made) = self.of_values(name)? {
            return self.made(made).map(Some);
        }
        let Some(last) = self.arguments.last() else {
            return Ok(None);
        };
        if matches!(name, "trim" | "indent" | "nindent") && last.is_yaml() {
            return self.moved(name, last).map(Some);
        }
        if last.node.is_collection() && !last.is_yaml() {
            return Ok(None);
        }
        let value = last.text();
        let holds = match name {
            "contains" => Some(value.contains(&self.text(0)?)),
            "hasPrefix" => Some(value.starts_with(&self.text(0)?)),
            "hasSuffix" => Some(value.ends_with(&self.text(0)?)),
            "regexMatch" => Some(regex(&self.text(0)?)?.is_match(&value)),
            _ => None,
        };
        if let Some(holds) = holds {
            return self.truth(holds).map(Some);
        }
        let made = match name {
            "indent" | "nindent" => self.indented(name, &value)?,
            _ => match self.of_one(name, &value)? {
                Some(made) => made,
                None => match self.cut(name, &value)? {
                    Some(made) => made,
                    None => return Ok(None),
                },
            },
        };
        self.made(made).map(Some)
    }

    /// What prints values of any kind.
    fn of_values(&self, name: &str) -> Executed<Option<String>> {
        let set = || self.arguments.iter().filter(|value| !value.is_null());
        let joined = |of: &dyn Fn(&Yielded) -> String| {
            let all: Vec<String> = set().map(of).collect();
            all.join(" ")
        };
        Ok(Some(match name {
            "quote" => joined(&|value| quote(&value.text())),
            "squote" => joined(&|value| format!("'{}'", value.text())),
            "cat" => joined(&Yielded::text),
            "print" => self.print(),
            "println" => {
                let all: Vec<String> = self.arguments.iter().map(Yielded::in_words).collect();
                format!("{}\n", all.join(" "))
            }
            "printf" => self.printf()?,
            "toString" => self.at(0)?.in_words(),
            "join" => {
                let (separator, last) = (self.text(0)?, self.at(1)?);
                match &last.node.data {
                    Data::Seq(items) if !last.is_yaml() => {
                        self.scope.budget.work(items.len() * separator.len())?;
                        let items = items.iter().filter(|item| !item.is_null());
                        items.map(shown).collect::<Vec<_>>().join(&separator)
                    }
                    _ => last.text(),
                }
            }
            _ => return Ok(None),
        }))
    }

    /// A value in YAML with other blanks around its lines: it stays that value.
    fn moved(&self, name: &str, value: &Yielded) -> Executed<Yielded> {
        let text = match (name, &value.form) {
            // `toYaml` writes none.
            ("trim", PrintedForm::Yaml) => return Ok(value.clone()),
            ("trim", _) => value.text().trim().to_owned(),
            _ => self.indented(name, &value.text())?,
        };
        self.scope.budget.spend(text.len())?;
        Ok(Yielded {
            form: PrintedForm::Text(text.into()),
            ..value.clone()
        })
    }

    /// A text with all its lines further in, for `nindent` behind a line break.
    fn indented(&self, name: &str, value: &str) -> Executed<String> {
        let width = usize::try_from(self.whole(0)?).ok();
        let width = width.filter(|width| *width <= MAX_INDENT).ok_or(NotKnown)?;
        let blanks = " ".repeat(width);
        let start = if name == "nindent" { "\n" } else { "" };
        let below = format!("\n{blanks}");
        let n_lines = value.bytes().filter(|byte| *byte == b'\n').count() + 1;
        self.scope.budget.work(value.len() + n_lines * width)?;
        Ok(format!("{start}{blanks}{}", value.replace('\n', &below)))
    }

    /// What depends on one text alone.
    fn of_one(&self, name: &str, value: &str) -> Executed<Option<String>> {
        Ok(Some(match name {
            "lower" => value.to_lowercase(),
            // One of Argo CD.
            "normalize" => normalized(value),
            "upper" => value.to_uppercase(),
            "title" => by_words(value, |c| c.to_uppercase().collect()),
            "untitle" => by_words(value, |c| c.to_lowercase().collect()),
            "snakecase" => separated(value, "_")?,
            "kebabcase" => separated(value, "-")?,
            "camelcase" => in_camels(value)?,
            "trim" => value.trim().to_owned(),
            "nospace" => value.split_whitespace().collect(),
            "b64enc" => STANDARD.encode(value),
            "b64dec" => STANDARD
                .decode(value)
                .ok()
                .and_then(|bytes| String::from_utf8(bytes).ok())
                .ok_or(NotKnown)?,
            "sha256sum" => sha256(value),
            "urlquery" => percent_encoded(value, "-._~").replace("%20", "+"),
            "regexQuoteMeta" => quote_meta(value),
            _ => return Ok(None),
        }))
    }

    /// What takes away from a text, or puts something in place of its parts.
    fn cut(&self, name: &str, value: &str) -> Executed<Option<String>> {
        Ok(Some(match name {
            "trimSuffix" => value
                .strip_suffix(&self.text(0)?)
                .unwrap_or(value)
                .to_owned(),
            "trimPrefix" => value
                .strip_prefix(&self.text(0)?)
                .unwrap_or(value)
                .to_owned(),
            "trimAll" | "trimall" => {
                let cut = self.text(0)?;
                value.trim_matches(|c| cut.contains(c)).to_owned()
            }
            "trunc" => {
                let length = self.whole(0)?;
                let n = usize::try_from(length.unsigned_abs()).map_err(|_| NotKnown)?;
                let part = match value.len() {
                    short if short <= n => Some(value),
                    _ if length >= 0 => value.get(..n),
                    whole => value.get(whole - n..),
                };
                part.ok_or(NotKnown)?.to_owned()
            }
            "substr" => {
                let (start, end) = (self.whole(0)?, self.whole(1)?);
                let start = usize::try_from(start).unwrap_or_default();
                let end = usize::try_from(end).map_or(value.len(), |end| end.min(value.len()));
                value.get(start..end).ok_or(NotKnown)?.to_owned()
            }
            "repeat" => {
                let n = usize::try_from(self.whole(0)?).map_err(|_| NotKnown)?;
                let length = n.checked_mul(value.len());
                length
                    .filter(|length| *length <= MAX_EXPANDED)
                    .ok_or(NotKnown)?;
                value.repeat(n)
            }
            "replace" => {
                let (old, new) = (self.text(0)?, self.text(1)?);
                let n_new = value.matches(&old).count() * new.len();
                self.scope.budget.work(value.len() + n_new)?;
                value.replace(&old, &new)
            }
            "regexFind" => {
                let regex = regex(&self.text(0)?)?;
                let found = regex.captures(value).and_then(|found| found.get(0));
                found.unwrap_or_default().to_owned()
            }
            // The text stands between the expression and what takes the place of its matches.
            "regexReplaceAll" | "regexReplaceAllLiteral" => {
                let replacement = match name {
                    "regexReplaceAll" => value.to_owned(),
                    _ => value.replace('$', "$$"),
                };
                let (regex, whole) = (regex(&self.text(0)?)?, self.text(1)?);
                let template = Template::parse(&replacement);
                let replaced = regex.replace_all_within(MAX_EXPANDED, &whole, &template);
                replaced.ok_or(NotKnown)?.into_owned()
            }
            _ => return Ok(None),
        }))
    }
}

fn regex(pattern: &str) -> Executed<GoRegex> {
    let regex = GoRegex::new(pattern).ok();
    regex.filter(|regex| !regex.is_big()).ok_or(NotKnown)
}

/// A text with the first letter of each word changed.
fn by_words(text: &str, change: impl Fn(char) -> String) -> String {
    let mut out = String::new();
    let mut is_first = true;
    for c in text.chars() {
        if is_first {
            out.push_str(&change(c));
        } else {
            out.push(c);
        }
        is_first = !(c.is_alphanumeric() || c == '_');
    }
    out
}

/// A text in small letters, with a mark between its words. Digits, and marks that stand together, follow rules of their own.
fn separated(text: &str, mark: &str) -> Executed<String> {
    let chars: Vec<char> = text.chars().collect();
    let is_mark = |c: char| matches!(c, '-' | '_' | ' ');
    let mut out = String::new();
    for (at, c) in chars.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| chars[at]);
        let after = chars.get(at + 1);
        if is_mark(*c) {
            if before.is_none_or(is_mark) || after.is_none() {
                return Err(NotKnown);
            }
            out.push_str(mark);
        } else if c.is_ascii_alphabetic() {
            let is_inside = before.is_some_and(|before| !is_mark(before));
            let begins = c.is_ascii_uppercase()
                && is_inside
                && (before.is_some_and(|before| before.is_ascii_lowercase())
                    || after.is_some_and(char::is_ascii_lowercase));
            if begins {
                out.push_str(mark);
            }
            out.push(c.to_ascii_lowercase());
        } else {
            return Err(NotKnown);
        }
    }
    Ok(out)
}

/// A text whose words begin with a capital letter, without the marks between them.
fn in_camels(text: &str) -> Executed<String> {
    let mut out = String::new();
    for word in text.split(['-', '_', ' ']) {
        let mut chars = word.chars();
        let first = chars.next().ok_or(NotKnown)?;
        if !word.is_ascii() {
            return Err(NotKnown);
        }
        out.push(first.to_ascii_uppercase());
        out.push_str(chars.as_str());
    }
    Ok(out)
}
