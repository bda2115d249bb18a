//! YAML as Go reads and writes it.
//!
//! In: text, as [`Node`] trees that know their places ([`read::read`]), from there into API types ([`decode()`]); files of
//! promgen's own, as serde types ([`typed`]).
//! Out: [`Value`] trees, from API types ([`to_value`]) or built by hand, as the bytes that Go's libraries write
//! ([`emit`]). The only part of the crate that knows the YAML parser; the emitter is our own, because no library
//! writes Go's bytes.

pub mod de;
pub mod decode;
pub mod edit;
pub mod embedded;
pub mod emit;
pub mod encode;
pub mod node;
pub mod own;
pub mod read;
mod ser;
mod texts;
pub mod value;

pub use decode::decode;
pub use encode::to_value;
pub use node::{Data, Entry, LocatedNode, Node, NodeText};
pub use own::{typed, typed_node};
pub use value::{Map, MapEntry, Value, ValueText};

/// A map of texts, such as labels: most have few entries, for which a tree takes five times the memory.
pub type StringMap = litemap::LiteMap<NodeText, NodeText>;
