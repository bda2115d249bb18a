//! The nodes of a document.
//!
//! In: a node. Out: it, and all below it.

use promgen_text::yaml::Node;

/// A node and all below it: what comes last in a collection comes first.
pub fn all<'n>(roots: impl IntoIterator<Item = &'n Node>) -> impl Iterator<Item = &'n Node> {
    let mut todo: Vec<&Node> = roots.into_iter().collect();
    std::iter::from_fn(move || {
        let node = todo.pop()?;
        todo.extend(node.entries().iter().map(|entry| &entry.value));
        todo.extend(node.items());
        Some(node)
    })
}
