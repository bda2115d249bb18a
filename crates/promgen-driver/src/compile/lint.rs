//! The lint of a run: every environment on its own, then all findings together.

use rayon::prelude::*;

use super::phases::{Compiled, Finished, Repository, Targets, Texts, read};
use crate::rules;
use crate::scope;
use crate::suppress::{self, Filtered};
use promgen_compile::context::Kept;
use promgen_compile::options::{Assume, Options};
use promgen_compile::output::Output;
use promgen_repository::model::Environment;
use promgen_resources::document::Manifests;
use promgen_text::diag::{Diagnostic, Place, Sink};
use promgen_text::source::Input;

/// Compiles and checks everything.
pub(super) fn lint(inputs: &[Input], options: &Options) -> Output {
    let sink = &mut Sink::default();
    let texts = Texts::load(inputs, options, sink);
    let repository = Repository::read(&texts, sink);
    let shared = std::mem::take(sink);
    let finished = match repository.environments.as_slice() {
        [] | [_] => one(&repository, shared),
        _ => several(&repository, shared),
    };
    texts.output(finished)
}

/// The lint of an input that is one environment.
fn one<'a>(repository: &'a Repository<'a>, mut sink: Sink) -> Finished {
    let documents = repository.environments.first().map(|first| first.documents.clone()).unwrap_or_default();
    let objects = repository.objects(documents, &mut sink);
    let mut compiled = Compiled::new(&objects, Kept::Jobs, &mut sink);
    compiled.lint(&Targets::read(&objects), &mut sink);
    let found = compiled.place(&mut sink);
    let (findings, n_out_of_scope) = conclude(repository, found, &objects.manifests);
    compiled.workloads.truncate(compiled.n_given);
    let generated = repository.generated.clone();
    let Compiled { workloads, resources, redacted, .. } = compiled;
    Finished { workloads, resources, findings, n_out_of_scope, redacted, generated }
}

/// The lint of environments: an object is judged with those beside it. A finding is that of the environment whose builds
/// hold the file.
fn several<'a>(repository: &'a Repository<'a>, mut sink: Sink) -> Finished {
    let found: Vec<Vec<Diagnostic>> =
        repository.environments.par_iter().map(|e| of_environment(repository, e)).collect();
    let texts = repository.texts;
    // Comments and annotations that allow a finding stand in the files as they are written.
    let written = Manifests::read(read(texts, &mut Sink::default()), &texts.options.namespace, &mut Sink::default());
    let mut found: Vec<Diagnostic> = found.into_iter().flatten().collect();
    let documents = &written.documents;
    found.extend(promgen_resources::locate::place(
        std::mem::take(&mut sink).into_diagnostics(),
        documents,
        &texts.sources,
        texts.n_inputs,
    ));
    found.sort_by(|a, b| (a.span, a.rule.code, &a.message).cmp(&(b.span, b.rule.code, &b.message)));
    found.dedup_by(|a, b| (a.span, a.rule.code, &a.message) == (b.span, b.rule.code, &b.message));
    let (findings, n_out_of_scope) = conclude(repository, found, &written);
    let generated = repository.generated.clone();
    Finished { workloads: Vec::new(), resources: Vec::new(), findings, n_out_of_scope, redacted: 0, generated }
}

fn of_environment<'a>(repository: &'a Repository<'a>, environment: &Environment<'a>) -> Vec<Diagnostic> {
    let sink = &mut Sink::default();
    let objects = repository.objects(environment.documents.clone(), sink);
    let compiled = Compiled::new(&objects, Kept::Jobs, sink);
    compiled.lint(&Targets::read(&objects), sink);
    let mut found = compiled.place(sink);
    found.retain(|diagnostic| diagnostic.span.is_none_or(|span| environment.files.contains(&span.file)));
    // The numbers of documents mean something in this environment only.
    for diagnostic in &mut found {
        diagnostic.place = diagnostic.span.map(Place::Span);
        let related = diagnostic.related.iter_mut().zip(&diagnostic.related_spans);
        related.for_each(|((place, _), span)| *place = Place::Span(*span));
    }
    found
}

/// Leaves out what is not known yet, what the manifests allow, and what does not concern the operator.
fn conclude(repository: &Repository<'_>, mut found: Vec<Diagnostic>, manifests: &Manifests<'_>) -> (Filtered, usize) {
    let Repository { texts, unknown, .. } = repository;
    if texts.options.assume == Assume::Ready {
        found.retain(|diagnostic| diagnostic.span.is_none_or(|span| !unknown.touches(span)));
    }
    let sources = (&texts.sources, texts.n_inputs);
    let mut findings = suppress::apply(found, &manifests.documents, sources, &rules::all());
    let mut n_out_of_scope = 0;
    if texts.options.operator_only {
        let scoped = scope::apply(std::mem::take(&mut findings.kept), &manifests.documents, &texts.sources);
        (findings.kept, n_out_of_scope) = (scoped.kept, scoped.n_others);
    }
    (findings, n_out_of_scope)
}
