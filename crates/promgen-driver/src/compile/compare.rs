//! Two compiled inputs, compared.

use super::lint;
use super::phases::{Compiled, Finished, Objects, Repository, Targets, Texts};
use crate::alerts;
use crate::checks;
use crate::diff::selection;
use crate::diff::value::Shades;
use crate::diff::{self, Changes, Side};
use promgen_compile::context::Kept;
use promgen_compile::options::Options;
use promgen_compile::output::Output;
use promgen_compile::routing::Alert;
use promgen_repository::model::Environment;
use promgen_text::diag::{Diagnostic, Sink};
use promgen_text::source::Input;
use rayon::join;

/// The result of a comparison.
#[derive(Clone, Debug)]
pub struct Compared {
    /// What differs.
    pub changes: Changes,
    /// The output of the base.
    pub base: Output,
    /// The output of the head.
    pub head: Output,
}

/// Inputs, and what is asked of them.
pub type Asked<'a> = (&'a [Input], &'a Options);

/// Compiles two inputs, or one for two targets, and compares them. Values of Secrets are compared, and not part of the
/// result.
#[must_use]
pub fn compare(base: Asked<'_>, head: Asked<'_>) -> Compared {
    let [of_base, of_head] = [base, head].map(|(_, options)| Options { lint: true, ..plain(options) });
    let (old, new) = join(|| SideTexts::load(base.0, &of_base), || SideTexts::load(head.0, &of_head));
    let ((old_repository, old_environments), (new_repository, new_environments)) =
        join(|| old.repository(), || new.repository());
    let (old_objects, new_objects) =
        join(|| old_repository.objects(old_environments), || new_repository.objects(new_environments));
    let (old_side, new_side) = join(|| old_objects.compile(), || new_objects.compile());
    let known = both((&old_side.compiled, &old_objects.targets), (&new_side.compiled, &new_objects.targets));
    let (old_side, new_side) = join(|| old_side.finish(), || new_side.finish());
    let discoveries = [old_objects.targets.discovery, new_objects.targets.discovery];
    let old_lint = old_side.lint;
    let old = old_side.finished.output(old.texts.sources);
    let new_lint = new_side.lint;
    let new = new_side.finished.output(new.texts.sources);
    let (old_revealed, new_revealed) = known.revealed.unzip();
    let limits = base.1.limits.for_input(base.0.iter().chain(head.0).map(|input| input.bytes.len()).sum());
    let changes = diff::diff(
        Side {
            output: &old,
            discovery: &discoveries[0],
            alerts: &known.alerts[0],
            lint: &old_lint,
            revealed: old_revealed.as_ref(),
        },
        Side {
            output: &new,
            discovery: &discoveries[1],
            alerts: &known.alerts[1],
            lint: &new_lint,
            revealed: new_revealed.as_ref(),
        },
        (&known.selections, &known.shades),
        limits,
    );
    Compared { changes, base: old, head: new }
}

/// The texts of a side, and what was found in them.
struct SideTexts<'a> {
    texts: Texts<'a>,
    sink: Sink,
}

impl<'a> SideTexts<'a> {
    fn load(inputs: &[Input], options: &'a Options) -> Self {
        let mut sink = Sink::default();
        Self { texts: Texts::load(inputs, options, &mut sink), sink }
    }

    fn repository(&'a self) -> (SideRepository<'a>, Vec<Environment>) {
        let mut sink = self.sink.clone();
        let (repository, environments) = Repository::read(&self.texts, &mut sink);
        (SideRepository { repository, sink }, environments)
    }
}

/// The repository of a side.
struct SideRepository<'a> {
    repository: Repository<'a>,
    sink: Sink,
}

impl<'a> SideRepository<'a> {
    /// The objects of the first environment. All environments are checked.
    fn objects(&'a self, mut environments: Vec<Environment>) -> SideObjects<'a> {
        let Self { repository, sink } = self;
        let lint = (environments.len() > 1).then(|| lint::several(repository, &environments, sink.clone()));
        let mut sink = sink.clone();
        let objects = repository.only_environment(&mut environments, &mut sink);
        let targets = Targets::read(&objects);
        let environment = environments.into_iter().next().unwrap_or_default();
        SideObjects { repository, environment, lint, objects, targets, sink }
    }
}

/// The objects of a side.
struct SideObjects<'a> {
    repository: &'a Repository<'a>,
    /// The first environment, without its documents.
    environment: Environment,
    /// The findings of `lint`, if there are several environments.
    lint: Option<Finished>,
    objects: Objects<'a>,
    targets: Targets,
    sink: Sink,
}

impl SideObjects<'_> {
    fn compile(&self) -> SideCompiled<'_> {
        let mut sink = self.sink.clone();
        let compiled = Compiled::new(&self.objects, Kept::Origins, &mut sink);
        SideCompiled { read: self, compiled, sink }
    }
}

/// The workloads of a side.
struct SideCompiled<'a> {
    read: &'a SideObjects<'a>,
    compiled: Compiled<'a>,
    sink: Sink,
}

/// What remains of a side when its objects are gone.
struct SideFinished {
    finished: Finished,
    /// The findings of `lint`.
    lint: Vec<Diagnostic>,
}

impl SideCompiled<'_> {
    fn finish(mut self) -> SideFinished {
        let SideObjects { repository, environment, lint, targets, .. } = self.read;
        let lint = match lint {
            Some(lint) => lint.findings.kept.clone(),
            None => {
                let sink = self.sink.clone();
                lint::of_compiled(repository, &mut self.compiled, targets, environment, sink).0.kept
            }
        };
        SideFinished { finished: self.compiled.finish(&mut self.sink), lint }
    }
}

/// What is known only as long as the objects are there.
pub(super) struct Known {
    pub(super) selections: selection::Selections,
    pub(super) alerts: [Vec<Alert>; 2],
    pub(super) shades: Shades,
    /// The workloads with the values of Secrets, if there are any.
    pub(super) revealed: Option<(Output, Output)>,
}

type CompiledSide<'a, 'c> = (&'a Compiled<'c>, &'a Targets);

pub(super) fn both(base: CompiledSide<'_, '_>, head: CompiledSide<'_, '_>) -> Known {
    let (old_reach, new_reach) = (base.0.reach(base.1), head.0.reach(head.1));
    let (old, new) = (base.0.model(base.1, &old_reach), head.0.model(head.1, &new_reach));
    let secrets = [base, head].into_iter().flat_map(|(compiled, _)| secrets(compiled));
    let is_redacted = base.0.redacted + head.0.redacted > 0;
    Known {
        selections: selection::changes(&old, &new),
        alerts: [base, head].map(|(compiled, _)| all_alerts(compiled)),
        shades: Shades::new(secrets),
        revealed: is_redacted.then(|| rayon::join(|| base.0.revealed(), || head.0.revealed())),
    }
}

fn all_alerts(compiled: &Compiled<'_>) -> Vec<Alert> {
    let objects = compiled.objects;
    alerts::of_cluster(&objects.cluster, &objects.manifests.documents)
}

/// The texts of the manifests that are secrets in plain text.
fn secrets(compiled: &Compiled<'_>) -> Vec<String> {
    let mut sink = Sink::default();
    checks::plain_secrets(&compiled.objects.cluster, &mut sink);
    let sources = &compiled.objects.repository.texts.sources;
    let found = compiled.place(&mut sink);
    found.iter().filter_map(|secret| secret.span).map(|span| sources.text(span).to_owned()).collect()
}

/// The options without values of Secrets and without lint. Both sides are compiled, some of it twice, and all of that is
/// there at once.
pub(super) fn plain(options: &Options) -> Options {
    Options { lint: false, reveal_secrets: false, limits: options.limits.divided(2), ..options.clone() }
}
