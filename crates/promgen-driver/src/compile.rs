//! The phases, and the entry points that compose them.

use std::collections::BTreeSet;

use rayon::prelude::*;

use crate::checks::{self, Model};
use crate::explain::{self, ExplanationStep, ResourceName};
use crate::rules;
use crate::scope;
use crate::suppress::{self, Filtered};
use promgen_compile::cluster::assets::Assets;
use promgen_compile::cluster::{Cluster, Object};
use promgen_compile::context::Kept;
use promgen_compile::options::{Assume, Options};
use promgen_compile::output::generated::{self, Generated};
use promgen_compile::output::{Output, ResourceStatus, Workload, WorkloadId};
use promgen_compile::routing::{Alert, AlertLabels};
use promgen_compile::sharding::reshard::Reshard;
use promgen_compile::sharding::template::Templates;
use promgen_compile::workload::bound::Bound;
use promgen_compile::workload::{self, Run, stand_in};
use promgen_repository::layout::{self, Layout, Role};
use promgen_repository::unknown::Unknown;
use promgen_resources::api::{PrometheusRule, Rule, RuleGroup};
use promgen_resources::document::{Document, Manifests};
use promgen_resources::locate;
use promgen_targets::discovery::Discovery;
use promgen_targets::resolve::WorkloadPaths;
use promgen_targets::resolve::others::Others;
use promgen_text::diag::Sink;
use promgen_text::route::At;
use promgen_text::source::{FileId, Input, SourceFile, Sources};
use promgen_text::yaml;
use promgen_text::yaml::read::ParsedDocument;

/// Compiles manifests. Pure: the same inputs and options give the same output.
///
/// The phases: texts are read into objects, and every workload goes through selection, plan and lowering on its own. Lint
/// checks the result if the options say so. At the end every finding gets its place in the text.
#[must_use]
pub fn compile(inputs: &[Input], options: &Options) -> Output {
    let sink = &mut Sink::default();
    let texts = Texts::load(inputs, options, sink);
    let objects = Objects::read(&texts, sink);
    let kept = if options.lint { Kept::Jobs } else { Kept::Text };
    let compiled = Compiled::new(&objects, kept, sink);
    if options.lint {
        compiled.lint(&Targets::read(&objects), sink);
    }
    let finished = compiled.finish(sink);
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
    let (output, _, step) = compile_with_targets(inputs, options, |compiled, targets| {
        explain::explain(&compiled.model(targets, &compiled.reach(targets)), of)
    });
    (output, step)
}

/// The lines of each input, counted from 1, that may not be shown: those that hold a secret, or may hold one.
#[must_use]
pub fn hidden_lines(inputs: &[Input], options: &Options) -> Vec<BTreeSet<usize>> {
    let sink = &mut Sink::default();
    let texts = Texts::load(inputs, options, sink);
    let objects = Objects::read(&texts, sink);
    let mut secrets = Sink::default();
    checks::plain_secrets(&objects.cluster, &mut secrets);
    let documents = &objects.manifests.documents;
    locate::hidden_lines(secrets.into_diagnostics(), documents, &texts.sources, texts.n_inputs)
}

/// Compiles manifests, and gives the alerts of their PrometheusRules beside, by resource and in the order of each.
#[must_use]
pub fn compile_and_list_alerts(inputs: &[Input], options: &Options) -> (Output, Vec<Alert>) {
    let sink = &mut Sink::default();
    let texts = Texts::load(inputs, options, sink);
    let objects = Objects::read(&texts, sink);
    let rules = objects.cluster.prometheus_rules.values();
    let alerts = rules.flat_map(|rule| alerts(rule, &objects.manifests.documents)).collect();
    let finished = Compiled::new(&objects, Kept::Text, sink).finish(sink);
    (texts.output(finished), alerts)
}

/// All phases, for those who ask for targets: jobs keep where their rules come from. `ask` is what they ask.
fn compile_with_targets<T>(
    inputs: &[Input],
    options: &Options,
    ask: impl FnOnce(&Compiled<'_>, &Targets) -> T,
) -> (Output, Discovery, T) {
    let sink = &mut Sink::default();
    let texts = Texts::load(inputs, options, sink);
    let objects = Objects::read(&texts, sink);
    let targets = Targets::read(&objects);
    let compiled = Compiled::new(&objects, Kept::Origins, sink);
    if options.lint {
        compiled.lint(&targets, sink);
    }
    let answer = ask(&compiled, &targets);
    let finished = compiled.finish(sink);
    (texts.output(finished), targets.discovery, answer)
}

/// The alerts of a PrometheusRule.
fn alerts(resource: &Object<PrometheusRule>, documents: &[Document<'_>]) -> Vec<Alert> {
    let groups = resource.value.spec.groups.as_deref().unwrap_or_default().iter().enumerate();
    let of_group = |(at_group, group): (usize, &RuleGroup)| {
        let rules = group.rules.as_deref().unwrap_or_default().iter().enumerate();
        let alert = |(index, rule): (usize, &Rule)| {
            let name = rule.alert.as_deref().filter(|name| !name.is_empty())?;
            let mut labels = AlertLabels::from([("namespace".to_owned(), resource.namespace().to_owned())]);
            labels.extend(group.labels.clone().unwrap_or_default());
            labels.extend(rule.labels.clone().unwrap_or_default());
            labels.insert("alertname".to_owned(), name.to_owned());
            // A label without a value is none, and one that is a template has a value that nobody knows yet.
            labels.retain(|_, value| !value.is_empty() && !value.contains("{{"));
            let at =
                At::doc(resource.doc).key("spec").key("groups").index(at_group).key("rules").index(index).key("alert");
            let resource = format!("{}/{}", resource.namespace(), resource.value.metadata.name);
            Some(Alert { labels, resource, span: locate::locate(&at, documents) })
        };
        rules.filter_map(alert).collect::<Vec<_>>()
    };
    groups.flat_map(of_group).collect()
}

/// The texts of a run: manifests, and behind them templates.
struct Texts<'a> {
    options: &'a Options,
    sources: Sources,
    /// How many of the texts are manifests: they come first.
    n_inputs: usize,
    templates: Templates,
    layout: Layout,
}

impl<'a> Texts<'a> {
    fn load(inputs: &[Input], options: &'a Options, sink: &mut Sink) -> Self {
        let mut sources = Sources::load(inputs, sink);
        let templates = Templates::new(&options.templates, &mut sources, sink);
        let layout = Layout::new(&sources);
        Self { options, sources, n_inputs: inputs.len(), templates, layout }
    }

    fn output(self, finished: Finished) -> Output {
        let Finished { workloads, resources, findings, n_out_of_scope, redacted, generated } = finished;
        let Filtered { kept: diagnostics, allowed: suppressed } = findings;
        let sources = self.sources;
        Output { workloads, resources, diagnostics, suppressed, n_out_of_scope, redacted, generated, sources }
    }
}

/// The objects in the texts: all kinds as they are written, those of the operator typed.
struct Objects<'a> {
    texts: &'a Texts<'a>,
    manifests: Manifests<'a>,
    cluster: Cluster,
    /// What an earlier run generated, which is left out.
    generated: Generated,
    /// Values that are filled in later.
    unknown: Unknown,
}

impl<'a> Objects<'a> {
    fn read(texts: &'a Texts<'a>, sink: &mut Sink) -> Self {
        let parsed = read(texts, sink);
        let (parsed, generated) = generated::leave_out(parsed, &texts.sources);
        let unknown = Unknown::of(&parsed);
        let manifests = Manifests::read(parsed, &texts.options.namespace, sink);
        let cluster = Cluster::load(&manifests.documents, sink);
        Self { texts, manifests, cluster, generated, unknown }
    }
}

/// What targets are discovered from.
struct Targets {
    discovery: Discovery,
    others: Others,
}

impl Targets {
    fn read(objects: &Objects<'_>) -> Self {
        let others = Others::read(&objects.manifests, objects.texts.options.namespace_is_known);
        Self { discovery: Discovery::new(&objects.manifests), others }
    }
}

/// The workloads, compiled, and what becomes of the resources that they select.
struct Compiled<'a> {
    objects: &'a Objects<'a>,
    assets: Assets<'a>,
    kept: Kept,
    workloads: Vec<Workload>,
    resources: Vec<ResourceStatus>,
    /// How many of the workloads are in the input. The others stand in for those that are not.
    n_given: usize,
    /// The number of values of Secrets that are replaced with a placeholder.
    redacted: usize,
}

impl<'a> Compiled<'a> {
    fn new(objects: &'a Objects<'a>, kept: Kept, sink: &mut Sink) -> Self {
        let options = objects.texts.options;
        let assets = Assets::new(&objects.cluster, options.assume, options.reveal_secrets);
        let mut compiled =
            Self { objects, assets, kept, workloads: Vec::new(), resources: Vec::new(), n_given: 0, redacted: 0 };
        compiled.workloads = workloads(&compiled.run(), sink);
        compiled.resources = workload::resources(&compiled.run(), &compiled.workloads);
        compiled.redacted = compiled.assets.redacted();
        compiled.n_given = compiled.workloads.len();
        if options.lint {
            let stand_ins = stand_in::stand_ins(&compiled.run(), sink);
            compiled.workloads.extend(stand_ins);
        }
        compiled
    }

    /// The context of the workloads, to compile one of them once more.
    fn run(&self) -> Run<'_> {
        let Objects { texts, manifests, cluster, .. } = self.objects;
        Run {
            options: texts.options,
            cluster,
            assets: &self.assets,
            templates: &texts.templates,
            manifests,
            sources: &texts.sources,
            documents: &manifests.documents,
            kept: self.kept,
        }
    }

    fn reach<'t>(&'t self, targets: &'t Targets) -> WorkloadPaths<'t> {
        WorkloadPaths::new(&self.objects.cluster, &targets.others, &self.workloads)
    }

    fn model<'t>(&'t self, targets: &'t Targets, reach: &'t WorkloadPaths<'t>) -> Model<'t> {
        let Objects { texts, manifests, cluster, .. } = self.objects;
        let (options, sources, documents) = (texts.options, &texts.sources, &*manifests.documents);
        Model { options, cluster, documents, sources, workloads: &self.workloads, discovery: &targets.discovery, reach }
    }

    fn lint(&self, targets: &Targets, sink: &mut Sink) {
        checks::check(&self.model(targets, &self.reach(targets)), sink);
    }

    /// Gives every finding its place, and leaves out those that the manifests allow.
    fn finish(self, sink: &mut Sink) -> Finished {
        let Self { objects: &Objects { texts, ref manifests, ref cluster, ref generated, ref unknown }, .. } = self;
        let place = |sink: &mut Sink| {
            let mut diagnostics = std::mem::take(sink).into_diagnostics();
            diagnostics.retain(|diagnostic| !stand_in::is_about_stand_in(diagnostic));
            locate::place(diagnostics, &manifests.documents, &texts.sources, texts.n_inputs)
        };
        let mut findings = if texts.options.lint {
            let sources = (&texts.sources, texts.n_inputs);
            let mut placed = place(sink);
            if texts.options.assume == Assume::Ready {
                placed.retain(|diagnostic| diagnostic.span.is_none_or(|span| !unknown.touches(span)));
            }
            suppress::apply(placed, &manifests.documents, sources, &rules::all())
        } else {
            // No line that holds a secret is shown, whoever shows it; the finding itself is for `lint`.
            checks::plain_secrets(cluster, sink);
            let mut kept = place(sink);
            kept.retain(|diagnostic| *diagnostic.rule != checks::PLAIN_SECRET);
            Filtered { kept, allowed: Vec::new() }
        };
        let mut n_out_of_scope = 0;
        if texts.options.operator_only {
            let scoped = scope::apply(std::mem::take(&mut findings.kept), &manifests.documents, &texts.sources);
            (findings.kept, n_out_of_scope) = (scoped.kept, scoped.n_others);
        }
        let Self { mut workloads, resources, n_given, redacted, .. } = self;
        workloads.truncate(n_given);
        Finished { workloads, resources, findings, n_out_of_scope, redacted, generated: generated.clone() }
    }
}

/// What remains when the objects are gone.
struct Finished {
    workloads: Vec<Workload>,
    resources: Vec<ResourceStatus>,
    findings: Filtered,
    n_out_of_scope: usize,
    redacted: usize,
    generated: Generated,
}

/// Compiles every workload on its own.
fn workloads(run: &Run<'_>, sink: &mut Sink) -> Vec<Workload> {
    let mut workloads: Vec<Workload> = Vec::new();
    let mut bound = Bound::default();
    for server in run.cluster.prometheuses.values() {
        if bound.admits(&server.value.spec.common, server.doc, sink) {
            workloads.extend(workload::prometheus(run, server, sink));
        }
    }
    for agent in run.cluster.prometheus_agents.values() {
        if bound.admits(&agent.value.spec.common, agent.doc, sink) {
            workloads.extend(workload::agent(run, agent, sink));
        }
    }
    workloads.extend(run.cluster.alertmanagers.values().filter_map(|a| workload::alertmanager(run, a, sink)));
    workloads.extend(run.cluster.thanos_rulers.values().map(|r| workload::thanos_ruler(run, r, sink)));
    workloads
}

/// Reads the manifests among the texts. Files of a rendered tree that hold no objects are skipped, and so are those of
/// charts and templates, which are reported. Findings keep the order of the files.
fn read<'t>(texts: &'t Texts<'_>, sink: &mut Sink) -> Vec<ParsedDocument<'t>> {
    let Texts { sources, layout, .. } = texts;
    let manifests = sources.files().take(texts.n_inputs);
    let is_read =
        |(id, file): &(FileId, &SourceFile)| layout.role(*id) != Role::Chart && !generated::is_raw_output(file);
    let files: Vec<_> = manifests.filter(is_read).collect();
    let read_file = |(id, file): (FileId, &'t SourceFile)| {
        let mut sink = Sink::default();
        let documents = yaml::read::read(id, &file.text, &mut sink);
        let is_invalid = sink.diagnostics().iter().any(|d| *d.rule == yaml::read::INVALID_YAML);
        // What is compiled must not lack a file in silence.
        if is_invalid && texts.options.lint && layout::has_template_actions(file) { Err(id) } else { Ok((documents, sink)) }
    };
    let read: Vec<_> = files.into_par_iter().map(read_file).collect();
    let (mut documents, mut templates) = (Vec::new(), Vec::new());
    for file in read {
        match file {
            Ok((file, findings)) => {
                documents.extend(file);
                sink.append(findings);
            }
            Err(template) => templates.push(template),
        }
    }
    layout.report(sink);
    layout::report_templates(&templates, sources, sink);
    documents
}
