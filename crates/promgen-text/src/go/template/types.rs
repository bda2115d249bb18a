//! What the values of a template are, and which of its actions cannot work for that.
//!
//! In: a text, and the types of what it is given. Out: fields that a value does not have, comparisons that fail, and texts that are
//! not what was meant. A value whose type is not known has any field: what stands in `define` is not judged.

use std::collections::BTreeSet;

use super::tree::{self, BlockKind, BlockNode, FieldSource, Operand, Pipeline, TemplateNode};

/// The type of a value.
#[derive(Debug)]
pub enum TemplateType {
    /// It may be anything.
    Unknown,
    /// A number with a fraction.
    Float,
    /// A whole number.
    Integer,
    /// A text.
    Text,
    /// Texts by name, with what it has besides.
    Map(&'static [TemplateField]),
    /// Items of a type, with what it has besides.
    List(&'static Self, &'static [TemplateField]),
    /// Fields, and no other ones.
    Struct(&'static [TemplateField]),
}

/// A field or a method: its name, and the type of its value.
pub type TemplateField = (&'static str, &'static TemplateType);

/// What a template is given.
#[derive(Clone, Copy, Debug)]
pub struct TemplateData {
    /// The dot.
    pub root: &'static TemplateType,
    /// Variables, with their `$`.
    pub variables: &'static [TemplateField],
    /// Functions whose values have a type, whatever they are given.
    pub functions: &'static [TemplateField],
}

/// What cannot work in a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TemplateMistake {
    /// A value has no field of that name.
    Field {
        /// The name.
        name: String,
        /// The fields that it has; none for a text or a number.
        known: Vec<&'static str>,
        /// Another field of the value is asked for behind it.
        is_followed: bool,
    },
    /// An action that fails.
    Fails {
        /// What is wrong.
        what: String,
        /// The fix.
        help: Option<String>,
    },
    /// An action or a text that prints what nobody means.
    Prints {
        /// What is wrong.
        what: String,
        /// The fix.
        help: Option<String>,
    },
}

static UNKNOWN: TemplateType = TemplateType::Unknown;
static FLOAT: TemplateType = TemplateType::Float;
static INTEGER: TemplateType = TemplateType::Integer;
static TEXT: TemplateType = TemplateType::Text;

/// All mistakes of a valid template, in its order. None of one that has what is not read here.
#[must_use]
pub fn mistakes(text: &str, data: &TemplateData) -> Vec<TemplateMistake> {
    let Ok(nodes) = tree::parse(text) else {
        return Vec::new();
    };
    let mut typing = Typing {
        data,
        variables: data
            .variables
            .iter()
            .map(|(name, of)| ((*name).to_owned(), *of))
            .collect(),
        assigned: BTreeSet::new(),
        dot: data.root,
        found: Vec::new(),
    };
    typing.assigned(&nodes);
    typing.nodes(&nodes);
    // An action that prints braces makes a template of what it stands in.
    if !text.contains("\"{{") && !text.contains("`{{") {
        typing.bare(&nodes);
    }
    typing.found
}

/// Finds the types of the values of a template.
struct Typing<'d> {
    data: &'d TemplateData,
    variables: Vec<(String, &'static TemplateType)>,
    /// The variables that are set again: what they are depends on the way there.
    assigned: BTreeSet<String>,
    dot: &'static TemplateType,
    found: Vec<TemplateMistake>,
}

impl Typing<'_> {
    fn assigned(&mut self, nodes: &[TemplateNode]) {
        for node in nodes {
            let pipeline = match node {
                TemplateNode::Action(pipeline) => pipeline,
                TemplateNode::Block(block) => {
                    self.assigned(&block.body);
                    self.assigned(&block.otherwise);
                    &block.pipeline
                }
                _ => continue,
            };
            if !pipeline.declares {
                self.assigned.extend(pipeline.variables.iter().cloned());
            }
        }
    }

    /// Texts that name a variable outside of an action.
    fn bare(&mut self, nodes: &[TemplateNode]) {
        for node in nodes {
            match node {
                TemplateNode::Text(text) => {
                    let found = self.data.variables.iter().find_map(|(name, of)| {
                        let is_map = matches!(of, TemplateType::Map(_));
                        variable(text, name, is_map)
                    });
                    self.found.extend(found.map(|name| TemplateMistake::Prints {
                        what: format!(
                            "`{name}` stands outside of `{{{{ }}}}`: it is printed as it is"
                        ),
                        help: Some(format!("write `{{{{ {name} }}}}`")),
                    }));
                }
                TemplateNode::Block(block) => {
                    self.bare(&block.body);
                    self.bare(&block.otherwise);
                }
                _ => {}
            }
        }
    }

    fn nodes(&mut self, nodes: &[TemplateNode]) {
        for node in nodes {
            match node {
                TemplateNode::Action(pipeline) => _ = self.pipeline(pipeline),
                TemplateNode::Block(block) => self.block(block),
                TemplateNode::Call(_, argument) => {
                    argument.iter().for_each(|of| _ = self.pipeline(of));
                }
                _ => {}
            }
        }
    }

    fn block(&mut self, block: &BlockNode) {
        let (n_variables, dot) = (self.variables.len(), self.dot);
        let of = self.pipeline(&block.pipeline);
        match block.kind {
            BlockKind::If => {}
            BlockKind::With => self.dot = of,
            BlockKind::Range => {
                let (key, item) = match of {
                    TemplateType::List(item, _) => (&INTEGER, *item),
                    TemplateType::Map(_) => (&TEXT, &TEXT),
                    _ => (&UNKNOWN, &UNKNOWN),
                };
                self.dot = item;
                self.variables.truncate(n_variables);
                match block.pipeline.variables.as_slice() {
                    [one] => self.declare(one, item),
                    [first, second] => {
                        self.declare(first, key);
                        self.declare(second, item);
                    }
                    _ => {}
                }
            }
        }
        self.nodes(&block.body);
        self.dot = dot;
        self.nodes(&block.otherwise);
        self.variables.truncate(n_variables);
    }

    fn declare(&mut self, name: &str, of: &'static TemplateType) {
        let is_set_again = self.assigned.contains(name);
        let of = if is_set_again { &UNKNOWN } else { of };
        self.variables.push((name.to_owned(), of));
    }

    fn pipeline(&mut self, pipeline: &Pipeline) -> &'static TemplateType {
        let mut last = None;
        for command in &pipeline.commands {
            last = Some(self.command(command, last));
        }
        let value = last.unwrap_or(&UNKNOWN);
        if pipeline.declares {
            for name in &pipeline.variables {
                self.declare(name, value);
            }
        }
        value
    }

    fn command(
        &mut self,
        command: &[Operand],
        last: Option<&'static TemplateType>,
    ) -> &'static TemplateType {
        let Some((first, rest)) = command.split_first() else {
            return &UNKNOWN;
        };
        let mut arguments: Vec<_> = rest.iter().map(|of| (Some(of), self.operand(of))).collect();
        arguments.extend(last.map(|of| (None, of)));
        let Operand::Function(name) = first else {
            return self.operand(first);
        };
        match name.as_str() {
            "eq" | "ne" | "lt" | "le" | "gt" | "ge" => {
                if let [left, right, ..] = arguments[..] {
                    let found = comparison(&shown(command, last), name, left, right);
                    self.found.extend(found);
                }
                &UNKNOWN
            }
            "printf" => {
                if let [(Some(Operand::Text(format)), _), values @ ..] = &arguments[..] {
                    self.found
                        .extend(misprint(&shown(command, last), format, values));
                }
                &TEXT
            }
            "print" | "println" | "html" | "js" | "urlquery" => &TEXT,
            "len" => &INTEGER,
            "index" => match arguments[..] {
                [(_, TemplateType::List(item, _)), _] => item,
                [(_, TemplateType::Map(_)), _] => &TEXT,
                _ => &UNKNOWN,
            },
            _ => field(self.data.functions, name).unwrap_or(&UNKNOWN),
        }
    }

    fn operand(&mut self, operand: &Operand) -> &'static TemplateType {
        match operand {
            Operand::Function(name) => field(self.data.functions, name).unwrap_or(&UNKNOWN),
            Operand::Text(_) => &TEXT,
            Operand::Number(_) => &INTEGER,
            Operand::Decimal(text) if is_float(text) => &FLOAT,
            Operand::Decimal(_) | Operand::Bool(_) | Operand::Nil => &UNKNOWN,
            Operand::Fields(source, fields) => {
                let mut value = match source {
                    FieldSource::Dot => self.dot,
                    FieldSource::Variable(name) if name == "$" => self.data.root,
                    FieldSource::Variable(name) => {
                        let known = self.variables.iter().rev().find(|(known, _)| known == name);
                        known.map_or(&UNKNOWN, |(_, of)| *of)
                    }
                    FieldSource::Pipeline(inner) => self.pipeline(inner),
                };
                for (at, name) in fields.iter().enumerate() {
                    value = self.field(value, name, at + 1 < fields.len());
                }
                value
            }
        }
    }

    fn field(
        &mut self,
        value: &'static TemplateType,
        name: &str,
        is_followed: bool,
    ) -> &'static TemplateType {
        let known: &[TemplateField] = match value {
            TemplateType::Unknown => return &UNKNOWN,
            TemplateType::Map(methods) => return field(methods, name).unwrap_or(&TEXT),
            TemplateType::Struct(known) | TemplateType::List(_, known) => known,
            _ => &[],
        };
        field(known, name).unwrap_or_else(|| {
            self.found.push(TemplateMistake::Field {
                name: name.to_owned(),
                known: known.iter().map(|(name, _)| *name).collect(),
                is_followed,
            });
            &UNKNOWN
        })
    }
}

fn field(of: &[TemplateField], name: &str) -> Option<&'static TemplateType> {
    of.iter().find(|(own, _)| *own == name).map(|(_, of)| *of)
}

/// Returns whether a number that is no plain integer has a fraction or an exponent.
fn is_float(text: &str) -> bool {
    text.contains(['.', 'e', 'E'])
        && text
            .bytes()
            .all(|c| c.is_ascii_digit() || b".eE+-".contains(&c))
}

/// A command as it is written.
fn shown(command: &[Operand], last: Option<&TemplateType>) -> String {
    let command = Pipeline {
        commands: vec![command.to_vec()],
        ..Pipeline::default()
    };
    match last {
        Some(_) => format!("… | {command}"),
        None => command.to_string(),
    }
}

/// An argument: what is written, if it is not piped, and its type.
type TypedArgument<'o> = (Option<&'o Operand>, &'static TemplateType);

/// A comparison that fails, as Go compares only values of one kind.
fn comparison(
    command: &str,
    function: &str,
    left: TypedArgument<'_>,
    right: TypedArgument<'_>,
) -> Option<TemplateMistake> {
    use TemplateType::{Float, Integer, List, Map, Struct, Text, Unknown};
    let is_ordered = !matches!(function, "eq" | "ne");
    let is_whole = |of: &TemplateType| matches!(of, List(..) | Map(_) | Struct(_));
    let fails = match (left.1, right.1) {
        (Unknown, _) | (_, Unknown) => false,
        (Float, Float) | (Integer, Integer) | (Text, Text) => false,
        (left, right) if is_whole(left) || is_whole(right) => is_ordered,
        _ => true,
    };
    let what = |of: &TemplateType| match of {
        Float => "a number with a fraction",
        Integer => "a whole number",
        Text => "a text",
        List(..) => "a list",
        Map(_) | Struct(_) | Unknown => "a map",
    };
    let fix = |literal: TypedArgument<'_>, other: &TemplateType| match (literal.0?, other) {
        (Operand::Number(number), Float) => Some(format!("write `{number}.0`")),
        (literal @ (Operand::Number(_) | Operand::Decimal(_)), Text) => {
            Some(format!("write `\"{literal}\"`"))
        }
        (_, List(..)) => Some("compare its length: `len`".to_owned()),
        _ => None,
    };
    fails.then(|| TemplateMistake::Fails {
        what: format!(
            "`{command}` compares {} with {}, which fails",
            what(left.1),
            what(right.1)
        ),
        help: fix(right, left.1).or_else(|| fix(left, right.1)),
    })
}

/// A `printf` whose verb does not print a value of that type.
fn misprint(command: &str, format: &str, values: &[TypedArgument<'_>]) -> Option<TemplateMistake> {
    let mut verbs = Vec::new();
    for rest in format.replace("%%", "").split('%').skip(1) {
        let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || " +-#.".contains(c));
        // Widths that are arguments, and explicit numbers of arguments, are not counted.
        verbs.push(
            rest.chars()
                .next()
                .filter(|verb| verb.is_ascii_alphabetic())?,
        );
    }
    let is_wrong = |verb: char, of: &TemplateType| match of {
        TemplateType::Float => "dcoOqUst".contains(verb),
        TemplateType::Integer => "eEfFgGst".contains(verb),
        TemplateType::Text => "bcdoOUeEfFgGt".contains(verb),
        _ => false,
    };
    let (verb, of) = verbs
        .into_iter()
        .zip(values.iter().map(|(_, of)| *of))
        .find(|(verb, of)| is_wrong(*verb, of))?;
    let (kind, instead) = match of {
        TemplateType::Float => ("float64", "%.0f"),
        TemplateType::Integer => ("int", "%d"),
        _ => ("string", "%s"),
    };
    Some(TemplateMistake::Prints {
        what: format!("`{command}` prints `%!{verb}({kind}=…)`: `%{verb}` is for another type"),
        help: Some(format!("write `{instead}`")),
    })
}

/// A variable in a text, with the name behind it if it is a map.
fn variable<'t>(text: &'t str, name: &str, is_map: bool) -> Option<&'t str> {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(name).find_map(|(at, _)| {
        let rest = &text[at + name.len()..];
        let key = rest.strip_prefix('.').filter(|_| is_map);
        let len = match key.map(|key| key.find(|c| !is_of_name(c)).unwrap_or(key.len())) {
            Some(0) | None if is_map => return None,
            Some(len) => len + 1,
            None => 0,
        };
        let is_whole = len > 0 || !rest.starts_with(is_of_name);
        let is_free = !text[..at].ends_with(['$', '\\']);
        (is_whole && is_free).then(|| &text[at..at + name.len() + len])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    static SAMPLE: TemplateType = TemplateType::Struct(&[("Labels", &LABELS), ("Value", &FLOAT)]);
    static SAMPLES: TemplateType = TemplateType::List(&SAMPLE, &[]);
    static LABELS: TemplateType = TemplateType::Map(&[("Names", &SAMPLES)]);
    static ROOT: TemplateType = TemplateType::Struct(&[("Labels", &LABELS), ("Alerts", &SAMPLES)]);
    const DATA: TemplateData = TemplateData {
        root: &ROOT,
        variables: &[("$labels", &LABELS), ("$value", &FLOAT)],
        functions: &[("query", &SAMPLES), ("first", &SAMPLE), ("humanize", &TEXT)],
    };

    /// The fields that there are not, or what is wrong.
    fn found(text: &str) -> Vec<String> {
        let shown = |of| match of {
            TemplateMistake::Field { name, .. } => name,
            TemplateMistake::Fails { what, help } | TemplateMistake::Prints { what, help } => {
                format!("{what}; {}", help.unwrap_or_default())
            }
        };
        mistakes(text, &DATA).into_iter().map(shown).collect()
    }

    #[test]
    fn fields_are_those_of_the_value_at_hand() {
        for (text, field) in [
            ("{{ .Status }}", "Status"),
            ("{{ $.Status.a }}", "Status"),
            ("{{ range .Alerts }}{{ .Alerts }}{{ end }}", "Alerts"),
            ("{{ with .Labels }}{{ .a.b }}{{ end }}", "b"),
            ("{{ (index .Alerts 0).Status }}", "Status"),
            (
                "{{ range $i, $a := .Alerts }}{{ $a.Status }}{{ end }}",
                "Status",
            ),
            (
                "{{ with query `up` }}{{ . | first }}{{ else }}{{ .Value }}{{ end }}",
                "Value",
            ),
            ("{{ (query `up` | first).Name }}", "Name"),
            ("{{ if .Labels }}{{ .Firing }}{{ end }}", "Firing"),
            ("{{ .Alerts.Labels }}", "Labels"),
        ] {
            assert_eq!(found(text), [field], "{text}");
        }
        for text in [
            "{{ .Labels.a }} {{ $labels.b }} {{ $value }}",
            "{{ range .Alerts }}{{ .Value }}{{ .Labels.a }}{{ $.Alerts }}{{ end }}",
            "{{ with $labels }}{{ .anything }}{{ end }}",
            "{{ define \"a\" }}{{ .Status }}{{ end }}",
            "{{ with unheard .Labels }}{{ .Status }}{{ end }}",
            "{{ $a := .Labels }}{{ if $value }}{{ $a = .Alerts }}{{ end }}{{ $a.b.c }}",
            "{{ range .Labels.Names }}{{ .Labels }}{{ end }}",
            "{{ block \"a\" . }}{{ .Status }}{{ end }}",
        ] {
            assert_eq!(found(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn values_of_two_kinds_are_not_compared() {
        let told = |text: &str| found(text).concat();
        for (text, fix) in [
            ("{{ if gt $value 5 }}a{{ end }}", "write `5.0`"),
            ("{{ if $value | eq 1 }}a{{ end }}", "write `1.0`"),
            ("{{ if eq $labels.code 500 }}a{{ end }}", "write `\"500\"`"),
            (
                "{{ if and $value (lt $value -3) }}a{{ end }}",
                "write `-3.0`",
            ),
            (
                "{{ if gt (humanize $value) 2.5 }}a{{ end }}",
                "write `\"2.5\"`",
            ),
            ("{{ if gt .Alerts 0 }}a{{ end }}", "`len`"),
            (
                "{{ if gt (query `up` | first).Value 0 }}a{{ end }}",
                "write `0.0`",
            ),
        ] {
            assert!(told(text).contains(fix), "{text}: {}", told(text));
        }
        for text in [
            "{{ if gt $value 5.0 }}{{ end }}{{ if ne $value 1e3 }}{{ end }}",
            "{{ if eq $labels.code \"500\" }}{{ end }}",
            "{{ if gt (len .Alerts) 0 }}{{ end }}",
            "{{ if eq (unheard $value) 5 }}{{ end }}",
            "{{ $n := 0.0 }}{{ $n = 1 }}{{ if gt $n 5 }}{{ end }}",
            "{{ if gt $value 0x1p4 }}{{ end }}",
        ] {
            assert_eq!(told(text), "", "{text}");
        }
    }

    #[test]
    fn texts_that_print_something_else_are_found() {
        let told = |text: &str| found(text).concat();
        for (text, fix) in [
            ("{{ printf \"%d\" $value }}", "`%.0f`"),
            ("{{ $value | printf \"100%% %s\" }}", "`%.0f`"),
            ("{{ printf \"%s %.2f\" $labels.a $labels.b }}", "`%s`"),
            ("{{ printf \"%5.1f\" (len .Alerts) }}", "`%d`"),
            ("$labels.instance is down", "`{{ $labels.instance }}`"),
            (
                "{ $labels.instance } of {{ $labels.job }}",
                "`{{ $labels.instance }}`",
            ),
            ("it is $value.", "`{{ $value }}`"),
        ] {
            assert!(told(text).contains(fix), "{text}: {}", told(text));
        }
        for text in [
            "{{ printf \"%.2f%%\" $value }} {{ printf \"%v\" $value }}",
            "{{ printf \"%s %q\" $labels.a $labels.b }}",
            "{{ printf \"%*d\" 3 $value }}",
            "{{ \"{{\" }} $labels.instance {{ \"}}\" }}",
            "${labels} and $$labels.a, \\$value, $labels, $values, $labels.",
            "{{ printf \"$labels.a\" }}",
        ] {
            assert_eq!(told(text), "", "{text}");
        }
    }
}
