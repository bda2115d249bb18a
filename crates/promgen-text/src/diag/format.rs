//! Diagnostics in the formats of terminals, pipelines and people.

pub mod github;
pub mod gitlab;
pub mod json;
pub mod junit;
pub mod markdown;
pub mod sarif;
pub mod text;
pub mod xml;
