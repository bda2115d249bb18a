//! Metrics that a dump says there are.
//!
//! In: what targets expose, as text, or what an API of Prometheus answers, as JSON: the values of `__name__`, series, or the
//! result of a query. Out: [`MetricDumps`]: an answer is about all metrics, what a target exposes about its job alone.

use std::collections::BTreeSet;

use promgen_text::diag::{LintRule, rule};
use promgen_text::source::Input;
use serde_json::Value;

rule! {
    /// ## What it does
    /// Finds expressions that require a metric that is in none of the files given with `--metrics`, and that no rule in the input
    /// records.
    ///
    /// ## Why is this bad?
    /// The expression is always empty: the alert never fires, the panel stays empty.
    ///
    /// ## Example
    /// `promgen lint . --metrics names.json` of a rule that reads `queue_lenght`, where the file names `queue_length`.
    ///
    /// Use instead: the name of the metric.
    pub(crate) static UNEXPOSED_METRIC = "PG626" "unexposed-metric" {
        summary: "an expression that requires a metric that nothing exposes", level: Warning, since: "0.1.0",
    }
}

/// The rules of this module.
pub(crate) static RULES: &[&LintRule] = &[&UNEXPOSED_METRIC];

/// The metrics that files say there are.
#[derive(Clone, Debug, Default)]
pub(crate) struct MetricDumps {
    /// All of them. `None`: no file has all.
    pub(crate) all: Option<BTreeSet<String>>,
    /// Those of targets, each with the name of the file without folder and ending: that of the job.
    pub(crate) of_targets: Vec<(String, BTreeSet<String>)>,
}

impl MetricDumps {
    /// Reads files.
    pub(crate) fn read(files: &[Input]) -> Self {
        let mut dumps = Self::default();
        for file in files {
            let text = String::from_utf8_lossy(&file.bytes);
            match text.trim_start().starts_with(['{', '[']).then(|| serde_json::from_str(&text)) {
                Some(Ok(answer)) => dumps.all.get_or_insert_default().extend(of_answer(&answer)),
                Some(Err(_)) => {}
                None => dumps.of_targets.push((stem(&file.name).to_owned(), of_exposition(&text))),
            }
        }
        dumps
    }

    /// Whether no file says anything.
    pub(crate) const fn is_empty(&self) -> bool {
        self.all.is_none() && self.of_targets.is_empty()
    }
}

/// The name of a file without its folder and ending.
fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// The metrics that an answer of Prometheus names.
fn of_answer(answer: &Value) -> Vec<String> {
    let data = answer.get("data").unwrap_or(answer);
    let items = data.get("result").unwrap_or(data).as_array().map(Vec::as_slice).unwrap_or_default();
    let name = |item: &Value| {
        let labels = item.get("metric").unwrap_or(item);
        item.as_str().or_else(|| labels.get("__name__")?.as_str()).map(str::to_owned)
    };
    items.iter().filter_map(name).collect()
}

/// The metrics that a target exposes: the names of its samples.
fn of_exposition(text: &str) -> BTreeSet<String> {
    let samples = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let name = |line: &str| match line.strip_prefix("{\"") {
        // A name that is no plain one stands in the braces, in quotes.
        Some(quoted) => quoted.split('"').next().map(str::to_owned),
        None => line.split(['{', ' ', '\t']).next().map(str::to_owned),
    };
    samples.filter_map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::Project;
    use promgen_compile::options::Options;

    fn dumps(name: &str, text: &str) -> MetricDumps {
        MetricDumps::read(&[Input::new(name, text)])
    }

    #[test]
    fn answers_of_the_api_are_about_all_metrics() {
        for text in [
            r#"{"status": "success", "data": ["a", "b"]}"#,
            r#"["a", "b"]"#,
            r#"{"data": [{"__name__": "a", "job": "x"}, {"__name__": "b"}]}"#,
            r#"{"data": {"resultType": "vector", "result": [{"metric": {"__name__": "a"}, "value": [0, "1"]}, {"metric": {"__name__": "b"}}]}}"#,
        ] {
            let known = dumps("names.json", text).all.unwrap();
            assert_eq!(known.iter().collect::<Vec<_>>(), ["a", "b"], "{text}");
        }
        assert!(dumps("names.json", "{broken").is_empty());
    }

    #[test]
    fn what_a_target_exposes_is_about_its_job() {
        let text = "# HELP a About.\n# TYPE a counter\na{x=\"1\"} 3\nb 4 1700000000\n{\"c.d\", x=\"1\"} 1\n# EOF\n";
        let dumps = dumps("dumps/api.prom", text);
        let [(name, known)] = dumps.of_targets.as_slice() else { panic!("{dumps:?}") };
        assert_eq!(name, "api");
        assert_eq!(known.iter().collect::<Vec<_>>(), ["a", "b", "c.d"]);
    }

    #[test]
    fn a_metric_that_is_in_no_file_is_found() {
        let text = "{apiVersion: monitoring.coreos.com/v1, kind: Prometheus, metadata: {name: main}, spec: {scrapeConfigSelector: {}, ruleSelector: {}}}\n---\n\
                    {apiVersion: monitoring.coreos.com/v1alpha1, kind: ScrapeConfig, metadata: {name: shop}, spec: {jobName: shop, staticConfigs: [{targets: ['x:80']}]}}\n---\n\
                    {apiVersion: monitoring.coreos.com/v1, kind: PrometheusRule, metadata: {name: r}, spec: {groups: [{name: g, rules: [{record: 'own', expr: sum(order_total)}, {alert: A, expr: own + up + orders_total}]}]}}\n";
        let found = |name: &str, dump: &str| {
            let metrics = vec![Input::new(name, dump)];
            let options = Options { is_repository: true, metrics, ..Options::default() };
            let output = Project::read(&[Input::new("a.yaml", text)], &options).lint();
            let of_dump = output.diagnostics.into_iter().filter(|found| *found.rule == UNEXPOSED_METRIC);
            of_dump.map(|found| found.message).collect::<Vec<_>>()
        };
        let message = "recording rule own: nothing exposes `order_total`, as the metrics show";
        assert_eq!(found("shop.prom", "orders_total 1\n"), [message]);
        assert_eq!(found("names.json", r#"["orders_total"]"#), [message]);
        assert_eq!(found("names.json", r#"["orders_total", "order_total"]"#), Vec::<String>::new());
    }
}
