//! The `target` of a patch: which objects it selects.

mod labels;

use promgen_text::go::regex::GoRegex;
use promgen_text::yaml::Node;

use crate::kustomize::fault::{BuildFault, BuildResult};

use crate::kustomize::object::BuiltObject;
use crate::kustomize::read::fields;
use crate::kustomize::read::schema::SELECTOR;
use crate::kustomize::value::text_as;
pub(in crate::kustomize) use labels::TargetLabelSelector;

/// Which objects a patch applies to: those that all its conditions hold for.
#[derive(Clone, Debug, Default)]
pub struct PatchSelector {
    group: Option<GoRegex>,
    version: Option<GoRegex>,
    kind: Option<GoRegex>,
    name: Option<GoRegex>,
    namespace: Option<GoRegex>,
    labels: TargetLabelSelector,
    annotations: TargetLabelSelector,
}

impl PatchSelector {
    /// Reads a `target`.
    ///
    /// # Errors
    /// A field is unknown or no text, or an expression does not compile.
    pub fn read(node: &Node) -> BuildResult<Self> {
        let fields = fields::checked(node, &SELECTOR)?;
        let expression = |key| fields.get(key).map_or(Ok(None), expression);
        let labels = |key| {
            let selector = fields.get(key).map(label_selector);
            selector.unwrap_or_else(|| Ok(TargetLabelSelector::default()))
        };
        Ok(Self {
            group: expression("group")?,
            version: expression("version")?,
            kind: expression("kind")?,
            name: expression("name")?,
            namespace: expression("namespace")?,
            labels: labels("labelSelector")?,
            annotations: labels("annotationSelector")?,
        })
    }

    /// The number of its expressions that are big.
    pub(in crate::kustomize) fn n_big(&self) -> usize {
        let all = [
            &self.group,
            &self.version,
            &self.kind,
            &self.name,
            &self.namespace,
        ];
        all.into_iter()
            .flatten()
            .filter(|expression| expression.is_big())
            .count()
    }

    /// Returns whether the object is selected. The name and the namespace are the first ones or the current ones.
    #[must_use]
    pub fn matches(&self, object: &BuiltObject) -> bool {
        let current = object.id();
        let first = object.ids.first().unwrap_or(&current);
        let has = |expression: &Option<GoRegex>, text: &str| {
            expression.as_ref().is_none_or(|e| e.is_match(text))
        };
        // Labels and kind are the current ones; only a name and a namespace may be those from before.
        let either = |expression, first: &str, current: &str| {
            has(expression, first) || has(expression, current)
        };
        let of_metadata = |key| object.node.find(&["metadata", key]);
        has(&self.group, &current.group)
            && has(&self.version, &current.version)
            && has(&self.kind, &current.kind)
            && either(&self.name, &first.name, &current.name)
            && either(
                &self.namespace,
                first.effective_namespace(),
                current.effective_namespace(),
            )
            && self.labels.matches(of_metadata("labels"))
            && self.annotations.matches(of_metadata("annotations"))
    }
}

/// An expression for the whole text. The empty one matches everything.
fn expression(value: &Node) -> BuildResult<Option<GoRegex>> {
    let pattern = text_as("a text", value)?;
    if pattern.is_empty() {
        return Ok(None);
    }
    // Kustomize anchors the expression: without it, `web` would select `web-2`.
    let compiled = GoRegex::new(&format!("^(?:{pattern})$"));
    compiled
        .map(Some)
        .map_err(|error| BuildFault::new(value.span, error.to_string()))
}

/// A label selector.
pub(in crate::kustomize) fn label_selector(value: &Node) -> BuildResult<TargetLabelSelector> {
    TargetLabelSelector::parse(text_as("a text", value)?)
        .map_err(|error| BuildFault::new(value.span, format!("invalid selector: {error}")))
}

#[cfg(test)]
mod tests;
