//! The lint of a project: every environment on its own, then all findings together.

mod causes;
mod part;
mod seen;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::alternatives;
use crate::checks;
use crate::rules;
use crate::suppress::{self, FilteredFindings};
pub use part::LintPart;
use promgen_compile::options::Assume;
use promgen_compile::output::Output;
use promgen_model::Model;
use promgen_model::Project;
use promgen_model::environments::{self, EnvironmentAccount};
use promgen_model::operator;
use promgen_policy::{JudgedCounts, PolicyScope, UserPolicies};
use promgen_repository::model::Environment;
use promgen_resources::document::Manifests;
use promgen_resources::locate;
use promgen_resources::unknown::Unknown;
use promgen_text::diag::count::counted;
use promgen_text::diag::{Diagnostic, Level, Place, RuleRef, Sink};
use promgen_text::origin::ReleaseOrigin;
use promgen_text::parallel;
use promgen_text::shared::Shared;
use promgen_text::source::Span;
use promgen_text::yaml::Node;
use promgen_text::yaml::read::ParsedDocument;
use seen::SeenResources;

/// Compiles and checks everything. Of a project with one environment, the workloads are in the output as well.
#[must_use]
pub fn lint(project: &Arc<Project>) -> Output {
    lint_where(project, &|_| true)
}

/// Compiles and checks the environments of some numbers; what is in none is reported all the same.
#[must_use]
pub fn lint_where(project: &Arc<Project>, is_chosen: &dyn Fn(usize) -> bool) -> Output {
    let policies = UserPolicies::of(project);
    match project.environments() {
        [] | [_] => {
            let environment = project.environments().first().cloned().unwrap_or_default();
            let model = project.compile(&environment);
            let seen = || {
                let mut seen = SeenResources::default();
                seen.add(&model, |_| true);
                seen
            };
            let of_model = || of_model(&model, &environment, &policies);
            let ((found, judged), mut seen) = parallel::join(of_model, seen);
            seen.judged = judged;
            Output {
                checked: seen.checked(),
                ..found.into_output(model.into_output())
            }
        }
        environments => {
            let chosen = numbers(environments, is_chosen);
            let checked = of_environments(project, environments, &chosen, &policies);
            joined(project, environments, &chosen, checked, &policies)
        }
    }
}

/// The findings of the environments of some numbers, to be joined with those of others. Of a project with one environment,
/// none: whoever joins the parts checks it.
#[must_use]
pub fn lint_part(project: &Arc<Project>, is_chosen: &dyn Fn(usize) -> bool) -> LintPart {
    match project.environments() {
        [] | [_] => LintPart::default(),
        environments => {
            let asked = numbers(environments, is_chosen);
            LintPart {
                checked: of_environments(project, environments, &asked, &UserPolicies::of(project)),
                asked,
            }
        }
    }
}

/// What [`lint_where`] finds, from parts that have the findings of its environments.
#[must_use]
pub fn lint_joined(
    project: &Arc<Project>,
    is_chosen: &dyn Fn(usize) -> bool,
    part: LintPart,
) -> Output {
    match project.environments() {
        [] | [_] => lint_where(project, is_chosen),
        environments => joined(
            project,
            environments,
            &numbers(environments, is_chosen),
            part.checked,
            &UserPolicies::of(project),
        ),
    }
}

/// The rules of promgen, and those of the user.
fn all_rules(policies: &UserPolicies) -> Vec<RuleRef> {
    rules::all().into_iter().chain(policies.rules()).collect()
}

/// The numbers of environments.
fn numbers(environments: &[Environment], is_chosen: &dyn Fn(usize) -> bool) -> Vec<usize> {
    (0..environments.len())
        .filter(|number| is_chosen(*number))
        .collect()
}

/// The findings of an environment, with what was looked at, and the memory that its workloads take.
struct EnvironmentFindings {
    number: usize,
    found: Vec<Diagnostic>,
    seen: SeenResources,
    spent: u64,
}

/// The findings that are left when those are taken away that are allowed, or do not concern the operator.
pub(crate) struct LintConclusion {
    pub(crate) findings: FilteredFindings,
    /// The number of findings left out because they do not concern the operator.
    n_out_of_scope: usize,
}

impl LintConclusion {
    fn into_output(self, compiled: Output) -> Output {
        let FilteredFindings {
            kept: diagnostics,
            allowed: suppressed,
        } = self.findings;
        Output {
            diagnostics,
            suppressed,
            n_out_of_scope: self.n_out_of_scope,
            ..compiled
        }
    }
}

/// The findings about a side of a comparison: about all environments of its project, though only the first is compared.
#[must_use]
pub fn of_side(model: &Model) -> Vec<Diagnostic> {
    let project = model.project();
    match project.environments() {
        [] | [_] => {
            let environment = project.environments().first().cloned().unwrap_or_default();
            let (found, _) = of_model(model, &environment, &UserPolicies::of(project));
            found.findings.kept
        }
        environments => of_chosen(project, environments),
    }
}

/// The findings about some environments of a project.
#[must_use]
pub fn of_chosen(project: &Arc<Project>, environments: &[Environment]) -> Vec<Diagnostic> {
    let (all, policies) = (numbers(environments, &|_| true), UserPolicies::of(project));
    let checked = of_environments(project, environments, &all, &policies);
    joined(project, environments, &all, checked, &policies).diagnostics
}

/// The findings about the only environment, beside those of its reading and compilation.
fn of_model(
    model: &Model,
    environment: &Environment,
    policies: &UserPolicies,
) -> (LintConclusion, JudgedCounts) {
    let mut sink = model.all_found();
    let names = environments::names(model.project().environments());
    let scope = PolicyScope {
        environment: names.first().map(String::as_str),
        is_own: &|_| true,
        is_partial: &|file| environment.partial.contains(&file),
        lists_all: false,
    };
    let (_, judged) = check(model, policies, scope, &mut sink);
    sink.append(policies.faults.clone());
    let mut found = model.place(sink);
    found.retain(|diagnostic| !is_about_lack(diagnostic, environment));
    let concluded = conclude(model.project(), found, model.manifests(), policies);
    (concluded, judged)
}

/// All checks of a model, with workloads that stand in for those that are elsewhere. Returns the memory that all workloads
/// take, and what the policies say.
fn check(
    model: &Model,
    policies: &UserPolicies,
    scope: PolicyScope<'_>,
    sink: &mut Sink,
) -> (u64, JudgedCounts) {
    let (stand_ins, spent) = model.stand_ins_with_cost(sink);
    let judged = model.view(&stand_ins, |view| {
        checks::check(view, sink);
        policies.judge(model, view, scope, sink)
    });
    (spent, judged.counts)
}

/// The lint of environments, from the findings of each: an object is judged with those beside it. A finding is that of the
/// environment whose builds hold the file.
fn joined(
    project: &Arc<Project>,
    environments: &[Environment],
    chosen: &[usize],
    mut checked: Vec<EnvironmentFindings>,
    policies: &UserPolicies,
) -> Output {
    let mut sink = project.found.clone();
    sink.append(policies.faults.clone());
    let (n_within, excess) = within_limits(project, environments, chosen, &checked);
    checked.truncate(n_within);
    sink.extend(excess);
    let (found, seen): (Vec<_>, Vec<_>) =
        checked.into_iter().map(|one| (one.found, one.seen)).unzip();
    let mut found: Vec<Diagnostic> = found.into_iter().flatten().collect();
    // Comments and annotations that allow a finding stand in the files as they are written.
    let written = project.as_written();
    found.extend(locate::place(
        sink.into_diagnostics(),
        &written.documents,
        project.places(),
    ));
    found.sort_by(|a, b| (a.span, &a.rule, &a.message).cmp(&(b.span, &b.rule, &b.message)));
    found.dedup_by(|a, b| {
        let is_same = (a.span, &a.rule, &a.message) == (b.span, &b.rule, &b.message);
        if is_same {
            merge_environments(b, a);
        }
        is_same
    });
    let mut concluded = conclude(project, found, &written, policies);
    causes::name_environments(&mut concluded.findings.kept, environments);
    concluded.into_output(Output {
        sources: project.sources().clone(),
        generated: project.texts.generated.clone(),
        copies: project.repository.copies.len(),
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

/// The number of environments that are checked at the same time.
const AT_ONCE: usize = 4;

/// Checks environments in their order, as long as there is memory for what they compile to. Those at the same time know
/// nothing of each other, so that the result depends on their order alone.
fn of_environments(
    project: &Arc<Project>,
    environments: &[Environment],
    chosen: &[usize],
    policies: &UserPolicies,
) -> Vec<EnvironmentFindings> {
    let (shared, names) = (in_several(environments), environments::names(environments));
    let mut all: Vec<EnvironmentFindings> = Vec::with_capacity(chosen.len());
    let mut used = EnvironmentAccount::new(project.limits);
    for some in chosen.chunks(AT_ONCE) {
        used.add(some.iter().map(|at| &environments[*at]));
        if used.excess().is_some() {
            break;
        }
        let checked = parallel::map(some, 1, |at| {
            let environment = alone(&environments[*at], &shared);
            of_environment(project, &environment, &names[*at], policies)
        });
        for (at, (mut found, seen, spent)) in some.iter().zip(checked) {
            used.add_answer(found.len(), spent);
            found
                .iter_mut()
                .for_each(|diagnostic| diagnostic.environments = vec![*at]);
            all.push(EnvironmentFindings {
                number: *at,
                found,
                seen,
                spent,
            });
        }
    }
    all
}

/// How many of the environments that were checked are within the limits, and what is to be said of the others. Whether one
/// process checked them or several is no matter.
fn within_limits(
    project: &Project,
    environments: &[Environment],
    chosen: &[usize],
    checked: &[EnvironmentFindings],
) -> (usize, Option<Diagnostic>) {
    let (mut used, mut n_within) = (EnvironmentAccount::new(project.limits), 0);
    for some in chosen.chunks(AT_ONCE) {
        used.add(some.iter().map(|at| &environments[*at]));
        let Some(excess) = used.excess() else {
            for one in checked[n_within..]
                .iter()
                .take_while(|one| some.contains(&one.number))
            {
                used.add_answer(one.found.len(), one.spent);
                n_within += 1;
            }
            continue;
        };
        let cost = |of: &[usize]| of.iter().map(|at| environments[*at].cost()).sum::<u64>();
        let n_omitted = counted(chosen.len() - n_within, "environment");
        let help = format!("{n_omitted} of {} not checked", chosen.len());
        return (
            n_within,
            Some(environments::left_out(
                &excess,
                cost(&chosen[..n_within]),
                cost(chosen),
                help,
            )),
        );
    }
    (n_within, None)
}

/// The addresses of the objects that several environments hold, in their order.
fn in_several(environments: &[Environment]) -> Vec<usize> {
    let documents = environments
        .iter()
        .flat_map(|environment| &environment.documents);
    let mut all: Vec<usize> = documents.map(|document| document.root.address()).collect();
    all.sort_unstable();
    let mut shared: Vec<usize> = all
        .windows(2)
        .filter(|pair| pair[0] == pair[1])
        .map(|pair| pair[0])
        .collect();
    shared.dedup();
    shared
}

/// An environment with objects of its own, so that what its checks derive of them goes with it. What other environments hold
/// too stays: it is derived once.
fn alone(environment: &Environment, shared: &[usize]) -> Environment {
    let own = |document: &ParsedDocument| match shared.binary_search(&document.root.address()) {
        Ok(_) => document.clone(),
        Err(_) => ParsedDocument {
            root: Shared::new(Node::clone(&document.root)),
            ..document.clone()
        },
    };
    environment.with(own)
}

fn of_environment(
    project: &Arc<Project>,
    environment: &Environment,
    name: &str,
    policies: &UserPolicies,
) -> (Vec<Diagnostic>, SeenResources, u64) {
    let model = project.compile(environment);
    let mut sink = model.own_found().clone();
    let scope = PolicyScope {
        environment: Some(name),
        is_own: &|file| environment.files.contains(&file),
        is_partial: &|file| environment.partial.contains(&file),
        lists_all: false,
    };
    let (spent, judged) = check(&model, policies, scope, &mut sink);
    let mut found = model.place(sink);
    found.retain(|diagnostic| {
        diagnostic
            .span
            .is_none_or(|span| environment.files.contains(&span.file))
    });
    found.retain(|diagnostic| !is_about_lack(diagnostic, environment));
    // The numbers of documents mean something in this environment only.
    for diagnostic in &mut found {
        diagnostic.place = diagnostic.span.map(Place::Span);
        let related = diagnostic.related.iter_mut().zip(&diagnostic.related_spans);
        related.for_each(|((place, _), span)| *place = Place::Span(*span));
    }
    let mut seen = SeenResources::default();
    seen.add(&model, |file| environment.files.contains(&file));
    seen.judged = judged;
    (found, seen, spent)
}

/// Returns whether a finding misses something that may be in the part of a build that is lacking.
fn is_about_lack(diagnostic: &Diagnostic, environment: &Environment) -> bool {
    let is_partial = diagnostic
        .span
        .is_some_and(|span| environment.partial.contains(&span.file));
    let misses_pods = checks::misses_pods(&diagnostic.rule) && !checks::is_of_one_file(diagnostic);
    is_partial && (misses_pods || checks::misses_value(&diagnostic.rule))
}

/// Leaves out what is not known yet, what the manifests allow, and what does not concern the operator.
fn conclude(
    project: &Project,
    mut found: Vec<Diagnostic>,
    manifests: &Manifests,
    policies: &UserPolicies,
) -> LintConclusion {
    let options = project.options();
    if options.assume == Assume::Ready {
        let mut unknown = Unknown::of(
            project
                .environments()
                .iter()
                .flat_map(|environment| &environment.documents),
        );
        unknown.extend(
            project
                .repository
                .copies
                .difference(&project.repository.refused)
                .copied(),
        );
        unknown.extend(project.overridden(ReleaseOrigin::has_unknown));
        // Of what selects, other values change nothing.
        let overridden = project.overridden(|release| !release.unknown.is_empty());
        // A dashboard has variables of its own, and its panels are judged one by one.
        let is_of_panel = |diagnostic: &Diagnostic| checks::is_about_panel(&diagnostic.rule);
        found.retain(|of| {
            is_of_panel(of)
                || of.rule.is_policy()
                || of.span.is_none_or(|span| !unknown.touches(span))
        });
        // What something unknown may override is no reason for a finding elsewhere.
        let is_open = |span: &Span| overridden.contains(span);
        found.retain(|diagnostic| !diagnostic.related_spans.iter().any(is_open));
    }
    let found = alternatives::merge(
        causes::merge(operator::count_unchecked(found)),
        project.sources(),
        manifests,
    );
    let mut findings = match options.heeds_marks {
        true => {
            let rules = all_rules(policies);
            suppress::apply(found, &manifests.documents, project.places(), &rules)
        }
        false => FilteredFindings {
            kept: found,
            allowed: Vec::new(),
        },
    };
    let (kept, n_out_of_scope) =
        project.scoped(std::mem::take(&mut findings.kept), manifests, Level::Info);
    findings.kept = kept;
    LintConclusion {
        findings,
        n_out_of_scope,
    }
}
