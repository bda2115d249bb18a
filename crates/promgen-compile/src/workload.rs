//! One workload, through all phases.
//!
//! In: the resource and the context of the run. Out: the compiled [`Workload`]. If the operator stops, the workload
//! contains its error and the objects that it writes before.

pub mod alertmanager;
pub mod bound;
mod command;
pub mod kept;
pub mod origins;
pub mod owner;
pub mod pod_checks;
pub mod reads;
mod reshard;
mod retained;
pub mod stand_in;
mod status;
mod storage_class;
mod thanos_ruler;

use std::sync::Arc;

use crate::cluster::assets::AssetStore;
use crate::cluster::{Cluster, Object};
use crate::context::{Account, WorkloadContext};
use crate::lower::prometheus::additional;
use crate::lower::prometheus::config::{self, LoweredConfig};
use crate::lower::status::{self as lowered, facts::Facts};
use crate::lower::workload::object::Parent;
use crate::lower::workload::prometheus::{ConfigManager, ServerFacts};
use crate::lower::workload::{WorkloadObjects, ignored, prometheus as objects};
use crate::options::Options;
use crate::output::normal::insert_namespace;
use crate::output::{
    Config, Job, MAX_SECRET_BYTES, Origin, RuleFile, Selected, Workload, WorkloadId, WorkloadKind,
};
use crate::paths::{SPEC, name_at, spec_at};
use crate::select::admit::{InField, Refusal};
use crate::select::selector::{self, WorkloadSelector};
use crate::select::{self, Selection, rule_files, self_refs, words};
use crate::sharding;
use crate::sharding::template::{Placement, Templates};
use crate::workload::kept::Uncompiled;
use crate::workload::reads::Reads;
pub use alertmanager::alertmanager;
use promgen_resources::api::meta::ObjectMeta;
use promgen_resources::api::servers::common::CommonPrometheusFields;
use promgen_resources::api::servers::prometheus::PrometheusSpec;
use promgen_resources::api::{DaemonSetMode, Prometheus, PrometheusAgent, Resource};
use promgen_resources::document::{self, Document, Manifests};
use promgen_resources::gates::{self, Target, Versions};
use promgen_resources::locate;
use promgen_text::diag::{Diagnostic, Sink, rules};
use promgen_text::go::quote::quote;
use promgen_text::limits::Limits;
use promgen_text::parallel;
use promgen_text::route::{At, DocId};
use promgen_text::source::Sources;
use promgen_text::version::Version;
use promgen_text::yaml::Value;
pub use reshard::{edited, reshard};
pub use status::resources;
pub use thanos_ruler::thanos_ruler;

rules! {
    /// ## What it does
    /// Reports a workload that the operator fails to reconcile, with the operator's error.
    ///
    /// ## Why is this bad?
    /// Its condition Reconciled becomes False, and the change has no effect.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   additionalArgs:
    ///   - name: config.file
    ///     value: /tmp/prometheus.yaml
    /// ```
    /// Use instead: no arguments that the operator sets itself.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   additionalArgs:
    ///   - name: log.format
    ///     value: json
    /// ```
    NOT_RECONCILED = "PG502" "not-reconciled" Error: "a workload that the operator fails to reconcile";

    /// ## What it does
    /// Finds workloads whose compressed configuration does not fit into a Secret.
    ///
    /// ## Why is this bad?
    /// The API server refuses a Secret of more than 1 MiB, so the operator cannot write the configuration, and the pods
    /// keep the previous one.
    ///
    /// ## Example
    /// A Prometheus that selects tens of thousands of monitors with long relabelings.
    ///
    /// Use instead: several Prometheuses, each with its own selector.
    SECRET_TOO_LARGE = "PG504" "secret-too-large" Error: "a configuration that does not fit into a Secret";
}

/// The context that all workloads of a run share.
#[derive(Debug)]
pub struct Run<'a> {
    /// The options.
    pub options: &'a Options,
    /// All objects.
    pub cluster: &'a Cluster,
    /// Values of Secrets are printed as they are.
    pub reveals: bool,
    /// Templates.
    pub templates: &'a Templates,
    /// The documents, by index.
    pub documents: &'a [Document],
    /// The objects of all kinds.
    pub manifests: &'a Manifests,
    /// Texts, for findings in templates.
    pub sources: &'a Sources,
    /// The limits of the run.
    pub limits: &'a Limits,
    /// A later run may have the workloads, so that what they read is listed.
    pub keeps_workloads: bool,
}

impl<'a> Run<'a> {
    /// What a workload reads of Secrets and ConfigMaps: nothing yet.
    fn store(&self) -> AssetStore<'a> {
        AssetStore::new(self.cluster, self.options.assume, self.reveals)
    }
}

/// What a workload compiles to. It depends on the run and the resource alone: of the objects of the run on those that it has
/// read, and on how much memory others have taken.
#[derive(Debug)]
pub struct CompiledWorkload {
    /// The workload. `None`: a finding says why, or the memory is spent.
    pub workload: Option<Arc<Workload>>,
    /// The findings about it and about what it selects.
    pub found: Sink,
    /// The objects that it has read, if the run keeps its workloads.
    pub reads: Option<Reads>,
    /// The memory that others have taken before it, and that it has taken.
    pub account: Account,
}

impl CompiledWorkload {
    fn new(
        run: &Run<'_>,
        own: &Uncompiled<'_>,
        workload: Option<Workload>,
        found: Sink,
        account: Account,
        store: &AssetStore<'_>,
    ) -> Self {
        let reads = run
            .keeps_workloads
            .then(|| Reads::of(run, own, store.asked()));
        Self {
            workload: workload.map(Arc::new),
            found,
            reads,
            account,
        }
    }
}

/// The fields that servers and agents share.
#[derive(Clone, Copy, Debug)]
struct ServerSubject<'a> {
    kind: WorkloadKind,
    doc: DocId,
    metadata: &'a ObjectMeta,
    namespace: &'a str,
    common: &'a CommonPrometheusFields,
    server: Option<&'a PrometheusSpec>,
    daemon_set: bool,
}

impl<'a> ServerSubject<'a> {
    fn of_prometheus(resource: &'a Object<Prometheus>) -> Self {
        let spec = &resource.value.spec;
        Self {
            kind: WorkloadKind::Prometheus,
            doc: resource.doc,
            metadata: resource.value.metadata(),
            namespace: resource.namespace(),
            common: &spec.common,
            server: Some(spec),
            daemon_set: false,
        }
    }

    fn of_agent(run: &Run<'_>, resource: &'a Object<PrometheusAgent>) -> Self {
        let spec = &resource.value.spec;
        let has_daemon_sets = run.options.target.enabled(&gates::AGENT_DAEMON_SET);
        Self {
            kind: WorkloadKind::PrometheusAgent,
            doc: resource.doc,
            metadata: resource.value.metadata(),
            namespace: resource.namespace(),
            common: &spec.common,
            server: None,
            daemon_set: spec.mode == Some(DaemonSetMode::DaemonSet) && has_daemon_sets,
        }
    }

    fn parent(&self, run: &Run<'a>) -> Parent<'a> {
        let new = if self.server.is_some() {
            Parent::new::<Prometheus>
        } else {
            Parent::new::<PrometheusAgent>
        };
        new(self.namespace, self.metadata, run.options, run.cluster)
    }
}

/// Compiles a Prometheus.
#[must_use]
pub fn prometheus(
    run: &Run<'_>,
    resource: &Object<Prometheus>,
    account: Account,
) -> CompiledWorkload {
    compiled(
        run,
        &ServerSubject::of_prometheus(resource),
        selector::of_prometheus(resource),
        account,
    )
}

/// Compiles a PrometheusAgent.
#[must_use]
pub fn agent(
    run: &Run<'_>,
    resource: &Object<PrometheusAgent>,
    account: Account,
) -> CompiledWorkload {
    compiled(
        run,
        &ServerSubject::of_agent(run, resource),
        selector::of_agent(resource),
        account,
    )
}

fn compiled(
    run: &Run<'_>,
    subject: &ServerSubject<'_>,
    selectors: Vec<WorkloadSelector<'_>>,
    account: Account,
) -> CompiledWorkload {
    let store = run.store();
    let mut found = Sink::default();
    let inputs = InContext {
        store: &store,
        account: &account,
        traces_rules: false,
    };
    let workload = in_context(run, subject, &inputs, &mut found, |cx, no_version, sink| {
        compile(run, subject, cx, no_version, sink)
    });
    let own = Uncompiled {
        kind: subject.kind,
        doc: subject.doc,
        selectors,
    };
    CompiledWorkload::new(run, &own, workload, found, account, &store)
}

/// The parts of a context beside the run and the workload.
struct InContext<'a> {
    store: &'a AssetStore<'a>,
    account: &'a Account,
    traces_rules: bool,
}

/// Does something in the context of a workload, which has its shards and versions; or an error in place of its version. `None`
/// if there is no context, which a finding says.
fn in_context<T>(
    run: &Run<'_>,
    subject: &ServerSubject<'_>,
    inputs: &InContext<'_>,
    sink: &mut Sink,
    then: impl FnOnce(&WorkloadContext<'_>, Result<(), Refusal>, &mut Sink) -> Option<T>,
) -> Option<T> {
    let n_shards = sharding::shard_count(subject.common, subject.doc, sink)?;
    if !sharding::has_zones(subject.common, subject.doc, sink) {
        return None;
    }
    sharding::check_label(subject.common, subject.doc, sink);
    let target = &run.options.target;
    let (versions, no_version) = match versions(target, subject.common, subject.server) {
        Ok(versions) => (versions, Ok(())),
        Err(error) => (Versions::of_target(target), Err(error)),
    };
    let retained = subject.server.is_some()
        && target.enabled(&gates::SHARD_RETENTION)
        && versions.has(&gates::RETAINED_SHARDS_IDLE);
    let sharding = match sharding::prepare(
        subject.common,
        n_shards,
        &versions,
        target,
        retained,
        run.templates,
    ) {
        Ok(sharding) => sharding,
        Err(failure) => {
            run.templates.report(&failure, run.sources, sink);
            return None;
        }
    };
    sharding::report_duplicates(
        &sharding.plan,
        &sharding::zones_at(subject.common, subject.doc),
        sink,
    );
    sharding::report_surplus(&sharding.plan, subject.doc, sink);
    let cx = WorkloadContext {
        doc: subject.doc,
        namespace: subject.namespace,
        name: &subject.metadata.name,
        versions: &versions,
        target,
        common: subject.common,
        server: subject.server,
        daemon_set: subject.daemon_set,
        traces_rules: inputs.traces_rules,
        assets: inputs.store,
        sharding: &sharding,
        account: inputs.account,
    };
    then(&cx, no_version, sink)
}

fn compile(
    run: &Run<'_>,
    subject: &ServerSubject<'_>,
    cx: &WorkloadContext<'_>,
    no_version: Result<(), Refusal>,
    sink: &mut Sink,
) -> Option<Workload> {
    let class = storage_class::check(run, subject.doc);
    // Agents come to it after their configuration.
    let (first, later) = if subject.server.is_some() {
        (class, Ok(()))
    } else {
        (Ok(()), class)
    };
    let is_fit = first
        .and(no_version)
        .and_then(|()| self_refs::sharding(cx, sink));
    let selection = is_fit.and_then(|()| select(cx, run.cluster, sink));
    let (config, written) = match &selection {
        Ok(selection) => write(run, subject, cx, later.as_ref().err(), selection, sink),
        Err(failure) => (None, WorkloadObjects::stopped(failure.clone())),
    };
    if cx.account.excess().is_some() {
        return None;
    }
    Some(assemble(
        run,
        subject,
        cx,
        selection.ok().as_ref(),
        config,
        written,
        sink,
    ))
}

/// The selection of the workload. Agents select while they generate their configuration.
fn select<'a>(
    cx: &WorkloadContext<'_>,
    cluster: &'a Cluster,
    sink: &mut Sink,
) -> Result<Selection<'a>, Refusal> {
    let selection = select::select(cx, cluster, sink).map_err(Refusal::of_name);
    if cx.server.is_some() {
        selection
    } else {
        selection.within("creating config failed")
    }
}

/// The configuration and the objects that the operator writes before it stops.
fn write(
    run: &Run<'_>,
    subject: &ServerSubject<'_>,
    cx: &WorkloadContext<'_>,
    class: Option<&Refusal>,
    selection: &Selection<'_>,
    sink: &mut Sink,
) -> (Option<Config>, WorkloadObjects) {
    if cx.common.paused == Some(true) {
        return (None, WorkloadObjects::default());
    }
    ignored::of_server(cx, sink);
    let config = unsupported(cx)
        .map_or_else(|| self_refs::scrape_classes(cx, sink), Err)
        .and_then(|()| configuration(cx, selection, sink));
    let config = config.map(|written| written.map(|written| with_origins(written, run)));
    let mut parent = subject.parent(run);
    if let Ok(Some(config)) = &config {
        parent = parent.with_config(config, &cx.sharding.plan);
        report_size(&parent, config, cx.doc, sink);
    }
    let facts = ServerFacts {
        parent,
        config: match &config {
            Ok(Some(_)) => Ok(ConfigManager::Generated),
            Ok(None) => Ok(ConfigManager::Unmanaged),
            Err(refusal) => Err(refusal),
        },
        storage_class: class,
        tls_assets: &cx.assets.tls_assets(),
        rule_files: match selection.rule_files.as_slice() {
            [] => &[],
            _ => &selection.rule_config_maps,
        },
        has_config_secret: cx
            .assets
            .has_secret(cx.namespace, &objects::config_secret_name(cx)),
        governing_service: cx
            .common
            .service_name
            .as_deref()
            .and_then(|name| cx.assets.service(cx.namespace, name)),
    };
    let mut objects = objects::objects(cx, &facts);
    if objects.error.is_none() {
        objects.objects.extend(retained::shards(run, cx));
    }
    (config.ok().flatten(), objects)
}

/// Reports a configuration that does not fit into a Secret.
fn report_size(parent: &Parent<'_>, config: &Config, doc: DocId, sink: &mut Sink) {
    if parent.packs_config
        && let Some(size) = config.packed_excess()
    {
        let message = format!(
            "the configuration of {}/{} has {size} compressed: the maximum of a Secret is {MAX_SECRET_BYTES}",
            parent.namespace, parent.metadata.name
        );
        let at = name_at(doc);
        sink.report(
            Diagnostic::new(&SECRET_TOO_LARGE, at, message)
                .help("select fewer monitors, or split the workload"),
        );
    }
}

/// The configuration; `None` if the operator leaves it to the user.
fn configuration(
    cx: &WorkloadContext<'_>,
    selection: &Selection<'_>,
    sink: &mut Sink,
) -> Result<Option<LoweredConfig>, Refusal> {
    if cx.is_unmanaged() {
        return Ok(None);
    }
    generate(cx, selection, sink)
        .map(Some)
        .within("creating config failed")
}

/// The configuration with the places of its sources.
fn with_origins(LoweredConfig { head, jobs, tail }: LoweredConfig, run: &Run<'_>) -> Config {
    let spans = parallel::map(&jobs, 256, |(_, origin)| {
        locate::locate(origin, run.documents)
    });
    let jobs = jobs
        .into_iter()
        .zip(spans)
        .map(|((job, _), origin)| Job { origin, ..job })
        .collect();
    Config::of_jobs(head, jobs, tail)
}

fn generate(
    cx: &WorkloadContext<'_>,
    selection: &Selection<'_>,
    sink: &mut Sink,
) -> Result<LoweredConfig, Refusal> {
    self_refs::references(cx, sink)?;
    let additional = additional::load(cx, sink)?;
    let names = objects::rule_file_names(cx, selection.rule_config_maps.len());
    let has_rules = cx.server.is_some_and(|s| s.rule_selector.is_some());
    config::config(
        cx,
        selection,
        has_rules.then_some(names.as_slice()),
        &additional,
        sink,
    )
    .within("generating config failed")
}

/// The versions that a workload is compiled for: the one from the options, else the resource's own, else the
/// operator's default.
///
/// # Errors
/// The resource's version is invalid, in the operator's words.
pub fn versions(
    target: &Target,
    common: &CommonPrometheusFields,
    server: Option<&PrometheusSpec>,
) -> Result<Versions, Refusal> {
    let mut versions = Versions::of_target(target);
    let thanos = server
        .and_then(|s| s.thanos.as_ref())
        .and_then(|t| t.version.as_deref());
    // An invalid one is an error of the sidecar.
    versions.thanos = thanos.and_then(Version::parse).unwrap_or(versions.thanos);
    let own = common.version.as_deref().filter(|v| !v.trim().is_empty());
    if let Some(text) = own.filter(|_| target.prometheus.is_none()) {
        versions.prometheus = Version::parse_tolerant(text)
            .map_err(|e| of_version(format!("failed to parse Prometheus version: {e}")))?;
    }
    Ok(versions)
}

fn of_version(message: String) -> Refusal {
    Refusal::new(&SPEC.key("version"), message)
}

/// Why the operator does not run this version at all, in its words.
fn unsupported(cx: &WorkloadContext<'_>) -> Option<Refusal> {
    if cx.versions.generation().is_some() {
        return None;
    }
    let forced = cx.target.prometheus.as_ref().map(ToString::to_string);
    let own = cx.common.version.clone().filter(|v| !v.trim().is_empty());
    let version = forced
        .or(own)
        .unwrap_or_else(|| cx.target.default_prometheus().to_owned());
    Some(of_version(format!(
        "unsupported Prometheus version {}",
        quote(&version)
    )))
}

fn assemble(
    run: &Run<'_>,
    subject: &ServerSubject<'_>,
    cx: &WorkloadContext<'_>,
    selection: Option<&Selection<'_>>,
    config: Option<Config>,
    written: WorkloadObjects,
    sink: &mut Sink,
) -> Workload {
    let (metadata, cluster, assume) = (subject.metadata, run.cluster, run.options.assume);
    let is_empty = selection.is_some_and(Selection::is_empty);
    let assembly = Assembly {
        run,
        id: WorkloadId::new(subject.kind, cx.namespace, cx.name),
        doc: cx.doc,
        metadata,
    };
    let workload = assembly.workload(
        written,
        |id, refusal, sink| not_reconciled(cx.doc, id, refusal, sink),
        |id, error| lowered::prometheus::facts(cx, id, metadata, cluster, assume, is_empty, error),
        sink,
    );
    let files = selection
        .filter(|_| cx.common.paused != Some(true))
        .map(|selection| selection.rule_files.as_slice());
    Workload {
        selected: selected(cx, selection, workload.error.as_deref()),
        redacted: cx.assets.redacted(),
        prometheus: Some(cx.versions.prometheus.clone()),
        plan: cx.sharding.plan.clone(),
        sharding_rules: cx
            .sharding
            .by_address()
            .iter()
            .map(|sharing| sharing.rule.clone().into())
            .collect(),
        placements: cx
            .sharding
            .placements
            .iter()
            .map(Placement::to_value)
            .collect(),
        config,
        rule_files: rule_files(run, files.unwrap_or_default()),
        ..workload
    }
}

/// A workload whose objects are made.
struct Assembly<'a> {
    run: &'a Run<'a>,
    id: WorkloadId,
    doc: DocId,
    metadata: &'a ObjectMeta,
}

impl Assembly<'_> {
    /// What all kinds of workloads have. `stopped` reports why the operator stopped, and returns its error.
    fn workload(
        self,
        written: WorkloadObjects,
        stopped: impl FnOnce(&WorkloadId, Refusal, &mut Sink) -> String,
        facts: impl FnOnce(&WorkloadId, Option<&str>) -> Facts,
        sink: &mut Sink,
    ) -> Workload {
        let Self {
            run,
            id,
            doc,
            metadata,
        } = self;
        let error = written.error.map(|refusal| stopped(&id, refusal, sink));
        let refused =
            pod_checks::check(run, doc, &id, &written.objects, sink).filter(|_| error.is_none());
        let mut facts = facts(&id, error.as_deref());
        facts.refuse(refused);
        Workload {
            web_config: written.web_config,
            objects: command::obey(run, metadata, written.objects),
            resource: manifest(run.documents, doc),
            status: status::status(run, facts, doc),
            error,
            ..Workload::new(id)
        }
    }
}

/// Reports that the operator stopped, and returns its error.
fn not_reconciled(doc: DocId, id: &WorkloadId, refusal: Refusal, sink: &mut Sink) -> String {
    let error = refusal.message;
    let message = format!(
        "the operator does not reconcile {}/{}: {error}",
        id.namespace, id.name
    );
    let help = refusal.help.or_else(|| words::help(&error));
    let found = Diagnostic::new(
        &NOT_RECONCILED,
        At {
            doc,
            route: refusal.route,
        },
        message,
    );
    sink.report(help.into_iter().fold(found, Diagnostic::help));
    error
}

/// The rule files, with the places of their sources. The operator writes none for a paused workload.
fn rule_files(run: &Run<'_>, files: &[rule_files::NamedRuleFile]) -> Vec<RuleFile> {
    let file = |file: &rule_files::NamedRuleFile| RuleFile {
        name: file.name.clone(),
        text: file.text.clone(),
        groups: groups(file, run.documents),
    };
    files.iter().map(file).collect()
}

/// Returns whether the operator writes the verdicts into the status of resources, for a workload that has that error.
fn binds(target: &Target, error: Option<&str>) -> bool {
    target.enabled(&gates::CONFIG_RESOURCE_STATUS)
        && target.has(&gates::STATUS_BINDINGS)
        && (error.is_none() || target.has(&gates::BINDINGS_OF_FAILED))
}

/// The sources of the groups of a file.
fn groups(file: &rule_files::NamedRuleFile, documents: &[Document]) -> Vec<Origin> {
    let origin = |(index, start): (usize, &usize)| {
        let at = spec_at(file.doc).key("groups").index(index);
        Origin {
            start: *start,
            span: locate::locate(&at, documents),
        }
    };
    file.groups.iter().enumerate().map(origin).collect()
}

/// The verdicts of the workload on what it selects. Only servers write them into the status of resources.
fn selected(
    cx: &WorkloadContext<'_>,
    selection: Option<&Selection<'_>>,
    error: Option<&str>,
) -> Selected {
    let is_server = cx.server.is_some();
    let is_bound = is_server && cx.common.paused != Some(true) && binds(cx.target, error);
    Selected {
        kinds: selection
            .map(|selection| selection.selected_kinds(is_server))
            .unwrap_or_default(),
        error: if selection.is_none() {
            error.map(str::to_owned)
        } else {
            None
        },
        is_bound,
        // An agent looks at its version and its scrape classes before it selects.
        is_silent: !is_server
            && cx.common.paused != Some(true)
            && (unsupported(cx).is_some()
                || self_refs::scrape_classes(cx, &mut Sink::default()).is_err()),
    }
}

/// The resource as written, without status, in its final namespace.
fn manifest(documents: &[Document], doc: DocId) -> Value {
    let Some(document) = document::find(documents, doc) else {
        return Value::Null;
    };
    let mut value = document.node.to_value();
    if let Some(map) = value.as_map_mut() {
        map.remove("status");
        if let Some(Value::Map(metadata)) = map.get_mut("metadata")
            && metadata.get("namespace").is_none()
        {
            insert_namespace(metadata, &document.namespace);
        }
    }
    value
}
