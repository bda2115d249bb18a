//! How a value merges: by what Kustomize has built in, or by the OpenAPI schema that a kustomization names.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt;

use promgen_text::yaml::Node;

use super::merge_keys::MergeField;

/// The types whose lists merge: those that Kustomize has built in, or those of an OpenAPI schema.
///
/// A schema comes in place of the types that are built in, unless Kustomize has used them before: then it adds
/// those that are not built in.
#[derive(Debug, Default)]
pub struct MergeTypes<'s> {
    given: Option<GivenTypes<'s>>,
    uses_built_in: Cell<bool>,
}

impl<'s> MergeTypes<'s> {
    /// Notes that the types are asked for.
    pub(crate) fn note_use(&self) {
        if self.given.is_none() {
            self.uses_built_in.set(true);
        }
    }

    /// Returns whether a schema is given.
    pub(crate) const fn is_given(&self) -> bool {
        self.given.is_some()
    }

    /// Takes a schema.
    pub(crate) fn give(&mut self, types: GivenTypes<'s>) {
        self.given = Some(types);
    }

    /// Returns whether Kustomize has the type of an object built in.
    pub(crate) fn is_built_in(api_version: &str, kind: &str) -> bool {
        MergeField::of(api_version, kind).is_some()
    }

    fn schema_of(&self, api_version: &str, kind: &str) -> MergeSchema<'_> {
        let built_in = MergeField::of(api_version, kind).filter(|_| self.uses_built_in.get());
        let given = || {
            self.given
                .as_ref()?
                .by_kind
                .get(&(api_version.to_owned(), kind))
        };
        match built_in {
            Some(own) => MergeSchema::BuiltIn(own),
            None => given().map_or(MergeSchema::None, |given| MergeSchema::Given(given)),
        }
    }
}

/// The types of an OpenAPI schema.
#[derive(Default)]
pub struct GivenTypes<'s> {
    by_name: BTreeMap<&'s str, &'s Node>,
    /// By apiVersion and kind.
    by_kind: BTreeMap<(String, &'s str), &'s Node>,
}

impl fmt::Debug for GivenTypes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GivenTypes")
            .field("kinds", &self.by_kind.len())
            .finish_non_exhaustive()
    }
}

impl<'s> GivenTypes<'s> {
    /// The types of a schema, which has them as `definitions`.
    pub(crate) fn read(schema: &'s Node) -> Self {
        let mut types = Self::default();
        for entry in schema.entries_of("definitions") {
            types.by_name.insert(&entry.key, &entry.value);
            for kind in entry.value.items_of("x-kubernetes-group-version-kind") {
                let text = |key| kind.text_of(key).unwrap_or_default();
                let separator = if text("group").is_empty() { "" } else { "/" };
                let api_version = format!("{}{separator}{}", text("group"), text("version"));
                types
                    .by_kind
                    .insert((api_version, text("kind")), &entry.value);
            }
        }
        types
    }

    /// The schema that another one stands for.
    fn resolved(&self, mut schema: &'s Node) -> Option<&'s Node> {
        // A chain of references that is longer than this is a circle.
        for _ in 0..64 {
            let Some(reference) = schema.text_of("$ref") else {
                return Some(schema);
            };
            schema = self
                .by_name
                .get(reference.strip_prefix("#/definitions/")?)?;
        }
        None
    }
}

/// How a value merges.
#[derive(Clone, Copy, Debug)]
pub(super) struct MergeRule<'m> {
    types: &'m MergeTypes<'m>,
    schema: MergeSchema<'m>,
}

/// The facts of a value.
#[derive(Clone, Copy, Debug)]
enum MergeSchema<'m> {
    /// Nothing.
    None,
    BuiltIn(MergeField),
    Given(&'m Node),
}

/// How a list merges.
pub(super) enum ListMerge<'m> {
    /// The items are maps that these keys identify, and merge by the rule.
    Keyed(Vec<&'m str>, MergeRule<'m>),
    /// The items are scalars without repetitions.
    Set,
}

impl<'m> MergeRule<'m> {
    /// Of a value of which nothing is known but what it says itself.
    pub(super) fn unknown(types: &'m MergeTypes<'m>) -> Self {
        types.note_use();
        Self {
            types,
            schema: MergeSchema::None,
        }
    }

    const fn with(self, schema: MergeSchema<'m>) -> Self {
        Self {
            types: self.types,
            schema,
        }
    }

    /// That of a map: what the type of its parent says, or else its own apiVersion and kind.
    pub(super) fn settled(self, node: &Node) -> Self {
        let MergeSchema::None = self.schema else {
            return self;
        };
        let text = |key| node.text_of(key);
        let (Some(api_version), Some(kind)) = (text("apiVersion"), text("kind")) else {
            return self;
        };
        self.with(self.types.schema_of(api_version, kind))
    }

    /// That of a field of a map.
    pub(super) fn field(self, key: &str) -> Self {
        let schema = match (self.schema, &self.types.given) {
            (MergeSchema::BuiltIn(map), _) => map.field(key).map(MergeSchema::BuiltIn),
            (MergeSchema::Given(schema), Some(types)) => given_field(types, schema, key),
            _ => None,
        };
        self.with(schema.unwrap_or(MergeSchema::None))
    }

    /// Returns whether it is a list that merges.
    pub(super) fn merges(self) -> bool {
        match self.schema {
            MergeSchema::BuiltIn(field) => matches!(field, MergeField::List(..) | MergeField::Set),
            MergeSchema::Given(schema) => {
                let strategy = schema
                    .text_of("x-kubernetes-patch-strategy")
                    .unwrap_or_default();
                strategy.split(',').any(|strategy| strategy == "merge")
            }
            MergeSchema::None => false,
        }
    }

    /// How it merges, if it is a list that does.
    pub(super) fn list(self) -> Option<ListMerge<'m>> {
        if !self.merges() {
            return None;
        }
        match self.schema {
            MergeSchema::BuiltIn(MergeField::List(keys, items)) => Some(ListMerge::Keyed(
                keys.split(',').collect(),
                self.with(MergeSchema::BuiltIn(MergeField::Map(items))),
            )),
            MergeSchema::BuiltIn(MergeField::Set) => Some(ListMerge::Set),
            MergeSchema::BuiltIn(MergeField::Map(_)) | MergeSchema::None => None,
            MergeSchema::Given(schema) => Some(self.given_list(schema)),
        }
    }

    fn given_list(self, schema: &'m Node) -> ListMerge<'m> {
        let several = schema.get("x-kubernetes-list-map-keys").map(Node::items);
        let one = schema
            .get("x-kubernetes-patch-merge-key")
            .map(std::slice::from_ref);
        let keys: Vec<&str> = several
            .or(one)
            .unwrap_or_default()
            .iter()
            .filter_map(Node::as_str)
            .collect();
        if keys.is_empty() {
            return ListMerge::Set;
        }
        let items = schema
            .get("items")
            .zip(self.types.given.as_ref())
            .and_then(|(items, types)| types.resolved(items));
        ListMerge::Keyed(
            keys,
            self.with(items.map_or(MergeSchema::None, MergeSchema::Given)),
        )
    }
}

/// The schema of a field of a map.
fn given_field<'m>(
    types: &'m GivenTypes<'m>,
    schema: &'m Node,
    key: &str,
) -> Option<MergeSchema<'m>> {
    let named = schema.get("properties").and_then(|fields| fields.get(key));
    let field = named.or_else(|| schema.get("additionalProperties"))?;
    types.resolved(field).map(MergeSchema::Given)
}
