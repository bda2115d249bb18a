//! The weights of targets.
//!
//! In: a file in one of two formats, detected by content: a list of `{labels, weight}` in YAML or JSON, or Prometheus'
//! answer to an instant query (`/api/v1/query`), such as `scrape_samples_scraped` or `count by (job, instance)
//! ({__name__!=""})`. Out: the weight of a target by its labels.

use std::collections::BTreeMap;

use serde::Deserialize;

use promgen_text::diag::{Level, Sink};
use promgen_text::source::FileId;
use promgen_text::yaml::read::read as parse;
use promgen_text::yaml::typed;

use super::series::Exposition;

/// The unit of a weight: thousandths, so that sums do not depend on their order.
pub const UNIT: u64 = 1_000;
/// The greatest weight. No server holds so many series.
const MAX: f64 = 1e12;
/// Most sets of label names that entries go by. Each is looked up for every target.
const MAX_TABLES: usize = 32;
/// The labels by which an answer of Prometheus counts; the others may be those of a federation.
pub(super) const OF_ANSWER: [&str; 2] = ["job", "instance"];

/// Weights by the values of some labels.
type WeightTable = BTreeMap<Vec<String>, u64>;

/// The weights of targets. Without a file every target weighs one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Weights {
    /// The weight of each tuple of values, for a set of label names; more names first.
    tables: Vec<(Vec<String>, WeightTable)>,
    /// The series that targets expose, by their job.
    pub(super) exposed: Vec<Exposition>,
    /// All of them.
    pub(super) all: Vec<u64>,
}

/// An entry of a list.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WeightEntry {
    pub(super) labels: BTreeMap<String, String>,
    pub(super) weight: f64,
}

/// The answer of Prometheus to a query.
#[derive(Debug, Deserialize)]
struct QueryAnswer {
    error: Option<String>,
    data: Option<QueryData>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct QueryData {
    result_type: String,
    result: serde_json::Value,
}

#[derive(Debug, Deserialize)]
struct Sample {
    metric: BTreeMap<String, String>,
    value: (f64, String),
}

impl Weights {
    /// Reads a file of weights.
    ///
    /// # Errors
    /// The error in it.
    ///
    /// ```
    /// use promgen_targets::simulate::Weights;
    ///
    /// let weights = Weights::read("- {labels: {job: api}, weight: 300}\n- {labels: {job: db}, weight: 20.5}\n");
    /// assert_eq!(weights.expect("a valid file").len(), 2);
    /// ```
    pub fn read(text: &str) -> Result<Self, String> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let entries = if text.trim_start().starts_with('{') {
            answer(text)?
        } else {
            list(text)?
        };
        let mut weights = Self::default();
        for (index, entry) in entries.into_iter().enumerate() {
            weights
                .add(entry)
                .map_err(|error| format!("entry {}: {error}", index + 1))?;
        }
        weights.sort();
        if weights.all.is_empty() {
            Err("the file has no weights".to_owned())
        } else {
            Ok(weights)
        }
    }

    /// The number of entries.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.all.len()
    }

    /// Returns whether every target weighs the same.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The weight of a target without an entry: the mean of all entries, in thousandths.
    #[must_use]
    pub fn mean(&self) -> u64 {
        let sum: u128 = self.all.iter().map(|weight| u128::from(*weight)).sum();
        sum.checked_div(self.all.len() as u128)
            .map_or(UNIT, |mean| u64::try_from(mean).unwrap_or(u64::MAX))
    }

    /// The weight of the target with these labels, in thousandths: that of the entry which names most of them.
    pub(super) fn of<'l>(&self, label: impl Fn(&str) -> &'l str) -> Option<u64> {
        self.tables.iter().find_map(|(names, weights)| {
            let values: Vec<String> = names.iter().map(|name| label(name).to_owned()).collect();
            weights.get(&values).copied()
        })
    }

    /// The weight of a generated target: that of any entry.
    pub(super) fn draw(&self, bits: u64) -> u64 {
        let index = (bits % (self.all.len() as u64).max(1)) as usize;
        self.all.get(index).copied().unwrap_or(UNIT)
    }

    /// Puts the entries that name most labels first.
    pub(super) fn sort(&mut self) {
        self.tables
            .sort_by(|(a, _), (b, _)| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
    }

    pub(super) fn add(&mut self, entry: WeightEntry) -> Result<(), String> {
        let weight = entry.weight;
        if !(0.0..=MAX).contains(&weight) {
            return Err(format!(
                "{weight} is not a valid weight: expected a number from 0 to {MAX:e}"
            ));
        }
        if entry.labels.is_empty() {
            return Err("it has no labels to match targets".to_owned());
        }
        let (names, values): (Vec<_>, Vec<_>) = entry.labels.into_iter().unzip();
        let at = self
            .tables
            .iter()
            .position(|(known, _)| *known == names)
            .unwrap_or_else(|| {
                self.tables.push((names, BTreeMap::new()));
                self.tables.len() - 1
            });
        if self.tables.len() > MAX_TABLES {
            return Err(format!("more than {MAX_TABLES} different sets of labels"));
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "within bounds, checked above"
        )]
        let weight = (weight * UNIT as f64).round() as u64;
        let known = self.tables[at].1.entry(values).or_insert(weight);
        *known = weight.max(*known);
        self.all.push(weight);
        Ok(())
    }
}

/// A list of entries.
fn list(text: &str) -> Result<Vec<WeightEntry>, String> {
    if text.trim_start().starts_with('[')
        && let Ok(entries) = serde_json::from_str(text)
    {
        return Ok(entries);
    }
    let mut sink = Sink::default();
    let documents = parse(FileId::new(0), text, &mut sink);
    if let Some(fault) = sink
        .diagnostics()
        .iter()
        .find(|found| found.level == Level::Error)
    {
        return Err(fault.guarded_message());
    }
    let mut entries = Vec::new();
    for document in &documents {
        let (read, mismatches) = typed::<Vec<WeightEntry>>(text, document);
        if let Some(mismatch) = mismatches.first() {
            return Err(format!("{}: {}", mismatch.route, mismatch.message));
        }
        entries.extend(read.unwrap_or_default());
    }
    Ok(entries)
}

/// The samples of an answer, by the labels that every server has.
fn answer(text: &str) -> Result<Vec<WeightEntry>, String> {
    let answer: QueryAnswer = serde_json::from_str(text)
        .map_err(|error| format!("not a response of /api/v1/query: {error}"))?;
    if let Some(error) = answer.error {
        return Err(format!("the server returned an error: {error}"));
    }
    let data = answer
        .data
        .ok_or("not a response of /api/v1/query: `data` is missing")?;
    if data.result_type != "vector" {
        return Err(format!(
            "the response is a {}: expected a vector, the result of an instant query",
            data.result_type
        ));
    }
    let samples: Vec<Sample> =
        serde_json::from_value(data.result).map_err(|error| error.to_string())?;
    samples.into_iter().map(entry).collect()
}

fn entry(sample: Sample) -> Result<WeightEntry, String> {
    let mut labels = sample.metric;
    labels.retain(|name, _| OF_ANSWER.contains(&name.as_str()));
    if labels.is_empty() {
        return Err(
            "the result has neither `job` nor `instance`, so it cannot be matched with targets"
                .to_owned(),
        );
    }
    let text = sample.value.1;
    let weight = text
        .parse()
        .map_err(|_| format!("`{text}` is not a number"))?;
    Ok(WeightEntry { labels, weight })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weight(weights: &Weights, labels: &[(&str, &'static str)]) -> Option<u64> {
        weights.of(|name| {
            labels
                .iter()
                .find(|(known, _)| *known == name)
                .map_or("", |(_, value)| value)
        })
    }

    #[test]
    fn the_entry_that_names_most_labels_counts() {
        let text = "- {labels: {job: api}, weight: 10}\n- {labels: {job: api, instance: 'a:1'}, weight: 2.5}\n";
        let weights = Weights::read(text).unwrap();
        assert_eq!(
            weight(&weights, &[("job", "api"), ("instance", "a:1")]),
            Some(2_500)
        );
        assert_eq!(
            weight(&weights, &[("job", "api"), ("instance", "b:1")]),
            Some(10_000)
        );
        assert_eq!(weight(&weights, &[("job", "db")]), None);
        assert_eq!((weights.mean(), Weights::default().mean()), (6_250, UNIT));
        assert_eq!(
            (weights.draw(0), weights.draw(3), Weights::default().draw(3)),
            (10_000, 2_500, UNIT)
        );
    }

    #[test]
    fn an_answer_counts_by_job_and_instance_and_its_replicas_once() {
        let sample = |replica: &str, value: &str| {
            format!(
                r#"{{"metric": {{"__name__": "x", "job": "api", "instance": "a\/1", "replica": "{replica}"}}, "value": [1.5, "{value}"]}}"#
            )
        };
        let vector = format!("[{}, {}]", sample("0", "400"), sample("1", "410"));
        let text = format!(
            r#"{{"status": "success", "data": {{"resultType": "vector", "result": {vector}}}}}"#
        );
        let weights = Weights::read(&text).unwrap();
        assert_eq!(
            weight(&weights, &[("job", "api"), ("instance", "a/1")]),
            Some(410_000)
        );
    }

    #[test]
    fn what_is_wrong_is_told() {
        let of_answer = |data: &str| format!(r#"{{"status": "success", "data": {data}}}"#);
        for (text, expected) in [
            ("", "the file has no weights"),
            ("[]", "the file has no weights"),
            (
                "- {labels: {a: b}, weight: -1}",
                "entry 1: -1 is not a valid weight: expected a number from 0 to 1e12",
            ),
            (
                "- {labels: {a: b}, weight: 1e13}",
                "entry 1: 10000000000000 is not a valid weight: expected a number from 0 to 1e12",
            ),
            (
                "- {labels: {}, weight: 1}",
                "entry 1: it has no labels to match targets",
            ),
            (
                r#"{"status": "error", "error": "too bad"}"#,
                "the server returned an error: too bad",
            ),
            (
                &of_answer(r#"{"resultType": "matrix", "result": []}"#),
                "the response is a matrix: expected a vector, the result of an instant query",
            ),
            (
                &of_answer(
                    r#"{"resultType": "vector", "result": [{"metric": {}, "value": [1, "2"]}]}"#,
                ),
                "the result has neither `job` nor `instance`, so it cannot be matched with targets",
            ),
            (
                &of_answer(
                    r#"{"resultType": "vector", "result": [{"metric": {"job": "a"}, "value": [1, "NaN"]}]}"#,
                ),
                "entry 1: NaN is not a valid weight: expected a number from 0 to 1e12",
            ),
        ] {
            assert_eq!(Weights::read(text), Err(expected.to_owned()), "{text}");
        }
        let many: String = (0..40)
            .map(|i| format!("- {{labels: {{l{i}: x}}, weight: 1}}\n"))
            .collect();
        assert_eq!(
            Weights::read(&many),
            Err("entry 33: more than 32 different sets of labels".to_owned())
        );
        for bad in [
            "hello",
            "- 1",
            "- {labels: {a: b}}",
            "- {labels: {a: b}, weigth: 1}",
            "{",
            &"[".repeat(100_000),
        ] {
            assert!(Weights::read(bad).is_err(), "{bad}");
        }
    }
}
