//! Two models, compared.

pub(crate) mod live;

use crate::checks;
use crate::diff::selection::{self, Selections};
use crate::diff::value::Shades;
use crate::diff::{self, Changes, Side};
use crate::lint;
use crate::model::Model;
use promgen_compile::output::Output;
use promgen_compile::routing::Alert;
use promgen_text::diag::Sink;
use promgen_text::limits::Limits;
use rayon::join;

pub use live::{Drifted, drift};

/// Compares two models: of two inputs, or of one that is compiled for two targets. Both are of [`Project::read_side`], and
/// keep [`Kept::Origins`]. Values of Secrets are compared, and not part of the result.
///
/// [`Project::read_side`]: crate::project::Project::read_side
/// [`Kept::Origins`]: crate::model::Kept::Origins
#[must_use]
pub fn compare(base: &Model, head: &Model) -> Changes {
    let known = Known::new(base, head);
    let (old_lint, new_lint) = join(|| lint::of_side(base), || lint::of_side(head));
    let (old_revealed, new_revealed) = known.revealed.as_ref().map(|(old, new)| (old, new)).unzip();
    let side = |model, alerts, lint, revealed| {
        let (output, discovery) = (Model::output(model), model.discovery());
        Side { output, discovery, alerts, lint, revealed }
    };
    let [base_alerts, head_alerts] = &known.alerts;
    diff::diff(
        side(base, base_alerts, &old_lint, old_revealed),
        side(head, head_alerts, &new_lint, new_revealed),
        (&known.selections, &known.shades),
        limits_of_both(base, head),
    )
}

/// The limits of a comparison.
fn limits_of_both(base: &Model, head: &Model) -> Limits {
    let n_bytes = [base, head].map(|model| model.project().n_bytes).iter().sum();
    base.project().options().limits.divided(1).for_input(n_bytes)
}

/// What is known of two models beside their outputs.
pub(super) struct Known {
    pub(super) selections: Selections,
    pub(super) alerts: [Vec<Alert>; 2],
    pub(super) shades: Shades,
    /// The workloads with the values of Secrets, if there are any.
    pub(super) revealed: Option<(Output, Output)>,
}

impl Known {
    pub(super) fn new(base: &Model, head: &Model) -> Self {
        let selections = base.view(&[], |old| head.view(&[], |new| selection::changes(old, new)));
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
    checks::plain_secrets(model.cluster(), &mut sink);
    let sources = model.project().sources();
    let found = model.place(sink);
    found.iter().filter_map(|secret| secret.span).map(|span| sources.text(span).to_owned()).collect()
}
