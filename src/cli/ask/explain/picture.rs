//! The map around a resource: as a picture of SVG, or as a flowchart of Mermaid.

use crate::cli::Failure;
use crate::cli::map::{mermaid, svg};
use promgen_answers::deliveries::Deliveries;
use promgen_answers::explain::{ExplanationStep, StepState};
use promgen_answers::map::FlowMap;
use promgen_answers::reachable::UnreachableJobs;
use promgen_model::Model;
use promgen_model::resource_name::ResourceName;

/// The most boxes of a flowchart.
const MAX_BOXES: usize = 60;

/// The forms of a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PictureForm {
    /// A file of its own.
    Svg,
    /// Text that other programs draw.
    Mermaid,
}

/// The map around a resource of a model.
pub(super) fn text(
    model: &Model,
    of: &ResourceName,
    step: &ExplanationStep,
    form: PictureForm,
) -> Result<String, Failure> {
    let whole = FlowMap::of(model, &UnreachableJobs::of(model), &Deliveries::of(model));
    let Some(map) = whole.neighbourhood(of) else {
        let why =
            format!("{of} is on no map: nothing is made of it; `promgen explain {of}` says why");
        return Err(Failure::message(why));
    };
    let map = if step.state == StepState::Breaks {
        map.broken()
    } else {
        map
    };
    match form {
        PictureForm::Mermaid => Ok(mermaid::text(&map.within(MAX_BOXES))),
        PictureForm::Svg => {
            let templates = &model.project().options().templates;
            svg::file(&map, &format!("Map of {of}"), templates).map_err(Failure::message)
        }
    }
}
