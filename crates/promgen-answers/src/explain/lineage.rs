//! Explains a metric, a job, an alert or a recorded series: who makes it, who drops it, who reads it, whom it notifies.
//!
//! In: the lineage of a model, and a name. Out: a tree of steps. A step breaks if it is proven that nothing makes it.

use promgen_text::CollectOrdered;
#[cfg(test)]
mod tests;

use crate::explain::MAX_LISTED;
use crate::explain::span_of;
use crate::explain::workload::listed;
use std::collections::BTreeSet;
use std::fmt;

use crate::deliveries::{Deliveries, Delivery};
use crate::explain::{ExplanationStep, StepState};
use promgen_compile::output::Workload;
use promgen_model::Model;
use promgen_model::lineage::exporters::{ExporterProgram, KnownExporter};
use promgen_model::lineage::job::{ReachedTargets, ScrapedJob, is_synthetic};
use promgen_model::lineage::matcher::{SeriesMatcher, SeriesSelector};
use promgen_model::lineage::server::{Absence, Judgement, Lack, SelectorAnswer};
use promgen_model::lineage::values::{equals, is_known};
use promgen_model::model::World;
use promgen_model::model::lineage::dashboards::{self, Dashboard, PanelQuery};
use promgen_model::model::lineage::words::{self, AbsenceWords, job_title};
use promgen_model::model::lineage::{ExpressionRule, LineageModel, RuleServer, drop_place};
use promgen_model::model::senders::AlertReach;
use promgen_prometheus::promql::Tree;
use promgen_prometheus::routing::Alert;
use promgen_resources::api::{Kind, PrometheusRule, Resource as _};
use promgen_resources::locate;
use promgen_resources::secrecy::REDACTED;
use promgen_targets::network::truth::Truth;
use promgen_text::diag::Place;
use promgen_text::route::At;
use promgen_text::source::Span;
use promgen_text::suggest;

/// The distance to which readers of readers are followed.
const MAX_DEPTH: usize = 6;

/// What a name is the name of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineageKind {
    /// A metric.
    Metric,
    /// A job: a value of the label `job`.
    Job,
    /// An alert.
    Alert,
    /// A series that a rule records.
    Record,
}

impl LineageKind {
    const ALL: [Self; 4] = [Self::Metric, Self::Job, Self::Alert, Self::Record];

    /// The word in front of the name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Metric => "metric",
            Self::Job => "job",
            Self::Alert => "alert",
            Self::Record => "record",
        }
    }
}

/// What a user asks for: `metric/NAME`, `job/NAME`, `alert/NAME` or `record/NAME`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineageQuery {
    /// What it is.
    pub kind: LineageKind,
    /// Its name.
    pub name: String,
}

impl fmt::Display for LineageQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind.as_str(), self.name)
    }
}

impl LineageQuery {
    /// Reads a name with its kind. `None` for what has another kind in front.
    ///
    /// ```
    /// use promgen_answers::explain::lineage::LineageQuery;
    ///
    /// let query = LineageQuery::parse("job/shop/worker").expect("the kind is known");
    /// assert_eq!(query.name, "shop/worker");
    /// ```
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (kind, name) = text.split_once('/')?;
        let kind = LineageKind::ALL
            .into_iter()
            .find(|known| known.as_str().eq_ignore_ascii_case(kind))?;
        (!name.is_empty()).then(|| Self {
            kind,
            name: name.to_owned(),
        })
    }

    /// What a name without a kind may ask for.
    pub fn of_any_kind(name: &str) -> impl Iterator<Item = Self> {
        LineageKind::ALL.into_iter().map(|kind| Self {
            kind,
            name: name.to_owned(),
        })
    }
}

/// Explains a metric, a job, an alert or a recorded series. `None`: nothing in the input mentions it.
#[must_use]
pub fn explain(model: &Model, query: &LineageQuery) -> Option<ExplanationStep> {
    model.view(&[], |world| {
        let (lineage, boards) = (world.lineage(), dashboards::all(world));
        LineageWalk {
            world: *world,
            lineage,
            boards: &boards,
            deliveries: (query.kind == LineageKind::Alert).then(|| Deliveries::of(model)),
        }
        .answer(query)
    })
}

/// The name of its kind in a model that is most like the one asked for, if one is like it.
#[must_use]
pub fn near(model: &Model, query: &LineageQuery) -> Option<String> {
    model.view(&[], |view| {
        let lineage = view.lineage();
        let rules = lineage.rules.iter();
        let known: BTreeSet<String> = match query.kind {
            LineageKind::Alert => rules.filter_map(|rule| rule.alert.clone()).collect_set(),
            LineageKind::Record => rules.filter_map(|rule| rule.record.clone()).collect_set(),
            LineageKind::Job => lineage
                .servers
                .iter()
                .flat_map(|server| words::values(server, "job", None))
                .map(|(job, _)| job)
                .collect_set(),
            LineageKind::Metric => {
                let of_exporters = exporters(lineage)
                    .flat_map(KnownExporter::metrics)
                    .map(str::to_owned);
                rules
                    .filter_map(|rule| rule.tree.as_ref())
                    .flat_map(metrics)
                    .chain(of_exporters)
                    .collect()
            }
        };
        suggest::closest(&query.name, known.iter().map(String::as_str)).map(str::to_owned)
    })
}

struct LineageWalk<'a> {
    world: World<'a>,
    lineage: &'a LineageModel,
    boards: &'a [Dashboard],
    deliveries: Option<Deliveries<'a>>,
}

impl LineageWalk<'_> {
    fn answer(&self, query: &LineageQuery) -> Option<ExplanationStep> {
        let steps = match query.kind {
            LineageKind::Metric => self.metric(&query.name)?,
            LineageKind::Job => self
                .job(&query.name)
                .or_else(|| self.configured_job(&query.name))?,
            LineageKind::Alert => {
                return self.of_rules(query, &|rule| rule.alert.as_deref() == Some(&query.name));
            }
            LineageKind::Record => {
                let is_it = |rule: &ExpressionRule| rule.record.as_deref() == Some(&query.name);
                match self.of_rules(query, &is_it) {
                    None => self.metric(&query.name)?,
                    recorded => return recorded,
                }
            }
        };
        Some(made(query.to_string(), steps))
    }

    /// Who makes a metric on each server, and who reads it.
    fn metric(&self, name: &str) -> Option<Vec<ExplanationStep>> {
        let selector = by_name(name.to_owned());
        let readers = self.readers(&|selector| is_named(selector, name), MAX_DEPTH);
        let mut rules = self.lineage.rules.iter();
        let is_recorded = rules.any(|rule| rule.record.as_deref() == Some(name));
        let dumps = self.world.dumps();
        let of_targets = dumps.of_targets.iter().map(|(_, known)| known);
        let is_dumped = dumps
            .all
            .iter()
            .chain(of_targets)
            .any(|known| known.contains(name));
        let is_of_exporter = exporters(self.lineage).any(|exporter| exporter.group(name).is_some());
        let is_own = is_synthetic(name) || is_of_alerts(name);
        if readers.is_empty() && !is_recorded && !is_dumped && !is_of_exporter && !is_own {
            return None;
        }
        let servers = self.lineage.servers.iter();
        let steps = servers
            .map(|server| self.makers(server, &selector, name))
            .collect();
        Some(made_and_read(steps, readers))
    }

    /// Who makes a metric on a server.
    fn makers(
        &self,
        server: &RuleServer,
        selector: &SeriesSelector,
        name: &str,
    ) -> ExplanationStep {
        let what = &server.server.what;
        let mut steps = Vec::new();
        for record in server.server.records(name) {
            let rule = &self.lineage.rules[record.number];
            let judged = server.judge(&self.world, rule).unwrap_or_default();
            let text = format!("{} records it", rule.what());
            steps.push(self.at_rule(
                if judged.is_empty {
                    ExplanationStep::breaks(format!("{text}, and finds nothing"))
                } else {
                    ExplanationStep::holds(text)
                },
                rule,
            ));
        }
        let mut rules = server
            .rules
            .iter()
            .map(|number| &self.lineage.rules[*number]);
        if is_of_alerts(name) && rules.any(|rule| rule.alert.is_some()) {
            steps.push(ExplanationStep::holds("its alerts make it"));
        } else if is_of_alerts(name) {
            steps.push(ExplanationStep::unknown(
                "unknown: no alert in the input is evaluated, which makes it",
            ));
        } else if let Some(open) = &server.server.open {
            steps.push(ExplanationStep::unknown(format!("unknown: {open}")));
        } else if name.contains(':') && steps.is_empty() {
            steps.push(ExplanationStep::unknown(
                "unknown: a rule that is not in the input may record it",
            ));
        } else if !name.contains(':') {
            steps.extend(self.scraped(server, selector, name));
        }
        if let SelectorAnswer::Nothing(absence) = server.server.find(selector)
            && matches!(*absence, Absence::Unexposed { .. })
        {
            let lack = Lack {
                span: 0..0,
                selector: selector.clone(),
                absence: *absence,
            };
            steps = vec![ExplanationStep::breaks(
                words::absence(&self.world, server, &lack).message,
            )];
        }
        ExplanationStep::any(what.clone(), steps).at(self.span(&At::name(server.doc)))
    }

    /// What each job of a server does with a metric: those that likely make it first, and the others that may in one line.
    fn scraped(
        &self,
        server: &RuleServer,
        selector: &SeriesSelector,
        name: &str,
    ) -> Vec<ExplanationStep> {
        let likely = self.likely(selector, name);
        let jobs = server.server.jobs.iter();
        let (first, others): (Vec<_>, Vec<_>) = jobs.partition(|job| likely.is(job));
        let steps = |jobs: Vec<&ScrapedJob>| -> Vec<ExplanationStep> {
            jobs.into_iter()
                .filter_map(|job| self.of_job(server, selector, job, name))
                .collect()
        };
        let mut steps_of_likely = steps(first);
        let (broken, may): (Vec<_>, Vec<_>) = steps(others)
            .into_iter()
            .partition(|step| step.state == StepState::Breaks);
        let folds = may.len() > 1 && !is_synthetic(name) && !steps_of_likely.is_empty();
        if folds {
            let text = format!(
                "{} other jobs may expose it: nothing says that they do",
                may.len()
            );
            steps_of_likely.push(ExplanationStep::unknown(text));
        } else {
            steps_of_likely.extend(may);
        }
        steps_of_likely.extend(broken);
        cut(steps_of_likely)
    }

    /// What a job does with a metric. `None`: its targets do not have it.
    fn of_job(
        &self,
        server: &RuleServer,
        selector: &SeriesSelector,
        job: &ScrapedJob,
        name: &str,
    ) -> Option<ExplanationStep> {
        let title = job_title(job);
        let fates = server.server.fates(selector, name, job);
        let mut known = job.targets.iter().filter_map(|of| of.exporter.known());
        let step = match fates.as_slice() {
            [] if job.targets.is_empty() => {
                ExplanationStep::breaks(format!("{title} has no targets")).at(job.origin)
            }
            _ if job.is_stopped() => {
                let text = format!("{title} has no targets: all their pods have `replicas: 0`");
                ExplanationStep::breaks(text).at(job.origin)
            }
            [] => {
                let (known, why) = known.find_map(|known| Some((known, known.lack(name)?)))?;
                unmade(&title, words::not_made(name, known, why)).at(job.origin)
            }
            fates if fates.iter().any(Option::is_none) => {
                let text = match known.find_map(|known| Some((known, known.group(name)?))) {
                    Some((known, group)) => {
                        let KnownExporter {
                            program, version, ..
                        } = known;
                        format!(
                            "{title} may expose it: {} {version} makes it of `{group}`",
                            program.name()
                        )
                    }
                    None if is_synthetic(name) => format!("{title}: each scrape makes it"),
                    None => format!("{title} may expose it"),
                };
                let step = match job.targets.iter().all(|targets| targets.is_guess) {
                    true => ExplanationStep::unknown(format!(
                        "{text}: its targets are not in the input, so it is unknown"
                    )),
                    false => ExplanationStep::holds(text),
                };
                step.at(job.origin)
            }
            fates => {
                let rule = fates.iter().flatten().next().copied().unwrap_or_default();
                let place = self.place_of_drop(server, job, rule).or(job.origin);
                ExplanationStep::breaks(format!("{title} drops it")).at(place)
            }
        };
        Some(step)
    }

    /// Which jobs likely make a metric that a selector asks for, or that its readers ask for.
    fn likely(&self, selector: &SeriesSelector, name: &str) -> LikelyMakers {
        let asked = selector.jobs().unwrap_or_else(|| {
            let rules = self.lineage.rules.iter();
            let rules = rules.filter_map(|rule| rule.tree.as_ref());
            let panels = self.boards.iter().flat_map(|board| &board.queries);
            let trees = rules.chain(panels.map(|query| &query.tree));
            trees
                .flat_map(|tree| selectors(tree, None))
                .filter(|selector| is_named(selector, name))
                .filter_map(|selector| selector.jobs())
                .flatten()
                .collect()
        });
        LikelyMakers {
            name: name.to_owned(),
            asked,
            program: ExporterProgram::of_metric(name).map(ExporterProgram::name),
        }
    }

    fn place_of_drop(&self, server: &RuleServer, job: &ScrapedJob, rule: usize) -> Option<Span> {
        let at = drop_place(self.world.cluster(), server.doc, job, rule)?;
        locate::locate(&at, self.world.documents())
    }

    /// Which jobs of each server have a name, and who asks for it.
    fn job(&self, name: &str) -> Option<Vec<ExplanationStep>> {
        let asks = |matcher: &SeriesMatcher| {
            matcher.label == "job"
                && !matcher.operator.starts_with('!')
                && matcher.meets(name) == Truth::Yes
                && !matcher.meets_absent()
        };
        let readers = self.readers(&|selector| selector.matchers.iter().any(asks), 1);
        let servers = self.lineage.servers.iter();
        let steps = servers
            .map(|server| self.jobs_called(server, name))
            .collect();
        let mut jobs = self
            .lineage
            .servers
            .iter()
            .flat_map(|server| &server.server.jobs);
        let is_made = jobs.any(|job| has_name(job, name) == Truth::Yes);
        if readers.is_empty() && !is_made {
            return None;
        }
        Some(made_and_read(steps, readers))
    }

    /// The label `job` of the series of a job, which a configuration calls by that name.
    fn configured_job(&self, name: &str) -> Option<Vec<ExplanationStep>> {
        let mut steps = Vec::new();
        for server in &self.lineage.servers {
            for job in server
                .server
                .jobs
                .iter()
                .filter(|job| job.name == name && !job.is_secret)
            {
                let values = job
                    .targets
                    .iter()
                    .flat_map(|targets| targets.labels.get("job").iter());
                let values: BTreeSet<&str> = values
                    .filter(|value| is_known(value) && !value.is_empty())
                    .collect_set();
                let what = format!("{} of {}", job_title(job), server.server.what);
                let named = values.iter().map(|value| {
                    ExplanationStep::all(
                        format!("its series have job=\"{value}\""),
                        self.job(value).unwrap_or_default(),
                    )
                });
                let mut named: Vec<_> = named.collect();
                if named.is_empty() {
                    named.push(ExplanationStep::unknown(
                        "the label `job` of its series is unknown: its targets are not in the input",
                    ));
                }
                steps.push(ExplanationStep::all(what, named).at(job.origin));
            }
        }
        (!steps.is_empty()).then_some(steps)
    }

    fn jobs_called(&self, server: &RuleServer, name: &str) -> ExplanationStep {
        let what = &server.server.what;
        let mut steps = Vec::new();
        for job in &server.server.jobs {
            let title = job_title(job);
            let is_there = |targets: &ReachedTargets| {
                !targets.is_guess && targets.labels.get("job").known() == Some(name)
            };
            let is_guess = !job.targets.iter().any(is_there);
            let step = match has_name(job, name) {
                Truth::Yes if is_guess => ExplanationStep::unknown(format!(
                    "{title} has it, if it has targets: unknown, as these are not in the input"
                )),
                Truth::Yes if job.is_stopped() => ExplanationStep::breaks(format!(
                    "{title} has it, and no targets: all their pods have `replicas: 0`"
                )),
                Truth::Yes => ExplanationStep::holds(format!("{title} has it")),
                Truth::Unknown => ExplanationStep::unknown(format!(
                    "{title}: unknown, as its targets are not in the input"
                )),
                Truth::No => continue,
            };
            steps.push(step.at(job.origin));
        }
        if let Some(open) = &server.server.open {
            steps.push(ExplanationStep::unknown(format!("unknown: {open}")));
        }
        if steps.is_empty() {
            let step = ExplanationStep::breaks("no job is called so");
            let near = suggest::closest(name, server.server.job_names());
            steps.push(step.helps(near.map(|near| format!("nearest: `{near}`"))));
        }
        ExplanationStep::any(what.clone(), cut(steps)).at(self.span(&At::name(server.doc)))
    }

    /// The rules of a name: what they read, who evaluates them, and what reads or gets what they make.
    fn of_rules(
        &self,
        query: &LineageQuery,
        is_it: &dyn Fn(&ExpressionRule) -> bool,
    ) -> Option<ExplanationStep> {
        let rules = self
            .lineage
            .rules
            .iter()
            .enumerate()
            .filter(|(_, rule)| is_it(rule));
        let mut steps: Vec<ExplanationStep> = rules
            .map(|(number, rule)| self.of_rule(number, rule))
            .collect();
        if steps.is_empty() {
            return None;
        }
        if query.kind == LineageKind::Record {
            let is_its = |selector: &SeriesSelector| is_named(selector, &query.name);
            let readers = self.readers(&is_its, MAX_DEPTH);
            steps.push(read_by(readers));
        }
        Some(made(query.to_string(), steps))
    }

    /// The workloads that select the PrometheusRule of a rule and reject it as a whole.
    fn rejections(&self, rule: &ExpressionRule) -> Vec<ExplanationStep> {
        let of_workload = |workload: &&Workload| {
            let (_, refused) = workload
                .selected
                .resources()
                .find(|(kind, of)| *kind == PrometheusRule::KIND && of.key() == rule.resource)?;
            let why = &refused.refusal.as_ref()?.message;
            let text = format!(
                "{} rejects PrometheusRule {}: {why}",
                workload.id, rule.resource
            );
            Some(ExplanationStep::breaks(text).help("run `promgen lint` for the place"))
        };
        self.world
            .workloads
            .iter()
            .filter_map(of_workload)
            .collect()
    }

    fn of_rule(&self, number: usize, rule: &ExpressionRule) -> ExplanationStep {
        let mut steps: Vec<ExplanationStep> = self
            .lineage
            .evaluators(number)
            .map(|server| {
                let judged = server.judge(&self.world, rule).unwrap_or_default();
                self.evaluated(server, rule, &judged)
            })
            .collect();
        let senders = self.world.senders();
        steps.extend(senders.rulers(&rule.resource).map(|(ruler, doc)| {
            let what = "what the servers that it queries have is not known";
            let step = ExplanationStep::holds(format!("{ruler} evaluates it"));
            step.with(vec![ExplanationStep::unknown(what)])
                .at(self.span(&At::name(doc)))
        }));
        if steps.is_empty() {
            steps.extend(self.rejections(rule));
        }
        if steps.is_empty() {
            steps.extend(match senders.evaluated(&rule.resource) {
                AlertReach::Yes => None,
                AlertReach::No(why) => Some(ExplanationStep::breaks(why)),
                AlertReach::Unknown(why) => {
                    Some(ExplanationStep::unknown(format!("unknown: {why}")))
                }
            });
        }
        if rule.alert.is_some() {
            steps.push(self.notified(rule));
        }
        let title = format!(
            "{} of group {} in {}",
            rule.what(),
            rule.group,
            rule.resource
        );
        self.at_rule(ExplanationStep::all(title, steps), rule)
    }

    /// The result of a server for a rule.
    fn evaluated(
        &self,
        server: &RuleServer,
        rule: &ExpressionRule,
        judged: &Judgement,
    ) -> ExplanationStep {
        let mut steps = Vec::new();
        let absent = judged.absent.iter().map(|always| &always.lack);
        for lack in judged.lacks.iter().chain(absent) {
            let words = words::absence(&self.world, server, lack);
            let span = words
                .related
                .first()
                .and_then(|(place, _)| self.place(place));
            let step = ExplanationStep::breaks(words.message).at(span);
            steps.push(step.helps(words.help));
        }
        let enforced = server.enforced(&self.world, rule).flatten();
        for selector in rule.tree.iter().flat_map(|tree| selectors(tree, enforced)) {
            for name in selector.names.iter().flatten() {
                let makers = self.makers(server, &selector, name);
                let below = self.reads(server, name, MAX_DEPTH);
                let state = if makers.state == StepState::Breaks {
                    StepState::Open
                } else {
                    makers.state
                };
                let matchers: Vec<_> = selector.matchers.iter().map(SeriesMatcher::text).collect();
                let matchers = match matchers.as_slice() {
                    [] => String::new(),
                    matchers => format!("{{{}}}", matchers.join(",")),
                };
                let step = ExplanationStep::new(state, format!("reads {name}{matchers}"));
                let step = step.with(below.into_iter().chain(makers.steps).collect());
                if !steps.contains(&step) {
                    steps.push(step);
                }
            }
        }
        let compiled = self.world.workload(&server.id);
        let idle = compiled.and_then(Workload::idle);
        let does = idle.map_or_else(
            || "evaluates it".to_owned(),
            |idle| format!("selects it; {idle}"),
        );
        let text = format!("{} {does}", server.server.what);
        let state = if judged.lacks.is_empty() {
            StepState::Holds
        } else {
            StepState::Breaks
        };
        let step = ExplanationStep::new(state, text).with(steps);
        step.at(self.span(&At::name(server.doc)))
    }

    /// What the rules that record a series read.
    fn reads(&self, server: &RuleServer, name: &str, depth: usize) -> Vec<ExplanationStep> {
        if depth == 0 {
            return Vec::new();
        }
        let of_record = |number: usize| {
            let rule = &self.lineage.rules[number];
            let names = rule.tree.as_ref().map(metrics).unwrap_or_default();
            let of_name = |read: &String| {
                let below = if read == name {
                    Vec::new()
                } else {
                    self.reads(server, read, depth - 1)
                };
                ExplanationStep::open(format!("reads {read}")).with(below)
            };
            let step = ExplanationStep::open(format!("made by {}", rule.what()));
            self.at_rule(step.with(names.iter().map(of_name).collect()), rule)
        };
        server
            .server
            .records(name)
            .iter()
            .map(|record| of_record(record.number))
            .collect()
    }

    /// Whom an alert notifies.
    fn notified(&self, rule: &ExpressionRule) -> ExplanationStep {
        let span = self.rule_span(rule);
        let is_it = |alert: &Alert| {
            alert.span == span && alert.labels.get("alertname") == rule.alert.as_ref()
        };
        let mut steps: Vec<ExplanationStep> = Vec::new();
        let deliveries = self.deliveries.iter();
        for (deliveries, alert) in deliveries
            .flat_map(|of| of.alerts().iter().map(move |a| (of, a)))
            .filter(|(_, alert)| is_it(alert))
        {
            if let Some(why) = deliveries.nobody(alert) {
                steps = vec![ExplanationStep::breaks(format!("notifies nobody: {why}"))];
                break;
            }
            for delivery in deliveries.of_alert(alert) {
                let kept_back = deliveries.kept_back(alert, &delivery);
                let kept_back = kept_back
                    .into_iter()
                    .map(|(text, span)| ExplanationStep::open(text).at(span));
                let Delivery {
                    by,
                    tree,
                    node,
                    unknown,
                } = delivery;
                let name = if node.receiver.is_secret {
                    REDACTED
                } else {
                    &node.receiver.value
                };
                let receiver = format!("{name} of {}", by.id);
                let receiver = tree.nobody(node, &receiver).unwrap_or(receiver);
                let step = match unknown {
                    None => ExplanationStep::open(format!("notifies {receiver}")),
                    Some(why) => ExplanationStep::unknown(format!(
                        "may notify {receiver}: unknown, as {why}"
                    )),
                };
                let step = step.with(kept_back.collect());
                if !steps.contains(&step) {
                    steps.push(step);
                }
            }
            for why in deliveries.unrouted(alert) {
                let step = ExplanationStep::unknown(format!("unknown: {why}"));
                if !steps.contains(&step) {
                    steps.push(step);
                }
            }
        }
        let refused = &self.world.cluster().refused;
        let mut refused = refused
            .objects
            .iter()
            .filter(|of| of.kind == Kind::Alertmanager);
        let none = refused.next().map_or_else(
            || "no Alertmanager in the input tells whom it notifies".to_owned(),
            |of| format!("unknown: the API server refuses {of}"),
        );
        list("notifies", &none, steps)
    }

    /// The rules and panels that read something, and those that read what the rules record.
    fn readers(
        &self,
        reads: &dyn Fn(&SeriesSelector) -> bool,
        depth: usize,
    ) -> Vec<ExplanationStep> {
        let mut steps = Vec::new();
        for rule in &self.lineage.rules {
            if !rule.tree.as_ref().is_some_and(|tree| selects(tree, reads)) {
                continue;
            }
            let step = self.at_rule(ExplanationStep::open(rule.what()), rule);
            let below = match &rule.record {
                Some(record) if depth > 1 => {
                    let is_it = |selector: &SeriesSelector| is_named(selector, record);
                    self.readers(&is_it, depth - 1)
                }
                Some(_) | None => Vec::new(),
            };
            steps.push(step.with(below));
        }
        for board in self.boards {
            let is_reader = |query: &&PanelQuery| selects(&query.tree, reads);
            for query in board.queries.iter().filter(is_reader) {
                let step = ExplanationStep::open(board.name_of(query));
                steps.push(step.at(self.place(&query.place)));
            }
        }
        cut(steps)
    }

    fn at_rule(&self, step: ExplanationStep, rule: &ExpressionRule) -> ExplanationStep {
        step.at(self.rule_span(rule))
    }

    fn rule_span(&self, rule: &ExpressionRule) -> Option<Span> {
        let key = if rule.alert.is_some() {
            "alert"
        } else {
            "record"
        };
        locate::locate(&rule.at.clone().key(key), self.world.documents())
    }

    fn span(&self, at: &At) -> Option<Span> {
        locate::locate_key(at, self.world.documents())
    }

    fn place(&self, place: &Place) -> Option<Span> {
        span_of(place, self.world.documents())
    }
}

/// What tells which jobs likely make a metric.
struct LikelyMakers {
    name: String,
    /// The jobs that readers ask for.
    asked: Vec<String>,
    /// The name of the exporter that makes it, if one of the table does.
    program: Option<&'static str>,
}

impl LikelyMakers {
    /// A job is likely if its exporter makes the metric, if it is called like that exporter or like the metric, or if readers ask
    /// for it.
    fn is(&self, job: &ScrapedJob) -> bool {
        let mut known = job.targets.iter().filter_map(|of| of.exporter.known());
        let is_called_so = || match self.program {
            Some(program) => job.name.contains(program),
            None => is_called_like(job, &self.name),
        };
        known.any(|known| known.group(&self.name).is_some())
            || is_called_so()
            || job.is_named(&self.asked)
    }
}

/// Beginnings of metrics, and what the names of the jobs contain whose targets make them. `probe/`: those of Probes.
const WELL_KNOWN: &[(&str, &str)] = &[
    ("container_", "cadvisor"),
    ("container_", "kubelet"),
    ("mysql_", "mysql"),
    ("pg_", "postgres"),
    ("probe_", "probe/"),
];

/// Returns whether a job is called like a metric: its first or last word, or the program that makes such metrics.
fn is_called_like(job: &ScrapedJob, metric: &str) -> bool {
    let resource = job.name.split('/').nth(2).unwrap_or(&job.name);
    let last = resource.trim_end_matches("-exporter").rsplit('-').next();
    let first = metric.split_once('_').map(|(first, _)| first);
    let mut known = WELL_KNOWN
        .iter()
        .filter(|(begins, _)| metric.starts_with(begins));
    job.is_prefix_of(metric)
        || last.is_some() && last == first
        || known.any(|(_, program)| match program.ends_with('/') {
            true => job.name.starts_with(program),
            false => job.name.contains(program),
        })
}

/// Returns whether Prometheus makes a series for each alert that is pending or fires.
fn is_of_alerts(name: &str) -> bool {
    matches!(name, "ALERTS" | "ALERTS_FOR_STATE")
}

/// The exporters among the targets whose release and arguments are known.
fn exporters(lineage: &LineageModel) -> impl Iterator<Item = &KnownExporter> {
    let jobs = lineage
        .servers
        .iter()
        .flat_map(|server| &server.server.jobs);
    jobs.flat_map(|job| &job.targets)
        .filter_map(|targets| targets.exporter.known())
}

/// A job whose exporter does not expose a metric.
fn unmade(title: &str, words: AbsenceWords) -> ExplanationStep {
    let step = ExplanationStep::breaks(format!("{title}: {}", words.message));
    step.helps(words.help)
}

/// Returns whether the targets of a job have a name as their job. One of several values is no more than possible.
fn has_name(job: &ScrapedJob, name: &str) -> Truth {
    Truth::any(job.targets.iter().map(|targets| {
        let is_any = job.federates || targets.labels.has_others();
        let values = targets.labels.get("job");
        let has = Truth::any(values.iter().map(|value| equals(value, name)));
        let is_open = is_any || has == Truth::Yes && values.known().is_none();
        if is_open { Truth::Unknown } else { has }
    }))
}

/// A step that breaks if no server makes what it is about.
fn made(text: String, steps: Vec<ExplanationStep>) -> ExplanationStep {
    let mut states = [StepState::Holds, StepState::Unknown, StepState::Breaks].into_iter();
    let state = states.find(|state| steps.iter().any(|step| step.state == *state));
    ExplanationStep::new(state.unwrap_or(StepState::Holds), text).with(steps)
}

/// What servers make of a series, and what reads it.
fn made_and_read(
    mut of_servers: Vec<ExplanationStep>,
    readers: Vec<ExplanationStep>,
) -> Vec<ExplanationStep> {
    if of_servers.is_empty() {
        let none = "no Prometheus is in the input: unknown";
        of_servers.push(ExplanationStep::unknown(none));
    }
    of_servers.push(read_by(readers));
    of_servers
}

fn read_by(readers: Vec<ExplanationStep>) -> ExplanationStep {
    list("read by", "nothing in the input reads it", readers)
}

fn list(title: &str, none: &str, steps: Vec<ExplanationStep>) -> ExplanationStep {
    match steps.is_empty() {
        true => ExplanationStep::open(none),
        false => ExplanationStep::open(title).with(steps),
    }
}

/// The first steps, and how many more there are.
fn cut(mut steps: Vec<ExplanationStep>) -> Vec<ExplanationStep> {
    let n_steps = steps.len();
    let is_any = |steps: &[ExplanationStep], state| steps.iter().any(|step| step.state == state);
    if n_steps > MAX_LISTED {
        // What holds is worth more than what does not.
        steps.sort_by_key(|step| step.state != StepState::Holds);
    }
    let mut steps = listed(steps);
    let is_unknown = is_any(&steps, StepState::Unknown) && !is_any(&steps, StepState::Holds);
    if let Some(more) = steps
        .last_mut()
        .filter(|_| is_unknown && n_steps > MAX_LISTED)
    {
        more.state = StepState::Unknown;
    }
    steps
}

fn by_name(name: String) -> SeriesSelector {
    SeriesSelector {
        names: Some(vec![name]),
        on_name: Vec::new(),
        matchers: Vec::new(),
    }
}

fn is_named(selector: &SeriesSelector, name: &str) -> bool {
    selector.names.iter().flatten().any(|of| of == name)
}

/// The selectors of an expression.
fn selectors(tree: &Tree, enforced: Option<(&str, &str)>) -> Vec<SeriesSelector> {
    let all = tree.selectors(tree.root()).into_iter();
    all.map(|written| SeriesSelector::of(written, enforced))
        .collect()
}

/// Returns whether a selector of an expression is asked for.
fn selects(tree: &Tree, is_asked: &dyn Fn(&SeriesSelector) -> bool) -> bool {
    selectors(tree, None).iter().any(is_asked)
}

/// The metrics that an expression reads, each once.
fn metrics(tree: &Tree) -> BTreeSet<String> {
    let all = selectors(tree, None).into_iter();
    all.flat_map(|of| of.names.unwrap_or_default())
        .collect_set()
}
