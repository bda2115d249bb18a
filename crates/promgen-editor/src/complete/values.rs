//! Where the values of kube-prometheus-stack begin in a text: at its top, in a release, or below the name of a dependency.

use crate::outline::Outline;
use promgen_repository::charts::spec_values;
use promgen_text::route::{Segment, ValueRoute};

/// The chart.
const CHART: &str = "kube-prometheus-stack";
/// The fields that hold values of a chart: of Flux, Argo CD and Kustomize.
const HOLDERS: &[&str] = &["values", "valuesInline", "valuesObject"];

/// The path of a map among the values of the chart. `None` if it is none of them. `is_file`: whether the whole text is known
/// to hold them.
pub(super) fn path<'r>(
    outline: &Outline,
    route: &'r ValueRoute,
    is_file: bool,
) -> Option<Vec<&'r str>> {
    let is_object = outline
        .find(&["apiVersion"])
        .or_else(|| outline.find(&["kind"]))
        .is_some();
    let begins = |above: &[Segment]| match above.last().map(Segment::key) {
        None => !is_object && is_file || is_marked(outline, above),
        Some(Some(CHART)) => true,
        Some(Some(key)) if HOLDERS.contains(&key) => {
            names_chart(outline, above) || is_marked(outline, above)
        }
        Some(_) => false,
    };
    let depth = (0..=route.0.len()).find(|depth| begins(&route.0[..*depth]))?;
    route.0[depth..].iter().map(Segment::key).collect()
}

/// Returns whether keys of this chart alone stand below a route.
fn is_marked(outline: &Outline, above: &[Segment]) -> bool {
    spec_values::is_marked(|path| {
        let is_path = |route: &ValueRoute| {
            let below = route
                .0
                .strip_prefix(above)
                .filter(|below| below.len() == path.len());
            below.is_some_and(|below| {
                below
                    .iter()
                    .zip(path)
                    .all(|(step, key)| step.key() == Some(key))
            })
        };
        outline.items.iter().any(|item| is_path(&item.route))
    })
}

/// Returns whether the release around its values is one of the chart.
fn names_chart(outline: &Outline, values: &[Segment]) -> bool {
    let n_shared = values
        .iter()
        .rposition(|step| step.key().is_none())
        .map_or(0, |at| at + 1);
    outline.items.iter().any(|item| {
        let is_name = matches!(
            item.route.0.last().and_then(Segment::key),
            Some("chart" | "name")
        );
        let is_beside =
            item.route.0.starts_with(&values[..n_shared]) && !item.route.0.starts_with(values);
        is_name && is_beside && item.text.rsplit('/').next() == Some(CHART)
    })
}
