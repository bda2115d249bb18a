//! Text as Go's libraries read and write it.
//!
//! Kubernetes, the operator and Prometheus accept a text or refuse it, and word the refusal, with Go's standard library
//! and a few well-known packages. Each module here reproduces one of them: the same verdict, the same value, the same
//! error text. All are pure functions over text that know nothing of resources.

pub mod tls;

pub mod bytesize;
pub mod duration;
pub mod duration_advice;
pub mod host;
pub mod json;
pub mod quantity;
pub mod quote;
pub mod regex;
pub mod template;
pub mod unquote;
pub mod url;
