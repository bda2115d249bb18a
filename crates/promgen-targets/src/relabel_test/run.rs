//! Runs tests.
//!
//! In: tests, and what their manifests compile to. Out: for each test what does not hold.

use std::sync::Arc;

use crate::discovery::job::Globals;
use crate::discovery::{Discovery, TargetLabels, Text};
use crate::relabel_test::alert;
use crate::relabel_test::read::{Suite, workload};
use crate::relabel_test::{By, DroppedBy, Dropping, Expect, Test};
use crate::trace::find::{Finder, KnownTargets, RawTarget, TargetQuery, is_hidden, near};
use crate::trace::scraped::scraped;
use crate::trace::{DroppingRule, Tracer, Verdict, scrapes};
use promgen_compile::output::{
    Job, Output, RuleOrigin, RuleOrigins, Workload, WorkloadId, WorkloadKind,
};
use promgen_compile::sharding::plan::Plan;
use promgen_compile::workload::origins::LazyRuleOrigins;
use promgen_prometheus::relabel::{Action, LabelSet, NameScheme};
use promgen_text::source::Sources;
use promgen_text::yaml::{Map, Value};

/// The result of a test.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestResult {
    /// The failures, one per line. Empty: it passed.
    pub failures: Vec<String>,
    /// Labels that are not as they should be: expected and actual.
    pub differing: Option<(LabelSet, LabelSet)>,
}

impl TestResult {
    /// Returns whether everything holds.
    #[must_use]
    pub const fn passed(&self) -> bool {
        self.failures.is_empty()
    }

    pub(super) fn failed(message: impl Into<String>) -> Self {
        Self {
            failures: vec![message.into()],
            differing: None,
        }
    }
}

impl Dropping {
    /// Returns whether the target is expected to be dropped.
    pub(super) const fn is_dropped(&self) -> bool {
        match self {
            Self::Plain(is_dropped) => *is_dropped,
            Self::Rule(_) => true,
        }
    }
}

/// The result of compiling the manifests of a file of tests.
#[derive(Clone, Copy, Debug)]
pub struct TestedOutput<'a> {
    /// The workloads.
    pub output: &'a Output,
    /// The source of the targets.
    pub discovery: &'a Discovery,
    /// The origin of relabel rules, if that is known.
    pub origins: Option<&'a LazyRuleOrigins<'a>>,
}

/// Runs the test of that number.
#[must_use]
pub fn run(suite: &Suite, index: usize, tested: TestedOutput<'_>) -> TestResult {
    let (Some(test), Some(details)) = (suite.file.tests.get(index), suite.tests.get(index)) else {
        return TestResult::failed("the test does not exist");
    };
    let outcome = match (&test.alert, &details.rules) {
        (Some(alert), _) => alert::run(suite, test, alert, tested.output),
        (None, Some(rules)) => own(test, rules),
        (None, None) => of_job(suite, test, tested),
    };
    outcome.unwrap_or_else(TestResult::failed)
}

/// A test with rules of its own: one shard, no scrape, and all labels that are left.
fn own(test: &Test, rules: &[Value]) -> Result<TestResult, String> {
    let section = Map::new().with("relabel_configs", Value::Seq(rules.to_vec()));
    let job = Job::new(section, None);
    let plan = Plan::address(1);
    let tracer =
        Tracer::with(&job, &plan.shards, NameScheme::Utf8, 0).map_err(|error| error.to_string())?;
    let labels: LabelSet = test
        .labels
        .iter()
        .flatten()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    let verdict = tracer.verdict(&labels).map_err(|error| error.to_string())?;
    let left = verdict.kept.first().map(|(_, labels)| RemainingLabels {
        all: labels.clone(),
        public: labels.clone(),
    });
    Ok(CheckedShard {
        test,
        verdict: &verdict,
        job: &job,
        places: None,
        left,
    }
    .check())
}

fn of_job(suite: &Suite, test: &Test, tested: TestedOutput<'_>) -> Result<TestResult, String> {
    let (workload, job) = find_job(suite, test, tested.output)?;
    if is_hidden(job) {
        return Err(format!("{} is in a Secret; use --reveal-secrets", job.name));
    }
    let tracer = Tracer::new(workload, job).map_err(|error| format!("{}: {error}", job.name))?;
    let (target, verdict) = find_target(test, workload, &tracer, tested.discovery)?;
    let version = workload.prometheus.as_ref();
    let left = match verdict.kept.first() {
        None => None,
        Some((_, labels)) => {
            let scraped = scraped(labels, job, version);
            let scraped = scraped
                .map_err(|why| format!("it is kept, but Prometheus does not scrape it: {why}"))?;
            Some(RemainingLabels {
                all: scraped.all,
                public: scraped.labels,
            })
        }
    };
    let places = tested
        .origins
        .map(|origins| (&tested.output.sources, origins.of(&workload.id)));
    let mut outcome = CheckedShard {
        test,
        verdict: &verdict,
        job,
        places,
        left,
    }
    .check();
    if !outcome.passed() && !target.source.is_empty() && target.source.contains('/') {
        outcome.failures.push(format!(
            "the target is {} of {}",
            target.labels.get("__address__"),
            target.source
        ));
    }
    Ok(outcome)
}

/// The workload of a test: its own, or that of the file if it is of the right kind.
pub(super) fn wanted(
    suite: &Suite,
    test: &Test,
    is_right: fn(WorkloadKind) -> bool,
) -> Option<WorkloadId> {
    let own = test.workload.as_deref().and_then(workload);
    own.or_else(|| {
        suite
            .file
            .workload
            .as_deref()
            .and_then(workload)
            .filter(|id| is_right(id.kind))
    })
}

fn find_job<'o>(
    suite: &Suite,
    test: &Test,
    output: &'o Output,
) -> Result<(&'o Workload, &'o Job), String> {
    let wanted = wanted(suite, test, |kind| kind != WorkloadKind::Alertmanager);
    let workloads = output
        .each_workload()
        .filter(|w| scrapes(w) && wanted.as_ref().is_none_or(|id| w.id == *id));
    let workloads: Vec<_> = workloads.collect();
    if workloads.is_empty() {
        return Err(
            wanted.map_or("no Prometheus or PrometheusAgent found".to_owned(), |id| {
                format!("{id} not found")
            }),
        );
    }
    let name = test.job.as_deref().unwrap_or_default();
    let jobs = |workload: &&'o Workload| {
        let workload: &'o Workload = workload;
        workload
            .config
            .iter()
            .flat_map(|config| &config.jobs)
            .map(move |job| (workload, job))
    };
    let all: Vec<_> = workloads.iter().flat_map(jobs).collect();
    let mut found: Vec<_> = all.iter().filter(|(_, job)| job.name == name).collect();
    match (found.pop(), found.as_slice()) {
        (Some((workload, job)), []) => Ok((workload, job)),
        (Some(_), [_, ..]) => Err(format!(
            "several workloads have the job {name}; select one with `workload`"
        )),
        (None, _) => Err(
            match near(name, all.iter().map(|(_, job)| job.name.as_str()), 3).as_slice() {
                [] => format!("job {name} not found"),
                similar => format!("job {name} not found; similar ones: {}", similar.join(", ")),
            },
        ),
    }
}

/// The target of the test: of several matches, the one that the job accepts.
fn find_target(
    test: &Test,
    workload: &Workload,
    tracer: &Tracer<'_>,
    discovery: &Discovery,
) -> Result<(RawTarget, Verdict), String> {
    let wanted = match (&test.labels, &test.target) {
        (Some(labels), _) => {
            let labels = labels
                .iter()
                .map(|(name, value)| (Text::from(name), Text::from(value)));
            TargetQuery::Labels(labels.collect::<TargetLabels>())
        }
        (None, target) => TargetQuery::parse(target.as_deref().unwrap_or_default())?,
    };
    let globals = workload
        .config
        .as_ref()
        .map(Globals::of)
        .unwrap_or_default();
    let known = KnownTargets::default();
    let namespace = &workload.id.namespace;
    let finder = Finder {
        discovery,
        namespace,
        globals,
        wanted: &wanted,
        node: None,
        known: &known,
    };
    let mut traced = Vec::new();
    for target in finder.targets(tracer.job).targets {
        let verdict = tracer
            .verdict(&target.labels)
            .map_err(|error| error.to_string())?;
        traced.push((target, verdict));
    }
    if traced.iter().any(|(_, verdict)| verdict.is_target) {
        traced.retain(|(_, verdict)| verdict.is_target);
    }
    match (traced.pop(), traced.len()) {
        (Some(only), 0) => Ok(only),
        (Some(_), others) => Err(format!(
            "{} targets match `{}`",
            others + 1,
            test.target.as_deref().unwrap_or_default()
        )),
        (None, _) => Err(format!(
            "{} discovers no target `{}`",
            tracer.job.name,
            test.target.as_deref().unwrap_or_default()
        )),
    }
}

/// The remaining labels of a target that is kept.
struct RemainingLabels {
    all: LabelSet,
    public: LabelSet,
}

/// A verdict and the expectation.
struct CheckedShard<'a> {
    test: &'a Test,
    verdict: &'a Verdict,
    job: &'a Job,
    /// The origin of rules; rules of a test's own have no place.
    places: Option<(&'a Sources, Arc<RuleOrigins>)>,
    left: Option<RemainingLabels>,
}

impl CheckedShard<'_> {
    fn check(&self) -> TestResult {
        let Expect {
            labels,
            contains,
            shard,
            shards,
            dropped,
            ..
        } = &self.test.expect;
        let mut outcome = TestResult::default();
        let shards = shards.clone().or_else(|| shard.map(|shard| vec![shard]));
        outcome
            .failures
            .extend(shards.and_then(|shards| self.check_shards(shards)));
        outcome.failures.extend(
            dropped
                .as_ref()
                .and_then(|dropped| self.check_dropped(dropped)),
        );
        if labels.is_some() || contains.is_some() {
            self.check_labels(&mut outcome);
        }
        outcome
    }

    /// The failure of the shards that scrape the target.
    fn check_shards(&self, mut expected: Vec<u32>) -> Option<String> {
        expected.sort_unstable();
        expected.dedup();
        (expected != self.verdict.keepers())
            .then(|| format!("expected {}, but {}", listed(&expected), self.words()))
    }

    /// The failure of whether the target is dropped, and by which rule.
    fn check_dropped(&self, expected: &Dropping) -> Option<String> {
        let Verdict { kept, dropped, .. } = self.verdict;
        let (is_right, what) = match expected {
            Dropping::Plain(true) => (kept.is_empty(), "to be dropped".to_owned()),
            Dropping::Plain(false) => (!kept.is_empty(), "not to be dropped".to_owned()),
            Dropping::Rule(DroppedBy { by }) => {
                let is_right =
                    kept.is_empty() && dropped.iter().all(|(_, rule)| self.is_by(rule, by));
                (is_right, format!("to be dropped by {}", words(by)))
            }
        };
        (!is_right).then(|| format!("expected {what}, but {}", self.words()))
    }

    fn check_labels(&self, outcome: &mut TestResult) {
        let Some(left) = &self.left else {
            if outcome.passed() {
                outcome
                    .failures
                    .push(format!("expected labels, but {}", self.words()));
            }
            return;
        };
        let Expect {
            labels, contains, ..
        } = &self.test.expect;
        let (mut expected, mut is) = (LabelSet::default(), LabelSet::default());
        if let Some(labels) = labels {
            expected = labels
                .iter()
                .map(|(name, value)| (name.as_str(), value.as_str()))
                .collect();
            is = left.public.clone();
        }
        for (name, value) in contains.iter().flatten() {
            expected.set(name.as_str(), value.as_str());
            is.set(name.as_str(), left.all.get(name));
        }
        if expected != is {
            outcome.failures.push("labels differ".to_owned());
            outcome.differing = Some((expected, is));
        }
    }

    /// The verdict in words.
    fn words(&self) -> String {
        match self.verdict.dropped.as_slice() {
            _ if !self.verdict.kept.is_empty() && self.places.is_some() => {
                format!("{} scraped it", listed(&self.verdict.keepers()))
            }
            [] => "it was kept".to_owned(),
            [(_, only)] => format!("it was dropped by {}", self.rule(only)),
            [(_, first), others @ ..] => {
                format!(
                    "it was dropped by {}, and by {} others on other shards",
                    self.rule(first),
                    others.len()
                )
            }
        }
    }

    /// `rule 3, spec.endpoints[0].port of ServiceMonitor/shop/cart (monitors.yaml:12)`.
    fn rule(&self, dropped: &DroppingRule) -> String {
        let number = dropped.rule + 1;
        let Some((sources, origin)) = self.origin(dropped) else {
            return format!("rule {number}");
        };
        let at = origin.span.map(|span| {
            format!(
                " ({}:{})",
                sources.file(span.file).name,
                sources.start(span)
            )
        });
        format!(
            "rule {number}, {} of {}{}",
            origin.field,
            origin.resource,
            at.unwrap_or_default()
        )
    }

    fn origin(&self, dropped: &DroppingRule) -> Option<(&Sources, &RuleOrigin)> {
        let (sources, origins) = self.places.as_ref()?;
        Some((*sources, origins.of(self.job).get(dropped.rule)?))
    }

    /// Returns whether a rule is what it is said to be.
    fn is_by(&self, dropped: &DroppingRule, by: &By) -> bool {
        let rule = self.job.rules().get(dropped.rule);
        let field = |key: &str| {
            rule.and_then(|rule| rule.get(key))
                .map(text)
                .unwrap_or_default()
        };
        let is =
            |expected: Option<&String>, is: &str| expected.is_none_or(|expected| expected == is);
        let sources = || -> Vec<String> {
            let labels = rule
                .and_then(|rule| rule.get("source_labels"))
                .and_then(Value::as_seq)
                .unwrap_or_default();
            labels.iter().map(text).collect()
        };
        let origin = self.origin(dropped);
        by.rule
            .is_none_or(|number| number as usize == dropped.rule + 1)
            && by
                .action
                .as_deref()
                .is_none_or(|action| Action::parse(action) == Action::parse(&field("action")))
            && is(by.target_label.as_ref(), &field("target_label"))
            && is(by.regex.as_ref(), &field("regex"))
            && by
                .source_labels
                .as_ref()
                .is_none_or(|expected| *expected == sources())
            && by
                .field
                .as_ref()
                .is_none_or(|field| origin.is_some_and(|(_, origin)| origin.field == *field))
            && by.at.as_ref().is_none_or(|at| self.is_at(dropped, at))
    }

    /// Returns whether a rule comes from that line: `monitors.yaml:12`, with as much of the path as is given.
    fn is_at(&self, dropped: &DroppingRule, at: &str) -> bool {
        let Some((sources, origin)) = self.origin(dropped) else {
            return false;
        };
        let Some(span) = origin.span else {
            return false;
        };
        let Some((file, line)) = at.rsplit_once(':') else {
            return false;
        };
        let name = &sources.file(span.file).name;
        let is_file = name
            .strip_suffix(file)
            .is_some_and(|before| before.is_empty() || before.ends_with('/'));
        is_file && line.parse() == Ok(sources.start(span).line)
    }
}

/// A scalar as it is written.
fn text(value: &Value) -> String {
    value.scalar_text().unwrap_or_default().into_owned()
}

fn listed(shards: &[u32]) -> String {
    let numbers: Vec<_> = shards.iter().map(u32::to_string).collect();
    listed_as("shard", &numbers)
}

/// Names of things: `shard 1`, `shards 1, 2`, `no shard`.
pub(super) fn listed_as(what: &str, names: &[String]) -> String {
    match names {
        [] => format!("no {what}"),
        [one] => format!("{what} {one}"),
        many => format!("{what}s {}", many.join(", ")),
    }
}

fn words(by: &By) -> String {
    let named = |what: &str, text: &Option<String>| Some(format!("{what} {}", text.as_ref()?));
    let labels = by.source_labels.as_ref();
    let parts = [
        by.rule.map(|number| format!("rule {number}")),
        named("action", &by.action),
        labels.map(|labels| format!("source labels [{}]", labels.join(", "))),
        named("target label", &by.target_label),
        named("regex", &by.regex),
        by.field.clone(),
        by.at.clone(),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() {
        "a rule".to_owned()
    } else {
        parts.join(", ")
    }
}
