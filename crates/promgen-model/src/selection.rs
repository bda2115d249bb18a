//! What the selectors of monitors mean: the objects that almost match, and the namespaces that are not there.
//!
//! In: a monitor, and the model around it. Out: what is likely, and what nothing in the input decides.

pub mod likely;
pub mod named;
pub mod namespaces;
pub mod ports;
pub mod unread;
