//! The mode of agents.

use crate::checks::Model;
use promgen_resources::api::DaemonSetMode;
use promgen_resources::gates;
use promgen_text::diag::{Diagnostic, Sink, rule};
use promgen_text::route::At;

rule! {
    /// ## What it does
    /// Finds PrometheusAgents in the mode DaemonSet while the operator's feature gate for it is off, as it is by default.
    /// Which fields that mode forbids the CRD itself says (PG014).
    ///
    /// ## Why is this bad?
    /// The operator makes a StatefulSet as if there were no mode. With the gate on it is fine: say so with
    /// `--feature-gates`.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1alpha1
    /// kind: PrometheusAgent
    /// metadata: {name: nodes}
    /// spec:
    ///   mode: DaemonSet
    ///   podMonitorSelector: {}
    /// ```
    /// Use instead: the other mode, or the gate.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1alpha1
    /// kind: PrometheusAgent
    /// metadata: {name: nodes}
    /// spec:
    ///   mode: StatefulSet
    ///   podMonitorSelector: {}
    /// ```
    pub(in crate::checks) static IGNORED_MODE = "PG306" "ignored-mode" {
        summary: "the mode DaemonSet of an agent without the feature gate for it", level: Warning, since: "0.1.0",
    }
}

/// Looks at every agent.
pub(super) fn check(model: &Model<'_>, sink: &mut Sink) {
    let gate = &gates::AGENT_DAEMON_SET;
    if model.options.target.enabled(gate) {
        return;
    }
    for agent in model.cluster.prometheus_agents.values() {
        if agent.value.spec.mode == Some(DaemonSetMode::DaemonSet) {
            let at = At::doc(agent.doc).key("spec").key("mode");
            let message = format!("the mode DaemonSet has no effect: the feature gate {} is off", gate.name);
            let help = format!("switch it on in the operator, and here: `--feature-gates {}=true`", gate.name);
            sink.report(Diagnostic::new(&IGNORED_MODE, at, message).help(help));
        }
    }
}
