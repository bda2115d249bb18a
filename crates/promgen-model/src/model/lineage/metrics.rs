//! Metrics that a dump says there are.
//!
//! In: files of metrics. Out: [`MetricDumps`]: an answer of Prometheus is about all metrics, what a target exposes about its job
//! alone.

use std::collections::BTreeSet;

use promgen_targets::metrics::MetricsFile;
use promgen_text::diag::{LintRule, rule};
use promgen_text::source::Input;

rule! {
    /// ## What it does
    /// Finds expressions that require a metric that is in none of the files given with `--metrics`, and that no rule in the input
    /// records. Without such files, it finds metrics that only targets of kube-state-metrics or `node_exporter` could expose, and
    /// that their release does not have or their flags switch off.
    ///
    /// ## Why is this bad?
    /// The expression is always empty: the alert never fires, the panel stays empty.
    ///
    /// A finding about an exporter needs its workload in the input, with the tag of a known release and arguments that are all
    /// known. [The table of exporters](exporters.md) says which releases these are, and what stays unknown.
    ///
    /// ## Example
    /// `promgen lint . --metrics names.json` of a rule that reads `queue_lenght`, where the file names `queue_length`.
    ///
    /// A rule that reads `kube_node_info{job="kube-state-metrics"}`, where the Deployment has `--resources=pods`.
    ///
    /// Use instead: the name of the metric, or the flag that switches it on.
    pub static UNEXPOSED_METRIC = "PG626" "unexposed-metric" {
        summary: "an expression that requires a metric that nothing exposes", level: Warning,
    }
}

/// The rules of this module.
pub static RULES: &[&LintRule] = &[&UNEXPOSED_METRIC];

/// The metrics that files say there are.
#[derive(Clone, Debug, Default)]
pub struct MetricDumps {
    /// All of them. `None`: no file has all.
    pub all: Option<BTreeSet<String>>,
    /// Those of targets, each with the name of the file without folder and ending: that of the job.
    pub of_targets: Vec<(String, BTreeSet<String>)>,
}

impl MetricDumps {
    /// Reads files.
    pub(crate) fn read(files: &[Input]) -> Self {
        let mut dumps = Self::default();
        // What is no such file says nothing of metrics.
        for read in files.iter().filter_map(|file| MetricsFile::read(file).ok()) {
            let names = read.names().map(str::to_owned);
            match &read.job {
                Some(job) => dumps.of_targets.push((job.clone(), names.collect())),
                None => dumps.all.get_or_insert_default().extend(names),
            }
        }
        dumps
    }

    /// Returns whether no file says anything.
    pub(crate) const fn is_empty(&self) -> bool {
        self.all.is_none() && self.of_targets.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_about_all_metrics_and_an_exposition_about_its_job() {
        let dumps = |name: &str, text: &str| MetricDumps::read(&[Input::new(name, text)]);
        assert_eq!(
            dumps("names.json", r#"["b", "a"]"#)
                .all
                .unwrap()
                .iter()
                .collect::<Vec<_>>(),
            ["a", "b"]
        );
        assert!(dumps("names.json", "{broken").is_empty());
        let dumps = dumps("dumps/api.prom", "a{x=\"1\"} 3\n");
        let [(name, known)] = dumps.of_targets.as_slice() else {
            panic!("{dumps:?}")
        };
        assert_eq!(
            (name.as_str(), known.iter().next().unwrap().as_str()),
            ("api", "a")
        );
    }
}
