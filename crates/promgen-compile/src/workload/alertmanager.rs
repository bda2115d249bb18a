//! One Alertmanager, through all phases.

use crate::cluster::Object;
use crate::cluster::assets::AssetStore;
use crate::context::Account;
use crate::lower::alertmanager::config::{self, Configuration, Stop};
use crate::lower::alertmanager::merge::Merged;
use crate::lower::alertmanager::{AlertmanagerContext, field_help, notification};
use crate::lower::status;
use crate::lower::workload::alertmanager::AlertmanagerFacts;
use crate::lower::workload::image::filled;
use crate::lower::workload::object::Parent;
use crate::lower::workload::{WorkloadObjects, alertmanager as objects, ignored};
use crate::output::{Config, Origin, Selected, Workload, WorkloadId, WorkloadKind};
use crate::paths::{SPEC, spec_at};
use crate::select::admit::Refusal;
use crate::select::alertmanager_configs::alertmanager_configs;
use crate::select::{PickedResources, Picker, selector};
use crate::sharding::plan::Plan;
use crate::workload::kept::Uncompiled;
use crate::workload::{
    Assembly, CompiledWorkload, NOT_RECONCILED, Run, not_reconciled, report_size, storage_class,
};
use promgen_prometheus::routing::{ConfigPiece, PieceSource, RoutingTree};
use promgen_resources::api::notifying::alertmanager::AlertmanagerSpec;
use promgen_resources::api::{Alertmanager, AlertmanagerConfig, Kind, Resource};
use promgen_resources::gates::{self, Target, Versions};
use promgen_resources::{document, locate};
use promgen_text::diag::{Diagnostic, Sink, rules};
use promgen_text::route::{At, DocId};
use promgen_text::version::Version;

rules! {
    /// ## What it does
    /// Rejects Alertmanagers with more than 1,000 replicas.
    ///
    /// ## Why is this bad?
    /// Every replica has the address of every other on its command line. Such a number is almost certainly a typo.
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
    TOO_MANY_REPLICAS = "PG204" "too-many-replicas" Error: "more than 1,000 replicas";
}

/// The maximum number of replicas: each of them has the address of every other on its command line.
const MAX_REPLICAS: i32 = 1_000;

/// Compiles an Alertmanager. Reports a number of replicas above the maximum, and returns no workload.
#[must_use]
pub fn alertmanager(
    run: &Run<'_>,
    resource: &Object<Alertmanager>,
    account: Account,
) -> CompiledWorkload {
    let store = run.store();
    let mut found = Sink::default();
    let workload = checked(run, resource, &store, &mut found);
    let own = Uncompiled {
        kind: WorkloadKind::Alertmanager,
        doc: resource.doc,
        selectors: selector::of_alertmanager(resource),
    };
    CompiledWorkload::new(run, &own, workload, found, account, &store)
}

fn checked(
    run: &Run<'_>,
    resource: &Object<Alertmanager>,
    store: &AssetStore<'_>,
    sink: &mut Sink,
) -> Option<Workload> {
    let replicas = resource.value.spec.replicas.unwrap_or_default();
    if replicas > MAX_REPLICAS {
        let message = format!("{replicas} replicas exceed the maximum of {MAX_REPLICAS}");
        let at = spec_at(resource.doc).key("replicas");
        sink.report(Diagnostic::new(&TOO_MANY_REPLICAS, at, message));
        return None;
    }
    Some(compile(run, resource, store, sink))
}

fn tag<'t>(target: &'t Target, spec: &'t AlertmanagerSpec) -> &'t str {
    spec.version
        .as_deref()
        .and_then(filled)
        .unwrap_or(target.default_alertmanager())
}

/// The versions that an Alertmanager is compiled for: its own, else the operator's default.
///
/// # Errors
/// The resource's version is invalid, in the operator's words.
pub fn versions(target: &Target, spec: &AlertmanagerSpec) -> Result<Versions, Refusal> {
    let alertmanager =
        Version::parse_tolerant(tag(target, spec)).map_err(|error| of_version(&error))?;
    Ok(Versions {
        alertmanager,
        ..Versions::of_target(target)
    })
}

fn compile(
    run: &Run<'_>,
    resource: &Object<Alertmanager>,
    store: &AssetStore<'_>,
    sink: &mut Sink,
) -> Workload {
    let (spec, metadata, options) = (&resource.value.spec, resource.value.metadata(), run.options);
    let tag = tag(&options.target, spec);
    let (versions, no_version) = match versions(&options.target, spec) {
        Ok(versions) => (versions, Ok(())),
        Err(refusal) => (Versions::of_target(&options.target), Err(refusal)),
    };
    let mut am = AlertmanagerContext {
        doc: resource.doc,
        parent: Parent::new::<Alertmanager>(resource.namespace(), metadata, options, run.cluster),
        spec,
        versions: &versions,
        tag,
        assets: store,
    };
    ignored::of_alertmanager(&am, sink);
    let within = |refusal: Refusal| refusal.within("provision alertmanager configuration");
    let version = no_version
        .and_then(|()| config::check_version(&am))
        .map_err(within);
    let version = storage_class::check(run, resource.doc).and(version);
    // Nothing is selected for a version that the operator does not run.
    let selection = match &version {
        Ok(()) => select(run, &am, sink).map_err(within),
        Err(_) => Ok(PickedResources(Vec::new())),
    };
    if spec.paused == Some(true) {
        return assemble(run, &am, &selection, WorkloadObjects::default(), None, sink);
    }
    let configured = version.map_err(Stop::from).and_then(|()| match &selection {
        Ok(picked) => {
            let accepted: Vec<&Object<AlertmanagerConfig>> = picked.accepted().collect();
            let origin_of =
                |at: &At| document::find(run.documents, at.doc).map(|document| &document.origin);
            let configured = config::configuration(&am, &accepted, &origin_of, sink);
            configured.map_err(|stop| match config::is_crash(&stop.refusal) {
                true => stop,
                false => Stop {
                    refusal: within(stop.refusal),
                    ..stop
                },
            })
        }
        Err(refusal) => Err(refusal.clone().into()),
    });
    let (mut blame, mut routing) = (None, None);
    let (config, written) = match configured {
        Ok(mut configuration) => {
            let config = configuration.text.take().map(|text| {
                let place = |(start, at): &(usize, Option<At>)| {
                    let span = at.as_ref().and_then(|at| locate::locate(at, run.documents));
                    Origin {
                        start: *start,
                        span,
                    }
                };
                let sections = std::mem::take(&mut configuration.sections);
                let pieces = configuration.pieces.iter().map(place).collect();
                Config::of_text(text, pieces).with_sections(sections, Vec::new())
            });
            if let Some(config) = &config {
                am.parent = am.parent.with_config(config, &Plan::address(1));
                report_size(&am.parent, config, am.doc, sink);
            }
            let merged = configuration
                .merged
                .as_ref()
                .filter(|_| !configuration.is_assumed);
            routing = merged.and_then(|merged| tree(run, &am, merged));
            let written = write(&am, &configuration);
            (config, written)
        }
        Err(Stop {
            refusal,
            blame: place,
        }) => {
            blame = place.map(|place| *place);
            (None, WorkloadObjects::stopped(refusal))
        }
    };
    Workload {
        config,
        routing,
        ..assemble(run, &am, &selection, written, blame, sink)
    }
}

/// The routing tree. `None` if it has an invalid matcher, which Alertmanager refuses.
fn tree(run: &Run<'_>, am: &AlertmanagerContext<'_>, merged: &Merged) -> Option<RoutingTree> {
    let source = |piece: ConfigPiece<'_>| {
        let (at, line) = merged.source(piece);
        let is_secret = at.as_ref().is_some_and(|at| merged.hides(at));
        PieceSource {
            span: at
                .as_ref()
                .and_then(|at| locate::locate_key(at, run.documents)),
            at,
            line,
            is_secret,
        }
    };
    let mut tree = RoutingTree::new(&merged.root, &source).ok()?;
    if !am.versions.has(&gates::AM_CALENDAR_DAYS) {
        tree.count_days_by_hours();
    }
    tree.template_faults = notification::faults(am, merged);
    Some(tree)
}

/// The selection.
type SelectedConfigs<'a> = PickedResources<'a, AlertmanagerConfig>;

/// The AlertmanagerConfigs that it selects.
fn select<'a>(
    run: &Run<'a>,
    am: &AlertmanagerContext<'_>,
    sink: &mut Sink,
) -> Result<SelectedConfigs<'a>, Refusal> {
    let picker = Picker {
        kind: Kind::Alertmanager,
        doc: am.doc,
        namespace: am.namespace(),
        name: am.name(),
    };
    alertmanager_configs(&picker, am.spec, run.cluster, am.assets, am.versions, sink).map_err(
        |error| {
            Refusal::of_name(format!(
                "failed to select AlertmanagerConfig objects: {error}"
            ))
        },
    )
}

fn of_version(error: &str) -> Refusal {
    let message = format!("failed to parse alertmanager version: {error}");
    Refusal::new(&SPEC.key("version"), message)
}

/// The objects that the operator writes before it stops.
fn write(am: &AlertmanagerContext<'_>, configuration: &Configuration) -> WorkloadObjects {
    let facts = AlertmanagerFacts {
        beside_config: &configuration.beside,
        tls_assets: &am.assets.tls_assets(),
        governing_service: am
            .spec
            .service_name
            .as_deref()
            .and_then(|name| am.assets.service(am.namespace(), name)),
    };
    objects::objects(am, &facts)
}

/// Reports that the operator stopped, its place and its cause, and returns its error. What an AlertmanagerConfig or a value of a
/// chart causes is reported there.
fn stopped(
    run: &Run<'_>,
    doc: DocId,
    id: &WorkloadId,
    refusal: Refusal,
    blame: Option<At>,
    sink: &mut Sink,
) -> String {
    let Some(blame) = blame else {
        return not_reconciled(doc, id, refusal, sink);
    };
    let error = refusal.message;
    let message = format!(
        "the operator does not reconcile {}/{}: {error}",
        id.namespace, id.name
    );
    let (own, advice) = (
        At {
            doc,
            route: refusal.route,
        },
        advice(run, &blame),
    );
    // An Alertmanager that a chart makes stands where the chart is named: the configuration in its values says more.
    let is_written = document::find(run.documents, blame.doc).is_some_and(|document| {
        let origin = &document.origin;
        document.kind == Kind::AlertmanagerConfig || origin.is_clear() || origin.is_unrendered()
    });
    let found = match is_written {
        true => Diagnostic::new(&NOT_RECONCILED, blame, message).related(own, "the Alertmanager"),
        false => Diagnostic::new(&NOT_RECONCILED, own, message).related(blame, "the cause"),
    };
    sink.report(
        field_help(&error)
            .into_iter()
            .chain(advice)
            .fold(found, Diagnostic::help),
    );
    error
}

/// The part of the chart in a configuration that Alertmanager refuses.
fn advice(run: &Run<'_>, blame: &At) -> Option<String> {
    let document = document::find(run.documents, blame.doc)?;
    let (place, advice) = document.origin.release()?.advice.as_ref()?;
    (locate::locate(blame, run.documents)? == *place).then(|| advice.clone())
}

fn assemble(
    run: &Run<'_>,
    am: &AlertmanagerContext<'_>,
    selection: &Result<SelectedConfigs<'_>, Refusal>,
    written: WorkloadObjects,
    blame: Option<At>,
    sink: &mut Sink,
) -> Workload {
    let assembly = Assembly {
        run,
        id: WorkloadId::new(WorkloadKind::Alertmanager, am.namespace(), am.name()),
        doc: am.doc,
        metadata: am.parent.metadata,
    };
    let is_crash = written.error.as_ref().is_some_and(config::is_crash);
    let workload = assembly.workload(
        written,
        |id, refusal, sink| stopped(run, am.doc, id, refusal, blame, sink),
        |id, error| {
            // An operator that crashes writes no error.
            let message = error.filter(|_| !is_crash);
            status::alertmanager::facts(am, id, run.cluster, message)
        },
        sink,
    );
    Workload {
        redacted: am.assets.redacted(),
        selected: Selected {
            kinds: selection
                .iter()
                .map(PickedResources::selected_kind)
                .collect(),
            // Where the version does not parse, nothing is selected.
            error: if selection.is_err() {
                workload.error.clone()
            } else {
                Version::parse_tolerant(am.tag).err()
            },
            ..Selected::default()
        },
        ..workload
    }
}
