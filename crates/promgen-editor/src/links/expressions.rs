//! Names inside expressions: metrics, recorded series, jobs and alerts.
//!
//! In: the lineage of an environment. Out: links from a name to the rule that records it, to the monitors of the job, or to the
//! alert; and the places of all names of metrics.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::links::Link;
use promgen_model::lineage::job::ScrapedJob;
use promgen_model::lineage::matcher::{METRIC_NAME, SeriesSelector};
use promgen_model::model::World;
use promgen_model::model::lineage::dashboards;
use promgen_model::model::lineage::{ExpressionRule, LineageModel, RuleServer};
use promgen_prometheus::promql::{ExprKind, LabelMatcher, Tree, VectorSelector};
use promgen_resources::locate;
use promgen_text::diag::Place;
use promgen_text::source::Span;

/// A name at a place, with what it leads to.
struct WrittenName {
    place: Place,
    to: Vec<Span>,
    /// The metrics that it names, if it names some.
    metrics: Vec<String>,
}

/// The links of names in expressions, and the places of each metric.
pub(super) fn of(world: &World<'_>) -> (Vec<Link>, BTreeMap<String, BTreeSet<Span>>) {
    let names = NameLinks::new(world, world.lineage());
    let mut written: Vec<WrittenName> = Vec::new();
    for (number, rule) in names.lineage.rules.iter().enumerate() {
        written.extend(names.of_rule(number, rule));
    }
    for board in dashboards::all(world) {
        for query in &board.queries {
            for (_, selector) in selectors(&query.tree) {
                let metrics = SeriesSelector::of(selector, None).names.unwrap_or_default();
                let to = names.records(&metrics);
                written.push(WrittenName {
                    place: query.place.clone(),
                    to,
                    metrics,
                });
            }
        }
    }
    let places: Vec<Place> = written.iter().map(|name| name.place.clone()).collect();
    let spans = locate::spans(&places, world.documents(), world.sources());
    let (mut links, mut metrics) = (Vec::new(), BTreeMap::<String, BTreeSet<Span>>::new());
    for (name, span) in written.into_iter().zip(spans) {
        let Some(value) = span else { continue };
        for metric in name.metrics {
            metrics.entry(metric).or_default().insert(value);
        }
        links.push(Link {
            key: None,
            value,
            is_collection: false,
            to: name.to,
        });
    }
    (links, metrics)
}

struct NameLinks<'a> {
    lineage: &'a LineageModel,
    records: BTreeMap<&'a str, Vec<Span>>,
    alerts: BTreeMap<&'a str, Vec<Span>>,
}

impl<'a> NameLinks<'a> {
    fn new(view: &World<'_>, lineage: &'a LineageModel) -> Self {
        let (mut records, mut alerts) = (
            BTreeMap::<_, Vec<Span>>::new(),
            BTreeMap::<_, Vec<Span>>::new(),
        );
        for rule in &lineage.rules {
            for (key, name, known) in [
                ("record", &rule.record, &mut records),
                ("alert", &rule.alert, &mut alerts),
            ] {
                let span = locate::locate(&rule.at.clone().key(key), view.documents());
                if let (Some(name), Some(span)) = (name, span) {
                    known.entry(name.as_str()).or_default().push(span);
                }
            }
        }
        Self {
            lineage,
            records,
            alerts,
        }
    }

    /// The rules that record these.
    fn records(&self, names: &[String]) -> Vec<Span> {
        names
            .iter()
            .filter_map(|name| self.records.get(name.as_str()))
            .flatten()
            .copied()
            .collect()
    }

    fn of_rule(&self, number: usize, rule: &ExpressionRule) -> Vec<WrittenName> {
        let mut written = Vec::new();
        let expression = rule.at.clone().key("expr");
        for (span, selector) in rule.tree.iter().flat_map(selectors) {
            let Some(text) = rule.text.get(span.clone()) else {
                continue;
            };
            let mut add = |part: Range<usize>, to: Vec<Span>, metrics: Vec<String>| {
                let part = span.start + part.start..span.start + part.end;
                written.push(WrittenName {
                    place: Place::Within(expression.clone(), part),
                    to,
                    metrics,
                });
            };
            let asked = SeriesSelector::of(selector, None);
            let metrics = asked.names.clone().unwrap_or_default();
            if let Some(part) = name_part(text, selector) {
                let records = self.records(&metrics);
                let to = if records.is_empty() {
                    self.exposing(number, &asked)
                } else {
                    records
                };
                add(part, to, metrics);
            }
            for matcher in &selector.matchers {
                let Some(part) = value_part(text, matcher) else {
                    continue;
                };
                match matcher.label.as_str() {
                    "job" => add(part, self.jobs(number, &matcher.value), Vec::new()),
                    "alertname" => {
                        let alerts = self.alerts.get(matcher.value.as_str()).cloned();
                        add(part, alerts.unwrap_or_default(), Vec::new());
                    }
                    _ => {}
                }
            }
        }
        written
    }

    /// The resources of the jobs that may expose what a selector asks for, if it names its jobs.
    fn exposing(&self, number: usize, selector: &SeriesSelector) -> Vec<Span> {
        let Some(names) = selector
            .names
            .as_deref()
            .filter(|_| selector.jobs().is_some())
        else {
            return Vec::new();
        };
        let may_expose = |server: &RuleServer, job: &ScrapedJob| {
            names.iter().any(|name| {
                server
                    .server
                    .fates(selector, name, job)
                    .iter()
                    .any(Option::is_none)
            })
        };
        self.origins(number, &may_expose)
    }

    /// The resources of the jobs whose targets have a name as their job.
    fn jobs(&self, number: usize, name: &str) -> Vec<Span> {
        let is_its = |_: &RuleServer, job: &ScrapedJob| {
            job.targets
                .iter()
                .any(|targets| targets.labels.get("job").known() == Some(name))
        };
        self.origins(number, &is_its)
    }

    fn origins(
        &self,
        number: usize,
        is_asked: &dyn Fn(&RuleServer, &ScrapedJob) -> bool,
    ) -> Vec<Span> {
        let servers = self.lineage.evaluators(number);
        let jobs = servers.flat_map(|server| {
            server
                .server
                .jobs
                .iter()
                .filter(|job| is_asked(server, job))
        });
        jobs.filter_map(|job| job.origin).collect()
    }
}

/// The selectors of an expression, with their places in its text.
fn selectors(tree: &Tree) -> impl Iterator<Item = (Range<usize>, &VectorSelector)> {
    tree.nodes().iter().filter_map(|node| match &node.kind {
        ExprKind::Selector(selector) => Some((node.span.clone(), selector)),
        _ => None,
    })
}

/// The place where the text of a selector names its metric.
fn name_part(text: &str, selector: &VectorSelector) -> Option<Range<usize>> {
    match &selector.name {
        Some(name) => text.find(name.as_str()).map(|at| at..at + name.len()),
        None => {
            let mut on_name = selector
                .matchers
                .iter()
                .filter(|matcher| matcher.label == METRIC_NAME);
            on_name.find_map(|matcher| value_part(text, matcher))
        }
    }
}

/// The place where the text of a selector has the value of a condition. `None` if it is written with escapes.
fn value_part(text: &str, matcher: &LabelMatcher) -> Option<Range<usize>> {
    let LabelMatcher {
        label,
        operator,
        value,
    } = matcher;
    ['"', '\'', '`'].into_iter().find_map(|quote| {
        let quoted = format!("{quote}{value}{quote}");
        let is_its = |at: &usize| {
            let before = text[..*at].trim_end().strip_suffix(operator);
            before.is_some_and(|before| {
                before
                    .trim_end()
                    .trim_end_matches(['"', '\'', '`'])
                    .ends_with(label.as_str())
            })
        };
        let at = text.match_indices(&quoted).map(|(at, _)| at).find(is_its)?;
        Some(at + 1..at + 1 + value.len())
    })
}
