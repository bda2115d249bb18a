//! Unit tests of rules, in promtool's format: what a file asks for, and what promtool says of it.
//!
//! In: the text of a file ([`read::read`]), and the output of `promtool test rules` ([`transcript`]). Out: the tests with their
//! places, a file of promtool for each of them, and each failure with what was expected and what is. The engine is promtool;
//! nothing is evaluated here.

pub mod read;
pub mod transcript;
