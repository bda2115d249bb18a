//! Metrics that a dump says there are.
//!
//! In: files of metrics. Out: [`MetricDumps`]: an answer of Prometheus is about all metrics, what a target exposes about its job
//! alone.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::project::Project;
use crate::words;
use promgen_targets::metrics::MetricsFile;
use promgen_targets::network::truth::Truth;
use promgen_text::CollectOrdered;
use promgen_text::diag::rules;
use promgen_text::source::Input;
use promgen_text::suggest;

rules! {
    /// ## What it does
    /// Finds expressions that require a metric that is in none of the files given with `--metrics`, and that no rule in the input
    /// records. Without such files, it finds metrics that only targets of kube-state-metrics or `node_exporter` could expose, and
    /// that their release does not have or their flags switch off.
    ///
    /// A file whose name is that of no job is not used, which a note says.
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
    UNEXPOSED_METRIC = "PG626" "unexposed-metric" Warning: "an expression that requires a metric that nothing exposes";
}

/// The metrics that files say there are.
#[derive(Clone, Debug, Default)]
pub struct MetricDumps {
    /// All of them. `None`: no file has all.
    pub all: Option<BTreeSet<String>>,
    /// Those of targets, each with the name of the file without folder and ending: that of the job.
    pub of_targets: Vec<(String, BTreeSet<String>)>,
    /// The number of series of each metric, in files that have series rather than names.
    pub n_series: BTreeMap<String, usize>,
    /// The number of series of the targets of each name.
    pub n_series_of: BTreeMap<String, usize>,
}

impl MetricDumps {
    /// Reads files.
    pub(crate) fn read(files: &[Input]) -> Self {
        let mut dumps = Self::default();
        // What is no such file says nothing of metrics.
        for read in files.iter().filter_map(|file| MetricsFile::read(file).ok()) {
            let names = read.names().map(str::to_owned);
            // A list of names has a series without labels for each.
            if read.job.is_some()
                || read
                    .series
                    .iter()
                    .any(|series| series.iter().nth(1).is_some())
            {
                for name in read.names() {
                    *dumps.n_series.entry(name.to_owned()).or_default() += 1;
                }
            }
            if let Some(job) = &read.job {
                *dumps.n_series_of.entry(job.clone()).or_default() += read.series.len();
            }
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

/// What there is to say of the files of metrics of projects whose names are those of no job.
pub fn of_no_job(projects: &[&Arc<Project>]) -> Vec<String> {
    let files = projects.iter().flat_map(|of| &of.options.metrics);
    let dumps = MetricDumps::read(&files.cloned().collect::<Vec<_>>()).of_targets;
    let mut files: BTreeMap<String, Truth> = dumps
        .into_iter()
        .map(|(name, _)| (name, Truth::No))
        .collect_map();
    let mut known = BTreeSet::new();
    if files.is_empty() {
        return Vec::new();
    }
    for project in projects {
        for environment in project.environments() {
            project.compile(environment).view_with_stand_ins(|world| {
                // The jobs of agents are not read.
                let is_open =
                    world.unseen().is_some() || !world.cluster().prometheus_agents.is_empty();
                for server in world.lineage().servers.iter().map(|server| &server.server) {
                    known.extend(server.job_names().map(str::to_owned));
                    for (name, has) in &mut files {
                        *has = Truth::any([*has, server.has_job(name)]);
                    }
                }
                for has in files.values_mut().filter(|_| is_open) {
                    *has = Truth::any([*has, Truth::Unknown]);
                }
            });
        }
    }
    let names: Vec<&str> = known.iter().map(String::as_str).collect();
    let told = files.into_iter().filter_map(|(name, has)| {
        let help = match (suggest::closest(&name, names.iter().copied()), has) {
            (_, Truth::Yes) | (None, Truth::Unknown) => return None,
            (Some(near), _) => format!("did you mean `{near}`?"),
            (None, Truth::No) => format!("the jobs are {}", words::first(&names, 5)),
        };
        Some(format!(
            "`--metrics`: no known job is called `{name}`, so that file is not used; {help}"
        ))
    });
    told.collect()
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

    #[test]
    fn a_file_of_no_job_is_told() {
        let told = |spec: &str, more: &str, file: &str| {
            let text = format!(
                "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {{name: a, namespace: b}}\n\
                 spec: {{scrapeConfigSelector: {{}}, serviceMonitorSelector: {{}}{spec}}}\n---\n\
                 apiVersion: monitoring.coreos.com/v1alpha1\nkind: ScrapeConfig\nmetadata: {{name: till, namespace: b}}\n\
                 spec: {{jobName: till, staticConfigs: [{{targets: [till.example:80]}}]}}\n{more}"
            );
            let options = promgen_compile::options::Options {
                metrics: vec![Input::new(file, "a 1\n")],
                ..Default::default()
            };
            let project = Project::read(&[Input::new("a.yaml", text.as_str())], &options);
            of_no_job(&[&project]).join("; ")
        };
        assert_eq!(told("", "", "till"), "");
        let near = "`--metrics`: no known job is called `tills`, so that file is not used; did you mean `till`?";
        assert_eq!(told("", "", "tills"), near);
        assert!(told("", "", "cart").ends_with("; the jobs are till"));
        // What may have the job leaves it open.
        let secret = ", additionalScrapeConfigs: {name: c, key: d}";
        assert_eq!(told(secret, "", "cart"), "");
        assert!(told(secret, "", "tills").contains("did you mean `till`?"));
        let service = "---\napiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata: {name: c, namespace: b}\n\
                       spec: {selector: {}, endpoints: [{port: a}]}\n";
        assert_eq!(told("", service, "cart"), "");
        let agent = "---\napiVersion: monitoring.coreos.com/v1alpha1\nkind: PrometheusAgent\nmetadata: {name: c, namespace: b}\nspec: {}\n";
        assert_eq!(told("", agent, "cart"), "");
    }
}
