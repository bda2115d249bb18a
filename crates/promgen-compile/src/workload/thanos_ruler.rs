//! One Thanos Ruler, through all phases.

use crate::cluster::Object;
use crate::cluster::assets::AssetStore;
use crate::context::Account;
use crate::lower::status;
use crate::lower::thanos_ruler::{Ruler, remote_write};
use crate::lower::workload::image::filled;
use crate::lower::workload::object::Parent;
use crate::lower::workload::thanos_ruler::RulerFacts;
use crate::lower::workload::{WorkloadObjects, thanos_ruler as objects};
use crate::output::{Config, Selected, Workload, WorkloadId, WorkloadKind};
use crate::paths::SPEC;
use crate::select::admit::Refusal;
use crate::select::admit::rule::{RuleUser, SelectedRules, features};
use crate::select::rule_files::{RuleEvaluator, RuleTarget};
use crate::select::{self, Picker, selector};
use crate::workload::kept::Uncompiled;
use crate::workload::{
    Assembly, CompiledWorkload, Run, binds, not_reconciled, rule_files, storage_class,
};
use promgen_resources::api::{Kind, Resource, ThanosRuler};
use promgen_resources::gates::Versions;
use promgen_text::diag::Sink;
use promgen_text::version::Version;

/// Compiles a ThanosRuler.
#[must_use]
pub fn thanos_ruler(
    run: &Run<'_>,
    resource: &Object<ThanosRuler>,
    account: Account,
) -> CompiledWorkload {
    let store = run.store();
    let mut found = Sink::default();
    let workload = compile(run, resource, &store, &mut found);
    let own = Uncompiled {
        kind: WorkloadKind::ThanosRuler,
        doc: resource.doc,
        selectors: selector::of_thanos_ruler(resource),
    };
    CompiledWorkload::new(run, &own, Some(workload), found, account, &store)
}

fn compile(
    run: &Run<'_>,
    resource: &Object<ThanosRuler>,
    store: &AssetStore<'_>,
    sink: &mut Sink,
) -> Workload {
    let (spec, metadata, options) = (&resource.value.spec, resource.value.metadata(), run.options);
    let tag = spec
        .version
        .as_deref()
        .and_then(filled)
        .unwrap_or(options.target.default_thanos());
    let (versions, no_version) = match Version::parse_tolerant(tag) {
        Ok(thanos) => (
            Versions {
                thanos,
                ..Versions::of_target(&options.target)
            },
            Ok(()),
        ),
        Err(error) => (
            Versions::of_target(&options.target),
            Err(of_version(&error)),
        ),
    };
    let ruler = Ruler {
        doc: resource.doc,
        parent: Parent::new::<ThanosRuler>(resource.namespace(), metadata, options, run.cluster),
        spec,
        versions: &versions,
        tag,
        target: &options.target,
        assets: store,
    };
    let rules = storage_class::check(run, resource.doc)
        .and(no_version)
        .and_then(|()| select(run, &ruler, sink));
    let (config, written) = match &rules {
        Ok(rules) => write(&ruler, rules, sink),
        Err(failure) => (None, WorkloadObjects::stopped(failure.clone())),
    };
    assemble(run, &ruler, rules.ok().as_ref(), config, written, sink)
}

fn of_version(error: &str) -> Refusal {
    let message = format!("initializing PrometheusRules failed: failed to parse version: {error}");
    Refusal::new(&SPEC.key("version"), message)
}

/// The rules that it selects. Operator: `selectPrometheusRules`.
fn select<'a>(
    run: &Run<'a>,
    ruler: &Ruler<'_>,
    sink: &mut Sink,
) -> Result<SelectedRules<'a>, Refusal> {
    let spec = ruler.spec;
    let features = features(ruler.versions, spec.enable_features.as_deref());
    let user = RuleUser {
        by: Picker {
            kind: Kind::ThanosRuler,
            doc: ruler.doc,
            namespace: ruler.parent.namespace,
            name: ruler.name(),
        },
        target: RuleTarget {
            versions: ruler.versions,
            reader: RuleEvaluator::Thanos,
            features,
        },
        enforced_label: spec.enforced_namespace_label.as_deref(),
        excluded: spec.excluded_from_enforcement.as_deref(),
        excluded_rules: spec.prometheus_rules_excluded_from_enforce.as_deref(),
    };
    let (labels, namespaces) = (
        spec.rule_selector.as_ref(),
        spec.rule_namespace_selector.as_ref(),
    );
    select::rules(&user, labels, namespaces, run.cluster, sink).map_err(Refusal::of_name)
}

/// The remote write and the objects that the operator writes before it stops.
fn write(
    ruler: &Ruler<'_>,
    rules: &SelectedRules<'_>,
    sink: &mut Sink,
) -> (Option<Config>, WorkloadObjects) {
    if ruler.spec.paused == Some(true) {
        return (None, WorkloadObjects::default());
    }
    let remote_write = remote_write::file(ruler, sink);
    let service = |name: &str| ruler.assets.service(ruler.parent.namespace, name);
    let facts = RulerFacts {
        remote_write: remote_write.as_deref(),
        rule_files: if rules.files.is_empty() {
            &[]
        } else {
            &rules.config_maps
        },
        governing_service: ruler.spec.service_name.as_deref().and_then(service),
    };
    let objects = objects::objects(ruler, &facts, sink);
    (
        remote_write
            .ok()
            .map(|text| Config::of_text(text, Vec::new())),
        objects,
    )
}

fn assemble(
    run: &Run<'_>,
    ruler: &Ruler<'_>,
    rules: Option<&SelectedRules<'_>>,
    config: Option<Config>,
    written: WorkloadObjects,
    sink: &mut Sink,
) -> Workload {
    let assembly = Assembly {
        run,
        id: WorkloadId::new(
            WorkloadKind::ThanosRuler,
            ruler.parent.namespace,
            ruler.name(),
        ),
        doc: ruler.doc,
        metadata: ruler.parent.metadata,
    };
    let is_empty = rules.is_some_and(|rules| rules.picked.0.is_empty());
    let workload = assembly.workload(
        written,
        |id, refusal, sink| not_reconciled(ruler.doc, id, refusal, sink),
        |id, error| status::thanos_ruler::facts(ruler, id, run.cluster, is_empty, error),
        sink,
    );
    let is_paused = ruler.spec.paused == Some(true);
    let files = rules
        .filter(|_| !is_paused)
        .map(|rules| rules.files.as_slice());
    Workload {
        redacted: ruler.assets.redacted(),
        config,
        rule_files: rule_files(run, files.unwrap_or_default()),
        selected: Selected {
            kinds: rules
                .map(|rules| vec![rules.selected_kind()])
                .unwrap_or_default(),
            error: workload.error.clone().filter(|_| rules.is_none()),
            is_bound: !is_paused && binds(ruler.target, workload.error.as_deref()),
            ..Selected::default()
        },
        ..workload
    }
}
