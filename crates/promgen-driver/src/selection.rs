//! What the selectors of monitors mean: the objects that almost match, and the namespaces that are not there.
//!
//! In: a monitor, and the model around it. Out: what is likely, and what nothing in the input decides.

pub(crate) mod likely;
pub(crate) mod named;
pub(crate) mod namespaces;
pub(crate) mod unread;
