//! The arguments of the operator that the chart installs, with their places.

use promgen_text::source::Span;

use super::forms::FormRun;

/// The form of its Deployment.
pub(super) const FORM: &str = "prometheus-operator/deployment";

/// The arguments of the operator. `None` if the chart installs none.
pub(super) fn arguments(run: &FormRun<'_>) -> Option<Vec<(String, Span)>> {
    let made = run.objects(FORM);
    let containers = made
        .first()?
        .items_at(&["spec", "template", "spec", "containers"]);
    let arguments = containers.first()?.items_of("args").iter();
    let texts = arguments.filter_map(|node| Some((node.as_str()?.to_owned(), node.span)));
    // What an action of a template becomes is not known.
    Some(
        texts
            .filter(|(argument, _)| !argument.contains("{{"))
            .collect(),
    )
}
