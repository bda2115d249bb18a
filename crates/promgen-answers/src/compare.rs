//! Two models, compared.

pub mod environments;
pub(crate) mod live;
mod written;

use std::sync::Arc;

use crate::diff::listed::Listed;
use crate::diff::selection::{self, Selections};
use crate::diff::value::Shades;
use crate::diff::{self, Changes, OperatorChange, Side, findings, series};
use promgen_compile::output::Output;
use promgen_model::Model;
use promgen_model::Project;
use promgen_model::plain_secrets;
use promgen_prometheus::routing::Alert;
use promgen_repository::model::Environment;
use promgen_resources::release;
use promgen_text::diag::{Diagnostic, Sink};
use promgen_text::limits::Limits;
use promgen_text::parallel::join;

pub use live::{ClusterComparison, drift};

/// How the sides of a comparison are checked: the caller has the rules.
#[derive(Clone, Copy, Debug)]
pub struct SideLint {
    /// The findings about all environments of the project of a model, though only the first is compared.
    pub of_model: fn(&Model) -> Vec<Diagnostic>,
    /// The findings about some environments of a project.
    pub of_environments: fn(&Arc<Project>, &[Environment]) -> Vec<Diagnostic>,
}

/// Compares two models: of two inputs, or of one that is compiled for two targets. Both are of [`Project::read_side`].
/// Values of Secrets are compared, and not part of the result.
///
/// [`Project::read_side`]: promgen_model::Project::read_side
#[must_use]
pub fn compare(base: &Model, head: &Model, lint: &SideLint) -> Changes {
    let (old, new) = join(|| (lint.of_model)(base), || (lint.of_model)(head));
    let findings = findings::changes(
        (&old, base.project().sources()),
        (&new, head.project().sources()),
    );
    Changes {
        findings,
        ..pair(base, head)
    }
}

/// The differences of two models, without findings.
pub(crate) fn pair(base: &Model, head: &Model) -> Changes {
    let known = KnownSides::new(base, head);
    let (old, new) = known.revealed.as_ref().map(|(old, new)| (old, new)).unzip();
    let mut changes = known.diff(
        (base, base.output(), old),
        (head, head.output(), new),
        limits_of_both(base, head),
    );
    changes.operators.extend(operator(base, head));
    (changes.series, changes.possible_losses) = series::changes(base, head);
    if base.has_unselected() || head.has_unselected() {
        let of_stand_ins = stand_ins(base, head, &known);
        changes.exceeded.extend(of_stand_ins.exceeded);
        changes.workloads.extend(of_stand_ins.workloads);
    }
    changes
}

/// The releases of the operator that both inputs show, if they differ, and the user names none.
fn operator(base: &Model, head: &Model) -> Option<OperatorChange> {
    let is_given = |model: &Model| model.project().options().target.operator.is_some();
    let (from, to) = (base.shown_operator()?, head.shown_operator()?);
    let differs = from != to && !is_given(base) && !is_given(head);
    differs.then(|| OperatorChange {
        environment: None,
        from: release::tag(from),
        to: release::tag(to),
    })
}

/// The differences of the resources that no workload selects on either side, as workloads with default settings would
/// use them.
fn stand_ins(base: &Model, head: &Model, known: &KnownSides) -> Changes {
    let (old, new) = join(
        || base.stand_ins_beside(head),
        || head.stand_ins_beside(base),
    );
    let selections = base.view(&old, |old| {
        head.view(&new, |new| selection::changes(old, new))
    });
    let known = KnownSides {
        selections,
        alerts: known.alerts.clone(),
        shades: known.shades.clone(),
        revealed: None,
    };
    let output = |model: &Model, workloads| {
        let sources = model.project().sources().clone();
        Output {
            workloads,
            sources,
            ..Output::default()
        }
    };
    let (old, new) = (output(base, old), output(head, new));
    let mut changes = known.diff(
        (base, &old, None),
        (head, &new, None),
        limits_of_both(base, head),
    );
    for workload in &mut changes.workloads {
        let (kind, _) = workload.workload.split_once('/').unwrap_or_default();
        workload.workload = format!("{kind} elsewhere");
        workload.is_stand_in = true;
        // These are of the workload, which nobody wrote.
        (workload.status, workload.fields) = (Listed::default(), Listed::default());
        workload.version = None;
    }
    changes
        .workloads
        .retain(|workload| !workload.says_nothing());
    changes
}

/// The limits of a comparison.
fn limits_of_both(base: &Model, head: &Model) -> Limits {
    let n_bytes = [base, head]
        .map(|model| model.project().texts.n_bytes)
        .iter()
        .sum();
    base.project()
        .options()
        .limits
        .divided(1)
        .for_input(n_bytes)
}

/// The facts about two models beside their outputs.
pub(super) struct KnownSides {
    pub(super) selections: Selections,
    pub(super) alerts: [Vec<Alert>; 2],
    pub(super) shades: Shades,
    /// The workloads with the values of Secrets, if there are any.
    pub(super) revealed: Option<(Output, Output)>,
}

/// A model, its workloads or those that stand in for others, and the same with values of Secrets.
type ShownSide<'a> = (&'a Model, &'a Output, Option<&'a Output>);

impl KnownSides {
    fn diff(&self, base: ShownSide<'_>, head: ShownSide<'_>, limits: Limits) -> Changes {
        let [old, new] = [(base, &self.alerts[0]), (head, &self.alerts[1])].map(
            |((model, output, revealed), alerts)| Side {
                model,
                output,
                discovery: model.discovery(),
                alerts,
                revealed,
            },
        );
        diff::diff(old, new, &self.selections, &self.shades, limits)
    }

    pub(super) fn new(base: &Model, head: &Model) -> Self {
        let selections = base.view(&[], |old| {
            head.view(&[], |new| selection::changes(old, new))
        });
        let is_redacted = base.output().redacted + head.output().redacted > 0;
        Self {
            selections,
            alerts: [base, head].map(Model::alerts),
            shades: Shades::new([base, head].into_iter().flat_map(secrets)),
            revealed: is_redacted.then(|| join(|| base.revealed(), || head.revealed())),
        }
    }
}

/// The texts of the manifests that are secrets in plain text.
fn secrets(model: &Model) -> Vec<String> {
    let mut sink = Sink::default();
    plain_secrets::check(model.cluster(), &mut sink);
    let sources = model.project().sources();
    let found = model.place(sink);
    found
        .iter()
        .filter_map(|secret| secret.span)
        .map(|span| sources.text(span).to_owned())
        .collect()
}
