//! Alerts that fire whatever the values are, and those that never do.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use super::within;
use promgen_compile::output::Job;
use promgen_compile::output::job::DiscoverySource;
use promgen_model::lineage::job::{ReachedTargets, ScrapedJob};
use promgen_model::lineage::matcher::SeriesSelector;
use promgen_model::model::World;
use promgen_model::model::lineage::{ExpressionRule, RuleServer};
use promgen_prometheus::promql::{
    ContradictionCause, ExprKind, ExprOutcome, NodeId, OutcomeReason, Presence, ResultRange, Tree,
    VectorSelector, outcome,
};
use promgen_targets::network::truth::Truth;
use promgen_text::CollectOrdered;
use promgen_text::diag::{Diagnostic, Level, Sink, rules};

rules! {
    /// ## What it does
    /// Finds alerts whose expression has a result whatever the values of its series are: it compares nothing, or it compares with
    /// `bool`, or the comparison always holds, or a side of `or` is always there.
    ///
    /// A selector alone is not reported, since its series may be there in a state alone; nor what reads no series, such as
    /// `vector(1)`, unless its value is 0; or an alert that is meant to fire: with the severity `none`, or called a watchdog or the
    /// like.
    ///
    /// ## Why is this bad?
    /// Each series of the result is an alert, whatever its value: a rate of 0 fires as well, and so does the 0 of `bool`.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PrometheusRule
    /// metadata: {name: cart}
    /// spec:
    ///   groups:
    ///   - name: a
    ///     rules:
    ///     - {alert: Errors, expr: "sum by (job) (rate(cart_errors_total[5m]))"}
    /// ```
    /// Use instead: a comparison.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PrometheusRule
    /// metadata: {name: cart}
    /// spec:
    ///   groups:
    ///   - name: a
    ///     rules:
    ///     - {alert: Errors, expr: "sum by (job) (rate(cart_errors_total[5m])) > 0"}
    /// ```
    ///
    /// ## Source
    /// Prometheus: alerting rules, and `bool` of comparison operators.
    ALWAYS_FIRES = "PG630" "always-fires" Warning: "an alert that fires whatever the values are";

    /// ## What it does
    /// Finds rules whose expression has no result, whatever the values of its series are: a comparison that no value meets, such as
    /// `absent(…) == 0`, `count(…) == 0` or `rate(…) < 0`; `absent` of what is always there, such as `up` of a static target; and
    /// conditions that contradict each other, such as `a > 10 and a < 5`, `a{b="c", b!="c"}`, `a unless a`, `up == 0 unless up`, a
    /// comparison with `NaN`, or a value that a label never has: `kube_pod_status_phase{phase="CrashLoopBackOff"}`. A
    /// rule that reads no series, such as `vector(0) == 1`, may be switched off: it is an info.
    ///
    /// ## Why is this bad?
    /// The alert never fires. `absent` and `count` return nothing where they have nothing to say, rather than 0; and `up` of a static
    /// target is 0 while the target is down, but there.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PrometheusRule
    /// metadata: {name: cart}
    /// spec:
    ///   groups:
    ///   - name: a
    ///     rules:
    ///     - {alert: Gone, expr: 'count(up{job="cart"}) == 0'}
    /// ```
    /// Use instead:
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PrometheusRule
    /// metadata: {name: cart}
    /// spec:
    ///   groups:
    ///   - name: a
    ///     rules:
    ///     - {alert: Gone, expr: 'absent(up{job="cart"})'}
    /// ```
    ///
    /// ## Source
    /// Prometheus: comparison operators, `absent`, and automatically generated time series.
    NEVER_FIRES = "PG631" "never-fires" Warning: "a rule whose expression is always empty";
}

/// How often rules that read recorded series are asked again: so deep may they be recorded of each other.
const MAX_DEPTH: usize = 3;

/// The most bytes of an expression that a message quotes.
const MAX_QUOTED: usize = 40;

/// Parts of the names of alerts that are meant to fire.
const ON_PURPOSE: &[&str] = &["always", "deadman", "heartbeat", "keepalive", "watchdog"];

/// What rules record, by its name.
type Recorded<'r> = BTreeMap<&'r str, ExprOutcome>;

/// Checks all rules.
pub(super) fn check(world: &World<'_>, sink: &mut Sink) {
    let rules = &world.lineage().rules;
    let recorded = recorded(rules);
    let fixed = OnceCell::new();
    for (number, rule) in rules.iter().enumerate() {
        let Some(tree) = &rule.tree else {
            continue;
        };
        let known = |selector: &VectorSelector| {
            let name = selector.name.as_deref()?;
            if name == "up" && rule.text.contains("absent") {
                let fixed = fixed.get_or_init(|| static_jobs(world));
                return always_scrapes(world, fixed, number, rule, selector).then_some(UP);
            }
            let own = of_record(&recorded, selector);
            if rule.text.contains("absent") && always_makes(world, number, rule, selector) {
                return Some(own.map_or(UP, |own| ExprOutcome {
                    presence: Presence::Always,
                    ..own
                }));
            }
            own
        };
        let (outcome, reasons) = outcome(tree, &rule.text, &known);
        let asked = FiringRule { rule, tree };
        let reads = !tree.selectors(tree.root()).is_empty();
        let ResultRange { least, most } = outcome.range;
        if outcome.presence == Presence::Never {
            let finding = asked.never(&reasons);
            // What reads no series may be switched off.
            sink.report(match reads {
                true => finding,
                false => finding.level(Level::Info),
            });
        } else if rule.alert.is_some()
            && (reads || least == 0.0 && most == 0.0)
            && !is_on_purpose(rule)
        {
            asked.always(outcome, &reasons, sink);
        }
    }
}

/// The `up` of a target that is always there.
const UP: ExprOutcome = ExprOutcome {
    presence: Presence::Always,
    range: ResultRange {
        least: 0.0,
        most: 1.0,
    },
};

/// A server, with its jobs of static targets that no other shard scrapes.
type StaticJobs<'w> = (&'w RuleServer, Vec<&'w ScrapedJob>);

fn static_jobs<'w>(world: &World<'w>) -> Vec<StaticJobs<'w>> {
    let of = |server: &'w RuleServer| {
        let compiled = world.workload(&server.id);
        let is_static = |job: &&Job| {
            let mut sections = job.discoveries();
            sections.all(|section| section.source == DiscoverySource::Static)
        };
        let compiled = compiled.filter(|compiled| compiled.plan.shards.len() == 1);
        let jobs = compiled.map_or(&[][..], |compiled| compiled.jobs());
        let names: BTreeSet<&str> = jobs
            .iter()
            .filter(is_static)
            .map(|job| &*job.name)
            .collect_set();
        let scraped = server.server.jobs.iter();
        let fixed = scraped
            .filter(|job| !job.is_secret && !job.federates && names.contains(job.name.as_str()));
        (server, fixed.collect())
    };
    world.lineage().servers.iter().map(of).collect()
}

/// Returns whether all servers that evaluate a rule always have the `up` of a selector.
fn always_scrapes(
    world: &World<'_>,
    fixed: &[StaticJobs<'_>],
    number: usize,
    rule: &ExpressionRule,
    selector: &VectorSelector,
) -> bool {
    let is_there = |(server, jobs): &&StaticJobs<'_>| {
        let spec = world.cluster().prometheuses.get(server.id.key().as_str());
        let enforced = spec.and_then(|spec| rule.enforced(&spec.value.spec));
        let selector = SeriesSelector::of(selector, enforced);
        let is_taken = |targets: &ReachedTargets| {
            selector.matchers.iter().all(|matcher| {
                let mut values = targets.labels.get(&matcher.label).iter();
                values.all(|value| matcher.meets(value) == Truth::Yes)
            })
        };
        jobs.iter().any(|job| job.targets.iter().any(is_taken))
    };
    let mut evaluators = fixed
        .iter()
        .filter(|(server, _)| server.rules.binary_search(&number).is_ok())
        .peekable();
    evaluators.peek().is_some() && evaluators.all(|own| is_there(&own))
}

/// Returns whether all servers that evaluate a rule evaluate one, too, that always makes what a selector asks for: a recorded series,
/// or the `ALERTS` of an alert.
fn always_makes(
    world: &World<'_>,
    number: usize,
    rule: &ExpressionRule,
    selector: &VectorSelector,
) -> bool {
    let name = selector.name.as_deref();
    let asked = match (name, selector.matchers.as_slice()) {
        (Some("ALERTS"), [of]) if of.label == "alertname" && of.operator == "=" => Some(&*of.value),
        (_, []) => name,
        _ => None,
    };
    let lineage = world.lineage();
    let makes = |made: &ExpressionRule| {
        let is_asked = asked.is_some()
            && (made.record.as_deref() == asked && name == asked
                || made.alert.as_deref() == asked && name != asked);
        let known = |tree: &Tree| outcome(tree, &made.text, &|_| None).0;
        is_asked
            && made
                .tree
                .as_ref()
                .is_some_and(|tree| known(tree).presence == Presence::Always)
    };
    let mut evaluators = lineage.evaluators(number).peekable();
    evaluators.peek().is_some()
        && evaluators.all(|server| {
            let mut rules = server.rules.iter().map(|number| &lineage.rules[*number]);
            server.enforced(world, rule) == Some(None) && rules.any(makes)
        })
}

/// The outcome of a recorded series. Of what is always recorded, a part may be there in a state alone; and whether a server has the
/// whole depends on its rules.
fn of_record(recorded: &Recorded<'_>, selector: &VectorSelector) -> Option<ExprOutcome> {
    let mut own = *recorded.get(selector.name.as_deref()?)?;
    if own.presence == Presence::Always {
        own.presence = match selector.matchers.is_empty() {
            true => Presence::OfSeries,
            false => Presence::Conditional,
        };
    }
    Some(own)
}

/// The outcomes of recording rules: the least certain of those that record a series.
fn recorded(rules: &[ExpressionRule]) -> Recorded<'_> {
    let mut known = Recorded::new();
    let all = || {
        rules
            .iter()
            .filter_map(|rule| Some((rule.record.as_deref()?, rule)))
    };
    if all().next().is_none() {
        return known;
    }
    for _ in 0..MAX_DEPTH {
        let mut next = Recorded::new();
        for (name, rule) in all() {
            let of_name = |selector: &VectorSelector| of_record(&known, selector);
            let own = rule
                .tree
                .as_ref()
                .map(|tree| outcome(tree, &rule.text, &of_name).0);
            // A constant may be a switch.
            let is_constant = || {
                let tree = rule.tree.as_ref();
                tree.is_some_and(|tree| tree.selectors(tree.root()).is_empty())
            };
            let own = own
                .filter(|own| own.presence >= Presence::OfSeries && !is_constant())
                .unwrap_or(ExprOutcome {
                    presence: Presence::Conditional,
                    range: ResultRange::ANY,
                });
            let least = |other: &mut ExprOutcome| {
                other.presence = other.presence.min(own.presence);
                other.range = other.range.or(own.range);
            };
            next.entry(name).and_modify(least).or_insert(own);
        }
        if next == known {
            break;
        }
        known = next;
    }
    known
}

fn is_on_purpose(rule: &ExpressionRule) -> bool {
    let name = rule
        .name()
        .to_ascii_lowercase()
        .replace(['_', '-', ' '], "");
    ON_PURPOSE.iter().any(|part| name.contains(part))
        || rule
            .labels
            .get("severity")
            .is_some_and(|severity| &**severity == "none")
}

/// Returns whether a rule never fires because of conditions in a place that contradict each other.
pub(super) fn contradicts(rule: &ExpressionRule, place: &std::ops::Range<usize>) -> bool {
    let is_there = |reason: &OutcomeReason| matches!(reason, OutcomeReason::Contradiction { span, .. } if span == place);
    rule.tree.as_ref().is_some_and(|tree| {
        let (outcome, reasons) = outcome(tree, &rule.text, &|_| None);
        outcome.presence == Presence::Never && reasons.iter().any(is_there)
    })
}

/// A rule that is asked about.
struct FiringRule<'r> {
    rule: &'r ExpressionRule,
    tree: &'r Tree,
}

impl FiringRule<'_> {
    fn text(&self, span: &std::ops::Range<usize>) -> &str {
        self.rule.text.get(span.clone()).unwrap_or_default()
    }

    /// A part in a message: its text, or the function if that is long.
    fn named(&self, id: NodeId) -> String {
        let id = self.tree.within_parentheses(id);
        let node = self.tree.node(id);
        let text = self.text(&node.span).trim();
        match &node.kind {
            _ if text.len() <= MAX_QUOTED && !text.contains('\n') => format!("`{text}`"),
            ExprKind::Call(call) => format!("`{}`", call.function.name),
            ExprKind::Aggregate(aggregate) => format!("`{}`", aggregate.operator),
            _ => "the left side".to_owned(),
        }
    }

    fn finding(
        &self,
        rule: &'static promgen_text::diag::LintRule,
        span: &std::ops::Range<usize>,
        message: String,
    ) -> Diagnostic {
        Diagnostic::new(rule, within(self.rule, span.clone()), message)
    }

    fn never(&self, reasons: &[OutcomeReason]) -> Diagnostic {
        let what = self.rule.what();
        let effect = if self.rule.alert.is_some() {
            "never fires"
        } else {
            "records nothing"
        };
        for reason in reasons {
            match reason {
                OutcomeReason::Settled {
                    span,
                    compared,
                    range,
                    against,
                    holds: false,
                } => {
                    let message = format!(
                        "{what} {effect}: {} is {} wherever it has a value, so `{against}` never holds",
                        self.named(*compared),
                        words(*range)
                    );
                    let finding = self.finding(&NEVER_FIRES, span, message);
                    return match self.is_count(*compared) {
                        true => finding.help("it has no value where there is no series: ask for `absent(…)`, or compare `… or vector(0)` in parentheses"),
                        false => finding.help("compare with a value that it can have"),
                    };
                }
                OutcomeReason::NeverAbsent { span } => {
                    let message = format!(
                        "{what} {effect}: what `{}` asks for is always there",
                        self.text(span).split('(').next().unwrap_or_default().trim()
                    );
                    return self.finding(&NEVER_FIRES, span, message).help(
                        "`up` of a static target is 0 while the target is down: compare it, `up{…} == 0`; and leave out `or vector(0)` within `absent`",
                    );
                }
                OutcomeReason::Contradiction { span, by } => {
                    let (why, help) = contradiction(*by);
                    let message = format!("{what} {effect}: {why}");
                    return self.finding(&NEVER_FIRES, span, message).help(help);
                }
                _ => {}
            }
        }
        let message = format!("{what} {effect}: its expression is always empty");
        self.finding(&NEVER_FIRES, &self.tree.root().span, message)
    }

    fn is_count(&self, id: NodeId) -> bool {
        let text = self.text(&self.tree.node(id).span);
        let text = text.trim_start_matches(['(', ' ']);
        ["count", "absent", "group", "present"]
            .iter()
            .any(|name| text.starts_with(name))
    }

    fn always(&self, outcome: ExprOutcome, reasons: &[OutcomeReason], sink: &mut Sink) {
        let what = self.rule.what();
        let is_always = outcome.presence >= Presence::OfSeries;
        let mut is_said = false;
        for reason in reasons {
            let (span, message, help) = match reason {
                OutcomeReason::Bool { span, operator } => (
                    span,
                    format!(
                        "{what}: `{operator} bool` keeps every series, as 0 or 1{}",
                        if is_always {
                            ", so it fires for each"
                        } else {
                            ""
                        }
                    ),
                    "leave out `bool`: then a comparison keeps the series for which it holds",
                ),
                OutcomeReason::OfItself { span, operator } => (
                    span,
                    format!(
                        "{what}: both sides of `{operator}` are the same, so it holds for every series"
                    ),
                    OF_ITSELF,
                ),
                _ => continue,
            };
            is_said = true;
            sink.report(self.finding(&ALWAYS_FIRES, span, message).help(help));
        }
        if is_said || !is_always {
            return;
        }
        let settled = reasons.iter().find_map(|reason| match reason {
            OutcomeReason::Settled {
                span,
                compared,
                range,
                against,
                holds: true,
            } => {
                let message = format!(
                    "{what} always fires: {} is {}, so `{against}` always holds",
                    self.named(*compared),
                    words(*range)
                );
                Some((span, message))
            }
            _ => None,
        });
        let or = reasons.iter().find_map(|reason| match reason {
            OutcomeReason::Or { span } if outcome.presence == Presence::Always => Some(span),
            _ => None,
        });
        let root = &self.tree.root().span;
        let (span, message, help) = match (or, settled) {
            (Some(side), _) => (
                side,
                format!(
                    "{what} always fires: the side `{}` of `or` is always there",
                    self.text(side).trim()
                ),
                "compare the whole: `(… or vector(0)) > 0`, in parentheses, as `or` binds less than a comparison",
            ),
            (None, Some((span, message))) => (
                span,
                message,
                "compare with a value that it does not always have",
            ),
            (None, None) if outcome.presence == Presence::Always => (
                root,
                format!("{what} always fires: its expression has a value, and nothing filters it"),
                "an alert fires for each value, 0 as well: compare it with something that changes",
            ),
            (None, None) => (
                root,
                format!(
                    "{what} fires for every series of its expression, whatever the value: nothing in it filters them"
                ),
                "compare the result: `… > 0`",
            ),
        };
        sink.report(self.finding(&ALWAYS_FIRES, span, message).help(help));
    }
}

/// What to do about something that is compared with itself.
const OF_ITSELF: &str =
    "compare with another expression, or with the same one at another time: `offset 1h`";

/// Why nothing meets a part, and what to do.
fn contradiction(by: ContradictionCause) -> (String, String) {
    let (why, help) = match by {
        ContradictionCause::Conditions => (
            "its conditions contradict each other, so no series meets both",
            "`or` keeps what meets one of them; and a label has one value: use one matcher, such as `=~\"a|b\"`",
        ),
        ContradictionCause::Itself => ("both sides of the operator are the same", OF_ITSELF),
        ContradictionCause::NotANumber => (
            "no comparison with `NaN` holds, but `!=`",
            "what is not a number is not equal to itself: `x != x`",
        ),
        ContradictionCause::TakenAway => (
            "`unless` takes all away, as its right side has whatever the left one has",
            "compare the right side, so that it has some of its series alone",
        ),
        ContradictionCause::NoSuchValue(fixed) => {
            let values = fixed.values.join("`, `");
            return (
                format!("`{}` of `{}` has no such value", fixed.label, fixed.metric),
                format!("it is one of `{values}`"),
            );
        }
    };
    (why.to_owned(), help.to_owned())
}

fn words(ResultRange { least, most }: ResultRange) -> String {
    match (least.is_finite(), most.is_finite()) {
        (true, true) if least == most => least.to_string(),
        (true, true) => format!("from {least} to {most}"),
        (true, false) => format!("never below {least}"),
        (false, true) => format!("never above {most}"),
        (false, false) => "from -Inf to +Inf".to_owned(),
    }
}
