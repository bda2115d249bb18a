//! Maps and sets that iterate in the order of their keys, and sorts of lists.
//!
//! They do what those of the standard library do, in two levels of vectors. The compiler writes a B-tree out for each
//! pair of types, and they have hundreds. With B-trees, a release build takes 38 seconds of the processor more (379 for
//! 341), the program has 1.2 MB more (21.6 for 20.3), and a lint of 37,000 documents takes 9 % more memory and 4 % more
//! instructions.

mod map;
mod order;
mod set;
#[cfg(test)]
mod tests;

pub use map::{IntoIter, Iter, IterMut, Keys, MapSlot, SortedMap};
pub use order::Order;
pub use set::{IntoItems, SortedSet};
