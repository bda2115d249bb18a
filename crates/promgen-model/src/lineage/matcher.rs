//! The conditions of a selector, on values that may be unknown.

use crate::lineage::labels::SeriesLabels;
use crate::lineage::values::{self, LabelValues};
use promgen_prometheus::promql::{LabelMatcher, VectorSelector};
use promgen_targets::network::truth::Truth;
use promgen_text::go::regex::{self, GoRegex};

/// The label that holds the name of a metric.
pub const METRIC_NAME: &str = "__name__";

/// A condition on a label.
#[derive(Clone, Debug)]
pub struct SeriesMatcher {
    /// It, as it is written.
    pub written: LabelMatcher,
    /// The pattern. `None` of a pattern that is too much to be run here.
    pattern: Option<GoRegex>,
    /// The texts with one of which all that the pattern matches begins, if there are such.
    heads: Option<Vec<String>>,
}

impl std::ops::Deref for SeriesMatcher {
    type Target = LabelMatcher;

    fn deref(&self) -> &LabelMatcher {
        &self.written
    }
}

impl SeriesMatcher {
    /// A condition as it is written.
    #[must_use]
    pub fn of(written: &LabelMatcher) -> Self {
        let value = &written.value;
        let is_pattern = written.operator.ends_with('~');
        let pattern = if is_pattern {
            GoRegex::anchored(value).ok()
        } else {
            None
        };
        let has_shape = pattern
            .as_ref()
            .is_some_and(|pattern| pattern.shape().is_some());
        let heads = if is_pattern && !has_shape {
            regex::heads(value)
        } else {
            None
        };
        Self {
            written: written.clone(),
            pattern,
            heads,
        }
    }

    /// A label that has a value.
    #[must_use]
    pub fn equal(label: &str, value: &str) -> Self {
        Self {
            written: LabelMatcher {
                label: label.to_owned(),
                operator: "=",
                value: value.to_owned(),
            },
            pattern: None,
            heads: None,
        }
    }

    /// Returns whether a value meets it.
    #[must_use]
    pub fn meets(&self, value: &str) -> Truth {
        let is = match (self.operator, &self.pattern) {
            ("=" | "!=", _) => values::equals(value, &self.value),
            (_, Some(_))
                if self
                    .heads
                    .as_ref()
                    .is_some_and(|heads| !values::may_begin(value, heads)) =>
            {
                Truth::No
            }
            (_, Some(pattern)) => values::matches(Some(pattern), value),
            (_, None) => Truth::Unknown,
        };
        match (self.operator, is) {
            ("!=" | "!~", Truth::Yes) => Truth::No,
            ("!=" | "!~", Truth::No) => Truth::Yes,
            _ => is,
        }
    }

    /// Returns whether one of the values may meet it.
    #[must_use]
    pub fn may_meet(&self, values: &LabelValues) -> bool {
        values.iter().any(|value| self.meets(value) != Truth::No)
    }

    /// Returns whether a label that is absent meets it.
    #[must_use]
    pub fn meets_absent(&self) -> bool {
        self.meets("") != Truth::No
    }

    /// Returns whether no value meets it, which says nothing of targets: `x!~".*"` switches a rule off.
    #[must_use]
    pub fn is_impossible(&self) -> bool {
        !self.may_meet(&LabelValues::anything())
    }

    /// `job="api"`
    #[must_use]
    pub fn text(&self) -> String {
        format!("{}{}\"{}\"", self.label, self.operator, self.value)
    }
}

/// A selector: the names of the metrics, and the conditions on labels.
#[derive(Clone, Debug)]
pub struct SeriesSelector {
    /// The names. `None` if they are not named.
    pub names: Option<Vec<String>>,
    /// The conditions on the name that name none.
    pub on_name: Vec<SeriesMatcher>,
    /// The conditions on other labels.
    pub matchers: Vec<SeriesMatcher>,
}

impl SeriesSelector {
    /// A selector as it is written, with a label that is enforced.
    #[must_use]
    pub fn of(written: &VectorSelector, enforced: Option<(&str, &str)>) -> Self {
        let mut names = written.name.clone().map(|name| vec![name]);
        let (mut on_name, mut matchers) = (Vec::new(), Vec::new());
        for matcher in written.matchers.iter().map(SeriesMatcher::of) {
            if matcher.label == METRIC_NAME {
                match (matcher.texts(), &names) {
                    (Some(texts), None) => names = Some(texts),
                    _ => on_name.push(matcher),
                }
            } else if enforced.is_none_or(|(label, _)| label != matcher.label) {
                matchers.push(matcher);
            }
        }
        matchers.extend(enforced.map(|(label, value)| SeriesMatcher::equal(label, value)));
        if let Some(names) = &mut names {
            names.retain(|name| {
                on_name
                    .iter()
                    .all(|matcher| matcher.meets(name) != Truth::No)
            });
        }
        Self {
            names,
            on_name,
            matchers,
        }
    }

    /// Returns whether a metric may be meant.
    #[must_use]
    pub fn may_name(&self, name: &str) -> bool {
        match &self.names {
            Some(names) => names.iter().any(|known| known == name),
            None => self
                .on_name
                .iter()
                .all(|matcher| matcher.meets(name) != Truth::No),
        }
    }

    /// The jobs that it names, if it does.
    #[must_use]
    pub fn jobs(&self) -> Option<Vec<String>> {
        self.matchers
            .iter()
            .filter(|matcher| matcher.label == "job")
            .find_map(|matcher| matcher.texts())
    }

    /// The name in messages: that of the metric, or the selector.
    #[must_use]
    pub fn title(&self) -> String {
        match self.names.as_deref() {
            Some([name]) => name.clone(),
            Some(names) => names.join("|"),
            None => {
                let all: Vec<String> = self
                    .on_name
                    .iter()
                    .chain(&self.matchers)
                    .map(SeriesMatcher::text)
                    .collect();
                format!("{{{}}}", all.join(","))
            }
        }
    }
}

/// The first condition that labels cannot meet.
#[must_use]
pub fn unmet<'m>(
    matchers: &'m [SeriesMatcher],
    labels: &SeriesLabels,
) -> Option<&'m SeriesMatcher> {
    matchers
        .iter()
        .find(|matcher| !matcher.may_meet(labels.get(&matcher.label)))
}
