//! Which lists of the Kubernetes API merge by keys: in `merge_keys.txt`, which explains itself. Lists that are not there are replaced as
//! a whole, and so are all lists of other kinds.

use std::sync::LazyLock;

use crate::kustomize::rows::{self, FieldTable};

static TYPES: LazyLock<FieldTable<MergeField>> =
    LazyLock::new(|| rows::fields(include_str!("merge_keys.txt"), MergeField::read));

/// How a value of a known type merges.
#[derive(Clone, Copy, Debug)]
pub(super) enum MergeField {
    /// A map of that type, whose fields merge by themselves.
    Map(&'static str),
    /// A list of maps that these keys identify, and the type of those.
    List(&'static str, &'static str),
    /// A list of scalars without repetitions.
    Set,
}

impl MergeField {
    fn read(text: &'static str) -> Self {
        match text.split_once(':') {
            None => Self::Map(text),
            Some(("", _)) => Self::Set,
            Some((keys, of)) => Self::List(keys, of),
        }
    }

    /// That of an object, by its apiVersion and kind.
    pub(super) fn of(api_version: &str, kind: &str) -> Option<Self> {
        Self::Map("kinds").field(&format!("{api_version}/{kind}"))
    }

    /// That of a field of a map. `None`: maps by key, lists not at all.
    pub(super) fn field(self, key: &str) -> Option<Self> {
        let Self::Map(of) = self else { return None };
        let mut fields = TYPES.get(of)?.iter();
        fields
            .find(|(name, _)| *name == key)
            .map(|(_, field)| *field)
    }
}
