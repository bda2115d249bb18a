//! Inhibit rules that inhibit nothing.

use std::collections::BTreeSet;

use crate::checks::routing::conditions::Conditions;
use crate::checks::routing::{Routed, finding};
use promgen_compile::routing::Inhibition;
use promgen_compile::routing::matcher::AlertMatcher;
use promgen_text::diag::{Sink, rule};

rule! {
    /// ## What it does
    /// Finds inhibit rules that inhibit no alert: the matchers of the source or of the target contradict each other, or both
    /// sides have the same matchers. The namespace matcher that the operator adds to an AlertmanagerConfig counts, too.
    ///
    /// ## Why is this bad?
    /// Alertmanager does not let an alert that matches both sides inhibit another one that does.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1alpha1
    /// kind: AlertmanagerConfig
    /// metadata: {name: shop, namespace: shop}
    /// spec:
    ///   inhibitRules:
    ///   - sourceMatch: [{name: severity, matchType: "=", value: critical}]
    ///     targetMatch: [{name: severity, matchType: "=", value: critical}]
    ///     equal: [alertname]
    /// ```
    /// Use instead:
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1alpha1
    /// kind: AlertmanagerConfig
    /// metadata: {name: shop, namespace: shop}
    /// spec:
    ///   inhibitRules:
    ///   - sourceMatch: [{name: severity, matchType: "=", value: critical}]
    ///     targetMatch: [{name: severity, matchType: "=", value: warning}]
    ///     equal: [alertname]
    /// ```
    pub(in crate::checks) static FUTILE_INHIBITION = "PG617" "futile-inhibition" {
        summary: "an inhibit rule that inhibits no alert", level: Warning, since: "0.1.0",
    }
}

/// Checks all inhibit rules.
pub(super) fn check(routed: &Routed<'_>, sink: &mut Sink) {
    for rule in &routed.tree.inhibitions {
        if let Some((message, field)) = fault(rule)
            && let Some(found) = finding(&FUTILE_INHIBITION, &rule.source, |at| at.key(field), message)
        {
            sink.report(found);
        }
    }
}

/// What is wrong, and the field.
fn fault(rule: &Inhibition) -> Option<(&'static str, &'static str)> {
    let texts = |matchers: &[AlertMatcher]| matchers.iter().map(ToString::to_string).collect::<BTreeSet<_>>();
    let is_contradicting = |matchers: &[AlertMatcher]| Conditions::new(matchers).contradiction().is_some();
    match () {
        () if is_contradicting(&rule.inhibiting) => {
            Some(("this rule inhibits no alert: the matchers of its source contradict each other", "sourceMatch"))
        }
        () if is_contradicting(&rule.inhibited) => {
            Some(("this rule inhibits no alert: the matchers of its target contradict each other", "targetMatch"))
        }
        () if texts(&rule.inhibiting) == texts(&rule.inhibited) => {
            Some(("this rule inhibits no alert: source and target have the same matchers", "targetMatch"))
        }
        () => None,
    }
}
