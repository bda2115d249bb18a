//! Modules of probes that their exporter does not have.

use std::collections::{BTreeMap, BTreeSet};

use crate::checks::selection::hosts::host;
use promgen_compile::cluster::Object;
use promgen_model::model::World;
use promgen_resources::api::{ConfigMap, Probe};
use promgen_text::diag::fix::Fix;
use promgen_text::diag::{Diagnostic, Sink, rules};
use promgen_text::route::At;
use promgen_text::source::FileId;
use promgen_text::suggest;
use promgen_text::yaml::read::read;

rules! {
    /// ## What it does
    /// Finds modules of Probes that the configuration of the blackbox exporter does not have: the one ConfigMap with modules in the
    /// namespace of the prober's Service.
    ///
    /// ## Why is this bad?
    /// The exporter answers with status 400, and every probe fails: `up` is 0, `probe_success` is missing.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Probe
    /// metadata: {name: shop, namespace: shop}
    /// spec:
    ///   module: http_2xxx
    ///   prober: {url: blackbox.monitoring.svc:9115}
    ///   targets: {staticConfig: {static: [https://shop.example.org]}}
    /// ---
    /// apiVersion: v1
    /// kind: Service
    /// metadata: {name: blackbox, namespace: monitoring}
    /// spec: {selector: {app: blackbox}, ports: [{port: 9115}]}
    /// ---
    /// apiVersion: v1
    /// kind: ConfigMap
    /// metadata: {name: blackbox, namespace: monitoring}
    /// data:
    ///   blackbox.yml: |
    ///     modules:
    ///       http_2xx: {prober: http}
    /// ```
    /// Use instead:
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Probe
    /// metadata: {name: shop, namespace: shop}
    /// spec:
    ///   module: http_2xx
    ///   prober: {url: blackbox.monitoring.svc:9115}
    ///   targets: {staticConfig: {static: [https://shop.example.org]}}
    /// ---
    /// apiVersion: v1
    /// kind: Service
    /// metadata: {name: blackbox, namespace: monitoring}
    /// spec: {selector: {app: blackbox}, ports: [{port: 9115}]}
    /// ---
    /// apiVersion: v1
    /// kind: ConfigMap
    /// metadata: {name: blackbox, namespace: monitoring}
    /// data:
    ///   blackbox.yml: |
    ///     modules:
    ///       http_2xx: {prober: http}
    /// ```
    ///
    /// ## Source
    /// The blackbox exporter: "Unknown module", status 400.
    UNKNOWN_MODULE = "PG142" "unknown-module" Warning: "a module of a Probe that its exporter does not have";
}

/// Checks every Probe.
pub(super) fn check(model: &World<'_>, sink: &mut Sink) {
    let cluster = model.cluster();
    let has_module = |probe: &&Object<Probe>| probe.value.spec.module.is_some();
    let mut probes = cluster.probes.values().filter(has_module).peekable();
    if probes.peek().is_none() {
        return;
    }
    let mut configurations: BTreeMap<&str, Vec<ModuleMap<'_>>> = BTreeMap::new();
    for map in cluster.config_maps.values() {
        if let Some(known) = modules(&map.value) {
            configurations
                .entry(map.namespace())
                .or_default()
                .push((map, known));
        }
    }
    sink.extend(probes.filter_map(|probe| unknown(model, &configurations, probe)));
}

/// A ConfigMap with the modules in it.
type ModuleMap<'m> = (&'m Object<ConfigMap>, BTreeSet<String>);

fn unknown(
    model: &World<'_>,
    configurations: &BTreeMap<&str, Vec<ModuleMap<'_>>>,
    probe: &Object<Probe>,
) -> Option<Diagnostic> {
    let spec = &probe.value.spec;
    let module = spec.module.as_deref().filter(|module| !module.is_empty())?;
    let (service, namespace, _) = host(&spec.prober.as_ref()?.url)?;
    model
        .cluster()
        .services
        .get(format!("{namespace}/{service}").as_str())?;
    // Of several, nobody says which one is the exporter's.
    let [(map, known)] = configurations.get(namespace)?.as_slice() else {
        return None;
    };
    if known.contains(module) {
        return None;
    }
    let at = At::spec(probe.doc).key("module");
    let message = format!(
        "the exporter behind Service {namespace}/{service} has no module {module}: its configuration is ConfigMap {namespace}/{}",
        map.value.metadata.name
    );
    let found = Diagnostic::new(&UNKNOWN_MODULE, at.clone(), message)
        .related(At::doc(map.doc).key("data"), "its modules");
    let names: Vec<&str> = known.iter().map(String::as_str).collect();
    Some(match suggest::closest(module, names.iter().copied()) {
        Some(near) => found
            .help(format!("did you mean {near}?"))
            .fix(Fix::value(at, near)),
        None => found.help(format!("it has {}", names.join(", "))),
    })
}

/// The modules of a configuration of the blackbox exporter. `None` without any, or if it does not parse as a whole.
fn modules(map: &ConfigMap) -> Option<BTreeSet<String>> {
    let texts = map
        .data
        .iter()
        .flatten()
        .map(|(_, text)| text)
        .filter(|text| text.contains("modules:"));
    let mut known = BTreeSet::new();
    let mut sink = Sink::default();
    for document in texts
        .flat_map(|text| read(FileId::new(0), text, &mut sink))
        .collect::<Vec<_>>()
    {
        let modules = document
            .root
            .get("modules")
            .map(|modules| modules.entries())
            .unwrap_or_default();
        let probers = modules
            .iter()
            .filter(|module| module.value.get("prober").is_some());
        known.extend(probers.map(|module| module.key.to_string()));
    }
    (!known.is_empty() && sink.diagnostics().is_empty()).then_some(known)
}
