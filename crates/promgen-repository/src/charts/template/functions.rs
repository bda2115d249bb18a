//! The functions of templates: Go's own, those of Sprig and of Helm, as far as charts and values use them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use promgen_text::go::quote::quote;
use promgen_text::source::Span;
use promgen_text::version::Version;
use promgen_text::yaml::edit::{null, sorted_entries};
use promgen_text::yaml::embedded;
use promgen_text::yaml::emit::to_json;
use promgen_text::yaml::{Data, Node};

use super::{Executed, ExecutionScope, NotKnown, Yielded, place};
use crate::charts::node::{list, map, text};

/// The result of a function.
pub(super) fn call(
    scope: &mut ExecutionScope<'_>,
    name: &str,
    arguments: &[Yielded],
) -> Executed<Yielded> {
    let function = FunctionCall { scope, arguments };
    match name {
        "and" => function.first(|value| !value.is_set()),
        "or" | "coalesce" => function.first(Yielded::is_set),
        "not" => function.truth(!function.at(0)?.is_set()),
        "empty" => function.truth(!function.at(0)?.is_set()),
        "eq" | "ne" => {
            let first = function.at(0)?;
            let is_any = arguments[1..]
                .iter()
                .any(|other| is_equal(&first.node, &other.node));
            function.truth(is_any == (name == "eq"))
        }
        "default" => function.first_of([function.at(1)?, function.at(0)?]),
        "ternary" => Ok(function
            .at(if function.at(2)?.is_set() { 0 } else { 1 })?
            .clone()),
        "required" => function.at(1).cloned(),
        "kindIs" => function.truth(function.kinds(1)?.contains(&function.text(0)?.as_str())),
        "typeOf" | "typeIs" => function.types(name),
        "hasKey" => function.truth(function.at(0)?.node.get(&function.text(1)?).is_some()),
        "has" => {
            let (item, all) = (&function.at(0)?.node, &function.at(1)?.node);
            function.truth(all.items().iter().any(|own| is_equal(own, item)))
        }
        "index" | "get" => function.index(),
        "dig" => Err(NotKnown),
        "toYaml" => Ok(Yielded {
            is_yaml: true,
            ..function.at(0)?.clone()
        }),
        "toJson" => function.made(
            to_json(&function.at(0)?.node.to_value())
                .trim_end()
                .to_owned(),
        ),
        "fromYaml" | "fromJson" => function.parsed(),
        "tpl" => function.tpl(),
        "include" => {
            let name = function.text(0)?;
            let argument = function.at(1)?.clone();
            scope.deeper(|| scope.named.include(&name, &argument))
        }
        "list" | "tuple" => {
            let items = arguments.iter().map(|item| item.node.clone()).collect();
            Ok(list(items, scope.place).into())
        }
        "dict" => function.dict(),
        "omit" | "pick" => function.keys(name == "pick"),
        "keys" | "values" => function.all_of(name == "keys"),
        "append" | "mustAppend" | "concat" | "uniq" | "mustUniq" | "compact" | "first" | "last" => {
            function.list(name)
        }
        "len" => {
            let node = &function.at(0)?.node;
            let n = node.items().len() + node.entries().len() + node.as_str().map_or(0, str::len);
            function.number(i64::try_from(n).unwrap_or(i64::MAX))
        }
        "int" | "int64" | "add" | "sub" | "gt" | "lt" | "ge" | "le" => function.arithmetic(name),
        "semverCompare" => function.is_version(),
        _ => function.of_texts(name),
    }
}

struct FunctionCall<'f, 's> {
    scope: &'f ExecutionScope<'s>,
    arguments: &'f [Yielded],
}

impl FunctionCall<'_, '_> {
    fn at(&self, at: usize) -> Executed<&Yielded> {
        self.arguments.get(at).ok_or(NotKnown)
    }

    fn text(&self, at: usize) -> Executed<String> {
        self.at(at).map(Yielded::text)
    }

    /// The place of the last argument that has one.
    fn span(&self) -> Span {
        let spans = self
            .arguments
            .iter()
            .rev()
            .map(|argument| argument.node.span);
        let own = spans.into_iter().find(|span| *span != self.scope.place);
        own.unwrap_or(self.scope.place)
    }

    fn node(&self, data: Data) -> Executed<Yielded> {
        Ok(Node {
            data,
            span: self.span(),
        }
        .into())
    }

    fn made(&self, made: String) -> Executed<Yielded> {
        let key = self
            .arguments
            .iter()
            .rev()
            .find_map(|argument| argument.key);
        Ok(Yielded {
            key,
            ..Yielded::from(text(made, self.span()))
        })
    }

    fn truth(&self, holds: bool) -> Executed<Yielded> {
        self.node(Data::Bool(holds))
    }

    fn number(&self, number: i64) -> Executed<Yielded> {
        self.node(Data::Int(number))
    }

    /// The first argument of which something holds, or the last one.
    fn first(&self, holds: impl Fn(&Yielded) -> bool) -> Executed<Yielded> {
        let found = self.arguments.iter().find(|value| holds(value));
        found.or(self.arguments.last()).cloned().ok_or(NotKnown)
    }

    fn first_of(&self, values: [&Yielded; 2]) -> Executed<Yielded> {
        let [value, fallback] = values;
        Ok(if value.is_set() { value } else { fallback }.clone())
    }

    /// The kinds that an argument may be of: numbers of files are floats, those of flags are integers.
    fn kinds(&self, at: usize) -> Executed<&'static [&'static str]> {
        let value = self.at(at)?;
        Ok(match value.node.data {
            _ if value.is_yaml => &["string"],
            Data::Null => &["invalid"],
            Data::Bool(_) => &["bool"],
            Data::Int(_) | Data::Uint(_) => &["float64", "int64", "int"],
            Data::Float(_) => &["float64"],
            Data::String(_) => &["string"],
            Data::Seq(_) => &["slice"],
            Data::Map(_) => &["map"],
        })
    }

    fn types(&self, name: &str) -> Executed<Yielded> {
        let at = usize::from(name == "typeIs");
        let kind = match *self.kinds(at)?.first().ok_or(NotKnown)? {
            "invalid" => "<nil>",
            "slice" => "[]interface {}",
            "map" => "map[string]interface {}",
            kind => kind,
        };
        if at == 1 {
            return self.truth(self.text(0)? == kind);
        }
        self.made(kind.to_owned())
    }

    fn index(&self) -> Executed<Yielded> {
        let (first, keys) = self.arguments.split_first().ok_or(NotKnown)?;
        let mut value = first.clone();
        for key in keys {
            value = match key.node.data {
                Data::Int(at) => {
                    let item = usize::try_from(at)
                        .ok()
                        .and_then(|at| value.node.items().get(at).cloned());
                    item.ok_or(NotKnown)?.into()
                }
                _ => self.scope.field(&value, &key.text()),
            };
        }
        Ok(value)
    }

    fn parsed(&self) -> Executed<Yielded> {
        let value = self.at(0)?;
        if value.is_yaml {
            return Ok(value.node.clone().into());
        }
        let mut node = embedded::root(value.node.span.file, &value.text()).ok_or(NotKnown)?;
        place(&mut node, value.node.span);
        Ok(node.into())
    }

    /// A template in a value. One that is not known stays as it is.
    fn tpl(&self) -> Executed<Yielded> {
        let value = self.at(0)?;
        let dot = self.at(1)?.clone();
        let scope = ExecutionScope {
            root: dot.clone(),
            dot,
            variables: Vec::new(),
            ..self.scope.clone()
        };
        let (mut filled, written) = (value.clone(), value.text());
        if value.is_yaml {
            scope.fill(&mut filled.node, &written);
        } else if let Ok(rendered) = scope.render_value(&written, &written, value.node.span) {
            filled.node = text(rendered, value.node.span);
        }
        Ok(filled)
    }

    fn dict(&self) -> Executed<Yielded> {
        let mut made = map(self.scope.place, Vec::new());
        for pair in self.arguments.chunks(2) {
            let [key, value] = pair else {
                return Err(NotKnown);
            };
            crate::charts::node::set(&mut made, &key.text(), value.node.span, value.node.clone());
        }
        Ok(made.into())
    }

    /// A map without some keys, or with them alone.
    fn keys(&self, keeps: bool) -> Executed<Yielded> {
        let (first, keys) = self.arguments.split_first().ok_or(NotKnown)?;
        let keys: Vec<String> = keys.iter().map(Yielded::text).collect();
        let mut value = first.clone();
        if let Data::Map(entries) = &mut value.node.data {
            entries.retain(|entry| keys.iter().any(|key| *key == *entry.key) == keeps);
        }
        Ok(value)
    }

    fn all_of(&self, is_key: bool) -> Executed<Yielded> {
        let node = &self.at(0)?.node;
        let entries = sorted_entries(node).into_iter();
        let items = entries.map(|entry| {
            if is_key {
                text(entry.key.as_str(), entry.key_span)
            } else {
                entry.value.clone()
            }
        });
        Ok(list(items.collect(), node.span).into())
    }

    fn list(&self, name: &str) -> Executed<Yielded> {
        let node = &self.at(0)?.node;
        let mut items = node.items().to_vec();
        match name {
            "append" | "mustAppend" => items.push(self.at(1)?.node.clone()),
            "concat" => items.extend(
                self.arguments[1..]
                    .iter()
                    .flat_map(|more| more.node.items().to_vec()),
            ),
            "compact" => items.retain(Node::is_set),
            "first" => return Ok(items.first().cloned().unwrap_or(null(node.span)).into()),
            "last" => return Ok(items.pop().unwrap_or(null(node.span)).into()),
            _ => {
                let mut unique: Vec<Node> = Vec::new();
                for item in items {
                    if !unique.iter().any(|known| is_equal(known, &item)) {
                        unique.push(item);
                    }
                }
                items = unique;
            }
        }
        Ok(list(items, node.span).into())
    }

    fn arithmetic(&self, name: &str) -> Executed<Yielded> {
        let number = |at: usize| match self.at(at)?.node.data {
            Data::Int(number) => Ok(number),
            Data::String(ref text) => Ok(text.parse().unwrap_or_default()),
            Data::Null => Ok(0),
            _ => Err(NotKnown),
        };
        let first = number(0)?;
        match name {
            "int" | "int64" => self.number(first),
            "add" => self.number(first.checked_add(number(1)?).ok_or(NotKnown)?),
            "sub" => self.number(first.checked_sub(number(1)?).ok_or(NotKnown)?),
            "gt" => self.truth(first > number(1)?),
            "lt" => self.truth(first < number(1)?),
            "ge" => self.truth(first >= number(1)?),
            _ => self.truth(first <= number(1)?),
        }
    }

    fn is_version(&self) -> Executed<Yielded> {
        let version = self.text(1)?;
        let parsed = Version::parse(version.trim_start_matches('v'));
        let version = parsed.map(|version| version.to_string()).ok_or(NotKnown)?;
        self.truth(crate::charts::versions::allows(&self.text(0)?, &version))
    }

    /// Functions from texts to a text, the last of which is what they work on.
    fn of_texts(&self, name: &str) -> Executed<Yielded> {
        let last = self.arguments.last().ok_or(NotKnown)?;
        let value = last.text();
        let is_map_or_list = matches!(last.node.data, Data::Map(_) | Data::Seq(_)) && !last.is_yaml;
        match name {
            // Blanks around it make no difference in a document.
            "trim" | "nindent" | "indent" if last.is_yaml => return Ok(last.clone()),
            "join" => {
                let separator = self.text(0)?;
                let items: Vec<String> = last.node.items().iter().map(shown).collect();
                return self.made(if last.node.items().is_empty() {
                    value
                } else {
                    items.join(&separator)
                });
            }
            "contains" => return self.truth(value.contains(&self.text(0)?)),
            "hasPrefix" => return self.truth(value.starts_with(&self.text(0)?)),
            "hasSuffix" => return self.truth(value.ends_with(&self.text(0)?)),
            _ if is_map_or_list && !matches!(name, "print" | "printf" | "toString") => {
                return Err(NotKnown);
            }
            _ => {}
        }
        self.made(match name {
            "quote" if last.node.is_null() => String::new(),
            "quote" => quote(&value),
            "squote" => format!("'{value}'"),
            "print" => self.arguments.iter().map(Yielded::text).collect(),
            "printf" => self.printf()?,
            "toString" => value,
            "lower" => value.to_lowercase(),
            "upper" => value.to_uppercase(),
            "trim" => value.trim().to_owned(),
            "trimSuffix" => value
                .strip_suffix(&self.text(0)?)
                .map_or(value.clone(), str::to_owned),
            "trimPrefix" => value
                .strip_prefix(&self.text(0)?)
                .map_or(value.clone(), str::to_owned),
            "trunc" => {
                let length = usize::try_from(self.text(0)?.parse::<i64>().map_err(|_| NotKnown)?);
                value.chars().take(length.map_err(|_| NotKnown)?).collect()
            }
            "replace" => value.replace(&self.text(0)?, &self.text(1)?),
            "b64enc" => STANDARD.encode(value),
            "b64dec" => STANDARD
                .decode(value)
                .ok()
                .and_then(|bytes| String::from_utf8(bytes).ok())
                .ok_or(NotKnown)?,
            "indent" | "nindent" => {
                let blanks = " ".repeat(
                    self.text(0)?
                        .parse::<usize>()
                        .map_err(|_| NotKnown)?
                        .min(100),
                );
                let indented = format!("{blanks}{}", value.replace('\n', &format!("\n{blanks}")));
                if name == "nindent" {
                    format!("\n{indented}")
                } else {
                    indented
                }
            }
            _ => return Err(NotKnown),
        })
    }

    /// `printf` with the verbs that take a value as it is.
    fn printf(&self) -> Executed<String> {
        let format = self.text(0)?;
        let (mut out, mut chars, mut next) = (String::new(), format.chars(), 1);
        while let Some(c) = chars.next() {
            if c != '%' {
                out.push(c);
                continue;
            }
            match chars.next() {
                Some('%') => out.push('%'),
                Some(verb @ ('s' | 'v' | 'd' | 't' | 'q')) => {
                    let value = self.text(next)?;
                    out.push_str(&if verb == 'q' { quote(&value) } else { value });
                    next += 1;
                }
                _ => return Err(NotKnown),
            }
        }
        Ok(out)
    }
}

/// A value as a template prints it. Numbers of files are floats.
pub(super) fn shown(node: &Node) -> String {
    match &node.data {
        Data::Null => String::new(),
        Data::Int(number)
            if number.unsigned_abs() >= 1_000_000 && number.unsigned_abs() < 1 << 53 =>
        {
            in_exponents(*number)
        }
        Data::Seq(items) => {
            let items: Vec<String> = items.iter().map(shown).collect();
            format!("[{}]", items.join(" "))
        }
        Data::Map(_) => {
            let entry = |entry: &promgen_text::yaml::Entry| {
                format!("{}:{}", entry.key, shown(&entry.value))
            };
            let entries: Vec<String> = sorted_entries(node).into_iter().map(entry).collect();
            format!("map[{}]", entries.join(" "))
        }
        data => data
            .scalar_text()
            .map(std::borrow::Cow::into_owned)
            .unwrap_or_default(),
    }
}

/// A large number in Go's shortest form: `1.5e+06`.
fn in_exponents(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let exponent = digits.len() - 1;
    let sign = if number < 0 { "-" } else { "" };
    let fraction = digits[1..].trim_end_matches('0');
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{sign}{}{point}{fraction}e+{exponent:02}", &digits[..1])
}

fn is_equal(a: &Node, b: &Node) -> bool {
    a.to_value() == b.to_value()
}
