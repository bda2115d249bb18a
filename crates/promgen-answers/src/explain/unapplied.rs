//! Resources that nobody applies: they are in no environment, and the explanation says why.

use crate::explain::{ExplanationStep, ResourceQuery};
use promgen_model::Project;
use promgen_repository::model::UnappliedDocument;
use promgen_resources::document::with_applied;
use promgen_text::yaml::Node;

/// The explanation of a resource that is in a file which nobody applies, if there is one.
#[must_use]
pub fn unapplied(project: &Project, of: &ResourceQuery) -> Option<ExplanationStep> {
    project.repository.unapplied.iter().find_map(|unapplied| {
        let mut objects = with_applied(&unapplied.document.root).into_iter();
        objects
            .find(|object| of.may_mean_object(object))
            .map(|object| step(unapplied, &object))
    })
}

fn step(unapplied: &UnappliedDocument, object: &Node) -> ExplanationStep {
    let text = |keys: &[&str]| {
        object
            .find(keys)
            .and_then(Node::as_str)
            .filter(|text| !text.is_empty())
    };
    let name = [
        text(&["metadata", "namespace"]),
        text(&["metadata", "name"]),
    ]
    .into_iter()
    .flatten();
    let name = name.collect::<Vec<_>>().join("/");
    let place = object.find(&["metadata", "name"]).map(|name| name.span);
    let why = ExplanationStep::breaks(format!("nobody applies it: {}", unapplied.why.what));
    let why = why.help(unapplied.why.help.clone());
    ExplanationStep::all(
        format!("{} {name}", text(&["kind"]).unwrap_or_default()),
        vec![why],
    )
    .at(place)
}
