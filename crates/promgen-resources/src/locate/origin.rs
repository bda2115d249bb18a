//! What the origin of an object says of findings about it.

use crate::document::{self, Document};
use crate::locate::secret;
use crate::schema::UNKNOWN_FIELD;
use promgen_text::diag::{Diagnostic, Level, Place};
use promgen_text::origin::{Applier, DocumentOrigin, ReleasedDocument};

/// Gives findings about objects of releases the level that they have there, and the template that they come from. What Secrets
/// among them hold is not repeated, and nothing is fixed: their text is elsewhere.
pub(super) fn apply(diagnostics: &mut [Diagnostic], documents: &[Document]) {
    if documents.iter().all(|document| document.origin.released().is_none()) {
        return;
    }
    for diagnostic in diagnostics {
        let Some(document) = about(diagnostic, documents) else { continue };
        let DocumentOrigin::Release(released) = &document.origin else { continue };
        soften(diagnostic, released);
        trace(diagnostic, released);
    }
}

/// The document that a finding is about.
fn about<'d>(diagnostic: &Diagnostic, documents: &'d [Document]) -> Option<&'d Document> {
    match diagnostic.place.as_ref()? {
        Place::At(at) | Place::Key(at) | Place::Within(at, _) => document::find(documents, at.doc),
        Place::Span(_) => {
            let subject = diagnostic.resource.as_ref()?;
            documents.iter().find(|document| {
                document.kind.as_str() == subject.kind
                    && document.name == subject.name
                    && document.namespace == subject.namespace
            })
        }
    }
}

/// Lowers the level of unknown fields of objects that Helm applies, which are dropped in silence.
fn soften(diagnostic: &mut Diagnostic, released: &ReleasedDocument) {
    let is_dropped = *diagnostic.rule == UNKNOWN_FIELD && diagnostic.level == Level::Error;
    if is_dropped && released.release.applier == Applier::Helm {
        diagnostic.level = Level::Warning;
        diagnostic.help.push("Helm applies it all the same: the API server drops the field".to_owned());
    }
}

/// Names the template that Helm makes the object of.
fn trace(diagnostic: &mut Diagnostic, released: &ReleasedDocument) {
    if released.release.is_rendered {
        diagnostic.fix = None;
    }
    let (Some(template), Some(subject)) = (&released.template, &diagnostic.resource) else { return };
    let help = format!("Helm makes {subject} of `{template}`");
    if subject.kind == "Secret" {
        secret::withhold_all(diagnostic);
    }
    // Findings are placed once more when those are taken away that are allowed.
    if !diagnostic.help.contains(&help) {
        diagnostic.help.push(help);
    }
}
