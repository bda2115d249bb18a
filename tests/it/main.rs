//! Integration tests, in one binary so that it links once.

mod cli;
mod docs;
mod hostile;
mod support;
mod tidy;
