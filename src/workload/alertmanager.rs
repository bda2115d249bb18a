//! One Alertmanager, through all phases.

use std::collections::BTreeMap;

use crate::api::{Alertmanager, AlertmanagerConfig, Resource};
use crate::assets::Store;
use crate::cluster::{Key, Object};
use crate::diag::{Diagnostic, Rule, Sink, rule};
use crate::gates::Versions;
use crate::lower::alertmanager::config::{self, Configuration};
use crate::lower::alertmanager::{Am, DEFAULT_VERSION};
use crate::lower::status;
use crate::lower::workload::Objects;
use crate::lower::workload::alertmanager::{self as objects, Facts};
use crate::lower::workload::image::filled;
use crate::lower::workload::object::Parent;
use crate::output::{Config, Selected, Workload, WorkloadId, WorkloadKind};
use crate::plan::Plan;
use crate::route::{At, Path};
use crate::select::admit::Refusal;
use crate::select::alertmanager_configs::alertmanager_configs;
use crate::select::{Picked, Picker};
use crate::version::Version;
use crate::workload::{Run, command, manifest, not_reconciled, report_size};

rule! {
    /// ## What it does
    /// Says that the configuration of an Alertmanager is left out, because AlertmanagerConfigs add to it, which promgen
    /// does not put together yet.
    ///
    /// ## Why is this bad?
    /// Nothing is known of what the Alertmanager will do. Its objects and its status are complete.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Alertmanager
    /// metadata: {name: main}
    /// spec:
    ///   alertmanagerConfigSelector: {}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1alpha1
    /// kind: AlertmanagerConfig
    /// metadata: {name: shop}
    /// spec:
    ///   route: {receiver: none}
    ///   receivers: [{name: none}]
    /// ```
    /// Use instead: no AlertmanagerConfig, as long as the whole configuration has to be seen.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Alertmanager
    /// metadata: {name: main}
    /// spec:
    ///   replicas: 3
    /// ```
    pub(crate) static INCOMPLETE = "PG503" "incomplete-alertmanager" {
        summary: "an Alertmanager whose configuration is left out", level: Warning, since: "0.1.0",
    }
}

rule! {
    /// ## What it does
    /// Refuses Alertmanagers of more than 1,000 replicas.
    ///
    /// ## Why is this bad?
    /// Every replica is told the address of every other on its command line; so many are a slip of the keyboard.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Alertmanager
    /// metadata: {name: main}
    /// spec:
    ///   replicas: 3000
    /// ```
    /// Use instead:
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Alertmanager
    /// metadata: {name: main}
    /// spec:
    ///   replicas: 3
    /// ```
    pub(crate) static TOO_MANY_REPLICAS = "PG204" "too-many-replicas" {
        summary: "more replicas than can be meant", level: Error, since: "0.1.0",
    }
}

/// Rules of this module.
pub(crate) static RULES: &[&Rule] = &[&TOO_MANY_REPLICAS, &INCOMPLETE];

/// The most replicas that are compiled: each of them is told the address of every other.
const MAX_REPLICAS: i32 = 1_000;

/// Compiles an Alertmanager. Reports, and gives nothing for, a number of replicas that cannot be meant.
pub(crate) fn alertmanager(run: &Run<'_>, resource: &Object<Alertmanager>, sink: &mut Sink) -> Option<Workload> {
    let replicas = resource.value.spec.replicas.unwrap_or_default();
    if replicas > MAX_REPLICAS {
        let message = format!("{replicas} replicas are more than the {MAX_REPLICAS} that are compiled");
        let at = At::doc(resource.doc).key("spec").key("replicas");
        sink.report(Diagnostic::new(&TOO_MANY_REPLICAS, at, message));
        return None;
    }
    Some(compile(run, resource, sink))
}

fn compile(run: &Run<'_>, resource: &Object<Alertmanager>, sink: &mut Sink) -> Workload {
    let (spec, metadata, options) = (&resource.value.spec, resource.value.metadata(), run.options);
    let tag = spec.version.as_deref().and_then(filled).unwrap_or(DEFAULT_VERSION);
    let defaults = Versions::of_target(&options.target);
    let (versions, no_version) = match Version::parse_tolerant(tag) {
        Ok(alertmanager) => (Versions { alertmanager, ..defaults }, Ok(())),
        Err(error) => (defaults, Err(of_version(&error))),
    };
    let store = Store::new(run.assets);
    let mut am = Am {
        doc: resource.doc,
        parent: Parent::new::<Alertmanager>(resource.namespace(), metadata, options.layout, options.assume),
        spec,
        versions: &versions,
        tag,
        assets: &store,
    };
    am.report_ignored(sink);
    let within = |refusal: Refusal| refusal.within("provision alertmanager configuration");
    let version = no_version.and_then(|()| config::check_version(&am)).map_err(within);
    // Nothing is selected for a version that the operator does not run.
    let selection = match &version {
        Ok(()) => select(run, &am, sink).map_err(within),
        Err(_) => Ok(Picked(Vec::new())),
    };
    if spec.paused == Some(true) {
        return assemble(run, &am, &selection, None, Objects::default(), sink);
    }
    let configured = version.and_then(|()| match &selection {
        Ok(picked) => configure(&am, picked, sink).map_err(within),
        Err(refusal) => Err(refusal.clone()),
    });
    let (config, written) = match configured {
        Ok(mut configuration) => {
            let config = configuration.text.take().map(|text| Config { text, ..Config::default() });
            if let Some(config) = &config {
                am.parent = am.parent.with_config(config, &Plan::address(1));
                report_size(&am.parent, config, am.doc, sink);
            }
            let written = write(run, &am, &configuration);
            (config, written)
        }
        Err(refusal) => (None, Objects::stopped(refusal)),
    };
    assemble(run, &am, &selection, config, written, sink)
}

/// What it selects.
type Selection<'a> = Picked<'a, AlertmanagerConfig>;

/// The AlertmanagerConfigs that it selects.
fn select<'a>(run: &Run<'a>, am: &Am<'_>, sink: &mut Sink) -> Result<Selection<'a>, Refusal> {
    let picker = Picker { kind: Alertmanager::KIND, doc: am.doc, namespace: am.namespace(), name: am.name() };
    alertmanager_configs(&picker, am.spec, run.cluster, (am.assets, am.versions), sink)
        .map_err(|error| Refusal::of_name(format!("failed to select AlertmanagerConfig objects: {error}")))
}

/// The configuration. It is not known where AlertmanagerConfigs add to it, which are not put together yet.
fn configure(am: &Am<'_>, selection: &Selection<'_>, sink: &mut Sink) -> Result<Configuration, Refusal> {
    let configuration = config::configuration(am, sink)?;
    let adds = |config: &&Object<AlertmanagerConfig>| {
        let spec = &config.value.spec;
        spec.route.is_some() || spec.inhibit_rules.as_ref().is_some_and(|rules| !rules.is_empty())
    };
    let Some(first) = selection.accepted().find(adds) else { return Ok(configuration) };
    let message = format!(
        "the configuration of Alertmanager {}/{} is left out: promgen does not put AlertmanagerConfigs into it yet",
        am.namespace(),
        am.name()
    );
    let by = At::doc(first.doc).key("metadata").key("name");
    let finding = Diagnostic::new(&INCOMPLETE, At::doc(am.doc).key("metadata").key("name"), message);
    sink.report(finding.related(by, "this one adds to it"));
    Ok(Configuration { text: None, ..configuration })
}

fn of_version(error: &str) -> Refusal {
    let message = format!("failed to parse alertmanager version: {error}");
    Refusal::new(&Path::root().key("spec").key("version"), message)
}

/// The objects, as far as the operator gets.
fn write(run: &Run<'_>, am: &Am<'_>, configuration: &Configuration) -> Objects {
    let service = am.spec.service_name.as_deref().map(|name| Key::new(am.namespace(), name));
    let facts = Facts {
        beside_config: &configuration.beside,
        tls_assets: &BTreeMap::new(),
        governing_service: service.and_then(|key| run.cluster.services.get(&key)).map(|service| &*service.value),
    };
    objects::objects(am, &facts)
}

fn assemble(
    run: &Run<'_>,
    am: &Am<'_>,
    selection: &Result<Selection<'_>, Refusal>,
    config: Option<Config>,
    written: Objects,
    sink: &mut Sink,
) -> Workload {
    let id = WorkloadId {
        kind: WorkloadKind::Alertmanager,
        namespace: am.namespace().to_owned(),
        name: am.name().to_owned(),
    };
    let error = written.error.map(|refusal| not_reconciled(am.doc, &id, refusal, sink));
    let facts = status::alertmanager::facts(am, &id, run.cluster, error.as_deref());
    Workload {
        prometheus: None,
        plan: Plan::address(1),
        sharding_rules: Vec::new(),
        placements: Vec::new(),
        config,
        web_config: written.web_config,
        rule_files: Vec::new(),
        selected: Selected {
            kinds: selection.iter().map(Picked::told).collect(),
            error: if selection.is_err() { error.clone() } else { None },
            is_bound: false,
        },
        objects: command::obey(run, am.parent.metadata, written.objects),
        resource: manifest(run.documents, am.doc),
        status: super::status::status(run, facts, am.doc),
        error,
        id,
    }
}
