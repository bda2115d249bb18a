//! Places that all resources have.

use promgen_text::route::{At, DocId, Path};

static ROOT: Path<'static> = Path::root();

/// The field `spec` of a resource.
pub(crate) static SPEC: Path<'static> = ROOT.key("spec");

/// The field `spec` of a document.
pub(crate) fn spec_at(doc: DocId) -> At {
    At::doc(doc).key("spec")
}

/// The name of the resource of a document.
pub(crate) fn name_at(doc: DocId) -> At {
    At::doc(doc).key("metadata").key("name")
}
