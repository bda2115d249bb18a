//! What becomes of a release: the objects of its chart, and what is to be said of it.

use std::sync::Arc;

use promgen_text::diag::Diagnostic;
use promgen_text::sorted::SortedSet;
use promgen_text::source::{FileId, Span};
use promgen_text::yaml::Node;
use promgen_text::yaml::read::ParsedDocument;

use super::private;
use super::release::{Release, is_stack};
use super::rules::{CHART_VERSION, MISSING_VALUES, UNSUPPORTED_CHART};
use super::stack::versions::{self, Found, Known};
use super::stack::{self, Asked};
use super::unknown_keys;

/// What a release makes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Made {
    /// The objects of the operator.
    pub(crate) objects: Vec<Node>,
    /// The files that its values come from.
    pub(crate) files: SortedSet<FileId>,
    /// What is found about the release itself.
    pub(crate) found: Vec<Diagnostic>,
    /// Places of values that something unknown may override.
    pub(crate) unknown: Vec<Span>,
    /// Places of texts of Secrets, which may stand in the open now.
    pub(crate) secret: SortedSet<Span>,
    /// Places of values that hold secrets.
    pub(crate) private: Vec<Span>,
}

impl Made {
    /// The objects as documents of the file of the release.
    pub(crate) fn documents(&mut self, span: Span) -> Vec<ParsedDocument> {
        let objects = std::mem::take(&mut self.objects);
        objects.into_iter().map(|root| ParsedDocument { root: Arc::new(root), span }).collect()
    }
}

/// Charts that install a Prometheus or an operator, and are not compiled: the chart, and a part of its repository's name.
const UNSUPPORTED: [(&str, &str); 2] = [("victoria-metrics-k8s-stack", ""), ("kube-prometheus", "")];

/// Makes the objects of a release.
pub(crate) fn make(release: &Release) -> Made {
    let mut made = Made::default();
    if !is_stack(&release.chart) || release.repository.contains("bitnami") {
        let is_it = |(chart, part): &&(&str, &str)| release.chart == *chart && release.repository.contains(part);
        if let Some((chart, _)) = UNSUPPORTED.iter().find(is_it) {
            let message =
                format!("release {}: the chart `{chart}` is not supported, and nothing of it is seen", release.name);
            made.found.push(Diagnostic::new(&UNSUPPORTED_CHART, release.place, message));
        }
        return made;
    }
    made.private = private::places(&release.values.root);
    made.secret.clone_from(&release.values.secret);
    made.files.clone_from(&release.values.files);
    let Some(version) = version(release, &mut made) else { return made };
    for (what, span) in &release.values.missing {
        let message = format!("{what} is not in the input: what it may set of release {} is not judged", release.name);
        made.found.push(Diagnostic::new(&MISSING_VALUES, *span, message));
        made.unknown.push(release.place);
    }
    unknown_keys::report(&release.values.root, version.version, &mut made.found);
    let asked = Asked {
        release: &release.name,
        namespace: release.namespace.as_ref().map(|(name, span)| (name.as_str(), *span)),
        version,
        values: &release.values.root,
        place: release.place,
        span: release.span,
    };
    made.objects = stack::compile(&asked);
    made
}

/// The version of the chart that is compiled, if there is one.
fn version(release: &Release, made: &mut Made) -> Option<Known> {
    let mut say = |message: String| made.found.push(Diagnostic::new(&CHART_VERSION, release.place, message));
    let Some(asked) = &release.version else {
        let known = versions::newest();
        say(format!("the version of the chart is not in the input: compiled as {}", known.version));
        return Some(known);
    };
    match versions::find(asked) {
        Found::Known(known) => Some(known),
        Found::Newer(known) => {
            say(format!(
                "kube-prometheus-stack {asked} is newer than {0}, the newest that promgen knows: compiled as {0}",
                known.version
            ));
            Some(known)
        }
        Found::Older => {
            say(format!("kube-prometheus-stack {asked} is older than 45.0.0: not compiled"));
            None
        }
        Found::None => {
            let known = versions::newest();
            say(format!("the version of the chart is not known: compiled as {}", known.version));
            made.unknown.push(release.place);
            Some(known)
        }
    }
}
