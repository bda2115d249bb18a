//! One workload, through all phases.
//!
//! In: the resource and everything that the run knows. Out: the compiled [`Workload`]. Where the operator would stop, the
//! workload carries its error and what it had written before.

use crate::api::common::CommonPrometheusFields;
use crate::api::meta::ObjectMeta;
use crate::api::prometheus::PrometheusSpec;
use crate::api::{DaemonSetMode, Prometheus, PrometheusAgent, Resource};
use crate::assets::Assets;
use crate::cluster::{Cluster, Object};
use crate::context::Ctx;
use crate::diag::{Diagnostic, Rule, Sink, rule};
use crate::document::Document;
use crate::gates::{self, Versions};
use crate::lower::workload::{self as objects, Facts};
use crate::lower::{config, status};
use crate::options::Options;
use crate::output::{Config, Workload, WorkloadId, WorkloadKind};
use crate::route::{At, DocId};
use crate::select::admit::check_timeout;
use crate::select::{self, Selection};
use crate::sharding;
use crate::source::Sources;
use crate::template::Templates;
use crate::version::Version;
use crate::yaml::Value;

rule! {
    /// ## What it does
    /// Reports a workload that the operator fails to reconcile, in its words.
    ///
    /// ## Why is this bad?
    /// Its condition Reconciled becomes False, and nothing of the change takes effect.
    pub(crate) static NOT_RECONCILED = "PG502" "not-reconciled" {
        summary: "a workload that the operator fails to reconcile", level: Error, since: "0.1.0",
    }
}

/// Rules of this module.
pub(crate) static RULES: &[&Rule] = &[&NOT_RECONCILED];

/// What all workloads of a run share.
#[derive(Debug)]
pub(crate) struct Run<'a> {
    /// What the user asks for.
    pub(crate) options: &'a Options,
    /// All objects.
    pub(crate) cluster: &'a Cluster,
    /// Secrets and ConfigMaps.
    pub(crate) assets: &'a Assets<'a>,
    /// Templates.
    pub(crate) templates: &'a Templates,
    /// The documents, by their number.
    pub(crate) documents: &'a [Document<'a>],
    /// Texts, for findings in templates.
    pub(crate) sources: &'a Sources,
}

/// What servers and agents have in common.
#[derive(Clone, Copy, Debug)]
struct Subject<'a> {
    kind: WorkloadKind,
    doc: DocId,
    metadata: &'a ObjectMeta,
    namespace: &'a str,
    common: &'a CommonPrometheusFields,
    server: Option<&'a PrometheusSpec>,
    daemon_set: bool,
}

/// Compiles a Prometheus.
pub(crate) fn prometheus(run: &Run<'_>, resource: &Object<Prometheus>, sink: &mut Sink) -> Option<Workload> {
    let spec = &resource.value.spec;
    let subject = Subject {
        kind: WorkloadKind::Prometheus,
        doc: resource.doc,
        metadata: resource.value.metadata(),
        namespace: resource.namespace(),
        common: &spec.common,
        server: Some(spec),
        daemon_set: false,
    };
    compile(run, &subject, sink)
}

/// Compiles a PrometheusAgent.
pub(crate) fn agent(run: &Run<'_>, resource: &Object<PrometheusAgent>, sink: &mut Sink) -> Option<Workload> {
    let spec = &resource.value.spec;
    let subject = Subject {
        kind: WorkloadKind::PrometheusAgent,
        doc: resource.doc,
        metadata: resource.value.metadata(),
        namespace: resource.namespace(),
        common: &spec.common,
        server: None,
        daemon_set: spec.mode == Some(DaemonSetMode::DaemonSet) && run.options.target.enabled(&gates::AGENT_DAEMON_SET),
    };
    compile(run, &subject, sink)
}

fn compile(run: &Run<'_>, subject: &Subject<'_>, sink: &mut Sink) -> Option<Workload> {
    let n_shards = sharding::shard_count(subject.common, subject.doc, sink)?;
    let (versions, mut error) = match versions(run.options, subject.common) {
        Ok(versions) => (versions, None),
        Err(error) => (Versions::of_target(&run.options.target), Some(error)),
    };
    let target = &run.options.target;
    let retained = subject.server.is_some() && target.enabled(&gates::SHARD_RETENTION);
    let sharding = match sharding::prepare(subject.common, n_shards, (&versions, target), retained, run.templates) {
        Ok(sharding) => sharding,
        Err(failure) => {
            run.templates.report(&failure, run.sources, sink);
            return None;
        }
    };
    sharding::report_surplus(&sharding.plan, subject.doc, sink);
    let cx = Ctx {
        doc: subject.doc,
        namespace: subject.namespace,
        name: &subject.metadata.name,
        versions: &versions,
        target,
        common: subject.common,
        server: subject.server,
        daemon_set: subject.daemon_set,
        assets: run.assets,
        sharding: &sharding,
    };
    let selection = match select::select(&cx, run.cluster, sink) {
        Ok(selection) => Some(selection),
        Err(failure) => {
            error.get_or_insert(failure);
            None
        }
    };
    let config = match &selection {
        Some(selection) if error.is_none() => match configuration(&cx, selection, sink) {
            Ok(config) => config,
            Err(failure) => {
                error = Some(failure);
                None
            }
        },
        _ => None,
    };
    Some(assemble(run, subject, &cx, selection.as_ref(), config, error, sink))
}

/// The configuration; none where the operator leaves it to the user.
fn configuration(cx: &Ctx<'_>, selection: &Selection<'_>, sink: &mut Sink) -> Result<Option<Config>, String> {
    if is_unmanaged(cx) {
        return Ok(None);
    }
    let common = cx.common;
    if let Some(timeout) = common.scrape_timeout.as_ref().map(|t| t.as_str()).filter(|t| !t.is_empty()) {
        check_timeout(common.scrape_interval.as_str(), timeout)
            .map_err(|e| format!("creating config failed: generating config failed: {e}"))?;
    }
    let names = objects::rule_config_maps(cx);
    let has_rules = cx.server.is_some_and(|s| s.rule_selector.is_some());
    Ok(Some(config::config(cx, selection, has_rules.then_some(names.as_slice()), sink)))
}

/// Whether the operator writes no configuration: a server with none of the four monitor selectors.
fn is_unmanaged(cx: &Ctx<'_>) -> bool {
    let common = cx.common;
    let selectors = [
        &common.service_monitor_selector,
        &common.pod_monitor_selector,
        &common.probe_selector,
        &common.scrape_config_selector,
    ];
    cx.server.is_some() && selectors.iter().all(|s| s.is_none())
}

/// The version that the user asks for, else the resource's own, else the operator's default.
fn versions(options: &Options, common: &CommonPrometheusFields) -> Result<Versions, String> {
    let mut versions = Versions::of_target(&options.target);
    if options.target.prometheus.is_some() {
        return Ok(versions);
    }
    if let Some(text) = common.version.as_deref().filter(|v| !v.is_empty()) {
        let unsupported = || format!("unsupported Prometheus version {text:?}");
        versions.prometheus = Version::parse(text).ok_or_else(unsupported)?;
        if !matches!(versions.prometheus.major, 2 | 3) {
            return Err(unsupported());
        }
    }
    Ok(versions)
}

fn assemble(
    run: &Run<'_>,
    subject: &Subject<'_>,
    cx: &Ctx<'_>,
    selection: Option<&Selection<'_>>,
    config: Option<Config>,
    mut error: Option<String>,
    sink: &mut Sink,
) -> Workload {
    let facts = Facts { kind: subject.kind, metadata: subject.metadata, layout: run.options.layout };
    let paused = subject.common.paused.unwrap_or(false);
    let mut written = Vec::new();
    if error.is_none() && !paused {
        match objects::objects(cx, &facts) {
            Ok(objects) => written = objects,
            Err(failure) => error = Some(failure),
        }
    }
    if let Some(error) = &error {
        let at = At::doc(cx.doc).key("metadata").key("name");
        let message = format!("the operator does not reconcile {}/{}: {error}", cx.namespace, cx.name);
        sink.report(Diagnostic::new(&NOT_RECONCILED, at, message));
    }
    let status = status::status(cx, &facts, selection, error.as_deref(), run.options.assume);
    Workload {
        id: WorkloadId { kind: subject.kind, namespace: cx.namespace.to_owned(), name: cx.name.to_owned() },
        plan: cx.sharding.plan.clone(),
        config: config.filter(|_| !paused),
        objects: written,
        resource: manifest(run.documents, cx.doc),
        status,
        error,
    }
}

/// The resource as it was written, without status.
fn manifest(documents: &[Document<'_>], doc: DocId) -> Value {
    let mut value = documents.get(doc.0 as usize).map_or(Value::Null, |d| d.node.to_value());
    if let Some(map) = value.as_map_mut() {
        map.remove("status");
    }
    value
}
