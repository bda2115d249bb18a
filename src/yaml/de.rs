//! Nodes into serde types.

use serde::de::DeserializeOwned;

use crate::route::Route;
use crate::yaml::Node;

/// Why a node did not fit a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The value that did not fit.
    pub route: Route,
    /// What was wrong, lower case, no full stop.
    pub message: String,
}

/// Deserializes a node. A map entry whose value is null counts as absent, as it does for the API server.
///
/// # Errors
/// The first value that does not fit, by its route.
pub fn from_node<T: DeserializeOwned>(node: &Node<'_>) -> Result<T, Mismatch> {
    let _ = node;
    Err(Mismatch { route: Route::root(), message: String::new() })
}
