//! Modules of probes that their exporter does not have.

use std::collections::BTreeSet;

use crate::checks::View;
use crate::checks::selection::hosts::host;
use promgen_compile::cluster::Object;
use promgen_resources::api::{ConfigMap, Probe};
use promgen_text::diag::{Diagnostic, Sink, rule};
use promgen_text::route::At;
use promgen_text::source::FileId;
use promgen_text::suggest;
use promgen_text::yaml::read::read;

rule! {
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
    pub(super) static UNKNOWN_MODULE = "PG142" "unknown-module" {
        summary: "a module of a Probe that its exporter does not have", level: Warning, since: "0.1.0",
    }
}

/// Checks every Probe.
pub(super) fn check(model: &View<'_>, sink: &mut Sink) {
    for probe in model.cluster.probes.values() {
        if let Some(found) = unknown(model, probe) {
            sink.report(found);
        }
    }
}

fn unknown(model: &View<'_>, probe: &Object<Probe>) -> Option<Diagnostic> {
    let spec = &probe.value.spec;
    let module = spec.module.as_deref().filter(|module| !module.is_empty())?;
    let (service, namespace, _) = host(&spec.prober.as_ref()?.url)?;
    model.cluster.services.get(format!("{namespace}/{service}").as_str())?;
    let maps = model.cluster.config_maps.values();
    let of_namespace = maps.filter(|map| map.value.metadata.namespace.as_deref() == Some(namespace));
    let mut configurations = of_namespace.filter_map(|map| Some((map, modules(&map.value)?)));
    // Of several, nobody says which one is the exporter's.
    let (Some((map, known)), None) = (configurations.next(), configurations.next()) else { return None };
    if known.contains(module) {
        return None;
    }
    let at = At::doc(probe.doc).key("spec").key("module");
    let message = format!(
        "the exporter behind Service {namespace}/{service} has no module {module}: its configuration is ConfigMap {namespace}/{}",
        map.value.metadata.name
    );
    let found = Diagnostic::new(&UNKNOWN_MODULE, at, message).related(At::doc(map.doc).key("data"), "its modules");
    let names: Vec<&str> = known.iter().map(String::as_str).collect();
    Some(match suggest::closest(module, names.iter().copied()) {
        Some(near) => found.help(format!("did you mean {near}?")),
        None => found.help(format!("it has {}", names.join(", "))),
    })
}

/// The modules of a configuration of the blackbox exporter.
fn modules(map: &ConfigMap) -> Option<BTreeSet<String>> {
    let texts = map.data.iter().flatten().map(|(_, text)| text).filter(|text| text.contains("modules:"));
    let mut known = BTreeSet::new();
    for document in texts.flat_map(|text| read(FileId::new(0), text, &mut Sink::default())) {
        let modules = document.root.get("modules").map(|modules| modules.entries()).unwrap_or_default();
        let probers = modules.iter().filter(|module| module.value.get("prober").is_some());
        known.extend(probers.map(|module| module.key.to_string()));
    }
    (!known.is_empty()).then_some(known)
}
