//! Maps and sets that iterate in the order of their keys.
//!
//! They do what those of the standard library do, in two levels of vectors. The compiler writes a B-tree out for each
//! pair of types, and they have hundreds: B-trees were a third of what a release build compiled; these are a tenth.

mod map;
mod set;
#[cfg(test)]
mod tests;

pub use map::{IntoIter, Iter, IterMut, Keys, MapSlot, SortedMap};
pub use set::{IntoItems, SortedSet};
