//! An environment of a project, compiled: the one thing that every question is asked of.
//!
//! In: a [`Project`] and one of its environments. Out: a [`Model`]: the objects, the workloads, what becomes of the resources
//! that they select, and the findings. It is complete, and changes no more; what only some questions need, it makes when the
//! first of them asks.

pub mod access;
pub mod alerts;
pub mod lineage;
pub mod network;
pub mod secret_jobs;
pub mod senders;
mod sent;
mod targets;
pub mod unknowns;
mod workloads;
mod world;

use crate::monitors::makes_jobs;
use promgen_resources::api::Kind;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use crate::model::access::{AccessFiles, AccessModel};
use crate::model::lineage::readers::{self, SeriesReader};
use crate::model::lineage::{LineageModel, MetricDumps};
use crate::model::secret_jobs::SecretJobs;
use crate::model::senders::AlertSenders;
use crate::model::unknowns::Unknowns;
use crate::operator;
use crate::plain_secrets;
use crate::project::Project;
use crate::resource_name::ResourceName;
use crate::unread;
use promgen_compile::cluster::Cluster;
use promgen_compile::cluster::refused::RefusedObject;
use promgen_compile::context::Account;
use promgen_compile::options::{Assume, Options};
use promgen_compile::output::{Output, Workload, WorkloadId, WorkloadKind};
use promgen_compile::select::selector::namespaces_are_divided;
use promgen_compile::sharding::reshard::Reshard;
use promgen_compile::workload::kept::KeepsWorkloads;
use promgen_compile::workload::origins::LazyRuleOrigins;
use promgen_compile::workload::{self, Run, stand_in};
use promgen_prometheus::routing::Alert;
use promgen_repository::charts::rules::{CHART_VERSION, NOT_COMPILED, UNSUPPORTED_CHART};
use promgen_repository::model::{self as repository, Environment};
use promgen_resources::document::Manifests;
use promgen_resources::locate;
use promgen_targets::discovery::Discovery;
use promgen_targets::resolve::WorkloadPaths;
use promgen_text::diag::{Diagnostic, Level, Sink};
use promgen_text::parallel;
use promgen_text::route::DocId;
use promgen_text::source::FileId;
use promgen_text::version::Version;
use promgen_text::yaml::emit::to_json;
use promgen_text::yaml::read::ParsedDocument;
use promgen_text::yaml::{self, Node, Value};
use targets::ModelTargets;
use workloads::AllWorkloads;
pub use world::World;

/// An environment of a project, compiled.
#[derive(Debug)]
pub struct Model {
    project: Arc<Project>,
    manifests: Manifests,
    shown_operator: Option<Version>,
    /// The operator that the objects show is older than all that promgen knows.
    has_older_operator: bool,
    cluster: Cluster,
    account: Account,
    targets: OnceLock<ModelTargets>,
    access: OnceLock<AccessModel>,
    /// Why the input may lack jobs, if it may, once somebody asks.
    unseen: OnceLock<Option<String>>,
    /// The metrics that files say there are, once somebody asks.
    dumps: OnceLock<MetricDumps>,
    /// The jobs that workloads take from Secrets, once somebody asks.
    secret_jobs: OnceLock<BTreeMap<DocId, SecretJobs>>,
    /// The servers and the rules that they evaluate, once somebody asks.
    lineage: OnceLock<LineageModel>,
    /// The readers of series, once somebody asks.
    readers: OnceLock<Vec<SeriesReader>>,
    /// Where servers send their alerts, once somebody asks.
    senders: OnceLock<AlertSenders>,
    /// The files of its own builds.
    files: BTreeSet<FileId>,
    /// A part of its builds is lacking.
    is_partial: bool,
    /// The options of the project, for the release of the operator that this environment has.
    options: Arc<Options>,
    /// The unknown part of the objects.
    unknowns: Unknowns,
    /// The level of files that do not parse and have nothing of the operator: among others, such a file fails nothing. A
    /// comparison says of each side what it lacks.
    unread: Level,
    /// What the objects and workloads were found to be, without places.
    found: Sink,
    output: Output,
}

/// What is compiled, and how.
struct Compilation {
    documents: Vec<ParsedDocument>,
    /// The files of its own builds.
    files: BTreeSet<FileId>,
    /// The release of the operator that a chart among them installs.
    operator: Option<Version>,
    /// The arguments of the operator that a chart among them installs.
    arguments: Vec<String>,
    /// A part of a build is lacking.
    is_partial: bool,
    /// The memory that others have taken.
    before: u64,
    /// The findings from before the objects were read.
    found: Sink,
}

impl Project {
    /// Compiles an environment.
    #[must_use]
    pub fn compile(self: &Arc<Self>, environment: &Environment) -> Model {
        self.compile_after(environment, 0)
    }

    /// The same, when others have taken memory already.
    pub fn compile_after(self: &Arc<Self>, environment: &Environment, before: u64) -> Model {
        Model::new(self, Compilation::of(environment).after(before))
    }

    /// The same for questions about its targets: without any, if the jobs discover more than the limits allow.
    #[must_use]
    pub fn compile_with_targets(self: &Arc<Self>, environment: &Environment, before: u64) -> Model {
        Model::bounded(self, Compilation::of(environment).after(before))
    }

    /// Compiles other documents than those of an environment.
    pub fn compile_documents(
        self: &Arc<Self>,
        documents: Vec<ParsedDocument>,
        found: Sink,
    ) -> Model {
        let mut asked = Compilation::of(&Environment::default());
        (asked.documents, asked.found) = (documents, found);
        Model::new(self, asked)
    }

    /// Compiles the environment that questions are about: of several the first one counts, which is reported.
    #[must_use]
    pub fn model(self: &Arc<Self>) -> Model {
        Model::new(self, self.first())
    }

    /// The same, for questions about targets: if the jobs discover more targets than the limits allow, the model has none,
    /// which is reported.
    #[must_use]
    pub fn model_with_targets(self: &Arc<Self>) -> Model {
        Model::bounded(self, self.first())
    }

    fn first(&self) -> Compilation {
        let mut found = Sink::default();
        let nothing = Environment::default();
        let (first, others) = self.environments().split_first().unwrap_or((&nothing, &[]));
        if !others.is_empty() {
            repository::report_alternatives(first, others, &mut found);
        }
        Compilation {
            found,
            ..Compilation::of(first)
        }
    }
}

impl Compilation {
    const fn after(mut self, before: u64) -> Self {
        self.before = before;
        self
    }

    fn of(environment: &Environment) -> Self {
        Self {
            documents: environment.documents.clone(),
            files: environment.files.clone(),
            operator: environment.operator().cloned(),
            arguments: environment
                .operator_arguments()
                .unwrap_or_default()
                .to_vec(),
            is_partial: !environment.partial.is_empty(),
            before: 0,
            found: Sink::default(),
        }
    }
}

/// What is unknown about the documents of these files.
fn unknowns(project: &Project, documents: &[ParsedDocument], files: &BTreeSet<FileId>) -> Unknowns {
    let is_uncompiled = |found: &&Diagnostic| {
        *found.rule == UNSUPPORTED_CHART
            || *found.rule == CHART_VERSION && found.message.ends_with(NOT_COMPILED)
    };
    let uncompiled = project.found.diagnostics().iter().filter(is_uncompiled);
    let uncompiled = uncompiled
        .filter_map(|found| Some((found.place.as_ref()?.bytes()?, found.message.clone())))
        .filter(|(span, _)| files.contains(&span.file))
        .collect();
    let repository = &project.repository;
    match project.options.assume {
        Assume::Ready => Unknowns {
            has_appliers: repository.has_appliers,
            unread_charts: repository
                .unread_charts
                .unstated()
                .map(str::to_owned)
                .collect(),
            ..Unknowns::of(documents, uncompiled)
        },
        Assume::Missing => Unknowns {
            uncompiled,
            ..Unknowns::default()
        },
    }
}

impl Model {
    fn new(project: &Arc<Project>, asked: Compilation) -> Self {
        let mut model = Self::compiled(project, asked);
        model.conclude();
        model
    }

    fn bounded(project: &Arc<Project>, asked: Compilation) -> Self {
        let mut model = Self::compiled(project, asked);
        let mut targets = model.read_targets();
        targets.keep_within(&project.limits, &model.output.workloads, &mut model.found);
        model.targets = OnceLock::from(targets);
        model.conclude();
        model
    }

    fn compiled(project: &Arc<Project>, asked: Compilation) -> Self {
        let Compilation {
            documents,
            files,
            operator: of_chart,
            arguments,
            is_partial,
            before,
            mut found,
        } = asked;
        let unknowns = unknowns(project, &documents, &files);
        let is_one_of_many =
            project.texts.n_inputs > 1 && !files.is_empty() && !project.options.is_repository;
        let unread = if is_one_of_many {
            Level::Warning
        } else {
            Level::Error
        };
        let memory = project.memory.take(&files);
        let mut manifests = Manifests::read(documents, &project.options.namespace, &mut found);
        let (options, shown_operator, has_older_operator) = operator::options_for(
            &mut manifests,
            &project.options,
            &project.texts.sources,
            of_chart,
            &arguments,
            &mut found,
        );
        let is_later = |span| unknowns.later.touches(span);
        let operator = options.target.operator_version();
        found = operator::later_versions(operator, found);
        let definitions =
            options
                .definitions
                .with_those_of(&manifests, operator, options.facts.as_deref());
        let mut cluster = Cluster::load_open(
            &manifests.documents,
            operator,
            &definitions,
            &is_later,
            &mut found,
        );
        let namespace = &project.options.namespace;
        let is_of_files = |file| files.is_empty() || files.contains(&file);
        for sink in [&project.found, &found] {
            let lost = unread::objects(sink, project.sources(), namespace);
            let lost = lost
                .into_iter()
                .filter(|(place, _)| is_of_files(place.file));
            cluster.refused.extend(lost.map(|(_, object)| object));
        }
        cluster.watch = options.target.watch.clone();
        if options.is_repository && namespaces_are_divided(&cluster) {
            cluster.leave_namespaces_open(&manifests.documents);
        }
        let mut model = Self {
            project: Arc::clone(project),
            manifests,
            shown_operator,
            has_older_operator,
            cluster,
            account: Account::new(&project.limits, before),
            targets: OnceLock::new(),
            access: OnceLock::new(),
            unseen: OnceLock::new(),
            dumps: OnceLock::new(),
            lineage: OnceLock::new(),
            secret_jobs: OnceLock::new(),
            readers: OnceLock::new(),
            senders: OnceLock::new(),
            files: files.clone(),
            is_partial,
            options,
            unknowns,
            unread,
            found,
            output: Output::default(),
        };
        let compiled = model.workloads(
            model.options.reveal_secrets,
            model.account.continued(),
            &memory,
        );
        model.found.append(compiled.found);
        model.account = compiled.account;
        if let Some(kept) = compiled.kept {
            project.memory.keep(files, kept);
        }
        model.output = model.compiled_output(compiled.workloads);
        model
    }

    fn compiled_output(&self, workloads: Vec<Arc<Workload>>) -> Output {
        let project = &self.project;
        let redacted: usize = workloads.iter().map(|workload| workload.redacted).sum();
        let copies = project.repository.copies.len();
        Output {
            refused: self.refused(),
            sources: project.texts.sources.clone(),
            redacted: redacted + copies,
            copies,
            generated: project.texts.generated.clone(),
            resources: workload::resources(&self.run(), &workloads),
            workloads,
            unread_charts: project.unread_charts(),
            ..Output::default()
        }
    }

    /// Compiles all workloads, with the findings about them. `reveals`: whether values of Secrets are printed as they are.
    fn workloads(&self, reveals: bool, account: Account, memory: &KeepsWorkloads) -> AllWorkloads {
        let keeps_workloads = matches!(memory, KeepsWorkloads::Of(_));
        workloads::all(
            &Run {
                reveals,
                keeps_workloads,
                ..self.run()
            },
            account,
            memory,
        )
    }

    /// Gives the findings their places, as those see them who do not lint.
    fn conclude(&mut self) {
        let mut sink = self.all_found();
        // No line that holds a secret is shown, whoever shows it; the finding itself is for `lint`. Where nothing was found, no
        // line is shown.
        if !sink.diagnostics().is_empty() {
            plain_secrets::check(&self.cluster, &mut sink);
        }
        let mut kept = operator::count_unchecked(self.place(sink));
        kept.retain(|diagnostic| *diagnostic.rule != plain_secrets::PLAIN_SECRET);
        // What is compiled must not lack a file in silence.
        let (kept, n_out_of_scope) = self.project.scoped(kept, &self.manifests, self.unread);
        self.output.diagnostics = kept;
        self.output.n_out_of_scope = n_out_of_scope;
    }

    /// The project that it is of.
    #[must_use]
    pub const fn project(&self) -> &Arc<Project> {
        &self.project
    }

    /// The typed objects.
    #[must_use]
    pub const fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// The objects of all kinds, as they are written.
    #[must_use]
    pub const fn manifests(&self) -> &Manifests {
        &self.manifests
    }

    /// The compiled workloads, the statuses of resources, and the findings that stand in the way of compiling.
    #[must_use]
    pub const fn output(&self) -> &Output {
        &self.output
    }

    /// The same, without the objects.
    #[must_use]
    pub fn into_output(self) -> Output {
        let Self {
            output,
            cluster,
            manifests,
            targets,
            ..
        } = self;
        // It takes a while to free them.
        parallel::join(|| drop(targets), || drop((cluster, manifests)));
        output
    }

    /// The same, and if no workload has one of these kinds, with one of default settings that stands in for those that are
    /// elsewhere. Says whether there is one.
    #[must_use]
    pub fn into_output_with_default(self, kinds: &[WorkloadKind]) -> (Output, bool) {
        let is_asked = |workload: &Arc<Workload>| kinds.contains(&workload.id.kind);
        let is_refused = self
            .output
            .refused
            .iter()
            .any(|(id, _)| kinds.contains(&id.kind));
        if is_refused || self.output.workloads.iter().any(is_asked) {
            return (self.output, false);
        }
        let mut stand_ins = self.stand_ins(&mut Sink::default());
        stand_ins.retain(is_asked);
        let has_one = !stand_ins.is_empty();
        for workload in stand_ins.iter_mut().map(Arc::make_mut) {
            (workload.id.namespace, workload.id.name) =
                ("elsewhere".to_owned(), "default".to_owned());
        }
        let mut output = self.output;
        output.workloads.extend(stand_ins);
        (output, has_one)
    }

    /// The same, with what targets are discovered from.
    #[must_use]
    pub fn into_discovery(self) -> (Output, Discovery) {
        let discovery = match self.targets.into_inner() {
            Some(targets) => targets.discovery,
            None => ModelTargets::read(&self.manifests, &self.cluster, &self.options).discovery,
        };
        (self.output, discovery)
    }

    /// The origin of the relabel rules of the jobs.
    #[must_use]
    pub fn rule_origins(&self) -> LazyRuleOrigins<'_> {
        LazyRuleOrigins::new(self.run())
    }

    /// The source of the targets.
    #[must_use]
    pub fn discovery(&self) -> &Discovery {
        &self.targets().discovery
    }

    /// The alerts of the PrometheusRules, by resource and in the order of each: one for each namespace that its series have.
    #[must_use]
    pub fn alerts(&self) -> Vec<Alert> {
        let cluster = &self.cluster;
        // The Alertmanager that stands in for one elsewhere asks for labels, too.
        if cluster.alertmanagers.is_empty() && !cluster.alertmanager_configs.is_empty() {
            return self.view_with_stand_ins(alerts::of_series);
        }
        self.view(&[], alerts::of_series)
    }

    /// Which servers evaluate the alerts, and the Alertmanagers that they send them to.
    #[must_use]
    pub fn senders(&self) -> &AlertSenders {
        let ask = || self.view(&[], AlertSenders::of);
        self.senders.get_or_init(ask)
    }

    /// Compiles a workload with other shards or zones. Of the result only what `keep` makes of it is kept: a workload of many
    /// shards is big.
    ///
    /// # Errors
    /// Why the resource would be refused, or could not be compiled.
    pub fn reshard<T>(
        &self,
        id: &WorkloadId,
        reshard: &Reshard,
        keep: impl FnOnce(&Workload) -> T,
    ) -> Result<T, String> {
        workload::reshard(&self.run(), id, reshard).map(|workload| keep(&workload))
    }

    /// Compiles a workload with another manifest. `None` if the API server would refuse it.
    pub fn edited(&self, id: &WorkloadId, manifest: &Value) -> Option<Arc<Workload>> {
        let run = Run {
            reveals: false,
            ..self.run()
        };
        let parsed = yaml::read::read(
            FileId::new(u32::MAX),
            &to_json(manifest),
            &mut Sink::default(),
        );
        let root = parsed.into_iter().next()?.root;
        workload::edited(&run, id, |_| Node::clone(&root)).ok()
    }

    /// Each workload, in the order of the output, with all the reshards that are asked for: what was kept of each, or why the
    /// resource would be refused, or could not be compiled.
    pub fn reshards<T: Send>(
        &self,
        asked: impl Fn(&Workload) -> Vec<Reshard> + Sync,
        keep: impl Fn(&Workload) -> T + Sync,
    ) -> Vec<Vec<Result<T, String>>> {
        let of_workload = |workload: &Arc<Workload>| {
            parallel::map(&asked(workload), 1, |reshard| {
                self.reshard(&workload.id, reshard, &keep)
            })
        };
        parallel::map(&self.output.workloads, 1, of_workload)
    }

    /// What becomes of the same objects with the values of Secrets: the same, if there is none.
    pub fn revealed(&self) -> Output {
        // They have the same findings.
        let AllWorkloads { workloads, .. } =
            self.workloads(true, self.account.fresh(), &KeepsWorkloads::None);
        let resources = workload::resources(
            &Run {
                reveals: true,
                ..self.run()
            },
            &workloads,
        );
        Output {
            workloads,
            resources,
            ..Output::default()
        }
    }

    /// The memory that the workloads take, with that of others before.
    #[must_use]
    pub fn spent(&self) -> u64 {
        self.account.spent()
    }

    /// The findings in the texts and in what they compile to, without places.
    pub fn all_found(&self) -> Sink {
        let mut all = self.project.found.clone();
        all.append(self.found.clone());
        all
    }

    /// The findings in the objects and in what they compile to, without places.
    pub const fn own_found(&self) -> &Sink {
        &self.found
    }

    /// Compiles what no workload in the input selects, for workloads that stand in for those that are elsewhere.
    pub(crate) fn stand_ins(&self, sink: &mut Sink) -> Vec<Arc<Workload>> {
        self.stand_ins_with_cost(sink).0
    }

    /// Compiles them, and returns the memory that they take with the workloads of the model.
    pub fn stand_ins_with_cost(&self, sink: &mut Sink) -> (Vec<Arc<Workload>>, u64) {
        let (workloads, account) = stand_in::stand_ins(&self.run(), self.account.continued(), sink);
        (workloads, account.spent())
    }

    /// The same for a comparison with another model, of which no workload selects them either.
    pub fn stand_ins_beside(&self, other: &Self) -> Vec<Arc<Workload>> {
        let (selected, _) = stand_in::by_selection(&other.cluster);
        stand_in::stand_ins_beside(
            &Run {
                reveals: false,
                ..self.run()
            },
            self.account.continued(),
            &selected,
        )
    }

    /// Returns whether there is a resource that no workload selects.
    pub fn has_unselected(&self) -> bool {
        stand_in::has_unselected(&self.cluster)
    }

    /// The rules and panels that read series.
    pub fn readers(&self) -> &[SeriesReader] {
        let ask = || self.view(&[], readers::all);
        self.readers.get_or_init(ask)
    }

    /// Asks about the model with workloads that stand in for those that are elsewhere. Their findings are for `lint`.
    pub fn view_with_stand_ins<T>(&self, ask: impl FnOnce(&World<'_>) -> T) -> T {
        self.view(&self.stand_ins(&mut Sink::default()), ask)
    }

    /// Asks about the model, as checks and explanations see it: with workloads that stand in for those that are elsewhere.
    pub fn view<T>(&self, stand_ins: &[Arc<Workload>], ask: impl FnOnce(&World<'_>) -> T) -> T {
        let targets = self.targets();
        let all = self.output.workloads.iter().chain(stand_ins);
        let workloads: Vec<&Workload> = all.map(|workload| &**workload).collect();
        let reach = WorkloadPaths::new(&self.cluster, &targets.others, &workloads);
        ask(&World {
            model: self,
            workloads: &workloads,
            reach: &reach,
            rule_origins: &self.rule_origins(),
        })
    }

    /// Why there may be jobs that this model lacks: those of charts, of other environments, of builds that fail.
    fn may_lack_jobs(&self) -> Option<String> {
        if self.is_partial {
            return Some("a part of the build is lacking".to_owned());
        }
        if let Some(unread) = lineage::unread_charts(self.project.found.diagnostics()) {
            return Some(unread);
        }
        if let Some(document) = self
            .manifests
            .documents
            .iter()
            .find(|document| document.origin.is_unrendered())
        {
            return Some(format!(
                "the chart of {} is not rendered",
                document.resource()
            ));
        }
        let folders = || {
            self.project
                .environments()
                .iter()
                .flat_map(|environment| &environment.folders)
        };
        let is_here = |path: &str| {
            let path = path.trim_start_matches("./").trim_end_matches('/');
            folders().any(|folder| folder.trim_start_matches("./") == path)
        };
        let elsewhere = || lineage::applied_elsewhere(self.manifests.iter(), &is_here);
        let renders = self.options.rendered.is_some();
        if let Some(elsewhere) = elsewhere().filter(|_| !renders) {
            return Some(elsewhere);
        }
        self.lacks_jobs_of_others()
            .then(|| "another environment of the repository has jobs of its own".to_owned())
    }

    /// Returns whether another environment has a monitor that this one does not have.
    fn lacks_jobs_of_others(&self) -> bool {
        let environments = self.project.environments();
        if environments.len() <= 1 || self.files.is_empty() {
            return false;
        }
        let name = |root: &Node| {
            let text = |keys: &[&str]| root.text_at(keys).unwrap_or_default().to_owned();
            let kind = Kind::named(&text(&["kind"])).filter(|kind| makes_jobs(*kind))?;
            Some((
                kind,
                text(&["metadata", "namespace"]),
                text(&["metadata", "name"]),
            ))
        };
        let nodes = self
            .manifests
            .documents
            .iter()
            .map(|document| &document.node);
        // Overlays give other names to what they have of the same base.
        let (mut own, mut places) = (BTreeSet::new(), BTreeSet::new());
        for (name, place) in nodes.filter_map(|node| Some((name(node)?, node.span))) {
            own.insert(name);
            places.insert(place);
        }
        let documents = environments
            .iter()
            .flat_map(|environment| &environment.documents);
        let mut others =
            documents.filter_map(|document| Some((name(&document.root)?, document.root.span)));
        others.any(|(name, place)| !own.contains(&name) && !places.contains(&place))
    }

    /// Gives every finding its place.
    pub fn place(&self, found: Sink) -> Vec<Diagnostic> {
        let unchecked = operator::unchecked(self.operator(), &found);
        let mut diagnostics = found.into_diagnostics();
        diagnostics.extend(unchecked);
        diagnostics.retain(|diagnostic| !stand_in::is_about_stand_in(diagnostic));
        let mut placed = locate::place(
            diagnostics,
            &self.manifests.documents,
            self.project.places(),
        );
        self.project.point_into_texts(&mut placed);
        placed
    }

    /// The model with those of its findings that are asked for.
    #[must_use]
    pub fn with_found(mut self, is_asked: &mut dyn FnMut(&Diagnostic) -> bool) -> Self {
        self.output.diagnostics.retain(|found| is_asked(found));
        self
    }

    /// The release of the operator that it is compiled for.
    #[must_use]
    pub fn operator(&self) -> &Version {
        self.options.target.operator_version()
    }

    /// The release of the operator that the objects show.
    #[must_use]
    pub const fn shown_operator(&self) -> Option<&Version> {
        self.shown_operator.as_ref()
    }

    /// The permissions and policies of its objects.
    fn access(&self) -> &AccessModel {
        self.access.get_or_init(|| {
            let is_alone = self.project.environments().len() <= 1;
            let is_own =
                |file: FileId| is_alone || self.files.is_empty() || self.files.contains(&file);
            let files = AccessFiles {
                is_own: &is_own,
                elsewhere: &|| (!is_alone).then(|| self.project.permissions()),
                is_partial: self.is_partial,
            };
            AccessModel::read(&self.manifests, &self.options, &self.unknowns, &files)
        })
    }

    fn targets(&self) -> &ModelTargets {
        self.targets.get_or_init(|| self.read_targets())
    }

    fn read_targets(&self) -> ModelTargets {
        ModelTargets::read(&self.manifests, &self.cluster, &self.options)
    }

    /// The context of the workloads.
    fn run(&self) -> Run<'_> {
        Run {
            options: &self.options,
            cluster: &self.cluster,
            reveals: self.options.reveal_secrets,
            templates: &self.project.templates,
            manifests: &self.manifests,
            sources: self.project.sources(),
            documents: &self.manifests.documents,
            limits: &self.project.limits,
            keeps_workloads: false,
        }
    }

    /// The operator's objects that the API server refuses.
    #[must_use]
    pub fn refused_objects(&self) -> Vec<ResourceName> {
        let objects = self.cluster.refused.objects.iter();
        let own = objects.filter(|refused| Kind::OF_OPERATOR.contains(&refused.kind));
        let name = |of: &RefusedObject| ResourceName {
            kind: of.kind,
            namespace: of.namespace.clone(),
            name: of.name.clone(),
        };
        own.map(name).collect()
    }

    /// The workloads that the API server refuses, each with the reason.
    fn refused(&self) -> Vec<(WorkloadId, String)> {
        let id = |refused: &RefusedObject| {
            let kind = WorkloadKind::ALL
                .into_iter()
                .find(|kind| kind.resource() == Some(refused.kind))?;
            Some(WorkloadId {
                kind,
                namespace: refused.namespace.clone(),
                name: refused.name.clone(),
            })
        };
        let refused = self.cluster.refused.objects.iter();
        refused
            .filter_map(|refused| Some((id(refused)?, refused.why.clone())))
            .collect()
    }
}
