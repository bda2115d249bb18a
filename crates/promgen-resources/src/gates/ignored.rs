//! The finding about a field that is set, but that the target version does not support.

use crate::gates::{Gate, Versions};
use promgen_text::diag::{Diagnostic, rules};
use promgen_text::route::{At, ValueRoute};

rules! {
    /// ## What it does
    /// Finds fields that are set, but that the target version of Prometheus does not support. The operator omits such a
    /// field without an error.
    ///
    /// ## Why is this bad?
    /// The setting has no effect, and nothing in the cluster reports it.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   version: v2.45.0
    ///   serviceMonitorSelector: {}
    ///   scrapeProtocols: [PrometheusText1.0.0]
    /// ```
    /// Use instead: a version that supports the field, or remove the field.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   version: v3.5.0
    ///   serviceMonitorSelector: {}
    ///   scrapeProtocols: [PrometheusText1.0.0]
    /// ```
    IGNORED_FIELD = "PG301" "ignored-field" Warning: "a field that the target version ignores";
}

/// The finding that the field at that place has no effect.
pub fn ignored(gate: &Gate, versions: &Versions, at: At) -> Diagnostic {
    ignored_in(gate, versions, &at.route.clone(), at)
}

/// The finding that a field of a generated configuration has no effect. `at` is the place of its source.
pub fn ignored_in(gate: &Gate, versions: &Versions, field: &ValueRoute, at: At) -> Diagnostic {
    let axis = versions.lacking(gate);
    let version = versions.of(axis);
    let bound = match &gate.until {
        _ if axis != gate.axis => format!("≥ {}", gate.by),
        Some(until) if version >= until => format!("< {until}"),
        _ => format!("≥ {}", gate.since_by(&versions.operator)),
    };
    let product = axis.product();
    let message = format!("`{field}` has no effect: requires {product} {bound}, this is {version}");
    Diagnostic::new(&IGNORED_FIELD, at, message)
}
