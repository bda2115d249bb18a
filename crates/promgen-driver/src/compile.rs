//! The entry points: what composes the phases.

mod compare;
mod drift;
mod lint;
mod phases;

use rayon::prelude::*;

use crate::alerts;
use crate::checks;
use crate::explain::{self, ExplanationStep, ResourceName};
use phases::{Compiled, Repository, Targets, Texts, read};
use promgen_compile::cluster::Cluster;
use promgen_compile::context::Kept;
use promgen_compile::options::Options;
use promgen_compile::output::{Output, Workload, WorkloadId};
use promgen_compile::routing::Alert;
use promgen_compile::sharding::reshard::Reshard;
use promgen_compile::workload;
use promgen_resources::document::Manifests;
use promgen_resources::locate;
use promgen_targets::discovery::Discovery;
use promgen_text::diag::Sink;
use promgen_text::sorted::SortedSet;
use promgen_text::source::Input;

pub use compare::{Asked, Compared, compare};
pub use drift::{Drifted, drift};

/// Compiles manifests. Pure: the same inputs and options give the same output.
///
/// The phases: texts are read into objects, and every workload goes through selection, plan and lowering on its own. Lint
/// checks the result if the options say so. At the end every finding gets its place in the text.
#[must_use]
pub fn compile(inputs: &[Input], options: &Options) -> Output {
    if options.lint {
        return lint::lint(inputs, options);
    }
    let sink = &mut Sink::default();
    let texts = Texts::load(inputs, options, sink);
    let (repository, mut environments) = Repository::read(&texts, sink);
    let objects = repository.only_environment(&mut environments, sink);
    let finished = Compiled::new(&objects, Kept::Text, sink).finish(sink);
    texts.output(finished)
}

/// Compiles manifests, and keeps what targets are discovered from: the objects of Kubernetes among them.
#[must_use]
pub fn compile_and_discover(inputs: &[Input], options: &Options) -> (Output, Discovery) {
    let (output, discovery, ()) = compile_with_targets(inputs, options, |_, _| ());
    (output, discovery)
}

/// Compiles manifests, and each workload of the result once more for every reshard of it that the caller asks for. Of what
/// is compiled then only what `keep` makes of it is kept: a workload of many shards is big.
///
/// For each workload, in the order of the output, the reshards in their order: what was kept, or why the resource would be
/// refused, or could not be compiled.
#[must_use]
pub fn compile_reshards<T: Send>(
    inputs: &[Input],
    options: &Options,
    reshards: impl Fn(&Workload) -> Vec<Reshard> + Sync,
    keep: impl Fn(&Workload) -> T + Sync,
) -> (Output, Discovery, Vec<Vec<Result<T, String>>>) {
    compile_with_targets(inputs, options, |compiled, _| {
        let run = &compiled.run();
        let compile =
            |id: &WorkloadId, reshard: &Reshard| workload::reshard(run, id, reshard).map(|workload| keep(&workload));
        let of_workload =
            |workload: &Workload| reshards(workload).par_iter().map(|reshard| compile(&workload.id, reshard)).collect();
        compiled.workloads.par_iter().map(of_workload).collect()
    })
}

/// Compiles manifests, and explains a resource of theirs.
///
/// # Errors
/// In place of the explanation: there is no such resource; with the names that are most like it.
pub fn compile_and_explain(
    inputs: &[Input],
    options: &Options,
    of: &ResourceName,
) -> (Output, Result<ExplanationStep, Vec<String>>) {
    let (mut output, _, (step, n_given)) = compile_with_targets(inputs, options, |compiled, targets| {
        let n_given = compiled.workloads.len();
        // Their findings are for `lint`.
        compiled.add_stand_ins(&mut Sink::default());
        (explain::explain(&compiled.model(targets, &compiled.reach(targets)), of), n_given)
    });
    output.workloads.truncate(n_given);
    (output, step)
}

/// The lines of each input, counted from 1, that may not be shown: those that hold a secret, or may hold one.
#[must_use]
pub fn hidden_lines(inputs: &[Input], options: &Options) -> Vec<SortedSet<usize>> {
    let sink = &mut Sink::default();
    let texts = Texts::load(inputs, options, sink);
    // Patches and values may hold secrets too: everything counts as it is written.
    let parsed = read(&texts, sink);
    let private = texts.needed.private(&parsed);
    let manifests = Manifests::read(parsed, &options.namespace, sink);
    let mut secrets = Sink::default();
    checks::plain_secrets(&Cluster::load(&manifests.documents, sink), &mut secrets);
    locate::hidden_lines(secrets.into_diagnostics(), &manifests.documents, (&texts.sources, texts.n_inputs, &private))
}

/// Compiles manifests, and gives the alerts of their PrometheusRules beside, by resource and in the order of each.
#[must_use]
pub fn compile_and_list_alerts(inputs: &[Input], options: &Options) -> (Output, Vec<Alert>) {
    let sink = &mut Sink::default();
    let texts = Texts::load(inputs, options, sink);
    let (repository, mut environments) = Repository::read(&texts, sink);
    let objects = repository.only_environment(&mut environments, sink);
    let alerts = alerts::of_cluster(&objects.cluster, &objects.manifests.documents);
    let finished = Compiled::new(&objects, Kept::Text, sink).finish(sink);
    (texts.output(finished), alerts)
}

/// All phases, for those who ask for targets: jobs keep where their rules come from. `ask` is what they ask.
fn compile_with_targets<T>(
    inputs: &[Input],
    options: &Options,
    ask: impl FnOnce(&mut Compiled<'_>, &Targets) -> T,
) -> (Output, Discovery, T) {
    let sink = &mut Sink::default();
    let texts = Texts::load(inputs, options, sink);
    let (repository, mut environments) = Repository::read(&texts, sink);
    let objects = repository.only_environment(&mut environments, sink);
    let mut targets = Targets::read(&objects);
    let mut compiled = Compiled::new(&objects, Kept::Origins, sink);
    targets.keep_within(&texts.limits, &compiled.workloads, sink);
    let answer = ask(&mut compiled, &targets);
    let finished = compiled.finish(sink);
    (texts.output(finished), targets.discovery, answer)
}
