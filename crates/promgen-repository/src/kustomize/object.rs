//! An object on its way through a build.

mod shared;

use promgen_text::source::Span;
use promgen_text::yaml::Node;

use crate::id::Id;
use shared::SharedValues;

/// An object, and the identities that it has had.
#[derive(Clone, Debug, Default)]
pub struct BuiltObject {
    /// The current content of the object. Each value knows the file that it comes from.
    pub node: Node,
    /// The identity as written comes first, the current one last; between them stands what each layer made of it. The same
    /// one may stand there more than once.
    pub ids: Vec<Id>,
    /// Prefixes that the name got, the innermost first.
    pub prefixes: Vec<String>,
    /// Suffixes that the name got, the innermost first.
    pub suffixes: Vec<String>,
    /// The name is to end in a hash of the content.
    pub needs_hash: bool,
    /// The variables of `vars` that take their values from the object.
    pub(crate) vars: Vec<String>,
    /// The places of the secret texts that were copied into it, and stand in the open.
    pub copies: Vec<Span>,
    /// Something that is not built may change any of it.
    pub is_open: bool,
    /// Where it comes from, if the build is to say so.
    pub(crate) origin: Option<String>,
    /// What has changed it, if the build is to say so.
    pub(crate) transformations: String,
    /// The bytes that the build has spent on what is its own of the content.
    pub(crate) n_bytes: usize,
    /// Labels and annotations that stand in several places at once.
    pub(crate) shared: SharedValues,
}

impl BuiltObject {
    /// An object as a file has it.
    #[must_use]
    pub fn new(node: Node) -> Self {
        let id = Id::read(&node);
        Self {
            node,
            ids: vec![id],
            ..Self::default()
        }
    }

    /// The identity that the object has now.
    #[must_use]
    pub fn id(&self) -> Id {
        Id::read(&self.node)
    }

    /// Makes the current identity an earlier one, whether or not it changes now.
    pub(crate) fn store_id(&mut self) {
        self.refresh_id();
        self.ids.push(self.id());
    }

    /// Brings the last identity up to date.
    pub(crate) fn refresh_id(&mut self) {
        let id = self.id();
        match self.ids.last_mut() {
            Some(last) => *last = id,
            None => self.ids.push(id),
        }
    }

    /// The number of values that [`BuiltObject::settle_shared`] looks at, at most.
    pub(crate) fn shared_steps(&self) -> usize {
        self.shared.n_steps(&self.node)
    }

    /// Brings all places of a shared value up to date after one of them may have changed.
    pub(crate) fn settle_shared(&mut self) {
        self.shared.update(&mut self.node);
    }

    /// The identities before the current one.
    pub(crate) fn earlier_ids(&self) -> &[Id] {
        self.ids.split_last().map_or(&[], |(_, earlier)| earlier)
    }

    /// The identity as written.
    pub(crate) fn original_id(&self) -> Id {
        self.ids.first().cloned().unwrap_or_default()
    }
}
