//! Expressions made at random: by type, so that most have a value. A tenth has values that nobody knows, a tenth is refused.

use crate::support::asked::Dice;

/// The type of a part of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Bool,
    Int,
    Double,
    Text,
    Ints,
    Texts,
    Duration,
    /// An object of `rule.jobs`.
    Job,
}

/// What makes an expression.
struct Maker<'d> {
    dice: &'d mut Dice,
    /// The variables of macros around.
    locals: Vec<(String, Kind)>,
    /// Facts that nobody knows are among the values.
    has_unknown: bool,
}

/// Expressions, the same ones for the same dice.
pub(super) fn expressions(dice: &mut Dice, count: usize) -> Vec<String> {
    let mut all = Vec::with_capacity(count);
    while all.len() < count {
        let number = all.len();
        let mut maker = Maker {
            dice,
            locals: Vec::new(),
            has_unknown: number % 10 == 1,
        };
        let kind = maker.dice.one(&[
            Kind::Bool,
            Kind::Bool,
            Kind::Int,
            Kind::Double,
            Kind::Text,
            Kind::Ints,
            Kind::Texts,
            Kind::Duration,
        ]);
        let depth = 2 + maker.dice.below(3);
        let made = maker.make(kind, depth);
        let made = if number % 10 == 2 {
            maker.broken(&made)
        } else {
            made
        };
        if made.len() < 1_000 {
            all.push(made);
        }
    }
    all
}

impl Maker<'_> {
    fn one(&mut self, of: &[&str]) -> String {
        self.dice.one(of).to_owned()
    }

    /// A text that is no expression.
    fn broken(&mut self, text: &str) -> String {
        match self.dice.below(8) {
            0 => format!("({text}"),
            1 => format!("{text} +"),
            2 => format!("{text} {text}"),
            3 => format!("if({text})"),
            4 => format!("[{text}"),
            5 => format!("'{text}"),
            6 => format!("{text} ? 1"),
            _ => format!("has({text} + 1)"),
        }
    }

    fn make(&mut self, kind: Kind, depth: usize) -> String {
        let local = self.locals.iter().filter(|(_, of)| *of == kind).count();
        if local > 0 && self.dice.is(40) {
            let at = self.dice.below(local);
            let mut locals = self.locals.iter().filter(|(_, of)| *of == kind);
            return locals
                .nth(at)
                .map(|(name, _)| name.clone())
                .unwrap_or_default();
        }
        if depth == 0 {
            return self.leaf(kind);
        }
        if self.dice.is(8) {
            let (condition, yes, no) = (
                self.make(Kind::Bool, depth - 1),
                self.make(kind, depth - 1),
                self.make(kind, depth - 1),
            );
            return format!("({condition} ? {yes} : {no})");
        }
        // Now and then a part of another type.
        let kind = match self.dice.is(2) {
            true => self.dice.one(&[Kind::Bool, Kind::Int, Kind::Text]),
            false => kind,
        };
        match kind {
            Kind::Bool => self.bool(depth - 1),
            Kind::Int => self.int(depth - 1),
            Kind::Double => self.double(depth - 1),
            Kind::Text => self.text(depth - 1),
            Kind::Ints => self.ints(depth - 1),
            Kind::Texts => self.texts(depth - 1),
            Kind::Duration => self.duration(depth - 1),
            Kind::Job => self.leaf(kind),
        }
    }

    fn leaf(&mut self, kind: Kind) -> String {
        if self.has_unknown && self.dice.is(40) {
            match kind {
                Kind::Bool => {
                    return self.one(&[
                        "facts.makes",
                        "facts.known",
                        "facts.no",
                        "facts.jobs[1].makes",
                    ]);
                }
                Kind::Int => return self.one(&["facts.count", "facts.number"]),
                Kind::Double
                | Kind::Text
                | Kind::Ints
                | Kind::Texts
                | Kind::Duration
                | Kind::Job => {}
            }
        }
        match kind {
            Kind::Bool => self.one(&[
                "true",
                "false",
                "has(rule.labels.severity)",
                "has(rule.nope)",
                "has(object.spec.replicas)",
            ]),
            Kind::Int => self.one(&[
                "0",
                "1",
                "2",
                "-3",
                "7",
                "n",
                "m.a",
                "m['b']",
                "object.spec.replicas",
                "monitor.interval",
                "9223372036854775807",
                "-9223372036854775808",
                "0x1f",
                "monitor.limits.nope",
            ]),
            Kind::Double => self.one(&["0.0", "1.5", "-2.25", "1e3", "monitor.f", ".5", "1e300"]),
            Kind::Text => self.one(&[
                "''",
                "'a'",
                "s",
                "'é€x'",
                "rule.name",
                "rule.labels.severity",
                "object.metadata.name",
                "rule['kind']",
                "r'\\d'",
                "\"a\\tb\"",
                "rule.labels.nope",
                "object.spec.groups[0].name",
                "'10m'",
            ]),
            Kind::Ints => self.one(&["[]", "[1, 2, 3]", "[3, 1, 2]", "[0]", "e", "[n, n]"]),
            Kind::Texts => self.one(&["[]", "rule.metrics", "['a', 'b', 'a']", "e", "[s]"]),
            Kind::Duration => self.one(&[
                "duration('1h30m')",
                "duration('90s')",
                "duration('-1.5s')",
                "duration('0')",
                "duration(rule.for)",
                "duration('1d')",
            ]),
            Kind::Job => self.one(&[
                "rule.jobs[0]",
                "rule.jobs[1]",
                "{'name': 'x', 'makes': 'no'}",
            ]),
        }
    }

    fn bool(&mut self, depth: usize) -> String {
        match self.dice.below(16) {
            0 | 1 => self.joined(Kind::Bool, &["&&", "||"], depth),
            2 => format!("!{}", self.in_brackets(Kind::Bool, depth)),
            3 => {
                let kind = self.dice.one(&[
                    Kind::Int,
                    Kind::Text,
                    Kind::Double,
                    Kind::Ints,
                    Kind::Texts,
                    Kind::Duration,
                    Kind::Job,
                    Kind::Bool,
                ]);
                self.joined(kind, &["==", "!="], depth)
            }
            4 => {
                let kind = self
                    .dice
                    .one(&[Kind::Int, Kind::Text, Kind::Double, Kind::Duration]);
                self.joined(kind, &["<", "<=", ">", ">="], depth)
            }
            5 => {
                let (one, other) = (
                    self.in_brackets(Kind::Int, depth),
                    self.in_brackets(Kind::Double, depth),
                );
                let sign = self.one(&["==", "<", ">", "!="]);
                format!("{one} {sign} {other}")
            }
            6 => format!(
                "{} in {}",
                self.in_brackets(Kind::Int, depth),
                self.in_brackets(Kind::Ints, depth)
            ),
            7 => format!(
                "{} in {}",
                self.in_brackets(Kind::Text, depth),
                self.in_brackets(Kind::Texts, depth)
            ),
            8 | 9 => {
                let name = self.one(&["all", "exists", "exists_one"]);
                let kind = self.dice.one(&[Kind::Ints, Kind::Texts]);
                self.visited(kind, &name, Kind::Bool, depth)
            }
            10 => self.jobs(),
            11 => {
                let function = self.one(&["contains", "startsWith", "endsWith"]);
                format!(
                    "{}.{function}({})",
                    self.in_brackets(Kind::Text, depth),
                    self.make(Kind::Text, depth)
                )
            }
            12 => {
                let pattern = self.one(&[
                    "'^a'",
                    "'[a-z]+$'",
                    "'(?i)TARGET'",
                    "r'^\\w+$'",
                    "'('",
                    "'a{2}|é'",
                    "s",
                ]);
                format!("{}.matches({pattern})", self.in_brackets(Kind::Text, depth))
            }
            13 => self.one(&[
                "rule.?nope.hasValue()",
                "rule.?labels.?severity.hasValue()",
                "m.all(k, v, v > 0)",
                "m.exists(k, m[k] == 2)",
                "[5, 6].all(i, v, v > i)",
                "'a' in m",
                "'c' in m",
                "rule.labels == {'team': 'sre', 'severity': 'critical'}",
                "monitor.nul == null",
                "has(monitor.nul)",
                "has(rule.nope.x)",
                "type(n) == int",
                "type(monitor.f) == double",
                "bool('true')",
                "bool('x')",
                "1u < 2 && 2u == 2",
                "b'a' < b'b'",
                "{1: 'x'}[1u] == 'x'",
            ]),
            14 => format!("{}.isSorted()", self.in_brackets(Kind::Ints, depth)),
            _ => format!(
                "{} == {}",
                self.in_brackets(Kind::Text, depth),
                self.in_brackets(Kind::Int, depth)
            ),
        }
    }

    /// What holds of jobs.
    fn jobs(&mut self) -> String {
        let of = if self.has_unknown {
            "facts.jobs"
        } else {
            "rule.jobs"
        };
        let name = self.one(&["all", "exists", "exists_one"]);
        let condition = match self.has_unknown {
            true => self.one(&[
                "j.makes",
                "!j.makes",
                "j.makes || j.name == 'a'",
                "j.name != 'b' && j.makes",
            ]),
            false => self.one(&[
                "j.makes == 'yes'",
                "has(j.name)",
                "j.nope == 1",
                "j.name.startsWith('a')",
            ]),
        };
        format!("{of}.{name}(j, {condition})")
    }

    fn int(&mut self, depth: usize) -> String {
        match self.dice.below(12) {
            0..=3 => self.joined(Kind::Int, &["+", "-", "*", "/", "%"], depth),
            4 => format!("size({})", {
                let kind = self.dice.one(&[Kind::Text, Kind::Ints, Kind::Texts]);
                self.make(kind, depth)
            }),
            5 => format!("{}.size()", self.in_brackets(Kind::Text, depth)),
            6 => format!("-{}", self.in_brackets(Kind::Int, depth)),
            7 => format!(
                "{}[{}]",
                self.in_brackets(Kind::Ints, depth),
                self.place(depth)
            ),
            8 => format!(
                "{}[?{}].orValue({})",
                self.in_brackets(Kind::Ints, depth),
                self.make(Kind::Int, depth),
                self.make(Kind::Int, depth)
            ),
            9 => {
                let kind = self
                    .dice
                    .one(&[Kind::Double, Kind::Text, Kind::Duration, Kind::Int]);
                format!("int({})", self.make(kind, depth))
            }
            10 => {
                let function = self.one(&["indexOf", "lastIndexOf"]);
                format!(
                    "{}.{function}({})",
                    self.in_brackets(Kind::Text, depth),
                    self.make(Kind::Text, depth)
                )
            }
            _ => {
                let function =
                    self.one(&["getHours", "getMinutes", "getSeconds", "getMilliseconds"]);
                format!("{}.{function}()", self.in_brackets(Kind::Duration, depth))
            }
        }
    }

    fn double(&mut self, depth: usize) -> String {
        match self.dice.below(5) {
            0..=2 => self.joined(Kind::Double, &["+", "-", "*", "/"], depth),
            3 => format!("double({})", self.make(Kind::Int, depth)),
            _ => format!("-{}", self.in_brackets(Kind::Double, depth)),
        }
    }

    fn text(&mut self, depth: usize) -> String {
        let of = self.in_brackets(Kind::Text, depth);
        match self.dice.below(12) {
            0 | 1 => self.joined(Kind::Text, &["+"], depth),
            2 => {
                let function = self.one(&["lowerAscii", "upperAscii", "trim", "reverse"]);
                format!("{of}.{function}()")
            }
            3 => format!(
                "{of}.replace({}, {})",
                self.make(Kind::Text, depth),
                self.make(Kind::Text, depth)
            ),
            4 => format!("{of}.substring({})", self.place(depth)),
            5 => format!("{of}.charAt({})", self.place(depth)),
            6 => {
                let kind = self.dice.one(&[
                    Kind::Int,
                    Kind::Double,
                    Kind::Bool,
                    Kind::Duration,
                    Kind::Text,
                ]);
                format!("string({})", self.make(kind, depth))
            }
            7 => format!(
                "{}.join({})",
                self.in_brackets(Kind::Texts, depth),
                self.make(Kind::Text, depth)
            ),
            8 => format!(
                "{}[{}]",
                self.in_brackets(Kind::Texts, depth),
                self.place(depth)
            ),
            9 => format!(
                "rule.?labels[?{}].orValue({})",
                self.make(Kind::Text, depth),
                self.make(Kind::Text, depth)
            ),
            10 => format!(
                "rule.?labels.?severity.optMap(v, v + {}).orValue('none')",
                self.make(Kind::Text, depth)
            ),
            _ => format!("{of}.find('[a-zé]+')"),
        }
    }

    fn ints(&mut self, depth: usize) -> String {
        match self.dice.below(6) {
            0 => format!(
                "[{}, {}]",
                self.make(Kind::Int, depth),
                self.make(Kind::Int, depth)
            ),
            1 => self.joined(Kind::Ints, &["+"], depth),
            2 => self.visited(Kind::Ints, "map", Kind::Int, depth),
            3 => self.visited(Kind::Texts, "map", Kind::Int, depth),
            4 => self.visited(Kind::Ints, "filter", Kind::Bool, depth),
            _ => format!(
                "[{}, ?[1][?{}]]",
                self.make(Kind::Int, depth),
                self.make(Kind::Int, depth)
            ),
        }
    }

    fn texts(&mut self, depth: usize) -> String {
        match self.dice.below(6) {
            0 => format!("[{}]", self.make(Kind::Text, depth)),
            1 => self.joined(Kind::Texts, &["+"], depth),
            2 => self.visited(Kind::Texts, "map", Kind::Text, depth),
            3 => self.visited(Kind::Texts, "filter", Kind::Bool, depth),
            4 => format!(
                "{}.split({})",
                self.in_brackets(Kind::Text, depth),
                self.make(Kind::Text, depth)
            ),
            _ => format!("{}.findAll('[a-z]')", self.in_brackets(Kind::Text, depth)),
        }
    }

    fn duration(&mut self, depth: usize) -> String {
        match self.dice.below(3) {
            0 => format!("-{}", self.in_brackets(Kind::Duration, depth)),
            _ => self.joined(Kind::Duration, &["+", "-"], depth),
        }
    }

    fn in_brackets(&mut self, kind: Kind, depth: usize) -> String {
        format!("({})", self.make(kind, depth))
    }

    /// A place in a short text or list.
    fn place(&mut self, depth: usize) -> String {
        match self.dice.is(75) {
            true => self.one(&["0", "1", "size(s)"]),
            false => self.make(Kind::Int, depth),
        }
    }

    fn joined(&mut self, kind: Kind, signs: &[&str], depth: usize) -> String {
        let (one, other) = (self.in_brackets(kind, depth), self.in_brackets(kind, depth));
        format!("{one} {} {other}", self.one(signs))
    }

    /// A macro with a body of that type.
    fn visited(&mut self, of: Kind, name: &str, body: Kind, depth: usize) -> String {
        let range = self.in_brackets(of, depth);
        let variable = format!("x{}", self.locals.len());
        let item = if of == Kind::Ints {
            Kind::Int
        } else {
            Kind::Text
        };
        self.locals.push((variable.clone(), item));
        let body = self.make(body, depth);
        self.locals.pop();
        format!("{range}.{name}({variable}, {body})")
    }
}
