//! The fields of a kustomization file, and what each holds: in `schema.txt`, which explains itself.

use std::sync::LazyLock;

use crate::kustomize::rows::{self, FieldTable};

/// The shape of a value.
#[derive(Clone, Debug)]
pub enum ValueShape {
    /// Text.
    Text,
    /// True or false.
    Flag,
    /// A whole number.
    Number,
    /// A map of texts.
    Texts,
    /// A map of flags.
    Flags,
    /// A list.
    List(Box<Self>),
    /// A map of known fields, by the section that has them.
    Fields(&'static str),
    /// Anything.
    Any,
}

impl ValueShape {
    fn read(text: &'static str) -> Self {
        match text {
            "text" => Self::Text,
            "flag" => Self::Flag,
            "number" => Self::Number,
            "texts" => Self::Texts,
            "flags" => Self::Flags,
            "any" => Self::Any,
            _ => match text.strip_suffix("[]") {
                Some(items) => Self::List(Box::new(Self::read(items))),
                None => Self::Fields(text),
            },
        }
    }
}

/// The fields of a section.
pub(super) fn fields(section: &str) -> &'static [(&'static str, ValueShape)] {
    static SECTIONS: LazyLock<FieldTable<ValueShape>> =
        LazyLock::new(|| rows::fields(include_str!("schema.txt"), ValueShape::read));
    SECTIONS.get(section).map_or(&[], Vec::as_slice)
}

/// A kustomization or component.
pub const KUSTOMIZATION: ValueShape = ValueShape::Fields("kustomization");

/// A file of `configurations`.
pub const CONFIGURATION: ValueShape = ValueShape::Fields("configuration");

/// An entry of `images`.
pub const IMAGE: ValueShape = ValueShape::Fields("image");

/// An entry of `replacements`, or an item of the file that one names.
pub const REPLACEMENT: ValueShape = ValueShape::Fields("replacement");

/// An entry of `replicas`.
pub const REPLICA: ValueShape = ValueShape::Fields("replica");

/// A `target`, `select` or `reject`.
pub const SELECTOR: ValueShape = ValueShape::Fields("selector");
