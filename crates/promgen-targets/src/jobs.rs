//! The scrape jobs of a compiled configuration, read back from its text, so that what is run is what is printed.

use promgen_compile::output::{Config, RuleOrigin};
use promgen_text::source::Span;
use promgen_text::yaml::{Map, Value, read};

/// A job.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// Its name: `serviceMonitor/shop/web/0`.
    pub name: String,
    /// Everything that stands in it, placeholders kept.
    pub section: Map,
    /// What it is made of.
    pub origin: Option<Span>,
    /// What each of its relabel rules is made of, where the run asked for that.
    pub rule_origins: Vec<RuleOrigin>,
}

impl Job {
    /// Its relabel rules, with placeholders where shards differ.
    #[must_use]
    pub fn rules(&self) -> &[Value] {
        self.section.get("relabel_configs").and_then(Value::as_seq).unwrap_or_default()
    }

    /// How many rules at its end share targets among shards, given those of the workload: none if it ends otherwise, as it
    /// goes its own way. The last one tells: those before it may hash another label.
    #[must_use]
    pub fn n_sharing(&self, of_workload: &[Value]) -> Option<usize> {
        (self.rules().last() == of_workload.last()).then_some(of_workload.len())
    }
}

/// The jobs of a configuration, in its order.
#[must_use]
pub fn jobs(config: &Config) -> Vec<Job> {
    jobs_where(config, |_| true)
}

/// Those of the jobs whose text is wanted.
pub fn jobs_where(config: &Config, is_wanted: impl Fn(&str) -> bool) -> Vec<Job> {
    let starts = config.jobs.iter().map(|job| job.start);
    let ends = starts.clone().skip(1).chain([end_of_jobs(config)]);
    let texts = starts.zip(ends).map(|(start, end)| config.text.get(start..end).unwrap_or_default());
    let rules = |index: usize| config.rules.get(index).cloned().unwrap_or_default();
    texts
        .zip(&config.jobs)
        .enumerate()
        .filter(|(_, (text, _))| is_wanted(text))
        .filter_map(|(index, (text, origin))| job(text, origin.span, rules(index)))
        .collect()
}

/// Where the section that follows the jobs begins: what is not indented and no item of a list.
fn end_of_jobs(config: &Config) -> usize {
    let Some(last) = config.jobs.last() else { return 0 };
    let text = config.text.get(last.start..).unwrap_or_default();
    let lines = memchr::memchr_iter(b'\n', text.as_bytes()).map(|end| end + 1);
    let is_section = |start: &usize| text[*start..].starts_with(|c: char| !matches!(c, ' ' | '-' | '#' | '\n'));
    lines.filter(|start| *start < text.len()).find(is_section).map_or(config.text.len(), |start| last.start + start)
}

/// Reads one item of the list.
fn job(text: &str, origin: Option<Span>, rule_origins: Vec<RuleOrigin>) -> Option<Job> {
    let root = read::read_slices(text).ok().flatten()?;
    let Value::Seq(items) = root.to_value() else { return None };
    let Some(Value::Map(section)) = items.into_iter().next() else { return None };
    let name = section.get("job_name").and_then(Value::as_str).unwrap_or_default().to_owned();
    Some(Job { name, section, origin, rule_origins })
}

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_compile::output::Origin;

    #[test]
    fn jobs_are_read_back_with_their_rules() {
        let text = "global: {}\nscrape_configs:\n- job_name: a\n  relabel_configs:\n  - action: keep\n- job_name: b\n  \
                    params:\n    x:\n    - y\nstorage:\n  tsdb: {}\nstorage: {}\n";
        let jobs_at = [text.find("- job_name: a").unwrap(), text.find("- job_name: b").unwrap()];
        let origins = jobs_at.map(|start| Origin { start, span: None }).into();
        let config = Config { text: text.into(), jobs: origins, ..Config::default() };
        let jobs = jobs(&config);
        let names: Vec<_> = jobs.iter().map(|job| (job.name.as_str(), job.rules().len())).collect();
        assert_eq!(names, [("a", 1), ("b", 0)]);
        assert_eq!(jobs[1].section.iter().count(), 2);
    }
}
