//! The functions and aggregations of PromQL.
//!
//! Source: the functions page of Prometheus' documentation, and the verdicts of Prometheus 3.13 on calls of each.

use super::tree::ValueType::{self, Range as R, Scalar as S, Text as T, Vector as V};

/// A function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name.
    pub name: &'static str,
    /// The types of its arguments. The last one is that of all further arguments.
    pub arguments: &'static [ValueType],
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

const fn function(
    name: &'static str,
    arguments: &'static [ValueType],
    yields: ValueType,
) -> Function {
    Function {
        name,
        arguments,
        arity: Arity::Exact,
        yields,
        is_experimental: false,
        is_stable_since_3_14: false,
    }
}

const fn experimental(
    name: &'static str,
    arguments: &'static [ValueType],
    yields: ValueType,
) -> Function {
    Function {
        is_experimental: true,
        ..function(name, arguments, yields)
    }
}

const fn taking(arity: Arity, function: Function) -> Function {
    Function { arity, ..function }
}

/// At most one argument.
const MAY_HAVE_ONE: Arity = Arity::Between(0, 1);

/// All functions, by name.
pub(super) static FUNCTIONS: [Function; 90] = [
    function("abs", &[V], V),
    function("absent", &[V], V),
    function("absent_over_time", &[R], V),
    function("acos", &[V], V),
    function("acosh", &[V], V),
    function("asin", &[V], V),
    function("asinh", &[V], V),
    function("atan", &[V], V),
    function("atanh", &[V], V),
    function("avg_over_time", &[R], V),
    function("ceil", &[V], V),
    function("changes", &[R], V),
    function("clamp", &[V, S, S], V),
    function("clamp_max", &[V, S], V),
    function("clamp_min", &[V, S], V),
    function("cos", &[V], V),
    function("cosh", &[V], V),
    function("count_over_time", &[R], V),
    taking(MAY_HAVE_ONE, function("day_of_month", &[V], V)),
    taking(MAY_HAVE_ONE, function("day_of_week", &[V], V)),
    taking(MAY_HAVE_ONE, function("day_of_year", &[V], V)),
    taking(MAY_HAVE_ONE, function("days_in_month", &[V], V)),
    function("deg", &[V], V),
    function("delta", &[R], V),
    function("deriv", &[R], V),
    experimental("double_exponential_smoothing", &[R, S, S], V),
    experimental("end", &[], S),
    function("exp", &[V], V),
    Function {
        is_stable_since_3_14: true,
        ..experimental("first_over_time", &[R], V)
    },
    function("floor", &[V], V),
    function("histogram_avg", &[V], V),
    function("histogram_count", &[V], V),
    function("histogram_fraction", &[S, S, V], V),
    function("histogram_quantile", &[S, V], V),
    taking(
        Arity::Between(3, 12),
        experimental("histogram_quantiles", &[V, T, S, S], V),
    ),
    function("histogram_stddev", &[V], V),
    function("histogram_stdvar", &[V], V),
    function("histogram_sum", &[V], V),
    taking(MAY_HAVE_ONE, function("hour", &[V], V)),
    function("idelta", &[R], V),
    function("increase", &[R], V),
    taking(Arity::Between(1, 2), experimental("info", &[V, V], V)),
    function("irate", &[R], V),
    taking(Arity::AtLeast(3), function("label_join", &[V, T, T, T], V)),
    function("label_replace", &[V, T, T, T, T], V),
    function("last_over_time", &[R], V),
    function("ln", &[V], V),
    function("log10", &[V], V),
    function("log2", &[V], V),
    experimental("mad_over_time", &[R], V),
    experimental("max_of", &[S, S], S),
    function("max_over_time", &[R], V),
    experimental("min_of", &[S, S], S),
    function("min_over_time", &[R], V),
    taking(MAY_HAVE_ONE, function("minute", &[V], V)),
    taking(MAY_HAVE_ONE, function("month", &[V], V)),
    function("pi", &[], S),
    function("predict_linear", &[R, S], V),
    function("present_over_time", &[R], V),
    function("quantile_over_time", &[S, R], V),
    function("rad", &[V], V),
    experimental("range", &[], S),
    function("rate", &[R], V),
    function("resets", &[R], V),
    taking(Arity::Between(1, 2), function("round", &[V, S], V)),
    function("scalar", &[V], S),
    function("sgn", &[V], V),
    function("sin", &[V], V),
    function("sinh", &[V], V),
    function("sort", &[V], V),
    taking(Arity::AtLeast(1), experimental("sort_by_label", &[V, T], V)),
    taking(
        Arity::AtLeast(1),
        experimental("sort_by_label_desc", &[V, T], V),
    ),
    function("sort_desc", &[V], V),
    function("sqrt", &[V], V),
    experimental("start", &[], S),
    // Since Prometheus 3.14.
    experimental("start_timestamp", &[V], V),
    function("stddev_over_time", &[R], V),
    function("stdvar_over_time", &[R], V),
    experimental("step", &[], S),
    function("sum_over_time", &[R], V),
    function("tan", &[V], V),
    function("tanh", &[V], V),
    function("time", &[], S),
    function("timestamp", &[V], V),
    experimental("ts_of_first_over_time", &[R], V),
    experimental("ts_of_last_over_time", &[R], V),
    experimental("ts_of_max_over_time", &[R], V),
    experimental("ts_of_min_over_time", &[R], V),
    function("vector", &[S], V),
    taking(MAY_HAVE_ONE, function("year", &[V], V)),
];

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
    use promgen_resources::facts::code_rows;

    #[test]
    fn functions_are_found_by_name() {
        assert!(FUNCTIONS.is_sorted_by_key(|function| function.name));
        for function in &FUNCTIONS {
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
        for function in &FUNCTIONS {
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
