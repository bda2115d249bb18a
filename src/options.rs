//! What the user asks for.

use crate::gates::Target;
use crate::output::Layout;
use crate::source::Input;

/// What holds for everything that is not in the input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Assume {
    /// It exists and is healthy: statuses are the steady state, a referenced Secret is there with a placeholder for its value.
    #[default]
    Ready,
    /// The input is all there is.
    Missing,
}

/// What the user asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Versions and feature gates.
    pub target: Target,
    /// The namespace of objects that name none.
    pub namespace: String,
    /// What holds for what is not in the input.
    pub assume: Assume,
    /// How objects are laid out.
    pub layout: Layout,
    /// Whether values of Secrets are printed as they are.
    pub reveal_secrets: bool,
    /// Templates that replace built-in ones, by name relative to the template folder: `relabel/operator-address.yaml.j2`.
    pub templates: Vec<Input>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            target: Target::default(),
            namespace: "default".to_owned(),
            assume: Assume::default(),
            layout: Layout::default(),
            reveal_secrets: false,
            templates: Vec::new(),
        }
    }
}
