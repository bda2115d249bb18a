//! An object on its way through a build.

use promgen_text::yaml::Node;

use super::id::Id;

/// An object, and the identities that it has had.
#[derive(Clone, Debug)]
pub struct Object<'s> {
    /// What the object holds now. Each value knows the file that it comes from.
    pub node: Node<'s>,
    /// The identity as written comes first, the current one last; between them stands what each layer made of it.
    pub ids: Vec<Id>,
}

impl<'s> Object<'s> {
    /// An object as a file has it.
    #[must_use]
    pub fn new(node: Node<'s>) -> Self {
        let id = Id::read(&node);
        Self { node, ids: vec![id] }
    }

    /// The identity that the object has now.
    #[must_use]
    pub fn id(&self) -> Id {
        Id::read(&self.node)
    }

    /// Records the current identity, if it is a new one.
    pub fn remember_id(&mut self) {
        let id = self.id();
        if self.ids.last() != Some(&id) {
            self.ids.push(id);
        }
    }
}
