//! Inhibit rules that inhibit nothing.

use promgen_text::route::At;

use crate::checks::routing::conditions::Conditions;
use crate::checks::routing::{Routed, finding};
use promgen_prometheus::routing::matcher::AlertMatcher;
use promgen_text::CollectOrdered;
use promgen_text::diag::{Sink, rules};

rules! {
    /// ## What it does
    /// Finds inhibit rules that inhibit no alert: the matchers of the source or of the target contradict each other, both sides have
    /// the same matchers, or they ask for other values of a label in `equal`. The namespace matcher that the operator adds to both
    /// sides of an AlertmanagerConfig counts, too: a rule is reported as well if all alerts in the input that it is meant for have
    /// another namespace.
    ///
    /// ## Why is this bad?
    /// Alertmanager does not let an alert that matches both sides inhibit another alert that matches both.
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
    FUTILE_INHIBITION = "PG617" "futile-inhibition" Warning: "an inhibit rule that inhibits no alert, or every one";
}

/// Checks all inhibit rules.
pub(super) fn check(routed: &Routed<'_>, sink: &mut Sink) {
    for rule in &routed.tree.inhibitions {
        let is_adrift = routed.is_adrift(&rule.source);
        if let Some((message, field)) = fault(
            certain(&rule.inhibiting, is_adrift),
            certain(&rule.inhibited, is_adrift),
            &rule.equal,
        ) {
            let at = |at: At| at.key(field);
            sink.extend(finding(&FUTILE_INHIBITION, &rule.source, at, message));
        }
    }
}

/// The matchers that certainly hold: without that of the namespace that the operator adds at the end, if nobody states it.
pub(super) fn certain(matchers: &[AlertMatcher], is_adrift: bool) -> &[AlertMatcher] {
    match matchers.split_last() {
        Some((last, own)) if is_adrift && last.name == "namespace" => own,
        Some(_) | None => matchers,
    }
}

/// The fault, and the field that has it.
fn fault(
    inhibiting: &[AlertMatcher],
    inhibited: &[AlertMatcher],
    equal: &[String],
) -> Option<(&'static str, &'static str)> {
    let texts = |matchers: &[AlertMatcher]| matchers.iter().map(ToString::to_string).collect_set();
    let is_contradicting =
        |matchers: &[AlertMatcher]| Conditions::new(matchers).contradiction().is_some();
    match () {
        () if is_contradicting(inhibiting) => Some((
            "this rule inhibits no alert: the matchers of its source contradict each other",
            "sourceMatch",
        )),
        () if is_contradicting(inhibited) => Some((
            "this rule inhibits no alert: the matchers of its target contradict each other",
            "targetMatch",
        )),
        () if equal.iter().any(|label| {
            Conditions::new(inhibiting).are_apart(&Conditions::new(inhibited), label)
        }) =>
        {
            Some((
                "this rule inhibits no alert: source and target ask for other values of a label that has to be equal",
                "equal",
            ))
        }
        // Without a source, any alert inhibits: the chart's own InfoInhibitor is meant so.
        () if inhibited.is_empty() && !inhibiting.is_empty() => Some((
            "every alert is a target of this rule: it has no matchers of one",
            "targetMatch",
        )),
        () if texts(inhibiting) == texts(inhibited) => Some((
            "this rule inhibits no alert: source and target have the same matchers",
            "targetMatch",
        )),
        () => None,
    }
}
