//! The numbers of series of targets, as files show them.
//!
//! In: files of metrics. Out: [`Weights`] that count their series: of what a target exposes, without what the metric
//! relabelings of its job drop.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use promgen_compile::output::Job;
use promgen_prometheus::relabel::slice::deciding;
use promgen_prometheus::relabel::{CompiledRule, LabelSet, NameScheme, StopRule, relabel, rules};
use promgen_text::source::Input;

use super::weights::{OF_ANSWER, UNIT, WeightEntry, Weights};
use crate::metrics::MetricsFile;
use promgen_text::CollectOrdered;

/// The series that a target of a job exposes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Exposition {
    /// The name of the job: that of the file, without folder and ending.
    job: String,
    /// The series, each with its name in `__name__`.
    series: Vec<LabelSet>,
}

impl Weights {
    /// Counts the series in files, as `--metrics` takes them.
    ///
    /// # Errors
    /// A file has no series: it has another format, or names of metrics alone.
    ///
    /// ```
    /// use promgen_targets::simulate::Weights;
    /// use promgen_text::source::Input;
    ///
    /// let weights = Weights::of_series(&[Input::new("dumps/api.prom", "up_a 1\nup_b 1\n")]);
    /// assert_eq!(weights.expect("a valid file").len(), 1);
    /// ```
    pub fn of_series(files: &[Input]) -> Result<Self, String> {
        let mut weights = Self::default();
        for file in files {
            let failed =
                |error: String| format!("cannot count the series of `{}`: {error}", file.name);
            let MetricsFile { job, series } = MetricsFile::read(file).map_err(failed)?;
            if let Some(job) = job {
                weights.all.push(series.len() as u64 * UNIT);
                weights.exposed.push(Exposition { job, series });
            } else {
                for entry in counted(&series).map_err(failed)? {
                    weights.add(entry).map_err(failed)?;
                }
            }
        }
        weights.sort();
        Ok(weights)
    }

    /// The weights of the targets of a job.
    pub(super) fn of_job(&self, job: &Job, scheme: NameScheme) -> JobWeights<'_> {
        let rules = if self.exposed.is_empty() {
            Vec::new()
        } else {
            rules(job.metric_rules(), scheme).unwrap_or_default()
        };
        let read = deciding(&rules.iter().collect::<Vec<_>>()).labels;
        JobWeights {
            weights: self,
            rules,
            read,
            honors_labels: job.honors_labels(),
            counted: Mutex::default(),
        }
    }
}

/// The weights of the targets of a job.
pub(super) struct JobWeights<'w> {
    weights: &'w Weights,
    /// The rules for its samples.
    rules: Vec<CompiledRule>,
    /// The labels that decide which samples they keep.
    read: BTreeSet<String>,
    honors_labels: bool,
    /// The counts so far, by the number of the exposition and the labels of targets that decide.
    counted: Mutex<BTreeMap<(usize, LabelSet), u64>>,
}

impl JobWeights<'_> {
    /// The weight of a target, in thousandths, by its labels after relabeling, or else before; `label` has those that its
    /// weight goes by.
    pub(super) fn of<'l>(&self, after: &LabelSet, label: impl Fn(&str) -> &'l str) -> Option<u64> {
        self.weights.of(&label).or_else(|| {
            let job = label("job");
            let own = self
                .weights
                .exposed
                .iter()
                .enumerate()
                .filter(|(_, exposition)| exposition.job == job);
            let kept: Vec<u64> = own.map(|(at, _)| self.kept(at, after)).collect();
            // Of several targets, none is said to be this one.
            (kept.iter().sum::<u64>() * UNIT).checked_div(kept.len() as u64)
        })
    }

    /// The number of series of an exposition that the rules keep for a target.
    fn kept(&self, at: usize, target: &LabelSet) -> u64 {
        let series = &self.weights.exposed[at].series;
        if self.rules.is_empty() {
            return series.len() as u64;
        }
        let own: LabelSet = target
            .iter()
            .filter(|(name, _)| self.read.contains(*name))
            .collect();
        let key = (at, own);
        if let Some(known) = self
            .counted
            .lock()
            .ok()
            .and_then(|counted| counted.get(&key).copied())
        {
            return known;
        }
        let is_dropped = |series: &&LabelSet| {
            matches!(
                relabel(&self.labels(series, &key.1), &self.rules),
                Err(StopRule::Dropped(_))
            )
        };
        let kept = series.iter().filter(|series| !is_dropped(series));
        let n = kept.count() as u64;
        if let Ok(mut counted) = self.counted.lock() {
            counted.insert(key, n);
        }
        n
    }

    /// The labels of a series with those of its target. Prometheus: those of the target count, unless `honor_labels` is set.
    fn labels(&self, series: &LabelSet, target: &LabelSet) -> LabelSet {
        if self.honors_labels {
            target.iter().chain(series.iter()).collect()
        } else {
            series.iter().chain(target.iter()).collect()
        }
    }
}

/// The numbers of series of an answer, by job and instance.
fn counted(series: &[LabelSet]) -> Result<Vec<WeightEntry>, String> {
    let mut numbers: BTreeMap<BTreeMap<String, String>, f64> = BTreeMap::new();
    for labels in series {
        let own = labels.iter().filter(|(name, _)| OF_ANSWER.contains(name));
        let own: BTreeMap<String, String> = own
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect_map();
        if !own.is_empty() {
            *numbers.entry(own).or_default() += 1.0;
        }
    }
    if numbers.is_empty() {
        return Err(
            "it has no series with `job` or `instance`; /api/v1/series answers with such"
                .to_owned(),
        );
    }
    Ok(numbers
        .into_iter()
        .map(|(labels, weight)| WeightEntry { labels, weight })
        .collect())
}

#[cfg(test)]
mod tests {
    use promgen_text::diag::Sink;
    use promgen_text::source::FileId;
    use promgen_text::yaml::Value;
    use promgen_text::yaml::read::read;

    use super::*;

    fn read_job(text: &str) -> Job {
        match read(FileId::new(0), text, &mut Sink::default())[0]
            .root
            .to_value()
        {
            Value::Map(map) => Job::new(map, None),
            other => panic!("{other:?}"),
        }
    }

    fn weigh(weights: &Weights, job: &str, target: &[(&str, &'static str)]) -> Option<u64> {
        let labels: LabelSet = target.iter().map(|(name, value)| (*name, *value)).collect();
        let of_job = weights.of_job(&read_job(job), NameScheme::Utf8);
        let label = |name: &str| {
            target
                .iter()
                .find(|(known, _)| *known == name)
                .map_or("", |(_, value)| value)
        };
        of_job.of(&labels, label).map(|weight| weight / UNIT)
    }

    #[test]
    fn what_a_target_exposes_counts_for_its_job_without_what_is_dropped() {
        let text = "go_a 1\ngo_b{x=\"1\"} 2\napp_a{x=\"1\"} 3\napp_a{x=\"2\"} 3\n";
        let weights = Weights::of_series(&[Input::new("dumps/api.prom", text)]).unwrap();
        let target = [("job", "api"), ("pod", "b")];
        assert_eq!(weigh(&weights, "{}", &target), Some(4));
        assert_eq!(weigh(&weights, "{}", &[("job", "db")]), None);
        let drop =
            "{metric_relabel_configs: [{source_labels: [__name__], regex: 'go_.*', action: drop}]}";
        assert_eq!(weigh(&weights, drop, &target), Some(2));
        let keep = "{metric_relabel_configs: [{source_labels: [pod], regex: a, action: keep}]}";
        assert_eq!(weigh(&weights, keep, &target), Some(0));
        assert_eq!(
            weigh(&weights, keep, &[("job", "api"), ("pod", "a")]),
            Some(4)
        );
    }

    #[test]
    fn a_label_of_the_target_counts_unless_labels_are_honored() {
        let weights = Weights::of_series(&[Input::new("api.txt", "a{pod=\"own\"} 1\n")]).unwrap();
        let target = [("job", "api"), ("pod", "b")];
        let keep = "metric_relabel_configs: [{source_labels: [pod], regex: own, action: keep}]";
        assert_eq!(weigh(&weights, &format!("{{{keep}}}"), &target), Some(0));
        assert_eq!(
            weigh(
                &weights,
                &format!("{{honor_labels: true, {keep}}}"),
                &target
            ),
            Some(1)
        );
    }

    #[test]
    fn series_of_an_answer_count_by_job_and_instance() {
        let series = |name: &str, instance: &str| {
            format!(r#"{{"__name__": "{name}", "job": "api", "instance": "{instance}"}}"#)
        };
        let text = format!(
            r#"{{"data": [{}, {}, {}]}}"#,
            series("a", "x:1"),
            series("b", "x:1"),
            series("a", "y:1")
        );
        let weights = Weights::of_series(&[Input::new("series.json", text.as_str())]).unwrap();
        assert_eq!(
            weigh(&weights, "{}", &[("job", "api"), ("instance", "x:1")]),
            Some(2)
        );
        assert_eq!(
            weigh(&weights, "{}", &[("job", "api"), ("instance", "y:1")]),
            Some(1)
        );
    }

    #[test]
    fn a_file_without_series_is_told() {
        let error = |text: &str| Weights::of_series(&[Input::new("x.json", text)]).unwrap_err();
        let expected = "cannot count the series of `x.json`: it has no series with `job` or `instance`; /api/v1/series answers with such";
        assert_eq!(error(r#"["up", "app_a"]"#), expected);
        assert_eq!(
            error("# HELP a About.\n"),
            "cannot count the series of `x.json`: it has no samples"
        );
    }
}
