//! Texts of promgen: YAML with places, texts as Go reads them, sources, and findings about them.

extern crate self as promgen_text;

pub mod confusable;
pub mod describe;
pub mod diag;
pub mod go;
pub mod hashed_map;
pub mod input;
mod ordered;
pub mod origin;
pub mod parallel;
pub mod route;
pub mod shared;
pub mod source;
pub mod suggest;
pub mod time;
pub mod version;
pub mod yaml;

pub use input::limits;
pub use ordered::CollectOrdered;
