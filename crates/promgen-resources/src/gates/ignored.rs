//! What is said of a field that is set and that the target does not know.

use crate::gates::{Gate, Versions};
use promgen_text::diag::{Diagnostic, rule};
use promgen_text::route::{At, Route};

rule! {
    /// ## What it does
    /// Reports a field that is set and that the target version of Prometheus does not know. The operator leaves such a
    /// field out in silence.
    ///
    /// ## Why is this bad?
    /// The setting has no effect, and nothing in the cluster says so.
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
    /// Use instead: a version that knows the field, or no such field.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   version: v3.5.0
    ///   serviceMonitorSelector: {}
    ///   scrapeProtocols: [PrometheusText1.0.0]
    /// ```
    pub(crate) static IGNORED_FIELD = "PG301" "ignored-field" {
        summary: "a field that the target version ignores", level: Warning, since: "0.1.0",
    }
}

/// The finding that the field at that place has no effect.
pub fn ignored(gate: &Gate, versions: &Versions, at: At) -> Diagnostic {
    ignored_in(gate, versions, &at.route.clone(), at)
}

/// The finding that a field of a generated configuration has no effect. `at` is what it is made of.
pub fn ignored_in(gate: &Gate, versions: &Versions, field: &Route, at: At) -> Diagnostic {
    let version = versions.of(gate.axis);
    let message = format!("`{field}` has no effect: {} {version} does not know it", gate.axis.product());
    let help = match &gate.until {
        Some(until) if version >= until => format!("it existed before {until}"),
        _ => format!("it exists since {}", gate.since),
    };
    Diagnostic::new(&IGNORED_FIELD, at, message).help(help)
}
