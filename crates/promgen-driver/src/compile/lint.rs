//! The lint of a run: every environment on its own, then all findings together.

use rayon::prelude::*;

use super::phases::{Compiled, Finished, Objects, Repository, Targets, Texts, read};
use crate::alternatives;
use crate::checks;
use crate::rules;
use crate::suppress::{self, Filtered};
use promgen_compile::context::Kept;
use promgen_compile::options::{Assume, Options};
use promgen_compile::output::{Checked, Output};
use promgen_compile::select::selector::selectors;
use promgen_repository::model::Environment;
use promgen_resources::api::Kind;
use promgen_resources::document::Manifests;
use promgen_text::diag::count::counted;
use promgen_text::diag::{Diagnostic, Level, Place, Sink};
use promgen_text::limits::{LIMIT_EXCEEDED, Limit};
use promgen_text::route::DocId;
use promgen_text::sorted::{SortedMap, SortedSet};
use promgen_text::source::{FileId, Input, Span};
use promgen_text::yaml::Node;

/// Compiles and checks everything.
pub(super) fn lint(inputs: &[Input], options: &Options) -> Output {
    let sink = &mut Sink::default();
    let texts = Texts::load(inputs, options, sink);
    let (repository, mut environments) = Repository::read(&texts, sink);
    let shared = std::mem::take(sink);
    let finished = match environments.len() {
        0 | 1 => one(&repository, environments.pop().unwrap_or_default(), shared),
        _ => several(&repository, &environments, shared),
    };
    texts.output(finished)
}

/// The lint of an input that is one environment.
fn one<'a>(repository: &'a Repository<'a>, mut environment: Environment<'a>, mut sink: Sink) -> Finished {
    let objects = repository.objects(std::mem::take(&mut environment.documents), &mut sink);
    let mut compiled = Compiled::new(&objects, Kept::Jobs, &mut sink);
    let (findings, n_out_of_scope) =
        of_compiled(repository, &mut compiled, &Targets::read(&objects), &environment, sink);
    let mut seen = Seen::default();
    seen.add(&objects, |_| true);
    let (generated, n_copies) = (repository.generated.clone(), repository.n_copies);
    let Compiled { workloads, resources, redacted, .. } = compiled;
    let checked = seen.checked();
    let refused = objects.refused();
    Finished { workloads, resources, refused, findings, n_out_of_scope, redacted, n_copies, generated, checked }
}

/// The findings about the only environment, compiled, beside those of its reading and compilation; with the number of
/// findings left out because they do not concern the operator.
pub(super) fn of_compiled(
    repository: &Repository<'_>,
    compiled: &mut Compiled<'_>,
    targets: &Targets,
    environment: &Environment<'_>,
    mut sink: Sink,
) -> (Filtered, usize) {
    compiled.add_stand_ins(&mut sink);
    compiled.lint(targets, &mut sink);
    let mut found = compiled.place(&mut sink);
    found.retain(|diagnostic| !is_about_lack(diagnostic, environment));
    compiled.workloads.truncate(compiled.n_given);
    conclude(repository, found, &compiled.objects.manifests)
}

/// The lint of environments: an object is judged with those beside it. A finding is that of the environment whose builds
/// hold the file.
pub(super) fn several<'a>(
    repository: &'a Repository<'a>,
    environments: &[Environment<'a>],
    mut sink: Sink,
) -> Finished {
    let texts = repository.texts;
    let (found, seen) = of_environments(repository, environments, &mut sink);
    // Comments and annotations that allow a finding stand in the files as they are written.
    let written = Manifests::read(read(texts, &mut Sink::default()), &texts.options.namespace, &mut Sink::default());
    let mut found = found;
    let documents = &written.documents;
    found.extend(promgen_resources::locate::place(
        std::mem::take(&mut sink).into_diagnostics(),
        documents,
        repository.sources(),
    ));
    found.sort_by(|a, b| (a.span, a.rule.code, &a.message).cmp(&(b.span, b.rule.code, &b.message)));
    found.dedup_by(|a, b| (a.span, a.rule.code, &a.message) == (b.span, b.rule.code, &b.message));
    let (findings, n_out_of_scope) = conclude(repository, found, &written);
    let (generated, n_copies) = (repository.generated.clone(), repository.n_copies);
    let checked = Seen::all(seen).checked();
    let (workloads, resources, refused) = Default::default();
    Finished { workloads, resources, refused, findings, n_out_of_scope, redacted: 0, n_copies, generated, checked }
}

/// What an environment costs, in objects.
const ENVIRONMENT: u64 = 32;

/// The number of environments that are checked at the same time.
const AT_ONCE: usize = 4;

/// Checks environments in their order, as long as there is memory for what they compile to. Those at the same time know
/// nothing of each other, so that the result depends on their order alone.
fn of_environments<'a>(
    repository: &'a Repository<'a>,
    environments: &[Environment<'a>],
    sink: &mut Sink,
) -> (Vec<Diagnostic>, Vec<Seen>) {
    let limits = &repository.texts.limits;
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
        let checked: Vec<_> = some.par_iter().map(|e| of_environment(repository, e, spent)).collect();
        let before = spent;
        for (of_one, seen_one, spent_by_one) in checked {
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

fn of_environment<'a>(
    repository: &'a Repository<'a>,
    environment: &Environment<'a>,
    before: u64,
) -> (Vec<Diagnostic>, Seen, u64) {
    let sink = &mut Sink::default();
    let objects = repository.objects(environment.documents.clone(), sink);
    let mut compiled = Compiled::after(&objects, Kept::Jobs, before, sink);
    compiled.add_stand_ins(sink);
    compiled.lint(&Targets::read(&objects), sink);
    let mut found = compiled.place(sink);
    found.retain(|diagnostic| diagnostic.span.is_none_or(|span| environment.files.contains(&span.file)));
    found.retain(|diagnostic| !is_about_lack(diagnostic, environment));
    // The numbers of documents mean something in this environment only.
    for diagnostic in &mut found {
        diagnostic.place = diagnostic.span.map(Place::Span);
        let related = diagnostic.related.iter_mut().zip(&diagnostic.related_spans);
        related.for_each(|((place, _), span)| *place = Place::Span(*span));
    }
    let mut seen = Seen::default();
    seen.add(&objects, |file| environment.files.contains(&file));
    (found, seen, compiled.spent())
}

/// Whether a finding misses something that may be in the part of a build that is lacking.
fn is_about_lack(diagnostic: &Diagnostic, environment: &Environment<'_>) -> bool {
    let is_partial = diagnostic.span.is_some_and(|span| environment.partial.contains(&span.file));
    is_partial && checks::misses_pods(diagnostic.rule)
}

/// The number of rules of a PrometheusRule, valid or not.
fn n_rules(root: &Node<'_>) -> usize {
    let groups = root.find(&["spec", "groups"]).map_or(&[][..], Node::items);
    groups.iter().map(|group| group.get("rules").map_or(0, |rules| rules.items().len())).sum()
}

/// The places of the resources that were looked at. A file that several environments use counts once.
#[derive(Default)]
struct Seen {
    /// Each with the number of its rules, and whether a workload selects it.
    rules: SortedMap<Span, (usize, bool)>,
    monitors: SortedMap<Span, bool>,
    alertmanager_configs: SortedSet<Span>,
    selecting: SortedSet<Span>,
    resources: SortedSet<Span>,
}

impl Seen {
    fn add(&mut self, objects: &Objects<'_>, is_own: impl Fn(FileId) -> bool) {
        let (cluster, documents) = (&objects.cluster, &objects.manifests.documents);
        let selectors = selectors(cluster);
        let span = |doc: DocId| documents.get(doc.0 as usize).map(|document| document.node.span);
        for document in documents.iter().filter(|document| is_own(document.node.span.file)) {
            let span = document.node.span;
            if document.kind.group() == Kind::Prometheus.group() {
                self.resources.insert(span);
            }
            match document.kind {
                Kind::AlertmanagerConfig => drop(self.alertmanager_configs.insert(span)),
                Kind::PrometheusRule => self.rules.entry(span).or_default().0 = n_rules(&document.node),
                Kind::ServiceMonitor | Kind::PodMonitor | Kind::Probe | Kind::ScrapeConfig => {
                    self.monitors.entry(span).or_default();
                }
                _ => {}
            }
        }
        for candidate in cluster.candidates() {
            let Some(span) = span(candidate.doc) else { continue };
            let mut asked = selectors.iter().filter(|selector| selector.takes == candidate.kind);
            let is_selected = asked.any(|selector| selector.selects(&candidate, cluster));
            if let Some((_, selected)) = self.rules.get_mut(&span) {
                *selected |= is_selected;
            }
            if let Some(selected) = self.monitors.get_mut(&span) {
                *selected |= is_selected;
            }
        }
        let by = selectors.iter().filter(|selector| selector.takes != Kind::AlertmanagerConfig);
        self.selecting.extend(by.filter_map(|selector| span(selector.by.doc)).filter(|span| is_own(span.file)));
    }

    fn all(environments: Vec<Self>) -> Self {
        let mut all = Self::default();
        for Self { rules, monitors, alertmanager_configs, selecting, resources } in environments {
            for (span, (n_rules, is_selected)) in rules {
                let seen = all.rules.entry(span).or_default();
                *seen = (n_rules, seen.1 || is_selected);
            }
            for (span, is_selected) in monitors {
                *all.monitors.entry(span).or_default() |= is_selected;
            }
            all.alertmanager_configs.extend(alertmanager_configs);
            all.selecting.extend(selecting);
            all.resources.extend(resources);
        }
        all
    }

    fn checked(&self) -> Checked {
        Checked {
            rules: self.rules.values().map(|(n_rules, _)| n_rules).sum(),
            selected_rules: self.rules.values().filter(|(_, selected)| *selected).map(|(n_rules, _)| n_rules).sum(),
            monitors: self.monitors.len(),
            selected_monitors: self.monitors.values().filter(|selected| **selected).count(),
            alertmanager_configs: self.alertmanager_configs.len(),
            selecting: self.selecting.len(),
            resources: self.resources.len(),
        }
    }
}

/// Leaves out what is not known yet, what the manifests allow, and what does not concern the operator.
fn conclude(repository: &Repository<'_>, mut found: Vec<Diagnostic>, manifests: &Manifests<'_>) -> (Filtered, usize) {
    let Repository { texts, unknown, .. } = repository;
    if texts.options.assume == Assume::Ready {
        found.retain(|diagnostic| diagnostic.span.is_none_or(|span| !unknown.touches(span)));
    }
    let found = alternatives::merge(found, &texts.sources);
    let mut findings = match texts.options.heeds_marks {
        true => suppress::apply(found, &manifests.documents, repository.sources(), &rules::all()),
        false => Filtered { kept: found, allowed: Vec::new() },
    };
    let (kept, n_out_of_scope) = repository.scoped(std::mem::take(&mut findings.kept), manifests, Level::Info);
    findings.kept = kept;
    (findings, n_out_of_scope)
}
