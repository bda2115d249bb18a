//! The phases: texts, repository, objects, compiled workloads.

use crate::checks::{self, Model};
use crate::scope;
use crate::suppress::Filtered;
use promgen_compile::cluster::assets::Assets;
use promgen_compile::cluster::refused::RefusedObject;
use promgen_compile::cluster::{Cluster, Object};
use promgen_compile::context::{Account, Kept};
use promgen_compile::options::Options;
use promgen_compile::output::generated::{self, Generated};
use promgen_compile::output::{Checked, Output, ResourceStatus, Workload, WorkloadId, WorkloadKind};
use promgen_compile::sharding::template::Templates;
use promgen_compile::workload::bound::Bound;
use promgen_compile::workload::{self, Run, stand_in};
use promgen_repository::layout::{self, Layout, Role};
use promgen_repository::model::{self, Environment, Needed};
use promgen_repository::unknown::Unknown;
use promgen_resources::api::Resource;
use promgen_resources::document::Manifests;
use promgen_resources::locate;
use promgen_resources::secrecy::Private;
use promgen_targets::discovery::Discovery;
use promgen_targets::discovery::shared::n_targets;
use promgen_targets::resolve::WorkloadPaths;
use promgen_targets::resolve::others::Others;
use promgen_text::diag::{Diagnostic, Level, Sink};
use promgen_text::limits::{LIMIT_EXCEEDED, Limit, Limits};
use promgen_text::sorted::SortedSet;
use promgen_text::source::{FileId, Input, SourceFile, Sources, Span};
use promgen_text::yaml;
use promgen_text::yaml::read::ParsedDocument;
use rayon::prelude::*;

/// The texts of a run: manifests, and behind them templates.
pub(super) struct Texts<'a> {
    pub(super) options: &'a Options,
    pub(super) sources: Sources,
    /// How many of the texts are manifests: they come first.
    pub(super) n_inputs: usize,
    pub(super) templates: Templates,
    pub(super) layout: Layout,
    /// The files of kustomizations.
    pub(super) needed: Needed,
    /// The limits of the run.
    pub(super) limits: Limits,
}

impl<'a> Texts<'a> {
    pub(super) fn load(inputs: &[Input], options: &'a Options, sink: &mut Sink) -> Self {
        let mut sources = Sources::load(inputs, sink);
        let templates = Templates::new(&options.templates, &mut sources, sink);
        let layout = Layout::new(&sources, inputs);
        let needed = Needed::find(inputs, &layout);
        let limits = options.limits.for_input(inputs.iter().map(|input| input.bytes.len()).sum());
        Self { options, sources, n_inputs: inputs.len(), templates, layout, needed, limits }
    }

    pub(super) fn output(self, finished: Finished) -> Output {
        finished.output(self.sources)
    }
}

/// What the files of a run make, before anything is typed.
pub(super) struct Repository<'a> {
    pub(super) texts: &'a Texts<'a>,
    /// What an earlier run generated, which is left out.
    pub(super) generated: Generated,
    /// Values that are filled in later.
    pub(super) unknown: Unknown,
    /// Texts that may hold secrets.
    pub(super) private: Private,
    /// How many copies of secret texts are replaced.
    pub(super) n_copies: usize,
}

impl<'a> Repository<'a> {
    /// With what may share a cluster; nothing if there are no objects.
    pub(super) fn read(texts: &'a Texts<'a>, sink: &mut Sink) -> (Self, Vec<Environment<'a>>) {
        let parsed = read(texts, sink);
        let files = texts.needed.parsed(&parsed, &texts.sources, sink);
        let (parsed, generated) = match texts.options.heeds_marks {
            true => generated::leave_out(parsed, &texts.sources),
            false => (parsed, Generated::default()),
        };
        let repository = (&texts.needed, &texts.sources, &texts.layout);
        let private = texts.needed.private(&parsed);
        let mut builds = model::builds(repository, texts.limits, files, parsed, sink);
        if !texts.options.reveal_secrets {
            builds.iter_mut().for_each(model::Build::hide_copies);
        }
        let copies: SortedSet<Span> = builds.iter().flat_map(|build| build.copies.iter().copied()).collect();
        let n_copies = if texts.options.reveal_secrets { 0 } else { copies.len() };
        // Only lint asks.
        let mut unknown = match texts.options.lint {
            true => Unknown::of(builds.iter().flat_map(|build| &build.documents)),
            false => Unknown::default(),
        };
        unknown.extend(copies);
        (Self { texts, generated, unknown, private, n_copies }, model::environments(builds))
    }

    /// The texts, how many of them are manifests, and which parts of them may hold secrets.
    pub(super) fn sources(&self) -> (&Sources, usize, &Private) {
        (&self.texts.sources, self.texts.n_inputs, &self.private)
    }

    /// Leaves out what does not concern the operator and is less than `level`, if the options say so; with the number of
    /// findings left out.
    pub(super) fn scoped(
        &self,
        found: Vec<Diagnostic>,
        manifests: &Manifests<'_>,
        level: Level,
    ) -> (Vec<Diagnostic>, usize) {
        if !self.texts.options.operator_only {
            return (found, 0);
        }
        let scope::Scoped { kept, n_others } = scope::apply(found, &manifests.documents, &self.texts.sources, level);
        (kept, n_others)
    }

    /// The objects of an environment.
    pub(super) fn objects(&'a self, documents: Vec<ParsedDocument<'a>>, sink: &mut Sink) -> Objects<'a> {
        let manifests = Manifests::read(documents, &self.texts.options.namespace, sink);
        let mut cluster = Cluster::load(&manifests.documents, sink);
        if self.texts.options.lint {
            cluster.leave_namespaces_open(&manifests.documents);
        }
        Objects { repository: self, manifests, cluster }
    }

    /// The objects, for those who compile them once. Of several environments the first one counts, which is reported;
    /// its documents are taken.
    pub(super) fn only_environment(&'a self, environments: &mut [Environment<'a>], sink: &mut Sink) -> Objects<'a> {
        let Some((first, others)) = environments.split_first_mut() else { return self.objects(Vec::new(), sink) };
        if !others.is_empty() {
            model::report_alternatives(first, others, sink);
        }
        self.objects(std::mem::take(&mut first.documents), sink)
    }
}

/// The objects of an environment: all kinds as they are written, those of the operator typed.
pub(super) struct Objects<'a> {
    pub(super) repository: &'a Repository<'a>,
    pub(super) manifests: Manifests<'a>,
    pub(super) cluster: Cluster,
}

impl Objects<'_> {
    /// The workloads that the API server refuses, each with the reason.
    pub(super) fn refused(&self) -> Vec<(WorkloadId, String)> {
        let id = |refused: &RefusedObject| {
            let kind = WorkloadKind::ALL.into_iter().find(|kind| kind.resource() == Some(refused.kind))?;
            Some(WorkloadId { kind, namespace: refused.namespace.clone(), name: refused.name.clone() })
        };
        let refused = self.cluster.refused.objects.iter();
        refused.filter_map(|refused| Some((id(refused)?, refused.why.clone()))).collect()
    }
}

/// What targets are discovered from.
pub(super) struct Targets {
    pub(super) discovery: Discovery,
    pub(super) others: Others,
}

impl Targets {
    pub(super) fn read(objects: &Objects<'_>) -> Self {
        let others = Others::read(&objects.manifests, objects.repository.texts.options.namespace_is_known);
        Self { discovery: Discovery::new(&objects.manifests), others }
    }

    /// Drops what targets are discovered from if the jobs of the workloads discover too many.
    pub(super) fn keep_within(&mut self, limits: &Limits, workloads: &[Workload], sink: &mut Sink) {
        let max = usize::try_from(limits.get(Limit::TargetSteps)).unwrap_or(usize::MAX);
        let mut n_all: usize = 0;
        for workload in workloads {
            if n_all > max || max == usize::MAX {
                break;
            }
            let jobs = workload.config.iter().flat_map(|config| &config.jobs);
            n_all = n_all.saturating_add(n_targets(&self.discovery, &workload.id.namespace, jobs, max - n_all));
        }
        if n_all > max {
            let excess = limits.excess(Limit::TargetSteps);
            let diagnostic = Diagnostic::placeless(&LIMIT_EXCEEDED, excess.message("what the jobs discover"));
            sink.report(diagnostic.help(excess.help()).help("no target of the input is looked at"));
            self.discovery = Discovery::default();
        }
    }
}

/// The workloads, compiled, and what becomes of the resources that they select.
pub(super) struct Compiled<'a> {
    pub(super) objects: &'a Objects<'a>,
    pub(super) assets: Assets<'a>,
    pub(super) kept: Kept,
    pub(super) workloads: Vec<Workload>,
    pub(super) resources: Vec<ResourceStatus>,
    /// How many of the workloads are in the input. The others stand in for those that are not.
    pub(super) n_given: usize,
    /// The number of values of Secrets that are replaced with a placeholder.
    pub(super) redacted: usize,
    /// The memory that the workloads take.
    account: Account,
}

impl<'a> Compiled<'a> {
    pub(super) fn new(objects: &'a Objects<'a>, kept: Kept, sink: &mut Sink) -> Self {
        Self::after(objects, kept, 0, sink)
    }

    /// The same, when others have taken memory already.
    pub(super) fn after(objects: &'a Objects<'a>, kept: Kept, before: u64, sink: &mut Sink) -> Self {
        Self::with_secrets(objects, kept, (objects.repository.texts.options.reveal_secrets, before), sink)
    }

    /// The memory that the workloads take, with that of others before.
    pub(super) fn spent(&self) -> u64 {
        self.account.spent()
    }

    /// What becomes of the same objects with the values of Secrets: the same, if there is none.
    pub(super) fn revealed(&self) -> Output {
        // They have the same findings.
        let Self { workloads, resources, .. } =
            Self::with_secrets(self.objects, self.kept, (true, 0), &mut Sink::default());
        Output { workloads, resources, ..Output::default() }
    }

    fn with_secrets(objects: &'a Objects<'a>, kept: Kept, (reveal, before): (bool, u64), sink: &mut Sink) -> Self {
        let account = Account::new(&objects.repository.texts.limits, before);
        let assets = Assets::new(&objects.cluster, objects.repository.texts.options.assume, reveal);
        let mut compiled = Self {
            objects,
            assets,
            kept,
            workloads: Vec::new(),
            resources: Vec::new(),
            n_given: 0,
            redacted: 0,
            account,
        };
        compiled.workloads = workloads(&compiled.run(), &objects.repository.texts.limits, sink);
        compiled.resources = workload::resources(&compiled.run(), &compiled.workloads);
        compiled.redacted = compiled.assets.redacted() + objects.repository.n_copies;
        compiled.n_given = compiled.workloads.len();
        compiled
    }

    /// Compiles what no workload of the input selects, for workloads that stand in for those that are elsewhere.
    pub(super) fn add_stand_ins(&mut self, sink: &mut Sink) {
        let stand_ins = stand_in::stand_ins(&self.run(), sink);
        self.workloads.extend(stand_ins);
    }

    /// The context of the workloads, to compile one of them once more.
    pub(super) fn run(&self) -> Run<'_> {
        let Objects { repository: Repository { texts, .. }, manifests, cluster } = self.objects;
        Run {
            options: texts.options,
            cluster,
            assets: &self.assets,
            templates: &texts.templates,
            manifests,
            sources: &texts.sources,
            documents: &manifests.documents,
            kept: self.kept,
            account: &self.account,
        }
    }

    pub(super) fn reach<'t>(&'t self, targets: &'t Targets) -> WorkloadPaths<'t> {
        WorkloadPaths::new(&self.objects.cluster, &targets.others, &self.workloads)
    }

    pub(super) fn model<'t>(&'t self, targets: &'t Targets, reach: &'t WorkloadPaths<'t>) -> Model<'t> {
        let Objects { repository: Repository { texts, .. }, manifests, cluster } = self.objects;
        let (options, sources, documents) = (texts.options, &texts.sources, &*manifests.documents);
        Model { options, cluster, documents, sources, workloads: &self.workloads, discovery: &targets.discovery, reach }
    }

    pub(super) fn lint(&self, targets: &Targets, sink: &mut Sink) {
        checks::check(&self.model(targets, &self.reach(targets)), sink);
    }

    /// Gives every finding its place.
    pub(super) fn place(&self, sink: &mut Sink) -> Vec<Diagnostic> {
        let Objects { repository, manifests, .. } = self.objects;
        let mut diagnostics = std::mem::take(sink).into_diagnostics();
        diagnostics.retain(|diagnostic| !stand_in::is_about_stand_in(diagnostic));
        locate::place(diagnostics, &manifests.documents, repository.sources())
    }

    /// The result of a run that is no lint.
    pub(super) fn finish(self, sink: &mut Sink) -> Finished {
        // No line that holds a secret is shown, whoever shows it; the finding itself is for `lint`.
        checks::plain_secrets(&self.objects.cluster, sink);
        let mut kept = self.place(sink);
        kept.retain(|diagnostic| *diagnostic.rule != checks::PLAIN_SECRET);
        // What is compiled must not lack a file in silence.
        let (kept, n_out_of_scope) = self.objects.repository.scoped(kept, &self.objects.manifests, Level::Error);
        let findings = Filtered { kept, allowed: Vec::new() };
        let Repository { generated, n_copies, .. } = self.objects.repository;
        let (generated, n_copies, checked) = (generated.clone(), *n_copies, Checked::default());
        let refused = self.objects.refused();
        let Self { workloads, resources, redacted, .. } = self;
        Finished { refused, workloads, resources, findings, n_out_of_scope, redacted, n_copies, generated, checked }
    }
}

/// What remains when the objects are gone.
pub(super) struct Finished {
    pub(super) workloads: Vec<Workload>,
    pub(super) resources: Vec<ResourceStatus>,
    pub(super) refused: Vec<(WorkloadId, String)>,
    pub(super) findings: Filtered,
    pub(super) n_out_of_scope: usize,
    pub(super) redacted: usize,
    pub(super) n_copies: usize,
    pub(super) generated: Generated,
    pub(super) checked: Checked,
}

impl Finished {
    /// With the texts that the places are in.
    pub(super) fn output(self, sources: Sources) -> Output {
        let Filtered { kept: diagnostics, allowed: suppressed } = self.findings;
        Output {
            workloads: self.workloads,
            resources: self.resources,
            refused: self.refused,
            diagnostics,
            suppressed,
            n_out_of_scope: self.n_out_of_scope,
            redacted: self.redacted,
            copies: self.n_copies,
            generated: self.generated,
            checked: self.checked,
            sources,
        }
    }
}

/// Compiles every workload on its own.
pub(super) fn workloads(run: &Run<'_>, limits: &Limits, sink: &mut Sink) -> Vec<Workload> {
    let mut workloads: Vec<Workload> = Vec::new();
    let cluster = run.cluster;
    let n_all = cluster.prometheuses.len()
        + cluster.prometheus_agents.len()
        + cluster.alertmanagers.len()
        + cluster.thanos_rulers.len();
    let mut bound = Bound::new(limits, run.account, n_all);
    for server in run.cluster.prometheuses.values() {
        if bound.admits(&server.value.spec.common, server.doc, sink) {
            let compile = || workload::prometheus(run, server, sink);
            workloads.extend(bound.compile(server.doc, &name(server), compile));
        }
    }
    for agent in run.cluster.prometheus_agents.values() {
        if bound.admits(&agent.value.spec.common, agent.doc, sink) {
            let compile = || workload::agent(run, agent, sink);
            workloads.extend(bound.compile(agent.doc, &name(agent), compile));
        }
    }
    for alertmanager in run.cluster.alertmanagers.values() {
        let compile = || workload::alertmanager(run, alertmanager, sink);
        workloads.extend(bound.compile(alertmanager.doc, &name(alertmanager), compile));
    }
    for ruler in run.cluster.thanos_rulers.values() {
        let compile = || Some(workload::thanos_ruler(run, ruler, sink));
        workloads.extend(bound.compile(ruler.doc, &name(ruler), compile));
    }
    bound.report(sink);
    workloads
}

/// The name of a workload in a message.
fn name<T: Resource>(object: &Object<T>) -> String {
    format!("{}/{}/{}", T::KIND, object.namespace(), object.value.metadata().name)
}

/// Reads the manifests among the texts. Files of a rendered tree that hold no objects are skipped, and so are those of
/// charts and templates, which are reported. Findings keep the order of the files.
pub(super) fn read<'t>(texts: &'t Texts<'_>, sink: &mut Sink) -> Vec<ParsedDocument<'t>> {
    let Texts { sources, layout, .. } = texts;
    let manifests = sources.files().take(texts.n_inputs);
    let is_output = |file: &SourceFile| texts.options.heeds_marks && generated::is_raw_output(file);
    let is_read = |(id, file): &(FileId, &SourceFile)| layout.role(*id) == Role::Manifests && !is_output(file);
    let files: Vec<_> = manifests.filter(is_read).collect();
    let read_file = |(id, file): (FileId, &'t SourceFile)| {
        let mut sink = Sink::default();
        let documents = yaml::read::read(id, &file.text, &mut sink);
        let is_invalid = sink.diagnostics().iter().any(|d| *d.rule == yaml::read::INVALID_YAML);
        // A repository has files for other programs. One that the user names is to be compiled.
        let is_repository = texts.options.lint || texts.options.operator_only;
        if is_invalid && is_repository && layout::has_template_actions(file) { Err(id) } else { Ok((documents, sink)) }
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
