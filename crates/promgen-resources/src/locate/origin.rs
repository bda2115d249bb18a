//! What the origin of an object says of findings about it.

use std::collections::BTreeMap;

use crate::document::{self, Document};
use crate::locate::secret;
use crate::schema::UNKNOWN_FIELD;
use promgen_text::CollectOrdered;
use promgen_text::diag::{Diagnostic, Level, Place, Subject};
use promgen_text::origin::{Applier, ReleasedDocument};

/// Gives findings about objects of releases the level that they have there, and the template that they come from. What Secrets
/// among them hold is not repeated, and nothing is fixed: their text is elsewhere.
pub(super) fn apply(diagnostics: &mut [Diagnostic], documents: &[Document]) {
    let released = documents
        .iter()
        .filter_map(|document| Some((document.subject(), document.origin.released()?)));
    let released: BTreeMap<Subject, &ReleasedDocument> = released.collect_map();
    if released.is_empty() {
        return;
    }
    for diagnostic in diagnostics {
        let own = match &diagnostic.place {
            Some(Place::At(at) | Place::Key(at) | Place::Within(at, _)) => {
                document::find(documents, at.doc).and_then(|document| document.origin.released())
            }
            Some(Place::Span(_)) => diagnostic
                .resource
                .as_ref()
                .and_then(|subject| released.get(subject).copied()),
            None => None,
        };
        if let Some(own) = own {
            soften(diagnostic, own);
            trace(diagnostic, own);
        }
    }
}

/// Lowers the level of unknown fields of objects that Helm applies, which are dropped in silence.
fn soften(diagnostic: &mut Diagnostic, released: &ReleasedDocument) {
    let is_dropped = *diagnostic.rule == UNKNOWN_FIELD && diagnostic.level == Level::Error;
    if is_dropped && released.release.applier == Applier::Helm {
        diagnostic.level = Level::Warning;
        diagnostic
            .help
            .push("Helm applies it all the same: the API server drops the field".to_owned());
    }
}

/// Names the template that Helm makes the object of.
fn trace(diagnostic: &mut Diagnostic, released: &ReleasedDocument) {
    if released.release.is_rendered {
        diagnostic.fix = None;
    }
    let (Some(template), Some(subject)) = (&released.template, &diagnostic.resource) else {
        return;
    };
    let help = format!("Helm makes {subject} of `{template}`");
    if subject.kind == "Secret" {
        secret::withhold_all(diagnostic);
    }
    // Findings are placed once more when those are taken away that are allowed.
    if !diagnostic.help.contains(&help) {
        diagnostic.help.push(help);
    }
}
