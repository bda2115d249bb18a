//! Checks on what expressions read: whether the jobs of a server can have it.
//!
//! In: the lineage of the environment. Out: findings about rules and dashboards. Only what is proven is one.

mod bounds;
mod findings;
mod firing;
mod kept;
mod misspelt;
mod open;
mod sides;
#[cfg(test)]
mod tests;

use std::sync::OnceLock;

use crate::checks::Family;
use findings::{
    ALWAYS_ABSENT, DROPPED_METRIC, EMPTY_PANEL, IMPOSSIBLE_VALUE, SHORT_RANGE, UNLISTED_LABEL,
};
use promgen_model::lineage::server::{Absence, Judgement, Lack, SeriesServer, ShortRange};
use promgen_model::model::World;
use promgen_model::model::lineage::dashboards::{self, Dashboard, PanelQuery};
use promgen_model::model::lineage::state_metrics::{self, StateMetrics};
use promgen_model::model::lineage::{
    ExpressionRule, LineageModel, RuleServer, UNEXPOSED_METRIC, words,
};
use promgen_text::diag::{Diagnostic, Level, LintRule, Place, Sink};
use promgen_text::parallel;

/// The family.
pub(super) static FAMILY: Family = Family {
    rules: &[
        findings::RULES,
        sides::RULES,
        kept::RULES,
        open::RULES,
        firing::RULES,
        misspelt::RULES,
        bounds::RULES,
    ],
    check,
};

/// Returns whether a rule is about a panel of a dashboard.
pub(super) fn is_about_panel(rule: &LintRule) -> bool {
    *rule == EMPTY_PANEL
}

fn check(world: &World<'_>, sink: &mut Sink) {
    kept::check(world, sink);
    let boards = dashboards::all(world);
    if world.cluster().prometheus_rules.is_empty() && boards.is_empty() {
        return;
    }
    firing::check(world, sink);
    bounds::check(world, sink);
    misspelt::check(world, &boards, sink);
    let lineage = world.lineage();
    let numbers: Vec<usize> = (0..lineage.rules.len()).collect();
    let elsewhere = OnceLock::new();
    let of_rules = parallel::map(&numbers, 64, |number| of_rule(world, *number, &elsewhere));
    sink.extend(of_rules.into_iter().flatten());
    let state_metrics = state_metrics::all(world.manifests(), world.unknowns()).unwrap_or_default();
    if !state_metrics.is_empty() {
        let of_rules = parallel::map(&numbers, 64, |number| {
            of_labels(lineage, &state_metrics, *number)
        });
        sink.extend(of_rules.into_iter().flatten());
    }
    open::check(world, &boards, sink);
    let of_boards = parallel::map(&boards, 1, |board| of_board(world, board));
    sink.extend(of_boards.into_iter().flatten());
}

/// The findings about a rule: those of the first server that has one. A rule that no server in the input evaluates is one of a
/// ThanosRuler, or of a server elsewhere.
fn of_rule(
    world: &World<'_>,
    number: usize,
    elsewhere: &OnceLock<SeriesServer>,
) -> Vec<Diagnostic> {
    let lineage = world.lineage();
    let rule = &lineage.rules[number];
    if lineage.evaluators(number).next().is_none() {
        let elsewhere = elsewhere.get_or_init(|| lineage.elsewhere());
        let unmatched = rule
            .tree
            .as_ref()
            .map(|tree| elsewhere.unmatched(tree, &rule.text, None));
        let unmatched = unmatched.iter().flatten();
        return unmatched
            .map(|unmatched| sides::finding(rule, unmatched))
            .collect();
    }
    for server in lineage.evaluators(number) {
        let found = on_server(world, server, rule);
        if !found.is_empty() {
            return found;
        }
    }
    Vec::new()
}

fn on_server(world: &World<'_>, server: &RuleServer, rule: &ExpressionRule) -> Vec<Diagnostic> {
    let Some(Judgement {
        lacks,
        absent,
        short,
        ..
    }) = server.judge(world, rule)
    else {
        return Vec::new();
    };
    let place = |lack: &Lack| within(rule, lack.span.clone());
    let mut found = Vec::new();
    for lack in &lacks {
        let Some(breaks) = breaks(&lack.absence) else {
            continue;
        };
        if firing::contradicts(rule, &lack.span) {
            continue;
        }
        let words = words::absence(world, server, lack);
        let finding = Diagnostic::new(
            breaks,
            place(lack),
            format!("{}: {}", rule.what(), words.message),
        );
        found.push(words.add_to(finding));
    }
    for always in &absent {
        if matches!(
            always.lack.absence,
            Absence::NotRecorded { .. } | Absence::RecordedOtherwise { .. }
        ) {
            continue;
        }
        let words = words::absence(world, server, &always.lack);
        let message = format!(
            "{}: `{}` always holds, as {}",
            rule.what(),
            always.function,
            words.message
        );
        found.push(words.add_to(Diagnostic::new(
            &ALWAYS_ABSENT,
            place(&always.lack),
            message,
        )));
    }
    found.extend(short.iter().map(|short| too_short(server, rule, short)));
    if found.is_empty() {
        found.extend(
            server
                .unmatched(world, rule)
                .iter()
                .map(|unmatched| sides::finding(rule, unmatched)),
        );
    }
    found
}

/// The rule that a selector breaks which finds nothing. `None` if the cause is reported elsewhere.
const fn breaks(absence: &Absence) -> Option<&'static LintRule> {
    match absence {
        Absence::Unmet { .. } | Absence::RecordedOtherwise { .. } => Some(&IMPOSSIBLE_VALUE),
        Absence::Dropped { .. } => Some(&DROPPED_METRIC),
        Absence::Unexposed { .. } | Absence::NotMade { .. } => Some(&UNEXPOSED_METRIC),
        Absence::NotRecorded { .. } => None,
    }
}

fn within(rule: &ExpressionRule, span: std::ops::Range<usize>) -> Place {
    Place::Within(rule.at.clone().key("expr"), span)
}

fn too_short(server: &RuleServer, rule: &ExpressionRule, short: &ShortRange) -> Diagnostic {
    let ShortRange {
        span,
        function,
        range,
        interval,
        job,
    } = short;
    let message = format!(
        "{}: `{function}` of {range} has less than two samples: {job} of {} scrapes every {interval}",
        rule.what(),
        server.server.what
    );
    let least = interval.millis.saturating_mul(4);
    let help = format!(
        "use a range of {} or more",
        promgen_text::go::duration::PromDuration { millis: least }
    );
    Diagnostic::new(&SHORT_RANGE, within(rule, span.clone()), message).help(help)
}

/// The labels of a rule that no kube-state-metrics exposes.
fn of_labels(lineage: &LineageModel, all: &[StateMetrics], number: usize) -> Vec<Diagnostic> {
    let rule = &lineage.rules[number];
    let Some(tree) = &rule.tree else {
        return Vec::new();
    };
    let mut evaluators = lineage
        .evaluators(number)
        .filter(|server| server.server.open.is_none());
    let Some(server) = evaluators.next() else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let taken_away = tree.taken_away();
    for asked in state_metrics::asked(tree, &rule.text) {
        let is_exposed = |metric: &String| all.iter().any(|one| one.exposes(metric, &asked.label));
        if asked.metrics.iter().any(is_exposed)
            || server
                .server
                .jobs
                .iter()
                .any(|job| job.may_set(&asked.label))
        {
            continue;
        }
        let metric = asked
            .metrics
            .first()
            .map(String::as_str)
            .unwrap_or_default();
        let is_optional = taken_away.contains(&asked.selector);
        let effect = if is_optional {
            ", so this `unless` takes nothing away"
        } else {
            ""
        };
        let message = format!(
            "{}: kube-state-metrics exposes no `{}` in `{metric}`{effect}",
            rule.what(),
            asked.label
        );
        let place = within(rule, tree.node(asked.selector).span.clone());
        let list = if metric.ends_with("_annotations") {
            "annotations"
        } else {
            "labels"
        };
        let finding = Diagnostic::new(&UNLISTED_LABEL, place, message).help(format!(
            "list it in `--metric-{list}-allowlist` of kube-state-metrics"
        ));
        let span = all.first().map(|one| Place::Span(one.span));
        let level = if is_optional {
            Level::Info
        } else {
            Level::Warning
        };
        found.push(finding.related_some(span, "its arguments").level(level));
    }
    found
}

/// The findings about a dashboard: it may ask any server.
fn of_board(world: &World<'_>, board: &Dashboard) -> Vec<Diagnostic> {
    board
        .queries
        .iter()
        .filter_map(|query| of_query(world, board, query))
        .collect()
}

fn of_query(world: &World<'_>, board: &Dashboard, query: &PanelQuery) -> Option<Diagnostic> {
    if query.is_by_default {
        return None;
    }
    let mut first = None;
    for server in &world.lineage().servers {
        let is_open = &dashboards::has_variable;
        let judged = server.server.judge(&query.tree, &query.text, None, is_open);
        let lack = judged
            .lacks
            .into_iter()
            .find(|lack| breaks(&lack.absence).is_some())?;
        first = first.or(Some((server, lack)));
    }
    let (server, lack) = first?;
    let words = words::absence(world, server, &lack);
    let message = format!(
        "{} `{}` of dashboard `{}` stays empty: {}",
        query.kind, query.name, board.title, words.message
    );
    Some(words.add_to(Diagnostic::new(&EMPTY_PANEL, query.place.clone(), message)))
}
