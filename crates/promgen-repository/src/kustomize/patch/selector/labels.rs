//! Label selectors: `app=web,tier!=db,zone in (a, b),!legacy`.

use promgen_text::yaml::Node;

use crate::kustomize::value::text;

/// A label selector.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::kustomize) struct TargetLabelSelector(Vec<TargetRequirement>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct TargetRequirement {
    key: String,
    condition: LabelCondition,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum LabelCondition {
    In(Vec<String>),
    NotIn(Vec<String>),
    Exists,
    Absent,
    Above(i64),
    Below(i64),
}

impl TargetLabelSelector {
    /// Reads a selector. The empty one selects everything.
    ///
    /// # Errors
    /// The fault of the text.
    pub(in crate::kustomize) fn parse(text: &str) -> Result<Self, String> {
        let mut requirements = Vec::new();
        let mut rest = text.trim();
        while !rest.is_empty() {
            let (requirement, after) = requirement(rest)?;
            requirements.push(requirement);
            rest = match after.trim_start() {
                "" => "",
                after => after
                    .strip_prefix(',')
                    .ok_or("expected `,` between requirements")?
                    .trim_start(),
            };
            // Something was there, and it was the comma.
            if rest.is_empty() && !after.trim().is_empty() {
                return Err("the selector ends with `,`".to_owned());
            }
        }
        Ok(Self(requirements))
    }

    /// Returns whether these labels, a map of texts, are selected.
    #[must_use]
    pub(in crate::kustomize) fn matches(&self, labels: Option<&Node>) -> bool {
        self.0.iter().all(|requirement| {
            let value = labels
                .and_then(|labels| labels.get(&requirement.key))
                .map(text);
            requirement.condition.holds(value.as_deref())
        })
    }
}

impl LabelCondition {
    fn holds(&self, value: Option<&str>) -> bool {
        let number = || value.and_then(|value| value.parse::<i64>().ok());
        match self {
            Self::In(values) => {
                value.is_some_and(|value| values.iter().any(|other| other == value))
            }
            // An absent label is not in any list.
            Self::NotIn(values) => {
                value.is_none_or(|value| values.iter().all(|other| other != value))
            }
            Self::Exists => value.is_some(),
            Self::Absent => value.is_none(),
            Self::Above(bound) => number().is_some_and(|number| number > *bound),
            Self::Below(bound) => number().is_some_and(|number| number < *bound),
        }
    }
}

/// The first requirement of a text, and what follows it.
fn requirement(text: &str) -> Result<(TargetRequirement, &str), String> {
    let (is_negated, text) = match text.strip_prefix('!') {
        Some(rest) => (true, rest.trim_start()),
        None => (false, text),
    };
    let (key, rest) = word(text);
    if !is_key(key) {
        return Err("expected the key of a label".to_owned());
    }
    let made = |condition, rest| {
        Ok((
            TargetRequirement {
                key: key.to_owned(),
                condition,
            },
            rest,
        ))
    };
    let rest = rest.trim_start();
    if is_negated {
        return made(LabelCondition::Absent, rest);
    }
    // The longer signs first.
    for sign in ["==", "!=", "=", ">", "<"] {
        let Some(rest) = rest.strip_prefix(sign) else {
            continue;
        };
        let (value, rest) = word(rest.trim_start());
        let number = || {
            value
                .parse()
                .map_err(|_| format!("expected a whole number after `{sign}`"))
        };
        return match sign {
            ">" => made(LabelCondition::Above(number()?), rest),
            "<" => made(LabelCondition::Below(number()?), rest),
            "!=" => made(LabelCondition::NotIn(vec![checked(value)?]), rest),
            _ => made(LabelCondition::In(vec![checked(value)?]), rest),
        };
    }
    match word(rest) {
        ("in", rest) => {
            list(rest).and_then(|(values, rest)| made(LabelCondition::In(values), rest))
        }
        ("notin", rest) => {
            list(rest).and_then(|(values, rest)| made(LabelCondition::NotIn(values), rest))
        }
        ("", rest) => made(LabelCondition::Exists, rest),
        _ => Err("expected `=`, `==`, `!=`, `in`, `notin`, `<` or `>` after the key".to_owned()),
    }
}

/// Everything up to a blank or an operator.
fn word(text: &str) -> (&str, &str) {
    let is_end = |c: char| c.is_ascii_whitespace() || "=!(),<>".contains(c);
    text.split_at(text.find(is_end).unwrap_or(text.len()))
}

/// `(a, b)`. An empty place is the empty value.
fn list(text: &str) -> Result<(Vec<String>, &str), String> {
    let inner = text
        .trim_start()
        .strip_prefix('(')
        .ok_or("expected `(` after the operator")?;
    let (inner, rest) = inner
        .split_once(')')
        .ok_or("expected `)` at the end of the values")?;
    let values: Result<_, _> = inner
        .split(',')
        .map(|value| checked(value.trim()))
        .collect();
    Ok((values?, rest))
}

/// A value of a label: at most 63 letters, digits, `-`, `_` and `.`, the first and last of them no sign.
fn checked(value: &str) -> Result<String, String> {
    if value.is_empty() || is_name(value) {
        Ok(value.to_owned())
    } else {
        Err("invalid value of a label".to_owned())
    }
}

fn is_key(key: &str) -> bool {
    let (prefix, name) = key
        .rsplit_once('/')
        .map_or((None, key), |(prefix, name)| (Some(prefix), name));
    let is_domain = |prefix: &str| {
        let is_part = |part: &str| {
            let is_known = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            !part.is_empty()
                && part.chars().all(is_known)
                && !part.starts_with('-')
                && !part.ends_with('-')
        };
        prefix.len() <= 253 && prefix.split('.').all(is_part)
    };
    is_name(name) && prefix.is_none_or(is_domain)
}

fn is_name(text: &str) -> bool {
    let is_known = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let ends_well = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    text.len() <= 63
        && text.chars().all(is_known)
        && ends_well(text.chars().next())
        && ends_well(text.chars().last())
}

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_text::diag::Sink;
    use promgen_text::source::FileId;
    use promgen_text::yaml::read::read;

    #[track_caller]
    fn check(selector: &str, labels: &str, expected: bool) {
        let documents = read(FileId::new(0), labels, &mut Sink::default());
        let labels = documents.first().map(|document| &*document.root);
        assert_eq!(
            TargetLabelSelector::parse(selector)
                .unwrap()
                .matches(labels),
            expected,
            "{selector}"
        );
    }

    #[test]
    fn requirements_hold_together() {
        check("", "{a: b}", true);
        check("a=b", "{a: b}", true);
        check("a == b , c!=d", "{a: b}", true);
        check("a in (x, b),!c", "{a: b}", true);
        check("a notin (x, b)", "{a: b}", false);
        check("a notin (x)", "{}", true);
        check("a,b", "{a: b}", false);
        check("q>3,q<5", "{q: 4}", true);
        check("q>3", "{q: x}", false);
        check("a.b/c=", "{a.b/c: ''}", true);
        check("a in (x,)", "{a: ''}", true);
    }

    #[test]
    fn malformed_selectors_are_refused() {
        for text in [
            "=", "a=b c=d", "a in x", "a in (b", "a=b,", "a ~ b", "-a", "n>x", "A_/b", "a='b'",
        ] {
            assert!(TargetLabelSelector::parse(text).is_err(), "{text}");
        }
    }
}
