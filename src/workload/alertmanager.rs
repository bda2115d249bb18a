//! One Alertmanager, through all phases.

use std::collections::BTreeMap;

use crate::api::{Alertmanager, Resource};
use crate::assets::Store;
use crate::cluster::{Key, Object};
use crate::diag::Sink;
use crate::gates::Versions;
use crate::lower::alertmanager::config::{self, Configuration};
use crate::lower::alertmanager::{Am, DEFAULT_VERSION};
use crate::lower::status;
use crate::lower::workload::Objects;
use crate::lower::workload::alertmanager::{self as objects, Facts};
use crate::lower::workload::image::filled;
use crate::lower::workload::object::Parent;
use crate::output::{Config, Selected, SelectedKind, Workload, WorkloadId, WorkloadKind};
use crate::plan::Plan;
use crate::route::Path;
use crate::select::admit::Refusal;
use crate::version::Version;
use crate::workload::{Run, manifest, not_reconciled};

/// Compiles an Alertmanager.
pub(crate) fn alertmanager(run: &Run<'_>, resource: &Object<Alertmanager>, sink: &mut Sink) -> Workload {
    let (spec, metadata, options) = (&resource.value.spec, resource.value.metadata(), run.options);
    let tag = spec.version.as_deref().and_then(filled).unwrap_or(DEFAULT_VERSION);
    let defaults = Versions::of_target(&options.target);
    let (versions, no_version) = match Version::parse_tolerant(tag) {
        Ok(alertmanager) => (Versions { alertmanager, ..defaults }, Ok(())),
        Err(error) => (defaults, Err(of_version(&error))),
    };
    let store = Store::new(run.assets);
    let am = Am {
        doc: resource.doc,
        parent: Parent::new::<Alertmanager>(resource.namespace(), metadata, options.layout, options.assume),
        spec,
        versions: &versions,
        tag,
        assets: &store,
    };
    am.report_ignored(sink);
    if spec.paused == Some(true) {
        return assemble(run, &am, None, Objects::default(), sink);
    }
    let configured = no_version
        .and_then(|()| config::check_version(&am))
        .and_then(|()| config::configuration(&am, run.cluster, sink))
        .map_err(|refusal| refusal.within("provision alertmanager configuration"));
    let (config, written) = match configured {
        Ok(configuration) => {
            let written = write(run, &am, &configuration);
            (configuration.text, written)
        }
        Err(refusal) => (None, Objects::stopped(refusal)),
    };
    assemble(run, &am, config.map(|text| Config { text, ..Config::default() }), written, sink)
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

fn assemble(run: &Run<'_>, am: &Am<'_>, config: Option<Config>, written: Objects, sink: &mut Sink) -> Workload {
    let id = WorkloadId {
        kind: WorkloadKind::Alertmanager,
        namespace: am.namespace().to_owned(),
        name: am.name().to_owned(),
    };
    let error = written.error.map(|refusal| not_reconciled(am.doc, &id, refusal, sink));
    let facts = status::alertmanager::facts(am, &id, run.cluster, error.as_deref());
    Workload {
        plan: Plan::address(1),
        config,
        web_config: written.web_config,
        rule_files: Vec::new(),
        selected: Selected {
            kinds: vec![SelectedKind {
                api_version: "monitoring.coreos.com/v1alpha1",
                kind: "AlertmanagerConfig",
                resources: Vec::new(),
            }],
            error: None,
            is_bound: false,
        },
        objects: written.objects,
        resource: manifest(run.documents, am.doc),
        status: super::status::status(run, facts, am.doc),
        error,
        id,
    }
}
