//! From a selection and a plan to configuration, objects and status.
//!
//! A configuration is lowered once per workload, with the operator's placeholders where shards differ.

pub mod prometheus;

pub mod alertmanager;
pub mod status;
pub mod thanos_ruler;
pub mod workload;

use std::ops::{Deref, DerefMut};

use crate::cluster::assets::{AssetStore, ShownText};
pub use crate::context::WorkloadContext;
use promgen_resources::api::auth::SecretOrConfigMap;
use promgen_resources::api::core::SecretKeySelector;
use promgen_resources::gates::{self, Gate, UnsupportedEffect, Versions};
use promgen_text::diag::{Diagnostic, Sink, rules};
use promgen_text::route::{At, DocId, ValueRoute};

rules! {
    /// ## What it does
    /// Reports a field that is set and that the operator does not write into the configuration, whatever the version, and one
    /// that another field overrides: `targetPort` beside `port`, `matchNames` beside `any: true`, `volumeClaimTemplate` beside
    /// `emptyDir`.
    ///
    /// ## Why is this bad?
    /// The setting has no effect, and nothing in the cluster reports it.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1alpha1
    /// kind: ScrapeConfig
    /// metadata: {name: nodes}
    /// spec:
    ///   kubernetesSDConfigs:
    ///   - role: Node
    ///     attachMetadata: {node: true}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   scrapeConfigSelector: {}
    /// ```
    /// Use instead:
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1alpha1
    /// kind: ScrapeConfig
    /// metadata: {name: nodes}
    /// spec:
    ///   kubernetesSDConfigs:
    ///   - role: Node
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   scrapeConfigSelector: {}
    /// ```
    UNUSED_FIELD = "PG302" "unused-field" Warning: "a field that the operator never writes";

    /// ## What it does
    /// Reports a setting that the operator writes into the configuration in a form that Prometheus refuses.
    ///
    /// ## Why is this bad?
    /// The operator reconciles the workload, and its pods do not start, or go on with the configuration that they had. Jobs and
    /// relabeling rules that stand in a Secret (`additionalScrapeConfigs`, `additionalAlertRelabelConfigs`) are handed on as they
    /// are, and one fault in them is enough: what is proven there is an error.
    /// What is printed here is what the operator writes, so that the fault can be seen.
    ///
    /// ## Example
    /// An agent gets a section `storage` for each setting below `tsdb`, and Prometheus refuses the second:
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1alpha1
    /// kind: PrometheusAgent
    /// metadata: {name: edge}
    /// spec:
    ///   version: v3.13.2
    ///   tsdb:
    ///     outOfOrderTimeWindow: 10m
    ///     staleSeriesCompactionThreshold: "0.5"
    /// ```
    /// Use instead: one of them.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1alpha1
    /// kind: PrometheusAgent
    /// metadata: {name: edge}
    /// spec:
    ///   version: v3.13.2
    ///   tsdb:
    ///     outOfOrderTimeWindow: 10m
    /// ```
    REFUSED_BY_PROMETHEUS = "PG303" "refused-by-prometheus" Warning: "a setting that the operator writes in a form that Prometheus refuses";
}

/// Lowering of one resource in a workload: the workload itself, or a monitor.
#[derive(Debug)]
pub struct Scope<'a> {
    /// The workload.
    pub cx: &'a WorkloadContext<'a>,
    fields: SettingsLowering<'a>,
}

impl<'a> Scope<'a> {
    /// The scope of a resource. `doc` is its document, `namespace` holds its Secrets.
    pub fn new(
        cx: &'a WorkloadContext<'a>,
        doc: DocId,
        namespace: &'a str,
        sink: &'a mut Sink,
    ) -> Self {
        Self {
            cx,
            fields: SettingsLowering {
                versions: cx.versions,
                assets: cx.assets,
                doc,
                namespace,
                sink,
            },
        }
    }

    /// The scope for settings of the workload that apply to the resource: findings point at the workload, Secrets are
    /// read in the namespace of the resource.
    pub fn of_workload(&mut self) -> Scope<'_> {
        Scope::new(
            self.cx,
            self.cx.doc,
            self.fields.namespace,
            self.fields.sink,
        )
    }
}

// Whoever lowers settings of any resource takes a scope as it is.
impl<'a> Deref for Scope<'a> {
    type Target = SettingsLowering<'a>;

    fn deref(&self) -> &SettingsLowering<'a> {
        &self.fields
    }
}

impl DerefMut for Scope<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.fields
    }
}

/// Lowering of settings that several kinds of resources have, such as an HTTP client: they depend on versions and Secrets,
/// and on nothing else of a workload.
#[derive(Debug)]
pub struct SettingsLowering<'a> {
    /// The versions that they are lowered for.
    pub versions: &'a Versions,
    /// Secrets and ConfigMaps.
    pub assets: &'a AssetStore<'a>,
    /// The document of the resource.
    pub doc: DocId,
    /// The namespace of the resource: where its Secrets are.
    pub namespace: &'a str,
    /// The place where findings go.
    pub sink: &'a mut Sink,
}

impl SettingsLowering<'_> {
    /// Returns whether the target has what the gate stands for.
    pub fn has(&self, gate: &Gate) -> bool {
        self.versions.has(gate)
    }

    /// The value, if the target supports the field. A field without effect is reported at its place.
    pub(crate) fn gated<T>(
        &mut self,
        gate: &Gate,
        value: Option<T>,
        at: impl FnOnce() -> ValueRoute,
    ) -> Option<T> {
        if self.allowed(gate, value.is_some(), at) {
            value
        } else {
            None
        }
    }

    /// Returns whether the target supports the field. A field without effect is reported at its place.
    pub fn allowed(&mut self, gate: &Gate, set: bool, at: impl FnOnce() -> ValueRoute) -> bool {
        let has = self.has(gate);
        self.dropped_if(gate, set && !has, at);
        has
    }

    /// Reports a field that the target ignores, if it is set.
    pub(crate) fn dropped_if(&mut self, gate: &Gate, set: bool, at: impl FnOnce() -> ValueRoute) {
        // Gates that refuse, or that fall back to an older form, lose nothing that a user set.
        if !set || gate.miss != UnsupportedEffect::Drop {
            return;
        }
        let at = At {
            doc: self.doc,
            route: at(),
        };
        self.sink.report(gates::ignored(gate, self.versions, at));
    }

    /// Reports a field that is set and that the operator does not write.
    pub fn unused(&mut self, route: ValueRoute, why: &str) {
        let message = format!("`{route}` has no effect: {why}");
        self.sink.report(Diagnostic::new(
            &UNUSED_FIELD,
            At {
                doc: self.doc,
                route,
            },
            message,
        ));
    }

    /// Reports what the operator writes and Prometheus refuses.
    pub fn refused(&mut self, route: ValueRoute, what: &str, help: &str) {
        let message = format!("the operator writes {what}, which Prometheus refuses");
        let at = At {
            doc: self.doc,
            route,
        };
        self.sink
            .report(Diagnostic::new(&REFUSED_BY_PROMETHEUS, at, message).help(help));
    }

    /// The text of a Secret's key, as it may be shown; empty if it was not read, as the operator has it in most places.
    pub fn secret(&self, selector: &SecretKeySelector) -> ShownText {
        self.secret_if_read(selector).unwrap_or_default()
    }

    /// The text of a Secret's key, as it may be shown, if a check has read it.
    pub(crate) fn secret_if_read(&self, selector: &SecretKeySelector) -> Option<ShownText> {
        self.assets.secret_text(self.namespace, selector)
    }

    /// The text of a Secret's or ConfigMap's key, as it may be shown, if a check has read it. Empty for a selector that
    /// names neither.
    pub(crate) fn secret_or_config_map_if_read(
        &self,
        selector: &SecretOrConfigMap,
    ) -> Option<ShownText> {
        match (&selector.secret, &selector.config_map) {
            (Some(secret), _) => self.secret_if_read(secret),
            (None, Some(map)) => self.assets.config_map_text(self.namespace, map),
            (None, None) => Some(ShownText::default()),
        }
    }
}
