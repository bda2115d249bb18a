//! The functions and aggregations of PromQL.
//!
//! Source: the parser that releases of the operator link, in the table of facts, and the verdicts of Prometheus 3.13 on calls of each.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::tree::ValueType::{self, Range as R, Scalar as S, Text as T, Vector as V};
use promgen_resources::facts::code_rows;

/// A function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name.
    pub name: &'static str,
    /// The types of its arguments. The last one is that of all further arguments.
    pub arguments: Vec<ValueType>,
    /// The number of arguments that it takes.
    pub arity: Arity,
    /// The type of its result.
    pub yields: ValueType,
    /// Prometheus takes it only with the feature `promql-experimental-functions`.
    pub is_experimental: bool,
    /// It takes it without since 3.14.
    pub is_stable_since_3_14: bool,
}

/// The number of arguments that a function takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arity {
    /// As many as it has types.
    Exact,
    /// At least the first number, at most the second.
    Between(usize, usize),
    /// At least this many.
    AtLeast(usize),
}

/// All functions, by name, as the table of facts has them. A row of another release tells only that it became stable.
pub(super) static FUNCTIONS: LazyLock<Vec<Function>> = LazyLock::new(|| {
    let mut found: BTreeMap<&str, Function> = BTreeMap::new();
    for row in code_rows("function") {
        let Some(function) = Function::read(row.name, row.value) else {
            continue;
        };
        let is_experimental = function.is_experimental;
        let known = found.entry(row.name).or_insert(function);
        known.is_stable_since_3_14 = known.is_experimental && !is_experimental;
    }
    found.into_values().collect()
});

impl Function {
    /// Reads `vector(scalar, matrix) variadic=1 experimental`.
    fn read(name: &'static str, text: &str) -> Option<Self> {
        let (types, flags) = text.split_once(')')?;
        let (yields, arguments) = types.split_once('(')?;
        let arguments: Vec<ValueType> = arguments.split(", ").filter_map(value_type).collect();
        // The arguments beyond the last one of which the type is named.
        let least = arguments.len().saturating_sub(1);
        let variadic = flags
            .split(' ')
            .find_map(|flag| flag.strip_prefix("variadic="));
        Some(Self {
            name,
            arguments,
            arity: match variadic {
                None => Arity::Exact,
                Some("-1") => Arity::AtLeast(least),
                Some(more) => Arity::Between(least, least + more.parse::<usize>().ok()?),
            },
            yields: value_type(yields)?,
            is_experimental: flags.ends_with("experimental"),
            is_stable_since_3_14: false,
        })
    }
}

fn value_type(name: &str) -> Option<ValueType> {
    match name {
        "vector" => Some(V),
        "matrix" => Some(R),
        "scalar" => Some(S),
        "string" => Some(T),
        _ => None,
    }
}

/// An aggregation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Aggregation {
    /// Its name.
    pub(super) name: &'static str,
    /// The type of its first argument, of those that have two.
    pub(super) parameter: Option<ValueType>,
    /// Prometheus takes it only with the feature `promql-experimental-functions`.
    pub(super) is_experimental: bool,
}

const fn aggregation(name: &'static str, parameter: Option<ValueType>) -> Aggregation {
    Aggregation {
        name,
        parameter,
        is_experimental: false,
    }
}

/// All aggregations.
pub(super) static AGGREGATIONS: [Aggregation; 14] = [
    aggregation("avg", None),
    aggregation("bottomk", Some(S)),
    aggregation("count", None),
    aggregation("count_values", Some(T)),
    aggregation("group", None),
    Aggregation {
        is_experimental: true,
        ..aggregation("limit_ratio", Some(S))
    },
    Aggregation {
        is_experimental: true,
        ..aggregation("limitk", Some(S))
    },
    aggregation("max", None),
    aggregation("min", None),
    aggregation("quantile", Some(S)),
    aggregation("stddev", None),
    aggregation("stdvar", None),
    aggregation("sum", None),
    aggregation("topk", Some(S)),
];

/// The function of that name.
pub(super) fn function_named(name: &str) -> Option<&'static Function> {
    FUNCTIONS
        .binary_search_by(|function| function.name.cmp(name))
        .ok()
        .map(|index| &FUNCTIONS[index])
}

/// The aggregation of that name, in whatever case.
pub(super) fn aggregation_named(name: &str) -> Option<&'static Aggregation> {
    AGGREGATIONS
        .iter()
        .find(|aggregation| aggregation.name.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_found_by_name() {
        assert!(FUNCTIONS.is_sorted_by_key(|function| function.name));
        for function in FUNCTIONS.iter() {
            assert_eq!(function_named(function.name), Some(function));
        }
        assert_eq!(function_named("RATE"), None);
        assert!(aggregation_named("SUM").is_some());
    }

    /// The row of a function in the table of facts, as releases with an older parser than that of Prometheus 3.14 have it.
    fn row(function: &Function, is_3_14: bool) -> String {
        let name = |ty: &ValueType| match ty {
            V => "vector",
            R => "matrix",
            S => "scalar",
            T => "string",
        };
        let arguments: Vec<&str> = function.arguments.iter().map(name).collect();
        // How many arguments it takes beyond the last one of which the type is named.
        let least = arguments.len().saturating_sub(1);
        let variadic = match function.arity {
            Arity::Exact => String::new(),
            Arity::Between(_, most) => format!(" variadic={}", most - least),
            Arity::AtLeast(_) => " variadic=-1".to_owned(),
        };
        let is_stable = !function.is_experimental || is_3_14 && function.is_stable_since_3_14;
        let flag = if is_stable { "" } else { " experimental" };
        format!(
            "{}({}){variadic}{flag}",
            name(&function.yields),
            arguments.join(", ")
        )
    }

    /// Functions are those of the parser that releases of the operator link.
    #[test]
    fn functions_are_those_of_the_table_of_facts() {
        let of_parser = |function: &Function, is_3_14: bool| {
            let rows = code_rows("function").filter(|row| row.name == function.name);
            rows.filter(|row| is_3_14 || row.since < "v0.94.0")
                .last()
                .map(|row| row.value)
        };
        for function in FUNCTIONS.iter() {
            assert_eq!(
                of_parser(function, true),
                Some(&*row(function, true)),
                "{}",
                function.name
            );
            let before = of_parser(function, false);
            assert!(
                before.is_none_or(|value| value == row(function, false)),
                "{}: {before:?}",
                function.name
            );
        }
        assert!(code_rows("function").all(|row| function_named(row.name).is_some()));
    }
}
