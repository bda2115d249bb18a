//! The rules of CustomResourceDefinitions, which are written in CEL: the part of the language that rules about one object use.
//!
//! What is not in that part is unknown, and so is what takes too long: the rule is then not checked. A library was tried first;
//! its parser runs out of stack on rules of 60 brackets.

mod parse;

use promgen_text::go::regex::{self, GoRegex};
use serde_json::{Number, Value};

use parse::{CelExpression, CelOperator};

/// Whether a value keeps to a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RuleVerdict {
    Holds,
    Fails,
    /// The rule has something that promgen does not evaluate.
    Unknown,
}

/// The number of values that the evaluation of a rule looks at, at most.
const MAX_STEPS: usize = 1_000_000;

/// The number of bytes of a compiled pattern that count as a value.
const BYTES_IN_A_STEP: usize = 32;

/// Checks a value by a rule. A rule about the change of a value holds for one that is new.
pub(super) fn check(rule: &str, value: &Value) -> RuleVerdict {
    if rule.contains("oldSelf") {
        return RuleVerdict::Holds;
    }
    let Some(expression) = parse::parse(rule) else {
        return RuleVerdict::Unknown;
    };
    let mut evaluation = CelEvaluation {
        steps: MAX_STEPS,
        variables: vec![("self".to_owned(), value.clone())],
    };
    match evaluation.value(&expression) {
        Some(Value::Bool(true)) => RuleVerdict::Holds,
        Some(Value::Bool(false)) => RuleVerdict::Fails,
        Some(_) | None => RuleVerdict::Unknown,
    }
}

/// The evaluation of a rule. `None` of its functions: unknown, or an error in CEL.
struct CelEvaluation {
    steps: usize,
    variables: Vec<(String, Value)>,
}

impl CelEvaluation {
    fn value(&mut self, expression: &CelExpression) -> Option<Value> {
        self.take(1)?;
        match expression {
            CelExpression::Literal(value) => Some(value.clone()),
            CelExpression::List(items) => items
                .iter()
                .map(|item| self.value(item))
                .collect::<Option<Vec<_>>>()
                .map(Value::Array),
            CelExpression::Name(name) => {
                let value = self
                    .variables
                    .iter()
                    .rev()
                    .find_map(|(known, value)| (known == name).then_some(value))?
                    .clone();
                self.take(size(&value))?;
                Some(value)
            }
            CelExpression::Field(of, name) => self.value(of)?.get_mut(name).map(Value::take),
            CelExpression::Index(of, index) => match (self.value(of)?, self.value(index)?) {
                (Value::Array(mut items), index) => items
                    .get_mut(usize::try_from(index.as_u64()?).ok()?)
                    .map(Value::take),
                (Value::Object(mut fields), Value::String(name)) => {
                    fields.get_mut(&name).map(Value::take)
                }
                _ => None,
            },
            CelExpression::Has(of, name) => {
                Some(self.value(of)?.as_object()?.contains_key(name).into())
            }
            CelExpression::Not(of) => Some((!self.value(of)?.as_bool()?).into()),
            CelExpression::Negative(of) => number(-self.value(of)?.as_f64()?),
            CelExpression::Choice(parts) => {
                let (condition, yes, no) = &**parts;
                let taken = if self.value(condition)?.as_bool()? {
                    yes
                } else {
                    no
                };
                self.value(taken)
            }
            CelExpression::Binary(of, left, right) => self.binary(*of, left, right),
            CelExpression::Call(of, name, arguments) => {
                let of = self.value(of)?;
                let arguments = arguments
                    .iter()
                    .map(|argument| self.value(argument))
                    .collect::<Option<Vec<_>>>()?;
                self.take(size(&of))?;
                if let ("matches", Some(pattern)) =
                    (&**name, arguments.first().and_then(Value::as_str))
                {
                    self.take(regex::weight(pattern).ok()? / BYTES_IN_A_STEP)?;
                }
                call(name, &of, &arguments)
            }
            CelExpression::Macro(of, name, variable, body) => {
                let items = match self.value(of)? {
                    Value::Array(items) => items,
                    Value::Object(fields) => fields
                        .into_iter()
                        .map(|(key, _)| Value::String(key))
                        .collect(),
                    _ => {
                        return None;
                    }
                };
                self.visit(items, name, variable, body)
            }
        }
    }

    /// One value of `&&` and `||` may decide although the other is unknown.
    fn binary(
        &mut self,
        of: CelOperator,
        left: &CelExpression,
        right: &CelExpression,
    ) -> Option<Value> {
        if let CelOperator::And | CelOperator::Or = of {
            let decides = of == CelOperator::Or;
            let mut side =
                |side: &CelExpression| self.value(side).and_then(|value| value.as_bool());
            return match side(left) {
                Some(value) if value == decides => Some(decides.into()),
                left => match (left, side(right)) {
                    (_, Some(value)) if value == decides => Some(decides.into()),
                    (Some(_), Some(_)) => Some((!decides).into()),
                    _ => None,
                },
            };
        }
        let (left, right) = (self.value(left)?, self.value(right)?);
        Some(match of {
            CelOperator::Equal => is_equal(&left, &right).into(),
            CelOperator::NotEqual => (!is_equal(&left, &right)).into(),
            CelOperator::Less => (left.partial(&right)? == std::cmp::Ordering::Less).into(),
            CelOperator::AtMost => (left.partial(&right)? != std::cmp::Ordering::Greater).into(),
            CelOperator::More => (left.partial(&right)? == std::cmp::Ordering::Greater).into(),
            CelOperator::AtLeast => (left.partial(&right)? != std::cmp::Ordering::Less).into(),
            CelOperator::In => match &right {
                Value::Array(items) => items.iter().any(|item| is_equal(item, &left)).into(),
                Value::Object(fields) => fields.contains_key(left.as_str()?).into(),
                _ => return None,
            },
            CelOperator::Plus => match (left, right) {
                (Value::String(left), Value::String(right)) => {
                    self.take(left.len() + right.len())?;
                    Value::String(left + &right)
                }
                (left, right) => number(left.as_f64()? + right.as_f64()?)?,
            },
            CelOperator::Minus => number(left.as_f64()? - right.as_f64()?)?,
            CelOperator::Times => number(left.as_f64()? * right.as_f64()?)?,
            _ => return None,
        })
    }

    fn visit(
        &mut self,
        items: Vec<Value>,
        name: &str,
        variable: &str,
        body: &CelExpression,
    ) -> Option<Value> {
        let mut results = Vec::with_capacity(items.len());
        for item in items {
            self.variables.push((variable.to_owned(), item.clone()));
            let result = self.value(body);
            self.variables.pop();
            results.push((item, result));
        }
        let is = |wanted: bool| {
            move |(_, result): &&(Value, Option<Value>)| *result == Some(Value::Bool(wanted))
        };
        let is_known = results.iter().all(|(_, result)| result.is_some());
        match name {
            "all" if results.iter().any(|result| is(false)(&result)) => Some(false.into()),
            "exists" if results.iter().any(|result| is(true)(&result)) => Some(true.into()),
            _ if !is_known => None,
            "all" => Some(true.into()),
            "exists" => Some(false.into()),
            "exists_one" => Some((results.iter().filter(is(true)).count() == 1).into()),
            "filter" => Some(
                results
                    .iter()
                    .filter(is(true))
                    .map(|(item, _)| item.clone())
                    .collect(),
            ),
            _ => results.into_iter().map(|(_, result)| result).collect(),
        }
    }

    fn take(&mut self, n: usize) -> Option<()> {
        self.steps = self.steps.checked_sub(n)?;
        Some(())
    }
}

/// Calls a function of a value.
fn call(name: &str, of: &Value, arguments: &[Value]) -> Option<Value> {
    let text = || Some((of.as_str()?, arguments.first()?.as_str()?));
    match name {
        "size" => match of {
            Value::String(text) => Some(text.chars().count().into()),
            Value::Array(items) => Some(items.len().into()),
            Value::Object(fields) => Some(fields.len().into()),
            _ => None,
        },
        "startsWith" => text().map(|(of, start)| of.starts_with(start).into()),
        "endsWith" => text().map(|(of, end)| of.ends_with(end).into()),
        "contains" => text().map(|(of, part)| of.contains(part).into()),
        "matches" => {
            text().and_then(|(of, pattern)| Some(GoRegex::new(pattern).ok()?.is_match(of).into()))
        }
        _ => None,
    }
}

/// Numbers are equal by value, whatever their type.
fn is_equal(left: &Value, right: &Value) -> bool {
    match (left.as_f64(), right.as_f64()) {
        (Some(left), Some(right)) => left.total_cmp(&right).is_eq(),
        _ => left == right,
    }
}

/// Comparison of two values of one type.
trait Partial {
    fn partial(&self, other: &Self) -> Option<std::cmp::Ordering>;
}

impl Partial for Value {
    fn partial(&self, other: &Self) -> Option<std::cmp::Ordering> {
        match (self, other) {
            (Self::String(left), Self::String(right)) => Some(left.cmp(right)),
            _ => self.as_f64()?.partial_cmp(&other.as_f64()?),
        }
    }
}

fn number(number: f64) -> Option<Value> {
    Number::from_f64(number).map(Value::Number)
}

/// The number of values that a value is made of.
fn size(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(size).sum::<usize>(),
        Value::Object(fields) => 1 + fields.values().map(size).sum::<usize>(),
        Value::String(text) => 1 + text.len() / 64,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn rules_hold_fail_or_are_not_evaluated() {
        let value =
            json!({"mode": "DaemonSet", "shards": 2, "list": [1, 2], "auth": {}, "map": {"a": 1}});
        let holds = [
            "!(has(self.mode) && self.mode == 'DaemonSet' && has(self.replicas))",
            "self.list.all(i, i > 0) && self.shards == 2 && self.mode.matches('^D')",
            "self.shards >= oldSelf.shards",
            "has(self.auth) ? self.mode in ['DaemonSet', \"x\"] : false",
            "size(self.list) == 2 && self.list[1] == 2 && self.map['a'] == 1 && 'a' in self.map",
            "self.list.map(i, i * 2).exists(i, i == 4) && self.list.exists_one(i, i == 1)",
            "self.mode.startsWith('Dae') && self.mode + 'x' == 'DaemonSetx' && self.shards - 3 == -1",
            "true || self.missing == 1",
            r"'a.b'.matches('^a\\.b$') && 'it\'s'.size() == 4",
        ];
        let fails = [
            "!has(self.auth) || has(self.other)",
            "[has(self.auth), has(self.mode), has(self.x)].filter(x, x).size() <= 1",
            "self.missing == 1 && false",
            "!(self.shards <= 2.5)",
        ];
        let unknown = [
            "isURL(self.mode)",
            "self.mode",
            "self.mode ==",
            "self.missing == 1",
            "self.list.all(i)",
            "1 < 'a'",
            "(",
            "",
            "a.b",
        ];
        let of = |verdict: RuleVerdict| move |rule: &str| (rule.to_owned(), verdict);
        let expected = holds.map(of(RuleVerdict::Holds)).into_iter();
        let expected = expected
            .chain(fails.map(of(RuleVerdict::Fails)))
            .chain(unknown.map(of(RuleVerdict::Unknown)));
        for (rule, expected) in expected {
            assert_eq!(check(&rule, &value), expected, "{rule}");
        }
    }

    #[test]
    fn what_is_too_deep_or_takes_too_long_is_not_evaluated() {
        let many = json!({"list": vec![0; 2000]});
        let deep = [
            format!("{}true{}", "(".repeat(100_000), ")".repeat(100_000)),
            format!("{}true", "true ? true : ".repeat(100_000)),
            format!("{}true", "!".repeat(100_000)),
            format!("self{}", ".a".repeat(100_000)),
            format!("1{} > 0", "+1".repeat(100_000)),
            format!("{}1{} == 1", "[".repeat(100_000), "]".repeat(100_000)),
            "self.list.all(a, self.list.all(b, a == b))".to_owned(),
            r"self.list.all(a, 'x'.matches('\\pL{8}x|x'))".to_owned(),
        ];
        for rule in deep {
            assert_eq!(check(&rule, &many), RuleVerdict::Unknown, "{}", &rule[..20]);
        }
    }
}
