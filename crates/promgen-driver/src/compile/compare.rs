//! Two compiled inputs, compared.

use super::phases::{Compiled, Targets};
use super::{compile_with_targets, lint};
use crate::alerts;
use crate::checks;
use crate::diff::selection;
use crate::diff::value::Shades;
use crate::diff::{self, Changes, Side};
use promgen_compile::options::Options;
use promgen_compile::output::Output;
use promgen_compile::routing::Alert;
use promgen_text::diag::Sink;
use promgen_text::source::Input;

/// The result of a comparison.
#[derive(Clone, Debug)]
pub struct Compared {
    /// What differs.
    pub changes: Changes,
    /// The output of the base.
    pub base: Output,
    /// The output of the head.
    pub head: Output,
}

/// Inputs, and what is asked of them.
pub type Asked<'a> = (&'a [Input], &'a Options);

/// Compiles two inputs, or one for two targets, and compares them. Values of Secrets are compared, and not part of the
/// result.
#[must_use]
pub fn compare(base: Asked<'_>, head: Asked<'_>) -> Compared {
    let [of_base, of_head] = [base, head].map(|(_, options)| plain(options));
    let (old, old_discovery, (new, new_discovery, asked)) =
        compile_with_targets(base.0, &of_base, |old, old_targets| {
            compile_with_targets(head.0, &of_head, |new, new_targets| both((old, old_targets), (new, new_targets)))
        });
    let (old_lint, new_lint) = rayon::join(|| linted(base), || linted(head));
    let (old_revealed, new_revealed) = asked.revealed.unzip();
    let side = |output, discovery, alerts, lint, revealed| Side { output, discovery, alerts, lint, revealed };
    let limits = base.1.limits.for_input(base.0.iter().chain(head.0).map(|input| input.bytes.len()).sum());
    let changes = diff::diff(
        side(&old, &old_discovery, &asked.alerts[0], &old_lint, old_revealed.as_ref()),
        side(&new, &new_discovery, &asked.alerts[1], &new_lint, new_revealed.as_ref()),
        (&asked.selections, &asked.shades),
        limits,
    );
    Compared { changes, base: old, head: new }
}

/// What is known only as long as the objects are there.
pub(super) struct Known {
    pub(super) selections: selection::Selections,
    pub(super) alerts: [Vec<Alert>; 2],
    pub(super) shades: Shades,
    /// The workloads with the values of Secrets, if there are any.
    pub(super) revealed: Option<(Output, Output)>,
}

type CompiledSide<'a, 'c> = (&'a Compiled<'c>, &'a Targets);

pub(super) fn both(base: CompiledSide<'_, '_>, head: CompiledSide<'_, '_>) -> Known {
    let (old_reach, new_reach) = (base.0.reach(base.1), head.0.reach(head.1));
    let (old, new) = (base.0.model(base.1, &old_reach), head.0.model(head.1, &new_reach));
    let secrets = [base, head].into_iter().flat_map(|(compiled, _)| secrets(compiled));
    let is_redacted = base.0.redacted + head.0.redacted > 0;
    Known {
        selections: selection::changes(&old, &new),
        alerts: [base, head].map(|(compiled, _)| all_alerts(compiled)),
        shades: Shades::new(secrets),
        revealed: is_redacted.then(|| rayon::join(|| base.0.revealed(), || head.0.revealed())),
    }
}

fn all_alerts(compiled: &Compiled<'_>) -> Vec<Alert> {
    let objects = compiled.objects;
    alerts::of_cluster(&objects.cluster, &objects.manifests.documents)
}

/// The texts of the manifests that are secrets in plain text.
fn secrets(compiled: &Compiled<'_>) -> Vec<String> {
    let mut sink = Sink::default();
    checks::plain_secrets(&compiled.objects.cluster, &mut sink);
    let sources = &compiled.objects.repository.texts.sources;
    let found = compiled.place(&mut sink);
    found.iter().filter_map(|secret| secret.span).map(|span| sources.text(span).to_owned()).collect()
}

/// The options without values of Secrets and without lint. Both sides are compiled, some of it twice, and all of that is
/// there at once.
pub(super) fn plain(options: &Options) -> Options {
    Options { lint: false, reveal_secrets: false, limits: options.limits.divided(2), ..options.clone() }
}

fn linted((inputs, options): Asked<'_>) -> Output {
    lint::lint(inputs, &Options { lint: true, ..plain(options) })
}
