//! Label selectors: which objects they pick, and why not.
//!
//! In: a selector as the resource has it, and the labels of objects. Out: whether they match, the requirement that
//! fails, the canonical text, or Kubernetes' words on a selector that is none. Mirrors `LabelSelectorAsSelector` and
//! `labels.NewRequirement` of apimachinery. What an absent selector means is the caller's: some pick all, some nothing.

pub mod miss;
pub mod names;
pub mod text;

use std::fmt;

use promgen_resources::api::meta::{LabelSelector, LabelSelectorRequirement};
use promgen_text::go::json::to_json;
use promgen_text::go::quote::quote;
use promgen_text::yaml::StringMap;

/// A valid selector: all requirements must hold, and an empty one picks everything.
///
/// ```
/// use promgen_resources::api::meta::LabelSelector;
/// use promgen_prometheus::labels::Selector;
///
/// let labels = |text: &str| [("app".into(), text.into())].into_iter().collect();
/// let wanted = LabelSelector { match_labels: Some(labels("web")), ..LabelSelector::default() };
/// let selector = Selector::new(&wanted).expect("a valid selector");
/// assert!(selector.matches(&labels("web")));
/// let failing = selector.first_mismatch(&labels("db")).expect("it does not match");
/// assert_eq!(failing.to_string(), "app=web");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selector {
    /// Sorted by key; those of one key in the order of the manifest, labels before expressions.
    requirements: Vec<Requirement>,
}

/// One condition on one label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// The label.
    pub key: String,
    /// What is asked of it.
    pub operator: Operator,
    /// The values that play a part; none for the operators about presence.
    pub values: Vec<String>,
}

/// The demand of a requirement on a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// It has the one value.
    Equals,
    /// It has one of the values.
    In,
    /// It is absent or has none of the values.
    NotIn,
    /// It is present.
    Exists,
    /// It is absent.
    DoesNotExist,
    /// It is a number above the one value. Only selectors that are written as text have this.
    Above,
    /// It is a number below the one value. Only selectors that are written as text have this.
    Below,
}

impl Selector {
    /// Reads a selector.
    ///
    /// # Errors
    /// Kubernetes' words on the first requirement that is none.
    pub fn new(selector: &LabelSelector) -> Result<Self, String> {
        let labels = selector.match_labels.iter().flatten();
        let expressions = selector.match_expressions.iter().flatten();
        let labels = labels
            .map(|(key, value)| Requirement::new(key, Operator::Equals, &[value.to_string()]));
        let requirements = labels
            .chain(expressions.map(Requirement::from_expression))
            .collect::<Result<_, _>>()?;
        Ok(Self::from_requirements(requirements))
    }

    fn from_requirements(mut requirements: Vec<Requirement>) -> Self {
        // Stable, as Kubernetes sorts by the key alone.
        requirements.sort_by(|a, b| a.key.cmp(&b.key));
        Self { requirements }
    }

    /// Returns whether the labels meet all requirements.
    #[must_use]
    pub fn matches(&self, labels: &StringMap) -> bool {
        self.first_mismatch(labels).is_none()
    }

    /// The first requirement that the labels do not meet.
    #[must_use]
    pub fn first_mismatch(&self, labels: &StringMap) -> Option<&Requirement> {
        self.requirements
            .iter()
            .find(|requirement| !requirement.matches(labels))
    }

    /// The requirements, sorted by key.
    #[must_use]
    pub fn requirements(&self) -> &[Requirement] {
        &self.requirements
    }
}

impl fmt::Display for Selector {
    /// As Kubernetes prints it: `a=b,c in (x,y),!d`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, requirement) in self.requirements.iter().enumerate() {
            if i > 0 {
                f.write_str(",")?;
            }
            requirement.fmt(f)?;
        }
        Ok(())
    }
}

impl Requirement {
    fn from_expression(expression: &LabelSelectorRequirement) -> Result<Self, String> {
        let operator = match expression.operator.as_str() {
            "In" => Operator::In,
            "NotIn" => Operator::NotIn,
            "Exists" => Operator::Exists,
            "DoesNotExist" => Operator::DoesNotExist,
            other => {
                return Err(format!(
                    "{} is not a valid label selector operator",
                    quote(other)
                ));
            }
        };
        Self::new(
            &expression.key,
            operator,
            expression.values.as_deref().unwrap_or_default(),
        )
    }

    fn new(key: &str, operator: Operator, values: &[String]) -> Result<Self, String> {
        Self::check(key, operator, values)?;
        Ok(Self {
            key: key.to_owned(),
            operator,
            values: values.to_vec(),
        })
    }

    /// Returns whether key and values can be those of a requirement.
    fn check(key: &str, operator: Operator, values: &[String]) -> Result<(), String> {
        let mut errors = Vec::new();
        // All faults of a requirement are collected; of several requirements, only the first that has any is named.
        complain(&mut errors, "key", key, &names::label_key_errors(key));
        let fault = match operator {
            Operator::In | Operator::NotIn if values.is_empty() => {
                Some("for 'in', 'notin' operators, values set can't be empty")
            }
            Operator::Exists | Operator::DoesNotExist if !values.is_empty() => {
                Some("values set must be empty for exists and does not exist")
            }
            Operator::Equals
            | Operator::In
            | Operator::NotIn
            | Operator::Exists
            | Operator::DoesNotExist
            | Operator::Above
            | Operator::Below => None,
        };
        if let Some(fault) = fault {
            errors.push(format!(
                "values: Invalid value: {}: {fault}",
                json_list(values)
            ));
        }
        for (i, value) in values.iter().enumerate() {
            let complaints = names::label_value_errors(value);
            if !complaints.is_empty() {
                complain(
                    &mut errors,
                    &format!("values[{i}][{key}]"),
                    value,
                    &complaints,
                );
            }
        }
        aggregate(errors).map_or(Ok(()), Err)
    }

    /// Returns whether the labels meet it.
    #[must_use]
    pub fn matches(&self, labels: &StringMap) -> bool {
        let value = labels.get(self.key.as_str()).map(|value| &**value);
        let is_listed = |value: &str| self.values.iter().any(|listed| listed == value);
        match self.operator {
            Operator::Equals | Operator::In => value.is_some_and(is_listed),
            // An absent label has none of the values.
            Operator::NotIn => value.is_none_or(|value| !is_listed(value)),
            Operator::Exists => value.is_some(),
            Operator::DoesNotExist => value.is_none(),
            Operator::Above => self
                .numbers(value)
                .is_some_and(|(value, bound)| value > bound),
            Operator::Below => self
                .numbers(value)
                .is_some_and(|(value, bound)| value < bound),
        }
    }

    /// A label's value and the one to compare it with, if both are numbers.
    fn numbers(&self, value: Option<&str>) -> Option<(i64, i64)> {
        Some((value?.parse().ok()?, self.values.first()?.parse().ok()?))
    }
}

impl fmt::Display for Requirement {
    /// As Kubernetes prints it, values sorted.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = &self.key;
        let mut values: Vec<&str> = self.values.iter().map(String::as_str).collect();
        // Kubernetes holds values in a set, and prints them sorted.
        values.sort_unstable();
        let values = values.join(",");
        match self.operator {
            Operator::Equals => write!(f, "{key}={values}"),
            Operator::In => write!(f, "{key} in ({values})"),
            Operator::NotIn => write!(f, "{key} notin ({values})"),
            Operator::Exists => f.write_str(key),
            Operator::DoesNotExist => write!(f, "!{key}"),
            Operator::Above => write!(f, "{key}>{values}"),
            Operator::Below => write!(f, "{key}<{values}"),
        }
    }
}

fn complain(errors: &mut Vec<String>, path: &str, value: &str, complaints: &[String]) {
    if !complaints.is_empty() {
        errors.push(format!(
            "{path}: Invalid value: {}: {}",
            quote(value),
            complaints.join("; ")
        ));
    }
}

/// Several errors as one text, each of them once; mirrors `ToAggregate`.
fn aggregate(errors: Vec<String>) -> Option<String> {
    let mut distinct: Vec<String> = Vec::new();
    for error in errors {
        if !distinct.contains(&error) {
            distinct.push(error);
        }
    }
    if distinct.len() > 1 {
        Some(format!("[{}]", distinct.join(", ")))
    } else {
        distinct.pop()
    }
}

/// Values as Go's JSON writes them: no values are `null`, and what means something in HTML is escaped.
fn json_list(values: &[String]) -> String {
    if values.is_empty() {
        return "null".to_owned();
    }
    let values: Vec<_> = values.iter().map(|value| to_json(value)).collect();
    format!("[{}]", values.join(","))
}

#[cfg(test)]
mod tests;
