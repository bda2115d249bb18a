//! The phases, in order.

use std::collections::BTreeSet;

use rayon::prelude::*;

use crate::checks::{self, Model};
use crate::explain::{self, ExplanationStep, ResourceName};
use crate::rules;
use crate::suppress::{self, Filtered};
use promgen_compile::cluster::assets::Assets;
use promgen_compile::cluster::{Cluster, Object};
use promgen_compile::context::Kept;
use promgen_compile::options::Options;
use promgen_compile::output::{Output, Workload, WorkloadId, generated};
use promgen_compile::routing::{Alert, AlertLabels};
use promgen_compile::sharding::reshard::Reshard;
use promgen_compile::sharding::template::Templates;
use promgen_compile::workload::bound::Bound;
use promgen_compile::workload::{self, Run};
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
/// The phases: texts are read into documents, documents become a cluster of typed objects, and every workload goes
/// through selection, plan and lowering on its own. At the end every finding gets its place in the text.
#[must_use]
pub fn compile(inputs: &[Input], options: &Options) -> Output {
    run(inputs, options, false, |_, _, _| ()).0
}

/// Compiles manifests, and keeps what targets are discovered from: the objects of Kubernetes among them.
#[must_use]
pub fn compile_and_discover(inputs: &[Input], options: &Options) -> (Output, Discovery) {
    let (output, discovery, ()) = run(inputs, options, true, |_, _, _| ());
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
    run(inputs, options, true, |run, workloads, _| {
        let compile =
            |id: &WorkloadId, reshard: &Reshard| workload::reshard(run, id, reshard).map(|workload| keep(&workload));
        let of_workload =
            |workload: &Workload| reshards(workload).par_iter().map(|reshard| compile(&workload.id, reshard)).collect();
        workloads.par_iter().map(of_workload).collect()
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
    let (output, _, step) = run(inputs, options, true, |run, workloads, (discovery, others)| {
        let reach = &WorkloadPaths::new(run.cluster, others, workloads);
        let Run { options, cluster, documents, sources, .. } = *run;
        explain::explain(&Model { options, cluster, documents, sources, workloads, discovery, reach }, of)
    });
    (output, step)
}

/// The lines of each input, counted from 1, that may not be shown: those that hold a secret, or may hold one.
#[must_use]
pub fn hidden_lines(inputs: &[Input], options: &Options) -> Vec<BTreeSet<usize>> {
    let lines = |run: &Run<'_>, _: &[Workload], _: (&Discovery, &Others)| {
        let mut secrets = Sink::default();
        checks::plain_secrets(run.cluster, &mut secrets);
        locate::hidden_lines(secrets.into_diagnostics(), run.documents, run.sources, inputs.len())
    };
    run(inputs, options, false, lines).2
}

/// Compiles manifests, and gives the alerts of their PrometheusRules beside, by resource and in the order of each.
#[must_use]
pub fn compile_and_list_alerts(inputs: &[Input], options: &Options) -> (Output, Vec<Alert>) {
    let (output, _, alerts) = run(inputs, options, false, |run, _, _| {
        run.cluster.prometheus_rules.values().flat_map(|rule| alerts(rule, run.documents)).collect()
    });
    (output, alerts)
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

/// Runs the phases, and then whatever else is to be made of it. What targets are discovered from is only filled where it is
/// asked for.
fn run<T>(
    inputs: &[Input],
    options: &Options,
    discover: bool,
    more: impl FnOnce(&Run<'_>, &[Workload], (&Discovery, &Others)) -> T,
) -> (Output, Discovery, T) {
    let mut sink = Sink::default();
    let mut sources = Sources::load(inputs, &mut sink);
    let templates = Templates::new(&options.templates, &mut sources, &mut sink);
    let parsed = read(&sources, inputs.len(), &mut sink);
    let (parsed, generated) = generated::leave_out(parsed, &sources);
    let manifests = Manifests::read(parsed, &options.namespace, &mut sink);
    let documents = manifests.documents.as_slice();
    let (discovery, others) = match discover || options.lint {
        true => (Discovery::new(&manifests), Others::read(&manifests)),
        false => Default::default(),
    };
    let cluster = Cluster::load(documents, &mut sink);
    let assets = Assets::new(&cluster, options.assume, options.reveal_secrets);
    let run = Run {
        options,
        cluster: &cluster,
        assets: &assets,
        templates: &templates,
        manifests: &manifests,
        sources: &sources,
        documents,
        kept: match (discover, options.lint) {
            (true, _) => Kept::Origins,
            (false, true) => Kept::Jobs,
            (false, false) => Kept::Text,
        },
    };
    let mut workloads: Vec<Workload> = Vec::new();
    let mut bound = Bound::default();
    for server in cluster.prometheuses.values() {
        if bound.admits(&server.value.spec.common, server.doc, &mut sink) {
            workloads.extend(workload::prometheus(&run, server, &mut sink));
        }
    }
    for agent in cluster.prometheus_agents.values() {
        if bound.admits(&agent.value.spec.common, agent.doc, &mut sink) {
            workloads.extend(workload::agent(&run, agent, &mut sink));
        }
    }
    workloads.extend(cluster.alertmanagers.values().filter_map(|a| workload::alertmanager(&run, a, &mut sink)));
    workloads.extend(cluster.thanos_rulers.values().map(|r| workload::thanos_ruler(&run, r, &mut sink)));
    let resources = workload::resources(&run, &workloads);
    if options.lint {
        let (cluster, sources) = (&cluster, &sources);
        let reach = &WorkloadPaths::new(cluster, &others, &workloads);
        let model = Model { options, cluster, documents, sources, workloads: &workloads, discovery: &discovery, reach };
        checks::check(&model, &mut sink);
    }
    if !options.lint {
        // No line that holds a secret is shown, whoever shows it; the finding itself is for `lint`.
        checks::plain_secrets(&cluster, &mut sink);
    }
    let redacted = assets.redacted();
    let more = more(&run, &workloads, (&discovery, &others));
    let mut diagnostics = locate::place(sink.into_diagnostics(), documents, &sources, inputs.len());
    if !options.lint {
        diagnostics.retain(|diagnostic| *diagnostic.rule != checks::PLAIN_SECRET);
    }
    let Filtered { kept: diagnostics, allowed: suppressed } = match options.lint {
        true => suppress::apply(diagnostics, documents, (&sources, inputs.len()), &rules::all()),
        false => Filtered { kept: diagnostics, allowed: Vec::new() },
    };
    (Output { workloads, resources, diagnostics, suppressed, redacted, generated, sources }, discovery, more)
}

/// Reads the first `n_files` texts, which are manifests; what comes behind them are templates. Files of a rendered tree
/// that hold no objects are passed over. Findings keep the order of the files.
fn read<'s>(sources: &'s Sources, n_files: usize, sink: &mut Sink) -> Vec<ParsedDocument<'s>> {
    let manifests = sources.files().take(n_files);
    let files: Vec<_> = manifests.filter(|(_, file)| !generated::is_raw_output(file)).collect();
    let read_file = |(id, file): (FileId, &'s SourceFile)| {
        let mut sink = Sink::default();
        (yaml::read::read(id, &file.text, &mut sink), sink)
    };
    let read: Vec<_> = files.into_par_iter().map(read_file).collect();
    let mut documents = Vec::new();
    for (file, findings) in read {
        documents.extend(file);
        sink.append(findings);
    }
    documents
}
