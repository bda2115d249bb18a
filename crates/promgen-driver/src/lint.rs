//! The lint of a project: every environment on its own, then all findings together.

mod seen;

use std::sync::Arc;

use crate::alternatives;
use crate::checks;
use crate::model::{Kept, Model};
use crate::operator;
use crate::project::Project;
use crate::rules;
use crate::suppress::{self, Filtered};
use promgen_compile::options::Assume;
use promgen_compile::output::Output;
use promgen_repository::model::Environment;
use promgen_repository::unknown::Unknown;
use promgen_resources::document::Manifests;
use promgen_resources::locate;
use promgen_text::diag::count::counted;
use promgen_text::diag::{Diagnostic, Level, Place, Sink};
use promgen_text::limits::{LIMIT_EXCEEDED, Limit};
use promgen_text::parallel;
use promgen_text::sorted::Order as _;
use promgen_text::source::Span;
use seen::SeenResources;

impl Project {
    /// Compiles and checks everything. Of a project with one environment, the workloads are in the output as well.
    #[must_use]
    pub fn lint(self: &Arc<Self>) -> Output {
        match self.environments() {
            [] | [_] => {
                let environment = self.environments().first().cloned().unwrap_or_default();
                let model = self.compile(&environment, Kept::Asked);
                let seen = || {
                    let mut seen = SeenResources::default();
                    seen.add(&model, |_| true);
                    seen.checked()
                };
                let (found, checked) = parallel::join(|| of_model(&model, &environment), seen);
                Output { checked, ..found.into_output(model.into_output()) }
            }
            environments => several(self, environments),
        }
    }
}

/// The findings that are left when those are taken away that are allowed, or do not concern the operator.
pub(crate) struct Concluded {
    pub(crate) findings: Filtered,
    /// The number of findings left out because they do not concern the operator.
    n_out_of_scope: usize,
}

impl Concluded {
    fn into_output(self, compiled: Output) -> Output {
        let Filtered { kept: diagnostics, allowed: suppressed } = self.findings;
        Output { diagnostics, suppressed, n_out_of_scope: self.n_out_of_scope, ..compiled }
    }
}

/// The findings about a side of a comparison: about all environments of its project, though only the first is compared.
pub(crate) fn of_side(model: &Model) -> Vec<Diagnostic> {
    let project = model.project();
    match project.environments() {
        [] | [_] => {
            let environment = project.environments().first().cloned().unwrap_or_default();
            of_model(model, &environment).findings.kept
        }
        environments => several(project, environments).diagnostics,
    }
}

/// The findings about some environments of a project.
pub(crate) fn of_chosen(project: &Arc<Project>, environments: &[Environment]) -> Vec<Diagnostic> {
    several(project, environments).diagnostics
}

/// The findings about the only environment, beside those of its reading and compilation.
fn of_model(model: &Model, environment: &Environment) -> Concluded {
    let mut sink = model.all_found();
    check(model, &mut sink);
    let mut found = model.place(sink);
    found.retain(|diagnostic| !is_about_lack(diagnostic, environment));
    conclude(model.project(), found, model.manifests())
}

/// All checks of a model, with workloads that stand in for those that are elsewhere. Returns the memory that all workloads
/// take.
fn check(model: &Model, sink: &mut Sink) -> u64 {
    let (stand_ins, spent) = model.stand_ins_with_cost(sink);
    model.view(&stand_ins, |view| checks::check(view, sink));
    spent
}

/// The lint of environments: an object is judged with those beside it. A finding is that of the environment whose builds
/// hold the file.
fn several(project: &Arc<Project>, environments: &[Environment]) -> Output {
    let mut sink = project.found.clone();
    let (mut found, seen) = of_environments(project, environments, &mut sink);
    // Comments and annotations that allow a finding stand in the files as they are written.
    let written = project.as_written();
    found.extend(locate::place(sink.into_diagnostics(), &written.documents, project.places()));
    found.order_by(|a, b| (a.span, a.rule.code, &a.message).cmp(&(b.span, b.rule.code, &b.message)));
    found.dedup_by(|a, b| {
        let is_same = (a.span, a.rule.code, &a.message) == (b.span, b.rule.code, &b.message);
        if is_same {
            merge_environments(b, a);
        }
        is_same
    });
    let concluded = conclude(project, found, &written);
    concluded.into_output(Output {
        sources: project.sources.clone(),
        generated: project.generated.clone(),
        copies: project.copies.len(),
        checked: SeenResources::all(seen).checked(),
        ..Output::default()
    })
}

/// Adds the environments of the same finding elsewhere. One of the whole repository is of no environment.
fn merge_environments(kept: &mut Diagnostic, other: &mut Diagnostic) {
    if other.environments.is_empty() {
        kept.environments.clear();
    }
    kept.environments.append(&mut other.environments);
    kept.environments.dedup();
}

/// The cost of an environment, in objects.
const ENVIRONMENT: u64 = 32;

/// The number of environments that are checked at the same time.
const AT_ONCE: usize = 4;

/// Checks environments in their order, as long as there is memory for what they compile to. Those at the same time know
/// nothing of each other, so that the result depends on their order alone.
fn of_environments(
    project: &Arc<Project>,
    environments: &[Environment],
    sink: &mut Sink,
) -> (Vec<Diagnostic>, Vec<SeenResources>) {
    let limits = &project.limits;
    let (mut found, mut seen, mut spent) = (Vec::new(), Vec::new(), 0);
    let (mut n_objects, mut exceeded) = (0, None);
    for some in environments.chunks(AT_ONCE) {
        n_objects += some.iter().map(|environment| ENVIRONMENT + environment.documents.len() as u64).sum::<u64>();
        exceeded = [(Limit::CompiledBytes, spent), (Limit::EnvironmentObjects, n_objects)]
            .into_iter()
            .find(|(limit, spent)| *spent > limits.get(*limit));
        if exceeded.is_some() {
            break;
        }
        let checked = parallel::map(some, 1, |environment| of_environment(project, environment, spent));
        let before = spent;
        for (mut of_one, seen_one, spent_by_one) in checked {
            of_one.iter_mut().for_each(|diagnostic| diagnostic.environments = vec![seen.len()]);
            found.extend(of_one);
            seen.push(seen_one);
            spent += spent_by_one - before;
        }
    }
    if let Some((limit, _)) = exceeded {
        let excess = limits.excess(limit);
        let n_omitted = counted(environments.len() - seen.len(), "environment");
        let message = excess.message("what the environments hold");
        let diagnostic = Diagnostic::placeless(&LIMIT_EXCEEDED, message).help(excess.help());
        sink.report(diagnostic.help(format!("{n_omitted} of {} not checked", environments.len())));
    }
    (found, seen)
}

fn of_environment(
    project: &Arc<Project>,
    environment: &Environment,
    before: u64,
) -> (Vec<Diagnostic>, SeenResources, u64) {
    let model = project.compile_after(environment, Kept::Asked, before);
    let mut sink = model.own_found().clone();
    let spent = check(&model, &mut sink);
    let mut found = model.place(sink);
    found.retain(|diagnostic| diagnostic.span.is_none_or(|span| environment.files.contains(&span.file)));
    found.retain(|diagnostic| !is_about_lack(diagnostic, environment));
    // The numbers of documents mean something in this environment only.
    for diagnostic in &mut found {
        diagnostic.place = diagnostic.span.map(Place::Span);
        let related = diagnostic.related.iter_mut().zip(&diagnostic.related_spans);
        related.for_each(|((place, _), span)| *place = Place::Span(*span));
    }
    let mut seen = SeenResources::default();
    seen.add(&model, |file| environment.files.contains(&file));
    (found, seen, spent)
}

/// Whether a finding misses something that may be in the part of a build that is lacking.
fn is_about_lack(diagnostic: &Diagnostic, environment: &Environment) -> bool {
    let is_partial = diagnostic.span.is_some_and(|span| environment.partial.contains(&span.file));
    is_partial && checks::misses_pods(diagnostic.rule)
}

/// Leaves out what is not known yet, what the manifests allow, and what does not concern the operator.
fn conclude(project: &Project, mut found: Vec<Diagnostic>, manifests: &Manifests) -> Concluded {
    let options = project.options();
    if options.assume == Assume::Ready {
        let mut unknown = Unknown::of(project.environments().iter().flat_map(|environment| &environment.documents));
        unknown.extend(project.copies.iter().copied());
        unknown.extend(project.unknown.iter().copied());
        found.retain(|diagnostic| diagnostic.span.is_none_or(|span| !unknown.touches(span)));
        // What something unknown may override is no reason for a finding elsewhere.
        let is_open = |span: &Span| project.unknown.contains(span);
        found.retain(|diagnostic| !diagnostic.related_spans.iter().any(is_open));
    }
    let found = alternatives::merge(operator::count_unchecked(found), &project.sources);
    let mut findings = match options.heeds_marks {
        true => suppress::apply(found, &manifests.documents, project.places(), &rules::all()),
        false => Filtered { kept: found, allowed: Vec::new() },
    };
    let (kept, n_out_of_scope) = project.scoped(std::mem::take(&mut findings.kept), manifests, Level::Info);
    findings.kept = kept;
    Concluded { findings, n_out_of_scope }
}
